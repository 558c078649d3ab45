"""Formats times, dates and durations as text."""

import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Final, Literal
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_time

from server.translations import Language

_SHORT = timedelta(minutes=5)
_FIRST: Final[Mapping[str, str]] = {"fr": "1er", "it": "1º"}


def moment(when: datetime, zone: ZoneInfo, say: Language) -> str:
    """Return a time such as `Tuesday 24 November 2026, 18:30 (Europe/Berlin, UTC+1)`.

    The UTC offset makes times unambiguous on the day when the clocks go back.
    """
    there = when.astimezone(zone)
    sign, hours, minutes = (ahead := f"{there:%z}")[0], int(ahead[1:3]), ahead[3:5]
    offset = f"UTC{sign}{hours}" + (f":{minutes}" if minutes != "00" else "")
    named = zone.key if zone.key == "UTC" else f"{zone.key}, {offset}"
    return f"{day(there, say, 'full')}, {format_time(there, 'HH:mm', locale=say.region)} ({named})"


def day(when: date, say: Language, form: Literal["long", "full"] = "long") -> str:
    """Return a date such as `24 November 2026`. In French and Italian, the first day of a month is an ordinal number,
    which CLDR lacks."""
    told = format_date(when, form, say.region)
    return re.sub(r"\b1\b", _FIRST.get(say.locale, "1"), told, count=1) if when.day == 1 else told


def span(length: timedelta, say: Language) -> str:
    """Return a duration such as `2 days`, `1 day 5 hours` or `45 minutes`.

    The duration is rounded down, so that players never have less time than they were promised. A day or more may be
    up to five minutes short, since emails are sent slightly after a turn begins: `2 days`, not `1 day 23 hours`.
    """
    if length > timedelta(days=1) - _SHORT:
        length += _SHORT
    minutes = max(length, timedelta(0)) // timedelta(minutes=1)
    hours, days = minutes // 60, minutes // (24 * 60)
    if days:
        return _joined(_days(days, say), _hours(hours % 24, say), say)
    return _joined(_hours(hours, say), _minutes(minutes % 60, say), say) or say.gettext("less than a minute")


def short_span(length: timedelta, say: Language) -> str:
    """Return a duration in its largest unit, such as `2 days` or `3 hours`, for the subject of an email.

    A reminder is sent slightly after its time, so 2 hours 59 minutes count as 3 hours.
    """
    rounded = -(-length // _SHORT) * _SHORT
    for unit, name in ((timedelta(days=1), _days), (timedelta(hours=1), _hours)):
        if rounded >= unit:
            return name(rounded // unit, say)
    return span(length, say)


def _days(num: int, say: Language) -> str:
    return say.ngettext("%(num)s day", "%(num)s days", num) if num else ""


def _hours(num: int, say: Language) -> str:
    return say.ngettext("%(num)s hour", "%(num)s hours", num) if num else ""


def _minutes(num: int, say: Language) -> str:
    return say.ngettext("%(num)s minute", "%(num)s minutes", num) if num else ""


def _joined(larger: str, smaller: str, say: Language) -> str:
    if not larger or not smaller:
        return larger or smaller
    return say.gettext("%(larger)s %(smaller)s", larger=larger, smaller=smaller)
