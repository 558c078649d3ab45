"""Plans reveal nothing: worlds that differ only in the owner's hand look the same to all others under the same plan."""

import os
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from random import Random
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from server.games import IllegalMove, Json, Seat
from server.games.sternenhimmel.moves import Placement
from server.play.commits import load, whole_log
from tests.secrecy.test_leaks import without_ids
from tests.secrecy.test_secrets import Everything
from tests.support.games import everything_due_happens, run_for, service_is_up
from tests.support.paired_worlds import SECRETS, Worlds, exchanging

assert exchanging  # a fixture
pytestmark = pytest.mark.usefixtures("exchanging", "no_limits")  # the same few players, a thousand times

PAIRS = int(os.environ.get("PAIRED_PLANS", "2"))  # per game; 1000 in a longer run
_EVERY_CHANNEL = 20  # every twentieth pair is also compared by mails, pictures, pages and errors
_MOST_MOVES = 5  # before a pair is compared
_LATER = timedelta(hours=2)


class Planning(Everything):
    """A world played on after a plan was left."""

    @property
    def state(self) -> Any:
        with self.app.app_context():
            return load(UUID(self.game_id)).table.state

    @property
    def version(self) -> int:
        with self.app.app_context():
            return load(UUID(self.game_id)).version

    @property
    def scored(self) -> list[Json]:
        with self.app.app_context():
            return [row.body for row in whole_log(UUID(self.game_id)) if row.type == "board-scored"]

    def leaves(self, seat: Seat, items: list[Json]) -> int:
        return self.people[seat].ask("PUT", f"{self.path}/seats/me/plan", {"revision": 0, "moves": items}).status_code

    def works(self) -> None:
        """Run the worker twice, with time between."""
        with self.app.app_context():
            service_is_up()
            everything_due_happens()
            run_for(_LATER)

    def seen_by(self, viewer: Seat | None) -> list[str]:
        who = self.people[viewer] if viewer is not None else None
        looks = [self.path, f"{self.path}/events", f"{self.path}/votes"]
        client = self.app.test_client()
        return [without_ids((who.get(look) if who else client.get(look)).text) for look in looks]

    def ended(self, seat: Seat) -> Json | None:
        ended: Json | None = self.people[seat].get(f"{self.path}/seats/me/plan").json["ended"]
        return ended


def candidates(worlds: Worlds, states: list[Any], seat: Seat, rng: Random) -> list[Any]:
    """Return moves that the seat might plan: its own legal moves, other seats' moves, and impossible ones."""
    rules, state = worlds.rules, states[0]
    if worlds.game == "sternenhimmel":
        boards = rules.view(state, None)["boards"]
        spaces = [(it["board"], space) for it in boards for space, lying in it["spaces"].items() if lying is None]
        found: list[Any] = [Placement(star, *rng.choice(spaces)) for star in set(state.hands[seat])]
    else:
        found = [move for who in rules.to_act(state) for move in rules.legal_moves(state, who)]
        found += [rules.move_from_json(move) for move in SECRETS[worlds.game].wrong]
    return rng.sample(found, min(len(found), 30))


def may_leave(worlds: Worlds, states: list[Any], seat: Seat, moves: list[Any]) -> bool:
    try:
        for state in states:
            for n, move in enumerate(moves):
                worlds.rules.check_planned(state, seat, moves[:n], move)
    except IllegalMove:
        return False
    return True


def a_plan(worlds: Worlds, states: list[Any], seat: Seat, rng: Random) -> list[Any]:
    """Return up to three moves that may be planned in both worlds."""
    moves: list[Any] = []
    for move in candidates(worlds, states, seat, rng):
        if len(moves) < 3 and may_leave(worlds, states, seat, [*moves, move]):
            moves.append(move)
    return moves


def a_condition(worlds: Worlds, rng: Random, view: Json) -> list[Json]:
    types = sorted(worlds.rules.EVENT_SCHEMAS)
    name = rng.choice(sorted(view))
    return rng.choice([[], [], [{"only": types}], [{"only": types[:3]}], [{"at": f"/{name}", "is": view[name]}]])


def alike(houses: list[Planning], worlds: Worlds) -> bool:
    """Return whether nothing revealed now or at an earlier scoring belongs to the difference between the worlds."""
    views = [[worlds.rules.view(house.state, viewer) for viewer in worlds.innocent] for house in houses]
    return views[0] == views[1] and houses[0].scored == houses[1].scored


def same_move(worlds: Worlds, houses: list[Planning], seat: Seat, rng: Random) -> Any | None:
    """Return a move legal in both worlds that reveals nothing by itself."""
    rules, states = worlds.rules, [house.state for house in houses]
    moves = [move for move in rules.legal_moves(states[0], seat) if move in rules.legal_moves(states[1], seat)]
    for move in rng.sample(moves, min(len(moves), 10)):
        told = []
        for house, state in zip(houses, states, strict=True):
            with house.app.app_context():
                events = rules.decide(state, seat, move, load(UUID(house.game_id)).dice())
            told.append([rules.tell(event, viewer) for event in events for viewer in worlds.innocent])
        if told[0] == told[1]:
            return move
    return None


def played_on(app: Flask, game: str, rng: Random) -> Iterator[tuple[Worlds, list[Planning], Seat]]:
    """Yield pairs of worlds with the same plan and the same later moves."""
    while True:
        worlds = SECRETS[game].worlds(rng)
        (owner,) = worlds.secretive
        states = [worlds.end(world) for world in (worlds.one, worlds.other)]
        moves = a_plan(worlds, states, owner, rng)
        if not moves or not worlds.rules.to_act(states[0]):
            continue
        view = worlds.rules.view(states[0], None)
        items = [
            {
                "move": worlds.rules.move_to_json(move),
                "if": a_condition(worlds, rng, view),
                "after": rng.choice(["PT0S", "PT1H"]),
            }
            for move in moves
        ]
        houses = [Planning(app, worlds, world) for world in (worlds.one, worlds.other)]
        assert [house.leaves(owner, items) for house in houses] == [200, 200]
        for _ in range(_MOST_MOVES):
            for house in houses:
                house.works()
            asked = [worlds.rules.to_act(house.state) for house in houses]
            if not alike(houses, worlds) or asked[0] != asked[1] or not asked[0] - {owner}:
                break
            seat = min(asked[0] - {owner})
            move = same_move(worlds, houses, seat, rng)
            if move is None:
                break
            for house in houses:
                house.plays(seat, move)
        yield worlds, houses, owner


@pytest.mark.parametrize("game", SECRETS)
def test_a_plan_does_not_reveal_what_its_owner_holds(app: Flask, game: str) -> None:
    rng, came, pairs = Random(17), Counter[str](), played_on(app, game, Random(23))
    for number in range(PAIRS):
        worlds, houses, owner = next(pairs)
        ends = [house.ended(owner) for house in houses]
        assert ends[0] == ends[1]
        assert len({house.version for house in houses}) == 1  # it has played as often
        came[ends[0]["because"] if ends[0] else "played"] += 1
        if not alike(houses, worlds):
            continue  # the planned move itself has revealed the difference
        for viewer in worlds.innocent:
            assert houses[0].seen_by(viewer) == houses[1].seen_by(viewer)
        if number % _EVERY_CHANNEL == 0:
            viewer = rng.choice(worlds.innocent)
            received, elsewhere = (house.reaches(viewer) for house in houses)
            assert [name for name in received if received[name] != elsewhere.get(name)] == []
            assert not any("You planned" in str(part) for part in received.values())
    print(game, PAIRS, dict(came))
