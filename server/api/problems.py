"""Errors as answers: RFC 9457 problems, each with a stable code. This table is all of them."""

import json
from typing import Any, NamedTuple

from flask import Flask, Response, current_app, g, request
from flask_babel import get_locale, gettext
from werkzeug.exceptions import HTTPException, InternalServerError, MethodNotAllowed

from server import errors
from server.api.languages import spoken
from server.errors import PlayError
from server.render.refusals import refused
from server.rules import BadOption, IllegalMove, MalformedMove, RuleError
from server.store.database_retry import Unavailable, is_passing
from server.translations import Words


class Problem(NamedTuple):
    """`title` and `meaning` are told in the language of the caller. `meaning` says what happened and what to do;
    `/problems/{code}`, which is a page of the handbook, shows it."""

    status: int
    code: str
    title: str
    meaning: str


PROBLEMS: dict[type[Exception], Problem] = {
    errors.NotFound: Problem(
        404,
        "not-found",
        "There is no such thing",
        "It does not exist, or it is not for your eyes; nobody learns which.",
    ),
    errors.NotSeated: Problem(
        403, "not-seated", "You have no seat at this table", "Only those who sit here can do this. Take a seat first."
    ),
    errors.NotHost: Problem(
        403,
        "not-host",
        "You are not the host of this game",
        "Until it begins, whoever opened a game can close it, withdraw invitations and send guests away; when he leaves, "
        "whoever sits first is host. `host` of the game says where the host sits.",
    ),
    errors.StaleTurn: Problem(
        409,
        "stale-turn",
        "That turn is over",
        "The move names a turn that was answered already, by you or by a time-out, or one that you were never asked "
        "for. Nothing was changed. `turn` is your present turn, null if you are not asked; look at the game and "
        "decide again.",
    ),
    errors.StalePlan: Problem(
        409,
        "stale-plan",
        "Your plan has changed",
        "It was left anew, has played a move, or has ended. Nothing was changed. `revision` is its present one; look at it "
        "and decide again.",
    ),
    errors.IllegalPlan: Problem(
        422,
        "illegal-plan",
        "A move cannot be left for a turn to come",
        "`index` counts the moves of the plan from 0. `reason` is the rule's code, or `bad-condition`; `detail` says it in "
        "words. A plan can use only what you hold now.",
    ),
    errors.NotRunning: Problem(
        409, "game-not-running", "The game is not running", "It has not started, is paused, or is over."
    ),
    errors.TooLate: Problem(
        409,
        "too-late",
        "It is too late to take that back",
        "The game is over, the move has been taken back already, the vote on it is over, the game's log "
        "cannot be followed back that far any more, or the options of the game allow it only while nobody else has moved, "
        "the move has shown you nothing, and the time of its turn is not over.",
    ),
    errors.WrongSalt: Problem(
        422,
        "wrong-salt",
        "This salt cannot be taken",
        "Its SHA-256 is not the `salt_hash` of your seat, which may have none; or you commit one after somebody has revealed his. "
        "Without `salt` you are ready as well, and add none.",
    ),
    errors.NotAllowed: Problem(
        409,
        "not-allowed",
        "The options of this game do not allow it",
        "`take_back` among its options is `never`, or it has no `ready_check`.",
    ),
    errors.HandedOver: Problem(
        409,
        "seat-handed-over",
        "A bot or a stand-in plays your seat",
        "You resigned, or your time ran out too often: POST to the game's seats to take your seat back. Or somebody stands in "
        "for you: DELETE your seat's `stand-in` to play yourself.",
    ),
    errors.SeatTaken: Problem(
        409,
        "seat-taken",
        "There is no such seat to be had",
        "The seat is taken, kept for somebody else, or not offered; somebody stands in there; or somebody at the table does not "
        "want to play with you, or you not with him.",
    ),
    errors.NotReliable: Problem(
        403,
        "not-reliable",
        "This game asks for players who leave fewer games",
        "`min_reliability` of the game says of how many in a hundred of his games that are over a player must have been there "
        "at the end. Whoever is invited may sit down in any case.",
    ),
    errors.NoPrograms: Problem(
        403,
        "no-programs",
        "This game is for people only",
        "`programs` of the game is false, and your account is marked as one that a program plays: look for a game where it is "
        "true, or open one.",
    ),
    errors.AlreadySeated: Problem(
        409, "already-seated", "You sit at this table already", "A player has one seat at a table."
    ),
    errors.BadField: Problem(
        422, "invalid-field", "A field makes no sense", "`field` names the one whose value cannot be meant."
    ),
    errors.WrongCode: Problem(
        401,
        "wrong-code",
        "The code is wrong or too old",
        "A mailed code is good for ten minutes, five tries, and once. Ask for a new one.",
    ),
    errors.BadToken: Problem(
        401,
        "bad-token",
        "The token is not valid",
        "Nobody has this token, or its time is over. Sign in again. The word of a mailed link is good while its turn waits "
        "for an answer; `detail` says why it does not.",
    ),
    errors.Banned: Problem(
        403,
        "banned",
        "You are banned from this server",
        "Its operators have shut you out; `detail` says why, and `until` when that ends, null if it does not. Bots "
        "play your seats. Afterwards the same tokens are good again, and you may take your seats back.",
    ),
    errors.SignInFirst: Problem(
        403,
        "sign-in-first",
        "Guests cannot do this",
        "A guest plays against bots. For games with others he signs in by a mailed code, with his token beside the code, and "
        "keeps his seats.",
    ),
    errors.MissingScope: Problem(
        403, "missing-scope", "The token does not allow this", "Use a token that has the scope named in `scope`."
    ),
    errors.OneSeatOnly: Problem(
        403,
        "one-seat-only",
        "The token is for one seat only",
        "It sees and plays that seat of that game. For all else a player uses a token that is not bound to a seat.",
    ),
    errors.TooMany: Problem(
        429,
        "too-many-requests",
        "Too many requests",
        "`detail` says what was too much. Wait for as many seconds as `Retry-After` says. `RateLimit` in every answer tells "
        "how much is left.",
    ),
    errors.TooManyStreams: Problem(
        503,
        "too-many-streams",
        "No more event streams can be opened",
        "This server keeps as many open as it can. Try again after `Retry-After` seconds, or ask for the game with its "
        "ETag meanwhile.",
    ),
    errors.TooManyWebhooks: Problem(
        409, "too-many-webhooks", "You have as many webhooks as you may have", "Delete one that you no longer need."
    ),
    errors.WebhookDisabled: Problem(
        409,
        "webhook-disabled",
        "The webhook is disabled",
        "You switched it off, its address answered 410, or it has failed for days. Mend what is wrong, then PATCH it "
        'with `{"enabled": true}`.',
    ),
    errors.KeyReused: Problem(
        422,
        "idempotency-key-reused",
        "This Idempotency-Key belongs to another request",
        "A key stands for one request: the same method, address and body. Make a new key for a new request.",
    ),
    errors.UnderWay: Problem(
        409,
        "request-under-way",
        "The first request has no answer yet",
        "A request with this Idempotency-Key is being carried out, or was, and its answer got lost. "
        "It is not carried out twice.",
    ),
    IllegalMove: Problem(
        422, "illegal-move", "The rules forbid this move", "`reason` is the rule's code, `detail` says it in words."
    ),
    MalformedMove: Problem(
        422, "malformed-move", "That is no move of this game", "See the move schema in GET /v1/rules/{name}."
    ),
    BadOption: Problem(
        422, "bad-option", "The game has no such option", "See the options schema in GET /v1/rules/{name}."
    ),
    Unavailable: Problem(
        503,
        "unavailable",
        "The service is not available for a moment",
        "The database does not answer. A move that was sent may have arrived: send the very same again after "
        "`Retry-After` seconds, it counts once.",
    ),
}
HTTP_PROBLEMS = {
    400: Problem(
        400,
        "malformed-request",
        "The request cannot be read",
        "The body is not the JSON that we read: UTF-8, no key twice, no NaN, numbers of at most 15 digits, at most "
        "20 levels deep, no NUL and no half characters. Or a header or cursor is not right.",
    ),
    401: Problem(401, "token-needed", "A token is needed", "Send `Authorization: Bearer ...`; sign in to get a token."),
    404: PROBLEMS[errors.NotFound],
    405: Problem(
        405, "method-not-allowed", "This method is not for this address", "`Allow` lists the methods that are."
    ),
    406: Problem(
        406,
        "not-acceptable",
        "We cannot answer in that format",
        "`Accept` must allow the type that the call answers in.",
    ),
    412: Problem(
        412, "precondition-failed", "The condition of the request does not hold", "See its header `If-Match`."
    ),
    413: Problem(413, "body-too-large", "The body is too large", "A body has at most 64 KiB."),
    415: Problem(415, "unsupported-media-type", "The body must be JSON", "Send `Content-Type: application/json`."),
    422: Problem(422, "invalid-fields", "Some fields are not right", "`errors` says what is wrong, by field."),
    500: Problem(
        500, "internal-error", "Something went wrong on our side", "The fault is noted, and nothing was changed."
    ),
}
ALL = {problem.code: problem for problem in (*PROBLEMS.values(), *HTTP_PROBLEMS.values())}
_RETRY_AFTER = 5  # seconds
_FURTHER: dict[str, dict[str, Any]] = {  # what examples of them tell besides
    "stale-turn": {"turn": 7},
    "stale-plan": {"revision": 4},
    "illegal-plan": {"index": 1, "reason": "star-not-in-hand"},
    "banned": {"until": None},
    "invalid-field": {"field": "seats.1"},
    "missing-scope": {"scope": "games:write"},
    "illegal-move": {"reason": "space-taken"},
    "malformed-move": {"reason": "malformed-move"},
    "bad-option": {"reason": "unknown-option"},
    "invalid-fields": {"errors": {"json": {"title": ["Unknown field."]}}},
}


