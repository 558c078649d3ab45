"""axe-core checks every screen in all languages, light and dark, on desktop and phone."""

from collections.abc import Iterator
from itertools import chain
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.page.axe import objections
from tests.page.screens import SCREENS, SIZES, Scene, by_the_link_of_a_mail, furnished, signing_in, to_table
from tests.page.windows import Windows
from tests.support.live_server import House, Json

Scheme = Literal["light", "dark"]

# Each screen is looked at in every language, and in all of these ways.
LOOKS: dict[str, tuple[Scheme, str]] = {
    "en": ("light", "desk"),
    "de": ("dark", "desk"),
    "fr": ("dark", "phone"),
    "it": ("light", "phone"),
}


@pytest.fixture(scope="module")
def scene(house: House) -> Scene:
    return furnished(house)


def violations(page: Page, language: str, name: str) -> Iterator[str]:
    """What axe objects to on this screen."""
    expect(page.locator("html")).to_have_attribute("lang", language)
    yield from (f"{name}: {it}" for it in objections(page))


@pytest.mark.parametrize("language", LOOKS)
def test_axe_reports_no_violations(language: str, scene: Scene, windows: Windows) -> None:
    windows.expected = "status of 404|ERR_INTERNET_DISCONNECTED|ERR_NETWORK_CHANGED"
    scene.player.ask("PATCH", "/v1/me", json={"locale": language})
    scheme, size = LOOKS[language]
    manners: Json = {"locale": language, "color_scheme": scheme, "viewport": SIZES[size]}
    page = windows.open(scene.player, **manners)
    wrong: list[str] = []
    for name, go in SCREENS.items():
        go(page, scene)
        wrong += violations(page, language, name)
    to_table(page, scene, "sternenhimmel")
    page.context.set_offline(True)
    expect(page.locator(".away").first).to_be_visible()
    wrong += violations(page, language, "no connection")
    page.context.close()
    stranger = windows.open(**manners)
    for name in chain(signing_in(stranger), by_the_link_of_a_mail(stranger, scene)):
        wrong += violations(stranger, language, name)
    assert not wrong, "\n\n".join(wrong)
