"""Webhooks over the API: creating, listing and counting."""

import pytest
from flask import Flask

from server.games import Json
from server.webhooks.subscriptions import PAYLOADS
from tests.support.contract import Someone, is_problem
from tests.support.games import BOT, ME, OPEN, wanted

WANTED: Json = {"url": "https://stars.example/hook", "kinds": ["your-turn"]}


def test_a_secret_is_shown_once(ada: Someone, caplog: pytest.LogCaptureFixture) -> None:
    made = ada.post("/v1/webhooks", WANTED)
    path, secret = made.headers["Location"], made.json["secret"]
    new = ada.post(f"{path}/secret").json["secret"]
    looks = [
        ada.get("/v1/webhooks"),
        ada.get(path),
        ada.patch(path, {"kinds": ["reminder"]}),
        ada.post(f"{path}/pings"),
    ]
    looks.append(ada.get(f"{path}/deliveries"))
    for shown in (*(answer.text for answer in looks), caplog.text):
        assert secret not in shown
        assert new not in shown
        assert "whsec_" not in shown


def test_a_webhook_is_visible_only_to_its_owner(app: Flask, ada: Someone) -> None:
    path = ada.post("/v1/webhooks", WANTED).headers["Location"]
    ping = ada.post(f"{path}/pings").json["id"]
    bea = Someone(app, "bea")
    answers = [
        bea.get(path),
        bea.patch(path, {"enabled": False}),
        bea.delete(path),
        bea.post(f"{path}/secret"),
        bea.post(f"{path}/pings"),
        bea.get(f"{path}/deliveries"),
        bea.get(f"{path}/deliveries/{ping}"),
        bea.post(f"{path}/deliveries/{ping}/tries"),
    ]
    assert all(is_problem(answer, 404, "not-found") for answer in answers)
    assert bea.get("/v1/webhooks").json == {"items": []}
    assert ada.get(path).json["enabled"]


def test_a_player_has_at_most_ten_webhooks(ada: Someone) -> None:
    paths = [ada.post("/v1/webhooks", WANTED).headers["Location"] for _ in range(10)]
    is_problem(ada.post("/v1/webhooks", WANTED), 409, "too-many-webhooks")
    assert ada.delete(paths[3]).status_code == 204
    assert ada.post("/v1/webhooks", WANTED).status_code == 201


def test_deliveries_are_listed_page_by_page(ada: Someone) -> None:
    path = ada.post("/v1/webhooks", WANTED).headers["Location"]
    asked = [ada.post(f"{path}/pings").json["id"] for _ in range(7)]
    found, there = [], f"{path}/deliveries?limit=3"
    while there:
        page = ada.get(there).json
        assert len(page["items"]) <= 3
        found += [it["id"] for it in page["items"]]
        there = page["next"]
    assert found == asked[::-1]


def test_a_webhook_for_a_hidden_private_game_looks_like_one_for_a_missing_game(app: Flask, ada: Someone) -> None:
    private = Someone(app, "bea").post("/v1/games", wanted(ME, OPEN, BOT, private=True)).json["id"]
    for game in (private, "6f1f0c52-3f0e-4c6f-9b60-0d5f4b1f7a11"):
        answer = ada.post("/v1/webhooks", {**WANTED, "game": game})
        assert is_problem(answer, 422, "invalid-field")
        assert answer.json["detail"] == "Game not found."


def test_the_contract_describes_our_webhook_calls(session_app: Flask) -> None:
    contract = session_app.test_client_class.contract
    assert contract.document["webhooks"].keys() == set(PAYLOADS)
    for item in contract.document["webhooks"].values():
        content = item["post"]["requestBody"]["content"]["application/json"]
        contract.validator(content["schema"]).validate(content["examples"]["Example"]["value"])
