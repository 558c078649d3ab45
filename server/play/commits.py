"""Loading games, and appending commits to their logs. A commit consists of events, due times and emails. An optimistic
lock on the game's version discards a commit if another commit came first."""

import logging
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg

from server.clock import Stretch
from server.errors import NotFound
from server.games import Json, Seat, commitment
from server.play.events import StandInEnded, TimeExtended
from server.play.game import Game, Outline, expect_playable, readable
from server.play.mail import letters
from server.play.story.table_cache import tables
from server.play.table import OVER, Table, fold, fold_commits, goes_behind, new_table, next_commit, rules_of, type_name
from server.play.timing import due_times, host_clock
from server.store import log
from server.store.connections import autocommit
from server.store.log import GiveWay, OutlineRecords, Recorded, Records
from server.store.notify import notifier
from server.store.outages import outages_since
from server.store.plans import drop_plans
from server.store.player_games import note_end, seated_players
from server.store.rows import GameHead, SeatState
from server.store.stand_ins import end_stand_ins, return_to_owner, wake_stand_ins

_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Snapshot:
    """A game as read from the database, before it is parsed."""

    game_id: UUID
    known: Table | None  # the table that this process knew
    text: str  # JSON with the rows of the game and its events, starting with the last event of the known table
    is_replaced: bool = False  # the log doesn't continue the known table, so the whole log was read

    def determines(self, game: Game) -> bool:
        """Return whether snapshots with this text always contain the same state of this game. The hash of the newest
        event covers the whole log, but the text lacks archived events."""
        return not self.is_replaced and game.head.shelved is None


def take_snapshot(game_id: UUID) -> Snapshot:
    """Return the game's current snapshot. A process that knows the game reads only the new events. Raise NotFound if
    there is no such game."""
    known = tables.get(game_id)
    with autocommit() as connection:
        return _snapshot(connection, game_id, known)


def _snapshot(connection: psycopg.Connection[Any], game_id: UUID, known: Table | None) -> Snapshot:
    text = log.read_text(connection, game_id, known.seq if known else 0)
    if text is None:
        raise NotFound("Game not found.")
    return Snapshot(game_id, known, text)


def load(game_id: UUID, snapshot: Snapshot | None = None) -> Game:
    """Return the current game, or the game in this snapshot. Raise NotFound if there is no such game, or Unavailable if
    reading the game requires a later release."""
    snapshot = snapshot or take_snapshot(game_id)
    game = _parse(snapshot)
    if game is None:
        game = load(game_id)
    tables.put(game_id, game.table)
    return game


def load_within(connection: psycopg.Connection[Any], game_id: UUID, known: Table | None = None) -> Game:
    """Return the game as this connection's transaction sees it. Raise NotFound if there is no such game, or Unavailable
    if reading the game requires a later release."""
    return _parse(_snapshot(connection, game_id, known)) or load_within(connection, game_id)


def _parse(snapshot: Snapshot) -> Game | None:
    """Return the game in a snapshot. If its log doesn't continue the known table, forget that table and return None."""
    known = snapshot.known
    records = log.parse_text(snapshot.text, known.seq if known else 0)
    head = readable(records.head)
    expect_playable(rules_of(head.rules), records.head.options, len(records.seats))
    if known and (goes_behind(known, records.events) or not _goes_on(known, records)):
        tables.forget(snapshot.game_id)
        snapshot.is_replaced = True
        return None
    return Game(head, records.seats, fold(known or new_table(head.rules), records.events))


def _goes_on(known: Table, records: Records) -> bool:
    """Return whether this log continues the known table's log. It doesn't if a backup was restored, or after a switch
    to a replica that lacked the newest commits."""
    return records.before == known.hash or known.seq == 0 or records.head.shelved is not None


def outlines(game_ids: Collection[UUID]) -> dict[UUID, Outline]:
    """Return outlines of these games, read in one query. Games that haven't begun, or whose row contradicts the log,
    are left out."""
    with autocommit() as connection:
        found = log.outlines(connection, game_ids, "time-extended")
    asked_at = [row.asked_at for records in found.values() for row in records.seats if row.asked_at]
    outages = outages_since(min(asked_at)) if asked_at else ()
    return {game_id: it for game_id, records in found.items() if (it := _outlined(game_id, records, outages))}


def _outlined(game_id: UUID, records: OutlineRecords, outages: Sequence[Stretch]) -> Outline | None:
    stored, seats, seq, version, hash_, extensions = records
    head = readable(stored)
    if head.version != version:
        _logger.error("The head of game %s is at version %s, its log at %s", game_id, head.version, version)
        return None
    return Outline(head, seats, version, seq, hash_, extensions, outages)


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit to a game: its events, and the table and seats that result from them."""

    game: Game  # before the commit
    events: Sequence[Any]
    after: Table  # without its sequence number in the log
    seats: Sequence[SeatState]
    drawn: int  # random words drawn so far
    now: datetime
    answered_at: datetime  # when the time of the answered turn stopped running

    def game_after(self) -> Game:
        before, head = self.game.table, self.game.head
        newest = before.hash or bytes.fromhex(commitment(head.seed))
        rows = log_rows(self.events, self.now, before.version + 1, before.seq, newest)
        after = self.after.logged(rows[-1])
        left = self.given_back
        seats = [return_to_owner(row) if row.seat in left else row for row in self.seats] if left else self.seats
        return Game(head.after(self.drawn, after.status, after.version, after.outcome), seats, after, rows)

    @property
    def given_back(self) -> list[Seat]:
        """Return the seats that go back to their owners because a stand-in's time is over."""
        return [event.seat for event in self.events if isinstance(event, StandInEnded)]


