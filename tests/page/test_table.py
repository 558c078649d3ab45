"""Around every table: chat, recent events and standings."""

import json
import re
from datetime import datetime, timedelta

import pytest
from playwright.sync_api import Page, Route, expect

from server import page as served
from tests.page.axe import objections
from tests.page.layout import SIZES, apart
from tests.page.programs import play, play_to_the_end
from tests.page.windows import BOT, ME, OPEN, OWN_CODE, PHONE, Windows, game_of, loses, quiet, tab_to, too_wide
from tests.support.live_server import Client, House, sign_in, until


class Two:
    """Two people at a table of Sternenhimmel with a bot, of whom the first is asked."""

    def __init__(self, house: House, *names: str) -> None:
        self.one, self.other = (sign_in(house, f"{name}@example.org") for name in names)
        self.game_id = game_of(self.one, ME, OPEN, BOT)
        self.other.post(f"/v1/games/{self.game_id}/seats", {})

    def say(self, client: Client, text: str) -> None:
        client.post(f"/v1/games/{self.game_id}/messages", {"text": text})


def at_table(page: Page, game_id: str) -> Page:
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(".news.live, .news.over")).to_have_count(1)
    return page


# Whom one sits with


def test_similar_and_equal_names_differ_in_the_status_line(house: House, windows: Windows) -> None:
    names = ("Stella \U0001f31e", "Stella \U0001f31f", "Anna", "Anna")
    people = [sign_in(house, f"stella-{seat}@example.org") for seat in range(len(names))]
    for client, name in zip(people, names, strict=True):
        assert client.ask("PATCH", "/v1/me", json={"name": name}).status_code == 200
    game_id = game_of(people[0], ME, OPEN, OPEN, OPEN, options={"start_seat": 3})
    for client in people[1:]:
        client.post(f"/v1/games/{game_id}/seats", {})
    page = at_table(windows.open(people[0]), game_id)
    expect(page.locator(".scores .who")).to_have_text([*names[:2], "Anna (3)", "Anna (4)"])
    expect(page.locator(".scores .who > :last-child")).to_have_text(["\U0001f31e", "\U0001f31f", "3)", "4)"])
    expect(page.locator(".state .whose")).to_contain_text("Waiting for Anna (4)")


def test_a_name_leads_to_the_players_page_where_they_can_be_blocked_and_reported(
    house: House, windows: Windows
) -> None:
    two = Two(house, "liv", "mika")
    page = at_table(windows.open(two.one, **PHONE), two.game_id)
    page.locator(".seats").get_by_role("link", name="mika").click()
    shown = page.locator(".player")
    expect(shown.get_by_role("heading", name="mika", level=1)).to_be_visible()
    expect(page).to_have_title("(1) mika – Sternenpost")  # a game waits
    expect(shown).to_contain_text(re.compile(r"Here since \d+ \w+ \d{4}\."))
    expect(shown.locator("dd")).to_have_count(1)  # the number of games, without zeros
    expect(shown.get_by_role("heading", name="Your games together")).to_be_visible()
    shown.get_by_role("button", name="Block mika").click()
    expect(shown.get_by_role("button", name="Unblock mika")).to_be_visible()
    assert [it["name"] for it in two.one.get("/v1/me/blocks")["items"]] == ["mika"]
    shown.get_by_text("Report mika").click()
    shown.get_by_label("What should the operators know?").fill("Insults.")
    with page.expect_request("**/report") as sent:
        shown.get_by_role("button", name="Send the report").click()
    assert sent.value.post_data_json == {"text": "Insults.", "game": two.game_id}
    expect(shown.get_by_text("Your report was sent to the operators.")).to_be_visible()
    assert objections(page) == []
    assert not too_wide(page)


