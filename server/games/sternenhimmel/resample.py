"""Tables that are consistent with what a seat has seen, drawn at random.

The order of the stack and the face-down stars of other seats are unknown. Every order is equally likely, and so is
every choice of stars that is consistent with what the seat has seen. A star may lie face down unless it was seen
elsewhere since then.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import prod
from typing import NamedTuple

from server.games.contract import Dice, Json, Seat
from server.games.newest import newest
from server.games.sternenhimmel.material import BOARDS, DOUBLE_STAR, HAND_ORDER, LYING, STAR_SET, Lying
from server.games.sternenhimmel.state import State

SINGLE = tuple(star for star in STAR_SET if star != DOUBLE_STAR)
NEVER = len(STAR_SET)  # more than the stars that can lie face down


class Hidden(NamedTuple):
    """The face-down stars of a seat, oldest first."""

    spaces: list[tuple[str, str]]
    left: list[str]  # the stars that lie face down or are in the hand
    since: dict[str, int]  # by single star, the first of `spaces` on which it may lie
    doubles: list[tuple[int, ...]]  # possible places of double stars in `spaces`
    weights: list[int]  # of each item of `doubles`, the number of ways to fill the other spaces


class Worlds(NamedTuple):
    """What a seat has seen of a table."""

    open: State  # with the seat's own hand, and without hidden stars
    stack: list[str]
    hidden: dict[Seat, Hidden]

    def draw(self, dice: Dice) -> State:
        stars = {board: dict(lying) for board, lying in self.open.stars.items()}
        hands = list(self.open.hands)
        for seat, hidden in self.hidden.items():
            left = list(hidden.left)
            for (board, space), star in zip(hidden.spaces, _draw_stars(hidden, dice), strict=True):
                stars[board][space] = LYING[seat][star]
                left.remove(star)
            hands[seat] = tuple(left)
        return self.open._replace(stack=tuple(dice.shuffled(self.stack)), stars=stars, hands=tuple(hands))


def resample(view: Json, story: Sequence[Json], seat: Seat, dice: Dice) -> State:
    """Return a random state that is consistent with the seat's view and story."""
    return _worlds(view, story, seat).draw(dice)


@newest
def _worlds(view: Json, story: Sequence[Json], seat: Seat) -> Worlds:
    boards = {it["board"]: it["spaces"] for it in view["boards"]}
    slots: list[str | None] = [None] * len(view["coins"])
    for it in view["boards"]:
        slots[it["slot"]] = it["board"]
    hidden = {other: _hidden(story, other) for other in range(len(slots)) if other != seat}
    return Worlds(
        State(
            options=story[0]["terms"]["options"],
            stack=(),
            slots=tuple(slots),
            stars={board: _visible(spaces) for board, spaces in boards.items()},
            hands=tuple(tuple(view["hand"]) if it == seat else () for it in range(len(slots))),
            coins=tuple(view["coins"]),
            on_turn=view["next"],
        ),
        sorted(BOARDS.keys() - {it["board"] for it in story if it["type"] == "board-dealt"}),
        hidden,
    )


def _visible(spaces: Json) -> dict[str, Lying]:
    return {space: LYING[it["seat"]][it["star"]] for space, it in spaces.items() if it and it["star"]}


def _hidden(story: Sequence[Json], seat: Seat) -> Hidden:
    """Return the face-down stars of another seat, with everything that is known about them."""
    scored = {it["board"]: it["placements"] for it in story if it["type"] == "board-scored"}
    star_on = {(board, it["space"]): it["star"] for board, placements in scored.items() for it in placements}
    spaces: list[tuple[str, str]] = []
    since = dict.fromkeys(SINGLE, 0)
    seen = Counter[str]()  # known stars on boards
    limits = list[int]()  # by number of face-down stars, how many double stars can be among them
    for it in story:
        if it["type"] == "star-placed" and it["seat"] == seat:
            at = it["board"], it["space"]
            star = it["star"] or star_on.get(at)
            if star is None:
                spaces.append(at)
                limits.append(2 - seen[DOUBLE_STAR])
            else:
                seen[star] += 1
                if star in since:
                    since[star] = NEVER
                if limits:
                    limits[-1] = min(limits[-1], 2 - seen[DOUBLE_STAR])
        elif it["type"] == "board-scored":
            for each in it["placements"]:
                star = each["star"]
                if each["seat"] == seat:
                    seen[star] -= 1
                    if star in since:
                        since[star] = len(spaces)
    places = range(len(spaces))
    doubles = [chosen for number in range(3) for chosen in combinations(places, number) if _fits(chosen, limits)]
    weights = [_ways(spaces, since, chosen) for chosen in doubles]
    return Hidden(
        spaces, sorted((Counter(STAR_SET) - seen).elements(), key=HAND_ORDER.__getitem__), since, doubles, weights
    )


def _fits(doubles: Sequence[int], limits: Sequence[int]) -> bool:
    """Return whether the seat has never had more than two double stars on the boards."""
    return all(sum(place <= last for place in doubles) <= limit for last, limit in enumerate(limits))


def _ways(spaces: Sequence[object], since: dict[str, int], doubles: Sequence[int]) -> int:
    """Return the number of ways to fill the other spaces with single stars. A star that fits a space also fits every
    later one."""
    places = [place for place in range(len(spaces)) if place not in doubles]
    return prod(max(0, sum(it <= place for it in since.values()) - used) for used, place in enumerate(places))


def _draw_stars(hidden: Hidden, dice: Dice) -> list[str]:
    drawn, which = dice.below(sum(hidden.weights)), 0
    while drawn >= hidden.weights[which]:
        drawn -= hidden.weights[which]
        which += 1
    stars = list[str]()
    for place in range(len(hidden.spaces)):
        if place in hidden.doubles[which]:
            stars.append(DOUBLE_STAR)
        else:
            fitting = [star for star, first in hidden.since.items() if first <= place and star not in stars]
            stars.append(fitting[dice.below(len(fitting))])
    return stars
