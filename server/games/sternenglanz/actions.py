"""The four actions (R5): their conditions, their scores (R7), and all ways to perform them.

The ways for each slot are computed once. A few bit operations then select the legal ones.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import cache, partial
from itertools import pairwise

from server.games.contract import Seat
from server.games.errors import IllegalMove
from server.games.sternenglanz.material import (
    ALL_FIELDS,
    CARDS,
    FIELD_AT,
    FIELDS,
    FIRMAMENT,
    GEBURT,
    KIND_OF,
    LEUCHT,
    LOCH,
    NOVA,
    PRACHT,
    PUNKT,
    STARS,
    SUPERNOVA,
    WANDERUNG,
    Card,
    Field,
    Fields,
    Scenario,
    bits_of,
)
from server.games.sternenglanz.moves import Action, Move, SchwarzesLoch, Sterngeburt, Sternwanderung, Supernova
from server.games.sternenglanz.names import card_name, piece_in_sentence
from server.games.sternenglanz.state import (
    ActionEvent,
    Pair,
    StarLaid,
    StarMoved,
    StarRemoved,
    State,
    SupernovaLaid,
    lit,
    occupied,
    piece_on,
    supply,
)
from server.translations import language, noted

DOES = {GEBURT: "lay", WANDERUNG: "move", LOCH: "remove", SUPERNOVA: "nova"}
_CAN = {
    GEBURT: noted("Slot %(slot)s holds %(card)s. It can only place a star."),
    WANDERUNG: noted("Slot %(slot)s holds %(card)s. It can only move a star."),
    LOCH: noted("Slot %(slot)s holds %(card)s. It can only remove a star."),
    SUPERNOVA: noted("Slot %(slot)s holds %(card)s. It can only set off a Supernova."),
}
_NEEDS = {
    LEUCHT: noted(
        "A bright star needs at least %(count)s dot stars next to it. Space %(field)s has %(found)s of them."
    ),
    PRACHT: noted(
        "A splendid star needs at least %(count)s bright stars next to it. Space %(field)s has %(found)s of them."
    ),
}


def type_of(card: str | None) -> str:
    """Return a card's type of action. Without a card, return the type of the permanent action."""
    return GEBURT if card is None else KIND_OF[card].type


def perform(sky: State, seat: Seat, action: Action) -> ActionEvent:
    """Return the event of this action with the card in its slot. Raise IllegalMove if the action is impossible."""
    slot, card = action.slot, sky.slots[seat][action.slot - 1]
    if action.do != DOES[type_of(card)]:
        if card is None:
            raise IllegalMove("wrong-action", "Slot %(slot)s has no card. It can only place a star.", slot=slot)
        raise IllegalMove("wrong-action", _CAN[type_of(card)], slot=slot, card=partial(card_name, card))
    match action:
        case Sterngeburt(_, star, field):
            _check_birth(sky, star, FIELDS[field])
            return StarLaid(seat, slot, card, star, field, birth_points(sky, star, FIELDS[field]))
        case Sternwanderung(_, path) if card is not None:
            return StarMoved(seat, slot, card, _checked_star(sky, KIND_OF[card], path), list(path))
        case SchwarzesLoch(_, field) if card is not None:
            star = _checked_removal(sky, field)
            return StarRemoved(seat, slot, card, star, field, removal_points(sky, KIND_OF[card], star, FIELDS[field]))
        case Supernova(_, field) if card is not None:
            return _supernova(sky, seat, slot, card, FIELDS[field])
    raise AssertionError("A lapse performs nothing.")


def ways(sky: State, seat: Seat, slot: int) -> list[Move]:
    """Return every way to perform a slot's action, each as a move of one step."""
    card = sky.slots[seat][slot - 1]
    type_ = type_of(card)
    if type_ == WANDERUNG and card is not None:
        return _migrations(sky, slot, KIND_OF[card])
    return {GEBURT: _births, LOCH: _removals, SUPERNOVA: _supernovae}[type_](sky, slot)


# 5.1 Sterngeburt: lay one star


def _check_birth(sky: State, star: str, field: Field) -> None:
    _check_free(sky, field)
    if not supply(sky, star):
        raise IllegalMove("no-supply", "The supply has no %(star)s left.", star=partial(piece_in_sentence, star))
    shining = lit(sky.stars)
    if not shining and star == PUNKT:
        pass  # an empty Firmament
    elif not field.near & shining:
        raise IllegalMove("not-adjacent", "There is no star next to %(field)s.", field=field.id)
    elif (need := CARDS.birth_needs[star]) is not None:
        other, count = need
        found = (field.near & sky.stars[other]).bit_count()
        if found < count:
            raise IllegalMove("needs-3", _NEEDS[star], count=count, field=field.id, found=found)
    if (field.id, star) in sky.log.removed:
        raise _was_removed(star, field.id)


def _check_free(sky: State, field: Field) -> None:
    if field.bit & occupied(sky.stars):
        raise IllegalMove("occupied", "Space %(field)s is taken.", field=field.id)


def birth_points(sky: State, star: str, field: Field) -> int:
    """Return the points for placing this star: for its class, and for a Leuchtstern on a special field (R7.2)."""
    return points_of_birth(sky.scenario, star, field)


