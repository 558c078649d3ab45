"""The interface of a game. The rest of the server uses `Game` only.

A game is a package with the members of `Game`. It may also have `PRESET`, `SCORE`, `ASIDE`, `MOVES_ASIDE`,
`RETOLD`, `begin_turn`, `judge`, `advise`, `effect`, `aim`, `reasons`, `assess`, `LEVELS`, `MUCH`, `resample`, `draw`, `with_news`,
`thumbnail`, `fullness`, `with_result`, `table`, `final_view`, `final_table`, `own_result`, `decision`, `introduction`, `first_turn`,
`rest_of_turn`, `usual_turns`, `usual_minutes`, `legend`, `figure_in_words`, `notation`, `read_spoken`, `write_spoken`, `tell_move`,
`spoken_words`, `meant_moves`, `named_moves`, `later_moves`, `fitting_moves`, `strange_word`, `fault`,
`without_needless`, `known_words`, `example`, `rule_values`, `TERMS`, `SENTENCES` and `REFUSALS`, described by the types at the end of this file, and
a folder `page/`.
`server.games.presentation` has defaults for missing ones.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from server.render.picture_parts import Picture, Theme
    from server.translations import Language

Seat = int
Json = dict[str, Any]

NOBODY: frozenset[Seat] = frozenset()
ALONE = [frozenset((seat,)) for seat in range(5)]  # the value of `to_act` in most states, created once


class Outcome(NamedTuple):
    """How a game ended. If two seats share place 1, the next place is 3."""

    scores: tuple[int, ...]
    places: tuple[int, ...]


class Place(NamedTuple):
    """A place in a spectator's view, as a JSON pointer (RFC 6901). An empty place has null there."""

    at: str
    given: Mapping[str, Any] = {}  # by pointer, the values that the view must have for this place


class Dice(Protocol):
    """A source of random numbers, passed to the rules."""

    def below(self, k: int) -> int:
        """Return a whole number from 0 to k-1, each equally likely."""
        ...

    def shuffled(self, things: Iterable[Any]) -> list[Any]:
        """Return the items in random order (Fisher-Yates from the end)."""
        ...


class Event(Protocol):
    """A fact: a NamedTuple of plain JSON values."""

    @property
    def seat(self) -> Seat | None:
        """Return the seat that the event belongs to, if any."""
        ...

    def _asdict(self) -> Json:
        """Return the body as stored in the log."""
        ...


State = TypeVar("State")
Move = TypeVar("Move")
EventT = TypeVar("EventT", bound=Event)


