"""The API, call by call: who may, what comes back, and what every wrong request is told.

Each answer is also held against the OpenAPI document (tests/support/contract.py).
"""

import hashlib
import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Any
from uuid import UUID, uuid4

import pytest
from flask import Flask

from server.accounts.tokens import SCOPES
from server.api import problems
from server.app import create_app
from server.clock import clock
from server.config import Settings
from server.play.idempotency import forget_old_answers
from server.rules import GAMES, Json, sternenhimmel
from server.store.tables import PlayerLetterRow, SignIn, Token, db
from tests.support.contract import JSON, PROBLEM, Someone, is_problem, opened, refusal
from tests.support.games import BOT, DAY, HOUR, ME, MINUTE, OPEN, everything_due_happens, service_is_up, wanted

MOVE = {"star": "1", "board": "leo", "space": "a"}


@pytest.fixture
def ada(app: Flask) -> Someone:
    return Someone(app, "ada")


@pytest.fixture
def bea(app: Flask) -> Someone:
    return Someone(app, "bea")


@pytest.fixture
def stranger(app: Flask) -> Someone:
    return Someone(app)


@pytest.fixture
def game(ada: Someone, bea: Someone) -> str:
    """The path of a running game: ada, bea, and a bot; ada is on turn."""
    path = opened(ada, ME, OPEN, BOT)
    bea.post(f"{path}/seats")
    return path


def first_move(who: Someone, game: str) -> Json:
    """A request that plays the first of somebody's legal moves."""
    open_now = who.get(f"{game}/legal-moves").json
    return {"turn": open_now["turn"], "move": open_now["moves"][0]}


def worker_sweeps(app: Flask) -> None:
    with app.app_context():
        service_is_up()
        everything_due_happens()


# Signing in


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


def test_a_mailed_code_gets_a_token_and_makes_an_account(app: Flask, stranger: Someone) -> None:
    sign_in = asked(stranger, "New.Person@Example.org")
    letter = mailed(app, sign_in)
    assert letter["to"] == "new.person@example.org"
    response = stranger.post("/v1/tokens", {"sign_in": sign_in, "code": letter["code"]})
    assert (response.status_code, set(response.json["scopes"])) == (201, set(SCOPES))
    profile = Someone(app, token=response.json["token"]).get("/v1/me").json
    assert profile.items() >= {"email": "new.person@example.org", "named": False, "locale": "de"}.items()


def test_what_others_see_of_a_new_player_says_nothing_of_his_address(app: Flask) -> None:
    names = []
    for email in ("erika.mustermann@example.org", "vega@example.org"):
        sign_in = asked(Someone(app), email)
        code = mailed(app, sign_in)["code"]
        player = Someone(app, token=Someone(app).post("/v1/tokens", {"sign_in": sign_in, "code": code}).json["token"])
        names.append(player.get("/v1/me").json["name"])
        assert player.get(opened(player, ME, OPEN, OPEN)).json["seats"][0]["name"] == names[-1]
    assert all(re.fullmatch("[A-Z][a-z]+ [0-9]{4}", name) for name in names)
    assert names[0] != names[1]


def test_a_name_is_chosen_once_it_is_sent_though_it_is_the_one_that_was_made_up(app: Flask) -> None:
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


def test_whether_somebody_is_known_is_not_told(ada: Someone, stranger: Someone) -> None:
    known, unknown = (stranger.post("/v1/sign-ins", {"email": f"{name}@example.org"}) for name in ("ada", "nobody"))
    assert (known.status, known.json.keys()) == (unknown.status, unknown.json.keys())


def test_a_code_is_good_for_five_tries(app: Flask, stranger: Someone) -> None:
    for wrong_tries, is_good in ((4, True), (5, False)):
        sign_in = asked(stranger)
        code = mailed(app, sign_in)["code"]
        for _ in range(wrong_tries):
            is_problem(stranger.post("/v1/tokens", {"sign_in": sign_in, "code": wrong(code)}), 401, "wrong-code")
        response = stranger.post("/v1/tokens", {"sign_in": sign_in, "code": code})
        assert response.status_code == 201 if is_good else is_problem(response, 401, "wrong-code")


def test_a_code_is_good_for_ten_minutes(app: Flask, stranger: Someone) -> None:
    for minutes, is_good in ((9.9, True), (10, False)):
        sign_in = asked(stranger)
        clock.forward(minutes * MINUTE)
        response = stranger.post("/v1/tokens", {"sign_in": sign_in, "code": mailed(app, sign_in)["code"]})
        assert response.status_code == 201 if is_good else is_problem(response, 401, "wrong-code")


def test_a_code_is_good_once_and_for_its_own_sign_in(app: Flask, stranger: Someone) -> None:
    sign_in, other = asked(stranger), asked(stranger)
    code = mailed(app, sign_in)["code"]
    if code != mailed(app, other)["code"]:
        is_problem(stranger.post("/v1/tokens", {"sign_in": other, "code": code}), 401, "wrong-code")
    assert stranger.post("/v1/tokens", {"sign_in": sign_in, "code": code}).status_code == 201
    is_problem(stranger.post("/v1/tokens", {"sign_in": sign_in, "code": code}), 401, "wrong-code")
    is_problem(stranger.post("/v1/tokens", {"sign_in": str(uuid4()), "code": code}), 401, "wrong-code")


def test_a_code_is_kept_as_a_hash_that_nobody_else_can_make(app: Flask, stranger: Someone) -> None:
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


def test_an_address_gets_five_codes_an_hour_and_nobody_is_told_that_it_gets_no_more(
    app: Flask, stranger: Someone
) -> None:
    at_the_full_hour()
    for _ in range(7):
        asked(stranger, "ada@example.org")
    assert letters_to(app, "ada@example.org") == 5
    clock.forward(HOUR)
    asked(stranger, "ada@example.org")
    assert letters_to(app, "ada@example.org") == 6


def test_a_sender_may_ask_for_thirty_codes_an_hour(app: Flask, stranger: Someone) -> None:
    at_the_full_hour()
    for n in range(30):
        asked(stranger, f"reader{n}@example.org")
    refused = stranger.post("/v1/sign-ins", {"email": "one-more@example.org"})
    is_problem(refused, 429, "too-many-requests")
    assert 0 < int(refused.headers["Retry-After"]) <= 3600
    assert letters_to(app, "one-more@example.org") == 0
    other = {"REMOTE_ADDR": "192.0.2.7"}
    assert stranger.post("/v1/sign-ins", {"email": "other@example.org"}, environ_overrides=other).status_code == 202
    clock.forward(HOUR)
    asked(stranger, "one-more@example.org")


