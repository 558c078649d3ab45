"""The published contract keeps what the released one promised; what `broken` calls a breach, and what not.

At a release, api_spec/openapi.yaml is copied to api_spec/released.yaml.
"""

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.contract.breaking import Json, broken

API_SPEC = Path(__file__).parents[2] / "api_spec"


def test_nothing_that_was_released_is_broken() -> None:
    released, published = (read(API_SPEC / name) for name in ("released.yaml", "openapi.yaml"))
    assert not broken(released, published)


def read(path: Path) -> Json:
    document: Json = yaml.load(path.read_text("utf-8"), Loader=yaml.CSafeLoader)  # many times as fast as the other
    return document


def ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def text(schema: Json) -> Json:
    return {"application/json": {"schema": schema}}


MOVE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["star"],
    "properties": {
        "star": {"enum": ["1", "7", "B"]},
        "space": {"type": ["string", "null"], "maxLength": 5},
        "turn": {"type": "integer", "minimum": 0},
    },
}
PASS = {"type": "object", "required": ["pass"], "properties": {"pass": {"const": True}}}
PLACED = {
    "type": "object",
    "required": ["type", "seat"],
    "properties": {"type": {"const": "placed"}, "seat": {"type": "integer"}, "star": ref("Star")},
}
SKIPPED = {"type": "object", "required": ["type"], "properties": {"type": {"const": "skipped"}}}
OLD: Json = {
    "security": [{"token": []}],
    "paths": {
        "/moves": {
            "post": {
                "operationId": "playMove",
                "parameters": [{"in": "query", "name": "dry", "schema": {"type": "boolean"}}],
                "requestBody": {"content": text({"oneOf": [ref("Move"), ref("Pass")]})},
                "responses": {
                    "201": {
                        "headers": {"ETag": {}},
                        "content": text({"type": "array", "items": {"oneOf": [ref("Placed"), ref("Skipped")]}}),
                    }
                },
                "security": [{"token": ["moves:write"]}],
            },
            "get": {"operationId": "getMoves", "responses": {"200": {}}, "security": [{}, {"token": []}]},
        }
    },
    "webhooks": {"placed": {"post": {"requestBody": {"content": text(ref("Placed"))}}}},
    "components": {
        "securitySchemes": {"token": {}},
        "schemas": {
            "Move": MOVE,
            "Pass": PASS,
            "Placed": PLACED,
            "Skipped": SKIPPED,
            "Star": {"type": "string", "enum": ["1", "7"]},
        },
    },
}
Change = Callable[[Json, Json, Json], Any]  # of the document, the call that plays a move, and the schemas

BREACHES: dict[str, Change] = {
    "POST /moves is gone": lambda doc, call, schemas: doc["paths"]["/moves"].pop("post"),
    "GET /moves is gone": lambda doc, call, schemas: doc["paths"].pop("/moves"),
    "is called play now, no longer playMove": lambda doc, call, schemas: call.update(operationId="play"),
    "needs more than before": lambda doc, call, schemas: call.update(security=[{"token": ["moves:write", "more"]}]),
    "GET /moves needs more": lambda doc, call, schemas: doc["paths"]["/moves"]["get"].pop("security"),
    "the parameter dry is gone": lambda doc, call, schemas: call["parameters"].clear(),
    "the parameter dry is needed": lambda doc, call, schemas: call["parameters"][0].update(required=True),
    "the parameter dry must be integer": lambda doc, call, schemas: call["parameters"][0]["schema"].update(
        type="integer"
    ),
    "the parameter at is needed": lambda doc, call, schemas: call["parameters"].append(
        {"in": "query", "name": "at", "required": True, "schema": {}}
    ),
    "needs a body": lambda doc, call, schemas: call["requestBody"].update(required=True),
    "no longer as application/json": lambda doc, call, schemas: call["requestBody"].update(content={"text/plain": {}}),
    "answers no longer with 201": lambda doc, call, schemas: call.update(responses={"200": {}}),
    "the header ETag is gone": lambda doc, call, schemas: call["responses"]["201"].pop("headers"),
    "turn must be sent now": lambda doc, call, schemas: schemas["Move"]["required"].append("turn"),
    "salt must be sent now": lambda doc, call, schemas: schemas["Move"].update(required=["star", "salt"]),
    "turn is gone": lambda doc, call, schemas: schemas["Move"]["properties"].pop("turn"),
    "star takes B no longer": lambda doc, call, schemas: schemas["Move"]["properties"]["star"]["enum"].remove("B"),
    "space takes any word no longer": lambda doc, call, schemas: schemas["Move"]["properties"]["space"].update(
        type="string", enum=["a"]
    ),
    "space: null is refused now": lambda doc, call, schemas: schemas["Move"]["properties"]["space"].update(
        type="string"
    ),
    "maxLength is 3 now": lambda doc, call, schemas: schemas["Move"]["properties"]["space"].update(maxLength=3),
    "minimum is 1 now": lambda doc, call, schemas: schemas["Move"]["properties"]["turn"].update(minimum=1),
    "pattern is ^a now": lambda doc, call, schemas: schemas["Move"]["properties"]["space"].update(pattern="^a"),
    "Pass is refused now": lambda doc, call, schemas: call["requestBody"].update(content=text(ref("Move"))),
    "seat is gone": lambda doc, call, schemas: schemas["Placed"]["properties"].pop("seat"),
    "seat may be missing now": lambda doc, call, schemas: schemas["Placed"]["required"].remove("seat"),
    "seat may be string, no longer only integer": lambda doc, call, schemas: schemas["Placed"]["properties"][
        "seat"
    ].update(type="string"),
    "seat: null may come now": lambda doc, call, schemas: schemas["Placed"]["properties"]["seat"].update(
        type=["integer", "null"]
    ),
    "star is no longer 1 or 7": lambda doc, call, schemas: schemas["Star"].pop("enum"),
    "type is no longer placed": lambda doc, call, schemas: schemas["Placed"]["properties"]["type"].update(const="laid"),
    "The webhook placed is gone": lambda doc, call, schemas: doc["webhooks"].clear(),
    "The security scheme token is gone": lambda doc, call, schemas: doc["components"]["securitySchemes"].clear(),
}

