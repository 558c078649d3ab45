"""The moves that a hint suggests. A review compares the player's move with the first of them.

The view alone seeds the search. So a review of a move finds what a hint before that move has suggested.
"""

from collections.abc import Sequence
from random import Random
from typing import Final

import orjson

from server.bots.search import Compared, Effort, Seen, compare

EFFORT: Final = Effort(worlds=4, candidates=4)
SECONDS: Final = 1.0  # of CPU time; a search that needs more finds other moves each time, and no position should


def suggested(seen: Seen, effort: Effort, seconds: float) -> Sequence[Compared]:
    """Return the moves compared, best first."""
    return compare(seen, effort, seconds, Random(orjson.dumps(seen.view, option=orjson.OPT_SORT_KEYS)))
