"""The transfer of a guest's games when the guest signs in to an existing account."""

from uuid import UUID

from sqlalchemy import delete, select, update

from server.accounts.guests import is_guest
from server.accounts.sign_in import redeem
from server.accounts.tokens import NewToken
from server.play.seating.games import note_seat
from server.store.database_retry import with_retries
from server.store.locks import hold
from server.store.tables import GameRow, PlayerGame, SeatRow, Token, db


def sign_in_guest(guest: UUID, sign_in: UUID, code: str) -> NewToken:
    """Sign in, like `redeem`. If the address is new, the guest becomes the player with this address. Otherwise the
    existing player gets the guest's seats.

    Raise WrongCode, Closed, TooMany, Banned.
    """
    made = redeem(sign_in, code, guest)
    if made.player_id != guest and is_guest(guest):
        _hand_over_all(guest, made.player_id)
        _end_tokens(guest)  # the guest's account expires later
        _hand_over_all(guest, made.player_id)  # games opened during the sign-in
    return made


def _hand_over_all(guest: UUID, player_id: UUID) -> None:
    for game_id in db.session.scalars(select(PlayerGame.game_id).where(PlayerGame.player_id == guest)).all():
        _hand_over(game_id, guest, player_id)


@with_retries
def _hand_over(game_id: UUID, guest: UUID, player_id: UUID) -> None:
    """Transfer one game to the player. Guests play against bots only, so the player has no seat in the game yet."""
    head = db.session.execute(select(GameRow).where(GameRow.game_id == game_id).with_for_update()).scalar_one()
    own = (SeatRow.game_id == game_id) & (SeatRow.player_id == guest)
    seat = db.session.scalars(update(SeatRow).where(own).values(player_id=player_id).returning(SeatRow.seat)).first()
    if seat is not None:
        head.host = head.made_by = player_id
        note_seat(player_id, game_id, seat, head.made_at)
    gone = (PlayerGame.player_id == guest) & (PlayerGame.game_id == game_id)
    over_at = db.session.scalars(delete(PlayerGame).where(gone).returning(PlayerGame.over_at)).first()
    his = (PlayerGame.player_id == player_id) & (PlayerGame.game_id == game_id)
    if over_at is not None:
        db.session.execute(update(PlayerGame).where(his).values(over_at=over_at))
    db.session.commit()


@with_retries
def _end_tokens(guest: UUID) -> None:
    hold(guest)  # wait for games that the guest is opening
    db.session.execute(delete(Token).where(Token.player_id == guest))
    db.session.commit()
