"""What every answer of the API does: ETags, `Accept`, and no sniffing."""

from flask import Flask, Response, request
from flask_babel import gettext
from werkzeug.exceptions import NotAcceptable

from server.api.auth import is_for_api
from server.api.problems import HTTP_PROBLEMS, answer
from server.translations import Words

_TO_ALL = {"Cache-Control": "private, no-cache", "Vary": "Authorization, Accept-Language"}
_PICTURES = {".svg": "image/svg+xml", ".png": "image/png"}


def register(app: Flask) -> None:
    app.before_request(_expect_accept)
    app.after_request(_finish)


def _expect_accept() -> None:
    """Raises NotAcceptable if the client takes nothing of what this call answers in."""
    if is_for_api() and "Accept" in request.headers:
        is_stream = request.path.endswith("/stream")
        answered_in = "text/event-stream" if is_stream else _PICTURES.get(request.path[-4:], "application/json")
        if not request.accept_mimetypes[answered_in]:
            raise NotAcceptable(Words("This call answers in %(type)s.", type=answered_in))


def _finish(response: Response) -> Response:
    """An ETag for whatever can be looked at: a hash of exactly what this viewer gets, so it tells nobody more."""
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    if is_for_api():
        for name, value in _TO_ALL.items():
            response.headers.setdefault(name, value)
        if request.method in ("GET", "HEAD") and response.status_code == 200 and not response.is_streamed:
            response.add_etag()
            response.make_conditional(request)
            if response.status_code == 412:
                return answer(
                    HTTP_PROBLEMS[412], gettext("The answer has another ETag than those that `If-Match` names.")
                )
    return response
