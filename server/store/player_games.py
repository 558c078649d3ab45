"""Where a player's games are looked up: which of them are over, and since when."""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg

_NOTE = "UPDATE player_games SET over_at = %s WHERE player_id = ANY(%s) AND game_id = %s"
_NOTED = "SELECT player_id, over_at FROM player_games WHERE player_id = ANY(%s) AND game_id = %s"


def note_end(
    connection: psycopg.Connection[Any], game_id: UUID, players: Collection[UUID], over_at: datetime | None
) -> None:
    """Note for these who sit there since when the game is over, as part of the transaction under way; None: it is not."""
    connection.execute(_NOTE, (over_at, list(players), game_id))


def noted_ends(
    connection: psycopg.Connection[Any], game_id: UUID, players: Collection[UUID]
) -> dict[UUID, datetime | None]:
    """What is noted for these of the end of the game."""
    return dict(connection.execute(_NOTED, (list(players), game_id)).fetchall())
