"""What tests of the post share: a service that is up, two players, and an office that keeps what it carries."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from flask import Flask

from tests.post.office import Office
from tests.support.games import person, service_is_up


@pytest.fixture
def within(app: Flask) -> Iterator[None]:
    with app.app_context():
        service_is_up()
        yield


@pytest.fixture
def office(app: Flask) -> Office:
    return Office(app)


@pytest.fixture
def ada(within: None) -> UUID:
    return person("ada")


@pytest.fixture
def bea(within: None) -> UUID:
    return person("bea")
