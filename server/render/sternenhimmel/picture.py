"""The table of Sternenhimmel, drawn from a view.

Every board is a group with the id `board-leo`, every space one with the id `leo-c`.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from server.render.picture_parts import (
    MARGIN,
    ON_BRIGHT,
    PANEL,
    SEAT_COLOURS,
    SEAT_SHAPES,
    WIDTH,
    Box,
    Colours,
    Line,
    Part,
    Picture,
    Sprite,
    Theme,
    around,
    placed,
    seat_mark,
    shape,
    sheet,
    short,
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


def draw(view: Json, names: Sequence[str], theme: Theme, locale: str) -> Picture:
    """Constellations in two columns, then the seats; these fill the gap that an odd number of boards leaves."""
    boards = view["boards"]
    rows = (len(boards) + 1) // 2
    in_gap = len(boards) % 2 == 1
    seats_height = 60 + 46 * len(names) + (76 if view["hand"] is not None else 0)
    height = max(rows * _ROW, 1) + MARGIN + (0 if in_gap else seats_height)
    parts: list[Part] = []
    second = MARGIN + PANEL + MARGIN // 2
    for i, shown in enumerate(boards):
        left, top = (second if i % 2 else MARGIN), MARGIN + (i // 2) * _ROW
        parts += placed(left, top, _board(shown, theme, locale))
    if in_gap:
        parts += placed(second, MARGIN + (rows - 1) * _ROW, _seats(view, names, theme, locale, PANEL))
    else:
        parts += placed(MARGIN, MARGIN // 2 + rows * _ROW, _seats(view, names, theme, locale, WIDTH - 2 * MARGIN))
    return sheet(height, _spoken(view, names, locale), Colours(theme), parts)


def _spoken(view: Json, names: Sequence[str], locale: str) -> str:
    boards = ", ".join(BOARDS[it["board"]].names[locale] for it in view["boards"])
    scores = ", ".join(f"{short(name)} {coins}" for name, coins in zip(names, view["coins"], strict=True))
    return f"Sternenhimmel: {boards}. {_WORDS[locale]['coins']}: {scores}"


# A board


def _board(shown: Json, theme: Theme, locale: str) -> Iterator[Part]:
    board = BOARDS[shown["board"]]
    yield f'<g id="board-{board.id}" data-board="{board.id}" data-slot="{shown["slot"]}">'
    yield _lines(board.id, theme)
    yield Line(16, 32, board.names[locale], theme.ink, 21, theme.card, bold=True)
    yield Line(PANEL - 16, 32, f"{board.first} / {board.second}", theme.ink, 19, theme.card, anchor="end")
    yield Line(16, 50, board.id, theme.faint, 13, theme.card)
    for space, lying in shown["spaces"].items():
        x, y = _at(board, space)
        what = f'id="{board.id}-{space}" data-board="{board.id}" data-space="{space}" '
        yield from placed(x, y, _space(board, space, lying, theme), what)
    yield "</g>"


@cache
def _lines(board_id: str, theme: Theme) -> Sprite:
    """The constellation that a board shows, without its spaces."""
    board = BOARDS[board_id]
    ends = [(_at(board, one), _at(board, other)) for one, other in board.lines]
    ways = "".join(f"M{x1} {y1}L{x2} {y2}" for (x1, y1), (x2, y2) in ends)
    card = f'<rect width="{PANEL}" height="{_ROW - MARGIN}" rx="14" fill="{theme.card}"/>'
    drawn = f'<path d="{ways}" stroke="{theme.line}" stroke-width="2" fill="none"/>'
    return Sprite(card + drawn, Box(0, 0, PANEL, _ROW - MARGIN), theme.sky, covers=True)


def _at(board: Board, space: str) -> tuple[int, int]:
    edge = (PANEL - _MAP) / 2
    here = board.spaces[space]
    return round(edge + here.x * _MAP), round(_TOP + here.y * (_MAP - 8))


def _space(board: Board, space: str, lying: Json | None, theme: Theme) -> Iterator[Part]:
    size = board.spaces[space].size
    if lying is None:
        yield f"<title>{board.id} {space}, {size}, empty</title>"
        yield _free(size, theme)
        yield Line(0, 6, space, theme.ink, 17, theme.card, anchor="middle")
    else:
        seat, star, r = lying["seat"], lying["star"], _RADIUS[size]
        yield f"<title>{board.id} {space}, {size}, seat {seat}, {star or 'face down'}</title>"
        yield _star(seat, size, theme)
        yield Line(0, 6, star or "?", ON_BRIGHT, 18, SEAT_COLOURS[seat], bold=True, anchor="middle")
        yield Line(r + 3, 7 - r, space, theme.faint, 14, theme.card)


@cache
def _free(size: str, theme: Theme) -> Sprite:
    r = _RADIUS[size]
    ring = f'<circle r="{r}" fill="{theme.card}" stroke="{theme.ink}" stroke-width="2"/>'
    return Sprite(ring, around(0, 0, r + 2), theme.card)


@cache
def _star(seat: int, size: str, theme: Theme) -> Sprite:
    """A seat's star; on a large space it lies face down, even where the viewer knows it."""
    star = seat_mark(seat, _RADIUS[size], theme, theme.card, width=2)
    if size == "small":
        return star
    dashes = f'fill="none" stroke="{ON_BRIGHT}" stroke-dasharray="3 3"'
    return star._replace(svg=star.svg + shape(SEAT_SHAPES[seat], _RADIUS[size] - 4, dashes))


# The seats


def _seats(view: Json, names: Sequence[str], theme: Theme, locale: str, width: int) -> Iterator[Part]:
    say = _WORDS[locale]
    yield '<g id="seats">'
    yield Line(8, 30, f"{say['stack']}: {view['stack']}", theme.faint, 16, theme.sky)
    for seat, name in enumerate(names):
        is_next = view["next"] == seat
        what = f'id="seat-{seat}" '
        yield from placed(0, 66 + 46 * seat, _seat(view, seat, name, is_next, theme, locale, width), what)
    if view["hand"] is not None:
        y = 66 + 46 * len(names)
        yield Line(8, y + 6, say["hand"], theme.faint, 15, theme.sky)
        for i, star in enumerate(view["hand"]):
            label = Line(0, 6, star, theme.ink, 16, theme.card, bold=True, anchor="middle")
            yield from placed(24 + i * 37, y + 34, [_disc(theme), label])
    yield "</g>"


def _seat(view: Json, seat: int, name: str, is_next: bool, theme: Theme, locale: str, width: int) -> Iterator[Part]:
    say, ground = _WORDS[locale], theme.card if is_next else theme.sky
    if is_next:
        marked = f'<rect y="-23" width="{width}" height="44" rx="10" fill="{theme.card}"/>'
        yield Sprite(marked, Box(0, -23, width, 21), theme.sky, covers=True)
        yield Line(width - 12, 5, say["next"], theme.ink, 14, ground, anchor="end", bold=True)
    yield from placed(24, 0, [seat_mark(seat, 12, theme, ground)])
    yield Line(48, -3, short(name), theme.ink, 17, ground, bold=is_next)
    held = f"{view['coins'][seat]} {say['coins']}, {view['hand_sizes'][seat]} {say['stars']}"
    yield Line(48, 15, held, theme.faint, 14, ground)


@cache
def _disc(theme: Theme) -> Sprite:
    disc = f'<circle r="16" fill="{theme.card}" stroke="{theme.ink}" stroke-width="2"/>'
    return Sprite(disc, around(0, 0, 18), theme.sky)
