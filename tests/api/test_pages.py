"""The plain pages and the handbook in a real browser."""

import re
from collections.abc import Iterator
from typing import NamedTuple
from uuid import UUID

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, expect

from server.accounts.apps import end_app_token, register_client
from server.accounts.players import change_profile
from server.accounts.sign_in import begin_sign_in
from server.accounts.unsubscribe import stop_token
from server.app import create_app
from server.config import Settings
from server.docs import DOCUMENTS
from server.games import Json, sternenglanz
from server.games.presentation import in_words
from server.play.commits import load, whole_log
from server.play.moves import legal_moves, play_move
from server.play.seating.games import open_game
from server.play.seating.seats import leave, return_word
from server.play.turns.turn_links import caller, turn_word
from server.play.views import describe, load_visible
from server.post.delivery import PostOffice
from server.post.smtp import carrier
from server.store import embedded_postgres
from tests.support import databases
from tests.support.browser import PATIENCE_MS, chromium
from tests.support.games import ME, OPEN, game_of, moves_of, moves_on, person, service_is_up, turn_of, wanted
from tests.support.live_server import AT_ONCE
from tests.support.web_servers import serve

assert chromium  # a fixture

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 740}
ENOUGH = 4.5  # contrast of text and what is behind it (WCAG 2.2, 1.4.3)


class Site(NamedTuple):
    """The web in this process, with a browser's address for it."""

    app: Flask
    url: str


