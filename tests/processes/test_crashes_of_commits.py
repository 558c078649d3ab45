"""kill -9 around the commit of every change of a game or an account: the result equals that of an undisturbed run.

Each process is killed at two moments: while the last table that it writes is locked, and in its COMMIT, which Postgres
has made durable but not confirmed (as if a standby did not respond). Then the processes restart, and callers without a
response retry.
"""

import base64
import hashlib
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from itertools import count
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlencode, urlsplit
from uuid import UUID

import httpx
import orjson
import psycopg
import pytest
from flask import current_app

from server.accounts.account_codes import DELETION, NEW_ADDRESS, OLD_ADDRESS, ask_for_address, ask_for_deletion, id_of
from server.accounts.players import address_of, player_token
from server.clock import DAY, NOTHING, clock
from server.errors import PlayError
from server.games import Json
from server.operations.archives import archive_of
from server.operations.change_address import end_changes
from server.operations.delete_player import forget_guests
from server.operations.rebuild import check_game
from server.play import archive
from server.play.commits import load
from server.play.planning.plans import put_plan
from server.play.seating.games import open_game
from server.play.seating.seats import leave, ready, take_seat
from server.play.seating.stand_ins import Wish, accept_stand_in, ask_stand_in, change_stand_ins, stand_in_word
from server.play.turns.turn_links import caller
from server.play.votes import OFFER, vote
from server.store.tables import PlayerLetterRow, StandIn, db
from tests.support import stage
from tests.support.games import everything_due_happens, game_of, moves_of, moves_on, service_is_up, turn_of, wanted
from tests.support.live_server import PATIENCE, Client, House, new_house, until

BEFORE, AFTER = "before it is durable", "before its response"
VERIFIER = "v" * 64
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
BACK = "https://watch.example/back"
OPTIONS: Json = {"start_seat": 0}
ME, OPEN = {"player": "me"}, {"open": True}
_numbers = count(1)

Ask = partial[httpx.Response]


class Scene:
    """Ada, Ben and Cleo, and Dora who comes later; and a game of the first three in which Ada has moved."""

    def __init__(self, house: House, **more: Any) -> None:
        self.house = house
        names = [f"{name}-{next(_numbers)}" for name in ("ada", "ben", "cleo", "dora")]
        self.tokens = [player_token(f"{name}@example.org", name.partition("-")[0]) for name in names]
        self.people = [caller(token).player_id for token in self.tokens]
        self.ada, self.ben, self.cleo, self.dora = self.people
        self.game_id = game_of(*self.people[:3], options=OPTIONS, **more)
        moves_on(self.game_id, self.ada)
        self.path = f"/v1/games/{self.game_id}"

    def asks(self, who: UUID, method: str, path: str, body: Json | None = None) -> Ask:
        """Make this call as a program that retries until it gets an answer."""
        client = Client(self.house, self.tokens[self.people.index(who)])
        client.get("/v1/me")  # a first use of a token is noted
        return partial(client.ask, method, path, json=body, headers={"Sec-Fetch-Site": "same-origin"})

    def stand_in(self, accepted: bool, begins_in: timedelta = NOTHING) -> str:
        """Ben asks Dora to stand in for a day; the word of the letter."""
        day = (clock.now() + begins_in).date().isoformat()
        ask_stand_in(self.game_id, self.ben, Wish(day, day, self.dora))
        mark = db.session.scalars(db.select(StandIn.mark).where(StandIn.game_id == self.game_id)).one()
        word = stand_in_word(self.game_id, 1, mark)
        if accepted:
            accept_stand_in(word, self.dora)
        return word

    def left(self) -> Json:
        """What is stored of the game and its people, by their names."""
        known = {"game": self.game_id, "people": self.people}
        with psycopg.connect(self.house.database_url) as connection:
            found = {what: connection.execute(query, known).fetchall() for what, query in _STORED.items()}
        return {
            what: sorted(re.sub("player [0-9a-f]{4}", "player", str(row)) for row in rows)
            for what, rows in found.items()
        }

    def is_whole(self) -> bool:
        """Whether the log is, and what is stored beside it; and the archive, once the game has been given up."""
        for who in self.people:
            with suppress(PlayError):  # who plays no seat
                vote(self.game_id, who, "abandon", True)
        if load(self.game_id).table.turns:
            assert archive.check(orjson.dumps(archive_of(self.game_id, None))).table.status == "abandoned"
        assert check_game(self.game_id) == []
        return True