def points_of_birth(scenario: Scenario, star: str, field: Field) -> int:
    for_class = CARDS.birth_points[star] if scenario.card_points else 0
    return for_class + (field.bonus if star == LEUCHT and scenario.bonus_points else 0)


def _births(sky: State, slot: int) -> list[Move]:
    stars = sky.stars
    free, shining = ALL_FIELDS & ~occupied(stars), lit(stars)
    found: list[Move] = []
    for star in STARS:
        if not supply(sky, star):
            continue
        may = free & ~_fields_of(star, sky.log.removed)
        need = CARDS.birth_needs[star]
        if not shining and star == PUNKT:
            found += [move for bit, _, move in _birth_moves(slot, star) if bit & may]
        elif need is None:
            found += [move for bit, near, move in _birth_moves(slot, star) if bit & may and near & shining]
        elif stars[need[0]].bit_count() >= need[1]:
            others, count = stars[need[0]], need[1]
            found += [
                move
                for bit, near, move in _birth_moves(slot, star)
                if bit & may and (near & others).bit_count() >= count
            ]
    return found


@cache
def _birth_moves(slot: int, star: str) -> list[tuple[Fields, Fields, Move]]:
    return [(it.bit, it.near, Move((Sterngeburt(slot, star, it.id),))) for it in FIELDS.values()]


def _fields_of(star: str, pairs: Collection[Pair]) -> Fields:
    fields = 0
    for field, other in pairs:
        if other == star:
            fields |= FIELDS[field].bit
    return fields


# 5.2 Schwarzes Loch: remove one star


def _checked_removal(sky: State, field: str) -> str:
    """Return the class of the star that is removed."""
    star = _checked_class(sky, field)
    _check_removable(sky, field, star)
    return star


def _checked_class(sky: State, field: str) -> str:
    piece = piece_on(sky.stars, field)
    if piece is None:
        raise IllegalMove("empty", "There is no star on %(field)s.", field=field)
    if piece not in (PUNKT, LEUCHT):
        raise IllegalMove(
            "immovable",
            "The %(piece)s on %(field)s can't be moved or removed.",
            piece=partial(piece_in_sentence, piece),
            field=field,
        )
    return piece


def _was_placed(star: str, field: str) -> IllegalMove:
    name = partial(piece_in_sentence, star)
    return IllegalMove("ban", "A %(star)s was placed on %(field)s in this turn.", star=name, field=field)


def _was_removed(star: str, field: str) -> IllegalMove:
    name = partial(piece_in_sentence, star)
    return IllegalMove("ban", "A %(star)s was removed from %(field)s in this turn.", star=name, field=field)


def _check_removable(sky: State, field: str, star: str) -> None:
    if (field, star) in sky.log.laid:
        raise _was_placed(star, field)


def removal_points(sky: State, card: Card, star: str, field: Field) -> int:
    """Return the points of the card's best constellation around this star. Additional neighbours don't matter."""
    beside = {other: (field.near & sky.stars[other]).bit_count() for other in STARS}
    return points_of_removal(sky.scenario, card, star, beside)


def points_of_removal(scenario: Scenario, card: Card, star: str, beside: Mapping[str, int]) -> int:
    if not scenario.card_points:
        return 0
    holding = [
        each.points
        for each in card.constellations
        if each.top == star and all(beside[other] >= count for other, count in each.needs)
    ]
    return max(holding, default=0)


def _removals(sky: State, slot: int) -> list[Move]:
    stars, laid = sky.stars, sky.log.laid
    removable = 0
    for star in (PUNKT, LEUCHT):
        removable |= stars[star] & ~_fields_of(star, laid)
    return [move for bit, move in _removal_moves(slot) if bit & removable]


@cache
def _removal_moves(slot: int) -> list[tuple[Fields, Move]]:
    return [(field.bit, Move((SchwarzesLoch(slot, field.id),))) for field in FIELDS.values()]


# 5.3 Sternwanderung: move one star


def _checked_star(sky: State, card: Card, path: tuple[str, ...]) -> str:
    """Return the class of the star that moves along the path."""
    star = _checked_class(sky, path[0])
    if len(path) - 1 not in card.steps:
        raise IllegalMove(
            "wrong-length",
            "This card moves a star along %(steps)s lines, not %(lines)s.",
            steps=lambda locale: language(locale).either(list(map(str, card.steps))),
            lines=len(path) - 1,
        )
    blocked = occupied(sky.stars) & ~FIELDS[path[0]].bit  # the star has left its own field
    for here, there in pairwise(path):
        if (here, there) not in FIRMAMENT.lines:
            raise IllegalMove("no-line", "No line joins %(here)s and %(there)s.", here=here, there=there)
        if FIELDS[there].bit & blocked:
            raise IllegalMove("blocked", "The path is blocked: %(field)s is taken.", field=there)
    refused = _refused_path(sky, star, path)
    if refused is not None:
        raise refused
    return star


