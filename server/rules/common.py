"""`Rules`, what a game brings, with the words and errors that all games share."""

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


class Outcome(NamedTuple):
    """How a game ended; places count 1, 1, 3 where seats share one."""

    scores: tuple[int, ...]
    places: tuple[int, ...]


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
    asked again, and of their first event alone its first step; it raises MalformedMove where there was none.
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
    def apply(self, state: Any, event: Any) -> Any: ...
    def view(self, state: Any, seat: Seat | None) -> Json: ...
    def tell(self, event: Any, seat: Seat | None) -> Json | None: ...
    def outcome(self, state: Any) -> Outcome | None: ...
    def move_from_json(self, data: Any) -> Any: ...
    def move_to_json(self, move: Any) -> Json: ...
    def move_of(self, events: Sequence[Any]) -> Any: ...
    def read_move(self, text: str) -> Any: ...
    def write_move(self, move: Any) -> str: ...
