"""The material (R1), read from two data files. An owner of the printed game can replace the files without changing code
(S3)."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from server.games.contract import Json

NAME = "sternenglanz"
SEATS = range(2, 5)
PUNKT, LEUCHT, PRACHT, NOVA = "punkt", "leucht", "pracht", "nova"
STARS = (PUNKT, LEUCHT, PRACHT)
PIECES = (*STARS, NOVA)
GAP = "gap"
GEBURT, WANDERUNG, LOCH, SUPERNOVA = "sterngeburt", "sternwanderung", "schwarzes-loch", "supernova"
FIGURE = {PUNKT: 3, LEUCHT: 2, PRACHT: 1}  # the stars of every Sternbild
SLOTS = (1, 2, 3)
NO_STERNBILD, OWN_OPEN, SHARED_OPEN, OWN_SECRET = "none", "own-open", "shared-open", "own-secret"

Fields = int
"""A set of fields: each bit stands for one field."""


class Field(NamedTuple):
    """A field for one piece. x, y lie in the unit square. `near` has the fields joined to it by a line."""

    id: str
    x: float
    y: float
    bonus: int
    bit: Fields
    near: Fields


class Firmament(NamedTuple):
    """The board. `lines` maps both directions of each line to its name: `a1-b1`."""

    id: str
    start: str
    fields: Mapping[str, Field]
    lines: Mapping[tuple[str, str], str]


class Constellation(NamedTuple):
    """The condition of a Schwarzes Loch's score: the star removed and the stars that must be joined to it."""

    top: str
    needs: tuple[tuple[str, int], ...]
    points: int


class Card(NamedTuple):
    """A kind of action card. Its copies are numbered: `geburt#1`."""

    id: str
    type: str
    amount: int
    steps: tuple[int, ...]
    constellations: tuple[Constellation, ...]
    points: int

    @property
    def copies(self) -> list[str]:
        return [f"{self.id}#{number}" for number in range(1, self.amount + 1)]


class Sternbild(NamedTuple):
    """A small graph: the piece of each node, and the pairs of nodes that are joined."""

    id: str
    points: int
    nodes: tuple[str, ...]
    lines: tuple[tuple[int, int], ...]


class Scenario(NamedTuple):
    """The goals of a game. If the goal for points is None, no points are required."""

    id: int
    card_points: bool
    bonus_points: bool
    bild_points: bool
    supernova: bool
    sternbild: str
    goal_points: int | None
    goal_bilder: int


class Cards(NamedTuple):
    """The pieces, the cards, and the numbers that the rules use."""

    id: str
    limits: Mapping[str, int]
    hand_size: int
    supernova_at: int
    birth_points: Mapping[str, int]
    birth_needs: Mapping[str, tuple[str, int] | None]
    kinds: Mapping[str, Card]
    sternbilder: Mapping[str, Sternbild]
    scenarios: Mapping[int, Scenario]


# The firmament


def load_firmament(data: Json) -> Firmament:
    """Return the board of this data. Raise ValueError with a sentence about what is wrong."""
    try:
        entries, pairs, start = data["fields"], data["lines"], data["start"]
        ids = [_word(entry["id"], "A field") for entry in entries]
        _demand("-" not in "".join(ids), "A hyphen joins the two fields of a line: no field may have one in its id.")
        _demand(len(set(ids)) == len(ids), "Two fields share an id.")
        _check_lines(pairs, ids, "the firmament")
        _demand(start in ids, "The start field is no field of the firmament.")
        _demand(_is_connected(ids, pairs), "The firmament is not connected: some fields cannot be reached.")
        bits = {field: 1 << place for place, field in enumerate(ids)}
        near = dict.fromkeys(ids, 0)
        for a, b in pairs:
            near[a] |= bits[b]
            near[b] |= bits[a]
        fields = {
            it["id"]: Field(it["id"], it["x"], it["y"], _bonus(it), bits[it["id"]], near[it["id"]]) for it in entries
        }
        lines = {ends: "-".join(sorted(ends)) for a, b in pairs for ends in ((a, b), (b, a))}
        return Firmament(data["id"], start, fields, lines)
    except KeyError as missing:
        raise ValueError(f"The firmament lacks {missing}.") from None


def _bonus(entry: Json) -> int:
    return _whole(entry.get("bonus", 0), 0, f"The bonus of the field {entry['id']}")


# The cards


