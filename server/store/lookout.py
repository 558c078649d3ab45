"""Lookout: who looks for what is due. On one Postgres a look costs next to nothing, so everybody has one at every beat.
Where tables are spread over machines each look goes to all of these: there one process is on the lookout, and seldom."""

import time
from threading import Lock
from typing import Any

import psycopg

from server.store.connections import autocommit, connect, is_open
from server.store.spreading import is_citus


class Lookout:
    """Of a process of each worker: who of them looks while nothing is due. The lock that says so is held by the connection,
    so that another has it once this process is gone; if two should look, that only costs more."""

    def __init__(self, number: int) -> None:
        """`number`: the same in all workers."""
        self._number = number
        self._is_spread: bool | None = None
        self._connection: psycopg.Connection[Any] | None = None
        self._has_it = False
        self._looked_at: dict[object, float] = {}
        self._lock = Lock()

    def is_time(self, run: object, every: float, others: float) -> bool:
        """Whether it is time for this look: where tables are spread after `every` so many seconds, and `others` look after
        more."""
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
