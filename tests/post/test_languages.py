"""Every letter is entirely in its reader's language."""

from collections.abc import Iterator
from dataclasses import fields, replace
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import select

from server.accounts.deliveries import deliveries
from server.accounts.players import change_profile
from server.accounts.sign_in import begin_sign_in
from server.clock import clock
from server.play.seating.games import open_game
from server.post import wording
from server.post.desk.rule_texts import Blocks
from server.post.desk.wishes import Offer
from server.post.incoming.answering import deal_with_mails
from server.post.incoming.intake import take_in
from server.post.letters import account, answers, desk, seats, several, turns
from server.post.letters.chat import Chat
from server.store.tables import PlayerLetterRow, db
from server.translations.update import TRANSLATED
from tests.post.office import Mail, Office
from tests.post.reader import composed
from tests.support import games

DOMAIN = "stars.example"


pytestmark = pytest.mark.usefixtures("within")


@pytest.fixture
def office(app: Flask) -> Office:
    return Office(app, DOMAIN)


def who_reads(name: str, locale: str) -> UUID:
    """The player of this name, who has chosen this language."""
    player_id = games.person(name)
    change_profile(player_id, {"locale": locale})
    return player_id


def is_english(mail: Mail) -> bool:
    pages = [mail.page] if mail.message.get_body(("html",)) else []
    page = pages[0].partition("<body>")[2] if pages else ""
    return any(games.ENGLISH.search(words) for words in (mail.subject, mail.text, page))


# Each kind by itself


def of_kind(kind: type[Any]) -> Any:
    """A letter of this kind in which nothing is said but by its template."""
    values: dict[Any, object] = {str: "Xyz", int: 7, bool: True, tuple[str, ...]: ("Xyz",)}
    values[Chat] = values[Chat | None] = Chat(messages=(("Xyz",),), more=7, say="Xyz")
    listed = several.ListedTurn(**{it.name: values[it.type] for it in fields(several.ListedTurn)})
    values[tuple[several.ListedTurn, ...]] = (listed,) * 2
    values[tuple[wording.GameLetter, ...]] = tuple(map(of_kind, NEWS)) if kind is several.YourTurns else ()
    values[tuple[tuple[str, Blocks], ...]] = (("Xyz", [(True, ["Xyz"]), (False, ["Xyz"])]),)
    values[tuple[Offer, ...]] = (Offer("Xyz", "Xyz", "Xyz"),)
    values[tuple[desk.Part, ...]] = (desk.Part(**{it.name: values[it.type] for it in fields(desk.Part)}),)
    values[tuple[tuple[str, str, str], ...]] = (("Xyz", "Xyz", "Xyz"),)
    values |= {tuple[tuple[str, bytes], ...]: (), tuple[tuple[str, str], ...]: ()}
    values[tuple[several.Said, ...]] = (several.Said(line="Xyz", told=("Xyz",), lines=("Xyz",)),)
    if kind is several.YourTurns:
        values[tuple[answers.PartOfAnswer, ...]] = tuple(variants(answers.PartOfAnswer))
        values[tuple[several.TurnOfSeveral, ...]] = (of_kind(several.TurnOfSeveral),) * 2
    return kind(**{field.name: values[field.type] for field in fields(kind)})


OF_GAMES = wording.GameLetter.__subclasses__()
NEWS = [it for it in OF_GAMES if it not in (turns.YourTurn, turns.Reminder, answers.Answer)]
OTHERS = [*wording.Letter.__subclasses__(), *account.Code.__subclasses__()]
KINDS = [*OF_GAMES, *(it for it in OTHERS if it not in (wording.GameLetter, account.Code))]


def variants(kind: type[Any]) -> Iterator[Any]:
    """The letter with all that it may say, and with each of its parts missing."""
    letter = of_kind(kind)
    yield letter
    empty: dict[Any, object] = {str: "", bool: False, tuple[str, ...]: (), tuple[Offer, ...]: (), Chat | None: None}
    for field in fields(kind):
        if field.type in empty and field.name not in ("name", "title"):
            yield replace(letter, **{field.name: empty[field.type]})
    if issubclass(kind, answers.Answer):
        yield replace(letter, confirm="", played="")
        yield replace(letter, confirm="", played="", line="")
        yield replace(letter, confirm="", played="", wrong="")
    if kind is seats.Rsvp:
        yield from (replace(letter, played=said, again=False) for said in ("yes", "no"))
    if kind is turns.YourTurn:
        yield replace(letter, moves_in_all=1)
    if kind is several.YourTurns:
        yield replace(letter, turns=tuple(replace(it, answer="") for it in letter.turns))
        yield replace(letter, turns=())
        yield replace(letter, turns=(), listed=())
        yield replace(letter, turns=(), listed=(), replies=())
        yield replace(letter, replies=(), said=())
        yield replace(letter, turns=(), listed=(), replies=(), said=())
        yield replace(letter, turns=letter.turns[:1], listed=())


