"""Seats as the sweep finds them, and whether their game is free."""

from datetime import datetime, timedelta
from uuid import UUID

import psycopg
from sqlalchemy import ColumnElement, update

from server.store.connections import autocommit
from server.store.rows import Seat
from server.store.tables import SeatRow, db

LATER = timedelta(minutes=5)  # when a game that failed in a sweep is tried again


def is_free(game_id: UUID) -> bool:
    """Whether nobody holds this game's head; to wait for one who has stopped would hold up all other games.

    Rolled back, since a lock that is committed has to reach the disk first, as if it were a commit.
    """
    look = "SELECT FROM games WHERE game_id = %s FOR UPDATE SKIP LOCKED"
    with autocommit() as connection, psycopg.ClientCursor(connection) as cursor:  # it can send several statements
        cursor.execute(f"BEGIN; {look}; ROLLBACK", (game_id,))
        cursor.nextset()
        return cursor.rowcount == 1


def put_off(seat_as_seen: ColumnElement[bool], wake_at: datetime) -> None:
    """Unless somebody else has done by now what was due."""
    db.session.rollback()
    db.session.execute(update(SeatRow).where(seat_as_seen).values(wake_at=wake_at))
    db.session.commit()


def is_seat(game_id: UUID, seat: Seat) -> ColumnElement[bool]:
    return (SeatRow.game_id == game_id) & (SeatRow.seat == seat)
