"""Outages cost players no time."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import delete

from server import worker
from server.clock import clock
from server.play.commits import load
from server.play.seating.games import open_game
from server.play.seating.seats import take_seat
from server.play.timing.heartbeats import beat
from server.play.timing.outages import follow_outages
from server.store.tables import Heartbeat, Outage, db
from tests.support.games import (
    BANK,
    BOT,
    DAY,
    HOUR,
    ME,
    MINUTE,
    OPEN,
    away,
    everything_due_happens,
    game_of,
    happened,
    letters,
    moves_on,
    recorded_at,
    run_for,
    run_until,
    seats_of,
    service_is_up,
    stop_the_clock,
    turn_of,
    until,
    wanted,
)

pytestmark = pytest.mark.usefixtures("within")


def outages() -> list[Outage]:
    return list(db.session.scalars(db.select(Outage).order_by(Outage.began_at)))


@pytest.mark.parametrize("part", ["web", "worker"])
def test_an_outage_of_one_part_stops_time_outs_and_moves_deadlines(ada: UUID, bea: UUID, part: str) -> None:
    game_id = game_of(ada, bea, bots=1)
    due_at = seats_of(game_id)[0].due_at
    clock.forward(MINUTE)
    service_is_up()
    away(part, 3 * DAY)
    everything_due_happens()
    assert load(game_id).table.version == 1

    beat(part)
    (outage,) = outages()
    assert outage.part == part
    assert timedelta(0) <= outage.ended_at - outage.began_at - 3 * DAY < MINUTE
    everything_due_happens()
    moved = due_at + (outage.ended_at - outage.began_at)
    assert seats_of(game_id)[0].due_at == moved
    assert load(game_id).table.version == 1
    run_until(moved)
    assert happened(game_id)[-1] == "time-extended"


def test_hours_in_which_both_parts_were_down_count_as_one_outage(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    due_at = seats_of(game_id)[0].due_at
    clock.forward(5 * HOUR)
    service_is_up()
    everything_due_happens()
    assert len(outages()) == 2
    assert abs(seats_of(game_id)[0].due_at - due_at - 5 * HOUR) < MINUTE


@pytest.mark.parametrize("terms", [{}, {"clock": BANK}], ids=["per-move", "bank"])
def test_a_two_day_outage_does_not_count_and_does_not_trigger_time_outs(ada: UUID, bea: UUID, terms: Any) -> None:
    game_id = game_of(ada, bea, bots=1, **terms)
    due_at = seats_of(game_id)[0].due_at
    run_for(due_at - clock.now() - HOUR)
    clock.forward(2 * DAY)
    everything_due_happens()  # by a worker that does not yet know the length of its absence
    service_is_up()
    everything_due_happens()
    assert happened(game_id)[-1] == "board-dealt"
    assert letters(game_id, "time-extended") == []
    assert abs(seats_of(game_id)[0].due_at - due_at - 2 * DAY) < MINUTE
    run_until(seats_of(game_id)[0].due_at)
    assert happened(game_id)[-1] == "time-extended"


def test_an_outage_is_recorded_despite_a_locked_game_whose_deadlines_move_later(
    ada: UUID, bea: UUID, shared_url: str
) -> None:
    held, other = (game_of(ada, bea, bots=1) for _ in range(2))
    due_at = {game_id: seats_of(game_id)[0].due_at for game_id in (held, other)}

    def moved(game_id: UUID) -> timedelta:
        return seats_of(game_id)[0].due_at - due_at[game_id]

    clock.forward(MINUTE)
    service_is_up()
    away("web", 5 * HOUR)
    db.session.rollback()
    with psycopg.connect(shared_url) as holder:
        holder.execute("SELECT FROM games WHERE game_id = %s FOR UPDATE", (held,))
        holder.execute("UPDATE seats SET lent = 0 WHERE game_id = %s", (held,))
        beat("web")
        (outage,) = outages()
        follow_outages()
        assert (moved(other), moved(held)) == (outage.ended_at - outage.began_at, timedelta(0))
    follow_outages()
    assert moved(other) == moved(held)
    assert all(outage.followed for outage in outages())


def test_a_worker_that_cannot_query_due_seats_leaves_no_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(**_: object) -> int:
        raise psycopg.errors.QueryCanceled("canceling statement due to statement timeout")

    service_is_up()
    seen = heartbeats()
    clock.forward(MINUTE)
    monkeypatch.setattr("server.worker.wake_due", fails)
    with pytest.raises(psycopg.errors.QueryCanceled):
        worker._sweep()
    assert heartbeats() == seen


def test_a_heartbeat_is_not_written_again_if_the_last_one_is_recent(monkeypatch: pytest.MonkeyPatch) -> None:
    stop_the_clock(monkeypatch, clock.real())
    clock.forward(MINUTE)
    beat("worker")
    seen = heartbeats()
    clock.forward(timedelta(seconds=4))
    beat("worker")
    assert heartbeats() == seen
    clock.forward(timedelta(seconds=4))
    beat("worker")
    assert heartbeats()["worker"] > seen["worker"]


def heartbeats() -> dict[str, datetime]:
    return {part: at for part, at in db.session.execute(db.select(Heartbeat.part, Heartbeat.at))}


def test_a_returning_worker_records_its_absence_and_does_not_trigger_time_outs(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    service_is_up()
    away("worker", 3 * DAY)
    worker._sweep()
    worker._sweep()
    assert [outage.part for outage in outages()] == ["worker"]
    assert load(game_id).table.version == 1
    until(seats_of(game_id)[0].due_at)
    worker._sweep()
    assert happened(game_id)[-1] == "time-extended"


def test_a_short_gap_between_heartbeats_is_not_an_outage(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    due_at = seats_of(game_id)[0].due_at
    clock.forward(1.9 * MINUTE)
    service_is_up()
    assert outages() == []
    assert seats_of(game_id)[0].due_at == due_at


def test_a_server_whose_parts_have_not_all_started_triggers_no_time_outs(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    db.session.execute(delete(Heartbeat))
    db.session.commit()
    clock.forward(3 * DAY)
    beat("worker")
    everything_due_happens()
    assert load(game_id).table.version == 1


def test_bots_move_while_the_web_process_is_down(ada: UUID, bea: UUID) -> None:
    game_id = open_game(ada, wanted(BOT, ME, OPEN)).game_id
    take_seat(game_id, bea)
    away("web", HOUR)
    everything_due_happens()
    assert turn_of(game_id, ada) == 2


@pytest.mark.parametrize("terms", [{}, {"clock": BANK}], ids=["per-move", "bank"])
@pytest.mark.parametrize("first", ["web", "worker"])
def test_a_clock_jump_of_a_year_does_not_trigger_time_outs(ada: UUID, bea: UUID, terms: Any, first: str) -> None:
    game_id = game_of(ada, bea, bots=1, **terms)
    due_at = seats_of(game_id)[0].due_at
    clock.forward(365 * DAY)
    everything_due_happens()
    beat(first)
    everything_due_happens()
    service_is_up()
    everything_due_happens()
    assert load(game_id).table.version == 1
    assert letters(game_id, "reminder") == []
    assert abs(seats_of(game_id)[0].due_at - due_at - 365 * DAY) < MINUTE


def test_a_clock_jump_does_not_use_up_any_time_in_a_bank(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, clock=BANK)
    clock.forward(365 * DAY)
    service_is_up()
    moves_on(game_id, ada)
    moves_on(game_id, bea)
    everything_due_happens()
    assert seats_of(game_id)[0].due_at - recorded_at(game_id, "star-placed") > 3 * DAY


def test_a_clock_that_jumps_and_is_corrected_is_harmless(ada: UUID, bea: UUID) -> None:
    game_id, other = game_of(ada, bea, bots=1), game_of(ada, bea, bots=1)
    clock.forward(365 * DAY)
    service_is_up()
    moves_on(other, ada)
    everything_due_happens()
    clock.forward(-365 * DAY)
    service_is_up()
    everything_due_happens()
    for row in (seats_of(game_id)[0], seats_of(other)[1]):
        assert abs(row.due_at - clock.now() - 2 * DAY) < HOUR
    assert [letter.due_at <= clock.now() for letter in letters(other, "your-turn")] == [True, True]
    run_until(seats_of(game_id)[0].due_at)
    assert happened(game_id)[-1] == "time-extended"


def test_a_clock_set_back_a_little_is_harmless(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    due_at = seats_of(game_id)[0].due_at
    clock.forward(-MINUTE)
    service_is_up()
    everything_due_happens()
    assert moves_on(game_id, ada).first
    assert outages() == []
    assert abs(seats_of(game_id)[1].due_at - due_at) < 2 * MINUTE
