"""The reasons for hints: sentences about what a move achieves, from the seat's view alone."""

from itertools import chain

import pytest

from server.games import GAMES, SeededDice
from server.games.presentation import reason, telling_reasons
from server.games.sternenglanz.moves import Choose, LayCards, Move, Sterngeburt
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


def test_a_placement_that_leads_fills_or_swallows_is_explained() -> None:
    rules = GAMES["sternenhimmel"]
    spaces = {space: None for space in "abcde"}
    board = {"board": "aries", "slot": 0, "spaces": spaces | {"a": {"seat": 1, "star": "6"}}}
    view = {"next": 0, "coins": [0, 0], "boards": [board]}
    assert reason(rules, view, Placement("7", "aries", "e"), "en") == "You take the lead in Aries."
    assert reason(rules, view, Placement("5", "aries", "e"), "en") == "You come closer to the lead in Aries."
    assert reason(rules, view, Placement("B", "aries", "b"), "en") == "The others lose 6 points in Aries."
    board["spaces"] |= {"a": {"seat": 1, "star": None}, "b": {"seat": 0, "star": "7"}}
    assert reason(rules, view, Placement("3", "aries", "e"), "en") == (
        "As far as you can see, you extend your lead in Aries."
    )
    board["spaces"] = {space: {"seat": 1, "star": "1"} for space in "abcd"} | {"e": None}
    missed = reason(rules, view, Placement("10", "aries", "e"), "en", is_past=True)
    assert missed == "Aries would have been scored, and you'd have come first."
    assert reason(rules, view, Placement("10", "aries", "e"), "en") == "Aries is scored now, and you come first."
    in_german = reason(rules, view, Placement("10", "aries", "e"), "de")
    assert in_german == "Das Sternbild Widder wird jetzt gewertet, und du liegst vorn."  # some names are plurals
    board["spaces"] |= {"a": {"seat": 1, "star": None}}
    told = "Aries is scored now. As far as you can see, you come first."
    assert reason(rules, view, Placement("10", "aries", "e"), "en") == told


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
    rules = GAMES["sternenhimmel"]
    board = {"board": "aries", "slot": 0, "spaces": dict.fromkeys("abcde")}
    view = {"next": 0, "coins": [0, 0], "boards": [board, board | {"board": "taurus"}]}
    seven, six, elsewhere = Placement("7", "aries", "e"), Placement("6", "aries", "e"), Placement("7", "taurus", "e")
    in_aries, in_taurus = "You take the lead in Aries.", "You take the lead in Taurus."
    assert telling_reasons(rules, view, (seven, six), "en") == ["", ""]
    assert telling_reasons(rules, view, (seven, six, elsewhere), "en") == [in_aries, in_aries, in_taurus]
    assert telling_reasons(rules, view, (seven,), "en") == [in_aries]


def test_cards_are_explained_by_the_turns_in_which_they_can_be_used() -> None:
    played = next(positions("sternenglanz", {"scenario": 1}, 2, seed=1))
    view = played.rules.view(played.state, 0) | {"next": 0}
    move, hole, birth = "wanderung-3#1", "loch-c#1", "geburt#1"

    def told(step: Choose | LayCards) -> str:
        return reason(played.rules, view, Move((step,)), "en")

    assert told(Choose(move, hole)) == "You have star migration 3 for two turns and black hole C for one."
    assert told(LayCards(False, move, None)) == "You have star migration 3 for two turns."
    assert told(LayCards(False, None, birth)) == "You have star birth for three turns."
    covered = "You have black hole C for three turns. Slot 1 is no star birth in your next turn."
    assert told(LayCards(False, None, hole)) == covered
    assert told(LayCards(False, None, None)) == "You keep your cards for later."


def test_a_star_is_explained_by_the_birth_that_it_prepares() -> None:
    played = next(it for it in positions("sternenglanz", {"scenario": 1}, 2, seed=1) if it.state.phase == "act")
    rules, seat = played.rules, min(played.rules.to_act(played.state))
    view = rules.view(played.state, seat)

    def told(field: str, *on: str) -> str:
        board = {"board": dict.fromkeys(on, "punkt")}
        return reason(rules, view | board, Move((Sterngeburt(1, "punkt", field),)), "en")

    assert told("d6", "c5") == "A bright star on d7 then needs only one more dot star."
    assert told("d8", "c5", "d6") == "It makes a bright star on d7 possible."


def test_a_game_without_reasons_gives_none() -> None:
    assert reason(rules_alone, {}, "a", "en") == ""  # type: ignore[arg-type]  # a module