def test_a_players_page_shows_only_what_its_reader_may_know(house: House, windows: Windows) -> None:
    two = Two(house, "nora", "oskar")
    private = game_of(two.one, ME, OPEN, BOT, private=True, title="Only for two")
    word = two.one.get(f"/v1/games/{private}")["invitation"]
    two.other.post(f"/v1/games/{private}/seats", {"invitation": word})
    secret = game_of(two.one, ME, BOT, BOT, private=True, title="Alone with bots")
    short = {"start_seat": 0, "max_rounds": 5}
    finished = game_of(two.one, ME, OPEN, rules="sternenglanz", options=short, title="Played to the end")
    two.other.post(f"/v1/games/{finished}/seats", {})
    play_to_the_end(finished, two.one, two.other)
    address = f"/#/players/{two.one.get('/v1/me')['id']}"
    friend, passer_by, own = windows.open(two.other), windows.open(), windows.open(two.one)
    pictures = []
    for page in (friend, passer_by, own):
        page.goto(address)
        over = page.locator("section").filter(has=page.get_by_role("heading", name="Finished games"))
        expect(over.get_by_role("link", name="Played to the end")).to_be_visible()
        expect(over.locator(".own")).to_have_text(re.compile(r"nora$"))
        expect(page.get_by_role("link", name="Alone with bots")).to_have_count(0)
        expect(page.get_by_role("button", name="Block nora")).to_have_count(int(page is friend))
        expect(page.get_by_role("link", name="Only for two")).to_have_count(int(page is friend))
        pictures.append(page.locator(".player .avatar").first.inner_html())
    expect(friend.get_by_role("heading", name="Your games together")).to_be_visible()
    won = two.other.get(f"/v1/games/{finished}")["outcome"]["places"] == [2, 1]
    duel = f"1 finished game: you were ahead {won:d}×, nora {not won:d}×."
    expect(friend.get_by_text(duel)).to_be_visible()
    expect(own.get_by_role("heading", name="Current games")).to_be_visible()
    expect(passer_by.get_by_role("heading", name="Current games")).to_have_count(0)
    assert secret and len(set(pictures)) == 1
    friend.locator("main").get_by_role("link", name="My games").click()
    expect(friend.get_by_role("heading", name="My games")).to_be_visible()
    friend.goto(f"/#/players/{two.other.get('/v1/me')['id']}?game={secret}")
    friend.reload()  # so that the page no longer knows the screen before
    expect(friend.get_by_role("link", name="Back to the game")).to_have_attribute("href", f"#/games/{secret}")
    expect(friend.get_by_role("heading", name="oskar", level=1)).to_be_visible()
    assert friend.locator(".player .avatar").first.inner_html() != pictures[0]


def test_the_link_back_of_a_players_page_leads_to_the_screen_before_it(house: House, windows: Windows) -> None:
    host, guest = (sign_in(house, f"{name}@example.org") for name in ("gesa", "hein"))
    game_id = game_of(host, ME, OPEN, BOT, title="To be joined")
    page = windows.open(guest)
    page.goto("/#/lobby?rules=sternenhimmel")
    back = page.locator(".player").get_by_role("link").first
    page.locator(".card.game").filter(has_text="To be joined").get_by_role("link", name="gesa").click()
    expect(back).to_have_text("← Lobby")
    back.click()
    expect(page.get_by_role("heading", name="Lobby")).to_be_visible()
    expect(page.locator("[name=rules]")).to_have_value("sternenhimmel")
    page.goto(f"/#/games/{game_id}")
    guest.post(f"/v1/games/{game_id}/seats", {})
    page.locator(".details").get_by_role("link", name="gesa").click()
    expect(back).to_have_text("← Back to the game")
    back.click()
    expect(page).to_have_url(re.compile(f"#/games/{game_id}$"))


def test_a_table_shows_which_other_players_are_present(house: House, windows: Windows) -> None:
    two = Two(house, "pia", "quentin")
    page = at_table(windows.open(two.one), two.game_id)
    other = at_table(windows.open(two.other), two.game_id)
    for shown, seat in ((page, 1), (other, 0)):
        expect(shown.locator(".scores .here")).to_have_attribute("data-score", str(seat))
        expect(shown.locator(".seats li").nth(seat)).to_contain_text("here now")
        expect(shown.locator(".seats li .here")).to_have_count(1)
    before = page.locator(".details .seats").bounding_box()
    other.goto("/#/lobby")
    expect(page.locator(".here")).to_have_count(0)
    assert page.locator(".details .seats").bounding_box() == before


def test_a_note_is_saved_and_a_chat_is_muted(house: House, windows: Windows) -> None:
    two = Two(house, "nils", "odo")
    page = at_table(windows.open(two.one), two.game_id)
    page.locator(".note textarea").fill("Odo keeps low stars.")
    page.get_by_role("button", name="Save note").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    page.get_by_label("Hide the chat at this table").click()
    expect(page.locator(".chat")).to_have_count(0)
    assert two.one.get(f"/v1/games/{two.game_id}/note") == {"text": "Odo keeps low stars.", "muted": True}
    page.reload()
    expect(page.locator(".note textarea")).to_have_value("Odo keeps low stars.")
    expect(page.locator(".chat")).to_have_count(0)


