"""Advice on the page: a hint that is shown and played, and a review."""

import re
from functools import partial

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from server.games import Json
from tests.page.axe import objections
from tests.page.layout import apart
from tests.page.programs import play_to_the_end
from tests.page.sternenglanz_taps import tap_out
from tests.page.windows import BOT, DESK, ME, OPEN, PHONE, Windows, game_of
from tests.support.live_server import Client, House, sign_in, until

BEGUN: Json = {
    "seat": 0,
    "total": 4,
    "done": 1,
    "result": None,
    "choices": None,
    "luck": None,
    "margin": None,
    "summary": [],
    "moves": [],
}


def lay(field: str) -> Json:
    step = {"cmd": "act", "slot": 1, "do": "lay", "class": "punkt", "field": field}
    return {"move": {"steps": [step]}, "words": f"1 lay dot star {field}"}


def finished(house: House, rules: str = "sternenglanz") -> tuple[Client, str]:
    """Return a player and their finished game."""
    names, options = (("ada", "ben"), {"max_rounds": 1}) if rules == "sternenglanz" else (("ada", "ben", "cleo"), {})
    ada, *others = (sign_in(house, f"{name}@example.org") for name in names)
    game_id = game_of(ada, ME, *[OPEN] * len(others), rules=rules, options=options)
    for client in others:
        client.post(f"/v1/games/{game_id}/seats", {})
    play_to_the_end(game_id, ada, *others)
    return ada, game_id


def reviewed(page: Page, game_id: str, *answers: tuple[int, Json]) -> Locator:
    """Open the review of a game. The server gives these answers, one after the other."""
    given = iter(answers)

    def answer(route: Route) -> None:
        status, body = next(given)
        route.fulfill(status=status, json=body)

    page.route("**/review", answer)
    page.goto(f"/#/games/{game_id}")
    page.get_by_role("button", name="Review", exact=True).press("Enter")
    review = page.get_by_role("region", name="Review")
    expect(review).to_be_focused()
    return review


