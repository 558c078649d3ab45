"""Hints: the best moves for a player whose opponents are all bots."""

from math import ceil
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from server.bots import advice
from server.bots.search import Compared, Seen
from server.config import Bound
from server.games import GAMES, Json
from server.games.contract import Effort, Reason
from server.play.turns import hints
from tests.support.contract import Someone, is_problem, opened
from tests.support.games import BOT, ME, OPEN, everything_due_happens, person
from tests.support.stand_ins import stands_in


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "effort", lambda _: Effort(worlds=1, candidates=4))


def hint(who: Someone, path: str) -> Json:
    response = who.get(f"{path}/hint")
    assert response.status_code == 200, response.text
    told: Json = response.json
    return told


@pytest.mark.parametrize("rules", ["sternenhimmel", "sternenglanz"])
def test_a_hint_names_the_best_moves_and_is_the_same_when_requested_again(app: Flask, rules: str) -> None:
    ada = Someone(app, "ada")
    path = opened(ada, ME, BOT, BOT, rules=rules, options={"start_seat": 0} if rules == "sternenhimmel" else {})
    told, legal = hint(ada, path), ada.get(f"{path}/legal-moves").json
    assert told["turn"] == legal["turn"]
    found = len(told["moves"])
    assert found == 3 or (rules == "sternenglanz" and found == 1)  # all cards in hand are of one type
    assert all(it["move"] in legal["moves"] for it in told["moves"])
    behind = [it["behind"] for it in told["moves"]]
    assert behind[0] == 0
    assert behind == sorted(behind)
    assert [it["margin"] for it in told["moves"]] == [0, None, None][:found]  # in one world
    assert hint(ada, path) == told
    ada.patch("/v1/me", {"locale": "de"})
    in_german = hint(ada, path)["moves"]
    assert [it["move"] for it in in_german] == [it["move"] for it in told["moves"]]
    assert rules == "sternenhimmel" or all(it["words"].startswith("wähle") for it in in_german)
    best = {"turn": told["turn"], "move": told["moves"][0]["move"]}
    assert ada.post(f"{path}/moves", best).status_code == 201


def in_first_turn(app: Flask, who: Someone) -> str:
    """Return the path of a game of Sternenglanz in which this player has chosen their first cards and is on turn."""
    path = opened(who, ME, BOT, rules="sternenglanz", options={"start_seat": 0})
    best = hint(who, path)
    assert who.post(f"{path}/moves", {"turn": best["turn"], "move": best["moves"][0]["move"]}).status_code == 201
    with app.app_context():
        everything_due_happens()
    return path


def test_a_hint_after_the_first_steps_of_a_turn_is_about_the_next_step(app: Flask) -> None:
    ada = Someone(app, "ada")
    path, begun = in_first_turn(app, ada), list[Json]()
    while (told := ada.post(f"{path}/hint", {"begun": begun}).json)["moves"]:
        legal = ada.post(f"{path}/legal-moves", {"begun": begun}).json
        assert told["turn"] == legal["turn"]
        assert all(it["move"] in legal["moves"] for it in told["moves"])
        begun.append(told["moves"][0]["move"])
    assert len(begun) > 2
    assert ada.post(f"{path}/legal-moves", {"begun": begun}).json["moves"] == []
    refused = ada.post(f"{path}/hint", {"begun": [begun[0], begun[0]]})
    assert is_problem(refused, 422, "illegal-move")
    after = ada.post(f"{path}/hint", {"begun": begun[:1]}).json["moves"]
    assert ada.post(f"{path}/moves", {"turn": told["turn"], "move": begun[0]}).status_code == 201
    assert hint(ada, path)["moves"] == after


def test_each_move_of_a_hint_comes_with_the_rest_of_the_turn(app: Flask) -> None:
    ada = Someone(app, "ada")
    path = in_first_turn(app, ada)
    told, lines = hint(ada, path), list[list[Json]]()
    for it in told["moves"]:
        begun = [it["move"]]
        for step in it["then"]:
            following = ada.post(f"{path}/hint", {"begun": begun}).json["moves"][0]["move"]
            assert following == step["move"] or lines  # others may take another way to differ from the best
            begun.append(step["move"])
        assert ada.post(f"{path}/hint", {"begun": begun}).json["moves"] == []
        lines.append([step for it in begun for step in it["steps"]])
    assert lines and all(len(it) > 1 for it in lines)
    assert len({str(sorted(map(str, it))) for it in lines}) == len(
        lines
    )  # the same steps in another order are no other plan
    assert ada.post(f"{path}/moves", {"turn": told["turn"], "move": {"steps": lines[-1]}}).status_code == 201


