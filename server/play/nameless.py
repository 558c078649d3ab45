"""Nameless tables (option `nameless`): until the end nobody learns from the house who sits where, nor by what habits.

Seats are called by their numbers and show no player; their hours are not those of their people, nor do blocks keep anybody
away: a due time or a refusal would tell who sits there.
"""

from collections.abc import Mapping
from typing import Any

from server.play.table import OVER


def hides_names(options: Any, status: str, version: int) -> bool:
    """Return whether the players of such a game are unknown to each other; for good if it never began."""
    return is_nameless(options) and (status not in OVER or version <= 1)


def is_nameless(options: Any) -> bool:
    """By the options of a game; those that can't be read hide names, in case they said so."""
    return not isinstance(options, Mapping) or options.get("nameless", False) is not False
