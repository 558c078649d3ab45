"""Unsubscribing with one click and without signing in (RFC 8058), by kind and by game."""

import re
from uuid import UUID

import pytest
from flask import Flask
from flask.testing import FlaskClient

from server.accounts.players import change_profile, profile
from server.accounts.sign_in import begin_sign_in
from server.accounts.unsubscribe import stop_token
from server.play.seating.games import open_game
from server.play.seating.seats import return_word, seat_settings
from server.play.turns.turn_links import turn_word
from tests.post.office import Mail, Office
from tests.support.games import DAY, HOUR, ME, OPEN, everything_due_happens, game_of, later, moves_on, wanted
from tests.support.live_server import AT_ONCE

ONE_CLICK = {"List-Unsubscribe": "One-Click"}


pytestmark = pytest.mark.usefixtures("within")


@pytest.fixture
def web(app: Flask) -> FlaskClient:
    return app.test_client()


def stop_link(mail: Mail) -> str:
    """The path of the address that a mail program would use."""
    link = re.fullmatch(r"<http://127\.0\.0\.1:8000(/stop/[a-z2-7]+)>", mail.message["List-Unsubscribe"])
    assert link
    return link[1]


def header(mail: Mail, name: str) -> bytes:
    """The line of this header, octet for octet."""
    found = re.findall(rb"(?m)^%s: .*\r\n(?![ \t])" % name.encode(), mail.raw.partition(b"\r\n\r\n")[0] + b"\r\n")
    assert len(found) == 1
    line: bytes = found[0]
    return line


# What the mails say


def test_an_email_about_a_game_tells_mail_programs_how_to_unsubscribe(ada: UUID, bea: UUID, office: Office) -> None:
    game_id = game_of(ada, bea, bots=1)
    (mail,) = office.mails("ada")
    word = stop_token("your-turn", str(ada), game_id)
    link = f"http://127.0.0.1:8000/stop/{word}"
    assert header(mail, "List-Unsubscribe") == f"List-Unsubscribe: <{link}>\r\n".encode()
    assert header(mail, "List-Unsubscribe-Post") == b"List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"
    assert header(mail, "Auto-Submitted") == b"Auto-Submitted: auto-generated\r\n"
    assert f"\nFewer emails: {link}\n" in mail.text
    assert f'<a href="{link}">Fewer emails</a>' in mail.page


def test_invitations_and_bundles_tell_mail_programs_how_to_unsubscribe(ada: UUID, bea: UUID, office: Office) -> None:
    change_profile(ada, {"notifications": {"mails": {"your-turn": "bundled"}}})
    long = "x" * 60 + "@" + ".".join(["y" * 60] * 3) + ".org"
    game_of(ada, bea, bots=1, clock={"per_move": "P9D"})
    open_game(bea, wanted(ME, {"email": long}, OPEN))
    office.delivers()
    later(DAY)
    (bundle,), (invitation,) = office.mails("ada"), office.mails_to(long)
    for mail in (bundle, invitation):
        assert header(mail, "List-Unsubscribe") == b"List-Unsubscribe: " + _links(mail)[0] + b"\r\n"
        assert header(mail, "List-Unsubscribe-Post") == b"List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"


def _links(mail: Mail) -> list[bytes]:
    return [f"<{link}>".encode() for link in re.findall(r"Fewer emails: (http\S+)", mail.text)]


def test_a_sign_in_code_has_no_unsubscribe_link(office: Office) -> None:
    begin_sign_in("ada@example.org", "en", None)
    (mail,) = office.mails("ada")
    assert b"List-Unsubscribe" not in mail.raw
    assert "Fewer emails" not in mail.text


# What stops them


def test_viewing_the_unsubscribe_page_stops_nothing(ada: UUID, bea: UUID, office: Office, web: FlaskClient) -> None:
    game_id = game_of(ada, bea, bots=1, title="A clear night")
    link = stop_link(office.mails("ada")[0])
    for method in (web.get, web.head):
        assert method(link).status_code == 200
    assert "Stop emails about A clear night" in web.get(link).text
    assert seat_settings(game_id, ada)["mails"] is None
    assert profile(ada)["notifications"] == {}


