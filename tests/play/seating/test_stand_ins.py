"""Stand-ins play another player's seat for some days; bot seats can be taken over for good."""

import re
from datetime import timedelta
from functools import partial
from uuid import UUID

import orjson
import pytest
from flask import Flask
from sqlalchemy import select

from server.accounts.bans import ban
from server.accounts.blocks import block
from server.accounts.players import change_profile
from server.clock import clock
from server.errors import (
    AlreadySeated,
    BadField,
    HandedOver,
    NoPrograms,
    NotFound,
    NotSeated,
    PlayError,
    SeatTaken,
    StaleTurn,
    TooLate,
)
from server.games import Json
from server.games.presentation import sentence
from server.operations.archives import archive_of
from server.operations.delete_player import delete_player
from server.play import archive
from server.play.commits import load
from server.play.moves import play_move
from server.play.planning.plans import get_plan, put_plan
from server.play.seating.lobby import list_games, waiting_games
from server.play.seating.seats import (
    change_seat,
    come_back,
    give_up_seats,
    leave,
    return_word,
    seat_settings,
    take_over,
    take_seat,
)
from server.play.seating.stand_ins import (
    Wish,
    accept_stand_in,
    ask_stand_in,
    change_stand_ins,
    end_stand_in,
    enter_as_stand_in,
    stand_in_of,
    stand_in_word,
)
from server.play.seating.track_record import read_records, track_record
from server.play.talk.chat import messages, say
from server.play.timing.outages import follow_outages
from server.play.timing.sweep import wake_due
from server.play.turns.turn_links import play_line, turn_word
from server.play.views import describe, story
from server.play.votes import OFFER, TAKE_BACK, take_back, vote, votes_of
from server.store.tables import Plan, PlayerGame, StandIn, db
from tests.post.reader import composed
from tests.support.games import (
    DAY,
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
    service_is_up,
    stop_the_clock,
    turn_of,
    until,
)
from tests.support.stand_ins import asks, day, stands_in, word_of

pytestmark = pytest.mark.usefixtures("within")


@pytest.fixture
def dan(within: None) -> UUID:
    return person("dan")


def seen(game_id: UUID, who: UUID | None, version: int | None = None) -> Json:
    game = load(game_id)
    return describe(game, game.seat_of(who), version, who)


def by(game_id: UUID) -> list[str]:
    game = load(game_id)
    whole = story(game, None)
    assert [item for after in range(0, game.table.seq, 3) for item in story(game, None, after, 3)] == whole
    return [item["by"] for item in whole if item["type"] == "star-placed"]


# Standing in


def test_a_stand_in_who_accepts_plays_the_seat_and_both_are_notified(
    game_id: UUID, ada: UUID, bea: UUID, dan: UUID
) -> None:
    asked = asks(game_id, ada, player=dan)
    assert (asked["seat"], asked["name"], asked["accepted"], asked["sits"]) == (0, "dan", False, False)
    assert letters(game_id, "invitation")[0].data["to"] == "dan@example.org"
    accept_stand_in(word_of(game_id), dan)
    found = stand_in_of(game_id, ada)
    assert found and found["accepted"] and found["sits"]
    assert stand_in_of(game_id, dan) == found
    assert [(it.player_id, it.data["own"], it.data["who"]) for it in letters(game_id, "stand-in")] == [
        (ada, True, "dan"),
        (dan, False, "ada"),
    ]
    seat = seen(game_id, None)["seats"][0]
    assert (seat["name"], seat["player"], seat["stood_in_by"]["name"]) == ("ada", ada, "dan")
    assert [turn_of(game_id, who) for who in (ada, dan)] == [None, 2]
    began = [story(load(game_id), 0, player_id=who)[-1] for who in (dan, ada)]
    told = [sentence(it, load(game_id).names, reader=0) for it in began]
    assert told == ["You're now playing for ada.", "A stand-in is now playing for you."]
    moves_on(game_id, dan)
    moves_on(game_id, bea)
    assert by(game_id) == ["stand-in", "player"]
    assert_log_and_projections_agree(game_id)


