"""Secrets: worlds that differ only in what a viewer may not know look the same to that viewer, byte for byte.

The worlds have the same seed (see `worlds`). Until something is revealed, other players must not notice.
"""

import base64
import json
import os
import re
from functools import reduce
from random import Random
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from werkzeug.test import TestResponse

from server.games import GAMES, Seat, SeededDice
from server.games.sternenglanz.material import KIND_OF
from server.games.sternenhimmel.material import BOARDS
from server.play.commits import whole_log
from server.play.turns.turn_links import turn_word
from tests.support.contract import Someone
from tests.support.games import ME, OPEN, wanted
from tests.support.paired_worlds import (
    BRINKS,
    NAMES,
    SECRETS,
    Exchanging,
    House,
    World,
    Worlds,
    exchanging,
    random_worlds,
    tries,
)

PAIRS = int(os.environ.get("PAIRED_TAKE_BACKS", "60"))  # pairs of worlds per game; 1000 in a longer run

assert exchanging  # a fixture
pytestmark = pytest.mark.usefixtures("exchanging")

# Rules


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=60)
@given(chance=st.integers(0, 2**32))
def test_the_views_of_the_rules_reveal_neither_secrets_nor_future_draws(game: str, chance: int) -> None:
    rng = Random(chance)
    worlds, secrets = SECRETS[game].worlds(rng), SECRETS[game]
    rules = worlds.rules
    for (_, *one), (_, *other) in zip(worlds.plays(worlds.one), worlds.plays(worlds.other), strict=True):
        for viewer in worlds.innocent:
            told = [[rules.tell(it, viewer) for it in events] for events, _ in (one, other)]
            assert told[0] == told[1]
            states = [one[1], secrets.shuffled_below(other[1], rng)]
            assert rules.view(states[0], viewer) == rules.view(states[1], viewer)
            if viewer is not None:
                assert_looking_ahead_shows_no_difference(worlds, states, viewer)


def assert_looking_ahead_shows_no_difference(worlds: Worlds, states: list[Any], viewer: Seat) -> None:
    """Check that each attempt of this seat gets the same answer in both worlds."""
    rules = worlds.rules
    one, other = (rules.legal_moves(state, viewer) for state in states)
    assert one == other
    for move in [*SECRETS[worlds.game].revealing(states[0], viewer)[:9], *one[::60]]:
        foreseen = [
            rules.preview(state, viewer, rules.decide(state, viewer, move, SeededDice(b"", ()))) for state in states
        ]
        told = [([rules.tell(it, viewer) for it in events], more) for events, more in foreseen]
        seen = [
            rules.view(reduce(rules.apply, events, state), viewer)
            for (events, _), state in zip(foreseen, states, strict=True)
        ]
        assert (told[0], seen[0]) == (told[1], seen[1])


# Server answers


class Answers(House):
    """Answers without ids and dates."""

    def seen_by(self, viewer: Seat | None, world: World) -> list[str]:
        who = Someone(self.app) if viewer is None else self.people[viewer]
        versions = len(world.moves) + 1
        paths = [self.path, f"{self.path}/events", "/v1/games", f"{self.path}/archive", f"{self.path}/stream"]
        paths += [f"{self.path}?at={version}" for version in range(1, versions + 1)]
        paths += [f"{self.path}/events?since_version={versions}&after=3"]
        shown = [plain(who.get(path)) for path in paths]
        if viewer is None:
            return shown
        since_ever = {"Last-Event-ID": base64.urlsafe_b64encode(bytes(8)).decode()}
        return [*shown, plain(who.get("/v1/stream", headers=since_ever)), *self._tried_by(viewer, world)]

    def _tried_by(self, viewer: Seat, world: World) -> list[str]:
        """Return answers to moves that are not made: legal ones as dry runs, others as they come."""
        who, turn = self.people[viewer], self.turn_of(viewer) or 1
        moves = [self.worlds.rules.move_to_json(move) for move in tries(self.worlds, world, viewer)]
        moves += SECRETS[self.worlds.game].wrong
        dry = [({"turn": turn, "move": move}, "?dry_run=true") for move in moves]
        answers = [who.post(f"{self.path}/moves{query}", body) for body, query in dry]
        answers += [who.post(f"{self.path}/moves", {"turn": turn + 1, "move": moves[0]})]
        answers += [who.post(f"{self.path}/legal-moves", {"begun": [move]}) for move in moves[:9]]
        ahead = [{"planned": planned, "begun": []} for planned in ([], *([move] for move in moves[:9]))]
        answers += [who.post(f"{self.path}/legal-moves", body) for body in ahead]
        with self.app.app_context():
            word = turn_word(UUID(self.game_id), viewer, turn)
        page = self.app.test_client().get(f"/t/{word}/plain")
        return [plain(answer) for answer in (who.get(f"{self.path}/legal-moves"), *answers, page)]


