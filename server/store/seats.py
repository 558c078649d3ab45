"""The sweep's SQL statements about seats."""

from datetime import datetime, timedelta
from uuid import UUID

import psycopg
from sqlalchemy import ColumnElement, update

from server.store.connections import autocommit
from server.store.rows import Seat
from server.store.tables import SeatRow, db

LATER = timedelta(minutes=5)  # delay before a game that failed in a sweep is tried again


def is_free(game_id: UUID) -> bool:
    """Return whether the game's row is unlocked. If a sweep waited for a stuck transaction, all other games would be
    delayed.

    The transaction is rolled back, since committing it would cost a write to disk.
    """
    look = "SELECT FROM games WHERE game_id = %s FOR UPDATE SKIP LOCKED"
    with autocommit() as connection, psycopg.ClientCursor(connection) as cursor:  # allows several statements at once
        cursor.execute(f"BEGIN; {look}; ROLLBACK", (game_id,))
        cursor.nextset()
        return cursor.rowcount == 1


def postpone(seat_as_seen: ColumnElement[bool], wake_at: datetime) -> None:
    """Postpone the next check of a seat, unless the seat has changed."""
    db.session.rollback()
    db.session.execute(update(SeatRow).where(seat_as_seen).values(wake_at=wake_at))
    db.session.commit()


def is_seat(game_id: UUID, seat: Seat) -> ColumnElement[bool]:
    return (SeatRow.game_id == game_id) & (SeatRow.seat == seat)
