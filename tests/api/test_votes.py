"""Votes that need every active player: pause, resume and abandon."""

from collections import Counter
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from server.clock import clock
from server.games import Json
from server.play.turns.turn_links import turn_word
from server.store.tables import LetterRow, Player, db
from tests.support.api_calls import first_move
from tests.support.contract import Someone, is_problem, opened
from tests.support.games import DAY, HOUR, ME, OPEN, later, run_for, service_is_up

BOT: Json = {"bot": "random"}
NONE: Json = {"pause": [], "resume": [], "abandon": [], "offer": [], "take-back": []}
NOBODY: Json = NONE | {"take-back": None, "refusals": NONE}
NO_GRACE: Json = {"on_timeout": [{"do": "bot-takes-over", "bot": "greedy"}]}


@pytest.fixture(autouse=True)
def within(app: Flask) -> None:
    with app.app_context():
        service_is_up()


@pytest.fixture
def cyd(app: Flask) -> Someone:
    return Someone(app, "cyd")


@pytest.fixture
def game(ada: Someone, bea: Someone) -> str:
    return table_of(ada, bea)


def table_of(*people: Someone, bots: int = 1, **more: Any) -> str:
    """The path of a running game; the first of these people is on turn."""
    path = opened(people[0], ME, *[OPEN] * (len(people) - 1), *[BOT] * bots, **more)
    for who in people[1:]:
        assert who.post(f"{path}/seats").status_code == 201
    return path


def vote(who: Someone, path: str, on: str, **more: bool) -> Json:
    answer = who.post(f"{path}/votes", {"on": on, **more})
    assert answer.status_code == 200, answer.text
    return answer.json


def status(who: Someone, path: str) -> str:
    return who.get(path).json["status"]


def passes(app: Flask, by: Any) -> None:
    """Time passes, and the worker does what is due."""
    with app.app_context():
        run_for(by)


def letters(app: Flask, kind: str) -> Counter[str]:
    """How many letters of a kind wait for each player."""
    with app.app_context():
        rows = db.session.execute(
            db.select(Player.name)
            .join(LetterRow, LetterRow.player_id == Player.player_id)
            .where(LetterRow.kind == kind)
        )
        return Counter(rows.scalars())


# Who is asked


def test_every_human_player_must_agree_and_everyone_sees_who_agrees(ada: Someone, bea: Someone, cyd: Someone) -> None:
    path = table_of(ada, bea, cyd, bots=2)
    assert vote(ada, path, "pause") == {**NOBODY, "pause": [0]}
    assert vote(cyd, path, "pause") == {**NOBODY, "pause": [0, 2]}
    assert bea.get(f"{path}/votes").json["pause"] == [0, 2]
    assert status(ada, path) == "running"
    assert vote(bea, path, "pause") == NOBODY
    assert status(ada, path) == "paused"


def test_a_vote_can_be_repeated_and_withdrawn(ada: Someone, bea: Someone, game: str) -> None:
    for _ in range(2):
        assert vote(ada, game, "abandon")["abandon"] == [0]
    for _ in range(2):
        assert vote(ada, game, "abandon", vote=False)["abandon"] == []
    assert vote(bea, game, "abandon")["abandon"] == [1]
    assert status(ada, game) == "running"


def test_votes_on_different_questions_are_counted_separately(ada: Someone, bea: Someone, game: str) -> None:
    vote(ada, game, "pause")
    assert vote(bea, game, "abandon") == NOBODY | {"pause": [0], "abandon": [1]}
    assert status(ada, game) == "running"


def test_a_player_who_plays_only_against_bots_can_pass_any_vote_alone(ada: Someone) -> None:
    path = table_of(ada, bots=2)
    for wish, becomes in (("pause", "paused"), ("resume", "running"), ("abandon", "abandoned")):
        vote(ada, path, wish)
        assert status(ada, path) == becomes


def test_players_replaced_by_bots_neither_vote_nor_delay_a_vote(ada: Someone, bea: Someone, cyd: Someone) -> None:
    path = table_of(ada, bea, cyd, bots=0)
    cyd.delete(f"{path}/seats/me")
    is_problem(cyd.post(f"{path}/votes", {"on": "pause"}), 409, "seat-handed-over")
    vote(ada, path, "pause")
    vote(bea, path, "pause")
    assert status(ada, path) == "paused"


def test_a_player_who_has_returned_to_their_seat_votes_again(ada: Someone, bea: Someone, game: str) -> None:
    bea.delete(f"{game}/seats/me")
    bea.post(f"{game}/seats")
    vote(ada, game, "pause")
    assert status(ada, game) == "running"
    vote(bea, game, "pause")
    assert status(ada, game) == "paused"


def test_a_vote_passes_when_the_last_player_against_it_leaves(ada: Someone, bea: Someone, game: str) -> None:
    vote(ada, game, "abandon")
    bea.delete(f"{game}/seats/me")
    assert status(ada, game) == "abandoned"


