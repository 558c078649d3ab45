"""The cost of a whole turn: the move over HTTP, its due times, and the letter with its picture: `python -m
tests.bench.turn`.

The move is played on a web server. A worker sends the letter, signed by DKIM, to a listening mail server. Then each
station of a letter runs alone in one process. The perfect endpoint in the same run gives the least cost of a move,
which projects all figures to a quiet machine.

`--load` measures instead how many letters a second two workers carry while others play, and how long their moves take.
`--bots` measures instead how long a person's move and a sweep take, before and while 200 bots that search are due.
"""

import argparse
import gc
import os
import socket
import subprocess
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from datetime import timedelta
from itertools import chain, islice, takewhile
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch
from uuid import UUID

import psycopg
from sqlalchemy import delete

from server.accounts.players import player_token
from server.clock import clock
from server.games import GAMES as RULES
from server.play.moves import play_move
from server.play.seating.games import open_game
from server.play.seating.seats import take_seat
from server.play.timing.sweep import wake_due
from server.play.turns import thinking
from server.play.turns.turn_links import caller
from server.post import delivery, dkim_signing, smtp, wording
from server.post.letters import compose, context
from server.store import embedded_postgres, outbox
from server.store.tables import LetterRow, db
from tests.bench import perfect
from tests.bench.http import drive, spread
from tests.support import databases, stage

CLIENTS = 4
GAMES = 40  # of each kind; each plays one move in a run
MOVES_BEFORE = 12  # so that letters have something to show
RUNS = 5
QUIET = 1.7  # CPU ms of a move at the perfect endpoint on two quiet cores
IDLE = 3  # seconds
PATIENCE = 120.0  # seconds for the letters of a run
WORKERS = 2  # one for each core
LETTERS = 400  # queued at the start of a load
PAUSE = 0.015  # seconds between other players' moves
BOTS, LEVEL = 200, "level-6"
WARM_UP, ROUNDS, MOVES_A_ROUND = 10, 150, 5
STATIONS: Sequence[tuple[str, object, str]] = (
    ("whether it waits", delivery, "plan"),
    ("claim", outbox, "claim"),
    ("whether it is wanted", delivery, "set_aside"),
    ("the game", delivery, "load"),
    ("words", wording, "write"),
    ("page", wording, "write_page"),
    ("shapes and lines", context, "draw"),
    ("PNG", context, "png"),
    ("MIME", compose, "build"),
    ("DKIM", dkim_signing.Signing, "send"),
    ("SMTP", smtp.SmtpCarrier, "send"),
    ("note", outbox, "finish"),
)

Database = psycopg.Connection[tuple[Any, ...]]


class Listener:
    """A mail server that discards everything, in a thread of its own so that the measured CPU time excludes it."""

    def __init__(self) -> None:
        self._door = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._door.getsockname()[1]
        self.letters: list[int] = []  # their bytes
        self.connections = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            connection, _ = self._door.accept()
            self.connections += 1
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as said:
            connection.sendall(b"220 listener\r\n")
            for line in said:
                match line[:4].upper():
                    case b"DATA":
                        connection.sendall(b"354 go on\r\n")
                        self.letters.append(sum(map(len, iter(said.readline, b".\r\n"))))
                        connection.sendall(b"250 taken\r\n")
                    case b"QUIT":
                        connection.sendall(b"221 bye\r\n")
                        return
                    case _:
                        connection.sendall(b"250 ok\r\n")


def working(url: str, port: int, key: Path) -> AbstractContextManager[subprocess.Popen[bytes]]:
    """Run a worker that sends signed letters to this port."""
    environment = {
        "DATABASE_URL": url,
        "SMTP_URL": f"smtp://127.0.0.1:{port}",
        "STERNENPOST_BASE_URL": "https://stars.example",
        "STERNENPOST_DKIM_KEY": str(key),
    }
    return stage.running("worker", environment)


