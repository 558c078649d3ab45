"""The value of a step in Sternenglanz, estimated from the view: points, chances of points, and the Sternbild."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import islice, pairwise
from typing import NamedTuple

from server.games.contract import Json
from server.games.sternenglanz.actions import birth_points, points_of_birth, removal_points, supernova_points, type_of
from server.games.sternenglanz.figures import placements
from server.games.sternenglanz.material import (
    ALL_FIELDS,
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
    Scenario,
    bits_of,
)
from server.games.sternenglanz.moves import (
    Action,
    Choose,
    Finish,
    LayCards,
    Move,
    SchwarzesLoch,
    Sterngeburt,
    Sternwanderung,
    Supernova,
)
from server.games.sternenglanz.names import piece_in_sentence
from server.games.sternenglanz.options import OPTION_SCHEMA
from server.games.sternenglanz.state import NOTHING_DONE, Bilder, State, lit, occupied, supply
from server.translations import Language, noted

Stars = Mapping[str, Fields]
Target = tuple[tuple[str, Fields], ...]  # nodes and their fields

# Views lack the options. The defaults are close enough for all of them.
OPTIONS = {name: schema["default"] for name, schema in OPTION_SCHEMA["properties"].items()}
CARD_WORTH = {GEBURT: 1.0, LOCH: 0.6, WANDERUNG: 0.4, SUPERNOVA: 1.5}
CHANCES = {0: 10, 1: 4, 2: 1}  # share of a birth's points, in units of 1/`WHOLE`, by the number of missing stars
WHOLE = 20  # integers, so that equal values compare as equal
NEARER = 1.0  # for each action fewer until the Sternbild is complete
COMPLETED = 20.0
IN_ROW = 0.2  # for the chance of performing all three slots
MOST_TARGETS = 5000  # upper limit; the supplied board stays below it
HOPELESS = 30.0  # actions


def judge(view: Json) -> Callable[[Move], float]:
    """Return a function that gives the value of a step for the viewing seat, in points."""
    sky, me = _sky(view), view["next"]
    chances, target = _Chances(sky), _target(view, sky.stars)
    lacking = _lack(sky.stars, target)
    acts: dict[tuple[object, ...], float] = {}  # many paths lead to the same state

    def worth(move: Move) -> float:
        (step,) = move.steps
        match step:
            case Sterngeburt(slot, star, field):
                key: tuple[object, ...] = star, field
            case Sternwanderung(slot, path):
                key = "", path[0], path[-1]
            case SchwarzesLoch(slot, field) | Supernova(slot, field):
                key = slot, field
            case Choose(slot2, slot3):
                return CARD_WORTH[type_of(slot2)] + 1.1 * CARD_WORTH[type_of(slot3)]
            case LayCards(drop_nova, slot2, slot1):
                laid = CARD_WORTH[type_of(slot2)] if slot2 else 0.0
                return laid + CARD_WORTH[type_of(slot1)] - CARD_WORTH[GEBURT] - drop_nova
            case _:
                return 0.0
        if key not in acts:
            acts[key] = _gain(sky, me, step) + chances.gain(step) / WHOLE
            if target:
                left = _lack(_after(sky.stars, step), target)
                acts[key] += NEARER * (lacking - left) + (COMPLETED if lacking and not left else 0)
        return acts[key] + IN_ROW * (slot < 3)

    return worth


def aim(view: Json) -> Callable[[Move], object]:
    """Return a function that gives equal values for steps of the same kind that achieve as much. They may use other
    spaces, slots and copies of cards."""
    sky, me = _sky(view), view["next"]
    target, chances = _target(view, sky.stars), _Chances(sky)

    def of(move: Move) -> object:
        (step,) = move.steps
        match step:
            case Choose(slot2, slot3):
                return step.do, type_of(slot2), type_of(slot3)
            case LayCards(drop_nova, slot2, slot1):
                return step.do, drop_nova, slot2 and type_of(slot2), slot1 and type_of(slot1)
            case Sterngeburt() | Sternwanderung() | SchwarzesLoch() | Supernova():
                return step.do, _piece(sky.stars, step), _gain(sky, me, step), _progress(sky, step, target, chances)
        return step

    return of


def reason(view: Json, move: Move, say: Language, is_past: bool, then: Sequence[Move]) -> str:
    """Return what the first step of a move achieves, or would have achieved, besides points, in one or two sentences.

    A birth that the moves in `then` perform shows in them. A step that scores needs no disadvantage of the others.
    """
    step, sky = move.steps[0], _sky(view)
    match step:
        case Choose(slot2, slot3):
            return _of_two(_CHOSEN, _use(sky, slot2), _use(sky, slot3), say)
        case LayCards(_, slot2, slot1):
            return _of_cards(sky, slot2, slot1, say)
        case Finish():
            return say.gettext(_UNCHANGED)
        case Sterngeburt() | Sternwanderung() | SchwarzesLoch() | Supernova():
            progress = _progress(sky, step, _target(view, sky.stars), _Chances(sky))
            if progress == _BARREN and _gain(sky, view["next"], step) > 0:
                return ""
            if progress == _FERTILE and (born := _next_birth(sky, _after(sky.stars, step))):
                lacks, star, need, field = born
                if any(isinstance(it, Sterngeburt) and it.field == field for each in then for it in each.steps):
                    return ""
                names = {"star": piece_in_sentence(star, say.locale), "need": piece_in_sentence(need, say.locale)}
                return say.gettext((_LACKS_ONE if lacks else _POSSIBLE)[is_past], field=field, **names)
            if progress == _BARREN and len(view["points"]) == 2:
                progress = _BARREN_FOR_TWO
            return say.gettext(progress[is_past]) if progress else ""
    return ""


# The sentences about a step now, and about one that could have been played
_COMPLETE = noted("Your constellation is then complete."), noted("Your constellation would have been complete.")
_NEARER = noted("Your constellation comes closer."), noted("Your constellation would have come closer.")
_FERTILE = (
    noted("It makes further star births possible."),
    noted("It would have made further star births possible."),
)
_POSSIBLE = (
    noted("It makes a %(star)s on %(field)s possible."),
    noted("It would have made a %(star)s on %(field)s possible."),
)
_LACKS_ONE = (
    noted("A %(star)s on %(field)s then needs only one more %(need)s."),
    noted("A %(star)s on %(field)s would then have needed only one more %(need)s."),
)
_BARREN = (
    noted("It leaves the others fewer chances for bright and splendid stars."),
    noted("It would have left the others fewer chances for bright and splendid stars."),
)
_BARREN_FOR_TWO = (
    noted("It leaves your opponent fewer chances for bright and splendid stars."),
    noted("It would have left your opponent fewer chances for bright and splendid stars."),
)

# Those that suit both
_USES = {
    GEBURT: noted("place an extra star"),
    WANDERUNG: noted("move a star to prepare a bright star"),
    LOCH: noted("remove a star that is in your way"),
}
_SCORE = noted("remove a star for points")
_CHOSEN = (
    noted("In your next two turns you can %(use)s, in the first also %(other)s."),
    noted("In your next two turns you can %(use)s, in the first even twice."),
)
_BOTH = (
    noted("In your next three turns you can %(use)s, in the first two also %(other)s."),
    noted("In your next three turns you can %(use)s, in the first two even twice."),
)
_IN_SLOT_1 = noted("In your next three turns you can %(use)s.")
_IN_SLOT_2 = noted("In your next two turns you can %(use)s.")
_COVERED = noted("Slot 1 is no star birth in your next turn.")
_NOVA_READY = noted("You can set off a Supernova in your next turn.")
_KEPT = noted("You keep your cards for later.")
_UNCHANGED = noted("Nothing else changes in the sky.")


def _progress(sky: State, step: Action, target: Target, chances: "_Chances") -> tuple[str, str] | None:
    """Return the sentences about what an action does for the Sternbild or for later births, or None for nothing."""
    before, after = _lack(sky.stars, target), _lack(_after(sky.stars, step), target)
    if after < before:
        return _NEARER if after else _COMPLETE
    gain = chances.gain(step)
    return _FERTILE if gain > 0 else _BARREN if gain < 0 else None


def _piece(stars: Stars, step: Action) -> str:
    """Return the class of the star that an action places, moves or removes."""
    match step:
        case Sterngeburt(_, star, _):
            return star
        case Sternwanderung(_, (field, *_)) | SchwarzesLoch(_, field):
            return PUNKT if stars[PUNKT] & FIELDS[field].bit else LEUCHT
    return NOVA


def _next_birth(sky: State, after: Stars) -> tuple[int, str, str, str] | None:
    """Return the birth with most points that an action brings within reach: how many stars it lacks, at most one, its
    class, the class of the stars that it needs, and its field."""
    found = list[tuple[int, int, str, str, str]]()
    for star, needs in CARDS.birth_needs.items():
        if needs is None or not supply(sky, star):
            continue
        need, count = needs
        for bit in bits_of(ALL_FIELDS & ~occupied(after)):
            field = FIELD_AT[bit]
            lacks, lacked = (max(0, count - (field.near & it[need]).bit_count()) for it in (after, sky.stars))
            if lacks <= 1 and (lacks < lacked or bit & occupied(sky.stars)):
                found.append((lacks, -points_of_birth(sky.scenario, star, field), star, need, field.id))
    if not found:
        return None
    lacks, _, star, need, name = min(found)
    return lacks, star, need, name


def _of_cards(sky: State, slot2: str | None, slot1: str | None, say: Language) -> str:
    """Return what playing these cards prepares."""
    if slot1 and type_of(slot1) == SUPERNOVA:
        return say.gettext(_NOVA_READY)
    if slot2 is None and slot1 is None:
        return say.gettext(_KEPT)
    if slot2 and slot1:
        told = _of_two(_BOTH, _use(sky, slot1), _use(sky, slot2), say)
    else:
        told = say.gettext(_IN_SLOT_2 if slot2 else _IN_SLOT_1, use=say.gettext(_use(sky, slot2 or slot1 or "")))
    return f"{told} {say.gettext(_COVERED)}" if slot1 and type_of(slot1) != GEBURT else told


def _of_two(texts: tuple[str, str], use: str, other: str, say: Language) -> str:
    """Return what two cards can be used for. The second text is for the same use. The first card lasts longer."""
    return say.gettext(texts[use == other], use=say.gettext(use), other=say.gettext(other))


def _use(sky: State, card: str) -> str:
    type_ = type_of(card)
    return _SCORE if type_ == LOCH and sky.scenario.card_points else _USES[type_]


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


# Chances: possible births on the free fields. Only the fields around a change can gain or lose any.

Odds = tuple[int, ...]  # by the number of neighbours of a class


class _Around(NamedTuple):
    """A field's chances by the number of its neighbours of each class, and what one more of a class changes beside it."""

    near: Fields
    odds: list[tuple[str, Odds]]
    more: Mapping[str, list[tuple[Fields, Fields, Odds]]]  # by class: a field, its neighbours, and the changes


