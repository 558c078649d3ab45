"""Elements that the pictures of all games share: the sheet, its colours, the shapes of the seats, and text."""

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from math import ceil, cos, floor, hypot, pi, sin
from pathlib import Path
from re import compile as regex
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from PIL import ImageFont

_FONTS = Path(__file__).parent / "fonts"
FONT = "Noto Sans"
WIDTH, MARGIN = 720, 14  # in an email on a narrow phone, a picture is shown at less than half its size
PANEL = 340  # two columns of panels fill the width
LEGIBLE = 24  # size of what players must read: 11 pixels on a phone 360 pixels wide
_SMALLEST = 20  # size to which a long name shrinks before it is shortened
_MARKS = regex(r"(?<!\))(?: \([^()]*\))+$")  # such as " (program)", and the number of a seat


class Theme(NamedTuple):
    sky: str
    card: str
    line: str
    ink: str
    faint: str
    gold: str


DARK = Theme("#0b1026", "#141b3c", "#7f8bc4", "#eef0ff", "#aab2dc", "#f2c94c")
LIGHT = Theme("#f4f1e8", "#ffffff", "#8a90ad", "#1b2138", "#565d7d", "#8a5a00")

# Okabe and Ito's palette, which colour-blind players can tell apart. The shapes help everyone.
SEAT_COLOURS = ("#e69f00", "#56b4e9", "#2fbf95", "#f0e442", "#d98fb5")
SEAT_SHAPES = ("circle", "square", "triangle", "diamond", "hexagon")
ON_BRIGHT = "#10131f"


class Colours(NamedTuple):
    """The colours of a picture: a theme and the colours of the game's pieces."""

    theme: Theme
    pieces: tuple[str, ...] = ()


class Box(NamedTuple):
    """A rectangle in whole pixels, so its content looks the same at every position."""

    left: int
    top: int
    right: int
    bottom: int


class Sprite(NamedTuple):
    """Shapes that are drawn once on a background colour, and pasted at several positions."""

    svg: str  # must not contain text
    box: Box  # contains every pixel of the shapes
    ground: str  # background colour
    covers: bool = False  # whether the background fills the box
    left: int = 0  # position of the origin
    top: int = 0


class Line(NamedTuple):
    """A line of text on a background colour. `x` and `y` are the point on its baseline that `anchor` names."""

    x: int
    y: int
    words: str
    colour: str
    size: int
    ground: str
    anchor: str = "start"
    bold: bool = False
    keeps_width: bool = False  # in SVG, also where the font is missing
    left: int = 0
    top: int = 0

    @property
    def svg(self) -> str:
        weight, kept = ' font-weight="700"' if self.bold else "", ""
        if self.keeps_width:
            width = font_of(self.size, self.bold).getlength(self.words)
            kept = f' textLength="{width:.0f}" lengthAdjust="spacingAndGlyphs"'
        place = f'x="{self.x}" y="{self.y}" font-size="{self.size}" text-anchor="{self.anchor}"'
        return f"<text {place} fill={quoteattr(self.colour)}{weight}{kept}>{escape(self.words)}</text>"


Part = Sprite | Line | str  # a string is invisible markup, such as the start of a group


class Picture(NamedTuple):
    """A complete picture. Its parts are in order from back to front. Screen readers read out `title`."""

    height: int
    title: str
    colours: Colours
    parts: list[Part]

    def svg(self) -> str:
        size = f'viewBox="0 0 {WIDTH} {self.height}" width="{WIDTH}" height="{self.height}"'
        manners = f'font-family="{FONT}, sans-serif" role="img" aria-labelledby="picture-title"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {manners}>'
        title = f'<title id="picture-title">{escape(self.title)}</title>'
        return "".join([head, title, *(it if isinstance(it, str) else it.svg for it in self.parts), "</svg>"])


def sheet(height: int, title: str, colours: Colours, parts: Iterable[Part]) -> Picture:
    """Return a picture with these parts in front of a sky."""
    sky = f'<rect width="{WIDTH}" height="{height}" fill="{colours.theme.sky}"/>'
    return Picture(height, title, colours, [sky, *parts])


