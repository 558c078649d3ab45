"""Open games: the host, removed guests, withdrawn invitations and closing."""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

import pytest
from flask import Flask

from server.accounts import tokens
from server.clock import clock
from server.games import Json
from server.operations.delete_player import delete_player
from server.operations.queries import find_player
from server.operations.rebuild import check_game, rebuild_game
from server.play.commits import load
from server.play.seating.hosting import close_due
from server.play.seating.seats import seat_settings
from server.play.story.event_feed import follow_game, follow_own, new_games, news
from server.store.connections import autocommit
from server.store.tables import GameRow, LetterRow, PlayerGame, db
from tests.post.office import Office
from tests.support.contract import Someone, is_problem, opened
from tests.support.games import BOT, DAY, HOUR, ME, MINUTE, OPEN, happened, later, letters, person, until

NEW = "new@example.org"
INVITED: Json = {"email": NEW}


@pytest.fixture(autouse=True)
def _in_app(app: Flask) -> Iterator[None]:
    with app.app_context():
        yield


@pytest.fixture
def cleo(app: Flask) -> Someone:
    return Someone(app, "cleo")


@pytest.fixture
def office(app: Flask) -> Office:
    return Office(app, "mail.example.org")


def id_of(path: str) -> UUID:
    return UUID(path.removeprefix("/v1/games/"))


def sits(*people: Someone, at: str) -> None:
    for who in people:
        assert who.post(f"{at}/seats").status_code == 201


def is_closed(path: str, who: Someone) -> bool:
    game = who.get(path).json
    assert (game["host"], game["closes_at"]) == (None, None) or game["status"] == "open"
    return bool(game["status"] == "abandoned")


def kinds(path: str, who: Someone) -> list[str]:
    return [seat["kind"] for seat in who.get(path).json["seats"]]


def in_lobby(who: Someone, path: str, **more: str) -> bool:
    items = who.get("/v1/games", query_string={"status": "open", **more}).json["items"]
    return id_of(path) in [UUID(it["id"]) for it in items]


def moment(path: str, who: Someone) -> datetime:
    return datetime.fromisoformat(who.get(path).json["closes_at"])


# No player is left


def test_a_game_closes_when_the_last_person_leaves(app: Flask, ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, OPEN, BOT)
    assert in_lobby(bea, path)
    assert ada.delete(f"{path}/seats/me").status_code == 204
    assert is_closed(path, bea)
    assert not in_lobby(bea, path)
    is_problem(bea.post(f"{path}/seats"), 409, "game-not-running")


def test_when_the_host_leaves_the_player_in_the_lowest_seat_becomes_host(
    app: Flask, ada: Someone, bea: Someone, cleo: Someone
) -> None:
    path = opened(ada, ME, OPEN, OPEN, OPEN)
    sits(bea, cleo, at=path)
    hosts = [ada.get(path).json["host"]]
    for who in (ada, bea):
        who.delete(f"{path}/seats/me")
        hosts.append(cleo.get(path).json["host"])
    assert hosts == [0, 1, 2]
    is_problem(ada.delete(path), 403, "not-host")
    cleo.delete(f"{path}/seats/me")
    assert is_closed(path, ada)


def test_the_host_stays_host_when_a_guest_leaves(app: Flask, ada: Someone, bea: Someone) -> None:
    path = opened(ada, OPEN, ME, OPEN)
    sits(bea, at=path)
    bea.delete(f"{path}/seats/me")
    assert (ada.get(path).json["host"], ada.get(path).json["status"]) == (1, "open")


def test_a_host_without_a_seat_stays_host_when_guests_leave(app: Flask, ada: Someone, bea: Someone) -> None:
    path = opened(ada, OPEN, OPEN, BOT)
    sits(bea, at=path)
    bea.delete(f"{path}/seats/me")
    assert (ada.get(path).json["host"], ada.get(path).json["status"]) == (None, "open")
    assert ada.delete(path).status_code == 204


