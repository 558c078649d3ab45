"""Leases on rows that one process claims for a while."""

from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, select, true, update

from server.store.connections import autocommit
from server.store.tables import DeskMail, ReturnedMail, db

M = TypeVar("M", DeskMail, ReturnedMail)


def is_free(table: Any, lapsed_at: datetime | None) -> ColumnElement[bool]:
    """Return an SQL condition that is true for rows without a lease. A lease that ended at `lapsed_at` or before has
    expired."""
    free: ColumnElement[bool] = table.leased_until.is_(None)
    return free if lapsed_at is None else free | (table.leased_until <= lapsed_at)


def claim_oldest(
    table: type[M], now: datetime, until: datetime, may_begin: ColumnElement[bool] | None = None
) -> M | None:
    """Lease the oldest email that is due and for which `may_begin` holds, and return its row. Return None if there is
    none."""
    with autocommit() as connection:  # check cheaply first: usually nothing is due
        query = f"SELECT 1 FROM {table.__tablename__} WHERE due_at <= %s LIMIT 1"
        if connection.execute(query, (now,)).fetchone() is None:
            return None
    may_begin = true() if may_begin is None else may_begin
    due = select(table.mail_id).where(table.due_at <= now, may_begin).order_by(table.arrived_at)
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
