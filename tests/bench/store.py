"""Costs of stored games: `python -m tests.bench.store view`, or `sweep`, `due`, `memory`, `growth`, `ends`, `all`.

view    a seat's view of the longest game, from Postgres alone, in a process without its table
sweep   a sweep with nothing due
due     ten thousand seats due at once (`--rows`), while others play over HTTP: is each timed out exactly once?
memory  memory of a web process per thousand live half-played games
growth  the same moves and lists among ten times the games and a hundred times the events (`--large`; else ten times)
ends    the last moves of games beside the first

Each works on an embedded Postgres of its own with `synchronous_commit=on`. Limits are measured in the same run: the
bare statement in Postgres, or an answer that says nothing. What counts are ratios and CPU milliseconds.
"""

import argparse
import gc
import os
import random
import signal
import socket
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import chain
from statistics import median
from time import perf_counter, sleep
from typing import Any
from uuid import UUID

import psutil
import psycopg

from server.games import GAMES, Json
from server.play.commits import whole_log
from server.play.timing.heartbeats import beat
from server.play.timing.sweep import wake_due
from server.play.timing.timeout_policy import DEFAULT_LADDER
from server.play.views import describe, load_visible
from server.store import embedded_postgres
from tests.bench.http import Run, drive, run, spread
from tests.bench.http import report as report_moves
from tests.support import crowd, many_due, stage

OK = b"HTTP/1.1 200"
REHEARSED = 30
VIEWS = 500
DUE = 10_000
OTHERS = 500
PACE = 50  # moves a second of the other players
PATIENCE = 720  # seconds
WHOLE = 1_000  # logs whose hashes are checked
LADDERS = {"extend": DEFAULT_LADDER, "bot-move": stage.A_BOT_MOVES}
LIVE = 1_000
LOOKS = 60