def load_cards(data: Json) -> Cards:
    """Return the cards and pieces of this data. Raise ValueError with a sentence about what is wrong."""
    try:
        cards = Cards(
            id=data["id"],
            limits={piece: _whole(data["limits"][piece], 1, f"The limit of {piece}") for piece in PIECES},
            hand_size=_whole(data["handSize"], 2, "handSize"),
            supernova_at=_whole(data["supernovaAt"], 1, "supernovaAt"),
            birth_points={star: _whole(data["birthPoints"][star], 0, f"birthPoints of {star}") for star in STARS},
            birth_needs={star: _need(data["birthNeeds"][star], star) for star in STARS},
            kinds=_by_id([_card(entry) for entry in data["actions"]], "action cards"),
            sternbilder=_by_id([_sternbild(entry) for entry in data["sternbilder"]], "Sternbilder"),
            scenarios=_by_id([_scenario(entry) for entry in data["scenarios"]], "scenarios"),
        )
    except KeyError as missing:
        raise ValueError(f"The cards lack {missing}.") from None
    _check_counts(cards)
    return cards


def _need(entry: Json | None, star: str) -> tuple[str, int] | None:
    if star == PUNKT:
        _demand(entry is None, "A Punktstern must need no neighbours of a class: it can always be laid.")
    if entry is None:
        return None
    _demand(entry["class"] in STARS, f"The birthNeeds of {star} name no class of stars.")
    return entry["class"], _whole(entry["count"], 1, f"The birthNeeds of {star}")


def _card(entry: Json) -> Card:
    card = _word(entry["id"], "An action card")
    type_ = entry["type"]
    _demand(type_ in (GEBURT, WANDERUNG, LOCH, SUPERNOVA), f"The action card {card} is of no known type.")
    steps = [_whole(step, 1, f"A number of steps of {card}") for step in entry.get("steps", ())]
    constellations = [_constellation(each, card) for each in entry.get("constellations", ())]
    _demand(bool(steps) == (type_ == WANDERUNG), f"{card}: a Sternwanderung has steps, and no other card has.")
    _demand(bool(constellations) == (type_ == LOCH), f"{card}: a Schwarzes Loch has constellations, no other card has.")
    points = _whole(entry["points"], 0, f"The points of {card}") if type_ == SUPERNOVA else 0
    amount = _whole(entry["count"], 1, f"The count of {card}")
    return Card(card, type_, amount, tuple(steps), tuple(constellations), points)


def _constellation(entry: Json, card: str) -> Constellation:
    top, others = entry["top"], entry["with"]
    _demand(top in (PUNKT, LEUCHT), f"{card}: the top of a constellation is a Punktstern or a Leuchtstern.")
    _demand(set(others) <= set(STARS), f"{card}: a constellation shows something that is no star.")
    return Constellation(top, tuple(Counter(others).items()), _whole(entry["points"], 0, f"The points of {card}"))


def _sternbild(entry: Json) -> Sternbild:
    bild = _word(entry["id"], "A Sternbild")
    ids = [node["id"] for node in entry["nodes"]]
    nodes = [node["is"] for node in entry["nodes"]]
    counts = Counter(nodes)
    gaps = counts.pop(GAP, 0)
    _demand(len(set(ids)) == len(ids), f"Two nodes of the Sternbild {bild} share an id.")
    _demand(counts == FIGURE and gaps > 0, f"The Sternbild {bild} must have 3 punkt, 2 leucht, 1 pracht and a gap.")
    _check_lines(entry["lines"], ids, f"the Sternbild {bild}")
    _demand(_is_connected(ids, entry["lines"]), f"The Sternbild {bild} is not connected.")
    lines = tuple((ids.index(a), ids.index(b)) for a, b in entry["lines"])
    return Sternbild(bild, _whole(entry["points"], 0, f"The points of {bild}"), tuple(nodes), lines)


def _scenario(entry: Json) -> Scenario:
    number = _whole(entry["id"], 1, "The id of a scenario")
    mode, bilder, points = entry["sternbild"], entry["goalBilder"], entry["goalPoints"]
    _demand(
        mode in (NO_STERNBILD, OWN_OPEN, SHARED_OPEN, OWN_SECRET),
        f"Scenario {number} does not say whose the Sternbilder are.",
    )
    _whole(bilder, 0, f"goalBilder of scenario {number}")
    if points is None:
        _demand(bilder > 0, f"Scenario {number} has no goal.")
    else:
        _whole(points, 1, f"goalPoints of scenario {number}")
    _demand(mode != NO_STERNBILD or bilder == 0, f"Scenario {number} asks for Sternbilder and has none.")
    _demand(mode != OWN_OPEN or bilder <= 1, f"Scenario {number}: one open Sternbild is all that a player gets.")
    switches = {name: entry[name] for name in ("cardPoints", "bonusPoints", "bildPoints", "supernova")}
    for name, value in switches.items():
        _demand(type(value) is bool, f"{name} of scenario {number} is neither true nor false.")
    card_points, bonus_points, bild_points, supernova = switches.values()
    return Scenario(number, card_points, bonus_points, bild_points, supernova, mode, points, bilder)


