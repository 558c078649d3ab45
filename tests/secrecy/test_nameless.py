"""Nameless tables: of two games played alike, in which other people sit, everybody receives the same until the end.

The people of the other game have other names, languages, zones, hours, wishes for mails and blocks, mails to one come back,
and a program plays for another. The clock stands still between the steps, so that no difference is one of time.
"""

import os
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from random import Random
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import update
from werkzeug.test import TestResponse

from server.accounts.blocks import block
from server.accounts.players import change_profile
from server.clock import Clock
from server.operations.archives import archive_of
from server.play.commits import load
from server.play.moves import turn_word
from server.play.track_record import read_records
from server.rules import GAMES, Json, Seat
from server.store.tables import GameRow, LetterRow, Player, db
from server.store.webhook_queue import NOTE
from tests.api.test_own_account import id_of_player
from tests.post.incoming.replying import DOMAIN
from tests.post.office import Office
from tests.support.contract import Someone, is_problem
from tests.support.games import ME, OPEN, everything_due_happens, later, person, service_is_up, wanted

PAIRS = int(os.environ.get("PAIRED_TABLES", "2"))  # by game; 100 in a longer run
NOW = datetime(2026, 11, 23, 17, 0, tzinfo=UTC)
LADDER = [{"do": "extend", "by": "P1D", "times": 9}, {"do": "abandon"}]
OPTIONS: Json = {"start_seat": 0, "nameless": True, "ready_check": {"within": "P2D"}}
PEOPLE = (("ada", "bea"), ("dora", "emil"))  # who else sits there, by world
VIEWER = 2  # the seat of somebody who is the same in both
STRANGE: Json = {  # habits of the second world
    "dora": {
        "locale": "de",
        "zone": "Asia/Tokyo",
        "calendar": {"night": "22:00-08:00", "days_off": [1, 2, 3]},
        "notifications": {"reminders": [], "mails": {"your-turn": "off"}},
    },
    "emil": {"locale": "fr", "zone": "America/New_York", "calendar": {"night": "12:00-20:00"}},
}
DIFFER_ANYWAY = {"Message-ID", "In-Reply-To", "References", "Content-Type"}  # ids, and boundaries


def without_ids(text: str) -> str:
    """The same without ids, signed words, places in a stream, and the number of the world in the viewer's addresses."""
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}", "ID", text)
    text = re.sub(r"\b[a-z2-7]{56,}\b", "WORD", text)
    text = re.sub(r"\b(cyd|newcomer)[01]@", r"\1@", text)
    return re.sub(r"(?m)^id: [\w-]{11,}$", "id: PLACE", text)


def plain(answer: TestResponse) -> tuple[int, str | bytes]:
    return answer.status_code, answer.data if answer.mimetype == "image/png" else without_ids(answer.text)