def test_load_tests_may_switch_the_limits_off(app: Flask, stranger: Someone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(app.config, "LIMITS", False)
    for _ in range(31):
        asked(stranger, "ada@example.org")
    assert letters_to(app, "ada@example.org") == 31


@pytest.mark.parametrize(
    "email", ["", "ada", "ada@", "@example.org", "a b@example.org", "ada@example.org\n", "ä@b.org", 7]
)
def test_what_is_no_address_is_refused(stranger: Someone, email: Any) -> None:
    is_problem(stranger.post("/v1/sign-ins", {"email": email}), 422, "invalid-fields")


# Tokens


def test_tokens_are_kept_as_hashes(app: Flask, ada: Someone) -> None:
    secret = ada.token.split("_", 2)[2]
    with app.app_context():
        (row,) = db.session.scalars(db.select(Token))
        assert row.token_hash == hashlib.sha256(secret.encode()).digest()


@pytest.mark.parametrize(
    "header",
    [
        "Bearer",
        "Bearer ",
        "Bearer nonsense",
        "Bearer sp_" + 32 * "0" + "_" + 43 * "A",
        "Bearer \xfc",
        "Bearer sp_\u0660",
    ],
)
def test_what_is_nobodys_token_is_not_valid(stranger: Someone, header: str) -> None:
    sent = {"Authorization": header.encode("utf-8").decode("latin-1")}
    response = stranger.get("/v1/me", headers=sent)
    is_problem(response, 401, "bad-token")
    assert response.headers["WWW-Authenticate"] == "Bearer"
    is_problem(stranger.get("/v1/games", headers=sent), 401, "bad-token")


def test_a_token_is_good_for_its_own_player_only(app: Flask, ada: Someone, bea: Someone) -> None:
    _, _, secret = ada.token.split("_", 2)
    _, player, _ = bea.token.split("_", 2)
    is_problem(Someone(app, token=f"sp_{player}_{secret}").get("/v1/me"), 401, "bad-token")
    is_problem(Someone(app, token=ada.token[:-1]).get("/v1/me"), 401, "bad-token")
    is_problem(Someone(app, token=ada.token + "A").get("/v1/me"), 401, "bad-token")


def test_the_word_bearer_may_be_written_in_any_case(ada: Someone) -> None:
    assert ada.get("/v1/me", headers={"Authorization": f"bearer {ada.token}"}).status_code == 200
    is_problem(ada.get("/v1/me", headers={"Authorization": f"Basic {ada.token}"}), 401, "token-needed")


def test_without_a_token_one_is_asked_for(stranger: Someone) -> None:
    response = stranger.get("/v1/me")
    is_problem(response, 401, "token-needed")
    assert response.headers["WWW-Authenticate"] == "Bearer"


def further(app: Flask, who: Someone, **wanted: Any) -> Someone:
    response = who.post("/v1/tokens", wanted)
    assert response.status_code == 201, response.text
    return Someone(app, token=response.json["token"])


def test_a_further_token_has_the_scopes_asked_for_or_those_of_its_maker(app: Flask, ada: Someone) -> None:
    assert set(ada.post("/v1/tokens", {}).json["scopes"]) == set(SCOPES)
    assert ada.post("/v1/tokens", {"name": "reader", "scopes": ["games:read"]}).json["scopes"] == ["games:read"]
    assert ada.post("/v1/tokens", {"scopes": []}).json["scopes"] == []


def test_a_further_token_cannot_have_more_scopes_than_its_maker(app: Flask, ada: Someone) -> None:
    maker = further(app, ada, scopes=["games:read", "tokens:write"])
    is_problem(maker.post("/v1/tokens", {"scopes": ["moves:write"]}), 403, "missing-scope")
    assert set(maker.post("/v1/tokens", {}).json["scopes"]) == {"games:read", "tokens:write"}
    is_problem(further(app, ada, scopes=["games:read"]).post("/v1/tokens", {}), 403, "missing-scope")


def test_a_token_ends_when_its_time_is_over(app: Flask, ada: Someone) -> None:
    token = further(app, ada, expires_at=(clock.now() + HOUR).isoformat())
    assert token.get("/v1/me").status_code == 200
    clock.forward(HOUR)
    is_problem(token.get("/v1/me"), 401, "bad-token")
    is_problem(ada.post("/v1/tokens", {"expires_at": clock.now().isoformat()}), 422, "invalid-field")


def test_a_further_token_does_not_outlive_its_maker(app: Flask, ada: Someone) -> None:
    token = further(app, further(app, ada, expires_at=(clock.now() + HOUR).isoformat()))
    clock.forward(2 * HOUR)
    is_problem(token.get("/v1/me"), 401, "bad-token")


@pytest.mark.parametrize(
    "expires_at", ["9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59", "2999-01-01T00:00:00+00:00:00.000001"]
)
def test_a_time_at_the_edge_of_the_calendar_is_refused_or_kept_but_breaks_nothing(
    app: Flask, ada: Someone, expires_at: str
) -> None:
    response = ada.post("/v1/tokens", {"expires_at": expires_at})
    if response.status_code == 201:
        assert Someone(app, token=response.json["token"]).get("/v1/me").status_code == 200
    else:
        assert response.status_code == 422


@pytest.mark.parametrize(
    "body",
    [
        {"sign_in": str(uuid4())},
        {"code": "123456"},
        {"sign_in": str(uuid4()), "code": "123456", "name": "both"},
        {"sign_in": str(uuid4()), "code": "12345"},
        {"sign_in": str(uuid4()), "code": "1234567"},
        {"sign_in": str(uuid4()), "code": "\u0661\u0662\u0663\u0664\u0665\u0666"},
        {"sign_in": "nonsense", "code": "123456"},
        {"name": ""},
        {"scopes": ["everything"]},
        {"scopes": "games:read"},
        {"expires_at": "tomorrow"},
        {"expires_at": "2999-01-01T00:00:00"},
    ],
)
def test_a_request_for_a_token_that_makes_no_sense_is_refused(ada: Someone, body: Json) -> None:
    is_problem(ada.post("/v1/tokens", body), 422, "invalid-fields")


# Each call needs its scope

NOBODYS_ID = "00000000-0000-0000-0000-000000000000"
GAME, WEBHOOK = f"/v1/games/{NOBODYS_ID}", f"/v1/webhooks/{NOBODYS_ID}"
CALLS: list[tuple[str, str, Any, str]] = [
    ("GET", "/v1/me", None, "profile:read"),
    ("PATCH", "/v1/me", {}, "profile:write"),
    ("GET", "/v1/me/deliveries", None, "profile:read"),
    ("GET", "/v1/me/feed", None, "profile:read"),
    ("POST", "/v1/me/feed", None, "profile:write"),
    ("DELETE", "/v1/me/feed", None, "profile:write"),
    ("POST", "/v1/tokens", {}, "tokens:write"),
    ("GET", "/v1/tokens", None, "tokens:write"),
    ("DELETE", "/v1/tokens", None, "tokens:write"),
    ("DELETE", f"/v1/tokens/{NOBODYS_ID}", None, "tokens:write"),
    ("POST", "/v1/games", wanted(ME, OPEN, OPEN), "games:write"),
    ("GET", "/v1/games?mine=true", None, "games:read"),
    ("GET", "/v1/games?my_turn=true", None, "games:read"),
    ("PATCH", GAME, {"open_for": "P14D"}, "games:write"),
    ("DELETE", GAME, None, "games:write"),
    ("DELETE", f"{GAME}/invitations/1", None, "games:write"),
    ("DELETE", f"{GAME}/seats/1", None, "games:write"),
    ("POST", f"{GAME}/seats", {}, "games:write"),
    ("GET", f"{GAME}/seats/me", None, "games:read"),
    ("POST", f"{GAME}/seats/me/tokens", {}, "tokens:write"),
    ("PATCH", f"{GAME}/seats/me", {"mails": "off"}, "games:write"),
    ("DELETE", f"{GAME}/seats/me", None, "games:write"),
    ("POST", f"{GAME}/invitations", {"email": "a@b.org"}, "games:write"),
    ("POST", f"{GAME}/votes", {"on": "pause"}, "games:write"),
    ("POST", f"{GAME}/messages", {"text": "hello"}, "chat:write"),
    ("POST", f"{GAME}/moves", {"turn": 1, "move": MOVE}, "moves:write"),
    ("POST", f"{GAME}/moves?dry_run=true", {"turn": 1, "move": MOVE}, "moves:write"),
    ("GET", f"{GAME}/legal-moves", None, "games:read"),
    ("POST", f"{GAME}/legal-moves", {"begun": []}, "games:read"),
    ("GET", "/v1/stream", None, "games:read"),
    ("POST", "/v1/webhooks", {"url": "https://stars.example/", "kinds": ["your-turn"]}, "webhooks:manage"),
    ("GET", "/v1/webhooks", None, "webhooks:manage"),
    ("GET", WEBHOOK, None, "webhooks:manage"),
    ("PATCH", WEBHOOK, {"enabled": True}, "webhooks:manage"),
    ("DELETE", WEBHOOK, None, "webhooks:manage"),
    ("POST", f"{WEBHOOK}/secret", None, "webhooks:manage"),
    ("POST", f"{WEBHOOK}/pings", None, "webhooks:manage"),
    ("GET", f"{WEBHOOK}/deliveries", None, "webhooks:manage"),
    ("GET", f"{WEBHOOK}/deliveries/{NOBODYS_ID}", None, "webhooks:manage"),
    ("POST", f"{WEBHOOK}/deliveries/{NOBODYS_ID}/tries", None, "webhooks:manage"),
]
LOOKS = ("events", "votes", "messages", "archive", "picture.svg", "picture.png", "stream")
OPEN_CALLS = ["/v1/games", GAME, *(f"{GAME}/{look}" for look in LOOKS)]


@pytest.mark.parametrize(("method", "path", "body", "scope"), CALLS)
def test_a_call_needs_a_token_with_its_scope(
    app: Flask, ada: Someone, stranger: Someone, method: str, path: str, body: Any, scope: str
) -> None:
    is_problem(stranger.ask(method, path, body), 401, "token-needed")
    others = further(app, ada, scopes=[other for other in SCOPES if other != scope])
    refused = others.ask(method, path, body)
    is_problem(refused, 403, "missing-scope")
    assert refused.json["scope"] == scope
    just_this = further(app, ada, scopes=[scope])
    assert just_this.ask(method, path, body).status_code in (200, 201, 204, 404)


@pytest.mark.parametrize("path", OPEN_CALLS)
def test_anybody_may_look_but_a_token_that_is_sent_must_allow_it(
    app: Flask, ada: Someone, stranger: Someone, path: str
) -> None:
    assert stranger.get(path).status_code in (200, 404)
    is_problem(further(app, ada, scopes=["moves:write"]).get(path), 403, "missing-scope")


def test_every_call_that_takes_a_token_is_in_one_of_these_lists(app: Flask) -> None:
    names = {
        GAME: "/v1/games/{game_id}",
        f"/tokens/{NOBODYS_ID}": "/tokens/{token_id}",
        WEBHOOK: "/v1/webhooks/{webhook_id}",
        f"/{NOBODYS_ID}": "/{delivery_id}",
        "/invitations/1": "/invitations/{seat}",
        "/seats/1": "/seats/{seat}",
    }
    listed = {(method, path.partition("?")[0]) for method, path, _, _ in CALLS} | {("GET", path) for path in OPEN_CALLS}
    for there, path in names.items():
        listed = {(method, it.replace(there, path)) for method, it in listed}
    described = {
        (method.upper(), path)
        for path, item in app.extensions["document"].to_dict()["paths"].items()
        for method, operation in item.items()
        if method != "parameters" and operation.get("security") != []
    }
    assert listed | {("DELETE", "/v1/tokens/current")} == described  # revoking takes no scope


# The profile


def test_a_profile_is_changed_field_by_field(ada: Someone) -> None:
    before = ada.get("/v1/me").json
    calendar = {"night": "22:00-08:00", "days_off": [7], "vacations": [{"from": "2027-07-01", "to": "2027-07-14"}]}
    changes: list[Json] = [
        {"name": "Ada L."},
        {"locale": "fr"},
        {"zone": "Europe/Paris"},
        {"calendar": calendar},
        {"notifications": {"reminders": ["PT1H"], "mails": {"your-turn": "bundled"}, "bundle_at": ["07:30"]}},
        {"notifications": {"reminders": []}},  # as a whole: what is left out goes back to its default
    ]
    for change in changes:
        assert ada.patch("/v1/me", change).json.items() >= change.items()
    after = ada.get("/v1/me").json
    assert after == before | {name: value for change in changes for name, value in change.items()}
    assert ada.patch("/v1/me", {}).json == after


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"name": ""}, "invalid-fields"),
        ({"name": "\u200b"}, "invalid-field"),
        ({"name": None}, "invalid-fields"),
        ({"locale": "es"}, "invalid-fields"),
        ({"zone": "Mars/Olympus"}, "invalid-field"),
        ({"zone": "../../etc/passwd"}, "invalid-field"),
        ({"calendar": {"night": "20:00-19:00"}}, "invalid-field"),
        ({"calendar": {"days_off": [1, 2, 3, 4]}}, "invalid-field"),
        ({"calendar": {"days_off": [True]}}, "invalid-field"),
        ({"calendar": {"moon": "full"}}, "invalid-field"),
        ({"calendar": []}, "invalid-fields"),
        ({"notifications": {"reminders": ["soon"]}}, "invalid-field"),
        ({"notifications": {"pigeons": []}}, "invalid-field"),
        ({"notifications": {"mails": {"your-turn": "sometimes"}}}, "invalid-field"),
        ({"notifications": {"mails": {"sign-in-code": "off"}}}, "invalid-field"),
        ({"notifications": {"mails": {"invitation": "bundled"}}}, "invalid-field"),
        ({"notifications": {"mails": {"your-turn": ["off"]}}}, "invalid-field"),
        ({"notifications": {"mails": []}}, "invalid-field"),
        ({"notifications": {"bundle_at": []}}, "invalid-field"),
        ({"notifications": {"bundle_at": ["24:00"]}}, "invalid-field"),
        ({"notifications": {"bundle_at": ["8:00"]}}, "invalid-field"),
        ({"notifications": {"bundle_at": [f"0{hour}:00" for hour in range(7)]}}, "invalid-field"),
        ({"email": "other@example.org"}, "invalid-fields"),
        ({"id": str(uuid4())}, "invalid-fields"),
    ],
)
def test_a_profile_keeps_what_cannot_be_changed_so(ada: Someone, change: Json, code: str) -> None:
    before = ada.get("/v1/me").json
    is_problem(ada.patch("/v1/me", change), 422, code)
    assert ada.get("/v1/me").json == before


