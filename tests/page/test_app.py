"""The page as an app: installable, readable offline, and notified of a newer release."""

import json
import re
import shutil
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.page.layout import shift, watched
from tests.page.programs import play
from tests.page.windows import BOT, ME, OPEN, Windows, game_of
from tests.support.live_server import CHECKOUT, Client, House, sign_in, until
from tests.support.push_reader import PushReader
from tests.support.webhook_receiver import Receiver

CONTROLLED = "() => navigator.serviceWorker.controller"


def comes_true(page: Page, promise: str) -> None:
    """This promise says yes by and by. `wait_for_function` would not wait: to it, every promise is true."""
    until(lambda: page.evaluate(promise) or page.wait_for_timeout(50))


def kept(windows: Windows, client: Client, address: str) -> Page:
    """A window at this address, whose device keeps the page."""
    page = windows.open(client, service_workers="allow")
    page.goto(address)
    page.wait_for_function(CONTROLLED)
    page.reload()  # what is seen from here on is kept
    return page


def test_a_cached_table_is_shown_offline_but_not_labelled_as_live(house: House, windows: Windows) -> None:
    ada = sign_in(house, "ada@example.org")
    windows.expected = "ERR_|Failed to load"
    page = kept(windows, ada, f"/#/games/{game_of(ada, ME, BOT, BOT, title='A clear night')}")
    expect(page.locator(".news.live")).to_be_visible()
    page.context.set_offline(True)
    page.reload()
    expect(page.get_by_role("heading", name="A clear night")).to_be_visible()
    expect(page.locator(".hand .star")).to_have_count(9)
    expect(page.locator(".notice.away")).to_be_visible()
    expect(page.locator(".news.live")).to_have_count(0)
    page.context.set_offline(False)
    expect(page.locator(".notice.away")).to_have_count(0)
    expect(page.locator(".news.live")).to_be_visible()


def test_the_summary_of_an_absence_does_not_move_a_cached_table(house: House, windows: Windows) -> None:
    ada, ben = (sign_in(house, f"{name}-away@example.org") for name in ("ada", "ben"))
    game_id = game_of(ada, ME, OPEN, BOT, options={"start_seat": 0})
    ben.post(f"/v1/games/{game_id}/seats", {})
    play(ada, game_id)
    page = kept(windows, ada, f"/#/games/{game_id}")
    expect(page.locator(".news.live")).to_be_visible()
    comes_true(page, KEPT)
    page.goto("/docs/desk")
    play(ben, game_id)
    until(lambda: ada.get(f"/v1/games/{game_id}")["you"]["turn"])
    watched(page).add_init_script("Date.now = ((now) => () => now() + 3_600_000)(Date.now)")
    page.goto(f"/#/games/{game_id}")
    expect(page.get_by_role("button", name="Got it")).to_be_in_viewport(ratio=1)
    assert shift(page) < 0.02


def test_signing_out_deletes_cached_tables(house: House, windows: Windows) -> None:
    ada = sign_in(house, "ada@example.org")
    page = kept(windows, ada, f"/#/games/{game_of(ada, ME, BOT, BOT)}")
    expect(page.locator(".news.live")).to_be_visible()
    comes_true(page, KEPT)
    before = page.evaluate(KEYS)
    windows.expected = "status of 401"  # what was asked a moment before, while the token ended
    page.get_by_role("button", name="Sign out").click()
    comes_true(page, f"() => ({KEYS})().then((it) => !it.some((one) => {json.dumps(before)}.includes(one)))")


KEYS = """() => caches.open("sternenpost seen").then((it) => it.keys()).then((all) => all.map((it) => it.url))"""
KEPT = f"() => ({KEYS})().then((all) => all.some((it) => it.includes('seen-by')))"


def unanswered(page: Page) -> None:
    """Leave all requests for games and the profile unanswered from now on."""
    page.route(re.compile(r"/v1/(games|me)"), lambda route: None)


def test_a_cached_table_is_drawn_for_its_owner_only_before_the_server_responds(house: House, windows: Windows) -> None:
    ada, bea = (sign_in(house, f"{name}.again@example.org") for name in ("ada", "bea"))
    game_id = game_of(ada, ME, BOT, BOT, title="A clear night")
    page = windows.open()
    page.goto("/")
    page.evaluate("(it) => localStorage.setItem('sternenpost.token', it)", ada.token)
    page.reload()  # before the table is opened: unseen parts would be stored, too
    page.goto(f"/#/games/{game_id}")
    expect(page.locator(".hand .star.open")).to_have_count(9)
    expect(page.locator(".news.live")).to_be_visible()
    comes_true(page, KEPT)
    unanswered(page)
    page.reload()
    expect(page.get_by_role("heading", name="A clear night")).to_be_visible()
    expect(page.locator(".hand .star.open")).to_have_count(9)
    expect(page.locator(".news.live")).to_have_count(0)
    page.evaluate("(it) => localStorage.setItem('sternenpost.token', it)", bea.token)
    page.reload()
    expect(page.get_by_role("heading", name="The table", exact=True)).to_be_attached()
    assert page.locator(".hand").count() == 0
    page.unroute_all()

    turn = ada.get(f"/v1/games/{game_id}")["you"]["turn"]
    move = ada.get(f"/v1/games/{game_id}/legal-moves")["moves"][0]
    ada.post(f"/v1/games/{game_id}/moves", {"turn": turn, "move": move})
    page.evaluate("(it) => localStorage.setItem('sternenpost.token', it)", ada.token)
    page.reload()
    expect(page.locator(".news.live")).to_be_visible()
    expect(page.locator(".hand .star")).to_have_count(8)  # what is kept is past


