"""The games, one folder each. The rest of the server uses only `Game` in `contract.py`."""

from server.games.contract import Dice, Event, Game, Json, Outcome, Place, Rules, Seat
from server.games.dice import SeededDice, commitment
from server.games.errors import BadOption, IllegalMove, MalformedMove, RuleError
from server.games.registry import GAMES
from server.games.schemas import (
    NO_SEAT,
    TAKE_BACKS,
    has_fix,
    named,
    newest_revision,
    newest_rules,
    object_of,
    revision_option,
)
from server.games.standing import standing, without_undone
