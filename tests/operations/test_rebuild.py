"""`check` and `rebuild` compare and restore what is derived from a log."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from flask import Flask
from sqlalchemy import select, update

from server.accounts.players import change_profile
from server.clock import clock
from server.games import Json
from server.operations import rebuild
from server.operations.rebuild import all_games, check_game, rebuild_game
from server.play.commits import load
from server.play.seating.games import open_game
from server.play.seating.seats import leave, take_seat
from server.play.votes import vote
from server.store.connections import autocommit
from server.store.tables import GameRow, LetterRow, PlayerGame, SeatRow, db
from tests.support.commands import ask as run
from tests.support.games import (
    BOT,
    DAY,
    HOUR,
    ME,
    OPEN,
    everything_due_happens,
    later,
    moves_on,
    person,
    seats_of,
    wanted,
)
from tests.support.random_games import Table, short_night

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


pytestmark = pytest.mark.usefixtures("commands")


@pytest.fixture
def running() -> UUID:
    """Start a game: Ada (0) is on turn, a bot stands in for Bea (1), a bot sits at 2."""
    ada, bea = person("ada"), person("bea")
    game_id = open_game(ada, wanted(ME, OPEN, BOT)).game_id
    take_seat(game_id, bea)
    moves_on(game_id, ada)
    leave(game_id, bea)
    everything_due_happens()
    return game_id


def stored(game_id: UUID) -> tuple[Json, list[Json]]:
    db.session.rollback()
    (head,) = db.session.execute(select(GameRow.__table__).where(GameRow.game_id == game_id)).mappings()
    seats = db.session.execute(
        select(SeatRow.__table__).where(SeatRow.game_id == game_id).order_by(SeatRow.seat)
    ).mappings()
    return dict(head), [dict(row) for row in seats]


def damage(game_id: UUID, seat: int | None = None, **values: Any) -> None:
    where = (GameRow.game_id == game_id) if seat is None else (SeatRow.game_id == game_id) & (SeatRow.seat == seat)
    db.session.execute(update(GameRow if seat is None else SeatRow).where(where).values(**values))
    db.session.commit()


# Everything right


def test_healthy_games_of_any_kind_produce_no_findings(running: UUID) -> None:
    open_game(person("cyd"), wanted(ME, OPEN, {"email": "dan@example.org"}))
    short_night()
    paused = Table({"ada": "", "bea": ""}, bots=1)
    paused.move()
    paused.agree("pause")
    before = [stored(game_id) for game_id in all_games()]
    assert len(before) == 4
    for command in ("check", "rebuild"):
        answer = run(command)
        assert (answer.exit_code, answer.stdout) == (0, "")
        assert "4 of 4 games" in answer.stderr
    assert [stored(game_id) for game_id in all_games()] == before


def test_a_rebuild_does_not_change_the_time_of_a_turn_that_a_bot_took_over(running: UUID) -> None:
    ada = person("ada")
    later(HOUR)
    leave(running, ada)
    left = stored(running)
    assert left[1][0]["asked_at"] is not None
    assert rebuild_game(running) == []
    assert stored(running) == left


# Damage

HEAD: list[Json] = [
    {"status": "finished"},
    {"version": 99},
    {"version": 0},
    {"outcome": {"scores": [1, 2, 3], "places": [3, 2, 1]}},
    {"drawn": 0},
    {"status": "open", "version": 1, "drawn": 1},
]


@pytest.mark.parametrize("values", HEAD, ids=str)
def test_a_damaged_game_row_is_found_and_rebuilt(running: UUID, values: Json) -> None:
    before = stored(running)
    damage(running, **values)
    checked = run("check", running)
    assert checked.exit_code == 1
    assert sorted(line.split(": ")[2].split(" is ")[0] for line in checked.stdout.splitlines()) == sorted(values)
    tried = run("rebuild", "--dry-run", running)
    assert (tried.exit_code, tried.stdout) == (0, checked.stdout)
    assert stored(running) != before
    done = run("rebuild", running)
    assert (done.exit_code, done.stdout) == (0, checked.stdout)
    assert stored(running) == before
    assert run("check").exit_code == 0


SEATS: list[tuple[int, Json]] = [
    (0, {"to_act": False}),
    (0, {"due_at": None}),
    (0, {"wake_at": None}),
    (0, {"hours": None}),
    (1, {"to_act": True, "turn": 3}),
    (1, {"stand_in": None}),
    (1, {"stand_in": "random"}),
    (2, {"turn": 1, "wake_at": LONG_AGO}),
    (2, {"stand_in": "greedy"}),
    (2, {"due_at": LONG_AGO}),
]


@pytest.mark.parametrize(("seat", "values"), SEATS, ids=str)
def test_a_damaged_seat_is_found_and_rebuilt(running: UUID, seat: int, values: Json) -> None:
    before = stored(running)
    damage(running, seat, **values)
    assert f"seats, seat {seat}: {next(iter(values))} is" in run("check", running).stdout
    assert run("rebuild", running).exit_code == 0
    assert stored(running) == before


@pytest.mark.parametrize("is_over", [True, False])
def test_a_wrong_status_of_a_game_is_found_and_rebuilt(running: UUID, is_over: bool) -> None:
    if is_over:
        vote(running, person("ada"), "abandon", True)  # a bot has Bea's seat
    noted = select(PlayerGame.over_at).where(PlayerGame.game_id == running)
    before = db.session.scalars(noted).all()
    assert {it is not None for it in before} == {is_over}
    db.session.execute(update(PlayerGame).values(over_at=None if is_over else LONG_AGO))
    db.session.commit()
    found = run("check", running)
    assert (found.exit_code, found.stdout.count("over_at is")) == (1, 2)
    assert run("rebuild", running).stdout == found.stdout
    db.session.rollback()
    assert db.session.scalars(noted).all() == before
    assert run("check", running).exit_code == 0


def test_a_rebuild_restores_a_lost_turn_with_its_full_time(running: UUID) -> None:
    later(DAY)
    turn = seats_of(running)[0].turn
    damage(running, 0, to_act=False, turn=None, asked_at=None, due_at=None, remind_at=None, wake_at=None)
    assert run("rebuild", running).exit_code == 0
    row = seats_of(running)[0]
    assert (row.turn, row.to_act) == (turn, True)
    assert abs(row.due_at - clock.now() - 2 * DAY) < HOUR
    later(2 * DAY + HOUR)
    everything_due_happens()
    assert load(running).table.extended[0] == 1


def test_a_rebuild_restores_lost_calendar_hours_from_the_profile(running: UUID) -> None:
    calendar = {"night": "22:00-08:00"}
    change_profile(person("ada"), {"zone": "Europe/Berlin", "calendar": calendar})
    later(HOUR)
    damage(running, 0, hours=None)
    assert run("rebuild", running).exit_code == 0
    assert seats_of(running)[0].hours == {"zone": "Europe/Berlin", "calendar": calendar}
    assert check_game(running) == []
    moves_on(running, person("ada"))


def test_a_rebuild_makes_a_bot_move_whose_due_time_was_lost() -> None:
    game_id = open_game(person("ada"), wanted(BOT, ME, BOT)).game_id
    damage(game_id, 0, wake_at=None)
    everything_due_happens()
    assert load(game_id).table.version == 1
    assert run("rebuild", game_id).exit_code == 0
    everything_due_happens()
    assert load(game_id).table.version == 2


def test_a_rebuild_does_not_write_events_or_emails(running: UUID) -> None:
    def written() -> tuple[int, int]:
        return load(running).table.seq, len(db.session.scalars(select(LetterRow)).all())

    before = written()
    damage(running, version=1, status="open")
    damage(running, 0, turn=None, to_act=False)
    assert run("rebuild").exit_code == 0
    assert written() == before


def test_check_checks_every_game_or_only_the_named_one(running: UUID) -> None:
    other = open_game(person("ada"), wanted(ME, BOT, BOT)).game_id
    for game_id in (running, other):
        damage(game_id, drawn=0)
    assert {line.split(":")[0] for line in run("check").stdout.splitlines()} == {str(running), str(other)}
    assert run("rebuild", other).exit_code == 0
    assert {line.split(":")[0] for line in run("check").stdout.splitlines()} == {str(running)}


def test_a_move_during_a_rebuild_takes_precedence_over_the_rebuild(
    running: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A player moves between the check and the write: the repair checks again."""
    damage(running, drawn=0)
    write, moved = rebuild._write, []

    def slowly(*found: Any) -> bool:
        if not moved:
            moved.append(moves_on(running, person("ada")))
        return write(*found)

    monkeypatch.setattr(rebuild, "_write", slowly)
    rebuild_game(running)
    assert moved
    assert check_game(running) == []


