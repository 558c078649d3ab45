"""Differences between a PNG of ours and its SVG."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import resvg_py
from PIL import Image, ImageChops, ImageStat

from server.render import png
from server.render.picture_parts import WIDTH, Box, Line, Picture, Sprite, font_of

NARROW = (360 - 2 * 16) / WIDTH  # pixels of a narrow phone for each of ours, without the margins of a letter
LONG_NAMES = [
    "Nightwatch (program)",
    "Maximilian of the Long Night (program)",
    "Émilie du Châtelet",
    "W" * 40,
    "Kim (2)",
]
_FONTS = [str(path) for path in (Path(png.__file__).parent / "fonts").glob("*.ttf")]


def difference_of_shapes(picture: Picture) -> float:
    """Return the mean difference over all pixels, of 255, without words."""
    shapes = picture._replace(parts=[it for it in picture.parts if not isinstance(it, Line)])
    return max(ImageStat.Stat(ImageChops.difference(_as_png(shapes), _as_svg(shapes))).mean)


def words_elsewhere(picture: Picture) -> Iterator[str]:
    """Yield the words that are missing or misplaced in the PNG. Small differences in width are allowed."""
    theme = picture.colours.theme
    for line in {it._replace(left=0, top=0) for it in picture.parts if isinstance(it, Line)}:
        ground = Sprite(f'<rect width="720" height="100" fill="{theme.card}"/>', Box(0, 0, 720, 100), theme.card)
        on_it = line._replace(x=360, y=50, colour=theme.ink, ground=theme.card)
        alone = Picture(100, "", picture.colours, [ground, on_it])
        one, other = (_ink(it) for it in (_as_png(alone), _as_svg(alone)))
        room = 3 + len(line.words) // 3
        if not one or not other or any(abs(a - b) > room for a, b in zip(one, other, strict=True)):
            yield f"{line}: {one} and not {other}"


def overlapping(picture: Picture, ground: str) -> Iterator[str]:
    """Yield the lines of text on this ground that leave the picture or overlap another line."""
    boxes: list[tuple[float, float, float, str]] = []
    for it in picture.parts:
        if not isinstance(it, Line) or it.ground != ground:
            continue
        width, y = font_of(it.size, it.bold).getlength(it.words), it.top + it.y
        left = it.left + it.x - width * {"start": 0, "middle": 0.5, "end": 1}[it.anchor]
        beside = [words for a, b, other, words in boxes if a < left + width and left < b and abs(other - y) < 15]
        if beside or left < 0 or left + width > WIDTH or y + 10 > picture.height:
            yield f"{it.words}: {beside}"
        boxes.append((left, left + width, y, it.words))


def _ink(picture: Image.Image) -> tuple[int, int, int, int] | None:
    ground = Image.new("RGB", picture.size, picture.getpixel((0, 0)))
    return ImageChops.difference(picture, ground).convert("L").point(lambda it: 255 if it > 30 else 0).getbbox()


def _as_png(picture: Picture) -> Image.Image:
    return Image.open(BytesIO(png.png(picture))).convert("RGB")


def _as_svg(picture: Picture) -> Image.Image:
    drawn = resvg_py.svg_to_bytes(
        svg_string=picture.svg(), skip_system_fonts=True, font_files=_FONTS, sans_serif_family="Noto Sans"
    )
    return Image.open(BytesIO(bytes(drawn))).convert("RGB")