_STORED = {
    "log": "SELECT seq, version, type, seat FROM events WHERE game_id = %(game)s",
    "seats": """
        SELECT seat, s.kind, p.name, o.name, turn, to_act, stand_in, planned, ready, since, due_at IS NULL
          FROM seats s LEFT JOIN players p USING (player_id) LEFT JOIN players o ON o.player_id = owner_id
         WHERE game_id = %(game)s""",
    "letters": """
        SELECT DISTINCT kind, seat, name, letter_id IS NULL, count(*) OVER (PARTITION BY kind, seat, name) FROM (
          SELECT letter_id, kind, seat, player_id FROM outbox WHERE game_id = %(game)s
          UNION SELECT letter_id, kind, seat, player_id FROM deliveries WHERE game_id = %(game)s
        ) AS letters LEFT JOIN players USING (player_id) WHERE kind <> 'invitation'""",
    "addresses that nobody has": """
        SELECT what FROM (
          SELECT 'seat' AS what, email FROM seats WHERE game_id = %(game)s AND email IS NOT NULL
          UNION SELECT 'letter', data->>'to' FROM outbox WHERE game_id = %(game)s AND data ? 'to'
        ) AS addresses WHERE email <> ALL(SELECT email FROM players WHERE player_id = ANY(%(people)s))""",
    "plans": "SELECT seat, revision, done, jsonb_array_length(moves), played FROM plans WHERE game_id = %(game)s",
    "stand-ins": "SELECT seat, accepted_by IS NULL FROM stand_ins WHERE game_id = %(game)s",
    "votes": "SELECT wish, seat FROM votes WHERE game_id = %(game)s",
    "games of people": """
        SELECT name, seat, role, over_at IS NULL FROM player_games JOIN players USING (player_id)
         WHERE game_id = %(game)s""",
    "people": "SELECT name, deleted_at IS NULL, guest_until FROM players WHERE player_id = ANY(%(people)s)",
    "tokens": """
        SELECT p.name, app_id IS NULL, count(*) FROM tokens t JOIN players p USING (player_id)
         WHERE player_id = ANY(%(people)s) GROUP BY 1, 2""",
    "apps": """
        SELECT p.name, a.family_hash IS NULL FROM apps a JOIN players p USING (player_id)
         WHERE player_id = ANY(%(people)s)""",
    "letters of people": """
        SELECT kind FROM (SELECT letter_id, kind, player_id FROM player_outbox
          UNION SELECT letter_id, kind, player_id FROM player_deliveries) AS letters WHERE player_id = ANY(%(people)s)""",
}


class Work(NamedTuple):
    """Something to be done: where it is held up last, and who does it, the web if it is asked or else the worker."""

    scene: Scene
    table: str
    ask: Ask | None = None
    due: str = ""  # the statement that has its time come
    ends: Callable[[], object] | None = None  # what a worker does later about interrupted requests


# What is asked of the web


def move(house: House) -> Work:
    scene = Scene(house)
    its = {"turn": turn_of(scene.game_id, scene.ben), "move": moves_of(scene.game_id, scene.ben)[0]}
    return Work(scene, "events", scene.asks(scene.ben, "POST", f"{scene.path}/moves", its))


def take_back(house: House) -> Work:
    scene = Scene(house)
    return Work(scene, "votes", scene.asks(scene.ada, "POST", f"{scene.path}/take-backs", {"to": 1}))


