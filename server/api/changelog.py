"""What CHANGELOG.md tells programs, as HTML: what is promised, and of each version the part that is theirs."""

import re
from collections.abc import Iterator
from functools import cache

from markupsafe import Markup, escape

from server.config import CHECKOUT

_THEIRS = "For programs"


@cache
def for_programs() -> list[tuple[str, Markup]]:
    """Heading and text of each part that has one."""
    return list(_parts((CHECKOUT / "CHANGELOG.md").read_text("utf-8")))


def _parts(changelog: str) -> Iterator[tuple[str, Markup]]:
    for part in changelog.split("\n## ")[1:]:
        heading, _, text = part.partition("\n")
        if re.match(r"Unreleased|\d", heading):
            of = dict(it.partition("\n")[::2] for it in text.split("\n### ")[1:])
            text = of.get(_THEIRS, "")
        if text.strip():
            yield heading, _html(text)


def _html(markdown: str) -> Markup:
    """Paragraphs and lists, with words of code in them, which is all the Markdown that stands there."""
    blocks = [str(escape(block)) for block in markdown.strip().split("\n\n")]
    html = "\n".join(_list(block) if block.startswith("- ") else f"<p>{block}</p>" for block in blocks)
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", html))


def _list(block: str) -> str:
    return "<ul>" + "".join(f"<li>{item}</li>" for item in block.removeprefix("- ").split("\n- ")) + "</ul>"