# Rules


def test_the_rules_tell_a_client_all_it_needs(stranger: Someone) -> None:
    assert stranger.get("/v1/rules").json["items"] == [stranger.get(f"/v1/rules/{name}").json for name in GAMES]
    rules = stranger.get("/v1/rules/sternenhimmel").json
    assert rules == json.loads(json.dumps(sternenhimmel.describe()))
    for unknown in ("chess", "Sternenhimmel", "%00", "..", "sternenhimmel%2F"):
        is_problem(stranger.get(f"/v1/rules/{unknown}"), 404, "not-found")


# Games and seats


def test_an_opened_game_is_found_at_its_address(ada: Someone, stranger: Someone) -> None:
    response = ada.post("/v1/games", wanted(ME, {"email": "bea@example.org"}, OPEN, BOT, title="A clear night"))
    game = response.json
    assert (response.status_code, response.headers["Location"]) == (201, f"/v1/games/{game['id']}")
    assert (game["status"], game["version"], game["title"]) == ("open", 0, "A clear night")
    assert (game["you"], game["view"], game["outcome"]) == ({"seat": 0, "turn": None}, None, None)
    assert [seat["kind"] for seat in game["seats"]] == ["human", "invited", "open", "bot"]
    assert [seat["name"] for seat in game["seats"]] == ["ada", None, None, "greedy"]
    assert stranger.get(f"/v1/games/{game['id']}").json == game | {"you": None, "hosting": False}


