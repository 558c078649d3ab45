"""The step-by-step scoring of a constellation, and the screen after a game."""

import re
from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Any, Literal, NamedTuple

import pytest
from playwright.sync_api import Page, Route, expect

from server.games.sternenhimmel.material import BOARDS, FACE_VALUES, STAR_SET, Lying
from server.games.sternenhimmel.options import EDITIONS
from server.games.sternenhimmel.scoring import score
from tests.page.axe import objections
from tests.page.layout import MOST_PUSHED, PLACES, SIZES, WATCH_PUSHES, pushed, start_counting
from tests.page.programs import play, play_to_the_end
from tests.page.windows import BOT, ME, OPEN, PHONE, Windows, game_of, is_at, too_wide
from tests.support.browser import chromium
from tests.support.live_server import Client, House, Json, new_house, sign_in, until

assert chromium  # a fixture
EDITION = "goldsieber-en"
STEPS = ["reveal", "vanish", "swallow", "double", "worth", "totals", "pay"]
TRIES = 20_000  # of stars on a board, until a scoring has all that there is to be told

Placements = list[tuple[int, str, str]]  # seat, space, star


class Planted(NamedTuple):
    """A game of three in which all moves but the last of a constellation that will be full have been played."""

    game_id: str
    people: tuple[Client, ...]
    board: str
    last: tuple[int, str, str]


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with new_house(STERNENPOST_LIMITS="off") as house:
        house.start_web()
        house.start_worker()
        yield house


def has_all(stars: dict[str, str], scored: Any) -> bool:
    doubled = [it for it, value in scored.values.items() if value > FACE_VALUES[stars[it]]]
    return bool(scored.annihilated and scored.swallowed and doubled and scored.outcome == "ranked")


def planned(boards: list[str]) -> tuple[str, Placements]:
    """A board of these and placements in turn that fill it, so that its scoring has every step."""
    rng, board = Random(11), max(boards, key=lambda it: len(BOARDS[it].spaces))
    for _ in range(TRIES):
        spaces = rng.sample(list(BOARDS[board].spaces), len(BOARDS[board].spaces))
        hands = [rng.sample(STAR_SET, len(STAR_SET)) for _ in range(3)]
        placements = [(i % 3, space, hands[i % 3].pop()) for i, space in enumerate(spaces)]
        stars = {space: Lying(seat, star) for seat, space, star in placements}
        if has_all(
            {space: star for _, space, star in placements},
            score(BOARDS[board], stars, EDITIONS[EDITION], [0] * 3),
        ):
            return board, placements
    raise AssertionError(f"Nothing of what was tried on {board} has every step.")


def place(planted: Planted, placement: tuple[int, str, str]) -> None:
    seat, space, star = placement
    client = planted.people[seat]
    turn = client.get(f"/v1/games/{planted.game_id}")["you"]["turn"]
    move = {"star": star, "board": planted.board, "space": space}
    client.post(f"/v1/games/{planted.game_id}/moves", {"turn": turn, "move": move})


@pytest.fixture(scope="module")
def people(house: House) -> tuple[Client, ...]:
    return tuple(sign_in(house, f"{name}@example.org") for name in ("ada", "ben", "cleo"))


@pytest.fixture(scope="module")
def planted(people: tuple[Client, ...]) -> Planted:
    game_id = game_of(people[0], ME, OPEN, OPEN, options={"edition": EDITION, "start_seat": 0})
    for seat in (1, 2):
        people[seat].post(f"/v1/games/{game_id}/seats", {"seat": seat})
    boards = [it["board"] for it in people[0].get(f"/v1/games/{game_id}")["view"]["boards"]]
    board, placements = planned(boards)
    planted = Planted(game_id, people, board, placements[-1])
    for placement in placements[:-1]:
        place(planted, placement)
    return planted


@pytest.fixture(scope="module")
def full(planted: Planted) -> Planted:
    """The same when it has been scored."""
    if scored(planted) is None:
        place(planted, planted.last)
    return planted


def scored(planted: Planted) -> Json | None:
    items = planted.people[0].get(f"/v1/games/{planted.game_id}/events")["items"]
    return next((it for it in items if it["type"] == "board-scored"), None)


