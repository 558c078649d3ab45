"""Finding and opening a game, the table before its start, and your own games."""

import re
from datetime import datetime
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.page.axe import objections
from tests.page.windows import BOT, ME, OPEN, OWN_CODE, PHONE, Windows, code_for, enter, too_wide
from tests.support.live_server import Client, House, Json, sign_in, until

MANY = 26  # more than a page of the lobby


@pytest.fixture(scope="module")
def ada(house: House) -> Client:
    return sign_in(house, "ada@example.org")


@pytest.fixture(scope="module")
def ben(house: House) -> Client:
    return sign_in(house, "ben@example.org")


def open_game(client: Client, *seats: Json, rules: str = "sternenhimmel", **more: Any) -> str:
    return str(client.post("/v1/games", {"rules": rules, "seats": list(seats), **more})["id"])


def found(page: Page, count: int) -> None:
    expect(page.locator(".cards > li")).to_have_count(count)


def opened(page: Page, client: Client) -> Json:
    """The game at whose table this window is, as the API tells it."""
    page.wait_for_url(re.compile(r"#/games/"))
    game: Json = client.get(f"/v1/games/{page.url.split('/games/')[1]}")
    return game


def form_of(page: Page) -> None:
    """The form for a new game, with all that is folded in it."""
    page.goto("/#/open")
    expect(page.locator("form.new-game")).to_be_visible()
    for fold in reversed(page.locator(".fold:not([open]) > summary").all()):  # one that opens is counted no longer
        fold.click()


# Finding a game


def test_lobby_filters_are_stored_in_the_url_and_survive_going_back(ada: Client, ben: Client, windows: Windows) -> None:
    for i in range(MANY):
        options = {"scenario": 2 if i == 0 else 1}
        open_game(ben, ME, OPEN, BOT, BOT, rules="sternenglanz", options=options, title=f"Evening {i}")
    open_game(ben, ME, OPEN, rules="sternenglanz", clock={"per_move": "PT1H"})
    page = windows.open(ada)
    page.goto("/#/lobby")
    found(page, 24)
    page.locator("[name=rules]").select_option("sternenglanz")
    page.get_by_label("Players").select_option("4")
    page.get_by_label("Edition or scenario").select_option("scenario-2")
    found(page, 1)
    page.get_by_role("link", name="Evening 0").click()
    expect(page.get_by_role("heading", name="Evening 0")).to_be_visible()

    page.go_back()
    found(page, 1)
    expect(page.get_by_label("Players")).to_have_value("4")
    page.get_by_role("link", name="Show all").click()
    page.get_by_label("Time per turn").select_option("quick")
    found(page, 1)
    page.get_by_label("Players").select_option("5")
    expect(page.get_by_text("No games match your filters.")).to_be_visible()


def test_lobby_filters_are_folded_on_a_phone_until_they_are_used(ada: Client, windows: Windows) -> None:
    page = windows.open(ada, **PHONE)
    page.goto("/#/lobby")
    expect(page.get_by_label("Time per turn")).to_be_hidden()
    page.get_by_text("Filter games").click()
    page.get_by_label("Time per turn").select_option("quick")
    page.goto("/#/games")
    page.goto("/#/lobby?pace=quick")
    expect(page.get_by_label("Time per turn")).to_have_value("quick")
    expect(page.get_by_label("Time per turn")).to_be_visible()


def test_a_player_invites_another_one_from_an_earlier_table_without_an_address(
    ada: Client, ben: Client, windows: Windows
) -> None:
    met = open_game(ada, ME, OPEN, BOT, title="How we met")
    ben.post(f"/v1/games/{met}/seats", {})
    page = windows.open(ada)
    page.goto(f"/#/players/{ben.get('/v1/me')['id']}")
    page.get_by_role("link", name="Invite ben to a game").click()
    expect(page.locator("[name=seat-1] option:checked")).to_have_text("ben")
    expect(page.locator(".summary")).to_contain_text("ben")
    page.get_by_role("button", name="Create the game").click()
    game = opened(page, ada)
    assert (game["seats"][1]["kind"], game["private"]) == ("invited", True)
    assert game["id"] in [it["id"] for it in ben.get("/v1/games?mine=true&status=open")["items"]]


def test_all_opponents_are_chosen_at_once(ada: Client, windows: Windows) -> None:
    page = windows.open(ada)
    page.goto("/#/open")
    expect(page.get_by_label("bots", exact=True)).to_be_checked()
    page.get_by_label("friends, by email").check()
    expect(page.locator(".seat [type=email]")).to_have_count(2)
    expect(page.get_by_label("Programs may join, too")).to_have_count(0)
    expect(page.locator("[name=seat-0]")).to_have_value("me")
    page.locator("[name=seat-2]").select_option("level-4")
    expect(page.get_by_label("friends, by email")).not_to_be_checked()
    expect(page.get_by_label("mixed")).to_be_checked()
    page.get_by_label("bots", exact=True).check()
    page.locator("[name=seat-1]").select_option("level-1")
    expect(page.get_by_label("bots", exact=True)).to_be_checked()


