"""Nameless tables (option `nameless`): until the end nobody learns from the house who sits where, nor by what habits.

Seats are called by their numbers and show no player; their hours are not those of their people, nor do blocks keep anybody
away: a due time or a refusal would tell who sits there.
"""

from typing import Any

from server.play.table import OVER
from server.rules import Json


def hides_names(head: Json) -> bool:
    """Whether the people of this game are unknown to each other; for good if it never began."""
    return is_nameless(head["options"]) and (head["status"] not in OVER or head["version"] <= 1)


def is_nameless(options: dict[str, Any]) -> bool:
    """By the options of a game."""
    return options.get("nameless") is True
