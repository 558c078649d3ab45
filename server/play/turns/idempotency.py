"""Idempotency keys: a repeated request runs once and gets the first response."""

import time
from datetime import timedelta
from itertools import count
from typing import NamedTuple
from uuid import UUID, uuid5

from sqlalchemy import ColumnElement, select
from sqlalchemy.dialects.postgresql import insert

from server.clock import clock
from server.errors import KeyReused, UnderWay
from server.store import retention
from server.store.tables import GameRow, IdempotencyKey, db

PROMISED = timedelta(days=7)  # minimum storage of responses
_PATIENCE = 2.0  # seconds to wait for the response to the first request


class Kept(NamedTuple):
    """The first response to a call: status and body. The body is omitted if it can be recomputed."""

    status: int
    body: str | None


def game_of_key(player_id: UUID, key: str) -> UUID:
    """Return the id of the game that this player opens with this key. The id stays the same while the key is stored."""
    for time_around in count():
        game_id = uuid5(player_id, f"{key}\n{time_around}" if time_around else key)
        made_at = db.session.execute(select(GameRow.made_at).where(GameRow.game_id == game_id)).scalar()
        if made_at is None or made_at > clock.now() - PROMISED or _known(_is(game_id, player_id, key)):
            return game_id
    raise AssertionError("unreachable")


def first_answer(game_id: UUID, player_id: UUID, key: str, request_hash: bytes, may_repeat: bool) -> Kept | None:
    """Return the stored response for this key. If there is none, reserve the key in the transaction that begins now,
    and return None.

    `may_repeat`: the request is idempotent even without a key. Raise KeyReused, UnderWay.
    """
    row = insert(IdempotencyKey).values(
        game_id=game_id, player_id=player_id, key=key, request_hash=request_hash, made_at=clock.now()
    )
    if db.session.execute(row.on_conflict_do_nothing().returning(IdempotencyKey.key)).first():
        return None
    deadline = time.monotonic() + _PATIENCE
    while known := _known(_is(game_id, player_id, key)):
        if known.request_hash != request_hash:
            raise KeyReused("This Idempotency-Key was used for another request.")
        if known.status is not None:
            return Kept(known.status, known.answer)
        if time.monotonic() > deadline:
            break
        db.session.rollback()  # frees the connection while waiting
        time.sleep(0.02)
    if may_repeat:
        return None
    raise UnderWay("This request was carried out or is still in progress. Get the game to see the result.")


def _known(own: ColumnElement[bool]) -> IdempotencyKey | None:
    query = select(IdempotencyKey).where(own).execution_options(populate_existing=True)
    return db.session.execute(query).scalar_one_or_none()


def keep(game_id: UUID, player_id: UUID, key: str, request_hash: bytes, answer: Kept) -> None:
    """Store the first response. It is kept for at least seven days."""
    row = insert(IdempotencyKey).values(
        game_id=game_id,
        player_id=player_id,
        key=key,
        request_hash=request_hash,
        status=answer.status,
        answer=answer.body,
        made_at=clock.now(),
    )
    kept = {"status": row.excluded.status, "answer": row.excluded.answer}
    db.session.execute(row.on_conflict_do_update(index_elements=["game_id", "player_id", "key"], set_=kept))
    db.session.commit()


def note_named(game_id: UUID, player_id: UUID) -> None:
    """Record that stored responses of other players may name this player. Call this within the transaction in which the
    player leaves a table without other traces. The key of this record is invalid in a header, so no request uses it."""
    row = insert(IdempotencyKey).values(
        game_id=game_id, player_id=player_id, key="\n", request_hash=b"", made_at=clock.now()
    )
    now = {"made_at": row.excluded.made_at}
    db.session.execute(row.on_conflict_do_update(index_elements=["game_id", "player_id", "key"], set_=now))


def forget_old_answers(kept: timedelta) -> None:
    retention.forget(IdempotencyKey, IdempotencyKey.made_at, clock.now() - kept)


def _is(game_id: UUID, player_id: UUID, key: str) -> ColumnElement[bool]:
    return (IdempotencyKey.game_id == game_id) & (IdempotencyKey.player_id == player_id) & (IdempotencyKey.key == key)
