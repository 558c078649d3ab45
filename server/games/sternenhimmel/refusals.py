"""The reasons why Sternenhimmel's rules refuse a move, by code, for translation."""

from collections.abc import Mapping

from server.games.errors import IllegalMove, MalformedMove, RuleError
from server.translations import noted

NOTATION_HELPS = frozenset({"not-a-placement", "unknown-star", "unknown-board"})
REFUSALS: Mapping[type[RuleError], Mapping[str, str]] = {
    IllegalMove: {
        "board-not-in-play": noted("This constellation isn't in play."),
        "unknown-space": noted("This constellation has no such space."),
        "space-taken": noted("This space already holds a star."),
        "star-not-in-hand": noted("You don't have this star in your hand."),
    },
    MalformedMove: {
        "unknown-space": noted("This constellation has no such space."),
        "not-a-placement": noted("This can't be read as a move."),
        "unknown-star": noted("This star doesn't exist."),
        "unknown-board": noted("This constellation doesn't exist."),
    },
}
