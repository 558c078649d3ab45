"""Sternenhimmel, in the order of its rulebook: section numbers are those of the game specification.

A move is one placement; its events are facts. `star-placed` holds the seat that is on turn afterwards (`next`),
`board-scored` every payment, `board-dealt` the board that came up: `apply` works nothing out, so a corrected rule
leaves every recorded game as it was played.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from server.rules.common import (
    ALONE,
    HOUSE_OPTIONS,
    NO_SEAT,
    NOBODY,
    BadOption,
    Dice,
    IllegalMove,
    Json,
    MalformedMove,
    Outcome,
    Place,
    Seat,
    check_house_options,
    mended_options,
    named,
    object_of,
)

NAME = "sternenhimmel"
SEATS = range(3, 6)
REVISION = 0  # how many faults of these rules have been mended since 0.1.0: see `is_mended`


# 1. Terms

BLACK_HOLE, DOUBLE_STAR = "B", "D"
FACE_VALUES = {"1": 1, "3": 3, "5": 5, "6": 6, "7": 7, "10": 10, BLACK_HOLE: 0, DOUBLE_STAR: 0}
STARS = tuple(FACE_VALUES)
STAR_SET = ("1", "3", "5", "6", "7", "10", BLACK_HOLE, DOUBLE_STAR, DOUBLE_STAR)
HAND_ORDER = {star: place for place, star in enumerate(STARS)}
BANK = "bank"


class Space(NamedTuple):
    """Room for one star: face down on a large space, face up on a small one. x, y lie in the unit square."""

    size: str
    x: float
    y: float
    star: str | None


class Board(NamedTuple):
    """A constellation: its spaces by id, the lines that join neighbours, and two prizes."""

    id: str
    abbr: str
    latin: str
    names: Mapping[str, str]
    first: int
    second: int
    spaces: Mapping[str, Space]
    lines: tuple[tuple[str, str], ...]
    neighbours: Mapping[str, tuple[str, ...]]


class Lying(NamedTuple):
    """A star on a space."""

    seat: Seat
    star: str


LYING = [{star: Lying(seat, star) for star in STARS} for seat in range(max(SEATS))]  # made once


class Placement(NamedTuple):
    """The one kind of move: put this star of one's hand on that space."""

    star: str
    board: str
    space: str


class State(NamedTuple):
    """The state of a game. Never changed: `apply` makes the next one."""

    options: Json
    stack: tuple[str, ...]
    slots: tuple[str | None, ...]
    stars: Mapping[str, Mapping[str, Lying]]  # what lies on each board in play, by space
    hands: tuple[tuple[str, ...], ...]  # each in the order of STARS, so that it tells nothing of what was held when
    coins: tuple[int, ...]
    on_turn: Seat | None


class BoardsShuffled(NamedTuple):
    """The game begins. Nobody is told: the order of the boards is secret until they are dealt."""

    seats: int
    options: Json
    order: list[str]
    start: Seat
    seat: None = None


class BoardDealt(NamedTuple):
    """The top board of the stack came into play."""

    board: str
    slot: int
    seat: None = None


class StarPlaced(NamedTuple):
    """A star was placed; `next` is the seat on turn when all that follows has happened, None after the last one."""

    seat: Seat
    board: str
    space: str
    star: str
    next: Seat | None


class BoardScored(NamedTuple):
    """A full board was revealed, scored and paid, and has left the game; its stars are back in the hands."""

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
    """It would have been this seat's turn, but it has no star in hand."""

    seat: Seat


Event = BoardsShuffled | BoardDealt | StarPlaced | BoardScored | SeatSkipped
EVENTS: Mapping[str, type[Any]] = {
    "boards-shuffled": BoardsShuffled,
    "board-dealt": BoardDealt,
    "star-placed": StarPlaced,
    "board-scored": BoardScored,
    "seat-skipped": SeatSkipped,
}


# 2. Setup


def setup(seats: int, options: Mapping[str, Any], dice: Dice) -> list[Event]:
    """The opening events. Draws the order of the boards, then the starting seat where it is drawn."""
    resolved = resolve_options(options, seats)
    order = dice.shuffled(BOARDS)
    start = resolved["start_seat"] if resolved["start_seat"] is not None else dice.below(seats)
    dealt = [BoardDealt(board, slot) for slot, board in enumerate(order[:seats])]
    return [BoardsShuffled(seats, resolved, order, start), *dealt]


# 3. States


def apply(sky: State | None, event: Event) -> State:
    """The sky after `event`. Asks no questions: it has happened."""
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


# 4. A turn


def to_act(sky: State) -> frozenset[Seat]:
    """The seat on turn."""
    return NOBODY if sky.on_turn is None else ALONE[sky.on_turn]


