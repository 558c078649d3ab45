"""What front ends ask for most, beside the least that it costs: `python -m tests.bench.reads`.

The least is a bare Flask app under the same server and over the same Postgres. For each call it runs the statements that
ours ran, token included, and returns the bytes that ours returned. Both are driven in turns by the same clients.
`python -m tests.bench.reads layers` shows where our Python goes within one process. `pollers` shows what a thousand
players cost who each ask once a minute whether it is their turn.
"""

import argparse
import gc
import os
import pickle
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import wraps
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from unittest.mock import patch

import orjson
import psycopg
from flask import Flask, Response, request
from psycopg.types.json import set_json_loads
from werkzeug.test import EnvironBuilder, run_wsgi_app

from server.accounts.players import player_token
from server.api import auth, http_responses, languages, origins, rate_limits, reading, request_log
from server.app import create_app
from server.config import Settings
from server.games import GAMES
from server.play import views
from server.play.seating.games import open_game
from server.play.talk.chat import say
from server.play.turns import turn_links
from server.play.turns.turn_links import caller
from server.store import embedded_postgres
from tests.bench.http import Driven, drive
from tests.support import stage

NOTES = "READS"  # the variable that names the file of what was noted
CLIENTS = 16
EACH = 320  # requests of a call and round
OPEN_GAMES, OF_ADA, MESSAGES = 40, 24, 20
POLLERS, EVERY = 300, 18.0  # a sample: its rate is that of 1,000 players who each poll once a minute
_ECHO = "/echo"
_WITH_ETAG = ("a game", "legal moves", "my games", "my turn")

_LAYERS: Sequence[tuple[str, object, str]] = (
    ("psycopg", psycopg.Connection, "execute"),
    ("token", turn_links, "caller"),
    ("rate limit", rate_limits, "_begin"),
    ("rate limit", rate_limits, "_tell"),
    ("log and metrics", request_log, "_begin"),
    ("log and metrics", request_log, "_finish"),
    ("language", languages, "_locale"),
    ("language", auth, "speak"),
    ("CORS", origins, "_answer_preflight"),
    ("CORS", origins, "_finish"),
    ("headers, ETag", http_responses, "_expect_accept"),
    ("headers, ETag", http_responses, "_finish"),
    ("token", auth, "_identify_caller"),
    ("marshmallow", reading.StrictParser, "parse"),
    ("loading", views, "load"),
    ("rules", GAMES["sternenhimmel"], "view"),
    ("rules", GAMES["sternenhimmel"], "tell"),
)


class Call(NamedTuple):
    """A request, and how many times the least it may cost (CPU of web and Postgres)."""

    name: str
    path: str
    token: str
    bound: float | None
    headers: str = ""
    status: int = 200

    def request(self) -> bytes:
        bearer = f"Authorization: Bearer {self.token}\r\n" if self.token else ""
        return f"GET {self.path} HTTP/1.1\r\nHost: localhost\r\n{bearer}{self.headers}\r\n".encode()


class Noted(NamedTuple):
    asked: Sequence[tuple[Any, Any]]
    answer: bytes


class Run(NamedTuple):
    driven: Driven
    web: float
    postgres: float

    @property
    def cpu(self) -> float:
        return self.web + self.postgres


def stage_calls() -> list[Call]:
    """Fill the database: running games half-way through, Ada in 24 of them, and open ones; return the calls on it."""
    ada = player_token("ada@example.org", "ada")
    ada_id = caller(ada).player_id
    game = None
    for number in range(OF_ADA):
        rules = list(GAMES)[number % len(GAMES)]
        seats = [{"player": "me"}, {"bot": "greedy"}, {"bot": "greedy"}]
        opened = open_game(ada_id, {"rules": rules, "seats": seats, "title": f"Game {number}"})
        game = game or opened
    assert game is not None
    for number in range(MESSAGES):
        say(game.game_id, ada_id, f"Message {number}")
    for number in range(OPEN_GAMES):
        host = caller(player_token(f"host-{number}@example.org", f"host {number}")).player_id
        wanted = {"rules": list(GAMES)[number % len(GAMES)], "title": f"Open {number}"}
        open_game(host, {**wanted, "seats": [{"player": "me"}, {"open": True}, {"open": True}]})
    path = f"/v1/games/{game.game_id}"
    return [
        Call("GET /v1", "/v1", "", 1.5),
        Call("me", "/v1/me", ada, 2.0),
        Call("a game", path, ada, 2.0),
        Call("a game, no token", path, "", 2.0),
        Call("legal moves", f"{path}/legal-moves", ada, 2.0),
        Call("events", f"{path}/events", ada, 2.0),
        Call("messages", f"{path}/messages", ada, 2.0),
        Call("a game ?at=", f"{path}?at=1", ada, None),
        Call("my games", "/v1/games?mine=true&status=running", ada, 2.5),
        Call("my turn", "/v1/games?my_turn=true", ada, 2.5),
        Call("lobby", "/v1/games?status=open&free=true", ada, 2.5),
    ]


