"""The exhibition: a daily game between bots, shown around the clock. It has no log. Each process computes the whole
game, and the time decides which move it shows."""

from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from hashlib import sha256
from random import Random
from typing import NamedTuple

from server.accounts.players import STARS
from server.bots import BOTS
from server.clock import clock
from server.games import GAMES, Json, SeededDice, newest_rules
from server.games.presentation import fullest

STEP = 4  # seconds per move
_RANDOM = 1 / 3  # share of random moves: with greedy moves only, most of the table stays empty
_AT_THE_END = 3  # the final state is shown for the time of this many moves
_MOST_GAMES = 4  # games of each kind on two days


class Exhibition(NamedTuple):
    """A game between bots: the spectator's view after each move, and the position whose picture shows most."""

    names: Sequence[str]
    views: Sequence[Json]
    fullest: int

    @property
    def position(self) -> int:
        moment = int(clock.now().timestamp()) // STEP
        return min(moment % (len(self.views) + _AT_THE_END), len(self.views) - 1)


def today() -> date:
    return clock.now().date()


@lru_cache(_MOST_GAMES)
def exhibition(rules_name: str, day: date) -> Exhibition:
    rules = GAMES[rules_name]
    seats = rules.SEATS.start
    seed = sha256(f"{rules_name} {day}".encode()).digest()
    dice, rng = SeededDice(seed, [""] * seats), Random(seed)
    state = None
    for event in rules.setup(seats, rules.resolve_options(newest_rules(rules), seats), dice):
        state = rules.apply(state, event)
    views = []
    while rules.outcome(state) is None:  # the moves that bots make after the end aren't worth watching
        views.append(rules.view(state, None))
        seat = min(rules.to_act(state))
        bot = BOTS["random" if rng.random() < _RANDOM else "greedy"]
        move = bot(rules, rules.view(state, seat), rules.legal_moves(state, seat), rng)
        for event in rules.decide(state, seat, move, dice):
            state = rules.apply(state, event)
    return Exhibition(rng.sample(STARS, seats), views, fullest(rules, views))
