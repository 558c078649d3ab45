"""The layout: the table comes first and does not shift while it loads."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from server.translations import LOCALES
from tests.page.axe import objections
from tests.page.layout import LEAST, MOST_SHIFT, SIZES, apart, out_of_reach, share_of_skies, shift, slow_down, watched
from tests.page.programs import play, whole_turn
from tests.page.screens import SCREENS, Scene, furnished
from tests.page.sternenglanz_taps import tap_out
from tests.page.windows import BOT, DESK, ME, OPEN, PHONE, Windows, game_of, quiet, too_wide
from tests.support.live_server import Client, House, Json, sign_in

TURN = ".slot.lit, .held.open, .hand .star.open"


@pytest.fixture(scope="module")
def scene(house: House) -> Scene:
    return furnished(house)


def tables(house: House, client: Client) -> list[str]:
    """A turn of each game by each number of seats."""
    games = [game_of(client, ME, *[BOT] * bots) for bots in (2, 3, 4)]
    for scenario in (1, 2, 3, 4):
        options = {"start_seat": 0, "scenario": scenario}
        games.append(game_of(client, ME, OPEN, rules="sternenglanz", options=options))
    other = quiet(sign_in(house, "una@example.org"))
    for game_id in games[3:]:
        other.post(f"/v1/games/{game_id}/seats", {})
        play(client, game_id)
        play(other, game_id)
    return games


def to_turn(page: Page, game_id: str) -> None:
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(TURN).first).to_be_visible()
    expect(page.locator(".news.live")).to_have_count(1)


@pytest.mark.parametrize("size", SIZES)
def test_the_whole_board_and_the_players_pieces_are_visible_when_a_turn_opens(
    house: House, windows: Windows, size: str
) -> None:
    client = quiet(sign_in(house, f"{size}@example.org"))
    page = windows.open(client, **SIZES[size])
    for game_id in tables(house, client):
        to_turn(page, game_id)
        assert share_of_skies(page) >= LEAST[size]
        assert out_of_reach(page) == []
        assert not too_wide(page)
        for held in page.locator(".hand .star, .slots button, .own-hand button").all():
            expect(held).to_be_in_viewport(ratio=1)
        page.locator(".hand .star, .slots button").first.focus()  # scrolls only what is out of view
        assert out_of_reach(page) == []


LONG_NAMES = ("Wilhelmina Whitman", "Maximilian Wagner", "Montgomery Wilson", "Gwendolyn Matthews", "Wolfgang Amadeus")


@pytest.mark.parametrize("locale", LOCALES)
def test_a_table_of_five_cuts_off_neither_sky_nor_guide_nor_players(
    house: House, windows: Windows, locale: str
) -> None:
    ada, *others = (quiet(sign_in(house, f"{nr}-of-five-{locale}@example.org")) for nr in range(5))
    for client, name in zip((ada, *others), LONG_NAMES, strict=True):
        assert client.ask("PATCH", "/v1/me", json={"name": name, "locale": locale}).status_code == 200
    game_id = game_of(ada, ME, *[OPEN] * 4, options={"start_seat": 1})
    for client in others:
        client.post(f"/v1/games/{game_id}/seats", {})
    for client in others:  # so that the first turn has news
        assert play(client, game_id)
    for size in SIZES:
        page = windows.open(ada, **SIZES[size], locale=locale)
        to_turn(page, game_id)
        assert page.locator(".boards").evaluate("it => it.scrollHeight <= it.clientHeight + 1"), size
        assert page.locator("[data-said]").evaluate("it => it.scrollHeight <= it.clientHeight + 1"), size
        buttons = page.locator(".guide button")
        expect(buttons).to_have_count(2)
        state = page.locator(".state").bounding_box()
        for it in (*buttons.all(), *page.locator(".seats button").all()):
            expect(it).to_be_in_viewport(ratio=1)
        for box in (it.bounding_box() for it in page.locator(".seats button").all()):
            assert state and box
            assert state["y"] <= box["y"] and box["y"] + box["height"] <= state["y"] + state["height"], size


FIGURE_ON_TOP = """it => {
  const { x, y, width, height } = it.getBoundingClientRect();
  return it.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""


@pytest.mark.parametrize("viewport", [(390, 844), (412, 915)], ids=str)
def test_the_constellation_to_complete_is_visible_on_a_phone_and_covers_no_space(
    house: House, windows: Windows, viewport: tuple[int, int]
) -> None:
    client = quiet(sign_in(house, f"bild-{viewport[0]}@example.org"))
    width, height = viewport
    page = windows.open(client, **SIZES["phone"] | {"viewport": {"width": width, "height": height}})
    for scenario in (2, 3):
        game_id = game_of(client, ME, BOT, rules="sternenglanz", options={"start_seat": 0, "scenario": scenario})
        play(client, game_id)
        to_turn(page, game_id)
        page.locator(".beside .bild").first.evaluate(
            "it => { it.style.pointerEvents = 'auto' }"
        )  # taps go through it otherwise
        assert page.locator(".beside .figure").evaluate(FIGURE_ON_TOP)
        assert out_of_reach(page) == []


def test_the_tray_tells_what_the_others_did_in_place_of_the_goal(house: House, windows: Windows) -> None:
    client = quiet(sign_in(house, "moved@example.org"))
    game_id = game_of(client, ME, BOT, rules="sternenglanz", options={"start_seat": 0, "scenario": 1})
    while (game := client.get(f"/v1/games/{game_id}"))["view"]["turn"] < 3:
        if game["you"]["turn"] is not None:
            play(client, game_id)
    for size in ("phone", "desk"):
        page = windows.open(client, **SIZES[size])
        to_turn(page, game_id)
        expect(page.locator(".tray .moved")).to_be_visible()
        expect(page.locator(".tray .moved")).to_contain_text("Greedy")
        expect(page.locator(".tray .aim")).to_have_css("clip-path", "inset(50%)")
        news, hand = page.locator(".tray .moved"), page.locator(".own-hand").bounding_box()
        over = "it => it.scrollHeight - it.clientHeight"
        assert page.locator(".tray [data-said]").evaluate(over) <= 1
        assert (news.evaluate(over) > 1) == (news.get_attribute("data-cut") is not None)
        assert news.get_attribute("data-cut") is None, (
            news.inner_text()
        )  # a single opponent has done at most three things
        news.click()  # shows all of it
        expect(news).to_have_css("overflow", "auto")
        assert page.locator(".own-hand").bounding_box() == hand


def test_the_counts_of_pieces_explain_themselves_by_touch_and_pointer(house: House, windows: Windows) -> None:
    client = quiet(sign_in(house, "counts@example.org"))
    game_id = game_of(client, ME, BOT, rules="sternenglanz", options={"start_seat": 0})
    for size in (PHONE, PHONE | {"viewport": {"width": 390, "height": 844}}, DESK):
        page = windows.open(client, **size)
        to_turn(page, game_id)
        expect(page.locator("[data-explained]")).to_have_count(1)
        count = page.locator(".supply li").first
        if size is DESK:
            count.hover()
            assert "Supply" in count.evaluate("it => getComputedStyle(it.parentElement, '::before').content")
        else:
            count.tap()
            assert all(
                apart(field, it)
                for field in page.locator(".field .ring").all()
                for it in page.locator(".supply li").all()[:2]
            )
        expect(page.get_by_role("tooltip")).to_have_text(
            re.compile(r"^Dot star: \d+ of 50 left in the supply\.\s*Bright star: ")
        )


OVERLAPS = """() => {
  const of = (it) => document.querySelector(it).getBoundingClientRect();
  return [of(".first .own").bottom - of(".tableaus").top, of(".sternenglanz").bottom - of(".details").top];
}"""


def test_long_texts_in_sternenglanz_never_overlap_what_is_below_them(scene: Scene, windows: Windows) -> None:
    page = windows.open(scene.player, **PHONE)
    for name in ("a sternenglanz that waits for others", "a sternenglanz of earlier", "a turn of sternenglanz"):
        SCREENS[name](page, scene)
        assert max(page.evaluate(OVERLAPS)) <= 0, name
    tap_out(page, whole_turn(scene.player, scene.games["sternenglanz"]), Locator.tap)  # guided, which takes most words
    expect(page.locator(".send")).to_be_visible()
    assert max(page.evaluate(OVERLAPS)) <= 0


def test_the_link_to_the_next_game_covers_nothing_after_the_end(scene: Scene, windows: Windows) -> None:
    page = windows.open(scene.player, **PHONE)
    page.goto(f"/#/games/{scene.games['sternenglanz, over']}")
    link = page.get_by_role("link", name=re.compile("^Next: "))
    expect(link).to_have_count(1)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(link).not_to_be_in_viewport()


CUT_OFF = """() => [...document.querySelectorAll("[data-said]")].filter((it) => it.scrollHeight > it.clientHeight + 1)
  .map((it) => `${it.scrollHeight} of ${it.clientHeight}: ${it.innerText}`)"""


@pytest.mark.parametrize("size", ["phone", "desk"])
@pytest.mark.parametrize("language", LOCALES)
def test_texts_shown_during_a_turn_are_never_cut_off(house: House, windows: Windows, language: str, size: str) -> None:
    one, other = (quiet(sign_in(house, f"{who}-{language}-{size}@example.org")) for who in ("ada", "ben"))
    one.ask("PATCH", "/v1/me", json={"locale": language})
    page = windows.open(one, **SIZES[size], locale=language)
    cut_off: list[str] = []

    def press(where: Locator) -> None:
        cut_off.extend(page.evaluate(CUT_OFF))
        where.tap() if size == "phone" else where.click()

    to_turn(page, game_of(one, ME, BOT, BOT))
    if size == "phone":
        page.set_viewport_size({"width": 320, "height": 640})
        cut_off += page.evaluate(CUT_OFF)
        page.set_viewport_size(SIZES[size]["viewport"])
    else:
        page.keyboard.press("Tab")  # explains the keys, which takes more words
        expect(page.locator(".guide")).to_contain_text("Tab")
    press(page.locator(".hand .star.open").last)
    press(page.locator(".space.large.lit").first)
    press(page.locator(".confirm button").first)
    expect(page.locator(".hand .star.open")).to_have_count(8)
    game_id = game_of(one, ME, OPEN, rules="sternenglanz", options={"start_seat": 0, "scenario": 1})
    other.post(f"/v1/games/{game_id}/seats", {})
    play(other, game_id)
    for turn in range(3):  # in the first one the cards are chosen, and it begins to be guided
        to_turn(page, game_id) if turn == 0 else expect(page.locator(".slot.lit").first).to_be_visible()
        tap_out(page, whole_turn(one, game_id), press)
        press(page.locator(".send:enabled"))
        expect(page.locator(".send")).to_have_count(0)
        while one.get(f"/v1/games/{game_id}")["you"]["turn"] is None:
            play(other, game_id)
    cut_off += page.evaluate(CUT_OFF)
    assert cut_off == []


ADDRESSES = [
    "/#/games/{sternenhimmel}",
    "/#/games/{sternenglanz}",
    "/#/games/{sternenhimmel, others}",
    "/#/games/{sternenglanz, others}",
    "/#/games/{sternenhimmel, over}",
    "/#/games/{sternenglanz, over}",
    "/#/games/{waiting}",
    "/#/",
    "/#/lobby",
    "/#/open",
    "/#/settings",
    "/#/rules/sternenhimmel",
    "/#/sign-in",
]


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_the_layout_does_not_shift_while_a_screen_loads(scene: Scene, windows: Windows, size: str) -> None:
    found = {}
    for address in ADDRESSES:
        page = slow_down(windows.open(scene.player, **SIZES[size]))
        page.goto(address.format_map(scene.games))
        expect(page.locator("main h1").first).to_be_attached()
        found[address] = round(shift(page), 3)
        page.context.close()
    assert {address: by for address, by in found.items() if by >= MOST_SHIFT} == {}


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_losing_the_connection_is_reported_without_a_layout_shift(scene: Scene, windows: Windows, size: str) -> None:
    page = watched(windows.open(scene.player, **SIZES[size]))
    windows.expected = "ERR_INTERNET_DISCONNECTED"
    page.goto("/#/games/{sternenhimmel}".format_map(scene.games))
    expect(page.locator(".news.live")).to_have_count(1)
    before = shift(page)
    page.context.set_offline(True)
    expect(page.locator(".notice.away")).to_be_visible()
    assert shift(page) - before < 0.01
    page.context.set_offline(False)
    expect(page.locator(".notice.away")).to_have_count(0)


ON_ITS_SIDE: Json = {"viewport": {"width": 844, "height": 390}, "has_touch": True, "is_mobile": True}


def test_board_and_hand_are_side_by_side_on_a_phone_on_its_side(house: House, windows: Windows) -> None:
    client = quiet(sign_in(house, "side@example.org"))
    page = windows.open(client, **ON_ITS_SIDE)
    games = [game_of(client, ME, *[BOT] * bots) for bots in (2, 4)]
    for game_id in [*games, game_of(client, ME, BOT, rules="sternenglanz", options={"scenario": 4})]:
        to_turn(page, game_id)
        for held in page.locator(".hand .star, .slots button, .own-hand button").all():
            expect(held).to_be_in_viewport(ratio=1)
        assert share_of_skies(page) >= 0.5
        assert not too_wide(page)
    sky, beside = (page.locator(it).bounding_box() for it in (".firmament", ".beside"))
    assert sky and beside and sky["x"] + sky["width"] <= beside["x"]


def test_chat_opens_from_the_first_screen_and_returns_the_focus(scene: Scene, windows: Windows) -> None:
    page = windows.open(scene.player, **PHONE)
    page.goto(f"/#/games/{scene.games['sternenhimmel, others']}")
    tool = page.get_by_role("button", name=re.compile("^Chat"))
    expect(tool).to_contain_text("12")
    expect(tool).to_be_in_viewport(ratio=1)
    tool.press("Enter")
    chat = page.get_by_role("dialog", name="Chat")
    expect(chat).to_be_focused()
    expect(chat.get_by_role("listitem").last).to_be_in_viewport(ratio=0.9)
    expect(chat.get_by_label("Message")).to_be_in_viewport(ratio=1)
    assert objections(page) == []
    page.keyboard.press("Escape")
    expect(chat).to_have_count(0)
    expect(tool).to_be_focused()


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_a_bar_shows_the_state_of_the_game_wherever_the_page_is_scrolled(
    scene: Scene, windows: Windows, size: str
) -> None:
    page = windows.open(scene.player, **SIZES[size])
    page.goto(f"/#/games/{scene.games['sternenhimmel']}")
    expect(page.get_by_text("Options, pause, leave")).to_be_attached()
    expect(page.locator(".in-short")).to_have_count(0)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    bar = page.locator(".in-short")
    expect(bar).to_contain_text("Your turn · 2 days left")
    note = page.get_by_role("heading", name="Players")
    note.evaluate("it => { it.tabIndex = -1; it.focus() }")
    bottom, top = bar.bounding_box(), note.bounding_box()
    assert bottom and top and top["y"] >= bottom["y"] + bottom["height"]  # the bar doesn't cover the focus
    assert objections(page) == []
    bar.get_by_role("button", name="To the table").click()
    expect(bar).to_have_count(0)
    expect(page.locator(".state")).to_be_in_viewport(ratio=1)


def test_a_tap_on_a_players_score_shows_what_they_have(scene: Scene, windows: Windows) -> None:
    page = windows.open(scene.player, **PHONE)
    page.goto(f"/#/games/{scene.games['sternenhimmel, others']}")
    players = page.get_by_role("group", name="Players").get_by_role("button")
    expect(players).to_have_count(3)
    [ada, ben, _] = players.all()
    ada.tap()
    panel = page.get_by_role("region", name="ada")
    view = scene.player.get(f"/v1/games/{scene.games['sternenhimmel, others']}")["view"]
    own = [it for board in view["boards"] for it in board["spaces"].values() if it and it["seat"] == 0]
    expect(panel.locator("li svg")).to_have_count(len(own))
    expect(panel).to_contain_text(f"{view['hand_sizes'][0]} stars in hand")
    ben.tap()
    expect(page.get_by_role("region", name="ben")).to_contain_text("No stars on the table")
    assert objections(page) == []
    page.keyboard.press("Escape")
    expect(page.locator(".owned")).to_have_count(0)
    ben.tap()
    expect(page.get_by_role("region", name="ben")).to_be_focused()
    page.locator(".tray").tap()
    expect(page.locator(".owned")).to_have_count(0)
    ben.tap()
    ben.focus()
    expect(page.get_by_role("region", name="ben")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".owned")).to_have_count(0)
    page.goto(f"/#/games/{scene.games['sternenglanz']}")
    page.locator("[data-score='1']").tap()
    expect(page.locator(".owned .slot")).to_have_count(3)