def test_a_game_against_bots_has_no_chat(house: House, windows: Windows) -> None:
    client = sign_in(house, "olga@example.org")
    page = at_table(windows.open(client), game_of(client, ME, BOT, BOT))
    expect(page.locator(".note textarea")).to_be_visible()
    expect(page.get_by_role("button", name="Chat", exact=True)).to_have_count(0)
    expect(page.locator(".chat")).to_have_count(0)
    expect(page.get_by_label("Hide the chat at this table")).to_have_count(0)


# What is said


def test_a_chat_message_is_announced_at_once_and_is_not_part_of_the_story(house: House, windows: Windows) -> None:
    two = Two(house, "ada", "ben")
    ada, ben = (at_table(windows.open(it), two.game_id) for it in (two.one, two.other))
    expect(ben.get_by_role("log")).to_be_attached()
    asked: list[str] = []
    ben.on("request", lambda it: asked.append(it.url) if re.search(r"/games/[^/]+(/events)?\?", it.url) else None)
    for n in (1, 2):
        ada.locator(".chat textarea").fill(f"Good evening, {n}!")
        ada.get_by_role("button", name="Send", exact=True).click()
        expect(ben.locator(".chat li").nth(n - 1)).to_contain_text(f"Good evening, {n}!")
        expect(ada.locator(".chat li")).to_have_count(n)
    assert asked == []  # neither the game nor its story is another one now


def test_messages_are_fetched_without_a_stream_and_those_it_missed_arrive_with_the_next(
    house: House, windows: Windows
) -> None:
    two = Two(house, "gero", "hanna")
    windows.expected = "ERR_FAILED"
    page = windows.open(two.one)
    page.route("**/stream?*", lambda it: it.abort())
    page.route("**/messages?*", lambda it: it.abort(), times=1)
    page.goto(f"/#/games/{two.game_id}")
    expect(page.locator(".news.away")).to_be_visible()
    expect(page.locator(".chat")).to_contain_text("No messages yet.")
    two.say(two.other, "Are you there?")
    page.unroute("**/stream?*")
    expect(page.locator(".chat li")).to_have_text(re.compile("Are you there"))


def test_messages_out_of_sight_are_counted_until_they_are_seen(house: House, windows: Windows) -> None:
    two = Two(house, "cleo", "dora")
    two.say(two.other, "Before.")
    page = at_table(windows.open(two.one, **PHONE), two.game_id)
    count = page.locator(".chat h2 .unread")
    expect(count).to_have_text("1 new")
    two.say(two.one, "By email.")
    two.say(two.other, "And now.")
    expect(page.locator(".chat li")).to_have_count(3)
    expect(count).to_have_text("2 new")
    page.locator(".chat li").last.scroll_into_view_if_needed()
    expect(count).to_have_text("")
    page.reload()
    expect(page.locator(".chat li")).to_have_count(3)
    expect(count).to_have_text("")


def test_the_chat_follows_the_newest_message_unless_scrolled_back(house: House, windows: Windows) -> None:
    two = Two(house, "emil", "fanny")
    for n in range(12):
        two.say(two.other, f"I look at it from all sides.\nThe {n}th time.")
    page = at_table(windows.open(two.one), two.game_id)
    expect(page.locator(".chat li")).to_have_count(12)
    log = page.get_by_role("log")
    below = "it => it.scrollHeight - it.clientHeight - it.scrollTop"
    assert log.evaluate(below) < 2
    two.say(two.other, "The last time.")
    expect(page.locator(".chat li")).to_have_count(13)
    assert log.evaluate(below) < 2
    log.evaluate("it => it.scrollTo(0, 0)")
    page.wait_for_function("document.querySelector('[role=log]').scrollTop === 0")
    two.say(two.other, "Really the last time.")
    expect(page.locator(".chat li")).to_have_count(14)
    assert log.evaluate("it => it.scrollTop") == 0