def test_an_unknown_lobby_url_shows_the_lobby(windows: Windows) -> None:
    page = windows.open()
    page.goto("/#/lobby?pace=__proto__&status=constructor")
    expect(page.get_by_label("Time per turn")).to_have_value("")
    expect(page.get_by_role("heading", name="Open")).to_have_count(1)


def test_errors_in_collapsed_options_are_shown(ada: Client, windows: Windows) -> None:
    page = windows.open(ada)
    form_of(page)
    page.locator("[name=rules][value=sternenglanz]").check()
    page.get_by_text("All options").click()
    rounds = page.get_by_label("Maximum rounds")
    rounds.fill("")
    page.get_by_text("All options").click()
    expect(rounds).to_be_hidden()
    page.get_by_role("button", name="Create the game").click()
    expect(rounds).to_be_focused()


def test_random_start_overrides_a_previously_chosen_seat(ada: Client, windows: Windows) -> None:
    page = windows.open(ada)
    form_of(page)
    page.get_by_text("All options").click()
    page.locator("[name=start_player][value=chosen]").check()
    page.locator("[name=start_seat]").select_option(index=2)
    page.locator("[name=start_player][value=random]").check()
    page.get_by_role("button", name="Create the game").click()
    assert opened(page, ada)["options"]["start_player"] == "random"


def test_lobby_filters_changed_in_quick_succession_are_combined(ada: Client, windows: Windows) -> None:
    page = windows.open(ada)
    page.goto("/#/lobby?pace=slow")
    expect(page.get_by_label("Time per turn")).to_have_value("slow")
    expect(page.get_by_role("link", name="Show all")).to_be_visible()
    expect(page.locator(".filters [name=rules] option[value=sternenglanz]")).to_be_attached()
    expect(page.locator(".filters [name=players] option[value='4']")).to_be_attached()
    page.evaluate("""() => {
      document.querySelector("[role=status] a").click(); // show all
      for (const [name, value] of [["rules", "sternenglanz"], ["players", "4"]]) {
        const select = document.querySelector(`.filters [name=${name}]`);
        select.value = value;
        select.dispatchEvent(new Event("change", { bubbles: true }));
      }
    }""")
    expect(page).to_have_url(re.compile("lobby.rules=sternenglanz&players=4$"))


def test_open_tables_without_a_free_seat_are_listed_only_if_wanted(ada: Client, windows: Windows) -> None:
    open_game(ada, ME, OPEN, BOT, title="Room for one")
    open_game(ada, ME, {"email": "kept@example.org"}, BOT, title="No room")
    page = windows.open()
    page.goto("/#/lobby")
    expect(page.get_by_role("link", name="Room for one")).to_be_visible()
    expect(page.get_by_role("link", name="No room")).to_have_count(0)
    page.get_by_label("Only with a free seat").uncheck()
    expect(page.get_by_role("link", name="No room")).to_be_visible()
    expect(page).to_have_url(re.compile("lobby.free=false$"))


def test_the_lobby_reloads_when_its_window_is_shown_again(ada: Client, ben: Client, windows: Windows) -> None:
    page = windows.open(ada)
    page.goto("/#/lobby?rules=sternenhimmel&players=5")
    expect(page.get_by_text("No games match your filters.")).to_be_visible()
    game_id = open_game(ben, ME, OPEN, BOT, BOT, BOT, title="Five skies")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    take = page.get_by_role("button", name="Take a seat in Five skies")
    take.click()
    expect(page.get_by_text("2 days per turn: this game takes weeks")).to_be_visible()
    expect(take).to_be_focused()
    take.click()
    expect(page.locator(".board").first).to_be_visible()
    assert ada.get(f"/v1/games/{game_id}")["seats"][1]["name"] == "ada"


def test_visitors_can_watch_a_running_game(ben: Client, windows: Windows) -> None:
    open_game(ben, ME, BOT, BOT, title="To be seen")
    page = windows.open(**PHONE)
    page.goto("/#/lobby")
    page.get_by_role("link", name="In progress").tap()
    page.get_by_role("link", name="To be seen").tap()
    expect(page.locator(".board")).to_have_count(3)
    expect(page.locator(".hand .star.open")).to_have_count(0)


# Opening one


