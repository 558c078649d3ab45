"""What can be done with games: opening, joining, moving, leaving; and what time does to those who do nothing."""

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from flask import Flask
from sqlalchemy import delete, update

from server import worker
from server.accounts import calendars
from server.accounts.players import change_profile
from server.clock import clock
from server.errors import AlreadySeated, BadField, HandedOver, NotFound, NotRunning, NotSeated, SeatTaken, StaleTurn
from server.play import lobby, sweep, time_control, votes
from server.play.commits import load, whole_log
from server.play.games import open_game
from server.play.heartbeats import beat
from server.play.lobby import list_games
from server.play.moves import (
    check_line,
    legal_moves,
    open_turn,
    play_line,
    play_move,
    play_reply,
    present_turn,
    rest_of_turn,
    turn_word,
)
from server.play.outages import follow_outages
from server.play.seats import accept_invitation, come_back, invitation, leave, return_word, take_seat
from server.play.sweep import wake_due
from server.play.table import fold, new_table, type_name
from server.play.table_cache import tables
from server.play.time_control import DEFAULT_CLOCK
from server.play.timeout_policy import DEFAULT_LADDER
from server.play.views import describe, seen_by, story
from server.play.votes import WISHES, votes_of
from server.rules import BadOption, IllegalMove, MalformedMove, SeededDice, commitment, sternenhimmel
from server.store.tables import GameRow, Heartbeat, Outage, db
from tests.support.games import (
    BOT,
    DAY,
    HOUR,
    ME,
    MINUTE,
    OPEN,
    everything_due_happens,
    game_of,
    happened,
    last,
    later,
    letters,
    moves_of,
    moves_on,
    person,
    seats_of,
    service_is_up,
    turn_of,
    until,
    wanted,
)

BANK = {"bank": "P3D", "increment": "PT12H", "cap": "P4D"}


@pytest.fixture(autouse=True)
def within(app: Flask) -> Iterator[None]:
    """Every test speaks to `play` directly, in the app's context, while the service is up."""
    with app.app_context():
        service_is_up()
        yield


@pytest.fixture
def ada() -> UUID:
    return person("ada")


@pytest.fixture
def bea() -> UUID:
    return person("bea")


@pytest.fixture
def cyd() -> UUID:
    return person("cyd")


# Opening a game


def test_a_seat_is_for_oneself_for_somebody_invited_for_a_bot_or_open(ada: UUID) -> None:
    game = open_game(ada, wanted(OPEN, {"email": "bea@example.org"}, {"bot": "random"}, ME))
    assert [seat["kind"] for seat in game.seats] == ["open", "invited", "bot", "human"]
    assert (game.table.status, game.table.version) == ("open", 0)
    assert game.seat_of(ada) == 3
    assert game.names == ["Seat 0", "Seat 1", "random", "ada"]


def test_bots_of_one_kind_are_told_apart_by_numbers(ada: UUID) -> None:
    seats = [{"bot": "greedy"}, {"player": "me"}, {"bot": "random"}, {"bot": "greedy"}]
    game = open_game(ada, {"rules": "sternenhimmel", "seats": seats})
    assert game.names == ["greedy 1", "ada", "random", "greedy 2"]


def test_an_invited_person_gets_a_letter_with_a_word_for_the_seat(ada: UUID) -> None:
    game_id = open_game(ada, wanted(ME, {"email": "bea@example.org"}, BOT)).game_id
    (letter,) = letters(game_id, "invitation")
    assert letter.data["to"] == "bea@example.org"
    game, seat = invitation(letter.data["invitation"])
    assert (game.game_id, seat) == (game_id, 1)


def test_a_game_whose_seats_are_all_taken_starts_at_once(ada: UUID) -> None:
    game = open_game(ada, wanted(ME, BOT, BOT))
    assert (game.table.status, game.table.version, game.table.turns) == ("running", 1, (1, None, None))
    assert happened(game.game_id) == ["game-started", "boards-shuffled", *["board-dealt"] * 3]


def test_a_game_of_bots_alone_is_played_by_the_worker_to_its_end(ada: UUID) -> None:
    game_id = open_game(ada, wanted(BOT, {"bot": "random"}, BOT)).game_id
    everything_due_happens()
    game = load(game_id)
    assert game.table.status == game.head["status"] == "finished"
    assert happened(game_id)[-1] == "game-ended"
    assert game.head["outcome"]["scores"] == list(game.table.state.coins)


def test_what_is_not_said_is_as_usual(ada: UUID) -> None:
    head = open_game(ada, {"rules": "sternenhimmel", "seats": [ME, OPEN, OPEN]}).head
    assert (head["clock"], head["on_timeout"]) == (DEFAULT_CLOCK, DEFAULT_LADDER)
    assert (head["title"], head["private"]) == ("Sternenhimmel", False)
    assert head["options"]["edition"] == sternenhimmel.DEFAULT_EDITION


def test_a_title_is_made_fit_to_be_shown(ada: UUID) -> None:
    assert open_game(ada, wanted(ME, OPEN, OPEN, title=" A\n\tnight\u202e ")).head["title"] == "A night"
    with pytest.raises(BadField, match="visible"):
        open_game(ada, wanted(ME, OPEN, OPEN, title="\u200b\u2800"))


def test_the_commitment_is_the_hash_of_a_seed_of_256_bits_and_no_two_games_share_it(ada: UUID) -> None:
    games = [open_game(ada, wanted(ME, OPEN, OPEN)) for _ in range(3)]
    assert all(len(game.head["seed"]) == 32 for game in games)
    shown = [describe(game, None)["commitment"] for game in games]
    assert shown == [commitment(game.head["seed"]) for game in games]
    assert len(set(shown)) == 3


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"seats": [ME, ME, OPEN]}, "seats"),
        ({"seats": [ME, {"bot": "nobody"}, OPEN]}, "seats.1"),
        ({"seats": [{"player": "you"}, OPEN, OPEN]}, "seats.0"),
        ({"seats": [ME, OPEN, {}]}, "seats.2"),
        ({"rules": "chess"}, "rules"),
        ({"clock": {"per_move": "P1M"}}, "clock"),
        ({"clock": {"per_move": "soon"}}, "clock"),
        ({"clock": {"bank": "P3D"}}, "clock"),
        ({"clock": {"bank": "P3D", "increment": "PT1H", "cap": "P2D"}}, "clock"),
        ({"clock": {}}, "clock"),
        ({"on_timeout": []}, "on_timeout"),
        ({"on_timeout": [{"do": "extend", "by": "P1D", "times": 1}]}, "on_timeout"),
        ({"on_timeout": [{"do": "abandon"}, {"do": "bot-takes-over", "bot": "greedy"}]}, "on_timeout"),
        ({"on_timeout": [{"do": "bot-takes-over", "bot": "nobody"}]}, "on_timeout"),
        ({"on_timeout": [{"do": "bot-move", "bot": "greedy", "times": 0}, {"do": "abandon"}]}, "on_timeout"),
    ],
)
def test_a_field_that_makes_no_sense_is_named_and_no_game_is_opened(ada: UUID, changes: Any, field: str) -> None:
    with pytest.raises(BadField) as refused:
        open_game(ada, wanted(ME, OPEN, OPEN) | changes)
    assert refused.value.field == field
    assert db.session.scalar(db.select(db.func.count()).select_from(GameRow)) == 0


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"seats": [ME, OPEN]}, "bad-seats"),
        ({"seats": [ME, *[OPEN] * 5]}, "bad-seats"),
        ({"options": {"edition": "none"}}, "bad-option"),
        ({"options": {"start_seat": 3}}, "bad-option"),
        ({"options": {"start_seat": True}}, "bad-option"),
        ({"options": {"edition": "sargon-it", "start_seat": 0}}, "bad-option"),
        ({"options": {"weather": "clear"}}, "unknown-option"),
    ],
)
def test_an_option_that_the_game_does_not_have_is_refused(ada: UUID, changes: Any, code: str) -> None:
    with pytest.raises(BadOption) as refused:
        open_game(ada, wanted(ME, OPEN, OPEN) | changes)
    assert refused.value.code == code


