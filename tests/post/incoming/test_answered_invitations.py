"""Invitations answered by email."""

from collections.abc import Callable
from contextlib import suppress
from html import unescape
from threading import Event
from uuid import UUID

import pytest

from server.accounts.bans import ban
from server.accounts.blocks import block
from server.accounts.players import change_profile, player_at, profile
from server.accounts.signed_links import INVITATION, mark_of, sign
from server.errors import NotFound
from server.games.presentation import introduction
from server.operations.delete_player import delete_player
from server.operations.exports import copy_of_player
from server.play.mail.mail_in import open_reply_address, open_rsvp_address
from server.play.seating.games import open_game
from server.play.seating.hosting import withdraw_invitation
from server.play.seating.lobby import list_games
from server.play.seating.seats import accept_invitation, decline_invitation, invite, take_seat
from server.play.views import describe
from server.post.desk.commands import language_of
from server.post.desk.counter import deal_with_desk
from server.post.desk.rule_texts import rules_in_short
from server.post.incoming import answering as processing
from server.post.incoming.answering import deal_with_mails
from server.post.incoming.invitations import understood
from server.post.incoming.replies import Mail as Read
from server.post.incoming.replies import read
from server.store.tables import Incoming, db
from server.translations import language
from server.worker import RECORDS
from tests.post.incoming.replies.programs import PROGRAMS, Typed, answering
from tests.post.office import Mail, Office, a_mail, arrives
from tests.support.games import BOT, ME, MINUTE, OPEN, everything_due_happens, head_of, later, person, seats_of, wanted

pytestmark = pytest.mark.usefixtures("within")
CYD = "cyd@example.org"


@pytest.fixture
def game_id(ada: UUID) -> UUID:
    """A game of Ada's to which Cyd, a stranger, is invited."""
    return open_game(ada, wanted(ME, {"email": CYD}, OPEN, title="Tuesday stars")).game_id


def is_of_seat(address: str) -> bool:
    with suppress(NotFound):
        return open_rsvp_address(address.partition("@")[0]) is not None
    return False


def cyd_writes(office: Office, text: str, sender: str = CYD, **more: str) -> Mail | None:
    """Reply to Cyd's newest letter that asks for yes or no, and return the answer."""
    before = office.mails("cyd")
    of_seat = [it for it in before if it.message["Reply-To"] and is_of_seat(it.reply_to)]
    arrives(of_seat[-1].reply_to, a_mail(text, sender=sender, **more))
    deal_with_mails()
    return next(
        (it for it in office.mails("cyd")[len(before) :] if it.message["Auto-Submitted"] == "auto-replied"), None
    )


def say(text: str, words: str, **values: str) -> str:
    """The words of our answer in the language of a guest's text, which no account says."""
    return " ".join(language(language_of([text], "")).gettext(words, **values).split())


def sits(game_id: UUID) -> bool:
    return seats_of(game_id)[1].player_id is not None and seats_of(game_id)[1].player_id == player_at(CYD)


def is_kept(game_id: UUID) -> bool:
    return seats_of(game_id)[1].email == CYD


def test_a_forged_yes_takes_no_seat(office: Office, game_id: UUID) -> None:
    forged = {"Authentication-Results": "mx.stars.example; dmarc=fail header.from=example.org"}
    answer = cyd_writes(office, "yes", **forged)
    assert answer and "couldn't verify its sender" in answer.text
    assert is_kept(game_id)
    assert not sits(game_id)
    cyd_writes(office, "yes")
    assert sits(game_id)


def test_an_invitation_explains_how_to_answer(office: Office, game_id: UUID) -> None:
    (letter,) = office.mails("cyd")
    assert letter.text.startswith("##- Reply above this line: yes or no\n\nada invites you to play Sternenhimmel.\n")
    assert "##- Reply above this line: yes or no" in letter.page
    for part in (letter.text, letter.page):
        assert "Or reply with one word on its own line: yes or no." in part
    word = letter.reply_to.partition("@")[0]
    assert len(word) <= 64
    assert open_rsvp_address(word) == open_rsvp_address(word.upper()) == (game_id, 1, mark_of(CYD))
    for other in (open_reply_address, lambda it: open_rsvp_address(sign(INVITATION, *open_rsvp_address(it)))):
        with pytest.raises(NotFound):
            other(word)


@pytest.mark.parametrize(
    "text",
    ["yes", "Yes!", "Yes, gladly.", "Hello Ada!\n\nYes, please.\n\nCyd", "Ja, gern!", "OUI, volontiers", "Sì", "si"]
    + [
        "ok count me in",
        "I'm in!",
        "Sure, I am in!",
        "Sehr gerne!",
        "Avec plaisir !",
        "Well, count me in, thanks",
        "Volentieri",
    ]
    + ["Sure, love to!", "I'd be happy to play.", "the first one", "Gern, das erste bitte!"]
    + ["OK, why not, count me in!\nCora", "Alright then, I'd love to play.", "Okay, klingt gut, ich mache mit."]
    + ["Na gut, überredet, ich bin dabei! Bitte nachts keine Mails.", "Ja\nBitte nachts keine Mails."]
    + ["Na gut, ich probier's! Bis bald, Eva", "OK, I'll give it a try", "Je veux bien essayer", "Probieren wir's mal!"]
    + ["Yes, I'm Bob.\nThanks!", "Ja, ich bin die Ann.\nDanke", "Yes, I'm Ann.\n\nSee you"]
    + ["Yes, I'd love to!", "Yes, thanks. I’m in!", "Ja, ich bin dabei.", "Oui, avec joie !", "Sì, ci sto!"],
)
def test_a_yes_takes_the_seat(office: Office, game_id: UUID, text: str) -> None:
    answer = cyd_writes(office, text)
    assert sits(game_id)
    assert answer is not None
    told = say(text, "You have a seat in \"%(title)s\". We'll email you when it's your turn.", title="Tuesday stars")
    assert told in " ".join(answer.text.split())
    assert "/#/rules/sternenhimmel" in answer.text
    assert "/#/rules/sternenhimmel" in answer.page


