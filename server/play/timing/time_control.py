"""Time control: the counted time that a turn has (per move, or a bank with an increment)."""

from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import Any, Final

from server.clock import NOTHING
from server.durations import expect_fields, length_of
from server.errors import Unfit


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
        raise Unfit("`bank` and `increment` can't exceed `cap`.", "clock")
    return Bank(bank, increment, cap)


@lru_cache(1000)
def stored_clock(*fields: tuple[str, str]) -> GameClock:
    """Return the clock of a stored game from the fields of its JSON; most games share a few clocks."""
    return game_clock(dict(fields))


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
