"""Stand-ins on the page: requesting one, accepting by email, and ending one."""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.page.axe import objections
from tests.page.windows import BOT, DESK, ME, OPEN, PHONE, Windows, game_of, too_wide
from tests.support.live_server import House, sign_in, until


def day(house: House, days: int) -> str:
    """Return a date by the server's clock, which other tests may have moved."""
    return (house.forward(timedelta(seconds=1)) + timedelta(days=days)).date().isoformat()


def to_form(page: Page, game_id: str) -> None:
    page.goto(f"/#/games/{game_id}")
    page.locator(".stand-in summary").click()


def asks(house: House, page: Page, email: str) -> None:
    form = page.locator(".stand-in form")
    form.get_by_label("Email address").fill(email)
    form.get_by_label("First day").fill(day(house, 0))
    form.get_by_label("Last day").fill(day(house, 6))
    form.get_by_role("button", name="Send request").click()


def word_for(house: House, email: str) -> str:
    mail = house.await_mail(email, lambda it: "stand in for a few days" in it.message["Subject"])
    found = re.search(r"/s/\w+", mail.text)
    assert found
    return found[0]


def test_a_chat_message_loads_no_stand_in_if_none_was_requested(house: House, windows: Windows) -> None:
    ada, ben = (sign_in(house, f"{who}-chats@example.org") for who in ("ada", "ben"))
    game_id = game_of(ada, ME, OPEN, BOT)
    ben.post(f"/v1/games/{game_id}/seats", {})
    page = windows.open(ada)
    to_form(page, game_id)
    expect(page.locator(".stand-in form")).to_be_visible()
    expect(page.locator(".news.live")).to_have_count(1)
    looked = windows.asked.count(where := f"{house.url}/v1/games/{game_id}/seats/me/stand-in")
    assert looked > 0
    for text in ("Hello!", "Are you there?"):
        ben.post(f"/v1/games/{game_id}/messages", {"text": text})
        expect(page.get_by_text(text)).to_be_attached()
    ben.post(f"/v1/games/{game_id}/votes", {"on": "pause", "vote": True}, status=200)
    expect(page.get_by_role("button", name="Agree")).to_be_visible()
    assert windows.asked.count(where) == looked


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_a_stand_in_accepts_by_email_and_plays_until_the_owner_ends_it(
    house: House, windows: Windows, size: dict[str, object]
) -> None:
    name = "desk" if size is DESK else "phone"
    ada, ben = (sign_in(house, f"{who}-{name}@example.org") for who in ("ada", "ben"))
    game_id = game_of(ada, ME, OPEN, BOT, title="A sky in spring")
    ben.post(f"/v1/games/{game_id}/seats", {})
    page, other = windows.open(ada, **size), windows.open(**size)
    to_form(page, game_id)
    asks(house, page, f"new-{name}@example.net")
    expect(page.locator(".stand-in").get_by_role("status")).to_contain_text(
        f"We've asked new-{name}@example.net to play"
    )
    assert not too_wide(page)

    other.goto(word_for(house, f"new-{name}@example.net"))
    expect(other.get_by_text(f"ada-{name} is asking you to stand in for a few days")).to_be_visible()
    assert not too_wide(other)
    other.get_by_label("Your name at the table:").fill("Night Owl")
    other.get_by_role("button", name="Stand in").click()
    expect(other.locator(".seats")).to_contain_text("You're standing in until")
    expect(other.get_by_text(f"You're now playing for ada-{name}.").first).to_be_attached()
    expect(other.locator(".seats")).not_to_contain_text("(you)")
    expect(other.get_by_role("button", name="Resign")).to_have_count(0)
    expect(other.locator(".hand .star.open").first).to_be_visible()  # it is the stand-in's turn
    assert not too_wide(other)

    expect(page.locator(".stand-in").get_by_role("status")).to_contain_text("Night Owl is playing until")
    expect(page.locator(".hand .star.open")).to_have_count(0)
    expect(page.get_by_text("A stand-in is playing for you.").first).to_be_attached()
    page.get_by_role("button", name="Stop the stand-in").click()
    expect(page.locator(".stand-in form")).to_be_attached()
    expect(page.locator(".hand .star.open").first).to_be_visible()
    expect(other.locator(".hand .star.open")).to_have_count(0)
    expect(other.locator(".stand-in")).to_have_count(0)


