"""An SVG picture as PNG, with the fonts of this folder, so that every machine draws the same."""

from pathlib import Path

import resvg_py

_FONTS = [str(path) for path in sorted((Path(__file__).parent / "fonts").glob("*.ttf"))]


def png(svg: str, width: int = 720) -> bytes:
    """The picture, `width` pixels wide."""
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg, width=width, font_files=_FONTS, skip_system_fonts=True, sans_serif_family="Noto Sans"
        )
    )
