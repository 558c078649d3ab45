"""Requests that come again with the same Idempotency-Key are carried out once and get the first answer."""

from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.dialects.postgresql import insert

from server.play.clock import clock
from server.play.errors import KeyReused, UnderWay
from server.store.tables import IdempotencyKey, db

KEPT = timedelta(days=7)


class Kept(NamedTuple):
    """The first answer: its status and its body as it was sent."""

    status: int
    body: str


def first_answer(game_id: UUID, player_id: UUID, key: str, request_hash: bytes, may_repeat: bool) -> Kept | None:
    """The answer kept for this key; else None, and the key is taken as part of the transaction that now begins.

    `may_repeat`: the deed does nothing when it is done again. Raises KeyReused, UnderWay.
    """
    own = _is(game_id, player_id, key)
    row = insert(IdempotencyKey).values(
        game_id=game_id, player_id=player_id, key=key, request_hash=request_hash, made_at=clock.now()
    )
    if db.session.execute(row.on_conflict_do_nothing().returning(IdempotencyKey.key)).first():
        return None
    known = db.session.execute(select(IdempotencyKey).where(own)).scalar_one()
    if known.request_hash != request_hash:
        raise KeyReused("This Idempotency-Key was used for another request.")
    if known.status is not None and known.answer is not None:
        return Kept(known.status, known.answer)
    if may_repeat:
        return None
    raise UnderWay("This request was carried out, or still is; look at the game to see what came of it.")


def keep(game_id: UUID, player_id: UUID, key: str, answer: Kept) -> None:
    """Keep the first answer for seven days."""
    own = _is(game_id, player_id, key)
    db.session.execute(update(IdempotencyKey).where(own).values(status=answer.status, answer=answer.body))
    db.session.commit()


def forget_old_answers() -> None:
    """Drop what was kept long enough."""
    db.session.execute(delete(IdempotencyKey).where(IdempotencyKey.made_at < clock.now() - KEPT))
    db.session.commit()


def _is(game_id: UUID, player_id: UUID, key: str) -> ColumnElement[bool]:
    return (IdempotencyKey.game_id == game_id) & (IdempotencyKey.player_id == player_id) & (IdempotencyKey.key == key)
