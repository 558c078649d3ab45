"""Signed words that let whoever holds them do one thing: play one turn of one seat, or take one seat."""

import base64
import hashlib
import hmac
import secrets
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from server.play.errors import NotFound
from server.rules import Seat
from server.store.tables import Setting, db

TURN, INVITATION, RETURN, REPLY, STOP, FEED = "turn", "invitation", "return", "reply", "stop", "feed"
BOUNCE = "bounce"
ANY_SEAT = 255
_MAC_BYTES = 16


class Capability(NamedTuple):
    """`number` is the turn that may be played, the mark of an invited address, or what sets a feed or a letter
    apart; with these a player stands in place of the game."""

    game_id: UUID
    seat: Seat
    number: int


def seal(purpose: str, game_id: UUID, seat: Seat, number: int = 0) -> str:
    """A word of at most 64 letters and digits that reads the same in either case (fits a mail address)."""
    return _sealed(purpose, game_id.bytes + bytes([seat]) + number.to_bytes(4, "big"))


def unseal(purpose: str, word: str) -> Capability:
    """What a word allows. Raises NotFound if we never sealed it for this purpose."""
    body = _unsealed(purpose, word)
    return Capability(UUID(bytes=body[:16]), body[16], int.from_bytes(body[17:], "big"))


def seal_text(purpose: str, text: str) -> str:
    """The same for any text; too long for a mail address."""
    return _sealed(purpose, text.encode())


def unseal_text(purpose: str, word: str) -> str:
    """Raises NotFound."""
    return _unsealed(purpose, word).decode()


def _sealed(purpose: str, body: bytes) -> str:
    return base64.b32encode(body + _mac(purpose, body)).decode().rstrip("=").lower()


def _unsealed(purpose: str, word: str) -> bytes:
    try:
        raw = base64.b32decode(word.upper() + "=" * (-len(word) % 8))
    except ValueError:
        raise NotFound("There is nothing here.") from None
    body, mac = raw[:-_MAC_BYTES], raw[-_MAC_BYTES:]
    if not hmac.compare_digest(mac, _mac(purpose, body)):
        raise NotFound("There is nothing here.")
    return body


def mark_of(email: str) -> int:
    """What ties an invitation to the address that it was mailed to; the number of its capability."""
    return int.from_bytes(keyed_hash("invited", email)[:4], "big")


def keyed_hash(purpose: str, text: str) -> bytes:
    """A hash that only this installation can make; for secrets too short to be hashed alone."""
    return _mac(purpose, text.encode())


def _mac(purpose: str, body: bytes) -> bytes:
    return hmac.digest(_secret(str(db.engine.url)), purpose.encode() + b"\0" + body, hashlib.sha256)[:_MAC_BYTES]


@lru_cache(maxsize=4)
def _secret(_database: str) -> bytes:
    """The secret of this installation, made by whoever needs it first."""
    made = insert(Setting).values(name="secret", value=secrets.token_hex(32)).on_conflict_do_nothing()
    with db.engine.begin() as connection:
        connection.execute(made)
        return bytes.fromhex(connection.execute(select(Setting.value).where(Setting.name == "secret")).scalar_one())