def test_a_review_shows_its_progress_then_figures_and_the_clearest_mistakes(house: House, windows: Windows) -> None:
    ada, game_id = finished(house)
    page = windows.open(ada)
    events = ada.get(f"/v1/games/{game_id}/events")["items"]
    _, second = (it["version"] for it in events if it["type"] == "turn-began")  # the first begins at version 3
    told = [
        {**lay("b1"), "version": 2, "choice": 3.2, "margin": 0.1, "better": None},
        {**lay("c6"), "version": 2, "choice": 0, "margin": 1, "better": None},
        {**lay("b2"), "version": 3, "choice": -1, "margin": 1, "better": {**lay("b3"), "gain": 2.2, "margin": 1}},
        {**lay("b4"), "version": 4, "choice": -1, "margin": 1, "better": None},
        {**lay("b6"), "version": 5, "choice": -5, "margin": 1, "better": {**lay("c1"), "gain": 6.1, "margin": 2}},
        {
            **lay("b2"),
            "version": second,
            "choice": 1.2,
            "margin": 0.1,
            "better": None,
        },  # too little for a mark on the curve
        {
            **lay("c2"),
            "version": second + 1,
            "choice": -4,
            "margin": 1,
            "better": None,
        },
        {
            **lay("c3"),
            "version": second + 2,
            "choice": -3,
            "margin": 1,
            "better": None,
        },
    ]
    whole = {**BEGUN, "done": 4, "result": -3, "choices": -9.6, "luck": 6.6, "margin": 2, "moves": told}
    whole["summary"] = ["Your moves decided the game.", "Your costliest move: Turn 1."]
    review = reviewed(page, game_id, *[(202, BEGUN | {"moves": told[2:3]})] * 2, (200, whole))
    expect(review.get_by_role("status")).to_contain_text("25%")
    for light in ("dark", "light"):
        page.emulate_media(color_scheme=light)  # type: ignore[arg-type]  # it is one of the schemes
        colour = page.locator("a").first.evaluate("it => getComputedStyle(it).getPropertyValue('--accent')").strip()
        rgb = ", ".join(str(int(colour[nth : nth + 2], 16)) for nth in (1, 3, 5))
        expect(review.get_by_role("progressbar")).to_have_css("color", f"rgb({rgb})")
        expect(review.get_by_role("progressbar")).to_have_css("appearance", "none")
    expect(review.get_by_role("listitem")).to_have_count(1)
    expect(review.locator("tbody tr")).to_be_visible()  # rows appear as they are ready
    expect(review.get_by_role("definition")).to_have_count(0)
    expect(review.get_by_role("definition")).to_have_text(["−3", "about −10", "about +7"])
    expect(review.locator("p").first).to_have_text("Your moves decided the game. Your costliest move: Turn 1.")
    expect(review.get_by_role("listitem")).to_have_count(2)
    expect(review.get_by_role("listitem").first).to_contain_text("Slot 1: a dot star on c1, worth about 6 points more")
    expect(review.locator(".curve button")).to_have_text(["▲", "▼", "▼"])
    gained = "Slot 1: a dot star on b1: about 3 points more than a simple bot’s move."
    expect(review.get_by_role("button", name=gained)).to_be_visible()
    rows = review.locator("tbody tr")  # one per turn
    expect(rows.locator("th")).to_have_text(["Start", "1", "2"])
    expect(rows.locator("td:nth-child(3)")).to_have_text(["+3", "−7", "−6"])
    expect(review.locator("tfoot td").first).to_have_text("about −10")
    expect(rows.locator("td:nth-child(2)").nth(2)).to_have_text(
        "; ".join(f"Slot 1: a dot star on {it}" for it in ("b2", "c2", "c3"))
    )
    instead = ["", "Slot 1: a dot star on b3 (+2); Slot 1: a dot star on c1 (+6)", ""]
    expect(rows.locator("td:nth-child(4)")).to_have_text(instead)
    expect(review.get_by_role("listitem").first).to_contain_text("Turn 1. You:")
    assert objections(page) == []
    review.get_by_role("button", name="Show the table").first.click()
    expect(page.locator(".history input")).to_have_value("5")
    then = ada.get(f"/v1/games/{game_id}?at=5")["view"]["points"]
    expect(page.locator(".scores b")).to_have_text([str(it) for it in then])
    expect(review.get_by_role("status")).to_contain_text("Better: Slot 1: a dot star on c1")
    for field, mark, words in (("b6", "played", "your move"), ("c1", "better", "better move")):
        expect(page.locator(f".field.{mark}")).to_have_attribute("data-field", field)
        expect(page.locator(f".field.{mark}")).to_have_accessible_name(re.compile(f", {words}$"))
        expect(review.locator(f".legend .{mark}")).to_have_text(words)
    review.get_by_role("button", name=gained).press("Enter")
    expect(page.locator(".history input")).to_have_value("2")
    expect(review.get_by_role("status")).to_have_text(f"{gained} Then you played: Slot 1: a dot star on c6.")
    expect(page.locator(".field.better")).to_have_count(0)
    expect(page.locator(".coming")).to_have_count(0)  # dimmed
    assert objections(page) == []
    page.get_by_role("button", name="Back to now").click()
    expect(review.get_by_role("definition")).to_have_count(3)
    expect(page.locator(".field.played")).to_have_count(0)


