"""The queue of webhooks. Notes move from the games' outbox into a queue per webhook.

A sender leases a webhook, so that it gets one delivery at a time.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID, uuid4, uuid5

from psycopg.rows import dict_row
from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert

from server.store.connections import autocommit
from server.store.database_retry import with_retries
from server.store.tables import LetterRow, PlayerLetterRow, Webhook, WebhookDelivery, WebhookMessage, columns_of, db

NOTE = "webhook"  # the kind of emails for webhooks
_OFTEN = 3


class Waiting(NamedTuple):
    """A webhook with due deliveries. Another process may have it by now. `round` counts its leases."""

    player_id: UUID
    webhook_id: UUID
    round: int


def are_there_any() -> bool:
    with autocommit() as connection:
        row = connection.execute("SELECT EXISTS (SELECT 1 FROM players WHERE has_webhooks)").fetchone()
    return row is not None and row[0]


# Notes of games


def notes(now: datetime, most: int) -> Sequence[LetterRow]:
    """Return the notes of games for webhooks, oldest first."""
    which = f"kind = '{NOTE}' AND due_at <= %s ORDER BY due_at, version LIMIT %s"
    query = f"SELECT {columns_of(LetterRow)} FROM outbox WHERE {which}"
    with autocommit() as connection, connection.cursor(row_factory=dict_row) as cursor:
        return [LetterRow(**row) for row in cursor.execute(query, (now, most))]


@with_retries
def hand_over(note: LetterRow, kind: str, payload: str, now: datetime) -> None:
    """Put a note into the queue of each webhook that wants it, then delete it.

    These are two transactions, since games and players may be on different machines. A repetition finds its delivery,
    whose id derives from webhook and note.
    """
    wants = (Webhook.player_id == note.player_id) & Webhook.disabled.is_(None) & Webhook.kinds.contains([kind])
    of_this_game = Webhook.game_id.is_(None) | (Webhook.game_id == note.game_id)
    # First, since it locks the webhook: `release` then sees all deliveries added before.
    woken = update(Webhook).where(wants, of_this_game).values(wake_at=now).returning(Webhook.webhook_id)
    for webhook_id in db.session.scalars(woken).all():
        _enqueue(note.player_id, webhook_id, uuid5(webhook_id, str(note.letter_id)), kind, payload, note.made_at)
    db.session.commit()
    db.session.execute(
        delete(LetterRow).where(LetterRow.game_id == note.game_id, LetterRow.letter_id == note.letter_id)
    )
    db.session.commit()


def postpone_note(note: LetterRow, later: datetime) -> None:
    """Postpone a note that can't be queued, so that others go first."""
    here = (LetterRow.game_id == note.game_id) & (LetterRow.letter_id == note.letter_id)
    db.session.execute(update(LetterRow).where(here).values(due_at=later))
    db.session.commit()


def enqueue(player_id: UUID, webhook_id: UUID, kind: str, payload: str, now: datetime) -> UUID:
    """Queue one delivery for one webhook, within the current transaction. Return its id."""
    delivery_id = uuid4()
    db.session.execute(update(Webhook).where(_is(player_id, webhook_id)).values(wake_at=now))
    _enqueue(player_id, webhook_id, delivery_id, kind, payload, now)
    return delivery_id


