"""Link tokens, signed with HMAC. Each allows its holder one action, such as playing one turn, taking a seat or
unsubscribing."""

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, select
from sqlalchemy.dialects.postgresql import insert

from server.clock import clock
from server.errors import NotFound
from server.store.database_retry import with_retries
from server.store.rows import Seat
from server.store.tables import Setting, db

TURN, INVITATION, RETURN, REPLY, STOP, FEED = "turn", "invitation", "return", "reply", "stop", "feed"
BOUNCE, RSVP, READY, STAND_IN, APP, DESK = "bounce", "rsvp", "ready", "stand-in", "app", "desk"
PURPOSES = (TURN, INVITATION, RETURN, REPLY, STOP, FEED, BOUNCE, RSVP, READY, STAND_IN, APP, DESK)
ANY_SEAT = 255
_INVITED = "invited"
_MAC_BYTES = 16
_OF_ADDRESSES = (REPLY, BOUNCE, RSVP, DESK)  # mail servers may change the case of an address
_SECRET, _OLD_SECRETS = "secret", "old-secrets"
_LOOK_AGAIN = 2.0  # seconds between reloads of the secret
_LOOK_FOR_NEW = 0.2  # the same after an unknown token, since another process may have rotated the secret


class Capability(NamedTuple):
    """What a link token allows. `number` is the turn's number, the mark of an invited address, or the number of a feed,
    email or stand-in. For a feed, email or stand-in, `game_id` is the player's id."""

    game_id: UUID
    seat: Seat
    number: int


def sign(purpose: str, game_id: UUID, seat: Seat, number: int = 0) -> str:
    """Return a token of at most 64 lower-case letters and digits, so that it fits into an email address. Case does not
    matter."""
    length = 4 if number < 2**32 else 7
    return _signed(purpose, game_id.bytes + bytes([seat]) + number.to_bytes(length, "big"))


def verify(purpose: str, word: str) -> Capability:
    """Return what a token allows. Raise NotFound unless the token was signed for this purpose."""
    body = _verified(purpose, word)
    return Capability(UUID(bytes=body[:16]), body[16], int.from_bytes(body[17:], "big"))


def sign_text(purpose: str, text: str) -> str:
    """Return a token that contains a text. Such a token is too long for an email address."""
    return _signed(purpose, text.encode())


def verify_text(purpose: str, word: str) -> str:
    """Return the text in a token. Raise NotFound for an invalid token."""
    return _verified(purpose, word).decode()


def _signed(purpose: str, body: bytes) -> str:
    return _written(body + _mac(_keys().secret, purpose, body))


def _verified(purpose: str, word: str) -> bytes:
    """Return the body of a token. Reject other spellings of the same token (case, unused bits), so that each token is
    unique."""
    if purpose in _OF_ADDRESSES:
        word = word.lower()
    try:
        raw = base64.b32decode(word.upper() + "=" * (-len(word) % 8))
    except ValueError:
        raise NotFound("Nothing was found at this address.") from None
    body, mac = raw[:-_MAC_BYTES], raw[-_MAC_BYTES:]
    if _written(raw) != word or not any(hmac.compare_digest(mac, _mac(key, purpose, body)) for key in _valid_keys()):
        raise NotFound("Nothing was found at this address.")
    return body


def _written(raw: bytes) -> str:
    return base64.b32encode(raw).decode().rstrip("=").lower()


def mark_of(email: str) -> int:
    """Return the mark that ties an invitation to its address: part of a keyed hash, used as the `number` of the
    invitation's capability."""
    return _mark(keyed_hash(_INVITED, email))


def is_mark_of(email: str, number: int) -> bool:
    """Return whether an invitation with this number was mailed to this address."""
    return any(_mark(it) == number for it in keyed_hashes(_INVITED, email))


def _mark(hashed: bytes) -> int:
    return int.from_bytes(hashed[:4], "big")


def keyed_hash(purpose: str, text: str) -> bytes:
    """Return a hash that only this installation can compute, for secrets too short for a plain hash."""
    return _mac(_keys().secret, purpose, text.encode())


