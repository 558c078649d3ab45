"""Moves in emails to the post desk: played if there is no doubt about the game and the move, otherwise asked about."""

import re
from collections.abc import Callable
from dataclasses import replace
from email import message_from_bytes
from email.policy import default
from typing import Any
from uuid import UUID

import pytest

from server.accounts.players import player_at
from server.games import GAMES
from server.play.commits import load, whole_log
from server.post.coalescing import SOON
from server.post.desk import counter
from server.post.desk.table_moves import with_body
from server.post.incoming.mime import head_and_body
from server.post.incoming.replies import read
from server.store import desk
from tests.post.desk.test_proof import ann_joins
from tests.post.desk.writing import Correspondent, settle
from tests.post.incoming.replying import a_move, messages
from tests.support.games import MINUTE, everything_due_happens, happened, later, moves_of, until

HIMMEL = "sternenhimmel"


def ann_id(ann: Correspondent) -> UUID:
    found = player_at(ann.email)
    assert found
    return found


def ann_plays(ann: Correspondent, *games: str) -> list[UUID]:
    """Start these games against bots, and return them in the order of their numbers."""
    for game in games:
        ann.asks(f"play {game} start_seat=0")
    everything_due_happens()
    numbers = desk.numbers(ann_id(ann))
    return sorted(numbers, key=lambda it: numbers[it])


def moves(game_id: UUID) -> int:
    """Return how many steps the player in the first seat has taken."""
    kinds = {name for rules in GAMES.values() for name in rules.EVENTS} - {"board-dealt", "boards-shuffled"}
    return len({it.version for it in whole_log(game_id) if it.seat == 0 and it.type in kinds and it.version > 1})


def played(ann: Correspondent, to: str, text: str) -> str:
    """Send a move to the desk. Return the email about the next turn, which confirms it."""
    ann.sends(to, text)
    everything_due_happens()
    return " ".join(ann.mails()[-1].text.split())


def told(ann: Correspondent, to: str, text: str) -> str:
    """Send an email about several games. Return the one letter that answers it."""
    before = len(ann.mails())
    ann.sends(to, text)
    everything_due_happens()  # the bots move
    later(2 * SOON)
    (answer,) = ann.mails()[before:]
    return " ".join(answer.text.split())


@pytest.fixture
def joined(ann: Correspondent) -> Correspondent:
    ann_joins(ann)
    return ann


@pytest.mark.parametrize("form", ["{0} {1} {2}", "Hi!\n\nPut my {0} on {1} {2}, please.\n\nAnn\n\nSent from my iPhone"])
def test_a_move_is_played_if_one_game_waits(joined: Correspondent, form: str) -> None:
    (game_id,) = ann_plays(joined, HIMMEL)
    star, board, space = a_move(game_id, ann_id(joined)).split(" ")
    letter = played(joined, joined.newest_answer.reply_to, form.format(star, board.upper(), space))
    assert f"You played: {star} {board} {space}" in letter
    assert moves(game_id) == 1


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ("{0} {1} z", "has no such space. Its spaces are"),
        ("{0} {1}x {2}", 'Then just reply "yes".'),
        ("{0} xyzzy {2}", 'We don\'t know the word "xyzzy". Possible here:'),
        ("Put my lovely {0} on {1} {2}", 'We don\'t know the word "lovely"'),
        ("{0} {1} {2}?", 'Did you mean "'),
        ("{0} {1} {2}\nor rather pass, if Ben agrees", "the two could be one sentence"),
        ("Ben wrote on Monday:\n{0} {1} {2}", "This looks like quoted text"),
        ("{0} {1} {2}\n\nNo, wait!", "This contradicts or questions"),
        ("{0} {1} {2}\nB {1} {2}", "more than one move"),
        ("{0} {1} {2}\n\nPasue", "that didn't work. Pasue"),
        ("1: {0} {1} {2}\n\nResgin", "that didn't work. Resgin"),
        ("{0} {1} {2}\n\nResign", "asks for two things"),
        ("> {0} {1} {2}", "We found no command"),
        ("7 stars for you, Ben", "- help: Lists all commands"),
    ],
)
def test_an_unclear_move_is_asked_about(joined: Correspondent, form: str, told: str) -> None:
    (game_id,) = ann_plays(joined, HIMMEL)
    star, board, space = next(
        it for nr in range(99) if (it := a_move(game_id, ann_id(joined), nr).split(" "))[0] not in ("B", "D")
    )
    answer = joined.asks(form.format(star, board, space))
    assert told in " ".join(answer.text.split())
    assert moves(game_id) == 0


