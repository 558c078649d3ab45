"""Time-outs, step by step through a game's time-out policy."""

from uuid import UUID

import pytest

from server.accounts import calendars
from server.accounts.players import change_profile
from server.clock import clock
from server.errors import StaleTurn
from server.play.commits import load
from server.play.moves import play_move
from server.play.seating.seats import take_seat
from server.play.timing.timeout_policy import (
    DEFAULT_LADDER,
    Abandon,
    BotMove,
    BotTakesOver,
    Extend,
    bot_of,
    ladder,
    rung_for,
)
from tests.support.calendars import seat_time
from tests.support.games import (
    DAY,
    HOUR,
    MINUTE,
    everything_due_happens,
    game_of,
    happened,
    last,
    letters,
    moves_on,
    recorded_at,
    run_until,
    seats_of,
    turn_of,
)

BOTS = {"greedy", "random"}
USUAL = (Extend(DAY, 1), BotMove("greedy", 2), BotTakesOver("greedy"))


# A policy by itself


def test_the_default_policy_extends_then_moves_by_bot_then_hands_over_the_seat():
    assert ladder(DEFAULT_LADDER, BOTS) == USUAL
    assert rung_for(USUAL, extended=0, missed=0) == Extend(DAY, 1)
    assert rung_for(USUAL, extended=1, missed=0) == BotMove("greedy", 2)
    assert rung_for(USUAL, extended=1, missed=1) == BotMove("greedy", 2)
    assert rung_for(USUAL, extended=1, missed=2) == BotTakesOver("greedy")


def test_steps_of_the_same_kind_are_used_up_in_order():
    rungs = (Extend(DAY, 1), BotMove("greedy", 1), Extend(HOUR, 2), BotMove("random", 1), Abandon())
    assert rung_for(rungs, extended=1, missed=1) == Extend(HOUR, 2)
    assert rung_for(rungs, extended=3, missed=1) == BotMove("random", 1)
    assert rung_for(rungs, extended=3, missed=2) == Abandon()


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ([], "1 to 10"),
        (None, "list"),
        ([{"do": "abandon"}, {"do": "abandon"}], "Only the last step"),
        ([{"do": "extend", "by": "P1D", "times": 1}], "Only the last step"),
        ([{"do": "wait"}], "do"),
        ([{}], "do"),
        (["abandon"], "do"),
        ([{"do": ["abandon"]}], "do"),
        ([{"do": "abandon", "bot": "greedy"}], "bot"),
        ([{"do": "bot-takes-over"}], "bot"),
        ([{"do": "bot-takes-over", "bot": "skynet"}], "one of greedy, random"),
        ([{"do": "bot-takes-over", "bot": []}], "one of greedy, random"),
        ([{"do": "extend", "by": "P1D", "times": 0}, {"do": "abandon"}], "times"),
        ([{"do": "extend", "by": "P1D", "times": True}, {"do": "abandon"}], "times"),
        ([{"do": "extend", "by": "P1D"}, {"do": "abandon"}], "times"),
        ([{"do": "extend", "by": "soon", "times": 1}, {"do": "abandon"}], "by"),
        (11 * [{"do": "abandon"}], "1 to 10"),
    ],
)
def test_an_invalid_time_out_policy_is_rejected(data, complaint):
    with pytest.raises(ValueError, match=complaint):
        ladder(data, BOTS)


def test_the_policys_last_bot_replaces_a_player_who_leaves():
    assert bot_of((BotMove("random", 1), Abandon())) == "random"
    assert bot_of(USUAL) == bot_of((Abandon(),)) == "greedy"


# In games


