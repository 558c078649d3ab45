"""Time: what the clock says, which hours count for a player, when he is due, and what follows if he is late.

Pure but for `clock.now()`. Moments are aware and come back in UTC; lengths of time are elapsed time, not wall-clock time.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, Final
from zoneinfo import ZoneInfo, available_timezones

import isodate

from server.play.errors import Unfit

NOTHING: Final = timedelta(0)
SECOND: Final = timedelta(seconds=1)
DAY: Final = timedelta(days=1)

Stretch = tuple[datetime, datetime]  # from, to (not included)


class Clock:
    """The clock on the wall. Tests and the sandbox put it forward instead of waiting."""

    def __init__(self) -> None:
        self.offset = NOTHING

    def now(self) -> datetime:
        return self.real() + self.offset

    def real(self) -> datetime:
        """The time that no leap changes, by which receivers check signatures and leases run out."""
        return datetime.now(UTC)

    def forward(self, by: timedelta) -> None:
        self.offset += by


clock = Clock()


# Durations, as ISO 8601 writes them

LONGEST: Final = timedelta(days=365)


def duration(text: Any) -> timedelta:
    """`P2D`, `PT12H`, `P1DT6H`, `P1W`: from a second to 365 days. Raises Unfit."""
    if type(text) is not str:
        raise Unfit("A duration is a text such as P2D or PT12H.")
    return _duration(text[:40])


@lru_cache
def _duration(text: str) -> timedelta:
    try:
        if not re.fullmatch("P[0-9YMWDTHS]+", text):  # isodate would take signs, fractions and lower case, too
            raise ValueError
        length: timedelta | isodate.Duration = isodate.parse_duration(text)
    except (ValueError, OverflowError) as error:
        raise Unfit("%(text)s is not a duration such as P2D or PT12H.", text=repr(text)) from error
    if type(length) is not timedelta:
        raise Unfit("%(text)s has years or months, whose length varies; write days or weeks.", text=repr(text))
    if not SECOND <= length <= LONGEST:
        raise Unfit("%(text)s is not between a second (PT1S) and a year (P365D).", text=repr(text))
    return length


def duration_text(length: timedelta) -> str:
    """The length in ISO 8601: 48 hours are `P2D`."""
    text: str = isodate.duration_isoformat(length)
    return text


# A player's calendar

COUNTED_HOURS: Final = timedelta(hours=8)
COUNTED_DAYS: Final = 4
VACATION_DAYS: Final = 42  # in a calendar year
MOST_VACATIONS: Final = 20
CLOCK_FACE: Final = re.compile("(?:[01][0-9]|2[0-3]):[0-5][0-9]")


@dataclass(frozen=True)
class Calendar:
    """The hours that do not count for one player, by the clocks of his zone."""

    zone: ZoneInfo
    night: tuple[time, time] | None = None  # may cross midnight
    days_off: frozenset[int] = frozenset()  # 1 is Monday, 7 is Sunday
    vacations: tuple[tuple[date, date], ...] = ()  # first and last day

    @property
    def counts_always(self) -> bool:
        return self.night is None and not self.days_off and not self.vacations

    def counts_on(self, day: date) -> bool:
        """Whether anything of this local day counts."""
        return day.isoweekday() not in self.days_off and not any(first <= day <= last for first, last in self.vacations)

    def hours(self) -> list[tuple[timedelta, timedelta]]:
        """What counts of a day that is not off, as distances from midnight on the face of the clock."""
        if self.night is None:
            return [(NOTHING, DAY)]
        begin, end = map(_since_midnight, self.night)
        return [(end, begin)] if begin > end else [(NOTHING, begin), (end, DAY)]


ALWAYS: Final = Calendar(ZoneInfo("UTC"))


def calendar(data: Any, zone: str, vacation_days: int = VACATION_DAYS) -> Calendar:
    """`{"night": "22:00-08:00" or null, "days_off": [6, 7], "vacations": [{"from": "2026-12-20", "to": "2027-01-03"}]}`.

    Each field may be left out. Raises Unfit, also if less than 8 hours on 4 days a week would count or more than
    `vacation_days` of a calendar year are vacation.
    """
    _expect_fields(data, "calendar", set(), {"night", "days_off", "vacations"})
    return Calendar(
        time_zone(zone),
        _night(data.get("night")),
        _days_off(data.get("days_off", [])),
        _vacations(data.get("vacations", []), vacation_days),
    )


def keep_vacations(before: Calendar, after: Calendar, now: datetime) -> None:
    """Raises Unfit if a vacation of this year is gone or shortened by days that have begun by now.

    Else whoever drops those that are over could have the days of a year again and again.
    """
    today = now.astimezone(before.zone).date()
    begun = {day for day in _days(before.vacations) if day.year == today.year and day <= today}
    if missing := begun - _days(after.vacations):
        raise Unfit(
            "%(day)s is missing; a vacation that has begun may end today, %(today)s, or later, and its days "
            "stay until their year is over.",
            "vacations",
            day=min(missing),
            today=today,
        )


def time_zone(name: Any) -> ZoneInfo:
    """The zone of an IANA name such as `Europe/Berlin`. Raises Unfit."""
    if not isinstance(name, str) or name not in _zone_names():
        raise Unfit("This is not the IANA name of a time zone such as Europe/Berlin.", "zone")
    return ZoneInfo(name)


@cache
def _zone_names() -> frozenset[str]:
    return frozenset(available_timezones() - {"localtime", "Factory"})  # these differ from machine to machine


def _night(text: Any) -> tuple[time, time] | None:
    if text is None:
        return None
    match = re.fullmatch(f"({CLOCK_FACE.pattern})-({CLOCK_FACE.pattern})", text) if isinstance(text, str) else None
    if match is None:
        raise Unfit('A text such as "22:00-08:00" is needed here, or null.', "night")
    begin, end = map(time.fromisoformat, match.groups())
    length = (_since_midnight(end) - _since_midnight(begin)) % DAY
    if not NOTHING < length <= DAY - COUNTED_HOURS:
        raise Unfit("It must leave at least 8 hours a day that count, and it cannot be empty.", "night")
    return begin, end


def _days_off(data: Any) -> frozenset[int]:
    if not isinstance(data, list) or not all(type(day) is int and 1 <= day <= 7 for day in data):
        raise Unfit("A list of weekdays from 1 (Monday) to 7 (Sunday) is needed here.", "days_off")
    if len(set(data)) < len(data):
        raise Unfit("A weekday is named twice.", "days_off")
    if len(data) > 7 - COUNTED_DAYS:
        raise Unfit("At least 4 days a week must count.", "days_off")
    return frozenset(data)


def _vacations(data: Any, most_days: int) -> tuple[tuple[date, date], ...]:
    if not isinstance(data, list) or len(data) > MOST_VACATIONS:
        raise Unfit("A list of at most %(most)s vacations is needed here.", "vacations", most=MOST_VACATIONS)
    ranges = []
    for item in data:
        _expect_fields(item, "vacations", {"from", "to"})
        first, last = _date(item["from"], "from"), _date(item["to"], "to")
        if not NOTHING <= last - first <= 2 * LONGEST:
            raise Unfit("`to` cannot be before `from`, nor more than two years after it.", "vacations")
        ranges.append((first, last))
    days = _days(ranges)
    for year in {day.year for day in days}:
        if sum(day.year == year for day in days) > most_days:
            raise Unfit("More than %(most)s days in %(year)s.", "vacations", most=most_days, year=year)
    return tuple(sorted(ranges))


def _days(vacations: Collection[tuple[date, date]]) -> set[date]:
    return {first + n * DAY for first, last in vacations for n in range((last - first).days + 1)}


def _date(text: Any, field: str) -> date:
    try:
        day = date.fromisoformat(text)
    except (TypeError, ValueError):
        day = date.min
    if day.isoformat() != text or not 2000 <= day.year <= 2999:
        raise Unfit("`%(field)s` is not a date such as 2026-12-20.", "vacations", field=field)
    return day


def _since_midnight(moment: time) -> timedelta:
    return timedelta(hours=moment.hour, minutes=moment.minute)


# Counted time


def due_at(
    asked_at: datetime, allowed: timedelta, calendar: Calendar = ALWAYS, outages: Collection[Stretch] = ()
) -> datetime:
    """The first moment at which `allowed` of counted time has passed since `asked_at`."""
    asked_at = asked_at.astimezone(UTC)
    if calendar.counts_always and not outages:
        return asked_at + allowed
    left = allowed
    for begin, end in _counted(asked_at, calendar, outages):
        if left <= NOTHING:
            return asked_at
        if begin + left <= end:
            return begin + left
        left -= end - begin
    raise OverflowError("No moment is that late.")


def counted(
    start: datetime, end: datetime, calendar: Calendar = ALWAYS, outages: Collection[Stretch] = ()
) -> timedelta:
    """How much of the time from `start` to `end` counts: `counted(asked, due_at(asked, d)) == d`."""
    start, end = start.astimezone(UTC), end.astimezone(UTC)
    total = NOTHING
    for stretch_begin, stretch_end in _counted(start, calendar, outages):
        if stretch_begin >= end:
            break
        total += min(stretch_end, end) - stretch_begin
    return total


def _counted(start: datetime, calendar: Calendar, outages: Collection[Stretch]) -> Iterator[Stretch]:
    """The stretches of counted time from `start` on, in order, without end."""
    gaps = _merged(outages)
    for begin, end in _by_calendar(start, calendar):
        for gap_begin, gap_end in gaps:
            if gap_end <= begin:
                continue
            if gap_begin >= end:
                break
            if gap_begin > begin:
                yield begin, gap_begin
            begin = gap_end
        if begin < end:
            yield begin, end


def _merged(outages: Collection[Stretch]) -> list[Stretch]:
    merged: list[Stretch] = []
    for begin, end in sorted((begin.astimezone(UTC), end.astimezone(UTC)) for begin, end in outages):
        if merged and begin <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        elif begin < end:
            merged.append((begin, end))
    return merged


def _by_calendar(start: datetime, calendar: Calendar) -> Iterator[Stretch]:
    if calendar.counts_always:
        yield start, datetime.max.replace(tzinfo=UTC)
        return
    hours = calendar.hours()
    for begin, end, ahead in _between_clock_changes(start, calendar.zone):
        # within such a stretch the face of the clock runs as time does, so a constant leads from one to the other
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
    """Stretches of at most a day in which nobody moves the zone's clocks, and how far these are ahead of UTC."""

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