def accept(house: House) -> Work:
    scene = Scene(house)
    return Work(scene, "events", scene.asks(scene.dora, "POST", f"/v1/stand-ins/{scene.stand_in(accepted=False)}"))


def end_standing_in(house: House) -> Work:
    scene = Scene(house)
    scene.stand_in(accepted=True)
    return Work(scene, "stand_ins", scene.asks(scene.ben, "DELETE", f"{scene.path}/seats/me/stand-in"))


def take_over(house: House) -> Work:
    scene = Scene(house)
    leave(scene.game_id, scene.cleo)
    for who in (scene.ada, scene.ben):
        vote(scene.game_id, who, OFFER, True)
    return Work(scene, "outbox", scene.asks(scene.dora, "POST", f"{scene.path}/seats", {"seat": 2, "take_over": True}))


def say_ready(house: House) -> Work:
    scene = checked(house)
    ready(scene.game_id, scene.ada)
    return Work(scene, "events", scene.asks(scene.ben, "POST", f"{scene.path}/ready", {}))


def checked(house: House) -> Scene:
    """A game whose people are asked whether they are ready."""
    scene = Scene(house)
    check = wanted(ME, OPEN, {"bot": "greedy"}, options=OPTIONS | {"ready_check": {"within": "P2D"}})
    scene.game_id = open_game(scene.ada, check).game_id
    take_seat(scene.game_id, scene.ben)
    scene.path = f"/v1/games/{scene.game_id}"
    return scene


def allow_app(house: House) -> Work:
    scene = Scene(house)
    return Work(scene, "apps", allowing(scene))


def allowing(scene: Scene) -> Ask:
    registered = httpx.post(
        f"{scene.house.url}/oauth/register", json={"client_name": "Watch", "redirect_uris": [BACK]}, verify=False
    )
    asked = {
        "response_type": "code",
        "client_id": registered.json()["client_id"],
        "redirect_uri": BACK,
        "scope": "games:read moves:write",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
    }
    said = {"allow": True, "player": str(scene.ada)}
    return scene.asks(scene.ada, "POST", f"/oauth/authorize?{urlencode(asked)}", said)


def trade_code(house: House) -> Work:
    scene = Scene(house)
    return Work(scene, "player_outbox", trading(scene))


def trading(scene: Scene) -> Ask:
    allowed = allowing(scene)
    code = parse_qs(urlsplit(allowed().json()["redirect"]).query)["code"][0]
    client_id = parse_qs(urlsplit(allowed.args[1]).query)["client_id"][0]
    form = {"grant_type": "authorization_code", "code": code, "client_id": client_id}
    form |= {"redirect_uri": BACK, "code_verifier": VERIFIER}
    return partial(Client(scene.house).ask, "POST", "/oauth/token", data=form)


def refresh(house: House) -> Work:
    scene = Scene(house)
    traded = trading(scene)
    form = {
        "grant_type": "refresh_token",
        "refresh_token": traded().json()["refresh_token"],
        "client_id": traded.keywords["data"]["client_id"],
    }
    return Work(scene, "apps", partial(Client(house).ask, "POST", "/oauth/token", data=form))


def delete_account(house: House) -> Work:
    """It begins with a commit and goes on by several; a worker ends what breaks off."""
    scene = Scene(house)
    ask_for_deletion(scene.ben)
    code = mailed_code(scene.ben, DELETION)
    return Work(scene, "players", scene.asks(scene.ben, "DELETE", f"/v1/me?code={code}"), ends=forget_guests)


def mailed_code(who: UUID, purpose: str) -> str:
    mailed = db.select(PlayerLetterRow.data).where(PlayerLetterRow.player_id == id_of(who, purpose))
    return str(db.session.scalars(mailed).one()["code"])


def delete_account_further_on(house: House) -> Work:
    return delete_account(house)._replace(table="seats")


