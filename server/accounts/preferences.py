"""Players' email preferences. Players can get each kind of email immediately, in a bundle at chosen times of day, or
never."""

from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta
from functools import lru_cache
from typing import Any, Final

import orjson

from server.accounts.calendars import CLOCK_FACE, stored_zone
from server.accounts.notice_kinds import AT_ONCE, BUNDLED, MAIL_KINDS, NOTICE_KINDS, OFF, PUSH_KINDS
from server.durations import length_of
from server.errors import Unfit
from server.store.rows import Json
from server.stored_data import REFUSED, as_json, warn_of

CHOICES: Final = (AT_ONCE, BUNDLED, OFF)
PUSH_CHOICES: Final = (AT_ONCE, OFF)
DEFAULT_TIMES: Final = ["08:00"]
MOST_TIMES_OF_DAY: Final = 6


def check_notifications(data: Json) -> None:
    """Raise Unfit for invalid preferences."""
    known = {"reminders", "mails", "bundle_at", "push"}
    if unknown := set(data) - known:
        raise Unfit(
            "Unknown name `%(name)s`. Use one of these: %(known)s.",
            name=min(unknown)[:40],
            known=", ".join(sorted(known)),
        )
    thresholds(data.get("reminders", []))
    _check_choices("mails", data.get("mails", {}), {kind: NOTICE_KINDS[kind].choices for kind in MAIL_KINDS})
    _check_times(data.get("bundle_at", DEFAULT_TIMES))
    _check_choices("push", data.get("push", {}), dict.fromkeys(PUSH_KINDS, PUSH_CHOICES))


def stored_notifications(data: Any) -> Json:
    """Return a player's stored preferences. Defaults replace preferences that this release rejects."""
    if _is_accepted(data):
        found: Json = data
        return found
    warn_of("notifications")
    kept: Json = {}
    for name, value in data.items() if type(data) is dict else ():
        if name in ("mails", "push") and type(value) is dict:
            value = {kind: choice for kind, choice in value.items() if _is_accepted({name: {kind: choice}})}
        if _is_accepted({name: value}):
            kept[name] = value
    return kept


def _is_accepted(data: Any) -> bool:
    return _is_accepted_json(as_json(data))


@lru_cache(1024)  # called each time a due time is computed, mostly with empty preferences
def _is_accepted_json(data: bytes) -> bool:
    try:
        check_notifications(orjson.loads(data))
    except REFUSED:
        return False
    return True


def _check_choices(name: str, chosen: Any, choices: Mapping[str, Sequence[str]]) -> None:
    """Raise Unfit if a choice is invalid. `choices` has the valid values by notice kind."""
    if type(chosen) is not dict:
        raise Unfit("Must be a JSON object with a setting for each kind of email.", name)
    for kind, choice in chosen.items():
        if kind not in choices:
            known = ", ".join(choices)
            raise Unfit("Unknown name `%(name)s`. Use one of these: %(known)s.", name, name=kind[:40], known=known)
        if choice not in choices[kind]:
            raise Unfit("`%(field)s` must be one of %(known)s.", name, field=kind, known=", ".join(choices[kind]))


def _check_times(times: Any) -> None:
    if not isinstance(times, list) or not 1 <= len(times) <= MOST_TIMES_OF_DAY:
        raise Unfit("Must be a list of 1 to %(most)s times of day.", "bundle_at", most=MOST_TIMES_OF_DAY)
    if not all(isinstance(it, str) and CLOCK_FACE.fullmatch(it) for it in times):
        raise Unfit('A time of day must be a string such as "08:00".', "bundle_at")


def mail_choice(kind: str, notifications: Json, of_game: str | None) -> str:
    """Return the player's choice for emails of this kind. A choice for the game overrides the choice for the kind."""
    found: str = stored_choice(of_game) or stored_notifications(notifications).get("mails", {}).get(
        kind, NOTICE_KINDS[kind].default
    )
    return found


def stored_choice(of_game: str | None) -> str | None:
    """Return a player's stored choice for the emails of one game, or None if there is none or this release rejects
    it."""
    if of_game is None or of_game in CHOICES:
        return of_game
    warn_of("mails")
    return None


def has_chosen(kind: str, notifications: Json) -> bool:
    """Return whether a player has chosen how emails of this kind arrive, even if the choice is the default."""
    return kind in stored_notifications(notifications).get("mails", {})


def wants_push(kind: str, notifications: Json) -> bool:
    """Return whether a player's browsers get a push message for this kind."""
    return (
        kind in PUSH_KINDS
        and stored_notifications(notifications).get("push", {}).get(kind, NOTICE_KINDS[kind].default) != OFF
    )


def next_bundle(notifications: Json, zone: str, now: datetime) -> datetime:
    """Return the next time at which a player wants a bundle. The chosen times are in the player's time zone."""
    there = stored_zone(zone)
    today = now.astimezone(there).date()
    days = (today + number * timedelta(days=1) for number in range(3))
    times = [time.fromisoformat(text) for text in stored_notifications(notifications).get("bundle_at", DEFAULT_TIMES)]
    moments = (datetime.combine(day, at, there).astimezone(now.tzinfo) for day in days for at in times)
    return min(moment for moment in moments if moment > now)


# Reminders

DEFAULT_REMINDERS: Final = ["half", "PT3H"]
MOST_REMINDERS: Final = 5


def stored_reminders(notifications: Any) -> Sequence[str]:
    """Return when a player wants reminders. `notifications` is None if the seat has no player."""
    found: Sequence[str] = stored_notifications(notifications or {}).get("reminders", DEFAULT_REMINDERS)
    return found


def thresholds(data: Any) -> Sequence[str]:
    """Parse a reminder setting such as `["half", "PT3H"]`: reminders after half the counted time, and three hours
    before the due time. `[]` means no reminders. Raise Unfit for other values."""
    if not isinstance(data, list) or len(data) > MOST_REMINDERS:
        raise Unfit('Must be a list of at most %(most)s durations or "half".', "reminders", most=MOST_REMINDERS)
    for item in data:
        if item != "half":
            length_of(item, "reminders")
    return data
