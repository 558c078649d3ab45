"""How much a seat's result owes to its choices, and how much to luck. It knows a game by its contract only.

The result of a seat is its score minus the average score of the others. A move's worth is the result that follows on
average if `greedy` plays the rest of the game for all seats. It is estimated in worlds that the seat could be in at that
moment, with the same chance for all moves compared. So later reveals don't make a move better or worse.

A choice is the worth of the move minus that of the move of `greedy`. Luck is the result minus all choices: cards, the seat,
and what the others play. Against opponents that play like `greedy`, the mean of luck over all seats is 0, however well the
seat plays. Each estimate has the right mean, since its worlds are not those by which its move was chosen.

A review names no better move than one that a hint suggests, although a hint may look less far ahead. A player who follows
hints would read this as a contradiction.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import combinations
from random import Random
from statistics import fmean
from typing import Any, Final, NamedTuple

from server.bots import advice, greedy
from server.bots.advice import as_good, suggested
from server.bots.search import PrivateDice, Seen, can_compare, favourites, margin_of, result_of
from server.games import Rules, Seat

WORLDS: Final = range(24, 200)  # minimum and maximum per move
PLIES: Final = 4000  # simulated moves per move; the minimum number of worlds may exceed it


class Worth(NamedTuple):
    """By how many points of the result one move is worth more than another. `margin` is that of a 95 % interval."""

    points: float
    margin: float


class Verdict(NamedTuple):
    """What a move was worth, beside another move."""

    choice: Worth  # value of the move relative to `greedy`'s move
    better: Any  # the move itself if a hint suggests it; otherwise the first of the hint, or `greedy`'s if that is worth more
    gain: Worth  # value of `better` relative to the move


def can_review(rules: Rules) -> bool:
    return can_compare(rules) and hasattr(rules, "resample")


def verdict(seen: Seen, move: Any, rng: Random, between: Callable[[], object] = lambda: None) -> Verdict:
    """Return what a move was worth. `seen` is what its seat saw before. `between` is called after each world."""
    usual = greedy(seen.rules, seen.view, seen.moves, rng)
    hints = as_good(suggested(seen, advice.effort(seen.rules), advice.SECONDS))
    same = dict[Any, Any]()  # by effect
    for it in (move, *hints, usual):
        same.setdefault(advice.effect(seen.rules, it), it)
    usual, *hints = (same[advice.effect(seen.rules, it)] for it in (usual, *hints))
    is_hinted = move in hints
    compared = list(dict.fromkeys((move, usual) if is_hinted else (move, usual, hints[0])))
    results: list[list[float]] = []
    plies = 0

    def worth(one: Any, other: Any) -> Worth:
        first, second = compared.index(one), compared.index(other)
        return _mean([it[first] - it[second] for it in results])

    while len(compared) > 1 and (len(results) < WORLDS.start or (plies < PLIES and len(results) < WORLDS.stop)):
        world = seen.rules.resample(seen.view, seen.story, seen.seat, PrivateDice(rng))  # type: ignore[attr-defined]  # callers ask `can_review`
        played, number = _played_on(seen, world, compared, rng.random())
        results.append(played)
        plies += number
        between()

    choice = worth(move, usual)
    if is_hinted:
        return Verdict(choice, move, Worth(0.0, 0.0))
    better = max((hints[0], usual), key=lambda it: worth(it, move).points)
    return Verdict(choice, better, worth(better, move))


def _mean(differences: Sequence[float]) -> Worth:
    if not differences:  # there was a single move
        return Worth(0.0, 0.0)
    return Worth(fmean(differences), margin_of(differences))


def _played_on(seen: Seen, world: Any, moves: Sequence[Any], chance: float) -> tuple[list[float], int]:
    """Play each move, and the rest of the game like `greedy`. Return the seat's result for each, and the number of
    moves played. Games that reach the same state continue as one."""
    rules, mover = seen.rules, seen.seat
    rngs = [Random(chance) for _ in moves]
    states = [
        reduce(rules.apply, rules.decide(world, mover, move, PrivateDice(rng)), world)
        for move, rng in zip(moves, rngs, strict=True)
    ]
    followed, number = [*range(len(moves))], len(moves)  # the game that each has become part of
    while True:
        for one, other in combinations(dict.fromkeys(followed), 2):
            if states[one] == states[other]:
                followed = [one if it == other else it for it in followed]
        running = [it for it in dict.fromkeys(followed) if rules.to_act(states[it])]
        if not running:
            return [_result(rules, states[it], seen.seat) for it in followed], number
        for it in running:
            state, mover = states[it], min(rules.to_act(states[it]))
            move = rngs[it].choice(favourites(rules, state, mover)[0])
            states[it] = reduce(rules.apply, rules.decide(state, mover, move, PrivateDice(rngs[it])), state)
        number += len(running)


def _result(rules: Rules, state: Any, seat: Seat) -> float:
    outcome = rules.outcome(state)
    assert outcome is not None
    return result_of(outcome, seat)
