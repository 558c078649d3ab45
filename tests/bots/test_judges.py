"""The judges, which calculate on bit sets, value moves by the same points and coins as the rules."""

from collections import Counter
from collections.abc import Mapping
from functools import reduce

import pytest

from server.games import SeededDice, sternenglanz, sternenhimmel
from server.games.sternenglanz.actions import birth_points, removal_points
from server.games.sternenglanz.chances import LACKS, Kind, Offered, chances, turn_of
from server.games.sternenglanz.judge import IN_ROW, THEIRS, next_turn
from server.games.sternenglanz.material import CARDS, FIELDS, LEUCHT, PIECES, PUNKT, STARS, ids_of
from server.games.sternenglanz.moves import Move, SchwarzesLoch, Sterngeburt, Sternwanderung, Supernova
from server.games.sternenglanz.state import (
    NOTHING_DONE,
    ActionEvent,
    StarLaid,
    StarRemoved,
    State,
    SupernovaLaid,
    occupied,
    piece_on,
)
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


def counted(sky: State) -> Counter[Kind]:
    """All births and removals that bring points, or soon will, counted star by star."""
    found = Counter[Kind]()
    for field in FIELDS.values():
        beside = {star: (field.near & sky.stars[star]).bit_count() for star in STARS}
        for star, need in CARDS.birth_needs.items():
            lacks = need and max(0, need[1] - beside[need[0]])
            if lacks in LACKS and not field.bit & occupied(sky.stars):
                found[Kind(birth_points(sky, star, field), lacks)] += 1
        for card in CARDS.kinds.values():
            star = piece_on(sky.stars, field.id)
            found[Kind(removal_points(sky, card, star, field), card.id)] += star in (PUNKT, LEUCHT)
    return Counter({kind: number for kind, number in found.items() if kind.points and number})


def points(event: ActionEvent, seat: int) -> int:
    match event:
        case StarLaid() | StarRemoved():
            return event.points
        case SupernovaLaid():
            return event.points[seat]
    return 0


@pytest.mark.parametrize("scenario", [1, 3])
@pytest.mark.parametrize("seats", sternenglanz.SEATS)
def test_an_offer_has_the_births_and_removals_that_the_rules_allow(seats: int, scenario: int) -> None:
    done = set[type]()
    for played in every(7, "sternenglanz", {"scenario": scenario, "max_rounds": 30}, seats, seed=seats):
        sky, its = played.state, chances(played.state.scenario)
        offered = Offered(its, sky.stars)
        for move in sternenglanz.legal_moves(sky, sky.on_turn)[::5]:
            (step,) = move.steps
            if isinstance(step, Sterngeburt | Sternwanderung | SchwarzesLoch | Supernova):
                event, *_ = sternenglanz.decide(sky, sky.on_turn, move, SeededDice(b"", ()))
                after = offered.after(step).to_bytes(len(its.kinds), "little")
                by_rules = counted(reduce(sternenglanz.apply, [event], sky))
                assert {kind: number for kind, number in zip(its.kinds, after, strict=True) if number} == by_rules, move
                done.add(type(step))
    assert len(done) >= 3


@pytest.mark.parametrize("seats", sternenglanz.SEATS)
def test_the_last_action_of_a_turn_is_worth_its_points_and_what_it_leaves_to_each_seat(seats: int) -> None:
    found = 0
    for played in every(1, "sternenglanz", {"scenario": 1, "max_rounds": 30}, seats, seed=seats):
        sky, its = played.state, chances(played.state.scenario)
        seat = sky.on_turn
        if len(sky.log.slots) != 1 or sky.log.slots == (1,):
            continue
        worth = sternenglanz.judge(sternenglanz.view(sky, seat))
        others = [turn_of(-THEIRS / (seats - 1), sky.slots[(seat + nr) % seats]) for nr in range(1, seats)]
        values = list[tuple[float, float]]()
        for move in sternenglanz.legal_moves(sky, seat)[::5]:
            (step,) = move.steps
            if isinstance(step, Sterngeburt | SchwarzesLoch):
                event, *_ = sternenglanz.decide(sky, seat, move, SeededDice(b"", ()))
                after = reduce(sternenglanz.apply, [event], sky)
                promise = its.promise(Offered(its, after.stars).now, (*others, next_turn(sky, seat)))
                values.append((worth(move) - IN_ROW * (step.slot < 3), points(event, seat) + promise))
        assert len({round(value - by_rules, 6) for value, by_rules in values}) <= 1
        found += len(values)
    assert found > 20


def test_a_bot_opens_a_field_for_itself_but_not_for_the_next_player() -> None:
    sky = next(it.state for it in positions("sternenglanz", {}, 2, seed=1) if it.state.phase == "act")
    first, second, third, *_ = ids_of(FIELDS["b1"].near)
    stars = {**dict.fromkeys(PIECES, 0), PUNKT: FIELDS[first].bit | FIELDS[second].bit}
    slots = ((None, "geburt#1", "loch-a#1"), (None, "loch-a#2", "loch-a#3"))

    def worth_of_third(performed: tuple[tuple[int, str], ...]) -> float:
        now = sky._replace(on_turn=0, stars=stars, slots=slots, log=NOTHING_DONE._replace(performed=performed))
        return sternenglanz.judge(sternenglanz.view(now, 0))(Move((Sterngeburt(1, PUNKT, third),)))

    assert worth_of_third(()) > 0 > worth_of_third(((3, "loch-a#1"),))
