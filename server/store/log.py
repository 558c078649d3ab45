"""The log of a game, and the functions of the database that add to it and read it: `functions.sql` beside this file."""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

import orjson
import psycopg
from psycopg.types.json import Jsonb

from server.store import shelf
from server.store.connections import rows_of

Json = dict[str, Any]
Seat = int

MOMENT = "%Y-%m-%dT%H:%M:%S.%fZ"  # UTC with microseconds, as hashed
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


class Recorded(NamedTuple):
    """An event as the log holds it."""

    seq: int
    version: int
    type: str
    seat: int | None
    body: Json
    recorded_at: datetime
    hash: bytes


class Records(NamedTuple):
    """What is stored of one game, all seen at the same instant: its head, its seats in order, its newer events; and the hash
    of the event before these, None if there is none or if it lies in a file."""

    head: Json
    seats: list[Json]
    events: list[Recorded]
    before: bytes | None = None


class OutlineRecords(NamedTuple):
    """What is stored of one game but for its story, all seen at the same instant."""

    head: Json
    seats: list[Json]
    seq: int  # of the newest event, as its version and hash
    version: int
    hash: bytes
    counts: Counter[Seat]  # of the events of one type


def chained(previous: bytes, event: Recorded) -> bytes:
    """SHA-256 of the previous hash and the event in canonical JSON."""
    return hashlib.sha256(previous + canonical(fact(event)).encode()).digest()


def fact(event: Recorded) -> Json:
    """What the hash of an event covers: all of it but the hash."""
    return {
        "seq": event.seq,
        "version": event.version,
        "type": event.type,
        "seat": event.seat,
        "at": event.recorded_at.astimezone(UTC).strftime(MOMENT),
        "body": event.body,
    }


def canonical(value: Any) -> str:
    """The value in canonical JSON (RFC 8785).

    Sorted keys and no spaces are canonical here: keys are ASCII, numbers are whole and below 2**53.
    """
    return _CANONICAL.encode(value)


_NOBODY = dict.fromkeys(
    ("name", "zone", "calendar", "notifications", "has_webhooks", "unreachable_since", "program_since")
)
# In one statement, so that all is seen at the same instant; as json, since jsonb would be sorted and parsed on the way.
_SEATS = """
  (SELECT json_agg(r) FROM (
     SELECT s.*, p.name, p.zone, p.calendar, p.notifications, p.has_webhooks, p.unreachable_since,
         p.program_since,
         CASE WHEN s.owner_id IS NOT NULL THEN (
           SELECT row_to_json(o) FROM (
             SELECT name, zone, calendar, notifications, has_webhooks, unreachable_since, program_since
               FROM players WHERE player_id = s.owner_id) AS o) END AS owner
       FROM seats s LEFT JOIN players p ON p.player_id = s.player_id
       WHERE s.game_id = {game} ORDER BY s.seat) AS r)"""
_OUTLINES = f"""
SELECT g.game_id, row_to_json(g), {_SEATS.format(game="g.game_id")},
  (SELECT json_build_array(e.seq, e.version, e.hash) FROM events e WHERE e.game_id = g.game_id ORDER BY e.seq DESC LIMIT 1),
  (SELECT json_agg(e.seat) FROM events e WHERE e.game_id = g.game_id AND e.type = %(counted)s)
FROM games g WHERE g.game_id = ANY(%(games)s)
"""
_NEWEST = """
SELECT g.game_id, (SELECT json_agg(r) FROM (
  SELECT e.seq, e.version, e.type, e.seat, e.body, e.recorded_at, e.hash
    FROM events e WHERE e.game_id = g.game_id ORDER BY e.seq DESC LIMIT %(number)s) AS r)
FROM games g WHERE g.game_id = ANY(%(games)s)
"""
_TIMES = ("asked_at", "due_at", "remind_at", "wake_at")
_MOMENTS = (*_TIMES, "plan_at", "stood_in_until")
_CHANGING = ("seat", "to_act", "turn", "stand_in", "allowed", "lent", "hours", *_TIMES)


def read(connection: psycopg.Connection[Any], game_id: UUID, after: int = 0) -> Records | None:
    """The game with its events after `after`, or None if there is no such game. Raises NotOnShelf."""
    found = connection.execute("SELECT read_game(%s, %s)", (game_id, after)).fetchone()
    if found is None or found[0] is None:
        return None
    head, seats, people, events = found[0]
    people = people or {}
    for seat in seats:
        seat |= people.get(seat["player_id"], _NOBODY) | {"owner": people.get(seat["owner_id"])}
    if head["shelved"] is not None and after < head["shelved"]:
        return Records(found := _head(head), _seats(seats), _from_shelf(found, after))
    before = _bytes(events.pop(0)["hash"]) if events and events[0]["seq"] == after else None
    return Records(_head(head), _seats(seats), _events(events), before)


