"""Sternenglanz on the page: turns by mouse, keyboard and finger, earlier tables, and secrets."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.page.programs import play as by_program
from tests.page.programs import play_to_the_end
from tests.page.sternenglanz_taps import play_it, tap_out
from tests.page.windows import (
    BOT,
    FIRST_VIEW,
    ME,
    OPEN,
    PHONE,
    Windows,
    first_view,
    is_at,
    loses,
    quiet,
    tab_to,
    too_wide,
)
from tests.support.live_server import Client, House, Json, sign_in, until


def sternenglanz_of(client: Client, *seats: Json, **options: int) -> str:
    """A game that `client` opened and begins; its id."""
    options = {"start_seat": 0, **options}
    return str(client.post("/v1/games", {"rules": "sternenglanz", "options": options, "seats": list(seats)})["id"])


def steps_open(client: Client, game: str, begun: list[Json] | None = None) -> list[Json]:
    """The next steps of a turn."""
    if begun:
        moves = client.ask("POST", f"/v1/games/{game}/legal-moves", json={"begun": [{"steps": begun}]}).json()["moves"]
    else:
        moves = client.get(f"/v1/games/{game}/legal-moves")["moves"]
    return [it["steps"][0] for it in moves]


def play(client: Client, game: str, step: Json) -> None:
    turn = client.get(f"/v1/games/{game}/legal-moves")["turn"]
    client.post(f"/v1/games/{game}/moves", {"turn": turn, "move": {"steps": [step]}})


def turn_of(client: Client, game: str) -> int | None:
    turn: int | None = client.get(f"/v1/games/{game}")["you"]["turn"]
    return turn


@pytest.fixture(scope="module")
def pair(house: House) -> tuple[Client, Client]:
    """Two people: hugo, who begins every game, and ines."""
    return sign_in(house, "hugo@example.org"), sign_in(house, "ines@example.org")


def begun_by(pair: tuple[Client, Client], **options: int) -> str:
    """A game in which both have chosen their first cards, and the first of them is on turn."""
    game = sternenglanz_of(pair[0], ME, OPEN, **options)
    pair[1].post(f"/v1/games/{game}/seats", {})
    for client in pair:
        play(client, game, steps_open(client, game)[0])
    return game


def test_the_first_two_cards_are_chosen_by_two_taps(house: House, windows: Windows) -> None:
    client = sign_in(house, "gabi@example.org")
    game = sternenglanz_of(client, ME, BOT)
    page = windows.open(client)
    page.goto(f"/#/games/{game}")
    expect(page.locator(".held.lit")).to_have_count(5)
    expect(page.locator(".own [data-slot='1'] .face .punkt")).to_be_attached()  # the star that a first birth places
    first, second = (page.locator(".held").nth(i).get_attribute("data-card") for i in (1, 3))
    page.locator(f"[data-card='{first}']").click()
    expect(page.locator("[data-slot='2'] .planned")).to_be_visible()
    page.locator("[data-undo]").click()
    expect(page.locator(".card-face.planned")).to_have_count(0)

    tap_out(page, [{"cmd": "choose", "slot2": first, "slot3": second}])
    assert client.get(f"/v1/games/{game}")["view"]["chosen"][0] is False
    expect(page.locator(".tray .told")).to_contain_text("You would put")
    play_it(page)
    expect(page.locator(".slot.lit")).to_have_count(3)  # the bot has chosen, too
    assert client.get(f"/v1/games/{game}")["view"]["slots"][0] == [None, first, second]


def test_a_turn_is_built_by_mouse_and_undone_step_by_step(pair: tuple[Client, Client], windows: Windows) -> None:
    client = pair[0]
    game = begun_by(pair)
    windows.expected = "status of 422"  # a tooltip may ask why a field is closed
    page = windows.open(client)
    page.goto(f"/#/games/{game}")
    laid = next(it for it in steps_open(client, game) if it["slot"] == 1 and it["do"] == "lay")
    field = page.locator(f"[data-field={laid['field']}]")

    page.locator("[data-slot='1']").click()
    expect(field).to_have_class(re.compile(r"\blit\b"))
    expect(page.locator(".field.lit")).to_have_count(sum(it["slot"] == 1 for it in steps_open(client, game)))
    field.click()
    expect(field.locator(".punkt")).to_be_visible()  # as it would be
    expect(page.locator(".tray .told")).to_contain_text(f"You would place a dot star on {laid['field']}")
    assert laid["field"] not in client.get(f"/v1/games/{game}")["view"]["board"]

    page.locator("[data-slot='2']").click()
    page.locator(".field:not(.lit)").first.click(force=True)  # it is disabled, and keeps the step that is begun
    expect(page.locator(".tray")).to_contain_text("isn't possible for this card.")
    expect(page.locator("[data-slot='2']")).to_have_attribute("aria-pressed", "true")
    page.locator("[data-undo]").click()
    page.locator("[data-undo]").click()
    expect(field.locator(".punkt")).to_be_hidden()
    expect(page.locator("[data-slot='1']")).to_have_attribute("aria-pressed", "true")
    page.locator("[data-undo]").click()
    expect(page.locator(".slot.lit")).to_have_count(3)


def hole_gains(client: Client, game: str) -> dict[int, dict[str, int]]:
    """Return by slot and space what each removal of the present turn scores."""
    had, turn = client.get(f"/v1/games/{game}")["view"]["points"][0], turn_of(client, game)
    gains: dict[int, dict[str, int]] = {}
    for step in steps_open(client, game):
        if step.get("do") == "remove":
            tried = {"turn": turn, "move": {"steps": [step]}}
            view = client.post(f"/v1/games/{game}/moves?dry_run=true", tried, status=200)["view"]
            gains.setdefault(step["slot"], {})[step["field"]] = view["points"][0] - had
    return gains


def ends_or_turns(client: Client, game: str) -> bool:
    """Wait for the client's turn. Return whether the game is over instead."""
    until(lambda: turn_of(client, game) is not None or client.get(f"/v1/games/{game}")["outcome"])
    return client.get(f"/v1/games/{game}")["outcome"] is not None


