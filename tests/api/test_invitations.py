"""Invitations by email and by shared link, and links to return to a seat."""

import re
from collections.abc import Callable
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import Select
from werkzeug.test import TestResponse

from server.games import Json
from server.operations.delete_player import delete_player
from server.operations.exports import copy_of_game
from server.play.seating.seats import return_word
from server.store.tables import LetterRow, SeatRow, db
from tests.api.test_own_account import id_of_player
from tests.support.contract import Someone, is_problem, opened
from tests.support.games import BOT, ME, OPEN, wanted

NEW = "new@example.org"


def invite(who: Someone, path: str, email: str, **more: int | str) -> int:
    answer = who.post(f"{path}/invitations", {"email": email, **more})
    assert answer.status_code == 201, answer.text
    return int(answer.json["seat"])


def mailed(app: Flask, email: str) -> list[str]:
    """The words in all invitations to this address, in the order in which they were sent."""
    with app.app_context():
        query = db.select(LetterRow.data["invitation"].astext).where(LetterRow.data["to"].astext == email)
        return list(db.session.scalars(query.order_by(LetterRow.made_at)))


def has_button(page: TestResponse) -> bool:
    return "<form" in page.text


def kinds(who: Someone, path: str) -> list[str]:
    return [seat["kind"] for seat in who.get(path).json["seats"]]


# By mail


def test_new_players_can_choose_a_display_name_when_they_accept(
    app: Flask, ada: Someone, bea: Someone, stranger: Someone
) -> None:
    path = opened(ada, ME, OPEN, OPEN, OPEN, OPEN)
    names = []
    for email, asks, name in (
        (NEW, True, "Erika"),
        ("newer@example.org", True, ""),
        ("bea@example.org", False, "Another"),
    ):
        seat = invite(ada, path, email)
        (word,) = mailed(app, email)
        assert ('name="name"' in stranger.get(f"/i/{word}").text) is asks
        assert stranger.post(f"/i/{word}", data={"name": name}).status_code == 200
        names.append(ada.get(path).json["seats"][seat]["name"])
    assert names[0] == "Erika"
    assert re.fullmatch("[A-Z][a-z]+ [0-9]{4}", names[1])
    assert names[2] == "bea"


def test_a_seat_is_reserved_and_its_link_token_is_emailed(app: Flask, ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, OPEN, OPEN)
    assert invite(ada, path, NEW) == 1
    assert kinds(ada, path) == ["human", "invited", "open"]
    (word,) = mailed(app, NEW)
    is_problem(bea.post(f"{path}/seats", {"seat": 1}), 409, "seat-taken")
    assert bea.post(f"{path}/seats", {"seat": 1, "invitation": word}).json["you"]["seat"] == 1
    assert NEW not in ada.get(path).text


def test_a_host_sees_only_the_addresses_that_they_have_invited(ada: Someone, bea: Someone, stranger: Someone) -> None:
    path = opened(ada, ME, OPEN, {"email": NEW}, OPEN)
    bea.post(f"{path}/seats", {"seat": 1})
    invite(bea, path, "newer@example.org")
    assert [it["email"] for it in ada.get(f"{path}/invitations").json["items"]] == [NEW, None]
    is_problem(bea.get(f"{path}/invitations"), 403, "not-host")
    is_problem(stranger.get(f"{path}/invitations"), 401, "token-needed")
    for who in (bea, stranger):
        assert NEW not in who.get(path).text
    ada.delete(f"{path}/seats/me")
    is_problem(ada.get(f"{path}/invitations"), 403, "not-host")
    assert [it["email"] for it in bea.get(f"{path}/invitations").json["items"]] == [None, "newer@example.org"]
    invite(bea, path, NEW, seat=2)
    assert bea.get(f"{path}/invitations").json["items"][0] == {"seat": 2, "email": NEW, "name": None}