def test_the_stand_in_gets_the_emails_for_the_seat(game_id: UUID, ada: UUID, dan: UUID) -> None:
    stands_in(game_id, ada, dan)
    turn = letters(game_id, "your-turn")[-1]
    assert turn.player_id == dan
    letter = composed(turn)
    assert letter is not None and letter.to == "dan@example.org"
    assert b"You're now playing for ada." in letter.message and b"playing for you" not in letter.message
    earlier = letters(game_id, "your-turn")[0]
    assert earlier.player_id == ada
    assert composed(earlier) is None  # the result goes to the current player
    assert [it.game_id for it in waiting_games(dan)] == [game_id]
    assert waiting_games(ada) == []


def test_a_stand_in_asked_by_address_accepts_with_the_link_in_the_email(game_id: UUID, ada: UUID) -> None:
    asks(game_id, ada, email="new@example.org")
    word = word_of(game_id)
    letter = composed(letters(game_id, "invitation")[0])
    assert letter is not None and letter.to == "new@example.org"
    assert f"https://stars.example/s/{word}".encode() in letter.message.replace(b"=\r\n", b"").replace(b"=\n", b"")
    _, token = enter_as_stand_in(word, name="Newcomer")
    assert seen(game_id, token.player_id)["you"] == {"seat": 0, "turn": 2}
    with pytest.raises(NotFound):
        enter_as_stand_in(word)  # forwarded mails open nothing
    assert composed(letters(game_id, "invitation")[0]) is None


def test_only_the_named_player_can_accept(game_id: UUID, ada: UUID, bea: UUID, dan: UUID) -> None:
    asks(game_id, ada, player=dan)
    word = word_of(game_id)
    for other in (bea, person("eve")):
        with pytest.raises(NotFound):
            accept_stand_in(word, other)
    asks(game_id, ada, player=person("eve"))  # instead
    with pytest.raises(NotFound):
        accept_stand_in(word, dan)
    for nonsense in ("a", word[:-1], turn_word(game_id, 0, 1)):
        with pytest.raises(NotFound):
            accept_stand_in(nonsense, dan)


