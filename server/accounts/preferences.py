"""Which mails a player wants: at once, bundled into one at his times of day, or not at all."""

from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta
from typing import Any, Final

from server.accounts.calendars import CLOCK_FACE, time_zone
from server.durations import length_of
from server.errors import Unfit
from server.store.log import Json

AT_ONCE, BUNDLED, OFF = "at-once", "bundled", "off"
CHOICES: Final = (AT_ONCE, BUNDLED, OFF)
INVITATION, BUNDLE, TAKE_BACK_ASKED, READY_ASKED = "invitation", "bundle", "take-back-asked", "ready-asked"
GAME_KINDS: Final = (
    "your-turn",
    "reminder",
    "time-extended",
    "bot-moved",
    "seat-handed-over",
    "game-ended",
    "game-paused",
    "game-abandoned",
    "game-closing",
    "sent-away",
    READY_ASKED,
    "not-ready",
    TAKE_BACK_ASKED,
    "move-taken-back",
    "stand-in",
    "seat-taken-over",
)
REMINDER, GAME_ENDED, PUSH = "reminder", "game-ended", "push"
PUSH_KINDS: Final = ("your-turn", REMINDER, GAME_ENDED, TAKE_BACK_ASKED, READY_ASKED)  # those that browsers are told
PUSH_CHOICES: Final = (AT_ONCE, OFF)
MAIL_KINDS: Final = (*GAME_KINDS, INVITATION, BUNDLE)  # those that may be switched off; a sign-in code always comes
DEFAULT_TIMES: Final = ["08:00"]
MOST_TIMES_OF_DAY: Final = 6


def check_notifications(data: Json) -> None:
    """Raises Unfit for what no player can want."""
    known = {"reminders", "mails", "bundle_at", "push"}
    if unknown := set(data) - known:
        raise Unfit(
            "There is no `%(name)s`; there is %(known)s.", name=min(unknown)[:40], known=", ".join(sorted(known))
        )
    thresholds(data.get("reminders", []))
    _check_choices("mails", data.get("mails", {}), {kind: choices_of(kind) for kind in MAIL_KINDS})
    _check_times(data.get("bundle_at", DEFAULT_TIMES))
    _check_choices("push", data.get("push", {}), dict.fromkeys(PUSH_KINDS, PUSH_CHOICES))


def _check_choices(name: str, chosen: Any, choices: Mapping[str, Sequence[str]]) -> None:
    """`choices`: by kind of letter."""
    if type(chosen) is not dict:
        raise Unfit("A JSON object is needed here, with a choice for each kind of letter.", name)
    for kind, choice in chosen.items():
        if kind not in choices:
            known = ", ".join(choices)
            raise Unfit("There is no `%(name)s`; there is %(known)s.", name, name=kind[:40], known=known)
        if choice not in choices[kind]:
            raise Unfit("`%(field)s` is one of %(known)s.", name, field=kind, known=", ".join(choices[kind]))


def _check_times(times: Any) -> None:
    if not isinstance(times, list) or not 1 <= len(times) <= MOST_TIMES_OF_DAY:
        raise Unfit("A list of 1 to %(most)s times of day is needed here.", "bundle_at", most=MOST_TIMES_OF_DAY)
    if not all(isinstance(it, str) and CLOCK_FACE.fullmatch(it) for it in times):
        raise Unfit('A time of day is a text such as "08:00".', "bundle_at")


def choices_of(kind: str) -> tuple[str, ...]:
    """A bundle holds what is about games of one's own."""
    return CHOICES if kind in GAME_KINDS else (AT_ONCE, OFF)


def wanted(kind: str, notifications: Json, of_game: str | None) -> str:
    """What a player wants done with letters of this kind; his choice for a game goes before those for kinds."""
    found: str = of_game or notifications.get("mails", {}).get(kind, AT_ONCE)
    return found


def has_chosen(kind: str, notifications: Json) -> bool:
    """Whether a player has said what he wants done with letters of this kind, even that they come at once."""
    return kind in notifications.get("mails", {})


def wants_push(kind: str, notifications: Json) -> bool:
    """Whether a player's browsers are told of what a letter of this kind says."""
    return kind in PUSH_KINDS and notifications.get("push", {}).get(kind, AT_ONCE) != OFF


def next_bundle(notifications: Json, zone: str, now: datetime) -> datetime:
    """The next of a player's times of day for bundles, by the clocks of his zone."""
    there = time_zone(zone)
    today = now.astimezone(there).date()
    days = (today + number * timedelta(days=1) for number in range(3))
    times = [time.fromisoformat(text) for text in notifications.get("bundle_at", DEFAULT_TIMES)]
    moments = (datetime.combine(day, at, there).astimezone(now.tzinfo) for day in days for at in times)
    return min(moment for moment in moments if moment > now)


# Reminders

DEFAULT_REMINDERS: Final = ["half", "PT3H"]
MOST_REMINDERS: Final = 5


def thresholds(data: Any) -> Sequence[str]:
    """`["half", "PT3H"]`: when half the counted time has passed, and so long before the due time; `[]` for never.

    Raises Unfit.
    """
    if not isinstance(data, list) or len(data) > MOST_REMINDERS:
        raise Unfit('A list of at most %(most)s durations or "half" is needed here.', "reminders", most=MOST_REMINDERS)
    for item in data:
        if item != "half":
            length_of(item, "reminders")
    return data
