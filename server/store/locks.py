"""Row locks, so that only one change at a time is made to a player or an open game.

The optimistic lock on a game's version is in `functions.sql`.
"""

from uuid import UUID

from sqlalchemy import select

from server.store.tables import GameRow, Player, db


def hold(player_id: UUID, game_id: UUID | None = None) -> None:
    """Lock a player, and an open game if one is given, until the transaction ends. Rows that were read before are read
    again.

    A game that has started isn't locked here. Its commits use another connection, which would also have to wait.
    """
    db.session.execute(select(Player.player_id).where(Player.player_id == player_id).with_for_update(key_share=True))
    if game_id is not None:
        is_open = (GameRow.game_id == game_id) & (GameRow.status == "open")
        db.session.execute(select(GameRow.game_id).where(is_open).with_for_update())
    db.session.expire_all()
