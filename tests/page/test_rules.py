"""The rules on the page: all languages agree with each other and with the engines."""

import json
import re
from collections.abc import Iterator
from typing import Any, Literal

import pytest
from playwright.sync_api import expect

from server import page as served
from server.games import GAMES, IllegalMove, sternenglanz
from server.games.presentation import figure_in_words, rule_values
from server.games.sternenglanz.figures import lies_on
from server.games.sternenglanz.material import CARDS
from server.games.sternenhimmel.material import BOARDS, Board, Lying, Space
from server.games.sternenhimmel.options import EDITIONS
from server.games.sternenhimmel.scoring import factor, score
from server.post.desk.rule_texts import rule_sections
from tests.page.axe import objections
from tests.page.windows import BOT, ME, PHONE, Windows, game_of, too_wide
from tests.rules.positions import Scripted, position, with_card
from tests.support.live_server import House, Json, sign_in

AXE: dict[
    str, tuple[str, Literal["light", "dark"]]
] = {  # the pages are long, so each is looked at once by day and by night
    "de": ("sternenhimmel", "light"),
    "en": ("sternenglanz", "dark"),
    "fr": ("sternenglanz", "light"),
    "it": ("sternenhimmel", "dark"),
}
LANGUAGES = list(AXE)
TOLD = {"sternenhimmel": "rules-sternenhimmel", "sternenglanz": "rules-sternenglanz"}
EXAMPLES: Json = {game: json.loads(served.FILES[f"{game}/examples.json"].plain) for game in GAMES}
STERNENHIMMEL, STERNENGLANZ = EXAMPLES["sternenhimmel"], EXAMPLES["sternenglanz"]


def words(language: str, room: str) -> Json:
    found: Json = json.loads(served.FILES[f"words/{language}/{room}.json"].plain)
    return found


def sections(language: str, game: str) -> list[Json]:
    found: list[Json] = words(language, TOLD[game])[TOLD[game]]
    return found


# The text


