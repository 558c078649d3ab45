"""Guests play without an email address, and their seats survive signing in."""

from datetime import timedelta
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import select

from server import worker
from server.accounts.guests import GUEST_LIFE, OF_A_GUEST, begin_forgetting, give_address, guests_to_forget
from server.api.openapi.examples import PUSH_SUBSCRIPTION_WANTED
from server.clock import clock
from server.config import Bound, Settings
from server.errors import BadToken
from server.operations import delete_player as deletion
from server.operations.delete_player import delete_player, forget_guests
from server.play.commits import commit_of, load, record
from server.play.events import GameAbandoned
from server.play.seating import guests as handing_over
from server.play.seating.games import open_game
from server.store.tables import Player, PlayerGame, db
from tests.api.test_sign_in import asked, mailed
from tests.support.api_calls import first_move
from tests.support.contract import Someone, is_problem, opened
from tests.support.games import BOT, ME, OPEN


@pytest.fixture
def guest(app: Flask, stranger: Someone) -> Someone:
    return come(app, stranger)


def come(app: Flask, stranger: Someone, locale: str = "de") -> Someone:
    answer = stranger.post("/v1/guests", {"locale": locale})
    assert answer.status_code == 201, answer.text
    assert answer.json["scopes"] == list(OF_A_GUEST)
    return Someone(app, token=answer.json["token"])


def sign_in(app: Flask, guest: Someone, email: str) -> Someone:
    asked_for = asked(Someone(app), email)
    answer = guest.post("/v1/tokens", {"sign_in": asked_for, "code": mailed(app, asked_for)["code"]})
    assert answer.status_code == 201, answer.text
    return Someone(app, token=answer.json["token"])


def test_a_guest_plays_against_bots_without_an_email_address(guest: Someone) -> None:
    profile = guest.get("/v1/me").json
    assert (profile["guest"], profile["email"], profile["named"], profile["locale"]) == (True, "", False, "de")
    path = opened(guest, ME, BOT, BOT, private=True)
    game = guest.get(path).json
    assert (game["status"], game["you"]["seat"]) == ("running", 0)
    assert [it["id"] for it in guest.get("/v1/games?mine=true").json["items"]] == [game["id"]]


def test_a_guest_does_not_delay_players_or_trigger_emails(app: Flask, guest: Someone, ada: Someone) -> None:
    for seats in ((ME, OPEN, BOT), (ME, {"email": "friend@example.org"}, BOT)):
        wanted = {"rules": "sternenhimmel", "seats": list(seats)}
        is_problem(guest.post("/v1/games", wanted), 403, "sign-in-first")
    is_problem(guest.post(f"{opened(ada, ME, OPEN, BOT)}/seats"), 403, "sign-in-first")
    own = opened(guest, ME, BOT, BOT)
    is_problem(Someone(app).get(own), 404, "not-found")  # and no other player sees this chat
    is_problem(guest.post("/v1/tokens", {}), 403, "missing-scope")
    assert "Melde dich zuerst per E-Mail an." in guest.get("/v1/webhooks").json["detail"]


def test_a_guest_cannot_subscribe_to_push_notifications(guest: Someone) -> None:
    is_problem(guest.post("/v1/push-subscriptions", PUSH_SUBSCRIPTION_WANTED), 403, "sign-in-first")
    assert guest.get("/v1/push-subscriptions").json["items"] == []


def test_a_guest_who_adds_a_new_email_address_becomes_a_player_with_that_address(app: Flask, guest: Someone) -> None:
    path = opened(guest, ME, BOT, BOT)
    player = sign_in(app, guest, "new@example.org")
    assert player.get("/v1/me").json.items() >= {"email": "new@example.org", "guest": False}.items()
    assert player.get(path).json["you"]["seat"] == 0
    is_problem(guest.get("/v1/me"), 401, "bad-token")
    assert Someone(app, "new").get(path).json["you"]["seat"] == 0


def test_a_guests_seats_move_to_the_player_who_signs_in(app: Flask, guest: Someone, ada: Someone) -> None:
    path = opened(guest, ME, BOT, BOT, private=True)
    before = guest.get(path).json
    player = sign_in(app, guest, "ada@example.org")
    assert player.get("/v1/me").json["id"] == ada.get("/v1/me").json["id"]
    game = ada.get(path).json
    assert (game["you"], game["view"]) == (before["you"], before["view"])
    assert ada.post(f"{path}/moves", first_move(ada, path)).status_code == 201
    is_problem(guest.get("/v1/me"), 401, "bad-token")