def test_a_player_who_left_a_private_game_cannot_see_it(app: Flask, ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, OPEN, OPEN, private=True)
    bea.post(f"{path}/seats", {"invitation": ada.get(path).json["invitation"]})
    ada.delete(f"{path}/seats/me")
    is_problem(ada.get(path), 404, "not-found")
    is_problem(ada.post(f"{path}/invitations", {"email": NEW}), 404, "not-found")


def test_deleting_the_hosts_account_closes_the_game(app: Flask, ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, OPEN, OPEN)
    delete_player(person("ada"))
    assert is_closed(path, bea)


def test_deleting_a_host_without_a_seat_closes_the_game_or_makes_another_player_the_host(
    app: Flask, ada: Someone, bea: Someone
) -> None:
    lonely, other = opened(ada, OPEN, OPEN, OPEN), opened(ada, OPEN, OPEN, OPEN)
    sits(bea, at=other)
    delete_player(find_player("ada@example.org"))
    assert is_closed(lonely, bea)
    assert not is_closed(other, bea)
    assert bea.get(other).json["hosting"]


# Closed by its host


def test_the_host_can_close_a_game_and_all_players_are_notified(
    app: Flask, office: Office, ada: Someone, bea: Someone
) -> None:
    path = opened(ada, ME, OPEN, INVITED, title="A clear night")
    sits(bea, at=path)
    assert ada.delete(path).status_code == 204
    assert is_closed(path, bea)
    office.delivers()
    (mail,) = office.mails("bea")
    assert '"A clear night" was closed before it started. The host closed the game.' in mail.text
    assert "Reply-To" not in mail.message
    assert [it["type"] for it in bea.get(f"{path}/events").json["items"]] == ["game-abandoned"]
    assert [it["status"] for it in bea.get("/v1/games?mine=true").json["items"]] == ["abandoned"]


def test_only_the_host_can_close_a_game_and_only_before_its_start(
    app: Flask, ada: Someone, bea: Someone, cleo: Someone
) -> None:
    path = opened(ada, ME, OPEN, OPEN)
    sits(bea, at=path)
    for call in (path, f"{path}/seats/0", f"{path}/invitations/2"):
        is_problem(bea.delete(call), 403, "not-host")
        is_problem(cleo.delete(call), 403, "not-host")
        is_problem(Someone(app).delete(call), 401, "token-needed")
    is_problem(bea.patch(path, {"open_for": "P1D"}), 403, "not-host")
    sits(cleo, at=path)
    for call in (path, f"{path}/seats/1", f"{path}/invitations/2"):
        is_problem(ada.delete(call), 409, "game-not-running")
    is_problem(ada.patch(path, {"open_for": "P1D"}), 409, "game-not-running")
    assert (ada.get(path).json["host"], ada.get(path).json["closes_at"]) == (None, None)


def test_a_closed_game_rejects_all_changes_and_is_shown_as_closed(app: Flask, ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, OPEN, OPEN)
    sits(bea, at=path)
    ada.delete(path)
    is_problem(ada.delete(path), 409, "game-not-running")
    is_problem(ada.post(f"{path}/invitations", {"email": NEW}), 409, "game-not-running")
    is_problem(bea.delete(f"{path}/seats/me"), 409, "game-not-running")
    is_problem(bea.post(f"{path}/votes", {"on": "abandon"}), 409, "game-not-running")
    move = {"turn": 0, "move": {"star": "7", "board": "leo", "space": "c"}}
    is_problem(bea.post(f"{path}/moves", move), 409, "game-not-running")
    is_problem(bea.post(f"{path}/moves?dry_run=true", move), 409, "game-not-running")
    assert bea.get(f"{path}/legal-moves").json == {"turn": None, "moves": []}
    assert bea.get(f"{path}?at=0").json["status"] == "open"
    assert bea.get(path).json["view"] is None
    is_problem(bea.get(f"{path}/archive"), 404, "not-found")
    is_problem(bea.get(f"{path}/picture.svg"), 404, "not-found")


