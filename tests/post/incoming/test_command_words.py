"""Commands in the writer's language do what the English ones do."""

import re
from datetime import date
from random import Random
from uuid import UUID

import pytest

from server.accounts.players import change_profile
from server.games import GAMES
from server.post.desk.commands import BY_NAME, HELP, RULES
from server.post.incoming.commands import COMMANDS, stops, word_for, words_of
from server.post.incoming.help_lines import help_lines
from server.post.incoming.lines import Wishes
from server.post.incoming.replies import Mail, parse, understand
from server.post.incoming.replies import read as mail_of
from server.translations import LOCALES
from server.translations.update import TRANSLATED
from tests.post.incoming.replies.programs import PROGRAMS, Typed
from tests.post.incoming.replying import ada_writes, messages
from tests.post.office import Office
from tests.support.games import happened

DAYS = "2027-07-01..2027-07-14"
MEANT = {
    "?": Wishes(asks=True),
    "hint": Wishes(hints=True),
    "say Ciao!": Wishes(says=("Ciao!",)),
    "pause": Wishes(pause=True),
    "resume": Wishes(resume=True),
    "undo": Wishes(undo=True),
    "agree": Wishes(agree=True),
    "ready": Wishes(ready=True),
    "plan": Wishes(plan=""),
    "plan 7 leo c": Wishes(plan="7 leo c"),
    f"stand-in bea@example.org {DAYS}": Wishes(stand_in=("bea@example.org", "2027-07-01", "2027-07-14")),
    "stand-in bea@example.org 1.7.-14.7.": Wishes(stand_in=("bea@example.org", "1.7.", "14.7.")),
    "resign": Wishes(resign=True),
    f"vacation {DAYS}": Wishes(vacation=(date(2027, 7, 1), date(2027, 7, 14))),
    "confirm 0123abcdef": Wishes(confirms="0123abcdef"),
}


def read(text: str, locale: str) -> Wishes:
    mail = Mail("ada@example.org", False, tuple(text.split("\n")), None, "", None)
    return understand(parse(mail, GAMES["sternenhimmel"], locale))


def in_words_of(locale: str, line: str) -> str:
    command, _, rest = line.partition(" ")
    return f"{word_for(command, locale)} {rest}".strip() if command in COMMANDS else line


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("line", MEANT)
def test_a_command_is_understood_in_english_and_the_readers_language(locale: str, line: str) -> None:
    own = in_words_of(locale, line)
    for written in (line, own, own[0].upper() + own[1:], f"Ciao!\n\n{own}\n\nAda"):
        assert read(written, locale) == MEANT[line], written


@pytest.mark.parametrize("locale", LOCALES)
def test_every_synonym_of_every_command_is_understood(locale: str) -> None:
    assert {line.partition(" ")[0] for line in MEANT} >= set(COMMANDS)
    for word, command in words_of(locale).items():
        for line, meant in MEANT.items():
            if line.partition(" ")[0] == command:
                assert read(line.replace(command, word, 1), locale) == meant, (word, line)


@pytest.mark.parametrize(
    ("locale", "written", "meant"),
    [
        ("de", "Besta\u0308tige 0123abcdef", Wishes(confirms="0123abcdef")),
        ("de", "bestaetige 0123abcdef", Wishes(confirms="0123abcdef")),
        ("it", "Di\u2019 Ciao!", Wishes(says=("Ciao!",))),
        ("it", "Di\u0300 Ciao!", Wishes(says=("Ciao!",))),
        ("it", f"Vacanze {DAYS}", MEANT[f"vacation {DAYS}"]),
        ("fr", "Prêt\u202f!", Wishes(ready=True)),
        ("it", "Pronta !", Wishes(ready=True)),
        ("fr", "Dis\u00a0: bonsoir !", Wishes(says=("bonsoir !",))),
        ("fr", "Remplaçante <bea@example.org> 1.7.-14.7.", MEANT["stand-in bea@example.org 1.7.-14.7."]),
        (
            "it",
            "sostituta Bea@example.org<mailto:Bea@example.org> 1/7-14/7",
            MEANT["stand-in bea@example.org 1.7.-14.7."],
        ),
        ("it", "Sostituto bea@example.org 1/7-14/7", MEANT["stand-in bea@example.org 1.7.-14.7."]),
        (
            "fr",
            "remplaçant a1/2@x.org 01/07/2027..14/07/2027",
            Wishes(stand_in=("a1/2@x.org", "01.07.2027", "14.07.2027")),
        ),
    ],
)
def test_commands_are_understood_with_the_characters_of_any_keyboard(locale: str, written: str, meant: Wishes) -> None:
    assert read(written, locale) == meant