def report(name: str, took: Sequence[float], target: str = "") -> None:
    took = sorted(took)
    p50, p99 = (took[min(len(took) * percent // 100, len(took) - 1)] for percent in (50, 99))
    print(f"  {name:<50} p50 {p50:8.2f}  p99 {p99:8.2f} ms  {target}", flush=True)


def timed(work: Callable[..., object], *args: object) -> float:
    began = perf_counter()
    work(*args)
    return (perf_counter() - began) * 1000


# A view from a cold start


def view() -> None:
    for name in GAMES:
        with stage.postgres() as postgres:
            with stage.in_process(postgres.url):
                longest = max(stage.rehearse(name, REHEARSED), key=lambda game: len(game.lines))
                stage.play_on(longest, slice(-1))
                events = len(whole_log(longest.game_id))
            copies = stage.copies(postgres.url, [longest], 4 * VIEWS)
            parts = [[game.game_id for game in copies[n * VIEWS : (n + 1) * VIEWS]] for n in range(4)]
            line = longest.lines[0]
            print(f"{name}: a seat's view of a game of {events} events, cold (target p99 10 ms)")
            report("the bare SELECT of its events", _selects(postgres.url, parts[0]))
            with stage.in_process(postgres.url):
                report("through play", [timed(_look, game_id, line.player_id) for game_id in parts[0]])
            with stage.serving(stage.OURS, postgres.url, workers=1) as served:
                nothing = drive(served.port, [[_get("/healthz", line.token)] * VIEWS], 1, OK)
                report("an answer over HTTP that says nothing", nothing.took)
                for clients, ids in ((1, parts[1]), (4, parts[2])):
                    requests = [[_get(f"/v1/games/{game_id}", line.token)] for game_id in ids]
                    took = drive(served.port, requests, clients, OK).took
                    report(f"over HTTP, {clients} at a time", took)


def _look(game_id: UUID, player_id: UUID) -> None:
    game = load_visible(game_id, player_id)
    describe(game, game.seat_of(player_id))


def _selects(url: str, ids: Sequence[UUID]) -> list[float]:
    query = "SELECT seq, version, type, seat, body, recorded_at, hash FROM events WHERE game_id = %s ORDER BY seq"
    with psycopg.connect(url, autocommit=True) as connection:
        return [timed(_select, connection, query, game_id) for game_id in ids]


def _select(connection: psycopg.Connection[Any], query: str, *parameters: object) -> None:
    connection.execute(query, parameters).fetchall()


def _get(path: str, token: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode()


# The sweep


def sweep() -> None:
    """Create half-played games in which no player is late."""
    with stage.postgres() as postgres:
        games = _half_played(postgres, DUE)
        with stage.in_process(postgres.url):
            for part in ("web", "worker"):
                beat(part)
            print(f"a sweep of {len(games):,} running games with nothing due (target 5 ms)")
            query = "SELECT game_id FROM seats WHERE wake_at <= now() ORDER BY wake_at LIMIT 100"
            with psycopg.connect(postgres.url, autocommit=True) as connection:
                report("the bare SELECT", [timed(_select, connection, query) for _ in range(200)])
            report("play.sweep()", [timed(wake_due) for _ in range(200)])


def _half_played(
    postgres: embedded_postgres.Server, count: int, on_timeout: Sequence[Json] = stage.A_BOT_MOVES
) -> list[stage.Rehearsed]:
    with stage.in_process(postgres.url):
        rehearsed = stage.rehearse("sternenhimmel", REHEARSED, on_timeout)
        for game in rehearsed:
            stage.play_on(game, slice(len(game.lines) // 2))
    games = stage.copies(postgres.url, rehearsed, count // REHEARSED + 1)
    return [game._replace(lines=game.lines[len(game.lines) // 2 :]) for game in games]


def due(rows: int, workers: Sequence[int], first_step: str, end: str) -> None:
    with stage.postgres() as postgres:
        others_count = max(OTHERS, rows // 50)
        games = _half_played(postgres, rows * len(workers) + others_count, LADDERS[first_step])
        others, games = games[:others_count], games[others_count:]
        with stage.serving(stage.OURS, postgres.url) as served:
            print(f"others play {PACE} moves/s over HTTP (target p99 100 ms)")
            requests = chain.from_iterable(zip(*map(stage.requests, others), strict=True))
            undisturbed: list[float] = []
            _paced(served.port, requests, lambda: len(undisturbed) == 5 * PACE, undisturbed)
            report("with nothing due", undisturbed)
            for n, count in enumerate(workers):
                late = [game.game_id for game in games[n * rows : (n + 1) * rows]]
                _flood(postgres, served, count, late, requests, end)


def _flood(
    postgres: embedded_postgres.Server,
    served: stage.Served,
    count: int,
    games: list[UUID],
    requests: Iterator[bytes],
    end: str,
) -> None:
    with ExitStack() as stack:
        connection = stack.enter_context(psycopg.connect(postgres.url, autocommit=True))
        mailbox = stack.enter_context(tempfile.TemporaryDirectory())
        environment = {"DATABASE_URL": postgres.url, "STERNENPOST_DATA": mailbox}
        workers = [stack.enter_context(stage.running("worker", environment)) for _ in range(count)]
        sleep(5)  # until they have started
        before = _cpu(postgres, served, workers)
        late = many_due.time_runs_out(connection, games)
        took: list[float] = []
        lost: dict[str, float] = {}

        def watch() -> float:
            """Wait until nothing is due and return the seconds. Meanwhile, a worker may be killed."""
            began = perf_counter()
            while (left := many_due.still_due(connection)) and perf_counter() - began < PATIENCE:
                if end != "none" and not lost and left < len(late) * 2 // 3:
                    lost.update(_cpu(postgres, served, workers[:1]))
                    os.kill(workers[0].pid, signal.SIGKILL)  # its post ends with it
                    workers[0].wait()
                    print(
                        f"  kill -9 of a worker after {perf_counter() - began:.1f} s, while {left:,} are due",
                        flush=True,
                    )
                    if end == "restarted":
                        workers.append(stack.enter_context(stage.running("worker", environment)))
                sleep(0.5)
            return perf_counter() - began

        with ThreadPoolExecutor(1) as threads:
            watched = threads.submit(watch)
            _paced(served.port, requests, watched.done, took)
        seconds = watched.result()
        after = _cpu(postgres, served, [worker for worker in workers if worker.poll() is None])
        _report_flood(connection, late, count, seconds)
    for who in ("workers", "post"):
        after[who] += lost.get(who, 0)
    each = [f"{who} {1000 * (after[who] - before[who]) / len(late):.2f}" for who in after]
    print(f"    CPU ms a seat: {', '.join(each)}")
    report("    the others' moves meanwhile", took, "(target p99 100 ms)")


def _cpu(
    postgres: embedded_postgres.Server, served: stage.Served, workers: Sequence[subprocess.Popen[bytes]]
) -> dict[str, float]:
    posts = [child.pid for worker in workers for child in psutil.Process(worker.pid).children()]
    post = sum(map(stage.cpu_seconds, posts))
    both = sum(stage.cpu_seconds(worker.pid) for worker in workers)
    used = {"Postgres": stage.cpu_seconds(postgres.pid), "web": stage.cpu_seconds(served.pid)}
    return used | {"workers": both - post, "post": post}


def _report_flood(
    connection: psycopg.Connection[Any], late: Sequence[many_due.Late], count: int, seconds: float
) -> None:
    """Print the results in the logs. Raise SystemExit unless each seat got one time-out and one letter."""
    games = [it.game_id for it in late]
    once = Counter(late)
    done, told = many_due.time_outs(connection, games), many_due.time_out_letters(connection, games)
    sample = random.sample(games, min(len(games), WHOLE))
    broken = many_due.broken(connection, sample)
    row = connection.execute("SELECT count(*) FROM outbox WHERE game_id = ANY(%s)", (games,)).fetchone()
    print(f"  {len(late):,} due at once, workers: {count}: {seconds:.1f} s, {len(late) / seconds:.0f} seats/s")
    print(
        f"    timed out by the logs: {done.total():,}, of them twice {len(done - once)}, forgotten {len(once - done)}"
    )
    print(f"    letters: {told.total():,}, of them twice {len(told - once)}, forgotten {len(once - told)}")
    print(f"    logs looked through: {len(sample):,}, broken {len(broken)}")
    print(f"    letters noted and not yet carried: {row[0] if row else 0:,}")
    if done != once or told != once or broken:
        raise SystemExit("Not each of them exactly once.")


def _paced(port: int, requests: Iterator[bytes], is_over: Callable[[], bool], took: list[float]) -> None:
    """Play moves at a steady pace until it is over. A delayed move is late from when it was due."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        began = perf_counter()
        while not is_over():
            due = began + len(took) / PACE
            sleep(max(0.0, due - perf_counter()))
            connection.sendall(next(requests))
            answer = connection.recv(65536)
            while not _is_whole(answer):
                answer += connection.recv(65536)
            took.append((perf_counter() - due) * 1000)
            if not answer.startswith(b"HTTP/1.1 201"):
                raise ValueError(answer.decode())


def _is_whole(answer: bytes) -> bool:
    head, found, body = answer.partition(b"\r\n\r\n")
    _, _, length = head.lower().partition(b"content-length:")
    return bool(found) and len(body) >= int(length.split(b"\r\n", 1)[0])


# Memory


def memory() -> None:
    with stage.postgres() as postgres:
        games = _half_played(postgres, 2 * LIVE)
        with stage.serving(stage.OURS, postgres.url, workers=1) as served:
            (web,) = psutil.Process(served.pid).children()
            few = games[LIVE : LIVE + 100]  # warm up everything that does not grow with games
            _load(served, few)
            before = web.memory_full_info()
            _load(served, games[: LIVE - len(few)])
            after = web.memory_full_info()
        grown = (after.uss - before.uss) / 2**20 * LIVE / (LIVE - len(few))
        print(f"a web process with {LIVE:,} live half-played games (target: at most 20 MiB more)")
        print(f"  {before.uss / 2**20:.1f} MiB before, {grown:.1f} MiB more (private memory)")


def _load(served: stage.Served, games: Sequence[stage.Rehearsed]) -> None:
    views = [[_get(f"/v1/games/{game.game_id}", line.token) for line in game.lines[:5]] for game in games]
    drive(served.port, views, 8, OK)
    drive(served.port, [stage.requests(game)[:1] for game in games], 8)


# Growth


def growth(large: bool) -> None:
    """Compare the same games and lists in two databases that differ in what else is stored."""
    sizes = [(10_000, 10), (100_000, 100) if large else (20_000, 50)]
    with stage.postgres() as postgres:
        with stage.in_process(postgres.url):
            rehearsed = stage.rehearse("sternenhimmel", REHEARSED)
            ended = stage.rehearse("sternenhimmel", 3)
            for game in ended:
                stage.play_on(game, slice(None))
        urls = [crowd.twin(postgres.url, f"of_{games}") for games, _ in sizes]
        crowds = [
            crowd.fill(url, [game.game_id for game in ended], games, events)
            for url, (games, events) in zip(urls, sizes, strict=True)
        ]
        copies = [stage.copies(url, rehearsed, 10) for url in urls]
        for url in urls:
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute("CHECKPOINT")
        with stage.serving(stage.OURS, urls[0]) as small, stage.serving(stage.OURS, urls[1]) as big:
            _lists(small, big, crowds, copies)
            pairs = []
            for begin in range(0, len(copies[0]), 60):
                part = slice(begin, begin + 60)
                pairs.append(
                    tuple(
                        run(served, postgres, [stage.requests(game) for game in games[part]])
                        for served, games in ((small, copies[0]), (big, copies[1]))
                    )
                )
        pairs = pairs[1:]  # the first warms up
        for (games, events), runs in zip(sizes, zip(*pairs, strict=True), strict=True):
            report_moves(f"{games:,}/{games * events:,}", runs)
        print(f"  CPU a move, ratio: {spread([more.cpu / less.cpu for less, more in pairs])}; target 1.15")


def _lists(
    small: stage.Served, big: stage.Served, crowds: Sequence[crowd.Crowd], copies: Sequence[Sequence[stage.Rehearsed]]
) -> None:
    print("lists, p50 ms among few and many, and how much longer (target 1.5x)")
    for path in crowd.LISTS:
        for whose, tokens in (("", [it.player for it in crowds]), (" of a busy player", [it.busy for it in crowds])):
            took: tuple[list[float], list[float]] = ([], [])
            for pair in zip(*copies, strict=True):
                for served, token, game, times in zip((small, big), tokens, pair, took, strict=True):
                    request = _get(path.format(game=game.game_id), token)
                    times += drive(served.port, [[request]], 1, OK).took
                if len(took[0]) == LOOKS:
                    break
            few, many = map(median, took)
            mark = "" if many <= 1.5 * few else "  <-- too long"
            print(f"  {path + whose:<70} {few:7.2f} {many:7.2f} {many / few:6.2f}x{mark}", flush=True)


# First and last moves


def ends() -> None:
    """Play rounds of games from their first moves to their last, since the machine's pace changes."""
    of_round, rounds, few = 120, 6, 5
    with stage.postgres() as postgres:
        with stage.in_process(postgres.url):
            rehearsed = stage.rehearse("sternenhimmel", REHEARSED)
        games = stage.copies(postgres.url, rehearsed, of_round * rounds // REHEARSED)
        moves = [stage.requests(game) for game in games]
        gc.freeze()
        middle = len(rehearsed[0].lines) // 2
        parts = {
            "(to warm up)": slice(few),
            "first": slice(few, 2 * few),
            "(in between)": slice(2 * few, middle),
            "middle": slice(middle, middle + few),
            "(so on)": slice(middle + few, -few - 1),
            "last but one": slice(-few - 1, -1),
            "last": slice(-1, None),
        }
        runs: dict[str, list[Run]] = {name: [] for name in parts}
        with stage.serving(stage.OURS, postgres.url) as served:
            for begin in range(0, len(moves), of_round):
                for name, part in parts.items():
                    runs[name].append(run(served, postgres, [game[part] for game in moves[begin : begin + of_round]]))
        for name, its in runs.items():
            report_moves(name, its[1:])  # the first round warms up
        for name in ("middle", "last but one", "last"):
            pairs = zip(runs[name][1:], runs["first"][1:], strict=True)
            ratios = [it.cpu / first.cpu for it, first in pairs]
            print(f"  {name}: CPU of a first move times {spread(ratios)}; target 1.15")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figure", choices=("view", "sweep", "due", "memory", "growth", "ends", "all"))
    parser.add_argument("--rows", type=int, default=DUE, help="seats due at once")
    parser.add_argument("--workers", type=int, nargs="+", default=[2], help="that time them out, one run each")
    parser.add_argument("--step", choices=LADDERS, default="extend", help="what the first time-out of a seat does")
    parser.add_argument("--killed", choices=("none", "one", "restarted"), default="none", help="of the workers")
    parser.add_argument("--large", action="store_true", help="growth to 1e5 games and 1e7 events")
    wanted = parser.parse_args()
    figures: dict[str, Callable[[], None]] = {
        "view": view,
        "sweep": sweep,
        "due": lambda: due(wanted.rows, wanted.workers, wanted.step, wanted.killed),
        "memory": memory,
        "growth": lambda: growth(wanted.large),
        "ends": ends,
    }
    for name, figure in figures.items():
        if wanted.figure in (name, "all"):
            figure()


if __name__ == "__main__":
    main()
