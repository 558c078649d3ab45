"""Moves, views and events as JSON Schemas, for those who write clients.

Cards, fields and Sternbilder are strings here: which there are is told by the data, as `describe` shows them.
"""

from collections.abc import Mapping

from server.rules.common import NO_SEAT, Json, named, object_of
from server.rules.sternenglanz.material import CARDS, PIECES, SEATS, SLOTS, STARS
from server.rules.sternenglanz.moves import LONGEST_PATH, MOST_STEPS
from server.rules.sternenglanz.state import ACT, CHOOSE, LAY, OVER


def _list(description: str, items: Json, **more: int) -> Json:
    return {"description": description, "type": "array", "items": items, **more}


def _by_key(name: str, description: str, values: Json) -> Json:
    return named(name, {"description": description, "type": "object", "additionalProperties": values})


def _per_seat(description: str, items: Json) -> Json:
    return _list(f"{description}, by seat", items, minItems=min(SEATS), maxItems=max(SEATS))


def _or_null(description: str, schema: Json) -> Json:
    return {"description": description, "anyOf": [schema, {"type": "null"}]}


_NUMBER: Json = {"type": "integer", "minimum": 0}
_FLAG: Json = {"type": "boolean"}
_SEAT: Json = {**_NUMBER, "maximum": max(SEATS) - 1}
_SLOT = named("Slot", {"enum": list(SLOTS)})
_CARD: Json = {"description": "A copy of a card: geburt#3", "type": "string", "pattern": "^[a-z0-9-]+#[0-9]+$"}
_STAR = named("StarClass", {"description": "A class of stars", "enum": list(STARS)})
_BILD: Json = {"description": "The id of a Sternbild", "type": "string", "pattern": "^[a-z0-9-]+$"}
_FIELD: Json = {"description": "The id of a field of the Firmament", "type": "string", "pattern": "^[a-z0-9]+$"}
_LINE: Json = {"description": "Two joined fields: a1-b1", "type": "string"}
_PAIR = _list("A field and a class", {"type": "string"}, minItems=2, maxItems=2)
_USED_CARD = _or_null("The card on the slot; null: the permanent Sterngeburt", _CARD)
_SLOTS = _list("The cards on slots 1, 2 and 3", _or_null("null: none", _CARD), minItems=len(SLOTS), maxItems=len(SLOTS))
_DRAWN_CARDS = _list("In order", _or_null("null: it is not for you to know", _CARD))


# Moves


def _step(name: str, description: str, cmd: str, fields: Json, optional: Json | None = None) -> Json:
    return named(name, object_of(description, {"cmd": {"const": cmd}, **fields}, optional))


_PATH = _list("All fields passed, the star's own first", _FIELD, minItems=2, maxItems=LONGEST_PATH)
_CARD_OR_NONE = _or_null("null: none", _CARD)
_ACTION = named(
    "Action",
    {
        "description": "lay (Sterngeburt), with `class` and `field`; move (Sternwanderung), with `path`; remove (Schwarzes "
        "Loch) and nova (Supernova), with `field`; lapse, with none of them, for a slot whose action cannot be performed",
        "enum": ["lay", "move", "remove", "nova", "lapse"],
    },
)
_STEPS: list[Json] = [
    _step("ChooseCards", "Your first two cards", "choose", {"slot2": _CARD, "slot3": _CARD}),
    _step(  # one object, not one for each action: generated clients lose themselves in a union within a union
        "Act",
        "The action of a slot",
        "act",
        {"slot": _SLOT, "do": _ACTION},
        {"class": _STAR, "field": _FIELD, "path": _PATH},
    ),
    _step("FinishActing", "Leave it at slots 1 and 2", "finish", {}),
    _step(
        "LayCards",
        "Lay cards after the shift; dropNova: drop the Supernova card on slot 1 first",
        "lay",
        {"dropNova": _FLAG, "slot2": _CARD_OR_NONE, "slot1": _CARD_OR_NONE},
    ),
]
_STEP = named("Step", {"description": "A step of a turn", "oneOf": _STEPS})
MOVE_SCHEMA: Json = object_of(
    "One or more further steps of your turn, played all or not at all. Nothing can follow a step that shows you "
    "something new (a Sternbild, drawn cards): look first, and play the rest of your turn as a further move",
    {"steps": _list("In order", _STEP, minItems=1, maxItems=MOST_STEPS)},
)


