"""What a player may plan next: the moves of a turn as if it began now."""

from random import Random
from uuid import UUID

import pytest

from server.errors import IllegalPlan, NotSeated
from server.games import IllegalMove, Json
from server.play.commits import load
from server.play.planning.next_turn import plannable_moves
from server.play.planning.plans import put_plan
from server.play.views import describe
from tests.support.games import game_of, moves_of, moves_on, turn_of

pytestmark = pytest.mark.usefixtures("within")


def hand(game_id: UUID, seat: int) -> list[str]:
    found: list[str] = describe(load(game_id), seat)["view"]["hand"]
    return found


def whole_turn(game_id: UUID, who: UUID, planned: list[Json]) -> list[Json]:
    """Return the steps of a turn of Sternenglanz after these planned turns, without slot 3 if possible."""
    begun: list[Json] = []
    while steps := plannable_moves(game_id, who, planned, begun)["moves"]:
        begun.append(next((it for it in steps if it["steps"][0].get("slot") != 3), steps[0]))
    return begun


def joined(moves: list[Json]) -> Json:
    return {"steps": [step for it in moves for step in it["steps"]]}


def test_the_moves_that_can_be_planned_stay_legal_unless_another_player_takes_the_space(
    ada: UUID, bea: UUID, cyd: UUID
) -> None:
    game_id = game_of(ada, bea, cyd)
    may_plan = plannable_moves(game_id, bea, [], [])["moves"]
    taken = moves_of(game_id, ada)[0]
    moves_on(game_id, ada)
    assert [it for it in may_plan if (it["board"], it["space"]) != (taken["board"], taken["space"])] == moves_of(
        game_id, bea
    )
    star, *others = may_plan
    then = plannable_moves(game_id, bea, [star], [])["moves"]
    assert star not in then and all((it["board"], it["space"]) != (star["board"], star["space"]) for it in then)
    assert others[-1] in then


def test_planned_steps_are_previewed_and_shift_the_cards_for_the_next_turn(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, rules="sternenglanz", options={"start_seat": 0, "scenario": 1})
    moves_on(game_id, ada)
    chosen = moves_of(game_id, bea)[0]
    moves_on(game_id, bea)
    version = load(game_id).version
    begun = whole_turn(game_id, bea, [])
    foresight = plannable_moves(game_id, bea, [], begun)["foresight"]
    laid = [it for it in foresight["would"] if it["type"] == "star-laid"]
    assert laid and all(foresight["view"]["board"][it["field"]] == it["star"] for it in laid)
    assert foresight["would_reveal"]  # the cards that are drawn then
    after = plannable_moves(game_id, bea, [joined(begun)], [])
    view = after["foresight"]["view"]
    assert view["slots"][1][2] == chosen["steps"][0]["slot2"]  # it has moved along
    assert set(view["hand"]) < set(hand(game_id, 1))
    assert {it["steps"][0]["slot"] for it in after["moves"]} <= {1, 2, 3}
    assert load(game_id).version == version  # nothing was played
    with pytest.raises(IllegalMove):
        plannable_moves(game_id, bea, [], [begun[-1]])


@pytest.mark.parametrize("seats", [2, 3])
def test_turns_can_be_planned_while_another_player_still_chooses(seats: int, ada: UUID, bea: UUID, cyd: UUID) -> None:
    people = [ada, bea, cyd][:seats]
    options = {"start_seat": 0, "scenario": 1, "max_rounds": None}
    game_id = game_of(*people, rules="sternenglanz", options=options)
    late = ada if seats == 2 else cyd
    for who in people:
        if who != late:
            moves_on(game_id, who)
    first = whole_turn(game_id, bea, [])
    second = whole_turn(game_id, bea, [joined(first)])
    plans = [([], first[:n]) for n in range(len(first) + 1)]
    plans += [([joined(first)], second[:n]) for n in range(len(second) + 1)]

    def offered() -> list[Json]:
        found = [plannable_moves(game_id, bea, planned, begun) for planned, begun in plans]
        for it in found:
            view = it["foresight"]["view"]
            it["foresight"]["view"] = {name: view[name] for name in ("phase", "turn", "next", "board", "hand")}
            it["foresight"]["view"]["slots"] = view["slots"][1]
        return found

    before = offered()
    moves_on(game_id, late)
    assert turn_of(game_id, bea) is None  # the first turn is Ada's
    assert before == offered()
    end, start = (before[n]["foresight"] for n in (len(first), len(first) + 1))
    laid = next(it for it in end["would"] if it["type"] == "cards-laid")
    assert end["view"]["slots"] == start["view"]["slots"] and laid["slot2"] == start["view"]["slots"][1]
    assert [before[0]["foresight"]["view"]["turn"], start["view"]["turn"]] == [2, 2 + seats]


@pytest.mark.parametrize("name", ["sternenhimmel", "sternenglanz"])
def test_every_offered_move_can_be_planned(name: str, ada: UUID, bea: UUID, cyd: UUID) -> None:
    seed = 7
    rng = Random(seed)
    for scenario in (None,) if name == "sternenhimmel" else (1, 4):
        options = {"start_seat": 0} | ({"scenario": scenario} if scenario else {})
        people = [ada, bea, cyd]
        game_id = game_of(*people, rules=name, options=options)
        for _ in range(24):  # eight each, of the nine in each hand
            mover = next(who for who in people if turn_of(game_id, who) is not None)
            moves_on(game_id, mover, rng.randrange(len(moves_of(game_id, mover))))
        waiting = next(who for who in people if turn_of(game_id, who) is None)
        planned: list[Json] = []
        while len(planned) < 20 and (found := plannable_moves(game_id, waiting, planned, [])["moves"]):
            planned.append(rng.choice(found))
        assert planned, seed
        left = put_plan(game_id, waiting, 0, [{"move": it, "if": [], "after": "PT0S"} for it in planned])
        assert len(left["moves"]) == len(planned), seed


def test_only_seated_players_can_list_the_moves_to_plan(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    with pytest.raises(NotSeated):
        plannable_moves(game_id, cyd, [], [])


@pytest.mark.parametrize("scenario", [1, 4])
def test_the_last_turn_is_planned_once_and_no_turn_after_it(scenario: int, ada: UUID, bea: UUID) -> None:
    options = {"start_seat": 0, "scenario": scenario, "max_rounds": 1}
    game_id = game_of(ada, bea, rules="sternenglanz", options=options)
    for who in (ada, bea):
        moves_on(game_id, who)
    planned: list[Json] = []
    while len(planned) < 9 and (found := plannable_moves(game_id, bea, planned, [])["moves"]):
        planned.append(next((it for it in found if it["steps"][0].get("slot") != 3), found[0]))
    assert [it["steps"][0]["cmd"] for it in planned].count("lay") == 1
    begun = [] if scenario == 4 else whole_turn(game_id, bea, [])
    assert not begun or plannable_moves(game_id, bea, [joined(begun)], [])["moves"] == []
    while turn_of(game_id, ada) is not None:
        moves_on(game_id, ada)
    assert plannable_moves(game_id, ada, [], [])["moves"] == []
    with pytest.raises(IllegalPlan):
        put_plan(game_id, ada, 0, [{"move": planned[0], "if": [], "after": "PT0S"}])
