"""A made-up language for tests: wide letters mark every message from the catalogues, so that other words stand out."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from unittest.mock import patch

import flask_babel
from babel.support import NullTranslations

from server import translations
from server.translations.update import extracted

_KEPT = re.compile(r"(%\(\w+\)s|%%)")
_WIDE = {code: code + 0xFEE0 for code in range(0x41, 0x7B) if chr(code).isalpha()}
_WORD = re.compile(r"(?<![\w#/.@`-])[A-Za-z]{2,}(?![\w#/@`-]|\.\w)")
_NO_WORDS = re.compile(
    r"https?://\S+|\S+@\S+|[`\"][^`\"\n]*[`\"]|[\w:-]+(?:, [\w:-]+)+"
)  # addresses, code, lists of codes
# The same in German, or never translated: moves, fields, programs, formats.
_NO_ENGLISH = re.findall(
    r"\w+",
    "act api bot bots by cmd code email field greedy in json lapse lay move nova open per pings player post punkt remove "
    "start steps supernova sternbild sternbilder sternenpost sternenhimmel sternenglanz url utf webhook webhooks choose "
    "drop finish die cap name token scope scopes am loch geburt en it nan",
)


class Marked(NullTranslations):  # type: ignore[misc]  # babel's own are so
    def ugettext(self, message: str) -> str:
        return "".join(it if nr % 2 else it.translate(_WIDE) for nr, it in enumerate(_KEPT.split(message)))

    gettext = ugettext

    def ungettext(self, one: str, many: str, num: int) -> str:
        return self.ugettext(one if num == 1 else many)

    ngettext = ungettext


@contextmanager
def everything_marked() -> Iterator[None]:
    """Replace German, French and Italian by the made-up language, except for names of boards and days."""
    translations.language.cache_clear()
    with (
        patch("server.translations.translation", lambda *_, **__: Marked()),
        patch.object(flask_babel.Domain, "get_translations", lambda _: Marked()),
    ):
        yield
    translations.language.cache_clear()


@cache
def english_words() -> set[str]:
    """Return the words of the catalogues' English texts, except those that are no English."""
    said = (message.id if isinstance(message.id, tuple) else (message.id,) for message in extracted())
    return {
        word.lower() for forms in said for form in forms for word in re.findall("[A-Za-z]{2,}", str(form))
    }.difference(_NO_ENGLISH)


def unmarked(text: str) -> list[str]:
    """Return the lines with English words from outside the catalogues."""
    lines = ((line, _WORD.findall(_NO_WORDS.sub(" ", line))) for line in text.splitlines())
    return [line for line, words in lines if {word.lower() for word in words} & english_words()]
