"""What we say, in four languages: English stands in the code, the others in the catalogues of this folder.

Whatever has a request or a letter around it asks Flask-Babel; the pure rooms are handed a `Language`.
"""

from collections.abc import Sequence
from functools import cache
from gettext import NullTranslations, translation
from pathlib import Path

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


def noted(words: str) -> str:
    """Marks words that are looked up later, when it is known who reads them."""
    return words


@cache
def language(locale: str) -> Language:
    return Language(locale, translation("messages", FOLDER, [locale], fallback=locale == "en"))