def test_a_game_is_opened_with_its_own_bank_and_time_out_policy(ada: Client, windows: Windows) -> None:
    page = windows.open(ada)
    form_of(page)
    page.locator("[name=edition][value=sargon-it]").check()
    expect(page.get_by_text("After a tie for first place, no player gets anything.").first).to_be_visible()
    page.get_by_text("All options").click()
    expect(page.get_by_label("Which seat goes first")).to_be_disabled()
    page.locator("[name=doubling][value=linear]").check()
    page.locator("[name=start_player][value=chosen]").check()
    page.get_by_label("Which seat goes first").select_option("Seat 3")
    page.locator("[name=seat-1]").select_option("open")

    page.get_by_label("Pace").select_option("own-bank")
    page.get_by_label("Starting bank", exact=True).fill("36")
    page.get_by_label("Starting bank: Unit").select_option("hours")
    page.get_by_label("Maximum bank", exact=True).fill("1")
    page.get_by_role("button", name="Create the game").click()
    expect(page.get_by_label("Maximum bank", exact=True)).to_be_focused()
    expect(page.get_by_text("The maximum can't be less than the other two times.")).to_be_visible()
    page.get_by_label("Maximum bank", exact=True).fill("2")

    page.get_by_label("What happens").select_option("own")
    page.get_by_label("Extra time", exact=True).fill("6")
    page.get_by_label("Extra time: Unit").select_option("hours")
    page.get_by_label("Times per game").fill("3")
    page.get_by_role("button", name="Remove step 2").click()
    page.get_by_role("button", name="Add a turn by a bot").click()
    page.get_by_label("A bot plays the turn").select_option("random")
    page.get_by_label("Last step").select_option("abandon")
    steps = page.locator(".summary dd").last.locator("div")
    expect(steps).to_have_text(["6 hours more, 3 times", "then a bot plays one turn", "then the game is abandoned"])
    page.get_by_role("button", name="Create the game").click()

    game = opened(page, ada)
    assert game["options"]["edition"] == "sargon-it"
    assert (game["options"]["doubling"], game["options"]["start_seat"]) == ("linear", 2)
    assert game["clock"] == {"bank": "PT36H", "increment": "PT12H", "cap": "P2D"}
    assert game["on_timeout"] == [
        {"do": "extend", "by": "PT6H", "times": 3},
        {"do": "bot-move", "bot": "random", "times": 1},
        {"do": "abandon"},
    ]
    assert [seat["kind"] for seat in game["seats"]] == ["human", "open", "bot"]

    form_of(page)  # and another one like it
    page.get_by_role("button", name="Same as last time").click()
    page.get_by_role("button", name="Create the game").click()
    page.wait_for_url(lambda url: "/games/" in url and game["id"] not in url)
    again = opened(page, ada)
    assert [again[field] for field in ("options", "clock", "on_timeout")] == [
        game[field] for field in ("options", "clock", "on_timeout")
    ]


def test_going_back_before_a_new_table_is_shown_leads_to_an_empty_form(ada: Client, windows: Windows) -> None:
    back = "addEventListener('hashchange', () => location.hash.startsWith('#/games/') && (location.hash = '#/open'))"
    page = windows.open(ada, script=f"{OWN_CODE}; {back}")
    form_of(page)
    page.get_by_label("Title").fill("There and back")
    page.get_by_role("button", name="Create the game").click()
    expect(page.get_by_role("button", name="Same as last time")).to_be_visible()
    expect(page.get_by_label("Title")).to_have_value("")


def test_a_sternenglanz_game_is_opened_with_a_round_limit_and_a_salt(
    house: House, ada: Client, windows: Windows
) -> None:
    page = windows.open(ada, **PHONE)
    form_of(page)
    page.locator("[name=rules][value=sternenglanz]").check()
    page.locator("[name=scenario][value=scenario-4]").check()
    expect(page.locator("[name=number]")).to_have_value("2")  # as with "Play now"
    expect(page.get_by_label("Programs may join, too")).to_have_count(0)  # all seats are taken
    page.get_by_text("All options").tap()
    page.get_by_label("Maximum rounds").fill("12")
    page.locator("select[name=clock]").select_option("own-time")
    page.get_by_label("Per turn", exact=True).fill("5")
    page.get_by_label("What happens").select_option("strict")
    page.get_by_text("Fair shuffle", exact=True).tap()
    page.get_by_role("button", name="Pick one for me").tap()
    salt = page.get_by_label("Your random word (salt)").input_value()
    assert re.fullmatch("[0-9a-f]{32}", salt)
    assert not too_wide(page)
    page.get_by_role("button", name="Create the game").tap()

    game = opened(page, ada)
    until(lambda: ada.get(f"/v1/games/{game['id']}")["status"] == "running")
    assert (game["options"]["scenario"], game["options"]["max_rounds"]) == (4, 12)
    assert game["clock"] == {"per_move": "P5D"}
    assert game["on_timeout"] == [{"do": "bot-takes-over", "bot": "greedy"}]
    salts = house.rows("SELECT salt FROM seats WHERE game_id = %s ORDER BY seat", game["id"])
    assert [row["salt"] for row in salts] == [salt, ""]


