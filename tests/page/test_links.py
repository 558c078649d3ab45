"""Links from real emails on a phone: a turn is played only by a confirmed move, with and without scripts."""

import json
import re
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.page.sternenglanz_taps import play_it, tap_out
from tests.page.windows import BOT, ME, OPEN, PHONE, Windows, by_finger, by_mouse, code_for, game_of, loses, too_wide
from tests.support.live_server import Client, House, Json, Mail, Turn, sign_in, until

OVER = "status of 4(01|04|09|10)"  # what the browser says of answers by which the page learns that a turn is over
_numbers = count(1)
HOUR = timedelta(hours=1)
EVERYTHING = (  # of stars, constellations and moments, which are alike, one
    "a[href], button:not([disabled], .star, .moment), summary, input, select, .star[data-at='0'], "
    ".space[tabindex='0'], .story li:first-child .moment"
)
CLICK = "it => it.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))"
PLAIN_THINGS = "a[href], summary, form:not(.moves) button, .moves p:first-child button:first-of-type"


@pytest.fixture
def ada(house: House) -> Client:
    """Another person for each test."""
    return sign_in(house, f"ada{next(_numbers)}@example.org")


@pytest.fixture
def ben(house: House) -> Client:
    return sign_in(house, "ben@example.org")


def link_of(house: House, reader: Client, game_id: str) -> str:
    """The address in the letter about the present turn of this reader."""
    email, turn = reader.get("/v1/me")["email"], reader.get(f"/v1/games/{game_id}")["you"]["turn"]

    def is_about_it(mail: Mail) -> bool:
        about = (word := mail.word("t")) and Turn.of(word)
        return bool(about) and (str(about.game_id), about.number) == (game_id, turn)

    return f"/t/{house.await_mail(email, is_about_it).word('t')}"


def version_of(client: Client, game_id: str) -> int:
    return int(client.get(f"/v1/games/{game_id}")["version"])


def sky(ada: Client, **more: Any) -> str:
    return game_of(ada, ME, BOT, BOT, title="A clear night", **more)


def long_night(ada: Client, ben: Client) -> str:
    """A game of Sternenglanz; both have chosen their first cards, and Ada begins."""
    game_id = game_of(
        ada, ME, OPEN, rules="sternenglanz", options={"start_seat": 0, "scenario": 1}, title="A long night"
    )
    ben.post(f"/v1/games/{game_id}/seats", {})
    for who in (ada, ben):
        moves_on(who, game_id)
    return game_id


def moves_on(client: Client, game_id: str) -> None:
    """By another way than the link."""
    asked = client.get(f"/v1/games/{game_id}/legal-moves")
    client.post(f"/v1/games/{game_id}/moves", {"turn": asked["turn"], "move": asked["moves"][0]})


def whole_turn(client: Client, game_id: str) -> list[Json]:
    """The first of all steps that can be foreseen, again and again."""
    begun: list[Json] = []
    path = f"/v1/games/{game_id}/legal-moves"
    while moves := client.post(path, {"begun": begun}, status=200)["moves"]:
        begun.append(moves[0])
    return [step for move in begun for step in move["steps"]]


def stored(page: Page) -> str:
    """All that this browser would still know tomorrow."""
    return str(page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])"))


# A turn, on the page


def test_the_second_link_of_an_emailed_page_leads_to_the_hand(house: House, windows: Windows, ada: Client) -> None:
    page = windows.open()
    page.goto(link_of(house, ada, sky(ada)))
    expect(page.locator(".hand .star.open").first).to_be_visible()
    for name in ("Skip to content", "To your hand"):
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name=name)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".hand .star[tabindex='0']")).to_be_focused()