def is_mid_turn(sky: State, seat: Seat) -> bool:
    """Never: a placement is a whole turn."""
    return False


def legal_moves(sky: State, seat: Seat, begun: Sequence[Placement] = ()) -> list[Placement]:
    """Every placement open to `seat`: none for a seat not on turn, and none after a placement, which ends a turn.

    Raises IllegalMove for placements that could not be begun.
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
    """For each space of the board, every placement of a star of this hand: a list of legal moves only picks from these."""
    return [(space, [PLACEMENTS[star, board, space] for star in dict.fromkeys(hand)]) for space in BOARDS[board].spaces]


def decide(sky: State, seat: Seat, move: Placement, dice: Dice) -> list[Event]:
    """What happens if `seat` plays `move`. Raises IllegalMove if it may not."""
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


def preview(sky: State, seat: Seat, events: Sequence[Event]) -> tuple[list[Event], bool]:
    """How far `seat` can foresee these events of its own move, and whether what it cannot is hidden as yet.

    A scoring that turns over a star of somebody else, and the board that is dealt after it, are left out.
    """
    placed, *rest = events
    assert isinstance(placed, StarPlaced)
    if not rest or not isinstance(rest[0], BoardScored):
        return list(events), False
    large = (lying.seat for space, lying in sky.stars[placed.board].items() if _is_large(placed.board, space))
    if any(owner != seat for owner in large):
        return [placed], True
    seen: list[Event] = [event for event in events if not isinstance(event, BoardDealt)]
    return seen, len(seen) < len(events)


def reveals(sky: State, seat: Seat, events: Sequence[Event]) -> bool:
    """Whether these events of its own move have shown `seat` something: a scoring does, with the board that follows it."""
    return any(isinstance(event, BoardScored | BoardDealt) for event in events)


def _is_large(board: str, space: str) -> bool:
    return BOARDS[board].spaces[space].size == "large"


def _not_your_turn() -> IllegalMove:
    return IllegalMove("not-your-turn", "It is not your turn.")


def check_planned(sky: State, seat: Seat, earlier: Sequence[Placement], move: Placement) -> None:
    """Whether `seat` may leave this placement for one of its next turns. Raises IllegalMove.

    Only a star that is in its hand now, and that none of the `earlier` ones takes: a hand loses stars by its own
    placements alone, so whether this one is legal in its turn follows from what lies on the boards.
    """
    star, board, space = move
    if board not in BOARDS:
        raise IllegalMove("board-not-in-play", "There is no such board.")
    if space not in BOARDS[board].spaces:
        raise IllegalMove("unknown-space", f"{board} has no such space, only {', '.join(BOARDS[board].spaces)}.")
    if space in sky.stars.get(board, ()) or any((it.board, it.space) == (board, space) for it in earlier):
        raise IllegalMove("space-taken", f"{space} on {board} already holds a star.")
    if sky.hands[seat].count(star) <= sum(it.star == star for it in earlier):
        raise IllegalMove(
            "star-not-in-hand", f"You have no {star} left for it; your hand is {' '.join(sky.hands[seat])}."
        )


def place(view: Json, text: str) -> Place:
    """Where a spectator's view shows a space, written as `leo c`. Raises MalformedMove."""
    match text.lower().split():
        case [board, space] if board in _BOARD_OF_WORD:
            board = _BOARD_OF_WORD[board]
            boards = [it["board"] for it in view["boards"]]
            if board in boards and space in BOARDS[board].spaces:
                at = f"/boards/{boards.index(board)}"
                return Place(f"{at}/spaces/{space}", {f"{at}/board": board})
    raise MalformedMove("unknown-space", "That is no space of a board in play. Write, for example: leo c")


def _check_placement(sky: State, seat: Seat, move: Placement) -> None:
    # The sentences repeat nothing but known ids: what a player sent may be anything.
    star, board, space = move
    if sky.on_turn is None:
        raise IllegalMove("game-over", "The game is over.")
    if seat != sky.on_turn:
        raise _not_your_turn()
    if board not in sky.stars:
        in_play = ", ".join(board for board in sky.slots if board is not None)
        named = f"{board} is not in play" if board in BOARDS else "There is no such board"
        raise IllegalMove("board-not-in-play", f"{named}; these boards are in play: {in_play}.")
    if space not in BOARDS[board].spaces:
        raise IllegalMove("unknown-space", f"{board} has no such space, only {', '.join(BOARDS[board].spaces)}.")
    if space in sky.stars[board]:
        raise IllegalMove("space-taken", f"{space} on {board} already holds a star.")
    if star not in sky.hands[seat]:
        raise IllegalMove("star-not-in-hand", f"You have no {star} in your hand, only {' '.join(sky.hands[seat])}.")