def read_commits(connection: psycopg.Connection[Any], game_id: UUID, after: int) -> Records | None:
    """As `read`, but the commit of the first of these events is whole: events up to `after` may stand before them."""
    records = read(connection, game_id, max(0, after - 1))
    if records and len(records.events) > 1 and after:
        told, first, *_ = records.events
        if told.version == first.version:  # whoever asks broke off amid a commit, which is rare
            return read(connection, game_id)
    return records


def newest(connection: psycopg.Connection[Any], game_ids: Collection[UUID], number: int) -> dict[UUID, list[Recorded]]:
    """The newest events of each of these games, the latest first: at most so many."""
    rows = rows_of(connection, _NEWEST, game_ids, number=number)
    return {game_id: _events(events) for game_id, events in rows}


def outlines(
    connection: psycopg.Connection[Any], game_ids: Collection[UUID], counted: str
) -> dict[UUID, OutlineRecords]:
    """Those of these games that have begun, and how many events of the type `counted` each seat has there."""
    rows = rows_of(connection, _OUTLINES, game_ids, counted=counted)
    return {
        game_id: OutlineRecords(
            _head(head), _seats(seats), newest[0], newest[1], _bytes(newest[2]), Counter(of_seats or ())
        )
        for game_id, head, seats, newest, of_seats in rows
        if newest is not None
    }


def _head(head: Json) -> Json:
    return head | {
        "game_id": UUID(head["game_id"]),
        "seed": _bytes(head["seed"]),
        "made_at": _moment(head["made_at"]),
        "host": UUID(head["host"]),
        "closes_at": head["closes_at"] and _moment(head["closes_at"]),
    }


def _events(events: list[Json] | None) -> list[Recorded]:
    for event in events or ():
        event |= {"recorded_at": _moment(event["recorded_at"]), "hash": _bytes(event["hash"])}
    return [Recorded(**event) for event in events or ()]


def _from_shelf(head: Json, after: int) -> list[Recorded]:
    """As `fact` wrote them, if all of them follow from the seed of this game: nobody else looks after files. Raises NotOnShelf."""
    game_id, hash_ = head["game_id"], hashlib.sha256(head["seed"]).digest()
    try:
        rows = [
            Recorded(
                event["seq"],
                event["version"],
                event["type"],
                event["seat"],
                event["body"],
                _moment(event["at"]),
                bytes.fromhex(event["hash"]),
            )
            for event in shelf.events(game_id)
        ]
        for row in rows:
            hash_ = chained(hash_, row)
            if row.hash != hash_:
                raise ValueError(f"event {row.seq}: its hash does not follow from it and the hash before it.")
        if not rows or rows[-1].seq != head["shelved"]:
            raise ValueError(f"it does not end with event {head['shelved']}.")
    except (KeyError, TypeError, ValueError) as error:
        raise shelf.NotOnShelf.since(game_id, error) from error
    return [row for row in rows if row.seq > after]


def _seats(seats: list[Json]) -> list[Json]:
    for seat in seats:
        for name in ("player_id", "owner_id"):
            seat[name] = seat[name] and UUID(seat[name])
        for name in _MOMENTS:
            seat[name] = seat[name] and _moment(seat[name])
    return seats


def _bytes(text: str) -> bytes:
    """What Postgres writes in JSON as `\\x00ff`."""
    return bytes.fromhex(text.removeprefix("\\x"))


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def record(
    connection: psycopg.Connection[Any],
    game_id: UUID,
    seen: int,
    head: Json,
    events: Sequence[Recorded],
    seats: Iterable[Json],
    letters: Iterable[Json],
) -> bool:
    """Add one commit to a game that is still at version `seen`: events, head, seats and letters, or nothing at all.

    False if somebody else was faster. Runs in one round trip, as a function of the database.
    """
    commit = _as_json(head, events, seats, letters)
    found = connection.execute("SELECT record_commit(%s, %s, %s, %s, %s, %s)", (game_id, seen, *commit)).fetchone()
    return found is not None and found[0] == seen


def record_unless_held(
    connection: psycopg.Connection[Any],
    game_id: UUID,
    seen: int,
    head: Json,
    events: Sequence[Recorded],
    seats: Iterable[Json],
    letters: Iterable[Json],
    late: Seat | None = None,
    due_at: datetime | None = None,
) -> bool:
    """As `record`, for those who would not wait: False also if somebody holds the game at the moment.

    Or if a mail from the seat that is `late` arrived before `due_at` and is not dealt with yet.
    """
    commit = _as_json(head, events, seats, letters)
    query = "SELECT record_commit_unless_held(%s, %s, %s, %s, %s, %s, %s, %s)"
    found = connection.execute(query, (game_id, seen, *commit, late, due_at)).fetchone()
    return found is not None and found[0] == seen


def _as_json(
    head: Json, events: Sequence[Recorded], seats: Iterable[Json], letters: Iterable[Json]
) -> tuple[Jsonb, ...]:
    rows = [e._asdict() | {"hash": e.hash.hex()} for e in events]
    changed = [{name: seat.get(name) for name in _CHANGING} for seat in seats]
    return tuple(Jsonb(value, dumps=orjson.dumps) for value in (head, rows, changed, list(letters)))
