"""Plans on the page: moves for your next turns, tapped on the board, with conditions in words."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.page.sternenglanz_taps import tap_out
from tests.page.windows import DESK, ME, OPEN, PHONE, Windows
from tests.support.live_server import Client, House, Json, sign_in

DEVICES = {"desk": (DESK, Locator.click), "phone": (PHONE, Locator.tap)}


def table_of(house: House, seats: int, rules: str) -> tuple[str, list[Client]]:
    """Open a game in which Ada is first, and Ben second."""
    clients: list[Client] = [sign_in(house, f"{name}@example.org") for name in ("ada", "ben", "cleo")[:seats]]
    options = {"start_seat": 0, **({"scenario": 1} if rules == "sternenglanz" else {})}
    body = {"rules": rules, "options": options, "seats": [ME, *[OPEN] * (seats - 1)]}
    game_id = clients[0].post("/v1/games", body)["id"]
    for guest in clients[1:]:
        guest.post(f"/v1/games/{game_id}/seats", {})
    return game_id, clients


def first_move(client: Client, game_id: str) -> None:
    legal = client.get(f"/v1/games/{game_id}/legal-moves")
    client.post(f"/v1/games/{game_id}/moves", {"turn": legal["turn"], "move": legal["moves"][0]})


def choose_cards(game_id: str, *clients: Client) -> None:
    """Choose the first cards of all players, births if they have some."""
    for client in clients:
        seen = client.get(f"/v1/games/{game_id}")
        slot2, slot3, *_ = sorted(seen["view"]["hand"], key=lambda it: not it.startswith("geburt"))
        move = {"steps": [{"cmd": "choose", "slot2": slot2, "slot3": slot3}]}
        client.post(f"/v1/games/{game_id}/moves", {"turn": seen["you"]["turn"], "move": move})


def plan_of(client: Client, game_id: str) -> list[Json]:
    moves: list[Json] = client.get(f"/v1/games/{game_id}/seats/me/plan")["moves"]
    return moves


def fits(page: Page) -> None:
    width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert width <= 0


def saved(page: Page, press: Callable[[Locator], Any], only: bool = False) -> None:
    """Ask for the conditions of the move that was tapped, and save it."""
    press(page.get_by_role("button", name="Plan it…"))
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Play it only if…")
    if only:
        dialog.get_by_label("nothing happens before then except moves").check()
    fits(page)
    press(dialog.get_by_role("button", name="Plan it", exact=True))
    expect(dialog).to_have_count(0)


@pytest.mark.parametrize("device", DEVICES)
def test_a_placement_planned_by_tapping_is_played(house: House, windows: Windows, device: str) -> None:
    settings, press = DEVICES[device]
    game_id, (ada, ben, _) = table_of(house, 3, "sternenhimmel")
    page = windows.open(ben, **settings)
    page.goto(f"/#/games/{game_id}")
    press(page.locator(".tray").get_by_role("button", name="Plan a move"))
    seven = page.locator(".hand .star.open[data-star='7']")
    press(seven.first)
    space = page.locator(".boards [data-at].lit").last
    at = space.get_attribute("data-at")
    press(space)
    expect(page.locator(".tray .told")).to_contain_text("7")
    saved(page, press, only=True)
    [planned] = plan_of(ben, game_id)
    assert (planned["move"]["star"], planned["move"]["space"]) == ("7", at)
    assert [list(it) for it in planned["if"]] == [["at", "is"], ["at", "is"], ["only"]]
    plan = page.locator(".plan")
    press(plan.get_by_text("Planned moves (1)"))
    expect(plan.locator("li strong")).to_have_text([re.compile("^a 7 on ")])
    expect(plan.locator("li")).to_contain_text("Only if its space is still free")
    press(plan.get_by_role("button", name="Plan a move"))
    press(page.locator(".hand .star.open[data-star='10']").first)
    press(page.locator(".boards [data-at].lit").first)
    saved(page, press)
    expect(plan.locator("li strong")).to_have_count(2)
    press(plan.get_by_role("button", name="Remove").nth(1))
    expect(plan.locator("li strong")).to_have_count(1)
    first_move(ada, game_id)
    expect(plan.locator("li")).to_have_count(0)
    story = ben.get(f"/v1/games/{game_id}/events")["items"]
    assert [it["by"] for it in story if "by" in it] == ["player", "plan"]


@pytest.mark.parametrize("device", DEVICES)
def test_a_step_planned_by_tapping_is_played(house: House, windows: Windows, device: str) -> None:
    settings, press = DEVICES[device]
    game_id, (ada, ben) = table_of(house, 2, "sternenglanz")
    choose_cards(game_id, ada, ben)
    page = windows.open(ben, **settings)
    page.goto(f"/#/games/{game_id}")
    press(page.locator(".tray").get_by_role("button", name="Plan a move"))
    view = ben.get(f"/v1/games/{game_id}")["view"]
    [star] = view["board"]
    rules = ben.get("/v1/rules/sternenglanz")
    near = [b if a == star else a for a, b in rules["firmament"]["lines"] if star in (a, b)]
    laid = {"cmd": "act", "slot": 1, "do": "lay", "class": "punkt", "field": near[-1]}
    tap_out(page, [laid], press)
    expect(page.locator(f".field[data-field='{near[-1]}'] .piece.punkt")).to_be_attached()
    expect(page.locator(".tray .told")).to_contain_text(f"a dot star on {near[-1]}")
    fits(page)
    saved(page, press)
    [planned] = plan_of(ben, game_id)
    assert planned["move"] == {"steps": [laid]}
    assert planned["if"] == [{"at": f"/board/{near[-1]}", "is": None}]
    plan = page.locator(".plan")
    press(plan.get_by_text("Planned moves (1)"))
    expect(plan.locator("li strong")).to_have_text([f"Slot 1: a dot star on {near[-1]}"])
    played = 0
    while ada.get(f"/v1/games/{game_id}")["you"]["turn"] is not None and played < 6:
        played += 1
        legal = ada.get(f"/v1/games/{game_id}/legal-moves")
        away = [it for it in legal["moves"] if f"'{near[-1]}'" not in str(it) and f"'{star}'" not in str(it)]
        ada.post(f"/v1/games/{game_id}/moves", {"turn": legal["turn"], "move": (away or legal["moves"])[0]})
    expect(plan.locator("li")).to_have_count(0)
    board = ben.get(f"/v1/games/{game_id}")["view"]["board"]
    assert board[near[-1]] == "punkt"


def test_a_whole_turn_can_be_planned_with_the_cards_that_follow(house: House, windows: Windows) -> None:
    game_id, (ada, ben) = table_of(house, 2, "sternenglanz")
    choose_cards(game_id, ada, ben)
    page = windows.open(ben)
    page.goto(f"/#/games/{game_id}")
    page.locator(".tray").get_by_role("button", name="Plan a move").click()
    page.locator(".step-list summary").click()
    steps = page.locator(".steps button")
    for begun, wanted in enumerate(
        ("Slot 1: a dot star on", "Slot 2: ", "stop after slots 1 and 2", "in slot 2"), start=1
    ):
        steps.filter(has_text=wanted).first.click()
        expect(page.locator(f".sternenglanz[data-begun='{begun}']")).to_be_attached()
    expect(steps).to_have_count(0)
    saved(page, Locator.click)
    [planned] = plan_of(ben, game_id)
    assert [it.get("do", it["cmd"]) for it in planned["move"]["steps"]][0::2] == ["lay", "finish"]
    assert planned["move"]["steps"][3]["slot2"] in ben.get(f"/v1/games/{game_id}")["view"]["hand"]


def test_a_move_can_be_planned_and_discarded_by_keyboard(house: House, windows: Windows) -> None:
    game_id, (_, ben, _) = table_of(house, 3, "sternenhimmel")
    page = windows.open(ben)
    page.goto(f"/#/games/{game_id}")
    page.locator(".tray").get_by_role("button", name="Plan a move").press("Enter")
    expect(page.locator(".hand .star.open").first).to_be_focused()
    page.keyboard.press("Enter")
    page.locator(".boards [data-at].lit").first.press("Enter")
    page.get_by_role("button", name="Plan it…").press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="Cancel", exact=True).press("Enter")
    expect(page.locator(".tray").get_by_role("button", name="Plan a move")).to_be_visible()
    expect(page.locator(".boards [data-at].open")).to_have_count(0)
    assert plan_of(ben, game_id) == []


def test_planning_ends_when_the_players_turn_begins(house: House, windows: Windows) -> None:
    game_id, (ada, ben, _) = table_of(house, 3, "sternenhimmel")
    page = windows.open(ben)
    page.goto(f"/#/games/{game_id}")
    page.locator(".tray").get_by_role("button", name="Plan a move").click()
    page.locator(".hand .star.open").first.click()
    first_move(ada, game_id)
    expect(page.get_by_role("button", name="Cancel", exact=True)).to_have_count(0)
    expect(page.locator(".hand .star[aria-pressed=true]")).to_have_count(0)
    expect(page.locator(".boards [data-at].open").first).to_be_attached()
