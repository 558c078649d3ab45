"""Time control: how much time a player has for a turn, either per move or from a bank with an increment."""

from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import Any, Final

from server.clock import NOTHING
from server.durations import expect_fields, length_of
from server.errors import Unfit


@dataclass(frozen=True)
class PerMove:
    """A clock that gives every turn the same time."""

    allowed: timedelta


@dataclass(frozen=True)
class Bank:
    """A clock that saves unused time. Each turn adds the increment, up to the cap."""

    bank: timedelta
    increment: timedelta
    cap: timedelta


GameClock = PerMove | Bank

DEFAULT_CLOCK: Final = {"per_move": "P2D"}


def game_clock(data: Any) -> GameClock:
    """Parse `{"per_move": "P2D"}` or `{"bank": "P3D", "increment": "PT12H", "cap": "P5D"}`. Raise Unfit if the value
    has neither form."""
    if isinstance(data, dict) and "per_move" in data:
        expect_fields(data, "clock", {"per_move"})
        return PerMove(length_of(data["per_move"], "clock: `per_move`"))
    if data == {}:
        raise Unfit("Send `per_move`, or `bank`, `increment` and `cap`.", "clock")
    expect_fields(data, "clock", {"bank", "increment", "cap"})
    bank, increment, cap = (length_of(data[field], f"clock: `{field}`") for field in ("bank", "increment", "cap"))
    if max(bank, increment) > cap:
        raise Unfit("`bank` and `increment` can't exceed `cap`.", "clock")
    return Bank(bank, increment, cap)


@lru_cache(1000)
def stored_clock(*fields: tuple[str, str]) -> GameClock:
    """Return the clock of a stored game, parsed from its JSON fields. The results are cached, since most games use one
    of a small number of clocks."""
    return game_clock(dict(fields))


def first_allowance(clock: GameClock) -> timedelta:
    """Return the time for a seat's first turn."""
    match clock:
        case PerMove(allowed):
            return allowed
        case Bank(bank):
            return bank


def next_allowance(clock: GameClock, allowed: timedelta, used: timedelta) -> timedelta:
    """Return the time for a seat's next turn. The last turn had `allowed`, and the player used `used` of it.

    `allowed` excludes extensions, which are for one turn only. A player who needed an extension gets only the increment
    for the next turn. Unused time of the extension isn't saved.
    """
    match clock:
        case PerMove():
            return clock.allowed
        case Bank(_, increment, cap):
            return min(cap, max(allowed - used, NOTHING) + increment)
