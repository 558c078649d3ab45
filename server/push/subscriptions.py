"""Players' subscriptions to push notifications in their browsers, and this server's VAPID key."""

from typing import Any
from uuid import UUID, uuid4

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert

from server.accounts.grants import expect_app
from server.accounts.guests import expect_no_guest
from server.accounts.rate_limits import expect_room
from server.clock import clock
from server.errors import BadField, NotFound
from server.games import Json
from server.push.encryption import Browser, from_text, point_of, to_text
from server.store.connections import let_go
from server.store.database_retry import with_retries
from server.store.locks import hold
from server.store.tables import Player, PushSubscription, Setting, db
from server.webhooks.targets import BadAddress, look_up, target_of

_KEY = "vapid-key"
_POINT, _AUTH = 65, 16  # bytes (RFC 8291, 2.1 and 3.2)


def server_key() -> ec.EllipticCurvePrivateKey:
    """Return this server's VAPID key. The first call creates the key."""
    query = select(Setting.value).where(Setting.name == _KEY)
    text = db.session.scalars(query).one_or_none()
    if text is None:
        made = ec.generate_private_key(ec.SECP256R1())
        pem = made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
        db.session.execute(insert(Setting).values(name=_KEY, value=pem).on_conflict_do_nothing())
        db.session.commit()
        text = db.session.scalars(query).one()
    key = load_pem_private_key(text.encode(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    return key


def public_key() -> str:
    """Return the `applicationServerKey` that a browser needs to subscribe."""
    return to_text(point_of(server_key()))


@with_retries
def subscribe(player_id: UUID, endpoint: str, keys: Json, sandbox: bool, app_id: UUID | None = None) -> Json:
    """Subscribe a browser to push notifications, or renew its keys. `app_id` is the app that made the request.

    Raise SignInFirst, BadField, TooMany, BadToken.
    """
    expect_no_guest(player_id)  # guests can't subscribe, since no other player waits for them
    browser = _browser(keys)
    _place_of(player_id, endpoint)
    let_go()  # waiting for a slow name server must not occupy a connection
    try:
        look_up(target_of(endpoint), sandbox)
    except BadAddress as error:
        raise BadField("endpoint", error.words) from None
    except OSError:
        raise BadField("endpoint", "We can't find this host's address right now.") from None
    hold(player_id)
    expect_app(player_id, app_id)
    row = _place_of(player_id, endpoint)
    if row is None:
        row = PushSubscription(player_id=player_id, subscription_id=uuid4(), endpoint=endpoint, made_at=clock.now())
        db.session.add(row)
    row.p256dh, row.auth = browser
    row.app_id = app_id
    db.session.execute(update(Player).where(Player.player_id == player_id).values(has_push=True))
    db.session.commit()
    return _to_json(row)


def _place_of(player_id: UUID, endpoint: str) -> PushSubscription | None:
    """Return the subscription of this browser, or None if it is new. Raise TooMany if the player already has the
    maximum number of subscriptions."""
    own = PushSubscription.player_id == player_id
    row = db.session.scalars(select(PushSubscription).where(own, PushSubscription.endpoint == endpoint)).first()
    if row is None:
        expect_room("push-subscriptions", db.session.scalar(select(func.count()).where(own)) or 0)
    return row


def _browser(keys: Json) -> Browser:
    try:
        browser = Browser(from_text(keys["p256dh"]), from_text(keys["auth"]))
        check_keys(*browser)
    except ValueError:
        raise BadField("keys", "These keys aren't valid for a push subscription.") from None
    return browser


def check_keys(p256dh: bytes, auth: bytes) -> None:
    """Raise ValueError unless these are valid keys of a browser (RFC 8291, 2.1 and 3.2)."""
    ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), p256dh)
    if (len(p256dh), len(auth)) != (_POINT, _AUTH):
        raise ValueError("These keys have another length.")


def subscriptions_of(player_id: UUID) -> list[PushSubscription]:
    query = select(PushSubscription).where(PushSubscription.player_id == player_id)
    return list(db.session.scalars(query.order_by(PushSubscription.made_at)))


def list_subscriptions(player_id: UUID) -> list[Json]:
    return [_to_json(row) for row in subscriptions_of(player_id)]


def unsubscribe(player_id: UUID, subscription_id: UUID) -> None:
    """Delete a player's subscription. Raise NotFound if there is no such subscription."""
    if not drop(player_id, subscription_id):
        raise NotFound("Subscription not found.")


@with_retries
def drop(player_id: UUID, subscription_id: UUID) -> bool:
    """Delete a subscription. Return whether it existed."""
    hold(player_id)
    own = PushSubscription.player_id == player_id
    this = own & (PushSubscription.subscription_id == subscription_id)
    gone = db.session.execute(delete(PushSubscription).where(this).returning(PushSubscription.endpoint)).first()
    left = db.session.scalar(select(func.count()).where(own))
    if not left:
        db.session.execute(update(Player).where(Player.player_id == player_id).values(has_push=False))
    db.session.commit()
    return gone is not None


def _to_json(row: Any) -> Json:
    return {"id": row.subscription_id, "endpoint": row.endpoint, "made_at": row.made_at}
