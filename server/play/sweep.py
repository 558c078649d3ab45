"""Nobody holds up a table: bots move, the slow are reminded, the absent are timed out, and outages count for nobody."""

import logging
import random
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple, TypeVar
from uuid import UUID

from server.clock import clock
from server.play.bot_moves import let_move
from server.play.commits import outlines
from server.play.due_times import with_due_time
from server.play.game import Outline
from server.play.heartbeats import is_reachable
from server.play.planning.planned_moves import is_plan_due, let_plan_move
from server.play.reminders import remind
from server.play.seating.seats import wake_asked
from server.play.timeouts import time_out
from server.rules import Seat
from server.store.connections import autocommit
from server.store.database_retry import tried_again
from server.store.seats import LATER, is_free, is_seat, put_off
from server.store.tables import SeatRow

_AT_ONCE = 20  # so many games are looked at together
_APART = 5  # among so many batches a sweep picks its own, so that it seldom meets another one

T = TypeVar("T")

log = logging.getLogger(__name__)


class Due(NamedTuple):
    """A seat whose time has come; a hint only."""

    game_id: UUID
    seat: Seat
    wake_at: datetime | None


_DUE = """
SELECT game_id, seat, wake_at FROM seats
 WHERE wake_at <= %(now)s AND (%(can_run_out)s OR due_at IS NULL OR due_at > %(now)s) ORDER BY wake_at LIMIT %(most)s"""


def wake_due(batch: int = 100, call_help: Callable[[], object] = lambda: None) -> int:
    """Wake seats whose time has come, one game at a time; how many were woken, 0 if all sleep. Help is called for many.

    A game that somebody holds at the moment is left for the next sweep. Any number of sweeps may run at once: each
    picks its seats at random, and each commit counts only for the version of the game that it has seen.
    """
    now = clock.now()
    due = _due(now, _APART * batch)
    if due and not is_reachable(now):
        due = _due(now, _APART * batch, can_run_out=False)
    if len(due) > _AT_ONCE:
        call_help()
    picked = random.sample(due, min(batch, len(due)))
    return sum(map(_wake_all, by_few(picked)))


def _due(now: datetime, most: int, can_run_out: bool = True) -> list[Due]:
    """`can_run_out`: also those whose time is over."""
    with autocommit() as connection:
        found = connection.execute(_DUE, {"now": now, "can_run_out": can_run_out, "most": most})
        return [Due(*row) for row in found]


def by_few(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """Not more than are looked at together."""
    return (items[n : n + _AT_ONCE] for n in range(0, len(items), _AT_ONCE))


def _wake_all(due: Sequence[Due]) -> int:
    """Looked at together, but each game's commit is one of its own."""
    now = clock.now()
    can_run_out = is_reachable(now)  # before the outages are looked up: what has ended by now is among them
    found, woken = outlines({it.game_id for it in due}), 0
    for game_id, seat, wake_at in due:
        try:
            if game_id in found:
                woken += 1 if wake(found[game_id], seat, now, can_run_out) else 0
            elif can_run_out:  # it has not begun
                woken += 1 if wake_asked(game_id, now) else 0
        except Exception:
            put_off(is_seat(game_id, seat) & (SeatRow.wake_at == wake_at), now + LATER)
            log.exception("Seat %s of game %s could not be woken and is tried again later", seat, game_id)
    return woken


@tried_again
def wake(outline: Outline, seat: Seat, now: datetime, can_run_out: bool) -> bool:
    """Do what is due for a seat, if it still is: let its bot move, time its player out, or remind him.

    False if there was nothing to do, or somebody holds the game or was faster.
    """
    row = outline.seats[seat]
    if row["turn"] is None or row["wake_at"] is None or row["wake_at"] > now:
        return False
    if bot := row["bot"] or row["stand_in"]:
        return let_move(outline, seat, bot, now)
    if row["planned"] and is_plan_due(row, now):
        return let_plan_move(outline.game_id, seat, now)
    if (fresh := with_due_time(row, now))["due_at"] > now:
        return is_free(outline.game_id) and remind(outline, row, fresh, now)
    return can_run_out and time_out(outline, seat, fresh["due_at"], now)