def plain(response: TestResponse) -> str:
    return f"{response.status} {response.mimetype} {without_ids(response.text)}"


def without_ids(text: str) -> str:
    """Return the text without ids, link tokens, times and the game's number, which differ between games."""
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}", "ID", text)
    text = re.sub(r"\b[a-z2-7]{60,}\b", "WORD", text)
    text = re.sub(r"\bgame \d+\b", "game NR", text)
    text = re.sub(r"(?m)^id: [\w-]{11,}$", "id: PLACE", text)
    return re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)|\d\d:\d\d(:\d\d)?", "TIME", text)


@pytest.mark.parametrize(("game", "brink"), BRINKS)
@settings(max_examples=2, phases=[Phase.generate], suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chance=st.integers(0, 2**32))
def test_games_that_differ_in_a_secret_look_the_same_to_viewers_who_may_not_know_it(
    app: Flask, game: str, brink: Any, chance: int
) -> None:
    worlds = brink(Random(chance))
    houses = [Answers(app, worlds, world.exchange) for world in (worlds.one, worlds.other)]
    for (seat, one), (_, other) in zip(worlds.one.moves, worlds.other.moves, strict=True):
        answers = [plain(house.plays(seat, move)) for house, move in zip(houses, (one, other), strict=True)]
        assert seat not in worlds.innocent or answers[0] == answers[1]
    assert houses[0].game_id != houses[1].game_id
    for viewer in worlds.innocent:
        assert houses[0].seen_by(viewer, worlds.one) == houses[1].seen_by(viewer, worlds.one)
    for viewer in worlds.secretive:
        seen = [house.seen_by(viewer, world) for house, world in zip(houses, (worlds.one, worlds.other), strict=True)]
        assert seen[0] != seen[1]  # there is a difference


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=PAIRS, deadline=None)
@given(chance=st.integers(0, 2**32))
def test_a_move_that_can_be_taken_back_freely_has_revealed_nothing(game: str, chance: int) -> None:
    """Every move of a seat that cannot tell the worlds apart reveals something in both or in neither. If it reveals
    nothing, the seat sees the same."""
    rng = Random(chance)
    secrets = SECRETS[game]
    worlds = rng.choice([secrets.worlds, *secrets.brinks])(rng)
    rules, states = worlds.rules, [worlds.end(world) for world in (worlds.one, worlds.other)]
    for seat in rules.to_act(states[0]) & {*worlds.innocent}:
        for move in tries(worlds, worlds.one, seat):
            came = [
                rules.decide(state, seat, move, Exchanging(worlds.seed, [""] * 3, 99, exchange=world.exchange))
                for state, world in zip(states, (worlds.one, worlds.other), strict=True)
            ]
            reveals = {rules.reveals(state, seat, events) for state, events in zip(states, came, strict=True)}
            assert len(reveals) == 1
            if reveals == {False}:
                told = [[rules.tell(event, seat) for event in events] for events in came]
                seen = [
                    rules.view(reduce(rules.apply, events, state), seat)
                    for state, events in zip(states, came, strict=True)
                ]
                assert (told[0], seen[0]) == (told[1], seen[1])


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=1, phases=[Phase.generate], suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chance=st.integers(0, 2**32))
def test_games_that_differ_in_a_secret_look_the_same_even_after_a_take_back(app: Flask, game: str, chance: int) -> None:
    worlds = SECRETS[game].brinks[0](Random(chance))
    houses = [Answers(app, worlds, world.exchange) for world in (worlds.one, worlds.other)]
    back = None
    for number, ((seat, one), (_, other)) in enumerate(zip(worlds.one.moves, worlds.other.moves, strict=True)):
        for house, move in zip(houses, (one, other), strict=True):
            house.plays(seat, move)
            if number % 5 == 4 or number + 1 == len(worlds.one.moves):
                version = house.people[seat].get(house.path).json["version"]
                taken = house.people[seat].post(f"{house.path}/take-backs", {"to": version - 1})
                assert back in (None, taken.status_code)
                back = taken.status_code if house is houses[0] else None
                if taken.status_code == 201:
                    house.plays(seat, move)
    for viewer in worlds.innocent:
        assert houses[0].seen_by(viewer, worlds.one) == houses[1].seen_by(viewer, worlds.one)


# Secrets without a viewer


def names_in(value: Any) -> set[str]:
    match value:
        case dict():
            return set(value) | {name for item in value.values() for name in names_in(item)}
        case list():
            return {name for item in value for name in names_in(item)}
    return set()


