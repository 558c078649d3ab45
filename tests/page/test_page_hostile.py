"""Faults around the page: it reports them, keeps input, and recovers."""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from playwright.sync_api import Error, Page, Route, expect

from tests.page.windows import BOT, ME, OPEN, PHONE, Windows, by_mouse, game_of, too_wide
from tests.support.live_server import House, Json, sign_in, until

Fault = Callable[[Route], None]


def fulfilled(**answer: Any) -> Fault:
    return lambda route: route.fulfill(**answer)


PROBLEM = json.dumps({"type": "about:blank", "title": "Too many requests", "status": 429, "detail": "Wait a little."})
FAULTS: dict[str, Fault] = {
    "an error without a body": fulfilled(status=500),
    "a proxy's error page": fulfilled(status=502, content_type="text/html", body="<h1>Bad Gateway</h1>"),
    "too many requests": fulfilled(status=429, content_type="application/problem+json", body=PROBLEM),
    "garbage": fulfilled(status=200, content_type="application/json", body='{"items": [tru'),
    "nothing": lambda route: route.abort(),
}
REFUSALS = {"an error without a body", "too many requests"}  # after the others it is unknown what became of a request
NOISE = "status of (500|502|429)|ERR_FAILED"  # what the browser itself says of such answers


def fails(page: Page, address: str, method: str, fault: Fault) -> None:
    """The next call of this kind goes wrong."""
    left = [fault]

    def handle(route: Route) -> None:
        if route.request.method != method or not left:
            return route.fallback()
        return left.pop()(route)

    page.route(re.compile(address), handle)


def changes(page: Page, address: str, change: Callable[[Any], object]) -> None:
    """The answers are those of a newer server."""

    def handle(route: Route) -> None:
        with suppress(Error):  # the caller has gone on to another page
            answer = route.fetch()
            body = answer.json()
            change(body)
            route.fulfill(response=answer, json=body)

    page.route(re.compile(address), handle)


def each(change: Callable[[Json], object]) -> Callable[[Json], object]:
    """The same for all items of a list."""
    return lambda answer: [change(item) for item in answer["items"]]


# A server that is ill

TABLE = ".hand .star.open"
CALLS = ["/page/words/", "/v1/me", r"/v1/games/[^/?]+\?", r"/events\?", "/legal-moves", "/v1/rules/", r"/stream\?"]


def waits(page: Page, holds: Callable[[], bool]) -> None:
    """Until this is so; time passes in the page meanwhile."""
    while not holds():
        page.clock.run_for(1000)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_table_loads_despite_a_fault(fault: str, house: House, windows: Windows) -> None:
    client = sign_in(house, "ada@example.org")
    game_id = game_of(client, ME, BOT, BOT)
    windows.expected = NOISE
    page = windows.open(client)
    page.clock.install()
    for address in CALLS:
        fails(page, address, "GET", FAULTS[fault])
    page.goto(f"/#/games/{game_id}")
    waits(page, lambda: page.locator(TABLE).count() == 9)
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_move_succeeds_despite_a_fault(fault: str, house: House, windows: Windows) -> None:
    client = sign_in(house, "ben@example.org")
    game_id = game_of(client, ME, BOT, BOT)
    page = windows.open(client)
    windows.expected = NOISE
    page.goto(f"/#/games/{game_id}")
    fails(page, "dry_run", "POST", FAULTS[fault])
    page.locator(TABLE).first.click()
    page.locator(".space.lit").first.click()
    expect(page.get_by_text("Your choice is saved")).to_be_visible()
    expect(page.locator(".space.chosen .lying")).to_have_count(1)
    button = page.get_by_role("button", name="Play it")
    expect(button).to_be_focused()
    fails(page, "/moves$", "POST", FAULTS[fault])
    button.click()
    if fault in REFUSALS:  # what is chosen stays so
        expect(page.get_by_role("alert")).to_be_visible()
        button.click()
    expect(page.locator(".history .faint")).to_have_text("move 4 of 4")
    story = client.get(f"/v1/games/{game_id}/events")["items"]
    assert len([it for it in story if it["type"] == "star-placed" and it["seat"] == 0]) == 1


@pytest.mark.parametrize("fault", FAULTS)
def test_input_is_kept_despite_a_fault(fault: str, house: House, windows: Windows) -> None:
    client = sign_in(house, "cleo@example.org")
    game_id = game_of(client, ME, OPEN, OPEN)
    page = windows.open(client)
    windows.expected = NOISE
    page.goto(f"/#/games/{game_id}")
    fails(page, r"/messages$", "POST", FAULTS[fault])
    field = page.locator(".chat textarea")
    field.fill("Whose night is it?")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator(".chat").get_by_role("alert")).to_be_visible()
    expect(field).to_have_value("Whose night is it?")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator(".chat li")).to_have_count(1)
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(field).to_have_value("")


