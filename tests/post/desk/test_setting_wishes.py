"""Settings in the words of people who don't know the commands, in four languages."""

from datetime import date
from uuid import UUID

import pytest
from sqlalchemy import select

from server.accounts.players import profile
from server.post.desk.reading import is_for_desk, read_line, read_request
from server.post.desk.setting_wishes import night_in, wished_setting
from server.post.incoming.replies import Mail
from server.post.topics import MAILS, NIGHTS, PICTURES, is_about
from server.store.tables import SeatRow, db
from server.translations import LOCALES
from tests.post.desk.test_proof import ann_joins
from tests.post.desk.writing import Correspondent, settle
from tests.post.incoming.replying import a_move
from tests.post.office import Office, a_mail, arrives
from tests.support.games import everything_due_happens, game_of

TODAY = date(2026, 11, 29)
WISHES = {
    "nights 22:00-08:00": {
        "en": "No emails between 22:00 and 8:00 please.|Stop my clock at night from 10 pm to 8 am",
        "de": "Halte meine Uhr nachts von 22 bis 8 Uhr an.|Ich schlafe von 22 bis 8.",
        "fr": "Ma nuit va de 22 h à 8 h.|Je dors de 22h à 8h.",
        "it": "La mia notte va dalle 22 alle 8.|Dormo dalle 22:00 alle 8:00.",
    },
    "nights 23:30-07:00": {
        "en": "I sleep from 11:30pm to 7am.",
        "de": "Meine Nacht geht von 23:30 bis 7 Uhr.",
        "fr": "La nuit, de 23h30 à 7h, je dors.",
        "it": "Dormo dalle 23:30 alle 7.",
    },
    "mails bundled": {
        "en": "One email a day is enough.|Send me only one mail per day|Could I get the emails once a day?",
        "de": "Eine Mail am Tag reicht.|Bitte nur eine Mail pro Tag|Ich hätte die Mails gern gesammelt.",
        "fr": "Un mail par jour suffit.|Un seul mail par jour, merci",
        "it": "Una mail al giorno basta.|Una sola mail al giorno, grazie",
    },
    "mails at-once": {
        "en": "Please send all emails at once.|I want each email immediately",
        "de": "Schick mir die Mails bitte sofort.|Ich möchte alle Mails einzeln",
        "fr": "Envoie-moi les mails tout de suite.|Je veux chaque mail immédiatement.",
        "it": "Mandami le mail subito.|Vorrei ogni mail immediatamente.",
    },
    "reminders off": {
        "en": "Turn off the reminders.|No reminders please.|Can you stop reminding me? I need no reminders",
        "de": "Schalte die Erinnerungen aus.|Keine Erinnerungen bitte.",
        "fr": "Désactive les rappels.|Pas de rappels, merci.",
        "it": "Disattiva i promemoria.|Niente promemoria, grazie.",
    },
    "reminders 3h": {
        "en": "Remind me 3 hours before my time is up.",
        "de": "Erinnere mich 3 Stunden vor Ablauf.",
        "fr": "Rappelle-moi 3 heures avant la fin.",
        "it": "Ricordamelo 3 ore prima della fine.",
    },
    "language de": {
        "en": "Please write to me in German.|Can you switch to German?|German, please|Back to German",
        "de": "Schreib mir bitte auf Deutsch.|Sprich Deutsch mit mir|Bitte auf Deutsch!|und wieder auf deutsch",
        "fr": "Écris-moi en allemand s'il te plaît.|En allemand, s'il te plaît.",
        "it": "Scrivimi in tedesco per favore.|In tedesco, per favore.",
    },
    "zone Europe/Rome": {
        "en": "I live in Rome.|My time zone is Europe/Rome.|We moved to Rome last week",
        "de": "Ich wohne in Rom.|Meine Zeitzone ist Europe/Rome.",
        "fr": "J'habite à Rome.|Mon fuseau horaire est Europe/Rome.",
        "it": "Abito a Roma.|Il mio fuso orario è Europe/Rome.",
    },
    "days-off 6 7": {
        "en": "I don't play on Saturdays and Sundays.|Saturday and Sunday are my days off",
        "de": "Samstags und sonntags spiele ich nicht.|Samstag und Sonntag habe ich frei.",
        "fr": "Je ne joue pas le samedi et le dimanche.|Le samedi et le dimanche sont mes jours libres",
        "it": "Non gioco il sabato e la domenica.|Sabato e domenica sono i miei giorni liberi",
    },
    "vacation 2026-12-03..2026-12-10": {
        "en": "I'm on vacation from 3 to 10 December.|I'll be away from Dec 3 until Dec 10.",
        "de": "Ich bin vom 3. bis 10. Dezember im Urlaub.|Vom 3.12. bis zum 10.12. bin ich weg.",
        "fr": "Je suis en vacances du 3 au 10 décembre.|Je pars du 3 au 10 décembre",
        "it": "Sono in vacanza dal 3 al 10 dicembre.|Dal 3 al 10 dicembre sono via",
    },
    "vacation off": {
        "en": "Cancel my vacation",
        "de": "Sag meinen Urlaub ab, bitte: Urlaub absagen!",
        "fr": "Annule mes vacances",
        "it": "Annulla le mie vacanze",
    },
    "zone ": {
        "en": "I live in Smallville.",
        "de": "Ich wohne in Kleinkleckersdorf.",
        "fr": "J'habite à Trifouilly.",
        "it": "Abito a Paperopoli.",
    },
}
OTHERS = [
    *("The Italian won again!", "I moved away from Leo.", "I'd say 3 to 5 emails a day are fine.", "Remember Leo?"),
    *("Leo ist am Freitag nicht voll geworden.", "I like German beer.", "See you on Sunday!"),
    *("Nice move on Sunday.", "Je joue dimanche.", "Ci vediamo domenica!", "Wir sehen uns am Sonntag."),
]
COMMANDS = {
    "set language german": "Change my language to german|set language to german|set my language to german|Please switch the language to german",
    "set sprache englisch": "Stell die Sprache auf englisch|Ändere meine Sprache in englisch|Stelle bitte Sprache auf englisch",
    "set langue anglais": "Mets la langue en anglais|Change ma langue en anglais",
    "set lingua inglese": "Metti la lingua in inglese|Imposta la lingua su inglese|Cambia la mia lingua in inglese",
    "set zeitzone Wien": "Stell die Zeitzone auf Wien|Setze meine Zeitzone auf Wien",
    "set nights 22-7": "Set my nights to 22-7",
    "settings": "What are my settings?|Show me my settings|zeig mir meine Einstellungen|Montre-moi mes réglages|Mostrami le mie impostazioni",
    "rules": "Can I see the rules?|Send me the rules please|Schick mir die Regeln|Montre les règles|Mandami le regole",
    "games": "Show me all my games|Zeig mir meine Partien|Mostrami le mie partite",
}


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("wish", WISHES)
def test_a_sentence_wishes_for_a_setting(wish: str, locale: str) -> None:
    for sentence in WISHES[wish][locale].split("|"):
        assert wished_setting(sentence, TODAY, locale) == (*wish.split(" ", 1),), sentence


