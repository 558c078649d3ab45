"""Webhooks, with which players' programs get the same notices that players get by email (Standard Webhooks).

A payload contains ids and times. The program requests the table with its own token, and sees only what its player may
see.
"""

import json
import secrets
from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID, uuid4

from sqlalchemy import delete, insert, select, tuple_, update

from server.accounts.bans import BANNED
from server.accounts.grants import expect_app
from server.accounts.notice_kinds import NOTICE_KINDS, PING, WEBHOOK_KINDS, NoticeKind
from server.accounts.rate_limits import Use, bound_of, expect_within
from server.clock import clock
from server.errors import BadField, NotFound, TooManyWebhooks, WebhookDisabled
from server.games import Json, named, object_of
from server.play import json_schemas
from server.play.views import load_visible
from server.play.votes import REQUESTS
from server.store import webhook_queue as store
from server.store.database_retry import with_retries
from server.store.locks import hold
from server.store.log import moment_text
from server.store.paging import Cursor, Page
from server.store.tables import LetterRow, Player, Webhook, WebhookDelivery, db
from server.store.webhook_queue import is_of_webhook, is_webhook
from server.webhooks.chats import STANDARD, check_form, stored_form
from server.webhooks.targets import BadAddress, look_up, target_of

BY_YOU, GONE, FAILING = "by-you", "gone", "failing"
DISABLED: Final = (BY_YOU, GONE, FAILING, BANNED)
RESULTS: Final = ("waiting", "delivered", "failed", "given-up")
OLD_SECRET: Final = timedelta(hours=24)  # how long deliveries are also signed with the previous secret
KEPT: Final = timedelta(days=30)  # how long finished deliveries are stored


# Payloads

_ABOUT: Json = {
    "game": {"description": "Game id", "type": "string", "format": "uuid"},
    "version": {"description": "Game version when the event happened", "type": "integer", "minimum": 0},
    "seat": {"description": "Your seat", **json_schemas.SEAT},
}
_DUE_AT: Json = {
    "due_at": {"description": "Current deadline. It can still change.", "type": "string", "format": "date-time"}
}
_TURN: Json = {"turn": {"description": "Number of your turn", "type": "integer", "minimum": 1}, **_DUE_AT}
_FIELDS: Final[Mapping[str, Json]] = {  # the fields of each group, see `NoticeKind.payload`
    "turn": _TURN,
    "deadline": _DUE_AT,
    "extension": {"by": json_schemas.DURATION},
    "bot": {"bot": json_schemas.BOT},
    "take-back": {
        "by": {"description": "Seat that made the move", **json_schemas.SEAT},
        "to_version": {"description": "Version that the game would return to", "type": "integer", "minimum": 1},
        "ends_at": {"description": "When the vote ends", "type": "string", "format": "date-time"},
    },
    "vote": {
        "by": {"description": "Seat that made the request", **json_schemas.SEAT},
        "on": {"description": "What the players vote on", "enum": list(REQUESTS)},
    },
    "message": {
        "nr": {"description": "Number of the message in this game, starting from 1", "type": "integer", "minimum": 1}
    },
}


def _schema(kind: NoticeKind) -> Json:
    timestamp = {"description": "When the event happened", "type": "string", "format": "date-time"}
    more = {name: field for group in kind.payload for name, field in _FIELDS[group].items()}
    required, optional = ({}, {}) if kind is PING else (_ABOUT | more, _TURN)
    data = named(f"{kind.name.title().replace('-', '')}Data", object_of("Details of the event", required, optional))
    return object_of(kind.webhook, {"type": {"const": kind.name}, "timestamp": timestamp, "data": data})


PAYLOADS: Final[Mapping[str, Json]] = {kind: _schema(NOTICE_KINDS[kind]) for kind in (PING.name, *WEBHOOK_KINDS)}


def payload(kind: str, at: datetime, data: Json) -> str:
    """Return the body of a delivery: compact JSON, with the fields in a fixed order."""
    told = {"type": kind, "timestamp": moment_text(at), "data": data}
    return json.dumps(told, separators=(",", ":"), ensure_ascii=False)


def hand_over(note: LetterRow, now: datetime) -> None:
    """Queue a notice about a game for those webhooks that have subscribed to its kind."""
    data = dict(note.data)
    kind = data.pop("kind")
    if "due_at" in data:
        data["due_at"] = moment_text(datetime.fromisoformat(data["due_at"]))
    about = {"game": str(note.game_id), "version": note.version, "seat": note.seat}
    store.hand_over(note, kind, payload(kind, note.made_at, about | data), now)


# Webhooks


class Made(NamedTuple):
    """A webhook that was just created, with its secret. The secret is shown only once."""

    webhook: Json
    secret: str


class Subscription(NamedTuple):
    """What a webhook sends, and where."""

    url: str
    kinds: Sequence[str]
    game_id: UUID | None = None
    form: str = STANDARD


