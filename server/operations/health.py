"""The health of each part of the service, for operators."""

import os
import re
import tempfile
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import psycopg
import sqlalchemy.exc
from flask import current_app
from sqlalchemy import ColumnElement, DateTime, cast, func, select, text

from server import metric_files
from server.clock import clock
from server.play.timing import host_clock
from server.play.timing.heartbeats import GAP, PARTS
from server.play.timing.sandbox_clock import follow_clock
from server.post.dkim_signing import read_key
from server.store import migrate as revisions
from server.store import spreading
from server.store.connections import (
    NEEDED_TO_READ,
    WrongSetting,
    autocommit,
    is_pooled,
    let_go,
    refusal_of,
    wrong_settings,
)
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
STOPPED = timedelta(seconds=20)  # a heartbeat is stored every five seconds, but a sweep may delay it
_SPILLED = 20_000  # numbers, too many for work_mem: they spill to the disk temporarily
_SOME_BYTES = 4096  # a page, which needs free space
_OUTBOXES = (LetterRow, PlayerLetterRow)
_SMTP_ANSWER = re.compile(r"[245]\d\d\b( #?[245]\.\d{1,3}\.\d{1,3}\b)?")
NOT_RUNNING = "not running: start one with `python3 -m server up`, or set DATABASE_URL"
_NO_ROLE = (
    f"the role {APP_ROLE} is missing or may not read the tables, which do not exist yet or were restored without roles: "
    "run `sternenpost migrate`"
)
_SPREAD = "stop web and worker, and run `sternenpost spread`"
_BEHIND = "the tables are not up to date: run `sternenpost migrate`"


def parts() -> dict[str, str]:
    """Return what is wrong with each part, or `ok`."""
    temporary = _write_trouble(os.environ.get("PROMETHEUS_MULTIPROC_DIR")) or metric_files.trouble()
    found = {**_parts_in_database(), "temporary directory": temporary or "ok"}
    if shelf := current_app.config["SHELF"]:
        found["shelf"] = _write_trouble(shelf) or "ok"
    if key := current_app.config["DKIM_KEY"]:
        found["DKIM key"] = _key_trouble(key) or "ok"
    return found


def _write_trouble(directory: Path | str | None) -> str:
    """Return why this directory is not writable, or "" if it is. For a missing directory, check the closest parent that
    exists."""
    try:
        while isinstance(directory, Path) and not directory.exists() and directory != directory.parent:
            directory = directory.parent
        with tempfile.TemporaryFile(buffering=0, dir=directory) as file:
            file.write(bytes(_SOME_BYTES))
    except OSError as error:
        return f"is not writable: {error.strerror}"
    return ""


def _key_trouble(path: Path) -> str:
    try:
        read_key(path)
    except ValueError as error:
        return str(error)
    return ""


def _parts_in_database() -> dict[str, str]:
    try:
        if (encoding := db.session.scalar(text("SHOW server_encoding"))) != "UTF8":
            return {"database": revisions.NOT_UTF8.format(encoding=encoding)}
        if unreadable := [it for it in wrong_settings() if it.name in NEEDED_TO_READ]:
            return {"database": _worded(unreadable)}
        if revisions.is_behind(db.session.connection()):
            return {"database": _BEHIND}
        follow_clock()
        now = clock.now()
        parts = {**_heartbeats(now), "outbox": _letters(now), "inbox": _mails(now), "seats": _overdue(now)}
        with autocommit() as connection:
            ahead = host_clock.skew(connection)
        if abs(ahead) > host_clock.TOLERANCE:
            parts["clock"] = host_clock.trouble(ahead)
        return {"database": _room(), **parts}
    except (psycopg.Error, sqlalchemy.exc.SQLAlchemyError) as error:
        return {"database": _reason(error)}
    finally:
        let_go()


def _room() -> str:
    """Return why the database rejects changes, or `ok`. A full database or a replica still answers reads."""
    if db.session.scalar(text("SHOW transaction_read_only")) == "on":
        return "rejects changes: it is read-only"
    try:
        db.session.execute(text("SET LOCAL work_mem = '64kB'"))
        db.session.execute(text(f"SELECT count(*) FROM generate_series(1, {_SPILLED})"))
    except sqlalchemy.exc.DBAPIError as error:
        if not getattr(error.orig, "sqlstate", "").startswith("53"):
            raise
        return f"rejects changes: {refusal_of(error)}"
    return "ok"


def _reason(error: Exception) -> str:
    """Return Postgres's error message without the server's address, or advice in its place."""
    words = refusal_of(error)
    if words == "No such file or directory":  # the socket of the embedded Postgres
        return NOT_RUNNING
    if (
        f'role "{APP_ROLE}" does not exist' in words
        or getattr(getattr(error, "orig", error), "sqlstate", None) == "42501"
    ):
        return _NO_ROLE
    if f'permission denied to set role "{APP_ROLE}"' in words:
        return f"the login in DATABASE_URL may not act as {APP_ROLE}: run `GRANT {APP_ROLE} TO ...`"
    if "unsupported startup parameter" in words:
        return "is behind a pooler that rejects our settings: set `ignore_startup_parameters = options`"
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
    return f"an outgoing email has waited for {now - found.since}" + (
        f"; the mail server answers {answer[0]}" if answer else ""
    )


