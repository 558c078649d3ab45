"""Errors of the rules of a game."""

from server.translations import language


class RuleError(Exception):
    """A request that the rules refuse, with a stable `code` for programs and a sentence for people.

    A value in the sentence that depends on the language is a function of the locale.
    """

    def __init__(self, code: str, words: str, **values: object) -> None:
        super().__init__(code, words)
        self.code, self._words, self._values = code, words, values

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        return self.said("en")

    def said(self, locale: str) -> str:
        values = {name: it(locale) if callable(it) else it for name, it in self._values.items()}
        return language(locale).gettext(self._words, **values)


class IllegalMove(RuleError):
    """A well-formed move that the rules forbid."""


class MalformedMove(RuleError):
    """Text or JSON that isn't a move of this game."""


class BadOption(RuleError):
    """An option, or a number of seats, that this game doesn't have. `field` is the field of the request."""

    @property
    def field(self) -> str:
        option = self._values.get("option")
        return "seats" if option is None else f"options.{option}"