def _who_is_next(options: Json, seat: Seat, has_filled: bool, hand_sizes: Sequence[int]) -> tuple[Seat, Sequence[Seat]]:
    """The seat on turn after `seat` has placed, and the seats skipped on the way to it (section 4.1)."""
    step = 1 if options["direction"] == "clockwise" else -1
    goes_left = has_filled and options["resume"] == "left_of_completer"
    candidate = (seat + (1 if goes_left else step)) % len(hand_sizes)
    skipped = []
    while not hand_sizes[candidate]:  # section 7: there is one that has a star
        skipped.append(candidate)
        candidate = (candidate + step) % len(hand_sizes)
    return candidate, skipped


# 5. Scoring a full board


def score(board: Board, stars: Mapping[str, Lying], options: Mapping[str, Any], coins: Sequence[int]) -> BoardScored:
    """The scoring of a full board; `coins` holds what each seat owns before it."""
    annihilated = vanishing(board, stars)
    swallowed = swallowed_by_holes(board, stars, annihilated)
    values = values_of(board, stars, annihilated | swallowed, options["doubling"])
    totals, counts = tally(stars, values, len(coins))
    ranking = rank(totals, counts)
    has_one_owner = len({seat for seat, _ in stars.values()}) == 1
    outcome, transfers = payments(board, ranking, counts, has_one_owner, options, coins)
    payouts = [0] * len(coins)
    for transfer in transfers:
        payouts[transfer["to"]] += transfer["amount"]
        if transfer["from"] != BANK:
            payouts[transfer["from"]] -= transfer["amount"]
    lying = [(space, *stars[space]) for space in board.spaces]
    remaining = sorted(values)
    winner_of = {transfer["reason"]: transfer["to"] for transfer in transfers}
    return BoardScored(
        board=board.id,
        placements=[{"space": space, "seat": seat, "star": star} for space, seat, star in lying],
        annihilated=sorted(annihilated),
        swallowed=sorted(swallowed),
        remaining=remaining,
        values={space: values[space] for space in remaining},
        totals=totals,
        stars=counts,
        ranking=ranking,
        outcome=outcome,
        first=winner_of.get("first"),
        second=winner_of.get("second"),
        payouts=payouts,
        bank=sum(transfer["amount"] for transfer in transfers if transfer["from"] == BANK),
        transfers=transfers,
    )


def vanishing(board: Board, stars: Mapping[str, Lying]) -> set[str]:
    """The black holes beside a black hole: all of them go at once, in a row or ring of any length."""
    holes = {space for space, (_, star) in stars.items() if star == BLACK_HOLE}
    return {hole for hole in holes if not holes.isdisjoint(board.neighbours[hole])}


def swallowed_by_holes(board: Board, stars: Mapping[str, Lying], vanished: set[str]) -> set[str]:
    """The stars beside a black hole that has not vanished. (It has no black hole beside it.)"""
    holes = [space for space, (_, star) in stars.items() if star == BLACK_HOLE and space not in vanished]
    return {space for hole in holes for space in board.neighbours[hole] if space in stars}


def values_of(board: Board, stars: Mapping[str, Lying], gone: set[str], doubling: str) -> dict[str, int]:
    """The value of every star that is not `gone`; the double stars beside a number multiply it."""
    doubles = {space for space, (_, star) in stars.items() if star == DOUBLE_STAR and space not in gone}
    return {
        space: FACE_VALUES[star] * factor(len(doubles.intersection(board.neighbours[space])), doubling)
        for space, (_, star) in stars.items()
        if space not in gone
    }


def factor(doubles: int, doubling: str) -> int:
    """What so many double stars make of a number."""
    if doubles == 0:
        return 1
    return 2 * doubles if doubling == "linear" else 2**doubles


def tally(stars: Mapping[str, Lying], values: Mapping[str, int], seats: int) -> tuple[list[int | None], list[int]]:
    """Total and number of remaining stars of every seat; the total of a seat without one is None."""
    totals: list[int | None] = [None] * seats
    counts = [0] * seats
    for space, value in values.items():
        seat = stars[space].seat
        totals[seat] = (totals[seat] or 0) + value
        counts[seat] += 1
    return totals, counts


def rank(totals: Sequence[int | None], counts: Sequence[int]) -> list[list[Seat]]:
    """Groups of equal seats, best first: by total, then by number of stars. Seats without a star are not ranked."""
    equals: dict[tuple[int, int], list[Seat]] = {}
    for seat, total in enumerate(totals):
        if total is not None:
            equals.setdefault((total, counts[seat]), []).append(seat)
    return [equals[standing] for standing in sorted(equals, reverse=True)]


# 6. Payments


