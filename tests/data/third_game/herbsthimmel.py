"""A third game with rules alone: Sternenhimmel under another name, without its words, pictures and judge."""

from typing import Any

from server.games import sternenhimmel
from server.games.sternenhimmel import (
    EVENT_SCHEMAS,
    EVENTS,
    MOVE_SCHEMA,
    OPTION_SCHEMA,
    SEATS,
    VIEW_SCHEMA,
    apply,
    check_planned,
    decide,
    is_mid_turn,
    legal_moves,
    move_from_json,
    move_of,
    move_to_json,
    outcome,
    place,
    preview,
    read_move,
    resolve_options,
    reveals,
    setup,
    tell,
    to_act,
    view,
    write_move,
)

NAME = "herbsthimmel"


def describe() -> dict[str, Any]:
    return {**sternenhimmel.describe(), "name": NAME}


__all__ = [
    "EVENTS",
    "EVENT_SCHEMAS",
    "MOVE_SCHEMA",
    "NAME",
    "OPTION_SCHEMA",
    "SEATS",
    "VIEW_SCHEMA",
    "apply",
    "check_planned",
    "decide",
    "describe",
    "is_mid_turn",
    "legal_moves",
    "move_from_json",
    "move_of",
    "move_to_json",
    "outcome",
    "place",
    "preview",
    "read_move",
    "resolve_options",
    "reveals",
    "setup",
    "tell",
    "to_act",
    "view",
    "write_move",
]
