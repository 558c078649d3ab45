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
from server.games import GAMES
from server.post.desk.commands import FIND, PLAY
from server.sanitize import mailbox_of
from server.store import desk
from server.translations import LOCALES

CHECK = "Check of Sternenpost"  # the subject of operators' test emails begins with it
_NAMESPACE = UUID("b8a1f1de-0a3c-4a55-9d5b-6c5a0a6f0d11")


class For(IntEnum):
    """The kinds of signed addresses. The kind is stored as the `seat` of the capability."""

    STRANGER = 0  # `game_id` is a hash of the address, `number` the language of our email and the game that it offers
    PLAYER = 1  # `game_id` is the player, `number` the mark of the address
    ASKED = 2  # `game_id` is the email whose commands must be confirmed, `number` the mark of the address


_OFFERS = tuple(f"{command} {game}" for command in (PLAY, FIND) for game in GAMES)
_OFFER = 100  # more than there are languages


def stranger_word(email: str, locale: str, offer: str = "") -> str:
    """Return the local part of the reply address in an email to this address, which has no account yet. `offer`: the
    only line that the email offers."""
    number = LOCALES.index(locale) + (_OFFER * (1 + _OFFERS.index(offer)) if offer in _OFFERS else 0)
    return sign(DESK, stranger_id(email), For.STRANGER, number)


def stranger_id(email: str) -> UUID:
    """Return the id under which emails from an address without an account wait."""
    return UUID(bytes=keyed_hash(DESK, email.lower()))


def offered_to_stranger(capability: Capability) -> tuple[str, str]:
    """Return a pair: the language of our email to an address without an account, and the only line that it offers, or
    "" if it offers several."""
    offer, locale = divmod(capability.number, _OFFER)
    return LOCALES[locale], _OFFERS[offer - 1] if 0 < offer <= len(_OFFERS) else ""


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
