"""Reviews of finished games: computed once, move by move, and readable by all who may see the game."""

import re
from collections import Counter
from datetime import timedelta
from itertools import pairwise
from random import Random
from types import SimpleNamespace
from typing import Any, NoReturn
from uuid import UUID

import psycopg
import pytest
from flask import Flask

from server.bots import LEVELS, advice, review
from server.bots.review import Verdict, Worth
from server.bots.search import Seen
from server.clock import clock
from server.config import Bound
from server.games import Json
from server.games.contract import Effort
from server.games.presentation import counted, whole_points
from server.operations.delete_player import delete_player
from server.play.commits import load
from server.play.timing.sweep import wake_due
from server.play.turns import reviewing
from server.play.turns.reviewing import review_due
from server.play.turns.thinking import think_due
from server.store import reviews
from server.store.database_retry import Unavailable, is_passing
from server.store.shelf import NotOnShelf
from server.translations import language
from server.worker import sparing
from tests.support.api_calls import first_move
from tests.support.contract import Someone, is_problem, opened
from tests.support.games import BOT, ME, OPEN, service_is_up, stop_the_clock

SHORT = {"max_rounds": 2}
LEVEL = {"bot": next(iter(LEVELS))}
SECONDS = 60.0
LEASE = timedelta(minutes=2)


@pytest.fixture(autouse=True)
def quick(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review, "WORLDS", range(2, 2))
    monkeypatch.setattr(advice, "effort", lambda _: Effort(candidates=1))
    monkeypatch.setitem(app.config, "THINKERS", 1)


def play_to_the_end(app: Flask, path: str, who: Someone, last: int | None = None) -> None:
    """Play the first legal move in each turn, at most `last` times, while bots play."""
    game_id = UUID(path.rpartition("/")[2])
    while last != 0:
        with app.app_context():
            service_is_up()
            while wake_due() or think_due(SECONDS):
                pass
            if load(game_id).table.status == "finished":
                break
        assert who.post(f"{path}/moves", first_move(who, path)).status_code == 201
        last = last and last - 1


def is_computed(app: Flask, path: str, who: Someone, seat: int) -> Json:
    """Request the review of a seat, compute it, and return it."""
    begun = who.get(f"{path}/review?seat={seat}")
    assert begun.status_code == 202
    assert begun.headers["Retry-After"]
    assert (begun.json["done"], begun.json["moves"], begun.json["luck"]) == (0, [], None)
    with app.app_context():
        while review_due(lambda: None):
            pass
    response = who.get(f"{path}/review?seat={seat}")
    assert response.status_code == 200
    told: Json = response.json
    return told


def finished(app: Flask) -> tuple[str, Someone]:
    """Return the path of a finished game, and its player, whose review waits."""
    ada = Someone(app, "ada")
    path = opened(ada, ME, BOT, rules="sternenglanz", options=SHORT)
    play_to_the_end(app, path, ada)
    assert ada.get(f"{path}/review").status_code == 202
    return path, ada


def stored(path: str, seat: int = 0) -> reviews.StoredReview:
    found = reviews.find(UUID(path.rpartition("/")[2]), seat)
    assert found is not None
    return found


def fail(*_: object) -> NoReturn:
    raise RuntimeError


def test_a_review_values_every_move_and_the_values_add_up_to_the_result(app: Flask) -> None:
    ada = Someone(app, "ada")
    path = opened(ada, ME, LEVEL, rules="sternenglanz", options=SHORT)
    play_to_the_end(app, path, ada)
    scores = ada.get(path).json["outcome"]["scores"]
    for seat in (0, 1):  # a bot's commit has a whole turn
        told = is_computed(app, path, ada, seat)
        assert told["result"] == scores[seat] - scores[1 - seat]
        assert told["choices"] == pytest.approx(sum(it["choice"] for it in told["moves"]), abs=0.005)
        assert round(told["choices"] + told["luck"], 2) == told["result"]
        assert told["total"] == told["done"] == len(told["moves"])
        assert all(it["better"] is None or it["better"]["gain"] > it["better"]["margin"] for it in told["moves"])
        assert {"choose", "act", "lay"} <= {step["cmd"] for it in told["moves"] for step in it["move"]["steps"]}
        events = ada.get(f"{path}/events").json["items"]
        laid = {
            (it["version"] - 1, it["field"]): 0 for it in events if it["seat"] == seat and it["type"] == "star-laid"
        }
        # a field may occur twice in a turn, for example if a star is laid there and then moves on
        reviewed = {(it["version"], step.get("field")): 0 for it in told["moves"] for step in it["move"]["steps"]}
        assert [it for it in reviewed if it in laid] == [it for it in laid if it in reviewed] != []


