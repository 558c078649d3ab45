"""Invariants of every game of Sternenglanz, tested with many games, options and states.

RANDOM_GAMES sets the number per scenario and player count. Thousands take a quarter of an hour:

    RANDOM_GAMES=300 python -m pytest tests/rules/test_sternenglanz_checks.py -k random_game --timeout=0
"""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from functools import cache, reduce
from itertools import chain, pairwise, permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it ships none

from server.games import IllegalMove, Json, SeededDice
from server.games import sternenglanz as game
from server.games.sternenglanz.actions import _migration_moves
from server.games.sternenglanz.figures import lies_on
from server.games.sternenglanz.material import (
    ACTION_CARDS,
    ALL_FIELDS,
    CARDS,
    CARDS_DATA,
    FIELDS,
    FIRMAMENT,
    GAP,
    KIND_OF,
    PIECES,
    SLOTS,
    STARS,
    SUPERNOVA_CARDS,
    Fields,
    Sternbild,
    bits_of,
)
from server.games.sternenglanz.moves import (
    Choose,
    Finish,
    Lapse,
    LayCards,
    Move,
    SchwarzesLoch,
    Sterngeburt,
    Sternwanderung,
    Supernova,
)
from server.games.sternenglanz.options import READINGS
from server.games.sternenglanz.rules import REVEALING, checks_secrets
from server.games.sternenglanz.state import (
    Bilder,
    CardsDrawn,
    Event,
    GameDecided,
    State,
    SternbildCompleted,
    SupernovaGranted,
    SupernovaLaid,
    apply,
    occupied,
    supply,
)
from server.games.sternenglanz.views import NAME_OF
from tests.rules.positions import VECTORS, position

RANDOM_GAMES = int(os.environ.get("RANDOM_GAMES", "3"))
FEW = settings(max_examples=10, deadline=None, derandomize=True)
SOME = settings(max_examples=60, deadline=None, derandomize=True)
FULL = {"punkt": 28, "leucht": 14, "pracht": 6, "nova": 2}
LYING = {  # a board for each Sternbild
    vector["do"]["sternbild"]: vector["given"]["board"]
    for vector in VECTORS
    if vector["kind"] == "sternbild" and vector["expect"]["complete"]
}
KINDS = [(scenario, seats) for scenario in CARDS.scenarios for seats in game.SEATS]

Commit = tuple[State, int, Move, list[Event], State]


def commits(scenario: int, seats: int, seed: int, rounds: int = 12, is_staged: bool = True) -> Iterator[Commit]:
    """Yield a random game with random options, commit by commit: state, seat, move, events, next state.

    A staged one starts its first turn with another state and more points, so that more happens.
    """
    rng, dice = Random(seed), SeededDice(seed.to_bytes(4, "big"), ())
    options: Json = {name: rng.choice(list(values)) for name, (_, values) in READINGS.items()}
    events = game.setup(seats, {"scenario": scenario, "max_rounds": rounds, **options}, dice)
    state = reduce(apply, events, None)
    assert state is not None
    while waiting := game.to_act(state):
        if is_staged and state.turn == 1 and not state.log.performed:
            state = staged(state, rng)
        seat = rng.choice(sorted(waiting))
        move = picked(game.legal_moves(state, seat), rng)
        happened = game.decide(state, seat, move, dice)
        before, state = state, reduce(apply, happened, state)
        yield before, seat, move, happened, state


def picked(moves: list[Move], rng: Random) -> Move:
    """Return a move of a random kind, as paths outnumber lapses by far."""
    kind = rng.choice(list(dict.fromkeys(move.steps[0].do for move in moves)))
    return rng.choice([move for move in moves if move.steps[0].do == kind])