# Views

_PERFORMED = named("Performed", object_of("A slot performed", {"slot": _SLOT, "card": _USED_CARD}))
_WANDERED = named(
    "Wandered",
    object_of(
        "A star that was moved", {"rests": _list("Where it rested", _FIELD), "lines": _list("What it passed", _LINE)}
    ),
)
_LOG = named(
    "TurnLog",
    object_of(
        "What the seat on turn has done in this turn",
        {
            "performed": _list("The slots performed, in order", _PERFORMED),
            "laid": _list("The stars laid", _PAIR),
            "removed": _list("The stars removed", _PAIR),
            "moved": _by_key("MovedStars", "The stars moved, by the field where they lie now", _WANDERED),
            "lines": _list("The lines passed by any star", _LINE),
        },
    ),
)
_OWN_STERNBILD = named(
    "OwnSternbild",
    object_of("A Sternbild of one player", {"sternbild": _or_null("null: it is not for you to know", _BILD)}),
)
_STERNBILDER = named(
    "Sternbilder",
    object_of(
        "The Sternbild cards",
        {
            "deck": {"description": "The number of those not yet seen", **_NUMBER},
            "open": _or_null("The common one", _BILD),
            "own": _per_seat("The own one", _or_null("null: none", _OWN_STERNBILD)),
            "done": _per_seat("The completed ones", _list("In order", _BILD)),
        },
    ),
)
_RESULT = named(
    "Result",
    object_of(
        "Why the game ended, and who won",
        {
            "reason": named("EndReason", {"enum": ["goal", "all-sternbilder", "all-prachtsterne", "round-limit"]}),
            "winners": _list("Seats", _SEAT),
        },
    ),
)
_SUPPLY = named("Supply", object_of("The pieces that can still be laid", dict.fromkeys(PIECES, _NUMBER)))
VIEW_SCHEMA: Json = object_of(
    "The table as one seat or a spectator sees it",
    {
        "scenario": named("Scenario", {"enum": list(CARDS.scenarios)}),
        "phase": named("Phase", {"enum": [CHOOSE, ACT, LAY, OVER]}),
        "turn": {"description": "The number of this turn, from 1; 0 while the first cards are chosen", **_NUMBER},
        "start": {"description": "The seat that has the first turn", **_SEAT},
        "next": _or_null("The seat on turn", _SEAT),
        "chosen": _per_seat("Whether the first cards are chosen and not yet shown", _FLAG),
        "board": _by_key(
            "Firmament", "What lies on the fields that are not free", named("Piece", {"enum": list(PIECES)})
        ),
        "supply": _SUPPLY,
        "points": _per_seat("Points", _NUMBER),
        "hand": _or_null("Your cards; null for a spectator", _list("In order", _CARD)),
        "hand_sizes": _per_seat("The number of cards in hand", _NUMBER),
        "slots": _per_seat("The cards laid; of first cards that others do not know yet, only your own", _SLOTS),
        "discards": _per_seat("The number of cards discarded", _NUMBER),
        "deck": {"description": "The number of cards in the deck", **_NUMBER},
        "reserve": {"description": "The number of Supernova cards not yet granted", **_NUMBER},
        "granted": _per_seat("Whether a Supernova card was granted", _FLAG),
        "sternbilder": _STERNBILDER,
        "log": _LOG,
        "result": _or_null("null: the game goes on", _RESULT),
    },
)


# Events

