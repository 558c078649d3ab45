"""Migrations of a grown store: `python -m tests.bench.migrations --games 100000 --events 100`.

Each step of `migrations/` after the first is taken while the tables that every request needs are read and written all the time,
row by row; then all of them by one command. What is told is how long anybody waited meanwhile. Exit status 1 if it was longer than a second, and than at a
table that no step touches.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import Any, NamedTuple

import psycopg

from server.store import migrate
from tests.bench import crowd, stage
from tests.bench.store import play_on

BOUND = 1.0  # seconds
BASE = "0023"
_CONTROL = "of_no_step"
_PAUSE = 0.005  # seconds between two statements of a prober
_REST = """
INSERT INTO tokens (player_id, token_hash, name, scopes, made_at)
  SELECT player_id, sha256(player_id::text::bytea), 'a program', '{read}', now() FROM players, generate_series(1, 2) AS n
  WHERE n = 1;
INSERT INTO outbox (game_id, letter_id, dedupe, kind, version, seat, player_id, data, made_at, due_at, tries)
  SELECT game_id, gen_random_uuid(), 'your-turn 1', 'your-turn', 1, 0, made_by, '{}', made_at, now() + interval '1 day', 0
  FROM games WHERE status = 'running'
"""


class Prober(NamedTuple):
    """A statement by key, as requests and workers make it."""

    table: str
    what: str
    statement: str


def _probers(connection: psycopg.Connection[Any]) -> list[Prober]:
    """Each hot table read and written at one row; to the log, events are added."""
    game, version = _one(connection, "SELECT game_id, version FROM games WHERE status = 'running' LIMIT 1")
    letter = _one(connection, "SELECT game_id, letter_id FROM outbox LIMIT 1")
    player, token = _one(connection, "SELECT player_id, encode(token_hash, 'hex') FROM tokens LIMIT 1")
    rows = {
        "games": (f"game_id = '{game}'", "version"),
        "seats": (f"game_id = '{game}' AND seat = 0", "to_act"),
        "outbox": (f"game_id = '{letter[0]}' AND letter_id = '{letter[1]}'", "tries"),
        "players": (f"player_id = '{player}'", "name"),
        "player_games": (f"player_id = '{player}'", "seat"),
        "tokens": (f"player_id = '{player}' AND token_hash = decode('{token}', 'hex')", "name"),
    }
    found = [Prober(table, "read", f"SELECT * FROM {table} WHERE {where}") for table, (where, _) in rows.items()]
    found += [
        Prober(table, "write", f"UPDATE {table} SET {column} = {column} WHERE {where}")
        for table, (where, column) in rows.items()
    ]
    added = (
        "INSERT INTO events (game_id, seq, version, type, seat, body, recorded_at, hash) SELECT game_id, 1 + max(seq), "
        f"{version}, 'star-placed', 0, '{{}}', now(), '' FROM events WHERE game_id = '{game}' GROUP BY game_id"
    )
    log = f"SELECT * FROM events WHERE game_id = '{game}' ORDER BY seq DESC LIMIT 20"
    connection.execute(f"CREATE TABLE IF NOT EXISTS {_CONTROL} AS SELECT 1 AS n")
    control = Prober(_CONTROL, "write", f"UPDATE {_CONTROL} SET n = n")
    return [*found, Prober("events", "read", log), Prober("events", "write", added), control]


def _one(connection: psycopg.Connection[Any], query: str) -> Any:
    row = connection.execute(query).fetchone()
    assert row is not None
    return row


class Step(NamedTuple):
    """A step that was taken: the longest wait for each table, in seconds, by what was wanted of it."""

    name: str
    seconds: float
    waits: dict[tuple[str, str], float]

    @property
    def longest(self) -> float:
        """Without what a busy machine kept even those waiting for who wrote to a table that no step knows."""
        return max(self.waits.values()) - self.waits[_CONTROL, "write"]

    def __str__(self) -> str:
        slow = sorted(((wait, f"{table} ({what})") for (table, what), wait in self.waits.items()), reverse=True)[:3]
        told = ", ".join(f"{where} {wait * 1000:.0f} ms" for wait, where in slow)
        mark = "  <-- too long" if self.longest > BOUND else ""
        return f"  {self.name[:64]:<64} {self.seconds:6.2f} s  {told}{mark}"


def steps(url: str) -> Iterator[Step]:
    """Back to the first step, then each of the others in turn, with somebody at every hot table; and again, all at once."""
    probers = _back(url)
    for name in migrate.steps_ahead(url):
        yield _taken(url, probers, name, name.partition(":")[0])
    yield _taken(url, _back(url), "all of them, by one command", "head")


def _back(url: str) -> list[Prober]:
    migrate.downgrade(url, BASE)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
        connection.execute("CHECKPOINT")
        return _probers(connection)


def _taken(url: str, probers: Sequence[Prober], name: str, revision: str) -> Step:
    with _probed(url, probers) as waits:
        began = time.monotonic()
        migrate.upgrade(url, revision)
        seconds = time.monotonic() - began
    return Step(name, seconds, waits)


@contextmanager
def _probed(url: str, probers: Sequence[Prober]) -> Iterator[dict[tuple[str, str], float]]:
    """Within, all of them are at work; afterwards, the longest wait of each."""
    waits: dict[tuple[str, str], float] = {}
    over, begun = Event(), [Event() for _ in probers]

    def probe(prober: Prober, has_begun: Event) -> float:
        longest = 0.0
        with psycopg.connect(url, autocommit=True, prepare_threshold=None) as connection:  # columns come, and are read
            connection.execute(prober.statement)
            has_begun.set()
            while not over.wait(_PAUSE):
                began = time.monotonic()
                connection.execute(prober.statement)
                longest = max(longest, time.monotonic() - began)
        return longest

    with ThreadPoolExecutor(len(probers)) as threads:
        working = [threads.submit(probe, *each) for each in zip(probers, begun, strict=True)]
        try:
            for each in begun:
                each.wait(60)
            yield waits
        finally:
            over.set()
        for prober, each in zip(probers, working, strict=True):
            waits[prober.table, prober.what] = each.result()


def grow(url: str, games: int, events: int) -> None:
    """Tables as those of a service that has gone on for years: so many games of so many events each."""
    with stage.in_process(url):
        ended = stage.rehearse("sternenhimmel", 3)
        for game in ended:
            play_on(game, slice(None))
    crowd.fill(url, [game.game_id for game in ended], games, events)
    with psycopg.connect(url) as connection:
        connection.execute(_REST)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--events", type=int, default=100, help="of each game")
    wanted = parser.parse_args()
    with stage.postgres() as postgres:
        began = time.monotonic()
        grow(postgres.url, wanted.games, wanted.events)
        seconds = time.monotonic() - began
        print(
            f"{wanted.games:,} games, {wanted.games * wanted.events:,} events, made in {seconds:.0f} s; longest waits:"
        )
        taken = []
        for step in steps(postgres.url):
            print(step, flush=True)
            taken.append(step)
    raise SystemExit(0 if all(step.longest <= BOUND for step in taken) else 1)


if __name__ == "__main__":
    main()
