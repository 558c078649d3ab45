"""How the service is: what an operator must know, part by part."""

from datetime import datetime, timedelta

import psycopg
import sqlalchemy.exc
from sqlalchemy import func, select

from server.play.clock import clock
from server.play.deadlines import GAP, PARTS
from server.store.tables import Heartbeat, Letter, PlayerLetter, db
from server.store.tables import Seat as SeatRow

LATE_LETTER = timedelta(minutes=10)
LATE_SEAT = timedelta(minutes=5)
SKEW = timedelta(seconds=5)


def parts() -> dict[str, str]:
    """What is wrong with each part, or `ok`."""
    try:
        now = clock.now()
        found = {"database": "ok", **_beats(now), "outbox": _letters(now), "seats": _overdue(now)}
        db.session.rollback()
        return found
    except (psycopg.Error, sqlalchemy.exc.SQLAlchemyError) as error:
        return {"database": f"does not answer ({type(error).__name__})"}


def _beats(now: datetime) -> dict[str, str]:
    seen = {row.part: row.at for row in db.session.scalars(select(Heartbeat))}
    return {
        part: "ok" if part in seen and abs(now - seen[part]) <= GAP else f"not seen since {seen.get(part, 'ever')}"
        for part in PARTS
    }


def _letters(now: datetime) -> str:
    oldest = [db.session.scalar(select(func.min(table.due_at))) for table in (Letter, PlayerLetter)]
    late = [now - due_at for due_at in oldest if due_at is not None and now - due_at > LATE_LETTER]
    return f"a letter has waited for {max(late)}" if late else "ok"


def _overdue(now: datetime) -> str:
    late = db.session.scalar(select(func.count()).where(SeatRow.wake_at < now - LATE_SEAT))
    return f"{late} seats wait for the worker" if late else "ok"


def clock_skew() -> timedelta:
    """How far this machine's clock and the database's are apart."""
    theirs: datetime = db.session.execute(select(func.clock_timestamp())).scalar_one()
    return abs(clock.now() - clock.offset - theirs)


def waiting() -> dict[str, int]:
    """Numbers for a monitor."""
    now = clock.now()
    counted = {
        "letters": select(func.count()).select_from(Letter),
        "letters_due": select(func.count()).where(Letter.due_at <= now),
        "seats_overdue": select(func.count()).where(SeatRow.wake_at <= now),
    }
    numbers = {name: db.session.scalar(query) or 0 for name, query in counted.items()}
    db.session.rollback()
    return numbers
