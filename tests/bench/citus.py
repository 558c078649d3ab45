"""What Citus costs: `STERNENPOST_TEST_CITUS=... python -m tests.bench.citus`, with all its nodes on this machine.

A web and two workers in whose house nothing happens: how many statements a second go to all shards. Then moves over HTTP on
spread tables and, in turns, on a plain database of its coordinator: CPU milliseconds of Postgres for each, on all nodes
together. Last, the same layer by layer: what a statement costs that does nothing, and each of those of a move.
"""

import argparse
import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import cache
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any
from uuid import UUID

import psutil
import psycopg

from server.accounts.tokens import caller
from server.config import CHECKOUT
from server.store import log, migrate, spreading
from server.store.connections import autocommit
from tests.bench import stage
from tests.bench.client import drive
from tests.support import citus
from tests.support.commits import a_game, a_letter, an_event, recorded

CLIENTS = 8
GAMES = 6  # a run
SETTLING = 20.0  # seconds
WORKERS = 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=60)
    wanted = parser.parse_args()
    if citus.URL is None:
        parser.error("STERNENPOST_TEST_CITUS names no Citus: see tests/support/citus.py")
    plain, spread = "bench_plain", "bench_spread"
    citus.SHARDS = 32
    try:
        urls = plain_database(plain), citus.spread_database(spread)
        show_idle(citus.named(citus.nodes()[0], spread), wanted.seconds)  # first, since moves leave letters to carry
        show_moves(*urls, wanted.pairs)
        show_layers(*urls)
    finally:
        for name in (plain, spread):
            citus.drop_database(name)


