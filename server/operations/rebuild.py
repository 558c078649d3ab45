"""Compares a game's row, seats and index entries with its log, and recomputes them."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import select

from server.clock import clock
from server.errors import NotFound
from server.play import archive
from server.play.commits import people_of, projected
from server.play.game import Stored, readable
from server.play.table import OVER, Table
from server.play.timing.due_times import due_times, hours_of
from server.play.timing.time_control import first_allowance
from server.store import log
from server.store.connections import autocommit
from server.store.database_retry import with_retries
from server.store.log import Records
from server.store.player_games import note_end, stored_ends
from server.store.rows import GameHead, SeatState
from server.store.tables import GameRow, db


def all_games() -> list[UUID]:
    ids = list(db.session.scalars(select(GameRow.game_id)))
    db.session.rollback()
    return ids


@with_retries
def check_game(game_id: UUID) -> list[str]:
    """Return how the stored rows of a game differ from its log, in words. Raise NotFound, or Flaw if the log itself is
    wrong."""
    while True:
        records = _read(game_id)
        head, seats = _by_the_log(records)
        wrong_ends = _wrong_ends(records, head)
        if not wrong_ends or _read(game_id).head.version == records.head.version:  # otherwise the game has ended since
            return _differences(records, head, seats) + wrong_ends


@with_retries
def rebuild_game(game_id: UUID) -> list[str]:
    """Recompute the rows of a game that differ from its log, and return the former differences in words. Raise
    NotFound, or Flaw if the log itself is wrong. In both cases nothing changes."""
    while True:
        records = _read(game_id)
        head, seats = _by_the_log(records)
        differences = _differences(records, head, seats) + _wrong_ends(records, head)
        if not differences or _write(records, head, seats):
            return differences


def _read(game_id: UUID) -> Records:
    with autocommit() as connection:
        records = log.read(connection, game_id)
    if records is None:
        raise NotFound("Game not found.")
    return records._replace(head=readable(records.head))


def _by_the_log(records: Records) -> tuple[GameHead, list[SeatState]]:
    """Return a pair: the game row and the seats that follow from the log."""
    table, drawn = archive.replay(archive.start(records.head, records.seats), records.events)
    game, now = Stored(records.head, records.seats), clock.now()
    head = game.head.after(drawn, table.status, table.version, table.outcome)
    return head, [_seat(game, row, table, now) for row in game.seats]


def _seat(game: Stored, was: SeatState, table: Table, now: datetime) -> SeatState:
    """Return the row of a seat. Existing times stay, since the log lacks them. A player whose turn has no due time gets
    the full time."""
    turn, stand_in = (table.turns[was.seat], table.stand_ins[was.seat]) if table.turns else (None, None)
    row = was._replace(turn=turn, to_act=turn is not None, stand_in=stand_in)
    is_asked, bot = turn is not None and table.status == "running", was.bot or stand_in
    if bot or not is_asked:
        asked_at = was.asked_at if is_asked and stand_in else None  # the player's time continues while a bot plays
        wake_at = (was.wake_at or now) if is_asked else None
        return row._replace(asked_at=asked_at).with_due_times(None, None, wake_at)
    if was.asked_at is None or was.turn != turn:
        row = row._replace(asked_at=now, allowed=first_allowance(game.clock).total_seconds(), lent=0.0)
    row = row._replace(hours=was.hours or hours_of(game, was))
    return row if row == was and row.due_at and row.wake_at else row.with_due_times(*due_times(game, row, now))


def _differences(records: Records, head: GameHead, seats: list[SeatState]) -> list[str]:
    pairs: list[tuple[str, GameHead | SeatState, GameHead | SeatState]] = [("games", records.head, head)]
    pairs += [(f"seats, seat {row.seat}", was, row) for was, row in zip(records.seats, seats, strict=True)]
    return [
        f"{where}: {name} is {getattr(was, name)}, by the log {getattr(row, name)}"
        for where, was, row in pairs
        for name in was._fields
        if getattr(was, name) != getattr(row, name)
    ]


def _wrong_ends(records: Records, head: GameHead) -> list[str]:
    """Return where `player_games`, the index of each player's games, is wrong about whether this game is over."""
    over_at = _over_at(records, head)
    with autocommit() as connection:
        noted = stored_ends(connection, records.head.game_id, people_of(records))
    return [
        f"player_games, seat {row.seat}: over_at is {noted[row.player_id]}, by the log {over_at}"
        for row in records.seats
        if row.player_id in noted and noted[row.player_id] != over_at
    ]


def _over_at(records: Records, head: GameHead) -> datetime | None:
    return records.events[-1].recorded_at if head.status in OVER else None


def _write(records: Records, head: GameHead, seats: list[SeatState]) -> bool:
    """Write the rows. Return False if the game changed meanwhile."""
    game_id, seen = records.head.game_id, records.head.version
    changed = [row for row, was in zip(seats, records.seats, strict=True) if row != was]
    with autocommit() as connection, connection.transaction():
        written = log.record(connection, log.Entry(game_id, seen, projected(head), seats=changed))
        if written:
            note_end(connection, game_id, people_of(records), _over_at(records, head))
    return written
