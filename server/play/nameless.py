"""Nameless tables (option `nameless`): until the end nobody learns from the house who sits where, nor by what habits.

Seats are called by their numbers and show no player; their hours are not those of their people, nor do blocks keep anybody
away: a due time or a refusal would tell who sits there.
"""

from collections.abc import Sequence
from typing import Any

from server.play.table import OVER
from server.rules import Json

_HOURS_OF_ALL: Json = {"zone": "UTC", "calendar": {}}


def hides_names(head: Json) -> bool:
    """Whether the people of this game are unknown to each other; for good if it never began."""
    return is_nameless(head["options"]) and (head["status"] not in OVER or head["version"] <= 1)


def is_nameless(options: dict[str, Any]) -> bool:
    """By the options of a game."""
    return options.get("nameless") is True


def on_equal_hours(head: Json, seats: Sequence[Json]) -> Sequence[Json]:
    """The seats, with which times are reckoned: at a nameless table every hour counts for everybody."""
    return [row | _HOURS_OF_ALL for row in seats] if is_nameless(head["options"]) else seats
