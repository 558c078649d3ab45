"""Each call requires its scope."""

from typing import Any

import pytest
from flask import Flask

from server.accounts.tokens import SCOPES
from tests.support.api_calls import CALLS, GAME, NOBODYS_ID, OPEN_CALLS, PLAYER, WEBHOOK, further
from tests.support.contract import Someone, is_problem


@pytest.mark.parametrize(("method", "path", "body", "scope"), CALLS)
def test_a_call_requires_a_token_with_its_scope(
    app: Flask, ada: Someone, stranger: Someone, method: str, path: str, body: Any, scope: str
) -> None:
    is_problem(stranger.ask(method, path, body), 401, "token-needed")
    others = further(app, ada, scopes=[other for other in SCOPES if other != scope])
    refused = others.ask(method, path, body)
    is_problem(refused, 403, "missing-scope")
    assert refused.json["scope"] == scope
    assert scope in refused.json["detail"]
    just_this = further(app, ada, scopes=[scope])
    assert just_this.ask(method, path, body).status_code in (200, 201, 202, 204, 404)


@pytest.mark.parametrize("path", OPEN_CALLS)
def test_public_data_can_be_read_without_a_token_but_a_token_that_is_sent_must_allow_it(
    app: Flask, ada: Someone, stranger: Someone, path: str
) -> None:
    assert stranger.get(path).status_code in (200, 404)
    is_problem(further(app, ada, scopes=["moves:write"]).get(path), 403, "missing-scope")


def test_every_call_that_accepts_a_token_is_tested_here_with_its_documented_scope(app: Flask) -> None:
    names = {
        GAME: "/v1/games/{game_id}",
        f"/tokens/{NOBODYS_ID}": "/tokens/{token_id}",
        PLAYER: "/v1/players/{player_id}",
        WEBHOOK: "/v1/webhooks/{webhook_id}",
        f"/push-subscriptions/{NOBODYS_ID}": "/push-subscriptions/{subscription_id}",
        f"/apps/{NOBODYS_ID}": "/apps/{app_id}",
        f"/{NOBODYS_ID}": "/{delivery_id}",
        "/invitations/1": "/invitations/{seat}",
        "/seats/1": "/seats/{seat}",
        "/v1/stand-ins/a": "/v1/stand-ins/{word}",
    }
    listed = {(method, path.partition("?")[0]): scope for method, path, _, scope in CALLS}
    listed |= {("GET", path): "games:read" for path in OPEN_CALLS}
    for there, path in names.items():
        listed = {(method, it.replace(there, path)): scope for (method, it), scope in listed.items()}
    described = {
        (method.upper(), path): [scope for it in operation.get("security", []) for scope in it.get("token", [])]
        for path, item in app.extensions["document"].to_dict()["paths"].items()
        for method, operation in item.items()
        if method != "parameters" and operation.get("security") != []
    }
    assert described.pop(("DELETE", "/v1/tokens/current")) == []  # revoking takes no scope
    assert {call: [scope] for call, scope in listed.items()} == described
