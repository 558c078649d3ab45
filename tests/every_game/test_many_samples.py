"""Sampled states in bulk: a million of them, and a hundred positions of each game compared with an enumeration."""

from random import Random

import pytest

from server.games import GAMES, SeededDice
from tests.support.samples import EDITIONS, assert_is_possible, check_cards, check_stars, positions, small_deck

__all__ = ["small_deck"]  # a fixture


@pytest.mark.parametrize(("game", "edition"), EDITIONS)
def test_a_million_sampled_states_look_to_their_seat_like_the_real_state(game: str, edition: str) -> None:
    options, left, seed = GAMES[game].describe()["editions"][edition], 1_000_000 // len(EDITIONS), 100
    while left > 0:
        seed += 1
        seats, rng = GAMES[game].SEATS[seed % len(GAMES[game].SEATS)], Random(seed)
        for played in positions(game, options, seats, seed):
            seat, dice = rng.randrange(seats), SeededDice(rng.randbytes(8), ())
            view, story, sample = played.rules.view(played.state, seat), played.story(seat), played.rules
            legal = played.rules.legal_moves(played.state, seat)
            for _ in range(50):
                world = sample.resample(view, story, seat, dice)  # type: ignore[attr-defined]  # optional
                assert sample.view(world, seat) == view
                left -= 1
            assert sorted(map(repr, sample.legal_moves(world, seat))) == sorted(map(repr, legal))
            assert_is_possible(played, seat, world)


@pytest.mark.parametrize("seed", range(4, 104))
def test_face_down_stars_are_sampled_at_the_right_rates_in_many_game_positions(seed: int) -> None:
    check_stars(seed)


@pytest.mark.parametrize("seed", range(4, 104))
@pytest.mark.usefixtures("small_deck")
def test_hidden_cards_are_sampled_at_the_right_rates_in_many_game_positions(seed: int) -> None:
    check_cards(seed)