def answer_of(app: Flask, call: Call) -> Response:
    """Raises ValueError for another status than the expected one."""
    headers = {"Authorization": f"Bearer {call.token}"} if call.token else {}
    headers |= dict(line.split(": ", 1) for line in call.headers.splitlines())
    found = app.test_client().get(call.path, headers=headers)
    if found.status_code != call.status:
        raise ValueError(found.text)
    return found


def note(app: Flask, call: Call) -> Noted:
    """Return the statements that an answer needs once all caches are warm, and the answer."""
    answer_of(app, call)
    asked: list[tuple[Any, Any]] = []
    execute = psycopg.Cursor.execute

    def noting(cursor: Any, query: Any, values: Any = None, **more: Any) -> Any:
        asked.append((query, values))
        return execute(cursor, query, values, **more)

    with patch.object(psycopg.Cursor, "execute", noting):
        answer = answer_of(app, call)
    return Noted(asked, answer.get_data())


def app() -> Flask:
    """The least: it answers what was noted in the file that the variable names."""
    noted: dict[str, tuple[Any, Any]] = pickle.loads(Path(os.environ[NOTES]).read_bytes())  # our own, of a moment ago
    url, bare, own = os.environ["DATABASE_URL"], Flask("least"), threading.local()

    def connection() -> psycopg.Connection[Any]:
        if not hasattr(own, "connection"):
            own.connection = psycopg.connect(url, autocommit=True)
            set_json_loads(orjson.loads, own.connection)
            own.connection.execute("SET plan_cache_mode = force_generic_plan")
        found: psycopg.Connection[Any] = own.connection
        return found

    @bare.get("/<path:_>")
    def get(_: str) -> Response:
        path = request.full_path.removesuffix("?")
        if path == _ECHO:
            return Response(b"{}", mimetype="application/json")
        asked, answer = noted[path + ("" if "Authorization" in request.headers else " without token")]
        for query, values in asked:
            found = connection().execute(query, values)
            if found.description:
                found.fetchall()
        return Response(answer, mimetype="application/json")

    return bare


