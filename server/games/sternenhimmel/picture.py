"""The picture of a table of Sternenhimmel, drawn from a view.

Every board is a group with an id such as `board-leo`, and every space a group with an id such as `leo-c`.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations

from server.games.contract import Json
from server.games.sternenhimmel.material import BOARDS, Board
from server.render.picture_parts import (
    LEGIBLE,
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
    fitted,
    news_mark,
    placed,
    seat_mark,
    shape,
    sheet,
)
from server.render.text_layout import captioned, punctuated

_ROW, _HEAD = 392, 50  # heights of a board and its heading
_MAP, _TOP = 300, 74  # size of a constellation's square, and its distance from the card's top
_SEAT = 58
_NEXT = 100  # width of "am Zug"
_RADIUS = {"large": 24, "small": 19}
_RING = 9  # between a star and the ring that marks it as new
_GAP = 2 * _RING + 4  # between two spaces, so that both may have a ring
_MOVES_APART = 200
_GOLD, _SILVER = "#ecc95a", "#cfd5e3"  # of the coins for the first and second prize

_WORDS: Mapping[str, Mapping[str, str]] = {
    "de": {"coins": "Münzen", "hand": "Deine Sterne", "stars": "Sterne", "stack": "Stapel", "next": "am Zug"},
    "en": {"coins": "coins", "hand": "Your stars", "stars": "stars", "stack": "Stack", "next": "to move"},
    "fr": {"coins": "pièces", "hand": "Tes étoiles", "stars": "étoiles", "stack": "Pile", "next": "à jouer"},
    "it": {"coins": "monete", "hand": "Le tue stelle", "stars": "stelle", "stack": "Pila", "next": "di turno"},
}
_SINGULAR: Mapping[str, Mapping[str, str]] = {
    "de": {"coins": "Münze", "stars": "Stern"},
    "en": {"coins": "coin", "stars": "star"},
    "fr": {"coins": "pièce", "stars": "étoile"},
    "it": {"coins": "moneta", "stars": "stella"},
}


def draw(view: Json, names: Sequence[str], theme: Theme, locale: str) -> Picture:
    """Draw constellations in two columns, then the seats. Seats fill the gap left by an odd number of boards."""
    boards = view["boards"]
    rows = (len(boards) + 1) // 2
    in_gap = len(boards) % 2 == 1
    seats_height = 66 + _SEAT * len(names) + (82 if view["hand"] is not None else 0)
    above = (rows - 1 if in_gap else rows) * _ROW
    height = max(rows * _ROW, above + seats_height) + MARGIN
    parts: list[Part] = []
    second = MARGIN + PANEL + MARGIN // 2
    for i, shown in enumerate(boards):
        left, top = (second if i % 2 else MARGIN), MARGIN + (i // 2) * _ROW
        parts += placed(left, top, _board(shown, theme, locale))
    if in_gap:
        parts += placed(second, MARGIN + (rows - 1) * _ROW, _seats(view, names, theme, locale, PANEL))
    else:
        parts += placed(MARGIN, MARGIN // 2 + rows * _ROW, _seats(view, names, theme, locale, WIDTH - 2 * MARGIN))
    return sheet(height, _spoken(view, names, locale), Colours(theme, (_GOLD, _SILVER)), parts)


def with_news(view: Json, before: Json) -> Json:
    """Return the view with the spaces, by board, on which stars have been placed since the earlier view."""
    was = {it["board"]: it["spaces"] for it in before["boards"]}

    def marked(shown: Json) -> Json:
        old = was.get(shown["board"], {})
        return shown | {"news": [space for space, lying in shown["spaces"].items() if lying and not old.get(space)]}

    return view | {"boards": [*map(marked, view["boards"])]}


def with_result(view: Json, final: Json) -> Json:
    """Return the final view with the boards of an earlier one."""
    return final | {"boards": view["boards"], "hand": None}


def fullness(view: Json) -> tuple[int, int, int]:
    """Return how much a picture shows: the number of constellations, the stars of the emptiest, and all stars."""
    stars = [sum(lying is not None for lying in shown["spaces"].values()) for shown in view["boards"]]
    return len(stars), min(stars, default=0), sum(stars)


def _spoken(view: Json, names: Sequence[str], locale: str) -> str:
    boards = ", ".join(BOARDS[it["board"]].names[locale] for it in view["boards"])
    scores = ", ".join(f"{name} {coins}" for name, coins in zip(names, view["coins"], strict=True))
    return punctuated(f"Sternenhimmel: {boards}. {_WORDS[locale]['coins']}: {scores}", locale)


# Boards


def _board(shown: Json, theme: Theme, locale: str) -> Iterator[Part]:
    board = BOARDS[shown["board"]]
    yield f'<g id="board-{board.id}" data-board="{board.id}" data-slot="{shown["slot"]}">'
    yield _lines(board.id, theme)
    yield Line(16, 34, board.names[locale], theme.ink, 26, theme.card, bold=True)
    yield from placed(PANEL - 70, 24, _coin(board.first, 17, _GOLD, theme))
    yield from placed(PANEL - 32, 24, _coin(board.second, 15, _SILVER, theme))
    if "payouts" in shown:
        yield from _gains(shown["payouts"], theme)
    elif board.id != board.names[locale].lower():
        yield Line(16, 58, board.id.capitalize(), theme.faint, 20, theme.card)
    news = shown.get("news", ())
    for space, lying in shown["spaces"].items():
        x, y = _at(board, space)
        what = f'id="{board.id}-{space}" data-board="{board.id}" data-space="{space}" '
        mark = news_mark(_RADIUS[board.spaces[space].size] + _RING, theme) if space in news else ()
        yield from placed(x, y, [*mark, *_space(board, space, lying, theme)], what)
    for space, lying in shown["spaces"].items():
        if lying is not None:
            yield _name_beside(board.id, space, theme)
    yield "</g>"


def _coin(prize: int, r: int, colour: str, theme: Theme) -> Iterator[Part]:
    disc = f'<circle r="{r}" fill="{colour}" stroke="{theme.ink}" stroke-width="1.5"/>'
    yield Sprite(disc, around(0, 0, r + 2), theme.card)
    yield Line(0, 8, str(prize), ON_BRIGHT, LEGIBLE, colour, anchor="middle", bold=True)


@cache
def _name_beside(board_id: str, space: str, theme: Theme) -> Line:
    """Return the name of a space with a star."""
    place = _places_of_names(board_id)[space]
    return Line(round(place.real), round(place.imag) + 6, space, theme.faint, 20, theme.card, anchor="middle")


@cache
def _places_of_names(board_id: str) -> Mapping[str, complex]:
    """Return where the names of spaces stand beside their stars: on the card, away from stars of all shapes, from lines
    and from each other."""
    board = BOARDS[board_id]
    at = {it: complex(*_at(board, it)) for it in board.spaces}
    reach = {it: _RADIUS[board.spaces[it].size] for it in board.spaces}
    lines = [(at[one], at[other]) for one, other in board.lines]
    found: dict[str, complex] = {}

    def room(place: complex, space: str) -> float:
        stars = (abs(place - at[it]) - 1.2 * reach[it] for it in board.spaces if it != space)
        return min(
            *stars, *(_to_line(place, *it) for it in lines), *(abs(place - it) - 10 for it in found.values()), 12
        )

    for space in board.spaces:
        r = reach[space]
        side, below, far = 0.9 * r + 9, 0.93 * r + 11, 1.25 * r + 10
        corners = ((side, -side), (-side, -side), (side, below), (-side, below))
        places = [at[space] + complex(*it) for it in (*corners, (far, 0), (-far, 0), (0, far), (0, -far))]
        inside = [it for it in places if 8 < it.real < PANEL - 8 and _HEAD + 18 < it.imag < _ROW - MARGIN - 12]
        found[space] = max(inside, key=lambda place: room(place, space))
    return found


def _to_line(place: complex, one: complex, other: complex) -> float:
    """Return the distance from a place to a line between two stars."""
    way = other - one
    share = ((place - one) * way.conjugate()).real / abs(way) ** 2
    return abs(place - one - way * max(0.0, min(1.0, share)))


def _gains(payouts: Sequence[int], theme: Theme) -> Iterator[Part]:
    """Yield each seat's gains from a scored board."""
    paid = [(seat, coins) for seat, coins in enumerate(payouts) if coins]
    for place, (seat, coins) in enumerate(reversed(paid)):
        right = PANEL - 16 - 64 * place
        yield from placed(right - 47, 51, [seat_mark(seat, 8, theme, theme.card)])
        yield Line(right, 58, f"{coins:+d}", theme.gold, 20, theme.card, anchor="end", bold=True)


