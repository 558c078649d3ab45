"""Bad input for every call of the OpenAPI document: each gets a problem, and nothing changes.

The client of these tests rejects every response that the document does not describe (tests/support/contract.py). Slow
clients and broken connections are tested in tests/web/test_gunicorn_worker.py.
"""

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import yaml
from flask import Flask

from server.app import create_app
from server.config import Settings
from server.games import Json
from tests.support.contract import JSON, Contract, ContractClient, Someone, is_problem, opened
from tests.support.databases import everything
from tests.support.games import BOT, ME, OPEN
from tests.support.one_of_each import Call, Scene, calls

DOCUMENT: Json = yaml.load(
    (Path(__file__).parents[2] / "api_spec" / "openapi.yaml").read_text("utf-8"), yaml.CSafeLoader
)
CALLS = list(calls(DOCUMENT))
WITH_BODY = [call for call in CALLS if call.examples]
REQUESTS = [(call, body) for call in WITH_BODY for body in call.examples.values()]
NEEDS_NO_DATABASE = {"getService", "listRules", "getRules", "getExhibition", "getExhibitionPicture"}

name_of = Call.name.fget
FLOOD = "Z" + "\u0353\u0310" * 400
WHOLE, HALF = "\U0001f30c", "\\ud83c"
ODD_VALUES: list[Any] = [None, True, False, 0, -1, 1.5, 2**40, "", "x", [], [[]], {}, {"x": 1}]
ODD_TEXTS = [
    "=?utf-8?q?x=0D=0ABcc=3A_v=40z=2Eorg?=",
    "x\r\nBcc: v@z.org",
    "x\u2028y\u2029z\x85v\x0bw\x0cu",
    "\u202egnp.exe\u2066\u2067\u2069",
    FLOOD,
    "\u200b" * 200,
    "<script>alert(1)</script>",
    "'; DROP TABLE games; --",
    "{{ 7 * 7 }} %s %(x)s ${x}",
    "../../etc/passwd",
    WHOLE * 200,
]