def scoring_hole(client: Client) -> tuple[str, int, dict[str, int]]:
    """Play until a black hole scores. Return the game, its slot, and what each removal scores."""
    while True:
        game = sternenglanz_of(client, ME, BOT, scenario=1)
        while not ends_or_turns(client, game):
            for slot, gains in hole_gains(client, game).items():
                if any(gains.values()):
                    return game, slot, gains
            by_program(client, game)


@pytest.mark.parametrize("size", [{}, PHONE], ids=["desk", "phone"])
def test_a_star_that_a_black_hole_can_remove_shows_its_points(
    house: House, windows: Windows, size: dict[str, object]
) -> None:
    client = quiet(sign_in(house, f"hole-{len(size)}@example.org"))
    game, slot, gains = scoring_hole(client)
    page = windows.open(client, **size)
    page.goto(f"/#/games/{game}")
    page.locator(f".slot[data-slot='{slot}']").click()
    for field, gain in gains.items():
        told = page.locator(f"[data-field='{field}'].lit")
        expect(told.locator(".bonus")).to_have_text([f"+{gain}"] if gain else [])
        if gain:
            expect(told).to_have_attribute("aria-label", re.compile(rf"\b{gain} points?\b"))


def test_a_whole_turn_is_sent_at_once(pair: tuple[Client, Client], windows: Windows) -> None:
    client, other = pair
    game = begun_by(pair)
    page = windows.open(client)
    page.goto(f"/#/games/{game}")
    steps = whole_turn(client, game)
    tap_out(page, steps)
    expect(page.locator(f".sternenglanz[data-begun='{len(steps)}']")).to_have_count(1)
    page.get_by_role("button", name="Start over").click()
    expect(page.locator(".sternenglanz[data-begun='0']")).to_have_count(1)
    tap_out(page, steps)
    play_it(page)
    until(lambda: turn_of(other, game) is not None)
    expect(page.get_by_text("Wait for your turn.")).to_be_visible()
    [laid] = [it for it in client.get(f"/v1/games/{game}/events")["items"] if it["type"] == "cards-laid"]
    assert laid["seat"] == 0


def whole_turn(client: Client, game: str) -> list[Json]:
    steps: list[Json] = []
    while not steps or steps[-1]["cmd"] != "lay":
        steps.append(steps_open(client, game, steps)[-1])
    return steps


def test_the_last_turn_of_a_game_is_previewed_before_it_is_played(
    pair: tuple[Client, Client], windows: Windows
) -> None:
    client, other = pair
    game = begun_by(pair, max_rounds=1)
    for step in whole_turn(client, game):
        play(client, game, step)
    page = windows.open(other)
    page.goto(f"/#/games/{game}")
    tap_out(page, whole_turn(other, game))
    expect(page.locator(".tray .told")).to_contain_text("That would end the game.")
    play_it(page)
    expect(page.locator(".result")).to_be_visible()
    expect(page.locator(".result .why")).to_contain_text("The last round is over.")
    expect(page.locator(".result h2")).to_be_focused()
    expect(page.locator(".tray")).to_have_count(0)
    expect(page.locator(".tableau")).to_have_count(2)


