"""The queue of webhooks. Notices are moved from the games' outbox into one queue per webhook.

A sender leases a webhook, so that each webhook gets one delivery at a time.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID, uuid4, uuid5

from psycopg.rows import dict_row
from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert

from server.store.connections import autocommit
from server.store.database_retry import with_retries
from server.store.tables import LetterRow, PlayerLetterRow, Webhook, WebhookDelivery, WebhookMessage, columns_of, db

NOTE = "webhook"  # the kind of rows in the outbox that are for webhooks
_OFTEN = 3


class Waiting(NamedTuple):
    """A webhook that has deliveries due. Another process may already be sending them. `round` counts the leases of the
    webhook."""

    player_id: UUID
    webhook_id: UUID
    round: int


def are_there_any() -> bool:
    with autocommit() as connection:
        row = connection.execute("SELECT EXISTS (SELECT 1 FROM players WHERE has_webhooks)").fetchone()
    return row is not None and row[0]


# Notices about games


def notes(now: datetime, most: int) -> Sequence[LetterRow]:
    """Return notices about games that are meant for webhooks, oldest first."""
    which = f"kind = '{NOTE}' AND due_at <= %s ORDER BY due_at, version LIMIT %s"
    query = f"SELECT {columns_of(LetterRow)} FROM outbox WHERE {which}"
    with autocommit() as connection, connection.cursor(row_factory=dict_row) as cursor:
        return [LetterRow(**row) for row in cursor.execute(query, (now, most))]


@with_retries
def hand_over(note: LetterRow, kind: str, payload: str, now: datetime) -> None:
    """Put a notice into the queue of each webhook that wants it, then delete the notice.

    These are two transactions, since games and players may be on different machines. If this is repeated, the delivery
    already exists, since its id is derived from the webhook and the notice.
    """
    wants = (Webhook.player_id == note.player_id) & Webhook.disabled.is_(None) & Webhook.kinds.contains([kind])
    of_this_game = Webhook.game_id.is_(None) | (Webhook.game_id == note.game_id)
    # This comes first, since it locks the webhook: then `release` sees all deliveries added before.
    woken = update(Webhook).where(wants, of_this_game).values(wake_at=now).returning(Webhook.webhook_id)
    delivery = {"player_id": note.player_id, "kind": kind, "payload": payload}
    for webhook_id in db.session.scalars(woken).all():
        own_id = uuid5(webhook_id, str(note.letter_id))
        _enqueue(note.made_at, webhook_id=webhook_id, delivery_id=own_id, **delivery)
    db.session.commit()
    db.session.execute(
        delete(LetterRow).where(LetterRow.game_id == note.game_id, LetterRow.letter_id == note.letter_id)
    )
    db.session.commit()


def postpone_note(note: LetterRow, later: datetime) -> None:
    """Postpone a notice that can't be queued, so that others are processed first."""
    here = (LetterRow.game_id == note.game_id) & (LetterRow.letter_id == note.letter_id)
    db.session.execute(update(LetterRow).where(here).values(due_at=later))
    db.session.commit()


def enqueue(player_id: UUID, webhook_id: UUID, kind: str, payload: str, now: datetime) -> UUID:
    """Queue one delivery for one webhook, within the current transaction. Return the id of the delivery."""
    delivery_id = uuid4()
    db.session.execute(update(Webhook).where(is_webhook(player_id, webhook_id)).values(wake_at=now))
    delivery = {"player_id": player_id, "webhook_id": webhook_id, "delivery_id": delivery_id}
    _enqueue(now, **delivery, kind=kind, payload=payload)
    return delivery_id


def _enqueue(made_at: datetime, **delivery: Any) -> None:
    row = insert(WebhookDelivery).values(
        **delivery,
        made_at=made_at,
        begun_at=made_at,
        due_at=made_at,
        tries=0,
        result="waiting",
        status=None,
        detail="",
        tried_at=None,
    )
    db.session.execute(row.on_conflict_do_nothing())


# Deliveries


class Attempt(NamedTuple):
    """What became of an attempt to send a delivery."""

    tried_at: datetime
    result: str
    status: int | None
    detail: str
    due_at: datetime | None = None  # the next attempt


