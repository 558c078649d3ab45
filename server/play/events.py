"""The server's events, common to all games. Each game's rules add their own."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from server.games import NO_SEAT, Json, Seat, named, object_of
from server.play import json_schemas


class GameStarted(NamedTuple):
    seats: int
    terms: Json | None = None  # see `terms`
    seat: None = None


class TimeExtended(NamedTuple):
    seat: Seat
    by: str  # ISO 8601 duration


class TimeRanOut(NamedTuple):
    seat: Seat
    bot: str | None  # the bot that plays instead


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
    to: int  # the version to which the game returns


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

# Events as players see them. They contain no secrets.
HOUSE_EVENT_SCHEMAS: Mapping[str, Json] = {
    type_: object_of(meaning, {"type": {"const": type_}, **fields})
    for type_, meaning, fields in (
        (
            "game-started",
            "The game started",
            {
                "seat": NO_SEAT,
                "seats": {"description": "Number of seats", "type": "integer"},
                "terms": {"anyOf": [json_schemas.TERMS, {"type": "null"}]},
            },
        ),
        (
            "time-extended",
            "This seat's time ran out, and its turn was extended",
            {"seat": json_schemas.SEAT, "by": json_schemas.DURATION},
        ),
        (
            "time-ran-out",
            "This seat's time ran out",
            {
                "seat": json_schemas.SEAT,
                "bot": {
                    "description": "Bot that moves instead; null if none does",
                    "anyOf": [json_schemas.BOT, {"type": "null"}],
                },
            },
        ),
        (
            "seat-handed-over",
            "A bot plays this seat until its player returns",
            {
                "seat": json_schemas.SEAT,
                "bot": json_schemas.BOT,
                "why": named("WhyHandedOver", {"enum": ["time", "resigned"]}),
            },
        ),
        ("seat-taken-back", "This seat's player or stand-in took it back from the bot", {"seat": json_schemas.SEAT}),
        ("stand-in-began", "A stand-in began to play this seat", {"seat": json_schemas.SEAT}),
        ("stand-in-ended", "The stand-in period for this seat ended", {"seat": json_schemas.SEAT}),
        ("seat-taken-over", "A new player permanently took over this seat from a bot", {"seat": json_schemas.SEAT}),
        (
            "move-taken-back",
            "This seat took back a move and everything after it. A turn that begins again gets a new number.",
            {
                "seat": json_schemas.SEAT,
                "to": {"description": "Version that the game went back to", "type": "integer", "minimum": 1},
            },
        ),
        ("game-paused", "All active players agreed to pause", {"seat": NO_SEAT}),
        ("game-resumed", "All active players agreed to resume", {"seat": NO_SEAT}),
        (
            "game-ended",
            "The game ended",
            {
                "seat": NO_SEAT,
                "scores": {"description": "Score of each seat", **_NUMBERS},
                "places": {"description": "Final rank of each seat, such as 1, 1, 3 if two seats tie", **_NUMBERS},
            },
        ),
        (
            "game-abandoned",
            "The game was abandoned without a result, or closed before it started",
            {
                "seat": {
                    "description": "Seat that timed out; null if all players agreed or the game was closed before it "
                    "started",
                    "anyOf": [json_schemas.SEAT, {"type": "null"}],
                }
            },
        ),
    )
}
