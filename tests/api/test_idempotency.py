"""Requests that come again with one Idempotency-Key are one request."""

from datetime import timedelta

import pytest
from flask import Flask

from server.clock import clock
from server.play.idempotency import forget_old_answers
from tests.support.api_calls import first_move, walk
from tests.support.contract import Someone, is_problem
from tests.support.games import DAY, ME, OPEN, wanted


def keyed(key: str) -> dict[str, str]:
    return {"Idempotency-Key": key}


def test_a_game_opened_twice_with_one_key_is_one_game(app: Flask, ada: Someone, bea: Someone) -> None:
    body = wanted(ME, OPEN, OPEN)
    first, again = (ada.post("/v1/games", body, headers=keyed("night-1")) for _ in range(2))
    assert (first.status, first.data) == (again.status, again.data)
    assert first.headers["Location"] == again.headers["Location"]
    assert ada.post("/v1/games", body, headers=keyed("night-2")).json["id"] != first.json["id"]
    assert bea.post("/v1/games", body, headers=keyed("night-1")).json["id"] != first.json["id"]
    assert len(walk(ada, "/v1/games?mine=true")) == 2


def test_a_key_stands_for_one_request(ada: Someone, bea: Someone, game: str) -> None:
    said = {"text": "Once."}
    first = ada.post(f"{game}/messages", said, headers=keyed("a"))
    assert ada.post(f"{game}/messages", said, headers=keyed("a")).data == first.data
    is_problem(ada.post(f"{game}/messages", {"text": "Twice."}, headers=keyed("a")), 422, "idempotency-key-reused")
    is_problem(ada.post(f"{game}/votes", {"on": "pause"}, headers=keyed("a")), 422, "idempotency-key-reused")
    assert bea.post(f"{game}/messages", said, headers=keyed("a")).json["nr"] == 2


def test_a_key_is_kept_for_seven_days(app: Flask, ada: Someone, game: str) -> None:
    for days, numbers in ((0, [1]), (6.9, [1]), (0.2, [1, 2])):
        clock.forward(days * DAY)
        with app.app_context():
            forget_old_answers(timedelta(days=7))
        ada.post(f"{game}/messages", {"text": "Hello?"}, headers=keyed("a"))
        assert [item["nr"] for item in ada.get(f"{game}/messages").json["items"]] == numbers


def test_a_move_with_a_key_gets_its_first_answer_again_with_its_status(ada: Someone, game: str) -> None:
    move = first_move(ada, game)
    first, again = (ada.post(f"{game}/moves", move, headers=keyed("m")) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.data == again.data


def test_a_request_that_was_refused_leaves_its_key_free(ada: Someone, game: str) -> None:
    move = first_move(ada, game)
    bad = move | {"move": move["move"] | {"space": "zz"}}
    is_problem(ada.post(f"{game}/moves", bad, headers=keyed("m")), 422, "illegal-move")
    assert ada.post(f"{game}/moves", move, headers=keyed("m")).status_code == 201


@pytest.mark.parametrize("key", ["", "x" * 201, "\xfc", "a\tb"])
def test_a_key_is_visible_ascii(ada: Someone, game: str, key: str) -> None:
    is_problem(ada.post(f"{game}/messages", {"text": "Hello"}, headers=keyed(key)), 400, "malformed-request")