@pytest.mark.parametrize("rules", ["sternenhimmel", "sternenglanz"])
def test_a_row_of_a_review_leads_to_its_turn(house: House, windows: Windows, rules: str) -> None:
    ada, game_id = finished(house, rules)
    events = ada.get(f"/v1/games/{game_id}/events")["items"]
    last = events[-1]["version"]
    if rules == "sternenglanz":
        moves = [lay("b1") | {"version": it["version"]} for it in events if it["type"] == "turn-began"]
        rows, places = ["1", "2"], [re.compile("^turn 1 of 2"), re.compile("^turn 2 of 2")]
    else:
        placed = [it for it in events if it["type"] == "star-placed" and it["seat"] == 0][3:5]
        moves = [
            {"move": {key: it[key] for key in ("star", "board", "space")}, "words": "", "version": it["version"] - 1}
            for it in placed
        ]
        rows = [str(it["version"]) for it in moves]
        places = [re.compile(f"^move {at} of {last}$") for at in rows]
    told = [it | {"choice": choice, "margin": 5, "better": None} for it, choice in zip(moves, (-6, 0), strict=True)]
    page = windows.open(ada)
    review = reviewed(
        page, game_id, (200, BEGUN | {"result": -6, "choices": -6, "luck": 0, "margin": 7, "moves": told})
    )
    expect(review.locator("tbody td:nth-child(3)")).to_have_text(["no clear difference"] * 2)  # not a loss
    expect(review.locator("tbody td:nth-child(4)")).to_have_text(["", ""])
    expect(review.locator(".curve button")).to_have_count(0)
    for nth, (row, place) in enumerate(zip(rows, places, strict=True)):
        review.get_by_text("All your moves as a table").click()
        expect(review.locator("tbody th").nth(nth)).to_have_text(row)
        review.locator("tbody th button").nth(nth).press("Enter")
        expect(page.locator(".history .faint")).to_have_text(place)
        expect(page.locator(".history input")).to_have_value(str(moves[nth]["version"]))
        page.get_by_role("button", name="Back to now").click()


def test_the_table_of_a_review_fits_on_a_phone(house: House, windows: Windows) -> None:
    ada, game_id = finished(house)
    better = {**lay("c1"), "gain": 16.1, "margin": 12}
    told = [
        {**lay("b1"), "version": 2, "choice": -1, "margin": 2, "better": None},
        {**lay("b6"), "version": 5, "choice": -15, "margin": 11, "better": better},
    ]
    ada.ask("PATCH", "/v1/me", json={"locale": "de"})
    page = windows.open(ada, **PHONE, locale="de")
    page.route(
        "**/review",
        lambda route: route.fulfill(json=BEGUN | {"result": 3, "choices": -15, "luck": 18, "margin": 9, "moves": told}),
    )
    page.goto(f"/#/games/{game_id}?review")
    page.locator(".review summary").click()
    expect(page.locator(".review tbody tr")).to_have_count(2)
    start = page.locator(".review tbody tr").first
    expect(start).to_contain_text("kein klarer Unterschied")
    gap = "it => it.querySelector('td').getClientRects()[0].left - it.querySelector('button').getBoundingClientRect().right"
    assert start.evaluate(gap) > 3  # from "Anfang" to the move
    assert page.locator(".review .scrolls").evaluate("it => it.scrollWidth <= it.clientWidth")
    ada.ask("PATCH", "/v1/me", json={"locale": "en"})


def test_the_link_of_an_email_opens_the_review(house: House, windows: Windows) -> None:
    ada, game_id = finished(house)
    page = windows.open(ada)
    page.route("**/review", lambda route: route.fulfill(json=BEGUN))
    page.goto(f"/#/games/{game_id}?review=yes")
    expect(page.get_by_role("region", name="Review").get_by_role("progressbar")).to_be_visible()
    expect(page.get_by_role("button", name="Review", exact=True)).to_have_attribute("aria-expanded", "true")


def test_a_review_that_fails_later_shows_the_error_instead_of_progress(house: House, windows: Windows) -> None:
    ada, game_id = finished(house)
    windows.expected = "Failed to load"
    page = windows.open(ada)
    why = "This review could not be computed."
    problem = {"title": "Not found", "status": 404, "detail": why, "code": "not-found"}
    review = reviewed(page, game_id, (202, BEGUN), (404, problem))
    expect(review.get_by_role("progressbar")).to_be_visible()
    expect(review.get_by_text(why)).to_be_visible()
    expect(review.get_by_role("progressbar")).to_have_count(0)


