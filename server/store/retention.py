"""Deletes old rows in small batches, so that other transactions don't have to wait."""

from datetime import datetime
from typing import Any

from sqlalchemy import delete, select, tuple_

from server.store.tables import db

_AT_ONCE = 1000


def forget(table: Any, moment: Any, before: datetime) -> int:
    """Delete rows of `table` whose time, in the column `moment`, is before `before`. Return the number of deleted rows.
    Each batch is its own transaction."""
    key, forgotten = tuple_(*table.__table__.primary_key.columns), 0
    while True:
        some = select(*table.__table__.primary_key.columns).where(moment < before).order_by(moment).limit(_AT_ONCE)
        gone: int = db.session.execute(delete(table).where(key.in_(some), moment < before)).rowcount  # type: ignore[attr-defined]
        db.session.commit()
        forgotten += gone
        if gone < _AT_ONCE:
            return forgotten
