"""Problems: each has a code and is never HTML."""

import html
import json
import re
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from flask import Flask

from server.api import problems
from server.app import create_app
from server.config import Settings
from server.docs import DOCUMENTS
from server.games import Json
from tests.support.api_calls import GAME, MOVE
from tests.support.contract import JSON, NDJSON, PROBLEM, Someone, is_problem, opened
from tests.support.games import BOT, ME, OPEN, wanted

# Every problem has its code


def test_every_problem_has_a_page_at_its_type_url(app: Flask) -> None:
    client = app.test_client()
    for code in problems.ALL:
        assert client.get(f"/problems/{code}").status_code == 200
    assert client.get("/problems/none").status_code == 404


def test_every_problem_is_listed_with_an_example(app: Flask) -> None:
    client = app.test_client()
    listed = client.get("/problems").text
    for code, problem in problems.ALL.items():
        assert f'href="/problems/{code}"' in listed
        example = html.unescape(
            re.findall(r"<pre[^>]*>(.*?)</pre>", client.get(f"/problems/{code}").text, re.DOTALL)[0]
        )
        head, _, body = example.partition("\n\n")
        assert head.startswith(f"HTTP/1.1 {problem.status} ")
        assert json.loads(body).items() >= {"code": code, "status": problem.status, "type": f"/problems/{code}"}.items()
        assert f'\n  "status": {problem.status},\n' in body  # a line for each member


@pytest.mark.parametrize("path", [f"/docs/{name}" for name in DOCUMENTS])
def test_a_handbook_page_has_a_table_of_contents_a_home_link_and_commands_that_can_be_copied(
    app: Flask, path: str
) -> None:
    page = app.test_client().get(path).text
    contents = re.findall(r'<li><a href="#([^"]+)">', page)
    assert len(contents) > 1
    assert all(page.count(f'id="{name}"') == 1 for name in contents)
    assert '<a href="/">' in page
    assert "/static/handbook.js" in page
    assert page.count("<pre") == page.count('<pre tabindex="0"')


def test_a_move_in_a_game_that_is_not_running_returns_the_matching_problem(ada: Someone) -> None:
    path = opened(ada, ME, OPEN, OPEN)
    is_problem(ada.post(f"{path}/moves", {"turn": 0, "move": MOVE}), 409, "game-not-running")


def test_an_unknown_option_is_rejected(ada: Someone) -> None:
    response = ada.post("/v1/games", wanted(ME, OPEN))
    is_problem(response, 422, "bad-option")
    assert response.json["reason"] == "bad-seats"


def test_the_error_names_an_invalid_field(ada: Someone) -> None:
    response = ada.post("/v1/games", wanted(ME, OPEN, OPEN, clock={"per_move": "P1Y"}))
    is_problem(response, 422, "invalid-field")
    assert response.json["field"] == "clock"


def test_the_error_names_several_invalid_fields(ada: Someone) -> None:
    response = ada.post("/v1/games", {"rules": "sternenhimmel", "seats": [ME, {"open": 1}], "more": 1})
    assert response.json["errors"]["json"].keys() == {"seats", "more"}
    assert ada.get("/v1/games?limit=0&more=1").json["errors"]["query"].keys() == {"limit", "more"}


def test_a_request_that_accepts_only_an_unsupported_format_is_rejected(stranger: Someone) -> None:
    is_problem(stranger.get("/v1/games", headers={"Accept": "application/xml"}), 406, "not-acceptable")
    for accept in ("*/*", "application/*;q=0.1, text/html", "application/json"):
        assert stranger.get("/v1/games", headers={"Accept": accept}).status_code == 200


def test_a_database_outage_is_not_blamed_on_the_request(open_directory: Any) -> None:
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


def test_a_server_error_is_a_problem_that_reveals_nothing(
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


def test_a_wrong_method_lists_the_allowed_ones(app: Flask, ada: Someone) -> None:
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
def test_an_unknown_path_is_a_problem_and_not_a_page(app: Flask, path: str, method: str) -> None:
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


def test_unusual_requests_get_a_response_and_break_nothing(app: Flask, ada: Someone, game: str) -> None:
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
        assert response.mimetype in (JSON, PROBLEM, NDJSON, "text/event-stream") or response.mimetype.startswith(
            "image/"
        )
