"""Leases on what an office has in its hands, renewed while it is at it: whoever dies is followed within seconds, and
whoever is only slow is not."""

import logging
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Thread

from flask import Flask

from server.clock import clock
from server.store.connections import let_go
from server.store.database_retry import is_passing

LENGTH = timedelta(seconds=20)
_PAUSE = 5.0  # seconds between two renewals
_SPARE = timedelta(seconds=5)  # a lease that ends sooner is renewed before anything is handed over
_AFTER_AN_OUTAGE = 10.0  # seconds in which those whose leases ran out meanwhile come back to them

log = logging.getLogger(__name__)


class Lost(Exception):
    """The lease ran out, as when the process was stopped for a while; somebody else may be at it."""


class Lease:
    """What one thread has in its hands, and nobody else until `end`."""

    def __init__(self, renew: Callable[[datetime], bool], began: float) -> None:
        self._renew = renew
        self._end = began + LENGTH.total_seconds()
        self._is_lost = False

    def renew(self) -> None:
        began = time.monotonic()
        if self._renew(clock.real() + LENGTH):
            self._end = began + LENGTH.total_seconds()
        else:
            self._is_lost = True

    def confirm(self) -> None:
        """Before anything is handed over. Raises Lost."""
        if not self._is_lost and time.monotonic() > self._end - _SPARE.total_seconds():
            try:
                self.renew()
            except Exception as error:
                let_go()
                if not is_passing(error):
                    raise
                raise Lost from error
        if self._is_lost:
            raise Lost


class Leases:
    """All leases of an office."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._held: set[Lease] = set()
        self._lapse_from = math.inf  # maybe it was away until just now
        Thread(target=self._renew_on, daemon=True, name="leases").start()

    @contextmanager
    def held(self, renew: Callable[[datetime], bool], began: float) -> Iterator[Lease]:
        """A lease that is renewed within; `began` is the monotonic time at which it was asked for.

        `renew` sets another end; False if somebody else has taken what it is on.
        """
        lease = Lease(renew, began)
        self._held.add(lease)
        try:
            yield lease
        finally:
            self._held.discard(lease)

    def _renew_on(self) -> None:
        while True:
            time.sleep(_PAUSE)
            with self._app.app_context():
                for lease in self._held.copy():
                    self._renew(lease)

    def _renew(self, lease: Lease) -> None:
        try:
            lease.renew()
        except Exception as error:
            let_go()
            if not is_passing(error):
                log.exception("A lease could not be renewed")

    @contextmanager
    def looking(self) -> Iterator[datetime | None]:
        """Around a look at what is due: leases that ended before the moment given count no more; None: all do.

        They do until the database has answered for a while: as long as it was away, nobody could renew his.
        """
        try:
            yield clock.real() if time.monotonic() >= self._lapse_from else None
        except Exception:
            self._lapse_from = math.inf
            raise
        if self._lapse_from == math.inf:
            self._lapse_from = time.monotonic() + _AFTER_AN_OUTAGE
