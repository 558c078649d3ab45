"""Errors as answers: RFC 9457 problems, each with a stable code. This table is all of them."""

from typing import Any, NamedTuple

import psycopg
import sqlalchemy.exc
from flask import Flask, Response, current_app, json, request
from werkzeug.exceptions import HTTPException, InternalServerError, MethodNotAllowed

from server.play import BadOption, IllegalMove, MalformedMove, RuleError, Unavailable, errors, is_passing
from server.play.errors import PlayError


class Problem(NamedTuple):
    status: int
    code: str
    title: str


PROBLEMS: dict[type[Exception], Problem] = {
    errors.NotFound: Problem(404, "not-found", "There is no such thing"),
    errors.NotSeated: Problem(403, "not-seated", "You have no seat at this table"),
    errors.StaleTurn: Problem(409, "stale-turn", "That turn is over"),
    errors.NotRunning: Problem(409, "game-not-running", "The game is not running"),
    errors.HandedOver: Problem(409, "seat-handed-over", "A bot plays your seat"),
    errors.SeatTaken: Problem(409, "seat-taken", "There is no such seat to be had"),
    errors.AlreadySeated: Problem(409, "already-seated", "You sit at this table already"),
    errors.BadField: Problem(422, "invalid-field", "A field makes no sense"),
    errors.WrongCode: Problem(401, "wrong-code", "The code is wrong or too old"),
    errors.BadToken: Problem(401, "bad-token", "The token is not valid"),
    errors.MissingScope: Problem(403, "missing-scope", "The token does not allow this"),
    errors.TooMany: Problem(429, "too-many-requests", "Too many requests"),
    IllegalMove: Problem(422, "illegal-move", "The rules forbid this move"),
    MalformedMove: Problem(422, "malformed-move", "That is no move of this game"),
    BadOption: Problem(422, "bad-option", "The game has no such option"),
    Unavailable: Problem(503, "unavailable", "The service is not available for a moment"),
}
HTTP_PROBLEMS = {
    400: Problem(400, "malformed-request", "The request cannot be read"),
    401: Problem(401, "token-needed", "A token is needed"),
    404: Problem(404, "not-found", "There is no such thing"),
    405: Problem(405, "method-not-allowed", "This method is not for this address"),
    413: Problem(413, "body-too-large", "The body is too large"),
    415: Problem(415, "unsupported-media-type", "The body must be JSON"),
    422: Problem(422, "invalid-fields", "Some fields are not right"),
    500: Problem(500, "internal-error", "Something went wrong on our side"),
}
_RETRY_AFTER = 5  # seconds


def register(app: Flask) -> None:
    app.register_error_handler(PlayError, _of_ours)
    app.register_error_handler(RuleError, _of_ours)
    app.register_error_handler(Unavailable, _of_ours)
    app.register_error_handler(psycopg.OperationalError, _of_database)
    app.register_error_handler(sqlalchemy.exc.DBAPIError, _of_database)
    app.register_error_handler(sqlalchemy.exc.TimeoutError, _of_database)
    app.register_error_handler(HTTPException, of_http)


def answer(problem: Problem, detail: str, **more: Any) -> Response:
    """A problem as application/problem+json, its `type` a page that explains it."""
    body = {"type": f"/problems/{problem.code}", **problem._asdict(), "detail": detail, **more}
    response = Response(json.dumps(body), problem.status, mimetype="application/problem+json")
    if problem.status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    if problem.status == 503:
        response.headers["Retry-After"] = str(_RETRY_AFTER)
    return response


def _of_ours(error: Exception) -> Response:
    problem = PROBLEMS[type(error)]
    match error:
        case errors.StaleTurn():
            return answer(problem, str(error), turn=error.turn)
        case errors.BadField():
            return answer(problem, str(error), field=error.field)
        case RuleError():
            return answer(problem, error.text, reason=error.code)
        case errors.TooMany():
            response = answer(problem, str(error))
            response.headers["Retry-After"] = str(error.retry_after)
            return response
        case Unavailable():
            return answer(problem, "The database does not answer. Try again in a moment.")
    return answer(problem, str(error))


def _of_database(error: Exception) -> Response:
    if is_passing(error):
        return _of_ours(Unavailable())
    current_app.logger.error("%s %s failed", request.method, request.path, exc_info=error)
    return of_http(InternalServerError())


def of_http(error: HTTPException) -> Response:
    """The problem for what Flask, webargs or werkzeug refused."""
    status = error.code or 500
    if status < 400:
        return Response(status=status, headers=list(error.get_headers()))
    problem = HTTP_PROBLEMS.get(status) or Problem(status, f"http-{status}", error.name)
    fields = (getattr(error, "data", None) or {}).get("messages")
    more = {"errors": fields} if fields else {}
    detail = "Some fields are not right; `errors` names them." if fields else (error.description or error.name)
    if status == 500:
        detail = "The fault is noted; nothing was changed."
    response = answer(problem, detail, **more)
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return response
