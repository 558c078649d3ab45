"""Endpoints for operators: `/healthz`, `/readyz` and `/metrics`."""

import os
from collections.abc import Iterator
from secrets import compare_digest

from flask import Blueprint, Response, current_app, jsonify, request
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector

from server.errors import BadToken, NotFound
from server.metric_files import Counter, Histogram
from server.operations import health
from server.operations.health import queue_sizes
from server.post.letters.compose import trouble_with_letters

blp = Blueprint("watching", __name__)
REQUESTS = Counter("sternenpost_requests", "Requests by method, route and status", ["method", "route", "status"])
SECONDS = Histogram(
    "sternenpost_request_seconds",
    "Time to answer",
    ["route"],
    buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5),
)


@blp.get("/healthz")
def healthz() -> dict[str, str]:
    """Return "up" as long as this process responds. `/readyz` checks the other parts."""
    return {"status": "up"}


@blp.get("/readyz")
def readyz() -> tuple[Response, int]:
    """Return the state of each part of the service, with 503 if one of them has a problem."""
    parts = health.parts()
    if trouble := trouble_with_letters(current_app.config["BASE_URL"], current_app.config["REPLY_DOMAIN"]):
        parts["letters"] = trouble
    well = all(state == "ok" for state in parts.values())
    return jsonify(status="ready" if well else "ill", parts=parts), 200 if well else 503


@blp.get("/metrics")
def metrics() -> Response:
    """Return Prometheus metrics: requests of all processes of this server, and queue sizes. The request must have the
    metrics token."""
    _expect_token()
    registry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # has no types
    house = CollectorRegistry()
    house.register(_House())
    return Response(generate_latest(registry) + generate_latest(house), content_type=CONTENT_TYPE_LATEST)


def _expect_token() -> None:
    """Raise NotFound if no token is configured, or BadToken for a wrong token."""
    token: str | None = current_app.config["METRICS_TOKEN"]
    if token is None:
        raise NotFound("Nothing was found at this address.")
    if not compare_digest(request.headers.get("Authorization", "").encode(), f"Bearer {token}".encode()):
        raise BadToken("This token is invalid.")


class _House:
    """Metrics from the database. While the database is down, the only metric is that it is down."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        numbers = queue_sizes()
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
