"""Fixtures for webhook tests: a sandbox, a receiver, and the office that sends to it."""

from collections.abc import Iterator

import pytest
from flask import Flask

from server.webhooks import sender
from server.webhooks.sender import HookOffice
from tests.support.games import service_is_up
from tests.support.live_server import PATIENCE
from tests.support.webhook_receiver import Receiver


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.stop()


@pytest.fixture
def sandbox(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    monkeypatch.setitem(app.config, "SANDBOX", True)
    with app.app_context():
        service_is_up()
        yield app


@pytest.fixture
def office(sandbox: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[HookOffice]:
    monkeypatch.setattr(sender, "TIMEOUT", PATIENCE)  # on a busy machine, our receiver may take longer than a real one
    office = HookOffice(sandbox)
    yield office
    office.close(10)
