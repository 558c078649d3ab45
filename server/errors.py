"""What a use case may raise. `api.problems` has the one table that makes them answers."""

from datetime import datetime

from server.translations import Words, noted


class PlayError(Exception):
    """A request that cannot be done; its words, with places for `values`, are for the one who asked."""

    def __init__(self, words: str, **values: object) -> None:
        self.words = words if isinstance(words, Words) else Words(words, "", **values)
        super().__init__(self.words)


class NotFound(PlayError):
    """No such thing, or not for this caller's eyes: nobody learns which."""


class NotSeated(PlayError):
    """The caller has no seat at this table."""


class NotHost(PlayError):
    """The caller is not the host of this game."""


class StaleTurn(PlayError):
    """A move for a turn that is over; `turn` is the present one of that seat, or None.

    `taken_back`: because the game has gone back to before its end.
    """

    def __init__(self, turn: int | None, taken_back: bool = False) -> None:
        if taken_back and turn is None:
            super().__init__(noted("That turn is over: a move was taken back."))
        elif taken_back:
            super().__init__(noted("That turn is over: a move was taken back; the present one is %(turn)s."), turn=turn)
        elif turn is None:
            super().__init__(noted("That turn is over."))
        else:
            super().__init__(noted("That turn is over; the present one is %(turn)s."), turn=turn)
        self.turn = turn


class StalePlan(PlayError):
    """A change of a plan that has changed meanwhile; `revision` is its present one."""

    def __init__(self, revision: int) -> None:
        super().__init__(noted("Your plan has changed; its present revision is %(revision)s."), revision=revision)
        self.revision = revision


class IllegalPlan(PlayError):
    """A move that cannot be left for a turn to come: the one at `index`, for a rule's `reason` or because of a condition."""

    def __init__(self, index: int, reason: str, words: Words) -> None:
        super().__init__(words)
        self.index, self.reason = index, reason


class TooLate(PlayError):
    """A move that cannot be taken back any more."""


class WrongSalt(PlayError):
    """A salt that is not the one that was committed."""


class NotAllowed(PlayError):
    """What the options of this game rule out."""


class NotRunning(PlayError):
    """The game has not started, or is over."""


class HandedOver(PlayError):
    """A bot plays this seat until its person takes it back."""


class NotReliable(PlayError):
    """The game asks for players who leave fewer games."""


class NoPrograms(PlayError):
    """The game is for people only, and a program plays the caller's account."""


class SeatTaken(PlayError):
    """No seat to be had here: taken, reserved for somebody else, or none left."""


class AlreadySeated(PlayError):
    """The caller sits at this table already."""


class BadField(PlayError):
    """A field that has the right shape and no sensible meaning."""

    def __init__(self, field: str, words: str, **values: object) -> None:
        super().__init__(words, **values)
        self.field = field


class Unfit(ValueError):
    """A value that cannot be meant; its words are as those of a `PlayError`."""

    def __init__(self, words: str, place: str = "", **values: object) -> None:
        self.words = words if isinstance(words, Words) else Words(words, place, **values)
        super().__init__(self.words)


class TooManyWebhooks(PlayError):
    """A player has as many webhooks as he may have."""


class WebhookDisabled(PlayError):
    """Nothing is carried to this webhook until it is enabled again."""


class KeyReused(PlayError):
    """An Idempotency-Key that belongs to another request."""


class UnderWay(PlayError):
    """The first request with this Idempotency-Key has no answer to repeat."""


class WrongCode(PlayError):
    """A sign-in code that is wrong, used, too old, or tried too often."""


class BadToken(PlayError):
    """A token that nobody has, or whose time is over."""


class Banned(PlayError):
    """An operator has shut this person out; `until` is None if that is for good."""

    def __init__(self, until: datetime | None, reason: str) -> None:
        if until is None:
            super().__init__(noted("You are banned from this server. %(reason)s"), reason=reason)
        else:
            moment = f"{until:%Y-%m-%d %H:%M} UTC"
            super().__init__(
                noted("You are banned from this server until %(until)s. %(reason)s"), until=moment, reason=reason
            )
        self.until = until


class SignInFirst(PlayError):
    """What a guest wants is for players with an address only."""


class MissingScope(PlayError):
    """The token is good, but not for this; `scope` is what it would take."""

    def __init__(self, scope: str) -> None:
        super().__init__(noted("This token has no scope %(scope)s."), scope=scope)
        self.scope = scope


class OneSeatOnly(PlayError):
    """The token of a seat, for something else than its game."""

    def __init__(self) -> None:
        super().__init__(noted("This token is for one seat of one game, and for nothing else."))


class TooMany(PlayError):
    """A limit is reached; `retry_after` in seconds."""

    def __init__(self, words: str, retry_after: int, **values: object) -> None:
        super().__init__(words, **values)
        self.retry_after = retry_after


class TooManyStreams(TooMany):
    """No more event streams are kept open here."""
