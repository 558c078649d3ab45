"""What operators announce to all users, stored in rows of `settings`."""

import time
from collections.abc import Mapping
from typing import Final
from weakref import WeakKeyDictionary

from sqlalchemy import Engine

from server.store.connections import autocommit
from server.store.tables import db

NOTICE: Final = "message-of-the-day"
CLOSED: Final = "closed/"  # prefix of functions that operators have closed
_LATELY = 0.2  # seconds
_ROWS = "SELECT name, value FROM settings WHERE name = %s OR name LIKE %s ORDER BY name"
_read: WeakKeyDictionary[Engine, tuple[float, Mapping[str, str]]] = WeakKeyDictionary()


def announced() -> Mapping[str, str]:
    """Return the values of these rows, by the rows' names."""
    with autocommit() as connection:
        rows: Mapping[str, str] = dict(connection.execute(_ROWS, (NOTICE, f"{CLOSED}%")).fetchall())
    return rows


def announced_lately() -> Mapping[str, str]:
    """Return the values of `announced`, which may be a fifth of a second old. They are cached, since programs poll
    them."""
    now = time.monotonic()
    until, rows = _read.get(db.engine, (now, {}))
    if until <= now:
        rows = announced()
        _read[db.engine] = now + _LATELY, rows
    return rows


def forget() -> None:
    """Make `announced_lately` read the rows again, after this process has changed one of them."""
    _read.clear()