def test_addresses_of_people_are_shown_to_nobody_else(ada: Someone, bea: Someone, stranger: Someone) -> None:
    path = opened(ada, ME, {"email": "cyd@example.org"}, OPEN)
    bea.post(f"{path}/seats")
    for who in (ada, bea, stranger):
        for shown in (path, f"{path}/events", "/v1/games"):
            assert "@" not in who.get(shown).text


def test_taking_and_giving_up_a_seat(ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, OPEN, OPEN)
    response = bea.post(f"{path}/seats", {"seat": 2, "salt": "of bea"})
    assert (response.status_code, response.json["you"]) == (201, {"seat": 2, "turn": None})
    is_problem(bea.post(f"{path}/seats"), 409, "already-seated")
    left = bea.delete(f"{path}/seats/me")
    assert (left.status_code, left.data) == (204, b"")
    is_problem(bea.delete(f"{path}/seats/me"), 403, "not-seated")
    is_problem(bea.post(f"{path}/seats", {"seat": 0}), 409, "seat-taken")
    assert bea.post(f"{path}/seats").json["you"]["seat"] == 1


def test_what_is_chosen_of_a_games_mails_is_seen_by_its_player_alone(ada: Someone, bea: Someone, game: str) -> None:
    assert ada.get(f"{game}/seats/me").json == {"seat": 0, "mails": None}
    assert ada.patch(f"{game}/seats/me", {"mails": "bundled"}).json == {"seat": 0, "mails": "bundled"}
    assert ada.get(f"{game}/seats/me").json == {"seat": 0, "mails": "bundled"}
    assert "bundled" not in bea.get(game).text
    is_problem(ada.patch(f"{game}/seats/me", {"mails": "sometimes"}), 422, "invalid-fields")
    assert ada.patch(f"{game}/seats/me", {"mails": None}).json == {"seat": 0, "mails": None}


def test_resigning_and_coming_back(app: Flask, ada: Someone, bea: Someone, game: str) -> None:
    move = first_move(ada, game)
    assert ada.delete(f"{game}/seats/me").status_code == 204
    assert ada.get(game).json["seats"][0]["stand_in"] == "greedy"
    is_problem(ada.post(f"{game}/moves", move), 409, "seat-handed-over")
    assert ada.post(f"{game}/seats").json["seats"][0]["stand_in"] is None
    assert ada.post(f"{game}/moves", move).status_code == 201


def test_an_earlier_version_of_a_game_can_be_looked_at(app: Flask, ada: Someone, bea: Someone, game: str) -> None:
    seen = [ada.get(f"{game}?at=0").json, ada.get(game).json]
    for who in (ada, bea):
        who.post(f"{game}/moves", first_move(who, game))
        seen.append(ada.get(game).json)
    for version, then in enumerate(seen):
        now = ada.get(f"{game}?at={version}").json
        assert now["version"] == version
        assert (now["view"], now["you"], now["status"]) == (then["view"], then["you"], then["status"])
    is_problem(ada.get(f"{game}?at={len(seen)}"), 404, "not-found")


def test_a_seat_is_kept_for_whoever_is_invited(app: Flask, ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, OPEN, OPEN)
    assert ada.post(f"{path}/invitations", {"email": "BEA@example.org"}).json == {"seat": 1}
    assert ada.post(f"{path}/invitations", {"email": "bea@example.org", "seat": 1}).status_code == 201
    is_problem(bea.post(f"{path}/invitations", {"email": "x@example.org"}), 403, "not-seated")
    assert bea.post(f"{path}/seats").json["you"]["seat"] == 1
    is_problem(ada.post(f"{path}/invitations", {"email": "cyd@example.org", "seat": 1}), 409, "seat-taken")


# Moves


def test_a_move_is_answered_with_201_and_the_very_same_with_200_and_the_same_bytes(ada: Someone, game: str) -> None:
    move = first_move(ada, game)
    first = ada.post(f"{game}/moves", move)
    again = ada.post(f"{game}/moves", move)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.data == first.data
    assert first.json["you"] == {"seat": 0, "turn": None}


def test_another_move_for_a_turn_that_is_over_is_stale(app: Flask, ada: Someone, bea: Someone, game: str) -> None:
    move = first_move(ada, game)
    other = move | {"move": ada.get(f"{game}/legal-moves").json["moves"][1]}
    ada.post(f"{game}/moves", move)
    response = ada.post(f"{game}/moves", other)
    is_problem(response, 409, "stale-turn")
    assert response.json["turn"] is None
    bea.post(f"{game}/moves", first_move(bea, game))
    worker_sweeps(app)
    assert ada.post(f"{game}/moves", other).json["turn"] == 4


def test_what_the_rules_forbid_is_told_with_their_reason(ada: Someone, bea: Someone, game: str) -> None:
    move = first_move(ada, game)
    for change, reason in (
        ({"space": "zz"}, "unknown-space"),
        ({"board": "nowhere"}, "board-not-in-play"),
    ):
        response = ada.post(f"{game}/moves", move | {"move": move["move"] | change})
        is_problem(response, 422, "illegal-move")
        assert response.json["reason"] == reason
    ada.post(f"{game}/moves", move)
    taken = bea.post(f"{game}/moves", {"turn": 2, "move": move["move"]})
    assert taken.json["reason"] == "space-taken"


@pytest.mark.parametrize("move", [[], "7 leo c", 7, {}, MOVE | {"star": 1}, MOVE | {"more": 1}, {"star": "1"}])
def test_what_is_no_move_is_malformed(ada: Someone, game: str, move: Any) -> None:
    is_problem(ada.post(f"{game}/moves", {"turn": 1, "move": move}), 422, "malformed-move")


def test_a_dry_run_changes_nothing_and_foresees_what_the_move_does(ada: Someone, game: str) -> None:
    move, before = first_move(ada, game), ada.get(game).data
    dry = ada.post(f"{game}/moves?dry_run=true", move)
    assert dry.status_code == 200
    assert (dry.json["would_reveal"], dry.json["would"][0]["type"]) == (False, "star-placed")
    assert ada.get(game).data == before
    real = ada.post(f"{game}/moves", move).json
    assert real["view"] == dry.json["view"]
    is_problem(ada.post(f"{game}/moves?dry_run=true", move), 409, "stale-turn")


