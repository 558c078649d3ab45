"""Time control: the counted time that a turn has (per move, or a bank with an increment), and when it is over."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from server.accounts.calendars import ALWAYS, Calendar, counting_hours
from server.clock import NOTHING, Stretch
from server.durations import expect_fields, length_of
from server.errors import Unfit

# Counted time


def due_at(
    asked_at: datetime, allowed: timedelta, calendar: Calendar = ALWAYS, outages: Collection[Stretch] = ()
) -> datetime:
    """The first moment at which `allowed` of counted time has passed since `asked_at`."""
    asked_at = asked_at.astimezone(UTC)
    if calendar.counts_always and not outages:
        return asked_at + allowed
    left = allowed
    for begin, end in _counted(asked_at, calendar, outages):
        if left <= NOTHING:
            return asked_at
        if begin + left <= end:
            return begin + left
        left -= end - begin
    raise OverflowError("No moment is that late.")


def counted(
    start: datetime, end: datetime, calendar: Calendar = ALWAYS, outages: Collection[Stretch] = ()
) -> timedelta:
    """How much of the time from `start` to `end` counts: `counted(asked, due_at(asked, d)) == d`."""
    start, end = start.astimezone(UTC), end.astimezone(UTC)
    total = NOTHING
    for stretch_begin, stretch_end in _counted(start, calendar, outages):
        if stretch_begin >= end:
            break
        total += min(stretch_end, end) - stretch_begin
    return total


def _counted(start: datetime, calendar: Calendar, outages: Collection[Stretch]) -> Iterator[Stretch]:
    """The stretches of counted time from `start` on, in order, without end."""
    gaps = _merged(outages)
    for begin, end in counting_hours(start, calendar):
        for gap_begin, gap_end in gaps:
            if gap_end <= begin:
                continue
            if gap_begin >= end:
                break
            if gap_begin > begin:
                yield begin, gap_begin
            begin = gap_end
        if begin < end:
            yield begin, end


def _merged(outages: Collection[Stretch]) -> list[Stretch]:
    merged: list[Stretch] = []
    for begin, end in sorted((begin.astimezone(UTC), end.astimezone(UTC)) for begin, end in outages):
        if merged and begin <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        elif begin < end:
            merged.append((begin, end))
    return merged


# A game's clock


@dataclass(frozen=True)
class PerMove:
    """A clock with as much time for every turn."""

    allowed: timedelta


@dataclass(frozen=True)
class Bank:
    """A store of time: what a turn leaves over is kept, and each turn adds the increment, up to the cap."""

    bank: timedelta
    increment: timedelta
    cap: timedelta


GameClock = PerMove | Bank

DEFAULT_CLOCK: Final = {"per_move": "P2D"}


def game_clock(data: Any) -> GameClock:
    """`{"per_move": "P2D"}` or `{"bank": "P3D", "increment": "PT12H", "cap": "P5D"}`. Raises Unfit."""
    if isinstance(data, dict) and "per_move" in data:
        expect_fields(data, "clock", {"per_move"})
        return PerMove(length_of(data["per_move"], "clock: `per_move`"))
    expect_fields(data, "clock", {"bank", "increment", "cap"})
    bank, increment, cap = (length_of(data[field], f"clock: `{field}`") for field in ("bank", "increment", "cap"))
    if max(bank, increment) > cap:
        raise Unfit("Neither `bank` nor `increment` may be more than `cap`.", "clock")
    return Bank(bank, increment, cap)


def first_allowance(clock: GameClock) -> timedelta:
    """The counted time that a seat has for its first turn."""
    match clock:
        case PerMove(allowed):
            return allowed
        case Bank(bank):
            return bank


def next_allowance(clock: GameClock, allowed: timedelta, used: timedelta) -> timedelta:
    """The counted time for a seat's next turn, after one that allowed so much and used so much of it.

    `allowed` is what the turn began with, without extensions: an extension is lent for one turn, so whoever needed it
    goes on with the increment alone, and what he leaves of it is not saved.
    """
    match clock:
        case PerMove():
            return clock.allowed
        case Bank(_, increment, cap):
            return min(cap, max(allowed - used, NOTHING) + increment)
