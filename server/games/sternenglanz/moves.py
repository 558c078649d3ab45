"""Steps and moves (R13) as values and JSON."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from server.games.contract import Json
from server.games.errors import MalformedMove
from server.games.sternenglanz.material import FIELDS, KIND_OF, SLOTS, STARS

MOST_STEPS = 4  # per turn: three actions, or two and `finish`, and then the playing of cards
LONGEST_PATH = max(step for card in KIND_OF.values() for step in (*card.steps, 0)) + 1

# The last field distinguishes the steps: NamedTuples of different types with the same values are equal.


class Choose(NamedTuple):
    """The choice of a player's first two cards, before the first turn."""

    slot2: str
    slot3: str
    do: str = "choose"


class Sterngeburt(NamedTuple):
    """A step that places a star of this class on that field."""

    slot: int
    star: str
    field: str
    do: str = "lay"


class Sternwanderung(NamedTuple):
    """A step that moves the star from the path's first field to its last."""

    slot: int
    path: tuple[str, ...]
    do: str = "move"


class SchwarzesLoch(NamedTuple):
    """A step that removes the star on this field."""

    slot: int
    field: str
    do: str = "remove"


class Supernova(NamedTuple):
    """A step that sets off a Supernova on this field, which removes the stars around it."""

    slot: int
    field: str
    do: str = "nova"


class Lapse(NamedTuple):
    """A step for a slot whose action can't be performed."""

    slot: int
    do: str = "lapse"


class Finish(NamedTuple):
    """A step that ends the actions after slots 1 and 2."""

    do: str = "finish"


class LayCards(NamedTuple):
    """A step that plays hand cards to slots 2 and 1 after the shift, and may first discard the Supernova card in slot
    1."""

    drop_nova: bool
    slot2: str | None
    slot1: str | None
    do: str = "lay-cards"


Action = Sterngeburt | Sternwanderung | SchwarzesLoch | Supernova | Lapse
Step = Choose | Action | Finish | LayCards


class Move(NamedTuple):
    """One or more steps of a turn, played atomically."""

    steps: tuple[Step, ...]


# JSON


def effect(move: Move) -> tuple[object, ...]:
    """Return a value that is equal for moves with the same effect: with copies of a card, or on other ways to a field."""
    return tuple(map(_effect_of, move.steps))


def _effect_of(step: Any) -> object:
    match step:
        case Choose(slot2, slot3):
            return Choose, KIND_OF[slot2], KIND_OF[slot3]
        case LayCards(drop_nova, slot2, slot1):
            return LayCards, drop_nova, slot2 and KIND_OF[slot2], slot1 and KIND_OF[slot1]
        case Sternwanderung(slot, path):
            return Sternwanderung, slot, path[0], path[-1]
    return step


def move_from_json(data: Any) -> Move:
    """Parse a move, legal or not. Raise MalformedMove if the data isn't a move."""
    (steps,) = _values(data, steps=list)
    if not 1 <= len(steps) <= MOST_STEPS:
        raise MalformedMove("bad-steps", "A move has 1 to %(most)s steps.", most=MOST_STEPS)
    return Move(tuple(_numbered(number, step) for number, step in enumerate(steps, start=1)))


def _numbered(number: int, data: Any) -> Step:
    try:
        return _step_from_json(data)
    except MalformedMove as refused:
        raise MalformedMove(refused.code, "Step %(number)s: %(reason)s", number=number, reason=refused.said) from None


def _step_from_json(data: Any) -> Step:
    if type(data) is not dict:
        raise MalformedMove("not-an-object", "A step must be a JSON object.")
    match data.get("cmd"):
        case "choose":
            _, slot2, slot3 = _values(data, cmd=str, slot2=str, slot3=str)
            return Choose(card_named(slot2), card_named(slot3))
        case "act":
            return _action_from_json(data)
        case "finish":
            _values(data, cmd=str)
            return Finish()
        case "lay":
            _, drop_nova, slot2, slot1 = _values(data, cmd=str, dropNova=bool, slot2=None, slot1=None)
            return LayCards(drop_nova, _card_or_none(slot2), _card_or_none(slot1))
    raise MalformedMove("unknown-step", "The `cmd` of a step must be choose, act, finish or lay.")