@pytest.mark.parametrize("rules", ["sternenhimmel", "sternenglanz"])
def test_a_hint_is_chosen_and_then_confirmed_like_the_players_own_move(
    house: House, windows: Windows, rules: str
) -> None:
    ada = sign_in(house, "ada@example.org")
    start = {"start_seat": 0} if rules == "sternenhimmel" else {}
    game_id = game_of(ada, ME, BOT, BOT, rules=rules, options=start)
    page = windows.open(ada, **(PHONE if rules == "sternenglanz" else DESK))
    page.goto(f"/#/games/{game_id}")
    tool = page.get_by_role("button", name="Hint", exact=True)
    tool.click()
    hint = page.get_by_role("region", name="Hint")
    expect(hint.get_by_role("listitem")).not_to_have_count(0)  # copies of a card are one suggestion
    for leave in (hint, hint.get_by_role("button", name="Choose").first):
        leave.press("Escape")
        expect(hint).to_have_count(0)
        expect(tool).to_be_focused()
        tool.click()
        expect(hint.get_by_role("listitem")).not_to_have_count(0)
    hint.get_by_role("button", name="Close").click()
    expect(tool).to_be_focused()
    tool.click()
    best = ada.get(f"/v1/games/{game_id}/hint")
    hint.get_by_role("button", name="Choose").first.click()
    expect(hint).to_have_count(0)
    play_it = page.get_by_role("button", name="Play it")
    expect(play_it).to_be_focused()
    assert ada.get(f"/v1/games/{game_id}")["you"]["turn"] == best["turn"]  # nothing is played yet
    play_it.click()
    expect(play_it).to_have_count(0)
    kinds = ("star-placed", "cards-chosen")  # the last player to choose also begins the first turn
    items = ada.get(f"/v1/games/{game_id}/events")["items"]
    mine = [it for it in items if it.get("by") == "player" and it["type"] in kinds]
    move = best["moves"][0]["move"]
    told = move if rules == "sternenhimmel" else {key: move["steps"][0][key] for key in ("slot2", "slot3")}
    assert [{key: it[key] for key in told} for it in mine] == [told]


def test_a_hint_in_mid_turn_is_about_the_rest_of_the_turn(house: House, windows: Windows) -> None:
    ada = sign_in(house, "ada@example.org")
    game_id = game_of(ada, ME, BOT, rules="sternenglanz", options={"start_seat": 0})
    best = ada.get(f"/v1/games/{game_id}/hint")
    ada.post(f"/v1/games/{game_id}/moves", {"turn": best["turn"], "move": best["moves"][0]["move"]})
    page = windows.open(ada)
    page.goto(f"/#/games/{game_id}")
    tool, table = page.get_by_role("button", name="Hint", exact=True), page.locator(".sternenglanz")
    expect(page.locator(".state .mine")).to_be_visible()  # once the bot has chosen its cards, too
    told = ada.get(f"/v1/games/{game_id}/hint")
    found = told["moves"][0]
    begun = [it["move"] for it in (found, *found["then"])]
    page.route("**/hint", partial(Route.fulfill, json=told))  # on a busy machine, the server may find another plan
    tool.click()
    expect(page.locator(".hint li strong").first).to_have_text(re.compile(r" · .*(→\s[12]|no card)"))
    page.locator(".hint").get_by_role("button", name="Choose").first.click()
    expect(table).to_have_attribute("data-begun", str(len(begun)))
    assert ada.post(f"/v1/games/{game_id}/hint", {"begun": begun}, status=200)["moves"] == []
    assert len(begun) > 2
    expect(tool).to_be_disabled()
    expect(tool).to_have_attribute("title", re.compile("^First play the steps"))
    page.get_by_role("button", name="Play it").click()
    expect(tool).to_have_count(0)
    events = ada.get(f"/v1/games/{game_id}/events")["items"]
    laid = [step["field"] for it in begun for step in it["steps"] if step.get("do") == "lay"]
    assert [it["field"] for it in events if it["type"] == "star-laid" and it["seat"] == 0] == laid


