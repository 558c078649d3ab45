"""Many seats that are due at the same moment, and checks of the result."""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple
from uuid import UUID

import psycopg

from server.games import Seat, commitment
from server.store import log


class Late(NamedTuple):
    game_id: UUID
    seat: Seat


Connection = psycopg.Connection[Any]

_RUN_OUT = """
UPDATE seats SET asked_at = asked_at - interval '3 days', due_at = due_at - interval '3 days', remind_at = NULL,
    wake_at = due_at - interval '3 days'
  WHERE game_id = ANY(%s) AND due_at IS NOT NULL RETURNING game_id, seat
"""
_TIMED_OUT = "SELECT game_id, seat FROM events WHERE game_id = ANY(%s) AND type IN ('time-extended', 'time-ran-out')"
_TOLD = """
SELECT DISTINCT game_id, seat, letter_id FROM (
  SELECT game_id, seat, letter_id, kind FROM outbox UNION ALL SELECT game_id, seat, letter_id, kind FROM deliveries
) AS letters WHERE game_id = ANY(%s) AND kind IN ('time-extended', 'bot-moved')
"""


def time_runs_out(connection: Connection, games: Collection[UUID]) -> list[Late]:
    """Move the start of all open turns of these games three days back."""
    return [Late(*row) for row in connection.execute(_RUN_OUT, (list(games),))]


def still_due(connection: Connection) -> int:
    row = connection.execute("SELECT count(*) FROM seats WHERE wake_at <= now()").fetchone()
    assert row is not None
    return int(row[0])


def time_outs(connection: Connection, games: Collection[UUID]) -> Counter[Late]:
    return Counter(Late(*row) for row in connection.execute(_TIMED_OUT, (list(games),)))


def time_out_letters(connection: Connection, games: Collection[UUID]) -> Counter[Late]:
    return Counter(Late(game_id, seat) for game_id, seat, _ in connection.execute(_TOLD, (list(games),)))


def broken(connection: Connection, games: Iterable[UUID]) -> list[UUID]:
    """Return the games whose log lacks a number or version, or has a wrong hash."""
    return [game_id for game_id in games if not _is_whole(connection, game_id)]


def _is_whole(connection: Connection, game_id: UUID) -> bool:
    records = log.read(connection, game_id)
    assert records is not None
    head, events = records.head, records.events
    hash_, version = bytes.fromhex(commitment(head.seed)), 0
    for seq, event in enumerate(events, 1):
        if event.seq != seq or event.version - version not in (0, 1) or event.hash != log.chain_hash(hash_, event):
            return False
        hash_, version = event.hash, event.version
    return version == head.version
