"""Sampled states: ways to get to them, and enumerations of all that there are."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from importlib import import_module
from itertools import combinations, permutations
from random import Random
from typing import Any, NamedTuple

import pytest

from server.bots import BOTS
from server.games import GAMES, IllegalMove, Json, Rules, Seat, SeededDice
from server.games.sternenglanz import material, rules
from server.games.sternenglanz.moves import Choose
from server.games.sternenglanz.state import LAY, CardsShuffled, DiscardsShuffled, HandDealt
from server.games.sternenglanz.views import NAME_OF

UNLIKELY = 4.5  # standard deviations
EDITIONS = [(name, edition) for name, game in GAMES.items() for edition in game.describe()["editions"]]


class Played(NamedTuple):
    """A game as played so far."""

    game: str
    seats: int
    options: Json
    seed: bytes
    moves: list[tuple[Seat, Any]]
    events: list[Any]
    state: Any

    @property
    def rules(self) -> Rules:
        return GAMES[self.game]

    def story(self, seat: Seat) -> list[Json]:
        started = {"type": "game-started", "seat": None, "seats": self.seats, "terms": {"options": self.options}}
        return [started, *(told for event in self.events if (told := self.rules.tell(event, seat)) is not None)]

    def world(self, seat: Seat, seed: bytes) -> Any:
        sample: Any = self.rules
        return sample.resample(self.rules.view(self.state, seat), self.story(seat), seat, SeededDice(seed, ()))


def positions(game: str, options: Json, seats: int, seed: int) -> Iterator[Played]:
    """Yield a game after each move. Half of the moves are greedy ones, so that boards fill and Sternbilder appear."""
    rng, key, game_rules = Random(seed), Random(seed).randbytes(32), GAMES[game]
    resolved, dice = game_rules.resolve_options(options, seats), SeededDice(key, ())
    events = game_rules.setup(seats, resolved, dice)
    played = Played(game, seats, resolved, key, [], events, reduce(game_rules.apply, events, None))
    yield played
    while waiting := game_rules.to_act(played.state):
        seat = rng.choice(sorted(waiting))
        view, moves = game_rules.view(played.state, seat), game_rules.legal_moves(played.state, seat)
        move = BOTS[rng.choice(["greedy", "random"])](game_rules, view, moves, rng)
        events = game_rules.decide(played.state, seat, move, dice)
        state = reduce(game_rules.apply, events, played.state)
        played = played._replace(moves=[*played.moves, (seat, move)], events=[*played.events, *events], state=state)
        yield played


# Every world is one in which the seat would have seen the same


class Arranged(SeededDice):
    """Dice whose shuffles are rearranged, each by its own function."""

    def __init__(self, seed: bytes, arrange: Sequence[Callable[[list[Any]], list[Any]]]) -> None:
        super().__init__(seed, ())
        self._arrange = iter(arrange)

    def shuffled(self, things: Iterable[Any]) -> list[Any]:
        return next(self._arrange)(super().shuffled(things))


class World(NamedTuple):
    """How to get to a sampled state: what comes out of each shuffle, and what was played."""

    arrange: list[Callable[[list[Any]], list[Any]]]
    moves: list[tuple[Seat, Any]]


def way_to_stars(played: Played, seat: Seat, world: Any) -> World:
    def with_stack(order: list[str]) -> list[str]:
        return [*order[: len(order) - len(world.stack)], *world.stack]

    def instead(who: Seat, move: Any) -> Any:
        lying = world.stars.get(move.board, {}).get(move.space)
        return move._replace(star=lying.star) if lying and who != seat else move

    return World([with_stack], [(who, instead(who, move)) for who, move in played.moves])


def way_to_cards(played: Played, seat: Seat, world: Any) -> World:
    shuffles = [event.deck for event in played.events if isinstance(event, CardsShuffled | DiscardsShuffled)]
    pool_of = {card: n for n, deck in enumerate(shuffles) for card in deck}
    swaps: list[dict[str, str]] = [{} for _ in shuffles]
    for real, drawn in zip(_places(played.state, pool_of), _places(world, pool_of), strict=True):
        assert len(real) == len(drawn)
        for one, other in zip(real, drawn, strict=True):
            if one != other:
                assert pool_of[one] == pool_of[other]
                swaps[pool_of[one]][one] = other
    bilder = dict(zip(_bilder(played.state), _bilder(world), strict=True))

    def swapped(swap: Mapping[str, str]) -> Callable[[list[str]], list[str]]:
        return lambda things: [swap.get(thing, thing) for thing in things]

    def instead(who: Seat, move: Any) -> Any:
        (step,) = move.steps
        if not isinstance(step, Choose) or who == seat:
            return move
        swap = swaps[0]
        there = step._replace(slot2=swap.get(step.slot2, step.slot2), slot3=swap.get(step.slot3, step.slot3))
        return move._replace(steps=(there,))

    first, *later = map(swapped, swaps)
    arrange = [first, *([swapped(bilder)] if played.events[0].sternbilder else []), *later]
    return World(arrange, [(who, instead(who, move)) for who, move in played.moves])


def _places(sky: Any, pool_of: Mapping[str, int]) -> Iterator[list[str]]:
    """Yield the cards of each place, in an order that is the same in all worlds."""
    yield list(sky.deck)
    for hand, chosen in zip(sky.hands, sky.chosen, strict=True):
        yield list(chosen or ())
        yield sorted(hand, key=lambda card: pool_of.get(card, -1))


def _bilder(sky: Any) -> list[str]:
    return [*(bild for bild in sky.bilder.own if bild), *sky.bilder.deck]


WAYS = {"sternenhimmel": way_to_stars, "sternenglanz": way_to_cards}


def assert_is_possible(played: Played, seat: Seat, world: Any) -> None:
    """The game could have come to this state, and the seat would have seen exactly what it has seen."""
    game, way = played.rules, WAYS[played.game](played, seat, world)
    assert game.view(world, seat) == game.view(played.state, seat)
    assert game.to_act(world) == game.to_act(played.state)
    dice = Arranged(played.seed, way.arrange)
    events = game.setup(played.seats, played.options, dice)
    state = reduce(game.apply, events, None)
    for who, move in way.moves:
        happened = game.decide(state, who, move, dice)
        state = reduce(game.apply, happened, state)
        events += happened
    assert played._replace(events=events).story(seat) == played.story(seat)
    assert in_order(state) == in_order(world)


def in_order(sky: Any) -> Any:
    return sky._replace(hands=tuple(tuple(sorted(hand)) for hand in sky.hands))


# Every world comes up as often as it should


class _Shuffles(Exception):
    """A shuffle whose result is not fixed yet."""


class Fixed:
    """Dice with fixed shuffles."""

    def __init__(self, *orders: Sequence[Any]) -> None:
        self._orders = list(orders)

    def below(self, k: int) -> int:
        raise AssertionError("Only shuffles are random here.")

    def shuffled(self, things: Iterable[Any]) -> list[Any]:
        if not self._orders:
            raise _Shuffles(list(things))
        return list(self._orders.pop(0))


def all_worlds(
    played: Played, seat: Seat, roots: Iterable[Any], key: Callable[[Any], Any], known: Iterable[tuple[str, str]] = ()
) -> Counter[Any]:
    """Return how often each world comes up, by trying every hidden choice and every shuffle from the start on. `known`:
    the spaces whose stars were turned over later, so that no other star needs a try."""
    game, told = played.rules, _told_by_move(played, seat)
    worlds = [(root, 1.0) for root in roots]
    for (who, move), seen in zip(played.moves, told, strict=True):
        is_hidden = seen[0]["type"] in ("star-placed", "cards-chosen") and None in seen[0].values()
        is_open = not is_hidden or (seen[0].get("board"), seen[0].get("space")) in known
        after = []
        for state, weight in worlds:
            for each in [move] if is_open else _candidates(game, state, who, seen[0]):
                for events, share in _all_outcomes(game, state, who, each):
                    if [it for event in events if (it := game.tell(event, seat)) is not None] == seen:
                        after.append((reduce(game.apply, events, state), weight * share))
        worlds = after
    counts = Counter[Any]()
    for state, weight in worlds:
        counts[key(state)] += weight
    return counts


def _candidates(game: Rules, state: Any, who: Seat, seen: Json) -> list[Any]:
    """Return the legal moves that look like this one."""
    return [
        move
        for move in game.legal_moves(state, who)
        if all(seen.get(name, value) in (value, None) for name, value in game.move_to_json(move).items())
    ]


def _all_outcomes(game: Rules, state: Any, who: Seat, move: Any) -> Iterator[tuple[list[Any], float]]:
    try:
        yield game.decide(state, who, move, Fixed()), 1.0
    except IllegalMove:
        return  # this world has become impossible
    except _Shuffles as shuffles:
        (things,) = shuffles.args
        for order in permutations(things):
            yield game.decide(state, who, move, Fixed(order)), 1 / math.factorial(len(things))


def _told_by_move(played: Played, seat: Seat) -> Iterator[list[Json]]:
    """Yield what the seat was told of each move."""
    game, dice = played.rules, SeededDice(played.seed, ())
    state = reduce(game.apply, game.setup(played.seats, played.options, dice), None)
    for who, move in played.moves:
        events = game.decide(state, who, move, dice)
        state = reduce(game.apply, events, state)
        yield [it for event in events if (it := game.tell(event, seat)) is not None]


def assert_as_often(played: Played, seat: Seat, expected: Counter[Any], key: Callable[[Any], Any]) -> None:
    """Test samples against an enumeration with chi-square. Rare worlds count together."""
    number = min(20_000, max(1000, 12 * len(expected)))
    view, story, sample = played.rules.view(played.state, seat), played.story(seat), played.rules
    dice = SeededDice(played.seed, ())
    drawn = Counter(key(sample.resample(view, story, seat, dice)) for _ in range(number))  # type: ignore[attr-defined]  # optional
    assert drawn.keys() <= expected.keys()
    total, chi, cells, rare = sum(expected.values()), 0.0, 0, [0.0, 0.0]
    for world, weight in expected.items():
        due = number * weight / total
        if due < 5:
            rare[0] += due
            rare[1] += drawn[world]
        else:
            chi, cells = chi + (drawn[world] - due) ** 2 / due, cells + 1
    if rare[0] >= 5:
        chi, cells = chi + (rare[1] - rare[0]) ** 2 / rare[0], cells + 1
    if cells > 1:
        free = 2 / (9 * (cells - 1))
        assert ((chi / (cells - 1)) ** (1 / 3) - (1 - free)) / math.sqrt(free) < UNLIKELY  # Wilson and Hilferty


def stars_and_hands(sky: Any) -> Any:
    return frozenset((board, *it) for board, lying in sky.stars.items() for it in lying.items()), sky.hands


def with_hidden_stars(seed: int) -> tuple[Played, Seat]:
    """A position with two to four face-down stars of other seats. Some lie there since before a scoring."""
    rng = Random(seed)
    editions = list(GAMES["sternenhimmel"].describe()["editions"].values())
    while True:
        end, seat = rng.randint(6, 60), rng.randrange(3)
        for played in positions("sternenhimmel", rng.choice(editions), 3, rng.getrandbits(32)):
            if len(played.moves) == end:
                break
        spaces = [it for board in played.rules.view(played.state, seat)["boards"] for it in board["spaces"].values()]
        if 2 <= sum(it is not None and it["star"] is None for it in spaces) <= 4:
            return played, seat


def check_stars(seed: int) -> None:
    played, seat = with_hidden_stars(seed)
    known = {
        (it["board"], each["space"])
        for it in played.story(seat)
        if it["type"] == "board-scored"
        for each in it["placements"]
    }
    dice = SeededDice(played.seed, ())
    root = reduce(played.rules.apply, played.rules.setup(3, played.options, dice), None)
    expected = all_worlds(played, seat, [root], stars_and_hands, known)
    assert_as_often(played, seat, expected, stars_and_hands)
    view, story = played.rules.view(played.state, seat), played.story(seat)
    stacks = Counter[Any]()
    for n in range(500):
        sky = played.rules.resample(view, story, seat, SeededDice(bytes([n % 256, n // 256]), ()))  # type: ignore[attr-defined]  # optional
        assert sorted(sky.stack) == sorted(played.state.stack)
        stacks[sky.stack[:1]] += 1
    size = max(1, len(played.state.stack))
    assert all(abs(it - 500 / size) < UNLIKELY * math.sqrt(500 / size) for it in stacks.values())


def cards(sky: Any) -> Any:
    return tuple(tuple(sorted(hand)) for hand in sky.hands), sky.deck, sky.chosen, sky.bilder.own


SMALL_DECK = tuple(
    f"{kind}#{number}" for kind in ("geburt", "wanderung-2", "wanderung-3", "loch-a", "loch-b") for number in (1, 2)
)


@pytest.fixture
def small_deck(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten cards and hands of three, so that all deals can be tried."""
    for module in (
        rules,
        import_module("server.games.sternenglanz.resample"),
    ):  # the package has a function of that name
        monkeypatch.setattr(module, "ACTION_CARDS", SMALL_DECK)
    monkeypatch.setattr(rules, "CARDS", material.CARDS._replace(hand_size=3))