@pytest.mark.parametrize(("rules", "options"), [("sternenhimmel", {}), ("sternenglanz", SHORT)])
def test_a_review_finds_nothing_better_than_what_a_hint_suggested(
    app: Flask, monkeypatch: pytest.MonkeyPatch, rules: str, options: Json
) -> None:
    monkeypatch.setattr(advice, "effort", lambda _: Effort(worlds=2, candidates=3))
    ada = Someone(app, "ada")
    path = opened(ada, ME, BOT, BOT, rules=rules, options=options)
    while True:
        with app.app_context():
            service_is_up()
            while wake_due():
                pass
        if ada.get(path).json["status"] == "finished":
            break
        play_as_suggested(ada, path)
    told = is_computed(app, path, ada, 0)["moves"]
    assert told
    assert [it for it in told if it["better"]] == []


def play_as_suggested(who: Someone, path: str) -> None:
    """Play the first moves of hints, as many as fit into one request."""
    steps = list[Json]()
    while found := (asked := who.post(f"{path}/hint", {"begun": steps}).json)["moves"]:
        steps.append(found[0]["move"])
        turn = asked["turn"]
    move = {"steps": [step for it in steps for step in it["steps"]]} if "steps" in steps[0] else steps[0]
    assert who.post(f"{path}/moves", {"turn": turn, "move": move}).status_code == 201