def test_the_header_takes_at_most_two_lines_on_a_phone(house: House, windows: Windows) -> None:
    client = quiet(sign_in(house, "max@example.org"))
    client.ask("PATCH", "/v1/me", json={"name": "Maximilian von Stern"})
    for _ in range(10):
        game_of(client, ME, BOT, BOT)
    page = windows.open(client, **PHONE)
    for locale in LOCALES:
        client.ask("PATCH", "/v1/me", json={"locale": locale})
        page.goto("/#/lobby")
        page.reload()
        expect(page.locator("html")).to_have_attribute("lang", locale)
        expect(page.locator(".head .count")).to_have_text("10")
        assert page.locator(".head").evaluate("it => it.offsetHeight") < 100, locale


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_header_of_a_finished_game_shows_the_whole_result_first(scene: Scene, windows: Windows, width: int) -> None:
    is_desk = width > 800
    manners = (
        SIZES["desk"] | {"viewport": {"width": 1280, "height": 800}}
        if is_desk
        else PHONE | {"viewport": {"width": width, "height": 700}}
    )
    for locale in ("de", "fr"):
        scene.player.ask("PATCH", "/v1/me", json={"locale": locale})
        page = windows.open(scene.player, locale=locale, **manners)
        page.goto("/#/games/{sternenhimmel, over}".format_map(scene.games))
        whose = page.locator(".state .whose")
        expect(whose).not_to_be_empty()
        box, title = whose.bounding_box(), page.locator(".state h1").bounding_box()
        assert box and title
        if is_desk:
            assert page.locator(".state").evaluate("it => it.offsetHeight") <= 48
            assert box["height"] < 30 and title["height"] < 30 and box["x"] < title["x"]
        assert whose.evaluate("it => it.scrollWidth <= it.clientWidth && it.scrollHeight <= it.clientHeight"), locale
        assert not too_wide(page)
        page.context.close()
    scene.player.ask("PATCH", "/v1/me", json={"locale": "en"})


