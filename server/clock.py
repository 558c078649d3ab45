"""The clock of all processes. Tests and the sandbox move it forward instead of waiting."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from typing import Final

NOTHING: Final = timedelta(0)
SECOND: Final = timedelta(seconds=1)
DAY: Final = timedelta(days=1)

Stretch = tuple[datetime, datetime]  # start, end (exclusive)


class Clock:
    def __init__(self) -> None:
        self.offset = NOTHING
        self._behind = ContextVar("behind", default=NOTHING)

    def now(self) -> datetime:
        return self.real() + self.offset - self._behind.get()

    def real(self) -> datetime:
        """Return the wall-clock time without the offset, for signatures and leases."""
        return datetime.now(UTC)

    def forward(self, by: timedelta) -> None:
        self.offset += by

    @contextmanager
    def set_back(self, length: timedelta) -> Iterator[None]:
        """Set the clock back by `length`, in this thread only."""
        token = self._behind.set(length)
        try:
            yield
        finally:
            self._behind.reset(token)


clock = Clock()