# A game's clock


@dataclass(frozen=True)
class PerMove:
    """The same time for every turn."""

    allowed: timedelta


@dataclass(frozen=True)
class Bank:
    """A store of time: what a turn leaves over is kept, and each turn adds the increment, up to the cap."""

    bank: timedelta
    increment: timedelta
    cap: timedelta


GameClock = PerMove | Bank

DEFAULT_CLOCK: Final = {"per_move": "P2D"}


def game_clock(data: Any) -> GameClock:
    """`{"per_move": "P2D"}` or `{"bank": "P3D", "increment": "PT12H", "cap": "P5D"}`. Raises Unfit."""
    if isinstance(data, dict) and "per_move" in data:
        _expect_fields(data, "clock", {"per_move"})
        return PerMove(_length(data["per_move"], "clock: `per_move`"))
    _expect_fields(data, "clock", {"bank", "increment", "cap"})
    bank, increment, cap = (_length(data[field], f"clock: `{field}`") for field in ("bank", "increment", "cap"))
    if max(bank, increment) > cap:
        raise Unfit("Neither `bank` nor `increment` may be more than `cap`.", "clock")
    return Bank(bank, increment, cap)


def first_allowance(clock: GameClock) -> timedelta:
    """The counted time that a seat has for its first turn."""
    match clock:
        case PerMove(allowed):
            return allowed
        case Bank(bank):
            return bank


