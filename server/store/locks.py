"""Row locks: one change at a time per player and per open game.

The optimistic lock on a game's version is in `functions.sql`.
"""

from uuid import UUID

from sqlalchemy import select

from server.store.tables import GameRow, Player, db


def hold(player_id: UUID, game_id: UUID | None = None) -> None:
    """Lock a player, and an open game, until the transaction ends. Rows read before are read again.

    A started game is not locked here: its commits use another connection, which would wait as well.
    """
    db.session.execute(select(Player.player_id).where(Player.player_id == player_id).with_for_update(key_share=True))
    if game_id is not None:
        is_open = (GameRow.game_id == game_id) & (GameRow.status == "open")
        db.session.execute(select(GameRow.game_id).where(is_open).with_for_update())
    db.session.expire_all()