def test_the_first_of_several_invitations_is_unclear(office: Office, game_id: UUID, bea: UUID) -> None:
    open_game(bea, wanted(ME, {"email": CYD}, OPEN, title="Friday stars"))
    answer = cyd_writes(office, "the first one")
    assert answer and "You have several invitations." in answer.text
    assert not sits(game_id)
    assert is_kept(game_id)


@pytest.mark.parametrize(
    "text",
    [
        *("ja, gern\nIch heiße Timo", "Yes, gladly!\n\nMy name is Timo."),
        *("Klingt gut, ich bin dabei! Ich heiße Timo.", "I'm in! My name is Timo."),
    ],
)
def test_a_guest_who_says_their_name_gets_it(office: Office, game_id: UUID, text: str) -> None:
    cyd_writes(office, text)
    cyd = player_at(CYD)
    assert cyd and sits(game_id)
    assert (profile(cyd)["name"], profile(cyd)["named"]) == ("Timo", True)


def test_a_player_who_said_yes_by_email_can_ask_in_words_at_the_table(office: Office, ada: UUID) -> None:
    open_game(ada, wanted(ME, {"email": CYD}, BOT, options={"start_seat": 1}))
    assert cyd_writes(office, "yes") is not None
    later(MINUTE)
    turn = office.mails("cyd")[-1]
    arrives(turn.reply_to, a_mail("How am I doing?", sender=CYD))
    deal_with_mails()
    assert "The scores so far" in office.mails("cyd")[-1].text


def test_the_email_about_the_turn_is_sent_after_the_reply_to_a_yes(
    office: Office, ada: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_game(ada, wanted(ME, {"email": CYD}, BOT, options={"start_seat": 1}))
    invitation = office.mails("cyd")[-1]
    arrives(invitation.reply_to, a_mail("yes", sender=CYD))
    sending, sent_beside, before_the_reply = [0], Event(), []
    send, finish = office.send, processing._finish

    def emails_are_faster(*args: object, **more: object) -> None:
        before_the_reply.extend(office.mails("cyd")[1:])
        finish(*args, **more)

    def sends_slowly(message: bytes, sender: str, to: str, confirm: Callable[[], None]) -> None:
        if to == CYD:
            sending[0] += 1
            if sending[0] > 1:
                sent_beside.set()
            sent_beside.wait(0.5)
        send(message, sender, to, confirm)
        sending[0] -= to == CYD

    monkeypatch.setattr(office, "send", sends_slowly)
    monkeypatch.setattr(processing, "_finish", emails_are_faster)
    deal_with_mails()
    assert before_the_reply == []
    later(MINUTE)
    (turn,) = office.mails("cyd")[1:]
    assert turn.subject == "Your turn: Sternenhimmel"
    assert turn.message["Auto-Submitted"] == "auto-replied"
    assert "You have a seat, and the game has begun. The others see you as " in " ".join(turn.text.split())
    assert not sent_beside.is_set()


def test_the_reply_to_a_yes_says_how_to_change_the_name_and_to_get_the_rules(office: Office, game_id: UUID) -> None:
    answer = cyd_writes(office, "yes", From=f"Cyd Charisse <{CYD}>")
    assert answer is not None
    cyd = player_at(CYD)
    assert cyd is not None
    assert profile(cyd)["name"] == "Cyd"
    for part in (answer.text, unescape(answer.page)):
        assert 'The others see you as Cyd. Reply "name Ada" to change it.' in part
        assert 'Or reply "rules sternenhimmel"' in part
    assert "##- Reply above this line: a command" in answer.text

    def desk_says(text: str, **more: str) -> str:
        before = len(office.mails("cyd"))
        arrives(answer.reply_to, a_mail(text, **({"sender": CYD} | more)))
        deal_with_desk(RECORDS)
        return " ".join(it.text for it in office.mails("cyd")[before:])

    assert "name Eve" not in desk_says("name Eve", sender="eve@example.org")
    assert profile(cyd)["name"] == "Cyd"
    assert "Your name is now Cy." in desk_says("name Cy")
    assert profile(cyd)["name"] == "Cy"
    assert "HOW TO WRITE A MOVE" in desk_says("rules sternenhimmel")


@pytest.mark.parametrize(
    ("private", "sender", "name"),
    [
        (True, "jonas.w@example.org", "Jonas W"),
        (False, "jonas.w@example.org", "Jonas"),
        (True, "Joe Winter <jonas.w@example.org>", "Joe"),
    ],
)
def test_a_new_player_is_named_after_their_email_or_address(
    office: Office, ada: UUID, private: bool, sender: str, name: str
) -> None:
    open_game(ada, wanted(ME, {"email": "jonas.w@example.org"}, OPEN, private=private))
    [invitation] = office.mails("jonas.w")
    arrives(invitation.reply_to, a_mail("yes", sender="jonas.w@example.org", From=sender))
    deal_with_mails()
    jonas = player_at("jonas.w@example.org")
    assert jonas and profile(jonas)["name"] == name


def test_the_reply_to_a_yes_of_a_player_with_a_name_offers_no_other(office: Office, ada: UUID) -> None:
    change_profile(person("cyd"), {"name": "Cyd"})
    open_game(ada, wanted(ME, {"email": CYD}, OPEN, options={"edition": "sargon-it"}))
    answer = cyd_writes(office, "yes")
    assert answer is not None
    assert "You have a seat" in answer.text and "The others see you as" not in answer.text
    assert 'reply "rules sternenhimmel Sargon"' in answer.text


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "No, sorry Ada, I'm too busy until Christmas.\n\nLove, Cyd",
            "“No, sorry Ada, I'm too busy until Christmas.\nLove, Cyd”",
        ),
        ("No thanks, sorry\n\nSent from my iPhone", ""),
        ("Nein, leider keine Zeit.\n\nCyd\nVon meinem iPhone gesendet", "“Nein, leider keine Zeit.\nCyd”"),
        ("No\n\nEnvoyé de mon iPhone", ""),
        ("No, thanks.\n\nBuy at www.watches.example", ""),
        ("No", ""),
    ],
)
def test_the_host_reads_the_words_of_a_player_who_declines(
    office: Office, game_id: UUID, ada: UUID, said: str, told: str
) -> None:
    cyd_writes(office, said)
    everything_due_happens()
    letter = office.mails("ada")[-1].text
    assert "cyd@example.org has declined your invitation." in letter
    assert told in letter and "watches" not in letter and ("“" in letter) == bool(told)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("No thanks, please ask bob@example.net instead", "No thanks, please ask bob@ example. net instead"),
        ("Nein danke, frag doch bitte bob@example.net", "Nein danke, frag doch bitte bob@ example. net"),
        ("Non merci, demande plutôt à bob@example.net", "Non merci, demande plutôt à bob@ example. net"),
        ("No grazie, chiedi a bob@example.net", "No grazie, chiedi a bob@ example. net"),
        ("No\n\nPlease ask bob@example.net instead", "Please ask bob@ example. net instead"),
    ],
)
def test_a_no_may_name_another_person_for_the_host(office: Office, game_id: UUID, words: str, told: str) -> None:
    answer = cyd_writes(office, words)
    said = say(words, "Only the host can invite others. We've passed on your words.")
    assert answer and said in " ".join(answer.text.split())
    assert not is_kept(game_id)
    everything_due_happens()
    assert told in " ".join(office.mails("ada")[-1].text.split())


