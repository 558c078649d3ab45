"""The value of a placement in Sternenhimmel, estimated from the view alone.

Bots that search judge many thousand placements a second, so this module has a scoring of its own: on bit sets, without
the details that players are shown. A test compares it with `scoring`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from server.games.contract import Json, Seat
from server.games.sternenhimmel.material import BLACK_HOLE, BOARDS, DOUBLE_STAR, FACE_VALUES, LYING, STARS, Board, Lying
from server.games.sternenhimmel.moves import PLACEMENTS, Placement
from server.games.sternenhimmel.state import State
from server.translations import Language, noted

# Views lack the options. Values and payments of the default edition are close enough for all of them.
FACTORS = [2**doubles for doubles in range(10)]
GUESS = "5"  # the assumed value of a star face down
LEAD = 0.05  # coins per point of lead while prizes may still change hands

Spaces = tuple[Lying | None, ...]  # the spaces of a board, in its order, as a seat sees them
Ranked = tuple[int, int]  # total and number of stars


def judge(view: Json) -> Callable[[Placement], float]:
    """Return a function that gives a placement's gain, in coins, for the seat whose turn it is."""
    me, seats = view["next"], len(view["coins"])
    worths = {it["board"]: _worths(it["board"], _seen(it["spaces"]), me, seats) for it in view["boards"]}

    def worth(move: Placement) -> float:
        star, board, space = move
        return worths[board][space][star]

    return worth


# The sentences about a move now, and about one that could have been played
_Told = tuple[tuple[str, str], tuple[str, str]]  # if all stars there are seen, and if some are hidden
_SCORED = ((noted("%(board)s is scored now."), noted("%(board)s would have been scored.")),) * 2
_SCORED_FIRST = (
    (
        noted("%(board)s is scored now, and you come first."),
        noted("You'd have come first in %(board)s."),
    ),
    (
        noted("%(board)s is scored now. As far as you can see, you come first."),
        noted("As far as you could see, you'd have come first in %(board)s."),
    ),
)
_SCORED_SECOND = (
    (
        noted("%(board)s is scored now, and you come second."),
        noted("You'd have come second in %(board)s."),
    ),
    (
        noted("%(board)s is scored now. As far as you can see, you come second."),
        noted("As far as you could see, you'd have come second in %(board)s."),
    ),
)
_TAKEN = (
    (
        noted("The others lose %(points)s points in %(board)s."),
        noted("The others would have lost %(points)s points in %(board)s."),
    ),
    (
        noted("As far as you can see, the others lose points in %(board)s."),
        noted("As far as you could see, the others would have lost points in %(board)s."),
    ),
)
_EXTENDED = (
    (noted("You extend your lead in %(board)s."), noted("You'd have extended your lead in %(board)s.")),
    (
        noted("As far as you can see, you extend your lead in %(board)s."),
        noted("As far as you could see, you'd have extended your lead in %(board)s."),
    ),
)
_LED = (
    (noted("You take the lead in %(board)s."), noted("You'd have taken the lead in %(board)s.")),
    (
        noted("As far as you can see, you take the lead in %(board)s."),
        noted("As far as you could see, you'd have taken the lead in %(board)s."),
    ),
)
_NEARER = (
    (noted("You come closer to the lead in %(board)s."), noted("You'd have come closer to the lead in %(board)s.")),
    (
        noted("As far as you can see, you come closer to the lead in %(board)s."),
        noted("As far as you could see, you'd have come closer to the lead in %(board)s."),
    ),
)
_OPEN = (_EXTENDED, _LED, _NEARER)  # in a constellation that isn't full
_FULL = (_SCORED, _SCORED_FIRST, _SCORED_SECOND)

# Those about a move now
_AHEAD = noted("You're then ahead by %(points)s.")
_BEHIND = noted("You're then behind by %(points)s.")
_BLOCKS = noted("It blocks %(spaces)s: numbers and double stars there get swallowed.")
_VANISHES = noted("It vanishes with the black hole next to it.")
_SWALLOWED = noted("A black hole swallows it.")
_DOUBLES = noted("Stars on %(spaces)s then count double.")
_DOUBLES_OWN = noted("Your %(star)s on %(space)s then counts %(points)s.")
_DOUBLES_OTHERS = noted("The others' stars next to the double star count double, too.")
_COUNTS = noted("Next to a double star, it counts %(points)s.")
_KEPT = noted("You keep your better stars for later.")


def aim(view: Json) -> Callable[[Placement], object]:
    """Return a function that gives equal values for placements that achieve the same in the same constellation."""

    def of(move: Placement) -> object:
        achieved = _change(view, move).achieved
        is_special = move.star in (BLACK_HOLE, DOUBLE_STAR) and not {*achieved} & {*_FULL}
        return move.board, is_special and move.star, achieved

    return of


