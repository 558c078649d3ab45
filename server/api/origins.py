"""CORS (by the Fetch standard): pages of other origins may use the API, since whoever calls says so by a token, and by nothing
that a browser sends along by itself. So may not pages that act by a link or a form."""

from urllib.parse import urlsplit

from flask import Flask, Response, request

from server.api.auth import is_for_api

_TO_ALL = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, "
    "Allow, WWW-Authenticate, Content-Language, X-Request-Id",
}
_TO_PREFLIGHTS = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key, If-None-Match, If-Match, "
    "Last-Event-ID, Accept, Accept-Language",
    "Access-Control-Max-Age": "7200",  # seconds; no browser takes more
}


def register(app: Flask) -> None:
    """Before whatever asks who calls, since a preflight has no token, and before whatever may replace an answer."""
    app.before_request(_answer_preflight)
    app.after_request(_finish)


def is_from_elsewhere() -> bool:
    """Whether a browser sends this for a page of another origin (Fetch Metadata). Of one that does not say so, the `Origin`
    counts that comes with its forms (RFC 6454, 7.3)."""
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site is not None:
        return site != "same-origin"
    return origin is not None and urlsplit(origin).netloc != request.host


def _answer_preflight() -> Response | None:
    """The call itself will tell whether there is such a thing, and which methods it has."""
    asked = request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
    return Response(status=204, headers=_TO_PREFLIGHTS) if asked and is_for_api() else None


def _finish(response: Response) -> Response:
    if is_for_api():
        response.headers.update(_TO_ALL)
    return response