def test_a_vote_passes_when_the_time_of_the_last_player_against_it_runs_out(
    app: Flask, ada: Someone, bea: Someone
) -> None:
    path = table_of(ada, bea, **NO_GRACE)
    vote(bea, path, "pause")
    passes(app, 3 * DAY)
    assert status(bea, path) == "paused"


def test_people_without_a_seat_cannot_vote(ada: Someone, bea: Someone, cyd: Someone, app: Flask) -> None:
    path = table_of(ada, bea)
    is_problem(cyd.post(f"{path}/votes", {"on": "pause"}), 403, "not-seated")
    is_problem(Someone(app).post(f"{path}/votes", {"on": "pause"}), 401, "token-needed")
    private = table_of(ada, bea, private=False)
    assert cyd.get(f"{private}/votes").json == NOBODY


@pytest.mark.parametrize(
    ("before", "wish"), [([], "resume"), (["pause"], "pause"), (["abandon"], "pause"), (["abandon"], "abandon")]
)
def test_a_vote_is_possible_only_if_the_status_of_the_game_allows_it(
    ada: Someone, bea: Someone, game: str, before: list[str], wish: str
) -> None:
    for done in before:
        vote(ada, game, done)
        vote(bea, game, done)
    is_problem(ada.post(f"{game}/votes", {"on": wish}), 409, "game-not-running")
    is_problem(ada.post(f"{opened(ada, ME, OPEN, OPEN)}/votes", {"on": wish}), 409, "game-not-running")


def test_a_take_back_request_is_shown_to_all_players_with_the_time_when_it_ends(ada: Someone, bea: Someone) -> None:
    path = table_of(ada, bea)
    for who in (ada, bea):
        who.post(f"{path}/moves", first_move(who, path))
    answer = ada.post(f"{path}/take-backs", {"to": 1})
    assert answer.status_code == 202
    for votes in (bea.get(f"{path}/votes").json, vote(bea, path, "pause")):
        first, second = votes["take-back"].pop("undoes")
        assert first.startswith("ada put a hidden star") and second.startswith("You put")
        assert answer.json["vote"] == votes["take-back"] | {"undoes": answer.json["vote"]["undoes"]}
        assert [it.split()[0] for it in answer.json["vote"]["undoes"]] == ["You", "bea"]
    assert vote(bea, path, "take-back") == NOBODY | {"pause": [1]}


# A refusal


def refusals(who: Someone, path: str) -> dict[str, list[int]]:
    return {wish: seats for wish, seats in who.get(f"{path}/votes").json["refusals"].items() if seats}


def test_a_refusal_is_shown_until_its_player_agrees_and_the_asker_hears_of_it_once(
    app: Flask, ada: Someone, bea: Someone, cyd: Someone
) -> None:
    path = table_of(cyd, ada, bea)
    assert vote(bea, path, "pause", vote=False) == NOBODY  # there is no request
    vote(bea, path, "pause")
    vote(cyd, path, "pause")
    for _ in range(2):
        assert vote(ada, path, "pause", vote=False)["refusals"] == NONE | {"pause": [1]}
    assert refusals(bea, path) == {"pause": [1]}
    assert letters(app, "vote-refused") == {"bea": 1}
    vote(ada, path, "pause")
    assert status(ada, path) == "paused"
    assert refusals(bea, path) == {}


def test_withdrawing_consent_is_no_refusal(app: Flask, ada: Someone, bea: Someone, cyd: Someone) -> None:
    path = table_of(ada, bea, cyd)
    for who in (ada, bea):
        vote(who, path, "pause")
    assert vote(bea, path, "pause", vote=False)["refusals"] == NONE
    assert letters(app, "vote-refused") == {}
    vote(bea, path, "pause", vote=False)
    assert refusals(ada, path) == {"pause": [1]}


def test_a_refusal_ends_with_its_request_and_when_its_player_leaves(
    app: Flask, ada: Someone, bea: Someone, cyd: Someone
) -> None:
    path = table_of(ada, bea, cyd)
    vote(ada, path, "pause")
    for who in (bea, cyd):
        vote(who, path, "pause", vote=False)
    cyd.delete(f"{path}/seats/me")
    assert refusals(ada, path) == {"pause": [1]}
    for who in (ada, bea):
        vote(who, path, "offer")
    assert Someone(app, "dan").post(f"{path}/seats", {"take_over": True}).status_code == 201
    assert refusals(ada, path) == {"pause": [1]}
    for consents in (False, True):
        vote(ada, path, "pause", vote=consents)
        assert refusals(ada, path) == {}


