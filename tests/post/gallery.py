"""`python -m tests.post.gallery FOLDER [de en fr it]`: every kind of letter from real games, as text, as a page and as
pictures.

A page is drawn on a phone and on a desktop, by day and by night, and in a mail program without pictures.
"""

import argparse
import re
import shutil
import tempfile
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path
from typing import Literal
from uuid import UUID, uuid4

from flask import Flask, current_app
from playwright.sync_api import Browser, sync_playwright

from server.accounts import tokens
from server.accounts.account_codes import ask_for_address, ask_for_deletion
from server.accounts.apps import AuthorizationRequest, allow, app_by_code, client_by, issue, register_client
from server.accounts.deliveries import deliveries
from server.accounts.players import change_profile, player_token
from server.accounts.sign_in import begin_sign_in
from server.app import create_app
from server.clock import clock
from server.config import Settings
from server.games import Json
from server.play.commits import load
from server.play.moves import play_move
from server.play.seating.games import open_game
from server.play.seating.hosting import close_due, close_game
from server.play.seating.seats import leave, send_away, take_over, take_seat
from server.play.seating.stand_ins import (
    Wish,
    accept_stand_in,
    ask_stand_in,
    change_stand_ins,
    end_stand_in,
    stand_in_word,
)
from server.play.votes import OFFER, take_back, vote
from server.post.coalescing import LONGEST
from server.post.desk.commands import A_GAME, BY_NAME, name_word
from server.post.desk.counter import deal_with_desk
from server.post.desk.reading import read_line
from server.post.incoming.answering import deal_with_mails
from server.post.incoming.intake import take_in
from server.store import embedded_postgres, migrate
from server.store.tables import StandIn, db
from server.translations import LOCALES
from server.worker import RECORDS
from tests.post.desk.crowd import AGREED, GREETINGS
from tests.post.office import Mail, Office, a_mail, arrives
from tests.support.browser import CHROMIUM, PATIENCE_MS
from tests.support.games import (
    BOT,
    DAY,
    ME,
    OPEN,
    everything_due_happens,
    game_of,
    later,
    moves_of,
    moves_on,
    person,
    service_is_up,
    turn_of,
    until,
    wanted,
)
from tests.support.live_server import AT_ONCE

GREETING_OF_HOST = {
    "de": "Lust auf eine Partie wie früher in der Küche?",
    "en": "Fancy a game, like back in our old kitchen?",
    "fr": "Une partie, comme au bon vieux temps dans la cuisine ?",
    "it": "Una partita, come ai vecchi tempi in cucina?",
}
REPLY_DOMAIN = "reply.stars.example"
WIDTHS = {"phone": 360, "desk": 600}
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
ZONES = {"de": "Europe/Zurich", "en": "Europe/London", "fr": "Europe/Paris", "it": "Europe/Rome"}


@contextmanager
def house() -> Iterator[Flask]:
    path = Path(tempfile.mkdtemp(prefix="sternenpost-"))
    path.chmod(0o755)  # under root, Postgres runs as `nobody`
    try:
        with embedded_postgres.start(path) as server:
            migrate.upgrade(server.url)
            app = create_app(
                Settings.from_environment({"DATABASE_URL": server.url, "STERNENPOST_REPLY_DOMAIN": REPLY_DOMAIN})
            )
            with app.app_context():
                service_is_up()
                yield app
    finally:
        shutil.rmtree(path)


# The letters


def letters_in(locale: str, office: Office) -> Iterator[tuple[str, Mail]]:
    name = f"dora-{locale}"
    dora, emil = person(name), person(f"emil-{locale}")
    change_profile(dora, {"locale": locale, "zone": ZONES[locale], "name": "Dora", "notifications": AT_ONCE})
    change_profile(emil, {"locale": locale, "zone": ZONES[locale], "name": "Emil"})
    for story in (
        _sign_in,
        _invited,
        _never_begun,
        _short_game,
        _mails,
        _taken_back,
        _stood_in,
        _taken_over,
        _absent,
        _bundled,
        _several,
        _sternenglanz,
        _desk,
    ):
        yield from story(locale, office, dora, emil, name)
        office.mails(name)