def test_an_invitation_can_be_sent_again(app: Flask, ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, {"email": "bea@example.org"}, OPEN)
    with app.app_context():
        db.session.execute(db.delete(LetterRow))  # as after sending
        db.session.commit()
    invite(ada, path, "bea@example.org", seat=1)
    assert len(mailed(app, "bea@example.org")) == 1
    assert kinds(ada, path) == ["human", "invited", "open"]


def test_an_invitation_is_sent_again_with_its_greeting(app: Flask, ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, {"email": NEW, "greeting": "Fancy a game?"}, OPEN, OPEN)
    bea.post(f"{path}/seats", {"seat": 2})

    def greeting_after(who: Someone, email: str, **more: str) -> str | None:
        with app.app_context():
            db.session.execute(db.delete(LetterRow))  # as after sending
            db.session.commit()
        invite(who, path, email, seat=1, **more)
        with app.app_context():
            mail, row = db.session.scalars(db.select(LetterRow)).one(), db.session.scalars(_reserved()).one()
            assert mail.data.get("greeting") == row.greeting
            return row.greeting

    assert greeting_after(ada, NEW) == "Fancy a game?"
    assert greeting_after(ada, NEW, greeting="Still free?") == "Still free?"
    assert greeting_after(ada, "newer@example.org") is None
    assert greeting_after(ada, NEW, greeting="You after all?") == "You after all?"
    assert greeting_after(bea, NEW) is None


def _reserved() -> Select[tuple[SeatRow]]:
    return db.select(SeatRow).where(SeatRow.email.is_not(None))


def test_a_greeting_is_deleted_when_its_seat_is_no_longer_reserved(
    app: Flask, ada: Someone, bea: Someone, stranger: Someone
) -> None:
    ended: list[Callable[[str, str], TestResponse]] = [
        lambda path, word: stranger.ask("POST", f"/i/{word}"),
        lambda path, word: ada.delete(f"{path}/invitations/1"),
        lambda path, word: ada.delete(path),
        lambda path, word: (stranger.post(f"/i/{word}/no"), ada.delete(path))[1],
        lambda path, word: (stranger.post(f"/i/{word}/no"), ada.post(f"{path}/invitations", {"email": NEW}))[1],
        lambda path, word: (stranger.post(f"/i/{word}/no"), bea.post(f"{path}/seats", {"seat": 1}))[1],
    ]
    for number, end in enumerate(ended):
        email = f"{number}@example.org"
        path = opened(ada, ME, {"email": email, "greeting": "Fancy a game?"}, OPEN)
        assert end(path, mailed(app, email)[0]).status_code in (200, 201, 204)
        with app.app_context():
            assert db.session.scalars(db.select(SeatRow).where(SeatRow.greeting.is_not(None))).all() == []


@pytest.mark.parametrize(
    "greeting", ["See stars.example", "ada@example.org", "+41 79 123 45 67", "https://x.y", "Call\n079 123\n45 67"]
)
def test_a_greeting_with_a_link_is_rejected(ada: Someone, greeting: str) -> None:
    path = opened(ada, ME, OPEN, OPEN)
    answer = ada.post(f"{path}/invitations", {"email": NEW, "greeting": greeting})
    is_problem(answer, 422, "invalid-field")
    assert answer.json["field"] == "greeting"
    answer = ada.post("/v1/games", wanted(ME, OPEN, {"email": NEW, "greeting": greeting}))
    assert answer.json["field"] == "seats.2.greeting"


def test_only_an_invited_player_can_be_greeted(ada: Someone) -> None:
    answer = ada.post("/v1/games", wanted(ME, OPEN | {"greeting": "Hello"}, OPEN))
    is_problem(answer, 422, "invalid-fields")


