"""What a move costs over HTTP, beside an endpoint that does only the least durable work: `python -m tests.bench.http`.

Both run under the same HTTP server over the same Postgres, in turns, and are driven by the same clients. What counts is
the ratio: machines differ, and this one is shared by clients, server and Postgres. `floor` shows where our share of it
goes: beside the same statements and answers by Flask alone (floor.py), layer by layer. `sandbox` measures what its movable
clock costs, beside a server without one.
"""

import argparse
import gc
import os
import pickle
import tempfile
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

import psycopg

from server.app import create_app
from server.config import Settings
from server.store import embedded_postgres
from server.web import server
from tests.bench import floor, perfect, stage
from tests.bench.client import Driven, drive

CLIENTS = 16
GAMES = 60  # a run
REHEARSED = 30
FEW = 15  # games a run of the floor


class Run(NamedTuple):
    """A load and what it cost: CPU milliseconds an answer, of the web and of Postgres."""

    driven: Driven
    web: float
    postgres: float


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
        "CPU ms a move": median(it.web + it.postgres for it in runs),
        "web": median(it.web for it in runs),
        "Postgres": median(it.postgres for it in runs),
    }
    print(f"{name:<18}" + "  ".join(f"{title} {figure:8.2f}" for title, figure in figures.items()), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "what", nargs="?", choices=("floor", "sandbox"), help="the same by Flask alone and our layers; or a sandbox"
    )
    parser.add_argument("--server", choices=("gunicorn", "granian"), default="gunicorn")
    parser.add_argument("--route", choices=("move", "move_pipe"), default="move", help="of the perfect endpoint")
    parser.add_argument("--pairs", type=int, default=5)
    wanted = parser.parse_args()
    if wanted.what == "floor":
        return show_floor(wanted.pairs)
    if wanted.what == "sandbox":
        return show_sandbox(wanted.pairs)
    with stage.postgres() as postgres:
        with stage.in_process(postgres.url):
            rehearsed = stage.rehearse("sternenhimmel", REHEARSED)
        copies = stage.copies(postgres.url, rehearsed, perfect.GAMES // REHEARSED)
        ours = [stage.requests(game) for game in copies[: (wanted.pairs + 1) * GAMES]]
        request = stage.post(f"/{wanted.route}", "none", perfect.BODY)
        theirs = [[request] * len(game) for game in ours]
        url = embedded_postgres.create_database(postgres.url, "perfect")
        perfect.make_tables(url)
        gc.freeze()  # so that collections find nothing to look at while answers wait
        with (
            stage.serving(stage.OURS, wanted.server, postgres.url) as our_web,
            stage.serving("tests.bench.perfect:app", wanted.server, url) as perfect_web,
        ):
            pairs = []
            for begin in range(0, len(ours), GAMES):
                games = slice(begin, begin + GAMES)
                pairs.append((run(our_web, postgres, ours[games]), run(perfect_web, postgres, theirs[games])))
        _check_log(postgres.url, sum(it.driven.answers for it, _ in pairs))
    pairs = pairs[1:]  # the first warms up
    print(
        f"{wanted.server}, {server.workers} workers of {server.threads} threads, {CLIENTS} clients, {len(pairs)} pairs"
    )
    report("ours", [it for it, _ in pairs])
    report(f"perfect /{wanted.route}", [it for _, it in pairs])
    faster = sorted(mine.driven.per_second / least.driven.per_second for mine, least in pairs)
    dearer = sorted((mine.web + mine.postgres) / (least.web + least.postgres) for mine, least in pairs)
    for what, ratios in (("moves/s", faster), ("CPU", dearer)):
        print(f"ratio of {what}: {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")
    print("targets: moves/s at least 0.8 of those of /move; at most 1.2 CPU ms a move; p99 at most 50 ms")


def show_floor(pairs: int) -> None:
    """Our moves beside the same statements and answers by Flask alone, over HTTP; then each layer of ours by itself."""
    with stage.postgres() as postgres, tempfile.NamedTemporaryFile() as notes:
        settings = Settings.from_environment({"DATABASE_URL": postgres.url})
        with (app := create_app(settings)).app_context():
            rehearsed = stage.rehearse("sternenhimmel", FEW)
        models = stage.copies(postgres.url, rehearsed, 1)
        played = [floor.note(app, game) for game in models]
        copies = stage.copies(postgres.url, rehearsed, 2 * (pairs + 2))
        ours, bare = copies[: len(copies) // 2], copies[len(copies) // 2 :]
        noted: floor.Notes = {}
        for number, game in enumerate(bare):
            noted |= floor.of_copy(played[number % FEW], models[number % FEW].game_id, game.game_id)
        notes.write(pickle.dumps(noted))
        notes.flush()
        os.environ[floor.NOTES] = notes.name
        gc.freeze()  # as above
        with (
            stage.serving(stage.OURS, "gunicorn", postgres.url) as our_web,
            stage.serving("tests.bench.floor:app()", "gunicorn", postgres.url) as bare_web,
        ):
            runs = []
            for begin in range(0, (pairs + 1) * FEW, FEW):
                both = [[stage.requests(game) for game in games[begin : begin + FEW]] for games in (ours, bare)]
                runs.append((run(our_web, postgres, both[0]), run(bare_web, postgres, both[1])))
        report("ours", [it for it, _ in runs[1:]])
        report("Flask alone", [it for _, it in runs[1:]])
        last = slice((pairs + 1) * FEW, (pairs + 2) * FEW)
        alone = floor.measured(floor.bare(noted, postgres.url), bare[last])["all"]
        with floor.layers(), (app := create_app(settings)).app_context():
            took = floor.measured(app, ours[last])
    print(f"in one process, CPU ms of Python a move: Flask alone {alone:.2f}, ours {took.pop('all'):.2f}, of which")
    for layer, each in sorted(took.items(), key=lambda it: -it[1]):
        print(f"  {layer:<18} {each:.3f}")


def show_sandbox(pairs: int) -> None:
    """Moves on a sandbox, beside moves on a server whose clock nobody moves."""
    with stage.postgres() as postgres:
        with stage.in_process(postgres.url):
            rehearsed = stage.rehearse("sternenhimmel", REHEARSED)
        copies = stage.copies(postgres.url, rehearsed, 4 * (pairs + 1))
        games = [[stage.requests(game) for game in copies[begin::2]] for begin in range(2)]
        gc.freeze()  # as above
        with (
            stage.serving(stage.OURS, "gunicorn", postgres.url, settings={"STERNENPOST_SANDBOX": "on"}) as sandbox,
            stage.serving(stage.OURS, "gunicorn", postgres.url) as plain,
        ):
            runs = []
            for begin in range(0, len(games[0]), GAMES):
                part = slice(begin, begin + GAMES)
                runs.append((run(sandbox, postgres, games[0][part]), run(plain, postgres, games[1][part])))
    report("sandbox", [it for it, _ in runs[1:]])
    report("without", [it for _, it in runs[1:]])
    faster = sorted(one.driven.per_second / other.driven.per_second for one, other in runs[1:])
    print(f"ratio of moves/s: {median(faster):.2f} ({faster[0]:.2f} to {faster[-1]:.2f}); target: at least 0.95")


def _check_log(url: str, answers: int) -> None:
    """Every move that was accepted must be in the log. (The copies began at version 1.)"""
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT sum(version - 1) FROM games").fetchone()
    if row is None or row[0] != answers:
        raise SystemExit(f"{answers} moves were accepted, and the log holds {row and row[0]}.")


if __name__ == "__main__":
    main()