@pytest.mark.parametrize(
    "words",
    [
        "Please ask bob@example.net instead",
        "Bitte frag bob@example.net",
        "Demande plutôt à bob@example.net, s'il te plaît",
        "Chiedi a bob@example.net, per favore",
    ],
)
def test_a_person_who_names_another_learns_that_only_the_host_invites(
    office: Office, game_id: UUID, words: str
) -> None:
    answer = cyd_writes(office, words)
    said = 'Only the host can invite others. If you reply "no" above this sentence, we\'ll pass on your words.'
    assert answer and say(words, said) in " ".join(answer.text.split())
    assert is_kept(game_id)
    cyd_writes(office, "No")
    answer = cyd_writes(office, words)
    said = say(words, "Only the host can invite others. Please write to them yourself.")
    assert answer and said in " ".join(answer.text.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("Gern, aber erst am Montag", 'Your seat stays reserved. Reply "yes" as soon as you can play.'),
        ("I'd love to, but not before Monday\n\nSent from my iPhone", 'Reply "yes" as soon as you can play.'),
        ("Volentieri, ma da lunedì", 'Your seat stays reserved. Reply "yes" as soon as you can play.'),
        ("Maybe", 'Your seat stays reserved. Reply "yes" or "no" when you know.'),
        ("Yes please, but I'm a beginner", 'To take your seat, reply just "yes".'),
        ("Hm, I don't think so", 'To decline, reply just "no".'),
        ("ask Fred instead", "Only the host can invite others."),
        ("Frag lieber Fred", "Only the host can invite others."),
        ("Mon frère aimerait jouer, demande-lui plutôt", "Only the host can invite others."),
    ],
)
def test_an_answer_in_other_words_moves_nothing_and_learns_what_to_reply(
    office: Office, game_id: UUID, words: str, said: str
) -> None:
    answer = cyd_writes(office, words)
    assert answer and is_kept(game_id) and not sits(game_id)
    known = {
        'Reply "yes" as soon as you can play.': 'Your seat stays reserved. Reply "yes" as soon as you can play.',
        "Only the host can invite others.": 'Only the host can invite others. If you reply "no" above this sentence, we\'ll pass on your words.',
    }
    assert say(words, known.get(said, said)) in " ".join(answer.text.split())


@pytest.mark.parametrize(("words", "is_yes"), [("yep", True), ("Jup, gern!", True), ("nope", False), ("Nö", False)])
def test_short_words_of_everyday_are_a_clear_answer(office: Office, game_id: UUID, words: str, is_yes: bool) -> None:
    cyd_writes(office, words)
    assert sits(game_id) is is_yes and not is_kept(game_id)


@pytest.mark.parametrize("blocks", [True, False])
def test_the_host_reads_no_words_of_a_blocked_player(office: Office, ada: UUID, blocks: bool) -> None:
    cyd = person("cyd")
    open_game(ada, wanted(ME, {"email": CYD}, OPEN))
    office.mails("cyd")
    if blocks:
        block(ada, cyd)
    cyd_writes(office, "No, sorry Ada, I'm too busy until Christmas.")
    everything_due_happens()
    assert ("Christmas" in office.mails("ada")[-1].text) is not blocks