def test_a_take_back_can_be_refused_and_ends_with_the_vote(app: Flask, ada: Someone, bea: Someone) -> None:
    path = table_of(ada, bea)
    for who in (ada, bea):
        asked = who.get(f"{path}/legal-moves").json
        who.post(f"{path}/moves", {"turn": asked["turn"], "move": asked["moves"][0]})
    assert ada.post(f"{path}/take-backs", {"to": 1}).status_code == 202
    vote(bea, path, "take-back", vote=False)
    assert refusals(ada, path) == {"take-back": [1]}
    assert letters(app, "vote-refused") == {"ada": 1}
    with app.app_context():
        later(2 * DAY)
    assert refusals(ada, path) == {}


# A pause


def pause(path: str, *people: Someone, wish: str = "pause") -> None:
    for who in people:
        vote(who, path, wish)


def test_a_pause_stops_the_clock_and_keeps_the_rest_of_the_turns_time(app: Flask, ada: Someone, bea: Someone) -> None:
    for game_clock in ({"per_move": "P2D"}, {"bank": "P2D", "increment": "PT12H", "cap": "P3D"}):
        path = table_of(ada, bea, clock=game_clock)
        passes(app, DAY)
        pause(path, ada, bea)
        seat = ada.get(path).json["seats"][0]
        assert (seat["due_at"], seat["to_act"], seat["turn"]) == (None, True, 1)
        passes(app, 100 * DAY)
        assert [item["type"] for item in ada.get(f"{path}/events").json["items"]][-1] == "game-paused"
        pause(path, ada, bea, wish="resume")
        due_at = datetime.fromisoformat(ada.get(path).json["seats"][0]["due_at"])
        assert abs(due_at - clock.now() - DAY) < HOUR
        passes(app, DAY - HOUR)
        assert ada.get(path).json["seats"][0]["stand_in"] is None
        passes(app, 2 * HOUR)
        assert [item["type"] for item in ada.get(f"{path}/events").json["items"]][-1] == "time-extended"


def test_a_turn_keeps_its_number_and_legal_moves_during_a_pause(ada: Someone, bea: Someone, game: str) -> None:
    asked = ada.get(f"{game}/legal-moves").json
    move = {"turn": asked["turn"], "move": asked["moves"][0]}
    pause(game, ada, bea)
    for query in ("", "?dry_run=true"):
        is_problem(ada.post(f"{game}/moves{query}", move), 409, "game-not-running")
    assert ada.get(f"{game}/legal-moves").json == {"turn": None, "moves": []}
    pause(game, ada, bea, wish="resume")
    assert ada.get(f"{game}/legal-moves").json == asked
    assert ada.post(f"{game}/moves", move).status_code == 201


def test_a_turn_link_does_not_work_during_a_pause_but_works_again_later(
    app: Flask, ada: Someone, bea: Someone, game: str
) -> None:
    browser = app.test_client()
    with app.app_context():
        link = "/t/" + turn_word(UUID(game.rpartition("/")[2]), 0, 1)
    assert browser.get(link).status_code == 200
    pause(game, ada, bea)
    resting = browser.get(link)
    assert (resting.status_code, "pause" in resting.text) == (409, True)
    board = ada.get(game).json["view"]["boards"][0]["board"]
    form = {"move": f"7 {board} a", "confirmed": "yes"}
    assert browser.post(link, data=form).status_code == 409
    pause(game, ada, bea, wish="resume")
    assert browser.post(link, data=form).status_code == 200
    assert ada.get(game).json["version"] == 4


def test_players_can_leave_and_return_during_a_pause(ada: Someone, bea: Someone, game: str) -> None:
    pause(game, ada, bea)
    bea.delete(f"{game}/seats/me")
    assert bea.post(f"{game}/seats").status_code == 201
    assert ada.post(f"{game}/messages", {"text": "See you in spring."}).status_code == 201
    assert status(ada, game) == "paused"
    pause(game, ada, bea, wish="resume")
    assert status(ada, game) == "running"


def test_a_game_can_be_abandoned_during_a_pause(ada: Someone, bea: Someone, game: str) -> None:
    pause(game, ada, bea)
    pause(game, ada, bea, wish="abandon")
    described = ada.get(game).json
    assert (described["status"], described["outcome"]) == ("abandoned", None)
    assert all(seat["turn"] is None and seat["due_at"] is None for seat in described["seats"])


# Letters


def test_every_player_is_notified_of_a_pause_and_its_end(app: Flask, ada: Someone, bea: Someone, cyd: Someone) -> None:
    path = table_of(ada, bea, cyd, bots=0)
    cyd.delete(f"{path}/seats/me")
    asked = letters(app, "your-turn")
    pause(path, ada, bea)
    assert letters(app, "game-paused") == {"ada": 1, "bea": 1, "cyd": 1}
    pause(path, ada, bea, wish="resume")
    assert letters(app, "your-turn") - asked == {"ada": 1}


def test_every_player_is_notified_that_a_game_was_abandoned(app: Flask, ada: Someone, bea: Someone, game: str) -> None:
    pause(game, ada, bea, wish="abandon")
    assert letters(app, "game-abandoned") == {"ada": 1, "bea": 1}
