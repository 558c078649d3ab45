"""Moves, views and events of Sternenglanz as JSON Schemas, for authors of clients.

Cards, fields and Sternbilder are strings here. `describe` lists their values.
"""

from collections.abc import Mapping

from server.games.contract import Json
from server.games.schemas import NO_SEAT, named, object_of
from server.games.sternenglanz.material import CARDS, PIECES, SEATS, SLOTS, STARS
from server.games.sternenglanz.moves import LONGEST_PATH, MOST_STEPS
from server.games.sternenglanz.state import ACT, CHOOSE, LAY, OVER


def _list(description: str, items: Json, **more: int) -> Json:
    return {"description": description, "type": "array", "items": items, **more}


def _by_key(name: str, description: str, values: Json) -> Json:
    return named(name, {"description": description, "type": "object", "additionalProperties": values})


def _per_seat(description: str, items: Json) -> Json:
    return _list(f"{description}, by seat", items, minItems=min(SEATS), maxItems=max(SEATS))


def _or_null(description: str, schema: Json) -> Json:
    return {"description": description, "anyOf": [schema, {"type": "null"}]}


_NUMBER: Json = {"type": "integer", "minimum": 0}
OWN_NAMES = ("Action", "Scenario", "Slot", "StarClass")  # generated code prefixes the names of these lists' values
_FLAG: Json = {"type": "boolean"}
_SEAT: Json = {**_NUMBER, "maximum": max(SEATS) - 1}
_SLOT = named("Slot", {"enum": list(SLOTS)})
_CARD: Json = {"description": "Copy of a card, such as geburt#3", "type": "string", "pattern": "^[a-z0-9-]+#[0-9]+$"}
_STAR = named("StarClass", {"description": "Class of a star", "enum": list(STARS)})
_BILD: Json = {"description": "Id of a Sternbild (constellation)", "type": "string", "pattern": "^[a-z0-9-]+$"}
_FIELD: Json = {"description": "Id of a space on the Firmament", "type": "string", "pattern": "^[a-z0-9]+$"}
_LINE: Json = {"description": "Line between two joined spaces, such as a1-b1", "type": "string"}
_PAIR = _list("Space and class of a star", {"type": "string"}, minItems=2, maxItems=2)
_USED_CARD = _or_null("Card in the slot; null for the permanent Sterngeburt", _CARD)
_SLOTS = _list(
    "Cards in slots 1, 2 and 3",
    _or_null("Card in the slot; null if there is none", _CARD),
    minItems=len(SLOTS),
    maxItems=len(SLOTS),
)
_DRAWN_CARDS = _list("Cards in order", _or_null("Card; null if hidden from you", _CARD))


# Moves


def _step(name: str, description: str, cmd: str, fields: Json, optional: Json | None = None) -> Json:
    return named(name, object_of(description, {"cmd": {"const": cmd}, **fields}, optional))


_PATH = _list("Spaces along the path, starting with the star's own space", _FIELD, minItems=2, maxItems=LONGEST_PATH)
_CARD_OR_NONE = _or_null("Card to play; null to play none", _CARD)
_ACTION = named(
    "Action",
    {
        "description": "`lay` (Sterngeburt): needs `class` and `field`. `move` (Sternwanderung): needs `path`. "
        "`remove` (Schwarzes Loch) and `nova` (Supernova): need `field`. `lapse`: needs none of these; use it for a "
        "slot whose action can't be performed.",
        "enum": ["lay", "move", "remove", "nova", "lapse"],
    },
)
_STEPS: list[Json] = [
    _step("ChooseCards", "Choose your first two cards", "choose", {"slot2": _CARD, "slot3": _CARD}),
    _step(  # one object for all actions, since client generators can't handle nested unions
        "Act",
        "Perform the action of a slot",
        "act",
        {"slot": _SLOT, "do": _ACTION},
        {"class": _STAR, "field": _FIELD, "path": _PATH},
    ),
    _step("FinishActing", "End your actions after slots 1 and 2", "finish", {}),
    _step(
        "LayCards",
        "Play cards after the shift. With `dropNova`, the Supernova card in slot 1 is dropped first.",
        "lay",
        {"dropNova": _FLAG, "slot2": _CARD_OR_NONE, "slot1": _CARD_OR_NONE},
    ),
]
_STEP = named("Step", {"description": "Step of a turn", "oneOf": _STEPS})
MOVE_SCHEMA: Json = object_of(
    "One or more steps of your turn. Either all of them are played or none. A step that reveals something "
    "to you (a Sternbild, drawn cards) must be the last one. Play the rest of your turn as another move.",
    {"steps": _list("Steps in order", _STEP, minItems=1, maxItems=MOST_STEPS)},
)


