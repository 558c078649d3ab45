"""Leader election for checks of due work. With a single Postgres, checks are cheap, so every process checks at every
beat. If tables are distributed over machines, each check queries all machines. So one process is elected to check, at
longer intervals."""

import time
from threading import Lock
from typing import Any

import psycopg

from server.store.connections import autocommit, connect, is_open
from server.store.spreading import is_citus


class Lookout:
    """A candidate in the leader election. The leader's connection holds an advisory lock. When this connection ends,
    another candidate becomes the leader. Two leaders would do no harm, but double the work."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._is_spread: bool | None = None
        self._connection: psycopg.Connection[Any] | None = None
        self._has_it = False
        self._looked_at: dict[object, float] = {}
        self._lock = Lock()

    def is_time(self, run: object, every: float, others: float) -> bool:
        """Return whether the check is due. With distributed tables, the leader runs the check every `every` seconds,
        and the other processes every `others` seconds."""
        with self._lock:
            pause, now = every if self._looks_for_all() else others, time.monotonic()
            if self._is_spread and now < self._looked_at.setdefault(run, now - every) + pause:
                return False
            self._looked_at[run] = now
            return True

    def _looks_for_all(self) -> bool:
        if self._is_spread is None:
            with autocommit() as connection:
                self._is_spread = is_citus(connection)
        if not self._is_spread:
            return True
        if self._connection is None or not is_open(self._connection):
            self._connection, self._has_it = connect(), False
        if not self._has_it:
            row = self._connection.execute("SELECT pg_try_advisory_lock(%s)", (self._number,)).fetchone()
            self._has_it = row is not None and row[0]
        return self._has_it
