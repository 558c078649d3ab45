"""Sternenglanz: every worked case of its specification is a test, described by its `kinds` and `about`."""

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

import pytest

from server.games import IllegalMove, Json
from server.games import sternenglanz as game
from server.games.sternenglanz.figures import lies_on
from server.games.sternenglanz.material import CARDS, PIECES, ids_of
from server.games.sternenglanz.moves import Finish, LayCards, Move, Sterngeburt, Sternwanderung
from server.games.sternenglanz.rules import may_finish, open_slots, verdict_on
from server.games.sternenglanz.state import (
    LAY,
    NOTHING_DONE,
    CardsShifted,
    StarLaid,
    StarRemoved,
    State,
    SupernovaLaid,
    apply,
    piece_on,
)
from tests.rules.positions import VECTORS, Scripted, position, with_card


def of_kind(kind: str) -> pytest.MarkDecorator:
    vectors = [vector for vector in VECTORS if vector["kind"] == kind]
    assert vectors
    return pytest.mark.parametrize("vector", vectors, ids=lambda vector: vector["id"])


def assert_as_expected(vector: Json, sky: State, move: Move, found: Callable[[Any], Json]) -> None:
    """Check that the move is refused for the expected reason, or that its first event has the expected values."""
    expected = dict(vector["expect"])
    if not expected.pop("legal"):
        with pytest.raises(IllegalMove) as refused:
            game.decide(sky, 0, move, Scripted())
        assert refused.value.code == expected["why"]
        assert move not in game.legal_moves(sky, 0)
    else:
        event = game.decide(sky, 0, move, Scripted())[0]
        assert found(event) == expected
        assert move in game.legal_moves(sky, 0)


@of_kind("lay")
def test_a_sterngeburt_matches_its_test_vector(vector: Json) -> None:
    move = Move((Sterngeburt(1, vector["do"]["class"], vector["do"]["field"]),))

    def found(event: StarLaid) -> Json:
        return {"points": event.points}

    assert_as_expected(vector, position(vector["given"]), move, found)


@of_kind("remove")
def test_a_schwarzes_loch_matches_its_test_vector(vector: Json) -> None:
    sky = with_card(vector["given"], 2, f"{vector['do']['card']}#1")

    def found(event: StarRemoved) -> Json:
        return {"points": event.points}

    assert_as_expected(vector, sky, game.read_move(f"2 remove {vector['do']['field']}"), found)


@of_kind("move")
def test_a_sternwanderung_matches_its_test_vector(vector: Json) -> None:
    sky = with_card(vector["given"], 3, f"wanderung-{vector['do']['steps']}#1")
    move = game.read_move(f"3 move {' '.join(vector['do']['path'])}")
    assert_as_expected(vector, sky, move, lambda event: {})


@of_kind("move-ends")
def test_the_ends_of_a_sternwanderung_match_their_test_vector(vector: Json) -> None:
    sky = with_card(vector["given"], 3, f"wanderung-{vector['do']['steps']}#1")
    steps = [move.steps[0] for move in game.legal_moves(sky, 0)]
    paths = [step.path for step in steps if isinstance(step, Sternwanderung)]
    assert {path[-1] for path in paths if path[0] == vector["do"]["from"]} == set(vector["expect"]["ends"])


@of_kind("nova")
def test_a_supernova_matches_its_test_vector(vector: Json) -> None:
    sky = with_card(vector["given"], 1, "supernova#1")

    def found(event: SupernovaLaid) -> Json:
        return {"removed": sorted(field for field, _ in event.removed), "points": event.points[0]}

    assert_as_expected(vector, sky, game.read_move(f"1 nova {vector['do']['field']}"), found)


@of_kind("orders")
def test_the_possible_orders_of_the_slots_match_their_test_vector(vector: Json) -> None:
    sequences = list(_sequences(position(vector["given"])))
    assert sorted(sequences) == vector["expect"]["sequences"]


def _sequences(sky: State) -> Iterator[list[int]]:
    if may_finish(sky) or not open_slots(sky):
        yield list(sky.log.slots)
    for slot in open_slots(sky):
        performed = (*sky.log.performed, (slot, sky.slots[0][slot - 1]))
        yield from _sequences(sky._replace(log=NOTHING_DONE._replace(performed=performed)))


