"""The moves that a hint suggests. A review compares the player's move with the first of them.

The view alone seeds the search. So a review of a move finds what a hint before that move has suggested.
"""

from collections.abc import Sequence
from random import Random
from typing import Final

import orjson

from server.bots.search import Compared, Effort, Seen, compare
from server.games import Rules

ONE_TURN_AHEAD: Final = Effort(worlds=4, candidates=4)
TO_THE_END: Final = Effort(worlds=24, candidates=4)  # a quarter of a second; with 4 worlds, most moves seem equal
SECONDS: Final = 1.8  # of CPU time; a search that needs more finds other moves each time, and no position should


def effort(rules: Rules) -> Effort:
    return ONE_TURN_AHEAD if getattr(rules, "ONE_TURN_AHEAD", False) else TO_THE_END


def suggested(seen: Seen, effort: Effort, seconds: float) -> Sequence[Compared]:
    """Return the moves compared, best first."""
    return compare(seen, effort, seconds, Random(orjson.dumps(seen.view, option=orjson.OPT_SORT_KEYS)))