def test_an_invited_player_finds_the_game_in_their_list_and_can_decline(ada: Someone, bea: Someone) -> None:
    kept, others = opened(ada, ME, OPEN, OPEN, private=True), opened(ada, ME, OPEN, OPEN)
    invite(ada, kept, "bea@example.org", seat=2)
    invite(ada, others, NEW)
    mine = "/v1/games?mine=true&status=open"
    assert [(it["id"], it["invited"], it["you"]) for it in bea.get(mine).json["items"]] == [
        (kept.rpartition("/")[2], 2, None)
    ]
    assert [it["invited"] for it in ada.get(mine).json["items"]] == [None, None]
    assert bea.get(kept).json["invited"] == 2
    is_problem(bea.delete(f"{others}/invitations/1"), 403, "not-host")
    assert bea.delete(f"{kept}/invitations/2").status_code == 204
    assert kinds(ada, kept) == ["human", "open", "open"]
    assert bea.get(mine).json["items"] == []
    is_problem(bea.get(kept), 404, "not-found")


def test_a_host_sees_a_declined_invitation_until_another_player_is_invited(ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, OPEN, OPEN)

    def declined() -> list[tuple[str, bool, bool]]:
        return [(it["kind"], it["declined"], it["unreachable"]) for it in ada.get(path).json["seats"][1:]]

    invite(ada, path, "bea@example.org", seat=1)
    invite(ada, path, NEW, seat=2)
    bea.delete(f"{path}/invitations/1")
    ada.delete(f"{path}/invitations/2")  # by the host
    assert declined() == [("open", True, False), ("open", False, False)]
    invite(ada, path, NEW, seat=1)
    assert declined() == [("invited", False, False), ("open", False, False)]


def test_an_address_is_case_insensitive(app: Flask, ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, OPEN, OPEN, private=True)
    invite(ada, path, "BEA@Example.org", seat=2)
    assert bea.post(f"{path}/seats").json["you"]["seat"] == 2


def test_the_first_link_becomes_invalid_when_its_seat_is_reserved_for_another_address(
    app: Flask, ada: Someone, bea: Someone, stranger: Someone
) -> None:
    path = opened(ada, ME, OPEN, OPEN, private=True, title="A private night")
    invite(ada, path, NEW, seat=1)
    (old,) = mailed(app, NEW)
    assert bea.get(f"{path}?invitation={old}").status_code == 200
    invite(ada, path, "cyd@example.org", seat=1)
    looks = (path, f"{path}/events", f"{path}/votes", f"{path}/messages", f"{path}/picture.svg")
    for look in looks:
        is_problem(bea.get(f"{look}?invitation={old}"), 404, "not-found")
    is_problem(bea.post(f"{path}/seats", {"invitation": old}), 404, "not-found")
    page = stranger.get(f"/i/{old}")
    assert (page.status_code, has_button(page)) == (409, False)
    assert not any(shown in page.text for shown in ("ada", "A private night"))
    assert stranger.ask("POST", f"/i/{old}").status_code == 409
    (new,) = mailed(app, "cyd@example.org")
    assert has_button(stranger.get(f"/i/{new}"))
    assert bea.post(f"{path}/seats", {"invitation": new}).json["you"]["seat"] == 1


def test_a_link_stays_invalid_after_its_seat_was_taken_and_left(app: Flask, ada: Someone, stranger: Someone) -> None:
    path = opened(ada, ME, OPEN, OPEN)
    invite(ada, path, NEW, seat=1)
    (word,) = mailed(app, NEW)
    stranger.ask("POST", f"/i/{word}")
    Someone(app, "new").delete(f"{path}/seats/me")
    assert kinds(ada, path) == ["human", "open", "open"]
    assert not has_button(stranger.get(f"/i/{word}"))
    assert stranger.ask("POST", f"/i/{word}").status_code == 409


def test_only_seated_players_and_the_host_can_invite(app: Flask, ada: Someone, bea: Someone) -> None:
    path = opened(ada, OPEN, OPEN, BOT)
    invite(ada, path, NEW)
    is_problem(bea.post(f"{path}/invitations", {"email": NEW}), 403, "not-seated")
    bea.post(f"{path}/seats")
    is_problem(bea.post(f"{path}/invitations", {"email": NEW}), 409, "seat-taken")
    invite(bea, path, "another@example.org", seat=0)


