"""The page in real browsers: people sign in, meet, and play whole games."""

import re
from datetime import datetime, timedelta

from playwright.sync_api import Route, expect

from tests.page.windows import (
    BOT,
    ME,
    OPEN,
    PHONE,
    Windows,
    by_finger,
    by_keyboard,
    by_mouse,
    code_for,
    enter,
    game_of,
    loses,
    play_out,
    quiet,
    too_wide,
)
from tests.support.live_server import Client, House, sign_in, until


def test_two_people_join_a_game_and_play_it_to_the_end_with_a_bot(house: House, windows: Windows) -> None:
    ada, ben = windows.open(), windows.open(**PHONE)
    enter(ada, house, "ada@example.org")
    ada.locator("nav").get_by_role("link", name="New game").click()
    ada.locator("[name=seat-1]").select_option("open")
    ada.get_by_label("Title").fill("A clear night")
    ada.get_by_role("button", name="Create the game").click()
    expect(ada.get_by_role("heading", name="A clear night")).to_be_visible()

    enter(ben, house, "ben@example.org")
    ben.locator("nav").get_by_role("link", name="Lobby").tap()
    ben.get_by_role("button", name="Take a seat in A clear night").tap()
    expect(ben.get_by_text("this game takes weeks")).to_be_visible()
    ben.get_by_role("button", name="Take a seat in A clear night").tap()
    expect(ben.locator(".board")).to_have_count(3)
    expect(ada.locator(".board")).to_have_count(3)  # she is told, and need not look again

    for page in (ada, ben):
        quiet(Client(house, page.evaluate("localStorage.getItem('sternenpost.token')")))
    moves = iter([by_keyboard] * 3)
    play_out({ada: lambda page: next(moves, by_mouse)(page), ben: by_finger})
    [row] = house.rows("SELECT status, version FROM games WHERE title = 'A clear night'")
    assert (row["status"], row["version"]) == ("finished", 91)
    assert not too_wide(ben)


def test_a_private_games_link_leads_through_sign_in_to_a_seat(house: House, windows: Windows) -> None:
    ada = sign_in(house, "lena@example.org")
    title = "<img src=//elsewhere.example onerror=alert(1)>"  # is only a name
    game = ada.post("/v1/games", {"rules": "sternenhimmel", "title": title, "private": True, "seats": [ME, OPEN, BOT]})
    page = windows.open(**PHONE)
    page.goto(f"/#/games/{game['id']}?invitation={game['invitation']}")
    expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
    page.get_by_label("Email address").fill("mia@example.org")
    page.get_by_role("button", name="Email me a code").tap()
    page.get_by_label("Code").fill(code_for(house, "mia@example.org"))
    page.get_by_role("button", name="Take a seat").tap()
    expect(page.locator(".board")).to_have_count(3)
    assert ada.get(f"/v1/games/{game['id']}")["seats"][1]["kind"] == "human"


def test_a_move_with_a_lost_response_is_resent_and_counts_once(house: House, windows: Windows) -> None:
    client = sign_in(house, "cleo@example.org")
    game_id = game_of(client, ME, BOT, BOT)
    page = windows.open(client)
    windows.expected = "ERR_FAILED"
    tries = loses(page, "**/moves")
    page.goto(f"/#/games/{game_id}")
    by_mouse(page)
    tries.arrive_again(page)
    story = client.get(f"/v1/games/{game_id}/events")["items"]
    assert [it["version"] for it in story if it["type"] == "star-placed" and it["seat"] == 0] == [2]


def test_a_move_without_a_response_is_not_resent_after_signing_out(house: House, windows: Windows) -> None:
    """Another player in the same browser would play it."""
    client = sign_in(house, "cora@example.org")
    game_id = game_of(client, ME, BOT, BOT)
    page = windows.open(client)
    windows.expected = "ERR_FAILED|status of 401"  # what was asked a moment before, while the token ended
    tries: list[Route] = []
    page.route("**/moves", lambda it: (tries.append(it), it.abort()))
    page.clock.install()
    page.goto(f"/#/games/{game_id}")
    by_mouse(page)
    expect(page.get_by_text("No response yet.")).to_be_visible()
    page.clock.run_for(2_000)
    until(lambda: len(tries) == 2 or page.wait_for_timeout(20))
    page.clock.pause_at(datetime.now() + timedelta(hours=1))
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("banner").get_by_role("link", name="Sign in")).to_be_visible()
    number = len(tries)
    page.clock.run_for(10_000)
    page.evaluate("fetch('/healthz')")
    assert len(tries) == number