def test_the_moves_of_a_hint_differ_in_what_they_aim_at_and_each_gives_a_reason(app: Flask) -> None:
    ada = Someone(app, "ada")
    path = opened(ada, ME, BOT, BOT, options={"start_seat": 2})
    for _ in range(4):
        with app.app_context():
            everything_due_happens()
        told = hint(ada, path)
        reasons = [it["why"] for it in told["moves"]]
        assert len(reasons) == 3 and all(reasons)
        assert len(set(reasons)) == 3 or len({it["move"]["star"] for it in told["moves"]}) > 1, reasons
        best = {"turn": told["turn"], "move": told["moves"][0]["move"]}
        assert ada.post(f"{path}/moves", best).status_code == 201


@pytest.mark.parametrize(("rules", "much"), [("sternenhimmel", 10), ("sternenglanz", 3)])
def test_a_hint_leaves_out_moves_that_are_much_worse_than_the_best(app: Flask, rules: str, much: float) -> None:
    ada, distinct = Someone(app, "ada"), list[Any]()
    while len(distinct) < 3:  # cards in hand may all be of one type
        seats, options = ([BOT], {}) if rules == "sternenglanz" else ([BOT, BOT], {"start_seat": 0})
        path = opened(ada, ME, *seats, rules=rules, options=options)
        legal = map(GAMES[rules].move_from_json, ada.get(f"{path}/legal-moves").json["moves"])
        distinct = [*{advice.effect(GAMES[rules], it): it for it in legal}.values()]

    def behind(by: float, margin: float) -> list[float]:
        compared = [Compared(move, -gain, margin) for move, gain in zip(distinct[:3], (0, 0.6, by), strict=True)]
        ways = hints.Ways(lambda _: None, lambda *_: compared)
        with app.app_context():
            return [
                it["behind"] for it in hints.hint(UUID(path.rpartition("/")[2]), person("ada"), "en", (), ways)["moves"]
            ]

    assert behind(much - 0.1, 0.5) == [0, 0.6, much - 0.1]
    assert behind(much, 0.5) == [0, 0.6]
    assert behind(much, much + 1) == [0, 0.6, much]  # that may be an error of the estimate


def test_a_hint_tells_what_each_move_scores_at_once(app: Flask) -> None:
    ada = Someone(app, "ada")
    path = in_first_turn(app, ada)
    told, before = hint(ada, path), ada.get(path).json["view"]["points"][0]
    for it in told["moves"]:
        foreseen = ada.post(f"{path}/moves?dry_run=true", {"turn": told["turn"], "move": it["move"]}).json
        assert it["scores"] == foreseen["view"]["points"][0] - before