def _newest(office: Office, name: str) -> Mail:
    return office.mails(name)[-1]


def _sign_in(locale: str, office: Office, dora: UUID, emil: UUID, name: str) -> Iterator[tuple[str, Mail]]:
    begin_sign_in(f"{name}@example.org", locale, None)
    yield "sign-in-code", _newest(office, name)
    ask_for_deletion(dora)
    yield "deletion-code", _newest(office, name)
    ask_for_address(dora, f"{name}@example.net")
    yield "old-address-code", _newest(office, name)
    yield "new-address-code", office.mails_to(f"{name}@example.net")[-1]
    back, key, word = "https://watch.example/back", uuid4(), player_token(f"{name}@example.org")
    register_client(key, "Night Watch", None, [back], "")
    client = client_by(str(key))
    assert client
    app = app_by_code(
        allow(tokens.caller(word), client, AuthorizationRequest(back, ["games:read", "moves:write"], None, "A" * 43))
    )
    assert app
    issue(app, app.scopes, None)
    db.session.commit()
    yield "new-app", _newest(office, name)


def _invited(locale: str, office: Office, dora: UUID, emil: UUID, name: str) -> Iterator[tuple[str, Mail]]:
    guest = {"email": f"{name}@example.org", "greeting": GREETING_OF_HOST[locale]}
    game = {"rules": "sternenglanz", "title": "Winterabende", "seats": [ME, guest, OPEN, {"bot": "level-2"}]}
    for said in ("?", "no"):
        open_game(emil, game)
        yield "invitation", _newest(office, name)
        yield f"rsvp-{said}".replace("?", "unclear"), _writes(office, name, said)
    open_game(emil, game)
    yield "rsvp-yes", _writes(office, name, "yes")


def _never_begun(locale: str, office: Office, dora: UUID, emil: UUID, name: str) -> Iterator[tuple[str, Mail]]:
    """Yield what Dora gets if a game never begins, or begins elsewhere."""
    waiting = open_game(dora, wanted(ME, OPEN, OPEN, title="Mittwochsrunde"))
    later(12 * DAY)
    close_due()
    yield "game-closing", _newest(office, name)
    close_game(waiting.game_id, dora)
    yield "game-closed", _newest(office, name)
    other = open_game(emil, wanted(ME, OPEN, OPEN, title="Mittwochsrunde"))
    take_seat(other.game_id, dora)
    send_away(other.game_id, emil, 1)
    yield "sent-away", _newest(office, name)
    yield from _not_ready(office, dora, emil, name)


def _not_ready(office: Office, dora: UUID, emil: UUID, name: str) -> Iterator[tuple[str, Mail]]:
    """Yield what Dora gets as she confirms, with and without a salt, while Emil does not. Then she does not."""
    options = {"start_seat": 0, "ready_check": {"within": "P2D"}}
    for own in (ME, {**ME, "salt_hash": 64 * "0"}):
        asked = open_game(dora, wanted(own, OPEN, BOT, title="Mittwochsrunde", options=options))
        take_seat(asked.game_id, emil)
        yield f"ready-asked{'-salt' if len(own) > 1 else ''}", _newest(office, name)
    later(DAY)
    everything_due_happens()
    yield "ready-reminder", _newest(office, name)
    yield "ready", _writes(office, name, "ready")
    later(DAY)
    everything_due_happens()
    late, not_ready = office.mails(name)[-2:]
    yield "not-ready-herself", late
    yield "not-ready", not_ready