def test_the_host_is_told_who_declined(office: Office, game_id: UUID) -> None:
    cyd_writes(office, "No, sorry, not this time.")
    everything_due_happens()
    told = office.mails("ada")[-1]
    assert told.subject == "Invitation declined: Tuesday stars"
    assert "cyd@example.org has declined your invitation." in told.text
    assert "You can invite someone else here: " in told.text and "Keep it open" not in told.text
    assert 'To invite someone, you can also reply "invite name@example.org 1".' in told.text
    arrives(told.reply_to, a_mail("invite eve@example.org"))
    deal_with_desk(RECORDS)
    told_again = " ".join(office.mails("ada")[-1].text.split())
    assert "We've invited eve@example.org to game 1 “Tuesday stars” (Sternenhimmel)." in told_again


def test_a_host_does_not_learn_the_address_of_someone_elses_guest(office: Office, ada: UUID, bea: UUID) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, OPEN)).game_id
    take_seat(game_id, bea)
    invite(game_id, bea, CYD)
    cyd_writes(office, "no")
    everything_due_happens()
    told = office.mails("ada")[-1].text
    assert "An invited player has declined." in told and "cyd" not in told.lower()


def test_only_the_inviting_player_reads_a_name_from_an_address(office: Office, ada: UUID, bea: UUID) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, {"email": CYD})).game_id
    take_seat(game_id, bea)
    cyd_writes(office, "no")

    def names(who: UUID) -> list[str | None]:
        [item] = list_games(who, mine=True).items
        game = head_of(game_id)
        told = describe(game, game.seat_of(who), player_id=who)
        return [it["seats"][2]["declined_by"] for it in (item, told)]

    assert (names(ada), names(bea)) == (["Cyd", "Cyd"], [None, None])
    assert describe(head_of(game_id), 1, player_id=bea)["seats"][2]["declined"]


def test_players_at_the_table_read_who_declined_and_the_host_hears_of_a_change_of_mind(
    office: Office, game_id: UUID, ada: UUID
) -> None:
    cyd_writes(office, "No, sorry, not this time.")
    [item] = list_games(ada, mine=True).items
    assert item["seats"][1]["declined_by"] == "Cyd"
    seat = [describe(head_of(game_id), viewer, player_id=who)["seats"][1] for viewer, who in ((0, ada), (None, None))]
    assert [it["declined_by"] for it in seat] == ["Cyd", None]
    everything_due_happens()
    arrives(office.mails("ada")[-1].reply_to, a_mail("games"))
    deal_with_desk(RECORDS)
    assert "not started, seats free: 2. Declined: Cyd." in " ".join(office.mails("ada")[-1].text.split())
    declined = office.mails("cyd")[-1]
    assert 'If you change your mind, reply "yes" while the seat is free.' in declined.text
    assert is_of_seat(declined.reply_to)
    answer = cyd_writes(office, "Yes, I can play after all")
    assert answer is not None and "You have a seat" in answer.text
    everything_due_happens()
    told = office.mails("ada")[-1]
    assert told.subject == "Invitation accepted: Tuesday stars"
    assert "Cyd (cyd@example.org) comes after all." in told.text
    assert "Invite another player at the table: " in told.text


def test_the_host_hears_of_an_acceptance_that_does_not_start_the_game(office: Office, ada: UUID) -> None:
    guests = [{"email": it} for it in (CYD, "dan@example.org")]
    open_game(ada, wanted(ME, *guests, BOT, title="Wednesday stars"))
    cyd_writes(office, "yes")
    everything_due_happens()
    told = office.mails("ada")[-1]
    assert told.subject == "Invitation accepted: Wednesday stars"
    assert "Cyd (cyd@example.org) has accepted the invitation." in told.text
    assert '"Wednesday stars" still needs one player.' in told.text
    assert "invite someone" not in told.text  # no seat is free
    arrives(office.mails("dan")[-1].reply_to, a_mail("yes", sender="dan@example.org"))
    deal_with_mails()
    everything_due_happens()
    assert [it.subject for it in office.mails("ada") if "accepted" in it.subject] == [told.subject]


@pytest.mark.parametrize(
    ("text", "seated"),
    [
        ("yes, on second thoughts!", True),
        ("On second thoughts, yes please!", True),
        ("Yes, I've changed my mind.", True),
        ("Ja, ich habe es mir anders überlegt", True),
        ("Oui, j'ai changé d'avis !", True),
        ("Sì, ho cambiato idea", True),
        ("Can I still join?", False),
        ("Perhaps I have time now", False),
    ],
)
def test_an_answer_after_a_no_is_taken_while_the_seat_is_free(
    office: Office, game_id: UUID, text: str, seated: bool
) -> None:
    cyd_writes(office, "no")
    answer = cyd_writes(office, text)
    assert answer is not None
    assert "no longer reserved" not in answer.text
    assert sits(game_id) is seated
    assert ("reply with the word yes" in answer.text) is not seated
    cyd_writes(office, "yes")
    assert sits(game_id)


