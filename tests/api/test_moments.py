"""Times have six decimals everywhere, even on a whole second."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from flask import Flask

from server.api.event_streams import EventStream
from server.play.story.event_feed import follow_game
from tests.support.api_calls import first_move, further
from tests.support.commands import run
from tests.support.contract import Someone, expect_one_form_of_moments, opened
from tests.support.games import BOT, ME, OPEN, stop_the_clock

WHOLE = datetime(2031, 5, 4, 18, 30, tzinfo=UTC)
WRITTEN = "2031-05-04T18:30:00.000000Z"


@pytest.fixture(autouse=True)
def house(app: Flask, shared_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    monkeypatch.setenv("DATABASE_URL", shared_url)
    stop_the_clock(monkeypatch, WHOLE)
    with app.app_context():
        yield app


@pytest.fixture
def path(ada: Someone, bea: Someone) -> str:
    """A game in which Ada has moved."""
    path = opened(ada, ME, OPEN, BOT, options={"start_seat": 0})
    bea.post(f"{path}/seats")
    ada.post(f"{path}/moves", first_move(ada, path))
    return path


def test_times_in_responses_have_six_decimal_places(app: Flask, ada: Someone, path: str) -> None:
    """The client of these tests looks at every moment in an answer."""
    bot = further(app, ada, expires_at="2031-05-05T20:00:00+02:00")
    assert ada.get(path).json["made_at"] == WRITTEN
    assert {it["at"] for it in ada.get(f"{path}/events").json["items"]} == {WRITTEN}
    assert "2031-05-05T18:00:00.000000Z" in [it["expires_at"] for it in bot.get("/v1/tokens").json["items"]]
    ada.post("/v1/webhooks", {"url": "https://example.org/hook", "kinds": ["your-turn"]})
    for address in ("/v1/me/export", "/v1/webhooks", "/v1/games", f"{path}/votes", "/v1/me"):
        assert ada.get(address).status_code == 200
    assert WRITTEN in ada.get("/v1/me/export").text


def test_times_in_streams_have_six_decimal_places(ada: Someone, path: str) -> None:
    follower = follow_game(UUID(path.rpartition("/")[2]), None, None, 0)
    assert follower is not None
    told = [json.loads(line[6:]) for line in b"".join(EventStream(follower)).splitlines() if line.startswith(b"data: ")]
    assert {it["at"] for it in told} == {WRITTEN}


def test_commands_print_json_times_with_six_decimal_places(ada: Someone, path: str, tmp_path: Path) -> None:
    assert json.loads(run("players", "list", "--json"))[0]["made_at"] == WRITTEN
    run("export", "--player", "ada@example.org", tmp_path)
    (file,) = tmp_path.iterdir()
    expect_one_form_of_moments(json.loads(file.read_text("utf-8")))
    assert WRITTEN in file.read_text("utf-8")