def test_an_error_is_shown_beside_its_field_and_input_is_kept(ada: Client, windows: Windows) -> None:
    page = windows.open(ada)
    windows.expected = "status of 422"
    form_of(page)
    page.get_by_label("Title").fill("For Gina")
    page.locator("[name=seat-1]").select_option("invite")
    page.get_by_label("Email address").fill("gina..x@example.org")
    page.get_by_role("button", name="Create the game").click()
    field = page.get_by_label("Email address")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#wrong-seats\\.1")).to_contain_text("name@example.org")

    page.get_by_label("Language").select_option("fr")
    expect(page.get_by_label("Titre")).to_have_value("For Gina")
    page.get_by_label("Langue").select_option("en")
    page.get_by_label("Email address").fill("gina@example.org")
    greeting = page.get_by_label("A personal message")
    greeting.fill("See www.example.org")
    page.get_by_role("button", name="Create the game").click()
    expect(page.locator("#wrong-seats\\.1\\.greeting")).to_contain_text("Leave out web addresses")
    greeting.fill("Fancy a game?")
    page.get_by_role("button", name="Create the game").click()
    assert opened(page, ada)["title"] == "For Gina"


# Before the start


def test_a_player_invited_from_the_waiting_room_sits_down_with_a_salt(
    house: House, ada: Client, windows: Windows
) -> None:
    game_id = open_game(ada, ME, OPEN, BOT, title="Just us", private=True)
    page = windows.open(ada, permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"/#/games/{game_id}")
    expect(page.get_by_text("Waiting for one more player.")).to_be_visible()
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert f"#/games/{game_id}?invitation=" in link
    page.get_by_label("Invite by email").fill("hugo@example.org")
    page.get_by_label("A personal message").fill("Shall we play, Hugo?")
    page.get_by_role("button", name="Invite", exact=True).click()
    expect(page.get_by_text("We've written to hugo@example.org (seat 2).")).to_be_visible()
    expect(page.get_by_label("Invite by email")).to_be_hidden()
    expect(page.get_by_text("No seat is open to a link")).to_be_visible()
    expect(page.get_by_role("button", name="Copy link")).to_have_count(0)
    for client in (None, sign_in(house, "nell@example.org")):  # with the link that was copied before
        friend = windows.open(client)
        friend.goto(link)
        expect(friend.get_by_text("Every free seat is reserved for a player invited by email.")).to_be_visible()
        expect(friend.get_by_role("button", name="Take a seat")).to_have_count(0)
        expect(friend.get_by_label("Email address")).to_have_count(0)
    house.await_mail("hugo@example.org", lambda mail: "Just us" in mail.text and "Shall we play, Hugo?" in mail.text)

    hugo = windows.open(sign_in(house, "hugo@example.org"))
    hugo.goto(f"/#/games/{game_id}")
    hugo.get_by_text("Fair shuffle", exact=True).click()
    hugo.get_by_label("Your random word (salt)").fill("a word of Hugo's")
    hugo.get_by_role("button", name="Take a seat").click()
    for window in (hugo, page):
        expect(window.locator(".board")).to_have_count(3)
    [row] = house.rows("SELECT salt FROM seats WHERE game_id = %s AND seat = 1", game_id)
    assert row["salt"] == "a word of Hugo's"


def test_a_seated_friend_is_welcomed_and_can_learn_and_practise_before_the_start(
    house: House, ada: Client, windows: Windows
) -> None:
    game_id = open_game(ada, ME, OPEN, OPEN, private=True)
    invitation = ada.get(f"/v1/games/{game_id}")["invitation"]
    ivo = sign_in(house, "ivo@example.org")
    ivo.post(f"/v1/games/{game_id}/seats", {"invitation": invitation})
    for client, count in ((ada, 0), (ivo, 1)):
        page = windows.open(client, **PHONE)
        page.goto(f"/#/games/{game_id}")
        expect(page.locator(".waiting-room")).to_be_visible()
        expect(page.locator(".for-guest")).to_have_count(count)
    name = ada.get("/v1/me")["name"]
    expect(page.locator(".for-guest")).to_contain_text(f"Welcome! {name} invites you to a game of Sternenhimmel")
    expect(page.locator(".for-guest")).to_contain_text("You have seat 2.")
    assert objections(page) == []
    page.get_by_role("button", name="Rules in three minutes").click()
    expect(page.locator("dialog [data-section]").first).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Practise against bots").click()
    expect(page.locator(".playing .hand")).to_be_visible()
    assert game_id not in page.url


