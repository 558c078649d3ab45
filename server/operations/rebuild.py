"""What is made from a log (a game's head, its seats, and where players look it up), held against the log, and made anew."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import select

from server.clock import clock
from server.errors import NotFound
from server.play import archive, time_control
from server.play.commits import people_of
from server.play.due_times import with_due_time
from server.play.table import OVER, Table
from server.play.time_control import GameClock, first_allowance
from server.rules import Json
from server.store import log
from server.store.connections import autocommit
from server.store.database_retry import tried_again
from server.store.log import Records
from server.store.player_games import note_end, noted_ends
from server.store.tables import GameRow, db


def all_games() -> list[UUID]:
    """The ids of all games there are at the moment."""
    ids = list(db.session.scalars(select(GameRow.game_id)))
    db.session.rollback()
    return ids


@tried_again
def check_game(game_id: UUID) -> list[str]:
    """What is not as the log of this game says, in sentences. Raises NotFound, Flaw if the log itself is not right."""
    while True:
        records = _read(game_id)
        head, seats = _by_the_log(records)
        wrong_ends = _wrong_ends(records, head)
        if not wrong_ends or _read(game_id).head["version"] == records.head["version"]:  # else it ended meanwhile
            return _differences(records, head, seats) + wrong_ends


@tried_again
def rebuild_game(game_id: UUID) -> list[str]:
    """Make anew what is not as the log of this game says; the sentences tell how it was.

    Raises NotFound, Flaw if the log itself is not right: then nothing is changed.
    """
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
        raise NotFound("There is no such game.")
    return records


def _by_the_log(records: Records) -> tuple[Json, list[Json]]:
    """What the head and the seats of a game should be."""
    table, drawn = archive.replay(archive.start(records.head, records.seats), records.events)
    game_clock, now = time_control.game_clock(records.head["clock"]), clock.now()
    return head_of(table, drawn), [_seat(row, table, game_clock, now) for row in records.seats]


def head_of(table: Table, drawn: int) -> Json:
    return {"status": table.status, "version": table.version, "outcome": table.outcome, "drawn": drawn}


def _seat(was: Json, table: Table, game_clock: GameClock, now: datetime) -> Json:
    """Times are no projection: what is there of them stays, and who lost them gets his whole time from now on."""
    turn, stand_in = (table.turns[was["seat"]], table.stand_ins[was["seat"]]) if table.turns else (None, None)
    row = was | {"turn": turn, "to_act": turn is not None, "stand_in": stand_in}
    is_asked, bot = turn is not None and table.status == "running", was["bot"] or stand_in
    if bot or not is_asked:
        asked_at = was["asked_at"] if is_asked and stand_in else None  # his time runs on while a bot sits in
        wake_at = (was["wake_at"] or now) if is_asked else None
        return row | {"asked_at": asked_at, "due_at": None, "remind_at": None, "wake_at": wake_at}
    if was["asked_at"] is None or was["turn"] != turn:
        row |= {"asked_at": now, "allowed": first_allowance(game_clock).total_seconds(), "lent": 0.0}
    row["hours"] = was["hours"] or {"zone": was["zone"], "calendar": was["calendar"]}
    return row if row == was and row["due_at"] and row["wake_at"] else with_due_time(row, now)


def _differences(records: Records, head: Json, seats: list[Json]) -> list[str]:
    pairs = [("games", records.head, head)]
    pairs += [(f"seats, seat {row['seat']}", was, row) for was, row in zip(records.seats, seats, strict=True)]
    return [
        f"{where}: {name} is {was[name]}, by the log {row[name]}"
        for where, was, row in pairs
        for name in row
        if was[name] != row[name]
    ]


def _wrong_ends(records: Records, head: Json) -> list[str]:
    """Where a player's games are looked up, this one is noted as over though it is not, or the other way about."""
    over_at = _over_at(records, head)
    with autocommit() as connection:
        noted = noted_ends(connection, records.head["game_id"], people_of(records))
    return [
        f"player_games, seat {row['seat']}: over_at is {noted[row['player_id']]}, by the log {over_at}"
        for row in records.seats
        if noted.get(row["player_id"], over_at) != over_at
    ]


def _over_at(records: Records, head: Json) -> datetime | None:
    return records.events[-1].recorded_at if head["status"] in OVER else None


def _write(records: Records, head: Json, seats: list[Json]) -> bool:
    """False if the game went on meanwhile."""
    game_id, seen = records.head["game_id"], records.head["version"]
    changed = [row for row, was in zip(seats, records.seats, strict=True) if row != was]
    with autocommit() as connection, connection.transaction():
        written = log.record(connection, game_id, seen, head, (), changed, ())
        if written:
            note_end(connection, game_id, people_of(records), _over_at(records, head))
    return written