def test_typed_text_survives_the_start_of_the_game_and_a_language_switch(house: House, windows: Windows) -> None:
    client, other = (sign_in(house, f"{name}@example.org") for name in ("uta", "vera"))
    game_id = game_of(client, ME, OPEN, BOT)
    page = windows.open(client)
    page.goto(f"/#/games/{game_id}")
    page.get_by_label("Message", exact=True).fill("Half a word")
    other.post(f"/v1/games/{game_id}/seats", {})
    expect(page.locator(".board")).to_have_count(3)
    expect(page.get_by_label("Message", exact=True)).to_have_value("Half a word")
    page.get_by_label("Language").select_option("de")
    expect(page.get_by_label("Nachricht")).to_have_value("Half a word")
    page.get_by_role("button", name="Senden").click()
    expect(page.locator(".chat li")).to_contain_text("Half a word")
    expect(page.get_by_label("Nachricht")).to_have_value("")


def test_a_message_resent_after_a_lost_response_is_posted_once(house: House, windows: Windows) -> None:
    two = Two(house, "wanda", "xaver")
    page = at_table(windows.open(two.one), two.game_id)
    windows.expected = "ERR_FAILED"
    tries = loses(page, "**/messages*", 1)
    page.get_by_label("Message", exact=True).fill("Only once")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator(".chat [role=alert]")).to_be_visible()
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_label("Message", exact=True)).to_have_value("")
    assert len(tries) == 2 and len({it.headers["idempotency-key"] for it in tries}) == 1
    assert [it["text"] for it in two.one.get(f"/v1/games/{two.game_id}/messages")["items"]] == ["Only once"]


def test_pressing_enter_twice_does_not_resign_and_a_withdrawn_vote_keeps_the_menu_open(
    house: House, windows: Windows
) -> None:
    two = Two(house, "yara", "zeno")
    page = at_table(windows.open(two.one), two.game_id)
    page.get_by_text("Options, pause, leave").press("Enter")
    page.get_by_role("button", name="Resign").press("Enter")
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    wish = page.get_by_role("button", name="Vote to pause")
    wish.press("Enter")
    page.get_by_role("button", name="Withdraw your vote to pause").press("Enter")
    expect(wish).to_be_visible()
    assert two.one.get(f"/v1/games/{two.game_id}")["seats"][0]["stand_in"] is None


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_the_result_comes_into_view_after_resigning(house: House, windows: Windows, size: str) -> None:
    client = quiet(sign_in(house, f"resigns-{size}@example.org"))
    page = at_table(windows.open(client, **SIZES[size]), game_of(client, ME, BOT, BOT))
    page.get_by_text("Options, pause, leave").click()
    resign = page.get_by_role("button", name="Resign", exact=True)
    resign.click()
    resign.click()
    result = page.locator("#result")
    expect(result).to_be_focused()
    expect(page.locator(".ended .drawn")).to_be_visible()
    expect(result).to_be_in_viewport(ratio=1)
    expect(page.locator(".tale")).not_to_contain_text("you")  # a bot finished the game in this seat
    expect(page.locator(".tale")).not_to_contain_text("You")


def test_a_summary_leaves_the_sky_free_on_a_desk(house: House, windows: Windows) -> None:
    client, game_id = moved_meanwhile(house, "isa")
    page = at_table(windows.open(client, OWN_CODE + "\n" + AWAY, **SIZES["desk"]), game_id)
    since = page.get_by_role("region", name="While you were away")
    expect(since.get_by_role("button", name="Got it")).to_be_in_viewport(ratio=1)
    assert apart(since, page.locator(".boards")) and apart(since, page.locator(".state"))
    assert objections(page) == [] and too_wide(page) == []
    since.get_by_role("button", name="Got it").click()
    expect(since).to_have_count(0)


def test_a_move_can_be_taken_back_by_keyboard_before_others_have_moved(house: House, windows: Windows) -> None:
    two = Two(house, "tilda", "udo")
    play(two.one, two.game_id)
    page = at_table(windows.open(two.one), two.game_id)
    undo = page.get_by_role("button", name="Take back", exact=True)
    undo.press("Enter")
    really = page.get_by_role("group", name="Take this back?")
    expect(really.get_by_role("button", name="Cancel")).to_be_focused()
    really.get_by_role("button", name="Take back").press("Enter")
    expect(undo).to_have_count(0)
    until(lambda: two.one.get(f"/v1/games/{two.game_id}")["you"]["turn"])


