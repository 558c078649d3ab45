"""Requests that come again with the same Idempotency-Key are carried out once and get the first answer."""

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

PROMISED = timedelta(days=7)  # so long no answer is forgotten
_PATIENCE = 2.0  # seconds for the first request to be answered, if it is under way


class Kept(NamedTuple):
    """The first answer: its status and its body as it was sent; no body if it can be made anew."""

    status: int
    body: str | None


def game_of_key(player_id: UUID, key: str) -> UUID:
    """The id of the game that this player opens with this key: the same one until the key is forgotten."""
    for time_around in count():
        game_id = uuid5(player_id, f"{key}\n{time_around}" if time_around else key)
        made_at = db.session.execute(select(GameRow.made_at).where(GameRow.game_id == game_id)).scalar()
        if made_at is None or made_at > clock.now() - PROMISED or _known(_is(game_id, player_id, key)):
            return game_id
    raise AssertionError("unreachable")


def first_answer(game_id: UUID, player_id: UUID, key: str, request_hash: bytes, may_repeat: bool) -> Kept | None:
    """The answer kept for this key; else None, and the key is taken as part of the transaction that now begins.

    `may_repeat`: what is done does nothing when it is done again. Raises KeyReused, UnderWay.
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
        db.session.rollback()  # it holds no connection while it waits
        time.sleep(0.02)
    if may_repeat:
        return None
    raise UnderWay("This request was carried out or is still in progress. Get the game to see the result.")


def _known(own: ColumnElement[bool]) -> IdempotencyKey | None:
    query = select(IdempotencyKey).where(own).execution_options(populate_existing=True)
    return db.session.execute(query).scalar_one_or_none()


def keep(game_id: UUID, player_id: UUID, key: str, request_hash: bytes, answer: Kept) -> None:
    """Keep the first answer, for seven days at least."""
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
    """Within the transaction in which somebody leaves a table where nothing else is kept of him: that answers to others may
    name him, for as long as these are kept. No request has this key, which no header can hold."""
    row = insert(IdempotencyKey).values(
        game_id=game_id, player_id=player_id, key="\n", request_hash=b"", made_at=clock.now()
    )
    now = {"made_at": row.excluded.made_at}
    db.session.execute(row.on_conflict_do_update(index_elements=["game_id", "player_id", "key"], set_=now))


def forget_old_answers(kept: timedelta) -> None:
    """Drop answers that were given so long ago."""
    retention.forget(IdempotencyKey, IdempotencyKey.made_at, clock.now() - kept)


def _is(game_id: UUID, player_id: UUID, key: str) -> ColumnElement[bool]:
    return (IdempotencyKey.game_id == game_id) & (IdempotencyKey.player_id == player_id) & (IdempotencyKey.key == key)
