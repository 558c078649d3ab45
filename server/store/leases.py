"""Rows that one process holds for a while."""

from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, select, update

from server.store.connections import autocommit
from server.store.tables import DeskMail, ReturnedMail, db

M = TypeVar("M", DeskMail, ReturnedMail)


def is_free(table: Any, lapsed_at: datetime | None) -> ColumnElement[bool]:
    """Return the condition that a row has no lease. A lease that ended by `lapsed_at` has expired."""
    free: ColumnElement[bool] = table.leased_until.is_(None)
    return free if lapsed_at is None else free | (table.leased_until <= lapsed_at)


def claim_oldest(table: type[M], now: datetime, until: datetime) -> M | None:
    """Lease the oldest email that is due, by its `due_at`, and return its row, or None if none is due."""
    with autocommit() as connection:  # a cheap check first: usually nothing is due
        query = f"SELECT 1 FROM {table.__tablename__} WHERE due_at <= %s LIMIT 1"
        if connection.execute(query, (now,)).fetchone() is None:
            return None
    due = select(table.mail_id).where(table.due_at <= now).order_by(table.arrived_at)
    taken = (
        update(table)
        .where(table.mail_id == due.limit(1).with_for_update(skip_locked=True).scalar_subquery())
        .values(due_at=until, tries=table.tries + 1)
        .returning(table)
    )
    row = db.session.scalars(taken).one_or_none()
    if row is not None:
        db.session.expunge(row)
    db.session.commit()
    return row
