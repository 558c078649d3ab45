"""What the Firmament offers: fields where a star brings points, now or after another birth, and stars that a Schwarzes
Loch removes for points. Seats take the best in the order of their turns, so the next one takes what a seat leaves.

An offer is a histogram in one integer, with a byte for each kind of chance. So an action changes it by one addition
for each field around it.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise, product
from typing import NamedTuple

from server.games.sternenglanz.actions import points_of_birth, points_of_removal, type_of
from server.games.sternenglanz.material import (
    CARDS,
    FIELD_AT,
    FIELDS,
    GEBURT,
    KIND_OF,
    LEUCHT,
    LOCH,
    NOVA,
    PIECES,
    PRACHT,
    PUNKT,
    STARS,
    WANDERUNG,
    Field,
    Fields,
    Scenario,
    bits_of,
)
from server.games.sternenglanz.moves import Action, SchwarzesLoch, Sterngeburt, Sternwanderung, Supernova
from server.games.sternenglanz.state import occupied

Stars = Mapping[str, Fields]
Offer = int

LACKS = (0, 1, 2)  # missing stars; a birth that lacks more is no chance
SOON = 0.7  # share of a birth's points, if it needs another star first
LEFT = (0.2, 0.1, 0.05)  # share of the points of the births that all seats leave, by the number of missing stars
BYTE = 8  # enough, since a field counts twice at most and the board has 73


class Kind(NamedTuple):
    """A kind of chance: a birth that lacks this many stars, or a removal by this kind of card."""

    points: int
    by: int | str


class Turn(NamedTuple):
    """What a seat can do in its turn, and what a point that it gains is worth to the seat that asks."""

    worth: float
    births: int
    migrations: int
    holes: tuple[str, ...]  # the kinds of its cards


def turn_of(worth: float, cards: Sequence[str | None]) -> Turn:
    """Return what a seat can do with these cards. None stands for the permanent action."""
    types = [type_of(card) for card in cards]
    holes = tuple(KIND_OF[card].id for card in cards if card is not None and KIND_OF[card].type == LOCH)
    return Turn(worth, types.count(GEBURT), types.count(WANDERUNG), holes)


class _Units(dict[Kind, Offer]):
    """The offers of one chance of each kind. Each new kind gets a byte of its own."""

    def __missing__(self, kind: Kind) -> Offer:
        self[kind] = 1 << BYTE * len(self)
        return self[kind]


class Chances:
    """The chances in a scenario."""

    def __init__(self, scenario: Scenario) -> None:
        units = _Units()
        self._at = {bit: [*_births(scenario, field, units)] for bit, field in FIELD_AT.items()}
        more = {bit: {star: [b - a for a, b in pairwise(its)] for star, its in self._at[bit]} for bit in FIELD_AT}
        self._beside = {  # by the field and the class of a new star: the fields whose births it changes
            (bit, star): [(it, FIELD_AT[it].near, more[it][star]) for it in bits_of(field.near) if star in more[it]]
            for bit, field in FIELD_AT.items()
            for star in PIECES
        }
        most = range(1 + max(it.near.bit_count() for it in FIELD_AT.values()))
        self._removal = {
            star: {
                it: sum(units[kind] for kind in _removals(scenario, star, it))
                for it in product(most, repeat=len(STARS))
            }
            for star in (PUNKT, LEUCHT)
        }
        self._more = {  # by the class of a new star and that of a star beside it: the changes, by its neighbours
            piece: {
                star: {it: its[_one_more(it, piece)] - its[it] for it in its if _one_more(it, piece) in its}
                for star, its in self._removal.items()
            }
            for piece in STARS
        }
        self.kinds: Sequence[Kind] = [*units]  # by the place of their bytes
        self._best = {  # the places of their bytes, those with most points first
            by: sorted(((it.points, nr) for nr, it in enumerate(units) if it.by == by), reverse=True)
            for by in (*LACKS, *CARDS.kinds)
        }
        self._left = [(points * LEFT[lacks], nr) for lacks in LACKS for points, nr in self._best[lacks]]

    def born(self, stars: Stars, field: Field) -> Offer:
        """Return the births on a free field."""
        gain = 0
        for star, its in self._at[field.bit]:
            gain += its[(field.near & stars[star]).bit_count()]
        return gain

    def removed(self, stars: Stars, near: Fields, star: str) -> Offer:
        """Return the removals of a star with these neighbours."""
        beside = (
            (near & stars[PUNKT]).bit_count(),
            (near & stars[LEUCHT]).bit_count(),
            (near & stars[PRACHT]).bit_count(),
        )
        return self._removal[star][beside]

    def added(self, stars: Stars, piece: str, field: Field) -> Offer:
        """Return the difference that a piece on a free field makes."""
        near, same, taken = field.near, stars[piece], occupied(stars)
        gain = -self.born(stars, field)
        for bit, beside, more in self._beside[field.bit, piece]:
            if not bit & taken:
                gain += more[(beside & same).bit_count()]
        if piece in self._removal:
            gain += self.removed(stars, near, piece)
        if piece != NOVA:
            for star, removals in self._more[piece].items():
                for bit in bits_of(near & stars[star]):
                    at = FIELD_AT[bit].near
                    gain += removals[
                        (at & stars[PUNKT]).bit_count(),
                        (at & stars[LEUCHT]).bit_count(),
                        (at & stars[PRACHT]).bit_count(),
                    ]
        return gain

    def promise(self, offer: Offer, turns: Sequence[Turn]) -> float:
        """Return the value of an offer to the seat that asks, if the seats take the best chances in these turns."""
        left, total = bytearray(offer.to_bytes(len(self.kinds), "little")), 0.0
        for worth, births, migrations, holes in turns:
            got = 0.0
            for card in holes:
                points, nr = self._first(left, card)
                if points:
                    left[nr] -= 1
                    got += points
            while births:
                points, nr = self._first(left, 0)
                soon, soon_nr = self._first(left, 1) if births + migrations > 1 else (0, 0)
                if not points and not soon:
                    break
                births -= 1
                if points >= soon / 2:
                    left[nr] -= 1
                    got += points
                else:
                    left[soon_nr] -= 1
                    got += soon * SOON
                    births, migrations = (births, migrations - 1) if migrations else (births - 1, 0)
            total += worth * got
        return total + self._value(left)

    def _first(self, left: bytearray, by: int | str) -> tuple[int, int]:
        """Return the points of the best chance of a kind, and its place."""
        for it in self._best[by]:
            if left[it[1]]:
                return it
        return 0, 0

    def value(self, offer: Offer) -> float:
        """Return the value of births that no seat takes next."""
        return self._value(offer.to_bytes(len(self.kinds), "little"))

    def _value(self, left: Sequence[int]) -> float:
        return sum([worth * left[nr] for worth, nr in self._left])


class Offered:
    """What some stars offer, and what they offer after an action."""

    def __init__(self, kinds: Chances, stars: Stars) -> None:
        self._kinds, self._stars = kinds, stars
        self._without: dict[str, tuple[Offer, str, Stars]] = {}
        self.now, taken = 0, occupied(stars)
        for bit, field in FIELD_AT.items():
            if not bit & taken:
                self.now += kinds.born(stars, field)
            elif not bit & (stars[PRACHT] | stars[NOVA]):
                self.now += kinds.removed(stars, field.near, PUNKT if bit & stars[PUNKT] else LEUCHT)

    def after(self, step: Action) -> Offer:
        """Return what the stars offer after an action."""
        added = self._kinds.added
        match step:
            case Sterngeburt(_, star, field):
                return self.now + added(self._stars, star, FIELDS[field])
            case Sternwanderung(_, path):
                left, star, rest = self._lifted(path[0])
                return left + added(rest, star, FIELDS[path[-1]])
            case SchwarzesLoch(_, field):
                return self._lifted(field)[0]
            case Supernova(_, field):
                offer, left_over = self.now, dict(self._stars)
                for star in STARS:
                    for bit in bits_of(left_over[star] & FIELDS[field].near):
                        left_over[star] ^= bit
                        offer -= added(left_over, star, FIELD_AT[bit])
                return offer + added(left_over, NOVA, FIELDS[field])
        return self.now

    def _lifted(self, field: str) -> tuple[Offer, str, Stars]:
        """Return what the other stars offer without the one on a field, its class, and the other stars."""
        if field not in self._without:
            bit = FIELDS[field].bit
            star = PUNKT if self._stars[PUNKT] & bit else LEUCHT
            rest = {**self._stars, star: self._stars[star] ^ bit}
            self._without[field] = self.now - self._kinds.added(rest, star, FIELDS[field]), star, rest
        return self._without[field]


chances = cache(Chances)


def _births(scenario: Scenario, field: Field, units: Mapping[Kind, Offer]) -> Iterator[tuple[str, Sequence[Offer]]]:
    """Yield the chance of each birth on a field, by the number of the neighbours that it needs."""
    for star, need in CARDS.birth_needs.items():
        points = points_of_birth(scenario, star, field)
        if need and points:
            lacks = [max(0, need[1] - number) for number in range(field.near.bit_count() + 1)]
            yield need[0], [units[Kind(points, it)] if it in LACKS else 0 for it in lacks]


def _one_more(beside: Sequence[int], piece: str) -> tuple[int, ...]:
    return tuple(number + (star == piece) for number, star in zip(beside, STARS, strict=True))


def _removals(scenario: Scenario, top: str, numbers: Sequence[int]) -> Iterator[Kind]:
    """Yield the chances to remove a star with these numbers of neighbours of each class."""
    beside = dict(zip(STARS, numbers, strict=True))
    for card in CARDS.kinds.values():
        points = points_of_removal(scenario, card, top, beside)
        if points:
            yield Kind(points, card.id)