@pytest.mark.parametrize("hidden", ["deleted", "blocked", "nameless"])
def test_the_name_of_a_person_who_declined_is_hidden_or_forgotten(office: Office, ada: UUID, hidden: str) -> None:
    cyd, options = person("cyd"), {"start_seat": 0, "nameless": hidden == "nameless"}
    game_id = open_game(ada, wanted(ME, {"email": CYD}, OPEN, options=options)).game_id
    office.mails("cyd")
    if hidden == "blocked":
        block(cyd, ada)
    cyd_writes(office, "no")
    assert (seats_of(game_id)[1].declined_name == "Cyd") is (hidden == "deleted")
    if hidden == "deleted":
        delete_player(cyd)
        db.session.rollback()
        assert (seats_of(game_id)[1].declined_name, seats_of(game_id)[1].declined_mark) == (None, None)


def test_a_person_who_is_sure_about_a_no_gets_no_seat(office: Office, game_id: UUID) -> None:
    cyd_writes(office, "Sorry, too much on at the moment")
    answer = cyd_writes(office, "yes I'm sure")
    assert answer is not None and "is now free for others" in " ".join(answer.text.split())
    assert not sits(game_id)


def test_a_yes_after_a_no_comes_too_late_if_another_player_declined_the_seat_since(
    office: Office, game_id: UUID, ada: UUID
) -> None:
    cyd_writes(office, "no")
    invite(game_id, ada, "dan@example.org", 1)
    office.mails("dan")
    decline_invitation(sign(INVITATION, game_id, 1, mark_of("dan@example.org")))
    answer = cyd_writes(office, "yes")
    assert answer is not None and "no longer reserved for you" in answer.text


@pytest.mark.parametrize(
    "text",
    ["no", "No, thanks.", "Nein danke!", "Non merci", "No, grazie", "No, sorry, not this time."]
    + [
        "Sorry, no time this month. Maybe next year!",
        "Sorry, no time at the moment. Maybe another time!",
        "Ich habe im Moment leider keine Zeit. Vielleicht ein andermal!",
        "Désolé, je n'ai pas le temps en ce moment. Peut-être une autre fois !",
        "Mi dispiace, al momento non ho tempo, forse un'altra volta",
        "I'm too busy, sorry",
        "Leider keine Zeit.",
        *("Sorry, too much on at the moment", "Sorry, no time at the moment.", "Leider keine Zeit gerade"),
        *("Une autre fois", "stavolta no", "Désolée, trop de travail en ce moment", "Purtroppo ho troppo da fare"),
        *("I'll pass, thanks", "Maybe another time.", "Ein andermal!", "Count me out", "Ohne mich, danke"),
        "Je n'ai pas le temps",
        *(
            "Thanks but no thanks",
            "I can't, sorry.",
            "Sorry, I would rather not, too busy",
            "I'd rather not play, thanks",
        ),
        *(
            "Ich möchte lieber nicht mitspielen, danke.",
            "Leider nein, ich habe gerade keine Zeit.",
            "Lieber nicht, danke",
        ),
        "Ach nee, das ist mir gerade zu viel, vielleicht ein andermal.",
        *(f"{it}\n\nSent from my iPhone" for it in ("Not this time, thanks.", "I can't, sorry.", "Count me out")),
        *("Ich kann leider nicht.\n\nVon meinem iPhone gesendet", "Keine Lust, danke\n\nSent from Outlook for Android"),
    ],
)
def test_a_no_frees_the_seat_and_creates_no_account(office: Office, game_id: UUID, text: str) -> None:
    answer = cyd_writes(office, text)
    assert (seats_of(game_id)[1].kind, seats_of(game_id)[1].email) == ("open", None)
    assert describe(head_of(game_id), 0)["seats"][1]["declined"]  # which its host is to know
    assert player_at(CYD) is None
    assert answer is not None
    words = 'Your seat in "%(title)s" is now free for others. Thanks for letting us know.'
    assert say(text, words, title="Tuesday stars") in " ".join(answer.text.split())


@pytest.mark.parametrize(
    "text",
    ["", "maybe", "Yes, but not before Sunday", "yes\n\nno", "yes?", "No problem, I play", "yes\nsay Hello!", "> yes"]
    + [
        "I'm busy right now",
        "Yes, I'm sure",
        "Too much on at the moment",
        "Sorry, I can't play today, ask me tomorrow",
        "count me in if Ben plays",
    ]
    + [
        "I'd love to!\n\nUnfortunately I have no time.",
        "Sehr gerne\n\nLeider habe ich diese Woche keine Zeit",
        "Gerne!\n\nAber erst nächste Woche.",
    ]
    + [
        "I can't join, the link is broken.",
        "I can't play before Friday",
        "I'm busy until Monday. Then I play",
        "Non posso aspettare!",
    ]
    + ["No time like the present!", "I can't.\n\nGern\nTom"],
)
def test_an_unclear_reply_does_nothing_and_the_player_can_reply_again(office: Office, game_id: UUID, text: str) -> None:
    asked = cyd_writes(office, text)
    assert asked is not None
    told = " ".join(asked.text.split())
    assert say(text, "Your email contains no clear yes or no, so nothing was done.") in told
    assert text.startswith(">") or " ".join(text.split()) in told
    assert is_kept(game_id)
    cyd_writes(office, "yes")
    assert sits(game_id)


@pytest.mark.parametrize(
    "greeting",
    [
        "yes",
        "yes " + "x" * 80 + " yes",
        "Come on, it will be fun. " * 2 + "x" * 18 + " yes",
        "Hi!\nyes\nno\nyes",
        "yes\nyes",
    ],
)
def test_a_hosts_line_is_not_read_as_the_reply_when_it_is_quoted(office: Office, ada: UUID, greeting: str) -> None:
    guest = {"email": CYD, "greeting": greeting}
    game_id = open_game(ada, wanted(ME, guest, OPEN)).game_id
    text = office.mails("cyd")[0].text
    for quoted in (text, text.partition("\n\n")[2]):  # with our first line, and without it
        cyd_writes(office, f"Let me think about it.\n\n{quoted}")
        cyd_writes(office, quoted)
        assert is_kept(game_id)
        assert not sits(game_id)


