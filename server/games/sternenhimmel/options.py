"""The options and editions of Sternenhimmel (section 8)."""

from collections.abc import Mapping
from typing import Any

from server.games.contract import Json
from server.games.errors import BadOption
from server.games.schemas import (
    HOUSE_OPTIONS,
    bad_choice,
    bad_number_or_null,
    bad_seats,
    check_house_options,
    named,
    revision_option,
    unknown_option,
)
from server.games.sternenhimmel.material import BOARD_SET, SEATS

REVISION = 0  # number of corrections of these rules since 0.1.0: see `has_fix`
OPTIONS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "doubling": (
        "How several double stars next to a number multiply it",
        {"linear": "k double stars multiply it by 2k", "compound": "k double stars multiply it by 2^k"},
    ),
    "compensation_payer": (
        "Who pays the seats in third place and below one coin for each star they have left",
        {"first": "the seat in first place", "bank": "the bank"},
    ),
    "payer_limit": (
        "Which coins the seat in first place pays with, if it pays. The bank adds what is missing",
        {"purse": "all its coins, including the first prize", "winnings": "only the first prize"},
    ),
    "first_tie": (
        "What an unbroken tie for first place is worth. The prizes are not paid",
        {"star_coins": "every ranked seat gets one coin per remaining star", "nothing": "no seat gets anything"},
    ),
    "second_tie_payer": (
        "Who pays the coins per star after an unbroken tie for second place",
        {"bank": "the bank", "as_compensation": "the payer in `compensation_payer`, within `payer_limit`"},
    ),
    "sole_player": (
        "When the only ranked seat also gets the second prize",
        {"filled": "only if every star on the board is its own", "remaining": "always"},
    ),
    "direction": (
        "Order of turns",
        {
            "clockwise": "0, 1, 2 and so on",
            "counterclockwise": "0, then the last seat, then the one before it and so on",
        },
    ),
    "resume": (
        "Who moves next after a scoring",
        {
            "next_in_direction": "the next seat in the order of turns",
            "left_of_completer": "the seat to the left (number + 1) of the seat that filled the board",
        },
    ),
    "start_player": (
        "Who begins. If `start_seat` is not set, a random seat begins",
        {
            "oldest": "the oldest player, whose seat is `start_seat`",
            "random": "a random seat",
            "chosen": "the seat in `start_seat`",
        },
    ),
}
EDITIONS: Mapping[str, Mapping[str, str]] = {
    "goldsieber-en": {
        "doubling": "linear",
        "compensation_payer": "first",
        "payer_limit": "purse",
        "first_tie": "star_coins",
        "second_tie_payer": "bank",
        "sole_player": "filled",
        "direction": "clockwise",
        "resume": "next_in_direction",
        "start_player": "oldest",
    },
    "sargon-it": {
        "doubling": "compound",
        "compensation_payer": "bank",
        "payer_limit": "winnings",
        "first_tie": "nothing",
        "second_tie_payer": "as_compensation",
        "sole_player": "remaining",
        "direction": "counterclockwise",
        "resume": "left_of_completer",
        "start_player": "random",
    },
    "schloth-en": {
        "doubling": "compound",
        "compensation_payer": "first",
        "payer_limit": "winnings",
        "first_tie": "star_coins",
        "second_tie_payer": "bank",
        "sole_player": "remaining",
        "direction": "clockwise",
        "resume": "left_of_completer",
        "start_player": "chosen",
    },
    "grignou-fr": {
        "doubling": "compound",
        "compensation_payer": "bank",
        "payer_limit": "winnings",
        "first_tie": "star_coins",
        "second_tie_payer": "as_compensation",
        "sole_player": "remaining",
        "direction": "clockwise",
        "resume": "left_of_completer",
        "start_player": "chosen",
    },
}
DEFAULT_EDITION = "schloth-en"


def resolve_options(options: Mapping[str, Any], seats: int) -> Json:
    """Return the value of every option, with the edition's defaults. Raise BadOption for an invalid option."""
    if type(seats) is not int or seats not in SEATS:
        raise bad_seats("Sternenhimmel", SEATS)
    for name in options:
        if name not in OPTION_SCHEMA["properties"]:
            raise unknown_option(name, OPTION_SCHEMA)
    for name, schema in OPTION_SCHEMA["properties"].items():
        if name in options and "enum" in schema and options[name] not in schema["enum"]:
            raise bad_choice(name, schema["enum"])
    check_house_options(options, OPTION_SCHEMA)
    edition = options.get("edition", DEFAULT_EDITION)
    resolved = {"edition": edition, "boards": BOARD_SET["set"], "start_seat": None, **EDITIONS[edition], **options}
    _check_start_seat(resolved["start_seat"], resolved["start_player"], seats)
    return resolved


def _check_start_seat(start_seat: Any, start_player: str, seats: int) -> None:
    if start_seat is None:
        return
    if type(start_seat) is not int or not 0 <= start_seat < seats:
        raise bad_number_or_null("start_seat", 0, seats - 1)
    if start_player == "random":
        raise BadOption("bad-option", "Omit the option `%(option)s` if start_player is random.", option="start_seat")


OPTION_SCHEMA: Json = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "edition": named(
            "Edition",
            {
                "description": "Published rules to play by. Each of the other options can override a value of the "
                "edition.",
                "enum": list(EDITIONS),
                "default": DEFAULT_EDITION,
            },
        ),
        "boards": {
            "description": "Set of boards used in the game",
            "enum": [BOARD_SET["set"]],
            "default": BOARD_SET["set"],
        },
        "start_seat": {
            "description": "Seat that goes first if `start_player` is `oldest` or `chosen`; null to choose one at "
            "random",
            "type": ["integer", "null"],
            "minimum": 0,
            "maximum": max(SEATS) - 1,
            "default": None,
        },
        **{
            name: {
                "description": f"{meaning}. " + " ".join(f"`{value}`: {text}." for value, text in values.items()),
                "enum": list(values),
            }
            for name, (meaning, values) in OPTIONS.items()
        },
        **HOUSE_OPTIONS,
        **revision_option(REVISION),
    },
}
