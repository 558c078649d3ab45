"""Plain-text layout of a table: blocks with one line per fact, at most 72 columns."""

import re
from collections.abc import Iterable
from textwrap import fill

WIDTH = 72
_UNTIDY = re.compile(r"[\t-\r]| $")  # white space that `fill` would change


def page(blocks: Iterable[Iterable[str]], locale: str) -> str:
    """Join blocks of lines with blank lines. Empty blocks are skipped."""
    laid_out = ("\n".join(_fit(punctuated(line, locale)) for line in lines) for lines in blocks)
    return "\n\n".join(block for block in laid_out if block) + "\n"


def punctuated(line: str, locale: str) -> str:
    """In French, put a narrow space before each colon and semicolon that has none."""
    return re.sub(r"(?<!\u202f)([:;])(?= |$)", "\u202f\\1", line) if locale == "fr" else line


def captioned(line: str, locale: str) -> str:
    """Punctuate a line of a picture, whose font has no narrow space."""
    return punctuated(line, locale).replace("\u202f", " ")


def _fit(line: str) -> str:
    if len(line) <= WIDTH and not _UNTIDY.search(line):
        return line  # `fill` would return the same, but takes longer than all other steps together
    return fill(line, WIDTH, subsequent_indent="    ", break_on_hyphens=False)