@pytest.mark.parametrize("words", ["yes", "no"])
def test_a_repeated_reply_takes_effect_once(office: Office, game_id: UUID, words: str) -> None:
    reply_to = office.mails("cyd")[-1].reply_to
    raw = a_mail(words, sender=CYD)
    for mail in (raw, raw, a_mail(words, sender=CYD)):
        arrives(reply_to, mail)
    deal_with_mails()
    told = [it.text.splitlines()[0] for it in office.mails("cyd") if it.message["Auto-Submitted"] == "auto-replied"]
    assert len(told) == 2
    assert len(set(told)) == 1
    assert sits(game_id) == (words == "yes")


def test_a_yes_after_accepting_on_the_page_is_confirmed_by_email(office: Office, game_id: UUID) -> None:
    office.delivers()
    accept_invitation(sign(INVITATION, game_id, 1, mark_of(CYD)))
    answer = cyd_writes(office, "yes")
    assert answer is not None
    assert "You have a seat" in answer.text
    left = cyd_writes(office, "no", Subject="again")
    assert left is not None
    assert "You've already taken this seat. To leave it, open the game." in left.text
    assert sits(game_id)


def test_a_reply_from_another_address_does_nothing(office: Office, game_id: UUID) -> None:
    asked = cyd_writes(office, "yes", sender="cyd@work.example")
    assert office.mails_to("cyd@work.example") == []
    assert asked is not None
    assert "came from a different address" in asked.text
    assert is_kept(game_id)
    cyd_writes(office, "yes")
    assert sits(game_id)


def test_a_reply_to_a_withdrawn_invitation_does_not_take_the_seat_from_the_next_invited_player(
    office: Office, ada: UUID, game_id: UUID
) -> None:
    office.delivers()
    withdraw_invitation(game_id, ada, 1)
    invite(game_id, ada, "dan@example.org", 1)
    for words in ("yes", "perhaps", "rules"):
        answer = cyd_writes(office, words)
        assert answer is not None
        assert "Sorry, this seat is no longer reserved for you." in answer.text
        assert "/#/lobby?rules=sternenhimmel" in answer.text
        assert "/#/lobby?rules=sternenhimmel" in answer.page
        assert "To take the seat" not in answer.text
    assert seats_of(game_id)[1].email == "dan@example.org"
    cyd_writes(office, "no")
    assert seats_of(game_id)[1].email == "dan@example.org"


def test_the_next_invited_player_does_not_learn_of_an_earlier_reply(office: Office, ada: UUID, game_id: UUID) -> None:
    cyd_writes(office, "No, thanks.")
    invite(game_id, ada, "dan@example.org", 1)
    dan = accept_invitation(sign(INVITATION, game_id, 1, mark_of("dan@example.org"))).seats[1].player_id
    assert copy_of_player(dan)["mails"] == []


def test_accepted_invitations_are_part_of_the_players_export(office: Office, game_id: UUID) -> None:
    cyd_writes(office, "Yes, please.")
    cyd = player_at(CYD)
    assert cyd is not None
    assert ["Yes, please." in it["text"] for it in copy_of_player(cyd)["mails"]] == [True]


def test_our_replies_to_a_deleted_player_are_deleted(office: Office, ada: UUID, game_id: UUID) -> None:
    cyd = person("cyd")
    cyd_writes(office, "No, thanks.")
    delete_player(cyd)
    assert db.session.scalars(db.select(Incoming)).all() == []


def test_accepting_the_last_seat_starts_the_game(office: Office, ada: UUID) -> None:
    game_id = open_game(ada, wanted(ME, {"email": CYD}, BOT)).game_id
    answer = cyd_writes(office, "yes")
    assert answer is not None
    assert "You have a seat" in answer.text
    assert head_of(game_id).table.status == "running"


@pytest.mark.parametrize(
    "headers", [{"Auto-Submitted": "auto-replied"}, {"Subject": "Automatic reply: away"}, {"X-Loop": "sternenpost"}]
)
def test_automatic_replies_do_nothing_and_are_not_replied_to(
    office: Office, game_id: UUID, headers: dict[str, str]
) -> None:
    assert cyd_writes(office, "yes", **headers) is None
    assert is_kept(game_id)


def test_a_banned_players_reply_does_nothing(office: Office, game_id: UUID) -> None:
    office.delivers()
    ban(person("cyd"), None, "spam")
    assert cyd_writes(office, "yes") is None
    assert is_kept(game_id)


def test_our_reply_is_in_the_invited_persons_language_or_if_unknown_in_the_hosts(office: Office, ada: UUID) -> None:
    change_profile(ada, {"locale": "de"})
    open_game(ada, wanted(ME, {"email": CYD}, OPEN))
    assert "Antworte über dieser Zeile: ja oder nein" in office.mails("cyd")[-1].text
    answer = cyd_writes(office, "vielleicht")
    assert answer is not None
    assert "kein klares Ja oder Nein" in answer.text


def test_a_reply_to_an_invitation_is_understood_from_every_mail_program(office: Office, game_id: UUID) -> None:
    (letter,) = office.mails("cyd")
    answered = answering(letter.message)
    for name, program in PROGRAMS.items():
        for typed, meant in (("yes", "yes"), ("No, thanks.", "no"), ("", None)):
            raw = program.write(Typed(typed, "en", program.places[0], letter.text, answered=answered))
            assert understood(read(raw), "en") == meant, (name, typed)


