"""The log of a game, and the one statement that adds to it."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

import orjson
import psycopg
from psycopg.types.json import Jsonb

Json = dict[str, Any]

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
    """What is stored of one game, all seen at the same instant: its head, its seats in order, its newer events."""

    head: Json
    seats: list[Json]
    events: list[Recorded]


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


# In one statement, so that all is seen at the same instant; as json, since jsonb would be sorted and parsed on the way.
_READ = """
SELECT row_to_json(g),
  (SELECT json_agg(r) FROM (
     SELECT s.*, p.name, p.zone, p.calendar, p.notifications, p.has_webhooks, p.unreachable_since
       FROM seats s LEFT JOIN players p ON p.player_id = s.player_id
       WHERE s.game_id = %(game)s ORDER BY s.seat) AS r),
  (SELECT json_agg(r) FROM (
     SELECT e.seq, e.version, e.type, e.seat, e.body, e.recorded_at, e.hash
       FROM events e WHERE e.game_id = %(game)s AND e.seq > %(after)s ORDER BY e.seq) AS r)
FROM games g WHERE g.game_id = %(game)s
"""
_MOMENTS = ("asked_at", "due_at", "remind_at", "wake_at")
_CHANGING = ("seat", "to_act", "turn", "stand_in", "allowed", "lent", "hours", *_MOMENTS)


def read(connection: psycopg.Connection[Any], game_id: UUID, after: int = 0) -> Records | None:
    """The game with its events after `after`, or None if there is no such game."""
    row = connection.execute(_READ, {"game": game_id, "after": after}).fetchone()
    if row is None:
        return None
    head, seats, events = row
    head |= {"game_id": game_id, "seed": _bytes(head["seed"]), "made_at": _moment(head["made_at"])}
    for seat in seats:
        seat["player_id"] = seat["player_id"] and UUID(seat["player_id"])
        for name in _MOMENTS:
            seat[name] = seat[name] and _moment(seat[name])
    for event in events or ():
        event |= {"recorded_at": _moment(event["recorded_at"]), "hash": _bytes(event["hash"])}
    return Records(head, seats, [Recorded(**event) for event in events or ()])


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
    """Add one deed to a game that is still at version `seen`: events, head, seats and letters, or nothing at all.

    False if somebody else was faster. Runs in one round trip, as a function of the database.
    """
    rows = [e._asdict() | {"hash": e.hash.hex()} for e in events]
    found = connection.execute(
        "SELECT record_deed(%s, %s, %s, %s, %s, %s)",
        (
            game_id,
            seen,
            _json(head),
            _json(rows),
            _json([{name: seat.get(name) for name in _CHANGING} for seat in seats]),
            _json(list(letters)),
        ),
    ).fetchone()
    return found is not None and found[0] == seen


def _json(value: Any) -> Jsonb:
    return Jsonb(value, dumps=orjson.dumps)