def test_a_stand_in_who_stops_returns_to_their_games(house: House, windows: Windows) -> None:
    ada, cyd = (sign_in(house, f"{who}-stops@example.org") for who in ("ada", "cyd"))
    game_id = game_of(ada, ME, BOT, BOT, private=True)
    path, today = f"/v1/games/{game_id}", day(house, 0)
    ada.post(f"{path}/seats/me/stand-in", {"email": "cyd-stops@example.org", "from": today, "until": day(house, 6)})
    word = word_for(house, "cyd-stops@example.org").removeprefix("/s/")
    cyd.post(f"/v1/stand-ins/{word}", {})
    page = windows.open(cyd, **PHONE)
    page.goto(f"/#/games/{game_id}")
    top = page.locator(".playing .strip")
    expect(top).to_contain_text("You're standing in for ada-stops until")
    expect(top.get_by_role("button", name="Stop standing in")).to_be_in_viewport(ratio=1)
    assert objections(page) == [] and not too_wide(page)
    top.get_by_role("button", name="Stop standing in").click()
    expect(top.get_by_text("The owner of the seat will play again.")).to_be_visible()
    assert not too_wide(page)
    top.get_by_role("button", name="Stop standing in").click()
    page.wait_for_url(re.compile("#/$"))
    assert ada.get(path)["seats"][0]["stood_in_by"] is None


def test_a_stand_in_whom_the_owner_stops_is_thanked_even_after_a_reload(house: House, windows: Windows) -> None:
    ada, cyd = (sign_in(house, f"{who}-stopped@example.org") for who in ("ada", "cyd"))
    game_id = game_of(ada, ME, BOT, BOT, private=True)
    path, today = f"/v1/games/{game_id}", day(house, 0)
    ada.post(f"{path}/seats/me/stand-in", {"email": "cyd-stopped@example.org", "from": today, "until": day(house, 6)})
    cyd.post(f"/v1/stand-ins/{word_for(house, 'cyd-stopped@example.org').removeprefix('/s/')}", {})
    page = windows.open(cyd)
    windows.expected = "404"
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(".hand .star.open").first).to_be_visible()
    until(lambda: page.evaluate("caches.open('sternenpost seen').then((it) => it.keys()).then((all) => all.length)"))
    ada.ask("DELETE", f"{path}/seats/me/stand-in")
    thanks = page.get_by_text("You're no longer standing in for ada-stopped. Thank you!")
    expect(thanks).to_be_visible()
    expect(page.get_by_text("not live")).to_have_count(0)
    expect(page.locator(".hand")).to_have_count(0)
    page.reload()
    expect(thanks).to_be_visible()


def test_an_error_is_shown_beside_the_form_and_an_ended_request_cannot_be_accepted(
    house: House, windows: Windows
) -> None:
    ada = sign_in(house, "ada@example.org")
    sign_in(house, "cyd@example.org")
    game_id = game_of(ada, ME, BOT, BOT)
    page, other = windows.open(ada), windows.open()
    windows.expected = "409"
    to_form(page, game_id)
    asks(house, page, "ada@example.org")
    expect(page.locator(".stand-in [role=alert]")).to_contain_text("can't stand in for one another")
    asks(house, page, "cyd@example.org")
    expect(page.locator(".stand-in").get_by_role("status")).to_be_visible()
    word = word_for(house, "cyd@example.org")
    page.get_by_role("button", name="Stop the stand-in").click()
    expect(page.locator(".stand-in form")).to_be_attached()
    other.goto(word)
    expect(other.get_by_text("This stand-in request is no longer open.")).to_be_visible()
    expect(other.get_by_role("button", name="Stand in")).to_have_count(0)


def test_a_stand_in_request_is_declined_with_one_tap(house: House, windows: Windows) -> None:
    ada = sign_in(house, "ada-declined@example.org")
    game_id = game_of(ada, ME, BOT, BOT, title="A sky in spring")
    page, other = windows.open(ada), windows.open(**PHONE)
    to_form(page, game_id)
    asks(house, page, "new-declined@example.net")
    other.goto(word_for(house, "new-declined@example.net"))
    assert not too_wide(other)
    other.get_by_role("button", name="No, thanks").click()
    expect(other.get_by_text("The player who asked gets an email.")).to_be_visible()
    expect(page.locator(".stand-in form")).to_be_attached()
    house.await_mail("ada-declined@example.org", lambda it: "can't play for you" in it.text)