def test_a_waiting_room_names_the_players_and_the_host_finds_the_link_above_the_terms(
    ada: Client, windows: Windows
) -> None:
    game_id = open_game(ada, ME, OPEN, OPEN)
    page, visitor = windows.open(ada, **PHONE), windows.open(**PHONE)
    for window, names in ((page, "you"), (visitor, "ada")):
        window.goto(f"/#/games/{game_id}")
        expect(window.get_by_text(f"At the table: {names}.", exact=True)).to_be_visible()
    link, terms = (page.locator(f".waiting-room {it}").bounding_box() for it in (".link", ".terms"))
    assert link and terms and link["y"] + link["height"] <= terms["y"]
    visitor.get_by_label("Email address").fill("thea@example.org")
    visitor.get_by_role("button", name="Email me a code").click()
    label = visitor.locator("label.check").filter(has_text="Stay signed in")
    text, box = label.bounding_box(), label.locator("input").bounding_box()
    assert text and box and text["height"] < 2.5 * box["height"]  # the box is beside its text


def test_a_visitor_who_signs_in_to_take_a_seat_is_back_at_that_table(
    house: House, ada: Client, windows: Windows
) -> None:
    game_id = open_game(ada, ME, OPEN, BOT, title="Sit with me")
    page = windows.open()
    page.goto("/#/lobby")
    page.locator(".card.game").filter(has_text="Sit with me").get_by_role("link", name="Sign in to take a seat").click()
    expect(page.get_by_role("heading", name="Sign in to take a seat at “Sit with me”")).to_be_visible()
    page.get_by_label("Email address").fill("olga@example.org")
    page.get_by_role("button", name="Email me a code").click()
    page.get_by_label("Code").fill(code_for(house, "olga@example.org"))
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page).to_have_url(re.compile(f"/#/games/{game_id}$"))
    page.get_by_role("button", name="Take a seat").click()
    expect(page.locator(".board")).to_have_count(3)


def test_a_stranger_with_a_link_can_sign_in_at_the_table_and_is_seated(
    house: House, ada: Client, windows: Windows
) -> None:
    game_id = open_game(ada, ME, OPEN, BOT, title="Come in", private=True)
    word = ada.get(f"/v1/games/{game_id}")["invitation"]
    page = windows.open(**PHONE)
    page.goto(f"/i/{word}")
    expect(page.get_by_role("heading", name="Come in")).to_be_visible()
    expect(page.get_by_text("Place stars in the constellations")).to_be_visible()
    page.get_by_label("Email address").fill("noor@example.org")
    page.get_by_role("button", name="Email me a code").tap()
    page.get_by_label("Code").fill(code_for(house, "noor@example.org"))
    page.get_by_role("button", name="Take a seat").tap()
    expect(page.locator(".board")).to_have_count(3)
    game = ada.get(f"/v1/games/{game_id}")
    assert (game["status"], game["seats"][1]["kind"]) == ("running", "human")
    assert too_wide(page) == []


# One's own games


def test_games_awaiting_the_players_move_come_first_and_are_sorted_by_urgency(
    house: House, ben: Client, windows: Windows
) -> None:
    client = sign_in(house, "ida@example.org")
    first = {"start_seat": 0}
    for title, time in (("Slow", "P7D"), ("Quick", "PT1H"), ("Daily", "P1D")):
        open_game(client, ME, BOT, BOT, title=title, options=first, clock={"per_move": time})
    open_game(client, ME, OPEN, BOT, title="Not yet")
    left = open_game(client, ME, OPEN, BOT, title="Left", options={"start_seat": 1})
    ben.post(f"/v1/games/{left}/seats", {})  # the host takes a while
    assert client.ask("DELETE", f"/v1/games/{left}/seats/me").status_code == 204

    page = windows.open(client)
    page.goto("/")
    expect(page.locator(".waiting h3")).to_have_text(["Quick", "Daily", "Slow"])
    expect(page).to_have_title("(3) My games – Sternenpost")
    expect(page.get_by_role("link", name="My games It's your turn in 3 games.")).to_be_visible()
    expect(page.locator(".kept h3")).to_have_text(["Left"])
    expect(page.locator(".open h3")).to_have_text(["Not yet"])
    page.get_by_role("button", name="Take my seat back: Left").click()
    expect(page.locator(".kept")).to_have_count(0)

    page.get_by_role("link", name="Quick").click()
    page.locator(".hand .star.open").first.click()
    page.locator(".space.lit").first.click()
    page.get_by_role("button", name="Play it").click()
    expect(page.get_by_role("link", name="Next: Daily")).to_be_visible()
    page.goto("/#/")
    expect(page.locator(".waiting .latest").filter(has_not_text="The game started.")).to_contain_text("Greedy 2 put")


