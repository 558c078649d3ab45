"""Screens of the page, and a server with content for each."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from playwright.sync_api import Locator, Page, expect

from tests.page.programs import play, play_to_the_end, whole_turn
from tests.page.sternenglanz_taps import Press, tap_out
from tests.page.windows import BOT, DESK, ME, OPEN, PHONE, game_of, quiet
from tests.support.live_server import Client, House, Json, Mail, Turn, sign_in

NOWHERE = "00000000-0000-4000-8000-000000000000"

SIZES = {"desk": DESK["viewport"], "phone": PHONE["viewport"]}


class Scene(NamedTuple):
    """A player with games in every state."""

    house: House
    player: Client
    games: dict[str, str]


def furnished(house: House) -> Scene:
    """Fill a server with content for every screen."""
    ada, ben, cyd = (sign_in(house, f"{name}@example.org") for name in ("ada", "ben", "cyd"))
    for client in (ben, cyd):
        quiet(client)
    games = {
        "sternenhimmel": game_of(ada, ME, BOT, BOT, title="A sky in spring"),
        "sternenhimmel, others": game_of(ada, ME, OPEN, OPEN),
        "sternenhimmel, over": game_of(ada, ME, OPEN, OPEN),
        "sternenglanz": game_of(ada, ME, OPEN, rules="sternenglanz"),
        "sternenglanz, others": game_of(ada, ME, OPEN, rules="sternenglanz"),
        "sternenglanz, over": game_of(ada, ME, OPEN, rules="sternenglanz", options={"start_seat": 0, "max_rounds": 5}),
        "waiting": game_of(ada, ME, OPEN, BOT),
        "private": game_of(ada, ME, OPEN, OPEN, private=True),
        "ready": game_of(ada, ME, OPEN, BOT, options={"ready_check": {"within": "P2D"}}),
        "nameless": game_of(ada, ME, OPEN, BOT, options={"nameless": True, "start_seat": 0}),
    }
    game_of(cyd, ME, OPEN, BOT, title="A seat is free here")
    for name in ("ready", "nameless"):
        ben.post(f"/v1/games/{games[name]}/seats", {})
    for name in (
        "sternenhimmel, others",
        "sternenhimmel, over",
        "sternenglanz",
        "sternenglanz, others",
        "sternenglanz, over",
    ):
        for client in (ben, cyd)[: 1 if name.startswith("sternenglanz") else 2]:
            client.post(f"/v1/games/{games[name]}/seats", {})
    play(ada, games["sternenglanz"])
    play(ben, games["sternenglanz"])
    for name in ("sternenhimmel, others", "sternenglanz, others"):
        while play(ada, games[name]):
            pass
    play_to_the_end(games["sternenhimmel, over"], ada, ben, cyd)
    play_to_the_end(games["sternenglanz, over"], ada, ben)
    for n in range(12):
        ben.post(
            f"/v1/games/{games['sternenhimmel, others']}/messages",
            {"text": f"I look at it from all sides.\nThe {n}th time."},
        )
    return Scene(house, ada, games)


# The screens

SCREENS: dict[str, Callable[[Page, Scene], None]] = {}
Screen = Callable[[Page, Scene], None]


def screen(go: Screen) -> Screen:
    SCREENS[go.__name__.replace("_", " ")] = go
    return go


def to_table(page: Page, scene: Scene, name: str) -> None:
    page.goto(f"/#/games/{scene.games[name]}")
    expect(page.locator(".state")).to_be_visible()
    expect(page.locator(".news.live, .news.over")).to_have_count(1)


@screen
def my_games(page: Page, scene: Scene) -> None:
    page.goto("/#/")
    expect(page.locator(".card.game").first).to_be_visible()


@screen
def lobby(page: Page, scene: Scene) -> None:
    page.goto("/#/lobby")
    expect(page.locator(".card.game").first).to_be_visible()


@screen
def opening(page: Page, scene: Scene) -> None:
    page.goto("/#/open")
    expect(page.locator("form")).to_be_visible()


@screen
def a_room_with_free_seats(page: Page, scene: Scene) -> None:
    page.goto(f"/#/games/{scene.games['waiting']}")
    expect(page.locator(".seats")).to_be_visible()


@screen
def a_private_room(page: Page, scene: Scene) -> None:
    page.goto(f"/#/games/{scene.games['private']}")
    expect(page.locator(".seats")).to_be_visible()


@screen
def a_room_where_all_are_asked_whether_they_are_ready(page: Page, scene: Scene) -> None:
    page.goto(f"/#/games/{scene.games['ready']}")
    expect(page.locator(".ready button").first).to_be_visible()


@screen
def a_nameless_table(page: Page, scene: Scene) -> None:
    to_table(page, scene, "nameless")


@screen
def a_stand_in_asked_for(page: Page, scene: Scene) -> None:
    to_table(page, scene, "sternenhimmel, others")
    page.locator(".stand-in summary").click()
    expect(page.locator(".stand-in input[name=until]")).to_be_visible()


@screen
def a_sternenhimmel_that_waits_for_others(page: Page, scene: Scene) -> None:
    to_table(page, scene, "sternenhimmel, others")
    expect(page.locator(".chat li").nth(11)).to_be_attached()


def history(page: Page) -> Locator:
    """Show earlier tables, which a phone hides at first."""
    if not page.locator(".history").is_visible():
        page.locator(".tools .tool[aria-pressed]").first.click()
    return page.locator(".history")


@screen
def a_sternenhimmel_of_earlier(page: Page, scene: Scene) -> None:
    history(page).locator("button").first.click()
    expect(page.locator(".history input")).to_have_value("1")
    expect(page.locator(".coming")).to_have_count(0)  # pending entries are dimmed


@screen
def a_sternenhimmel_that_is_over(page: Page, scene: Scene) -> None:
    to_table(page, scene, "sternenhimmel, over")
    page.locator(".story > button").click()
    expect(page.locator(".story li").nth(60)).to_be_attached()


@screen
def a_scoring(page: Page, scene: Scene) -> None:
    page.locator(".story .watch").first.click()
    expect(page.locator("dialog.scoring")).to_be_visible()
    page.keyboard.press("End")


@screen
def moves_played_again(page: Page, scene: Scene) -> None:
    page.keyboard.press("Escape")
    history(page).locator("button").nth(2).click()
    expect(page.locator(".replay")).to_be_visible()
    expect(page.locator(".coming")).to_have_count(0)


@screen
def a_turn_of_sternenhimmel(page: Page, scene: Scene) -> None:
    to_table(page, scene, "sternenhimmel")
    expect(page.locator(".hand .star.open")).to_have_count(9)


@screen
def a_move_looked_at(page: Page, scene: Scene) -> None:
    page.locator(".hand .star.open").first.click()
    page.locator(".space.lit").first.click()
    expect(page.locator(".confirm")).to_be_visible()


@screen
def a_hint(page: Page, scene: Scene) -> None:
    to_table(page, scene, "sternenhimmel")
    page.locator("[data-tool=hint]").click()
    expect(page.locator(".hint li")).not_to_have_count(0)


@screen
def a_sternenglanz_that_waits_for_others(page: Page, scene: Scene) -> None:
    to_table(page, scene, "sternenglanz, others")


@screen
def a_sternenglanz_of_earlier(page: Page, scene: Scene) -> None:
    history(page).locator("button").first.click()
    expect(page.locator(".history > button")).to_have_count(4)
    expect(page.locator(".coming")).to_have_count(0)


@screen
def a_sternenglanz_that_is_over(page: Page, scene: Scene) -> None:
    to_table(page, scene, "sternenglanz, over")


@screen
def a_turn_of_sternenglanz(page: Page, scene: Scene) -> None:
    to_table(page, scene, "sternenglanz")
    expect(page.locator(".slot.lit")).to_have_count(3)


@screen
def steps_looked_at(page: Page, scene: Scene) -> None:
    keys: Press = partial(Locator.press, key="Enter")
    tap_out(page, whole_turn(scene.player, scene.games["sternenglanz"]), keys)
    expect(page.locator(".send")).to_be_visible()


@screen
def the_rules_beside_a_table(page: Page, scene: Scene) -> None:
    page.locator("[data-tool=rules]").click()
    expect(page.locator("dialog [data-section]").last).to_be_visible()


@screen
def the_rules_of_sternenhimmel(page: Page, scene: Scene) -> None:
    page.goto("/#/rules/sternenhimmel")
    expect(page.locator(".rules [data-section]").last).to_be_visible()


@screen
def the_rules_of_sternenglanz(page: Page, scene: Scene) -> None:
    page.goto("/#/rules/sternenglanz")
    expect(page.locator(".rules [data-section]").last).to_be_visible()


def section(name: str, last: str) -> Screen:
    def settings(page: Page, scene: Scene) -> None:
        page.goto(f"/#/settings/{name}")
        expect(page.locator(f".settings .card {last}").first).to_be_visible()

    return settings


LAST_TO_COME = dict.fromkeys(("profile", "time-off", "notifications", "calendar", "webhooks"), "button")
LAST_TO_COME |= {"letters": "li", "tokens": "li"}
SCREENS |= {f"settings, {name}": section(name, last) for name, last in LAST_TO_COME.items()}


@screen
def a_players_page(page: Page, scene: Scene) -> None:
    _, ben, _ = scene.player.get(f"/v1/games/{scene.games['sternenhimmel, over']}")["seats"]
    page.goto(f"/#/players/{ben['player']}")
    expect(page.locator(".player section")).to_have_count(3)
    page.locator(".player summary").click()
    expect(page.locator(".player textarea")).to_be_visible()


@screen
def what_an_app_asks_for(page: Page, scene: Scene) -> None:
    back = "https://watch.example/back"
    wanted = {"client_name": "Night Watch", "redirect_uris": [back]}
    app = scene.player.post("/oauth/register", wanted)["client_id"]
    proof = f"code_challenge={'A' * 43}&code_challenge_method=S256"
    page.goto(
        f"/oauth/authorize?response_type=code&client_id={app}&redirect_uri={back}&scope=games:read%20moves:write&{proof}"
    )
    expect(page.get_by_role("button").first).to_be_visible()


@screen
def a_game_that_does_not_exist(page: Page, scene: Scene) -> None:
    page.goto(f"/#/games/{NOWHERE}")
    expect(page.locator("main a[href='#/lobby']")).to_be_visible()


def by_the_link_of_a_mail(page: Page, scene: Scene) -> Iterator[str]:
    for name, shown in (("sternenhimmel", ".hand .star.open"), ("sternenglanz", ".slot.lit")):
        game = scene.player.get(f"/v1/games/{scene.games[name]}")
        mail = scene.house.await_mail("ada@example.org", partial(is_link_to, game))
        page.goto(f"/t/{mail.word('t')}")
        expect(page.locator(shown).first).to_be_visible()
        yield f"{name}, by its link"


def is_link_to(game: Json, mail: Mail) -> bool:
    """Return whether this letter is about the current turn, as there may be an older one."""
    word = mail.word("t")
    if word is None:
        return False
    turn = Turn.of(word)
    return (str(turn.game_id), turn.number) == (game["id"], game["you"]["turn"])


def signing_in(page: Page) -> Iterator[str]:
    """Show the screens of a new visitor and yield their names."""
    page.goto("/#/sign-in")
    expect(page.locator("input[type=email]")).to_be_visible()
    yield "signing in"
    page.locator("input[type=email]").fill("zoe@example.org")
    page.locator("input[type=email]").press("Enter")
    expect(page.locator("input[name=code]")).to_be_visible()
    yield "the code"
    page.goto("/#/lobby")
    expect(page.locator(".card.game").first).to_be_visible()
    yield "the lobby from outside"
