"""Moves: turns of one and several moves, and the signed links that play them."""

from random import Random
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from server.clock import clock
from server.errors import NotFound, NotRunning, NotSeated, StaleTurn
from server.games import IllegalMove, sternenhimmel
from server.play.commits import load, whole_log
from server.play.moves import legal_moves, play_move, play_reply, try_move
from server.play.seating.games import open_game
from server.play.seating.seats import leave, return_word
from server.play.story.table_cache import tables
from server.play.table import type_name
from server.play.turns.first_answers import present_turn
from server.play.turns.turn_links import check_line, open_turn, play_line, rest_of_turn, turn_word
from server.play.views import describe
from tests.support.games import (
    BANK,
    BOT,
    DAY,
    HOUR,
    ME,
    MINUTE,
    OPEN,
    all_agree,
    assert_log_and_projections_agree,
    everything_due_happens,
    game_of,
    happened,
    last,
    later,
    letters,
    moves_of,
    moves_on,
    recorded_at,
    run_for,
    run_until,
    seats_of,
    turn_of,
    wanted,
)

pytestmark = pytest.mark.usefixtures("within")


# Turns


def test_a_turn_is_numbered_by_the_version_that_began_it(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = game_of(ada, bea, cyd)
    for version, who in enumerate((ada, bea, cyd, ada, bea), 1):
        turns = [turn_of(game_id, someone) for someone in (ada, bea, cyd)]
        assert [turn for turn in turns if turn is not None] == [version]
        assert turn_of(game_id, who) == version
        assert moves_on(game_id, who).answer["version"] == version + 1


def test_a_move_applies_each_event_once_and_publishes_the_result(
    ada: UUID, bea: UUID, cyd: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    game_id, players = game_of(ada, bea, cyd), [ada, bea, cyd]
    applied, apply = [], sternenhimmel.apply

    def applies(state: Any, event: Any) -> Any:
        applied.append(type_name(event))
        return apply(state, event)

    monkeypatch.setattr(sternenhimmel, "apply", applies)
    while load(game_id).table.status == "running":
        for who in players:
            if turn_of(game_id, who) is not None:
                seq, _ = load(game_id).table.seq, applied.clear()
                moves_on(game_id, who)
                recorded = [row.type for row in whole_log(game_id) if row.seq > seq]
                assert applied == [it for it in recorded if it in sternenhimmel.EVENTS]
    assert happened(game_id)[-1] == "game-ended"
    applied.clear()
    describe(load(game_id), 0)
    assert applied == []


def test_a_moves_response_contains_the_events_as_its_player_saw_them(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    move = moves_of(game_id, ada)[0]
    answer = play_move(game_id, ada, 1, move).answer
    assert (answer["version"], answer["you"]) == (2, {"seat": 0, "turn": None})
    assert answer["to_act"] == [1]
    (placed,) = answer["events"]
    assert placed.items() >= {"type": "star-placed", "seat": 0, "version": 2, **move}.items()
    assert answer["view"] == describe(load(game_id), 0)["view"]


def test_an_emailed_move_is_played_in_the_current_game_and_not_in_an_outdated_copy(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    before, (one, other, *_) = load(game_id), map(sternenhimmel.move_from_json, moves_of(game_id, ada))
    assert moves_on(game_id, ada).game.table.version == 2
    again = play_reply(before, ada, 1, one, clock.now())
    assert (again.first, again.game.table.version) == (False, 2)
    with pytest.raises(StaleTurn):
        play_reply(before, ada, 1, other, clock.now())


def test_a_move_repeated_long_after_the_end_gets_its_first_response_in_a_new_process(app: Flask, ada: UUID) -> None:
    game_id = game_of(ada, bots=2)
    answers = []
    while load(game_id).table.status == "running":
        if (turn := turn_of(game_id, ada)) is not None:
            move = Random(turn).choice(moves_of(game_id, ada))
            answers.append((turn, move, app.json.dumps(play_move(game_id, ada, turn, move).answer)))
        everything_due_happens()
    later(40 * DAY)
    tables.__init__()
    for turn, move, answer in answers[::5] + answers[-1:]:
        asked_again = play_move(game_id, ada, turn, move)
        assert not asked_again.first
        assert app.json.dumps(asked_again.answer) == answer
    with pytest.raises(StaleTurn) as over:
        play_move(game_id, ada, answers[-1][0], answers[0][1] | {"star": "D"})
    assert over.value.turn is None


def test_a_move_for_another_players_turn_says_so(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    move = moves_of(game_id, ada)[0]
    for attempt in (play_move, try_move):
        with pytest.raises(StaleTurn, match="Turn 1 isn't yours. We're waiting for another player."):
            attempt(game_id, bea, 1, move)


def test_a_different_move_for_a_past_turn_is_stale_and_names_the_current_turn(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    one, other = moves_of(game_id, ada)[:2]
    play_move(game_id, ada, 1, one)
    for turn in (0, 1, 2, 3, 99):
        with pytest.raises(StaleTurn) as stale:
            play_move(game_id, ada, turn, other)
        assert stale.value.turn is None
    moves_on(game_id, bea)
    everything_due_happens()
    with pytest.raises(StaleTurn) as stale:
        play_move(game_id, ada, 1, other)
    assert stale.value.turn == turn_of(game_id, ada) == 4


def test_a_move_for_one_turn_is_not_played_for_another_turn(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    move = moves_of(game_id, ada)[0]
    play_move(game_id, ada, 1, move)
    moves_on(game_id, bea)
    everything_due_happens()
    with pytest.raises(IllegalMove):
        play_move(game_id, ada, 4, move)
    with pytest.raises(StaleTurn):
        play_move(game_id, ada, 2, move)


def test_another_players_move_is_not_mistaken_for_the_players_own(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    move = moves_of(game_id, ada)[0]
    play_move(game_id, ada, 1, move)
    with pytest.raises(StaleTurn) as stale:
        play_move(game_id, bea, 1, move)
    assert stale.value.turn == 2


def test_a_bots_move_for_a_player_is_not_mistaken_for_their_own(ada: UUID, bea: UUID) -> None:
    ladder = [{"do": "bot-move", "bot": "greedy", "times": 1}, {"do": "bot-takes-over", "bot": "greedy"}]
    game_id = game_of(ada, bea, bots=1, on_timeout=ladder)
    run_for(2 * DAY)
    with pytest.raises(StaleTurn) as stale:
        play_move(game_id, ada, 1, move_in(last(game_id, "star-placed")))
    assert stale.value.turn is None


def test_a_replacement_bots_move_is_not_mistaken_for_the_players_own(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    leave(game_id, ada)
    everything_due_happens()
    with pytest.raises(StaleTurn):
        play_move(game_id, ada, 1, move_in(last(game_id, "star-placed")))


def move_in(event: Any) -> dict[str, str]:
    return {name: event.body[name] for name in ("star", "board", "space")}


def test_a_move_before_the_start_is_rejected(ada: UUID) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, BOT)).game_id
    assert legal_moves(game_id, ada, []) == {"turn": None, "moves": []}
    with pytest.raises(NotRunning):
        play_move(game_id, ada, 0, {"star": "1", "board": "leo", "space": "a"})


def test_a_spectator_cannot_move(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    with pytest.raises(NotSeated):
        play_move(game_id, cyd, 1, moves_of(game_id, ada)[0])
    with pytest.raises(NotSeated):
        legal_moves(game_id, cyd, [])


def test_the_link_token_in_an_email_plays_only_its_own_turn(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    word = turn_word(game_id, 0, 1)
    assert len(word) <= 64
    move = moves_of(game_id, ada)[0]
    line = f"{move['star']} {move['board']} {move['space']}"
    assert check_line(word, line.upper()) == line
    assert load(game_id).table.version == 1
    assert play_line(word, line).first
    assert not play_line(word, line).first
    assert not play_move(game_id, ada, 1, move).first
    with pytest.raises(StaleTurn):
        check_line(word, line)
    with pytest.raises(NotFound):
        play_line(return_word(game_id, 0), line)


# Turns of several moves


def chosen(*people: UUID, bots: int = 0, **more: Any) -> UUID:
    """Start a game of Sternenglanz whose players have chosen their first cards. Seat 0 begins."""
    options = {"scenario": 1, "start_seat": 0}
    game_id = game_of(*people, bots=bots, **{"rules": "sternenglanz", "options": options, **more})
    for who in people:
        moves_on(game_id, who)
    everything_due_happens()
    return game_id


def plays_out(game_id: UUID, who: UUID) -> int:
    moves = 0
    while turn_of(game_id, who) is not None:
        moves_on(game_id, who)
        moves += 1
    return moves


def asked_for(game_id: UUID, seat: int) -> dict[str, Any]:
    row = seats_of(game_id)[seat]
    return {name: getattr(row, name) for name in ("due_at", "remind_at", "wake_at", "asked_at", "allowed", "lent")}


def test_the_rest_of_a_turn_has_its_own_number_and_the_same_deadline(ada: UUID, bea: UUID) -> None:
    game_id = chosen(ada, bea)
    first, given = turn_of(game_id, ada), asked_for(game_id, 0)
    for number in range(2):
        later(5 * HOUR)
        played = moves_on(game_id, ada)
        assert played.answer["you"] == {"seat": 0, "turn": played.answer["version"]}
        assert asked_for(game_id, 0) == given
        assert turn_of(game_id, ada) == first + number + 1
        assert turn_of(game_id, bea) is None
    plays_out(game_id, ada)
    assert seats_of(game_id)[1].due_at == recorded_at(game_id, "turn-began") + 2 * DAY


def test_a_whole_turn_can_be_one_move(ada: UUID, bea: UUID) -> None:
    game_id = chosen(ada, bea)
    begun: list[Any] = []
    while steps := legal_moves(game_id, ada, begun)["moves"]:
        begun.append(steps[0])
    move = {"steps": [step for each in begun for step in each["steps"]]}
    assert len(move["steps"]) == 4
    played = play_move(game_id, ada, turn_of(game_id, ada), move)
    assert played.answer["you"]["turn"] is None
    assert turn_of(game_id, bea) == played.answer["version"]


def test_a_request_for_legal_moves_after_an_illegal_step_is_rejected(ada: UUID, bea: UUID) -> None:
    game_id = chosen(ada, bea)
    first = moves_of(game_id, ada)[0]
    with pytest.raises(IllegalMove):
        legal_moves(game_id, ada, [first, first])


def test_a_player_who_continues_their_turn_gets_no_second_email(ada: UUID, bea: UUID) -> None:
    game_id = chosen(ada, bea)
    assert plays_out(game_id, ada) > 2
    written = [(letter.seat, letter.version) for letter in letters(game_id, "your-turn")]
    assert written == [(0, 1), (1, 1), (0, 3), (1, last(game_id, "turn-began").version)]


def test_each_repeated_part_of_a_turn_gets_the_same_response_as_the_first_time(
    app: Flask, ada: UUID, bea: UUID
) -> None:
    game_id = chosen(ada, bea)
    turns, moves, answers = [], [], []
    while (turn := turn_of(game_id, ada)) is not None:
        moves.append(moves_of(game_id, ada)[0])
        turns.append(turn)
        answers.append(app.json.dumps(moves_on(game_id, ada).answer))
    for turn, move, answer in zip(turns, moves, answers, strict=True):
        asked_again = play_move(game_id, ada, turn, move)
        assert (asked_again.first, app.json.dumps(asked_again.answer)) == (False, answer)
        with pytest.raises(StaleTurn):
            play_move(game_id, ada, turn, {"steps": [{"cmd": "finish"}]})


def test_a_turn_link_leads_to_the_rest_of_its_turn(ada: UUID, bea: UUID) -> None:
    game_id = chosen(ada, bea)
    turn = turn_of(game_id, ada)
    word = turn_word(game_id, 0, turn)
    assert rest_of_turn(word) is None
    while True:
        moves_on(game_id, ada)
        if (rest := turn_of(game_id, ada)) is None:
            break
        assert rest_of_turn(word) == turn_word(game_id, 0, rest)
        assert present_turn(load(game_id), 0, turn) == rest
        assert not open_turn(word)[2]
    assert rest_of_turn(word) is None
    plays_out(game_id, bea)
    moves_on(game_id, ada)  # another turn, and the rest of that one
    assert rest_of_turn(word) is None


def test_time_is_deducted_from_a_bank_once_per_turn(ada: UUID, bea: UUID) -> None:
    game_id = chosen(ada, bea, clock=BANK)
    left = []
    for who in (ada, bea, ada):
        seat = (ada, bea).index(who)
        given = seats_of(game_id)[seat].allowed
        later(10 * HOUR)
        moves_on(game_id, who)
        later(10 * HOUR)
        plays_out(game_id, who)
        left.append((given, seats_of(game_id)[seat].allowed))
    spent = (20 * HOUR).total_seconds()
    added = (12 * HOUR).total_seconds()
    for given, allowed in left:
        assert abs(given - spent + added - allowed) < 60


def test_a_time_extension_in_the_middle_of_a_turn_applies_to_the_rest_of_the_turn(ada: UUID, bea: UUID) -> None:
    game_id = chosen(ada, bea)
    moves_on(game_id, ada)
    run_until(seats_of(game_id)[0].due_at)
    given = asked_for(game_id, 0)
    assert given["due_at"] == recorded_at(game_id, "time-extended") + DAY
    later(HOUR)
    moves_on(game_id, ada)
    assert asked_for(game_id, 0) == given


def test_a_reminder_is_sent_once_even_if_part_of_the_turn_was_played(ada: UUID, bea: UUID) -> None:
    game_id = chosen(ada, bea)
    half = seats_of(game_id)[0].remind_at
    moves_on(game_id, ada)
    run_until(half)
    moves_on(game_id, ada)
    run_for(MINUTE)
    assert [letter.seat for letter in letters(game_id, "reminder")] == [0]


def test_a_pause_in_the_middle_of_a_turn_keeps_the_rest_of_its_time(ada: UUID, bea: UUID) -> None:
    game_id = chosen(ada, bea)
    moves_on(game_id, ada)
    left = seats_of(game_id)[0].due_at - clock.now()
    all_agree(game_id, "pause", ada, bea)
    later(3 * DAY)
    all_agree(game_id, "resume", ada, bea)
    assert abs(seats_of(game_id)[0].due_at - clock.now() - left) < HOUR
    plays_out(game_id, ada)
    assert turn_of(game_id, bea) is not None


def test_a_bot_plays_the_rest_of_a_turn_that_times_out(ada: UUID, bea: UUID) -> None:
    ladder = [{"do": "bot-move", "bot": "greedy", "times": 1}, {"do": "bot-takes-over", "bot": "greedy"}]
    game_id = chosen(ada, bea, on_timeout=ladder)
    turn = turn_of(game_id, ada)
    moves_on(game_id, ada)
    run_until(seats_of(game_id)[0].due_at)
    late = last(game_id, "time-ran-out")
    assert (late.seat, late.body) == (0, {"bot": "greedy"})
    assert late.version == last(game_id, "cards-laid").version == turn_of(game_id, bea)
    assert len(letters(game_id, "bot-moved")) == 1
    assert load(game_id).table.missed == (1, 0)
    assert rest_of_turn(turn_word(game_id, 0, turn)) is None
    assert_log_and_projections_agree(game_id)


def test_a_bot_plays_its_whole_turn_in_one_commit(ada: UUID) -> None:
    game_id = chosen(ada, bots=2)
    plays_out(game_id, ada)
    version = load(game_id).table.version
    everything_due_happens()
    assert load(game_id).table.version == version + 2
    assert turn_of(game_id, ada) == version + 2


def test_a_bot_plays_the_rest_of_a_turn_if_its_player_leaves(ada: UUID, bea: UUID) -> None:
    game_id = chosen(ada, bea)
    moves_on(game_id, ada)
    leave(game_id, ada)
    everything_due_happens()
    assert turn_of(game_id, bea) == last(game_id, "cards-laid").version
