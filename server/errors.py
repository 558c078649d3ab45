"""Errors that use cases raise. `api.problems` maps each to an HTTP problem."""

from datetime import datetime

from server.translations import Words, noted


class PlayError(Exception):
    """A request that can't be carried out. Its text, with placeholders for `values`, is for the caller."""

    def __init__(self, words: str, **values: object) -> None:
        self.words = words if isinstance(words, Words) else Words(words, "", **values)
        super().__init__(self.words)


class NotFound(PlayError):
    """Something that doesn't exist, or that the caller isn't allowed to see."""


class NotSeated(PlayError):
    """A caller without a seat at this table."""


class NotHost(PlayError):
    """A caller who isn't the host of this game."""


class StaleTurn(PlayError):
    """A move for a turn that is over. `turn` is the seat's current turn, or None.

    `taken_back`: a take-back ended the turn. `future`: the number of a turn that the game hasn't reached. `others`: the
    number of a turn that other seats have.
    """

    def __init__(
        self, turn: int | None, taken_back: bool = False, future: int | None = None, others: int | None = None
    ) -> None:
        if future is not None:
            super().__init__(noted("There has been no turn %(number)s in this game."), number=future)
        elif others is not None:
            super().__init__(noted("Turn %(number)s isn't yours. We're waiting for another player."), number=others)
        elif taken_back and turn is None:
            super().__init__(noted("That turn is over because a move was taken back."))
        elif taken_back:
            super().__init__(
                noted("That turn is over because a move was taken back. Your current turn is %(turn)s."), turn=turn
            )
        elif turn is None:
            super().__init__(noted("That turn is over."))
        else:
            super().__init__(noted("That turn is over. Your current turn is %(turn)s."), turn=turn)
        self.turn = turn


class StalePlan(PlayError):
    """A change to a plan that has changed in the meantime. `revision` is its current revision."""

    def __init__(self, revision: int) -> None:
        super().__init__(noted("Your plan has changed. Its current revision is %(revision)s."), revision=revision)
        self.revision = revision


class PlaceAhead(PlayError):
    """A position beyond the end of the log, for example after a backup was restored. `newest` is where the log ends."""

    def __init__(self, newest: int) -> None:
        super().__init__(
            noted("This list ends at %(newest)s, before the position you sent. Discard your data and start from 0."),
            newest=newest,
        )
        self.newest = newest


class IllegalPlan(PlayError):
    """A plan with an impossible move: the move at `index` breaks a rule (`reason`) or has an invalid condition."""

    def __init__(self, index: int, reason: str, words: Words) -> None:
        super().__init__(words)
        self.index, self.reason = index, reason


class TooLate(PlayError):
    """A move that can no longer be taken back."""


class WrongSalt(PlayError):
    """A salt that doesn't match the commitment."""


class NotAllowed(PlayError):
    """A request that this game's options don't allow."""


class NoHints(PlayError):
    """A request for a hint in a game that gives none."""


class NotRunning(PlayError):
    """A game that hasn't started or is over."""


class HandedOver(PlayError):
    """A seat that a bot plays until its player takes it back."""


class NotReliable(PlayError):
    """A player who is less reliable than the game requires."""


class NoPrograms(PlayError):
    """A program's account at a game for humans only."""


class SeatTaken(PlayError):
    """A seat that is taken or reserved, or a game without open seats."""


class AlreadySeated(PlayError):
    """A caller who already has a seat at this table."""


class BadField(PlayError):
    """A field with the right type and an invalid value."""

    def __init__(self, field: str, words: str, **values: object) -> None:
        super().__init__(words, **values)
        self.field = field


class Unfit(ValueError):
    """An invalid value. Its text follows the rules for a `PlayError`."""

    def __init__(self, words: str, place: str = "", **values: object) -> None:
        self.words = words if isinstance(words, Words) else Words(words, place, **values)
        super().__init__(self.words)


class TooManyWebhooks(PlayError):
    """A player at the maximum number of webhooks."""


class WebhookDisabled(PlayError):
    """A disabled webhook, which gets no deliveries."""


class KeyReused(PlayError):
    """An Idempotency-Key that was used for another request."""


class UnderWay(PlayError):
    """A repeated request whose first response isn't available."""


class WrongCode(PlayError):
    """A sign-in code that is wrong, used, expired, or tried too often."""


class BadToken(PlayError):
    """A token that doesn't exist or has expired."""


class Banned(PlayError):
    """A player whom an operator has banned. `until` is None if the ban is permanent."""

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
    """A guest's request that only players with an email address can make."""


class MissingScope(PlayError):
    """A valid token that lacks the required `scope`. A guest gets the scope only with an account."""

    def __init__(self, scope: str, is_guest: bool = False) -> None:
        words = noted("This token lacks the scope %(scope)s.")
        if is_guest:
            words = noted("Guests can't have the scope %(scope)s. Sign in by email first.")
        super().__init__(words, scope=scope)
        self.scope = scope


class OneSeatOnly(PlayError):
    """A seat token outside its game."""

    def __init__(self) -> None:
        super().__init__(noted("This token works only for one seat in one game."))


class Closed(PlayError):
    """A feature that the operators have temporarily closed."""


class TooMany(PlayError):
    """A limit that is reached. `retry_after` is in seconds."""

    def __init__(self, words: str, retry_after: int, **values: object) -> None:
        super().__init__(words, **values)
        self.retry_after = retry_after


class TooManyStreams(TooMany):
    """A server that can't open more event streams."""
