"""Hints that a game has changed or something was said, for whoever follows it: by NOTIFY after the commit, beside the
commits and some at a time.

A hint may get lost; the log is the truth, and those who follow also look by themselves.
"""

import logging
import time
from threading import Event, Lock, Thread
from typing import Any
from uuid import UUID

import psycopg
import sqlalchemy.exc
from flask import Flask

from server.store.connections import autocommit, connect

log = logging.getLogger(__name__)
_CHANNEL = "games"
_PAUSE = 0.05  # seconds from a commit to its hint: it commits meanwhile, and one notice tells of several
_MOST = 200  # games in a notice, whose text ends at 8,000 bytes


class _Notifier:
    """What one process has to tell."""

    def __init__(self) -> None:
        self._games: set[UUID] = set()
        self._lock = Lock()
        self._any = Event()
        self._is_told = False

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

    def _tell_on(self, app: Flask) -> None:
        while True:
            self._any.wait()
            time.sleep(_PAUSE)
            self._any.clear()
            with self._lock:
                games, self._games = list(self._games), set()
            try:
                with app.app_context():
                    _notify(games)
            except (psycopg.Error, sqlalchemy.exc.SQLAlchemyError) as error:  # whoever follows looks by himself
                log.debug("A hint got lost: %s", error)


notifier = _Notifier()


def _notify(games: list[UUID]) -> None:
    with autocommit() as connection:
        for first in range(0, len(games), _MOST):
            words = ",".join(game.hex for game in games[first : first + _MOST])
            connection.execute("SELECT pg_notify(%s, %s)", (_CHANNEL, words))


def listen() -> psycopg.Connection[Any]:
    """A connection on which hints arrive."""
    connection = connect()
    connection.execute(f"LISTEN {_CHANNEL}")
    return connection


def notified(connection: psycopg.Connection[Any]) -> set[UUID]:
    """The games of all hints that have arrived. Raises OperationalError when the database has gone."""
    return {UUID(hex=word) for notice in connection.notifies(timeout=0) for word in notice.payload.split(",")}