def test_the_log_records_that_the_host_closed_a_game(app: Flask, ada: Someone) -> None:
    path = opened(ada, ME, OPEN, INVITED)
    ada.delete(path)
    game_id = id_of(path)
    assert happened(game_id) == ["game-abandoned"]
    assert check_game(game_id) == []
    db.session.execute(db.update(GameRow).where(GameRow.game_id == game_id).values(status="open"))
    db.session.commit()
    assert rebuild_game(game_id) == ["games: status is open, by the log abandoned"]
    assert load(game_id).head.status == "abandoned"


def test_followers_are_notified_that_a_game_was_closed(app: Flask, ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, OPEN, OPEN)
    sits(bea, at=path)
    game_id, caller = id_of(path), tokens.caller(bea.token or "")
    own, one = follow_own(caller, None), follow_game(game_id, caller, None, 0)
    assert one is not None
    ada.delete(path)
    new_games([own])
    told = news(game_id, [own, one])
    assert [[item.what["type"] for item in items] for _, items, _ in told] == [["game-abandoned"]] * 2
    assert one.is_over


def test_webhooks_are_notified_when_a_game_closes(app: Flask, ada: Someone, bea: Someone) -> None:
    bea.post("/v1/webhooks", {"url": "https://bot.example.org/hook", "kinds": ["game-abandoned"]})
    path = opened(ada, ME, OPEN, OPEN)
    sits(bea, at=path)
    ada.delete(path)
    (note,) = letters(id_of(path), "webhook")
    assert note.data["kind"] == "game-abandoned"


# Invitations


def test_a_withdrawn_invitation_is_not_sent_and_its_link_does_not_work(
    app: Flask, office: Office, ada: Someone
) -> None:
    path = opened(ada, ME, OPEN, INVITED)
    (letter,) = letters(id_of(path), "invitation")
    word = letter.data["invitation"]
    assert ada.delete(f"{path}/invitations/2").status_code == 204
    assert kinds(path, ada) == ["human", "open", "open"]
    office.delivers()
    assert office.mails("new") == []
    page = Someone(app).get(f"/i/{word}")
    assert page.status_code == 200
    assert "This seat is no longer reserved for you." in page.text
    assert "<form" not in page.text
    assert not any(seat["unreachable"] for seat in ada.get(path).json["seats"])
    is_problem(ada.delete(f"{path}/invitations/2"), 404, "not-found")


def test_a_player_who_is_invited_again_gets_only_one_email(app: Flask, office: Office, ada: Someone) -> None:
    path = opened(ada, ME, OPEN, INVITED)
    ada.delete(f"{path}/invitations/2")
    assert ada.post(f"{path}/invitations", {"email": NEW, "seat": 2}).status_code == 201
    office.delivers()
    assert len(office.mails("new")) == 1


def test_only_the_invitation_for_a_reserved_seat_can_be_withdrawn(app: Flask, ada: Someone) -> None:
    path = opened(ada, ME, OPEN, BOT)
    for seat in (0, 1, 2, 3, 200, 10**30):
        is_problem(ada.delete(f"{path}/invitations/{seat}"), 404, "not-found")


def test_a_closed_game_accepts_no_invitations(app: Flask, office: Office, ada: Someone) -> None:
    path = opened(ada, ME, OPEN, INVITED)
    word = letters(id_of(path), "invitation")[0].data["invitation"]
    ada.delete(path)
    office.delivers()
    assert office.mails("new") == []
    assert "This game was closed before it started." in Someone(app).get(f"/i/{word}").text
    assert "This game was closed before it started." not in Someone(app).get(f"/i/{opened_word(app, ada)}").text


def opened_word(app: Flask, ada: Someone) -> str:
    """Of another game, which is open."""
    path = opened(ada, ME, OPEN, INVITED)
    return str(letters(id_of(path), "invitation")[0].data["invitation"])


