"""Sternenglanz, sentence by sentence, where its worked cases are silent. Numbers refer to its specification."""

from collections.abc import Sequence
from copy import deepcopy
from functools import reduce
from typing import Any

import pytest

from server.games import BadOption, IllegalMove, Json, MalformedMove, Outcome, SeededDice
from server.games import sternenglanz as game
from server.games.sternenglanz.figures import lies_on
from server.games.sternenglanz.material import (
    ACTION_CARDS,
    CARDS,
    CARDS_DATA,
    FIELDS,
    FIRMAMENT_DATA,
    SUPERNOVA_CARDS,
    load_cards,
    load_firmament,
)
from server.games.sternenglanz.moves import Finish, Lapse, Move, SchwarzesLoch, Supernova
from server.games.sternenglanz.notation import EXAMPLES
from server.games.sternenglanz.state import (
    CardsChosen,
    CardsDrawn,
    CardsShuffled,
    ChoicesShown,
    DiscardsShuffled,
    Event,
    GameDecided,
    HandDealt,
    StarLaid,
    State,
    SternbildCompleted,
    SternbildDrawn,
    SternbildTurnedUp,
    SupernovaGranted,
    SupernovaLaid,
    TurnBegan,
    supply,
)
from tests.rules.positions import position


def new_game(seats: int = 2, **options: Any) -> State:
    sky = reduce(game.apply, game.setup(seats, {"start_seat": 0, **options}, SeededDice(b"a seed", ())), None)
    assert sky is not None
    return sky


def at(**given: Any) -> State:
    """Return a position in the notation of the worked cases, with slots as `tableau=(None, "geburt#1", "loch-a#1")`."""
    if "tableau" in given:
        given["tableau"] = dict(zip("123", given["tableau"], strict=True))
    return position(given)


def play(sky: State, line: str, seat: int = 0) -> list[Event]:
    return game.decide(sky, seat, game.read_move(line), SeededDice(b"", ()))


def after(sky: State, *lines: str) -> State:
    """Return the sky after the seats on turn played these lines."""
    for line in lines:
        assert sky.on_turn is not None
        sky = reduce(game.apply, play(sky, line, sky.on_turn), sky)
    return sky


def refusal(sky: State, line: str, seat: int = 0) -> IllegalMove:
    with pytest.raises(IllegalMove) as refused:
        play(sky, line, seat)
    return refused.value


def lines_open(sky: State, seat: int = 0) -> list[str]:
    return [game.write_move(move) for move in game.legal_moves(sky, seat)]


# R1 Material


def test_a_removed_piece_returns_to_the_supply() -> None:
    sky = at(board={"a1": "leucht", "b1": "punkt"}, tableau=(None, "loch-a#1", "geburt#1"))
    assert supply(after(sky, "2 remove a1"), "leucht") == supply(sky, "leucht") + 1 == CARDS.limits["leucht"]


def test_the_numbers_of_pieces_and_cards_follow_the_rules() -> None:
    assert CARDS.limits == {"punkt": 50, "leucht": 20, "pracht": 7, "nova": 5}
    amounts = {card.type: 0 for card in CARDS.kinds.values()}
    for card in CARDS.kinds.values():
        amounts[card.type] += card.amount
    assert amounts == {"sterngeburt": 12, "sternwanderung": 20, "schwarzes-loch": 12, "supernova": 4}
    assert (len(ACTION_CARDS), len(SUPERNOVA_CARDS), len(CARDS.sternbilder), len(FIELDS)) == (44, 4, 8, 73)


# R3 Set-up


@pytest.mark.parametrize("scenario", [1, 2, 3, 4])
def test_a_game_begins_with_a_punktstern_on_the_start_field_and_no_points(scenario: int) -> None:
    sky = new_game(3, scenario=scenario)
    assert game.view(sky, None)["board"] == {"a1": "punkt"}
    assert sky.points == (0, 0, 0)


@pytest.mark.parametrize(("scenario", "cards"), [(1, 4), (2, 0), (3, 0), (4, 4)])
def test_supernova_cards_are_in_reserve_only_in_scenarios_1_and_4(scenario: int, cards: int) -> None:
    assert len(new_game(scenario=scenario).reserve) == cards


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_five_cards_are_dealt_one_at_a_time_clockwise_from_the_start_player(seats: int) -> None:
    shuffled, *dealt = game.setup(seats, {"start_seat": 1}, SeededDice(b"", ()))
    assert isinstance(shuffled, CardsShuffled)
    assert sorted(shuffled.deck) == sorted(ACTION_CARDS)
    for place, hand in enumerate(dealt):
        assert hand == HandDealt((1 + place) % seats, [shuffled.deck[place + seats * n] for n in range(5)])
    sky = reduce(game.apply, [shuffled, *dealt], None)
    assert sky is not None
    assert sky.deck == tuple(shuffled.deck[5 * seats :])


def test_scenario_1_has_no_sternbilder() -> None:
    assert new_game(scenario=1).bilder == ((), None, (None, None), ((), ()))


@pytest.mark.parametrize(("scenario", "is_open"), [(2, True), (4, False)])
def test_in_scenarios_2_and_4_each_player_has_a_sternbild(scenario: int, is_open: bool) -> None:
    shuffled, *dealt = game.setup(3, {"scenario": scenario, "start_seat": 2}, SeededDice(b"", ()))
    assert isinstance(shuffled, CardsShuffled)
    assert dealt[3:] == [SternbildDrawn(seat, shuffled.sternbilder[n], is_open) for n, seat in enumerate((2, 0, 1))]


def test_in_scenario_3_one_sternbild_is_face_up_for_everyone() -> None:
    sky = new_game(scenario=3)
    assert sky.bilder.open is not None
    assert len(sky.bilder.deck) == 7


def test_the_start_player_is_drawn_before_the_cards_are_shuffled() -> None:
    dice = SeededDice(b"order", ())
    start, deck, bilder = dice.below(4), dice.shuffled(ACTION_CARDS), dice.shuffled(CARDS.sternbilder)
    shuffled = game.setup(4, {"scenario": 2}, SeededDice(b"order", ()))[0]
    assert isinstance(shuffled, CardsShuffled)
    assert (shuffled.start, shuffled.deck, shuffled.sternbilder) == (start, deck, bilder)


def choose_line(sky: State, seat: int) -> str:
    return f"choose {sky.hands[seat][0]} {sky.hands[seat][1]}"


def test_all_players_choose_simultaneously_and_then_the_start_player_begins() -> None:
    sky = new_game(3)
    assert game.to_act(sky) == {0, 1, 2}
    sky = reduce(game.apply, play(sky, choose_line(sky, 1), 1), sky)
    assert game.to_act(sky) == {0, 2}
    sky = reduce(game.apply, play(sky, choose_line(sky, 0), 0), sky)
    events = play(sky, choose_line(sky, 2), 2)
    assert [type(event) for event in events] == [CardsChosen, ChoicesShown, TurnBegan]
    sky = reduce(game.apply, events, sky)
    assert (sky.phase, sky.on_turn, sky.turn) == ("act", 0, 1)
    assert all(slots[0] is None and None not in slots[1:] for slots in sky.slots)
    assert [len(hand) for hand in sky.hands] == [3, 3, 3]


