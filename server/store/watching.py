"""Watching: who is at which table; noted while a page, or a program, follows a game by a stream, and forgotten soon."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import delete

from server.store.connections import autocommit, rows_of
from server.store.tables import Watching, db


class Place(NamedTuple):
    """A seat with a person, at a table that is not over."""

    game_id: UUID
    player_id: UUID
    due_at: datetime | None  # until when the game waits for him; None: it does not
    mails: str | None  # what he has chosen for its letters
    is_there: bool  # whether he is at the table now


_TABLES = "SELECT game_id FROM player_games WHERE player_id = %s AND over_at IS NULL"
_PLACES = """
SELECT s.game_id, s.player_id, s.due_at, s.mails, coalesce(w.until > %(now)s, false)
  FROM seats s LEFT JOIN watching w ON w.game_id = s.game_id AND w.player_id = s.player_id
 WHERE s.game_id = ANY(%(games)s) AND s.player_id IS NOT NULL"""
_NOTE = """
INSERT INTO watching (game_id, player_id, until)
SELECT game_id, player_id, %s FROM unnest(%s::uuid[], %s::uuid[]) AS those (game_id, player_id)
ON CONFLICT (game_id, player_id) DO UPDATE SET until = excluded.until"""


def places_around(player_id: UUID, now: datetime) -> list[Place]:
    """All places at the tables of a player."""
    with autocommit() as connection:
        games = [game_id for (game_id,) in connection.execute(_TABLES, (player_id,))]
        return [Place(*row) for row in rows_of(connection, _PLACES, games, now=now)]


def note_watching(those: Collection[tuple[UUID, UUID]], until: datetime) -> None:
    """Note of each game and player that he counts as being there until then."""
    if those:
        games, players = zip(*sorted(set(those)), strict=True)  # in one order, so that no two webs wait for each other
        with autocommit() as connection:
            connection.execute(_NOTE, (until, list(games), list(players)))


def forget_watching(before: datetime) -> None:
    """Drop who has been gone since before this moment."""
    db.session.execute(delete(Watching).where(Watching.until < before))
    db.session.commit()