@pytest.fixture(params=GAMES)
def game(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def answers(app: Flask, game: str) -> list[TestResponse]:
    """Return what a player and a stranger can read of a running game, each seat having moved ten times."""
    options = {"sternenhimmel": {"start_seat": 0}, "sternenglanz": {"start_seat": 0, "scenario": 4}}
    worlds = random_worlds(game, options[game], Chance(3), 30)
    house = House(app, worlds, {})
    for seat, move in worlds.one.moves:
        house.plays(seat, move)
    who = [house.people[0], Someone(app)]
    paths = ["", "/events", "?at=1", "?at=9", "/votes", "/messages"]
    found = [someone.get(house.path + path) for someone in who for path in paths]
    return [*found, house.people[0].get(f"{house.path}/legal-moves"), who[1].get("/v1/games")]


class Chance(Random):
    """A random generator with a seed of zeros."""

    def randbytes(self, n: int) -> bytes:
        return bytes(n)


def test_seed_salts_hashes_and_draws_are_secret_until_the_end(answers: list[TestResponse]) -> None:
    for answer in answers:
        assert answer.status_code == 200
        assert not names_in(answer.json) & {
            *("seed", "salt", "salts", "hash", "drawn", "dice", "order", "email", "player_id"),
        }
        assert bytes(32).hex() not in answer.text


@pytest.mark.parametrize("game", ["sternenhimmel"], indirect=True)
def test_the_order_of_the_boards_is_never_revealed(answers: list[TestResponse]) -> None:
    dealt = {
        it["board"] for answer in answers for it in answer.json.get("items", []) if it.get("type") == "board-dealt"
    }
    assert 3 < len(dealt) < len(BOARDS)
    for answer in answers:
        assert '"boards-shuffled"' not in answer.text
        for board in set(BOARDS) - dealt:
            assert f'"{board}"' not in answer.text


@pytest.mark.parametrize("game", ["sternenhimmel"], indirect=True)
def test_events_reveal_other_players_stars_only_where_they_are_face_up(answers: list[TestResponse]) -> None:
    story = answers[1].json["items"]
    placed = [item for item in story if item["type"] == "star-placed"]
    assert len(placed) == 30
    for item in placed:
        assert "next" not in item
        is_open = item["seat"] == 0 or BOARDS[item["board"]].spaces[item["space"]].size == "small"
        assert (item["star"] is not None) == is_open


@pytest.mark.parametrize("game", ["sternenglanz"], indirect=True)
def test_events_reveal_only_face_up_cards_and_the_viewers_own_cards(answers: list[TestResponse]) -> None:
    everywhere = [set(re.findall(r'"([a-z]+(?:-[a-z0-9])?#\d+)"', answer.text)) for answer in answers]
    story = answers[1].json["items"]
    own = {card for it in story if it["seat"] == 0 for card in it.get("cards", [])}
    laid = {it[slot] for it in story for slot in ("slot1", "slot2", "slot3", "card") if it.get(slot)}
    shown = {card for it in story if it["type"] == "choices-shown" for each in it["choices"] for card in each}
    assert 15 < len(own | laid | shown) < len(KIND_OF) - 10
    assert set().union(*everywhere) <= own | laid | shown
    assert set().union(*everywhere[6:12]) <= laid | shown  # a stranger's answers
    for answer in answers:
        assert '"cards-shuffled"' not in answer.text


@pytest.mark.parametrize("game", ["sternenglanz"], indirect=True)
def test_a_secret_sternbild_is_revealed_only_to_its_owner(answers: list[TestResponse]) -> None:
    for told, owner in ((answers[1].json, 0), (answers[7].json, None)):
        drawn = [it for it in told["items"] if it["type"] == "sternbild-drawn"]
        assert len(drawn) >= len(NAMES)
        assert all((it["sternbild"] is not None) == (it["seat"] == owner) for it in drawn)


def test_no_hash_leaves_the_server_before_the_game_is_over(app: Flask, game: str) -> None:
    ada = Someone(app, "ada")
    path = f"/v1/games/{ada.post('/v1/games', wanted(ME, OPEN, OPEN, rules=game)).json['id']}"
    for name in NAMES[1:]:
        Someone(app, name).post(f"{path}/seats")
    with app.app_context():
        stored = [event.hash.hex() for event in whole_log(UUID(path.rpartition("/")[2]))]
    shown = json.dumps([ada.get(path).json, ada.get(f"{path}/events").json])
    assert not any(hash_ in shown for hash_ in stored)
    assert ada.get(f"{path}/archive").status_code == 404
