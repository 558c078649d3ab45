"""Bots see only their seat's view and choose legal moves, and the greedy bot plays well."""

from functools import reduce
from random import Random

from server.bots import BOTS
from server.games import GAMES, Outcome, SeededDice
from server.games import sternenhimmel as game
from server.games.sternenhimmel.material import Lying
from server.games.sternenhimmel.moves import Placement
from server.games.sternenhimmel.options import EDITIONS
from server.games.sternenhimmel.state import Event, State


def begun(events: list[Event]) -> State:
    sky = reduce(game.apply, events, None)
    assert sky is not None
    return sky


def played_by(bots: list[str], seed: int, edition: str = "schloth-en") -> Outcome:
    """A game of Sternenhimmel between these bots."""
    rng, dice = Random(seed), SeededDice(bytes([seed]), ())
    sky = begun(game.setup(len(bots), {"edition": edition}, dice))
    while sky.on_turn is not None:
        seat, moves = sky.on_turn, game.legal_moves(sky, sky.on_turn)
        move = BOTS[bots[seat]](GAMES["sternenhimmel"], game.view(sky, seat), moves, rng)
        assert move in moves
        for event in game.decide(sky, seat, move, dice):
            sky = game.apply(sky, event)
    outcome = game.outcome(sky)
    assert outcome is not None
    return outcome


def test_greedy_beats_random_clearly() -> None:
    wins, lead = 0, 0.0
    for seed in range(16):
        bots = ["random"] * (3 + seed % 3)
        greedy = seed % len(bots)
        bots[greedy] = "greedy"
        outcome = played_by(bots, seed, edition=list(EDITIONS)[seed % 4])
        wins += outcome.places[greedy] == 1
        lead += outcome.scores[greedy] - sum(outcome.scores) / len(bots)
    assert wins >= 13
    assert lead / 16 > 12


def test_greedy_plays_the_same_with_the_same_seed() -> None:
    assert played_by(["greedy", "greedy", "random"], seed=5) == played_by(["greedy", "greedy", "random"], seed=5)


def test_greedy_takes_a_board_that_it_can_win_with_one_star() -> None:
    sky = begun(game.setup(3, {"start_seat": 0}, SeededDice(b"", ())))
    sky = sky._replace(
        slots=("aries", None, None), stars={"aries": {space: Lying(1 + n % 2, "3") for n, space in enumerate("abcd")}}
    )
    moves = game.legal_moves(sky, 0)
    assert BOTS["greedy"](GAMES["sternenhimmel"], game.view(sky, 0), moves, Random(1)) == Placement("10", "aries", "e")
