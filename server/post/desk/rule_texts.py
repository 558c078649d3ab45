"""The rules of a game as sentences, from the texts that its page shows."""

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from server.games import GAMES
from server.games.presentation import notation
from server.translations import LOCALES

_MARKUP = re.compile(r"\*([^*]+)\*|\[([^\]]+)\]\([^)]*\)")
_BLANK = re.compile(r"\{(\w+)\}")


@cache
def rule_text(name: str, locale: str) -> tuple[str, ...]:
    """Return the introduction to a game, and how to write its moves. Sentences with figures that only the page computes
    are left out."""
    return (*_introduction(name, locale if locale in LOCALES else "en"), notation(name, locale))


def _introduction(name: str, locale: str) -> Iterator[str]:
    package = GAMES[name].__name__  # type: ignore[attr-defined]  # games are modules
    file = files(package) / "page" / "words" / locale / f"rules-{name}.json"
    if not file.is_file():
        return
    sections = json.loads(file.read_text("utf-8"))[f"rules-{name}"]
    seats = f"{min(GAMES[name].SEATS)}-{max(GAMES[name].SEATS)}"
    for text in _texts(sections[0]["text"]):
        plain = _MARKUP.sub(lambda found: found[1] or found[2], text.replace("{players}", seats))
        known = " ".join(it for it in re.split(r"(?<=[.!?])\s+", plain) if not _BLANK.search(it))
        if known:
            yield known


def _texts(blocks: Any) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, str):
            yield block
        elif isinstance(block, list):
            yield from _texts(block)
