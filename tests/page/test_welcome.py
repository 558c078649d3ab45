"""What a visitor sees first: a game in progress."""

import re
from datetime import UTC, datetime, timedelta
from uuid import UUID

from playwright.sync_api import Page, expect

from server.play.game import BOT_NAMES
from tests.page.windows import BOT, ME, OPEN, PHONE, Windows, code_for, game_of, too_wide
from tests.support.live_server import Client, House, sign_in

TEXT_SIZES = """[...document.querySelectorAll(".live-table *")]
  .filter((it) => [...it.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) && it.checkVisibility())
  .map((it) => parseFloat(getComputedStyle(it).fontSize) * (it.getScreenCTM?.().a ?? 1))"""
SHOWN = "document.querySelector('.frame-of').innerHTML"


def shown(page: Page) -> str:
    """The caption of the table, once its sky is drawn."""
    page.goto("/")
    expect(page.locator(".frame-of .lying, .frame-of .ring").first).to_be_visible()
    return page.locator(".live-table figcaption span").inner_text()


def play(people: list[Client], game_id: str, moves: int) -> None:
    for _ in range(moves):
        turn, client = next(
            (it["turn"], who) for who in people if (it := who.get(f"/v1/games/{game_id}/legal-moves"))["moves"]
        )
        move = client.get(f"/v1/games/{game_id}/legal-moves")["moves"][0]
        client.post(f"/v1/games/{game_id}/moves", {"turn": turn, "move": move})


def test_visitors_see_a_bot_game_until_a_game_between_people_has_ten_moves(house: House, windows: Windows) -> None:
    people = [sign_in(house, f"{name}@example.org") for name in ("ada", "ben", "cleo")]
    game_of(people[0], ME, BOT, BOT)  # of which there is nothing to see yet
    page = windows.open(**PHONE)
    assert "a demo game between the bots" in shown(page)
    before = page.evaluate(SHOWN)
    house.forward(timedelta(seconds=40))
    page.wait_for_function(f"before => {SHOWN} !== before", arg=before)
    assert too_wide(page) == []

    game_id = game_of(people[0], ME, OPEN, OPEN)
    for who in people[1:]:
        who.post(f"/v1/games/{game_id}/seats", {})
    play(people, game_id, 9)
    friends = game_of(people[0], ME, {"email": "ben@example.org"}, OPEN)
    for who in people[1:]:
        who.post(f"/v1/games/{friends}/seats", {})
    play(people, friends, 11)
    assert "demo" in shown(page)
    play(people, game_id, 2)
    assert "a live game between ada, ben, and cleo" in shown(page)
    house.forward(timedelta(minutes=11))
    assert "demo" in shown(page)


def test_a_game_of_one_person_against_bots_is_not_shown(house: House, windows: Windows) -> None:
    people = [sign_in(house, f"{name}@example.org") for name in ("fay", "gus", "hal")]
    game_id = game_of(people[0], ME, OPEN, OPEN)
    for who in people[1:]:
        who.post(f"/v1/games/{game_id}/seats", {})
    play(people, game_id, 11)
    page = windows.open(**PHONE)
    assert "a live game between fay, gus, and hal" in shown(page)
    people[2].ask("DELETE", f"/v1/games/{game_id}/seats/me")
    assert "a live game between" in shown(page)
    people[1].ask("DELETE", f"/v1/games/{game_id}/seats/me")
    assert "demo" in shown(page)


def test_visitors_see_how_many_tables_wait_and_go_there_in_one_tap(house: House, windows: Windows) -> None:
    dora, emil = (sign_in(house, f"{name}@example.org") for name in ("dora", "emil"))
    page = windows.open(**PHONE)
    page.goto("/")
    expect(page.locator(".live-table figcaption span")).not_to_be_empty()
    before = len(dora.get("/v1/games?status=open&free=true&limit=100")["items"])
    one = game_of(dora, ME, OPEN, BOT)
    if before == 0:
        page.reload()
        page.get_by_role("link", name="1 table is waiting for a player: join").tap()
        expect(page).to_have_url(re.compile(f"#/games/{one}$"))
        page.goto("/")
    game_of(emil, ME, OPEN, BOT)
    page.reload()
    page.get_by_role("link", name=f"{before + 2} tables are waiting for players: join one").tap()
    expect(page).to_have_url(re.compile("#/lobby$"))


