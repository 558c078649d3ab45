"""Many machines and bad lines: `python -m tests.bench.machines --seconds 30`, as root of Linux.

Two webs, two workers, a primary and its synchronous replica, each on a machine of its own (a network namespace). Programs
play by one web or the other while the lines to Postgres lose packets or take long, a web or a worker is cut off, or the
primary is lost and its replica promoted, as Patroni has it. Nothing is restarted. Afterwards every acknowledged move is
held against the log, and every letter against the mailboxes. Exit status 1 if one is lost or doubled.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from random import Random
from threading import Event
from typing import NamedTuple
from uuid import UUID

import httpx

from tests.support.history import Acknowledged, Letters, Moves, check_moves, letters_in_the_end, note_letters
from tests.support.live_server import Json, sign_in, until
from tests.support.machines import ManyMachines, many_machines

PROMOTED_AFTER = 10.0  # seconds from the loss of a primary to the promotion of its replica
_CALM = 5.0  # seconds of undisturbed play before
_GAMES = 3  # that each of them plays at the same time
_LOOK = 0.2  # seconds between two looks at a game
_RETRY = 0.25  # seconds until a request without an answer is made again
_LONGEST = 60.0  # seconds that a program waits for an answer
_UNTIL_WELL = 90.0  # seconds


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
def loss(house: ManyMachines) -> Iterator[None]:
    for line in house.lines_to_postgres():
        line.loss = 0.05
    yield
    for line in house.lines_to_postgres():
        line.loss = 0.0


@contextmanager
def delay(house: ManyMachines) -> Iterator[None]:
    for line in house.lines_to_postgres():
        line.delay = 0.1
    yield
    for line in house.lines_to_postgres():
        line.delay = 0.0


def partition_of_a_web(house: ManyMachines) -> AbstractContextManager[None]:
    return house.cut_off(house.web_machines[0])


def partition_of_a_worker(house: ManyMachines) -> AbstractContextManager[None]:
    return house.cut_off(house.worker_machines[0])


@contextmanager
def failover(house: ManyMachines) -> Iterator[None]:
    """Whatever was on the way to the primary gets no answer, not even that it is gone."""
    house.lose_primary()
    time.sleep(PROMOTED_AFTER)
    house.fail_over()
    yield


_MOVED = "failover, address moved"
TROUBLES: dict[str, Callable[[ManyMachines], AbstractContextManager[None]]] = {
    "loss 5 %": loss,
    "delay 100 ms": delay,
    "partition of a web": partition_of_a_web,
    "partition of a worker": partition_of_a_worker,
    "failover": failover,
    _MOVED: failover,
}


def disturbed(trouble: str, seconds: float, people: int = 4, calm: float = _CALM) -> Outcome:
    """Play through this trouble, which lasts so many seconds; a failover as long as it takes."""
    with many_machines(address_moves=trouble == _MOVED) as house, ThreadPoolExecutor(people) as threads:
        note_letters(house.database_url)
        webs = [f"http://{machine.address}:{house.port}" for machine in house.web_machines]
        programs = [_Program(house, number, webs[number % len(webs)]) for number in range(people)]
        over = Event()
        playing = [threads.submit(program.plays, over) for program in programs]
        try:
            time.sleep(calm)
            with TROUBLES[trouble](house):
                ended = time.monotonic()
                if TROUBLES[trouble] is not failover:
                    time.sleep(seconds)
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
    """Somebody's program, which plays against bots by one web and asks again until it is answered."""

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30.0, help="for which each trouble lasts")
    parser.add_argument("--people", type=int, default=4)
    parser.add_argument("--only", choices=TROUBLES, action="append")
    wanted = parser.parse_args()
    are_well = True
    for trouble in wanted.only or TROUBLES:
        with redirect_stdout(sys.stderr):  # for what webs and workers have said
            outcome = disturbed(trouble, wanted.seconds, wanted.people)
        print(outcome, flush=True)
        are_well = are_well and outcome.is_well
    raise SystemExit(0 if are_well else 1)


if __name__ == "__main__":
    main()
