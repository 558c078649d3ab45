"""The OpenAPI document, made from the resources."""

from collections.abc import Iterator
from functools import cached_property
from importlib.metadata import version
from typing import Any

import flask_smorest
from flask import Flask, Response, jsonify
from werkzeug.exceptions import HTTPException

from server.accounts.apps import APP_SCOPES
from server.accounts.tokens import OF_A_TURN, SCOPES
from server.api import problems
from server.api.idempotency import keeps
from server.api.openapi import examples, schemas
from server.api.openapi.components import Components, pascal, ref
from server.api.problems import ALL, PROBLEMS
from server.api.rate_limits import KIB, LONG, OF_ADDRESS, OF_PLAYER, ROWS
from server.api.reading import StrictParser
from server.rules import Json
from server.webhooks import subscriptions

_SETTINGS = {
    "API_TITLE": "Sternenpost",
    "API_VERSION": version("sternenpost"),
    "OPENAPI_VERSION": "3.1.0",
    "OPENAPI_URL_PREFIX": "/",
    "OPENAPI_JSON_PATH": "openapi.json",
    "API_SPEC_OPTIONS": {
        "info": {
            "description": "Play-by-email server for Sternenhimmel and Sternenglanz. Sign in with `POST /v1/sign-ins`, "
            "then send the token as `Authorization: Bearer ...`. Errors are RFC 9457 problems with a stable `code`. "
            "[Chance is fair](/docs/fairness), and anybody can check it.\n\n"
            f"**Rate limits.** A player has units for requests (`{OF_PLAYER}`), however many tokens he has, and so have "
            f"all requests without a token from an address, or a /64 of IPv6 (`{OF_ADDRESS}`); they fill up again "
            f"steadily. A request takes one unit, and one more for every {ROWS} rows of a list and {KIB} KiB of a body "
            f"beyond the first; a picture that was not drawn before or an archive takes {1 + LONG}, and a 304 gives one "
            "back. They hold over all webs together, which tell one another once a second; sign-ins, games opened, "
            "invitations and messages at tables are counted by windows of time. The headers `RateLimit` and "
            "`RateLimit-Policy` tell of each that a request counts for how much is left "
            "(draft-ietf-httpapi-ratelimit-headers). After a 429, whose `detail` says what was too much, wait for "
            "`Retry-After` seconds.\n\n"
            "**Pages of other origins** may call everything here (CORS) with a token; cookies mean nothing.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "x-internal": False}],
        "security": [{"token": []}],
    },
}

_ABOUT_TOKENS = (
    "What a token allows are its scopes:\n\n"
    + "".join(f"- `{scope}`: {meaning}\n" for scope, meaning in SCOPES.items())
    + "\nThe token of a seat (makeSeatToken) is good for that seat of that game alone: for the calls that say so. "
    "So is the word in the link of a turn's mail (`/t/{word}`), with "
    + " and ".join(f"`{scope}`" for scope in OF_A_TURN)
    + " and while that turn, or the rest of it, waits for an answer. Afterwards, in a pause and while a bot keeps the "
    "seat it is a `bad-token`; only the very same move, sent again within an hour, gets its first answer again."
)
_OAUTH: Json = {
    "type": "oauth2",
    "description": "For programs of strangers: a player allows one what it asks for, and can end it at any time "
    "(`/v1/apps`). Code flow with PKCE (S256) for public clients; all that it takes stands in "
    "`/.well-known/oauth-authorization-server` (RFC 8414), and `/docs/app` is a page that does it. The scope `game:{id}` beside "
    "others binds all of them to one's seat in that game.",
    "flows": {
        "authorizationCode": {
            "authorizationUrl": "/oauth/authorize",
            "tokenUrl": "/oauth/token",
            "refreshUrl": "/oauth/token",
            "scopes": {scope: SCOPES[scope] for scope in APP_SCOPES},
        }
    },
}
_OF_SEAT = "x-of-seat"
ANYBODY: Json = {"security": []}


def needs(scope: str, of_seat: bool = False) -> Json:
    """For the description of a call that takes a token with this scope; `of_seat`: that of a seat will do."""
    return {"security": [{scheme: [scope]} for scheme in _schemes(scope)], _OF_SEAT: of_seat}


def takes(scope: str, of_seat: bool = False) -> Json:
    """For the description of a call by which anybody may look; a token that is sent must have the scope."""
    return {"security": [{}, *({scheme: [scope]} for scheme in _schemes(scope))], _OF_SEAT: of_seat}


def _schemes(scope: str) -> tuple[str, ...]:
    """By which a program may come to a token with this scope."""
    return ("token", "oauth2") if scope in APP_SCOPES else ("token",)


def either(name: str, description: str, *members: str) -> Json:
    """The schema, called `name`, of an answer that is one of these; a call has one for all its successes."""
    return {"title": name, "description": description, "oneOf": [ref(member) for member in members]}


_IDEMPOTENCY_KEY = {
    "in": "header",
    "name": "Idempotency-Key",
    "description": "Sent again with the same key within seven days, the request gets its first answer again. "
    "A key counts for you and for one game, or for opening one",
    "schema": {"type": "string", "pattern": "^[!-~]([ -~]{0,198}[!-~])?$"},
}
_LAST_EVENT_ID = {
    "in": "header",
    "name": "Last-Event-ID",
    "description": "The `id` of the last event that came: the stream goes on after it",
    "schema": {"type": "string"},
}
_IF_NONE_MATCH = {
    "in": "header",
    "name": "If-None-Match",
    "description": "The ETag of an earlier answer: if it would be the same again, the answer is an empty 304",
    "schema": {"type": "string"},
}
_IF_MATCH = {
    "in": "header",
    "name": "If-Match",
    "description": "An ETag that GET has given at this address: if it has another one by now, nothing is changed",
    "schema": {"type": "string"},
}
_LIMITS = {
    "RateLimit-Policy": {
        "description": "A list of the limits that the request counts for: `q` units or uses within `w` seconds",
        "schema": {"type": "string"},
        "example": f'"{OF_PLAYER}";q=12000;w=60, "messages";q=30;w=60',
    },
    "RateLimit": {
        "description": "Of each of them: `r` are left, and all will be there again in `t` seconds. Neither header comes "
        "where the operator has switched the limits off",
        "schema": {"type": "string"},
        "example": f'"{OF_PLAYER}";r=11999;t=1, "messages";r=29;t=42',
    },
}
_TELLS_LIMITS = {name: {"$ref": f"#/components/headers/{name}"} for name in _LIMITS}
_ON_ALL: Json = {
    "X-Request-Id": {
        "description": "Names this request in the operator's log",
        "required": True,
        "schema": {"type": "string"},
    },
    "Access-Control-Allow-Origin": {
        "description": "Pages of other origins may read the answer (CORS)",
        "required": True,
        "schema": {"type": "string", "const": "*"},
    },
}
_TELLS_ALL = {name: {"$ref": f"#/components/headers/{name}"} for name in _ON_ALL}
_ETAG = {"ETag": {"description": "Changes when and only when this answer changes", "schema": {"type": "string"}}}
_HEADERS_OF_PROBLEMS: dict[int, Json] = {
    401: {"WWW-Authenticate": {"required": True, "schema": {"type": "string", "const": "Bearer"}}},
    429: {
        "Retry-After": {"description": "Seconds", "required": True, "schema": {"type": "integer", "minimum": 1}},
    },
    503: {"Retry-After": {"description": "Seconds", "required": True, "schema": {"type": "integer", "minimum": 1}}},
}
_RAISED, _KEYED = "x-raised", "x-keyed"  # stand in an operation until it is written out


class Blueprint(flask_smorest.Blueprint):
    """Resources behind the strict reader."""

    ARGUMENTS_PARSER = StrictParser()

    def arguments(self, schema: Any, **options: Any) -> Any:
        """As smorest does it, but with one instance of the schema for all requests."""
        return super().arguments(schema(), **options)

    def raises(self, *errors: type[Exception]) -> Any:
        """Name the problems of this call alone; `_codes` adds those that its parts may have."""
        return self.doc(**{_RAISED: [PROBLEMS[error].code for error in errors]})

    def may_come_again(self, call: Any) -> Any:
        """This call takes an Idempotency-Key."""
        return self.doc(**{_KEYED: True})(keeps(call))


class Document(flask_smorest.Api):
    """All resources and their description; errors are problems."""

    ERROR_SCHEMA = schemas.Problem
    DEFAULT_ERROR_RESPONSE_NAME = None  # each call lists its own

    def __init__(self, app: Flask) -> None:
        app.config.update(_SETTINGS)
        super().__init__(app)
        self.register_field(schemas.Email, "string", "email")
        self.spec.components.security_scheme(
            "token", {"type": "http", "scheme": "bearer", "description": _ABOUT_TOKENS}
        )
        self.spec.components.security_scheme("oauth2", _OAUTH)
        for schema in (
            schemas.MoveAnswer,
            schemas.Foresight,
            schemas.TakenBack,
            schemas.TakeBackAsked,
            schemas.SharedGame,
        ):
            self.spec.components.schema(schema.__name__, schema=schema)

    def handle_http_exception(self, error: HTTPException) -> Response:
        return problems.of_http(error)

    def _openapi_json(self) -> Response:
        return jsonify(self.document)

    @cached_property
    def document(self) -> Json:
        """With what all calls have in common: conditional requests, and the problems that each may answer with."""
        document: Json = self.spec.to_dict()
        components = Components(document["components"].pop("schemas"))
        document["webhooks"] = dict(_webhooks())
        document["tags"].append({"name": "payloads", "description": "What your webhook is told: these are our calls"})
        document["components"]["headers"] = _LIMITS | _ON_ALL
        shared = document["components"]["responses"] = {}
        for path, item in document["paths"].items():
            for method, operation in item.items():
                if method == "parameters":
                    continue
                _name_examples(operation)
                _tell_scope(operation)
                parameters = operation.setdefault("parameters", [])
                if operation.pop(_KEYED, False):
                    parameters.append(_IDEMPOTENCY_KEY)
                if "text/event-stream" in operation["responses"].get("200", {}).get("content", {}):
                    parameters.append(_LAST_EVENT_ID)
                elif method == "get":
                    parameters.append(_IF_NONE_MATCH)
                    operation["responses"]["200"].setdefault("headers", {}).update(_ETAG)
                    operation["responses"]["304"] = {"description": "Nothing has changed", "headers": _ETAG}
                elif method in ("patch", "delete"):
                    parameters.append(_IF_MATCH)
                operation["responses"].pop("422", None)  # what smorest says of it
                for status, response in operation["responses"].items():
                    if status != "default":
                        response.setdefault("headers", {}).update(_TELLS_LIMITS | _TELLS_ALL)
                for status, codes in _by_status(_codes(path, operation)):
                    name = ".".join(codes)
                    shared[name] = _problem_response(status, codes, components)
                    operation["responses"][str(status)] = {"$ref": f"#/components/responses/{name}"}
        _lift(document["paths"], components)
        document["components"]["schemas"] = components.all()
        return document

    def to_dict(self) -> Json:
        return self.document


_ABOUT_WEBHOOKS = (
    "Sent by [Standard Webhooks](https://www.standardwebhooks.com): with `webhook-id`, `webhook-timestamp` and "
    "`webhook-signature`, which any of its libraries verifies with the secret of the webhook. It comes at least once: "
    "what has a `webhook-id` that you know has come before. Answer with 2xx within ten seconds. Any other answer "
    "counts as a failure and is tried again for three days, redirects too; 410 disables the webhook. What is "
    "told late about a turn is left out once that turn is past."
)
_SIGNED = [
    {"in": "header", "name": name, "required": True, "description": description, "schema": {"type": "string"}}
    for name, description in (
        ("webhook-id", "Of the delivery, the same however often it is tried"),
        ("webhook-timestamp", "Of this try, in Unix seconds"),
        ("webhook-signature", "`v1,` and the HMAC in base64; one more after a space for a day after a new secret"),
    )
]


def _webhooks() -> Iterator[tuple[str, Json]]:
    """What we call, not what we answer."""
    for kind, component in schemas.PAYLOADS.items():
        content = {
            "schema": ref(component),
            "examples": {"Example": {"value": examples.payload(kind)}},
        }
        told: Json = {
            "operationId": f"tell{pascal(kind)}",
            "tags": ["payloads"],
            "summary": subscriptions.PAYLOADS[kind]["description"],
            "description": _ABOUT_WEBHOOKS,
            "security": [],
            "parameters": _SIGNED,
            "requestBody": {"required": True, "content": {"application/json": content}},
            "responses": {
                "2XX": {"description": "Taken"},
                "410": {"description": "Nobody wants to be told here any more; the webhook is disabled"},
                "default": {"description": "It is tried again"},
            },
        }
        yield kind, {"post": told}


def _name_examples(operation: Json) -> None:
    """The handbook's RapiDoc takes a lone example that is an object for several, by the names of its fields."""
    for body in (operation.get("requestBody", {}), *operation["responses"].values()):
        for content in body.get("content", {}).values():
            if "example" in content:
                content["examples"] = {"Example": {"value": content.pop("example")}}


def _tell_scope(operation: Json) -> None:
    of_seat = operation.pop(_OF_SEAT, False)
    for requirement in operation.get("security", ()):
        for scope in requirement.get("token", ()):
            about = f"Scope: `{scope}`." + (" A seat's token will do." if of_seat else "")
            operation["description"] = f"{operation.get('description', '')}\n\n{about}".strip()


# Problems


def _codes(path: str, operation: Json) -> Iterator[str]:
    """The codes of all problems that a call may answer with."""
    yield from operation.pop(_RAISED, ())
    yield from ("malformed-request", "not-acceptable", "too-many-requests", "internal-error", "unavailable")
    if _IF_NONE_MATCH in operation["parameters"] or _IF_MATCH in operation["parameters"]:
        yield "precondition-failed"
    places = {parameter["in"] for parameter in operation["parameters"]}
    if "requestBody" in operation:
        yield from ("body-too-large", "unsupported-media-type", "invalid-fields")
    if "query" in places:
        yield "invalid-fields"
    if _IDEMPOTENCY_KEY in operation["parameters"]:
        yield from ("idempotency-key-reused", "request-under-way")
    if operation.get("security") != []:
        yield from ("token-needed", "bad-token", "banned", "missing-scope", "one-seat-only")
    if "{" in path:
        yield "not-found"


def _by_status(codes: Iterator[str]) -> list[tuple[int, list[str]]]:
    found: dict[int, set[str]] = {}
    for code in codes:
        found.setdefault(ALL[code].status, set()).add(code)
    return [(status, sorted(found[status])) for status in sorted(found)]


def _problem_response(status: int, codes: list[str], components: Components) -> Json:
    [schema, *_] = [components.problem(code) for code in codes]
    response: Json = {
        "description": "  \n".join(f"`{code}`: {ALL[code].title}" for code in codes),
        "content": {"application/problem+json": {"schema": schema}},
        "x-codes": codes,
    }
    limits = _TELLS_LIMITS if status < 500 else {}
    response["headers"] = _HEADERS_OF_PROBLEMS.get(status, {}) | limits | _TELLS_ALL
    return response


def _lift(part: Any, components: Components) -> None:
    """Give the schemas in a part of the document their names."""
    match part:
        case {"schema": dict(schema)}:
            part["schema"] = components.lifted(schema)
        case dict():
            for key, value in part.items():
                if key not in ("examples", "example"):
                    _lift(value, components)
        case list():
            for value in part:
                _lift(value, components)
