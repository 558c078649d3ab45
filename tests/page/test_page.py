"""The page in real browsers over real processes: people sign in, find each other, and play whole games."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from server import page as served
from tests.browser import chromium
from tests.house import Client, House, Json, new_house, sign_in, until

assert chromium  # a fixture
DESK: Json = {"viewport": {"width": 1200, "height": 850}}
PHONE: Json = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
FIRST_VIEW = 100 * 1024  # bytes over the line, from an empty cache to a table that can be played on
OWN_CODE = 'sessionStorage.setItem("sternenpost.signed-out", "yes")'  # nobody is taken in without a code

expect.set_options(timeout=20_000)  # milliseconds; the machine may be busy


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with new_house(STERNENPOST_LIMITS="off") as house:
        house.start_web()
        for _ in range(3):  # a worker looks after bots once a second, and these take turns
            house.start_worker()
        yield house


class Windows:
    """Browsers of several people. They ask nobody but the house, and complain of nothing but what is `expected`."""

    def __init__(self, chromium: Browser, house: House, stack: ExitStack) -> None:
        self._chromium, self._house, self._stack = chromium, house, stack
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.expected = "^$"

    def open(self, client: Client | None = None, script: str = OWN_CODE, **manners: Any) -> Page:
        """A window of somebody who is signed in already, if a `client` is given."""
        manners = {"locale": "en-GB", "reduced_motion": "reduce", "base_url": self._house.url, **DESK, **manners}
        context: BrowserContext = self._stack.enter_context(self._chromium.new_context(**manners))
        context.add_init_script(script)
        if client is not None:
            context.add_init_script(f'localStorage.setItem("sternenpost.token", {json.dumps(client.token)})')
        page = context.new_page()
        page.on("request", lambda it: self.asked.append(it.url))
        page.on("console", lambda it: self.complaints.append(it.text) if it.type in ("error", "warning") else None)
        page.on("pageerror", lambda it: self.complaints.append(str(it)))
        return page

    def check(self) -> None:
        assert [url for url in self.asked if not url.startswith((self._house.url, "blob:"))] == []
        assert [it for it in self.complaints if not re.search(self.expected, it)] == []


@pytest.fixture
def windows(chromium: Browser, house: House) -> Iterator[Windows]:
    with ExitStack() as stack:
        windows = Windows(chromium, house, stack)
        yield windows
        windows.check()


def code_for(house: House, email: str) -> str:
    """The code of the latest mail to this address."""
    subject = re.compile(r"^([0-9]{6})\b")
    house.await_mail(email, lambda mail: subject.match(mail.message["Subject"]))
    return next(
        found[1] for mail in reversed(house.post.of(email)) if (found := subject.match(mail.message["Subject"]))
    )


def enter(page: Page, house: House, email: str) -> None:
    """Sign in by a mailed code."""
    page.goto("/#/sign-in")
    page.get_by_label("Mail address").fill(email)
    page.get_by_role("button", name="Send me a code").click()
    expect(page.get_by_label("Code")).to_be_visible()
    page.get_by_label("Code").fill(code_for(house, email))
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="My games")).to_be_visible()


def game_of(client: Client, *seats: Json, **more: Any) -> str:
    """A game of Sternenhimmel that `client` opened and begins; its id."""
    wanted = {"rules": "sternenhimmel", "options": {"start_seat": 0}, "seats": list(seats), **more}
    return str(client.post("/v1/games", wanted)["id"])


ME, OPEN, BOT = {"player": "me"}, {"open": True}, {"bot": "greedy"}

# Moves, in every way that people make them


def by_mouse(page: Page) -> None:
    page.locator(".hand .star.open").first.click()
    page.locator(".space.lit").first.click()
    page.get_by_role("button", name="Play it").click()


def by_finger(page: Page) -> None:
    """The space first."""
    page.locator(".space.open").first.tap()
    page.locator(".hand .star.open").first.tap()
    page.get_by_role("button", name="Play it").tap()


def by_keyboard(page: Page) -> None:
    """Tab to a constellation, arrows to an empty space, Tab to the hand; the button to confirm has the focus then."""
    page.locator("main").focus()
    tab_to(page, ".space")
    for key in ["ArrowDown", "ArrowRight", "ArrowUp", "ArrowLeft"] * 6:
        if is_at(page, ".space.open"):
            break
        page.keyboard.press(key)
    else:
        tab_to(page, ".space.open")
    page.keyboard.press("Enter")
    tab_to(page, ".hand .star")
    page.keyboard.press("ArrowRight")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play it")).to_be_focused()
    page.keyboard.press("Enter")


def is_at(page: Page, selector: str) -> bool:
    return bool(page.evaluate("selector => document.activeElement.matches(selector)", selector))


def tab_to(page: Page, selector: str) -> None:
    for _ in range(80):
        page.keyboard.press("Tab")
        if is_at(page, selector):
            return
    raise AssertionError(f"No Tab leads to {selector}.")


def play_out(pages: dict[Page, Callable[[Page], None]]) -> None:
    """Whoever is asked moves, until the game is over."""
    turn = "document.querySelector('.state .mine') && document.querySelector('.hand .star.open')"
    while True:
        for page, move in pages.items():
            if page.evaluate(f"!!({turn})"):
                before = page.locator(".history .faint").inner_text()
                move(page)
                page.wait_for_function(
                    "before => document.querySelector('.history .faint').innerText !== before", arg=before
                )
        if all(page.get_by_text("The game is over:").first.is_visible() for page in pages):
            return
        next(iter(pages)).wait_for_timeout(20)


# Playing


@pytest.mark.timeout(300)  # ninety moves, and the bot waits for its beat before each of its own
def test_two_people_find_each_other_and_play_a_whole_game_with_a_bot(house: House, windows: Windows) -> None:
    ada, ben = windows.open(), windows.open(**PHONE)
    enter(ada, house, "ada@example.org")
    ada.locator("nav").get_by_role("link", name="New game").click()
    ada.locator("[name=seat-1]").select_option("open")
    ada.get_by_label("Title").fill("A clear night")
    ada.get_by_role("button", name="Open the game").click()
    expect(ada.get_by_role("heading", name="A clear night")).to_be_visible()

    enter(ben, house, "ben@example.org")
    ben.locator("nav").get_by_role("link", name="Lobby").tap()
    ben.get_by_role("button", name="Take a seat in A clear night").tap()
    expect(ben.locator(".board")).to_have_count(3)
    expect(ada.locator(".board")).to_have_count(3)  # she is told, and need not look again

    moves = iter([by_keyboard] * 3)
    play_out({ada: lambda page: next(moves, by_mouse)(page), ben: by_finger})
    [row] = house.rows("SELECT status, version FROM games WHERE title = 'A clear night'")
    assert (row["status"], row["version"]) == ("finished", 91)
    assert ben.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_who_has_the_link_of_a_private_game_signs_in_and_sits_there(house: House, windows: Windows) -> None:
    ada = sign_in(house, "lena@example.org")
    title = "<img src=//elsewhere.example onerror=alert(1)>"  # is nothing but a name
    game = ada.post("/v1/games", {"rules": "sternenhimmel", "title": title, "private": True, "seats": [ME, OPEN, BOT]})
    page = windows.open(**PHONE)
    page.goto(f"/#/games/{game['id']}?invitation={game['invitation']}")
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    page.get_by_role("link", name="Sign in to take a seat").tap()
    page.get_by_label("Mail address").fill("mia@example.org")
    page.get_by_role("button", name="Send me a code").tap()
    page.get_by_label("Code").fill(code_for(house, "mia@example.org"))
    page.locator("main").get_by_role("button", name="Sign in").tap()
    page.get_by_role("button", name="Take a seat").tap()
    expect(page.locator(".board")).to_have_count(3)
    assert ada.get(f"/v1/games/{game['id']}")["seats"][1]["name"] == "mia"


def test_a_move_whose_answer_is_lost_is_sent_again_and_counts_once(house: House, windows: Windows) -> None:
    client = sign_in(house, "cleo@example.org")
    game_id = game_of(client, ME, BOT, BOT)
    page = windows.open(client)
    windows.expected = "ERR_FAILED"
    tries: list[str] = []

    def lose(route: Route) -> None:
        """The server takes the move, and nobody hears of it."""
        tries.append(route.request.post_data or "")
        if len(tries) > 2:
            return route.continue_()
        route.fetch()
        return route.abort()

    page.route("**/moves", lose)
    page.goto(f"/#/games/{game_id}")
    by_mouse(page)
    expect(page.get_by_text("No answer yet.")).to_be_visible()
    until(lambda: len(tries) >= 3 or page.wait_for_timeout(50))
    expect(page.get_by_text("No answer yet.")).to_be_hidden()
    assert len(set(tries)) == 1
    story = client.get(f"/v1/games/{game_id}/events")["items"]
    assert [it["version"] for it in story if it["type"] == "star-placed" and it["seat"] == 0] == [2]


def test_whoever_was_offline_sees_what_happened_meanwhile(house: House, windows: Windows) -> None:
    client = sign_in(house, "dora@example.org")
    game_id = game_of(client, ME, BOT, BOT)
    page = windows.open(client)
    windows.expected = "ERR_INTERNET_DISCONNECTED|ERR_NETWORK_CHANGED"
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(".news.live")).to_be_visible()

    page.context.set_offline(True)
    expect(page.get_by_text("No connection.")).to_be_visible()
    asked = client.get(f"/v1/games/{game_id}/legal-moves")
    client.post(f"/v1/games/{game_id}/moves", {"turn": asked["turn"], "move": asked["moves"][0]})
    page.context.set_offline(False)
    expect(page.get_by_text("No connection.")).to_be_hidden()
    expect(page.locator(".space.fresh")).to_have_count(2)  # what the bots did since
    expect(page.locator(".news.live")).to_be_visible()


def test_the_slider_shows_earlier_tables_and_news_come_to_the_live_region(house: House, windows: Windows) -> None:
    client = sign_in(house, "emil@example.org")
    game_id = game_of(client, ME, BOT, BOT)
    page = windows.open(client)
    page.goto(f"/#/games/{game_id}")
    by_mouse(page)
    expect(page.locator("[aria-live]")).to_contain_text("greedy put", use_inner_text=False)
    expect(page.locator(".history .faint")).to_have_text("move 4 of 4")
    page.get_by_label("One move back").click()
    page.get_by_label("One move back").click()
    expect(page.locator(".space:not(:has(.ring))")).to_have_count(1)
    expect(page.locator(".hand .star.open")).to_have_count(0)  # the past is for looking only
    page.get_by_role("button", name="Back to now").click()
    expect(page.locator(".space:not(:has(.ring))")).to_have_count(3)


def test_a_turn_of_sternenglanz_is_put_together_step_by_step(house: House, windows: Windows) -> None:
    client = sign_in(house, "flora@example.org")
    wanted = {"rules": "sternenglanz", "options": {"start_seat": 0}, "seats": [ME, BOT]}
    game_id = client.post("/v1/games", wanted)["id"]
    page = windows.open(client)
    page.goto(f"/#/games/{game_id}")
    expect(page.get_by_role("img", name="The table of")).to_be_visible()
    page.locator(".steps button").first.click()
    page.get_by_role("button", name="Take the last step back").click()
    expect(page.locator(".turn ol")).to_have_count(0)
    page.locator(".steps button").first.click()
    page.get_by_role("button", name="Send these steps").click()
    until(
        lambda: any(
            it["type"] == "cards-chosen" and it["seat"] == 0
            for it in client.get(f"/v1/games/{game_id}/events")["items"]
        )
    )


# Around it


def test_signing_out_makes_the_token_worthless(house: House, windows: Windows) -> None:
    page = windows.open()
    enter(page, house, "gero@example.org")
    token = page.evaluate("localStorage.getItem('sternenpost.token')")
    assert Client(house, token).get("/v1/me")["email"] == "gero@example.org"
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Mail address")).to_be_visible()
    assert Client(house, token).ask("GET", "/v1/me").status_code == 401
    assert page.evaluate("localStorage.getItem('sternenpost.token')") is None


def test_a_refusal_is_told_in_the_words_of_the_server(house: House, windows: Windows) -> None:
    page = windows.open(locale="de-CH")
    windows.expected = "status of 401"
    page.goto("/#/sign-in")
    page.get_by_label("Mailadresse").fill("hans@example.org")
    page.get_by_role("button", name="Code schicken").click()
    page.get_by_label("Code").fill("000000" if code_for(house, "hans@example.org") != "000000" else "111111")
    page.get_by_role("button", name="Anmelden").click()
    expect(page.get_by_role("alert")).to_contain_text("Code")


def test_the_language_can_be_changed(house: House, windows: Windows) -> None:
    client = sign_in(house, "ida@example.org")
    page = windows.open(client)
    page.goto("/")
    page.get_by_label("Language").select_option("it")
    expect(page.get_by_role("heading", name="Le mie partite")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "it")
    until(lambda: client.get("/v1/me")["locale"] == "it")


def test_a_sandbox_takes_everybody_in(house: House, windows: Windows) -> None:
    page = windows.open(script="")
    page.goto("/")
    expect(page.locator(".me")).to_have_text("you")
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="Play as ada").click()
    expect(page.locator(".me")).to_have_text("ada")


def test_a_token_of_the_sandbox_is_for_its_own_page_only(house: House) -> None:
    client = Client(house)
    foreign = {"Sec-Fetch-Site": "cross-site"}
    assert client.ask("POST", "/sandbox/token", json={"name": "ada"}, headers=foreign).status_code == 404
    assert client.ask("POST", "/sandbox/token", json={"name": "eve"}).status_code == 422


def test_the_first_view_of_a_game_is_small(house: House, windows: Windows) -> None:
    client = sign_in(house, "jana@example.org")
    game_id = game_of(client, ME, BOT, BOT, BOT, BOT)  # the largest table
    page = windows.open(client)
    line = page.context.new_cdp_session(page)
    sizes: list[float] = []
    line.on("Network.loadingFinished", lambda it: sizes.append(it["encodedDataLength"]))
    line.send("Network.enable")
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(".hand .star.open")).to_have_count(9)
    expect(page.locator(".news.live")).to_be_visible()
    print(f"A first view takes {sum(sizes) / 1024:.0f} KiB in {len(sizes)} answers.")
    assert 10 * 1024 < sum(sizes) < FIRST_VIEW


def test_every_space_is_a_button_with_a_full_name(house: House, windows: Windows) -> None:
    client = sign_in(house, "karl@example.org")
    page = windows.open(client)
    page.goto(f"/#/games/{game_of(client, ME, BOT, BOT)}")
    named = page.get_by_role("button", name=re.compile(r"^\w+, space [a-z], (large: face down|small: face up), empty$"))
    expect(page.locator(".board")).to_have_count(3)
    assert named.count() == page.locator(".space").count() > 10
    assert page.locator(".space[tabindex='0']").count() == 3  # one stop for each constellation


# Without a browser


def test_text_can_be_read_by_day_and_by_night() -> None:
    css = served.FILES["page.css"].plain.decode()
    day, night = (dict(re.findall(r"--([\w-]+): (#\w{6});", part)) for part in css.split("prefers-color-scheme: dark"))
    for colours in (day, day | night):
        for ground in ("ground", "card"):
            for ink in ("ink", "faint", "accent", "wrong", "gold"):
                assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
            assert contrast(colours["line"], colours[ground]) >= 3
        assert contrast(colours["on-accent"], colours["accent"]) >= 4.5
        assert contrast(colours["ink"], colours["notice"]) >= 4.5
        for ink in ("sky-ink", "sky-faint", "lit"):
            assert contrast(colours[ink], colours["sky-low"]) >= 4.5, ink


def contrast(one: str, other: str) -> float:
    """Of two colours (WCAG 2.2)."""
    darker, lighter = sorted(map(luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (it / 12.92 if it <= 0.04045 else ((it + 0.055) / 1.055) ** 2.4 for it in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("language", ["de", "fr", "it"])
def test_all_catalogues_say_the_same(language: str) -> None:
    english, other = (json.loads(served.FILES[f"words/{it}.json"].plain) for it in ("en", language))
    assert list(other) == list(english)
    for key, words in english.items():
        assert blanks(other[key]) == blanks(words), key


def blanks(words: Any) -> set[str]:
    """What is filled in."""
    return set(re.findall(r"\{\w+\}", json.dumps(words)))


def test_every_word_that_the_page_says_is_in_its_catalogue() -> None:
    known = json.loads(served.FILES["words/en.json"].plain)
    for name, file in served.FILES.items():
        said = re.findall(r'\bt\("([^"]+)"', file.plain.decode()) if name.endswith(".js") else []
        assert [key for key in said if key not in known] == [], name


def test_the_page_has_a_strict_policy_and_nothing_but_its_files_is_served(house: House) -> None:
    client = Client(house)
    policy = client.ask("GET", "/").headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
    assert "unsafe" not in policy
    assert "<style" not in client.ask("GET", "/").text
    assert not re.search(r"<script(?! type=\"module\" src=)", client.ask("GET", "/").text)
    assert client.ask("GET", "/page/__init__.py").status_code == 404
    assert client.ask("GET", "/page/../app.py").status_code == 404
