"""Circuit breaker: once Postgres says nothing, one caller a second asks it again, and the others are refused at once, so that
they do not hold every thread. The first answer ends it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final

import psycopg

NOBODY_ANSWERED: Final = "connection timeout expired"  # as psycopg tells it, also of one of several hosts
_TRY_EVERY = 1.0  # seconds


class CircuitBreaker:
    """Of one process. Errors do not open it: whoever is told that there is no Postgres has not waited. Nor does a statement
    without an answer: a commit may wait for a replica, and others are answered meanwhile."""

    def __init__(self) -> None:
        self._is_open = False
        self._try_at = 0.0
        self._lock = Lock()

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Around a new connection. Raises OperationalError, as whoever waited in vain does."""
        self._expect_turn()
        try:
            yield
        except psycopg.OperationalError as error:
            if NOBODY_ANSWERED in str(error):
                with self._lock:
                    # Whoever is next asks at once: this one may have waited since before the last answer.
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
