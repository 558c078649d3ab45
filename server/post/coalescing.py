"""Coalescing: turns of several games that come up within minutes are told in one letter.

A letter about a turn waits for others where another of its reader's games may bring one meanwhile, and a moment while he
looks at that table, since he may answer there. It is left out for nothing but an answer, whoever is online. Whoever has
chosen `at-once` is told at once.
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

LONGEST = timedelta(minutes=8)  # from the beginning of a turn to its letter
MOST = 5  # turns in a letter: with more, mail programs would cut it short
_AT_TABLE = timedelta(minutes=2)
_SHARE = 20  # a letter takes no more than this part of the time that there is for a move


class Plan(NamedTuple):
    """`later`: when to look again; None: it is carried now, with those of these `games` that wait as well.

    `is_seen`: whether its reader is at the table. `reader`: himself; while he is held here, the session need not ask the
    database for him again.
    """

    later: datetime | None
    games: Collection[UUID] = ()
    is_seen: bool = False
    reader: Player | None = None


def plan(letter: Waiting) -> Plan:
    """What to do with a letter that is due."""
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
    """Until when a letter waits about a turn that began then; None: no longer. `own` is its reader's place, `places` are
    all at his tables."""
    if own.due_at is None:
        return None
    may_come = any(it.due_at and it.game_id != own.game_id and it.player_id != own.player_id for it in places)
    wait = LONGEST if may_come else _AT_TABLE if own.is_there else timedelta()
    until = began + min(wait, (own.due_at - began) / _SHARE)
    return until if now < until else None
