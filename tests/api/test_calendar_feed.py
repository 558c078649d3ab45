"""The calendar feed of a player's due times (RFC 5545)."""

from datetime import timedelta
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from flask import Flask
from icalendar import Calendar
from werkzeug.test import TestResponse

from tests.support.contract import Someone
from tests.support.games import DAY, everything_due_happens, game_of, later, moves_on, person, seats_of
from tests.support.players import bea, within

__all__ = ["bea", "within"]  # fixtures
pytestmark = pytest.mark.usefixtures("within")
SLOW = {"per_move": "P9D"}


def address(who: Someone) -> str:
    """Of a new feed."""
    return urlsplit(who.post("/v1/me/feed").json["url"]).path


def look(app: Flask, path: str, **headers: str) -> TestResponse:
    """As a calendar program does, without a token."""
    return app.test_client().get(path, headers=headers)


def events(app: Flask, path: str) -> list[dict[str, str]]:
    answer = look(app, path)
    assert answer.status_code == 200
    assert answer.mimetype == "text/calendar"
    calendar = Calendar.from_ical(answer.data)
    return [{name: event.decoded(name) for name in event} for event in calendar.walk("VEVENT")]


def test_each_waiting_game_is_an_event_at_its_deadline(app: Flask, ada: Someone, bea: UUID) -> None:
    path, me = address(ada), person("ada")
    slow = game_of(me, bea, bots=1, title="Slow", clock=SLOW)
    fast = game_of(me, bea, bots=1, title="Fast; a game, by \\n mail")
    game_of(bea, me, bots=1, title="Not mine to move")
    found = events(app, path)
    assert [event["SUMMARY"] for event in found] == [
        "Your move is due: Fast; a game, by \\n mail",
        "Your move is due: Slow",
    ]
    for event, game_id in zip(found, (fast, slow), strict=True):
        assert event["DTSTART"] == seats_of(game_id)[0].due_at.replace(microsecond=0)
        assert str(game_id) in event["URL"]
        assert "DTEND" not in event
    moves_on(fast, me)
    assert [event["SUMMARY"] for event in events(app, path)] == ["Your move is due: Slow"]


def test_the_feed_is_in_the_players_language(app: Flask, ada: Someone, bea: UUID) -> None:
    path = address(ada)
    game_of(person("ada"), bea, bots=1, title="Slow")
    ada.patch("/v1/me", {"locale": "de"})
    assert [event["SUMMARY"] for event in events(app, path)] == ["Dein Zug ist fällig: Slow"]


def test_the_feed_follows_a_changed_deadline(app: Flask, ada: Someone, bea: UUID) -> None:
    path = address(ada)
    game_id = game_of(person("ada"), bea, bots=1)
    (before,) = events(app, path)
    later(2 * DAY + timedelta(minutes=1))
    everything_due_happens()
    (after,) = events(app, path)
    assert after["UID"] == before["UID"]
    assert after["DTSTART"] == seats_of(game_id)[0].due_at.replace(microsecond=0) > before["DTSTART"]


def test_every_line_of_the_feed_is_valid_icalendar(app: Flask, ada: Someone, bea: UUID) -> None:
    path = address(ada)
    game_of(person("ada"), bea, bots=1, title="é" * 80)
    raw = look(app, path).data
    assert raw.startswith(b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:")
    assert raw.endswith(b"\r\nEND:VCALENDAR\r\n")
    assert all(len(line) <= 75 for line in raw.split(b"\r\n"))
    assert b"\r\nREFRESH-INTERVAL;VALUE=DURATION:PT1H\r\n" in raw


def test_the_feed_contains_no_link_that_plays_a_move(app: Flask, ada: Someone, bea: UUID) -> None:
    path = address(ada)
    game_of(person("ada"), bea, bots=1)
    text = look(app, path).data.replace(b"\r\n ", b"").decode()
    assert "/t/" not in text
    assert "/#/games/" in text


def test_an_unchanged_feed_is_not_sent_again(app: Flask, ada: Someone, bea: UUID) -> None:
    path = address(ada)
    game_id = game_of(person("ada"), bea, bots=1)
    etag = look(app, path).headers["ETag"]
    assert look(app, path, **{"If-None-Match": etag}).status_code == 304
    moves_on(game_id, person("ada"))
    assert look(app, path, **{"If-None-Match": etag}).status_code == 200


def test_a_player_can_get_replace_and_delete_the_feed_address(app: Flask, ada: Someone) -> None:
    assert ada.get("/v1/me/feed").json == {"url": None}
    first = address(ada)
    assert urlsplit(ada.get("/v1/me/feed").json["url"]).path == first
    second = address(ada)
    assert second != first
    assert look(app, first).status_code == 404
    assert look(app, second).status_code == 200
    assert ada.delete("/v1/me/feed").status_code == 204
    assert ada.get("/v1/me/feed").json == {"url": None}
    assert look(app, second).status_code == 404
