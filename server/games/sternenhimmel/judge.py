"""The value of a placement in Sternenhimmel, estimated from the view alone.

Bots that search judge many thousand placements a second, so this module has a scoring of its own: on bit sets, without
the details that players are shown. A test compares it with `scoring`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from server.games.contract import Json, Reason, Seat
from server.games.sternenhimmel.material import (
    BLACK_HOLE,
    BOARDS,
    DOUBLE_STAR,
    FACE_VALUES,
    LYING,
    STARS,
    Board,
    Lying,
    is_large,
)
from server.games.sternenhimmel.moves import PLACEMENTS, Placement
from server.games.sternenhimmel.state import State
from server.translations import Language, noted

# Views lack the options. Values and payments of the default edition are close enough for all of them.
FACTORS = [2**doubles for doubles in range(10)]
GUESS = "5"  # the assumed value of a star face down
LEAD = 0.05  # coins per point of lead while prizes may still change hands
HIGH = 7  # the least number that is worth keeping
SOON = 2  # empty spaces left on a board that is almost full

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
_SCORED_FIRST = (
    (
        noted("%(board)s is scored now, and you come first: %(coins)s."),
        noted("You'd have come first in %(board)s."),
    ),
    (
        noted("%(board)s is scored now. As far as you can see, you come first, for %(first)s coins."),
        noted("As far as you could see, you'd have come first in %(board)s."),
    ),
)
_SCORED_SECOND = (
    (
        noted("%(board)s is scored now, and you come second: %(coins)s."),
        noted("You'd have come second in %(board)s."),
    ),
    (
        noted("%(board)s is scored now. As far as you can see, you come second, for %(second)s coins."),
        noted("As far as you could see, you'd have come second in %(board)s."),
    ),
)
_PAST = noted("%(board)s would have been scored.")
_SCORED_UNSEEN = (
    noted("%(board)s is scored now. As far as you can see, you win neither prize (%(first)s and %(second)s coins)."),
    _PAST,
)
_SCORED_TIED = (
    (noted("%(board)s is scored now. You tie for first place, so its %(first)s coins stay in the bank."), _PAST),
    _SCORED_UNSEEN,
)
_SCORED_OTHERS_TIED = (
    (noted("%(board)s is scored now. Others tie for first place, so its %(first)s coins stay in the bank."), _PAST),
    _SCORED_UNSEEN,
)
_SCORED_OTHERS_TIED_EMPTY = (
    (
        noted(
            "%(board)s is scored now, and you get nothing: others tie for first place, so its %(first)s coins stay in the "
            "bank."
        ),
        _PAST,
    ),
    _SCORED_UNSEEN,
)
_SCORED_LOWER = ((noted("%(board)s is scored now: %(coins)s."), _PAST), _SCORED_UNSEEN)
_SCORED_EMPTY = ((noted("%(board)s is scored now, and you get nothing: %(coins)s."), _PAST), _SCORED_UNSEEN)
_SCORED_VOID = (
    (noted("%(board)s is scored now. No star is left there, so its coins stay in the bank."), _PAST),
    _SCORED_UNSEEN,
)
_TAKEN = (
    (
        "",  # `reasons` counts the points
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
_AHEAD = noted("You're then ahead by %(points)s."), noted("You'd then have been ahead by %(points)s.")
_BEHIND = noted("You're then behind by %(points)s."), noted("You'd then have been behind by %(points)s.")
_OPEN = (_EXTENDED, _LED, _NEARER)  # in a constellation that isn't full
_FULL = (
    *(_SCORED_FIRST, _SCORED_SECOND, _SCORED_TIED, _SCORED_OTHERS_TIED, _SCORED_OTHERS_TIED_EMPTY),
    *(_SCORED_LOWER, _SCORED_EMPTY, _SCORED_VOID),
)
_KINDS = {_TAKEN: "taken", _EXTENDED: "extended", _LED: "led", _NEARER: "nearer", **dict.fromkeys(_FULL, "scored")}

# Those about a move now
_COINS = noted("%(coins)s coins for %(name)s")
_AT_LEAST_FOR_YOU = noted("at least %(coins)s coins for you")
_AT_LEAST = noted("at least %(coins)s coins for %(name)s")
_MORE_COINS = noted("%(coins)s for %(name)s")
_BLOCKS = noted("It blocks %(spaces)s: numbers and double stars there get swallowed.")
_VANISHES = noted("It vanishes with the black hole next to it.")
_SAVES = noted("It vanishes with the black hole next to it, and your %(star)s on %(space)s counts again.")
_SWALLOWED = noted("A black hole swallows it.")
_DOUBLES = noted("Stars on %(spaces)s then count double.")
_DOUBLES_OWN = noted("Your %(star)s on %(space)s then counts %(points)s.")
_DOUBLES_OTHERS = noted("The others' stars next to the double star count double, too.")
_COUNTS = noted("Next to a double star, it counts %(points)s.")
_PAYS_MOST = noted("%(board)s pays most: %(first)s coins for first place, %(second)s for second.")
_ALONE = noted("No opponent has a star in %(board)s yet.")
_SAFE = noted("Every space next to it is taken, so no black hole can swallow it.")
_SECRET = noted("It lies face down, so the others don't know it.")
_KEPT = noted("You keep your %(star)s for later.")


def aim(view: Json) -> Callable[[Placement], object]:
    """Return a function that gives equal values for placements that achieve the same in the same constellation."""

    def of(move: Placement) -> object:
        achieved = _change(view, move).achieved
        is_special = move.star in (BLACK_HOLE, DOUBLE_STAR) and not {*achieved} & {*_FULL}
        return move.board, is_special and move.star, achieved

    return of


def reasons(
    view: Json, move: Placement, say: Language, names: Sequence[str], is_past: bool, then: Sequence[Placement]
) -> list[Reason]:
    """Return what a placement achieves, or would have achieved, as far as its seat can see."""
    change, board = _change(view, move), BOARDS[move.board]
    facts: dict[str, Any] = {"board": board.names[say.locale], "first": board.first, "second": board.second}
    if not change.lacking and not change.is_hidden and not is_past:
        facts["coins"] = _coins(board, change.ranking, view["next"], names, say)
    unseen = say.ngettext(
        "%(num)s star there is hidden from you.", "%(num)s stars there are hidden from you.", change.unseen
    )
    told = list[Reason]()
    for it in change.achieved:
        if it in _OPEN and change.is_alone and not is_past:
            continue
        if it is _TAKEN and not change.is_hidden and not is_past:
            words = say.ngettext(
                "The others lose %(num)s point in %(board)s.",
                "The others lose %(num)s points in %(board)s.",
                change.taken,
                **facts,
            )
        else:
            words = say.gettext(it[change.is_hidden][is_past], points=change.taken, **facts)
        if it in _OPEN and change.ahead and not change.is_hidden:
            ahead = say.gettext((_AHEAD if change.ahead > 0 else _BEHIND)[is_past], points=abs(change.ahead))
            words = f"{words} {ahead}"
        if it in _FULL and change.is_hidden and not is_past:
            words = f"{words} {unseen}"
        told.append(Reason(_KINDS[it], words, comes_first=it in _FULL and not is_past))
    if is_past:
        return told[:1]
    told += (Reason("neighbours", it) for it in _by_neighbours(move, change, say))
    lacking = Reason(
        "lacking",
        say.ngettext(
            "%(num)s more star then scores %(board)s, for %(first)s and %(second)s coins.",
            "%(num)s more stars then score %(board)s, for %(first)s and %(second)s coins.",
            change.lacking,
            **facts,
        ),
    )
    if not change.lacking:
        return [
            *told,
            Reason(
                "return",
                say.ngettext("%(num)s star returns to your hand.", "%(num)s stars return to your hand.", change.own),
            ),
        ]
    if change.lacking <= SOON:
        told.append(lacking)
    if all(board.first > BOARDS[it["board"]].first for it in view["boards"] if it["board"] != board.id):
        told.append(Reason("prize", say.gettext(_PAYS_MOST, **facts)))
    if change.is_alone:
        told.append(Reason("alone", say.gettext(_ALONE, **facts)))
    if change.is_safe:
        told.append(Reason("safe", say.gettext(_SAFE)))
    if change.unseen:
        told.append(Reason("unseen", unseen, is_aside=True))
    return [*told, *_by_hand(view["hand"] or (), move, say), lacking]


def _coins(board: Board, ranking: Sequence[tuple[Ranked, Seat]], me: Seat, names: Sequence[str], say: Language) -> str:
    """Return what a scoring without a tie for first place brings this seat, and the prizes of the others.

    The options decide whether the only ranked seat gets both prizes.
    """
    if len(ranking) == 1:
        ((_, sole),) = ranking
        return say.gettext(_AT_LEAST_FOR_YOU if sole == me else _AT_LEAST, coins=board.first, name=names[sole])
    places = [it for it, _ in ranking]
    coins = {
        seat: prize
        for (place, seat), prize in zip(ranking, (board.first, board.second), strict=False)
        if places.count(place) == 1
    }
    mine = coins.pop(me, next((stars for (_, stars), seat in ranking if seat == me), 0))
    told = [say.ngettext("%(num)s coin for you", "%(num)s coins for you", mine)] if mine else []
    for seat, prize in coins.items():
        told.append(say.gettext(_MORE_COINS if told else _COINS, coins=prize, name=names[seat]))
    return ", ".join(told)


def _by_hand(hand: Sequence[str], move: Placement, say: Language) -> Iterator[Reason]:
    """Yield what a placement keeps secret, and what it keeps for later."""
    if is_large(move.board, move.space):
        yield Reason("secret", say.gettext(_SECRET))
    highest = max((it for it in hand if FACE_VALUES[it]), key=lambda it: FACE_VALUES[it], default=move.star)
    if highest != move.star and FACE_VALUES[highest] >= HIGH:
        yield Reason("kept", say.gettext(_KEPT, star=highest))


def _by_neighbours(move: Placement, change: "_Change", say: Language) -> Iterator[str]:
    """Yield a sentence about what a star does to its neighbours, or they to it."""
    if change.is_gone and change.saved and move.star == BLACK_HOLE:
        space, star = max(change.saved, key=lambda it: FACE_VALUES[it[1]])
        yield say.gettext(_SAVES, space=space, star=star)
    elif change.is_gone:
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
    taken: int  # points that the others lose
    ahead: int  # points ahead of the best of the others
    is_gone: bool  # whether the star itself goes
    saved: Sequence[tuple[str, str]]  # the own numbers that no black hole swallows any longer, with their spaces
    factor: int  # by which double stars multiply it
    free: Sequence[str]  # empty spaces beside it
    doubled: Sequence[
        tuple[str, str, int]
    ]  # the own numbers that a double star doubles: space, number, and then points
    doubles_others: bool  # whether it doubles stars of others
    lacking: int  # empty spaces left on the board
    ranking: Sequence[tuple[Ranked, Seat]]  # the ranked seats, best first
    own: int  # the seat's stars on the board
    unseen: int  # stars of others that lie face down there
    is_alone: bool  # whether no other seat has a star there
    is_safe: bool  # whether it is a number that no later black hole can swallow

    @property
    def is_hidden(self) -> bool:
        return self.unseen > 0


def _change(view: Json, move: Placement) -> _Change:
    me, seats, board, near = view["next"], len(view["coins"]), BOARDS[move.board], _NEAR[move.board]
    spaces = next(it["spaces"] for it in view["boards"] if it["board"] == move.board)
    lying, at = _seen(spaces), list(board.spaces).index(move.space)
    after = (*lying[:at], LYING[me][move.star], *lying[at + 1 :])
    (old, had, lost, _), (new, left, gone, doubles) = _tally(near, lying, seats), _tally(near, after, seats)
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
        achieved = [_SCORED_FIRST if is_first else _scored(mine, others)]
    else:
        achieved = [_TAKEN] if taken > 0 else []
        if is_first and not (was_first and achieved):
            achieved.append(_EXTENDED if was_first else _LED)
        elif new[me] > old[me] and not is_first:
            achieved.append(_NEARER)
    unseen = [space for space, it in spaces.items() if it and it["star"] is None and it["seat"] != me]
    beside_it = board.neighbours[move.space]
    return _Change(
        (*achieved,),
        taken,
        new[me] - max((total for total, _ in others), default=0),
        bool(gone >> at & 1),
        [
            (space, it.star)
            for nr, (space, it) in enumerate(zip(board.spaces, lying, strict=True))
            if it and it.seat == me and FACE_VALUES[it.star] and (lost & ~gone) >> nr & 1
        ],
        FACTORS[(near[at] & doubles).bit_count()],
        [it for it in board.neighbours[move.space] if spaces[it] is None],
        [(space, it.star, FACE_VALUES[it.star] * factor) for space, it, factor in beside if it.seat == me],
        any(it.seat != me for _, it, _ in beside),
        after.count(None),
        sorted([((new[seat], stars), seat) for seat, stars in enumerate(left) if stars], reverse=True),
        sum(it is not None and it.seat == me for it in after),
        len(unseen),
        all(it is None or it.seat == me for it in after),
        FACE_VALUES[move.star] > 0 and all(spaces[it] and it not in unseen for it in beside_it),
    )


def _scored(mine: Ranked, others: Sequence[Ranked]) -> _Told:
    """Return the sentences about a scoring in which another seat comes first, or shares first place."""
    if not others:
        return _SCORED_VOID
    first, number = others[0], sum(it > mine for it in others)
    if mine == first:
        return _SCORED_TIED
    if others.count(first) > 1:
        return _SCORED_OTHERS_TIED if mine[1] else _SCORED_OTHERS_TIED_EMPTY
    if not mine[1]:
        return _SCORED_EMPTY
    return _SCORED_SECOND if number == 1 and mine not in others else _SCORED_LOWER


def advise(sky: State, seat: Seat) -> Sequence[Placement]:
    """Return the legal placements with the highest value for the seat on turn."""
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
    return best


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
