"""Plans on the page: moves left for your next turns."""

from playwright.sync_api import expect

from tests.page.windows import ME, OPEN, Windows, game_of
from tests.support.live_server import Client, House, sign_in


def test_planned_moves_are_left_shown_and_removed_and_one_is_played(house: House, windows: Windows) -> None:
    clients: list[Client] = [sign_in(house, f"{name}@example.org") for name in ("ada", "ben", "cleo")]
    ada, ben, cleo = clients
    game_id = game_of(ada, ME, OPEN, OPEN)
    for guest in (ben, cleo):
        guest.post(f"/v1/games/{game_id}/seats", {})
    page = windows.open(ben)
    page.goto(f"/#/games/{game_id}")
    plan = page.locator(".plan")
    plan.get_by_text("Planned moves").click()
    space = plan.get_by_role("combobox", name="Space")
    last = space.locator("option").last.get_attribute("value")
    assert last
    move = f"a 7 on {space.locator('option').last.inner_text()}"
    space.select_option(last)
    plan.get_by_role("combobox", name="Star").select_option("7")
    plan.get_by_label("Only if there are just moves").check()
    plan.get_by_role("button", name="Plan it").click()
    expect(plan.locator("li strong")).to_have_text([move])
    expect(plan.locator("li")).to_contain_text("Only if the space is still free")
    plan.get_by_role("combobox", name="Star").select_option("10")
    plan.get_by_role("button", name="Plan it").click()
    expect(plan.locator("li strong")).to_have_count(2)  # the first space of all is free, too
    plan.get_by_role("button", name="Remove").nth(1).click()
    expect(plan.locator("li strong")).to_have_text([move])
    legal = ada.get(f"/v1/games/{game_id}/legal-moves")
    ada.post(f"/v1/games/{game_id}/moves", {"turn": legal["turn"], "move": legal["moves"][0]})
    expect(plan.locator("li")).to_have_count(0)
    story = ben.get(f"/v1/games/{game_id}/events")["items"]
    assert [it["by"] for it in story if "by" in it] == ["player", "plan"]
