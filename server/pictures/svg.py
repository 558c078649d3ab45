"""The table as an SVG picture, drawn from a view: it shows what the viewer may see and nothing else.

Every board is a group with the id `board-leo`, every space one with the id `leo-c`, so that a front end can make them
clickable. Names are text of players and are escaped; there is no script and no foreign reference.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import cos, pi, sin
from random import Random
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from server.rules import Json
from server.rules.sternenhimmel import BOARDS, Board

FONT = "Noto Sans"
_LONGEST_NAME = 22
_WIDTH, _CARD, _ROW, _MARGIN = 720, 340, 372, 14  # two columns of cards; a phone shows them at half the size
_MAP, _TOP = 300, 54  # the square in which a constellation is drawn, and where it begins below the card's edge
_RADIUS = {"large": 21, "small": 16}


class Theme(NamedTuple):
    sky: str
    card: str
    line: str
    ink: str
    faint: str
    twinkle: str


DARK = Theme("#0b1026", "#141b3c", "#7f8bc4", "#eef0ff", "#aab2dc", "#5d69a6")
LIGHT = Theme("#f4f1e8", "#ffffff", "#8a90ad", "#1b2138", "#565d7d", "#d9d3c0")

# Okabe and Ito's colours, which the colour-blind can tell apart; and a shape for each, which everybody can.
SEAT_COLOURS = ("#e69f00", "#56b4e9", "#2fbf95", "#f0e442", "#d98fb5")
SEAT_SHAPES = ("circle", "square", "triangle", "diamond", "hexagon")
_ON_SEAT = "#10131f"

_WORDS = {
    "de": {"coins": "Münzen", "hand": "Deine Sterne", "stars": "Sterne", "stack": "Stapel", "next": "am Zug"},
    "en": {"coins": "coins", "hand": "Your stars", "stars": "stars", "stack": "Stack", "next": "to move"},
    "fr": {"coins": "pièces", "hand": "Vos étoiles", "stars": "étoiles", "stack": "Pile", "next": "à jouer"},
    "it": {"coins": "monete", "hand": "Le tue stelle", "stars": "stelle", "stack": "Pila", "next": "di turno"},
}


def draw(rules_name: str, view: Json, names: Sequence[str], dark: bool = True, locale: str = "en") -> str:
    """The table as this view shows it; `names` by seat. The same view makes the same bytes."""
    return PICTURES[rules_name](view, names, DARK if dark else LIGHT, locale)


def sternenhimmel(view: Json, names: Sequence[str], theme: Theme, locale: str) -> str:
    """Constellations in two columns, then the seats; these fill the gap that an odd number of boards leaves."""
    boards = view["boards"]
    rows = (len(boards) + 1) // 2
    in_gap = len(boards) % 2 == 1
    seats_height = 60 + 46 * len(names) + (76 if view["hand"] is not None else 0)
    height = max(rows * _ROW, 1) + _MARGIN + (0 if in_gap else seats_height)
    size = f'viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}"'
    manners = f'font-family="{FONT}, sans-serif" role="img" aria-labelledby="picture-title"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {manners}>',
        f'<title id="picture-title">{escape(_spoken(view, names, locale))}</title>',
        f'<rect width="{_WIDTH}" height="{height}" fill="{theme.sky}"/>',
        *_twinkling(height, theme),
    ]
    second = _MARGIN + _CARD + _MARGIN // 2
    for i, shown in enumerate(boards):
        left, top = (second if i % 2 else _MARGIN), _MARGIN + (i // 2) * _ROW
        parts += _placed(left, top, _board(shown, theme, locale))
    if in_gap:
        parts += _placed(second, _MARGIN + (rows - 1) * _ROW, _seats(view, names, theme, locale, _CARD))
    else:
        parts += _placed(_MARGIN, _MARGIN // 2 + rows * _ROW, _seats(view, names, theme, locale, _WIDTH - 2 * _MARGIN))
    return "".join([*parts, "</svg>"])


PICTURES: Mapping[str, Callable[[Json, Sequence[str], Theme, str], str]] = {"sternenhimmel": sternenhimmel}


def _spoken(view: Json, names: Sequence[str], locale: str) -> str:
    boards = ", ".join(BOARDS[it["board"]].names[locale] for it in view["boards"])
    scores = ", ".join(f"{_short(name)} {coins}" for name, coins in zip(names, view["coins"], strict=True))
    return f"Sternenhimmel: {boards}. {_WORDS[locale]['coins']}: {scores}"


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"


def _placed(left: int, top: int, parts: Iterator[str]) -> Iterator[str]:
    yield f'<g transform="translate({left} {top})">'
    yield from parts
    yield "</g>"


def _twinkling(height: int, theme: Theme) -> Iterator[str]:
    """A sky behind the cards; always the same one, so that a picture depends on its view alone."""
    rng = Random(7)
    for _ in range(height // 9):
        x, y, r = rng.randrange(_WIDTH), rng.randrange(height), rng.choice((0.7, 1, 1.4))
        yield f'<circle cx="{x}" cy="{y}" r="{r}" fill="{theme.twinkle}"/>'


# A board


def _board(shown: Json, theme: Theme, locale: str) -> Iterator[str]:
    board = BOARDS[shown["board"]]
    yield f'<g id="board-{board.id}" data-board="{board.id}" data-slot="{shown["slot"]}">'
    yield f'<rect width="{_CARD}" height="{_ROW - _MARGIN}" rx="14" fill="{theme.card}"/>'
    yield _text(16, 32, board.names[locale], theme.ink, 21, bold=True)
    yield _text(_CARD - 16, 32, f"{board.first} / {board.second}", theme.ink, 19, anchor="end")
    yield _text(16, 50, board.id, theme.faint, 13)
    for one, other in board.lines:
        (x1, y1), (x2, y2) = _at(board, one), _at(board, other)
        ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        yield f'<line {ends} stroke="{theme.line}" stroke-width="2"/>'
    for space, lying in shown["spaces"].items():
        yield from _space(board, space, lying, theme)
    yield "</g>"


def _at(board: Board, space: str) -> tuple[float, float]:
    edge = (_CARD - _MAP) / 2
    here = board.spaces[space]
    return edge + here.x * _MAP, _TOP + here.y * (_MAP - 8)


def _space(board: Board, space: str, lying: Json | None, theme: Theme) -> Iterator[str]:
    x, y = _at(board, space)
    size = board.spaces[space].size
    r = _RADIUS[size]
    yield f'<g id="{board.id}-{space}" data-board="{board.id}" data-space="{space}">'
    if lying is None:
        yield f"<title>{board.id} {space}, {size}, empty</title>"
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" fill="{theme.card}" stroke="{theme.ink}" stroke-width="2"/>'
        yield _text(x, y + 6, space, theme.ink, 17, anchor="middle")
    else:
        seat, star = lying["seat"], lying["star"]
        yield f"<title>{board.id} {space}, {size}, seat {seat}, {star or 'face down'}</title>"
        yield _shape(SEAT_SHAPES[seat], x, y, r, f'fill="{SEAT_COLOURS[seat]}" stroke="{theme.ink}" stroke-width="2"')
        if size == "large":  # lies face down, even where the viewer knows it
            yield _shape(SEAT_SHAPES[seat], x, y, r - 4, f'fill="none" stroke="{_ON_SEAT}" stroke-dasharray="3 3"')
        yield _text(x, y + 6, star or "?", _ON_SEAT, 18, bold=True, anchor="middle")
        yield _text(x + r + 3, y - r + 7, space, theme.faint, 14)
    yield "</g>"


def _shape(shape: str, x: float, y: float, r: float, style: str) -> str:
    """A shape about a point, all of them of about the same area."""
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:g}" {style}/>'
    if shape == "square":
        half = r * 0.89
        return f'<rect x="{x - half:.1f}" y="{y - half:.1f}" width="{2 * half:.1f}" height="{2 * half:.1f}" {style}/>'
    corners, turn, size = {"triangle": (3, -pi / 2, 1.42), "diamond": (4, 0.0, 1.25), "hexagon": (6, 0.0, 1.08)}[shape]
    drop = r * 0.22 if shape == "triangle" else 0
    angles = [turn + 2 * pi * i / corners for i in range(corners)]
    points = " ".join(f"{x + size * r * cos(a):.1f},{y + drop + size * r * sin(a):.1f}" for a in angles)
    return f'<polygon points="{points}" stroke-linejoin="round" {style}/>'


# The seats


def _seats(view: Json, names: Sequence[str], theme: Theme, locale: str, width: int) -> Iterator[str]:
    say = _WORDS[locale]
    yield f'<g id="seats"><text x="8" y="30" font-size="16" fill="{theme.faint}">{say["stack"]}: {view["stack"]}</text>'
    for seat, name in enumerate(names):
        y = 66 + 46 * seat
        if view["next"] == seat:
            yield f'<rect x="0" y="{y - 23}" width="{width}" height="44" rx="10" fill="{theme.card}"/>'
            yield _text(width - 12, y + 5, say["next"], theme.ink, 14, anchor="end", bold=True)
        style = f'fill="{SEAT_COLOURS[seat]}" stroke="{theme.ink}" stroke-width="1.5"'
        yield f'<g id="seat-{seat}">' + _shape(SEAT_SHAPES[seat], 24, y, 12, style)
        yield _text(48, y - 3, _short(name), theme.ink, 17, bold=view["next"] == seat)
        held = f"{view['coins'][seat]} {say['coins']}, {view['hand_sizes'][seat]} {say['stars']}"
        yield _text(48, y + 15, held, theme.faint, 14) + "</g>"
    if view["hand"] is not None:
        y = 66 + 46 * len(names)
        yield _text(8, y + 6, say["hand"], theme.faint, 15)
        for i, star in enumerate(view["hand"]):
            x = 24 + i * 37
            yield f'<circle cx="{x}" cy="{y + 34}" r="16" fill="{theme.card}" stroke="{theme.ink}" stroke-width="2"/>'
            yield _text(x, y + 40, star, theme.ink, 16, bold=True, anchor="middle")
    yield "</g>"


def _text(x: float, y: float, words: str, colour: str, size: int, anchor: str = "start", bold: bool = False) -> str:
    weight = ' font-weight="700"' if bold else ""
    place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"'
    return f"<text {place} fill={quoteattr(colour)}{weight}>{escape(words)}</text>"
