"""Reviews of finished games: which were asked for, and what is computed so far."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from psycopg.types.json import Jsonb

from server.store.connections import autocommit
from server.store.rows import Json, Seat

MOST_TRIES: Final = 5  # in a row, since a move that can't be reviewed may end each process that tries

_ASK = """
INSERT INTO reviews (game_id, seat, asked_at, total, moves, tries) VALUES (%s, %s, %s, %s, '[]', 0)
ON CONFLICT (game_id, seat) DO NOTHING"""
_FIND = "SELECT total, moves, tries FROM reviews WHERE game_id = %s AND seat = %s"
_WAITING = """
SELECT game_id, seat FROM reviews
 WHERE jsonb_array_length(moves) < total AND tries < %s ORDER BY asked_at LIMIT %s"""
_TRY = "UPDATE reviews SET tries = tries + 1 WHERE game_id = %s AND seat = %s RETURNING jsonb_array_length(moves)"
_ADD = """
UPDATE reviews SET moves = moves || %s, tries = 0
 WHERE game_id = %s AND seat = %s AND jsonb_array_length(moves) = %s"""


class StoredReview(NamedTuple):
    """A review. `total`: the number of its moves when it is complete."""

    total: int
    moves: Sequence[Json]
    tries: int  # since the last move

    @property
    def has_failed(self) -> bool:
        return len(self.moves) < self.total and self.tries >= MOST_TRIES


def ask(game_id: UUID, seat: Seat, now: datetime, total: int) -> None:
    """Request a review, unless it was requested before."""
    with autocommit() as connection:
        connection.execute(_ASK, (game_id, seat, now, total))


def find(game_id: UUID, seat: Seat) -> StoredReview | None:
    with autocommit() as connection:
        row: Any = connection.execute(_FIND, (game_id, seat)).fetchone()
    return StoredReview(*row) if row else None


def waiting(most: int) -> list[tuple[UUID, Seat]]:
    """Return games and seats whose reviews are incomplete, oldest first."""
    with autocommit() as connection:
        return connection.execute(_WAITING, (MOST_TRIES, most)).fetchall()


def begin(game_id: UUID, seat: Seat) -> int:
    """Count a try of the next move, and return its index."""
    with autocommit() as connection:
        row = connection.execute(_TRY, (game_id, seat)).fetchone()
    return row[0] if row else 0


def add(game_id: UUID, seat: Seat, index: int, move: Json) -> bool:
    """Add a move to a review. Return False if another process was faster."""
    with autocommit() as connection:
        return connection.execute(_ADD, (Jsonb([move]), game_id, seat, index)).rowcount == 1
