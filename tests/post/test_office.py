"""The post office: whom it carries letters to, and who waits for whom."""

import threading
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from flask import Flask

from server.play.clock import clock
from server.post import PostOffice
from server.store.tables import PlayerLetter, db
from tests.helpers import MINUTE


class SlowFor:
    """A carrier that stands before one reader's door until it is let in."""

    def __init__(self, address: str) -> None:
        self.address, self.door = address, threading.Event()
        self.carried: list[str] = []

    def check(self) -> None:
        pass

    def send(self, message: bytes, sender: str, to: str) -> None:
        if to == self.address:
            assert self.door.wait(30)
        self.carried.append(to)


def codes_for(email: str, number: int, due_at: datetime) -> None:
    reader = uuid4()
    data: dict[str, Any] = {"to": email, "code": "123456", "sign_in": str(UUID(int=1))}
    db.session.add_all(
        PlayerLetter(
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


def test_a_reader_with_many_old_letters_holds_up_nobody_else(app: Flask) -> None:
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