class World:
    """One of two tables that are alike but for the people of the first two seats."""

    def __init__(self, app: Flask, office: Office, number: int, rules: str, seed: bytes) -> None:
        self.app, self.office, self.number = app, office, number
        self.names = (*PEOPLE[number], f"cyd{number}")
        self.people = [Someone(app, name) for name in self.names]
        with app.app_context():
            change_profile(person(self.names[VIEWER]), {"name": "Cyd"})
            for name in self.names[:2]:
                change_profile(person(name), STRANGE.get(name, {}))
        asked = wanted(
            ME, OPEN, OPEN, rules=rules, title="Who is who", options=OPTIONS, on_timeout=LADDER, programs=True
        )
        self.path = f"/v1/games/{self.people[0].post('/v1/games', asked).json['id']}"
        self.game_id = UUID(self.path.rpartition("/")[2])
        with app.app_context():
            db.session.execute(update(GameRow).where(GameRow.game_id == self.game_id).values(seed=seed))
            db.session.commit()

    def turns(self) -> dict[Seat, int]:
        with self.app.app_context():
            table = load(self.game_id).table
            return {seat: turn for seat, turn in enumerate(table.turns) if turn is not None}

    def reaches(self) -> Json:
        """All that reaches the viewer at his seat, and whoever looks on, by what it is."""
        found: Json = {}
        viewer, stranger = self.people[VIEWER], Someone(self.app)
        with self.app.app_context():
            version = load(self.game_id).version
            sits = load(self.game_id).seat_of(person(self.names[VIEWER])) is not None
        looks = [
            "",
            "/events",
            "/votes",
            "/messages",
            "/archive",
            "/legal-moves",
            "/stream",
            "/picture.svg",
            "/picture.png",
        ]
        looks += [f"?at={it}" for it in range(version + 1)]
        for who, client in (("viewer", viewer), ("stranger", stranger)):
            found |= {f"{who} {look}": plain(client.get(self.path + look)) for look in looks}
            for query in ("", "status=open", "reliability=50", "free=true"):
                items = client.get(f"/v1/games?limit=100&{query}").json["items"]
                found[f"{who} lobby {query}"] = [without_ids(str(it)) for it in items if it["id"] == str(self.game_id)]
        if sits:
            found["own games"] = plain(viewer.get("/v1/games?mine=true"))
            for turn in self.turns().values():
                with self.app.app_context():
                    link = f"/t/{turn_word(self.game_id, VIEWER, turn)}"
                found |= {f"link of {turn}{look}": plain(stranger.get(link + look)) for look in ("", "/plain")}
        return found | self._mails() | self._notes()

    def _mails(self) -> Json:
        with self.app.app_context():
            names = ("cyd", "newcomer")
            letters = [(name, self.office.mails_to(f"{name}{self.number}@example.org")) for name in names]
        return {
            f"letter {nr} to {name}, part {number}": _part(part)
            for name, mails in letters
            for nr, mail in enumerate(mails)
            for number, part in enumerate(mail.message.walk())
        }

    def _notes(self) -> Json:
        """What his webhooks are told."""
        with self.app.app_context():
            notes = db.select(LetterRow).where(
                LetterRow.game_id == self.game_id, LetterRow.kind == NOTE, LetterRow.seat == VIEWER
            )
            rows = db.session.scalars(notes.order_by(LetterRow.made_at, LetterRow.version)).all()
            return {f"note {nr}": (row.version, row.made_at, row.data) for nr, row in enumerate(rows)}


def _part(part: EmailMessage) -> Any:
    head = [(name, without_ids(value)) for name, value in part.items() if name not in DIFFER_ANYWAY]
    content = None if part.is_multipart() else part.get_content()
    return head, without_ids(content) if isinstance(content, str) else content


