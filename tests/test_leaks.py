"""Secrets: two worlds that differ only in what a viewer may not know look the same to him, byte for byte.

The worlds come from the same seed and the same moves, but for one seat: kinds are exchanged between its hand and its
stars that lie face down. Until a scoring turns one of these over nobody else may notice.
"""

import json
import re
from functools import reduce
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from flask import Flask
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from sqlalchemy import update
from werkzeug.test import TestResponse

from server import play
from server.play.deeds import whole_log
from server.rules import IllegalMove, Json, Seat, SeededDice
from server.rules import sternenhimmel as rules
from server.rules.sternenhimmel import BOARDS, STARS, BoardScored, Placement, Sky
from server.store.tables import Game as GameRow
from server.store.tables import db
from tests.contract import Someone
from tests.helpers import ME, OPEN, wanted

NAMES = ("ada", "bea", "cyd")
SEATS = len(NAMES)
OPTIONS: Json = {"start_seat": 0}

Moves = list[tuple[Seat, Placement]]


class Worlds(NamedTuple):
    """The same seed, and the moves in either world; the seats in `innocent` cannot tell them apart."""

    seed: bytes
    one: Moves
    other: Moves
    innocent: list[Seat | None]


# Making two worlds


def opening(seed: bytes) -> Sky:
    return reduce(rules.apply, rules.setup(SEATS, OPTIONS, SeededDice(seed, [""] * SEATS)), None)


def random_moves(seed: bytes, rng: Random, number: int) -> Moves:
    sky, moves = opening(seed), []
    for _ in range(number):
        (seat,) = rules.to_act(sky)
        move = rng.choice(rules.legal_moves(sky, seat))
        sky = reduce(rules.apply, rules.decide(sky, seat, move, SeededDice(seed, ())), sky)
        moves.append((seat, move))
    return moves


def is_large(move: Placement) -> bool:
    return BOARDS[move.board].spaces[move.space].size == "large"


def exchanged(moves: Moves, seat: Seat, since: int, kinds: tuple[str, str]) -> Moves:
    """The same moves, but for two kinds of this seat's face-down stars from one moment on."""
    swap = dict(zip(kinds, reversed(kinds), strict=True))
    return [
        (
            who,
            move._replace(star=swap.get(move.star, move.star))
            if who == seat and n >= since and is_large(move)
            else move,
        )
        for n, (who, move) in enumerate(moves)
    ]


def scorings(seed: bytes, moves: Moves) -> list[BoardScored] | None:
    """What is turned over in this world, or None if its moves break the rules."""
    sky, found = opening(seed), []
    for seat, move in moves:
        try:
            events = rules.decide(sky, seat, move, SeededDice(seed, ()))
        except IllegalMove:
            return None
        sky = reduce(rules.apply, events, sky)
        found += [event for event in events if isinstance(event, BoardScored)]
    return found


def two_worlds(number: int, rng: Random) -> Worlds | None:
    seed, secretive = rng.randbytes(32), rng.randrange(SEATS)
    moves = random_moves(seed, rng, number)
    turned_over = scorings(seed, moves)
    pairs = [(a, b) for a in STARS for b in STARS if a < b]
    for since in rng.sample(range(number), number):
        for kinds in rng.sample(pairs, len(pairs)):
            other = exchanged(moves, secretive, since, kinds)
            if other != moves and scorings(seed, other) == turned_over:
                return Worlds(seed, moves, other, [*({*range(SEATS)} - {secretive}), None])
    return None


def on_the_brink(rng: Random) -> Worlds:
    """Two worlds in which a seat that cannot tell them apart may turn the difference over with its next move."""
    while True:
        worlds = two_worlds(rng.randint(8, 28), rng)
        if worlds is not None:
            skies = [played(worlds.seed, moves) for moves in (worlds.one, worlds.other)]
            (seat,) = rules.to_act(skies[0])
            if seat in worlds.innocent and any(
                skies[0].stars[move.board] != skies[1].stars[move.board] for move in filling(skies[0], seat)
            ):
                return worlds


def played(seed: bytes, moves: Moves) -> Sky:
    sky = opening(seed)
    for seat, move in moves:
        sky = reduce(rules.apply, rules.decide(sky, seat, move, SeededDice(seed, ())), sky)
    return sky


def filling(sky: Sky, seat: Seat) -> list[Placement]:
    """The moves of this seat that fill a board."""
    almost_full = {board for board, stars in sky.stars.items() if len(stars) == len(BOARDS[board].spaces) - 1}
    return [move for move in rules.legal_moves(sky, seat) if move.board in almost_full]


