"""What webhooks are to be told: out of the outbox of games into a queue for each webhook, and from there on its way.

Whoever carries for a webhook holds a lease on it, so that it is told one thing at a time.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID, uuid4, uuid5

from psycopg.rows import dict_row
from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert

from server.store.connections import autocommit
from server.store.database_retry import tried_again
from server.store.tables import LetterRow, PlayerLetterRow, Webhook, WebhookDelivery, WebhookMessage, columns_of, db

NOTE = "webhook"  # the kind of letters that are for webhooks
_OFTEN = 3


class Waiting(NamedTuple):
    """A webhook that has something to carry; a hint only. `round` counts who has carried for it."""

    player_id: UUID
    webhook_id: UUID
    round: int


def are_there_any() -> bool:
    """Whether some player has a webhook."""
    with autocommit() as connection:
        row = connection.execute("SELECT EXISTS (SELECT 1 FROM players WHERE has_webhooks)").fetchone()
    return row is not None and row[0]


# From the outbox of games


def notes(now: datetime, most: int) -> Sequence[LetterRow]:
    """What games have noted for webhooks, the oldest first."""
    which = f"kind = '{NOTE}' AND due_at <= %s ORDER BY due_at, version LIMIT %s"
    query = f"SELECT {columns_of(LetterRow)} FROM outbox WHERE {which}"
    with autocommit() as connection, connection.cursor(row_factory=dict_row) as cursor:
        return [LetterRow(**row) for row in cursor.execute(query, (now, most))]


@tried_again
def hand_over(note: LetterRow, kind: str, payload: str, now: datetime) -> None:
    """Put a note into the queue of each webhook that wants it, then forget it.

    These are two transactions, since games and players may be stored apart. What is handed over once more finds its
    delivery there, whose id is made of the webhook and the note.
    """
    wants = (Webhook.player_id == note.player_id) & Webhook.disabled.is_(None) & Webhook.kinds.contains([kind])
    of_this_game = Webhook.game_id.is_(None) | (Webhook.game_id == note.game_id)
    # First of all, since it locks the webhook: `put_down` then sees all that was handed over before.
    woken = update(Webhook).where(wants, of_this_game).values(wake_at=now).returning(Webhook.webhook_id)
    for webhook_id in db.session.scalars(woken).all():
        _enqueue(note.player_id, webhook_id, uuid5(webhook_id, str(note.letter_id)), kind, payload, note.made_at)
    db.session.commit()
    db.session.execute(
        delete(LetterRow).where(LetterRow.game_id == note.game_id, LetterRow.letter_id == note.letter_id)
    )
    db.session.commit()


def put_off(note: LetterRow, later: datetime) -> None:
    """A note that cannot be handed over keeps the others waiting no longer."""
    here = (LetterRow.game_id == note.game_id) & (LetterRow.letter_id == note.letter_id)
    db.session.execute(update(LetterRow).where(here).values(due_at=later))
    db.session.commit()


def enqueue(player_id: UUID, webhook_id: UUID, kind: str, payload: str, now: datetime) -> UUID:
    """One delivery to one webhook, as part of the transaction under way; its id."""
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


# On its way


_DUE = """
SELECT player_id, webhook_id, round FROM webhooks
 WHERE wake_at <= %(now)s AND rests_until <= %(now)s AND (leased_until IS NULL OR leased_until <= %(lapsed_at)s)
   AND webhook_id <> ALL(%(busy)s::uuid[]) ORDER BY wake_at LIMIT %(most)s"""


def due(now: datetime, most: int, busy: Collection[UUID], lapsed_at: datetime | None) -> list[Waiting]:
    """The webhooks that have something to carry and do not rest; but none of the `busy` ones.

    Also those on which a lease had ended by `lapsed_at`.
    """
    asked = {"now": now, "lapsed_at": lapsed_at, "busy": list(busy), "most": most}
    with autocommit() as connection:
        return [Waiting(*row) for row in connection.execute(_DUE, asked)]


def claim(hook: Waiting, until: datetime) -> Waiting | None:
    """This webhook, ours until the lease ends; None if somebody was faster."""
    mine = _is(hook.player_id, hook.webhook_id) & (Webhook.round == hook.round)
    taken = update(Webhook).where(mine).values(leased_until=until, round=Webhook.round + 1).returning(Webhook.round)
    found = db.session.scalar(taken)
    db.session.commit()
    return None if found is None else hook._replace(round=found)


def renew(hook: Waiting, until: datetime) -> bool:
    """Have the lease end later; False if somebody else carries for this webhook now."""
    renewed = update(Webhook).where(_is_ours(hook)).values(leased_until=until).returning(Webhook.webhook_id)
    is_ours = db.session.execute(renewed).first() is not None
    db.session.commit()
    return is_ours


def queue_of(hook: Waiting, now: datetime, most: int) -> Sequence[WebhookDelivery]:
    """What is due for this webhook, in the order in which it happened; but what has failed often goes last, since
    the fault may be its own."""
    query = select(WebhookDelivery).where(_of(hook.player_id, hook.webhook_id), WebhookDelivery.due_at <= now)
    order = (WebhookDelivery.tries >= _OFTEN, WebhookDelivery.made_at, WebhookDelivery.delivery_id)
    found = db.session.scalars(query.order_by(*order).limit(most)).all()
    db.session.expunge_all()
    db.session.rollback()
    return found


def leased(hook: Waiting) -> Webhook | None:
    """The webhook as it is now; None if it is switched off or deleted, or the lease was lost."""
    found = db.session.scalars(select(Webhook).where(_is_ours(hook), Webhook.disabled.is_(None))).one_or_none()
    db.session.expunge_all()
    db.session.rollback()
    return found


@tried_again
def delivered(hook: Webhook, delivery: WebhookDelivery, now: datetime, status: int, detail: str) -> None:
    """Note that it arrived."""
    _tried(delivery, now, "delivered", None, status, detail)
    here = _is(hook.player_id, hook.webhook_id)
    db.session.execute(update(Webhook).where(here).values(failures=0, failing_since=None))
    db.session.commit()


@tried_again
def failed(
    hook: Webhook,
    delivery: WebhookDelivery,
    now: datetime,
    status: int | None,
    detail: str,
    later: datetime | None,
    disabled: str | None,
) -> None:
    """Note a failed try, and when the next one is due; None: it is given up.

    `disabled` says why nothing at all is to be carried to this webhook any more; its owner gets a letter.
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


