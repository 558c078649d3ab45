"""Plans: a worker plays moves left for later turns if their conditions hold."""

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from server.clock import clock
from server.errors import HandedOver, IllegalPlan, NotRunning, NotSeated, PlayError, StalePlan, StaleTurn
from server.games import GAMES, Json
from server.operations.delete_player import delete_player
from server.play.commits import load, whole_log
from server.play.moves import answer_turn, play_move
from server.play.planning.plan_conditions import check_condition, holds
from server.play.planning.plans import drop_plan, get_plan, put_plan
from server.play.seating.seats import leave, take_seat
from server.play.timing.sweep import wake_due
from server.play.views import describe, story
from server.play.votes import take_back
from server.store.tables import Plan, db
from tests.support.games import (
    DAY,
    HOUR,
    MINUTE,
    all_agree,
    assert_log_and_projections_agree,
    at_once,
    everything_due_happens,
    game_of,
    happened,
    letters,
    moves_of,
    moves_on,
    person,
    run_for,
    run_until,
    seats_of,
    turn_of,
)

pytestmark = pytest.mark.usefixtures("within")


def free_spaces(game_id: UUID) -> list[tuple[str, str, str]]:
    return [
        (board["board"], space, f"/boards/{slot}/spaces/{space}")
        for slot, board in enumerate(describe(load(game_id), None)["view"]["boards"])
        for space, lying in board["spaces"].items()
        if lying is None
    ]


def star(game_id: UUID, number: int, kind: str = "7") -> Json:
    board, space, _ = free_spaces(game_id)[number]
    return {"star": kind, "board": board, "space": space}


def item(move: Json, *conditions: Json, after: str = "PT0S") -> Json:
    return {"move": move, "if": list(conditions), "after": after}


def steps(text: str) -> Json:
    """Parse a line into a move of Sternenglanz."""
    rules = GAMES["sternenglanz"]
    return rules.move_to_json(rules.read_move(text))


def plan(game_id: UUID, who: UUID, *items: Json) -> Json:
    return put_plan(game_id, who, get_plan(game_id, who)["revision"], items)


def last_move(game_id: UUID, viewer: int | None) -> Json:
    return [it for it in story(load(game_id), viewer) if "by" in it][-1]


# Leaving a plan


def test_a_plan_is_stored_by_revision_and_shown_to_its_owner(game_id: UUID, bea: UUID) -> None:
    assert get_plan(game_id, bea) == {"revision": 0, "moves": [], "ended": None}
    moves = [item(star(game_id, 0)), item(star(game_id, 1, "10"), {"only": ["star-placed"]}, after="PT6H")]
    left = put_plan(game_id, bea, 0, moves)
    assert left == get_plan(game_id, bea) == {"revision": 1, "moves": moves, "ended": None}
    assert put_plan(game_id, bea, 0, moves) == left  # repeating it is harmless
    with pytest.raises(StalePlan) as stale:
        put_plan(game_id, bea, 0, moves[:1])
    assert stale.value.revision == 1
    assert put_plan(game_id, bea, 1, moves[:1])["revision"] == 2
    drop_plan(game_id, bea)
    assert get_plan(game_id, bea) == {"revision": 3, "moves": [], "ended": None}


def test_a_move_that_can_never_be_played_is_rejected_with_its_index(game_id: UUID, ada: UUID, bea: UUID) -> None:
    good = item(star(game_id, 0))
    taken = star(game_id, 3)
    moves_on(game_id, ada)
    placed = last_move(game_id, None)
    refused: list[tuple[Json, str]] = [
        (item(star(game_id, 1)), "star-not-in-hand"),  # there is one 7
        (item({**taken, "star": "6", "board": placed["board"], "space": placed["space"]}), "space-taken"),
        (item(good["move"] | {"star": "6"}), "space-taken"),
        (item({**taken, "board": "ursa"}), "board-not-in-play"),
        (item({"star": "7"}), "missing-field"),
        (item(star(game_id, 4, "6"), {"at": "boards", "is": 1}), "bad-condition"),
        (item(star(game_id, 4, "6"), {"at": "/coins"}), "bad-condition"),
        (item(star(game_id, 4, "6"), {"only": ["star-born"]}), "bad-condition"),
        *[
            (item(star(game_id, 4, "6"), {"at": at, "is_not": 1}), "bad-condition")
            for at in (
                *("/nowhere", "/next/0", "/boards/x", "/boards/0/star"),
                *("/coins/3", "/coins/00", "/boards/0/spaces/a/name"),
            )
        ],
        (item(star(game_id, 4, "6"), after="soon"), "bad-condition"),
    ]
    good = item(star(game_id, 0))
    refused[2] = (item(good["move"] | {"star": "6"}), "space-taken")
    for bad, reason in refused:
        with pytest.raises(IllegalPlan) as fault:
            plan(game_id, bea, good, bad)
        assert (fault.value.index, fault.value.reason) == (1, reason)
    assert get_plan(game_id, bea)["revision"] == 0


