"""The published contract, api_spec/openapi.yaml: fresh, valid, and complete.

tests/support/contract.py checks the responses.
"""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from flask import Flask
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from server.api.problems import ALL
from server.games import GAMES, Json
from tests.support.commands import ask
from tests.support.contract import JSON, PROBLEM

PUBLISHED = Path(__file__).parents[2] / "api_spec" / "openapi.yaml"
DOCUMENT: Json = yaml.load(PUBLISHED.read_text("utf-8"), yaml.CSafeLoader)
OPERATIONS: dict[str, Json] = {
    f"{method.upper()} {path}": operation
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
    if method != "parameters"
}
SCHEMAS: dict[str, Json] = DOCUMENT["components"]["schemas"]
# Open to all, and unchanged by a token.
FREE = {"GET /v1", "GET /v1/archives", "POST /v1/sign-ins", "POST /v1/guests", "GET /v1/rules", "GET /v1/rules/{name}"}
FREE |= {f"GET /v1/rules/{{name}}/exhibition{form}" for form in ("", ".svg")}
EITHER = {
    "POST /v1/tokens",
    "GET /v1/games",
    "GET /v1/players/{player_id}",
    "GET /v1/players/{player_id}/games",
} | {  # open to all; a token shows or allows more
    f"GET /v1/games/{{game_id}}{rest}"
    for rest in ("", "/before", "/events", "/stream", "/votes", "/messages", "/archive", "/picture.svg", "/picture.png")
}


def test_the_published_contract_equals_the_commands_output() -> None:
    printed = ask("openapi")
    assert printed.output == PUBLISHED.read_text("utf-8"), "run `sternenpost openapi > api_spec/openapi.yaml`"


def test_the_contract_is_a_valid_openapi_document() -> None:
    assert DOCUMENT["openapi"].startswith("3.1.")
    OpenAPIV31SpecValidator(DOCUMENT).validate()


