"""Rows leased until `leased_until`."""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement


def is_free(table: Any, lapsed_at: datetime | None) -> ColumnElement[bool]:
    """Return the condition that a row has no lease. A lease that ended by `lapsed_at` has expired."""
    free: ColumnElement[bool] = table.leased_until.is_(None)
    return free if lapsed_at is None else free | (table.leased_until <= lapsed_at)