def test_other_sentences_wish_for_no_setting() -> None:
    assert [it for it in OTHERS if wished_setting(it, TODAY, "en")] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_a_whole_sentence_is_a_command(command: str) -> None:
    for sentence in COMMANDS[command].split("|"):
        found = [it for locale in LOCALES if (it := read_line(sentence, locale)) and it.canonical == command]
        assert found, sentence


@pytest.mark.parametrize(
    ("topic", "sentence"),
    [
        *((MAILS, it) for it in ("I don't want any emails.", "Ich will keine Mails mehr.", "Non voglio più mail.")),
        *(
            (NIGHTS, it)
            for it in ("Please don't send me mails at night.", "Pas de mails la nuit", "Niente mail di notte")
        ),
        *(
            (PICTURES, it)
            for it in ("No pictures please", "Bitte keine Bilder, nur Text.", "Pas d'images", "Solo testo")
        ),
    ],
)
def test_a_sentence_without_a_value_is_answered_by_its_topic(topic: str, sentence: str) -> None:
    assert is_about(sentence, topic) and is_for_desk(sentence)
    mail = Mail("ann@example.net", False, (sentence,), None, "", None)
    assert [it.command for it in read_request(mail, "en").asked] == [""]


@pytest.mark.parametrize(
    ("value", "night"),
    [("22-8", "22:00-08:00"), ("22:30 to 7", "22:30-07:00"), ("22 bis 7 Uhr", "22:00-07:00"), ("10-7", "10:00-07:00")],
)
def test_a_night_is_read_as_written(value: str, night: str) -> None:
    assert night_in(value) == night


