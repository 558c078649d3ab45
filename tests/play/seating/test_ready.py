"""The option `ready_check`: a game begins when all players are ready, and salts are committed beforehand."""

from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

import pytest
from flask import Flask

from server.accounts.players import change_profile
from server.clock import clock
from server.errors import BadField, NotAllowed, NotHost, NotRunning, NotSeated, WrongSalt
from server.games import BadOption, Json
from server.operations.rebuild import check_game
from server.play import archive
from server.play.commits import load, whole_log
from server.play.moves import legal_moves
from server.play.seating.games import open_game
from server.play.seating.hosting import begin, close_due, close_game
from server.play.seating.ready_check import within as time_for
from server.play.seating.seats import SeatClaim, change_seat, leave, ready, send_away, take_seat
from server.play.views import describe
from tests.support.games import (
    BOT,
    DAY,
    HOUR,
    ME,
    MINUTE,
    OPEN,
    at_once,
    everything_due_happens,
    happened,
    head_of,
    later,
    letters,
    run_for,
    run_until,
    seats_of,
    service_is_up,
    wanted,
)

pytestmark = pytest.mark.usefixtures("within")

CHECK: Json = {"start_seat": 0, "ready_check": {"within": "P2D"}}


def hashed(salt: str) -> str:
    return sha256(salt.encode()).hexdigest()


def opened(ada: UUID, *seats: Json, **more: object) -> UUID:
    return open_game(ada, wanted(*(seats or (ME, OPEN, BOT)), **{"options": CHECK} | more)).game_id


def full(ada: UUID, bea: UUID, ada_salt: str | None = None, bea_salt: str | None = None) -> UUID:
    """Fill a game of these two and a bot, and ask whether they are ready."""
    service_is_up()
    game_id = opened(ada, ME | ({"salt_hash": hashed(ada_salt)} if ada_salt else {}), OPEN, BOT)
    take_seat(game_id, bea, SeatClaim(salt_hash=hashed(bea_salt) if bea_salt else None))
    return game_id


def is_in_two_days(moment: datetime | None) -> bool:
    return moment is not None and 2 * DAY - HOUR < moment - clock.now() <= 2 * DAY


def state(game_id: UUID) -> list[bool | None]:
    return [it["ready"] for it in describe(load(game_id), None)["seats"]]


# All confirm


def test_the_game_begins_when_all_players_are_ready_and_bots_are_always_ready(ada: UUID, bea: UUID) -> None:
    game_id = opened(ada)
    assert state(game_id) == [None, None, None]
    with pytest.raises(NotRunning, match="We'll ask you when all seats are taken"):
        ready(game_id, ada)
    take_seat(game_id, bea)
    assert (load(game_id).table.status, state(game_id)) == ("open", [False, False, None])
    assert [is_in_two_days(row.due_at) for row in seats_of(game_id)] == [True, True, False]
    assert [it.seat for it in letters(game_id, "ready-asked")] == [0, 1]
    ready(game_id, bea)
    assert (load(game_id).table.status, state(game_id)) == ("open", [False, True, None])
    assert ready(game_id, ada).table.status == "running"
    assert legal_moves(game_id, ada, [])["turn"] == 1
    assert check_game(game_id) == []
    assert is_in_two_days(seats_of(game_id)[0].due_at)  # of the first turn, by the game's clock
    assert [ready(game_id, who).version for who in (ada, bea, ada)] == [1, 1, 1]  # a repeated confirmation


def test_without_the_option_players_are_not_asked_whether_they_are_ready(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, BOT)).game_id
    with pytest.raises(NotAllowed):
        ready(game_id, ada)
    with pytest.raises(NotAllowed):
        begin(game_id, ada)
    with pytest.raises(NotAllowed):
        change_seat(game_id, ada, {"salt_hash": hashed("a")})
    with pytest.raises(BadField, match="ready_check"):
        take_seat(game_id, bea, SeatClaim(salt_hash=hashed("a")))
    with pytest.raises(BadField, match="ready_check"):
        open_game(ada, wanted(ME | {"salt_hash": hashed("a")}, OPEN, BOT))
    assert take_seat(game_id, bea).table.status == "running"
    game_id = opened(ada, options=CHECK | {"ready_check": None})
    assert take_seat(game_id, bea).table.status == "running"


def test_a_player_who_plays_only_against_bots_is_asked_and_spectators_are_not(ada: UUID, bea: UUID) -> None:
    game_id = opened(ada, ME, BOT, BOT)
    with pytest.raises(NotSeated):
        ready(game_id, bea)
    assert ready(game_id, ada).table.status == "running"
    assert opened(ada, BOT, BOT, BOT) and load(opened(ada, BOT, BOT, BOT)).table.status == "running"


