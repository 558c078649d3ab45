"""Due times: what a commit does to the time of each seat, case by case."""

from collections.abc import Collection
from datetime import datetime, timedelta

from server.accounts import calendars
from server.accounts.calendars import ALWAYS, Calendar
from server.accounts.preferences import DEFAULT_REMINDERS
from server.clock import NOTHING, Stretch
from server.durations import duration
from server.play import time_control
from server.play.game import Game, Outline
from server.play.reminders import next_reminder
from server.play.table import Table
from server.play.time_control import Bank, GameClock, counted, first_allowance, game_clock, next_allowance
from server.rules import Json, Seat
from server.store.outages import outages_since


def timed(game: Game, seat: Seat, after: Table, now: datetime, arrived_at: datetime) -> Json:
    """The seat's row after the commit; the very same row if nothing changed for it.

    The time of a turn runs on while a bot sits in for its person, or somebody stands in for him, so that nobody wins any by
    leaving and coming back.
    """
    was, turn = game.seats[seat], after.turns[seat]
    changes_hands = turn is not None and _changes_hands(game.table, after, seat)  # nobody plays on after the end
    if not changes_hands and _is_mid_turn(was, after, seat):
        return was | {"turn": turn}  # the rest of a turn has no time of its own
    row = was | {"turn": turn, "to_act": turn is not None, "stand_in": after.stand_ins[seat]}
    if turn != was["turn"] and not changes_hands:
        row = _after_its_turn(row, game_clock(game.head["clock"]), arrived_at)
    elif turn is not None and _stops_or_goes_on(game.table, after):
        row = _stopped(row, arrived_at)
    elif row["stand_in"] != was["stand_in"]:
        row = _with_allowance(row, game_clock(game.head["clock"]))
    else:
        return row if changes_hands else was  # under a new number the turn goes on
    return _asked_by_nobody(row) if after.status == "paused" else _asked(row, now)


def asked_again(game: Game, seat: Seat, after: Table, now: datetime, answered: Stretch | None = None) -> Json:
    """The seat's row after a move was taken back; the very same row if nothing changed for it.

    A turn that nobody is asked for any more has taken no time. One that is open again begins anew, or goes on as if it had
    not been `answered` (from when it was asked until it was), so that nobody wins any time by moving and taking it back.
    """
    was, turn = game.seats[seat], after.turns[seat]
    if turn == was["turn"]:
        return was
    if answered and was["asked_at"] == answered[0]:
        return was | {"turn": turn}  # it went on all the time
    clock = game_clock(game.head["clock"])
    row = was | {"turn": turn, "to_act": turn is not None, "asked_at": None, "lent": 0, "hours": None}
    row = _with_allowance(row, clock)
    return _asked(_unanswered(row, clock, answered) if answered else row, now)


def extended(game: Outline, seat: Seat, by: str, now: datetime) -> Json:
    """The seat's row after an extension: so much from now on, which is lent for this turn."""
    row = game.seats[seat]
    lent = _used(row, now) - timedelta(seconds=row["allowed"]) + duration(by)
    return with_due_time(row | {"lent": lent.total_seconds()}, now)


def with_due_time(row: Json, now: datetime) -> Json:
    """The row of a seat that we wait for, its due time and next reminder computed anew."""
    calendar, asked_at = calendar_of(row), row["asked_at"]
    due_at = time_control.due_at(
        asked_at, timedelta(seconds=row["allowed"] + row["lent"]), calendar, outages_of(row, now)
    )
    thresholds = (row["notifications"] or {}).get("reminders", DEFAULT_REMINDERS)
    remind_at = next_reminder(asked_at, due_at, thresholds, calendar, now, _awake(row) or calendar)
    wake_at = remind_at or due_at
    if row["plan_at"] and row["plan_turn"] == row["turn"]:
        wake_at = min(wake_at, row["plan_at"])
    return row | {"due_at": due_at, "remind_at": remind_at, "wake_at": wake_at}


# What happened to the seat


def _is_mid_turn(was: Json, after: Table, seat: Seat) -> bool:
    """Whether a part of its turn was played, and it goes on under a new number."""
    turn = after.turns[seat]
    return None not in (turn, was["turn"]) and turn != was["turn"] and after.rules.is_mid_turn(after.state, seat)


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


def _after_its_turn(row: Json, clock: GameClock, arrived_at: datetime) -> Json:
    """What the turn leaves of its time is for the next one, as the game's clock says; what was lent is not."""
    if not row["hours"]:  # it had no turn that took time
        return _with_allowance(row, clock)
    used = _used(row, arrived_at) if isinstance(clock, Bank) else NOTHING  # else nobody asks
    allowed = next_allowance(clock, timedelta(seconds=row["allowed"]), used)
    return row | {"allowed": allowed.total_seconds(), "lent": 0, "asked_at": None, "hours": None}


def _with_allowance(row: Json, clock: GameClock) -> Json:
    """Its time begins with the first turn, or when a bot takes the seat before."""
    return row if row["allowed"] is not None else row | {"allowed": first_allowance(clock).total_seconds()}


def _unanswered(row: Json, clock: GameClock, answered: Stretch) -> Json:
    """What the answer brought to its time is gone again, and what it took counts from when it was asked."""
    row = row | {"asked_at": answered[0], "hours": {"zone": row["zone"], "calendar": row["calendar"]}}
    if not isinstance(clock, Bank):
        return row
    allowed = timedelta(seconds=row["allowed"]) - clock.increment + _used(row, answered[1])
    return row | {"allowed": allowed.total_seconds()}


def _stopped(row: Json, arrived_at: datetime) -> Json:
    """The rest of this turn's time, and what was lent for it, is kept until the game goes on."""
    left = timedelta(seconds=row["allowed"]) - _used(row, arrived_at)
    return row | {"allowed": left.total_seconds(), "asked_at": None}


def _asked(row: Json, now: datetime) -> Json:
    """Its person's time runs, from now on or since he was asked; a bot is woken at once; without a turn nobody is."""
    if row["turn"] is None:
        return _asked_by_nobody(row)
    if row["bot"] or row["stand_in"]:
        return _asked_by_nobody(row) | {"wake_at": now}
    hours = row["hours"] or {"zone": row["zone"], "calendar": row["calendar"]}
    return with_due_time(row | {"asked_at": row["asked_at"] or now, "hours": hours}, now)


def _asked_by_nobody(row: Json) -> Json:
    return row | {"due_at": None, "remind_at": None, "wake_at": None}


# What its time is


def _used(row: Json, until: datetime) -> timedelta:
    """The counted time that its present turn has taken until then."""
    return counted(row["asked_at"], until, calendar_of(row), outages_of(row, until)) if row["asked_at"] else NOTHING


def outages_of(row: Json, now: datetime) -> Collection[Stretch]:
    """The hours lost since this seat was asked; looked up only where some time has passed and nobody has done so."""
    if row["asked_at"] >= now:
        return ()
    return row["outages"] if "outages" in row else outages_since(row["asked_at"])


def calendar_of(row: Json) -> Calendar:
    """The calendar by which the time of this seat's turn counts."""
    return _of_hours(row["hours"])


def _awake(row: Json) -> Calendar | None:
    """When its person may be reminded, where that is not when his time counts."""
    return _of_hours(row["awake"]) if row.get("awake") else None


def _of_hours(hours: Json) -> Calendar:
    return calendars.calendar(hours["calendar"], hours["zone"]) if hours["calendar"] else ALWAYS
