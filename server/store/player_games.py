"""Where a player's games are looked up: which of them are over, and since when."""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg

_SEATED = "SELECT player_id FROM seats WHERE game_id = %s AND player_id IS NOT NULL"
_NOTE = "UPDATE player_games SET over_at = %s WHERE player_id = %s AND game_id = %s"
_NOTED = "SELECT player_id, over_at FROM player_games WHERE player_id = ANY(%s) AND game_id = %s"


def note_end(
    connection: psycopg.Connection[Any], game_id: UUID, players: Collection[UUID], over_at: datetime | None
) -> psycopg.Cursor[Any]:
    """Note for these who sit there since when the game is over, as part of the transaction under way; None: it is not.

    The cursor tells for how many it is noted; a guest's seat may have become another player's.
    """
    cursor = connection.cursor()
    cursor.executemany(_NOTE, [(over_at, player_id, game_id) for player_id in players])  # each is somewhere of his own
    return cursor


def seated(connection: psycopg.Connection[Any], game_id: UUID) -> list[UUID]:
    """The players who sit there by now."""
    return [player_id for (player_id,) in connection.execute(_SEATED, (game_id,))]


def noted_ends(
    connection: psycopg.Connection[Any], game_id: UUID, players: Collection[UUID]
) -> dict[UUID, datetime | None]:
    """What is noted for these of the end of the game."""
    return dict(connection.execute(_NOTED, (list(players), game_id)).fetchall())
