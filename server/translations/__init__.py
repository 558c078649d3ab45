"""What we say, in four languages: English stands in the code, the others in the catalogues of this folder.

Whatever has a request or a letter around it asks Flask-Babel; the pure rooms are handed a `Language`.
"""

from collections.abc import Sequence
from functools import cache
from gettext import NullTranslations, translation
from pathlib import Path
from typing import Protocol, Self

from babel.lists import format_list

LOCALES = ("de", "en", "fr", "it")
FOLDER = Path(__file__).parent


class Language:
    """One of the four. Its methods are named as in gettext, so that their words are found and put into the catalogues."""

    def __init__(self, locale: str, catalogue: NullTranslations) -> None:
        self.locale = locale
        self.region = "en_GB" if locale == "en" else locale  # the day before the month, as in the other three
        self._catalogue = catalogue

    def gettext(self, words: str, **values: object) -> str:
        """These words in this language, with values for places such as `%(name)s`."""
        return self._catalogue.gettext(words) % values

    def ngettext(self, one: str, many: str, num: int, **values: object) -> str:
        """The form that goes with this number, which stands at the place `%(num)s`."""
        return self._catalogue.ngettext(one, many, num) % {"num": num, **values}

    def listed(self, things: Sequence[str]) -> str:
        """`Anna, Ben and Cleo`."""
        return format_list(things, locale=self.region)


class LookUp(Protocol):
    """gettext, of a `Language` or of Flask-Babel."""

    def __call__(self, words: str, /, **values: object) -> str: ...


class Words(str):
    """Words in English which know what they were made from, for errors that are told when it is known who reads them.

    `place` is where in a request they belong, as the API calls it.
    """

    def __new__(cls, words: str, place: str = "", **values: object) -> Self:
        made = super().__new__(cls, _placed(place, words % values if values else words))
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
        """With these values: so marshmallow fills in the places of its messages."""
        return Words(self._words, self._place, **values)


def _placed(place: str, words: str) -> str:
    return f"{place}: {words}" if place else words


def noted(words: str) -> str:
    """Marks words that are looked up later, when it is known who reads them."""
    return words


@cache
def language(locale: str) -> Language:
    return Language(locale, translation("messages", FOLDER, [locale], fallback=locale == "en"))
