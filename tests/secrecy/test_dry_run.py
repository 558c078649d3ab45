"""A dry run predicts a move, changes nothing, and reveals nothing hidden."""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import pytest
from flask import Flask

from server.games import GAMES, Json
from tests.support.api_calls import first_move
from tests.support.contract import Someone, is_problem, opened, refusal
from tests.support.databases import everything
from tests.support.games import ME, OPEN


@pytest.fixture
def people(app: Flask) -> list[Someone]:
    return [Someone(app, name) for name in ("ada", "bea", "cyd")]


OPTIONS: dict[str, Json] = {
    "sternenhimmel": {"start_seat": 0},
    "sternenglanz": {"start_seat": 0, "scenario": 4, "max_rounds": 5},
}
# Visible afterwards, but unpredictable.
UNFORESEEN = {
    "sternenhimmel": {"board-dealt", "game-ended"},
    "sternenglanz": {
        "choices-shown",
        "cards-drawn",
        "discards-shuffled",
        "sternbild-drawn",
        "game-decided",
        "game-ended",
    },
}


@pytest.fixture(params=GAMES)
def rules(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def game(people: list[Someone], rules: str) -> str:
    path = opened(people[0], ME, OPEN, OPEN, rules=rules, options=OPTIONS[rules])
    for who in people[1:]:
        who.post(f"{path}/seats")
    return path


def on_turn(path: str, people: list[Someone]) -> tuple[Someone, Json] | None:
    for who in people:
        mine: Json = who.get(f"{path}/legal-moves").json
        if mine["turn"] is not None:
            return who, mine
    return None


class Turn(NamedTuple):
    """A player's view before a move, the dry run's prediction, and the move's answer."""

    view: Json
    dry: Json
    played: Json


def turns(path: str, people: list[Someone], rng: Random) -> Iterator[Turn]:
    while found := on_turn(path, people):
        who, mine = found
        wanted = {"turn": mine["turn"], "move": rng.choice(mine["moves"])}
        view = who.get(path).json["view"]
        dry, played = (who.post(f"{path}/moves{query}", wanted) for query in ("?dry_run=true", ""))
        assert (dry.status_code, played.status_code) == (200, 201)
        yield Turn(view, dry.json, played.json)


def test_a_dry_run_changes_nothing_in_the_database(app: Flask, people: list[Someone], game: str) -> None:
    who, mine = on_turn(game, people) or pytest.fail("Nobody is asked.")
    before = everything(app)
    assert len(before["games"]) == 1
    for number, move in enumerate(mine["moves"][:20]):
        wanted = {"turn": mine["turn"], "move": move}
        headers = {"Idempotency-Key": f"dry {number}"}
        assert who.post(f"{game}/moves?dry_run=true", wanted, headers=headers).status_code == 200
    for wrong in ({**wanted, "turn": 99}, {**wanted, "move": {**move, "space": "zz"}}, {**wanted, "move": {}}):
        assert who.post(f"{game}/moves?dry_run=true", wrong).status_code in (409, 422)
    assert everything(app) == before


def test_a_dry_run_predicts_the_events_except_hidden_ones(people: list[Someone], game: str, rules: str) -> None:
    revealing = []
    for _, dry, played in turns(game, people, Random(1)):
        happened = [
            {name: it[name] for name in it if name not in ("seq", "version", "at", "by")} for it in played["events"]
        ]
        told = [it for it in happened if it["type"] not in UNFORESEEN[rules]]
        assert dry["would"] in (told, told[:1])
        if not dry["would_reveal"]:
            assert (dry["would"], dry["view"]) == (told, played["view"])
        revealing.append(dry["would_reveal"])
    assert len(revealing) / 20 < revealing.count(True) < len(revealing)


@pytest.mark.parametrize("rules", ["sternenhimmel"], indirect=True)
def test_a_dry_run_reveals_neither_new_boards_nor_face_down_stars_of_others(people: list[Someone], game: str) -> None:
    for view, dry, _ in turns(game, people, Random(2)):
        hidden = {
            (it["board"], space)
            for it in view["boards"]
            for space, lying in it["spaces"].items()
            if lying is not None and lying["star"] is None
        }
        assert {it["board"] for it in dry["view"]["boards"]} <= {it["board"] for it in view["boards"]}
        assert dry["view"]["stack"] == view["stack"]
        assert "board-dealt" not in {event["type"] for event in dry["would"]}
        for board in dry["view"]["boards"]:
            for space, lying in board["spaces"].items():
                assert (board["board"], space) not in hidden or lying["star"] is None
        for event in dry["would"]:
            if event["type"] == "board-scored":
                assert hidden.isdisjoint((event["board"], it["space"]) for it in event["placements"])


@pytest.mark.parametrize("rules", ["sternenglanz"], indirect=True)
def test_a_dry_run_reveals_neither_new_cards_nor_anything_that_others_hold(people: list[Someone], game: str) -> None:
    for view, dry, played in turns(game, people, Random(2)):
        me = played["you"]["seat"]
        then = dry["view"]
        assert set(then["hand"]) <= set(view["hand"])
        assert then["deck"] == view["deck"]
        for seat in {0, 1, 2} - {me}:
            assert then["hand_sizes"][seat] == view["hand_sizes"][seat]
            assert then["sternbilder"]["own"][seat] == {"sternbild": None}
            assert view["phase"] != "choose" or then["slots"][seat] == [None, None, None]
        for event in dry["would"]:
            assert event["type"] not in UNFORESEEN["sternenglanz"]


def test_steps_are_previewed_together_with_the_resulting_table(people: list[Someone], app: Flask) -> None:
    """The moves that follow can be asked for, step by step, before any of them is made."""
    game = opened(people[0], ME, OPEN, rules="sternenglanz", options={"start_seat": 0})
    people[1].post(f"{game}/seats")
    for who in people[:2]:
        who.post(f"{game}/moves", first_move(who, game))
    ada, begun = people[0], list[Json]()
    turn = ada.get(f"{game}/legal-moves").json["turn"]
    while moves := ada.post(f"{game}/legal-moves", {"begun": begun}).json["moves"]:
        begun.append(moves[0])
        wanted = {"turn": turn, "move": {"steps": [step for move in begun for step in move["steps"]]}}
        dry = ada.post(f"{game}/moves?dry_run=true", wanted).json
        assert len(dry["view"]["log"]["performed"]) == min(len(begun), 3) * (dry["view"]["next"] == 0)
    assert len(begun) == 4
    assert dry["would_reveal"]
    assert is_problem(ada.post(f"{game}/legal-moves", {"begun": [begun[0], begun[0]]}), 422, "illegal-move")
    played = ada.post(f"{game}/moves", wanted).json
    assert played["you"]["turn"] is None


def test_a_dry_run_of_an_illegal_move_gets_the_same_response_as_the_move(
    app: Flask, people: list[Someone], game: str
) -> None:
    who, mine = on_turn(game, people) or pytest.fail("Nobody is asked.")
    others = [other for other in people if other is not who]
    right = {"turn": mine["turn"], "move": mine["moves"][0]}
    stranger = Someone(app, "dan")
    cases: list[tuple[Someone, Json]] = [
        (who, {**right, "turn": 99}),
        (others[0], right),
        (stranger, right),
        (Someone(app), right),
        *((who, {**right, "move": {**right["move"], name: "zz"}}) for name in right["move"]),
        (who, {**right, "move": "7 leo c"}),
        (who, {**right, "move": None}),
        (who, {**right, "more": 1}),
        (who, {"turn": mine["turn"]}),
    ]
    for asker, wanted in cases:
        dry, real = (asker.post(f"{game}/moves{query}", wanted) for query in ("?dry_run=true", ""))
        assert dry.status_code >= 400
        assert (dry.status, refusal(dry)) == (real.status, refusal(real)), wanted
    who.delete(f"{game}/seats/me")
    dry, real = (who.post(f"{game}/moves{query}", right) for query in ("?dry_run=true", ""))
    assert is_problem(dry, 409, "seat-handed-over")
    assert refusal(dry) == refusal(real)


CANNOT_BE_BEGUN: dict[str, list[Json]] = {
    "sternenhimmel": [{"star": "7", "board": "leo", "space": "zz"}],
    "sternenglanz": [
        {"steps": [{"cmd": "lay", "dropNova": False, "slot2": "geburt#1", "slot1": None}]},
        {"steps": [{"cmd": "finish"}]},
    ],
}


def test_illegal_steps_are_rejected_as_in_a_dry_run(people: list[Someone], game: str, rules: str) -> None:
    turn = on_turn(game, people)
    assert turn is not None
    who, mine = turn
    for move in CANNOT_BE_BEGUN[rules]:
        tried = who.post(f"{game}/moves?dry_run=true", {"turn": mine["turn"], "move": move})
        begun = who.post(f"{game}/legal-moves", {"begun": [move]})
        is_problem(begun, 422, "illegal-move")
        assert (begun.json["reason"], begun.json["detail"]) == (tried.json["reason"], tried.json["detail"])
