"""Fixtures for API tests: a running game and a scene. tests/support/contract.py checks each answer."""

import pytest
from flask import Flask

from tests.support.contract import Someone, opened
from tests.support.games import BOT, ME, OPEN
from tests.support.one_of_each import Scene


@pytest.fixture
def game(ada: Someone, bea: Someone) -> str:
    """Return the path of a running game of ada, bea and a bot. ada is on turn."""
    path = opened(ada, ME, OPEN, BOT)
    bea.post(f"{path}/seats")
    return path


@pytest.fixture
def scene(app: Flask) -> Scene:
    return Scene(app)