def watch(page: Page, planted: Planted) -> None:
    page.goto(f"/#/games/{planted.game_id}")
    page.locator(".offer button").first.click()
    expect(page.locator("dialog.scoring[open]")).to_be_visible()


def step_of(page: Page) -> str | None:
    return page.locator(".caption").get_attribute("data-step")


def test_a_scoring_is_offered_live_without_taking_the_focus(planted: Planted, windows: Windows) -> None:
    page, onlooker = windows.open(planted.people[0]), windows.open()
    for window in (page, onlooker):
        window.goto(f"/#/games/{planted.game_id}")
        expect(window.locator(".news.live")).to_be_visible()
        expect(window.locator(".offer")).to_have_count(0)
    page.get_by_role("textbox", name="Message", exact=True).focus()
    place(planted, planted.last)
    for window in (page, onlooker):
        expect(window.locator(".offer")).to_contain_text(f"{BOARDS[planted.board].names['en']} was scored: ")
        expect(window.locator("dialog")).to_have_count(0)
    assert is_at(page, "textarea")
    onlooker.get_by_role("button", name="Not now").click()
    expect(onlooker.locator(".offer")).to_have_count(0)
    while not (version := play(planted.people[0], planted.game_id)):
        assert any(play(it, planted.game_id) for it in planted.people[1:])
    expect(page.locator(".history .faint")).to_have_text(f"move {version} of {version}")
    expect(page.locator(".offer")).to_have_count(0)
    page.reload()
    expect(page.locator(".hand .star").first).to_be_visible()
    expect(page.locator(".offer")).to_have_count(0)
    page.get_by_role("button", name="The whole game").click()
    page.locator(".story").get_by_role("button", name="Watch the scoring").click()  # there it stays
    expect(page.locator("dialog.scoring[open]")).to_be_visible()


def test_every_step_is_announced_in_order_with_the_servers_numbers(full: Planted, windows: Windows) -> None:
    page, item = windows.open(full.people[1]), scored(full)
    assert item is not None
    watch(page, full)
    star = {it["space"]: it["star"] for it in item["placements"]}
    names = ["ada", "ben", "cleo"]
    seen = []
    for step in STEPS:
        expect(page.locator(f".caption[data-step={step}]")).to_be_visible()
        seen.append((step_of(page), page.locator(".caption").inner_text()))
        if step != STEPS[-1]:
            page.get_by_role("button", name="Next", exact=True).click()
    told = dict(seen)
    assert list(told) == STEPS
    for space in item["annihilated"]:
        assert f", {space})" in told["vanish"]
    for space in item["swallowed"]:
        assert f", {space})" in told["swallow"]
    for space, value in item["values"].items():
        if value != FACE_VALUES[star[space]]:
            assert f"= {value}." in told["double"]
        expect(page.locator(f"[data-worth={space}] .worth")).to_have_text(str(value))
    for seat, total in enumerate(item["totals"]):
        row = page.locator(f".sums li[data-seat='{seat}']")
        expect(row.locator(".who strong")).to_have_text(names[seat])
        if total is not None:
            expect(row.locator(".total strong")).to_have_text(str(total))
        if item["payouts"][seat]:
            expect(row.locator(".gain .coin")).to_have_text(f"{item['payouts'][seat]:+}")
    order = page.locator(".sums li").evaluate_all("rows => rows.map(it => Number(it.dataset.seat))")
    ranked = [seat for group in item["ranking"] for seat in group]
    assert order[: len(ranked)] == ranked
    for it in item["transfers"]:
        assert f"{names[it['to']]} gets " in told["pay"] and f"{it['amount']} coin" in told["pay"]
    till = [it.bounding_box() for it in page.locator(".till > span:not(.unseen)").all()]  # both prizes, and the bank
    assert all(one and other and one["x"] + one["width"] <= other["x"] for one, other in pairwise(till))
    gone = page.locator(".lying.annihilated, .lying.swallowed")
    assert gone.count() == len(item["annihilated"] + item["swallowed"])
    expect(gone.locator(".body").first).to_have_css("opacity", "0")