@pytest.mark.parametrize("time", ["PT59M", "P31D", "PT1", "P", "PTT1H"])
def test_an_invalid_time_is_rejected(ada: UUID, time: str) -> None:
    with pytest.raises((BadField, BadOption)):
        opened(ada, options={"ready_check": {"within": time}})
    assert time_for({"ready_check": {"within": "PT1H"}}) == HOUR


def test_two_simultaneous_last_confirmations_start_the_game_once(app: Flask, ada: UUID, bea: UUID) -> None:
    game_id = full(ada, bea)
    at_once(app, [lambda: ready(game_id, ada), lambda: ready(game_id, bea)])
    assert happened(game_id)[0] == "game-started"
    assert load(game_id).version == 1


# Deadlines


def test_a_player_who_does_not_confirm_in_time_loses_the_seat_and_all_are_notified(
    ada: UUID, bea: UUID, cyd: UUID
) -> None:
    game_id = full(ada, bea)
    ready(game_id, ada)
    run_for(2 * DAY - MINUTE)
    assert state(game_id) == [True, False, None]
    run_for(MINUTE)
    assert [row.kind for row in seats_of(game_id)] == ["human", "open", "bot"]
    assert (load(game_id).table.status, state(game_id)) == ("open", [None, None, None])
    assert [(it.player_id, it.data["late"]) for it in letters(game_id, "not-ready")] == [(ada, ["bea"]), (bea, ["bea"])]
    with pytest.raises(NotRunning):
        ready(game_id, ada)
    take_seat(game_id, cyd)
    assert state(game_id) == [False, False, None]  # all are asked again
    assert [it.seat for it in letters(game_id, "ready-asked")] == [0, 1, 0, 1]
    later(DAY)
    ready(game_id, ada)
    assert ready(game_id, cyd).table.status == "running"


def test_outage_hours_do_not_count(ada: UUID, bea: UUID) -> None:
    game_id = full(ada, bea)
    clock.forward(3 * DAY)  # without any heartbeat
    everything_due_happens()
    assert state(game_id) == [False, False, None]
    service_is_up()
    everything_due_happens()
    assert state(game_id) == [False, False, None]
    run_until(max(row.due_at for row in seats_of(game_id) if row.due_at) + MINUTE)
    assert state(game_id) == [None, None, None]


def test_players_who_are_not_ready_get_one_reminder_at_their_chosen_time(ada: UUID, bea: UUID) -> None:
    change_profile(bea, {"notifications": {"reminders": ["PT1H", "PT3H"]}})
    game_id = full(ada, bea)

    def reminded_after(time: timedelta) -> list[int]:
        run_for(time)
        return [it.seat for it in letters(game_id, "reminder")]

    assert [reminded_after(time) for time in (DAY - MINUTE, MINUTE)] == [[], [0]]
    assert [reminded_after(time) for time in (21 * HOUR - MINUTE, MINUTE)] == [[0], [0, 1]]
    assert reminded_after(3 * HOUR - MINUTE) == [0, 1]
    assert reminded_after(MINUTE) == [0, 1]
    assert state(game_id) == [None, None, None]


def test_players_who_are_ready_or_turned_reminders_off_get_no_reminder(ada: UUID, bea: UUID, cyd: UUID) -> None:
    change_profile(bea, {"notifications": {"reminders": []}})
    game_id = full(ada, bea)
    ready(game_id, ada)
    run_for(2 * DAY - MINUTE)
    assert letters(game_id, "reminder") == []


def test_an_outage_delays_a_reminder_and_triggers_no_second_reminder(ada: UUID, bea: UUID) -> None:
    game_id = full(ada, bea)
    clock.forward(30 * HOUR)
    service_is_up()
    everything_due_happens()
    assert letters(game_id, "reminder") == []
    later(9 * HOUR)  # half of its time, plus the outage
    everything_due_happens()
    assert [it.seat for it in letters(game_id, "reminder")] == [0, 1]
    clock.forward(5 * HOUR)
    service_is_up()
    for _ in range(4):
        everything_due_happens()
        later(9 * HOUR)
    assert [it.seat for it in letters(game_id, "reminder")] == [0, 1]
    assert state(game_id) == [False, False, None]


def test_a_host_who_does_not_confirm_is_replaced_and_an_empty_game_closes(
    ada: UUID, bea: UUID, caplog: pytest.LogCaptureFixture
) -> None:
    game_id = full(ada, bea)
    ready(game_id, bea)
    run_for(2 * DAY)
    assert head_of(game_id).head.host == bea
    other = full(ada, bea)
    run_for(2 * DAY)
    assert head_of(other).head.status == "abandoned"
    assert [row.wake_at for row in seats_of(other)] == [None, None, None]
    assert [it for it in caplog.records if it.levelname == "ERROR"] == []


