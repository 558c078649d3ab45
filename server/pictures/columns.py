"""How a table is laid out as plain text: a line per fact, in blocks, at most 72 columns."""

from collections.abc import Iterable
from textwrap import fill

WIDTH = 72


def page(blocks: Iterable[Iterable[str]]) -> str:
    """These blocks of lines, without the empty ones, a blank line between them."""
    return "\n\n".join(block for lines in blocks if (block := "\n".join(map(_fit, lines)))) + "\n"


def _fit(line: str) -> str:
    return fill(line, WIDTH, subsequent_indent="    ", break_on_hyphens=False)