_ACTION = {"seat": _SEAT, "slot": _SLOT, "card": _USED_CARD}
_GAINED: Json = {"description": "The points gained", **_NUMBER}
EVENT_SCHEMAS: Mapping[str, Json] = {
    type_: object_of(meaning, {"type": {"const": type_}, **fields})
    for type_, meaning, fields in (
        ("hand-dealt", "A player's first cards came from the deck", {"seat": _SEAT, "cards": _DRAWN_CARDS}),
        (
            "sternbild-drawn",
            "The top Sternbild went to a player",
            {
                "seat": _SEAT,
                "sternbild": _or_null("null: it is not for you to know", _BILD),
                "open": {"description": "Whether it lies face up", **_FLAG},
            },
        ),
        ("sternbild-turned-up", "There is a new common Sternbild", {"seat": NO_SEAT, "sternbild": _BILD}),
        (
            "cards-chosen",
            "A player chose the first two cards; null: they are not yet for you to know",
            {"seat": _SEAT, "slot2": _or_null("For slot 2", _CARD), "slot3": _or_null("For slot 3", _CARD)},
        ),
        (
            "choices-shown",
            "All have chosen",
            {"seat": NO_SEAT, "choices": _per_seat("The cards", _list("For slots 2 and 3", _CARD))},
        ),
        ("turn-began", "It is this player's turn", {"seat": _SEAT, "turn": {**_NUMBER, "minimum": 1}}),
        ("star-laid", "Sterngeburt", {**_ACTION, "star": _STAR, "field": _FIELD, "points": _GAINED}),
        ("star-removed", "Schwarzes Loch", {**_ACTION, "star": _STAR, "field": _FIELD, "points": _GAINED}),
        (
            "star-moved",
            "Sternwanderung",
            {**_ACTION, "star": _STAR, "path": _list("All fields passed, the star's own first", _FIELD)},
        ),
        (
            "supernova-laid",
            "Supernova",
            {
                **_ACTION,
                "field": _FIELD,
                "removed": _list("The stars removed", _PAIR),
                "out": _list("The classes of those that left the game", _STAR),
                "points": _per_seat("What each gained; below zero where it lost some", {"type": "integer"}),
            },
        ),
        ("action-lapsed", "A slot counts as performed whose action could not be", _ACTION),
        (
            "sternbild-completed",
            "A Sternbild lies on the Firmament, and is the player's now",
            {"seat": _SEAT, "sternbild": _BILD, "fields": _list("Where it lies", _FIELD), "points": _GAINED},
        ),
        ("supernova-granted", "A player took a Supernova card into the hand", {"seat": _SEAT, "card": _CARD}),
        ("act-finished", "The player left it at slots 1 and 2", {"seat": _SEAT}),
        (
            "cards-shifted",
            "The actions are done, and the cards have moved on",
            {"seat": _SEAT, "slots": _SLOTS, "discarded": _list("What went to the discard", _CARD)},
        ),
        (
            "cards-laid",
            "The player laid hand cards",
            {
                "seat": _SEAT,
                "dropped": _or_null("The Supernova card that was on slot 1", _CARD),
                "slot2": _or_null("The card laid on slot 2", _CARD),
                "slot1": _or_null("The card laid on slot 1", _CARD),
            },
        ),
        (
            "discards-shuffled",
            "All discards are the deck now",
            {
                "seat": NO_SEAT,
                "deck": {"description": "The number of cards in it", **_NUMBER},
                "out": _list("The Supernova cards that left the game", _CARD),
            },
        ),
        ("cards-drawn", "A player drew cards", {"seat": _SEAT, "cards": _DRAWN_CARDS}),
        (
            "game-decided",
            "The game is over",
            {
                "seat": NO_SEAT,
                "reason": _RESULT["properties"]["reason"],
                "winners": _list("Seats", _SEAT),
                "places": _per_seat("Places", {**_NUMBER, "minimum": 1}),
                "sternbilder": _per_seat("The own Sternbilder that were not completed", _or_null("null: none", _BILD)),
            },
        ),
    )
}
