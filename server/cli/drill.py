"""A drill for the loss of a disk. It backs up a temporary installation, deletes it while moves are played, and restores
it."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import click
import psycopg

from server.cli.common import example
from server.config import CHECKOUT, Settings
from server.store import embedded_postgres, migrate
from server.store.connections import drop_idle

_PEOPLE = tuple(f"{name}@drill.example" for name in ("ada", "ben", "cleo"))
_ARCHIVED_AFTER = 2  # seconds until Postgres archives even a partly filled WAL segment


class _Move(NamedTuple):
    """A move that was acknowledged. `at` is a time on the monotonic clock."""

    game_id: UUID
    version: int
    at: float


@click.command(epilog=example("drill", "drill --seconds 30"))
@click.option(
    "--seconds",
    type=click.IntRange(3),
    default=10,
    show_default=True,
    help="How many seconds to play moves before the simulated disk loss.",
)
def drill(seconds: int) -> None:
    """Practise losing a disk and restoring the data. The drill uses its own Postgres in a temporary directory. While moves
    are played, it takes a dump and a base backup, and archives the WAL. Then it kills Postgres, deletes the data,
    restores both backups and checks every log. The drill prints how many seconds of moves were lost (RPO) and how long
    the restore took (RTO). Exit status 1 if anything is wrong."""
    root = Path(tempfile.mkdtemp(prefix="sternenpost-drill-"))
    root.chmod(0o755)  # if root starts Postgres, it runs as `nobody`
    try:
        _drill(root, seconds)
    finally:
        shutil.rmtree(root)


def _drill(root: Path, seconds: int) -> None:
    wal, dumps = _directory(root / "wal"), _directory(root / "dumps")
    restored = _directory(root / "restored", 0o755)  # the cluster in it has its own permissions
    primary = _archiving(root / "primary", wal)
    try:
        programs, url = embedded_postgres.programs(root / "primary"), primary.url
        migrate.upgrade(url)
        moves = _played(url, seconds / 2)
        _run(programs / "pg_dump", "-Fc", "-d", url, "-f", dumps / "stars.dump")
        _run(programs / "pg_basebackup", "-D", restored / "postgres", "-d", url, "--checkpoint=fast")
        click.echo(f"After {len(moves)} moves: a dump and a base backup.")
        moves += _played(url, seconds / 2)
        os.kill(primary.pid, signal.SIGKILL)
    finally:
        primary.stop()
    lost_at = time.monotonic()
    shutil.rmtree(root / "primary")
    click.echo(f"After {len(moves)} moves: Postgres is killed and its disk is deleted.")
    is_well = all((_comes_back(root, moves, lost_at), _comes_back_from_the_dump(root, moves, lost_at)))
    if not is_well:
        raise SystemExit(1)


def _comes_back(root: Path, moves: Sequence[_Move], lost_at: float) -> bool:
    cluster, began = root / "restored" / "postgres", time.monotonic()
    with open(cluster / "postgresql.auto.conf", "a") as file:
        file.write(f'restore_command = \'cp "{root}/wal/%f" "%p"\'\nhot_standby = off\narchive_mode = off\n')
    (cluster / "recovery.signal").touch()
    with embedded_postgres.start(root / "restored") as server:  # it answers once all WAL is replayed
        return _is_well("Base backup and WAL", server.url, moves, lost_at, began)


def _comes_back_from_the_dump(root: Path, moves: Sequence[_Move], lost_at: float) -> bool:
    began = time.monotonic()
    with embedded_postgres.start(root / "anew") as server:
        program = embedded_postgres.programs(root / "anew") / "pg_restore"
        _run(program, "--exit-on-error", "-d", server.url, root / "dumps" / "stars.dump")
        return _is_well("The dump alone", server.url, moves, lost_at, began)


def _is_well(what: str, url: str, moves: Sequence[_Move], lost_at: float, began: float) -> bool:
    """Print what was restored. Return whether every log is correct."""
    with psycopg.connect(url) as connection:
        versions: dict[UUID, int] = dict(connection.execute("SELECT game_id, version FROM games").fetchall())
    answers_after = time.monotonic() - began
    lost = [move for move in moves if versions.get(move.game_id, 0) < move.version]
    rpo = lost_at - min(move.at for move in lost) if lost else 0.0
    check = subprocess.run(
        [sys.executable, "-m", "server.cli", "check"],
        cwd=CHECKOUT,
        env=os.environ | {"DATABASE_URL": url},
        check=False,
        capture_output=True,
        text=True,
    )
    click.echo(f"{what}:")
    click.echo(f"  RPO {rpo:.1f} s: {len(lost)} of {len(moves)} moves lost")
    click.echo(
        f"  RTO {answers_after:.1f} s until it answers, {time.monotonic() - began:.1f} s until everything is checked"
    )
    click.echo(f"  {'all logs are correct' if check.returncode == 0 else (check.stdout + check.stderr).strip()}")
    return check.returncode == 0


def _played(url: str, seconds: float) -> list[_Move]:
    """Play games with three players, one game after the other, for this long. Return each acknowledged move."""
    from server.app import create_app
    from server.store.tables import db

    app, moves = create_app(Settings.from_environment({"DATABASE_URL": url})), list[_Move]()
    until = time.monotonic() + seconds
    with app.app_context():
        while time.monotonic() < until:
            for game_id, version in _game():
                moves.append(_Move(game_id, version, time.monotonic()))
                if time.monotonic() >= until:
                    break
        db.session.close()
        drop_idle()
    return moves


def _game() -> Iterator[tuple[UUID, int]]:
    """Play a game to its end. Yield its id and version after each move."""
    from server.accounts.players import player_token
    from server.games import GAMES
    from server.play.moves import legal_moves, play_move
    from server.play.seating.games import open_game
    from server.play.seating.seats import take_seat
    from server.play.turns.turn_links import caller

    people = [caller(player_token(email)).player_id for email in _PEOPLE]
    seats = [{"player": "me"}, {"open": True}, {"open": True}]
    game_id = open_game(people[0], {"rules": next(iter(GAMES)), "seats": seats}).game_id
    for who in people[1:]:
        take_seat(game_id, who)
    has_moved = True
    while has_moved:
        has_moved = False
        for who in people:
            asked = legal_moves(game_id, who, [])
            if asked["turn"] is not None and asked["moves"]:
                yield game_id, play_move(game_id, who, asked["turn"], asked["moves"][0]).game.table.version
                has_moved = True


def _archiving(data: Path, wal: Path) -> embedded_postgres.Server:
    """Start a Postgres that archives its WAL."""
    with embedded_postgres.start(data) as server, psycopg.connect(server.url, autocommit=True) as connection:
        for setting in (
            "archive_mode = on",
            f'archive_command = \'cp "%p" "{wal}/.part" && mv "{wal}/.part" "{wal}/%f"\'',
            f"archive_timeout = {_ARCHIVED_AFTER}",
        ):
            connection.execute(f"ALTER SYSTEM SET {setting}")
    return embedded_postgres.start(data)


def _directory(path: Path, mode: int = 0o700) -> Path:
    """Create a directory that belongs to the user who runs Postgres."""
    path.mkdir(mode)
    user = embedded_postgres.ordinary_user()
    if user:
        os.chown(path, user["user"], user["group"])
    return path


def _run(*words: object) -> None:
    done = subprocess.run(
        list(map(str, words)),
        check=False,
        capture_output=True,
        text=True,
        cwd="/",
        umask=0o077,
        **embedded_postgres.ordinary_user(),
    )
    if done.returncode != 0:
        raise click.ClickException(f"{Path(str(words[0])).name}: {done.stderr.strip()}")