def next_allowance(clock: GameClock, allowed: timedelta, used: timedelta) -> timedelta:
    """The counted time for a seat's next turn, after one that allowed so much and used so much of it.

    `allowed` is what the turn began with, without extensions: an extension is lent for one turn, so whoever needed it
    goes on with the increment alone, and what he leaves of it is not saved.
    """
    match clock:
        case PerMove():
            return clock.allowed
        case Bank(_, increment, cap):
            return min(cap, max(allowed - used, NOTHING) + increment)


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
            _length(item, "reminders")
    return data


def reminder_times(
    asked_at: datetime,
    due_at: datetime,
    thresholds: Sequence[str] = DEFAULT_REMINDERS,
    calendar: Calendar = ALWAYS,
) -> list[datetime]:
    """When to remind, in order, between `asked_at` and `due_at`.

    A reminder in hours that do not count waits for their end, or is left out if the next one has come by then;
    only the last comes at any hour.
    """
    moments = {_reached(threshold, asked_at, due_at, calendar) for threshold in thresholds}
    times = sorted(moment for moment in moments if asked_at < moment < due_at)
    awake = [(next(_by_calendar(moment, calendar))[0], following) for moment, following in pairwise(times)]
    return sorted({moment for moment, following in awake if moment < following}) + times[-1:]


def _reached(threshold: str, asked_at: datetime, due: datetime, calendar: Calendar) -> datetime:
    if threshold == "half":
        return due_at(asked_at, counted(asked_at, due, calendar) / 2, calendar)
    return due.astimezone(UTC) - duration(threshold)


def next_reminder(
    asked_at: datetime, due_at: datetime, thresholds: Sequence[str], calendar: Calendar, after: datetime
) -> datetime | None:
    """The first reminder later than `after`, so that those missed are not sent late."""
    return next((moment for moment in reminder_times(asked_at, due_at, thresholds, calendar) if moment > after), None)


