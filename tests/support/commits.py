"""Commits of invented games, as tests of the store record them."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from server.store import log
from server.store.connections import autocommit
from server.store.log import Recorded
from server.store.tables import GameRow, SeatRow, db
from tests.support.rows import a_seat

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def a_game() -> UUID:
    game_id = uuid4()
    db.session.add(
        GameRow(
            game_id=game_id,
            rules="sternenhimmel",
            options={},
            title="",
            private=False,
            clock={},
            on_timeout=[],
            made_by=uuid4(),
            made_at=NOW,
            seed=b"seed",
            drawn=0,
            status="open",
            version=0,
            outcome=None,
            host=uuid4(),
        )
    )
    db.session.flush()
    db.session.add_all(SeatRow(game_id=game_id, seat=n, kind="open", salt="", to_act=False, lent=0) for n in range(2))
    db.session.commit()
    return game_id


def an_event(seq: int = 1, version: int = 1, **body: Any) -> Recorded:
    return Recorded(seq, version, "star-placed", 0, body, NOW, bytes(32))


def record(game_id: UUID, seen: int, events: Any = (), letters: Any = ()) -> bool:
    head = {"version": seen + 1, "status": "running", "outcome": None, "drawn": 3}
    seat = a_seat(seat=1, to_act=True, turn=seen + 1, due_at=NOW)
    with autocommit() as connection:
        events = events or [an_event(seen + 1, seen + 1)]
        return log.record(connection, log.Entry(game_id, seen, head, events, [seat], letters))


def a_letter(dedupe: str = "your-turn/1/0/mail/", **more: Any) -> dict[str, Any]:
    letter = {"letter_id": uuid4(), "dedupe": dedupe, "kind": "your-turn", "version": 1, "seat": 0, "player_id": None}
    return letter | {"data": {}, "made_at": NOW} | more
