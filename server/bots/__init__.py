"""Bots: each chooses a move from what its seat may see and the list of its legal moves, and knows nothing else."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from server.bots import sternenglanz, sternenhimmel
from server.rules import Json, Rules

Bot = Callable[[Rules, Json, Sequence[Any], Random], Any]
Worth = Callable[[Any], float]

# What a move is worth to the seat that has this view, by game.
JUDGES: Mapping[str, Callable[[Json], Worth]] = {
    "sternenhimmel": sternenhimmel.judge,
    "sternenglanz": sternenglanz.judge,
}


def random(rules: Rules, view: Json, moves: Sequence[Any], rng: Random) -> Any:
    """Any of the moves, each as likely as the others."""
    return rng.choice(moves)


def greedy(rules: Rules, view: Json, moves: Sequence[Any], rng: Random) -> Any:
    """The move that is worth most at once; between equals the `rng` decides."""
    worth = JUDGES[rules.NAME](view)
    worths = [worth(move) for move in moves]
    best = max(worths)
    return rng.choice([move for move, each in zip(moves, worths, strict=True) if each == best])


BOTS: Mapping[str, Bot] = {"random": random, "greedy": greedy}