def test_a_sternenhimmel_turn_is_played_only_by_its_own_link(house: House, windows: Windows, ada: Client) -> None:
    game_id = sky(ada)
    link, name = link_of(house, ada, game_id), ada.get("/v1/me")["name"]
    windows.expected = OVER
    page = windows.open(**PHONE)
    page.goto(link)
    expect(page.get_by_role("heading", name="A clear night")).to_be_visible()
    expect(page.get_by_text(f"You're playing as {name}, this turn only.")).to_be_visible()
    for login in ("Send", "Options, pause, leave", "Sign out", "Sign in"):
        expect(page.get_by_text(login, exact=True)).to_have_count(0)
    page.locator(".space.open").first.tap()
    page.locator(".hand .star.open").first.tap()
    expect(page.get_by_role("button", name="Play it")).to_be_visible()
    assert version_of(ada, game_id) == 1
    page.get_by_role("button", name="Play it").tap()
    expect(page.get_by_role("heading", name=f"Played as {name}")).to_be_focused()
    expect(page.get_by_text(re.compile("^You put .* on "))).to_be_visible()
    expect(page.get_by_text("To take back the move, open the whole game")).to_be_visible()
    expect(page.get_by_text("We'll email you when it's your turn again.")).to_be_visible()
    expect(page.locator(".ended")).not_to_contain_text("Waiting for")  # bots move at once
    assert not too_wide(page)
    assert [it["seat"] for it in ada.get(f"/v1/games/{game_id}/events")["items"] if it["version"] == 2] == [0]

    page.reload()
    expect(page.get_by_role("heading", name="This turn is over")).to_be_visible()
    by_word = Client(house, link.removeprefix("/t/"))
    for path in (f"/v1/games/{game_id}", f"/v1/games/{game_id}/events", "/v1/me"):
        assert by_word.ask("GET", path).status_code == 401
    assert link.removeprefix("/t/") not in stored(page)
    page.get_by_role("link", name="The whole game").tap()
    expect(page.locator(".hand")).to_have_count(0)  # a visitor who is not signed in sees what spectators see


def test_a_sternenglanz_turn_is_played_to_its_end_by_its_link(
    house: House, windows: Windows, ada: Client, ben: Client
) -> None:
    game_id = long_night(ada, ben)
    link = link_of(house, ada, game_id)
    windows.expected = OVER
    page = windows.open(**PHONE)
    page.goto(link)
    expect(page.get_by_text("this turn only.")).to_be_visible()
    before = version_of(ada, game_id)
    while (turn := ada.get(f"/v1/games/{game_id}")["you"]["turn"]) is not None:
        tap_out(page, whole_turn(ada, game_id), Locator.tap)
        assert version_of(ada, game_id) == turn
        play_it(page, Locator.tap)
        until(lambda: version_of(ada, game_id) > turn or page.wait_for_timeout(20))
    expect(page.get_by_role("heading", name="Played as ada")).to_be_visible()
    expect(page.locator(".ended li")).not_to_have_count(0)
    expect(page.locator(".ended")).to_contain_text("Waiting for ben.")
    assert version_of(ada, game_id) > before
    assert Client(house, link.removeprefix("/t/")).ask("GET", f"/v1/games/{game_id}").status_code == 401


def test_a_link_plays_its_own_seat_even_if_another_player_is_signed_in(
    house: House, windows: Windows, ada: Client, ben: Client
) -> None:
    game_id = sky(ada, private=True)
    windows.expected = OVER
    page = windows.open(ben)
    page.goto(link_of(house, ada, game_id))
    expect(page.get_by_text("You're playing as ada")).to_be_visible()
    by_mouse(page)
    expect(page.get_by_role("heading", name="Played as ada")).to_be_visible()
    assert version_of(ada, game_id) > 1
    page.get_by_role("link", name="The whole game", exact=True).click()
    expect(page.get_by_text(f"You're signed in as {ben.get('/v1/me')['email']}.")).to_be_visible()
    expect(page.get_by_role("main").get_by_role("link", name="My games")).to_be_visible()
    assert json.loads(stored(page))[0]["sternenpost.token"] == ben.token
    page.get_by_role("link", name="Sign in with another account").click()
    page.get_by_label("Email address").fill(ada.get("/v1/me")["email"])
    page.get_by_role("button", name="Email me a code").click()
    page.get_by_label("Code").fill(
        code_for(house, ada.get("/v1/me")["email"], nr=2)
    )  # the first one signed the client in
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.locator(".board")).to_have_count(3)


