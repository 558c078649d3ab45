"""Coalescing: one email covers the turns of several games that begin within minutes.

An email waits while another game may bring its reader a turn, and briefly while the reader is at the table. Only a
move cancels the email. Players who chose `at-once` don't wait.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from server.accounts.notice_kinds import YOUR_TURN
from server.accounts.preferences import has_chosen
from server.clock import clock
from server.store.outbox import Waiting
from server.store.tables import Player, db
from server.store.watching import Place, places_around

LONGEST = timedelta(minutes=8)  # from the start of a turn to its email
MOST = 5  # turns in an email; mail programs truncate longer ones
_AT_TABLE = timedelta(minutes=2)
_SHARE = 20  # an email waits at most 1/20 of the time for a move


class Plan(NamedTuple):
    """What to do with a due email: send it, or look again later."""

    later: datetime | None  # when to look again; None: send it now
    games: Collection[UUID] = ()  # whose waiting emails may join it
    is_seen: bool = False  # whether its reader is at the table
    reader: Player | None = None  # a reference keeps the row in the session's identity map


def plan(letter: Waiting) -> Plan:
    """Return what to do with a due email."""
    if letter.kind != YOUR_TURN.name:
        return Plan(None)
    reader, now = UUID(letter.reader), clock.now()
    player = db.session.get(Player, reader)
    at_once = Plan(None, reader=player)
    if player is None or has_chosen(YOUR_TURN.name, player.notifications):
        return at_once
    places = places_around(reader, now)
    own = next((it for it in places if (it.game_id, it.player_id) == (letter.owner, reader)), None)
    if own is None or own.mails is not None:
        return at_once
    games = [it.game_id for it in places if it.player_id == reader and it.due_at and it is not own]
    later = None if letter.tries else put_off_until(own, letter.made_at, places, now)
    return Plan(later, games, own.is_there, player)


def put_off_until(own: Place, began: datetime, places: Sequence[Place], now: datetime) -> datetime | None:
    """Return until when the email for a turn that began at `began` waits, or None if it is due.

    `own` is the reader's place, `places` are all places at their tables.
    """
    if own.due_at is None:
        return None
    may_come = any(it.due_at and it.game_id != own.game_id and it.player_id != own.player_id for it in places)
    wait = LONGEST if may_come else _AT_TABLE if own.is_there else timedelta()
    until = began + min(wait, (own.due_at - began) / _SHARE)
    return until if now < until else None