@pytest.mark.parametrize("fault", FAULTS)
def test_lists_and_rooms_load_despite_a_fault(fault: str, house: House, windows: Windows) -> None:
    client = sign_in(house, "dora@example.org")
    game_of(client, ME, OPEN, OPEN, title=f"Not even {fault}")
    windows.expected = NOISE
    page = windows.open(client)
    page.clock.install()
    for _ in range(2):
        fails(page, r"/v1/games\?", "GET", FAULTS[fault])
    fails(page, "/page/words/en/lobby", "GET", FAULTS[fault])
    for address in ("/#/lobby", "/#/"):
        page.goto(address)
        waits(page, page.get_by_role("link", name=f"Not even {fault}").is_visible)
        expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize("fault", FAULTS)
def test_signing_in_can_be_retried_after_a_fault(fault: str, house: House, windows: Windows) -> None:
    page = windows.open()
    windows.expected = NOISE
    fails(page, r"/v1/sign-ins", "POST", FAULTS[fault])
    page.goto("/#/sign-in")
    page.get_by_label("Email address").fill("emil@example.org")
    page.get_by_role("button", name="Email me a code").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_label("Email address")).to_have_value("emil@example.org")
    page.get_by_role("button", name="Email me a code").click()
    expect(page.get_by_label("Code")).to_be_visible()


def test_the_page_waits_for_a_slow_server_and_a_double_click_plays_once(house: House, windows: Windows) -> None:
    client = sign_in(house, "fay@example.org")
    game_id = game_of(client, ME, BOT, BOT)
    page = windows.open(client)
    page.goto(f"/#/games/{game_id}")
    held: list[Route] = []
    page.route(re.compile(r"/moves$"), lambda route: held.append(route))
    page.locator(TABLE).first.click()
    page.locator(".space.lit").first.click()
    page.get_by_role("button", name="Play it").dblclick()
    expect(page.get_by_text("Sending your move")).to_be_visible()
    page.keyboard.press("Escape")  # too late to choose again
    expect(page.get_by_text("Sending your move")).to_be_visible()
    assert len(held) == 1
    held[0].continue_()
    expect(page.locator(".history .faint")).to_have_text("move 4 of 4")


# Windows and their history


def test_a_turn_played_in_one_window_ends_in_the_other(house: House, windows: Windows) -> None:
    client = sign_in(house, "gil@example.org")
    game_id = game_of(client, ME, OPEN, OPEN)
    for name in ("hal", "ivo"):
        sign_in(house, f"{name}@example.org").post(f"/v1/games/{game_id}/seats", {})
    here, there = windows.open(client), windows.open(client)
    windows.expected = "ERR_FAILED|status of 409"
    played: list[int] = []
    there.route(re.compile("/moves$"), lambda route: route.continue_() if played else route.abort())  # until then
    for page in (here, there):
        page.goto(f"/#/games/{game_id}")
        page.locator(TABLE).nth(0 if page is here else 4).click()
        page.locator(".space.lit").first.click()
        expect(page.get_by_role("button", name="Play it")).to_be_visible()
    there.get_by_role("button", name="Play it").click()
    expect(there.get_by_text("No response yet.")).to_be_visible()
    here.get_by_role("button", name="Play it").click()
    expect(here.get_by_text("Waiting for hal")).to_be_visible()
    played.append(client.get(f"/v1/games/{game_id}")["version"])
    expect(there.get_by_role("alert")).to_be_visible()
    expect(there.get_by_text("Waiting for hal")).to_be_visible()
    expect(there.get_by_role("button", name="Play it")).to_be_hidden()
    assert played == [client.get(f"/v1/games/{game_id}")["version"]] == [2]


def test_the_page_asks_for_sign_in_when_its_token_is_revoked(house: House, windows: Windows) -> None:
    client = sign_in(house, "jan@example.org")
    game_id = game_of(client, ME, BOT, BOT)
    page = windows.open(client)
    windows.expected = "status of 401"
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(TABLE)).to_have_count(9)
    page.locator(TABLE).first.click()
    expect(page.locator(".space.lit").first).to_be_visible()
    assert client.ask("DELETE", "/v1/tokens").status_code == 204
    page.evaluate("document.querySelector('.space.lit')?.dispatchEvent(new Event('click', { bubbles: true }))")
    expect(page.locator(".head").get_by_role("link", name="Sign in")).to_be_visible()
    expect(page.locator(".boards")).to_be_visible()
    expect(page.locator(".hand")).to_have_count(0)  # the next visitor does not see it
    page.locator(".head").get_by_role("link", name="Sign in").click()
    expect(page.get_by_label("Email address")).to_be_visible()
    assert page.evaluate("localStorage.getItem('sternenpost.token')") is None


