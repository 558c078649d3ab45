"""A player's change of address. Data stored for the old address is transferred or deleted."""

from uuid import UUID

from sqlalchemy import delete, select, update
from sqlalchemy.exc import IntegrityError

from server.accounts import rate_limits
from server.accounts.account_codes import NEW_ADDRESS, OLD_ADDRESS, expect_account_code
from server.accounts.bounces import mark_reachable
from server.accounts.players import change_profile_within
from server.accounts.signed_links import mark_of
from server.clock import clock
from server.errors import BadField, WrongCode
from server.games import Json
from server.operations.forget_address import forget_address, forget_mails_with, postmaster_mails_with
from server.play.seating.games import Guest, note_invitation
from server.play.seating.stand_ins import ask_anew, is_asked
from server.sanitize import mailbox_of
from server.store.database_retry import committing, in_doubt, with_retries
from server.store.inbox import mentions
from server.store.outbox import put_into_bundle
from server.store.tables import (
    Delivery,
    GameRow,
    Incoming,
    LetterRow,
    Player,
    PlayerGame,
    PlayerLetterRow,
    PostmasterMail,
    RateLimit,
    SeatRow,
    SignIn,
    StandIn,
    db,
)

FORMER = "(former address)"  # replaces an address that its owner no longer uses


def change_address(player_id: UUID, email: str, code: str, new_code: str, changes: Json | None = None) -> None:
    """Change a player's address, confirmed by codes mailed to the old and the new address. `changes` are other profile
    fields to update.

    An interrupted change is completed later: see `end_changes`. Raise BadField if another player has the new address.
    Only the owner of the mailbox can get that far. Raise WrongCode, TooMany.
    """
    end_change(player_id)  # an earlier change must be complete first
    _change(player_id, email, code, new_code, changes or {})
    end_change(player_id)


@with_retries
def end_changes() -> None:
    """Complete interrupted changes."""
    for player_id in db.session.scalars(select(Player.player_id).where(Player.former_email.is_not(None))).all():
        end_change(player_id)


@with_retries
def end_change(player_id: UUID) -> None:
    """Transfer data from a player's former address to the current one, game by game. After an interruption, call this
    again."""
    addresses = select(Player.email, Player.former_email).where(Player.player_id == player_id)
    email, old = db.session.execute(addresses).one()
    if old is None:
        return
    kept = select(SeatRow.game_id).where(SeatRow.email == old)
    asked = select(StandIn.game_id).where(is_asked(player_id, old))
    told = select(LetterRow.game_id).where(LetterRow.data["to"].astext == old)
    named = select(Incoming.game_id).where(Incoming.asks != "", mentions(old))
    games = sorted({game_id for query in (kept, asked, told, named) for game_id in db.session.scalars(query)})
    for game_id in games:
        _invite_anew(game_id, player_id, old, email)
    forget_address(player_id, old, FORMER)
    played = select(PlayerGame.game_id).where(PlayerGame.player_id == player_id)
    written_to = select(Delivery.game_id).where(Delivery.player_id == player_id)
    played_in = {game_id for query in (played, written_to) for game_id in db.session.scalars(query)}
    forget_mails_with(player_id, old, sorted({*games, *played_in}))
    mails = PostmasterMail.mail_id.in_(postmaster_mails_with(old))  # an operator may still have to reply to them
    db.session.execute(update(PostmasterMail).where(mails).values(player_id=player_id))
    counts = rate_limits.keys_of(old, mailbox_of(old))
    db.session.execute(delete(RateLimit).where(RateLimit.key.in_(counts)))
    db.session.execute(delete(PlayerLetterRow).where(PlayerLetterRow.data["to"].astext == old))
    db.session.execute(delete(SignIn).where(SignIn.email == old))
    db.session.commit()
    done = (Player.player_id == player_id) & (Player.former_email == old)
    db.session.execute(update(Player).where(done).values(former_email=None))
    db.session.commit()


@with_retries
def _change(player_id: UUID, email: str, code: str, new_code: str, changes: Json) -> None:
    if in_doubt() and stored_address(player_id) == email:
        return
    old = expect_account_code(player_id, OLD_ADDRESS, code)
    new = expect_account_code(player_id, NEW_ADDRESS, new_code)
    if new.email != email or old.email != stored_address(player_id):
        raise WrongCode("These codes are for another address. Request new ones.")
    try:
        with db.session.begin_nested():
            addresses = {"email": email, "former_email": old.email}
            db.session.execute(update(Player).where(Player.player_id == player_id).values(addresses))
    except IntegrityError:
        raise BadField(
            "email", "Another account uses this address. Delete that account first, or choose another address."
        ) from None
    change_profile_within(player_id, changes)
    if mark_reachable(player_id):
        put_into_bundle(player_id, clock.now(), clock.now())  # waiting notices have not reached the player
    db.session.delete(old)
    db.session.delete(new)
    with committing(old.email):
        db.session.commit()


def stored_address(player_id: UUID) -> str:
    return db.session.scalars(select(Player.email).where(Player.player_id == player_id)).one()


@with_retries
def _invite_anew(game_id: UUID, player_id: UUID, old: str, email: str) -> None:
    """Send invitations and stand-in requests again, since links in earlier emails name the old address."""
    head = db.session.execute(select(GameRow).where(GameRow.game_id == game_id).with_for_update()).scalar_one()
    his = (SeatRow.game_id == game_id) & (SeatRow.email == old) & (SeatRow.kind == "invited")
    values: Json = dict.fromkeys(("invited_by", "greeting", "mailed_at", "lost_at"))  # hosts don't know this address
    for seat in db.session.scalars(update(SeatRow).where(his).values(email=email, **values).returning(SeatRow.seat)):
        note_invitation(game_id, Guest(seat, email), head.host)
    ask_anew(game_id, player_id, old, email)
    to_old = (LetterRow.game_id == game_id) & (LetterRow.data["to"].astext == old)
    db.session.execute(delete(LetterRow).where(to_old))
    his_own = (SeatRow.player_id == player_id) | (SeatRow.owner_id == player_id)
    own_seats = select(SeatRow.seat).where(SeatRow.game_id == game_id, his_own)
    of_others = Incoming.due_at.is_(None) & Incoming.seat.not_in(own_seats)  # an unprocessed mail may contain a move
    naming_old = (Incoming.mark == mark_of(old)) | (mentions(old) & of_others)
    db.session.execute(delete(Incoming).where(Incoming.game_id == game_id, naming_old))
    db.session.commit()
