"""Rows of games for tests that need no database."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from server.store.rows import SEAT_COLUMNS, GameHead, SeatState

_HEAD: dict[str, Any] = dict.fromkeys(GameHead._fields) | {
    "game_id": UUID(int=0),
    "rules": "sternenhimmel",
    "options": {},
    "title": "A night",
    "private": False,
    "clock": {"per_move": "P2D"},
    "on_timeout": [],
    "made_by": UUID(int=1),
    "made_at": datetime(2026, 11, 20, tzinfo=UTC),
    "seed": bytes(32),
    "drawn": 0,
    "status": "open",
    "version": 0,
    "host": UUID(int=1),
    "sent_away": [],
    "programs": True,
}
_SEAT: dict[str, Any] = dict.fromkeys(SEAT_COLUMNS) | {
    "seat": 0,
    "to_act": False,
    "lent": 0,
    "kind": "open",
    "salt": "",
    "ready": False,
    "planned": False,
    "since": 0,
}


def a_head(**columns: Any) -> GameHead:
    return GameHead(**_HEAD | columns)


def a_seat(**columns: Any) -> SeatState:
    return SeatState(**_SEAT | columns)
