"""Moves of Sternenhimmel as values and JSON."""

from typing import Any, NamedTuple

from server.games.contract import Json
from server.games.errors import MalformedMove
from server.games.sternenhimmel.material import BOARDS, FACE_VALUES, STARS


class Placement(NamedTuple):
    """The only kind of move: put a star from the hand on a space."""

    star: str
    board: str
    space: str


_FIELDS = ", ".join(f"`{it}`" for it in Placement._fields)
# All placements, created once.
PLACEMENTS = {
    (star, board, space): Placement(star, board, space)
    for board in BOARDS
    for space in BOARDS[board].spaces
    for star in STARS
}


def move_from_json(data: Any) -> Placement:
    """Parse a placement, legal or not. Raise MalformedMove if the data isn't a placement."""
    if type(data) is not dict:
        raise MalformedMove("not-an-object", "A move must be an object with the fields %(fields)s.", fields=_FIELDS)
    try:
        star, board, space = data["star"], data["board"], data["space"]
    except KeyError as missing:
        raise MalformedMove("missing-field", "The field `%(field)s` is missing.", field=missing.args[0]) from None
    if len(data) != 3:
        raise MalformedMove("unknown-field", "Unknown field. The fields are %(fields)s.", fields=_FIELDS)
    if type(star) is not str or type(board) is not str or type(space) is not str:
        wrong = next(name for name, value in data.items() if type(value) is not str)
        raise MalformedMove(
            "wrong-type", "The field `%(field)s` must be of type `%(type)s`.", field=wrong, type="string"
        )
    if star not in FACE_VALUES:
        raise MalformedMove("unknown-star", "This star doesn't exist. The stars are %(stars)s.", stars=", ".join(STARS))
    return Placement(star, board, space)


def move_to_json(move: Placement) -> Json:
    return move._asdict()
