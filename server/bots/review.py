"""How much a seat's result owes to its choices, and how much to luck. It knows a game by its contract only.

The result of a seat is its score minus the average score of the others. A move's worth is the result that follows on
average if `greedy` plays the rest of the game for all seats. In games with `assess`, it is what `assess` says after the
seat's next turn, as in a search: the margin of error is a tenth of that, and the time a seventh. It is estimated in worlds
that the seat could be in at that moment, with the same chance for all moves compared. So later reveals don't make a move
better or worse.

A choice is the worth of the move minus that of the move of `greedy`. Luck is the result minus all choices: cards, the seat,
and what the others play. Against greedy opponents, the mean of luck over all seats is 0, however well the seat plays. The
worlds are not those by which its move was chosen. With `assess`, this holds roughly. In a game for two, a random player
was 30.1 points behind and its choices explained 25.3 (38 games). With a slack of 0.45, a bot was 7.2 behind, and its
choices explained 9.4 (176 games).

A review names no better move than one that a hint suggests, although a hint may look less far ahead. A player who follows
hints would read this as a contradiction. It names no better move than one that wins the game, even if it brings more points.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import combinations
from operator import sub
from random import Random
from statistics import fmean
from typing import Any, Final, NamedTuple

from server.bots import advice, greedy
from server.bots.advice import as_good, is_clear, suggested
from server.bots.search import PrivateDice, Seen, can_compare, favourites, has_won, margin_of, reached, result_of
from server.games import Rules, Seat

WORLDS: Final = range(12, 200)  # minimum and maximum per move
PRECISE: Final = 0.4  # points; more worlds than the minimum are sampled only for a larger margin
DOUBT: Final = 1.5  # margins; in a game of dozens of moves, a few differ by more than one margin by chance
PLIES: Final = 4000  # simulated moves per move; the minimum number of worlds may exceed it


class Worth(NamedTuple):
    """By how many points of the result one move is worth more than another. `margin` is that of a 95 % interval."""

    points: float
    margin: float


class Verdict(NamedTuple):
    """What a move was worth, beside another move."""

    choice: Worth  # value of the move relative to `greedy`'s move
    better: Any  # the move itself if a hint suggests it; otherwise the first of the hint, or `greedy`'s if its gain is surer
    gain: Worth  # value of `better` relative to the move


def stands_out(gain: float, margin: float) -> bool:
    """Return whether a difference between two moves is clear even among all moves of a game."""
    return is_clear(gain, DOUBT * margin)


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
    results: list[Sequence[float]] = []
    wins = True

    def worth(one: Any, other: Any) -> Worth:
        first, second = compared.index(one), compared.index(other)
        return _mean([it[first] - it[second] for it in results])

    plies = 0
    while len(compared) > 1 and not _suffice(results, plies):
        world = seen.rules.resample(seen.view, seen.story, seen.seat, PrivateDice(rng))  # type: ignore[attr-defined]  # callers ask `can_review`
        wins = wins and has_won(seen.rules.outcome(_after(seen, world, move, rng)), seen.seat)
        if hasattr(seen.rules, "assess"):
            chance = rng.random()
            its = [reached(seen, world, it, PrivateDice(Random(chance)), win=0).gain for it in compared]
        else:
            its, number = _played_on(seen, world, compared, rng.random())
            plies += number
        results.append(its)
        between()

    choice = worth(move, usual)
    if is_hinted or wins:
        return Verdict(choice, move, Worth(0.0, 0.0))
    gain, better = max(((worth(it, move), it) for it in (hints[0], usual)), key=lambda it: it[0].points - it[0].margin)
    return Verdict(choice, better, gain)


def _suffice(results: Sequence[Sequence[float]], plies: int) -> bool:
    """Return whether these results of each move are enough to compare the first move with the others."""
    if len(results) < WORLDS.start:
        return False
    if len(results) >= WORLDS.stop or plies >= PLIES:
        return True
    first, *others = zip(*results, strict=True)
    return all(margin_of([*map(sub, first, it)]) <= PRECISE for it in others)


def _after(seen: Seen, world: Any, move: Any, rng: Random) -> Any:
    return reduce(seen.rules.apply, seen.rules.decide(world, seen.seat, move, PrivateDice(rng)), world)


def _mean(differences: Sequence[float]) -> Worth:
    if not differences:  # there was a single move
        return Worth(0.0, 0.0)
    return Worth(fmean(differences), margin_of(differences))


def _played_on(seen: Seen, world: Any, moves: Sequence[Any], chance: float) -> tuple[list[float], int]:
    """Play each move, and the rest of the game like `greedy`. Return the seat's result for each, and the number of moves
    played. Games that reach the same state continue as one."""
    rules = seen.rules
    rngs = [Random(chance) for _ in moves]
    states = [_after(seen, world, move, rng) for move, rng in zip(moves, rngs, strict=True)]
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
            move = rngs[it].choice(favourites(rules, state, mover))
            states[it] = reduce(rules.apply, rules.decide(state, mover, move, PrivateDice(rngs[it])), state)
        number += len(running)


def _result(rules: Rules, state: Any, seat: Seat) -> float:
    outcome = rules.outcome(state)
    assert outcome is not None
    return result_of(outcome, seat)
