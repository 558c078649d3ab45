"""Votes of all players: pause, resume and abandon."""

from uuid import UUID

import pytest
from flask import Flask

from server.errors import NotRunning
from server.operations.rebuild import check_game
from server.play import votes
from server.play.commits import load
from server.play.seating.seats import leave
from tests.support.games import (
    all_agree,
    at_once,
    everything_due_happens,
    game_of,
    happened,
    moves_on,
    person,
    seats_of,
)

pytestmark = pytest.mark.usefixtures("within")


def test_abandoning_a_game_before_a_replacement_bot_has_moved_leaves_nothing_due(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    leave(game_id, ada)
    all_agree(game_id, "abandon", bea)
    assert load(game_id).table.status == "abandoned"
    assert [row.wake_at for row in seats_of(game_id)] == [None] * 3
    assert check_game(game_id) == []


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
