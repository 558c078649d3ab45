"""Both games by screen reader: a program that reads only the accessibility tree plays to the end."""

import re
from contextlib import suppress

from playwright.sync_api import CDPSession, Page, expect

from tests.page import by_ear
from tests.page.programs import play
from tests.page.windows import BOT, ME, OPEN, Windows, game_of, quiet
from tests.support.live_server import Client, House, Json, sign_in, until


def at_table(page: Page, game_id: str) -> CDPSession:
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(".news.live")).to_have_count(1)
    expect(page.locator(".seats li").first).to_be_attached()
    return by_ear.listen(page)


def heard(page: Page, line: CDPSession, client: Client, game_id: str) -> tuple[Json, Json]:
    """What is heard at this table once it has come to rest, and what the API says of it."""
    game = client.get(f"/v1/games/{game_id}")
    version = game["version"]
    expect(page.locator(".history input")).to_have_value(str(version))
    bare = [it["name"].title() if it["kind"] == "bot" else it["name"] for it in game["seats"]]
    names, seat = numbered(bare), game["you"]["seat"]
    is_sky = game["rules"] == "sternenhimmel"
    seen = by_ear.sky_of(game["view"]) if is_sky else by_ear.firmament_of(game["view"], seat)

    def told() -> Json:
        nodes = by_ear.hear(line)
        return by_ear.sky(nodes, names) if is_sky else by_ear.firmament(nodes, names, seat)

    with suppress(AssertionError):  # the caller compares them
        until(lambda: told() == seen or page.wait_for_timeout(100))  # whose turn it is comes with the next look
    return told(), seen


def numbered(names: list[str]) -> list[str]:
    """As the page tells bots of a kind from each other."""
    same = [[other for other in range(i + 1) if names[other] == name] for i, name in enumerate(names)]
    return [f"{it} {len(same[i])}" if names.count(it) > 1 else it for i, it in enumerate(names)]


def asked(client: Client, game_id: str) -> Json | None:
    """The game, once this seat is asked or it is over."""
    game: Json = client.get(f"/v1/games/{game_id}")
    return game if game["outcome"] or game["you"]["turn"] is not None else None


def test_a_whole_game_of_sternenhimmel_can_be_played_with_a_screen_reader(house: House, windows: Windows) -> None:
    client = quiet(sign_in(house, "ada@example.org"))
    game_id = game_of(client, ME, BOT, BOT)
    page = windows.open(client)
    line = at_table(page, game_id)
    turns = 0
    while not until(lambda: asked(client, game_id))["outcome"]:
        told, seen = heard(page, line, client, game_id)
        assert told == seen
        before = seen["hand"]
        expect(page.locator(".state .mine")).to_have_count(1)
        by_ear.play_on_sky(line)
        until(lambda was=before: client.get(f"/v1/games/{game_id}")["view"]["hand"] != was)
        turns += 1
    assert turns == 30
    expect(page.get_by_text("The game is over:").first).to_be_attached()


def test_a_whole_game_of_sternenglanz_can_be_played_with_a_screen_reader(house: House, windows: Windows) -> None:
    client, other = (quiet(sign_in(house, f"{name}@example.org")) for name in ("ben", "cleo"))
    options = {"start_seat": 0, "scenario": 1, "max_rounds": 6}
    game_id = game_of(client, ME, OPEN, rules="sternenglanz", options=options)
    other.post(f"/v1/games/{game_id}/seats", {})
    page = windows.open(client)
    line = at_table(page, game_id)
    while not client.get(f"/v1/games/{game_id}")["outcome"]:
        told, seen = heard(page, line, client, game_id)
        assert told == seen
        version = client.get(f"/v1/games/{game_id}")["version"]
        if client.get(f"/v1/games/{game_id}")["you"]["turn"] is None:
            assert play(other, game_id)
            continue
        expect(page.locator(".state .mine")).to_have_count(1)
        by_ear.play_on_firmament(line)
        until(lambda was=version: client.get(f"/v1/games/{game_id}")["version"] != was)
    expect(page.get_by_text("The game is over:").first).to_be_attached()


def test_arrow_keys_move_along_lines(house: House, windows: Windows) -> None:
    client = quiet(sign_in(house, "dora@example.org"))
    page = windows.open(client)
    at_table(page, game_of(client, ME, BOT, BOT))
    for board in page.locator(".board").all():
        lines = next(
            it for it in by_ear.RULES["sternenhimmel"]["boards"] if it["id"] == board.get_attribute("data-board")
        )
        joined = {frozenset(ends) for ends in lines["lines"]}
        along = 0
        for space in lines["spaces"]:
            for key in ("ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"):
                board.locator(f"[data-at={space['id']}]").focus()
                page.keyboard.press(key)
                at = page.evaluate("document.activeElement.dataset.at")
                along += frozenset((space["id"], at)) in joined
        assert along >= len(lines["spaces"])  # else there is none that way


def test_only_usable_elements_are_tab_stops(house: House, windows: Windows) -> None:
    client, other = (quiet(sign_in(house, f"{name}@example.org")) for name in ("emil", "fay"))
    for rules in ("sternenhimmel", "sternenglanz"):
        game_id = game_of(client, ME, *[OPEN] * (2 if rules == "sternenhimmel" else 1), rules=rules)
        for guest in (other, quiet(sign_in(house, "gil@example.org")))[: 2 if rules == "sternenhimmel" else 1]:
            guest.post(f"/v1/games/{game_id}/seats", {})
        page = windows.open(client)
        at_table(page, game_id)
        page.locator("main").focus()
        stops = []
        for _ in range(60):
            page.keyboard.press("Tab")
            stops.append(page.evaluate("document.activeElement.tagName + ' ' + document.activeElement.role"))
        assert [it for it in stops if it.lower().startswith("svg ")] == []
        page.context.close()


def test_announcements_can_be_shortened(house: House, windows: Windows) -> None:
    client = quiet(sign_in(house, "hal@example.org"))
    page = windows.open(client)
    line = at_table(page, game_of(client, ME, BOT, BOT))
    joined = re.compile("joined to")
    assert any(joined.search(it.name) for it in by_ear.hear(line))
    page.get_by_label("Shorter texts").check()
    expect(page.locator(".space").first).not_to_have_attribute("aria-label", joined)
    page.reload()
    expect(page.locator(".space").first).not_to_have_attribute("aria-label", joined)
