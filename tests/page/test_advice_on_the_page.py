"""Advice on the page: a hint that is shown and played."""

import pytest
from playwright.sync_api import expect

from tests.page.windows import BOT, DESK, ME, OPEN, PHONE, Windows, game_of
from tests.support.live_server import House, sign_in


@pytest.mark.parametrize("rules", ["sternenhimmel", "sternenglanz"])
def test_a_hint_is_shown_closed_and_played(house: House, windows: Windows, rules: str) -> None:
    ada = sign_in(house, "ada@example.org")
    start = {"start_seat": 0} if rules == "sternenhimmel" else {}
    game_id = game_of(ada, ME, BOT, BOT, rules=rules, options=start)
    page = windows.open(ada, **(PHONE if rules == "sternenglanz" else DESK))
    page.goto(f"/#/games/{game_id}")
    tool = page.get_by_role("button", name="Hint", exact=True)
    tool.click()
    hint = page.get_by_role("region", name="Hint")
    expect(hint.get_by_role("listitem")).to_have_count(3)
    expect(hint.get_by_role("listitem").first).to_contain_text("the best")
    hint.press("Escape")
    expect(hint).to_have_count(0)
    tool.click()
    best = ada.get(f"/v1/games/{game_id}/hint")
    hint.get_by_role("button", name="Play it").first.click()
    expect(hint).to_have_count(0)
    mine = [it for it in ada.get(f"/v1/games/{game_id}/events")["items"] if it.get("by") == "player"]
    move = best["moves"][0]["move"]
    told = move if rules == "sternenhimmel" else {key: move["steps"][0][key] for key in ("slot2", "slot3")}
    assert [{key: it[key] for key in told} for it in mine] == [told]


def test_a_table_of_people_offers_no_hint(house: House, windows: Windows) -> None:
    ada, ben = (sign_in(house, f"{name}@example.org") for name in ("ada", "ben"))
    game_id = game_of(ada, ME, OPEN, BOT, options={"start_seat": 0})
    ben.post(f"/v1/games/{game_id}/seats", {})
    page = windows.open(ada)
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(".hand .star.open").first).to_be_visible()
    expect(page.get_by_role("button", name="Hint", exact=True)).to_have_count(0)
