"""Two worlds of a game that differ only in what some viewers may not know.

Sternenhimmel: kinds of stars are exchanged between the hand of one seat and its face-down stars.
Sternenglanz: two unseen cards change places, or a seat has made another secret choice.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import update
from werkzeug.test import TestResponse

from server.games import GAMES, IllegalMove, Json, Rules, Seat, SeededDice, sternenhimmel
from server.games.sternenglanz.material import KIND_OF
from server.games.sternenglanz.state import LAY, SternbildCompleted
from server.games.sternenhimmel.material import BOARDS, STARS
from server.games.sternenhimmel.moves import Placement
from server.games.sternenhimmel.state import BoardScored, State
from server.play.commits import load
from server.play.game import Game
from server.store.tables import GameRow, db
from tests.support.contract import Someone
from tests.support.games import ME, OPEN, wanted

NAMES = ("ada", "bea", "cyd")
SEATS = len(NAMES)

Moves = list[tuple[Seat, Any]]
Exchange = Mapping[str, str]  # what to swap for what after each shuffle


class World(NamedTuple):
    moves: Moves
    exchange: Exchange = MappingProxyType({})


class Worlds(NamedTuple):
    """A seed and the moves in either world. The seats in `innocent` cannot tell the worlds apart."""

    game: str
    options: Json
    seed: bytes
    one: World
    other: World
    innocent: list[Seat | None]

    @property
    def rules(self) -> Rules:
        return GAMES[self.game]

    @property
    def secretive(self) -> list[Seat]:
        return [seat for seat in range(SEATS) if seat not in self.innocent]

    def plays(self, world: World) -> Iterator[tuple[Any, list[Any], Any]]:
        """Yield state, events and next state of each move, beginning with the setup."""
        rules, dice = self.rules, Exchanging(self.seed, [""] * SEATS, exchange=world.exchange)
        events = rules.setup(SEATS, self.options, dice)
        after = reduce(rules.apply, events, None)
        yield None, events, after
        for seat, move in world.moves:
            before, events = after, rules.decide(after, seat, move, dice)
            after = reduce(rules.apply, events, before)
            yield before, events, after

    def end(self, world: World) -> Any:
        *_, (_, _, after) = self.plays(world)
        return after


class Exchanging(SeededDice):
    """Unfair dice that exchange two things in every shuffle."""

    def __init__(self, *chance: Any, exchange: Exchange) -> None:
        super().__init__(*chance)
        self._exchange = exchange

    def shuffled(self, things: Any) -> list[Any]:
        return [self._exchange.get(thing, thing) for thing in super().shuffled(things)]


def random_worlds(game: str, options: Json, rng: Random, number: int) -> Worlds:
    """Return a single world of random moves."""
    rules, seed, moves = GAMES[game], rng.randbytes(32), []
    dice = SeededDice(seed, [""] * SEATS)
    state = reduce(rules.apply, rules.setup(SEATS, options, dice), None)
    for _ in range(number):
        waiting = rules.to_act(state)
        if not waiting:
            break
        seat = rng.choice(sorted(waiting))
        move = rng.choice(rules.legal_moves(state, seat))
        state = reduce(rules.apply, rules.decide(state, seat, move, dice), state)
        moves.append((seat, move))
    return Worlds(game, options, seed, World(moves), World(moves), [])


# Sternenhimmel


def is_large(move: Placement) -> bool:
    return BOARDS[move.board].spaces[move.space].size == "large"


def other_stars(moves: Moves, seat: Seat, since: int, kinds: tuple[str, str]) -> Moves:
    """Exchange two kinds of this seat's face-down stars from one moment on."""
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


def scorings(worlds: Worlds, world: World) -> list[Any] | None:
    """Return the scorings of this world, or None if its moves are illegal."""
    try:
        return [event for _, events, _ in worlds.plays(world) for event in events if isinstance(event, BoardScored)]
    except IllegalMove:
        return None


def of_sternenhimmel(rng: Random) -> Worlds:
    """Return worlds with different face-down stars."""
    while True:
        number = rng.randint(3, 45)
        worlds = random_worlds("sternenhimmel", {"start_seat": 0}, rng, number)
        secretive, turned_over = rng.randrange(SEATS), scorings(worlds, worlds.one)
        pairs = [(a, b) for a in STARS for b in STARS if a < b]
        for since in rng.sample(range(number), number):
            for kinds in rng.sample(pairs, len(pairs)):
                other = World(other_stars(worlds.one.moves, secretive, since, kinds))
                if other != worlds.one and scorings(worlds, other) == turned_over:
                    return worlds._replace(other=other, innocent=[*({*range(SEATS)} - {secretive}), None])