_DUE = """
SELECT player_id, webhook_id, round FROM webhooks
 WHERE wake_at <= %(now)s AND rests_until <= %(now)s AND (leased_until IS NULL OR leased_until <= %(lapsed_at)s)
   AND webhook_id <> ALL(%(busy)s::uuid[]) ORDER BY wake_at LIMIT %(most)s"""


def due(now: datetime, most: int, busy: Collection[UUID], lapsed_at: datetime | None) -> list[Waiting]:
    """Return the webhooks that have deliveries due, without resting and `busy` webhooks.

    Leases that ended at `lapsed_at` or before have expired.
    """
    asked = {"now": now, "lapsed_at": lapsed_at, "busy": list(busy), "most": most}
    with autocommit() as connection:
        return [Waiting(*row) for row in connection.execute(_DUE, asked)]


def claim(hook: Waiting, until: datetime) -> Waiting | None:
    """Lease a webhook, and return it. Return None if another process was faster."""
    mine = is_webhook(hook.player_id, hook.webhook_id) & (Webhook.round == hook.round)
    taken = update(Webhook).where(mine).values(leased_until=until, round=Webhook.round + 1).returning(Webhook.round)
    found = db.session.scalar(taken)
    db.session.commit()
    return None if found is None else hook._replace(round=found)


def renew(hook: Waiting, until: datetime) -> bool:
    """Extend the lease. Return False if another process has the webhook."""
    renewed = update(Webhook).where(_is_ours(hook)).values(leased_until=until).returning(Webhook.webhook_id)
    is_ours = db.session.execute(renewed).first() is not None
    db.session.commit()
    return is_ours


def queue_of(hook: Waiting, now: datetime, most: int) -> Sequence[WebhookDelivery]:
    """Return the deliveries that are due, in the order of their events. Deliveries that have failed often come last,
    since they may be the cause."""
    query = select(WebhookDelivery).where(is_of_webhook(hook.player_id, hook.webhook_id), WebhookDelivery.due_at <= now)
    order = (WebhookDelivery.tries >= _OFTEN, WebhookDelivery.made_at, WebhookDelivery.delivery_id)
    found = db.session.scalars(query.order_by(*order).limit(most)).all()
    db.session.expunge_all()
    db.session.rollback()
    return found


def load_leased(hook: Waiting) -> Webhook | None:
    """Return the webhook. Return None if it is disabled or deleted, or if the lease is lost."""
    found = db.session.scalars(select(Webhook).where(_is_ours(hook), Webhook.disabled.is_(None))).one_or_none()
    db.session.expunge_all()
    db.session.rollback()
    return found


@with_retries
def record_success(hook: Webhook, delivery: WebhookDelivery, now: datetime, status: int, detail: str) -> None:
    _note(delivery, Attempt(now, "delivered", status, detail))
    here = is_webhook(hook.player_id, hook.webhook_id)
    db.session.execute(update(Webhook).where(here).values(failures=0, failing_since=None))
    db.session.commit()


@with_retries
def record_failure(hook: Webhook, delivery: WebhookDelivery, attempt: Attempt, disabled: str | None) -> None:
    """Store a failed attempt.

    `disabled`: why the webhook is disabled, if it is. Its owner then gets an email.
    """
    now = attempt.tried_at
    _note(delivery, attempt)
    here = is_webhook(hook.player_id, hook.webhook_id)
    since = hook.failing_since or now
    db.session.execute(update(Webhook).where(here).values(failures=hook.failures + 1, failing_since=since))
    if disabled and switch_off(hook.player_id, hook.webhook_id, disabled):
        letter = insert(PlayerLetterRow).values(
            player_id=hook.player_id,
            letter_id=uuid4(),
            dedupe=f"webhook-disabled/{hook.webhook_id}/{now.isoformat()}/mail",
            kind="webhook-disabled",
            data={"url": hook.url, "why": disabled, "detail": attempt.detail},
            made_at=now,
            due_at=now,
            tries=0,
        )
        db.session.execute(letter.on_conflict_do_nothing(index_elements=["player_id", "dedupe"]))
    db.session.commit()


@with_retries
def record_drop(hook: Webhook, delivery: WebhookDelivery, now: datetime, why: str) -> None:
    """Record that the delivery was not sent because it is no longer relevant."""
    _note(delivery, Attempt(now, "given-up", None, why))
    db.session.commit()