def test_a_visitor_chooses_the_bots_of_a_game_and_their_names_are_those_in_emails(
    house: House, windows: Windows
) -> None:
    page = windows.open()
    page.goto("/")
    levels, about = page.get_by_label("Bots:"), page.locator(".opponents small")
    expect(about).to_have_text(
        ["Sternenhimmel: Rarely misses a good move.", "Sternenglanz: Often misses the best move."]
    )
    levels.select_option("level-5")
    expect(about).to_have_text("Looks ahead at every move.")
    levels.select_option("level-4")
    page.locator(".words .play button").first.click()
    bots = page.locator(".seats li", has_text="Level 4 (hard)")
    expect(bots.first).to_be_visible()
    game_id = UUID(page.url.partition("/games/")[2])
    names = [BOT_NAMES[(game_id.int + seat) % len(BOT_NAMES)] for seat in range(1, bots.count() + 1)]
    expect(bots.locator("strong")).to_have_text(names)
    page.goto("/#/open")
    expect(page.locator(".quick").get_by_label("Bots:")).to_have_value("level-4")


def test_signing_in_below_the_games_leads_to_the_top_of_the_next_screen(house: House, windows: Windows) -> None:
    windows.expected = "status of 422"
    page = windows.open(**PHONE)
    page.goto("/")
    field = page.locator(".door input[name=email]")
    field.fill("nope@nodot")
    field.press("Enter")
    wrong = page.locator(".door .wrong")
    expect(wrong).to_have_text(
        "This email address looks incomplete. It needs a full domain after the @, such as example.org."
    )
    expect(field).to_be_focused()
    field.fill("at-the-top@example.org")
    field.press("Enter")
    page.locator("input[name=code]").fill(code_for(house, "at-the-top@example.org"))
    assert page.evaluate("scrollY") > 0
    page.locator(".door").get_by_role("button", name="Sign in").tap()
    expect(page.get_by_role("heading", name="My games")).to_be_in_viewport(ratio=1)
    expect(page.locator("main")).to_be_focused()
    assert page.evaluate("scrollY") == 0


def test_the_demo_is_legible_on_a_phone(house: House, windows: Windows) -> None:
    page = windows.open(viewport={"width": 390, "height": 844})
    for day in range(2):  # the featured game changes daily
        page.clock.install(time=datetime(2027, 1, 1 + day, 12, tzinfo=UTC))
        shown(page)
        sizes = page.evaluate(TEXT_SIZES)
        assert sizes
        assert min(sizes) >= 11


def test_an_address_without_a_page_says_so_and_leads_home(house: House, windows: Windows) -> None:
    page = windows.open(**PHONE)
    page.goto("/#/nowhere")
    expect(page.get_by_role("heading", name="There's no page at this address.")).to_be_visible()
    page.get_by_role("link", name="Go to the home page").click()
    expect(page.locator(".live-table")).to_be_visible()


def test_a_phones_first_screen_shows_part_of_a_game(windows: Windows) -> None:
    page = windows.open(**PHONE)
    page.goto("/")
    expect(page.locator(".frame-of svg").first).to_be_visible()
    expect(page.locator(".frame-of")).to_be_in_viewport(ratio=0.3)


def test_a_mistyped_path_leads_home(windows: Windows) -> None:
    windows.expected = "404"
    page = windows.open()
    page.goto("/nowhere")
    page.get_by_role("link", name="Go to the home page").click()
    for game in ("Sternenhimmel", "Sternenglanz"):
        expect(page.locator(".evening").get_by_role("button", name=f"Play {game} now")).to_be_visible()


def test_a_visitor_who_was_sent_a_code_is_not_told_again_how_to_get_one(windows: Windows) -> None:
    page = windows.open()
    page.goto("/#/sign-in")
    why = page.get_by_text("We'll email you a code")
    expect(why).to_be_visible()
    page.get_by_label("Email address").fill("hans@example.org")
    page.get_by_role("button", name="Email me a code").click()
    expect(page.get_by_label("Code")).to_be_visible()
    expect(why).to_have_count(0)


