"""Loading a game, and adding one deed to its log: events, due times and letters in one commit."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from threading import Lock
from typing import Any
from uuid import UUID

import psycopg

from server.errors import NotFound
from server.play import clock as clocks
from server.play import letters
from server.play.game import Game
from server.play.table import Table, TimeExtended, fold, new_table, to_the_end, type_name
from server.rules import GAMES, Json, Seat, commitment
from server.store import log
from server.store.connections import autocommit
from server.store.log import Outline, Recorded
from server.store.notify import hints
from server.store.outages import outages_since

_RECENT = 1000


class _Tables:
    """The most recently used tables of this process. Any of them can be made again from the log."""

    def __init__(self) -> None:
        self._tables: OrderedDict[UUID, Table] = OrderedDict()
        self._lock = Lock()

    def get(self, game_id: UUID) -> Table | None:
        with self._lock:
            if game_id in self._tables:
                self._tables.move_to_end(game_id)
            return self._tables.get(game_id)

    def put(self, game_id: UUID, table: Table) -> None:
        with self._lock:
            known = self._tables.get(game_id)
            if known is None or known.version < table.version:
                self._tables[game_id] = table
            self._tables.move_to_end(game_id)
            if len(self._tables) > _RECENT:
                self._tables.popitem(last=False)


tables = _Tables()


def load(game_id: UUID) -> Game:
    """The game as it stands; a warm process reads only what is new. Raises NotFound."""
    with autocommit() as connection:
        game = load_within(connection, game_id, tables.get(game_id))
    tables.put(game_id, game.table)
    return game


def load_within(connection: psycopg.Connection[Any], game_id: UUID, known: Table | None = None) -> Game:
    """The game as the transaction of this connection sees it. Raises NotFound."""
    records = log.read(connection, game_id, known.seq if known else 0)
    if records is None:
        raise NotFound("There is no such game.")
    return Game(records.head, records.seats, fold(known or new_table(records.head["rules"]), records.events))


def outlines(game_ids: Collection[UUID]) -> dict[UUID, Outline]:
    """What there is to these games but their stories, in a single look; without those that have not begun."""
    with autocommit() as connection:
        found = log.outlines(connection, game_ids, "time-extended")
    asked = [row for outline in found.values() for row in outline.seats if row["asked_at"]]
    lost = outages_since(min(row["asked_at"] for row in asked)) if asked else ()
    for row in asked:
        row["outages"] = [outage for outage in lost if outage[1] > row["asked_at"]]
    return found


def outlined(outline: Outline) -> Game:
    """A game whose table lacks the state of its rules and what was `missed`: enough for deeds that are no moves.

    Raises ValueError if head and log do not belong together.
    """
    head, rows = outline.head, outline.seats
    if head["version"] != outline.version:
        raise ValueError(f"The head is at version {head['version']}, the log at {outline.version}.")
    table = Table(
        GAMES[head["rules"]],
        version=outline.version,
        seq=outline.seq,
        hash=outline.hash,
        status=head["status"],
        turns=tuple(row["turn"] for row in rows),
        stand_ins=tuple(row["stand_in"] for row in rows),
        extended=tuple(outline.counts[row["seat"]] for row in rows),
    )
    return Game(head, rows, table)


Write = Callable[..., bool]  # log.record, or another with the same first arguments


def record(
    game: Game,
    events: Sequence[Any],
    now: datetime,
    drawn: int | None = None,
    arrived_at: datetime | None = None,
    write: Write = log.record,
) -> Game | None:
    """The game after this deed, or None if another deed came first and nothing was written.

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
    """The same as part of a transaction, which may still be rolled back."""
    before = game.table
    rows, after = _happened(before, to_the_end(before, events), now, game.head)
    head = game.head | {
        "version": after.version,
        "status": after.status,
        "outcome": after.outcome,
        "drawn": game.head["drawn"] if drawn is None else drawn,
    }
    seats = game.seats  # of a game that is closed before it begins, nobody was ever asked
    if after.turns:
        seats = [_timed(game, seat, before, after, events, now, arrived_at or now) for seat in range(len(game.seats))]
    after_game = Game(head, seats, after, rows)
    written = write(
        connection,
        game.game_id,
        before.version,
        {name: head[name] for name in ("version", "status", "outcome", "drawn")},
        rows,
        [row for row, was in zip(seats, game.seats, strict=True) if row is not was],
        letters.after(after_game, events, now),
    )
    if written:
        hints.changed(game.game_id)
    return after_game if written else None