def test_a_window_belongs_to_the_player_who_signed_in_last(house: House, windows: Windows) -> None:
    """A code may be copied with blanks, and a session that ends elsewhere is told of."""
    page = windows.open()
    page.goto("/")
    eve = sign_in(house, "evelyn@example.org")
    page.evaluate("it => localStorage.setItem('sternenpost.token', it)", eve.token)  # she stays signed in
    page.get_by_label("Email address").fill("faye@example.org")
    page.get_by_role("button", name="Email me a code").click()
    code = code_for(house, "faye@example.org")
    page.get_by_label("Code").press_sequentially(f" {code[:3]} {code[3:]}")
    page.get_by_label("Stay signed in").uncheck()
    page.locator("main").get_by_role("button", name="Sign in").click()
    page.get_by_label("Name").fill("Faye")
    page.get_by_role("button", name="Use this name").click()
    mine = page.get_by_role("link", name="Faye: Settings")
    expect(mine).to_be_visible()
    page.reload()
    expect(mine).to_be_visible()
    faye = Client(house, page.evaluate("sessionStorage.getItem('sternenpost.token')"))
    windows.expected = "status of 401"
    assert faye.ask("DELETE", "/v1/tokens").status_code == 204
    expect(page.get_by_text("You've been signed out.")).to_be_visible()


def test_a_player_who_was_offline_sees_what_happened(house: House, windows: Windows) -> None:
    client = sign_in(house, "dora@example.org")
    game_id = game_of(client, ME, BOT, BOT)
    page = windows.open(client)
    windows.expected = "ERR_INTERNET_DISCONNECTED|ERR_NETWORK_CHANGED"
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(".news.live")).to_be_visible()
    expect(page.locator(".board")).to_have_count(3)  # they have come, too

    page.context.set_offline(True)
    expect(page.get_by_text("No connection.")).to_be_visible()
    asked = client.get(f"/v1/games/{game_id}/legal-moves")
    client.post(f"/v1/games/{game_id}/moves", {"turn": asked["turn"], "move": asked["moves"][0]})
    page.context.set_offline(False)
    expect(page.get_by_text("No connection.")).to_be_hidden()
    expect(page.locator(".space.fresh")).to_have_count(2)  # what the bots did since
    expect(page.locator(".news.live")).to_be_visible()


def test_the_slider_shows_earlier_tables_and_the_live_region_announces_news(house: House, windows: Windows) -> None:
    client = sign_in(house, "emil@example.org")
    game_id = game_of(client, ME, BOT, BOT)
    page = windows.open(client)
    page.goto(f"/#/games/{game_id}")
    by_mouse(page)
    expect(page.locator("[aria-live]")).to_contain_text("Greedy 2 put", use_inner_text=False)
    expect(page.locator(".history .faint")).to_have_text("move 4 of 4")
    page.get_by_label("Back one move").click()
    page.get_by_label("Back one move").click()
    expect(page.locator(".space:not(:has(.ring))")).to_have_count(1)
    expect(page.locator(".hand .star.open")).to_have_count(0)  # the past is for looking only
    page.get_by_role("button", name="Back to now").click()
    expect(page.locator(".space:not(:has(.ring))")).to_have_count(3)


def test_every_space_is_a_button_with_a_complete_accessible_name(house: House, windows: Windows) -> None:
    client = sign_in(house, "karl@example.org")
    page = windows.open(client)
    page.goto(f"/#/games/{game_of(client, ME, BOT, BOT)}")
    name = r"^\w+, space [a-z], (large: face down|small: face up), empty, joined to [a-z](,? (and )?[a-z])*$"
    named = page.get_by_role("button", name=re.compile(name))
    expect(page.locator(".board")).to_have_count(3)
    assert named.count() == page.locator(".space").count() > 10
    assert page.locator(".space[tabindex='0']").count() == 3  # one stop for each constellation


def test_the_last_move_can_be_confirmed_when_no_board_is_left(house: House, windows: Windows) -> None:
    """Only who sees all stars of the last board is foretold its scoring: here the answer is made to say so."""
    client = sign_in(house, "lastly@example.org")
    game_id = game_of(client, ME, BOT, BOT)
    page = windows.open(client)

    def as_the_last(route: Route) -> None:
        answer = route.fetch()
        foretold = answer.json()
        route.fulfill(response=answer, json=foretold | {"view": foretold["view"] | {"boards": []}})

    page.route("**/moves?dry_run=true", as_the_last)
    page.goto(f"/#/games/{game_id}")
    page.locator(".hand .star.open").first.click()
    page.locator(".space.lit").first.click()
    page.get_by_role("button", name="Play it").click()
    expect(page.get_by_text("move 1 of")).to_be_hidden()
    assert client.get(f"/v1/games/{game_id}")["version"] > 1
