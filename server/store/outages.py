"""Hours in which the service was not to be reached."""

from datetime import datetime

from server.store.connections import autocommit

Interval = tuple[datetime, datetime]


def outages_since(moment: datetime) -> list[Interval]:
    """From when to when, of all outages that ended after `moment`."""
    with autocommit() as connection:
        return connection.execute("SELECT began_at, ended_at FROM outages WHERE ended_at > %s", (moment,)).fetchall()
