"""Nameless tables: games played alike by different players look the same to others until the end.

The players of the other game have other names, languages, zones, hours, notice settings and blocks. Emails to one
bounce, and a program plays for another. The clock stands still between the steps, so that timing shows no difference.
"""

import gzip
import os
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from hashlib import sha256
from random import Random
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import update
from werkzeug.test import TestResponse

from server.accounts.bans import ban
from server.accounts.blocks import block
from server.accounts.players import change_profile
from server.clock import clock
from server.games import GAMES, Json, Seat
from server.operations.archives import archive_of
from server.operations.delete_player import delete_player
from server.play.commits import load
from server.play.seating.seats import give_up_seats, leave
from server.play.seating.stand_ins import change_stand_ins
from server.play.seating.track_record import read_records
from server.play.talk.notes import keep_note
from server.play.turns import bot_moves
from server.play.turns.turn_links import turn_word
from server.store.tables import GameRow, LetterRow, Player, db
from server.store.webhook_queue import NOTE
from tests.api.test_own_account import id_of_player
from tests.post.incoming.replying import DOMAIN
from tests.post.office import Office
from tests.support.api_calls import first_move
from tests.support.contract import Someone, is_problem
from tests.support.games import (
    DAY,
    HOUR,
    ME,
    OPEN,
    everything_due_happens,
    game_of,
    happened,
    later,
    person,
    seats_of,
    service_is_up,
    stop_the_clock,
    wanted,
)
from tests.support.stand_ins import word_at

PAIRS = int(os.environ.get("PAIRED_TABLES", "1"))  # per game; 100 in a longer run
NOW = datetime(2026, 11, 23, 17, 0, tzinfo=UTC)
LADDER = [{"do": "extend", "by": "P1D", "times": 9}, {"do": "abandon"}]
OPTIONS: Json = {"start_seat": 0, "nameless": True, "ready_check": {"within": "P2D"}}
PEOPLE = (("ada", "bea"), ("dora", "emil"))  # the other players, by world
LATER = (("fay", "gus"), ("hal", "ivo"))  # a stand-in and a new owner of a seat, by world
NAMES = [name for names in PEOPLE + LATER for name in names]
LEAVING = [{"do": "extend", "by": "P1D", "times": 1}, {"do": "bot-takes-over", "bot": "greedy"}]
VIEWER = 2  # seat of a player who is the same in both
STRANGE: Json = {  # habits of the second world
    "dora": {
        "locale": "de",
        "zone": "Asia/Tokyo",
        "calendar": {"night": "22:00-08:00", "days_off": [1, 2, 3]},
        "notifications": {"reminders": [], "mails": {"your-turn": "off"}},
    },
    "emil": {"locale": "fr", "zone": "America/New_York", "calendar": {"night": "12:00-20:00"}},
    "hal": {"locale": "it", "zone": "Europe/Rome", "notifications": {"reminders": ["PT1H"]}},
    "ivo": {"zone": "Pacific/Auckland", "calendar": {"days_off": [5, 6]}},
}
OF_THIS_ANSWER = {"Content-Length", "Date", "ETag", "RateLimit"}  # from ids, the real time, and earlier requests
DIFFER_ANYWAY = {"Message-ID", "In-Reply-To", "References", "Content-Type"}  # ids, and boundaries


def without_ids(text: str) -> str:
    """Return the text without ids, signed links, stream positions and the world's number in addresses."""
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}", "ID", text)
    text = re.sub(r"\b[a-z2-7]{56,}\b", "WORD", text)
    text = re.sub(r"\b(cyd|newcomer)[01]@", r"\1@", text)
    return re.sub(r"(?m)^id: [\w-]{11,}$", "id: PLACE", text)


def hashed(picture: bytes) -> str:
    """Return a digest, since a picture's bytes may spell a name by chance."""
    return sha256(picture).hexdigest()


def plain(answer: TestResponse) -> Any:
    body = hashed(answer.data) if answer.mimetype == "image/png" else without_ids(answer.text)
    if answer.content_encoding == "gzip":
        body = without_ids(gzip.decompress(answer.data).decode())
    heads = {name: without_ids(value) for name, value in answer.headers if name not in OF_THIS_ANSWER}
    return answer.status_code, heads, body