class _Oldest(NamedTuple):
    table: type[LetterRow | PlayerLetterRow]
    owner: UUID
    letter_id: UUID
    since: datetime


def _oldest_letter() -> _Oldest | None:
    """Return the email that has waited longest since it was created. The due time doesn't count, since each failure
    postpones it. A bundle counts from its scheduled hour."""
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
    """Return the error of the last attempt to send this email, from a mail server or our own machine. The error may
    contain addresses."""
    tries, owner = (
        (Delivery, Delivery.game_id) if letter.table is LetterRow else (PlayerDelivery, PlayerDelivery.player_id)
    )
    its = (owner == letter.owner) & (tries.letter_id == letter.letter_id)
    return db.session.scalar(select(tries.detail).where(its).order_by(tries.nr.desc()).limit(1)) or ""


def _mails(now: datetime) -> str:
    age = _oldest_mail(now)
    return f"an inbound email has waited for {age}" if age > LATE_MAIL else "ok"


def _oldest_mail(now: datetime) -> timedelta:
    oldest = db.session.scalar(select(func.min(Incoming.arrived_at)).where(Incoming.due_at.is_not(None)))
    return max(now - oldest, timedelta(0)) if oldest else timedelta(0)


def _overdue(now: datetime) -> str:
    late = _count(SeatRow.wake_at < now - LATE_SEAT)
    return f"{late} seats wait for the worker" if late else "ok"


def _count(rows: ColumnElement[bool]) -> int:
    return db.session.scalar(select(func.count()).where(rows)) or 0


def overdue_work() -> dict[str, timedelta]:
    """Return the kinds of work that have been due and unclaimed for more than half a minute, with their delays."""
    now, real = clock.now(), clock.real()
    hook_due = func.greatest(Webhook.wake_at, Webhook.rests_until)
    due = [
        ("game emails", LetterRow.due_at, is_free(LetterRow, real)),
        ("other emails", PlayerLetterRow.due_at, is_free(PlayerLetterRow, real)),
        ("inbound emails", Incoming.due_at, Incoming.due_at.is_not(None)),
        ("webhooks", hook_due, Webhook.wake_at.is_not(None) & is_free(Webhook, real)),
    ]
    oldest = {what: db.session.scalar(select(func.min(due_at)).where(free)) for what, due_at, free in due}
    db.session.rollback()
    return {what: now - due_at for what, due_at in oldest.items() if due_at and now - due_at > HELD_UP}


def owns_tables() -> bool:
    """Return whether the database role with which we log in owns the tables. If so, an injected RESET ROLE would allow
    changes to the log."""
    owner = "SELECT pg_has_role(session_user, relowner, 'MEMBER') FROM pg_class WHERE oid = 'events'::regclass"
    return bool(db.session.scalar(text(owner)))


def is_behind_a_pooler() -> bool:
    with autocommit() as connection:
        return is_pooled(connection)


def _worded(wrong: Sequence[WrongSetting]) -> str:
    told = "; ".join(f"{it.name} is {it.value or 'empty'} in its sessions and must be {it.right}" for it in wrong)
    return f"{told}: run the `ALTER ROLE` of /docs/scaling#a-pooler"


def pooler_trouble() -> str | None:
    """Return what is wrong with our sessions, or None. A pooler may ignore the settings that a connection requests."""
    if wrong := wrong_settings():
        return _worded(wrong)
    try:
        with listen() as ear:
            if current_app.config["DATABASE_URL_DIRECT"] and is_pooled(ear):
                return "DATABASE_URL_DIRECT leads to a pooler, too"
    except psycopg.OperationalError as error:
        return f"DATABASE_URL_DIRECT does not answer: {refusal_of(error)}"
    return None


def spreading_trouble() -> str | None:
    """Return the remaining steps of the command `spread`, "" if there are none, or None if the database isn't Citus."""
    with autocommit() as connection:
        if not spreading.is_citus(connection):
            return None
        steps = spreading.steps_left(connection)
    return f'{len(steps)} steps remain, such as "{steps[0].says}": {_SPREAD}' if steps else ""


def running_parts() -> list[str]:
    """Return the parts whose last heartbeat is so recent that they may still run."""
    follow_clock()
    now = clock.now()
    found = [row.part for row in db.session.scalars(select(Heartbeat)) if abs(now - row.at) <= STOPPED]
    db.session.rollback()
    return sorted(found)


def clock_skew() -> timedelta:
    """Return the difference between this machine's clock and the database's."""
    with autocommit() as connection:
        return abs(host_clock.skew(connection))


def queue_sizes() -> dict[str, int] | None:
    """Return the sizes of queues, and ages in seconds, for monitoring. Return None while the database doesn't
    respond."""
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
