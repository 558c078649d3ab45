"""How the service is: what an operator must know, part by part."""

from datetime import datetime, timedelta

import psycopg
import sqlalchemy.exc
from sqlalchemy import ColumnElement, func, select

from server.play.clock import clock
from server.play.deadlines import GAP, PARTS, follow_clock
from server.store import migrate as revisions
from server.store.connections import let_go
from server.store.tables import APP_ROLE, Game, Heartbeat, Incoming, Letter, PlayerLetter, db
from server.store.tables import Seat as SeatRow

LATE_LETTER = timedelta(minutes=10)
LATE_MAIL = timedelta(minutes=10)
LATE_SEAT = timedelta(minutes=5)
SKEW = timedelta(seconds=5)
_OUTBOXES = (Letter, PlayerLetter)
_BEHIND = "its tables are not up to date: run `sternenpost migrate`"


def parts() -> dict[str, str]:
    """What is wrong with each part, or `ok`."""
    try:
        if revisions.is_behind(db.session.connection()):
            return {"database": _BEHIND}
        follow_clock()
        now = clock.now()
        return {"database": "ok", **_beats(now), "outbox": _letters(now), "inbox": _mails(now), "seats": _overdue(now)}
    except (psycopg.Error, sqlalchemy.exc.SQLAlchemyError) as error:
        return {"database": _reason(error)}
    finally:
        let_go()


def _reason(error: Exception) -> str:
    """In Postgres' own words, but for where it was looked for. The role comes with the tables."""
    words = str(getattr(error, "orig", error)).partition("\n")[0].rpartition(" failed: ")[2]
    if words == "No such file or directory":  # the socket of the embedded one
        return "not running: `python3 -m server up` starts one, DATABASE_URL names another"
    return _BEHIND if f'role "{APP_ROLE}" does not exist' in words else f"does not answer: {words}"


def _beats(now: datetime) -> dict[str, str]:
    seen = {row.part: row.at for row in db.session.scalars(select(Heartbeat))}
    return {part: _beat(now, seen.get(part)) for part in PARTS}


def _beat(now: datetime, seen: datetime | None) -> str:
    if seen is None:
        return "not seen yet"
    return "ok" if abs(now - seen) <= GAP else f"not seen since {seen}"


def _letters(now: datetime) -> str:
    """By when they were made: each failed try puts off when they are due."""
    oldest = [db.session.scalar(select(func.min(table.made_at))) for table in _OUTBOXES]
    late = [now - made_at for made_at in oldest if made_at is not None and now - made_at > LATE_LETTER]
    return f"a letter has waited for {max(late)}" if late else "ok"


def _mails(now: datetime) -> str:
    age = _oldest_mail(now)
    return f"a mail has waited for {age}" if age > LATE_MAIL else "ok"


def _oldest_mail(now: datetime) -> timedelta:
    """How long the oldest mail has waited to be dealt with."""
    oldest = db.session.scalar(select(func.min(Incoming.arrived_at)).where(Incoming.due_at.is_not(None)))
    return max(now - oldest, timedelta(0)) if oldest else timedelta(0)


def _overdue(now: datetime) -> str:
    late = _count(SeatRow.wake_at < now - LATE_SEAT)
    return f"{late} seats wait for the worker" if late else "ok"


def _count(rows: ColumnElement[bool]) -> int:
    return db.session.scalar(select(func.count()).where(rows)) or 0


def tables_by_spread() -> dict[str, list[str]]:
    """The tables by what they are spread by where one machine is too small; what others refer to comes first."""
    found: dict[str, list[str]] = {}
    for table in sorted(db.metadata.sorted_tables, key=lambda it: it.name != Game.__tablename__):
        found.setdefault(table.info["spread"], []).append(table.name)
    return found


def clock_skew() -> timedelta:
    """How far this machine's clock and the database's are apart."""
    theirs: datetime = db.session.execute(select(func.clock_timestamp())).scalar_one()
    return abs(clock.now() - clock.offset - theirs)


def waiting() -> dict[str, int] | None:
    """Numbers for a monitor, the age of the inbox in seconds; None while the database does not answer."""
    try:
        follow_clock()
        now = clock.now()
        return {
            "letters": sum(_count(table.made_at <= now) for table in _OUTBOXES),
            "letters_due": sum(_count(table.due_at <= now) for table in _OUTBOXES),
            "mails": _count(Incoming.due_at.is_not(None)),
            "inbox_age": int(_oldest_mail(now).total_seconds()),
            "seats_overdue": _count(SeatRow.wake_at <= now),
        }
    except (psycopg.Error, sqlalchemy.exc.SQLAlchemyError):
        return None
    finally:
        let_go()