@pytest.mark.parametrize("locale", ["de", "en", "fr", "it"])
def test_the_other_players_are_asked_for_a_take_back_and_agree_on_the_page(
    house: House, windows: Windows, locale: str
) -> None:
    two = Two(house, f"vera-{locale}", f"wim-{locale}")
    for who in (two.one, two.other):
        who.ask("PATCH", "/v1/me", json={"locale": locale})
    to = play(two.one, two.game_id) - 1
    play(two.other, two.game_id)
    until(lambda: two.one.get(f"/v1/games/{two.game_id}")["you"]["turn"])  # the bot has moved, too
    ask = at_table(windows.open(two.one, locale=locale), two.game_id)
    words = json.loads(served.FILES[f"words/{locale}/details.json"].plain)
    names = [
        words["take-back.mine-back"],
        words["take-back.ask"]["one"].format(names=f"wim-{locale}"),
        words["take-back.withdraw"],
    ]
    ask.get_by_role("button", name=names[0]).press("Enter")
    expect(
        ask.locator(".row button:not(.plain) + button.plain:focus")
    ).to_be_visible()  # to stay, which takes the focus first
    ask.get_by_role("button", name=names[1]).press("Enter")
    expect(ask.get_by_role("button", name=names[2])).to_be_visible()
    page = at_table(windows.open(two.other, locale=locale), two.game_id)
    page.locator(".brief").press("Enter")
    agree = page.locator(".request").get_by_role("button").first
    expect(agree).to_be_visible()
    assert objections(page) == []
    agree.press("Enter")
    until(lambda: two.one.get(f"/v1/games/{two.game_id}/events?after={to}")["items"][-1]["type"] == "move-taken-back")
    expect(agree).to_have_count(0)


def test_other_players_votes_appear_when_the_window_is_shown_again(house: House, windows: Windows) -> None:
    two = Two(house, "rosa", "sven")
    page = at_table(windows.open(two.one), two.game_id)
    wish = page.get_by_text("In favour: sven")
    expect(page.get_by_text("Options, pause, leave")).to_be_visible()
    expect(wish).to_have_count(0)
    two.other.post(f"/v1/games/{two.game_id}/votes", {"on": "pause", "vote": True}, status=200)
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(wish).to_be_visible()


# What happened meanwhile


AWAY = "Date.now = ((now) => () => now() + 3_600_000)(Date.now)"  # an hour passes before the page is opened


def moved_meanwhile(house: House, name: str, rules: str = "sternenhimmel", bots: int = 2) -> tuple[Client, str]:
    """Return a player who has moved and got answers from the bots, and the game, which waits for that player again."""
    client = sign_in(house, f"{name}@example.org")
    game_id = game_of(client, ME, *[BOT] * bots, rules=rules)

    def asked() -> int | None:
        game = client.get(f"/v1/games/{game_id}")
        return None if game["you"]["turn"] is None else game["version"]

    until(asked)
    version = play(client, game_id)
    while version == until(asked):  # a turn has several steps
        version = play(client, game_id)
    return client, game_id


def test_recent_events_are_summarized_first_and_can_be_replayed(house: House, windows: Windows) -> None:
    client, game_id = moved_meanwhile(house, "ida")
    page = at_table(windows.open(client, OWN_CODE + "\n" + AWAY, reduced_motion="no-preference"), game_id)
    since = page.get_by_role("region", name="While you were away")
    expect(since.get_by_role("listitem")).to_have_text([re.compile("^Greedy 2 put"), re.compile("^Greedy 1 put")])
    page.clock.install()
    since.get_by_role("button", name="Watch").click()
    replay = page.get_by_role("region", name="Move-by-move replay")
    place = page.locator(".history input")
    expect(replay.get_by_role("button", name="Pause")).to_be_focused()
    expect(place).to_have_value("2")
    expect(page.locator(".space:not(:has(.ring))")).to_have_count(1)
    page.clock.run_for(1_300)
    expect(place).to_have_value("3")
    expect(replay.get_by_role("status")).to_have_text(re.compile("^Greedy 1 put"))
    expect(page.locator(".space:not(:has(.ring))")).to_have_count(2)
    page.keyboard.press("Enter")
    expect(replay.get_by_role("button", name="Resume")).to_be_focused()
    page.clock.run_for(5_000)
    expect(place).to_have_value("3")
    page.keyboard.press("Enter")
    page.clock.run_for(1_300)
    expect(page.locator(".history .faint")).to_have_text("move 4 of 4")
    expect(replay.get_by_role("status")).to_have_text(re.compile("^Greedy 2 put"))
    expect(page.locator(".hand .star.open")).to_have_count(8)  # it is now, and can be played on
    replay.get_by_role("button", name="Close").click()
    expect(replay).to_have_count(0)
    page.reload()
    expect(page.locator(".hand .star.open")).to_have_count(8)
    expect(since).to_have_count(0)  # it is known