def reason(view: Json, move: Placement, say: Language, is_past: bool, then: Sequence[Placement]) -> str:
    """Return a few sentences about what a placement achieves, or would have achieved, as far as its seat can see."""
    change, name = _change(view, move), BOARDS[move.board].names[say.locale]
    told = [say.gettext(it[change.is_hidden][is_past], board=name, points=change.taken) for it in change.achieved]
    if is_past or change.is_hidden:
        told = told[:1]
    if is_past:
        return "".join(told)
    if change.ahead and not change.is_hidden and {*change.achieved} & {*_OPEN}:
        told.append(say.gettext(_AHEAD if change.ahead > 0 else _BEHIND, points=abs(change.ahead)))
    return " ".join((*told, *_by_neighbours(move, change, say))) or say.gettext(_KEPT)


def _by_neighbours(move: Placement, change: "_Change", say: Language) -> Iterator[str]:
    """Yield a sentence about what a star does to its neighbours, or they to it."""
    if change.is_gone:
        yield say.gettext(_VANISHES if move.star == BLACK_HOLE else _SWALLOWED)
    elif move.star in (BLACK_HOLE, DOUBLE_STAR):
        for space, star, points in change.doubled:
            yield say.gettext(_DOUBLES_OWN, star=star, space=space, points=points)
        if change.free:
            yield say.gettext(_BLOCKS if move.star == BLACK_HOLE else _DOUBLES, spaces=say.listed(change.free))
        if change.doubles_others:
            yield say.gettext(_DOUBLES_OTHERS)
    elif change.factor > 1:
        yield say.gettext(_COUNTS, points=FACE_VALUES[move.star] * change.factor)


class _Change(NamedTuple):
    """What a placement achieves, as far as its seat can see."""

    achieved: Sequence[_Told]
    is_hidden: bool  # whether stars of others lie face down there
    taken: int  # points that the others lose
    ahead: int  # points ahead of the best of the others
    is_gone: bool  # whether the star itself goes
    factor: int  # by which double stars multiply it
    free: Sequence[str]  # empty spaces beside it
    doubled: Sequence[
        tuple[str, str, int]
    ]  # the own numbers that a double star doubles: space, number, and then points
    doubles_others: bool  # whether it doubles stars of others


def _change(view: Json, move: Placement) -> _Change:
    me, seats, board, near = view["next"], len(view["coins"]), BOARDS[move.board], _NEAR[move.board]
    spaces = next(it["spaces"] for it in view["boards"] if it["board"] == move.board)
    lying, at = _seen(spaces), list(board.spaces).index(move.space)
    after = (*lying[:at], LYING[me][move.star], *lying[at + 1 :])
    (old, had, *_), (new, left, gone, doubles) = _tally(near, lying, seats), _tally(near, after, seats)
    others, mine = _ranked(new, left, me), (new[me], left[me])
    was_first = (old[me], had[me]) > max(_ranked(old, had, me), default=(0, 0))
    is_first = mine > max(others, default=(0, 0))
    taken = sum(old) - old[me] - sum(new) + new[me]
    beside = [
        (space, it, FACTORS[(near[nr] & doubles).bit_count()])
        for nr, (space, it) in enumerate(zip(board.spaces, lying, strict=True))
        if it and move.star == DOUBLE_STAR and (near[at] & ~gone) >> nr & 1 and FACE_VALUES[it.star]
    ]
    if None not in after:
        is_second = left[me] > 0 and mine not in others and sum(it > mine for it in others) == 1
        achieved = [_SCORED_FIRST if is_first else _SCORED_SECOND if is_second else _SCORED]
    else:
        achieved = [_TAKEN] if taken > 0 else []
        if is_first and not (was_first and achieved):
            achieved.append(_EXTENDED if was_first else _LED)
        elif new[me] > old[me] and not is_first:
            achieved.append(_NEARER)
    return _Change(
        (*achieved,),
        any(it and it["star"] is None and it["seat"] != me for it in spaces.values()),
        taken,
        new[me] - max((total for total, _ in others), default=0),
        bool(gone >> at & 1),
        FACTORS[(near[at] & doubles).bit_count()],
        [it for it in board.neighbours[move.space] if spaces[it] is None],
        [(space, it.star, FACE_VALUES[it.star] * factor) for space, it, factor in beside if it.seat == me],
        any(it.seat != me for _, it, _ in beside),
    )


def advise(sky: State, seat: Seat) -> tuple[Sequence[Placement], float]:
    """Return the legal placements with the highest value for the seat on turn, and this value."""
    best, most = list[Placement](), float("-inf")
    for board, stars in sky.stars.items():
        lying = [
            it if it is None or not is_down or it.seat == seat else LYING[it.seat][GUESS]
            for it, is_down in [(stars.get(space), is_down) for space, is_down in _SPACES[board]]
        ]
        found, value = _best(board, tuple(lying), sky.hands[seat], seat, len(sky.coins))
        if value > most:
            best, most = [*found], value
        elif value == most:
            best += found
    return best, most


