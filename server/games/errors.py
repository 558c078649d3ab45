"""What the rules of a game raise."""


class RuleError(Exception):
    """A request that the rules turn down: a stable `code` for programs and a sentence for people."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class IllegalMove(RuleError):
    """A well-formed move that the rules forbid."""


class MalformedMove(RuleError):
    """Something that is no move of this game at all."""


class BadOption(RuleError):
    """An option, or a number of seats, that this game does not have."""
