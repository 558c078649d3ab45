"""Expired rows are deleted in batches."""

from datetime import timedelta
from uuid import uuid4

import pytest
from flask import Flask
from sqlalchemy import event, func, select

from server import worker
from server.accounts.deliveries import forget_old_letters
from server.clock import clock
from server.config import Settings
from server.play.turns.idempotency import forget_old_answers
from server.store import retention
from server.store.tables import Delivery, IdempotencyKey, PlayerDelivery, db
from tests.support.games import DAY

DAYS = (0, 10, 89, 91, 92, 200)


def count_rows(table: type) -> int:
    return db.session.scalars(select(func.count()).select_from(table)).one()


def test_old_emails_are_deleted_in_batches(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "_AT_ONCE", 2)
    with app.app_context():
        common = {"nr": 1, "kind": "your-turn", "result": "sent", "detail": ""}
        for days in DAYS:
            at = clock.now() - days * DAY
            own = {"letter_id": uuid4(), "at": at, "player_id": uuid4()}
            db.session.add(Delivery(game_id=uuid4(), seat=0, version=1, **common, **own))
            db.session.add(PlayerDelivery(**common, **own))
        db.session.commit()
        commits: list[object] = []
        note = commits.append
        event.listen(db.session, "after_commit", note)
        forget_old_letters(timedelta(days=90))
        event.remove(db.session, "after_commit", note)
        assert (count_rows(Delivery), count_rows(PlayerDelivery)) == (3, 3)
        assert len(commits) == 4  # two and one of either table


def test_stored_responses_are_deleted_in_batches(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "_AT_ONCE", 2)
    with app.app_context():
        for days in (0, 6, 8, 9, 10):
            made_at = clock.now() - days * DAY
            db.session.add(
                IdempotencyKey(game_id=uuid4(), player_id=uuid4(), key="k", request_hash=b"", made_at=made_at)
            )
        db.session.commit()
        forget_old_answers(timedelta(days=7))
        assert count_rows(IdempotencyKey) == 2


@pytest.mark.parametrize(("days", "number"), [("7", 1), ("9", 2)])
def test_the_worker_keeps_stored_responses_for_the_configured_time(app: Flask, days: str, number: int) -> None:
    with app.app_context():
        for ago in (6, 8):
            made_at = clock.now() - ago * DAY
            db.session.add(
                IdempotencyKey(game_id=uuid4(), player_id=uuid4(), key="k", request_hash=b"", made_at=made_at)
            )
        db.session.commit()
        worker._tidy(Settings.from_environment({"STERNENPOST_KEEP_ANSWERS": days}))
        assert count_rows(IdempotencyKey) == number