def _check_counts(cards: Cards) -> None:
    actions = sum(card.amount for card in cards.kinds.values() if card.type != SUPERNOVA)
    needed = max(SEATS) * (cards.hand_size + len(SLOTS))
    _demand(actions >= needed, f"{max(SEATS)} players need {needed} action cards; there are {actions}.")
    novas = sum(card.amount for card in cards.kinds.values() if card.type == SUPERNOVA)
    _demand(
        max(SEATS) <= novas < cards.hand_size or not any(it.supernova for it in cards.scenarios.values()),
        "There must be a Supernova card for each player, and fewer than a hand can hold.",
    )
    _demand(
        len(cards.sternbilder) >= max(SEATS) or all(it.sternbild == NO_STERNBILD for it in cards.scenarios.values()),
        f"{max(SEATS)} players need {max(SEATS)} Sternbilder; there are {len(cards.sternbilder)}.",
    )


# Checks of both files


def _demand(condition: bool, sentence: str) -> None:
    if not condition:
        raise ValueError(sentence)


def _word(value: Any, what: str) -> str:
    """Return the value as an id. Raise ValueError if the value can't be used as an id in the notation."""
    is_word = type(value) is str and re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", value) is not None
    _demand(is_word, f"{what} has the id {value!r}: ids are made of a to z, 0 to 9 and hyphens.")
    word: str = value
    return word


def _whole(value: Any, least: int, what: str) -> int:
    _demand(type(value) is int and value >= least, f"{what} must be a whole number from {least} on, not {value!r}.")
    number: int = value
    return number


def _by_id(things: Sequence[Any], what: str) -> dict[Any, Any]:
    found = {thing.id: thing for thing in things}
    _demand(len(found) == len(things), f"Two of the {what} share an id.")
    return found


def _check_lines(pairs: Sequence[Sequence[str]], ids: Sequence[str], where: str) -> None:
    joined = [frozenset(pair) for pair in pairs]
    _demand(
        all(len(pair) == len(ends) == 2 and ends <= set(ids) for pair, ends in zip(pairs, joined, strict=True)),
        f"A line of {where} does not join two different places of it.",
    )
    _demand(len(set(joined)) == len(joined), f"A line of {where} is there twice.")


def _is_connected(ids: Sequence[str], pairs: Iterable[Sequence[str]]) -> bool:
    pairs = list(pairs)
    reached, waiting = set(ids[:1]), list(ids[:1])
    while waiting:
        at = waiting.pop()
        for pair in pairs:
            if at in pair:
                other = pair[1] if at == pair[0] else pair[0]
                if other not in reached:
                    reached.add(other)
                    waiting.append(other)
    return len(reached) == len(ids)


FIRMAMENT_DATA: Json = json.loads(Path(__file__).with_name("firmament.json").read_text("utf-8"))
CARDS_DATA: Json = json.loads(Path(__file__).with_name("cards.json").read_text("utf-8"))
FIRMAMENT = load_firmament(FIRMAMENT_DATA)
CARDS = load_cards(CARDS_DATA)

FIELDS = FIRMAMENT.fields
FIELD_AT: Mapping[Fields, Field] = {field.bit: field for field in FIELDS.values()}
ALL_FIELDS: Fields = sum(FIELD_AT)
KIND_OF: Mapping[str, Card] = {copy: card for card in CARDS.kinds.values() for copy in card.copies}
ACTION_CARDS = tuple(copy for copy, card in KIND_OF.items() if card.type != SUPERNOVA)
SUPERNOVA_CARDS = tuple(copy for copy, card in KIND_OF.items() if card.type == SUPERNOVA)


def bits_of(fields: Fields) -> Iterator[Fields]:
    """Yield each field of a set, as a set with one field."""
    while fields:
        bit = fields & -fields
        yield bit
        fields ^= bit


def ids_of(fields: Fields) -> list[str]:
    """Return the ids of a set of fields, in the order of the board."""
    return [FIELD_AT[bit].id for bit in bits_of(fields)]
