"""The clock of a sandbox, shared by all its processes."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert

from server.clock import clock
from server.store.connections import autocommit, in_transaction
from server.store.tables import Heartbeat, LetterRow, SeatRow, Setting, db

OFFSET = "clock-offset"


def wait_from_now_on(game_id: UUID) -> None:
    """Move the waiting emails and seats of a backdated game to the current time, so that none of them is late."""
    now = clock.now()
    new = (LetterRow.game_id == game_id) & (LetterRow.due_at < now) & (LetterRow.tries == 0)
    db.session.execute(update(LetterRow).where(new).values(made_at=now, due_at=now))
    db.session.execute(update(SeatRow).where(SeatRow.game_id == game_id, SeatRow.wake_at < now).values(wake_at=now))
    db.session.commit()


def move_clock(by: timedelta) -> datetime:
    """Move the clock of all processes forward, as if the service had been running meanwhile. Return the new time."""
    db.session.execute(select(Heartbeat.part).with_for_update()).all()
    offset = (_stored_offset(in_transaction(db.session.connection())) or clock.offset) + by
    row = insert(Setting).values(name=OFFSET, value=str(offset.total_seconds()))
    db.session.execute(row.on_conflict_do_update(index_elements=["name"], set_={"value": row.excluded.value}))
    clock.offset = offset
    db.session.execute(update(Heartbeat).values(at=clock.now()))
    db.session.commit()
    return clock.now()


def follow_clock() -> None:
    """Apply clock changes made by other processes. Only a sandbox has such changes."""
    with autocommit() as connection:  # in a sandbox, once per request
        offset = _stored_offset(connection)
    if offset is not None:
        clock.offset = offset


def adopt_offset(value: str | None) -> None:
    """Adopt the offset that is stored in the setting `OFFSET`, if there is one."""
    if value is not None:
        clock.offset = _offset(value)


def _stored_offset(connection: psycopg.Connection[Any]) -> timedelta | None:
    row = connection.execute("SELECT value FROM settings WHERE name = %s", (OFFSET,)).fetchone()
    return None if row is None else _offset(row[0])


def _offset(value: str) -> timedelta:
    return timedelta(seconds=float(value))
