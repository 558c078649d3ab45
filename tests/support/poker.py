"""Kuhn poker and Leduc poker: as much of `Game` as bots need, strategies, and their exploitability.

A betting round is a string: `c` checks or calls, `r` bets or raises, `f` folds.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from random import Random
from typing import Any, NamedTuple

from server.bots.local_games import AMPLE
from server.bots.search import Seen, search
from server.games import Dice, Json, Outcome, Seat
from server.games.contract import Effort

Deal = tuple[int, ...]  # a card for each seat, and the common card if there is one
Strategy = Callable[["Poker", Json], Mapping[str, float]]  # a seat's view -> the chance of each bet


class State(NamedTuple):
    deal: Deal
    bets: tuple[str, ...]  # by round


class Dealt(NamedTuple):
    deal: Deal
    seat: None = None


class Bet(NamedTuple):
    seat: Seat
    bet: str


class Poker(NamedTuple):
    """A game of two seats. Each round has a size of its bets, and the common card is shown before the second one."""

    ranks: int
    suits: int
    sizes: tuple[int, ...]
    raises: int  # per round, at most

    def setup(self, seats: int, options: Json, dice: Dice) -> list[Any]:
        return [Dealt(tuple(dice.shuffled(range(self.ranks * self.suits))[: len(self.sizes) + 1]))]

    def apply(self, state: State | None, event: Any) -> State:
        if state is None:
            return State(event.deal, ("",))
        *earlier, last = state.bets
        last += event.bet
        done = len(last) > 1 and last.endswith("c") and len(state.bets) < len(self.sizes)
        return state._replace(bets=(*earlier, last, *[""] * done))

    def decide(self, state: State, seat: Seat, move: str, dice: Dice) -> list[Any]:
        return [Bet(seat, move)]

    def paid(self, bets: Sequence[str]) -> list[int]:
        paid = [1, 1]
        for each, size in zip(bets, self.sizes, strict=False):
            for number, bet in enumerate(each):
                if bet != "f":
                    paid[number % 2] = paid[1 - number % 2] + size * (bet == "r")
        return paid

    def is_over(self, bets: Sequence[str]) -> bool:
        last = bets[-1]
        return last.endswith("f") or (len(bets) == len(self.sizes) and len(last) > 1 and last.endswith("c"))

    def to_act(self, state: State) -> frozenset[Seat]:
        return frozenset() if self.is_over(state.bets) else frozenset((len(state.bets[-1]) % 2,))

    def bets_of(self, bets: Sequence[str]) -> list[str]:
        last = bets[-1]
        return ["f"] * last.endswith("r") + ["c"] + ["r"] * (last.count("r") < self.raises)

    def legal_moves(self, state: State, seat: Seat) -> list[str]:
        return self.bets_of(state.bets)

    def strength(self, card: int, common: int | None) -> tuple[bool, int]:
        rank = card // self.suits
        return common is not None and common // self.suits == rank, rank

    def outcome(self, state: State) -> Outcome | None:
        if not self.is_over(state.bets):
            return None
        return Outcome(self.gains(state), (1, 1))  # only chips count: winning a hand has no value of its own

    def gains(self, state: State) -> tuple[int, int]:
        lost, last = min(self.paid(state.bets)), state.bets[-1]
        one, other = (self.strength(state.deal[seat], (*state.deal, None)[2]) for seat in (0, 1))
        won = (one > other) - (one < other)
        if last.endswith("f"):
            won = 1 if len(last) % 2 == 0 else -1
        return won * lost, -won * lost

    def view(self, state: State, seat: Seat) -> Json:
        common = state.deal[2] if len(state.bets) > 1 else None
        return {"card": state.deal[seat], "common": common, "bets": list(state.bets)}

    def resample(self, view: Json, story: Sequence[Json], seat: Seat, dice: Dice) -> State:
        seen = {view["card"], view["common"]}
        other, *rest = dice.shuffled([card for card in range(self.ranks * self.suits) if card not in seen])
        cards = (view["card"], other) if seat == 0 else (other, view["card"])
        common = rest[:1] if view["common"] is None else [view["common"]]
        return State((*cards, *common[: len(self.sizes) - 1]), tuple(view["bets"]))

    def judge(self, view: Json) -> Callable[[str], float]:
        """Return the mean gain of a bet if the other seat calls it with any card."""
        own, common, bets = view["card"], view["common"], view["bets"]
        others = [card for card in range(self.ranks * self.suits) if card not in (own, common)]
        mine = self.strength(own, common)
        wins = sum((mine > it) + (mine == it) / 2 for it in (self.strength(card, common) for card in others))
        paid, size = self.paid(bets), self.sizes[len(bets) - 1]
        owed = max(paid) - paid[len(bets[-1]) % 2]

        def worth(bet: str) -> float:
            more = size * (bet == "r")
            return 0.0 if bet == "f" else wins / len(others) * (sum(paid) + owed + 2 * more) - owed - more

        return worth


KUHN = Poker(ranks=3, suits=1, sizes=(1,), raises=1)
LEDUC = Poker(ranks=3, suits=2, sizes=(2, 4), raises=2)


def uniform(game: Poker, view: Json) -> Mapping[str, float]:
    bets = game.bets_of(view["bets"])
    return dict.fromkeys(bets, 1 / len(bets))


def judged(game: Poker, view: Json) -> Mapping[str, float]:
    """Return the bets that the judge prefers."""
    worths = {bet: game.judge(view)(bet) for bet in game.bets_of(view["bets"])}
    best = [bet for bet, worth in worths.items() if worth == max(worths.values())]
    return {bet: (bet in best) / len(best) for bet in worths}


def by_ranks(strategy: Strategy) -> Strategy:
    """Return the strategy for cards without suits. It stores each answer."""
    known = dict[tuple[object, ...], Mapping[str, float]]()

    def stored(game: Poker, view: Json) -> Mapping[str, float]:
        ranks = [None if card is None else card // game.suits for card in (view["card"], view["common"])]
        key = game, *ranks, *view["bets"]
        if key not in known:
            known[key] = strategy(game, view)
        return known[key]

    return stored


def searched(simulations: int, runs: int, seed: int) -> Strategy:
    """Return how often the search plays each bet, in runs that each imagine at most this many games."""

    def strategy(game: Poker, view: Json) -> Mapping[str, float]:
        rules: Any = game
        seen = Seen(rules, len(view["bets"][-1]) % 2, view, [{"seats": 2}], game.bets_of(view["bets"]))
        effort = Effort(worlds=simulations // len(seen.moves), candidates=len(seen.moves))
        played = Counter(search(seen, effort, AMPLE, Random(f"{seed} {run} {view}")) for run in range(runs))
        return {bet: played[bet] / runs for bet in seen.moves}

    return by_ranks(strategy)


def exploitability(game: Poker, strategy: Strategy) -> float:
    """Return how much a best response to the strategy gains per game, averaged over both seats."""
    deals = list(permutations(range(game.ranks * game.suits), len(game.sizes) + 1))
    known = dict[tuple[object, ...], Mapping[str, float]]()

    def chances(state: State, seat: Seat) -> Mapping[str, float]:
        view = game.view(state, seat)
        key = seat, view["card"], view["common"], *view["bets"]
        if key not in known:
            known[key] = strategy(game, view)
        return known[key]

    def best(me: Seat, bets: tuple[str, ...], reached: list[tuple[Deal, float]]) -> float:
        """Return the gain over deals that look the same to `me`, each with its chance to get here."""
        if game.is_over(bets):
            return sum(chance * game.gains(State(deal, bets))[me] for deal, chance in reached)
        seat = len(bets[-1]) % 2
        after = {bet: game.apply(State(reached[0][0], bets), Bet(seat, bet)).bets for bet in game.bets_of(bets)}
        if seat == me:
            return max(seen(me, then, reached) for then in after.values())
        return sum(
            seen(me, then, [(deal, chance * chances(State(deal, bets), seat)[bet]) for deal, chance in reached])
            for bet, then in after.items()
        )

    def seen(me: Seat, bets: tuple[str, ...], reached: list[tuple[Deal, float]]) -> float:
        groups = defaultdict[tuple[object, ...], list[tuple[Deal, float]]](list)
        for deal, chance in reached:
            view = game.view(State(deal, bets), me)
            groups[view["card"], view["common"]].append((deal, chance))
        return sum(best(me, bets, group) for group in groups.values())

    return sum(seen(me, ("",), [(deal, 1.0) for deal in deals]) for me in (0, 1)) / len(deals) / 2


class Trace(NamedTuple):
    """A game as OpenSpiel played it."""

    deal: Sequence[int]  # without a common card if it was never shown
    bets: Sequence[str]  # by round
    turns: Sequence[tuple[Seat, str]]  # whose turn it was, and the legal bets
    gains: Sequence[int]


def replayed(game: Poker, trace: Trace) -> Trace:
    """Return the trace of our game with the same cards and bets."""
    unseen = [card for card in range(game.ranks * game.suits) if card not in trace.deal]
    state = State((*trace.deal, *unseen)[: len(game.sizes) + 1], ("",))
    turns = []
    for bet in "".join(trace.bets):
        (seat,) = game.to_act(state)
        turns.append((seat, "".join(game.legal_moves(state, seat))))
        state = game.apply(state, Bet(seat, bet))
    outcome = game.outcome(state)
    return trace._replace(bets=state.bets, turns=turns, gains=outcome.scores if outcome else ())
