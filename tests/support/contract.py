"""The published contract, checked against every answer in the tests."""

import gzip
import json
import re
from functools import cached_property
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from server.accounts.players import player_token
from server.conform.schemas import Described
from server.games import Json
from tests.support.games import wanted

JSON, PROBLEM, NDJSON = "application/json", "application/problem+json", "application/x-ndjson"
_DOCUMENT = "urn:document"
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)?")
_ITS_FORM = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")


class Contract:
    """The OpenAPI document of an app."""

    def __init__(self, app: Flask) -> None:
        self.document: Json = json.loads(json.dumps(app.extensions["document"].to_dict()))
        self.validator = Described(self.document).validator

    @cached_property
    def operations(self) -> list[tuple[re.Pattern[str], str, Json]]:
        return [
            (re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), method, operation)
            for path, item in self.document["paths"].items()
            for method, operation in item.items()
            if method != "parameters"
        ]

    def check(self, response: TestResponse) -> None:
        """Raise AssertionError for an answer that the document does not describe."""
        request, status = response.request, str(response.status_code)
        if request.method == "OPTIONS" and status == "204":  # browsers send a preflight request
            return
        asked = "get" if request.method == "HEAD" else request.method.lower()
        found = [op for path, method, op in self.operations if path.fullmatch(request.path) and method == asked]
        if not found:
            assert status in ("400", "404", "405", "406"), f"{request.method} {request.path} is not described"
            self.check_problem(response, {"type": "object", "required": ["title", "detail"]})
            return
        assert status in found[0]["responses"], f"{status} is not described"
        described = found[0]["responses"][status]
        if "$ref" in described:
            described = self.document["components"]["responses"][described["$ref"].rpartition("/")[2]]
        for name, header in described.get("headers", {}).items():
            assert name in response.headers or not header.get("required"), f"{status} without {name}"
        content = described.get("content", {})
        if not response.data:
            assert content == {} or NDJSON in content or request.method == "HEAD", f"{status} without a body"
            return
        assert response.mimetype in content, f"{status} with {response.mimetype}, not {list(content)}"
        schema = content[response.mimetype]["schema"]
        if response.status_code >= 400:
            self.check_problem(response, schema)
            codes = described["x-codes"]
            assert response.json is None or response.json["code"] in codes, f"{response.text} is none of {codes}"
        elif response.is_json or response.mimetype == NDJSON:
            body = gzip.decompress(response.data) if response.content_encoding == "gzip" else response.data
            of_line = (
                self.document["components"]["schemas"]["SharedGames"]["contentSchema"] if NDJSON in content else None
            )
            for line in body.splitlines() if response.mimetype == NDJSON else [body]:
                told = json.loads(line)
                self.validator(of_line or schema).validate(told)
                expect_one_form_of_moments(told)

    def check_problem(self, response: TestResponse, schema: Json) -> None:
        if not response.data:
            return
        assert response.mimetype == PROBLEM
        assert response.json is not None
        self.validator(schema).validate(response.json)
        expect_one_form_of_moments(response.json)
        assert response.json["status"] == response.status_code
        assert response.json["type"] == f"/problems/{response.json['code']}"


def expect_one_form_of_moments(value: Any) -> None:
    """Raise AssertionError for a moment that is not in UTC with six decimals and a Z."""
    match value:
        case dict():
            expect_one_form_of_moments(list(value.values()))
        case list():
            for each in value:
                expect_one_form_of_moments(each)
        case str():
            assert not _MOMENT.fullmatch(value) or _ITS_FORM.fullmatch(value), value


class ContractClient(FlaskClient):
    """A test client that rejects answers missing from the contract."""

    contract: Contract

    def open(self, *args: Any, **kw: Any) -> TestResponse:
        response = super().open(*args, **kw)
        if response.request.path.startswith("/v1/"):
            self.contract.check(response)
        return response


class Someone:
    """A caller of the API: a player with a token or, without a name, a stranger."""

    def __init__(self, app: Flask, name: str | None = None, token: str | None = None) -> None:
        self._client = app.test_client()
        if name is not None:
            with app.app_context():
                token = player_token(f"{name}@example.org", name)
        self.token = token

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None, **kw: Any
    ) -> TestResponse:
        headers = dict(headers or {})
        if self.token is not None:
            headers.setdefault("Authorization", f"Bearer {self.token}")
        if body is not None:
            kw["json"] = body
        return self._client.open(path, method=method, headers=headers, **kw)

    def get(self, path: str, **kw: Any) -> TestResponse:
        return self.ask("GET", path, **kw)

    def post(self, path: str, body: Any = None, **kw: Any) -> TestResponse:
        return self.ask("POST", path, {} if body is None and "data" not in kw else body, **kw)

    def patch(self, path: str, body: Any, **kw: Any) -> TestResponse:
        return self.ask("PATCH", path, body, **kw)

    def delete(self, path: str, **kw: Any) -> TestResponse:
        return self.ask("DELETE", path, **kw)


def is_problem(response: TestResponse, status: int, code: str) -> bool:
    found = (response.status_code, response.mimetype, response.json["code"])
    assert found == (status, PROBLEM, code), response.text
    return True


def refusal(response: TestResponse) -> Json:
    return {name: value for name, value in response.json.items() if name != "request_id"}


def opened(who: Someone, *seats: Json, **more: Any) -> str:
    response = who.post("/v1/games", wanted(*seats, **more))
    assert response.status_code == 201, response.text
    return f"/v1/games/{response.json['id']}"
