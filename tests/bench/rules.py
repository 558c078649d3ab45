"""CPU costs of the rules: `python -m tests.bench.rules` prints the median of several runs beside the targets.

It also prints each step of a playout beside the least that its list of moves can cost.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial, reduce
from itertools import chain
from random import Random
from statistics import median
from time import process_time, process_time_ns
from typing import Any, NamedTuple

from server.bots import greedy
from server.games import GAMES, Json, Rules, SeededDice, sternenglanz
from server.games.sternenglanz.material import CARDS, FIELDS, PIECES
from server.games.sternenglanz.state import State

RUNS = 7
GAMES_A_RUN = 60
FOLD = 300_000
REPLAY = {"sternenhimmel": 100_000, "sternenglanz": 60_000}
PLAYOUTS = {"sternenhimmel": 90_000, "sternenglanz": 25_000}
SLOWEST = 10  # ms
CHOICE = {"sternenhimmel": 5, "sternenglanz": 20}  # ms


class Played(NamedTuple):
    """A random game: its opening, and each move with seat and events."""

    seats: int
    options: Json
    seed: bytes
    opening: list[Any]
    moves: list[tuple[int, Any, list[Any]]]


def playout(rules: Rules, number: int, editions: list[Json]) -> Played:
    seats = rules.SEATS[number % len(rules.SEATS)]
    options, seed, rng = editions[number % len(editions)], bytes([number]), Random(number)
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
    """Fold the state of a log without checking rules."""
    state = None
    for event in events:
        state = rules.apply(state, event)


def replay(rules: Rules, game: Played) -> None:
    """Decide the same game again and compare every event."""
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
    took = []
    for _ in range(RUNS):
        began = process_time()
        work()
        took.append(process_time() - began)
    return amount / median(took)


def show_steps(rules: Rules, games: list[Played]) -> None:
    """Print the microseconds per move of each step of a playout, and of rebuilding its list of moves."""
    took: Counter[str] = Counter()
    listed = 0

    def timed(step: str, work: Callable[[], Any]) -> Any:
        began = process_time_ns()
        found = work()
        took[step] += process_time_ns() - began - _IDLE
        return found

    for game in games:
        state, dice = reduce(rules.apply, game.opening, None), SeededDice(game.seed, ())
        for seat, move, events in game.moves:
            timed("whose turn", partial(rules.to_act, state))
            legal = timed("legal moves", partial(rules.legal_moves, state, seat))
            timed("(to make such a list anew)", partial(_made_again, legal))
            timed("decide", partial(rules.decide, state, seat, move, dice))
            state = timed("fold", partial(reduce, rules.apply, events, state))
            listed += len(legal)
    moves = sum(len(game.moves) for game in games)
    each = ", ".join(f"{step} {spent / moves / 1000:.1f}" for step, spent in took.items())
    print(f"  µs of a step: {each}; {listed / moves:.1f} moves in a list")


def _made_again(moves: Sequence[Any]) -> list[Any]:
    return [type(move)(*move) for move in moves]


def _idle() -> int:
    began = process_time_ns()
    return process_time_ns() - began


_IDLE = min(_idle() for _ in range(1000))  # nanoseconds of reading the clock


def choices(rules: Rules, games: list[Played]) -> tuple[float, float]:
    """Return the greedy bot's median and slowest choice in ms. Each choice is the best of three tries."""
    took = []
    for game in games:
        state = reduce(rules.apply, game.opening, None)
        for seat, _, events in game.moves:
            took.append(min(_choice_on(rules, state, seat) for _ in range(3)) * 1000)
            state = reduce(rules.apply, events, state)
    return median(took), max(took)


def _choice_on(rules: Rules, state: Any, seat: int) -> float:
    view, moves = rules.view(state, seat), rules.legal_moves(state, seat)
    began = process_time()
    greedy(rules, view, moves, Random(1))
    return process_time() - began


def measure(name: str) -> None:
    rules = GAMES[name]
    editions = list(rules.describe()["editions"].values())
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
    print(f"  replay with every rule asked  {per_second(replays, moves):>9,.0f} moves/s  (target {REPLAY[name]:,})")
    print(f"  random playouts               {per_second(playouts, moves):>9,.0f} moves/s  (target {PLAYOUTS[name]:,})")
    show_steps(rules, games)
    usual, slowest = choices(rules, games[:5])
    print(f"  choice of the greedy bot      {usual:>9,.2f} ms, slowest {slowest:,.1f} (target {CHOICE[name]})")


def slowest_step() -> tuple[float, int]:
    """Return the slowest step of Sternenglanz that a search finds, in ms, and the length of its list of moves.

    All three cards move stars, every path is checked against every ban, and four Sternbilder are looked for.
    """
    rng, options = Random(1), {"banMoves": True, "lineBan": "any-star", "sternbildCredit": "any-player"}
    opening = sternenglanz.setup(4, {"scenario": 4, "start_seat": 0, **options}, SeededDice(b"", ()))
    sky = reduce(sternenglanz.apply, opening, None)
    assert sky is not None
    cards = ("wanderung-3#1", "wanderung-3#2", "wanderung-3#3")
    sky = sky._replace(phase="act", on_turn=0, slots=(cards,) * 4)
    pieces = ["punkt"] * 14 + ["leucht"] * 8 + ["pracht"] * 3 + [None] * (len(FIELDS) - 25)
    rng.shuffle(pieces)
    slowest, moves = _step_on(sky, pieces)
    for _ in range(250):
        a, b = rng.sample(range(len(pieces)), 2)
        other = [*pieces]
        other[a], other[b] = pieces[b], rng.choice([pieces[a], None])
        took, found = _step_on(sky, other)
        if took > slowest:
            slowest, moves, pieces = took, found, other
    return slowest, moves


def _step_on(sky: State, pieces: list[str | None]) -> tuple[float, int]:
    lying = {piece: dict(zip(FIELDS, pieces, strict=True)) for piece in PIECES}
    stars = {piece: sum(FIELDS[it].bit for it in on if on[it] == piece) for piece, on in lying.items()}
    sky = sky._replace(stars=stars, bilder=sky.bilder._replace(own=tuple(list(CARDS.sternbilder)[-4:])))
    times = []
    for _ in range(3):
        began = process_time()
        moves = sternenglanz.legal_moves(sky, 0)
        sternenglanz.decide(sky, 0, moves[0], SeededDice(b"", ()))
        times.append(process_time() - began)
    return min(times) * 1000, len(moves)


if __name__ == "__main__":
    for game in GAMES:
        measure(game)
    print(
        "  slowest step found            {:>9,.1f} ms, {:,} moves in its list (target {})".format(
            *slowest_step(), SLOWEST
        )
    )
