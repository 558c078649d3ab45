"""Whether luck is 0 on average: `python -m tests.bench.luck` lets a bot play against `greedy` in every seat of the same deals,
and prints the means of result, choices and luck with their standard errors.

Each choice is estimated in few worlds. That widens the errors and leaves the means.
"""

import argparse
from collections.abc import Sequence
from math import sqrt
from random import Random
from statistics import fmean, stdev
from unittest.mock import patch

from server.bots import advice, choose, review
from server.bots.local_games import AMPLE, Shown
from server.bots.search import Effort
from server.games import GAMES, Json, Rules, Seat, SeededDice, newest_rules

WORLDS = 3


def reviewed(rules: Rules, bots: Sequence[str], watched: Seat, options: Json, deal: str) -> tuple[float, float]:
    """Play a deal. Return the result of the watched seat, and the sum of its choices."""
    rng, dice = Random(f"{deal} {watched}"), SeededDice(deal.encode(), ())
    resolved = rules.resolve_options({**newest_rules(rules), **options}, len(bots))
    shown = Shown(rules, len(bots), resolved)
    state, choices = shown.after(None, rules.setup(len(bots), resolved, dice)), 0.0
    while waiting := rules.to_act(state):
        seat = min(waiting)
        seen = shown.to(state, seat)
        move = choose(bots[seat], seen, AMPLE, rng)
        if seat == watched and len(seen.moves) > 1:
            choices += review.verdict(seen, move, rng).choice.points
        state = shown.after(state, rules.decide(state, seat, move, dice))
    outcome = rules.outcome(state)
    assert outcome is not None
    return review.result_of(outcome, watched), choices


def measured(rules: Rules, seats: int, bot: str, deals: int, options: Json) -> dict[str, tuple[float, float]]:
    """Return mean and standard error of result, choices and luck, by name."""
    found = dict[str, list[float]](result=[], choices=[], luck=[])
    with (
        patch.object(advice, "effort", lambda _: Effort(candidates=1)),
        patch.object(review, "WORLDS", range(WORLDS, WORLDS)),
    ):
        for deal in range(deals):
            for watched in range(seats):
                bots = [bot if seat == watched else "greedy" for seat in range(seats)]
                result, choices = reviewed(rules, bots, watched, options, str(deal))
                for name, value in (("result", result), ("choices", choices), ("luck", result - choices)):
                    found[name].append(value)
    return {name: (fmean(values), stdev(values) / sqrt(len(values))) for name, values in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", default="sternenglanz")
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--bot", default="random")
    parser.add_argument("--deals", type=int, default=30)
    wanted = parser.parse_args()
    for name, (mean, error) in measured(GAMES[wanted.rules], wanted.seats, wanted.bot, wanted.deals, {}).items():
        print(f"{name:8} {mean:7.2f} ± {error:.2f}")


if __name__ == "__main__":
    main()
