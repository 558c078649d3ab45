"""Bans. A banned player can't sign in, gets no emails, and leaves all games. The player's tokens are rejected."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import select, update

from server.clock import clock
from server.errors import Banned, NotFound
from server.sanitize import clean
from server.store import webhook_queue
from server.store.database_retry import with_retries
from server.store.tables import Player, Webhook, db

BANNED = "banned"  # reason of a disabled webhook
LONGEST_REASON = 200


def is_in_force(banned_at: datetime | None, banned_until: datetime | None) -> bool:
    """Return whether a ban from `banned_at` (None: never) until `banned_until` (None: permanent) is in force now."""
    return banned_at is not None and (banned_until is None or banned_until > clock.now())


def expect_welcome(player_id: UUID | None) -> None:
    """Raise Banned if the player is banned, or NotFound if the player was deleted."""
    player = db.session.get(Player, player_id, populate_existing=True) if player_id else None
    if player is None or player.deleted_at is not None:
        raise NotFound("Nothing was found at this address.")
    if is_in_force(player.banned_at, player.banned_until):
        raise Banned(player.banned_until, player.ban_reason or "")


def is_welcome(player: Player) -> bool:
    """Return whether this player, as just loaded, is neither deleted nor banned."""
    return player.deleted_at is None and not is_in_force(player.banned_at, player.banned_until)


@with_retries
def ban(player_id: UUID, until: datetime | None = None, reason: str = "") -> None:
    """Ban a player until this time, or permanently. A second call replaces the time and the reason. The caller must
    also call `seats.give_up_seats`."""
    values = {"banned_at": clock.now(), "banned_until": until, "ban_reason": clean(reason, LONGEST_REASON)}
    db.session.execute(update(Player).where(Player.player_id == player_id).values(**values))
    for webhook_id in db.session.scalars(select(Webhook.webhook_id).where(Webhook.player_id == player_id)).all():
        webhook_queue.switch_off(player_id, webhook_id, BANNED)
    db.session.commit()


@with_retries
def unban(player_id: UUID) -> None:
    """Lift a ban. The player must take back their seats and enable their webhooks themselves."""
    values = {"banned_at": None, "banned_until": None, "ban_reason": None}
    db.session.execute(update(Player).where(Player.player_id == player_id).values(**values))
    db.session.commit()
