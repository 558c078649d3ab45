"""The published contract, api_spec/openapi.yaml: fresh, valid, and complete.

That the answers keep it is checked wherever tests speak to the API (tests/support/contract.py).
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from flask import Flask
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from server import cli
from server.api.problems import ALL
from server.rules import GAMES, Json
from tests.support.contract import JSON, PROBLEM

PUBLISHED = Path(__file__).parents[2] / "api_spec" / "openapi.yaml"
DOCUMENT: Json = yaml.safe_load(PUBLISHED.read_text("utf-8"))
OPERATIONS: dict[str, Json] = {
    f"{method.upper()} {path}": operation
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
    if method != "parameters"
}
SCHEMAS: dict[str, Json] = DOCUMENT["components"]["schemas"]
# For anybody, a token changes nothing.
FREE = {"GET /v1", "POST /v1/sign-ins", "GET /v1/rules", "GET /v1/rules/{name}"}
EITHER = {"POST /v1/tokens", "GET /v1/games"} | {  # for anybody, and a token shows or allows more
    f"GET /v1/games/{{game_id}}{rest}"
    for rest in ("", "/events", "/stream", "/votes", "/messages", "/archive", "/picture.svg", "/picture.png")
}


def test_the_published_contract_is_the_one_that_the_command_prints() -> None:
    printed = CliRunner().invoke(cli.main, ["openapi"])
    assert printed.output == PUBLISHED.read_text("utf-8"), "run `sternenpost openapi > api_spec/openapi.yaml`"


def test_it_is_a_valid_openapi_document() -> None:
    assert DOCUMENT["openapi"].startswith("3.1.")
    OpenAPIV31SpecValidator(DOCUMENT).validate()


def test_its_schemas_are_sound_and_its_examples_fit_them() -> None:
    for schema in DOCUMENT["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
        for field in schema.get("properties", {}).values():
            if "example" in field:
                whole = {**field, "components": DOCUMENT["components"]}
                Draft202012Validator(whole).validate(field["example"])


def test_the_app_serves_it_too(app: Flask) -> None:
    assert app.test_client().get("/openapi.json").json == DOCUMENT


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_says_in_a_line_what_it_does(name: str) -> None:
    summary = OPERATIONS[name].get("summary", "")
    assert 0 < len(summary) <= 100
    assert summary[0].isupper()
    assert not summary.endswith(".")


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_needs_a_token_takes_one_or_has_no_use_for_it(name: str) -> None:
    security = OPERATIONS[name].get("security", DOCUMENT["security"])
    assert security[:-1] == ([{}] if name in EITHER else [])
    assert [list(it) for it in security[-1:]] == ([] if name in FREE else [["token"]])


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_describes_its_answers_and_that_errors_are_problems(name: str) -> None:
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
            assert JSON in content or "/picture." in name or name.endswith("/stream")


def resolved(response: Json) -> Json:
    found: Any = response
    if "$ref" in response:
        found = DOCUMENT
        for part in response["$ref"].removeprefix("#/").split("/"):
            found = found[part]
    return found


def test_every_reference_leads_somewhere_and_every_schema_is_used() -> None:
    text = json.dumps(DOCUMENT)
    used = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert used == set(DOCUMENT["components"]["schemas"])


def test_moves_views_options_and_events_of_every_game_are_described() -> None:
    for name, rules in GAMES.items():
        game = name.capitalize()
        for what, schema in (
            ("Move", rules.MOVE_SCHEMA),
            ("View", rules.VIEW_SCHEMA),
            ("Options", rules.OPTION_SCHEMA),
        ):
            assert SCHEMAS[f"{game}{what}"]["properties"].keys() == schema["properties"].keys()
        assert SCHEMAS[f"{game}Event"]["discriminator"]["mapping"].keys() == rules.EVENT_SCHEMAS.keys()


# Names, for those who generate clients

ANY_OBJECT = {"type", "description", "additionalProperties"}  # keys of what may hold anything


def nested(schema: Json, place: str) -> Iterator[tuple[str, Json]]:
    """The schemas within this one, and where they stand."""
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


def test_every_object_and_every_list_of_words_has_a_name_of_its_own_or_that_of_its_field() -> None:
    for name, schema in SCHEMAS.items():
        for place, inner in nested(schema, name):
            assert "properties" not in inner, place
            assert inner.get("type") != "object" or (place.count(".") == 1 and inner.keys() <= ANY_OBJECT), place
            assert "enum" not in inner or place.count(".") == 1, place


def test_no_member_of_a_union_is_a_single_value_which_generators_take_for_the_only_one() -> None:
    for name, schema in SCHEMAS.items():
        for place, inner in nested(schema, name):
            assert "const" not in inner or place.rpartition(".")[2] not in ("oneOf", "anyOf"), place


def test_no_two_lists_of_words_are_the_same() -> None:
    lists = [tuple(schema["enum"]) for schema in SCHEMAS.values() if "enum" in schema]
    assert len(set(lists)) == len(lists)


def test_a_field_tells_the_members_of_a_union_apart() -> None:
    by_their_fields = {"Clock", "SeatWanted", "TokenRequest", "Move", "View", "SternenglanzStep"}
    by_those_of_their_members = {"Event", "Foreseen"}
    for name, schema in SCHEMAS.items():
        if "oneOf" in schema and name not in by_their_fields | by_those_of_their_members:
            assert len(schema["discriminator"]["mapping"]) == len(schema["oneOf"]), name


def test_a_game_holds_options_and_view_of_its_rules() -> None:
    for name in GAMES:
        game = name.capitalize()
        own = SCHEMAS[SCHEMAS["Game"]["discriminator"]["mapping"][name].rpartition("/")[2]]["properties"]
        assert own["options"]["$ref"].endswith(f"/{game}Options")
        assert own["view"]["anyOf"][0]["$ref"].endswith(f"/{game}View")


def test_a_problem_has_a_schema_of_its_own_with_its_code_and_status() -> None:
    for response in DOCUMENT["components"]["responses"].values():
        schema = response["content"][PROBLEM]["schema"]
        for member in schema.get("oneOf", [schema]):
            problem = SCHEMAS[member["$ref"].rpartition("/")[2]]["properties"]
            assert (problem["code"]["const"], problem["status"]["const"]) in {
                (it.code, it.status) for it in ALL.values()
            }
