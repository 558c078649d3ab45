"""Moves of Sternenhimmel as text, such as `7 leo c`."""

from server.games.errors import MalformedMove
from server.games.sternenhimmel.material import BOARDS, STARS
from server.games.sternenhimmel.moves import Placement

_NOTATION = "Write a star, a constellation and a space, for example: 7 leo c"
_STAR_OF_WORD = {star.lower(): star for star in STARS}
BOARD_OF_WORD = {word: board.id for board in BOARDS.values() for word in (board.abbr.lower(), board.id)}


def read_move(text: str) -> Placement:
    """Parse a placement such as `7 leo c`, in upper or lower case. Raise MalformedMove for any other string."""
    words = [word for word in text.lower().split(" ") if word]
    if len(words) != 3:
        raise MalformedMove("not-a-placement", f"This can't be read as a move. {_NOTATION}")
    star, board, space = words
    if star not in _STAR_OF_WORD:
        raise MalformedMove("unknown-star", f"This star doesn't exist. The stars are {', '.join(STARS)}. {_NOTATION}")
    if board not in BOARD_OF_WORD:
        raise MalformedMove(
            "unknown-board",
            f"This constellation doesn't exist. The constellations are {', '.join(BOARDS)}. {_NOTATION}",
        )
    return Placement(_STAR_OF_WORD[star], BOARD_OF_WORD[board], space)


def write_move(move: Placement) -> str:
    """Return the placement as text, such as `7 leo c`."""
    return f"{move.star} {move.board} {move.space}"
