"""The index of each player's games, with the times when they ended."""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg
from sqlalchemy import select, tuple_

from server.store.tables import GameRow, PlayerGame, db

_MOST_COMPARED = 200  # games whose titles are compared
_SEATED = "SELECT player_id FROM seats WHERE game_id = %s AND player_id IS NOT NULL"
_NOTE = "UPDATE player_games SET over_at = %s WHERE player_id = %s AND game_id = %s"
_NOTED = "SELECT player_id, over_at FROM player_games WHERE player_id = ANY(%s) AND game_id = %s"


def note_end(
    connection: psycopg.Connection[Any], game_id: UUID, players: Collection[UUID], over_at: datetime | None
) -> psycopg.Cursor[Any]:
    """Store when the game ended for these players, within the current transaction. None means that the game continues.

    Return the cursor, which has the number of changed rows. The number is lower if another player has taken over a
    guest's seat.
    """
    cursor = connection.cursor()
    # One player at a time, since players may be spread over machines.
    cursor.executemany(_NOTE, [(over_at, player_id, game_id) for player_id in players])
    return cursor


def seated_players(connection: psycopg.Connection[Any], game_id: UUID) -> list[UUID]:
    return [player_id for (player_id,) in connection.execute(_SEATED, (game_id,))]


def stored_ends(
    connection: psycopg.Connection[Any], game_id: UUID, players: Collection[UUID]
) -> dict[UUID, datetime | None]:
    return dict(connection.execute(_NOTED, (list(players), game_id)).fetchall())


def has_game_titled(player_id: UUID, title: str, before: tuple[datetime, UUID] | None = None) -> bool:
    """Return whether one of the player's newest games has this title. `before`: the creation and id of a game, if only
    older ones count."""
    own = select(PlayerGame.game_id).where(PlayerGame.player_id == player_id)
    if before is not None:
        own = own.where(tuple_(PlayerGame.made_at, PlayerGame.game_id) < before)
    newest = own.order_by(PlayerGame.made_at.desc()).limit(_MOST_COMPARED)
    alike = select(GameRow.game_id).where(GameRow.game_id.in_(newest), GameRow.title == title)
    return db.session.execute(alike.limit(1)).first() is not None
