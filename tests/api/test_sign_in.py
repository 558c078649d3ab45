"""Signing in over the API: an emailed code returns a token."""

import hashlib
import re
from typing import Any
from uuid import UUID, uuid4

import pytest
from flask import Flask

from server.accounts.tokens import SCOPES
from server.clock import clock
from server.games import Json
from server.store.tables import PlayerLetterRow, SignIn, db
from tests.support.contract import Someone, is_problem, opened
from tests.support.games import HOUR, ME, MINUTE, OPEN


def mailed(app: Flask, sign_in: str) -> Json:
    """What the letter of this sign-in holds."""
    with app.app_context():
        letter = db.session.scalars(db.select(PlayerLetterRow).where(PlayerLetterRow.player_id == UUID(sign_in))).one()
        return letter.data


def wrong(code: str) -> str:
    return f"{(int(code) + 1) % 10**6:06}"


def asked(stranger: Someone, email: str = "new@example.org") -> str:
    response = stranger.post("/v1/sign-ins", {"email": email, "locale": "de"})
    assert response.status_code == 202
    return response.json["sign_in"]


def test_an_emailed_code_returns_a_token_and_creates_an_account(app: Flask, stranger: Someone) -> None:
    sign_in = asked(stranger, "New.Person@Example.org")
    letter = mailed(app, sign_in)
    assert letter["to"] == "new.person@example.org"
    response = stranger.post("/v1/tokens", {"sign_in": sign_in, "code": letter["code"]})
    assert (response.status_code, set(response.json["scopes"])) == (201, set(SCOPES))
    profile = Someone(app, token=response.json["token"]).get("/v1/me").json
    assert profile.items() >= {"email": "new.person@example.org", "named": False, "locale": "de"}.items()


def test_a_new_players_public_name_reveals_nothing_of_their_address(app: Flask) -> None:
    names = []
    for email in ("erika.mustermann@example.org", "vega@example.org"):
        sign_in = asked(Someone(app), email)
        code = mailed(app, sign_in)["code"]
        player = Someone(app, token=Someone(app).post("/v1/tokens", {"sign_in": sign_in, "code": code}).json["token"])
        names.append(player.get("/v1/me").json["name"])
        assert player.get(opened(player, ME, OPEN, OPEN)).json["seats"][0]["name"] == names[-1]
    assert all(re.fullmatch("[A-Z][a-z]+ [0-9]{4}", name) for name in names)
    assert names[0] != names[1]


def test_sending_the_generated_name_counts_as_choosing_it(app: Flask) -> None:
    for name in ("Erika", None):
        sign_in = asked(Someone(app), f"{name}@example.org")
        code = mailed(app, sign_in)["code"]
        player = Someone(app, token=Someone(app).post("/v1/tokens", {"sign_in": sign_in, "code": code}).json["token"])
        before = player.get("/v1/me").json
        assert not player.patch("/v1/me", {"zone": "Europe/Berlin"}).json["named"]
        chosen = name or before["name"]
        assert player.patch("/v1/me", {"name": chosen}).json.items() >= {"name": chosen, "named": True}.items()


def test_signing_in_again_finds_the_same_account(app: Flask, ada: Someone, stranger: Someone) -> None:
    sign_in = asked(stranger, "ADA@example.org")
    token = stranger.post("/v1/tokens", {"sign_in": sign_in, "code": mailed(app, sign_in)["code"]}).json["token"]
    assert Someone(app, token=token).get("/v1/me").json["id"] == ada.get("/v1/me").json["id"]


def test_signing_in_does_not_reveal_whether_an_address_is_registered(ada: Someone, stranger: Someone) -> None:
    known, unknown = (stranger.post("/v1/sign-ins", {"email": f"{name}@example.org"}) for name in ("ada", "nobody"))
    assert (known.status, known.json.keys()) == (unknown.status, unknown.json.keys())


@pytest.mark.parametrize(
    ("sent", "accepted", "spoken"),
    [
        ({}, "de-AT,de;q=0.9,en;q=0.5", "de"),
        ({}, "ja,fr;q=0.8", "fr"),
        ({}, "ja", "en"),
        ({"locale": "it"}, "de", "it"),
    ],
)
def test_a_newcomer_gets_the_code_in_the_browsers_language(
    app: Flask, stranger: Someone, sent: Json, accepted: str, spoken: str
) -> None:
    headers = {"Accept-Language": accepted}
    asked_for = stranger.post("/v1/sign-ins", {"email": "new@example.org", **sent}, headers=headers).json["sign_in"]
    with app.app_context():
        assert db.session.get_one(SignIn, UUID(asked_for)).locale == spoken
    guest = Someone(app, token=stranger.post("/v1/guests", sent, headers=headers).json["token"])
    assert guest.get("/v1/me").json["locale"] == spoken


