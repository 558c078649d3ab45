"""A strict JSON parser. It rejects text that different parsers interpret differently."""

import json
import re
from collections import Counter
from typing import Any

from server.errors import Unfit

_DEEPEST = 20
_LONGEST_NUMBER = 15  # digits: all parsers agree on whole numbers below 2**53
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_BRACKET = re.compile(r"[\[\]{}]")
_UNFIT_CHARACTER = re.compile("[\0\ud800-\udfff]")


def read_json(raw: bytes) -> Any:
    """Parse a JSON value (RFC 8259, UTF-8). Raise Unfit for invalid JSON, and for the following: duplicate keys, NaN
    and infinities, numbers of more than 15 digits, nesting deeper than 20, NUL characters and lone surrogates."""
    try:
        text = raw.decode()
        if text.count("[") + text.count("{") > _DEEPEST:
            _check_depth(text)
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_no_number, parse_int=_whole, parse_float=_fraction
        )
    except UnicodeDecodeError:
        raise Unfit("This is not UTF-8.") from None
    except json.JSONDecodeError as error:
        raise Unfit("The JSON is invalid starting at character %(nr)s.", nr=error.pos) from None
    if "\\u" in text or "\0" in text:
        _check_text(value)
    return value


def _check_depth(text: str) -> None:
    depth = 0
    for bracket in _BRACKET.findall(_STRING.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        if depth > _DEEPEST:
            raise Unfit("Nested more than %(most)s levels deep.", most=_DEEPEST)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise Unfit("The key %(key)s appears twice.", key=ascii(twice[:40]))
    return made


def _no_number(word: str) -> Any:
    raise Unfit("%(word)s is not JSON.", word=word)


def _whole(digits: str) -> int:
    if len(digits) > _LONGEST_NUMBER:
        raise Unfit("A number has more than %(most)s digits.", most=_LONGEST_NUMBER)
    return int(digits)


def _fraction(digits: str) -> float:
    if len(digits) > 2 * _LONGEST_NUMBER or abs(number := float(digits)) > 2.0**53:
        raise Unfit("A number is too long or too large.")
    return number


def _check_text(value: Any) -> None:
    match value:
        case str():
            if _UNFIT_CHARACTER.search(value):
                raise Unfit("A text contains a NUL character or a lone surrogate.")
        case dict():
            for key, item in value.items():
                _check_text(key)
                _check_text(item)
        case list():
            for item in value:
                _check_text(item)
