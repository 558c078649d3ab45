"""A game's clock: time per move or saved up in a bank."""

from uuid import UUID

import pytest

from server.play.timing.time_control import DEFAULT_CLOCK, Bank, PerMove, first_allowance, game_clock, next_allowance
from tests.support.games import (
    BANK,
    DAY,
    HOUR,
    everything_due_happens,
    game_of,
    later,
    moves_on,
    recorded_at,
    run_until,
    seats_of,
)

# A clock by itself


def test_a_valid_clock_is_parsed():
    assert game_clock(DEFAULT_CLOCK) == PerMove(2 * DAY)
    assert game_clock({"bank": "P3D", "increment": "PT12H", "cap": "P5D"}) == Bank(3 * DAY, DAY / 2, 5 * DAY)


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({}, "bank|cap|increment"),
        ({"per_move": "2 days"}, "per_move"),
        ({"per_move": None}, "per_move"),
        ({"per_move": "P2D", "bank": "P3D"}, "bank"),
        ({"bank": "P3D", "increment": "PT12H"}, "cap"),
        ({"bank": "P6D", "increment": "PT12H", "cap": "P5D"}, "bank"),
        ({"bank": "P3D", "increment": "P6D", "cap": "P5D"}, "increment"),
        ("P2D", "clock"),
        (None, "clock"),
    ],
)
def test_an_invalid_clock_is_rejected_and_the_invalid_field_is_named(data, field):
    with pytest.raises(ValueError, match=field):
        game_clock(data)


def test_a_clock_per_move_gives_the_same_time_every_turn():
    clock = PerMove(2 * DAY)
    assert first_allowance(clock) == next_allowance(clock, 2 * DAY, DAY) == 2 * DAY


def test_a_bank_saves_unused_time_and_adds_the_increment_up_to_its_cap():
    clock = Bank(3 * DAY, DAY / 2, 5 * DAY)
    assert first_allowance(clock) == 3 * DAY
    assert next_allowance(clock, 3 * DAY, DAY) == 2.5 * DAY
    assert next_allowance(clock, 5 * DAY, HOUR) == 5 * DAY


def test_a_bank_that_is_used_up_leaves_only_the_increment():
    clock = Bank(3 * DAY, DAY / 2, 5 * DAY)
    assert next_allowance(clock, 2 * DAY, 2 * DAY) == DAY / 2
    assert next_allowance(clock, 2 * DAY, 2 * DAY + 6 * HOUR) == DAY / 2


# Banks in games


def test_a_bank_saves_the_unused_time_of_each_turn_and_adds_the_increment(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, clock=BANK)
    asked_at = recorded_at(game_id, "game-started")
    assert seats_of(game_id)[0].due_at == asked_at + 3 * DAY
    later(DAY)
    moves_on(game_id, ada)
    used = recorded_at(game_id, "star-placed") - asked_at
    assert seats_of(game_id)[1].due_at == recorded_at(game_id, "star-placed") + 3 * DAY
    moves_on(game_id, bea)
    everything_due_happens()
    kept = 3 * DAY - used + 12 * HOUR
    assert seats_of(game_id)[0].due_at == recorded_at(game_id, "star-placed") + kept


def test_a_bank_never_exceeds_its_cap(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, clock=BANK)
    for _ in range(4):
        moves_on(game_id, ada)
        moves_on(game_id, bea)
        everything_due_happens()
    assert seats_of(game_id)[0].due_at == recorded_at(game_id, "star-placed") + 4 * DAY


def test_after_a_time_extension_the_time_bank_contains_only_the_increment(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, clock=BANK)
    run_until(seats_of(game_id)[0].due_at)
    assert seats_of(game_id)[0].due_at == recorded_at(game_id, "time-extended") + DAY
    moves_on(game_id, ada)
    moves_on(game_id, bea)
    everything_due_happens()
    assert seats_of(game_id)[0].due_at == recorded_at(game_id, "star-placed") + 12 * HOUR
