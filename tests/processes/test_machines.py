"""Web servers, workers and Postgres on separate machines: connections fail silently, and a primary is lost for good.

Programs play through either web server while the connections to Postgres lose packets or are slow, a web server or a
worker is cut off, or the primary is lost and its replica promoted, as Patroni does it. Nothing is restarted. Afterwards
every acknowledged move is compared with the log, and every letter with the mailboxes.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from random import Random
from threading import Event
from typing import NamedTuple
from uuid import UUID

import httpx
import psycopg
import pytest

from server.store.connections import engine_options
from server.store.database_retry import is_passing
from server.store.tables import APP_ROLE
from tests.support.history import Acknowledged, Letters, Moves, check_moves, letters_in_the_end, note_letters
from tests.support.live_server import PATIENCE, Client, Json, sign_in, until
from tests.support.machines import Machine, ManyMachines, many_machines, why_not

REASON = why_not()
pytestmark = pytest.mark.skipif(REASON is not None, reason=f"no machines: {REASON}")

BEN = "ben@example.org"
TRIES = "SELECT tries FROM player_outbox"
LISTENERS = "pg_stat_activity WHERE query LIKE 'LISTEN %%'"
PROMOTED_AFTER = 10.0  # seconds from the loss of a primary to the promotion of its replica
_PEOPLE = 2
_GAMES = 3  # that each of them plays at the same time
_LOOK = 0.2  # seconds between two looks at a game
_RETRY = 0.25  # seconds until a request without an answer is made again
_LONGEST = 120.0  # seconds that a program waits for an answer
_UNTIL_WELL = 240.0  # seconds


class Outcome(NamedTuple):
    """What became of everything; `well_after`: seconds from the end of the trouble (of a failover: from the promotion)
    until a move of each program that it had sent since was acknowledged."""

    trouble: str
    moves: Moves
    letters: Letters
    failures: Counter[str]
    slowest: float
    well_after: float

    @property
    def is_well(self) -> bool:
        return self.moves.are_well and not self.letters.lost

    def __str__(self) -> str:
        failures = ", ".join(f"{number} {what}" for what, number in sorted(self.failures.items())) or "none"
        there = self.moves.acknowledged - len(self.moves.lost)
        return (
            f"{self.trouble:24} moves: {self.moves.acknowledged} acknowledged, {there} there, "
            f"{len(self.moves.doubled)} doubled, {len(self.moves.told_wrongly)} told wrongly; "
            f"requests failed: {failures}, the longest took {self.slowest:.1f} s; "
            f"letters: {self.letters.made} made, {len(self.letters.lost)} lost, {self.letters.twice} twice; "
            f"well again after {self.well_after:.1f} s"
        )


# Troubles: each lasts as long as its `with` block


@contextmanager
def bad_lines(what: str, number: float, house: ManyMachines) -> Iterator[None]:
    """Set the `loss` or `delay` of all connections to Postgres."""
    for value in (number, 0.0):
        for line in house.lines_to_postgres():
            setattr(line, what, value)
        if value:
            yield


def partition_of_a_web(house: ManyMachines) -> AbstractContextManager[None]:
    return house.cut_off(house.web_machines[0])


def partition_of_a_worker(house: ManyMachines) -> AbstractContextManager[None]:
    return house.cut_off(house.worker_machines[0])


@contextmanager
def failover(house: ManyMachines) -> Iterator[None]:
    """Lose the primary and promote its replica. Packets on their way to the primary get no answer."""
    house.lose_primary()
    time.sleep(PROMOTED_AFTER)
    house.fail_over()
    yield


_MOVED = "failover, address moved"
TROUBLES: dict[str, Callable[[ManyMachines], AbstractContextManager[None]]] = {
    "loss 5 %": partial(bad_lines, "loss", 0.05),
    "delay 100 ms": partial(bad_lines, "delay", 0.1),
    "partition of a web": partition_of_a_web,
    "partition of a worker": partition_of_a_worker,
    "failover": failover,
    _MOVED: failover,
}


def disturbed(trouble: str, seconds: float, calm: float, until_failure: bool = False) -> Outcome:
    """Play through this trouble, which lasts so many seconds; a failover as long as it takes."""
    with many_machines(address_moves=trouble == _MOVED) as house, ThreadPoolExecutor(_PEOPLE) as threads:
        note_letters(house.database_url)
        webs = [f"http://{machine.address}:{house.port}" for machine in house.web_machines]
        programs = [_Program(house, number, webs[number % len(webs)]) for number in range(_PEOPLE)]
        over = Event()
        playing = [threads.submit(program.plays, over) for program in programs]
        try:
            time.sleep(calm)
            until(lambda: all(it.history for it in programs))
            with TROUBLES[trouble](house):
                ended = time.monotonic()
                if TROUBLES[trouble] is not failover:
                    time.sleep(seconds)
                    until(lambda: not until_failure or any(it.failures for it in programs))
                    ended = time.monotonic()
            until(lambda: all(it.first_since(ended) for it in programs), _UNTIL_WELL)
            well_after = max(it.first_since(ended) for it in programs) - ended
        finally:
            over.set()
        for each in playing:
            each.result()
        return Outcome(
            trouble=trouble,
            moves=check_moves(house.database_url, [it for program in programs for it in program.history]),
            letters=letters_in_the_end(house),
            failures=sum((it.failures for it in programs), Counter[str]()),
            slowest=max(it.slowest for it in programs),
            well_after=well_after,
        )


class _Program:
    """A program that plays against bots through one web and retries until it gets an answer."""

    def __init__(self, house: ManyMachines, number: int, web: str) -> None:
        self._token = sign_in(house, f"program-{number}@example.org").token
        self._http = httpx.Client(base_url=web, timeout=_LONGEST, headers={"Authorization": f"Bearer {self._token}"})
        self._rng = Random(number)
        self._games: list[str] = []
        self._moved: list[tuple[float, float]] = []  # when each move was first sent, and when it was acknowledged
        self.history: list[Acknowledged] = []
        self.failures = Counter[str]()
        self.slowest = 0.0

    def first_since(self, moment: float) -> float:
        """When the first move was acknowledged that was sent since then; 0 if none was."""
        return next((acknowledged for sent, acknowledged in self._moved if sent >= moment), 0.0)

    def plays(self, over: Event) -> None:
        while not over.is_set():
            if len(self._games) < _GAMES:
                seats = [{"player": "me"}, {"bot": "random"}, {"bot": "random"}]
                body = {"rules": "sternenhimmel", "seats": seats}
                self._games.append(self._ask("POST", "/v1/games", json=body)["id"])
            for game in list(self._games):
                self._moves(game)
            over.wait(_LOOK)

    def _moves(self, game: str) -> None:
        """If it is our turn."""
        asked = self._ask("GET", f"/v1/games/{game}/legal-moves")
        if asked["turn"] is None:
            if self._ask("GET", f"/v1/games/{game}")["status"] == "finished":
                self._games.remove(game)
            return
        sent = time.monotonic()
        move = {"turn": asked["turn"], "move": self._rng.choice(asked["moves"])}
        answer = self._ask("POST", f"/v1/games/{game}/moves", json=move)
        self.history.append(Acknowledged(UUID(game), 0, answer))
        self._moved.append((sent, time.monotonic()))

    def _ask(self, method: str, path: str, **more: Json) -> Json:
        """The answer, in the end."""
        while True:
            began = time.monotonic()
            try:
                answer = self._http.request(method, path, **more)
                failure = str(answer.status_code) if answer.is_server_error else None
            except httpx.TransportError as error:
                failure = type(error).__name__
            self.slowest = max(self.slowest, time.monotonic() - began)
            if failure is None:
                assert answer.is_success, answer.text
                told: Json = answer.json()
                return told
            self.failures[failure] += 1
            time.sleep(_RETRY)


# Tests


def test_a_failover_neither_loses_nor_duplicates_anything_and_needs_no_restart() -> None:
    outcome = disturbed("failover", seconds=0, calm=0)
    assert outcome.moves.acknowledged and outcome.is_well, outcome
    assert set(outcome.failures) <= {"503"}, outcome


def test_an_isolated_web_process_responds_with_503_and_recovers_by_itself() -> None:
    outcome = disturbed("partition of a web", seconds=0, calm=0, until_failure=True)
    assert outcome.moves.acknowledged and outcome.is_well, outcome
    assert set(outcome.failures) == {"503"}, outcome


@pytest.mark.parametrize("trouble", ["loss 5 %", "delay 100 ms", "partition of a worker", _MOVED])
def test_bad_network_connections_neither_lose_nor_duplicate_anything(trouble: str) -> None:
    outcome = disturbed(trouble, seconds=10, calm=3)
    assert outcome.moves.acknowledged and outcome.is_well, outcome


def test_an_isolated_client_loses_its_locks_and_connections_and_fails_fast() -> None:
    with many_machines(webs=0, workers=0) as house:
        here, primary = Machine("here", house.network.here), house.primary.machine
        how = engine_options()["connect_args"]
        with psycopg.connect(f"postgresql://{APP_ROLE}@{primary.address}/sternenpost", **how) as connection:
            connection.execute("LOCK TABLE heartbeats IN EXCLUSIVE MODE")
            with house.cut_off(here):
                until(lambda: not house.count("pg_stat_activity WHERE usename = %s", APP_ROLE))
                with pytest.raises(psycopg.OperationalError) as broken:
                    connection.execute("SELECT 1")
                assert is_passing(broken.value)


def test_a_listener_reconnects_to_the_new_primary_after_a_failover() -> None:
    with many_machines(webs=0, workers=1) as house:
        until(lambda: house.count(LISTENERS))
        house.lose_primary()
        house.fail_over()
        until(lambda: house.count(LISTENERS))


def test_an_isolated_worker_that_holds_an_email_does_not_send_it() -> None:
    with many_machines(webs=1, workers=1) as house:
        door = house.post.hold(BEN)
        Client(house).post("/v1/sign-ins", {"email": BEN}, status=202)
        assert door.knocked.wait(PATIENCE)
        tries = house.rows(TRIES)
        with house.cut_off(house.worker_machines[0]):
            house.add_worker()
            until(lambda: house.rows(TRIES) != tries)  # the other one has it
            house.post.release(BEN)
            until(lambda: house.post.of(BEN))
            until(lambda: "our lease on it ran out" in house.output())
        until(lambda: not house.count("player_outbox"))
        assert len(house.post.of(BEN)) == 1
