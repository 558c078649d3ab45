"""The table of Sternenhimmel, drawn from a view.

Every board is a group with the id `board-leo`, every space one with the id `leo-c`.
"""

from collections.abc import Iterator, Mapping, Sequence

from server.render.svg_parts import (
    MARGIN,
    ON_BRIGHT,
    PANEL,
    SEAT_COLOURS,
    SEAT_SHAPES,
    WIDTH,
    Theme,
    placed,
    seat_mark,
    shape,
    sheet,
    short,
    text,
)
from server.rules import Json
from server.rules.sternenhimmel import BOARDS, Board

_ROW = 372
_MAP, _TOP = 300, 54  # the square in which a constellation is drawn, and where it begins below the card's edge
_RADIUS = {"large": 21, "small": 16}

_WORDS: Mapping[str, Mapping[str, str]] = {
    "de": {"coins": "Münzen", "hand": "Deine Sterne", "stars": "Sterne", "stack": "Stapel", "next": "am Zug"},
    "en": {"coins": "coins", "hand": "Your stars", "stars": "stars", "stack": "Stack", "next": "to move"},
    "fr": {"coins": "pièces", "hand": "Vos étoiles", "stars": "étoiles", "stack": "Pile", "next": "à jouer"},
    "it": {"coins": "monete", "hand": "Le tue stelle", "stars": "stelle", "stack": "Pila", "next": "di turno"},
}


def draw(view: Json, names: Sequence[str], theme: Theme, locale: str) -> str:
    """Constellations in two columns, then the seats; these fill the gap that an odd number of boards leaves."""
    boards = view["boards"]
    rows = (len(boards) + 1) // 2
    in_gap = len(boards) % 2 == 1
    seats_height = 60 + 46 * len(names) + (76 if view["hand"] is not None else 0)
    height = max(rows * _ROW, 1) + MARGIN + (0 if in_gap else seats_height)
    parts: list[str] = []
    second = MARGIN + PANEL + MARGIN // 2
    for i, shown in enumerate(boards):
        left, top = (second if i % 2 else MARGIN), MARGIN + (i // 2) * _ROW
        parts += placed(left, top, _board(shown, theme, locale))
    if in_gap:
        parts += placed(second, MARGIN + (rows - 1) * _ROW, _seats(view, names, theme, locale, PANEL))
    else:
        parts += placed(MARGIN, MARGIN // 2 + rows * _ROW, _seats(view, names, theme, locale, WIDTH - 2 * MARGIN))
    return sheet(height, _spoken(view, names, locale), theme, parts)


def _spoken(view: Json, names: Sequence[str], locale: str) -> str:
    boards = ", ".join(BOARDS[it["board"]].names[locale] for it in view["boards"])
    scores = ", ".join(f"{short(name)} {coins}" for name, coins in zip(names, view["coins"], strict=True))
    return f"Sternenhimmel: {boards}. {_WORDS[locale]['coins']}: {scores}"


# A board


def _board(shown: Json, theme: Theme, locale: str) -> Iterator[str]:
    board = BOARDS[shown["board"]]
    yield f'<g id="board-{board.id}" data-board="{board.id}" data-slot="{shown["slot"]}">'
    yield f'<rect width="{PANEL}" height="{_ROW - MARGIN}" rx="14" fill="{theme.card}"/>'
    yield text(16, 32, board.names[locale], theme.ink, 21, bold=True)
    yield text(PANEL - 16, 32, f"{board.first} / {board.second}", theme.ink, 19, anchor="end")
    yield text(16, 50, board.id, theme.faint, 13)
    for one, other in board.lines:
        (x1, y1), (x2, y2) = _at(board, one), _at(board, other)
        ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        yield f'<line {ends} stroke="{theme.line}" stroke-width="2"/>'
    for space, lying in shown["spaces"].items():
        yield from _space(board, space, lying, theme)
    yield "</g>"


def _at(board: Board, space: str) -> tuple[float, float]:
    edge = (PANEL - _MAP) / 2
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
        yield text(x, y + 6, space, theme.ink, 17, anchor="middle")
    else:
        seat, star = lying["seat"], lying["star"]
        yield f"<title>{board.id} {space}, {size}, seat {seat}, {star or 'face down'}</title>"
        yield shape(SEAT_SHAPES[seat], x, y, r, f'fill="{SEAT_COLOURS[seat]}" stroke="{theme.ink}" stroke-width="2"')
        if size == "large":  # lies face down, even where the viewer knows it
            yield shape(SEAT_SHAPES[seat], x, y, r - 4, f'fill="none" stroke="{ON_BRIGHT}" stroke-dasharray="3 3"')
        yield text(x, y + 6, star or "?", ON_BRIGHT, 18, bold=True, anchor="middle")
        yield text(x + r + 3, y - r + 7, space, theme.faint, 14)
    yield "</g>"


# The seats


def _seats(view: Json, names: Sequence[str], theme: Theme, locale: str, width: int) -> Iterator[str]:
    say = _WORDS[locale]
    yield f'<g id="seats"><text x="8" y="30" font-size="16" fill="{theme.faint}">{say["stack"]}: {view["stack"]}</text>'
    for seat, name in enumerate(names):
        y = 66 + 46 * seat
        if view["next"] == seat:
            yield f'<rect x="0" y="{y - 23}" width="{width}" height="44" rx="10" fill="{theme.card}"/>'
            yield text(width - 12, y + 5, say["next"], theme.ink, 14, anchor="end", bold=True)
        yield f'<g id="seat-{seat}">' + seat_mark(seat, 24, y, 12, theme)
        yield text(48, y - 3, short(name), theme.ink, 17, bold=view["next"] == seat)
        held = f"{view['coins'][seat]} {say['coins']}, {view['hand_sizes'][seat]} {say['stars']}"
        yield text(48, y + 15, held, theme.faint, 14) + "</g>"
    if view["hand"] is not None:
        y = 66 + 46 * len(names)
        yield text(8, y + 6, say["hand"], theme.faint, 15)
        for i, star in enumerate(view["hand"]):
            x = 24 + i * 37
            yield f'<circle cx="{x}" cy="{y + 34}" r="16" fill="{theme.card}" stroke="{theme.ink}" stroke-width="2"/>'
            yield text(x, y + 40, star, theme.ink, 16, bold=True, anchor="middle")
    yield "</g>"
