"""The moves that a hint suggests. A review compares the player's move with the first of them.

The view alone seeds the search. So a review of a move finds what a hint before that move has suggested. Of moves with the
same effect, such as moves with copies of a card, only one is compared. Of moves with the same aim, only the best is
suggested. A move that is much worse than the best is left out.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from random import Random
from typing import Any, Final

import orjson

from server.bots.search import Compared, Seen, compare
from server.games import Rules
from server.games.contract import Aim, Effect, Effort, Judge

ONE_TURN_AHEAD: Final = Effort(worlds=4, candidates=4)
TO_THE_END: Final = Effort(worlds=24, candidates=4)  # a quarter of a second; with 4 worlds, most moves seem equal
SECONDS: Final = 1.8  # of CPU time; a search that needs more finds other moves each time, and no position should

MOVES: Final = 3
CLOSEST: Final = 2  # moves that are compared even if they have the same aim
LEAST: Final = 0.5  # points
NOTABLE: Final = 1.5  # points; a difference as large is named even if it may be an error of the estimate
# Points behind the best move from which hints leave a move out, unless the game sets its own `MUCH`
MUCH: Final = 10


def effort(rules: Rules) -> Effort:
    return ONE_TURN_AHEAD if hasattr(rules, "assess") else TO_THE_END


def suggested(seen: Seen, effort: Effort, seconds: float) -> Sequence[Compared]:
    """Return the moves compared, best first. In games with aims, each has another one."""
    moves = _distinct(seen.moves, partial(effect, seen.rules))
    rng = Random(orjson.dumps(seen.view, option=orjson.OPT_SORT_KEYS))
    find: Aim | None = getattr(seen.rules, "aim", None)
    judge: Judge | None = getattr(seen.rules, "judge", None)
    if find is None or judge is None:
        return compare(seen._replace(moves=moves), effort, seconds, rng)
    aim = find(seen.view)
    rng.shuffle(moves)
    moves.sort(key=judge(seen.view), reverse=True)
    varied = [*dict.fromkeys([*moves[:CLOSEST], *_distinct(moves, aim)])]
    compared = compare(seen._replace(moves=varied[: effort.candidates]), effort, seconds, rng)
    return _distinct(compared, lambda it: aim(it.move))


def _distinct(items: Iterable[Any], key: Callable[[Any], Any]) -> list[Any]:
    """Return the first item for each key."""
    found = dict[Any, Any]()
    for it in items:
        found.setdefault(key(it), it)
    return [*found.values()]


def effect(rules: Rules, move: Any) -> Any:
    """Return a value that is equal for moves with the same effect."""
    find: Effect | None = getattr(rules, "effect", None)
    return find(move) if find else move


def as_good(compared: Sequence[Compared]) -> Sequence[Any]:
    """Return the moves of a hint that it calls the best or about equal to the best."""
    best = compared[0]
    return [it.move for it in compared[:MOVES] if it is best or not is_clear(best.gain - it.gain, it.margin)]


def is_clear(gain: float, margin: float | None) -> bool:
    """Return whether a move is clearly better than another by this gain. Otherwise, or if the margin of error is
    unknown, the two are about equal."""
    return margin is not None and gain > max(LEAST, margin)


def is_behind(behind: float, margin: float | None) -> bool:
    """Return whether a player should learn that a move is behind the best: clearly, or probably by much."""
    return is_clear(behind, margin) or behind >= NOTABLE


def is_much_worse(rules: Rules, behind: float, margin: float) -> bool:
    """Return whether a move is so far behind the best that it is no suggestion."""
    return is_clear(behind, margin) and behind >= getattr(rules, "MUCH", MUCH)