def register(app: Flask) -> None:
    app.register_error_handler(Exception, answer_to)


def answer_to(error: Exception) -> Response:
    """The problem for whatever was raised; what nobody foresaw is noted, without the path, which may hold a word."""
    match error:
        case PlayError() | RuleError():
            return _of_ours(error)
        case HTTPException():
            return of_http(error)
    if is_passing(error):
        if isinstance(error, Unavailable) and str(error):
            current_app.logger.warning("%s", error, extra={"facts": {"id": g.request_id}})
        return _of_ours(Unavailable())
    route = request.url_rule.rule if request.url_rule else "none"
    facts = {"id": g.request_id}
    current_app.logger.error("%s %s failed", request.method, route, exc_info=error, extra={"facts": facts})
    return of_http(InternalServerError())


def answer(problem: Problem, detail: str, **more: Any) -> Response:
    """A problem as application/problem+json, its `type` a page that explains it, in the language of the caller."""
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
    """What such an answer looks like, with the headers that belong to it."""
    shown = answer(problem, gettext(problem.title), **_FURTHER.get(problem.code, {}))
    names = ("Content-Type", "WWW-Authenticate", "Retry-After")
    head = [f"HTTP/1.1 {shown.status}", *(f"{it}: {shown.headers[it]}" for it in names if it in shown.headers)]
    body = json.loads(shown.get_data(as_text=True))
    return "\n".join([*head, "", json.dumps(body, indent=2, ensure_ascii=False)])