def test_a_move_by_link_with_a_lost_response_is_resent_and_counts_once(
    house: House, windows: Windows, ada: Client
) -> None:
    game_id = sky(ada)
    windows.expected = f"{OVER}|ERR_FAILED"
    page = windows.open(**PHONE)
    tries = loses(page, "**/moves", 1)
    page.goto(link_of(house, ada, game_id))
    by_finger(page)
    expect(page.get_by_role("heading", name="Played as ada")).to_be_visible()
    expect(page.locator(".ended li")).to_have_text(re.compile(r"You put .* on "))
    assert len(tries) == 2


def test_an_open_link_page_reports_the_end_of_its_turn(house: House, windows: Windows, ada: Client) -> None:
    game_id = sky(ada)
    windows.expected = OVER
    page = windows.open(**PHONE)
    page.goto(link_of(house, ada, game_id))
    expect(page.locator(".news.live")).to_be_visible()
    moves_on(ada, game_id)
    expect(page.get_by_role("heading", name="This link no longer works")).to_be_visible()
    expect(page.get_by_text("This turn is over. We'll email you when it's your turn again.")).to_be_visible()


def test_a_link_page_is_in_its_seats_language(house: House, windows: Windows, ada: Client) -> None:
    ada.ask("PATCH", "/v1/me", json={"locale": "fr"})
    game_id = sky(ada)
    page = windows.open(locale="de-CH")
    page.goto(link_of(house, ada, game_id))
    expect(page.get_by_text("ce tour seulement.")).to_be_visible()
    page.get_by_label("Langue").select_option("it")
    expect(page.get_by_text("solo in questo turno.")).to_be_visible()
    assert ada.get("/v1/me")["locale"] == "fr"


# When it is not open


def test_a_link_whose_turn_cannot_be_played_says_why(house: House, windows: Windows, ada: Client, ben: Client) -> None:
    windows.expected = OVER
    page = windows.open(**PHONE)
    game_id = game_of(ada, ME, OPEN, BOT)
    ben.post(f"/v1/games/{game_id}/seats", {})
    link = link_of(house, ada, game_id)
    word, path = Client(house, link.removeprefix("/t/")), f"/v1/games/{game_id}"
    for wish, heading, status in [("pause", "The game is paused", 401), ("resume", "Sternenhimmel", 200)]:
        for who in (ada, ben):
            who.post(f"{path}/votes", {"on": wish, "vote": True}, status=200)
        page.goto(link)
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
        assert word.ask("GET", path).status_code == status
    ada.ask("DELETE", f"{path}/seats/me")
    expect(page.get_by_text("is playing for you")).to_be_visible()  # it was open, and is told
    page.goto(link)
    expect(page.get_by_role("heading", name="A bot is playing for you")).to_be_visible()
    assert word.ask("GET", path).status_code == 401
    ben.post(f"{path}/votes", {"on": "abandon", "vote": True}, status=200)
    page.goto(link)
    expect(page.get_by_text("The game is over.")).to_be_visible()  # no seat is taken back and no mail awaited


# Without scripts


@pytest.mark.parametrize("game", ["sternenhimmel", "sternenglanz"])
def test_a_turn_can_be_played_on_a_plain_page_without_scripts(
    house: House, windows: Windows, ada: Client, ben: Client, game: str
) -> None:
    game_id = sky(ada) if game == "sternenhimmel" else long_night(ada, ben)
    link = link_of(house, ada, game_id)
    page = windows.open(java_script_enabled=False, **PHONE)
    page.goto(link)
    page.wait_for_url(f"**{link}/plain")
    before = version_of(ada, game_id)
    while not page.get_by_text("We'll email you when it's your turn again.").is_visible():
        page.get_by_text("Choose from all").or_(page.get_by_text("Preview the only possible move")).tap()
        page.locator(".moves button").first.tap()
        expect(page.get_by_text("You can take the move back until another player moves")).to_be_visible()
        assert version_of(ada, game_id) == before
        page.get_by_role("button", name="Play ").tap()
        expect(page.get_by_text("Played: ")).to_be_visible()
        before = version_of(ada, game_id)
    expect(page.get_by_role("link", name="The whole game")).to_have_attribute("href", f"/#/games/{game_id}")


