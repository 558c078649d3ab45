"""One game: what is stored of it, with the table that its log makes, or in outline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from flask_babel import gettext

from server.bots import BOTS
from server.play import timeout_policy
from server.play.nameless import hides_names
from server.play.table import Table
from server.play.timeout_policy import Rung
from server.rules import Json, Seat, SeededDice
from server.store.log import Recorded


def seen_from(seats: Sequence[Json], player_id: UUID | None) -> tuple[Seat | None, int]:
    """The seat whose secrets this player sees, and the version with which he sat down: he plays it, or somebody stands in
    for him."""
    for row in seats if player_id is not None else ():
        if row["player_id"] == player_id:
            return row["seat"], row["since"]
        if row["owner_id"] == player_id:
            return row["seat"], row["owner_since"]
    return None, 0


@dataclass(frozen=True, slots=True)
class Stored:
    """What is stored of a game beside its log."""

    head: Json
    seats: Sequence[Json]

    @property
    def game_id(self) -> UUID:
        game_id: UUID = self.head["game_id"]
        return game_id

    @property
    def ladder(self) -> Sequence[Rung]:
        """What time-outs of a seat do, one after the other."""
        return timeout_policy.ladder(self.head["on_timeout"], BOTS)

    def bot_at(self, seat: Seat) -> str | None:
        """The bot that plays this seat now."""
        bot: str | None = self.seats[seat]["bot"] or self.seats[seat]["stand_in"]
        return bot

    @property
    def names(self) -> list[str]:
        """What to call each seat in the reader's language, whoever stands in there; bots of one kind have numbers, and
        accounts that a program plays are called so."""
        return [self._bots_name(row) or called(row["seat"], self.known_person(row)) for row in self.seats]

    def known_person(self, seat: Json) -> Json | None:
        """By what all may call whoever has this seat, even once he has left it; see `called`."""
        person = seat["owner"] or seat
        return None if hides_names(self.head) else {name: person[name] for name in ("name", "program_since")}

    def _bots_name(self, seat: Json) -> str | None:
        alike = [row["seat"] for row in self.seats if row["bot"] == seat["bot"]]
        return f"{seat['bot']} {alike.index(seat['seat']) + 1}" if seat["bot"] and len(alike) > 1 else seat["bot"]


def called(seat: Seat, person: Json | None) -> str:
    """What to call a person, or his seat if nobody may know him or there is none, in the reader's language."""
    if person is None or person["name"] is None:
        return str(gettext("Seat %(number)s", number=seat + 1))
    name: str = person["name"]
    return str(gettext("%(name)s (program)", name=name)) if person["program_since"] else name


@dataclass(frozen=True, slots=True)
class Outline(Stored):
    """A game without its table: all that it takes to remind somebody, or to give him more time."""

    version: int
    seq: int  # of the newest event, as its hash
    hash: bytes
    extended: Mapping[Seat, int]  # extensions in this game


@dataclass(frozen=True, slots=True)
class Game(Stored):
    """A game as stored, and the table that its log makes."""

    table: Table
    newest: Sequence[Recorded] = ()  # the commit that was just recorded

    @property
    def version(self) -> int:
        return self.table.version

    def seat_of(self, player_id: UUID | None) -> Seat | None:
        """Where this player sits, if he does, be it that somebody stands in for him."""
        return seen_from(self.seats, player_id)[0]

    def sees_since(self, player_id: UUID | None) -> int:
        """From which version on this player sees what his seat sees."""
        return seen_from(self.seats, player_id)[1]

    def dice(self) -> SeededDice:
        """The game's chance, from where its last commit stopped."""
        return SeededDice(self.head["seed"], [row["salt"] for row in self.seats], self.head["drawn"])
