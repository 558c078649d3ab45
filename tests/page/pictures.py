"""Draws the pictures of the READMEs: `python -m tests.page.pictures`. `test_shown_pictures.py` fails when they are stale.

Each is a screenshot of the page at a game with a fixed seed and fixed moves.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from random import Random

import psycopg
from PIL import Image, ImageChops
from playwright.sync_api import Page, expect, sync_playwright

from server.bots import greedy
from server.games import GAMES
from tests.page.windows import ME, OPEN, PHONE, Windows, game_of, quiet
from tests.post.gallery import page_of
from tests.post.office import Mail as Letter
from tests.support.browser import CHROMIUM
from tests.support.live_server import Client, House, Json, new_house, sign_in

SHOWN = Path(__file__).parent / "shown"
SCALE = 8  # pictures are compared at this fraction of their size, so that a font or a date makes no difference
STRONG = 48  # of 255: a difference that the eye sees
MOST = 0.08  # part of a picture that may differ strongly: a scroll position or a time does by 0.02


def drawn(house: House, windows: Windows) -> Iterator[tuple[str, bytes]]:
    """Yield the name of each picture, and the picture as PNG."""
    people = [quiet(sign_in(house, f"{name.lower()}@example.org")) for name in ("Ada", "Ben", "Cleo")]
    for client, name in zip(people, ("Ada", "Ben", "Cleo"), strict=True):
        assert client.ask("PATCH", "/v1/me", json={"name": name}).status_code == 200
    sky = played(house, people, 40, rules="sternenhimmel", title="A sky in spring", options={"start_seat": 0})

    page = windows.open(color_scheme="dark", viewport={"width": 1200, "height": 640})
    page.goto("/")  # which shows this game, since it was played just now
    expect(page.locator(".live-table .lying").first).to_be_visible()
    yield "landing", page.screenshot(animations="disabled")

    game_of(people[0], ME, {"email": "dora@example.org"}, OPEN, title="A sky in spring")
    mail = house.await_mail("dora@example.org", lambda it: it.word("i"))
    page = windows.open(color_scheme="light", viewport={"width": 480, "height": 860})
    page.set_content(page_of(Letter("", mail.message, b"", "")))
    yield "letter", page.screenshot(animations="disabled")

    glow = {"rules": "sternenglanz", "title": "A night on the roof", "options": {"start_seat": 0, "scenario": 1}}
    roof = played(house, people, 42, **glow)

    page = windows.open(people[0], **PHONE)
    at_table(page, sky)
    page.locator(".hand .star.open").nth(1).click()
    page.locator(".space.lit").first.evaluate("it => it.closest('svg').scrollIntoView()")
    page.evaluate("scrollTo(0, 0)")
    yield "sternenhimmel", page.screenshot(animations="disabled")

    page = windows.open(people[0], viewport={"width": 1200, "height": 900}, color_scheme="dark")
    at_table(page, roof)
    expect(page.locator(".slot.lit").first).to_be_visible()
    yield "sternenglanz", page.screenshot(animations="disabled")

    page = windows.open(people[0], color_scheme="dark")
    at_table(page, sky)
    page.locator(".story > button").click()
    page.locator(".story .watch").first.click()
    expect(page.locator("dialog.scoring")).to_be_visible()
    page.keyboard.press("End")
    yield "scoring", page.screenshot(animations="disabled")


def at_table(page: Page, game_id: str) -> None:
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(".state")).to_be_visible()
    expect(page.locator(".news.live")).to_be_visible()


def played(house: House, people: list[Client], version: int, **wanted: Json) -> str:
    """Return a game whose chance and moves are always the same, at or soon after this version, with Ada on turn."""
    game_id = game_of(people[0], ME, *[OPEN] * (len(people) - 1), **wanted)
    seed = sha256(str(wanted["title"]).encode()).digest()
    with psycopg.connect(house.database_url) as connection:
        connection.execute("UPDATE games SET seed = %s WHERE game_id = %s", (seed, game_id))
    for client in people[1:]:
        client.post(f"/v1/games/{game_id}/seats", {})
    random, rules = Random(7), GAMES[str(wanted["rules"])]
    while True:
        for client in people:
            legal = client.get(f"/v1/games/{game_id}/legal-moves")
            if legal["turn"] is None:
                continue
            game = client.get(f"/v1/games/{game_id}")
            if client is people[0] and game["version"] >= version:
                return game_id
            moves = [rules.move_from_json(it) for it in legal["moves"]]
            move = rules.move_to_json(greedy(rules, game["view"], moves, random))
            client.post(f"/v1/games/{game_id}/moves", {"turn": legal["turn"], "move": move})


def difference(first: bytes, second: bytes) -> float:
    """Return which part of two pictures differs strongly. All of it, if their sizes differ."""
    pictures = [Image.open(BytesIO(png)).convert("RGB") for png in (first, second)]
    if pictures[0].size != pictures[1].size:
        return 1.0
    small = [it.resize((it.width // SCALE, it.height // SCALE), Image.Resampling.BOX) for it in pictures]
    strongest = ImageChops.difference(*small).convert("RGB").split()
    merged = ImageChops.lighter(ImageChops.lighter(strongest[0], strongest[1]), strongest[2])
    return sum(merged.histogram()[STRONG:]) / (merged.width * merged.height)


def main() -> None:
    with new_house(STERNENPOST_LIMITS="off") as house, sync_playwright() as playwright, ExitStack() as stack:
        house.start_web()
        house.start_worker()
        windows = Windows(playwright.chromium.launch(executable_path=CHROMIUM), house, stack)
        for name, png in drawn(house, windows):
            (SHOWN / f"{name}.png").write_bytes(png)


if __name__ == "__main__":
    main()
