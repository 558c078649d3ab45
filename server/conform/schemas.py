"""Validation of responses against the schemas of the OpenAPI document."""

import re
from copy import deepcopy
from typing import Any

import jsonschema_rs

from server.conform.exchange import Answer
from server.games import Json

_DOCUMENT = "urn:document"


class Described:
    """An OpenAPI document whose objects allow only the fields described."""

    def __init__(self, document: Json) -> None:
        closed = deepcopy(document)
        for schema in closed["components"]["schemas"].values():
            if "properties" in schema:
                schema.setdefault("additionalProperties", False)
        self._document, self._registry = document, jsonschema_rs.Registry([(_DOCUMENT, closed)])
        self._validators: dict[str, jsonschema_rs.Draft202012Validator] = {}
        self._operations = [
            (re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), method, operation)
            for path, item in document["paths"].items()
            for method, operation in item.items()
            if method != "parameters"
        ]

    def flaw_of(self, method: str, path: str, answer: Answer) -> str | None:
        asked, plain_path = "get" if method == "HEAD" else method.lower(), path.partition("?")[0]
        found = [it for pattern, of, it in self._operations if of == asked and pattern.fullmatch(plain_path)]
        if not found or method == "HEAD" or not answer.body:
            return None
        responses = found[0]["responses"]
        if str(answer.status) not in responses:
            return "The OpenAPI document lacks this status."
        described = responses[str(answer.status)]
        if "$ref" in described:
            described = self._document["components"]["responses"][described["$ref"].rpartition("/")[2]]
        kind = answer.headers.get("content-type", "").partition(";")[0]
        if kind not in described.get("content", {}):
            return f"The OpenAPI document lacks {kind} for this response."
        if not kind.endswith("json"):
            return None
        error = next(self.validator(described["content"][kind]["schema"]).iter_errors(answer.json), None)
        if error is None:
            return None
        return f"{error.message[:200]} at {'/'.join(map(str, error.instance_path)) or 'the top'}"

    def validator(self, schema: Json) -> jsonschema_rs.Draft202012Validator:
        """Return a validator for a schema of the OpenAPI document."""
        key = repr(schema)
        if key not in self._validators:
            self._validators[key] = jsonschema_rs.Draft202012Validator(_within(schema), registry=self._registry)
        return self._validators[key]


def _within(schema: Any) -> Any:
    """Return the schema with absolute references to the document."""
    match schema:
        case {"$ref": str(ref), **rest}:
            return {"$ref": _DOCUMENT + ref, **rest}
        case dict():
            return {key: _within(value) for key, value in schema.items()}
        case list():
            return [_within(value) for value in schema]
    return schema
