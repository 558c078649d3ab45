"""What every answer of the API does: ETags, `Accept`, packing, and no sniffing."""

import gzip

from flask import Flask, Response, request
from flask_babel import gettext
from werkzeug.exceptions import NotAcceptable

from server.api.auth import is_for_api
from server.api.problems import HTTP_PROBLEMS, answer
from server.translations import Words

_TO_ALL = {"Cache-Control": "private, no-cache", "Vary": "Authorization, Accept-Language"}
_LARGE = 1024  # bytes of JSON that are worth packing
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
        _pack(response)
        if request.method in ("GET", "HEAD") and response.status_code == 200 and not response.is_streamed:
            response.add_etag()
            response.make_conditional(request)
            if response.status_code == 412:
                return answer(
                    HTTP_PROBLEMS[412], gettext("The answer has another ETag than those that `If-Match` names.")
                )
    return response


def _pack(response: Response) -> None:
    """What was looked at, by gzip for whoever accepts it: the lightest level, since each viewer's is packed anew.

    The lengths of packed answers can tell secrets only where a stranger can have them asked for (BREACH); a token in a
    header is nothing that a stranger's page could send.
    """
    if (
        response.status_code != 200
        or response.is_streamed
        or not response.is_json
        or response.content_encoding is not None
    ):
        return
    response.vary.add("Accept-Encoding")
    if len(response.get_data()) > _LARGE and request.accept_encodings.quality("gzip") > 0:
        response.set_data(gzip.compress(response.get_data(), 1, mtime=0))
        response.content_encoding = "gzip"