def _enqueue(
    player_id: UUID | None, webhook_id: UUID, delivery_id: UUID, kind: str, payload: str, made_at: datetime
) -> None:
    row = insert(WebhookDelivery).values(
        player_id=player_id,
        webhook_id=webhook_id,
        delivery_id=delivery_id,
        kind=kind,
        payload=payload,
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


_DUE = """
SELECT player_id, webhook_id, round FROM webhooks
 WHERE wake_at <= %(now)s AND rests_until <= %(now)s AND (leased_until IS NULL OR leased_until <= %(lapsed_at)s)
   AND webhook_id <> ALL(%(busy)s::uuid[]) ORDER BY wake_at LIMIT %(most)s"""


def due(now: datetime, most: int, busy: Collection[UUID], lapsed_at: datetime | None) -> list[Waiting]:
    """Return the webhooks with due deliveries, without resting and `busy` ones.

    Leases that had ended by `lapsed_at` have expired.
    """
    asked = {"now": now, "lapsed_at": lapsed_at, "busy": list(busy), "most": most}
    with autocommit() as connection:
        return [Waiting(*row) for row in connection.execute(_DUE, asked)]


def claim(hook: Waiting, until: datetime) -> Waiting | None:
    """Lease a webhook and return it, or None if another process was faster."""
    mine = _is(hook.player_id, hook.webhook_id) & (Webhook.round == hook.round)
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
    """Return due deliveries in the order of their events. Deliveries that failed often come last, since they may be at
    fault."""
    query = select(WebhookDelivery).where(_of(hook.player_id, hook.webhook_id), WebhookDelivery.due_at <= now)
    order = (WebhookDelivery.tries >= _OFTEN, WebhookDelivery.made_at, WebhookDelivery.delivery_id)
    found = db.session.scalars(query.order_by(*order).limit(most)).all()
    db.session.expunge_all()
    db.session.rollback()
    return found


def load_leased(hook: Waiting) -> Webhook | None:
    """Return the webhook, or None if it is disabled or deleted, or the lease is lost."""
    found = db.session.scalars(select(Webhook).where(_is_ours(hook), Webhook.disabled.is_(None))).one_or_none()
    db.session.expunge_all()
    db.session.rollback()
    return found


@with_retries
def record_success(hook: Webhook, delivery: WebhookDelivery, now: datetime, status: int, detail: str) -> None:
    _tried(delivery, now, "delivered", None, status, detail)
    here = _is(hook.player_id, hook.webhook_id)
    db.session.execute(update(Webhook).where(here).values(failures=0, failing_since=None))
    db.session.commit()


@with_retries
def record_failure(
    hook: Webhook,
    delivery: WebhookDelivery,
    now: datetime,
    status: int | None,
    detail: str,
    later: datetime | None,
    disabled: str | None,
) -> None:
    """Store a failed attempt and the time of the next one (None: give up).

    `disabled`: why the webhook is disabled. Its owner gets an email.
    """
    _tried(delivery, now, "failed" if later else "given-up", later, status, detail)
    here = _is(hook.player_id, hook.webhook_id)
    since = hook.failing_since or now
    db.session.execute(update(Webhook).where(here).values(failures=hook.failures + 1, failing_since=since))
    if disabled and switch_off(hook.player_id, hook.webhook_id, disabled):
        letter = insert(PlayerLetterRow).values(
            player_id=hook.player_id,
            letter_id=uuid4(),
            dedupe=f"webhook-disabled/{hook.webhook_id}/{now.isoformat()}/mail",
            kind="webhook-disabled",
            data={"url": hook.url, "why": disabled, "detail": detail},
            made_at=now,
            due_at=now,
            tries=0,
        )
        db.session.execute(letter.on_conflict_do_nothing(index_elements=["player_id", "dedupe"]))
    db.session.commit()


@with_retries
def record_drop(hook: Webhook, delivery: WebhookDelivery, now: datetime, why: str) -> None:
    """Store that the delivery is no longer relevant."""
    _tried(delivery, now, "given-up", None, None, why)
    db.session.commit()


def message_of(hook: Webhook, game_id: UUID) -> str | None:
    """Return the chat's id of the message about this game."""
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


def _tried(
    delivery: WebhookDelivery, now: datetime, result: str, due_at: datetime | None, status: int | None, detail: str
) -> None:
    here = _of(delivery.player_id, delivery.webhook_id) & (WebhookDelivery.delivery_id == delivery.delivery_id)
    tried = {"due_at": due_at, "tries": delivery.tries + 1, "result": result, "status": status, "detail": detail}
    db.session.execute(update(WebhookDelivery).where(here).values(tried_at=now, **tried))


def switch_off(player_id: UUID, webhook_id: UUID, why: str) -> bool:
    """Disable a webhook and give up its deliveries, within the current transaction. Return False if it was disabled."""
    here = _is(player_id, webhook_id) & Webhook.disabled.is_(None)
    off = update(Webhook).where(here).values(disabled=why, wake_at=None).returning(Webhook.webhook_id)
    if db.session.execute(off).first() is None:
        return False
    waiting = _of(player_id, webhook_id) & WebhookDelivery.due_at.is_not(None)
    db.session.execute(update(WebhookDelivery).where(waiting).values(due_at=None, result="given-up"))
    return True


@with_retries
def release(hook: Waiting, rests_until: datetime | None) -> None:
    """End the lease. Remaining deliveries follow at `rests_until`, if set."""
    mine = _is_ours(hook)
    if db.session.execute(select(Webhook.webhook_id).where(mine).with_for_update()).first() is not None:
        waiting = _of(hook.player_id, hook.webhook_id)
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
    """Set deliveries from a future clock to now."""
    future = now + leeway
    made_later = WebhookDelivery.due_at.is_not(None) & (WebhookDelivery.made_at > future)
    db.session.execute(update(WebhookDelivery).where(made_later).values(due_at=now, begun_at=now))
    resting = (Webhook.wake_at > future) | (Webhook.rests_until > future)
    db.session.execute(
        update(Webhook).where(resting, Webhook.wake_at.is_not(None)).values(wake_at=now, rests_until=now)
    )
    db.session.commit()


def _is(player_id: UUID, webhook_id: UUID) -> ColumnElement[bool]:
    return (Webhook.player_id == player_id) & (Webhook.webhook_id == webhook_id)


def _is_ours(hook: Waiting) -> ColumnElement[bool]:
    """Return the condition that this process still holds its lease."""
    mine = _is(hook.player_id, hook.webhook_id) & (Webhook.round == hook.round)
    return mine & Webhook.leased_until.is_not(None)


def _of(player_id: UUID, webhook_id: UUID) -> ColumnElement[bool]:
    return (WebhookDelivery.player_id == player_id) & (WebhookDelivery.webhook_id == webhook_id)
