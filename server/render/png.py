"""A picture as PNG: shapes and lines of text, each drawn once and kept, laid one upon another.

With the fonts of this folder, so that every machine draws the same. What takes time is to draw, and to pack millions of
colours; so all is kept in the few colours that pictures of a theme are made of.
"""

from functools import cache
from io import BytesIO
from itertools import product
from pathlib import Path
from struct import pack
from threading import Lock
from typing import NamedTuple
from zlib import crc32

import resvg_py
from cachetools import LRUCache
from PIL import Image, ImageColor, ImageDraw, ImageFont
from zlib_ng import zlib_ng

from server.render.picture_parts import ON_BRIGHT, SEAT_COLOURS, WIDTH, Colours, Line, Picture, Sprite

_FONTS = Path(__file__).parent / "fonts"
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}
_LEVEL = 3  # of packing
_FILTER = 1  # a row begins with a byte that says how it is filtered: 0 for not at all
_Shade = tuple[int, int, int]
_MOST = 16 * 2**20  # bytes that are kept of what was drawn
_BESIDE = 3_000  # bytes that each takes beside its pixels


def png(picture: Picture) -> bytes:
    """The picture, a pixel for each unit of its SVG. The same picture makes the same bytes."""
    image = Image.new("P", (_FILTER + WIDTH, picture.height))
    for it in picture.parts:
        if not isinstance(it, str):
            drawn = _drawn(it._replace(left=0, top=0), picture.colours)
            image.paste(drawn.pixels, (_FILTER + it.left + drawn.left, it.top + drawn.top), drawn.mask)
    image.paste(0, (0, 0, _FILTER, picture.height))
    return _packed(image, _palette(picture.colours))


def _packed(image: Image.Image, palette: Image.Image) -> bytes:
    """As PNG (RFC 2083): Pillow writes it too, but packs with zlib, which takes three times as long."""
    head = pack(">IIBBBBB", image.width - _FILTER, image.height, 8, 3, 0, 0, 0)  # a byte a pixel, from a palette
    rows = zlib_ng.compress(image.tobytes(), _LEVEL)
    chunks = ((b"IHDR", head), (b"PLTE", bytes(palette.getpalette() or [])), (b"IDAT", rows), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        pack(">I", len(data)) + kind + data + pack(">I", crc32(kind + data)) for kind, data in chunks
    )


# The colours of a picture


@cache
def _shades(colours: Colours) -> list[_Shade]:
    """Its colours, and what is between them at the edges of shapes and letters: a hundred or less."""
    theme, pieces = colours
    fills = [*SEAT_COLOURS, *pieces]
    edges = [*product([*theme, *fills, ON_BRIGHT], [theme.sky, theme.card]), *product(fills, [theme.ink, ON_BRIGHT])]
    return list(
        dict.fromkeys(shade for one, other in edges for shade in (_rgb(one), _between(one, other), _rgb(other)))
    )


@cache
def _palette(colours: Colours) -> Image.Image:
    image = Image.new("P", (1, 1))
    image.putpalette([part for shade in _shades(colours) for part in shade])
    return image


@cache
def _place(shade: _Shade, colours: Colours) -> int:
    """Of the nearest one in the palette."""
    return min(
        range(len(_shades(colours))),
        key=lambda i: sum((a - b) ** 2 for a, b in zip(shade, _shades(colours)[i], strict=True)),
    )


def _between(one: str, other: str) -> _Shade:
    """One shade between two colours is enough for the eye, and packs well."""
    (r, g, b), (x, y, z) = _rgb(one), _rgb(other)
    return (r + x) // 2, (g + y) // 2, (b + z) // 2


def _rgb(colour: str) -> _Shade:
    return ImageColor.getrgb(colour)[:3]


# Shapes and lines of text


class _Drawn(NamedTuple):
    """Places in the palette, which of them are seen (all, if None), and where they lie from the origin."""

    pixels: Image.Image
    mask: Image.Image | None
    left: int
    top: int


_kept: LRUCache[tuple[Sprite | Line, Colours], _Drawn] = LRUCache(
    _MOST, lambda it: _BESIDE + 2 * it.pixels.width * it.pixels.height
)
_lock = Lock()


def _drawn(part: Sprite | Line, colours: Colours) -> _Drawn:
    with _lock:
        found = _kept.get((part, colours))
    if found is None:
        found = _draw(part, colours) if isinstance(part, Sprite) else _write(part, colours)
        with _lock:
            _kept[part, colours] = found
    return found


def _draw(it: Sprite, colours: Colours) -> _Drawn:
    """By itself: beside others it would differ by a pixel here and there."""
    left, top, right, bottom = it.box
    size = f'viewBox="{left} {top} {right - left} {bottom - top}" width="{right - left}" height="{bottom - top}"'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{it.svg}</svg>'
    with Image.open(BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True)))) as image:
        drawn = image.convert("RGBA")
    ground = Image.new("RGBA", drawn.size, it.ground)
    ground.alpha_composite(drawn)
    pixels = ground.convert("RGB").quantize(palette=_palette(colours), dither=Image.Dither.NONE)
    mask = None if it.covers else drawn.getchannel("A").point(lambda alpha: 255 if alpha else 0, "1")
    return _Drawn(pixels, mask, left, top)


def _write(it: Line, colours: Colours) -> _Drawn:
    font, anchor = _font(it.size, it.bold), _ANCHORS[it.anchor]
    left, top, right, bottom = (round(edge) for edge in font.getbbox(it.words, anchor=anchor))
    covered = Image.new("L", (max(right - left, 1), max(bottom - top, 1)))
    ImageDraw.Draw(covered).text((-left, -top), it.words, 255, font, anchor)
    edge, inside = (_place(shade, colours) for shade in (_between(it.ground, it.colour), _rgb(it.colour)))
    pixels = Image.frombytes("P", covered.size, covered.point([edge] * 192 + [inside] * 64).tobytes())
    mask = covered.point([0] * 64 + [255] * 192, "1")
    return _Drawn(pixels, mask, it.x + left, it.y + top)


@cache
def _font(size: int, bold: bool) -> ImageFont.FreeTypeFont:
    file = _FONTS / f"NotoSans-{'Bold' if bold else 'Regular'}.ttf"
    return ImageFont.truetype(file, size, layout_engine=ImageFont.Layout.BASIC)  # on every machine alike
