"""The reasons for hints: sentences about what a move achieves, from the seat's view alone."""

from itertools import chain
from typing import Any

import pytest

from server.games import GAMES, Json, SeededDice
from server.games.presentation import reason, telling
from server.games.sternenglanz.moves import Choose, LayCards, Move, Sterngeburt
from server.games.sternenhimmel.material import BOARDS
from server.games.sternenhimmel.moves import Placement
from server.games.sternenhimmel.state import BoardScored
from server.translations import LOCALES
from tests.every_game import rules_alone
from tests.support.samples import positions


@pytest.mark.parametrize("game", GAMES)
def test_reasons_are_single_sentences_in_every_language_for_any_legal_move(game: str) -> None:
    found = set[tuple[str, ...]]()
    for played in list(positions(game, {}, 3, seed=2))[:-1:5]:
        rules, seat = played.rules, min(played.rules.to_act(played.state))
        view = rules.view(played.state, seat)
        for move in rules.legal_moves(played.state, seat)[::7]:
            for is_past in (False, True):
                found.add(tuple(reason(rules, view, move, locale, is_past) for locale in LOCALES))
    assert len(found) > 2
    for each in found:
        assert each == ("",) * len(LOCALES) or (all(it.endswith(".") for it in each) and len(set(each)) == len(LOCALES))


def in_aries(move: Placement, is_past: bool = False, locale: str = "en", **lying: Json) -> str:
    """Return the reason for a placement of seat 0 among these stars in Aries."""
    board = {"board": "aries", "slot": 0, "spaces": {**dict.fromkeys("abcde"), **lying}}
    view = {"next": 0, "coins": [0, 0, 0], "boards": [board]}
    return reason(GAMES["sternenhimmel"], view, move, locale, is_past)


def lies(seat: int, star: str | None) -> Json:
    return {"seat": seat, "star": star}


def test_a_placement_that_leads_is_explained_by_the_points() -> None:
    assert in_aries(Placement("7", "aries", "e"), a=lies(1, "6")) == (
        "You take the lead in Aries. You're then ahead by 1."
    )
    assert in_aries(Placement("5", "aries", "e"), a=lies(1, "6")) == (
        "You come closer to the lead in Aries. You're then behind by 1."
    )
    hidden = {"a": lies(1, None), "b": lies(0, "7")}
    assert in_aries(Placement("3", "aries", "e"), **hidden) == "As far as you can see, you extend your lead in Aries."


def test_a_placement_that_fills_a_constellation_is_explained_by_the_place() -> None:
    ones = {space: lies(1, "1") for space in "abcd"}
    ten = Placement("10", "aries", "e")
    assert in_aries(ten, is_past=True, **ones) == "You'd have come first in Aries."
    assert in_aries(ten, **ones) == "Aries is scored now, and you come first."
    in_german = in_aries(ten, locale="de", **ones)
    assert in_german == "Das Sternbild Widder wird jetzt gewertet, und du liegst vorn."  # some names are plurals
    behind = ones | {"a": lies(1, "7"), "b": lies(2, "3")}
    assert in_aries(Placement("6", "aries", "e"), **behind) == "Aries is scored now, and you come second."
    tied = ones | {"a": lies(1, "7"), "b": lies(2, "6")}
    assert in_aries(Placement("6", "aries", "e"), **tied) == "Aries is scored now."
    hidden = ones | {"a": lies(1, None)}
    assert in_aries(ten, **hidden) == "Aries is scored now. As far as you can see, you come first."


def test_black_holes_and_double_stars_are_explained_by_their_neighbours() -> None:
    beside = BOARDS["aries"].neighbours
    space, (near, *_) = next((it, found) for it, found in beside.items() if len(found) > 1)
    others = [it for it in beside[space] if it != near]
    hole, double = (in_aries(Placement(star, "aries", space), **{near: lies(1, "6")}) for star in "BD")
    assert hole.startswith("The others lose 6 points in Aries. You take the lead in Aries. It blocks " + others[0])
    too = "The others' stars next to the double star count double, too."
    assert double == f"Stars on {' and '.join(others)} then count double. {too}"
    own = in_aries(Placement("D", "aries", space), **{near: lies(0, "10")})
    assert f" Your 10 on {near} then counts 20. Stars on {others[0]}" in own and not own.endswith(too)
    assert in_aries(Placement("6", "aries", space), **{near: lies(0, "D")}).endswith(
        "Next to a double star, it counts 12."
    )
    assert in_aries(Placement("1", "aries", space), **{near: lies(1, "B")}) == "A black hole swallows it."
    assert in_aries(Placement("B", "aries", space), **{near: lies(1, "B")}).endswith(
        "It vanishes with the black hole next to it."
    )
    full = {it: lies(1, "6") for it in beside[space]} | {near: lies(1, None)}
    assert in_aries(Placement("D", "aries", space), **full) == too


