"""JSON Schemas and options common to all games."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from server.games.contract import Json, Rules
from server.games.errors import BadOption
from server.translations import language


def object_of(description: str, required: Json, optional: Json | None = None) -> Json:
    """Return the JSON Schema of an object with exactly these fields."""
    return {
        "description": description,
        "type": "object",
        "additionalProperties": False,
        "required": list(required),
        "properties": {**required, **(optional or {})},
    }


def named(name: str, schema: Json) -> Json:
    """Return the JSON Schema with a name, which generated clients use for its type."""
    return {"title": name, **schema}


# Always null. The type includes integers, like other events' seats, since client generators can't express null alone.
NO_SEAT: Json = {"description": "Always null: the event belongs to no seat", "type": ["integer", "null"]}
TAKE_BACKS = ("consent", "free", "never")  # the default first
TAKE_BACK: Json = {
    "description": "When a player can take back a move. `free`: only if no other player has acted since and the move "
    "revealed nothing to the player who made it. `consent`: immediately under the same conditions as `free`; "
    "otherwise, if all active players consent. `never`: never. Every game has this option.",
    "enum": list(TAKE_BACKS),
    "default": TAKE_BACKS[0],
}
READY_CHECK: Json = {
    "description": "Whether all players must confirm that they're ready before the game starts; null if the game "
    "starts when the last seat is taken. Every game has this option.",
    "anyOf": [
        named(
            "ReadyCheck",
            object_of(
                "Players must confirm that they're ready, or they lose their seat",
                {
                    "within": {
                        "description": "Time to confirm. Each player's clock stops during their nights, days off and "
                        "vacations. ISO 8601 duration from one hour (PT1H) to 30 days (P30D).",
                        "type": "string",
                        "pattern": "^P[0-9DTHM]{2,20}$",
                        "examples": ["P2D"],
                    }
                },
            ),
        ),
        {"type": "null"},
    ],
    "default": None,
}
NAMELESS: Json = {
    "description": "Whether players stay anonymous until the end: seats are shown by number only. A player who "
    "reserves a seat for an address still knows who takes it. Nights and days off count as playing time, and blocks "
    "don't apply, because they would reveal identities. Every game has this option.",
    "type": "boolean",
    "default": False,
}
# Games opened before an option existed don't have it.
HOUSE_OPTIONS: Mapping[str, Json] = {"take_back": TAKE_BACK, "ready_check": READY_CHECK, "nameless": NAMELESS}


def revision_option(revision: int) -> Json:
    """Return the option that stores the revision of the rules with which a game began."""
    if not revision:
        return {}
    meaning = (
        "Number of rule fixes that existed when the game was created. The game keeps these rules to its "
        "end. A new game always gets the newest rules, even if you send another value."
    )
    return {"revision": {"description": meaning, "type": "integer", "minimum": 0, "maximum": revision}}


def newest_revision(rules: Rules) -> int:
    """Return the number of corrections made to these rules."""
    return _newest_in(rules.OPTION_SCHEMA)


def _newest_in(schema: Json) -> int:
    newest: int = schema["properties"].get("revision", {}).get("maximum", 0)
    return newest


def newest_rules(rules: Rules) -> Json:
    """Return the options that make a new game use the current rules."""
    newest = newest_revision(rules)
    return {"revision": newest} if newest else {}


def has_fix(options: Mapping[str, Any], revision: int) -> bool:
    """Return whether a game with these options began after this correction.

    Older games keep the uncorrected rules, since their logs must stay reproducible.
    """
    return bool(options.get("revision", 0) >= revision)


def check_house_options(options: Mapping[str, Any], schema: Json) -> None:
    """Raise BadOption for invalid values of the options that the schema doesn't restrict by `enum`."""
    if type(options.get("nameless", False)) is not bool:
        raise bad_choice("nameless", [False, True])
    asked = options.get("ready_check")
    within = asked.get("within") if type(asked) is dict and len(asked) == 1 else None
    if asked is not None and (type(within) is not str or not re.fullmatch(r"P[0-9DTHM]{2,20}", within)):
        raise BadOption(
            "bad-option", 'The option `%(option)s` must be like {"within": "P2D"}, or null.', option="ready_check"
        )
    newest = _newest_in(schema)
    revision = options.get("revision", 0)
    if type(revision) is not int or not 0 <= revision <= newest:
        raise BadOption(
            "bad-option",
            "The option `%(option)s` must be a whole number from %(least)s to %(most)s.",
            option="revision",
            least=0,
            most=newest,
        )


def bad_seats(game: str, seats: Sequence[int]) -> BadOption:
    def either(locale: str) -> str:
        return language(locale).either(list(map(str, seats)))

    return BadOption("bad-seats", "%(game)s is for %(seats)s players.", game=game, seats=either)


def unknown_option(name: str, schema: Json) -> BadOption:
    return BadOption(
        "unknown-option",
        'Unknown option "%(option)s". The options are %(options)s.',
        option=name[:40],
        options=", ".join(schema["properties"]),
    )


def bad_choice(name: str, choice: Iterable[object]) -> BadOption:
    values = ", ".join(str(it).lower() if type(it) is bool else str(it) for it in choice)
    return BadOption("bad-option", "The option `%(option)s` must be one of %(values)s.", option=name, values=values)


def bad_number_or_null(name: str, least: int, most: int) -> BadOption:
    return BadOption(
        "bad-option",
        "The option `%(option)s` must be a whole number from %(least)s to %(most)s, or null.",
        option=name,
        least=least,
        most=most,
    )
