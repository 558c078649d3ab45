"""The value of a step in Sternenglanz, estimated from the view: points, chances of points, and the Sternbild."""

from collections.abc import Callable, Mapping
from functools import cache
from itertools import islice

from server.games.contract import Json
from server.games.sternenglanz.actions import birth_points, removal_points, supernova_points, type_of
from server.games.sternenglanz.figures import placements
from server.games.sternenglanz.material import (
    CARDS,
    FIELD_AT,
    FIELDS,
    GAP,
    GEBURT,
    KIND_OF,
    LEUCHT,
    LOCH,
    NOVA,
    PIECES,
    PRACHT,
    PUNKT,
    STARS,
    SUPERNOVA,
    WANDERUNG,
    Field,
    Fields,
    bits_of,
)
from server.games.sternenglanz.moves import (
    Action,
    Choose,
    LayCards,
    Move,
    SchwarzesLoch,
    Sterngeburt,
    Sternwanderung,
    Supernova,
)
from server.games.sternenglanz.options import OPTION_SCHEMA
from server.games.sternenglanz.state import NOTHING_DONE, Bilder, State, lit, occupied

Stars = Mapping[str, Fields]
Target = tuple[tuple[str, Fields], ...]  # nodes and their fields

# Views lack the options. The defaults are close enough for all of them.
OPTIONS = {name: schema["default"] for name, schema in OPTION_SCHEMA["properties"].items()}
CARD_WORTH = {GEBURT: 1.0, LOCH: 0.6, WANDERUNG: 0.4, SUPERNOVA: 1.5}
CHANCES = {0: 0.5, 1: 0.2, 2: 0.05}  # share of a birth's points, by the number of missing stars
NEARER = 1.0  # for an action less until the Sternbild
COMPLETED = 20.0
IN_ROW = 0.2  # for the chance of performing all three slots
MOST_TARGETS = 5000  # upper limit; the supplied board stays below it
HOPELESS = 30.0  # actions


def judge(view: Json) -> Callable[[Move], float]:
    """Return a function that gives the value of a step for the viewing seat, in points."""
    sky = _sky(view)
    target = _target(view, sky.stars)
    lacking = _lack(sky.stars, target)
    prospects: dict[tuple[Fields, ...], float] = {}  # many paths lead to the same state

    def worth(move: Move) -> float:
        (step,) = move.steps
        match step:
            case Choose(slot2, slot3):
                return CARD_WORTH[type_of(slot2)] + 1.1 * CARD_WORTH[type_of(slot3)]
            case LayCards(drop_nova, slot2, slot1):
                laid = CARD_WORTH[type_of(slot2)] if slot2 else 0.0
                return laid + CARD_WORTH[type_of(slot1)] - CARD_WORTH[GEBURT] - drop_nova
            case Sterngeburt() | Sternwanderung() | SchwarzesLoch() | Supernova():
                after = _after(sky.stars, step)
                key = tuple(after.values())
                if key not in prospects:
                    prospects[key] = _chances(sky, after) + _progress(lacking, _lack(after, target))
                return _gain(sky, view["next"], step) + prospects[key] + IN_ROW * (step.slot < 3)
        return 0.0

    return worth


def _sky(view: Json) -> State:
    stars = dict.fromkeys(PIECES, 0)
    for field, piece in view["board"].items():
        stars[piece] |= FIELDS[field].bit
    seats = len(view["points"])
    return State(
        options={**OPTIONS, "scenario": view["scenario"]},
        phase=view["phase"],
        turn=view["turn"],
        on_turn=view["next"],
        start=0,
        stars=stars,
        gone={},
        points=tuple(view["points"]),
        deck=(),
        hands=((),) * seats,
        slots=tuple((slot1, slot2, slot3) for slot1, slot2, slot3 in view["slots"]),
        discards=((),) * seats,
        chosen=(None,) * seats,
        reserve=(),
        granted=tuple(view["granted"]),
        bilder=Bilder((), None, (None,) * seats, ((),) * seats),
        log=NOTHING_DONE,
        result=None,
    )


