"""One deed of a player at a time, and at an open game, where a deed depends on what somebody has seen."""

from uuid import UUID

from sqlalchemy import select

from server.store.tables import Game, Player, db


def hold(player_id: UUID, game_id: UUID | None = None) -> None:
    """Whoever else holds the same player, or wants to change this game before it begins, waits until this transaction
    ends; what was read before is read anew. A game that has begun is not held: its deeds are written by another
    connection, which would wait as well."""
    db.session.execute(select(Player.player_id).where(Player.player_id == player_id).with_for_update(key_share=True))
    if game_id is not None:
        is_open = (Game.game_id == game_id) & (Game.status == "open")
        db.session.execute(select(Game.game_id).where(is_open).with_for_update())
    db.session.expire_all()
