"""What tests for operators share: a service that is well, and a house as it runs for one."""

from collections.abc import Iterator

import pytest
from flask import Flask

from tests.support.games import service_is_up
from tests.support.live_server import House, new_house


@pytest.fixture
def well(app: Flask) -> Iterator[Flask]:
    """A service with nothing wrong, though its web and worker only left their beats."""
    with app.app_context():
        service_is_up()
        yield app


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    """A web as it runs for an operator, without a sandbox; a test that needs a worker starts one."""
    with new_house(STERNENPOST_SANDBOX="off", STERNENPOST_LIMITS="off") as house:
        house.start_web()
        yield house