def test_an_invalid_token_does_not_sign_out_another_window(house: House, windows: Windows) -> None:
    client, since = sign_in(house, "jo@example.org"), sign_in(house, "jan@example.org")
    page = windows.open(client)
    windows.expected = "status of 401"
    page.goto("/#/lobby")
    expect(page.locator(".me")).to_have_text("jo")
    page.evaluate("(token) => localStorage.setItem('sternenpost.token', token)", since.token)
    assert client.ask("DELETE", "/v1/tokens").status_code == 204
    page.evaluate("location.hash = '#/'")  # if it has not asked by itself already
    expect(page.locator(".me")).to_have_text("jan")
    assert page.evaluate("localStorage.getItem('sternenpost.token')") == since.token


def test_back_and_forward_move_between_screens(house: House, windows: Windows) -> None:
    client = sign_in(house, "kim@example.org")
    game_id = game_of(client, ME, BOT, BOT, title="To and fro")
    page = windows.open(client)
    page.goto("/")
    page.get_by_role("link", name="To and fro").click()
    page.locator(TABLE).first.click()
    expect(page.locator(".space.lit").first).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="My games")).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("heading", name="To and fro")).to_be_visible()
    expect(page.locator(TABLE)).to_have_count(9)
    expect(page.locator("[aria-pressed=true]")).to_have_count(0)
    by_mouse(page)
    until(lambda: client.get(f"/v1/games/{game_id}")["version"] > 1)


def test_reloading_during_a_turn_restarts_it(house: House, windows: Windows) -> None:
    client = sign_in(house, "lea@example.org")
    game_id = game_of(client, ME, BOT, BOT)
    page = windows.open(client)
    page.goto(f"/#/games/{game_id}")
    page.locator(TABLE).first.click()
    page.locator(".space.lit").first.click()
    expect(page.get_by_role("button", name="Play it")).to_be_visible()
    page.reload()
    expect(page.locator(TABLE)).to_have_count(9)
    expect(page.get_by_role("button", name="Play it")).to_be_hidden()
    by_mouse(page)
    until(lambda: client.get(f"/v1/games/{game_id}")["version"] > 1)


# Browsers with manners of their own


def test_a_browser_without_storage_can_play_until_its_window_closes(house: House, windows: Windows) -> None:
    windows.expected = "^$"
    page = windows.open(script=OWN_STORAGE_REFUSED)
    page.goto("/#/lobby")
    expect(page.locator(".me")).to_have_text("Robin")
    page.get_by_label("Language").select_option("de")
    expect(page.get_by_role("link", name="Meine Partien")).to_be_visible()


OWN_STORAGE_REFUSED = """
  for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, name, {get() { throw new DOMException("refused", "SecurityError"); }});
"""


def test_times_are_right_with_a_wrong_browser_clock(house: House, windows: Windows) -> None:
    client = sign_in(house, "max@example.org")
    game_id = game_of(client, ME, BOT, BOT, clock={"per_move": "P2D"})
    page = windows.open(client, script="const now = Date.now; Date.now = () => now() - 40 * 24 * 3600e3;")
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(".state time")).to_contain_text("2 days left")


def test_times_are_right_with_a_sandbox_clock_moved_forward(house: House, windows: Windows) -> None:
    client = sign_in(house, "mia@example.org")
    client.post("/sandbox/clock", {"forward": "P60D"}, status=200)
    game_id = game_of(client, ME, BOT, BOT, clock={"per_move": "P2D"})
    page = windows.open(client)
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(".state time")).to_contain_text("2 days left")


# Names and words


WIDE = "\N{FULLWIDTH LATIN CAPITAL LETTER W}" * 60
EVIL = "<b onclick=alert(1)>&amp;{name}</b>"


