"""Due times: what a commit does to the time of each seat, case by case."""

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
    """When a turn is over, when its player is reminded next, and when a worker checks the seat next."""

    due_at: datetime
    remind_at: datetime | None
    wake_at: datetime


def after_commit(game: Game, seat: Seat, after: Table, now: datetime, answered_at: datetime) -> SeatState:
    """Return the seat after the commit, the very same if nothing changed for it.

    The time of a turn continues while a bot sits in for its player or another player stands in. So nobody gains time by
    leaving and coming back.
    """
    was, turn, stand_in = game.seats[seat], after.turns[seat], after.stand_ins[seat]
    changes_hands = turn is not None and _changes_hands(game.table, after, seat)  # nobody plays on after the end
    if not changes_hands and _is_mid_turn(was, after, seat):
        return was.renumbered(turn)  # the rest of a turn has no time of its own
    if turn != was.turn and not changes_hands:
        time = _after_its_turn(game, was, answered_at)
    elif turn is not None and _stops_or_goes_on(game.table, after):
        time = _stopped(game, was, answered_at)
    elif stand_in != was.stand_in:
        time = _with_allowance(was.time, game.clock)
    else:  # under a new number the turn goes on
        return was.with_turn(turn, stand_in, was.time) if changes_hands else was
    row = was.with_turn(turn, stand_in, time)
    return row.with_due_times(None, None, None) if after.status == "paused" else _asked(game, row, now)


def after_take_back(game: Game, seat: Seat, after: Table, now: datetime, answered: Stretch | None = None) -> SeatState:
    """Return the seat after a move was taken back, the very same if nothing changed for it.

    A turn that is no longer asked for has taken no time. One that is open again begins from scratch, or goes on as if it
    had not been `answered` (from when it was asked until it was). So nobody gains time by moving and taking it back.
    """
    was, turn = game.seats[seat], after.turns[seat]
    if turn == was.turn:
        return was
    if answered and was.asked_at == answered[0]:
        return was.renumbered(turn)  # it went on all the time
    time = _with_allowance(TurnTime(None, was.allowed, 0, None), game.clock)
    row = was.with_turn(turn, was.stand_in, time)
    return _asked(game, _unanswered(game, row, answered) if answered else row, now)


def after_extension(game: Outline, seat: Seat, by: str, now: datetime) -> SeatState:
    """Return the seat after an extension, which lends its turn so much time from now on."""
    row = game.seats[seat]
    time = seat_time(game, row, now)
    lent = time.extended(_allowed(row), row.asked_at, duration(by), now)
    row = row._replace(lent=lent.total_seconds())
    return row._replace(**_due_times(row, time, now)._asdict())


def due_times(game: Stored, row: SeatState, now: datetime) -> DueTimes:
    """Compute the due time of the seat's turn and its next reminder again."""
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
    assert row.allowed is not None  # set with its first turn: see `_with_allowance`
    return timedelta(seconds=row.allowed)


def seat_time(game: Stored, row: SeatState, now: datetime) -> SeatTime:
    """Return the time of this seat's turn, with the outages that were noted by now.

    At a nameless table every hour counts for every player. Only reminders keep to a player's own hours.
    """
    awake = _of_hours(_own_hours(row)) if is_nameless(game.head.options) else None
    return SeatTime(game.clock, _of_hours(row.hours), _outages(game, row, now), awake)


def hours_of(game: Stored, row: SeatState) -> Json:
    """Return the hours that count for a turn that begins now.

    At a nameless table they are everybody's, since due times would tell who sits there.
    """
    return {"zone": "UTC", "calendar": {}} if is_nameless(game.head.options) else _own_hours(row)


def _own_hours(row: SeatState) -> Json:
    return {"zone": row.person.zone, "calendar": row.person.calendar}


# What happened to the seat


def _is_mid_turn(was: SeatState, after: Table, seat: Seat) -> bool:
    """Whether a part of its turn was played, and it goes on under a new number."""
    turn = after.turns[seat]
    return None not in (turn, was.turn) and turn != was.turn and after.rules.is_mid_turn(after.state, seat)


def _changes_hands(before: Table, after: Table, seat: Seat) -> bool:
    """Whether somebody else plays the seat from here on, while the table is as it was."""
    if not before.turns or after.state is not before.state:
        return False
    is_taken_over = before.stand_ins[seat] is not None and before.turns[seat] != after.turns[seat]
    return is_taken_over or before.stood_in[seat] != after.stood_in[seat]


def _stops_or_goes_on(before: Table, after: Table) -> bool:
    """Whether a pause begins or ends."""
    return before.status != after.status and "paused" in (before.status, after.status)


# What that does to its time


def _after_its_turn(game: Game, row: SeatState, answered_at: datetime) -> TurnTime:
    """Return the time for the next turn: what this one leaves of its own, by the game's clock, and nothing of what was lent."""
    clock = game.clock
    if not row.hours:  # it had no turn that took time
        return _with_allowance(row.time, clock)
    time = seat_time(game, row, answered_at) if isinstance(clock, Bank) else SeatTime(clock)  # else nobody asks
    allowed = time.after_commit(_allowed(row), row.asked_at, answered_at)
    return TurnTime(None, allowed.total_seconds(), 0, None)


def _with_allowance(time: TurnTime, clock: GameClock) -> TurnTime:
    """Its time begins with the first turn, or when a bot takes the seat before."""
    return time if time.allowed is not None else time._replace(allowed=first_allowance(clock).total_seconds())


def _unanswered(game: Game, row: SeatState, answered: Stretch) -> SeatState:
    """What the answer brought to its time is gone again, and what it took counts from when it was asked."""
    row = row._replace(asked_at=answered[0], hours=hours_of(game, row))
    if not isinstance(game.clock, Bank):
        return row
    allowed = seat_time(game, row, answered[1]).before_commit(_allowed(row), answered)
    return row._replace(allowed=allowed.total_seconds())


def _stopped(game: Game, row: SeatState, answered_at: datetime) -> TurnTime:
    """The rest of this turn's time, and what was lent for it, is kept until the game goes on."""
    if row.asked_at is None:
        return row.time
    left = _allowed(row) - seat_time(game, row, answered_at).used(row.asked_at, answered_at)
    return row.time._replace(allowed=left.total_seconds(), asked_at=None)


def _asked(game: Game, row: SeatState, now: datetime) -> SeatState:
    """Start the player's time, or let it go on. Wake a bot at once. Without a turn there are no due times."""
    if row.turn is None:
        return row.with_due_times(None, None, None)
    if row.bot or row.stand_in:
        return row.with_due_times(None, None, now)
    time = TurnTime(row.asked_at or now, row.allowed, row.lent, row.hours or hours_of(game, row))
    row = row.with_turn(row.turn, row.stand_in, time)
    return row.with_due_times(*due_times(game, row, now))


def _outages(game: Stored, row: SeatState, now: datetime) -> Collection[Stretch]:
    """Return the outages since this seat was asked. An outline has them already."""
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
