"""Reminders: when somebody is told that his time runs out."""

from uuid import UUID

import pytest
from flask import Flask

from server.accounts.players import change_profile
from server.play.commits import load
from tests.support.games import (
    DAY,
    HOUR,
    MINUTE,
    at_once,
    everything_due_happens,
    game_of,
    later,
    letters,
    moves_on,
    seats_of,
    until,
)

pytestmark = pytest.mark.usefixtures("within")


def test_each_reminder_comes_once_at_half_the_time_and_three_hours_before_the_end(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    due_at = seats_of(game_id)[0].due_at
    for number, moment in enumerate([due_at - DAY, due_at - 3 * HOUR]):
        until(moment - MINUTE)
        everything_due_happens()
        assert len(letters(game_id, "reminder")) == number
        until(moment)
        everything_due_happens()
        assert len(letters(game_id, "reminder")) == number + 1
        later(MINUTE)
        everything_due_happens()
    assert [letter.seat for letter in letters(game_id, "reminder")] == [0, 0]
    assert load(game_id).table.version == 1  # a reminder is no commit


def test_of_several_workers_one_reminds(app: Flask, ada: UUID, bea: UUID) -> None:
    games = [game_of(ada, bea, bots=1) for _ in range(10)]
    later(DAY)
    at_once(app, [everything_due_happens] * 4)
    assert [len(letters(game_id, "reminder")) for game_id in games] == [1] * 10


def test_nobody_is_reminded_of_a_turn_that_he_answered(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    moves_on(game_id, ada)
    later(1.5 * DAY)
    everything_due_happens()
    assert [letter.seat for letter in letters(game_id, "reminder")] == [1]


def test_a_reminder_that_was_missed_is_not_sent_late(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    due_at = seats_of(game_id)[0].due_at
    until(due_at - 2 * HOUR)
    everything_due_happens()
    assert len(letters(game_id, "reminder")) == 1  # of the two that would have come by then
    until(due_at - HOUR)
    everything_due_happens()
    assert len(letters(game_id, "reminder")) == 1


def test_a_player_chooses_his_reminders_or_none(ada: UUID, bea: UUID) -> None:
    change_profile(ada, {"notifications": {"reminders": []}})
    change_profile(bea, {"notifications": {"reminders": ["PT1H"]}})
    game_id = game_of(ada, bea, bots=1)
    until(seats_of(game_id)[0].due_at - MINUTE)
    everything_due_happens()
    moves_on(game_id, ada)
    until(seats_of(game_id)[1].due_at - 2 * HOUR)
    everything_due_happens()
    assert letters(game_id, "reminder") == []
    until(seats_of(game_id)[1].due_at - HOUR)
    everything_due_happens()
    assert [letter.seat for letter in letters(game_id, "reminder")] == [1]


def test_reminders_follow_a_due_time_that_moves(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    until(seats_of(game_id)[0].due_at)
    everything_due_happens()
    before = len(letters(game_id, "reminder"))
    until(seats_of(game_id)[0].due_at - 3 * HOUR)
    everything_due_happens()
    assert len(letters(game_id, "reminder")) == before + 1
