"""The view of each seat of Sternenhimmel (section 10)."""

from collections.abc import Mapping, Sequence
from typing import Any

from server.games.contract import Json, Place, Seat
from server.games.errors import MalformedMove
from server.games.sternenhimmel.material import BOARDS, Board, Lying, is_large
from server.games.sternenhimmel.moves import Placement, move_from_json
from server.games.sternenhimmel.notation import BOARD_OF_WORD
from server.games.sternenhimmel.state import (
    BoardDealt,
    BoardScored,
    BoardsShuffled,
    Event,
    SeatSkipped,
    StarPlaced,
    State,
)


def preview(sky: State, seat: Seat, events: Sequence[Event]) -> tuple[list[Event], bool]:
    """Return a pair: the events of the seat's own move that the seat can foresee, and whether other events stay hidden.
    The scoring of a board with another seat's face-down star stays hidden, and so does the next board."""
    placed, *rest = events
    assert isinstance(placed, StarPlaced)
    if not rest or not isinstance(rest[0], BoardScored):
        return list(events), False
    large = (lying.seat for space, lying in sky.stars[placed.board].items() if is_large(placed.board, space))
    if any(owner != seat for owner in large):
        return [placed], True
    seen: list[Event] = [event for event in events if not isinstance(event, BoardDealt)]
    return seen, len(seen) < len(events)


def reveals(sky: State, seat: Seat, events: Sequence[Event]) -> bool:
    """Return whether these events revealed something. A scoring does, and so does the board dealt after it."""
    return any(isinstance(event, BoardScored | BoardDealt) for event in events)


def place(view: Json, text: str) -> Place:
    """Return the place of a space such as `leo c` in a spectator's view. Raise MalformedMove for an unknown space."""
    match text.lower().split():
        case [board, space] if board in BOARD_OF_WORD:
            board = BOARD_OF_WORD[board]
            boards = [it["board"] for it in view["boards"]]
            if board in boards and space in BOARDS[board].spaces:
                at = f"/boards/{boards.index(board)}"
                return Place(f"{at}/spaces/{space}", {f"{at}/board": board})
    for it in view["boards"][:1]:
        raise MalformedMove(
            "unknown-space",
            "This is not a space of a constellation in play. Write, for example: %(example)s",
            example=f"{it['board']} {next(iter(it['spaces']))}",
        )
    raise MalformedMove("unknown-space", "This is not a space of a constellation in play.")


def example(view: Json) -> Placement | None:
    """Return a placement that the seat of this view could make if it were its turn, or None if there is none."""
    free = ((it["board"], space) for it in view["boards"] for space, lying in it["spaces"].items() if lying is None)
    hand, found = view["hand"], next(free, None)
    return Placement(hand[0], *found) if hand and found else None


def view(sky: State, seat: Seat | None) -> Json:
    """Return the view of a seat, or of a spectator (None)."""
    return {
        "boards": [
            {"board": board, "slot": slot, "spaces": _spaces_seen(BOARDS[board], sky.stars[board], seat)}
            for slot, board in enumerate(sky.slots)
            if board is not None
        ],
        "coins": list(sky.coins),
        "hand": None if seat is None else list(sky.hands[seat]),
        "hand_sizes": [len(hand) for hand in sky.hands],
        "stack": len(sky.stack),
        "next": sky.on_turn,
    }


def _spaces_seen(board: Board, stars: Mapping[str, Lying], viewer: Seat | None) -> Json:
    seen: Json = dict.fromkeys(board.spaces)
    for space, (seat, star) in stars.items():
        may_know = seat == viewer or board.spaces[space].size == "small"
        seen[space] = {"seat": seat, "star": star if may_know else None}
    return seen


def tell(event: Event, seat: Seat | None) -> Json | None:
    """Return the event as a seat or a spectator (None) sees it, or None if it is invisible."""
    match event:
        case StarPlaced(owner, board, space, star):
            may_know = owner == seat or BOARDS[board].spaces[space].size == "small"
            told = {"board": board, "space": space, "star": star if may_know else None}
            return {"type": "star-placed", "seat": owner, **told}
        case BoardDealt(board, slot):
            return {"type": "board-dealt", "seat": None, "board": board, "slot": slot}
        case BoardScored():
            return {"type": "board-scored", **event._asdict()}  # all of it is public
        case SeatSkipped(skipped):
            return {"type": "seat-skipped", "seat": skipped}
        case BoardsShuffled():
            return None


def move_of(events: Sequence[Any]) -> Placement:
    """Return the placement that led to these events. Raise MalformedMove if no move begins with them."""
    match events:
        case [StarPlaced(_, board, space, star), *_]:
            return move_from_json({"star": star, "board": board, "space": space})
    raise MalformedMove("not-a-placement", "These events don't begin with a move.")