@pytest.mark.parametrize("number", ["", "1: "])
def test_the_table_gets_everything_that_stands_beside_a_move(joined: Correspondent, number: str) -> None:
    (game_id,) = ann_plays(joined, HIMMEL)
    line, to = number + a_move(game_id, ann_id(joined)), joined.newest_answer.reply_to
    mail = message_from_bytes(joined.written(to, line), policy=default)
    mail.add_alternative(f"<p><s>{line}</s></p>", subtype="html")
    joined.hands_over(to, mail.as_bytes())
    settle()
    assert "differ" in joined.newest_answer.text
    assert moves(game_id) == 0
    joined.sends(to, f"{line}\n\nsay Good luck!\nPause")
    everything_due_happens()
    assert moves(game_id) == 1
    assert messages(game_id) == ["Good luck!"]
    assert load(game_id).table.status == "paused"


@pytest.mark.parametrize("form", ["games\ngame 1: {}", "game 1: {}\ngames", "games\n{}", "{}\ngames"])
def test_a_move_beside_a_command_is_played(joined: Correspondent, form: str) -> None:
    (game_id,) = ann_plays(joined, HIMMEL)
    answers = joined.answers(joined.newest_answer.reply_to, form.format(a_move(game_id, ann_id(joined))))
    assert any("You wrote: games" in it.text for it in answers)
    assert not any("We don't understand" in it.text for it in answers)
    assert moves(game_id) == 1


@pytest.mark.parametrize("line", ["I resign game 1", "6 leo zz", "Put it on leo somewhere then"])
def test_a_line_below_a_command_gets_an_answer(joined: Correspondent, line: str) -> None:
    ann_plays(joined, HIMMEL)
    answers = joined.answers(joined.newest_answer.reply_to, f"games\n{line}\n\nAnn")
    assert any(line in it.text for it in answers)


def test_a_game_line_is_played_while_another_question_is_open(joined: Correspondent) -> None:
    game_id, _ = ann_plays(joined, HIMMEL, HIMMEL)
    joined.asks("leave 2?")
    joined.sends(joined.newest_answer.reply_to, f"game 1: {a_move(game_id, ann_id(joined))}")
    assert moves(game_id) == 1


def test_a_reply_to_a_turn_may_name_its_game_or_another_one(joined: Correspondent) -> None:
    first, second = ann_plays(joined, HIMMEL, HIMMEL)
    turn = next(it for it in joined.mails()[::-1] if "Your turn" in it.subject and "Sternenhimmel" in it.subject)
    joined.sends(turn.reply_to, f"game 1: {a_move(first, ann_id(joined))}\ngame 2: {a_move(second, ann_id(joined))}")
    settle()
    assert (moves(first), moves(second)) == (1, 1)


def test_the_example_is_a_move_of_the_game_that_it_names(joined: Correspondent) -> None:
    ann_plays(joined, "sternenglanz", HIMMEL, HIMMEL)
    game_id = next(it for it, nr in desk.numbers(ann_id(joined)).items() if nr == 2)
    answer = " ".join(joined.asks(a_move(game_id, ann_id(joined))).text.split())
    found = re.search(r'for example "game (\d): ([^"]+)"', answer)
    assert found
    shown = next(it for it, nr in desk.numbers(ann_id(joined)).items() if nr == int(found[1]))
    joined.sends(joined.newest_answer.reply_to, f"game {found[1]}: {found[2]}")
    assert moves(shown) == 1