IN_ASCII = ("mutt", "aol", "claws")  # as these write here


@pytest.mark.parametrize("locale", LOCALES)
def test_commands_are_understood_from_any_mail_program_above_or_below_quotes(
    request: pytest.FixtureRequest, locale: str
) -> None:
    """From each program with --all, otherwise from four per command."""
    seed = f"{request.config.getoption('--seed')} {locale}"
    rng = Random(seed)
    for line, meant in MEANT.items():
        own = in_words_of(locale, line)
        programs = list(PROGRAMS.items())
        for name, program in programs if request.config.getoption("--all") else rng.sample(programs, 4):
            for place in program.places if own.isascii() or name not in IN_ASCII else ():
                mail = mail_of(program.write(Typed(f"{own}\n\nCiao\nAda", locale, place)))
                assert understand(parse(mail, GAMES["sternenhimmel"], locale)) == meant, (own, name, place)


def test_an_ambiguous_english_date_is_not_guessed() -> None:
    assert read("stand-in bea@example.org 1/7-2/7", "en").problem == "not-understood"


def test_commands_in_other_languages_count_as_prose() -> None:
    assert read("7 leo c\n\nSag Hallo von mir.", "fr") == read("7 leo c", "fr")
    assert read("7 leo c\n\nDi solito vinco io.", "it") == read("7 leo c", "it")


@pytest.mark.parametrize(
    ("locale", "written", "meant"),
    [
        ("en", "plan 7 leo c; 3 Virgo b if virgo b is free", "7 leo c; 3 virgo b if virgo b is free"),
        ("de", "Plan 3 vir b wenn vir b frei ist", "3 vir b wenn vir b frei ist"),
        ("de", "plan 3 vir b wenn vir b frei", "3 vir b wenn vir b frei"),
        ("fr", "plan 3 vir b si vir b est libre", "3 vir b si vir b est libre"),
        ("it", "piano 3 vir b se vir b è libera", "3 vir b se vir b è libera"),
        *((locale, "plan off", "off") for locale in LOCALES),
        ("de", "Plan aus", "off"),
        ("fr", "plan annuler", "off"),
        ("it", "Piano annulla", "off"),
    ],
)
def test_a_plan_is_read_in_the_readers_language(locale: str, written: str, meant: str) -> None:
    assert read(written, locale) == Wishes(plan=meant)
    assert read(f"7 leo c\n\n{written}", locale).plan == meant  # once this turn is played


@pytest.mark.parametrize(
    "line", ["plan 7 leo", "plan 7 leo c if virgo b", "plan 7 leo c if free; 3 leo d", "plan to win"]
)
def test_a_plan_without_valid_notation_is_not_understood(line: str) -> None:
    assert read(line, "en").problem == "not-understood"


@pytest.mark.parametrize("words", ["Good plan!", "That is my plan for tonight."])
def test_a_plan_within_a_sentence_counts_as_prose(words: str) -> None:
    assert read(f"{words}\n\n7 leo c", "en").move == "7 leo c"


@pytest.mark.parametrize(
    "others",
    [
        *("plan 7 leo c\nplan 7 leo d", "plan 7 leo c\nundo", "undo\n7 leo c", "undo\nagree", "agree\n7 leo c"),
        "undo\nresign",
    ],
)
def test_a_single_email_cannot_take_back_a_move_and_make_another_move(others: str) -> None:
    assert read(others, "en").problem == "contradiction"


