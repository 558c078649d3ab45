"""Due times, and how commits change each seat's time."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import NamedTuple

from server.accounts import calendars
from server.accounts.calendars import ALWAYS, Calendar
from server.accounts.preferences import stored_reminders
from server.clock import Stretch
from server.durations import duration
from server.games import Json, Seat
from server.play.game import Game, Outline, Stored
from server.play.nameless import is_nameless
from server.play.table import Table
from server.play.timing.seat_time import SeatTime
from server.play.timing.time_control import Bank, GameClock, first_allowance
from server.store.outages import outages_since
from server.store.rows import SeatState, TurnTime
from server.stored_data import warn_of


class DueTimes(NamedTuple):
    """When a turn ends, when its next reminder is due, and when the worker must next check the seat."""

    due_at: datetime
    remind_at: datetime | None
    wake_at: datetime


def after_commit(game: Game, seat: Seat, after: Table, now: datetime, answered_at: datetime) -> SeatState:
    """Return the seat after the commit, or the same object if nothing changes for the seat.

    The time of a turn continues while a bot or a stand-in plays. So players can't gain time by leaving and coming back.
    """
    was, turn, stand_in = game.seats[seat], after.turns[seat], after.stand_ins[seat]
    changes_hands = turn is not None and _changes_hands(game.table, after, seat)  # the end of the game doesn't count
    if not changes_hands and _is_mid_turn(was, after, seat):
        return was.renumbered(turn)  # mid-turn, the clock keeps running
    if turn != was.turn and not changes_hands:
        time = _after_its_turn(game, was, answered_at)
    elif turn is not None and (game.table.status == "paused") != (after.status == "paused"):
        time = _stop_turn(game, was, answered_at)
    elif stand_in != was.stand_in:
        time = _with_allowance(was.time, game.clock)
    else:  # the turn continues under a new number
        return was.with_turn(turn, stand_in, was.time) if changes_hands else was
    row = was.with_turn(turn, stand_in, time)
    return row.with_due_times(None, None, None) if after.status == "paused" else _start_turn(game, row, now)


def after_take_back(game: Game, seat: Seat, after: Table, now: datetime, answered: Stretch | None) -> SeatState:
    """Return the seat after a take-back, or the same object if nothing changes for the seat.

    A cancelled turn counts as if it had taken no time. A reopened turn starts over, or continues as if it had not been
    `answered` (when the turn began, and when it was answered). So players can't gain time by taking a move back.
    """
    was, turn = game.seats[seat], after.turns[seat]
    if turn == was.turn:
        return was
    if answered and was.asked_at == answered[0]:
        return was.renumbered(turn)  # the turn was never interrupted
    time = _with_allowance(TurnTime(None, was.allowed, 0, None), game.clock)
    row = was.with_turn(turn, was.stand_in, time)
    return _start_turn(game, _undo_answer(game, row, answered) if answered else row, now)


def after_extension(game: Outline, seat: Seat, by: str, now: datetime) -> SeatState:
    """Return the seat after an extension. The turn then ends when the time `by` has passed from now on."""
    row = game.seats[seat]
    time = seat_time(game, row, now)
    lent = time.extended(_allowed(row), row.asked_at, duration(by), now)
    row = row._replace(lent=lent.total_seconds())
    return row._replace(**_due_times(row, time, now)._asdict())


def due_times(game: Stored, row: SeatState, now: datetime) -> DueTimes:
    """Recompute when the seat's turn ends, and when its next reminder is due."""
    return _due_times(row, seat_time(game, row, now), now)


def _due_times(row: SeatState, time: SeatTime, now: datetime) -> DueTimes:
    asked_at, allowed = row.asked_at, row.allowed
    assert asked_at is not None and allowed is not None
    due_at = time.due(asked_at, timedelta(seconds=allowed + row.lent))
    remind_at = time.next_reminder(asked_at, due_at, stored_reminders(row.person.notifications), now)
    wake_at = remind_at or due_at
    if row.plan_at and row.plan_turn == row.turn:
        wake_at = min(wake_at, row.plan_at)
    return DueTimes(due_at, remind_at, wake_at)


def _allowed(row: SeatState) -> timedelta:
    assert row.allowed is not None  # set when the first turn begins: see `_with_allowance`
    return timedelta(seconds=row.allowed)


