"""Players for tests that call `play`. A room's conftest imports these fixtures."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from flask import Flask

from tests.support.games import person, service_is_up


@pytest.fixture
def within(app: Flask) -> Iterator[None]:
    """Enter the app's context while the service is up."""
    with app.app_context():
        service_is_up()
        yield


@pytest.fixture
def ada(within: None) -> UUID:
    return person("ada")


@pytest.fixture
def bea(within: None) -> UUID:
    return person("bea")


@pytest.fixture
def cyd(within: None) -> UUID:
    return person("cyd")
