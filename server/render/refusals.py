"""What is told to whoever wrote a move: how one writes it, and why the rules refused it."""

from collections.abc import Mapping

from server.render.games import NOTATIONS
from server.rules import RuleError
from server.translations import language, noted


def notation(rules_name: str, locale: str) -> str:
    """How a move of this game is written, in a few sentences."""
    return NOTATIONS[rules_name](language(locale))


def refused(error: RuleError, locale: str) -> str:
    """Why the rules refused. The engine says it in English, and more exactly; in other languages it is told by code."""
    return error.text if locale == "en" else language(locale).gettext(REASONS[error.code])


def refusal(rules_name: str, error: RuleError, locale: str) -> str:
    """Why the rules refused, for whoever wrote a line: with the notation where that helps."""
    why = refused(error, locale)
    return f"{why} {notation(rules_name, locale)}" if locale != "en" and error.code in _NOTATION_HELPS else why


_NOTATION_HELPS = {"not-a-placement", "unknown-star", "unknown-board", "not-a-step"}
REASONS: Mapping[str, str] = {
    # moves that the rules of either game forbid
    "game-over": noted("The game is over."),
    "not-your-turn": noted("It is not your turn."),
    # Sternenhimmel
    "board-not-in-play": noted("This board is not in play."),
    "unknown-space": noted("This board has no such space."),
    "space-taken": noted("This space already holds a star."),
    "star-not-in-hand": noted("You do not have this star in your hand."),
    # Sternenglanz
    "wrong-phase": noted("This step cannot be taken now."),
    "reveals": noted("The step before may show you something new: play as far as that, and look first."),
    "bad-cards": noted("These cards cannot be chosen or laid like this."),
    "too-few-actions": noted("A turn takes a pair of slots, or all three."),
    "slot-not-open": noted("This slot is not open now."),
    "must-act": noted("A slot that can be performed must not lapse."),
    "wrong-action": noted("The card on this slot cannot do that."),
    "no-supply": noted("There is none left in the supply."),
    "not-adjacent": noted("No star lies next to this field."),
    "needs-3": noted("A splendid star needs more stars beside it."),
    "ban": noted("A star of this class cannot be laid and removed on the same field in one turn."),
    "occupied": noted("This field is not free."),
    "empty": noted("No star lies on this field."),
    "immovable": noted("What lies on this field cannot be moved or removed."),
    "wrong-length": noted("This card moves a star over another number of lines."),
    "no-line": noted("No line joins these fields."),
    "blocked": noted("The way is not free."),
    "line-twice": noted("A line can be passed only once in a turn."),
    "back-home": noted("The star rested on this field in this turn already."),
    # what is no move at all
    "not-a-placement": noted("This is not a move of this game."),
    "not-a-move": noted("This is not a move of this game."),
    "not-a-step": noted("This is not a step of a turn."),
    "unknown-star": noted("There is no such star."),
    "unknown-board": noted("There is no such board."),
    "bad-steps": noted("A move has fewer steps."),
    "no-such-card": noted("There is no such card."),
    "no-such-slot": noted("There is no such slot; the slots are 1, 2 and 3."),
    "no-such-class": noted("There is no such class of stars."),
    "no-such-field": noted("There is no such field on the Firmament."),
    "not-an-object": noted("A move is a JSON object, as the schema in GET /v1/rules/{name} has it."),
    "missing-field": noted("The move lacks a field; GET /v1/rules/{name} has the schema of moves."),
    "unknown-field": noted("The move has a field too many; GET /v1/rules/{name} has the schema of moves."),
    "wrong-type": noted("A field of the move has the wrong type; GET /v1/rules/{name} has the schema of moves."),
    "unknown-step": noted("The `cmd` of a step is choose, act, finish or lay."),
    "unknown-action": noted("An action does one of lay, move, remove, nova, lapse."),
    # a game that cannot be opened like this
    "bad-seats": noted("The game is not for so many players."),
    "unknown-option": noted("The game has no such option; GET /v1/rules/{name} lists them."),
    "bad-option": noted("An option cannot have this value; GET /v1/rules/{name} lists the values."),
    "bad-path": noted("A path has two or more fields, the star's own first."),
}
