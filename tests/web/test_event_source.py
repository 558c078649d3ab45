"""A stream as the `EventSource` of a real browser takes it in."""

from flask import Flask
from playwright.sync_api import Browser

from server.play import views
from server.play.chat import say
from tests.support.browser import chromium
from tests.support.games import game_of, head_of, moves_on, person
from tests.support.live_server import gunicorn

assert chromium  # a fixture

LISTEN = """([path, events, messages]) => {
  const told = [], said = [], source = new EventSource(path);
  source.onopen = () => { window.opened = true; };
  window.heard = new Promise((done) => {
    const end = () => told.length >= events && said.length >= messages && done([told, said]);
    source.onmessage = (it) => { told.push([it.lastEventId, JSON.parse(it.data).type]); end(); };
    source.addEventListener("said", (it) => { said.push([it.lastEventId, JSON.parse(it.data).text]); end(); });
  });
  return null;
}"""


def test_a_browser_tells_messages_from_events_and_they_are_no_place_to_go_on_from(
    app: Flask, chromium: Browser, shared_url: str
) -> None:
    with app.app_context(), gunicorn("", shared_url) as (port, _), chromium.new_context() as context:
        ada, ben = person("ada"), person("ben")
        game_id = game_of(ada, ben, bots=1)
        story = [[str(it["seq"]), it["type"]] for it in views.story(head_of(game_id), None)]
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{port}/v1")
        page.evaluate(LISTEN, [f"/v1/games/{game_id}/stream", len(story) + 1, 2])
        page.wait_for_function("window.opened")
        say(game_id, ada, "Good evening!")
        moves_on(game_id, ada)
        say(game_id, ben, "Well placed!")
        told, said = page.evaluate("window.heard")
        assert told == [*story, [str(head_of(game_id).table.seq), "star-placed"]]
        assert [text for _, text in said] == ["Good evening!", "Well placed!"]
        assert {last for last, _ in said} <= {last for last, _ in told}