def _action_from_json(data: Json) -> Action:
    match data.get("do"):
        case "lay":
            _, slot, _, star, field = _values(data, cmd=str, slot=int, do=str, **{"class": str}, field=str)
            return Sterngeburt(slot_named(slot), class_named(star), field_named(field))
        case "move":
            _, slot, _, path = _values(data, cmd=str, slot=int, do=str, path=list)
            return Sternwanderung(slot_named(slot), path_along(path))
        case "remove":
            _, slot, _, field = _values(data, cmd=str, slot=int, do=str, field=str)
            return SchwarzesLoch(slot_named(slot), field_named(field))
        case "nova":
            _, slot, _, field = _values(data, cmd=str, slot=int, do=str, field=str)
            return Supernova(slot_named(slot), field_named(field))
        case "lapse":
            _, slot, _ = _values(data, cmd=str, slot=int, do=str)
            return Lapse(slot_named(slot))
    raise MalformedMove("unknown-action", "An action must be one of lay, move, remove, nova, lapse.")


def _values(data: Any, **types: type | None) -> list[Any]:
    """Return the values of exactly these fields, each of exactly this type (None: any)."""
    if type(data) is not dict:
        raise MalformedMove(
            "not-an-object",
            "A move must be an object with the fields %(fields)s.",
            fields=", ".join(f"`{it}`" for it in types),
        )
    for name, type_ in types.items():
        if name not in data:
            raise MalformedMove("missing-field", "The field `%(field)s` is missing.", field=name)
        if type_ is not None and type(data[name]) is not type_:
            raise MalformedMove(
                "wrong-type", "The field `%(field)s` must be of type `%(type)s`.", field=name, type=_JSON_TYPES[type_]
            )
    if len(data) > len(types):
        raise MalformedMove(
            "unknown-field", "Unknown field. The fields are %(fields)s.", fields=", ".join(f"`{it}`" for it in types)
        )
    return [data[name] for name in types]


_JSON_TYPES = {str: "string", int: "integer", bool: "boolean", list: "array"}


# Error texts don't repeat what was sent, which may be any text.


def card_named(card: Any) -> str:
    if type(card) is not str or card not in KIND_OF:
        kinds = ", ".join(dict.fromkeys(kind.id for kind in KIND_OF.values()))
        raise MalformedMove(
            "no-such-card",
            "This card doesn't exist. A card is %(kinds)s with a number: %(example)s.",
            kinds=kinds,
            example="geburt#1",
        )
    return card


def _card_or_none(card: Any) -> str | None:
    return None if card is None else card_named(card)


def slot_named(slot: int) -> int:
    if slot not in SLOTS:
        raise MalformedMove("no-such-slot", "This slot doesn't exist. The slots are 1, 2 and 3.")
    return slot


def class_named(star: str) -> str:
    if star not in STARS:
        raise MalformedMove(
            "no-such-class", "This class of stars doesn't exist. The classes are %(classes)s.", classes=", ".join(STARS)
        )
    return star


def field_named(field: Any) -> str:
    if type(field) is not str or field not in FIELDS:
        raise MalformedMove("no-such-field", "The Firmament has no such space.")
    return field


def path_along(path: Sequence[Any]) -> tuple[str, ...]:
    if not 2 <= len(path) <= LONGEST_PATH:
        raise MalformedMove(
            "bad-path", "A path has 2 to %(most)s spaces, beginning with the star's own.", most=LONGEST_PATH
        )
    return tuple(field_named(field) for field in path)


def move_to_json(move: Move) -> Json:
    return {"steps": [_step_to_json(step) for step in move.steps]}


def _step_to_json(step: Step) -> Json:
    match step:
        case Choose(slot2, slot3):
            return {"cmd": "choose", "slot2": slot2, "slot3": slot3}
        case Sterngeburt(slot, star, field):
            return {"cmd": "act", "slot": slot, "do": "lay", "class": star, "field": field}
        case Sternwanderung(slot, path):
            return {"cmd": "act", "slot": slot, "do": "move", "path": list(path)}
        case SchwarzesLoch(slot, field, do) | Supernova(slot, field, do):
            return {"cmd": "act", "slot": slot, "do": do, "field": field}
        case Lapse(slot):
            return {"cmd": "act", "slot": slot, "do": "lapse"}
        case Finish():
            return {"cmd": "finish"}
        case LayCards(drop_nova, slot2, slot1):
            return {"cmd": "lay", "dropNova": drop_nova, "slot2": slot2, "slot1": slot1}
