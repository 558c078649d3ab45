"""Bearer tokens over the API: owner, scopes and expiry."""

import hashlib
from uuid import uuid4

import pytest
from flask import Flask

from server.accounts.tokens import SCOPES
from server.clock import clock
from server.games import Json
from server.store.tables import Token, db
from tests.support.api_calls import further
from tests.support.contract import Someone, is_problem
from tests.support.games import HOUR

# Tokens


def test_tokens_are_stored_as_hashes(app: Flask, ada: Someone) -> None:
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
def test_an_unknown_token_is_invalid(stranger: Someone, header: str) -> None:
    sent = {"Authorization": header.encode("utf-8").decode("latin-1")}
    response = stranger.get("/v1/me", headers=sent)
    is_problem(response, 401, "bad-token")
    assert response.headers["WWW-Authenticate"] == "Bearer"
    is_problem(stranger.get("/v1/games", headers=sent), 401, "bad-token")


def test_a_token_works_only_for_its_own_player(app: Flask, ada: Someone, bea: Someone) -> None:
    _, _, secret = ada.token.split("_", 2)
    _, player, _ = bea.token.split("_", 2)
    is_problem(Someone(app, token=f"sp_{player}_{secret}").get("/v1/me"), 401, "bad-token")
    is_problem(Someone(app, token=ada.token[:-1]).get("/v1/me"), 401, "bad-token")
    is_problem(Someone(app, token=ada.token + "A").get("/v1/me"), 401, "bad-token")


def test_the_bearer_scheme_is_case_insensitive(ada: Someone) -> None:
    assert ada.get("/v1/me", headers={"Authorization": f"bearer {ada.token}"}).status_code == 200
    is_problem(ada.get("/v1/me", headers={"Authorization": f"Basic {ada.token}"}), 401, "token-needed")


def test_a_request_without_a_token_is_unauthorized(stranger: Someone) -> None:
    response = stranger.get("/v1/me")
    is_problem(response, 401, "token-needed")
    assert response.headers["WWW-Authenticate"] == "Bearer"


def test_an_additional_token_gets_the_requested_scopes_or_all_scopes_except_export(app: Flask, ada: Someone) -> None:
    assert set(ada.post("/v1/tokens", {}).json["scopes"]) == set(SCOPES) - {"export:read"}
    assert ada.post("/v1/tokens", {"scopes": ["export:read"]}).json["scopes"] == ["export:read"]
    assert ada.post("/v1/tokens", {"name": "reader", "scopes": ["games:read"]}).json["scopes"] == ["games:read"]
    assert ada.post("/v1/tokens", {"scopes": []}).json["scopes"] == []


def test_an_additional_token_cannot_have_more_scopes_than_the_token_that_created_it(app: Flask, ada: Someone) -> None:
    maker = further(app, ada, scopes=["games:read", "tokens:write"])
    is_problem(maker.post("/v1/tokens", {"scopes": ["moves:write"]}), 403, "missing-scope")
    assert set(maker.post("/v1/tokens", {}).json["scopes"]) == {"games:read", "tokens:write"}
    is_problem(further(app, ada, scopes=["games:read"]).post("/v1/tokens", {}), 403, "missing-scope")


def test_a_token_expires(app: Flask, ada: Someone) -> None:
    token = further(app, ada, expires_at=(clock.now() + HOUR).isoformat())
    assert token.get("/v1/me").status_code == 200
    clock.forward(HOUR)
    is_problem(token.get("/v1/me"), 401, "bad-token")
    is_problem(ada.post("/v1/tokens", {"expires_at": clock.now().isoformat()}), 422, "invalid-field")


def test_an_additional_token_expires_no_later_than_the_token_that_created_it(app: Flask, ada: Someone) -> None:
    token = further(app, further(app, ada, expires_at=(clock.now() + HOUR).isoformat()))
    clock.forward(2 * HOUR)
    is_problem(token.get("/v1/me"), 401, "bad-token")


@pytest.mark.parametrize(
    "expires_at", ["9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59", "2999-01-01T00:00:00+00:00:00.000001"]
)
def test_extreme_expiry_times_are_rejected_or_stored_safely(app: Flask, ada: Someone, expires_at: str) -> None:
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
def test_an_invalid_token_request_is_rejected(ada: Someone, body: Json) -> None:
    is_problem(ada.post("/v1/tokens", body), 422, "invalid-fields")
