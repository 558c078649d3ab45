"""What the pictures of all games are drawn with: the sheet, its colours, the shapes of the seats, and text."""

from collections.abc import Iterable, Iterator
from math import cos, pi, sin
from random import Random
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

FONT = "Noto Sans"
WIDTH, MARGIN = 720, 14  # a phone shows a sheet at half its size
PANEL = 340  # two columns of panels fill a sheet
_LONGEST_NAME = 22


class Theme(NamedTuple):
    sky: str
    card: str
    line: str
    ink: str
    faint: str
    twinkle: str
    gold: str


DARK = Theme("#0b1026", "#141b3c", "#7f8bc4", "#eef0ff", "#aab2dc", "#5d69a6", "#f2c94c")
LIGHT = Theme("#f4f1e8", "#ffffff", "#8a90ad", "#1b2138", "#565d7d", "#d9d3c0", "#8a5a00")

# Okabe and Ito's colours, which the colour-blind can tell apart; and a shape for each, which everybody can.
SEAT_COLOURS = ("#e69f00", "#56b4e9", "#2fbf95", "#f0e442", "#d98fb5")
SEAT_SHAPES = ("circle", "square", "triangle", "diamond", "hexagon")
ON_BRIGHT = "#10131f"


def sheet(height: int, title: str, theme: Theme, parts: Iterable[str]) -> str:
    """The whole picture; `title` is what is read aloud instead of it."""
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    manners = f'font-family="{FONT}, sans-serif" role="img" aria-labelledby="picture-title"'
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {manners}>',
        f'<title id="picture-title">{escape(title)}</title>',
        f'<rect width="{WIDTH}" height="{height}" fill="{theme.sky}"/>',
        *_twinkling(height, theme),
    ]
    return "".join([*head, *parts, "</svg>"])


def _twinkling(height: int, theme: Theme) -> Iterator[str]:
    """A sky behind the cards; always the same one, so that a picture depends on its view alone."""
    rng = Random(7)
    for _ in range(height // 9):
        x, y, r = rng.randrange(WIDTH), rng.randrange(height), rng.choice((0.7, 1, 1.4))
        yield f'<circle cx="{x}" cy="{y}" r="{r}" fill="{theme.twinkle}"/>'


def placed(left: float, top: float, parts: Iterable[str]) -> Iterator[str]:
    """These parts, with their upper left corner at this point."""
    yield f'<g transform="translate({left:g} {top:g})">'
    yield from parts
    yield "</g>"


def short(name: str) -> str:
    """A player's name, cut to what a panel has room for."""
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"


def text(x: float, y: float, words: str, colour: str, size: int, anchor: str = "start", bold: bool = False) -> str:
    weight = ' font-weight="700"' if bold else ""
    place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"'
    return f"<text {place} fill={quoteattr(colour)}{weight}>{escape(words)}</text>"


def seat_mark(seat: int, x: float, y: float, r: float, theme: Theme, width: float = 1.5) -> str:
    """The shape and colour that stand for a seat."""
    return shape(
        SEAT_SHAPES[seat], x, y, r, f'fill="{SEAT_COLOURS[seat]}" stroke="{theme.ink}" stroke-width="{width:g}"'
    )


def shape(shape: str, x: float, y: float, r: float, style: str) -> str:
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
