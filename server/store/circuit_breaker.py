"""A circuit breaker for Postgres. While Postgres doesn't respond, one caller per second tries to connect. All others
fail immediately, so that they don't occupy every thread. The first response closes the circuit breaker."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final

import psycopg

NOBODY_ANSWERED: Final = "connection timeout expired"  # psycopg's text, even if only one host is down
_TRY_EVERY = 1.0  # seconds


class CircuitBreaker:
    """The circuit breaker of a process.

    Errors don't open it, since they arrive immediately. Statements without a response don't open it either: a commit
    may be waiting for a replica while others succeed.
    """

    def __init__(self) -> None:
        self._is_open = False
        self._try_at = 0.0
        self._lock = Lock()

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Guard the opening of a connection. Raise OperationalError while Postgres doesn't respond."""
        self._expect_turn()
        try:
            yield
        except psycopg.OperationalError as error:
            if NOBODY_ANSWERED in str(error):
                with self._lock:
                    # The next caller tries immediately, since this one may have waited since before the last response.
                    if not self._is_open:
                        self._is_open, self._try_at = True, 0.0
            raise
        self._is_open = False

    def _expect_turn(self) -> None:
        if self._is_open:
            with self._lock:
                now = time.monotonic()
                if now < self._try_at:
                    raise psycopg.OperationalError(NOBODY_ANSWERED)
                self._try_at = now + _TRY_EVERY