def _refused_path(sky: State, star: str, path: tuple[str, ...]) -> IllegalMove | None:
    """Return why the star can't take this path after this turn's earlier actions, or None if it can."""
    log, options, last = sky.log, sky.options, path[-1]
    trail = log.trails.get(path[0])
    passed = list(log.lines if options["lineBan"] == "any-star" else trail.lines if trail else ())
    for ends in pairwise(path):
        line = FIRMAMENT.lines[ends]
        if line in passed:
            return IllegalMove("line-twice", "The line %(line)s was already used in this turn.", line=line)
        passed.append(line)
    if last in (trail.rests if trail else path[:1]):
        return IllegalMove("back-home", "The star has already stopped on %(field)s in this turn.", field=last)
    if options["banMoves"]:
        if (path[0], star) in log.laid:
            return _was_placed(star, path[0])
        if (last, star) in log.removed:
            return _was_removed(star, last)
    return None


def _migrations(sky: State, slot: int, card: Card) -> list[Move]:
    stars, log = sky.stars, sky.log
    is_any_refused = sky.options["banMoves"] or (sky.options["lineBan"] == "any-star" and bool(log.lines))
    suspects = ALL_FIELDS if is_any_refused else sum([FIELDS[field].bit for field in log.trails])
    found: list[Move] = []
    for steps in card.steps:
        found += _open_paths(stars, slot, steps, (stars[PUNKT] | stars[LEUCHT]) & ~suspects)
        for star in (PUNKT, LEUCHT):
            if stars[star] & suspects:
                moves = _open_paths(stars, slot, steps, stars[star] & suspects)
                found += [move for move in moves if _refused_path(sky, star, _path_of(move)) is None]
    return found


def _open_paths(stars: Mapping[str, Fields], slot: int, steps: int, movers: Fields) -> list[Move]:
    """Return the moves of these stars along paths that no piece blocks."""
    blocked, moves_from = occupied(stars), _migration_moves(slot, steps)
    return [move for bit in bits_of(movers) for passed, move in moves_from[bit] if not passed & blocked]


def _path_of(move: Move) -> tuple[str, ...]:
    (step,) = move.steps
    assert isinstance(step, Sternwanderung)
    return step.path


@cache
def _migration_moves(slot: int, steps: int) -> Mapping[Fields, list[tuple[Fields, Move]]]:
    """Return all paths by first field, before this turn's earlier actions rule some out. For each path, return the
    fields that must be free, and the move."""
    return {
        field.bit: [
            (sum({FIELDS[each].bit for each in path} - {field.bit}), Move((Sternwanderung(slot, path),)))
            for path in _paths((field.id,), steps)
            if path[-1] != field.id
        ]
        for field in FIELDS.values()
    }


def _paths(path: tuple[str, ...], steps: int) -> Iterator[tuple[str, ...]]:
    """Yield every extension of the path by this many steps that repeats no line."""
    if not steps:
        yield path
        return
    passed = {frozenset(ends) for ends in pairwise(path)}
    for bit in bits_of(FIELDS[path[-1]].near):
        there = FIELD_AT[bit].id
        if frozenset((path[-1], there)) not in passed:
            yield from _paths((*path, there), steps - 1)


# 5.4 Supernova: lay a Supernova, remove its neighbours


def _supernova(sky: State, seat: Seat, slot: int, card: str, field: Field) -> SupernovaLaid:
    _check_free(sky, field)
    if not supply(sky, NOVA):
        raise IllegalMove("no-supply", "All Supernovae are on the Firmament.")
    removed = [(FIELD_AT[bit].id, star) for star in STARS for bit in bits_of(field.near & sky.stars[star])]
    if sky.options["banSupernova"]:
        for beside, star in removed:
            _check_removable(sky, beside, star)
    out = [star for _, star in removed if star == PRACHT and sky.options["prachtReturn"] == "out"]
    return SupernovaLaid(
        seat, slot, card, field.id, [list(it) for it in removed], out, supernova_points(sky, seat, card)
    )


def supernova_points(sky: State, seat: Seat, card: str) -> list[int]:
    """Return each seat's gain or loss by a Supernova (R7.1). Points never fall below 0 (R7.3)."""
    if not sky.scenario.card_points:
        return [0] * len(sky.points)
    malus, full = sky.options["supernovaMalus"], KIND_OF[card].points
    changes = [-1 if malus == "everyone" else 0] * len(sky.points)
    lying = sky.stars[NOVA].bit_count()
    changes[seat] += full - {"gain": lying + 1, "gain-others": lying, "everyone": 0}[malus]
    return [max(change, -had) for change, had in zip(changes, sky.points, strict=True)]


def _supernovae(sky: State, slot: int) -> list[Move]:
    if not supply(sky, NOVA):
        return []
    banned = 0
    if sky.options["banSupernova"]:
        for star in STARS:
            banned |= sky.stars[star] & _fields_of(star, sky.log.laid)
    free = ALL_FIELDS & ~occupied(sky.stars)
    return [move for bit, near, move in _supernova_moves(slot) if bit & free and not near & banned]


@cache
def _supernova_moves(slot: int) -> list[tuple[Fields, Fields, Move]]:
    return [(field.bit, field.near, Move((Supernova(slot, field.id),))) for field in FIELDS.values()]
