"""A comparison of this machine's clock with the database's clock. A process on a machine with a wrong clock commits
nothing."""

import logging
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg

from server.clock import clock
from server.store.connections import autocommit
from server.store.database_retry import Unavailable

TOLERANCE = timedelta(minutes=2)
_FRESH = timedelta(seconds=30)  # heartbeats compare the clocks more often

log = logging.getLogger(__name__)


class _HostClock:
    def __init__(self) -> None:
        self.looked_at = datetime.min.replace(tzinfo=UTC)
        self.is_wrong = False


_host_clock = _HostClock()


def skew(connection: psycopg.Connection[Any]) -> timedelta:
    """Return how far this machine's clock is ahead of the database's clock."""
    return clock.real() - _time_of_database(connection)


def _time_of_database(connection: psycopg.Connection[Any]) -> datetime:
    row = connection.execute("SELECT clock_timestamp()").fetchone()
    assert row is not None
    at: datetime = row[0]
    return at


def compare(connection: psycopg.Connection[Any]) -> bool:
    """Compare both clocks, and return whether this machine's clock is wrong. Write a line to the logs whenever the
    result changes."""
    return compare_with(_time_of_database(connection))


def compare_with(time_of_database: datetime) -> bool:
    """Compare the clocks like `compare`, but with a time that was just read from the database."""
    ahead = clock.real() - time_of_database
    is_wrong = abs(ahead) > TOLERANCE
    if is_wrong and not _host_clock.is_wrong:
        log.error("This process commits nothing until the clocks agree: %s", trouble(ahead))
    elif _host_clock.is_wrong and not is_wrong:
        log.warning("This machine's clock agrees with the database's again")
    _host_clock.is_wrong, _host_clock.looked_at = is_wrong, clock.real()
    return is_wrong


def trouble(ahead: timedelta) -> str:
    """Return the message for operators about a difference that exceeds the tolerance."""
    return f"this machine's clock is {abs(ahead)} {'ahead of' if ahead > timedelta(0) else 'behind'} the database's"


def is_wrong() -> bool:
    """Return whether this machine's clock is wrong, according to a comparison in the last half minute."""
    if _is_fresh():
        return _host_clock.is_wrong
    with autocommit() as connection:
        return compare(connection)


def expect_right(connection: psycopg.Connection[Any]) -> None:
    """Raise Unavailable if this machine's clock is wrong."""
    if _host_clock.is_wrong if _is_fresh() else compare(connection):
        raise Unavailable


def _is_fresh() -> bool:
    """Return whether the last comparison is still valid. If the clock has jumped since then, it isn't."""
    return timedelta(0) <= clock.real() - _host_clock.looked_at < _FRESH
