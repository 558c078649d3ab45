"""The state of a game of Sternenhimmel, with its events and their effects (section 3)."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from server.games.contract import Json, Seat
from server.games.sternenhimmel.material import HAND_ORDER, LYING, STAR_SET, Lying


class State(NamedTuple):
    """An immutable state of a game. `apply` returns the next one."""

    options: Json
    stack: tuple[str, ...]
    slots: tuple[str | None, ...]
    stars: Mapping[str, Mapping[str, Lying]]  # the stars on each board in play, by space
    hands: tuple[tuple[str, ...], ...]  # each in the order of STARS, so that it reveals no history
    coins: tuple[int, ...]
    on_turn: Seat | None


class BoardsShuffled(NamedTuple):
    """The start of a game. No player sees this event, since the order of the boards is secret."""

    seats: int
    options: Json
    order: list[str]
    start: Seat
    seat: None = None


class BoardDealt(NamedTuple):
    """The deal of the stack's top board."""

    board: str
    slot: int
    seat: None = None


class StarPlaced(NamedTuple):
    """A placement of a star. `next` is the seat whose turn it is after all effects, None after the last placement."""

    seat: Seat
    board: str
    space: str
    star: str
    next: Seat | None


class BoardScored(NamedTuple):
    """The scoring of a full board: its stars are revealed, the coins are paid, and the stars return to the hands."""

    board: str
    placements: list[Json]
    annihilated: list[str]
    swallowed: list[str]
    remaining: list[str]
    values: dict[str, int]
    totals: list[int | None]
    stars: list[int]
    ranking: list[list[Seat]]
    outcome: str
    first: Seat | None
    second: Seat | None
    payouts: list[int]
    bank: int
    transfers: list[Json]
    seat: None = None


class SeatSkipped(NamedTuple):
    """A skipped turn of a seat without stars."""

    seat: Seat


Event = BoardsShuffled | BoardDealt | StarPlaced | BoardScored | SeatSkipped
EVENTS: Mapping[str, type[Any]] = {
    "boards-shuffled": BoardsShuffled,
    "board-dealt": BoardDealt,
    "star-placed": StarPlaced,
    "board-scored": BoardScored,
    "seat-skipped": SeatSkipped,
}


def apply(sky: State | None, event: Event) -> State:
    """Return the state after an event, without checks."""
    if sky is None:
        assert isinstance(event, BoardsShuffled)
        return _opened(event)
    match event:
        case StarPlaced():
            return _with_star_placed(sky, event)
        case BoardScored():
            return _with_board_scored(sky, event)
        case BoardDealt():
            return _with_board_dealt(sky, event)
        case _:
            return sky


def _opened(event: BoardsShuffled) -> State:
    return State(
        options=event.options,
        stack=tuple(event.order),
        slots=(None,) * event.seats,
        stars={},
        hands=(STAR_SET,) * event.seats,
        coins=(0,) * event.seats,
        on_turn=event.start,
    )


def _with_board_dealt(sky: State, event: BoardDealt) -> State:
    options, stack, slots, stars, hands, coins, on_turn = sky
    board, slot, _ = event
    stack = tuple([other for other in stack if other != board])
    slots = slots[:slot] + (board,) + slots[slot + 1 :]
    return State(options, stack, slots, {**stars, board: {}}, hands, coins, on_turn)


def _with_star_placed(sky: State, event: StarPlaced) -> State:
    options, stack, slots, stars, hands, coins, _ = sky
    seat, board, space, star, on_turn = event
    hand = hands[seat]
    place = hand.index(star)
    hands = hands[:seat] + (hand[:place] + hand[place + 1 :],) + hands[seat + 1 :]
    stars = {**stars, board: {**stars[board], space: LYING[seat][star]}}
    return State(options, stack, slots, stars, hands, coins, on_turn)


def _with_board_scored(sky: State, event: BoardScored) -> State:
    options, stack, slots, stars, hands, coins, on_turn = sky
    full = event.board
    back: list[list[str]] = [[] for _ in hands]
    for placement in event.placements:
        back[placement["seat"]].append(placement["star"])
    return State(
        options,
        stack,
        tuple([None if board == full else board for board in slots]),
        {board: lying for board, lying in stars.items() if board != full},
        tuple([_in_order(hand, its) if its else hand for hand, its in zip(hands, back, strict=True)]),
        tuple([had + payout for had, payout in zip(coins, event.payouts, strict=True)]),
        on_turn,
    )


def _in_order(hand: Sequence[str], more: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted([*hand, *more], key=HAND_ORDER.__getitem__))