def test_yes_is_recognized_with_decomposed_accents(office: Office) -> None:
    assert understood(Read(CYD, False, ("si\u0300",), None, "", None), "en") == "yes"


@pytest.mark.parametrize(
    ("text", "locale", "meant"),
    [
        ("Yes\n\nI'd love to play. When do we start?", "en", "yes"),
        ("Yes, gladly!\n\nI'll wait for your first move.", "en", "yes"),
        ("Yes\n\nI'll play my first move tomorrow.", "en", "yes"),
        ("No, thanks\n\nMaybe another time.\nWhen do you start the next one?", "en", "no"),
        ("Ja, gerne!\n\nWann geht es los?", "de", "yes"),
        ("Oui, avec plaisir !\n\nOn verra bien qui gagne !", "fr", "yes"),
        ("S\u00ec, volentieri!\n\nGioco la prima mossa stasera.", "it", "yes"),
        ("Yes\n\nNo, I changed my mind.", "en", None),
        ("Ja\n\nNein, doch nicht.", "de", None),
        ("Yes?", "en", None),
    ],
)
def test_a_yes_or_no_counts_even_next_to_a_question(text: str, locale: str, meant: str | None) -> None:
    assert understood(read(a_mail(f"{text}\n\nCyd", sender=CYD)), locale) == meant


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("yes, gladly! how long does this take?", "yes"),
        ("Ok, yes please! Looking forward to it\n\nTom", "yes"),
        ("Oh cool, ja gerne!", "yes"),
        ("Hi Ada,\n\nSure, I am in!\n\nCy", "yes"),
        ("Great, I'm in! When do we start?\nCy", "yes"),
        ("Super, ich bin dabei! Wann geht es los?", "yes"),
        ("Chouette, j'en suis !\n\nCy", "yes"),
        ("Perfetto, ci sto! Quando si comincia?", "yes"),
        ("Sure!", "yes"),
        ("Of course, thanks!", "yes"),
        ("Ja klar!", "yes"),
        ("Bien sûr !", "yes"),
        ("Certo!", "yes"),
        ("I'm in, but only next week", None),
        ("Sure, what is this about?", None),
        ("Sure, not now", None),
        ("Hallo Mira,\n\nleider nein, keine Zeit gerade.\n\nLea", "no"),
        ("Désolé, non merci.", "no"),
        ("Purtroppo no, non ho tempo", "no"),
        ("Ok", "yes"),
        ("Sure, why not", "yes"),
        ("Klar, gerne! Ich bin dabei.", "yes"),
        ("Klar, warum nicht?", "yes"),
        ("Bien sûr, pourquoi pas\u202f!", "yes"),
        ("Certo, perché no!", "yes"),
        ("Sorry, too long for me. No thanks.", "no"),
        ("Sorry, I have no time. No thanks.", "no"),
        ("No, ask me again in January.", "no"),
        ("Unfortunately I can't.", "no"),
        ("Leider kann ich nicht.", "no"),
        ("Tut mir leid, mir zu lang. Nein danke.", "no"),
        ("Désolé, trop long pour moi. Non merci.", "no"),
        ("Purtroppo non posso.", "no"),
        ("No, richiedimelo a gennaio.", "no"),
        ("Too long for me?", None),
        ("Ok, but not before Friday", None),
        ("Unfortunately I can't open the link.", None),
        ("Yes, but can I start next week?", None),
        ("Ja, aber geht auch Montag?", None),
        ("Sorry, yes is not possible for me.", None),
        ("Ok, yes, but only next week.", None),
        ("Hello Ada!\n\nYes, I'd love to! How does this game work?", "yes"),
        ("Hi Ada, yes! When do we start?", "yes"),
        ("Yes please, I have never played this before.", "yes"),
        ("Yes, why not! I don't know the rules, where can I read them?", "yes"),
        (
            "Yes! " + "I'm looking forward to this, and I hope that it isn't too hard for\na beginner like me. Is it?",
            "yes",
        ),
        ("Ja gerne, wie lange dauert so eine Partie?", "yes"),
        ("Ja, ich kenne das Spiel noch nicht. Wie geht es?", "yes"),
        ("Oui, avec plaisir ! Combien de temps dure une partie ?", "yes"),
        ("S\u00ec, volentieri! Quanto dura?", "yes"),
        ("Si, grazie! Come si gioca?", "yes"),
        ("No thanks, maybe next time.", "no"),
        ("No, sorry. I don't have time at the moment.", "no"),
        ("Nein, leider keine Zeit im Dezember.", "no"),
        ("Non merci, bonne partie !", "no"),
        ("No, grazie. Divertitevi!", "no"),
        ("yes but not now", None),
        ("Yes, if Bob plays too", None),
        ("Yes, later", None),
        ("Yes, or perhaps next week", None),
        ("Yes or no?", None),
        ("Yes, maybe.", None),
        ("Yes, wait, no", None),
        ("Ja, aber erst im Januar", None),
        ("Ja, wenn es nicht lange dauert", None),
        ("Oui, mais pas maintenant", None),
        ("Si tu veux", None),
        ("Si possible demain", None),
        ("S\u00ec, ma solo domenica", None),
        ("yesterday I saw this, what is it?", None),
        ("no idea, what is this?", None),
        ("No problem!", None),
        ("No worries, I'm in", None),
        ("No, wait", None),
        ("No thanks needed, I'm in", None),
        ("No, sorry, I meant yes", None),
        ("Non vedo l'ora!", None),
        ("Non, pas de souci", None),
        ("Kein Problem, ja", None),
        ("I think so.\nYes, gladly! How long does it take?", None),
    ],
)
def test_a_first_line_that_begins_with_yes_or_no_is_an_answer(text: str, meant: str | None) -> None:
    for locale in ("en", "de", "fr", "it"):
        assert understood(read(a_mail(text, sender=CYD)), locale) == meant, locale