def payments(
    board: Board,
    ranking: Sequence[Sequence[Seat]],
    counts: Sequence[int],
    has_one_owner: bool,
    options: Mapping[str, Any],
    coins: Sequence[int],
) -> tuple[str, list[Json]]:
    """The outcome of a scoring and its single payments, in order."""
    if not ranking:
        return "void", []
    first, *others = (seat for group in ranking for seat in group)
    prize = _transfer(BANK, first, board.first, "first")
    if not others:
        gets_both = has_one_owner or options["sole_player"] == "remaining"
        return "sole", [prize, _transfer(BANK, first, board.second, "second")] if gets_both else [prize]
    if len(ranking[0]) > 1:
        pays = options["first_tie"] == "star_coins"
        return "first_tie", list(_star_coins((first, *others), counts, "tie", BANK, 0)) if pays else []
    payer: Seat | str = first if options["compensation_payer"] == "first" else BANK
    limit = board.first + (coins[first] if options["payer_limit"] == "purse" else 0)
    if len(ranking[1]) > 1:
        payer = payer if options["second_tie_payer"] == "as_compensation" else BANK
        return "second_tie", [prize, *_star_coins(others, counts, "tie", payer, limit)]
    second, *rest = others
    compensations = _star_coins(rest, counts, "compensation", payer, limit)
    return "ranked", [prize, _transfer(BANK, second, board.second, "second"), *compensations]


def _star_coins(
    receivers: Sequence[Seat], counts: Sequence[int], reason: str, payer: Seat | str, limit: int
) -> Iterator[Json]:
    """A coin per remaining star; a seat pays no more than `limit` in all, and the bank adds the shortfall."""
    for seat in receivers:
        part = counts[seat] if payer == BANK else min(counts[seat], limit)
        limit -= part
        if part:
            yield _transfer(payer, seat, part, reason)
        if part < counts[seat]:
            yield _transfer(BANK, seat, counts[seat] - part, "shortfall")


def _transfer(payer: Seat | str, receiver: Seat, amount: int, reason: str) -> Json:
    return {"from": payer, "to": receiver, "amount": amount, "reason": reason}


# 7. The game never stalls: what a set of boards must be like


def load_boards(data: Json) -> dict[str, Board]:
    """The boards of a set by id. Raises ValueError with a sentence that says what is wrong with the set."""
    boards: dict[str, Board] = {}
    words: set[str] = set()
    for entry in data.get("boards", ()):
        board = _board(entry)
        for word in {board.id, board.abbr.lower()}:
            if word in words:
                raise ValueError(f"Two boards share the name {word}.")
            words.add(word)
        boards[board.id] = board
    _check_set_never_stalls(boards)
    return boards


def _board(entry: Json) -> Board:
    try:
        spaces = {it["id"]: Space(it["size"], it["x"], it["y"], it["star"]) for it in entry["spaces"]}
        _check_board(entry["id"], entry)
        return Board(
            id=entry["id"],
            abbr=entry["abbr"],
            latin=entry["latin"],
            names=entry["name"],
            first=entry["prizes"]["first"],
            second=entry["prizes"]["second"],
            spaces=spaces,
            lines=tuple((a, b) for a, b in entry["lines"]),
            neighbours={space: tuple(_neighbours(space, entry["lines"])) for space in spaces},
        )
    except KeyError as missing:
        raise ValueError(f"The board {entry.get('id')} lacks {missing}.") from None


def _neighbours(space: str, lines: Sequence[Sequence[str]]) -> list[str]:
    return sorted(b if space == a else a for a, b in lines if space in (a, b))


def _check_board(board: str, entry: Json) -> None:
    ids = [it["id"] for it in entry["spaces"]]
    joined = [frozenset(line) for line in entry["lines"]]
    if not ids:
        raise ValueError(f"The board {board} has no space.")
    if len(set(ids)) < len(ids):
        raise ValueError(f"Two spaces of the board {board} share an id.")
    if any(it["size"] not in ("large", "small") for it in entry["spaces"]):
        raise ValueError(f"A space of the board {board} is neither large nor small.")
    if any(len(line) != 2 or not line <= set(ids) for line in joined):
        raise ValueError(f"A line of the board {board} does not join two different spaces of it.")
    if len(set(joined)) < len(joined):
        raise ValueError(f"The board {board} has the same line twice.")
    if entry["prizes"]["second"] <= 0 or entry["prizes"]["first"] < entry["prizes"]["second"]:
        raise ValueError(f"The prizes of the board {board} are not positive, or the second is above the first.")


def _check_set_never_stalls(boards: Mapping[str, Board]) -> None:
    sizes = sorted((len(board.spaces) for board in boards.values()), reverse=True)
    if len(sizes) < max(SEATS):
        raise ValueError(f"{max(SEATS)} players need {max(SEATS)} boards; the set has {len(sizes)}.")
    for seats in SEATS:
        spaces, limit = sum(sizes[:seats]), (len(STAR_SET) + 1) * seats - 1
        if spaces > limit:
            raise ValueError(
                f"The set could stall a game of {seats}: its {seats} largest boards have {spaces} spaces, "
                f"more than {limit}, so that all stars may lie on boards none of which is full."
            )