def staged(state: State, rng: Random) -> State:
    """Return the table full of stars, with only the stars of a Sternbild, or with none to remove."""
    fields = rng.sample(sorted(FIELDS), len(FIELDS))
    assert state.on_turn is not None
    bild = state.bilder.open or state.bilder.own[state.on_turn]
    boards: list[dict[str, str]] = [
        {fields.pop(): piece for piece, most in FULL.items() for _ in range(rng.randint(most // 2, most))},
        LYING[bild] if bild else {"a1": "leucht", "b1": "leucht", "b2": "leucht", "b3": "leucht"},
        {"a1": "pracht", "d1": "nova"},
    ]
    board = rng.choice(boards)
    points = tuple(rng.randrange(8, 29) for _ in state.points) if state.scenario.card_points else state.points
    return state._replace(stars=position({"board": board}).stars, points=points)


@pytest.mark.parametrize(("scenario", "seats"), KINDS)
def test_a_random_game_follows_the_rules_to_the_end(scenario: int, seats: int) -> None:
    for seed in range(RANDOM_GAMES):
        for before, seat, move, happened, state in commits(scenario, seats, seed, is_staged=seed > 0):
            check_cards_and_pieces(state)
            check_turn(before, seat, move, happened, state)
        assert game.outcome(state) is not None
        assert state.result is not None
        assert isinstance(happened[-1], GameDecided)


def test_an_event_is_applied_to_the_given_state() -> None:
    for before, seat, move, _, _ in commits(4, 3, 1):
        first = game.decide(before, seat, move, SeededDice(b"", ()))[0]
        other = before._replace(start=1 - before.start)
        assert apply(other, first) == apply(before, first)._replace(start=other.start)
        assert apply(before, first) == apply(before, first._replace())


def check_cards_and_pieces(state: State) -> None:
    assert occupied(state.stars) & ~ALL_FIELDS == 0
    lying = Counter(bit for piece in PIECES for bit in bits_of(state.stars[piece]))
    assert set(lying.values()) <= {1}
    assert all(supply(state, piece) >= 0 for piece in PIECES)
    assert min(state.points) >= 0
    places = (
        *state.hands,
        *state.slots,
        *state.discards,
        *(cards or () for cards in state.chosen),
        state.deck,
        state.reserve,
    )
    cards = Counter(card for place in places for card in place if card is not None)
    assert set(cards.values()) == {1}
    assert set(ACTION_CARDS) <= set(cards) <= set(KIND_OF)
    is_complete = state.options["supernovaRecycle"] == "deck" and state.scenario.supernova
    assert len(cards) == len(KIND_OF) or not is_complete
    for slot1, slot2, slot3 in state.slots:
        assert {slot2, slot3}.isdisjoint(SUPERNOVA_CARDS)
        assert state.turn == 0 or slot3 is not None
        assert slot1 is None or state.turn > 0
    known = [state.bilder.open, *state.bilder.own, *chain.from_iterable(state.bilder.done), *state.bilder.deck]
    bilder = [bild for bild in known if bild is not None]
    assert sorted(bilder) == ([] if state.scenario.sternbild == "none" else sorted(CARDS.sternbilder))


def check_turn(before: State, seat: int, move: Move, happened: list[Event], state: State) -> None:
    assert happened[0].seat == seat
    assert game.move_of(happened) == move
    assert game.move_from_json(json.loads(json.dumps(game.move_to_json(move)))) == move
    assert game.read_move(game.write_move(move)) == move
    waiting = game.to_act(state)
    assert (game.outcome(state) is None) == bool(waiting)
    assert all(game.legal_moves(state, other) for other in waiting)
    assert not any(game.legal_moves(state, other) for other in range(len(state.points)) if other not in waiting)
    assert game.is_mid_turn(state, seat) == (state.turn == before.turn > 0 and bool(waiting))
    assert not any(game.is_mid_turn(state, other) for other in range(len(state.points)) if other != seat)
    if state.turn > before.turn > 0:
        assert len(state.hands[seat]) >= CARDS.hand_size
        assert waiting == {(seat + 1) % len(state.points)}
    for event in happened:
        body = json.loads(json.dumps(event._asdict()))
        assert game.EVENTS[NAME_OF[type(event)]](**body) == event


@cache
def validators() -> dict[str, Draft202012Validator]:
    return {type_: Draft202012Validator(schema) for type_, schema in game.EVENT_SCHEMAS.items()}


@pytest.mark.parametrize(("scenario", "seats"), KINDS)
def test_views_and_events_match_their_schemas(scenario: int, seats: int) -> None:
    is_view, is_move = Draft202012Validator(game.VIEW_SCHEMA), Draft202012Validator(game.MOVE_SCHEMA)
    kinds_told = set()
    for before, _, move, happened, state in commits(scenario, seats, seed=7, rounds=6):
        for viewer in (0, None):
            for event in happened:
                told = game.tell(event, viewer)
                assert told is not None
                assert told["seat"] == event.seat
                if told["type"] not in kinds_told or viewer is None:
                    validators()[told["type"]].validate(json.loads(json.dumps(told)))
                kinds_told.add(told["type"])
            if before.turn < state.turn or state.result:
                is_view.validate(json.loads(json.dumps(game.view(state, viewer))))
                is_move.validate(game.move_to_json(move))
    assert kinds_told <= set(game.EVENT_SCHEMAS)


def test_random_games_cover_every_kind_of_event() -> None:
    seen: Counter[type] = Counter()
    for number, (scenario, seats) in enumerate(KINDS * 3):
        for _, _, _, happened, _ in commits(scenario, seats, seed=number, rounds=8):
            seen.update(map(type, happened))
    opening = {kind for n in (1, 3, 4) for kind in map(type, game.setup(2, {"scenario": n}, SeededDice(b"", ())))}
    assert {kind.__name__ for kind in game.EVENTS.values()} == {kind.__name__ for kind in {*seen, *opening}}
    assert min(seen[kind] for kind in (SternbildCompleted, SupernovaLaid, SupernovaGranted)) > 1


# R4 to R6: exactly the moves that are not refused are legal


@FEW
@given(st.sampled_from(KINDS), st.integers(0, 2**16))
def test_legal_moves_are_exactly_the_accepted_moves(kind: tuple[int, int], seed: int) -> None:
    rng = Random(seed)
    for before, seat, *_ in commits(*kind, seed, rounds=4):
        if rng.random() < 0.06:
            legal = game.legal_moves(before, seat)
            assert len(set(legal)) == len(legal)
            moves = {*rng.sample(every_move(), 600), *moves_with_cards(before, seat)}
            assert moves & set(legal) == {move for move in moves if is_allowed(before, seat, move)}
            assert all(is_allowed(before, seat, move) for move in rng.sample(legal, min(40, len(legal))))
            assert all(may_be_begun(before, seat, move) == (move in legal) for move in moves_with_cards(before, seat))


@cache
def every_move() -> list[Move]:
    """Return all actions, legal or not. A few paths lead nowhere."""
    actions: list[Any] = [Finish()]
    for slot in SLOTS:
        actions += [Lapse(slot), *(Sterngeburt(slot, star, field) for star in STARS for field in FIELDS)]
        actions += [kind(slot, field) for kind in (SchwarzesLoch, Supernova) for field in FIELDS]
        actions += [Sternwanderung(slot, (here, there, here)) for here, there in FIRMAMENT.lines]
    moves = [Move((action,)) for action in actions]
    paths = [
        move
        for slot in SLOTS
        for steps in (2, 3)
        for found in _migration_moves(slot, steps).values()
        for _, move in found
    ]
    return moves + paths


def moves_with_cards(state: State, seat: int) -> list[Move]:
    cards: list[Any] = [None, *state.hands[seat], *(card for card in state.slots[seat] if card), "geburt#1"]
    laid = [Move((LayCards(drop, a, b),)) for drop in (False, True) for a in cards for b in cards]
    return [*laid, *(Move((Choose(*pair),)) for pair in permutations(cards[1:], 2))]


def is_allowed(state: State, seat: int, move: Move) -> bool:
    try:
        return bool(game.decide(state, seat, move, SeededDice(b"", ())))
    except IllegalMove:
        return False


def may_be_begun(state: State, seat: int, move: Move) -> bool:
    try:
        return isinstance(game.legal_moves(state, seat, [move]), list)
    except IllegalMove:
        return False


@FEW
@given(st.sampled_from(KINDS), st.integers(0, 2**16))
def test_a_turn_has_the_same_result_in_one_move_and_step_by_step(kind: tuple[int, int], seed: int) -> None:
    turn: list[tuple[State, int, Move, list[Event], State]] = []
    for commit in commits(*kind, seed, rounds=6):
        state, seat, *_, after = commit
        turn = [*turn, commit] if turn and game.is_mid_turn(state, seat) else [commit]
        if len(turn) > 1 and not any(isinstance(event, CardsDrawn) for event in commit[3]):
            check_at_once(turn, after)


def check_at_once(turn: list[Commit], after: State) -> None:
    before, seat, *_ = turn[0]
    at_once = Move(tuple(step for commit in turn for step in commit[2].steps))
    events = [event for commit in turn for event in commit[3]]
    shown = [event for commit in turn[:-1] for event in commit[3] if isinstance(event, REVEALING)]
    begun = [commit[2] for commit in turn]
    if shown or (checks_secrets(before) and any(not isinstance(step, Lapse | Finish) for step in at_once.steps[:-1])):
        with pytest.raises(IllegalMove) as refused:
            game.decide(before, seat, at_once, SeededDice(b"", ()))
        assert refused.value.code == "reveals"
        assert len(turn) > 2 or game.legal_moves(before, seat, begun[:-1]) == []
    else:
        assert game.decide(before, seat, at_once, SeededDice(b"", ())) == events
        assert game.move_of(events) == at_once
        assert begun[-1] in game.legal_moves(before, seat, begun[:-1])


# R8.1: figures


def naive(bild: Sternbild, stars: dict[str, Fields], is_induced: bool) -> list[dict[int, str]]:
    """Yield every placement of the Sternbild, found node by node in the plainest way."""
    lines = {frozenset(line) for line in bild.lines}
    on = {field.id: GAP for field in FIELDS.values()}
    on |= {field.id: piece for field in FIELDS.values() for piece in PIECES if stars[piece] & field.bit}
    ways: list[dict[int, str]] = [{}]
    for node, is_ in enumerate(bild.nodes):
        ways = [
            {**way, node: field}
            for way in ways
            for field in FIELDS
            if on[field] == is_ and field not in way.values() and _fits(bild, lines, way, node, field, is_induced)
        ]
    return ways


def _fits(
    bild: Sternbild, lines: set[frozenset[int]], way: dict[int, str], node: int, field: str, is_induced: bool
) -> bool:
    for other, there in way.items():
        is_joined = (field, there) in FIRMAMENT.lines
        if frozenset((node, other)) in lines and not is_joined:
            return False
        if is_induced and is_joined and frozenset((node, other)) not in lines and GAP not in _both(bild, node, other):
            return False
    return True


def _both(bild: Sternbild, node: int, other: int) -> tuple[str, str]:
    return bild.nodes[node], bild.nodes[other]


@SOME
@given(st.sampled_from(sorted(CARDS.sternbilder)), st.booleans(), st.integers(0, 2**16))
def test_figures_are_found_exactly_where_a_brute_force_search_finds_them(
    bild: str, is_induced: bool, seed: int
) -> None:
    rng = Random(seed)
    near = [FIELDS["a1"].bit]
    while len(near) < 16:  # a cluster of stars, so that some figures lie and some do not
        near.append(rng.choice([bit for at in near for bit in bits_of(field_at(at)) if bit not in near] or [near[0]]))
    pieces = rng.choices(["punkt", "leucht", "pracht", "gap"], [8, 6, 2, 3], k=len(near))
    stars = {piece: sum({bit for bit, is_ in zip(near, pieces, strict=True) if is_ == piece}) for piece in PIECES}
    ways = naive(CARDS.sternbilder[bild], stars, is_induced)
    found = lies_on(CARDS.sternbilder[bild], stars, is_induced)
    assert (found is not None) == bool(ways)
    for field in rng.sample(list(FIELDS), 12):
        touching = lies_on(CARDS.sternbilder[bild], stars, is_induced, FIELDS[field].bit)
        assert (touching is not None) == any(field in way.values() for way in ways)
        assert touching is None or field in touching


def field_at(bit: Fields) -> Fields:
    return next(field.near for field in FIELDS.values() if field.bit == bit)


# R12: worlds that differ only in a viewer's blind spots give that viewer the same answers


@FEW
@given(st.sampled_from(KINDS), st.integers(0, 2**16))
def test_hidden_information_cannot_be_inferred(kind: tuple[int, int], seed: int) -> None:
    rng = Random(seed)
    for before, seat, move, _, _ in commits(*kind, seed, rounds=4):
        if rng.random() < 0.2:
            for viewer in (*range(kind[1]), None):
                elsewhere = exchanged(before, viewer, rng)
                assert game.view(before, viewer) == game.view(elsewhere, viewer)
                if viewer is not None:
                    assert game.legal_moves(before, viewer) == game.legal_moves(elsewhere, viewer)
                if viewer == seat:
                    check_same_answers(before, elsewhere, seat, move)


def exchanged(state: State, viewer: int | None, rng: Random) -> State:
    """Return the table with hidden cards and secret Sternbilder shuffled."""
    others = [seat for seat in range(len(state.points)) if seat != viewer]
    novas = [{card for card in state.hands[seat] if card in SUPERNOVA_CARDS} for seat in others]
    hidden = [card for card in state.deck if card not in SUPERNOVA_CARDS]
    hidden += [card for seat in others for card in state.hands[seat] if card not in SUPERNOVA_CARDS]
    hidden += [card for seat in others for card in state.chosen[seat] or ()]
    rng.shuffle(hidden)
    deal = iter(hidden)
    hands, chosen = list(state.hands), list(state.chosen)
    for seat, held in zip(others, novas, strict=True):
        hands[seat] = tuple(card if card in held else next(deal) for card in state.hands[seat])
        chosen[seat] = state.chosen[seat] and (next(deal), next(deal))
    deck = tuple(card if card in SUPERNOVA_CARDS else next(deal) for card in state.deck)
    return state._replace(hands=tuple(hands), chosen=tuple(chosen), deck=deck, bilder=other_bilder(state, viewer, rng))


def other_bilder(state: State, viewer: int | None, rng: Random) -> Bilder:
    bilder = state.bilder
    is_secret = state.scenario.sternbild == "own-secret" and state.result is None
    secret = [seat for seat, bild in enumerate(bilder.own) if is_secret and bild and seat != viewer]
    hidden = [*bilder.deck, *(bild for seat in secret if (bild := bilder.own[seat]))]
    rng.shuffle(hidden)
    own = tuple(hidden.pop() if seat in secret else bild for seat, bild in enumerate(bilder.own))
    return bilder._replace(deck=tuple(hidden), own=own)


def check_same_answers(state: State, elsewhere: State, seat: int, move: Move) -> None:
    """Compare what a player learns before a move, of the move and of moves that begin with it."""
    foreseen = [game.preview(it, seat, game.decide(it, seat, move, SeededDice(b"", ()))) for it in (state, elsewhere)]
    assert foreseen[0] == foreseen[1]
    for further in (Finish(), Lapse(3), Sterngeburt(1, "punkt", "a1"), LayCards(False, None, None)):
        longer = Move((*move.steps, further))
        assert answer(state, seat, longer) == answer(elsewhere, seat, longer)
        assert next_steps(state, seat, move) == next_steps(elsewhere, seat, move)


def answer(state: State, seat: int, move: Move) -> str:
    try:
        game.decide(state, seat, move, SeededDice(b"", ()))
    except IllegalMove as refused:
        return f"{refused.code} {refused.text}"
    return "played"


def next_steps(state: State, seat: int, move: Move) -> list[Move]:
    return game.legal_moves(state, seat, [move])


# R13: the notation


def any_step() -> st.SearchStrategy[Any]:
    slots, fields, cards = st.sampled_from(SLOTS), st.sampled_from(sorted(FIELDS)), st.sampled_from(sorted(KIND_OF))
    return st.one_of(
        st.builds(Choose, cards, cards, do=st.just("choose")),
        st.builds(Sterngeburt, slots, st.sampled_from(STARS), fields, do=st.just("lay")),
        st.builds(Sternwanderung, slots, st.lists(fields, min_size=2, max_size=4).map(tuple), do=st.just("move")),
        st.builds(SchwarzesLoch, slots, fields, do=st.just("remove")),
        st.builds(Supernova, slots, fields, do=st.just("nova")),
        st.builds(Lapse, slots, do=st.just("lapse")),
        st.just(Finish()),
        st.builds(LayCards, st.booleans(), st.none() | cards, st.none() | cards, do=st.just("lay-cards")),
    )


@SOME
@given(st.lists(any_step(), min_size=1, max_size=4).map(lambda steps: Move(tuple(steps))))
def test_parsing_a_written_move_returns_the_same_move(move: Move) -> None:
    assert game.read_move(game.write_move(move)) == move
    assert game.read_move(game.write_move(move).upper()) == move
    as_json = json.loads(json.dumps(game.move_to_json(move)))
    assert game.move_from_json(as_json) == move
    Draft202012Validator(game.MOVE_SCHEMA).validate(as_json)


# S3: owners of the printed game can replace the data files without changing code

OTHER_GAMES = """
from functools import reduce
from random import Random
from server.games import SeededDice, sternenglanz as game
from server.games.sternenglanz.actions import ways

for scenario in (1, 7):
    dice, rng = SeededDice(b"", ()), Random(scenario)
    state = reduce(game.apply, game.setup(3, {"scenario": scenario, "max_rounds": 15}, dice), None)
    while waiting := game.to_act(state):
        seat = min(waiting)
        move = rng.choice(game.legal_moves(state, seat))
        assert game.read_move(game.write_move(move)) == move
        state = reduce(game.apply, game.decide(state, seat, move, dice), state)
        game.view(state, seat)
    assert game.outcome(state)
    assert len(state.hands[0]) == 6
    print(max(len(move.steps[0].path) for move in ways(state._replace(slots=(("fernweh#1",) * 3,)), 0, 1)))
"""


def test_a_game_with_different_data_can_be_played_without_code_changes(tmp_path: Path) -> None:
    shutil.copytree(Path(game.__file__).parents[2], tmp_path / "server")
    data = tmp_path / "server" / "games" / "sternenglanz"
    rows = [[f"{row}{place}" for place in range(1, 8)] for row in "pqrstu"]
    lines = [[a, b] for row in rows for a, b in pairwise(row)]
    lines += [[a, b] for upper, lower in pairwise(rows) for a, b in zip(upper, lower, strict=True)]
    lines += [[a, b] for upper, lower in pairwise(rows) for a, b in zip(upper, lower[1:], strict=False)]
    fields = [{"id": field, "x": 0.5, "y": 0.5, "bonus": 2} for row in rows for field in row]
    firmament = {"id": "grid", "start": "r4", "fields": fields, "lines": lines}
    cards = deepcopy(CARDS_DATA)
    cards |= {"id": "printed", "handSize": 6, "supernovaAt": 3, "limits": dict.fromkeys(PIECES, 9)}
    cards["birthNeeds"]["pracht"] = {"class": "punkt", "count": 2}
    cards["actions"][1] |= {"id": "fernweh", "steps": [1, 4]}
    cards["scenarios"] = [cards["scenarios"][0], {**cards["scenarios"][3], "id": 7}]
    (data / "firmament.json").write_text(json.dumps(firmament))
    (data / "cards.json").write_text(json.dumps(cards))
    played = subprocess.run(
        [sys.executable, "-c", OTHER_GAMES], check=False, cwd=tmp_path, capture_output=True, text=True
    )
    assert (played.returncode, played.stdout.split()) == (0, ["5", "5"]), played.stderr