def make_webhook(player_id: UUID, wanted: Subscription, sandbox: bool, app_id: UUID | None = None) -> Made:
    """Create a webhook. `app_id` is the app that has made the request. Raise BadField, TooManyWebhooks, BadToken."""
    _check(player_id, wanted, sandbox)
    secret = secrets.token_bytes(32)
    webhook_id = uuid4()
    what = {"url": wanted.url, "kinds": _in_order(wanted.kinds), "game_id": wanted.game_id, "form": _kept(wanted.form)}
    _make(player_id, webhook_id, secret=secret, app_id=app_id, **what)
    return Made(webhook(player_id, webhook_id), _written(secret))


@with_retries
def _make(player_id: UUID, webhook_id: UUID, **given: Any) -> None:
    now = clock.now()
    _lock(player_id)
    expect_app(player_id, given["app_id"])
    ids = db.session.scalars(select(Webhook.webhook_id).where(Webhook.player_id == player_id)).all()
    if webhook_id in ids:  # this is a retry, after the response of the commit was lost
        return
    bound = bound_of("webhooks")
    if bound is not None and len(ids) >= bound.most:
        raise TooManyWebhooks("You have %(most)s webhooks. Delete one first.", most=bound.most)
    row = {"failures": 0, "made_at": now, "rests_until": now}
    db.session.execute(insert(Webhook).values(player_id=player_id, webhook_id=webhook_id, **row, **given))
    db.session.commit()


def _lock(player_id: UUID) -> None:
    """Lock the player's row while the number of their webhooks changes. Also record that games must store notices for
    these webhooks."""
    db.session.execute(update(Player).where(Player.player_id == player_id).values(has_webhooks=True))


def webhooks_of(player_id: UUID) -> list[Json]:
    """Return a player's webhooks, oldest first."""
    mine = select(Webhook).where(Webhook.player_id == player_id)
    return [_shown(row) for row in db.session.scalars(mine.order_by(Webhook.made_at, Webhook.webhook_id))]


def webhook(player_id: UUID, webhook_id: UUID) -> Json:
    """Return this webhook of the player. Raise NotFound if there is no such webhook."""
    return _shown(_own(player_id, webhook_id))


def change_webhook(player_id: UUID, webhook_id: UUID, changes: Json, sandbox: bool, app_id: UUID | None = None) -> Json:
    """Change fields of a webhook. `app_id` is the app that has made the request. Raise NotFound, BadField, BadToken.

    A new address clears the failures, and from then on the webhook belongs to `app_id`. Enabling the webhook also
    clears the failures.
    """
    row = _own(player_id, webhook_id)
    form, kinds = changes.get("form", stored_form(row.form) or STANDARD), changes.get("kinds", row.kinds)
    url = changes.get("url", row.url)
    _check(player_id, Subscription(url, kinds, changes.get("game"), form), sandbox)
    hold(player_id)
    expect_app(player_id, app_id)
    row = _own(player_id, webhook_id)
    now = clock.now()
    new: Json = {"url": url, "form": _kept(form), "kinds": _in_order(kinds)}
    if "game" in changes:
        new["game_id"] = changes["game"]
    enabled = changes.get("enabled")
    if enabled or new["url"] != row.url:
        new |= {"failures": 0, "failing_since": None, "rests_until": now}
    if new["url"] != row.url:
        new["app_id"] = app_id
    if enabled:
        new["disabled"] = None
    if enabled is False:
        store.switch_off(player_id, webhook_id, BY_YOU)
    db.session.execute(update(Webhook).where(is_webhook(player_id, webhook_id)).values(**new))
    db.session.commit()
    return webhook(player_id, webhook_id)


def delete_webhook(player_id: UUID, webhook_id: UUID) -> None:
    """Delete a webhook and its deliveries, including pending ones. Raise NotFound if there is no such webhook."""
    _lock(player_id)
    gone = delete(Webhook).where(is_webhook(player_id, webhook_id)).returning(Webhook.webhook_id)
    if db.session.execute(gone).first() is None:
        db.session.rollback()
        raise NotFound("Webhook not found.")
    if db.session.execute(select(Webhook.webhook_id).where(Webhook.player_id == player_id).limit(1)).first() is None:
        db.session.execute(update(Player).where(Player.player_id == player_id).values(has_webhooks=False))
    db.session.commit()


def renew_secret(player_id: UUID, webhook_id: UUID) -> Json:
    """Create a new secret and return it. For `OLD_SECRET`, deliveries are also signed with the previous secret. Raise
    NotFound if there is no such webhook."""
    row = _own(player_id, webhook_id)
    secret, old_until = secrets.token_bytes(32), clock.now() + OLD_SECRET
    new = update(Webhook).where(is_webhook(player_id, webhook_id), Webhook.secret == row.secret)
    db.session.execute(new.values(secret=secret, old_secret=row.secret, old_until=old_until))
    db.session.commit()
    return {"secret": _written(secret), "old_until": old_until}