def test_placements_with_the_same_aim_are_no_alternatives() -> None:
    rules = GAMES["sternenhimmel"]
    boards = [
        {"board": it, "slot": nr, "spaces": dict.fromkeys(BOARDS[it].spaces)}
        for nr, it in enumerate(("aries", "taurus"))
    ]
    find: Any = rules
    aim = find.aim({"next": 0, "coins": [0, 0, 0], "boards": boards})
    seven = Placement("7", "aries", "e")
    assert aim(seven) == aim(Placement("6", "aries", "a"))
    assert aim(seven) != aim(Placement("7", "taurus", "e"))
    assert aim(seven) != aim(Placement("B", "aries", "e")) != aim(Placement("D", "aries", "e"))


def test_a_promised_first_place_is_kept() -> None:
    rules, kept, open_ = GAMES["sternenhimmel"], 0, 0
    for played in chain.from_iterable(positions("sternenhimmel", {}, 3, seed) for seed in range(4)):
        for seat in rules.to_act(played.state):
            view = rules.view(played.state, seat)
            for move in rules.legal_moves(played.state, seat):
                told = reason(rules, view, move, "en")
                open_ += "is scored now. As far as you can see" in told
                if "is scored now, and you come first" in told:
                    events = rules.decide(played.state, seat, move, SeededDice(b"7", ()))
                    (scored,) = (it for it in events if isinstance(it, BoardScored))
                    assert scored.first == seat, (view, move)
                    kept += 1
    assert kept > 20 and open_ > 20


def test_a_reason_that_all_moves_share_is_given_for_none() -> None:
    assert telling([["You win."], ["You win."]]) == ["", ""]
    assert telling([["You win."]]) == ["You win."]
    assert telling([["You win."], ["You win.", "You lead."]]) == ["", "You lead."]


def test_no_two_moves_of_a_hint_have_the_same_reason() -> None:
    assert telling([["You win."], ["You win."], []]) == ["You win.", "", ""]
    assert telling([["You win."], ["You win.", "You lead."], []]) == ["You win.", "You lead.", ""]


def test_a_single_opponent_is_not_called_the_others() -> None:
    hindering = set[str]()
    for seats in (2, 3):
        for played in list(positions("sternenglanz", {"scenario": 1}, seats, seed=1))[:-1:5]:
            rules, seat = played.rules, min(played.rules.to_act(played.state))
            view = rules.view(played.state, seat)
            told = {reason(rules, view, it, "en") for it in rules.legal_moves(played.state, seat)}
            hindering |= {it for it in told if "fewer chances" in it}
        whom = "your opponent" if seats == 2 else "the others"
        assert hindering == {f"It leaves {whom} fewer chances for bright and splendid stars."}
        hindering.clear()


def test_cards_are_explained_by_what_they_prepare() -> None:
    played = next(positions("sternenglanz", {"scenario": 1}, 2, seed=1))
    view = played.rules.view(played.state, 0) | {"next": 0}
    move, hole, birth = "wanderung-3#1", "loch-c#1", "geburt#1"

    def told(step: Choose | LayCards) -> str:
        return reason(played.rules, view, Move((step,)), "en")

    gather = "move a star to prepare a bright star"
    assert (
        told(Choose(move, hole))
        == f"In your next two turns you can {gather}, in the first also remove a star for points."
    )
    assert told(Choose(move, move)) == f"In your next two turns you can {gather}, in the first even twice."
    assert told(LayCards(False, move, None)) == f"In your next two turns you can {gather}."
    assert (
        told(LayCards(False, move, birth))
        == f"In your next three turns you can place an extra star, in the first two also {gather}."
    )
    assert told(LayCards(False, None, birth)) == "In your next three turns you can place an extra star."
    covered = "In your next three turns you can remove a star for points. Slot 1 is no star birth in your next turn."
    assert told(LayCards(False, None, hole)) == covered
    assert told(LayCards(False, None, None)) == "You keep your cards for later."
    view |= {"scenario": 2}
    assert told(LayCards(False, hole, None)) == "In your next two turns you can remove a star that is in your way."


def test_a_star_is_explained_by_the_birth_that_it_prepares() -> None:
    played = next(it for it in positions("sternenglanz", {"scenario": 1}, 2, seed=1) if it.state.phase == "act")
    rules, seat = played.rules, min(played.rules.to_act(played.state))
    view = rules.view(played.state, seat)

    def told(field: str, *on: str, then: str = "a1", star: str = "punkt") -> str:
        board, following = {"board": dict.fromkeys(on, "punkt")}, Move((Sterngeburt(2, "leucht", then),))
        return reason(rules, view | board, Move((Sterngeburt(1, star, field),)), "en", then=[following])

    assert told("d6", "c5") == "A bright star on d7 then needs only one more dot star."
    assert told("d8", "c5", "d6") == "It makes a bright star on d7 possible."
    assert told("d8", "c5", "d6", then="d7") == ""  # the plan itself shows it
    assert told("d7", "c5", "d6", "d8", star="leucht") == ""  # it scores


def test_a_game_without_reasons_gives_none() -> None:
    assert reason(rules_alone, {}, "a", "en") == ""  # type: ignore[arg-type]  # a module
