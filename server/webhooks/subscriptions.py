"""Webhooks: addresses at which players' programs are told what their mails would tell them, by Standard Webhooks.

A payload holds ids and times. What is at the table, the program asks for with its token, and sees what its player may see.
"""

import json
import secrets
from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, delete, insert, select, tuple_, update

from server.accounts.bans import BANNED
from server.accounts.rate_limits import Use, bound_of, expect_within
from server.clock import clock
from server.errors import BadField, NotFound, TooManyWebhooks, WebhookDisabled
from server.play import json_schemas
from server.play.views import seen_by
from server.rules import Json, named, object_of
from server.store import webhook_queue as store
from server.store.database_retry import tried_again
from server.store.paging import Cursor, Page
from server.store.tables import LetterRow, Player, Webhook, WebhookDelivery, db
from server.webhooks.chats import STANDARD, check_form
from server.webhooks.targets import BadAddress, looked_up, target_of

BY_YOU, GONE, FAILING = "by-you", "gone", "failing"
DISABLED: Final = (BY_YOU, GONE, FAILING, BANNED)
RESULTS: Final = ("waiting", "delivered", "failed", "given-up")
PING: Final = "ping"
OLD_SECRET: Final = timedelta(hours=24)  # how long we sign with the secret before, too
KEPT: Final = timedelta(days=30)  # deliveries that are over


# What is told

_ABOUT: Json = {
    "game": {"description": "The id of the game", "type": "string", "format": "uuid"},
    "version": {"description": "Of the game when it happened", "type": "integer", "minimum": 0},
    "seat": {"description": "Where you sit", **json_schemas.SEAT},
}
_TURN: Json = {
    "turn": {"description": "The turn that you are asked for", "type": "integer", "minimum": 1},
    "due_at": {"description": "When its time runs out, as things stand", "type": "string", "format": "date-time"},
}
_BOT: Json = {"bot": json_schemas.BOT}
_NR: Json = {"nr": {"description": "Counts the messages of a game from 1", "type": "integer", "minimum": 1}}

_TAKE_BACK: Json = {
    "by": {"description": "Whose move it is", **json_schemas.SEAT},
    "to_version": {"description": "The version that the game would go back to", "type": "integer", "minimum": 1},
    "ends_at": {"description": "Until when you may consent", "type": "string", "format": "date-time"},
}


def _schema(kind: str, meaning: str, required: Json, optional: Json) -> Json:
    timestamp = {"description": "When it happened", "type": "string", "format": "date-time"}
    data = named(f"{kind.title().replace('-', '')}Data", object_of("What it is about", required, optional))
    return object_of(meaning, {"type": {"const": kind}, "timestamp": timestamp, "data": data})


PAYLOADS: Final[Mapping[str, Json]] = {
    PING: _schema(PING, "You asked for a test", {}, {}),
    **{
        kind: _schema(kind, meaning, _ABOUT | more, _TURN)
        for kind, meaning, more in (
            ("your-turn", "The game waits for you", _TURN),
            ("reminder", "The time for your turn is running short", _TURN),
            ("time-extended", "Your time ran out, and you were given more", {**_TURN, "by": json_schemas.DURATION}),
            ("bot-moved", "Your time ran out, and a bot moved for you", _BOT),
            ("seat-handed-over", "Your time ran out too often: a bot plays until you come back", _BOT),
            ("ready-asked", "All seats are taken: say until `due_at` that you are ready", {"due_at": _TURN["due_at"]}),
            ("game-started", "The last seat was taken", {}),
            ("game-paused", "All who play themselves wanted a pause", {}),
            ("game-resumed", "All who play themselves wanted to go on", {}),
            ("take-back-asked", "Somebody asks to take a move back, which takes your consent", _TAKE_BACK),
            ("move-taken-back", "A move was taken back: the game is as it was before, under new turn numbers", {}),
            ("game-ended", "The game is over", {}),
            ("game-abandoned", "The game was given up without a result, or closed before its start", {}),
            ("message", "Somebody else said something at your table", _NR),
        )
    },
}
KINDS: Final = tuple(kind for kind in PAYLOADS if kind != PING)


def payload(kind: str, at: datetime, data: Json) -> str:
    """The body of a delivery, compact, its fields in one order."""
    told = {"type": kind, "timestamp": _moment(at), "data": data}
    return json.dumps(told, separators=(",", ":"), ensure_ascii=False)


