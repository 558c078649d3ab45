"""The parts of CHANGELOG.md that matter to programs: the guarantees, and the changes in each version."""

import re
from collections.abc import Iterator
from functools import cache

from server.config import CHECKOUT

_THEIRS = "For programs"


@cache
def for_programs() -> list[tuple[str, str]]:
    """Return the heading and the Markdown of each of these parts."""
    return list(_parts((CHECKOUT / "CHANGELOG.md").read_text("utf-8")))


def _parts(changelog: str) -> Iterator[tuple[str, str]]:
    for part in changelog.split("\n## ")[1:]:
        heading, _, text = part.partition("\n")
        if re.match(r"Unreleased|\d", heading):
            of = dict(it.partition("\n")[::2] for it in text.split("\n### ")[1:])
            text = of.get(_THEIRS, "")
        if text.strip():
            yield heading, text.strip()