def test_choices_are_hidden_until_all_have_chosen() -> None:
    sky = new_game(2)
    line = choose_line(sky, 0)
    _, slot2, slot3 = line.split()
    (chosen,) = play(sky, line)
    hidden = {"type": "cards-chosen", "seat": 0, "slot2": None, "slot3": None}
    assert [game.tell(chosen, viewer) for viewer in (1, None)] == [hidden, hidden]
    assert game.tell(chosen, 0) == {**hidden, "slot2": slot2, "slot3": slot3}
    sky = game.apply(sky, chosen)
    assert game.view(sky, 0)["slots"] == [[None, slot2, slot3], [None, None, None]]
    assert game.view(sky, 1)["slots"] == game.view(sky, None)["slots"] == [[None, None, None]] * 2
    assert game.view(sky, 1)["chosen"] == [True, False]
    sky = reduce(game.apply, play(sky, choose_line(sky, 1), 1), sky)
    assert game.view(sky, None)["slots"][0] == [None, slot2, slot3]


def test_each_player_chooses_two_different_cards_from_the_hand_once() -> None:
    sky = new_game(2)
    card, other, *_ = sky.hands[0]
    assert refusal(sky, f"choose {card} {card}").code == "bad-cards"
    assert refusal(sky, f"choose {card} {sky.hands[1][0]}").code == "bad-cards"
    assert refusal(sky, "1 lay punkt b1").code == "wrong-phase"
    assert refusal(sky, "finish").code == "wrong-phase"
    assert refusal(sky, "lay - -").code == "wrong-phase"
    assert refusal(sky, f"choose {card} {other}; 1 lay punkt b1").code == "wrong-phase"
    assert len(game.legal_moves(sky, 0)) == 20
    sky = reduce(game.apply, play(sky, f"choose {card} {other}"), sky)
    assert refusal(sky, choose_line(sky, 0)).code == "not-your-turn"
    assert game.legal_moves(sky, 0) == []


# R4 Turn


def test_only_the_player_whose_turn_it_is_can_move() -> None:
    sky = at(board={"a1": "punkt"})
    assert refusal(sky, "1 lay punkt b1", seat=1).code == "not-your-turn"
    assert game.legal_moves(sky, 1) == []


def test_play_goes_clockwise() -> None:
    sky = at(scores=[0, 0, 0], current=2, board={"a1": "punkt"}, hands=[[], [], ["loch-a#2"]], deck=ACTION_CARDS)
    sky = after(sky, "1 lay punkt b1; 2 lay punkt b2; finish; lay loch-a#2 -")
    assert (sky.on_turn, sky.turn) == (0, 2)


def test_all_three_slots_can_be_performed_only_in_order() -> None:
    sky = at(board={"a1": "punkt"}, tableau=(None, "geburt#1", "geburt#2"))
    assert after(sky, "1 lay punkt b1; 2 lay punkt b2; 3 lay punkt b3").phase == "lay"
    assert after(sky, "2 lay punkt b1; 1 lay punkt b2").phase == "lay"
    assert refusal(sky, "1 lay punkt b1; 1 lay punkt b2").code == "slot-not-open"
    assert refusal(sky, "2 lay punkt b1; 2 lay punkt b2").code == "slot-not-open"


def test_after_slots_1_and_2_a_player_can_finish_or_go_on_with_3() -> None:
    sky = after(at(board={"a1": "punkt"}), "1 lay punkt b1; 2 lay punkt b2")
    assert sky.phase == "act"
    assert game.legal_moves(sky, 0)[-1] == Move((Finish(),))
    assert all(line.startswith("3 lay") for line in lines_open(sky)[:-1])
    assert after(sky, "finish").phase == "lay"


def test_a_slot_allows_only_the_action_on_its_card() -> None:
    sky = at(board={"a1": "punkt"}, tableau=("loch-a#1", "wanderung-2#1", "geburt#1"))
    assert refusal(sky, "1 lay punkt b1").code == "wrong-action"
    assert refusal(sky, "2 remove a1").code == "wrong-action"
    assert refusal(sky, "3 nova b1").code == "wrong-action"


def test_a_seat_is_in_the_middle_of_its_turn_from_the_first_action_to_the_last_card() -> None:
    sky = at(board={"a1": "punkt"}, hands=[["loch-a#2"], []], deck=ACTION_CARDS)
    assert [game.is_mid_turn(sky, seat) for seat in (0, 1)] == [False, False]
    for line in ("1 lay punkt b1", "2 lay punkt b2", "finish"):
        sky = after(sky, line)
        assert [game.is_mid_turn(sky, seat) for seat in (0, 1)] == [True, False]
    sky = after(sky, "lay loch-a#2 -")
    assert [game.is_mid_turn(sky, seat) for seat in (0, 1)] == [False, False]


def test_choosing_the_first_cards_is_not_part_of_a_turn() -> None:
    sky = new_game(2)
    for seat in (1, 0):
        assert not game.is_mid_turn(sky, seat)
        sky = reduce(game.apply, play(sky, choose_line(sky, seat), seat), sky)
    assert game.to_act(sky) == {0}
    assert not game.is_mid_turn(sky, 0)


def test_a_move_is_played_with_all_its_steps_or_not_at_all() -> None:
    sky = at(board={"a1": "punkt"})
    refused = refusal(sky, "1 lay punkt b1; 2 lay punkt b1")
    assert (refused.code, refused.text) == ("occupied", "Step 2: Space b1 is taken.")


def test_a_move_cannot_go_beyond_the_end_of_the_turn() -> None:
    sky = at(board={"a1": "punkt"}, hands=[["loch-a#2"] + ["geburt#9"] * 5, []])
    assert refusal(sky, "1 lay punkt b1; 3 lay punkt b2; lay loch-a#2 -; 1 lay punkt b3").code == "wrong-phase"


def test_a_step_after_the_end_of_the_game_is_rejected() -> None:
    sky = at(scores=[29, 0], board={"b1": "punkt", "b2": "punkt", "b3": "punkt"})
    assert refusal(sky, "1 lay leucht a1; 2 lay punkt c1").code == "game-over"


# R5.1 Sterngeburt


def test_the_dark_sky_accepts_only_a_punktstern() -> None:
    sky = at(board={"a1": "nova"}, tableau=(None, "loch-a#1", "loch-b#1"))
    births = [line for line in lines_open(sky) if " lay " in line]
    assert births == [f"1 lay punkt {field}" for field in FIELDS if field != "a1"]


def test_a_card_places_a_star_as_the_permanent_action_does() -> None:
    sky = at(board={"b1": "punkt", "b2": "punkt", "b3": "punkt"})
    assert play(sky, "1 lay leucht a1") == [StarLaid(0, 1, None, "leucht", "a1", 1)]
    assert play(sky, "2 lay leucht a1") == [StarLaid(0, 2, "geburt#1", "leucht", "a1", 1)]


# R5.2 Schwarzes Loch


def test_an_empty_field_has_nothing_to_remove_or_move() -> None:
    sky = at(board={"a1": "punkt"}, tableau=(None, "loch-a#1", "wanderung-2#1"))
    assert refusal(sky, "2 remove b1").code == "empty"
    assert refusal(sky, "3 move b1 c1 d1").code == "empty"


def test_a_supernova_cannot_be_removed_or_moved() -> None:
    sky = at(board={"a1": "nova"}, tableau=(None, "loch-a#1", "wanderung-2#1"))
    assert refusal(sky, "2 remove a1").code == "immovable"
    assert refusal(sky, "3 move a1 b1 c1").code == "immovable"


