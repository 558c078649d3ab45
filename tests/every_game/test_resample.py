"""Sampled states: each is one that the seat could be in, and each comes up as often as it should."""

from random import Random

import pytest

from server.games import GAMES
from tests.support.paired_worlds import SEATS, SECRETS
from tests.support.samples import EDITIONS, Played, assert_is_possible, check_cards, check_stars, positions, small_deck

__all__ = ["small_deck"]  # a fixture


@pytest.mark.parametrize(("game", "edition"), EDITIONS)
def test_a_sampled_state_is_one_that_the_seat_could_be_in(game: str, edition: str) -> None:
    options = GAMES[game].describe()["editions"][edition]
    sizes = GAMES[game].SEATS
    for seed in range(len(sizes)):
        seats, rng = sizes[seed], Random(seed)
        for played in positions(game, options, seats, seed):
            if rng.random() < 0.03:
                seat = rng.randrange(seats)
                for _ in range(3):
                    assert_is_possible(played, seat, played.world(seat, rng.randbytes(8)))


@pytest.mark.parametrize("credit", ["contributing", "any-player"])
def test_a_sampled_sternbild_was_never_completed(credit: str) -> None:
    options = {"scenario": 4, "sternbildCredit": credit, "supernovaRecycle": "box", "max_rounds": 25}
    for seed in range(3):
        rng, newest = Random(seed), None
        for newest in positions("sternenglanz", options, 3, seed):
            if rng.random() < 0.02:
                assert_is_possible(newest, 0, newest.world(0, rng.randbytes(8)))
        assert newest is not None
        assert_is_possible(newest, 1, newest.world(1, b""))


@pytest.mark.parametrize("game", GAMES)
def test_states_that_look_the_same_to_a_seat_give_the_same_samples(game: str) -> None:
    for seed in range(6):
        worlds = SECRETS[game].worlds(Random(seed))
        options = worlds.rules.resolve_options(worlds.options, SEATS)
        ends = []
        for world in (worlds.one, worlds.other):
            events = [event for _, events, _ in worlds.plays(world) for event in events]
            ends.append(Played(game, SEATS, options, worlds.seed, world.moves, events, worlds.end(world)))
        one, other = ends
        assert one.state != other.state
        for seat in worlds.innocent:
            if seat is not None:
                assert one.world(seat, b"dice") == other.world(seat, b"dice")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_face_down_stars_are_sampled_at_the_right_rates(seed: int) -> None:
    check_stars(seed)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.usefixtures("small_deck")
def test_cards_are_sampled_at_the_right_rates(seed: int) -> None:
    check_cards(seed)
