"""Presence: which players are at which tables. It is stored while a page or a program follows a game's event stream,
and expires soon after that."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import delete, select

from server.store.connections import autocommit, rows_of
from server.store.tables import Watching, db


class Place(NamedTuple):
    """A player's seat at a table whose game isn't over."""

    game_id: UUID
    player_id: UUID
    due_at: datetime | None  # when the player's turn ends; None if it isn't their turn
    mails: str | None  # the player's choice for this game's emails
    is_there: bool  # whether the player is at the table now


_TABLES = "SELECT game_id FROM player_games WHERE player_id = %s AND over_at IS NULL"
_PLACES = """
SELECT s.game_id, s.player_id, s.due_at, s.mails, coalesce(w.until > %(now)s, false)
  FROM seats s LEFT JOIN watching w ON w.game_id = s.game_id AND w.player_id = s.player_id
 WHERE s.game_id = ANY(%(games)s) AND s.player_id IS NOT NULL"""
_PRESENT = """
SELECT w.game_id, s.seat, s.player_id
  FROM watching w JOIN seats s ON s.game_id = w.game_id AND s.player_id = w.player_id
  JOIN games g ON g.game_id = w.game_id
 WHERE w.game_id = ANY(%(games)s) AND w.until > %(now)s
   AND jsonb_typeof(g.options) = 'object' AND coalesce(g.options->>'nameless', 'false') = 'false'"""
_LEFT = """
DELETE FROM watching w USING unnest(%s::uuid[], %s::uuid[]) AS those (game_id, player_id)
 WHERE w.game_id = those.game_id AND w.player_id = those.player_id"""
_HEARD = """
DELETE FROM outbox o USING unnest(%s::uuid[], %s::uuid[]) AS those (game_id, player_id)
 WHERE o.game_id = those.game_id AND o.dedupe = %s || those.player_id AND o.leased_until IS NULL"""
_EMAIL = "message/"
_NOTE = """
INSERT INTO watching (game_id, player_id, until)
SELECT game_id, player_id, %s FROM unnest(%s::uuid[], %s::uuid[]) AS those (game_id, player_id)
ON CONFLICT (game_id, player_id) DO UPDATE SET until = excluded.until"""


def places_around(player_id: UUID, now: datetime) -> list[Place]:
    """Return all seats at the tables where this player has a seat."""
    with autocommit() as connection:
        games = [game_id for (game_id,) in connection.execute(_TABLES, (player_id,))]
        return [Place(*row) for row in rows_of(connection, _PLACES, games, now=now)]


def present_at(games: Collection[UUID], now: datetime) -> dict[UUID, dict[UUID, int]]:
    """Return the seats of the players who are present at each of these tables, by game and player. Anonymous games are
    left out, since presence would reveal who plays there."""
    found: dict[UUID, dict[UUID, int]] = {}
    if games:
        with autocommit() as connection:
            for game_id, seat, player_id in rows_of(connection, _PRESENT, games, now=now):
                found.setdefault(game_id, {})[player_id] = seat
    return found


def note_watching(those: Collection[tuple[UUID, UUID]], until: datetime) -> None:
    """Store that each player is present at this game's table until this time."""
    if those:
        games, players = zip(*sorted(set(those)), strict=True)  # a fixed order prevents deadlocks between processes
        with autocommit() as connection:
            connection.execute(_NOTE, (until, list(games), list(players)))
        forget_message_emails(those)


def watchers_of(game_id: UUID, now: datetime) -> set[UUID]:
    """Return the players who are present at this game's table."""
    return set(db.session.scalars(select(Watching.player_id).where(Watching.game_id == game_id, Watching.until > now)))


def waiting_for(player_id: UUID) -> str:
    """Return the dedupe key of the email with new messages that waits for this player."""
    return f"{_EMAIL}{player_id}"


def forget_message_emails(those: Collection[tuple[UUID, UUID]]) -> None:
    """Delete the waiting email with new messages of each game and player, since the player has seen the messages."""
    if those:
        games, players = zip(*sorted(set(those)), strict=True)
        with autocommit() as connection:
            connection.execute(_HEARD, (list(games), list(players), _EMAIL))


def note_left(those: Collection[tuple[UUID, UUID]]) -> None:
    """Delete the presence of each player at this game's table."""
    if those:
        games, players = zip(*sorted(those), strict=True)
        with autocommit() as connection:
            connection.execute(_LEFT, (list(games), list(players)))


def forget_watching(before: datetime) -> None:
    """Delete presence that expired before this time."""
    db.session.execute(delete(Watching).where(Watching.until < before))
    db.session.commit()
