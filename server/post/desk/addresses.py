"""The addresses of the post desk: the public address, and signed addresses in the Reply-To of its emails.

A signed address is issued to one reader. A reply to it takes effect only if it comes from that reader's own address. If
that address has no account, the signature contains a hash of the address. So nothing is stored until the person
replies.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import reduce
from math import prod
from secrets import compare_digest
from uuid import UUID, uuid5

from flask import current_app

from server.accounts.notice_kinds import AT_ONCE, BUNDLED, OFF
from server.accounts.rate_limits import Use, expect_within
from server.accounts.signed_links import DESK, Capability, keyed_hash, keyed_hashes, mark_of, sign, verify
from server.clock import clock
from server.errors import NotFound, PlayError
from server.games import GAMES
from server.post.desk.arguments import wanted_in
from server.post.desk.commands import DAYS_OFF, FIND, MAILS, NIGHTS, PLAY, SET
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
    OFFERED = 3  # as for a stranger, with what our email offers in `number`, see `Offered`


@dataclass(frozen=True)
class Offered:
    """What our email to an address without an account offers. The number in the reply address holds it, since we store
    nothing about a stranger."""

    locale: str
    lines: tuple[str, ...] = ()  # which begin games
    settings: tuple[str, ...] = ()  # each as after `set`, for the new account
    is_all: bool = False  # whether a `yes` means all lines, instead of one of them
    is_cut: bool = False  # whether the email offers more than an address can hold


_BITS = 2  # of `is_all` and `is_cut`
_LOCALES, _MOST_LINES, _HOURS = 8, 2, 24
_COMMANDS, _GAMES, _SEATS, _LEVELS, _PACES = (PLAY, FIND), 4, 7, 8, 105
_A_LINE = (len(_COMMANDS), _GAMES, _SEATS, _LEVELS, _PACES)
_LINES = prod(_A_LINE) + 1
_MAILS = BUNDLED, f"{BUNDLED} 08:00 20:00", AT_ONCE, OFF
_SIZES = (_LOCALES, _BITS, _BITS, _LINES, _LINES, _HOURS * _HOURS + 1, len(_MAILS) + 1, 2**7)
_NIGHT, _PACE = re.compile(r"(\d\d):00-(\d\d):00"), re.compile(r"PT(\d{1,2})H|P(\d{1,2})D")
_MOST_HOURS = 72


def _packed(digits: Sequence[int], sizes: Sequence[int]) -> int:
    return reduce(lambda number, it: number * it[1] + it[0], zip(digits, sizes, strict=True), 0)


def _unpacked(number: int, sizes: Sequence[int]) -> list[int]:
    found = []
    for size in reversed(sizes):
        number, digit = divmod(number, size)
        found.append(digit)
    return found[::-1]


def stranger_word(email: str, offered: Offered) -> str:
    """Return the local part of the reply address in an email to this address, which has no account yet."""
    if not (offered.lines or offered.settings or offered.is_cut):
        return sign(DESK, stranger_id(email), For.STRANGER, LOCALES.index(offered.locale))
    lines = [it for line in offered.lines if (it := _number_of_line(line))]
    settings = {
        name: _number_of_setting(name, value) for name, _, value in (it.partition(" ") for it in offered.settings)
    }
    is_cut = offered.is_cut or len(lines) < len(offered.lines) or not all(settings.values())
    if len(lines) > _MOST_LINES:
        lines, is_cut = [], True
    numbers = [settings.get(it, 0) for it in (NIGHTS, MAILS, DAYS_OFF)]
    digits = [
        LOCALES.index(offered.locale),
        offered.is_all,
        is_cut,
        *lines,
        *[0] * (_MOST_LINES - len(lines)),
        *numbers,
    ]
    return sign(DESK, stranger_id(email), For.OFFERED, _packed(digits, _SIZES))


def offered_to_stranger(capability: Capability) -> Offered:
    """Return what our email to an address without an account offers."""
    if capability.seat == For.STRANGER:
        return Offered(LOCALES[capability.number % 100])  # earlier releases stored more
    locale, is_all, is_cut, first, second, *numbers = _unpacked(capability.number, _SIZES)
    settings = (
        f"{name} {_setting_of(name, nr)}" for name, nr in zip((NIGHTS, MAILS, DAYS_OFF), numbers, strict=True) if nr
    )
    lines = (_line_of(it) for it in (first, second) if it)
    return Offered(LOCALES[locale], tuple(lines), tuple(settings), bool(is_all), bool(is_cut))


def is_held(line: str) -> bool:
    """Return whether the reply address can hold a line that begins a game or changes a setting."""
    command, _, rest = line.partition(" ")
    name, _, value = rest.partition(" ")
    return (_number_of_setting(name, value) if command == SET else _number_of_line(line)) != 0


def _number_of_line(line: str) -> int:
    """Return the number that stands for a line which begins a game, or 0 if none does."""
    command, _, rest = line.partition(" ")
    try:
        wanted = wanted_in(rest)
    except PlayError:
        return 0
    per_move, pace = (wanted.clock or {}).get("per_move", ""), 0
    if found := _PACE.fullmatch(per_move):
        pace = int(found[1]) if found[1] else _MOST_HOURS + int(found[2])
    level = int(wanted.level.removeprefix("level-") or 0)
    is_more = wanted.emails or wanted.head or wanted.options or wanted.bots or (per_move and not pace)
    if command not in _COMMANDS or is_more:
        return 0
    digits = _COMMANDS.index(command), list(GAMES).index(wanted.rules), wanted.seats or 0, level, pace
    return 0 if any(it >= size for it, size in zip(digits, _A_LINE, strict=True)) else 1 + _packed(digits, _A_LINE)


def _line_of(number: int) -> str:
    command, game, seats, level, pace = _unpacked(number - 1, _A_LINE)
    time = (
        "" if not pace else f"{pace} hours per move" if pace <= _MOST_HOURS else f"{pace - _MOST_HOURS} days per move"
    )
    said = (_COMMANDS[command], list(GAMES)[game], str(seats or ""), f"level={level}" if level else "", time)
    return " ".join(filter(None, said))


def _number_of_setting(name: str, value: str) -> int:
    """Return the number that stands for a value of a setting, or 0 if none does."""
    if name == NIGHTS and (found := _NIGHT.fullmatch(value)):
        return 1 + _packed((int(found[1]), int(found[2])), (_HOURS, _HOURS))
    if name == MAILS and value in _MAILS:
        return 1 + _MAILS.index(value)
    return sum(1 << int(day) - 1 for day in value.split()) if name == DAYS_OFF else 0


def _setting_of(name: str, number: int) -> str:
    if name == NIGHTS:
        return "{:02}:00-{:02}:00".format(*_unpacked(number - 1, (_HOURS, _HOURS)))
    return _MAILS[number - 1] if name == MAILS else " ".join(str(day + 1) for day in range(7) if number >> day & 1)


def stranger_id(email: str) -> UUID:
    """Return the id under which emails from an address without an account wait."""
    return UUID(bytes=keyed_hash(DESK, email.lower()))


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
