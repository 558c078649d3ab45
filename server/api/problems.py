"""Errors as RFC 9457 problems with stable codes. This module lists all of them."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from flask import Flask, Response, current_app, g, request
from flask_babel import get_locale, gettext
from werkzeug.exceptions import HTTPException, InternalServerError, MethodNotAllowed

from server import errors
from server.api.languages import spoken
from server.errors import PlayError
from server.games import BadOption, IllegalMove, MalformedMove, RuleError
from server.games.presentation import PLANNED, refusals, refused
from server.store.database_retry import Unavailable, is_passing
from server.translations import Words, noted


class Problem(NamedTuple):
    """A kind of problem. `title` and `meaning` are translated into the caller's language.

    `meaning` says what happened and what to do. The handbook page `/problems/{code}` shows it. `further` has example
    values of the fields that only some problems have. The error has attributes of these names.
    """

    status: int
    code: str
    title: str
    meaning: str
    further: Mapping[str, Any] = MappingProxyType({})


PROBLEMS: dict[type[Exception], Problem] = {
    errors.NotFound: Problem(
        404,
        "not-found",
        "Not found",
        "What you requested doesn't exist, or you aren't allowed to see it. The response is the same in both cases.",
    ),
    errors.NotSeated: Problem(
        403, "not-seated", "You have no seat at this table", "Only seated players can do this. Take a seat first."
    ),
    errors.NotHost: Problem(
        403,
        "not-host",
        "You are not the host of this game",
        "Before the start, the host can close the game, withdraw invitations and remove players. The host is the "
        "creator or, if the creator leaves, the seated player with the lowest seat number. The game's field "
        "`host` contains the host's seat.",
    ),
    errors.StaleTurn: Problem(
        409,
        "stale-turn",
        "This isn't your current turn",
        "The move names a turn that you have already played, that timed out, or that was never yours. Your "
        "request had no effect. `turn` is your current turn, or null if it isn't your turn. Get the game and decide "
        "again.",
        {"turn": 7},
    ),
    errors.StalePlan: Problem(
        409,
        "stale-plan",
        "Your plan has changed",
        "Since you last got the plan, it was replaced, has played a move, or has ended. Your request had no effect. "
        "`revision` is the plan's current revision. Get the plan and decide again.",
        {"revision": 4},
    ),
    errors.PlaceAhead: Problem(
        409,
        "place-ahead",
        "The log ends before this position",
        "A backup was restored, so your data may not match the log. `newest` is where the log ends. Discard your "
        "data and read the log from the beginning.",
        {"newest": 5},
    ),
    errors.IllegalPlan: Problem(
        422,
        "illegal-plan",
        "This move can't be planned",
        "`index` is the position of the move in the plan, counted from 0. `reason` is the code of the violated "
        "rule, or `bad-condition`. `detail` explains the reason. A plan can use only cards and pieces that you "
        "have now.",
        {"index": 1, "reason": "star-not-in-hand"},
    ),
    errors.NotRunning: Problem(
        409,
        "game-not-running",
        "Not at this point of the game",
        "The game has not started, has started already, is paused, or is over.",
    ),
    errors.TooLate: Problem(
        409,
        "too-late",
        "It's too late to take this move back",
        "The game or the vote is over, the move was already taken back, or the game can't be restored to the "
        "version you named. If `take_back` is `free`, it's also too late if another player has moved, the turn's time "
        "has run out, or the move revealed hidden information to you.",
    ),
    errors.WrongSalt: Problem(
        422,
        "wrong-salt",
        "This salt is not accepted",
        "The salt's SHA-256 doesn't match your seat's `salt_hash`, or your seat has no `salt_hash`. Or you "
        "committed to a salt after another player had revealed theirs. You can confirm without `salt`; your seat then adds no salt.",
    ),
    errors.NotAllowed: Problem(
        409,
        "not-allowed",
        "The game's options don't allow this",
        "The game's option `take_back` is `never`, or the game has no `ready_check`.",
    ),
    errors.NoHints: Problem(
        403,
        "no-hints",
        "This game gives no hints",
        "Hints are available only in games in which all other players are bots. A person's seat counts as a person's "
        "even while a bot plays it. Stand-ins get no hints.",
    ),
    errors.HandedOver: Problem(
        409,
        "seat-handed-over",
        "A bot or a stand-in is playing for you",
        "If you resigned or timed out too often, take your seat back with a POST to the game's seats. If a stand-in "
        "is playing for you, send DELETE to your seat's `stand-in`.",
    ),
    errors.SeatTaken: Problem(
        409,
        "seat-taken",
        "This seat is not available",
        "The seat is taken, reserved for another player, not offered, or played by a stand-in. Or you've blocked "
        "a player at the table, or they've blocked you.",
    ),
    errors.NotReliable: Problem(
        403,
        "not-reliable",
        "Your reliability is too low for this game",
        "The game's field `min_reliability` is the percentage of finished games in which a player must have been "
        "present at the end. Players without a finished game can join, and so can invited players.",
    ),
    errors.NoPrograms: Problem(
        403,
        "no-programs",
        "This game is for humans only",
        "This game doesn't allow programs (`programs` is false), and your account is marked as played by a program. "
        "Find a game that allows programs, or create one.",
    ),
    errors.AlreadySeated: Problem(
        409, "already-seated", "You already have a seat at this table", "A player can have only one seat at a table."
    ),
    errors.BadField: Problem(
        422,
        "invalid-field",
        "A field has an invalid value",
        "`field` names the field, and `detail` says what is wrong.",
        {"field": "seats"},
    ),
    errors.WrongCode: Problem(
        401,
        "wrong-code",
        "The code is wrong or has expired",
        "An emailed code is valid for ten minutes, five attempts and a single use. Request a new one.",
    ),
    errors.BadToken: Problem(
        401,
        "bad-token",
        "The token is invalid",
        "`detail` contains the reason, for example that the token has expired. A link token from an email is "
        "valid only until the turn it was sent for is over. Sign in again to get a new token.",
    ),
    errors.Banned: Problem(
        403,
        "banned",
        "You are banned from this server",
        "`detail` contains the reason, and `until` the time when the ban ends (null if the ban is permanent). "
        "Until then, bots play your seats. After the ban, your tokens work again, and you can take your seats "
        "back.",
        {"until": None},
    ),
    errors.SignInFirst: Problem(
        403,
        "sign-in-first",
        "Guests can't do this",
        "Guests play only against bots. To play with others, sign in with an emailed code and send your guest "
        "token along with the code. You keep your seats.",
    ),
    errors.MissingScope: Problem(
        403,
        "missing-scope",
        "The token lacks a scope",
        "Use a token with the scope named in `scope`.",
        {"scope": "games:write"},
    ),
    errors.OneSeatOnly: Problem(
        403,
        "one-seat-only",
        "The token is for one seat only",
        "With a seat token, you can see and play only one seat in one game. For anything else, use a token that "
        "isn't limited to a seat.",
    ),
    errors.TooMany: Problem(
        429,
        "too-many-requests",
        "Too many requests",
        "`detail` names the limit you reached. Wait `Retry-After` seconds. Every response's `RateLimit` "
        "header shows how much of each limit is left.",
    ),
    errors.TooManyStreams: Problem(
        503,
        "too-many-streams",
        "Too many open event streams",
        "The server can't keep more streams open. Try again after `Retry-After` seconds. Until then, you "
        "can poll the game with its ETag.",
    ),
    errors.Closed: Problem(
        403,
        "closed",
        "Temporarily closed",
        "The operators are currently not accepting new players, guests, apps or emails. `detail` names the closed "
        "part, and `closed` in GET /v1 lists all closed parts. Everything else works. Try again later.",
    ),
    errors.TooManyWebhooks: Problem(
        409,
        "too-many-webhooks",
        "You have reached the maximum number of webhooks",
        "Delete a webhook you no longer need.",
    ),
    errors.WebhookDisabled: Problem(
        409,
        "webhook-disabled",
        "The webhook is disabled",
        "You disabled the webhook, its URL returned 410, or its deliveries have failed for days. Fix the cause, "
        'then enable it: PATCH with `{"enabled": true}`.',
    ),
    errors.KeyReused: Problem(
        422,
        "idempotency-key-reused",
        "This Idempotency-Key belongs to another request",
        "A key identifies one request: its method, path and body. Use a new key for a new request.",
    ),
    errors.UnderWay: Problem(
        409,
        "request-under-way",
        "The first request with this Idempotency-Key has no response yet",
        "The first request is still being processed, or it was processed and its response was lost. The request "
        "won't be processed twice.",
    ),
    IllegalMove: Problem(
        422,
        "illegal-move",
        "The rules forbid this move",
        "`reason` is the code of the violated rule. `detail` explains the rule.",
        {"reason": "space-taken"},
    ),
    MalformedMove: Problem(
        422,
        "malformed-move",
        "This is not a valid move format for this game",
        "See the move schema in GET /v1/rules/{name}.",
        {"reason": "missing-field"},
    ),
    BadOption: Problem(
        422,
        "bad-option",
        "An option of the game is invalid",
        "`field` names the option, and `detail` says what is wrong. All options are in GET /v1/rules/{name}.",
        {"reason": "bad-option", "field": "options.direction"},
    ),
    Unavailable: Problem(
        503,
        "unavailable",
        "The service is temporarily unavailable",
        "The database is not responding. A move you sent may have arrived. Send the same move again after "
        "`Retry-After` seconds. The move counts only once.",
    ),
}
HTTP_PROBLEMS = {
    400: Problem(
        400,
        "malformed-request",
        "The request is malformed",
        "The body, a header or a cursor has the wrong format. The body must be JSON in UTF-8, at most 20 levels "
        "deep, without duplicate keys, NaN, NUL or lone surrogates. Numbers may have at most 15 digits.",
    ),
    401: Problem(
        401, "token-needed", "A token is required", "Send `Authorization: Bearer ...`. Sign in to get a token."
    ),
    404: PROBLEMS[errors.NotFound],
    405: Problem(
        405, "method-not-allowed", "This path doesn't support the method", "`Allow` lists the supported methods."
    ),
    406: Problem(
        406,
        "not-acceptable",
        "The requested format is not available",
        "`Accept` must allow the media type of the response.",
    ),
    412: Problem(
        412,
        "precondition-failed",
        "The request's precondition failed",
        "The ETag in `If-Match` doesn't match the current one.",
    ),
    413: Problem(413, "body-too-large", "The request body is too large", "Request bodies are limited to 64 KiB."),
    415: Problem(
        415, "unsupported-media-type", "The request body must be JSON", "Send `Content-Type: application/json`."
    ),
    422: Problem(
        422,
        "invalid-fields",
        "Some fields are invalid",
        "`errors` says what is wrong with each field.",
        {"errors": {"json": {"title": ["Unknown field."]}}},
    ),
    500: Problem(500, "internal-error", "Internal server error", "The error was logged, and nothing was changed."),
}
ALL = {problem.code: problem for problem in (*PROBLEMS.values(), *HTTP_PROBLEMS.values())}
DETAILS = {  # a typical `detail` of each problem for which it isn't the problem's meaning
    "not-found": Words("Game not found."),
    "not-seated": Words("You have no seat at this table."),
    "not-host": Words("Only the host of this game can do this."),
    "stale-turn": Words("That turn is over. Your current turn is %(turn)s.", turn=7),
    "stale-plan": Words("Your plan has changed. Its current revision is %(revision)s.", revision=4),
    "place-ahead": Words(
        "This list ends at %(newest)s, before the position you sent. Discard your data and start from 0.", newest=5
    ),
    "illegal-plan": Words("You have no %(star)s left for this move. Your hand is %(hand)s.", star="7", hand="1 3 5 D"),
    "game-not-running": Words("This game has not started."),
    "too-late": Words("That move has already been taken back."),
    "wrong-salt": Words("The SHA-256 of this salt isn't the one you committed to."),
    "not-allowed": Words("This game doesn't allow you to take moves back."),
    "no-hints": Words("You can get hints only in games in which all other players are bots."),
    "seat-handed-over": Words("A bot is playing for you. Take your seat back first."),
    "seat-taken": Words("This seat is no longer reserved for you."),
    "not-reliable": Words(
        "You were present at the end of %(found)s percent of your finished games. This game requires %(asked)s percent.",
        found=60,
        asked=80,
    ),
    "no-programs": Words("This game is for humans only, and your account belongs to a program."),
    "already-seated": Words("You're already at this table."),
    "invalid-field": Words("You can take only one seat."),
    "bad-token": Words("This token is invalid."),
    "sign-in-first": Words("Guests can't do this. Sign in by email first."),
    "missing-scope": Words("This token lacks the scope %(scope)s.", scope="games:write"),
    "one-seat-only": Words("This token works only for one seat in one game."),
    "too-many-requests": Words("You have %(most)s tokens. Revoke one first.", most=50),
    "too-many-streams": Words("This server has reached its limit on open streams. Try again later."),
    "closed": Words("This server isn't accepting guests right now. Sign in to play."),
    "too-many-webhooks": Words("You have %(most)s webhooks. Delete one first.", most=10),
    "webhook-disabled": Words("This webhook is disabled. Enable it first."),
    "idempotency-key-reused": Words("This Idempotency-Key was used for another request."),
    "request-under-way": Words("This request was carried out or is still in progress. Get the game to see the result."),
    "illegal-move": Words("Space %(space)s of %(board)s already holds a star.", space="c", board="Leo"),
    "malformed-move": Words("The field `%(field)s` is missing.", field="star"),
    "bad-option": Words(
        "The option `%(option)s` must be one of %(values)s.", option="direction", values="clockwise, counterclockwise"
    ),
    "unavailable": Words("The database is not responding. Try again in a moment."),
    "invalid-fields": Words("Unknown field.", "title"),
    "wrong-code": Words("This code is wrong, already used or expired. Check the digits, or request a new code."),
    "banned": Words("You are banned from this server. %(reason)s", reason="Insults at the table."),
}
_RETRY_AFTER = 5  # seconds


def register(app: Flask) -> None:
    app.register_error_handler(Exception, answer_to)


def answer_to(error: Exception) -> Response:
    """Return the problem for an exception.

    For an unexpected exception, the log gets the route instead of the path, because the path may contain a link token.
    """
    match error:
        case PlayError() | RuleError():
            return _of_ours(error)
        case HTTPException():
            return of_http(error)
    if isinstance(error, Unavailable) and str(error):
        current_app.logger.warning("%s", error, extra={"facts": {"id": g.request_id}})
        return _of_ours(Unavailable())
    if is_passing(error):
        return _of_ours(Unavailable())
    route = request.url_rule.rule if request.url_rule else "none"
    facts = {"id": g.request_id}
    current_app.logger.error("%s %s failed", request.method, route, exc_info=error, extra={"facts": facts})
    return of_http(InternalServerError())


def answer(problem: Problem, detail: str, **more: Any) -> Response:
    """Return a problem as application/problem+json, in the caller's language."""
    body = {
        "type": f"/problems/{problem.code}",
        "title": gettext(problem.title),
        "status": problem.status,
        "code": problem.code,
        "detail": detail,
        "request_id": g.request_id,
        **more,
    }
    response = Response(current_app.json.dumps(body), problem.status, mimetype="application/problem+json")
    response.headers["Content-Language"] = str(get_locale())
    if problem.status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    if problem.status == 503:
        response.headers["Retry-After"] = str(_RETRY_AFTER)
    return response