def hand_over(note: LetterRow, now: datetime) -> None:
    """Put what a game has noted into the queues of the webhooks that want it."""
    data = dict(note.data)
    kind = data.pop("kind")
    if "due_at" in data:
        data["due_at"] = _moment(datetime.fromisoformat(data["due_at"]))
    about = {"game": str(note.game_id), "version": note.version, "seat": note.seat}
    store.hand_over(note, kind, payload(kind, note.made_at, about | data), now)


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


# Webhooks


class Made(NamedTuple):
    """A webhook, and its secret as it is shown this once."""

    webhook: Json
    secret: str


def make_webhook(
    player_id: UUID, url: str, kinds: Sequence[str], game_id: UUID | None, sandbox: bool, form: str = STANDARD
) -> Made:
    """A new webhook. Raises BadField, TooManyWebhooks."""
    _check(player_id, url, form, kinds, game_id, sandbox)
    secret = secrets.token_bytes(32)
    webhook_id = uuid4()
    _make(player_id, webhook_id, url=url, form=_kept(form), kinds=_in_order(kinds), game_id=game_id, secret=secret)
    return Made(webhook(player_id, webhook_id), _written(secret))


@tried_again
def _make(player_id: UUID, webhook_id: UUID, **given: Any) -> None:
    now = clock.now()
    _lock(player_id)
    ids = db.session.scalars(select(Webhook.webhook_id).where(Webhook.player_id == player_id)).all()
    if webhook_id in ids:  # a commit whose answer was lost
        return
    bound = bound_of("webhooks")
    if bound is not None and len(ids) >= bound.most:
        raise TooManyWebhooks("You have %(most)s webhooks; delete one of them first.", most=bound.most)
    row = {"failures": 0, "made_at": now, "rests_until": now}
    db.session.execute(insert(Webhook).values(player_id=player_id, webhook_id=webhook_id, **row, **given))
    db.session.commit()


def _lock(player_id: UUID) -> None:
    """One at a time changes how many webhooks a player has; from now on games note for them."""
    db.session.execute(update(Player).where(Player.player_id == player_id).values(has_webhooks=True))


def webhooks_of(player_id: UUID) -> list[Json]:
    """All of a player's webhooks, the oldest first."""
    mine = select(Webhook).where(Webhook.player_id == player_id)
    return [_shown(row) for row in db.session.scalars(mine.order_by(Webhook.made_at, Webhook.webhook_id))]


def webhook(player_id: UUID, webhook_id: UUID) -> Json:
    """Raises NotFound."""
    return _shown(_own(player_id, webhook_id))


def change_webhook(player_id: UUID, webhook_id: UUID, changes: Json, sandbox: bool) -> Json:
    """Change some of its fields, or switch it off and on again. Raises NotFound, BadField.

    A webhook with another address, or enabled again, starts with a clean slate.
    """
    row = _own(player_id, webhook_id)
    form, kinds = changes.get("form", row.form or STANDARD), changes.get("kinds", row.kinds)
    _check(player_id, changes.get("url", row.url), form, kinds, changes.get("game"), sandbox)
    now = clock.now()
    new: Json = {"url": changes.get("url", row.url), "form": _kept(form), "kinds": _in_order(kinds)}
    if "game" in changes:
        new["game_id"] = changes["game"]
    enabled = changes.get("enabled")
    if enabled or new["url"] != row.url:
        new |= {"failures": 0, "failing_since": None, "rests_until": now}
    if enabled:
        new["disabled"] = None
    if enabled is False:
        store.switch_off(player_id, webhook_id, BY_YOU)
    db.session.execute(update(Webhook).where(_is(player_id, webhook_id)).values(**new))
    db.session.commit()
    return webhook(player_id, webhook_id)


def delete_webhook(player_id: UUID, webhook_id: UUID) -> None:
    """With all that waits for it and all that is known of its deliveries. Raises NotFound."""
    _lock(player_id)
    gone = delete(Webhook).where(_is(player_id, webhook_id)).returning(Webhook.webhook_id)
    if db.session.execute(gone).first() is None:
        db.session.rollback()
        raise NotFound("There is no such webhook.")
    if db.session.execute(select(Webhook.webhook_id).where(Webhook.player_id == player_id).limit(1)).first() is None:
        db.session.execute(update(Player).where(Player.player_id == player_id).values(has_webhooks=False))
    db.session.commit()


def renew_secret(player_id: UUID, webhook_id: UUID) -> Json:
    """A new secret; what is sent is signed with the one before as well for a day. Raises NotFound."""
    row = _own(player_id, webhook_id)
    secret, old_until = secrets.token_bytes(32), clock.now() + OLD_SECRET
    new = update(Webhook).where(_is(player_id, webhook_id), Webhook.secret == row.secret)
    db.session.execute(new.values(secret=secret, old_secret=row.secret, old_until=old_until))
    db.session.commit()
    return {"secret": _written(secret), "old_until": old_until}


