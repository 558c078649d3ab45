"""The sweep, which keeps games moving. It lets bots move, and late players first get reminders and then time out.
Outages don't count against players."""

import logging
import random
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple, TypeVar
from uuid import UUID

from flask import current_app

from server.clock import clock
from server.games import Seat
from server.play.commits import outlines
from server.play.game import Outline
from server.play.planning.planned_moves import is_plan_due, let_plan_move
from server.play.seating.seats import wake_asked
from server.play.timing import host_clock
from server.play.timing.due_times import due_times
from server.play.timing.heartbeats import is_reachable
from server.play.timing.reminders import remind
from server.play.timing.timeouts import time_out
from server.play.turns.bot_moves import let_move
from server.play.turns.thinking import PATIENCE, SEARCHERS
from server.store.connections import autocommit
from server.store.database_retry import one_by_one, with_retries
from server.store.seats import LATER, is_free, is_seat, postpone
from server.store.tables import SeatRow

_AT_ONCE = 20  # games processed together
_APART = 5  # a sweep picks one of this many batches at random, so two sweeps rarely pick the same one

T = TypeVar("T")

log = logging.getLogger(__name__)


class Due(NamedTuple):
    """A seat that is due. Another sweep may already be processing it."""

    game_id: UUID
    seat: Seat
    wake_at: datetime | None


_DUE = """
SELECT game_id, seat, wake_at FROM seats
 WHERE wake_at <= %(now)s AND (%(can_run_out)s OR due_at IS NULL OR due_at > %(now)s)
   AND (wake_at <= %(late)s OR COALESCE(bot, stand_in, '') <> ALL(%(levels)s))
 ORDER BY wake_at LIMIT %(most)s"""


def wake_due(batch: int = 100, call_help: Callable[[], object] = lambda: None) -> int:
    """Process the seats that are due, one game at a time. Return their number. Call `call_help` if there are many.

    Locked games are left for the next sweep. Sweeps may run in parallel: each picks seats at random, and each commit
    depends on the game's version. While this machine's clock is wrong, no seat is processed.
    """
    if host_clock.is_wrong():
        return 0
    now = clock.now()
    due = _due(now, _APART * batch)
    if due and not is_reachable(now):
        due = _due(now, _APART * batch, can_run_out=False)
    if len(due) > _AT_ONCE:
        call_help()
    picked = random.sample(due, min(batch, len(due)))
    return sum(map(_wake_all, chunks(picked)))


def _due(now: datetime, most: int, can_run_out: bool = True) -> list[Due]:
    """Return seats that are due. Bots that still have time to compute their move are left out. `can_run_out`: include
    seats whose time has run out."""
    late = now - PATIENCE if current_app.config["THINKERS"] else now
    bounds = {"now": now, "late": late, "levels": SEARCHERS, "can_run_out": can_run_out, "most": most}
    with autocommit() as connection:
        found = connection.execute(_DUE, bounds)
        return [Due(*row) for row in found]


def chunks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """Yield groups of at most `_AT_ONCE` items."""
    return (items[n : n + _AT_ONCE] for n in range(0, len(items), _AT_ONCE))


def _wake_all(due: Sequence[Due]) -> int:
    """Process these seats together, with one commit per game."""
    now = clock.now()
    can_run_out = is_reachable(now)  # checked before outages are read, so that ended outages are among them
    found = outlines({it.game_id for it in due})

    def wake_one(it: Due) -> bool:
        if it.game_id in found:
            return wake(found[it.game_id], it.seat, now, can_run_out)
        return can_run_out and wake_asked(it.game_id, now)  # before the start

    def try_later(it: Due) -> None:
        postpone(is_seat(it.game_id, it.seat) & (SeatRow.wake_at == it.wake_at), now + LATER)
        log.exception("Seat %s of game %s could not be woken and is tried again later", it.seat, it.game_id)

    return one_by_one(due, wake_one, try_later)


@with_retries
def wake(outline: Outline, seat: Seat, now: datetime, can_run_out: bool) -> bool:
    """Do what is due for a seat: let its bot play, time its player out, or send a reminder.

    Return False if nothing was due, the game is locked, or another commit came first.
    """
    row = outline.seats[seat]
    if row.turn is None or row.wake_at is None or row.wake_at > now:
        return False
    if bot := row.bot or row.stand_in:
        return let_move(outline, seat, bot, now)
    if row.planned and is_plan_due(row, now):
        return let_plan_move(outline.game_id, seat, now)
    if (fresh := due_times(outline, row, now)).due_at > now:
        return is_free(outline.game_id) and remind(outline, row, fresh, now)
    return can_run_out and time_out(outline, seat, fresh.due_at, now)
