"""Browser windows of several players, and their moves by mouse, finger and keyboard."""

import json
import math
import re
from collections.abc import Callable
from contextlib import ExitStack
from random import Random
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, Request, Route, expect

from tests.support.browser import PATIENCE_MS
from tests.support.live_server import Client, House, Json, codes, until

DESK: Json = {"viewport": {"width": 1200, "height": 850}}
PHONE: Json = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
OWN_CODE = 'sessionStorage.setItem("sternenpost.signed-out", "yes")'  # these tests sign in by code
ME, OPEN, BOT = {"player": "me"}, {"open": True}, {"bot": "greedy"}


class Windows:
    """Browser windows of several players. They call only the test server and log only errors that are `expected`."""

    def __init__(self, chromium: Browser, house: House, stack: ExitStack) -> None:
        self._chromium, self._house, self._stack = chromium, house, stack
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.expected = "^$"

    def open(self, client: Client | None = None, script: str = OWN_CODE, **manners: Any) -> Page:
        """Open a window, signed in if a `client` is given."""
        manners = {
            "service_workers": "block",
            "base_url": self._house.url,
            **DESK,
            **manners,
        }  # each would fetch everything
        manners = {"locale": "en-GB", "reduced_motion": "reduce", **manners}
        context: BrowserContext = self._stack.enter_context(self._chromium.new_context(**manners))
        context.set_default_timeout(PATIENCE_MS)
        context.add_init_script(script)
        if client is not None:
            context.add_init_script(f'localStorage.setItem("sternenpost.token", {json.dumps(client.token)})')
        page = context.new_page()
        page.on("request", lambda it: self.asked.append(it.url))
        page.on("console", lambda it: self.complaints.append(it.text) if it.type in ("error", "warning") else None)
        page.on("pageerror", lambda it: self.complaints.append(str(it)))
        return page

    def check(self) -> None:
        foreign = [url for url in self.asked if not url.startswith((self._house.url, "blob:"))]
        blocked = "Service Worker registration blocked by Playwright"
        complaints = [it for it in self.complaints if blocked not in it and not re.search(self.expected, it)]
        assert not foreign and not complaints, (foreign, complaints)


FIRST_VIEW = 90 * 1024  # bytes over the line, from an empty cache to a live table


LIT = ".slot.lit, .hand .star.open"
NOTE_LIT = f"""new MutationObserver((_, it) => {{
  if (!document.querySelector("{LIT}")) return;
  window.litAt = Date.now();
  it.disconnect();
}}).observe(document, {{ subtree: true, childList: true, attributes: true }});"""


def first_view(page: Page, address: str) -> int:
    """Return the bytes of all requests sent before the table shows open moves."""
    line = page.context.new_cdp_session(page)
    sent: dict[str, float] = {}
    sizes: dict[str, float] = {}
    line.on("Network.requestWillBeSent", lambda it: sent.update({it["requestId"]: it["wallTime"] * 1000}))
    line.on("Network.loadingFinished", lambda it: sizes.update({it["requestId"]: it["encodedDataLength"]}))
    line.send("Network.enable")
    page.add_init_script(NOTE_LIT)
    page.goto(address)
    expect(page.locator(LIT).first).to_be_visible()
    expect(page.locator(".news.live")).to_be_visible()
    lit_at = page.evaluate("window.litAt")
    counted = [size for key, size in sizes.items() if sent[key] <= lit_at]
    print(f"A first view takes {sum(counted) / 1024:.0f} KiB in {len(counted)} answers.")
    return int(sum(counted))


class Posts(list[Request]):
    """POST requests in order. The first `lost` of them get no answer, though the server handles them."""

    lost = math.inf

    def arrive_again(self, page: Page) -> None:
        """Wait until the page has sent the same request twice, and let an answer through."""
        expect(page.get_by_text("No response yet.")).to_be_visible()
        until(lambda: len(self) >= 2 or page.wait_for_timeout(50))
        self.lost = 0
        expect(page.get_by_text("No response yet.")).to_be_hidden()
        assert len({it.post_data for it in self}) == 1