@pytest.fixture(scope="module")
def site(
    postgres: embedded_postgres.Server, template_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    settings = {
        "DATABASE_URL": databases.create_database(postgres.url, "pages", template="template_of_tests"),
        "STERNENPOST_DATA": str(tmp_path_factory.mktemp("data")),
        "STERNENPOST_SANDBOX": "on",
    }
    app = create_app(Settings.from_environment(settings))
    with serve(app) as url, app.app_context():
        app.config["BASE_URL"] = url
        service_is_up()
        yield Site(app, url)


@pytest.fixture
def page(request: pytest.FixtureRequest, chromium: Browser, site: Site) -> Iterator[Page]:
    """Open a phone window (also a desktop one by ON_BOTH), and check that it calls only this site and logs no
    errors."""
    with chromium.new_context(viewport=getattr(request, "param", PHONE), base_url=site.url) as context:
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        asked, complaints = list[str](), list[str]()
        page.on("request", lambda it: asked.append(it.url))
        page.on("console", lambda it: complaints.append(it.text) if it.type in ("error", "warning") else None)
        page.on("pageerror", lambda it: complaints.append(str(it)))
        yield page
        assert [url for url in asked if not url.startswith((site.url, "data:"))] == []
        assert [it for it in complaints if not re.search(r"status of 4(01|04|09|10|22) ", it)] == []
        page.wait_for_load_state()  # its style is there
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


ON_BOTH = pytest.mark.parametrize("page", [DESKTOP, PHONE], ids=["desktop", "phone"], indirect=True)


# The handbook


@ON_BOTH
def test_calls_can_be_searched_and_code_stays_in_the_chosen_programming_language(page: Page) -> None:
    page.goto("/docs/api/moves")
    page.get_by_label("Search").fill("patch seats/me")
    expect(page.locator(".find li").first).to_contain_text("PATCH /v1/games/{game_id}/seats/me")
    page.get_by_label("Search").press("Enter")
    expect(page).to_have_url(re.compile("/docs/api/games#changeOwnSeat$"))
    page.locator("#changeOwnSeat ~ details > summary").get_by_text("Python").first.click()
    page.goto("/docs/api/plans")
    expect(
        page.locator("#getPlan ~ details > pre, #getPlan ~ details > .code").filter(visible=True).first
    ).to_contain_text("urlopen")


@ON_BOTH
def test_the_search_on_every_page_finds_calls_problems_schemas_and_words(page: Page) -> None:
    for path in ("/docs", "/docs/recipes", "/problems/not-found"):
        page.goto(path)
        for words, first in (
            ("playMove", "POST /v1/games/{game_id}/moves Play a move"),
            ("dry_run foresee", "POST /v1/games/{game_id}/moves Play a move"),
            ("stale-turn", "stale-turn: This isn't your current turn"),
            ("schema foresight", "Schema Foresight"),
            ("without http", "Write a bot in 30 lines: Without HTTP, in any language"),
            ("play a move", "POST /v1/games/{game_id}/moves Play a move"),
            ("make a move", "POST /v1/games/{game_id}/moves Play a move"),
            ("POST /v1/games/{id}/moves", "POST /v1/games/{game_id}/moves Play a move"),
            ("space-taken", "illegal-plan: This move can't be planned"),
            ("pagination", "Recipes: Deadlines and paginated lists"),
            ("cancel game", "DELETE /v1/games/{game_id} Close your game before it starts"),
        ):
            page.get_by_label("Search").fill(words)
            expect(page.locator(".find li").first).to_have_text(first)
        page.get_by_label("Search").fill("xyzzy")
        expect(page.get_by_text("0 results")).to_be_visible()


@pytest.mark.parametrize("page", [DESKTOP], ids=["desktop"], indirect=True)
def test_the_list_of_calls_marks_the_current_call(page: Page) -> None:
    page.goto("/docs/api/moves#playMove")
    current = page.locator("nav.calls li [aria-current]")
    expect(current).to_contain_text("Play a move")
    page.locator("nav.calls").get_by_text("List your legal moves").click()
    expect(current).to_have_text(re.compile("List your legal moves"))


@pytest.mark.parametrize("page", [{"width": 390, "height": 844}], ids=["phone"], indirect=True)
def test_all_code_in_the_handbook_fits_on_a_phone_or_shows_that_it_scrolls(page: Page) -> None:
    for path in ("/docs", "/docs/api/moves", "/docs/api/games", *(f"/docs/{name}" for name in DOCUMENTS)):
        page.goto(path)
        cut_off = page.locator("main pre").evaluate_all("""all => all.filter((it) => it.checkVisibility())
          .filter((it) => it.scrollWidth > it.clientWidth || (it.scrollHeight > it.clientHeight
            && !getComputedStyle(it).backgroundAttachment.includes("local"))).map((it) => it.textContent)""")
        assert cut_off == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


# A turn


class Turn(NamedTuple):
    """What a person is asked for: the game, the link in the mail, and two moves."""

    game_id: UUID
    link: str
    plain: str  # where it leads without scripts
    move: str
    other: str

    def commits(self) -> int:
        """How many there were in this game."""
        return whole_log(self.game_id)[-1].version


@pytest.fixture
def turn(site: Site) -> Turn:
    ada = person("ada")
    game_id = game_of(ada, person("ben"), person("cleo"), title="A clear night")
    number = turn_of(game_id, ada)
    lines = [" ".join(move[part] for part in ("star", "board", "space")) for move in moves_of(game_id, ada)]
    link = f"/t/{turn_word(game_id, 0, number)}"
    return Turn(game_id, link, f"{link}/plain", lines[0], lines[-1])


@ON_BOTH
def test_a_move_is_typed_previewed_confirmed_and_played_once(page: Page, turn: Turn) -> None:
    page.goto(turn.plain)
    expect(page).to_have_title("A clear night · Sternenpost")
    page.get_by_label("Your move").fill(turn.move)
    page.get_by_role("button", name="Preview this move").click()
    expect(page.get_by_text("You can take the move back until another player moves")).to_be_visible()
    assert turn.commits() == 1
    page.get_by_role("button", name=f"Play {turn.move}").click()
    expect(page.get_by_text(f"Played: {turn.move}.")).to_be_visible()
    expect(page.get_by_role("listitem").first).to_have_text(re.compile("You put a .* on"))
    assert turn.commits() == 2
    page.reload()  # the browser sends the form again
    expect(page.get_by_text(f"Played: {turn.move}.")).to_be_visible()
    assert turn.commits() == 2


@ON_BOTH
def test_a_move_can_be_chosen_by_tapping_and_then_changed(page: Page, turn: Turn) -> None:
    page.goto(turn.plain)
    for move in (turn.move, turn.other):
        page.get_by_text("Choose from all").click()
        page.get_by_role("button", name=f"Preview {move}", exact=True).click()
        expect(page.get_by_role("button", name=f"Play {move}")).to_be_visible()
        page.get_by_role("link", name="Choose another").click()
        expect(page.get_by_label("Your move")).to_be_visible()
    assert turn.commits() == 1


def test_viewing_and_reloading_change_nothing(page: Page, turn: Turn) -> None:
    for _ in range(2):
        page.goto(turn.plain)
        page.reload()
        expect(page.get_by_role("heading", name="The table")).to_be_visible()
    assert turn.commits() == 1


def test_an_unplayable_move_is_reported_and_can_be_corrected(page: Page, turn: Turn) -> None:
    page.goto(turn.plain)
    page.get_by_label("Your move").fill("9 leo z")
    page.get_by_role("button", name="Preview this move").click()
    expect(page.get_by_role("alert")).to_contain_text("This star doesn't exist")
    expect(page.get_by_label("Your move")).to_have_value("9 leo z")
    assert turn.commits() == 1


def test_the_table_is_shown_as_a_picture_and_text_with_the_deadline_in_local_time(page: Page, turn: Turn) -> None:
    change_profile(person("ada"), {"zone": "Asia/Tokyo"})
    page.goto(turn.plain)
    picture = page.get_by_role("img", name="Picture of the table")
    assert picture.evaluate("it => it.complete && it.naturalWidth") == 720
    expect(page.locator("pre")).to_contain_text("Your hand: 1 3 5 6 7 10 B D D")
    expect(page.get_by_text("(Asia/Tokyo, UTC+9)")).to_be_visible()


def test_a_link_to_a_past_turn_says_that_the_turn_is_over(page: Page, turn: Turn) -> None:
    ada = person("ada")
    play_move(turn.game_id, ada, turn_of(turn.game_id, ada), moves_of(turn.game_id, ada)[0])
    page.goto(turn.plain)
    expect(page.get_by_role("heading")).to_have_text("This turn is over")


@pytest.mark.parametrize(
    ("locale", "words", "refused"),
    [
        ("de", "Du bist am Zug. Bitte ziehe bis ", "nicht. Seine Felder sind"),
        ("en", "It's your turn. Please move by ", "has no such space. Its spaces are"),
        ("fr", "C’est ton tour. Joue avant le ", ". Ses cases sont"),
        ("it", "Tocca a te. Muovi entro ", ". Le sue caselle sono"),
    ],
)
def test_a_turn_is_shown_in_the_language_of_its_player(
    page: Page, turn: Turn, locale: str, words: str, refused: str
) -> None:
    change_profile(person("ada"), {"locale": locale})
    page.goto(turn.plain)
    assert page.locator("html").get_attribute("lang") == locale
    expect(page.get_by_text(words)).to_be_visible()
    page.locator("#move").fill(f"{turn.move[:-1]}z")
    page.locator("#move").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text(refused)
    change_profile(person("ada"), {"locale": "en"})


def test_an_unknown_reader_sees_the_page_in_their_browsers_language(chromium: Browser, site: Site) -> None:
    with chromium.new_context(base_url=site.url, locale="de-CH") as context:
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.goto("/t/abc")
        expect(page.get_by_role("heading")).to_have_text("Seite nicht gefunden")
        assert page.locator("html").get_attribute("lang") == "de"


def test_a_truncated_link_gets_a_hint(page: Page, turn: Turn) -> None:
    page.goto(turn.link[:-1])
    expect(page.get_by_role("heading")).to_have_text("Page not found")


# A turn of several moves


@pytest.fixture
def long_turn(site: Site) -> Turn:
    """Ada begins a game of Sternenglanz, the first cards being chosen."""
    people = [person("ada"), person("ben")]
    options = {"start_seat": 0, "scenario": 1}
    game_id = game_of(*people, title="A long night", rules="sternenglanz", options=options)
    for who in people:
        moves_on(game_id, who)
    lines = [sternenglanz.write_move(move) for move in sternenglanz.legal_moves(load(game_id).table.state, 0)]
    link = f"/t/{turn_word(game_id, 0, turn_of(game_id, people[0]))}"
    return Turn(game_id, link, f"{link}/plain", lines[0], lines[-1])


@ON_BOTH
def test_a_whole_turn_can_be_tapped_step_by_step(page: Page, long_turn: Turn) -> None:
    page.goto(long_turn.plain)
    expect(page.get_by_text("It's your turn")).to_be_visible()
    commits = long_turn.commits()
    for step in range(1, 5):
        page.get_by_text("Choose from all").click()
        page.get_by_role("button", name="Preview").nth(1).click()
        page.get_by_role("button", name="Play ").click()
        expect(page.get_by_text("Played: ")).to_be_visible()
        assert long_turn.commits() == commits + step
        if page.get_by_text("We'll email you").is_visible():
            break
        expect(page.get_by_text("Your turn continues")).to_be_visible()
        page.reload()  # the browser sends the form again
        assert long_turn.commits() == commits + step
    expect(page.get_by_text("We'll email you when it's your turn again.")).to_be_visible()
    assert turn_of(long_turn.game_id, person("ben")) is not None


def test_a_whole_turn_can_be_typed_in_one_line(page: Page, long_turn: Turn) -> None:
    begun: list[Json] = []
    while steps := legal_moves(long_turn.game_id, person("ada"), begun)["moves"]:
        begun.append(steps[0])
    line = "; ".join(sternenglanz.write_move(sternenglanz.move_from_json(step)) for step in begun)
    commits = long_turn.commits()
    page.goto(long_turn.plain)
    page.get_by_text("How to write a move").click()
    expect(page.get_by_text("or several separated by semicolons")).to_be_visible()
    page.get_by_label("Your move").fill(line)
    page.get_by_role("button", name="Preview this move").click()
    spoken = in_words(sternenglanz, line, "en").replace("\u00a0", " ")
    page.get_by_role("button", name=f"Play {spoken}").click()
    expect(page.get_by_text(f"Played: {spoken}.")).to_be_visible()
    expect(page.get_by_text("We'll email you when it's your turn again.")).to_be_visible()
    assert long_turn.commits() == commits + 1


def test_a_link_to_a_partly_played_turn_leads_to_the_rest_of_the_turn(page: Page, long_turn: Turn) -> None:
    page.goto(long_turn.plain)
    page.get_by_label("Your move").fill(long_turn.move)
    moves_on(long_turn.game_id, person("ada"))  # by another way, meanwhile
    page.get_by_role("button", name="Preview this move").click()
    expect(page.get_by_role("alert")).to_have_text("Part of this turn has already been played. Here's the rest.")
    page.goto(long_turn.plain)
    expect(page.get_by_text("Your turn continues")).to_be_visible()
    page.get_by_text("Choose from all").click()
    page.get_by_role("button", name="Preview").nth(1).click()
    page.get_by_role("link", name="Choose another").click()
    expect(page.get_by_text("Your turn continues")).to_be_visible()


# The other links in mails


def mailed(site: Site, page: str) -> str:
    """The newest letter with a link to this kind of page, once all that are due have arrived."""
    post = PostOffice(site.app, carrier(site.app.config["MAILBOX"]))
    post.deliver_due()
    post.wait()
    letters = site.app.test_client().get("/sandbox/mail", headers={"Accept": "application/json"}).json["items"]
    return next(letter["text"] for letter in letters if f"/{page}/" in letter["text"])


def mailed_link(site: Site, page: str) -> str:
    return re.search(rf"/{page}/\S+", mailed(site, page))[0]


def test_an_invitation_can_be_accepted_by_pressing_a_button(page: Page, site: Site) -> None:
    game_id = open_game(person("ada"), wanted(ME, {"email": "dora@example.org"}, OPEN, title="Three of us")).game_id
    link = mailed_link(site, "i")
    for _ in range(2):
        page.goto(link)
        expect(page.get_by_text("At the table: ada, you, an open seat")).to_be_visible()
    expect(page.get_by_label("Your name at the table:")).to_have_value("Dora")  # from the address
    page.get_by_label("Your name at the table:").fill("Dora")
    page.get_by_role("button", name="Take your seat").click()
    page.wait_for_url(re.compile(f"#/games/{game_id}$"))
    game = load_visible(game_id, person("dora"))
    assert (game.seat_of(person("dora")), game.names[1]) == (1, "Dora")
    page.goto(link)
    expect(page.get_by_text("Waiting for one more player.")).to_be_visible()


def test_a_link_to_a_turn_that_never_existed_says_so(page: Page, turn: Turn) -> None:
    for address in (f"/t/{turn_word(turn.game_id, 0, 99)}", f"/t/{turn_word(turn.game_id, 0, 99)}/plain"):
        page.goto(address)
        expect(page.get_by_role("heading", name="No such turn")).to_be_visible()
        expect(page.get_by_text("There has been no turn 99 in this game.")).to_be_visible()


def test_a_player_who_left_can_return_by_pressing_a_button(page: Page, turn: Turn) -> None:
    leave(turn.game_id, person("ada"))
    page.goto(f"/back/{return_word(turn.game_id, 0)}")
    expect(page.get_by_text("A bot is playing for you in this game.")).to_be_visible()
    page.get_by_role("button", name="Take my seat back").click()
    expect(page.get_by_role("heading")).to_have_text("You're back")
    page.goto(f"/back/{return_word(turn.game_id, 0)}")
    expect(page.get_by_text("No bot is playing for you in this game.")).to_be_visible()


def test_an_emailed_code_can_be_used_to_sign_in_once(page: Page, site: Site) -> None:
    begin_sign_in("ada@example.org", "en", None)
    link = f"{mailed_link(site, 'sign-in')}/plain"
    code = re.search(r"\b\d{6}\b", mailed(site, "sign-in"))[0]
    wrong = "000000" if code != "000000" else "111111"
    page.goto(link)
    for tried, told in [(wrong, "This code is wrong"), (code, "You're signed in")]:
        page.get_by_label("Code from your email").fill(tried)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_text(told)).to_be_visible()
    assert caller(page.locator("pre").first.inner_text()).player_id == person("ada")
    page.goto(link)
    page.get_by_label("Code from your email").fill(code)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("This code is wrong, already used or expired.")


