"""The clock of all processes: tests and the sandbox put it forward instead of waiting."""

from datetime import UTC, datetime, timedelta
from typing import Final

NOTHING: Final = timedelta(0)
SECOND: Final = timedelta(seconds=1)
DAY: Final = timedelta(days=1)

Stretch = tuple[datetime, datetime]  # from, to (not included)


class Clock:
    """The clock on the wall. Tests and the sandbox put it forward instead of waiting."""

    def __init__(self) -> None:
        self.offset = NOTHING

    def now(self) -> datetime:
        return self.real() + self.offset

    def real(self) -> datetime:
        """The time that no leap changes, by which receivers check signatures and leases run out."""
        return datetime.now(UTC)

    def forward(self, by: timedelta) -> None:
        self.offset += by


clock = Clock()