def test_a_finished_game_shows_its_special_spaces_without_their_points(
    pair: tuple[Client, Client], windows: Windows
) -> None:
    game = begun_by(pair, max_rounds=1)
    play_to_the_end(game, *pair)
    page = windows.open(pair[0])
    page.goto(f"/#/games/{game}")
    expect(page.locator(".ended .field.special .ring").first).to_be_visible()
    expect(page.locator(".firmament .bonus")).to_have_count(0)


def test_tab_reaches_the_firmament_before_what_others_have(pair: tuple[Client, Client], windows: Windows) -> None:
    page = windows.open(pair[0])
    page.goto(f"/#/games/{begun_by(pair)}")
    expect(page.locator(".step-list summary")).to_be_visible()
    follows = "(it, other) => !!(it.compareDocumentPosition(document.querySelector(other)) & Node.DOCUMENT_POSITION_FOLLOWING)"
    for one, other in ((".tray", ".firmament"), (".firmament", ".step-list"), (".firmament", ".tableaus")):
        assert page.locator(one).evaluate(follows, other), (one, other)


def test_a_turn_can_be_built_by_keyboard_alone(pair: tuple[Client, Client], windows: Windows) -> None:
    """A tap by key leads on to what comes next: the open fields, the slots, the button that plays it."""
    client = pair[0]
    game = begun_by(pair)
    page = windows.open(client)
    page.goto(f"/#/games/{game}")
    expect(page.locator(".slot.lit")).to_have_count(3)
    page.keyboard.press("Home")
    expect(page.locator("[data-slot='1']")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".field.lit:focus")).to_have_count(1)
    page.keyboard.press("Home")
    expect(page.locator(".own-hand :focus, .slots :focus")).to_have_count(1)
    page.keyboard.press("PageDown")
    here = page.evaluate("document.activeElement.dataset.field")
    assert is_at(page, ".field.lit")
    name = rf"^Firmament, space {here}: free, open, joined to [a-z]\d+(,? (and )?[a-z]\d+)*$"
    expect(page.locator(":focus")).to_have_attribute("aria-label", re.compile(name))
    page.keyboard.press("Escape")
    expect(page.locator(".field.lit")).to_have_count(0)
    tab_to(page, "[data-slot='1']")
    page.keyboard.press(" ")
    expect(page.locator(".field.lit:focus")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(".slot.lit:focus")).to_have_count(1)
    tab_to(page, ".send")
    page.keyboard.press("Enter")
    until(lambda: client.get(f"/v1/games/{game}")["view"]["log"]["performed"])
    expect(page.locator(".tray:focus, .tray :focus")).to_have_count(1)


def test_the_focus_stays_in_the_tray_once_a_turn_is_played(pair: tuple[Client, Client], windows: Windows) -> None:
    client, other = pair
    game = sternenglanz_of(client, ME, OPEN)
    other.post(f"/v1/games/{game}/seats", {})
    page = windows.open(client)
    page.goto(f"/#/games/{game}")
    tap_out(page, steps_open(client, game)[:1])
    play_it(page)
    expect(page.locator(".tray:focus")).to_have_count(1)
    play(other, game, steps_open(other, game)[0])
    tap_out(page, whole_turn(client, game))
    play_it(page)
    expect(page.locator(".tray:focus")).to_have_count(1)


def test_a_star_can_be_moved_by_finger_on_a_phone(pair: tuple[Client, Client], windows: Windows) -> None:
    client = pair[0]
    game = begun_by(pair)
    page = windows.open(client, **PHONE)
    page.goto(f"/#/games/{game}")
    expect(page.locator(".slot.lit")).to_have_count(3)
    steps = next_with(client, game, lambda it: it["do"] == "move") or [steps_open(client, game)[0]]
    tap_out(page, steps, press=Locator.tap)
    play_it(page, press=Locator.tap)
    until(lambda: client.get(f"/v1/games/{game}")["view"]["log"]["performed"])
    assert not too_wide(page)
    sizes = page.locator(".field .touch").evaluate_all("all => all.map(it => it.getBoundingClientRect().width)")
    assert min(sizes) >= 24  # WCAG 2.2, 2.5.8


