"""Texts in four languages. English is in the code. The other three are in the catalogues in this folder.

Code that runs within a request, or that writes an email, uses Flask-Babel. Pure code takes a `Language` as a parameter.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from gettext import NullTranslations, translation
from pathlib import Path
from typing import Protocol, Self

from babel.lists import format_list

LOCALES = ("de", "en", "fr", "it")
FOLDER = Path(__file__).parent


def filled(words: str, values: Mapping[str, object]) -> str:
    """Fill in the placeholders of a text. A value that ends with a full stop, such as the name `Paula W.`, takes the
    place of the full stop after it."""
    for name, value in values.items():
        if isinstance(value, str) and value.endswith("."):
            words = type(words)(re.sub(rf"%\({name}\)s\.(?!\.)", f"%({name})s", words))
    return words % values


class Language:
    """One of the four languages. Its methods have the names of gettext's functions, so Babel extracts their
    arguments."""

    def __init__(self, locale: str, catalogue: NullTranslations) -> None:
        self.locale = locale
        self.region = "en_GB" if locale == "en" else locale  # for dates with the day first
        self._catalogue = catalogue

    def gettext(self, words: str, **values: object) -> str:
        """Return this text in this language. Placeholders such as `%(name)s` are filled in."""
        return filled(self._catalogue.gettext(words), values)

    def ngettext(self, one: str, many: str, num: int, **values: object) -> str:
        """Return the plural form for `num`, and replace `%(num)s` with `num`."""
        return filled(self._catalogue.ngettext(one, many, num), {"num": num, **values})

    def addressed(self, is_own: bool, you: str, other: str, **values: object) -> str:
        """Return `you` if the reader is the one who acts, and `other`, which has a name, if not."""
        return self.gettext(you if is_own else other, **values)

    def listed(self, things: Sequence[str]) -> str:
        """Return a list such as `Anna, Ben and Cleo`."""
        return format_list(things, locale=self.region)

    def either(self, things: Sequence[str]) -> str:
        """Return a list such as `Anna, Ben or Cleo`."""
        return format_list(things, style="or", locale=self.region)


class LookUp(Protocol):
    """The method `gettext` of a `Language`, or the function of Flask-Babel."""

    def __call__(self, words: str, /, **values: object) -> str: ...


class Words(str):
    """An English text that can be translated later. Errors need this if they are raised before the reader's language is
    known.

    `place` is the field of the request that the text is about.
    """

    def __new__(cls, words: str, place: str = "", **values: object) -> Self:
        made = super().__new__(cls, _placed(place, filled(words, values) if values else words))
        made._words, made._place, made._values = words, place, values
        return made

    _words: str
    _place: str
    _values: dict[str, object]

    def said(self, gettext: LookUp) -> str:
        return _placed(self._place, gettext(self._words, **self._values))

    def at(self, place: str) -> "Words":
        return Words(self._words, place, **self._values)

    def format(self, *_: object, **values: object) -> "Words":
        """Fill in the placeholders. marshmallow calls this method for its messages."""
        return Words(self._words, self._place, **values)


def _placed(place: str, words: str) -> str:
    return f"{place}: {words}" if place else words


def noted(words: str) -> str:
    """Mark a text for extraction. It is translated later, when the reader is known."""
    return words


@cache
def language(locale: str) -> Language:
    return Language(locale, translation("messages", FOLDER, [locale], fallback=locale == "en"))