def about_to_turn_over(rng: Random) -> Worlds:
    """Return worlds at the point where an innocent seat may turn over a star that lies in only one of them."""
    while True:
        worlds = of_sternenhimmel(rng)
        one, other = (worlds.end(world) for world in (worlds.one, worlds.other))
        for seat in worlds.rules.to_act(one):
            boards = {move.board for move in revealing(one, seat)}
            if seat in worlds.innocent and any(one.stars[board] != other.stars[board] for board in boards):
                return worlds


def revealing(sky: State, seat: Seat) -> list[Placement]:
    almost_full = {board for board, stars in sky.stars.items() if len(stars) == len(BOARDS[board].spaces) - 1}
    return [move for move in sternenhimmel.legal_moves(sky, seat) if move.board in almost_full]


# Sternenglanz


def of_sternenglanz(rng: Random) -> Worlds:
    """Return worlds with other cards in a hand, another secret Sternbild, or another choice."""
    return rng.choice([with_other_cards, with_other_cards, with_another_sternbild, with_another_choice])(rng)


def with_another_choice(rng: Random) -> Worlds:
    """Return worlds that differ in one choice of first cards, while another seat has yet to choose."""
    number = rng.randint(1, SEATS - 1)
    worlds = random_worlds("sternenglanz", {"scenario": rng.randint(1, 4)}, rng, number)
    secretive, move = worlds.one.moves[0]
    (choice,) = move.steps
    other = move._replace(steps=(choice._replace(slot2=choice.slot3, slot3=choice.slot2),))
    innocent = [*({*range(SEATS)} - {secretive}), None]
    return worlds._replace(other=World([(secretive, other), *worlds.one.moves[1:]]), innocent=innocent)


def with_other_cards(rng: Random) -> Worlds:
    """Exchange a card that one seat holds and has never played for one of the deck."""
    while True:
        worlds = random_worlds("sternenglanz", {"scenario": rng.randint(1, 4)}, rng, rng.randint(1, 30))
        secretive, states = rng.randrange(SEATS), [after for _, _, after in worlds.plays(worlds.one)]
        unseen = set[str].intersection(*({*sky.deck, *sky.hands[secretive]} for sky in states))
        held = sorted(unseen & {*states[-1].hands[secretive]})
        kind = KIND_OF[rng.choice(held)] if held else None
        waiting = [card for card in states[-1].deck if card in unseen and KIND_OF[card] is not kind]
        if held and waiting and states[-1].result is None:
            x, y = rng.choice([it for it in held if KIND_OF[it] is kind]), rng.choice([waiting[0], rng.choice(waiting)])
            innocent = [*({*range(SEATS)} - {secretive}), None]
            return worlds._replace(other=World(worlds.one.moves, {x: y, y: x}), innocent=innocent)


def with_another_sternbild(rng: Random) -> Worlds:
    """Exchange a seat's secret Sternbild for one of the deck."""
    while True:
        worlds = random_worlds("sternenglanz", {"scenario": 4}, rng, rng.randint(1, 30))
        (*_, (_, _, sky)) = worlds.plays(worlds.one)
        secretive, below = rng.randrange(SEATS), rng.choice(sky.bilder.deck)
        own = sky.bilder.own[secretive]
        innocent = [*({*range(SEATS)} - {secretive}), None]
        worlds = worlds._replace(other=World(worlds.one.moves, {own: below, below: own}), innocent=innocent)
        if sky.result is None and not any(map(completions, (worlds, worlds), (worlds.one, worlds.other))):
            return worlds


def completions(worlds: Worlds, world: World) -> bool:
    return any(isinstance(event, SternbildCompleted) for _, events, _ in worlds.plays(world) for event in events)


def about_to_draw(rng: Random) -> Worlds:
    """Return worlds at the point where an innocent seat draws the differing card."""
    while True:
        worlds = with_other_cards(rng)
        sky = worlds.end(worlds.one)
        if sky.phase == LAY and sky.on_turn in worlds.innocent and sky.deck[0] in worlds.other.exchange:
            return worlds


def about_to_see_all_choices(rng: Random) -> Worlds:
    while True:
        worlds = with_another_choice(rng)
        if len(worlds.one.moves) == SEATS - 1:
            return worlds