def plain_database(name: str) -> str:
    """On the coordinator alone, as the handbook has a plain one."""
    citus.drop_database(name)
    with psycopg.connect(citus.nodes()[0], autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        connection.execute(f"ALTER DATABASE \"{name}\" SET plan_cache_mode = 'force_generic_plan'")
    url = citus.named(citus.nodes()[0], name)
    migrate.upgrade(url)
    return url


def show_idle(url: str, seconds: float) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        name = connection.info.dbname
        connection.execute(f'ALTER DATABASE "{name}" SET citus.enable_stat_counters = on')
        environment = os.environ | {"DATABASE_URL": url}
        workers: list[subprocess.Popen[bytes]] = []
        with stage.serving(stage.OURS, "gunicorn", url):
            try:
                for _ in range(WORKERS):
                    worker = [sys.executable, "-m", "server.cli", "worker"]
                    workers.append(subprocess.Popen(worker, cwd=CHECKOUT, env=environment, stderr=subprocess.DEVNULL))
                time.sleep(SETTLING)
                pids = [postmaster(node) for node in citus.nodes()]
                before, used = counted(connection), sum(map(stage.cpu_seconds, pids))
                time.sleep(seconds)
                asked, used = counted(connection) - before, sum(map(stage.cpu_seconds, pids)) - used
            finally:
                for process in workers:
                    process.terminate()
                    process.wait(30)
    print(
        f"idle, a web and {WORKERS} workers: {asked / seconds:.2f} statements a second go to all shards; target: at most 1"
    )
    print(f"      {used / seconds:.3f} CPU seconds a second, on all nodes together")


def counted(connection: psycopg.Connection[Any]) -> int:
    """Statements that entered by the coordinator and went to more than one shard."""
    query = "SELECT query_execution_multi_shard FROM citus_stat_counters WHERE name = current_database()"
    row = connection.execute(query).fetchone()
    return row[0] if row else 0


def show_moves(plain: str, spread: str, pairs: int) -> None:
    games = {}
    for url in (plain, spread):
        with stage.in_process(url):
            games[url] = [stage.requests(game) for game in stage.rehearse("sternenhimmel", GAMES * (pairs + 1))]
    pids = [postmaster(node) for node in citus.nodes()]
    gc.freeze()  # so that collections find nothing to look at while answers wait
    found: dict[str, list[float]] = {plain: [], spread: []}
    with ExitStack() as stack:
        ports = {url: stack.enter_context(stage.serving(stage.OURS, "gunicorn", url)).port for url in found}
        for begin in range(0, GAMES * (pairs + 1), GAMES):
            for url, each in found.items():
                each.append(cpu_of_moves(ports[url], games[url][begin : begin + GAMES], pids))
    each = {url: [sum(run) for run in runs[1:]] for url, runs in found.items()}  # the first warms up
    ratios = sorted(theirs / ours for ours, theirs in zip(each[plain], each[spread], strict=True))
    nodes = [median(run[n] for run in found[spread][1:]) for n in range(len(pids))]
    print(f"Postgres' CPU of a move: plain {median(each[plain]):.2f} ms, spread {median(each[spread]):.2f} ms", end="")
    print(f" (coordinator {nodes[0]:.2f}, others {', '.join(f'{it:.2f}' for it in nodes[1:])})")
    print(f"ratio: {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}); target: at most 2")


def cpu_of_moves(port: int, games: Sequence[Sequence[bytes]], pids: Sequence[int]) -> list[float]:
    """Milliseconds an answer, of each node."""
    before = [stage.cpu_seconds(pid) for pid in pids]
    driven = drive(port, games, CLIENTS)
    return [(stage.cpu_seconds(pid) - was) * 1000 / driven.answers for pid, was in zip(pids, before, strict=True)]


@cache
def postmaster(url: str) -> int:
    with psycopg.connect(url) as connection:
        return psutil.Process(connection.info.backend_pid).ppid()


_FUNCTIONS = """
CREATE FUNCTION nothing(game uuid) RETURNS integer LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;
CREATE FUNCTION look_up(game uuid, times integer) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 1..times LOOP
    PERFORM version FROM games WHERE game_id = game;
  END LOOP;
  RETURN 1;
END $$;"""
ROWS = 200  # looked up in one call
ROUNDS = 5


def show_layers(plain: str, spread: str) -> None:
    """Each layer many times on one connection, the least of some rounds."""
    found = [of_layers(url) for url in (plain, spread)]
    print("layers, CPU ms of Postgres     plain    spread (coordinator, others)")
    for name in found[0]:
        (alone, *_), each = found[0][name], found[1][name]
        print(f"  {name:26} {alone:9.4f} {sum(each):9.4f} ({each[0]:.4f}, {sum(each[1:]):.4f})")


def of_layers(url: str) -> dict[str, list[float]]:
    """By layer, milliseconds of each node."""
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute(_FUNCTIONS)
        if spreading.is_citus(owner):
            spreading.spread(url, lambda steps: True, lambda step: None)
    with stage.in_process(url):
        (game,) = stage.rehearse("sternenhimmel", 1)
        line, version, invented = game.lines[0], count(), a_game()
        with autocommit() as connection:

            def ask(query: str, *parameters: Any) -> Callable[[], object]:
                return lambda: connection.execute(query, parameters).fetchone()

            layers: dict[str, Callable[[], object]] = {
                "SELECT 1": ask("SELECT 1"),
                "a row by its key": ask("SELECT version FROM games WHERE game_id = %s", game.game_id),
                "a function that is empty": ask("SELECT nothing(%s)", game.game_id),
                f"{ROWS} rows in a function": ask("SELECT look_up(%s, %s)", game.game_id, ROWS),
                "of a move: whose token": lambda: caller(line.token),
                "of a move: the game": lambda: log.read(connection, game.game_id, 3),
                "of a move: the commit": lambda: commit(invented, next(version)),
            }
            return {name: least(work) for name, work in layers.items()}


def commit(game_id: UUID, seen: int) -> None:
    """An event, a seat and a letter."""
    letter = a_letter(f"your-turn/{seen}/0/mail/", version=seen, player_id=game_id)
    assert recorded(game_id, seen, [an_event(seen + 1, seen + 1)], [letter])


def least(work: Callable[[], object], times: int = 200) -> list[float]:
    for _ in range(times):
        work()
    rounds = []
    for _ in range(ROUNDS):
        before = [cpu_ms(node) for node in citus.nodes()]
        for _ in range(times):
            work()
        rounds.append([(cpu_ms(node) - was) / times for node, was in zip(citus.nodes(), before, strict=True)])
    return min(rounds, key=sum)


def cpu_ms(node: str) -> float:
    """Of all processes of this node so far, finer than ticks of the clock (Linux, /proc/PID/schedstat)."""
    used = 0
    for process in psutil.Process(postmaster(node)).children():
        with suppress(FileNotFoundError):
            used += int(Path(f"/proc/{process.pid}/schedstat").read_text("ascii").split()[0])
    return used / 1e6


if __name__ == "__main__":
    main()
