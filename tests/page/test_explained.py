"""The table explains itself by pointer, touch and keyboard. It animates, zooms and stores chosen moves."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.page.programs import play, whole_turn
from tests.page.sternenglanz_taps import play_it, tap_out
from tests.page.windows import BOT, ME, OPEN, PHONE, Windows, game_of, quiet
from tests.support.live_server import Client, House, Json, sign_in, until


def at_table(page: Page, game_id: str) -> Page:
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(".news.live")).to_have_count(1)
    expect(page.locator("[data-explained]")).to_be_attached()  # tooltips have loaded
    return page


def hold(page: Page, selector: str) -> str:
    """Return what a finger reads that holds longer than a tap takes, until it is lifted."""
    box = page.locator(selector).first.bounding_box()
    assert box
    at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    line = page.context.new_cdp_session(page)
    line.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at]})
    expect(page.get_by_role("tooltip")).to_be_visible()
    words = page.get_by_role("tooltip").inner_text()
    line.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(page.get_by_role("tooltip")).to_have_count(0)
    return words


def middle_of_turn(house: House, name: str) -> tuple[Client, str]:
    """A turn of Sternenglanz."""
    client, other = (quiet(sign_in(house, f"{it}@example.org")) for it in (name, f"{name}-two"))
    game_id = game_of(client, ME, OPEN, rules="sternenglanz", options={"start_seat": 0})
    other.post(f"/v1/games/{game_id}/seats", {})
    play(client, game_id)
    play(other, game_id)
    return client, game_id


def test_the_players_own_choice_and_a_taken_space_are_explained(house: House, windows: Windows) -> None:
    client = quiet(sign_in(house, "vito@example.org"))
    page = at_table(windows.open(client), game_of(client, ME, BOT, BOT))
    page.locator(".hand .star.open").first.click()
    page.locator(".space.lit").first.click()
    expect(page.locator(".told")).to_contain_text("You would put")
    page.mouse.move(2, 2)
    page.locator(".space.chosen").hover()
    expect(page.get_by_role("tooltip")).to_contain_text("You would put")
    page.get_by_role("button", name="Play it").click()
    expect(page.locator(".hand .star.open")).to_have_count(8)  # the next turn
    page.locator(".space:not(.open)").first.press("Enter")
    expect(page.locator(".ask")).to_contain_text("That space is taken.")
    page.locator(".hand .star.open").first.click()
    expect(page.locator(".ask")).not_to_contain_text("taken")


def test_tooltips_explain_a_sky_by_pointer_and_keyboard(house: House, windows: Windows) -> None:
    client = quiet(sign_in(house, "ada@example.org"))
    page = at_table(windows.open(client), game_of(client, ME, BOT, BOT))
    tip = page.get_by_role("tooltip")
    page.locator(".prizes").first.hover()
    expect(tip).to_contain_text(re.compile(r"wins \d+ coins, the next \d+.* The winner pays these coins"))
    page.locator(".hand [data-star=B]").hover()
    expect(tip).to_contain_text("swallows every star next to it")
    page.mouse.move(2, 2)
    expect(tip).to_have_count(0)
    page.locator(".board").first.locator(".space[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    expect(tip).to_contain_text(re.compile("your star lies face"))
    page.keyboard.press("Escape")
    expect(tip).to_have_count(0)


def test_a_space_under_the_pointer_looks_like_the_others_before_a_star_is_chosen(
    house: House, windows: Windows
) -> None:
    client = quiet(sign_in(house, "ria@example.org"))
    page = at_table(windows.open(client), game_of(client, ME, BOT, BOT, options={"start_seat": 0}))
    space = page.locator(".space.open").first
    space.hover()
    expect(page.get_by_role("tooltip")).to_be_visible()
    expect(space.locator(".halo")).to_have_css("stroke", "none")


def test_a_long_press_shows_the_explanation_and_chooses_nothing(house: House, windows: Windows) -> None:
    client = quiet(sign_in(house, "ben@example.org"))
    page = at_table(windows.open(client, **PHONE), game_of(client, ME, BOT, BOT))
    for star in ("D", "B"):  # the first has no other to take the focus from
        assert re.search("doubles each number|swallows every star", hold(page, f".hand [data-star={star}]"))
        expect(page.locator(".hand [aria-pressed=true]")).to_have_count(0)


def test_a_disabled_field_explains_why_in_the_servers_words(house: House, windows: Windows) -> None:
    client, game_id = middle_of_turn(house, "cleo")
    page = at_table(windows.open(client), game_id)
    windows.expected = "status of 422"  # the question itself
    page.locator("button[data-slot='1']").click()
    page.locator("[data-field=f9]").click(force=True)  # closed, and asked all the same
    expect(page.get_by_role("tooltip")).to_contain_text(re.compile(r"space f9: free.*\. \w"))
    page.keyboard.press("Escape")  # the hand gives way to the actions of a chosen slot
    page.locator(".own-hand button").first.hover()
    expect(page.get_by_role("tooltip")).to_contain_text(re.compile("Star (birth|migration).*:|Black hole.*:"))


def test_a_field_that_was_just_chosen_does_not_show_a_reason(house: House, windows: Windows) -> None:
    client, game_id = middle_of_turn(house, "oda")
    page = at_table(windows.open(client), game_id)
    open_now = (it["steps"][0] for it in client.get(f"/v1/games/{game_id}/legal-moves")["moves"])
    step = next(it for it in open_now if it.get("do") == "lay")
    asked: list[Route] = []
    page.route("**/moves?dry_run=true", lambda it: asked.append(it))  # and leaves it unanswered
    for tapped in (f"[data-slot='{step['slot']}']", f"[data-action={step['class']}]", f"[data-field={step['field']}]"):
        page.locator(f".sternenglanz {tapped}").press("Enter")
    expect(page.get_by_role("tooltip")).to_contain_text(f"space {step['field']}")
    assert len(asked) == 1
    page.unroute_all()


def test_a_player_is_guided_through_three_taps_in_the_first_three_turns(house: House, windows: Windows) -> None:
    client = quiet(sign_in(house, "dora@example.org"))
    game_id = game_of(client, ME, BOT, BOT)
    page = at_table(windows.open(client), game_id)
    guide = page.locator(".guide")
    guide.get_by_role("button", name="Rules in three minutes").click()
    expect(page.locator("dialog [data-section]").first).to_be_visible()
    page.keyboard.press("Escape")
    for moves in (4, 7, 10):
        expect(guide).to_contain_text("Step 1 of 3.")
        expect(guide.get_by_role("button", name="Rules in three minutes")).to_have_count(int(moves == 4))
        page.locator(".hand .star.open").first.click()
        expect(guide).to_contain_text("Step 2 of 3. Now choose a highlighted space. Large spaces hide your star")
        page.locator(".space.large.lit").first.click()
        expect(guide).to_contain_text("Step 3 of 3.")
        page.get_by_role("button", name="Play it").click()
        expect(page.locator(".history .faint")).to_have_text(f"move {moves} of {moves}")
    expect(guide).to_have_count(0)
    page.reload()
    expect(page.locator(".ask")).to_have_text("Place one of your stars on a space.")
    expect(page.locator(".moved")).to_contain_text(" put ")
    expect(guide).to_have_count(0)
    page.locator(".hand .star.open").first.click()
    page.locator(".space.large.lit").first.click()
    expect(page.locator(".told")).to_contain_text("Only you would see this star")


def test_the_sternenglanz_guide_stays_until_the_player_hides_it(house: House, windows: Windows) -> None:
    client = quiet(sign_in(house, "nora@example.org"))
    game_id = game_of(client, ME, BOT, rules="sternenglanz", options={"start_seat": 0})
    page = at_table(windows.open(client), game_id)
    for begins in ("Step 1 of 3. Choose a card for slot 2", "Choose a slot"):  # the first cards, then the first turn
        expect(page.locator(".guide")).to_contain_text(begins)
        path = f"/v1/games/{game_id}/legal-moves"
        tap_out(page, [client.get(path)["moves"][0]["steps"][0]])
        play_it(page)
        expect(page.locator(".sternenglanz[data-begun='0'] .lit").first).to_be_attached()
    page.get_by_role("button", name="Hide the guide").click()
    expect(page.locator(".guide")).to_have_count(0)
    page.reload()
    expect(page.locator(".sternenglanz[data-begun='0'] .lit").first).to_be_attached()
    expect(page.locator(".guide")).to_have_count(0)


def test_a_sternenglanz_turn_that_was_not_played_does_not_count_for_the_guide(house: House, windows: Windows) -> None:
    client, game_id = middle_of_turn(house, "olga")
    windows.expected = "status of 422"
    page = at_table(windows.open(client), game_id)
    steps = whole_turn(client, game_id)
    assert steps[-1]["cmd"] == "lay"  # the turn is over
    tap_out(page, steps)
    problem = {"title": "Illegal move", "status": 422, "detail": "Not now.", "code": "illegal-move"}
    page.route(re.compile("/moves$"), lambda route: route.fulfill(status=422, json=problem))
    for _ in range(3):
        with page.expect_response(re.compile("/moves$")):
            play_it(page)
        expect(page.locator(".tray")).to_contain_text("Not now.")
        expect(page.locator(".send")).to_be_enabled()
    expect(page.locator(".guide")).to_contain_text("Press “Play it” to confirm.")


def test_the_sternenglanz_guide_leads_through_each_part_of_a_turn(house: House, windows: Windows) -> None:
    client, game_id = middle_of_turn(house, "ulla")
    page = at_table(windows.open(client), game_id)
    guide = page.locator(".guide")
    expect(guide).to_contain_text("Choose a slot")
    turn = page.locator(".phase").inner_text()
    page.locator("[data-slot='1']").click()
    expect(guide).to_contain_text("Now choose a highlighted space.")
    path = f"/v1/games/{game_id}/legal-moves"
    [first] = next(it["steps"] for it in client.get(path)["moves"] if it["steps"][0]["slot"] == 1)
    tap_out(page, [first])
    expect(guide).to_contain_text(
        "Choose the next slot. “Play these steps now” plays the steps so far. Your turn then goes on."
    )
    before = page.locator(".own .slots").bounding_box()
    page.locator("[data-undo]").click()
    assert page.locator(".own .slots").bounding_box() == before
    page.get_by_role("button", name="Start over").click()
    further = client.post(path, {"begun": [{"steps": [first]}]}, status=200)["moves"]
    [second] = next(it["steps"] for it in further if it["steps"][0]["slot"] == 2)
    tap_out(page, [first, second])
    expect(guide).to_contain_text("Use slot 3 as well, or press “Stop after slots 1 and 2”.")
    page.locator("[data-action=finish]").click()
    expect(guide).to_contain_text("Your cards have moved along.")
    page.locator(".held.lit").first.click()
    expect(guide).to_contain_text("Cover slot 1 with a card, or keep the printed one.")
    page.locator("[data-action=bare]").click()
    expect(guide).to_contain_text("Press “Play it” to confirm.")
    expect(page.locator(".phase")).to_have_text(turn)  # not of the next turn


# Motion and touch


@pytest.mark.parametrize("manners", [{"reduced_motion": "no-preference"}, {}], ids=["animated", "still"])
def test_stars_fly_to_their_place_unless_motion_is_reduced(manners: Json, house: House, windows: Windows) -> None:
    client = quiet(sign_in(house, f"emil-{len(manners)}@example.org"))
    page = windows.open(client, **manners)
    page.add_init_script("""window.flown = 0; const animate = Element.prototype.animate;
      Element.prototype.animate = function (...it) { window.flown += 1; return animate.apply(this, it); };""")
    at_table(page, game_of(client, ME, BOT, BOT))
    page.wait_for_function("() => performance.getEntriesByType('resource').some((it) => it.name.includes('/arrivals'))")
    page.locator(".hand .star.open").first.click()
    page.locator(".space.lit").first.click()
    page.get_by_role("button", name="Play it").click()
    expect(page.locator(".history .faint")).to_have_text("move 4 of 4")
    if manners:
        page.wait_for_function("() => window.flown >= 3")
    else:
        page.evaluate(
            "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn))))"
        )
        assert page.evaluate("window.flown") == 0


def test_pinching_enlarges_a_firmament_and_a_double_tap_resets_it(house: House, windows: Windows) -> None:
    client, game_id = middle_of_turn(house, "fay")
    page = at_table(windows.open(client, **PHONE), game_id)
    wide = "document.querySelector('.firmament svg').getBoundingClientRect().width"
    before = page.evaluate(wide)
    line = page.context.new_cdp_session(page)
    for kind, apart in (("touchStart", 60), ("touchMove", 90), ("touchMove", 150), ("touchEnd", 0)):
        points = [{"x": 180 - apart / 2, "y": 300}, {"x": 180 + apart / 2, "y": 300}] if apart else []
        line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    page.wait_for_function(f"() => {wide} > 2 * {before}")
    page.locator(".firmament .frame").dispatch_event("dblclick", {"clientX": 180, "clientY": 300})
    page.wait_for_function(f"() => {wide} < 1.1 * {before}")


def test_a_move_chosen_offline_is_stored_and_sent_once(house: House, windows: Windows) -> None:
    client = quiet(sign_in(house, "gil@example.org"))
    game_id = game_of(client, ME, BOT, BOT)
    page = at_table(windows.open(client), game_id)
    windows.expected = "ERR_INTERNET_DISCONNECTED|ERR_FAILED"
    page.context.set_offline(True)
    page.locator(".hand .star.open").first.click()
    page.locator(".space.lit").first.click()
    expect(page.locator(".space.chosen .lying")).to_have_count(1)
    expect(page.locator(".news.live")).to_have_count(0)
    page.get_by_role("button", name="Play it").click()
    expect(page.get_by_text("It counts only once")).to_be_visible()
    page.context.set_offline(False)
    story = f"/v1/games/{game_id}/events"
    until(lambda: any(it["type"] == "star-placed" and it["seat"] == 0 for it in client.get(story)["items"]))
    expect(page.locator(".history .faint")).to_have_text("move 4 of 4")
    assert len([it for it in client.get(story)["items"] if it["type"] == "star-placed" and it["seat"] == 0]) == 1


def test_a_step_chosen_offline_is_stored_previewed_later_and_sent_once(house: House, windows: Windows) -> None:
    client, game_id = middle_of_turn(house, "mia")
    path = f"/v1/games/{game_id}"
    before = client.get(path)["version"]
    steps = [it["steps"] for it in client.get(f"{path}/legal-moves")["moves"]]
    step = next(it for [it, *more] in steps if it["cmd"] == "act" and it["do"] != "lapse")
    page = at_table(windows.open(client), game_id)
    windows.expected = "ERR_INTERNET_DISCONNECTED|ERR_FAILED"
    page.context.set_offline(True)
    tap_out(page, [step])
    expect(page.locator(".tray")).to_contain_text("Your choice is saved")
    page.context.set_offline(False)
    expect(page.locator(".told")).to_be_visible()
    page.get_by_role("button", name="Start over").click()
    page.context.set_offline(True)
    tap_out(page, [step])
    play_it(page)
    expect(page.get_by_text("It counts only once")).to_be_visible()
    page.context.set_offline(False)
    expect(page.locator(".history input")).to_have_value(str(before + 1))
    assert client.get(path)["version"] == before + 1


def test_a_confirmed_move_without_a_response_survives_a_reload(house: House, windows: Windows) -> None:
    client = quiet(sign_in(house, "hal@example.org"))
    game_id = game_of(client, ME, BOT, BOT)
    page = at_table(windows.open(client), game_id)
    windows.expected = "ERR_FAILED"
    page.route(re.compile("/moves$"), lambda it: it.abort())
    page.locator(".hand .star.open").first.click()
    page.locator(".space.lit").first.click()
    page.get_by_role("button", name="Play it").click()
    expect(page.get_by_text("It counts only once")).to_be_visible()
    page.unroute(re.compile("/moves$"))
    page.reload()
    expect(page.locator(".history .faint")).to_have_text("move 4 of 4")


def test_sounds_are_off_by_default(house: House, windows: Windows) -> None:
    client = quiet(sign_in(house, "ida@example.org"))
    page = windows.open(client)
    page.add_init_script("""window.tones = 0; const start = OscillatorNode.prototype.start;
      OscillatorNode.prototype.start = function (...it) { window.tones += 1; return start.apply(this, it); };""")
    at_table(page, game_of(client, ME, BOT, BOT))
    page.locator(".hand .star.open").first.click()
    page.locator(".space.lit").first.click()
    page.get_by_role("button", name="Play it").click()
    expect(page.locator(".history .faint")).to_have_text("move 4 of 4")
    assert page.evaluate("window.tones") == 0
    page.get_by_label("Sounds").check()
    page.wait_for_function("() => window.tones > 0")