def _happened(before: Table, events: Sequence[Any], now: datetime, head: Json) -> tuple[list[Recorded], Table]:
    """The events as rows of the log, each hashed onto the one before, and the table after them."""
    version, seq, hash_ = before.version + 1, before.seq, before.hash or bytes.fromhex(commitment(head["seed"]))
    rows = []
    for event in events:
        seq += 1
        body = event._asdict()
        row = Recorded(seq, version, type_name(event), body.pop("seat"), body, now, b"")
        hash_ = log.chained(hash_, row)
        rows.append(row._replace(hash=hash_))
    return rows, before.after(events, version, seq, hash_)


def _timed(
    game: Game, seat: Seat, before: Table, after: Table, events: Sequence[Any], now: datetime, arrived_at: datetime
) -> Json:
    """The seat's row after the deed; the very same row if nothing changed for it.

    The time of a turn runs on while a bot sits in for its person, so that nobody wins any by leaving and coming back.
    """
    was = game.seats[seat]
    turn, stand_in = after.turns[seat], after.stand_ins[seat]
    extensions = [event for event in events if isinstance(event, TimeExtended) and event.seat == seat]
    stops_or_goes_on = turn is not None and "paused" in (before.status, after.status) and before.status != after.status
    if None not in (turn, was["turn"]) and turn != was["turn"] and after.rules.goes_on(after.state, seat):
        return was | {"turn": turn}  # the rest of a turn has no time of its own
    if turn == was["turn"] and stand_in == was["stand_in"] and not extensions and not stops_or_goes_on:
        return was
    row = was | {"turn": turn, "to_act": turn is not None, "stand_in": stand_in}
    game_clock, asked_at, hours = clocks.game_clock(game.head["clock"]), was["asked_at"], was["hours"]
    allowed = clocks.first_allowance(game_clock) if was["allowed"] is None else timedelta(seconds=was["allowed"])
    used = clocks.NOTHING
    if asked_at and (extensions or stops_or_goes_on or isinstance(game_clock, clocks.Bank)):  # else nobody asks
        used = clocks.counted(asked_at, arrived_at, calendar_of(was), outages_of(was, now))
    if extensions:
        lent = used - allowed + clocks.duration(extensions[-1].by)  # so much from now on
        return with_due_time(row | {"lent": lent.total_seconds()}, now)
    if hours and turn != was["turn"]:
        allowed, row["lent"] = clocks.next_allowance(game_clock, allowed, used), 0
        asked_at = hours = None
    elif stops_or_goes_on:
        allowed, asked_at = allowed - used, None  # the rest of this turn's time, and what was lent for it, is kept
    row |= {"allowed": allowed.total_seconds(), "asked_at": asked_at, "hours": hours}
    bot = was["bot"] or stand_in
    if turn is None or bot or after.status == "paused":
        wake_at = now if bot and turn is not None and after.status == "running" else None
        return row | {"due_at": None, "remind_at": None, "wake_at": wake_at}
    hours = hours or {"zone": was["zone"], "calendar": was["calendar"]}
    return with_due_time(row | {"asked_at": asked_at or now, "hours": hours}, now)


def with_due_time(row: Json, now: datetime) -> Json:
    """The row of a seat that we wait for, its due time and next reminder computed anew."""
    calendar, asked_at = calendar_of(row), row["asked_at"]
    due_at = clocks.due_at(asked_at, timedelta(seconds=row["allowed"] + row["lent"]), calendar, outages_of(row, now))
    thresholds = (row["notifications"] or {}).get("reminders", clocks.DEFAULT_REMINDERS)
    remind_at = clocks.next_reminder(asked_at, due_at, thresholds, calendar, now)
    return row | {"due_at": due_at, "remind_at": remind_at, "wake_at": remind_at or due_at}


def outages_of(row: Json, now: datetime) -> Collection[clocks.Stretch]:
    """The hours lost since this seat was asked; looked up only where some time has passed and nobody has done so."""
    if row["asked_at"] >= now:
        return ()
    return row["outages"] if "outages" in row else outages_since(row["asked_at"])


def calendar_of(row: Json) -> clocks.Calendar:
    """The calendar by which the time of this seat's turn counts."""
    hours = row["hours"]
    return clocks.calendar(hours["calendar"], hours["zone"]) if hours["calendar"] else clocks.ALWAYS


def at_version(game: Game, version: int) -> Table:
    """The table as it was after an earlier deed."""
    if version == game.table.version:
        return game.table
    return fold(new_table(game.head["rules"]), [row for row in whole_log(game.game_id) if row.version <= version])


def whole_log(game_id: UUID, after: int = 0) -> list[Recorded]:
    """All events of a game with a seq above `after`."""
    with autocommit() as connection:
        records = log.read(connection, game_id, after)
    return records.events if records else []