# R5.3 Sternwanderung


def test_removing_a_moved_star_deletes_its_trail_but_keeps_its_lines_closed() -> None:
    sky = at(board={"a1": "punkt", "b4": "punkt"}, tableau=("wanderung-2#1", "loch-a#1", "wanderung-2#2"))
    sky = after(sky, "1 move a1 b1 c1", "2 remove c1")
    assert sky.log.trails == {}
    assert sky.log.lines == ("a1-b1", "b1-c1")


def test_two_moves_of_one_star_make_one_trail() -> None:
    sky = at(board={"a1": "punkt"}, tableau=("wanderung-2#1", "wanderung-2#2", "geburt#1"))
    sky = after(sky, "1 move a1 b1 c1")
    assert refusal(sky, "2 move c1 b1 c2").code == "line-twice"
    assert "2 move c1 b1 c2" not in lines_open(sky)
    assert after(sky, "2 move c1 c2 b2").log.trails == {
        "b2": (("a1", "c1", "b2"), ("a1-b1", "b1-c1", "c1-c2", "b2-c2"))
    }


# R5.4 Supernova


def test_a_supernova_can_be_set_off_only_with_its_card_in_slot_1() -> None:
    sky = at(board={"a1": "punkt"}, tableau=("supernova#1", "geburt#1", "geburt#2"))
    assert refusal(sky, "1 lay punkt b1").code == "wrong-action"
    assert refusal(sky, "2 nova b1").code == "wrong-action"


def test_the_card_of_a_supernova_is_discarded_immediately() -> None:
    sky = at(board={"b1": "punkt", "b2": "pracht"}, tableau=("supernova#1", "geburt#1", "geburt#2"), scores=[20, 3])
    events = play(sky, "1 nova a1")
    assert events == [SupernovaLaid(0, 1, "supernova#1", "a1", [["b1", "punkt"], ["b2", "pracht"]], [], [4, 0])]
    sky = game.apply(sky, events[0])
    assert (sky.slots[0], sky.discards[0]) == ((None, "geburt#1", "geburt#2"), ("supernova#1",))
    assert game.view(sky, None)["board"] == {"a1": "nova"}
    assert supply(sky, "pracht") == 7


# R5.5 Ban within one turn


def test_stars_removed_by_a_supernova_cannot_be_placed_again_in_the_same_turn() -> None:
    board = {"b1": "punkt", "b2": "leucht", "c1": "punkt"}
    sky = after(at(board=board, tableau=("supernova#1", "geburt#1", "geburt#2")), "1 nova a1")
    assert refusal(sky, "2 lay punkt b1").code == "ban"
    assert "2 lay punkt b1" not in lines_open(sky)
    assert "2 lay punkt c2" in lines_open(sky)


def test_the_ban_on_placing_removed_stars_ends_with_the_turn() -> None:
    sky = at(
        board={"a1": "punkt", "b1": "punkt"},
        tableau=(None, "loch-a#1", "geburt#1"),
        hands=[["loch-a#2"] + ["geburt#9"] * 5, []],
    )
    sky = after(sky, "2 remove b1; 3 lay punkt b2; lay loch-a#2 -")
    assert (sky.on_turn, "1 lay punkt b1" in lines_open(sky, 1)) == (1, True)


# R5.6 Impossible actions


def test_a_slot_that_lapses_counts_as_performed_and_changes_nothing_else() -> None:
    sky = at(board={"a1": "pracht"}, tableau=(None, "loch-a#1", "geburt#1"))
    assert Move((Lapse(2),)) in game.legal_moves(sky, 0)
    after_it = after(sky, "2 lapse")
    assert after_it.log.slots == (2,)
    assert after_it._replace(log=sky.log) == sky


def test_a_slot_that_lapses_does_not_complete_a_sternbild() -> None:
    sky = at(scenario=2, board=OKULUS, bildOwn=["okulus", "anker"], tableau=("loch-a#1", "geburt#1", "geburt#2"))
    sky = sky._replace(log=sky.log._replace(laid=tuple((field, star) for field, star in OKULUS.items())))
    assert len(play(sky, "1 lapse")) == 1


# R6 Shift, lay and draw


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("lay - -", "bad-cards"),
        ("lay geburt#5 geburt#5", "bad-cards"),
        ("lay geburt#6 -", "bad-cards"),
        ("lay supernova#1 -", "bad-cards"),
        ("drop lay geburt#5 -", "bad-cards"),
        ("1 lay punkt b1", "wrong-phase"),
        ("finish", "wrong-phase"),
        ("choose geburt#5 loch-a#2", "wrong-phase"),
    ],
)
def test_slot_2_gets_an_action_card_from_the_hand_and_slot_1_optionally_another_card(line: str, code: str) -> None:
    hands = [["geburt#5", "loch-a#2", "supernova#1"], ["geburt#6"]]
    sky = at(phase="lay", tableau=(None, None, "loch-b#1"), hands=hands, board={"a1": "punkt"})
    assert refusal(sky, line).code == code
    assert line not in lines_open(sky)


def test_slot_2_accepts_no_card_if_it_is_filled() -> None:
    sky = at(phase="lay", tableau=(None, "loch-a#1", "loch-b#1"), hands=[["geburt#5"], []])
    assert refusal(sky, "lay geburt#5 -").code == "bad-cards"


def test_a_supernova_card_stays_in_slot_1_until_it_is_used_or_discarded() -> None:
    sky = at(phase="lay", tableau=("supernova#1", None, "loch-b#1"), hands=[["geburt#5", "loch-a#2"], []])
    assert refusal(sky, "lay geburt#5 loch-a#2").code == "bad-cards"
    dropped = after(sky._replace(deck=ACTION_CARDS), "drop lay geburt#5 loch-a#2")
    assert (dropped.slots[0], dropped.discards[0]) == (("loch-a#2", "geburt#5", "loch-b#1"), ("supernova#1",))


@pytest.mark.parametrize(("held", "drawn"), [(3, 3), (5, 1), (6, 0), (7, 0)])
def test_the_hand_is_filled_up_to_five_cards(held: int, drawn: int) -> None:
    deck = ("loch-b#1", "loch-b#2", "loch-b#3", "loch-b#4")
    hand = ["geburt#3", "geburt#4", "geburt#5", "geburt#6", "geburt#7", "geburt#8", "supernova#1"]
    sky = at(phase="lay", tableau=(None, None, "loch-a#1"), hands=[hand[:held], []])._replace(deck=deck)
    events = play(sky, "lay geburt#3 -")
    assert [event for event in events if isinstance(event, CardsDrawn)] == (
        [CardsDrawn(0, list(deck[:drawn]))] if drawn else []
    )


def test_the_deck_is_reshuffled_only_when_a_card_must_be_drawn() -> None:
    sky = at(phase="lay", tableau=(None, None, "loch-a#1"), hands=[["geburt#3", "geburt#4"], []])
    sky = sky._replace(deck=("loch-b#1", "loch-b#2", "loch-b#3", "loch-b#4"), discards=(("geburt#9",), ()))
    sky = after(sky, "lay geburt#3 -")
    assert (sky.deck, sky.discards) == ((), (("geburt#9",), ()))


# R7 Points


