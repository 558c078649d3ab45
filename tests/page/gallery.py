"""Draws every screen of the page, to be looked at: `python -m tests.page.gallery DIR [de en fr it]`.

Each by day and by night, on a desk, a wide window and a phone, in real Chromium.
"""

import argparse
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from typing import Literal

from playwright.sync_api import Page, sync_playwright

from server.translations import LOCALES
from tests.page import layout
from tests.page.screens import SCREENS, by_the_link_of_a_mail, furnished, signing_in
from tests.page.screens import SIZES as SMALLER
from tests.page.windows import Windows
from tests.support.browser import CHROMIUM
from tests.support.live_server import new_house

Scheme = Literal["light", "dark"]
SIZES = SMALLER | {"wide": layout.SIZES["wide"]["viewport"]}


def draw(page: Page, folder: Path, name: str) -> None:
    """One screen in its six looks."""
    schemes: tuple[Scheme, ...] = ("light", "dark")
    for scheme, size in product(schemes, SIZES):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.set_viewport_size(SIZES[size])
        page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 100)))")
        page.screenshot(
            path=folder / f"{name.replace(', ', ' ').replace(' ', '-')}.{size}.{scheme}.png", full_page=True
        )
    page.set_viewport_size(SIZES["desk"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("languages", nargs="*", choices=LOCALES)
    wanted = parser.parse_args()
    with new_house(STERNENPOST_LIMITS="off") as house, sync_playwright() as playwright, ExitStack() as stack:
        house.start_web()
        house.start_worker()
        scene = furnished(house)
        windows = Windows(playwright.chromium.launch(executable_path=CHROMIUM), house, stack)
        for language in wanted.languages or ["en"]:
            folder = wanted.folder / language
            folder.mkdir(parents=True, exist_ok=True)
            scene.player.ask("PATCH", "/v1/me", json={"locale": language})
            page = windows.open(scene.player, locale=language)
            for name, go in SCREENS.items():
                go(page, scene)
                draw(page, folder, name)
            page.context.close()
            stranger = windows.open(locale=language)
            for screens in (signing_in(stranger), by_the_link_of_a_mail(stranger, scene)):
                for name in screens:
                    draw(stranger, folder, name)


if __name__ == "__main__":
    main()
