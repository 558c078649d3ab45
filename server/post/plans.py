"""Sentences about a plan, in emails to the player who made it."""

from datetime import datetime
from zoneinfo import ZoneInfo

from flask_babel import gettext

from server.games import Json
from server.games.presentation import write_move
from server.play.game import Game
from server.post.wording import moment, spoken
from server.translations import noted


def plan_sentence(plan: Json, game: Game) -> str:
    """Return a sentence that lists the remaining moves of a plan, or "" if no moves remain."""
    if not plan["moves"]:
        return ""
    condition = gettext("with a condition")
    moves = [_written(it["move"], game) + (f" ({condition})" if it["if"] else "") for it in plan["moves"]]
    told = gettext(
        "Planned for your next turns: %(moves)s. We play each move on its turn if it's allowed. If you move "
        "yourself, the plan is cancelled.",
        moves="; ".join(moves),
    )
    return str(told)


def outcome_sentence(plan: Json | None, game: Game, zone: ZoneInfo) -> str:
    """Return whether the planned move for this turn is being delayed, or why the plan was cancelled. Return "" if there
    is no plan."""
    if not plan:
        return ""
    move, at = _written(plan["move"], game), ""
    if "at" in plan:
        at = moment(datetime.fromisoformat(plan["at"]), zone)
    return str(gettext(_BECAME[plan.get("because", "waits")], move=move, at=at))


_BECAME = {
    "waits": noted("As you planned, we'll play %(move)s at %(at)s, unless you move first."),
    "condition": noted("You planned %(move)s, but its condition isn't met, so your plan was cancelled."),
    "illegal-move": noted("You planned %(move)s, but it isn't allowed now, so your plan was cancelled."),
    "taken-back": noted("You planned %(move)s, but a move was taken back, so your plan was cancelled."),
    "moved": noted("You planned %(move)s, but you played a different move, so your plan was cancelled."),
}


def _written(move: Json, game: Game) -> str:
    rules = game.table.rules
    return write_move(rules, rules.move_from_json(move), spoken().locale)
