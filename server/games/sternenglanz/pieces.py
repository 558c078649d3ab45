"""Pictures of the pieces of Sternenglanz. Each class has its own shape, so that players can tell the classes apart
without colours."""

from functools import cache
from math import cos, pi, sin

from server.games.contract import Json
from server.games.sternenglanz.material import CARDS, GAP, LEUCHT, NOVA, PIECES, PRACHT, PUNKT, STARS
from server.games.sternenglanz.state import ACT
from server.render.picture_parts import ON_BRIGHT, Line, Sprite, Theme, around

_COLOURS = {PUNKT: "#d9e6ff", LEUCHT: "#ffd84d", PRACHT: "#ff9f45", NOVA: "#8e2c5e"}
COLOURS = tuple(_COLOURS.values())
_RAYS = {LEUCHT: (6, 27.0, 18.0), PRACHT: (8, 33.0, 22.0), NOVA: (14, 31.0, 21.0)}  # number, outer and inner radius
_DOT = 18.0
_GAP = 15.0


def pieces_in(view: Json) -> tuple[str, ...]:
    return PIECES if CARDS.scenarios[view["scenario"]].supernova else STARS


def is_performed(view: Json, seat: int, slot: int) -> bool:
    """Return whether a slot was performed in this turn and its card is still there."""
    is_acting = seat == view["next"] and view["phase"] == ACT
    return is_acting and any(it["slot"] == slot for it in view["log"]["performed"])


def piece(kind: str, at: tuple[float, float], size: float, theme: Theme, has_label: bool = False) -> str:
    """Return a star, a Supernova, or the gap of a Sternbild, as SVG. Size 1 is the size on the Firmament."""
    x, y = at
    style = f'fill="{_COLOURS.get(kind, "none")}" stroke="{theme.ink}" stroke-width="{1.6 * size**0.5:.1f}"'
    if kind == GAP:
        dashes = f'stroke-dasharray="{4 * size:.1f} {4 * size:.1f}"'
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_GAP * size:.1f}" {style} {dashes}/>'
    drawn = _disc(x, y, _DOT * size, style) if kind == PUNKT else _star(kind, x, y, size, style)
    if kind == PRACHT and not has_label:
        drawn += _disc(x, y, 11 * size, f'fill="{theme.card}"')
    return drawn


@cache
def lone_piece(kind: str, size: float, theme: Theme, ground: str, has_label: bool = False) -> Sprite:
    """Return a piece centred on the origin."""
    return Sprite(piece(kind, (0, 0), size, theme, has_label), around(0, 0, 35 * size), ground)


def label(kind: str, words: str) -> Line:
    """Return the text on a piece of size 1."""
    return Line(0, 8, words, "#ffffff" if kind == NOVA else ON_BRIGHT, 23, _COLOURS[kind], anchor="middle", bold=True)


def _disc(x: float, y: float, r: float, style: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}" {style}/>'


def _star(kind: str, x: float, y: float, size: float, style: str) -> str:
    rays, outer, inner = _RAYS[kind]
    points = " ".join(
        f"{x + r * sin(angle):.1f},{y - r * cos(angle):.1f}"
        for i in range(2 * rays)
        for r, angle in [((inner if i % 2 else outer) * size, pi * i / rays)]
    )
    return f'<polygon points="{points}" stroke-linejoin="round" {style}/>'