def check_cards(seed: int) -> None:
    rng = Random(seed)
    scenario, end, seat = rng.choice([1, 4]), rng.randint(1, 16), rng.randrange(2)
    for played in positions("sternenglanz", {"scenario": scenario}, 2, rng.getrandbits(32)):
        if len(played.moves) == end or (played.state.turn == 3 and played.state.phase == LAY):  # then cards run out
            break
    first, *dealt = [event for event in played.events if isinstance(event, CardsShuffled | HandDealt)]
    (own,) = [event for event in dealt if event.seat == seat]
    roots = list(_deals(played, first, own, seat))
    expected = all_worlds(played, seat, roots, cards)
    assert_as_often(played, seat, expected, cards)


def _deals(played: Played, first: Any, own: Any, seat: Seat) -> Iterator[Any]:
    """Yield the state after each deal in which the seat gets its own cards and Sternbild."""
    hidden = [card for card in SMALL_DECK if card not in own.cards]
    others = [event for event in played.events if NAME_OF[type(event)] in ("sternbild-drawn", "hand-dealt")][:4]
    for hand in combinations(hidden, 3):
        for deck in permutations(card for card in hidden if card not in hand):
            events = [
                HandDealt(it.seat, list(hand)) if isinstance(it, HandDealt) and it.seat != seat else it for it in others
            ]
            start = played.rules.apply(None, first._replace(deck=[*own.cards, *hand, *deck]))
            state = reduce(played.rules.apply, events, start)
            bilder = state.bilder
            if not bilder.own[1 - seat]:
                yield state
            for bild in [it for it in material.CARDS.sternbilder if it != bilder.own[seat]] if bilder.own[0] else []:
                rest = tuple(it for it in material.CARDS.sternbilder if it not in (bild, bilder.own[seat]))
                own_bilder = tuple(bild if it != seat else bilder.own[seat] for it in range(2))
                yield state._replace(bilder=bilder._replace(own=own_bilder, deck=rest))
