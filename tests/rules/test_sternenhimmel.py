"""Sternenhimmel, sentence by sentence. Sections refer to its specification."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from server.games import BadOption, IllegalMove, Json, MalformedMove, Outcome, SeededDice
from server.games import sternenhimmel as game
from server.games.sternenhimmel.material import BOARDS, STAR_SET, STARS, Board, Lying, Space, load_boards
from server.games.sternenhimmel.moves import Placement
from server.games.sternenhimmel.options import EDITIONS, OPTIONS
from server.games.sternenhimmel.scoring import score
from server.games.sternenhimmel.state import (
    BoardDealt,
    BoardScored,
    BoardsShuffled,
    Event,
    SeatSkipped,
    StarPlaced,
    State,
)
from server.translations import LOCALES

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "vectors" / "sternenhimmel.json").read_text("utf-8"))
DICE = SeededDice(b"a seed", ())


def night(*boards: str, seats: int = 3, start: int = 0, stack: Sequence[str] = (), **options: Any) -> State:
    """Start a game with these boards in play."""
    resolved = game.resolve_options(options, seats)
    sky = game.apply(None, BoardsShuffled(seats, resolved, [*boards, *stack], start))
    for slot, board in enumerate(boards):
        sky = game.apply(sky, BoardDealt(board, slot))
    return sky


def after(sky: State, *lines: str) -> State:
    for line in lines:
        for event in play(sky, line):
            sky = game.apply(sky, event)
    return sky


def play(sky: State, line: str, seat: int | None = None) -> list[Event]:
    mover = sky.on_turn if seat is None else seat
    assert mover is not None
    return game.decide(sky, mover, game.read_move(line), DICE)


def refusal(sky: State, line: str, seat: int | None = None) -> IllegalMove:
    with pytest.raises(IllegalMove) as refused:
        play(sky, line, seat)
    return refused.value


THREE = ("leo", "aries", "cancer")


# 2. Setup


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_every_seat_begins_with_one_set_of_stars_and_no_coins(seats: int) -> None:
    sky = _begun(game.setup(seats, {}, DICE))
    assert sky.hands == (STAR_SET,) * seats
    assert sky.coins == (0,) * seats


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_one_board_per_seat_comes_into_play_and_the_others_form_the_stack(seats: int) -> None:
    shuffled, *dealt = game.setup(seats, {}, DICE)
    assert isinstance(shuffled, BoardsShuffled)
    assert sorted(shuffled.order) == sorted(BOARDS)
    assert dealt == [BoardDealt(board, slot) for slot, board in enumerate(shuffled.order[:seats])]
    sky = _begun([shuffled, *dealt])
    assert sky.slots == tuple(shuffled.order[:seats])
    assert sky.stack == tuple(shuffled.order[seats:])


@pytest.mark.parametrize("start_player", ["chosen", "oldest"])
def test_the_named_seat_begins(start_player: str) -> None:
    sky = _begun(game.setup(4, {"start_player": start_player, "start_seat": 2}, DICE))
    assert game.to_act(sky) == {2}


@pytest.mark.parametrize("start_player", ["chosen", "oldest", "random"])
def test_the_first_seat_is_drawn_if_none_is_named(start_player: str) -> None:
    first = {
        _begun(game.setup(3, {"start_player": start_player}, SeededDice(bytes([n]), ()))).on_turn for n in range(20)
    }
    assert first == {0, 1, 2}


def test_the_boards_are_shuffled_before_the_first_seat_is_drawn() -> None:
    dice = SeededDice(b"order", ())
    order, start = dice.shuffled(BOARDS), dice.below(5)
    shuffled = game.setup(5, {}, SeededDice(b"order", ()))[0]
    assert isinstance(shuffled, BoardsShuffled)
    assert (shuffled.order, shuffled.start) == (order, start)


def _begun(events: Sequence[Event]) -> State:
    sky = None
    for event in events:
        sky = game.apply(sky, event)
    assert sky is not None
    return sky


# 4. A turn


def test_a_turn_places_one_star_from_the_hand_on_one_empty_space() -> None:
    sky = after(night(*THREE), "7 leo c")
    assert sky.stars["leo"] == {"c": Lying(0, "7")}
    assert sky.hands[0] == ("1", "3", "5", "6", "10", "B", "D", "D")
    assert sky.hands[1:] == (STAR_SET, STAR_SET)


def test_any_board_in_play_can_be_chosen_however_many_stars_the_seat_has_there() -> None:
    sky = after(night(*THREE), "7 leo c", "1 aries a", "1 aries b", "10 leo d")
    assert sky.stars["leo"] == {"c": Lying(0, "7"), "d": Lying(0, "10")}


def test_every_kind_of_star_in_the_hand_can_be_placed_on_every_empty_space() -> None:
    sky = after(night(*THREE), "7 leo c")
    moves = game.legal_moves(sky, 1)
    empty = [(board, space) for board in THREE for space in BOARDS[board].spaces if (board, space) != ("leo", "c")]
    assert moves == [Placement(star, *where) for where in empty for star in STARS]


def test_a_seat_has_no_moves_out_of_turn_or_after_its_placement() -> None:
    sky = night(*THREE)
    assert game.legal_moves(sky, 1) == []
    begun = [Placement("7", "leo", "c")]
    assert game.legal_moves(sky, 0, begun) == []
    with pytest.raises(IllegalMove, match="It's not your turn."):
        game.legal_moves(sky, 0, [*begun, Placement("7", "leo", "d")])


def test_only_the_seat_whose_turn_it_is_can_place() -> None:
    refused = refusal(night(*THREE), "7 leo c", seat=1)
    assert (refused.code, refused.text) == ("not-your-turn", "It's not your turn.")


def test_a_star_must_be_placed_on_a_board_in_play() -> None:
    refused = refusal(night(*THREE), "7 virgo a")
    assert refused.code == "board-not-in-play"
    assert refused.text == "Virgo (Vir) is not in play. Constellations in play: Leo, Aries (Ari), Cancer (Cnc)."


def test_a_board_must_exist() -> None:
    with pytest.raises(IllegalMove, match="This constellation doesn't exist. Constellations in play: Leo") as refused:
        game.decide(night(*THREE), 0, Placement("7", "ophiuchus", "a"), DICE)
    assert refused.value.code == "board-not-in-play"


def test_a_space_must_exist() -> None:
    refused = refusal(night(*THREE), "7 aries z")
    assert (refused.code, refused.text) == (
        "unknown-space",
        "Aries (Ari) has no such space. Its spaces are a, b, c, d, e.",
    )


def test_a_space_holds_at_most_one_star() -> None:
    refused = refusal(after(night(*THREE), "7 leo c"), "1 leo c")
    assert (refused.code, refused.text) == ("space-taken", "Space c of Leo already holds a star.")


def test_a_star_must_be_in_the_hand() -> None:
    refused = refusal(after(night(*THREE), "7 leo c", "1 leo a", "1 leo b"), "7 leo d")
    assert (refused.code, refused.text) == (
        "star-not-in-hand",
        "You have no 7 in your hand. Your hand is 1 3 5 6 10 B D D.",
    )


def test_exactly_two_double_stars_can_be_placed() -> None:
    sky = after(night(*THREE), "D leo a", "1 leo b", "1 leo c", "D leo d", "3 leo e", "3 leo f")
    assert refusal(sky, "D leo g").code == "star-not-in-hand"


def test_nothing_can_be_placed_after_the_end() -> None:
    sky = after(night("aries"), "1 aries a", "1 aries b", "1 aries c", "3 aries d", "3 aries e")
    assert game.to_act(sky) == frozenset()
    assert all(game.legal_moves(sky, seat) == [] for seat in range(3))
    assert refusal(sky, "7 leo c", seat=0).code == "game-over"


# 4.1 Next seat


@pytest.mark.parametrize(("direction", "order"), [("clockwise", [0, 1, 2, 0]), ("counterclockwise", [0, 2, 1, 0])])
def test_turns_pass_around_the_table_in_the_chosen_direction(direction: str, order: list[int]) -> None:
    sky = night(*THREE, direction=direction)
    seen = [sky.on_turn]
    for line in ("1 leo a", "1 leo b", "1 leo c"):
        sky = after(sky, line)
        seen.append(sky.on_turn)
    assert seen == order


ALMOST_FULL = ("1 aries a", "1 aries b", "1 aries c", "3 aries d")


@pytest.mark.parametrize(
    ("direction", "resume", "completer", "following"),
    [
        ("clockwise", "next_in_direction", 1, [2, 0]),
        ("clockwise", "left_of_completer", 1, [2, 0]),
        ("counterclockwise", "next_in_direction", 2, [1, 0]),
        ("counterclockwise", "left_of_completer", 2, [0, 2]),  # to the left once, then on in the direction of play
    ],
)
def test_after_a_scoring_play_continues_as_the_option_says(
    direction: str, resume: str, completer: int, following: list[int]
) -> None:
    sky = after(night("leo", "aries", direction=direction, resume=resume), *ALMOST_FULL)
    assert sky.on_turn == completer
    sky = after(sky, "10 aries e")
    seen = [sky.on_turn, after(sky, "5 leo a").on_turn]
    assert seen == following


def test_seats_without_a_star_are_skipped() -> None:
    sky = night(*THREE)._replace(hands=(STAR_SET, (), STAR_SET))
    events = play(sky, "7 leo c")
    assert events == [StarPlaced(0, "leo", "c", "7", next=2), SeatSkipped(1)]
    assert game.to_act(after(sky, "7 leo c")) == {2}


def test_the_same_seat_continues_if_no_other_seat_has_a_star() -> None:
    sky = night(*THREE)._replace(hands=(STAR_SET, (), ()))
    assert play(sky, "7 leo c") == [StarPlaced(0, "leo", "c", "7", next=0), SeatSkipped(1), SeatSkipped(2)]


def test_hands_are_checked_after_a_scoring_has_returned_the_stars() -> None:
    sky = after(night("leo", "aries"), *ALMOST_FULL)  # seat 1 fills the board on which seat 2 has a star
    sky = sky._replace(hands=(*sky.hands[:2], ()))
    assert SeatSkipped(2) not in play(sky, "10 aries e")
    assert after(sky, "10 aries e").on_turn == 2


# 5. Scoring a full board, 6. Payments


@pytest.mark.parametrize("vector", VECTORS["vectors"], ids=lambda vector: vector["id"])
def test_a_scoring_matches_its_test_vector(vector: Json) -> None:
    options = game.resolve_options({"edition": vector["edition"], **vector.get("options", {})}, vector["players"])
    stars = {it["space"]: Lying(it["seat"], it["star"]) for it in vector["placements"]}
    coins = vector.get("coins_before", [0] * vector["players"])
    scored = score(_vector_board(vector["board"]), stars, options, coins)._asdict()
    assert {name: scored[name] for name in vector["expected"]} == vector["expected"]


def _vector_board(board: str) -> Board:
    entry = VECTORS["boards"][board]
    spaces = {it["id"]: Space(it["size"], 0, 0, None) for it in entry["spaces"]}
    lines = tuple((a, b) for a, b in entry["lines"])
    neighbours = {space: tuple(b if a == space else a for a, b in lines if space in (a, b)) for space in spaces}
    prizes = entry["prizes"]
    return Board(board, board, board, {}, prizes["first"], prizes["second"], spaces, lines, neighbours)


def test_a_full_board_is_scored_leaves_the_game_and_is_replaced_in_its_slot() -> None:
    sky = after(night("leo", "aries", "cancer", stack=("virgo", "libra")), *ALMOST_FULL)
    placed, scored, dealt = play(sky, "10 aries e")
    assert placed == StarPlaced(1, "aries", "e", "10", next=2)
    assert isinstance(scored, BoardScored)
    assert dealt == BoardDealt("virgo", 1)
    sky = after(sky, "10 aries e")
    assert sky.slots == ("leo", "virgo", "cancer")
    assert sky.stack == ("libra",)


def test_a_scoring_lists_every_star_with_its_space_and_owner() -> None:
    scored = play(after(night("leo", "aries"), *ALMOST_FULL), "10 aries e")[1]
    assert isinstance(scored, BoardScored)
    stars = zip("abcde", [0, 1, 2, 0, 1], ["1", "1", "1", "3", "10"], strict=True)
    assert scored.placements == [{"space": space, "seat": seat, "star": star} for space, seat, star in stars]


def test_all_stars_of_a_scored_board_return_to_their_owners_hands() -> None:
    sky = after(night("leo", "aries"), "B aries a", "B aries b", "1 aries c", "7 leo a", "3 aries d", "5 aries e")
    assert sky.hands[1:] == (STAR_SET, STAR_SET)
    assert sky.hands[0] == ("1", "3", "5", "6", "10", "B", "D", "D")  # all but the 7 on leo


def test_the_slot_stays_empty_when_the_stack_is_used_up() -> None:
    sky = after(night("leo", "aries", "cancer"), *ALMOST_FULL, "10 aries e")
    assert sky.slots == ("leo", None, "cancer")
    assert game.view(sky, 0)["boards"][1]["slot"] == 2


def test_a_scoring_pays_the_coins() -> None:
    sky = after(night("leo", "aries"), *ALMOST_FULL, "10 aries e")
    assert sky.coins == (3, 4, 1)  # totals 4, 11 and 1, prizes 5 and 3; seat 1 pays seat 2 for its star


# 7. The game never stalls: requirements for a set of boards


def board_set(**changes: Any) -> Json:
    """Return a set of five small boards with the first one changed."""
    return {"boards": [{**_entry(n), **(changes if n == 0 else {})} for n in range(5)]}


def _entry(number: int, size: int = 3) -> Json:
    spaces = [{"id": space, "size": "small", "x": 0.5, "y": 0.5, "star": None} for space in "abcdefghijklmnop"[:size]]
    prizes = {"first": 5, "second": 3}
    names = {"id": f"board{number}", "abbr": f"b{number}", "latin": "", "name": {}}
    return {**names, "prizes": prizes, "spaces": spaces, "lines": [["a", "b"], ["b", "c"]]}


def test_a_valid_set_of_boards_is_loaded() -> None:
    boards = load_boards(board_set())
    assert boards["board0"].neighbours == {"a": ("b",), "b": ("a", "c"), "c": ("b",)}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"id": "board1"}, "Two boards share the name board1."),
        ({"abbr": "B1"}, "Two boards share the name b1."),
        ({"spaces": [], "lines": []}, "The board board0 has no space."),
        ({"spaces": _entry(0)["spaces"] * 2}, "Two spaces of the board board0 share an id."),
        (
            {"spaces": [{**space, "size": "huge"} for space in _entry(0)["spaces"]]},
            "A space of the board board0 is neither large nor small.",
        ),
        ({"lines": [["a", "z"]]}, "A line of the board board0 does not join two different spaces of it."),
        ({"lines": [["a", "a"]]}, "A line of the board board0 does not join two different spaces of it."),
        ({"lines": [["a", "b"], ["b", "a"]]}, "The board board0 has the same line twice."),
        ({"prizes": {"first": 3, "second": 5}}, "The prizes of the board board0 are not positive"),
        ({"prizes": {"first": 3, "second": 0}}, "The prizes of the board board0 are not positive"),
        ({"prizes": {"first": 3}}, "The board board0 lacks 'second'."),
    ],
)
def test_a_faulty_board_is_rejected_with_an_explanation(changes: Json, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        load_boards(board_set(**changes))


def test_a_set_needs_a_board_for_every_seat() -> None:
    with pytest.raises(ValueError, match="5 players need 5 boards; the set has 4."):
        load_boards({"boards": [_entry(n) for n in range(4)]})


def test_a_set_whose_largest_boards_could_hold_all_stars_is_rejected() -> None:
    assert load_boards({"boards": [_entry(n, size=9) for n in range(5)]})
    assert load_boards({"boards": [_entry(0, 10), _entry(1, 10), _entry(2, 9), _entry(3, 9), _entry(4, 9)]})
    with pytest.raises(ValueError, match="could stall a game of 3: its 3 largest boards have 30 spaces, more than 29"):
        load_boards({"boards": [_entry(0, 10), _entry(1, 10), _entry(2, 10), _entry(3), _entry(4)]})


# 8. Options and editions

BY_EDITION = """
                    goldsieber-en      sargon-it          schloth-en         grignou-fr
