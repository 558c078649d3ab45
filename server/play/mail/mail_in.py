"""Inbound email for a seat: its reply addresses, and how emails are stored. The content of an email is read later."""

from datetime import timedelta
from secrets import compare_digest
from uuid import UUID

from server.accounts.rate_limits import Use, expect_within
from server.accounts.signed_links import REPLY, RSVP, Capability, keyed_hash, keyed_hashes, sign, verify
from server.clock import clock
from server.errors import NotFound
from server.games import Seat
from server.store import inbox

KEPT = timedelta(days=7)
_BEFORE_THE_START = 2**30  # greater than any turn number in a game: see `turn_before`
SEVERAL = 0  # the turn in emails about several games that were sent before replies to them went to the post desk
_CONFIRM, _ASKED = "confirm", "asked"
_NO_TURN = 0  # no turn exists before the start


def reply_word(game_id: UUID, seat: Seat, turn: int) -> str:
    """Return the link token that is the local part of the reply address for this turn."""
    return sign(REPLY, game_id, seat, turn)


def turn_before(player_id: UUID) -> int:
    """Return the turn number in the reply addresses of a ready check. It depends on the player, since another player
    may have the seat when the reply arrives."""
    return _before(keyed_hash(_ASKED, str(player_id)))


def is_of_others(turn: int, player_id: UUID) -> bool:
    """Return whether this turn number belongs to the ready check of another player."""
    own = (_before(it) for it in keyed_hashes(_ASKED, str(player_id)))
    return turn >= _BEFORE_THE_START and turn not in own


def _before(hashed: bytes) -> int:
    return _BEFORE_THE_START + int.from_bytes(hashed[:4], "big") % _BEFORE_THE_START


def open_reply_address(word: str) -> Capability:
    """Return the seat and turn of a reply address. Raise NotFound if the address is invalid."""
    return verify(REPLY, word)


def rsvp_word(game_id: UUID, seat: Seat, mark: int) -> str:
    """Return the link token for replies to an invitation. `mark`: of the invited address, or of a stand-in request."""
    return sign(RSVP, game_id, seat, mark)


def open_rsvp_address(word: str) -> Capability:
    """Return the seat of an invitation's reply address, and the mark of the invited address. Raise NotFound if the
    reply address is invalid."""
    return verify(RSVP, word)


def expect_addressee(word: str) -> None:
    """Raise NotFound unless this is one of our reply addresses."""
    _addressed(word)


def _addressed(word: str) -> tuple[Capability, int | None]:
    """Return a pair: the capability in a reply address, and the mark of the invited address if the reply is to an
    invitation."""
    try:
        return open_reply_address(word), None
    except NotFound:
        found = open_rsvp_address(word)
        return found._replace(number=_NO_TURN), found.number


def take_mail(word: str, same: str, raw: bytes, limited: bool) -> None:
    """Store an email to this reply address once. All copies of an email have the same value of `same`.

    Raise NotFound, TooMany, Unavailable.
    """
    (game_id, seat, turn), mark = _addressed(word)
    if limited:
        expect_within(Use("mails", f"{game_id}/{seat}"))
    if not inbox.keep(game_id, seat, turn, same, raw, clock.now, mark):
        raise NotFound("Game not found.")


def confirming_word(mail_id: UUID) -> str:
    """Return the link token that confirms this email. Only the player receives it."""
    return _confirming(keyed_hash(_CONFIRM, str(mail_id)))


def confirms(word: str, mail_id: UUID) -> bool:
    return any(compare_digest(_confirming(it), word) for it in keyed_hashes(_CONFIRM, str(mail_id)))


def _confirming(hashed: bytes) -> str:
    return hashed.hex()[:10]


def forget_old_mails() -> None:
    """Delete emails that were processed long ago. Until then, the server recognizes copies of them."""
    inbox.forget(clock.now() - KEPT)
