"""A bot that looks ahead in worlds that its seat could be in. It knows a game by its contract only.

It values the best moves of the game's judge in the same worlds, so that chance favours none of them. In each world, the
move is played, and then every seat plays on for itself (max-n) as the judge advises, with what that seat would see there.
Playing on to the end of a game says less: chance then outweighs the move.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from random import Random
from time import process_time
from typing import Any, NamedTuple

from server.games import Json, Rules, Seat


class Seen(NamedTuple):
    """All that a bot gets: what its seat sees, the events that it was shown, and its legal moves."""

    rules: Rules
    seat: Seat
    view: Json
    story: Sequence[Json]
    moves: Sequence[Any]


@dataclass(frozen=True, slots=True)
class Effort:
    """How much a bot thinks. `near`: it picks at random among moves whose value is at most so much below the best."""

    worlds: int
    candidates: int
    turns: int  # that are looked ahead
    near: float = 0.0


class PrivateDice:
    """Dice for worlds, which have no part in the game's chance."""

    def __init__(self, rng: Random) -> None:
        self.below = rng.randrange
        self._rng = rng

    def shuffled(self, things: Any) -> list[Any]:
        order = list(things)
        self._rng.shuffle(order)
        return order
