"""What every answer of the API does: ETags, `Accept`, packing, and no sniffing."""

import gzip
from datetime import datetime
from typing import Any

import orjson
from flask import Flask, Response, current_app, request
from werkzeug.datastructures import MIMEAccept
from werkzeug.exceptions import NotAcceptable, PreconditionFailed

from server.api.auth import any_caller, is_for_api
from server.api.problems import of_http
from server.store.locks import hold
from server.store.log import moment_text
from server.translations import Words

_TO_ALL = {"Cache-Control": "private, no-cache", "Vary": "Authorization, Accept-Language"}
_LARGE = 1024  # bytes of JSON that are worth packing
NDJSON = "application/x-ndjson"
_OTHERS = {".svg": "image/svg+xml", ".png": "image/png", "/stream": "text/event-stream", "/v1/archives": NDJSON}


def as_json(value: Any, option: int = 0) -> bytes:
    """Return JSON in which every moment has the form of `moment_text`. `option`: of orjson, which is fast."""
    return orjson.dumps(value, default=_plain, option=option | orjson.OPT_PASSTHROUGH_DATETIME)


def _plain(value: Any) -> Any:
    """Raises TypeError for what has no form in JSON."""
    match value:
        case datetime():
            return moment_text(value)
        case tuple():  # a named one
            return list(value)
    raise TypeError(type(value))


def register(app: Flask) -> None:
    app.before_request(_expect_accept)
    app.before_request(_expect_match)
    app.after_request(_finish)


def _expect_accept() -> None:
    """Raises NotAcceptable if the client takes nothing of what this call answers in."""
    if is_for_api() and "Accept" in request.headers:
        answered_in = next((kind for end, kind in _OTHERS.items() if request.path.endswith(end)), "application/json")
        accepted = MIMEAccept([(kind.partition(";")[0].strip(), quality) for kind, quality in request.accept_mimetypes])
        if not accepted[answered_in]:  # parameters such as a charset choose among nothing that we have
            raise NotAcceptable(Words("This call returns %(type)s. Allow it in `Accept`.", type=answered_in))


def _expect_match() -> None:
    """A change under a condition (RFC 9110, 13.1.1) is made to what its sender has seen at this address, or not at all.

    Raises PreconditionFailed, and what a look at the address raises.
    """
    if not (request.method in ("PATCH", "DELETE") and request.headers.get("If-Match") and is_for_api()):
        return  # an empty one names no condition
    if request.endpoint is None:
        return  # there is nothing at this address
    look, named = getattr(_call(), "get", None), request.view_args or {}
    sender = any_caller()  # who may not ask at all learns of no condition (RFC 9110, 13.2.1)
    if look is None:  # it shows nothing that could have an ETag
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
    """The resource that answers at this address."""
    view: Any = current_app.view_functions.get(request.endpoint or "")
    return getattr(view, "view_class", lambda: None)()


def _etag(response: Response) -> str:
    del response.headers["ETag"]
    response.add_etag()
    return response.get_etag()[0] or ""


def _unmatched() -> PreconditionFailed:
    named = request.if_match
    if named.as_set(include_weak=True) - named.as_set():  # RFC 9110, 13.1.1: they match nothing
        return PreconditionFailed(
            Words(
                "`If-Match` contains a weak ETag (`W/`), which never matches. A proxy may have changed the "
                "server's ETag. If so, omit `If-Match`."
            )
        )
    return PreconditionFailed(Words("The current ETag is not among those in `If-Match`."))


def _finish(response: Response) -> Response:
    """An ETag for whatever can be looked at: a hash of exactly what this viewer gets, so it tells nobody more."""
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    if is_for_api():
        for name, value in _TO_ALL.items():
            response.headers.setdefault(name, value)
        _pack(response, request.accept_encodings.quality("gzip") > 0)
        if request.method in ("GET", "HEAD") and response.status_code == 200 and not response.is_streamed:
            response.add_etag()
            response.make_conditional(request)
            if response.status_code == 412:
                return of_http(_unmatched())
    return response


def _pack(response: Response, is_accepted: bool) -> None:
    """What was looked at, by gzip for whoever accepts it: the lightest level, since each viewer's is packed anew.

    The lengths of packed answers can tell secrets only where a stranger can have them asked for (BREACH); a token in a
    header is nothing that a stranger's page could send.
    """
    if (
        response.status_code != 200
        or response.is_streamed
        or not (response.is_json or response.mimetype == NDJSON)
        or response.content_encoding is not None
    ):
        return
    vary = response.headers.get("Vary", "")
    if "Accept-Encoding" not in vary:  # `response.vary` would parse the list, and write it again
        response.headers["Vary"] = f"{vary}, Accept-Encoding" if vary else "Accept-Encoding"
    if len(response.get_data()) > _LARGE and is_accepted:
        response.set_data(gzip.compress(response.get_data(), 1, mtime=0))
        response.content_encoding = "gzip"
