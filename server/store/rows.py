"""Database rows as Python values: the game's row, its seats and their players. Only this module creates such values."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple
from uuid import UUID

Json = dict[str, Any]
Seat = int


class Person(NamedTuple):
    """What a game needs to know about a player."""

    name: str | None
    zone: str
    calendar: Json
    notifications: Json
    has_webhooks: bool
    unreachable_since: datetime | None
    program_since: datetime | None


NOBODY = Person(None, "UTC", {}, {}, False, None, None)  # placeholder for seats without a player


class GameHead(NamedTuple):
    """The row of a game (see `tables.GameRow`)."""

    game_id: UUID
    rules: str
    options: Json
    title: str
    private: bool
    clock: Json
    on_timeout: list[Json]
    made_by: UUID
    made_at: datetime
    seed: bytes
    drawn: int
    status: str
    version: int
    outcome: Json | None
    host: UUID
    closes_at: datetime | None
    wake_at: datetime | None
    sent_away: list[str]
    min_reliability: int | None
    programs: bool
    shelved: int | None
    rematch_of: UUID | None

    def after(self, drawn: int, status: str, version: int, outcome: Json | None) -> "GameHead":
        """Return the row with these projections. This is four times as fast as `_replace`."""
        return _head((*self[:_DRAWN], drawn, status, version, outcome, *self[_DRAWN + 4 :]))


class TurnTime(NamedTuple):
    """The time of a seat's turn, or what remains of it for the next turn."""

    asked_at: datetime | None
    allowed: float | None
    lent: float
    hours: Json | None


class SeatState(NamedTuple):
    """The row of a seat (see `tables.SeatRow`), with its player. While a stand-in plays, `owner` is the owner of the
    seat."""

    seat: Seat
    to_act: bool
    turn: int | None
    stand_in: str | None
    asked_at: datetime | None
    allowed: float | None
    lent: float
    hours: Json | None
    due_at: datetime | None
    remind_at: datetime | None
    wake_at: datetime | None  # commits change the columns up to this one
    kind: str
    player_id: UUID | None
    bot: str | None
    email: str | None
    salt: str
    salt_hash: str | None
    ready: bool
    mails: str | None
    lost_at: datetime | None
    planned: bool
    plan_turn: int | None
    plan_at: datetime | None
    since: int
    owner_id: UUID | None
    owner_since: int | None
    owner_mails: str | None
    stood_in_until: datetime | None
    invited_by: UUID | None
    mailed_at: datetime | None
    greeting: str | None
    declined_name: str | None
    declined_mark: int | None
    person: Person = NOBODY
    owner: Person | None = None

    @property
    def time(self) -> TurnTime:
        return TurnTime(self.asked_at, self.allowed, self.lent, self.hours)

    # Each commit makes some of these copies. They take a quarter of the time of `_replace`.

    def renumbered(self, turn: int | None) -> "SeatState":
        return _seat((*self[:_TURN], turn, *self[_TURN + 1 :]))

    def with_turn(self, turn: int | None, stand_in: str | None, time: TurnTime) -> "SeatState":
        """Return the seat with a different turn and that turn's time. The due times stay."""
        return _seat((self.seat, turn is not None, turn, stand_in, *time, *self[_DUE_AT:]))

    def with_due_times(
        self, due_at: datetime | None, remind_at: datetime | None, wake_at: datetime | None
    ) -> "SeatState":
        return _seat((*self[:_DUE_AT], due_at, remind_at, wake_at, *self[_DUE_AT + 3 :]))


SEAT_COLUMNS = SeatState._fields[:-2]
CHANGED_BY_COMMITS = SEAT_COLUMNS[: SEAT_COLUMNS.index("kind")]

_head, _seat = GameHead._make, SeatState._make
_SEED, _DRAWN = GameHead._fields.index("seed"), GameHead._fields.index("drawn")
_TURN, _DUE_AT = SEAT_COLUMNS.index("turn"), SEAT_COLUMNS.index("due_at")
_PLAYER_ID, _OWNER_ID = SEAT_COLUMNS.index("player_id"), SEAT_COLUMNS.index("owner_id")
_UUIDS_OF_SEAT = [SEAT_COLUMNS.index(name) for name in ("player_id", "owner_id", "invited_by")]
_UUIDS_OF_HEAD = [GameHead._fields.index(name) for name in ("game_id", "made_by", "host", "rematch_of")]
_MOMENTS_OF_HEAD = [GameHead._fields.index(name) for name in ("made_at", "closes_at", "wake_at")]
_MOMENTS_OF_SEAT = [
    SEAT_COLUMNS.index(name)
    for name in ("asked_at", "due_at", "remind_at", "wake_at", "lost_at", "plan_at", "stood_in_until", "mailed_at")
]
_MOMENTS_OF_PERSON = [Person._fields.index(name) for name in ("unreachable_since", "program_since")]
_head_values, _seat_values = itemgetter(*GameHead._fields), itemgetter(*SEAT_COLUMNS)
_person_values = itemgetter(*Person._fields)
_as_uuid = lru_cache(4096)(UUID)  # games are loaded with the same ids again and again, and parsing them is slow


def players_in(columns: Sequence[Any]) -> list[UUID]:
    """Return the ids of the player and the owner in a seat's `SEAT_COLUMNS`."""
    return [it for it in (columns[_PLAYER_ID], columns[_OWNER_ID]) if it]


def seat_of(columns: Sequence[Any], people: Mapping[UUID, Person]) -> SeatState:
    return _seat((*columns, people.get(columns[_PLAYER_ID], NOBODY), people.get(columns[_OWNER_ID])))


def game_from_json(head: Json, seats: list[Json], people: dict[str, Json] | None) -> tuple[GameHead, list[SeatState]]:
    """Return a game's row and its seats, parsed from Postgres's JSON. `people` are the players by id."""
    known = {player_id: _person_of(row) for player_id, row in (people or {}).items()}
    return _head_of(head), [_seat_of(row, known) for row in seats]


def _head_of(row: Json) -> GameHead:
    values = [*_head_values(row)]
    _parse(values, _UUIDS_OF_HEAD, _as_uuid)
    _parse(values, _MOMENTS_OF_HEAD, moment_from_json)
    values[_SEED] = bytes_from_json(values[_SEED])
    return _head(values)


def _seat_of(row: Json, people: Mapping[str, Person]) -> SeatState:
    values = [*_seat_values(row), people.get(row["player_id"], NOBODY), people.get(row["owner_id"])]
    _parse(values, _UUIDS_OF_SEAT, _as_uuid)
    _parse(values, _MOMENTS_OF_SEAT, moment_from_json)
    return _seat(values)


def _person_of(row: Json) -> Person:
    values = [*_person_values(row)]
    _parse(values, _MOMENTS_OF_PERSON, moment_from_json)
    return Person._make(values)


def moment_from_json(text: str) -> datetime:
    """Parse a time, and convert it to UTC."""
    return datetime.fromisoformat(text).astimezone(UTC)


def bytes_from_json(text: str) -> bytes:
    r"""Parse bytes in the format of Postgres's JSON (`\x00ff`)."""
    return bytes.fromhex(text.removeprefix("\\x"))


def _parse(values: list[Any], places: Sequence[int], parse: Callable[[str], Any]) -> None:
    for place in places:
        if values[place] is not None:
            values[place] = parse(values[place])
