"""Luck is 0 on average, however badly a seat plays."""

from math import sqrt
from random import Random
from statistics import fmean, stdev

import pytest

from server.bots import advice, choose, review
from server.bots.local_games import AMPLE, Shown
from server.games import SeededDice, newest_rules, sternenglanz
from server.games.contract import Effort

SEATS, DEALS = 2, 80
WORLDS = 3  # few worlds widen the errors of the estimates and leave the means
SIGMAS = 3  # standard errors


def reviewed(watched: int, deal: str) -> tuple[float, float]:
    """Play a deal against `greedy`. Return the result of the watched seat, and the sum of its choices."""
    rng, dice = Random(f"{deal} {watched}"), SeededDice(deal.encode(), ())
    options = sternenglanz.resolve_options({**newest_rules(sternenglanz), "max_rounds": 5}, SEATS)
    shown = Shown(sternenglanz, SEATS, options)
    state, choices = shown.after(None, sternenglanz.setup(SEATS, options, dice)), 0.0
    while waiting := sternenglanz.to_act(state):
        seat = min(waiting)
        seen = shown.to(state, seat)
        move = choose("random" if seat == watched else "greedy", seen, AMPLE, rng)
        if seat == watched and len(seen.moves) > 1:
            choices += review.verdict(seen, move, rng).choice.points
        state = shown.after(state, sternenglanz.decide(state, seat, move, dice))
    outcome = sternenglanz.outcome(state)
    assert outcome is not None
    return review.result_of(outcome, watched), choices


def mean_and_error(values: list[float]) -> tuple[float, float]:
    return fmean(values), stdev(values) / sqrt(len(values))


def test_choices_explain_what_a_random_player_loses_and_luck_is_zero_on_average(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(advice, "effort", lambda _: Effort(candidates=1))
    monkeypatch.setattr(review, "WORLDS", range(WORLDS, WORLDS))
    found = [reviewed(watched, str(deal)) for deal in range(DEALS) for watched in range(SEATS)]
    result, error = mean_and_error([it for it, _ in found])
    choices, error_of_choices = mean_and_error([it for _, it in found])
    luck, error_of_luck = mean_and_error([result - choices for result, choices in found])
    print(f"result {result:.2f} ± {error:.2f}, choices {choices:.2f} ± {error_of_choices:.2f}, luck {luck:.2f}")
    assert result < -SIGMAS * error
    assert choices < -SIGMAS * error_of_choices
    assert abs(luck) < SIGMAS * error_of_luck
