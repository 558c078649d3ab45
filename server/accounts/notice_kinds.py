"""Notice kinds: what players are notified of, with the channels, choices and lifetime of each.

A new kind of game email needs an entry here, a class and a builder in `server/post/letters/`, and a template.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, auto
from typing import Final

from server.translations import noted

AT_ONCE, BUNDLED, OFF = "at-once", "bundled", "off"


class Until(Enum):
    """The event after which a notice no longer matters (see `still_matters`)."""

    NEVER = auto()
    TURN_BEGUN = auto()
    TURN_OVER = auto()
    READY = auto()
    CONSENTED = auto()
    VOTED = auto()
    REFUSAL_OVER = auto()
    NEXT_TURN = auto()
    GAME_BEGUN = auto()


@dataclass(frozen=True, kw_only=True)
class NoticeKind:
    """A kind of notice. A channel carries a notice if the kind's text for that channel is not empty."""

    name: str
    until: Until = Until.NEVER
    default: str = AT_ONCE

    headline: str = ""  # email: beginning of the subject
    stop: str = ""  # email: description of what players can switch off; "" if the email is always sent
    stops_game: bool = True  # email: whether its unsubscribe link can also stop all other emails about the game
    to_anyone: bool = False  # email: whether it also goes to players without a seat in the game
    bundles: bool = True  # email: whether players can choose to get it in a bundle
    is_in_bundle: bool = False  # email: whether a bundle can leave it out, since the bundle lists the turn anyway
    overtakes: bool = False  # email: whether it makes earlier emails about the game superfluous
    lasts: bool = False  # email: whether no later email makes it superfluous
    time_runs: bool = True  # email: whether the player's time may be running when it would be sent
    is_vital: bool = False  # email: whether a player who doesn't read it may lose a turn or a seat

    push: str = ""  # push: text
    push_for: timedelta | None = None  # push: how long the message is worth showing; None: until the due time
    is_urgent: bool = False  # push

    webhook: str = ""  # webhook: description in the API
    payload: tuple[str, ...] = ()  # webhook: groups of fields (see `subscriptions`)
    chat: bool = False  # Discord and Slack

    @property
    def choices(self) -> tuple[str, ...]:
        """Return the choices that players have for emails of this kind."""
        return (AT_ONCE, BUNDLED, OFF) if self.bundles else (AT_ONCE, OFF)

    @property
    def is_about_turn(self) -> bool:
        return self.until in (Until.TURN_BEGUN, Until.TURN_OVER)


# About your turn

YOUR_TURN: Final = NoticeKind(
    name="your-turn",
    until=Until.TURN_BEGUN,
    headline=noted("Your turn"),
    stop=noted("emails when it's your turn"),
    is_in_bundle=True,
    overtakes=True,
    push=noted("It's your turn. Move by %(due)s."),
    webhook="Sent when it's your turn",
    payload=("turn",),
    chat=True,
)
REMINDER: Final = NoticeKind(
    name="reminder",
    is_vital=True,
    until=Until.TURN_OVER,
    headline=noted("Reminder"),
    stop=noted("reminders before your time runs out"),
    is_in_bundle=True,
    push=noted("It's your turn. Move by %(due)s."),
    is_urgent=True,
    webhook="Sent before your turn times out",
    payload=("turn",),
)
TIME_EXTENDED: Final = NoticeKind(
    name="time-extended",
    until=Until.TURN_OVER,
    headline=noted("More time"),
    stop=noted("emails when your time is extended"),
    webhook="Sent when a time-out extends your turn",
    payload=("turn", "extension"),
)
BOT_MOVED: Final = NoticeKind(
    name="bot-moved",
    headline=noted("A bot played for you"),
    stop=noted("emails when a bot plays a turn for you"),
    webhook="Sent when a bot moves after your time-out",
    payload=("bot",),
)

# About your seat

SEAT_HANDED_OVER: Final = NoticeKind(
    name="seat-handed-over",
    is_vital=True,
    headline=noted("A bot is playing for you"),
    stop=noted("emails when a bot takes over your seat"),
    lasts=True,  # it has the link to take the seat back
    webhook="Sent when a bot takes over your seat",
    payload=("bot",),
)
SEAT_TAKEN_OVER: Final = NoticeKind(
    name="seat-taken-over",
    headline=noted("New player in your seat"),
    stop=noted("emails when a player takes over one of your seats"),
    stops_game=False,
    to_anyone=True,
)
STAND_IN: Final = NoticeKind(
    name="stand-in", headline=noted("Stand-in"), stop=noted("emails about stand-ins"), to_anyone=True
)
SENT_AWAY: Final = NoticeKind(
    name="sent-away",
    headline=noted("You lost your seat"),
    stop=noted("emails when a host removes you from a game"),
    stops_game=False,
    to_anyone=True,
)

# About a game

