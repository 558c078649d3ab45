"""Leases on the work that a sender has in progress. A process renews its leases while it runs, even if it is slow. If
the process dies, another process takes over within seconds."""

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
_PAUSE = 5.0  # seconds between renewals
_SPARE = timedelta(seconds=5)  # a lease that ends sooner than this is renewed before something is sent
_AFTER_AN_OUTAGE = 10.0  # seconds in which holders can still renew their expired leases

log = logging.getLogger(__name__)


class Lost(Exception):
    """An expired lease, for example after the process was suspended. Another process may hold it now."""


class Lease:
    """A lease that one thread holds until `end`."""

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
        """Renew the lease if it ends soon, before something is sent. Raise Lost if the lease has expired."""
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
    """All leases of one sender."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._held: set[Lease] = set()
        self._lapse_from = math.inf  # the database may have been unavailable until now
        Thread(target=self._renew_on, daemon=True, name="leases").start()

    @contextmanager
    def hold(self, renew: Callable[[datetime], bool], began: float) -> Iterator[Lease]:
        """Renew a lease regularly within the `with` block. `began` is the monotonic time at which the lease was
        requested.

        `renew` sets a new end, and returns False if another process holds the lease.
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
    def look(self) -> Iterator[datetime | None]:
        """Yield the time before which leases count as expired, or None if all are valid.

        No lease expires until the database has been responding for a while, since none could be renewed while it was
        down.
        """
        try:
            yield clock.real() if time.monotonic() >= self._lapse_from else None
        except Exception:
            self._lapse_from = math.inf
            raise
        if self._lapse_from == math.inf:
            self._lapse_from = time.monotonic() + _AFTER_AN_OUTAGE
