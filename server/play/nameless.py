"""Anonymous games (option `nameless`). Until the end, the server doesn't reveal which player has which seat. Seats are
called by number. Players' calendars and blocks don't apply, since a due time or a rejection would reveal the
players."""

from collections.abc import Mapping
from typing import Any

from server.play.table import OVER


def hides_names(options: Any, status: str, version: int) -> bool:
    """Return whether the players of this game are anonymous. If the game never began, they remain anonymous."""
    return is_nameless(options) and (status not in OVER or version <= 1)


def is_nameless(options: Any) -> bool:
    """Return whether these options make a game anonymous. Unreadable options count as anonymous."""
    return not isinstance(options, Mapping) or options.get("nameless", False) is not False
