"""What holds for every game, recorded or random."""

import json
from functools import reduce
from itertools import islice, pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it ships none

from server.games import GAMES, BadOption, Json, Outcome, Rules, SeededDice
from server.games.presentation import draw, with_news
from tests.support.samples import positions

RECORDED = sorted((Path(__file__).parents[1] / "data" / "games").glob("*.json"))
EDITIONS = {
    (name, edition): options
    for name, rules in GAMES.items()
    for edition, options in rules.describe()["editions"].items()
}
KINDS = [(name, edition, seats) for name, edition in EDITIONS for seats in GAMES[name].SEATS]


# Recorded games


@pytest.fixture(params=RECORDED, ids=lambda path: path.stem)
def recorded(request: pytest.FixtureRequest) -> Json:
    game: Json = json.loads(request.param.read_text("utf-8"))
    return game


def test_every_edition_has_a_recorded_game() -> None:
    assert {f"{name}-{edition}" for name, edition in EDITIONS} <= {path.stem for path in RECORDED}


def test_folding_a_recorded_log_gives_the_recorded_end(recorded: Json) -> None:
    rules = GAMES[recorded["rules"]]
    state = reduce(rules.apply, _events(rules, recorded), None)
    assert rules.to_act(state) == frozenset()
    assert rules.outcome(state) == Outcome(**{field: tuple(each) for field, each in recorded["outcome"].items()})


def test_replaying_a_recorded_game_gives_the_same_events(recorded: Json) -> None:
    rules = GAMES[recorded["rules"]]
    dice = SeededDice(bytes.fromhex(recorded["seed"]), recorded["salts"])
    events = rules.setup(recorded["seats"], recorded["options"], dice)
    state = reduce(rules.apply, events, None)
    for row in recorded["moves"]:
        happened = rules.decide(state, row["seat"], rules.read_move(row["move"]), dice)
        state = reduce(rules.apply, happened, state)
        events += happened
    assert events == _events(rules, recorded)


def test_visible_events_of_a_recorded_game_match_their_schemas(recorded: Json) -> None:
    rules = GAMES[recorded["rules"]]
    schemas = {type_: Draft202012Validator(schema) for type_, schema in rules.EVENT_SCHEMAS.items()}
    for event in _events(rules, recorded):
        for viewer in (*range(recorded["seats"]), None):
            if (told := rules.tell(event, viewer)) is not None:
                schemas[told["type"]].validate(json.loads(json.dumps(told)))


def _events(rules: Rules, recorded: Json) -> list[Any]:
    rows = [dict(row) for row in recorded["events"]]
    return [rules.EVENTS[row.pop("type")](**row) for row in rows]


# Random games


@pytest.mark.parametrize(("name", "edition", "seats"), KINDS)
def test_a_random_game_ends_and_is_shown_correctly(name: str, edition: str, seats: int) -> None:
    rules, rng = GAMES[name], Random(seats)
    viewers = [*range(seats), None]
    is_view, is_move = Draft202012Validator(rules.VIEW_SCHEMA), Draft202012Validator(rules.MOVE_SCHEMA)
    dice = SeededDice(b"any game", ["", "salt"])
    events = rules.setup(seats, EDITIONS[name, edition], dice)
    state = reduce(rules.apply, events, None)
    earlier = []
    while waiting := rules.to_act(state):
        assert rules.outcome(state) is None
        earlier.append((state, repr(state)))
        for seat in set(range(seats)) - waiting:
            assert rules.legal_moves(state, seat) == []
        seat = rng.choice(sorted(waiting))
        move = rng.choice(rules.legal_moves(state, seat))
        as_json = json.loads(json.dumps(rules.move_to_json(move)))
        assert rules.move_from_json(as_json) == rules.read_move(rules.write_move(move)) == move
        happened = rules.decide(state, seat, move, dice)
        assert rules.move_of(happened) == move
        state = reduce(rules.apply, happened, state)
        events += happened
        assert not rules.is_mid_turn(state, seat) or rules.to_act(state) == {seat}
        for event in happened:
            assert_survives_the_log(rules, event)
            assert_is_told(rules, event, viewers)
        if rng.random() < 0.05:
            is_move.validate(as_json)
            for viewer in viewers:
                is_view.validate(json.loads(json.dumps(rules.view(state, viewer))))
    for viewer in viewers:
        is_view.validate(rules.view(state, viewer))
    outcome = rules.outcome(state)
    assert outcome is not None
    assert len(outcome.scores) == len(outcome.places) == seats
    assert min(outcome.places) == 1
    assert reduce(rules.apply, events, None) == state
    assert all(repr(it) == as_it_was for it, as_it_was in earlier)


