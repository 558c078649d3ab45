"""The rules of Sternenhimmel: setup, turns and end (sections 2, 4 and 9)."""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any

from server.games.contract import ALONE, NOBODY, Dice, Json, Outcome, Seat
from server.games.errors import IllegalMove
from server.games.sternenhimmel.material import BOARDS, LYING, named
from server.games.sternenhimmel.moves import PLACEMENTS, Placement
from server.games.sternenhimmel.options import resolve_options
from server.games.sternenhimmel.scoring import score
from server.games.sternenhimmel.state import BoardDealt, BoardsShuffled, Event, SeatSkipped, StarPlaced, State, apply


def setup(seats: int, options: Mapping[str, Any], dice: Dice) -> list[Event]:
    """Return the opening events. Draw the order of the boards, then the starting seat if it is random."""
    resolved = resolve_options(options, seats)
    order = dice.shuffled(BOARDS)
    start = resolved["start_seat"] if resolved["start_seat"] is not None else dice.below(seats)
    dealt = [BoardDealt(board, slot) for slot, board in enumerate(order[:seats])]
    return [BoardsShuffled(seats, resolved, order, start), *dealt]


def to_act(sky: State) -> frozenset[Seat]:
    return NOBODY if sky.on_turn is None else ALONE[sky.on_turn]


def is_mid_turn(sky: State, seat: Seat) -> bool:
    """Return False, since a placement is a whole turn."""
    return False


def legal_moves(sky: State, seat: Seat, begun: Sequence[Placement] = ()) -> list[Placement]:
    """Return all legal placements of a seat. After a placement there are none, since a placement ends the turn.

    Raise IllegalMove for illegal placements in `begun`.
    """
    if seat != sky.on_turn:
        return []
    if begun:
        _check_placement(sky, seat, begun[0])
        if len(begun) > 1:
            raise _not_your_turn()
        return []
    hand, stars = sky.hands[seat], sky.stars
    found: list[Placement] = []
    for board in sky.slots:
        if board is not None:
            taken = stars[board]
            for space, placements in _placements(board, hand):
                if space not in taken:
                    found += placements
    return found


@cache
def _placements(board: str, hand: tuple[str, ...]) -> list[tuple[str, list[Placement]]]:
    """Return, for each space of the board, the placements of all stars of this hand. Legal moves are picked from these."""
    return [(space, [PLACEMENTS[star, board, space] for star in dict.fromkeys(hand)]) for space in BOARDS[board].spaces]


def decide(sky: State, seat: Seat, move: Placement, dice: Dice) -> list[Event]:
    """Return the events of a move. Raise IllegalMove if the rules forbid the move."""
    _check_placement(sky, seat, move)
    star, board, space = move
    hand_sizes = list(map(len, sky.hands))
    hand_sizes[seat] -= 1
    scoring: list[Event] = []
    if len(sky.stars[board]) + 1 == len(BOARDS[board].spaces):
        stars = {**sky.stars[board], space: LYING[seat][star]}
        scoring.append(score(BOARDS[board], stars, sky.options, sky.coins))
        if sky.stack:
            scoring.append(BoardDealt(sky.stack[0], sky.slots.index(board)))
        elif len(sky.stars) == 1:
            return [StarPlaced(seat, board, space, star, None), *scoring]
        for lying in stars.values():
            hand_sizes[lying.seat] += 1
    on_turn, skipped = _who_is_next(sky.options, seat, bool(scoring), hand_sizes)
    return [StarPlaced(seat, board, space, star, on_turn), *scoring, *map(SeatSkipped, skipped)]


def _not_your_turn() -> IllegalMove:
    return IllegalMove("not-your-turn", "It's not your turn.")


def _unknown_space(board: str) -> IllegalMove:
    return IllegalMove(
        "unknown-space",
        "%(board)s has no such space. Its spaces are %(spaces)s.",
        board=partial(named, board),
        spaces=", ".join(BOARDS[board].spaces),
    )


