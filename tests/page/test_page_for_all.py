"""Accessibility: screen readers, keyboards, zoom and forced colours."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Page, expect

from server.games import GAMES
from server.translations import LOCALES
from tests.page.keys import by_keys
from tests.page.programs import play, play_to_the_end, whole_turn
from tests.page.windows import BOT, ME, OPEN, PHONE, Windows, by_mouse, enter, game_of, quiet, tab_to, too_wide
from tests.support.live_server import Client, House, Json, sign_in, until

# What is measured follows a change when it is drawn, not before: scrolling, and what fits its room.
DRAWN = "() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))"
LEAST = 24  # CSS pixels of a target (WCAG 2.2, 2.5.8)


class Scene(NamedTuple):
    player: Client
    sternenhimmel: str
    sternenglanz: str
    over: str
    waiting: str


@pytest.fixture(scope="module")
def scene(house: House) -> Scene:
    """A player who is asked in two games, waits in one, and has seen the end of one."""
    ada, ben, cyd = (quiet(sign_in(house, f"{name}@example.org")) for name in ("ada", "ben", "cyd"))
    sternenglanz = game_of(ada, ME, OPEN, rules="sternenglanz", options={"start_seat": 0, "scenario": 4})
    over, waiting = game_of(ada, ME, OPEN, OPEN), game_of(ada, ME, OPEN, OPEN)
    for client, game_id in ((ben, sternenglanz), (ben, over), (cyd, over)):
        client.post(f"/v1/games/{game_id}/seats", {})
    play_to_the_end(over, ada, ben, cyd)
    for client in (ada, ben):
        play(client, sternenglanz)
    return Scene(ada, game_of(ada, ME, BOT, BOT, BOT, BOT), sternenglanz, over, waiting)


def screens(page: Page, scene: Scene) -> Iterator[str]:
    """One after the other."""
    shown = {
        f"/#/games/{scene.sternenhimmel}": ".hand .star.open",
        f"/#/games/{scene.sternenglanz}": ".slot.lit",
        f"/#/games/{scene.over}": ".seats .place",
        f"/#/games/{scene.waiting}": ".seats",
        "/#/": ".card.game",
        "/#/lobby": ".card.game",
        "/#/open": "form",
        "/#/settings": ".settings .card",
        "/#/settings/notifications": ".settings .card",
        "/#/settings/webhooks": ".settings .card",
        "/#/rules/sternenglanz": "[data-section]",
        f"/#/players/{scene.player.get('/v1/me')['id']}": ".played",
    }
    for address, selector in shown.items():
        page.goto(address)
        expect(page.locator(selector).first).to_be_visible()
        yield address


# Who hears it


def test_screen_readers_announce_everything_visible_at_a_table(scene: Scene, windows: Windows) -> None:
    page = windows.open(scene.player)
    page.goto(f"/#/games/{scene.sternenhimmel}")
    expect(page.locator(".hand .star.open")).to_have_count(9)
    expect(
        page.get_by_role("heading", name="Players", exact=True)
    ).to_be_visible()  # the details below the table come after it
    told = page.locator("main").aria_snapshot()
    view = scene.player.get(f"/v1/games/{scene.sternenhimmel}")["view"]
    for board in view["boards"]:
        for space in board["spaces"]:
            assert len(re.findall(rf'button "\w+, space {space}, ', told)) >= 1
    assert len(re.findall(r'button "\w+, space ', told)) == sum(len(it["spaces"]) for it in view["boards"])
    hand = told[told.index('group "Your stars"') :]
    assert len(re.findall(r'- button "(?:a |a black hole|a double star)', hand)) == len(view["hand"])
    assert 'slider "Earlier moves"' in told and 'heading "Players"' in told


def test_screen_readers_announce_everything_visible_on_a_firmament(scene: Scene, windows: Windows) -> None:
    page = windows.open(scene.player)
    page.goto(f"/#/games/{scene.sternenglanz}")
    expect(page.locator(".slot.lit")).to_have_count(3)
    told = page.locator("main").aria_snapshot()
    view = scene.player.get(f"/v1/games/{scene.sternenglanz}")["view"]
    for field in view["board"]:
        assert re.search(rf"button \"Firmament, space {field}: ", told), field
    slots = told[told.index('group "Your slots"') :] if 'group "Your slots"' in told else told
    assert len(re.findall(r"- 'button \"Slot \d|- button \"Slot \d", slots)) >= 3


HEARD = """() => {
  window.heard = [];
  const region = document.querySelector("main [aria-live]");
  new MutationObserver(() => heard.push(region.textContent)).observe(region, {childList: true, characterData: true, subtree: true});
}"""


def test_events_are_announced_once_and_in_order(house: House, windows: Windows) -> None:
    client = sign_in(house, "dora@example.org")
    game_id = game_of(client, ME, BOT, BOT)
    page = windows.open(client)
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(".news.live")).to_be_visible()
    page.evaluate(HEARD)
    for moves in (4, 7):
        by_mouse(page)
        expect(page.locator(".history .faint")).to_have_text(f"move {moves} of {moves}")
    story = client.get(f"/v1/games/{game_id}/events")["items"]
    placed = [(it["seat"], it["space"]) for it in story if it["type"] == "star-placed"]
    page.wait_for_function("least => heard.join(' ').split(' put ').length > least", arg=len(placed))
    names = ["You", "Greedy 1", "Greedy 2"]
    told = re.findall(r"(You|Greedy \d) put .*? on \w+ (\w)\.", " ".join(page.evaluate("heard")))
    assert told == [(names[seat], space) for seat, space in placed]


# Who uses keys


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.outerHTML.slice(0, 120)"))


def expect_focus(page: Page) -> None:
    """Somewhere on the page, and not at its very beginning."""
    page.evaluate(DRAWN)
    assert not focused(page).startswith("<body"), focused(page)


@pytest.mark.parametrize("rules", GAMES)
def test_tab_leaves_a_space_that_shows_its_tooltip(house: House, windows: Windows, rules: str) -> None:
    client = sign_in(house, f"tabea-{rules}@example.org")
    page = windows.open(client)
    page.goto(f"/#/games/{game_of(client, ME, BOT, BOT, rules=rules, options={'start_seat': 0})}")
    expect(page.locator(".note")).to_be_visible()
    expect(page.locator("[data-explained]")).to_be_attached()  # tooltips have loaded
    tab_to(page, "[data-at]")
    for way in ("Tab", "Shift+Tab"):
        expect(page.get_by_role("tooltip")).to_be_visible()
        explained = page.locator("[aria-describedby=tip]").element_handle()
        page.keyboard.press(way)
        page.evaluate(DRAWN)
        assert not explained.evaluate("it => it === document.activeElement"), way
        page.keyboard.press("Shift+Tab" if way == "Tab" else "Tab")


def test_the_focus_stays_where_the_player_is_working(house: House, windows: Windows) -> None:
    client = sign_in(house, "emil@example.org")
    game_id = game_of(client, ME, BOT, BOT)
    page = windows.open(client)
    page.goto(f"/#/games/{game_id}")
    for end in ("Escape", "Choose again", "Play it"):
        by_keys(page.locator(".hand .star.open").first)
        by_keys(page.locator(".space.lit").first)
        expect(page.get_by_role("button", name="Play it")).to_be_focused()
        if end == "Escape":
            page.keyboard.press(end)
            expect_focus(page)
            page.keyboard.press(end)
        else:
            by_keys(page.get_by_role("button", name=end))
        expect(page.get_by_role("button", name="Play it")).to_be_hidden()
        expect_focus(page)
    expect(page.locator(".history .faint")).to_have_text("move 4 of 4")
    expect_focus(page)
    by_keys(page.get_by_label("Back one move"))
    by_keys(page.get_by_label("Forward one move"))
    expect(page.locator(".history .faint")).to_have_text("move 4 of 4")
    expect_focus(page)
    by_keys(page.get_by_label("Back one move"))
    by_keys(page.get_by_role("button", name="Back to now"))
    expect_focus(page)
    by_keys(page.get_by_role("button", name="Rules").and_(page.locator("main *")))
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect_focus(page)
    page.locator(".note textarea").focus()
    page.keyboard.type("Hello")
    by_keys(page.get_by_role("button", name="Save note"))
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect_focus(page)
    by_keys(page.locator("summary").filter(has_text="Options, pause"))
    by_keys(page.get_by_role("button", name="Resign"))
    expect_focus(page)
    by_keys(page.get_by_role("button", name="Cancel"))
    expect_focus(page)
    by_keys(page.get_by_role("button", name="Pause the game"))
    expect(page.locator(".state")).to_contain_text("Paused")
    expect_focus(page)


@pytest.mark.parametrize("rules", ["sternenhimmel", "sternenglanz"])
def test_a_link_at_the_top_leads_to_the_hand(house: House, windows: Windows, rules: str) -> None:
    client = sign_in(house, f"skip-{rules}@example.org")
    page = windows.open(client)
    page.goto(f"/#/games/{game_of(client, ME, BOT, BOT, rules=rules, options={'start_seat': 0})}")
    expect(page.locator(".tray .lit, .tray .star.open").first).to_be_attached()
    page.locator(".skip").first.focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="To your hand")).to_be_focused()
    expect(page.get_by_role("link", name="To your hand")).to_be_in_viewport(ratio=1)
    page.keyboard.press("Enter")
    expect(page.locator(".tray :is(.star, .slot, .held):focus")).to_have_count(1)


def test_the_focus_leads_from_the_hand_to_a_space_to_the_button_and_back(house: House, windows: Windows) -> None:
    client = sign_in(house, "erna@example.org")
    page = windows.open(client)
    page.goto(f"/#/games/{game_of(client, ME, BOT, BOT, options={'start_seat': 0})}")
    expect(page.locator(".hand .star.open")).to_have_count(9)
    page.locator("[data-tool=rules]").focus()
    page.keyboard.press("Tab")
    expect(page.locator(".hand .star:focus, .guide button:focus")).to_have_count(1)  # before the constellations
    page.locator(".hand .star").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(".space.lit:focus")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Play it")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".space.lit:focus")).to_have_count(1)
    expect(page.locator(".hand .star").nth(1)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(page.locator(".hand .star").nth(1)).to_be_focused()
    expect(page.locator(".hand [aria-pressed=true]")).to_have_count(0)
    page.locator(".space.open").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".hand .star.open:focus")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Play it")).to_be_focused()


def test_keys_lead_to_the_hand_and_from_one_constellation_to_the_next(house: House, windows: Windows) -> None:
    client = sign_in(house, "edda@example.org")
    page = windows.open(client)
    page.goto(f"/#/games/{game_of(client, ME, BOT, BOT, options={'start_seat': 0})}")
    expect(page.locator(".hand .star.open")).to_have_count(9)
    expect(page.locator(".guide")).to_contain_text("Point at it")
    page.keyboard.press("Home")
    expect(page.locator(".hand .star").first).to_be_focused()
    expect(page.locator(".guide")).to_contain_text("Enter chooses it")
    for board in (0, 1, 2, 0):
        page.keyboard.press("PageDown")
        expect(page.locator(".board").nth(board).locator(".space.open:focus")).to_have_count(1)
    page.keyboard.press("PageUp")
    expect(page.locator(".board").nth(2).locator(".space:focus")).to_have_count(1)
    visited = set()
    for _ in range(60):  # along the whole sky
        visited.add(page.evaluate("document.activeElement.closest('[data-board]').dataset.board"))
        page.keyboard.press("ArrowLeft")
    assert len(visited) > 1
    for _ in range(60):
        page.keyboard.press("ArrowDown")
    expect(page.locator(".hand .star:focus")).to_have_count(1)
    page.keyboard.press("ArrowUp")
    expect(page.locator(".space:focus")).to_have_count(1)


def test_the_focus_stays_while_a_sternenglanz_turn_is_built(scene: Scene, windows: Windows) -> None:
    page = windows.open(scene.player)
    page.goto(f"/#/games/{scene.sternenglanz}")
    expect(page.locator(".slot.lit")).to_have_count(3)
    by_keys(page.locator("[data-slot='1']"))
    expect_focus(page)
    by_keys(page.locator("[data-undo]"))
    expect_focus(page)
    for step in whole_turn(scene.player, scene.sternenglanz)[:1]:
        by_keys(page.locator(f"[data-slot='{step['slot']}']"))
    page.keyboard.press("Escape")
    expect_focus(page)


def test_the_focus_stays_while_signing_in_and_joining(house: House, windows: Windows) -> None:
    game_of(sign_in(house, "gil@example.org"), ME, OPEN, OPEN, title="Come in")
    page = windows.open()
    enter(page, house, "hal@example.org")
    expect_focus(page)
    by_keys(page.locator("nav").get_by_role("link", name="Lobby"))
    expect(page.get_by_role("link", name="Come in")).to_be_visible()
    expect_focus(page)
    by_keys(page.get_by_role("button", name="Take a seat in Come in"))
    expect(page.get_by_text("this game takes weeks")).to_be_visible()
    by_keys(page.get_by_role("button", name="Take a seat in Come in"))
    expect(page.get_by_role("heading", name="Come in", level=1)).to_be_visible()
    expect_focus(page)
    by_keys(page.get_by_role("button", name="Leave the table"))
    expect_focus(page)
    by_keys(page.get_by_role("button", name="Leave the table"))
    expect(page.get_by_role("button", name="Take a seat")).to_be_visible()
    expect_focus(page)


COVERED = """() => {
  const it = document.activeElement;
  if (it === document.body || it.closest(".unseen")) return null;
  const box = it.getBoundingClientRect();
  const seen = [.1, .5, .9].some((x) => [.1, .5, .9].some((y) => {
    const at = document.elementFromPoint(box.x + x * box.width, box.y + y * box.height);
    return at && (it.contains(at) || at.contains(it));
  }));
  return seen ? null : it.outerHTML.slice(0, 160);
}"""


def covered(page: Page) -> str | None:
    """What has the focus and is not to be seen."""
    if page.evaluate(COVERED) is None:
        return None
    page.evaluate(DRAWN)
    return str(found) if (found := page.evaluate(COVERED)) else None


@pytest.mark.parametrize("manners", [{}, PHONE], ids=["desk", "phone"])
def test_the_focused_element_is_never_hidden(manners: Json, scene: Scene, windows: Windows) -> None:
    page = windows.open(scene.player, **manners)
    for game_id in (scene.sternenhimmel, scene.sternenglanz):
        page.goto(f"/#/games/{game_id}")
        expect(page.locator(".hand .star.open, .slot.lit").first).to_be_visible()
        expect(
            page.locator(".preferences")
        ).to_be_attached()  # the last of the details below the table, and comes after it
        page.locator("main").focus()
        for key in ("Tab", "Shift+Tab"):
            for _ in range(50):
                page.keyboard.press(key)
                assert covered(page) is None


# Who touches and enlarges it


SMALL = """least => [...document.querySelectorAll("button, a, input, select, textarea, summary, [role=button]")]
  .filter((it) => it.checkVisibility() && !it.closest(".unseen, p, li, dd, .skip"))
  .map((it) => [it, (it.closest("label") ?? it).getBoundingClientRect()])
  .filter(([it, {width, height}]) => Math.min(width, height) < least - .01)
  .map(([it, {width, height}]) => `${it.outerHTML.slice(0, 120)} ${width} ${height}`)"""
STYLE = """css => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [sheet];
}"""
CUT = """() => [...document.querySelectorAll("main *, header *")]
  .filter((it) => !it.closest("svg, .unseen, [aria-hidden], h1[title]") && it.checkVisibility() && it.innerText?.trim())
  .filter((it) => { // names that only screen readers get
    while (it && getComputedStyle(it).clipPath !== "inset(50%)") it = it.parentElement;
    return !it;
  })
  .filter((it) => ["hidden", "clip"].includes(getComputedStyle(it).overflowX))
  .filter((it) => it.scrollWidth > it.clientWidth + 1 || it.scrollHeight > it.clientHeight + 1)
  .map((it) => it.outerHTML.slice(0, 120))"""
SPACED = """* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important; }
  p { margin-bottom: 2em !important; }"""  # WCAG 2.2, 1.4.12


def test_every_target_is_large_enough_for_a_finger(scene: Scene, windows: Windows) -> None:
    page = windows.open(scene.player, **PHONE)
    for address in screens(page, scene):
        assert page.evaluate(SMALL, LEAST) == [], address


def test_the_smallest_screen_needs_no_horizontal_scrolling(scene: Scene, windows: Windows) -> None:
    page = windows.open(scene.player, **{**PHONE, "viewport": {"width": 320, "height": 600}})
    for address in screens(page, scene):
        assert not too_wide(page), address


def in_the_end(page: Page, faults: Callable[[Page], Any]) -> Any:
    """What is wrong once all that comes is in its place; what fits its room follows it a moment later."""
    with suppress(AssertionError):
        until(lambda: not faults(page) or page.wait_for_timeout(50))
    return faults(page)


@pytest.mark.parametrize(
    ("css", "size", "manners"),
    [(SPACED, 16, {}), (SPACED, 16, PHONE), ("", 32, {})],
    ids=["desk", "phone", "large"],
)
def test_custom_text_spacing_does_not_break_the_layout(
    css: str, size: int, manners: Json, scene: Scene, windows: Windows
) -> None:
    page = windows.open(scene.player, **manners)
    fonts = {"fontSizes": {"standard": size}}  # the browser's setting, which media queries in rem follow
    page.context.new_cdp_session(page).send("Page.setFontSizes", fonts)
    for address in screens(page, scene):
        page.evaluate(STYLE, css)
        assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == f"{size}px"
        assert in_the_end(page, lambda page: too_wide(page) or page.evaluate(CUT)) == [], address


def test_long_sternbild_names_fit_on_a_phone(scene: Scene, windows: Windows) -> None:
    page = windows.open(scene.player, **PHONE)
    page.goto(f"/#/games/{scene.sternenglanz}")
    expect(page.locator(".slot.lit").first).to_be_visible()
    page.evaluate(STYLE, SPACED)
    told = page.locator(".beside .bild figcaption").first
    for figure in scene.player.get("/v1/rules/sternenglanz")["cards"]["sternbilder"]:
        for name in figure["names"].values():
            told.evaluate("(it, name) => { it.textContent = name; }", name)
            assert too_wide(page) == [], name


# Who sees otherwise


def test_nothing_moves_if_motion_is_reduced(scene: Scene, windows: Windows) -> None:
    page = windows.open(scene.player)  # who asks for less motion
    for address in screens(page, scene):
        assert page.evaluate("document.getAnimations().length") == 0, address
    page.goto(f"/#/games/{scene.sternenhimmel}")
    page.locator(".hand .star.open").first.click()
    expect(page.locator(".space.lit").first).to_be_visible()
    assert page.evaluate("document.getAnimations().length") == 0
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate("document.getAnimations().length") > 0


def test_the_header_leaves_room_for_content_on_a_phone_in_every_language(house: House, windows: Windows) -> None:
    client = sign_in(house, "petra-luise@example.org")
    game_of(client, ME, BOT, BOT)
    for locale in LOCALES:
        assert client.ask("PATCH", "/v1/me", json={"locale": locale}).status_code == 200
        page = windows.open(client, **PHONE)
        page.goto("/#/lobby")
        expect(page.locator(f"html[lang={locale}] .head .count")).to_be_visible()
        head = page.locator(".head").bounding_box()
        assert head and head["height"] < 110 and not too_wide(page), locale


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_seats_and_choices_are_distinguishable_in_forced_colours(scheme: str, scene: Scene, windows: Windows) -> None:
    page = windows.open(scene.player, forced_colors="active", color_scheme=scheme)
    page.goto(f"/#/games/{scene.sternenhimmel}")
    expect(page.locator(".hand .star.open")).to_have_count(9)
    expect(page.locator(".seats .mark")).to_have_count(5)  # the details below the table comes after it
    shapes = page.locator(".seats .mark").evaluate_all("those => those.map((it) => it.innerHTML)")
    assert len(set(shapes)) == 5
    assert "gradient" in page.locator(".board").first.evaluate("it => getComputedStyle(it).backgroundImage")
    star = page.locator(".hand .star.open").first
    before = star.evaluate(LOOK)
    star.click()
    assert star.evaluate(LOOK) != before


LOOK = "it => ['borderColor', 'borderWidth', 'outlineStyle', 'backgroundColor'].map((name) => getComputedStyle(it)[name]).join()"
