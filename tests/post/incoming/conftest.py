"""Fixtures for tests of replies: an office with a reply domain, and a game."""

from collections.abc import Iterator
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
    return game_of(ada, bea, bots=1)


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Record requests to Amazon's hosts, which serve their certificate here."""
    from server.post.incoming import sns
    from tests.support import mail_providers

    asked: list[str] = []

    def fetch(host: str, path: str) -> bytes:
        asked.append(f"https://{host}{path}")
        return mail_providers.sns_certificate()

    monkeypatch.setattr(sns, "fetch", fetch)
    yield asked
    sns._key.cache_clear()
