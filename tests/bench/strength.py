"""How strong the bots are: `python -m tests.bench.strength > server/docs/strength.txt` plays pairs of bots and prints the
table that `/docs/bots` and `GET /v1/rules` publish.

A deal is played once for each seat, with the bot of the row in that seat and the bot of the column in all others. So
luck with a deal or a seat cancels out. A deal is won if the bot's scores in these games add up to more than the average
of the table. The shares of games and deals won have Wilson confidence intervals (95%). `--pairs`, `--deals` and
`--seconds` bound the run. An interrupt (Ctrl+C) prints the results so far. Expensive rows get more time, but fewer
games: of two rows, one with games that take 100 times as long gets a tenth of the games.
`seeing` is `greedy` with the face-down stars of all seats turned over.
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

LADDER = [(upper, lower) for lower, upper in pairwise(LEVELS)]  # with every number of seats
OTHERS = [("greedy", "random"), *((level, "greedy") for level in LEVELS)]  # with the fewest
LEAST_LEAD = 1e-6  # points; less is a rounding error
EVEN = 1.96  # standard deviations of a 95 % interval


class Row(NamedTuple):
    game: str
    seats: int
    bot: str
    against: str


class Result(NamedTuple):
    """How the bot of a row did in all its games."""

    games: int = 0
    wins: float = 0.0  # a shared win counts as a fraction
    lead: float = 0.0  # points above the average of the table, added up
    moves: int = 0
    seconds: float = 0.0  # of CPU, for its moves
    spent: float = 0.0  # seconds of CPU in all
    deals: int = 0
    deals_won: float = 0.0  # a deal without a lead counts as half


def with_interval(won: float, n: int) -> tuple[float, float, float]:
    """Return the share of wins and its confidence interval."""
    share = won / n
    middle, width = share + EVEN**2 / (2 * n), EVEN * sqrt(share * (1 - share) / n + EVEN**2 / (4 * n * n))
    return share, (middle - width) / (1 + EVEN**2 / n), (middle + width) / (1 + EVEN**2 / n)


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


def with_deal(row: Row, result: Result, deal: int) -> Result:
    """Play a deal from every seat. Return the results with those of this deal."""
    rules, began, before = GAMES[row.game], process_time(), result.lead
    for watched in range(row.seats):
        bots = [row.bot if seat == watched else row.against for seat in range(row.seats)]
        outcome, moves, took = played(rules, bots, deal, watched)
        share = (outcome.places[watched] == 1) / outcome.places.count(1)
        lead = outcome.scores[watched] - sum(outcome.scores) / row.seats
        spent, began = process_time() - began, process_time()
        result = Result(*map(sum, zip(result, (1, share, lead, moves, took, spent, 0, 0.0), strict=True)))
    ahead = result.lead - before
    won = 0.5 if abs(ahead) < LEAST_LEAD else float(ahead > 0)
    return result._replace(deals=result.deals + 1, deals_won=result.deals_won + won)


def measured(rows: list[Row], deals: int, seconds: float) -> dict[Row, Result]:
    """Play until the time is over or interrupted."""
    results = dict.fromkeys(rows, Result())
    try:
        while seconds > sum(it.spent for it in results.values()):
            open_rows = [row for row in rows if results[row].games < deals * row.seats]
            if not open_rows:
                break
            row = min(open_rows, key=lambda it: results[it].games * results[it].spent)
            results[row] = with_deal(row, results[row], results[row].games // row.seats)
    except KeyboardInterrupt:
        pass
    return results


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m tests.bench.strength", description=__doc__)
    arguments.add_argument("--games", nargs="*", default=list(GAMES), choices=list(GAMES))
    arguments.add_argument("--pairs", nargs="*", metavar="BOT:BOT", help="with every number of seats")
    arguments.add_argument("--deals", type=int, default=100)
    arguments.add_argument("--seconds", type=float, default=1800, help="CPU time in all")
    given = arguments.parse_args()
    os.nice(19)
    rows = list[Row]()
    for game in given.games:
        seats = GAMES[game].SEATS
        if given.pairs is None:
            rows += [Row(game, seats.start, *pair) for pair in OTHERS]
            rows += [Row(game, number, [*LEVELS][-1], "greedy") for number in seats[1:]]
        pairs = LADDER if given.pairs is None else [pair.split(":") for pair in given.pairs]
        rows += [Row(game, number, *pair) for pair in pairs for number in seats]
    print("| Game | Seats | Bot | Against | Wins | From | To | Points ahead | Games | ms | Deals won | From | To |")
    print(f"{'|---' * 13}|")
    for row, found in measured(rows, given.deals, given.seconds).items():
        if not found.games:
            continue
        facts = [*row, *(f"{it:.2f}" for it in with_interval(found.wins, found.games))]
        facts += [f"{found.lead / found.games:.1f}", found.games, round(1000 * found.seconds / found.moves)]
        facts += [f"{it:.2f}" for it in with_interval(found.deals_won, found.deals)]
        print(f"| {' | '.join(map(str, facts))} |", flush=True)


if __name__ == "__main__":
    main()