READY_ASKED: Final = NoticeKind(
    name="ready-asked",
    is_vital=True,
    until=Until.READY,
    headline=noted("Ready?"),
    stop=noted("emails that ask if you're ready to start"),
    push=noted("All seats are taken. Confirm by %(due)s that you're ready."),
    webhook="Sent when you must confirm you're ready",
    payload=("deadline",),
)
NOT_READY: Final = NoticeKind(
    name="not-ready",
    headline=noted("Seats available"),
    stop=noted("emails when a game doesn't start because players weren't ready"),
    stops_game=False,
    to_anyone=True,
)
GAME_CLOSING: Final = NoticeKind(
    name="game-closing",
    until=Until.GAME_BEGUN,
    headline=noted("Seats available"),
    stop=noted("emails about free seats in your games that haven't started"),
    stops_game=False,
    to_anyone=True,
)
GAME_STARTED: Final = NoticeKind(
    name="game-started",
    headline=noted("The game has begun"),
    stop=noted("emails when a game that you host begins with another player's turn"),
    webhook="Sent when the game starts",
)
GAME_PAUSED: Final = NoticeKind(
    name="game-paused",
    headline=noted("Game paused"),
    stop=noted("emails when a game is paused"),
    webhook="Sent when the game is paused",
)
GAME_RESUMED: Final = NoticeKind(name="game-resumed", webhook="Sent when the game is resumed")
VOTE_ASKED: Final = NoticeKind(
    name="vote-asked",
    until=Until.VOTED,
    headline=noted("Do you agree?"),
    stop=noted("emails that ask you to agree to a pause or another request"),
    lasts=True,
    push="%(request)s",
    push_for=timedelta(days=2),
    webhook="Sent when another player's request needs your vote",
    payload=("vote",),
)
TAKE_BACK_ASKED: Final = NoticeKind(
    name="take-back-asked",
    until=Until.CONSENTED,
    headline=noted("Take back a move?"),
    stop=noted("emails that ask you to agree to a take-back"),
    push=noted("%(who)s is asking to take back a move."),
    webhook="Sent when a take-back needs your consent",
    payload=("take-back",),
)
VOTE_REFUSED: Final = NoticeKind(
    name="vote-refused",
    until=Until.REFUSAL_OVER,
    headline=noted("Not now"),
    stop=noted("emails when another player refuses your request"),
    push="%(refusal)s",
    push_for=timedelta(days=2),
)
MOVE_TAKEN_BACK: Final = NoticeKind(
    name="move-taken-back",
    until=Until.NEXT_TURN,
    headline=noted("Move taken back"),
    stop=noted("emails when a take-back ends your turn"),
    webhook="Sent when a move is taken back",
)
GAME_ENDED: Final = NoticeKind(
    name="game-ended",
    headline=noted("Game over"),
    stop=noted("emails when a game is over"),
    overtakes=True,
    time_runs=False,
    push=noted("The game is over."),
    push_for=timedelta(days=1),
    webhook="Sent when the game ends",
)
GAME_ABANDONED: Final = NoticeKind(
    name="game-abandoned",
    headline=noted("Game over"),
    stop=noted("emails when a game ends without a result"),
    overtakes=True,
    time_runs=False,
    webhook="Sent when the game is abandoned or closed",
)
MESSAGE: Final = NoticeKind(
    name="message",
    headline=noted("New in the chat"),
    stop=noted("emails about new messages in the chat"),
    lasts=True,  # it shows only what no other email has shown
    webhook="Sent when another player posts a message at your table",
    payload=("message",),
)

# About invitations, emails and the account

INVITATION: Final = NoticeKind(
    name="invitation",
    headline=noted("Invitation"),
    stop=noted("invitations"),
    to_anyone=True,
    bundles=False,
    lasts=True,
    time_runs=False,
)
RSVP: Final = NoticeKind(name="rsvp", headline=noted("Reply"), to_anyone=True)
BUNDLE: Final = NoticeKind(
    name="bundle", headline=noted("Your games"), stop=noted("emails that list all games waiting for you"), bundles=False
)
ANSWER: Final = NoticeKind(name="answer", headline=noted("Reply"), lasts=True)
SIGN_IN_CODE: Final = NoticeKind(name="sign-in-code", headline=noted("Sign in"))
DELETION_CODE: Final = NoticeKind(name="deletion-code", headline=noted("Delete your account"))
OLD_ADDRESS_CODE: Final = NoticeKind(name="old-address-code", headline=noted("Your current address"))
NEW_ADDRESS_CODE: Final = NoticeKind(name="new-address-code", headline=noted("Your new address"))
NEW_APP: Final = NoticeKind(name="new-app", headline=noted("New app"))
WEBHOOK_DISABLED: Final = NoticeKind(name="webhook-disabled", headline=noted("Webhook disabled"))
DESK_WELCOME: Final = NoticeKind(name="desk-welcome", headline=noted("Play by email"))
DESK_ANSWER: Final = NoticeKind(name="desk-answer", headline=noted("Play by email"))
PING: Final = NoticeKind(name="ping", webhook="Sent when you test the webhook")


NOTICE_KINDS: Final[Mapping[str, NoticeKind]] = {
    it.name: it for it in list(globals().values()) if isinstance(it, NoticeKind)
}


def _names(kinds: Iterable[NoticeKind]) -> tuple[str, ...]:
    return tuple(kind.name for kind in kinds)


_ALL = NOTICE_KINDS.values()
MAIL_KINDS: Final = _names(it for it in _ALL if it.stop)  # players may switch these off
MAIL_PRESETS: Final[Mapping[str, tuple[str, ...]]] = {  # choices of several kinds at once
    "all": MAIL_KINDS,
    "turns": _names(it for it in _ALL if it.stop and (it.is_vital or it.is_about_turn)),
    "vital": _names(it for it in _ALL if it.stop and it.is_vital),
}
PUSH_KINDS: Final = _names(it for it in _ALL if it.push)
WEBHOOK_KINDS: Final = _names(it for it in _ALL if it.webhook and it is not PING)
CHAT_KINDS: Final = _names(it for it in _ALL if it.chat)
OVERTAKING: Final = _names(it for it in _ALL if it.overtakes)