def test_the_panel_is_unaffected_by_a_table_of_sternenglanz_seen_before(full: Planted, windows: Windows) -> None:
    page = windows.open(full.people[1], **PHONE)
    glanz = game_of(full.people[1], ME, BOT, rules="sternenglanz", options={"scenario": 1})
    page.goto(f"/#/games/{glanz}")  # its stylesheet stays
    expect(page.locator(".firmament svg")).to_be_visible()
    watch(page, full)
    header = page.locator(".scoring header").bounding_box()
    assert header and header["width"] > 300


def test_the_totals_are_uncovered_on_a_phone_on_its_side(full: Planted, windows: Windows) -> None:
    page = windows.open(full.people[1], viewport={"width": 844, "height": 390}, has_touch=True, is_mobile=True)
    watch(page, full)
    page.keyboard.press("End")
    expect(page.locator(".caption[data-step=pay]")).to_be_visible()
    for it in [*page.locator(".sums .total strong").all(), *page.locator(".scoring button:visible").all()]:
        expect(it).to_be_in_viewport(ratio=1)
        assert it.evaluate("""it => {
          const { left, top, width, height } = it.getBoundingClientRect();
          return it.contains(document.elementFromPoint(left + width / 2, top + height / 2));
        }""")
    assert not too_wide(page)


def test_a_winner_who_pays_the_others_and_they_are_told_why(full: Planted, windows: Windows) -> None:
    page, item = windows.open(full.people[1]), scored(full)
    assert item is not None
    winner = item["ranking"][0][0]
    paid = sum(it["amount"] for it in item["transfers"] if it["from"] == winner)
    assert paid  # by the first place, in this edition
    page.goto(f"/#/games/{full.game_id}")
    page.get_by_role("button", name="The whole game").click()
    prize = next(it["amount"] for it in item["transfers"] if it["reason"] == "first")
    expect(page.locator(".story")).to_contain_text(f"{prize}, less {paid} for the others' stars)")
    expect(page.locator(".offer")).to_contain_text(f"+{prize - paid} ({prize} − {paid})")
    page.locator(".offer button").first.click()
    expect(page.locator(".caption")).to_be_visible()
    page.keyboard.press("End")
    expect(page.locator(".caption")).to_contain_text(f"keeps {prize - paid} coin")