def _short_game(locale: str, office: Office, dora: UUID, emil: UUID, name: str) -> Iterator[tuple[str, Mail]]:
    game_id = game_of(dora, emil, bots=1, title="Mittwochsrunde")
    yield "your-turn-first", _newest(office, name)
    played = 0
    while load(game_id).table.status == "running":
        everything_due_happens()
        for who in (dora, emil):
            if turn_of(game_id, who) is not None:
                if who == dora and played in (1, 6):
                    later(DAY / 8)
                    yield f"your-turn-{played}", _newest(office, name)
                played += who == dora
                moves_on(game_id, who, 7 * played % len(moves_of(game_id, who)))
    yield "game-ended", _newest(office, name)


def _mails(locale: str, office: Office, dora: UUID, emil: UUID, name: str) -> Iterator[tuple[str, Mail]]:
    game_id = game_of(dora, emil, bots=1, title="Mittwochsrunde")
    for kind, text in (("help", "?"), ("wrong", "7 leo"), ("confirm", "resign"), ("pause-vote", "pause")):
        yield f"answer-{kind}", _writes(office, name, text)
    yield "answer-stranger", _writes(office, name, "?", "eva@example.net")
    yield "answer-played", _writes(office, name, " ".join(moves_of(game_id, dora)[4].values()))
    vote(game_id, emil, "pause", True)
    yield "game-paused", _newest(office, name)
    vote(game_id, emil, "abandon", True)
    yield "vote-asked", _newest(office, name)
    vote(game_id, dora, "offer", True)
    vote(game_id, emil, "offer", False)
    yield "vote-refused", _newest(office, name)
    vote(game_id, dora, "abandon", True)
    yield "game-abandoned", _newest(office, name)


def _taken_back(locale: str, office: Office, dora: UUID, emil: UUID, name: str) -> Iterator[tuple[str, Mail]]:
    """Let Emil ask to take a move back after a bot's; Dora agrees and loses her turn."""
    game_id = game_of(dora, emil, bots=1, title="Mittwochsrunde")
    for who in (dora, emil):
        moves_on(game_id, who)
    everything_due_happens()
    office.mails(name)
    take_back(game_id, emil, 2)
    yield "take-back-asked", _newest(office, name)
    vote(game_id, dora, "take-back", True)
    yield "move-taken-back", _newest(office, name)


def _stood_in(locale: str, office: Office, dora: UUID, emil: UUID, name: str) -> Iterator[tuple[str, Mail]]:
    """Let Emil stand in for Dora from tomorrow, and ask Dora by letter to stand in for Emil."""
    fritz = person(f"fritz-{locale}")
    game_id = game_of(dora, fritz, bots=1, title="Mittwochsrunde")
    days = [(clock.now() + number * DAY).date() for number in (2, 6)]
    asks = f"stand-in emil-{locale}@example.org {days[0]}..{days[1]}"
    found = re.search(r"^  (\S+ [0-9a-f]{10})$", _writes(office, name, asks).text, re.MULTILINE)
    assert found
    yield "answer-stand-in", _writes(office, name, found[1])
    moves_on(game_id, dora)
    _accepts(game_id, emil)
    yield "stand-in-accepted", _newest(office, name)
    later(2 * DAY)
    change_stand_ins()
    yield "stand-in-began-own", _newest(office, name)
    end_stand_in(game_id, emil)
    yield "stand-in-ended-own", _newest(office, name)
    other = game_of(fritz, emil, bots=1, title="Winterabende")
    ask_stand_in(other, emil, Wish(str(clock.now().date()), str((clock.now() + 6 * DAY).date()), dora))
    yield "stand-in-asked", _newest(office, name)
    _accepts(other, dora)
    yield "stand-in-began", _newest(office, name)
    end_stand_in(other, dora)
    yield "stand-in-ended", _newest(office, name)


def _accepts(game_id: UUID, who: UUID) -> None:
    asked = db.session.scalars(db.select(StandIn).where(StandIn.game_id == game_id)).one()
    accept_stand_in(stand_in_word(game_id, asked.seat, asked.mark), who)


def _taken_over(locale: str, office: Office, dora: UUID, emil: UUID, name: str) -> Iterator[tuple[str, Mail]]:
    """Let Dora leave, and another player take over the seat from its bot."""
    game_id = game_of(dora, emil, bots=1, title="Mittwochsrunde")
    leave(game_id, dora)
    vote(game_id, emil, OFFER, True)
    take_over(game_id, person(f"fritz-{locale}"))
    yield "seat-taken-over", _newest(office, name)