# From real games


@pytest.mark.parametrize("locale", TRANSLATED)
def test_all_emails_of_a_game_are_in_their_readers_language(office: Office, locale: str) -> None:
    dora, emil = who_reads("dora", locale), who_reads("emil", "en")
    ladder = [
        {"do": "extend", "by": "P1D", "times": 1},
        {"do": "bot-move", "bot": "greedy", "times": 1},
        {"do": "bot-takes-over", "bot": "greedy"},
    ]
    game_id = games.game_of(dora, emil, bots=1, title="Xyz", on_timeout=ladder)
    office.delivers()
    while games.head_of(game_id).table.status == "running":
        games.later(13 * games.HOUR)
        games.everything_due_happens()
        office.delivers()
        if games.turn_of(game_id, emil) is not None:
            games.moves_on(game_id, emil)
    mails = office.mails("dora")
    assert not [mail.text for mail in mails if is_english(mail)]
    assert all(is_english(mail) for mail in office.mails("emil"))
    assert all(mail.subject.endswith(": Xyz") for mail in mails)
    told = {row["kind"] for row in deliveries(dora, None, 100).items}
    assert told >= {"your-turn", "reminder", "time-extended", "bot-moved", "seat-handed-over", "game-ended"}


def writes(office: Office, name: str, text: str, sender: str | None = None) -> Mail:
    """Reply to the player's newest letter and return the answer."""
    mail = EmailMessage()
    mail["From"] = sender or f"{name}@example.org"
    mail.set_content(text)
    word = office.mails(name)[-1].reply_to.partition("@")[0]
    raw = mail.as_bytes().replace(b"\n", b"\r\n")
    take_in(word, None, raw, limited=False)
    deal_with_mails()
    return office.mails(name)[-1]


@pytest.mark.parametrize(
    ("locale", "taken", "moved"),
    [
        ("de", "liegt schon ein Stern.", "dein Zug ist gespielt: "),
        ("fr", "contient déjà une étoile.", "ton coup a été joué\u202f: "),
        ("it", "c’è già una stella.", "la tua mossa è stata giocata: "),
    ],
)
def test_our_reply_to_an_email_is_in_its_writers_language(office: Office, locale: str, taken: str, moved: str) -> None:
    dora, emil = who_reads("dora", locale), who_reads("emil", "en")
    game_id = games.game_of(emil, dora, bots=1, title="Xyz")
    first = games.moves_of(game_id, emil)[0]
    games.moves_on(game_id, emil)
    star = games.moves_of(game_id, dora)[0]["star"]
    days = [(clock.now() + days * games.DAY).date() for days in (10, 100)]
    mails = [
        writes(office, "dora", "?"),
        writes(office, "dora", "7 leo"),
        writes(office, "dora", "resign"),
        writes(office, "dora", f"{star} {first['board']} {first['space']}"),
        writes(office, "dora", f"vacation {days[0]}..{days[1]}"),
        writes(office, "dora", "pause"),
        writes(office, "dora", "resume"),
        writes(office, "dora", "?", sender="eve@example.net"),
        writes(office, "dora", " ".join(games.moves_of(game_id, dora)[0].values())),
    ]
    assert taken in mails[3].text
    assert moved in mails[-1].text
    assert not [mail.text for mail in mails if is_english(mail)]


def texts_to(address: str) -> str:
    """Return what letters to this address, which has no account yet, say now."""
    rows = db.session.scalars(select(PlayerLetterRow))
    found = [composed(row) for row in rows if row.data.get("to") == address]
    bodies = (message_from_bytes(it.message, policy=policy.default).get_body(("plain",)) for it in found if it)
    return "\n".join(body.get_content() for body in bodies if body)


def test_a_new_player_gets_the_code_in_the_sign_in_pages_language() -> None:
    begin_sign_in("fritz@example.org", "fr", None)
    assert "Pour te connecter, saisis ce code" in texts_to("fritz@example.org")


def test_an_existing_player_gets_the_code_in_their_own_language() -> None:
    who_reads("dora", "it")
    begin_sign_in("dora@example.org", "fr", None)
    assert "Per accedere, inserisci questo codice" in texts_to("dora@example.org")


@pytest.mark.parametrize(("known", "words"), [(False, "lädt dich"), (True, "t’invite")])
def test_an_invitation_is_in_the_invited_persons_language_or_if_unknown_in_the_hosts(known: bool, words: str) -> None:
    host = who_reads("hans", "de")
    if known:
        who_reads("gilles", "fr")
    seats = games.wanted(games.ME, {"email": "gilles@example.org"}, games.OPEN, title="Xyz")
    game_id = open_game(host, seats).game_id
    (letter,) = games.letters(game_id, "invitation")
    written = composed(letter)
    assert written
    assert words in str(message_from_bytes(written.message, policy=policy.default)["Subject"])
