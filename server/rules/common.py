"""`Rules`, what a game brings, with the words and errors that all games share."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

Seat = int
Json = dict[str, Any]


def object_of(description: str, required: Json, optional: Json | None = None) -> Json:
    """The JSON Schema of an object with these fields and no others."""
    return {
        "description": description,
        "type": "object",
        "additionalProperties": False,
        "required": list(required),
        "properties": {**required, **(optional or {})},
    }


def named(name: str, schema: Json) -> Json:
    """The same JSON Schema with a name of its own, by which the programs of others know what it describes."""
    return {"title": name, **schema}


# Always null; with the type of other events' seats, since generators of clients have no word for null alone.
NO_SEAT: Json = {"description": "null: it is no seat's", "type": ["integer", "null"]}
TAKE_BACKS = ("consent", "free", "never")  # the default first
TAKE_BACK: Json = {
    "description": "An option of the house, for every game: when somebody may take a move back. consent: at once while "
    "nobody else has acted since and it has shown its player nothing new, otherwise if all who play themselves consent; "
    "free: at once, or not at all; never: not at all",
    "enum": list(TAKE_BACKS),
    "default": TAKE_BACKS[0],
}
READY_CHECK: Json = {
    "description": "An option of the house, for every game: whether all say that they are ready before it begins; null: it begins "
    "with the last seat",
    "anyOf": [
        named(
            "ReadyCheck",
            object_of(
                "Everybody says that he is ready, or his seat is open again",
                {
                    "within": {
                        "description": "How long he has, by his hours: ISO 8601, from an hour (PT1H) to 30 days (P30D)",
                        "type": "string",
                        "pattern": "^P[0-9DTHM]{2,20}$",
                        "examples": ["P2D"],
                    }
                },
            ),
        ),
        {"type": "null"},
    ],
    "default": None,
}
NAMELESS: Json = {
    "description": "An option of the house, for every game: whether all seats go by their numbers until the end, so that nobody "
    "learns who sits where. Time runs in nights and on days off, too, and blocks keep nobody away: both would tell it",
    "type": "boolean",
    "default": False,
}
# Games that were opened without them do not name them.
HOUSE_OPTIONS: Mapping[str, Json] = {"take_back": TAKE_BACK, "ready_check": READY_CHECK, "nameless": NAMELESS}


def mended_options(revision: int) -> Json:
    """The option by which games know the rules that they began with, once so many faults of these have been mended."""
    if not revision:
        return {}
    meaning = (
        "How many faults of the rules had been mended when the game was opened; by these rules it is played to its end. "
        "A new game has the newest, whatever is named here"
    )
    return {"revision": {"description": meaning, "type": "integer", "minimum": 0, "maximum": revision}}


def newest_revision(rules: "Rules") -> int:
    """How many faults of these rules have been mended."""
    return _newest_in(rules.OPTION_SCHEMA)


def _newest_in(schema: Json) -> int:
    newest: int = schema["properties"].get("revision", {}).get("maximum", 0)
    return newest


def newest_rules(rules: "Rules") -> Json:
    """What a new game adds to its options, so that it is played by the rules as they are."""
    newest = newest_revision(rules)
    return {"revision": newest} if newest else {}


def is_mended(options: Mapping[str, Any], revision: int) -> bool:
    """Whether a game of these options was opened when the fault with this number had been mended. Where it was not, the rules
    go on as they were: the game began with them, and its log must follow from them when it is asked again."""
    return bool(options.get("revision", 0) >= revision)


NOBODY: frozenset[Seat] = frozenset()
ALONE = [frozenset((seat,)) for seat in range(5)]  # whom `to_act` names in most states, made once


class RuleError(Exception):
    """A request that the rules turn down: a stable `code` for programs and a sentence for people."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class IllegalMove(RuleError):
    """A well-formed move that the rules forbid."""


class MalformedMove(RuleError):
    """Something that is no move of this game at all."""


class BadOption(RuleError):
    """An option, or a number of seats, that this game does not have."""


