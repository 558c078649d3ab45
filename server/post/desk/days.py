"""Days and periods, as players write them in four languages."""

import re
from calendar import monthrange
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby, pairwise

from server.accounts.calendars import VACATION_DAYS
from server.post.desk.arguments import NUMBERS, UNITS, Unclear
from server.translations import noted

_WEEKDAYS = (
    "monday mon montag mo lundi lun lunedì lunedi",
    "tuesday tue dienstag di mardi mar martedì martedi",
    "wednesday wed mittwoch mi mercredi mer mercoledì mercoledi",
    "thursday thu donnerstag do jeudi jeu giovedì giovedi gio",
    "friday fri freitag fr vendredi ven venerdì venerdi",
    "saturday sat samstag sa sonnabend samedi sam sabato sab",
    "sunday sun sonntag so dimanche dim domenica dom",
)
_MONTHS = (
    "january jan januar jänner janvier janv gennaio gen",
    "february feb februar febr février fevrier févr fevr fév febbraio",
    "march mar märz maerz mär mrz mars marzo",
    "april apr avril avr aprile",
    "may mai maggio mag",
    "june jun juni juin giugno giu",
    "july jul juli juillet juil luglio lug",
    "august aug août aout agosto ago",
    "september sep sept septembre settembre set sett",
    "october oct oktober okt octobre ottobre ott",
    "november nov novembre",
    "december dec dezember dez décembre decembre déc dicembre dic",
)
_DAY_OF = {word: number for number, words in enumerate(_WEEKDAYS, 1) for word in words.split()}
_MONTH_OF = {word: number for number, words in enumerate(_MONTHS, 1) for word in words.split()}
_NEAR = {
    word: days
    for days, words in enumerate(
        ("today now heute jetzt aujourd'hui oggi", "tomorrow morgen demain domani", "übermorgen")
    )
    for word in words.split()
}
_NEXT, _THIS, _TO, _FROM, _FILLING = (
    frozenset(words.split())
    for words in (
        "next nächste nächsten nächster naechste naechsten kommende kommenden prochain prochaine prossimo prossima",
        "this diese diesen dieser dieses ce cette questo questa",
        ".. ... - – — to till til until through bis au à al a and und et e",
        "from starting between von vom ab zwischen du de des dès entre da dal dall dalla tra fra",
        "the of on in for st nd rd th inclusive am im an den dem der zum für inklusive le la les l en pour er il lo per ' ( )",
    )
)
_ALIKE = (  # of several words, the one that stands for them
    (re.compile("[’‘´`]"), "'"),
    (re.compile("(?:the )?day after tomorrow|après[- ]demain|dopodomani|uebermorgen"), "übermorgen"),
    (re.compile(r"à partir|a partire"), "ab"),
    (re.compile(r"\ba (?=(?:week|day)\b)"), "1 "),
    (re.compile(r"\bjusqu'(?:à|aux?)?|\bfino(?: al?)?(?!\w)"), "bis"),
    (re.compile("week-end|fine settimana"), "weekend"),
)
_TOKEN = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}"
    r"|\d{1,2}[./]\s?\d{1,2}(?:[./](?!\.)(?:\s?\d{4}|\d{2})?(?![\d/]))?"
    r"|\d{1,4}|\.{2,3}|aujourd'hui|[^\W\d_]+|[^\s,.;º°]"
)
_DAY = timedelta(days=1)
_LONGEST, _MONTHS_IN_YEAR, _LEAP_YEAR, _CENTURY = 31, 12, 2000, 2000
_MOST_READ = 200  # characters of a sentence
_SHORTEST_DAY = 4  # letters
_OFFERED = 14  # days, if the last day is missing

_Period = tuple[date, date]


@dataclass(frozen=True)
class _Day:
    """A day as written. Fields that it lacks are 0. `wrong` is the text of a day that doesn't exist; `day` is then the
    last one of its month."""

    year: int = 0
    month: int = 0
    day: int = 0
    weekday: int = 0
    wrong: str = ""

    @property
    def is_known(self) -> bool:
        return self.year > 0

    def after(self, earliest: date) -> date:
        """Return the first such day that isn't before `earliest`."""
        if self.weekday:
            return earliest + (self.weekday - earliest.isoweekday()) % 7 * _DAY
        if not self.month:
            month = earliest if self.day >= earliest.day else _next_month(earliest)
            return _in(month.year, month.month, self.day)
        found = _in(self.year or earliest.year, self.month, self.day)
        return found if self.is_known or found >= earliest else _in(earliest.year + 1, self.month, self.day)

    def before(self, latest: date) -> date:
        """Return the last such day that isn't after `latest`."""
        if not self.month:
            month = latest if self.day <= latest.day else latest.replace(day=1) - _DAY
            return _in(month.year, month.month, self.day)
        found = _in(self.year or latest.year, self.month, self.day)
        return found if self.is_known or found <= latest else _in(latest.year - 1, self.month, self.day)


