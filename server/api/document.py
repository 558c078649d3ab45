"""The OpenAPI document, made from the resources."""

from typing import Any

import flask_smorest
from flask import Flask, Response
from werkzeug.exceptions import HTTPException

from server.api import problems
from server.api.reading import StrictParser
from server.api.schemas import Foresight, Problem
from server.play import GAMES

_SETTINGS = {
    "API_TITLE": "Sternenpost",
    "API_VERSION": "v1",
    "OPENAPI_VERSION": "3.1.0",
    "OPENAPI_URL_PREFIX": "/",
    "OPENAPI_JSON_PATH": "openapi.json",
    "API_SPEC_OPTIONS": {
        "info": {
            "description": "Play-by-email server for Sternenhimmel and Sternenglanz. Sign in with `POST /v1/sign-ins`, "
            "then send the token as `Authorization: Bearer ...`. Errors are RFC 9457 problems with a stable `code`. "
            "[Chance is fair](/docs/fairness), and anybody can check it.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
    },
}

IDEMPOTENCY_KEY = {
    "in": "header",
    "name": "Idempotency-Key",
    "description": "Sent again with the same key within seven days, the request gets its first answer again",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200},
}

_PROBLEM = {"$ref": "#/components/schemas/Problem"}
_IF_NONE_MATCH = {
    "in": "header",
    "name": "If-None-Match",
    "description": "The ETag of an earlier answer: if it would be the same again, the answer is an empty 304",
    "schema": {"type": "string"},
}


class Blueprint(flask_smorest.Blueprint):
    """Resources behind the strict reader."""

    ARGUMENTS_PARSER = StrictParser()


class Document(flask_smorest.Api):
    """All resources and their description; errors are problems."""

    ERROR_SCHEMA = Problem

    def __init__(self, app: Flask) -> None:
        app.config.update(_SETTINGS)
        super().__init__(app)
        self.spec.components.security_scheme("token", {"type": "http", "scheme": "bearer"})
        self.spec.components.schema("Foresight", schema=Foresight)
        for name, rules in GAMES.items():
            self.spec.components.schema(f"{name.capitalize()}Move", rules.MOVE_SCHEMA)
            self.spec.components.schema(f"{name.capitalize()}View", rules.VIEW_SCHEMA)

    def handle_http_exception(self, error: HTTPException) -> Response:
        return problems.of_http(error)

    def to_dict(self) -> dict[str, Any]:
        """The document; errors are of the type that they are really sent in."""
        document: dict[str, Any] = self.spec.to_dict()
        for path in document["paths"].values():
            if get := path.get("get"):
                get.setdefault("parameters", []).append(_IF_NONE_MATCH)
                get["responses"]["304"] = {"description": "Nothing has changed since the answer with that ETag"}
        for responses in _responses(document):
            for status, response in responses.items():
                if status[0] in "45d" and "$ref" not in response:
                    response["content"] = {"application/problem+json": {"schema": _PROBLEM}}
        return document


def _responses(document: dict[str, Any]) -> list[dict[str, Any]]:
    shared = document.get("components", {}).get("responses", {})
    operations = [op for path in document["paths"].values() for op in path.values() if isinstance(op, dict)]
    return [{"default": response} for response in shared.values()] + [op["responses"] for op in operations]