class Turns:
    """Games on a web server with a worker, and the CPU that both use."""

    def __init__(self, web: stage.Served, worker: int, postgres: embedded_postgres.Server, listener: Listener) -> None:
        self._pids = {"web": web.pid, "worker": worker, "Postgres": postgres.pid}
        self._web, self._url, self._listener = web, postgres.url, listener
        self.answered = 0  # bytes

    def play(self, games: Sequence[Sequence[bytes]]) -> tuple[int, dict[str, float]]:
        """Play these moves, wait for the last letter, and return the number of letters and each process's CPU
        seconds."""
        before, used = len(self._listener.letters), {name: stage.cpu_seconds(pid) for name, pid in self._pids.items()}
        self.answered += drive(self._web.port, games, CLIENTS).size
        until = time.monotonic() + PATIENCE
        with psycopg.connect(self._url, autocommit=True) as connection:
            while connection.execute("SELECT 1 FROM outbox LIMIT 1").fetchone():
                if time.monotonic() > until:
                    raise SystemExit("The letters are not carried.")
                time.sleep(0.1)
        used = {name: stage.cpu_seconds(pid) - used[name] for name, pid in self._pids.items()}
        return len(self._listener.letters) - before, used

    def idle(self) -> dict[str, float]:
        used = {name: stage.cpu_seconds(pid) for name, pid in self._pids.items()}
        time.sleep(IDLE)
        return {name: (stage.cpu_seconds(pid) - used[name]) * 1000 / IDLE for name, pid in self._pids.items()}


def measure(name: str, postgres: embedded_postgres.Server, key: Path) -> list[float]:
    with stage.in_process(postgres.url):
        games = stage.rehearse(name, GAMES)
        forget_letters()
    moves = [stage.requests(game) for game in games]
    listener, turns, moves_a_turn, sums = Listener(), [], [], defaultdict[str, list[float]](list)
    with stage.serving(stage.OURS, postgres.url) as web, working(postgres.url, listener.port, key) as worker:
        at_work = Turns(web, worker.pid, postgres, listener)
        at_work.play([requests[:MOVES_BEFORE] for requests in moves])
        for run in range(RUNS + 1):
            carried, used = at_work.play([[requests[MOVES_BEFORE + run]] for requests in moves])
            if run and carried:  # the first warms up
                turns.append(sum(used.values()) * 1000 / carried)
                moves_a_turn.append(GAMES / carried)
                for process, seconds in used.items():
                    sums[process].append(seconds * 1000 / carried)
        idle = at_work.idle()
    each = "  ".join(f"{process} {median(took):.2f}" for process, took in sums.items())
    print(f"{name:<14} a turn of {median(moves_a_turn):.1f} moves {spread(turns)} CPU ms: {each}")
    print(f"{'':<14} a second idle: {'  '.join(f'{process} {took:.1f}' for process, took in idle.items())} CPU ms")
    print(
        f"{'':<14} {len(listener.letters)} letters over {listener.connections} connections, {spread(sizes(listener))} KB"
    )
    return turns


def sizes(listener: Listener) -> list[float]:
    return [size / 1024 for size in listener.letters]


def stations(name: str, postgres: embedded_postgres.Server, key: bytes) -> float:
    """Return the total CPU milliseconds of a letter and print each part's, with what it calls.

    A turn of Sternenglanz has several moves, after the last of which another player is notified.
    """
    listener, took = Listener(), defaultdict[str, float](float)
    with stage.in_process(postgres.url) as app, ExitStack() as stack:
        carrier = dkim_signing.Signing(smtp.SmtpCarrier(f"smtp://127.0.0.1:{listener.port}"), "stars.example", "s", key)
        post = delivery.PostOffice(app, carrier, "stars.example")
        rehearsed = stage.rehearse(name, GAMES)
        carry(post, rehearsed, lambda game: game.lines[:MOVES_BEFORE])  # which warms up
        for station, where, function in STATIONS:
            stack.enter_context(patch.object(where, function, timed(took, station, getattr(where, function))))
        before = len(listener.letters)
        gc.freeze()  # else one letter pays for scanning everything that this bench holds
        took["all"] = carry(post, rehearsed, lambda game: game.lines[MOVES_BEFORE : end_of_turn(game)], took.clear)
    carried = len(listener.letters) - before
    each = ", ".join(f"{it} {took[it] * 1000 / carried:.2f}" for it in took)
    print(f"{name:<14} stations of {carried} letters, CPU ms: {each}")
    return took["all"] * 1000 / carried


def carry(
    post: delivery.PostOffice,
    games: Sequence[stage.Rehearsed],
    moves: Callable[[stage.Rehearsed], Sequence[stage.Line]],
    begin: Callable[[], None] = lambda: None,
) -> float:
    """Play these moves, deliver each game's newest letter, and return the CPU seconds of delivery."""
    for game in games:
        for line in moves(game):
            play_move(game.game_id, line.player_id, line.turn, line.move)
    ours = {game.game_id for game in games}
    newest = {it.owner: it for it in outbox.due(clock.now() + timedelta(hours=1), 10**6) if it.owner in ours}
    begin()
    began = time.thread_time()
    for letter in newest.values():
        post._deliver(letter, set())
    return time.thread_time() - began


