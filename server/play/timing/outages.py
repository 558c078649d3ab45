"""The adjustment of all due times after outages."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import select, update

from server.clock import clock
from server.play.commits import outlines
from server.play.game import Outline
from server.play.timing.due_times import due_times
from server.play.timing.heartbeats import GAP
from server.play.timing.reminders import remind
from server.play.timing.sweep import chunks, log
from server.store import inbox, outbox, webhook_queue
from server.store.connections import autocommit, let_go
from server.store.database_retry import is_passing, with_retries
from server.store.rows import SeatState
from server.store.seats import is_free, is_seat
from server.store.tables import Outage, SeatRow, db


def follow_outages() -> None:
    """Recompute the times of all seats after new outages, one game at a time.

    The sweep recomputes due times anyway. This function keeps displayed times correct, even after this machine's clock
    was ahead. If it is interrupted, the next call continues its work.
    """
    with autocommit() as connection:  # a cheap check first: outages are rare
        if connection.execute("SELECT FROM outages WHERE NOT followed LIMIT 1").fetchone() is None:
            return
    now = clock.now()
    noted = db.session.scalars(select(Outage.outage_id).where(~Outage.followed)).all()
    timed = select(SeatRow.game_id).where(SeatRow.due_at.is_not(None) | (SeatRow.asked_at > now)).distinct()
    games = db.session.scalars(timed).all() if noted else []
    db.session.rollback()
    if not noted:
        return
    outbox.bring_forward(now, GAP)
    inbox.bring_forward(now, GAP)
    webhook_queue.bring_forward(now, GAP)
    have_followed = [_have_followed(some) for some in chunks(games)]
    if all(have_followed):
        db.session.execute(update(Outage).where(Outage.outage_id.in_(noted)).values(followed=True))
        db.session.commit()


def _have_followed(game_ids: Sequence[UUID]) -> bool:
    """Recompute the due times of these games. Return False if one of them is locked."""
    found, now = outlines(game_ids), clock.now()
    have_followed = [_has_followed(outline, now) for outline in found.values()]
    return all(have_followed)


def _has_followed(outline: Outline, now: datetime) -> bool:
    try:
        return _follow(outline, now)
    except Exception as error:
        if is_passing(error):
            raise
        let_go()
        log.exception("The due times of game %s do not follow the outages", outline.game_id)
        return True  # the sweep will retry


@with_retries
def _follow(game: Outline, now: datetime) -> bool:
    moved = [row for row in game.seats if row.asked_at and (row.asked_at > now or _is_moved(game, row, now))]
    if moved and not is_free(game.game_id):
        return False
    for row in moved:
        if row.asked_at and row.asked_at > now:
            seen = is_seat(game.game_id, row.seat) & (SeatRow.asked_at == row.asked_at)
            db.session.execute(update(SeatRow).where(seen).values(asked_at=now))
            row = row._replace(asked_at=now)  # a copy: a retry starts from the original row
        if _is_moved(game, row, now):
            remind(game, row, due_times(game, row, now), now)
    db.session.commit()
    return True


def _is_moved(game: Outline, row: SeatState, now: datetime) -> bool:
    return row.due_at is not None and due_times(game, row, now).due_at != row.due_at