@lru_cache(maxsize=10_000)
def _best(board: str, spaces: Spaces, hand: tuple[str, ...], me: Seat, seats: int) -> tuple[Sequence[Placement], float]:
    """Return the placements with the highest value on a board, and this value."""
    valued = [
        (worths[star], star, space)
        for space, worths in _worths(board, spaces, me, seats).items()
        for star in dict.fromkeys(hand)
    ]
    most = max((value for value, _, _ in valued), default=float("-inf"))
    return [PLACEMENTS[star, board, space] for value, star, space in valued if value == most], most


def _seen(spaces: Json) -> Spaces:
    return tuple([it and LYING[it["seat"]][it["star"] or GUESS] for it in spaces.values()])


@lru_cache(maxsize=4_000)  # in a search, most boards recur
def _worths(board_id: str, spaces: Spaces, me: Seat, seats: int) -> Mapping[str, Mapping[str, float]]:
    """Return the value of each star of `me` on each empty space."""
    board, near = BOARDS[board_id], _NEAR[board_id]
    totals, counts, gone, doubles = _tally(near, spaces, seats)
    others = _ranked(totals, counts, me)
    fullness = (len(spaces) - spaces.count(None)) / len(spaces)
    before = _standing(board, (totals[me], counts[me]), others, seats, fullness)
    fullness = (len(spaces) - spaces.count(None) + 1) / len(spaces)
    found: dict[str, dict[str, float]] = {}
    for at, space in enumerate(board.spaces):
        if spaces[at] is None:
            stays = not gone >> at & 1
            factor = stays * FACTORS[(near[at] & doubles).bit_count()]
            worths = found[space] = {}
            for star in STARS:
                if star in (BLACK_HOLE, DOUBLE_STAR):  # changes the values of other stars
                    filled = (*spaces[:at], LYING[me][star], *spaces[at + 1 :])
                    after, left, _, _ = _tally(near, filled, seats)
                    mine, rest = (after[me], left[me]), _ranked(after, left, me)
                else:
                    mine, rest = (totals[me] + FACE_VALUES[star] * factor, counts[me] + stays), others
                worths[star] = _standing(board, mine, rest, seats, fullness) - before
    return found


def _tally(near: Sequence[int], spaces: Spaces, seats: int) -> tuple[list[int], list[int], int, int]:
    """Return each seat's total and its number of stars left, the spaces whose stars go, and the double stars left."""
    holes = doubles = gone = 0
    for at, it in enumerate(spaces):
        if it is not None:
            if it.star == BLACK_HOLE:
                holes |= 1 << at
            elif it.star == DOUBLE_STAR:
                doubles |= 1 << at
    for at, beside in enumerate(near):
        if holes >> at & 1:
            gone |= 1 << at if holes & beside else beside
    doubles &= ~gone
    totals, counts = [0] * seats, [0] * seats
    for at, it in enumerate(spaces):
        if it is not None and not gone >> at & 1:
            seat, star = it
            counts[seat] += 1
            totals[seat] += FACE_VALUES[star] * FACTORS[(near[at] & doubles).bit_count()]
    return totals, counts, gone, doubles


def _ranked(totals: Sequence[int], counts: Sequence[int], me: Seat) -> list[Ranked]:
    """Return the ranked seats without `me`, best first."""
    others = [(totals[seat], count) for seat, count in enumerate(counts) if count and seat != me]
    return sorted(others, reverse=True)


def _standing(board: Board, mine: Ranked, others: list[Ranked], seats: int, fullness: float) -> float:
    """Return the lead if the board were scored now. A fuller board counts more."""
    gain, paid = _paid(board, mine, others)
    lead = mine[0] - (others[0][0] if others else 0)
    return fullness**2 * (gain - (paid - gain) / (seats - 1)) + LEAD * lead * (fullness < 1)


def _paid(board: Board, mine: Ranked, others: list[Ranked]) -> tuple[int, int]:
    """Return the gain of the seat, and the gain of all seats together."""
    prizes, count = board.first + board.second, mine[1]
    ranking = sorted([mine, *others], reverse=True) if count else others
    if not ranking:
        return 0, 0
    first, *rest = ranking
    stars = sum([number for _, number in rest])
    if not rest:
        return (prizes if count else 0), prizes
    if rest[0] == first:
        return count, stars + first[1]
    if len(rest) > 1 and rest[0] == rest[1]:
        return (board.first if mine == first else count), board.first + stars
    compensations = stars - rest[0][1]
    gain = board.first - compensations if mine == first else board.second if mine == rest[0] else count
    return gain, prizes


_SPACES = {board.id: [(space, it.size == "large") for space, it in board.spaces.items()] for board in BOARDS.values()}
_NEAR: Mapping[str, Sequence[int]] = {
    board.id: [sum(1 << list(board.spaces).index(it) for it in board.neighbours[space]) for space in board.spaces]
    for board in BOARDS.values()
}