@tried_again
def dropped(hook: Webhook, delivery: WebhookDelivery, now: datetime, why: str) -> None:
    """Note that there was nothing to be told any more."""
    _tried(delivery, now, "given-up", None, None, why)
    db.session.commit()


def message_of(hook: Webhook, game_id: UUID) -> str | None:
    """The message about this game that a chat was told to write."""
    found = db.session.get(WebhookMessage, (hook.player_id, hook.webhook_id, game_id), populate_existing=True)
    message_id = found.message_id if found else None
    db.session.rollback()
    return message_id


@tried_again
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
    """Disable a webhook and give up what waits for it, as part of the transaction under way; False if it was off."""
    here = _is(player_id, webhook_id) & Webhook.disabled.is_(None)
    off = update(Webhook).where(here).values(disabled=why, wake_at=None).returning(Webhook.webhook_id)
    if db.session.execute(off).first() is None:
        return False
    waiting = _of(player_id, webhook_id) & WebhookDelivery.due_at.is_not(None)
    db.session.execute(update(WebhookDelivery).where(waiting).values(due_at=None, result="given-up"))
    return True


@tried_again
def put_down(hook: Waiting, rests_until: datetime | None) -> None:
    """End the lease; from `rests_until` on, if any, whatever waits is carried."""
    mine = _is_ours(hook)
    if db.session.execute(select(Webhook.webhook_id).where(mine).with_for_update()).first() is not None:
        waiting = _of(hook.player_id, hook.webhook_id)
        next_due = db.session.scalar(select(func.min(WebhookDelivery.due_at)).where(waiting))
        ended = {"wake_at": next_due, "leased_until": None, **({"rests_until": rests_until} if rests_until else {})}
        db.session.execute(update(Webhook).where(mine).values(ended))
    db.session.commit()


# Beside it


def forget_before(moment: datetime) -> None:
    """Drop what became of deliveries that were made before this moment, but for those that are still on their way."""
    old = (WebhookDelivery.made_at < moment) & WebhookDelivery.due_at.is_(None)
    db.session.execute(delete(WebhookDelivery).where(old))
    db.session.commit()


def bring_forward(now: datetime, leeway: timedelta) -> None:
    """What waits for hours that a clock set right has yet to reach is due now."""
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
    """`hook` as it was claimed: nobody has claimed it since, and its lease was not given up."""
    mine = _is(hook.player_id, hook.webhook_id) & (Webhook.round == hook.round)
    return mine & Webhook.leased_until.is_not(None)


def _of(player_id: UUID, webhook_id: UUID) -> ColumnElement[bool]:
    return (WebhookDelivery.player_id == player_id) & (WebhookDelivery.webhook_id == webhook_id)
