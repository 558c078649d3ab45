"""Bots that search: a process thinks for them, the sweep waits for it, and a turn is never stuck."""

from datetime import timedelta
from uuid import UUID

import pytest
from flask import Flask

from server.play.commits import load, whole_log
from server.play.seating.games import open_game
from server.play.seating.seats import leave
from server.play.timing.sweep import wake_due
from server.play.turns import thinking
from server.play.turns.thinking import PATIENCE, shown_to, think_due
from server.play.votes import take_back
from tests.support.games import ME, assert_log_and_projections_agree, game_of, later, moves_on, person, wanted

LEVEL = {"bot": "level-4"}
SECONDS = 5.0
pytestmark = pytest.mark.usefixtures("within")


def against_levels(rules: str = "sternenhimmel") -> tuple[UUID, UUID]:
    """A game of ada against bots that search, who are on turn; ada and the game."""
    ada = person("ada")
    options = {"start_seat": 1}
    game_id = open_game(ada, wanted(ME, LEVEL, LEVEL, rules=rules, options=options)).game_id
    return ada, game_id


def test_the_sweep_leaves_a_turn_to_the_process_that_computes_it() -> None:
    ada, game_id = against_levels()
    assert wake_due() == 0
    assert think_due(SECONDS)
    assert think_due(SECONDS)
    assert not think_due(SECONDS)
    assert load(game_id).table.turns[0] is not None
    moves_on(game_id, ada)
    assert_log_and_projections_agree(game_id)


def test_the_sweep_moves_for_a_bot_after_a_minute() -> None:
    _, game_id = against_levels()
    later(PATIENCE + timedelta(seconds=1))
    assert not think_due(SECONDS)
    assert wake_due() == 1
    assert think_due(SECONDS)  # the next bot has a minute of its own
    assert_log_and_projections_agree(game_id)


def test_the_sweep_moves_immediately_if_no_process_computes_moves(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(app.config, "THINKERS", 0)
    _, game_id = against_levels()
    assert wake_due() == 1
    assert wake_due() == 1
    assert load(game_id).table.turns[0] is not None


def test_a_bot_that_compares_no_worlds_moves_at_once() -> None:
    bot = {"bot": "level-2"}
    game_id = open_game(person("ada"), wanted(ME, bot, bot, rules="sternenhimmel", options={"start_seat": 1})).game_id
    assert not think_due(SECONDS)
    assert wake_due() == 1
    assert wake_due() == 1
    assert load(game_id).table.turns[0] is not None


def test_a_move_made_before_the_computation_ends_takes_precedence(monkeypatch: pytest.MonkeyPatch) -> None:
    _, game_id = against_levels()
    choose = thinking.choose

    def choose_slowly(*given: object) -> object:
        monkeypatch.setattr(thinking, "choose", choose)
        assert think_due(SECONDS)  # another process has the same turn
        return choose(*given)  # type: ignore[arg-type]  # passed on

    monkeypatch.setattr(thinking, "choose", choose_slowly)
    before = load(game_id).version
    think_due(SECONDS)
    assert load(game_id).version == before + 1
    assert_log_and_projections_agree(game_id)


def test_a_turn_whose_computation_fails_is_left_to_the_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    _, game_id = against_levels()
    monkeypatch.setattr(thinking, "choose", lambda *given: 1 / 0)
    assert not think_due(SECONDS)
    later(PATIENCE + timedelta(seconds=1))
    assert wake_due() == 1
    assert_log_and_projections_agree(game_id)


@pytest.mark.parametrize("rules", ["sternenhimmel", "sternenglanz"])
def test_a_bot_that_searches_computes_whole_turns(rules: str) -> None:
    ada, game_id = against_levels(rules)
    for _ in range(12):
        while think_due(SECONDS):
            pass
        if load(game_id).table.turns[0] is not None:
            moves_on(game_id, ada)
    assert {row.seat for row in whole_log(game_id)} >= {0, 1, 2}
    assert_log_and_projections_agree(game_id)


def test_a_bot_with_a_level_takes_over_from_a_player_who_leaves() -> None:
    ada, bea = person("ada"), person("bea")
    ladder = [{"do": "bot-takes-over", "bot": "level-4"}]
    game_id = game_of(ada, bea, bots=1, on_timeout=ladder)
    leave(game_id, ada)
    assert wake_due() == 0
    assert think_due(SECONDS)
    assert load(game_id).table.stand_ins[0] == "level-4"


def test_a_bot_ignores_moves_that_were_taken_back() -> None:
    ada, bea = person("ada"), person("bea")
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 0, "take_back": "free"})
    before = load(game_id).version
    story = shown_to(load(game_id), 2)
    moves_on(game_id, ada)
    assert len(shown_to(load(game_id), 2)) == len(story) + 1
    take_back(game_id, ada, before)
    assert shown_to(load(game_id), 2) == story


def test_the_events_shown_to_a_bot_contain_no_secrets_of_other_seats() -> None:
    ada, game_id = against_levels("sternenglanz")
    while think_due(SECONDS):
        pass
    moves_on(game_id, ada)
    game = load(game_id)
    for seat in (0, 1, 2):
        dealt = [it for it in shown_to(game, seat) if it["type"] == "hand-dealt"]
        assert [it["seat"] for it in dealt if it["cards"] != [None] * 5] == [seat]