@pytest.mark.parametrize(
    ("locale", "line"),
    [
        ("de", "aufgeben?"),
        ("de", "Urlaub vom 1. bis zum 14. Juli"),
        ("de", "fortsezen"),
        ("fr", "abandonner la partie"),
        ("it", "* conferma"),
        ("en", "undo it"),
        ("de", "zurücknehmen morgen"),
        ("it", "di': ciao"),
    ],
)
def test_lines_that_almost_match_a_command_are_not_executed(locale: str, line: str) -> None:
    assert read(f"7 leo c\n\n{line}", locale).problem == "not-understood"


RESIGNATIONS = (
    "I resign",
    "I give up.",
    "ich gebe auf",
    "J’abandonne !",
    "Mi arrendo!",
    "I resign, thanks",
    "Ich gebe auf, danke fürs Spiel!",
)


@pytest.mark.parametrize("locale", LOCALES)
def test_a_sentence_that_only_says_so_resigns_in_any_language(locale: str) -> None:
    for line in RESIGNATIONS:
        assert read(f"Hi all,\n\n{line}\n\nAda", locale) == Wishes(resign=True), line
        assert read(f"7 leo c\n\n{line}", locale).problem == "contradiction", line


@pytest.mark.parametrize(
    "line",
    ["I resign?", "I never resign", "I resign myself to that", "ich gebe auf, wenn", "> I resign", "maybe I resign"],
)
def test_a_sentence_that_says_more_does_not_resign(line: str) -> None:
    assert not read(line, "en").resign


def test_an_email_can_be_signed_with_a_name_that_looks_like_a_command() -> None:
    assert read("7 leo c\n\nPaula", "it").move == "7 leo c"


SURNAMES = [
    *("Hintz", "Tripp", "Tip", "Tipps", "hin", "hints", "Conseils", "Suggerimenti", "Hinton", "Tippl", "suggerimenti"),
]


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("above", ["", "Viele Grüße\n", "Viele Grüße\n\n"])
def test_words_that_resemble_hint_do_not_stop_a_move(locale: str, above: str) -> None:
    for word in SURNAMES:
        assert read(f"7 leo c\n\n{above}{word}", locale) == Wishes(move="7 leo c"), word


def test_a_misspelt_hint_alone_is_not_understood() -> None:
    assert read("hints", "en") == Wishes(problem="not-understood", line="hints")


@pytest.mark.parametrize(
    ("locale", "written"),
    [
        ("fr", "7 leo c\n\nSophie Martin\nConseil\nParis"),
        ("fr", "7 leo c\n\nSophie Martin\n\nConseil\nen gestion"),
        ("de", "7 leo c\n\nGruß\nTipp"),
        ("de", "7 leo c\n\nViele Grüße\nTipp"),
        ("en", "7 leo c\n\nThanks for the tip\nhint"),
        ("en", "7 leo c\n\nthanks for the\nhint\nof yesterday"),
        ("en", "7 leo c\n\nOn Mon, Ada wrote:\nhint"),
        ("it", "Grazie per il tuo\nsuggerimento\n\n7 leo c"),
    ],
)
def test_the_word_hint_beside_prose_counts_as_prose_if_the_email_has_a_move(locale: str, written: str) -> None:
    assert read(written, locale) == Wishes(move="7 leo c")


@pytest.mark.parametrize(
    "written",
    [
        *("7 leo c\n\nOn Mon, Ada wrote:\n\nhint", "7 leo c\n\nhint", "7 leo c\nhint\nAda", "7 leo c\n\nTipp\nParis"),
        *("Hello!\nhint\n\n7 leo c", "hint\n7 leo c"),
    ],
)
def test_a_hint_of_its_own_is_sent_beside_a_move(written: str) -> None:
    assert read(written, "de") == Wishes(move="7 leo c", hints=True)


@pytest.mark.parametrize("written", ["Hello!\nhint", "Please send a\nhint", "Viele Grüße\nTipp"])
def test_a_hint_alone_is_a_request_or_a_question(written: str) -> None:
    found = read(written, "de")
    assert found == Wishes(hints=True) or found.problem == "in-a-sentence"


@pytest.mark.parametrize(
    ("written", "resumes"),
    [
        *(("resume please, back already", True), ("Resume, thanks - I'm back", True)),
        *(("resume please, but not before Monday", False), ("resume please, when Bea is back", False)),
    ],
)
def test_friendly_words_may_follow_a_command(written: str, resumes: bool) -> None:
    assert read(written, "en").resume is resumes


