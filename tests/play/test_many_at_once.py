"""Simultaneous actions, and games in which several seats move at once."""

from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from server.errors import StaleTurn
from server.play.commits import load, whole_log
from server.play.moves import play_move
from server.play.timing.sweep import wake_due
from server.play.views import story
from tests.support.games import (
    DAY,
    assert_log_and_projections_agree,
    at_once,
    everything_due_happens,
    game_of,
    happened,
    last,
    later,
    letters,
    moves_of,
    moves_on,
    person,
    recorded_at,
    seats_of,
    turn_of,
    until,
)

pytestmark = pytest.mark.usefixtures("within")


# Simultaneous actions


def test_only_one_of_a_hundred_moves_for_the_same_turn_succeeds(app: Flask, ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    moves = moves_of(game_id, ada)[:10]

    def race(move: Any) -> tuple[str, str]:
        try:
            played = play_move(game_id, ada, 1, move)
        except StaleTurn as stale:
            return "stale", str(stale.turn)
        return "first" if played.first else "again", app.json.dumps(played.answer)

    answers = at_once(app, [lambda move=move: race(move) for move in moves * 10])
    (first,) = [answer for kind, answer in answers if kind == "first"]
    assert [answer for kind, answer in answers if kind == "again"] == [first] * 9
    assert [answer for kind, answer in answers if kind == "stale"] == ["None"] * 90
    assert happened(game_id).count("star-placed") == 1
    assert [letter.seat for letter in letters(game_id, "your-turn")] == [0, 1]
    assert load(game_id).table.version == 2


def test_a_move_at_the_time_of_its_time_out_either_counts_or_is_stale(app: Flask, ada: UUID) -> None:
    ladder = [{"do": "bot-move", "bot": "greedy", "times": 9}, {"do": "abandon"}]
    for _ in range(5):
        game_id = game_of(ada, person("bea"), bots=1, on_timeout=ladder)
        move = moves_of(game_id, ada)[0]
        later(2 * DAY)

        def race(game_id: UUID = game_id, move: Any = move) -> str:
            try:
                return "played" if play_move(game_id, ada, 1, move).first else "again"
            except StaleTurn:
                return "stale"

        answers = at_once(app, [race, wake_due, race, wake_due])[::2]
        types = happened(game_id)
        assert types.count("star-placed") == 1
        assert sorted(answers) == (["stale", "stale"] if "time-ran-out" in types else ["again", "played"])


def test_several_simultaneous_sweeps_make_every_commit_exactly_once(app: Flask, ada: UUID, bea: UUID) -> None:
    games = [game_of(ada, bea, bots=1) for _ in range(25)]
    later(2 * DAY)
    at_once(app, [everything_due_happens] * 4)
    assert [happened(game_id)[5:] for game_id in games] == [["time-extended"]] * 25
    assert [len(letters(game_id, "time-extended")) for game_id in games] == [1] * 25
    later(DAY)
    at_once(app, [everything_due_happens] * 4)
    assert [happened(game_id)[6:] for game_id in games] == [["time-ran-out", "star-placed"]] * 25
    assert [seat.turn for game_id in games for seat in seats_of(game_id)] == [None, 3, None] * 25


# Several seats on turn at once


def test_each_seat_plays_its_own_turn_and_choices_stay_secret(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = game_of(ada, bea, cyd, rules="sternenglanz", options={"start_seat": 0})
    people = [cyd, ada, bea]
    for number, who in enumerate(people):
        assert [turn_of(game_id, it) for it in people[number:]] == [1] * (3 - number)
        played = moves_on(game_id, who)
        assert played.answer["events"][0]["slot2"] is not None
    chosen_by = [event for event in story(load(game_id), 1) if event["type"] == "cards-chosen"]
    assert [event["slot2"] is None for event in chosen_by] == [True, True, False]
    assert happened(game_id)[-2:] == ["choices-shown", "turn-began"]
    assert [turn_of(game_id, it) for it in (ada, bea, cyd)] == [4, None, None]


def test_all_simultaneous_choices_count(app: Flask, ada: UUID) -> None:
    people = [ada, *(person(f"chooser{n}") for n in range(3))]
    game_id = game_of(*people, rules="sternenglanz", options={"start_seat": 0})
    moves = [moves_of(game_id, who)[0] for who in people]
    plays = [
        lambda who=who, move=move: play_move(game_id, who, 1, move).first
        for who, move in zip(people, moves, strict=True)
    ]
    assert at_once(app, plays) == [True] * 4
    assert happened(game_id).count("cards-chosen") == 4
    assert happened(game_id).count("choices-shown") == 1
    assert load(game_id).table.turns == (5, None, None, None)


def test_time_runs_out_for_each_seat_that_has_not_chosen(app: Flask, ada: UUID, bea: UUID, cyd: UUID) -> None:
    ladder = [{"do": "bot-move", "bot": "greedy", "times": 2}, {"do": "bot-takes-over", "bot": "greedy"}]
    game_id = game_of(ada, bea, cyd, rules="sternenglanz", options={"start_seat": 0}, on_timeout=ladder)
    moves_on(game_id, bea)
    due = [row.due_at for row in seats_of(game_id)]
    assert due == [recorded_at(game_id, "game-started") + 2 * DAY, None, recorded_at(game_id, "game-started") + 2 * DAY]
    until(due[0])
    at_once(app, [everything_due_happens] * 3)
    assert {event.seat for event in whole_log(game_id) if event.type == "time-ran-out"} == {0, 2}
    assert happened(game_id).count("cards-chosen") == 3
    assert load(game_id).table.missed == (1, 0, 1)
    assert turn_of(game_id, ada) == last(game_id, "turn-began").version
    assert seats_of(game_id)[0].due_at == recorded_at(game_id, "turn-began") + 2 * DAY
    assert_log_and_projections_agree(game_id)


def test_bots_choose_for_all_their_seats_while_people_think(ada: UUID) -> None:
    game_id = game_of(ada, bots=3, rules="sternenglanz", options={"start_seat": 1})
    everything_due_happens()
    assert load(game_id).table.turns == (1, None, None, None)
    assert seats_of(game_id)[0].due_at == recorded_at(game_id, "game-started") + 2 * DAY
    moves_on(game_id, ada)
    everything_due_happens()
    assert turn_of(game_id, ada) == load(game_id).table.version  # all three have played their turns
