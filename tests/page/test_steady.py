"""Nothing moves under the finger during a turn."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.page.axe import objections
from tests.page.layout import (
    MOST_PUSHED,
    PLACES,
    SETTLED,
    SIZES,
    WATCH_PUSHES,
    apart,
    out_of_reach,
    pushed,
    start_counting,
)
from tests.page.programs import play, whole_turn
from tests.page.sternenglanz_taps import tap_out
from tests.page.windows import BOT, ME, OPEN, PHONE, Windows, game_of, quiet
from tests.support.live_server import House, Json, sign_in, until

ON_ITS_SIDE: Json = {"viewport": {"width": 844, "height": 390}, "has_touch": True, "is_mobile": True}
WINDOWS = {**SIZES, "on its side": ON_ITS_SIDE}
_SEATED = """it => {
  const { left, top, width, height } = it.querySelector?.(".touch")?.getBoundingClientRect() ?? it.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}"""


def press(where: Locator) -> None:
    """Tap it where it is, without the scrolling that a driver adds."""
    page = where.page
    expect(where).to_be_in_viewport()
    x, y = where.evaluate(_SEATED)
    page.touchscreen.tap(x, y) if page.evaluate("navigator.maxTouchPoints") else page.mouse.click(x, y)


def turn_of_sternenhimmel(page: Page) -> None:
    press(page.locator(".hand .star.open").first)
    expect(page.locator(".space.lit").first).to_be_attached()
    press(page.locator(".space.large.lit").first)
    expect(page.locator(".confirm")).to_be_visible()


_BOXES = """all => all.map((it) => Object.values(it.getBoundingClientRect().toJSON()).map(Math.round).join())"""


def against_bots(house: House, windows: Windows, email: str, rules: str, size: str) -> Page:
    """Open the table of a new game against two bots, on a window of this size."""
    client = quiet(sign_in(house, email))
    game_id = game_of(client, ME, BOT, BOT, rules=rules, options={"start_seat": 0})
    page = windows.open(client, **WINDOWS[size])
    page.goto(f"/#/games/{game_id}")
    expect(page.get_by_text("Options, pause, leave")).to_be_attached()
    return page


@contextmanager
def nothing_moves(page: Page, selector: str) -> Iterator[None]:
    boards = page.locator(selector)
    expect(boards.nth(2)).to_be_visible()
    page.evaluate(SETTLED)
    before = boards.evaluate_all(_BOXES)
    yield
    page.evaluate(SETTLED)
    assert boards.evaluate_all(_BOXES) == before


@pytest.mark.parametrize("rules", ["sternenhimmel", "sternenglanz"])
@pytest.mark.parametrize("size", ["phone", "desk", "on its side"])
def test_the_history_leaves_the_boards_where_they_are(house: House, windows: Windows, rules: str, size: str) -> None:
    page = against_bots(house, windows, f"hist-{rules}-{len(size)}@example.org", rules, size)
    with nothing_moves(page, ".board, .firmament .field"):
        press(page.locator("[data-tool=earlier]"))
        expect(page.locator(".history.near")).to_be_visible()
    for button in page.locator(".history button").all()[:2]:
        expect(button).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("rules", ["sternenhimmel", "sternenglanz"])
def test_the_history_covers_no_hand_on_a_phone_on_its_side(house: House, windows: Windows, rules: str) -> None:
    client = quiet(sign_in(house, f"side-{rules}@example.org"))
    game_id = game_of(client, ME, BOT, BOT, rules=rules, options={"start_seat": 0})
    play(client, game_id)
    page = windows.open(client, **ON_ITS_SIDE)
    page.goto(f"/#/games/{game_id}")
    press(page.locator("[data-tool=earlier]"))
    press(page.locator(".history button").first)
    expect(page.get_by_role("button", name="Back to now")).to_be_in_viewport(ratio=1)
    expect(page.locator(".drawn")).to_have_attribute("aria-busy", "false")
    held = page.locator(".hand .star, .own .held")
    expect(held.first).to_be_visible()
    page.evaluate(SETTLED)
    assert all(apart(it, page.locator(".history")) for it in held.all())


@pytest.mark.parametrize("size", ["phone", "desk", "on its side"])
def test_a_hint_leaves_the_boards_where_they_are(house: House, windows: Windows, size: str) -> None:
    page = against_bots(house, windows, f"hint-{len(size)}@example.org", "sternenhimmel", size)
    with nothing_moves(page, ".board, .hand .star"):
        press(page.locator("[data-tool=hint]"))
        expect(page.locator(".hint li")).not_to_have_count(0)
    panel, tray = (page.locator(it).bounding_box() for it in (".hint[style*=top]", ".tray"))
    assert panel and tray
    assert panel["y"] >= tray["y"] - 1 and panel["y"] + panel["height"] <= tray["y"] + tray["height"] + 1


def test_the_reason_of_a_hint_is_whole_while_a_star_is_chosen(house: House, windows: Windows) -> None:
    page = against_bots(house, windows, "hint-chosen@example.org", "sternenhimmel", "phone")
    press(page.locator(".hand .star.open").first)
    expect(page.locator(".space.lit").first).to_be_attached()
    press(page.locator("[data-tool=hint]"))
    panel = page.locator(".hint[style*=top]")
    expect(panel.get_by_role("status")).to_contain_text("replaces what you've selected")
    for tab in panel.locator(".rank").all():
        press(tab)
        assert panel.locator(".marked > span").evaluate("it => it.scrollHeight - it.clientHeight") <= 1


@pytest.mark.parametrize("is_begun", [False, True], ids=["at the start", "in mid-turn"])
@pytest.mark.parametrize("size", ["phone", "desk", "on its side"])
def test_a_hint_lies_over_the_text_beside_the_firmament(
    house: House, windows: Windows, size: str, is_begun: bool
) -> None:
    page = against_bots(house, windows, f"glanz-{len(size)}-{is_begun:d}@example.org", "sternenglanz", size)
    if is_begun:
        press(page.locator(".held.open").first)
        expect(page.locator("[data-undo]")).to_be_visible()
    with nothing_moves(page, ".firmament, .field, .beside *, .tray, .slot, .held, [data-undo]"):
        press(page.locator("[data-tool=hint]"))
        panel = page.locator(".hint[style*=top]")
        expect(panel.locator("li")).not_to_have_count(0)
    status = panel.get_by_role("status")
    expect(status).to_have_text(
        re.compile("replaces what you've selected" if is_begun else "about as good|one of these|Best first")
    )
    assert all(apart(panel, it) for it in page.locator(".firmament, .held").all())  # a long text lies over the slots
    for button in panel.locator(".about button, .marked button").all():
        expect(button).to_be_in_viewport(ratio=1)
    assert out_of_reach(page) == []


@pytest.mark.parametrize("rules", ["sternenhimmel", "sternenglanz"])
def test_a_double_tap_that_chooses_a_hint_does_not_play_it(house: House, windows: Windows, rules: str) -> None:
    page = against_bots(house, windows, f"double-{rules}@example.org", rules, "desk")
    page.locator("[data-tool=hint]").click()
    choose = page.locator(".hint[style*=top] li button")
    expect(choose).not_to_have_count(0)
    sizes = [(320, 640), (390, 844), (768, 1024), (844, 390), *((width, 800) for width in range(960, 1680, 80))]

    def boxes_of(buttons: Locator) -> list[list[list[float]]]:
        found = []
        for width, height in sizes:
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate(SETTLED)
            found.append(buttons.evaluate_all(PLACES))
        return found

    before = boxes_of(choose)
    choose.first.click()
    play_it = page.get_by_role("button", name="Play it")
    expect(play_it).to_be_visible()
    for size, chosen, [[x, y, width, height]] in zip(sizes, before, boxes_of(play_it), strict=True):
        for left, top, wide, high in chosen:
            assert left >= x + width or left + wide <= x or top >= y + height or top + high <= y, size


_PIECES = ".space, .field, .star, .slot, .held"


def covers_little(page: Page) -> None:
    """Check that the line with a request leaves the turn, the time, the scores, the tools and the sky free."""
    for it in page.locator(".whose > *, .seats .mark, .seats b, .state .tool, .boards, .firmament").all():
        assert not it.is_visible() or apart(page.locator(".asks"), it), it.evaluate("it => it.outerHTML")[:200]


@pytest.mark.parametrize("rules", ["sternenhimmel", "sternenglanz"])
@pytest.mark.parametrize("size", ["phone", "desk", "on its side"])
def test_a_request_in_mid_turn_moves_nothing(house: House, windows: Windows, rules: str, size: str) -> None:
    ada, ben = (quiet(sign_in(house, f"{name}-{rules}-{size.split()[0]}@example.org")) for name in ("ada", "ben"))
    options = {"start_seat": 0} if rules == "sternenhimmel" else {}
    game_id = game_of(ada, ME, OPEN, BOT, rules=rules, options=options)
    ben.post(f"/v1/games/{game_id}/seats", {})
    page = windows.open(ada, **WINDOWS[size])
    page.goto(f"/#/games/{game_id}")
    expect(page.get_by_text("Options, pause, leave")).to_be_attached()
    line, everything = page.locator(".brief"), f"{_PIECES}, .state .tool, .whose *"
    with nothing_moves(page, everything):
        for wish, told in (("pause", re.compile(r"^ben.*: pause\?$")), ("abandon", "2 requests")):
            ben.post(f"/v1/games/{game_id}/votes", {"on": wish, "vote": True}, status=200)
            expect(line).to_have_text(told)
        expect(line).to_be_in_viewport(ratio=1)
        assert line.locator("span").last.evaluate("it => it.scrollWidth <= it.clientWidth")
        covers_little(page)
        press(line)
        for button in page.get_by_role("button", name="Agree").all():
            expect(button).to_be_in_viewport(ratio=1)
        assert objections(page) == []
        page.get_by_role("button", name="Not now: ben").first.click()
        expect(line).to_have_text(re.compile(r"^ben.*: pause\?\+1$"))
        expect(page.locator(".whole")).to_contain_text("asks to abandon the game. You declined for now.")
        page.get_by_role("button", name="Close", exact=True).click()
        expect(line).to_have_count(0)


@pytest.mark.parametrize("rules", ["sternenhimmel", "sternenglanz"])
@pytest.mark.parametrize("size", ["phone", "desk", "on its side"])
def test_a_request_moves_nothing_while_another_player_is_to_move(
    house: House, windows: Windows, rules: str, size: str
) -> None:
    ada, ben = (quiet(sign_in(house, f"{name}{rules[7]}{size[0]}@example.org")) for name in ("ada", "ben"))
    options = {"start_seat": 0} if rules == "sternenhimmel" else {}
    game_id = game_of(ada, ME, OPEN, *[BOT] * (rules == "sternenhimmel"), rules=rules, options=options)
    ben.post(f"/v1/games/{game_id}/seats", {})
    while play(ada, game_id):
        pass
    page = windows.open(ada, **WINDOWS[size])
    page.goto(f"/#/games/{game_id}")
    expect(page.get_by_text("Options, pause, leave")).to_be_attached()
    line, everything = page.locator(".brief"), f"{_PIECES}, .state .tool, .whose *"
    with nothing_moves(page, everything):
        ada.post(f"/v1/games/{game_id}/votes", {"on": "pause", "vote": True}, status=200)
        expect(line).to_have_text("Asked: pause?")
        covers_little(page)
        ben.post(f"/v1/games/{game_id}/votes", {"on": "pause", "vote": False}, status=200)
        expect(line).to_have_text(re.compile(r"^ben.*: not now$"))
        ben.post(f"/v1/games/{game_id}/votes", {"on": "abandon", "vote": True}, status=200)
        expect(line).to_have_text(re.compile(r"^ben.*: abandon\?\+1$"))  # before the result of the own request
        press(line)
        for button in page.locator(".whole button").all():
            expect(button).to_be_in_viewport(ratio=1)
        page.keyboard.press("Escape")
        expect(line).to_be_focused()


@pytest.mark.parametrize("is_guided", [True, False], ids=["guided", "experienced"])
@pytest.mark.parametrize("rules", ["sternenhimmel", "sternenglanz"])
@pytest.mark.parametrize("size", ["phone", "desk"])
def test_nothing_moves_while_a_turn_is_chosen(
    house: House, windows: Windows, rules: str, size: str, is_guided: bool
) -> None:
    name = f"{rules}-{size}-{is_guided:d}"
    one, other = (quiet(sign_in(house, f"{who}-{name}@example.org")) for who in ("ada", "ben"))
    others = [BOT, BOT] if rules == "sternenhimmel" else [OPEN]
    game_id = game_of(one, ME, *others, rules=rules, options={"start_seat": 0})
    page = windows.open(one, **SIZES[size])
    page.add_init_script(WATCH_PUSHES)
    if rules == "sternenglanz":
        other.post(f"/v1/games/{game_id}/seats", {})
        play(one, game_id)
        play(other, game_id)
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(".news.live")).to_have_count(1)
    expect(page.get_by_text("Options, pause, leave")).to_be_attached()  # all has come
    if not is_guided:
        page.get_by_role("button", name="Hide the guide").click()
    page.evaluate("scrollTo(0, 0)")
    start_counting(page)
    if rules == "sternenhimmel":
        turn_of_sternenhimmel(page)
    else:
        tap_out(page, whole_turn(one, game_id), press)
        expect(page.locator(".send:enabled")).to_be_visible()
    by, what = pushed(page)
    print(f"{rules} on a {size}: {by:.4f}")
    assert by < MOST_PUSHED, what
    buttons = page.locator(".confirm button, .controls button")
    for button in [*buttons.all(), *page.locator(".slots button, .own-hand button, .hand button").all()]:
        expect(button).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("size", ["phone", "narrow phone"])
def test_the_stars_in_the_hand_keep_their_size_when_one_is_played(house: House, windows: Windows, size: str) -> None:
    one = quiet(sign_in(house, f"hand-{len(size)}@example.org"))
    game_id = game_of(one, ME, BOT, BOT, options={"start_seat": 0})
    page = windows.open(one, **(PHONE if size == "narrow phone" else SIZES[size]))
    page.goto(f"/#/games/{game_id}")
    stars = page.locator(".hand .star")
    expect(stars).to_have_count(9)
    widths = "all => all.map((it) => Math.round(it.getBoundingClientRect().width))"
    before = set(stars.evaluate_all(widths))
    play(one, game_id)
    expect(stars).to_have_count(8)
    assert set(stars.evaluate_all(widths)) == before


_LONG = """it => {
  const text = it.appendChild(document.createElement("p"));
  text.textContent = "Ein langer Bericht. ".repeat(40);
  text.id = "long";
}"""


@pytest.mark.parametrize("rules", ["sternenhimmel", "sternenglanz"])
@pytest.mark.parametrize("size", ["phone", "narrow phone"])
def test_whole_turns_leave_the_sky_and_the_hand_where_they_are(
    house: House, windows: Windows, rules: str, size: str
) -> None:
    """In German, whose texts are long, and with a text that doesn't fit."""
    one = quiet(sign_in(house, f"whole-{rules}-{len(size)}@example.org"))
    one.ask("PATCH", "/v1/me", json={"locale": "de"})
    bots = [BOT] * (2 if rules == "sternenhimmel" else 1)
    game_id = game_of(one, ME, *bots, rules=rules, options={"start_seat": 0})
    page = windows.open(one, **(PHONE if size == "narrow phone" else SIZES[size]), locale="de")
    page.add_init_script(WATCH_PUSHES)
    page.goto(f"/#/games/{game_id}")
    expect(page.get_by_text("Pause, Abbruch, Aufgeben")).to_be_attached()
    fixed = page.locator(".firmament, .slot, .own-hand, .boards, .board, .hand .star")

    def stays(before: list[list[float]]) -> None:
        page.evaluate(SETTLED)
        for was, now in zip(before, fixed.evaluate_all(PLACES), strict=True):
            assert all(abs(it - that) < 0.3 for it, that in zip(was, now, strict=True)), (was, now)

    for _ in range(3):
        until(lambda: one.get(f"/v1/games/{game_id}")["you"]["turn"] is not None)
        expect(page.locator(".hand .star.open, .sternenglanz .lit").first).to_be_attached()
        expect(page.locator(".drawn")).to_have_attribute("aria-busy", "false")
        start_counting(page)
        before = fixed.evaluate_all(PLACES)
        page.locator("[data-said]").evaluate(_LONG)
        stays(before)
        page.locator("#long").evaluate("it => it.remove()")
        if rules == "sternenhimmel":
            turn_of_sternenhimmel(page)
        else:
            tap_out(page, whole_turn(one, game_id), lambda it, before=before: (press(it), stays(before))[0])
            expect(page.locator(".send:enabled")).to_be_visible()
        stays(before)
        by, what = pushed(page)
        assert by < MOST_PUSHED, what
        version = one.get(f"/v1/games/{game_id}")["version"]
        press(page.locator(".confirm button, .send").first)
        until(lambda version=version: one.get(f"/v1/games/{game_id}")["version"] > version)