BOARD_SET: Json = json.loads((Path(__file__).parent / "data" / "sternenhimmel-boards.json").read_text("utf-8"))
BOARDS = load_boards(BOARD_SET)
# Every placement there is, made once.
PLACEMENTS = {
    (star, board, space): Placement(star, board, space)
    for board in BOARDS
    for space in BOARDS[board].spaces
    for star in STARS
}


# 8. Options and editions

OPTIONS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "doubling": (
        "What several double stars beside one number do",
        {"linear": "k double stars: 2k times the number", "compound": "k double stars: 2^k times the number"},
    ),
    "compensation_payer": (
        "Who pays third and lower places a coin per remaining star",
        {"first": "the first place", "bank": "the bank"},
    ),
    "payer_limit": (
        "What the first place pays from, where it pays; the bank adds what is missing",
        {"purse": "all its coins, with the first prize", "winnings": "the first prize only"},
    ),
    "first_tie": (
        "What an unbroken tie for first place is worth; the prizes are not paid",
        {"star_coins": "every ranked seat gets a coin per remaining star", "nothing": "nobody gets anything"},
    ),
    "second_tie_payer": (
        "Who pays the coins per star after an unbroken tie for second place",
        {"bank": "the bank", "as_compensation": "whoever pays compensations, within the same limit"},
    ),
    "sole_player": (
        "When the only ranked seat gets the second prize, too",
        {"filled": "if every star placed on the board was its own", "remaining": "always"},
    ),
    "direction": (
        "The order of turns",
        {"clockwise": "0, 1, 2, ...", "counterclockwise": "0, the last seat, the last but one, ..."},
    ),
    "resume": (
        "Who goes on after a scoring",
        {
            "next_in_direction": "the next seat in the order of turns",
            "left_of_completer": "the seat to the left (number + 1) of the one that filled the board",
        },
    ),
    "start_player": (
        "Who begins; at random if no seat is named by start_seat",
        {"oldest": "the oldest, named by start_seat", "random": "at random", "chosen": "named by start_seat"},
    ),
}
EDITIONS: Mapping[str, Mapping[str, str]] = {
    "goldsieber-en": {
        "doubling": "linear",
        "compensation_payer": "first",
        "payer_limit": "purse",
        "first_tie": "star_coins",
        "second_tie_payer": "bank",
        "sole_player": "filled",
        "direction": "clockwise",
        "resume": "next_in_direction",
        "start_player": "oldest",
    },
    "sargon-it": {
        "doubling": "compound",
        "compensation_payer": "bank",
        "payer_limit": "winnings",
        "first_tie": "nothing",
        "second_tie_payer": "as_compensation",
        "sole_player": "remaining",
        "direction": "counterclockwise",
        "resume": "left_of_completer",
        "start_player": "random",
    },
    "schloth-en": {
        "doubling": "compound",
        "compensation_payer": "first",
        "payer_limit": "winnings",
        "first_tie": "star_coins",
        "second_tie_payer": "bank",
        "sole_player": "remaining",
        "direction": "clockwise",
        "resume": "left_of_completer",
        "start_player": "chosen",
    },
    "grignou-fr": {
        "doubling": "compound",
        "compensation_payer": "bank",
        "payer_limit": "winnings",
        "first_tie": "star_coins",
        "second_tie_payer": "as_compensation",
        "sole_player": "remaining",
        "direction": "clockwise",
        "resume": "left_of_completer",
        "start_player": "chosen",
    },
}
DEFAULT_EDITION = "schloth-en"


def resolve_options(options: Mapping[str, Any], seats: int) -> Json:
    """The value of every option: those given, those of the game as in the edition. Raises BadOption."""
    if type(seats) is not int or seats not in SEATS:
        raise BadOption("bad-seats", "Sternenhimmel is a game for 3, 4 or 5 players.")
    for name in options:
        if name not in OPTION_SCHEMA["properties"]:
            known = ", ".join(OPTION_SCHEMA["properties"])
            raise BadOption("unknown-option", f"There is no option {name[:40]!r}; there are {known}.")
    for name, schema in OPTION_SCHEMA["properties"].items():
        if name in options and "enum" in schema and options[name] not in schema["enum"]:
            raise BadOption("bad-option", f"The option {name} must be one of {', '.join(schema['enum'])}.")
    check_house_options(options, OPTION_SCHEMA)
    edition = options.get("edition", DEFAULT_EDITION)
    resolved = {"edition": edition, "boards": BOARD_SET["set"], "start_seat": None, **EDITIONS[edition], **options}
    _check_start_seat(resolved["start_seat"], resolved["start_player"], seats)
    return resolved