def test_a_players_points_never_fall_below_0() -> None:
    novas = {"f1": "nova", "f3": "nova", "f5": "nova", "f7": "nova"}
    sky = at(
        board=novas,
        tableau=("supernova#1", "geburt#1", "geburt#2"),
        scores=[0, 0, 1],
        options={"supernovaMalus": "everyone"},
    )
    (laid,) = play(sky, "1 nova a1")
    assert isinstance(laid, SupernovaLaid)
    assert laid.points == [4, 0, -1]


def test_a_special_field_gives_its_bonus_each_time() -> None:
    board = {"e3": "punkt", "f3": "punkt", "f5": "punkt", "f4": "leucht"}
    sky = at(board=board, tableau=(None, "loch-c#1", "geburt#1"))
    sky = after(sky, "2 remove f4")
    assert refusal(sky, "1 lay leucht f4").code == "ban"
    (laid,) = play(sky._replace(log=sky.log._replace(removed=())), "3 lay leucht f4")[:1]
    assert isinstance(laid, StarLaid)
    assert laid.points == 4


# R8 Sternbilder

OKULUS = {"f4": "pracht", "f3": "leucht", "f2": "punkt", "e2": "punkt", "d3": "punkt", "e3": "leucht"}
BUT_E2 = {field: star for field, star in OKULUS.items() if field != "e2"}


def test_the_event_of_a_completed_sternbild_names_the_fields_that_it_covers() -> None:
    fields = lies_on(CARDS.sternbilder["okulus"], at(board=OKULUS).stars)
    assert fields is not None
    assert set(fields) == {*OKULUS, "f5"}


def test_when_a_common_sternbild_is_completed_the_next_is_turned_face_up() -> None:
    sky = at(scenario=3, board=BUT_E2, bildOpen="okulus", bildDeck=["anker", "kelch"])
    _, completed, turned_up = play(sky, "2 lay punkt e2")
    assert isinstance(completed, SternbildCompleted)
    assert (completed.seat, completed.sternbild, completed.points) == (0, "okulus", 5)
    assert turned_up == SternbildTurnedUp("anker")


def test_a_completed_secret_sternbild_is_revealed_and_the_next_is_drawn_secretly() -> None:
    sky = at(scenario=4, board=BUT_E2, bildOwn=["okulus", "waage"], bildDeck=["anker", "kelch"])
    _, completed, drawn = play(sky, "2 lay punkt e2")
    assert [game.tell(completed, viewer) for viewer in (0, 1, None)] == [
        {"type": "sternbild-completed", **completed._asdict()}
    ] * 3
    hidden = {"type": "sternbild-drawn", "seat": 0, "sternbild": None, "open": False}
    assert [game.tell(drawn, viewer) for viewer in (0, 1, None)] == [{**hidden, "sternbild": "anker"}, hidden, hidden]
    sky = reduce(game.apply, (completed, drawn), sky)
    assert sky.bilder == (("kelch",), None, ("anker", "waage"), (("okulus",), ()))


def test_a_player_who_completes_the_last_sternbild_continues_without_one() -> None:
    sky = at(scenario=4, board=BUT_E2, bildOwn=["okulus", "waage"], bildDeck=[])
    sky = after(sky, "2 lay punkt e2")
    assert sky.bilder.own == (None, "waage")
    assert game.view(sky, 1)["sternbilder"]["own"] == [None, {"sternbild": "waage"}]
    assert after(sky, "1 lay punkt c2").phase == "lay"


def test_a_new_sternbild_card_is_checked_after_the_next_action() -> None:
    sky = at(scenario=4, board=BUT_E2, bildOwn=["okulus", "waage"], bildDeck=["okulus"])
    sky = after(sky, "2 lay punkt e2")
    assert sky.points == (5, 0)
    assert after(sky, "1 lay punkt c2").points == (10, 0)


def test_another_players_action_does_not_complete_the_owners_sternbild() -> None:
    sky = at(scenario=4, board=BUT_E2, bildOwn=["waage", "okulus"], bildDeck=["anker"])
    assert len(play(sky, "2 lay punkt e2")) == 1


# R4, R13: what a step reveals must be seen before the next one


@pytest.mark.parametrize("scenario", [3, 4])
def test_a_move_ends_when_a_new_sternbild_is_drawn(scenario: int) -> None:
    sky = at(scenario=scenario, board=BUT_E2, bildOpen="okulus", bildOwn=["okulus", "waage"], bildDeck=["anker"])
    assert refusal(sky, "2 lay punkt e2; 1 lay punkt c2").code == "reveals"
    begun_so = game.read_move("2 lay punkt e2")
    assert game.legal_moves(sky, 0, [begun_so]) == []
    with pytest.raises(IllegalMove):
        game.legal_moves(sky, 0, [begun_so, game.read_move("1 lay punkt c2")])
    assert game.legal_moves(sky, 0, [game.read_move("2 lay punkt c2")]) != []


@pytest.mark.parametrize("scenario", [3, 4])
def test_a_move_continues_if_no_new_sternbild_can_be_drawn(scenario: int) -> None:
    sky = at(scenario=scenario, board=BUT_E2, bildOpen="okulus", bildOwn=["okulus", "waage"], bildDeck=[])
    if scenario == 4:
        assert after(sky, "2 lay punkt e2; 1 lay punkt c2").points == (5, 0)
    assert (game.legal_moves(sky, 0, [game.read_move("2 lay punkt e2")]) == []) == (
        scenario == 3
    )  # the step ends there


def test_the_legal_next_steps_depend_on_the_steps_already_chosen() -> None:
    sky = at(board={"a1": "punkt"}, hands=[["geburt#9"], []])
    first, second = game.read_move("1 lay punkt b1"), game.read_move("2 lay punkt b2; finish")
    assert game.legal_moves(sky, 0, [first]) == game.legal_moves(after(sky, "1 lay punkt b1"), 0)
    assert game.legal_moves(sky, 0, [first, second]) == [game.read_move("lay geburt#9 -")]
    assert game.legal_moves(sky, 0, [first, second, game.read_move("lay geburt#9 -")]) == []
    with pytest.raises(IllegalMove, match="You can't use slot 1 now"):
        game.legal_moves(sky, 0, [first, first])


@pytest.mark.parametrize(
    ("given", "begun"),
    [
        ({}, "lay geburt#9 -"),  # before the actions
        ({}, "choose geburt#9 loch-a#1"),  # long after the first cards
        ({"phase": "lay"}, "lay loch-a#1 -"),  # of a card not in hand
        ({"phase": "lay"}, "lay geburt#9 -; lay geburt#9 -"),
        ({"phase": "lay"}, "lay geburt#9 -; 1 lay punkt b1"),
        ({}, "1 lay punkt b1; lay geburt#9 -"),
    ],
)
def test_illegal_steps_are_rejected_in_the_same_way_as_illegal_moves(given: dict[str, Any], begun: str) -> None:
    sky = at(board={"a1": "punkt"}, hands=[["geburt#9"], []], **given)
    refused = refusal(sky, begun)
    with pytest.raises(IllegalMove) as told:
        game.legal_moves(sky, 0, [game.read_move(begun)])
    assert (told.value.code, told.value.text) == (refused.code, refused.text)


# R9 The Supernova card


