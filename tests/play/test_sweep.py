"""A sweep in which one game fails still reaches all others."""

from typing import Any
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import update

from server.play.commits import load
from server.play.game import Outline
from server.play.timing import sweep
from server.play.timing.sweep import wake_due
from server.play.timing.timeouts import time_out
from server.store.tables import GameRow, db
from tests.support.games import MINUTE, everything_due_happens, game_of, happened, later, seats_of, until

pytestmark = pytest.mark.usefixtures("within")


def test_a_game_that_fails_in_a_sweep_is_retried_later_and_does_not_delay_others(
    ada: UUID, bea: UUID, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = [game_of(ada, bea, bots=1) for _ in range(3)]
    broken = games[1]

    def fails(outline: Outline, *more: Any) -> bool:
        if outline.game_id == broken:
            raise RuntimeError("This game cannot be woken")
        return time_out(outline, *more)

    monkeypatch.setattr("server.play.timing.sweep.time_out", fails)
    until(max(seats_of(game_id)[0].due_at for game_id in games))
    everything_due_happens()
    assert [happened(game_id)[-1] for game_id in games] == ["time-extended", "board-dealt", "time-extended"]
    assert "tried again later" in caplog.text
    later(4 * MINUTE)
    assert wake_due() == 0
    monkeypatch.undo()
    later(MINUTE)
    everything_due_happens()
    assert happened(broken)[-1] == "time-extended"


def test_a_game_row_that_differs_from_its_log_is_reported_and_does_not_delay_other_games(
    ada: UUID, bea: UUID, caplog: pytest.LogCaptureFixture
) -> None:
    broken, sound = (game_of(ada, bea, bots=1) for _ in range(2))
    db.session.execute(update(GameRow).where(GameRow.game_id == broken).values(version=7))
    db.session.commit()
    until(seats_of(sound)[0].due_at)
    everything_due_happens()
    assert [happened(game_id)[-1] for game_id in (broken, sound)] == ["board-dealt", "time-extended"]
    assert f"The head of game {broken} is at version 7, its log at 1" in caplog.text
    assert wake_due() == 0


def test_a_failed_sweep_does_not_postpone_the_work_of_another_sweep(
    ada: UUID, bea: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    game_id = game_of(ada, bea, bots=1)
    until(seats_of(game_id)[0].due_at)
    wake = sweep.wake

    def fails_after_another_one_was_there(*seat: Any) -> None:
        wake(*seat)
        raise RuntimeError("too late")

    monkeypatch.setattr(sweep, "wake", fails_after_another_one_was_there)
    wake_due()
    row = seats_of(game_id)[0]
    assert row.wake_at == (row.remind_at or row.due_at)


def test_a_locked_game_is_left_for_the_next_sweep(
    ada: UUID, bea: UUID, shared_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    held, other = (game_of(ada, bea, bots=1) for _ in range(2))
    until(max(seats_of(game_id)[0].due_at for game_id in (held, other)))
    db.session.rollback()
    with psycopg.connect(shared_url) as holder:
        holder.execute("SELECT FROM games WHERE game_id = %s FOR UPDATE", (held,))
        assert (wake_due(), wake_due()) == (1, 0)
    assert not caplog.records  # a sweep waiting for the lock would fail
    assert happened(other)[-1] == "time-extended"
    assert wake_due() == 1
    assert happened(held)[-1] == "time-extended"


def test_a_sweep_with_nothing_due_does_nothing(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    assert wake_due() == 0
    assert load(game_id).table.version == 1
