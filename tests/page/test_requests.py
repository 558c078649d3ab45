"""Requests at the top of a table: taking back a move, and agreeing to what other players ask for."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.page.axe import objections
from tests.page.layout import SIZES, out_of_reach
from tests.page.programs import play, wish
from tests.page.sternenglanz_taps import tap_out
from tests.page.windows import BOT, ME, OPEN, OWN_CODE, PHONE, Windows, game_of, quiet, too_wide
from tests.support.live_server import Client, House, sign_in, until


def seated(house: House, *names: str, rules: str = "sternenhimmel") -> tuple[str, list[Client]]:
    """Return a game of these people, with a bot if its game wants three, and their clients. The first is asked."""
    clients = [quiet(sign_in(house, f"{name}@example.org")) for name in names]
    bots = [BOT] if rules == "sternenhimmel" else []
    game_id = game_of(clients[0], ME, *[OPEN] * (len(names) - 1), *bots, rules=rules)
    for client in clients[1:]:
        client.post(f"/v1/games/{game_id}/seats", {})
    return game_id, clients


def at_table(page: Page, game_id: str) -> Page:
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(".news.live")).to_have_count(1)
    return page


def at_table_over(page: Page, game_id: str) -> Page:
    page.goto(f"/#/games/{game_id}")
    expect(page.locator("#result")).to_be_visible()
    expect(page.locator(".firmament [data-at=f1]")).to_be_visible()
    return page


IS_CUT = "it => it.scrollWidth > it.clientWidth || it.scrollHeight > it.clientHeight"
LINE = {"phone": 68, "desk": 48}  # pixels, as --state in table.css
ON_ONE_LINE = """all => all.map((it) => it.querySelector(".mark").getBoundingClientRect().right
  <= it.querySelector("b").getBoundingClientRect().left && it.lastElementChild.getBoundingClientRect().right
  <= it.getBoundingClientRect().right + 1)"""
NAMES = ["Pauline Langenscheidt", "Christoph Sonnenschein", "Dorothea", "Emil", "Friederike Blau"]


@pytest.mark.parametrize("count", [2, 3, 5])
@pytest.mark.parametrize("size", ["phone", "desk"])
def test_an_undo_takes_no_room_from_the_names_and_says_what_it_does_and_did(
    house: House, windows: Windows, size: str, count: int
) -> None:
    rules = "sternenglanz" if count == 2 else "sternenhimmel"
    people = [quiet(sign_in(house, f"free{count}-{nth}-{size}@example.org")) for nth in range(count)]
    for client, name in zip(people, NAMES, strict=False):
        client.ask("PATCH", "/v1/me", json={"name": name, "locale": "de"})  # its words are the longest
    game_id = game_of(people[0], ME, *[OPEN] * (count - 1), rules=rules)
    for client in people[1:]:
        client.post(f"/v1/games/{game_id}/seats", {})
    page = at_table(windows.open(people[0], **SIZES[size], locale="de"), game_id)
    undo, scores = page.get_by_role("button", name="Zurücknehmen", exact=True), page.locator(".state .scores button")
    expect(undo).to_have_count(0)
    widths = "all => all.map(it => Math.round(it.querySelector('.who').getBoundingClientRect().width))"
    before = scores.evaluate_all(widths)
    if count == 5 and size == "desk":
        left = scores.evaluate_all("all => all.map(it => Math.round(it.getBoundingClientRect().left))")
        assert left[:2] == left[3:]  # two lines with equal columns
    play(people[0], game_id)
    expect(undo).to_be_in_viewport(ratio=1)
    if count < 4:  # with more, a phone shows only the names of players to move
        assert scores.evaluate_all(widths) == before
    assert all(scores.evaluate_all(ON_ONE_LINE))
    assert page.locator(".state").evaluate("it => it.offsetHeight") <= LINE[size]
    assert not too_wide(page) and objections(page) == []
    undo.click()
    really, sky = page.locator(".really"), page.locator(".boards, .firmament").bounding_box()
    told = page.locator(".asks").get_by_role("status")
    expect(really).to_contain_text("Seitdem hat niemand gezogen.")
    really.get_by_role("button").first.click()
    until(lambda: people[0].get(f"/v1/games/{game_id}")["you"]["turn"])
    expect(told).to_contain_text("Du bist wieder am Zug.")
    expect(line(page)).to_have_text("Zurückgenommen")
    page.keyboard.press("Escape")
    assert out_of_reach(page) == []
    assert page.locator(".boards, .firmament").bounding_box() == sky
    assert not too_wide(page) and objections(page) == []
    expect(undo).to_have_count(0)
    play(people[0], game_id)
    expect(told).to_have_count(0)
    people[1].post(f"/v1/games/{game_id}/votes", {"on": "pause"}, status=200)
    expect(line(page).locator("span").last).to_have_text(": Pause?")
    assert not line(page).locator("span").last.evaluate(IS_CUT)


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_an_undo_of_more_than_a_move_shows_what_it_undoes_and_moves_nothing(
    house: House, windows: Windows, size: str
) -> None:
    one = quiet(sign_in(house, f"eva-{size}@example.org"))
    game_id = game_of(one, ME, BOT, BOT, options={"start_seat": 0})
    play(one, game_id)
    until(lambda: one.get(f"/v1/games/{game_id}")["you"]["turn"])
    one.ask("PATCH", "/v1/me", json={"locale": "de"})
    page = at_table(windows.open(one, **SIZES[size], locale="de"), game_id)
    undo = page.locator(".state .undo > button")
    expect(undo).to_be_in_viewport(ratio=1)
    assert page.locator(".state").evaluate("it => it.offsetHeight") <= LINE[size]
    sky = page.locator(".boards").bounding_box()
    undo.click()
    expect(page.locator(".really strong")).to_have_text("Zug zurücknehmen?")
    expect(page.locator(".really")).to_contain_text(re.compile(r"Zurückgenommen würde: Du hast .* gelegt\."))
    assert not too_wide(page) and not page.locator(".really").evaluate(IS_CUT)
    assert page.locator(".boards").bounding_box() == sky
    assert objections(page) == []
    page.keyboard.press("Escape")
    expect(page.locator(".really")).to_have_count(0)
    expect(undo).to_be_focused()


def test_a_request_to_undo_is_shown_at_the_top_and_withdrawn_there(house: House, windows: Windows) -> None:
    game_id, clients = seated(house, "ada-requests", "ben-requests", "cleo-requests")
    one = next(it for it in clients if play(it, game_id))
    assert any(play(it, game_id) for it in clients if it is not one)  # the third player is to move
    page = at_table(windows.open(one, **PHONE), game_id)
    one.post(f"/v1/games/{game_id}/take-backs", {"to": one.get(f"/v1/games/{game_id}/take-backs")["to"]}, status=202)
    asked = request(page, "You asked to take back your move.")
    expect(asked).to_be_in_viewport(ratio=1)
    assert not too_wide(page)
    asked.get_by_role("button", name="Withdraw").click()
    expect(asked).to_have_count(0)
    assert one.get(f"/v1/games/{game_id}/votes")["take-back"] is None


def test_all_players_see_what_was_undone_once_a_request_is_granted(house: House, windows: Windows) -> None:
    game_id, clients = seated(house, "ann-granted", "bob-granted", "cat-granted")
    one = next(it for it in clients if play(it, game_id))
    others = [it for it in clients if it is not one]
    assert any(play(it, game_id) for it in others)
    page = at_table(windows.open(one, **PHONE), game_id)
    one.post(f"/v1/games/{game_id}/take-backs", {"to": one.get(f"/v1/games/{game_id}/take-backs")["to"]}, status=202)
    expect(line(page)).to_have_text("Asked: take back?")
    pages = [page, *(at_table(windows.open(it, **PHONE), game_id) for it in others)]
    what = re.compile(r"everyone agrees, it's ann-granted's turn again, and this is taken back: ann-granted put ")
    for other in pages[1:]:
        expect(request(other, "ann-granted asks to take back a move.")).to_contain_text(what)
    for client in others:
        client.post(f"/v1/games/{game_id}/votes", {"on": "take-back", "vote": True}, status=200)
    for page, mover in zip(pages, ("You", "ann-granted", "ann-granted"), strict=True):
        expect(line(page)).to_have_text("Taken back")
        told = re.compile(rf"^Taken back: {mover} .+ Everyone has agreed\.$")
        expect(line(page)).to_have_attribute("title", told)
        page.keyboard.press("Escape")
        assert out_of_reach(page) == [] and not too_wide(page)
    play(one, game_id)
    for page in pages:
        expect(line(page)).to_have_count(0)


def test_the_others_see_at_the_top_that_a_move_was_taken_back_at_once(house: House, windows: Windows) -> None:
    game_id, clients = seated(house, "ann-at-once", "bob-at-once", "cat-at-once")
    one = next(it for it in clients if play(it, game_id))
    other = next(it for it in clients if it is not one)
    page = at_table(windows.open(other, **PHONE), game_id)
    one.post(f"/v1/games/{game_id}/take-backs", {"to": one.get(f"/v1/games/{game_id}/take-backs")["to"]})
    expect(line(page)).to_have_text("Taken back")
    expect(line(page)).to_have_attribute("title", "ann-at-once took a move back.")


def test_against_bots_only_a_move_is_undone_at_once_even_after_they_have_moved(house: House, windows: Windows) -> None:
    ada = quiet(sign_in(house, "ada-alone@example.org"))
    game_id = game_of(ada, ME, BOT, BOT, options={"start_seat": 0})
    play(ada, game_id)
    until(lambda: ada.get(f"/v1/games/{game_id}")["you"]["turn"])
    page = at_table(windows.open(ada), game_id)
    page.locator(".state").get_by_role("button", name="Take back").click()
    expect(page.get_by_text("You're playing only with bots, so the move will be taken back at once.")).to_be_visible()
    page.locator(".really").get_by_role("button", name="Take back").click()
    until(lambda: ada.get(f"/v1/games/{game_id}/events")["items"][-1]["type"] == "move-taken-back")
    expect(page.locator(".asks").get_by_role("status")).to_contain_text("Taken back: ")
    page.keyboard.press("Escape")
    assert out_of_reach(page) == []


def line(page: Page) -> Locator:
    """Return the bar with a request in a few words. Its tooltip has the whole text."""
    return page.locator(".playing .brief")


def request(page: Page, words: str) -> Locator:
    """Open the requests, wait for these words, and return the request that has them."""
    expect(line(page)).to_have_attribute("title", re.compile(rf"^{re.escape(words)}"))
    open_line(page)
    return page.locator(".playing .request").filter(has_text=words)


def open_line(page: Page) -> None:
    if line(page).get_attribute("aria-expanded") == "false":
        line(page).click()


@pytest.mark.parametrize(
    ("rules", "wish", "words"),
    [
        ("sternenhimmel", "pause", "ben-{} asks for a pause."),
        ("sternenglanz", "abandon", "ben-{} asks to abandon the game."),
    ],
)
def test_players_can_vote_at_the_top_of_the_table(
    house: House, windows: Windows, rules: str, wish: str, words: str
) -> None:
    game_id, (one, other) = seated(house, f"ada-{rules}", f"ben-{rules}", rules=rules)
    vote = f"/v1/games/{game_id}/votes"
    results = {"pause": "is paused: no deadlines until", "abandon": "ends at once and no player wins."}
    other.post(vote, {"on": wish}, status=200)
    page, asking = (at_table(windows.open(client, **PHONE), game_id) for client in (one, other))
    asked = request(page, words.format(rules))
    expect(asked).to_be_in_viewport(ratio=1)
    assert objections(page) == [] and not too_wide(page)
    expect(asked).to_contain_text(f"If you agree, the game {results[wish]}")
    expect(asked).to_contain_text("If you don't answer, nothing changes.")
    asked.get_by_role("button", name="Not now").click()
    expect(line(page)).to_have_text("You declined.")
    assert not line(page).locator("span").last.evaluate(IS_CUT)
    expect(line(page)).to_have_attribute("title", words.format(rules) + " You declined for now.")
    mine = {"pause": "You asked for a pause.", "abandon": "You asked to abandon the game."}[wish]
    refused = request(asking, f"{mine} ada-{rules}: not now.")
    expect(refused).to_be_in_viewport(ratio=1)
    assert objections(asking) == [] and not too_wide(asking)
    page.reload()
    expect(line(page)).to_have_text("You declined.")
    refused.get_by_role("button", name="Withdraw").click()
    expect(refused).to_have_count(0)
    other.post(vote, {"on": wish}, status=200)  # a new request is a new question, which the stream tells
    request(page, words.format(rules)).get_by_role("button", name="Agree").dblclick()
    if wish == "abandon":  # ends the game, so it asks first, and a second tap does nothing
        expect(page.locator(".request")).to_contain_text("Really end the game?")
        assert objections(page) == [] and not too_wide(page)
        page.get_by_role("button", name="Yes, end the game").click()
    until(lambda: one.get(f"/v1/games/{game_id}")["status"] == {"pause": "paused", "abandon": "abandoned"}[wish])


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_an_answer_is_confirmed_where_it_was_given_until_the_player_taps_elsewhere(
    house: House, windows: Windows, size: str
) -> None:
    game_id, (one, other, _) = seated(house, *(f"{it}-place-{size}" for it in ("ada", "ben", "cleo")))
    vote = f"/v1/games/{game_id}/votes"
    other.post(vote, {"on": "pause"}, status=200)
    page = at_table(windows.open(one, **SIZES[size]), game_id)
    asked, panel = request(page, f"ben-place-{size} asks for a pause."), page.locator(".asks > .whole")
    place = asked.bounding_box()
    asked.get_by_role("button", name="Not now").dblclick()
    expect(panel).to_contain_text("asks for a pause. You declined for now. Still to answer: ")
    box = panel.locator(".request").bounding_box()
    assert place and box and (box["x"], box["y"]) == (place["x"], place["y"])
    assert objections(page) == [] and not too_wide(page)
    panel.get_by_role("button", name="Agree after all").dblclick()
    expect(panel).to_contain_text(f"You agreed to a pause. Still to answer: cleo-place-{size}.")
    assert one.get(vote)["pause"] == [1, 0]
    panel.get_by_role("button", name="Withdraw").dblclick()
    expect(panel).to_contain_text("You withdrew your consent.")
    assert one.get(vote)["pause"] == [1] and objections(page) == []
    other.post(vote, {"on": "pause", "vote": False}, status=200)
    one.post(vote, {"on": "offer"}, status=200)
    request(page, "You asked to offer").get_by_role("button", name="Withdraw").click()
    expect(panel).to_have_text("You withdrew your request.")
    expect(line(page)).to_have_text("Withdrawn")
    page.locator(".boards").click(position={"x": 5, "y": 300})
    expect(panel).to_have_count(0)


@pytest.mark.parametrize("rules", ["sternenhimmel", "sternenglanz"])
@pytest.mark.parametrize("size", ["phone", "desk"])
def test_a_move_that_was_taken_back_is_named_where_the_player_tapped(
    house: House, windows: Windows, rules: str, size: str
) -> None:
    ada = quiet(sign_in(house, f"back-{rules}-{size}@example.org"))
    ada.ask("PATCH", "/v1/me", json={"name": "Ada"})
    game_id = game_of(ada, ME, *[BOT] * (2 if rules == "sternenhimmel" else 1), rules=rules, options={"start_seat": 0})
    while play(ada, game_id):
        if rules == "sternenhimmel":
            break
    until(lambda: ada.get(f"/v1/games/{game_id}")["you"]["turn"])
    page = at_table(windows.open(ada, **SIZES[size]), game_id)
    sky = page.locator(".boards, .firmament").bounding_box()
    page.locator(".state .undo > button").click()
    page.locator(".really").get_by_role("button", name="Take back").click()
    told = page.locator(".asks > .whole")
    expect(told).to_have_text(re.compile(r"^Taken back: .*\bYou\b.+\."))
    expect(told).to_be_in_viewport(ratio=1)
    expect(page.locator(".really")).to_have_count(0)
    assert page.locator(".boards, .firmament").bounding_box() == sky
    assert objections(page) == [] and not too_wide(page)
    page.keyboard.press("Escape")
    expect(told).to_have_count(0)


LOSE_CHANGED = """
const ask = window.fetch;
window.fetch = async (path, options) => {
  const answer = await ask(path, options);
  if (!String(path).includes("/stream")) return answer;
  const lose = new TransformStream({ transform: (it, to) => to.enqueue(it.replaceAll("event: changed\\ndata: {}\\n\\n", "")) });
  return new Response(answer.body.pipeThrough(new TextDecoderStream()).pipeThrough(lose).pipeThrough(new TextEncoderStream()), answer);
};"""


def test_a_vote_is_shown_at_once_if_a_message_comes_with_it(house: House, windows: Windows) -> None:
    """The server then sends only the message."""
    game_id, (one, other) = seated(house, "hal", "ira")
    page = at_table(windows.open(one, script=OWN_CODE + ";" + LOSE_CHANGED), game_id)
    expect(page.get_by_text("Options, pause, leave")).to_be_visible()
    page.wait_for_timeout(1000)  # so that the first load is over
    other.post(f"/v1/games/{game_id}/votes", {"on": "pause"}, status=200)
    other.post(f"/v1/games/{game_id}/messages", {"text": "A pause?"})
    expect(request(page, "ira asks for a pause.")).to_be_visible(timeout=5_000)


def test_a_paused_game_is_resumed_at_the_top_of_the_table(house: House, windows: Windows) -> None:
    game_id, clients = seated(house, "fay", "gus")
    for client in clients:
        client.post(f"/v1/games/{game_id}/votes", {"on": "pause"}, status=200)
    one, other = (at_table(windows.open(client, **PHONE), game_id) for client in clients)
    expect(line(other)).to_have_text("Paused. Resume?")
    request(one, "The game is paused.").get_by_role("button", name="Resume").click()
    expect(request(one, "You asked to resume the game.").get_by_role("button", name="Withdraw")).to_be_visible()
    request(other, "fay asks to resume the game.").get_by_role("button", name="Agree").click()
    until(lambda: clients[0].get(f"/v1/games/{game_id}")["status"] == "running")
    for page in (one, other):
        expect(line(page)).to_have_text("Game resumed")


def test_players_who_asked_for_a_vote_or_agreed_to_it_see_who_has_to_answer(house: House, windows: Windows) -> None:
    game_id, clients = seated(house, "cleo", "dora", "emil")
    three = next(it for it in reversed(clients) if it.get(f"/v1/games/{game_id}")["you"]["turn"])
    two, one = (it for it in clients if it is not three)
    for client in (one, two):  # the second seat, then the first
        client.post(f"/v1/games/{game_id}/votes", {"on": "pause"}, status=200)
    asking, agreeing, asked = (at_table(windows.open(it), game_id) for it in (one, two, three))
    expect(line(asked)).to_contain_text(": pause?")
    for page, news, words in [(asking, "Asked: pause?", "You asked for"), (agreeing, "You: agreed", "You agreed to")]:
        expect(line(page)).to_have_text(news)
        expect(line(page)).to_have_attribute("title", re.compile(rf"^{words} a pause\. Still to answer: \w+\.$"))
    three.post(f"/v1/games/{game_id}/votes", {"on": "pause", "vote": False}, status=200)
    expect(line(agreeing)).to_have_text(re.compile(r"^\w+: not now$"))
    expect(line(agreeing)).to_have_attribute("title", re.compile(r"^You agreed to a pause\. \w+: not now\.$"))


def test_a_voter_sees_who_agreed_and_who_refused_before_they_answer(house: House, windows: Windows) -> None:
    game_id, (one, two, three) = seated(house, "nora", "olaf", "paul")
    vote = f"/v1/games/{game_id}/votes"
    two.post(vote, {"on": "pause"}, status=200)
    three.post(vote, {"on": "pause", "vote": False}, status=200)
    page = at_table(windows.open(one, **PHONE), game_id)
    asked = request(page, "olaf asks for a pause.")
    expect(asked).to_contain_text("paul: not now. Still to answer: you. If everyone agrees, the game is paused")
    expect(asked).to_contain_text("If you don't answer, nothing changes.")
    one.post(vote, {"on": "pause", "vote": False}, status=200)
    told = page.locator(".request").filter(has_text="You declined for now. paul: not now.")
    expect(line(page)).to_have_text("You declined.")
    open_line(page)
    expect(told).to_contain_text("the game is paused")
    expect(told).not_to_contain_text("If you don't answer")


def test_the_last_player_who_agrees_sees_what_came_of_it(house: House, windows: Windows) -> None:
    game_id, clients = seated(house, "una", "vic")
    one, other = clients
    other.post(f"/v1/games/{game_id}/votes", {"on": "offer"}, status=200)
    page = at_table(windows.open(one, **PHONE), game_id)
    request(page, "vic asks to offer the bots’ seats to others.").get_by_role("button", name="Agree").click()
    expect(line(page)).to_have_text("Seats offered")
    expect(line(page)).to_have_attribute("title", "You agreed to offer the bots’ seats to others. Everyone has agreed.")
    page.get_by_role("button", name="Close", exact=True).click()
    expect(line(page)).to_have_count(0)


def test_a_vote_is_shown_at_the_top_at_once_even_during_the_players_turn(house: House, windows: Windows) -> None:
    game_id, clients = seated(house, "jo", "kim", "lou")
    one = next(it for it in clients if it.get(f"/v1/games/{game_id}")["you"]["turn"])
    page = at_table(windows.open(one, **PHONE), game_id)
    page.get_by_text("Options, pause, leave").click()
    page.get_by_role("button", name="Vote to pause").click()
    withdraw = page.get_by_role("button", name="Withdraw your vote to pause")
    expect(withdraw).to_be_in_viewport()
    told = page.locator(".details").get_by_text(re.compile(r"^You asked for a pause\. Still to answer: "))
    expect(told).to_be_in_viewport(ratio=0.9)
    expect(line(page)).to_have_text("Asked: pause?")
    page.get_by_role("button", name="Close", exact=True).click()
    expect(line(page)).to_have_count(0)
    assert objections(page) == []
    page.get_by_role("button", name="You asked for a pause.").click()  # what is left of it
    expect(line(page)).to_have_text("Asked: pause?")


def test_requests_that_need_an_answer_come_before_results(house: House, windows: Windows) -> None:
    game_id, clients = seated(house, "uli", "vera", "walt")
    one = next(it for it in clients if it.get(f"/v1/games/{game_id}")["you"]["turn"])
    other, third = (it for it in clients if it is not one)
    page, vote = at_table(windows.open(one, **PHONE), game_id), f"/v1/games/{game_id}/votes"
    close = page.get_by_role("button", name="Close", exact=True)
    one.post(vote, {"on": "pause"}, status=200)
    third.post(vote, {"on": "pause", "vote": False}, status=200)
    expect(line(page)).to_have_text(re.compile(r": not now$"))
    expect(page.locator(".asks.wanted")).to_have_count(0)
    other.post(vote, {"on": "abandon"}, status=200)
    expect(line(page)).to_have_text(re.compile(r": abandon\?1 more$"))
    expect(page.locator(".asks.wanted")).to_have_count(1)
    one.post(vote, {"on": "offer"}, status=200)
    expect(line(page)).to_have_text(re.compile(r": abandon\?2 more$"))
    play(one, game_id)
    expect(line(page)).to_have_text(re.compile(r": abandon\?2 more$"))  # the result stays until the player closes it
    close.click()
    page.get_by_role("button", name=re.compile(r"asks to abandon the game\.$")).click()  # it still waits for an answer
    expect(line(page)).to_have_text(re.compile(r": abandon\?2 more$"))
    other.post(vote, {"on": "abandon", "vote": False}, status=200)
    expect(line(page)).to_have_text("Asked: offer seats?1 more")
    one.post(vote, {"on": "offer", "vote": False}, status=200)
    expect(line(page)).to_have_text(re.compile(r": not now$"))
    one.post(vote, {"on": "abandon"}, status=200)
    other.post(vote, {"on": "abandon", "vote": False}, status=200)
    expect(line(page)).to_have_text(re.compile(r": not now1 more$"))
    close.click()
    expect(line(page)).to_have_text(re.compile(r": not now$"))  # the other result
    close.click()
    expect(line(page)).to_have_count(0)
    expect(page.locator("#main")).to_be_focused()


def test_a_step_begun_before_a_take_back_is_kept_for_the_next_turn(house: House, windows: Windows) -> None:
    game_id, clients = seated(house, "amy", "bob", rules="sternenglanz")
    for client in clients:
        until(lambda client=client: play(client, game_id))
    other = next(it for it in clients if it.get(f"/v1/games/{game_id}")["you"]["turn"])
    one = next(it for it in clients if it is not other)
    while play(other, game_id):
        pass
    page = at_table(windows.open(one), game_id)
    _, begun = wish(one, game_id) or (0, {})
    tap_out(page, begun["steps"])
    table = page.locator(".sternenglanz")
    expect(table).to_have_attribute("data-begun", "1")
    other.post(
        f"/v1/games/{game_id}/take-backs", {"to": other.get(f"/v1/games/{game_id}/take-backs")["to"]}, status=202
    )
    request(page, "amy asks" if other is clients[0] else "bob asks").get_by_role("button", name="Agree").click()
    expect(table).to_have_attribute("data-begun", "0")
    while play(other, game_id):
        pass
    expect(table).to_have_attribute("data-begun", "1")


@pytest.mark.parametrize("width", [360, 390])
def test_all_buttons_of_a_request_are_on_a_phone_while_another_game_waits(
    house: House, windows: Windows, width: int
) -> None:
    game_id, clients = seated(house, f"pia-{width}", f"rex-{width}")
    one, other = sorted(clients, key=lambda it: it.get(f"/v1/games/{game_id}")["you"]["turn"] is not None)
    game_of(one, ME, BOT, BOT, title="A game that waits for its player")
    page = at_table(windows.open(one, **PHONE | {"viewport": {"width": width, "height": 740}}), game_id)
    expect(page.locator(".state .next")).to_be_visible()
    other.post(f"/v1/games/{game_id}/votes", {"on": "pause"}, status=200)
    line(page).click()
    buttons = page.locator(".asks button")
    expect(buttons).to_have_count(4)
    for it in buttons.all():
        expect(it).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Agree").click()
    paused = request(page, "The game is paused.").get_by_role("button", name="Resume")
    expect(paused).to_be_in_viewport(ratio=1)
    assert not too_wide(page) and objections(page) == []


def test_a_player_alone_with_bots_is_asked_before_the_game_ends(house: House, windows: Windows) -> None:
    ada = quiet(sign_in(house, "ada-asked-first@example.org"))
    game_id = game_of(ada, ME, BOT, BOT)
    page = at_table(windows.open(ada, **PHONE), game_id)
    page.get_by_text("Options, pause, leave").click()
    end = page.locator(".details").get_by_role("button", name="End the game without a result")
    expect(page.get_by_role("button", name="Pause the game")).to_have_count(1)
    end.click()
    question = page.locator(".details").get_by_text("It ends at once and no player wins.")
    expect(question).to_be_visible()
    assert objections(page) == [] and not too_wide(page)
    page.get_by_role("button", name="Cancel").click()
    expect(question).to_have_count(0)
    assert ada.get(f"/v1/games/{game_id}")["status"] == "running"
    end.click()
    end.click()
    until(lambda: ada.get(f"/v1/games/{game_id}")["status"] == "abandoned")
    expect(page.locator("#result")).to_be_in_viewport(ratio=1)


def test_the_newest_request_comes_first_and_a_refused_one_goes_with_the_next_move(
    house: House, windows: Windows
) -> None:
    game_id, clients = seated(house, "ole", "pam", "ron")
    one = next(it for it in clients if it.get(f"/v1/games/{game_id}")["you"]["turn"])
    other = next(it for it in clients if it is not one)
    page, vote = at_table(windows.open(one, **PHONE), game_id), f"/v1/games/{game_id}/votes"
    other.post(vote, {"on": "pause"}, status=200)
    expect(line(page)).to_have_text(re.compile(r"^\w+: pause\?$"))
    other.post(vote, {"on": "abandon"}, status=200)
    expect(line(page)).to_have_text("2 requests")
    assert not line(page).locator("span").last.evaluate(IS_CUT)
    request(page, "").filter(has_text="abandon").get_by_role("button", name="Not now").click()
    expect(line(page)).to_have_text(re.compile(r"^\w+: pause\?1 more$"))  # what is settled comes last
    refused = (
        page.locator(".request").filter(has_text="You declined for now.").get_by_role("button", name="Agree after all")
    )
    expect(refused).to_have_class("plain")
    play(one, game_id)
    expect(line(page)).to_have_text(re.compile(r"^\w+: pause\?$"))
    request(page, "").get_by_role("button", name="Not now").click()
    expect(line(page)).to_have_text("You declined.")
    page.get_by_role("button", name="Close", exact=True).click()
    expect(line(page)).to_have_count(0)
    other.post(vote, {"on": "offer"}, status=200)
    expect(line(page)).to_have_text(re.compile(r"^\w+: offer seats\?$"))


@pytest.mark.parametrize("locale", ["en", "de", "fr", "it"])
def test_a_request_is_shown_in_full_on_a_desk(house: House, windows: Windows, locale: str) -> None:
    game_id, clients = seated(house, *(f"{name}-{locale}-desk" for name in ("nora", "emil", "hanna")))
    one, *others = sorted(clients, key=lambda it: it.get(f"/v1/games/{game_id}")["you"]["turn"] is not None)
    for client, name in zip((one, *others), ("Hanna W", "Nora W", "Emil W"), strict=True):
        client.ask("PATCH", "/v1/me", json={"name": name, "locale": locale})
    game_of(one, ME, BOT, BOT, title="A game that waits for its player")
    page = at_table(windows.open(one, **SIZES["desk"], locale=locale), game_id)
    expect(page.locator(".state .next")).to_be_visible()
    for client in others:
        client.post(f"/v1/games/{game_id}/votes", {"on": "abandon"}, status=200)
    expect(line(page)).to_have_text(re.compile("Nora W .+ Emil W"))
    for it in line(page).locator("span").all():
        assert not it.evaluate(IS_CUT), it.inner_text()
    assert not too_wide(page) and objections(page) == []


def test_a_new_request_comes_below_the_open_ones(house: House, windows: Windows) -> None:
    game_id, clients = seated(house, "ida", "jan", "kai")
    one = next(it for it in clients if it.get(f"/v1/games/{game_id}")["you"]["turn"])
    other, third = (it for it in clients if it is not one)
    page, vote = at_table(windows.open(one, **PHONE), game_id), f"/v1/games/{game_id}/votes"
    other.post(vote, {"on": "pause"}, status=200)
    pause = request(page, "").filter(has_text="for a pause")
    agree = pause.get_by_role("button", name="Agree")
    expect(agree).to_be_in_viewport(ratio=1)
    before = agree.bounding_box()
    agree.focus()
    other.post(vote, {"on": "abandon"}, status=200)
    expect(page.locator(".asks .request")).to_have_count(2)
    assert agree.bounding_box() == before
    third.post(vote, {"on": "pause"}, status=200)
    expect(pause).to_contain_text("ask for a pause")
    expect(agree).to_be_focused()
    page.keyboard.press("Escape")
    open_line(page)
    expect(page.locator(".asks .request").first).to_contain_text("abandon")


def test_an_abandoned_game_shows_the_firmament_directly_below_the_verdict(house: House, windows: Windows) -> None:
    game_id, (one, other) = seated(house, "wim", "xan", rules="sternenglanz")
    until(lambda: play(one, game_id))
    for client in (one, other):
        client.post(f"/v1/games/{game_id}/votes", {"on": "abandon", "vote": True}, status=200)
    for size in (PHONE, PHONE | {"viewport": {"width": 390, "height": 844}}):
        page = at_table_over(windows.open(one, **size), game_id)
        gap = "it => it.querySelector('[data-at=f1]').getBoundingClientRect().top - it.getBoundingClientRect().top"
        assert page.locator(".firmament").evaluate(gap) < 60
        expect(page.locator("[data-at=a1]")).to_be_in_viewport()


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_an_abandoned_game_says_who_agreed_and_leads_to_the_next(house: House, windows: Windows, size: str) -> None:
    game_id, clients = seated(house, f"tim-{size}", f"uwe-{size}")
    pages = [at_table(windows.open(it, **SIZES[size]), game_id) for it in clients]
    for page in pages:
        page.locator("[data-score='0']").click()
        expect(page.locator(".owned")).to_be_focused()
        expect(page.get_by_text("Options, pause, leave")).to_be_attached()
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        expect(page.locator(".boards")).not_to_be_in_viewport()
    for client in clients:
        client.post(f"/v1/games/{game_id}/votes", {"on": "abandon", "vote": True}, status=200)
    names = [f"tim-{size} and you", f"you and uwe-{size}"]
    for page, agreed in zip(pages, reversed(names), strict=True):
        card = page.locator(".result")
        expect(page.locator(".owned")).to_have_count(0)
        expect(card).to_contain_text(f"Everyone agreed: {agreed}. No player won.")
        expect(card.get_by_role("button", name="Rematch")).to_be_in_viewport(ratio=1)
        expect(card.get_by_role("link", name="My games")).to_be_in_viewport(ratio=1)
        expect(page.get_by_text("Wait for your turn.")).to_have_count(0)
        expect(page.locator(".boards")).to_be_in_viewport(ratio=0.99)
        assert not too_wide(page) and objections(page) == []


@pytest.mark.parametrize(
    ("locale", "time"),
    [
        ("en", "1 day 23 hr left"),
        ("de", "noch 1 Tag 23 Std."),
        ("fr", re.compile(r"encore 1\sjour 23\sh")),
        ("it", "ancora 1 giorno 23 h"),
    ],
)
def test_the_turn_and_its_time_take_two_lines_on_a_phone(
    house: House, windows: Windows, locale: str, time: str | re.Pattern[str]
) -> None:
    names = ("maximiliane", "bartholomea")
    clients = [quiet(sign_in(house, f"{it}-sternenfreud-{locale}@example.org")) for it in names]
    for client, name in zip(clients, names, strict=True):
        client.ask("PATCH", "/v1/me", json={"name": f"{name}-sternenfreud", "locale": locale})
    game_id = game_of(clients[0], ME, OPEN, BOT, clock={"per_move": "P1DT23H"})
    clients[1].post(f"/v1/games/{game_id}/seats", {})
    for client in clients:
        page = at_table(windows.open(client, **PHONE, locale=locale), game_id)
        whose = page.locator(".state .whose")
        expect(whose.locator("time")).to_contain_text(time)
        assert whose.locator("> *").evaluate_all("all => all.map((it) => it.getClientRects().length)") == [1, 1]
        assert whose.evaluate("it => it.offsetHeight") <= 34
        assert whose.evaluate("it => it.getBoundingClientRect().top") >= 4


LEAD = """it => {
  const [lead, line] = [it.querySelector(".lead"), it.querySelector("strong")].map((one) => one.getBoundingClientRect());
  return { lead: lead.width, name: line.right - lead.right, above: it.querySelector("time").getBoundingClientRect().top - lead.bottom };
}"""


@pytest.mark.parametrize("locale", ["en", "de", "fr", "it"])
def test_a_narrow_phone_says_who_is_waited_for_above_the_time(house: House, windows: Windows, locale: str) -> None:
    ada, ben = (quiet(sign_in(house, f"{name}-lead-{locale}@example.org")) for name in ("ada", "ben"))
    game_id = game_of(ada, ME, OPEN, BOT, options={"start_seat": 0}, clock={"per_move": "P1DT4H"})
    ben.post(f"/v1/games/{game_id}/seats", {})
    ada.ask("PATCH", "/v1/me", json={"name": "Maximiliane-Theodora"})
    ben.ask("PATCH", "/v1/me", json={"locale": locale})
    whose = at_table(windows.open(ben, **PHONE, locale=locale), game_id).locator(".state .whose")
    expect(whose.locator("time")).to_be_visible()
    found = whose.evaluate(LEAD)
    assert found["lead"] >= 40 and found["name"] >= 50 and found["above"] >= -2, found


@pytest.mark.parametrize("locale", ["de", "fr", "it"])
def test_a_narrow_phone_says_in_full_whose_turn_it_is(house: House, windows: Windows, locale: str) -> None:
    ada, ben = (quiet(sign_in(house, f"{name}-narrow-{locale}@example.org")) for name in ("ada", "ben"))
    game_id = game_of(ada, ME, OPEN, BOT, options={"start_seat": 0})
    ben.post(f"/v1/games/{game_id}/seats", {})
    ada.ask("PATCH", "/v1/me", json={"locale": locale})
    page = at_table(windows.open(ada, **PHONE, locale=locale), game_id)
    expect(page.locator(".state .mine")).to_be_visible()
    assert not page.locator(".state .mine").evaluate(IS_CUT)