class Secrets(NamedTuple):
    """What tests need to know of the secrets of a game."""

    worlds: Callable[[Random], Worlds]
    brinks: Sequence[Callable[[Random], Worlds]]  # before the difference is revealed
    shuffled_below: Callable[[Any, Random], Any]  # the same state with another order of undrawn cards
    revealing: Callable[[Any, Seat], list[Any]]  # moves that reveal something
    wrong: Sequence[Json]  # moves that are seldom legal
    lines: Sequence[str]  # invalid moves


def _stack_shuffled(sky: Any, rng: Random) -> Any:
    return sky._replace(stack=tuple(rng.sample(sky.stack, len(sky.stack))))


def _deck_shuffled(sky: Any, rng: Random) -> Any:
    return sky._replace(deck=tuple(rng.sample(sky.deck, len(sky.deck))))


def _choosing_or_laying(sky: Any, seat: Seat) -> list[Any]:
    return GAMES["sternenglanz"].legal_moves(sky, seat) if sky.phase != "act" else []


_CARDS = ("geburt#1", "wanderung-3#2", "loch-b#4", "supernova#1")
_STEPS: Sequence[Json] = [
    *({"cmd": "choose", "slot2": one, "slot3": other} for one in _CARDS for other in _CARDS),
    *({"cmd": "lay", "dropNova": drop, "slot2": card, "slot1": None} for card in _CARDS for drop in (False, True)),
    *({"cmd": "act", "slot": slot, "do": "lapse"} for slot in (1, 2, 3)),
    *({"cmd": "act", "slot": 1, "do": "lay", "class": star, "field": "a1"} for star in ("punkt", "pracht")),
    {"cmd": "finish"},
]
SECRETS: Mapping[str, Secrets] = {
    "sternenhimmel": Secrets(
        of_sternenhimmel,
        (about_to_turn_over,),
        _stack_shuffled,
        revealing,
        [{"star": star, "board": board, "space": "a"} for board in BOARDS for star in ("1", "B")],
        ["", "7", "9 leo a", *(f"1 {board} {space}" for board in BOARDS for space in "az")],
    ),
    "sternenglanz": Secrets(
        of_sternenglanz,
        (about_to_draw, about_to_see_all_choices),
        _deck_shuffled,
        _choosing_or_laying,
        [{"steps": [step]} for step in _STEPS],
        ["", "7", "finish", "1 lay punkt a1", "2 lapse", *(f"lay {card} -" for card in _CARDS), "choose a b"],
    ),
}
BRINKS = [(game, brink) for game, secrets in SECRETS.items() for brink in secrets.brinks]


def tries(worlds: Worlds, world: World, seat: Seat) -> list[Any]:
    """Return some moves that reveal something and some other legal ones."""
    state = worlds.end(world)
    return [*SECRETS[worlds.game].revealing(state, seat)[:30], *worlds.rules.legal_moves(state, seat)[::30]]


# One world, played over HTTP

_exchanges: dict[UUID, Exchange] = {}


@pytest.fixture
def exchanging(monkeypatch: pytest.MonkeyPatch) -> None:
    def dice(game: Game) -> SeededDice:
        salts = [row.salt for row in game.seats]
        return Exchanging(game.head.seed, salts, game.head.drawn, exchange=_exchanges.get(game.game_id, {}))

    monkeypatch.setattr(Game, "dice", dice)


class House:
    """Players of a world over HTTP."""

    def __init__(self, app: Flask, worlds: Worlds, exchange: Exchange) -> None:
        self.app, self.worlds = app, worlds
        self.people: list[Someone] = [Someone(app, name) for name in NAMES]
        game = wanted(ME, OPEN, OPEN, rules=worlds.game, options=worlds.options)
        self.game_id = self.people[0].post("/v1/games", game).json["id"]
        self.path = f"/v1/games/{self.game_id}"
        _exchanges[UUID(self.game_id)] = exchange
        with app.app_context():
            db.session.execute(update(GameRow).where(GameRow.game_id == self.game_id).values(seed=worlds.seed))
            db.session.commit()
        for guest in self.people[1:]:
            guest.post(f"{self.path}/seats")

    def turn_of(self, seat: Seat) -> int | None:
        with self.app.app_context():
            return load(UUID(self.game_id)).table.turns[seat]

    def plays(self, seat: Seat, move: Any) -> TestResponse:
        body = {"turn": self.turn_of(seat), "move": self.worlds.rules.move_to_json(move)}
        response = self.people[seat].post(f"{self.path}/moves", body)
        assert response.status_code == 201, response.text
        return response