def test_a_move_is_played_above_a_copy_of_our_email_that_contains_a_hint() -> None:
    ours = ("It's your turn in this game of stars.", "Reply with your move on a line of its own.")
    mail = Mail("ada@example.org", False, ("7 leo c", "", *ours, "", "hint"), None, "", None)
    assert understand(parse(mail, GAMES["sternenhimmel"]), ours) == Wishes(move="7 leo c")


@pytest.mark.parametrize("name", ["Tipp", "Meier"])
def test_an_old_move_below_a_name_is_not_played_again(name: str) -> None:
    lines = ("sag Hallo!", "", "Viele Grüße", "", name, "", "7 leo c")
    mail = Mail("ada@example.org", False, lines, None, "", None)
    found = understand(parse(mail, GAMES["sternenhimmel"], "de"), stood=lambda key: key == "7 leo c")
    assert (found.problem, found.move, found.says) == (None, None, ("Hallo!",))


def test_a_move_is_played_above_an_old_move_and_an_old_hint() -> None:
    mail = Mail(
        "ada@example.org", False, ("5 leo d", "", "Am Montag schrieb ich", "", "7 leo c", "hint"), None, "", None
    )
    found = understand(parse(mail, GAMES["sternenhimmel"], "de"), stood=lambda key: key == "7 leo c")
    assert found == Wishes(move="5 leo d")


def test_a_hint_in_only_one_part_of_an_email_does_not_stop_a_move() -> None:
    text, page = ("7 leo c", "", "Sophie Martin", "", "Conseil"), ("7 leo c", "", "Sophie Martin", "Conseil")
    mail = Mail("ada@example.org", False, text, None, "", None, page)
    found = understand(parse(mail, GAMES["sternenhimmel"], "fr"))
    assert (found.problem, found.move) == (None, "7 leo c")


@pytest.mark.usefixtures("within")
@pytest.mark.parametrize("locale", TRANSLATED)
def test_our_reply_lists_the_commands_as_they_can_be_written(
    office: Office, game_id: UUID, ada: UUID, locale: str
) -> None:
    change_profile(ada, {"locale": locale})
    answer = ada_writes(office, "7 leo")
    *listed, rules, last = re.findall(r"^  (\S[^(\n]*?) \(", answer.text, re.MULTILINE)
    assert len(listed) == 3
    assert (rules, last) == (BY_NAME[RULES].word(locale), BY_NAME[HELP].word(locale))
    for line in listed:
        assert not read(line, locale).problem, line
    known = [written for written, _ in help_lines("sternenhimmel", locale)]
    for line in MEANT:
        command = in_words_of(locale, line).partition(" ")[0]
        named = next((it for it in known if it.partition(" ")[0] == command), None)
        assert command == word_for("confirm", locale) or (named and not read(named, locale).problem), line
    ada_writes(office, f"{word_for('say', locale)} Ciao!")
    assert messages(game_id) == ["Ciao!"]
    asked = ada_writes(office, word_for("resign", locale))
    confirmation = re.search(rf"^  ({word_for('confirm', locale)} \w+)$", asked.text, re.MULTILINE)
    assert confirmation
    ada_writes(office, confirmation[1])
    assert "seat-handed-over" in happened(game_id)


@pytest.mark.parametrize(
    "line",
    ["Stop!", "stopp", "STOPP.", "unsubscribe", "Abmelden", "désabonner"]
    + ["stop please, unsubscribe", "Please unsubscribe me from this list.", "Bitte abmelden", "Melde mich bitte ab"]
    + ["me désabonner, s’il te plaît", "Désabonnez-moi", "cancella l’iscrizione", "Disiscrivimi, grazie"],
)
def test_a_word_that_stops_all_emails_is_understood_in_any_language(line: str) -> None:
    assert stops(line)


@pytest.mark.parametrize("line", ["stop the game", "don't stop", "please", "To unsubscribe, write to x@y.org"])
def test_a_sentence_with_a_word_that_stops_emails_stops_none(line: str) -> None:
    assert not stops(line)