def test_legal_moves_are_for_the_seat_on_turn(ada: Someone, bea: Someone, game: str) -> None:
    mine = ada.get(f"{game}/legal-moves").json
    assert mine["turn"] == 1
    assert len(mine["moves"]) > 50
    assert bea.get(f"{game}/legal-moves").json == {"turn": None, "moves": []}
    assert ada.post(f"{game}/legal-moves", {"begun": []}).json == mine
    assert ada.post(f"{game}/legal-moves", {"begun": [mine["moves"][0]]}).json == {"turn": 1, "moves": []}
    is_problem(ada.post(f"{game}/legal-moves", {"begun": ["nonsense"]}), 422, "malformed-move")
    is_problem(ada.post(f"{game}/legal-moves", {"begun": [MOVE | {"space": "zz"}]}), 422, "illegal-move")


def test_the_story_goes_on_after_the_event_that_one_knows(ada: Someone, bea: Someone, game: str) -> None:
    ada.post(f"{game}/moves", first_move(ada, game))
    story = bea.get(f"{game}/events").json["items"]
    assert [item["type"] for item in story] == ["game-started", *["board-dealt"] * 3, "star-placed"]
    assert [item["seq"] for item in story] == [1, 3, 4, 5, 6]  # the second, the order of the boards, is told to nobody
    assert bea.get(f"{game}/events?after={story[2]['seq']}").json["items"] == story[3:]
    assert bea.get(f"{game}/events?after=999").json["items"] == []


# Votes and messages


def test_all_consent_to_a_pause(ada: Someone, bea: Someone, stranger: Someone, game: str) -> None:
    move = first_move(ada, game)
    assert ada.post(f"{game}/votes", {"on": "pause", "vote": True}).json == {"pause": [0], "resume": [], "abandon": []}
    assert stranger.get(f"{game}/votes").json["pause"] == [0]
    bea.post(f"{game}/votes", {"on": "pause"})
    assert ada.get(game).json["status"] == "paused"
    is_problem(ada.post(f"{game}/moves", move), 409, "game-not-running")
    is_problem(ada.post(f"{game}/votes", {"on": "pause"}), 409, "game-not-running")
    is_problem(Someone.ask(ada, "POST", f"{game}/votes", {"on": "midnight"}), 422, "invalid-fields")


def test_what_is_said_at_a_table_can_be_read_in_order(ada: Someone, bea: Someone, stranger: Someone, game: str) -> None:
    for who, text in ((ada, "Good evening!"), (bea, "Hello\u202e\n\tada")):
        assert who.post(f"{game}/messages", {"text": text}).status_code == 201
    said = stranger.get(f"{game}/messages").json["items"]
    assert [(it["nr"], it["seat"], it["name"]) for it in said] == [(1, 0, "ada"), (2, 1, "bea")]
    assert "\u202e" not in said[1]["text"]
    assert stranger.get(f"{game}/messages?after=1").json["items"] == said[1:]
    assert stranger.get(f"{game}/messages?limit=1").json["items"] == said[:1]
    is_problem(ada.post(f"{game}/messages", {"text": "\u200b\n"}), 422, "invalid-field")
    is_problem(ada.post(f"{game}/messages", {"text": "x" * 2001}), 422, "invalid-fields")


# Private games


def private_calls(path: str) -> list[tuple[str, str, Any]]:
    return [(method, call.replace(GAME, path), body) for method, call, body, _ in CALLS if call.startswith(GAME)] + [
        ("GET", call.replace(GAME, path), None) for call in OPEN_CALLS if call.startswith(GAME)
    ]


def test_a_private_game_answers_strangers_as_an_unknown_id_does(app: Flask, ada: Someone, bea: Someone) -> None:
    word = "aaaa"
    private = opened(ada, ME, OPEN, OPEN, private=True)
    queries = ["", "?at=0", "?at=99", f"?invitation={word}"]
    calls = private_calls(private)
    calls += [("GET", f"{private}{query}", None) for query in queries]
    calls += [("POST", f"{private}/seats", {"invitation": word}), ("POST", f"{private}/seats", {"seat": 0})]
    for who in (bea, Someone(app)):
        for method, path, body in calls:
            there = who.ask(method, path, body)
            nowhere = who.ask(method, path.replace(private, GAME), body)
            assert (there.status, refusal(there)) == (nowhere.status, refusal(nowhere)), f"{method} {path}"
            assert there.status_code in (401, 404)


def test_a_private_game_is_reached_by_the_word_that_its_players_pass_on(app: Flask, ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, OPEN, BOT, private=True)
    word = ada.get(path).json["invitation"]
    assert bea.get(f"{path}?invitation={word}").json["you"] is None
    assert bea.post(f"{path}/seats", {"invitation": word}).json["you"]["seat"] == 1
    assert bea.get(path).status_code == 200
    assert Someone(app).get("/v1/games").json["items"] == []
    assert [item["private"] for item in bea.get("/v1/games?mine=true").json["items"]] == [True]


# Lists


def walk(who: Someone, url: str | None, between: Callable[[], Any] = lambda: None) -> list[str]:
    """The ids on all pages, one page after the other."""
    found = []
    while url:
        page = who.get(url)
        found += [item["id"] for item in page.json["items"]]
        url = page.json["next"]
        assert len(found) < 100, "these pages never end"
        assert page.headers.get("Link") == (url and f'<{url}>; rel="next"')
        between()
    return found


@pytest.mark.usefixtures("no_limits")
@pytest.mark.parametrize("query", ["", "mine=true&", "status=open&", "rules=sternenhimmel&mine=true&"])
def test_pages_have_no_gap_and_no_repeat_while_games_are_opened_meanwhile(ada: Someone, query: str) -> None:
    ids = [opened(ada, ME, OPEN, OPEN).rpartition("/")[2] for _ in range(7)]
    found = walk(ada, f"/v1/games?{query}limit=2", between=lambda: opened(ada, ME, OPEN, OPEN))
    assert found == ids[::-1]


def test_lists_are_of_games_that_are_public_mine_or_wait_for_me(
    app: Flask, ada: Someone, bea: Someone, game: str
) -> None:
    private = opened(bea, ME, OPEN, OPEN, private=True).rpartition("/")[2]
    public = opened(bea, ME, OPEN, OPEN).rpartition("/")[2]
    running = game.rpartition("/")[2]
    everybody = Someone(app)
    assert walk(everybody, "/v1/games") == walk(ada, "/v1/games") == [public, running]
    assert walk(everybody, "/v1/games?status=running") == [running]
    assert walk(everybody, "/v1/games?status=finished") == []
    assert walk(bea, "/v1/games?mine=true") == [public, private, running]
    assert walk(bea, "/v1/games?mine=true&status=open") == [public, private]
    assert (walk(ada, "/v1/games?my_turn=true"), walk(bea, "/v1/games?my_turn=true")) == ([running], [])
    ada.delete(f"{game}/seats/me")
    assert walk(ada, "/v1/games?my_turn=true") == []


def test_a_lobby_chooses_among_open_games_those_with_room_for_me_and_for_so_many_players(
    ada: Someone, bea: Someone, game: str, stranger: Someone
) -> None:
    invited = {"email": "cleo@example.org"}
    kept, of_three, of_four, private = (
        opened(ada, ME, *seats, private=private).rpartition("/")[2]
        for *seats, private in (
            [invited, BOT, False],
            [OPEN, invited, False],
            [OPEN, BOT, OPEN, False],
            [OPEN, OPEN, OPEN, True],
        )
    )
    assert walk(stranger, "/v1/games?free=true") == [of_four, of_three]
    assert walk(stranger, "/v1/games?players=3") == [of_three, kept]
    assert walk(stranger, "/v1/games?players=3&free=true&rules=sternenhimmel") == [of_three]
    assert walk(stranger, "/v1/games?players=4&rules=sternenglanz") == []
    assert walk(ada, "/v1/games?players=4&mine=true") == [private, of_four]
    for query in ("players=2", "players=3&status=running", "free=true&my_turn=true", "free=true&mine=true"):
        assert walk(bea, f"/v1/games?{query}") == []