def test_a_taken_seat_or_a_running_game_accepts_no_invitations(ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, OPEN, BOT)
    for seat in (0, 2, 7):
        is_problem(ada.post(f"{path}/invitations", {"email": NEW, "seat": seat}), 409, "seat-taken")
    bea.post(f"{path}/seats")
    is_problem(ada.post(f"{path}/invitations", {"email": NEW}), 409, "game-not-running")


# By a word that is passed on


def test_a_private_game_with_free_seats_has_a_link_token_for_its_players(ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, OPEN, BOT, private=True)
    word = ada.get(path).json["invitation"]
    assert bea.get(f"{path}?invitation={word}").json["invitation"] is None
    is_problem(bea.get(f"{path}?invitation={word.upper()}"), 404, "not-found")
    other = opened(ada, ME, OPEN, BOT, private=True)
    is_problem(bea.get(f"{other}?invitation={word}"), 404, "not-found")
    assert bea.post(f"{path}/seats", {"invitation": word}).status_code == 201
    assert ada.get(path).json["invitation"] is None
    assert opened(ada, ME, OPEN, BOT)
    assert ada.get(opened(ada, ME, OPEN, BOT)).json["invitation"] is None


def test_a_games_shared_link_does_not_give_access_to_reserved_seats(ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, {"email": NEW}, BOT, private=True)
    word = ada.get(path).json["invitation"]
    is_problem(bea.post(f"{path}/seats", {"invitation": word}), 409, "seat-taken")


# The page of an invitation


def test_viewing_an_invitation_shows_the_table_without_taking_a_seat(
    app: Flask, ada: Someone, stranger: Someone
) -> None:
    path = opened(ada, ME, {"email": NEW}, BOT, title="<b>Clear</b> & cold")
    (word,) = mailed(app, NEW)
    for _ in range(3):
        page = stranger.get(f"/i/{word}")
        assert (page.status_code, has_button(page)) == (200, True)
        assert "&lt;b&gt;Clear&lt;/b&gt; &amp; cold" in page.text
        assert "ada" in page.text
        assert (NEW in page.text, page.text.count("@")) == (False, 1)  # "n…@example.org"
    assert kinds(ada, path) == ["human", "invited", "bot"]


def test_the_accept_button_takes_the_seat_once_for_the_invited_address(
    app: Flask, ada: Someone, stranger: Someone
) -> None:
    path = opened(ada, ME, {"email": NEW}, BOT)
    (word,) = mailed(app, NEW)
    assert stranger.ask("POST", f"/i/{word}").status_code == 200
    assert Someone(app, "new").get(path).json["you"]["seat"] == 1
    assert stranger.ask("POST", f"/i/{word}").status_code == 409
    page = stranger.get(f"/i/{word}")
    assert (page.status_code, page.headers["Location"]) == (
        302,
        path.replace("/v1/", "/#/") + "?as=n%E2%80%A6%40example.org",
    )


def test_the_page_of_an_invitation_says_who_plays_and_how_long(app: Flask, ada: Someone, stranger: Someone) -> None:
    opened(ada, ME, {"email": NEW}, BOT, clock={"per_move": "P1D"}, title="<b>Clear</b> night")
    page = stranger.get(f"/i/{mailed(app, NEW)[0]}").text
    for line in (
        "<p>“&lt;b&gt;Clear&lt;/b&gt; night”<br>",
        "At the table: ada, you, the bot Greedy",
        "Pace: 1 day per turn",
        "Your time: about",
        "Duration: about",
    ):
        assert line in page


@pytest.mark.parametrize(("others", "line"), [(1, "1 more player is invited"), (2, "2 more players are invited")])
def test_the_page_of_an_invitation_counts_the_other_invited_players(
    app: Flask, ada: Someone, stranger: Someone, others: int, line: str
) -> None:
    more = [{"email": f"other{number}@example.org"} for number in range(others)]
    opened(ada, ME, {"email": NEW}, *more, OPEN)
    page = stranger.get(f"/i/{mailed(app, NEW)[0]}").text
    assert f"At the table: ada, you, an open seat<br>{line}<br>" in page