def commit_of(
    game: Game, events: Sequence[Any], now: datetime, drawn: int | None = None, answered_at: datetime | None = None
) -> Commit:
    """Return a commit with these events, with the due times and the effects that follow from the rules."""
    events, after = next_commit(game.table, events)
    answered_at = answered_at or now
    seats = game.seats  # before the start, seats have no turn and no time
    if after.turns:
        seats = [due_times.after_commit(game, seat, after, now, answered_at) for seat in range(len(game.seats))]
    return Commit(game, events, after, seats, game.head.drawn if drawn is None else drawn, now, answered_at)


def record(commit: Commit, give_way: GiveWay | None = None) -> Game | None:
    """Write a commit. Return the game after the commit, or None if another commit came first."""
    with autocommit() as connection:
        after = record_within(connection, commit, give_way)
    if after is not None:
        tables.put(after.game_id, after.table)
    return after


def record_within(connection: psycopg.Connection[Any], commit: Commit, give_way: GiveWay | None = None) -> Game | None:
    """Write a commit within a transaction that may still be rolled back. Return the same as `record`."""
    host_clock.expect_right(connection)
    game, now, after = commit.game, commit.now, commit.game_after()
    changed = [row for row, was in zip(after.seats, game.seats, strict=True) if row is not was]
    told = letters.after(after, commit.events, now, game)
    entry = log.Entry(game.game_id, game.version, projected(after.head), after.newest, changed, told)
    is_over, left = after.table.status in OVER, commit.given_back
    with _in_two_trips(connection) if is_over or left else nullcontext():
        written = log.record(connection, entry, give_way)
        if written and is_over:
            noted = note_end(connection, game.game_id, people_of(game), now)
            drop_plans(connection, game.game_id)
            wake_stand_ins(connection, game.game_id, now)
        if written and left:
            stood_in = [row.player_id for row in game.seats if row.player_id and row.seat in left]
            end_stand_ins(connection, game.game_id, left, stood_in, now)
    if written and is_over and noted.rowcount < len(people_of(game)):  # another player has taken over a guest's seat
        note_end(connection, game.game_id, seated_players(connection, game.game_id), now)
    if written:
        notifier.note_change(game.game_id)
    return after if written else None


@contextmanager
def _in_two_trips(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Open a transaction in a pipeline, so that BEGIN and COMMIT need no round trips of their own."""
    with connection.pipeline(), connection.transaction():
        yield


def record_extension(outline: Outline, seat: Seat, by: str, due_at: datetime, now: datetime) -> bool:
    """Extend the current turn of this seat.

    Return False if the game is locked, another commit came first, or an email from the seat's player arrived before
    `due_at`.
    """
    rows = log_rows([TimeExtended(seat, by)], now, outline.version + 1, outline.seq, outline.hash)
    head = outline.head._replace(version=outline.version + 1)
    row = due_times.after_extension(outline, seat, by, now)
    seats = [row if was.seat == seat else was for was in outline.seats]
    after = replace(outline, head=head, seats=seats, version=head.version, seq=rows[-1].seq, hash=rows[-1].hash)
    told = letters.after_extension(after, seat, by, now)
    entry = log.Entry(outline.game_id, outline.version, projected(head), rows, [row], told)
    with autocommit() as connection:
        host_clock.expect_right(connection)
        written = log.record(connection, entry, GiveWay(seat, due_at))
    if written:
        notifier.note_change(outline.game_id)
    return written


def people_of(game: Game | Records) -> list[UUID]:
    """Return the players of the game, including players whose seat is played by a stand-in."""
    return [it for row in game.seats for it in (row.player_id, row.owner_id) if it]


def projected(head: GameHead) -> Json:
    """Return the columns of a game row that are derived from the log."""
    return {"version": head.version, "status": head.status, "outcome": head.outcome, "drawn": head.drawn}


def log_rows(events: Sequence[Any], now: datetime, version: int, seq: int, hash_: bytes) -> list[Recorded]:
    """Return a commit's events as rows of the log. The hash of each row also covers the row before it."""
    rows = []
    for event in events:
        seq += 1
        body = event._asdict()
        row = Recorded(seq, version, type_name(event), body.pop("seat"), body, now, b"")
        hash_ = log.chain_hash(hash_, row)
        rows.append(row._replace(hash=hash_))
    return rows


def at_version(game: Game, version: int) -> Table:
    if version == game.table.version:
        return game.table
    return fold(new_table(game.head.rules), [row for row in whole_log(game.game_id) if row.version <= version])


def during_turn(game: Game, seat: Seat, turn: int) -> list[Game]:
    """Return the game as it was at each version of this turn of a seat."""
    tables = (table for _, table in fold_commits(new_table(game.head.rules), whole_log(game.game_id)))
    return [replace(game, table=it) for it in tables if it.turns and it.turns[seat] == turn]


def whole_log(game_id: UUID) -> list[Recorded]:
    """Return all events of a game."""
    with autocommit() as connection:
        records = log.read(connection, game_id)
    return records.events if records else []
