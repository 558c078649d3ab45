"""Reminders: when a player is told that his time runs out."""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise

from sqlalchemy import update

from server.accounts.calendars import ALWAYS, Calendar, counting_hours
from server.accounts.preferences import DEFAULT_REMINDERS
from server.durations import duration
from server.play.game import Outline
from server.play.letters import letter, note
from server.play.time_control import counted, due_at
from server.rules import Json
from server.store import outbox
from server.store.seats import is_seat
from server.store.tables import SeatRow, db


def reminder_times(
    asked_at: datetime,
    due_at: datetime,
    thresholds: Sequence[str] = DEFAULT_REMINDERS,
    calendar: Calendar = ALWAYS,
    awake: Calendar | None = None,
) -> list[datetime]:
    """When to remind, in order, between `asked_at` and `due_at`.

    A reminder in hours that do not count by the calendar, or by that of when one is `awake`, waits for their end, or is left
    out if the next one has come by then; only the last comes at any hour.
    """
    moments = {_reached(threshold, asked_at, due_at, calendar) for threshold in thresholds}
    times = sorted(moment for moment in moments if asked_at < moment < due_at)
    put_off = [(next(counting_hours(moment, awake or calendar))[0], following) for moment, following in pairwise(times)]
    return sorted({moment for moment, following in put_off if moment < following}) + times[-1:]


def _reached(threshold: str, asked_at: datetime, due: datetime, calendar: Calendar) -> datetime:
    if threshold == "half":
        return due_at(asked_at, counted(asked_at, due, calendar) / 2, calendar)
    return due.astimezone(UTC) - duration(threshold)


def next_reminder(
    asked_at: datetime,
    due_at: datetime,
    thresholds: Sequence[str],
    calendar: Calendar,
    after: datetime,
    awake: Calendar | None = None,
) -> datetime | None:
    """The first reminder later than `after`, so that those missed are not sent late."""
    times = reminder_times(asked_at, due_at, thresholds, calendar, awake)
    return next((moment for moment in times if moment > after), None)


def remind(game: Outline, row: Json, fresh: Json, now: datetime) -> bool:
    """Note the next time to wake this seat, and a reminder if one is due; an outage only moves the times.

    False if somebody else has done so.
    """
    times = {name: fresh[name] for name in ("due_at", "remind_at", "wake_at")}
    seen = is_seat(game.game_id, row["seat"]) & (SeatRow.turn == row["turn"]) & (SeatRow.wake_at == row["wake_at"])
    written = db.session.execute(update(SeatRow).where(seen).values(**times).returning(SeatRow.seat)).first()
    if written and row["remind_at"] and row["remind_at"] <= now and fresh["due_at"] == row["due_at"]:
        about = f"{row['turn']}/{row['remind_at'].isoformat()}"
        letters = [letter(game, "reminder", row["seat"], now, about)]
        if row["has_webhooks"]:
            letters.append(note(game, "reminder", row["seat"], now, about))
        outbox.put(game.game_id, letters)
    db.session.commit()
    return written is not None
