"""Tokens that give access to a single seat, meant for another person's bot."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import select

from server.accounts.tokens import Caller, NewToken, made_by
from server.errors import NotSeated
from server.play.views import load_visible
from server.store.locks import hold
from server.store.tables import GameRow, SeatRow, db


def seat_token(caller: Caller, game_id: UUID, name: str, scopes: list[str], expires_at: datetime | None) -> NewToken:
    """Create a token that is limited to the caller's seat in this game. The token expires when the caller gives up the
    seat.

    Raise NotFound, NotSeated, BadToken, MissingScope, BadField, TooMany.
    """
    hold_seat(caller.player_id, game_id)
    return made_by(caller, name, scopes, expires_at, game_id)


def hold_seat(player_id: UUID, game_id: UUID) -> None:
    """Check that the player has a seat in this game, and lock the seat until this transaction ends. Raise NotFound,
    NotSeated."""
    load_visible(game_id, player_id)
    hold(player_id)
    head = select(GameRow.game_id).where(GameRow.game_id == game_id)
    db.session.execute(head.with_for_update())
    own = select(SeatRow.seat).where(SeatRow.game_id == game_id, SeatRow.player_id == player_id)
    if db.session.execute(own).first() is None:
        raise NotSeated("You have no seat at this table.")
