"""Pictures of the cards of Sternenglanz: actions in slots and in hands, and Sternbilder."""

from collections.abc import Iterator, Mapping
from functools import cache

from server.games.contract import Json
from server.games.sternenglanz.material import (
    CARDS,
    CARDS_DATA,
    GEBURT,
    KIND_OF,
    LOCH,
    NOVA,
    PUNKT,
    SUPERNOVA,
    WANDERUNG,
    Card,
)
from server.games.sternenglanz.names import bild_name, copy_name
from server.games.sternenglanz.pieces import piece
from server.render.picture_parts import Box, Line, Part, Sprite, Theme

CARD_WIDTH, CARD_HEIGHT = 104, 84
CARD = Box(-1, -1, CARD_WIDTH + 1, CARD_HEIGHT + 1)
BILD = 116  # a Sternbild is a square

_FIGURES: Mapping[str, Json] = {it["id"]: it for it in CARDS_DATA["sternbilder"]}


def frame(width: int, height: int, theme: Theme, is_dashed: bool = False) -> str:
    fill, dashes = ("none", ' stroke-dasharray="5 5"') if is_dashed else (theme.sky, "")
    return f'<rect width="{width}" height="{height}" rx="9" fill="{fill}" stroke="{theme.line}"{dashes}/>'


# Action cards


def action_card(copy: str, theme: Theme, locale: str, ground: str) -> Iterator[Part]:
    """Yield the face of a card, with its effect, on a background of this colour."""
    yield f"<title>{copy_name(copy, locale)}</title>"
    for part in _face(KIND_OF[copy].id, theme):
        yield part._replace(ground=ground) if isinstance(part, Sprite) else part


@cache
def permanent_action(theme: Theme) -> tuple[Sprite, Line]:
    """Return the Sterngeburt that is printed on slot 1."""
    return _birth(frame(CARD_WIDTH, CARD_HEIGHT, theme, is_dashed=True), theme, theme.card)


@cache
def _face(card: str, theme: Theme) -> tuple[Part, ...]:
    kind, card_frame = CARDS.kinds[card], frame(CARD_WIDTH, CARD_HEIGHT, theme)
    if kind.type == GEBURT:
        return _birth(card_frame, theme, theme.sky)
    if kind.type == WANDERUNG:
        return _migration(kind, card_frame, theme)
    if kind.type == LOCH:
        return _black_hole(kind, card_frame, theme)
    assert kind.type == SUPERNOVA
    points = Line(96, 51, f"+{kind.points}", theme.gold, 24, theme.sky, anchor="end", bold=True)
    return _on_card(card_frame + piece(NOVA, (36, 42), 1, theme), theme), points


def _on_card(svg: str, theme: Theme) -> Sprite:
    return Sprite(svg, CARD, theme.card)


def _birth(card_frame: str, theme: Theme, ground: str) -> tuple[Sprite, Line]:
    plus = Line(26, 54, "+", theme.ink, 34, ground, anchor="middle", bold=True)
    return _on_card(card_frame + piece(PUNKT, (66, 42), 0.9, theme), theme), plus


def _migration(kind: Card, card_frame: str, theme: Theme) -> tuple[Sprite, Line]:
    way = f'<path d="M20 58Q44 14 78 40" fill="none" stroke="{theme.line}" stroke-width="3" stroke-dasharray="2 7"'
    end = f'<path d="M70 30L84 44L65 47Z" fill="{theme.line}"/>'
    steps = Line(62, 76, "/".join(map(str, kind.steps)), theme.ink, 28, theme.sky, anchor="middle", bold=True)
    drawn = card_frame + way + ' stroke-linecap="round"/>' + end + piece(PUNKT, (20, 60), 0.55, theme)
    return _on_card(drawn, theme), steps


def _black_hole(kind: Card, card_frame: str, theme: Theme) -> tuple[Part, ...]:
    """Return a picture of how the card scores: the star removed, the stars beside it, the points."""
    drawn, points = [card_frame], []
    for row, each in enumerate(kind.constellations):
        y = 17 + 25 * row
        drawn.append(f'<circle cx="18" cy="{y}" r="11.5" fill="none" stroke="{theme.ink}" stroke-width="1.2"/>')
        beside = [star for star, count in each.needs for _ in range(count)]
        drawn.append(piece(each.top, (18, y), 0.33, theme))
        drawn += [piece(star, (44 + 21 * i, y), 0.33, theme) for i, star in enumerate(beside)]
        points.append(Line(97, y + 7, str(each.points), theme.gold, 19, theme.sky, anchor="end", bold=True))
    return _on_card("".join(drawn), theme), *points


# Sternbilder


@cache
def sternbild(bild: str, theme: Theme, locale: str, size: int = BILD) -> Sprite:
    figure = _FIGURES[bild]
    edge = size * 0.14
    at = {it["id"]: (edge + it["x"] * (size - 2 * edge), edge + it["y"] * (size - 2 * edge)) for it in figure["nodes"]}
    ends = "".join(f"M{at[a][0]:.1f} {at[a][1]:.1f}L{at[b][0]:.1f} {at[b][1]:.1f}" for a, b in figure["lines"])
    parts = [
        f'<g data-sternbild="{bild}"><title>{bild_name(bild, locale)}</title>' + frame(size, size, theme),
        f'<path d="{ends}" stroke="{theme.line}" stroke-width="{size / 60:.1f}" fill="none"/>',
    ]
    for node in figure["nodes"]:
        (x, y), scale = at[node["id"]], size / BILD * 0.35
        if node["is"] == "gap":
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{15 * scale:.1f}" fill="{theme.sky}"/>')
        parts.append(piece(node["is"], (x, y), scale, theme))
    return Sprite("".join([*parts, "</g>"]), Box(-1, -1, size + 1, size + 1), theme.card)


@cache
def back(width: int, height: int, theme: Theme) -> tuple[Sprite, Line]:
    inner = f'<rect x="6" y="6" width="{width - 12}" height="{height - 12}" rx="5" fill="{theme.card}"/>'
    unknown = Line(width // 2, height // 2 + 9, "?", theme.faint, 26, theme.card, anchor="middle", bold=True)
    return Sprite(frame(width, height, theme) + inner, Box(-1, -1, width + 1, height + 1), theme.card), unknown