def test_a_game_that_ends_during_a_guests_sign_in_moves_to_the_player(app: Flask, guest: Someone, ada: Someone) -> None:
    game_id = UUID(opened(guest, ME, BOT, BOT, private=True).rpartition("/")[2])
    with app.app_context():
        as_the_guest_saw_it = load(game_id)
    sign_in(app, guest, "ada@example.org")
    with app.app_context():
        now = clock.now()
        assert record(commit_of(as_the_guest_saw_it, [GameAbandoned(0)], now))
        [row] = db.session.scalars(select(PlayerGame).where(PlayerGame.game_id == game_id))
        assert (str(row.player_id), row.over_at) == (ada.get("/v1/me").json["id"], now)


def test_games_opened_during_sign_in_move_to_the_player_and_later_ones_are_rejected(
    app: Flask, guest: Someone, ada: Someone, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest_id, wanted = UUID(guest.get("/v1/me").json["id"]), {"rules": "sternenhimmel", "seats": [ME, BOT, BOT]}
    opened_meanwhile, end_tokens = [], handing_over._end_tokens

    def open_first(ended: UUID) -> None:
        opened_meanwhile.append(str(open_game(guest_id, wanted).game_id))
        end_tokens(ended)

    monkeypatch.setattr(handing_over, "_end_tokens", open_first)
    sign_in(app, guest, "ada@example.org")
    assert [it["id"] for it in ada.get("/v1/games?mine=true").json["items"]] == opened_meanwhile
    with app.app_context(), pytest.raises(BadToken):
        open_game(guest_id, wanted)


def test_a_guest_keeps_the_seat_after_a_wrong_code(app: Flask, guest: Someone) -> None:
    path = opened(guest, ME, BOT, BOT, private=True)
    is_problem(guest.post("/v1/tokens", {"sign_in": asked(Someone(app)), "code": "000000"}), 401, "wrong-code")
    assert guest.get(path).json["you"]["seat"] == 0


def test_a_guest_is_deleted_when_the_token_expires(app: Flask, guest: Someone) -> None:
    player_id = UUID(guest.get("/v1/me").json["id"])
    with app.app_context():
        assert guests_to_forget() == []
        clock.forward(GUEST_LIFE + timedelta(seconds=1))
        assert guests_to_forget() == [player_id]
        delete_player(player_id)
        assert guests_to_forget() == []
        assert db.session.get_one(Player, player_id).deleted_at is not None
    is_problem(guest.get("/v1/me"), 401, "bad-token")


def test_a_failed_deletion_does_not_block_other_guests(
    app: Flask, stranger: Someone, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    guests = [UUID(come(app, stranger).get("/v1/me").json["id"]) for _ in range(3)]
    broken = guests[0]

    def give_up_seats(player_id: UUID) -> None:
        if player_id == broken:
            raise ValueError("A log that cannot be read")

    with app.app_context():
        clock.forward(GUEST_LIFE + timedelta(seconds=1))
        monkeypatch.setattr(deletion, "give_up_seats", give_up_seats)
        worker._tidy(Settings.from_environment({}))
        assert guests_to_forget() == [broken]
        assert f"Guest {broken} could not be forgotten" in caplog.text
        monkeypatch.undo()
        forget_guests()
        assert guests_to_forget() == []
        assert all(db.session.get_one(Player, it).email.endswith("@deleted.invalid") for it in guests)


def test_a_guest_who_just_added_an_address_is_not_deleted(app: Flask, guest: Someone) -> None:
    player_id = UUID(guest.get("/v1/me").json["id"])
    with app.app_context():
        clock.forward(GUEST_LIFE + timedelta(seconds=1))
        assert guests_to_forget() == [player_id]
        assert give_address(player_id, "new@example.org", "de")
        db.session.commit()
        assert not begin_forgetting(player_id)
        forget_guests()
        assert db.session.get_one(Player, player_id, populate_existing=True).email == "new@example.org"


def test_a_guest_being_deleted_cannot_add_an_address(app: Flask, guest: Someone) -> None:
    player_id = UUID(guest.get("/v1/me").json["id"])
    with app.app_context():
        assert not begin_forgetting(player_id)  # this token has not expired
        clock.forward(GUEST_LIFE + timedelta(seconds=1))
        assert begin_forgetting(player_id)
        assert not give_address(player_id, "new@example.org", "de")
        db.session.rollback()
        assert guests_to_forget() == [player_id]  # though it should break off here


def test_guests_per_address_and_games_per_guest_are_limited(
    app: Flask, stranger: Someone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.config, "LIMITS", True)
    for name in ("guests", "guest-games"):
        monkeypatch.setitem(app.config["BOUNDS"], name, Bound(2, 3600))
    guest = come(app, stranger)
    come(app, stranger)
    is_problem(stranger.post("/v1/guests"), 429, "too-many-requests")
    for _ in range(2):
        opened(guest, ME, BOT, BOT)
    wanted = {"rules": "sternenhimmel", "seats": [ME, BOT, BOT]}
    is_problem(guest.post("/v1/games", wanted), 429, "too-many-requests")
