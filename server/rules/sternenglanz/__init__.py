"""Sternenglanz. R and S numbers in this package are those of the game's specification.

material.py  R1, S3     the board, the cards, and what their data files must be like
options.py   S1         what a table agrees on
moves.py     R13        steps and moves: values, JSON, one line
state.py     R2         the state, the events, and what each event makes of it
actions.py   R5, R7     the four actions
figures.py   R8.1       does a Sternbild lie on the Firmament?
turn.py      R3 - R11   the game from its set-up to its end
views.py     R12        who may know what
schemas.py              moves, views and events as JSON Schemas
"""

from server.rules.common import Json
from server.rules.sternenglanz.material import CARDS_DATA, FIRMAMENT_DATA, SEATS
from server.rules.sternenglanz.moves import EXAMPLES, NOTATION, move_from_json, move_to_json, read_move, write_move
from server.rules.sternenglanz.options import OPTION_SCHEMA, resolve_options
from server.rules.sternenglanz.schemas import EVENT_SCHEMAS, MOVE_SCHEMA, VIEW_SCHEMA
from server.rules.sternenglanz.state import EVENTS, apply
from server.rules.sternenglanz.turn import check_planned, decide, is_mid_turn, legal_moves, outcome, setup, to_act
from server.rules.sternenglanz.views import move_of, place, preview, reveals, tell, view

NAME = "sternenglanz"


def describe() -> Json:
    """All that a client needs to know of this game, as plain JSON."""
    return {
        "name": NAME,
        "seats": list(SEATS),
        "options": OPTION_SCHEMA,
        "editions": {f"scenario-{it['id']}": {"scenario": it["id"]} for it in CARDS_DATA["scenarios"]},
        "firmament": FIRMAMENT_DATA,
        "cards": CARDS_DATA,
        "move": MOVE_SCHEMA,
        "view": VIEW_SCHEMA,
        "events": dict(EVENT_SCHEMAS),
        "notation": {
            "form": "step; step; ...",
            "text": NOTATION,
            "examples": [{"text": text, "move": move_to_json(read_move(text))} for text in EXAMPLES],
        },
    }


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