def example_of(problem: Problem) -> str:
    """Return an example response with its headers."""
    detail = DETAILS[problem.code].said(gettext) if problem.code in DETAILS else gettext(problem.meaning)
    shown = answer(problem, detail, **problem.further)
    names = ("Content-Type", "WWW-Authenticate", "Retry-After")
    head = [f"HTTP/1.1 {shown.status}", *(f"{it}: {shown.headers[it]}" for it in names if it in shown.headers)]
    body = json.loads(shown.get_data(as_text=True))
    return "\n".join([*head, "", json.dumps(body, indent=2, ensure_ascii=False)])


def reasons(problem: Problem) -> Mapping[str, str]:
    """Return the codes that the problem's `reason` may have, each with a sentence in English."""
    if problem is PROBLEMS[errors.IllegalPlan]:
        planned = {code: words for code, words in refusals(IllegalMove).items() if code in PLANNED}
        bad_condition = noted("The condition of the move is invalid.")
        return {**planned, **refusals(MalformedMove), "bad-condition": bad_condition}
    kinds = (IllegalMove, MalformedMove, BadOption)
    return next((refusals(kind) for kind in kinds if PROBLEMS[kind] is problem), {})


def _of_ours(error: Exception) -> Response:
    problem = PROBLEMS[type(error)]
    match error:
        case RuleError():
            more = {"field": error.field} if isinstance(error, BadOption) else {}
            return answer(problem, refused(error, spoken().locale), reason=error.code, **more)
        case PlayError():
            why = error.__cause__ if isinstance(error, errors.IllegalPlan) else None
            detail = refused(why, spoken().locale) if isinstance(why, RuleError) else text_of(error)
            response = answer(problem, detail, **{name: getattr(error, name) for name in problem.further})
            if isinstance(error, errors.TooMany):
                response.headers["Retry-After"] = str(error.retry_after)
            return response
    return answer(problem, DETAILS[problem.code].said(gettext))