def _check_start_seat(start_seat: Any, start_player: str, seats: int) -> None:
    if start_seat is None:
        return
    if type(start_seat) is not int or not 0 <= start_seat < seats:
        raise BadOption("bad-option", f"The option start_seat must be a seat from 0 to {seats - 1}, or null.")
    if start_player == "random":
        raise BadOption("bad-option", "The option start_seat has no place where start_player is random.")


OPTION_SCHEMA: Json = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "edition": named(
            "Edition",
            {
                "description": "The rule text to play by; every other option may deviate from it",
                "enum": list(EDITIONS),
                "default": DEFAULT_EDITION,
            },
        ),
        "boards": {"description": "The set of boards", "enum": [BOARD_SET["set"]], "default": BOARD_SET["set"]},
        "start_seat": {
            "description": "The seat that begins, where start_player is oldest or chosen; null: drawn at random",
            "type": ["integer", "null"],
            "minimum": 0,
            "maximum": max(SEATS) - 1,
            "default": None,
        },
        **{
            name: {
                "description": f"{meaning}. " + "; ".join(f"{value}: {text}" for value, text in values.items()),
                "enum": list(values),
            }
            for name, (meaning, values) in OPTIONS.items()
        },
        **HOUSE_OPTIONS,
        **mended_options(REVISION),
    },
}


# 9. End of the game


def outcome(sky: State) -> Outcome | None:
    """Coins and places once the last board is scored, else None. All on place 1 win together."""
    if sky.stars or sky.stack:
        return None
    return Outcome(sky.coins, tuple(1 + sum(other > coins for other in sky.coins) for coins in sky.coins))


# 10. Hidden information


def view(sky: State, seat: Seat | None) -> Json:
    """What `seat` (None: a spectator) may see of the sky."""
    return {
        "boards": [
            {"board": board, "slot": slot, "spaces": _spaces_seen(BOARDS[board], sky.stars[board], seat)}
            for slot, board in enumerate(sky.slots)
            if board is not None
        ],
        "coins": list(sky.coins),
        "hand": None if seat is None else list(sky.hands[seat]),
        "hand_sizes": [len(hand) for hand in sky.hands],
        "stack": len(sky.stack),
        "next": sky.on_turn,
    }


def _spaces_seen(board: Board, stars: Mapping[str, Lying], viewer: Seat | None) -> Json:
    seen: Json = dict.fromkeys(board.spaces)
    for space, (seat, star) in stars.items():
        may_know = seat == viewer or board.spaces[space].size == "small"
        seen[space] = {"seat": seat, "star": star if may_know else None}
    return seen


def tell(event: Event, seat: Seat | None) -> Json | None:
    """The event as `seat` (None: a spectator) saw it happen; None if there was nothing to be seen."""
    match event:
        case StarPlaced(owner, board, space, star):
            may_know = owner == seat or BOARDS[board].spaces[space].size == "small"
            told = {"board": board, "space": space, "star": star if may_know else None}
            return {"type": "star-placed", "seat": owner, **told}
        case BoardDealt(board, slot):
            return {"type": "board-dealt", "seat": None, "board": board, "slot": slot}
        case BoardScored():
            return {"type": "board-scored", **event._asdict()}  # all of it lies open on the table
        case SeatSkipped(skipped):
            return {"type": "seat-skipped", "seat": skipped}
        case BoardsShuffled():
            return None


# The words of the game in JSON and in the one-line notation

_STAR_SCHEMA = named("Star", {"enum": list(STARS)})
_BOARD_SCHEMA = named("Board", {"enum": list(BOARDS)})
_HIDDEN_STAR_SCHEMA = {"anyOf": [_STAR_SCHEMA, {"type": "null"}]}
_NO_NUL: Json = {"pattern": r"^[^\u0000]*$"}
MOVE_SCHEMA: Json = object_of(
    "A star of your hand, and where to put it",
    {
        "star": {"description": "A kind of star: a number, B black hole, D double star", **_STAR_SCHEMA},
        "board": {"description": "The id of a board in play", "type": "string", **_NO_NUL},
        "space": {"description": "The id of an empty space of that board", "type": "string", **_NO_NUL},
    },
)
_SEAT_SCHEMA: Json = {"type": "integer", "minimum": 0, "maximum": max(SEATS) - 1}
_FACE_DOWN = "null: it lies face down, and its kind is not for you to know"
_LYING_SCHEMA = named(
    "LyingStar",
    object_of("A star on a space", {"seat": _SEAT_SCHEMA, "star": {"description": _FACE_DOWN, **_HIDDEN_STAR_SCHEMA}}),
)
_SPACES_IN_PLAY_SCHEMA: Json = {
    "description": "What lies on each space; null: nothing",
    "type": "object",
    "additionalProperties": {"anyOf": [_LYING_SCHEMA, {"type": "null"}]},
}
_BOARD_IN_PLAY_SCHEMA = named(
    "BoardInPlay",
    object_of(
        "A board on the table",
        {"board": _BOARD_SCHEMA, "slot": _SEAT_SCHEMA, "spaces": named("Spaces", _SPACES_IN_PLAY_SCHEMA)},
    ),
)


