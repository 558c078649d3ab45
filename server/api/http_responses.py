"""HTTP features shared by all API responses: ETags, `Accept`, compression, and `nosniff`."""

import gzip
from datetime import datetime
from functools import lru_cache
from typing import Any

import orjson
from flask import Flask, Response, current_app, request
from werkzeug.datastructures import MIMEAccept
from werkzeug.exceptions import NotAcceptable, PreconditionFailed
from werkzeug.http import parse_accept_header

from server.api.auth import any_caller, is_for_api
from server.api.problems import of_http
from server.api.unmodified import forget_rows, store_etag
from server.compression import accepts_gzip
from server.store.locks import hold
from server.store.log import moment_text
from server.translations import Words

_TO_ALL = {"Cache-Control": "private, no-cache", "Vary": "Authorization, Accept-Language"}
_CONDITIONS = frozenset(
    f"HTTP_{it}"
    for it in ("IF_NONE_MATCH", "IF_MATCH", "IF_MODIFIED_SINCE", "IF_UNMODIFIED_SINCE", "IF_RANGE", "RANGE")
)
_LARGE = 1024  # bytes; smaller responses are not worth compressing
NDJSON = "application/x-ndjson"
_OTHERS = {".svg": "image/svg+xml", ".png": "image/png", "/stream": "text/event-stream", "/v1/archives": NDJSON}


def as_json(value: Any, option: int = 0) -> bytes:
    """Return JSON with timestamps in the form of `moment_text`. `option` is passed to orjson."""
    return orjson.dumps(value, default=_plain, option=option | orjson.OPT_PASSTHROUGH_DATETIME)


def _plain(value: Any) -> Any:
    """Return a value in a form that orjson can write. Raise TypeError if there is none."""
    match value:
        case datetime():
            return moment_text(value)
        case tuple():  # a NamedTuple
            return list(value)
    raise TypeError(type(value))


def register(app: Flask) -> None:
    app.before_request(_expect_accept)
    app.before_request(_expect_match)
    app.after_request(_finish)


def _expect_accept() -> None:
    """Raise NotAcceptable if the client accepts none of this call's media types."""
    if is_for_api() and "Accept" in request.headers:
        answered_in = next((kind for end, kind in _OTHERS.items() if request.path.endswith(end)), "application/json")
        if not _accepts(request.headers["Accept"], answered_in):
            raise NotAcceptable(Words("This call returns %(type)s. Allow it in `Accept`.", type=answered_in))


@lru_cache  # a client sends the same header with each request
def _accepts(header: str, kind: str) -> bool:
    """Return whether this `Accept` header allows the media type. Parameters in the header, such as a charset, are
    ignored."""
    listed = parse_accept_header(header, MIMEAccept)
    return MIMEAccept([(it.partition(";")[0].strip(), quality) for it, quality in listed])[kind] > 0


def _expect_match() -> None:
    """Check `If-Match` against the current state of the resource (RFC 9110, 13.1.1). Raise PreconditionFailed, or the
    error that a GET of the resource raises."""
    if not (request.method in ("PATCH", "DELETE") and request.headers.get("If-Match") and is_for_api()):
        return  # an empty `If-Match` is no condition
    if request.endpoint is None:
        return  # unknown path
    look, named = getattr(_call(), "get", None), request.view_args or {}
    sender = any_caller()  # authorization comes before conditions (RFC 9110, 13.2.1)
    if look is None:  # a resource without GET has no ETag
        matches = request.if_match.star_tag
    else:
        hold(sender.player_id, named.get("game_id"))
        now = current_app.make_response(look(**named))
        matches = request.if_match.contains(_etag(now))
        _pack(now, True)
        matches = matches or request.if_match.contains(_etag(now))
    if not matches:
        raise _unmatched()


def _call() -> Any:
    """Return the resource at the path of this request."""
    view: Any = current_app.view_functions.get(request.endpoint or "")
    return getattr(view, "view_class", lambda: None)()


def _etag(response: Response) -> str:
    del response.headers["ETag"]
    response.add_etag()
    return response.get_etag()[0] or ""


def _unmatched() -> PreconditionFailed:
    named = request.if_match
    if named.as_set(include_weak=True) - named.as_set():  # weak ETags never match (RFC 9110, 13.1.1)
        return PreconditionFailed(
            Words(
                "`If-Match` contains a weak ETag (`W/`), which never matches. A proxy may have changed the "
                "server's ETag. If so, omit `If-Match`."
            )
        )
    return PreconditionFailed(Words("The current ETag is not among those in `If-Match`."))


def _finish(response: Response) -> Response:
    """Add an ETag to each response to a GET. The ETag is a hash of the response, so it reveals nothing else."""
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    if response.status_code == 204:
        response.headers.pop("Content-Type", None)
    if is_for_api():
        for name, value in _TO_ALL.items():
            response.headers.setdefault(name, value)
        _pack(response, accepts_gzip())
        if request.method in ("GET", "HEAD") and response.status_code == 200 and not response.is_streamed:
            response.add_etag()
            store_etag(response)
            if not _CONDITIONS.isdisjoint(request.environ):
                response.make_conditional(request)
            if response.status_code == 412:
                return of_http(_unmatched())
    forget_rows()
    return response


def _pack(response: Response, is_accepted: bool) -> None:
    """Compress the response if the client accepts gzip, at the lowest level, since each viewer's response is compressed
    separately.

    The length of a compressed response reveals secrets only if another site can trigger the request (BREACH). Another
    site cannot send the token header.
    """
    if (
        response.status_code != 200
        or response.is_streamed
        or not (response.is_json or response.mimetype == NDJSON)
        or response.content_encoding is not None
    ):
        return
    vary = response.headers.get("Vary", "")
    if "Accept-Encoding" not in vary:  # `response.vary` would parse and rewrite the list
        response.headers["Vary"] = f"{vary}, Accept-Encoding" if vary else "Accept-Encoding"
    if len(response.get_data()) > _LARGE and is_accepted:
        response.set_data(gzip.compress(response.get_data(), 1, mtime=0))
        response.content_encoding = "gzip"