def test_only_active_players_in_a_running_game_can_make_a_plan(game_id: UUID, ada: UUID, bea: UUID) -> None:
    good = item(star(game_id, 0))
    with pytest.raises(NotSeated):
        put_plan(game_id, person("dan"), 0, [good])
    plan(game_id, bea, good)
    leave(game_id, bea)
    assert get_plan(game_id, bea)["moves"] == []
    with pytest.raises(HandedOver):
        put_plan(game_id, bea, 0, [good])
    take_seat(game_id, bea)
    all_agree(game_id, "abandon", ada, bea, person("cyd"))
    with pytest.raises(NotRunning):
        put_plan(game_id, bea, 0, [good])


# Playing a plan


def test_a_planned_move_is_played_when_the_turn_begins_and_no_email_is_sent(
    game_id: UUID, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    first, second = star(game_id, 5), star(game_id, 6, "10")
    plan(game_id, bea, item(first), item(second))
    everything_due_happens()
    assert load(game_id).version == 1
    moves_on(game_id, ada)
    everything_due_happens()
    placed = last_move(game_id, 1)
    assert {name: placed[name] for name in first} == first
    assert turn_of(game_id, cyd) == 3
    assert [row.seat for row in letters(game_id, "your-turn")] == [0, 2]
    assert get_plan(game_id, bea) == {"revision": 2, "moves": [item(second)], "ended": None}
    moves_on(game_id, cyd)
    moves_on(game_id, ada)
    everything_due_happens()
    assert last_move(game_id, 1)["star"] == "10"
    assert get_plan(game_id, bea) == {"revision": 3, "moves": [], "ended": None}
    assert_log_and_projections_agree(game_id)


def test_only_the_plans_owner_sees_that_a_move_was_planned(game_id: UUID, ada: UUID, bea: UUID) -> None:
    plan(game_id, bea, item(star(game_id, 5)))
    moves_on(game_id, ada)
    everything_due_happens()
    assert [last_move(game_id, viewer)["by"] for viewer in (None, 0, 1, 2)] == ["player", "player", "plan", "player"]
    assert [it["by"] for it in story(load(game_id), 1) if "by" in it] == ["player", "plan"]


def test_a_bots_moves_are_marked_when_it_plays_the_seat_or_moves_after_a_time_out(ada: UUID, bea: UUID) -> None:
    game_id = game_of(
        ada,
        bea,
        bots=1,
        on_timeout=[{"do": "bot-move", "bot": "greedy", "times": 1}, {"do": "bot-takes-over", "bot": "greedy"}],
    )
    moves_on(game_id, ada)
    leave(game_id, bea)
    everything_due_happens()
    take_seat(game_id, bea)
    run_until(seats_of(game_id)[0].due_at)
    moves_on(game_id, bea)
    authors = [(it["seat"], it["by"]) for it in story(load(game_id), None) if "by" in it]
    assert authors[:5] == [(0, "player"), (1, "bot"), (2, "bot"), (0, "bot"), (1, "player")]


def test_a_plan_with_a_delay_waits_and_its_owner_is_notified_of_the_turn(game_id: UUID, ada: UUID, bea: UUID) -> None:
    plan(game_id, bea, item(star(game_id, 5), after="PT6H"))
    moves_on(game_id, ada)
    moved_at = clock.now()
    everything_due_happens()
    assert load(game_id).version == 2
    told = letters(game_id, "your-turn")[-1]
    assert (told.seat, told.data["turn"]) == (1, 2)
    plays_at = datetime.fromisoformat(told.data["plan"]["at"])
    assert MINUTE > plays_at - moved_at - 6 * HOUR >= 0 * HOUR
    assert told.data["plan"]["move"] == get_plan(game_id, bea)["moves"][0]["move"]
    run_until(plays_at - MINUTE)
    assert load(game_id).version == 2
    run_until(plays_at)
    assert load(game_id).version == 3


def test_the_delay_of_a_planned_move_is_limited_to_the_time_of_the_turn(game_id: UUID, ada: UUID, bea: UUID) -> None:
    plan(game_id, bea, item(star(game_id, 5), after="P30D"))
    moves_on(game_id, ada)
    everything_due_happens()
    run_until(seats_of(game_id)[1].due_at)
    assert happened(game_id)[-1] == "star-placed"
    assert load(game_id).version == 3


def test_a_plan_made_during_its_owners_turn_plays_that_turn(game_id: UUID, ada: UUID) -> None:
    plan(game_id, ada, item(star(game_id, 5)))
    everything_due_happens()
    assert last_move(game_id, 0)["by"] == "plan"


def test_a_process_with_an_outdated_copy_of_the_game_still_plays_the_planned_move(
    game_id: UUID, ada: UUID, bea: UUID
) -> None:
    before = load(game_id)
    plan(game_id, bea, item(star(game_id, 5)))
    move = before.table.rules.move_from_json(moves_of(game_id, ada)[0])
    assert answer_turn(before, 0, 1, move) is not None
    everything_due_happens()
    assert load(game_id).version == 3


def test_the_rest_of_a_turn_can_be_planned_move_by_move(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, rules="sternenglanz", options={"start_seat": 0, "scenario": 4})
    for who in (ada, bea):
        cards = describe(load(game_id), load(game_id).seat_of(who))["view"]["hand"]
        plan(game_id, who, item(steps(f"choose {cards[0]} {cards[1]}")))
    everything_due_happens()
    assert turn_of(game_id, ada) == 3
    while turn_of(game_id, ada):
        plan(game_id, ada, *[item(moves_of(game_id, ada)[0])])
        everything_due_happens()
    assert turn_of(game_id, bea) == load(game_id).version
    assert {it["by"] for it in story(load(game_id), 0) if it.get("seat") == 0 and "by" in it} == {"plan"}
    assert letters(game_id, "your-turn")[-1].seat == 1


def test_a_planned_move_has_only_one_action_if_sternbilder_are_secret(ada: UUID, bea: UUID) -> None:
    two_steps = steps("1 lay punkt b1; 2 move a1 b2 c3")
    for scenario, is_refused in ((1, False), (4, True)):
        game_id = game_of(ada, bea, rules="sternenglanz", options={"start_seat": 0, "scenario": scenario})
        if not is_refused:
            assert plan(game_id, bea, item(two_steps))["revision"] == 1
            continue
        with pytest.raises(IllegalPlan) as fault:
            plan(game_id, bea, item(two_steps))
        assert fault.value.reason == "reveals"


def test_a_plan_cannot_use_a_card_that_the_player_lacks_or_use_a_card_twice(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, rules="sternenglanz", options={"start_seat": 0})
    one, two, three, *_ = describe(load(game_id), 1)["view"]["hand"]
    choice = item(steps(f"choose {one} {two}"))
    strange = next(card for card in describe(load(game_id), 0)["view"]["hand"])
    for second in (two, strange):
        with pytest.raises(IllegalPlan) as fault:
            plan(game_id, bea, choice, item(steps(f"lay {second} -")))
        assert (fault.value.index, fault.value.reason) == (1, "bad-cards")
    assert plan(game_id, bea, choice, item(steps(f"lay {three} -")))["revision"] == 1


# Conditions


def test_conditions_check_what_every_spectator_sees(game_id: UUID, ada: UUID) -> None:
    at = free_spaces(game_id)[5][2]
    move = moves_of(game_id, ada)[0]
    play_move(game_id, ada, 1, move)
    view = describe(load(game_id), None)["view"]
    boards = [board["board"] for board in view["boards"]]
    taken = f"/boards/{boards.index(move['board'])}/spaces/{move['space']}"
    cases: list[tuple[Json, bool]] = [
        ({"at": at, "is": None}, True),
        ({"at": at, "is_not": None}, False),
        ({"at": taken, "is": None}, False),
        ({"at": f"{taken}/seat", "is": 0}, True),
        ({"at": f"{taken}/seat", "is": False}, False),  # as JSON, where false is not 0
        ({"at": "/hand", "is": None}, True),  # a spectator has none
        ({"at": "/coins", "is": [0, 0, 0]}, True),
        ({"at": "/boards/9/board", "is": None}, True),  # a missing value counts as null
        ({"at": "/boards/00/board", "is": None}, True),
        ({"at": "/boards/0/board", "is": boards[0]}, True),
        ({"at": "", "is": view}, True),
        ({"only": ["star-placed", "time-extended"]}, True),
        ({"only": []}, False),
    ]
    assert [holds(condition, view, {"star-placed"}) for condition, _ in cases] == [expected for _, expected in cases]


def test_conditions_are_checked_at_the_version_that_began_the_turn(game_id: UUID, ada: UUID, bea: UUID) -> None:
    plan(game_id, bea, item(star(game_id, 5), {"at": "/next", "is": 1}, {"only": ["star-placed"]}, after="PT6H"))
    moves_on(game_id, ada)
    everything_due_happens()
    all_agree(game_id, "pause", ada, bea, person("cyd"))
    all_agree(game_id, "resume", ada, bea, person("cyd"))
    run_for(7 * HOUR)
    assert last_move(game_id, 1)["by"] == "plan"


def test_a_plans_condition_counts_only_events_since_the_plan_was_made(game_id: UUID, ada: UUID, bea: UUID) -> None:
    all_agree(game_id, "pause", ada, bea, person("cyd"))
    plan(game_id, bea, item(star(game_id, 5), {"only": ["star-placed"]}))
    all_agree(game_id, "resume", ada, bea, person("cyd"))
    moves_on(game_id, ada)
    everything_due_happens()
    assert get_plan(game_id, bea)["ended"]["because"] == "condition"


# Ends of plans


def test_an_illegal_planned_move_ends_the_plan_and_its_owner_is_notified(game_id: UUID, ada: UUID, bea: UUID) -> None:
    wanted = moves_of(game_id, ada)[0]
    plan(game_id, bea, item(wanted | {"star": "7"}), item(star(game_id, 9, "6")))
    play_move(game_id, ada, 1, wanted)
    everything_due_happens()
    ended = {"because": "illegal-move", "index": 0, "move": wanted | {"star": "7"}, "reason": "space-taken"}
    assert get_plan(game_id, bea) == {"revision": 2, "moves": [], "ended": ended}
    told = letters(game_id, "your-turn")[-1]
    assert (told.seat, told.data["turn"], told.data["plan"]) == (1, 2, ended)
    assert load(game_id).version == 2
    row = seats_of(game_id)[1]
    assert row.wake_at == row.remind_at
    assert not row.planned


def test_a_failed_condition_ends_the_plan(game_id: UUID, ada: UUID, bea: UUID) -> None:
    plan(game_id, bea, item(star(game_id, 5), {"at": "/next", "is": 2}))
    moves_on(game_id, ada)
    everything_due_happens()
    assert get_plan(game_id, bea)["ended"]["because"] == "condition"
    assert [row.seat for row in letters(game_id, "your-turn")] == [0, 1]


def test_the_owners_own_move_ends_the_plan_without_an_email(game_id: UUID, ada: UUID, bea: UUID, cyd: UUID) -> None:
    plan(game_id, bea, item(star(game_id, 5), after="PT6H"), item(star(game_id, 6, "10")))
    moves_on(game_id, ada)
    everything_due_happens()
    moves_on(game_id, bea)
    assert get_plan(game_id, bea)["moves"] == []
    assert get_plan(game_id, bea)["ended"]["because"] == "moved"
    run_for(7 * HOUR)
    assert load(game_id).version == 3
    moves_on(game_id, cyd)
    moves_on(game_id, ada)
    everything_due_happens()
    assert turn_of(game_id, bea) == 5
    assert letters(game_id, "your-turn")[-1].seat == 1  # it had to wait for a check of the plan


def test_a_take_back_ends_the_plan(game_id: UUID, ada: UUID, bea: UUID) -> None:
    moves_on(game_id, ada)
    plan(game_id, bea, item(star(game_id, 5), after="PT6H"))
    everything_due_happens()
    take_back(game_id, ada, 1)
    moves_on(game_id, ada)
    run_for(DAY)
    assert get_plan(game_id, bea)["ended"]["because"] == "taken-back"
    assert turn_of(game_id, bea) == 4


def test_a_bot_that_moves_instead_ends_the_plan(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = game_of(ada, bea, cyd)
    plan(game_id, bea, item(star(game_id, 5)))
    leave(game_id, bea)
    moves_on(game_id, ada)
    everything_due_happens()
    assert {it["by"] for it in story(load(game_id), 1) if it["seat"] == 1 and "by" in it} == {"bot"}


def test_a_plan_does_not_move_during_a_pause(game_id: UUID, ada: UUID, bea: UUID, cyd: UUID) -> None:
    plan(game_id, bea, item(star(game_id, 5)))
    moves_on(game_id, ada)
    all_agree(game_id, "pause", ada, bea, cyd)
    everything_due_happens()
    assert happened(game_id)[-1] == "game-paused"
    all_agree(game_id, "resume", ada, bea, cyd)
    everything_due_happens()
    assert happened(game_id)[-1] == "star-placed"


def test_a_plan_is_deleted_after_the_game_or_with_its_player(game_id: UUID, ada: UUID, bea: UUID, cyd: UUID) -> None:
    def kept() -> list[int]:
        db.session.rollback()
        return list(db.session.scalars(db.select(Plan.seat).order_by(Plan.seat)))

    plan(game_id, bea, item(star(game_id, 5)))
    other = game_of(cyd, bea, ada)
    plan(other, bea, item(star(other, 5)))
    assert kept() == [1, 1]
    all_agree(game_id, "abandon", ada, bea, cyd)
    assert kept() == [1]
    assert not any(row.planned for row in seats_of(game_id))
    delete_player(bea)
    assert kept() == []
    assert not any(row.planned for row in seats_of(other))


# Races


def test_if_a_plan_a_click_and_another_worker_compete_exactly_one_succeeds(
    app: Flask, game_id: UUID, ada: UUID, bea: UUID
) -> None:
    def click(move: Json, turn: int) -> Any:
        try:
            return play_move(game_id, bea, turn, move).first
        except (StaleTurn, PlayError) as error:
            return type(error)

    for _ in range(4):
        while turn_of(game_id, ada) is None:
            moves_on(game_id, person("cyd"))
        hand = describe(load(game_id), 1)["view"]["hand"]
        plan(game_id, bea, item(star(game_id, 5, hand[0])), item(star(game_id, 8, hand[-1])))
        moves_on(game_id, ada)
        version = load(game_id).version
        clicked, *_ = at_once(app, [partial(click, star(game_id, 7, hand[0]), version), wake_due, wake_due])
        everything_due_happens()
        assert load(game_id).version == version + 1
        assert clicked in (True, StaleTurn)
        assert (last_move(game_id, 1)["by"] == "plan") is (clicked is StaleTurn)
        assert_log_and_projections_agree(game_id)


def test_a_plan_and_a_simultaneous_take_back_take_effect_in_order(
    app: Flask, game_id: UUID, ada: UUID, bea: UUID
) -> None:
    def back(to: int) -> Any:
        try:
            return take_back(game_id, ada, to).is_done
        except PlayError as error:
            return type(error)

    for _ in range(4):
        version = load(game_id).version
        plan(game_id, bea, item(star(game_id, 5)))
        moves_on(game_id, ada)
        done, _ = at_once(app, [partial(back, version), wake_due])
        everything_due_happens()
        types = [row.type for row in whole_log(game_id) if row.version > version]
        assert types == (["star-placed", "move-taken-back"] if done is True else ["star-placed", "star-placed"])
        if done is not True:
            break
    assert_log_and_projections_agree(game_id)


@pytest.mark.parametrize("rules", GAMES)
def test_a_condition_can_name_any_field_in_the_games_view(rules: str, ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, rules=rules, options={"start_seat": 0})
    game = load(game_id)

    def places(value: object, at: str) -> Iterator[str]:
        yield at
        inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for name, each in inner:
            yield from places(each, f"{at}/{str(name).replace('~', '~0').replace('/', '~1')}")

    for viewer in (None, 0):
        for at in places(game.table.rules.view(game.table.state, viewer), ""):
            check_condition(game.table.rules, 3, {"at": at, "is": None})
