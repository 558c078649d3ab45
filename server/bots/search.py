"""A bot that looks ahead in worlds: game states that are possible after all that its seat has seen. It knows a game
only through its contract.

The game's judge values moves. The bot compares the moves with the highest values in the same worlds, so that chance
favours none of them. In each world it plays the move. Then every seat plays for itself (max-n): it plays the move that
the judge advises for that seat's view. This goes on until the bot's seat has had another turn. A move is worth what the
bot's seat gains in that time, minus the average gain of the others. If the game ends, only the win counts.
"""

from collections.abc import Sequence
from functools import reduce
from random import Random
from time import process_time
from typing import Any, NamedTuple

from server.games import Json, Outcome, Rules, Seat

WIN = 100.0  # more than a judge gives for any move


class Seen(NamedTuple):
    """All that a bot gets: its seat's view, the events that its seat was shown, and its legal moves."""

    rules: Rules
    seat: Seat
    view: Json
    story: Sequence[Json]
    moves: Sequence[Any]


class Effort(NamedTuple):
    """The effort of a bot per move: the number of worlds, and how many of the judge's best moves it compares."""

    worlds: int
    candidates: int


class _PrivateDice:
    """Dice for imagined worlds, independent of the game's own dice."""

    def __init__(self, rng: Random) -> None:
        self.below = rng.randrange
        self._rng = rng

    def shuffled(self, things: Any) -> list[Any]:
        order = list(things)
        self._rng.shuffle(order)
        return order


def standing(story: Sequence[Json]) -> list[Json]:
    """Return the events of a story that were not taken back."""
    found = list[Json]()
    for it in story:
        if it["type"] == "move-taken-back":
            found = [earlier for earlier in found if earlier["version"] <= it["to"]]
        else:
            found.append(it)
    return found


def search(seen: Seen, effort: Effort, seconds: float, rng: Random) -> Any:
    """Return the move that does best in sampled worlds, after at most this many seconds of CPU time.

    The game may lack a judge or `resample`. Without `resample`, the bot plays the move that the judge prefers, and
    without a judge any move.
    """
    end = process_time() + seconds
    judge, sample = getattr(seen.rules, "judge", None), getattr(seen.rules, "resample", None)
    if judge is None or len(seen.moves) == 1:
        return rng.choice(seen.moves)
    worth = judge(seen.view)
    judged = sorted(((worth(move), rng.random(), move) for move in seen.moves), key=lambda it: it[:2], reverse=True)
    candidates = [(value, move) for value, _, move in judged[: effort.candidates]]
    total, worlds = [0.0] * len(candidates), 0
    while sample is not None and worlds < effort.worlds:
        try:
            world, dice = sample(seen.view, seen.story, seen.seat, _PrivateDice(rng)), rng.random()
        except (LookupError, TypeError, ValueError):  # a seat that was taken over lacks a part of its story
            break
        gains = list[float]()
        for value, move in candidates:
            if process_time() > end:
                return _best(candidates, total, worlds)  # an unfinished world would be unfair
            gains.append(value + _gain_after(seen, world, move, _PrivateDice(Random(dice))))
        total, worlds = [had + gain for had, gain in zip(total, gains, strict=True)], worlds + 1
    return _best(candidates, total, worlds)


def _best(candidates: Sequence[tuple[float, Any]], total: Sequence[float], worlds: int) -> Any:
    """Return the move with the highest total, or without worlds the judge's best one. Equals are in random order."""
    gains = total if worlds else [value for value, _ in candidates]
    return candidates[gains.index(max(gains))][1]


def _gain_after(seen: Seen, state: Any, move: Any, dice: _PrivateDice) -> float:
    """Return how much the seat gains on the others after its move, until the end of the seat's next turn or of the
    game. The move itself doesn't count."""
    rules, seat, others = seen.rules, seen.seat, seen.story[0]["seats"] - 1
    gain, before, has_had_turn = 0.0, seat, False
    state = reduce(rules.apply, rules.decide(state, seat, move, dice), state)
    while waiting := rules.to_act(state):
        on_turn = min(waiting)
        if has_had_turn and on_turn != seat:
            return gain
        has_had_turn |= on_turn == seat != before
        before = on_turn
        move, value = _advised(rules, state, on_turn)
        gain += value if on_turn == seat else -value / others
        state = reduce(rules.apply, rules.decide(state, on_turn, move, dice), state)
    outcome = rules.outcome(state)
    assert outcome is not None
    return gain + _share(outcome, seat)


def _share(outcome: Outcome, seat: Seat) -> float:
    won = (outcome.places[seat] == 1) / outcome.places.count(1)
    return WIN * (won - 1 / len(outcome.places))


def _advised(rules: Any, state: Any, seat: Seat) -> tuple[Any, float]:
    """Return a pair: the move that the judge advises a seat to play, and its value."""
    worth, best, most = rules.judge(rules.view(state, seat)), None, float("-inf")
    for move in rules.legal_moves(state, seat):
        value = worth(move)
        if value > most:
            best, most = move, value
    return best, most