# Views

_PERFORMED = named("Performed", object_of("Slot whose action was performed", {"slot": _SLOT, "card": _USED_CARD}))
_WANDERED = named(
    "Wandered",
    object_of(
        "Star that was moved",
        {
            "rests": _list("Spaces where the star stopped along the way", _FIELD),
            "lines": _list("Lines along which the star moved", _LINE),
        },
    ),
)
_LOG = named(
    "TurnLog",
    object_of(
        "What the current seat has done this turn",
        {
            "performed": _list("Performed slots, in order", _PERFORMED),
            "laid": _list("Stars placed", _PAIR),
            "removed": _list("Stars removed", _PAIR),
            "moved": _by_key("MovedStars", "Moved stars, by the space where they are now", _WANDERED),
            "lines": _list("Lines passed by any star", _LINE),
        },
    ),
)
_OWN_STERNBILD = named(
    "OwnSternbild",
    object_of(
        "A player's own Sternbild", {"sternbild": _or_null("Id of the Sternbild; null if hidden from you", _BILD)}
    ),
)
_STERNBILDER = named(
    "Sternbilder",
    object_of(
        "Sternbild cards",
        {
            "deck": {"description": "Number of Sternbild cards still in the deck", **_NUMBER},
            "open": _or_null("Common Sternbild; null if there is none", _BILD),
            "own": _per_seat("Own Sternbild", _or_null("Own Sternbild; null if there is none", _OWN_STERNBILD)),
            "done": _per_seat(
                "Completed constellations (Sternbilder)", _list("Constellations in order of completion", _BILD)
            ),
        },
    ),
)
_RESULT = named(
    "Result",
    object_of(
        "Why the game ended and who won",
        {
            "reason": named("EndReason", {"enum": ["goal", "all-sternbilder", "all-prachtsterne", "round-limit"]}),
            "winners": _list("Winning seats", _SEAT),
        },
    ),
)
_SUPPLY = named("Supply", object_of("Pieces that can still be placed", dict.fromkeys(PIECES, _NUMBER)))
VIEW_SCHEMA: Json = object_of(
    "Table as a seat or a spectator sees it",
    {
        "scenario": named("Scenario", {"enum": list(CARDS.scenarios)}),
        "phase": named("Phase", {"enum": [CHOOSE, ACT, LAY, OVER]}),
        "turn": {
            "description": "Number of this turn, starting from 1; 0 while players choose their first cards",
            **_NUMBER,
        },
        "start": {"description": "Seat that has the first turn", **_SEAT},
        "next": _or_null("Seat whose turn it is; null if there is none", _SEAT),
        "chosen": _per_seat("Whether the first cards are chosen but not yet shown", _FLAG),
        "board": _by_key("Firmament", "Pieces, by the space they are on", named("Piece", {"enum": list(PIECES)})),
        "supply": _SUPPLY,
        "points": _per_seat("Points", _NUMBER),
        "hand": _or_null("Your cards; null for spectators", _list("Cards in order", _CARD)),
        "hand_sizes": _per_seat("Number of cards in hand", _NUMBER),
        "slots": _per_seat("Cards in the slots, except other players' hidden first cards", _SLOTS),
        "discards": _per_seat("Number of cards discarded", _NUMBER),
        "deck": {"description": "Number of cards in the deck", **_NUMBER},
        "reserve": {"description": "Number of Supernova cards not yet granted", **_NUMBER},
        "granted": _per_seat("Whether a Supernova card was granted", _FLAG),
        "sternbilder": _STERNBILDER,
        "log": _LOG,
        "result": _or_null("Result; null while the game continues", _RESULT),
    },
)


# Events

