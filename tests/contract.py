"""The published contract, held against every answer that a test gets."""

import json
import re
from copy import deepcopy
from functools import cached_property
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from werkzeug.test import TestResponse

from server import play
from server.rules import Json

JSON, PROBLEM = "application/json", "application/problem+json"


class Contract:
    """The OpenAPI document of an app."""

    def __init__(self, app: Flask) -> None:
        self.document: Json = json.loads(json.dumps(app.extensions["document"].to_dict()))

    @cached_property
    def operations(self) -> list[tuple[re.Pattern[str], str, Json]]:
        """Path, method and description of each operation."""
        return [
            (re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), method, operation)
            for path, item in self.document["paths"].items()
            for method, operation in item.items()
            if method != "parameters"
        ]

    @cached_property
    def strict_components(self) -> Json:
        """The schemas, in which no field may stand beside those described."""
        components = deepcopy(self.document["components"])
        for schema in components["schemas"].values():
            if "properties" in schema:
                schema.setdefault("additionalProperties", False)
        return components

    def check(self, response: TestResponse) -> None:
        """Raises AssertionError for an answer that the document does not describe."""
        request = response.request
        found = [
            op
            for path, method, op in self.operations
            if path.fullmatch(request.path) and method == request.method.lower()
        ]
        if not found:
            assert response.status_code in (404, 405), f"{request.method} {request.path} is not described"
        responses = found[0]["responses"] if found else {"default": {"$ref": "#/components/responses/DEFAULT_ERROR"}}
        status = str(response.status_code)
        assert status in responses or response.status_code >= 400, f"{status} is not described"
        described = responses.get(status) or responses["default"]
        if "$ref" in described:
            described = self.document["components"]["responses"][described["$ref"].rpartition("/")[2]]
        content = described.get("content", {})
        if not response.data:
            assert content == {} or request.method == "HEAD", f"{status} without a body"
            return
        assert response.mimetype in content, f"{status} with {response.mimetype}, not {list(content)}"
        assert (response.mimetype == PROBLEM) == (response.status_code >= 400)
        schema = {**content[response.mimetype]["schema"], "components": self.strict_components}
        Draft202012Validator(schema).validate(response.json)
        if response.mimetype == PROBLEM:
            assert response.json["status"] == response.status_code
            assert response.json["type"] == f"/problems/{response.json['code']}"


class ContractClient(FlaskClient):
    """A client that takes no answer from the API which the contract does not describe."""

    contract: Contract

    def open(self, *args: Any, **kw: Any) -> TestResponse:
        response = super().open(*args, **kw)
        if response.request.path.startswith("/v1/"):
            self.contract.check(response)
        return response


class Someone:
    """A player with a token, or (without a name) a stranger, at the door of the API."""

    def __init__(self, app: Flask, name: str | None = None, token: str | None = None) -> None:
        self._client = app.test_client()
        if name is not None:
            with app.app_context():
                token = play.player_token(f"{name}@example.org")
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
