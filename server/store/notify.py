"""Hints that a game has changed or something was said, for whoever follows it and for the post; or that a player has a
letter. By NOTIFY after the commit, beside the commits and some at a time.

A hint may get lost; the log is the truth, and those who follow also look by themselves.
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
_PAUSE = 0.05  # seconds from a commit to its hint: it commits meanwhile, and one notice tells of several
_MOST = 200  # games in a notice, whose text ends at 8,000 bytes
_AGAIN = 1.0  # seconds until the next try to listen


class _Notifier:
    """What one process has to tell."""

    def __init__(self) -> None:
        self._games: set[UUID] = set()
        self._has_letters = False
        self._lock = Lock()
        self._any = Event()
        self._is_told = False
        self._direct: psycopg.Connection[Any] | None = None

    def tell_from(self, app: Flask) -> None:
        """From now on, tell of changes in a thread beside."""
        self._is_told = True
        Thread(target=self._tell_on, args=(app,), daemon=True).start()

    def changed(self, game_id: UUID) -> None:
        """This game has a new commit or message, which commits presently or just did."""
        if self._is_told:
            with self._lock:
                self._games.add(game_id)
            self._any.set()

    def posted(self) -> None:
        """A player has a letter that no game tells of, from a transaction that commits presently or just did."""
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
            except (psycopg.Error, sqlalchemy.exc.SQLAlchemyError) as error:  # whoever follows looks by himself
                log.debug("A hint got lost: %s", error)

    def _connection(self) -> AbstractContextManager[psycopg.Connection[Any]]:
        """To where the others listen; of several nodes, each hears only what it is told itself."""
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
    """A connection on which hints of games arrive, and of `more`; none do where all connections lead through a pooler."""
    direct = current_app.config["DATABASE_URL_DIRECT"]
    connection = psycopg.connect(direct, autocommit=True, **PATIENT) if direct else connect()
    if not is_pooled(connection):
        for channel in (_GAMES, *more):
            connection.execute(f"LISTEN {channel}")
    return connection


def notified(connection: psycopg.Connection[Any]) -> set[UUID]:
    """The games of all hints that have arrived. Raises OperationalError when the database has gone."""
    return {UUID(hex=word) for notice in connection.notifies(timeout=0) for word in notice.payload.split(",")}


def on_hint(app: Flask, *actions: Callable[[], object]) -> None:
    """Call these after hints, in a thread beside, and once whenever hints can be heard again; none while the database is
    away. Hints that come close together are one."""
    Thread(target=_listen_on, args=(app, actions), daemon=True, name="hints").start()


def _listen_on(app: Flask, actions: Sequence[Callable[[], object]]) -> NoReturn:
    while True:
        try:
            with app.app_context():
                connection = listen(_LETTERS)
            with connection:
                ear = select.poll()  # psycopg would look ten times a second whether it is to stop
                ear.register(connection.fileno(), select.POLLIN)
                while True:
                    for action in actions:
                        action()
                    ear.poll()
                    time.sleep(_PAUSE)
                    for _ in connection.notifies(timeout=0):
                        pass
        except (psycopg.Error, sqlalchemy.exc.SQLAlchemyError) as error:  # whoever is told looks by himself, too
            log.debug("No hints are heard: %s", error)
            time.sleep(_AGAIN)