def test_an_open_invitation_leads_to_the_game_on_the_page(page: Page, site: Site) -> None:
    game = open_game(person("ada"), wanted(ME, OPEN, OPEN, title="Three of us", private=True))
    word = describe(game, 0)["invitation"]
    page.goto(f"/i/{word}")
    expect(page).to_have_url(re.compile(rf"/#/games/{game.game_id}\?invitation={word}$"))


# The sandbox's mailbox


def test_the_mailbox_shows_recipient_time_subject_and_first_line(page: Page, site: Site, turn: Turn) -> None:
    change_profile(person("ada"), {"notifications": AT_ONCE})
    assert mailed_link(site, "t") == turn.link
    page.goto("/sandbox/mail?to=Ada@Example.org")
    first = page.get_by_role("listitem").first
    expect(first).to_contain_text("Your turn: A clear night")
    expect(first).to_contain_text("ada, it's your turn.")
    expect(first).not_to_contain_text("Reply above this line")
    expect(first).to_contain_text("To ada@example.org, ")
    expect(first.locator("time")).to_have_text(re.compile(r"\d{1,2} \w{3} 20\d\d, \d\d:\d\d:\d\d UTC"))
    first.get_by_role("link").first.click()
    expect(page.locator("pre").first).to_contain_text("Please move by")
    expect(page.locator("pre").first).to_contain_text(re.compile("The game: .*/#/games/"))
    page.get_by_role("link", name="With pictures").click()
    assert page.get_by_role("img").evaluate("it => it.complete && it.naturalWidth") > 600
    page.get_by_role("link", name="Make your move").click()
    expect(page.locator(".hand .star.open")).not_to_have_count(0)


