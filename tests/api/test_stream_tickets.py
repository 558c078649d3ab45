"""Tickets open one event stream for clients that cannot send headers."""

import logging
from datetime import timedelta

import pytest
from flask import Flask

from server.accounts.stream_tickets import LIFE, forget_ended_tickets
from server.clock import clock
from server.store.tables import StreamTicket, db
from tests.support.contract import Someone, is_problem, opened
from tests.support.games import BOT, ME, OPEN, stop_the_clock


def ticket_of(who: Someone) -> str:
    made = who.post("/v1/stream-tickets")
    assert made.status_code == 201, made.text
    return str(made.json["ticket"])


def streams(game: str) -> tuple[str, str]:
    return f"{game}/stream", "/v1/stream"


@pytest.fixture
def private(ada: Someone) -> str:
    return opened(ada, ME, BOT, BOT, private=True)


def test_a_ticket_opens_one_stream_with_its_creators_rights(ada: Someone, stranger: Someone, private: str) -> None:
    for path in streams(private):
        ticket = ticket_of(ada)
        told = stranger.get(f"{path}?ticket={ticket}")
        assert told.status_code == 200 and (path == "/v1/stream" or b"game-started" in told.data)
        is_problem(stranger.get(f"{path}?ticket={ticket}"), 401, "bad-token")
    is_problem(stranger.get(f"{private}/stream"), 404, "not-found")


def test_a_ticket_expires_after_half_a_minute(
    app: Flask, ada: Someone, stranger: Someone, private: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_the_clock(monkeypatch, clock.real())
    late, in_time = ticket_of(ada), ticket_of(ada)
    clock.offset += LIFE - timedelta(seconds=1)
    assert stranger.get(f"{private}/stream?ticket={in_time}").status_code == 200
    clock.offset += timedelta(seconds=1)
    is_problem(stranger.get(f"{private}/stream?ticket={late}"), 401, "bad-token")
    ticket_of(ada)
    clock.offset += LIFE
    with app.app_context():
        forget_ended_tickets()
        assert db.session.query(StreamTicket).count() == 0


def test_a_ticket_works_only_for_streams(ada: Someone, stranger: Someone, private: str) -> None:
    ticket = ticket_of(ada)
    is_problem(stranger.get("/v1/me", headers={"Authorization": f"Bearer {ticket}"}), 401, "bad-token")
    is_problem(stranger.get(f"{private}/events?ticket={ticket}"), 422, "invalid-fields")
    is_problem(stranger.get(f"{private}/stream?ticket={ada.token}"), 422, "invalid-fields")
    assert stranger.get(f"{private}/stream?ticket={ticket}").status_code == 200


def test_a_seat_tokens_ticket_works_only_for_its_game(
    app: Flask, ada: Someone, stranger: Someone, private: str
) -> None:
    made = ada.post(f"{private}/seats/me/tokens")
    of_seat = Someone(app, token=made.json["token"])
    assert stranger.get(f"{private}/stream?ticket={ticket_of(of_seat)}").status_code == 200
    for path in ("/v1/stream", f"{opened(ada, ME, OPEN, BOT)}/stream"):
        is_problem(stranger.get(f"{path}?ticket={ticket_of(of_seat)}"), 403, "one-seat-only")


def test_a_ticket_ends_with_the_token_that_created_it(ada: Someone, stranger: Someone, private: str) -> None:
    ticket = ticket_of(ada)
    assert ada.delete("/v1/tokens/current").status_code == 204
    is_problem(stranger.get(f"{private}/stream?ticket={ticket}"), 401, "bad-token")


def test_tickets_are_not_logged(
    ada: Someone, stranger: Someone, private: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    ticket = ticket_of(ada)
    stranger.get(f"{private}/stream?ticket={ticket}")
    stranger.get(f"{private}/stream?ticket={ticket}")
    told = [f"{it.getMessage()} {vars(it)}" for it in caplog.records]
    assert told and not any(ticket[-20:] in it for it in told)
