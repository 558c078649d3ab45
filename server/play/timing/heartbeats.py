"""Heartbeats of web processes and workers. A gap between heartbeats is an outage. Outages don't count against
players."""

from datetime import datetime, timedelta
from uuid import uuid4

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert

from server.clock import clock
from server.play.timing import host_clock
from server.play.timing.sandbox_clock import OFFSET, adopt_offset, follow_clock
from server.store.connections import autocommit
from server.store.tables import Heartbeat, Outage, db

PARTS = ("web", "worker")
GAP = timedelta(minutes=2)  # after a longer gap, this part of the service counts as unreachable
_LOOK = """\
SELECT (SELECT value FROM settings WHERE name = %s), (SELECT at FROM heartbeats WHERE part = %s), clock_timestamp()"""
_OFTEN = timedelta(seconds=5)  # minimum between two writes, so that idle processes write little


def beat(part: str) -> None:
    """Record that this part of the service is alive. If an outage preceded, record it as well. A machine with a wrong
    clock records nothing."""
    with autocommit() as connection:
        row = connection.execute(_LOOK, (OFFSET, part)).fetchone()
    assert row is not None
    offset, at, time_of_database = row
    adopt_offset(offset)
    if host_clock.compare_with(time_of_database):
        return
    if at is None or not timedelta(0) <= clock.now() - at < _OFTEN:
        _beat(part)
        db.session.commit()


def _beat(part: str) -> None:
    row = db.session.execute(select(Heartbeat).where(Heartbeat.part == part).with_for_update()).scalar_one_or_none()
    follow_clock()
    now = clock.now()  # after the lock, so that beats are in order
    if row is None:
        db.session.execute(insert(Heartbeat).values(part=part, at=now).on_conflict_do_nothing())
    elif now - row.at > GAP:
        _note_outage(part, row.at, now)
        row.at = now
    else:
        if row.at - now > GAP:
            # The clock was ahead and has been corrected. So anything recorded in between happened no later than now.
            db.session.execute(update(Outage).where(Outage.ended_at > now).values(ended_at=now))
            _note_outage(part, now, now)
        if row.at - now > GAP or now > row.at:
            row.at = now


def _note_outage(part: str, began_at: datetime, ended_at: datetime) -> None:
    row = Outage(outage_id=uuid4(), part=part, began_at=began_at, ended_at=ended_at, followed=False)
    db.session.add(row)


def is_reachable(now: datetime) -> bool:
    """Return whether every part of the service has sent a heartbeat recently. While a part is missing, no player's time
    runs out."""
    with autocommit() as connection:
        beats = dict(connection.execute("SELECT part, at FROM heartbeats"))
    return all(part in beats and abs(now - beats[part]) <= GAP for part in PARTS)
