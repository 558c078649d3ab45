"""What the rules cost: `python -m tests.bench.rules` prints the median of several runs beside the targets."""

from collections.abc import Callable
from itertools import chain
from random import Random
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

from server.rules import GAMES, Rules, SeededDice

RUNS = 7
GAMES_A_RUN = 60
FOLD, REPLAY = 150_000, 30_000
PLAYOUTS = {"sternenhimmel": 30_000, "sternenglanz": 8_000}


class Played(NamedTuple):
    """A random game: how it was opened, and each move with the seat that played it and what happened."""

    seats: int
    options: dict[str, str]
    seed: bytes
    opening: list[Any]
    moves: list[tuple[int, Any, list[Any]]]


def playout(rules: Rules, number: int, editions: list[str]) -> Played:
    """A random game, each move picked from the whole list of legal moves."""
    seats = rules.SEATS[number % len(rules.SEATS)]
    options, seed, rng = {"edition": editions[number % len(editions)]}, bytes([number]), Random(number)
    dice = SeededDice(seed, ())
    opening, moves, state = rules.setup(seats, options, dice), [], None
    for event in opening:
        state = rules.apply(state, event)
    while waiting := rules.to_act(state):
        seat = min(waiting)
        legal = rules.legal_moves(state, seat)
        move = legal[int(rng.random() * len(legal))]
        events = rules.decide(state, seat, move, dice)
        for event in events:
            state = rules.apply(state, event)
        moves.append((seat, move, events))
    return Played(seats, options, seed, opening, moves)


def fold(rules: Rules, events: list[Any]) -> None:
    """The state of a log, no rules asked."""
    state = None
    for event in events:
        state = rules.apply(state, event)


def replay(rules: Rules, game: Played) -> None:
    """The same game decided anew, every event compared."""
    dice = SeededDice(game.seed, ())
    state = None
    for event in rules.setup(game.seats, game.options, dice):
        state = rules.apply(state, event)
    for seat, move, recorded in game.moves:
        events = rules.decide(state, seat, move, dice)
        assert events == recorded
        for event in events:
            state = rules.apply(state, event)


def per_second(work: Callable[[], Any], amount: int) -> float:
    """How much of it is done in a second: the median of the runs."""
    took = []
    for _ in range(RUNS):
        began = perf_counter()
        work()
        took.append(perf_counter() - began)
    return amount / median(took)


def measure(name: str) -> None:
    rules = GAMES[name]
    editions = list(rules.describe()["editions"])
    games = [playout(rules, number, editions) for number in range(GAMES_A_RUN)]
    logs = [[*game.opening, *chain.from_iterable(events for *_, events in game.moves)] for game in games]
    events, moves = sum(map(len, logs)), sum(len(game.moves) for game in games)

    def folds() -> None:
        for log in logs:
            fold(rules, log)

    def replays() -> None:
        for game in games:
            replay(rules, game)

    def playouts() -> None:
        for number in range(GAMES_A_RUN):
            playout(rules, number, editions)

    print(name)
    print(f"  fold of a log                 {per_second(folds, events):>9,.0f} events/s (target {FOLD:,})")
    print(f"  replay with every rule asked  {per_second(replays, moves):>9,.0f} moves/s  (target {REPLAY:,})")
    print(f"  random playouts               {per_second(playouts, moves):>9,.0f} moves/s  (target {PLAYOUTS[name]:,})")


if __name__ == "__main__":
    for game_on_offer in GAMES:
        measure(game_on_offer)