def _after(stars: Stars, step: Action) -> dict[str, Fields]:
    after = dict(stars)
    match step:
        case Sterngeburt(_, star, field):
            after[star] |= FIELDS[field].bit
        case Sternwanderung(_, path):
            first, last = FIELDS[path[0]].bit, FIELDS[path[-1]].bit
            star = PUNKT if stars[PUNKT] & first else LEUCHT
            after[star] ^= first | last
        case SchwarzesLoch(_, field):
            for star in (PUNKT, LEUCHT):
                after[star] &= ~FIELDS[field].bit
        case Supernova(_, field):
            for star in STARS:
                after[star] &= ~FIELDS[field].near
            after[NOVA] |= FIELDS[field].bit
    return after


def _gain(sky: State, me: int, step: Action) -> float:
    card = sky.slots[me][step.slot - 1]
    match step:
        case Sterngeburt(_, star, field):
            return birth_points(sky, star, FIELDS[field])
        case SchwarzesLoch(_, field) if card is not None:
            star = PUNKT if sky.stars[PUNKT] & FIELDS[field].bit else LEUCHT
            return removal_points(sky, KIND_OF[card], star, FIELDS[field])
        case Supernova() if card is not None:
            return supernova_points(sky, me, card)[me]
    return 0.0


# Chances: possible births on the free fields


def _chances(sky: State, after: Stars) -> float:
    """Return the gain in chances on the fields around a change."""
    changed = 0
    for piece in PIECES:
        changed |= sky.stars[piece] ^ after[piece]
    area = changed
    for bit in bits_of(changed):
        area |= FIELD_AT[bit].near
    then = sky._replace(stars=after)
    return sum(_chance(then, FIELD_AT[bit]) - _chance(sky, FIELD_AT[bit]) for bit in bits_of(area))


def _chance(sky: State, field: Field) -> float:
    if field.bit & occupied(sky.stars):
        return 0.0
    chance = 0.0
    for star, need in CARDS.birth_needs.items():
        if need is not None:
            other, count = need
            missing = max(0, count - (field.near & sky.stars[other]).bit_count())
            chance += birth_points(sky, star, field) * CHANCES.get(missing, 0)
    return chance


# The Sternbild: its nearest placement, and an estimate of the missing actions


def _target(view: Json, stars: Stars) -> Target:
    """Return the placement of this seat's Sternbild that is closest to completion."""
    bilder, me = view["sternbilder"], view["next"]
    own = bilder["own"][me] if me is not None else None
    bild = bilder["open"] or (own and own["sternbild"])
    if bild is None:
        return ()
    lack = {piece: {bit: _lack_of(stars, piece, field) for bit, field in FIELD_AT.items()} for piece in (*STARS, GAP)}
    return min(_targets(bild), key=lambda target: sum(lack[piece][bit] for piece, bit in target))


@cache
def _targets(bild: str) -> list[Target]:
    """Return all placements of a Sternbild. Mirror images that put the same pieces on the same fields count once."""
    found = islice(placements(CARDS.sternbilder[bild]), MOST_TARGETS)
    return [tuple(sorted(target)) for target in dict.fromkeys(frozenset(target) for target in found)]


def _lack(stars: Stars, target: Target) -> float:
    return sum(_lack_of(stars, piece, FIELD_AT[bit]) for piece, bit in target)


def _lack_of(stars: Stars, piece: str, field: Field) -> float:
    """Return an estimate of the number of actions needed to get this piece onto this field."""
    is_free = not occupied(stars) & field.bit
    if piece == GAP:
        return 0 if is_free else HOPELESS if (stars[PRACHT] | stars[NOVA]) & field.bit else 1
    if stars[piece] & field.bit:
        return 0
    if (stars[PRACHT] | stars[NOVA]) & field.bit:
        return HOPELESS
    lack = 1.0 if is_free else 2.0
    need = CARDS.birth_needs[piece]
    if need is None:
        lack += not field.near & lit(stars)
    else:
        other, count = need
        lack += max(0, count - (field.near & stars[other]).bit_count()) * (1 if other == PUNKT else 3)
    return lack


def _progress(before: float, after: float) -> float:
    return NEARER * (before - after) + (COMPLETED if before and not after else 0)
