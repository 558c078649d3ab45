"""A nameless table on the page shows no player's name until the end."""

from playwright.sync_api import Page, Route, expect

from tests.page.programs import play
from tests.page.test_lobby import form_of
from tests.page.windows import ME, OPEN, Windows, game_of, too_wide
from tests.support.live_server import House, sign_in, until

NAMES = ("Wilhelmina", "Bartholomew", "Clementine")


def all_that_is_said(page: Page) -> str:
    """Return the page's text with open panels, and what only programs read."""
    return str(page.content())


def test_names_are_hidden_on_the_page_until_the_end(house: House, windows: Windows) -> None:
    people = [sign_in(house, f"{name.lower()}@example.org") for name in NAMES]
    for client, name in zip(people, NAMES, strict=True):
        client.ask("PATCH", "/v1/me", json={"name": name})
    game_id = game_of(people[0], ME, OPEN, OPEN, options={"nameless": True, "start_seat": 0}, title="Who is who")
    player, spectator = windows.open(people[1]), windows.open()
    others = [NAMES[0], NAMES[2]]
    for page, hidden in ((player, others), (spectator, NAMES)):
        page.goto(f"/#/games/{game_id}")
        expect(page.locator(".seats li")).to_have_count(3)
        assert [name for name in hidden if name in all_that_is_said(page)] == []
    for client in people[1:]:
        client.post(f"/v1/games/{game_id}/seats", {})
    play(people[0], game_id)
    people[0].post(f"/v1/games/{game_id}/messages", {"text": "Guess who."})
    people[0].post(f"/v1/games/{game_id}/votes", {"on": "pause", "vote": True}, status=200)
    for page, hidden in ((player, others), (spectator, NAMES)):
        page.reload()
        expect(page.locator(".seats")).to_contain_text("Seat 1")
        expect(page.locator(".story")).to_contain_text("Seat 1")
        expect(page.locator(".chat")).to_contain_text("Guess who.")
        expect(page.locator(".seats a.person, .seats .avatar")).to_have_count(0)
        assert [name for name in hidden if name in all_that_is_said(page)] == []
        page.set_viewport_size({"width": 360, "height": 740})
        assert not too_wide(page)
    expect(player.locator(".seats li").nth(1)).to_contain_text("(you)")

    late, words, held = windows.open(), "**/words/en/page.*.json", list[Route]()
    late.route(words, lambda route: held.append(route))
    with late.expect_request(words), late.expect_response(lambda it: f"{game_id}/events" in it.url):
        late.goto(f"/#/games/{game_id}", wait_until="commit")
    until(lambda: held or late.wait_for_timeout(50))  # lets the route be handled
    held[0].continue_()
    expect(late.locator(".story")).to_contain_text("Seat 1")  # though the words of the page came last

    for client in people:
        client.post(f"/v1/games/{game_id}/votes", {"on": "abandon", "vote": True}, status=200)
    for page in (player, spectator):
        page.reload()
        for number, name in enumerate(NAMES):
            expect(page.locator(".seats li").nth(number)).to_contain_text(name)
        expect(page.locator(".story")).to_contain_text(NAMES[0])
        expect(page.locator(".chat")).to_contain_text(NAMES[0])


def test_the_host_is_told_that_they_will_know_the_player_they_invite(house: House, windows: Windows) -> None:
    host = sign_in(house, "hosting@example.org")
    page = windows.open(host)
    for options, times in (({"nameless": True}, 1), ({}, 0)):
        game_id = game_of(host, ME, OPEN, OPEN, options=options)
        page.goto(f"/#/games/{game_id}")
        expect(page.get_by_label("Invite by email")).to_be_visible()
        expect(page.get_by_text("you know who takes a seat you reserve by email")).to_have_count(times)


def test_the_form_for_a_nameless_table_says_that_the_host_will_know_an_invited_player(
    house: House, windows: Windows
) -> None:
    page = windows.open(sign_in(house, "opening@example.org"))
    form_of(page)
    page.locator("[name=seat-1]").select_option("invite")
    known = page.get_by_text("you know who takes a seat you reserve by email")
    expect(page.locator("[name=email-1]")).to_be_visible()
    expect(known).to_have_count(0)
    page.get_by_text("All options").click()
    page.locator("[name=nameless][value=true]").check()
    expect(known).to_be_visible()


def test_the_page_says_that_newcomers_can_join_a_table_for_reliable_players(house: House, windows: Windows) -> None:
    game_id = game_of(sign_in(house, "hosting@example.org"), ME, OPEN, OPEN, min_reliability=80)
    page = windows.open()
    page.goto(f"/#/games/{game_id}")
    expect(page.get_by_text("80% of their games, and for new players")).to_be_visible()
