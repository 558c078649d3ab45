"""The outbox: each letter is leased by one sender."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

import pytest
from flask import Flask

from server.store import outbox
from server.store.tables import Delivery, LetterRow, PlayerLetterRow, db
from tests.support.commits import NOW, a_game, a_letter, record

MINUTE = timedelta(minutes=1)


@pytest.fixture
def waiting(app: Flask) -> Iterator[outbox.Waiting]:
    with app.app_context():
        game_id = a_game()
        record(game_id, 0, letters=[a_letter(data={"to": "ada@example.org"})])
        (letter,) = outbox.due(NOW, 10)
        yield letter


def test_the_emails_in_both_outboxes_are_due_oldest_first(waiting: outbox.Waiting) -> None:
    for number, at in enumerate([NOW - MINUTE, NOW + MINUTE]):
        row = {"letter_id": uuid4(), "kind": "sign-in-code", "data": {}, "made_at": NOW, "tries": 0}
        db.session.add(PlayerLetterRow(player_id=uuid4(), dedupe=str(number), due_at=at, **row))
    db.session.commit()
    assert [letter.table for letter in outbox.due(NOW, 10)] == [PlayerLetterRow, LetterRow]
    assert [letter.table for letter in outbox.due(NOW + MINUTE, 10)] == [PlayerLetterRow, LetterRow, PlayerLetterRow]
    assert len(outbox.due(NOW, 1)) == 2  # at most this many per outbox
    assert outbox.due(NOW - 2 * MINUTE, 10) == []


def test_only_one_of_two_claims_of_an_email_succeeds(app: Flask, waiting: outbox.Waiting) -> None:
    def claim(_: int) -> bool:
        with app.app_context():
            return outbox.claim(waiting, NOW + MINUTE) is not None

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(claim, range(8))) == 1
    assert outbox.due(NOW, 10) == []


def test_an_email_with_an_expired_lease_can_be_claimed_by_another_worker(waiting: outbox.Waiting) -> None:
    first = outbox.claim(waiting, NOW + MINUTE)
    assert (
        outbox.due(NOW + timedelta(days=1), 10) == outbox.due(NOW + timedelta(days=1), 10, (), NOW) == []
    )  # a clock jump ends no lease
    assert outbox.renew(waiting, first, NOW + 2 * MINUTE)
    assert outbox.due(NOW, 10, (), NOW + MINUTE) == []
    (again,) = outbox.due(NOW, 10, (), NOW + 2 * MINUTE)
    second = outbox.claim(again, NOW + 3 * MINUTE)
    assert not outbox.renew(waiting, first, NOW + 4 * MINUTE)
    assert (first.tries, second.tries) == (1, 2)
    outbox.finish(waiting, first, NOW, "sent", "")  # the first is late and has lost the lease
    assert db.session.scalar(db.select(db.func.count()).select_from(LetterRow)) == 1
    outbox.finish(again, second, NOW, "sent", "")
    assert db.session.scalar(db.select(db.func.count()).select_from(LetterRow)) == 0
    assert [(row.nr, row.result) for row in db.session.scalars(db.select(Delivery).order_by(Delivery.nr))] == [
        (1, "sent"),
        (2, "sent"),
    ]


def test_a_delivered_email_is_deleted_and_recorded(waiting: outbox.Waiting) -> None:
    row = outbox.claim(waiting, NOW + MINUTE)
    outbox.finish(waiting, row, NOW, "sent", "250 OK")
    assert outbox.due(NOW + timedelta(days=9), 10) == []
    noted = db.session.scalars(db.select(Delivery)).one()
    assert (noted.letter_id, noted.nr, noted.kind, noted.seat, noted.version) == (
        waiting.letter_id,
        1,
        "your-turn",
        0,
        1,
    )
    assert (noted.result, noted.detail, noted.at) == ("sent", "250 OK", NOW)


def test_a_failed_email_is_due_again_later(waiting: outbox.Waiting) -> None:
    row = outbox.claim(waiting, NOW + MINUTE)
    outbox.retry(waiting, row, NOW, NOW + 5 * MINUTE, "451")
    assert not outbox.renew(waiting, row, NOW + timedelta(days=1))  # it is not leased
    assert outbox.due(NOW + 4 * MINUTE, 10) == []
    (again,) = outbox.due(NOW + 5 * MINUTE, 10)
    second = outbox.claim(again, NOW + 6 * MINUTE)
    outbox.finish(again, second, NOW + 5 * MINUTE, "sent", "")
    results = [(row.nr, row.result) for row in db.session.scalars(db.select(Delivery).order_by(Delivery.nr))]
    assert results == [(1, "failed"), (2, "sent")]