def _writes(office: Office, name: str, text: str, sender: str = "") -> Mail:
    """Return the answer to a reply by Dora."""
    mail = EmailMessage()
    mail["From"] = sender or f"{name}@example.org"
    mail.set_content(text)
    raw = mail.as_bytes().replace(b"\n", b"\r\n")
    take_in(_newest(office, name).reply_to.partition("@")[0], None, raw, limited=False)
    deal_with_mails()
    return _newest(office, name)


def _absent(locale: str, office: Office, dora: UUID, emil: UUID, name: str) -> Iterator[tuple[str, Mail]]:
    """Yield what Dora gets until a bot has her seat, while mails to Emil bounce."""
    game_id = game_of(dora, emil, bots=1, title="Mittwochsrunde")
    seen = len(office.mails(name))
    while load(game_id).table.stand_ins[0] is None:
        row = load(game_id).seats[0]
        until(min(moment for moment in (row.due_at, row.remind_at) if moment))
        everything_due_happens()
        if turn_of(game_id, emil) is not None:
            moves_on(game_id, emil)
            everything_due_happens()
        mails = office.mails(name)
        kinds = {str(it["letter"]): it["kind"] for it in deliveries(dora, None, 20).items}
        for number in range(seen, len(mails)):
            kind = next(kind for letter, kind in kinds.items() if letter in str(mails[number].message["Message-ID"]))
            yield f"absent-{number:02}-{kind}", mails[number]
        seen = len(mails)


def _bundled(locale: str, office: Office, dora: UUID, emil: UUID, name: str) -> Iterator[tuple[str, Mail]]:
    mails = {kind: "bundled" for kind in ("your-turn", "reminder", "time-extended", "bot-moved", "seat-handed-over")}
    change_profile(dora, {"notifications": {"mails": mails}})
    game_of(dora, emil, bots=1, title="Mittwochsrunde", clock={"per_move": "P4D"})
    game_of(
        dora, emil, bots=1, title="Donaudampfschifffahrtsgesellschaftskapitänsmützenrunde", clock={"per_move": "P5D"}
    )
    office.mails(name)
    later(DAY)
    everything_due_happens()
    yield "bundle", _newest(office, name)
    change_profile(dora, {"notifications": AT_ONCE})


def _several(locale: str, office: Office, dora: UUID, emil: UUID, name: str) -> Iterator[tuple[str, Mail]]:
    change_profile(dora, {"notifications": {}})
    for title in ("Mittwochsrunde", "Winterabende"):
        game_of(dora, emil, bots=1, title=title)
    office.delivers()
    later(LONGEST)
    yield "your-turns", _newest(office, name)
    change_profile(dora, {"notifications": AT_ONCE})


def _sternenglanz(locale: str, office: Office, dora: UUID, emil: UUID, name: str) -> Iterator[tuple[str, Mail]]:
    wanted: Json = {"rules": "sternenglanz", "options": {"scenario": 4, "start_seat": 0}, "title": "Winterabende"}
    game_id = open_game(dora, {**wanted, "seats": [ME, {"bot": "greedy"}]}).game_id
    yield "sternenglanz-choosing", _newest(office, name)
    for turn in range(1, 9):
        while (asked := turn_of(game_id, dora)) is not None:
            play_move(game_id, dora, asked, moves_of(game_id, dora)[0])
        everything_due_happens()
        if turn in (1, 8):
            yield f"sternenglanz-turn-{turn}", _newest(office, name)
    yield "sternenglanz-answer-help", _writes(office, name, "?")


