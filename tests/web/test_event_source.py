"""A stream read by a real browser's `EventSource`."""

import re
from textwrap import dedent

from flask import Flask
from playwright.sync_api import Browser

from server.accounts.players import player_token
from server.api.event_streams import StreamTickets
from server.play import views
from server.play.seating.games import open_game
from server.play.seating.seats import SeatClaim, take_seat
from server.play.talk.chat import say
from server.play.views import describe
from server.play.votes import vote
from tests.support.browser import PATIENCE_MS, chromium
from tests.support.games import BOT, ME, OPEN, game_of, head_of, moves_on, person, wanted
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

KEPT = "window.sources = []; EventSource = class extends EventSource { constructor(it) { super(it); sources.push(this); } };\n"


def test_a_browser_distinguishes_chat_messages_from_events_and_resumes_after_either(
    app: Flask, chromium: Browser, shared_url: str
) -> None:
    with app.app_context(), gunicorn("", shared_url) as (port, _), chromium.new_context() as context:
        context.set_default_timeout(PATIENCE_MS)
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
        seq = head_of(game_id).table.seq
        assert [[place.partition("-")[0], kind] for place, kind in told] == [*story, [str(seq), "star-placed"]]
        assert [[place.partition("-")[2], text] for place, text in said] == [
            ["1", "Good evening!"],
            ["2", "Well placed!"],
        ]


def test_a_browser_follows_a_private_game_by_tickets_as_documented(
    app: Flask, chromium: Browser, shared_url: str
) -> None:
    follow = re.search("```js\n(.*?)```", StreamTickets.post.__doc__ or "", re.DOTALL)
    assert follow
    with app.app_context(), gunicorn("", shared_url) as (port, _), chromium.new_context() as context:
        context.set_default_timeout(PATIENCE_MS)
        ada, ben = person("ada"), person("ben")
        opened = open_game(ada, wanted(ME, OPEN, BOT, private=True))
        game_id = opened.game_id
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{port}/v1")
        page.evaluate(KEPT + dedent(follow[1]) + "window.follow = follow; null;")
        page.evaluate(
            "([path, token]) => {"
            " window.told = [];"
            " const hear = (kind, it) => told.push(it.text ?? it.type ?? kind);"
            " follow(origin, path, async () => token, hear).then(() => told.push('over')); }",
            [f"/v1/games/{game_id}/stream?words=en&presence=true", player_token("ada@example.org")],
        )
        page.wait_for_function("sources[0]?.readyState == 1")
        say(game_id, ada, "Anybody?")
        page.wait_for_function("told.includes('Anybody?')")
        page.evaluate("sources[0].close()")
        take_seat(game_id, ben, SeatClaim(invitation=describe(opened, 0)["invitation"]))
        say(game_id, ben, "Me!")
        page.evaluate("sources[0].dispatchEvent(new Event('error'))")
        page.wait_for_function("told.includes('Me!')")
        vote(game_id, ada, "abandon", True)
        vote(game_id, ben, "abandon", True)
        page.wait_for_function("told.includes('over')")
        told = page.evaluate("told")
        assert [it for it in told if it not in ("open", "present", "changed")][:2] == ["Anybody?", "game-started"]
        assert [told.count(it) for it in ("Anybody?", "game-started", "Me!", "game-abandoned")] == [1] * 4
