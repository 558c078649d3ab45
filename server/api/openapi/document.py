"""The OpenAPI document, generated from the resources."""

from collections.abc import Callable, Iterator
from functools import cached_property, wraps
from importlib.metadata import version
from typing import Any

import flask_smorest
from flask import Flask, Response, current_app, jsonify, request
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
from server.compression import Packed, pack
from server.games import Json
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
            "Anyone can check that [the shuffling is fair](/docs/fairness).\n\n"
            f"**Rate limits.** Each player has a budget of request units (`{OF_PLAYER}`), shared by all their tokens. "
            f"Requests without a token share a budget per IPv4 address or IPv6 /64 network (`{OF_ADDRESS}`). Budgets "
            f"refill steadily. A request costs one unit, plus one for every {ROWS} rows of a list and {KIB} KiB of a "
            f"body beyond the first. An archive costs {1 + LONG} units, and so does a picture that has to be drawn. A "
            "304 refunds one unit.\n\n"
            "Budgets are shared by all web processes, which synchronize once a second. Sign-ins, new games, "
            "invitations and chat messages have their own limits per time window. The `RateLimit` and "
            "`RateLimit-Policy` headers describe every limit that applies to the request "
            "(draft-ietf-httpapi-ratelimit-headers). After a 429, wait `Retry-After` seconds. The `detail` of a 429 "
            "names the limit you reached.\n\n"
            "**Timestamps** (`date-time`) are RFC 3339 in UTC with six decimal places and a `Z`, such as "
            "`2026-11-21T19:42:03.000000Z`. This applies to responses, streams, webhooks and archives. Requests can "
            "use any offset and fewer decimal places.\n\n"
            "**Cross-origin requests.** Pages from other origins can call the whole API with a token (CORS). Cookies "
            "are ignored.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "x-internal": False}],
        "security": [{"token": []}],
    },
}

