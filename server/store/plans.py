"""SQL statements for plans. They bypass the ORM."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import psycopg

from server.store.rows import Seat

_DROP = "DELETE FROM plans WHERE game_id = %s"
_NO_PLANS = "UPDATE seats SET planned = false, plan_turn = NULL, plan_at = NULL WHERE game_id = %s AND planned"
_PLAYED = "SELECT seat, played FROM plans WHERE game_id = %s"


def drop_plans(connection: psycopg.Connection[Any], game_id: UUID) -> None:
    """Delete all plans in a game that is ending, within the current transaction."""
    connection.execute(_DROP, (game_id,))
    connection.execute(_NO_PLANS, (game_id,))


def played_by_plans(connection: psycopg.Connection[Any], game_id: UUID) -> Mapping[Seat, frozenset[int]]:
    """Return, for each seat, the versions of the game at which a plan made the seat's move."""
    return {seat: frozenset(played) for seat, played in connection.execute(_PLAYED, (game_id,))}
