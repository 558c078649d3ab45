"""Hints know no more than the seat that asks: they are equal in worlds that it can't tell apart."""

from random import Random

import pytest
from flask import Flask

from server.bots import advice
from server.clock import clock
from server.games import Json, Seat
from server.games.contract import Effort
from server.play.commits import commit_of, load, record
from server.play.game import Game
from server.play.seating.games import open_game
from server.play.turns.hints import hint
from tests.support.games import BOT, ME, person, wanted
from tests.support.paired_worlds import SEATS, SECRETS, Exchanging, World, Worlds

FOUND = 3  # pairs of worlds per game


def hint_in(worlds: Worlds, world: World, seat: Seat, patch: pytest.MonkeyPatch) -> Json:
    """Return the hint for this seat after the moves of this world, in a game in which all others are bots."""
    seed, exchange = worlds.seed, world.exchange
    patch.setattr(Game, "dice", lambda it: Exchanging(seed, [""] * SEATS, it.head.drawn, exchange=exchange))
    seats = [ME if it == seat else BOT for it in range(SEATS)]
    player_id = person("ada")
    game_id = open_game(player_id, wanted(*seats, rules=worlds.game, options=worlds.options)).game_id
    for mover, move in world.moves:
        game = load(game_id)
        dice = game.dice()
        events = game.table.rules.decide(game.table.state, mover, move, dice)
        assert record(commit_of(game, events, clock.now(), dice.drawn))
    return hint(game_id, player_id, "en")


@pytest.mark.parametrize("game", SECRETS)
def test_a_hint_is_equal_in_worlds_that_its_seat_cannot_tell_apart(
    app: Flask, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    monkeypatch.setattr(advice, "effort", lambda _: Effort(worlds=1, candidates=3))
    monkeypatch.setattr(advice, "SECONDS", 60.0)
    found = differing = 0
    for seed in range(40):
        worlds = SECRETS[game].worlds(Random(seed))
        state, other = worlds.end(worlds.one), worlds.end(worlds.other)
        for seat in [it for it in worlds.rules.to_act(state) if it in worlds.innocent][:1]:
            with app.app_context():
                told = [hint_in(worlds, world, seat, monkeypatch) for world in (worlds.one, worlds.other)]
            assert told[0]["moves"], f"seed {seed}"
            assert told[0] == told[1], f"seed {seed}"
            found, differing = found + 1, differing + (state != other)
        if found == FOUND:
            break
    assert found == differing == FOUND
