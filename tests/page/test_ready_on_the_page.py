"""The ready check on the page: its option, the committed salt and the button."""

from hashlib import sha256

from playwright.sync_api import expect

from tests.page.windows import Windows
from tests.support.live_server import House, sign_in


def test_a_game_begins_when_all_players_are_ready_and_then_reveals_salts(house: House, windows: Windows) -> None:
    ada, ben = (sign_in(house, f"{name}@example.org") for name in ("ada", "ben"))
    page = windows.open(ada)
    page.goto("/#/open")
    form = page.locator("form.new-game")
    form.get_by_role("combobox", name="Seat 2").select_option("open")
    form.get_by_text("Edition", exact=True).click()
    form.get_by_text("All options").click()
    form.locator("[name=ready_check]").select_option("P2D")
    expect(form.locator(".summary")).to_contain_text("Ready check: 2 days")
    form.get_by_text("Waiting for players, fair shuffling").click()
    form.get_by_text("Fair shuffle", exact=True).click()
    form.locator("[name=salt]").fill("a word of mine")
    form.get_by_role("button", name="Create the game").click()
    expect(page.get_by_role("heading", name="Before the start")).to_be_visible()
    (game,) = ada.get("/v1/games?mine=true&status=open&limit=1")["items"]
    assert game["options"]["ready_check"] == {"within": "P2D"}
    assert game["seats"][0]["salt_hash"] == sha256(b"a word of mine").hexdigest()

    other = windows.open(ben)
    other.goto(f"/#/games/{game['id']}")
    other.get_by_role("button", name="Take a seat").click()
    asked = other.locator(".ready")
    expect(asked.get_by_role("listitem").filter(has_text="waiting")).to_have_count(2)
    asked.get_by_role("button", name="I'm ready").click()
    expect(asked.get_by_text("You're ready. The game will start when everyone is ready.")).to_be_visible()
    expect(asked.get_by_role("button", name="I'm ready")).to_have_count(0)

    page.reload()
    expect(page.locator(".ready").get_by_role("button", name="Start without the others")).to_be_visible()
    expect(page.locator(".ready [name=salt]")).to_have_value("a word of mine")
    page.locator(".ready").get_by_role("button", name="I'm ready").click()
    expect(page.get_by_role("heading", name="Before the start")).to_have_count(0)
    begun = ada.get(f"/v1/games/{game['id']}")
    assert begun["status"] == "running"
    assert begun["seats"][0]["salt_revealed"] is True
