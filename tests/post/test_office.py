"""The post office: recipients and queues."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from flask import Flask

from server.accounts.deliveries import deliveries
from server.clock import clock
from server.post import delivery
from server.post.delivery import PostOffice
from server.post.letters import compose as composing
from server.post.letters.compose import Written
from server.post.smtp import SmtpCarrier, failure
from server.store.tables import PlayerLetterRow, db
from tests.post.office import Office
from tests.support.games import MINUTE, game_of, later
from tests.support.live_server import PATIENCE, free_port


class SlowFor:
    """A carrier that stands before one reader's door until it is let in."""

    def __init__(self, address: str) -> None:
        self.address, self.door = address, threading.Event()
        self.carried: list[str] = []

    def check(self) -> None:
        pass

    def send(self, message: bytes, sender: str, to: str, confirm: Callable[[], None]) -> None:
        if to == self.address:
            assert self.door.wait(PATIENCE)
        self.carried.append(to)


def codes_for(email: str, number: int, due_at: datetime) -> None:
    reader = uuid4()
    data: dict[str, Any] = {"to": email, "code": "123456", "sign_in": str(UUID(int=1))}
    db.session.add_all(
        PlayerLetterRow(
            player_id=reader,
            letter_id=uuid4(),
            dedupe=str(nr),
            kind="sign-in-code",
            data=data,
            made_at=due_at,
            due_at=due_at,
            tries=0,
        )
        for nr in range(number)
    )
    db.session.commit()


def test_a_reader_with_many_old_emails_does_not_delay_other_readers(app: Flask) -> None:
    carrier = SlowFor("slow@example.org")
    post = PostOffice(app, carrier)
    with app.app_context():
        codes_for("slow@example.org", 250, clock.now() - 5 * MINUTE)
        codes_for("ada@example.org", 1, clock.now() - MINUTE)
        try:
            assert post.deliver_due() == 200
            assert post.deliver_due() == 1
            assert post.deliver_due() == 0
        finally:
            carrier.door.set()
            post.wait()
    assert carrier.carried.count("ada@example.org") == 1


def test_an_email_that_our_relay_rejects_temporarily_arrives_later(
    ada: UUID, office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    game_of(ada, bots=2)
    office.refusal = failure(550, "5.7.1 <ada@example.org> blocked by policy", "RCPT")
    assert office.mails("ada") == []
    for _ in range(3):
        later(MINUTE)
        assert office.mails("ada") == []
    office.refusal = None
    assert office.mails("ada") == []  # it waits longer with each failure, by now for 40 s
    later(MINUTE)
    assert len(office.mails("ada")) == 1
    assert [it["result"] for it in deliveries(ada, None, 10).items] == ["sent"]
    told = [record.getMessage() for record in caplog.records if record.name == "server.post.delivery"]
    assert told == [
        "A letter was not taken and is tried again: 550 5.7.1 <(address)> blocked by policy",
        "Letters are taken again",
    ]


def test_an_oversized_email_is_sent_without_html_and_pictures(app: Flask, ada: UUID) -> None:
    carrier = Narrow(20_000)
    post = PostOffice(app, carrier)
    game_of(ada, bots=2)
    post.deliver_due()
    post.wait()
    assert [it["result"] for it in deliveries(ada, None, 10).items] == ["sent"]
    (mail,) = carrier.carried
    assert b"Content-Type: text/plain" in mail
    assert b"text/html" not in mail


class Narrow:
    """A carrier that takes no letter of more octets."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.carried: list[bytes] = []

    def check(self) -> None:
        pass

    def send(self, message: bytes, sender: str, to: str, confirm: Callable[[], None]) -> None:
        if len(message) > self._most:
            raise failure(552, "5.3.4 Message size exceeds fixed limit", "DATA")
        self.carried.append(message)


class Listener:
    """A mail server that counts its connections."""

    def __init__(self) -> None:
        self.letters: list[str] = []
        self.connections: set[object] = set()

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        self.connections.add(server)
        self.letters += envelope.rcpt_tos
        return "250 OK"


def test_many_emails_can_wait_for_servers_while_only_a_few_are_being_rendered(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    carrier, counting, writing, most = Everywhere(12), threading.Lock(), Counter[str](), Counter[str]()

    def compose(*args: Any) -> Written | None:
        with counting:
            writing["now"] += 1
            most["now"] = max(most["now"], writing["now"])
        time.sleep(0.01)  # so that another thread would begin meanwhile
        try:
            return composing.compose(*args)
        finally:
            with counting:
                writing["now"] -= 1

    monkeypatch.setattr(delivery, "compose", compose)
    post = PostOffice(app, carrier)
    with app.app_context():
        for nr in range(12):
            codes_for(f"reader-{nr}@example.org", 1, clock.now())
        post.deliver_due()
        post.wait()
    assert carrier.carried == 12
    assert most["now"] <= 2


class Everywhere:
    """A sender that waits until this many letters are at their servers."""

    def __init__(self, letters: int) -> None:
        self._doors = threading.Barrier(letters, timeout=PATIENCE)
        self.carried = 0

    def check(self) -> None:
        pass

    def send(self, message: bytes, sender: str, to: str, confirm: Callable[[], None]) -> None:
        self._doors.wait()
        self.carried += 1


def test_hundreds_of_emails_share_a_few_connections(app: Flask) -> None:
    listener = Listener()
    port = free_port()
    controller = Controller(listener, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        post = PostOffice(app, SmtpCarrier(f"smtp://127.0.0.1:{port}"))
        with app.app_context():
            for burst in range(3):
                for nr in range(60):
                    codes_for(f"reader-{burst}-{nr}@example.org", 1, clock.now())
                assert post.deliver_due() == 60
                post.wait()
    finally:
        controller.stop()
    assert len(set(listener.letters)) == 180
    assert len(listener.connections) <= 16  # one for each thread
