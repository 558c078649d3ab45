"""Moves of Sternenhimmel as text, such as `7 leo c`."""

from server.games.errors import MalformedMove
from server.games.sternenhimmel.material import BOARDS, STARS
from server.games.sternenhimmel.moves import Placement
from server.translations import language

_STAR_OF_WORD = {star.lower(): star for star in STARS}
BOARD_OF_WORD = {word: board.id for board in BOARDS.values() for word in (board.abbr.lower(), board.id)}


def read_move(text: str) -> Placement:
    """Parse a placement such as `7 leo c`, in upper or lower case. Raise MalformedMove for any other string."""
    words = [word for word in text.lower().split(" ") if word]
    if len(words) != 3:
        raise MalformedMove("not-a-placement", "This can't be read as a move. %(notation)s", notation=_notation)
    star, board, space = words
    if star not in _STAR_OF_WORD:
        raise MalformedMove(
            "unknown-star",
            "This star doesn't exist. The stars are %(stars)s. %(notation)s",
            stars=", ".join(STARS),
            notation=_notation,
        )
    if board not in BOARD_OF_WORD:
        raise MalformedMove(
            "unknown-board",
            "This constellation doesn't exist. The constellations are %(boards)s. %(notation)s",
            boards=", ".join(BOARDS),
            notation=_notation,
        )
    return Placement(_STAR_OF_WORD[star], BOARD_OF_WORD[board], space)


def _notation(locale: str) -> str:
    say = language(locale)
    return say.gettext("Write a star, a constellation and a space, for example: %(example)s", example="7 leo c")


def write_move(move: Placement) -> str:
    """Return the placement as text, such as `7 leo c`."""
    return f"{move.star} {move.board} {move.space}"
