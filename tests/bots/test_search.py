"""Bots that search see what their seat sees, stop in time, and choose well."""

import operator
from collections import deque
from functools import reduce
from itertools import groupby, islice
from math import inf, sqrt
from random import Random
from statistics import stdev
from time import process_time
from types import SimpleNamespace
from typing import Any

import pytest

from server.bots import LEVELS, advice, choose, greedy, levels, nearly_best, review
from server.bots.local_games import play_locally
from server.bots.search import WIN, Compared, Seen, compare, margin_of, search
from server.games import GAMES, Outcome, Rules, SeededDice, sternenglanz
from server.games.contract import Effort
from tests.every_game import rules_alone
from tests.support.paired_worlds import SEATS, SECRETS
from tests.support.samples import Played, positions

LONG = 60.0  # seconds


def seen_by(played: Played, seat: int) -> Seen:
    rules = played.rules
    return Seen(rules, seat, rules.view(played.state, seat), played.story(seat), rules.legal_moves(played.state, seat))


def some_position(game: str, after: int) -> Played:
    for played in positions(game, {}, GAMES[game].SEATS.start, seed=1):
        if len(played.moves) == after:
            return played
    raise AssertionError("The game was shorter.")


def on_turn(played: Played) -> int:
    return min(played.rules.to_act(played.state))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("game", GAMES)
def test_a_bot_with_a_level_chooses_a_legal_move_and_repeats_it_with_the_same_seed(game: str, level: str) -> None:
    for after in (0, 12):
        played = some_position(game, after)
        seen = seen_by(played, on_turn(played))
        move = choose(level, seen, LONG, Random(3))
        assert move in seen.moves
        assert choose(level, seen_by(played, on_turn(played)), LONG, Random(3)) == move


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_plays_the_same_in_worlds_that_its_seat_cannot_tell_apart(game: str) -> None:
    found = 0
    for seed in range(12):
        worlds = SECRETS[game].worlds(Random(seed))
        options = worlds.rules.resolve_options(worlds.options, SEATS)
        seen = list[Seen]()
        for world in (worlds.one, worlds.other):
            events = [event for _, events, _ in worlds.plays(world) for event in events]
            played = Played(game, SEATS, options, worlds.seed, world.moves, events, worlds.end(world))
            seen += [seen_by(played, seat) for seat in played.rules.to_act(played.state) if seat in worlds.innocent][:1]
        if len(seen) == 2:
            one, other = (search(it, Effort(1, 3), LONG, Random(1)) for it in seen)
            assert one == other
            found += 1
    assert found


def test_a_bot_stops_when_its_time_is_up() -> None:
    played = some_position("sternenhimmel", 10)
    began = process_time()
    search(seen_by(played, on_turn(played)), Effort(10_000, 50), 0.2, Random(1))
    assert process_time() - began < 1


def test_a_bot_without_time_plays_like_greedy() -> None:
    played = some_position("sternenhimmel", 10)
    seen = seen_by(played, on_turn(played))
    worth = seen.rules.judge(seen.view)  # type: ignore[attr-defined]  # optional
    move = search(seen, Effort(10, 5), 0, Random(1))
    assert worth(move) == worth(greedy(seen.rules, seen.view, seen.moves, Random(2)))


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_with_slack_plays_any_move_close_to_the_best_and_no_other(game: str) -> None:
    seen = seen_by(played := some_position(game, 10), on_turn(played))
    compared = compare(seen, Effort(candidates=len(seen.moves)), LONG, Random(1))
    worths = {it.move: it.gain for it in compared}
    most, usual = max(worths.values()), sum(worths.values()) / len(worths)
    close = {move for move, worth in worths.items() if worth >= most - 0.8 * (most - usual)}
    assert 1 < len(close) < len(worths)
    assert {*nearly_best(seen.rules, seen.view, seen.moves, slack=0.8)} == close
    best = {move for move, worth in worths.items() if worth == most}
    assert {*nearly_best(seen.rules, seen.view, seen.moves, slack=0)} == best < close
    slack = levels(seen.rules)["level-1"].slack
    allowed = nearly_best(seen.rules, seen.view, seen.moves, slack)
    assert {choose("level-1", seen, LONG, Random(seed)) for seed in range(30 * len(allowed))} == {*allowed}


@pytest.mark.parametrize("game", GAMES)
def test_compared_moves_come_with_the_scores_that_follow(game: str) -> None:
    played = some_position(game, 12)
    seen = seen_by(played, on_turn(played))
    for worlds in (0, 2):
        for it in compare(seen, Effort(worlds, 3), LONG, Random(1)):
            assert len(it.scores) == (worlds and seen.story[0]["seats"])


