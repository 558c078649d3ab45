"""The events of the house, which every game may have, beside those of its rules."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from server.play import json_schemas
from server.rules import NO_SEAT, Json, Seat, named, object_of


class GameStarted(NamedTuple):
    seats: int
    terms: Json | None = None  # see `terms`
    seat: None = None


class TimeExtended(NamedTuple):
    seat: Seat
    by: str  # ISO 8601 duration


class TimeRanOut(NamedTuple):
    seat: Seat
    bot: str | None  # who moves instead


class SeatHandedOver(NamedTuple):
    seat: Seat
    bot: str
    why: str  # "time" or "resigned"


class SeatTakenBack(NamedTuple):
    seat: Seat


class StandInBegan(NamedTuple):
    seat: Seat


class StandInEnded(NamedTuple):
    seat: Seat


class SeatTakenOver(NamedTuple):
    seat: Seat


class MoveTakenBack(NamedTuple):
    seat: Seat
    to: int  # the version that the game goes back to


class GamePaused(NamedTuple):
    seat: None = None


class GameResumed(NamedTuple):
    seat: None = None


class GameEnded(NamedTuple):
    scores: Sequence[int]
    places: Sequence[int]
    seat: None = None


class GameAbandoned(NamedTuple):
    seat: Seat | None = None


HOUSE_EVENTS: Mapping[str, type[Any]] = {
    "game-started": GameStarted,
    "time-extended": TimeExtended,
    "time-ran-out": TimeRanOut,
    "seat-handed-over": SeatHandedOver,
    "seat-taken-back": SeatTakenBack,
    "stand-in-began": StandInBegan,
    "stand-in-ended": StandInEnded,
    "seat-taken-over": SeatTakenOver,
    "move-taken-back": MoveTakenBack,
    "game-paused": GamePaused,
    "game-resumed": GameResumed,
    "game-ended": GameEnded,
    "game-abandoned": GameAbandoned,
}

_NUMBERS: Json = {"type": "array", "items": {"type": "integer"}}

# Of each event as it is told; the house has no secrets.
HOUSE_EVENT_SCHEMAS: Mapping[str, Json] = {
    type_: object_of(meaning, {"type": {"const": type_}, **fields})
    for type_, meaning, fields in (
        (
            "game-started",
            "The last seat was taken",
            {
                "seat": NO_SEAT,
                "seats": {"description": "How many there are", "type": "integer"},
                "terms": {"anyOf": [json_schemas.TERMS, {"type": "null"}]},
            },
        ),
        (
            "time-extended",
            "Time ran out for this seat, and its turn was given more",
            {"seat": json_schemas.SEAT, "by": json_schemas.DURATION},
        ),
        (
            "time-ran-out",
            "Time ran out for this seat",
            {
                "seat": json_schemas.SEAT,
                "bot": {
                    "description": "Who moves instead; null if what follows is no move",
                    "anyOf": [json_schemas.BOT, {"type": "null"}],
                },
            },
        ),
        (
            "seat-handed-over",
            "A bot plays this seat until its person comes back",
            {
                "seat": json_schemas.SEAT,
                "bot": json_schemas.BOT,
                "why": named("WhyHandedOver", {"enum": ["time", "resigned"]}),
            },
        ),
        (
            "seat-taken-back",
            "The person of this seat, or his stand-in, plays instead of the bot",
            {"seat": json_schemas.SEAT},
        ),
        ("stand-in-began", "Somebody else plays this seat for some days", {"seat": json_schemas.SEAT}),
        ("stand-in-ended", "Nobody stands in for the person of this seat any more", {"seat": json_schemas.SEAT}),
        ("seat-taken-over", "Somebody has taken this seat over from a bot, for good", {"seat": json_schemas.SEAT}),
        (
            "move-taken-back",
            "This seat took a move back, and with it all that followed: the table is as it was at an earlier version",
            {
                "seat": json_schemas.SEAT,
                "to": {"description": "That version", "type": "integer", "minimum": 1},
            },
        ),
        ("game-paused", "All who play themselves wanted a pause", {"seat": NO_SEAT}),
        ("game-resumed", "All who play themselves wanted to go on", {"seat": NO_SEAT}),
        (
            "game-ended",
            "The game is over",
            {
                "seat": NO_SEAT,
                "scores": {"description": "By seat", **_NUMBERS},
                "places": {"description": "By seat: 1, 1, 3 where seats share a place", **_NUMBERS},
            },
        ),
        (
            "game-abandoned",
            "The game was given up without a result, or closed before its start",
            {
                "seat": {
                    "description": "Whose time-out it was; null if all agreed, or it was closed before its start",
                    "anyOf": [json_schemas.SEAT, {"type": "null"}],
                }
            },
        ),
    )
}
