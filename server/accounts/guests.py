"""Guests: players without an address. They play against bots and get no emails. They are deleted after a while, unless
they sign in and become ordinary players."""

from collections.abc import Collection, Sequence
from datetime import timedelta
from uuid import UUID, uuid4

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError

from server.accounts.closing import GUESTS, expect_open
from server.accounts.players import made_up_name
from server.accounts.rate_limits import Use, expect_within, network_of, network_shares
from server.accounts.tokens import Bounds, NewToken, new_token
from server.clock import clock
from server.errors import BadToken, SignInFirst
from server.store.database_retry import with_retries
from server.store.locks import hold
from server.store.tables import Player, Token, db

GUEST_LIFE = timedelta(days=30)
OF_A_GUEST = ("games:read", "games:write", "moves:write", "chat:write", "profile:read", "profile:write", "export:read")


@with_retries
def new_guest(locale: str, sender: str, zone: str) -> NewToken:
    """Create a guest, and return a token that expires when the guest does. `sender` is the network address. Raise
    Closed, TooMany."""
    expect_open(GUESTS)
    now, player_id = clock.now(), uuid4()
    expect_within(Use("guests", network_of(sender)), *network_shares("guests-in-all", sender))
    db.session.execute(
        insert(Player).values(
            player_id=player_id,
            email=f"{player_id.hex}@guest.invalid",  # reserved (RFC 2606), so no mail can reach it
            name=made_up_name(),
            named=False,
            locale=locale,
            zone=zone,
            calendar={},
            notifications={},
            made_at=now,
            guest_until=now + GUEST_LIFE,
        )
    )
    token = new_token(player_id, "guest", OF_A_GUEST, Bounds(now + GUEST_LIFE))
    db.session.commit()
    return token


def is_guest(player_id: UUID | None) -> bool:
    query = select(Player.guest_until).where(Player.player_id == player_id)
    return player_id is not None and db.session.scalars(query).one_or_none() is not None


def hold_guest(guest: UUID) -> None:
    """Lock a guest until the transaction ends. Raise BadToken if the guest has signed in meanwhile."""
    hold(guest)
    if db.session.scalars(select(Token.token_hash).where(Token.player_id == guest)).first() is None:
        raise BadToken("This token is invalid.")


def expect_no_guest(player_id: UUID) -> None:
    """Raise SignInFirst if the player is a guest."""
    if is_guest(player_id):
        raise SignInFirst("Guests can't do this. Sign in by email first.")


def give_address(guest: UUID, email: str, locale: str) -> bool:
    """Turn a guest into an ordinary player with this address, in the current transaction. Return False if the address
    already has an account."""
    mine = (Player.player_id == guest) & Player.guest_until.is_not(None) & Player.deleted_at.is_(None)
    known = select(Player.player_id).where(Player.email == email)
    if db.session.scalars(known).first() is not None:
        return False
    try:
        with db.session.begin_nested():
            given = update(Player).where(mine).values(email=email, locale=locale, guest_until=None)
            return db.session.execute(given.returning(Player.player_id)).first() is not None
    except IntegrityError:  # another sign-in just took this address
        return False


def guests_to_forget(but: Collection[UUID] = ()) -> Sequence[UUID]:
    """Return some expired guests, except those in `but`."""
    over = select(Player.player_id).where(Player.guest_until <= clock.now(), Player.player_id.not_in(but))
    return db.session.scalars(over.limit(200)).all()


@with_retries
def begin_forgetting(guest: UUID) -> bool:
    """Mark a guest as deleted, so that they can no longer sign in. Return False if the guest has not expired."""
    over = (Player.player_id == guest) & (Player.guest_until <= clock.now())
    begun = update(Player).where(over).values(deleted_at=clock.now()).returning(Player.player_id)
    found = db.session.execute(begun).first()
    db.session.commit()
    return found is not None