# For everybody


FAULTS = """enough => {
  const parts = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(it => it / 255)
    .map(it => it <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4)
    .reduce((sum, it, n) => sum + it * [0.2126, 0.7152, 0.0722][n], 0);
  const behind = it => {
    const colour = getComputedStyle(it).backgroundColor;
    return parts(colour)[3] === 0 ? behind(it.parentElement) : colour;
  };
  const contrast = (it, pseudo) => {
    const [low, high] = [getComputedStyle(it, pseudo).color, behind(it)].map(parts).map(light).sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const all = selector => [...document.querySelectorAll(selector)];
  const texts = all("body *").filter(it => [...it.childNodes].some(child => child.nodeType === 3 && child.data.trim()));
  return [
    !document.documentElement.lang && "no language",
    all("main h1").length !== 1 && "not one main heading",
    document.documentElement.scrollWidth > innerWidth && "wider than the window",
    ...texts.map(it => contrast(it) < enough && `faint: ${it.textContent}`),
    ...all("input[placeholder]").map(it => contrast(it, "::placeholder") < enough && "faint placeholder"),
    ...all("input:not([type=hidden])").map(it => it.labels.length !== 1 && `no label: ${it.outerHTML}`),
    ...all("button, a").map(it => it.checkVisibility() && !(it.ariaLabel || it.innerText).trim() && `no name: ${it.outerHTML}`),
    ...all("img").map(it => !it.hasAttribute("alt") && "a picture without words"),  // "": it says nothing that the words do not
    ...all("img.table").map(it => !it.alt && "a table without words"),
  ].filter(Boolean);
}"""


