"""The number of open event streams per player or network. Each web process stores its own numbers, so that limits apply
to all processes together."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete

from server.store.connections import autocommit
from server.store.tables import OpenStreams, db

_NOTE = """
INSERT INTO open_streams (whom, process_id, number, until)
SELECT whom, %s, number, %s FROM unnest(%s::text[], %s::integer[]) AS those (whom, number)
ON CONFLICT (whom, process_id) DO UPDATE SET number = excluded.number, until = excluded.until"""
_ELSEWHERE = "SELECT coalesce(sum(number), 0) FROM open_streams WHERE whom = %s AND process_id <> %s AND until > %s"


def note_open(process_id: UUID, held: Mapping[str, int], until: datetime) -> None:
    """Store how many streams this process has open for each key. The numbers are valid until this time."""
    if held:
        with autocommit() as connection:
            connection.execute(_NOTE, (process_id, until, list(held.keys()), list(held.values())))


def open_elsewhere(whom: str, process_id: UUID, now: datetime) -> int:
    """Return how many streams other processes have open for this key."""
    with autocommit() as connection:
        row = connection.execute(_ELSEWHERE, (whom, process_id, now)).fetchone()
    return int(row[0]) if row else 0


def forget_open(before: datetime) -> None:
    """Delete numbers that expired before this time, such as those of killed processes."""
    db.session.execute(delete(OpenStreams).where(OpenStreams.until < before))
    db.session.commit()
