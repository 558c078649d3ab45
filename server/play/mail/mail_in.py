"""Mail for a seat: the address that replies go to, and taking one in. What it says is read later."""

from datetime import timedelta
from secrets import compare_digest
from uuid import UUID

from server.accounts.rate_limits import Use, expect_within
from server.accounts.signed_links import REPLY, RSVP, Capability, keyed_hash, keyed_hashes, mark_of, sign, verify
from server.clock import clock
from server.errors import NotFound
from server.games import Seat
from server.store import inbox

KEPT = timedelta(days=7)
_BEFORE_THE_START = 2**30  # from here on no turn of a game: see `turn_before`
SEVERAL = 0  # the turn in the address of a letter about several games: what comes there plays nothing
_CONFIRM, _ASKED = "confirm", "asked"
_NO_TURN = 0  # none begins before the game does


def reply_word(game_id: UUID, seat: Seat, turn: int) -> str:
    """The signed link that is the local part of the address for answers to this turn of this seat."""
    return sign(REPLY, game_id, seat, turn)


def turn_before(player_id: UUID) -> int:
    """The turn in the address of a letter that asks this player, before the start, whether he is ready: the seat may be another's
    by the time he answers."""
    return _before(keyed_hash(_ASKED, str(player_id)))


def is_of_others(turn: int, player_id: UUID) -> bool:
    """Whether an address with this turn was made for somebody else before the start."""
    own = (_before(it) for it in keyed_hashes(_ASKED, str(player_id)))
    return turn >= _BEFORE_THE_START and turn not in own


def _before(hashed: bytes) -> int:
    return _BEFORE_THE_START + int.from_bytes(hashed[:4], "big") % _BEFORE_THE_START


def addressee(word: str) -> Capability:
    """For which turn of which seat a mail to this word is. Raises NotFound."""
    return verify(REPLY, word)


def rsvp_word(game_id: UUID, seat: Seat, email: str) -> str:
    """The same for answers of this address to its invitation to this seat."""
    return sign(RSVP, game_id, seat, mark_of(email))


def invited(word: str) -> Capability:
    """To which seat an address, whose mark is the number, is invited that a mail to this word is from. Raises NotFound."""
    return verify(RSVP, word)


def expect_addressee(word: str) -> None:
    """Raises NotFound for a word that is no address of ours."""
    _addressed(word)


def _addressed(word: str) -> tuple[Capability, int | None]:
    """With the mark of the invited address, if it is for one."""
    try:
        return addressee(word), None
    except NotFound:
        found = invited(word)
        return found._replace(number=_NO_TURN), found.number


def take_mail(word: str, same: str, raw: bytes, limited: bool) -> None:
    """Keep a mail to this word, once, however often it is brought; `same` is what it and its copies have in common.

    Raises NotFound, TooMany, Unavailable.
    """
    (game_id, seat, turn), mark = _addressed(word)
    if limited:
        expect_within(Use("mails", f"{game_id}/{seat}"))
    if not inbox.keep(game_id, seat, turn, same, raw, clock.now, mark):
        raise NotFound("Game not found.")


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