def test_a_visitor_who_wants_to_play_with_friends_signs_in_and_opens_a_game(house: House, windows: Windows) -> None:
    page = windows.open()
    page.goto("/")
    email = page.get_by_label("Email address")
    page.get_by_role("link", name="Sign in").click()
    expect(email).to_be_focused()
    for _ in range(2):  # the second one changes no address
        page.get_by_role("link", name="Play with friends").click()
        expect(page.get_by_role("heading", name="Sign in to invite friends")).to_be_visible()
        expect(email).to_be_focused()
    email.fill("lena@example.org")
    page.get_by_role("button", name="Email me a code").click()
    page.get_by_label("Code").fill(code_for(house, "lena@example.org"))
    page.get_by_role("button", name="Sign in").click()
    form = page.locator("form.new-game")
    expect(form.get_by_label("friends, by email")).to_be_checked()
    expect(form.get_by_label("Email address").first).to_be_focused()
    expect(page).to_have_url(re.compile("#/open$"))


def test_a_guest_learns_that_friends_need_an_account_and_keeps_the_form(house: House, windows: Windows) -> None:
    windows.expected = "403"
    page = windows.open()
    play_as_guest(page)
    refusal = {"title": "Guests can't do this", "detail": "Guests can't do this. Sign in.", "code": "sign-in-first"}
    page.route("**/v1/games", lambda it: it.fulfill(status=403, json=refusal, content_type="application/problem+json"))
    page.goto("/#/open")
    page.locator(".quick").get_by_role("button").first.click()
    expect(page.get_by_role("alert")).to_have_text(refusal["detail"])
    page.unroute("**/v1/games")
    page.get_by_label("Title (optional)").fill("Under the stars")
    expect(page.get_by_role("button", name="Create the game")).to_be_visible()
    page.get_by_label("friends, by email").check()
    expect(page.get_by_text("To play with other people, you need an account.")).to_be_visible()
    page.get_by_role("link", name="Sign in and create it").click()
    page.locator(".door").get_by_label("Email address").fill("mona@example.org")
    page.get_by_role("button", name="Email me a code").click()
    page.get_by_label("Code").fill(code_for(house, "mona@example.org"))
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("Your game is as you left it")).to_be_visible()
    expect(page.get_by_label("Title (optional)")).to_have_value("Under the stars")
    expect(page.get_by_label("friends, by email")).to_be_checked()
    expect(page.get_by_role("button", name="Create the game")).to_be_visible()


def play_as_guest(page: Page) -> str:
    """Start a game as a guest, and return its id."""
    page.goto("/")
    page.locator(".words .play button").first.click()
    page.wait_for_url(re.compile("#/games/"))
    expect(page.locator(".hand")).to_be_visible()
    return page.url.partition("/games/")[2]


def ask_for_code(page: Page, email: str) -> None:
    page.goto("/#/sign-in")
    page.get_by_label("Email address").fill(email)
    page.get_by_role("button", name="Email me a code").click()
    expect(page.get_by_label("Code")).to_be_visible()


def test_a_guest_finds_their_own_score_without_knowing_their_name(house: House, windows: Windows) -> None:
    page = windows.open(**PHONE)
    play_as_guest(page)
    expect(page.locator(".seats [data-score] .who", has_text="you")).to_have_count(1)


def test_a_guest_who_mistypes_the_code_keeps_their_games(house: House, windows: Windows) -> None:
    windows.expected = "401"
    page = windows.open(**PHONE)
    game_id = play_as_guest(page)
    ask_for_code(page, "iris@example.org")
    code = code_for(house, "iris@example.org")
    page.get_by_label("Code").fill(f"{(int(code) + 1) % 1_000_000:06}")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("Check the digits, or request a new code.")).to_be_visible()
    expect(page.get_by_text("You've been signed out.")).to_be_hidden()
    page.get_by_label("Code").fill(code)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(f'a[href="#/games/{game_id}"]').first).to_be_visible()


def test_a_window_notices_a_sign_in_in_another_one(house: House, windows: Windows) -> None:
    windows.expected = "401"
    page = windows.open()
    play_as_guest(page)
    other = page.context.new_page()
    ask_for_code(other, "jonas@example.org")
    other.get_by_label("Code").fill(code_for(house, "jonas@example.org"))
    other.get_by_role("button", name="Sign in").click()
    expect(other.get_by_role("heading", name="My games")).to_be_visible()
    expect(page.locator(".head .me")).to_be_visible()
    page.goto("/#/settings")
    expect(page.get_by_text("You've been signed out.")).to_be_hidden()
    expect(page.locator(".head .me")).to_be_visible()