def test_the_page_of_an_invitation_quotes_the_player_who_sent_it(app: Flask, ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, OPEN, OPEN, OPEN)
    bea.post(f"{path}/seats", {"seat": 1})
    invite(bea, path, "cleo@example.org", seat=2, greeting="It's <b>your</b> sky")
    (word,) = mailed(app, "cleo@example.org")
    quote = "<blockquote>“It&#39;s &lt;b&gt;your&lt;/b&gt; sky”<br>"
    cleo = Someone(app, "cleo")
    page = cleo.get(f"/i/{word}").text
    assert quote in page
    assert "– bea<" in page
    assert "bea invites you to play" in page
    assert cleo.post(f"/v1/players/{id_of_player(bea)}/block").status_code == 204
    assert "<blockquote>" not in cleo.get(f"/i/{word}").text
    cleo.delete(f"/v1/players/{id_of_player(bea)}/block")
    assert quote in cleo.get(f"/i/{word}").text
    with app.app_context():
        delete_player(id_of_player(bea))
        assert db.session.scalars(db.select(SeatRow).where(SeatRow.greeting.is_not(None))).all() == []
    page = cleo.get(f"/i/{word}").text
    assert "<blockquote>" not in page
    assert "ada invites you to play" in page


def test_a_replaced_player_reads_that_someone_else_was_asked(app: Flask, ada: Someone, stranger: Someone) -> None:
    path = opened(ada, ME, {"email": NEW}, OPEN)
    (old,) = mailed(app, NEW)
    invite(ada, path, "other@example.org", seat=1, greeting="Fancy a game?")
    page = stranger.get(f"/i/{old}")
    assert (page.status_code, has_button(page)) == (200, False)
    assert "ada has asked someone else to take this seat." in page.text
    assert "You can still join: the table has a free seat." in page.text
    assert "Fancy a game?" not in page.text
    invite(ada, path, "another@example.org", seat=2)
    page = stranger.get(f"/i/{old}")
    assert "You can still join" not in page.text
    assert "Find another game" in page.text


@pytest.mark.parametrize("seats", [2, 3])
def test_a_replaced_player_reads_that_someone_else_has_the_seat(
    app: Flask, ada: Someone, bea: Someone, stranger: Someone, seats: int
) -> None:
    path = opened(ada, ME, {"email": NEW}, *[OPEN] * (seats - 2), *[BOT] * (3 - seats))
    (old,) = mailed(app, NEW)
    invite(ada, path, "other@example.org", seat=1)
    (new,) = mailed(app, "other@example.org")
    stranger.post(f"/i/{new}", data={"name": "Other"})
    page = stranger.get(f"/i/{old}")
    assert (page.status_code, has_button(page)) == (200, False)
    if seats == 2:
        assert "This game has started." in page.text and "Find another game" in page.text
    else:
        assert "Otherwise, it has been given to someone else." in page.text
        assert "You can still join: the table has a free seat." in page.text


def hidden_fields(page: TestResponse) -> dict[str, str]:
    found = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]+)"', page.text))
    assert found, page.text
    return found


def test_an_invitation_is_declined_with_one_tap_and_the_host_is_told(
    app: Flask, ada: Someone, stranger: Someone
) -> None:
    path = opened(ada, ME, {"email": NEW}, OPEN)
    (word,) = mailed(app, NEW)
    assert f'formaction="/i/{word}/no"' in stranger.get(f"/i/{word}").text
    answer = stranger.post(f"/i/{word}/no")
    assert (answer.status_code, "Invitation declined" in answer.text) == (200, True)
    assert [(it["kind"], it["declined"]) for it in ada.get(path).json["seats"]][1] == ("open", True)
    again = stranger.post(f"/i/{word}/no")
    assert (again.status_code, again.location) == (303, f"/i/{word}")
    page = stranger.get(f"/i/{word}").text
    assert page.count("<form") == page.count('class="undo" hidden') == 1  # shown by the browser that declined