@pytest.fixture
def scene(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Scene:
    monkeypatch.setitem(app.config, "LIMITS", False)
    scene = Scene(app)
    assert scene.open
    assert scene.running
    assert scene.moved
    assert scene.asking
    assert scene.over
    assert scene.delivery
    assert scene.token_id
    return scene


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value within a JSON value."""
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*at, key))


def at(value: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        value = value[key]
    return value


def changed(body: Json, place: tuple[Any, ...], new: Any) -> Any:
    """Return the body with another value in this place."""
    if not place:
        return new
    body = deepcopy(body)
    at(body, place[:-1])[place[-1]] = new
    return body


def with_raw(body: Json, place: tuple[Any, ...], raw: str) -> bytes:
    """Return the body as JSON text with this raw text in one place."""
    return json.dumps(changed(body, place, "MARK")).replace('"MARK"', raw).encode()


# Bodies that are not plain JSON


def unreadable(body: Json) -> Iterator[bytes]:
    text = json.dumps(body)
    key = json.dumps(next(iter(body)))
    yield from (b"{", b"nonsense", b"{'a': 1}", b"\xff\xfe{}", text.encode("utf-16"), b"\xef\xbb\xbf" + text.encode())
    yield from (f"{text}x".encode(), f"{text}{text}".encode(), text[:-1].encode(), f"[{text}".encode())
    yield f"{{{key}: 1, {text[1:]}".encode()  # a duplicate key
    yield f'{text[:-1]}, "x": {{"y": 1, "y": 2}}}}'.encode()
    yield b"[" * 50_000
    yield b'{"x": ' * 8_000
    yield text.encode() + b" " * 64 * 1024
    for place in places(body):
        for raw in ("NaN", "Infinity", "-Infinity", "1" * 5_000, "-" + "9" * 5_000, "1e400", "0." + "1" * 5_000):
            yield with_raw(body, place, raw)
        if isinstance(at(body, place), str):
            for text in ("a\\u0000b", "\\u0000", f"a{HALF}b", f"{HALF}", "\\udf0c\\ud83c"):
                yield with_raw(body, place, f'"{text}"')
    yield b'{"a\\u0000": 1}'
    yield f'{{"{HALF}": 1}}'.encode()


def test_an_invalid_json_body_is_rejected_and_changes_nothing(scene: Scene) -> None:
    before = everything(scene.app)
    for call, body in REQUESTS:
        for raw in unreadable(body):
            answer = scene.ask(call, data=raw, content_type=JSON)
            is_problem(answer, *((413, "body-too-large") if len(raw) > 64 * 1024 else (400, "malformed-request")))
    assert everything(scene.app) == before


def test_a_body_of_the_wrong_type_is_rejected_and_changes_nothing(scene: Scene) -> None:
    before = everything(scene.app)
    for call, body in REQUESTS:
        text = json.dumps(body)
        for kind in ("", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/xml"):
            is_problem(scene.ask(call, data=text, content_type=kind), 415, "unsupported-media-type")
        answer = scene.ask(call, data=text.encode("utf-16"), content_type=f"{JSON}; charset=utf-16")
        is_problem(answer, 400, "malformed-request")
    assert everything(scene.app) == before


# Bodies of another form


def test_a_body_that_is_not_an_object_or_has_extra_fields_is_rejected_and_changes_nothing(scene: Scene) -> None:
    before = everything(scene.app)
    for call, body in REQUESTS:
        for other in (None, True, 7, "x", [], [body]):
            is_problem(scene.ask(call, data=json.dumps(other), content_type=JSON), 422, "invalid-fields")
        for place in places(body):
            if isinstance(at(body, place), dict):
                answer = scene.ask(call, changed(body, place, at(body, place) | {"more": 1}))
                assert answer.status_code == 422, (call.name, place, answer.text)
    assert everything(scene.app) == before


@pytest.mark.parametrize("call", WITH_BODY, ids=name_of)
def test_any_field_value_gets_a_documented_response(scene: Scene, call: Call) -> None:
    for body in call.examples.values():
        for place in list(places(body))[1:]:
            for value in ODD_VALUES:
                answer = scene.ask(call, changed(body, place, value))
                assert answer.status_code < 500, (place, value)
            if place and isinstance(at(body, place[:-1]), dict):
                less = deepcopy(body)
                del at(less, place[:-1])[place[-1]]
                assert scene.ask(call, less).status_code < 500, place


@pytest.mark.parametrize("call", WITH_BODY, ids=name_of)
def test_any_text_is_rejected_or_sanitized(scene: Scene, call: Call) -> None:
    for body in call.examples.values():
        for place in places(body):
            if isinstance(at(body, place), str):
                for text in (*ODD_TEXTS, "x" * 60_000):
                    answer = scene.ask(call, changed(body, place, text))
                    assert answer.status_code < 500, (place, text)
    for path in ("/v1/games?mine=true", "/v1/me", f"{scene.running}/messages", scene.running):
        shown = scene.ada.get(path).text
        assert not any(odd in shown for odd in ("\u2028", "\u2029", "\u202e", "\u2066", "\u0353\u0310\u0353\u0310"))
        assert not any(odd in shown for odd in ("\\r", "\\u0085", "\\u000b", "Bcc: v@z.org\\n"))


# Addresses


ODD_QUERIES = ("", "%00", "%ff", "x" * 5_000, "-1", "1e3", "1_0", "%D9%A3", "[]", "9" * 5_000, "%0D%0Aa:b")


MAY_BE_EMPTY = ("cursor", "lastEventId")  # which start from the beginning


def test_an_invalid_query_is_rejected_and_changes_nothing(scene: Scene) -> None:
    addresses = {call.name: scene.address(call) for call in CALLS}  # some calls need a game of their own
    before = everything(scene.app)
    for call in CALLS:
        there, body = addresses[call.name], call.example
        names = {parameter["name"] for parameter in call.operation["parameters"] if parameter["in"] == "query"}
        for name in names:
            for value in ODD_QUERIES[name in MAY_BE_EMPTY :]:
                answer = scene.caller(call).ask(call.method, f"{there}?{name}={value}", body)
                assert answer.status_code == 422, (call.name, name, value)
            twice = scene.caller(call).ask(call.method, f"{there}?{name}=1&{name}=2", body)
            is_problem(twice, 422, "invalid-fields")
        if names:
            is_problem(scene.caller(call).ask(call.method, f"{there}?more=1", body), 422, "invalid-fields")
    assert everything(scene.app) == before


def test_a_malformed_game_id_is_not_found(scene: Scene) -> None:
    private = opened(scene.bea, ME, OPEN, BOT, private=True).rpartition("/")[2]
    before = everything(scene.app)
    for call in [it for it in CALLS if "{game_id}" in it.path]:
        for nonsense in (private[:-1], private.replace("-", ""), "0", "%00", "..", f"{private}%20", f"{{{private}}}"):
            answer = scene.ada.ask(
                call.method, call.path.replace("{game_id}", nonsense).replace("{seat}", "1"), call.example
            )
            is_problem(answer, 404, "not-found")
    assert everything(scene.app) == before


# Headers


def test_an_invalid_token_opens_nothing(scene: Scene) -> None:
    addresses = {call.name: scene.address(call) for call in CALLS}  # some calls need a game of their own
    before = everything(scene.app)
    token = scene.ada.token or ""
    forged = [token[:-1] + ("B" if token[-1] == "A" else "A"), token.upper(), "", "\x80", "a" * 5_000, f"{token} x"]
    for call in CALLS:
        if call.operation.get("security") == []:
            continue
        there = addresses[call.name]
        for word in forged:
            headers = {"Authorization": f"Bearer {word}"}
            answer = scene.stranger.ask(call.method, there, call.example, headers=headers)
            is_problem(answer, 401, "bad-token")
            assert answer.headers["WWW-Authenticate"] == "Bearer"
        if call.needs_token:
            is_problem(scene.stranger.ask(call.method, there, call.example), 401, "token-needed")
    assert everything(scene.app) == before


ODD_HEADERS = ("", "x", "*", '"', '"x', "W/", ",;=", "\xff", "a" * 5_000, "bytes=0-1,5-", "gzip", "text/html, */*;q=x")
CONDITIONS = ("If-None-Match", "If-Match", "If-Modified-Since", "Range", "If-Range")
OTHERS = ("Content-Encoding", "Cookie", "Origin", "Forwarded", "X-Forwarded-For", "X-HTTP-Method-Override")


@pytest.mark.parametrize("call", CALLS, ids=name_of)
def test_unusual_headers_do_no_harm(scene: Scene, call: Call) -> None:
    for value in ODD_HEADERS:
        for names in (CONDITIONS, OTHERS, ("Accept",), ("Host",), ("Idempotency-Key",)):
            answer = scene.ask(call, call.example, headers=dict.fromkeys(names, value))
            assert answer.status_code < 500, (names, value)


# A database that is down


@pytest.fixture(scope="module")
def app_without_database(tmp_path_factory: pytest.TempPathFactory) -> Flask:
    """Return an app whose database is down."""
    url = f"postgresql://nobody@:5432/nothing?host={tmp_path_factory.mktemp('socket')}"
    app = create_app(Settings.from_environment({"DATABASE_URL": url}))
    app.test_client_class = type("Client", (ContractClient,), {"contract": Contract(app)})
    return app


@pytest.mark.parametrize("call", CALLS, ids=name_of)
def test_without_its_database_the_service_is_temporarily_unavailable(app_without_database: Flask, call: Call) -> None:
    who = Someone(app_without_database, token=f"sp_{'0' * 32}_{'A' * 43}")
    address = re.sub(r"\{\w+_id\}", str(uuid4()), call.path).replace("{name}", "sternenhimmel")
    address = address.replace("{seat}", "1")
    for body in call.examples.values() or [None]:
        answer = who.ask(call.method, address, body)
        if call.name in NEEDS_NO_DATABASE:
            assert answer.status_code == 200
        else:
            is_problem(answer, 503, "unavailable")
            assert int(answer.headers["Retry-After"]) > 0
