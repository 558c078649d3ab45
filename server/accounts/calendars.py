"""Players' calendars: the hours that do not count towards their time limits (nights, weekdays off, vacations), in their
time zone."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import Any, Final
from zoneinfo import ZoneInfo, available_timezones

from server.clock import DAY, NOTHING, SECOND, Stretch
from server.durations import LONGEST, expect_fields
from server.errors import Unfit
from server.stored_data import read_or

COUNTED_HOURS: Final = timedelta(hours=8)
COUNTED_DAYS: Final = 4
VACATION_DAYS: Final = 42  # in a calendar year
MOST_VACATIONS: Final = 20
CLOCK_FACE: Final = re.compile("(?:[01][0-9]|2[0-3]):[0-5][0-9]")


@dataclass(frozen=True)
class Calendar:
    """The hours that do not count towards one player's time limits, in local time."""

    zone: ZoneInfo
    night: tuple[time, time] | None = None  # may cross midnight
    days_off: frozenset[int] = frozenset()  # 1 is Monday, 7 is Sunday
    vacations: tuple[tuple[date, date], ...] = ()  # first and last day

    @property
    def counts_always(self) -> bool:
        return self.night is None and not self.days_off and not self.vacations

    def counts_on(self, day: date) -> bool:
        """Return whether any hour of this local day counts."""
        return day.isoweekday() not in self.days_off and not any(first <= day <= last for first, last in self.vacations)

    def hours(self) -> list[tuple[timedelta, timedelta]]:
        """Return the ranges of hours that count on a day that is not off, as offsets from midnight in local time."""
        if self.night is None:
            return [(NOTHING, DAY)]
        begin, end = map(_since_midnight, self.night)
        return [(end, begin)] if begin > end else [(NOTHING, begin), (end, DAY)]


ALWAYS: Final = Calendar(ZoneInfo("UTC"))


def calendar(data: Any, zone: str) -> Calendar:
    """Parse a calendar such as:

        {"night": "22:00-08:00", "days_off": [6, 7], "vacations": [{"from": "2026-12-20", "to": "2027-01-03"}]}

    All fields are optional, and `night` may be null. At least 8 hours on 4 days a week must count, and at most
    VACATION_DAYS of a calendar year may be vacation. Raise Unfit for an invalid calendar.
    """
    expect_fields(data, "calendar", set(), {"night", "days_off", "vacations"})
    return Calendar(
        time_zone(zone),
        _night(data.get("night")),
        _days_off(data.get("days_off", [])),
        _vacations(data.get("vacations", [])),
    )


def keep_vacations(before: Calendar, after: Calendar, now: datetime) -> None:
    """Raise Unfit if `after` lacks days of this year's vacations that have begun. Otherwise players could remove past
    vacations and reuse the days."""
    today = now.astimezone(before.zone).date()
    begun = {day for day in _days(before.vacations) if day.year == today.year and day <= today}
    if missing := begun - _days(after.vacations):
        raise Unfit(
            "%(day)s is missing from your list. A vacation that has started can't end before today, %(today)s. The "
            "days already used count toward this year's limit.",
            "vacations",
            day=min(missing),
            today=today,
        )


def time_zone(name: Any) -> ZoneInfo:
    """Return the zone of an IANA name such as `Europe/Berlin`. Raise Unfit for an unknown name."""
    if not isinstance(name, str) or name not in _zone_names():
        raise Unfit('Not an IANA time zone such as "Europe/Berlin".', "zone")
    return ZoneInfo(name)


def stored_zone(name: Any) -> ZoneInfo:
    """Return a player's zone, or UTC if this machine, perhaps because of an old tzdata, doesn't know the zone."""
    return read_or(ALWAYS.zone, "zone", lambda: time_zone(name))


def stored_calendar(data: Any, zone: Any) -> Calendar:
    """Return a player's calendar, or one in which every hour counts if it can't be read."""
    there = stored_zone(zone)
    return read_or(Calendar(there), "calendar", lambda: calendar(data, there.key))


@cache
def _zone_names() -> frozenset[str]:
    return frozenset(available_timezones() - {"localtime", "Factory"})  # these two differ between machines