# Guests


def test_the_host_gives_an_open_seat_to_a_bot_and_the_last_one_starts_the_game(
    app: Flask, ada: Someone, bea: Someone
) -> None:
    path = opened(ada, ME, OPEN, INVITED)
    sits(bea, at=path)
    bot = {"bot": "level-3"}
    assert is_problem(bea.ask("PUT", f"{path}/seats/2/bot", json=bot), 403, "not-host")
    invited = ada.ask("PUT", f"{path}/seats/2/bot", json=bot)
    assert is_problem(invited, 409, "seat-taken")
    assert "reserved by an invitation" in invited.json["detail"]
    assert is_problem(ada.ask("PUT", f"{path}/seats/1/bot", json=bot), 409, "seat-taken")
    assert ada.ask("DELETE", f"{path}/invitations/2").status_code == 204
    assert is_problem(ada.ask("PUT", f"{path}/seats/2/bot", json={"bot": "nobody"}), 422, "invalid-fields")
    begun = ada.ask("PUT", f"{path}/seats/2/bot", json=bot).json
    assert (begun["status"], begun["seats"][2]["name"]) == ("running", "level-3")
    assert is_problem(ada.ask("PUT", f"{path}/seats/2/bot", json=bot), 409, "game-not-running")


def test_a_removed_guest_is_notified_and_the_seat_is_free(
    app: Flask, office: Office, ada: Someone, bea: Someone, cleo: Someone
) -> None:
    path = opened(ada, ME, OPEN, OPEN, title="A clear night")
    bea.post(f"{path}/seats", {"salt": "mine"})
    token = bea.post(f"{path}/seats/me/tokens").json["token"]
    bea.patch(f"{path}/seats/me", {"mails": "off"})
    assert ada.delete(f"{path}/seats/1").status_code == 204
    assert kinds(path, ada) == ["human", "open", "open"]
    assert load(id_of(path)).seats[1].salt == ""
    assert not in_lobby(bea, path, mine="true")
    is_problem(Someone(app, token=token).get(path), 401, "bad-token")
    office.delivers()
    (mail,) = office.mails("bea")
    assert 'bea, your seat in "A clear night" is free again. The host would rather play with others.' in mail.text
    assert "Reply-To" not in mail.message
    sits(cleo, at=path)
    assert seat_settings(id_of(path), person("cleo"))["mails"] is None


def test_a_removed_guest_loses_the_game_and_returns_only_if_invited(app: Flask, ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, OPEN, OPEN)
    sits(bea, at=path)
    ada.delete(f"{path}/seats/1")
    sat = db.select(PlayerGame).where(PlayerGame.game_id == id_of(path), PlayerGame.player_id == person("bea"))
    assert db.session.scalars(sat).all() == []
    assert [row.player_id for row in db.session.scalars(db.select(LetterRow))] == [person("bea")]
    is_problem(bea.post(f"{path}/seats"), 409, "seat-taken")
    ada.post(f"{path}/invitations", {"email": "bea@example.org", "seat": 2})
    assert bea.post(f"{path}/seats").json["you"]["seat"] == 2


def test_hosts_can_remove_only_seated_people_and_leave_if_they_remove_themselves(
    app: Flask, ada: Someone, bea: Someone
) -> None:
    path = opened(ada, ME, OPEN, OPEN, BOT, INVITED)
    sits(bea, at=path)
    for seat in (2, 3, 4, 5, 10**30):
        is_problem(ada.delete(f"{path}/seats/{seat}"), 404, "not-found")
    assert ada.delete(f"{path}/seats/0").status_code == 204
    assert bea.get(path).json["host"] == 1
    assert bea.post(f"{path}/messages", {"text": "Where is Ada?"}).status_code == 201


def test_two_simultaneous_removals_remove_a_guest_once(app: Flask, ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, OPEN, OPEN)
    sits(bea, at=path)
    assert [ada.delete(f"{path}/seats/1").status_code for _ in "12"] == [204, 404]
    assert len(letters(id_of(path), "sent-away")) == 1


