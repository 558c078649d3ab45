"""A page that somebody else has put somewhere else plays in a real browser, with nothing but a token."""

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, Error, Page
from werkzeug.serving import make_server

from server.rules import Json
from tests.support.browser import chromium
from tests.support.contract import Someone, opened
from tests.support.games import BOT, ME

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
    server = make_server("127.0.0.1", 0, app, threaded=True)
    Thread(target=server.serve_forever).start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[str]:
    """The address of a page of another origin."""
    (tmp_path / "index.html").write_text("<!doctype html><title>A client by somebody else</title>")
    handler = partial(SimpleHTTPRequestHandler, directory=tmp_path)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def page(chromium: Browser, elsewhere: str) -> Iterator[Page]:
    with chromium.new_context() as context:
        page = context.new_page()
        page.goto(elsewhere)
        yield page


def test_a_page_of_another_origin_plays_with_a_token(app: Flask, api: str, page: Page) -> None:
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


def test_a_page_of_another_origin_reads_nothing_that_acts_by_a_link(app: Flask, api: str, page: Page) -> None:
    for path in ("/t/word", "/docs", "/metrics"):
        with pytest.raises(Error, match="Failed to fetch"):
            page.evaluate("url => fetch(url).then(answer => answer.status)", f"{api}{path}")
