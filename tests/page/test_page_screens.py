"""Screens around the tables: signing in and out, errors, languages, the sandbox."""

import re
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import pytest
from playwright.sync_api import expect

from tests.page.windows import Windows, code_for, enter
from tests.support.live_server import Client, House, sign_in, until


def test_signing_out_revokes_the_token(house: House, windows: Windows) -> None:
    page = windows.open()
    enter(page, house, "gero@example.org")
    token = page.evaluate("localStorage.getItem('sternenpost.token')")
    assert Client(house, token).get("/v1/me")["email"] == "gero@example.org"
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Email address")).to_be_visible()
    assert Client(house, token).ask("GET", "/v1/me").status_code == 401
    assert page.evaluate("localStorage.getItem('sternenpost.token')") is None


def test_signing_out_forgets_the_language_of_the_account(house: House, windows: Windows) -> None:
    client = sign_in(house, "gita@example.org")
    client.ask("PATCH", "/v1/me", json={"locale": "en"})
    page = windows.open(locale="de-DE")
    page.goto("/")
    page.evaluate("(token) => localStorage.setItem('sternenpost.token', token)", client.token)
    page.reload()
    windows.expected = "status of 401"  # of requests sent just before signing out
    page.get_by_role("button", name="Sign out").click()
    for _ in range(2):
        expect(page.get_by_label("E\u2011Mail-Adresse")).to_be_visible()
        page.reload()


def test_an_error_is_shown_in_the_servers_words(house: House, windows: Windows) -> None:
    page = windows.open(locale="de-CH")
    windows.expected = "status of 401"
    page.goto("/#/sign-in")
    page.get_by_label("E\u2011Mail-Adresse").fill("hans@example.org")
    page.get_by_role("button", name="Code schicken").click()
    page.get_by_label("Code").fill("000000" if code_for(house, "hans@example.org") != "000000" else "111111")
    page.get_by_role("button", name="Anmelden").click()
    expect(page.get_by_role("alert")).to_contain_text("Code")


def test_the_language_can_be_changed(house: House, windows: Windows) -> None:
    client = sign_in(house, "ida@example.org")
    page = windows.open(client)
    page.goto("/")
    page.get_by_label("Language").select_option("it")
    expect(page.get_by_role("heading", name="Le mie partite")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "it")
    until(lambda: client.get("/v1/me")["locale"] == "it")


def test_a_sandbox_signs_in_without_a_code(house: House, windows: Windows) -> None:
    page = windows.open(script="")
    windows.expected = "status of 401"  # of requests sent just before signing out
    page.goto("/")
    expect(page.locator(".me")).to_have_text("Robin")
    told = page.get_by_text("You are Robin in this sandbox.")
    expect(told).to_be_visible()
    page.get_by_role("link", name="Play as someone else").click()
    expect(told).to_have_count(0)
    page.get_by_role("link", name="My games").click()
    expect(page.get_by_role("heading", name="My games")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="Play as Ada").click()
    expect(page.locator(".me")).to_have_text("Ada")


@pytest.mark.parametrize("way", ["by code", "as a sandbox player", "in another window"])
def test_signing_in_for_an_app_returns_to_its_request(house: House, windows: Windows, way: str) -> None:
    client = Client(house)
    metadata = {"client_name": "Night Watch", "redirect_uris": ["https://watch.example/back"]}
    asked = {
        "response_type": "code",
        "client_id": client.post("/oauth/register", metadata)["client_id"],
        "redirect_uri": metadata["redirect_uris"][0],
        "scope": "games:read moves:write",
        "state": "s&t=1",
        "code_challenge": "c" * 43,
        "code_challenge_method": "S256",
    }
    page = windows.open(script="")  # a sandbox signs in no player by itself here
    page.goto(f"/oauth/authorize?{urlencode(asked)}")
    page.get_by_role("link", name="Sign in").click()
    expect(page.get_by_role("heading")).to_have_text(["Sign in to continue to “Night Watch”", "This is a sandbox"])
    expect(page.get_by_role("button", name=re.compile("^Play .* now$"))).to_have_count(0)
    page.locator(".who").get_by_role("link", name="Sign in").click()  # keeps the address to return to
    if way == "by code":
        page.get_by_label("Email address").fill("jule@example.org")
        page.get_by_role("button", name="Email me a code").click()
        page.get_by_label("Code").fill(code_for(house, "jule@example.org"))
        page.get_by_label("Stay signed in").uncheck()
        page.get_by_role("button", name="Sign in").click()
    elif way == "as a sandbox player":
        page.get_by_role("button", name="Play as Ada").click()
    else:
        expect(page.get_by_label("Email address")).to_be_visible()
        enter(page.context.new_page(), house, "kuno@example.org")
    expect(page.get_by_text("You're signed in as")).to_be_visible()
    expect(page.get_by_role("button", name="Allow", exact=True)).to_be_enabled()
    assert parse_qs(urlsplit(page.url).query) == {name: [it] for name, it in asked.items()}


@pytest.mark.parametrize(
    "address",
    [
        "//evil.example/",
        "/\\evil.example/",
        "https://evil.example/",
        "javascript:alert(1)",
        "/v1",
        "/oauth/authorize/../x",
    ],
)
def test_signing_in_never_leads_to_another_address(house: House, windows: Windows, address: str) -> None:
    page = windows.open()
    page.goto(f"/#/sign-in?then={quote(address, safe='')}")
    page.get_by_role("button", name="Play as Ada").click()
    expect(page.get_by_role("heading", name="My games")).to_be_visible()


def test_a_sandbox_token_works_only_for_its_own_page(house: House) -> None:
    client = Client(house)
    foreign = {"Sec-Fetch-Site": "cross-site"}
    assert client.ask("POST", "/sandbox/token", json={"name": "ada"}, headers=foreign).status_code == 404
    assert client.ask("POST", "/sandbox/token", json={"name": "eve"}).status_code == 422
