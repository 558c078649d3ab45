"""Fixtures for operators' tests: a healthy app, and a live server."""

from collections.abc import Iterator

import pytest
from flask import Flask

from tests.support.games import service_is_up
from tests.support.live_server import House, new_house


@pytest.fixture
def healthy_app(app: Flask) -> Iterator[Flask]:
    """Yield an app without faults, though web and worker only left heartbeats."""
    with app.app_context():
        service_is_up()
        yield app


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    """Yield a live server without a sandbox or worker."""
    with new_house(STERNENPOST_SANDBOX="off", STERNENPOST_LIMITS="off") as house:
        house.start_web()
        yield house
