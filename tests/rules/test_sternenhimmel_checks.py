"""Invariants of every game of Sternenhimmel (section 11 of its specification), tested with many games and boards."""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.games import IllegalMove, SeededDice
from server.games import sternenhimmel as game
from server.games.sternenhimmel.material import BOARDS, STAR_SET, STARS, Board, Lying, Space
from server.games.sternenhimmel.moves import PLACEMENTS, Placement
from server.games.sternenhimmel.options import EDITIONS, OPTIONS
from server.games.sternenhimmel.scoring import score
from server.games.sternenhimmel.state import BoardScored, Event, SeatSkipped, StarPlaced, State

BOUNDED = settings(max_examples=100, deadline=None, derandomize=True)
FEW = settings(max_examples=12, deadline=None, derandomize=True)

Commit = tuple[State, list[Event], State]


def commits(seats: int, edition: str, seed: int) -> Iterator[Commit]:
    """Yield a random game commit by commit: the state before, the events, the state after."""
    dice = SeededDice(seed.to_bytes(4, "big"), ())
    state: State | None = None
    for event in game.setup(seats, {"edition": edition}, dice):
        state = game.apply(state, event)
    assert state is not None
    while state.on_turn is not None:
        moves = game.legal_moves(state, state.on_turn)
        events = game.decide(state, state.on_turn, moves[dice.below(len(moves))], dice)
        before = state
        for event in events:
            state = game.apply(state, event)
        yield before, events, state


GAMES_PLAYED = [(seats, edition) for seats in game.SEATS for edition in EDITIONS]


@pytest.mark.parametrize(("seats", "edition"), GAMES_PLAYED)
def test_a_random_game_follows_the_rules_to_the_end(seats: int, edition: str) -> None:
    placements = scorings = 0
    for before, events, state in commits(seats, edition, seed=seats):
        placed = events[0]
        assert isinstance(placed, StarPlaced)
        assert placed.seat == before.on_turn
        placements += 1
        for scored in events:
            if isinstance(scored, BoardScored):
                scorings += 1
                assert sum(state.coins) - sum(before.coins) == scored.bank
        check_between_placements(state)
    assert (placements, scorings) == (90, 12)
    assert state.hands == (STAR_SET,) * seats
    assert game.outcome(state) is not None


def check_between_placements(state: State) -> None:
    lying = [star for stars in state.stars.values() for star in stars.values()]
    for seat, hand in enumerate(state.hands):
        assert Counter(hand) + Counter(star.star for star in lying if star.seat == seat) == Counter(STAR_SET)
        assert list(hand) == sorted(hand, key=STARS.index)
    assert all(len(stars) < len(BOARDS[board].spaces) for board, stars in state.stars.items())
    assert sorted(board for board in state.slots if board is not None) == sorted(state.stars)
    assert min(state.coins) >= 0
    assert (state.on_turn is None) == (not state.stars)
    if state.on_turn is not None:
        assert state.hands[state.on_turn]
        assert game.legal_moves(state, state.on_turn)


@pytest.mark.parametrize("seats", game.SEATS)
def test_unless_a_seat_is_skipped_seats_strictly_take_turns(seats: int) -> None:
    order: list[int] = []
    for _, events, _ in commits(seats, "schloth-en", seed=11):
        if any(isinstance(event, SeatSkipped) for event in events):
            break
        order.append(events[0].seat or 0)
    assert len(order) > seats
    assert order == [(order[0] + n) % seats for n in range(len(order))]


@FEW
@given(st.sampled_from(GAMES_PLAYED), st.integers(0, 2**16))
def test_legal_moves_are_exactly_the_accepted_moves(which: tuple[int, str], seed: int) -> None:
    rng = Random(seed)
    for before, _, _ in commits(*which, seed):
        if rng.random() < 0.05:
            for seat in range(which[0]):
                assert set(game.legal_moves(before, seat)) == {
                    move for move in all_moves() if _is_allowed(before, seat, move)
                }


def all_moves() -> list[Placement]:
    return list(PLACEMENTS.values())


def _is_allowed(state: State, seat: int, move: Placement) -> bool:
    try:
        return bool(game.decide(state, seat, move, SeededDice(b"", ())))
    except IllegalMove:
        return False


# 11, check 7. Exchanging two kinds between another seat's hand and its face-down stars changes no view of a
# seat or spectator (before scoring).


@FEW
@given(st.sampled_from(GAMES_PLAYED), st.integers(0, 2**16))
def test_other_players_cannot_tell_a_hidden_star_from_one_still_in_the_hand(which: tuple[int, str], seed: int) -> None:
    rng = Random(seed)
    exchanges = 0
    for _, _, state in commits(*which, seed):
        swaps = hidden_exchanges(state)
        if swaps and rng.random() < 0.2:
            board, space, owner, star, other = rng.choice(swaps)
            elsewhere = exchanged(state, board, space, owner, star, other)
            for viewer in (*range(which[0]), None):
                is_owner = viewer == owner
                assert (game.view(state, viewer) == game.view(elsewhere, viewer)) is not is_owner
                told = [
                    game.tell(StarPlaced(owner, board, space, kind, state.on_turn), viewer) for kind in (star, other)
                ]
                assert (told[0] == told[1]) is not is_owner
                if viewer is not None and not is_owner:
                    assert game.legal_moves(state, viewer) == game.legal_moves(elsewhere, viewer)
            exchanges += 1
    assert exchanges