# Its time


@pytest.mark.parametrize(("open_for", "days"), [(None, 14), ("P3D", 3), ("P90D", 90)])
def test_an_open_game_shows_when_it_closes(app: Flask, ada: Someone, open_for: str | None, days: int) -> None:
    before = clock.now()
    path = opened(ada, ME, OPEN, OPEN, **({"open_for": open_for} if open_for else {}))
    assert before + days * DAY <= moment(path, ada) <= clock.now() + days * DAY
    (item,) = ada.get("/v1/games?status=open").json["items"]
    assert item["closes_at"] == ada.get(path).json["closes_at"]


@pytest.mark.parametrize("open_for", ["PT0S", "PT59M", "P91D", "P366D", "P1M", "soon", "", "-P1D"])
def test_a_game_can_stay_open_for_one_hour_to_90_days(app: Flask, ada: Someone, open_for: str) -> None:
    wanted = {"rules": "sternenhimmel", "seats": [ME, OPEN, OPEN], "open_for": open_for}
    answer = ada.post("/v1/games", wanted)
    assert is_problem(answer, 422, "invalid-field")
    assert answer.json["field"] == "open_for"
    assert "PT1S" not in answer.json["detail"] and "P365D" not in answer.json["detail"]
    is_problem(ada.patch(opened(ada, ME, OPEN, OPEN), {"open_for": open_for}), 422, "invalid-field")


def test_the_host_is_warned_once_three_days_before_the_game_closes(
    app: Flask, office: Office, ada: Someone, bea: Someone
) -> None:
    path = opened(ada, ME, OPEN, OPEN, title="A clear night")
    sits(bea, at=path)
    closes_at = moment(path, ada)
    later(11 * DAY - HOUR)
    close_due()
    assert letters(id_of(path), "game-closing") == []
    until(closes_at - 3 * DAY + MINUTE)
    for _ in range(3):
        close_due()
        office.delivers()
    assert office.mails("bea") == []
    (mail,) = office.mails("ada")
    assert 'ada, "A clear night" still needs one player.' in mail.text
    assert "You have 3 days left." in mail.text
    assert f"/#/games/{id_of(path)}" in mail.text
    assert moment(path, ada) == closes_at
    until(closes_at - MINUTE)
    close_due()
    assert not is_closed(path, ada)
    until(closes_at)
    close_due()
    assert is_closed(path, ada)
    office.delivers()
    assert ["Not all seats were taken in time." in office.mails(who)[-1].text for who in ("ada", "bea")] == [True, True]


def test_the_host_of_a_short_lived_game_is_warned_halfway(app: Flask, ada: Someone) -> None:
    path = opened(ada, ME, OPEN, OPEN, open_for="PT2H")
    until(moment(path, ada) - HOUR - MINUTE)
    close_due()
    assert letters(id_of(path), "game-closing") == []
    later(2 * MINUTE)
    close_due()
    assert len(letters(id_of(path), "game-closing")) == 1


def test_a_host_who_extends_a_game_is_warned_again_before_its_new_end(app: Flask, office: Office, ada: Someone) -> None:
    path = opened(ada, ME, OPEN, OPEN)
    first = moment(path, ada)
    until(first - 2 * DAY)
    close_due()
    answer = ada.patch(path, {"open_for": "P14D"})
    assert answer.status_code == 200
    assert moment(path, ada) == datetime.fromisoformat(answer.json["closes_at"])
    assert moment(path, ada) >= first + 12 * DAY
    office.delivers()
    assert office.mails("ada") == []  # what it said is no longer true
    until(first + HOUR)
    close_due()
    assert not is_closed(path, ada)
    until(moment(path, ada) - 3 * DAY + HOUR)
    close_due()
    office.delivers()
    assert len(office.mails("ada")) == 1