def change_address(house: House) -> Work:
    """It begins with a commit, too, and goes on game by game; in one of these a seat is kept for Dora."""
    scene = Scene(house)
    kept = wanted(ME, {"email": address_of(scene.dora)}, OPEN, options=OPTIONS)
    scene.game_id = open_game(scene.ada, kept).game_id
    email = f"dora-{next(_numbers)}@example.net"
    ask_for_address(scene.dora, email)
    codes = {"code": mailed_code(scene.dora, OLD_ADDRESS), "new_code": mailed_code(scene.dora, NEW_ADDRESS)}
    asks = scene.asks(scene.dora, "PATCH", "/v1/me", {"email": email, **codes})
    return Work(scene, "players", asks, ends=end_changes)


def change_address_further_on(house: House) -> Work:
    return change_address(house)._replace(table="seats")


# What a worker does by itself


def let_plan_move(house: House) -> Work:
    scene = Scene(house)
    moves = [{"move": move, "if": [], "after": "PT0S"} for move in moves_of(scene.game_id, scene.ben)[:1]]
    put_plan(scene.game_id, scene.ben, 0, moves)
    return Work(scene, "plans", due="UPDATE seats SET wake_at = now() WHERE game_id = %s AND planned")


_RUN_OUT = """UPDATE seats SET asked_at = asked_at - interval '3 days', due_at = due_at - interval '3 days',
    remind_at = NULL, wake_at = due_at - interval '3 days' WHERE game_id = %s AND due_at IS NOT NULL"""


def time_out(house: House) -> Work:
    scene = Scene(house, on_timeout=[{"do": "extend", "by": "P1D", "times": 1}, {"do": "abandon"}])
    return Work(scene, "outbox", due=_RUN_OUT)


def open_late_seats(house: House) -> Work:
    return Work(checked(house), "outbox", due=_RUN_OUT)


def end_standing_in_by_the_clock(house: House) -> Work:
    scene = Scene(house)
    scene.stand_in(accepted=True)
    return Work(scene, "stand_ins", due="UPDATE stand_ins SET wake_at = now(), until_at = now() WHERE game_id = %s")


def begin_standing_in_by_the_clock(house: House) -> Work:
    scene = Scene(house)
    scene.stand_in(accepted=True, begins_in=DAY)
    return Work(scene, "events", due="UPDATE stand_ins SET wake_at = now(), from_at = now() WHERE game_id = %s")


BY_WEB = (
    *(take_back, accept, end_standing_in, take_over, say_ready),
    *(allow_app, trade_code, refresh, delete_account, delete_account_further_on),
    *(change_address, change_address_further_on),
)
FURTHER_ON = (delete_account_further_on, change_address_further_on)  # no first commit of theirs was answered
BY_WORKER = (let_plan_move, time_out, open_late_seats, begin_standing_in_by_the_clock, end_standing_in_by_the_clock)


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with new_house(STERNENPOST_LIMITS="off") as house, stage.in_process(house.database_url):
        current_app.config["LIMITS"] = False
        house.start_web()
        yield house


@contextmanager
def held(house: House, table: str, moment: str) -> Iterator[None]:
    """Stop every commit that writes this table at this moment, within the block."""
    with psycopg.connect(house.database_url, autocommit=True) as connection, ThreadPoolExecutor(1) as probe:
        if moment == BEFORE:
            with connection.transaction():
                connection.execute(f"LOCK TABLE {table} IN SHARE MODE")
                yield
            return
        connection.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        try:
            connection.execute("SELECT pg_reload_conf()")
            probe.submit(_probe, house)
            until(lambda: house.count("pg_stat_activity WHERE wait_event = 'SyncRep'"))
            yield
        finally:
            connection.execute("ALTER SYSTEM RESET synchronous_standby_names")
            connection.execute("SELECT pg_reload_conf()")