def test_a_player_who_leaves_or_is_removed_resets_the_ready_check(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = full(ada, bea)
    ready(game_id, ada)
    leave(game_id, bea)
    assert state(game_id) == [None, None, None]
    take_seat(game_id, cyd)
    assert state(game_id) == [False, False, None]
    ready(game_id, ada)
    send_away(game_id, ada, 1)
    assert state(game_id) == [None, None, None]
    run_for(3 * DAY)
    assert [row.kind for row in seats_of(game_id)] == ["human", "open", "bot"]


def test_a_game_does_not_close_during_a_ready_check(ada: UUID, bea: UUID) -> None:
    service_is_up()
    game_id = opened(ada, open_for="P1D", options=CHECK | {"ready_check": {"within": "P5D"}})
    take_seat(game_id, bea)
    for _ in range(4):
        later(DAY)
        close_due()
    assert load(game_id).table.status == "open"
    assert letters(game_id, "game-closing") == []
    ready(game_id, ada)
    assert ready(game_id, bea).table.status == "running"


def test_players_of_a_closed_game_are_not_asked_whether_they_are_ready(ada: UUID, bea: UUID) -> None:
    game_id = full(ada, bea)
    close_game(game_id, ada)
    with pytest.raises(NotRunning):
        ready(game_id, bea)
    run_for(3 * DAY)
    assert letters(game_id, "not-ready") == []


def test_the_host_can_start_without_waiting_for_players_who_do_not_respond(ada: UUID, bea: UUID) -> None:
    game_id = opened(ada)
    with pytest.raises(NotRunning, match="Some seats are still open"):
        begin(game_id, ada)
    take_seat(game_id, bea, SeatClaim(salt_hash=hashed("b")))
    ready(game_id, ada)
    with pytest.raises(NotHost):
        begin(game_id, bea)
    assert begin(game_id, ada).table.status == "running"
    seat = describe(load(game_id), None)["seats"][1]
    assert (seat["ready"], seat["salt_hash"], seat["salt_revealed"]) == (False, hashed("b"), False)
    with pytest.raises(NotRunning):
        begin(game_id, ada)


# Salts


def test_a_player_commits_to_a_salt_first_and_reveals_it_when_ready(ada: UUID, bea: UUID) -> None:
    game_id = full(ada, bea, "a", "b")
    with pytest.raises(WrongSalt):
        ready(game_id, ada, "b")
    ready(game_id, ada)  # as from a mail
    ready(game_id, ada, "a")
    assert [it["salt_revealed"] for it in describe(load(game_id), None)["seats"]] == [True, False, None]
    game = ready(game_id, bea, "b")
    assert [row.salt for row in game.seats] == ["a", "b", ""]
    terms = whole_log(game_id)[0].body["terms"]
    assert terms["salt_hashes"] == [hashed("a"), hashed("b"), None]
    close = archive.make(game.head, game.seats, whole_log(game_id))
    assert (close["salts"], close["salt_hashes"]) == (["a", "b", ""], terms["salt_hashes"])
    assert ready(game_id, bea, "b").version == 1
    with pytest.raises(NotRunning):
        ready(game_id, bea, "c")


def test_an_uncommitted_salt_is_not_accepted_later(ada: UUID, bea: UUID) -> None:
    game_id = full(ada, bea)
    with pytest.raises(WrongSalt):
        ready(game_id, ada, "a")
    with pytest.raises(BadField):
        take_seat(opened(ada), bea, SeatClaim(salt="b", salt_hash=hashed("b")))


def test_a_salt_cannot_be_chosen_after_seeing_a_revealed_one(ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_id = full(ada, bea, "a", "b")
    assert change_seat(game_id, bea, {"salt_hash": hashed("b2")})["salt_hash"] == hashed("b2")
    ready(game_id, ada, "a")
    with pytest.raises(WrongSalt):
        change_seat(game_id, bea, {"salt_hash": hashed("b3")})
    leave(game_id, bea)  # and rejoins with a salt that fits hers
    take_seat(game_id, cyd, SeatClaim(salt_hash=hashed("c")))
    assert seats_of(game_id)[0].salt == "" and seats_of(game_id)[0].salt_hash is None
    assert change_seat(game_id, ada, {"salt_hash": hashed("a2")})["salt_hash"] == hashed("a2")
    ready(game_id, ada, "a2")
    assert [row.salt for row in ready(game_id, cyd, "c").seats] == ["a2", "c", ""]
