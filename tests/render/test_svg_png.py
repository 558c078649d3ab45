"""Pictures show only a view, and are identical on every machine."""

import random
from itertools import combinations, product
from xml.etree import ElementTree

import pytest
from cachetools import LRUCache

from server.games import GAMES, SeededDice
from server.games.presentation import draw, draw_end, final_table
from server.games.sternenhimmel.material import BOARDS
from server.games.sternenhimmel.picture import _RADIUS, _RING, _at, _lines, _name_beside
from server.render import png as png_module
from server.render.picture_parts import LIGHT, PANEL, Line
from server.render.png import png
from server.render.text_layout import WIDTH
from tests.support.pictures import LONG_NAMES, NARROW, difference_of_shapes, overlapping, words_elsewhere

RULES = GAMES["sternenhimmel"]
SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["Ada", "Émilie du Châtelet", "Hevelius", "greedy", "Tycho"]


def table(seats, moves, seed=b"sky"):
    dice, rng, state = SeededDice(seed, [""] * seats), random.Random(1), None
    for event in RULES.setup(seats, RULES.resolve_options({}, seats), dice):
        state = RULES.apply(state, event)
    for _ in range(moves):
        (seat,) = RULES.to_act(state)
        for event in RULES.decide(state, seat, rng.choice(RULES.legal_moves(state, seat)), dice):
            state = RULES.apply(state, event)
    return state


def test_every_label_of_a_constellation_stays_on_its_card() -> None:
    bottoms, edges = set(), set()
    for board in BOARDS.values():
        for space in board.spaces:
            label = _name_beside(board.id, space, LIGHT)
            bottoms.add(label.y + 5)  # of a letter such as g
            edges |= {label.x - 7, PANEL - label.x - 7}
    assert max(bottoms) <= _lines(board.id, LIGHT).box.bottom
    assert min(edges) >= 0


def test_no_label_of_a_constellation_touches_a_star_or_another_label() -> None:
    for board in BOARDS.values():
        stars = [(complex(*_at(board, it)), _RADIUS[board.spaces[it].size]) for it in board.spaces]
        labels = [_name_beside(board.id, it, LIGHT) for it in board.spaces]
        places = [complex(it.x, it.y - 6) for it in labels]
        assert min(abs(place - star) - r for place in places for star, r in stars) >= 12, board.id
        assert min(abs(one - other) for one, other in combinations(places, 2)) >= 18, board.id


def test_rings_around_new_stars_touch_no_other_space() -> None:
    for board in BOARDS.values():
        reach = {it: _RADIUS[here.size] for it, here in board.spaces.items()}
        at = {it: complex(*_at(board, it)) for it in board.spaces}
        gaps = [abs(at[one] - at[other]) - reach[one] - reach[other] for one, other in combinations(at, 2)]
        assert min(gaps) >= 2 * _RING + 1, board.id


def drawn(state, viewer=0, names=NAMES, **how):
    return picture(state, viewer, names, **how).svg()


def picture(state, viewer=0, names=NAMES, **how):
    view = RULES.view(state, viewer)
    return draw("sternenhimmel", view, names[: len(view["coins"])], **how)


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_every_space_of_every_board_in_play_has_its_own_id(seats):
    state = table(seats, 20)
    found = [element.get("id") for element in ElementTree.fromstring(drawn(state)).iter(f"{SVG}g")]
    wanted = [f"{b}-{space}" for b in state.slots for space in BOARDS[b].spaces] + [f"board-{b}" for b in state.slots]
    assert set(wanted) <= set(found)
    assert len(found) == len(set(found) - {None}) + found.count(None)


def test_all_players_except_its_owner_see_only_the_back_of_a_hidden_star():
    state = table(3, 0)
    (seat,) = RULES.to_act(state)
    board = state.slots[0]
    move = next(m for m in RULES.legal_moves(state, seat) if m.star == "10" and m.board == board and m.space == "a")
    for event in RULES.decide(state, seat, move, SeededDice(b"", [])):
        state = RULES.apply(state, event)

    def title(viewer):
        space = next(g for g in ElementTree.fromstring(drawn(state, viewer)).iter() if g.get("id") == f"{board}-a")
        return space.find(f"{SVG}title").text

    assert title(seat).endswith("10")
    assert title((seat + 1) % 3).endswith("face down")
    assert title(None).endswith("face down")


def test_pictures_of_games_that_differ_only_in_hidden_stars_are_the_same():
    state = table(4, 30)
    large = [
        (board, space, lying)
        for board, stars in state.stars.items()
        for space, lying in stars.items()
        if BOARDS[board].spaces[space].size == "large"
    ]
    board, space, lying = next((b, s, it) for b, s, it in large if set(state.hands[it.seat]) - {it.star})
    other = next(star for star in state.hands[lying.seat] if star != lying.star)
    swapped = state._replace(stars={**state.stars, board: {**state.stars[board], space: lying._replace(star=other)}})
    for viewer in {0, 1, 2, 3, None} - {lying.seat}:
        assert drawn(swapped, viewer) == drawn(state, viewer)
    assert drawn(swapped, lying.seat) != drawn(state, lying.seat)


def test_names_are_text_and_never_markup():
    hostile = ['<script>alert("1")</script>', "]]>&amp;'\"", "x" * 400]
    root = ElementTree.fromstring(drawn(table(3, 5), names=hostile))
    assert not list(root.iter(f"{SVG}script"))
    assert any(text.text and text.text.startswith("<script>") for text in root.iter(f"{SVG}text"))