def test_keys_step_through_a_scoring_and_the_focus_returns(full: Planted, windows: Windows) -> None:
    page = windows.open(full.people[1])
    page.goto(f"/#/games/{full.game_id}")
    page.locator(".offer button").first.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Next", exact=True)).to_be_focused()
    for key, step in [("ArrowRight", "vanish"), (" ", "swallow"), ("ArrowLeft", "vanish"), ("End", "pay"),
                      ("ArrowRight", "pay"), ("Home", "reveal"), ("ArrowLeft", "reveal")]:  # fmt: skip
        page.keyboard.press(key)
        expect(page.locator(f".caption[data-step={step}]")).to_be_visible()
        expect(page.get_by_role("button", name="Next", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    assert is_at(page, ".offer button")
    page.keyboard.press("Enter")
    expect(page.locator(".caption[data-step=reveal]")).to_be_visible()
    page.keyboard.press("End")
    expect(page.locator(".caption[data-step=pay]")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".offer")).to_have_count(0)
    assert is_at(page, "main")
    assert page.locator("[data-said]").evaluate("it => it.scrollHeight <= it.clientHeight + 1")  # nothing is cut off


def test_a_scoring_plays_automatically_can_be_paused_and_respects_reduced_motion(
    full: Planted, windows: Windows
) -> None:
    still = windows.open(full.people[1])  # windows of tests want nothing to move
    watch(still, full)
    expect(still.get_by_role("button", name="Pause")).to_have_count(0)
    assert step_of(still) == "reveal"
    page = windows.open(full.people[1], reduced_motion="no-preference")
    page.clock.install()
    watch(page, full)
    page.clock.run_for(800)
    expect(page.locator(".caption[data-step=reveal]")).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(30_000)
    assert step_of(page) == "reveal"
    page.get_by_role("button", name="Play", exact=True).click()
    for step in STEPS[1:]:
        page.clock.run_for(20_000 if step == STEPS[-1] else 8_000)
    expect(page.locator(".caption[data-step=pay]")).to_be_visible()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    assert step_of(still) == "reveal"


@pytest.mark.parametrize("language", ["en", "de", "fr", "it"])
@pytest.mark.parametrize("size", ["phone", "narrow phone", "desk"])
def test_nothing_moves_during_a_scoring_but_the_rows_by_rank(
    full: Planted, windows: Windows, size: str, language: str
) -> None:
    page = windows.open(full.people[1], **(PHONE if size == "narrow phone" else SIZES[size]))
    page.add_init_script(WATCH_PUSHES)
    page.goto(f"/#/games/{full.game_id}")
    page.locator(".foot select").first.select_option(language)
    expect(page.locator("html")).to_have_attribute("lang", language)
    page.locator(".offer button").first.click()
    fixed = page.locator(".heaven, .beats, .till, .sums ol, .controls")
    expect(page.locator(".caption[data-step=reveal]")).to_be_visible()
    start_counting(page)
    before = fixed.evaluate_all(PLACES)
    for step in STEPS[1:]:
        page.keyboard.press("ArrowRight")
        expect(page.locator(f".caption[data-step={step}]")).to_be_visible()
        assert fixed.evaluate_all(PLACES) == before, step
    by, what = pushed(page)
    assert by < MOST_PUSHED, what


LOOKS: list[tuple[str, Json, Literal["light", "dark"]]] = [("de", PHONE, "light"), ("en", {}, "dark")]


@pytest.mark.parametrize(("language", "manners", "scheme"), LOOKS)
def test_axe_reports_no_violations_in_a_scoring(
    full: Planted, windows: Windows, language: str, manners: Json, scheme: Literal["light", "dark"]
) -> None:
    page = windows.open(full.people[1], color_scheme=scheme, **manners)
    page.goto(f"/#/games/{full.game_id}")
    page.locator(".foot select").first.select_option(language)
    expect(page.locator("html")).to_have_attribute("lang", language)
    page.locator(".offer button").first.click()
    for step, key in [("reveal", "ArrowRight"), ("vanish", "End"), ("pay", "End")]:
        expect(page.locator(f".caption[data-step={step}]")).to_be_visible()
        assert not too_wide(page)
        assert page.evaluate("(it => it.scrollWidth <= it.clientWidth)(document.querySelector('dialog'))")
        page.keyboard.press(key)
    assert objections(page) == []


def test_a_finished_game_names_the_winner_and_offers_a_rematch(people: tuple[Client, ...], windows: Windows) -> None:
    options = {"scenario": 2, "max_rounds": 1}
    game_id = game_of(people[0], ME, OPEN, rules="sternenglanz", options=options, clock={"per_move": "PT6H"})
    people[1].post(f"/v1/games/{game_id}/seats", {"seat": 1})
    page = windows.open(people[0], **PHONE)
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(".news.live")).to_have_count(1)
    page.locator(".details").evaluate("it => it.scrollIntoView()")
    play_to_the_end(game_id, *people[:2])
    outcome = people[0].get(f"/v1/games/{game_id}")["outcome"]
    rows = page.locator(".result li")
    expect(rows).to_have_count(2)
    expect(rows.first).to_be_in_viewport()
    rematch, first = page.locator(".result .again").bounding_box(), rows.first.bounding_box()
    assert rematch and first and rematch["y"] + rematch["height"] <= first["y"]  # what next comes right after who won
    order = rows.evaluate_all("rows => rows.map(it => Number(it.dataset.seat))")
    assert order == sorted(range(2), key=lambda seat: outcome["places"][seat])
    for seat, points in enumerate(outcome["scores"]):
        expect(page.locator(f".result li[data-seat='{seat}']")).to_contain_text(f"{points} point")
        expect(page.get_by_role("region", name="Players").get_by_role("listitem").nth(seat)).to_contain_text("point")
    expect(page.get_by_role("region", name="Players")).not_to_contain_text("in hand")  # no player needs a card now
    is_equal = len(set(outcome["scores"])) == 1
    why = "Tied on points and discarded cards" if len(set(outcome["places"])) == 1 else "Fewest cards discarded"
    expect(page.locator(".result").get_by_text(why)).to_have_count(int(is_equal))
    assert not too_wide(page)
    assert objections(page) == []
    other = windows.open(people[1])
    other.clock.install()
    other.goto(f"/#/games/{game_id}")
    expect(other.get_by_role("button", name="Rematch")).to_be_visible()
    page.get_by_role("button", name="Rematch").click()
    expect(page.get_by_text("Seat 2").or_(page.get_by_text("free")).first).to_be_visible()
    expect(page).not_to_have_url(re.compile(game_id))
    room = page.locator(".waiting-room")
    other_name = people[0].get(f"/v1/games/{game_id}")["seats"][1]["name"]
    expect(room).to_contain_text(f"Rematch with {other_name}, game 2.")
    expect(room).to_contain_text(re.compile("goes first|The first player is drawn"))
    expect(room.get_by_role("link", name="The game before")).to_have_attribute("href", f"#/games/{game_id}")
    other.clock.run_for(30_000)
    expect(other.get_by_text(" wants a rematch")).to_be_visible()
    other.get_by_role("button", name="Take a seat").click()
    expect(other).not_to_have_url(re.compile(game_id))
    again = people[1].post(f"/v1/games/{game_id}/rematch", {}, status=200)
    assert (again["status"], again["options"]["scenario"]) == ("running", 2)
    expect(page.get_by_role("region", name="Players")).to_be_visible()
    assert page.url.endswith(again["id"])
    page.go_back()
    expect(page.get_by_role("link", name="Go to the rematch")).to_be_visible()

    def with_a_stand_in(route: Route) -> None:
        game = route.fetch().json()
        game["seats"][1] |= {"kind": "bot", "stand_in": "greedy"}
        route.fulfill(json=game)

    onlooker = windows.open(people[2])
    onlooker.route(f"**/v1/games/{game_id}?", with_a_stand_in)
    onlooker.goto(f"/#/games/{game_id}")
    onlooker.get_by_role("link", name="A game like this").click()
    expect(onlooker.locator(".summary")).to_contain_text("Bildkunst")
    expect(onlooker.locator(".summary")).to_contain_text("6 hours per turn")
    expect(onlooker.locator("[name=number]")).to_have_value("2")
    expect(onlooker.locator("[name=seat-0]")).to_have_value("me")
    expect(onlooker.locator("[name=seat-1]")).to_have_value("open")