class Game(Protocol[State, Move, EventT]):
    """The rules of a game: pure functions over immutable states, moves and events.

    An event is stored as `event._asdict()` under its name in EVENTS. `EVENTS[name](**body)` restores the event.
    """

    @property
    def NAME(self) -> str:
        """Return the name in paths, options and archives, in lower case."""
        ...

    @property
    def SEATS(self) -> range:
        """Return the possible numbers of players."""
        ...

    @property
    def EVENTS(self) -> Mapping[str, type[Any]]:
        """Return the class of each event by type. No two games may share a type."""
        ...

    # Play

    def resolve_options(self, options: Mapping[str, Any], seats: int) -> Json:
        """Return all options, with defaults filled in. Raise BadOption for an invalid option."""
        ...

    def setup(self, seats: int, options: Mapping[str, Any], dice: Dice) -> list[EventT]:
        """Return the opening events."""
        ...

    def to_act(self, state: State) -> frozenset[Seat]:
        """Return the seats that have to move. The set is empty once the game is over."""
        ...

    def is_mid_turn(self, state: State, seat: Seat) -> bool:
        """Return whether the seat has begun its turn, so that its next move continues the turn."""
        ...

    def legal_moves(self, state: State, seat: Seat, begun: Sequence[Move] = ()) -> list[Move]:
        """Return every legal move of the seat, or every next step after the steps in `begun`.

        Raise IllegalMove if `begun` is illegal.
        """
        ...

    def decide(self, state: State, seat: Seat, move: Move, dice: Dice) -> list[EventT]:
        """Return the events that follow from a move. Raise IllegalMove if the rules forbid the move."""
        ...

    def apply(self, state: State | None, event: EventT) -> State:
        """Return the state after an event, without checks. `apply(None, first event)` starts a game."""
        ...

    def outcome(self, state: State) -> Outcome | None:
        """Return scores and places, or None while the game is running."""
        ...

    # Views

    def view(self, state: State, seat: Seat | None) -> Json:
        """Return the part of the state that a seat, or a spectator (None), may see."""
        ...

    def tell(self, event: EventT, seat: Seat | None) -> Json | None:
        """Return the part of an event that a seat may see, with `type` and `seat`. Return None if the event is hidden
        from the seat."""
        ...

    def preview(self, state: State, seat: Seat, events: Sequence[EventT]) -> tuple[list[EventT], bool]:
        """Return a pair: the events of the seat's own move that the seat can foresee, and whether other events stay
        hidden."""
        ...

    def reveals(self, state: State, seat: Seat, events: Sequence[EventT]) -> bool:
        """Return whether the events of the seat's own move have shown the seat anything new."""
        ...

    # Text and JSON

    def move_from_json(self, data: Any) -> Move:
        """Return the move for a JSON value, legal or not. Raise MalformedMove if the value isn't a move."""
        ...

    def move_to_json(self, move: Move) -> Json:
        """Return the move as JSON."""
        ...

    def move_of(self, events: Sequence[EventT]) -> Move:
        """Return the move for which `decide` returned these events. For the first event alone, return the move's first
        step. Raise MalformedMove if no move leads to these events."""
        ...

    def read_move(self, text: str) -> Move:
        """Return the move written in one line. Raise MalformedMove if the line isn't a move."""
        ...

    def write_move(self, move: Move) -> str:
        """Return the move in one line."""
        ...

    # Description

    @property
    def MOVE_SCHEMA(self) -> Json:
        """Return the JSON schema of moves, as `move_to_json` returns them."""
        ...

    @property
    def VIEW_SCHEMA(self) -> Json:
        """Return the JSON schema of what `view` returns."""
        ...

    @property
    def OPTION_SCHEMA(self) -> Json:
        """Return the JSON schema of the options that a new game can have."""
        ...

    @property
    def EVENT_SCHEMAS(self) -> Mapping[str, Json]:
        """Return the schema of each visible event, as `tell` returns it, by type."""
        ...

    def describe(self) -> Json:
        """Return what a client needs to know about the game, as in `GET /v1/rules/{name}`."""
        ...

    # Plans

    def check_planned(self, state: State, seat: Seat, earlier: Sequence[Move], move: Move) -> None:
        """Raise IllegalMove for a move that a seat may not plan for a later turn, after the planned moves in `earlier`.

        The only hidden things that a planned move may use are those that the seat has now, and keeps until the move is
        played. Apart from these, only what every spectator sees may decide whether the move is legal.
        """
        ...

    def place(self, view: Json, text: str) -> Place:
        """Return where a spectator's view contains the place that `text` names. Raise MalformedMove for an unknown
        place."""
        ...


Rules = Game[Any, Any, Any]  # a game with states, moves and events opaque to the caller

# Optional parts of a game

# `PRESET = "edition"`: the option that chooses an edition or a scenario, and with it the values of other options.
# `SCORE = "coins"`: what scores count, and the field of a view with the score of each seat. Without it, a game has scores
# only at its end.
# `ASIDE`: types of events that letters and summaries leave out, since the table shows what they did.
# `MOVES_ASIDE`: those of them that are moves, which a take-back lists.
# `RETOLD`: type of an event -> type of a later one that says the same to the player, so that a take-back lists it once.


class Reason(NamedTuple):
    """A sentence about a move. Two moves of a hint get reasons of different kinds if they can. An aside, such as what the
    move costs, doesn't stand alone. A reason that comes first, such as a scoring, is always given."""

    kind: str
    text: str
    is_aside: bool = False
    comes_first: bool = False


class Effort(NamedTuple):
    """The effort of a bot per move: the number of worlds, and how many of the judge's best moves it compares in them.
    With 0.5 worlds, the bot samples one world in half of its moves.

    A bot with `slack` plays any move that the judge values nearly as much as the best, and samples no worlds. The slack
    is a share of the distance from the best of all legal moves to their average.
    """

    worlds: float = 0
    candidates: int = 1
    slack: float = 0