def test_fifteen_points_earn_one_supernova_card_per_game() -> None:
    board = {"b1": "punkt", "b2": "punkt", "b3": "punkt"}
    sky = at(scores=[14, 0], board=board, novaReserve=["supernova#1", "supernova#2"])
    assert play(sky, "1 lay leucht a1")[1:] == [SupernovaGranted(0, "supernova#1")]
    sky = after(sky, "1 lay leucht a1")
    assert (sky.hands[0], sky.reserve, sky.granted) == (("supernova#1",), ("supernova#2",), (True, False))
    again = sky._replace(points=(14, 0), log=sky.log._replace(performed=()))
    again = again._replace(stars={**again.stars, "leucht": 0})
    assert len(play(again, "1 lay leucht a1")) == 1


def test_a_supernova_card_in_slot_1_replaces_the_permanent_sterngeburt() -> None:
    sky = at(board={"a1": "punkt"}, tableau=("supernova#1", "geburt#1", "geburt#2"))
    assert {line.split()[1] for line in lines_open(sky) if line.startswith("1")} == {"nova"}


# R10 End, R11 Winner by points


def test_the_last_prachtstern_ends_the_game_immediately() -> None:
    board = {"b1": "leucht", "b2": "leucht", "b3": "leucht"}
    sky = at(board=board, prachtLeft=1, scores=[3, 5], tableau=(None, "geburt#1", "geburt#2"))
    laid, decided = play(sky, "1 lay pracht a1")
    assert decided == GameDecided("all-prachtsterne", [0, 1], [1, 1], [None, None])
    sky = reduce(game.apply, (laid, decided), sky)
    assert game.outcome(sky) == Outcome((5, 5), (1, 1))
    assert game.to_act(sky) == frozenset()
    assert refusal(sky, "2 lay punkt c1").code == "game-over"


def test_a_player_who_reaches_a_goal_wins_alone_and_others_rank_by_points_and_discards() -> None:
    sky = at(scores=[29, 30, 7, 7], discardCounts=[0, 0, 4, 3], board={"b1": "punkt", "b2": "punkt", "b3": "punkt"})
    decided = play(sky, "1 lay leucht a1")[-1]
    assert isinstance(decided, GameDecided)
    assert (decided.reason, decided.winners, decided.places) == ("goal", [0], [1, 2, 4, 3])


def test_all_secret_sternbilder_are_revealed_at_the_end() -> None:
    board = {"b1": "leucht", "b2": "leucht", "b3": "leucht"}
    sky = at(scenario=4, board=board, prachtLeft=1, bildOwn=["waage", "anker"], bildDeck=["kelch"])
    assert game.view(sky, 0)["sternbilder"]["own"] == [{"sternbild": "waage"}, {"sternbild": None}]
    decided = play(sky, "1 lay pracht a1")[-1]
    assert isinstance(decided, GameDecided)
    assert decided.sternbilder == ["waage", "anker"]
    shown = game.view(after(sky, "1 lay pracht a1"), None)["sternbilder"]
    assert (shown["own"], shown["deck"]) == ([{"sternbild": "waage"}, {"sternbild": "anker"}], 1)


def test_max_rounds_ends_the_game_after_cards_are_played_in_the_last_turn() -> None:
    sky = at(phase="lay", tableau=(None, None, "loch-a#1"), hands=[[], ["geburt#3"]], current=1, scores=[4, 2])
    sky = sky._replace(turn=6, slots=(sky.slots[0], (None, None, "loch-a#1")), options={**sky.options, "max_rounds": 3})
    _, decided = play(sky, "lay geburt#3 -", seat=1)
    assert decided == GameDecided("round-limit", [0], [1, 2], [None, None])
    for not_yet in ({"max_rounds": 4}, {"max_rounds": None}):
        going_on = sky._replace(options={**sky.options, **not_yet}, deck=ACTION_CARDS)
        assert play(going_on, "lay geburt#3 -", seat=1)[-1] == TurnBegan(0, 7)


# S1 Options


def test_option_pair_repeat_requires_actions_of_two_types() -> None:
    options = {"pairRepeat": "different"}
    sky = at(board={"a1": "punkt"}, tableau=(None, "geburt#1", "wanderung-2#1"), options=options)
    first = after(sky, "1 lay punkt b1")
    assert {line[0] for line in lines_open(first)} == {"2", "3"}
    row = after(first, "2 lay punkt b2")
    assert refusal(row, "finish").code == "too-few-actions"
    assert {line[0] for line in lines_open(row)} == {"3"}
    assert {line[0] for line in lines_open(after(sky, "2 lay punkt b1"))} == {"3"}


def test_option_pair_repeat_requires_all_slots_in_order_if_all_types_are_the_same() -> None:
    sky = at(board={"a1": "punkt"}, options={"pairRepeat": "different"})
    assert {line[0] for line in lines_open(sky)} == {"1"}
    assert after(sky, "1 lay punkt b1; 2 lay punkt b2; 3 lay punkt b3").phase == "lay"


def test_option_pair_repeat_remembers_the_type_of_a_used_supernova() -> None:
    tableau = ("supernova#1", "geburt#1", "wanderung-2#1")
    sky = at(board={"a1": "punkt"}, tableau=tableau, options={"pairRepeat": "different"})
    assert after(sky, "1 nova f1; 2 lay punkt b1; finish").phase == "lay"


def test_option_impossible_strict_lets_a_slot_lapse_only_if_none_can_be_performed() -> None:
    tableau = (None, "loch-a#1", "loch-b#1")
    board = {"a1": "pracht"}
    assert "2 lapse" in lines_open(at(board=board, tableau=tableau))
    strict = at(board=board, tableau=tableau, options={"impossible": "strict"})
    assert refusal(strict, "2 lapse").code == "must-act"
    assert {line[0] for line in lines_open(strict)} == {"1"}
    dark = at(board=board, tableau=("loch-c#1", "loch-a#1", "loch-b#1"), options={"impossible": "strict"})
    assert lines_open(dark) == ["1 lapse", "2 lapse", "3 lapse"]


def test_option_lay_when_full_must_cover_requires_a_card_in_slot_1() -> None:
    given: Json = {"phase": "lay", "hands": [["geburt#5", "supernova#1"], []]}
    full = at(**given, tableau=(None, "loch-a#1", "loch-b#1"), options={"layWhenFull": "must-cover"})
    assert lines_open(full) == ["lay - geburt#5", "lay - supernova#1"]
    assert refusal(full, "lay - -").code == "bad-cards"
    empty = at(**given, tableau=(None, None, "loch-b#1"), options={"layWhenFull": "must-cover"})
    assert "lay geburt#5 -" in lines_open(empty)


def test_option_ban_moves_treats_a_move_as_removing_and_placing() -> None:
    tableau: Sequence[str | None] = (None, "wanderung-2#1", "loch-a#1")
    sky = at(board={"a1": "punkt", "c2": "punkt"}, tableau=tableau, options={"banMoves": True})
    moved = after(sky, "2 move a1 b2 c3")
    assert refusal(moved, "3 remove c3").code == "ban"
    assert "3 remove c3" not in lines_open(moved)
    tableau = ("wanderung-2#2", "wanderung-2#1", "loch-a#1")
    sky = at(board={"a1": "punkt", "c5": "punkt"}, tableau=tableau, options={"banMoves": True})
    moved = after(sky, "1 move a1 b2 c3")
    for banned in ("2 move c3 d4 d3", "2 move c5 b3 a1"):
        assert refusal(moved, banned).code == "ban"
        assert banned not in lines_open(moved)
        assert after(moved._replace(options={**moved.options, "banMoves": False}), banned)