def weekdays_in(text: str) -> list[int]:
    """Return weekdays as numbers, from 1 (Monday) to 7. Raise Unclear for any other word."""
    found = []
    for word in re.split(r"[\s,;/+&]+", text.strip().lower().rstrip(".")):
        bare = word.rstrip(".")
        if bare in ("and", "und", "et", "e", ""):
            continue
        number = int(bare) if re.fullmatch("[1-7]", bare) else weekday_of(bare)
        if number is None:
            raise Unclear(noted("We need weekdays here."))
        found.append(number)
    return sorted(set(found))


def weekday_of(word: str) -> int | None:
    """Return the number of the weekday that a word names, perhaps in the plural, or None."""
    lower = word.lower()
    return _DAY_OF.get(lower) or _DAY_OF.get(lower.removesuffix("s"))


def days_in(text: str, today: date, locale: str = "") -> _Period:
    """Return the first and last day of a period, such as `3.12. to 10.12.`, `until Monday` or `next week`. If no year is
    given, return the next such days.

    Raise Unclear for any other text, for days that are over, and for dates such as 7/1 in English.
    """
    tokens = _tokens(text)
    is_month_first = locale == "en" and _is_month_first(tokens)
    try:
        if is_month_first is None:
            raise Unclear(noted("We can't tell which number is the month."), meant=_likely(tokens, today))
        return _read(tokens, today, is_month_first)
    except (ValueError, OverflowError):  # years that no calendar has
        raise _unreadable() from None


def period_in_sentence(text: str, today: date, locale: str) -> str:
    """Return the period in the longest part of a sentence that names one, as a player writes it. If it lacks or mistakes
    something, return the period that was probably meant. Return "" if no part names a period."""
    words = text[:_MOST_READ].split()
    spans = ((first, first + length) for length in range(len(words), 0, -1) for first in range(len(words) - length + 1))
    for first, last in spans:
        part = " ".join(words[first:last]).strip(".!?,;:()")
        if not any(_tells_day(it) for it in _tokens(part)):
            continue
        try:
            return _written(*days_in(part, today, locale))
        except Unclear as error:
            if error.meant:
                return error.meant
    return ""


def _tells_day(token: str) -> bool:
    """Return whether a token is a number or a word for days. Short words such as "so" may be any word."""
    is_word = any(token in known for known in (_DAY_OF, _NEAR, _NEXT, UNITS))
    return token[0].isdigit() or (is_word and len(token) >= _SHORTEST_DAY)


def _likely(tokens: Sequence[str], today: date) -> str:
    """Return the shorter of the periods that dates such as 7/1 may mean, as a player writes it, or ""."""
    found = list[_Period]()
    for is_month_first in (True, False):
        with suppress(Unclear):
            found.append(_read(tokens, today, is_month_first))
    return _written(*min(found, key=lambda it: it[1] - it[0])) if found else ""


def _unreadable() -> Unclear:
    return Unclear(noted("We need the first and the last day here."))


def _tokens(text: str) -> list[str]:
    words = text.lower()
    for pattern, word in _ALIKE:
        words = pattern.sub(word, words)
    return [it for it in _TOKEN.findall(words) if it not in _FILLING]


def _read(tokens: Sequence[str], today: date, is_month_first: bool) -> _Period:
    parts = [[*group] for is_to, group in groupby(tokens, _TO.__contains__) if not is_to]
    is_until = tokens[:1] != [] and tokens[0] in _TO
    if not parts or tokens[-1] in _TO or len(parts) + is_until > 2:
        raise _unreadable()
    if len(parts) == 1 and not is_until and (period := _period(parts[0], today, is_month_first)):
        return _checked(*period, today)
    ends = [_day(it, today, is_month_first) for it in parts]
    if len(ends) == 1 and not (ends[0].month or ends[0].weekday or is_until):
        raise _unreadable()
    found = (today, ends[0].after(today + _DAY)) if is_until else _between(ends[0], ends[-1], today)
    if wrong := ends[0].wrong or ends[-1].wrong:
        raise Unclear(noted("This date doesn't exist: %(day)s."), meant=_written(*found), day=wrong)
    if len(ends) == 1 and any(it in _FROM for it in tokens):
        raise Unclear(noted("The last day is missing."), meant=_written(found[0], found[0] + (_OFFERED - 1) * _DAY))
    return _checked(*found, today)


def _between(first: _Day, last: _Day, today: date) -> _Period:
    """Return the period between two days. One of them may lack the month or the year of the other."""
    if first.weekday:
        begin = first.after(today + _DAY)
        return begin, last.after(begin) if last is not first else begin
    if first.month and not last.month and not last.weekday:
        begin = first.after(today)
        return begin, last.after(begin)
    end = last.after(first.after(today) if first.is_known and not last.is_known else today)
    begin = first.before(end)
    if not first.month and first.day > last.day and begin < today:
        raise _backwards(end, _in(end.year, end.month, first.day))
    is_dated = first.is_known or last.is_known
    if not is_dated and (end - begin).days >= VACATION_DAYS and (swapped := first.after(today)):
        raise _backwards(last.before(swapped), swapped)
    return begin, end