def _desk(locale: str, office: Office, dora: UUID, emil: UUID, name: str) -> Iterator[tuple[str, Mail]]:
    """The letters of the post desk, from a stranger's first email to goodbye."""
    email, answered = f"nora-{locale}@example.org", ""

    def sends(*lines: str) -> Mail:
        nonlocal answered
        said = [(read_line(it), it) for it in lines]
        text = "\n".join(
            BY_NAME[asked.command].written(locale, line) if asked and line.startswith(asked.command) else line
            for asked, line in said
        )
        arrives(answered or current_app.config["DESK_ADDRESS"], a_mail(text, sender=email, Subject="Sternenpost"))
        deal_with_desk(RECORDS)
        mail = [it for it in office.mails_to(email) if it.message["Auto-Submitted"] == "auto-replied"][-1]
        answered = mail.reply_to
        return mail

    yield "desk-first-letter", sends(GREETINGS[locale])
    yield "desk-welcome", sends(f"{name_word(locale)} Nora")
    yield "desk-help", sends("help", "help new")
    yield "desk-rules", sends("rules", f"rules {A_GAME}")
    yield "desk-games", sends("games", "open", "standings", "settings", "set zone Europe/Berlin", "set mails at-once")
    yield "desk-play", sends(f"play {A_GAME} start_seat=0", "show 1", "history 1", "standings 1")
    yield "desk-wrong", sends("gmaes", "join 77", "set zone Atlantis", f"new {A_GAME} tonight", "hola qué tal")
    yield "desk-resign", sends("leave 1")
    sends(AGREED[locale])
    everything_due_happens()
    yield (
        "desk-finished",
        sends("games", "show 1", "standings 1", "archive 1", "export", "vacation 2027-07-01..2027-07-14"),
    )
    signed, answered = answered, ""
    yield "desk-unproved", sends("games", "set language fr", f"play {A_GAME}")
    answered = signed
    yield "desk-goodbye", sends("goodbye")
    yield "desk-last-letter", sends(AGREED[locale])


# The pictures


def page_of(mail: Mail, with_pictures: bool = True) -> str:
    """Return the letter's HTML page with its pictures inlined."""
    shown = mail.page
    for part in mail.message.walk() if with_pictures else ():
        if content_id := part["Content-ID"]:
            png = b64encode(part.get_content()).decode()
            shown = shown.replace(f"cid:{content_id.strip('<>')}", f"data:image/png;base64,{png}")
    return shown


def draw(browser: Browser, folder: Path, name: str, mail: Mail) -> None:
    (folder / f"{name}.txt").write_text(f"{mail.subject}\n\n{mail.text}", "utf-8")
    (folder / f"{name}.html").write_text(page_of(mail), "utf-8")
    for device, width in WIDTHS.items():
        for scheme in SCHEMES:
            _shoot(browser, folder / f"{name}.{device}.{scheme}.png", page_of(mail), width, scheme)
    _shoot(browser, folder / f"{name}.phone.without-pictures.png", page_of(mail, False), WIDTHS["phone"], "light")


def _shoot(browser: Browser, path: Path, page: str, width: int, scheme: Scheme) -> None:
    with browser.new_context(viewport={"width": width, "height": 600}, color_scheme=scheme) as context:
        context.set_default_timeout(PATIENCE_MS)  # a busy machine takes longer than Playwright's half minute
        tab = context.new_page()
        tab.set_content(page)
        wide = tab.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            print(f"{path.name} is {wide} wide")
        tab.screenshot(path=path, full_page=True)


def main(folder: Path, *locales: str) -> None:
    with house() as app, sync_playwright() as playwright:
        office = Office(app, REPLY_DOMAIN)
        for locale in locales:
            browser = playwright.chromium.launch(executable_path=CHROMIUM)  # each draws 400 pictures
            shown = folder / locale
            shown.mkdir(parents=True, exist_ok=True)
            for name, mail in letters_in(locale, office):
                draw(browser, shown, name, mail)
            browser.close()
        print(f"Until {clock.now():%Y-%m-%d} in the games; the letters are in {folder}.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("languages", nargs="*", choices=LOCALES)
    given = parser.parse_args()
    main(given.folder, *(given.languages or LOCALES))