def test_finished_games_are_listed_page_by_page(house: House, windows: Windows) -> None:
    client = sign_in(house, "jon@example.org")
    for i in range(14):
        game_id = open_game(client, ME, BOT, BOT, title=f"Ended {i}")
        client.post(f"/v1/games/{game_id}/votes", {"on": "abandon", "vote": True}, status=200)
    page = windows.open(client)
    page.goto("/")
    expect(page.locator(".abandoned h3")).to_have_count(12)
    page.get_by_role("button", name="More").click()
    expect(page.locator(".abandoned h3")).to_have_count(14)
    expect(page.get_by_role("button", name="More")).to_have_count(0)


def test_a_player_whose_games_are_over_is_not_called_new(house: House, windows: Windows) -> None:
    client = sign_in(house, "kai@example.org")
    game_id = open_game(client, ME, BOT, BOT, title="Ended")
    client.post(f"/v1/games/{game_id}/votes", {"on": "abandon", "vote": True}, status=200)
    page = windows.open(client)
    page.goto("/")
    expect(page.locator(".abandoned h3")).to_have_text(["Ended"])
    expect(page.get_by_text("No games are waiting for you right now.")).to_be_visible()
    expect(page.get_by_text("You haven't joined a game yet.")).to_have_count(0)
    expect(page.get_by_role("button", name="Play Sternenhimmel against bots")).to_be_visible()


def test_the_lobby_lists_terms_shared_by_most_games_only_once(ada: Client, windows: Windows) -> None:
    for title, clock in (("One", {}), ("Two", {}), ("Hasty", {"clock": {"per_move": "PT2H"}})):
        open_game(ada, ME, OPEN, OPEN, BOT, BOT, title=title, **clock)
    page = windows.open()
    page.goto("/#/lobby?players=5")
    found(page, 3)
    expect(page.locator(".usual")).to_have_text(re.compile("2 days per turn"))
    expect(page.locator(".usual dd").filter(has_text="2 days per turn")).to_have_count(0)  # the heading says it
    expect(page.locator(".card .terms dd")).to_have_text(["2 hours per turn", *["2 days per turn"] * 2])
    expect(page.locator(".cards + .usual")).to_be_visible()  # the games come first


def test_usual_terms_take_one_line_on_a_phone_until_they_are_opened(ada: Client, windows: Windows) -> None:
    open_game(ada, ME, OPEN, OPEN, OPEN, OPEN)
    for locale, words in (("en", "more"), ("de", "mehr"), ("fr", "plus"), ("it", "altro")):
        page = windows.open(**PHONE, locale=locale)
        page.goto("/#/lobby?players=5")
        usual = page.locator(".usual")
        more = usual.get_by_text(words, exact=True)
        expect(more).to_be_visible()
        expect(usual.locator("dd").first).to_be_hidden()
        assert usual.evaluate("it => it.offsetHeight") < 50  # one line, as high as a finger
        assert usual.locator("h3").evaluate("it => it.scrollWidth <= it.clientWidth"), locale
        more.click()
        expect(usual.locator("dd")).to_have_count(2)
        expect(usual.locator("dd").last).to_be_visible()
        assert too_wide(page) == []


CUT_OFF = """it => [...it.options].filter((option) => {
  const free = it.cloneNode(true);
  Object.assign(free.style, { position: "absolute", width: "auto", maxWidth: "none" });
  free.replaceChildren(option.cloneNode(true));
  it.parentNode.append(free);
  const needed = free.offsetWidth;
  free.remove();
  return needed > it.offsetWidth;
}).map((it) => it.text)"""


def test_the_kind_of_a_seat_is_readable_on_a_phone(ada: Client, windows: Windows) -> None:
    for locale in ("en", "de", "fr", "it"):
        page = windows.open(ada, **PHONE, locale=locale)
        form_of(page)
        kind = page.locator("[name=seat-1]")
        assert kind.evaluate(CUT_OFF) == []
        page.set_viewport_size({"width": 390, "height": 844})  # wide enough for an email address beside the kind
        kind.select_option("invite")
        expect(page.locator("[name=email-1]")).to_be_visible()
        assert kind.locator("option:checked").inner_text() not in kind.evaluate(CUT_OFF), locale
        assert too_wide(page) == []


# Who one is to others


