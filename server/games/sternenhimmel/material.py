"""The boards and stars of Sternenhimmel (sections 1 and 7). Checks of a set of boards ensure that no game stalls."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from server.games.contract import Json, Seat

NAME = "sternenhimmel"
SEATS = range(3, 6)
BLACK_HOLE, DOUBLE_STAR = "B", "D"
FACE_VALUES = {"1": 1, "3": 3, "5": 5, "6": 6, "7": 7, "10": 10, BLACK_HOLE: 0, DOUBLE_STAR: 0}
STARS = tuple(FACE_VALUES)
STAR_SET = ("1", "3", "5", "6", "7", "10", BLACK_HOLE, DOUBLE_STAR, DOUBLE_STAR)
HAND_ORDER = {star: place for place, star in enumerate(STARS)}
BANK = "bank"


class Space(NamedTuple):
    """A space for one star: face down on a large space, face up on a small one. x, y lie in the unit square."""

    size: str
    x: float
    y: float
    star: str | None


class Board(NamedTuple):
    """A constellation: its spaces by id, the lines between neighbours, and two prizes."""

    id: str
    abbr: str
    latin: str
    names: Mapping[str, str]
    first: int
    second: int
    spaces: Mapping[str, Space]
    lines: tuple[tuple[str, str], ...]
    neighbours: Mapping[str, tuple[str, ...]]


class Lying(NamedTuple):
    """A star on a space."""

    seat: Seat
    star: str


LYING = [{star: Lying(seat, star) for star in STARS} for seat in range(max(SEATS))]  # created once


def is_large(board: str, space: str) -> bool:
    return BOARDS[board].spaces[space].size == "large"


def named(board: str, locale: str) -> str:
    """Return the name of a board, followed by those names in moves that differ from it: `Aries (Ari)`."""
    name = BOARDS[board].names[locale]
    known = {it.lower(): it for it in (BOARDS[board].abbr, board)}
    others = sorted((it for it in known.values() if it.lower() != name.lower()), key=len, reverse=True)
    return f"{name} ({', '.join(others)})" if others else name


def load_boards(data: Json) -> dict[str, Board]:
    """Return the boards of a set by id. Raise ValueError with a sentence about what is wrong."""
    boards: dict[str, Board] = {}
    words: set[str] = set()
    for entry in data.get("boards", ()):
        board = _board(entry)
        for word in {board.id, board.abbr.lower()}:
            if word in words:
                raise ValueError(f"Two boards share the name {word}.")
            words.add(word)
        boards[board.id] = board
    _check_set_never_stalls(boards)
    return boards


def _board(entry: Json) -> Board:
    try:
        spaces = {it["id"]: Space(it["size"], it["x"], it["y"], it["star"]) for it in entry["spaces"]}
        _check_board(entry["id"], entry)
        lines = tuple((a, b) for a, b in entry["lines"])
        return Board(
            id=entry["id"],
            abbr=entry["abbr"],
            latin=entry["latin"],
            names=entry["name"],
            first=entry["prizes"]["first"],
            second=entry["prizes"]["second"],
            spaces=spaces,
            lines=lines,
            neighbours={it: tuple(sorted(b if it == a else a for a, b in lines if it in (a, b))) for it in spaces},
        )
    except KeyError as missing:
        raise ValueError(f"The board {entry.get('id')} lacks {missing}.") from None


def _check_board(board: str, entry: Json) -> None:
    ids = [it["id"] for it in entry["spaces"]]
    joined = [frozenset(line) for line in entry["lines"]]
    if not ids:
        raise ValueError(f"The board {board} has no space.")
    if len(set(ids)) < len(ids):
        raise ValueError(f"Two spaces of the board {board} share an id.")
    if any(it["size"] not in ("large", "small") for it in entry["spaces"]):
        raise ValueError(f"A space of the board {board} is neither large nor small.")
    if any(len(line) != 2 or not line <= set(ids) for line in joined):
        raise ValueError(f"A line of the board {board} does not join two different spaces of it.")
    if len(set(joined)) < len(joined):
        raise ValueError(f"The board {board} has the same line twice.")
    if entry["prizes"]["second"] <= 0 or entry["prizes"]["first"] < entry["prizes"]["second"]:
        raise ValueError(f"The prizes of the board {board} are not positive, or the second is above the first.")


def _check_set_never_stalls(boards: Mapping[str, Board]) -> None:
    sizes = sorted((len(board.spaces) for board in boards.values()), reverse=True)
    if len(sizes) < max(SEATS):
        raise ValueError(f"{max(SEATS)} players need {max(SEATS)} boards; the set has {len(sizes)}.")
    for seats in SEATS:
        spaces, limit = sum(sizes[:seats]), (len(STAR_SET) + 1) * seats - 1
        if spaces > limit:
            raise ValueError(
                f"The set could stall a game of {seats}: its {seats} largest boards have {spaces} spaces, "
                f"more than {limit}, so that all stars may lie on boards none of which is full."
            )


BOARD_SET: Json = json.loads((Path(__file__).parent / "boards.json").read_text("utf-8"))
BOARDS = load_boards(BOARD_SET)