_ACTION = {"seat": _SEAT, "slot": _SLOT, "card": _USED_CARD}
_GAINED: Json = {"description": "Points gained", **_NUMBER}
EVENT_SCHEMAS: Mapping[str, Json] = {
    type_: object_of(meaning, {"type": {"const": type_}, **fields})
    for type_, meaning, fields in (
        ("hand-dealt", "A player was dealt their first cards", {"seat": _SEAT, "cards": _DRAWN_CARDS}),
        (
            "sternbild-drawn",
            "A player drew the top Sternbild",
            {
                "seat": _SEAT,
                "sternbild": _or_null("Id of the Sternbild; null if hidden from you", _BILD),
                "open": {"description": "Whether the Sternbild lies face up", **_FLAG},
            },
        ),
        ("sternbild-turned-up", "A new common Sternbild was turned up", {"seat": NO_SEAT, "sternbild": _BILD}),
        (
            "cards-chosen",
            "A player chose their first two cards; null while they are hidden from you",
            {"seat": _SEAT, "slot2": _or_null("Card for slot 2", _CARD), "slot3": _or_null("Card for slot 3", _CARD)},
        ),
        (
            "choices-shown",
            "All players have chosen, and their cards are shown",
            {"seat": NO_SEAT, "choices": _per_seat("Cards", _list("Cards for slots 2 and 3", _CARD))},
        ),
        ("turn-began", "A player's turn began", {"seat": _SEAT, "turn": {**_NUMBER, "minimum": 1}}),
        (
            "star-laid",
            "A player placed a star (Sterngeburt)",
            {**_ACTION, "star": _STAR, "field": _FIELD, "points": _GAINED},
        ),
        (
            "star-removed",
            "A player removed a star (Schwarzes Loch)",
            {**_ACTION, "star": _STAR, "field": _FIELD, "points": _GAINED},
        ),
        (
            "star-moved",
            "A player moved a star (Sternwanderung)",
            {
                **_ACTION,
                "star": _STAR,
                "path": _list("Spaces along the path, starting with the star's own space", _FIELD),
            },
        ),
        (
            "supernova-laid",
            "A player set off a Supernova",
            {
                **_ACTION,
                "field": _FIELD,
                "removed": _list("Stars removed", _PAIR),
                "out": _list("Classes of the stars that were removed from the game", _STAR),
                "points": _per_seat("Points gained (negative if lost)", {"type": "integer"}),
            },
        ),
        ("action-lapsed", "A slot counts as performed although its action was impossible", _ACTION),
        (
            "sternbild-completed",
            "A player completed a Sternbild on the Firmament",
            {
                "seat": _SEAT,
                "sternbild": _BILD,
                "fields": _list("Spaces where the Sternbild lies", _FIELD),
                "points": _GAINED,
            },
        ),
        ("supernova-granted", "A player took a Supernova card into their hand", {"seat": _SEAT, "card": _CARD}),
        ("act-finished", "A player ended their actions after slots 1 and 2", {"seat": _SEAT}),
        (
            "cards-shifted",
            "The actions are over, and the cards shifted to the next slots",
            {"seat": _SEAT, "slots": _SLOTS, "discarded": _list("Cards that were discarded", _CARD)},
        ),
        (
            "cards-laid",
            "A player played cards from their hand",
            {
                "seat": _SEAT,
                "dropped": _or_null("Supernova card dropped from slot 1; null if none", _CARD),
                "slot2": _or_null("Card played to slot 2; null if none", _CARD),
                "slot1": _or_null("Card played to slot 1; null if none", _CARD),
            },
        ),
        (
            "discards-shuffled",
            "The discards were shuffled into a new deck",
            {
                "seat": NO_SEAT,
                "deck": {"description": "Number of cards in the new deck", **_NUMBER},
                "out": _list("Supernova cards that were removed from the game", _CARD),
            },
        ),
        ("cards-drawn", "A player drew cards", {"seat": _SEAT, "cards": _DRAWN_CARDS}),
        (
            "game-decided",
            "The game was decided",
            {
                "seat": NO_SEAT,
                "reason": _RESULT["properties"]["reason"],
                "winners": _list("Winning seats", _SEAT),
                "places": _per_seat("Places", {**_NUMBER, "minimum": 1}),
                "sternbilder": _per_seat(
                    "Constellations (Sternbilder) that each seat held but did not complete",
                    _or_null("Id of the Sternbild (constellation); null if there is none", _BILD),
                ),
            },
        ),
    )
}
