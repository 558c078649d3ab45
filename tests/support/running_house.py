"""Helpers for a running server: its worker, logs, metrics and exit."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families

from tests.support.live_server import FOR_METRICS, PATIENCE, House, Json, until


def starts_to_work(house: House, before: str = "") -> subprocess.Popen[bytes]:
    worker, begun = house.start_worker(before=before), house.rows("SELECT now()")[0]["now"]
    until(lambda: house.count("heartbeats WHERE part = 'worker' AND at > %s", begun))
    return worker


@contextmanager
def working(house: House) -> Iterator[subprocess.Popen[bytes]]:
    worker = starts_to_work(house)
    yield worker
    stops(worker)


def stops(process: subprocess.Popen[bytes]) -> None:
    """Stop it by SIGTERM and expect status 0."""
    process.terminate()
    assert process.wait(PATIENCE) == 0


def lines_since(house: House, said: int) -> list[Json]:
    return [json.loads(line) for line in house.output()[said:].splitlines()]


def metrics(house: House) -> dict[str, Metric]:
    response = httpx.get(f"{house.url}/metrics", headers=FOR_METRICS)
    assert response.headers["Content-Type"].startswith("text/plain; version=")
    return {family.name: family for family in text_string_to_metric_families(response.text)}
