"""What tests of replies share: an office whose letters can be answered, and a game."""

from uuid import UUID

import pytest
from flask import Flask

from tests.post.incoming.replying import DOMAIN
from tests.post.office import Office
from tests.support.games import game_of


@pytest.fixture
def office(app: Flask) -> Office:
    return Office(app, DOMAIN)


@pytest.fixture
def game_id(ada: UUID, bea: UUID) -> UUID:
    """A game of Ada, Bea and a bot, in which Ada begins."""
    return game_of(ada, bea, bots=1)