def test_a_declined_invitation_can_be_restored_while_its_seat_is_free(
    app: Flask, ada: Someone, bea: Someone, stranger: Someone
) -> None:
    path = opened(ada, ME, {"email": NEW}, OPEN)
    (word,) = mailed(app, NEW)
    undo = hidden_fields(stranger.post(f"/i/{word}/no"))
    wrong = [{"email": it} for it in ("bea@example.org", "")]
    wrong += [{"declined_at": it} for it in ("yesterday", "", "0001-01-01T00:00+01:00")]
    for it in wrong:
        assert stranger.post(f"/i/{word}/undo", data=undo | it).status_code == 404
    odd = {"declined_at": "2026-11-28T00:00:00+00:00:30.123456"}
    assert stranger.post(f"/i/{word}/undo", data=undo | odd).status_code == 409
    assert stranger.post(f"/i/{word}/undo", data=undo).location == f"/i/{word}"
    assert has_button(stranger.get(f"/i/{word}"))
    assert kinds(ada, path) == ["human", "invited", "open"]
    undo = hidden_fields(stranger.post(f"/i/{word}/no"))
    bea.post(f"{path}/seats", {"seat": 1})
    _expect_taken(stranger.post(f"/i/{word}/undo", data=undo))
    assert kinds(ada, path) == ["human", "human", "open"]


def _expect_taken(answer: TestResponse) -> None:
    assert (answer.status_code, "<h1>Your seat has been taken</h1>" in answer.text) == (409, True), answer.text


def test_undoing_a_decline_after_the_start_says_that_the_seat_has_been_taken(
    app: Flask, ada: Someone, bea: Someone, stranger: Someone
) -> None:
    path = opened(ada, ME, {"email": NEW}, BOT, private=True)
    (word,) = mailed(app, NEW)
    undo = hidden_fields(stranger.post(f"/i/{word}/no"))
    invite(ada, path, "bea@example.org", seat=1)
    assert bea.post(f"{path}/seats").status_code == 201
    assert ada.get(path).json["status"] == "running"
    _expect_taken(stranger.post(f"/i/{word}/undo", data=undo))


def test_exports_contain_the_greetings_that_their_player_wrote(app: Flask, ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, {"email": NEW, "greeting": "Fancy a game?"}, OPEN, OPEN)
    bea.post(f"{path}/seats", {"seat": 2})
    invite(bea, path, "cyd@example.org", seat=3, greeting="You too?")
    game_id = path.rpartition("/")[2]
    copies = [who.get("/v1/me/export") for who in (ada, bea)]
    assert [it.json["invitations"] for it in copies] == [
        [{"game_id": game_id, "seat": 1, "greeting": "Fancy a game?"}],
        [{"game_id": game_id, "seat": 3, "greeting": "You too?"}],
    ]
    assert not [it for it in copies if NEW in it.text or "cyd@example.org" in it.text]
    with app.app_context():
        copy = copy_of_game(UUID(game_id))
    assert [it["greeting"] for it in copy["seats"]] == [None, "Fancy a game?", None, "You too?"]


def test_a_restored_invitation_keeps_its_greeting_unless_its_author_is_deleted(
    app: Flask, ada: Someone, bea: Someone, stranger: Someone
) -> None:
    path = opened(ada, ME, OPEN, OPEN)
    bea.post(f"{path}/seats", {"seat": 1})
    invite(bea, path, NEW, seat=2, greeting="Fancy a game?")
    (word,) = mailed(app, NEW)
    stranger.post(f"/i/{word}/undo", data=hidden_fields(stranger.post(f"/i/{word}/no")))
    assert "<blockquote>“Fancy a game?”" in stranger.get(f"/i/{word}").text
    stranger.post(f"/i/{word}/no")
    bea.delete(f"{path}/seats/1")
    with app.app_context():
        delete_player(id_of_player(bea))
        assert db.session.scalars(db.select(SeatRow).where(SeatRow.greeting.is_not(None))).all() == []


