"""The least that our answer to a move costs: the same statements and the same bytes, by Flask alone.

What a move asks of Postgres and what it is answered is noted beforehand, while our app plays it, and is then done again
for copies of its game: no token, schema, rule or view is looked at.
"""

import os
import pickle
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch
from uuid import UUID

import orjson
import psycopg
from flask import Flask, Response, request
from psycopg.types.json import set_json_loads
from werkzeug.test import EnvironBuilder, run_wsgi_app

from server.api import auth, http_responses, languages, moves, origins, rate_limits, reading, request_log
from server.play import commits, turn_links, views
from server.play import moves as play
from server.rules import GAMES
from server.store import log
from tests.bench import stage
from tests.bench.stage import Rehearsed

NOTES = "FLOOR"  # the variable that names the file of what was noted
_RULES = ("decide", "apply", "view", "tell", "outcome", "move_from_json")
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
    ("token", auth, "_look_at_token"),
    ("marshmallow", reading.StrictParser, "parse"),
    ("smorest", moves.Moves, "post"),
    ("idempotency, JSON", moves, "once"),
    ("loading", views, "load"),
    ("commit", play, "record"),
    ("due times", commits, "timed"),
    ("letters", commits.letters, "after"),
    ("hashes", log, "chained"),
    *((("rules", GAMES["sternenhimmel"], name)) for name in _RULES),
)


class Noted(NamedTuple):
    """What a move asked of Postgres, statement by statement, and its answer."""

    asked: Sequence[tuple[Any, Any]]
    answer: bytes


Notes = dict[tuple[UUID, int], Noted]  # by game and turn

# Bare Flask


def app() -> Flask:
    """It answers what was noted in the file that the variable names."""
    noted: Notes = pickle.loads(Path(os.environ[NOTES]).read_bytes())  # our own, of a moment ago
    return bare(noted, os.environ["DATABASE_URL"])


def bare(noted: Notes, url: str) -> Flask:
    bare_app, own = Flask("floor"), threading.local()

    def connection() -> psycopg.Connection[Any]:
        if not hasattr(own, "connection"):
            own.connection = psycopg.connect(url, autocommit=True)
            set_json_loads(orjson.loads, own.connection)
            own.connection.execute("SET plan_cache_mode = force_generic_plan")
        found: psycopg.Connection[Any] = own.connection
        return found

    @bare_app.post("/v1/games/<uuid:game_id>/moves")
    def move(game_id: UUID) -> Response:
        asked, answer = noted[game_id, request.get_json()["turn"]]
        for query, values in asked:
            found = connection().execute(query, values)
            if found.description:
                found.fetchone()
        return Response(answer, 201, mimetype="application/json")

    return bare_app


# Noting


def note(ours: Flask, game: Rehearsed) -> dict[int, Noted]:
    """Play a game to its end; what each of its moves asked and was answered, by turn."""
    found, execute = {}, psycopg.Connection.execute
    for line in game.lines:
        asked: list[tuple[Any, Any]] = []

        def noting(connection: Any, query: Any, values: Any = None, _asked: Any = asked, **more: Any) -> Any:
            if values is not None:
                _asked.append((query, values))
            return execute(connection, query, values, **more)

        with patch.object(psycopg.Connection, "execute", noting):
            answer = play_line(ours, game.game_id, line)
        found[line.turn] = Noted(asked, answer)
    return found


def of_copy(noted: dict[int, Noted], was: UUID, copy: UUID) -> Notes:
    """The same for a copy of its game."""

    def put(values: Any) -> Any:
        if isinstance(values, dict):
            return {name: copy if value == was else value for name, value in values.items()}
        return tuple(copy if isinstance(value, UUID) and value == was else value for value in values)

    return {
        (copy, turn): Noted([(query, put(values)) for query, values in asked], answer)
        for turn, (asked, answer) in noted.items()
    }


# Within this process


def play_line(app: Flask, game_id: UUID, line: stage.Line) -> bytes:
    """Raises ValueError for another answer than 201."""
    builder = EnvironBuilder(
        f"/v1/games/{game_id}/moves",
        method="POST",
        json={"turn": line.turn, "move": line.move},
        headers={"Authorization": f"Bearer {line.token}"},
    )
    environ = builder.get_environ()
    began = time.thread_time()
    body, status, _ = run_wsgi_app(app.wsgi_app, environ, buffered=True)
    answer = b"".join(body)
    _took["all"] += time.thread_time() - began
    if not status.startswith("201"):
        raise ValueError(answer.decode())
    return answer


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


def measured(app: Flask, games: Sequence[Rehearsed]) -> dict[str, float]:
    """CPU milliseconds a move, of Python, by layer; `all` is all of it."""
    _took.clear()
    for game in games:
        for line in game.lines:
            play_line(app, game.game_id, line)
    moves_played = sum(len(game.lines) for game in games)
    return {layer: seconds * 1000 / moves_played for layer, seconds in _took.items()}
