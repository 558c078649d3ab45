"""What a million moves cost in CPU, bytes, letters and money: `python -m tests.bench.cost`.

Games are played turn by turn over HTTP, each turn with its letter, as `tests.bench.turn` does. The CPU is that of web,
worker and Postgres; bytes are those of the tables, of the WAL, of answers and of letters. Prices are arguments.
"""

import argparse
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import psycopg

from server.rules import GAMES as RULES
from server.store import embedded_postgres
from server.store.tables import Base
from tests.bench import stage
from tests.bench.turn import MOVES_BEFORE, Listener, Turns, forget_letters, working

GAMES = 40
ROUNDS = 24  # moves of each game, one after the other
MILLION = 1_000_000
CORES = 2  # of each machine
KEPT = ("events", "games", "seats", "player_games")  # the rest goes when its days are over
PARTS = ("web", "worker", "Postgres")


class Prices(NamedTuple):
    """In the same money: an hour of a core, a GB of disk for a year, a GB sent, a thousand letters."""

    core_hour: float
    gb_year: float
    gb_out: float
    letters: float


class Played(NamedTuple):
    """What so many moves took: CPU seconds by part, bytes by table, of WAL, answers and letters."""

    moves: int
    letters: int
    cpu: Counter[str]
    tables: dict[str, int]
    wal: int
    answers: int
    mail: int

    def million(self, amount: float) -> float:
        return amount * MILLION / self.moves


def played(name: str, postgres: embedded_postgres.Server, key: Path) -> Played:
    with stage.in_process(postgres.url):
        games = stage.rehearse(name, GAMES)
        forget_letters()
    moves, listener, cpu = [stage.requests(game) for game in games], Listener(), Counter[str]()
    with (
        stage.serving(stage.OURS, "gunicorn", postgres.url) as web,
        working(postgres.url, listener.port, key) as worker,
    ):
        turns = Turns(web, worker, postgres, listener)
        turns.played([requests[:MOVES_BEFORE] for requests in moves])  # which warms up
        began, wal = sizes(postgres.url), position(postgres.url)
        letters, mail, answers, count = len(listener.letters), sum(listener.letters), turns.answered, 0
        for nr in range(MOVES_BEFORE, MOVES_BEFORE + ROUNDS):
            now = [game[nr : nr + 1] for game in moves]
            _, used = turns.played(now)
            cpu.update(used)
            count += sum(map(len, now))
        wal = position(postgres.url) - wal
    ended = sizes(postgres.url)
    grown = {table: ended[table] - began[table] for table in ended}
    return Played(
        count,
        len(listener.letters) - letters,
        cpu,
        grown,
        wal,
        turns.answered - answers,
        sum(listener.letters) - mail,
    )


def sizes(url: str) -> dict[str, int]:
    """Bytes of each table that are in use, with indexes and what is stored beside; what is dead is not counted."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM FULL")
        asked = "SELECT pg_total_relation_size(%s)"
        return {
            table: row[0]
            for table in Base.metadata.tables
            if (row := connection.execute(asked, [table]).fetchone()) is not None
        }


def position(url: str) -> int:
    """Bytes of WAL written so far."""
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT pg_current_wal_insert_lsn() - '0/0'").fetchone()
    assert row is not None
    return int(row[0])


def report(name: str, it: Played, prices: Prices) -> None:
    cpu = {part: it.million(it.cpu[part]) for part in PARTS}
    gb = {what: it.million(size) / 1e9 for what, size in [("WAL", it.wal), ("answers", it.answers), ("mail", it.mail)]}
    kept = it.million(sum(size for table, size in it.tables.items() if table in KEPT)) / 1e9
    passing = it.million(sum(size for table, size in it.tables.items() if table not in KEPT)) / 1e9
    letters, all_cpu = it.million(it.letters), sum(cpu.values())
    print(f"{name}: a million moves, by {it.moves:,} moves and {it.letters:,} letters")
    print(f"  CPU        {all_cpu:,.0f} s: {', '.join(f'{part} {seconds:,.0f}' for part, seconds in cpu.items())}")
    print(f"  letters    {letters:,.0f}, {gb['mail']:.1f} GB; answers over HTTP {gb['answers']:.2f} GB")
    print(f"  tables     {kept:.2f} GB for good, {passing:.2f} GB for some days; WAL {gb['WAL']:.1f} GB")
    print(f"    by table {', '.join(f'{t} {it.million(s) / 1e9:.3f}' for t, s in it.tables.items() if s)}")
    print(f"  one machine of {CORES} cores: full at {CORES * MILLION / all_cpu:.0f} moves/s with their letters")
    busiest = max(cpu, key=lambda part: cpu[part])
    print(
        f"  three of them, one each for {', '.join(PARTS)}: full at {CORES * MILLION / cpu[busiest]:.0f},"
        f" where {busiest} ends; moves alone: {CORES * MILLION / max(cpu['web'], cpu['Postgres']):.0f}"
    )
    money = {
        "CPU": all_cpu / 3600 * prices.core_hour,
        "tables for a year": kept * prices.gb_year,
        "traffic": (gb["mail"] + gb["answers"]) * prices.gb_out,
        "letters": letters / 1000 * prices.letters,
    }
    print(f"  money      {sum(money.values()):.2f}: {', '.join(f'{what} {cost:.2f}' for what, cost in money.items())}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, price, what in (
        ("--core-hour", 0.04, "an hour of a core"),
        ("--gb-year", 1.0, "a GB of disk for a year"),
        ("--gb-out", 0.09, "a GB sent"),
        ("--letters", 0.1, "a thousand letters, where somebody else carries them on"),
    ):
        parser.add_argument(name, type=float, default=price, help=f"price of {what}; %(default)s")
    prices = Prices(**vars(parser.parse_args()))
    with tempfile.TemporaryDirectory() as folder, stage.postgres() as postgres:
        key = Path(folder) / "dkim.pem"
        subprocess.run(["openssl", "genrsa", "-traditional", "-out", key, "2048"], check=True, capture_output=True)
        for name in RULES:
            report(name, played(name, postgres, key), prices)


if __name__ == "__main__":
    main()