def message_of(hook: Webhook, game_id: UUID) -> str | None:
    """Return the id that the chat has given to the message about this game, or None."""
    found = db.session.get(WebhookMessage, (hook.player_id, hook.webhook_id, game_id), populate_existing=True)
    message_id = found.message_id if found else None
    db.session.rollback()
    return message_id


@with_retries
def note_message(hook: Webhook, game_id: UUID, message_id: str, now: datetime) -> None:
    row = insert(WebhookMessage).values(
        player_id=hook.player_id, webhook_id=hook.webhook_id, game_id=game_id, message_id=message_id, at=now
    )
    key, new = ["player_id", "webhook_id", "game_id"], {"message_id": message_id, "at": now}
    db.session.execute(row.on_conflict_do_update(index_elements=key, set_=new))
    db.session.commit()


def _note(delivery: WebhookDelivery, attempt: Attempt) -> None:
    here = is_of_webhook(delivery.player_id, delivery.webhook_id) & (
        WebhookDelivery.delivery_id == delivery.delivery_id
    )
    values = {"tries": delivery.tries + 1, **attempt._asdict()}
    db.session.execute(update(WebhookDelivery).where(here).values(values))


def switch_off(player_id: UUID, webhook_id: UUID, why: str) -> bool:
    """Disable a webhook and give up its deliveries, within the current transaction. Return False if the webhook was
    already disabled."""
    here = is_webhook(player_id, webhook_id) & Webhook.disabled.is_(None)
    off = update(Webhook).where(here).values(disabled=why, wake_at=None).returning(Webhook.webhook_id)
    if db.session.execute(off).first() is None:
        return False
    waiting = is_of_webhook(player_id, webhook_id) & WebhookDelivery.due_at.is_not(None)
    db.session.execute(update(WebhookDelivery).where(waiting).values(due_at=None, result="given-up"))
    return True


@with_retries
def release(hook: Waiting, rests_until: datetime | None) -> None:
    """End the lease. If `rests_until` is set, the remaining deliveries wait until then."""
    mine = _is_ours(hook)
    if db.session.execute(select(Webhook.webhook_id).where(mine).with_for_update()).first() is not None:
        waiting = is_of_webhook(hook.player_id, hook.webhook_id)
        next_due = db.session.scalar(select(func.min(WebhookDelivery.due_at)).where(waiting))
        ended = {"wake_at": next_due, "leased_until": None, **({"rests_until": rests_until} if rests_until else {})}
        db.session.execute(update(Webhook).where(mine).values(ended))
    db.session.commit()


# Maintenance


def forget_before(moment: datetime) -> None:
    """Delete finished deliveries that were created before this time."""
    old = (WebhookDelivery.made_at < moment) & WebhookDelivery.due_at.is_(None)
    db.session.execute(delete(WebhookDelivery).where(old))
    db.session.commit()


def bring_forward(now: datetime, leeway: timedelta) -> None:
    """Change times in the future, which come from a clock that was ahead, to the current time."""
    future = now + leeway
    made_later = WebhookDelivery.due_at.is_not(None) & (WebhookDelivery.made_at > future)
    db.session.execute(update(WebhookDelivery).where(made_later).values(due_at=now, begun_at=now))
    resting = (Webhook.wake_at > future) | (Webhook.rests_until > future)
    db.session.execute(
        update(Webhook).where(resting, Webhook.wake_at.is_not(None)).values(wake_at=now, rests_until=now)
    )
    db.session.commit()


def is_webhook(player_id: UUID, webhook_id: UUID) -> ColumnElement[bool]:
    return (Webhook.player_id == player_id) & (Webhook.webhook_id == webhook_id)


def _is_ours(hook: Waiting) -> ColumnElement[bool]:
    """Return an SQL condition that is true while this process holds the lease on the webhook."""
    mine = is_webhook(hook.player_id, hook.webhook_id) & (Webhook.round == hook.round)
    return mine & Webhook.leased_until.is_not(None)


def is_of_webhook(player_id: UUID, webhook_id: UUID) -> ColumnElement[bool]:
    return (WebhookDelivery.player_id == player_id) & (WebhookDelivery.webhook_id == webhook_id)
