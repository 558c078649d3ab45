"""Luck is 0 on average, however badly a seat plays."""

from server.games import GAMES
from tests.bench.luck import measured

SIGMAS = 3  # standard errors


def test_choices_explain_what_a_random_player_loses_and_luck_is_zero_on_average() -> None:
    found = measured(GAMES["sternenglanz"], 2, "random", 80, {"max_rounds": 5})
    print(found)
    (result, error), (choices, error_of_choices), (luck, error_of_luck) = (
        found[it] for it in ("result", "choices", "luck")
    )
    assert result < -SIGMAS * error
    assert choices < -SIGMAS * error_of_choices
    assert abs(luck) < SIGMAS * error_of_luck