def test_a_long_summary_can_be_read_in_full_on_a_phone(house: House, windows: Windows) -> None:
    client, game_id = moved_meanwhile(house, "ines", bots=4)
    page = at_table(windows.open(client, OWN_CODE + "\n" + AWAY, **PHONE), game_id)
    since = page.get_by_role("region", name="While you were away")
    expect(since.get_by_role("listitem").first).to_be_in_viewport(ratio=1)  # the newest
    since.get_by_role("button", name="Read all").tap()
    expect(since.get_by_role("listitem").nth(3)).to_be_visible()  # a fifth and a sixth if a board is full
    for told in since.get_by_role("listitem").all():
        expect(told).to_be_in_viewport(ratio=1)
    assert since.locator(".scrolls").evaluate("it => it.scrollHeight <= it.clientHeight + 1")
    assert objections(page) == [] and too_wide(page) == []
    since.get_by_role("button", name="Less").tap()
    expect(since.get_by_role("button", name="Read all")).to_be_visible()


def test_a_summary_is_shown_only_after_an_absence_and_only_if_something_happened(
    house: House, windows: Windows
) -> None:
    client, game_id = moved_meanwhile(house, "ilse")
    page = at_table(windows.open(client), game_id)  # a moment after the move
    expect(page.get_by_text("Options, pause, leave")).to_be_visible()
    expect(page.locator(".missed")).to_have_count(0)
    page.add_init_script(AWAY)
    page.reload()  # an hour later, without a move since the last look
    expect(page.get_by_text("Options, pause, leave")).to_be_visible()
    expect(page.locator(".missed")).to_have_count(0)


def test_with_reduced_motion_the_replay_advances_manually(house: House, windows: Windows) -> None:
    client, game_id = moved_meanwhile(house, "karl", "sternenglanz")
    version = client.get(f"/v1/games/{game_id}")["version"]
    page = at_table(windows.open(client, OWN_CODE + "\n" + AWAY, **PHONE), game_id)
    since = page.get_by_role("region", name="While you were away")
    expect(since.get_by_role("button", name="Watch")).to_be_visible()
    assert 1 <= since.locator("li:not(.faint)").count() <= 5  # a faint one says how many more there are
    assert not too_wide(page) and not objections(page)
    sky = page.locator(".firmament").bounding_box()
    since.get_by_role("button", name="Got it").tap()
    expect(since).to_have_count(0)
    assert page.locator(".firmament").bounding_box() == sky
    page.get_by_role("button", name="Replay").press("Enter")
    replay = page.get_by_role("region", name="Move-by-move replay")
    expect(replay.get_by_role("button", name="Resume")).to_be_focused()
    expect(page.locator(".history input")).to_have_value("1")
    tab_to(page, ".replay .plain")
    page.keyboard.press("Enter")
    expect(page.locator(".history input")).to_have_value("2")
    expect(page.locator(".coming")).to_have_count(0)  # what is still awaited is dimmed
    assert not too_wide(page) and not objections(page)
    for at in range(3, version + 1):
        page.keyboard.press("Enter")
        expect(page.locator(".history input")).to_have_value(str(at))
        expect(replay.locator(".faint")).to_have_text(page.locator(".history .faint").inner_text())
    assert len(replay.get_by_role("status").inner_text()) > 20
    page.get_by_label("Back one move").press("Enter")
    replay.get_by_role("button", name="Close").press("Enter")
    expect(page.locator(".history input")).to_have_value(str(version))  # where one can play


