"""Requests repeated with one Idempotency-Key are executed once."""

import pytest
from flask import Flask

from server.play.story.table_cache import tables
from server.store.tables import IdempotencyKey, db
from tests.support.api_calls import first_move
from tests.support.contract import Someone, is_problem
from tests.support.games import DAY, everything_due_happens, run_for


def keyed(key: str) -> dict[str, str]:
    return {"Idempotency-Key": key}


def test_a_moves_response_is_rebuilt_from_the_log(app: Flask, ada: Someone, game: str) -> None:
    move = first_move(ada, game)
    first = ada.post(f"{game}/moves", move, headers=keyed("m"))
    assert _kept(app, "m") == (201, None)
    with app.app_context():
        everything_due_happens()
        run_for(6.9 * DAY)
        tables.__init__()
    again = ada.post(f"{game}/moves", move, headers=keyed("m"))
    assert (again.status_code, again.data, again.mimetype) == (201, first.data, first.mimetype)
    other = move | {"turn": move["turn"] + 1}
    is_problem(ada.post(f"{game}/moves", other, headers=keyed("m")), 422, "idempotency-key-reused")


def test_a_move_first_played_without_a_key_keeps_its_status(app: Flask, ada: Someone, game: str) -> None:
    move = first_move(ada, game)
    ada.post(f"{game}/moves", move)
    answers = [ada.post(f"{game}/moves", move, headers=keyed("m")) for _ in range(2)]
    assert [it.status_code for it in answers] == [200, 200]
    assert _kept(app, "m") == (200, None)


def test_a_move_response_stored_by_an_earlier_release_is_returned_unchanged(
    app: Flask, ada: Someone, game: str
) -> None:
    move = first_move(ada, game)
    first = ada.post(f"{game}/moves", move, headers=keyed("m"))
    with app.app_context():
        db.session.execute(db.update(IdempotencyKey).values(answer=f"{first.text} "))
        db.session.commit()
    assert ada.post(f"{game}/moves", move, headers=keyed("m")).text == f"{first.text} "


def _kept(app: Flask, key: str) -> tuple[int | None, str | None]:
    with app.app_context():
        row = db.session.scalars(db.select(IdempotencyKey).where(IdempotencyKey.key == key)).one()
        return row.status, row.answer


def test_the_key_of_a_rejected_request_can_be_used_again(ada: Someone, game: str) -> None:
    move = first_move(ada, game)
    bad = move | {"move": move["move"] | {"space": "zz"}}
    is_problem(ada.post(f"{game}/moves", bad, headers=keyed("m")), 422, "illegal-move")
    assert ada.post(f"{game}/moves", move, headers=keyed("m")).status_code == 201


@pytest.mark.parametrize("key", ["", "x" * 201, "\xfc", "a\tb"])
def test_an_idempotency_key_consists_of_visible_ascii_characters(ada: Someone, game: str, key: str) -> None:
    is_problem(ada.post(f"{game}/messages", {"text": "Hello"}, headers=keyed(key)), 400, "malformed-request")