def _one_per_seat(schema: Json) -> Json:
    return {"type": "array", "minItems": min(SEATS), "maxItems": max(SEATS), "items": schema}


VIEW_SCHEMA: Json = {
    "type": "object",
    "additionalProperties": False,
    "required": ["boards", "coins", "hand", "hand_sizes", "stack", "next"],
    "properties": {
        "boards": {"description": "The boards in play by slot", "type": "array", "items": _BOARD_IN_PLAY_SCHEMA},
        "coins": _one_per_seat({"type": "integer", "minimum": 0}),
        "hand": {
            "description": "Your stars; null for a spectator",
            "type": ["array", "null"],
            "maxItems": len(STAR_SET),
            "items": _STAR_SCHEMA,
        },
        "hand_sizes": _one_per_seat({"type": "integer", "minimum": 0, "maximum": len(STAR_SET)}),
        "stack": {"description": "The number of boards not yet in play", "type": "integer", "minimum": 0},
        "next": {
            "description": "The seat on turn; null when the game is over",
            "anyOf": [_SEAT_SCHEMA, {"type": "null"}],
        },
    },
}

_NULLABLE_SEAT: Json = {"anyOf": [_SEAT_SCHEMA, {"type": "null"}]}
_SPACES_SCHEMA: Json = {"type": "array", "items": {"type": "string"}}
_COUNT_SCHEMA: Json = {"type": "integer", "minimum": 0}
_REASONS = ("first", "second", "tie", "compensation", "shortfall")

EVENT_SCHEMAS: Mapping[str, Json] = {
    type_: object_of(meaning, {"type": {"const": type_}, **fields})
    for type_, meaning, fields in (
        (
            "board-dealt",
            "The top board of the stack came into play",
            {"seat": NO_SEAT, "board": _BOARD_SCHEMA, "slot": _SEAT_SCHEMA},
        ),
        (
            "star-placed",
            "A star was placed",
            {
                "seat": _SEAT_SCHEMA,
                "board": _BOARD_SCHEMA,
                "space": {"type": "string"},
                "star": {"description": _FACE_DOWN, **_HIDDEN_STAR_SCHEMA},
            },
        ),
        (
            "board-scored",
            "A full board was revealed, scored and paid, and has left the game; its stars are back in the hands",
            {
                "seat": NO_SEAT,
                "board": _BOARD_SCHEMA,
                "placements": {
                    "description": "All stars that lay on the board",
                    "type": "array",
                    "items": named(
                        "Placed",
                        object_of(
                            "A star on its space",
                            {"space": {"type": "string"}, "seat": _SEAT_SCHEMA, "star": _STAR_SCHEMA},
                        ),
                    ),
                },
                "annihilated": {"description": "The spaces whose black holes made each other vanish", **_SPACES_SCHEMA},
                "swallowed": {"description": "The spaces whose stars a black hole took", **_SPACES_SCHEMA},
                "remaining": {"description": "The spaces whose stars count", **_SPACES_SCHEMA},
                "values": named(
                    "ValuesBySpace",
                    {
                        "description": "What each remaining star is worth, by space",
                        "type": "object",
                        "additionalProperties": _COUNT_SCHEMA,
                    },
                ),
                "totals": {
                    "description": "By seat; null for a seat without a remaining star",
                    **_one_per_seat({"type": ["integer", "null"], "minimum": 0}),
                },
                "stars": {"description": "Remaining stars by seat", **_one_per_seat(_COUNT_SCHEMA)},
                "ranking": {
                    "description": "Groups of equal seats, the best first; seats without a remaining star are left out",
                    "type": "array",
                    "items": {"type": "array", "items": _SEAT_SCHEMA},
                },
                "outcome": {
                    "description": "Which case of the payments it was",
                    **named("PaymentCase", {"enum": ["void", "sole", "first_tie", "second_tie", "ranked"]}),
                },
                "first": {"description": "Who got the first prize", **_NULLABLE_SEAT},
                "second": {"description": "Who got the second prize", **_NULLABLE_SEAT},
                "payouts": {
                    "description": "What each seat gained; below zero where it paid more",
                    **_one_per_seat({"type": "integer"}),
                },
                "bank": {"description": "What the bank paid in all", **_COUNT_SCHEMA},
                "transfers": {
                    "description": "The single payments, in order",
                    "type": "array",
                    "items": named(
                        "Payment",
                        object_of(
                            "A payment",
                            {
                                "from": named("Payer", {"anyOf": [_SEAT_SCHEMA, named("Bank", {"enum": [BANK]})]}),
                                "to": _SEAT_SCHEMA,
                                "amount": {"type": "integer", "minimum": 1},
                                "reason": named("PaymentReason", {"enum": list(_REASONS)}),
                            },
                        ),
                    ),
                },
            },
        ),
        ("seat-skipped", "This seat would have been on turn, but has no star in hand", {"seat": _SEAT_SCHEMA}),
    )
}