def assert_survives_the_log(rules: Rules, event: Any) -> None:
    names = {kind: name for name, kind in rules.EVENTS.items()}
    body = json.loads(json.dumps(event._asdict()))
    assert rules.EVENTS[names[type(event)]](**body) == event


def assert_is_told(rules: Rules, event: Any, viewers: list[int | None]) -> None:
    for viewer in viewers:
        told = rules.tell(event, viewer)
        if told is not None:
            assert rules.EVENTS[told["type"]] is type(event)
            assert told["seat"] == event.seat
            json.dumps(told)


@pytest.mark.parametrize("name", GAMES)
def test_the_same_dice_give_the_same_game(name: str) -> None:
    rules = GAMES[name]
    seats = min(rules.SEATS)
    assert rules.setup(seats, {}, SeededDice(b"one", ())) == rules.setup(seats, {}, SeededDice(b"one", ()))
    assert rules.setup(seats, {}, SeededDice(b"one", ())) != rules.setup(seats, {}, SeededDice(b"two", ()))


# What a client learns about a game


@pytest.mark.parametrize("name", GAMES)
def test_a_description_is_plain_json_with_valid_schemas(name: str) -> None:
    described = GAMES[name].describe()
    assert json.loads(json.dumps(described)) == described
    assert described["name"] == name
    assert described["seats"] == list(GAMES[name].SEATS)
    for schema in ("options", "move", "view"):
        Draft202012Validator.check_schema(described[schema])
    for schema in described["events"].values():
        Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("name", GAMES)
def test_the_examples_of_the_notation_can_be_parsed(name: str) -> None:
    rules, notation = GAMES[name], GAMES[name].describe()["notation"]
    assert len(notation["examples"]) > 1
    for example in notation["examples"]:
        assert rules.move_to_json(rules.read_move(example["text"])) == example["move"]


@pytest.mark.parametrize(("name", "edition"), EDITIONS)
def test_an_editions_options_match_their_schema(name: str, edition: str) -> None:
    rules, options = GAMES[name], EDITIONS[name, edition]
    schema = Draft202012Validator(rules.describe()["options"])
    for seats in rules.SEATS:
        schema.validate(options)
        resolved = rules.resolve_options(options, seats)
        schema.validate(resolved)
        assert rules.resolve_options(resolved, seats) == resolved
        assert resolved.items() >= options.items()


@pytest.mark.parametrize("name", GAMES)
def test_options_that_break_the_schema_are_rejected(name: str) -> None:
    rules = GAMES[name]
    schema = Draft202012Validator(rules.describe()["options"])
    for option in [*rules.describe()["options"]["properties"], "no-such-option"]:
        wrong: list[Any] = [True, None, "no such value", "1", -1, 0, 1.5, 10**6, [], ["any"], {}]
        for value in wrong:
            if not schema.is_valid({option: value}):
                with pytest.raises(BadOption) as refused:
                    rules.resolve_options({option: value}, min(rules.SEATS))
                assert refused.value.code == ("unknown-option" if option == "no-such-option" else "bad-option")
                assert refused.value.text.endswith(".")


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_picture_marks_what_has_come_since_an_earlier_view(game: str) -> None:
    views = [GAMES[game].view(played.state, 0) for played in islice(positions(game, {}, 3, seed=4), 40)]

    def circles(view: Json) -> int:
        return draw(game, view, ["Ada", "Bea", "Cyd"]).svg().count("<circle")

    assert all(circles(with_news(game, view, view)) == circles(view) for view in views[:5])
    assert sum(circles(with_news(game, view, before)) - circles(view) for before, view in pairwise(views)) > 5
