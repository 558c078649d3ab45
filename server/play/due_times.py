"""Due times: what a commit does to the time of each seat."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from server.accounts import calendars
from server.accounts.calendars import ALWAYS, Calendar
from server.accounts.preferences import DEFAULT_REMINDERS
from server.clock import NOTHING, Stretch
from server.durations import duration
from server.play import time_control
from server.play.events import TimeExtended
from server.play.game import Game
from server.play.reminders import next_reminder
from server.play.table import Table
from server.play.time_control import Bank, counted, first_allowance, next_allowance
from server.rules import Json, Seat
from server.store.outages import outages_since


def timed(
    game: Game, seat: Seat, before: Table, after: Table, events: Sequence[Any], now: datetime, arrived_at: datetime
) -> Json:
    """The seat's row after the commit; the very same row if nothing changed for it.

    The time of a turn runs on while a bot sits in for its person, so that nobody wins any by leaving and coming back.
    """
    was = game.seats[seat]
    turn, stand_in = after.turns[seat], after.stand_ins[seat]
    extensions = [event for event in events if isinstance(event, TimeExtended) and event.seat == seat]
    stops_or_goes_on = turn is not None and "paused" in (before.status, after.status) and before.status != after.status
    if None not in (turn, was["turn"]) and turn != was["turn"] and after.rules.is_mid_turn(after.state, seat):
        return was | {"turn": turn}  # the rest of a turn has no time of its own
    if turn == was["turn"] and stand_in == was["stand_in"] and not extensions and not stops_or_goes_on:
        return was
    row = was | {"turn": turn, "to_act": turn is not None, "stand_in": stand_in}
    game_clock, asked_at, hours = time_control.game_clock(game.head["clock"]), was["asked_at"], was["hours"]
    allowed = first_allowance(game_clock) if was["allowed"] is None else timedelta(seconds=was["allowed"])
    used = NOTHING
    if asked_at and (extensions or stops_or_goes_on or isinstance(game_clock, Bank)):  # else nobody asks
        used = counted(asked_at, arrived_at, calendar_of(was), outages_of(was, now))
    if extensions:
        lent = used - allowed + duration(extensions[-1].by)  # so much from now on
        return with_due_time(row | {"lent": lent.total_seconds()}, now)
    if hours and turn != was["turn"]:
        allowed, row["lent"] = next_allowance(game_clock, allowed, used), 0
        asked_at = hours = None
    elif stops_or_goes_on:
        allowed, asked_at = allowed - used, None  # the rest of this turn's time, and what was lent for it, is kept
    row |= {"allowed": allowed.total_seconds(), "asked_at": asked_at, "hours": hours}
    bot = was["bot"] or stand_in
    if turn is None or bot or after.status == "paused":
        wake_at = now if bot and turn is not None and after.status == "running" else None
        return row | {"due_at": None, "remind_at": None, "wake_at": wake_at}
    hours = hours or {"zone": was["zone"], "calendar": was["calendar"]}
    return with_due_time(row | {"asked_at": asked_at or now, "hours": hours}, now)


def with_due_time(row: Json, now: datetime) -> Json:
    """The row of a seat that we wait for, its due time and next reminder computed anew."""
    calendar, asked_at = calendar_of(row), row["asked_at"]
    due_at = time_control.due_at(
        asked_at, timedelta(seconds=row["allowed"] + row["lent"]), calendar, outages_of(row, now)
    )
    thresholds = (row["notifications"] or {}).get("reminders", DEFAULT_REMINDERS)
    remind_at = next_reminder(asked_at, due_at, thresholds, calendar, now)
    return row | {"due_at": due_at, "remind_at": remind_at, "wake_at": remind_at or due_at}


def outages_of(row: Json, now: datetime) -> Collection[Stretch]:
    """The hours lost since this seat was asked; looked up only where some time has passed and nobody has done so."""
    if row["asked_at"] >= now:
        return ()
    return row["outages"] if "outages" in row else outages_since(row["asked_at"])


def calendar_of(row: Json) -> Calendar:
    """The calendar by which the time of this seat's turn counts."""
    hours = row["hours"]
    return calendars.calendar(hours["calendar"], hours["zone"]) if hours["calendar"] else ALWAYS