def test_a_resignation_is_shown_in_the_list_the_header_and_the_log(
    people: tuple[Client, ...], windows: Windows
) -> None:
    game_id = game_of(people[0], ME, OPEN, BOT, title="Given up")
    people[1].post(f"/v1/games/{game_id}/seats", {"seat": 1})
    leaver = windows.open(people[1], **PHONE)
    leaver.goto(f"/#/games/{game_id}")
    page = windows.open(people[0])
    page.goto(f"/#/games/{game_id}")
    expect(page.locator("[data-score='1']")).to_have_class(re.compile("here"))
    leaver.get_by_text("Options, pause, leave").click()
    leaver.get_by_role("button", name="Resign").click()
    leaver.get_by_role("button", name="Resign").click()
    expect(leaver.locator(".strip")).to_contain_text("You resigned. The bot Greedy is finishing the game in your seat.")
    expect(leaver.locator(".strip")).to_be_in_viewport(ratio=1)
    expect(leaver.locator(".tray")).to_contain_text("A bot plays on for you. You can watch.")
    expect(leaver.get_by_role("link", name="New game").last).to_be_visible()
    expect(leaver.get_by_text("The whole game")).to_be_visible()  # the details have come
    for offered in ("Wait for your turn", "Options, pause, leave", "Find a stand-in", "Planned moves"):
        expect(leaver.get_by_text(offered)).to_have_count(0)
    expect(page.locator("[data-score='1']")).to_have_class("left")
    expect(page.locator("[data-score='1']")).to_contain_text("resigned, the bot Greedy is playing")
    expect(page.locator(".here")).to_have_count(0)
    expect(page.locator(".story")).to_contain_text("resigned. The bot Greedy took over.")
    page.goto("/#/")
    given_up = page.locator(".card.game").filter(has_text="Given up")
    expect(given_up.locator(".sitting")).to_contain_text("(the bot Greedy is playing)")
    expect(given_up.locator(".latest")).to_contain_text("resigned. The bot Greedy took over.")
    leaver.goto("/#/")
    expect(leaver.locator(".kept")).to_contain_text("The bot Greedy is playing in your seat.")
    assert objections(page) == objections(leaver) == []