def test_a_hint_tells_what_its_line_scores_and_promises_a_win_if_the_line_ends_the_game_with_it(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(advice, "effort", lambda _: Effort(candidates=1))
    ada, is_won = Someone(app, "ada"), False
    while not is_won:  # random moves rarely win, but draws occur
        path = opened(ada, ME, {"bot": "random"}, rules="sternenglanz", options={"start_seat": 1, "max_rounds": 1})
        while True:
            with app.app_context():
                everything_due_happens()
            before = ada.get(path).json
            if before["status"] == "finished":
                break
            told = hint(ada, path)
            best, points = told["moves"][0], before["view"]["points"][0]
            line = [best["move"], *(it["move"] for it in best["then"])]
            turn = {"turn": told["turn"], "move": {"steps": [step for it in line for step in it["steps"]]}}
            assert ada.post(f"{path}/moves", turn).status_code == 201
            after = ada.get(path).json
            is_won = after["status"] == "finished" and after["outcome"]["places"] == [1, 2]
            assert best["scores_with_then"] == after["view"]["points"][0] - points
            assert best["wins"] is is_won
            assert (best["why"] == "Wins the game.") is is_won


@pytest.mark.parametrize(
    ("behind", "scores", "told"),
    [
        (0.2, (9.4, 5.0), "2 points less now than suggestion 1, but probably about 3 more in your next turn."),
        (0.2, (6.2, 2.4), "2 points less now than suggestion 1, but your opponent probably gets about 3 less."),
        (
            0.2,
            (6.2, 3.5, 3.7),
            "2 points less now than suggestion 1, but the others probably get about 1 less on average.",
        ),
        (0.2, (6.2, 5.0), ""),  # better chances name nothing
        (1.0, (6.2, 5.0), "2 points less now than suggestion 1, and it may not pay off."),
        (2.5, (9.4, 5.0), ""),
    ],
)
def test_a_hint_says_what_balances_that_another_move_scores_more_at_once(
    behind: float, scores: tuple[float, ...], told: str
) -> None:
    seen = Seen(GAMES["sternenglanz"], 0, {}, [], [])
    most = hints._Line([], None, 0.0, 0.0, (8.0, 5.0, 4.0)[: len(scores)])
    line = hints._Line([], None, behind, 1.2, scores)
    assert hints._balances(seen, [most, line], [4, 2], "en") == ["", told]
    assert hints._balances(seen, [most, line], [4, 4], "en") == ["", ""]


@pytest.mark.parametrize(
    ("behind", "scores", "told"),
    [
        (3.0, (5.0, 5.0), "This move brings about 3 points less than suggestion 1."),  # the seat itself gets less
        (4.0, (2.0, 3.0), "This move brings about 4 points less than suggestion 1."),  # the opponent gets less, too
        (3.0, (8.0, 8.0), "This move brings about 3 points less than suggestion 1: your opponent gets more."),
        (3.0, (8.0, 8.0, 7.0), "This move brings about 3 points less than suggestion 1: the others get more."),
        (
            3.0,
            (6.0, 6.0),
            "This move brings about 3 points less than suggestion 1: you get 2 less, your opponent 1 more.",
        ),
        (
            3.0,
            (6.0, 6.0, 5.0),
            "This move brings about 3 points less than suggestion 1: you get 2 less, the others 1 more on average.",
        ),
        (3.0, (8.0, 5.0), "This move brings about 3 points less than suggestion 1."),  # worse chances name nothing
        (30.0, (7.0, 5.0), "With this move, you're less likely to win than with suggestion 1."),
        (1.0, (7.0, 5.0), ""),  # within the margin
        (2.5, (), "This move brings about 3 points less than suggestion 1."),
    ],
)
def test_a_hint_says_what_a_weaker_move_costs_against_the_best(
    behind: float, scores: tuple[float, ...], told: str
) -> None:
    seen = Seen(GAMES["sternenglanz"], 0, {}, [], [])
    best = hints._Line([], None, 0.0, 0.0, (8.0, 5.0, 4.0)[: len(scores)])
    assert hints._cost(seen, hints._Line([], None, behind, 1.2, scores), best, "en") == told


def test_a_hint_names_a_large_difference_even_if_it_may_be_an_error() -> None:
    seen = Seen(GAMES["sternenglanz"], 0, {}, [], [])
    best, line = (hints._Line([], None, by, margin, ()) for by, margin in ((0.0, 0.0), (3.6, 4.0)))
    assert hints._cost(seen, line, best, "en") == "This move may bring about 4 points less than suggestion 1."
    assert hints._cost(seen, line, best, "en", is_told=True) == ""
    assert hints._cost(seen, line._replace(behind=1.4), best, "en") == ""


@pytest.mark.parametrize(
    ("gains", "margin", "told"),
    [
        ((9.0, -3.4, -5.0), 2.0, "The next best move brings about 12 points less."),
        ((9.0, 8.0), 2.0, ""),
        ((0.0,), 0.0, ""),
    ],
)
def test_a_single_suggestion_says_how_far_it_is_ahead(gains: tuple[float, ...], margin: float, told: str) -> None:
    seen = Seen(GAMES["sternenglanz"], 0, {}, [], [])
    compared = [Compared("move", gain, margin if nr else 0.0) for nr, gain in enumerate(gains)]
    assert hints._lead(seen, compared, "en") == told


def test_a_single_suggestion_counts_no_points_for_a_win() -> None:
    seen = Seen(GAMES["sternenglanz"], 0, {}, [], [])
    compared = [Compared("win", 60.0, 0.0, (30.0, 6.0)), Compared("other", 7.0, 2.0, (28.0, 7.0))]
    assert hints._lead(seen, compared, "en") == "With the next best move, you're less likely to win."


def test_a_best_move_that_pays_off_by_chances_names_no_other_figures() -> None:
    seen = Seen(GAMES["sternenglanz"], 0, {}, [], [])
    best, other = hints._Line([], None, 0.0, 0.0, (7.0, 4.0)), hints._Line([], None, 1.0, 0.4, (9.0, 5.0))
    assert hints._balances(seen, [best, other], [0, 2], "en") == [
        "2 points less now than suggestion 2, but it probably pays off later.",
        "",
    ]


def test_every_move_of_a_hint_says_what_it_does_even_if_others_do_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    same, own = Reason("hidden", "It lies face down."), Reason("lead", "You take the lead.")
    aside = Reason("far", "It lacks much.", is_aside=True)
    given = iter([[same, own], [aside, same], [same], [aside]])
    monkeypatch.setattr(hints, "reasons_of", lambda *_: next(given))
    monkeypatch.setattr(hints, "_scores", lambda *_: 0)
    seen = Seen(GAMES["sternenglanz"], 0, {}, [], [])
    found = [hints._Line([], None, by, 0.1, ()) for by in (0.0, 0.2, 1.2, 0.0)]
    assert hints._whys(seen, found, [], (), "en") == [
        "You take the lead.",
        "It lies face down.",
        "It lies face down. This move brings about 1 point less than suggestion 1.",
        "It lacks much.",
    ]


def test_every_move_of_a_hint_says_why_and_what_it_costs(app: Flask) -> None:
    ada = Someone(app, "ada")
    path = in_first_turn(app, ada)
    for _ in range(12):
        told = hint(ada, path)
        if told["moves"]:
            best, *others = told["moves"]
            assert best["why"] and all(it["why"] for it in others)
            worse = [it for it in others if advice.is_clear(it["behind"], it["margin"])]
            assert all("less than suggestion 1" in it["why"] or "Wins" in best["why"] for it in worse)
            turn = [step for it in (best, *best["then"]) for step in it["move"]["steps"]]
            assert ada.post(f"{path}/moves", {"turn": told["turn"], "move": {"steps": turn}}).status_code == 201
        with app.app_context():
            everything_due_happens()


def test_a_hint_is_empty_while_a_bot_is_on_turn(app: Flask) -> None:
    ada = Someone(app, "ada")
    path = opened(ada, {"bot": "level-1"}, ME, BOT)
    assert hint(ada, path) == {"turn": None, "moves": []}


def test_no_hints_are_given_in_a_game_with_another_person_even_after_they_left(app: Flask) -> None:
    ada, bea = Someone(app, "ada"), Someone(app, "bea")
    path = opened(ada, ME, OPEN, BOT)
    assert bea.post(f"{path}/seats").status_code == 201
    for leave in (False, True):
        if leave:
            assert bea.delete(f"{path}/seats/me").status_code == 204
        assert is_problem(ada.get(f"{path}/hint"), 403, "no-hints")


def test_no_hints_are_given_in_an_open_game_or_to_strangers(app: Flask) -> None:
    ada, bea = Someone(app, "ada"), Someone(app, "bea")
    assert is_problem(ada.get(f"{opened(ada, ME, OPEN, BOT)}/hint"), 403, "no-hints")
    assert is_problem(bea.get(f"{opened(ada, ME, BOT, BOT)}/hint"), 403, "not-seated")


def test_stand_ins_and_the_players_they_replace_get_no_hints(app: Flask) -> None:
    ada, bea = Someone(app, "ada"), Someone(app, "bea")
    path = opened(ada, ME, BOT, BOT)
    with app.app_context():
        stands_in(UUID(path.rpartition("/")[2]), person("ada"), person("bea"))
    assert is_problem(bea.get(f"{path}/hint"), 403, "no-hints")
    assert is_problem(ada.get(f"{path}/hint"), 409, "seat-handed-over")


def test_hints_are_limited_per_player(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(app.config, "LIMITS", True)
    monkeypatch.setitem(app.config["BOUNDS"], "hints", Bound(1, 3600))
    ada = Someone(app, "ada")
    path = opened(ada, ME, BOT, BOT)
    hint(ada, path)
    refused = ada.get(f"{path}/hint")
    assert is_problem(refused, 429, "too-many-requests")
    minutes = ceil(int(refused.headers["Retry-After"]) / 60)
    assert refused.json["detail"] == f"You've asked for 1 hints. You can get the next one in {minutes} min."


def test_a_hint_request_fails_soon_if_another_hint_is_being_computed(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hints, "PATIENCE", 0.01)
    ada = Someone(app, "ada")
    path = opened(ada, ME, BOT, BOT, options={"start_seat": 0})
    with hints._one_at_a_time:
        refused = ada.get(f"{path}/hint")
    assert is_problem(refused, 429, "too-many-requests")
    assert refused.headers["Retry-After"] == str(hints.RETRY)
    assert hint(ada, path)["moves"]