NO_HARM: dict[str, Change] = {
    "a new call": lambda doc, call, schemas: doc["paths"].update({"/more": {"get": {"operationId": "more"}}}),
    "a call that needs less": lambda doc, call, schemas: call.update(security=[{"token": []}]),
    "a new parameter": lambda doc, call, schemas: call["parameters"].append(
        {"in": "query", "name": "at", "schema": {}}
    ),
    "a new field that need not be sent": lambda doc, call, schemas: schemas["Move"]["properties"].update(
        salt={"type": "string"}
    ),
    "a field that need no longer be sent": lambda doc, call, schemas: schemas["Move"]["required"].clear(),
    "more words that may be sent": lambda doc, call, schemas: schemas["Move"]["properties"]["star"]["enum"].append("D"),
    "more types that may be sent": lambda doc, call, schemas: schemas["Move"]["properties"]["turn"].update(
        type="number"
    ),
    "longer texts": lambda doc, call, schemas: schemas["Move"]["properties"]["space"].update(maxLength=9),
    "a new kind of move": lambda doc, call, schemas: (
        schemas.update(Resign={"type": "object"}),
        call["requestBody"]["content"]["application/json"]["schema"]["oneOf"].append(ref("Resign")),
    ),
    "a new kind of event": lambda doc, call, schemas: (
        schemas.update(Scored={"type": "object", "properties": {"type": {"const": "scored"}}}),
        call["responses"]["201"]["content"]["application/json"]["schema"]["items"]["oneOf"].append(ref("Scored")),
    ),
    "a new field in answers": lambda doc, call, schemas: schemas["Placed"]["properties"].update(at={"type": "string"}),
    "a new word in answers": lambda doc, call, schemas: schemas["Star"]["enum"].append("D"),
    "a field that is always there now": lambda doc, call, schemas: schemas["Placed"]["required"].append("star"),
    "a new problem": lambda doc, call, schemas: call["responses"].update({"409": {}}),
    "another name of a schema": lambda doc, call, schemas: (
        schemas.update(Placement=schemas.pop("Move")),
        call["requestBody"].update(content=text({"oneOf": [ref("Placement"), ref("Pass")]})),
    ),
    "a new webhook": lambda doc, call, schemas: doc["webhooks"].update(skipped={"post": {}}),
}


def changed(change: Change) -> Json:
    document = deepcopy(OLD)
    change(document, document["paths"]["/moves"]["post"], document["components"]["schemas"])
    return document


def test_a_document_keeps_its_own_promises() -> None:
    assert not broken(OLD, deepcopy(OLD))


@pytest.mark.parametrize("told", BREACHES)
def test_a_breach_is_told(told: str) -> None:
    found = broken(OLD, changed(BREACHES[told]))
    assert any(told in sentence for sentence in found), found


@pytest.mark.parametrize("what", NO_HARM)
def test_what_takes_nothing_away_is_no_breach(what: str) -> None:
    assert not broken(OLD, changed(NO_HARM[what]))
