"""Sternenglanz as a picture, as plain text and in sentences, for every viewer."""

import random
from functools import reduce
from io import BytesIO
from itertools import count
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image, ImageColor

from server.games import Json, SeededDice
from server.games import sternenglanz as game
from server.games.presentation import draw, final_table, legend, sentence, table
from server.games.sternenglanz.cards import CARD, sternbild
from server.games.sternenglanz.material import CARDS, FIELDS
from server.games.sternenglanz.names import copy_name
from server.games.sternenglanz.picture import _FREE, _at, _bonuses, _empty
from server.games.sternenglanz.pieces import COLOURS
from server.games.sternenglanz.state import ActionLapsed, SternbildCompleted, SupernovaGranted, SupernovaLaid
from server.render.picture_parts import DARK, LIGHT, Colours, Line, Sprite, sheet
from server.render.png import png
from server.render.text_layout import WIDTH
from tests.support.pictures import LONG_NAMES, NARROW, difference_of_shapes, overlapping, words_elsewhere

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["Ada", "Émilie du Châtelet", "Hevelius", "Tycho"]
SCENARIOS = sorted(CARDS.scenarios)


def skies(scenario: int, seats: int, moves: int) -> list[Any]:
    """The states of a game played at random, from its beginning."""
    dice, chance = SeededDice(bytes(32), [""] * seats), random.Random(scenario)
    options = game.resolve_options({"scenario": scenario}, seats)
    state = reduce(game.apply, game.setup(seats, options, dice), None)
    found = [state]
    for _ in range(moves):
        if not (waited_for := game.to_act(state)):
            break
        seat = min(waited_for)
        events = game.decide(state, seat, chance.choice(game.legal_moves(state, seat)), dice)
        state = reduce(game.apply, events, state)
        found.append(state)
    return found


def view(state: Any, seat: int | None) -> Json:
    return game.view(state, seat)


def drawn(state: Any, seat: int | None = 0, **how: Any) -> ElementTree.Element:
    shown = view(state, seat)
    return ElementTree.fromstring(draw("sternenglanz", shown, NAMES[: len(shown["points"])], **how).svg())


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_field_slot_and_card_has_its_own_id(scenario: int) -> None:
    for state in skies(scenario, 3, 40)[::8]:
        ids = [element.get("id") for element in drawn(state).iter() if element.get("id")]
        assert len(ids) == len(set(ids))
        hand = {f"card-{card.replace('#', '-')}" for card in view(state, 0)["hand"]}
        slots = {f"slot-{seat}-{slot}" for seat in range(3) for slot in (1, 2, 3)}
        assert {f"field-{field}" for field in FIELDS} | slots | hand <= set(ids)


def test_a_field_describes_its_star_to_screen_readers() -> None:
    state = skies(1, 2, 2)[-1]
    (start,) = [group for group in drawn(state).iter(f"{SVG}g") if group.get("id") == "field-a1"]
    assert start.find(f"{SVG}title").text == "a1, Dot star"


def test_other_players_see_only_the_back_of_a_secret_sternbild() -> None:
    state = skies(4, 3, 0)[-1]
    for viewer, seen in ((0, 1), (None, 0)):
        faces = [it for it in drawn(state, viewer).iter(f"{SVG}g") if it.get("data-sternbild")]
        assert len(faces) == seen


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_table_can_be_drawn_and_described_in_every_language(scenario: int, seats: int) -> None:
    for state in skies(scenario, seats, 120)[::30]:
        for seat in (0, None):
            shown = view(state, seat)
            for locale in ("de", "en", "fr", "it"):
                draw("sternenglanz", shown, NAMES[:seats], locale=locale)
                lines = table("sternenglanz", shown, ["Anna " * 12, *NAMES][:seats], locale).splitlines()
                assert max(map(len, lines)) <= WIDTH


