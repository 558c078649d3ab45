"""Stream tickets. Each opens one event stream for a client that can't send headers, such as a browser's `EventSource`.
Tickets appear in URLs, and so in logs. A ticket therefore expires after half a minute, and works once."""

import re
import secrets
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from sqlalchemy import delete

from server.accounts.tokens import Caller, caller_by, hash_of
from server.clock import clock
from server.errors import BadToken, OneSeatOnly
from server.store.connections import autocommit
from server.store.database_retry import with_retries
from server.store.tables import StreamTicket, db
from server.translations import noted

LIFE: Final = timedelta(seconds=30)
TICKET: Final = re.compile(r"st_([0-9a-f]{32})_([A-Za-z0-9_-]{43})", re.ASCII)
_TAKE = "DELETE FROM stream_tickets WHERE player_id = %s AND ticket_hash = %s RETURNING token_hash, expires_at"


class NewTicket(NamedTuple):
    """A new ticket. Only its hash is stored."""

    text: str
    expires_at: datetime


@with_retries
def new_ticket(caller: Caller) -> NewTicket:
    """Create a ticket with the rights of the caller's token. Raise MissingScope if the token lacks `games:read`, or
    OneSeatOnly for a turn's link token."""
    if caller.turn is not None:
        raise OneSeatOnly
    caller.need("games:read", caller.game_id)
    secret, until = secrets.token_urlsafe(32), clock.now() + LIFE
    db.session.add(
        StreamTicket(
            player_id=caller.player_id, ticket_hash=hash_of(secret), token_hash=caller.token_hash, expires_at=until
        )
    )
    db.session.commit()
    return NewTicket(f"st_{caller.player_id.hex}_{secret}", until)


@with_retries
def redeem(ticket: str) -> Caller:
    """Return the caller who created this ticket, and delete it. Raise BadToken, Banned."""
    if parts := TICKET.fullmatch(ticket):
        player_id = UUID(parts[1])
        with autocommit() as connection:
            row = connection.execute(_TAKE, (player_id, hash_of(parts[2]))).fetchone()
        if row is not None and row[1] > clock.now():
            return caller_by(player_id, row[0])
    raise BadToken(noted("This ticket was already used or has expired. Create a new one."))


def forget_ended_tickets() -> None:
    """Delete expired tickets."""
    db.session.execute(delete(StreamTicket).where(StreamTicket.expires_at <= clock.now()))
    db.session.commit()
