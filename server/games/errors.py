"""Errors of the rules of a game."""


class RuleError(Exception):
    """A request that the rules refuse, with a stable `code` for programs and a sentence for people."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class IllegalMove(RuleError):
    """A well-formed move that the rules forbid."""


class MalformedMove(RuleError):
    """Text or JSON that isn't a move of this game."""


class BadOption(RuleError):
    """An option, or a number of seats, that this game doesn't have."""