# Joining


def test_who_names_no_seat_gets_the_lowest_open_one(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = open_game(ada, wanted(BOT, OPEN, ME, OPEN)).game_id
    assert take_seat(game_id, bea).seat_of(bea) == 1
    assert take_seat(game_id, cyd).seat_of(cyd) == 3


def test_who_names_a_seat_gets_that_one_or_none(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, OPEN, BOT)).game_id
    assert take_seat(game_id, bea, 2).seat_of(bea) == 2
    for taken in (0, 2, 3, 4, 10**6):
        with pytest.raises(SeatTaken):
            take_seat(game_id, cyd, taken)


def test_nobody_sits_twice_at_one_table(ada: UUID) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, OPEN)).game_id
    with pytest.raises(AlreadySeated):
        take_seat(game_id, ada)


def test_a_seat_kept_for_somebody_is_nobody_elses(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, {"email": "bea@example.org"})).game_id
    with pytest.raises(SeatTaken):
        take_seat(game_id, cyd, 2)
    assert take_seat(game_id, cyd).seat_of(cyd) == 1
    assert take_seat(game_id, bea).seat_of(bea) == 2


def test_an_invited_person_gets_the_seat_that_is_kept_for_him_before_an_open_one(ada: UUID, bea: UUID) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, {"email": "bea@example.org"})).game_id
    assert take_seat(game_id, bea).seat_of(bea) == 2


def test_whoever_holds_the_word_of_an_invitation_may_take_its_seat(ada: UUID, cyd: UUID) -> None:
    game_id = open_game(ada, wanted(ME, BOT, {"email": "bea@example.org"}, private=True)).game_id
    word = letters(game_id, "invitation")[0].data["invitation"]
    assert take_seat(game_id, cyd, invitation=word).seat_of(cyd) == 2


def test_a_word_is_for_its_game_and_seat_and_purpose_only(ada: UUID, bea: UUID, cyd: UUID) -> None:
    word_of = {}
    for title in ("one", "other"):
        game_id = open_game(ada, wanted(ME, OPEN, {"email": "bea@example.org"}, title=title)).game_id
        word_of[game_id] = letters(game_id, "invitation")[0].data["invitation"]
    (one, word), (other, _) = word_of.items()
    with pytest.raises(NotFound):
        take_seat(other, cyd, invitation=word)
    forged = ("b" if word[0] == "a" else "a") + word[1:]
    for nonsense in (forged, word[:-1], "0", "ä", word + "a", turn_word(one, 2, 0), return_word(one, 2)):
        with pytest.raises(NotFound):
            take_seat(one, cyd, invitation=nonsense)


def test_the_game_starts_with_its_last_seat_and_then_takes_nobody_in(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, BOT)).game_id
    assert take_seat(game_id, bea).table.status == "running"
    with pytest.raises(NotRunning):
        take_seat(game_id, cyd)


def test_an_accepted_invitation_makes_an_account_for_its_address(ada: UUID) -> None:
    game_id = open_game(ada, wanted(ME, BOT, {"email": "new@example.org"})).game_id
    word = letters(game_id, "invitation")[0].data["invitation"]
    assert accept_invitation(word).seat_of(person("new")) == 2
    with pytest.raises(SeatTaken):
        accept_invitation(word)


def test_of_many_who_rush_for_the_last_seat_one_gets_it_and_the_game_starts_once(app: Flask, ada: UUID) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, BOT)).game_id
    people = [person(f"racer{n}") for n in range(12)]

    def rush(who: UUID) -> str:
        try:
            take_seat(game_id, who)
        except (SeatTaken, NotRunning) as error:
            return type(error).__name__
        return "seated"

    answers = at_once(app, [lambda who=who: rush(who) for who in people])
    assert answers.count("seated") == 1
    assert happened(game_id).count("game-started") == 1
    assert sum(len(list_games(who, mine=True).items) for who in people) == 1


def test_salts_and_seed_are_the_chance_of_the_game(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = open_game(ada, wanted(OPEN, OPEN, OPEN, options={})).game_id
    for who, salt in ((ada, "sel"), (bea, ""), (cyd, "Salz \u2600")):
        game = take_seat(game_id, who, salt=salt)
    dice = SeededDice(game.head["seed"], ["sel", "", "Salz \u2600"])
    events = sternenhimmel.setup(3, {}, dice)
    assert [row.body for row in whole_log(game_id)[1:]] == [without_seat(event) for event in events]
    assert game.head["drawn"] == dice.drawn


def without_seat(event: Any) -> Any:
    return {name: value for name, value in event._asdict().items() if name != "seat"}


# Private games


def test_a_private_game_is_for_its_maker_the_invited_and_the_seated_only(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = open_game(ada, wanted(OPEN, {"email": "bea@example.org"}, OPEN, private=True)).game_id
    for who in (ada, bea):
        assert seen_by(game_id, who).game_id == game_id
    for commit in (
        lambda: seen_by(game_id, cyd),
        lambda: seen_by(game_id, None),
        lambda: take_seat(game_id, cyd),
        lambda: leave(game_id, cyd),
        lambda: legal_moves(game_id, cyd, []),
        lambda: play_move(game_id, cyd, 1, {"star": "1", "board": "leo", "space": "a"}),
    ):
        assert_is_as_unknown(commit)
    assert list_games(cyd).items == list_games(ada).items == []


def test_who_sits_at_a_private_table_is_asked_for_nowhere_else(
    ada: UUID, bea: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    game_id = game_of(ada, bea, bots=1)
    db.session.execute(update(GameRow).where(GameRow.game_id == game_id).values(private=True))
    db.session.commit()
    monkeypatch.setattr(db.session.registry(), "get", lambda *_: pytest.fail("A look-up that no move needs."))
    assert moves_on(game_id, ada).first


def test_a_private_game_is_not_found_with_a_bad_invitation_either(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, OPEN, private=True)).game_id
    other = open_game(bea, wanted(ME, OPEN, {"email": "bea@example.org"})).game_id
    for word in ("nonsense", letters(other, "invitation")[0].data["invitation"]):
        assert_is_as_unknown(lambda word=word: take_seat(game_id, cyd, invitation=word))


def assert_is_as_unknown(commit: Callable[[], Any]) -> None:
    with pytest.raises(NotFound) as unknown:
        seen_by(uuid4(), None)
    with pytest.raises(NotFound) as refused:
        commit()
    assert str(refused.value) == str(unknown.value)


# Leaving, resigning and coming back


def test_who_leaves_before_the_start_leaves_an_open_seat(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, BOT, OPEN)).game_id
    take_seat(game_id, bea, salt="of bea")
    leave(game_id, bea)
    assert seats_of(game_id)[1].salt == ""
    assert list_games(bea, mine=True).items == []
    assert take_seat(game_id, cyd).seat_of(cyd) == 1
    assert take_seat(game_id, bea).seat_of(bea) == 3


def test_who_does_not_sit_there_cannot_leave(ada: UUID, bea: UUID) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, BOT)).game_id
    with pytest.raises(NotSeated):
        leave(game_id, bea)


