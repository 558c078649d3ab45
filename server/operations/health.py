"""Health of the service: what an operator must know, part by part."""

import re
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

import psycopg
import sqlalchemy.exc
from flask import current_app
from sqlalchemy import ColumnElement, DateTime, cast, func, select, text

from server.clock import clock
from server.play.heartbeats import GAP, PARTS
from server.play.sandbox_clock import follow_clock
from server.store import migrate as revisions
from server.store import spreading
from server.store.connections import autocommit, is_pooled, let_go, refusal_of
from server.store.leases import is_free
from server.store.notify import listen
from server.store.tables import (
    APP_ROLE,
    Delivery,
    Heartbeat,
    Incoming,
    LetterRow,
    PlayerDelivery,
    PlayerLetterRow,
    SeatRow,
    Webhook,
    db,
)

LATE_LETTER = timedelta(minutes=10)
LATE_MAIL = timedelta(minutes=10)
LATE_SEAT = timedelta(minutes=5)
HELD_UP = timedelta(seconds=30)
SKEW = timedelta(seconds=5)
STOPPED = timedelta(seconds=20)  # a heartbeat is noted every five, and a sweep may take some more
_SPILLED = 20_000  # numbers, more than fit into the memory allowed: they need the disk, and leave nothing on it
_OUTBOXES = (LetterRow, PlayerLetterRow)
_SMTP_ANSWER = re.compile(r"[245]\d\d\b( #?[245]\.\d{1,3}\.\d{1,3}\b)?")
NOT_RUNNING = "not running: `python3 -m server up` starts one, DATABASE_URL names another"
_NO_ROLE = (
    f"its role {APP_ROLE} is not there or may not read the tables, which are yet to be made or were restored without "
    "roles: run `sternenpost migrate`"
)
_SPREAD = "stop webs and workers, and run `sternenpost spread`"
_BEHIND = "its tables are not up to date: run `sternenpost migrate`"


def parts() -> dict[str, str]:
    """What is wrong with each part, or `ok`."""
    try:
        if revisions.is_behind(db.session.connection()):
            return {"database": _BEHIND}
        follow_clock()
        now = clock.now()
        parts = {**_heartbeats(now), "outbox": _letters(now), "inbox": _mails(now), "seats": _overdue(now)}
        return {"database": _room(), **parts}
    except (psycopg.Error, sqlalchemy.exc.SQLAlchemyError) as error:
        return {"database": _reason(error)}
    finally:
        let_go()


def _room() -> str:
    """Whether the database takes changes: one that is full, or a copy of another, still answers all who only look."""
    if db.session.scalar(text("SHOW transaction_read_only")) == "on":
        return "takes no changes: it is read-only"
    try:
        db.session.execute(text("SET LOCAL work_mem = '64kB'"))
        db.session.execute(text(f"SELECT count(*) FROM generate_series(1, {_SPILLED})"))
    except sqlalchemy.exc.DBAPIError as error:
        if not getattr(error.orig, "sqlstate", "").startswith("53"):
            raise
        return f"takes no changes: {refusal_of(error)}"
    return "ok"


def _reason(error: Exception) -> str:
    """In Postgres' own words, but for where it was looked for. The role comes with the tables."""
    words = refusal_of(error)
    if words == "No such file or directory":  # the socket of the embedded one
        return NOT_RUNNING
    if (
        f'role "{APP_ROLE}" does not exist' in words
        or getattr(getattr(error, "orig", error), "sqlstate", None) == "42501"
    ):
        return _NO_ROLE
    if f'permission denied to set role "{APP_ROLE}"' in words:
        return f"whom DATABASE_URL names may not act as {APP_ROLE}: `GRANT {APP_ROLE} TO ...` lets him"
    if "unsupported startup parameter" in words:
        return "is behind a pooler that refuses our settings: let it have `ignore_startup_parameters = options`"
    return f"does not answer: {words}"


def _heartbeats(now: datetime) -> dict[str, str]:
    seen = {row.part: row.at for row in db.session.scalars(select(Heartbeat))}
    return {part: _beat(now, seen.get(part)) for part in PARTS}


def _beat(now: datetime, seen: datetime | None) -> str:
    if seen is None:
        return "not seen yet"
    return "ok" if abs(now - seen) <= GAP else f"not seen since {seen}"


def _letters(now: datetime) -> str:
    found = _oldest_letter()
    if found is None or now - found.since <= LATE_LETTER:
        return "ok"
    answer = _SMTP_ANSWER.match(_last_failure(found))
    return f"a letter has waited for {now - found.since}" + (f"; the mail server answers {answer[0]}" if answer else "")


class _Oldest(NamedTuple):
    table: type[LetterRow | PlayerLetterRow]
    owner: UUID
    letter_id: UUID
    since: datetime