# What a time-out does


@dataclass(frozen=True)
class Extend:
    """More time for this turn; so often for a seat in the whole game."""

    by: timedelta
    times: int


@dataclass(frozen=True)
class BotMove:
    """A bot plays this turn; for so many time-outs in a row."""

    bot: str
    times: int


@dataclass(frozen=True)
class BotTakesOver:
    """A bot takes the seat, until its player comes back."""

    bot: str


@dataclass(frozen=True)
class Abandon:
    """The game ends without a result."""


Rung = Extend | BotMove | BotTakesOver | Abandon

DEFAULT_LADDER: Final = [
    {"do": "extend", "by": "P1D", "times": 1},
    {"do": "bot-move", "bot": "greedy", "times": 2},
    {"do": "bot-takes-over", "bot": "greedy"},
]
DEFAULT_BOT: Final = "greedy"
_DOES: Final = ("extend", "bot-move", "bot-takes-over", "abandon")
MOST_RUNGS: Final = 10
MOST_TIMES: Final = 100


def ladder(data: Any, bots: Collection[str]) -> tuple[Rung, ...]:
    """The rungs of `on_timeout`, lowest first; `bots` are those that the game may name. Raises Unfit."""
    if not isinstance(data, list) or not 1 <= len(data) <= MOST_RUNGS:
        raise Unfit("A list of 1 to %(most)s steps is needed here.", "on_timeout", most=MOST_RUNGS)
    rungs = tuple(_rung(item, bots) for item in data)
    if [n for n, rung in enumerate(rungs, 1) if isinstance(rung, BotTakesOver | Abandon)] != [len(rungs)]:
        raise Unfit("The last step, and only the last, is `bot-takes-over` or `abandon`.", "on_timeout")
    return rungs


def _rung(data: Any, bots: Collection[str]) -> Rung:
    match data.get("do") if isinstance(data, dict) else None:
        case "extend":
            _expect_fields(data, "on_timeout", {"do", "by", "times"})
            return Extend(_length(data["by"], "on_timeout: `by`"), _times(data["times"]))
        case "bot-move":
            _expect_fields(data, "on_timeout", {"do", "bot", "times"})
            return BotMove(_bot(data["bot"], bots), _times(data["times"]))
        case "bot-takes-over":
            _expect_fields(data, "on_timeout", {"do", "bot"})
            return BotTakesOver(_bot(data["bot"], bots))
        case "abandon":
            _expect_fields(data, "on_timeout", {"do"})
            return Abandon()
        case _:
            raise Unfit("The `do` of a step is one of %(known)s.", "on_timeout", known=", ".join(_DOES))


def _times(times: Any) -> int:
    if type(times) is not int or not 1 <= times <= MOST_TIMES:
        raise Unfit("`times` is a whole number from 1 to %(most)s.", "on_timeout", most=MOST_TIMES)
    return times


def _bot(name: Any, bots: Collection[str]) -> str:
    if not isinstance(name, str) or name not in bots:
        raise Unfit("`%(field)s` is one of %(known)s.", "on_timeout", field="bot", known=", ".join(sorted(bots)))
    return name


def rung_for(ladder: Sequence[Rung], extended: int, missed: int) -> Rung:
    """What the next time-out of a seat does.

    `extended` counts its extensions in this game so far, `missed` the turns in a row that a bot has just played for it
    (extensions apart; 0 once its player has moved himself).
    """
    for rung in ladder:
        match rung:
            case Extend(_, times):
                if extended < times:
                    return rung
                extended -= times
            case BotMove(_, times):
                if missed < times:
                    return rung
                missed -= times
            case _:
                return rung
    raise ValueError("A ladder ends with bot-takes-over or abandon.")


def bot_of(ladder: Sequence[Rung]) -> str:
    """The bot that plays on for whoever leaves: the last that the ladder names."""
    bots = [rung.bot for rung in ladder if isinstance(rung, BotMove | BotTakesOver)]
    return bots[-1] if bots else DEFAULT_BOT


# Strict reading


def _expect_fields(data: Any, what: str, required: set[str], optional: Collection[str] = ()) -> None:
    if type(data) is not dict:
        raise Unfit("A JSON object is needed here.", what)
    if missing := required - set(data):
        raise Unfit("`%(field)s` is missing.", what, field=min(missing))
    if unknown := set(data) - required - set(optional):
        raise Unfit("There is no field `%(field)s` here.", what, field=min(unknown)[:40])


def _length(data: Any, what: str) -> timedelta:
    try:
        return duration(data)
    except Unfit as error:
        raise Unfit(error.words.at(what)) from error
