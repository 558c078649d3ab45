"""Times and lengths of time, as one says them."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_time

from server.translations import Language


def moment(when: datetime, zone: ZoneInfo, say: Language) -> str:
    """`Tuesday 24 November 2026, 18:30 (Europe/Berlin, UTC+1)`: leaves no doubt, even as the clocks change."""
    there = when.astimezone(zone)
    sign, hours, minutes = (ahead := f"{there:%z}")[0], int(ahead[1:3]), ahead[3:5]
    offset = f"UTC{sign}{hours}" + (f":{minutes}" if minutes != "00" else "")
    named = zone.key if zone.key == "UTC" else f"{zone.key}, {offset}"
    return f"{format_date(there, 'full', say.region)}, {format_time(there, 'HH:mm', locale=say.region)} ({named})"


def span(length: timedelta, say: Language) -> str:
    """`2 days`, `1 day 5 hours`, `45 minutes`: rounded down, so that nobody is promised more than he has."""
    minutes = max(length, timedelta(0)) // timedelta(minutes=1)
    hours, days = minutes // 60, minutes // (24 * 60)
    if days:
        return _joined(_days(days, say), _hours(hours % 24, say))
    return _joined(_hours(hours, say), _minutes(minutes % 60, say)) or say.gettext("less than a minute")


def _days(num: int, say: Language) -> str:
    return say.ngettext("%(num)s day", "%(num)s days", num) if num else ""


def _hours(num: int, say: Language) -> str:
    return say.ngettext("%(num)s hour", "%(num)s hours", num) if num else ""


def _minutes(num: int, say: Language) -> str:
    return say.ngettext("%(num)s minute", "%(num)s minutes", num) if num else ""


def _joined(larger: str, smaller: str) -> str:
    return f"{larger} {smaller}".strip()
