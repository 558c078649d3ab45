"""Bots: each chooses a move from what its seat may see and the list of its legal moves, and knows nothing else."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from server.games import Json, Rules

Bot = Callable[[Rules, Json, Sequence[Any], Random], Any]


def random(rules: Rules, view: Json, moves: Sequence[Any], rng: Random) -> Any:
    """Any of the moves, each as likely as the others."""
    return rng.choice(moves)


def greedy(rules: Rules, view: Json, moves: Sequence[Any], rng: Random) -> Any:
    """The move that is worth most at once; between equals the `rng` decides."""
    judge = getattr(rules, "judge", None)
    if judge is None:  # a game of rules alone
        return rng.choice(moves)
    worth = judge(view)
    worths = [worth(move) for move in moves]
    best = max(worths)
    return rng.choice([move for move, each in zip(moves, worths, strict=True) if each == best])


BOTS: Mapping[str, Bot] = {"random": random, "greedy": greedy}
