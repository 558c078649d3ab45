"""The settings page: choices apply to the API, emails and programs."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

from server.accounts.notice_kinds import MAIL_KINDS
from tests.page.axe import objections
from tests.page.windows import BOT, ME, PHONE, Windows, game_of, tab_to, too_wide
from tests.support.live_server import Client, House, sign_in, until
from tests.support.webhook_receiver import Receiver


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.stop()


def settings(windows: Windows, client: Client, section: str, **manners: Any) -> Page:
    page = windows.open(client, **manners)
    page.goto(f"/#/settings/{section}")
    return page


def come_back(page: Page) -> None:
    """To this window, from another one."""
    page.evaluate("dispatchEvent(new Event('focus'))")


# Profile


def test_the_name_in_the_header_opens_the_profile_and_changes_to_it_are_saved(house: House, windows: Windows) -> None:
    client = sign_in(house, "nora@example.org")
    page = windows.open(client, timezone_id="Europe/Zurich")
    page.goto("/")
    page.get_by_role("link", name="nora: Settings").click()
    expect(page.get_by_text("nora@example.org")).to_be_visible()
    page.get_by_label("Name").fill("Nora N.")
    page.get_by_role("button", name="Use this device's time zone: Europe/Zurich").click()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status").get_by_text("Saved.")).to_be_visible()
    expect(page.locator(".me")).to_have_text("Nora N.")
    profile = client.get("/v1/me")
    assert (profile["name"], profile["zone"]) == ("Nora N.", "Europe/Zurich")


def test_an_error_is_shown_beside_its_field_and_input_is_kept(house: House, windows: Windows) -> None:
    page = settings(windows, sign_in(house, "otto@example.org"), "profile")
    windows.expected = "status of 422"
    name, zone = page.get_by_label("Name"), page.get_by_label("Time zone")
    name.fill("\u200b")  # nothing of it can be seen
    page.get_by_label("Language").nth(0).select_option("it")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#profile-name-wrong")).to_have_text("A name needs at least one visible character.")
    expect(name).to_be_focused()
    expect(name).to_have_attribute("aria-describedby", re.compile("profile-name-wrong"))

    name.fill("Otto")
    zone.fill("Europe/Atlantis")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#profile-zone-wrong")).to_contain_text("Not an IANA time zone")
    expect(name).to_have_value("Otto")

    zone.fill("Europe/Rome")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status").get_by_text("Salvato.")).to_be_visible()  # in the chosen language
    expect(page.get_by_label("Fuso orario")).to_have_value("Europe/Rome")


def test_changes_from_another_window_are_shown_and_input_here_is_kept(house: House, windows: Windows) -> None:
    client = sign_in(house, "pia@example.org")
    page = settings(windows, client, "profile")
    page.get_by_label("Name").fill("Pia P.")
    client.ask("PATCH", "/v1/me", json={"zone": "Asia/Tokyo", "notifications": {"mails": {"game-ended": "off"}}})
    come_back(page)
    expect(page.get_by_label("Time zone")).to_have_value("Asia/Tokyo")
    expect(page.get_by_label("Name")).to_have_value("Pia P.")
    page.get_by_role("link", name="Emails", exact=True).click()
    expect(page.get_by_label("A game is over")).to_have_value("off")


def test_nights_days_off_and_vacations_are_saved(house: House, windows: Windows) -> None:
    client = sign_in(house, "quin@example.org")
    page = settings(windows, client, "time-off", **PHONE)
    windows.expected = "status of 422"
    page.get_by_label("Stop my clock at night").check()
    page.get_by_label("To", exact=True).fill("730")
    page.get_by_label("To", exact=True).press("Tab")
    expect(page.get_by_label("To", exact=True)).to_have_value("07:30")
    page.get_by_label("Sunday").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()

    page.get_by_label("First day").fill("2031-07-01")
    page.get_by_label("Last day").fill("2031-09-30")
    page.get_by_role("button", name="Add vacation").click()
    expect(page.locator("#vacation-from-wrong")).to_have_text("You can take at most 42 vacation days in 2031.")
    page.get_by_label("Last day").fill("2031-07-14")
    page.get_by_role("button", name="Add vacation").click()
    expect(page.get_by_text("Added: 1 Jul 2031 to 14 Jul 2031.")).to_be_visible()
    vacation = {"from": "2031-07-01", "to": "2031-07-14"}
    assert client.get("/v1/me")["calendar"] == {"night": "22:00-07:30", "days_off": [7], "vacations": [vacation]}

    page.get_by_role("button", name="Remove: 1 Jul 2031 to 14 Jul 2031").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text("No vacations planned.")).to_be_visible()
    assert client.get("/v1/me")["calendar"]["vacations"] == []


def test_times_of_day_have_24_hours_in_every_browser(house: House, windows: Windows) -> None:
    client = sign_in(house, "quentin@example.org")
    client.ask("PATCH", "/v1/me", json={"calendar": {"night": "22:00-07:30"}})
    page = settings(windows, client, "time-off", locale="en-US")
    expect(page.get_by_label("From", exact=True)).to_have_value("22:00")
    expect(page.locator("input[type=time]")).to_have_count(0)
    page.get_by_role("link", name="Profile", exact=True).click()
    expect(page.get_by_label("Time zone")).to_be_visible()
    expect(page.locator(".settings")).not_to_contain_text(re.compile(r"\d\s[AP]M"))


def test_a_time_of_day_is_edited_like_any_text(house: House, windows: Windows) -> None:
    client = sign_in(house, "quirin@example.org")
    client.ask("PATCH", "/v1/me", json={"calendar": {"night": "22:00-07:30"}})
    page = settings(windows, client, "time-off")
    start, end = (page.get_by_label(name, exact=True) for name in ("From", "To"))
    start.press("Home")
    for key, text in (("Delete", "2:00"), ("Delete", ":00"), ("1", "1:00"), ("-", "1-:00"), ("Backspace", "1:00")):
        start.press(key)
        expect(start).to_have_value(text)
        expect(end).to_have_value("07:30")
    end.fill("7.45")
    end.press("Enter")
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(start).to_have_value("01:00")
    assert client.get("/v1/me")["calendar"]["night"] == "01:00-07:45"


# Mails


def test_email_bundle_and_reminder_settings_can_be_chosen_by_keyboard(house: House, windows: Windows) -> None:
    client = sign_in(house, "rosa@example.org")
    page = settings(windows, client, "notifications")
    expect(page.get_by_text("Your own choice, see below.")).to_be_visible()  # as the helper signs in
    tab_to(page, "[name=your-turn]")
    page.keyboard.press("i")  # in the bundle
    page.get_by_label("A game was paused").select_option("off")
    page.get_by_role("button", name="Add a time").press("Enter")
    page.get_by_label("Time of day").nth(1).fill("19:30")
    page.get_by_label("After half of my time").press("Space")
    page.get_by_label("How long before my time runs out").fill("2")
    page.get_by_label("Unit").select_option("D")
    page.get_by_role("button", name="Save").press("Enter")
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert client.get("/v1/me")["notifications"] == {
        "mails": {"your-turn": "bundled", "game-paused": "off"},
        "bundle_at": ["08:00", "19:30"],
        "reminders": ["P2D"],
    }


def test_turn_emails_can_be_sent_at_once_or_bundled(house: House, windows: Windows) -> None:
    client = sign_in(house, "tove@example.org")
    client.ask("PATCH", "/v1/me", json={"notifications": {}})
    page = settings(windows, client, "notifications")
    page.get_by_text("Choose each kind").click()
    choice = page.get_by_label("It's your turn")
    expect(choice.locator("option:checked")).to_have_text("within two minutes, games together")
    for chosen, kept in (("at once", {"your-turn": "at-once"}), ("within two minutes, games together", {})):
        choice.select_option(chosen)
        page.get_by_role("button", name="Save").click()
        until(lambda kept=kept: client.get("/v1/me")["notifications"].get("mails", {}) == kept)


def test_a_preset_changes_all_email_settings_in_one_step(house: House, windows: Windows) -> None:
    client = sign_in(house, "una@example.org")
    client.ask("PATCH", "/v1/me", json={"notifications": {}})
    page = settings(windows, client, "notifications")
    expect(page.get_by_label("Everything")).to_be_checked()
    expect(page.locator(".kinds select").first).to_be_hidden()
    page.get_by_label("Only my turns").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    mails = client.get("/v1/me")["notifications"]["mails"]
    assert {kind for kind in MAIL_KINDS if mails.get(kind) != "off"} == {
        "your-turn",
        "reminder",
        "time-extended",
        "ready-asked",
        "seat-handed-over",
    }
    page.get_by_text("Choose each kind").click()
    page.get_by_label("A game is over").select_option("at once")
    expect(page.get_by_text("Your own choice, see below.")).to_be_visible()


def test_the_chosen_colours_survive_a_reload(windows: Windows) -> None:
    page = windows.open(color_scheme="dark")
    page.goto("/")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.get_by_label("Colours").select_option("light")
    light = page.evaluate(ground)
    assert light != dark
    page.reload()
    expect(page.get_by_label("Colours")).to_have_value("light")
    assert page.evaluate(ground) == light


def test_the_emails_about_a_game_can_be_chosen_from_its_table(house: House, windows: Windows) -> None:
    client = sign_in(house, "sven@example.org")
    game_id = game_of(client, ME, BOT, BOT, title="A quiet table")
    page = windows.open(client)
    page.goto(f"/#/games/{game_id}")
    page.get_by_text("Options, pause, leave").click()
    page.get_by_role("link", name="Email for this game").click()
    expect(page.get_by_role("heading", name="Emails for A quiet table")).to_be_visible()
    page.get_by_label("Emails for this game").select_option("off")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert client.get(f"/v1/games/{game_id}/seats/me")["mails"] == "off"


def test_email_deliveries_are_shown(house: House, windows: Windows) -> None:
    client = sign_in(house, "tess@example.org")
    game_id = game_of(client, ME, BOT, BOT, title="A told table")
    house.await_mail("tess@example.org", lambda mail: "A told table" in mail.message["Subject"])
    page = settings(windows, client, "letters", locale="de-CH")  # her account speaks English

    def with_one_dropped(route: Route) -> None:
        found = route.fetch().json()
        found["items"].append(found["items"][0] | {"letter": game_id, "result": "dropped", "kind": "game-ended"})
        route.fulfill(json=found)

    page.route("**/v1/me/deliveries?*", with_one_dropped)
    page.reload()
    expect(page.get_by_text("Not sent: out of date, or turned off")).to_be_hidden()
    page.get_by_text("1 email wasn't sent").click()
    expect(page.get_by_text("Not sent: out of date, or turned off")).to_be_visible()
    told = page.get_by_role("listitem").filter(has_text="It's your turn")
    expect(told).to_contain_text("Delivered to the mail server")
    told.get_by_role("link", name="A told table").click()
    expect(page.get_by_role("heading", name="A told table")).to_be_visible()


# Calendar


def test_the_calendar_address_is_created_and_revoked(house: House, windows: Windows) -> None:
    client = sign_in(house, "uli@example.org")
    page = settings(windows, client, "calendar")
    page.get_by_role("button", name="Create calendar").click()
    first = page.get_by_label("Your calendar's address").input_value()
    assert client.ask("GET", first).status_code == 200
    page.get_by_role("button", name="Create a new address").click()
    page.get_by_role("button", name="Create a new address").click()  # after the question
    expect(page.get_by_label("Your calendar's address")).not_to_have_value(first)
    second = page.get_by_label("Your calendar's address").input_value()
    assert [client.ask("GET", url).status_code for url in (first, second)] == [404, 200]
    page.get_by_role("button", name="Delete calendar").click()
    page.get_by_role("button", name="Delete calendar").click()
    expect(page.get_by_role("button", name="Create calendar")).to_be_visible()
    assert client.ask("GET", second).status_code == 404


# Tokens


def test_a_token_can_be_created_seen_once_used_and_revoked(house: House, windows: Windows) -> None:
    client = sign_in(house, "vera@example.org")
    page = settings(windows, client, "tokens")
    expect(page.get_by_text("this page")).to_be_visible()
    page.get_by_label("Name", exact=True).fill("my bot")
    page.get_by_label("see your settings").check()
    page.get_by_label("Lifetime").select_option("30")
    page.get_by_role("button", name="Create token").click()
    expect(page.get_by_label("Token", exact=True)).to_be_focused()
    program = Client(house, page.get_by_label("Token", exact=True).input_value())
    assert program.get("/v1/me")["email"] == "vera@example.org"
    assert program.ask("PATCH", "/v1/me", json={"name": "Eve"}).status_code == 403
    page.get_by_role("button", name="I've saved it").click()
    expect(page.get_by_label("Token", exact=True)).to_have_count(0)

    row = page.get_by_role("listitem").filter(has_text="my bot")
    expect(row).to_contain_text("see games")
    row.get_by_role("button", name="Revoke: my bot").click()
    expect(row.get_by_role("button", name="Cancel")).to_be_focused()
    row.get_by_role("button", name="Revoke", exact=True).click()
    expect(page.get_by_role("status").get_by_text("my bot was revoked.")).to_be_focused()
    assert program.ask("GET", "/v1/me").status_code == 401


def test_a_seat_token_plays_its_seat_and_sees_nothing_else(house: House, windows: Windows) -> None:
    client = sign_in(house, "wim@example.org")
    game_id = game_of(client, ME, BOT, BOT, title="For a bot")
    page = settings(windows, client, f"game/{game_id}")
    page.get_by_role("link", name="Create token").click()
    expect(page.get_by_label("Valid for")).to_have_value(game_id)
    expect(page.get_by_label("change your settings")).to_have_count(0)
    page.get_by_label("Name", exact=True).fill("a friend's bot")
    page.get_by_role("button", name="Create token").click()
    program = Client(house, page.get_by_label("Token", exact=True).input_value())
    assert program.get(f"/v1/games/{game_id}/legal-moves")["moves"]
    assert program.ask("GET", "/v1/me").status_code == 403


def test_signing_out_everywhere_revokes_every_token(house: House, windows: Windows) -> None:
    other, here = sign_in(house, "xena@example.org"), sign_in(house, "xena@example.org")
    page = settings(windows, here, "tokens")
    windows.expected = "status of 401"  # its stream ends with the token, and may come back before the page knows
    page.get_by_role("button", name="Sign out everywhere").click()
    page.get_by_role("button", name="Sign out everywhere").click()
    expect(page.get_by_label("Email address")).to_be_visible()
    assert [it.ask("GET", "/v1/me").status_code for it in (other, here)] == [401, 401]


# Webhooks


def test_a_webhook_can_be_created_tested_paused_and_deleted(house: House, windows: Windows, receiver: Receiver) -> None:
    client = sign_in(house, "yves@example.org")
    page = settings(windows, client, "webhooks")
    windows.expected = "status of 422"
    page.get_by_label("Your program's address").fill("ftp://elsewhere.example")
    page.get_by_role("button", name="Create webhook").click()
    expect(page.locator("#webhook-new-url-wrong")).to_be_visible()
    page.get_by_label("Your program's address").fill(receiver.url)
    page.get_by_label("New chat message").check()
    page.get_by_role("button", name="Create webhook").click()
    secret = page.get_by_role("textbox", name="Secret").input_value()
    [hook] = client.get("/v1/webhooks")["items"]
    assert (hook["url"], hook["kinds"]) == (receiver.url, ["your-turn", "game-ended", "message"])

    receiver.answer = lambda call: 500 if len(receiver.calls) == 1 else 204
    page.get_by_role("button", name="Test").click()
    delivery = page.get_by_role("listitem").filter(has_text="Test call")
    expect(delivery).to_contain_text("Failed, will retry · response 500")
    delivery.get_by_role("button", name="Retry now").click()
    expect(delivery).to_contain_text("Arrived · response 204")
    assert all(call.is_signed_with(secret) for call in receiver.calls)

    page.get_by_role("button", name="New secret").click()
    page.get_by_role("button", name="New secret").click()
    expect(page.get_by_role("textbox", name="Secret")).not_to_have_value(secret)
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("Paused by you.")).to_be_visible()
    expect(page.get_by_role("button", name="Test")).to_be_disabled()
    page.get_by_role("button", name="Turn on").click()
    expect(page.get_by_text("Active since")).to_be_visible()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No webhooks yet.")).to_be_visible()
    assert client.get("/v1/webhooks")["items"] == []


# The account itself


def code_mailed_to(house: House, address: str) -> str:
    mail = house.await_mail(address, lambda mail: "is the code" in str(mail.message["Subject"]))
    return str(mail.message["Subject"])[:6]


def test_a_player_can_change_the_address_export_the_data_and_delete_the_account(house: House, windows: Windows) -> None:
    client = sign_in(house, "vera@example.org")
    page = settings(windows, client, "account", **PHONE)
    page.get_by_label("New address").fill("vera@example.net")
    page.get_by_role("button", name="Email me the codes").click()
    windows.expected = "401"
    codes = {it: code_mailed_to(house, it) for it in ("vera@example.org", "vera@example.net")}
    for entered in (dict.fromkeys(codes, "000000"), codes):  # a wrong code doesn't end the session
        for address, code in entered.items():
            page.get_by_label(f"Code from the email to {address}").fill(code)
        page.get_by_role("button", name="Change address").click()
        if entered is not codes:
            expect(page.get_by_text("This code is wrong")).to_be_visible()
    expect(page.get_by_text("Your address is now vera@example.net.")).to_be_visible()

    with page.expect_download() as download:
        page.get_by_role("button", name="Download copy").click()
    assert json.loads(download.value.path().read_text())["profile"]["email"] == "vera@example.net"

    page.get_by_role("button", name="Delete my account").click()
    page.get_by_role("button", name="Delete my account").click()
    expect(page.get_by_text("A code is on its way to vera@example.net.")).to_be_visible()
    mail = house.await_mail("vera@example.net", lambda mail: "deleting" in str(mail.message["Subject"]))
    page.get_by_label("Code from the email").fill(str(mail.message["Subject"])[:6])
    page.get_by_role("button", name="Delete it permanently").click()
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()


# All of it


def test_axe_reports_no_violations_in_any_section(house: House, windows: Windows, receiver: Receiver) -> None:
    client = sign_in(house, "ylva@example.org")
    game_id = game_of(client, ME, BOT, BOT)
    client.post("/v1/webhooks", {"url": receiver.url, "kinds": ["your-turn"]})
    client.post("/v1/me/feed", {})
    page = settings(windows, client, "profile", **PHONE)
    sections = page.locator(".settings nav a")
    expect(sections).to_have_count(8)
    addresses = [link.get_attribute("href") for link in sections.all()] + [f"#/settings/game/{game_id}"]
    for address in addresses:
        page.evaluate("address => (location.hash = address)", address)
        expect(page.locator(".settings .card h2").first).to_be_visible()
        expect(page.get_by_text("One moment")).to_have_count(0)
        expect(page.get_by_role("heading", name="Settings")).to_be_in_viewport()
        page.evaluate("scrollTo(0, 200)")
        assert objections(page) == [], address
        assert not too_wide(page), address


def test_the_settings_switch_to_german_and_keep_input(house: House, windows: Windows) -> None:
    page = settings(windows, sign_in(house, "zoe@example.org"), "tokens", **PHONE)
    windows.expected = "status of 422"
    page.get_by_label("Name", exact=True).fill("mein Bot")
    page.get_by_label("Language").select_option("de")
    expect(page.get_by_role("heading", name="Anmeldungen und Tokens")).to_be_visible()
    expect(page.get_by_label("Name", exact=True)).to_have_value("mein Bot")
    page.get_by_label("Gültigkeit").select_option("date")
    page.get_by_label("Bis zum Ende des").fill("2020-01-01")
    page.get_by_role("button", name="Token anlegen").click()
    expect(page.locator("#token-date-wrong")).to_contain_text("Dieser Zeitpunkt liegt in der Vergangenheit.")
    assert not too_wide(page)


def test_finished_games_are_shared_once_the_player_agrees(house: House, windows: Windows) -> None:
    client = sign_in(house, "olga@example.org")
    page = settings(windows, client, "account")
    box = page.get_by_label("Share my finished games")
    expect(box).not_to_be_checked()
    box.check()
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert client.get("/v1/me")["shares_games"] is True
    page.reload()
    expect(box).to_be_checked()
    box.uncheck()
    until(lambda: client.get("/v1/me")["shares_games"] is False)


def test_everyone_sees_the_mark_of_a_program_account(house: House, windows: Windows) -> None:
    client, host = sign_in(house, "robot@example.org"), sign_in(house, "quinn@example.org")
    page = settings(windows, client, "account")
    box = page.get_by_label("This account belongs to a program")
    box.check()
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert client.get("/v1/me")["program"] is True
    seats = [{"player": "me"}, {"open": True}, {"open": True}]
    game = host.post("/v1/games", {"rules": "sternenhimmel", "title": "Who plays?", "seats": seats})["id"]
    client.post(f"/v1/games/{game}/seats", {})
    page.goto(f"{house.url}/#/lobby")
    expect(page.locator("li.game", has_text="Who plays?").get_by_text("robot (program)")).to_be_visible()


def test_authorized_apps_are_listed_and_can_be_revoked(house: House, windows: Windows) -> None:
    client = sign_in(house, "petra@example.org")
    page = settings(windows, client, "tokens")
    expect(page.get_by_role("heading", name="New token")).to_be_visible()
    expect(page.get_by_role("heading", name="Apps")).to_have_count(0)
    token = app_of(client, "Night Watch")
    page.reload()
    apps = page.locator("section", has=page.get_by_role("heading", name="Apps"))
    expect(apps).to_contain_text("Night Watch http://127.0.0.1:9")
    apps.get_by_role("button", name="Revoke access: Night Watch").click()
    expect(apps).to_contain_text("Its webhooks, push subscriptions, calendar address and unanswered stand-in requests")
    apps.get_by_role("button", name="Revoke access", exact=True).click()
    expect(page.get_by_text("Night Watch no longer has access.")).to_be_visible()
    expect(apps).to_have_count(0)
    assert Client(house, token).ask("GET", "/v1/games?mine=true").status_code == 401
    assert client.get("/v1/apps")["items"] == []


def app_of(client: Client, name: str) -> str:
    """The token of a program of a stranger that this player has just allowed."""
    back, verifier = "http://127.0.0.1:9/", "v" * 43
    app = client.post("/oauth/register", {"client_name": name, "redirect_uris": [back]})["client_id"]
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    asked = {"response_type": "code", "client_id": app, "redirect_uri": back, "scope": "games:read"}
    proof = {"code_challenge": challenge, "code_challenge_method": "S256"}
    allowed = {"allow": True, "player": client.get("/v1/me")["id"]}
    answer = client.post(f"/oauth/authorize?{urlencode(asked | proof)}", allowed, status=200)
    code = dict(parse_qsl(urlsplit(answer["redirect"]).query))["code"]
    wanted = {"grant_type": "authorization_code", "client_id": app, "redirect_uri": back, "code": code}
    made = client.ask("POST", "/oauth/token", data=wanted | {"code_verifier": verifier})
    return str(made.json()["access_token"])