def test_a_new_hint_marks_its_first_move_and_an_error_is_shown_alone(house: House, windows: Windows) -> None:
    ada = sign_in(house, "ada@example.org")
    game_id = game_of(ada, ME, BOT, rules="sternenglanz", options={"start_seat": 0})
    best = ada.get(f"/v1/games/{game_id}/hint")
    ada.post(f"/v1/games/{game_id}/moves", {"turn": best["turn"], "move": best["moves"][0]["move"]})
    until(lambda: ada.get(f"/v1/games/{game_id}")["you"]["turn"])
    [step] = ada.get(f"/v1/games/{game_id}/hint")["moves"][0]["move"]["steps"]
    windows.expected = "status of 429"
    page = windows.open(ada)
    page.goto(f"/#/games/{game_id}")
    page.get_by_role("button", name="Hint", exact=True).click()
    hint = page.locator(".hint")
    marked = hint.locator("li.marked")
    hint.get_by_role("button", name="Choose").last.focus()
    expect(hint.locator("li").last).to_have_class("marked")
    with page.expect_response("**/hint"):
        tap_out(page, [step])
    expect(marked).to_have_count(1)
    expect(hint.locator("li").first).to_have_class("marked")

    problem = {"title": "Too many requests", "status": 429, "detail": "Too many hints.", "code": "too-many-requests"}
    page.route("**/hint", lambda route: route.fulfill(status=429, json=problem))
    page.locator("[data-undo]").click()
    expect(hint).to_contain_text("Too many hints.")
    expect(hint.get_by_role("status")).to_have_text("")


def test_a_hint_compares_each_move_with_the_best(house: House, windows: Windows) -> None:
    ada = sign_in(house, "ada@example.org")
    game_id = game_of(ada, ME, BOT, BOT, options={"start_seat": 0})
    legal = ada.get(f"/v1/games/{game_id}/legal-moves")["moves"]
    moves = [ada.get(f"/v1/games/{game_id}/hint")["moves"][0] | {"move": it} for it in legal[:3]]
    turn = ada.get(f"/v1/games/{game_id}")["you"]["turn"]
    page = windows.open(ada)
    behind: list[float] = [0, 0, 0]
    margin: float | None = 0.4
    scores, wins = 2, False

    def answer(route: Route) -> None:
        found = [
            it | {"behind": by, "margin": margin, "scores": 9, "scores_with_then": scores, "why": "Why.", "wins": wins}
            for it, by in zip(moves, behind, strict=True)
        ]
        route.fulfill(json={"turn": turn, "moves": found})

    page.route("**/hint", answer)
    page.goto(f"/#/games/{game_id}")
    first, last = page.locator(".hint li").first, page.locator(".hint li").last
    tool, status = page.get_by_role("button", name="Hint", exact=True), page.locator(".hint").get_by_role("status")
    for behind, margin, one, ranks in (
        ([0, 0.2, 1], 0.4, "Among the best. Scores 2 coins. Why.", ["1", "2 about as good", "3 −1 coin"]),
        ([0, 2.6, 9], 0.4, "The best. Scores 2 coins. Why.", ["1 best", "2 −3 coins", "3 −9 coins"]),
        ([0, 1.4, 3], 3.1, "Among the best. Scores 2 coins. Why.", ["1", "2 about as good", "3 maybe −3 coins"]),
    ):
        tool.click()
        expect(page.locator(".hint .rank")).to_have_text(ranks)
        expect(first).to_contain_text(one)
        expect(last.locator(".verdict")).to_have_text("")  # the reason says how much less it brings
        expect(status).to_have_text("Best first:")
        tool.click()
    scores = 0
    for behind, margin in (([0, 1, 1.4], 3.1), ([0, 1, 1.4], None)):
        tool.click()
        expect(status).to_contain_text("These moves are about as good:")
        expect(page.locator(".hint .verdict")).to_have_text([""] * 3)  # said once
        tool.click()
    wins = True
    tool.click()
    expect(first.locator(".faint:not(.verdict)")).to_have_text("Why.")
    expect(first.locator(".rank")).to_have_text("1 wins")