def _taken(board: str, space: str) -> IllegalMove:
    return IllegalMove(
        "space-taken", "Space %(space)s of %(board)s already holds a star.", space=space, board=partial(named, board)
    )


def _not_in_play(sky: State, board: str) -> IllegalMove:
    def in_play(locale: str) -> str:
        return ", ".join(named(it, locale) for it in sky.slots if it is not None)

    if board not in BOARDS:
        return IllegalMove(
            "board-not-in-play", "This constellation doesn't exist. Constellations in play: %(boards)s.", boards=in_play
        )
    return IllegalMove(
        "board-not-in-play",
        "%(board)s is not in play. Constellations in play: %(boards)s.",
        board=partial(named, board),
        boards=in_play,
    )


def check_planned(sky: State, seat: Seat, earlier: Sequence[Placement], move: Placement) -> None:
    """Raise IllegalMove unless the seat may plan this placement.

    Its star must be in the hand now and unused by `earlier` placements. A hand loses stars only through placements by
    its own seat. The boards alone therefore decide whether the placement is legal when it is played.
    """
    star, board, space = move
    if board not in BOARDS:
        raise _not_in_play(sky, board)
    if space not in BOARDS[board].spaces:
        raise _unknown_space(board)
    if space in sky.stars.get(board, ()) or any((it.board, it.space) == (board, space) for it in earlier):
        raise _taken(board, space)
    if sky.hands[seat].count(star) <= sum(it.star == star for it in earlier):
        raise IllegalMove(
            "star-not-in-hand",
            "You have no %(star)s left for this move. Your hand is %(hand)s.",
            star=star,
            hand=" ".join(sky.hands[seat]),
        )


def begin_turn(sky: State, seat: Seat) -> State:
    """Return the state as if the seat's turn began now. A board that a planned placement filled is out of play, and its
    stars are back in the hands. Its coins stay unpaid, since they would reveal its face-down stars."""
    for board, stars in sky.stars.items():
        if len(stars) == len(BOARDS[board].spaces):
            sky = apply(sky, score(BOARDS[board], stars, sky.options, sky.coins))._replace(coins=sky.coins)
    return sky._replace(on_turn=seat) if sky.stars else sky


def _check_placement(sky: State, seat: Seat, move: Placement) -> None:
    # Error texts repeat known ids only, since a player may send any text.
    star, board, space = move
    if sky.on_turn is None:
        raise IllegalMove("game-over", "The game is over.")
    if seat != sky.on_turn:
        raise _not_your_turn()
    if board not in sky.stars:
        raise _not_in_play(sky, board)
    if space not in BOARDS[board].spaces:
        raise _unknown_space(board)
    if space in sky.stars[board]:
        raise _taken(board, space)
    if star not in sky.hands[seat]:
        raise IllegalMove(
            "star-not-in-hand",
            "You have no %(star)s in your hand. Your hand is %(hand)s.",
            star=star,
            hand=" ".join(sky.hands[seat]),
        )


def _who_is_next(options: Json, seat: Seat, has_filled: bool, hand_sizes: Sequence[int]) -> tuple[Seat, Sequence[Seat]]:
    """Return a pair: the seat whose turn is next, and the seats skipped before it (section 4.1)."""
    step = 1 if options["direction"] == "clockwise" else -1
    goes_left = has_filled and options["resume"] == "left_of_completer"
    candidate = (seat + (1 if goes_left else step)) % len(hand_sizes)
    skipped = []
    while not hand_sizes[candidate]:  # by section 7, some seat has a star
        skipped.append(candidate)
        candidate = (candidate + step) % len(hand_sizes)
    return candidate, skipped


def outcome(sky: State) -> Outcome | None:
    """Return the coins and places once the last board is scored, otherwise None. All seats on place 1 share the win."""
    if sky.stars or sky.stack:
        return None
    return Outcome(sky.coins, tuple(1 + sum(other > coins for other in sky.coins) for coins in sky.coins))
