"""The cards of Sternenglanz: actions on slots and in hands, and Sternbilder."""

from collections.abc import Iterator, Mapping

from server.render.sternenglanz.names import bild_name, card_name
from server.render.sternenglanz.pieces import piece
from server.render.svg_parts import Theme, text
from server.rules import Json
from server.rules.sternenglanz.material import (
    CARDS_DATA,
    GEBURT,
    KIND_OF,
    LEUCHT,
    LOCH,
    NOVA,
    PUNKT,
    SUPERNOVA,
    WANDERUNG,
    Card,
)

CARD_WIDTH, CARD_HEIGHT = 104, 84
BILD = 116  # a Sternbild is a square

_FIGURES: Mapping[str, Json] = {it["id"]: it for it in CARDS_DATA["sternbilder"]}


def frame(width: float, height: float, theme: Theme, is_dashed: bool = False) -> str:
    fill, dashes = ("none", ' stroke-dasharray="5 5"') if is_dashed else (theme.sky, "")
    return f'<rect width="{width:g}" height="{height:g}" rx="9" fill="{fill}" stroke="{theme.line}"{dashes}/>'


# Action cards


def action_card(copy: str, theme: Theme, locale: str) -> Iterator[str]:
    """The face of a card, with what it does."""
    yield f"<title>{copy}, {card_name(copy, locale)}</title>"
    yield frame(CARD_WIDTH, CARD_HEIGHT, theme)
    yield from _face(KIND_OF[copy], theme)


def permanent_action(theme: Theme) -> Iterator[str]:
    """The Sterngeburt that is printed on slot 1."""
    yield frame(CARD_WIDTH, CARD_HEIGHT, theme, is_dashed=True)
    yield from _birth(theme)


def _face(kind: Card, theme: Theme) -> Iterator[str]:
    if kind.type == GEBURT:
        yield from _birth(theme)
    elif kind.type == WANDERUNG:
        yield from _migration(kind, theme)
    elif kind.type == LOCH:
        yield from _black_hole(kind, theme)
    elif kind.type == SUPERNOVA:
        yield piece(NOVA, 36, 42, 1, theme)
        yield text(96, 51, f"+{kind.points}", theme.gold, 24, anchor="end", bold=True)


def _birth(theme: Theme) -> Iterator[str]:
    yield text(26, 54, "+", theme.ink, 34, anchor="middle", bold=True)
    yield piece(LEUCHT, 64, 42, 0.9, theme)


def _migration(kind: Card, theme: Theme) -> Iterator[str]:
    yield f'<path d="M20 58Q44 14 78 40" fill="none" stroke="{theme.line}" stroke-width="3" stroke-dasharray="2 7"'
    yield ' stroke-linecap="round"/>'
    yield f'<path d="M70 30L84 44L65 47Z" fill="{theme.line}"/>'
    yield piece(PUNKT, 20, 60, 0.55, theme)
    yield text(62, 76, "/".join(map(str, kind.steps)), theme.ink, 28, anchor="middle", bold=True)


def _black_hole(kind: Card, theme: Theme) -> Iterator[str]:
    """What it scores: the star removed, the stars beside it, the points."""
    for row, each in enumerate(kind.constellations):
        y = 17 + 25 * row
        yield f'<circle cx="18" cy="{y}" r="11.5" fill="none" stroke="{theme.ink}" stroke-width="1.2"/>'
        yield piece(each.top, 18, y, 0.33, theme)
        beside = [star for star, count in each.needs for _ in range(count)]
        for i, star in enumerate(beside):
            yield piece(star, 44 + 21 * i, y, 0.33, theme)
        yield text(97, y + 7, str(each.points), theme.gold, 19, anchor="end", bold=True)


# Sternbilder


def sternbild(bild: str, theme: Theme, locale: str, size: float = BILD) -> Iterator[str]:
    """The figure, as a square of this size."""
    yield f'<g data-sternbild="{bild}"><title>{bild_name(bild, locale)}</title>' + frame(size, size, theme)
    figure = _FIGURES[bild]
    edge = size * 0.14
    at = {it["id"]: (edge + it["x"] * (size - 2 * edge), edge + it["y"] * (size - 2 * edge)) for it in figure["nodes"]}
    ends = "".join(f"M{at[a][0]:.1f} {at[a][1]:.1f}L{at[b][0]:.1f} {at[b][1]:.1f}" for a, b in figure["lines"])
    yield f'<path d="{ends}" stroke="{theme.line}" stroke-width="{size / 60:.1f}" fill="none"/>'
    for node in figure["nodes"]:
        x, y = at[node["id"]]
        scale = size / BILD * 0.35
        if node["is"] == "gap":
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{15 * scale:.1f}" fill="{theme.sky}"/>'
        yield piece(node["is"], x, y, scale, theme)
    yield "</g>"


def back(width: float, height: float, theme: Theme) -> Iterator[str]:
    """A card that lies face down."""
    yield frame(width, height, theme)
    yield f'<rect x="6" y="6" width="{width - 12:g}" height="{height - 12:g}" rx="5" fill="{theme.card}"/>'
    yield text(width / 2, height / 2 + 9, "?", theme.faint, 26, anchor="middle", bold=True)