def test_a_hint_says_which_bot_estimates_and_how_many_hints_are_left(house: House, windows: Windows) -> None:
    ada = sign_in(house, "ada@example.org")
    game_id = game_of(ada, ME, BOT, BOT, options={"start_seat": 0})
    found = ada.get(f"/v1/games/{game_id}/hint")
    page = windows.open(ada, timezone_id="UTC")
    page.clock.set_fixed_time("2026-11-30T10:20:00Z")
    limits = {"RateLimit": '"player";r=90;t=3, "hints";r=57;t=2400', "Date": "Mon, 30 Nov 2026 10:20:00 GMT"}
    page.route("**/hint", lambda route: route.fulfill(json=found, headers=limits))
    page.goto(f"/#/games/{game_id}")
    page.locator("[data-tool=hint]").click()
    expect(page.locator(".hint .from")).to_have_text("Estimate: level 6 bot · 57 hints left until 10:59")


def test_a_table_opened_by_the_link_of_a_letter_offers_hints(house: House, windows: Windows) -> None:
    windows.expected = "status of 401"  # the link ends with its turn
    eve = sign_in(house, "eve@example.org")
    game_id = game_of(eve, ME, BOT, BOT, options={"start_seat": 0})
    link = house.await_mail("eve@example.org", lambda it: it.word("t")).word("t")
    page = windows.open()
    page.goto(f"/t/{link}")
    page.get_by_role("button", name="Hint", exact=True).click()
    page.get_by_role("button", name="Choose").first.click()
    best = eve.get(f"/v1/games/{game_id}/hint")["moves"][0]["move"]
    expect(page.locator(".space.chosen")).to_have_attribute("data-at", best["space"])
    page.get_by_role("button", name="Play it").click()
    expect(page.locator(".narrow.ended li").first).to_contain_text("You put")


def test_no_hint_is_offered_in_a_game_with_another_person(house: House, windows: Windows) -> None:
    ada, ben = (sign_in(house, f"{name}@example.org") for name in ("ada", "ben"))
    game_id = game_of(ada, ME, OPEN, BOT, options={"start_seat": 0})
    ben.post(f"/v1/games/{game_id}/seats", {})
    page = windows.open(ada)
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(".hand .star.open").first).to_be_visible()
    expect(page.get_by_role("button", name="Hint", exact=True)).to_have_count(0)


def test_a_hint_is_marked_on_the_board_beside_its_panel(house: House, windows: Windows) -> None:
    ada = sign_in(house, "ada@example.org")
    for device in (DESK, PHONE):
        game_id = game_of(ada, ME, BOT, BOT, options={"start_seat": 0})
        found = ada.get(f"/v1/games/{game_id}/hint")
        first = found["moves"][0]
        best, legal = first["move"], ada.get(f"/v1/games/{game_id}/legal-moves")["moves"]
        other = next(it for it in legal if it["space"] != best["space"] and it["star"] != best["star"])
        found["moves"] = [first, first | {"move": other}]
        page = windows.open(ada, **device)
        page.route("**/hint", partial(Route.fulfill, json=found))
        page.goto(f"/#/games/{game_id}")
        page.get_by_role("button", name="Hint", exact=True).click()
        panel = page.locator(".hint[style*=top]")  # it has found its place
        for nth, move in enumerate((best, other)):
            panel.get_by_role("button", name="Choose").nth(nth).focus()
            space = page.locator(f".board[data-board='{move['board']}'] [data-at='{move['space']}']")
            expect(space).to_have_class(re.compile("hinted"))
            expect(page.locator(".space.hinted")).to_have_count(1)
            expect(page.locator(".star.hinted")).to_have_attribute("data-star", move["star"])
        assert apart(page.locator(".boards"), panel)
        if device is PHONE:
            for button in panel.locator(".about button, .marked button").all():
                assert button.evaluate("it => it.offsetHeight") >= 44
        panel.press("Escape")
        expect(page.locator(".hinted")).to_have_count(0)