def test_schemas_are_valid_and_examples_match_them() -> None:
    for schema in DOCUMENT["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
        for field in schema.get("properties", {}).values():
            if "example" in field:
                whole = {**field, "components": DOCUMENT["components"]}
                Draft202012Validator(whole).validate(field["example"])


def test_a_tool_on_another_origin_gets_the_document_small_and_only_once(app: Flask) -> None:
    first = app.test_client().get("/openapi.json", headers={"Accept-Encoding": "gzip"})
    assert first.headers["Access-Control-Allow-Origin"] == "*"
    assert len(first.data) < 120_000 and json.loads(gzip.decompress(first.data)) == DOCUMENT
    known = {"If-None-Match": first.headers["ETag"], "Accept-Encoding": "gzip"}
    assert app.test_client().get("/openapi.json", headers=known).status_code == 304


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_has_a_one_line_summary(name: str) -> None:
    summary = OPERATIONS[name].get("summary", "")
    assert 0 < len(summary) <= 100
    assert summary[0].isupper()
    assert not summary.endswith(".")


def test_every_parameter_is_described() -> None:
    described = [*DOCUMENT["paths"].values(), *OPERATIONS.values()]
    parameters = [it for one in described for it in one.get("parameters", [])]
    assert len(parameters) > len(OPERATIONS)
    assert [it["name"] for it in parameters if not it.get("description")] == []


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_requires_allows_or_ignores_a_token(name: str) -> None:
    security = OPERATIONS[name].get("security", DOCUMENT["security"])
    schemes = [it for it in security if it]
    assert security == [*([{}] if name in EITHER else []), *schemes]
    assert [list(it) for it in schemes] in ([[]] if name in FREE else [[["token"]], [["token"], ["oauth2"]]])
    assert len({tuple(*it.values()) for it in schemes}) == len(schemes[:1])  # the same scope for each scheme
    for scope in [scope for it in schemes for scope in it["token" if "token" in it else "oauth2"]]:
        assert f"Scope: `{scope}`." in OPERATIONS[name]["description"]


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_describes_its_responses_and_problems(name: str) -> None:
    responses = OPERATIONS[name]["responses"]
    assert any(status[0] == "2" for status in responses)
    assert any(status[0] in "5d" for status in responses)
    for status, response in responses.items():
        assert resolved(response)["description"]
        content = resolved(response).get("content", {})
        if status in ("204", "304"):
            assert content == {}
        elif status[0] in "45d":
            assert list(content) == [PROBLEM]
            assert "Problem" in json.dumps(content)
        else:
            assert all(answer["schema"] for answer in content.values())
            assert JSON in content or name.endswith((".svg", ".png", "/stream", "/archives"))


def resolved(response: Json) -> Json:
    found: Any = response
    if "$ref" in response:
        found = DOCUMENT
        for part in response["$ref"].removeprefix("#/").split("/"):
            found = found[part]
    return found


def test_every_reference_resolves_and_every_schema_is_used() -> None:
    text = json.dumps(DOCUMENT)
    used = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert used == set(DOCUMENT["components"]["schemas"])


def named_in(part: Json) -> set[str]:
    return {name.split('"')[0] for name in json.dumps(part).split('"#/components/schemas/')[1:]}


def test_texts_in_requests_are_declared_to_exclude_nul() -> None:
    asked = set[str]()
    found = named_in({name: operation.get("requestBody") for name, operation in OPERATIONS.items()})
    while found:
        asked |= found
        found = {name for schema in found for name in named_in(SCHEMAS[schema])} - asked
    assert {"PushKeys", "MessageRequest"} <= asked
    for name in asked:
        for place, inner in [(name, SCHEMAS[name]), *nested(SCHEMAS[name], name)]:
            is_free = inner.get("type") in ("string", ["string", "null"]) and not inner.keys() & {
                "enum",
                "const",
                "format",
            }
            assert not is_free or not re.search(inner.get("pattern", ""), "\0"), place


def test_moves_views_options_and_events_of_every_game_are_described() -> None:
    for name, rules in GAMES.items():
        game = name.capitalize()
        for what, schema in (
            ("Move", rules.MOVE_SCHEMA),
            ("View", rules.VIEW_SCHEMA),
            ("Options", rules.OPTION_SCHEMA),
        ):
            assert SCHEMAS[f"{game}{what}"]["properties"].keys() == schema["properties"].keys()
        assert SCHEMAS["Event"]["discriminator"]["mapping"].keys() > rules.EVENT_SCHEMAS.keys()
        assert SCHEMAS["Foreseen"]["discriminator"]["mapping"].keys() > rules.EVENT_SCHEMAS.keys()


# Names for generated clients

NULL = {"type": "null"}
ANY_OBJECT = {"type", "description", "additionalProperties"}  # keys of schemas for any object


def nested(schema: Json, place: str) -> Iterator[tuple[str, Json]]:
    """Yield the schemas within this one, and their places."""
    held = [(f"{place}.{field}", inner) for field, inner in schema.get("properties", {}).items()]
    for key in ("oneOf", "anyOf", "allOf"):
        held += [(f"{place}.{key}", inner) for inner in schema.get(key, ())]
    held += [
        (f"{place}.{key}", schema[key])
        for key in ("items", "additionalProperties")
        if isinstance(schema.get(key), dict)
    ]
    for where, inner in held:
        yield where, inner
        yield from nested(inner, where)


NESTED = [it for name, schema in SCHEMAS.items() for it in nested(schema, name)]


def test_every_object_and_every_enum_has_its_own_name() -> None:
    for place, inner in NESTED:
        assert "properties" not in inner, place
        assert inner.get("type") != "object" or (place.count(".") == 1 and inner.keys() <= ANY_OBJECT), place
        assert "enum" not in inner or place.count(".") == 1, place


def test_no_union_member_is_a_const() -> None:
    for place, inner in NESTED:
        assert "const" not in inner or place.rpartition(".")[2] not in ("oneOf", "anyOf"), place


def test_no_schema_is_only_null_or_an_untyped_constant() -> None:
    for place, inner in NESTED:
        assert inner.get("type") != "null" or place.endswith(".anyOf"), place
        assert "type" in inner or not inner.keys() & {"const", "enum"}, place


def test_no_schema_is_a_single_boolean() -> None:
    for place, inner in NESTED:
        assert inner.get("type") != "boolean" or not inner.keys() & {"const", "enum"}, place


def test_nullable_values_are_declared_in_their_type() -> None:
    for place, inner in NESTED:
        assert NULL not in inner.get("anyOf", ()) or "$ref" in inner["anyOf"][0], place


def test_no_default_is_a_list() -> None:
    for place, inner in NESTED:
        assert not isinstance(inner.get("default"), list), place


def test_unions_are_named_and_not_nested() -> None:
    for name, schema in SCHEMAS.items():
        for place, inner in nested(schema, name):
            is_union = "oneOf" in inner or ("anyOf" in inner and NULL not in inner["anyOf"])
            assert not is_union, place
        for member in schema.get("oneOf", ()):
            assert "oneOf" not in SCHEMAS[member["$ref"].rpartition("/")[2]], name


def test_all_successful_responses_of_a_call_share_one_schema() -> None:
    for name, operation in OPERATIONS.items():
        answers = [answer for status, answer in operation["responses"].items() if status[0] == "2"]
        schemas = [content["schema"] for answer in answers for content in answer.get("content", {}).values()]
        assert all(schema == schemas[0] for schema in schemas), name


def test_enum_names_are_unique() -> None:
    of_lists = [schema.get("x-enum-varnames", schema["enum"]) for schema in SCHEMAS.values() if "enum" in schema]
    names = [str(name).upper().replace("-", "_") for of_list in of_lists for name in of_list]
    assert len(set(names)) == len(names)
    for schema in SCHEMAS.values():
        assert len(schema.get("enum", ())) == len(schema.get("x-enum-varnames", schema.get("enum", ())))


def test_no_two_enums_are_equal() -> None:
    lists = [tuple(schema["enum"]) for schema in SCHEMAS.values() if "enum" in schema]
    assert len(set(lists)) == len(lists)


def test_a_discriminator_tells_union_members_apart() -> None:
    by_their_fields = {"Clock", "Condition", "SeatWanted", "TokenRequest", "Move", "View"}
    by_their_fields |= {"GameChanges", "MoveResult", "TakeBackResult", "Streamed", "StreamedOfAll"}
    for name, schema in SCHEMAS.items():
        if "oneOf" in schema and name not in by_their_fields:
            assert len(schema["discriminator"]["mapping"]) == len(schema["oneOf"]), name


def test_a_game_schema_contains_the_options_and_view_of_its_rules() -> None:
    for name in GAMES:
        game = name.capitalize()
        own = SCHEMAS[SCHEMAS["Game"]["discriminator"]["mapping"][name].rpartition("/")[2]]["properties"]
        assert own["options"]["$ref"].endswith(f"/{game}Options")
        assert own["view"]["anyOf"][0]["$ref"].endswith(f"/{game}View")


def test_every_problem_has_a_schema_with_its_code_and_status() -> None:
    for response in DOCUMENT["components"]["responses"].values():
        union = SCHEMAS[response["content"][PROBLEM]["schema"]["$ref"].rpartition("/")[2]]
        assert response["x-codes"]
        for member in union["oneOf"]:
            problem = SCHEMAS[member["$ref"].rpartition("/")[2]]["properties"]
            assert (problem["code"]["const"], problem["status"]["const"]) in {
                (it.code, it.status) for it in ALL.values()
            }