@pytest.mark.parametrize(
    ("sentence", "line", "changed"),
    [
        ("Please write to me in German.", "", {"locale": "de"}),
        ("I live in Berlin.", "", {"zone": "Europe/Berlin"}),
        ("One email a day is enough.", "", None),
        ("I don't play on Sundays.", "set days-off Sunday", {"days_off": [7]}),
    ],
)
def test_the_post_desk_does_what_a_sentence_wishes_for_or_offers_the_line_if_it_may_mean_something_else(
    ann: Correspondent, sentence: str, line: str, changed: dict[str, object] | None
) -> None:
    ann_id = ann_joins(ann)
    before = profile(ann_id)
    answer = " ".join(ann.asks(sentence).text.partition(">")[0].split())
    if line:
        assert f"- {line}: " in answer
        assert profile(ann_id) == before
        ann.asks("Yes, please!")
    after = profile(ann_id)
    assert after != before
    assert changed is None or {**after, **after["calendar"]}.items() >= changed.items()


@pytest.mark.parametrize(
    "line",
    [
        "play sternenhimmel against a hard bot please, and one mail a day is enough",
        "play sternenhimmel against a hard bot. One mail a day is enough.",
        "Spiele Sternenhimmel gegen einen starken Bot und bitte nur eine Mail am Tag",
    ],
)
def test_a_setting_behind_a_command_for_a_new_game_is_carried_out_too(ann: Correspondent, line: str) -> None:
    ann_id = ann_joins(ann)
    if line.startswith("Spiele"):
        ann.asks("set language de")
    before = profile(ann_id)
    ann.asks(line)
    found = db.session.scalars(select(SeatRow.bot).where(SeatRow.bot.is_not(None))).all()
    assert set(found) == {"level-4"}
    assert profile(ann_id) != before


@pytest.mark.parametrize(
    "line", ["play sternenhimmel, and tell Bob", 'play sternenhimmel title="Bob and one mail a day"']
)
def test_other_words_behind_a_command_stay_a_part_of_it(line: str) -> None:
    mail = Mail("ann@example.net", False, (line,), None, "", None)
    assert len(read_request(mail, "en").asked) == 1


@pytest.mark.parametrize("beside_move", [False, True])
def test_a_table_offers_the_line_and_a_yes_carries_it_out(office: Office, ada: UUID, beside_move: bool) -> None:
    game_id = game_of(ada, bots=2, options={"start_seat": 0})
    everything_due_happens()
    text = f"{a_move(game_id, ada)}\n\n" * beside_move + "Please remind me 2 hours before the end."
    arrives(office.mails("ada")[-1].reply_to, a_mail(text))
    settle()
    everything_due_happens()
    told = next(
        " ".join(it.text.split()) for it in office.mails("ada")[::-1] if it.message["Auto-Submitted"] == "auto-replied"
    )
    assert 'To do this, reply "set reminders 2h".' in told
    if not beside_move:
        arrives(office.mails("ada")[-1].reply_to, a_mail("yes"))
        settle()
        assert profile(ada)["notifications"]["reminders"] == ["PT2H"]