def test_who_leaves_a_running_game_resigns_and_a_bot_plays_on(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    leave(game_id, ada)
    assert last(game_id, "seat-handed-over").body == {"bot": "greedy", "why": "resigned"}
    everything_due_happens()
    assert turn_of(game_id, bea) == 3
    moves_on(game_id, bea)
    everything_due_happens()
    assert turn_of(game_id, bea) == 6
    assert len(letters(game_id, "your-turn")) == 3  # ada's first, and bea's two


def test_resigning_twice_is_resigning_once(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    leave(game_id, ada)
    leave(game_id, ada)
    assert happened(game_id).count("seat-handed-over") == 1


def test_the_bot_for_those_who_leave_is_the_last_that_the_ladder_names(ada: UUID, bea: UUID) -> None:
    ladder = [{"do": "bot-move", "bot": "random", "times": 1}, {"do": "abandon"}]
    game_id = game_of(ada, bea, bots=1, on_timeout=ladder)
    leave(game_id, bea)
    assert last(game_id, "seat-handed-over").body["bot"] == "random"


def test_while_a_bot_plays_the_seat_its_person_cannot_move(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    move = moves_of(game_id, ada)[0]
    leave(game_id, ada)
    with pytest.raises(HandedOver):
        play_move(game_id, ada, 1, move)


def test_who_resigned_may_come_back_at_any_time_and_is_asked_again(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    leave(game_id, ada)
    everything_due_happens()
    game = take_seat(game_id, ada)
    assert last(game_id, "seat-taken-back").seat == 0
    assert game.table.stand_ins == (None, None, None)
    moves_on(game_id, bea)
    everything_due_happens()
    assert turn_of(game_id, ada) == load(game_id).table.version
    assert moves_on(game_id, ada).first


def test_who_comes_back_on_his_turn_has_the_same_turn_and_time_for_it(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    leave(game_id, ada)
    assert seats_of(game_id)[0].due_at is None
    later(DAY)
    take_seat(game_id, ada)
    assert turn_of(game_id, ada) == 1
    assert seats_of(game_id)[0].due_at is not None
    assert moves_on(game_id, ada).first


def test_resigning_and_coming_back_on_one_turn_wins_no_time(ada: UUID, bea: UUID) -> None:
    for game_clock in (DEFAULT_CLOCK, {"bank": "P2D", "increment": "PT12H", "cap": "P9D"}):
        game_id = game_of(ada, bea, bots=1, clock=game_clock)
        due_at = seats_of(game_id)[0].due_at
        later(DAY)
        for _ in range(3):
            leave(game_id, ada)
            take_seat(game_id, ada)
        assert abs(seats_of(game_id)[0].due_at - due_at) < MINUTE


def test_who_sits_at_the_table_cannot_take_his_seat_back(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    with pytest.raises(AlreadySeated):
        take_seat(game_id, ada)


def test_a_sealed_word_brings_its_person_back_without_a_login(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    leave(game_id, bea)
    word = return_word(game_id, 1)
    assert come_back(word).table.stand_ins[1] is None
    with pytest.raises(AlreadySeated):
        come_back(word)


def test_nobody_leaves_or_joins_a_game_that_is_over(ada: UUID) -> None:
    game_id = game_of(ada, bots=2)
    leave(game_id, ada)
    everything_due_happens()
    assert load(game_id).table.status == "finished"
    with pytest.raises(NotRunning):
        leave(game_id, ada)
    with pytest.raises(NotRunning):
        come_back(return_word(game_id, 0))
    with pytest.raises(AlreadySeated):
        take_seat(game_id, ada)


# Pausing, going on, giving up


def all_consent(game_id: UUID, wish: str, *people: UUID) -> None:
    for who in people:
        votes.vote(game_id, who, wish, True)


def test_a_game_is_paused_when_all_its_people_consent_and_no_sooner(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    all_consent(game_id, "pause", ada)
    assert votes_of(game_id) == {"pause": [0], "resume": [], "abandon": []}
    votes.vote(game_id, ada, "pause", False)
    all_consent(game_id, "pause", bea)
    assert load(game_id).table.status == "running"
    move = moves_of(game_id, ada)[0]
    all_consent(game_id, "pause", ada)
    assert load(game_id).table.status == "paused"
    assert votes_of(game_id)["pause"] == []
    assert legal_moves(game_id, ada, []) == {"turn": None, "moves": []}
    with pytest.raises(NotRunning, match="paused"):
        play_move(game_id, ada, 1, move)


def test_a_wish_comes_true_when_the_only_one_who_did_not_share_it_leaves(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    all_consent(game_id, "pause", ada)
    leave(game_id, bea)
    assert load(game_id).table.status == "paused"


def test_a_pause_keeps_the_turn_and_the_rest_of_its_time(ada: UUID, bea: UUID) -> None:
    for game_clock in (DEFAULT_CLOCK, BANK):
        game_id = game_of(ada, bea, bots=1, clock=game_clock)
        due_at = seats_of(game_id)[0].due_at
        later(DAY)
        all_consent(game_id, "pause", ada, bea)
        stopped = last(game_id, "game-paused").recorded_at
        later(30 * DAY)
        everything_due_happens()
        assert happened(game_id)[-1] == "game-paused"
        all_consent(game_id, "resume", bea, ada)
        going_on = last(game_id, "game-resumed").recorded_at
        assert turn_of(game_id, ada) == 1
        assert seats_of(game_id)[0].due_at == due_at + (going_on - stopped)
        until(seats_of(game_id)[0].due_at)
        everything_due_happens()
        assert happened(game_id)[-1] == "time-extended"


def test_a_bot_waits_while_the_game_is_paused(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    moves_on(game_id, ada)
    moves_on(game_id, bea)
    all_consent(game_id, "pause", ada, bea)
    everything_due_happens()
    assert happened(game_id)[-1] == "game-paused"
    all_consent(game_id, "resume", ada, bea)
    everything_due_happens()
    assert happened(game_id)[-1] == "star-placed"


def test_who_resigned_may_come_back_while_the_game_is_paused(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    all_consent(game_id, "pause", ada, bea)
    leave(game_id, ada)
    leave(game_id, bea)
    take_seat(game_id, bea)
    come_back(return_word(game_id, 0))
    all_consent(game_id, "resume", ada, bea)
    assert moves_on(game_id, ada).first


def test_bots_and_the_absent_are_not_asked_for_their_consent(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    leave(game_id, bea)
    with pytest.raises(HandedOver):
        all_consent(game_id, "abandon", bea)
    all_consent(game_id, "abandon", ada)
    assert load(game_id).table.status == "abandoned"


def test_what_does_not_fit_the_state_of_the_game_cannot_be_wished(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    with pytest.raises(NotRunning):
        all_consent(game_id, "resume", ada)
    all_consent(game_id, "pause", ada, bea)
    with pytest.raises(NotRunning):
        all_consent(game_id, "pause", ada)
    all_consent(game_id, "abandon", ada, bea)
    for wish in WISHES:
        with pytest.raises(NotRunning):
            all_consent(game_id, wish, ada)


def test_consent_given_at_the_same_moment_takes_effect_once(app: Flask) -> None:
    people = [person(f"voter{n}") for n in range(5)]
    game_id = game_of(*people)

    def vote(who: UUID) -> str:
        try:
            votes.vote(game_id, who, "pause", True)
        except NotRunning:
            return "late"
        return "counted"

    assert at_once(app, [lambda who=who: vote(who) for who in people]) == ["counted"] * 5
    assert happened(game_id).count("game-paused") == 1


# Turns


def test_a_turn_is_numbered_by_the_version_at_which_its_seat_was_asked(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = game_of(ada, bea, cyd)
    for version, who in enumerate((ada, bea, cyd, ada, bea), 1):
        turns = [turn_of(game_id, someone) for someone in (ada, bea, cyd)]
        assert [turn for turn in turns if turn is not None] == [version]
        assert turn_of(game_id, who) == version
        assert moves_on(game_id, who).answer["version"] == version + 1


def test_a_move_applies_each_event_once_and_what_comes_out_is_what_all_look_at(
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
                assert applied == [row.type for row in whole_log(game_id, seq) if row.type in sternenhimmel.EVENTS]
    assert happened(game_id)[-1] == "game-ended"
    applied.clear()
    describe(load(game_id), 0)
    assert applied == []


def test_a_move_is_answered_with_what_happened_as_its_player_saw_it(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    move = moves_of(game_id, ada)[0]
    answer = play_move(game_id, ada, 1, move).answer
    assert (answer["version"], answer["you"]) == (2, {"seat": 0, "turn": None})
    (placed,) = answer["events"]
    assert placed.items() >= {"type": "star-placed", "seat": 0, "version": 2, **move}.items()
    assert answer["view"] == describe(load(game_id), 0)["view"]


def test_the_very_same_move_for_a_turn_gets_the_first_answer_again(app: Flask, ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    move = moves_of(game_id, ada)[0]
    first = play_move(game_id, ada, 1, move)
    asked_again = play_move(game_id, ada, 1, move)
    assert (first.first, asked_again.first) == (True, False)
    assert app.json.dumps(asked_again.answer) == app.json.dumps(first.answer)
    assert happened(game_id).count("star-placed") == 1


def test_a_reply_is_played_in_the_game_as_it_stands_though_it_was_loaded_before(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    before, (one, other, *_) = load(game_id), map(sternenhimmel.move_from_json, moves_of(game_id, ada))
    assert moves_on(game_id, ada).game.table.version == 2
    again = play_reply(before, ada, 1, one, clock.now())
    assert (again.first, again.game.table.version) == (False, 2)
    with pytest.raises(StaleTurn):
        play_reply(before, ada, 1, other, clock.now())


def test_also_much_later_after_the_end_of_the_game_and_from_a_process_that_was_not_there(app: Flask, ada: UUID) -> None:
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


def test_another_move_for_a_turn_that_is_over_is_stale_and_told_the_present_turn(ada: UUID, bea: UUID) -> None:
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


def test_a_move_of_one_turn_is_no_answer_to_another(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    move = moves_of(game_id, ada)[0]
    play_move(game_id, ada, 1, move)
    moves_on(game_id, bea)
    everything_due_happens()
    with pytest.raises(IllegalMove):
        play_move(game_id, ada, 4, move)
    with pytest.raises(StaleTurn):
        play_move(game_id, ada, 2, move)


def test_the_others_move_is_not_mine(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    move = moves_of(game_id, ada)[0]
    play_move(game_id, ada, 1, move)
    with pytest.raises(StaleTurn) as stale:
        play_move(game_id, bea, 1, move)
    assert stale.value.turn == 2


def test_a_bots_move_for_me_is_not_my_move(ada: UUID, bea: UUID) -> None:
    ladder = [{"do": "bot-move", "bot": "greedy", "times": 1}, {"do": "bot-takes-over", "bot": "greedy"}]
    game_id = game_of(ada, bea, bots=1, on_timeout=ladder)
    later(2 * DAY)
    everything_due_happens()
    with pytest.raises(StaleTurn) as stale:
        play_move(game_id, ada, 1, move_in(last(game_id, "star-placed")))
    assert stale.value.turn is None


def test_a_move_of_the_bot_that_took_over_is_not_my_move(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    leave(game_id, ada)
    everything_due_happens()
    with pytest.raises(StaleTurn):
        play_move(game_id, ada, 1, move_in(last(game_id, "star-placed")))


def move_in(event: Any) -> dict[str, str]:
    return {name: event.body[name] for name in ("star", "board", "space")}


def test_a_move_before_the_start_is_refused(ada: UUID) -> None:
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


def test_an_illegal_or_malformed_move_changes_nothing(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    with pytest.raises(IllegalMove):
        play_move(game_id, ada, 1, moves_of(game_id, ada)[0] | {"space": "nowhere"})
    for nonsense in (None, [], "7 leo c", {}, {"star": 7, "board": "leo", "space": "c"}):
        with pytest.raises(MalformedMove):
            play_move(game_id, ada, 1, nonsense)
    assert load(game_id).table.version == 1


def test_the_word_of_a_letter_plays_its_turn_and_no_other(ada: UUID, bea: UUID) -> None:
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


# Many at once


def at_once(app: Flask, commits: list[Callable[[], Any]]) -> list[Any]:
    """All of these from threads that start together, each on a connection of its own."""
    start = threading.Barrier(len(commits))

    def run(commit: Callable[[], Any]) -> Any:
        with app.app_context():
            start.wait()
            return commit()

    with ThreadPoolExecutor(len(commits)) as threads:
        return list(threads.map(run, commits))


def test_of_a_hundred_moves_for_one_turn_one_counts(app: Flask, ada: UUID, bea: UUID) -> None:
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


def test_a_move_that_races_its_time_out_counts_or_is_stale_and_nothing_happens_twice(app: Flask, ada: UUID) -> None:
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


def test_several_sweepers_do_every_deed_exactly_once(app: Flask, ada: UUID, bea: UUID) -> None:
    games = [game_of(ada, bea, bots=1) for _ in range(25)]
    later(2 * DAY)
    at_once(app, [everything_due_happens] * 4)
    assert [happened(game_id)[5:] for game_id in games] == [["time-extended"]] * 25
    assert [len(letters(game_id, "time-extended")) for game_id in games] == [1] * 25
    later(DAY)
    at_once(app, [everything_due_happens] * 4)
    assert [happened(game_id)[6:] for game_id in games] == [["time-ran-out", "star-placed"]] * 25
    assert [seat.turn for game_id in games for seat in seats_of(game_id)] == [None, 3, None] * 25


# Turns of several moves


def chosen(*people: UUID, bots: int = 0, **more: Any) -> UUID:
    """A game of Sternenglanz whose players have chosen their first cards; seat 0 begins."""
    options = {"scenario": 1, "start_seat": 0}
    game_id = game_of(*people, bots=bots, **{"rules": "sternenglanz", "options": options, **more})
    for who in people:
        moves_on(game_id, who)
    everything_due_happens()
    return game_id


def plays_out(game_id: UUID, who: UUID) -> int:
    """This player moves as long as he is asked; how often that was."""
    moves = 0
    while turn_of(game_id, who) is not None:
        moves_on(game_id, who)
        moves += 1
    return moves


def asked_for(game_id: UUID, seat: int) -> dict[str, Any]:
    """The time that this seat has, and when it is told of it."""
    row = seats_of(game_id)[seat]
    return {name: getattr(row, name) for name in ("due_at", "remind_at", "wake_at", "asked_at", "allowed", "lent")}


def test_the_rest_of_a_turn_has_a_number_of_its_own_and_the_same_due_time(ada: UUID, bea: UUID) -> None:
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


def test_steps_that_could_not_be_begun_lead_nowhere(ada: UUID, bea: UUID) -> None:
    game_id = chosen(ada, bea)
    first = moves_of(game_id, ada)[0]
    with pytest.raises(IllegalMove):
        legal_moves(game_id, ada, [first, first])


def test_whoever_plays_on_gets_no_further_letter(ada: UUID, bea: UUID) -> None:
    game_id = chosen(ada, bea)
    assert plays_out(game_id, ada) > 2
    written = [(letter.seat, letter.version) for letter in letters(game_id, "your-turn")]
    assert written == [(0, 1), (1, 1), (0, 3), (1, last(game_id, "turn-began").version)]


def test_each_part_of_a_turn_asked_again_gets_its_first_answer(app: Flask, ada: UUID, bea: UUID) -> None:
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


def test_the_word_of_a_turn_leads_on_to_the_rest_of_it_until_it_is_over(ada: UUID, bea: UUID) -> None:
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


def test_a_bank_pays_once_for_all_of_a_turn(ada: UUID, bea: UUID) -> None:
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


def test_more_time_in_mid_turn_is_for_the_rest_of_it(ada: UUID, bea: UUID) -> None:
    game_id = chosen(ada, bea)
    moves_on(game_id, ada)
    until(seats_of(game_id)[0].due_at)
    everything_due_happens()
    given = asked_for(game_id, 0)
    assert given["due_at"] == recorded_at(game_id, "time-extended") + DAY
    later(HOUR)
    moves_on(game_id, ada)
    assert asked_for(game_id, 0) == given


def test_a_reminder_comes_once_though_a_part_has_been_played(ada: UUID, bea: UUID) -> None:
    game_id = chosen(ada, bea)
    half = seats_of(game_id)[0].remind_at
    moves_on(game_id, ada)
    until(half)
    everything_due_happens()
    moves_on(game_id, ada)
    later(MINUTE)
    everything_due_happens()
    assert [letter.seat for letter in letters(game_id, "reminder")] == [0]


def test_a_pause_in_mid_turn_keeps_the_rest_of_its_time(ada: UUID, bea: UUID) -> None:
    game_id = chosen(ada, bea)
    moves_on(game_id, ada)
    left = seats_of(game_id)[0].due_at - clock.now()
    for who in (ada, bea):
        votes.vote(game_id, who, "pause", True)
    later(3 * DAY)
    for who in (ada, bea):
        votes.vote(game_id, who, "resume", True)
    assert abs(seats_of(game_id)[0].due_at - clock.now() - left) < MINUTE
    plays_out(game_id, ada)
    assert turn_of(game_id, bea) is not None


def test_when_time_runs_out_in_mid_turn_the_bot_plays_the_rest(ada: UUID, bea: UUID) -> None:
    ladder = [{"do": "bot-move", "bot": "greedy", "times": 1}, {"do": "bot-takes-over", "bot": "greedy"}]
    game_id = chosen(ada, bea, on_timeout=ladder)
    turn = turn_of(game_id, ada)
    moves_on(game_id, ada)
    until(seats_of(game_id)[0].due_at)
    everything_due_happens()
    late = last(game_id, "time-ran-out")
    assert (late.seat, late.body) == (0, {"bot": "greedy"})
    assert late.version == last(game_id, "cards-laid").version == turn_of(game_id, bea)
    assert len(letters(game_id, "bot-moved")) == 1
    assert load(game_id).table.missed == (1, 0)
    assert rest_of_turn(turn_word(game_id, 0, turn)) is None
    assert_log_and_projections_agree(game_id)


def test_a_bot_plays_its_whole_turn_at_once(ada: UUID) -> None:
    game_id = chosen(ada, bots=2)
    plays_out(game_id, ada)
    version = load(game_id).table.version
    everything_due_happens()
    assert load(game_id).table.version == version + 2
    assert turn_of(game_id, ada) == version + 2


def test_the_bot_of_somebody_who_leaves_in_mid_turn_plays_the_rest(ada: UUID, bea: UUID) -> None:
    game_id = chosen(ada, bea)
    moves_on(game_id, ada)
    leave(game_id, ada)
    everything_due_happens()
    assert turn_of(game_id, bea) == last(game_id, "cards-laid").version


# Seats that act at the same time


def test_each_seat_answers_its_own_turn_and_nobody_sees_what_others_chose(ada: UUID, bea: UUID, cyd: UUID) -> None:
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


def test_choices_made_at_the_same_moment_all_count(app: Flask, ada: UUID) -> None:
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


# What a time-out does


def recorded_at(game_id: UUID, type_: str) -> datetime:
    return last(game_id, type_).recorded_at


def test_a_turn_is_due_when_the_counted_time_has_passed_and_not_a_moment_before(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    due_at = seats_of(game_id)[0].due_at
    assert due_at == recorded_at(game_id, "game-started") + 2 * DAY
    until(due_at - MINUTE)
    everything_due_happens()
    assert load(game_id).table.version == 1
    until(due_at)
    everything_due_happens()
    assert load(game_id).table.version == 2


def test_the_usual_ladder_rung_by_rung(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)

    until(seats_of(game_id)[0].due_at)
    everything_due_happens()
    assert last(game_id, "time-extended").body == {"by": "P1D"}
    assert turn_of(game_id, ada) == 1  # it is still the same turn
    assert seats_of(game_id)[0].due_at == recorded_at(game_id, "time-extended") + DAY
    assert letters(game_id, "time-extended")[0].seat == 0

    until(seats_of(game_id)[0].due_at)
    everything_due_happens()
    assert (last(game_id, "time-ran-out").seat, last(game_id, "time-ran-out").body) == (0, {"bot": "greedy"})
    assert last(game_id, "time-ran-out").version == last(game_id, "star-placed").version
    assert len(letters(game_id, "bot-moved")) == 1

    moves_on(game_id, bea)
    everything_due_happens()
    assert seats_of(game_id)[0].due_at == recorded_at(game_id, "star-placed") + 2 * DAY
    until(seats_of(game_id)[0].due_at)
    everything_due_happens()
    assert happened(game_id).count("time-ran-out") == 2  # no second extension in one game

    moves_on(game_id, bea)
    everything_due_happens()
    until(seats_of(game_id)[0].due_at)
    everything_due_happens()
    assert last(game_id, "time-ran-out").body == {"bot": None}
    assert last(game_id, "seat-handed-over").body == {"bot": "greedy", "why": "time"}
    assert len(letters(game_id, "seat-handed-over")) == 1

    moves_on(game_id, bea)
    everything_due_happens()
    assert turn_of(game_id, bea) is not None  # nobody waits for ada any more
    assert happened(game_id).count("time-ran-out") == 3


def test_a_move_of_ones_own_starts_the_count_of_time_outs_in_a_row_anew(ada: UUID, bea: UUID) -> None:
    ladder = [{"do": "bot-move", "bot": "greedy", "times": 1}, {"do": "bot-takes-over", "bot": "greedy"}]
    game_id = game_of(ada, bea, bots=1, on_timeout=ladder)
    for present in (False, True, False):
        if present:
            moves_on(game_id, ada)
        else:
            until(seats_of(game_id)[0].due_at)
            everything_due_happens()
        moves_on(game_id, bea)
        everything_due_happens()
    assert happened(game_id).count("time-ran-out") == 2
    assert "seat-handed-over" not in happened(game_id)
    until(seats_of(game_id)[0].due_at)
    everything_due_happens()
    assert "seat-handed-over" in happened(game_id)


def test_so_does_coming_back(ada: UUID, bea: UUID) -> None:
    ladder = [{"do": "bot-move", "bot": "greedy", "times": 1}, {"do": "bot-takes-over", "bot": "greedy"}]
    game_id = game_of(ada, bea, bots=1, on_timeout=ladder)
    for _ in range(2):
        until(seats_of(game_id)[0].due_at)
        everything_due_happens()
        moves_on(game_id, bea)
        everything_due_happens()
    take_seat(game_id, ada)
    moves_on(game_id, bea)
    everything_due_happens()
    until(seats_of(game_id)[0].due_at)
    everything_due_happens()
    assert last(game_id, "time-ran-out").body == {"bot": "greedy"}
    assert happened(game_id).count("seat-handed-over") == 1


def test_a_ladder_may_end_with_the_end_of_the_game(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, on_timeout=[{"do": "abandon"}])
    until(seats_of(game_id)[0].due_at)
    everything_due_happens()
    assert happened(game_id)[-2:] == ["time-ran-out", "game-abandoned"]
    game = load(game_id)
    assert (game.table.status, game.head["outcome"]) == ("abandoned", None)
    assert [(seat.turn, seat.due_at, seat.wake_at) for seat in seats_of(game_id)] == [(None, None, None)] * 3
    assert {letter.seat for letter in letters(game_id, "game-abandoned")} == {0, 1}
    with pytest.raises(StaleTurn):
        play_move(game_id, ada, 1, {"star": "1", "board": "leo", "space": "a"})


def test_extensions_add_up_to_their_number_and_only_for_the_seat_that_needs_them(ada: UUID, bea: UUID) -> None:
    ladder = [{"do": "extend", "by": "PT6H", "times": 2}, {"do": "bot-takes-over", "bot": "random"}]
    game_id = game_of(ada, bea, bots=1, on_timeout=ladder)
    for _ in range(2):
        until(seats_of(game_id)[0].due_at)
        everything_due_happens()
        assert seats_of(game_id)[0].due_at == recorded_at(game_id, "time-extended") + 6 * HOUR
    moves_on(game_id, ada)
    until(seats_of(game_id)[1].due_at)
    everything_due_happens()
    assert (happened(game_id).count("time-extended"), last(game_id, "time-extended").seat) == (3, 1)


def test_an_extension_may_come_after_a_bots_move(ada: UUID, bea: UUID) -> None:
    bot_move = {"do": "bot-move", "bot": "greedy", "times": 1}
    extension = {"do": "extend", "by": "PT6H", "times": 1}
    game_id = game_of(ada, bea, bots=1, on_timeout=[bot_move, extension, {"do": "abandon"}])
    until(seats_of(game_id)[0].due_at)
    everything_due_happens()
    assert last(game_id, "time-ran-out").body == {"bot": "greedy"}
    moves_on(game_id, bea)
    everything_due_happens()
    until(seats_of(game_id)[0].due_at)
    everything_due_happens()
    assert happened(game_id)[-1] == "time-extended"
    assert seats_of(game_id)[0].due_at == recorded_at(game_id, "time-extended") + 6 * HOUR
    assert [letter.seat for letter in letters(game_id, "time-extended")] == [0]


def test_hours_that_do_not_count_for_a_player_move_his_due_time(ada: UUID, bea: UUID) -> None:
    change_profile(ada, {"calendar": {"night": "00:00-12:00"}})
    game_id = game_of(ada, bea, bots=1)
    asked_at, due_at = seats_of(game_id)[0].asked_at, seats_of(game_id)[0].due_at
    assert due_at - asked_at >= 3.5 * DAY
    assert due_at == time_control.due_at(asked_at, 2 * DAY, calendars.calendar({"night": "00:00-12:00"}, "UTC"))


def test_another_calendar_binds_from_the_next_turn(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    due_at = seats_of(game_id)[0].due_at
    today = clock.now().date()
    away = {"from": today.isoformat(), "to": (today + 20 * DAY).isoformat()}
    change_profile(ada, {"calendar": {"vacations": [away]}, "zone": "Europe/Berlin"})
    until(due_at - HOUR)
    everything_due_happens()
    assert seats_of(game_id)[0].due_at == due_at
    until(due_at)
    everything_due_happens()
    assert happened(game_id)[-1] == "time-extended"
    assert seats_of(game_id)[0].due_at == recorded_at(game_id, "time-extended") + DAY
    moves_on(game_id, ada)
    moves_on(game_id, bea)
    everything_due_happens()
    assert seats_of(game_id)[0].due_at > due_at + 15 * DAY


# Vacations


def vacation(first: int, last: int) -> dict[str, str]:
    """From so many days after today to so many."""
    today = clock.now().date()
    return {"from": (today + first * DAY).isoformat(), "to": (today + last * DAY).isoformat()}


def plans(who: UUID, *vacations: dict[str, str]) -> None:
    change_profile(who, {"calendar": {"vacations": list(vacations)}})


def early_in_a_year() -> None:
    now = clock.now()
    later(now.replace(year=now.year + 1, month=2, day=1, hour=12) - now)


def test_a_vacation_that_has_begun_may_end_today_at_the_earliest(ada: UUID) -> None:
    early_in_a_year()
    plans(ada, vacation(0, 20))
    later(3 * DAY)
    for changed in ([], [vacation(-3, -1)], [vacation(-2, 5)], [vacation(1, 20)]):
        with pytest.raises(BadField, match="a vacation that has begun") as refused:
            plans(ada, *changed)
        assert refused.value.field == "calendar"
    with pytest.raises(BadField, match="a vacation that has begun"):
        change_profile(ada, {"calendar": {}})
    plans(ada, vacation(-3, 0))


def test_days_of_vacation_that_are_over_count_until_the_end_of_their_year(ada: UUID) -> None:
    early_in_a_year()
    plans(ada, vacation(0, 40))
    later(41 * DAY)
    over = vacation(-41, -1)
    with pytest.raises(BadField, match="a vacation that has begun"):
        plans(ada, vacation(0, 40))
    with pytest.raises(BadField, match="More than 42 days"):
        plans(ada, over, vacation(0, 1))
    plans(ada, over, vacation(0, 0))
    later(365 * DAY)
    plans(ada, vacation(0, 40))


def test_a_vacation_that_is_still_to_come_can_be_dropped(ada: UUID) -> None:
    early_in_a_year()
    plans(ada, vacation(1, 20))
    plans(ada)


def test_a_vacation_begins_as_the_players_own_clocks_tell(ada: UUID) -> None:
    early_in_a_year()
    change_profile(ada, {"zone": "Pacific/Kiritimati"})  # where it is two o'clock tomorrow
    plans(ada, vacation(1, 2))
    with pytest.raises(BadField, match="a vacation that has begun"):
        plans(ada)


# Banks


def test_a_bank_keeps_what_a_turn_leaves_and_each_turn_adds_the_increment(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, clock=BANK)
    asked_at = recorded_at(game_id, "game-started")
    assert seats_of(game_id)[0].due_at == asked_at + 3 * DAY
    later(DAY)
    moves_on(game_id, ada)
    used = recorded_at(game_id, "star-placed") - asked_at
    assert seats_of(game_id)[1].due_at == recorded_at(game_id, "star-placed") + 3 * DAY
    moves_on(game_id, bea)
    everything_due_happens()
    kept = 3 * DAY - used + 12 * HOUR
    assert seats_of(game_id)[0].due_at == recorded_at(game_id, "star-placed") + kept


def test_a_bank_never_holds_more_than_its_cap(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, clock=BANK)
    for _ in range(4):
        moves_on(game_id, ada)
        moves_on(game_id, bea)
        everything_due_happens()
    assert seats_of(game_id)[0].due_at == recorded_at(game_id, "star-placed") + 4 * DAY


def test_who_needed_an_extension_goes_on_with_the_increment_alone(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, clock=BANK)
    until(seats_of(game_id)[0].due_at)
    everything_due_happens()
    assert seats_of(game_id)[0].due_at == recorded_at(game_id, "time-extended") + DAY
    moves_on(game_id, ada)
    moves_on(game_id, bea)
    everything_due_happens()
    assert seats_of(game_id)[0].due_at == recorded_at(game_id, "star-placed") + 12 * HOUR


# Reminders


def test_each_reminder_comes_once_at_half_the_time_and_three_hours_before_the_end(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    due_at = seats_of(game_id)[0].due_at
    for number, moment in enumerate([due_at - DAY, due_at - 3 * HOUR]):
        until(moment - MINUTE)
        everything_due_happens()
        assert len(letters(game_id, "reminder")) == number
        until(moment)
        everything_due_happens()
        assert len(letters(game_id, "reminder")) == number + 1
        later(MINUTE)
        everything_due_happens()
    assert [letter.seat for letter in letters(game_id, "reminder")] == [0, 0]
    assert load(game_id).table.version == 1  # a reminder is no commit


def test_of_several_workers_one_reminds(app: Flask, ada: UUID, bea: UUID) -> None:
    games = [game_of(ada, bea, bots=1) for _ in range(10)]
    later(DAY)
    at_once(app, [everything_due_happens] * 4)
    assert [len(letters(game_id, "reminder")) for game_id in games] == [1] * 10


def test_nobody_is_reminded_of_a_turn_that_he_answered(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    moves_on(game_id, ada)
    later(1.5 * DAY)
    everything_due_happens()
    assert [letter.seat for letter in letters(game_id, "reminder")] == [1]


def test_a_reminder_that_was_missed_is_not_sent_late(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    due_at = seats_of(game_id)[0].due_at
    until(due_at - 2 * HOUR)
    everything_due_happens()
    assert len(letters(game_id, "reminder")) == 1  # of the two that would have come by then
    until(due_at - HOUR)
    everything_due_happens()
    assert len(letters(game_id, "reminder")) == 1


def test_a_player_chooses_his_reminders_or_none(ada: UUID, bea: UUID) -> None:
    change_profile(ada, {"notifications": {"reminders": []}})
    change_profile(bea, {"notifications": {"reminders": ["PT1H"]}})
    game_id = game_of(ada, bea, bots=1)
    until(seats_of(game_id)[0].due_at - MINUTE)
    everything_due_happens()
    moves_on(game_id, ada)
    until(seats_of(game_id)[1].due_at - 2 * HOUR)
    everything_due_happens()
    assert letters(game_id, "reminder") == []
    until(seats_of(game_id)[1].due_at - HOUR)
    everything_due_happens()
    assert [letter.seat for letter in letters(game_id, "reminder")] == [1]


def test_reminders_follow_a_due_time_that_moves(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    until(seats_of(game_id)[0].due_at)
    everything_due_happens()
    before = len(letters(game_id, "reminder"))
    until(seats_of(game_id)[0].due_at - 3 * HOUR)
    everything_due_happens()
    assert len(letters(game_id, "reminder")) == before + 1


# Hours in which the service was not to be reached


def outages() -> list[Outage]:
    return list(db.session.scalars(db.select(Outage).order_by(Outage.began_at)))


def away(part: str, by: timedelta) -> None:
    """One part of the service is not to be reached for so long, the other is."""
    clock.forward(by)
    db.session.execute(update(Heartbeat).where(Heartbeat.part != part).values(at=clock.now()))
    db.session.commit()


@pytest.mark.parametrize("part", ["web", "worker"])
def test_while_a_part_of_the_service_is_away_nobody_is_timed_out_and_due_times_move_by_it(
    ada: UUID, bea: UUID, part: str
) -> None:
    game_id = game_of(ada, bea, bots=1)
    due_at = seats_of(game_id)[0].due_at
    service_is_up()
    away(part, 3 * DAY)
    everything_due_happens()
    assert load(game_id).table.version == 1

    beat(part)
    (outage,) = outages()
    assert outage.part == part
    assert timedelta(0) <= outage.ended_at - outage.began_at - 3 * DAY < MINUTE
    everything_due_happens()
    moved = due_at + (outage.ended_at - outage.began_at)
    assert seats_of(game_id)[0].due_at == moved
    assert load(game_id).table.version == 1
    until(moved)
    everything_due_happens()
    assert happened(game_id)[-1] == "time-extended"


def test_hours_in_which_both_parts_were_away_count_once(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    due_at = seats_of(game_id)[0].due_at
    clock.forward(5 * HOUR)
    service_is_up()
    everything_due_happens()
    assert len(outages()) == 2
    assert abs(seats_of(game_id)[0].due_at - due_at - 5 * HOUR) < MINUTE


@pytest.mark.parametrize("terms", [{}, {"clock": BANK}], ids=["per-move", "bank"])
def test_two_days_in_which_nothing_was_to_be_reached_count_for_nobody_and_nobody_is_timed_out(
    ada: UUID, bea: UUID, terms: Any
) -> None:
    game_id = game_of(ada, bea, bots=1, **terms)
    due_at = seats_of(game_id)[0].due_at
    later(due_at - clock.now() - HOUR)
    everything_due_happens()
    clock.forward(2 * DAY)
    everything_due_happens()  # by a worker that does not know yet how long it was away
    service_is_up()
    everything_due_happens()
    assert happened(game_id)[-1] == "board-dealt"
    assert letters(game_id, "time-extended") == []
    assert abs(seats_of(game_id)[0].due_at - due_at - 2 * DAY) < MINUTE
    until(seats_of(game_id)[0].due_at)
    everything_due_happens()
    assert happened(game_id)[-1] == "time-extended"


def test_an_outage_is_noted_while_somebody_holds_a_game_and_its_times_follow_later(
    ada: UUID, bea: UUID, shared_url: str
) -> None:
    held, other = (game_of(ada, bea, bots=1) for _ in range(2))
    due_at = {game_id: seats_of(game_id)[0].due_at for game_id in (held, other)}

    def moved(game_id: UUID) -> timedelta:
        return seats_of(game_id)[0].due_at - due_at[game_id]

    service_is_up()
    away("web", 5 * HOUR)
    db.session.rollback()
    with psycopg.connect(shared_url) as holder:
        holder.execute("SELECT FROM games WHERE game_id = %s FOR UPDATE", (held,))
        holder.execute("UPDATE seats SET lent = 0 WHERE game_id = %s", (held,))
        beat("web")
        (outage,) = outages()
        follow_outages()
        assert (moved(other), moved(held)) == (outage.ended_at - outage.began_at, timedelta(0))
    follow_outages()
    assert moved(other) == moved(held)
    assert all(outage.followed for outage in outages())


def test_a_worker_that_is_not_told_who_is_due_leaves_no_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> int:
        raise psycopg.errors.QueryCanceled("canceling statement due to statement timeout")

    service_is_up()
    seen = heartbeats()
    clock.forward(MINUTE)
    monkeypatch.setattr("server.worker.wake_due", fails)
    with pytest.raises(psycopg.errors.QueryCanceled):
        worker._sweep()
    assert heartbeats() == seen


def heartbeats() -> dict[str, datetime]:
    return {part: at for part, at in db.session.execute(db.select(Heartbeat.part, Heartbeat.at))}


def test_a_worker_that_comes_back_notes_its_absence_and_times_nobody_out(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    service_is_up()
    away("worker", 3 * DAY)
    worker._sweep()
    worker._sweep()
    assert [outage.part for outage in outages()] == ["worker"]
    assert load(game_id).table.version == 1
    until(seats_of(game_id)[0].due_at)
    worker._sweep()
    assert happened(game_id)[-1] == "time-extended"


def test_a_short_silence_is_no_outage(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    due_at = seats_of(game_id)[0].due_at
    clock.forward(1.9 * MINUTE)
    service_is_up()
    assert outages() == []
    assert seats_of(game_id)[0].due_at == due_at


def test_a_service_that_was_never_seen_whole_times_nobody_out(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    db.session.execute(delete(Heartbeat))
    db.session.commit()
    clock.forward(3 * DAY)
    beat("worker")
    everything_due_happens()
    assert load(game_id).table.version == 1


def test_bots_move_while_the_web_is_away(ada: UUID, bea: UUID) -> None:
    game_id = open_game(ada, wanted(BOT, ME, OPEN)).game_id
    take_seat(game_id, bea)
    away("web", HOUR)
    everything_due_happens()
    assert turn_of(game_id, ada) == 2


@pytest.mark.parametrize("terms", [{}, {"clock": BANK}], ids=["per-move", "bank"])
@pytest.mark.parametrize("first", ["web", "worker"])
def test_a_jump_of_the_clock_by_a_year_times_nobody_out(ada: UUID, bea: UUID, terms: Any, first: str) -> None:
    game_id = game_of(ada, bea, bots=1, **terms)
    due_at = seats_of(game_id)[0].due_at
    clock.forward(365 * DAY)
    everything_due_happens()
    beat(first)
    everything_due_happens()
    service_is_up()
    everything_due_happens()
    assert load(game_id).table.version == 1
    assert letters(game_id, "reminder") == []
    assert abs(seats_of(game_id)[0].due_at - due_at - 365 * DAY) < MINUTE


def test_a_jump_of_the_clock_empties_no_bank(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, clock=BANK)
    clock.forward(365 * DAY)
    service_is_up()
    moves_on(game_id, ada)
    moves_on(game_id, bea)
    everything_due_happens()
    assert seats_of(game_id)[0].due_at - recorded_at(game_id, "star-placed") > 3 * DAY


def test_a_clock_that_jumped_and_is_set_right_again_is_survived(ada: UUID, bea: UUID) -> None:
    game_id, other = game_of(ada, bea, bots=1), game_of(ada, bea, bots=1)
    clock.forward(365 * DAY)
    service_is_up()
    moves_on(other, ada)
    everything_due_happens()
    clock.forward(-365 * DAY)
    service_is_up()
    everything_due_happens()
    for row in (seats_of(game_id)[0], seats_of(other)[1]):
        assert abs(row.due_at - clock.now() - 2 * DAY) < MINUTE
    assert [letter.due_at <= clock.now() for letter in letters(other, "your-turn")] == [True, True]
    until(seats_of(game_id)[0].due_at)
    everything_due_happens()
    assert happened(game_id)[-1] == "time-extended"


def test_a_clock_that_is_set_back_a_little_is_survived(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    due_at = seats_of(game_id)[0].due_at
    clock.forward(-MINUTE)
    service_is_up()
    everything_due_happens()
    assert moves_on(game_id, ada).first
    assert outages() == []
    assert abs(seats_of(game_id)[1].due_at - due_at) < 2 * MINUTE


# A sweep that fails


def test_a_game_that_fails_in_a_sweep_is_tried_again_later_and_holds_up_nobody(
    ada: UUID, bea: UUID, caplog: pytest.LogCaptureFixture
) -> None:
    games = [game_of(ada, bea, bots=1) for _ in range(3)]
    broken = games[1]
    set_ladder(broken, [])
    until(max(seats_of(game_id)[0].due_at for game_id in games))
    everything_due_happens()
    assert [happened(game_id)[-1] for game_id in games] == ["time-extended", "board-dealt", "time-extended"]
    assert "tried again later" in caplog.text
    later(4 * MINUTE)
    assert wake_due() == 0
    set_ladder(broken, DEFAULT_LADDER)
    later(MINUTE)
    everything_due_happens()
    assert happened(broken)[-1] == "time-extended"


def test_a_game_whose_head_is_not_of_its_log_is_named_and_holds_up_nobody(
    ada: UUID, bea: UUID, caplog: pytest.LogCaptureFixture
) -> None:
    broken, sound = (game_of(ada, bea, bots=1) for _ in range(2))
    db.session.execute(update(GameRow).where(GameRow.game_id == broken).values(version=7))
    db.session.commit()
    until(seats_of(sound)[0].due_at)
    everything_due_happens()
    assert [happened(game_id)[-1] for game_id in (broken, sound)] == ["board-dealt", "time-extended"]
    assert f"The head of game {broken} is at version 7, its log at 1" in caplog.text
    assert wake_due() == 0


def set_ladder(game_id: UUID, ladder: list[Any]) -> None:
    db.session.execute(update(GameRow).where(GameRow.game_id == game_id).values(on_timeout=ladder))
    db.session.commit()


def test_a_sweeper_that_failed_does_not_put_off_what_another_one_did(
    ada: UUID, bea: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    game_id = game_of(ada, bea, bots=1)
    until(seats_of(game_id)[0].due_at)
    wake = sweep.wake

    def fails_after_another_one_was_there(*seat: Any) -> None:
        wake(*seat)
        raise RuntimeError("too late")

    monkeypatch.setattr(sweep, "wake", fails_after_another_one_was_there)
    wake_due()
    row = seats_of(game_id)[0]
    assert row.wake_at == (row.remind_at or row.due_at)


def test_a_game_that_somebody_holds_is_left_for_the_next_sweep(ada: UUID, bea: UUID, shared_url: str) -> None:
    held, other = (game_of(ada, bea, bots=1) for _ in range(2))
    until(max(seats_of(game_id)[0].due_at for game_id in (held, other)))
    db.session.rollback()
    with psycopg.connect(shared_url) as holder:
        holder.execute("SELECT FROM games WHERE game_id = %s FOR UPDATE", (held,))
        before = time.monotonic()
        assert (wake_due(), wake_due()) == (1, 0)
        assert time.monotonic() - before < 9  # who waits for a lock does so for ten seconds
    assert happened(other)[-1] == "time-extended"
    assert wake_due() == 1
    assert happened(held)[-1] == "time-extended"


def test_a_sweep_with_nothing_due_does_nothing(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    assert wake_due() == 0
    assert load(game_id).table.version == 1


# Lists


def test_a_turn_is_found_behind_any_number_of_games_that_wait_for_others(
    ada: UUID, bea: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby, "_MANY", 2)
    oldest, *others = (game_of(ada, bea, bots=1) for _ in range(6))
    for game_id in others:
        moves_on(game_id, ada)
    assert [it["id"] for it in list_games(ada, my_turn=True, limit=1).items] == [oldest]


# The log is the truth


def test_every_hash_follows_from_the_one_before_and_the_first_from_the_commitment(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    moves_on(game_id, ada)
    everything_due_happens()
    before = hashlib.sha256(load(game_id).head["seed"]).digest()
    for seq, event in enumerate(whole_log(game_id), 1):
        at = event.recorded_at.isoformat(timespec="microseconds").replace("+00:00", "Z")
        fact = {"seq": seq, "version": event.version, "type": event.type, "seat": event.seat, "at": at}
        canonical = json.dumps(fact | {"body": event.body}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        before = hashlib.sha256(before + canonical.encode()).digest()
        assert event.hash == before


def test_a_table_made_anew_from_its_log_is_the_one_that_was_kept(ada: UUID, bea: UUID) -> None:
    told: set[str] = set()
    for seed, game_clock in enumerate([DEFAULT_CLOCK, BANK]):
        rng, people = Random(seed), [ada, bea]
        game_id = game_of(*people, bots=1, clock=game_clock)
        while load(game_id).table.status in ("running", "paused"):
            for _ in range(3):
                do_something(rng, game_id, people)
            assert_log_and_projections_agree(game_id)
        told.update(happened(game_id))
    house = {"time-extended", "time-ran-out", "seat-handed-over", "seat-taken-back", "game-paused", "game-resumed"}
    assert house | {"board-scored", "game-ended"} <= told


def do_something(rng: Random, game_id: UUID, people: list[UUID]) -> None:
    table = load(game_id).table
    if table.status not in ("running", "paused"):
        return
    present = [who for seat, who in enumerate(people) if table.stand_ins[seat] is None]
    match rng.choices(["move", "wait", "leave", "return", "vote"], [8, 6, 1, 4, 2])[0]:
        case "move" if table.status == "running":
            for who in present:
                if turn_of(game_id, who) is not None:
                    moves_on(game_id, who, rng.randrange(len(moves_of(game_id, who))))
        case "wait":
            later(rng.choice([12 * HOUR, 3 * DAY]))
        case "leave":
            leave(game_id, rng.choice(people))
        case "return" if len(present) < len(people):
            take_seat(game_id, next(who for who in people if who not in present))
        case "vote":
            for who in present:
                votes.vote(game_id, who, "resume" if table.status == "paused" else "pause", True)
    wake_due()


def assert_log_and_projections_agree(game_id: UUID) -> None:
    game = load(game_id)
    rebuilt = fold(new_table(game.head["rules"]), whole_log(game_id))
    assert rebuilt == game.table
    assert (game.head["status"], game.head["version"]) == (rebuilt.status, rebuilt.version)
    assert game.head["outcome"] == (rebuilt.ended and {"scores": rebuilt.ended.scores, "places": rebuilt.ended.places})
    seats = [(row["turn"], row["to_act"], row["stand_in"]) for row in game.seats]
    assert seats == [(turn, turn is not None, bot) for turn, bot in zip(rebuilt.turns, rebuilt.stand_ins, strict=True)]
    for row in game.seats:
        is_awaited = row["turn"] is not None and rebuilt.status == "running"
        assert (row["due_at"] is not None) == (is_awaited and game.bot_at(row["seat"]) is None)
        assert (row["wake_at"] is not None) == is_awaited


def test_a_person_gets_one_letter_for_each_turn(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    turns = set()
    for n in range(30):
        who = (ada, bea)[n % 2]
        turns.add((n % 2, turn_of(game_id, who)))
        moves_on(game_id, who)
        everything_due_happens()
    written = [(letter.seat, letter.version) for letter in letters(game_id, "your-turn")]
    assert len(written) == len(set(written))
    assert turns <= set(written)