def _of_ours(error: Exception) -> Response:
    problem = PROBLEMS[type(error)]
    match error:
        case errors.StaleTurn():
            return answer(problem, said(error), turn=error.turn)
        case errors.StalePlan():
            return answer(problem, said(error), revision=error.revision)
        case errors.IllegalPlan():
            why = error.__cause__
            detail = refused(why, spoken().locale) if isinstance(why, RuleError) else said(error)
            return answer(problem, detail, index=error.index, reason=error.reason)
        case errors.Banned():
            return answer(problem, said(error), until=error.until)
        case errors.BadField():
            return answer(problem, said(error), field=error.field)
        case errors.MissingScope():
            return answer(problem, said(error), scope=error.scope)
        case RuleError():
            return answer(problem, refused(error, spoken().locale), reason=error.code)
        case errors.TooMany():
            response = answer(problem, said(error))
            response.headers["Retry-After"] = str(error.retry_after)
            return response
        case PlayError():
            return answer(problem, said(error))
    return answer(problem, gettext("The database does not answer. Try again in a moment."))


def said(error: PlayError) -> str:
    """What an error says, in the language of the caller."""
    return error.words.said(gettext)


def of_http(error: HTTPException) -> Response:
    """The problem for what Flask, webargs or werkzeug refused."""
    status = error.code or 500
    if status < 400:
        return Response(status=status, headers=list(error.get_headers()))
    problem = HTTP_PROBLEMS.get(status) or HTTP_PROBLEMS[400 if status < 500 else 500]
    fields = (getattr(error, "data", None) or {}).get("messages")
    if fields:
        detail, more = gettext("Some fields are not right; `errors` names them."), {"errors": _told(fields)}
    else:  # what Flask and werkzeug say by themselves they say in English
        words = error.description
        detail, more = words.said(gettext) if isinstance(words, Words) else gettext(problem.meaning), {}
    response = answer(problem, detail, **more)
    if status == 415:
        response.headers["Accept-Encoding"] = "identity"  # RFC 9110, 12.5.3
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return response


def _told(messages: Any) -> Any:
    """Marshmallow's messages, by field, in the language of the caller."""
    match messages:
        case Words():
            return messages.said(gettext)
        case dict():
            return {field: _told(those) for field, those in messages.items()}
        case list():
            return [_told(it) for it in messages]
    return messages
