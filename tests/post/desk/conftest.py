"""What tests of the post desk share: an SMTP server of ours, an office, and people who write."""

from collections.abc import Callable, Iterator

import pytest
from flask import Flask

from server.post.incoming.smtp_server import SmtpServer
from tests.post.desk.writing import DESK, DOMAIN, Correspondent
from tests.post.office import Office
from tests.support.live_server import free_port


@pytest.fixture
def office(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Office:
    monkeypatch.setitem(app.config, "DESK_ADDRESS", DESK)
    return Office(app, DOMAIN)


@pytest.fixture
def smtp_server(app: Flask, within: None) -> Iterator[SmtpServer]:
    server = SmtpServer(app, f"127.0.0.1:{free_port()}")
    server.keep_open()
    yield server
    server.close()


@pytest.fixture
def mailbox(office: Office, smtp_server: SmtpServer) -> Callable[[str], Correspondent]:
    return lambda email: Correspondent(email, office, smtp_server)


@pytest.fixture
def ann(mailbox: Callable[[str], Correspondent]) -> Correspondent:
    """A person without an account."""
    return mailbox("ann@example.net")