def loses(page: Page, where: str, lost: float = math.inf) -> Posts:
    """Lose the answers to posts there, for the first ones or until the returned posts' `lost` is set."""
    posted = Posts()
    posted.lost = lost

    def lose(route: Route) -> None:
        if route.request.method != "POST":
            return route.continue_()
        posted.append(route.request)
        if len(posted) > posted.lost:
            return route.continue_()
        route.fetch()
        return route.abort()

    page.route(where, lose)
    return posted


def code_for(house: House, email: str, nr: int = 1) -> str:
    """Return the code to sign in from the newest email that has one, once `nr` of them have arrived."""
    until(lambda: len(codes(house, email)) >= nr)
    return codes(house, email)[-1]


def enter(page: Page, house: House, email: str) -> None:
    """Sign in by a mailed code."""
    page.goto("/#/sign-in")
    page.get_by_label("Email address").fill(email)
    page.get_by_role("button", name="Email me a code").click()
    expect(page.get_by_label("Code")).to_be_visible()
    page.get_by_label("Code").fill(code_for(house, email))
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="My games")).to_be_visible()


def game_of(client: Client, *seats: Json, **more: Any) -> str:
    wanted = {"rules": "sternenhimmel", "options": {"start_seat": 0}, "seats": list(seats), **more}
    return str(client.post("/v1/games", wanted)["id"])


def quiet(client: Client) -> Client:
    """Turn off game emails, because a letter's picture takes longer than the move."""
    off = dict.fromkeys(("your-turn", "game-ended"), "off")
    assert client.ask("PATCH", "/v1/me", json={"notifications": {"mails": off}}).status_code == 200
    return client


# Moves


def by_mouse(page: Page) -> None:
    page.locator(".hand .star.open").first.click()
    page.locator(".space.lit").first.click()
    page.get_by_role("button", name="Play it").click()


def by_finger(page: Page) -> None:
    """Tap the space first."""
    page.locator(".space.open").first.tap()
    page.locator(".hand .star.open").first.tap()
    page.get_by_role("button", name="Play it").tap()


def by_keyboard(page: Page) -> None:
    """Tab to a constellation, press arrows to an empty space, and Tab to the hand. The confirm button then has the
    focus."""
    page.locator("main").focus()
    tab_to(page, ".space")
    arrows = Random(0)  # the same four in a circle may lead around between full spaces only
    for _ in range(200):
        if is_at(page, ".space.open"):
            break
        page.keyboard.press(arrows.choice(["ArrowDown", "ArrowRight", "ArrowUp", "ArrowLeft"]))
    page.keyboard.press("Enter")
    tab_to(page, ".hand .star")
    page.keyboard.press("ArrowRight")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play it")).to_be_focused()
    page.keyboard.press("Enter")


_TOO_WIDE = """(width) => {
  if (document.documentElement.scrollWidth <= width) return [];
  const beyond = [...document.querySelectorAll("body *")].filter((it) => it.getBoundingClientRect().right > width + .5);
  return ["the page", ...beyond.map((it) => it.outerHTML.slice(0, 120))];
}"""


def too_wide(page: Page) -> list[str]:
    """Return the elements beyond the right edge if the page scrolls sideways."""
    assert page.viewport_size
    return list(page.evaluate(_TOO_WIDE, page.viewport_size["width"]))  # innerWidth grows with it on a phone


def is_at(page: Page, selector: str) -> bool:
    return bool(page.evaluate("selector => document.activeElement.matches(selector)", selector))


def tab_to(page: Page, selector: str) -> None:
    for _ in range(80):
        page.keyboard.press("Tab")
        if is_at(page, selector):
            return
    raise AssertionError(f"No Tab leads to {selector}.")


def play_out(pages: dict[Page, Callable[[Page], None]]) -> None:
    turn = "document.querySelector('.state .mine') && document.querySelector('.hand .star.open')"
    while True:
        for page, move in pages.items():
            if page.evaluate(f"!!({turn})"):
                before = page.locator(".history .faint").inner_text()
                move(page)
                page.wait_for_function(
                    "before => document.querySelector('.history .faint').innerText !== before", arg=before
                )
        if all(page.locator(".result").is_visible() for page in pages):
            return
        next(iter(pages)).wait_for_timeout(100)
