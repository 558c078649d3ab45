"""The append-only log: what is read equals what was written, and its hashes prove it."""

import hashlib
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from flask import Flask

from server.store import log
from server.store.connections import autocommit
from server.store.log import Recorded
from tests.support.commits import NOW, a_game, an_event, record

MINUTE = timedelta(minutes=1)


# No role changes the log


@pytest.fixture
def logged(app: Flask) -> Iterator[UUID]:
    """Return a game with one event, in the app's context."""
    with app.app_context():
        game_id = a_game()
        assert record(game_id, 0)
        yield game_id


@pytest.mark.parametrize("change", ["UPDATE events SET body = '{}'", "DELETE FROM events", "TRUNCATE events"])
def test_neither_the_app_nor_the_owner_of_the_tables_can_change_the_log(
    logged: UUID, shared_url: str, change: str
) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied"), autocommit() as connection:
        connection.execute(change)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="append-only"), psycopg.connect(shared_url) as owner:
        owner.execute(change)


# Reading


def test_event_data_of_any_kind_is_read_back_unchanged(app: Flask) -> None:
    body = {
        "text": 'Grüße, «ciel» \u2028 \U0001f30c "\\',
        "number": 2**53 - 1,
        "nothing": None,
        "list": [[], {}, [True]],
    }
    with app.app_context():
        game_id = a_game()
        assert record(game_id, 0, [an_event(**body)])
        with autocommit() as connection:
            records = log.read(connection, game_id)
            assert records is not None
            assert records.events[0].body == body
            later = log.read(connection, game_id, after=1)
        assert later is not None
        assert later.events == []


# The hash chain, recomputed


def test_a_hash_covers_its_predecessor_and_the_event_in_canonical_json() -> None:
    event = Recorded(3, 2, "star-placed", 0, {"star": "7", "board": "löwe"}, NOW + timedelta(microseconds=5), b"")
    written = (
        '{"at":"2026-11-21T12:00:00.000005Z","body":{"board":"löwe","star":"7"},'
        '"seat":0,"seq":3,"type":"star-placed","version":2}'
    )
    assert log.chain_hash(b"\1" * 32, event) == hashlib.sha256(b"\1" * 32 + written.encode()).digest()


@pytest.mark.parametrize(
    "change", [{"seq": 4}, {"version": 3}, {"type": "x"}, {"seat": None}, {"body": {}}, {"recorded_at": NOW}]
)
def test_changing_any_part_of_an_event_changes_its_hash(change: dict[str, Any]) -> None:
    event = Recorded(3, 2, "star-placed", 0, {"star": "7"}, NOW + MINUTE, b"")
    assert log.chain_hash(b"", event._replace(**change)) != log.chain_hash(b"", event) != log.chain_hash(b"\0", event)
