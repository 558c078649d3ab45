"""The game Sternenhimmel. Section numbers in this folder refer to the rules.

- `material.py` (1, 7): stars and boards, with checks of a set of boards
- `options.py` (8): options and editions
- `moves.py`, `notation.py`, `spoken.py`: placements as values, as JSON, as text and in a player's own words
- `state.py` (3): the state, and the events with their effects
- `scoring.py` (5, 6): scores and payments of a full board
- `rules.py` (2 to 9): setup, turns and end
- `views.py` (10): the view of each seat
- `schemas.py`: moves, views and events as JSON Schemas
- `judge.py`: the value of a placement, for bots, and the aim and the reasons of a hint
- `resample.py`: random game states that are possible for a seat, for bots that search
- `sentences.py`, `table.py`, `ending.py`, `picture.py`, `refusals.py`, `rule_values.py`: the game in words and pictures
"""

from server.games.contract import Json
from server.games.sternenhimmel.ending import decision, final_table, final_view, own_result
from server.games.sternenhimmel.judge import advise, aim, judge, reasons
from server.games.sternenhimmel.material import (
    BLACK_HOLE,
    BOARDS,
    DOUBLE_STAR,
    FACE_VALUES,
    NAME,
    SEATS,
    STAR_SET,
    STARS,
    Board,
)
from server.games.sternenhimmel.moves import Placement, move_from_json, move_to_json
from server.games.sternenhimmel.notation import read_move, write_move
from server.games.sternenhimmel.options import EDITIONS, OPTION_SCHEMA, resolve_options
from server.games.sternenhimmel.picture import draw, fullness, with_news, with_result
from server.games.sternenhimmel.refusals import NOTATION_HELPS, REFUSALS
from server.games.sternenhimmel.resample import resample
from server.games.sternenhimmel.rule_values import TERMS, rule_values
from server.games.sternenhimmel.rules import (
    begin_turn,
    check_planned,
    decide,
    is_mid_turn,
    legal_moves,
    outcome,
    setup,
    to_act,
)
from server.games.sternenhimmel.schemas import EVENT_SCHEMAS, MOVE_SCHEMA, VIEW_SCHEMA
from server.games.sternenhimmel.sentences import (
    SENTENCES,
    first_turn,
    introduction,
    legend,
    notation,
    tell_move,
    usual_minutes,
    usual_turns,
)
from server.games.sternenhimmel.spoken import (
    fault,
    fitting_moves,
    known_words,
    meant_moves,
    read_spoken,
    strange_word,
    write_spoken,
)
from server.games.sternenhimmel.state import EVENTS, apply
from server.games.sternenhimmel.table import table
from server.games.sternenhimmel.views import example, move_of, place, preview, reveals, tell, view

PRESET, SCORE = "edition", "coins"
ASIDE = frozenset({"board-dealt"})


def describe() -> Json:
    """Return what a client needs to know about this game, as JSON."""
    placement = Placement("7", "leo", "c")
    return {
        "name": NAME,
        "seats": list(SEATS),
        "options": OPTION_SCHEMA,
        "editions": {edition: dict(values) for edition, values in EDITIONS.items()},
        "boards": [_described(board) for board in BOARDS.values()],
        "stars": [_described_star(star) for star in STARS],
        "move": MOVE_SCHEMA,
        "view": VIEW_SCHEMA,
        "events": dict(EVENT_SCHEMAS),
        "notation": {
            "form": "star board space",
            "text": "Write the star, the constellation and the space in one line. The constellation's abbreviation "
            "is enough. You can use capital or small letters.",
            "examples": [
                {"text": write_move(placement), "move": move_to_json(placement)},
                {"text": "d Cnc a", "move": move_to_json(Placement(DOUBLE_STAR, "cancer", "a"))},
            ],
        },
    }


def _described(board: Board) -> Json:
    return {
        "id": board.id,
        "abbr": board.abbr,
        "latin": board.latin,
        "name": dict(board.names),
        "prizes": {"first": board.first, "second": board.second},
        "spaces": [{"id": space, **room._asdict()} for space, room in board.spaces.items()],
        "lines": [list(line) for line in board.lines],
    }


def _described_star(star: str) -> Json:
    name = {BLACK_HOLE: "black hole", DOUBLE_STAR: "double star"}.get(star, star)
    return {"star": star, "name": name, "value": FACE_VALUES[star], "per_seat": STAR_SET.count(star)}