def test_a_declined_invitation_cannot_be_restored_after_another_player_declined_the_seat(
    app: Flask, ada: Someone, stranger: Someone
) -> None:
    path = opened(ada, ME, {"email": NEW}, OPEN)
    (word,) = mailed(app, NEW)
    undo = hidden_fields(stranger.post(f"/i/{word}/no"))
    invite(ada, path, "cyd@example.org", seat=1)
    (of_cyd,) = mailed(app, "cyd@example.org")
    undo_of_cyd = hidden_fields(stranger.post(f"/i/{of_cyd}/no"))
    assert stranger.post(f"/i/{word}/undo", data=undo).status_code == 409
    assert kinds(ada, path) == ["human", "open", "open"]
    assert stranger.post(f"/i/{of_cyd}/undo", data=undo_of_cyd).status_code == 303
    assert kinds(ada, path) == ["human", "invited", "open"]


def test_a_player_who_has_taken_another_seat_cannot_restore_a_declined_invitation(
    app: Flask, ada: Someone, bea: Someone, stranger: Someone
) -> None:
    path = opened(ada, ME, {"email": "bea@example.org"}, OPEN, BOT)
    (word,) = mailed(app, "bea@example.org")
    undo = hidden_fields(stranger.post(f"/i/{word}/no"))
    bea.post(f"{path}/seats", {"seat": 2})
    assert stranger.post(f"/i/{word}/undo", data=undo).status_code == 409
    assert kinds(ada, path) == ["human", "open", "human", "bot"]


def test_an_invitation_that_the_host_withdrew_cannot_be_restored(app: Flask, ada: Someone, stranger: Someone) -> None:
    path = opened(ada, ME, {"email": NEW}, OPEN)
    (word,) = mailed(app, NEW)
    undo = hidden_fields(stranger.post(f"/i/{word}/no"))
    stranger.post(f"/i/{word}/undo", data=undo)
    ada.delete(f"{path}/invitations/1")
    assert stranger.post(f"/i/{word}/undo", data=undo).status_code == 409
    assert kinds(ada, path) == ["human", "open", "open"]


def test_a_shared_link_opens_the_game_on_the_page(ada: Someone, stranger: Someone) -> None:
    path = opened(ada, ME, OPEN, BOT, private=True)
    word = ada.get(path).json["invitation"]
    page = stranger.get(f"/i/{word}")
    assert not has_button(page)
    assert f'href="{path.replace("/v1", "/#")}?invitation={word}"' in page.text


@pytest.mark.parametrize("word", ["nonsense", "a" * 64, "%00", "\u00e4", "a" * 5000])
def test_an_invalid_link_is_rejected(stranger: Someone, word: str) -> None:
    for address in (f"/i/{word}", f"/back/{word}", f"/t/{word}"):
        for method in ("GET", "POST"):
            answer = stranger.ask(method, address)
            assert (answer.status_code, answer.mimetype) == (404, "text/html")


# Coming back


def link_back(app: Flask, game: str) -> str:
    with app.app_context():
        return f"/back/{return_word(UUID(game.rpartition('/')[2]), 1)}"


def stand_ins(who: Someone, path: str) -> Json:
    return {seat["seat"]: seat["stand_in"] for seat in who.get(path).json["seats"] if seat["stand_in"]}


@pytest.mark.parametrize("paused", [False, True])
def test_a_return_link_gives_a_player_the_seat_back_only_when_confirmed(
    app: Flask, ada: Someone, bea: Someone, stranger: Someone, game: str, paused: bool
) -> None:
    if paused:
        for who in (ada, bea):
            who.post(f"{game}/votes", {"on": "pause"})
    link = link_back(app, game)
    assert not has_button(stranger.get(link))
    bea.delete(f"{game}/seats/me")
    for _ in range(2):
        assert has_button(stranger.get(link))
        assert stand_ins(ada, game) == {1: "greedy"}
    assert stranger.ask("POST", link).status_code == 200
    assert stand_ins(ada, game) == {}
    assert stranger.ask("POST", link).status_code == 409
    assert not has_button(stranger.get(link))