def _night(text: Any) -> tuple[time, time] | None:
    if text is None:
        return None
    match = re.fullmatch(f"({CLOCK_FACE.pattern})-({CLOCK_FACE.pattern})", text) if isinstance(text, str) else None
    if match is None:
        raise Unfit('Must be a string such as "22:00-08:00", or null.', "night")
    begin, end = map(time.fromisoformat, match.groups())
    length = (_since_midnight(end) - _since_midnight(begin)) % DAY
    if not NOTHING < length <= DAY - COUNTED_HOURS:
        raise Unfit("Your clock must run for at least 8 hours a day, and the range can't be empty.", "night")
    return begin, end


def _days_off(data: Any) -> frozenset[int]:
    if not isinstance(data, list) or not all(type(day) is int and 1 <= day <= 7 for day in data):
        raise Unfit("Must be a list of weekdays from 1 (Monday) to 7 (Sunday).", "days_off")
    if len(set(data)) < len(data):
        raise Unfit("A weekday is listed twice.", "days_off")
    if len(data) > 7 - COUNTED_DAYS:
        raise Unfit("Your clock must run on at least 4 days a week.", "days_off")
    return frozenset(data)


def _vacations(data: Any) -> tuple[tuple[date, date], ...]:
    if not isinstance(data, list) or len(data) > MOST_VACATIONS:
        raise Unfit("Must be a list of at most %(most)s vacations.", "vacations", most=MOST_VACATIONS)
    ranges = []
    for item in data:
        expect_fields(item, "vacations", {"from", "to"})
        first, last = _date(item["from"], "from"), _date(item["to"], "to")
        if not NOTHING <= last - first <= 2 * LONGEST:
            raise Unfit("`to` must be on or after `from`, and at most two years later.", "vacations")
        ranges.append((first, last))
    days = _days(ranges)
    for year in {day.year for day in days}:
        if sum(day.year == year for day in days) > VACATION_DAYS:
            raise Unfit(
                "You can take at most %(most)s vacation days in %(year)s.", "vacations", most=VACATION_DAYS, year=year
            )
    return tuple(sorted(ranges))


def _days(vacations: Collection[tuple[date, date]]) -> set[date]:
    return {first + n * DAY for first, last in vacations for n in range((last - first).days + 1)}


def _date(text: Any, field: str) -> date:
    try:
        day = date.fromisoformat(text)
    except (TypeError, ValueError):
        day = date.min
    if day.isoformat() != text or not 2000 <= day.year <= 2999:
        raise Unfit('`%(field)s` is not a date such as "2026-12-20".', "vacations", field=field)
    return day


def _since_midnight(moment: time) -> timedelta:
    return timedelta(hours=moment.hour, minutes=moment.minute)


def counting_hours(start: datetime, calendar: Calendar) -> Iterator[Stretch]:
    if calendar.counts_always:
        yield start, datetime.max.replace(tzinfo=UTC)
        return
    hours = calendar.hours()
    for begin, end, ahead in _between_clock_changes(start, calendar.zone):
        # within each period the UTC offset is constant
        first, last = begin + ahead, end + ahead
        midnight = first.replace(hour=0, minute=0, second=0, microsecond=0)
        while midnight < last:
            if calendar.counts_on(midnight.date()):
                for opening, closing in hours:
                    from_, to = max(midnight + opening, first), min(midnight + closing, last)
                    if from_ < to:
                        yield from_ - ahead, to - ahead
            midnight += DAY


def _between_clock_changes(start: datetime, zone: ZoneInfo) -> Iterator[tuple[datetime, datetime, timedelta]]:
    """Yield periods of at most a day that contain no clock change, with their UTC offset."""

    def ahead(moment: datetime) -> timedelta:
        return moment.astimezone(zone).utcoffset() or NOTHING

    while True:
        now, end = ahead(start), start + DAY
        if ahead(end) != now:
            before, end = start.replace(microsecond=0), end.replace(microsecond=0)
            while end - before > SECOND:  # clocks change at whole seconds
                middle = before + (end - before) // SECOND // 2 * SECOND
                before, end = (middle, end) if ahead(middle) == now else (before, middle)
        yield start, end, now
        start = end