doubling            linear             compound           compound           compound
compensation_payer  first              bank               first              bank
payer_limit         purse              winnings           winnings           winnings
first_tie           star_coins         nothing            star_coins         star_coins
second_tie_payer    bank               as_compensation    bank               as_compensation
sole_player         filled             remaining          remaining          remaining
direction           clockwise          counterclockwise   clockwise          clockwise
resume              next_in_direction  left_of_completer  left_of_completer  left_of_completer
start_player        oldest             random             chosen             chosen
"""


def test_an_edition_is_a_preset_of_all_options() -> None:
    editions, *rows = (line.split() for line in BY_EDITION.strip().splitlines())
    for column, edition in enumerate(editions, start=1):
        expected = {row[0]: row[column] for row in rows}
        resolved = game.resolve_options({"edition": edition}, 3)
        assert resolved == {"edition": edition, "boards": "zodiac", "start_seat": None, **expected}


def test_the_default_edition_is_schloth_en() -> None:
    assert game.resolve_options({}, 4) == game.resolve_options({"edition": "schloth-en"}, 4)


def test_each_option_can_be_set_on_its_own() -> None:
    for name, (_, values) in OPTIONS.items():
        for edition in EDITIONS:
            for value in values:
                expected = {**game.resolve_options({"edition": edition}, 5), name: value}
                assert game.resolve_options({"edition": edition, name: value}, 5) == expected


@pytest.mark.parametrize(
    "options", [{"start_seat": 3}, {"start_seat": 1.0}, {"start_player": "random", "start_seat": 1}]
)
def test_options_out_of_range_are_rejected(options: Json) -> None:
    with pytest.raises(BadOption):
        game.resolve_options(options, 3)


@pytest.mark.parametrize("seats", [2, 6, 0, -3, True, 3.0, "3", None])
def test_three_to_five_players_can_play(seats: Any) -> None:
    with pytest.raises(BadOption, match="Sternenhimmel is for 3, 4 or 5 players.") as refused:
        game.resolve_options({}, seats)
    assert refused.value.code == "bad-seats"


# 9. End of the game


def test_the_game_is_over_when_the_last_board_is_scored() -> None:
    sky = after(night("aries"), *ALMOST_FULL)
    assert game.outcome(sky) is None
    assert play(sky, "10 aries e")[0] == StarPlaced(1, "aries", "e", "10", next=None)
    assert game.outcome(after(sky, "10 aries e")) is not None


@pytest.mark.parametrize(
    ("coins", "places"),
    [((30, 20, 25), (1, 3, 2)), ((30, 30, 25), (1, 1, 3)), ((9, 30, 9), (2, 1, 2)), ((7, 7, 7), (1, 1, 1))],
)
def test_players_with_equal_coins_share_a_place(coins: tuple[int, ...], places: tuple[int, ...]) -> None:
    sky = after(night("aries"), *ALMOST_FULL, "10 aries e")._replace(coins=coins)
    assert game.outcome(sky) == Outcome(scores=coins, places=places)


# 10. Hidden information


def test_a_star_on_a_large_space_is_shown_only_to_its_owner() -> None:
    sky = after(night(*THREE), "7 leo a")
    assert BOARDS["leo"].spaces["a"].size == "large"
    assert [_seen(sky, viewer, "leo")["a"]["star"] for viewer in (0, 1, 2, None)] == ["7", None, None, None]
    assert [_seen(sky, viewer, "leo")["a"]["seat"] for viewer in (0, 1, 2, None)] == [0, 0, 0, 0]


def test_a_star_on_a_small_space_is_shown_to_every_viewer() -> None:
    sky = after(night(*THREE), "7 aries c")
    assert BOARDS["aries"].spaces["c"].size == "small"
    assert [_seen(sky, viewer, "aries")["c"] for viewer in (0, 1, None)] == [{"seat": 0, "star": "7"}] * 3


def _seen(sky: State, viewer: int | None, board: str) -> Json:
    spaces: Json = next(it["spaces"] for it in game.view(sky, viewer)["boards"] if it["board"] == board)
    return spaces


def test_a_hand_is_shown_only_to_its_owner() -> None:
    sky = after(night(*THREE), "7 leo a")
    assert game.view(sky, 0)["hand"] == ["1", "3", "5", "6", "10", "B", "D", "D"]
    assert game.view(sky, 1)["hand"] == list(STAR_SET)
    assert game.view(sky, None)["hand"] is None
    assert game.view(sky, 2)["hand_sizes"] == [8, 9, 9]


def test_the_stack_shows_only_how_many_boards_it_holds() -> None:
    this_way = night(*THREE, stack=("virgo", "libra"))
    that_way = night(*THREE, stack=("libra", "virgo"))
    assert game.view(this_way, 0)["stack"] == 2
    for viewer in (0, 1, 2, None):
        assert game.view(this_way, viewer) == game.view(that_way, viewer)


def test_a_view_has_exactly_the_expected_fields() -> None:
    sky = after(night("aries", stack=("leo",)), "7 aries c")
    empty = dict.fromkeys("abde")
    assert game.view(sky, 1) == {
        "boards": [{"board": "aries", "slot": 0, "spaces": {**empty, "c": {"seat": 0, "star": "7"}}}],
        "coins": [0, 0, 0],
        "hand": list(STAR_SET),
        "hand_sizes": [8, 9, 9],
        "stack": 1,
        "next": 1,
    }


def test_the_order_of_the_boards_is_never_revealed() -> None:
    shuffled = game.setup(3, {}, DICE)[0]
    assert [game.tell(shuffled, viewer) for viewer in (0, 1, 2, None)] == [None] * 4


def test_the_kind_of_a_face_down_star_is_revealed_only_to_its_owner() -> None:
    placed = StarPlaced(0, "leo", "a", "7", next=1)
    told = {"type": "star-placed", "seat": 0, "board": "leo", "space": "a"}
    assert game.tell(placed, 0) == {**told, "star": "7"}
    assert [game.tell(placed, viewer) for viewer in (1, 2, None)] == [{**told, "star": None}] * 3


def test_events_without_hidden_stars_are_the_same_for_every_viewer() -> None:
    scored = play(after(night("leo", "aries"), *ALMOST_FULL), "10 aries e")[1]
    for viewer in (0, 2, None):
        up = {"type": "star-placed", "seat": 0, "board": "aries", "space": "c", "star": "7"}
        assert game.tell(StarPlaced(0, "aries", "c", "7", next=1), viewer) == up
        dealt = {"type": "board-dealt", "seat": None, "board": "leo", "slot": 2}
        assert game.tell(BoardDealt("leo", 2), viewer) == dealt
        assert game.tell(SeatSkipped(1), viewer) == {"type": "seat-skipped", "seat": 1}
        assert game.tell(scored, viewer) == {"type": "board-scored", **scored._asdict()}


# Moves in JSON and in one line


def test_a_move_in_json_has_star_board_and_space() -> None:
    move = {"star": "7", "board": "leo", "space": "c"}
    assert game.move_from_json(move) == Placement("7", "leo", "c")
    assert game.move_to_json(Placement("7", "leo", "c")) == move


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (None, "not-an-object"),
        ([], "not-an-object"),
        ("7 leo c", "not-an-object"),
        ({}, "missing-field"),
        ({"star": "7", "board": "leo"}, "missing-field"),
        ({"star": "7", "board": "leo", "where": "c"}, "missing-field"),
        ({"star": "7", "board": "leo", "space": "c", "seat": 1}, "unknown-field"),
        ({"star": 7, "board": "leo", "space": "c"}, "wrong-type"),
        ({"star": "7", "board": None, "space": "c"}, "wrong-type"),
        ({"star": "7", "board": "leo", "space": ["c"]}, "wrong-type"),
        ({"star": ["7"], "board": "leo", "space": "c"}, "wrong-type"),
        ({"star": "4", "board": "leo", "space": "c"}, "unknown-star"),
        ({"star": "d", "board": "leo", "space": "c"}, "unknown-star"),
    ],
)
def test_json_objects_that_are_not_moves_are_rejected(data: Any, code: str) -> None:
    with pytest.raises(MalformedMove) as refused:
        game.move_from_json(data)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("7 leo c", Placement("7", "leo", "c")),
        ("10   Cnc  A", Placement("10", "cancer", "a")),
        (" d SCORPIO b ", Placement("D", "scorpio", "b")),
        ("B aqr g", Placement("B", "aquarius", "g")),
    ],
)
def test_a_move_can_be_written_in_one_line(text: str, move: Placement) -> None:
    assert game.read_move(text) == move
    assert game.read_move(game.write_move(move)) == move


def test_a_move_is_written_with_the_id_of_the_board() -> None:
    assert game.write_move(game.read_move("d Cnc a")) == "D cancer a"


@pytest.mark.parametrize("locale", LOCALES)
def test_a_move_is_written_and_read_with_the_name_of_the_board_in_each_language(locale: str) -> None:
    for board in BOARDS.values():
        move = Placement("7", board.id, "c")
        written = game.write_spoken(move, locale)
        assert board.names[locale].lower() in written
        for told in LOCALES:  # players also reply in another language
            assert game.read_spoken(written.upper(), told) == move
    assert game.write_spoken(move, "en") == game.write_move(move)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "This can't be read as a move. Write a star, a constellation and a space"),
        ("7 leo", "This can't be read as a move."),
        ("7 leo c please", "This can't be read as a move."),
        ("7\tleo\tc", "This can't be read as a move."),
        ("leo 7 c", "This star doesn't exist. The stars are 1, 3, 5, 6, 7, 10, B, D."),
        ("07 leo c", "This star doesn't exist"),
        ("7 le c", "This constellation doesn't exist. The constellations are aries, taurus,"),
        ("7, leo, c", "This star doesn't exist"),
    ],
)
def test_lines_that_are_not_moves_are_rejected_with_a_helpful_explanation(text: str, sentence: str) -> None:
    with pytest.raises(MalformedMove, match=sentence):
        game.read_move(text)