@cache
def _lines(board_id: str, theme: Theme) -> Sprite:
    """Return the constellation of a board, without its spaces."""
    board = BOARDS[board_id]
    ends = [(_at(board, one), _at(board, other)) for one, other in board.lines]
    ways = "".join(f"M{x1} {y1}L{x2} {y2}" for (x1, y1), (x2, y2) in ends)
    card = f'<rect width="{PANEL}" height="{_ROW - MARGIN}" rx="14" fill="{theme.card}"/>'
    drawn = f'<path d="{ways}" stroke="{theme.line}" stroke-width="2" fill="none"/>'
    return Sprite(card + drawn, Box(0, 0, PANEL, _ROW - MARGIN), theme.sky, covers=True)


def _at(board: Board, space: str) -> tuple[int, int]:
    place = _places(board.id)[space]
    return round(place.real), round(place.imag)


@cache
def _places(board_id: str) -> Mapping[str, complex]:
    """Return where the spaces of a constellation are drawn: as in the sky, but spaces that are too close move apart until
    the rings around them have room."""
    board, edge = BOARDS[board_id], (PANEL - _MAP) / 2
    reach = {it: _RADIUS[here.size] for it, here in board.spaces.items()}
    at = {it: complex(edge + here.x * _MAP, _TOP + here.y * (_MAP - 8)) for it, here in board.spaces.items()}
    for _ in range(_MOVES_APART):
        for one, other in combinations(at, 2):
            way = at[other] - at[one]
            missing = reach[one] + reach[other] + _GAP - abs(way)
            if missing > 0:
                step = way / abs(way) * missing / 2
                at[one], at[other] = at[one] - step, at[other] + step
        for space, place in at.items():
            r = reach[space] + _RING
            x = min(max(place.real, r), PANEL - r)
            at[space] = complex(x, min(max(place.imag, _TOP + reach[space] - 8), _ROW - MARGIN - r))
    return at