def parts(answer: TestResponse) -> list[str]:
    """Return the items in canonical order, since ids decide the order of simultaneous ones."""
    told = re.sub(r'"detail":"[^"]*"', "", plain(answer)[2])  # sent order of two letters
    return sorted(re.findall(r"[^{}]+", told))


def unlike(one: Any, other: Any) -> list[str]:
    return sorted(set(str(one).split(",")) ^ set(str(other).split(",")))


class World:
    """A table that differs from the other only in the players of the first two seats."""

    def __init__(
        self, app: Flask, office: Office, number: int, rules: str, seed: bytes, ladder: Sequence[Json]
    ) -> None:
        self.app, self.office, self.number = app, office, number
        self.names = (*PEOPLE[number], f"cyd{number}")
        self.people = [Someone(app, name) for name in self.names]
        self.others = [Someone(app, name) for name in LATER[number]]
        with app.app_context():
            change_profile(person(self.names[VIEWER]), {"name": "Cyd"})
            for name in (*self.names[:2], *LATER[number]):
                change_profile(person(name), STRANGE.get(name, {}))
        asked = wanted(
            ME, OPEN, OPEN, rules=rules, title="Who is who", options=OPTIONS, on_timeout=ladder, programs=True
        )
        self.path = f"/v1/games/{self.people[0].post('/v1/games', asked).json['id']}"
        self.game_id = UUID(self.path.rpartition("/")[2])
        self.feed = self.people[VIEWER].post("/v1/me/feed").json["url"]
        self.before = self.records()
        self.looked_at = 0
        with app.app_context():
            db.session.execute(update(GameRow).where(GameRow.game_id == self.game_id).values(seed=seed))
            db.session.commit()

    def turns(self) -> dict[Seat, int]:
        with self.app.app_context():
            table = load(self.game_id).table
            return {seat: turn for seat, turn in enumerate(table.turns) if turn is not None}

    def records(self) -> dict[str, Json]:
        """Return the visible fields of the differing players, without their chosen names."""
        with self.app.app_context():
            read_records()
            known = {name: person(name) for name in (*self.names[:2], *LATER[self.number])}
        told = {name: Someone(self.app).get(f"/v1/players/{id_}").json for name, id_ in known.items()}
        for name, id_ in known.items():
            path = f"/v1/players/{id_}/games"
            told[name]["listed"] = [self.people[VIEWER].get(path + it).json["items"] for it in ("", "?together=true")]
        return {name: {what: it for what, it in record.items() if what != "name"} for name, record in told.items()}

    def asks_to_stand_in(self, days: int) -> TestResponse:
        """Let the first player ask for a stand-in, which a second accepts."""
        today = clock.now().date()
        body = {"email": f"{LATER[self.number][0]}@example.org", "from": str(today), "until": str(today + days * DAY)}
        asked = self.people[0].post(f"{self.path}/seats/me/stand-in", body)
        accepted = self.others[0].post(f"/v1/stand-ins/{word_at(self.app, self.path)}")
        return accepted if asked.status_code == 201 else asked

    def reaches(self) -> Json:
        """Return everything that the seated viewer and spectators receive, by name."""
        found: Json = {}
        viewer, stranger = self.people[VIEWER], Someone(self.app)
        with self.app.app_context():
            version = load(self.game_id).version
            sits = load(self.game_id).seat_of(person(self.names[VIEWER])) is not None
        looks = [
            *("", "/events", "/votes", "/messages", "/archive", "/legal-moves"),
            *("/stream", "/picture.svg", "/picture.png"),
        ]
        newest = range(max(self.looked_at, version - 3), version + 1)
        looks += [f"?at={it}" for it in sorted({0, self.looked_at // 2, *newest})]
        self.looked_at = version
        for who, client in (("viewer", viewer), ("stranger", stranger)):
            found |= {f"{who} {look}": plain(client.get(self.path + look)) for look in looks}
            for query in ("", "status=open", "reliability=50", "free=true"):
                items = client.get(f"/v1/games?limit=100&{query}").json["items"]
                found[f"{who} lobby {query}"] = [without_ids(str(it)) for it in items if it["id"] == str(self.game_id)]
        if sits:
            own = ("/seats/me", "/seats/me/plan", "/seats/me/stand-in", "/take-backs", "/note")
            found |= {f"own {look}": plain(viewer.get(self.path + look)) for look in own}
            found["own games"] = plain(viewer.get("/v1/games?mine=true"))
            found["export"] = parts(viewer.get("/v1/me/export"))
            found["feed"] = plain(stranger.get(self.feed))
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
        with self.app.app_context():
            notes = db.select(LetterRow).where(
                LetterRow.game_id == self.game_id, LetterRow.kind == NOTE, LetterRow.seat == VIEWER
            )
            rows = db.session.scalars(notes.order_by(LetterRow.made_at, LetterRow.dedupe)).all()
            return {f"note {nr}": (row.version, row.made_at, row.data) for nr, row in enumerate(rows)}


def _part(part: EmailMessage) -> Any:
    head = [(name, without_ids(value)) for name, value in part.items() if name not in DIFFER_ANYWAY]
    content = None if part.is_multipart() else part.get_content()
    return head, hashed(content) if isinstance(content, bytes) else content and without_ids(content)


class Pair:
    """A pair of tables with the same actions."""

    def __init__(self, app: Flask, rules: str, rng: Random, ladder: Sequence[Json] = LADDER) -> None:
        self.app, self.rules, self.rng = app, GAMES[rules], rng
        self.office, seed = Office(app, DOMAIN), rng.randbytes(32)
        with app.app_context():
            service_is_up()
            self._people_have_habits()
        self.worlds = [World(app, self.office, number, rules, seed, ladder) for number in (0, 1)]
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
        answers = [do(world) for world in self.worlds]
        assert {it.status_code // 100 for it in answers} == {2}, [it.text for it in answers]
        if same:
            assert plain(answers[0]) == plain(answers[1])

    def look(self, records: bool = True) -> None:
        with self.app.app_context():
            self.office.delivers()
        one, other = (world.reaches() for world in self.worlds)
        assert one.keys() == other.keys()
        assert {name: unlike(one[name], other[name]) for name in one if one[name] != other[name]} == {}
        told = str(one) + str(other)
        assert [name for name in NAMES if re.search(rf"\b{name}\b", told, re.IGNORECASE)] == []
        assert not records or all(world.records() == world.before for world in self.worlds)

    def passes(self, time: timedelta) -> None:
        with self.app.app_context():
            later(time)
            change_stand_ins()
            everything_due_happens()

    def passes_until(self, holds: Callable[[World], bool]) -> None:
        """Let time pass, some hours at a time, until this holds. The viewer moves when on turn."""
        for _ in range(60):
            with self.app.app_context():
                if all(map(holds, self.worlds)):
                    return
            if VIEWER in self.worlds[0].turns():
                self.moves(1)
            else:
                self.passes(6 * HOUR)
        raise AssertionError

    def plan(self, seat: Seat) -> Json:
        """Return a move that this seat may plan, under a condition that never holds."""
        world, move = self.worlds[1], "1 lapse"
        if self.rules.NAME == "sternenhimmel":
            move = f"{world.people[seat].get(world.path).json['view']['hand'][0]} leo c"
        left = self.rules.move_to_json(self.rules.read_move(move))
        return {"revision": 0, "moves": [{"move": left, "if": [{"at": "/next", "is": "nobody"}]}]}

    def takes_back(self) -> None:
        """Let the last mover ask, and the others agree one by one."""
        for seat in range(3):
            to = self.worlds[0].people[seat].get(f"{self.worlds[0].path}/take-backs").json["to"]
            if to is not None:
                break
        else:
            return
        self.both(lambda it: it.people[seat].post(f"{it.path}/take-backs", {"to": to}), same=seat == VIEWER)
        self.look()
        for other in {0, 1, VIEWER} - {seat}:
            if self.worlds[0].people[VIEWER].get(f"{self.worlds[0].path}/votes").json["take-back"]:
                self.both(lambda it, other=other: it.people[other].post(f"{it.path}/votes", {"on": "take-back"}))
                self.look()

    def leaves_a_seat(self) -> Seat:
        """Return a seat whose player timed out, so that a bot plays it."""

        def absent(world: World) -> list[Seat]:
            return [seat for seat, bot in enumerate(load(world.game_id).table.stand_ins) if bot]

        self.passes_until(lambda it: bool(absent(it)))
        with self.app.app_context():
            (seat,) = absent(self.worlds[0])
        return seat

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
            if seat == VIEWER:
                self.both(lambda world, body=body: world.people[VIEWER].post(f"{world.path}/moves?dry_run=true", body))
            self.both(lambda world, seat=seat, body=body: world.people[seat].post(f"{world.path}/moves", body))
            way = self.worlds[0].people[seat].get(f"{self.worlds[0].path}/take-backs").json
            if way["free"] and self.rng.random() < 0.3:
                to = {"to": way["to"]}
                self.both(
                    lambda it, seat=seat, to=to: it.people[seat].post(f"{it.path}/take-backs", to), same=seat == VIEWER
                )
            self.passes(timedelta(minutes=self.rng.randrange(300)))


_KINDS = [
    *("your-turn", "game-started", "game-paused", "game-resumed"),
    *("take-back-asked", "vote-asked", "move-taken-back", "message"),
]


@pytest.fixture(autouse=True)
def standing_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    stop_the_clock(monkeypatch, NOW)
    monkeypatch.setattr(bot_moves, "random", SimpleNamespace(SystemRandom=lambda: Random(0)))  # bots decide alike


@pytest.mark.parametrize("number", range(PAIRS))
@pytest.mark.parametrize("rules", GAMES)
def test_anonymous_games_that_differ_only_in_their_players_look_the_same(app: Flask, rules: str, number: int) -> None:
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
    pair.passes(timedelta(days=3))  # a player's time runs out
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


@pytest.mark.parametrize("number", range(PAIRS))
@pytest.mark.parametrize("rules", GAMES)
def test_anonymous_games_look_the_same_while_another_player_stands_in(app: Flask, rules: str, number: int) -> None:
    pair = running_pair(app, rules, Random(f"seats {rules} {number}"))
    pair.moves(pair.rng.randrange(6, 12))
    pair.both(lambda it: it.asks_to_stand_in(2), same=False)
    pair.look()
    for world in pair.worlds:
        world.people[0], world.others[0] = world.others[0], world.people[0]
    pair.moves(4)
    pair.takes_back()
    pair.both(lambda it: it.people[0].post(f"{it.path}/messages", {"text": "I play for somebody."}))
    pair.both(lambda it: it.others[0].post(f"{it.path}/messages", {"text": "I look on."}))
    pair.look()
    pair.passes_until(lambda it: "stand-in-ended" in happened(it.game_id))
    pair.look()
    for world in pair.worlds:
        world.people[0], world.others[0] = world.others[0], world.people[0]
    pair.moves(2)
    pair.look()


@pytest.mark.parametrize("number", range(PAIRS))
@pytest.mark.parametrize("rules", GAMES)
def test_anonymous_games_look_the_same_when_players_leave_their_seats(app: Flask, rules: str, number: int) -> None:
    pair = running_pair(app, rules, Random(f"leaving {rules} {number}"))
    _, other = pair.worlds
    pair.moves(pair.rng.randrange(6, 12))
    with app.app_context():  # differences between the tables
        change_profile(person("dora"), {"name": "Theodora", "zone": "Europe/Paris", "notifications": {"mails": {}}})
        keep_note(other.game_id, person("emil"), {"muted": True})
        db.session.execute(update(Player).where(Player.name == "ada").values(unreachable_since=NOW))
        db.session.commit()
    pair.look()
    for seat in {0, 1} - pair.worlds[0].turns().keys():  # a plan whose condition fails
        planned = other.people[seat].ask("PUT", f"{other.path}/seats/me/plan", pair.plan(seat))
        assert planned.status_code == 200, planned.text
    pair.look()
    absent = pair.leaves_a_seat()
    pair.look()
    for seat in {0, 1, VIEWER} - {absent}:
        pair.both(lambda it, seat=seat: it.people[seat].post(f"{it.path}/votes", {"on": "offer"}))
        pair.look()
    pair.both(lambda it: it.others[1].post(f"{it.path}/seats", {"seat": absent, "take_over": True}), same=False)
    pair.look()
    for world in pair.worlds:
        world.people[absent] = world.others[1]
    pair.moves(3)
    pair.look()
    leaves = 1 - absent
    with app.app_context():
        banned, resigns = (person(it.names[leaves]) for it in pair.worlds)
        if number % 2:
            delete_player(banned)
            delete_player(resigns)
        else:
            ban(banned)
            give_up_seats(banned)
            leave(other.game_id, resigns)
    pair.look(records=False)
    for seat in (absent, VIEWER):
        pair.both(lambda it, seat=seat: it.people[seat].post(f"{it.path}/votes", {"on": "abandon"}))
    names = [it["name"] for it in other.people[VIEWER].get(other.path).json["seats"]]
    assert {names[absent], names[VIEWER]} == {"ivo", "Cyd"}


def running_pair(app: Flask, rules: str, rng: Random) -> Pair:
    """Return two running games in which a bot replaces absent players."""
    pair = Pair(app, rules, rng, LEAVING)
    pair.both(lambda it: it.people[1].post(f"{it.path}/seats"), same=False)
    pair.both(lambda it: it.people[VIEWER].post(f"{it.path}/seats"))
    for seat in range(3):
        pair.both(lambda it, seat=seat: it.people[seat].post(f"{it.path}/ready"))
    return pair


def _of_no_game(archive: Json) -> Json:
    """Remove hashes, which depend on the game's id, too."""
    return archive | {"events": [event | {"hash": ""} for event in archive["events"]]}


def test_a_game_closed_before_its_start_reveals_no_names(app: Flask) -> None:
    ada, bea = Someone(app, "ada"), Someone(app, "bea")
    path = f"/v1/games/{ada.post('/v1/games', wanted(ME, OPEN, OPEN, options=OPTIONS)).json['id']}"
    bea.post(f"{path}/seats")
    ada.delete(path)
    assert {it["name"] for it in ada.get(path).json["seats"]} == {None}


def test_players_see_their_own_name_at_their_own_seat(app: Flask) -> None:
    office = Office(app, DOMAIN)
    ada, bea, cyd = (Someone(app, name) for name in ("ada", "bea", "cyd"))
    options = {"start_seat": 0, "nameless": True}
    path = f"/v1/games/{ada.post('/v1/games', wanted(ME, OPEN, OPEN, options=options)).json['id']}"
    for who in (bea, cyd):
        who.post(f"{path}/seats")
    ada.post(f"{path}/moves", first_move(ada, path))
    assert bea.get(path).json["you"]["seat"] == 1
    with app.app_context():
        (mail,) = office.mails("bea")
    assert mail.text.count("bea") == 1  # its greeting
    assert re.search(r"- Seat 1 put ", mail.text)
    assert "Seat 3" in mail.text


def test_track_records_do_not_reveal_who_plays_a_seat_until_the_end(app: Flask) -> None:
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


def test_asking_a_player_to_stand_in_does_not_reveal_their_seat(app: Flask) -> None:
    ada, bea, cyd = (Someone(app, name) for name in ("ada", "bea", "cyd"))
    path = f"/v1/games/{ada.post('/v1/games', wanted(ME, OPEN, OPEN, options={'nameless': True})).json['id']}"
    for who in (bea, cyd):
        who.post(f"{path}/seats")
    days = {"from": "2026-11-23", "until": "2026-11-25"}
    for whom in ({"player": str(id_of_player(bea))}, {"email": "cyd@example.org"}):
        assert ada.post(f"{path}/seats/me/stand-in", whom | days).status_code == 201
    is_problem(ada.post(f"{path}/seats/me/stand-in", {"email": "ada@example.org"} | days), 409, "already-seated")


def test_closing_an_anonymous_game_before_its_start_does_not_change_track_records(app: Flask) -> None:
    ada, bea = Someone(app, "ada"), Someone(app, "bea")

    def told() -> Json:
        with app.app_context():
            read_records()
        return ada.get(f"/v1/players/{id_of_player(bea)}").json

    before = told()
    path = f"/v1/games/{ada.post('/v1/games', wanted(ME, OPEN, OPEN, options={'nameless': True})).json['id']}"
    bea.post(f"{path}/seats")
    ada.delete(path)
    assert ada.get(path).json["status"] == "abandoned"
    assert told() == before


def test_reminders_are_not_sent_at_night_in_anonymous_games_either(app: Flask) -> None:
    with app.app_context():
        service_is_up()
        ada, bea = person("ada"), person("bea")
        reminders = {"reminders": ["PT24H", "PT1H"]}
        change_profile(ada, {"calendar": {"night": "16:00-02:00"}, "notifications": reminders})
        game_id = game_of(ada, bea, bots=1, options={"start_seat": 0, "nameless": True})
        due_at, remind_at = seats_of(game_id)[0].due_at, seats_of(game_id)[0].remind_at
        assert due_at == NOW + timedelta(days=2)
        assert remind_at == datetime(2026, 11, 25, 2, 0, tzinfo=UTC)
