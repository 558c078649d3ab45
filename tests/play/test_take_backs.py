"""Take-backs: immediate where they harm no player, otherwise by consent of the table."""

import os
from collections import Counter
from datetime import timedelta
from functools import partial
from random import Random
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import update

from server.clock import clock
from server.errors import HandedOver, NotAllowed, NotFound, NotRunning, NotSeated, StaleTurn, TooLate
from server.games import GAMES
from server.play import archive
from server.play.commits import load, whole_log
from server.play.game import Game
from server.play.moves import play_move
from server.play.seating.seats import leave, take_seat
from server.play.story.line import line_of
from server.play.story.table_cache import tables
from server.play.views import describe, story
from server.play.votes import take_back, vote, votes_of, way_back_of
from server.store.tables import SeatRow, db
from tests.post.reader import composed
from tests.support.games import (
    BANK,
    DAY,
    HOUR,
    all_agree,
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
    outcome_of,
    person,
    run_until,
    seats_of,
    stop_the_clock,
    turn_of,
    until,
)

pytestmark = pytest.mark.usefixtures("within")

RANDOM = int(os.environ.get("RANDOM_TAKE_BACKS", "12"))  # per game; 5000 in a longer run


def consent(game_id: UUID, *people: UUID) -> None:
    all_agree(game_id, "take-back", *people)


# At once


def test_a_take_back_restores_the_table_with_new_turn_numbers(game_id: UUID, ada: UUID, bea: UUID) -> None:
    before = describe(load(game_id), 0)
    moves_on(game_id, ada)
    taken = take_back(game_id, ada, 1)
    assert taken.is_done
    assert taken.answer == {"version": 3, "view": before["view"], "you": {"seat": 0, "turn": 3}}
    assert [story(load(game_id), 1)[-1][name] for name in ("type", "seat", "to")] == ["move-taken-back", 0, 1]
    assert happened(game_id)[-2:] == ["star-placed", "move-taken-back"]  # nothing is deleted
    assert [turn_of(game_id, who) for who in (ada, bea)] == [3, None]
    assert_log_and_projections_agree(game_id)
    moves_on(game_id, ada, 1)
    assert turn_of(game_id, bea) == 4
    assert_log_and_projections_agree(game_id)


def test_a_process_that_missed_a_take_back_reads_the_log_again(game_id: UUID, ada: UUID) -> None:
    moves_on(game_id, ada)
    behind = load(game_id).table
    take_back(game_id, ada, 1)
    tables._tables[game_id] = behind
    assert load(game_id).table.turns == (3, None, None)


def test_a_turn_ended_by_a_take_back_rejects_even_a_repetition_of_its_move(game_id: UUID, ada: UUID, bea: UUID) -> None:
    move = moves_of(game_id, ada)[0]
    play_move(game_id, ada, 1, move)
    take_back(game_id, ada, 1)
    with pytest.raises(StaleTurn, match="taken back"):
        play_move(game_id, ada, 1, move)
    with pytest.raises(StaleTurn):
        play_move(game_id, bea, 2, move)
    assert play_move(game_id, ada, 3, move).first
    assert not play_move(game_id, ada, 3, move).first


def test_the_turns_time_continues_as_if_the_move_had_not_been_made(game_id: UUID, ada: UUID) -> None:
    due_at = seats_of(game_id)[0].due_at
    for _ in range(3):
        later(HOUR)
        moves_on(game_id, ada)
        later(HOUR)
        take_back(game_id, ada, load(game_id).version - 1)
        assert seats_of(game_id)[0].due_at == due_at
        assert seats_of(game_id)[1].due_at is None
    run_until(due_at)
    assert happened(game_id)[-1] == "time-extended"


