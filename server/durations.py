"""Durations in ISO 8601: `P2D`, `PT12H`."""

import re
from collections.abc import Collection
from datetime import timedelta
from functools import lru_cache
from typing import Any, Final

import isodate

from server.errors import Unfit

LONGEST: Final = timedelta(days=365)


def duration(text: Any, least: str = "PT1S", most: str = "P365D") -> timedelta:
    """Parse a duration from `least` to `most`, such as `P2D`, `PT12H`, `P1DT6H` or `P1W`. Raise Unfit for any other
    string."""
    if type(text) is not str:
        raise Unfit('A duration must be a string such as "P2D" or "PT12H".')
    length = _duration(text[:40])
    if not _duration(least) <= length <= _duration(most):
        raise Unfit("%(text)s is not between %(least)s and %(most)s.", text=repr(text[:40]), least=least, most=most)
    return length


@lru_cache
def _duration(text: str) -> timedelta:
    try:
        if not re.fullmatch("P[0-9YMWDTHS]+", text):  # isodate would accept signs, fractions and lower case
            raise ValueError
        length: timedelta | isodate.Duration = isodate.parse_duration(text)
    except (ValueError, OverflowError) as error:
        raise Unfit('%(text)s is not a duration such as "P2D" or "PT12H".', text=repr(text)) from error
    if type(length) is not timedelta:
        raise Unfit("%(text)s has years or months, which vary in length. Use days or weeks.", text=repr(text))
    return length


def duration_text(length: timedelta) -> str:
    """Return the length in ISO 8601: `P2D` for 48 hours."""
    text: str = isodate.duration_isoformat(length)
    return text


# Strict reading


def expect_fields(data: Any, what: str, required: set[str], optional: Collection[str] = ()) -> None:
    if type(data) is not dict:
        raise Unfit("Must be a JSON object.", what)
    # An unknown field comes first: a misspelled field is the reason why another one is missing.
    if unknown := set(data) - required - set(optional):
        raise Unfit("Unknown field `%(field)s`.", what, field=min(unknown)[:40])
    if missing := required - set(data):
        raise Unfit(
            "These fields are missing: %(fields)s.", what, fields=", ".join(f"`{it}`" for it in sorted(missing))
        )


def length_of(data: Any, what: str) -> timedelta:
    try:
        return duration(data)
    except Unfit as error:
        raise Unfit(error.words.at(what)) from error
