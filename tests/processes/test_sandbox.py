"""The sandbox that `up` opens: a game in every state, a movable clock, and a mailbox."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from html import escape
from pathlib import Path
from uuid import UUID

import pytest
from flask import Flask
from flask.testing import FlaskClient

from server import sandbox
from server.app import create_app
from server.clock import NOTHING, clock
from server.config import Settings
from server.games import GAMES
from server.play.commits import load
from server.play.game import Game
from server.play.votes import votes_of
from server.post.delivery import PostOffice
from server.post.smtp import carrier
from server.store.tables import GameRow, Player, db
from tests.support.games import everything_due_happens, happened, service_is_up

BASE = "http://127.0.0.1:8000"


@pytest.fixture
def opened(database_url: str, tmp_path: Path) -> Iterator[Flask]:
    wanted = {"DATABASE_URL": database_url, "STERNENPOST_SANDBOX": "on", "STERNENPOST_DATA": str(tmp_path)}
    app = create_app(Settings.from_environment(wanted))
    with app.app_context():
        service_is_up()
        yield app
        db.session.close()
        db.engine.dispose()
    clock.offset = NOTHING


def lines() -> dict[str, str]:
    """What it prints, and its page: the address behind each title."""
    told = [re.match(r" +(\S.*?)  +(\S+)$", line) for line in sandbox.open_up(BASE)]
    return {line[1]: line[2] for line in told if line} | sandbox.scenes(BASE)


def games() -> dict[str, Game]:
    db.session.rollback()
    return {row.title: load(row.game_id) for row in db.session.scalars(db.select(GameRow))}


def test_the_sandbox_has_a_game_in_every_state_and_working_links(opened: Flask) -> None:
    told, client = lines(), opened.test_client()
    everything_due_happens()
    found = games()
    assert {game.table.status for game in found.values()} == {"open", "running", "paused", "finished", "abandoned"}
    assert {game.table.rules.NAME for game in found.values()} == set(GAMES)
    assert {found[title].head.options["scenario"] for title in ("Scenario 3", "In the middle of a turn")} == {3, 4}
    assert found["In the middle of a turn"].table.rules.is_mid_turn(found["In the middle of a turn"].table.state, 0)
    assert found["Everybody chooses at once"].table.turns == (1, 1)
    assert votes_of(found["Ada wants a pause"].game_id)["pause"] == [1]
    assert (
        found["A bot plays for you"].table.stand_ins[0] == found["A bot plays for Ben"].table.stand_ins[2] == "greedy"
    )
    left = found["Fifteen minutes left"].seats[0].due_at - clock.now()
    assert 0 < left.total_seconds() <= 15 * 60
    assert list(told)[:3] == ["play", "your mail", "all sample games"]
    assert client.get(told["play"].removeprefix(BASE)).status_code == 200
    scenes = dict(sandbox.list_scenes(BASE))
    assert list(scenes) == list(sandbox.SEEDS)
    shown = client.get("/sandbox/scenes").text
    for title, link in scenes.items():
        assert escape(title) in shown
        assert client.get(link.removeprefix(BASE)).status_code in (200, 302), title
    assert client.post("/sandbox/token", json={"name": "you"}).status_code == 201
    assert {row.name for row in db.session.scalars(db.select(Player))} >= {"Robin", "Ada", "Ben"}


def test_reopening_the_sandbox_creates_nothing_new(opened: Flask) -> None:
    lines()
    before = {title: game.table.version for title, game in games().items()}
    lines()
    assert {title: game.table.version for title, game in games().items()} == before


def test_nothing_is_overdue_although_some_games_began_long_ago(opened: Flask) -> None:
    lines()
    parts = opened.test_client().get("/readyz").json["parts"]
    assert set(parts.values()) == {"ok"}, parts


def test_every_response_shows_the_sandbox_time(opened: Flask) -> None:
    client = opened.test_client()
    now = client.post("/sandbox/clock", json={"forward": "P60D"}).json["now"]
    told = datetime.fromisoformat(client.get("/v1").headers["Sandbox-Clock"])
    assert abs(told - datetime.fromisoformat(now)) < timedelta(minutes=1)


def test_sample_games_are_created_on_request_without_moving_the_clock(opened: Flask) -> None:
    client, offset = opened.test_client(), clock.offset
    for name in sandbox.SEEDS:
        made = client.post("/sandbox/scene", json={"scene": name})
        assert made.status_code == 201, made.json
        assert clock.offset == offset
        assert client.get(made.json["link"].removeprefix(opened.config["BASE_URL"])).status_code in (200, 302)
        again = client.post("/sandbox/scene", json={"scene": name}).json
        assert again["game"] != made.json["game"]
        assert load(UUID(again["game"])).table.status == load(UUID(made.json["game"])).table.status
    assert client.post("/sandbox/scene", json={"scene": "no such"}).json["code"] == "invalid-fields"
    parts = client.get("/readyz").json["parts"]
    assert set(parts.values()) == {"ok"}, parts


def test_three_days_later_the_mailbox_has_reminders_and_time_outs(
    opened: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "SEEDS", {"little time left": sandbox.SEEDS["little time left"]})
    lines()
    client, office = opened.test_client(), PostOffice(opened, carrier(opened.config["MAILBOX"]))

    def later(by: str) -> list[str]:
        """What the letters in your mailbox say then, the newest first."""
        assert client.post("/sandbox/clock", json={"forward": by}).status_code == 200
        everything_due_happens()
        while office.deliver_due():
            office.wait()
        box = client.get(f"/sandbox/mail?to={sandbox.EMAIL}", headers={"Accept": "application/json"})
        return [it["text"] for it in box.json["items"]]

    assert not any("was extended" in text for text in later("PT1M"))
    box = later("P1DT2H")
    assert [sum(words in text for text in box) for words in ("waiting for your move", "was extended")] == [2, 1]
    assert sum("was extended" in text for text in later("P3D")) == 2
    assert all("time-extended" in happened(game.game_id) for game in games().values())
    office.close(1)


def test_the_sandbox_clock_can_be_moved_only_by_a_duration(opened: Flask) -> None:
    client: FlaskClient = opened.test_client()
    for body, code in [
        ({}, "invalid-fields"),
        ({"forward": 3}, "invalid-fields"),
        ({"forward": "soon"}, "invalid-field"),
    ]:
        answer = client.post("/sandbox/clock", json=body)
        assert (answer.status_code, answer.json["code"]) == (422, code)
    assert client.post("/sandbox/clock", data={"forward": "P3D"}).status_code == 415


def test_only_a_documented_sandbox_lets_its_clock_be_moved_forward(opened: Flask, session_app: Flask) -> None:
    assert "/sandbox/clock" in opened.test_client().get("/openapi.json").json["paths"]
    assert "/sandbox/clock" not in session_app.test_client().get("/openapi.json").json["paths"]
    assert session_app.test_client().post("/sandbox/clock", json={"forward": "P3D"}).status_code == 404
