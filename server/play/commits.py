"""Loading a game, and adding one commit to its log: events, due times and letters, or nothing if the game has gone on
(an optimistic lock on its version)."""

import logging
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg

from server.clock import Stretch
from server.errors import NotFound
from server.play import letters
from server.play.due_times import asked_again, extended, timed
from server.play.events import MoveTakenBack, StandInEnded, TimeExtended
from server.play.game import Game, Outline
from server.play.table import OVER, Table, fold, goes_behind, new_table, next_commit, type_name
from server.play.table_cache import tables
from server.rules import GAMES, Json, Seat, commitment, newest_revision
from server.store import log
from server.store.connections import autocommit
from server.store.database_retry import Unavailable
from server.store.log import OutlineRecords, Recorded, Records
from server.store.notify import notifier
from server.store.outages import outages_since
from server.store.plans import drop_plans
from server.store.player_games import note_end, seated
from server.store.stand_ins import end_stand_ins, returned, wake_stand_ins

_logger = logging.getLogger(__name__)


def load(game_id: UUID) -> Game:
    """The game as it stands; a warm process reads only what is new. Raises NotFound."""
    with autocommit() as connection:
        game = load_within(connection, game_id, tables.get(game_id))
    tables.put(game_id, game.table)
    return game


def load_within(connection: psycopg.Connection[Any], game_id: UUID, known: Table | None = None) -> Game:
    """The game as the transaction of this connection sees it. Raises NotFound, Unavailable: a later release plays it."""
    records = log.read(connection, game_id, known.seq if known else 0)
    if records is None:
        raise NotFound("There is no such game.")
    if records.head["options"].get("revision", 0) > newest_revision(GAMES[records.head["rules"]]):
        raise Unavailable("This game began with rules of a later release.")
    if known and (goes_behind(known, records.events) or not _goes_on(known, records)):
        tables.forget(game_id)
        return load_within(connection, game_id)
    seats = _on_equal_hours(records.head, records.seats)
    return Game(records.head, seats, fold(known or new_table(records.head["rules"]), records.events))


def _goes_on(known: Table, records: Records) -> bool:
    """Whether this log is the one that the table was made from: another has taken its place where a replica took over that
    lacked its newest commits, or a backup was restored."""
    return records.before == known.hash or known.seq == 0 or records.head["shelved"] is not None


def outlines(game_ids: Collection[UUID]) -> dict[UUID, Outline]:
    """These games in outline, in a single look; without those that have not begun, or whose head is not of their log."""
    with autocommit() as connection:
        found = log.outlines(connection, game_ids, "time-extended")
    asked = [row for records in found.values() for row in records.seats if row["asked_at"]]
    lost = outages_since(min(row["asked_at"] for row in asked)) if asked else ()
    for row in asked:
        row["outages"] = [outage for outage in lost if outage[1] > row["asked_at"]]
    return {game_id: outline for game_id, records in found.items() if (outline := _outlined(game_id, records))}


def _outlined(game_id: UUID, records: OutlineRecords) -> Outline | None:
    head, seats, seq, version, hash_, extensions = records
    if head["version"] != version:
        _logger.error("The head of game %s is at version %s, its log at %s", game_id, head["version"], version)
        return None
    return Outline(head, _on_equal_hours(head, seats), version, seq, hash_, extensions)


def _on_equal_hours(head: Json, seats: Sequence[Json]) -> Sequence[Json]:
    """The seats, with which times are reckoned: at a nameless table every hour counts for everybody, since due times would
    tell who sits there. His reminders, which nobody else sees, keep to a person's own hours (`awake`)."""
    if not head["options"].get("nameless"):
        return seats
    return [row | _HOURS_OF_ALL | {"awake": {"zone": row["zone"], "calendar": row["calendar"]}} for row in seats]


_HOURS_OF_ALL: Json = {"zone": "UTC", "calendar": {}}
Write = Callable[..., bool]  # log.record, or another with the same first arguments


def record(
    game: Game,
    events: Sequence[Any],
    now: datetime,
    drawn: int | None = None,
    arrived_at: datetime | None = None,
    write: Write = log.record,
) -> Game | None:
    """The game after this commit, or None if another commit came first and nothing was written.

    `arrived_at`: until when the turn that it answers has taken time, if not until now.
    """
    with autocommit() as connection:
        after = record_within(connection, game, events, now, drawn, arrived_at, write)
    if after is not None:
        tables.put(game.game_id, after.table)
    return after


def record_within(
    connection: psycopg.Connection[Any],
    game: Game,
    events: Sequence[Any],
    now: datetime,
    drawn: int | None = None,
    arrived_at: datetime | None = None,
    write: Write = log.record,
) -> Game | None:
    """Make one commit of events, as part of a transaction, which may still be rolled back."""
    events, after = next_commit(game.table, events)
    seats = game.seats  # of a game that is closed before it begins, nobody was ever asked
    if after.turns:
        seats = [timed(game, seat, after, now, arrived_at or now) for seat in range(len(game.seats))]
    return _write_within(
        connection, game, events, after, seats, game.head["drawn"] if drawn is None else drawn, now, write
    )