# State, seat -> the state as if the seat's next turn began now, for planning. `state` itself if the turn has begun, or if
# the game is over. It shows the seat nothing new.
BeginTurn = Callable[[Any, Seat], Any]
Judge = Callable[[Json], Callable[[Any], float]]  # view -> move -> what the move is worth to the seat on turn
# State, seat on turn -> the moves that `judge` values most. Only for games where this is faster.
Advise = Callable[[Any, Seat], Sequence[Any]]
# State between two turns, seat -> how many points the seat is ahead of the average of the others, with what they will soon
# get. With it, bots that search look only one turn ahead. Without it, they play on to the end of the game.
Assess = Callable[[Any, Seat], float]
# Move -> a value that is equal for moves with the same effect, such as moves with copies of a card. Without it, all moves differ.
Effect = Callable[[Any], Any]
# View of the seat on turn -> move -> a value that is equal for moves that are no alternatives to each other in a hint, such as
# stars on two similar spaces. A hint suggests only the best of them. Without it, all moves are alternatives.
Aim = Callable[[Json], Callable[[Any], Any]]
# View of the seat on turn, move, language, names of the seats, whether another move was played, the moves that follow it in
# the same turn -> what the move achieves besides points, or would have achieved, and what it costs, the most important first.
WriteReasons = Callable[[Json, Any, "Language", Sequence[str], bool, Sequence[Any]], Sequence[Reason]]
# `LEVELS`: level -> effort of the bots with levels, if those of `server.bots` don't suit the game.
# `MUCH`: a hint leaves out a move that is clearly behind the best by this many points. Without it, by 10.
# View, story, seat, dice -> a state sampled from all states that are consistent with what the seat has seen. Each
# state is as likely as the game's dice make it, and hidden choices of other seats are equally likely. `story` has the
# events visible to the seat, without those taken back. It begins with `game-started`, whose terms contain the options.
# A call with the same `view` and `story` objects may reuse work of the previous call.
Resample = Callable[[Json, Sequence[Json], Seat, Dice], Any]
Draw = Callable[[Json, Sequence[str], "Theme", str], "Picture"]  # view, names by seat, theme, locale -> picture
WithNews = Callable[[Json, Json], Json]  # view, earlier view -> the view, in which `draw` marks what has come since
WithResult = Callable[[Json, Json], Json]  # view, final view -> the view, with the standings of the final one
Fullness = Callable[[Json], Any]  # view -> how much its picture shows, to choose one of a game's pictures
WriteTable = Callable[[Json, Sequence[str], str], str]  # view, names by seat, locale -> text of at most 72 columns
FinalView = Callable[[Json, Sequence[Json]], Json]  # view, story -> view of a finished game, for `draw`
WriteFinalTable = Callable[[Json, Sequence[Json], Sequence[str], "Language"], str]
WriteOwnResult = Callable[[Json, Sequence[Json], Seat, "Language"], str]  # -> where the score of a seat comes from
# View, story, names by seat, seat of the reader or None -> what decided a finished game, or ""
WriteDecision = Callable[[Json, Sequence[Json], Sequence[str], Seat | None, "Language"], str]
WriteIntroduction = Callable[["Language"], tuple[str, str]]  # -> what players do, in two sentences; further sentences
# View -> what to achieve and what to do in the first turn. Further lines say what the player's pieces do.
WriteFirstTurn = Callable[[Json, "Language"], str]
WriteRestOfTurn = Callable[[Any, Seat, "Language"], str]  # state, seat within its turn -> what to do next in it
UsualTurns = Callable[[int], int]  # players -> about how many turns each takes in a game
FigureInWords = Callable[[str, "Language"], list[str]]  # -> the lines that replace a picture of the rules in emails
WriteLegend = Callable[["Language"], str]  # -> what letters and numbers in the names of pieces mean
WriteNotation = Callable[["Language"], str]  # -> how to write a move, in a few sentences
# Moves in the reader's language, in addition to the notation of `read_move` and `write_move`, which never changes.
# `read_spoken` parses what `write_spoken` returns, and raises MalformedMove for text that isn't a move. `SpokenWords`
# are words by which a misspelt move is recognised.
ReadSpoken = Callable[[str, str], Any]  # text, locale -> move
WriteSpoken = Callable[[Any, str], str]  # move, locale -> text
TellMove = Callable[[Any, "Language"], str]  # -> what the move does, as a reader would say it, without a full stop
SpokenWords = Callable[[str], Collection[str]]  # locale -> words in lower case
# What players write instead of a move: an incomplete text or a sentence. The caller has removed words such as "please".
# A text that fits exactly one move is played, so these functions must know every word of it.
MeantMoves = Callable[[str, str, Sequence[Any]], list[Any]]  # text, locale, legal moves -> the moves that the text fits
Example = Callable[[Json], Any]  # view -> a move with what is in play, or None, for a seat that isn't on turn
StrangeWord = Callable[[str, str], str]  # text, locale -> the word because of which a text that names a move fits none
RuleValues = Callable[["Language"], Mapping[str, str]]  # -> figures in the text of the rules, and names of editions
# By id of a section of the rules: the names of the pieces, cards and places that it explains, in all languages, as a
# regular expression without groups that capture.
Terms = Mapping[str, str]
# story item, with the seat of the `reader` if they play; names by seat, language, whether the reader has the event's
# seat -> sentence; by type of event
Sentence = Callable[[Json, Sequence[str], "Language", bool], str]
