"""The queue of push notifications. A push notification is stored in the outbox together with its email, and is retried
and recorded in the same way."""

from datetime import datetime
from uuid import UUID, uuid5

from sqlalchemy import ColumnElement, select

from server.accounts.calendars import counting_hours, stored_calendar
from server.accounts.preferences import wants_push
from server.clock import clock
from server.games import Json
from server.store import outbox
from server.store.outbox import PUSH, Waiting
from server.store.tables import Delivery, LetterRow, Player, PlayerLetterRow, db


def enqueue(row: LetterRow | PlayerLetterRow, player: Player | None) -> None:
    """Queue a push notification for an email about a game, if the email's reader wants push notifications. It is due
    when the reader's quiet hours end.

    Guests get no push notifications, since no other player waits for them.
    """
    if player is None or not player.has_push or player.guest_until is not None or not isinstance(row, LetterRow):
        return
    if not wants_push(row.kind, player.notifications):
        return
    letter_id = uuid5(row.letter_id, PUSH)
    was_told = select(Delivery.letter_id).where(Delivery.game_id == row.game_id, Delivery.letter_id == letter_id)
    if db.session.execute(was_told.limit(1)).first() is None:
        now = clock.now()
        told: Json = {
            "letter_id": letter_id,
            "dedupe": f"{row.dedupe}{PUSH}",
            "kind": PUSH,
            "data": {**row.data, "kind": row.kind},
            "made_at": now,
            "due_at": _awake_at(player, row, now),
        }
        outbox.put(row.game_id, [{it: getattr(row, it) for it in ("version", "seat", "player_id")} | told])
        db.session.commit()


def enqueue_early(letter: Waiting) -> None:
    """Queue the push notification for an email that has been postponed."""
    player = db.session.get(Player, UUID(letter.reader))
    if player and player.has_push and (row := db.session.get(LetterRow, (letter.owner, letter.letter_id))):
        enqueue(row, player)


def _awake_at(player: Player, row: LetterRow, now: datetime) -> datetime:
    """Return when the player's playing hours begin again, or `now` if the player's time would be over by then."""
    at = next(iter(counting_hours(now, stored_calendar(player.calendar, player.zone))))[0]
    due_at = row.data.get("due_at")
    return now if due_at and at >= datetime.fromisoformat(due_at) else max(at, now)


def is_overtaken(row: LetterRow) -> bool:
    """Return whether a later push notification about this game is queued for the same reader or was sent to them. This
    happens after an outage."""

    def to_reader(table: type[LetterRow | Delivery]) -> ColumnElement[bool]:
        return (table.game_id == row.game_id) & (table.player_id == row.player_id) & (table.kind == PUSH)

    queries = (
        select(LetterRow.letter_id).where(to_reader(LetterRow), LetterRow.made_at > row.made_at),
        select(Delivery.letter_id).where(to_reader(Delivery), Delivery.at > row.made_at, Delivery.result == "sent"),
    )
    return any(db.session.execute(query.limit(1)).first() for query in queries)
