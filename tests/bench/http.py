"""What a move costs over HTTP, beside an endpoint that does only the least durable work: `python -m tests.bench.http`.

Both run under the same HTTP server over the same Postgres, in turns, and are driven by the same clients. What counts is
the ratio: machines differ, and this one is shared by clients, server and Postgres. `sandbox` measures what its movable
clock costs, beside a server without one.
"""

import argparse
import gc
import selectors
import socket
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from time import perf_counter, sleep
from typing import NamedTuple

import psycopg

from server.store import embedded_postgres
from server.web import server
from tests.bench import perfect
from tests.support import databases, stage

CLIENTS = 16
GAMES = 60  # a run
REHEARSED = 30
PATIENCE = 20.0  # seconds without any answer


# A client that costs little, since it shares the machine with what it measures: requests made beforehand, raw sockets


class Driven(NamedTuple):
    """How a load went: answers, seconds in all, the milliseconds each answer took, in order of length, and the bytes of all."""

    answers: int
    seconds: float
    took: Sequence[float]
    size: int

    @property
    def per_second(self) -> float:
        return self.answers / self.seconds

    def percentile(self, percent: int) -> float:
        return self.took[min(len(self.took) * percent // 100, len(self.took) - 1)]


class _Client:
    """A keep-alive connection with one request under way at a time."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.game: Iterator[bytes] = iter(())
        self.sent_at = 0.0
        self.received = b""

    def send(self, request: bytes) -> None:
        self.received = b""
        self.sent_at = perf_counter()
        self.socket.sendall(request)

    def answer(self) -> bytes | None:
        """What has come in, once it is whole."""
        chunk = self.socket.recv(65536)
        if not chunk:
            raise ConnectionError("The server closed the connection.")
        self.received += chunk
        head, found, body = self.received.partition(b"\r\n\r\n")
        if not found:
            return None
        _, _, length = head.lower().partition(b"content-length:")
        return self.received if len(body) == int(length.split(b"\r\n", 1)[0]) else None


def drive(
    port: int, games: Sequence[Iterable[bytes]], clients: int, expected: bytes = b"HTTP/1.1 201", pause: float = 0
) -> Driven:
    """Play these games until a client finds none that waits for a move. Raise ValueError for another answer,
    TimeoutError for none.

    The next move of a game is sent by any free client, because real players' moves arrive over many connections.
    A single client can pause before each for this many seconds.
    """
    waiting = deque(iter(game) for game in games)
    selector = selectors.DefaultSelector()
    took: list[float] = []
    connections = [_Client(port) for _ in range(clients)]
    busy, size = 0, 0
    began = perf_counter()
    for client in connections:
        selector.register(client.socket, selectors.EVENT_READ, client)
        busy += _send_next(client, waiting)
    while busy:
        ready = selector.select(PATIENCE)
        if not ready:
            raise TimeoutError(f"No answer has come for {PATIENCE} s.")
        for key, _ in ready:
            client = key.data
            answer = client.answer()
            if answer is None:
                continue
            took.append((perf_counter() - client.sent_at) * 1000)
            size += len(answer)
            if not answer.startswith(expected):
                raise ValueError(answer.decode())
            waiting.append(client.game)
            sleep(pause)
            busy += _send_next(client, waiting) - 1
    seconds = perf_counter() - began
    for client in connections:
        client.socket.close()
    selector.close()
    return Driven(len(took), seconds, sorted(took), size)


def _send_next(client: _Client, waiting: deque[Iterator[bytes]]) -> bool:
    while waiting:
        client.game = waiting.popleft()
        if (request := next(client.game, None)) is not None:
            client.send(request)
            return True
    return False


# Runs


class Run(NamedTuple):
    """A load and what it cost: CPU milliseconds an answer, of the web and of Postgres."""

    driven: Driven
    web: float
    postgres: float

    @property
    def cpu(self) -> float:
        return self.web + self.postgres


def run(served: stage.Served, postgres: embedded_postgres.Server, games: Sequence[Sequence[bytes]]) -> Run:
    pids = (served.pid, postgres.pid)
    before = [stage.cpu_seconds(pid) for pid in pids]
    driven = drive(served.port, games, CLIENTS)
    used = [stage.cpu_seconds(pid) - was for pid, was in zip(pids, before, strict=True)]
    return Run(driven, *(seconds * 1000 / driven.answers for seconds in used))


def report(name: str, runs: Sequence[Run]) -> None:
    figures = {
        "moves/s": median(it.driven.per_second for it in runs),
        "p50 ms": median(it.driven.percentile(50) for it in runs),
        "p99 ms": median(it.driven.percentile(99) for it in runs),
        "CPU ms a move": median(it.cpu for it in runs),
        "web": median(it.web for it in runs),
        "Postgres": median(it.postgres for it in runs),
    }
    print(f"{name:<18}" + "  ".join(f"{title} {figure:8.2f}" for title, figure in figures.items()), flush=True)


def spread(found: Sequence[float]) -> str:
    return f"{median(found):.2f} ({min(found):.2f} to {max(found):.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=("sandbox",), help="a sandbox beside a server without one")
    parser.add_argument("--pairs", type=int, default=5)
    wanted = parser.parse_args()
    if wanted.what == "sandbox":
        return show_sandbox(wanted.pairs)
    with stage.postgres() as postgres:
        with stage.in_process(postgres.url):
            rehearsed = stage.rehearse("sternenhimmel", REHEARSED)
        copies = stage.copies(postgres.url, rehearsed, perfect.GAMES // REHEARSED)
        ours = [stage.requests(game) for game in copies[: (wanted.pairs + 1) * GAMES]]
        request = stage.post("/move", "none", perfect.BODY)
        theirs = [[request] * len(game) for game in ours]
        url = databases.create_database(postgres.url, "perfect")
        perfect.make_tables(url)
        gc.freeze()  # so that collections find nothing to look at while answers wait
        with (
            stage.serving(stage.OURS, postgres.url) as our_web,
            stage.serving("tests.bench.perfect:app", url) as perfect_web,
        ):
            pairs = []
            for begin in range(0, len(ours), GAMES):
                games = slice(begin, begin + GAMES)
                pairs.append((run(our_web, postgres, ours[games]), run(perfect_web, postgres, theirs[games])))
        _check_log(postgres.url, sum(it.driven.answers for it, _ in pairs))
    pairs = pairs[1:]  # the first warms up
    print(f"{server.workers} workers of {server.threads} threads, {CLIENTS} clients, {len(pairs)} pairs")
    report("ours", [it for it, _ in pairs])
    report("perfect", [it for _, it in pairs])
    print(f"ratio of moves/s: {spread([mine.driven.per_second / least.driven.per_second for mine, least in pairs])}")
    print(f"ratio of CPU: {spread([mine.cpu / least.cpu for mine, least in pairs])}")
    print("targets: moves/s at least 0.8 of the perfect ones; at most 1.2 CPU ms a move; p99 at most 50 ms")


def show_sandbox(pairs: int) -> None:
    """Compare moves on a sandbox with moves on a server whose clock stands at real time."""
    with stage.postgres() as postgres:
        with stage.in_process(postgres.url):
            rehearsed = stage.rehearse("sternenhimmel", REHEARSED)
        copies = stage.copies(postgres.url, rehearsed, 4 * (pairs + 1))
        games = [[stage.requests(game) for game in copies[begin::2]] for begin in range(2)]
        gc.freeze()  # as above
        with (
            stage.serving(stage.OURS, postgres.url, settings={"STERNENPOST_SANDBOX": "on"}) as sandbox,
            stage.serving(stage.OURS, postgres.url) as plain,
        ):
            runs = []
            for begin in range(0, len(games[0]), GAMES):
                part = slice(begin, begin + GAMES)
                runs.append((run(sandbox, postgres, games[0][part]), run(plain, postgres, games[1][part])))
    report("sandbox", [it for it, _ in runs[1:]])
    report("without", [it for _, it in runs[1:]])
    faster = [one.driven.per_second / other.driven.per_second for one, other in runs[1:]]
    print(f"ratio of moves/s: {spread(faster)}; target: at least 0.95")


def _check_log(url: str, answers: int) -> None:
    """Every move that was accepted must be in the log. (The copies began at version 1.)"""
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT sum(version - 1) FROM games").fetchone()
    if row is None or row[0] != answers:
        raise SystemExit(f"{answers} moves were accepted, and the log holds {row and row[0]}.")


if __name__ == "__main__":
    main()