def test_a_command_of_the_table_may_end_with_the_number_of_its_game(joined: Correspondent) -> None:
    first, second = ann_plays(joined, "sternenglanz", HIMMEL)
    rules = GAMES["sternenglanz"]
    move = rules.write_move(rules.move_from_json(moves_of(first, ann_id(joined))[0]))
    for line in ("pause 2", "Resume game 2!", "pause 3", f"game 1: {move}", "undo 1", "resign #1"):
        joined.sends(joined.newest_answer.reply_to, line)  # the newest answer may be about another game
        settle()
    assert [it for it in happened(second) if it.startswith("game-")] == ["game-started", "game-paused", "game-resumed"]
    assert "move-taken-back" in happened(first)
    assert "Please confirm" in joined.newest_answer.subject


def test_a_long_line_is_not_cut_to_another_move(joined: Correspondent) -> None:
    (game_id,) = ann_plays(joined, HIMMEL)
    move = a_move(game_id, ann_id(joined))
    joined.sends(joined.newest_answer.reply_to, f"1: {move}{' ' * 200}or rather not")
    assert moves(game_id) == 0


def test_if_several_games_wait_the_move_names_one(joined: Correspondent) -> None:
    first, second = ann_plays(joined, f"{HIMMEL} title=First", f"{HIMMEL} title=Second")
    line = a_move(second, ann_id(joined))
    asked = joined.asks(line)
    answer, to = asked.text, asked.reply_to
    assert "2 games are waiting for your move. Nothing was played yet." in answer
    example = re.search(r'for\s+example\s+"game\s+1:\s+(\S+)\s+(\S+)\s+(\S)"', answer)
    assert example
    assert "1 “First”" in answer and "2 “Second”" in answer
    assert (moves(first), moves(second)) == (0, 0)
    (refused,) = joined.answers(to, f"7: {line}")
    assert "2 games are waiting" in refused.text
    joined.sends(to, f"Game 2: {line}")
    (refused,) = joined.answers(to, f"2: {line}")
    assert "It isn't your turn in game 2" in refused.text
    assert (moves(first), moves(second)) == (0, 1)
    joined.sends(to, " ".join(example.groups()))  # the only game that waits
    settle()
    assert (moves(first), moves(second)) == (1, 1)


def test_each_line_of_a_reply_about_several_games_gets_a_result(joined: Correspondent) -> None:
    games = ann_plays(joined, HIMMEL, HIMMEL, HIMMEL, "sternenglanz")
    to, lines = joined.newest_answer.reply_to, [a_move(it, ann_id(joined)) for it in games]
    said = [lines[0], "", f"In game 2 I play {lines[1]}. What was my last move in game 2?", f"game 3: {lines[2]}"]
    answer = told(joined, to, "\n".join([*said, "game 4: choose star birth and black hole X", f"game 9: {lines[0]}"]))
    assert re.search(rf"You wrote: {lines[0]} (== )?We don't know which game this line is for.", answer)
    assert f'for example "game 1: {lines[0]}"' in answer
    assert re.search(rf"You wrote: game 9: {lines[0]} (== )?You have no game 9.", answer)
    assert "You wrote: choose star birth and black hole X We don't know the word" in answer
    assert list(map(moves, games)) == [0, 1, 1, 0]


def test_a_question_that_names_a_game_is_answered_by_that_game(joined: Correspondent) -> None:
    ann_plays(joined, HIMMEL, HIMMEL, "sternenglanz")
    answers = joined.answers(
        joined.newest_answer.reply_to, "Who is winning in game 2?\nIn game 3, what does black hole A do?"
    )
    (answer,) = (" ".join(it.text.split()) for it in answers)
    scores, _, hole = answer.partition("== 3 Sternenglanz ==")
    assert "== 2 Sternenhimmel ==" in scores and "The scores so far: you (0)" in scores
    assert "Black hole A (points for removing a star)" in hole
    assert "We don't understand" not in scores + hole


