"""Reminders: when players are warned that their time is running out."""

from datetime import timedelta
from uuid import UUID

import pytest
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st

from server.accounts.players import change_profile
from server.accounts.preferences import DEFAULT_REMINDERS, thresholds
from server.play.commits import load
from tests.support.calendars import SLEEPER, berlin, calendars, counted_time, due_at, moments, seat_time, utc
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
    run_for,
    run_until,
    seats_of,
)

NONE = timedelta(0)


# Reminder times


def test_by_default_reminders_are_due_halfway_and_three_hours_before_the_end():
    asked, due = utc("2026-11-20 12:00"), utc("2026-11-22 12:00")
    assert seat_time().reminders(asked, due) == [utc("2026-11-21 12:00"), utc("2026-11-22 09:00")]


def test_half_the_time_means_half_the_counted_time():
    asked = berlin("2026-11-20 20:00")
    due = due_at(asked, 8 * HOUR, SLEEPER)
    assert seat_time(SLEEPER).reminders(asked, due, ["half"]) == [berlin("2026-11-21 10:00")]


def test_a_reminder_at_night_waits_for_the_morning():
    asked, due = berlin("2026-11-20 20:00"), berlin("2026-11-21 14:00")
    assert seat_time(SLEEPER).reminders(asked, due, ["PT11H", "PT3H"]) == [
        berlin("2026-11-21 08:00"),
        berlin("2026-11-21 11:00"),
    ]


def test_a_reminder_delayed_past_the_next_one_is_skipped():
    asked, due = berlin("2026-11-20 20:00"), berlin("2026-11-21 10:00")
    assert seat_time(SLEEPER).reminders(asked, due, ["PT8H", "PT2H"]) == [berlin("2026-11-21 08:00")]


def test_the_last_reminder_is_sent_even_at_night():
    asked, due = berlin("2026-11-20 20:00"), berlin("2026-11-21 09:00")
    assert seat_time(SLEEPER).reminders(asked, due, ["PT3H"]) == [berlin("2026-11-21 06:00")]


def test_reminders_are_between_the_start_and_the_due_time_and_each_is_sent_once():
    asked, due = utc("2026-11-20 12:00"), utc("2026-11-20 18:00")
    assert seat_time().reminders(asked, due, ["PT3H", "half", "PT6H", "P1D"]) == [utc("2026-11-20 15:00")]
    assert seat_time().reminders(asked, due, []) == []


@given(moments, st.timedeltas(MINUTE, 20 * DAY), calendars)
def test_reminders_are_in_order_and_only_the_last_can_be_sent_in_hours_that_do_not_count(asked, allowed, calendar):
    due = due_at(asked, allowed, calendar)
    times = seat_time(calendar).reminders(asked, due, ["P1D", "half", "PT12H", "PT3H", "PT15M"])
    assert times == sorted(set(times))
    assert all(asked < moment < due for moment in times)
    assert all(counted_time(moment, moment + MINUTE, calendar) > NONE for moment in times[:-1])


def test_the_next_reminder_is_never_in_the_past():
    asked, due = utc("2026-11-20 12:00"), utc("2026-11-22 12:00")
    half, last = seat_time().reminders(asked, due)
    assert seat_time().next_reminder(asked, due, DEFAULT_REMINDERS, after=asked) == half
    assert seat_time().next_reminder(asked, due, DEFAULT_REMINDERS, after=half) == last
    assert seat_time().next_reminder(asked, due, DEFAULT_REMINDERS, after=last) is None


def test_reminder_thresholds_are_a_short_list_of_durations():
    assert thresholds(["half", "PT3H"]) == ["half", "PT3H"]
    for wrong in (["third"], [3], [None], "half", None, 6 * ["PT3H"], {"half": 1}):
        with pytest.raises(ValueError, match="reminders"):
            thresholds(wrong)


# In games


def test_each_reminder_is_sent_once_halfway_and_three_hours_before_the_end(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    due_at = seats_of(game_id)[0].due_at
    for number, moment in enumerate([due_at - DAY, due_at - 3 * HOUR]):
        run_until(moment - MINUTE)
        assert len(letters(game_id, "reminder")) == number
        run_until(moment)
        assert len(letters(game_id, "reminder")) == number + 1
        run_for(MINUTE)
    assert [letter.seat for letter in letters(game_id, "reminder")] == [0, 0]
    assert load(game_id).table.version == 1  # a reminder is no commit


def test_only_one_of_several_workers_sends_a_reminder(app: Flask, ada: UUID, bea: UUID) -> None:
    games = [game_of(ada, bea, bots=1) for _ in range(10)]
    later(DAY)
    at_once(app, [everything_due_happens] * 4)
    assert [len(letters(game_id, "reminder")) for game_id in games] == [1] * 10


def test_no_reminder_is_sent_for_a_turn_that_was_played(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    moves_on(game_id, ada)
    run_for(1.5 * DAY)
    assert [letter.seat for letter in letters(game_id, "reminder")] == [1]


def test_a_missed_reminder_is_not_sent_late(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    due_at = seats_of(game_id)[0].due_at
    run_until(due_at - 2 * HOUR)
    assert len(letters(game_id, "reminder")) == 1  # of the two that were due by then
    run_until(due_at - HOUR)
    assert len(letters(game_id, "reminder")) == 1


def test_a_player_can_choose_the_times_of_reminders_or_turn_them_off(ada: UUID, bea: UUID) -> None:
    change_profile(ada, {"notifications": {"reminders": []}})
    change_profile(bea, {"notifications": {"reminders": ["PT1H"]}})
    game_id = game_of(ada, bea, bots=1)
    run_until(seats_of(game_id)[0].due_at - MINUTE)
    moves_on(game_id, ada)
    run_until(seats_of(game_id)[1].due_at - 2 * HOUR)
    assert letters(game_id, "reminder") == []
    run_until(seats_of(game_id)[1].due_at - HOUR)
    assert [letter.seat for letter in letters(game_id, "reminder")] == [1]


def test_reminders_follow_a_changed_deadline(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    run_until(seats_of(game_id)[0].due_at)
    before = len(letters(game_id, "reminder"))
    run_until(seats_of(game_id)[0].due_at - 3 * HOUR)
    assert len(letters(game_id, "reminder")) == before + 1
