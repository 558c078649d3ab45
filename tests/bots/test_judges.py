"""The judges, which calculate on bit sets, value moves by the same points and coins as the rules."""

from collections.abc import Mapping
from functools import reduce

import pytest

from server.games import SeededDice, sternenglanz, sternenhimmel
from server.games.sternenglanz.actions import birth_points
from server.games.sternenglanz.judge import CHANCES, IN_ROW, WHOLE
from server.games.sternenglanz.material import CARDS, FIELDS
from server.games.sternenglanz.moves import SchwarzesLoch, Sterngeburt, Sternwanderung, Supernova
from server.games.sternenglanz.state import ActionEvent, StarLaid, StarRemoved, State, SupernovaLaid, occupied
from server.games.sternenhimmel.judge import GUESS, LEAD
from server.games.sternenhimmel.material import BANK, BOARDS, Lying
from server.games.sternenhimmel.options import DEFAULT_EDITION, EDITIONS
from server.games.sternenhimmel.scoring import payments, rank, swallowed_by_holes, tally, values_of, vanishing
from tests.support.samples import Played, positions

CLOSE = pytest.approx


def every(number: int, game: str, options: dict[str, object], seats: int, seed: int) -> list[Played]:
    """Every so many positions of a game in which a seat is on turn."""
    found = [it for it in positions(game, options, seats, seed) if len(it.rules.to_act(it.state)) == 1]
    return found[seed % number :: number]


# Sternenhimmel


def standing(board: str, stars: Mapping[str, Lying], me: int, coins: list[int]) -> float:
    """The lead of a seat if the board were scored now, by the rules."""
    options = EDITIONS[DEFAULT_EDITION]
    vanished = vanishing(BOARDS[board], stars)
    gone = vanished | swallowed_by_holes(BOARDS[board], stars, vanished)
    totals, counts = tally(stars, values_of(BOARDS[board], stars, gone, options["doubling"]), len(coins))
    gain = [0] * len(coins)
    for transfer in payments(BOARDS[board], rank(totals, counts), counts, False, options, coins)[1]:
        gain[transfer["to"]] += transfer["amount"]
        if transfer["from"] != BANK:
            gain[transfer["from"]] -= transfer["amount"]
    others = (sum(gain) - gain[me]) / (len(coins) - 1)
    ahead = (totals[me] or 0) - max(total or 0 for seat, total in enumerate(totals) if seat != me)
    fullness = len(stars) / len(BOARDS[board].spaces)
    return fullness**2 * (gain[me] - others) + LEAD * ahead * (fullness < 1)


@pytest.mark.parametrize("seats", sternenhimmel.SEATS)
def test_a_placement_is_worth_the_coins_that_the_rules_pay_for_it(seats: int) -> None:
    for played in every(3, "sternenhimmel", {}, seats, seed=seats):
        state = played.state
        view = sternenhimmel.view(state, state.on_turn)
        worth = sternenhimmel.judge(view)
        stars = {
            it["board"]: {
                space: Lying(lying["seat"], lying["star"] or GUESS) for space, lying in it["spaces"].items() if lying
            }
            for it in view["boards"]
        }
        for move in sternenhimmel.legal_moves(state, state.on_turn):
            before = stars[move.board]
            after = {**before, move.space: Lying(state.on_turn, move.star)}
            gained = [standing(move.board, it, state.on_turn, view["coins"]) for it in (before, after)]
            assert worth(move) == CLOSE(gained[1] - gained[0]), move


# Sternenglanz


def chances(sky: State) -> float:
    """The chances of births on all free fields, counted star by star."""
    total = 0.0
    for field in FIELDS.values():
        for star, need in CARDS.birth_needs.items():
            if need is not None and not field.bit & occupied(sky.stars):
                missing = max(0, need[1] - (field.near & sky.stars[need[0]]).bit_count())
                total += birth_points(sky, star, field) * CHANCES.get(missing, 0) / WHOLE
    return total


def points(event: ActionEvent, seat: int) -> int:
    match event:
        case StarLaid() | StarRemoved():
            return event.points
        case SupernovaLaid():
            return event.points[seat]
    return 0


@pytest.mark.parametrize("seats", sternenglanz.SEATS)
def test_an_action_is_worth_its_points_plus_the_change_in_later_chances(seats: int) -> None:
    kinds = set[type]()
    for played in every(7, "sternenglanz", {"scenario": 1, "max_rounds": 30}, seats, seed=seats):
        sky = played.state
        seat, before = sky.on_turn, chances(sky)
        worth = sternenglanz.judge(sternenglanz.view(sky, seat))
        for move in sternenglanz.legal_moves(sky, seat)[::5]:
            (step,) = move.steps
            if isinstance(step, Sterngeburt | Sternwanderung | SchwarzesLoch | Supernova):
                event, *_ = sternenglanz.decide(sky, seat, move, SeededDice(b"", ()))
                after = chances(reduce(sternenglanz.apply, [event], sky))
                gained = points(event, seat) + after - before + IN_ROW * (step.slot < 3)
                assert worth(move) == CLOSE(gained), move
                kinds.add(type(step))
    assert len(kinds) >= 3