def test_one_click_stops_the_emails_about_that_game(ada: UUID, bea: UUID, office: Office, web: FlaskClient) -> None:
    for who in (ada, bea):
        change_profile(who, {"notifications": AT_ONCE})
    game_id, other = game_of(ada, bea, bots=1), game_of(ada, bea, bots=1)
    link = next(stop_link(mail) for mail in office.mails("ada") if str(game_id) in mail.text)
    answer = web.post(link, data=ONE_CLICK)
    assert answer.status_code == 200
    assert "Set-Cookie" not in answer.headers
    assert seat_settings(game_id, ada)["mails"] == "off"
    for each in (game_id, other):
        moves_on(each, ada)
        office.delivers()
        moves_on(each, bea)
    everything_due_happens()
    assert len(office.mails("ada")) == 3
    assert len(office.mails("bea")) == 2


def test_one_click_also_works_as_multipart_form_data(ada: UUID, bea: UUID, office: Office, web: FlaskClient) -> None:
    game_id = game_of(ada, bea, bots=1)
    assert (
        web.post(stop_link(office.mails("ada")[0]), data=ONE_CLICK, content_type="multipart/form-data").status_code
        == 200
    )
    assert seat_settings(game_id, ada)["mails"] == "off"


def test_the_unsubscribe_page_stops_one_kind_of_email_for_all_games_and_the_others_continue(
    ada: UUID, bea: UUID, office: Office, web: FlaskClient
) -> None:
    game_of(ada, bea, bots=1)
    link = stop_link(office.mails("ada")[0])
    assert "You no longer get emails when it's your turn" in web.post(link, data={"what": "kind"}).text
    assert profile(ada)["notifications"]["mails"] == {"your-turn": "off"}
    game_of(ada, bea, bots=1)
    assert len(office.mails("ada")) == 1
    later(DAY + HOUR)
    everything_due_happens()
    assert len(office.mails("ada")) == 3


def test_stopped_emails_can_be_resumed(ada: UUID, bea: UUID, office: Office, web: FlaskClient) -> None:
    change_profile(ada, {"notifications": {"reminders": ["half"], "mails": {"game-paused": "off"}}})
    game_id = game_of(ada, bea, bots=1)
    link = stop_link(office.mails("ada")[0])
    for what in ("game", "kind"):
        web.post(link, data={"what": what})
        assert "Send these emails again" in web.get(link).text
        web.post(link, data={"what": what, "again": "yes"})
    assert "Send these emails again" not in web.get(link).text
    assert seat_settings(game_id, ada)["mails"] is None
    assert profile(ada)["notifications"] == {"reminders": ["half"], "mails": {"game-paused": "off"}}


def test_a_person_without_an_account_can_stop_invitations(ada: UUID, office: Office, web: FlaskClient) -> None:
    open_game(ada, wanted(ME, {"email": "cyd@example.org"}, OPEN))
    link = stop_link(office.mails("cyd")[0])
    assert web.get(link).status_code == 200
    web.post(link, data=ONE_CLICK)
    open_game(ada, wanted(ME, {"email": "cyd@example.org"}, OPEN))
    assert len(office.mails("cyd")) == 1


def test_one_click_unsubscribe_in_a_bundle_stops_bundles(
    ada: UUID, bea: UUID, office: Office, web: FlaskClient
) -> None:
    change_profile(ada, {"notifications": {"mails": {"your-turn": "bundled"}}})
    game_of(ada, bea, bots=1, clock={"per_move": "P9D"})
    office.delivers()
    later(DAY)
    web.post(stop_link(office.mails("ada")[0]), data=ONE_CLICK)
    game_of(ada, bea, bots=1, clock={"per_move": "P9D"})
    office.delivers()
    later(DAY)
    assert len(office.mails("ada")) == 1


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_invalid_link_token_stops_nothing(ada: UUID, bea: UUID, web: FlaskClient, method: str) -> None:
    game_id = game_of(ada, bea, bots=1)
    word = stop_token("your-turn", str(ada), game_id)
    for forged in (word[:-1], "a" + word[1:], turn_word(game_id, 0, 1), return_word(game_id, 0), "a"):
        assert web.open(f"/stop/{forged}", method=method).status_code == 404
    assert seat_settings(game_id, ada)["mails"] is None