@of_kind("shift")
def test_a_shift_matches_its_test_vector(vector: Json) -> None:
    sky = position(vector["given"])
    sky = sky._replace(log=NOTHING_DONE._replace(performed=((1, None), (2, None))))
    _, shifted = game.decide(sky, 0, Move((Finish(),)), Scripted())
    assert isinstance(shifted, CardsShifted)
    slots = dict(zip("123", shifted.slots, strict=True))
    assert {"tableau": slots, "discarded": shifted.discarded} == vector["expect"]


@of_kind("lay-step")
def test_the_cards_that_can_be_played_match_their_test_vector(vector: Json) -> None:
    given = {**vector["given"], "hands": [vector["given"]["hand"], []], "phase": LAY}
    choices = []
    for move in game.legal_moves(position(given), 0):
        (step,) = move.steps
        assert isinstance(step, LayCards)
        choices.append([step.drop_nova, step.slot2, step.slot1])
    assert sorted(choices, key=str) == sorted(vector["expect"]["choices"], key=str)


@of_kind("sternbild")
def test_a_sternbild_matches_its_test_vector(vector: Json) -> None:
    fields = lies_on(CARDS.sternbilder[vector["do"]["sternbild"]], position(vector["given"]).stars)
    assert (fields is not None) == vector["expect"]["complete"]


@of_kind("end")
def test_the_end_of_the_game_matches_its_test_vector(vector: Json) -> None:
    expected, sky = vector["expect"], position(vector["given"])
    verdict = verdict_on(sky, vector["given"].get("current", 0))
    assert verdict == ((expected["reason"], expected["winners"]) if expected["over"] else None)


@of_kind("turn")
def test_a_turn_matches_its_test_vector(vector: Json) -> None:
    commands, expected = vector["do"]["commands"], vector["expect"]
    sky, dice = position(vector["given"]), Scripted(vector["given"].get("shuffles", ()))
    for number, command in enumerate(commands):
        move = game.move_from_json({"steps": [command]})
        if expected.get("error", {}).get("at") == number:
            with pytest.raises(IllegalMove) as refused:
                game.decide(sky, 0, move, dice)
            assert refused.value.code == expected["error"]["why"]
            return
        sky = reduce(apply, game.decide(sky, 0, move, dice), sky)
    assert {name: _part(sky, name) for name in expected} == expected


@of_kind("turn")
def test_a_whole_turn_in_one_move_matches_its_test_vector(vector: Json) -> None:
    move, expected = game.move_from_json({"steps": vector["do"]["commands"]}), vector["expect"]
    sky, dice = position(vector["given"]), Scripted(vector["given"].get("shuffles", ()))
    if "error" in expected:
        with pytest.raises(IllegalMove) as refused:
            game.decide(sky, 0, move, dice)
        assert refused.value.code == expected["error"]["why"]
        assert refused.value.text.startswith(f"Step {expected['error']['at'] + 1}: ") or len(move.steps) == 1
        return
    sky = reduce(apply, game.decide(sky, 0, move, dice), sky)
    assert {name: _part(sky, name) for name in expected} == expected


def _part(sky: State, name: str) -> Any:
    """Return a part of the state in the words of the vectors."""
    match name:
        case "board":
            return {field: piece_on(sky.stars, field) for piece in PIECES for field in ids_of(sky.stars[piece])}
        case "tableaus":
            return [dict(zip("123", slots, strict=True)) for slots in sky.slots]
        case "discards" | "hands":
            return [list(cards) for cards in getattr(sky, name)]
        case "scores":
            return list(sky.points)
        case "current":
            return sky.on_turn
        case "deckCount":
            return len(sky.deck)
        case "bildOpen":
            return sky.bilder.open
        case "bildDone":
            return [list(done) for done in sky.bilder.done]
        case "result":
            return sky.result and {"reason": sky.result.reason, "winners": sky.result.winners}
        case _:
            return getattr(sky, name)