def test_option_ban_supernova_off_lets_a_supernova_remove_stars_placed_this_turn() -> None:
    tableau = ("supernova#1", "geburt#1", "geburt#2")
    for on in (True, False):
        sky = at(board={"b1": "punkt"}, tableau=tableau, options={"banSupernova": on})
        sky = after(sky, "2 lay punkt c2")
        assert ("1 nova b2" in lines_open(sky)) is not on
        if not on:
            assert ("c2", "punkt") in after(sky, "1 nova b2").log.removed


def test_option_line_ban_any_star_closes_used_lines_to_every_star() -> None:
    tableau = ("wanderung-2#1", "wanderung-2#2", "geburt#1")
    for value in ("per-star", "any-star"):
        sky = at(board={"a1": "punkt", "b2": "punkt"}, tableau=tableau, options={"lineBan": value})
        sky = after(sky, "1 move a1 b1 c1")
        assert ("2 move b2 a1 b1" in lines_open(sky)) == (value == "per-star")


@pytest.mark.parametrize(
    ("malus", "points"), [("gain", [23, 5, 0]), ("gain-others", [24, 5, 0]), ("everyone", [24, 4, 0])]
)
def test_option_supernova_malus_decides_who_loses_points(malus: str, points: list[int]) -> None:
    tableau = ("supernova#1", "geburt#1", "geburt#2")
    sky = at(board={"f1": "nova"}, tableau=tableau, scores=[20, 5, 0], options={"supernovaMalus": malus})
    assert list(after(sky, "1 nova a1").points) == points


@pytest.mark.parametrize("recycle", ["deck", "box"])
def test_option_supernova_recycle_returns_or_removes_the_card(recycle: str) -> None:
    given: Json = {"tableau": (None, None, "loch-a#1"), "hands": [["geburt#3", "geburt#4"], []]}
    sky = at(phase="lay", **given, options={"supernovaRecycle": recycle})
    sky = sky._replace(discards=(("loch-b#1", "supernova#1"), ("loch-b#2", "loch-b#3", "loch-b#4")))
    shuffled = play(sky, "lay geburt#3 -")[1]
    assert isinstance(shuffled, DiscardsShuffled)
    assert ("supernova#1" in shuffled.deck) == (recycle == "deck")
    assert shuffled.out == ([] if recycle == "deck" else ["supernova#1"])


def test_option_sternbild_credit_contributing_requires_an_action_within_the_figure() -> None:
    given: Json = {"scenario": 3, "bildOpen": "okulus", "bildDeck": ["anker"]}
    options = {"sternbildCredit": "contributing"}
    assert len(play(at(**given, board=OKULUS, options=options), "1 lay punkt c2")) == 1
    assert len(play(at(**given, board=BUT_E2, options=options), "1 lay punkt e2")) == 3
    blocked = {**OKULUS, "f5": "punkt"}
    freed = at(**given, board=blocked, tableau=("loch-a#1", "geburt#1", "geburt#2"), options=options)
    assert len(play(freed, "1 remove f5")) == 3  # a gap counts


def test_option_sternbild_credit_any_player_credits_the_owner() -> None:
    given: Json = {"board": BUT_E2, "bildOwn": ["waage", "okulus"], "bildDeck": ["anker"]}
    options = {"sternbildCredit": "any-player"}
    sky = at(scenario=2, **given, options=options)
    decided = play(sky, "2 lay punkt e2")[-1]
    assert isinstance(decided, GameDecided)
    assert decided.winners == [1]
    secret = after(at(scenario=4, **given, options=options), "2 lay punkt e2")
    assert (secret.points, secret.bilder.own, secret.bilder.done) == ((0, 5), ("waage", "anker"), ((), ("okulus",)))


def test_a_preview_does_not_reveal_whether_anothers_secret_sternbild_is_completed() -> None:
    options = {"sternbildCredit": "any-player"}
    for own in ("okulus", "kelch"):  # completed by this action, or not
        sky = at(scenario=4, board=BUT_E2, bildOwn=["waage", own], bildDeck=["anker"], options=options)
        assert refusal(sky, "2 lay punkt e2; 1 lay punkt c2").code == "reveals"
        assert game.legal_moves(sky, 0, [game.read_move("2 lay punkt e2")]) == []
        events = play(sky, "2 lay punkt e2")
        assert game.preview(sky, 0, events) == ([StarLaid(0, 2, "geburt#1", "punkt", "e2", 0)], True)


def test_option_sternbild_lines_induced_forbids_additional_lines() -> None:
    board = {"a1": "pracht", "b1": "leucht", "b2": "leucht", "c2": "punkt", "c3": "punkt", "d3": "punkt"}
    kelch = CARDS.sternbilder["kelch"]
    found = {
        induced: [lies_on(kelch, at(board={**board, extra: "punkt"}).stars, induced) for extra in FIELDS]
        for induced in (False, True)
    }
    assert all(free is not None for free, strict in zip(*found.values(), strict=True) if strict is not None)


def test_option_pracht_return_out_removes_a_prachtstern_from_the_game() -> None:
    tableau = ("supernova#1", "geburt#1", "geburt#2")
    for value, left in (("supply", 7), ("out", 6)):
        sky = at(board={"b1": "pracht"}, tableau=tableau, options={"prachtReturn": value})
        (laid,) = play(sky, "1 nova a1")
        assert isinstance(laid, SupernovaLaid)
        assert laid.out == ([] if value == "supply" else ["pracht"])
        assert supply(game.apply(sky, laid), "pracht") == left


DEFAULTS = {
    "scenario": 1,
    "firmament": "rosette-73",
    "cards": "sternenpost-1",
    "start_seat": None,
    "max_rounds": 60,
    "pairRepeat": "any",
    "impossible": "lapse",
    "layWhenFull": "optional",
    "banMoves": False,
    "banSupernova": True,
    "lineBan": "per-star",
    "supernovaMalus": "gain",
    "supernovaRecycle": "deck",
    "sternbildCredit": "own-action",
    "sternbildLines": "free",
    "prachtReturn": "supply",
}


def test_the_default_options_are_this_projects_interpretation_of_the_rules() -> None:
    assert game.resolve_options({}, 2) == DEFAULTS


def test_each_option_can_be_set_on_its_own() -> None:
    for name, schema in game.OPTION_SCHEMA["properties"].items():
        for value in (
            [False, True]
            if schema.get("type") == "boolean"
            else schema.get("enum", [None, *([1] if "integer" in schema.get("type", "") else [])])
        ):
            resolved = game.resolve_options({name: value}, 3)
            assert resolved == {**DEFAULTS, name: value}
            assert game.resolve_options(resolved, 3) == resolved


@pytest.mark.parametrize("options", [{"scenario": 5}, {"scenario": 1.0}, {"start_seat": 3}, {"max_rounds": 1001}])
def test_options_out_of_range_are_rejected(options: Json) -> None:
    with pytest.raises(BadOption):
        game.resolve_options(options, 3)


@pytest.mark.parametrize("seats", [1, 5, 0, -2, True, 3.0, "3", None])
def test_two_to_four_players_can_play(seats: Any) -> None:
    with pytest.raises(BadOption, match="2, 3 or 4 players"):
        game.resolve_options({}, seats)


# R12 Visibility