def _space(board: Board, space: str, lying: Json | None, theme: Theme) -> Iterator[Part]:
    size = board.spaces[space].size
    if lying is None:
        yield f"<title>{board.id} {space}, {size}, empty</title>"
        yield _free(size, theme)
        yield Line(0, 8, space, theme.ink, LEGIBLE, theme.card, anchor="middle")
    else:
        seat, star = lying["seat"], lying["star"]
        yield f"<title>{board.id} {space}, {size}, seat {seat}, {star or 'face down'}</title>"
        yield _star(seat, size, theme)
        type_size = LEGIBLE if star != "10" else 19  # a triangle has no room for more
        yield Line(0, 8, star or "?", ON_BRIGHT, type_size, SEAT_COLOURS[seat], bold=True, anchor="middle")


@cache
def _free(size: str, theme: Theme) -> Sprite:
    r = _RADIUS[size]
    ring = f'<circle r="{r}" fill="{theme.card}" stroke="{theme.ink}" stroke-width="2"/>'
    if size == "large":  # as on the stars that lie face down there
        ring += f'<circle r="{r - 4}" fill="none" stroke="{theme.ink}" stroke-dasharray="3 3"/>'
    return Sprite(ring, around(0, 0, r + 2), theme.card)


@cache
def _star(seat: int, size: str, theme: Theme) -> Sprite:
    """Return a seat's star. On a large space the star is drawn face down, even if the viewer knows its value."""
    star = seat_mark(seat, _RADIUS[size], theme, theme.card, width=2)
    if size == "small":
        return star
    dashes = f'fill="none" stroke="{ON_BRIGHT}" stroke-dasharray="3 3"'
    return star._replace(svg=star.svg + shape(SEAT_SHAPES[seat], _RADIUS[size] - 4, dashes))


# Seats


def _seats(view: Json, names: Sequence[str], theme: Theme, locale: str, width: int) -> Iterator[Part]:
    say = _WORDS[locale]
    yield '<g id="seats">'
    yield Line(8, 30, captioned(f"{say['stack']}: {view['stack']}", locale), theme.faint, 21, theme.sky)
    for seat, _ in enumerate(names):
        row = _seat(view, seat, names, (theme, locale), width)
        yield from placed(0, 72 + _SEAT * seat, row, f'id="seat-{seat}" ')
    if view["hand"] is not None:
        y = 72 + _SEAT * len(names)
        yield Line(8, y + 4, say["hand"], theme.faint, 21, theme.sky)
        for i, star in enumerate(view["hand"]):
            label = Line(0, 8, star, theme.ink, 22, theme.card, bold=True, anchor="middle")
            yield from placed(24 + i * 37, y + 38, [_disc(theme), label])
    yield "</g>"


def _seat(view: Json, seat: int, names: Sequence[str], style: tuple[Theme, str], width: int) -> Iterator[Part]:
    (theme, locale), is_next = style, view["next"] == seat
    say, ground = _WORDS[locale], theme.card if is_next else theme.sky
    if is_next:
        marked = f'<rect y="-29" width="{width}" height="56" rx="10" fill="{theme.card}"/>'
        yield Sprite(marked, Box(0, -29, width, 27), theme.sky, covers=True)
        yield Line(width - 10, -4, say["next"], theme.ink, 20, ground, anchor="end", bold=True)
    yield from placed(24, 0, [seat_mark(seat, 14, theme, ground)])
    words, size = fitted(names[seat], width - 60 - (_NEXT if is_next else 0), LEGIBLE)
    yield Line(50, -4, words, theme.ink, size, ground, bold=is_next, keeps_width=True)
    held = f"{_counted(view['coins'][seat], 'coins', locale)}, {_counted(view['hand_sizes'][seat], 'stars', locale)}"
    yield Line(50, 19, held, theme.faint, 20, ground)


def _counted(number: int, what: str, locale: str) -> str:
    is_singular = number == 1 or (number == 0 and locale == "fr")
    return f"{number} {(_SINGULAR if is_singular else _WORDS)[locale][what]}"


@cache
def _disc(theme: Theme) -> Sprite:
    disc = f'<circle r="17" fill="{theme.card}" stroke="{theme.ink}" stroke-width="2"/>'
    return Sprite(disc, around(0, 0, 19), theme.sky)
