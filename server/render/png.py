"""Encodes pictures as PNG. Shapes and lines of text are drawn once, cached, and pasted onto each other.

The fonts are in this folder, so that pictures look the same on every machine. With one palette per theme, drawing and
compressing are fast.
"""

from functools import cache, lru_cache
from io import BytesIO
from itertools import accumulate, product
from struct import pack
from threading import Lock
from typing import Any, NamedTuple
from zlib import crc32

import resvg_py
from cachetools import LRUCache
from PIL import Image, ImageColor, ImageDraw
from zlib_ng import zlib_ng

from server.render.picture_parts import ON_BRIGHT, SEAT_COLOURS, WIDTH, Colours, Line, Picture, Sprite, font_of

_LEVEL = 4  # level of compression
_FILTER = 1  # each row begins with a byte for its filter; 0 means unfiltered
_Shade = tuple[int, int, int]
_IS_SEEN = bytes([0] * 64 + [255] * 192)  # whether a pixel is visible, by its coverage from 0 to 255
_MOST = 16 * 2**20  # size of the cache of drawn parts, in bytes
_MOST_GLYPHS = 4_000
_BESIDE = 3_000  # overhead of a cached part, in bytes


def png(picture: Picture) -> bytes:
    """Return a picture as PNG, with one pixel per unit of its SVG. The same picture always gives the same bytes."""
    colours = picture.colours
    image = Image.new("P", (_FILTER + WIDTH, picture.height), _place(_rgb(colours.theme.sky), colours))
    for it in picture.parts:
        if not isinstance(it, str):
            drawn = _drawn(it, colours)
            left, top = _FILTER + it.left + drawn.left, it.top + drawn.top
            image.paste(drawn.pixels, (left, top), drawn.mask)
    image.paste(0, (0, 0, _FILTER, picture.height))
    return _packed(image, _palette(colours))


def _packed(image: Image.Image, palette: Image.Image) -> bytes:
    """Encode a PNG (RFC 2083). Pillow would compress with zlib, which takes three times as long."""
    head = pack(">IIBBBBB", image.width - _FILTER, image.height, 8, 3, 0, 0, 0)  # one byte per pixel, with a palette
    rows = zlib_ng.compress(image.tobytes(), _LEVEL)
    chunks = ((b"IHDR", head), (b"PLTE", bytes(palette.getpalette() or [])), (b"IDAT", rows), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        pack(">I", len(data)) + kind + data + pack(">I", crc32(kind + data)) for kind, data in chunks
    )


# The colours of a picture


@cache
def _shades(colours: Colours) -> list[_Shade]:
    """Return the colours of a picture, and the shades at the edges of shapes and letters. There are at most about
    100."""
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
    """Return the index of the most similar colour in the palette."""
    return min(
        range(len(_shades(colours))),
        key=lambda i: sum((a - b) ** 2 for a, b in zip(shade, _shades(colours)[i], strict=True)),
    )


def _between(one: str, other: str) -> _Shade:
    """Return the shade in the middle. One shade between two colours is enough for the eye, and compresses well."""
    (r, g, b), (x, y, z) = _rgb(one), _rgb(other)
    return (r + x) // 2, (g + y) // 2, (b + z) // 2


def _rgb(colour: str) -> _Shade:
    return ImageColor.getrgb(colour)[:3]


# Shapes and lines of text


class _Drawn(NamedTuple):
    """A part that has been drawn: palette indices, and their offset from the origin."""

    pixels: Image.Image
    mask: Image.Image | None  # None if every pixel is visible
    left: int
    top: int


_kept: LRUCache[tuple[tuple[Any, ...], Colours], _Drawn] = LRUCache(
    _MOST, lambda it: _BESIDE + 2 * it.pixels.width * it.pixels.height
)
_lock = Lock()


def _drawn(part: Sprite | Line, colours: Colours) -> _Drawn:
    key = part[:-2], colours  # the part without its position
    with _lock:
        found = _kept.get(key)
    if found is None:
        found = _draw(part, colours) if isinstance(part, Sprite) else _write(part, colours)
        with _lock:
            _kept[key] = found
    return found


def _draw(it: Sprite, colours: Colours) -> _Drawn:
    """Draw a sprite on its own. If it were drawn next to others, a few pixels would differ."""
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
    glyphs = [_glyph(letter, it.size, it.bold) for letter in it.words]
    starts = [0, *accumulate(glyph.advance for glyph in glyphs)]
    origin = {"start": 0, "middle": -starts[-1] // 2, "end": -starts[-1]}[it.anchor]
    boxes = [(start + glyph.left, glyph.top, glyph.cover) for start, glyph in zip(starts, glyphs, strict=False)]
    left, top = min((x for x, _, _ in boxes), default=0), min((y for _, y, _ in boxes), default=0)
    right = max((x + cover.width for x, _, cover in boxes), default=1)
    bottom = max((y + cover.height for _, y, cover in boxes), default=1)
    covered = Image.new("L", (right - left, bottom - top))
    for x, y, cover in boxes:
        covered.paste(255, (x - left, y - top), cover)
    edge, inside = (_place(shade, colours) for shade in (_between(it.ground, it.colour), _rgb(it.colour)))
    covers = covered.tobytes()  # faster than Pillow's `point`, which would first round each of 256 numbers
    pixels = Image.frombytes("P", covered.size, covers.translate(bytes([edge] * 192 + [inside] * 64)))
    mask = Image.frombytes("L", covered.size, covers.translate(_IS_SEEN))
    return _Drawn(pixels, mask, it.x + origin + left, it.y + top)


class _Glyph(NamedTuple):
    """A letter that has been drawn, and its offset from the origin."""

    cover: Image.Image  # coverage of each pixel, 0 to 255
    left: int
    top: int
    advance: int  # distance to the origin of the next letter


@lru_cache(maxsize=_MOST_GLYPHS)
def _glyph(letter: str, size: int, bold: bool) -> _Glyph:
    font = font_of(size, bold)
    left, top, right, bottom = (round(edge) for edge in font.getbbox(letter, anchor="ls"))
    cover = Image.new("L", (max(right - left, 1), max(bottom - top, 1)))
    ImageDraw.Draw(cover).text((-left, -top), letter, 255, font, "ls")
    return _Glyph(cover, left, top, round(font.getlength(letter)))
