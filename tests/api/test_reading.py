"""The strict reader rejects invalid bodies."""

from typing import Any
from uuid import uuid4

import pytest

from server.games import Json
from tests.support.api_calls import MOVE, walk
from tests.support.contract import JSON, Someone, is_problem, opened
from tests.support.games import ME, OPEN, wanted


def body_of(depth: int) -> bytes:
    """A request to read legal moves, nested so deep."""
    return b'{"begun": ' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


BAD_BODIES: dict[str, tuple[bytes, int, str]] = {
    "nothing": (b"", 422, "invalid-fields"),
    "a space": (b" ", 400, "malformed-request"),
    "not JSON": (b"begun=[]", 400, "malformed-request"),
    "more than one value": (b'{"begun": []} {}', 400, "malformed-request"),
    "a trailing comma": (b'{"begun": [],}', 400, "malformed-request"),
    "single quotes": (b"{'begun': []}", 400, "malformed-request"),
    "a comment": (b'{"begun": [] /* none */}', 400, "malformed-request"),
    "a duplicate key": (b'{"begun": [], "begun": []}', 400, "malformed-request"),
    "a duplicate key, once escaped": (b'{"begun": [], "beg\\u0075n": []}', 400, "malformed-request"),
    "a duplicate key in a nested object": (b'{"begun": [{"star": "1", "star": "7"}]}', 400, "malformed-request"),
    "NaN": (b'{"begun": [NaN]}', 400, "malformed-request"),
    "Infinity": (b'{"begun": [Infinity]}', 400, "malformed-request"),
    "-Infinity": (b'{"begun": [-Infinity]}', 400, "malformed-request"),
    "1e999": (b'{"begun": [1e999]}', 400, "malformed-request"),
    "-1e999": (b'{"begun": [-1e999]}', 400, "malformed-request"),
    "5,000 digits": (b'{"begun": [' + b"7" * 5000 + b"]}", 400, "malformed-request"),
    "5,000 digits after the point": (b'{"begun": [0.' + b"7" * 5000 + b"]}", 400, "malformed-request"),
    "an exponent of 5,000 digits": (b'{"begun": [1e' + b"9" * 5000 + b"]}", 400, "malformed-request"),
    "2**53": (b'{"begun": [9007199254740992]}', 400, "malformed-request"),
    "a leading zero": (b'{"begun": [01]}', 400, "malformed-request"),
    "nesting 21": (body_of(21), 400, "malformed-request"),
    "nesting 30,000": (body_of(30_000), 400, "malformed-request"),
    "an escaped NUL": (b'{"begun": ["\\u0000"]}', 400, "malformed-request"),
    "NUL in a key": (b'{"begun": [{"a\\u0000": 1}]}', 400, "malformed-request"),
    "an unescaped NUL": (b'{"begun": ["\0"]}', 400, "malformed-request"),
    "NUL between tokens": (b'{"begun": \0[]}', 400, "malformed-request"),
    "a high surrogate alone": (b'{"begun": ["\\ud83d"]}', 400, "malformed-request"),
    "a low surrogate alone": (b'{"begun": ["\\ude00"]}', 400, "malformed-request"),
    "surrogates in the wrong order": (b'{"begun": ["\\ude00\\ud83d"]}', 400, "malformed-request"),
    "a surrogate in UTF-8": (b'{"begun": ["\xed\xa0\xbd"]}', 400, "malformed-request"),
    "Latin-1": (b'{"begun": ["\xfc"]}', 400, "malformed-request"),
    "an overlong encoding of a slash": (b'{"begun": ["\xc0\xaf"]}', 400, "malformed-request"),
    "UTF-16": ('{"begun": []}'.encode("utf-16"), 400, "malformed-request"),
    "a byte order mark": (b'\xef\xbb\xbf{"begun": []}', 400, "malformed-request"),
    "one byte above 64 KiB": (b'{"begun": []}'.ljust(64 * 1024 + 1), 413, "body-too-large"),
    "a list": (b'["begun"]', 422, "invalid-fields"),
    "a string": (b'"begun"', 422, "invalid-fields"),
    "null": (b"null", 422, "invalid-fields"),
    "a number": (b"7", 422, "invalid-fields"),
    "a missing field": (b"{}", 422, "invalid-fields"),
    "an additional field": (b'{"begun": [], "more": 1}', 422, "invalid-fields"),
    "the wrong type": (b'{"begun": {}}', 422, "invalid-fields"),
    "nesting 20": (body_of(20), 422, "malformed-move"),
    "a valid surrogate pair": (b'{"begun": ["\\ud83d\\ude00"]}', 422, "malformed-move"),
    "15 digits": (b'{"begun": [999999999999999]}', 422, "malformed-move"),
}