def test_a_link_page_offers_a_page_without_scripts_if_its_modules_do_not_load(
    house: House, windows: Windows, ada: Client
) -> None:
    windows.expected = "ERR_FAILED"
    page = windows.open(**PHONE)
    page.route("**/page/main.*.js", lambda route: route.abort())
    page.goto(link_of(house, ada, sky(ada)))
    page.get_by_role("link", name="Continue without scripts").tap()
    expect(page.get_by_label("Your move")).to_be_visible()


# What programs do that look through mails


def test_a_scanner_that_presses_every_button_once_plays_nothing(house: House, windows: Windows, ada: Client) -> None:
    """Each thing on a fresh page, which stays until the next one is there."""
    game_id = sky(ada)
    link = link_of(house, ada, game_id)
    scanner = windows.open(**PHONE).context
    for address, things in ((link, EVERYTHING), (f"{link}/plain", PLAIN_THINGS)):
        number, there = 0, 1
        while number < there:
            page = scanner.new_page()
            page.goto(address)
            page.locator(".hand .star.open, input#move").first.wait_for()
            scanner.pages[0].close()
            there = page.locator(things).count()
            page.locator(things).nth(number).evaluate(CLICK)
            number += 1
        assert number >= 4
    assert version_of(ada, game_id) == 1
    assert ada.get(f"/v1/games/{game_id}/messages")["items"] == []


def test_a_scanner_that_loads_a_link_fifty_times_plays_nothing(house: House, ada: Client) -> None:
    game_id, client = sky(ada), Client(house)
    link = link_of(house, ada, game_id)
    for number in range(50):
        method, purpose = ("GET", "HEAD")[number % 2], {"Sec-Purpose": "prefetch"}
        assert client.ask(method, link, headers=purpose).status_code == 200
    assert version_of(ada, game_id) == 1


def test_a_link_page_has_the_security_policies_of_the_home_page_and_is_not_cached(house: House, ada: Client) -> None:
    client, game_id = Client(house), sky(ada)
    opened, home = client.ask("GET", link_of(house, ada, game_id)), client.ask("GET", "/")
    for name in ("Content-Security-Policy", "Referrer-Policy"):
        assert opened.headers[name] == home.headers[name]
    assert "require-trusted-types-for 'script'" in opened.headers["Content-Security-Policy"]
    assert opened.headers["Referrer-Policy"] == "no-referrer"
    assert opened.headers["Cache-Control"] == "no-store"
    assert opened.headers["X-Robots-Tag"] == "noindex"


# Other links


def test_the_link_of_an_emailed_code_signs_in_on_the_page(house: House, windows: Windows) -> None:
    asked = Client(house).post("/v1/sign-ins", {"email": "gerda@example.org"}, status=202)["sign_in"]
    code = code_for(house, "gerda@example.org")
    page = windows.open(**PHONE)
    page.goto(f"/sign-in/{asked}")
    expect(page.get_by_text("Enter the six-digit code from your email")).to_be_visible()
    page.get_by_label("Code").fill(code)
    page.locator("main").get_by_role("button", name="Sign in").tap()
    expect(page.get_by_role("heading", name="My games")).to_be_visible()
    assert page.url.endswith("/#/")