def seat_time(game: Stored, row: SeatState, now: datetime) -> SeatTime:
    """Return the timing of this seat's turn, with the outages so far.

    In anonymous games, all hours count for all players. Only reminders follow the hours in a player's own calendar.
    """
    awake = _of_hours(_own_hours(row)) if is_nameless(game.head.options) else None
    return SeatTime(game.clock, _of_hours(row.hours), _outages(game, row, now), awake)


def hours_of(game: Stored, row: SeatState) -> Json:
    """Return the hours in which time runs during a turn that begins now.

    In anonymous games these hours are the same for all players, since due times would reveal who plays.
    """
    return {"zone": "UTC", "calendar": {}} if is_nameless(game.head.options) else _own_hours(row)


def _own_hours(row: SeatState) -> Json:
    return {"zone": row.person.zone, "calendar": row.person.calendar}


# Changes of a seat


def _is_mid_turn(was: SeatState, after: Table, seat: Seat) -> bool:
    """Return whether a part of the turn was played, so that the rest of the turn has a new number."""
    turn = after.turns[seat]
    return None not in (turn, was.turn) and turn != was.turn and after.rules.is_mid_turn(after.state, seat)


def _changes_hands(before: Table, after: Table, seat: Seat) -> bool:
    """Return whether a commit gives the seat to another player without changing the state of the game."""
    if not before.turns or after.state is not before.state:
        return False
    is_taken_over = before.stand_ins[seat] is not None and before.turns[seat] != after.turns[seat]
    return is_taken_over or before.stood_in[seat] != after.stood_in[seat]


# Effects of the changes on the seat's time


def _after_its_turn(game: Game, row: SeatState, answered_at: datetime) -> TurnTime:
    """Return the time for the next turn, according to the game's clock and without extensions."""
    clock = game.clock
    if not row.hours:  # no time has run in any turn of this seat
        return _with_allowance(row.time, clock)
    time = seat_time(game, row, answered_at) if isinstance(clock, Bank) else SeatTime(clock)  # only banks depend on it
    allowed = time.after_commit(_allowed(row), row.asked_at, answered_at)
    return TurnTime(None, allowed.total_seconds(), 0, None)


def _with_allowance(time: TurnTime, clock: GameClock) -> TurnTime:
    """Set the time available for the first turn. This happens when the first turn begins, or earlier if a bot takes the
    seat."""
    return time if time.allowed is not None else time._replace(allowed=first_allowance(clock).total_seconds())


def _undo_answer(game: Game, row: SeatState, answered: Stretch) -> SeatState:
    """Undo the effect that the answer had on the seat's time, and let the time run from the start of the turn."""
    row = row._replace(asked_at=answered[0], hours=hours_of(game, row))
    if not isinstance(game.clock, Bank):
        return row
    allowed = seat_time(game, row, answered[1]).before_commit(_allowed(row), answered)
    return row._replace(allowed=allowed.total_seconds())


def _stop_turn(game: Game, row: SeatState, answered_at: datetime) -> TurnTime:
    """Store the remaining time of this turn, including its extension, until the game resumes."""
    if row.asked_at is None:
        return row.time
    left = _allowed(row) - seat_time(game, row, answered_at).used(row.asked_at, answered_at)
    return row.time._replace(allowed=left.total_seconds(), asked_at=None)


def _start_turn(game: Game, row: SeatState, now: datetime) -> SeatState:
    """Start the player's time, or let it continue. If a bot plays, wake the bot immediately. Without a turn there are
    no due times."""
    if row.turn is None:
        return row.with_due_times(None, None, None)
    if row.bot or row.stand_in:
        return row.with_due_times(None, None, now)
    time = TurnTime(row.asked_at or now, row.allowed, row.lent, row.hours or hours_of(game, row))
    row = row.with_turn(row.turn, row.stand_in, time)
    return row.with_due_times(*due_times(game, row, now))


def _outages(game: Stored, row: SeatState, now: datetime) -> Collection[Stretch]:
    """Return the outages since this turn began. An outline already contains them."""
    asked_at = row.asked_at
    if asked_at is None or asked_at >= now:
        return ()
    if isinstance(game, Outline):
        return [outage for outage in game.outages if outage[1] > asked_at]
    return outages_since(asked_at)


def _of_hours(hours: Json | None) -> Calendar:
    if hours is None:
        return ALWAYS
    if type(hours) is not dict:
        warn_of("hours")
        return ALWAYS
    return calendars.stored_calendar(hours["calendar"], hours.get("zone")) if hours.get("calendar") else ALWAYS
