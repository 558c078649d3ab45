"""The id of each request, its line in the log, and its metrics."""

import logging
import re
import time
from functools import cache
from typing import Any
from uuid import uuid4

from flask import Flask, Response, current_app, g, request

from server.api.auth import known_sender
from server.api.metrics import REQUESTS, SECONDS
from server.metric_files import Counter, Histogram

log = logging.getLogger("server.requests")
REQUEST_ID = "X-Request-Id"
_GOOD_ID = re.compile("[A-Za-z0-9._-]{8,64}")
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


def register(app: Flask) -> None:
    app.before_request(_begin)
    app.after_request(_finish)


def new_request_id() -> str:
    return uuid4().hex


def _begin() -> None:
    g.began = time.perf_counter()
    named = request.headers.get(REQUEST_ID, "") if current_app.config["PROXIES"] else ""
    g.request_id = named if _GOOD_ID.fullmatch(named) else new_request_id()


# `labels` takes a lock and checks the names. The cache has one entry for each route, method and status.
@cache
def _requests(method: str, route: str, status: int) -> Counter:
    return REQUESTS.labels(method, route, status)


@cache
def _seconds(route: str) -> Histogram:
    return SECONDS.labels(route)


def _finish(response: Response) -> Response:
    """Log and count the request by its route instead of its path, since paths may contain link tokens. Unknown methods
    count as "other"."""
    route = request.url_rule.rule if request.url_rule else "none"
    method = request.method if request.method in _METHODS else "other"
    seconds = time.perf_counter() - g.pop("began", time.perf_counter())
    _requests(method, route, response.status_code).inc()
    _seconds(route).observe(seconds)
    facts: dict[str, Any] = {"id": g.request_id, "method": method, "route": route, "status": response.status_code}
    facts["ms"] = round(1000 * seconds, 1)
    if game_id := (request.view_args or {}).get("game_id"):
        facts["game"] = str(game_id)
    if sender := known_sender():
        facts["player"] = str(sender.player_id)
    log.info("request", extra={"facts": facts})
    response.headers[REQUEST_ID] = g.request_id
    return response