def test_a_player_who_resigned_is_shown_so_and_is_not_told_that_they_won(
    people: tuple[Client, ...], windows: Windows
) -> None:
    game_id = game_of(people[0], ME, OPEN, rules="sternenglanz", options={"scenario": 1, "max_rounds": 1})
    people[1].post(f"/v1/games/{game_id}/seats", {"seat": 1})
    people[1].ask("DELETE", f"/v1/games/{game_id}/seats/me")
    page = windows.open(people[1])
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(".seats")).to_contain_text("resigned, the bot")
    until(lambda: play(people[0], game_id) is None and people[0].get(f"/v1/games/{game_id}")["outcome"])

    def won_by_the_bot(route: Route) -> None:
        game = route.fetch().json()
        game["outcome"]["places"] = [2, 1]
        route.fulfill(json=game)

    page.route(f"**/v1/games/{game_id}?", won_by_the_bot)
    page.reload()
    name = people[1].get(f"/v1/games/{game_id}")["seats"][1]["name"]
    expect(page.locator("#result")).to_have_text(f"Greedy (for {name}) won!")
    expect(page.locator(".state .whose")).to_contain_text(f"Greedy (for {name}) won")
    page.get_by_role("button", name="The whole game").click()
    expect(page.locator(".story")).to_contain_text(f"Greedy (for {name}) chose")
    expect(page.get_by_role("button", name="Try level")).to_have_count(0)
    expect(page.locator(".result li").first).to_contain_text("resigned")
    assert objections(page) == []


@pytest.mark.parametrize(("level", "places", "next_level"), [(2, [1, 2], 3), (2, [2, 1], 1), (6, [1, 2], None)])
def test_one_tap_opens_another_game_against_bots_of_the_same_level_or_the_next(
    people: tuple[Client, ...], windows: Windows, level: int, places: list[int], next_level: int | None
) -> None:
    game_id = game_of(people[0], ME, OPEN, rules="sternenglanz", options={"scenario": 1, "max_rounds": 1})
    people[1].post(f"/v1/games/{game_id}/seats", {"seat": 1})
    play_to_the_end(game_id, *people[:2])

    def with_a_bot(route: Route) -> None:
        game = route.fetch().json()
        game["seats"][1] |= {"kind": "bot", "name": f"level-{level}", "player": None}
        game["outcome"]["places"] = places
        game["on_timeout"] = [{"do": "abandon"}]
        route.fulfill(json=game)

    def level_of(page: Page) -> Any:
        expect(page.locator(".playing")).to_be_visible()
        game = people[0].get(f"/v1/games/{page.url.rsplit('/', 1)[1]}")
        assert (game["options"]["max_rounds"], game["on_timeout"]) == (1, [{"do": "abandon"}])
        return game["seats"][1]["name"]

    page = windows.open(people[0])
    page.route(f"**/v1/games/{game_id}?", with_a_bot)
    page.goto(f"/#/games/{game_id}")
    page.get_by_role("link", name="Change the options").click()
    expect(page.locator("[name=seat-1]")).to_have_value(f"level-{level}")
    expect(page.locator("[name=timeouts]")).to_have_value("end")
    page.goto(f"/#/games/{game_id}")
    with page.expect_request(lambda it: it.method == "POST" and it.url.endswith(f"/{game_id}/rematch")):
        page.get_by_role("button", name="Rematch").click()
    expect(page).not_to_have_url(re.compile(game_id))
    page.goto(f"/#/games/{game_id}")
    expect(page.get_by_role("link", name="Go to the rematch")).to_be_visible()
    offered = page.get_by_role("button", name="Try level")
    if next_level is None:
        expect(offered).to_have_count(0)
    else:
        offered.click()
        expect(page).not_to_have_url(re.compile(game_id))
        assert level_of(page) == f"level-{next_level}"