def check_house_options(options: Mapping[str, Any], schema: Json) -> None:
    """Raises BadOption for what their schema does not allow and no `enum` says."""
    if type(options.get("nameless", False)) is not bool:
        raise BadOption("bad-option", "The option nameless must be one of false, true.")
    asked = options.get("ready_check")
    within = asked.get("within") if type(asked) is dict and len(asked) == 1 else None
    if asked is not None and (type(within) is not str or not re.fullmatch(r"P[0-9DTHM]{2,20}", within)):
        raise BadOption("bad-option", 'The option ready_check must be like {"within": "P2D"}, or null.')
    newest = _newest_in(schema)
    revision = options.get("revision", 0)
    if type(revision) is not int or not 0 <= revision <= newest:
        raise BadOption("bad-option", f"The option revision must be a whole number from 0 to {newest}.")


class Outcome(NamedTuple):
    """How a game ended; places count 1, 1, 3 where seats share one."""

    scores: tuple[int, ...]
    places: tuple[int, ...]


class Place(NamedTuple):
    """Where the view of a spectator shows what lies on a place: a JSON pointer (RFC 6901), null there if nothing does."""

    at: str
    given: Mapping[str, Any] = {}  # by pointer, what the view must show for it to be that place


class Dice(Protocol):
    """Chance, handed in."""

    def below(self, k: int) -> int:
        """A whole number from 0 to k-1, each as likely as the others."""
        ...

    def shuffled(self, things: Iterable[Any]) -> list[Any]:
        """The things in random order (Fisher-Yates from the end)."""
        ...


class Event(Protocol):
    """What has happened: a NamedTuple of plain JSON values with a `seat` (or None)."""

    @property
    def seat(self) -> Seat | None: ...
    def _asdict(self) -> Json: ...


class Rules(Protocol):
    """What a game offers; the rest of the server knows nothing else of it.

    States, moves and events are immutable values. `apply(None, first event)` begins a game. An event goes into the log
    as `event._asdict()` and its name in EVENTS, and `EVENTS[name](**body)` is the same event again. `tell` answers with
    the fields of the event, `type` (that name) and `seat` (or null) among them; EVENT_SCHEMAS describes these by type,
    without the types that are told to nobody. `is_mid_turn` says whether a seat is in the middle of its turn, so that
    what it still owes is no new turn. `move_of` is the move that the events of one `decide` came from, so that a log can be
    asked again, and of their first event alone its first step; it raises MalformedMove where there was none. `reveals` says
    whether these events of its own move have shown a seat anything that it did not know before it made the move.

    `check_planned` raises IllegalMove for a move that a seat may not leave for one of its next turns, after those left
    before it. What it lets through uses nothing hidden but what the seat holds now and keeps until it is played: from
    then on its legality follows from what every spectator sees. `place` is where such a view shows what lies on a place,
    written in a line, with what must lie around it for that to be true; it raises MalformedMove.
    """

    NAME: str
    SEATS: range
    EVENTS: Mapping[str, type[Any]]
    MOVE_SCHEMA: Json
    VIEW_SCHEMA: Json
    OPTION_SCHEMA: Json
    EVENT_SCHEMAS: Mapping[str, Json]

    def resolve_options(self, options: Mapping[str, Any], seats: int) -> Json: ...
    def describe(self) -> Json: ...
    def setup(self, seats: int, options: Mapping[str, Any], dice: Dice) -> list[Any]: ...
    def to_act(self, state: Any) -> frozenset[Seat]: ...
    def is_mid_turn(self, state: Any, seat: Seat) -> bool: ...
    def legal_moves(self, state: Any, seat: Seat, begun: Sequence[Any] = ()) -> list[Any]: ...
    def decide(self, state: Any, seat: Seat, move: Any, dice: Dice) -> list[Any]: ...
    def preview(self, state: Any, seat: Seat, events: Sequence[Any]) -> tuple[list[Any], bool]: ...
    def reveals(self, state: Any, seat: Seat, events: Sequence[Any]) -> bool: ...
    def check_planned(self, state: Any, seat: Seat, earlier: Sequence[Any], move: Any) -> None: ...
    def place(self, view: Json, text: str) -> Place: ...
    def apply(self, state: Any, event: Any) -> Any: ...
    def view(self, state: Any, seat: Seat | None) -> Json: ...
    def tell(self, event: Any, seat: Seat | None) -> Json | None: ...
    def outcome(self, state: Any) -> Outcome | None: ...
    def move_from_json(self, data: Any) -> Any: ...
    def move_to_json(self, move: Any) -> Json: ...
    def move_of(self, events: Sequence[Any]) -> Any: ...
    def read_move(self, text: str) -> Any: ...
    def write_move(self, move: Any) -> str: ...
