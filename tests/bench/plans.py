"""Days that a game takes, with plans and without: `python -m tests.bench.plans [games]`.

Games of Sternenhimmel for four, played by the rules themselves. The habits: a player looks at his tables twice a day, within
two hours around 8 and 20 o'clock in his own zone, any of five; he is told of his turn by then, and moves. He chooses any
move. Whoever plans leaves, whenever he has moved or looks in vain, a move for each of his next turns, three at most, on
spaces that are free then, with the stars that he holds; each is played as soon as it is his turn, and what may not be played
then ends his plan until he looks again. In the first column nobody plans, in the second every other player does. The same
games, zones and looks in both.
"""

import sys
from datetime import timedelta
from functools import reduce
from heapq import heapify, heappop
from random import Random
from statistics import mean
from typing import Any

from server.rules import IllegalMove, SeededDice, sternenhimmel
from server.rules.sternenhimmel import Placement

SEATS, AHEAD = 4, 3
DAY = timedelta(days=1) / timedelta(hours=1)


def looks(rng: Random) -> list[float]:
    """The hours at which somebody looks at his tables, for a year and a half."""
    zone = rng.choice([0, 1, 6, 9, 17])
    return sorted(24 * day + hour + zone + rng.uniform(-1, 1) for day in range(550) for hour in (8, 20))


def planned(state: Any, seat: int, rng: Random) -> list[Placement]:
    """What somebody leaves who looks at this table."""
    left: list[Placement] = []
    free = [(board, space) for board in state.stars for space in sternenhimmel.BOARDS[board].spaces]
    for board, space in rng.sample(free, len(free)):
        move = Placement(rng.choice(state.hands[seat] or ("1",)), board, space)
        try:
            sternenhimmel.check_planned(state, seat, left, move)
        except IllegalMove:
            continue
        left.append(move)
        if len(left) == AHEAD:
            break
    return left


def days(number: int, planners: set[int]) -> tuple[float, int, int]:
    """How long this game takes, and how many of how many moves plans have made."""
    people, chance, dice = Random(number), Random(number), SeededDice(number.to_bytes(32), [""] * SEATS)
    calendar = [(hour, seat) for seat in range(SEATS) for hour in looks(people)]
    heapify(calendar)
    state = reduce(sternenhimmel.apply, sternenhimmel.setup(SEATS, {}, dice), None)
    plans: dict[int, list[Placement]] = {}
    by_plan = moves = 0

    def play(seat: int, move: Placement) -> None:
        nonlocal state, moves
        state = reduce(sternenhimmel.apply, sternenhimmel.decide(state, seat, move, dice), state)
        moves += 1

    hour = 0.0
    while sternenhimmel.outcome(state) is None:
        (asked,) = sternenhimmel.to_act(state)
        if plans.get(asked):
            move = plans[asked].pop(0)
            try:
                play(asked, move)
                by_plan += 1
            except IllegalMove:
                plans[asked] = []
            continue
        hour, seat = heappop(calendar)
        if seat == asked:
            play(seat, chance.choice(sternenhimmel.legal_moves(state, seat)))
            plans[seat] = []
        if seat in planners and not plans.get(seat) and sternenhimmel.outcome(state) is None:
            plans[seat] = planned(state, seat, chance)
    return hour / DAY, by_plan, moves


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    without = [days(number, set()) for number in range(games)]
    half = [days(number, {0, 2}) for number in range(games)]
    before, after = mean(it[0] for it in without), mean(it[0] for it in half)
    share = sum(it[1] for it in half) / sum(it[2] for it in half)
    print(f"{games} games of {SEATS}; half of the players plan {AHEAD} moves ahead; looks twice a day")
    print(f"days per game: {before:.1f} without plans, {after:.1f} with ({after / before - 1:+.0%})")
    print(f"moves made by plans: {share:.0%}")


if __name__ == "__main__":
    main()