def run(served: stage.Served, postgres: embedded_postgres.Server, call: Call) -> Run:
    pids = (served.pid, postgres.pid)
    before = [stage.cpu_seconds(pid) for pid in pids]
    games = [[call.request()] * (EACH // CLIENTS)] * CLIENTS
    driven = drive(served.port, games, CLIENTS, f"HTTP/1.1 {call.status}".encode())
    used = [stage.cpu_seconds(pid) - was for pid, was in zip(pids, before, strict=True)]
    return Run(driven, *(seconds * 1000 / driven.answers for seconds in used))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=("layers", "pollers"))
    parser.add_argument("--rounds", type=int, default=3)
    wanted = parser.parse_args()
    if wanted.what == "pollers":
        return show_pollers()
    with stage.postgres() as postgres, tempfile.NamedTemporaryFile() as notes:
        settings = Settings.from_environment({"DATABASE_URL": postgres.url})
        with (ours := create_app(settings)).app_context():
            calls = stage_calls()
        noted = {it.path + ("" if it.token else " without token"): note(ours, it) for it in calls}
        unchanged = [_unchanged(ours, it) for it in calls if it.name in _WITH_ETAG]
        if wanted.what == "layers":
            with layers(), (timed := create_app(settings)).app_context():
                return show_layers(timed, [*calls, *unchanged])
        # As plain tuples, since `Noted` is a class of `__main__` here, and of this module in the bare web.
        notes.write(pickle.dumps({key: tuple(it) for key, it in noted.items()}))
        notes.flush()
        os.environ[NOTES] = notes.name
        gc.freeze()  # so that collections find nothing to look at while answers wait
        echo = Call("echo", _ECHO, "", None)
        runs: dict[str, list[tuple[Run, Run | None]]] = {}
        with (
            stage.serving(stage.OURS, "gunicorn", postgres.url) as our_web,
            stage.serving("tests.bench.reads:app()", "gunicorn", postgres.url) as bare_web,
        ):
            for _ in range(wanted.rounds + 1):  # the first warms up
                runs.setdefault("echo", []).append((run(bare_web, postgres, echo), None))
                runs.setdefault("healthz", []).append((run(our_web, postgres, Call("", "/healthz", "", None)), None))
                for call in calls:
                    least = run(bare_web, postgres, call if call.name != "GET /v1" else echo)
                    runs.setdefault(call.name, []).append((run(our_web, postgres, call), least))
                for call in unchanged:
                    runs.setdefault(call.name, []).append((run(our_web, postgres, call), None))
    show(runs, {it.name: it for it in calls})


def show(runs: dict[str, list[tuple[Run, Run | None]]], calls: dict[str, Call]) -> None:
    print(f"{'':<18}     p50     p99     CPU     web Postgres   bytes   least   ratio")
    for name, pairs in runs.items():
        pairs = pairs[1:]
        mine = [it for it, _ in pairs]
        line = f"{name:<18}" + "".join(
            f"{median(figure):8.2f}"
            for figure in (
                [it.driven.percentile(50) for it in mine],
                [it.driven.percentile(99) for it in mine],
                [it.cpu for it in mine],
                [it.web for it in mine],
                [it.postgres for it in mine],
            )
        )
        line += f"{mine[0].driven.size // mine[0].driven.answers:8}"
        if name in calls:
            least = median(it.cpu for _, it in pairs if it)
            ratio = median(one.cpu / other.cpu for one, other in pairs if other)
            bound = calls[name].bound
            line += f"{least:8.2f}{ratio:8.2f}" + (f"  (at most {bound})" if bound else "")
        print(line)
    for name in _WITH_ETAG:
        pairs_ = zip(runs[f"{name}, 304"][1:], runs[name][1:], strict=True)
        ratio = median(one.cpu / other.cpu for (one, _), (other, _) in pairs_)
        print(f"a 304 costs {ratio:.2f} of a 200: {name} (at most 0.8)")


def _unchanged(app: Flask, call: Call) -> Call:
    etag = answer_of(app, call).headers["ETag"]
    return call._replace(name=f"{call.name}, 304", headers=f"If-None-Match: {etag}\r\n", status=304)


def show_pollers() -> None:
    """Print the cores that all polls of a minute use, each on a new connection and with its ETag."""
    with stage.postgres() as postgres:
        with create_app(Settings.from_environment({"DATABASE_URL": postgres.url})).app_context():
            tokens = [player_token(f"poller-{number}@example.org") for number in range(POLLERS)]
            for number, token in enumerate(tokens):
                seats = [{"player": "me"}, {"bot": "greedy"}, {"bot": "greedy"}]
                open_game(caller(token).player_id, {"rules": list(GAMES)[number % len(GAMES)], "seats": seats})
        with stage.serving(stage.OURS, "gunicorn", postgres.url) as web:
            polls = [Call("", "/v1/games?my_turn=true", token, None) for token in tokens]
            etags = [_etag_in(drive(web.port, [[it.request()]], 1, b"HTTP/1.1 200").last) for it in polls]
            again = [it._replace(headers=f"If-None-Match: {etag}\r\n") for it, etag in zip(polls, etags, strict=True)]
            requests = [it.request() for it in again]
            for _ in range(3):  # until each process has seen each player
                drive(web.port, [[it] for it in requests], CLIENTS, b"HTTP/1.1 304")
            before = [stage.cpu_seconds(pid) for pid in (web.pid, postgres.pid)]
            began = time.perf_counter()
            took = []
            for number, request_ in enumerate(requests):
                time.sleep(max(0.0, began + number * EVERY / POLLERS - time.perf_counter()))
                took += drive(web.port, [[request_]], 1, b"HTTP/1.1 304").took
            seconds = time.perf_counter() - began
            used = [stage.cpu_seconds(pid) - was for pid, was in zip((web.pid, postgres.pid), before, strict=True)]
    took.sort()
    print(
        f"{POLLERS} of 1,000 players, {POLLERS / seconds:.1f} polls/s: {sum(used) / seconds:.4f} cores (web {used[0] / seconds:.4f},"
    )
    print(f"Postgres {used[1] / seconds:.4f}); p50 {took[POLLERS // 2]:.1f} ms, p99 {took[POLLERS * 99 // 100]:.1f} ms")


def _etag_in(answer: bytes) -> str:
    head = answer.partition(b"\r\n\r\n")[0].decode()
    return next(line.split(": ", 1)[1] for line in head.splitlines() if line.lower().startswith("etag:"))


_took: dict[str, float] = defaultdict(float)
_within: list[float] = []  # of each layer that is under way, what those that it called took


def _timed(layer: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        began = time.thread_time()
        _within.append(0.0)
        try:
            return function(*args, **named)
        finally:
            took = time.thread_time() - began
            _took[layer] += took - _within.pop()
            if _within:
                _within[-1] += took

    return call


@contextmanager
def layers() -> Iterator[None]:
    """Within it an app is made whose layers are timed, each without those that it calls."""
    with ExitStack() as stack:
        for layer, where, name in _LAYERS:
            stack.enter_context(patch.object(where, name, _timed(layer, getattr(where, name))))
        yield


def show_layers(app: Flask, calls: Sequence[Call]) -> None:
    """Print the CPU milliseconds of Python per request and layer, each without those that it calls."""
    for call in calls:
        for _ in range(20):
            answer_of(app, call)
        _took.clear()
        environ = EnvironBuilder(
            call.path, headers={"Authorization": f"Bearer {call.token}"} if call.token else {}
        ).get_environ()
        if call.headers:
            environ["HTTP_IF_NONE_MATCH"] = call.headers.split(": ")[1].strip()
        count, wsgi_app = 100, _timed("Flask and the rest", app.wsgi_app)
        for _ in range(count):
            b"".join(run_wsgi_app(wsgi_app, dict(environ), buffered=True)[0])
        layers = sorted(_took.items(), key=lambda it: -it[1])
        whole = sum(seconds for _, seconds in layers) * 1000 / count
        print(f"{call.name:<18}{whole:6.2f} ms: " + ", ".join(f"{it} {s * 1000 / count:.2f}" for it, s in layers))


if __name__ == "__main__":
    main()