def test_a_fraction_of_a_world_is_one_world_in_that_share_of_the_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = seen_by(played := some_position("sternenhimmel", 10), on_turn(played))
    sampled: list[Any] = []
    resample = seen.rules.resample  # type: ignore[attr-defined]  # not every game has it; this one does
    monkeypatch.setattr(seen.rules, "resample", lambda *given: sampled.append(given) or resample(*given))
    for seed in range(60):
        search(seen, Effort(0.3, 2), LONG, Random(seed))
    assert 8 < len(sampled) < 30


def test_a_moves_value_is_the_point_lead_plus_a_bonus_for_winning() -> None:
    *_, last, _ = positions("sternenhimmel", {}, 3, seed=7)
    known: Any = SimpleNamespace(**vars(last.rules))
    known.resample = lambda view, story, seat, dice: last.state
    seat, expected = on_turn(last), dict[Any, float]()
    seen = seen_by(last, seat)._replace(rules=known)
    for move in seen.moves:
        outcome = known.outcome(
            reduce(known.apply, known.decide(last.state, seat, move, SeededDice(b"", ())), last.state)
        )
        lead = outcome.scores[seat] - (sum(outcome.scores) - outcome.scores[seat]) / 2
        expected[move] = lead + WIN * ((outcome.places[seat] == 1) / outcome.places.count(1) - 1 / 3)
    assert len(set(expected.values())) > 1
    compared = compare(seen, Effort(2, len(expected)), LONG, Random(1))
    assert {it.move: it.gain for it in compared} == expected
    assert all(it.margin == 0 for it in compared)  # in both worlds, the game is the same
    assert [it.gain for it in compared] == sorted(expected.values(), reverse=True)
    best, *others = compare(seen, Effort(1, len(expected)), LONG, Random(1))
    assert best.margin == 0
    assert all(it.margin == inf for it in others)  # one world tells nothing about others


@pytest.mark.parametrize(
    ("worlds", "t"), [(2, 12.706), (4, 3.182), (10, 2.262), (11, 2.228), (12, 2.201), (25, 2.064), (200, 1.972)]
)
def test_the_margin_is_half_of_students_95_percent_interval(worlds: int, t: float) -> None:
    differences = [float(nr) for nr in range(worlds)]
    assert margin_of(differences) == pytest.approx(t * stdev(differences) / sqrt(worlds), rel=0.01)


def test_in_sternenglanz_a_bot_looks_one_of_its_own_turns_ahead() -> None:
    played = some_position("sternenglanz", 12)
    known: Any = SimpleNamespace(**vars(played.rules))
    moved = list[int]()
    known.decide = lambda state, seat, *given: moved.append(seat) or played.rules.decide(state, seat, *given)
    seat = on_turn(played)
    search(seen_by(played, seat)._replace(rules=known), Effort(worlds=1), LONG, Random(1))
    each_turn = [mover for mover, _ in groupby(moved)]
    assert each_turn.count(seat) == 2
    assert each_turn[0] == each_turn[-1] == seat


@pytest.mark.parametrize(
    ("game", "options"),
    [("sternenhimmel", {}), *(("sternenglanz", {"scenario": nr, "max_rounds": 12}) for nr in range(1, 5))],
)
@pytest.mark.parametrize("seats", [3, 4])
def test_advice_is_the_moves_that_the_judge_prefers(game: str, options: dict[str, object], seats: int) -> None:
    rules: Any = GAMES[game]
    for played in list(positions(game, options, seats, seed=seats))[:-1:3]:
        seat = on_turn(played)
        worth = rules.judge(rules.view(played.state, seat))
        worths = {move: worth(move) for move in rules.legal_moves(played.state, seat)}
        most = max(worths.values())
        assert set(rules.advise(played.state, seat)) == {move for move, worth in worths.items() if worth == most}


def test_a_searching_bot_can_also_play_games_without_sampled_states() -> None:
    alone: Rules = rules_alone  # type: ignore[assignment]  # a module
    seen = Seen(alone, 0, {}, [], ["a", "b"])
    assert search(seen, Effort(4, 4), LONG, Random(1)) in ("a", "b")


def test_bots_with_a_level_play_local_games_to_the_end() -> None:
    players: list[Any] = ["level-4", "greedy", "random"]
    assert play_locally("sternenhimmel", {}, players, "one") == play_locally("sternenhimmel", {}, players, "one")