@pytest.mark.parametrize(
    "words",
    [WIDE, EVIL, "\u05d0\u05d3\u05d4 (1)", "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1e8\U0001f1ed", "W" * 60],
)
def test_a_name_is_rendered_as_plain_text(words: str, house: House, windows: Windows) -> None:
    client, other = sign_in(house, "nora@example.org"), sign_in(house, "otto@example.org")
    for each in (client, other):
        answer = each.ask("PATCH", "/v1/me", json={"name": words[:40]})
        assert answer.status_code == 200, answer.text
    name = client.get("/v1/me")["name"]
    running = game_of(client, ME, OPEN, BOT, title=words)
    other.post(f"/v1/games/{running}/seats", {})
    waiting = game_of(client, ME, OPEN, OPEN, title=words)
    for game_id in (running, waiting):
        other.ask("POST", f"/v1/games/{game_id}/messages", json={"text": f"{words}\n{words}"})
    page = windows.open(client, **PHONE)
    for path in ("/#/", "/#/lobby", f"/#/games/{waiting}", f"/#/games/{running}"):
        page.goto(path)
        expect(page.locator("main")).to_contain_text(client.get(f"/v1/games/{running}")["title"])
        expect(page.locator("main")).to_contain_text(name)
        assert not too_wide(page), path
    page.locator(TABLE).first.tap()
    page.locator(".space.lit").first.tap()
    page.get_by_role("button", name="Play it").tap()
    assert not too_wide(page)
    reader = windows.open(other, **PHONE)
    reader.goto(f"/#/games/{running}")
    expect(reader.locator(".story")).to_contain_text(name)
    assert not too_wide(reader)


# A newer server


def test_the_page_ignores_unknown_fields_from_a_newer_server(house: House, windows: Windows) -> None:
    client = sign_in(house, "pia@example.org")
    game_id = game_of(client, ME, BOT, BOT)
    page = windows.open(client)

    def newer_game(game: Json) -> None:
        game |= {"weather": {"wind": [3, 4]}, "mood": "calm"}
        game["seats"][1] |= {"kind": "ghost", "name": None, "aura": 7}
        game["view"] |= {"comets": [None]}
        game["view"]["boards"][0] |= {"tilt": 3}

    def newer_story(story: Json) -> None:
        if not any(item["seq"] == 3 for item in story["items"]):
            return
        first, *others = story["items"]
        comet = first | {"seq": 2, "type": "comet-passed", "seat": 1, "tail": {"of": 3}}  # the second event is hidden
        dust = {"seq": 3, "version": 1, "type": "dust-settled", "at": first["at"]}
        story["items"] = [first, comet, *(dust if item["seq"] == 3 else item for item in others)]

    changes(page, rf"/v1/games/{game_id}\?", newer_game)
    changes(page, r"/events\?", newer_story)
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(TABLE)).to_have_count(9)
    expect(page.locator(".seats li")).to_have_count(3)
    by_mouse(page)
    until(lambda: client.get(f"/v1/games/{game_id}")["version"] > 1)


def test_an_unknown_status_or_clock_is_shown_by_its_name(house: House, windows: Windows) -> None:
    client = sign_in(house, "quin@example.org")
    game_id = game_of(client, ME, BOT, BOT, title="Frozen stars")

    def freeze(game: Json) -> None:
        game |= {"status": "frozen", "clock": {"sand": "P1D"}, "on_timeout": [{"do": "sing", "song": "la"}]}

    page = windows.open(client)
    changes(page, rf"/v1/games/{game_id}\?", freeze)
    changes(page, r"/v1/games\?", each(freeze))
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(".state")).to_contain_text("frozen")
    expect(page.locator(".board")).to_have_count(3)
    page.goto("/#/")
    expect(page.locator(".card.game").first).to_contain_text("frozen")


def test_an_unknown_game_is_shown_by_the_servers_picture(house: House, windows: Windows) -> None:
    client = sign_in(house, "rosa@example.org")
    game_id = game_of(client, ME, BOT, BOT, title="Dust")

    def dusty(game: Json) -> None:
        game |= {"rules": "sternenstaub", "options": {"wind": "west"}, "view": {"heaps": [1, 2]}}

    page = windows.open(client)
    changes(page, rf"/v1/games/{game_id}\?", dusty)
    changes(page, r"/v1/games\?", each(dusty))
    changes(page, r"/events\?", each(lambda item: item.update(type="dust-moved")))
    page.route("**/v1/rules/sternenstaub", lambda route: route.fulfill(json={"name": "sternenstaub", "options": {}}))
    page.goto(f"/#/games/{game_id}")
    expect(page.get_by_role("img", name="The table of Dust")).to_be_visible()
    expect(page.locator(".seats li")).to_have_count(3)
    page.goto("/#/")
    expect(page.locator(".card.game").first).to_contain_text("Sternenstaub")