def hidden_exchanges(state: State) -> list[tuple[str, str, int, str, str]]:
    """Yield each face-down star with each other kind in its owner's hand."""
    return [
        (board, space, seat, star, other)
        for board, stars in state.stars.items()
        for space, (seat, star) in stars.items()
        if BOARDS[board].spaces[space].size == "large"
        for other in state.hands[seat]
        if other != star
    ]


def exchanged(state: State, board: str, space: str, seat: int, star: str, other: str) -> State:
    hand = list(state.hands[seat])
    hand[hand.index(other)] = star
    hands = (*state.hands[:seat], tuple(sorted(hand, key=STARS.index)), *state.hands[seat + 1 :])
    stars = {**state.stars, board: {**state.stars[board], space: Lying(seat, other)}}
    return state._replace(hands=hands, stars=stars)


# Scorings of boards of every shape


@st.composite
def full_boards(draw: Any) -> tuple[Board, dict[str, Lying], dict[str, Any], list[int]]:
    """Draw any board of up to ten spaces, filled from the star sets of three to five seats, under any options."""
    spaces = "abcdefghij"[: draw(st.integers(1, 10))]
    pairs = [(a, b) for a in spaces for b in spaces if a < b]
    lines = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    second = draw(st.integers(1, 9))
    first = draw(st.integers(second, 12))
    board = _board(first, second, spaces, lines)
    seats = draw(st.sampled_from(game.SEATS))
    supply = [Lying(seat, star) for seat in range(seats) for star in STAR_SET]
    stars = dict(zip(spaces, draw(st.permutations(supply)), strict=False))
    choices = {name: draw(st.sampled_from(sorted(values))) for name, (_, values) in OPTIONS.items()}
    coins = draw(st.lists(st.integers(0, 6), min_size=seats, max_size=seats))
    return board, stars, choices, coins


def _board(first: int, second: int, spaces: str, lines: list[tuple[str, str]]) -> Board:
    neighbours = {space: tuple(b if a == space else a for a, b in lines if space in (a, b)) for space in spaces}
    return Board(
        "any", "any", "", {}, first, second, {it: Space("small", 0, 0, None) for it in spaces}, tuple(lines), neighbours
    )


Full = tuple[Board, dict[str, Lying], dict[str, Any], list[int]]


@BOUNDED
@given(full_boards())
def test_the_coins_that_a_scoring_pays_add_up(full: Full) -> None:
    _, _, _, coins = full
    scored = score(*full)
    assert sum(scored.payouts) == scored.bank == sum(it["amount"] for it in scored.transfers if it["from"] == "bank")
    assert all(it["amount"] > 0 for it in scored.transfers)
    assert min(had + got for had, got in zip(coins, scored.payouts, strict=True)) >= 0


@BOUNDED
@given(full_boards())
def test_a_player_who_gets_star_coins_gets_one_for_each_remaining_star(full: Full) -> None:
    scored = score(*full)
    received: Counter[int] = Counter()
    for transfer in scored.transfers:
        if transfer["reason"] not in ("first", "second"):
            received[transfer["to"]] += transfer["amount"]
    assert all(many == scored.stars[seat] for seat, many in received.items())


@BOUNDED
@given(full_boards())
def test_vanished_swallowed_and_remaining_stars_add_up_to_the_whole_board(full: Full) -> None:
    board, stars, _, _ = full
    scored = score(*full)
    assert sorted(scored.annihilated + scored.swallowed + scored.remaining) == sorted(board.spaces)
    assert {stars[space].star for space in scored.annihilated} <= {"B"}
    assert "B" not in {stars[space].star for space in scored.swallowed}
    assert (scored.outcome == "void") == (not scored.remaining)


@BOUNDED
@given(full_boards(), st.randoms(use_true_random=False))
def test_renumbering_seats_spaces_and_lines_does_not_change_a_scoring(full: Full, rng: Random) -> None:
    board, stars, options, coins = full
    spaces, seats = list(board.spaces), list(range(len(coins)))
    new_space = dict(zip(spaces, rng.sample(spaces, len(spaces)), strict=True))
    new_seat: dict[int | None, int] = dict(zip(seats, rng.sample(seats, len(seats)), strict=True))
    lines = [(new_space[b], new_space[a]) for a, b in rng.sample(board.lines, len(board.lines))]
    board_too = _board(board.first, board.second, "".join(new_space.values()), lines)
    stars_too = {new_space[space]: Lying(new_seat[seat], star) for space, (seat, star) in stars.items()}
    coins_too = [had for _, had in sorted((new_seat[seat], had) for seat, had in enumerate(coins))]
    one, other = score(*full), score(board_too, stars_too, options, coins_too)
    for name in ("annihilated", "swallowed", "remaining"):
        assert sorted(new_space[space] for space in getattr(one, name)) == getattr(other, name)
    assert {new_space[space]: value for space, value in one.values.items()} == other.values
    assert [sorted(new_seat[seat] for seat in group) for group in one.ranking] == other.ranking
    assert (one.outcome, one.bank) == (other.outcome, other.bank)
    assert [new_seat.get(seat) for seat in (one.first, one.second)] == [other.first, other.second]
    for name in ("totals", "stars", "payouts"):
        assert [getattr(one, name)[seat] for seat in seats] == [getattr(other, name)[new_seat[seat]] for seat in seats]
