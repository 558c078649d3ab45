"""The contract alone supports PettingZoo and OpenSpiel environments.

They come with 300 MB of numerics, so only `pip install -e .[adapters]` installs them.
"""

import json
from collections.abc import Iterator

import pytest

from tests.clients.deals import Deal, OutOfReach, Position, Way
from tests.support.live_server import new_house

_INSTALL = "is not installed here: .venv/bin/python -m pip install -e .[adapters]"
pettingzoo_test = pytest.importorskip("pettingzoo.test", reason=f"PettingZoo {_INSTALL}")
pyspiel = pytest.importorskip("pyspiel", reason=f"OpenSpiel {_INSTALL}")

from tests.clients import open_spiel_game, pettingzoo_env

assert open_spiel_game  # it registers its games
RULES = pettingzoo_env.SEATS
CYCLES = 8  # turns of every seat


@pytest.fixture(scope="module", autouse=True)
def sandbox() -> Iterator[None]:
    with new_house() as house, pytest.MonkeyPatch.context() as patch:
        house.start_web()
        patch.setenv("STERNENPOST_URL", house.url)
        yield


@pytest.mark.parametrize("rules", RULES)
def test_pettingzoo_accepts_the_environment(rules: str) -> None:
    pettingzoo_test.api_test(pettingzoo_env.env(rules), num_cycles=CYCLES)


@pytest.mark.parametrize("rules", RULES)
def test_pettingzoo_confirms_that_a_seed_determines_the_game(rules: str) -> None:
    pettingzoo_test.seed_test(lambda: pettingzoo_env.env(rules), num_cycles=CYCLES)


@pytest.mark.parametrize("rules", RULES)
def test_openspiel_plays_random_games_to_the_end_and_accepts_every_state(rules: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(f"sternenpost_{rules}"), num_sims=1, serialize=True, verbose=False)


def seen(deal: Deal, way: Way) -> list[object]:
    """Of a position all but its numbers of versions and turns."""
    position: Position = deal.at(way)
    return [position.seat, position.moves, *(deal.view(way, seat) for seat in range(len(deal.people)))]


@pytest.mark.parametrize("rules", RULES)
def test_replaying_another_line_of_play_does_not_change_random_results(rules: str) -> None:
    deal = Deal(rules, pettingzoo_env.OPTIONS[rules], RULES[rules])
    there = (0,) * 8
    shown = json.dumps(seen(deal, there))
    other = (*there[:3], len(deal.at(there[:3]).moves) - 1, 0)
    assert json.dumps(seen(deal, other)) != shown
    deal.forget()
    assert json.dumps(seen(deal, there)) == shown


def test_hidden_parts_of_a_deal_cannot_be_read_before_the_game_ends() -> None:
    deal, way = Deal("sternenglanz", {"max_rounds": 1}, 2), ()
    while deal.at(way).moves:
        way = (*way, 0)
    assert sum(deal.at(way).returns()) == 0
    with pytest.raises(OutOfReach):
        deal.at((len(deal.at(()).moves) - 1,))