def test_new_players_and_guests_get_the_time_zone_that_they_send(app: Flask, stranger: Someone) -> None:
    zone = {"zone": "Europe/Berlin"}
    sign_in = stranger.post("/v1/sign-ins", {"email": "new@example.org", **zone}).json["sign_in"]
    code = mailed(app, sign_in)["code"]
    player = Someone(app, token=stranger.post("/v1/tokens", {"sign_in": sign_in, "code": code}).json["token"])
    guest = Someone(app, token=stranger.post("/v1/guests", zone).json["token"])
    assert [it.get("/v1/me").json["zone"] for it in (player, guest)] == ["Europe/Berlin"] * 2
    assert Someone(app, token=stranger.post("/v1/guests", {}).json["token"]).get("/v1/me").json["zone"] == "UTC"


@pytest.mark.parametrize(("chosen", "after"), [(None, "Europe/Berlin"), ("Asia/Tokyo", "Asia/Tokyo"), ("UTC", "UTC")])
def test_an_existing_player_keeps_a_chosen_time_zone(
    app: Flask, ada: Someone, stranger: Someone, chosen: str | None, after: str
) -> None:
    if chosen:
        assert ada.patch("/v1/me", {"zone": chosen}).json["zone"] == chosen
    sign_in = stranger.post("/v1/sign-ins", {"email": "ada@example.org", "zone": "Europe/Berlin"}).json["sign_in"]
    stranger.post("/v1/tokens", {"sign_in": sign_in, "code": mailed(app, sign_in)["code"]})
    assert ada.get("/v1/me").json["zone"] == after


@pytest.mark.parametrize("call", ["/v1/sign-ins", "/v1/guests"])
@pytest.mark.parametrize("zone", ["Mars/Olympus", "", 7, "europe/berlin\n"])
def test_an_unknown_zone_is_rejected(stranger: Someone, call: str, zone: Any) -> None:
    body = {"zone": zone} | ({"email": "new@example.org"} if call == "/v1/sign-ins" else {})
    answer = stranger.post(call, body)
    assert answer.status_code == 422
    assert answer.json["code"] in ("invalid-field", "invalid-fields")
    assert "zone" in answer.text


def test_a_code_allows_five_attempts(app: Flask, stranger: Someone) -> None:
    for wrong_tries, is_good in ((4, True), (5, False)):
        sign_in = asked(stranger)
        code = mailed(app, sign_in)["code"]
        for _ in range(wrong_tries):
            is_problem(stranger.post("/v1/tokens", {"sign_in": sign_in, "code": wrong(code)}), 401, "wrong-code")
        response = stranger.post("/v1/tokens", {"sign_in": sign_in, "code": code})
        assert response.status_code == 201 if is_good else is_problem(response, 401, "wrong-code")


def test_a_code_expires_after_ten_minutes(app: Flask, stranger: Someone) -> None:
    for minutes, is_good in ((9.9, True), (10, False)):
        sign_in = asked(stranger)
        clock.forward(minutes * MINUTE)
        response = stranger.post("/v1/tokens", {"sign_in": sign_in, "code": mailed(app, sign_in)["code"]})
        assert response.status_code == 201 if is_good else is_problem(response, 401, "wrong-code")


def test_a_code_works_once_and_only_for_its_own_sign_in(app: Flask, stranger: Someone) -> None:
    sign_in, other = asked(stranger), asked(stranger)
    code = mailed(app, sign_in)["code"]
    if code != mailed(app, other)["code"]:
        is_problem(stranger.post("/v1/tokens", {"sign_in": other, "code": code}), 401, "wrong-code")
    assert stranger.post("/v1/tokens", {"sign_in": sign_in, "code": code}).status_code == 201
    is_problem(stranger.post("/v1/tokens", {"sign_in": sign_in, "code": code}), 401, "wrong-code")
    is_problem(stranger.post("/v1/tokens", {"sign_in": str(uuid4()), "code": code}), 401, "wrong-code")


def test_a_code_is_stored_as_a_keyed_hash(app: Flask, stranger: Someone) -> None:
    sign_in = asked(stranger)
    code = mailed(app, sign_in)["code"]
    with app.app_context():
        row = db.session.get_one(SignIn, UUID(sign_in))
        assert code.encode() not in row.code_hash
        assert row.code_hash not in [hashlib.sha256(text.encode()).digest() for text in (code, f"{sign_in}/{code}")]


def at_the_full_hour() -> None:
    """Limits count by the hour; a test of them should not run into the next one."""
    clock.forward(HOUR - clock.now().minute * MINUTE)


def letters_to(app: Flask, email: str) -> int:
    with app.app_context():
        return db.session.scalar(
            db.select(db.func.count()).select_from(PlayerLetterRow).where(PlayerLetterRow.data["to"].astext == email)
        )


def test_an_address_gets_five_codes_an_hour_and_the_limit_is_not_revealed(app: Flask, stranger: Someone) -> None:
    at_the_full_hour()
    for _ in range(7):
        asked(stranger, "ada@example.org")
    assert letters_to(app, "ada@example.org") == 5
    clock.forward(HOUR)
    asked(stranger, "ada@example.org")
    assert letters_to(app, "ada@example.org") == 6


@pytest.mark.parametrize(
    "email", ["", "ada", "ada@", "@example.org", "a b@example.org", "ada@example.org\n", "ä@b.org", 7]
)
def test_an_invalid_address_is_rejected(stranger: Someone, email: Any) -> None:
    is_problem(stranger.post("/v1/sign-ins", {"email": email}), 422, "invalid-fields")
