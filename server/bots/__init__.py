"""Bots, which choose a move from the seat's view and the list of its legal moves."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from server.bots.search import Effort, Seen, search
from server.games import Json, Rules
from server.games.contract import Judge

Bot = Callable[[Rules, Json, Sequence[Any], Random], Any]


def random(rules: Rules, view: Json, moves: Sequence[Any], rng: Random) -> Any:
    return rng.choice(moves)


def greedy(rules: Rules, view: Json, moves: Sequence[Any], rng: Random) -> Any:
    """Return the move with the highest value. `rng` chooses between moves of equal value."""
    judge: Judge | None = getattr(rules, "judge", None)
    if judge is None:  # the game has no judge
        return rng.choice(moves)
    worth = judge(view)
    worths = [worth(move) for move in moves]
    best = max(worths)
    return rng.choice([move for move, each in zip(moves, worths, strict=True) if each == best])


LEVELS: Mapping[str, Effort] = {
    "level-1": Effort(slack=0.35),
    "level-2": Effort(slack=0.1),
    "level-3": Effort(worlds=0.2, candidates=2),
    "level-4": Effort(worlds=0.5, candidates=2),
    "level-5": Effort(worlds=1, candidates=2),
    "level-6": Effort(worlds=4, candidates=4),
}
"""The bots that search. Without time to search, they play like `greedy`, as in `BOTS`."""

BOTS: Mapping[str, Bot] = {"random": random, "greedy": greedy, **dict.fromkeys(LEVELS, greedy)}


def choose(bot: str, seen: Seen, seconds: float, rng: Random) -> Any:
    """Return a bot's move. A bot that searches uses at most this many seconds of CPU time."""
    if bot in LEVELS:
        return search(seen, LEVELS[bot], seconds, rng)
    return BOTS[bot](seen.rules, seen.view, seen.moves, rng)
