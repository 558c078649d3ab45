"""The game Sternenglanz. R and S numbers in this folder refer to the rules.

- `material.py` (R1, S3): the board and the cards, with checks of their data files
- `options.py` (S1): the options of a game
- `moves.py`, `notation.py` (R13): steps and moves as values, as JSON and as text
- `spoken.py`: moves as text in a reader's own words
- `state.py` (R2): the state, and the events with their effects
- `actions.py` (R5, R7): the four actions
- `figures.py` (R8.1): the search for a Sternbild on the Firmament
- `rules.py` (R3 to R11): set-up, turns and end
- `views.py` (R12): the view of each seat
- `schemas.py`: moves, views and events as JSON Schemas
- `chances.py`: what the stars offer to those who move next
- `judge.py`: the value of a step, for bots, and the aim and the reasons of a hint
- `resample.py`: random game states that are possible for a seat, for bots that search
- `sentences.py`, `table.py`, `picture.py`, `cards.py`, `pieces.py`, `names.py`, `refusals.py`, `rule_values.py`: words and pictures
"""

from server.games.contract import Effort, Json
from server.games.sternenglanz.judge import advise, aim, assess, judge, reasons
from server.games.sternenglanz.material import CARDS_DATA, FIRMAMENT_DATA, NAME, SEATS
from server.games.sternenglanz.moves import effect, move_from_json, move_to_json
from server.games.sternenglanz.notation import EXAMPLES, NOTATION, NOTATION_LINES, read_move, write_move
from server.games.sternenglanz.options import OPTION_SCHEMA, resolve_options
from server.games.sternenglanz.picture import draw, fullness, thumbnail, with_news, with_result
from server.games.sternenglanz.refusals import NOTATION_HELPS, REFUSALS
from server.games.sternenglanz.resample import resample
from server.games.sternenglanz.rule_values import TERMS, rule_values
from server.games.sternenglanz.rules import (
    begin_turn,
    check_planned,
    decide,
    is_mid_turn,
    later_moves,
    legal_moves,
    outcome,
    setup,
    to_act,
    without_needless,
)
from server.games.sternenglanz.schemas import EVENT_SCHEMAS, MOVE_SCHEMA, OWN_NAMES, VIEW_SCHEMA
from server.games.sternenglanz.sentences import (
    SENTENCES,
    figure_in_words,
    first_turn,
    introduction,
    legend,
    notation,
    rest_of_turn,
    tell_move,
    usual_minutes,
    usual_turns,
)
from server.games.sternenglanz.spoken import (
    fault,
    fitting_moves,
    known_words,
    meant_moves,
    named_moves,
    read_spoken,
    spoken_words,
    strange_word,
    write_spoken,
)
from server.games.sternenglanz.state import EVENTS, apply
from server.games.sternenglanz.table import decision, final_table, own_result, table
from server.games.sternenglanz.views import example, move_of, place, preview, reveals, tell, view

PRESET, SCORE = "scenario", "points"
ASIDE = frozenset(
    {
        *("hand-dealt", "sternbild-drawn", "sternbild-turned-up", "turn-began", "cards-chosen", "cards-shifted"),
        *("cards-laid", "cards-drawn", "discards-shuffled"),
    }
)
MOVES_ASIDE = frozenset({"cards-chosen", "cards-laid"})
RETOLD = {"cards-chosen": "choices-shown"}
# Someone who only takes the most points at once won 78 % of 60 games for two against a slack of 0.8, 23 % against 0.7,
# and 7 % against 0.65. For two, a level scores 4 to 7 points more than the average of its games against the one below.
LEVELS = {
    "level-1": Effort(slack=0.8),
    "level-2": Effort(slack=0.7),
    "level-3": Effort(slack=0.57),
    "level-4": Effort(worlds=0.1, candidates=2),
    "level-5": Effort(worlds=1, candidates=2),
    "level-6": Effort(worlds=4, candidates=4),
}
MUCH = 3  # points; a game is won with 15 or 30


def describe() -> Json:
    """Return what a client needs to know about this game, as JSON."""
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
            "text": NOTATION % NOTATION_LINES,
            "examples": [{"text": text, "move": move_to_json(read_move(text))} for text in EXAMPLES],
        },
    }