def _probe(house: House) -> None:
    """Commit until one is not answered, as none is from then on."""
    with psycopg.connect(house.database_url, autocommit=True) as connection:
        while house.rows("SHOW synchronous_standby_names")[0]["synchronous_standby_names"]:
            connection.execute("SELECT pg_logical_emit_message(true, 'probe', '')")


def await_held(house: House, table: str, moment: str) -> None:
    """Wait until a process is at it."""
    where = "NOT granted" if moment == BEFORE else "granted AND wait_event = 'SyncRep'"
    waiting = "pg_locks JOIN pg_class c ON c.oid = relation JOIN pg_stat_activity USING (pid)"
    until(lambda: house.count(f"{waiting} WHERE relname = %s AND mode = 'RowExclusiveLock' AND {where}", table))


def asked(work: Work, times: int) -> tuple[int, Json]:
    """Return the undisturbed result and the last answer."""
    assert work.ask is not None
    answers = [work.ask() for _ in range(times)]
    return answers[-1].status_code, ended(work)


def ended(work: Work) -> Json:
    if work.ends:
        work.ends()
    return work.scene.left()


@pytest.mark.parametrize(
    ("begin", "moment"),
    [
        (begin, moment)
        for begin in BY_WEB
        for moment in (BEFORE, AFTER)
        if (begin, moment) not in [(it, AFTER) for it in FURTHER_ON]
    ],
    ids=lambda it: it if isinstance(it, str) else it.__name__,
)
def test_a_request_interrupted_by_a_web_crash_is_completed_once_on_retry(
    house: House, begin: Callable[[House], Work], moment: str
) -> None:
    once, twice = (asked(begin(house), times) for times in (1, 2))
    work = begin(house)
    assert work.ask is not None
    with ThreadPoolExecutor(1) as threads:
        with held(house, work.table, moment):
            answer = threads.submit(work.ask)
            await_held(house, work.table, moment)
            house.kill(house.web)
        if begin in FURTHER_ON:
            ended(work)  # before anybody asks again
            assert work.scene.left() in (once[1], twice[1])
        house.start_web()
        found = answer.result().status_code, ended(work)
    assert found in ([twice] if moment == AFTER and not work.ends else [once, twice])
    assert work.scene.is_whole()


@pytest.mark.parametrize("begin", [move, take_back], ids=lambda it: it.__name__)
def test_a_caller_gets_503_while_a_replica_is_lost_and_the_right_response_on_retry(
    house: House, begin: Callable[[House], Work]
) -> None:
    once, twice = (asked(begin(house), times) for times in (1, 2))
    work = begin(house)
    assert work.ask is not None
    client = work.ask.func.__self__
    with held(house, work.table, AFTER):
        answer = client._http.request(*work.ask.args, **work.ask.keywords, timeout=PATIENCE)
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        assert client._http.get(work.scene.path).status_code == 200
    assert (work.ask().status_code, ended(work)) in (once, twice)
    assert work.scene.is_whole()


@pytest.mark.parametrize("moment", [BEFORE, AFTER])
@pytest.mark.parametrize("begin", BY_WORKER, ids=lambda it: it.__name__)
def test_work_interrupted_by_a_worker_crash_is_done_once_by_another_worker(
    house: House, begin: Callable[[House], Work], moment: str
) -> None:
    service_is_up()
    undisturbed = begin(house)
    come_due(undisturbed)
    everything_due_happens()
    change_stand_ins()
    expected, work = undisturbed.scene.left(), begin(house)
    come_due(work)
    assert work.scene.left() != expected
    with held(house, work.table, moment):
        worker = house.start_worker()
        await_held(house, work.table, moment)
        house.kill(worker)
    worker = house.start_worker()
    until(lambda: work.scene.left() == expected)
    house.kill(worker)
    everything_due_happens()
    change_stand_ins()
    assert work.scene.left() == expected
    assert work.scene.is_whole()


def come_due(work: Work) -> None:
    with psycopg.connect(work.scene.house.database_url) as connection:
        connection.execute(work.due, (work.scene.game_id,))
