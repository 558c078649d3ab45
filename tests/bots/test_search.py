"""Bots that search see what their seat sees, stop in time, and choose well."""

from random import Random
from time import process_time
from typing import Any

import pytest

from server.bots import LEVELS, choose, greedy
from server.bots.local_games import play_locally
from server.bots.search import Effort, Seen, search
from server.games import GAMES, Rules
from tests.every_game import rules_alone
from tests.support.paired_worlds import SEATS, SECRETS
from tests.support.samples import Played, positions

LONG = 60.0  # seconds


def seen_by(played: Played, seat: int) -> Seen:
    rules = played.rules
    return Seen(rules, seat, rules.view(played.state, seat), played.story(seat), rules.legal_moves(played.state, seat))


def some_position(game: str, after: int, seed: int = 1) -> Played:
    for played in positions(game, {}, GAMES[game].SEATS.start, seed):
        if len(played.moves) == after:
            return played
    raise AssertionError("The game was shorter.")


def on_turn(played: Played) -> int:
    return min(played.rules.to_act(played.state))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("game", GAMES)
def test_a_bot_with_a_level_chooses_a_legal_move_and_repeats_it_with_the_same_seed(game: str, level: str) -> None:
    for after in (0, 12):
        played = some_position(game, after)
        seen = seen_by(played, on_turn(played))
        move = choose(level, seen, LONG, Random(3))
        assert move in seen.moves
        assert choose(level, seen_by(played, on_turn(played)), LONG, Random(3)) == move


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_plays_the_same_in_worlds_that_its_seat_cannot_tell_apart(game: str) -> None:
    found = 0
    for seed in range(12):
        worlds = SECRETS[game].worlds(Random(seed))
        options = worlds.rules.resolve_options(worlds.options, SEATS)
        seen = list[Seen]()
        for world in (worlds.one, worlds.other):
            events = [event for _, events, _ in worlds.plays(world) for event in events]
            played = Played(game, SEATS, options, worlds.seed, world.moves, events, worlds.end(world))
            seen += [seen_by(played, seat) for seat in played.rules.to_act(played.state) if seat in worlds.innocent][:1]
        if len(seen) == 2:
            one, other = (search(it, Effort(1, 3), LONG, Random(1)) for it in seen)
            assert one == other
            found += 1
    assert found


def test_a_bot_stops_when_its_time_is_over() -> None:
    played = some_position("sternenhimmel", 10)
    began = process_time()
    search(seen_by(played, on_turn(played)), Effort(10_000, 50), 0.2, Random(1))
    assert process_time() - began < 1


def test_a_bot_without_time_plays_like_greedy() -> None:
    played = some_position("sternenhimmel", 10)
    seen = seen_by(played, on_turn(played))
    worth = seen.rules.judge(seen.view)  # type: ignore[attr-defined]  # optional
    move = search(seen, Effort(10, 5), 0, Random(1))
    assert worth(move) == worth(greedy(seen.rules, seen.view, seen.moves, Random(2)))


def test_a_bot_that_searches_also_plays_games_without_worlds() -> None:
    alone: Rules = rules_alone  # type: ignore[assignment]  # a module
    seen = Seen(alone, 0, {}, [], ["a", "b"])
    assert search(seen, Effort(4, 4), LONG, Random(1)) in ("a", "b")


def test_bots_with_a_level_play_local_games_to_the_end() -> None:
    players: list[Any] = ["level-1", "greedy", "random"]
    assert play_locally("sternenhimmel", {}, players, "one") == play_locally("sternenhimmel", {}, players, "one")
