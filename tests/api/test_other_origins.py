"""Pages from other origins can play with a token in a real browser and read every response."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, Error, Page
from werkzeug.test import TestResponse

from server.app import create_app
from server.config import Settings
from server.games import Json
from tests.support.api_calls import NOBODYS_ID, exhausting, further
from tests.support.browser import PATIENCE_MS, chromium
from tests.support.contract import Contract, Someone, opened
from tests.support.games import BOT, ME
from tests.support.one_of_each import Call, Scene, calls
from tests.support.web_servers import serve

assert chromium  # a fixture

CALL = """async ([url, token, method, body, headers]) => {
  const sent = {...(token && {Authorization: `Bearer ${token}`}), ...(body && {"Content-Type": "application/json"})};
  const answer = await fetch(url, {method, headers: {...sent, ...headers}, body: body && JSON.stringify(body)});
  const text = await answer.text();
  return {status: answer.status, headers: Object.fromEntries(answer.headers), body: text && JSON.parse(text)};
}"""


@pytest.fixture
def api(app: Flask) -> Iterator[str]:
    """The address of the API, served over a socket."""
    with serve(app) as url:
        yield url


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[str]:
    """The address of a page of another origin."""
    (tmp_path / "index.html").write_text("<!doctype html><title>A client by somebody else</title>")
    with serve(tmp_path) as url:
        yield f"{url}/"


@pytest.fixture
def page(chromium: Browser, elsewhere: str) -> Iterator[Page]:
    with chromium.new_context() as context:
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.goto(elsewhere)
        yield page


def test_a_page_from_another_origin_can_make_a_move_with_a_token(app: Flask, api: str, page: Page) -> None:
    ada = Someone(app, "ada")
    game = f"{api}{opened(ada, ME, BOT, BOT)}"
    seat = ada.post(f"{game.removeprefix(api)}/seats/me/tokens").json["token"]

    def call(method: str, url: str, body: Json | None = None, token: str | None = seat, **headers: str) -> Any:
        return page.evaluate(CALL, [url, token, method, body, headers])

    seen = call("GET", game)
    assert (seen["status"], seen["body"]["you"]) == (200, {"seat": 0, "turn": 1})
    assert seen["headers"]["ratelimit-policy"] == '"player";q=12000;w=60'
    assert seen["headers"]["ratelimit"].startswith('"player";r=')
    unchanged = call("GET", game, **{"If-None-Match": seen["headers"]["etag"]})
    assert (unchanged["status"], "ratelimit" in unchanged["headers"]) == (304, True)
    open_now = call("GET", f"{game}/legal-moves")["body"]
    move = {"turn": open_now["turn"], "move": open_now["moves"][0]}
    played = call("POST", f"{game}/moves", move, **{"Idempotency-Key": "first"})
    assert (played["status"], played["body"]["version"]) == (201, 2)
    assert ada.get(game.removeprefix(api)).json["version"] == 2
    refused = call("POST", f"{game}/moves", {**move, "turn": 7})
    assert (refused["status"], refused["body"]["code"]) == (409, "stale-turn")
    assert call("GET", f"{api}/v1/me")["body"]["code"] == "one-seat-only"
    assert call("GET", f"{api}/v1/me", token=None)["headers"]["www-authenticate"] == "Bearer"
    assert call("DELETE", f"{api}/v1/tokens/current")["status"] == 204
    assert call("GET", game)["body"]["code"] == "bad-token"


def test_a_page_from_another_origin_cannot_read_link_pages(app: Flask, api: str, page: Page) -> None:
    for path in ("/t/word", "/docs", "/metrics"):
        with pytest.raises(Error, match="Failed to fetch"):
            page.evaluate("url => fetch(url).then(answer => answer.status)", f"{api}{path}")


# What every answer says to such a page

PREFLIGHT = {
    "Origin": "https://elsewhere.example",
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization, content-type",
}
ALLOWED = {*("Authorization", "Content-Type", "Idempotency-Key", "If-None-Match", "Last-Event-ID", "Accept-Language")}
EXPOSED = {"ETag", "Link", "Location", "Retry-After", "RateLimit", "RateLimit-Policy"}


def words(header: str) -> set[str]:
    return set(header.split(", "))


def test_preflight_succeeds_for_every_call(scene: Scene) -> None:
    contract: Contract = scene.contract
    for call in [*calls(contract.document), Call("GET", "/v1/nowhere", {})]:
        answer = scene.stranger.ask("OPTIONS", call.path, headers=PREFLIGHT)
        assert (answer.status_code, answer.data) == (204, b"")
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert call.method in words(answer.headers["Access-Control-Allow-Methods"])
        assert words(answer.headers["Access-Control-Allow-Headers"]) >= ALLOWED
        assert int(answer.headers["Access-Control-Max-Age"]) >= 600
        assert "Access-Control-Allow-Credentials" not in answer.headers
        assert "RateLimit" not in answer.headers


def answers_of_all_kinds(scene: Scene) -> Iterator[tuple[int, TestResponse]]:
    ada, etag = scene.ada, scene.ada.get("/v1/me").headers["ETag"]
    yield 200, ada.get("/v1/me")
    yield 201, ada.post("/v1/tokens")
    yield 204, ada.delete("/v1/me/feed")
    yield 304, ada.get("/v1/me", headers={"If-None-Match": etag})
    yield 401, scene.stranger.get("/v1/me")
    yield 403, further(scene.app, ada, scopes=[]).get("/v1/me")
    yield 404, ada.get(f"/v1/games/{NOBODYS_ID}")
    yield 404, ada.get("/v1/nowhere")
    yield 405, ada.patch("/v1/games", {})
    yield 406, ada.get("/v1/me", headers={"Accept": "text/html"})
    yield 412, ada.get("/v1/me", headers={"If-Match": '"another"'})
    yield 415, ada.post("/v1/games", data="{}", content_type="text/plain")
    yield 422, ada.post("/v1/games", {})
    yield 429, exhausting(further(scene.app, ada))[-1]
    away = create_app(Settings.from_environment({"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"}))
    yield 503, away.test_client().get("/v1/games")


def test_a_page_from_another_origin_can_read_every_response_including_problems(scene: Scene) -> None:
    for status, answer in answers_of_all_kinds(scene):
        assert answer.status_code == status
        assert answer.headers["Access-Control-Allow-Origin"] == "*", status
        assert words(answer.headers["Access-Control-Expose-Headers"]) >= EXPOSED, status
        assert "RateLimit" in answer.headers, status


@pytest.mark.parametrize(
    "path", ["/t/word", "/i/word", "/back/word", "/u/word", "/sign-in/word", "/feed/word.ics", "/docs"]
)
def test_link_pages_are_isolated_from_other_origins(app: Flask, path: str) -> None:
    client = app.test_client()
    for answer in (client.get(path), client.post(path), client.options(path, headers=PREFLIGHT)):
        assert not [name for name, _ in answer.headers if name.startswith("Access-Control-")]
        assert answer.request.method != "OPTIONS" or answer.status_code >= 400
