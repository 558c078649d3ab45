"""SQL statements for a change of a seat's player, and for the end of a stand-in. They bypass the ORM."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg

from server.store.rows import Seat, SeatState

STAND_IN, FORMER = "stand-in", "former"  # roles in `player_games`; None: the seat's owner

_LEFT_BEHIND = (
    "DELETE FROM plans WHERE game_id = %(game)s AND seat = ANY(%(seats)s)",
    "DELETE FROM votes WHERE game_id = %(game)s AND seat = ANY(%(seats)s)",
    (
        "UPDATE votes SET refused_by = ARRAY(SELECT unnest(refused_by) EXCEPT SELECT unnest(%(seats)s::int[]))"
        " WHERE game_id = %(game)s AND refused_by && %(seats)s::int[]"
    ),
    (
        "UPDATE inbox SET raw = '', answer = NULL, asks = ''"
        " WHERE game_id = %(game)s AND seat = ANY(%(seats)s) AND due_at IS NULL AND fault IS NULL"
    ),
    (
        "UPDATE seats SET planned = false, plan_turn = NULL, plan_at = NULL"
        " WHERE game_id = %(game)s AND seat = ANY(%(seats)s)"
    ),
)
_RETURN = (
    (
        "UPDATE seats SET player_id = owner_id, since = owner_since, mails = owner_mails, owner_id = NULL,"
        " owner_since = NULL, owner_mails = NULL, stood_in_until = NULL"
        " WHERE game_id = %s AND seat = ANY(%s) AND owner_id IS NOT NULL"
    ),
    "DELETE FROM stand_ins WHERE game_id = %s AND seat = ANY(%s)",
)
_LIST_AS_FORMER = (  # a player who left the seat, and later was a stand-in for its new owner
    "UPDATE player_games SET role = 'former', over_at = %s"
    " WHERE player_id = ANY(%s) AND game_id = %s AND role = 'stand-in' AND record IS NOT NULL"
)
_LIST_NO_MORE = "DELETE FROM player_games WHERE player_id = ANY(%s) AND game_id = %s AND role = 'stand-in'"
_WAKE = "UPDATE stand_ins SET wake_at = %s WHERE game_id = %s"
_REVOKE = (
    "DELETE FROM apps WHERE player_id = ANY(%s) AND game_id = %s",
    "DELETE FROM tokens WHERE player_id = ANY(%s) AND game_id = %s",
)


def leave_behind(connection: psycopg.Connection[Any], game_id: UUID, seats: Sequence[Seat]) -> None:
    """Delete the plans, votes and emails of players who have left these seats, within the current transaction."""
    for statement in _LEFT_BEHIND:
        connection.execute(statement, {"game": game_id, "seats": list(seats)})


def wake_stand_ins(connection: psycopg.Connection[Any], game_id: UUID, now: datetime) -> None:
    """Let a worker cancel the pending stand-ins in a game that is ending, within the current transaction."""
    connection.execute(_WAKE, (now, game_id))


def return_to_owner(row: SeatState) -> SeatState:
    """Return the row of a seat after its owner has taken it back."""
    assert row.owner is not None and row.owner_since is not None
    return row._replace(
        player_id=row.owner_id,
        since=row.owner_since,
        mails=row.owner_mails,
        person=row.owner,
        owner_id=None,
        owner_since=None,
        owner_mails=None,
        owner=None,
        stood_in_until=None,
        planned=False,
        plan_turn=None,
        plan_at=None,
    )


def end_stand_ins(
    connection: psycopg.Connection[Any], game_id: UUID, seats: Sequence[Seat], players: Sequence[UUID], now: datetime
) -> None:
    """Return these seats to their owners and remove the stand-ins, within the current transaction."""
    leave_behind(connection, game_id, seats)
    for statement in _RETURN:
        connection.execute(statement, (game_id, list(seats)))
    connection.execute(_LIST_AS_FORMER, (now, list(players), game_id))
    for statement in (_LIST_NO_MORE, *_REVOKE):
        connection.execute(statement, (list(players), game_id))