@pytest.mark.usefixtures("no_limits")
def test_a_page_of_the_lobby_is_full_however_many_other_games_lie_between(ada: Someone, stranger: Someone) -> None:
    ids = []
    for _ in range(4):
        ids.append(opened(ada, ME, OPEN, BOT, OPEN).rpartition("/")[2])
        for others in ([OPEN, BOT], [{"email": "cleo@example.org"}, BOT, BOT], [BOT, BOT, BOT]):
            opened(ada, ME, *others)
    sizes: list[int] = []
    url = "/v1/games?free=true&players=4&limit=2"
    assert walk(stranger, url) == walk(ada, f"{url}&mine=true") == ids[::-1]
    while url:
        page = stranger.get(url).json
        sizes, url = [*sizes, len(page["items"])], page["next"]
    assert sizes == [2, 2]


def test_a_game_in_a_list_is_told_as_by_itself_to_each_viewer(
    app: Flask, ada: Someone, bea: Someone, stranger: Someone, game: str
) -> None:
    def told() -> list[Json | None]:
        for who in (ada, bea, stranger):
            (item,) = who.get("/v1/games").json["items"]
            assert item.items() <= who.get(game).json.items()
        return [who.get("/v1/games").json["items"][0]["you"] for who in (ada, bea, stranger)]

    assert told() == [{"seat": 0, "turn": 1}, {"seat": 1, "turn": None}, None]
    for who in (ada, bea):
        who.post(f"{game}/votes", {"on": "pause"})
    assert told() == [{"seat": 0, "turn": None}, {"seat": 1, "turn": None}, None]
    for who in (ada, bea):
        who.post(f"{game}/votes", {"on": "resume"})
    ada.delete(f"{game}/seats/me")
    assert told()[0] == {"seat": 0, "turn": None}
    (mine,) = bea.get("/v1/games?mine=true").json["items"]
    assert mine["you"] == bea.get(game).json["you"]


SOME_ID = "0123456789abcdef0123456789abcdef"  # a test that is named by chance cannot be found again


def cursor_of(*parts: Any) -> str:
    return urlsafe_b64encode(json.dumps(parts).encode()).decode()


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "nonsense",
        "\u00e4",
        "AAAA",
        cursor_of(),
        cursor_of("2026-11-21T00:00:00+00:00"),
        cursor_of("2026-11-21T00:00:00", SOME_ID),
        cursor_of("2026-11-21T00:00:00+00:00", "x"),
        cursor_of("2026-11-21T00:00:00+00:00", 7),
        cursor_of(7, SOME_ID),
        cursor_of("0001-01-01T00:00:00+23:59", SOME_ID),
        cursor_of("9999-12-31T23:59:59-23:59", SOME_ID),
        cursor_of("2026-11-21T00:00:00+00:00:00.000001", SOME_ID),
        cursor_of("2026-11-21T00:00:00+00:00", SOME_ID, 1),
        urlsafe_b64encode(b"[" * 20_000).decode(),
        urlsafe_b64encode(b'{"a": 1, "b": 2}').decode(),
    ],
)
def test_a_forged_cursor_is_refused_or_harmless(ada: Someone, cursor: str) -> None:
    for query in ("", "mine=true&"):
        response = ada.get(f"/v1/games?{query}cursor={cursor}")
        assert response.status_code in (200, 400, 422)


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=101", "limit=x", "limit=1.5", "status=old", "mine=yes", "mine=1", "mine=True", "color=red"]
    + ["free=1", "players=1", "players=6", "players=three"],
)
def test_a_query_that_makes_no_sense_is_refused(ada: Someone, query: str) -> None:
    is_problem(ada.get(f"/v1/games?{query}"), 422, "invalid-fields")


# Requests that come again


def keyed(key: str) -> dict[str, str]:
    return {"Idempotency-Key": key}


def test_a_game_opened_twice_with_one_key_is_one_game(app: Flask, ada: Someone, bea: Someone) -> None:
    body = wanted(ME, OPEN, OPEN)
    first, again = (ada.post("/v1/games", body, headers=keyed("night-1")) for _ in range(2))
    assert (first.status, first.data) == (again.status, again.data)
    assert first.headers["Location"] == again.headers["Location"]
    assert ada.post("/v1/games", body, headers=keyed("night-2")).json["id"] != first.json["id"]
    assert bea.post("/v1/games", body, headers=keyed("night-1")).json["id"] != first.json["id"]
    assert len(walk(ada, "/v1/games?mine=true")) == 2


def test_a_key_stands_for_one_request(ada: Someone, bea: Someone, game: str) -> None:
    said = {"text": "Once."}
    first = ada.post(f"{game}/messages", said, headers=keyed("a"))
    assert ada.post(f"{game}/messages", said, headers=keyed("a")).data == first.data
    is_problem(ada.post(f"{game}/messages", {"text": "Twice."}, headers=keyed("a")), 422, "idempotency-key-reused")
    is_problem(ada.post(f"{game}/votes", {"on": "pause"}, headers=keyed("a")), 422, "idempotency-key-reused")
    assert bea.post(f"{game}/messages", said, headers=keyed("a")).json["nr"] == 2


def test_a_key_is_kept_for_seven_days(app: Flask, ada: Someone, game: str) -> None:
    for days, numbers in ((0, [1]), (6.9, [1]), (0.2, [1, 2])):
        clock.forward(days * DAY)
        with app.app_context():
            forget_old_answers(timedelta(days=7))
        ada.post(f"{game}/messages", {"text": "Hello?"}, headers=keyed("a"))
        assert [item["nr"] for item in ada.get(f"{game}/messages").json["items"]] == numbers