def test_drawn_cards_are_known_to_their_owner_and_counted_by_others() -> None:
    drawn = CardsDrawn(1, ["geburt#1", "loch-a#1"])
    assert game.tell(drawn, 1) == {"type": "cards-drawn", "seat": 1, "cards": ["geburt#1", "loch-a#1"]}
    assert game.tell(drawn, 0) == game.tell(drawn, None) == {"type": "cards-drawn", "seat": 1, "cards": [None, None]}


def test_the_order_of_a_deck_is_never_revealed() -> None:
    opening = game.setup(2, {"scenario": 4}, SeededDice(b"", ()))
    assert [game.tell(opening[0], viewer) for viewer in (0, 1, None)] == [None, None, None]
    told: Json = {"type": "discards-shuffled", "seat": None, "deck": 2, "out": []}
    assert [game.tell(DiscardsShuffled(["geburt#1", "geburt#2"], []), viewer) for viewer in (0, None)] == [told, told]


def test_a_view_shows_only_the_viewers_own_hand() -> None:
    sky = new_game(2)
    assert game.view(sky, 0)["hand"] == list(sky.hands[0])
    assert game.view(sky, None)["hand"] is None
    assert game.view(sky, 1)["hand_sizes"] == [5, 5]


def test_a_players_own_sternbild_is_public_in_scenario_2_and_private_in_scenario_4() -> None:
    for scenario in (2, 4):
        own = new_game(2, scenario=scenario).bilder.own
        seen = [game.view(new_game(2, scenario=scenario), viewer)["sternbilder"]["own"] for viewer in (0, None)]
        hidden: list[Json] = [{"sternbild": bild if scenario == 2 else None} for bild in own]
        assert seen == [[{"sternbild": own[0]}, hidden[1]], hidden]


def test_a_preview_does_not_show_what_the_move_would_reveal() -> None:
    sky = at(board={"a1": "punkt"}, hands=[["geburt#3", "geburt#4"], []], deck=["loch-a#1"] * 9)
    events = play(sky, "1 lay punkt b1; 3 lay punkt b2; lay geburt#3 -")
    seen, would_reveal = game.preview(sky, 0, events)
    assert [event for event in events if event not in seen] == [CardsDrawn(0, ["loch-a#1"] * 4)]
    assert would_reveal
    assert game.preview(sky, 0, play(sky, "1 lay punkt b1")) == (play(sky, "1 lay punkt b1"), False)


def test_a_preview_hides_the_choices_of_others_from_the_last_player_to_choose() -> None:
    sky = new_game(2)
    first = play(sky, choose_line(sky, 1), 1)
    assert game.preview(sky, 1, first) == (first, False)
    sky = reduce(game.apply, first, sky)
    last = play(sky, choose_line(sky, 0), 0)
    assert game.preview(sky, 0, last) == (last[:1], True)


# R13 Commands, and one line for each

LINES = {
    "choose geburt#3 loch-a#1": {"cmd": "choose", "slot2": "geburt#3", "slot3": "loch-a#1"},
    "1 lay leucht c4": {"cmd": "act", "slot": 1, "do": "lay", "class": "leucht", "field": "c4"},
    "2 move b1 c1 d2": {"cmd": "act", "slot": 2, "do": "move", "path": ["b1", "c1", "d2"]},
    "3 remove c2": {"cmd": "act", "slot": 3, "do": "remove", "field": "c2"},
    "1 nova d1": {"cmd": "act", "slot": 1, "do": "nova", "field": "d1"},
    "2 lapse": {"cmd": "act", "slot": 2, "do": "lapse"},
    "finish": {"cmd": "finish"},
    "lay geburt#4 -": {"cmd": "lay", "dropNova": False, "slot2": "geburt#4", "slot1": None},
    "drop lay - loch-a#2": {"cmd": "lay", "dropNova": True, "slot2": None, "slot1": "loch-a#2"},
}


@pytest.mark.parametrize("line", LINES)
def test_a_step_has_exactly_one_form_as_text_and_one_as_json(line: str) -> None:
    move = game.read_move(line)
    assert game.move_to_json(move) == {"steps": [LINES[line]]}
    assert game.move_from_json({"steps": [LINES[line]]}) == move
    assert game.write_move(move) == line
    assert game.read_move(f"  {line.upper().replace(' ', '   ')} ") == move


def test_steps_of_a_move_are_separated_by_semicolons() -> None:
    move = game.read_move("1 lay punkt b1;2 lapse ; finish")
    assert [game.write_move(Move((step,))) for step in move.steps] == ["1 lay punkt b1", "2 lapse", "finish"]
    assert game.write_move(move) == "1 lay punkt b1; 2 lapse; finish"


def test_no_two_steps_have_the_same_form_as_text() -> None:
    assert Move((SchwarzesLoch(1, "a1"),)) != Move((Supernova(1, "a1"),))
    assert len({game.read_move(line) for line in LINES}) == len(LINES)


@pytest.mark.parametrize("text", EXAMPLES)
def test_the_notations_examples_are_valid(text: str) -> None:
    assert game.write_move(game.read_move(text)) == text


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("", "not-a-step"),
        (";", "not-a-step"),
        ("1 lay punkt b1;", "not-a-step"),
        ("pass", "not-a-step"),
        ("lay geburt#4", "not-a-step"),
        ("1 lay punkt", "not-a-step"),
        ("1 lay punkt b1 b2", "not-a-step"),
        ("1 move a1", "not-a-step"),
        ("1\tlapse", "not-a-step"),
        ("1 lapse\n", "not-a-step"),
        ("> 1 lapse", "not-a-step"),
        ("4 lapse", "no-such-slot"),
        ("01 lapse", "no-such-slot"),
        ("\N{SUPERSCRIPT TWO} lapse", "no-such-slot"),
        ("1 lay nova b1", "no-such-class"),
        ("1 lay punkt g1", "no-such-field"),
        ("1 move a1 z9", "no-such-field"),
        ("1 move a1 b1 a1 b1 a1", "bad-path"),
        ("lay geburt#99 -", "no-such-card"),
        ("choose geburt#1 -", "no-such-card"),
        ("choose geburt loch-a", "no-such-card"),
        ("finish; finish; finish; finish; finish", "bad-steps"),
    ],
)
def test_lines_that_are_not_in_the_notation_are_rejected(line: str, code: str) -> None:
    with pytest.raises(MalformedMove) as refused:
        game.read_move(line)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (None, "not-an-object"),
        ([], "not-an-object"),
        ({}, "missing-field"),
        ({"steps": None}, "wrong-type"),
        ({"steps": []}, "bad-steps"),
        ({"steps": [LINES["finish"]] * 5}, "bad-steps"),
        ({"steps": [LINES["finish"]], "player": 0}, "unknown-field"),
        ({"steps": ["finish"]}, "not-an-object"),
        ({"steps": [{}]}, "unknown-step"),
        ({"steps": [{"cmd": "pass"}]}, "unknown-step"),
        ({"steps": [{"cmd": ["finish"]}]}, "unknown-step"),
        ({"steps": [{"cmd": "finish", "player": 0}]}, "unknown-field"),
        ({"steps": [{"cmd": "act", "slot": 1, "do": "fly"}]}, "unknown-action"),
        ({"steps": [{"cmd": "act", "do": "lapse"}]}, "missing-field"),
        ({"steps": [{"cmd": "act", "slot": True, "do": "lapse"}]}, "wrong-type"),
        ({"steps": [{"cmd": "act", "slot": 1.0, "do": "lapse"}]}, "wrong-type"),
        ({"steps": [{"cmd": "act", "slot": 0, "do": "lapse"}]}, "no-such-slot"),
        ({"steps": [{"cmd": "act", "slot": 1, "do": "remove", "field": None}]}, "wrong-type"),
        ({"steps": [{"cmd": "act", "slot": 1, "do": "remove", "field": "A1"}]}, "no-such-field"),
        ({"steps": [{"cmd": "act", "slot": 1, "do": "move", "path": ["a1", 1]}]}, "no-such-field"),
        ({"steps": [{"cmd": "act", "slot": 1, "do": "move", "path": ["a1"]}]}, "bad-path"),
        ({"steps": [{"cmd": "act", "slot": 1, "do": "move", "path": ["a1"] * 99}]}, "bad-path"),
        ({"steps": [{"cmd": "choose", "slot2": "geburt#3", "slot3": None}]}, "wrong-type"),
        ({"steps": [{"cmd": "lay", "dropNova": 0, "slot2": None, "slot1": None}]}, "wrong-type"),
        ({"steps": [{"cmd": "lay", "dropNova": False, "slot2": {}, "slot1": None}]}, "no-such-card"),
        ({"steps": [{"cmd": "lay", "dropNova": False, "slot2": None}]}, "missing-field"),
    ],
)
def test_json_objects_that_are_not_moves_are_rejected(data: Any, code: str) -> None:
    with pytest.raises(MalformedMove) as refused:
        game.move_from_json(data)
    assert refused.value.code == code