# What the rules tell


@settings(max_examples=60)
@given(number=st.integers(3, 45), chance=st.integers(0, 2**32))
def test_the_rules_tell_nobody_what_lies_face_down_nor_the_order_of_the_stack(number: int, chance: int) -> None:
    rng = Random(chance)
    worlds = two_worlds(number, rng)
    assume(worlds is not None)
    assert worlds is not None
    skies = [opening(worlds.seed)] * 2
    for (seat, one), (_, other) in zip(worlds.one, worlds.other, strict=True):
        skies[1] = skies[1]._replace(stack=tuple(rng.sample(skies[0].stack, len(skies[0].stack))))
        for viewer in worlds.innocent:
            assert rules.view(skies[0], viewer) == rules.view(skies[1], viewer)
            if viewer is not None:
                assert_looking_ahead_shows_no_difference(skies, viewer)
        skies[1] = skies[1]._replace(stack=skies[0].stack)
        happened = [
            rules.decide(sky, seat, move, SeededDice(worlds.seed, ()))
            for sky, move in zip(skies, (one, other), strict=True)
        ]
        for viewer in worlds.innocent:
            assert [rules.tell(it, viewer) for it in happened[0]] == [rules.tell(it, viewer) for it in happened[1]]
        skies = [reduce(rules.apply, events, sky) for events, sky in zip(happened, skies, strict=True)]


def assert_looking_ahead_shows_no_difference(skies: list[Sky], viewer: Seat) -> None:
    """Whatever this seat tries, it is told the same in both."""
    one, other = (rules.legal_moves(sky, viewer) for sky in skies)
    assert one == other
    for move in [*filling(skies[0], viewer), *one[::9]]:
        foreseen = [rules.foresee(sky, viewer, rules.decide(sky, viewer, move, SeededDice(b"", ()))) for sky in skies]
        told = [([rules.tell(it, viewer) for it in events], more) for events, more in foreseen]
        seen = [
            rules.view(reduce(rules.apply, events, sky), viewer)
            for (events, _), sky in zip(foreseen, skies, strict=True)
        ]
        assert (told[0], seen[0]) == (told[1], seen[1])


# What the house sends


class House:
    """One world, played over HTTP; its answers without ids and dates."""

    def __init__(self, app: Flask, seed: bytes) -> None:
        self.app = app
        self.people: list[Someone] = [Someone(app, name) for name in NAMES]
        self.game_id = self.people[0].post("/v1/games", wanted(ME, OPEN, OPEN)).json["id"]
        self.path = f"/v1/games/{self.game_id}"
        with app.app_context():
            db.session.execute(update(GameRow).where(GameRow.game_id == self.game_id).values(seed=seed))
            db.session.commit()
        for guest in self.people[1:]:
            guest.post(f"{self.path}/seats")

    def plays(self, seat: Seat, move: Placement, turn: int) -> str:
        response = self.people[seat].post(f"{self.path}/moves", {"turn": turn, "move": move._asdict()})
        assert response.status_code == 201, response.text
        return self.plain(response)

    def seen_by(self, viewer: Seat | None, versions: int) -> list[str]:
        """All that this viewer can ask for."""
        who = Someone(self.app) if viewer is None else self.people[viewer]
        answers = [
            who.get(self.path),
            who.get(f"{self.path}/events"),
            who.get("/v1/games"),
            who.get(f"{self.path}/archive"),
        ]
        answers += [who.get(f"{self.path}?at={version}") for version in range(1, versions + 1)]
        answers += [who.get(f"{self.path}/events?since_version={versions}&after=3")]
        shown = [self.plain(answer) for answer in answers]
        return shown if viewer is None else shown + self._tried_by(viewer, versions)

    def _tried_by(self, viewer: Seat, turn: int) -> list[str]:
        """Moves that are not made: legal ones as dry runs, others as they come."""
        who = self.people[viewer]
        boards = who.get(self.path).json["view"]["boards"]
        almost_full = {it["board"] for it in boards if [*it["spaces"].values()].count(None) == 1}
        legal = who.get(f"{self.path}/legal-moves")
        moves = [move for n, move in enumerate(legal.json["moves"]) if n % 30 == 0 or move["board"] in almost_full]
        moves += [{"star": "1", "board": board, "space": "a"} for board in BOARDS]
        tries = [({"turn": turn, "move": move}, "?dry_run=true") for move in moves]
        tries += [({"turn": turn + 1, "move": moves[0]}, "")]
        answers = [who.post(f"{self.path}/moves{query}", body) for body, query in tries]
        page = self.app.test_client().get(f"/t/{self._word(viewer, turn)}")
        return [self.plain(answer) for answer in (legal, *answers, page)]

    def _word(self, seat: Seat, turn: int) -> str:
        with self.app.app_context():
            return play.turn_word(UUID(self.game_id), seat, turn)

    def plain(self, response: TestResponse) -> str:
        return f"{response.status} {response.mimetype} {without_ids(response.text)}"