# Damaged logs


def tamper(shared_url: str, change: str, game_id: UUID) -> None:
    """Change the log, as only the tables' owner can."""
    with psycopg.connect(shared_url) as owner:
        owner.execute("ALTER TABLE events DISABLE TRIGGER USER")
        owner.execute(change, {"game": game_id})
        owner.execute("ALTER TABLE events ENABLE TRIGGER USER")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE events SET body = body || '{\"start\": 1}' WHERE game_id = %(game)s AND type = 'boards-shuffled'",
        "UPDATE events SET recorded_at = recorded_at + interval '1 s' WHERE game_id = %(game)s AND seq = 2",
        "UPDATE events SET hash = '' WHERE game_id = %(game)s AND seq = 2",
        "DELETE FROM events WHERE game_id = %(game)s AND seq = 2",
    ],
)
def test_a_log_that_was_tampered_with_is_reported_and_stays_unchanged(
    running: UUID, shared_url: str, change: str
) -> None:
    tamper(shared_url, change, running)
    damage(running, drawn=0)
    before = stored(running)
    for command in (["check"], ["rebuild"], ["rebuild", "--dry-run"]):
        answer = run(*command, running)
        assert answer.exit_code == 1
        assert answer.stdout.startswith(f"{running}: Event ")
    assert stored(running) == before


def test_check_finds_game_terms_that_differ_from_the_log(running: UUID) -> None:
    damage(running, on_timeout=[{"do": "abandon"}])
    answer = run("check", running)
    assert answer.exit_code == 1
    assert "Event 1 (game-started): terms is" in answer.stdout


def test_a_missing_game_cannot_be_checked(app: Flask) -> None:
    for command in ("check", "rebuild"):
        answer = run(command, uuid4())
        assert answer.exit_code == 1
        assert "Game not found." in answer.stdout


def test_the_database_role_of_the_app_can_rebuild_games(running: UUID) -> None:
    with autocommit() as connection:
        assert connection.execute("SELECT current_user").fetchone() == ("sternenpost_app",)
    damage(running, drawn=0)
    assert rebuild_game(running) == ["games: drawn is 0, by the log 11"]