def form(block: Any) -> Any:
    """A block without its words: what all languages must share."""
    match block:
        case str():
            return "words"
        case list():
            return [form(each) for each in block]
        case {"figure": figure}:
            return {"figure": figure, **{key: "words" for key in block if key != "figure"}}
    kept = ("option", "when", "id", "rule")
    return {key: value if key in kept else form(value) for key, value in block.items()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_languages_have_the_same_sections_figures_and_conditions(language: str) -> None:
    for game in GAMES:
        assert form(sections(language, game)) == form(sections("en", game))
    assert form(words(language, "rules")["rules.here"]) == form(words("en", "rules")["rules.here"])


def blocks_in(block: Any) -> Iterator[Json]:
    """All blocks that depend on something."""
    if isinstance(block, dict):
        yield block
    if not isinstance(block, str):
        for inner in block.values() if isinstance(block, dict) else block:
            yield from blocks_in(inner)


@pytest.mark.parametrize("game", GAMES)
def test_every_option_value_has_its_text(game: str) -> None:
    schema = GAMES[game].describe()["options"]["properties"]
    told: set[str] = set()
    for block in blocks_in(sections("en", game)):
        for option, values in block.get("when", {}).items():
            assert set(values.split()) <= values_of(schema[option]), block
        if option := block.get("option"):
            keys = [value for key in block if key not in ("option", "when") for value in key.split()]
            if "else" not in keys:
                allowed = values_of(schema[option]) & set(block.get("when", {}).get(option, " ".join(keys)).split())
                assert sorted(keys) == sorted(allowed), block
                assert set(keys) == values_of(schema[option]) or option == "scenario", block
            told.add(option)
    named = {
        "edition",
        "boards",
        "firmament",
        "cards",
        "start_seat",
        "take_back",
        "ready_check",
        "nameless",
    }  # as a whole, or by the house
    assert told == set(schema) - named


def values_of(schema: Json) -> set[str]:
    """What may be chosen, as the texts write it; nothing for numbers."""
    choice = [False, True] if schema.get("type") == "boolean" else schema.get("enum", [])
    return {str(value).lower() if isinstance(value, bool) else str(value) for value in choice}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_option_and_value_has_a_text_for_the_summary(language: str) -> None:
    known = words(language, "options")
    for game in GAMES.values():
        for name, schema in game.describe()["options"]["properties"].items():
            if f"option.{name}" in known:
                assert [it for it in values_of(schema) if f"option.{name}.{it}" not in known] == []


# The facts


def board_of(example: Json) -> Board:
    """The constellation of an example: one of the set, or a few spaces of its own."""
    if "board" in example:
        return BOARDS[example["board"]]
    lines = tuple((one, other) for one, other in example["lines"])
    joined = {it["id"]: tuple({*sum(lines, ())} & beside(it["id"], lines)) for it in example["spaces"]}
    spaces = {it["id"]: Space(it["size"], it["x"], it["y"], None) for it in example["spaces"]}
    return Board("example", "Exa", "", {}, 5, 3, spaces, lines, joined)


def beside(space: str, lines: tuple[tuple[str, str], ...]) -> set[str]:
    return {other for line in lines if space in line for other in line if other != space}


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("name", ["holes", "doubles", "tie", "scored"])
def test_sternenhimmel_scores_as_its_rules_text_says(name: str, edition: str) -> None:
    example = STERNENHIMMEL[name]
    lying = {space: Lying(seat, star) for space, (seat, star) in example["lying"].items()}
    scored = score(board_of(example), lying, EDITIONS[edition], [0] * 4)
    assert scored.values == example["values"]
    assert sorted(scored.annihilated + scored.swallowed) == example.get("gone", [])
    if name == "tie":
        assert scored.ranking == example["ranking"]
    if name == "scored":
        assert (scored.totals, scored.stars) == (example["totals"], example["stars"])
        assert scored.payouts == example["payouts"][EDITIONS[edition]["compensation_payer"]]


def test_three_and_four_double_stars_count_as_the_text_says() -> None:
    assert [factor(n, "linear") for n in (1, 2, 3, 4)] == [2, 4, 6, 8]
    assert [factor(n, "compound") for n in (1, 2, 3, 4)] == [2, 4, 8, 16]


def played(example: Json, scenario: int) -> Any:
    """What the engine lets happen when the move of an example is made."""
    move = sternenglanz.read_move(example["move"])
    given = {"board": example["stars"], "scenario": scenario, "players": 2}
    sky = with_card(given, int(example["move"][0]), f"{example['card']}#1") if "card" in example else position(given)
    return sternenglanz.decide(sky, 0, move, Scripted())[0]


@pytest.mark.parametrize("name", ["birth", "hole", "nova", "move"])
def test_a_sternenglanz_action_works_as_the_text_says(name: str) -> None:
    example = STERNENGLANZ[name]
    for scenario, points in example.get("points", {"1": None}).items():
        event = played(example, int(scenario))
        if name == "nova":
            assert event.points[0] == points
            assert sorted(field for field, _ in event.removed) == example["gone"]
        elif points is not None:
            assert event.points == points
    assert set(example["stars"]) <= set(example["fields"])


def test_a_star_cannot_move_through_another_star() -> None:
    example = {**STERNENGLANZ["move"], "move": "2 move c2 b2 c3 d5"}
    with pytest.raises(IllegalMove) as refused:
        played(example, 1)
    assert refused.value.code == "blocked"


def test_the_example_sternbild_lies_on_the_firmament() -> None:
    example = STERNENGLANZ["bild"]
    found = lies_on(CARDS.sternbilder[example["bild"]], position({"board": example["stars"]}).stars)
    assert found is not None
    assert sorted(found) == sorted(example["nodes"].values())


def test_a_tableau_shifts_as_the_picture_shows() -> None:
    before, after = STERNENGLANZ["shift"]["before"], STERNENGLANZ["shift"]["after"]
    tableau = {str(slot): f"{card}#1" for slot, card in enumerate(before, start=1)}
    stars = {"a1": "punkt", "b1": "punkt", "b4": "punkt"}
    sky = position({"board": stars, "tableau": tableau, "hands": [[], []]})
    for move in ("1 move b1 c1 d1", "2 lay punkt b2; finish"):
        for event in sternenglanz.decide(sky, 0, sternenglanz.read_move(move), Scripted()):
            sky = sternenglanz.apply(sky, event)
    assert [card and card.split("#")[0] for card in sky.slots[0]] == after


# On the page


def test_visitors_can_read_the_rules_of_each_edition(house: House, windows: Windows) -> None:
    page = windows.open()
    page.goto("/")
    page.locator("nav").get_by_role("link", name="Rules").click()
    expect(page.get_by_role("heading", name="Rules: Sternenhimmel", level=1)).to_be_visible()
    payment = page.locator("[data-section=payment]")
    expect(payment.get_by_text("The bank pays the compensation.")).to_be_visible()
    expect(payment.locator(".whom").first).to_have_text("Goldsieber and Schloth")
    page.get_by_label("Edition rules").select_option("goldsieber-en")
    expect(payment.get_by_text("The bank pays the compensation.")).to_have_count(0)
    expect(payment.get_by_text("The player in first place can use all their coins to pay")).to_be_visible()
    expect(page.locator(".rules .whom")).to_have_count(0)
    page.get_by_role("link", name="Sternenglanz").click()
    expect(page.get_by_role("heading", name="Rules: Sternenglanz", level=1)).to_be_visible()
    page.get_by_label("Scenario rules").select_option("scenario-2")
    expect(page.locator("[data-section=bilder]")).to_be_visible()
    expect(page.locator("[data-section=nova]")).to_have_count(0)


def test_a_section_can_be_reached_by_keyboard_from_the_contents_and_by_url(house: House, windows: Windows) -> None:
    page = windows.open()
    page.goto("/#/rules/sternenglanz")
    link = page.get_by_role("link", name="Points at a glance")
    link.focus()
    page.keyboard.press("Enter")
    heading = page.get_by_role("heading", name="Points at a glance")
    expect(heading).to_be_focused()
    expect(heading).to_be_in_viewport()
    assert page.url.endswith("#/rules/sternenglanz/points")
    page.reload()
    expect(heading).to_be_in_viewport()


def test_opening_the_rules_over_a_game_keeps_a_half_chosen_move(house: House, windows: Windows) -> None:
    client = sign_in(house, "ruth@example.org")
    options = {"edition": "sargon-it", "start_player": "chosen", "start_seat": 0, "sole_player": "filled"}
    page = windows.open(client)
    page.goto(f"/#/games/{game_of(client, ME, BOT, BOT, options=options)}")
    page.locator(".hand .star.open").first.click()
    page.locator(".space.lit").first.click()
    expect(page.get_by_role("button", name="Play it")).to_be_focused()
    opener = page.locator("main").get_by_role("button", name="Rules")
    opener.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Rules: Sternenhimmel, Sargon")
    expect(dialog.get_by_text("Play proceeds counterclockwise (to the right).")).to_be_visible()
    expect(dialog.get_by_text("if every star placed on the constellation was yours")).to_be_visible()
    expect(dialog.get_by_text("2 days per turn")).to_be_visible()
    expect(dialog.locator(".whom")).to_have_count(0)
    dialog.get_by_text("Contents", exact=True).click()
    dialog.get_by_role("link", name="What is paid").click()
    expect(dialog.get_by_role("heading", name="What is paid")).to_be_focused()
    assert "/games/" in page.url
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()
    page.keyboard.press("?")
    expect(dialog.locator("[data-section=keys]")).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()
    expect(page.locator(".space.chosen")).to_have_count(1)
    page.get_by_role("button", name="Play it").click()
    expect(page.locator(".space.chosen")).to_have_count(0)


def in_letters(game: str, language: str) -> list[str]:
    """Return the titles and lines of the rules that the post desk sends, without how to write a move.

    Names of editions begin their lines there, and are above them on the page.
    """
    values = rule_values(game, language)
    editions = {it for name, it in values.items() if name.startswith("edition.")}
    figures = {it["figure"] for it in blocks_in(sections(language, game)) if "figure" in it}
    pictures = {f"- {line}" for figure in figures for line in figure_in_words(game, figure, language)}
    lines = [
        line for it in rule_sections(game, language)[:-1] for line in (it.title, *it.lines) if line not in pictures
    ]
    found = [
        line.removeprefix("- ") for line in lines if not (line.endswith(":") and any(it in line for it in editions))
    ]
    assert len(found) > 40
    return found


def is_in(line: str, told: str) -> bool:
    return line in told or (line.partition(": ")[2] or line) in told


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_are_accessible_in_this_language(language: str, house: House, windows: Windows) -> None:
    page = windows.open(locale=language, **PHONE)
    for game in GAMES:
        page.goto(f"/#/rules/{game}")
        expect(page.locator("[data-section=chance]")).to_be_visible()
        expect(page.locator("html")).to_have_attribute("lang", language)
        told = page.locator(".rules").inner_text()
        assert re.findall(r"\{\w+\}|undefined|\bnull\b|NaN|\*\w|\]\(", told) == []
        as_in_britain = re.sub(r", (or|and)\b", r" \1", told)
        assert [it for it in in_letters(game, language) if not is_in(it, as_in_britain) and not is_in(it, told)] == []
        drawn = {it["figure"] for it in blocks_in(sections(language, game)) if "figure" in it}
        expect(page.locator(".rules figure")).to_have_count(len(drawn))
        assert not too_wide(page)
    game, scheme = AXE[language]
    page.emulate_media(color_scheme=scheme)
    page.goto(f"/#/rules/{game}")
    expect(page.locator("[data-section=chance]")).to_be_visible()
    assert objections(page) == []
