"""Bots finish every scenario of Sternenglanz, and the greedy bot plays well."""

from functools import reduce
from random import Random
from typing import Any

import pytest

from server.bots import BOTS
from server.games import Json, SeededDice
from server.games import sternenglanz as game
from server.games.sternenglanz.material import CARDS, FIELDS, ids_of
from server.games.sternenglanz.state import GameDecided, State
from tests.rules.positions import VECTORS, position


def choice(bot: str, sky: State, rng: Random) -> Any:
    seat = min(game.to_act(sky))
    return BOTS[bot](game, game.view(sky, seat), game.legal_moves(sky, seat), rng)


def played_by(bots: list[str], seed: int, scenario: int, **options: Any) -> GameDecided:
    """How a game between these bots was decided."""
    rng, dice = Random(seed), SeededDice(bytes([seed]), ())
    sky = reduce(game.apply, game.setup(len(bots), {"scenario": scenario, **options}, dice), None)
    assert sky is not None
    while waiting := game.to_act(sky):
        seat = min(waiting)
        move = choice(bots[seat], sky, rng)
        assert move in game.legal_moves(sky, seat)
        sky = reduce(game.apply, game.decide(sky, seat, move, dice), sky)
    assert sky.result is not None
    return sky.result


@pytest.mark.parametrize("scenario", CARDS.scenarios)
def test_greedy_beats_random_and_reaches_a_goal(scenario: int) -> None:
    wins = 0
    for seed in range(4):
        bots = ["random"] * (2 + seed % 3)
        bots[greedy := seed % len(bots)] = "greedy"
        decided = played_by(bots, seed, scenario)
        wins += decided.winners == [greedy] and decided.reason == "goal"
    assert wins >= 3


@pytest.mark.parametrize("scenario", CARDS.scenarios)
def test_greedy_bots_finish_without_a_round_limit(scenario: int) -> None:
    decided = played_by(["greedy"] * 3, seed=1, scenario=scenario, max_rounds=None)
    assert decided.reason != "round-limit"


def test_a_game_of_random_bots_ends_after_the_last_round() -> None:
    assert played_by(["random"] * 4, seed=1, scenario=1, max_rounds=5).reason == "round-limit"


def test_greedy_plays_the_same_with_the_same_seed() -> None:
    assert played_by(["greedy", "random"], seed=5, scenario=4) == played_by(["greedy", "random"], seed=5, scenario=4)


def chosen(given: Json, performed: tuple[tuple[int, str], ...] = ()) -> str:
    sky = position(given)
    return game.write_move(choice("greedy", sky._replace(log=sky.log._replace(performed=performed)), Random(1)))


def test_greedy_takes_the_points_of_a_special_field() -> None:
    board = {"e3": "punkt", "f3": "punkt", "f5": "punkt", "d3": "punkt"}
    assert chosen({"board": board}, ((2, "geburt#1"),)).endswith("lay leucht f4")


def test_greedy_takes_the_best_constellation() -> None:
    board = {"a1": "leucht", "b1": "leucht", "b2": "leucht", "d9": "punkt"}
    tableau = {"1": "loch-b#1", "2": "wanderung-2#1", "3": "wanderung-2#2"}
    assert chosen({"board": board, "tableau": tableau}, ((2, "wanderung-2#1"),)) == "1 remove a1"


def beside(field: str) -> list[str]:
    return ids_of(FIELDS[field].near)


@pytest.mark.parametrize(
    "vector",
    [vector for vector in VECTORS if vector["kind"] == "sternbild" and vector["expect"]["complete"]],
    ids=lambda vector: vector["do"]["sternbild"],
)
def test_greedy_places_the_last_star_of_its_sternbild(vector: Json) -> None:
    board = dict(vector["given"]["board"])
    last = next(
        field for field, star in board.items() if star == "punkt" and not board.keys().isdisjoint(beside(field))
    )
    del board[last]
    given = {"scenario": 2, "board": board, "bildOwn": [vector["do"]["sternbild"], "anker"]}
    sky = position(given)
    events = game.decide(sky, 0, game.read_move(chosen(given)), SeededDice(b"", ()))
    assert isinstance(events[-1], GameDecided)
