"""Fixtures for tests of `play`: a running service, players, and a game."""

from uuid import UUID

import pytest

from tests.support.games import game_of
from tests.support.players import ada, bea, cyd, within

__all__ = ["ada", "bea", "cyd", "within"]


@pytest.fixture
def game_id(ada: UUID, bea: UUID, cyd: UUID) -> UUID:
    return game_of(ada, bea, cyd)
