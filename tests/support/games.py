"""Helpers for tests of whole games: players, tables, moves and time."""

import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import update

from server.accounts.players import player_token
from server.clock import Clock, clock
from server.errors import PlayError
from server.games import Json
from server.operations.rebuild import check_game
from server.play import moves
from server.play.commits import load, whole_log
from server.play.game import Game
from server.play.moves import legal_moves, play_move
from server.play.seating.games import open_game
from server.play.seating.seats import take_seat
from server.play.table import fold, new_table
from server.play.timing import host_clock
from server.play.timing.heartbeats import beat
from server.play.timing.outages import follow_outages
from server.play.timing.sweep import wake_due
from server.play.turns.turn_links import caller
from server.play.votes import vote
from server.store.tables import Heartbeat, LetterRow, SeatRow, db

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
PARTS = ("web", "worker")
ENGLISH = re.compile(  # words missing from German, French and Italian
    r"\b(the|and|you|your|with|of|this|that|for|from|is|are|has|have|been|moves?|turn|game)\b", re.IGNORECASE
)


def person(name: str) -> UUID:
    return caller(player_token(f"{name}@example.org", name)).player_id


def wanted(*seats: Json, **more: Any) -> Json:
    return {"rules": "sternenhimmel", "options": {"start_seat": 0}, "seats": list(seats), **more}


ME: Json = {"player": "me"}
OPEN: Json = {"open": True}
BOT: Json = {"bot": "greedy"}
BANK = {"bank": "P3D", "increment": "PT12H", "cap": "P4D"}


def game_of(*people: UUID, bots: int = 0, **more: Any) -> UUID:
    """Start a game of these players in this order, followed by bots."""
    seats = [ME, *[OPEN] * (len(people) - 1), *[BOT] * bots]
    game_id = open_game(people[0], wanted(*seats, **more)).game_id
    for who in people[1:]:
        take_seat(game_id, who)
    return game_id


def moves_of(game_id: UUID, who: UUID) -> list[Json]:
    return legal_moves(game_id, who, [])["moves"]


def turn_of(game_id: UUID, who: UUID) -> int | None:
    return legal_moves(game_id, who, [])["turn"]


def moves_on(game_id: UUID, who: UUID, number: int = 0) -> moves.Played:
    turn = turn_of(game_id, who)
    assert turn is not None
    return play_move(game_id, who, turn, moves_of(game_id, who)[number])


def all_agree(game_id: UUID, wish: str, *people: UUID) -> None:
    for who in people:
        vote(game_id, who, wish, True)


def seats_of(game_id: UUID) -> list[SeatRow]:
    db.session.rollback()
    query = db.select(SeatRow).where(SeatRow.game_id == game_id).order_by(SeatRow.seat)
    return list(db.session.scalars(query.execution_options(populate_existing=True)))


def head_of(game_id: UUID) -> Game:
    return load(game_id)


def happened(game_id: UUID) -> list[str]:
    return [event.type for event in whole_log(game_id)]


def last(game_id: UUID, type_: str) -> Any:
    return [event for event in whole_log(game_id) if event.type == type_][-1]


def letters(game_id: UUID, kind: str) -> list[LetterRow]:
    """Return a game's queued letters, oldest first, and in the order of the seats if they have the same time."""
    query = db.select(LetterRow).where(LetterRow.game_id == game_id, LetterRow.kind == kind)
    return list(db.session.scalars(query.order_by(LetterRow.made_at, LetterRow.seat)))


# Time


def stop_the_clock(monkeypatch: pytest.MonkeyPatch, at: datetime) -> None:
    """Stop the clock of this process and of the database until the test moves it."""
    monkeypatch.setattr(Clock, "real", lambda self: at)
    monkeypatch.setattr(host_clock, "_time_of_database", lambda connection: at)
    compare_with = host_clock.compare_with
    monkeypatch.setattr(host_clock, "compare_with", lambda time_of_database: compare_with(at))


def host_clock_is_off(monkeypatch: pytest.MonkeyPatch, by: timedelta) -> None:
    real = Clock.real
    monkeypatch.setattr(host_clock, "_host_clock", host_clock._HostClock())
    monkeypatch.setattr(Clock, "real", lambda self: real(self) + by)


def service_is_up() -> None:
    """Record a heartbeat of every part of the service."""
    for part in PARTS:
        beat(part)


def later(by: timedelta) -> datetime:
    """Move the clock while the service runs and return the new time."""
    clock.forward(by)
    db.session.execute(update(Heartbeat).values(at=clock.now()))
    db.session.commit()
    return clock.now()


def until(moment: datetime) -> None:
    """Move the clock to a later moment while the service runs."""
    later(moment - clock.now())


def everything_due_happens() -> None:
    """Apply outages, then sweep until nothing is due."""
    follow_outages()
    while wake_due():
        pass


def run_for(by: timedelta) -> None:
    """Move the clock while the service runs, and do what is due."""
    later(by)
    everything_due_happens()


def run_until(moment: datetime) -> None:
    until(moment)
    everything_due_happens()


def at_once(app: Flask, commits: list[Callable[[], Any]]) -> list[Any]:
    """Run all of these in threads that start together, each on its own connection."""
    start = threading.Barrier(len(commits))

    def run(commit: Callable[[], Any]) -> Any:
        with app.app_context():
            start.wait()
            return commit()

    with ThreadPoolExecutor(len(commits)) as threads:
        return list(threads.map(run, commits))


def recorded_at(game_id: UUID, type_: str) -> datetime:
    return last(game_id, type_).recorded_at


def away(part: str, by: timedelta) -> None:
    clock.forward(by)
    db.session.execute(update(Heartbeat).where(Heartbeat.part != part).values(at=clock.now()))
    db.session.commit()


def assert_log_and_projections_agree(game_id: UUID) -> None:
    assert check_game(game_id) == []
    game = load(game_id)
    rebuilt = fold(new_table(game.head.rules), whole_log(game_id))
    assert rebuilt == game.table
    assert (game.head.status, game.head.version) == (rebuilt.status, rebuilt.version)
    assert game.head.outcome == (rebuilt.ended and {"scores": rebuilt.ended.scores, "places": rebuilt.ended.places})
    seats = [(row.turn, row.to_act, row.stand_in) for row in game.seats]
    assert seats == [(turn, turn is not None, bot) for turn, bot in zip(rebuilt.turns, rebuilt.stand_ins, strict=True)]
    for row in game.seats:
        is_awaited = row.turn is not None and rebuilt.status == "running"
        assert (row.due_at is not None) == (is_awaited and game.bot_at(row.seat) is None)
        assert (row.wake_at is not None) == is_awaited


def outcome_of(act: Callable[[], object]) -> type[PlayError] | None:
    """Return the type of the error that this raises, or None."""
    try:
        act()
    except PlayError as error:
        return type(error)
    return None
