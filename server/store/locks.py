"""Row locks: one change of a player at a time, and of an open game, where it depends on what somebody has seen.

The optimistic lock on a game's version is in `functions.sql`.
"""

from uuid import UUID

from sqlalchemy import select

from server.store.tables import GameRow, Player, db


def hold(player_id: UUID, game_id: UUID | None = None) -> None:
    """Whoever else holds the same player, or wants to change this game before it begins, waits until this transaction
    ends; what was read before is read anew. A game that has begun is not held: its commits are written by another
    connection, which would wait as well."""
    db.session.execute(select(Player.player_id).where(Player.player_id == player_id).with_for_update(key_share=True))
    if game_id is not None:
        is_open = (GameRow.game_id == game_id) & (GameRow.status == "open")
        db.session.execute(select(GameRow.game_id).where(is_open).with_for_update())
    db.session.expire_all()