def test_the_text_describes_what_the_picture_shows() -> None:
    state = skies(4, 3, 60)[-1]
    told = table("sternenglanz", view(state, 1), NAMES[:3])
    for field in view(state, 1)["board"]:
        assert f"\n  {field} " in told
    for card in view(state, 1)["hand"]:
        assert copy_name(card, "en") in told.replace("\u00a0", " ")
    own = view(state, 1)["sternbilder"]["own"]
    assert told.count("constellation: face down") == sum(it["sternbild"] is None for it in own)
    assert "Your hand" not in table("sternenglanz", view(state, None), NAMES[:3])


def test_during_the_first_choice_the_table_names_players_who_are_still_choosing() -> None:
    told = table("sternenglanz", view(skies(1, 3, 1)[-1], None), NAMES[:3])
    assert "Still choosing their first cards: Émilie du Châtelet, Hevelius\n" in told


def test_the_final_picture_names_the_winner() -> None:
    for seed in count():
        state = skies(1 + seed % 4, 2, 3000)[-1]
        if (result := view(state, None)["result"]) is not None:
            break
    assert f"The game is over. Won: {', '.join(NAMES[seat] for seat in result['winners'])}\n" in table(
        "sternenglanz", view(state, None), NAMES[:2]
    )


def test_the_final_table_tells_the_result_without_hands_and_slots() -> None:
    shown = view(skies(1, 2, 3000)[-1], 0)
    assert shown["result"] is not None
    told = final_table("sternenglanz", shown, [], NAMES[:2], "en")
    for name, points in zip(NAMES[:2], shown["points"], strict=True):
        assert f"\n{name}: points {points}\n" in f"{told}\n"
    assert not any(word in told for word in ("slot", "Your hand", "Supply", "deck"))


def test_every_visible_event_has_a_sentence_for_each_viewer() -> None:
    assert set(game.EVENT_SCHEMAS) <= set(game.SENTENCES)
    heard = set()
    for scenario in SCENARIOS:
        dice, chance, state = SeededDice(bytes(32), [""] * 3), random.Random(1), None
        events = game.setup(3, game.resolve_options({"scenario": scenario, "max_rounds": 20}, 3), dice)
        while events:
            for event in events:
                state = game.apply(state, event)
                for viewer in (0, 1, None):
                    if (told := game.tell(event, viewer)) is not None:
                        words = sentence(told, NAMES[:3])
                        assert words and words[0].isupper() and words.endswith("."), told
                        heard.add(told["type"])
            waited_for = game.to_act(state)
            move = waited_for and chance.choice(game.legal_moves(state, min(waited_for)))
            events = game.decide(state, min(waited_for), move, dice) if waited_for else []
    assert heard >= set(game.EVENT_SCHEMAS) - {"sternbild-completed", *RARE}


RARE: dict[str, tuple[Any, str]] = {
    "sternbild-completed": (
        SternbildCompleted(0, "kelch", ["a1", "b1"], 5),
        "Ada completed the constellation “Chalice” on a1 b1 and gained 5 points.",
    ),
    "supernova-laid": (
        SupernovaLaid(2, 1, "supernova-4#1", "a1", [["b1", "punkt"]], [], [-1, 0, 3]),
        "Hevelius set off a Supernova on a1, which swept away b1 (Dot star); Ada -1, Hevelius +3.",
    ),
    "action-lapsed": (ActionLapsed(0, 2, "loch-a#1"), "Ada couldn't act on slot 2."),
    "supernova-granted": (SupernovaGranted(0, "supernova-4#1"), "Ada took a Supernova card into their hand."),
}


@pytest.mark.parametrize("type_", RARE)
def test_rare_events_have_sentences_too(type_: str) -> None:
    event, words = RARE[type_]
    assert sentence(game.tell(event, None), NAMES[:3]) == words