_ABOUT_TOKENS = (
    "The scopes of a token define what it allows:\n\n"
    + "".join(f"- `{scope}`: {meaning}\n" for scope, meaning in SCOPES.items())
    + "\nA seat token (makeSeatToken) works only for its seat in its game, with the calls that mention seat tokens. "
    "The link token in a turn's email (`/t/{word}`) works the same way, with the scopes "
    + " and ".join(f"`{scope}`" for scope in OF_A_TURN)
    + ". A link token is valid while the turn, or the rest of the turn, waits for a move. After the turn, during "
    "a pause and while a bot plays the seat, a link token is rejected as `bad-token`. One exception: if the "
    "same move is sent again within an hour, the first response is returned."
)
_OAUTH: Json = {
    "type": "oauth2",
    "description": "For third-party apps. A player grants an app the scopes it requests, and can revoke its access at "
    "any time (`/v1/apps`). Public clients use the authorization code flow with PKCE (S256). Endpoints and options "
    "are listed in `/.well-known/oauth-authorization-server` (RFC 8414), and `/docs/app` shows an example page. If an "
    "app also requests `game:{id}`, its other scopes apply only to the player's seat in that game.",
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
    """Return the security of a call that requires a token with this scope. `of_seat` allows seat tokens."""
    return {"security": [{scheme: [scope]} for scheme in _schemes(scope)], _OF_SEAT: of_seat}


def takes(scope: str, of_seat: bool = False) -> Json:
    """Return the security of a public call. A token is optional, but must have this scope. `of_seat` allows seat
    tokens."""
    return {"security": [{}, *({scheme: [scope]} for scheme in _schemes(scope))], _OF_SEAT: of_seat}


def _schemes(scope: str) -> tuple[str, ...]:
    """Return the security schemes whose tokens can have this scope."""
    return ("token", "oauth2") if scope in APP_SCOPES else ("token",)


def either(name: str, description: str, *members: str) -> Json:
    """Return the schema `name` of a response that has one of several forms. All success responses of a call share one
    schema."""
    return {"title": name, "description": description, "oneOf": [ref(member) for member in members]}


def _header(name: str, description: str, **more: Any) -> Json:
    return {"in": "header", "name": name, **more, "description": description, "schema": {"type": "string"}}


_IDEMPOTENCY_KEY = _header(
    "Idempotency-Key",
    "Unique key that makes a request safe to retry. For seven days, a request with the same key returns the first "
    "response. Each key is valid only for your own requests, and only for one game or for creating games.",
)
_IDEMPOTENCY_KEY["schema"]["pattern"] = "^[!-~]([ -~]{0,198}[!-~])?$"
_IN_PATH = {
    "game_id": "Game id, as in `GET /v1/games`",
    "player_id": "Player id, as in the seats of a game",
    "seat": "Seat number, counted from 0",
    "name": "Name of the rules, as in `GET /v1/rules`",
    "token_id": "Token id, as in `GET /v1/tokens`",
    "app_id": "App id, as in `GET /v1/apps`",
    "subscription_id": "Id of the push subscription",
    "word": "Signed word from the link in the request",
    "webhook_id": "Webhook id, as in `GET /v1/webhooks`",
    "delivery_id": "Delivery id, as in the deliveries of the webhook",
}
_LAST_EVENT_ID = _header("Last-Event-ID", "`id` of the last event you received. The stream continues after it.")
_IF_NONE_MATCH = _header(
    "If-None-Match", "ETag of an earlier response. If nothing has changed, the response is an empty 304."
)
_IF_MATCH = _header(
    "If-Match", "ETag from a GET of the same path. If it no longer matches, the request fails and nothing is changed."
)
_LIMITS = {
    "RateLimit-Policy": {
        "description": "Limits that apply to the request: `q` request units or uses per `w` seconds",
        "schema": {"type": "string"},
        "example": f'"{OF_PLAYER}";q=12000;w=60, "messages";q=30;w=60',
    },
    "RateLimit": {
        "description": "What remains of each limit: `r` is the number of request units or uses left, and `t` the seconds "
        "until the full allowance is available again. If the operator has disabled rate limits, both headers are "
        "omitted.",
        "schema": {"type": "string"},
        "example": f'"{OF_PLAYER}";r=11999;t=1, "messages";r=29;t=42',
    },
}
_TELLS_LIMITS = {name: {"$ref": f"#/components/headers/{name}"} for name in _LIMITS}
_ON_ALL: Json = {
    "X-Request-Id": {
        "description": "Id of this request in the server's log",
        "required": True,
        "schema": {"type": "string"},
    },
    "Access-Control-Allow-Origin": {
        "description": "Lets pages from other origins read the response (CORS)",
        "required": True,
        "schema": {"type": "string", "const": "*"},
    },
}
_TELLS_ALL = {name: {"$ref": f"#/components/headers/{name}"} for name in _ON_ALL}
_ETAG = {
    "ETag": {
        "description": "Entity tag, which changes if and only if the response changes",
        "schema": {"type": "string"},
    }
}
_RETRY_AFTER = {
    "Retry-After": {
        "description": "Seconds to wait before the next request",
        "required": True,
        "schema": {"type": "integer", "minimum": 1},
    }
}
_HEADERS_OF_PROBLEMS: dict[int, Json] = {
    401: {"WWW-Authenticate": {"required": True, "schema": {"type": "string", "const": "Bearer"}}},
    429: _RETRY_AFTER,
    503: _RETRY_AFTER,
}
_RAISED, _KEYED = "x-raised", "x-keyed"  # temporary keys of an operation


class Blueprint(flask_smorest.Blueprint):
    """A blueprint that reads requests with the strict parser."""

    ARGUMENTS_PARSER = StrictParser()

    def arguments(self, schema: Any, **options: Any) -> Any:
        """Use one instance of the schema for all requests. flask-smorest would create an instance for each request."""
        return super().arguments(schema(), **options)

    def response(self, status_code: int, schema: Any = None, **described: Any) -> Any:
        """Describe a response. Calls return it without serializing it by the schema, which would take longer than the
        call itself. Tests check that no response has undocumented fields."""
        describe = super().response(status_code, schema, **described)

        def decorator(call: Callable[..., Any]) -> Any:
            @wraps(describe(call))
            def answer(*args: Any, **named: Any) -> Any:
                found = call(*args, **named)
                if isinstance(found, Response):
                    return found
                body, *more = found if isinstance(found, tuple) else (found, status_code)
                return jsonify(body), *more

            return answer

        return decorator

    def raises(self, *errors: type[Exception]) -> Any:
        """List the problems that are specific to this call. `_codes` adds the problems that all calls share."""
        return self.doc(**{_RAISED: [PROBLEMS[error].code for error in errors]})

    def idempotent(self, call: Any) -> Any:
        """Mark a call that supports Idempotency-Key."""
        return self.doc(**{_KEYED: True})(keeps(call))


class Document(flask_smorest.Api):
    """The API with its OpenAPI document. Errors are problems (RFC 9457)."""

    ERROR_SCHEMA = schemas.Problem
    DEFAULT_ERROR_RESPONSE_NAME = None  # each call lists its own errors

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
        response = self._packed.answer()
        response.headers["Access-Control-Allow-Origin"] = "*"  # for tools that show or test APIs in a browser
        response.make_conditional(request)
        return response

    @cached_property
    def _packed(self) -> Packed:
        return pack("application/json", current_app.json.dumps(self.document).encode())

    @cached_property
    def document(self) -> Json:
        """Return the document, with the common parts of all calls: conditional requests, headers and problems."""
        document: Json = self.spec.to_dict()
        components = Components(document["components"].pop("schemas"))
        document["webhooks"] = dict(_webhooks())
        document["tags"].append({"name": "payloads", "description": "Payloads that the server sends to your webhook"})
        document["components"]["headers"] = _LIMITS | _ON_ALL
        shared = document["components"]["responses"] = {}
        for path, item in document["paths"].items():
            for method, operation in item.items():
                if method == "parameters":
                    for parameter in operation:
                        parameter["description"] = _IN_PATH[parameter["name"]]
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
                    operation["responses"]["304"] = {"description": "Not modified", "headers": _ETAG}
                elif method in ("patch", "delete"):
                    parameters.append(_IF_MATCH)
                operation["responses"].pop("422", None)  # smorest's default
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
    "A webhook that you create with makeWebhook gets this. It follows [Standard Webhooks](https://www.standardwebhooks.com). Its libraries verify the `webhook-id`, "
    "`webhook-timestamp` and `webhook-signature` headers with the webhook's secret. Each delivery arrives at least "
    "once, so ignore a `webhook-id` that you have already processed.\n\n"
    "Respond with 2xx within ten seconds. Any other response, including a redirect, counts as a failure and is retried "
    "for three days. A 410 disables the webhook. Late notifications about a turn are dropped once that turn is over.\n\n"
    "[An example](/docs/recipes#webhooks) shows how to verify the signature."
)
_SIGNED = [
    _header("webhook-id", "Delivery id, the same for every attempt", required=True),
    _header("webhook-timestamp", "Time of this attempt, in Unix seconds", required=True),
    _header(
        "webhook-signature",
        "`v1,` and the HMAC in base64. For 24 hours after a rotation, a signature with the old secret follows.",
        required=True,
    ),
]