def _write_within(
    connection: psycopg.Connection[Any],
    game: Game,
    events: Sequence[Any],
    after: Table,
    seats: Sequence[Json],
    drawn: int,
    now: datetime,
    write: Write,
) -> Game | None:
    before = game.table
    rows = _rows(
        events, now, before.version + 1, before.seq, before.hash or bytes.fromhex(commitment(game.head["seed"]))
    )
    after = after.logged(rows[-1])
    head = game.head | {
        "version": after.version,
        "status": after.status,
        "outcome": after.outcome,
        "drawn": drawn,
    }
    left = [event.seat for event in events if isinstance(event, StandInEnded)]
    if left:
        seats = [returned(row) if row["seat"] in left else row for row in seats]
    after_game = Game(head, seats, after, rows)
    is_over = after.status in OVER
    with _in_two_trips(connection) if is_over or left else nullcontext():
        written = write(
            connection,
            game.game_id,
            before.version,
            _projected(head),
            rows,
            [row for row, was in zip(seats, game.seats, strict=True) if row is not was],
            letters.after(after_game, events, now, before),
        )
        if written and is_over:
            noted = note_end(connection, game.game_id, people_of(game), now)
            drop_plans(connection, game.game_id)
            wake_stand_ins(connection, game.game_id, now)
        if written and left:
            end_stand_ins(connection, game.game_id, left, [game.seats[seat]["player_id"] for seat in left], now)
    if written and is_over and noted.rowcount < len(people_of(game)):  # a guest's seat has become another player's
        note_end(connection, game.game_id, seated(connection, game.game_id), now)
    if written:
        notifier.changed(game.game_id)
    return after_game if written else None


@contextmanager
def _in_two_trips(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """A transaction in a pipeline: it begins with its first statement, and is committed with its last."""
    with connection.pipeline(), connection.transaction():
        yield


def go_back_within(
    connection: psycopg.Connection[Any],
    game: Game,
    seat: Seat,
    earlier: Table,
    drawn: int,
    now: datetime,
    answered: Stretch | None = None,
) -> Game:
    """Take this seat's move back that followed the earlier table, within the transaction that holds the game's head.

    `drawn`: the words of chance drawn by then, so that the same come again. `answered`: see `asked_again`.
    """
    event = MoveTakenBack(seat, earlier.version)
    _, after = next_commit(game.table, [event], earlier)
    seats = [asked_again(game, each, after, now, answered if each == seat else None) for each in range(len(game.seats))]
    after_game = _write_within(connection, game, [event], after, seats, drawn, now, log.record)
    assert after_game is not None  # nobody else could be faster
    return after_game


def record_extension(outline: Outline, seat: Seat, by: str, due_at: datetime, now: datetime) -> bool:
    """Give the present turn of this seat more time; False if somebody holds the game or was faster, or if a mail from
    the seat arrived before `due_at`.
    """
    rows = _rows([TimeExtended(seat, by)], now, outline.version + 1, outline.seq, outline.hash)
    head = outline.head | {"version": outline.version + 1}
    row = extended(outline, seat, by, now)
    seats = [row if was["seat"] == seat else was for was in outline.seats]
    after = replace(outline, head=head, seats=seats, version=head["version"], seq=rows[-1].seq, hash=rows[-1].hash)
    told = letters.after_extension(after, seat, by, now)
    with autocommit() as connection:
        written = log.record_unless_held(
            connection, outline.game_id, outline.version, _projected(head), rows, [row], told, late=seat, due_at=due_at
        )
    if written:
        notifier.changed(outline.game_id)
    return written


def people_of(game: Game | Records) -> list[UUID]:
    """The players who sit there, also those for whom somebody stands in."""
    return [row[name] for row in game.seats for name in ("player_id", "owner_id") if row[name]]


def _projected(head: Json) -> Json:
    """What of a head follows from the log."""
    return {name: head[name] for name in ("version", "status", "outcome", "drawn")}


def _rows(events: Sequence[Any], now: datetime, version: int, seq: int, hash_: bytes) -> list[Recorded]:
    """The events of a commit as rows of the log, each hashed onto the one before it, the newest by `seq` and `hash_`."""
    rows = []
    for event in events:
        seq += 1
        body = event._asdict()
        row = Recorded(seq, version, type_name(event), body.pop("seat"), body, now, b"")
        hash_ = log.chained(hash_, row)
        rows.append(row._replace(hash=hash_))
    return rows


def at_version(game: Game, version: int) -> Table:
    """The table as it was after an earlier commit."""
    if version == game.table.version:
        return game.table
    return fold(new_table(game.head["rules"]), [row for row in whole_log(game.game_id) if row.version <= version])


def whole_log(game_id: UUID, after: int = 0) -> list[Recorded]:
    """All events of a game with a seq above `after`."""
    with autocommit() as connection:
        records = log.read(connection, game_id, after)
    return records.events if records else []