def test_a_picture_has_no_external_references():
    svg = drawn(table(5, 40)).replace("http://www.w3.org/2000/svg", "")
    assert "http" not in svg and "href" not in svg and "url(" not in svg


def test_games_of_any_length_can_be_drawn():
    for moves in (0, 40, 80, 90):
        for dark in (True, False):
            ElementTree.fromstring(drawn(table(3, moves), dark=dark))


@pytest.mark.parametrize("locale", ["de", "en", "fr", "it"])
def test_a_picture_is_available_in_four_languages(locale):
    assert BOARDS["leo"].names[locale]
    ElementTree.fromstring(drawn(table(3, 3), locale=locale))


@pytest.mark.parametrize("dark", [True, False])
def test_a_png_matches_the_svg(dark):
    for seats in (3, 4, 5):
        shown = picture(table(seats, 30), dark=dark)
        assert difference_of_shapes(shown) < 0.6
        assert not list(words_elsewhere(shown))


def test_a_png_is_small_and_reproducible_after_other_pictures():
    shown = picture(table(5, 60))
    first = png(shown)
    assert len(first) < 40_000
    png_module._kept.clear()
    png(picture(table(3, 10)))
    assert png(shown) == first


def test_the_picture_cache_stays_within_its_size(monkeypatch):
    kept = LRUCache(600_000, png_module._kept.getsizeof)
    monkeypatch.setattr(png_module, "_kept", kept)
    shown = picture(table(5, 60))
    first = png(shown)
    assert 0 < kept.currsize <= 600_000
    assert png(shown) == first


def test_any_name_can_be_drawn():
    names = ["", " ", "\u200b", "\U0001f320 \u05d0\u05d1", "\u0301" * 22]
    assert png(picture(table(5, 3), names=names)).startswith(b"\x89PNG\r\n")


@pytest.mark.parametrize("locale", ["de", "en", "fr", "it"])
def test_long_names_overlap_nothing(locale):
    for seats, moves in product((3, 4, 5), (0, 1, 30, 31)):
        shown = picture(table(seats, moves), names=LONG_NAMES, locale=locale)
        for ground in (shown.colours.theme.sky, shown.colours.theme.card):
            assert not list(overlapping(shown, ground))
        marked = [it for it in shown.parts if isinstance(it, Line) and "(program)" in it.words]
        assert len(marked) in (1, 2)  # the name of the seat on turn has less room


@pytest.mark.parametrize("seats", [3, 5])
def test_the_picture_is_legible_in_an_email_on_a_phone_360_pixels_wide(seats):
    shown = picture(table(seats, 8 * seats))
    lines = [it for it in shown.parts if isinstance(it, Line)]
    stars = [it for it in lines if it.words in ("1", "3", "5", "6", "7", "B", "D", "?") and it.bold]
    spaces = [it for it in lines if it.words in "abcdefghij" and it.colour == shown.colours.theme.ink]
    assert stars
    assert spaces
    assert min(it.size for it in [*stars, *spaces]) * NARROW >= 10
    assert min(it.size for it in lines) * NARROW >= 8.5


def ended(seats):
    """A whole game: how it was left, and all that seat 0 saw happen."""
    dice, rng, state = SeededDice(b"sky", [""] * seats), random.Random(1), None
    events, story = RULES.setup(seats, RULES.resolve_options({}, seats), dice), []
    while events:
        for event in events:
            state = RULES.apply(state, event)
            story += [told for told in [RULES.tell(event, 0)] if told]
        waited_for = RULES.to_act(state)
        move = waited_for and rng.choice(RULES.legal_moves(state, min(waited_for)))
        events = RULES.decide(state, min(waited_for), move, dice) if waited_for else []
    return state, story


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_finished_game_shows_every_sky_with_its_stars_face_up(seats):
    state, story = ended(seats)
    view = RULES.view(state, 0)
    assert view["boards"] == []
    shown = draw_end("sternenhimmel", view, story, NAMES[:seats], "en")
    groups = {it.get("id"): it for it in ElementTree.fromstring(shown.svg()).iter(f"{SVG}g")}
    words = final_table("sternenhimmel", view, story, NAMES[:seats], "en")
    unbroken = words.replace("\n    ", " ")
    assert max(map(len, words.splitlines())) <= WIDTH
    scored = [it for it in story if it["type"] == "board-scored"]
    assert len(scored) > 3
    for it in scored:
        gains = [f"{paid:+d}" for paid in it["payouts"] if paid]
        texts = [text.text for text in groups[f"board-{it['board']}"].findall(f"{SVG}text")]
        assert set(gains) <= set(texts)
        for lying in it["placements"]:
            title = groups[f"{it['board']}-{lying['space']}"].find(f"{SVG}title").text
            assert title.endswith(f"seat {lying['seat']}, {lying['star']}")
        stars = ", ".join(f"{lying['space']} {NAMES[lying['seat']]} {lying['star']}" for lying in it["placements"])
        assert f"  {stars}\n" in unbroken
    assert len(png(shown)) < 100_000
    assert not list(words_elsewhere(shown))
    undone = [{**scored[0], "version": 2}, {"type": "move-taken-back", "to": 1, "version": 3}]
    assert final_table("sternenhimmel", view, [*undone, *story], NAMES[:seats], "en") == words
