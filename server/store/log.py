"""The log of a game. The database functions in `functions.sql` append to it and read it."""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

import orjson
import psycopg
from psycopg.types.json import Jsonb

from server.store import shelf
from server.store.connections import rows_of
from server.store.rows import (
    CHANGED_BY_COMMITS,
    GameHead,
    Json,
    Person,
    Seat,
    SeatState,
    bytes_from_json,
    game_from_json,
    moment_from_json,
)

MOMENT = "%Y-%m-%dT%H:%M:%S.%fZ"  # UTC with microseconds, in the format used in hashes
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


class Recorded(NamedTuple):
    """An event in the form in which the log stores it."""

    seq: int
    version: int
    type: str
    seat: int | None
    body: Json
    recorded_at: datetime
    hash: bytes


class Records(NamedTuple):
    """A snapshot of a stored game: its row, its seats in order, and its newer events. `before` is the hash of the event
    before those. It is None if there is no such event, or if that event is archived."""

    head: GameHead
    seats: list[SeatState]
    events: list[Recorded]
    before: bytes | None = None


class OutlineRecords(NamedTuple):
    """A snapshot of a stored game without its log."""

    head: GameHead
    seats: list[SeatState]
    seq: int  # number of the newest event, whose version and hash these are
    version: int
    hash: bytes
    counts: Counter[Seat]  # number of events of one type, by seat


class Entry(NamedTuple):
    """The rows that one commit writes to a game, provided that the game still has the version `seen`."""

    game_id: UUID
    seen: int
    head: Json  # the game's projections: version, status, outcome, drawn
    events: Sequence[Recorded] = ()
    seats: Sequence[SeatState] = ()  # the seats that change
    letters: Sequence[Json] = ()


class GiveWay(NamedTuple):
    """The conditions under which a commit gives way instead of waiting. It gives way to a transaction that has locked
    the game, and to an unread email from the seat `late` that arrived before `due_at`."""

    late: Seat | None = None
    due_at: datetime | None = None


def chain_hash(previous: bytes, event: Recorded) -> bytes:
    """Return the SHA-256 hash of the previous hash and this event in canonical JSON."""
    return hashlib.sha256(previous + canonical(fact(event)).encode()).digest()


def fact(event: Recorded) -> Json:
    """Return the part of an event that its hash covers."""
    return {
        "seq": event.seq,
        "version": event.version,
        "type": event.type,
        "seat": event.seat,
        "at": moment_text(event.recorded_at),
        "body": event.body,
    }


def moment_text(at: datetime) -> str:
    """Return a time in the format of hashes, archives and the API: `MOMENT`, with six decimals."""
    return f"{at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def canonical(value: Any) -> str:
    """Return the value as canonical JSON (RFC 8785).

    Sorting the keys and leaving out spaces is sufficient here: keys are ASCII, and numbers are whole and below 2**53.
    """
    return _CANONICAL.encode(value)


_PERSON = ", ".join(f"'{name}', p.{name}" for name in Person._fields)
# A single statement gives a consistent snapshot. It returns json, since Postgres would have to parse and sort jsonb.
_OUTLINES = f"""
SELECT g.game_id, row_to_json(g),
  (SELECT json_agg(s ORDER BY s.seat) FROM seats s WHERE s.game_id = g.game_id),
  (SELECT json_object_agg(p.player_id, json_build_object({_PERSON}))
     FROM seats s JOIN players p ON p.player_id IN (s.player_id, s.owner_id) WHERE s.game_id = g.game_id),
  (SELECT json_build_array(e.seq, e.version, encode(e.hash, 'hex'))
     FROM events e WHERE e.game_id = g.game_id ORDER BY e.seq DESC LIMIT 1),
  (SELECT json_agg(e.seat) FROM events e WHERE e.game_id = g.game_id AND e.type = %(counted)s)
FROM games g WHERE g.game_id = ANY(%(games)s)
"""
_NEWEST = """
SELECT g.game_id, (SELECT json_agg(r) FROM (
  SELECT e.seq, e.version, e.type, e.seat, e.body, e.recorded_at, e.hash
    FROM events e WHERE e.game_id = g.game_id ORDER BY e.seq DESC LIMIT %(number)s) AS r)
FROM games g WHERE g.game_id = ANY(%(games)s)
"""

_PAGE = """
SELECT seq, version, type, seat, body, recorded_at, hash FROM events
WHERE game_id = %(game)s AND seq >= %(first)s AND (seq <= %(last)s OR type = ANY(%(also)s)) ORDER BY seq
"""
_LAST_OF_VERSION = "SELECT seq FROM events WHERE game_id = %s AND version <= %s ORDER BY seq DESC LIMIT 1"


def read(connection: psycopg.Connection[Any], game_id: UUID, after: int = 0) -> Records | None:
    """Return the game, and its events after `after`. Return None if there is no such game. Raise NotOnShelf if its
    archive can't be read."""
    text = read_text(connection, game_id, after)
    return None if text is None else parse_text(text, after)


def read_text(connection: psycopg.Connection[Any], game_id: UUID, after: int = 0) -> str | None:
    """Return the game, and its events from `after` on, in Postgres's JSON. Return None if there is no such game."""
    found = connection.execute("SELECT read_game(%s, %s)::text", (game_id, after)).fetchone()
    return found[0] if found else None


