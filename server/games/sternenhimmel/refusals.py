"""The reasons why Sternenhimmel's rules refuse a move, by code, for translation."""

from collections.abc import Mapping

from server.translations import noted

NOTATION_HELPS = frozenset({"not-a-placement", "unknown-star", "unknown-board"})
REFUSALS: Mapping[str, str] = {
    "board-not-in-play": noted("This board is not in play."),
    "unknown-space": noted("This board has no such space."),
    "space-taken": noted("This space already holds a star."),
    "star-not-in-hand": noted("You do not have this star in your hand."),
    "not-a-placement": noted("This is not a move of this game."),
    "unknown-star": noted("There is no such star."),
    "unknown-board": noted("There is no such board."),
}
