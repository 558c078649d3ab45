"""For operators: `/healthz`, `/readyz`, `/metrics`, and a line in the log for each request."""

import logging
import os
import re
import time
from collections.abc import Iterator
from secrets import compare_digest
from typing import Any
from uuid import uuid4

from flask import Blueprint, Flask, Response, current_app, g, jsonify, request
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector

from server.api.auth import known_sender
from server.errors import BadToken, NotFound
from server.operations import health
from server.operations.health import waiting

blp = Blueprint("watching", __name__)
log = logging.getLogger("server.requests")
REQUEST_ID = "X-Request-Id"
_GOOD_ID = re.compile("[A-Za-z0-9._-]{8,64}")
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
REQUESTS = Counter("sternenpost_requests", "Requests by method, route and status", ["method", "route", "status"])
SECONDS = Histogram(
    "sternenpost_request_seconds",
    "Time to answer",
    ["route"],
    buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5),
)


def register(app: Flask) -> None:
    app.register_blueprint(blp)
    app.before_request(_begin)
    app.after_request(_finish)


@blp.get("/healthz")
def healthz() -> dict[str, str]:
    """The web is up; how the rest is, `/readyz` tells."""
    return {"status": "up"}


@blp.get("/readyz")
def readyz() -> tuple[Response, int]:
    """Each part of the service, and what is wrong with it; 503 if anything is."""
    parts = health.parts()
    well = all(state == "ok" for state in parts.values())
    return jsonify(status="ready" if well else "ill", parts=parts), 200 if well else 503


@blp.get("/metrics")
def metrics() -> Response:
    """Prometheus: requests of all processes of this web, and what waits for the workers. For whoever has the token."""
    _expect_token()
    registry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # has no types
    house = CollectorRegistry()
    house.register(_House())
    return Response(generate_latest(registry) + generate_latest(house), content_type=CONTENT_TYPE_LATEST)


def _expect_token() -> None:
    """Raises NotFound where operators have set none, BadToken for another one."""
    token: str | None = current_app.config["METRICS_TOKEN"]
    if token is None:
        raise NotFound("There is nothing here.")
    if not compare_digest(request.headers.get("Authorization", "").encode(), f"Bearer {token}".encode()):
        raise BadToken("This token is not valid.")


class _House:
    """What the database tells; while it is away, only that it is."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        numbers = waiting()
        yield GaugeMetricFamily("sternenpost_database_up", "1 if the database answers", value=numbers is not None)
        if numbers is not None:
            for box, what in (("inbox", "mail"), ("outbox", "letter")):
                age, meaning = numbers.pop(f"{box}_age"), f"How long the oldest {what} has waited"
                yield GaugeMetricFamily(f"sternenpost_{box}_age_seconds", meaning, value=age)
            aside = numbers.pop("mails_aside")
            yield GaugeMetricFamily("sternenpost_mails_aside", "Mails that could not be dealt with", value=aside)
            gauge = GaugeMetricFamily("sternenpost_waiting", "Rows that wait for a worker", labels=["what"])
            for what, number in numbers.items():
                gauge.add_metric([what], number)
            yield gauge


def new_request_id() -> str:
    return uuid4().hex


def _begin() -> None:
    g.began = time.perf_counter()
    named = request.headers.get(REQUEST_ID, "") if current_app.config["PROXIES"] else ""
    g.request_id = named if _GOOD_ID.fullmatch(named) else new_request_id()


def _finish(response: Response) -> Response:
    """Routes, not paths: some paths hold words that let whoever reads them play. Nor does a client name our series."""
    route = request.url_rule.rule if request.url_rule else "none"
    method = request.method if request.method in _METHODS else "other"
    seconds = time.perf_counter() - g.pop("began", time.perf_counter())
    REQUESTS.labels(method, route, response.status_code).inc()
    SECONDS.labels(route).observe(seconds)
    facts: dict[str, Any] = {"id": g.request_id, "method": method, "route": route, "status": response.status_code}
    facts["ms"] = round(1000 * seconds, 1)
    if game_id := (request.view_args or {}).get("game_id"):
        facts["game"] = str(game_id)
    if sender := known_sender():
        facts["player"] = str(sender.player_id)
    log.info("request", extra={"facts": facts})
    response.headers[REQUEST_ID] = g.request_id
    return response