def keyed_hashes(purpose: str, text: str) -> Iterator[bytes]:
    """Yield `keyed_hash` of a text with the current secret, then with each older secret that is valid."""
    return (_mac(key, purpose, text.encode()) for key in _valid_keys())


def _mac(key: bytes, purpose: str, body: bytes) -> bytes:
    return hmac.digest(key, purpose.encode() + b"\0" + body, hashlib.sha256)[:_MAC_BYTES]


# The installation's secret, and older ones that are still valid


class _Keys(NamedTuple):
    """The secrets as read from the database at `seen_at` (monotonic clock)."""

    secret: bytes
    old: tuple[tuple[bytes, datetime], ...]  # each with its expiry
    seen_at: float

    def valid(self) -> Iterator[bytes]:
        now = clock.now()
        yield self.secret
        yield from (key for key, until in self.old if now < until)


def _valid_keys() -> Iterator[bytes]:
    """Yield the valid secrets, then reload them, in case another process has just created or rotated one."""
    yield from _keys().valid()
    yield from _keys(_LOOK_FOR_NEW).valid()


_seen: WeakKeyDictionary[Engine, _Keys] = WeakKeyDictionary()


def _keys(look_again: float = _LOOK_AGAIN) -> _Keys:
    """Return the secrets. Reload them if they were loaded more than `look_again` seconds ago, so that a rotation takes
    effect in all processes without a restart."""
    found = _seen.get(db.engine)
    if found is None or time.monotonic() - found.seen_at > look_again:
        found = _seen[db.engine] = _looked_up()
    return found


def _looked_up() -> _Keys:
    seen_at = time.monotonic()
    query = select(Setting.name, Setting.value).where(Setting.name.in_((_SECRET, _OLD_SECRETS)))
    with db.engine.begin() as connection:
        found = {name: value for name, value in connection.execute(query)}
        if _SECRET not in found:  # created on first use
            made = insert(Setting).values(name=_SECRET, value=secrets.token_hex(32)).on_conflict_do_nothing()
            connection.execute(made)
            found[_SECRET] = connection.execute(select(Setting.value).where(Setting.name == _SECRET)).scalar_one()
    old = json.loads(found.get(_OLD_SECRETS, "[]"))
    return _Keys(
        bytes.fromhex(found[_SECRET]),
        tuple((bytes.fromhex(it["secret"]), datetime.fromisoformat(it["until"])) for it in old),
        seen_at,
    )


@with_retries
def rotate_secret(grace: timedelta) -> datetime:
    """Sign with a new secret from now on. Return when signatures made with the current secret expire. Signatures made
    with older secrets expire by then."""
    _keys(0)  # creates the first secret if there is none
    now = clock.now()
    with db.engine.begin() as connection:
        query = select(Setting.value).where(Setting.name == _SECRET).with_for_update()
        present = connection.execute(query).scalar_one()
        old = connection.execute(select(Setting.value).where(Setting.name == _OLD_SECRETS)).scalar()
        ends = [(it["secret"], datetime.fromisoformat(it["until"])) for it in json.loads(old or "[]")]
        ends = [(key, min(until, now + grace)) for key, until in ends if until > now] + [(present, now + grace)]
        _put(connection, _SECRET, secrets.token_hex(32))
        _put(connection, _OLD_SECRETS, json.dumps([{"secret": key, "until": str(until)} for key, until in ends]))
    _seen.pop(db.engine, None)
    return now + grace


@with_retries
def forget_old_secrets() -> None:
    """Delete expired secrets."""
    with db.engine.begin() as connection:
        query = select(Setting.value).where(Setting.name == _OLD_SECRETS).with_for_update()
        old = json.loads(connection.execute(query).scalar() or "[]")
        good = [it for it in old if datetime.fromisoformat(it["until"]) > clock.now()]
        if good != old:
            _put(connection, _OLD_SECRETS, json.dumps(good))


def _put(connection: Connection, name: str, value: str) -> None:
    row = insert(Setting).values(name=name, value=value)
    connection.execute(row.on_conflict_do_update(index_elements=["name"], set_={"value": value}))
