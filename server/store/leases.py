"""Rows that somebody has in his hands until `leased_until`."""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement


def is_free(table: Any, lapsed_at: datetime | None) -> ColumnElement[bool]:
    """Whether nobody has it in his hands; a lease that had ended by `lapsed_at` counts no more."""
    free: ColumnElement[bool] = table.leased_until.is_(None)
    return free if lapsed_at is None else free | (table.leased_until <= lapsed_at)