def test_a_new_player_is_asked_once_for_a_display_name(house: House, windows: Windows) -> None:
    page = windows.open()
    page.goto("/#/sign-in")
    enter(page, house, "erika.mustermann@example.org")
    asked = page.get_by_role("region", name="What should others call you?")
    expect(asked).to_be_visible()
    expect(page.get_by_text("erika.mustermann")).to_have_count(0)
    expect(page.locator("a.me")).to_have_text(re.compile(r"^[A-Z][a-z]+ \d{4}$"))
    page.get_by_label("Name", exact=True).fill("\u200b")
    page.get_by_role("button", name="Use this name").click()
    expect(asked).to_contain_text("A name needs at least one visible character.")
    page.get_by_label("Name", exact=True).fill("Erika")
    page.get_by_role("button", name="Use this name").click()
    expect(asked).to_have_count(0)
    expect(page.locator("a.me")).to_have_text("Erika")
    page.reload()
    expect(page.locator("a.me")).to_have_text("Erika")
    expect(asked).to_have_count(0)
    windows.expected = "422"


def test_a_new_player_can_keep_the_generated_name(house: House, windows: Windows) -> None:
    page = windows.open()
    enter(page, house, "fritz@example.org")
    name = page.locator("a.me").inner_text()
    page.get_by_role("button", name=f"Keep “{name}”").click()
    expect(page.get_by_role("region", name="What should others call you?")).to_have_count(0)
    expect(page.locator("a.me")).to_have_text(name)


def test_declining_an_invitation_says_what_follows_and_what_happened(
    ada: Client, house: House, windows: Windows
) -> None:
    eve = sign_in(house, "eve-declines@example.org")
    game_id = open_game(ada, ME, {"email": "eve-declines@example.org"}, BOT, title="Two skies")
    page = windows.open(eve)
    page.goto("/#/")
    decline = page.get_by_role("button", name="Decline the invitation to Two skies")
    decline.click()
    card = page.locator(".card.game").filter(has_text="Two skies")
    expect(card).to_contain_text("Your seat will go to someone else, and the host will be told.")
    assert objections(page) == []
    card.get_by_role("button", name="Cancel").click()
    decline.click()
    card.get_by_role("button", name="Decline", exact=True).click()
    expect(
        page.get_by_role("status").filter(
            has_text="You declined the invitation to Two skies. Changed your mind? Reply “yes” to"
        )
    ).to_be_visible()
    expect(card).to_have_count(0)
    assert ada.get(f"/v1/games/{game_id}")["seats"][1]["kind"] == "open"


def test_a_known_player_is_invited_in_the_waiting_room_with_one_tap(house: House, windows: Windows) -> None:
    zoe, yan = (sign_in(house, f"{name}@example.org") for name in ("zoe", "yan"))
    yan.post(f"/v1/games/{open_game(zoe, ME, OPEN, BOT)}/seats", {})
    page = windows.open(zoe, **PHONE)
    page.goto(f"/#/games/{open_game(zoe, ME, OPEN, OPEN)}")
    known = page.get_by_role("group", name="Players you know")
    assert objections(page) == [] and not too_wide(page)
    known.get_by_role("button", name="Invite yan").tap()
    expect(page.get_by_text("We're sending an invitation to yan.")).to_be_visible()
    expect(known).to_have_count(0)
    expect(page.get_by_text("We've written to yan (seat 2). No answer yet.")).to_be_visible()
    page.get_by_label("Invite by email").fill("dan@example.org")
    page.get_by_role("button", name="Invite", exact=True).tap()
    dan = page.get_by_text("We're sending an invitation to dan@example.org.")
    expect(dan).to_be_visible()
    expect(page.get_by_role("button", name="Withdraw the invitation for seat 2")).to_be_visible()
    [asked] = yan.get("/v1/games?mine=true&status=open")["items"]
    assert yan.ask("DELETE", f"/v1/games/{asked['id']}/invitations/1").status_code == 204
    expect(page.get_by_text("yan declined. You can invite another player.")).to_be_visible()
    expect(page.get_by_text("We're sending an invitation to yan.")).to_have_count(0)
    expect(dan).to_be_visible()


# What a host may do before the start