def _written(secret: bytes) -> str:
    return f"whsec_{b64encode(secret).decode()}"


def _check(player_id: UUID, url: str, form: str, kinds: Sequence[str], game_id: UUID | None, sandbox: bool) -> None:
    """Raises BadField. A name that cannot be looked up now is left to the first delivery, which looks again."""
    try:
        target = target_of(url)
        check_form(form, target, _in_order(kinds))
        looked_up(target, sandbox)
    except BadAddress as error:
        raise BadField("url", error.words) from None
    except OSError:  # of which TimeoutError is one
        pass
    if game_id is not None:
        try:
            seen_by(game_id, player_id)
        except NotFound as error:
            raise BadField("game", error.words) from None


def _kept(form: str) -> str | None:
    return None if form == STANDARD else form


def _in_order(kinds: Sequence[str]) -> list[str]:
    return [kind for kind in KINDS if kind in kinds]


def _own(player_id: UUID, webhook_id: UUID) -> Webhook:
    row = db.session.get(Webhook, (player_id, webhook_id), populate_existing=True)
    if row is None:
        raise NotFound("There is no such webhook.")
    return row


def _shown(row: Webhook) -> Json:
    return {
        "id": row.webhook_id,
        "url": row.url,
        "form": row.form or STANDARD,
        "kinds": row.kinds,
        "game": row.game_id,
        "enabled": row.disabled is None,
        "disabled_because": row.disabled,
        "failing_since": row.failing_since,
        "made_at": row.made_at,
    }


def _is(player_id: UUID, webhook_id: UUID) -> ColumnElement[bool]:
    return (Webhook.player_id == player_id) & (Webhook.webhook_id == webhook_id)


# Deliveries


def webhook_deliveries(player_id: UUID, webhook_id: UUID, cursor: Cursor | None, limit: int) -> Page:
    """What a webhook was told and is to be told, newest first. Raises NotFound."""
    _own(player_id, webhook_id)
    key = (WebhookDelivery.made_at, WebhookDelivery.delivery_id)
    query = select(WebhookDelivery).where(_of(player_id, webhook_id))
    if cursor is not None:
        query = query.where(tuple_(*key) < tuple_(*cursor))
    rows = db.session.scalars(query.order_by(*(column.desc() for column in key)).limit(limit + 1)).all()
    shown = rows[:limit]
    return Page([_delivery(row) for row in shown], (shown[-1].made_at, shown[-1].delivery_id) if rows[limit:] else None)


def webhook_delivery(player_id: UUID, webhook_id: UUID, delivery_id: UUID) -> Json:
    """Raises NotFound."""
    row = db.session.get(WebhookDelivery, (player_id, webhook_id, delivery_id), populate_existing=True)
    if row is None:
        raise NotFound("There is no such delivery.")
    return _delivery(row)


def try_delivery_again(player_id: UUID, webhook_id: UUID, delivery_id: UUID) -> Json:
    """Have a delivery made once more, under the same id. Raises NotFound, WebhookDisabled, TooMany."""
    webhook_delivery(player_id, webhook_id, delivery_id)
    _expect_enabled(_own(player_id, webhook_id))
    now = clock.now()
    this = _of(player_id, webhook_id) & (WebhookDelivery.delivery_id == delivery_id)
    db.session.execute(update(Webhook).where(_is(player_id, webhook_id)).values(wake_at=now))
    db.session.execute(update(WebhookDelivery).where(this).values(result="waiting", begun_at=now, due_at=now, tries=0))
    db.session.commit()
    return webhook_delivery(player_id, webhook_id, delivery_id)


def ping_webhook(player_id: UUID, webhook_id: UUID) -> Json:
    """A delivery to try the webhook out with. Raises NotFound, WebhookDisabled, TooMany."""
    _expect_enabled(_own(player_id, webhook_id))
    now = clock.now()
    delivery_id = store.enqueue(player_id, webhook_id, PING, payload(PING, now, {}), now)
    db.session.commit()
    return webhook_delivery(player_id, webhook_id, delivery_id)


def forget_old_deliveries() -> None:
    store.forget_before(clock.now() - KEPT)


def _expect_enabled(row: Webhook) -> None:
    if row.disabled is not None:
        raise WebhookDisabled("This webhook is disabled. Change it to enabled first.")
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


def _of(player_id: UUID, webhook_id: UUID) -> ColumnElement[bool]:
    return (WebhookDelivery.player_id == player_id) & (WebhookDelivery.webhook_id == webhook_id)
