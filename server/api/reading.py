"""Reading requests strictly: what is not plainly right is refused before any schema looks at it."""

import json
from typing import Any

from flask import Request
from marshmallow import RAISE, Schema, fields
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import BadRequest, UnsupportedMediaType

_DEEPEST = 20
_LONGEST_NUMBER = 15  # digits: whole numbers below 2**53 and no others mean the same everywhere


def read_json(raw: bytes) -> Any:
    """The JSON value in `raw` (RFC 8259, UTF-8). Raises BadRequest.

    Refused: keys that come twice, NaN and infinities, numbers of more than 15 digits, nesting deeper than 20,
    NUL characters and lone surrogates.
    """
    try:
        text = raw.decode()
        if text.count("[") + text.count("{") > _DEEPEST:
            _check_depth(text)
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_no_number, parse_int=_whole, parse_float=_fraction
        )
    except UnicodeDecodeError:
        raise BadRequest("The body is not UTF-8.") from None
    except json.JSONDecodeError as error:
        raise BadRequest(f"The body is not JSON: {error.msg} at character {error.pos}.") from None
    if "\\u" in text or "\0" in text:
        _check_text(value)
    return value


def _check_depth(text: str) -> None:
    depth, in_string, escaped = 0, False, False
    for char in text:
        if in_string:
            in_string, escaped = escaped or char != '"', char == "\\" and not escaped
        elif char == '"':
            in_string = True
        elif char in "[{":
            depth += 1
            if depth > _DEEPEST:
                raise BadRequest(f"The body is nested deeper than {_DEEPEST}.")
        elif char in "]}":
            depth -= 1


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise BadRequest(f"The key {twice[:40]!a} comes twice.")
    return made


def _no_number(word: str) -> Any:
    raise BadRequest(f"{word} is not JSON.")


def _whole(digits: str) -> int:
    if len(digits) > _LONGEST_NUMBER:
        raise BadRequest(f"A number has more than {_LONGEST_NUMBER} digits.")
    return int(digits)


def _fraction(digits: str) -> float:
    if len(digits) > 2 * _LONGEST_NUMBER or abs(number := float(digits)) > 2.0**53:
        raise BadRequest("A number is too long or too large.")
    return number


def _check_text(value: Any) -> None:
    match value:
        case str():
            if any(char == "\0" or "\ud800" <= char <= "\udfff" for char in value):
                raise BadRequest("A text holds a NUL character or half a character.")
        case dict():
            for key, item in value.items():
                _check_text(key)
                _check_text(item)
        case list():
            for item in value:
                _check_text(item)


class StrictParser(FlaskParser):
    """webargs behind the strict reader: a JSON body of type application/json, and no unknown fields anywhere."""

    DEFAULT_UNKNOWN_BY_LOCATION = {"json": RAISE, "query": RAISE}  # noqa: RUF012 (webargs declares it so)

    def load_json(self, req: Request, schema: Schema) -> Any:
        if req.mimetype != "application/json":
            raise UnsupportedMediaType("The body must be application/json.")
        return read_json(req.get_data(cache=True))


class Truth(fields.Boolean):
    """true or false, and nothing that merely looks like it."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if type(value) is not bool:
            raise self.make_error("invalid", input=value)
        return value


class QueryTruth(fields.Boolean):
    """`true` or `false` in a query."""

    truthy = {"true"}  # noqa: RUF012 (marshmallow declares it so)
    falsy = {"false"}  # noqa: RUF012
