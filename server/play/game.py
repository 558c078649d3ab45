"""A game: its stored rows, with or without the table that results from its log."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID

import orjson
from flask_babel import gettext

from server.bots import BOTS, LEVELS
from server.clock import Stretch
from server.games import Json, RuleError, Rules, Seat, SeededDice, newest_revision
from server.games.presentation import bot_name
from server.play.nameless import hides_names
from server.play.table import Table
from server.play.timing import timeout_policy
from server.play.timing.time_control import DEFAULT_CLOCK, GameClock, game_clock, stored_clock
from server.play.timing.timeout_policy import DEFAULT_LADDER, Rung
from server.store.database_retry import Unavailable
from server.store.log import Recorded
from server.store.rows import NOBODY, GameHead, SeatState
from server.stored_data import REFUSED, as_json, read_or, warn_of

BOT_NAMES = ("Alcor", "Atria", "Castor", "Electra", "Hadar", "Izar", "Maia", "Merope", "Mizar", "Naos", "Sirius")
_FORMER = re.compile("Former player ([0-9a-f]{4})")  # see `name_of_former`
_KEPT = 1024


def visible_seat(seats: Sequence[SeatState], player_id: UUID | None) -> tuple[Seat | None, int]:
    """Return a pair: the seat whose secrets this player sees, and the version at which the player sat down. Players
    still see their seat's secrets while a stand-in plays."""
    for row in seats if player_id is not None else ():
        if row.player_id == player_id:
            return row.seat, row.since
        if row.owner_id == player_id:
            return row.seat, row.owner_since or 0
    return None, 0


def readable(head: GameHead) -> GameHead:
    """Return a game row, with defaults in place of a clock and time-out policy that this release can't read.

    If the options are unreadable, names are hidden, since the game may be anonymous.
    """
    clock, on_timeout = _instead(as_json(head.clock), as_json(head.on_timeout))
    if clock is not None or on_timeout is not None:
        head = head._replace(clock=clock or head.clock, on_timeout=on_timeout or head.on_timeout)
    if type(head.options) is not dict:
        warn_of("options")
        return head._replace(options={"nameless": True})
    return head


@lru_cache(_KEPT)  # most games share the same few values
def _instead(clock_json: bytes, on_timeout_json: bytes) -> tuple[Json | None, Any]:
    """Return a pair: a replacement for the clock, and one for the time-out policy. Each is None if the stored value is
    readable."""
    clock, on_timeout = orjson.loads(clock_json), orjson.loads(on_timeout_json)
    is_clock = read_or(None, "clock", lambda: game_clock(clock)) is not None
    is_policy = read_or(None, "on_timeout", lambda: timeout_policy.ladder(on_timeout, BOTS)) is not None
    return None if is_clock else DEFAULT_CLOCK, None if is_policy else DEFAULT_LADDER


def expect_playable(rules: Rules, options: Any, seats: int) -> None:
    """Raise Unavailable if the rules reject the stored options."""
    if trouble := _trouble_with(rules, newest_revision(rules), as_json(options), seats):  # type: ignore[arg-type]  # modules are hashable
        raise Unavailable(trouble)


@lru_cache(_KEPT)
def _trouble_with(rules: Rules, newest: int, options: bytes, seats: int) -> str:
    """Return what is wrong with `options` (JSON), or "" if they are valid."""
    chosen = orjson.loads(options)
    try:
        if chosen.get("revision", 0) > newest:
            return "This game began with rules of a later release."
        rules.resolve_options(chosen, seats)
    except (RuleError, *REFUSED) as error:
        return f"The rules refuse the options of this game: {error}"
    return ""