def what_an_app_asks() -> str:
    client_id = "00000000-0000-4000-8000-000000000000"
    register_client(UUID(client_id), "Night Watch", None, ["https://watch.example/"], "")
    asked = f"response_type=code&client_id={client_id}&redirect_uri=https://watch.example/&scope=games:read+moves:write"
    return f"/oauth/authorize?{asked}&code_challenge={'A' * 43}&code_challenge_method=S256"


@pytest.fixture
def every_page(site: Site, turn: Turn, long_turn: Turn) -> dict[str, str]:
    """An address of each page, by what it shows."""
    ada, guest = person("ada"), {"email": "dora@example.org"}
    open_game(ada, wanted(ME, guest, OPEN, title="W" * 60))
    begin_sign_in("ada@example.org", "en", None)
    return {
        "a turn": turn.plain,
        "a turn of several moves": long_turn.plain,
        "half a link": turn.link[:-1],
        "an invitation": mailed_link(site, "i"),
        "a seat to come back to": f"/back/{return_word(turn.game_id, 0)}",
        "a sign-in": f"{mailed_link(site, 'sign-in')}/plain",
        "fewer mails": f"/stop/{stop_token('your-turn', str(ada), turn.game_id)}",
        "a problem": "/problems/stale-turn",
        "the API": "/docs",
        "calls of the API": "/docs/api/moves",
        "a tour": "/docs/curl",
        "play by email": "/docs/email",
        "a bot": "/docs/bot",
        "bots": "/docs/bots",
        "clients": "/docs/clients",
        "a live game": "/docs/live",
        "recipes": "/docs/recipes",
        "changes": "/docs/changes",
        "an app": "/docs/app",
        "what an app asks": what_an_app_asks(),
        "the end of an app": f"/app/{end_app_token(ada, UUID(int=0))}",
        "fairness": "/docs/fairness",
        "more machines": "/docs/scaling",
        "what it costs": "/docs/cost",
        "mail": "/docs/mail",
        "the mailbox": "/sandbox/mail",
    }


