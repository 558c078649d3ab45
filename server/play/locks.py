"""One change of a player at a time, where it depends on what he has seen."""

from uuid import UUID

from sqlalchemy import select

from server.store.tables import Player, db


def hold(player_id: UUID) -> None:
    """Whoever else holds the same player waits until this transaction ends; what was read before is read anew."""
    db.session.execute(select(Player.player_id).where(Player.player_id == player_id).with_for_update(key_share=True))
    db.session.expire_all()