def test_a_stand_in_begins_and_ends_at_midnight_in_the_seat_owners_time_zone(
    game_id: UUID, ada: UUID, dan: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_the_clock(monkeypatch, clock.real())
    stands_in(game_id, ada, dan, 1, 2)
    asked = stand_in_of(game_id, ada)
    assert asked and asked["accepted"] and not asked["sits"]
    assert [it.data["what"] for it in letters(game_id, "stand-in")] == ["accepted"]
    with pytest.raises(NotSeated):
        turn_of(game_id, dan)
    until(asked["from"] - timedelta(seconds=1))
    change_stand_ins()
    assert "stand-in-began" not in happened(game_id)
    until(asked["from"])
    change_stand_ins()
    assert turn_of(game_id, dan) is not None
    until(asked["until"])
    change_stand_ins()
    change_stand_ins()
    assert happened(game_id)[-2:] == ["stand-in-began", "stand-in-ended"]
    assert turn_of(game_id, ada) == load(game_id).version
    with pytest.raises(NotSeated):
        turn_of(game_id, dan)
    assert stand_in_of(game_id, ada) is None
    assert_log_and_projections_agree(game_id)


def test_an_unaccepted_request_is_deleted(game_id: UUID, ada: UUID, dan: UUID) -> None:
    asks(game_id, ada, player=dan)
    later(8 * DAY)
    change_stand_ins()
    assert stand_in_of(game_id, ada) is None


@pytest.mark.parametrize("ends", ["ada", "dan"])
def test_either_player_can_end_a_stand_in(game_id: UUID, ada: UUID, dan: UUID, ends: str) -> None:
    stands_in(game_id, ada, dan)
    end_stand_in(game_id, person(ends))
    assert [turn_of(game_id, ada), happened(game_id)[-1]] == [3, "stand-in-ended"]
    assert [it.data["what"] for it in letters(game_id, "stand-in")][-2:] == ["ended", "ended"]
    assert db.session.scalars(select(PlayerGame).where(PlayerGame.player_id == dan)).all() == []
    assert_log_and_projections_agree(game_id)


@pytest.mark.parametrize("ends", ["ada", "dan"])
def test_either_player_can_cancel_a_stand_in_before_it_begins(game_id: UUID, ada: UUID, dan: UUID, ends: str) -> None:
    stands_in(game_id, ada, dan, 1, 2)
    end_stand_in(game_id, person(ends))
    later(2 * DAY)
    change_stand_ins()
    assert "stand-in-began" not in happened(game_id)


# Cancelled before the first day


def called_off(game_id: UUID) -> list[tuple[UUID | None, bool]]:
    told = [it for it in letters(game_id, "stand-in") if it.data["what"] == "called-off"]
    return [(it.player_id, it.data["own"]) for it in told]


def seat_kept_by_a_bot(ada: UUID, bea: UUID, dan: UUID) -> UUID:
    """Start a game in which a bot gets Ada's seat before Dan stands in."""
    game_id = game_of(ada, bea, bots=1, on_timeout=[{"do": "bot-takes-over", "bot": "greedy"}])
    stands_in(game_id, ada, dan, 3, 4)
    service_is_up()
    later(2 * DAY)
    follow_outages()
    wake_due()
    assert seats_of(game_id)[0].stand_in
    return game_id


@pytest.mark.parametrize(("ends", "told"), [("ada", [("dan", False)]), ("dan", [("ada", True)])])
def test_owner_and_stand_in_are_notified_when_the_other_cancels(
    game_id: UUID, ada: UUID, dan: UUID, ends: str, told: list[tuple[str, bool]]
) -> None:
    stands_in(game_id, ada, dan, 1, 2)
    end_stand_in(game_id, person(ends))
    assert called_off(game_id) == [(person(name), own) for name, own in told]
    assert letters(game_id, "stand-in")[0].data["what"] == "accepted"


def test_a_replaced_stand_in_is_notified_only_if_they_had_accepted(game_id: UUID, ada: UUID, dan: UUID) -> None:
    stands_in(game_id, ada, dan, 1, 2)
    asks(game_id, ada, 1, 2, player=person("eve"))
    assert called_off(game_id) == [(dan, False)]
    end_stand_in(game_id, ada)
    assert called_off(game_id) == [(dan, False)]


def test_the_stand_in_is_notified_if_the_owner_resigns_or_is_deleted(
    ada: UUID, bea: UUID, cyd: UUID, dan: UUID
) -> None:
    for goes in (leave, lambda _, who: give_up_seats(who)):
        game_id = game_of(ada, bea, cyd)
        stands_in(game_id, ada, dan, 1, 2)
        goes(game_id, ada)
        assert called_off(game_id) == [(dan, False)]


def test_the_stand_in_is_notified_if_an_owner_replaced_by_a_bot_is_deleted(ada: UUID, bea: UUID, dan: UUID) -> None:
    game_id = seat_kept_by_a_bot(ada, bea, dan)
    delete_player(ada)
    (told,) = [it for it in letters(game_id, "stand-in") if it.data["what"] == "called-off"]
    letter = composed(told)
    assert told.player_id == dan
    assert letter is not None and b"Former player" in letter.message
    assert not re.search(rb"(?i)\bada\b", letter.message)  # a signed link may contain the three letters by chance


def test_both_are_notified_if_the_stand_in_is_banned_and_emails_do_not_name_deleted_players(
    ada: UUID, bea: UUID, cyd: UUID, dan: UUID
) -> None:
    for goes in (give_up_seats, delete_player):
        game_id = game_of(ada, bea, cyd)
        stands_in(game_id, ada, dan, 1, 2)
        goes(dan)
        assert called_off(game_id) == [(ada, True)]
    letter = composed(letters(game_id, "stand-in")[-1])
    assert letter is not None and b"Former player" in letter.message
    assert not any("dan" in str(it.data) for it in letters(game_id, "stand-in"))


def test_the_stand_in_is_notified_of_the_end_and_the_owner_gets_the_usual_email(
    game_id: UUID, ada: UUID, bea: UUID, cyd: UUID, dan: UUID
) -> None:
    stands_in(game_id, ada, dan, 1, 2)
    all_agree(game_id, "abandon", ada, bea, cyd)
    change_stand_ins()
    assert called_off(game_id) == [(dan, False)]
    assert stand_in_of(game_id, ada) is None


def test_the_last_email_to_a_stand_in_links_only_a_public_game(ada: UUID, dan: UUID) -> None:
    for private in (True, False):
        game_id = game_of(ada, bots=2, private=private)
        stands_in(game_id, ada, dan)
        end_stand_in(game_id, ada)
        (told,) = [it for it in letters(game_id, "stand-in") if it.data["what"] == "ended" and it.player_id == dan]
        letter = composed(told)
        assert letter is not None
        linked, sees = b"/#/games/" in letter.message, b"you see only what everyone can see" in letter.message
        assert linked == sees == (not private)


def test_the_stand_in_is_notified_if_the_seat_is_taken_over_permanently(ada: UUID, bea: UUID, dan: UUID) -> None:
    game_id = seat_kept_by_a_bot(ada, bea, dan)
    vote(game_id, bea, OFFER, True)
    take_over(game_id, person("eve"), 0)
    assert called_off(game_id) == [(dan, False)]


def test_owner_and_stand_in_are_notified_on_the_first_day_if_the_stand_in_cannot_begin(
    game_id: UUID, ada: UUID, cyd: UUID, dan: UUID
) -> None:
    stands_in(game_id, ada, dan, 1, 2)
    block(cyd, dan)
    later(DAY)
    change_stand_ins()
    assert set(called_off(game_id)) == {(ada, True), (dan, False)}


def test_the_cancellation_of_a_stand_in_is_not_shown_to_others_in_an_anonymous_game(
    ada: UUID, bea: UUID, cyd: UUID, dan: UUID
) -> None:
    game_id = game_of(ada, bea, cyd, options={"start_seat": 0, "nameless": True})
    stands_in(game_id, ada, dan, 1, 2)
    before = [seen(game_id, who) for who in (bea, None)], happened(game_id)
    end_stand_in(game_id, dan)
    assert called_off(game_id) == [(ada, True)]
    assert ([seen(game_id, who) for who in (bea, None)], happened(game_id)) == before


def test_the_owner_can_watch_and_chat_but_not_play(game_id: UUID, ada: UUID, bea: UUID, dan: UUID) -> None:
    hand = seen(game_id, ada)["view"]["hand"]
    stands_in(game_id, ada, dan)
    move = moves_of(game_id, dan)[0]
    assert seen(game_id, ada)["view"]["hand"] == seen(game_id, dan)["view"]["hand"] == hand
    for does in (
        partial(play_move, game_id, ada, 2, move),
        partial(take_back, game_id, ada, 1),
        partial(vote, game_id, ada, "pause", True),
        partial(get_plan, game_id, ada),
        partial(put_plan, game_id, ada, 0, []),
    ):
        with pytest.raises(HandedOver):
            does()
    say(game_id, ada, "Thank you!")
    say(game_id, dan, "A fine hand")
    assert [it["name"] for it in messages(game_id, 0, 9)] == ["ada", "dan"]
    change_seat(game_id, ada, {"mails": "off"})
    assert [seat_settings(game_id, who)["mails"] for who in (ada, dan)] == ["off", None]
    end_stand_in(game_id, ada)
    assert seat_settings(game_id, ada)["mails"] == "off"
    moves_on(game_id, ada)
    assert by(game_id) == ["player"]


def test_the_time_of_the_turn_continues_during_a_stand_in(game_id: UUID, ada: UUID, dan: UUID) -> None:
    due_at = seats_of(game_id)[0].due_at
    later(timedelta(hours=5))
    stands_in(game_id, ada, dan)
    assert seats_of(game_id)[0].due_at == due_at
    end_stand_in(game_id, dan)
    assert seats_of(game_id)[0].due_at == due_at


def test_links_to_earlier_turns_become_invalid_for_owner_and_stand_in(game_id: UUID, ada: UUID, dan: UUID) -> None:
    links = [turn_word(game_id, 0, 1)]
    stands_in(game_id, ada, dan)
    links.append(turn_word(game_id, 0, 2))
    end_stand_in(game_id, ada)
    for link in links:
        with pytest.raises(StaleTurn):
            play_line(link, "7 leo c")


def test_stand_ins_cannot_see_the_seats_past_and_owners_cannot_see_the_stand_ins_plans(
    game_id: UUID, ada: UUID, bea: UUID, cyd: UUID, dan: UUID
) -> None:
    moves_on(game_id, ada)
    moves_on(game_id, bea)
    stands_in(game_id, ada, dan)
    for version in range(load(game_id).version):
        assert seen(game_id, dan, version)["view"] == seen(game_id, None, version)["view"]
        assert version == 0 or seen(game_id, ada, version)["view"] != seen(game_id, None, version)["view"]
    board = next(it for it in seen(game_id, dan)["view"]["boards"] if None in it["spaces"].values())
    free = next(space for space, lies in board["spaces"].items() if lies is None)
    move = {"star": "D", "board": board["board"], "space": free}
    put_plan(game_id, dan, 0, [{"move": move, "if": [], "after": "PT0S"}])
    end_stand_in(game_id, ada)
    assert get_plan(game_id, ada) == {"revision": 0, "moves": [], "ended": None}


def test_a_seated_blocked_or_busy_player_cannot_stand_in(
    game_id: UUID, ada: UUID, bea: UUID, cyd: UUID, dan: UUID
) -> None:
    for whom in ({"player": bea}, {"player": ada}, {"email": "ada@example.org"}):
        with pytest.raises(AlreadySeated):
            asks(game_id, ada, **whom)
    asks(game_id, ada, email="bea@example.org")  # which must not reveal the owner of the address
    with pytest.raises(AlreadySeated):
        accept_stand_in(word_of(game_id), bea)
    stands_in(game_id, ada, dan, 1, 2)
    asks(game_id, bea, player=dan)
    db.session.rollback()
    asked = db.session.scalars(select(StandIn).where(StandIn.game_id == game_id, StandIn.seat == 1)).one()
    with pytest.raises(AlreadySeated):
        accept_stand_in(stand_in_word(game_id, 1, asked.mark), dan)
    eve = person("eve")
    block(cyd, eve)
    asks(game_id, bea, player=eve)
    db.session.rollback()
    asked = db.session.scalars(select(StandIn).where(StandIn.game_id == game_id, StandIn.seat == 1)).one()
    with pytest.raises(SeatTaken):
        accept_stand_in(stand_in_word(game_id, 1, asked.mark), eve)
    fay = person("fay")
    block(fay, bea)
    before = len(letters(game_id, "invitation"))
    asks(game_id, bea, player=fay)
    assert len(letters(game_id, "invitation")) == before  # and gets no notice


def test_programs_can_stand_in_only_where_programs_are_allowed_and_are_marked_there(
    ada: UUID, bea: UUID, cyd: UUID, dan: UUID
) -> None:
    change_profile(dan, {"program_since": clock.now()})
    people, all_ = game_of(ada, bea, cyd, programs=False), game_of(ada, bea, cyd)
    for game_id in (people, all_):
        asks(game_id, ada, player=dan)
    with pytest.raises(NoPrograms):
        accept_stand_in(word_of(people), dan)
    leave(people, bea)
    all_agree(people, OFFER, ada, cyd)
    with pytest.raises(NoPrograms):
        take_over(people, dan)
    accept_stand_in(word_of(all_), dan)
    seat = seen(all_, None)["seats"][0]
    assert (seat["program"], seat["stood_in_by"]["program"]) == (False, True)


def test_stand_in_days_must_be_ordered_limited_and_in_the_future(game_id: UUID, ada: UUID, dan: UUID) -> None:
    for first, last_ in ((2, 1), (-9, -8), (0, 90)):
        with pytest.raises(BadField):
            asks(game_id, ada, first, last_, player=dan)
    for whom in ({}, {"player": dan, "email": "dan@example.org"}, {"player": UUID(int=0)}):
        with pytest.raises(BadField):
            asks(game_id, ada, **whom)
    with pytest.raises(BadField):
        ask_stand_in(game_id, ada, Wish("2026-02-30", day(3), dan))


def test_a_stand_in_replaces_a_bot(ada: UUID, bea: UUID, dan: UUID) -> None:
    game_id = seat_kept_by_a_bot(ada, bea, dan)
    assert happened(game_id)[-1] == "seat-handed-over"
    later(DAY)
    change_stand_ins()
    assert happened(game_id)[-2:] == ["seat-taken-back", "stand-in-began"]
    assert turn_of(game_id, dan) is not None
    assert_log_and_projections_agree(game_id)


def test_a_bot_that_takes_over_ends_the_stand_in(ada: UUID, bea: UUID, dan: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, on_timeout=[{"do": "bot-takes-over", "bot": "greedy"}])
    stands_in(game_id, ada, dan, 0, 30)
    run_until(seats_of(game_id)[0].due_at or clock.now())
    assert [it for it in happened(game_id) if it not in ("star-placed", "board-dealt")][-3:] == [
        "time-ran-out",
        "seat-handed-over",
        "stand-in-ended",
    ]
    assert letters(game_id, "seat-handed-over")[0].player_id == ada
    assert_log_and_projections_agree(game_id)
    come_back(return_word(game_id, 0))
    assert turn_of(game_id, bea) is not None or turn_of(game_id, ada) is not None


def test_the_owners_resignation_ends_the_stand_in_and_a_stand_in_who_resigns_only_leaves(
    game_id: UUID, ada: UUID, bea: UUID, dan: UUID
) -> None:
    stands_in(game_id, ada, dan)
    leave(game_id, dan)
    assert happened(game_id)[-1] == "stand-in-ended"
    stands_in(game_id, ada, dan)
    leave(game_id, ada)
    assert happened(game_id)[-2:] == ["seat-handed-over", "stand-in-ended"]
    assert_log_and_projections_agree(game_id)


def test_a_resigned_players_stand_in_does_not_begin(game_id: UUID, ada: UUID, dan: UUID) -> None:
    stands_in(game_id, ada, dan, 1, 2)
    leave(game_id, ada)
    assert stand_in_of(game_id, ada) is None
    later(DAY)
    change_stand_ins()
    assert happened(game_id)[-1] == "seat-handed-over"


def test_a_banned_stand_in_does_not_begin(game_id: UUID, ada: UUID, dan: UUID) -> None:
    stands_in(game_id, ada, dan, 1, 2)
    ban(dan)
    later(DAY)
    change_stand_ins()
    assert "stand-in-began" not in happened(game_id)
    assert stand_in_of(game_id, ada) is None


def test_the_end_of_the_game_ends_the_stand_in_and_the_archive_shows_it(ada: UUID, bea: UUID, dan: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    stands_in(game_id, ada, dan)
    while load(game_id).head.status == "running":
        everything_due_happens()  # the bot moves
        if mover := next(
            (who for who in (dan, bea) if load(game_id).seat_of(who) is not None and turn_of(game_id, who)), None
        ):
            moves_on(game_id, mover)
    assert happened(game_id)[-2:] == ["game-ended", "stand-in-ended"]
    assert [it.player_id for it in letters(game_id, "game-ended")] == [ada, bea]
    assert set(by(game_id)) == {"stand-in", "player", "bot"}
    archive.check(orjson.dumps(archive_of(game_id, ada)))
    read_records()
    for who, finished in ((ada, 1), (bea, 1), (dan, 0)):
        assert track_record(who)["finished"] == finished
    assert track_record(ada)["median_answer"] is None  # the stand-in made no move
    assert track_record(dan)["games"] == 0
    assert_log_and_projections_agree(game_id)


def test_abandoning_a_game_during_the_stand_ins_turn_leaves_nothing_due(
    game_id: UUID, ada: UUID, bea: UUID, cyd: UUID, dan: UUID
) -> None:
    stands_in(game_id, ada, dan)
    all_agree(game_id, "abandon", dan, bea, cyd)
    assert [(row.due_at, row.wake_at) for row in seats_of(game_id)] == [(None, None)] * 3
    assert_log_and_projections_agree(game_id)


def test_a_private_game_is_hidden_from_a_former_stand_in(ada: UUID, bea: UUID, dan: UUID) -> None:
    game_id = game_of(ada, bots=2, private=True)
    stands_in(game_id, ada, dan)
    say(game_id, dan, "Hello")
    end_stand_in(game_id, dan)
    with pytest.raises(NotFound):
        say(game_id, dan, "Hello?")
    assert list_games(dan, mine=True).items == []


def test_a_vote_ends_only_if_the_player_who_asked_for_it_gets_a_stand_in(
    game_id: UUID, ada: UUID, bea: UUID, cyd: UUID, dan: UUID
) -> None:
    moves_on(game_id, ada)
    moves_on(game_id, bea)
    take_back(game_id, ada, 1)
    vote(game_id, bea, TAKE_BACK, True)
    stands_in(game_id, bea, dan)
    vote(game_id, cyd, TAKE_BACK, True)
    assert votes_of(game_id)[TAKE_BACK]["consents"] == [0, 2]  # the stand-in has not been asked yet
    vote(game_id, dan, TAKE_BACK, True)
    assert happened(game_id)[-1] == "move-taken-back"
    moves_on(game_id, ada)
    moves_on(game_id, dan)
    moves_on(game_id, cyd)
    asked = load(game_id).version
    take_back(game_id, dan, asked - 2)
    end_stand_in(game_id, bea)
    assert votes_of(game_id)[TAKE_BACK] is None
    for who in (ada, cyd):
        with pytest.raises(TooLate):
            vote(game_id, who, TAKE_BACK, True)
    assert_log_and_projections_agree(game_id)


@pytest.mark.parametrize("whose", ["of the seat", "of the stand-in"])
def test_an_account_with_a_stand_in_a_vote_and_a_plan_can_be_deleted(
    game_id: UUID, ada: UUID, bea: UUID, cyd: UUID, dan: UUID, whose: str
) -> None:
    moves_on(game_id, ada)
    moves_on(game_id, bea)
    stands_in(game_id, bea, dan)
    take_back(game_id, ada, 1)
    vote(game_id, cyd, TAKE_BACK, True)
    board = seen(game_id, None)["view"]["boards"][0]
    move = {"star": "3", "board": board["board"], "space": list(board["spaces"])[-1]}
    put_plan(game_id, dan, 0, [{"move": move, "if": [], "after": "PT0S"}])
    delete_player(bea if whose == "of the seat" else dan)
    assert happened(game_id)[-1] == ("move-taken-back" if whose == "of the seat" else "stand-in-ended")
    everything_due_happens()
    assert db.session.scalars(select(Plan)).all() == []
    assert_log_and_projections_agree(game_id)


# Races


def test_only_one_of_two_simultaneous_acceptances_succeeds(app: Flask, game_id: UUID, ada: UUID, dan: UUID) -> None:
    asks(game_id, ada, player=dan)
    word = word_of(game_id)
    at_once(app, [partial(accept_stand_in, word, dan)] * 4)
    assert happened(game_id).count("stand-in-began") == 1
    assert_log_and_projections_agree(game_id)


@pytest.mark.parametrize("how", ["owner", "stand-in", "clock"])
def test_a_stand_in_can_end_during_a_move(app: Flask, game_id: UUID, ada: UUID, bea: UUID, dan: UUID, how: str) -> None:
    """Either the stand-in has moved, or the turn is the owner's."""
    stands_in(game_id, ada, dan)
    turn, move = turn_of(game_id, dan), moves_of(game_id, dan)[0]
    assert turn is not None
    if how == "clock":
        until(load(game_id).seats[0].stood_in_until)
    ends = {"owner": partial(end_stand_in, game_id, ada), "stand-in": partial(end_stand_in, game_id, dan)}
    end = ends.get(how, change_stand_ins)
    refused = at_once(
        app, [partial(outcome_of, partial(play_move, game_id, dan, turn, move)), partial(outcome_of, end)]
    )
    change_stand_ins()
    if how != "clock" or "stand-in-ended" in happened(game_id):
        assert "stand-in-ended" in happened(game_id)
    assert refused[1] is None
    assert (refused[0] is None) == ("star-placed" in happened(game_id))
    if refused[0] is None:
        assert by(game_id) == ["stand-in"]
    else:
        moves_on(game_id, ada)
        assert by(game_id) == ["player"]
    assert_log_and_projections_agree(game_id)


# Taking seats over


def offered(game_id: UUID, who: UUID, *others: UUID) -> None:
    leave(game_id, who)
    all_agree(game_id, OFFER, *others)


def test_a_seat_is_taken_over_permanently_if_all_active_players_offer_it(
    game_id: UUID, ada: UUID, bea: UUID, cyd: UUID, dan: UUID
) -> None:
    offered(game_id, ada, bea)
    with pytest.raises(SeatTaken):
        take_over(game_id, dan, 0)
    assert list_games(dan, offered=True).items == []
    vote(game_id, cyd, OFFER, True)
    assert [it["id"] for it in list_games(dan, offered=True).items] == [game_id]
    take_over(game_id, dan, 0)
    assert happened(game_id)[-1] == "seat-taken-over"
    assert seen(game_id, None)["seats"][0]["name"] == "dan"
    assert list_games(dan, offered=True).items == []
    assert [it.player_id for it in letters(game_id, "seat-taken-over")] == [ada]
    letter = composed(letters(game_id, "seat-taken-over")[0])
    assert letter is not None and letter.to == "ada@example.org"
    with pytest.raises(NotFound):
        come_back(return_word(game_id, 0))
    with pytest.raises(PlayError):
        take_seat(game_id, ada)
    assert list_games(ada, mine=True).items == []
    assert_log_and_projections_agree(game_id)


def test_the_owner_can_return_before_the_takeover_and_keeps_their_record(
    game_id: UUID, ada: UUID, bea: UUID, cyd: UUID, dan: UUID
) -> None:
    moves_on(game_id, ada)
    offered(game_id, ada, bea, cyd)
    take_seat(game_id, ada)
    with pytest.raises(SeatTaken):
        take_over(game_id, dan)
    leave(game_id, ada)
    take_over(game_id, dan)
    assert track_record(ada)["left"] == 1
    assert (track_record(dan)["left"], track_record(dan)["games"]) == (0, 1)
    vote(game_id, bea, "abandon", True)
    vote(game_id, cyd, "abandon", True)
    vote(game_id, dan, "abandon", True)
    read_records()
    assert track_record(ada)["left"] == 1
    assert track_record(dan)["left"] == 0


def test_a_former_player_who_becomes_a_stand_in_keeps_their_own_record(
    game_id: UUID, ada: UUID, bea: UUID, cyd: UUID, dan: UUID
) -> None:
    offered(game_id, ada, bea, cyd)
    take_over(game_id, dan)
    before = track_record(ada)
    stands_in(game_id, dan, ada)
    assert [it["id"] for it in list_games(ada, mine=True).items] == [game_id]
    assert track_record(ada) == before
    end_stand_in(game_id, dan)
    assert list_games(ada, mine=True).items == []
    assert track_record(ada) == before


def test_a_successor_gets_a_new_turn_and_sees_the_public_past(
    game_id: UUID, ada: UUID, bea: UUID, cyd: UUID, dan: UUID
) -> None:
    offered(game_id, ada, bea, cyd)
    later(DAY)
    take_over(game_id, dan)
    row, version = seats_of(game_id)[0], load(game_id).version
    assert row.turn == version
    assert row.asked_at == last(game_id, "seat-taken-over").recorded_at
    assert seen(game_id, dan)["view"]["hand"] is not None
    for earlier in range(1, version):
        assert seen(game_id, dan, earlier)["view"] == seen(game_id, None, earlier)["view"]
    moves_on(game_id, dan)
    assert by(game_id) == ["player"]


def test_only_one_of_two_simultaneous_takeovers_succeeds(
    app: Flask, game_id: UUID, ada: UUID, bea: UUID, cyd: UUID, dan: UUID
) -> None:
    offered(game_id, ada, bea, cyd)
    eve = person("eve")
    refused = at_once(app, [partial(outcome_of, partial(take_over, game_id, who, 0)) for who in (dan, eve, dan, eve)])
    assert refused.count(None) >= 1
    assert happened(game_id).count("seat-taken-over") == 1
    assert_log_and_projections_agree(game_id)
