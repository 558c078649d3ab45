"""Hours in which the service was not to be reached."""

from datetime import datetime

from sqlalchemy import select

from server.store.tables import Outage, db

Interval = tuple[datetime, datetime]


def outages_since(moment: datetime) -> list[Interval]:
    """From when to when, of all outages that ended after `moment`."""
    rows = db.session.execute(select(Outage.began_at, Outage.ended_at).where(Outage.ended_at > moment))
    return [(began_at, ended_at) for began_at, ended_at in rows]
