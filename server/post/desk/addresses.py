"""The addresses of the post desk: the public address, and signed addresses in the Reply-To of its emails.

A signed address is issued to one reader. A reply to it takes effect only if it comes from that reader's own address. If
that address has no account, the signature contains a hash of the address. So nothing is stored until the person
replies.
"""

import re
from enum import IntEnum
from secrets import compare_digest
from uuid import UUID, uuid5

from flask import current_app

from server.accounts.rate_limits import Use, expect_within
from server.accounts.signed_links import DESK, Capability, keyed_hash, keyed_hashes, mark_of, sign, verify
from server.clock import clock
from server.errors import NotFound, PlayError
from server.games import GAMES
from server.post.desk.arguments import USUAL_BOT, wanted_in
from server.post.desk.commands import FIND, PLAY
from server.sanitize import mailbox_of
from server.store import desk
from server.translations import LOCALES

CHECK = "Check of Sternenpost"  # the subject of operators' test emails begins with it
_NAMESPACE = UUID("b8a1f1de-0a3c-4a55-9d5b-6c5a0a6f0d11")


class For(IntEnum):
    """The kinds of signed addresses. The kind is stored as the `seat` of the capability."""

    STRANGER = 0  # `game_id` is a hash of the address, `number` the language of our email and the lines that it offers
    PLAYER = 1  # `game_id` is the player, `number` the mark of the address
    ASKED = 2  # `game_id` is the email whose commands must be confirmed, `number` the mark of the address


_OFFER = 100  # more than there are languages
_SEATS, _LEVELS, _PACES = 10, 20, 500  # how many values the number in an address holds
_HOURS, _DAYS = re.compile(r"PT(\d{1,3})H"), re.compile(r"P(\d{1,3})D")


def stranger_word(email: str, locale: str, offer: tuple[str, ...] = ()) -> str:
    """Return the local part of the reply address in an email to this address, which has no account yet. `offer`: the
    lines that begin a game in the email."""
    return sign(DESK, stranger_id(email), For.STRANGER, LOCALES.index(locale) + _OFFER * _number_of(offer))


def _offers() -> tuple[tuple[str, ...], ...]:
    """Return the lines that a number in an address can stand for."""
    return (
        *((f"{command} {game}",) for command in (PLAY, FIND) for game in GAMES),
        *(tuple(f"{command} {game}" for game in GAMES) for command in (PLAY, FIND)),
    )


def _number_of(offer: tuple[str, ...]) -> int:
    """Return the number that stands for these lines, or 0 if no number does."""
    offers = _offers()
    bare, details = tuple(" ".join(line.split()[:2]) for line in offer), set(map(_details_of, offer))
    number = details.pop() if len(details) == 1 else None
    return 0 if number is None or bare not in offers else 1 + offers.index(bare) + len(offers) * number


def _details_of(line: str) -> int | None:
    """Return the number that stands for the seats, level and pace in a line. Return None for a line with other details."""
    try:
        wanted = wanted_in(line.partition(" ")[2])
    except PlayError:
        return None
    level = 0 if wanted.bot == USUAL_BOT else int(wanted.bot.removeprefix("level-"))
    per_move, pace = (wanted.clock or {}).get("per_move", ""), 0
    if found := _HOURS.fullmatch(per_move) or _DAYS.fullmatch(per_move):
        pace = 2 * int(found[1]) + (found.re is _DAYS)
    seats, is_more = wanted.seats or 0, wanted.emails or wanted.head or wanted.options or wanted.bots
    if is_more or (per_move and not pace) or seats >= _SEATS or level >= _LEVELS or pace >= _PACES:
        return None
    return seats + _SEATS * (level + _LEVELS * pace)


def _with_details(line: str, number: int) -> str:
    """Return a line with the details for which `_details_of` returned this number."""
    rest, seats = divmod(number, _SEATS)
    pace, level = divmod(rest, _LEVELS)
    time = f"{pace // 2} {'days' if pace % 2 else 'hours'} per move"
    said = [str(seats)] * bool(seats) + [f"level={level}"] * bool(level) + [time] * bool(pace)
    return " ".join([line, *said])


def stranger_id(email: str) -> UUID:
    """Return the id under which emails from an address without an account wait."""
    return UUID(bytes=keyed_hash(DESK, email.lower()))


def offered_to_stranger(capability: Capability) -> tuple[str, tuple[str, ...]]:
    """Return a pair: the language of our email to an address without an account, and the lines that it offers, or ()
    if the address can't hold them."""
    offer, locale = divmod(capability.number, _OFFER)
    offers = _offers()
    details, nr = divmod(max(offer - 1, 0), len(offers))
    return LOCALES[locale], tuple(_with_details(it, details) for it in offers[nr]) if offer else ()


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