def test_a_turn_is_due_exactly_when_the_counted_time_has_passed(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    due_at = seats_of(game_id)[0].due_at
    assert due_at == recorded_at(game_id, "game-started") + 2 * DAY
    run_until(due_at - MINUTE)
    assert load(game_id).table.version == 1
    run_until(due_at)
    assert load(game_id).table.version == 2


def test_the_default_policy_is_followed_step_by_step(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)

    run_until(seats_of(game_id)[0].due_at)
    assert last(game_id, "time-extended").body == {"by": "P1D"}
    assert turn_of(game_id, ada) == 1  # it is still the same turn
    assert seats_of(game_id)[0].due_at == recorded_at(game_id, "time-extended") + DAY
    assert letters(game_id, "time-extended")[0].seat == 0

    run_until(seats_of(game_id)[0].due_at)
    assert (last(game_id, "time-ran-out").seat, last(game_id, "time-ran-out").body) == (0, {"bot": "greedy"})
    assert last(game_id, "time-ran-out").version == last(game_id, "star-placed").version
    assert len(letters(game_id, "bot-moved")) == 1

    moves_on(game_id, bea)
    everything_due_happens()
    assert seats_of(game_id)[0].due_at == recorded_at(game_id, "star-placed") + 2 * DAY
    run_until(seats_of(game_id)[0].due_at)
    assert happened(game_id).count("time-ran-out") == 2  # one game has only one extension

    moves_on(game_id, bea)
    everything_due_happens()
    run_until(seats_of(game_id)[0].due_at)
    assert last(game_id, "time-ran-out").body == {"bot": None}
    assert last(game_id, "seat-handed-over").body == {"bot": "greedy", "why": "time"}
    assert len(letters(game_id, "seat-handed-over")) == 1

    moves_on(game_id, bea)
    everything_due_happens()
    assert turn_of(game_id, bea) is not None  # the game does not wait for ada now
    assert happened(game_id).count("time-ran-out") == 3


def test_the_players_own_move_resets_the_count_of_consecutive_time_outs(ada: UUID, bea: UUID) -> None:
    ladder = [{"do": "bot-move", "bot": "greedy", "times": 1}, {"do": "bot-takes-over", "bot": "greedy"}]
    game_id = game_of(ada, bea, bots=1, on_timeout=ladder)
    for present in (False, True, False):
        if present:
            moves_on(game_id, ada)
        else:
            run_until(seats_of(game_id)[0].due_at)
        moves_on(game_id, bea)
        everything_due_happens()
    assert happened(game_id).count("time-ran-out") == 2
    assert "seat-handed-over" not in happened(game_id)
    run_until(seats_of(game_id)[0].due_at)
    assert "seat-handed-over" in happened(game_id)


def test_returning_resets_the_count_of_time_outs(ada: UUID, bea: UUID) -> None:
    ladder = [{"do": "bot-move", "bot": "greedy", "times": 1}, {"do": "bot-takes-over", "bot": "greedy"}]
    game_id = game_of(ada, bea, bots=1, on_timeout=ladder)
    for _ in range(2):
        run_until(seats_of(game_id)[0].due_at)
        moves_on(game_id, bea)
        everything_due_happens()
    take_seat(game_id, ada)
    moves_on(game_id, bea)
    everything_due_happens()
    run_until(seats_of(game_id)[0].due_at)
    assert last(game_id, "time-ran-out").body == {"bot": "greedy"}
    assert happened(game_id).count("seat-handed-over") == 1


def test_a_time_out_policy_can_end_with_abandoning_the_game(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, on_timeout=[{"do": "abandon"}])
    run_until(seats_of(game_id)[0].due_at)
    assert happened(game_id)[-2:] == ["time-ran-out", "game-abandoned"]
    game = load(game_id)
    assert (game.table.status, game.head.outcome) == ("abandoned", None)
    assert [(seat.turn, seat.due_at, seat.wake_at) for seat in seats_of(game_id)] == [(None, None, None)] * 3
    assert {letter.seat for letter in letters(game_id, "game-abandoned")} == {0, 1}
    with pytest.raises(StaleTurn):
        play_move(game_id, ada, 1, {"star": "1", "board": "leo", "space": "a"})


def test_time_extensions_are_limited_and_counted_per_seat(ada: UUID, bea: UUID) -> None:
    ladder = [{"do": "extend", "by": "PT6H", "times": 2}, {"do": "bot-takes-over", "bot": "random"}]
    game_id = game_of(ada, bea, bots=1, on_timeout=ladder)
    for _ in range(2):
        run_until(seats_of(game_id)[0].due_at)
        assert seats_of(game_id)[0].due_at == recorded_at(game_id, "time-extended") + 6 * HOUR
    moves_on(game_id, ada)
    run_until(seats_of(game_id)[1].due_at)
    assert (happened(game_id).count("time-extended"), last(game_id, "time-extended").seat) == (3, 1)


def test_a_player_can_get_a_time_extension_after_a_bot_has_moved_for_them(ada: UUID, bea: UUID) -> None:
    bot_move = {"do": "bot-move", "bot": "greedy", "times": 1}
    extension = {"do": "extend", "by": "PT6H", "times": 1}
    game_id = game_of(ada, bea, bots=1, on_timeout=[bot_move, extension, {"do": "abandon"}])
    run_until(seats_of(game_id)[0].due_at)
    assert last(game_id, "time-ran-out").body == {"bot": "greedy"}
    moves_on(game_id, bea)
    everything_due_happens()
    run_until(seats_of(game_id)[0].due_at)
    assert happened(game_id)[-1] == "time-extended"
    assert seats_of(game_id)[0].due_at == recorded_at(game_id, "time-extended") + 6 * HOUR
    assert [letter.seat for letter in letters(game_id, "time-extended")] == [0]


def test_hours_that_do_not_count_delay_a_players_due_time(ada: UUID, bea: UUID) -> None:
    change_profile(ada, {"calendar": {"night": "00:00-12:00"}})
    game_id = game_of(ada, bea, bots=1)
    asked_at, due_at = seats_of(game_id)[0].asked_at, seats_of(game_id)[0].due_at
    assert due_at - asked_at >= 3.5 * DAY
    assert due_at == seat_time(calendars.calendar({"night": "00:00-12:00"}, "UTC")).due(asked_at, 2 * DAY)


def test_a_changed_calendar_applies_from_the_next_turn(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    due_at = seats_of(game_id)[0].due_at
    today = clock.now().date()
    away = {"from": today.isoformat(), "to": (today + 20 * DAY).isoformat()}
    change_profile(ada, {"calendar": {"vacations": [away]}, "zone": "Europe/Berlin"})
    run_until(due_at - HOUR)
    assert seats_of(game_id)[0].due_at == due_at
    run_until(due_at)
    assert happened(game_id)[-1] == "time-extended"
    assert seats_of(game_id)[0].due_at == recorded_at(game_id, "time-extended") + DAY
    moves_on(game_id, ada)
    moves_on(game_id, bea)
    everything_due_happens()
    assert seats_of(game_id)[0].due_at > due_at + 15 * DAY