def test_every_sternbild_can_be_drawn_by_itself() -> None:
    pictures = [
        png(sheet(120, "", Colours(DARK, COLOURS), [sternbild(bild, DARK, "en")])) for bild in CARDS.sternbilder
    ]
    assert len(set(pictures)) == len(pictures)


def test_the_firmament_and_its_bonuses_stay_on_their_card() -> None:
    card = _empty(LIGHT).box
    for x, y in map(_at, FIELDS.values()):
        assert min(x, y) - _FREE >= 0 and max(x, y) + _FREE <= card.bottom
    for label in _bonuses(LIGHT):
        assert 12 <= label.x <= card.right - 12 and label.y <= card.bottom - 4


@pytest.mark.parametrize("locale", ["de", "en", "fr", "it"])
def test_long_names_overlap_nothing(locale: str) -> None:
    for seats, moves in ((2, 0), (3, 40), (4, 400)):
        shown = draw("sternenglanz", view(skies(4, seats, moves)[-1], 0), LONG_NAMES[:seats], locale=locale)
        for ground in (shown.colours.theme.sky, shown.colours.theme.card):
            assert not list(overlapping(shown, ground))
        assert len([it for it in shown.parts if isinstance(it, Line) and "(program)" in it.words]) >= 2


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_picture_is_legible_in_an_email_on_a_phone_360_pixels_wide(scenario: int) -> None:
    shown = draw("sternenglanz", view(skies(scenario, 3, 60)[-1], 0), NAMES[:3])
    of_fields = [it for it in shown.parts if isinstance(it, Line) and it.words in FIELDS]
    assert {it.words for it in of_fields} == set(FIELDS)
    assert min(it.size for it in of_fields) * NARROW >= 10
    assert min(it.size for it in shown.parts if isinstance(it, Line)) * NARROW >= 7


def test_a_png_matches_the_svg_and_is_small() -> None:
    for scenario in SCENARIOS:
        state = skies(scenario, 4, 60)[-1]
        shown = draw("sternenglanz", view(state, 0), NAMES)
        assert len(png(shown)) < 60_000
        assert difference_of_shapes(shown) < 0.6
        assert not list(words_elsewhere(shown))


@pytest.mark.parametrize("dark", [True, False])
def test_a_card_in_the_hand_has_the_sky_as_its_background(dark: bool) -> None:
    shown = draw("sternenglanz", view(skies(1, 3, 30)[-1], 0), NAMES[:3], dark=dark)
    cards = [
        it for it in shown.parts if isinstance(it, Sprite) and it.box == CARD and it.ground == shown.colours.theme.sky
    ]
    assert len(cards) == len(view(skies(1, 3, 30)[-1], 0)["hand"])
    with Image.open(BytesIO(png(shown))) as image:
        pixels = image.convert("RGB")
        for card in cards:
            assert pixels.getpixel((card.left, card.top)) == ImageColor.getrgb(shown.colours.theme.sky)


def test_every_star_removed_in_a_turn_is_crossed_out() -> None:
    shown = view(skies(1, 3, 30)[-1], 0)
    shown["log"]["removed"] = [["c1", "punkt"], ["c1", "leucht"]]
    crossed_out = [
        it for it in draw("sternenglanz", shown, NAMES[:3]).parts if "M-10 -10L10 10" in getattr(it, "svg", "")
    ]
    assert len(crossed_out) == 2


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_text_table_lists_the_patterns_of_black_holes_in_hand(scenario: int) -> None:
    state = skies(scenario, 2, 0)[0]
    shown = {**view(state, 0), "hand": ["geburt#2", "loch-b#1"]}
    told = " ".join(table("sternenglanz", shown, NAMES[:2]).split())
    scores = CARDS.scenarios[scenario].card_points
    assert ("dot star next to bright star + bright star = 2" in told) == scores
    assert "Black hole C (" not in told


def test_a_question_about_black_holes_is_answered_with_their_patterns() -> None:
    assert "bright star next to bright star + splendid star = 3" in legend("sternenglanz", "en")
