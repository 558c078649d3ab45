"""Reminders before a player's time runs out."""

from datetime import datetime

from sqlalchemy import update

from server.accounts.notice_kinds import REMINDER
from server.play.game import Outline
from server.play.mail.letters import News, letter, note
from server.play.timing.due_times import DueTimes
from server.store import outbox
from server.store.rows import SeatState
from server.store.seats import is_seat
from server.store.tables import SeatRow, db


def remind(game: Outline, row: SeatState, fresh: DueTimes, now: datetime) -> bool:
    """Store the time of this seat's next check, and queue a reminder if one is due. After an outage, only change the
    times.

    Return False if another process came first.
    """
    seen = is_seat(game.game_id, row.seat) & (SeatRow.turn == row.turn) & (SeatRow.wake_at == row.wake_at)
    written = db.session.execute(update(SeatRow).where(seen).values(**fresh._asdict()).returning(SeatRow.seat)).first()
    if written and row.remind_at and row.remind_at <= now and fresh.due_at == row.due_at:
        news = News(REMINDER, row.seat, about=f"{row.turn}/{row.remind_at.isoformat()}")
        letters = [letter(game, news, now)]
        if row.person.has_webhooks:
            letters.append(note(game, news, now))
        outbox.put(game.game_id, letters)
    db.session.commit()
    return written is not None