def test_the_page_can_be_installed(house: House) -> None:
    client = Client(house)
    manifest = client.get("/manifest.webmanifest")
    assert (manifest["start_url"], manifest["display"]) == ("/", "standalone")
    for icon in manifest["icons"]:
        assert client.ask("GET", icon["src"]).headers["content-type"].startswith(icon["type"])


def test_an_open_page_survives_an_upgrade_and_offers_to_reload(house: House, windows: Windows, tmp_path: Path) -> None:
    ada = sign_in(house, "ada@example.org")
    page = kept(windows, ada, "/#/")
    expect(page.get_by_role("heading", name="My games")).to_be_visible()
    shutil.copytree(CHECKOUT / "server", tmp_path / "server")
    shutil.copy(CHECKOUT / "wsgi.py", tmp_path)
    later = tmp_path / "server" / "page" / "words" / "en" / "lobby.json"
    later.write_text(re.sub('"lobby.kinds": "[^"]*"', '"lobby.kinds": "Of another release"', later.read_text()))
    windows.expected = "ERR_|Failed to load"
    house.restart_web(tmp_path)
    page.evaluate("navigator.serviceWorker.getRegistration().then(it => it.update())")
    expect(page.get_by_text("A new version is available.")).to_be_visible()
    page.locator("nav").get_by_role("link", name="Lobby").click()  # a room that was not entered before
    expect(page.get_by_role("heading", name="Lobby")).to_be_visible()
    expect(page.get_by_role("navigation", name="Of another release")).to_have_count(0)
    page.get_by_role("button", name="Reload").click()
    expect(page.get_by_role("navigation", name="Of another release")).to_be_visible()
    house.restart_web()


SUBSCRIBED = """({ endpoint, keys }) => {
  let kept = null;
  const unsubscribe = async () => { kept = null; return true; };
  const subscription = { endpoint, toJSON: () => ({ endpoint, keys }), unsubscribe };
  PushManager.prototype.subscribe = async () => (kept = subscription);
  PushManager.prototype.getSubscription = async () => kept;
}"""


def test_a_subscribed_browser_gets_turn_notifications(house: House, windows: Windows) -> None:
    """Chromium's own push service is elsewhere: one of ours, on the loopback, gets what is sent and can read it."""
    ada = sign_in(house, "ada.told@example.org")  # for whom no other game waits
    service, reader = Receiver(), PushReader()
    page = kept(windows, ada, "/#/settings/notifications")
    page.context.grant_permissions(["notifications"])
    page.evaluate(SUBSCRIBED, {"endpoint": service.url, "keys": reader.keys})
    page.get_by_role("button", name="Notify me in this browser").click()
    expect(page.get_by_role("button", name="Turn off notifications here")).to_be_visible()
    game_id = game_of(ada, ME, BOT, BOT, title="A clear night")
    until(lambda: service.calls or page.wait_for_timeout(100))
    message = reader.read(service.calls[0].body)
    games = ada.get("/v1/games?mine=true&status=running")["items"]
    waiting = sum(game["you"]["turn"] is not None for game in games)
    assert message.items() >= {"title": "A clear night", "game": game_id, "waiting": waiting}.items()

    page.locator("[name=push-reminder]").uncheck()
    until(lambda: ada.get("/v1/me")["notifications"].get("push") == {"reminder": "off"} or page.wait_for_timeout(100))
    service.stop()


def test_signing_out_unsubscribes_the_browser(house: House, windows: Windows) -> None:
    windows.expected = "status of 401"  # what was asked a moment before, while the token ended
    bea = sign_in(house, "bea@example.org")
    page = kept(windows, bea, "/#/settings/notifications")
    page.context.grant_permissions(["notifications"])
    page.evaluate(SUBSCRIBED, {"endpoint": "http://127.0.0.1:9/bea", "keys": PushReader().keys})
    on, off = (
        page.get_by_role("button", name=it) for it in ("Notify me in this browser", "Turn off notifications here")
    )
    on.click()
    expect(off).to_be_visible()

    [row] = bea.get("/v1/push-subscriptions")["items"]
    bea.ask("DELETE", f"/v1/push-subscriptions/{row['id']}")
    page.evaluate("location.hash = '#/'")
    expect(off).to_have_count(0)
    page.evaluate("location.hash = '#/settings/notifications'")
    expect(on).to_be_visible()  # the browser has a subscription of which the server knows nothing
    on.click()
    expect(off).to_be_visible()

    page.evaluate("location.hash = '#/'")
    page.get_by_role("button", name="Sign out", exact=True).click()
    until(lambda: page.evaluate("localStorage.getItem('sternenpost.token')") is None)
    assert page.evaluate("navigator.serviceWorker.ready.then((it) => it.pushManager.getSubscription())") is None
    assert sign_in(house, "bea@example.org").get("/v1/push-subscriptions")["items"] == []
