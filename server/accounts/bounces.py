"""Bounces, and unreachable addresses. An address is unreachable after bounces on several days. An unreachable address
gets only sign-in codes, until its player signs in with a code."""

from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert

from server.accounts.notice_kinds import DESK_ANSWER, INVITATION
from server.accounts.signed_links import ANY_SEAT, BOUNCE, Capability, is_mark_of, mark_of, sign, verify
from server.clock import clock
from server.store import outbox
from server.store.database_retry import with_retries
from server.store.rows import Json, Seat
from server.store.tables import Bounce, Delivery, Player, PlayerDelivery, SeatRow, db

HARD: Final = 2  # days with bounces for an unknown address; a broken server may send such bounces for an hour
SOFT: Final = 5  # days with bounces for any reason
WITHIN: Final = timedelta(days=14)


def bounce_token(player_id: UUID, letter_id: UUID) -> str:
    """Return the link token for the return path of an email to a player."""
    return sign(BOUNCE, player_id, ANY_SEAT, _mark(letter_id))


def invitation_bounce_token(game_id: UUID, seat: Seat, email: str) -> str:
    """Return the link token for the return path of an invitation to an address without an account."""
    return sign(BOUNCE, game_id, seat, mark_of(email))


def verify_bounce_token(word: str) -> Capability:
    """Return the email that a bounce token identifies. Raise NotFound for an invalid token.

    - Email to a player: `game_id` is the player's id, and `number` comes from the email's id.
    - Invitation: `game_id` is the game's id, and `number` comes from a hash of the address.
    - Reply to an address without an account: `game_id` is a hash of the address, and `number` comes from the email's
      id.
    """
    return verify(BOUNCE, word)


def _mark(letter_id: UUID) -> int:
    return int.from_bytes(letter_id.bytes[:4], "big")


@with_retries
def note_return(word: str, is_hard: bool, why: str) -> None:
    """Record a bounce, once for each email. Raise NotFound for an invalid token."""
    owner_id, seat, mark = verify_bounce_token(word)
    if seat != ANY_SEAT:
        lose_invitation(owner_id, seat, mark, why)
        return
    row: Any = letter_to(owner_id, mark)
    if row is None:
        return
    table, owner = type(row), "game_id" if isinstance(row, Delivery) else "player_id"
    own = (getattr(table, owner) == getattr(row, owner)) & (table.letter_id == row.letter_id) & (table.result == "sent")
    db.session.execute(update(table).where(own).values(result="bounced", detail=why))
    if isinstance(row, Delivery) and row.kind == INVITATION.name:
        email = db.session.get_one(Player, owner_id).email
        outbox.lose_invitation(row.game_id, row.seat, email, clock.now())
    letter_id, kind = row.letter_id, row.kind
    db.session.commit()
    note_bounce(owner_id, letter_id, is_hard, why, kind)


def letter_to(player_id: UUID, mark: int) -> Delivery | PlayerDelivery | None:
    """Return the recent email to this player whose return path contains this number, or None."""
    since = clock.now() - WITHIN
    for table in (Delivery, PlayerDelivery):
        sent = select(table).where(
            table.player_id == player_id, table.at > since, table.result.in_(("sent", "bounced"))
        )
        rows: list[Delivery | PlayerDelivery] = list(db.session.scalars(sent))
        for row in rows:
            if _mark(row.letter_id) == mark:
                return row
    return None


def lose_invitation(game_id: UUID, seat: Seat, mark: int, why: str) -> str | None:
    """Record that an invitation bounced, and return its address. Return None if the seat has since been taken, or
    offered to another address."""
    kept = db.session.get(SeatRow, (game_id, seat))
    if kept is None or kept.email is None or not is_mark_of(kept.email, mark):
        return None
    email = kept.email
    invitations = (Delivery.game_id == game_id) & (Delivery.seat == seat) & (Delivery.kind == INVITATION.name)
    newest = select(Delivery.letter_id).where(invitations).order_by(Delivery.at.desc()).limit(1)
    own = (Delivery.game_id == game_id) & (Delivery.letter_id == db.session.scalar(newest))
    sent = update(Delivery).where(own, Delivery.result == "sent")
    db.session.execute(sent.values(result="bounced", detail=why))
    outbox.lose_invitation(game_id, seat, email, clock.now())
    db.session.commit()
    return email


@with_retries
def note_bounce(player_id: UUID, letter_id: UUID, is_hard: bool, why: str, kind: str = "") -> None:
    """Count a bounce, once for each email. After too many bounces, mark the address as unreachable.

    One hard bounce of a reply to an emailed command is enough, since there may be no second reply. The player's next
    email proves the address again.
    """
    now = clock.now()
    count(player_id, letter_id, is_hard, why, now)
    lately = (Bounce.player_id == player_id) & Bounce.counts & (Bounce.at > now - WITHIN)
    rows = db.session.execute(select(Bounce.at, Bounce.is_hard).where(lately)).all()
    hard = HARD if kind != DESK_ANSWER.name else 1
    if len({at.date() for at, is_one in rows if is_one}) >= hard or len({at.date() for at, _ in rows}) >= SOFT:
        mark_unreachable(player_id, why, now)
    db.session.commit()


def count(player_id: UUID, letter_id: UUID, is_hard: bool, why: str, now: datetime) -> bool:
    """Record a bounce in the current transaction. Return False if this email's bounce was recorded before."""
    bounce = insert(Bounce).values(
        player_id=player_id, letter_id=letter_id, is_hard=is_hard, why=why, at=now, counts=True
    )
    once = bounce.on_conflict_do_nothing(index_elements=["player_id", "letter_id"]).returning(Bounce.letter_id)
    return db.session.scalar(once) is not None


def mark_unreachable(player_id: UUID, why: str, now: datetime) -> None:
    """Mark a player's address as unreachable, in the current transaction. Only sign-in codes are still sent to it."""
    reached = (Player.player_id == player_id) & Player.unreachable_since.is_(None)
    db.session.execute(update(Player).where(reached).values(unreachable_since=now, unreachable_why=why))


def mark_reachable(player_id: UUID) -> bool:
    """Mark a player's address as reachable, in the current transaction. Return whether it was unreachable."""
    db.session.execute(update(Bounce).where(Bounce.player_id == player_id, Bounce.counts).values(counts=False))
    was = (Player.player_id == player_id) & Player.unreachable_since.is_not(None)
    back = update(Player).where(was).values(unreachable_since=None, unreachable_why=None).returning(Player.player_id)
    return db.session.execute(back).first() is not None


def unreachable(since: datetime | None, why: str | None) -> Json | None:
    """Return since when and why a player's address is unreachable, or None if it is reachable."""
    return None if since is None else {"since": since, "why": why}