def without_ids(text: str) -> str:
    """The same without whatever differs between any two games: ids, sealed words, times."""
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}", "ID", text)
    text = re.sub(r"\b[a-z2-7]{60,}\b", "WORD", text)
    return re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)|\d\d:\d\d(:\d\d)?", "TIME", text)


@settings(max_examples=2, phases=[Phase.generate], suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chance=st.integers(0, 2**32))
def test_two_worlds_look_the_same_to_whoever_may_not_know_the_difference(app: Flask, chance: int) -> None:
    worlds = on_the_brink(Random(chance))
    versions = len(worlds.one) + 1
    houses = [House(app, worlds.seed), House(app, worlds.seed)]
    for turn, ((seat, one), (_, other)) in enumerate(zip(worlds.one, worlds.other, strict=True), 1):
        answers = [house.plays(seat, move, turn) for house, move in zip(houses, (one, other), strict=True)]
        assert seat not in worlds.innocent or answers[0] == answers[1]
    assert houses[0].game_id != houses[1].game_id
    secretive = ({*range(SEATS)} - {*worlds.innocent}).pop()
    for viewer in worlds.innocent:
        assert houses[0].seen_by(viewer, versions) == houses[1].seen_by(viewer, versions)
    assert houses[0].seen_by(secretive, versions) != houses[1].seen_by(secretive, versions)  # there is a difference


# What is never told


def names_in(value: Any) -> set[str]:
    match value:
        case dict():
            return set(value) | {name for item in value.values() for name in names_in(item)}
        case list():
            return {name for item in value for name in names_in(item)}
    return set()


@pytest.fixture
def answers(app: Flask) -> list[TestResponse]:
    """What a player and a stranger can get of a game that is being played, each seat having moved ten times."""
    house = House(app, bytes(32))
    for turn, (seat, move) in enumerate(random_moves(bytes(32), Random(3), 30), 1):
        house.plays(seat, move, turn)
    who = [house.people[0], Someone(app)]
    paths = ["", "/events", "?at=1", "?at=9", "/votes", "/messages"]
    found = [someone.get(house.path + path) for someone in who for path in paths]
    return [*found, house.people[0].get(f"{house.path}/legal-moves"), who[1].get("/v1/games")]


def test_seed_salts_hashes_and_draws_are_not_told_before_the_end(answers: list[TestResponse]) -> None:
    for answer in answers:
        assert answer.status_code == 200
        assert not names_in(answer.json) & {
            "seed",
            "salt",
            "salts",
            "hash",
            "drawn",
            "dice",
            "order",
            "email",
            "player_id",
        }
        assert bytes(32).hex() not in answer.text


def test_the_order_of_the_boards_is_told_to_nobody(answers: list[TestResponse]) -> None:
    dealt = {
        it["board"] for answer in answers for it in answer.json.get("items", []) if it.get("type") == "board-dealt"
    }
    assert 3 < len(dealt) < len(BOARDS)
    for answer in answers:
        assert '"boards-shuffled"' not in answer.text
        for board in set(BOARDS) - dealt:
            assert f'"{board}"' not in answer.text


def test_the_story_tells_a_star_of_somebody_else_only_where_it_lies_open(answers: list[TestResponse]) -> None:
    story = answers[1].json["items"]
    placed = [item for item in story if item["type"] == "star-placed"]
    assert len(placed) == 30
    for item in placed:
        assert "next" not in item
        is_open = item["seat"] == 0 or BOARDS[item["board"]].spaces[item["space"]].size == "small"
        assert (item["star"] is not None) == is_open


def test_no_hash_leaves_the_server_before_the_game_is_over(app: Flask) -> None:
    ada = Someone(app, "ada")
    path = f"/v1/games/{ada.post('/v1/games', wanted(ME, OPEN, OPEN)).json['id']}"
    for name in NAMES[1:]:
        Someone(app, name).post(f"{path}/seats")
    with app.app_context():
        stored = [event.hash.hex() for event in whole_log(UUID(path.rpartition("/")[2]))]
    shown = json.dumps([ada.get(path).json, ada.get(f"{path}/events").json])
    assert not any(hash_ in shown for hash_ in stored)
    assert ada.get(f"{path}/archive").status_code == 404