def test_an_outage_does_not_shorten_the_hosts_time_to_respond(app: Flask, ada: Someone) -> None:
    path = opened(ada, ME, OPEN, OPEN)
    until(moment(path, ada) + 5 * DAY)
    close_due()
    assert not is_closed(path, ada)
    assert moment(path, ada) - clock.now() > 3 * DAY - HOUR
    assert len(letters(id_of(path), "game-closing")) == 1


def test_a_host_without_a_seat_is_warned_too(app: Flask, office: Office, ada: Someone, bea: Someone) -> None:
    path = opened(ada, OPEN, OPEN, BOT)
    sits(bea, at=path)
    until(moment(path, ada) - 2 * DAY)
    close_due()
    office.delivers()
    assert office.mails("bea") == []
    (mail,) = office.mails("ada")
    assert mail.text.splitlines()[0].startswith("ada, ")


def test_a_running_game_does_not_close(app: Flask, ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, OPEN, BOT)
    sits(bea, at=path)
    later(30 * DAY)
    close_due()
    assert "game-abandoned" not in happened(id_of(path))
    assert letters(id_of(path), "game-closing") == []


def test_a_failing_or_locked_game_does_not_prevent_other_games_from_closing(
    app: Flask, ada: Someone, bea: Someone, caplog: pytest.LogCaptureFixture
) -> None:
    broken, held, well = (opened(ada, ME, OPEN, OPEN) for _ in "123")
    later(12 * DAY)
    close_due()
    later(3 * DAY)
    db.session.execute(db.update(GameRow).where(GameRow.game_id == id_of(broken)).values(version=7))
    db.session.commit()
    with autocommit() as connection, connection.transaction():
        connection.execute("SELECT FROM games WHERE game_id = %s FOR UPDATE", (id_of(held),))
        close_due()
    assert is_closed(well, bea)
    assert not is_closed(held, bea)
    close_due()
    assert is_closed(held, bea)


def test_a_host_can_turn_off_emails_about_closing_games(app: Flask, office: Office, ada: Someone) -> None:
    ada.patch("/v1/me", {"notifications": {"mails": {"game-closing": "off"}}})
    path = opened(ada, ME, OPEN, OPEN)
    until(moment(path, ada) - 2 * DAY)
    close_due()
    office.delivers()
    assert office.mails("ada") == []
    until(moment(path, ada))
    close_due()
    assert is_closed(path, ada)


def test_one_click_stops_emails_about_closing_games_for_a_host_without_a_seat(
    app: Flask, office: Office, ada: Someone, bea: Someone
) -> None:
    for _ in "12":
        path = opened(ada, ME, OPEN, OPEN)
        sits(bea, at=path)
        ada.delete(f"{path}/seats/1")
        (mail,) = office.mails("bea")
        link = mail.message["List-Unsubscribe"].strip("<>").partition("/stop/")[2]
        assert Someone(app).post(f"/stop/{link}", data={"List-Unsubscribe": "One-Click"}).status_code == 200
    assert bea.get("/v1/me").json["notifications"]["mails"] == {"sent-away": "off"}


def test_a_warning_skips_the_bundle_if_the_bundle_would_be_too_late(app: Flask, office: Office, ada: Someone) -> None:
    in_half_a_day = f"{clock.now() + DAY / 2:%H}:00"
    ada.patch("/v1/me", {"notifications": {"mails": {"game-closing": "bundled"}, "bundle_at": [in_half_a_day]}})
    short, usual = opened(ada, ME, OPEN, OPEN, open_for="PT1H"), opened(ada, ME, OPEN, OPEN, title="The usual time")
    until(moment(short, ada) - 10 * MINUTE)
    close_due()
    office.delivers()
    assert len(office.mails("ada")) == 1
    until(moment(usual, ada) - 3 * DAY + MINUTE)
    close_due()
    office.delivers()
    later(DAY)
    office.delivers()
    assert (
        "The usual time: there are free seats. The game will close unless it starts by" in office.mails("ada")[-1].text
    )