class _Chances:
    """The chances of a state, in parts of `WHOLE`."""

    def __init__(self, sky: State) -> None:
        self._stars, self._around = sky.stars, _around(sky.scenario)
        self._without: dict[str, tuple[str, Stars]] = {}

    def gain(self, step: Action) -> int:
        """Return how many chances an action adds."""
        match step:
            case Sterngeburt(_, star, field):
                return self._added(self._stars, star, FIELDS[field])
            case Sternwanderung(_, path):
                star, rest = self._lifted(path[0])
                return self._added(rest, star, FIELDS[path[-1]]) - self._added(rest, star, FIELDS[path[0]])
            case SchwarzesLoch(_, field):
                star, rest = self._lifted(field)
                return -self._added(rest, star, FIELDS[field])
            case Supernova(_, field):
                gain, left = 0, dict(self._stars)
                for star in STARS:
                    for bit in bits_of(left[star] & FIELDS[field].near):
                        left[star] ^= bit
                        gain -= self._added(left, star, FIELD_AT[bit])
                return gain + self._added(left, NOVA, FIELDS[field])
        return 0

    def _lifted(self, field: str) -> tuple[str, Stars]:
        """Return the star on a field, and the stars without it."""
        if field not in self._without:
            star, bit = PUNKT if self._stars[PUNKT] & FIELDS[field].bit else LEUCHT, FIELDS[field].bit
            self._without[field] = star, {**self._stars, star: self._stars[star] ^ bit}
        return self._without[field]

    def _added(self, stars: Stars, piece: str, field: Field) -> int:
        """Return how many chances this piece adds to these stars."""
        near, odds, more = self._around[field.bit]
        gain, taken, same = 0, occupied(stars), stars[piece]
        for star, its in odds:
            gain -= its[(near & stars[star]).bit_count()]
        for bit, beside, changes in more[piece]:
            if not bit & taken:
                gain += changes[(beside & same).bit_count()]
        return gain


@cache
def _around(scenario: Scenario) -> Mapping[Fields, _Around]:
    odds = {bit: _odds(scenario, field) for bit, field in FIELD_AT.items()}
    more = {bit: {star: tuple(b - a for a, b in pairwise(its)) for star, its in odds[bit]} for bit in FIELD_AT}
    return {
        bit: _Around(
            field.near,
            odds[bit],
            {
                piece: [(it, FIELD_AT[it].near, more[it][piece]) for it in bits_of(field.near) if piece in more[it]]
                for piece in PIECES
            },
        )
        for bit, field in FIELD_AT.items()
    }


def _odds(scenario: Scenario, field: Field) -> list[tuple[str, Odds]]:
    """Return the chances of each birth, by the number of the neighbours that it needs."""
    numbers = range(field.near.bit_count() + 1)
    return [
        (
            need[0],
            tuple(points_of_birth(scenario, star, field) * CHANCES.get(max(0, need[1] - it), 0) for it in numbers),
        )
        for star, need in CARDS.birth_needs.items()
        if need is not None
    ]


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
