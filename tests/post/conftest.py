"""What tests of the post share: a service that is up, two players, and an office that keeps what it carries."""

import pytest
from flask import Flask

from tests.post.office import Office
from tests.support.players import ada, bea, within

__all__ = ["ada", "bea", "within"]


@pytest.fixture
def office(app: Flask) -> Office:
    return Office(app)
