"""The reasons for hints: sentences about what a move achieves, from the seat's view alone."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain, islice
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from server.bots import advice
from server.bots.search import Compared, Seen
from server.games import GAMES, Json, Rules, SeededDice
from server.games.contract import Effort, Reason
from server.games.presentation import reasons, telling
from server.games.sternenglanz.material import FIELDS, ids_of
from server.games.sternenglanz.moves import Choose, LayCards, Move, Sterngeburt
from server.games.sternenglanz.names import piece_in_sentence
from server.games.sternenhimmel.material import BOARDS
from server.games.sternenhimmel.moves import Placement
from server.games.sternenhimmel.state import BoardScored
from server.play.turns import hints
from server.translations import LOCALES
from tests.every_game import rules_alone
from tests.support.samples import positions

QUIET = "Your opponent gets no new space for a bright star."
NAMES = ("Ada", "Sirius", "Naos", "Vega")


def reason(rules: Rules, view: Json, move: Any, locale: str, is_past: bool = False, then: Sequence[Any] = ()) -> str:
    """Return all reasons for a move."""
    return " ".join(it.text for it in reasons(rules, view, move, locale, NAMES, is_past, then))


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
    view = {"next": 0, "coins": [0, 0, 0, 0], "hand": [], "boards": [board]}
    return reason(GAMES["sternenhimmel"], view, move, locale, is_past)


def lies(seat: int, star: str | None) -> Json:
    return {"seat": seat, "star": star}


def test_a_placement_that_leads_is_explained_by_the_points() -> None:
    assert in_aries(Placement("7", "aries", "e"), a=lies(1, "6")).startswith(
        "You take the lead in Aries. You're then ahead by 1. "
    )
    assert in_aries(Placement("5", "aries", "e"), a=lies(1, "6")).startswith(
        "You come closer to the lead in Aries. You're then behind by 1. "
    )
    hidden = {"a": lies(1, None), "b": lies(0, "7")}
    told = in_aries(Placement("3", "aries", "e"), **hidden)
    assert told.startswith("As far as you can see, you extend your lead in Aries. ")
    assert "1 star there is hidden from you." in told


def test_a_placement_that_fills_a_constellation_is_explained_by_who_gets_what() -> None:
    ones = {space: lies(1, "1") for space in "abcd"}
    ten = Placement("10", "aries", "e")
    assert in_aries(ten, is_past=True, **ones) == "You'd have come first in Aries."
    first = "Aries is scored now, and you come first: 5 coins for you, 3 for Sirius."
    assert in_aries(ten, **ones) == f"{first} 1 star returns to your hand."
    in_german = in_aries(ten, locale="de", **ones)
    assert in_german.startswith(
        "Das Sternbild Widder wird jetzt gewertet, und du liegst vorn: 5 Münzen für dich, 3 für Sirius."
    )  # not a plural
    six = Placement("6", "aries", "e")

    def told(move: Placement = six, **stars: Json) -> str:
        return in_aries(move, **ones | stars).removesuffix(" 1 star returns to your hand.")

    second = "Aries is scored now, and you come second: 3 coins for you, 5 for Sirius."
    assert told(a=lies(1, "7"), b=lies(2, "3")) == second
    assert told(a=lies(1, "7"), b=lies(2, "6")) == "Aries is scored now: 1 coin for you, 5 for Sirius."
    third = "Aries is scored now: 1 coin for you, 5 for Sirius, 3 for Naos."
    assert told(a=lies(1, "10"), b=lies(2, "7")) == third
    tied = "Aries is scored now. You tie for first place, so its 5 coins stay in the bank."
    assert told(**dict.fromkeys("abcd", lies(2, "1")) | {"a": lies(1, "6")}) == tied
    others = "Aries is scored now. Others tie for first place, so its 5 coins stay in the bank."
    assert told(a=lies(1, "7"), b=lies(1, "1"), c=lies(2, "7"), d=lies(2, "1")) == others
    hidden = (
        "Aries is scored now. As far as you can see, you come second, for 3 coins. 1 star there is hidden from you."
    )
    assert told(a=lies(1, None)) == hidden


def test_a_placement_that_fills_a_constellation_says_that_the_seat_gets_nothing() -> None:
    def told(**stars: Json) -> str:
        swallowed = Placement("6", "aries", "b")
        text, _, rest = in_aries(swallowed, a=lies(1, "7"), **stars).partition(" A black hole swallows it.")
        assert rest == " 1 star returns to your hand."
        return text

    def hole(seat: int) -> Json:
        return {"d": lies(seat, "B")}  # only b is next to d

    nothing = "Aries is scored now, and you get nothing: "
    assert told(c=lies(2, "3"), e=lies(2, "1"), **hole(2)) == nothing + "5 coins for Sirius, 3 for Naos."
    shared_second = told(c=lies(2, "3"), e=lies(3, "3"), **hole(1))
    assert shared_second == nothing + "5 coins for Sirius."
    assert told(c=lies(1, "3"), e=lies(1, "1"), **hole(1)) == nothing + "at least 5 coins for Sirius."
    tied = told(c=lies(2, "7"), e=lies(3, "1"), **hole(3))
    assert tied == nothing + "others tie for first place, so its 5 coins stay in the bank."


def test_a_hint_always_says_first_that_a_constellation_is_scored() -> None:
    one, other = (
        Reason("scored", f"{it} is scored now, and you get nothing: 5 coins for Sirius.", comes_first=True)
        for it in ("Leo", "Sagittarius")
    )
    returns = [Reason("return", f"{it} stars return to your hand.") for it in (1, 2)]
    leads = given("You lead.")
    told = [f"{one.text} 1 stars return to your hand.", other.text, "You lead."]
    assert telling([[one, *returns], [other, *leads], leads]) == told
    assert telling([[one], [one]]) == [one.text] * 2


def test_black_holes_and_double_stars_are_explained_by_their_neighbours() -> None:
    beside = BOARDS["aries"].neighbours
    space, (near, *_) = next((it, found) for it, found in beside.items() if len(found) > 1)
    others = [it for it in beside[space] if it != near]
    lone = in_aries(Placement("B", "aries", space), **{near: lies(1, "1")})
    assert lone.startswith("The others lose 1 point in Aries. ")
    hole, double = (in_aries(Placement(star, "aries", space), **{near: lies(1, "6")}) for star in "BD")
    assert hole.startswith("The others lose 6 points in Aries. You take the lead in Aries. It blocks " + others[0])
    too = "The others' stars next to the double star count double, too."
    assert double.startswith(f"Stars on {' and '.join(others)} then count double. {too} ")
    own = in_aries(Placement("D", "aries", space), **{near: lies(0, "10")})
    assert f"Your 10 on {near} then counts 20. Stars on {others[0]}" in own and too not in own
    assert "Next to a double star, it counts 12." in in_aries(Placement("6", "aries", space), **{near: lies(0, "D")})
    assert in_aries(Placement("1", "aries", space), **{near: lies(1, "B")}).startswith("A black hole swallows it. ")
    vanishing = "It vanishes with the black hole next to it."
    assert vanishing in in_aries(Placement("B", "aries", space), **{near: lies(1, "B")})
    full = {it: lies(1, "6") for it in beside[space]} | {near: lies(1, None)}
    assert in_aries(Placement("D", "aries", space), **full).startswith(too)


def test_a_placement_is_explained_by_what_it_keeps_and_by_how_soon_its_constellation_is_scored() -> None:
    boards = [
        {"board": it, "slot": nr, "spaces": dict.fromkeys(BOARDS[it].spaces)} for nr, it in enumerate(("aries", "leo"))
    ]
    view = {"next": 0, "coins": [0, 0, 0], "hand": ["7", "10"], "boards": boards}

    def told(move: Placement) -> list[str]:
        return [it.text for it in reasons(GAMES["sternenhimmel"], view, move, "en", NAMES)]

    assert told(Placement("7", "leo", "e")) == [
        "Leo pays most: 10 coins for first place, 7 for second.",
        "No opponent has a star in Leo yet.",
        "You keep your 10 for later.",
        "8 more stars then score Leo, for 10 and 7 coins.",
    ]
    assert told(Placement("10", "aries", "a")) == [
        "No opponent has a star in Aries yet.",
        "It lies face down, so the others don't know it.",
        "4 more stars then score Aries, for 5 and 3 coins.",
    ]
    boards[0]["spaces"] |= {"a": lies(1, "1"), "c": lies(0, "5"), "d": lies(0, "1")}
    safe = "Every space next to it is taken, so no black hole can swallow it."
    assert {safe, "1 more star then scores Aries, for 5 and 3 coins."} < {*told(Placement("7", "aries", "e"))}


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


def given(*texts: str) -> list[Reason]:
    return [Reason(it, it) for it in texts]


def test_a_reason_that_all_moves_share_is_given_for_none() -> None:
    assert telling([given("You win."), given("You win.")]) == ["", ""]
    assert telling([given("You win.")]) == ["You win."]
    assert telling([given("You win."), given("You win.", "You lead.")]) == ["", "You lead."]


def test_no_two_moves_of_a_hint_have_the_same_reason() -> None:
    assert telling([given("You win."), given("You win."), []]) == ["You win.", "", ""]
    assert telling([given("You win.", "You lead."), given("You win."), []]) == ["You lead.", "You win.", ""]


def test_the_moves_of_a_hint_get_reasons_of_different_kinds() -> None:
    leads = [[Reason("lead", f"You lead in {it}."), Reason(it, f"{it} is small.")] for it in ("Leo", "Aries")]
    told = telling(leads)
    assert told == ["You lead in Leo. Leo is small.", "Aries is small. You lead in Aries."]
    assert (
        telling([[it[0]._replace(text=it[0].text * 6), it[1]] for it in leads])[1] == "Aries is small."
    )  # in two lines


def test_an_aside_does_not_stand_alone() -> None:
    aside = Reason("cost", "It costs your 10.", is_aside=True)
    assert telling([[aside], [aside, *given("You lead.")], []]) == ["", "You lead. It costs your 10.", ""]


def test_a_hint_lists_plans_that_win_first_and_the_shortest_of_them_before_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    played = next(islice(positions("sternenhimmel", {}, 3, seed=1), 4, None))
    rules, seat = played.rules, min(played.rules.to_act(played.state))
    legal = rules.legal_moves(played.state, seat)
    seen = Seen(rules, seat, rules.view(played.state, seat), played.story(seat), legal)
    best, long, short = legal[:3]
    plans = {best: [best], long: [long, best], short: [short]}

    def planned(seen: Seen, _state: Any, _game: Any, steps: Sequence[Any], *_: Any) -> Any:
        return hints._Line([(seen, it) for it in plans[steps[0]]], steps[0], 0.0, 0.0, ())

    monkeypatch.setattr(hints, "_line", planned)
    monkeypatch.setattr(hints, "_wins", lambda _, end: end != best)
    compared = [Compared(best, 2.0), Compared(long, 1.0), Compared(short, 0.5)]
    found = hints.lines(seen, played.state, SimpleNamespace(table=played), [], compared, advice.suggested)  # type: ignore[arg-type]  # a table is enough
    assert [it.end for it in found] == [short, long, best]
    assert [it.behind for it in found] == [0, 0, 0]


SAMPLES = 2  # hints in each game
SAME = 0.15  # most of the hints in which two reasons differ only in names and numbers; it was 0.43
WITHOUT = 0.05  # most of the moves without a reason; it was 0.36
EMPTY = ("fewer chances", "keep your cards for later")  # reasons that name nothing


def lines_of(played: Any, monkeypatch: pytest.MonkeyPatch) -> Sequence[Sequence[tuple[Seen, Any]]]:
    """Return the steps of each move of a hint for the seat on turn, found without samples."""
    rules, state, seat = played.rules, played.state, min(played.rules.to_act(played.state))
    effort = Effort(candidates=4)
    monkeypatch.setattr(advice, "effort", lambda _: effort)
    game: Any = SimpleNamespace(table=played, dice=lambda: SeededDice(played.seed, ()))
    seen = Seen(rules, seat, rules.view(state, seat), played.story(seat), rules.legal_moves(state, seat))
    compared = advice.suggested(seen, effort, advice.SECONDS)
    return [it.steps for it in hints.lines(seen, state, game, [], compared, advice.suggested)]


@pytest.mark.parametrize(
    ("game", "seats"), [(game, seats) for game in GAMES for seats in GAMES[game].describe()["seats"]]
)
def test_the_reasons_of_hints_differ_and_name_something(game: str, seats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Counter[str]()
    for seed in range(40):
        options = {"scenario": seed % 4 + 1} if game == "sternenglanz" else {}
        waiting = [it for it in islice(positions(game, options, seats, seed), 60) if it.rules.to_act(it.state)]
        for played in (waiting[0], *Random(seed).sample(waiting, SAMPLES - 1)):
            lines = lines_of(played, monkeypatch)
            for (seen, move), *_ in lines:
                step = move.steps[0] if game == "sternenglanz" else None
                if isinstance(step, Sterngeburt):
                    own = f"can't place a {piece_in_sentence(step.star, 'en')} on {step.field} then"
                    assert not any(own in it.text for it in reasons(played.rules, seen.view, move, "en", NAMES)), seed
            given = [hints.reasons_of(it, "en", NAMES) for it in lines]
            told = telling(given)
            kinds = [re.sub(r"[a-z]?\d+|[A-Z][a-z]+", "", it) for it in told if it]  # without names and numbers
            found["hints"] += 1
            found["moves"] += len(told)
            found["same"] += len(set(kinds)) < len(kinds)
            achieved = hints.achievements(given)
            found["without"] += sum(not it or any(empty in it for empty in EMPTY) for it in achieved)
            assert len({*filter(None, told)}) == len([*filter(None, told)]), f"seed {seed}: {told}"
    print(f"{game}, {seats} seats, seeds 0 to 39: {dict(found)}")
    assert found["same"] <= SAME * found["hints"], found
    assert found["without"] <= WITHOUT * found["moves"], found


def test_a_single_opponent_is_not_called_the_others() -> None:
    whom = {2: "your opponent", 3: "the others"}
    for seats in whom:
        told = ""
        for played in list(positions("sternenglanz", {"scenario": 1}, seats, seed=1))[:-1:5]:
            rules, seat = played.rules, min(played.rules.to_act(played.state))
            view = rules.view(played.state, seat)
            told += " ".join(reason(rules, view, it, "en") for it in rules.legal_moves(played.state, seat)).lower()
        for hindering in ("harder for ", "otherwise "):
            assert hindering in told
        for number, other in whom.items():
            assert (f"harder for {other}" in told) == (f"otherwise {other}" in told) == (number == seats)


def test_cards_are_explained_by_what_they_prepare() -> None:
    played = next(positions("sternenglanz", {"scenario": 1}, 2, seed=1))
    view = played.rules.view(played.state, 0) | {"next": 0}
    move, hole, birth = "wanderung-3#1", "loch-c#1", "geburt#1"

    def told(step: Choose | LayCards) -> str:
        return reason(played.rules, view, Move((step,)), "en")

    gather = "move a star to prepare a bright star"
    both = f"In your next two turns you can {gather}, in the first also remove a star for points."
    outwards = "You can take a star 3 spaces towards the special spaces. "
    assert told(Choose(move, hole)).startswith(f"{outwards}{both} You keep these cards: ")
    twice = f" In your next two turns you can {gather}, in the first even twice. You keep"
    assert twice in told(Choose(move, move))
    assert told(Choose(birth, "geburt#2")).startswith("You can place 3 stars in your first turn and 2 in your second. ")
    assert told(Choose(hole, birth)).startswith(
        "You can place 2 stars in your first turn and 1 in your second. The black hole is still there in your second "
    )
    assert told(LayCards(False, move, None)) == f"In your next two turns you can {gather}."
    assert told(LayCards(False, move, birth)) == (
        f"In your next three turns you can place an extra star, in the first two also {gather}."
    )
    assert told(LayCards(False, None, birth)) == "In your next three turns you can place an extra star."
    covered = "In your next three turns you can remove a star for points. Slot 1 is no star birth in your next turn."
    assert told(LayCards(False, None, hole)) == covered
    assert told(LayCards(False, None, None)) == "You keep 5 cards and decide when the others have moved."
    view |= {"board": {"c5": "punkt", "d6": "punkt", "d8": "punkt"}}
    assert told(LayCards(False, None, birth)).startswith("A bright star on d7 is open now, for 2 points. ")
    one, other, *_ = ids_of(FIELDS["d7"].near)
    view |= {"board": {"d7": "punkt", one: "punkt", other: "pracht"}}
    assert told(LayCards(False, None, hole)).startswith("The black hole could now score 2 points on d7. ")
    view |= {"scenario": 2}
    assert told(LayCards(False, hole, None)) == "In your next two turns you can remove a star that is in your way."
    assert told(Choose(move, hole)).startswith("You can move a star 3 spaces to where your constellation needs it. ")


def test_a_star_is_explained_by_the_birth_that_it_prepares() -> None:
    played = next(it for it in positions("sternenglanz", {"scenario": 1}, 2, seed=1) if it.state.phase == "act")
    rules, seat = played.rules, min(played.rules.to_act(played.state))
    view = rules.view(played.state, seat)

    def told(field: str, *on: str, then: str | None = None, star: str = "punkt") -> str:
        board = {"board": dict.fromkeys(on, "punkt")}
        following = [Move((Sterngeburt(2, "leucht", then),))] if then else []
        return reason(rules, view | board, Move((Sterngeburt(1, star, field),)), "en", then=following)

    worth = "The bright star would bring 2 points."
    assert told("d6", "a1") == f"A bright star on d7 then has 1 of 3 neighbours. {worth} {QUIET}"
    assert told("d6", "a1", "c5") == (
        f"A bright star on d7 then needs only one more dot star, but your opponent moves first. {worth} {QUIET}"
    )
    possible = "It makes a bright star on d7 possible. It brings 2 points if your opponent leaves it to you."
    assert told("d8", "a1", "c5", "d6") == possible
    taken = told("d8", "c5", "d6", then="d7")
    assert "possible" not in taken and taken.endswith("The bright star on d7 brings 2 points.")
    scoring = told("d7", "c5", "d6", "d8", star="leucht")
    assert scoring.startswith("Otherwise your opponent could place the bright star on d7.")


@pytest.mark.parametrize(
    ("locale", "told"), [("de", "Der Leuchtstern brächte 2 Punkte."), ("it", "La stella brillante darebbe 2 punti.")]
)
def test_the_star_that_would_bring_points_is_named(locale: str, told: str) -> None:
    played = next(it for it in positions("sternenglanz", {"scenario": 1}, 2, seed=1) if it.state.phase == "act")
    view = played.rules.view(played.state, min(played.rules.to_act(played.state)))
    board = {"board": dict.fromkeys(("c5", "d6", "d8"), "punkt")}
    taking = Move((Sterngeburt(1, "punkt", "d7"),))
    assert told in reason(played.rules, view | board, taking, locale)


def test_a_star_that_brings_a_birth_only_a_little_nearer_is_no_reason_for_a_hint() -> None:
    played = next(it for it in positions("sternenglanz", {"scenario": 1}, 2, seed=1) if it.state.phase == "act")
    view = played.rules.view(played.state, min(played.rules.to_act(played.state)))
    far, near = (
        reasons(played.rules, view | {"board": board}, Move((Sterngeburt(1, "punkt", "d6"),)), "en", NAMES)
        for board in ({}, {"c5": "punkt"})
    )
    assert telling([far]) == [QUIET]
    assert "needs only one more" in telling([near])[0]


def test_a_plan_is_explained_by_its_actions_together_and_not_by_the_cards_at_its_end() -> None:
    played = next(it for it in positions("sternenglanz", {"scenario": 1}, 2, seed=1) if it.state.phase == "act")
    view = played.rules.view(played.state, min(played.rules.to_act(played.state)))
    view |= {"board": dict.fromkeys(("c5", "d6"), "punkt")}
    opening, closing = (Move((Sterngeburt(nr, "punkt", it),)) for nr, it in ((1, "d8"), (2, "d7")))
    cards = Move((LayCards(False, None, "geburt#1"),))

    def told(*plan: Move) -> str:
        return reason(played.rules, view, plan[0], "en", then=plan[1:])

    assert "bright star on d7 possible" in told(opening, cards)
    both = told(opening, closing, cards)  # the second action takes what the first opens
    assert both == told(opening, closing) and "possible" not in both
    assert "turns you can" not in both


def test_a_game_without_reasons_gives_none() -> None:
    assert reasons(rules_alone, {}, "a", "en", ()) == ()  # type: ignore[arg-type]  # a module
