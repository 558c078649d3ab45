"""CORS (Fetch standard). Pages from all origins may use the API, since browsers never attach its tokens by themselves.
Pages on which a link or a form changes something reject requests from other origins."""

from urllib.parse import urlsplit

from flask import Flask, Response, request

from server.api.auth import is_for_api

_TO_ALL = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, "
    "Allow, WWW-Authenticate, Content-Language, X-Request-Id, Date, Sandbox-Clock",
}
_TO_PREFLIGHTS = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key, If-None-Match, If-Match, "
    "Last-Event-ID, Accept, Accept-Language",
    "Access-Control-Max-Age": "7200",  # seconds, the most that browsers allow
}


def register(app: Flask) -> None:
    """Register the handlers. Call this before `auth`, since a preflight has no token, and before handlers that replace
    a response."""
    app.before_request(_answer_preflight)
    app.after_request(_finish)


def is_from_elsewhere() -> bool:
    """Return whether this request came from a page on another origin (Fetch Metadata). Older browsers send only
    `Origin`, with forms (RFC 6454, 7.3)."""
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site is not None:
        return site != "same-origin"
    return origin is not None and urlsplit(origin).netloc != request.host


def _answer_preflight() -> Response | None:
    """Answer a preflight by allowing any call. If the call doesn't exist, the request itself then gets a 404 or 405."""
    asked = request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
    return Response(status=204, headers=_TO_PREFLIGHTS) if asked and is_for_api() else None


def _finish(response: Response) -> Response:
    if is_for_api():
        response.headers.extend(_TO_ALL)
    return response
