"""Mail for a seat: the address that replies go to, and taking one in. What it says is read later."""

from datetime import timedelta
from secrets import compare_digest
from uuid import UUID

from server.accounts.rate_limits import Use, expect_within
from server.accounts.signed_links import REPLY, Capability, keyed_hash, keyed_hashes, sign, verify
from server.clock import clock
from server.errors import NotFound
from server.rules import Seat
from server.store import inbox

KEPT = timedelta(days=7)
_CONFIRM = "confirm"


def reply_word(game_id: UUID, seat: Seat, turn: int) -> str:
    """The signed link that is the local part of the address for answers to this turn of this seat."""
    return sign(REPLY, game_id, seat, turn)


def addressee(word: str) -> Capability:
    """For which turn of which seat a mail to this word is. Raises NotFound."""
    return verify(REPLY, word)


def take_mail(word: str, same: str, raw: bytes, limited: bool) -> None:
    """Keep a mail to this word, once, however often it is brought; `same` is what it and its copies have in common.

    Raises NotFound, TooMany, Unavailable.
    """
    game_id, seat, turn = addressee(word)
    if limited:
        expect_within(Use("mails", f"{game_id}/{seat}"))
    if not inbox.keep(game_id, seat, turn, same, raw, clock.now):
        raise NotFound("There is no such game.")


def confirming_word(mail_id: UUID) -> str:
    """What to write to confirm that mail; it is sent to nobody but the player."""
    return _confirming(keyed_hash(_CONFIRM, str(mail_id)))


def confirms(word: str, mail_id: UUID) -> bool:
    """Whether this is what to write to confirm that mail."""
    return any(compare_digest(_confirming(it), word) for it in keyed_hashes(_CONFIRM, str(mail_id)))


def _confirming(hashed: bytes) -> str:
    return hashed.hex()[:10]


def forget_old_mails() -> None:
    """Drop what was dealt with long enough ago; until then a copy is known for one."""
    inbox.forget(clock.now() - KEPT)