def timed(took: dict[str, float], station: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **named: Any) -> Any:
        began = time.thread_time()
        try:
            return function(*args, **named)
        finally:
            took[station] += time.thread_time() - began

    return call


def end_of_turn(game: stage.Rehearsed) -> int:
    """Return the number of the move after which another player is notified of the turn."""
    mover = game.lines[MOVES_BEFORE].player_id
    return next(nr for nr, line in enumerate(game.lines) if nr > MOVES_BEFORE and line.player_id != mover)


def forget_letters() -> None:
    db.session.execute(delete(LetterRow))
    db.session.commit()


def least(postgres: embedded_postgres.Server, beside: str) -> float:
    """Return the CPU milliseconds of a move at the perfect endpoint. It runs beside these games, since the
    machine's pace changes."""
    url = databases.create_database(postgres.url, f"perfect_{beside}")
    perfect.make_tables(url)
    request = stage.post("/move", "none", perfect.BODY)
    with stage.serving("tests.bench.perfect:app", url) as web:
        found = []
        for _ in range(RUNS + 1):
            before = [stage.cpu_seconds(pid) for pid in (web.pid, postgres.pid)]
            driven = drive(web.port, [[request] * 10] * GAMES, CLIENTS)
            used = [stage.cpu_seconds(pid) for pid in (web.pid, postgres.pid)]
            found.append((sum(used) - sum(before)) * 1000 / driven.answers)
    return median(found[1:])


