"""The options of a game: the scenario, and the interpretations of the rules in S1. The options are independent of each
other."""

from collections.abc import Mapping
from typing import Any

from server.games.contract import Json
from server.games.schemas import (
    HOUSE_OPTIONS,
    bad_choice,
    bad_number_or_null,
    bad_seats,
    check_house_options,
    revision_option,
    unknown_option,
)
from server.games.sternenglanz.material import CARDS, CARDS_DATA, FIRMAMENT, SEATS

REVISION = 0  # number of corrections of these rules since 0.1.0: see `has_fix`
MOST_ROUNDS = 1000
READINGS: Mapping[str, tuple[str, Mapping[str | bool, str]]] = {  # the default comes first
    "pairRepeat": (
        "Which slots you may use in a turn if you use two. You may always use all three, in the order 1, 2, 3",
        {"any": "any two", "different": "two with different action types"},
    ),
    "impossible": (
        "When a player can choose an impossible action, which is then skipped",
        {"lapse": "always", "strict": "only if every open slot's action is impossible at that moment"},
    ),
    "layWhenFull": (
        "What a player plays if slot 2 is filled after the shift",
        {"optional": "a card to slot 1, or no card", "must-cover": "a card to slot 1"},
    ),
    "banMoves": (
        "Whether moving a star counts as removing it from its first space and placing it on its last",
        {False: "no", True: "yes; for example, a star moved away from a space can't be placed there again this turn"},
    ),
    "banSupernova": ("Whether a Supernova spares stars placed this turn", {True: "yes", False: "no"}),
    "lineBan": (
        "Which lines a moving star can't use",
        {"per-star": "lines it has already passed this turn", "any-star": "lines that any star has passed this turn"},
    ),
    "supernovaMalus": (
        "What the Supernova pieces on the Firmament subtract from the points of a Supernova card",
        {
            "gain": "a point each, including the new one",
            "gain-others": "a point each, excluding the new one",
            "everyone": "nothing, but every player loses a point",
        },
    ),
    "supernovaRecycle": (
        "Where Supernova cards in the discards go when the discards are shuffled",
        {"deck": "into the deck", "box": "out of the game"},
    ),
    "sternbildCredit": (
        "Who completes a Sternbild that lies on the Firmament after an action",
        {
            "own-action": "the acting player, if the Sternbild is their own or the common one",
            "contributing": "as with `own-action`, if the action also changed a space of the figure",
            "any-player": "the acting player as with `own-action`, then, clockwise, every other player whose own "
            "Sternbild lies there",
        },
    ),
    "sternbildLines": (
        "Whether a figure's stars can also be connected by lines that the figure doesn't show",
        {"free": "yes", "induced": "no"},
    ),
    "prachtReturn": (
        "Where a Prachtstern goes when a Supernova removes it",
        {"supply": "back to the supply", "out": "out of the game"},
    ),
}


def resolve_options(options: Mapping[str, Any], seats: int) -> Json:
    """Return the value of every option, with the game's defaults. Raise BadOption for an invalid option."""
    if type(seats) is not int or seats not in SEATS:
        raise bad_seats("Sternenglanz", SEATS)
    for name, value in options.items():
        schema = OPTION_SCHEMA["properties"].get(name)
        if schema is None:
            raise unknown_option(name, OPTION_SCHEMA)
        choice = [False, True] if schema.get("type") == "boolean" else schema.get("enum")
        if choice and not any(_same(value, each) for each in choice):
            raise bad_choice(name, choice)
    of_house = {*HOUSE_OPTIONS, "revision"}
    own = {name: schema["default"] for name, schema in OPTION_SCHEMA["properties"].items() if name not in of_house}
    resolved = own | dict(options)
    check_house_options(options, OPTION_SCHEMA)
    _check_number("start_seat", resolved["start_seat"], 0, seats - 1)
    _check_number("max_rounds", resolved["max_rounds"], 1, MOST_ROUNDS)
    return resolved


def _same(value: Any, other: Any) -> bool:
    """Return whether two JSON values are equal. 1 is neither true nor 1.0 here."""
    return type(value) is type(other) and bool(value == other)


def _check_number(name: str, value: Any, least: int, most: int) -> None:
    if value is not None and (type(value) is not int or not least <= value <= most):
        raise bad_number_or_null(name, least, most)


def _reading(meaning: str, values: Mapping[str | bool, str]) -> Json:
    texts = " ".join(f"`{str(value).lower()}`: {text}." for value, text in values.items())
    default = next(iter(values))
    choice: Json = {"type": "boolean"} if type(default) is bool else {"enum": list(values)}
    return {"description": f"{meaning}. {texts}", **choice, "default": default}


OPTION_SCHEMA: Json = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "scenario": {
            "description": "Scenario to play. "
            + " ".join(f"`{it['id']}`: {it['names']['de']}." for it in CARDS_DATA["scenarios"]),
            "enum": list(CARDS.scenarios),
            "default": min(CARDS.scenarios),
        },
        "firmament": {"description": "Board used in the game", "enum": [FIRMAMENT.id], "default": FIRMAMENT.id},
        "cards": {"description": "Set of cards used in the game", "enum": [CARDS.id], "default": CARDS.id},
        "start_seat": {
            "description": "Seat that goes first; null to choose one at random",
            "type": ["integer", "null"],
            "minimum": 0,
            "maximum": max(SEATS) - 1,
            "default": None,
        },
        "max_rounds": {
            "description": "Maximum number of rounds. After that, the player with the most points wins or, in a "
            "tie, the one who discarded the fewest cards. Null: the game lasts until a goal of the rules is reached.",
            "type": ["integer", "null"],
            "minimum": 1,
            "maximum": MOST_ROUNDS,
            "default": 60,
        },
        **{name: _reading(meaning, values) for name, (meaning, values) in READINGS.items()},
        **HOUSE_OPTIONS,
        **revision_option(REVISION),
    },
}
