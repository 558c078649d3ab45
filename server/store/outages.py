"""Outages: periods in which the service was unreachable."""

from datetime import datetime

from server.store.connections import autocommit

Interval = tuple[datetime, datetime]


def outages_since(moment: datetime) -> list[Interval]:
    """Return the start and end of each outage that ended after `moment`."""
    with autocommit() as connection:
        return connection.execute("SELECT began_at, ended_at FROM outages WHERE ended_at > %s", (moment,)).fetchall()