def test_every_page_is_accessible_in_light_and_dark_mode_on_every_screen(
    page: Page, every_page: dict[str, str]
) -> None:
    for name, address in every_page.items():
        page.goto(address)
        assert page.title().endswith(" · Sternenpost")
        assert faults(page) == [], name
    page.goto(every_page["a turn"])
    page.get_by_label("Your move").fill("9 leo z")
    page.get_by_label("Your move").press("Enter")
    page.get_by_text("Choose from all").click()
    assert faults(page) == [], "a move that cannot be"
    page.get_by_role("button", name="Preview").last.click()
    expect(page.get_by_text("You can take the move back until another player moves")).to_be_visible()
    assert faults(page) == [], "a question"
    page.goto("/sandbox/mail")
    page.get_by_role("listitem").first.get_by_role("link").first.click()
    assert faults(page) == [], "a letter"


def faults(page: Page) -> list[str]:
    found = set[str]()
    page.wait_for_load_state()  # its style, too
    for size in (DESKTOP, PHONE):
        for scheme in ("light", "dark"):
            page.set_viewport_size(size)
            page.emulate_media(color_scheme=scheme)
            found |= {f"{it} ({scheme}, {size['width']} px)" for it in page.evaluate(FAULTS, ENOUGH)}
    return sorted(found)


def test_a_page_can_be_used_by_keyboard_alone(page: Page, turn: Turn) -> None:
    page.goto(turn.plain)
    for _ in range(2):  # the way home comes first
        page.keyboard.press("Tab")
    expect(page.get_by_label("Your move")).to_be_focused()
    assert page.get_by_label("Your move").evaluate("it => getComputedStyle(it).outlineStyle") == "solid"
    page.keyboard.type(turn.move)
    page.keyboard.press("Enter")
    button = page.get_by_role("button", name=f"Play {turn.move}")
    expect(button).to_be_visible()
    for _ in range(2):
        page.keyboard.press("Tab")
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"Played: {turn.move}.")).to_be_visible()
