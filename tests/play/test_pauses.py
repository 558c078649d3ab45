"""Votes of all players: pause, resume and abandon."""

from uuid import UUID

import pytest
from flask import Flask

from server.errors import NotRunning
from server.operations.rebuild import check_game
from server.play import votes
from server.play.commits import load
from server.play.seating.seats import leave
from server.play.timing.time_control import DEFAULT_CLOCK
from tests.support.games import (
    BANK,
    DAY,
    all_agree,
    at_once,
    everything_due_happens,
    game_of,
    happened,
    last,
    later,
    moves_on,
    person,
    run_for,
    run_until,
    seats_of,
    turn_of,
)

pytestmark = pytest.mark.usefixtures("within")


def test_abandoning_a_game_before_a_replacement_bot_has_moved_leaves_nothing_due(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    leave(game_id, ada)
    all_agree(game_id, "abandon", bea)
    assert load(game_id).table.status == "abandoned"
    assert [row.wake_at for row in seats_of(game_id)] == [None] * 3
    assert check_game(game_id) == []


def test_a_pause_keeps_the_turn_and_the_rest_of_its_time(ada: UUID, bea: UUID) -> None:
    for game_clock in (DEFAULT_CLOCK, BANK):
        game_id = game_of(ada, bea, bots=1, clock=game_clock)
        due_at = seats_of(game_id)[0].due_at
        later(DAY)
        all_agree(game_id, "pause", ada, bea)
        stopped = last(game_id, "game-paused").recorded_at
        run_for(30 * DAY)
        assert happened(game_id)[-1] == "game-paused"
        all_agree(game_id, "resume", bea, ada)
        going_on = last(game_id, "game-resumed").recorded_at
        assert turn_of(game_id, ada) == 1
        assert seats_of(game_id)[0].due_at == due_at + (going_on - stopped)
        run_until(seats_of(game_id)[0].due_at)
        assert happened(game_id)[-1] == "time-extended"


def test_a_bot_waits_while_the_game_is_paused(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    moves_on(game_id, ada)
    moves_on(game_id, bea)
    all_agree(game_id, "pause", ada, bea)
    everything_due_happens()
    assert happened(game_id)[-1] == "game-paused"
    all_agree(game_id, "resume", ada, bea)
    everything_due_happens()
    assert happened(game_id)[-1] == "star-placed"


def test_simultaneous_votes_take_effect_once(app: Flask) -> None:
    people = [person(f"voter{n}") for n in range(5)]
    game_id = game_of(*people)

    def vote(who: UUID) -> str:
        try:
            votes.vote(game_id, who, "pause", True)
        except NotRunning:
            return "late"
        return "counted"

    assert at_once(app, [lambda who=who: vote(who) for who in people]) == ["counted"] * 5
    assert happened(game_id).count("game-paused") == 1