def test_a_review_names_greedys_move_if_it_was_worth_more_than_a_hint_that_was_not_followed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    played = some_position("sternenglanz", 30)
    seen = seen_by(played, on_turn(played))
    usual = greedy(seen.rules, seen.view, seen.moves, Random(1))
    values = seen.rules.judge(seen.view)  # type: ignore[attr-defined]  # both games have a judge
    worst, worse, *_ = sorted(seen.moves, key=values)
    monkeypatch.setattr(review, "WORLDS", range(6, 7))
    monkeypatch.setattr(review, "suggested", lambda *_: [Compared(worse, 0.0)])
    found = review.verdict(seen, worst, Random(1))
    assert found.choice.points < 0
    assert (found.better, found.gain.points) == (usual, -found.choice.points)
    followed = review.verdict(seen, worse, Random(1))
    assert (followed.better, followed.gain.points) == (worse, 0)
    assert followed.choice.points < 0


def test_a_review_names_no_better_move_than_one_that_wins_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review, "WORLDS", range(6, 7))
    before, last = deque(positions("sternenglanz", {}, 2, seed=1), maxlen=2)
    seat, move = last.moves[-1]
    assert last.rules.outcome(last.state).places[seat] == 1  # type: ignore[union-attr]  # the game is over
    seen = seen_by(before, seat)
    monkeypatch.setattr(review, "suggested", lambda *_: [Compared(seen.moves[0], 0.0)])
    found = review.verdict(seen, move, Random(1))
    assert (found.better, found.gain.points) == (move, 0)


def test_in_a_review_moves_to_the_same_state_are_simulated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    last, moved = 100, list[int]()
    rules: Any = SimpleNamespace(
        judge=lambda view: {"a": 0, "b": 1}.get,
        view=lambda state, seat: {},
        legal_moves=lambda state, seat: ["a", "b"],
        decide=lambda state, seat, move, dice: moved.append(seat) or [1],
        apply=operator.add,
        to_act=lambda state: {state % 2} if state < last else set(),
        outcome=lambda state: Outcome((3, 1), (1, 2)) if state == last else None,
        resample=lambda view, story, seat, dice: 0,
    )
    monkeypatch.setattr(review, "suggested", lambda *_: [Compared("b", 0.0)])
    found = review.verdict(Seen(rules, 0, {}, [], ["a", "b"]), "a", Random(1))
    assert found.choice == found.gain == (0, 0)
    # Both moves lead to the same state. One more shows that the move wins nothing at once.
    assert len(moved) == review.WORLDS.start * (last + 1) + 1


def test_a_review_names_no_better_move_than_one_that_a_hint_calls_about_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    played = some_position("sternenhimmel", 40)
    seen = seen_by(played, on_turn(played))
    worst, worse, *_ = sorted(seen.moves, key=seen.rules.judge(seen.view))  # type: ignore[attr-defined]  # it has one
    monkeypatch.setattr(review, "WORLDS", range(6, 7))
    monkeypatch.setattr(review, "suggested", lambda *_: [Compared(worse, 1.0), Compared(worst, 0.8, 2.0)])
    found = review.verdict(seen, worst, Random(1))
    assert (found.better, found.gain.points) == (worst, 0)
    monkeypatch.setattr(review, "suggested", lambda *_: [Compared(worse, 3.0), Compared(worst, 0.0, 2.0)])
    assert review.verdict(seen, worst, Random(1)).better != worst


def test_hints_and_reviews_compare_copies_of_a_card_only_once() -> None:
    seen = seen_by(played := some_position("sternenglanz", 0), on_turn(played))
    effects = [advice.effect(seen.rules, it) for it in seen.moves]
    one, other = next(
        (seen.moves[nr], seen.moves[effects.index(it)])
        for nr, it in enumerate(effects)
        if effects.index(it) < nr  # a copy
    )
    assert one != other
    compared = [advice.effect(seen.rules, it.move) for it in advice.suggested(seen, Effort(1, 4), LONG)]
    assert len(set(compared)) == len(compared)
    copies = seen._replace(moves=[one, other])
    assert review.verdict(copies, one, Random(1)).choice.points == 0


@pytest.mark.parametrize("scenario", [1, 4])
def test_hints_are_alternatives_with_different_aims(scenario: int) -> None:
    for played in islice(positions("sternenglanz", {"scenario": scenario}, 2, seed=scenario), 0, 40, 4):
        seen = seen_by(played, on_turn(played))
        aim = sternenglanz.aim(seen.view)
        compared = advice.suggested(seen, Effort(1, 4), LONG)
        aims = [aim(it.move) for it in compared]
        assert len(set(aims)) == len(aims)
        assert len(aims) >= min(3, len(set(map(aim, seen.moves))))


def test_similar_spaces_slots_and_copies_of_cards_have_the_same_aim() -> None:
    played = some_position("sternenglanz", 2)  # the first turn begins
    seen = seen_by(played, on_turn(played))
    aims = set(map(sternenglanz.aim(seen.view), seen.moves))
    assert len(aims) <= 3 < len(seen.moves)