@pytest.mark.parametrize("screen", [{}, PHONE], ids=["desk", "phone"])
def test_a_host_can_extend_a_game_withdraw_invitations_remove_players_and_close_it(
    ada: Client, ben: Client, windows: Windows, screen: Json
) -> None:
    email = f"new-{len(screen)}@example.org"  # an address without an account gets one email
    game = open_game(ada, ME, OPEN, {"email": email}, OPEN, title="Open for a day", open_for="P1D")
    ben.post(f"/v1/games/{game}/seats", {})
    page, guest = windows.open(ada, **screen), windows.open(ben, **screen)
    for it in (page, guest):
        it.goto(f"/#/games/{game}")
        expect(it.get_by_text(re.compile(r"^If the game hasn't started by .*, it closes\.$"))).to_be_visible()
        expect(it.locator(".seats li").first).to_contain_text("Host")
    expect(guest.get_by_role("region", name="You're the host")).to_have_count(0)
    host = page.get_by_role("region", name="You're the host")
    room = page.locator(".waiting-room")
    expect(room).to_contain_text(f"We've written to {email} (seat 3). No answer yet.")
    expect(guest.locator("body")).not_to_contain_text(email)
    room.get_by_role("button", name=f"Send the invitation to {email} again").click()
    expect(room.get_by_text("We're sending it again.")).to_be_visible()
    before = ada.get(f"/v1/games/{game}")["closes_at"]
    host.get_by_role("button", name="Keep it open 14 days longer").click()
    until(lambda: ada.get(f"/v1/games/{game}")["closes_at"] > before)

    room.get_by_role("button", name="Withdraw the invitation for seat 3").click()
    room.get_by_role("button", name="Cancel").click()
    room.get_by_role("button", name="Withdraw the invitation for seat 3").click()
    room.get_by_role("button", name="Withdraw the invitation for seat 3").click()
    expect(room.get_by_role("button", name="Withdraw")).to_have_count(0)
    host.get_by_role("button", name="Remove ben").click()
    expect(host).to_contain_text("ben will get an email")
    host.get_by_role("button", name="Remove ben").click()
    expect(host.get_by_role("button", name="Remove ben")).to_have_count(0)
    assert [seat["kind"] for seat in ada.get(f"/v1/games/{game}")["seats"]] == ["human", "open", "open", "open"]

    host.get_by_role("combobox", name="A bot for seat 4").select_option("level-3")
    host.get_by_role("button", name="Let a bot play seat 4").click()
    expect(host.get_by_role("button", name="Let a bot play")).to_have_count(2)
    assert ada.get(f"/v1/games/{game}")["seats"][3]["name"] == "level-3"

    host.get_by_role("button", name="Close the game").click()
    host.get_by_role("button", name="Close the game").click()
    for it in (page, guest):  # the guest looks on, and is told as it happens
        expect(it.get_by_role("heading", name="Closed before it started")).to_be_visible()
    page.goto("/#/")
    expect(page.locator(".card.game", has_text="Open for a day").first).to_contain_text("Closed before it started")


def test_a_host_can_open_a_game_without_a_seat(ada: Client, windows: Windows) -> None:
    game = open_game(ada, OPEN, OPEN, BOT)
    page = windows.open(ada)
    page.goto(f"/#/games/{game}")
    page.get_by_role("button", name="Close the game").click()
    page.get_by_role("button", name="Close the game").click()
    expect(page.get_by_role("heading", name="Closed before it started")).to_be_visible()


def test_a_host_chooses_how_long_a_game_waits_for_players(ada: Client, windows: Windows) -> None:
    page = windows.open(ada)
    form_of(page)
    expect(page.get_by_role("button", name="Create the game")).to_be_visible()
    chosen = page.get_by_label("If seats stay open, the game closes after")
    expect(chosen).to_have_count(0)
    page.locator("[name=seat-1]").select_option("open")
    chosen.select_option("P30D")
    page.get_by_role("button", name="Create the game").click()
    game = opened(page, ada)
    days = (datetime.fromisoformat(game["closes_at"]) - datetime.fromisoformat(game["made_at"])).days
    assert days in (29, 30)
    page.goto("/#/lobby")
    expect(page.locator(".card.game").first).to_contain_text("closes in 30 days unless it starts")


def test_a_new_player_reads_rules_and_settings_without_choosing_a_name(house: House, windows: Windows) -> None:
    page = windows.open()
    enter(page, house, "gerda@example.org")
    asked = page.get_by_role("region", name="What should others call you?")
    for address, heading in (("rules/sternenhimmel", "Rules: Sternenhimmel"), ("settings/profile", "Settings")):
        page.goto("/#/open")
        expect(asked).to_be_visible()
        page.goto(f"/#/{address}")
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
        expect(asked).to_have_count(0)


def test_a_new_game_counts_equal_bots_and_a_players_page_names_them(ada: Client, windows: Windows) -> None:
    page = windows.open(ada, **PHONE)
    form_of(page)
    expect(page.get_by_role("region", name="Your new game")).to_contain_text("you and 2 bots, each Level 2 (medium)")
    select, arrow = page.locator("[name=seat-1]").bounding_box(), page.locator(".seat > button").first.bounding_box()
    assert select and arrow and select["y"] <= arrow["y"] + 1 < select["y"] + select["height"]  # side by side
    open_game(ada, ME, BOT, BOT)
    page.goto(f"/#/players/{ada.get('/v1/me')['id']}")
    expect(page.locator(".played li", has_text="Greedy 1").first).to_be_visible()
