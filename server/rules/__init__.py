"""The games: pure engines and their data. The rest of the server knows a game by the functions of `Rules` only."""

from collections.abc import Mapping

from server.rules import sternenglanz, sternenhimmel
from server.rules.common import (
    NO_SEAT,
    TAKE_BACKS,
    BadOption,
    Dice,
    Event,
    IllegalMove,
    Json,
    MalformedMove,
    Outcome,
    Place,
    RuleError,
    Rules,
    Seat,
    is_mended,
    mended_options,
    named,
    newest_revision,
    newest_rules,
    object_of,
)
from server.rules.dice import SeededDice, commitment

GAMES: Mapping[str, Rules] = {sternenhimmel.NAME: sternenhimmel, sternenglanz.NAME: sternenglanz}

__all__ = [
    "GAMES",
    "NO_SEAT",
    "TAKE_BACKS",
    "BadOption",
    "Dice",
    "Event",
    "IllegalMove",
    "Json",
    "MalformedMove",
    "Outcome",
    "Place",
    "RuleError",
    "Rules",
    "Seat",
    "SeededDice",
    "commitment",
    "is_mended",
    "mended_options",
    "named",
    "newest_revision",
    "newest_rules",
    "object_of",
]
