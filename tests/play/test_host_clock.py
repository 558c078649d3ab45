"""A machine with a wrong clock writes no moves, time-outs or heartbeats."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from flask import Flask

from server import worker
from server.clock import clock
from server.play.commits import load
from server.play.timing.heartbeats import beat
from server.play.timing.sweep import wake_due
from server.store.database_retry import Unavailable
from server.store.tables import Heartbeat, db
from tests.support import games
from tests.support.contract import Someone

pytestmark = pytest.mark.usefixtures("within")


def heartbeats() -> dict[str, datetime]:
    return {row.part: row.at for row in db.session.scalars(db.select(Heartbeat))}


@pytest.mark.parametrize("by", [2 * games.DAY, -2 * games.DAY, timedelta(minutes=2, seconds=30)])
def test_a_move_is_rejected_while_the_clock_is_wrong(
    ada: UUID, bea: UUID, monkeypatch: pytest.MonkeyPatch, by: timedelta
) -> None:
    game_id = games.game_of(ada, bea, bots=1)
    version = load(game_id).table.version
    with monkeypatch.context() as patch:
        games.host_clock_is_off(patch, by)
        with pytest.raises(Unavailable):
            games.moves_on(game_id, ada)
    assert load(game_id).table.version == version
    games.moves_on(game_id, ada)
    assert load(game_id).table.version > version


def test_a_web_process_responds_with_503_while_its_clock_is_wrong(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    me = games.person("ada")
    game_id = games.game_of(me, games.person("ben"), games.person("cleo"))
    body = {"turn": games.turn_of(game_id, me), "move": games.moves_of(game_id, me)[0]}
    ada = Someone(app, "ada")
    games.host_clock_is_off(monkeypatch, 30 * games.MINUTE)
    answer = ada.post(f"/v1/games/{game_id}/moves", body)
    assert (answer.status_code, answer.json["code"]) == (503, "unavailable")
    monkeypatch.undo()
    assert ada.post(f"/v1/games/{game_id}/moves", body).status_code == 201


def test_time_outs_stop_while_the_workers_clock_is_ahead(
    ada: UUID, bea: UUID, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    game_id = games.game_of(ada, bea, bots=1)
    games.service_is_up()
    due_at, seen = games.seats_of(game_id)[0].due_at, heartbeats()
    with monkeypatch.context() as patch:
        games.host_clock_is_off(patch, 30 * games.DAY)
        for _ in range(3):
            worker._sweep()
            beat("web")
            assert wake_due() == 0
        assert (heartbeats(), games.seats_of(game_id)[0].due_at) == (seen, due_at)
        assert len(caplog.messages) == 1
        assert caplog.messages[0].startswith("This process commits nothing")
        assert "ahead of the database's" in caplog.messages[0]
        games.host_clock_is_off(patch, -30 * games.DAY)  # on top, so that the clock is right again
        clock.forward(games.MINUTE)
        worker._sweep()
    assert heartbeats()["worker"] > seen["worker"]


def test_a_sandbox_clock_moved_forward_counts_as_correct(ada: UUID, bea: UUID) -> None:
    clock.forward(400 * games.DAY)
    games.service_is_up()
    game_id = games.game_of(ada, bea, bots=1)
    games.moves_on(game_id, ada)
    assert load(game_id).table.version > 1