_NOTATION = "Write a star, a board and a space, for example: 7 leo c"
_STAR_OF_WORD = {star.lower(): star for star in STARS}
_BOARD_OF_WORD = {word: board.id for board in BOARDS.values() for word in (board.abbr.lower(), board.id)}


def move_from_json(data: Any) -> Placement:
    """The placement that this JSON value is. Raises MalformedMove; whether it is legal is for `decide` to say."""
    if type(data) is not dict:
        raise MalformedMove("not-an-object", "A move is an object with star, board and space.")
    try:
        star, board, space = data["star"], data["board"], data["space"]
    except KeyError as missing:
        raise MalformedMove("missing-field", f"The move lacks the field {missing.args[0]}.") from None
    if len(data) != 3:
        raise MalformedMove("unknown-field", "A move has the fields star, board and space, and no other.")
    if type(star) is not str or type(board) is not str or type(space) is not str:
        raise MalformedMove("wrong-type", "star, board and space are strings.")
    if star not in FACE_VALUES:
        raise MalformedMove("unknown-star", f"There is no such star; the stars are {', '.join(STARS)}.")
    return Placement(star, board, space)


def move_to_json(move: Placement) -> Json:
    """The placement as plain JSON."""
    return move._asdict()


def move_of(events: Sequence[Any]) -> Placement:
    """The placement that these events came from. Raises MalformedMove if they do not begin with one."""
    match events:
        case [StarPlaced(_, board, space, star), *_]:
            return move_from_json({"star": star, "board": board, "space": space})
    raise MalformedMove("not-a-placement", "These events do not begin with a placement.")


def read_move(text: str) -> Placement:
    """The placement written as `7 leo c`; case does not matter, `7 Leo C` is the same. Raises MalformedMove."""
    words = [word for word in text.lower().split(" ") if word]
    if len(words) != 3:
        raise MalformedMove("not-a-placement", f"That is not a placement. {_NOTATION}")
    star, board, space = words
    if star not in _STAR_OF_WORD:
        raise MalformedMove("unknown-star", f"There is no such star, only {', '.join(STARS)}. {_NOTATION}")
    if board not in _BOARD_OF_WORD:
        raise MalformedMove("unknown-board", f"There is no such board, only {', '.join(BOARDS)}. {_NOTATION}")
    return Placement(_STAR_OF_WORD[star], _BOARD_OF_WORD[board], space)


def write_move(move: Placement) -> str:
    """The placement in one line, such as `7 leo c`."""
    return f"{move.star} {move.board} {move.space}"


def describe() -> Json:
    """All that a client needs to know of this game, as plain JSON."""
    example = Placement("7", "leo", "c")
    return {
        "name": NAME,
        "seats": list(SEATS),
        "options": OPTION_SCHEMA,
        "editions": {edition: dict(values) for edition, values in EDITIONS.items()},
        "boards": [_described(board) for board in BOARDS.values()],
        "stars": [_described_star(star) for star in STARS],
        "move": MOVE_SCHEMA,
        "view": VIEW_SCHEMA,
        "events": dict(EVENT_SCHEMAS),
        "notation": {
            "form": "star board space",
            "text": "One line: the star, the board and the space, with spaces between. The board goes by its id or its "
            "abbreviation; capitals do not matter.",
            "examples": [
                {"text": write_move(example), "move": move_to_json(example)},
                {"text": "d Cnc a", "move": move_to_json(Placement(DOUBLE_STAR, "cancer", "a"))},
            ],
        },
    }


def _described(board: Board) -> Json:
    return {
        "id": board.id,
        "abbr": board.abbr,
        "latin": board.latin,
        "name": dict(board.names),
        "prizes": {"first": board.first, "second": board.second},
        "spaces": [{"id": space, **room._asdict()} for space, room in board.spaces.items()],
        "lines": [list(line) for line in board.lines],
    }


def _described_star(star: str) -> Json:
    name = {BLACK_HOLE: "black hole", DOUBLE_STAR: "double star"}.get(star, star)
    return {"star": star, "name": name, "value": FACE_VALUES[star], "per_seat": STAR_SET.count(star)}
