"""People who vanish, and people who are away: their games come to an end, and in time. Some of those that are simulated by
`python -m tests.bench.absences`."""

from datetime import timedelta

import pytest
from flask import Flask

from tests.bench import absences
from tests.bench.absences import simulate

pytestmark = pytest.mark.usefixtures("app", "no_limits")


def test_whoever_vanishes_or_is_away_holds_nobody_up(app: Flask) -> None:
    with app.app_context():
        outcome = simulate(20)
    assert outcome.is_well, outcome
    for kind in ("time-extended", "time-ran-out", "seat-handed-over", "stand-in-began"):
        assert outcome.happened[kind], outcome


def test_a_service_that_times_nobody_out_is_found_out(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.play.sweep.time_out", lambda *_: False)
    monkeypatch.setattr(absences, "VANISH", 1)
    with app.app_context():
        outcome = simulate(2, most_days=20)
    assert not outcome.is_well
    assert all(game.days is None and game.beyond > timedelta(0) for game in outcome.games), outcome
