"""Moves, views and events of Sternenhimmel as JSON Schemas."""

from collections.abc import Mapping

from server.games.contract import Json
from server.games.schemas import NO_SEAT, named, object_of
from server.games.sternenhimmel.material import BANK, BOARDS, SEATS, STAR_SET, STARS

_STAR_SCHEMA = named("Star", {"enum": list(STARS)})
_BOARD_SCHEMA = named("Board", {"enum": list(BOARDS)})
_HIDDEN_STAR_SCHEMA = {"anyOf": [_STAR_SCHEMA, {"type": "null"}]}
_NO_NUL: Json = {"pattern": r"^[^\u0000]*$"}
MOVE_SCHEMA: Json = object_of(
    "Star from your hand, and where to place it",
    {
        "star": {"description": "Kind of star: a number, B (black hole) or D (double star)", **_STAR_SCHEMA},
        "board": {"description": "Id of a board in play", "type": "string", **_NO_NUL},
        "space": {"description": "Id of an empty space on that board", "type": "string", **_NO_NUL},
    },
)
_SEAT_SCHEMA: Json = {"type": "integer", "minimum": 0, "maximum": max(SEATS) - 1}
_FACE_DOWN = "Kind of star; null if it lies face down and is hidden from you"
_LYING_SCHEMA = named(
    "LyingStar",
    object_of("Star on a space", {"seat": _SEAT_SCHEMA, "star": {"description": _FACE_DOWN, **_HIDDEN_STAR_SCHEMA}}),
)
_SPACES_IN_PLAY_SCHEMA: Json = {
    "description": "Star on each space; null if the space is empty",
    "type": "object",
    "additionalProperties": {"anyOf": [_LYING_SCHEMA, {"type": "null"}]},
}
_BOARD_IN_PLAY_SCHEMA = named(
    "BoardInPlay",
    object_of(
        "Board on the table",
        {"board": _BOARD_SCHEMA, "slot": _SEAT_SCHEMA, "spaces": named("Spaces", _SPACES_IN_PLAY_SCHEMA)},
    ),
)


def _one_per_seat(schema: Json) -> Json:
    return {"type": "array", "minItems": min(SEATS), "maxItems": max(SEATS), "items": schema}


VIEW_SCHEMA: Json = {
    "type": "object",
    "additionalProperties": False,
    "required": ["boards", "coins", "hand", "hand_sizes", "stack", "next"],
    "properties": {
        "boards": {"description": "Boards in play, by slot", "type": "array", "items": _BOARD_IN_PLAY_SCHEMA},
        "coins": _one_per_seat({"type": "integer", "minimum": 0}),
        "hand": {
            "description": "Your stars; null for spectators",
            "type": ["array", "null"],
            "maxItems": len(STAR_SET),
            "items": _STAR_SCHEMA,
        },
        "hand_sizes": _one_per_seat({"type": "integer", "minimum": 0, "maximum": len(STAR_SET)}),
        "stack": {"description": "Number of boards not yet in play", "type": "integer", "minimum": 0},
        "next": {
            "description": "Seat whose turn it is; null when the game is over",
            "anyOf": [_SEAT_SCHEMA, {"type": "null"}],
        },
    },
}
_NULLABLE_SEAT: Json = {"anyOf": [_SEAT_SCHEMA, {"type": "null"}]}
_SPACES_SCHEMA: Json = {"type": "array", "items": {"type": "string"}}
_COUNT_SCHEMA: Json = {"type": "integer", "minimum": 0}
_REASONS = ("first", "second", "tie", "compensation", "shortfall")
EVENT_SCHEMAS: Mapping[str, Json] = {
    type_: object_of(meaning, {"type": {"const": type_}, **fields})
    for type_, meaning, fields in (
        (
            "board-dealt",
            "The top board of the stack came into play",
            {"seat": NO_SEAT, "board": _BOARD_SCHEMA, "slot": _SEAT_SCHEMA},
        ),
        (
            "star-placed",
            "A star was placed",
            {
                "seat": _SEAT_SCHEMA,
                "board": _BOARD_SCHEMA,
                "space": {"type": "string"},
                "star": {"description": _FACE_DOWN, **_HIDDEN_STAR_SCHEMA},
            },
        ),
        (
            "board-scored",
            "A full board was revealed, scored, paid out and removed. Its stars returned to the players' hands.",
            {
                "seat": NO_SEAT,
                "board": _BOARD_SCHEMA,
                "placements": {
                    "description": "All stars that were on the board",
                    "type": "array",
                    "items": named(
                        "Placed",
                        object_of(
                            "Star on its space",
                            {"space": {"type": "string"}, "seat": _SEAT_SCHEMA, "star": _STAR_SCHEMA},
                        ),
                    ),
                },
                "annihilated": {"description": "Spaces whose black holes annihilated each other", **_SPACES_SCHEMA},
                "swallowed": {"description": "Spaces whose stars were swallowed by a black hole", **_SPACES_SCHEMA},
                "remaining": {"description": "Spaces whose stars count", **_SPACES_SCHEMA},
                "values": named(
                    "ValuesBySpace",
                    {
                        "description": "Value of each remaining star, by space",
                        "type": "object",
                        "additionalProperties": _COUNT_SCHEMA,
                    },
                ),
                "totals": {
                    "description": "Total of each seat; null for a seat without a remaining star",
                    **_one_per_seat({"type": ["integer", "null"], "minimum": 0}),
                },
                "stars": {"description": "Number of remaining stars of each seat", **_one_per_seat(_COUNT_SCHEMA)},
                "ranking": {
                    "description": "Groups of tied seats, best first. Seats without a remaining star are omitted.",
                    "type": "array",
                    "items": {"type": "array", "items": _SEAT_SCHEMA},
                },
                "outcome": {
                    "description": "Which payment rule applied",
                    **named("PaymentCase", {"enum": ["void", "sole", "first_tie", "second_tie", "ranked"]}),
                },
                "first": {"description": "Seat that got the first prize; null if none did", **_NULLABLE_SEAT},
                "second": {"description": "Seat that got the second prize; null if none did", **_NULLABLE_SEAT},
                "payouts": {
                    "description": "Coins that each seat gained; negative if it lost coins",
                    **_one_per_seat({"type": "integer"}),
                },
                "bank": {"description": "Total that the bank paid", **_COUNT_SCHEMA},
                "transfers": {
                    "description": "Individual payments, in order",
                    "type": "array",
                    "items": named(
                        "Payment",
                        object_of(
                            "Payment",
                            {
                                "from": named("Payer", {"anyOf": [_SEAT_SCHEMA, named("Bank", {"enum": [BANK]})]}),
                                "to": _SEAT_SCHEMA,
                                "amount": {"type": "integer", "minimum": 1},
                                "reason": named("PaymentReason", {"enum": list(_REASONS)}),
                            },
                        ),
                    ),
                },
            },
        ),
        ("seat-skipped", "This seat was skipped because it has no star in hand", {"seat": _SEAT_SCHEMA}),
    )
}
