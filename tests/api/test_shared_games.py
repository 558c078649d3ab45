"""Finished games shared for study: with all players' consent, under pseudonyms, as a resumable list."""

import json
from typing import Any

import pytest
from flask import Flask

from server.games import Json
from server.operations.delete_player import delete_player
from server.play.archive import check
from tests.api.test_own_account import id_of_player
from tests.api.test_people import played
from tests.support.contract import Someone, is_problem, opened
from tests.support.games import DAY, ME, OPEN, later

BOT = {"bot": "greedy"}


def shared(app: Flask, address: str = "/v1/archives") -> tuple[list[Json], Any]:
    answer = Someone(app).get(address)
    assert answer.status_code == 200
    assert answer.mimetype == "application/x-ndjson"
    return [json.loads(line) for line in answer.get_data(as_text=True).splitlines()], answer


def agree(*people: Someone) -> None:
    for who in people:
        assert who.patch("/v1/me", {"shares_games": True}).json["shares_games"] is True


def finished(app: Flask, *people: Someone, **more: Any) -> str:
    path = opened(people[0], ME, *[OPEN] * (len(people) - 1), *[BOT] * (3 - len(people)), **more)
    for guest in people[1:]:
        guest.post(f"{path}/seats", {})
    with app.app_context():
        played(path, *people)
    return path.rpartition("/")[2]


def test_a_game_is_shared_anonymously_once_all_players_agree(app: Flask, ada: Someone, bea: Someone) -> None:
    game = finished(app, ada, bea)
    assert ada.get("/v1/me").json["shares_games"] is False
    assert shared(app)[0] == []
    agree(ada)
    assert shared(app)[0] == []
    agree(bea)
    (line,), answer = shared(app)
    assert line["archive"]["game"] == game
    assert line["archive"] == ada.get(f"/v1/games/{game}/archive").json
    with app.app_context():
        assert check(json.dumps(line["archive"]).encode()).table.status == "finished"
    one, other, bot = line["players"]
    assert one != other and bot is None
    for told in ('"ada"', '"bea"', str(id_of_player(ada)), str(id_of_player(bea))):
        assert told not in answer.get_data(as_text=True)
    assert "Link" not in answer.headers
    assert bea.patch("/v1/me", {"shares_games": False}).status_code == 200
    assert shared(app)[0] == []


def test_pseudonyms_are_the_same_in_all_games_and_on_all_pages(app: Flask, ada: Someone, bea: Someone) -> None:
    agree(ada, bea)
    first = finished(app, ada, bea)
    with app.app_context():
        between = later(DAY).isoformat()
    second = finished(app, bea, ada)
    lines, _ = shared(app)
    assert [it["archive"]["game"] for it in lines] == [first, second]
    assert lines[0]["players"][:2] == lines[1]["players"][1::-1]
    (one,), answer = shared(app, "/v1/archives?limit=1")
    (two,), last = shared(app, answer.headers["Link"].partition(">")[0].lstrip("<"))
    assert [one, two] == lines
    assert "Link" not in last.headers
    later_ones, _ = shared(app, f"/v1/archives?since={between.replace('+', '%2B')}")
    assert later_ones == lines[1:]
    assert shared(app, f"/v1/archives?since={lines[1]['ended_at']}")[0] == lines[1:]
    packed = Someone(app).get("/v1/archives", headers={"Accept-Encoding": "gzip", "Accept": "application/x-ndjson"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert len(packed.get_data()) < len(answer.get_data())  # of one of the two


def test_private_games_abandoned_games_and_games_of_deleted_players_are_not_shared(
    app: Flask, ada: Someone, bea: Someone
) -> None:
    agree(ada, bea)
    finished(app, ada, private=True)
    abandoned = opened(ada, ME, BOT, BOT)
    assert ada.post(f"{abandoned}/votes", {"on": "abandon", "vote": True}).status_code == 200
    game = finished(app, ada, bea)
    assert [it["archive"]["game"] for it in shared(app)[0]] == [game]
    with app.app_context():
        delete_player(id_of_player(bea))
    assert shared(app)[0] == []


def test_a_player_whose_seat_was_taken_over_must_also_agree(app: Flask, ada: Someone, bea: Someone) -> None:
    cyd = Someone(app, "cyd")
    path = opened(ada, ME, OPEN, BOT)
    cyd.post(f"{path}/seats", {})
    assert cyd.delete(f"{path}/seats/me").status_code == 204
    assert ada.post(f"{path}/votes", {"on": "offer", "vote": True}).status_code == 200
    assert bea.post(f"{path}/seats", {"seat": 1, "take_over": True}).status_code in (200, 201)
    with app.app_context():
        played(path, ada, bea)
    agree(ada, bea)
    assert shared(app)[0] == []
    agree(cyd)
    assert [it["archive"]["game"] for it in shared(app)[0]] == [path.rpartition("/")[2]]


@pytest.mark.parametrize(
    "query", ["since=yesterday", "since=2026-11-01", "limit=0", "limit=101", "cursor=x", "since=%00", "page=2"]
)
def test_an_invalid_sharing_choice_is_rejected(app: Flask, query: str) -> None:
    answer = Someone(app).get(f"/v1/archives?{query}")
    assert is_problem(answer, 422, "invalid-field" if "cursor" in query else "invalid-fields")
