"""What a player may plan next: the moves of a turn that has not begun."""

from collections.abc import Sequence
from contextlib import suppress
from functools import reduce
from typing import Any
from uuid import UUID

from server.errors import NotRunning
from server.games import IllegalMove, Json
from server.games.contract import BeginTurn
from server.play.table import OVER
from server.play.views import load_visible, played_seat
from server.translations import noted


def plannable_moves(game_id: UUID, player_id: UUID, planned: Sequence[Any], begun: Sequence[Any]) -> Json:
    """Return the moves that a player may plan after these planned moves and steps, and what the steps would cause.

    No one can know what is legal in a later turn, since other players move first. So these are the moves that would be
    legal if the turn began now, after the planned moves that are possible now. A game that can't begin a turn has none.
    Raise NotFound, NotSeated, NotRunning, HandedOver, MalformedMove, IllegalMove.
    """
    game = load_visible(game_id, player_id)
    rules, seat, dice = game.table.rules, played_seat(game, player_id), game.dice()
    if game.table.status in OVER or not game.table.turns:
        raise NotRunning(noted("You can plan only while the game is running."))
    earlier, steps = ([rules.move_from_json(it) for it in moves] for moves in (planned, begun))
    begin: BeginTurn = getattr(rules, "begin_turn", lambda state, seat: state)

    def foresee(state: Any, move: Any) -> tuple[Any, list[Any], bool]:
        events, would_reveal = rules.preview(state, seat, rules.decide(state, seat, move, dice))
        return reduce(rules.apply, events, state), events, would_reveal

    state = begin(game.table.state, seat)
    for move in earlier:
        with suppress(IllegalMove):  # another player may have made it impossible
            state = begin(foresee(state, move)[0], seat)
    moves = rules.legal_moves(state, seat, steps)
    would, would_reveal = list[Any](), False
    for step in steps:
        if would_reveal:
            break
        state, events, would_reveal = foresee(state, step)
        would += events
    return {
        "turn": None,
        "moves": [
            rules.move_to_json(it) for it in moves if _may_plan(rules, game.table.state, seat, [*earlier, *steps], it)
        ],
        "foresight": {
            "would": [told for event in would if (told := rules.tell(event, seat)) is not None],
            "view": rules.view(state, seat),
            "would_reveal": would_reveal,
        },
    }


def _may_plan(rules: Any, state: Any, seat: int, earlier: Sequence[Any], move: Any) -> bool:
    try:
        rules.check_planned(state, seat, earlier, move)
    except IllegalMove:
        return False
    return True
