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
INSERT INTO reviews (game_id, seat, asked_by, asked_at, total, moves, tries) VALUES (%s, %s, %s, %s, %s, '[]', 0)
ON CONFLICT (game_id, seat) DO NOTHING"""
_FIND = "SELECT total, moves, tries, leased_until FROM reviews WHERE game_id = %s AND seat = %s"
_IS_UNFINISHED = "jsonb_array_length(moves) < total AND tries < %(most_tries)s"
_COUNT = f"SELECT count(*) FROM reviews WHERE asked_by = %(player_id)s AND asked_at > %(since)s AND {_IS_UNFINISHED}"
_IS_DUE = f"""{_IS_UNFINISHED}
   AND (leased_until IS NULL OR leased_until <= %(now)s)"""
_PICK = f"""
SELECT game_id, seat FROM reviews WHERE {_IS_DUE}
 ORDER BY hashtextextended(game_id::text || seat, %(salt)s) LIMIT 1"""
_CLAIM = f"""
UPDATE reviews SET leased_until = %(until)s, tries = tries + 1
 WHERE game_id = %(game_id)s AND seat = %(seat)s AND {_IS_DUE}
RETURNING game_id, seat, jsonb_array_length(moves), leased_until"""
_OURS = "game_id = %(game_id)s AND seat = %(seat)s AND leased_until = %(until)s"
_RENEW = f"UPDATE reviews SET leased_until = %(later)s WHERE {_OURS}"
_NO_TRY = """
UPDATE reviews SET tries = tries - 1
 WHERE game_id = %(game_id)s AND seat = %(seat)s AND jsonb_array_length(moves) = %(done)s AND tries > 0"""
_ADD = f"""
UPDATE reviews SET moves = moves || %(move)s, tries = 0, leased_until = NULL,
       asked_by = CASE WHEN jsonb_array_length(moves) + 1 < total THEN asked_by END
 WHERE {_OURS}"""

# The email is dated now. Otherwise, it would stand among older ones in the mailbox.
_HAND_OVER = (
    "UPDATE player_outbox SET due_at = %(now)s, made_at = %(now)s WHERE dedupe = %(letter)s AND due_at > %(now)s"
)


class StoredReview(NamedTuple):
    """A review. `total`: the number of its moves when it is complete."""

    total: int
    moves: Sequence[Json]
    tries: int  # since the last move
    leased_until: datetime | None

    def has_failed(self, now: datetime) -> bool:
        """Return whether the last try has failed. It may succeed until its lease ends."""
        is_leased = self.leased_until is not None and self.leased_until > now
        return len(self.moves) < self.total and self.tries >= MOST_TRIES and not is_leased


class Claim(NamedTuple):
    """A lease on a review. `done`: the number of its moves so far."""

    game_id: UUID
    seat: Seat
    done: int
    until: datetime


def ask(game_id: UUID, seat: Seat, player_id: UUID, now: datetime, total: int) -> None:
    """Request a review, unless it was requested before."""
    with autocommit() as connection:
        connection.execute(_ASK, (game_id, seat, player_id, now, total))


def number_unfinished(player_id: UUID, since: datetime) -> int:
    """Return the number of reviews that a player has requested since then and that are still being computed."""
    with autocommit() as connection:
        row: Any = connection.execute(
            _COUNT, {"player_id": player_id, "since": since, "most_tries": MOST_TRIES}
        ).fetchone()
    return int(row[0])


def find(game_id: UUID, seat: Seat) -> StoredReview | None:
    with autocommit() as connection:
        row: Any = connection.execute(_FIND, (game_id, seat)).fetchone()
    return StoredReview(*row) if row else None


def claim(now: datetime, until: datetime, salt: int) -> Claim | None:
    """Lease a review, and count a try of its next move. `salt` determines which review. Return None if none is due, or
    if another process was faster."""
    asked = {"now": now, "until": until, "salt": salt, "most_tries": MOST_TRIES}
    with autocommit() as connection:  # two statements, since Citus can't update what a query over all machines finds
        picked: Any = connection.execute(_PICK, asked).fetchone()
        if picked is None:
            return None
        row: Any = connection.execute(_CLAIM, {**asked, "game_id": picked[0], "seat": picked[1]}).fetchone()
    return Claim(*row) if row else None


def renew(ours: Claim, later: datetime) -> Claim | None:
    """Extend the lease. Return None if another process has the review."""
    return ours._replace(until=later) if _change(_RENEW, ours, later=later) else None


def take_back(ours: Claim) -> None:
    """Don't count the try of this claim. The review is due again when its lease ends."""
    _change(_NO_TRY, ours)


def add(ours: Claim, move: Json) -> bool:
    """Add a move to a review, and end the lease. Return False if another process has the review."""
    return _change(_ADD, ours, move=Jsonb([move]))


def waiting_letter(game_id: UUID, seat: Seat) -> str:
    """Return the `dedupe` of emails that wait until this review is complete."""
    return f"review/{game_id}/{seat}/mail"


def hand_over(game_id: UUID, seat: Seat, now: datetime) -> None:
    """Make the emails due that wait for this review."""
    with autocommit() as connection:
        connection.execute(_HAND_OVER, {"now": now, "letter": waiting_letter(game_id, seat)})


def _change(statement: str, ours: Claim, **values: object) -> bool:
    with autocommit() as connection:
        return connection.execute(statement, {**ours._asdict(), **values}).rowcount == 1