def migrating(pair: tuple[Client, Client]) -> tuple[str, Json]:
    """A game and a step in which a star moves along several lines."""
    while True:
        game = sternenglanz_of(pair[0], ME, OPEN)
        pair[1].post(f"/v1/games/{game}/seats", {})
        for client in pair:
            play(client, game, steps_open(client, game)[-1])
        steps = [it for it in steps_open(pair[0], game) if it["do"] == "move"]
        near = {(it["slot"], it["path"][1]) for it in steps}
        far = [it for it in steps if len(it["path"]) > 2 and (it["slot"], it["path"][-1]) not in near]
        if far:
            return game, far[0]


@pytest.mark.parametrize("is_by_step", [False, True])
def test_a_star_moves_by_one_tap_on_where_it_can_get_to_or_by_a_tap_a_line(
    pair: tuple[Client, Client], windows: Windows, is_by_step: bool
) -> None:
    game, step = migrating(pair)
    page = windows.open(pair[0])
    page.goto(f"/#/games/{game}")
    path = step["path"]
    for tapped in (f"[data-slot='{step['slot']}']", f"[data-field={path[0]}]"):
        page.locator(tapped).click()
    expect(page.locator(f"[data-field={path[-1]}]")).to_have_class(re.compile(r"\bopen lit\b"))
    closed = page.locator(".field:not(.lit):not(.chosen)").first
    closed.click(force=True)
    expect(page.locator(".tray")).to_contain_text(
        f"The star can't get to {closed.get_attribute('data-field')} with this card."
    )
    for field in path[1:] if is_by_step else path[-1:]:
        page.locator(f"[data-field={field}]").click()
    expect(page.locator(".sternenglanz[data-begun='1']")).to_be_attached()
    play_it(page)
    until(lambda: path[-1] in pair[0].get(f"/v1/games/{game}")["view"]["board"])


def next_with(client: Client, game: str, holds: Callable[[Json], bool]) -> list[Json]:
    return [it for it in steps_open(client, game) if holds(it)][:1]


def test_another_players_secret_sternbild_never_reaches_the_page(pair: tuple[Client, Client], windows: Windows) -> None:
    client, other = pair
    game = begun_by(pair, scenario=4)
    secret = other.get(f"/v1/games/{game}")["view"]["sternbilder"]["own"][1]["sternbild"]
    own = client.get(f"/v1/games/{game}")["view"]["sternbilder"]["own"][0]["sternbild"]
    page = windows.open(client)
    heard: list[str] = []
    page.on(
        "response",
        lambda it: heard.append(it.text()) if f"/games/{game}" in it.url and "stream" not in it.url else None,
    )
    page.goto(f"/#/games/{game}")
    expect(page.locator(f"[data-bild='{own}']")).to_be_visible()
    expect(page.get_by_text("A secret constellation")).to_be_visible()
    tap_out(page, next_with(client, game, lambda it: it["do"] == "lay"))
    assert secret not in page.content()
    assert len(heard) >= 5
    assert [it for it in heard if secret in it] == []
    rules = client.get("/v1/rules/sternenglanz")["cards"]["sternbilder"]
    names = next(it["names"] for it in rules if it["id"] == secret)
    assert names["en"] not in page.locator("main").inner_text()


def test_steps_of_the_turn_are_taken_back_in_one_tap_until_something_was_shown(
    pair: tuple[Client, Client], windows: Windows
) -> None:
    client = pair[0]
    game = begun_by(pair)
    laid = next(it for it in steps_open(client, game) if it["slot"] == 1 and it["do"] == "lay")
    before = client.get(f"/v1/games/{game}")["view"]["board"]
    play(client, game, laid)
    page = windows.open(client)
    page.goto(f"/#/games/{game}")
    page.locator(".state").get_by_role("button", name="Take back").click()
    until(lambda: client.get(f"/v1/games/{game}")["view"]["board"] == before)
    expect(page.locator(".asks").get_by_role("status")).to_contain_text("Taken back: You placed")
    expect(page.locator(".slot.lit")).to_have_count(3)
    assert turn_of(client, game) is not None


def test_undone_moves_leave_no_news_on_the_table(house: House, windows: Windows) -> None:
    client = sign_in(house, "jana@example.org")
    game = sternenglanz_of(client, ME, BOT)
    play(client, game, steps_open(client, game)[0])
    until(lambda: turn_of(client, game) is not None)
    to = client.get(f"/v1/games/{game}")["version"]
    client.post(f"/v1/games/{game}/moves", {"turn": turn_of(client, game), "move": {"steps": whole_turn(client, game)}})
    until(lambda: turn_of(client, game) is not None)
    page = windows.open(client)
    page.goto(f"/#/games/{game}")
    expect(page.locator(".tray .moved")).not_to_be_empty()
    client.post(f"/v1/games/{game}/take-backs", {"to": to})
    expect(page.locator(".slot.lit")).to_have_count(3)
    for _ in ("at once", "after a reload"):
        expect(page.locator(".sternenglanz[data-begun='0'] .field")).not_to_have_count(0)
        expect(page.locator(".tray .round, .tray .moved, .field.fresh")).to_have_count(0)
        page.reload()