def _oldest_letter() -> _Oldest | None:
    """By when they were made, since each failed try puts off when they are due; a bundle is made for a later hour."""
    hour = cast(PlayerLetterRow.data["at"].astext, DateTime(timezone=True))
    found = []
    for table, owner, since in (
        (LetterRow, LetterRow.game_id, LetterRow.made_at),
        (PlayerLetterRow, PlayerLetterRow.player_id, func.coalesce(hour, PlayerLetterRow.made_at)),
    ):
        row = db.session.execute(select(owner, table.letter_id, since).order_by(since).limit(1)).first()
        found += [_Oldest(table, *row)] if row else []
    return min(found, key=lambda it: it.since, default=None)


def _last_failure(letter: _Oldest) -> str:
    """What a mail server, or our own machine, said of its last try; it may hold addresses."""
    tries, owner = (
        (Delivery, Delivery.game_id) if letter.table is LetterRow else (PlayerDelivery, PlayerDelivery.player_id)
    )
    its = (owner == letter.owner) & (tries.letter_id == letter.letter_id)
    return db.session.scalar(select(tries.detail).where(its).order_by(tries.nr.desc()).limit(1)) or ""


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


def held_up() -> dict[str, timedelta]:
    """What has been due for longer than half a minute and is in nobody's hands, and for how long."""
    now, real = clock.now(), clock.real()
    hook_due = func.greatest(Webhook.wake_at, Webhook.rests_until)
    due = [
        ("letters", LetterRow.due_at, is_free(LetterRow, real)),
        ("letters of players", PlayerLetterRow.due_at, is_free(PlayerLetterRow, real)),
        ("mails", Incoming.due_at, Incoming.due_at.is_not(None)),
        ("webhooks", hook_due, Webhook.wake_at.is_not(None) & is_free(Webhook, real)),
    ]
    oldest = {what: db.session.scalar(select(func.min(due_at)).where(free)) for what, due_at, free in due}
    db.session.rollback()
    return {what: now - due_at for what, due_at in oldest.items() if due_at and now - due_at > HELD_UP}


def owns_tables() -> bool:
    """Whether we are connected as somebody who could change the log, if a statement got in that takes off our role."""
    owner = "SELECT pg_has_role(session_user, relowner, 'MEMBER') FROM pg_class WHERE oid = 'events'::regclass"
    return bool(db.session.scalar(text(owner)))


def is_behind_a_pooler() -> bool:
    with autocommit() as connection:
        return is_pooled(connection)


_OF_LOGIN = f"""
SELECT current_user = '{APP_ROLE}' AS role, current_setting('statement_timeout') <> '0' AS statement_timeout,
  current_setting('idle_in_transaction_session_timeout') <> '0' AS idle_in_transaction_session_timeout,
  current_setting('TimeZone') IN ('UTC', 'Etc/UTC') AS "timezone UTC"
"""


def pooler_trouble() -> str | None:
    """What is wrong with how we get to Postgres through a pooler, which passes on nothing that a connection asks for."""
    if missing := [name for name, value in db.session.execute(text(_OF_LOGIN)).mappings().one().items() if not value]:
        return f"its connections have no {', '.join(missing)}: /docs/scaling has the `ALTER ROLE` that gives them"
    try:
        with listen() as ear:
            if current_app.config["DATABASE_URL_DIRECT"] and is_pooled(ear):
                return "DATABASE_URL_DIRECT leads to a pooler, too"
    except psycopg.OperationalError as error:
        return f"DATABASE_URL_DIRECT does not answer: {refusal_of(error)}"
    return None


def spreading_trouble() -> str | None:
    """What is left to do until all tables are spread; "" if nothing is, None where the database is not one of Citus."""
    with autocommit() as connection:
        if not spreading.is_citus(connection):
            return None
        steps = spreading.steps_left(connection)
    return f"{len(steps)} steps are left, such that {steps[0].says}: {_SPREAD}" if steps else ""


def running() -> list[str]:
    """The parts that were seen so lately that they may still run."""
    follow_clock()
    now = clock.now()
    found = [row.part for row in db.session.scalars(select(Heartbeat)) if abs(now - row.at) <= STOPPED]
    db.session.rollback()
    return sorted(found)


def clock_skew() -> timedelta:
    """How far this machine's clock and the database's are apart."""
    theirs: datetime = db.session.execute(select(func.clock_timestamp())).scalar_one()
    return abs(clock.real() - theirs)


def waiting() -> dict[str, int] | None:
    """Numbers for a monitor, ages in seconds; None while the database does not answer."""
    try:
        follow_clock()
        now = clock.now()
        oldest = _oldest_letter()
        return {
            "letters": sum(_count(table.made_at <= now) for table in _OUTBOXES),
            "letters_due": sum(_count((table.due_at <= now) & is_free(table, clock.real())) for table in _OUTBOXES),
            "letters_failed": sum(_count(table.tries > 0) for table in _OUTBOXES),
            "outbox_age": int(max(now - oldest.since, timedelta(0)).total_seconds()) if oldest else 0,
            "mails": _count(Incoming.due_at.is_not(None)),
            "inbox_age": int(_oldest_mail(now).total_seconds()),
            "mails_aside": _count(Incoming.fault.is_not(None)),
            "seats_overdue": _count(SeatRow.wake_at <= now),
        }
    except (psycopg.Error, sqlalchemy.exc.SQLAlchemyError):
        return None
    finally:
        let_go()
