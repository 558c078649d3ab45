"""The examples of the OpenAPI document: each fits its schema, and each request gets a documented response."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from flask import Flask

from server.games import Json
from tests.support.contract import JSON, Contract
from tests.support.one_of_each import Call, Scene, calls
from tests.support.recorded_examples import record

CHECKOUT = Path(__file__).parents[2]
DOCUMENT: Json = yaml.load((CHECKOUT / "api_spec" / "openapi.yaml").read_text("utf-8"), yaml.CSafeLoader)
RECORDED: Json = json.loads((CHECKOUT / "server" / "api" / "openapi" / "examples.json").read_text("utf-8"))
CALLS = list(calls(DOCUMENT))
REQUESTS = [(call, name) for call in CALLS for name in (call.examples or [""])]


def answers(call: Call) -> list[tuple[str, Json]]:
    """Return the documented JSON answers of this call other than problems, by status."""
    found = ((status, answer.get("content", {}).get(JSON)) for status, answer in call.operation["responses"].items())
    return [(status, content) for status, content in found if content]


def examples_in(content: Json) -> list[Any]:
    return [it["value"] for it in content["examples"].values()]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_every_example_matches_its_schema(session_app: Flask, call: Call) -> None:
    contract: Contract = session_app.test_client_class.contract
    if "requestBody" in call.operation:
        body = call.operation["requestBody"]["content"][JSON]
        assert examples_in(body)
        for example in examples_in(body):
            contract.validator(body["schema"]).validate(example)
    for status, content in answers(call):
        assert examples_in(content), status
        for example in examples_in(content):
            contract.validator(content["schema"]).validate(example)


@pytest.mark.parametrize(("call", "name"), REQUESTS, ids=lambda it: it.name if isinstance(it, Call) else it)
def test_every_example_request_gets_a_documented_response(app: Flask, call: Call, name: str) -> None:
    """The client holds each answer against the schema of its status."""
    scene = Scene(app)
    answer = scene.ask(call, call.examples.get(name))
    successes = [status for status in call.operation["responses"] if status[0] == "2"]
    assert str(answer.status_code) in successes, answer.text


def test_the_recorded_responses_match_the_current_code(app: Flask) -> None:
    assert record(app) == RECORDED, (
        "Run `python -m tests.support.recorded_examples > server/api/openapi/examples.json`."
    )


def test_each_time_in_an_example_response_has_six_decimals() -> None:
    described = (CHECKOUT / "api_spec" / "openapi.yaml").read_text("utf-8").replace("\\", "")
    times = re.findall(r'"?\w*at"?: ?["\']([0-9-]+T[0-9:.]+Z)["\']', described + json.dumps(RECORDED))
    assert len(times) > 100 and [it for it in times if not re.fullmatch(r"[0-9T:-]{19}\.[0-9]{6}Z", it)] == []
