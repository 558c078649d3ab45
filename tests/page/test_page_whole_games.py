"""Whole games among people in separate browsers, by mouse, finger or keyboard alone."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.page.keys import by_keys
from tests.page.programs import whole_turn
from tests.page.sternenglanz_taps import play_it, tap_out
from tests.page.windows import ME, OPEN, PHONE, Windows, by_finger, by_mouse, game_of, play_out, quiet, too_wide
from tests.support.live_server import Client, House, Json, sign_in

Press = Callable[[Locator], None]


def together(house: House, names: list[str], **wanted: object) -> tuple[str, list[Client]]:
    """A game that the first of them opened and all others joined."""
    clients = [quiet(sign_in(house, f"{name}@example.org")) for name in names]
    game_id = game_of(clients[0], ME, *[OPEN] * (len(names) - 1), **wanted)
    for client in clients[1:]:
        client.post(f"/v1/games/{game_id}/seats", {})
    return game_id, clients


def expect_the_end(house: House, game_id: str, pages: list[Page]) -> Json:
    """All see it, at the version that the log has; what the log says of the game."""
    [row] = house.rows("SELECT status, version, outcome FROM games WHERE game_id = %s", game_id)
    assert row["status"] == "finished"
    assert house.count("events WHERE game_id = %s AND version > %s", game_id, row["version"]) == 0
    for page in pages:
        expect(page.locator(".result")).to_be_visible()
        expect(page.locator(".history input")).to_have_value(str(row["version"]))
        expect(page.locator(".seats .place")).to_have_count(len(pages))
        assert not too_wide(page)
    return row


def sternenhimmel_by_keys(page: Page) -> None:
    by_keys(page.locator(".hand .star.open").first)
    by_keys(page.locator(".space.lit").last)
    expect(page.get_by_role("button", name="Play it")).to_be_focused()
    page.keyboard.press("Enter")


def test_three_people_play_a_whole_game_of_sternenhimmel_one_of_them_by_keyboard_alone(
    house: House, windows: Windows
) -> None:
    game_id, clients = together(house, ["ada", "ben", "cleo"])
    manners: list[Json] = [{}, PHONE, {}]
    pages = [windows.open(client, **each) for client, each in zip(clients, manners, strict=True)]
    for page in pages:
        page.goto(f"/#/games/{game_id}")
    play_out(dict(zip(pages, [by_mouse, by_finger, sternenhimmel_by_keys], strict=True)))
    row = expect_the_end(house, game_id, pages)
    assert row["version"] == 91
    assert house.count("events WHERE game_id = %s AND type = 'star-placed'", game_id) == 90


def play_out_sternenglanz(game_id: str, seats: list[tuple[Page, Client, Press]]) -> None:
    """Let the player to move build a good turn and send it, until the game is over."""
    while not all(page.locator(".result").is_visible() for page, _, _ in seats):
        for page, client, press in seats:
            steps = whole_turn(client, game_id)
            if steps:
                tap_out(page, steps, press)  # the page has seen by now what the others did
                before = page.locator(".history .faint").inner_text()
                play_it(page, press)
                expect(page.locator(".history .faint")).not_to_have_text(before)


STERNENGLANZ: list[tuple[int, list[tuple[Press, Json]]]] = [
    (1, [(by_keys, {}), (Locator.tap, PHONE)]),
    (4, [(Locator.click, {}), (Locator.tap, PHONE), (by_keys, {})]),
]


@pytest.mark.parametrize(("scenario", "manners"), STERNENGLANZ, ids=["two", "three"])
def test_people_play_a_whole_game_of_sternenglanz(
    scenario: int, manners: list[tuple[Press, Json]], house: House, windows: Windows
) -> None:
    windows.expected = "status of 422"  # a tooltip asks why a field is closed while the focus rests there
    options = {"scenario": scenario, "max_rounds": 4}
    names = ["dora", "emil", "fay"][: len(manners)]
    game_id, clients = together(house, names, rules="sternenglanz", options=options)
    pages = [windows.open(client, **each) for client, (_, each) in zip(clients, manners, strict=True)]
    for page in pages:
        page.goto(f"/#/games/{game_id}")
        expect(page.locator(".sternenglanz")).to_be_visible()
    presses = [press for press, _ in manners]
    play_out_sternenglanz(game_id, list(zip(pages, clients, presses, strict=True)))
    row = expect_the_end(house, game_id, pages)
    assert len(row["outcome"]["scores"]) == len(manners)
