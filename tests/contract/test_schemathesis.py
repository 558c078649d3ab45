"""Thousands of requests generated from the OpenAPI document: every response matches it.

All of Schemathesis's checks are on for every call. SCHEMATHESIS_EXAMPLES sets the number of generated requests per call
and phase. A longer run, with another seed:

    SCHEMATHESIS_EXAMPLES=2000 SCHEMATHESIS_SEED=7 python -m pytest tests/contract/test_schemathesis.py --timeout=0
"""

import json
import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from flask import Flask
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import Failure
from schemathesis.core.transport import Response
from schemathesis.engine import Status, events, from_schema
from schemathesis.transport.wsgi import WSGITransport

from server.accounts.players import player_token
from server.errors import Unfit
from server.games import GAMES, Json
from server.strict_json import read_json
from tests.support.one_of_each import Scene

ANY_VALUE = {"is", "is_not"}  # of conditions
EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "10"))
SEED = int(os.environ.get("SCHEMATHESIS_SEED", "1"))
MEANT = {"illegal-move", "illegal-plan", "malformed-move", "bad-option", "invalid-field", "idempotency-key-reused"}
REFUSALS = [str(status) for status in (400, 401, 403, 404, 405, 406, 409, 412, 415, 422, 428, 429)]


@schemathesis.hook
def map_body(context: schemathesis.HookContext, body: Any) -> Any:
    """Replace 7.0, which JSON Schema accepts as an integer but the strict reader rejects."""
    match body:
        case float() if body.is_integer():
            return int(body)
        case dict():
            return {
                key: readable(value) if key in ANY_VALUE else map_body(context, value) for key, value in body.items()
            }
        case list():
            return [map_body(context, value) for value in body]
    return body


def readable(value: Any) -> Any:
    """Return a value that the strict reader accepts in place of any value."""
    try:
        return read_json(json.dumps(value).encode())
    except Unfit:
        return None


@schemathesis.check
def refused_for_its_meaning(ctx: schemathesis.CheckContext, response: Response, case: schemathesis.Case) -> None:
    """Check that a rejected request that fits the document only breaks a rule of the game."""
    is_right = case.meta is not None and case.meta.generation.mode.is_positive
    if is_right and response.status_code in (400, 413, 415, 422):
        code = response.json().get("code")
        if code not in MEANT:
            raise Failure(operation=case.operation.label, title="Right, but refused", message=response.text)


def settings(games: list[str], webhooks: list[str]) -> Json:
    return {
        "seed": SEED,
        "headers": {"Accept-Encoding": "identity"},  # in-process clients do not decompress
        "generation": {"max-examples": EXAMPLES, "deterministic": True, "database": "none"},
        "dictionaries": {
            "games": {"values": games},
            "names": {"values": list(GAMES)},
            "webhooks": {"values": webhooks},
        },
        "parameters": {
            "path.game_id": {"dictionary": "games", "probability": 0.8},
            "path.webhook_id": {"dictionary": "webhooks", "probability": 0.8},
            "path.name": {"dictionary": "names", "probability": 0.5},
        },
        # Moves that fit their schema may break a rule and get 422; the check above reads the code.
        # No resource matches a generated ETag, so 412 comes before the body is read (RFC 9110, 13.2.1).
        "checks": {
            "positive_data_acceptance": {"expected-statuses": ["2xx", "3xx", "401", "403", "404", "409", "412", "422"]},
            "negative_data_rejection": {"expected-statuses": REFUSALS},
        },
    }


@pytest.fixture
def probes_in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep socket-only settings out of schemathesis' retries without a token."""
    send = WSGITransport.send

    def sent(self: WSGITransport, case: schemathesis.Case, **kwargs: Any) -> Response:
        if kwargs.get("session") is None:
            for name in ("max_redirects", "verify", "cert"):
                kwargs.pop(name, None)
        return send(self, case, **kwargs)

    monkeypatch.setattr(WSGITransport, "send", sent)


@pytest.mark.usefixtures("probes_in_process")
def test_any_request_gets_a_documented_response(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(app.config, "LIMITS", False)
    scenes = [Scene(app) for _ in range(5)]
    games = [
        path.rpartition("/")[2] for scene in scenes for path in (scene.open, scene.running, scene.of_turns, scene.over)
    ]
    webhooks = [scene.webhook.rpartition("/")[2] for scene in scenes]
    config = SchemathesisConfig.from_dict(settings(games, webhooks))
    schema = schemathesis.openapi.from_wsgi("/openapi.json", app, config=config)
    schema.auth(refresh_interval=None)(NewToken)
    told, asked = [], Counter[str]()
    for event in from_schema(schema).execute():
        match event:
            case events.NonFatalError():
                told.append(f"{event.label}: {event.value}")
            case events.FatalError():
                raise event.exception
            case events.ScenarioFinished():
                asked[event.phase.value] += len(event.recorder.cases)
                told += failures(event)
    print(dict(asked))
    assert not told, "\n\n".join(dict.fromkeys(told))


class NewToken:
    """A provider of new tokens for Ada, since one of the calls revokes them."""

    def get(self, case: schemathesis.Case, context: schemathesis.AuthContext) -> str:
        with case.operation.app.app_context():
            return player_token("ada@example.org")

    def set(self, case: schemathesis.Case, data: str, context: schemathesis.AuthContext) -> None:
        case.headers["Authorization"] = f"Bearer {data}"


def failures(event: events.ScenarioFinished) -> Iterator[str]:
    for checks in event.recorder.checks.values():
        for check in checks:
            if check.status == Status.FAILURE and check.failure_info is not None:
                found = check.failure_info
                yield f"{event.label} [{event.phase.value}] {check.name}: {found.failure}\n{found.code_sample}"