def test_moving_and_taking_back_gains_no_bank_time(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = game_of(ada, bea, cyd, clock={**BANK, "cap": "P9D"})
    due_at, bank = seats_of(game_id)[0].due_at, seats_of(game_id)[0].allowed
    for _ in range(3):
        later(HOUR)
        moves_on(game_id, ada)
        later(HOUR)
        take_back(game_id, ada, load(game_id).version - 1)
    assert (seats_of(game_id)[0].due_at, seats_of(game_id)[0].allowed) == (due_at, bank)
    assert seats_of(game_id)[1].allowed == bank  # Bea's wait has cost her nothing


def test_a_new_email_is_sent_for_a_reopened_turn_and_the_old_one_is_not_sent(
    game_id: UUID, ada: UUID, bea: UUID
) -> None:
    moves_on(game_id, ada)
    take_back(game_id, ada, 1)
    assert [(row.seat, row.data["turn"]) for row in letters(game_id, "your-turn")] == [(0, 1), (1, 2), (0, 3)]
    written = [composed(row) is not None for row in letters(game_id, "your-turn")]
    assert written == [False, False, True]


def test_a_take_back_keeps_other_players_simultaneous_choices_and_turns(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = game_of(ada, bea, cyd, rules="sternenglanz", options={"start_seat": 0})
    moves_on(game_id, bea)
    due = [row.due_at for row in seats_of(game_id)]
    moves_on(game_id, ada)
    assert take_back(game_id, ada, 2).is_done
    assert load(game_id).table.turns == (4, None, 1)
    assert [row.due_at for row in seats_of(game_id)] == due
    assert not take_back(game_id, bea, 1).is_done  # ada has acted since
    assert_log_and_projections_agree(game_id)


def test_steps_of_a_turn_can_be_taken_back_one_by_one(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, rules="sternenglanz", options={"start_seat": 0})
    moves_on(game_id, ada)
    moves_on(game_id, bea)
    due_at, start = seats_of(game_id)[0].due_at, load(game_id).version
    for _ in range(2):
        later(HOUR)
        moves_on(game_id, ada)
    assert take_back(game_id, ada, start + 1).is_done
    assert seats_of(game_id)[0].due_at == due_at
    with pytest.raises(TooLate, match="already"):
        take_back(game_id, ada, start + 1)
    assert take_back(game_id, ada, start).is_done
    assert seats_of(game_id)[0].due_at == due_at
    assert_log_and_projections_agree(game_id)


# Refusals


def test_players_can_take_back_only_their_own_moves_and_only_once(game_id: UUID, ada: UUID, bea: UUID) -> None:
    for to in (0, 1, 2, 7):
        with pytest.raises(NotFound):
            take_back(game_id, ada, to)
    moves_on(game_id, ada)
    with pytest.raises(NotFound):
        take_back(game_id, bea, 1)
    with pytest.raises(NotSeated):
        take_back(game_id, person("onlooker"), 1)
    take_back(game_id, ada, 1)
    with pytest.raises(TooLate, match="already"):
        take_back(game_id, ada, 1)
    with pytest.raises(NotFound):
        take_back(game_id, ada, 2)


def test_a_player_can_see_whether_a_take_back_is_possible_and_free(
    game_id: UUID, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    assert way_back_of(game_id, ada) == {"to": None, "free": False}
    moves_on(game_id, ada)
    assert way_back_of(game_id, ada) == {"to": 1, "free": True}
    moves_on(game_id, bea)
    assert way_back_of(game_id, ada) == {"to": 1, "free": False}
    for option, first, second in (("free", None, 2), ("never", None, None)):
        other = game_of(ada, bea, cyd, options={"start_seat": 0, "take_back": option})
        for who in (ada, bea):
            moves_on(other, who)
        assert [way_back_of(other, who)["to"] for who in (ada, bea)] == [first, second]


def test_the_option_for_take_backs_can_forbid_them_or_allow_them_only_immediately(
    ada: UUID, bea: UUID, cyd: UUID
) -> None:
    never = game_of(ada, bea, cyd, options={"start_seat": 0, "take_back": "never"})
    moves_on(never, ada)
    with pytest.raises(NotAllowed):
        take_back(never, ada, 1)
    free = game_of(ada, bea, cyd, options={"start_seat": 0, "take_back": "free"})
    moves_on(free, ada)
    moves_on(free, bea)
    with pytest.raises(TooLate):
        take_back(free, ada, 1)
    assert take_back(free, bea, 2).is_done
    with pytest.raises(TooLate):  # Bea's move has been seen
        take_back(free, ada, 1)
    assert_log_and_projections_agree(free)


def test_a_move_cannot_be_taken_back_after_its_time_has_passed(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = game_of(ada, bea, cyd, options={"start_seat": 0, "take_back": "free"})
    later(2 * DAY - HOUR)
    moves_on(game_id, ada)
    later(HOUR)
    with pytest.raises(TooLate):
        take_back(game_id, ada, 1)


def test_moves_cannot_be_taken_back_during_a_pause_or_while_a_bot_plays(
    game_id: UUID, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    moves_on(game_id, ada)
    all_agree(game_id, "pause", ada, bea, cyd)
    with pytest.raises(NotRunning):
        take_back(game_id, ada, 1)
    all_agree(game_id, "resume", ada, bea, cyd)
    leave(game_id, ada)
    with pytest.raises(HandedOver):
        take_back(game_id, ada, 1)
    take_seat(game_id, ada)
    assert not take_back(game_id, ada, 1).is_done


# By consent


def test_a_take_back_that_needs_consent_succeeds_when_the_last_opponent_agrees(
    game_id: UUID, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    view = describe(load(game_id), 0)["view"]
    for who in (ada, bea):
        moves_on(game_id, who)
    ends_at = (clock.now() + 2 * DAY).isoformat()[:16]
    asked = take_back(game_id, ada, 1)
    wanted = {"on": "take-back", "seat": 0, "to": 1, "ends_at": asked.answer["vote"]["ends_at"], "consents": [0]}
    assert asked == ({"vote": wanted}, False)
    assert wanted["ends_at"][:16] == ends_at
    consent(game_id, bea)
    assert take_back(game_id, ada, 1).answer["vote"] == wanted | {
        "consents": [0, 1]
    }  # asked again, it is the same vote
    later(HOUR)
    consent(game_id, cyd)
    assert votes_of(game_id)["take-back"] is None
    assert describe(load(game_id), 0)["view"] == view
    assert load(game_id).table.turns == (4, None, None)
    assert seats_of(game_id)[0].due_at == last(game_id, "move-taken-back").recorded_at + 2 * DAY
    assert_log_and_projections_agree(game_id)


def test_a_take_back_fails_if_players_do_not_respond_or_if_the_next_move_is_played(
    game_id: UUID, ada: UUID, bea: UUID, cyd: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_the_clock(monkeypatch, clock.real())
    for who in (ada, bea):
        moves_on(game_id, who)
    take_back(game_id, ada, 1)
    consent(game_id, bea)
    later(2 * DAY - timedelta(seconds=1))
    assert votes_of(game_id)["take-back"]
    later(timedelta(seconds=1))
    assert votes_of(game_id)["take-back"] is None
    with pytest.raises(TooLate):
        consent(game_id, cyd)
    take_back(game_id, ada, 1)
    consent(game_id, bea)
    moves_on(game_id, cyd)
    with pytest.raises(TooLate):
        consent(game_id, ada)
    assert "move-taken-back" not in happened(game_id)


def test_a_request_can_be_withdrawn_and_consent_revoked(game_id: UUID, ada: UUID, bea: UUID, cyd: UUID) -> None:
    for who in (ada, bea):
        moves_on(game_id, who)
    take_back(game_id, ada, 1)
    consent(game_id, bea)
    vote(game_id, bea, "take-back", False)
    consent(game_id, cyd)
    assert votes_of(game_id)["take-back"]["consents"] == [0, 2]
    vote(game_id, ada, "take-back", False)
    assert votes_of(game_id)["take-back"] is None


def test_bots_and_absent_players_agree_automatically(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    for who in (ada, bea):
        moves_on(game_id, who)
    everything_due_happens()
    assert not take_back(game_id, ada, 1).is_done
    leave(game_id, bea)
    assert happened(game_id)[-1] == "move-taken-back"
    everything_due_happens()
    alone = game_of(ada, bots=2)
    moves_on(alone, ada)
    everything_due_happens()
    assert take_back(alone, ada, 1).is_done
    assert turn_of(alone, ada) == load(alone).version
    assert_log_and_projections_agree(alone)


def test_moves_cannot_be_taken_back_if_the_log_cannot_be_replayed_and_calls_still_work(
    game_id: UUID, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    for who in (ada, bea):
        moves_on(game_id, who)
    take_back(game_id, ada, 1)
    consent(game_id, bea)
    db.session.execute(update(SeatRow).where(SeatRow.game_id == game_id).values(salt="another"))
    db.session.commit()
    consent(game_id, cyd)
    assert votes_of(game_id)["take-back"] is None
    with pytest.raises(TooLate, match="no longer go back"):
        take_back(game_id, ada, 1)
    assert "move-taken-back" not in happened(game_id)


# Races


def test_only_one_of_two_simultaneous_take_backs_succeeds(app: Flask, game_id: UUID, ada: UUID) -> None:
    moves_on(game_id, ada)
    found = at_once(app, [partial(outcome_of, partial(take_back, game_id, ada, 1))] * 4)
    assert Counter(found) == {None: 1, TooLate: 3}
    assert happened(game_id).count("move-taken-back") == 1
    assert_log_and_projections_agree(game_id)


def test_a_take_back_and_a_simultaneous_move_take_effect_in_order(app: Flask, ada: UUID, bea: UUID, cyd: UUID) -> None:
    for _ in range(5):
        game_id = game_of(ada, bea, cyd, options={"start_seat": 0, "take_back": "free"})
        moves_on(game_id, ada)
        goes_back = partial(take_back, game_id, ada, 1)
        moves = partial(play_move, game_id, bea, 2, moves_of(game_id, bea)[0])
        found = at_once(app, [partial(outcome_of, goes_back), partial(outcome_of, moves)])
        assert found in ([None, StaleTurn], [TooLate, None])
        assert_log_and_projections_agree(game_id)


def test_either_the_last_consent_or_a_simultaneous_time_out_takes_effect(
    app: Flask, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    ladder = [{"do": "bot-move", "bot": "greedy", "times": 2}, {"do": "bot-takes-over", "bot": "greedy"}]
    for _ in range(3):
        game_id = game_of(ada, bea, cyd, on_timeout=ladder)
        for who in (ada, bea):
            moves_on(game_id, who)
        later(DAY)
        take_back(game_id, ada, 1)
        consent(game_id, bea)
        until(seats_of(game_id)[2].due_at)
        found = at_once(app, [partial(outcome_of, partial(consent, game_id, cyd)), everything_due_happens])
        everything_due_happens()
        assert found[0] in (None, TooLate)
        assert happened(game_id).count("move-taken-back") + happened(game_id).count("time-ran-out") == 1
        assert ("move-taken-back" in happened(game_id)) == (found[0] is None)
        assert_log_and_projections_agree(game_id)


# Chance and the archive


@pytest.mark.timeout(max(900, 10 * RANDOM))
@pytest.mark.usefixtures("no_limits")  # they start more games than three players may
@pytest.mark.parametrize("rules", GAMES)
def test_random_draws_stay_the_same_no_matter_how_often_moves_are_taken_back(rules: str, ada: UUID, bea: UUID) -> None:
    """A repeated draw shows the same as before, and the log proves it."""
    rng, counts = Random(rules), {True: 0, False: 0}
    while sum(counts.values()) < RANDOM:
        people = (ada, bea, person("third"))
        game_id = game_of(*people, rules=rules, options={"start_seat": 0})
        came: dict[str, str] = {}  # of each move in each state
        for _ in range(60):
            game = load(game_id)
            if game.table.status != "running":
                break
            asked = [seat for seat, turn in enumerate(game.table.turns) if turn is not None]
            seat = rng.choice(asked)
            if rng.random() < 0.4 and (back := random_way_back(game, rng)):
                is_free = take_back(game_id, people[back[0]], back[1]).is_done
                if not is_free:
                    consent(game_id, *(who for other, who in enumerate(people) if other != back[0]))
                counts[is_free] += 1
                continue
            move = rng.choice(moves_of(game_id, people[seat])[:4])
            played = play_move(game_id, people[seat], game.table.turns[seat] or 0, move)
            news = repr([(row.type, row.seat, row.body) for row in played.game.newest])
            assert came.setdefault(repr((game.table.state, seat, move)), news) == news
        game = load(game_id)
        table, words = archive.replay(archive.start(game.head, game.seats), whole_log(game_id))
        assert (table.state, table.turns, words) == (game.table.state, game.table.turns, game.head.drawn)
    assert min(counts.values()) > 0


def random_way_back(game: Game, rng: Random) -> tuple[int, int] | None:
    """Return a seat and a version that it may go back to."""
    line = line_of(game.table.rules.NAME, whole_log(game.game_id))
    recent = range(max(1, game.version - 12), game.version)
    ways = [(seat, to) for to in recent for seat in range(len(game.seats)) if line.move_after(to, seat)]
    return rng.choice(ways) if ways else None
