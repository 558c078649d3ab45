"""Which moves reveal something, so that taking them back needs consent."""

from functools import reduce
from random import Random
from typing import Any

import pytest

from server.games import GAMES, Json, SeededDice
from tests.support.paired_worlds import BRINKS, SECRETS, Worlds

SHOWING = {
    "sternenhimmel": {"board-scored", "board-dealt"},
    "sternenglanz": {"choices-shown", "cards-drawn", "discards-shuffled", "sternbild-drawn", "sternbild-turned-up"},
}
OPTIONS: list[tuple[str, Json]] = [
    ("sternenhimmel", {}),
    *(("sternenglanz", {"scenario": scenario}) for scenario in (1, 2, 3, 4)),
]


@pytest.mark.parametrize(("name", "options"), OPTIONS, ids=lambda it: it if isinstance(it, str) else it.get("scenario"))
def test_a_move_reveals_something_if_and_only_if_a_piece_is_turned_over_drawn_or_shown(
    name: str, options: Json
) -> None:
    rules, rng, found = GAMES[name], Random(7), set()
    types = {kind: type_ for type_, kind in rules.EVENTS.items()}
    dice = SeededDice(b"reveals", [""] * 3)
    state: Any = reduce(rules.apply, rules.setup(3, options, dice), None)
    while waiting := sorted(rules.to_act(state)):
        seat = rng.choice(waiting)
        events = rules.decide(state, seat, rng.choice(rules.legal_moves(state, seat)), dice)
        after = reduce(rules.apply, events, state)
        shows = bool(SHOWING[name] & {types[type(event)] for event in events})
        if rules.outcome(after) is None:  # the end also shows secret Sternbilder
            assert rules.reveals(state, seat, events) == shows
        found.add(shows)
        state = after
    assert found == {False, True}


@pytest.mark.parametrize(("name", "brink"), BRINKS)
def test_a_move_that_turns_over_an_unknown_piece_counts_as_revealing_something(name: str, brink: Any) -> None:
    rng = Random(3)
    for _ in range(5):
        worlds: Worlds = brink(rng)
        rules, state = worlds.rules, worlds.end(worlds.one)
        (seat,) = [seat for seat in rules.to_act(state) if seat in worlds.innocent]
        for move in SECRETS[name].revealing(state, seat):
            dice = SeededDice(worlds.seed, [""] * 3)
            events = rules.decide(state, seat, move, dice)
            drawn = any(type(event).__name__ in ("CardsDrawn", "ChoicesShown", "BoardScored") for event in events)
            assert rules.reveals(state, seat, events) == drawn
