"""How strong the bots are: `python -m tests.bench.strength > server/docs/strength.txt` plays pairs of bots and prints the
table that `/docs/bots` and `GET /v1/rules` publish.

A deal is played once for each seat, with the bot of the row in that seat and the bot of the column in all others. So
luck with a deal or a seat cancels out. The share of wins has a Wilson confidence interval (95%). `--pairs`, `--deals`
and `--seconds` bound the run. `seeing` is `greedy` with the face-down stars of all seats turned over.
"""

import argparse
import os
from itertools import pairwise
from math import sqrt
from random import Random
from time import process_time
from typing import Any, NamedTuple

from server.bots import LEVELS, choose, greedy
from server.bots.local_games import AMPLE, Shown
from server.bots.search import Seen
from server.games import GAMES, Json, Outcome, Rules, Seat, SeededDice, newest_rules

PAIRS = [
    ("greedy", "random"),
    *((level, "greedy") for level in LEVELS),
    *pairwise(reversed(LEVELS)),
    ("seeing", "greedy"),
]
EVEN = 1.96  # standard deviations of a 95 % interval


class Result(NamedTuple):
    """How the bot of a row did in all its games."""

    games: int = 0
    wins: float = 0.0  # a shared win counts as a fraction
    lead: float = 0.0  # points above the average of the table, added up
    moves: int = 0
    seconds: float = 0.0  # of CPU, for its moves

    @property
    def interval(self) -> tuple[float, float]:
        n, share = self.games, self.wins / self.games
        middle, width = share + EVEN**2 / (2 * n), EVEN * sqrt(share * (1 - share) / n + EVEN**2 / (4 * n * n))
        return (middle - width) / (1 + EVEN**2 / n), (middle + width) / (1 + EVEN**2 / n)


def chosen(bot: str, seen: Seen, state: Any, rng: Random) -> Any:
    if bot == "seeing":
        return greedy(seen.rules, _turned_over(seen, state), seen.moves, rng)
    return choose(bot, seen, AMPLE, rng)


def _turned_over(seen: Seen, state: Any) -> Json:
    """Return the view with what other seats see of their own."""
    for board in seen.view.get("boards", ()):
        for space, star in board["spaces"].items():
            if star:
                star["star"] = state.stars[board["board"]][space].star
    return seen.view


def played(rules: Rules, bots: list[str], deal: int, watched: Seat) -> tuple[Outcome, int, float]:
    """Play a deal. Return its outcome, with the number of the watched seat's moves and their CPU time."""
    rng, dice, options = Random(f"{deal} {watched}"), SeededDice(str(deal).encode(), ()), newest_rules(rules)
    resolved = rules.resolve_options(options, len(bots))
    shown = Shown(rules, len(bots), resolved)
    state = shown.after(None, rules.setup(len(bots), resolved, dice))
    moves, seconds = 0, 0.0
    while waiting := rules.to_act(state):
        seat = min(waiting)
        seen, began = shown.to(state, seat), process_time()
        move = chosen(bots[seat], seen, state, rng)
        if seat == watched:
            moves, seconds = moves + 1, seconds + process_time() - began
        state = shown.after(state, rules.decide(state, seat, move, dice))
    outcome = rules.outcome(state)
    assert outcome is not None
    return outcome, moves, seconds


def measure(rules: Rules, pair: tuple[str, str], deals: int, seconds: float) -> Result:
    """Play deals until there are enough or the time is over. A deal is always played from every seat."""
    end, result, seats = process_time() + seconds, Result(), rules.SEATS.start
    for deal in range(deals):
        for watched in range(seats):
            bots = [pair[0] if seat == watched else pair[1] for seat in range(seats)]
            outcome, moves, took = played(rules, bots, deal, watched)
            share = (outcome.places[watched] == 1) / outcome.places.count(1)
            lead = outcome.scores[watched] - sum(outcome.scores) / seats
            result = Result(*map(sum, zip(result, (1, share, lead, moves, took), strict=True)))
        if process_time() > end:
            break
    return result


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m tests.bench.strength", description=__doc__)
    arguments.add_argument("--games", nargs="*", default=list(GAMES), choices=list(GAMES))
    arguments.add_argument("--pairs", nargs="*", metavar="BOT:BOT", default=[":".join(pair) for pair in PAIRS])
    arguments.add_argument("--deals", type=int, default=100)
    arguments.add_argument("--seconds", type=float, default=60, help="CPU time for each pair")
    given = arguments.parse_args()
    os.nice(19)
    print("| Game | Seats | Bot | Against | Wins | From | To | Points ahead | Games | ms |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name in given.games:
        for pair in given.pairs:
            rules, (bot, other) = GAMES[name], pair.split(":")
            found = measure(rules, (bot, other), given.deals, given.seconds)
            low, high = found.interval
            facts = [
                name,
                rules.SEATS.start,
                bot,
                other,
                *(f"{it:.2f}" for it in (found.wins / found.games, low, high)),
            ]
            facts += [f"{found.lead / found.games:.1f}", found.games, round(1000 * found.seconds / found.moves)]
            print(f"| {' | '.join(map(str, facts))} |", flush=True)


if __name__ == "__main__":
    main()