def test_one_line_may_name_several_games(joined: Correspondent) -> None:
    games = ann_plays(joined, HIMMEL, HIMMEL, HIMMEL)
    lines = [a_move(it, ann_id(joined)) for it in games]
    text = f"In game 3 I play {lines[2]}, game 2: later and game 1: {lines[0]}\ngame 8: hint"
    answer = told(joined, joined.newest_answer.reply_to, text)
    assert "You wrote: game 2: later == Game 2 Sternenhimmel waits for you until " in answer
    assert answer.index("You wrote: game 2: later") < answer.index("You wrote: game 8: hint == You have no game 8.")
    assert list(map(moves, games)) == [1, 0, 1]


def test_a_line_below_a_game_is_for_that_game(joined: Correspondent) -> None:
    first, second = ann_plays(joined, HIMMEL, HIMMEL)
    lines = [a_move(it, ann_id(joined)) for it in (first, second)]
    text = f"game 2: {lines[1]}\ngame 1: {lines[0]}\n{a_move(first, ann_id(joined), -1)}"
    assert "more than one move" in told(joined, joined.newest_answer.reply_to, text)
    assert (moves(first), moves(second)) == (0, 1)


@pytest.mark.parametrize(
    "form",
    [
        "In game 2 I play {}.",
        "in Partie 2 spiele ich {}",
        "Dans la partie 2, je joue {}",
        "Nella partita 2 gioco {}",
        "In game 2: {}",
        "Hello,\nin game 2 please put {}.",
        "In game 2 I'd like to play {}",
        "Für Partie 2 möchte ich {}",
        "Game 2 - {}",
        "2 - {}",
    ],
)
def test_a_sentence_may_name_the_game_of_a_move(joined: Correspondent, form: str) -> None:
    first, second = ann_plays(joined, HIMMEL, HIMMEL)
    joined.sends(joined.newest_answer.reply_to, form.format(a_move(second, ann_id(joined))))
    assert (moves(first), moves(second)) == (0, 1)


def test_a_number_before_a_move_may_stand_alone(joined: Correspondent) -> None:
    first, second = ann_plays(joined, HIMMEL, HIMMEL)
    move = next(it for nr in range(99) if (it := a_move(second, ann_id(joined), nr))[0].isdecimal())
    joined.sends(joined.newest_answer.reply_to, f"2 {move}")
    assert (moves(first), moves(second)) == (0, 1)


def test_the_kind_of_a_game_may_stand_before_a_line(joined: Correspondent) -> None:
    first, second = ann_plays(joined, HIMMEL, "sternenglanz")
    move = a_move(first, ann_id(joined))
    text = f"game 1: {move}\nsternenglanz: what does star birth do?"
    assert "== 2 Sternenglanz == You wrote: what does star birth do?" in told(
        joined, joined.newest_answer.reply_to, text
    )
    assert (moves(first), moves(second)) == (1, 0)


def test_a_line_that_is_not_played_is_quoted(joined: Correspondent) -> None:
    first, second = ann_plays(joined, HIMMEL, HIMMEL)
    to, again = joined.newest_answer.reply_to, a_move(second, ann_id(joined))
    joined.sends(to, f"game 2: {again}")
    joined.sends(to, f"game 1: {a_move(first, ann_id(joined))}\ngame 2: {again}")
    everything_due_happens()
    later(2 * SOON)
    letters = [" ".join(it.text.split()) for it in joined.mails()]
    assert any(f"You wrote: game 2: {again} == It isn't your turn in game 2" in it for it in letters)
    assert (moves(first), moves(second)) == (1, 1)


def test_a_question_for_one_of_several_tables_names_its_game(joined: Correspondent) -> None:
    ann_plays(joined, HIMMEL, HIMMEL)
    to = joined.newest_answer.reply_to
    (asked,) = joined.answers(to, "Who is winning?")
    assert 'for example "game 1: Who is winning?"' in " ".join(asked.text.split())
    (answer,) = joined.answers(to, "game 1: Who is winning?")
    assert "thanks for your email" in answer.text


def test_a_question_for_the_only_table_is_answered_there(joined: Correspondent) -> None:
    ann_plays(joined, HIMMEL)
    (answer,) = joined.answers(joined.newest_answer.reply_to, "Who is winning?")
    assert "thanks for your email" in answer.text