def bottom(it: Locator) -> float:
    return float(it.evaluate("it => it.getBoundingClientRect().bottom"))


REASON = "It makes a bright star on d16 possible. It brings 2 points if your opponent leaves it."


@pytest.mark.parametrize("rules", ["sternenhimmel", "sternenglanz"])
def test_each_move_of_a_hint_is_readable_at_a_glance_and_nothing_moves(
    house: House, windows: Windows, rules: str
) -> None:
    ada = sign_in(house, "lea@example.org")
    game_id = game_of(ada, ME, BOT, BOT, rules=rules, options={"start_seat": 0})
    if rules == "sternenglanz":
        best = ada.get(f"/v1/games/{game_id}/hint")
        ada.post(f"/v1/games/{game_id}/moves", {"turn": best["turn"], "move": best["moves"][0]["move"]})
        until(lambda: ada.get(f"/v1/games/{game_id}")["you"]["turn"])
    found = ada.get(f"/v1/games/{game_id}/hint")
    why = (
        REASON
        if rules == "sternenhimmel"
        else f"{REASON} 2 points less now than suggestion 2, but probably about 2 more in your next turn."
    )
    found["moves"] = [it | {"why": why, "wins": False} for it in found["moves"]]
    large = PHONE | {"viewport": {"width": 390, "height": 844}}
    for device, locale in ((DESK, "en"), (PHONE, "en"), (PHONE, "de"), (large, "fr")):
        ada.ask("PATCH", "/v1/me", json={"locale": locale})
        page = windows.open(ada, locale=locale, **device)
        page.route("**/hint", lambda route: route.fulfill(json=found))
        page.goto(f"/#/games/{game_id}")
        page.locator("[data-tool=hint]").click()
        panel, places = page.locator(".hint[style*=top]"), set[str]()
        expect(panel.locator("li")).not_to_have_count(0)
        under = page.locator(".tray" if rules == "sternenhimmel" else ".for-hint")
        for move, told in zip(panel.locator("li").all(), found["moves"], strict=True):
            move.locator("button").focus()
            expect(move).to_have_class("marked")
            expect(move.locator(".faint").last).to_be_visible()
            over = "it => it.scrollHeight - it.clientHeight"
            if device is not PHONE or rules == "sternenhimmel":  # else three sentences scroll
                assert move.locator("> span").evaluate(over) <= 1, move.inner_text()
            if rules == "sternenhimmel":
                board, space, star = (told["move"][it] for it in ("board", "space", "star"))
                lying = page.locator(f".board[data-board='{board}'] [data-at='{space}']")
                expect(lying).to_contain_text(star)
            else:
                steps = [step for it in (told, *told["then"]) for step in it["move"]["steps"]]
                for field in (it["field"] for it in steps if it.get("do") == "lay"):
                    expect(page.locator(f".field.hinted[data-at={field}]")).to_be_visible()
            kept = [under, page.locator(".boards, .firmament"), panel, panel.locator(".about button")]
            kept += panel.locator(".rank").all()
            places.add(str([it.bounding_box() for it in kept]))
            assert bottom(panel) <= bottom(page.locator(".tray")) + 1
            if rules == "sternenglanz":
                assert apart(page.locator(".own .slots"), panel)  # the numbers of the slots stay visible
            assert apart(kept[1], panel)
        assert len(places) == 1
        for zoom in page.locator(".zoom:visible").all():
            assert all(apart(it, zoom) for it in page.locator(".field .ring, .field .body").all())
        assert page.evaluate("scrollY") == 0
        assert objections(page) == []


