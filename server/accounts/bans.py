"""Shutting people out: no signing in, no token, no letter, and no seat that others would have to wait for."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import select, update

from server.clock import clock
from server.errors import Banned, NotFound
from server.sanitize import clean
from server.store import webhook_queue
from server.store.database_retry import with_retries
from server.store.tables import Player, Webhook, db

BANNED = "banned"  # why a webhook is disabled
LONGEST_REASON = 200


def is_in_force(banned_at: datetime | None, banned_until: datetime | None) -> bool:
    """Whether a player is shut out now who was banned at this moment (None: never) until that one (None: for good)."""
    return banned_at is not None and (banned_until is None or banned_until > clock.now())


def expect_welcome(player_id: UUID | None) -> None:
    """Raises Banned, or NotFound if nobody plays under this id any more."""
    player = db.session.get(Player, player_id, populate_existing=True) if player_id else None
    if player is None or player.deleted_at is not None:
        raise NotFound("Nothing was found at this address.")
    if is_in_force(player.banned_at, player.banned_until):
        raise Banned(player.banned_until, player.ban_reason or "")


def is_welcome(player: Player) -> bool:
    """Whether this person, as just read, may do anything here."""
    return player.deleted_at is None and not is_in_force(player.banned_at, player.banned_until)


@with_retries
def ban(player_id: UUID, until: datetime | None = None, reason: str = "") -> None:
    """Shut a player out until this moment, or for good; once more changes until when, and why.

    His seats are for `seats.give_up_seats` to hand over.
    """
    values = {"banned_at": clock.now(), "banned_until": until, "ban_reason": clean(reason, LONGEST_REASON)}
    db.session.execute(update(Player).where(Player.player_id == player_id).values(**values))
    for webhook_id in db.session.scalars(select(Webhook.webhook_id).where(Webhook.player_id == player_id)).all():
        webhook_queue.switch_off(player_id, webhook_id, BANNED)
    db.session.commit()


@with_retries
def unban(player_id: UUID) -> None:
    """Let a player in again; he takes back himself what seats he wants, and enables his webhooks."""
    values = {"banned_at": None, "banned_until": None, "ban_reason": None}
    db.session.execute(update(Player).where(Player.player_id == player_id).values(**values))
    db.session.commit()
