"""Rows as values: their fields are the columns of the tables."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from flask import Flask
from sqlalchemy import select

from server.play.commits import projected
from server.store import log, migrate
from server.store.connections import autocommit
from server.store.rows import CHANGED_BY_COMMITS, NOBODY, SEAT_COLUMNS, GameHead, Person, SeatState, TurnTime, seat_of
from server.store.tables import GameRow, Player, SeatRow, db
from tests.support.commits import a_game
from tests.support.games import game_of, person
from tests.support.rows import a_head

NOW = datetime(2026, 11, 21, 12, 0, 0, 120000, tzinfo=UTC)


def columns(table: Any, names: tuple[str, ...], found: Any) -> list[Any]:
    return list(db.session.execute(select(*(table.__table__.c[name] for name in names)).where(found)).one())


# The fields


def test_the_fields_of_row_values_are_the_columns_of_their_tables() -> None:
    assert GameHead._fields == tuple(GameRow.__table__.columns.keys())
    assert {*SEAT_COLUMNS, "game_id"} == {*SeatRow.__table__.columns.keys()}
    assert {*Person._fields} < {*Player.__table__.columns.keys()}


def test_a_commit_writes_the_columns_that_the_database_expects() -> None:
    text = migrate.FUNCTIONS.read_text("utf-8")
    (changed,) = re.findall(r"jsonb_to_recordset\(changed_seats\)\s+AS \(([^)]*)\)", text)
    assert {column.split()[0] for column in changed.split(",")} == {*CHANGED_BY_COMMITS}
    assert {*re.findall(r"head->>?'(\w+)'", text)} == projected(a_head()).keys()


# Read from JSON and from columns


def test_rows_read_from_json_equal_rows_read_from_columns(app: Flask) -> None:
    with app.app_context():
        game_id, ada, bea = a_game(), person("ada"), person("bea")
        head, seat = db.session.get_one(GameRow, game_id), db.session.get_one(SeatRow, (game_id, 0))
        head.closes_at, head.wake_at, head.outcome, head.sent_away = NOW, NOW + timedelta(days=1), {"a": 1}, ["x"]
        seat.player_id, seat.owner_id, seat.invited_by = ada, bea, bea
        for number, name in enumerate(name for name in SEAT_COLUMNS if name.endswith(("_at", "_until"))):
            setattr(seat, name, NOW + timedelta(hours=number))
        player = db.session.get_one(Player, ada)
        player.unreachable_since, player.program_since = NOW, NOW + timedelta(seconds=1)
        db.session.commit()
        people = {
            player_id: Person._make(columns(Player, Person._fields, Player.player_id == player_id))
            for player_id in (ada, bea)
        }
        seats = [
            seat_of(columns(SeatRow, SEAT_COLUMNS, (SeatRow.game_id == game_id) & (SeatRow.seat == seat)), people)
            for seat in range(2)
        ]
        with autocommit() as connection:
            read = log.read(connection, game_id)
        assert read is not None
        assert read.head == GameHead._make(columns(GameRow, GameHead._fields, GameRow.game_id == game_id))
        assert read.seats == seats
        assert (seats[0].person.program_since, seats[0].owner) == (NOW + timedelta(seconds=1), people[bea])
        assert (seats[1].person, seats[1].owner) == (NOBODY, None)


def test_a_games_outline_has_the_same_rows_as_the_full_game(app: Flask) -> None:
    with app.app_context():
        game_id = game_of(person("ada"), person("bea"), bots=1)
        with autocommit() as connection:
            game, outline = log.read(connection, game_id), log.outlines(connection, [game_id], "any")[game_id]
        assert game is not None
        assert (outline.head, outline.seats) == (game.head, game.seats)
        assert (outline.seq, outline.version, outline.hash) == (game.events[-1].seq, 1, game.events[-1].hash)


# Copies


def different() -> SeatState:
    return SeatState._make(f"{name} before" for name in SeatState._fields)


def test_the_fast_copy_methods_return_the_same_as_replace() -> None:
    seat: Any = different()
    assert seat.renumbered(7) == seat._replace(turn=7)
    time = TurnTime(NOW, 1.5, 2.5, {"zone": "UTC"})
    assert seat.with_turn(7, "greedy", time) == seat._replace(to_act=True, turn=7, stand_in="greedy", **time._asdict())
    assert seat.with_turn(7, "greedy", time).time == time
    assert seat.with_turn(None, None, time).to_act is False
    times = {"due_at": NOW, "remind_at": None, "wake_at": NOW + timedelta(hours=1)}
    assert seat.with_due_times(**times) == seat._replace(**times)
    head: Any = GameHead._make(f"{name} before" for name in GameHead._fields)
    after = {"drawn": 3, "status": "finished", "version": 9, "outcome": {"scores": [1]}}
    assert head.after(**after) == head._replace(**after)