def _written(secret: bytes) -> str:
    return f"whsec_{b64encode(secret).decode()}"


def _check(player_id: UUID, wanted: Subscription, sandbox: bool) -> None:
    """Raise BadField if a value is invalid. A host name without an address is accepted, since it is looked up again for
    the first delivery."""
    try:
        target = target_of(wanted.url)
        check_form(wanted.form, target, _in_order(wanted.kinds))
        look_up(target, sandbox)
    except BadAddress as error:
        raise BadField("url", error.words) from None
    except OSError:  # this includes TimeoutError
        pass
    if wanted.game_id is not None:
        try:
            load_visible(wanted.game_id, player_id)
        except NotFound as error:
            raise BadField("game", error.words) from None


def _kept(form: str) -> str | None:
    return None if form == STANDARD else form


def _in_order(kinds: Sequence[str]) -> list[str]:
    return [kind for kind in WEBHOOK_KINDS if kind in kinds]


def _own(player_id: UUID, webhook_id: UUID) -> Webhook:
    row = db.session.get(Webhook, (player_id, webhook_id), populate_existing=True)
    if row is None:
        raise NotFound("Webhook not found.")
    return row


def _shown(row: Webhook) -> Json:
    return {
        "id": row.webhook_id,
        "url": row.url,
        "form": stored_form(row.form) or STANDARD,
        "kinds": [kind for kind in row.kinds if kind in WEBHOOK_KINDS],
        "game": row.game_id,
        "enabled": row.disabled is None,
        "disabled_because": row.disabled,
        "failing_since": row.failing_since,
        "made_at": row.made_at,
    }


# Deliveries


def webhook_deliveries(player_id: UUID, webhook_id: UUID, cursor: Cursor | None, limit: int) -> Page:
    """Return a page of a webhook's deliveries, both finished and pending, newest first. Raise NotFound if there is no
    such webhook."""
    _own(player_id, webhook_id)
    key = (WebhookDelivery.made_at, WebhookDelivery.delivery_id)
    query = select(WebhookDelivery).where(is_of_webhook(player_id, webhook_id))
    if cursor is not None:
        query = query.where(tuple_(*key) < tuple_(*cursor))
    rows = db.session.scalars(query.order_by(*(column.desc() for column in key)).limit(limit + 1)).all()
    shown = rows[:limit]
    return Page([_delivery(row) for row in shown], (shown[-1].made_at, shown[-1].delivery_id) if rows[limit:] else None)


def webhook_delivery(player_id: UUID, webhook_id: UUID, delivery_id: UUID) -> Json:
    """Return this delivery of a webhook. Raise NotFound if there is no such delivery."""
    row = db.session.get(WebhookDelivery, (player_id, webhook_id, delivery_id), populate_existing=True)
    if row is None:
        raise NotFound("Delivery not found.")
    return _delivery(row)


def try_delivery_again(player_id: UUID, webhook_id: UUID, delivery_id: UUID) -> Json:
    """Queue a delivery again, with the same id. Raise NotFound, WebhookDisabled, TooMany."""
    webhook_delivery(player_id, webhook_id, delivery_id)
    _expect_enabled(_own(player_id, webhook_id))
    now = clock.now()
    this = is_of_webhook(player_id, webhook_id) & (WebhookDelivery.delivery_id == delivery_id)
    db.session.execute(update(Webhook).where(is_webhook(player_id, webhook_id)).values(wake_at=now))
    db.session.execute(update(WebhookDelivery).where(this).values(result="waiting", begun_at=now, due_at=now, tries=0))
    db.session.commit()
    return webhook_delivery(player_id, webhook_id, delivery_id)


def ping_webhook(player_id: UUID, webhook_id: UUID) -> Json:
    """Queue a test delivery and return it. Raise NotFound, WebhookDisabled, TooMany."""
    _expect_enabled(_own(player_id, webhook_id))
    now = clock.now()
    delivery_id = store.enqueue(player_id, webhook_id, PING.name, payload(PING.name, now, {}), now)
    db.session.commit()
    return webhook_delivery(player_id, webhook_id, delivery_id)


def forget_old_deliveries() -> None:
    store.forget_before(clock.now() - KEPT)


def _expect_enabled(row: Webhook) -> None:
    if row.disabled is not None:
        raise WebhookDisabled("This webhook is disabled. Enable it first.")
    expect_within(Use("webhook-tries", row.player_id))


def _delivery(row: WebhookDelivery) -> Json:
    return {
        "id": row.delivery_id,
        "kind": row.kind,
        "payload": json.loads(row.payload),
        "result": row.result,
        "tries": row.tries,
        "status": row.status,
        "detail": row.detail,
        "made_at": row.made_at,
        "tried_at": row.tried_at,
        "next_at": row.due_at,
    }