def test_events_that_contain_no_move_are_rejected_by_move_of() -> None:
    for events in ([], [TurnBegan(0, 1)], [TurnBegan(0, 1), StarLaid(0, 1, None, "punkt", "b1", 0)]):
        with pytest.raises(MalformedMove):
            game.move_of(events)


# S3 Data files: requirements for a firmament and cards


def changed(data: Json, path: Sequence[str | int], value: Any) -> Json:
    """Return the data with one value replaced, or left out if REMOVED."""
    data = deepcopy(data)
    inner: Any = data
    for key in path[:-1]:
        inner = inner[key]
    if value is REMOVED:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return data


REMOVED = object()
TWO_ISLANDS = [["a1", "b1"], ["b1", "b2"]]


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        (("start",), "z1", "The start field is no field of the firmament."),
        (("start",), REMOVED, "The firmament lacks 'start'."),
        (("lines",), TWO_ISLANDS, "The firmament is not connected: some fields cannot be reached."),
        (("lines", 0), ["a1", "z1"], "A line of the firmament does not join two different places of it."),
        (("lines", 0), ["a1", "a1"], "A line of the firmament does not join two different places of it."),
        (("lines", 0), ["a1", "b1", "b2"], "A line of the firmament does not join two different places of it."),
        (("lines", 0), ["b2", "a1"], "A line of the firmament is there twice."),
        (("fields", 1, "id"), "a1", "Two fields share an id."),
        (("fields", 0, "id"), "A 1", "A field has the id 'A 1': ids are made of a to z, 0 to 9 and hyphens."),
        (("fields", 0, "id"), "a-1", "A hyphen joins the two fields of a line: no field may have one in its id."),
        (("fields", 0, "bonus"), -1, "The bonus of the field a1 must be a whole number from 0 on, not -1."),
    ],
)
def test_a_faulty_firmament_is_rejected_with_an_explanation(
    path: Sequence[str | int], value: Any, sentence: str
) -> None:
    with pytest.raises(ValueError) as refused:
        load_firmament(changed(FIRMAMENT_DATA, path, value))
    assert str(refused.value) == sentence


GEBURT, WANDERUNG, LOCH, NOVA = (("actions", n) for n in (0, 1, 3, 6))
PFEIL = ("sternbilder", 0)
PFEIL_IS = "The Sternbild pfeil-und-bogen"


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        (("limits",), {}, "The cards lack 'punkt'."),
        (("limits", "nova"), 0, "The limit of nova must be a whole number from 1 on, not 0."),
        (("handSize",), "5", "handSize must be a whole number from 2 on, not '5'."),
        (("birthNeeds", "punkt"), {"class": "punkt", "count": 1}, "A Punktstern must need no neighbours of a class"),
        (("birthNeeds", "leucht", "class"), "nova", "The birthNeeds of leucht name no class of stars."),
        ((*GEBURT, "type"), "urknall", "The action card geburt is of no known type."),
        ((*GEBURT, "count"), 0, "The count of geburt must be a whole number from 1 on, not 0."),
        (("handSize",), 9, "4 players need 48 action cards; there are 44."),
        ((*GEBURT, "id"), "loch-a", "Two of the action cards share an id."),
        ((*GEBURT, "steps"), [2], "geburt: a Sternwanderung has steps, and no other card has."),
        ((*WANDERUNG, "steps"), [], "wanderung-2: a Sternwanderung has steps, and no other card has."),
        ((*LOCH, "constellations"), [], "loch-a: a Schwarzes Loch has constellations, no other card has."),
        ((*LOCH, "constellations", 0, "top"), "pracht", "loch-a: the top of a constellation is a Punktstern or a"),
        ((*LOCH, "constellations", 0, "with"), ["nova"], "loch-a: a constellation shows something that is no star."),
        ((*NOVA, "count"), 3, "There must be a Supernova card for each player, and fewer than a hand can hold."),
        ((*NOVA, "count"), 5, "There must be a Supernova card for each player, and fewer than a hand can hold."),
        ((*PFEIL, "nodes", 0, "is"), "leucht", f"{PFEIL_IS} must have 3 punkt, 2 leucht, 1 pracht and a gap."),
        ((*PFEIL, "nodes", 5, "is"), "nova", f"{PFEIL_IS} must have 3 punkt, 2 leucht, 1 pracht and a gap."),
        ((*PFEIL, "nodes", 0, "id"), "p2", "Two nodes of the Sternbild pfeil-und-bogen share an id."),
        ((*PFEIL, "lines", 0), ["p1", "x"], "A line of the Sternbild pfeil-und-bogen does not join two different"),
        ((*PFEIL, "lines"), [["p1", "l1"], ["l1", "p1"]], "A line of the Sternbild pfeil-und-bogen is there twice."),
        ((*PFEIL, "lines"), [["p1", "l1"]], f"{PFEIL_IS} is not connected."),
        (("sternbilder",), [], "4 players need 4 Sternbilder; there are 0."),
        (("scenarios", 0, "id"), 2, "Two of the scenarios share an id."),
        (("scenarios", 0, "goalPoints"), None, "Scenario 1 has no goal."),
        (("scenarios", 0, "goalPoints"), 0, "goalPoints of scenario 1 must be a whole number from 1 on, not 0."),
        (("scenarios", 0, "goalBilder"), 1, "Scenario 1 asks for Sternbilder and has none."),
        (("scenarios", 1, "goalBilder"), 2, "Scenario 2: one open Sternbild is all that a player gets."),
        (("scenarios", 0, "sternbild"), "all", "Scenario 1 does not say whose the Sternbilder are."),
        (("scenarios", 0, "supernova"), "yes", "supernova of scenario 1 is neither true nor false."),
    ],
)
def test_faulty_cards_are_rejected_with_an_explanation(path: Sequence[str | int], value: Any, sentence: str) -> None:
    with pytest.raises(ValueError) as refused:
        load_cards(changed(CARDS_DATA, path, value))
    assert str(refused.value).startswith(sentence)
