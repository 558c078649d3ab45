"""The bot game that visitors can watch when no other game is running."""

from datetime import date, timedelta

import pytest

from server.clock import clock
from server.games import GAMES
from server.play.story.exhibition import exhibition, today
from tests.support.contract import Someone, is_problem
from tests.support.games import DAY


@pytest.mark.parametrize("name", GAMES)
def test_the_bot_game_advances_with_the_clock_and_restarts_when_it_is_over(stranger: Someone, name: str) -> None:
    seen = []
    for _ in range(3):
        shown = stranger.get(f"/v1/rules/{name}/exhibition").json
        seen.append(shown["position"])
        at = exhibition(name, today())
        assert shown["view"] == at.views[shown["position"]]
        clock.forward(timedelta(seconds=30 * shown["step"]))
    assert len(set(seen)) > 1
    assert all(0 <= it < shown["positions"] for it in seen)
    pictures = {stranger.get(f"/v1/rules/{name}/exhibition.svg?at={at}").text for at in (0, 20, 40)}
    assert len(pictures) == 3
    assert all(it.startswith("<svg") for it in pictures)
    last = stranger.get(f"/v1/rules/{name}/exhibition.svg?at=9999")
    assert last.text == stranger.get(f"/v1/rules/{name}/exhibition.svg?at={shown['positions'] - 1}").text


def test_the_fullest_table_has_stars_on_every_board_on_each_day() -> None:
    for day in range(0, 40, 5):
        shown = exhibition("sternenhimmel", date(2027, 1, 1) + day * DAY)
        boards = shown.views[shown.fullest]["boards"]
        assert len(boards) == 3, day
        assert all(any(board["spaces"].values()) for board in boards), day
        shown = exhibition("sternenglanz", date(2027, 1, 1) + day * DAY)
        assert len(shown.views[shown.fullest]["board"]) == max(len(view["board"]) for view in shown.views) > 10, day


@pytest.mark.parametrize("name", GAMES)
def test_the_fullest_table_is_drawn_on_request(stranger: Someone, name: str) -> None:
    picture, fullest = f"/v1/rules/{name}/exhibition.svg", exhibition(name, today()).fullest
    assert stranger.get(f"{picture}?fullest=true&at=0").text == stranger.get(f"{picture}?at={fullest}").text


def test_each_day_has_a_different_game(stranger: Someone) -> None:
    look = "/v1/rules/sternenhimmel/exhibition.svg?at=10&theme=light"
    before = stranger.get(look).text
    assert before == stranger.get(look).text
    clock.forward(DAY)
    assert before != stranger.get(look).text


def test_a_game_that_the_server_does_not_offer_has_no_exhibition(stranger: Someone) -> None:
    for look in ("exhibition", "exhibition.svg"):
        is_problem(stranger.get(f"/v1/rules/chess/{look}"), 404, "not-found")
