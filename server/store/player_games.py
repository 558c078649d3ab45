"""The index of a player's games, with their ends."""

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
    """Store for these players when the game ended (None: it continues), within the current transaction.

    Return the cursor, which has the number of rows. The number is lower if a guest's seat now belongs to another
    player.
    """
    cursor = connection.cursor()
    # One by one, since players are spread over machines.
    cursor.executemany(_NOTE, [(over_at, player_id, game_id) for player_id in players])
    return cursor


def seated_players(connection: psycopg.Connection[Any], game_id: UUID) -> list[UUID]:
    return [player_id for (player_id,) in connection.execute(_SEATED, (game_id,))]


def stored_ends(
    connection: psycopg.Connection[Any], game_id: UUID, players: Collection[UUID]
) -> dict[UUID, datetime | None]:
    return dict(connection.execute(_NOTED, (list(players), game_id)).fetchall())