def test_the_time_left_stays_on_one_line_beside_long_names(house: House, windows: Windows) -> None:
    names = [f"{it} Sternenfreud" for it in ("Maximiliane", "Bartholomea", "Konstantina", "Theodorinna", "Friederikes")]
    people = [quiet(sign_in(house, f"{name[:3].lower()}@example.org")) for name in names]
    for client, name in zip(people, names, strict=True):
        client.ask("PATCH", "/v1/me", json={"name": name})
    game_id = game_of(people[0], ME, *[OPEN] * 4, title="A sky with a long name")
    for client in people[1:]:
        client.post(f"/v1/games/{game_id}/seats", {})
    play(people[0], game_id)
    for locale in LOCALES:
        people[0].ask("PATCH", "/v1/me", json={"locale": locale})
        page = watched(windows.open(people[0], **SIZES["desk"]))
        page.goto(f"/#/games/{game_id}")
        whose = page.locator(".state .whose")
        expect(page.locator(".state .undo")).to_be_visible()
        assert whose.locator("time").evaluate("it => it.getClientRects().length") == 1, locale
        assert whose.evaluate("it => it.offsetHeight") <= 44, locale  # two lines
        assert shift(page) < MOST_SHIFT, locale
        assert not too_wide(page), locale
        page.context.close()