def placed(left: int, top: int, parts: Iterable[Part], what: str = "") -> Iterator[Part]:
    """Yield these parts as a group whose origin is at this point. `what` contains attributes of the group."""
    yield f'<g {what}transform="translate({left} {top})">'
    for it in parts:
        yield it if isinstance(it, str) else it._replace(left=left + it.left, top=top + it.top)
    yield "</g>"


def corners(reach: float) -> list[tuple[float, float]]:
    """Return the corners of a square around the origin, upper corners first. `reach` is half the length of a side."""
    return [(x, y) for y in (-reach, reach) for x in (reach, -reach)]


def clearest(places: Iterable[tuple[float, float]], others: Iterable[tuple[float, float]]) -> tuple[int, int]:
    """Return the one of these places that is farthest from all `others`."""
    known = list(others)
    x, y = max(places, key=lambda at: min((hypot(at[0] - x, at[1] - y) for x, y in known), default=0))
    return round(x), round(y)


def around(x: float, y: float, r: float) -> Box:
    """Return the box around a circle with radius `r`."""
    return Box(floor(x - r), floor(y - r), ceil(x + r), ceil(y + r))


@lru_cache(2_000)
def fitted(name: str, room: int, size: int) -> tuple[str, int]:
    """Return a player's name and its size, so that it fits this width in bold. A long name shrinks before it is
    shortened, and keeps what stands in parentheses at its end."""
    for smaller in range(size, _SMALLEST - 1, -1):
        if _width(name, smaller) <= room:
            return name, smaller
    found = _MARKS.search(name)
    marks = found[0] if found and _width(found[0], _SMALLEST) <= room / 2 else ""
    rest = name.removesuffix(marks)
    while rest and _width(f"{rest}…{marks}", _SMALLEST) > room:
        rest = rest[:-1]
    return f"{rest}…{marks}", _SMALLEST


def _width(words: str, size: int) -> float:
    return font_of(size, bold=True).getlength(words)


@cache
def font_of(size: int, bold: bool) -> ImageFont.FreeTypeFont:
    file = _FONTS / f"NotoSans-{'Bold' if bold else 'Regular'}.ttf"
    return ImageFont.truetype(file, size, layout_engine=ImageFont.Layout.BASIC)  # the same on every machine


@cache
def seat_mark(seat: int, r: int, theme: Theme, ground: str, width: float = 1.5) -> Sprite:
    """Return the mark of a seat, which has the seat's shape and colour, centred on the origin."""
    style = f'fill="{SEAT_COLOURS[seat]}" stroke="{theme.ink}" stroke-width="{width:g}"'
    return Sprite(shape(SEAT_SHAPES[seat], r, style), around(0, 0, 1.42 * r + 3), ground)


@cache
def news_mark(r: int, theme: Theme) -> list[Sprite]:
    """Return the ring around what has come since the viewer's last turn."""
    ring = f'<circle r="{r}" fill="none" stroke="{theme.ink}" stroke-width="3"/>'
    return [Sprite(ring, around(0, 0, r + 2), theme.card)]


def shape(shape: str, r: float, style: str) -> str:
    """Return this shape as SVG, centred on the origin. All shapes have about the same area."""
    if shape == "circle":
        return f'<circle r="{r:g}" {style}/>'
    if shape == "square":
        half = r * 0.89
        return f'<rect x="{-half:.1f}" y="{-half:.1f}" width="{2 * half:.1f}" height="{2 * half:.1f}" {style}/>'
    corners, turn, size = {"triangle": (3, -pi / 2, 1.42), "diamond": (4, 0.0, 1.25), "hexagon": (6, 0.0, 1.08)}[shape]
    drop = r * 0.22 if shape == "triangle" else 0
    angles = [turn + 2 * pi * i / corners for i in range(corners)]
    points = " ".join(f"{size * r * cos(a):.1f},{drop + size * r * sin(a):.1f}" for a in angles)
    return f'<polygon points="{points}" stroke-linejoin="round" {style}/>'