def test_without_scripts_the_sign_in_link_returns_a_token_for_programs(house: House, windows: Windows) -> None:
    asked = Client(house).post("/v1/sign-ins", {"email": "hilda@example.org"}, status=202)["sign_in"]
    page = windows.open(java_script_enabled=False, **PHONE)
    page.goto(f"/sign-in/{asked}")
    page.get_by_label("Code from your email").fill(code_for(house, "hilda@example.org"))
    page.get_by_role("button", name="Sign in").tap()
    token = page.locator("pre").first.inner_text()
    assert Client(house, token).get("/v1/me")["email"] == "hilda@example.org"


def test_an_invitation_for_a_new_account_offers_the_seat_to_the_signed_in_account(
    house: House, windows: Windows, ada: Client, ben: Client
) -> None:
    game_id = game_of(ada, ME, {"email": "olaf@example.org"}, OPEN)
    invitation = house.await_mail("olaf@example.org", lambda it: it.word("i"))
    page = windows.open(ben)
    page.goto(f"/i/{invitation.word('i')}")
    own = ben.get("/v1/me")
    told = f"You're signed in here as {own['email']}. This link is for o…@example.org: taking the seat signs you in"
    expect(page.get_by_text(told)).to_be_visible()
    page.get_by_role("button", name=f"Take the seat as {own['name']}").click()
    page.wait_for_url(re.compile(f"/#/games/{game_id}$"))
    assert ben.get(f"/v1/games/{game_id}")["you"]["seat"] == 1


def test_taking_a_seat_by_link_leads_to_the_game(house: House, windows: Windows, ada: Client) -> None:
    rungs = [{"do": "bot-takes-over", "bot": "greedy"}]
    game_id = game_of(ada, ME, {"email": "ida@example.org"}, BOT, clock={"per_move": "PT1H"}, on_timeout=rungs)
    invitation = house.await_mail("ida@example.org", lambda it: it.word("i"))
    page = windows.open(**PHONE, timezone_id="Europe/Oslo")
    page.goto(f"/i/{invitation.word('i')}")
    host = ada.get("/v1/me")["name"]
    expect(page.get_by_role("heading", name=f"{host} invites you to play Sternenhimmel")).to_be_visible()
    expect(page.get_by_text(f"At the table: {host}, you, the bot Greedy")).to_be_visible()
    page.goto(f"/i/{invitation.word('i')}#no")  # the other button of the email only leads to the button
    expect(page.locator("button:target")).to_have_text("No, thanks")
    page.get_by_role("button", name="No, thanks").tap()
    expect(page.get_by_role("heading", name="Invitation declined")).to_be_visible()
    page.goto(f"/i/{invitation.word('i')}")  # from the email again
    expect(page.get_by_text("You declined. Changed your mind?")).to_be_visible()
    expect(page.get_by_text("no longer reserved")).to_be_hidden()
    page.get_by_role("button", name="Undo").tap()
    expect(page.get_by_label("Your name at the table:")).to_have_value("Ida")  # from the address
    expect(page.get_by_role("button", name="Take your seat")).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Take your seat").tap()
    page.wait_for_url(re.compile(f"/#/games/{game_id}$"))  # and signed in by mail
    expect(page.locator(".me")).to_be_attached()  # the table alone is shown on a phone
    ida = Client(house, page.evaluate("localStorage.getItem('sternenpost.token')"))
    assert ida.get("/v1/me").items() >= {"email": "ida@example.org", "zone": "Europe/Oslo"}.items()
    page.reload()
    expect(page.locator(".board")).to_have_count(3)
    page.goto(f"/i/{invitation.word('i')}")
    expect(page.locator(".board")).to_have_count(3)
    house.forward(2 * HOUR)
    email = ada.get("/v1/me")["email"]
    handed_over = house.await_mail(email, lambda it: it.word("back") and game_id in it.text)
    page.goto(f"/back/{handed_over.word('back')}")
    page.get_by_role("button", name="Take my seat back").tap()
    page.get_by_role("link", name="Open the whole game", exact=True).tap()  # without "(sign-in required)"
    expect(page.locator(".board")).to_have_count(3)