def text_of(error: PlayError) -> str:
    """Return the text of an error in the caller's language."""
    return error.words.said(gettext)


def of_http(error: HTTPException) -> Response:
    """Return the problem for an error of Flask, webargs or werkzeug."""
    status = error.code or 500
    if status < 400:
        return Response(status=status, headers=list(error.get_headers()))
    problem = HTTP_PROBLEMS.get(status) or HTTP_PROBLEMS[400 if status < 500 else 500]
    fields = (getattr(error, "data", None) or {}).get("messages")
    if fields:
        errors = _translated(fields)
        detail, more = first_message(errors), {"errors": errors}
    else:  # Flask's and werkzeug's own texts are English
        words = error.description
        detail, more = words.said(gettext) if isinstance(words, Words) else gettext(problem.meaning), {}
    allowed = sorted(error.valid_methods or ()) if isinstance(error, MethodNotAllowed) else []
    if used := [it for it in allowed if it not in ("HEAD", "OPTIONS")]:
        detail = gettext("Use %(methods)s.", methods=spoken().either([f"`{it}`" for it in used]))
    response = answer(problem, detail, **more)
    if status == 415:
        response.headers["Accept-Encoding"] = "identity"  # RFC 9110, 12.5.3
    if allowed:
        response.headers["Allow"] = ", ".join(allowed)
    return response


def first_message(messages: Any, *path: str) -> str:
    """Return the first of marshmallow's messages with its field: `seats.1.email: Not a valid email address.`

    The outermost key of `messages` is the part of the request, such as `json`.
    """
    match messages:
        case dict():
            field = next(iter(messages))
            return first_message(messages[field], *path, str(field))
        case list() if messages:
            return first_message(messages[0], *path)
    field = ".".join(it for it in path[1:] if it != "_schema")
    return f"{field}: {messages}" if field else str(messages)


def _translated(messages: Any) -> Any:
    """Return marshmallow's messages by field, in the caller's language."""
    match messages:
        case Words():
            return messages.said(gettext)
        case dict():
            return {field: _translated(those) for field, those in messages.items()}
        case list():
            return [_translated(it) for it in messages]
    return messages