def test_a_question_beside_a_yes_gets_the_facts_of_the_game(office: Office, game_id: UUID) -> None:
    answer = cyd_writes(office, "yes, gladly! how long does this take?")
    assert sits(game_id)
    assert answer is not None
    for part in (answer.text, unescape(answer.page)):
        assert "Duration: about" in part
        assert "Pace:" in part
    assert "/#/rules/sternenhimmel" in answer.text


def test_a_yes_without_a_question_gets_no_facts(office: Office, game_id: UUID) -> None:
    answer = cyd_writes(office, "yes, gladly!")
    assert answer is not None
    assert "Duration" not in answer.text


@pytest.mark.parametrize("text", ["what is this?", "What is this about", "Was ist das?", "C'est quoi ?", "Cos'\u00e8?"])
def test_a_guest_who_asks_what_the_game_is_gets_two_sentences(office: Office, game_id: UUID, text: str) -> None:
    answer = cyd_writes(office, text)
    assert answer is not None
    told = " ".join(answer.text.split())
    assert " ".join(introduction("sternenhimmel", language_of([text], ""))[0].split()) in told
    assert say(text, "Pace: %(pace)s", pace="") in told
    assert len(answer.text.splitlines()) < 30


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Muss ich mich jetzt gleich entscheiden?", "sobald du dich entschieden hast"),
        ("Do I have to be online at the same time as you?", "You needn't be online together."),
        ("How long does this take?", "Duration: about"),
        ("Does it cost anything?", "This server takes no payments."),
        ("What is this? And what does it cost?", "Light up the constellations"),
        ("Can I play in my browser?", "You need no app"),
        ("Is there an app?", "You need no app"),
        ("When does it start?", "The game starts when all seats are taken."),
        ("Can I leave later?", 'reply "resign"'),
        ("Wann geht es los?", "Die Partie beginnt, wenn alle Plätze besetzt sind."),
        ("Gibt es eine App?", "Du brauchst keine App"),
        ("Wie oft muss ich ziehen?", "Bedenkzeit: 2 Tage pro Zug"),
        ("Wie viele Spieler sind dabei?", "Am Tisch: ada"),
        ("Kann ich später wieder aussteigen?", "antworte „aufgeben“"),
        ("Wie oft bekomme ich Mails?", "antworte „setze mails gebündelt“"),
        ("Was macht ein Doppelstern?", "Verschluckte Doppelsterne wirken nicht mehr."),
        ("Wie lange dauert das?\nUnd was kostet es?", "Dauer: etwa"),
        ("Wie lange dauert das?\nUnd was kostet es?", "Dieser Server nimmt kein Geld."),
        ("Who else is playing?", "At the table: ada"),
        ("Mit wem spiele ich da?", "Am Tisch: ada"),
        ("What is a scoring?", "We can't answer this ourselves"),
        ("Is your mother well?", "“Is your mother well?” – We can't answer this ourselves"),
    ],
)
def test_a_guests_question_gets_a_short_answer_and_the_way_to_accept(
    office: Office, game_id: UUID, text: str, answer: str
) -> None:
    letter = cyd_writes(office, text)
    assert letter is not None
    assert is_kept(game_id)
    for part in (letter.text, unescape(letter.page)):
        assert answer in " ".join(part.split())
        assert "reply with the word yes" in part or "Willst du den Platz?" in part
        assert "has invited you to play" not in part
        assert "nothing was done" not in part
    assert letter.subject.endswith(": Tuesday stars")
    cyd_writes(office, "yes")
    assert sits(game_id)


@pytest.mark.parametrize(
    "text",
    ["How do I play?", "Hi Ada!\n\nHow does this work?", "Wie spielt man das?", "Comment on joue ?", "Come si gioca?"],
)
def test_a_guest_who_asks_how_to_play_gets_the_game_in_three_minutes(office: Office, game_id: UUID, text: str) -> None:
    answer = cyd_writes(office, text)
    assert answer is not None
    locale = language_of([text], "")
    told = " ".join(answer.text.split())
    assert all(" ".join(it.split()) in told for it in rules_in_short("sternenhimmel", locale, 3, {}))
    assert len(answer.text.splitlines()) < 40
    assert is_kept(game_id)


@pytest.mark.parametrize("text", ["rules", "Rules please", "help", "Explain the rules", "rules sternenhimmel"])
def test_a_question_about_the_game_gets_its_rules_and_the_invited_player_can_still_accept(
    office: Office, game_id: UUID, text: str
) -> None:
    answer = cyd_writes(office, text)
    assert answer is not None
    assert answer.subject == "The rules: Tuesday stars"
    assert is_kept(game_id)
    for part in (answer.text, unescape(answer.page)):
        assert 'Here are the rules of "Tuesday stars".' in part
        assert "how to write a move" in part.lower()
        assert "To take the seat, reply with the word yes on its own line." in part
        assert "no clear yes or no" not in part
    cyd_writes(office, "yes")
    assert sits(game_id)
