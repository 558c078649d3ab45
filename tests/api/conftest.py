"""Fixtures for API tests: a running game and a scene.

Each answer is also held against the OpenAPI document: see tests/support/contract.py.
"""

import pytest
from flask import Flask

from tests.support.contract import Someone, opened
from tests.support.games import BOT, ME, OPEN
from tests.support.one_of_each import Scene


@pytest.fixture
def game(ada: Someone, bea: Someone) -> str:
    """The path of a running game: ada, bea, and a bot; ada is on turn."""
    path = opened(ada, ME, OPEN, BOT)
    bea.post(f"{path}/seats")
    return path


@pytest.fixture
def scene(app: Flask) -> Scene:
    return Scene(app)
