"""A stage for benchmarks: a Postgres of its own, running games with known moves, and web servers."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

import psutil
import psycopg
from flask import Flask
from psycopg import sql

from server.accounts.notice_kinds import AT_ONCE, YOUR_TURN
from server.accounts.players import change_profile, player_token
from server.app import create_app
from server.config import CHECKOUT, Settings
from server.games import GAMES, Json
from server.play.game import Game
from server.play.moves import play_move
from server.play.seating.games import open_game
from server.play.seating.seats import take_seat
from server.play.turns.turn_links import caller
from server.store import embedded_postgres, migrate
from server.store.tables import LetterRow, db
from server.web.server import keepalive, threads, worker_class
from server.web.server import workers as workers_

OURS = "wsgi:app"
A_BOT_MOVES = [{"do": "bot-move", "bot": "greedy", "times": 2}, {"do": "bot-takes-over", "bot": "greedy"}]


class Line(NamedTuple):
    token: str
    player_id: UUID
    turn: int
    move: Json


class Rehearsed(NamedTuple):
    game_id: UUID
    lines: Sequence[Line]


class Served(NamedTuple):
    port: int
    pid: int


@contextmanager
def postgres() -> Iterator[embedded_postgres.Server]:
    """Yield an empty Postgres with our tables, deleted afterwards."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that SIGTERM cleans up, too
    path = Path(tempfile.mkdtemp(prefix="sternenpost-bench-"))
    path.chmod(0o755)
    try:
        with embedded_postgres.start(path) as server:
            migrate.upgrade(server.url)
            yield server
    finally:
        shutil.rmtree(path)


@contextmanager
def in_process(url: str) -> Iterator[Flask]:
    app = create_app(Settings.from_environment({"DATABASE_URL": url}))
    with app.app_context():
        yield app


def rehearse(name: str, count: int, on_timeout: Sequence[Json] = A_BOT_MOVES) -> list[Rehearsed]:
    """Start games with players in every seat and record their moves. Numbers of seats and editions take turns."""
    rules, games = GAMES[name], []
    editions = list(rules.describe()["editions"].values())
    for number in range(count):
        seats = rules.SEATS[number % len(rules.SEATS)]
        tokens = [player_token(f"player-{number}-{seat}@example.org") for seat in range(seats)]
        players = [caller(token).player_id for token in tokens]
        for player_id in players:  # else letters of earlier games would wait for one another
            change_profile(player_id, {"notifications": {"mails": {YOUR_TURN.name: AT_ONCE}}})
        wanted = {
            "rules": name,
            "options": editions[number % len(editions)],
            "on_timeout": on_timeout,
            "seats": [{"player": "me"}, *[{"open": True}] * (seats - 1)],
        }
        game = open_game(players[0], wanted)
        for player_id in players[1:]:
            game = take_seat(game.game_id, player_id)
        lines = [Line(tokens[seat], players[seat], turn, move) for seat, turn, move in _moves(game, Random(number))]
        games.append(Rehearsed(game.game_id, lines))
    return games


def _moves(game: Game, rng: Random) -> Iterator[tuple[int, int, Json]]:
    """Yield random moves to the end of the game. Its dice fix the outcome here and on the server."""
    table, dice = game.table, game.dice()
    while waiting := table.rules.to_act(table.state):
        seat = min(waiting)
        turn, move = table.turns[seat], rng.choice(table.rules.legal_moves(table.state, seat))
        assert turn is not None
        yield seat, turn, table.rules.move_to_json(move)
        table = table.after(table.rules.decide(table.state, seat, move, dice), table.version + 1)


def copies(url: str, games: Sequence[Rehearsed], each: int) -> list[Rehearsed]:
    """Copy each game's rows without its queued letters, in rotation."""
    with psycopg.connect(url) as connection:
        connection.execute(
            "CREATE TEMP TABLE copies ON COMMIT DROP AS SELECT game_id AS was, gen_random_uuid() AS copy"
            "  FROM games, generate_series(1, %s) WHERE game_id = ANY(%s)",
            (each, [game.game_id for game in games]),
        )
        for table in db.metadata.sorted_tables:
            if "game_id" in table.c and table is not LetterRow.__table__:
                columns = [sql.Identifier(column.name) for column in table.c]
                chosen = [
                    sql.SQL("copies.copy" if column.name == "game_id" else f"t.{column.name}") for column in table.c
                ]
                connection.execute(
                    sql.SQL(
                        "INSERT INTO {table} ({columns}) SELECT {chosen} FROM copies JOIN {table} t ON game_id = was"
                    ).format(
                        table=sql.Identifier(table.name),
                        columns=sql.SQL(", ").join(columns),
                        chosen=sql.SQL(", ").join(chosen),
                    )
                )
        made: dict[UUID, list[UUID]] = {}
        for was, copy in connection.execute("SELECT was, copy FROM copies"):
            made.setdefault(was, []).append(copy)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
    return [Rehearsed(made[game.game_id][n], game.lines) for n in range(each) for game in games]


def play_on(game: Rehearsed, moves: slice) -> None:
    for line in game.lines[moves]:
        play_move(game.game_id, line.player_id, line.turn, line.move)


def requests(game: Rehearsed) -> list[bytes]:
    path = f"/v1/games/{game.game_id}/moves"
    return [post(path, line.token, {"turn": line.turn, "move": line.move}) for line in game.lines]


def post(path: str, token: str, body: Json) -> bytes:
    text = json.dumps(body, separators=(",", ":"))
    return (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n{text}"
    ).encode()


@contextmanager
def serving(
    app: str, url: str, workers: int = workers_, settings: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Served]:
    """Serve our app as `sternenpost web` does, or another app with the same settings."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment: dict[str, Any] = {"DATABASE_URL": url, "STERNENPOST_PORT": str(port), "STERNENPOST_LIMITS": "off"}
    environment |= settings
    if app == OURS:
        command = ["server.cli", "web"]
        environment["GUNICORN_CMD_ARGS"] = f"--workers {workers}"
    else:
        command = ["gunicorn", "--bind", f"127.0.0.1:{port}", "--workers", workers, "--threads", threads]
        command += ["--worker-class", worker_class, "--keep-alive", keepalive, "--no-control-socket", app]
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [sys.executable, "-m", *map(str, command)],
            cwd=CHECKOUT,
            env=os.environ | environment,
            stdout=said,
            stderr=said,
            preexec_fn=embedded_postgres.ends_with_parent(signal.SIGTERM),  # noqa: PLW1509  no threads have been started
        )
        try:
            _await(port, process)
            yield Served(port, process.pid)
        finally:
            process.terminate()
            process.wait(20)
            said.seek(0)
            print(*[line for line in said.read().decode().splitlines() if "Traceback" in line], sep="\n", end="")


@contextmanager
def running(command: str, environment: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process of the server. Print its output when it has ended."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "server.cli", command],
            cwd=CHECKOUT,
            env=os.environ | environment,
            stdout=said,
            stderr=said,
        )
        try:
            yield process
        finally:
            process.terminate()
            process.wait(30)
            said.seek(0)
            print(said.read().decode(), end="")


def _await(port: int, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            time.sleep(0.05)
    raise SystemExit("The web server does not start.")


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process and its descendants, including ended ones."""
    root = psutil.Process(pid)
    return sum(map(_cpu_seconds_of, (root, *root.children(recursive=True))))


def _cpu_seconds_of(process: psutil.Process) -> float:
    """Return the CPU time with that of ended children, so that a process that just ends is counted."""
    try:
        return sum(process.cpu_times()[:4])
    except psutil.NoSuchProcess:
        return 0
