"""The page shows what operators have closed, without a restart of the web process."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from server.accounts.closing import CLOSABLE, close, open_again
from tests.page.windows import Windows
from tests.support.live_server import House
from tests.support.stage import in_process

NO_NEW_PLAYERS = {
    "en": "accepting new players",
    "de": "keine neuen Mitspieler",
    "fr": "pas de nouveaux joueurs",
    "it": "non accetta nuovi giocatori",
}
NO_GUESTS = {
    "en": "isn't accepting guests",
    "de": "keine Gäste",
    "fr": "sans compte",
    "it": "non accetta ospiti",
}


@pytest.fixture
def all_closed(house: House) -> Iterator[None]:
    with in_process(house.database_url):
        for what in CLOSABLE:
            close(what)
        yield
        for what in CLOSABLE:
            open_again(what)


@pytest.mark.usefixtures("all_closed")
@pytest.mark.parametrize("language", NO_NEW_PLAYERS)
def test_a_visitor_is_told_that_sign_ups_and_guest_play_are_closed(windows: Windows, language: str) -> None:
    windows.expected = "status of 403"
    page = windows.open(locale=language)
    page.goto("/#/")
    expect(page.locator(".door")).to_contain_text(NO_NEW_PLAYERS[language])
    page.locator(".words .play button").first.click()
    expect(page.locator(".words [role=alert]")).to_contain_text(NO_GUESTS[language])


def test_a_visitor_is_told_how_to_join_while_everything_is_open(windows: Windows) -> None:
    page = windows.open()
    page.goto("/#/")
    expect(page.locator(".door")).to_contain_text("Signing in creates your account.")
    expect(page.locator(".door .notice")).to_have_count(0)