@dataclass(frozen=True, slots=True)
class Stored:
    """The stored rows of a game, without its log."""

    head: GameHead
    seats: Sequence[SeatState]

    @property
    def game_id(self) -> UUID:
        return self.head.game_id

    @property
    def clock(self) -> GameClock:
        return stored_clock(*self.head.clock.items())

    @property
    def ladder(self) -> Sequence[Rung]:
        """Return the steps of the time-out policy, in order."""
        return timeout_policy.ladder(self.head.on_timeout, BOTS)

    @property
    def hides_names(self) -> bool:
        """Return whether the players of the game are anonymous to each other."""
        return hides_names(self.head.options, self.head.status, self.head.version)

    def bot_at(self, seat: Seat) -> str | None:
        return self.seats[seat].bot or self.seats[seat].stand_in

    @property
    def names(self) -> list[str]:
        """Return the name of each seat in the reader's language. While a stand-in plays, it is the name of the seat's
        own player. Bots that have a level are named after stars, others after their kind (`Greedy`, or `Greedy 1` if
        there are several). Programs are marked. A name that several seats have is followed by the seat's number."""
        people = [NOBODY if self.hides_names else row.owner or row.person for row in self.seats]
        names = [
            bots_name(self.game_id, self.seats, row)
            or display_name(row.seat, person.name, person.program_since is not None)
            for row, person in zip(self.seats, people, strict=True)
        ]
        return [f"{it} ({seat + 1})" if names.count(it) > 1 else it for seat, it in enumerate(names)]

    def introduced(self, row: SeatState) -> str:
        """Return the name of a bot, with its level if it has one: `the bot Maia (Level 2)`."""
        name = self.names[row.seat]
        if row.bot and row.bot in LEVELS:
            level = gettext("Level %(number)s", number=row.bot.removeprefix("level-"))
            name = f"{name} ({level})"
        return str(gettext("the bot %(bot)s", bot=name))


def bots_name(game_id: UUID, seats: Sequence[SeatState], seat: SeatState) -> str | None:
    """Return the name of the bot at this seat as players read it, or None if the seat has no bot."""
    if seat.bot is None:
        return None
    if seat.bot in LEVELS:
        return BOT_NAMES[(game_id.int + seat.seat) % len(BOT_NAMES)]
    alike = [row.seat for row in seats if row.bot == seat.bot]
    name = bot_name(seat.bot)
    return name if len(alike) == 1 else f"{name} {alike.index(seat.seat) + 1}"


def display_name(seat: Seat, name: str | None, is_program: bool) -> str:
    """Return a player's name in the reader's language, or the seat's name if there is no player's name."""
    if name is None:
        return str(gettext("Seat %(number)s", number=seat + 1))
    if former := _FORMER.fullmatch(name):
        return str(gettext("Former player %(mark)s", mark=former[1]))
    return str(gettext("%(name)s (program)", name=name)) if is_program else name


def name_of_former(player_id: UUID) -> str:
    """Return the name that is stored for a player whose account was deleted."""
    return f"Former player {player_id.hex[:4]}"


def has_left(row: SeatState) -> bool:
    """Return whether the account of the player in this seat was deleted."""
    return row.player_id is not None and row.person.name == name_of_former(row.player_id)


def last_minute(until_at: datetime) -> datetime:
    """Return the end of a stand-in as emails show it. Midnight after the last day would read as if the stand-in lasted
    another day."""
    return until_at - timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Outline(Stored):
    """A game without its table, which is sufficient for reminders and extensions."""

    version: int
    seq: int  # of the newest event, as is the hash
    hash: bytes
    extended: Mapping[Seat, int]  # number of extensions per seat
    outages: Sequence[Stretch] = ()  # since the earliest turn began


@dataclass(frozen=True, slots=True)
class Game(Stored):
    """A game with the table that results from its log."""

    table: Table
    newest: Sequence[Recorded] = ()  # the events of the last commit

    @property
    def version(self) -> int:
        return self.table.version

    def seat_of(self, player_id: UUID | None) -> Seat | None:
        """Return the player's seat, even while a stand-in is playing it."""
        return visible_seat(self.seats, player_id)[0]

    def sees_since(self, player_id: UUID | None) -> int:
        """Return the version from which this player sees the seat's secrets."""
        return visible_seat(self.seats, player_id)[1]

    def dice(self) -> SeededDice:
        """Return the game's source of random numbers, positioned after the last commit."""
        return SeededDice(self.head.seed, [row.salt for row in self.seats], self.head.drawn)