@pytest.mark.parametrize("name", BAD_BODIES)
def test_an_invalid_body_is_rejected(ada: Someone, game: str, name: str) -> None:
    body, status, code = BAD_BODIES[name]
    is_problem(ada.post(f"{game}/legal-moves", data=body, content_type=JSON), status, code)


def test_bodies_of_64_kib_and_20_levels_are_accepted(ada: Someone, game: str) -> None:
    assert ada.post(f"{game}/legal-moves", data=b'{"begun": []}'.ljust(64 * 1024), content_type=JSON).status_code == 200


@pytest.mark.parametrize(
    "content_type", [None, "", "text/plain", "application/x-www-form-urlencoded", "application/jsonp"]
)
def test_a_body_must_be_declared_as_json(ada: Someone, game: str, content_type: str | None) -> None:
    response = ada.post(f"{game}/legal-moves", data=b'{"begun": []}', content_type=content_type)
    is_problem(response, 415, "unsupported-media-type")


def test_a_charset_parameter_is_accepted(ada: Someone, game: str) -> None:
    sent = {"data": b'{"begun": []}', "content_type": "application/json; charset=utf-8"}
    assert ada.post(f"{game}/legal-moves", **sent).status_code == 200


@pytest.mark.parametrize("turn", ["1", True, 1.0, 1.5, None, [1], {}, -1, 2**31, 10**14])
def test_a_turn_must_be_an_integer(ada: Someone, game: str, turn: Any) -> None:
    is_problem(ada.post(f"{game}/moves", {"turn": turn, "move": MOVE}), 422, "invalid-fields")


@pytest.mark.parametrize(
    "change",
    [
        {"private": "true"},
        {"private": 1},
        {"private": 0},
        {"private": None},
        {"title": 7},
        {"title": ""},
        {"rules": "chess"},
        {"rules": 7},
        {"options": []},
        {"clock": "P2D"},
        {"on_timeout": {}},
        {"on_timeout": ["extend"]},
        {"seats": []},
        {"seats": [ME] * 21},
        {"seats": {}},
        {"seats": [ME, {"open": 1}, OPEN]},
        {"seats": [ME, {"open": "true"}, OPEN]},
        {"seats": [ME, {"open": False}, OPEN]},
        {"seats": [ME, {"open": True, "bot": "greedy"}, OPEN]},
        {"seats": [ME, {}, OPEN]},
        {"seats": [ME, None, OPEN]},
        {"seats": [ME, {"player": "you"}, OPEN]},
        {"seats": [ME, {"bot": 7}, OPEN]},
        {"seats": [ME, {"email": "nobody"}, OPEN]},
        {"seats": [ME, {"open": True, "more": 1}, OPEN]},
        {"id": str(uuid4())},
        {"seed": "00"},
    ],
)
def test_types_are_not_coerced_and_unknown_fields_are_rejected(ada: Someone, change: Json) -> None:
    is_problem(ada.post("/v1/games", wanted(ME, OPEN, OPEN) | change), 422, "invalid-fields")
    assert walk(ada, "/v1/games?mine=true") == []


@pytest.mark.parametrize(
    "body", [{"seat": "1"}, {"seat": True}, {"seat": 1.0}, {"salt": 7}, {"salt": "x" * 201}, {"x": 1}]
)
def test_seat_types_are_not_coerced(ada: Someone, bea: Someone, body: Json) -> None:
    is_problem(bea.post(f"{opened(ada, ME, OPEN, OPEN)}/seats", body), 422, "invalid-fields")