def parse_text(text: str, after: int) -> Records:
    """Return the game in this JSON, and its events after `after`. Raise NotOnShelf if its archive can't be read."""
    *game, events = orjson.loads(text)
    head, seats = game_from_json(*game)
    if head.shelved is not None and after < head.shelved:
        return Records(head, seats, _from_shelf(head, after))
    before = bytes_from_json(events.pop(0)["hash"]) if events and events[0]["seq"] == after else None
    return Records(head, seats, _events(events), before)


def read_commits(connection: psycopg.Connection[Any], game_id: UUID, after: int) -> Records | None:
    """Return the same as `read`, but with the whole first commit, which may begin before `after`."""
    records = read(connection, game_id, max(0, after - 1))
    if records and len(records.events) > 1 and after:
        told, first, *_ = records.events
        if told.version == first.version:  # a client lost its connection within a commit, which is rare
            return read(connection, game_id)
    return records


def read_page(
    connection: psycopg.Connection[Any], head: GameHead, after: int, last: int, also: Collection[str]
) -> list[Recorded]:
    """Return the events from `after` + 1 to `last`, and later events of the types `also`.

    The commit of the first event is returned as a whole, so it may include events up to `after`. Raise NotOnShelf if
    the archive can't be read.
    """
    if head.shelved is not None and after < head.shelved:
        return _from_shelf(head, 0)
    values = {"game": head.game_id, "first": after, "last": last, "also": list(also)}
    rows = [Recorded(*row) for row in connection.execute(_PAGE, values)]
    if after and len(rows) > 1 and rows[0].version == rows[1].version:  # `after` lies within a commit, which is rare
        return read_page(connection, head, 0, last, also)
    return rows if after == 0 else rows[1:]


def last_of_version(connection: psycopg.Connection[Any], game_id: UUID, version: int) -> int:
    """Return the number of the last event up to this version, or 0 if that event isn't in the database."""
    found = connection.execute(_LAST_OF_VERSION, (game_id, version)).fetchone()
    return found[0] if found else 0


def newest(connection: psycopg.Connection[Any], game_ids: Collection[UUID], number: int) -> dict[UUID, list[Recorded]]:
    """Return at most `number` of each game's newest events, latest first."""
    rows = rows_of(connection, _NEWEST, game_ids, number=number)
    return {game_id: _events(events) for game_id, events in rows}


def outlines(
    connection: psycopg.Connection[Any], game_ids: Collection[UUID], counted: str
) -> dict[UUID, OutlineRecords]:
    """Return those games that have begun, with the number of events of type `counted` for each seat."""
    rows = rows_of(connection, _OUTLINES, game_ids, counted=counted)
    return {
        game_id: OutlineRecords(
            *game_from_json(*game), newest[0], newest[1], bytes.fromhex(newest[2]), Counter(of_seats or ())
        )
        for game_id, *game, newest, of_seats in rows
        if newest is not None
    }


def _events(events: list[Json] | None) -> list[Recorded]:
    for event in events or ():
        event |= {"recorded_at": moment_from_json(event["recorded_at"]), "hash": bytes_from_json(event["hash"])}
    return [Recorded(**event) for event in events or ()]


def _from_shelf(head: GameHead, after: int) -> list[Recorded]:
    """Return the archived events in the form of `fact`. They are checked against the game's seed. Raise NotOnShelf if
    the archive can't be read."""
    game_id, hash_ = head.game_id, hashlib.sha256(head.seed).digest()
    try:
        rows = [
            Recorded(
                event["seq"],
                event["version"],
                event["type"],
                event["seat"],
                event["body"],
                moment_from_json(event["at"]),
                bytes.fromhex(event["hash"]),
            )
            for event in shelf.events(game_id)
        ]
        for row in rows:
            hash_ = chain_hash(hash_, row)
            if row.hash != hash_:
                raise ValueError(f"event {row.seq}: its hash does not match its content and the previous hash.")
        if not rows or rows[-1].seq != head.shelved:
            raise ValueError(f"it does not end with event {head.shelved}.")
    except (KeyError, TypeError, ValueError) as error:
        raise shelf.NotOnShelf.since(game_id, error) from error
    return [row for row in rows if row.seq > after]


def record(connection: psycopg.Connection[Any], entry: Entry, give_way: GiveWay | None = None) -> bool:
    """Write one commit or nothing, in a single round trip. Return False if another commit came first, or if this one
    gave way."""
    commit = (entry.game_id, entry.seen, *_as_json(entry))
    if give_way is None:
        found = connection.execute("SELECT record_commit(%s, %s, %s, %s, %s, %s)", commit).fetchone()
    else:
        query = "SELECT record_commit_unless_held(%s, %s, %s, %s, %s, %s, %s, %s)"
        found = connection.execute(query, (*commit, *give_way)).fetchone()
    return found is not None and found[0] == entry.seen


def _as_json(entry: Entry) -> tuple[Jsonb, ...]:
    rows = [e._asdict() | {"hash": e.hash.hex()} for e in entry.events]
    changed = [dict(zip(CHANGED_BY_COMMITS, seat, strict=False)) for seat in entry.seats]
    return tuple(Jsonb(value, dumps=orjson.dumps) for value in (entry.head, rows, changed, list(entry.letters)))