def test_a_review_says_where_the_result_comes_from(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    path, ada = finished(app)
    worths = iter([(-7.0, 0.5, 6.0, 0.5), (4.0, 0.5, 0.0, 0.0), (-9.0, 7.0, 9.0, 7.0)])

    def judged(seen: Seen, move: Any, *_: object) -> Verdict:
        choice, margin, gain, of_gain = next(worths, (0.0, 0.0, 0.0, 0.0))
        return Verdict(Worth(choice, margin), next(it for it in seen.moves if it != move), Worth(gain, of_gain))

    monkeypatch.setattr(reviewing, "verdict", judged)
    assert ada.get(f"{path}/review").json["summary"] == []
    with app.app_context():
        while review_due(lambda: None):
            pass
    told = ada.get(f"{path}/review").json
    assert [it["better"] and it["better"]["gain"] for it in told["moves"][:3]] == [6.0, None, None]
    views = [ada.get(f"{path}?at={version}").json["view"] for version in range(1, ada.get(path).json["version"] + 1)]
    lost = Counter[int]()
    for before, after in pairwise(views):
        if before["next"] == 1:
            one, other = (it["points"][0] - it["points"][1] for it in (before, after))
            lost[before["turn"]] += one - other
    (turn, most), *_ = lost.most_common()
    placed, *parts, costliest = told["summary"][
        : 1 + [it.startswith("Your costliest") for it in told["summary"]].index(True)
    ]
    by_opponent = told["summary"][2 + len(parts) :]
    assert placed.startswith("You finished ") and "A simple bot" in parts[0]
    assert costliest == "Your costliest move: Start. Another would have brought about 6 points more."
    if most:
        (one,) = by_opponent
        assert re.fullmatch(rf"Your opponent's moves cost you most here: Turn \d+, {most} points?\.", one)
        assert lost[int(one.split("Turn ")[1].split(",")[0])] == most and turn


@pytest.mark.parametrize(
    ("seats", "figures", "told"),
    [
        (
            2,
            (4.0, 9.0, 2.0),
            [
                "You finished 4 points ahead of your opponent.",
                "A simple bot that doesn't look ahead would have got about 9 points less in your place.",
                "The cards, your seat and your opponent's play cost you about 5 points.",
                "These estimates can be off by about 2 points.",
            ],
        ),
        (
            3,
            (-1.5, -6.52, 0.41),
            [
                "You finished 1 point behind the others' average.",
                "A simple bot that doesn't look ahead would have got about 7 points more in your place.",
                "The cards, your seat and the others' play brought you about 6 points.",
            ],
        ),
        (
            3,
            (0.0, 2.0, 9.0),
            [
                "You finished level with the others' average.",
                "A simple bot that doesn't look ahead would have got about 2 points less in your place.",
                "The cards, your seat and the others' play cost you about 2 points.",
                "These estimates can be off by about 9 points, so they prove little.",
            ],
        ),
    ],
)
def test_the_parts_of_a_result_add_up_and_a_strong_opponent_is_no_luck(
    seats: int, figures: tuple[float, ...], told: list[str]
) -> None:
    game: Any = SimpleNamespace(seats=[None] * seats)
    named = dict(zip(("result", "choices", "margin"), figures, strict=True))
    say = language("en")

    def points(number: float) -> str:
        return counted(say, max(1, whole_points(abs(number))), "points")

    assert [*reviewing._parts(game, named, True, False, say, points)] == told


def test_a_review_calls_no_step_better_that_came_later_in_the_turn() -> None:
    one, other = ({"steps": [{"cmd": "act", "slot": slot}]} for slot in (1, 2))

    def reviewed(version: int, move: Json, better: Json) -> Json:
        return {"version": version, "move": move, "better": {"move": better, "gain": 2.0, "margin": 0.1}}

    rows = [reviewed(4, one, other), reviewed(4, other, one), reviewed(7, one, other), reviewed(9, other, other)]
    assert [it["better"] is None for it in reviewing._without_later_steps(rows)] == [True, False, False, False]


@pytest.mark.parametrize("own", [0, 2])
def test_a_review_says_since_when_a_bot_played(app: Flask, own: int) -> None:
    ada = Someone(app, "ada")
    path = opened(ada, ME, BOT, rules="sternenglanz", options=SHORT)
    play_to_the_end(app, path, ada, last=own)
    assert ada.delete(f"{path}/seats/me").status_code < 300
    play_to_the_end(app, path, ada)
    told = ada.get(f"{path}/review").json if not own else is_computed(app, path, ada, 0)
    resigned = next(it for it in ada.get(f"{path}/events").json["items"] if it["type"] == "seat-handed-over")
    assert all(it["version"] < resigned["version"] for it in told["moves"])
    assert bool(told["moves"]) is bool(own)
    first, *others = told["summary"]
    turn = ada.get(f"{path}?at={resigned['version']}").json["view"]["turn"]
    assert (
        first
        == f"A bot played for you from here on: {f'Turn {turn}' if turn else 'Start'}. This review leaves its moves out."
    )
    assert not any("your opponent's play" in it for it in others)


def test_a_review_says_that_a_bot_played_some_turns(app: Flask) -> None:
    ada = Someone(app, "ada")
    path = opened(ada, ME, BOT, rules="sternenglanz", options=SHORT)
    assert ada.delete(f"{path}/seats/me").status_code < 300
    with app.app_context():
        service_is_up()
        while load(UUID(path.rpartition("/")[2])).table.to_act != [1]:  # the bot in seat 0 has moved
            wake_due(1)
    assert ada.post(f"{path}/seats", {}).status_code < 300
    play_to_the_end(app, path, ada)
    first, *_ = is_computed(app, path, ada, 0)["summary"]
    assert first == "A bot played some of your turns. The first: Start. This review leaves its moves out."


def test_a_review_lists_the_moves_reviewed_so_far(app: Flask) -> None:
    path, ada = finished(app)
    with app.app_context():
        assert review_due(lambda: None)
    begun = ada.get(f"{path}/review")
    assert begun.status_code == 202
    assert (begun.json["done"], len(begun.json["moves"]), begun.json["result"]) == (1, 1, None)
    with app.app_context():
        while review_due(lambda: None):
            pass
    assert ada.get(f"{path}/review").json["moves"][0] == begun.json["moves"][0]


def test_reviews_exist_only_after_the_end_and_only_for_those_who_may_see_the_game(app: Flask) -> None:
    ada, bea = Someone(app, "ada"), Someone(app, "bea")
    path = opened(ada, ME, BOT, rules="sternenglanz", options=SHORT, private=True)
    assert is_problem(ada.get(f"{path}/review"), 404, "not-found")
    play_to_the_end(app, path, ada)
    assert is_problem(bea.get(f"{path}/review?seat=0"), 404, "not-found")
    assert is_problem(ada.get(f"{path}/review?seat=2"), 404, "not-found")
    assert ada.get(f"{path}/review").json["seat"] == 0
    public = opened(ada, ME, BOT, rules="sternenglanz", options=SHORT)
    play_to_the_end(app, public, ada)
    assert is_problem(bea.get(f"{public}/review"), 403, "not-seated")
    assert bea.get(f"{public}/review?seat=0").status_code == 202


def test_unfinished_reviews_per_player_are_limited(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    path, ada = finished(app)
    bea = Someone(app, "bea")
    monkeypatch.setitem(app.config["BOUNDS"], "waiting-reviews", Bound(1, 0))
    assert is_problem(ada.get(f"{path}/review?seat=1"), 429, "too-many-requests")
    assert ada.get(f"{path}/review").status_code == 202
    with app.app_context():
        while review_due(lambda: None):
            pass
    assert ada.get(f"{path}/review?seat=1").status_code == 202
    other = opened(ada, ME, BOT, rules="sternenglanz", options=SHORT)
    play_to_the_end(app, other, ada)
    assert is_problem(ada.get(f"{other}/review"), 429, "too-many-requests")
    assert bea.get(f"{other}/review?seat=0").status_code == 202
    assert ada.get(f"{other}/review").status_code == 202  # it has been requested
    ada_id = UUID(ada.get("/v1/me").json["id"])
    with app.app_context():
        assert reviews.number_unfinished(ada_id, clock.now() - timedelta(days=1)) == 1
        delete_player(ada_id)
        assert reviews.number_unfinished(ada_id, clock.now() - timedelta(days=1)) == 0


def test_moves_that_were_taken_back_are_not_reviewed(app: Flask) -> None:
    ada, bea = Someone(app, "ada"), Someone(app, "bea")
    options = {**SHORT, "start_seat": 0, "take_back": "consent"}
    path = opened(ada, ME, OPEN, rules="sternenglanz", options=options)
    bea.post(f"{path}/seats")

    def move(who: Someone, number: int) -> int:
        return int(who.post(f"{path}/moves", first_move(who, path, number)).json["version"])

    before = move(ada, 0) - 1
    assert ada.post(f"{path}/take-backs", {"to": before}).status_code == 201
    chosen = ada.get(f"{path}/legal-moves").json["moves"][5]
    move(ada, 5)
    while ada.get(path).json["status"] == "running":
        move(next(it for it in (ada, bea) if it.get(f"{path}/legal-moves").json["moves"]), 0)
    told = is_computed(app, path, ada, 0)
    assert [it["move"] for it in told["moves"] if "choose" in str(it["move"])] == [chosen]


def test_when_a_process_ends_another_continues_its_review(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    path, ada = finished(app)
    at, verdict = clock.real(), reviewing.verdict
    stop_the_clock(monkeypatch, at)

    def end(*_: object) -> NoReturn:
        raise SystemExit

    with app.app_context():
        assert review_due(lambda: None)
        monkeypatch.setattr(reviewing, "verdict", end)
        with pytest.raises(SystemExit):
            review_due(lambda: None)
        monkeypatch.setattr(reviewing, "verdict", verdict)
        assert not review_due(lambda: None)
        stop_the_clock(monkeypatch, at + LEASE)
        assert review_due(lambda: None)
    assert ada.get(f"{path}/review").json["done"] == 2


def test_two_processes_never_compute_the_same_move(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    path, _ = finished(app)
    at, found = clock.real(), []
    stop_the_clock(monkeypatch, at)

    def look_as_another_process() -> None:
        if len(found) < 2:  # the second time, the lease would have expired if it had not been renewed
            stop_the_clock(monkeypatch, at + (len(found) + 1) * LEASE * 0.6)
            found.append(review_due(lambda: None))

    with app.app_context():
        while not found:  # some moves need no comparison
            assert review_due(look_as_another_process)
        assert found == [False] * 2
        assert stored(path).tries == 0


def test_a_process_that_was_suspended_adds_nothing_and_uses_up_no_attempt(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = finished(app)
    at, verdict = clock.real(), reviewing.verdict

    def be_suspended(*given: Any) -> object:
        monkeypatch.setattr(reviewing, "verdict", fail)
        stop_the_clock(monkeypatch, at + LEASE)
        assert not review_due(lambda: None)  # another process has taken over, and fails
        return verdict(*given)

    stop_the_clock(monkeypatch, at)
    monkeypatch.setattr(reviewing, "verdict", be_suspended)
    with app.app_context():
        assert review_due(lambda: None)
        assert (len(stored(path).moves), stored(path).tries) == (0, 1)


def test_a_move_that_cannot_be_reviewed_is_retried_at_intervals_and_then_given_up(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, ada = finished(app)
    at = clock.real()
    monkeypatch.setattr(reviewing, "verdict", fail)
    for number in range(reviews.MOST_TRIES):
        assert ada.get(f"{path}/review").status_code == 202
        stop_the_clock(monkeypatch, at + number * LEASE)
        with app.app_context():
            assert not review_due(lambda: None)
            assert stored(path).tries == number + 1
            assert not review_due(lambda: None)
            assert stored(path).tries == number + 1
    assert ada.get(f"{path}/review").status_code == 202  # another process may be trying
    stop_the_clock(monkeypatch, at + reviews.MOST_TRIES * LEASE)
    assert is_problem(ada.get(f"{path}/review"), 404, "not-found")
    with app.app_context():
        assert not review_due(lambda: None)


def test_temporary_errors_use_up_no_attempt(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    path, _ = finished(app)
    at = clock.real()

    def compute(step: str, error: Exception) -> None:
        def fail_for_now(*_: object) -> NoReturn:
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(reviewing, step, fail_for_now)
            if is_passing(error):
                with pytest.raises(type(error)):
                    review_due(lambda: None)
            else:
                assert not review_due(lambda: None)

    with app.app_context():
        for step in ("load", "whole_log", "verdict"):
            for error in (NotOnShelf("No file."), Unavailable(), psycopg.OperationalError("gone")):
                stop_the_clock(monkeypatch, at)
                compute(step, error)
                assert stored(path).tries == 0
                at += LEASE
        stop_the_clock(monkeypatch, at)
        assert review_due(lambda: None)
        assert len(stored(path).moves) == 1


def test_waiting_reviews_take_turns(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    path, ada = finished(app)
    total = ada.get(f"{path}/review?seat=1").json["total"]
    monkeypatch.setattr(reviewing.random, "getrandbits", Random(7).getrandbits)
    with app.app_context():
        for number in range(1, total + 1):
            assert review_due(lambda: None)
            assert sum(len(stored(path, seat).moves) for seat in (0, 1)) == number
        assert all(stored(path, seat).moves for seat in (0, 1))


def test_bots_move_while_a_review_is_computed(app: Flask) -> None:
    _, ada = finished(app)
    other = opened(ada, {"bot": "level-6"}, ME, BOT, options={"start_seat": 0})
    while ada.get(f"{other}/legal-moves").json["turn"] is None:  # some moves need no comparison
        with app.app_context():
            assert review_due(lambda: think_due(SECONDS))


def test_between_two_worlds_the_database_is_asked_for_turns_only_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = list[float]()
    used = 5.0
    monkeypatch.setattr("server.worker.thread_time", lambda: used)
    look = sparing(lambda: looks.append(used))
    for used in (5.0, 5.01, 5.09, 5.11, 5.12, 5.3):
        look()
    assert looks == [5.0, 5.11, 5.3]