def test_a_move_that_reaches_the_desk_in_time_counts_even_if_it_is_read_late(joined: Correspondent) -> None:
    (game_id,) = ann_plays(joined, HIMMEL)
    to, line = joined.newest_answer.reply_to, a_move(game_id, ann_id(joined))
    due_at = load(game_id).seats[0].due_at
    assert due_at
    until(due_at - MINUTE)
    joined.hands_over(to, joined.written(to, line))
    later(2 * MINUTE)
    before = whole_log(game_id)
    everything_due_happens()
    assert whole_log(game_id) == before
    settle()
    assert moves(game_id) == 1


def test_a_number_that_may_be_a_slot_is_asked_about(joined: Correspondent) -> None:
    (game_id,) = ann_plays(joined, "sternenglanz")
    rules = GAMES["sternenglanz"]
    to = joined.newest_answer.reply_to
    choice = rules.write_move(rules.move_from_json(moves_of(game_id, ann_id(joined))[0]))
    joined.answers(to, f"game 1: {choice}")
    everything_due_happens()
    before = moves(game_id)
    assert before == 1
    legal = [rules.write_move(rules.move_from_json(it)) for it in moves_of(game_id, ann_id(joined))]
    fields = [it.removeprefix("1 lay punkt ") for it in legal if it.startswith("1 lay punkt ")]
    fits = [it for it in legal if it.endswith(f" lay punkt {fields[0]}")]
    (answer,) = joined.answers(to, f"1: dot {fields[0]}")
    assert moves(game_id) - before == (len(fits) == 1)
    assert ("1 game is waiting for your move. Nothing was played yet." in answer.text) == (len(fits) > 1)


def test_no_stranger_plays_through_the_desk(joined: Correspondent, mailbox: Callable[[str], Correspondent]) -> None:
    (game_id,) = ann_plays(joined, HIMMEL)
    line, to = a_move(game_id, ann_id(joined)), joined.newest_answer.reply_to
    mallory = mailbox("mallory@evil.example")
    mallory.sends(to, line)
    mallory.sends(to, line, From=joined.email, Authentication_Results="mx.stars.example; dmarc=fail")
    joined.sends("post@stars.example", line)
    assert moves(game_id) == 0


def test_an_email_that_is_processed_again_does_not_play_the_next_turn(
    joined: Correspondent, monkeypatch: pytest.MonkeyPatch
) -> None:
    (game_id,) = ann_plays(joined, "sternenglanz")
    rules = GAMES["sternenglanz"]
    line = rules.write_move(rules.move_from_json(moves_of(game_id, ann_id(joined))[0]))
    finish, faults = counter._finish, [RuntimeError("It broke.")]

    def fail_once(*given: Any) -> None:
        if faults:
            raise faults.pop()
        finish(*given)

    later(MINUTE)
    monkeypatch.setattr(counter, "_finish", fail_once)
    joined.sends(joined.newest_answer.reply_to, line)
    for _ in range(3):
        everything_due_happens()
        later(MINUTE)
        settle()
    assert not faults
    assert moves(game_id) == 1


def test_the_headers_that_prove_a_sender_stay_on_an_email_that_is_passed_on() -> None:
    head = b"From: ann@example.net\r\nMessage-ID: <1@x.org>\r\nAuthentication-Results: mx;\r\n dmarc=fail\r\n"
    raw = head + b"Content-Type: multipart/alternative;\r\n boundary=x\r\n\r\n--x\r\n\r\nresign\r\n--x--\r\n"
    passed = with_body(raw, replace(read(raw), lines=("7 löwe c",), beside=("7 <löwe> c",)))
    assert (read(passed).lines, read(passed).beside) == (("7 löwe c",), ("7 <löwe> c",))
    assert (read(passed).sender, read(passed).message_id, read(passed).is_forged) == (
        "ann@example.net",
        "<1@x.org>",
        True,
    )
    assert len(head_and_body(passed)[0].all("content-type")) == 1