def test_each_player_in_a_shared_browser_gets_their_own_news(house: House, windows: Windows) -> None:
    two = Two(house, "mona", "nico")
    clients = two.one, two.other
    moved = [0, 0]
    while min(moved) < 2:
        for at, client in enumerate(clients):
            moved[at] += bool(play(client, two.game_id))
    until(lambda: two.one.get(f"/v1/games/{two.game_id}")["you"]["turn"] is not None)  # the bot, too, has moved
    page = windows.open(script=OWN_CODE + "\n" + AWAY)
    for client in clients:
        page.goto("/")
        page.evaluate("it => localStorage.setItem('sternenpost.token', it)", client.token)
        page.reload()
        at_table(page, two.game_id)
        page.get_by_role("button", name="Got it").click()
        page.reload()
        at_table(page, two.game_id)
        expect(page.get_by_role("button", name="Got it")).to_have_count(0)


def test_the_slider_requests_only_the_table_where_it_stops(house: House, windows: Windows) -> None:
    client, game_id = moved_meanwhile(house, "paul")
    page = windows.open(client)
    page.clock.install()
    at_table(page, game_id)
    expect(page.locator(".space:not(:has(.ring))")).to_have_count(3)
    asked: list[str] = []
    page.on("request", lambda it: asked.append(it.url.split("?")[1]) if "?at=" in it.url else None)
    page.clock.pause_at(datetime.now() + timedelta(hours=1))
    for at in (3, 1, 2):
        page.locator(".history input").fill(str(at))
        page.clock.run_for(50)
        expect(page.locator(".history .faint")).to_have_text(f"move {at} of 4")
    page.clock.run_for(200)
    expect(page.locator(".space:not(:has(.ring))")).to_have_count(1)
    assert asked == ["at=2&"]


def test_an_earlier_table_shows_that_it_is_loading(house: House, windows: Windows) -> None:
    client, game_id = moved_meanwhile(house, "lena")
    page = at_table(windows.open(client), game_id)
    held: list[Route] = []
    page.route("**/games/*?at=*", lambda it: held.append(it))
    page.get_by_label("Back one move").click()
    expect(page.locator("[aria-busy=true] .board")).to_have_count(3)
    expect(page.locator(".history [role=status]")).to_have_text("One moment…")
    expect(page.locator(".space:not(:has(.ring))")).to_have_count(3)
    until(lambda: held or page.wait_for_timeout(20))
    held[0].continue_()
    expect(page.locator(".space:not(:has(.ring))")).to_have_count(2)
    expect(page.locator("[aria-busy=true]")).to_have_count(0)


def test_an_error_for_an_earlier_table_is_shown_until_the_player_returns_to_the_current_position(
    house: House, windows: Windows
) -> None:
    client, game_id = moved_meanwhile(house, "lena")
    windows.expected = "status of 404"
    page = at_table(windows.open(client), game_id)
    gone = {"status": 404, "title": "Not found", "detail": "That table is gone.", "code": "not-found"}
    page.route("**/games/*?at=*", lambda it: it.fulfill(status=404, json=gone))
    page.get_by_label("Back one move").click()
    expect(page.get_by_role("alert")).to_contain_text("That table is gone.")
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    page.get_by_role("button", name="Back to now").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.locator(".hand .star.open")).to_have_count(8)


def test_clicking_the_newest_move_shows_the_current_position(house: House, windows: Windows) -> None:
    client, game_id = moved_meanwhile(house, "nina")
    page = at_table(windows.open(client), game_id)
    page.locator(".story .moment").first.click()
    expect(page.get_by_label("Forward one move")).to_have_attribute("aria-disabled", "true")
    expect(page.locator(".hand .star.open")).to_have_count(8)


def test_returning_to_the_current_position_by_keyboard_does_not_play_a_chosen_move(
    house: House, windows: Windows
) -> None:
    client, game_id = moved_meanwhile(house, "olga")
    page = at_table(windows.open(client), game_id)
    page.locator(".hand .star.open").first.click()
    page.locator(".space.lit").first.click()
    expect(page.get_by_role("button", name="Play it")).to_be_focused()
    page.get_by_label("Back one move").press("Enter")
    expect(page.get_by_text("You're viewing an earlier move.")).to_be_visible()
    on = page.get_by_label("Forward one move")
    on.press("Enter")
    expect(page.get_by_role("button", name="Play it")).to_be_enabled()
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))")
    expect(on).to_be_focused()


