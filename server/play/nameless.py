"""Anonymous games (option `nameless`), in which the server doesn't reveal who sits where until the end. Seats are
called by number and show no player. Players' calendars and blocks don't apply, since a due time or a rejection would
reveal them.
"""

from collections.abc import Mapping
from typing import Any

from server.play.table import OVER


def hides_names(options: Any, status: str, version: int) -> bool:
    """Return whether the players of this game are anonymous, permanently if it never began."""
    return is_nameless(options) and (status not in OVER or version <= 1)


def is_nameless(options: Any) -> bool:
    """Return whether these options hide names. Unreadable options count as hiding names."""
    return not isinstance(options, Mapping) or options.get("nameless", False) is not False
