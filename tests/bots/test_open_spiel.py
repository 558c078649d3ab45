"""Our poker games and our search, compared with OpenSpiel as `tests/bench/poker.py` recorded it.

In Kuhn poker, the search always makes the same bets, and no such strategy loses less than 1/6. IS-MCTS mixes its bets.
With some settings, it loses less than that, but not with OpenSpiel's default.
"""

import json

import pytest

from server.docs import FOLDER
from server.games import Json
from tests.bench.poker import BOTS, DATA, GAMES, TOLERANCE, is_same
from tests.support.poker import Strategy, Trace, exploitability, judged, searched, uniform

RECORDED: Json = json.loads(DATA.read_text())
TRACES = 200
DEFAULT = "visits, 5"
RUNS = 10  # fewer than recorded, which makes the search more exploitable
HANDBOOK = (FOLDER / "bots.md").read_text()


@pytest.mark.parametrize("name", GAMES)
def test_games_that_openspiel_played_have_the_same_turns_bets_and_gains_here(name: str) -> None:
    traces = [Trace(*it) for it in RECORDED[name]["traces"]]
    assert len(traces) == TRACES
    assert [it for it in traces if not is_same(GAMES[name], it)] == []


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("strategy", [uniform, judged])
def test_best_responses_gain_what_openspiel_computes(name: str, strategy: Strategy) -> None:
    computed = RECORDED[name]["known"][strategy.__name__]
    assert exploitability(GAMES[name], strategy) == pytest.approx(computed, abs=TOLERANCE)


@pytest.mark.parametrize("simulations", RECORDED["kuhn"]["bots"])
@pytest.mark.parametrize("name", GAMES)
def test_the_search_loses_at_most_as_much_as_is_mcts(name: str, simulations: str) -> None:
    recorded = {bot: mean for bot, (mean, _) in RECORDED[name]["bots"][simulations].items() if BOTS[bot]}
    ours = exploitability(GAMES[name], searched(int(simulations), RUNS, seed=1))
    assert ours <= recorded[DEFAULT]
    assert ours <= min(recorded.values()) or name == "kuhn"


def test_the_handbook_shows_the_recorded_figures() -> None:
    for name in GAMES:
        for simulations, by_bot in RECORDED[name]["bots"].items():
            least = min(mean for bot, (mean, _) in by_bot.items() if BOTS[bot])
            shown = [f"{mean:.3f} ± {deviation:.3f}" for mean, deviation in (by_bot["search"], by_bot[DEFAULT])]
            cells = [f"{name.capitalize()}, {simulations}", *shown, f"{least:.3f}"]
            assert f"| {' | '.join(cells)} |" in HANDBOOK