def test_a_move_with_a_key_gets_its_first_answer_again_with_its_status(ada: Someone, game: str) -> None:
    move = first_move(ada, game)
    first, again = (ada.post(f"{game}/moves", move, headers=keyed("m")) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.data == again.data


def test_a_request_that_was_refused_leaves_its_key_free(ada: Someone, game: str) -> None:
    move = first_move(ada, game)
    bad = move | {"move": move["move"] | {"space": "zz"}}
    is_problem(ada.post(f"{game}/moves", bad, headers=keyed("m")), 422, "illegal-move")
    assert ada.post(f"{game}/moves", move, headers=keyed("m")).status_code == 201


@pytest.mark.parametrize("key", ["", "x" * 201, "\xfc", "a\tb"])
def test_a_key_is_visible_ascii(ada: Someone, game: str, key: str) -> None:
    is_problem(ada.post(f"{game}/messages", {"text": "Hello"}, headers=keyed(key)), 400, "malformed-request")


# ETags


def test_what_has_not_changed_is_not_sent_again(ada: Someone, bea: Someone, game: str) -> None:
    for path in (game, f"{game}/events", f"{game}/legal-moves", "/v1/games", "/v1/me", "/v1/rules"):
        etag = ada.get(path).headers["ETag"]
        same = ada.get(path, headers={"If-None-Match": etag})
        assert (same.status_code, same.data) == (304, b"")
    etag = ada.get(game).headers["ETag"]
    assert bea.get(game, headers={"If-None-Match": etag}).status_code == 200
    ada.post(f"{game}/moves", first_move(ada, game))
    assert ada.get(game, headers={"If-None-Match": etag}).status_code == 200


# The strict reader


def body_of(depth: int) -> bytes:
    """A request to read legal moves, nested so deep."""
    return b'{"begun": ' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


BAD_BODIES: dict[str, tuple[bytes, int, str]] = {
    "nothing": (b"", 422, "invalid-fields"),
    "a space": (b" ", 400, "malformed-request"),
    "not JSON": (b"begun=[]", 400, "malformed-request"),
    "more than one value": (b'{"begun": []} {}', 400, "malformed-request"),
    "a comma too many": (b'{"begun": [],}', 400, "malformed-request"),
    "single quotes": (b"{'begun': []}", 400, "malformed-request"),
    "a comment": (b'{"begun": [] /* none */}', 400, "malformed-request"),
    "a key twice": (b'{"begun": [], "begun": []}', 400, "malformed-request"),
    "a key twice, once escaped": (b'{"begun": [], "beg\\u0075n": []}', 400, "malformed-request"),
    "a key twice further in": (b'{"begun": [{"star": "1", "star": "7"}]}', 400, "malformed-request"),
    "NaN": (b'{"begun": [NaN]}', 400, "malformed-request"),
    "Infinity": (b'{"begun": [Infinity]}', 400, "malformed-request"),
    "-Infinity": (b'{"begun": [-Infinity]}', 400, "malformed-request"),
    "1e999": (b'{"begun": [1e999]}', 400, "malformed-request"),
    "-1e999": (b'{"begun": [-1e999]}', 400, "malformed-request"),
    "5,000 digits": (b'{"begun": [' + b"7" * 5000 + b"]}", 400, "malformed-request"),
    "5,000 digits after the point": (b'{"begun": [0.' + b"7" * 5000 + b"]}", 400, "malformed-request"),
    "an exponent of 5,000 digits": (b'{"begun": [1e' + b"9" * 5000 + b"]}", 400, "malformed-request"),
    "2**53": (b'{"begun": [9007199254740992]}', 400, "malformed-request"),
    "a leading zero": (b'{"begun": [01]}', 400, "malformed-request"),
    "nesting 21": (body_of(21), 400, "malformed-request"),
    "nesting 30,000": (body_of(30_000), 400, "malformed-request"),
    "NUL escaped": (b'{"begun": ["\\u0000"]}', 400, "malformed-request"),
    "NUL in a key": (b'{"begun": [{"a\\u0000": 1}]}', 400, "malformed-request"),
    "NUL as it is": (b'{"begun": ["\0"]}', 400, "malformed-request"),
    "NUL between": (b'{"begun": \0[]}', 400, "malformed-request"),
    "half a character": (b'{"begun": ["\\ud83d"]}', 400, "malformed-request"),
    "the other half": (b'{"begun": ["\\ude00"]}', 400, "malformed-request"),
    "both halves the wrong way round": (b'{"begun": ["\\ude00\\ud83d"]}', 400, "malformed-request"),
    "half a character in UTF-8": (b'{"begun": ["\xed\xa0\xbd"]}', 400, "malformed-request"),
    "Latin-1": (b'{"begun": ["\xfc"]}', 400, "malformed-request"),
    "an overlong slash": (b'{"begun": ["\xc0\xaf"]}', 400, "malformed-request"),
    "UTF-16": ('{"begun": []}'.encode("utf-16"), 400, "malformed-request"),
    "a byte order mark": (b'\xef\xbb\xbf{"begun": []}', 400, "malformed-request"),
    "64 KiB and a byte": (b'{"begun": []}'.ljust(64 * 1024 + 1), 413, "body-too-large"),
    "a list": (b'["begun"]', 422, "invalid-fields"),
    "a text": (b'"begun"', 422, "invalid-fields"),
    "null": (b"null", 422, "invalid-fields"),
    "a number": (b"7", 422, "invalid-fields"),
    "a field that is missing": (b"{}", 422, "invalid-fields"),
    "a field too many": (b'{"begun": [], "more": 1}', 422, "invalid-fields"),
    "another type": (b'{"begun": {}}', 422, "invalid-fields"),
    "nesting 20": (body_of(20), 422, "malformed-move"),
    "a whole character in two halves": (b'{"begun": ["\\ud83d\\ude00"]}', 422, "malformed-move"),
    "15 digits": (b'{"begun": [999999999999999]}', 422, "malformed-move"),
}


@pytest.mark.parametrize("name", BAD_BODIES)
def test_a_body_that_is_not_plainly_right_is_refused(ada: Someone, game: str, name: str) -> None:
    body, status, code = BAD_BODIES[name]
    is_problem(ada.post(f"{game}/legal-moves", data=body, content_type=JSON), status, code)


def test_64_kib_and_nesting_20_are_read(ada: Someone, game: str) -> None:
    assert ada.post(f"{game}/legal-moves", data=b'{"begun": []}'.ljust(64 * 1024), content_type=JSON).status_code == 200


@pytest.mark.parametrize(
    "content_type", [None, "", "text/plain", "application/x-www-form-urlencoded", "application/jsonp"]
)
def test_a_body_is_declared_as_json(ada: Someone, game: str, content_type: str | None) -> None:
    response = ada.post(f"{game}/legal-moves", data=b'{"begun": []}', content_type=content_type)
    is_problem(response, 415, "unsupported-media-type")


def test_a_character_set_may_be_named(ada: Someone, game: str) -> None:
    sent = {"data": b'{"begun": []}', "content_type": "application/json; charset=utf-8"}
    assert ada.post(f"{game}/legal-moves", **sent).status_code == 200


@pytest.mark.parametrize("turn", ["1", True, 1.0, 1.5, None, [1], {}, -1, 2**31, 10**14])
def test_a_turn_is_a_whole_number_and_nothing_that_looks_like_one(ada: Someone, game: str, turn: Any) -> None:
    is_problem(ada.post(f"{game}/moves", {"turn": turn, "move": MOVE}), 422, "invalid-fields")


@pytest.mark.parametrize(
    "change",
    [
        {"private": "true"},
        {"private": 1},
        {"private": 0},
        {"private": None},
        {"title": 7},
        {"title": ""},
        {"rules": "chess"},
        {"rules": 7},
        {"options": []},
        {"clock": "P2D"},
        {"on_timeout": {}},
        {"on_timeout": ["extend"]},
        {"seats": []},
        {"seats": [ME] * 21},
        {"seats": {}},
        {"seats": [ME, {"open": 1}, OPEN]},
        {"seats": [ME, {"open": "true"}, OPEN]},
        {"seats": [ME, {"open": False}, OPEN]},
        {"seats": [ME, {"open": True, "bot": "greedy"}, OPEN]},
        {"seats": [ME, {}, OPEN]},
        {"seats": [ME, None, OPEN]},
        {"seats": [ME, {"player": "you"}, OPEN]},
        {"seats": [ME, {"bot": 7}, OPEN]},
        {"seats": [ME, {"email": "nobody"}, OPEN]},
        {"seats": [ME, {"open": True, "more": 1}, OPEN]},
        {"id": str(uuid4())},
        {"seed": "00"},
    ],
)
def test_no_type_is_taken_for_another_and_no_unknown_field_at_all(ada: Someone, change: Json) -> None:
    is_problem(ada.post("/v1/games", wanted(ME, OPEN, OPEN) | change), 422, "invalid-fields")
    assert walk(ada, "/v1/games?mine=true") == []


@pytest.mark.parametrize(
    "body", [{"seat": "1"}, {"seat": True}, {"seat": 1.0}, {"salt": 7}, {"salt": "x" * 201}, {"x": 1}]
)
def test_so_it_is_with_seats(ada: Someone, bea: Someone, body: Json) -> None:
    is_problem(bea.post(f"{opened(ada, ME, OPEN, OPEN)}/seats", body), 422, "invalid-fields")


# Every problem has its code


def test_every_problem_has_a_page_that_its_type_leads_to(app: Flask) -> None:
    client = app.test_client()
    for code in problems.ALL:
        assert client.get(f"/problems/{code}").status_code == 200
    assert client.get("/problems/none").status_code == 404


def test_a_game_that_is_not_running_is_told_so(ada: Someone) -> None:
    path = opened(ada, ME, OPEN, OPEN)
    is_problem(ada.post(f"{path}/moves", {"turn": 0, "move": MOVE}), 409, "game-not-running")


def test_an_option_that_the_game_does_not_have(ada: Someone) -> None:
    response = ada.post("/v1/games", wanted(ME, OPEN))
    is_problem(response, 422, "bad-option")
    assert response.json["reason"] == "bad-seats"


def test_a_field_that_makes_no_sense_is_named(ada: Someone) -> None:
    response = ada.post("/v1/games", wanted(ME, OPEN, OPEN, clock={"per_move": "P1Y"}))
    is_problem(response, 422, "invalid-field")
    assert response.json["field"] == "clock"


def test_fields_that_are_not_right_are_named(ada: Someone) -> None:
    response = ada.post("/v1/games", {"rules": "sternenhimmel", "seats": [ME, {"open": 1}], "more": 1})
    assert response.json["errors"]["json"].keys() == {"seats", "more"}
    assert ada.get("/v1/games?limit=0&more=1").json["errors"]["query"].keys() == {"limit", "more"}


def test_a_format_that_we_do_not_have_is_not_acceptable(stranger: Someone) -> None:
    is_problem(stranger.get("/v1/games", headers={"Accept": "application/xml"}), 406, "not-acceptable")
    for accept in ("*/*", "application/*;q=0.1, text/html", "application/json"):
        assert stranger.get("/v1/games", headers={"Accept": accept}).status_code == 200


def test_a_database_that_does_not_answer_is_no_fault_of_the_request(open_directory: Any) -> None:
    url = f"postgresql://nobody@:5432/nothing?host={open_directory}"
    app = create_app(Settings.from_environment({"DATABASE_URL": url}))
    client = app.test_client()
    token = {"Authorization": "Bearer sp_" + "0" * 32 + "_" + "A" * 43}
    answers = [
        client.get("/v1/games"),
        client.get(GAME),
        client.get("/v1/me", headers=token),
        client.post("/v1/sign-ins", json={"email": "ada@example.org"}),
        client.post(f"{GAME}/moves", json={"turn": 1, "move": MOVE}, headers=token),
    ]
    for response in answers:
        is_problem(response, 503, "unavailable")
        assert int(response.headers["Retry-After"]) > 0


def test_a_fault_of_ours_is_a_problem_too_and_tells_nothing(
    app: Flask, ada: Someone, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> None:
        raise RuntimeError("secret inner thing")

    monkeypatch.setattr("server.api.players.profile", fails)
    response = ada.get("/v1/me")
    is_problem(response, 500, "internal-error")
    assert "secret" not in response.text


# Never HTML, never a bare error


METHODS = {"GET", "HEAD", "OPTIONS", "TRACE", "POST", "PUT", "PATCH", "DELETE"}


def test_a_method_that_is_not_for_an_address_is_told_those_that_are(app: Flask, ada: Someone) -> None:
    for path, item in app.extensions["document"].to_dict()["paths"].items():
        described = {method.upper() for method in item if method != "parameters"}
        there = re.sub(r"\{\w+_id\}", str(uuid4()), path).replace("{name}", "sternenhimmel").replace("{seat}", "1")
        for method in METHODS - described - ({"HEAD"} if "GET" in described else set()):
            response = ada.ask(method, there)
            assert response.status_code == 405
            assert response.mimetype == PROBLEM
            assert described <= set(response.headers["Allow"].split(", ")) <= described | {"HEAD"}


NOWHERE = [
    "/v1/",
    "/v1//games",
    "/v1/games/",
    "/v1/nothing",
    "/v1/games/nonsense",
    f"{GAME}/nothing",
    f"{GAME}/",
    f"{GAME}//moves",
    "/v1/games/%00",
    "/v1/games/..%2f..",
    "/v1/games/\u00e4",
    "/v1/rules/a/b",
    "/v1/" + "x" * 5000,
]


@pytest.mark.parametrize("path", NOWHERE)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_an_address_that_does_not_exist_is_a_problem_and_no_page(app: Flask, path: str, method: str) -> None:
    response = app.test_client().open(path, method=method)
    assert (response.status_code, response.mimetype) == (404, PROBLEM)


ODD_VALUES: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    10**14,
    "",
    "x",
    "\u202e\U0001f30c",
    "x" * 3000,
    [],
    [[]],
    {},
    {"a": {}},
]


def test_odd_requests_of_all_kinds_are_answered_and_never_break_anything(app: Flask, ada: Someone, game: str) -> None:
    rng = Random(7)
    bodies: list[Json] = [
        wanted(ME, OPEN, BOT),
        {"turn": 1, "move": MOVE},
        {"begun": [MOVE]},
        {"seat": 1, "salt": "", "invitation": "a"},
        {"sign_in": str(uuid4()), "code": "000000"},
        {"name": "n", "scopes": [], "expires_at": "2999-01-01T00:00:00Z"},
        {"name": "n", "locale": "de", "zone": "UTC", "calendar": {}, "notifications": {}},
        {"on": "pause", "vote": False},
        {"text": "hello"},
        {"email": "a@b.org", "seat": None},
    ]
    paths = [path for path in app.extensions["document"].to_dict()["paths"] if path != "/v1/sign-ins"]
    for _ in range(400):
        body = dict(rng.choice(bodies))
        for _ in range(rng.randrange(3)):
            body[rng.choice(list(body))] = rng.choice(ODD_VALUES)
        path = rng.choice(paths).replace("/v1/games/{game_id}", game).replace("{name}", "sternenhimmel")
        query = rng.choice(["", "?at=1", "?after=-1", "?limit=99999999999999999999", "?cursor=e30", "?dry_run=true"])
        response = ada.ask(rng.choice(["GET", "POST", "PATCH"]), path + query, body)
        assert response.status_code < 500, f"{response.request.method} {path}{query} {body}"
        assert response.mimetype in (JSON, PROBLEM, "text/event-stream") or response.mimetype.startswith("image/")


def test_a_token_can_be_revoked_at_once(app: Flask, ada: Someone) -> None:
    bot = further(app, ada, name="bot", scopes=["games:read"])
    assert bot.get("/v1/games?mine=true").status_code == 200
    assert bot.ask("DELETE", "/v1/tokens/current").status_code == 204
    is_problem(bot.get("/v1/games?mine=true"), 401, "bad-token")
    assert ada.get("/v1/me").status_code == 200