def _checked(first: date, last: date, today: date) -> _Period:
    """Return this period. Raise Unclear if its days are in the wrong order, or if it is over."""
    if first > last:
        later = _in(first.year + ((last.month, last.day) < (first.month, first.day)), last.month, last.day)
        likely = min((last, first), (first, later), key=lambda it: it[1] - it[0])
        raise _backwards(*_moved(*likely, today))
    if last < today:
        raise Unclear(noted("These days are over."), meant=_written(*_moved(first, last, today)))
    return first, last


def _backwards(first: date, last: date) -> Unclear:
    return Unclear(noted("The last day is before the first."), meant=_written(first, last))


def _moved(first: date, last: date, today: date) -> _Period:
    """Return this period in the first year in which it isn't over."""
    years = max(0, today.year - last.year)
    years += _in(last.year + years, last.month, last.day) < today
    return _in(first.year + years, first.month, first.day), _in(last.year + years, last.month, last.day)


def _in(year: int, month: int, day: int) -> date:
    return date(year, month, min(day, monthrange(year, month)[1]))


def _next_month(day: date) -> date:
    return (day.replace(day=1) + _LONGEST * _DAY).replace(day=1)


def _written(first: date, last: date) -> str:
    return f"{first}..{last}"


def _day(tokens: Sequence[str], today: date, is_month_first: bool) -> _Day:
    """Return a day such as `24 Dec`, `24.12.2026`, `Monday` or `tomorrow`. A weekday beside a date is ignored."""
    numbers = [[*map(int, re.findall(r"\d+", it))] for it in tokens if it[0].isdigit()]
    words = [it for it in tokens if not it[0].isdigit() and it not in _FROM and it not in _NEXT and it not in _THIS]
    if not numbers and len(words) == 1 and words[0] in _NEAR:
        near = today + _NEAR[words[0]] * _DAY
        return _Day(near.year, near.month, near.day)
    months = [it for it in words if it in _MONTH_OF]
    months = [it for it in months if it not in _DAY_OF] or months  # "mar" may be Tuesday
    if not all(it in _MONTH_OF or it in _DAY_OF for it in words) or len(months) > 1:
        raise _unreadable()
    match numbers:
        case [] if len(words) == 1 and words[0] in _DAY_OF:
            return _Day(weekday=_DAY_OF[words[0]])
        case [[year, month, day]] if year > _LONGEST and not months:
            return _existing(year, month, day)
        case [[one, other, *year]] if not months:
            of = sum(year) + _CENTURY * (year != [] and year[0] < _CENTURY)
            return _existing(of, *((one, other) if is_month_first else (other, one)))
        case [[day]] if day <= _LONGEST:
            return _existing(0, _MONTH_OF[months[0]] if months else 0, day)
        case [[day], [year]] if months and day <= _LONGEST < year:
            return _existing(year, _MONTH_OF[months[0]], day)
    raise _unreadable()


def _existing(year: int, month: int, day: int) -> _Day:
    """Return this day, or the one that was probably meant with what is wrong."""
    wrong = f"{day}.{month}."
    if month > _MONTHS_IN_YEAR >= day:
        return _Day(year, day, month, wrong=wrong)
    longest = monthrange(year or _LEAP_YEAR, month)[1] if month else _LONGEST
    return _Day(year, month, min(day, longest), wrong=wrong if day > longest else "")


def _period(tokens: list[str], today: date, is_month_first: bool) -> _Period | None:
    """Return a period without a last day, such as `next week` or `from Monday for two weeks`, or None."""
    for place, (number, unit) in enumerate(pairwise(tokens)):
        count = int(number) if number.isdecimal() else NUMBERS.get(number, 0)
        if count and UNITS.get(unit) in ("D", "W"):
            rest = [it for it in tokens[:place] + tokens[place + 2 :] if it not in _FROM]
            first = _day(rest, today, is_month_first).after(today) if rest else today
            return first, first + (count * (7 if UNITS[unit] == "W" else 1) - 1) * _DAY
    is_next, named = any(it in _NEXT for it in tokens), [it for it in tokens if it not in _NEXT and it not in _THIS]
    if len(named) != 1:
        return None
    monday = today + (1 - today.isoweekday() + 7 * is_next) * _DAY
    match named[0]:
        case "weekend" | "wochenende":
            return max(today, monday + 5 * _DAY), monday + 6 * _DAY
        case "month" | "monat" | "mois" | "mese":
            first = _next_month(today) if is_next else today
            return first, _next_month(first) - _DAY
        case word if len(tokens) > 1 and UNITS.get(word) == "W":
            return max(today, monday), monday + 6 * _DAY
    return None


def _is_month_first(tokens: Sequence[str]) -> bool | None:
    """Return whether the month comes first in dates with slashes, or None if their numbers don't show that."""
    slashed = [[*map(int, it.split("/")[:2])] for it in tokens if re.match(r"\d{1,2}/", it)]
    if not slashed or any(first > _MONTHS_IN_YEAR for first, _ in slashed):
        return False
    is_clear = any(second > _MONTHS_IN_YEAR for _, second in slashed) or all(one == other for one, other in slashed)
    return True if is_clear else None
