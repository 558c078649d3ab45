"""Bots, which choose a move from the seat's view and the list of its legal moves."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from statistics import fmean
from typing import Any

from server.bots.search import Seen, search
from server.games import Json, Rules
from server.games.contract import Effort, Judge

Bot = Callable[[Rules, Json, Sequence[Any], Random], Any]


def random(rules: Rules, view: Json, moves: Sequence[Any], rng: Random) -> Any:
    return rng.choice(moves)


def greedy(rules: Rules, view: Json, moves: Sequence[Any], rng: Random) -> Any:
    """Return the move with the highest value. `rng` chooses between moves of equal value."""
    return rng.choice(nearly_best(rules, view, moves, slack=0))


def nearly_best(rules: Rules, view: Json, moves: Sequence[Any], slack: float) -> Sequence[Any]:
    """Return the moves whose value is almost that of the best one. `slack` is a share of what it gains over the average
    move. Without a judge, return all moves."""
    judge: Judge | None = getattr(rules, "judge", None)
    if judge is None:
        return moves
    worths = [*map(judge(view), moves)]
    most, usual = max(worths), fmean(worths)
    # If all moves are equal, their average may exceed them by a rounding error.
    least = min(most, most - slack * (most - usual))
    return [move for move, worth in zip(moves, worths, strict=True) if worth >= least]


LEVELS: Mapping[str, Effort] = {
    "level-1": Effort(slack=0.65),
    "level-2": Effort(slack=0.1),
    "level-3": Effort(worlds=0.2, candidates=2),
    "level-4": Effort(worlds=0.5, candidates=2),
    "level-5": Effort(worlds=1, candidates=2),
    "level-6": Effort(worlds=4, candidates=4),
}
"""The bots with levels, in games without `LEVELS`."""


def levels(rules: Rules) -> Mapping[str, Effort]:
    """Return the effort of the bots of each level in a game."""
    return getattr(rules, "LEVELS", LEVELS)


def _at_once(level: str) -> Bot:
    def play(rules: Rules, view: Json, moves: Sequence[Any], rng: Random) -> Any:
        return rng.choice(nearly_best(rules, view, moves, levels(rules)[level].slack))

    return play


BOTS: Mapping[str, Bot] = {"random": random, "greedy": greedy, **{level: _at_once(level) for level in LEVELS}}
"""What each bot plays at once. A bot that searches plays like `greedy` then."""


def searches(bot: str, rules: Rules) -> bool:
    """Return whether a bot compares moves in possible worlds, which takes time."""
    return bot in LEVELS and levels(rules)[bot].worlds > 0


def choose(bot: str, seen: Seen, seconds: float, rng: Random) -> Any:
    """Return a bot's move. A bot that searches uses at most this many seconds of CPU time."""
    if searches(bot, seen.rules):
        return search(seen, levels(seen.rules)[bot], seconds, rng)
    return BOTS[bot](seen.rules, seen.view, seen.moves, rng)