def test_a_return_link_opens_only_its_own_seat(
    app: Flask, ada: Someone, bea: Someone, stranger: Someone, game: str
) -> None:
    for who in (ada, bea):
        who.delete(f"{game}/seats/me")
    word = link_back(app, game).rpartition("/")[2]
    assert stranger.get(f"/t/{word}").status_code == 404
    assert stranger.get(f"/i/{word}").status_code == 404
    stranger.ask("POST", f"/back/{word}")
    assert stand_ins(ada, game) == {0: "greedy"}


def test_a_finished_game_has_no_return_link(
    app: Flask, ada: Someone, bea: Someone, stranger: Someone, game: str
) -> None:
    bea.delete(f"{game}/seats/me")
    ada.post(f"{game}/votes", {"on": "abandon"})
    link = link_back(app, game)
    assert not has_button(stranger.get(link))
    over = stranger.ask("POST", link)
    assert (over.status_code, bool(re.search("over", over.text))) == (409, True)


def entered(app: Flask, answer: TestResponse) -> Someone | None:
    """Who is signed in by the page that this button led to."""
    token = re.search(r'name="token" content="([^"]+)"', answer.text)
    return token and Someone(app, token=token[1])


def test_the_invitation_button_signs_the_player_in_once(app: Flask, ada: Someone, stranger: Someone) -> None:
    path = opened(ada, ME, OPEN, OPEN)
    invite(ada, path, NEW)
    (word,) = mailed(app, NEW)
    assert entered(app, stranger.get(f"/i/{word}")) is None
    french, oslo = {"Accept-Language": "fr-CH, en;q=0.5"}, {"zone": "Europe/Oslo"}
    new = entered(app, stranger.post(f"/i/{word}", headers=french, data=oslo))
    assert new is not None
    assert new.get("/v1/me").json.items() >= {"email": NEW, "locale": "fr", **oslo}.items()
    assert new.get(path).json["you"]["seat"] == 1
    assert new.patch("/v1/me", {"name": "Nora"}).status_code == 200
    is_problem(new.post("/v1/tokens"), 403, "missing-scope")  # the mail may have been forwarded
    again = stranger.ask("POST", f"/i/{word}")
    assert (again.status_code, entered(app, again)) == (409, None)


def test_an_invitation_does_not_sign_an_existing_player_in(
    app: Flask, ada: Someone, bea: Someone, stranger: Someone
) -> None:
    path = opened(ada, ME, OPEN, OPEN)
    invite(ada, path, "bea@example.org")
    (word,) = mailed(app, "bea@example.org")
    answer = stranger.post(f"/i/{word}", data={"zone": "Oslo"})
    assert (answer.status_code, bea.get("/v1/me").json["zone"]) == (200, "UTC")
    assert "sp_" not in answer.text
    assert "/exhibition.svg" not in answer.text  # it would look like the game that was joined
    assert entered(app, answer) is None
    assert bea.get(path).json["you"]["seat"] == 1


@pytest.mark.parametrize(
    ("elsewhere", "here"),
    [
        ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-origin"}),
        ({"Origin": "https://elsewhere.example"}, {"Origin": "http://localhost"}),
        ({"Origin": "null"}, {}),
    ],
    ids=["fetch metadata", "origin header", "null origin"],
)
def test_a_page_from_another_origin_cannot_accept_an_invitation(
    elsewhere: dict[str, str], here: dict[str, str], app: Flask, ada: Someone, stranger: Someone
) -> None:
    path = opened(ada, ME, OPEN, OPEN)
    invite(ada, path, NEW)
    (word,) = mailed(app, NEW)
    assert stranger.ask("GET", f"/i/{word}").headers["Referrer-Policy"] == "same-origin"  # or it would send `null`
    answer = stranger.ask("POST", f"/i/{word}", headers=elsewhere)
    assert (answer.status_code, kinds(ada, path)) == (404, ["human", "invited", "open"])
    assert stranger.ask("POST", f"/i/{word}/no", headers=elsewhere).status_code == 404
    assert kinds(ada, path) == ["human", "invited", "open"]
    assert stranger.ask("POST", f"/i/{word}", headers=here).status_code == 200
