"""Seats: who may take one, who may watch, and how players leave and return."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from flask import Flask
from sqlalchemy import update

from server.clock import clock
from server.errors import AlreadySeated, NotFound, NotRunning, SeatTaken
from server.games import SeededDice, sternenhimmel
from server.play.commits import load, whole_log
from server.play.seating.games import open_game
from server.play.seating.lobby import list_games
from server.play.seating.seats import SeatClaim, come_back, leave, return_word, take_seat
from server.play.timing.time_control import DEFAULT_CLOCK
from server.play.turns.turn_links import turn_word
from server.play.views import load_visible
from server.store.tables import GameRow, SeatRow, db
from tests.support.games import (
    BOT,
    DAY,
    ME,
    MINUTE,
    OPEN,
    at_once,
    everything_due_happens,
    game_of,
    happened,
    last,
    later,
    letters,
    moves_on,
    person,
    seats_of,
    turn_of,
    wanted,
)

pytestmark = pytest.mark.usefixtures("within")


# Joining


def test_a_link_token_is_bound_to_its_game_seat_and_purpose(ada: UUID, bea: UUID, cyd: UUID) -> None:
    word_of = {}
    for title in ("one", "other"):
        game_id = open_game(ada, wanted(ME, OPEN, {"email": "bea@example.org"}, title=title)).game_id
        word_of[game_id] = letters(game_id, "invitation")[0].data["invitation"]
    (one, word), (other, _) = word_of.items()
    with pytest.raises(NotFound):
        take_seat(other, cyd, SeatClaim(invitation=word))
    forged = ("b" if word[0] == "a" else "a") + word[1:]
    for nonsense in (forged, word[:-1], "0", "ä", word + "a", turn_word(one, 2, 0), return_word(one, 2)):
        with pytest.raises(NotFound):
            take_seat(one, cyd, SeatClaim(invitation=nonsense))


def test_the_game_starts_when_its_last_seat_is_taken_and_then_rejects_further_players(
    ada: UUID, bea: UUID, cyd: UUID
) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, BOT)).game_id
    assert take_seat(game_id, bea).table.status == "running"
    with pytest.raises(NotRunning):
        take_seat(game_id, cyd)


def test_only_one_of_many_players_gets_the_last_seat_and_the_game_starts_once(app: Flask, ada: UUID) -> None:
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


def test_salts_and_seed_determine_the_dice(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = open_game(ada, wanted(OPEN, OPEN, OPEN, options={})).game_id
    for who, salt in ((ada, "sel"), (bea, ""), (cyd, "Salz \u2600")):
        game = take_seat(game_id, who, SeatClaim(salt=salt))
    dice = SeededDice(game.head.seed, ["sel", "", "Salz \u2600"])
    events = sternenhimmel.setup(3, game.head.options, dice)
    assert [row.body for row in whole_log(game_id)[1:]] == [without_seat(event) for event in events]
    assert game.head.drawn == dice.drawn


def without_seat(event: Any) -> Any:
    return {name: value for name, value in event._asdict().items() if name != "seat"}


# Private games


def test_a_private_game_is_visible_only_to_its_host_invited_players_and_seated_players(
    ada: UUID, bea: UUID, cyd: UUID
) -> None:
    game_id = open_game(ada, wanted(OPEN, {"email": "bea@example.org"}, OPEN, private=True)).game_id
    for who in (ada, bea):
        assert load_visible(game_id, who).game_id == game_id
    for who in (cyd, None):
        assert_is_as_unknown(lambda who=who: load_visible(game_id, who))
    assert list_games(cyd).items == list_games(ada).items == []


def test_games_of_invited_players_are_left_out_if_the_caller_wishes(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = open_game(ada, wanted(ME, {"email": "bea@example.org"}, OPEN)).game_id
    moved = open_game(ada, wanted(ME, {"email": "cyd@example.org"}, OPEN)).game_id
    is_invited = (SeatRow.game_id == moved) & (SeatRow.seat == 1)
    invitation = dict.fromkeys(("invited_by", "greeting", "lost_at")) | {"mailed_at": clock.now()}
    db.session.execute(update(SeatRow).where(is_invited).values(**invitation))  # cyd has changed the address
    db.session.commit()
    for here, guest, other in ((game_id, bea, cyd), (moved, cyd, bea)):
        take_seat(here, guest)
        take_seat(here, other)
    strangers = game_of(ada, bea, bots=1)
    assert {it["id"] for it in list_games(None, status="running").items} == {game_id, moved, strangers}
    assert [it["id"] for it in list_games(None, status="running", uninvited=True).items] == [strangers]


def test_a_move_at_a_private_table_needs_no_additional_query(
    ada: UUID, bea: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    game_id = game_of(ada, bea, bots=1)
    db.session.execute(update(GameRow).where(GameRow.game_id == game_id).values(private=True))
    db.session.commit()
    monkeypatch.setattr(db.session.registry(), "get", lambda *_: pytest.fail("A look-up that no move needs."))
    assert moves_on(game_id, ada).first


def test_a_private_game_is_hidden_despite_an_invalid_invitation(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, OPEN, private=True)).game_id
    other = open_game(bea, wanted(ME, OPEN, {"email": "bea@example.org"})).game_id
    for word in ("nonsense", letters(other, "invitation")[0].data["invitation"]):
        assert_is_as_unknown(lambda word=word: take_seat(game_id, cyd, SeatClaim(invitation=word)))


def assert_is_as_unknown(commit: Callable[[], Any]) -> None:
    with pytest.raises(NotFound) as unknown:
        load_visible(uuid4(), None)
    with pytest.raises(NotFound) as refused:
        commit()
    assert str(refused.value) == str(unknown.value)


# Leaving, resigning and returning


def test_leaving_before_the_start_opens_the_seat(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, BOT, OPEN)).game_id
    take_seat(game_id, bea, SeatClaim(salt="of bea"))
    leave(game_id, bea)
    assert seats_of(game_id)[1].salt == ""
    assert list_games(bea, mine=True).items == []
    assert take_seat(game_id, cyd).seat_of(cyd) == 1
    assert take_seat(game_id, bea).seat_of(bea) == 3


def test_a_player_who_leaves_a_running_game_resigns_and_a_bot_continues(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    leave(game_id, ada)
    assert last(game_id, "seat-handed-over").body == {"bot": "greedy", "why": "resigned"}
    everything_due_happens()
    assert turn_of(game_id, bea) == 3
    moves_on(game_id, bea)
    everything_due_happens()
    assert turn_of(game_id, bea) == 6
    assert len(letters(game_id, "your-turn")) == 3  # ada's first, and bea's two


def test_resigning_twice_has_the_same_effect_as_resigning_once(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    leave(game_id, ada)
    leave(game_id, ada)
    assert happened(game_id).count("seat-handed-over") == 1


def test_the_time_out_policys_last_bot_replaces_a_player_who_leaves(ada: UUID, bea: UUID) -> None:
    ladder = [{"do": "bot-move", "bot": "random", "times": 1}, {"do": "abandon"}]
    game_id = game_of(ada, bea, bots=1, on_timeout=ladder)
    leave(game_id, bea)
    assert last(game_id, "seat-handed-over").body["bot"] == "random"


def test_a_resigned_player_can_return_at_any_time_and_play_on(ada: UUID, bea: UUID) -> None:
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


def test_a_player_who_returns_during_the_turn_has_the_same_turn_and_time(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    leave(game_id, ada)
    assert seats_of(game_id)[0].due_at is None
    later(DAY)
    take_seat(game_id, ada)
    assert turn_of(game_id, ada) == 1
    assert seats_of(game_id)[0].due_at is not None
    assert moves_on(game_id, ada).first


def test_resigning_and_returning_in_one_turn_gains_no_time(ada: UUID, bea: UUID) -> None:
    for game_clock in (DEFAULT_CLOCK, {"bank": "P2D", "increment": "PT12H", "cap": "P9D"}):
        game_id = game_of(ada, bea, bots=1, clock=game_clock)
        due_at = seats_of(game_id)[0].due_at
        later(DAY)
        for _ in range(3):
            leave(game_id, ada)
            take_seat(game_id, ada)
        assert abs(seats_of(game_id)[0].due_at - due_at) < MINUTE


def test_a_seated_player_cannot_take_the_seat_back(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    with pytest.raises(AlreadySeated):
        take_seat(game_id, ada)


def test_a_finished_game_cannot_be_left_or_joined(ada: UUID) -> None:
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
