"""What a faulty line most likely means, and the legal turn that is nearest to an illegal one."""

from typing import Any
from uuid import UUID

import pytest

from server.games import Seat
from server.post.incoming.likely import left_out, likely_steps, nearest_line
from server.post.incoming.lines import Grammar, Spoken
from tests.post.incoming.replying import a_move, ada_writes, confirmation_in
from tests.post.office import Office
from tests.support.games import everything_due_happens, game_of, happened
from tests.support.samples import Played, positions


def grammar_of(played: Played, seat: Seat, locale: str = "en") -> Grammar:
    return Grammar(Spoken(played.rules, locale), played.rules.legal_moves(played.state, seat))


@pytest.mark.parametrize(
    "line",
    [
        *('"{0} {1} {2}"', "{0} {1} {2}?", "{0} {1} {2} ...", "{0} {1}{2}", "ok {0} {1} {2} then", "1. {0} {1} {2}"),
        *("„{0} {1} {2}“", "{0} {1} {2}!!!", "[{0} {1} {2}]", "sorry, {0} {1} {2}"),
    ],
)
def test_the_move_that_a_faulty_line_most_likely_means_is_found(line: str) -> None:
    played = next(positions("sternenhimmel", {}, 3, seed=1))
    (seat,) = played.rules.to_act(played.state)
    grammar = grammar_of(played, seat)
    move = next(it for it in grammar.legal if it.space == "b" and it.star == "7")
    words = played.rules.write_move(move).split()
    assert likely_steps(line.format(*words), grammar, played.state, seat) == [move]


@pytest.mark.parametrize("line", ["not {0}", "{0} or {1}", "don't play {0}", "next to {0}", "maybe {0}, I'm not sure"])
def test_a_line_with_another_meaning_suggests_no_move(line: str) -> None:
    played = next(positions("sternenhimmel", {}, 3, seed=1))
    (seat,) = played.rules.to_act(played.state)
    grammar = grammar_of(played, seat)
    words = map(played.rules.write_move, grammar.legal[:2])
    assert likely_steps(line.format(*words), grammar, played.state, seat) == []


def test_each_misspelt_step_of_a_turn_is_corrected() -> None:
    for played in positions("sternenglanz", {}, 2, seed=3):
        seat = min(played.rules.to_act(played.state), default=0)
        grammar = grammar_of(played, seat, "de")
        told = [played.rules.write_move(it) for it in grammar.legal]
        place = next((it for it in told if " lay punkt " in it), "")
        moved = next((it for it in told if " move " in it), "")
        if place and moved:
            break
    line = f"{place.replace('lay punkt', 'lege Punkstern')}; {moved.replace('move', 'bewge')}"
    found = likely_steps(line, grammar, played.state, seat)
    assert [played.rules.write_move(it) for it in found] == [place, moved]


def test_a_step_that_is_missing_within_a_turn_is_named() -> None:
    found = 0
    for played in positions("sternenglanz", {}, 2, seed=5):
        for seat in played.rules.to_act(played.state):
            grammar, begun = grammar_of(played, seat), list[Any]()
            write = played.rules.write_move
            while steps := played.rules.legal_moves(played.state, seat, begun):
                begun.append(next((it for it in steps if write(it) == "finish"), steps[0]))
            whole = "; ".join(map(write, begun))
            if "; finish; lay" not in whole:
                continue
            found += 1
            move = grammar.rules.read_move(whole.replace("finish; ", ""))
            near = nearest_line(grammar, played.state, seat, move)
            assert write(grammar.rules.read_move(near)) == whole
            missing = left_out(grammar, played.state, seat, move)
            assert missing and missing[0].startswith("lay") and missing[1] == "finish"
            assert left_out(grammar, played.state, seat, grammar.rules.read_move(whole)) is None
        if found > 3:
            break
    assert found


def test_the_nearest_legal_turn_keeps_the_steps_that_are_legal() -> None:
    found = 0
    for played in positions("sternenglanz", {}, 2, seed=3):
        rules = played.rules
        for seat in rules.to_act(played.state):
            grammar = grammar_of(played, seat)
            first = grammar.legal[0]
            if not rules.legal_moves(played.state, seat, [first]):
                continue
            twice = rules.read_move("; ".join([rules.write_move(first)] * 2))
            if line := nearest_line(grammar, played.state, seat, twice):
                begun = [grammar.rules.read_move(it) for it in line.split("; ")]
                assert begun[0] == first
                assert begun[1] in rules.legal_moves(played.state, seat, begun[:1])
                found += 1
    assert found > 5


@pytest.mark.usefixtures("within")
@pytest.mark.parametrize("yes", ["yes", "Ja", "Yes please", "ja, genau"])
def test_a_yes_plays_the_move_that_our_reply_suggests(office: Office, ada: UUID, yes: str) -> None:
    game_id = game_of(ada, bots=1, rules="sternenglanz", options={"start_seat": 0})
    line = a_move(game_id, ada).replace("choose", "chooze")
    assert "Did you mean" in ada_writes(office, line).text
    ada_writes(office, yes)
    everything_due_happens()
    assert "cards-chosen" in happened(game_id)


def test_a_refused_second_step_is_answered_with_the_nearest_legal_turn(office: Office, ada: UUID) -> None:
    game_id = game_of(ada, bots=1, rules="sternenglanz", options={"start_seat": 0})
    ada_writes(office, a_move(game_id, ada))
    everything_due_happens()
    told = " ".join(ada_writes(office, "1 lay dot b4; 1 lay dot b5").text.split())
    assert "Step 2:" in told
    assert 'This is possible: "1 lay dot star b4; ' in told


@pytest.mark.parametrize("word", ["resing", "resgin"])
def test_a_yes_to_a_misspelt_resignation_asks_to_confirm_it(office: Office, ada: UUID, word: str) -> None:
    game_id = game_of(ada, bots=2)
    assert 'Did you mean "resign"?' in ada_writes(office, word).text
    assert confirmation_in(ada_writes(office, "yes"))
    assert "seat-handed-over" not in happened(game_id)