def _webhooks() -> Iterator[tuple[str, Json]]:
    """Yield the requests that the server sends to webhooks."""
    for kind, component in schemas.PAYLOADS.items():
        content = {"schema": ref(component), "examples": {"Example": {"value": examples.payload(kind)}}}
        told: Json = {
            "operationId": f"tell{pascal(kind)}",
            "tags": ["payloads"],
            "summary": subscriptions.PAYLOADS[kind]["description"],
            "description": _ABOUT_WEBHOOKS,
            "security": [],
            "parameters": _SIGNED,
            "requestBody": {"required": True, "content": {"application/json": content}},
            "responses": {
                "2XX": {"description": "Accepted"},
                "410": {"description": "Stop sending: the webhook is now disabled"},
                "default": {"description": "Failed. The delivery is retried."},
            },
        }
        yield kind, {"post": told}


def _name_examples(operation: Json) -> None:
    """Give a lone example a name, so that all examples have the same form."""
    for body in (operation.get("requestBody", {}), *operation["responses"].values()):
        for content in body.get("content", {}).values():
            if "example" in content:
                content["examples"] = {"Example": {"value": content.pop("example")}}


def _tell_scope(operation: Json) -> None:
    of_seat = operation.pop(_OF_SEAT, False)
    for requirement in operation.get("security", ()):
        for scope in requirement.get("token", ()):
            about = f"Scope: `{scope}`." + (" A seat token works too." if of_seat else "")
            operation["description"] = f"{operation.get('description', '')}\n\n{about}".strip()


# Problems


def _codes(path: str, operation: Json) -> Iterator[str]:
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
    """Replace the nested schemas in a part of the document by references."""
    match part:
        case {"schema": dict(schema)}:
            part["schema"] = components.lift(schema)
        case dict():
            for key, value in part.items():
                if key not in ("examples", "example"):
                    _lift(value, components)
        case list():
            for value in part:
                _lift(value, components)