class Pair:
    """Both tables, at which the same is done."""

    def __init__(self, app: Flask, rules: str, rng: Random) -> None:
        self.app, self.rules, self.rng = app, GAMES[rules], rng
        office, seed = Office(app, DOMAIN), rng.randbytes(32)
        with app.app_context():
            service_is_up()
            self._people_have_habits()
        self.worlds = [World(app, office, number, rules, seed) for number in (0, 1)]
        for world in self.worlds:
            world.people[VIEWER].post("/v1/webhooks", {"url": "https://stars.example/", "kinds": _KINDS})

    def _people_have_habits(self) -> None:
        for name in ("cyd0", "cyd1", "zoe"):
            block(person(name), person("emil"))
        block(person("dora"), person("zoe"))
        db.session.execute(update(Player).where(Player.name == "emil").values(unreachable_since=NOW))
        db.session.execute(update(Player).where(Player.name == "dora").values(program_since=NOW))
        db.session.commit()

    def both(self, do: Callable[[World], TestResponse], same: bool = True) -> None:
        """What is done at both gets the same answer, if that is one to somebody who is the same."""
        answers = [do(world) for world in self.worlds]
        assert {it.status_code // 100 for it in answers} == {2}, [it.text for it in answers]
        if same:
            assert plain(answers[0]) == plain(answers[1])

    def look(self) -> None:
        one, other = (world.reaches() for world in self.worlds)
        assert one.keys() == other.keys()
        assert {name: (one[name], other[name]) for name in one if one[name] != other[name]} == {}
        told = str(one) + str(other)
        assert [name for name in ("ada", "bea", "dora", "emil") if re.search(rf"\b{name}\b", told, re.IGNORECASE)] == []

    def passes(self, time: timedelta) -> None:
        with self.app.app_context():
            later(time)
            everything_due_happens()

    def moves(self, number: int) -> None:
        for _ in range(number):
            turns = self.worlds[0].turns()
            assert turns == self.worlds[1].turns()
            if not turns:
                return
            seat = self.rng.choice(sorted(turns))
            with self.app.app_context():
                state = load(self.worlds[0].game_id).table.state
            move = self.rules.move_to_json(self.rng.choice(self.rules.legal_moves(state, seat)))
            body = {"turn": turns[seat], "move": move}
            self.both(lambda world, seat=seat, body=body: world.people[seat].post(f"{world.path}/moves", body))
            self.passes(timedelta(minutes=self.rng.randrange(300)))


_KINDS = ["your-turn", "game-started", "game-paused", "game-resumed", "take-back-asked", "move-taken-back", "message"]


@pytest.fixture(autouse=True)
def standing_clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(Clock, "real", lambda self: NOW)
    yield


@pytest.mark.parametrize("number", range(PAIRS))
@pytest.mark.parametrize("rules", GAMES)
def test_games_that_differ_only_in_who_sits_there_are_equal(app: Flask, rules: str, number: int) -> None:
    pair = Pair(app, rules, Random(f"{rules} {number}"))
    pair.look()
    zoe, newcomer = Someone(app, "zoe"), "newcomer{}@example.org"
    seats, mine = "/seats", "/seats/me"
    pair.both(lambda it: zoe.post(it.path + seats, {"seat": 1}))
    pair.both(lambda it: zoe.delete(it.path + mine))
    pair.both(lambda it: it.people[0].post(f"{it.path}/invitations", {"email": newcomer.format(it.number)}), same=False)
    pair.look()
    pair.both(lambda it: it.people[0].delete(f"{it.path}/invitations/1"), same=False)
    pair.both(lambda it: it.people[1].post(it.path + seats), same=False)
    pair.both(lambda it: it.people[VIEWER].post(it.path + seats))
    pair.look()
    for seat in pair.rng.sample(range(3), 3):
        pair.both(lambda it, seat=seat: it.people[seat].post(f"{it.path}/ready"))
        pair.look()
    for seat in (0, 1, 2):
        pair.both(lambda it, seat=seat: it.people[seat].post(f"{it.path}/messages", {"text": "Who is that?"}))
        pair.moves(pair.rng.randrange(2, 9))
        pair.look()
    pair.passes(timedelta(days=3))  # somebody's time runs out
    pair.look()
    pair.both(lambda it: it.people[1].post(f"{it.path}/votes", {"on": "pause"}))
    pair.look()
    for seat in (0, 1, 2):
        pair.both(lambda it, seat=seat: it.people[seat].post(f"{it.path}/votes", {"on": "abandon"}))
    for world in pair.worlds:
        shown = world.people[VIEWER].get(world.path).json["seats"]
        assert [it["name"] for it in shown] == [*world.names[:2], "Cyd"]
        assert all(it["player"] for it in shown)
        said = world.people[VIEWER].get(f"{world.path}/messages").json["items"]
        assert [it["name"] for it in said] == [*world.names[:2], "Cyd"]
    with app.app_context():
        made = [without_ids(str(_of_no_game(archive_of(it.game_id, None)))) for it in pair.worlds]
    assert made[0] == made[1]


def _of_no_game(archive: Json) -> Json:
    """Hashes follow from the id of the game, too."""
    return archive | {"events": [event | {"hash": ""} for event in archive["events"]]}


def test_a_game_that_never_began_tells_no_names_when_its_host_closes_it(app: Flask) -> None:
    ada, bea = Someone(app, "ada"), Someone(app, "bea")
    path = f"/v1/games/{ada.post('/v1/games', wanted(ME, OPEN, OPEN, options=OPTIONS)).json['id']}"
    bea.post(f"{path}/seats")
    ada.delete(path)
    assert {it["name"] for it in ada.get(path).json["seats"]} == {None}


def test_one_knows_ones_own_seat_and_is_called_by_ones_own_name(app: Flask) -> None:
    office = Office(app, DOMAIN)
    ada, bea, cyd = (Someone(app, name) for name in ("ada", "bea", "cyd"))
    options = {"start_seat": 0, "nameless": True}
    path = f"/v1/games/{ada.post('/v1/games', wanted(ME, OPEN, OPEN, options=options)).json['id']}"
    for who in (bea, cyd):
        who.post(f"{path}/seats")
    turn = ada.get(f"{path}/legal-moves").json
    ada.post(f"{path}/moves", {"turn": turn["turn"], "move": turn["moves"][0]})
    assert bea.get(path).json["you"]["seat"] == 1
    with app.app_context():
        (mail,) = office.mails("bea")
    assert mail.text.count("bea") == 1  # its greeting
    assert re.search(r"- Seat 1 put ", mail.text)
    assert "Seat 3" in mail.text


def test_nobodys_record_changes_as_a_seat_does_until_the_end(app: Flask) -> None:
    people = [Someone(app, name) for name in ("ada", "bea", "cyd", "dan")]
    ada, bea, cyd, dan = people
    ids = [str(id_of_player(who)) for who in people]

    def told() -> list[Json]:
        with app.app_context():
            read_records()
        return [bea.get(f"/v1/players/{it}").json for it in ids]

    before = told()
    path = f"/v1/games/{ada.post('/v1/games', wanted(ME, OPEN, OPEN, options={'nameless': True})).json['id']}"
    for who in (bea, cyd):
        who.post(f"{path}/seats")
    assert told() == before
    cyd.delete(f"{path}/seats/me")
    assert told() == before
    for who in (ada, bea):
        who.post(f"{path}/votes", {"on": "offer"})
    assert dan.post(f"{path}/seats", {"take_over": True}).status_code == 201
    assert told() == before
    reliable = Someone(app).get("/v1/games?status=open&reliability=100").json["items"]
    opened = cyd.post("/v1/games", wanted(ME, OPEN, OPEN)).json["id"]
    found = Someone(app).get("/v1/games?status=open&reliability=100").json["items"]
    assert [it["id"] for it in found] == [opened, *(it["id"] for it in reliable)]
    assert [it["games"] - was["games"] for it, was in zip(told(), before, strict=True)] == [0, 0, 1, 0]
    for who in (ada, bea, dan):
        who.post(f"{path}/votes", {"on": "abandon"})
    assert [it["left"] for it in told()] == [0, 0, 1, 0]
    assert [it["games"] - was["games"] for it, was in zip(told(), before, strict=True)] == [1, 1, 2, 1]


def test_who_sits_there_is_not_found_out_by_asking_him_to_stand_in(app: Flask) -> None:
    ada, bea, cyd = (Someone(app, name) for name in ("ada", "bea", "cyd"))
    path = f"/v1/games/{ada.post('/v1/games', wanted(ME, OPEN, OPEN, options={'nameless': True})).json['id']}"
    for who in (bea, cyd):
        who.post(f"{path}/seats")
    days = {"from": "2026-11-23", "until": "2026-11-25"}
    for whom in ({"player": str(id_of_player(bea))}, {"email": "cyd@example.org"}):
        assert ada.post(f"{path}/seats/me/stand-in", whom | days).status_code == 201
    is_problem(ada.post(f"{path}/seats/me/stand-in", {"email": "ada@example.org"} | days), 409, "already-seated")
