"""Problems: each has a code and is never HTML."""

import html
import json
import re
from typing import Any

import pytest
from flask import Flask

from server.api import problems
from server.docs import DOCUMENTS
from server.games import Json
from server.translations.update import extracted
from tests.support.api_calls import GAME
from tests.support.contract import PROBLEM, Someone, is_problem, opened
from tests.support.games import BOT, ME, OPEN, wanted

BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8"

# Every problem has its code


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
        assert json.loads(body)["detail"] != problem.title


@pytest.mark.parametrize(
    ("code", "own", "others"),
    [
        ("illegal-move", "needs-3", "no-such-card"),
        ("malformed-move", "no-such-card", "needs-3"),
        ("bad-option", "unknown-option", "needs-3"),
        ("illegal-plan", "bad-condition", "needs-3"),
        ("missing-scope", "games:write", "Reasons"),
    ],
)
def test_the_page_of_a_problem_lists_only_its_own_reasons(app: Flask, code: str, own: str, others: str) -> None:
    page = app.test_client().get(f"/problems/{code}").text
    assert own in page
    assert others not in page


def test_the_example_of_a_problem_has_a_detail_that_the_server_sends() -> None:
    files = {str(it.id): {path for path, _ in it.locations} for it in extracted()}
    for code, words in problems.DETAILS.items():
        assert code == "unavailable" or files[words._words] - {"server/api/problems.py"}, words


@pytest.mark.parametrize(
    ("path", "accept", "mimetype"),
    [
        ("/gaems", BROWSER, "text/html"),
        ("/gaems", "*/*", "application/problem+json"),
        ("/gaems", "application/json", "application/problem+json"),
        ("/v1/gaems", BROWSER, "application/problem+json"),
    ],
)
def test_browsers_get_a_readable_page_for_a_mistyped_path(app: Flask, path: str, accept: str, mimetype: str) -> None:
    answer = app.test_client().get(path, headers={"Accept": accept, "Accept-Language": "de"})
    assert (answer.status_code, answer.mimetype) == (404, mimetype)
    assert ("Seite nicht gefunden" in answer.text) == (mimetype == "text/html")


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


def test_an_unknown_option_is_rejected(ada: Someone) -> None:
    response = ada.post("/v1/games", wanted(ME, OPEN))
    is_problem(response, 422, "bad-option")
    assert (response.json["reason"], response.json["field"]) == ("bad-seats", "seats")
    for options, field in (({"edition": "x"}, "edition"), ({"start_seat": 9}, "start_seat"), ({"moon": 1}, "moon")):
        response = ada.post("/v1/games", wanted(ME, OPEN, OPEN, options=options))
        assert (response.status_code, response.json["field"]) == (422, f"options.{field}")


def test_the_error_names_an_invalid_field(ada: Someone) -> None:
    response = ada.post("/v1/games", wanted(ME, OPEN, OPEN, clock={"per_move": "P1Y"}))
    is_problem(response, 422, "invalid-field")
    assert response.json["field"] == "clock"


def test_the_error_names_several_invalid_fields(ada: Someone) -> None:
    response = ada.post("/v1/games", {"rules": "sternenhimmel", "seats": [ME, {"open": 1}], "more": 1})
    assert response.json["errors"]["json"].keys() == {"seats", "more"}
    assert ada.get("/v1/games?limit=0&more=1").json["errors"]["query"].keys() == {"limit", "more"}


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"trun": 1, "move": {}}, "trun: Unknown field. Did you mean `turn`?"),
        ({"turn": 1, "mov": {}}, "mov: Unknown field. Did you mean `move`?"),
        ({"turn": 1, "move": {}, "x": 1}, "x: Unknown field."),
        ({"turn": 1}, "move: This field is required."),
        ({"turn": None, "move": {}}, "turn: This field can't be null."),
        ({f"turn{it}": 1 for it in range(100)}, "turn0: Unknown field. Did you mean `turn`?"),
    ],
)
def test_the_detail_names_an_unknown_field_first(ada: Someone, body: Json, detail: str) -> None:
    answer = ada.post(f"{opened(ada, ME, BOT, BOT)}/moves", body)
    assert is_problem(answer, 422, "invalid-fields") and answer.json["detail"] == detail


def test_an_unknown_field_within_another_one_is_named_first(ada: Someone) -> None:
    answer = ada.post("/v1/games", {"rules": "sternenhimmel", "seats": [{"emial": "bea@example.org"}]})
    assert answer.json["detail"] == "seats.0.emial: Unknown field. Did you mean `email`?"


def test_the_detail_says_which_method_to_use(app: Flask, ada: Someone) -> None:
    client = app.test_client()
    answer = client.get("/v1/guests")
    assert is_problem(answer, 405, "method-not-allowed") and answer.json["detail"] == "Use `POST`."
    german = client.delete("/v1/games", headers={"Accept-Language": "de"})
    assert german.json["detail"] == "Nutze `GET` oder `POST`."


def test_a_request_that_accepts_only_an_unsupported_format_is_rejected(stranger: Someone) -> None:
    is_problem(stranger.get("/v1/games", headers={"Accept": "application/xml"}), 406, "not-acceptable")
    for accept in ("*/*", "application/*;q=0.1, text/html", "application/json"):
        assert stranger.get("/v1/games", headers={"Accept": accept}).status_code == 200


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