def test_a_hint_is_readable_on_a_phone_while_a_slot_is_open(house: House, windows: Windows) -> None:
    ada = sign_in(house, "lea@example.org")
    game_id = game_of(ada, ME, BOT, rules="sternenglanz", options={"start_seat": 0})
    best = ada.get(f"/v1/games/{game_id}/hint")
    ada.post(f"/v1/games/{game_id}/moves", {"turn": best["turn"], "move": best["moves"][0]["move"]})
    until(lambda: ada.get(f"/v1/games/{game_id}")["you"]["turn"])
    found = ada.get(f"/v1/games/{game_id}/hint")
    why = f"{REASON} This move brings about 2 points less than suggestion 1."
    found["moves"] = [it | {"why": why, "wins": False} for it in found["moves"][:1]]
    page = windows.open(ada, **PHONE | {"viewport": {"width": 390, "height": 844}})
    page.route("**/hint", partial(Route.fulfill, json=found))
    page.goto(f"/#/games/{game_id}")
    page.locator(".own [data-slot]").first.click()
    expect(page.locator("[data-undo]")).to_be_visible()
    page.locator("[data-tool=hint]").click()
    text = page.locator(".hint[style*=top] li > span")
    expect(text).to_contain_text("suggestion 1")
    assert text.evaluate("it => it.scrollHeight - it.clientHeight") <= 1
    assert apart(page.locator(".own .slots"), page.locator(".hint"))


def test_a_hint_names_moves_with_copies_of_a_card_only_once(house: House, windows: Windows) -> None:
    ada = sign_in(house, "ada@example.org")
    game_id = game_of(ada, ME, BOT, rules="sternenglanz", options={})
    cards = ada.get(f"/v1/games/{game_id}")["view"]["hand"]
    moves = [
        {
            "move": {"steps": [{"cmd": "choose", "slot2": slot2, "slot3": cards[4]}]},
            "words": "choose",
            "behind": 0,
            "margin": 0,
            "scores": 0,
            "why": "",
            "then": [],
            "scores_with_then": 0,
            "wins": False,
        }
        for slot2 in ("geburt#1", "geburt#2", cards[0] if not cards[0].startswith("geburt") else cards[4])
    ]
    page = windows.open(ada)
    turn = ada.get(f"/v1/games/{game_id}")["you"]["turn"]
    page.route("**/hint", lambda route: route.fulfill(json={"turn": turn, "moves": moves}))
    page.goto(f"/#/games/{game_id}")
    page.get_by_role("button", name="Hint", exact=True).click()
    expect(page.locator(".hint li strong").first).to_contain_text("Star birth → 2 · ")
    expect(page.locator(".hint li").filter(has_text="Star birth → 2")).to_have_count(1)
    expect(page.locator(f'.held.hinted[data-card="{cards[4]}"]')).to_have_attribute("data-into", "3")
    expect(page.locator(".own .slot").nth(2).locator(".planned")).to_have_attribute("data-copy", cards[4])


def test_a_table_where_a_bot_plays_for_a_person_who_left_offers_no_hint(house: House, windows: Windows) -> None:
    ada, ben = (sign_in(house, f"{name}@example.org") for name in ("ada", "ben"))
    game_id = game_of(ada, ME, OPEN, BOT, options={"start_seat": 0})
    ben.post(f"/v1/games/{game_id}/seats", {})
    assert ben.ask("DELETE", f"/v1/games/{game_id}/seats/me").status_code < 300
    seats = ada.get(f"/v1/games/{game_id}")["seats"]
    assert [it["kind"] for it in seats] == ["human", "bot", "bot"] and seats[1]["stand_in"]
    page = windows.open(ada)
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(".hand .star.open").first).to_be_visible()
    expect(page.get_by_role("button", name="Hint", exact=True)).to_have_count(0)
