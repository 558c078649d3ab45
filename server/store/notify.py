"""Notifications (NOTIFY) that a game has changed, a message was posted, or a player has an email. They are sent after
the commit, and several at a time.

A notification may get lost. The log is authoritative, and listeners also poll.
"""

import logging
import select
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from threading import Event, Lock, Thread
from typing import Any, NoReturn
from uuid import UUID

import psycopg
import sqlalchemy.exc
from flask import Flask, current_app

from server.store.connections import PATIENT, autocommit, connect, is_open, is_pooled

log = logging.getLogger(__name__)
_GAMES, _LETTERS = "games", "letters"  # channels
_PAUSE = 0.05  # seconds from a commit to its notification, which may cover several commits
_MOST = 200  # games per notification; the limit is 8,000 bytes
_AGAIN = 1.0  # seconds until the next attempt to listen


class _Notifier:
    """The notifications that this process has yet to send."""

    def __init__(self) -> None:
        self._games: set[UUID] = set()
        self._has_letters = False
        self._lock = Lock()
        self._any = Event()
        self._is_told = False
        self._direct: psycopg.Connection[Any] | None = None

    def tell_from(self, app: Flask) -> None:
        """Start a thread that sends the notifications."""
        self._is_told = True
        Thread(target=self._tell_on, args=(app,), daemon=True).start()

    def note_change(self, game_id: UUID) -> None:
        """Note that this game has a new commit or message, which has been committed or is about to be."""
        if self._is_told:
            with self._lock:
                self._games.add(game_id)
            self._any.set()

    def note_letter(self) -> None:
        """Note that a player has an email that isn't about a game, which has been committed or is about to be."""
        if self._is_told:
            self._has_letters = True
            self._any.set()

    def _tell_on(self, app: Flask) -> None:
        while True:
            self._any.wait()
            time.sleep(_PAUSE)
            self._any.clear()
            with self._lock:
                games, self._games = list(self._games), set()
            has_letters, self._has_letters = self._has_letters, False
            try:
                with app.app_context(), self._connection() as connection:
                    _notify(connection, games, has_letters)
            except (psycopg.Error, sqlalchemy.exc.SQLAlchemyError) as error:  # listeners also poll
                log.debug("A notification got lost: %s", error)

    def _connection(self) -> AbstractContextManager[psycopg.Connection[Any]]:
        """Return a connection to the node on which all processes listen, since Citus nodes don't forward
        notifications."""
        if not (direct := current_app.config["DATABASE_URL_DIRECT"]):
            return autocommit()
        if self._direct is None or self._direct.closed or not is_open(self._direct):
            self._direct = psycopg.connect(direct, autocommit=True, **PATIENT)
        return nullcontext(self._direct)


notifier = _Notifier()


def _notify(connection: psycopg.Connection[Any], games: list[UUID], has_letters: bool) -> None:
    for first in range(0, len(games), _MOST):
        words = ",".join(game.hex for game in games[first : first + _MOST])
        connection.execute("SELECT pg_notify(%s, %s)", (_GAMES, words))
    if has_letters:
        connection.execute("SELECT pg_notify(%s, '')", (_LETTERS,))


def listen(*more: str) -> psycopg.Connection[Any]:
    """Return a connection that receives notifications about games and on the channels `more`. Behind a pooler, it
    receives none."""
    direct = current_app.config["DATABASE_URL_DIRECT"]
    connection = psycopg.connect(direct, autocommit=True, **PATIENT) if direct else connect()
    if not is_pooled(connection):
        for channel in (_GAMES, *more):
            connection.execute(f"LISTEN {channel}")
    return connection


def received_games(connection: psycopg.Connection[Any]) -> set[UUID]:
    """Return the games in all notifications received so far. Raise OperationalError if the connection to the database
    is lost."""
    return {UUID(hex=word) for notice in connection.notifies(timeout=0) for word in notice.payload.split(",")}


def on_hint(app: Flask, *actions: Callable[[], object]) -> None:
    """Call these functions, in a thread, after each notification and after each reconnection. Notifications in quick
    succession count as one."""
    Thread(target=_listen_on, args=(app, actions), daemon=True, name="hints").start()


def _listen_on(app: Flask, actions: Sequence[Callable[[], object]]) -> NoReturn:
    while True:
        try:
            with app.app_context():
                connection = listen(_LETTERS)
            with connection:
                ear = select.poll()  # psycopg would wake up ten times a second
                ear.register(connection.fileno(), select.POLLIN)
                while True:
                    for action in actions:
                        action()
                    ear.poll()
                    time.sleep(_PAUSE)
                    for _ in connection.notifies(timeout=0):
                        pass
        except (psycopg.Error, sqlalchemy.exc.SQLAlchemyError) as error:  # the callers also poll
            log.debug("No notifications can be received: %s", error)
            time.sleep(_AGAIN)