def load(name: str, postgres: embedded_postgres.Server, key: Path) -> float:
    """Return the letters a second while others play, and print their moves."""
    with stage.in_process(postgres.url):
        for game in (rehearsed := stage.rehearse(name, GAMES)):
            for line in game.lines[:MOVES_BEFORE]:
                play_move(game.game_id, line.player_id, line.turn, line.move)
        games = stage.copies(postgres.url, rehearsed, 2 * LETTERS // GAMES)
        forget_letters()
    listener, told, others = Listener(), games[:LETTERS], [stage.requests(it) for it in games[LETTERS:]]
    with stage.serving(stage.OURS, postgres.url) as web:
        drive(web.port, [stage.requests(it)[MOVES_BEFORE : end_of_turn(it)] for it in told], CLIENTS)
        with ExitStack() as stack:
            workers = [stack.enter_context(working(postgres.url, listener.port, key)).pid for _ in range(WORKERS)]
            until = time.monotonic() + PATIENCE
            while len(listener.letters) < LETTERS // 4 and time.monotonic() < until:  # they warm up
                time.sleep(0.1)

            def goes_on(_: bytes) -> bool:
                return len(listener.letters) < LETTERS and time.monotonic() < until

            pids = {"web": [web.pid], "workers": workers, "Postgres": [postgres.pid]}
            before, used = len(listener.letters), {it: sum(map(stage.cpu_seconds, its)) for it, its in pids.items()}
            moves = [takewhile(goes_on, game[MOVES_BEFORE : MOVES_BEFORE + 6]) for game in others]
            driven = drive(web.port, moves, 1, pause=PAUSE)
            carried = len(listener.letters) - before
            cores = {it: (sum(map(stage.cpu_seconds, its)) - used[it]) / driven.seconds for it, its in pids.items()}
    each = "  ".join(f"{it} {share:.2f}" for it, share in cores.items())
    print(
        f"{name:<14} {carried / driven.seconds:.1f} letters/s over {listener.connections} connections, beside"
        f" {driven.per_second:.1f} moves/s of {driven.percentile(50):.0f} ms, p99 {driven.percentile(99):.0f} ms; cores: {each}"
    )
    return carried / driven.seconds


class Pace:
    """A person's moves and sweeps, by turns. Each sweep finds one bot, which doesn't search."""

    def __init__(self, port: int, moves: Iterator[bytes], sweeps: Iterator[UUID], database: Database) -> None:
        self._port, self._moves, self._sweeps, self._database = port, moves, sweeps, database

    def wake(self, games: Sequence[UUID]) -> None:
        woken = "UPDATE seats SET wake_at = now() WHERE game_id = ANY(%s) AND bot IS NOT NULL"
        self._database.execute(woken, (games,))

    def waiting(self, games: Sequence[UUID]) -> int:
        """Return the number of bots that have not moved in these games."""
        asked = "SELECT count(*) FROM seats WHERE game_id = ANY(%s) AND bot IS NOT NULL AND to_act"
        return int(self._database.execute(asked, (games,)).fetchall()[0][0])

    def measure(self, rounds: int, goes_on: Callable[[], object] = lambda: True) -> tuple[list[float], list[float]]:
        """Return the milliseconds of each move, and of each sweep."""
        moved, swept = list[float](), list[float]()
        while len(swept) < rounds and goes_on():
            moved += drive(self._port, [islice(self._moves, MOVES_A_ROUND)], 1).took
            game = [next(self._sweeps)]
            self.wake(game)
            began = time.perf_counter()
            wake_due()
            swept.append((time.perf_counter() - began) * 1000)
            if self.waiting(game):
                raise SystemExit("The sweep has not moved for a bot.")
        return moved, swept


def beside_bots(name: str, postgres: embedded_postgres.Server) -> None:
    """Print how long moves and sweeps take, alone and while a process computes the moves of many bots."""
    with stage.in_process(postgres.url), psycopg.connect(postgres.url, autocommit=True) as database:
        moves = chain.from_iterable(map(stage.requests, stage.rehearse(name, GAMES)))
        bots = of_bots(name, LEVEL, BOTS, postgres.url)
        sweeps = of_bots(name, "greedy", WARM_UP + 2 * ROUNDS, postgres.url)
        with (
            stage.serving(stage.OURS, postgres.url) as web,
            stage.running("think", {"DATABASE_URL": postgres.url}) as thinker,
        ):
            pace = Pace(web.port, moves, iter(sweeps), database)
            pace.measure(WARM_UP)
            alone = pace.measure(ROUNDS)
            used, began = stage.cpu_seconds(thinker.pid), time.monotonic()
            pace.wake(bots)
            beside = pace.measure(ROUNDS, lambda: pace.waiting(bots))
            while pace.waiting(bots):
                time.sleep(0.1)
            seconds, used = time.monotonic() - began, stage.cpu_seconds(thinker.pid) - used
            niceness = os.getpriority(os.PRIO_PROCESS, thinker.pid)
    if seconds > thinking.PATIENCE.total_seconds():
        raise SystemExit(f"The bots took {seconds:.0f} s, so the sweep has moved for some of them.")
    print(
        f"{name:<14} {BOTS} bots {LEVEL} at niceness {niceness}: {seconds:.1f} s, {used / BOTS * 1000:.1f} CPU ms a turn"
    )
    for what, *took in zip(("a move over HTTP", "a sweep with one turn"), alone, beside, strict=True):
        alone_, beside_ = (f"{median(it):.1f} (p90 {sorted(it)[len(it) * 9 // 10]:.1f}, {len(it)})" for it in took)
        print(f"{'':<14} {what}: {alone_} ms, beside the bots {beside_} ms")


def of_bots(name: str, bot: str, count: int, url: str) -> list[UUID]:
    """Return so many games in which this bot has the first turn, but isn't due yet."""
    tokens = [player_token(f"{bot}-{seat}@example.org") for seat in range(min(RULES[name].SEATS) - 1)]
    first, *others = [caller(token).player_id for token in tokens]
    seats = [{"player": "me"}, {"bot": bot}, *[{"open": True}] * len(others)]
    game_id = open_game(first, {"rules": name, "options": {"start_seat": 1}, "seats": seats}).game_id
    for player_id in others:
        take_seat(game_id, player_id)
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE seats SET wake_at = NULL WHERE game_id = %s", (game_id,))
    return [it.game_id for it in stage.copies(url, [stage.Rehearsed(game_id, [])], count)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--load", action="store_true", help="letters a second beside others' moves")
    parser.add_argument("--bots", action="store_true", help="moves and sweeps while many bots think")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, stage.postgres() as postgres:
        key = Path(folder) / "dkim.pem"
        subprocess.run(["openssl", "genrsa", "-traditional", "-out", key, "2048"], check=True, capture_output=True)
        for name in RULES:
            if asked.bots:
                beside_bots(name, postgres)
                continue
            floor = least(postgres, name)
            print(f"{'':<14} a move at the perfect endpoint: {floor:.2f} CPU ms, {QUIET} on two quiet cores")
            if asked.load:
                letters_a_second = load(name, postgres, key)
                print(f"{'':<14} projected {letters_a_second * floor / QUIET:.0f} letters/s")
                continue
            turn, letter = median(measure(name, postgres, key)), stations(name, postgres, key.read_bytes())
            print(f"{'':<14} a turn is {turn / floor:.1f} such moves, its letter {letter / floor:.1f}:", end=" ")
            print(f"projected {turn / floor * QUIET:.1f} ms and {letter / floor * QUIET:.1f} ms")
    if asked.bots:
        return
    print(
        "targets: a turn at most 15 CPU ms, a letter 12, a picture 8 ms and 60 KB; 100 letters/s, p99 of moves 100 ms"
    )


if __name__ == "__main__":
    main()