def test_a_new_screen_begins_at_its_top(house: House, windows: Windows) -> None:
    client, game_id = moved_meanwhile(house, "mia")
    page = at_table(windows.open(client, **PHONE), game_id)
    page.evaluate("scrollTo(0, 600)")
    page.evaluate("location.hash = '#/rules/sternenhimmel'")
    expect(page.locator("main h1")).to_contain_text("Sternenhimmel")
    expect(page.locator("main")).to_be_focused()
    assert page.evaluate("scrollY") == 0


def test_a_table_begins_at_its_top_when_the_last_seat_is_taken(house: House, windows: Windows) -> None:
    host = sign_in(house, "host-at-the-top@example.org")
    game_id = game_of(host, ME, BOT, OPEN)
    page = windows.open(host, **PHONE)
    page.goto(f"/#/games/{game_id}")
    page.get_by_role("button", name="Let a bot play").click()
    expect(page.locator(".state .scores button")).to_have_count(3)
    expect(page.locator(".drawn .tray")).to_be_visible()
    assert page.evaluate("scrollY") == 0


# Who is ahead


HIDDEN = """() => {
    Object.defineProperty(document, 'hidden', { value: true });
    document.dispatchEvent(new Event('visibilitychange'));
}"""


def at_version(scores: list[tuple[int, list[int]]], version: int) -> list[int]:
    return [it for at, it in scores if at <= version][-1]


@pytest.mark.parametrize("rules", ["sternenhimmel", "sternenglanz"])
def test_the_standings_match_the_api_at_each_version(rules: str, house: House, windows: Windows) -> None:
    clients = [sign_in(house, f"{rules}-{name}@example.org") for name in ("one", "two", "three")]
    game_id = game_of(clients[0], ME, OPEN, OPEN, rules=rules)
    for client in clients[1:]:
        client.post(f"/v1/games/{game_id}/seats", {})
    for _ in range(30):
        any(play(client, game_id) for client in clients)
    version = clients[0].get(f"/v1/games/{game_id}")["version"]

    page = at_table(windows.open(clients[0], **PHONE), game_id)
    page.locator(".standings summary").tap()
    rows = page.locator(".standings tbody tr")
    scores = []
    for row in rows.all():
        button = row.locator("button")
        place = (button.get_attribute("aria-label") or "").removeprefix("Show the table: ")
        expect(button).to_have_text(re.sub("^(turn|move) | of [0-9]+", "", place))  # "turn 3 of 9 · 2/4"
        button.press("Enter")
        expect(page.locator(".history .faint")).to_have_text(place)
        at = int(page.locator(".history input").input_value())
        scores.append((at, [int(it) for it in row.locator("td").all_inner_texts()]))
    assert len(scores) > 1
    for at in range(1, version + 1):
        view = clients[0].get(f"/v1/games/{game_id}?at={at}")["view"]
        assert at_version(scores, at) == (view.get("coins") or view["points"]), at
    assert not too_wide(page) and not objections(page)

    page.evaluate(HIDDEN)
    expect(page.locator(".news.away")).to_be_visible()
    expect(page.locator(".standings details[open]")).to_have_count(1)

    chart = page.locator(".standings .chart")
    box = chart.bounding_box()
    assert box
    chart.tap(position={"x": box["width"] / 2, "y": box["height"] / 2})
    at = int(page.locator(".history input").input_value())
    assert abs(at - version / 2) < version / 10 + 1
    place = page.locator(".history .faint").inner_text()
    expect(chart).to_have_attribute("aria-label", re.compile(f"^Standings, {place}: "))
    page.locator(".standings tbody button").last.press("Enter")
    expect(page.locator(".history input")).to_have_value(str(scores[-1][0]))


def test_a_private_games_archive_can_be_saved(house: House, windows: Windows) -> None:
    one, other = (sign_in(house, f"{name}@example.org") for name in ("nora", "otto"))
    options = {"start_seat": 0, "max_rounds": 1}
    game = one.post("/v1/games", {"rules": "sternenglanz", "options": options, "private": True, "seats": [ME, OPEN]})
    other.post(f"/v1/games/{game['id']}/seats", {"invitation": game["invitation"]})
    play_to_the_end(game["id"], one, other)
    page = at_table(windows.open(one), game["id"])
    with page.expect_download() as saved:
        page.get_by_role("button", name="Archive").click()
    archive = json.loads(saved.value.path().read_bytes())
    assert archive["events"][-1]["type"] == "game-ended"
    assert saved.value.suggested_filename == f"{game['id']}.json"
