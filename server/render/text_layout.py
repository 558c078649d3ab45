"""How a table is laid out as plain text: a line per fact, in blocks, at most 72 columns."""

import re
from collections.abc import Iterable
from textwrap import fill

WIDTH = 72
_UNTIDY = re.compile(r"[\t-\r]| $")  # white space that `fill` changes


def page(blocks: Iterable[Iterable[str]], locale: str) -> str:
    """These blocks of lines, without the empty ones, a blank line between them."""
    laid_out = ("\n".join(_fit(_punctuated(line, locale)) for line in lines) for lines in blocks)
    return "\n\n".join(block for block in laid_out if block) + "\n"


def _punctuated(line: str, locale: str) -> str:
    """French has a narrow space before a colon."""
    return re.sub(r":(?= |$)", "\u202f:", line) if locale == "fr" else line


def _fit(line: str) -> str:
    if len(line) <= WIDTH and not _UNTIDY.search(line):
        return line  # as `fill` would give it back, too, but takes longer for a table than all else about its words
    return fill(line, WIDTH, subsequent_indent="    ", break_on_hyphens=False)