def test_the_slider_shows_earlier_firmaments(pair: tuple[Client, Client], windows: Windows) -> None:
    client = pair[0]
    game = begun_by(pair)
    laid = next(it for it in steps_open(client, game) if it["slot"] == 1 and it["do"] == "lay")
    play(client, game, laid)
    page = windows.open(client)
    page.goto(f"/#/games/{game}")
    expect(page.locator(".field .piece.punkt")).to_have_count(2)
    expect(page.locator("[data-slot='1'] .used")).to_be_visible()
    page.get_by_label("Back one move").click()
    expect(page.locator(".field .piece.punkt")).to_have_count(1)
    expect(page.locator(".slot.lit")).to_have_count(0)  # the past is for looking only
    expect(page.get_by_text("You're viewing an earlier move.")).to_be_visible()
    page.get_by_role("button", name="Back to now").click()
    expect(page.locator(".field .piece.punkt")).to_have_count(2)


def test_the_event_list_tells_what_each_card_did(pair: tuple[Client, Client], windows: Windows) -> None:
    client, other = pair
    game = begun_by(pair)
    laid = next(it for it in steps_open(client, game) if it["slot"] == 1 and it["do"] == "lay")
    play(client, game, laid)
    page = windows.open(other)
    page.goto(f"/#/games/{game}")
    own = windows.open(client)
    own.goto(f"/#/games/{game}")
    own.get_by_role("button", name="The whole game").click()
    expect(own.locator(".story")).to_contain_text(f"You placed a dot star on {laid['field']} (slot 1, Star birth")
    told = page.locator(".story")
    expect(told).to_contain_text(f"hugo placed a dot star on {laid['field']} (slot 1, Star birth, printed).")
    expect(page.locator(f"[data-field={laid['field']}].fresh")).to_be_visible()
    page.get_by_label("Language").select_option("de")
    expect(told).to_contain_text(
        f"hugo hat einen Punktstern auf {laid['field']} gelegt (Platz 1, Sterngeburt, aufgedruckt)."
    )


def test_every_step_can_also_be_chosen_from_a_list(pair: tuple[Client, Client], windows: Windows) -> None:
    client = pair[0]
    game = begun_by(pair)
    page = windows.open(client)
    page.goto(f"/#/games/{game}")
    page.get_by_text("steps as a list").click()
    expect(page.locator(".steps button")).to_have_count(len(steps_open(client, game)))
    page.locator(".steps button").first.click()
    expect(page.locator(".sternenglanz[data-begun='1']")).to_be_attached()


def test_the_first_view_of_sternenglanz_is_small(house: House, windows: Windows) -> None:
    pair = sign_in(house, "pia@example.org"), sign_in(house, "rosa@example.org")
    client, game = pair[0], begun_by(pair)
    page = windows.open(client)
    assert 10 * 1024 < first_view(page, f"/#/games/{game}") < FIRST_VIEW
    expect(page.locator(".slot.lit")).to_have_count(3)


def test_steps_for_a_turn_played_elsewhere_are_discarded(pair: tuple[Client, Client], windows: Windows) -> None:
    client = pair[0]
    game = begun_by(pair)
    page = windows.open(client)
    page.goto(f"/#/games/{game}")
    laid = next(it for it in steps_open(client, game) if it["slot"] == 1)
    expect(page.locator(".news.live")).to_be_visible()
    tap_out(page, [laid])
    play(client, game, laid)
    expect(page.locator("[data-begun='0']")).to_be_attached()
    expect(page.locator("[data-slot='1'] .used")).to_be_visible()
    expect(page.locator(".slot.lit")).to_have_count(2)


def test_a_step_is_resent_until_its_response_arrives(pair: tuple[Client, Client], windows: Windows) -> None:
    client = pair[0]
    game = begun_by(pair)
    page = windows.open(client)
    windows.expected = "ERR_FAILED"
    tries = loses(page, "**/moves")
    page.goto(f"/#/games/{game}")
    tap_out(page, [next(it for it in steps_open(client, game) if it["slot"] == 1)])
    play_it(page)
    tries.arrive_again(page)
    assert [it["type"] for it in client.get(f"/v1/games/{game}/events")["items"]].count("star-laid") == 1
