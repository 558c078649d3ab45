"""The addresses of the post desk: the public address, and signed addresses in the Reply-To of its emails.

A signed address is issued to one reader. A reply to it takes effect only if it comes from that reader's own address. If
that address has no account, the signature contains a hash of the address. So nothing is stored until the person
replies.
"""

from enum import IntEnum
from secrets import compare_digest
from uuid import UUID, uuid5

from flask import current_app

from server.accounts.rate_limits import Use, expect_within
from server.accounts.signed_links import DESK, Capability, keyed_hash, keyed_hashes, mark_of, sign, verify
from server.clock import clock
from server.errors import NotFound
from server.sanitize import mailbox_of
from server.store import desk
from server.translations import LOCALES

CHECK = "Check of Sternenpost"  # the subject of operators' test emails begins with it
_NAMESPACE = UUID("b8a1f1de-0a3c-4a55-9d5b-6c5a0a6f0d11")


class For(IntEnum):
    """The kinds of signed addresses. The kind is stored as the `seat` of the capability."""

    STRANGER = 0  # `game_id` is a hash of the address, `number` the language of our email
    PLAYER = 1  # `game_id` is the player, `number` the mark of the address
    ASKED = 2  # `game_id` is the email whose commands must be confirmed, `number` the mark of the address


def stranger_word(email: str, locale: str) -> str:
    """Return the local part of the reply address in an email to this address, which has no account yet."""
    return sign(DESK, UUID(bytes=keyed_hash(DESK, email.lower())), For.STRANGER, LOCALES.index(locale))


def player_word(player_id: UUID, email: str) -> str:
    """Return the local part of the reply address for this player, to be used from this address."""
    return sign(DESK, player_id, For.PLAYER, mark_of(email.lower()))


def asked_word(mail_id: UUID, email: str) -> str:
    """Return the local part of the reply address with which the commands in this email are confirmed. The player must
    reply `yes` from this address."""
    return sign(DESK, mail_id, For.ASKED, mark_of(email.lower()))


def mailbox_hash(email: str) -> bytes:
    """Return the hash under which emails to an address without an account are counted."""
    return keyed_hash(DESK, mailbox_of(email))


def opened(word: str) -> Capability | None:
    """Return what a signed address allows, or None for the public address. Raise NotFound for other addresses."""
    return None if is_open_word(word) else verify(DESK, word)


def is_open_word(word: str) -> bool:
    return bool(word == current_app.config["DESK"])


def is_desk(word: str) -> bool:
    """Return whether this is the local part of an address of the post desk."""
    try:
        opened(word)
    except NotFound:
        return False
    return True


def is_stranger(capability: Capability, email: str) -> bool:
    """Return whether this signed address was issued to `email`, which has no account yet."""
    return any(compare_digest(capability.game_id.bytes, it) for it in keyed_hashes(DESK, email.lower()))


def take_desk_mail(word: str, same: str, raw: bytes, limited: bool) -> None:
    """Store an email to the post desk once. All copies of an email have the same value of `same`.

    Raise NotFound, TooMany, Unavailable.
    """
    capability = opened(word)
    if limited:
        expect_within(Use("desk-replies", capability.game_id) if capability else Use("desk-mails", "all"))
    reader = capability and capability.game_id
    if capability and capability.seat == For.ASKED:
        reader = desk.owner_of(capability.game_id)
    desk.keep(uuid5(_NAMESPACE, f"{word}/{same}"), word, raw, clock.now(), (reader, None))
