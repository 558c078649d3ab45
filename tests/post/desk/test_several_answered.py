"""Replies to an email about several games get one answer, with a part for each game that they name."""

from datetime import timedelta
from uuid import UUID

import pytest
from flask import Flask

from server.post.delivery import FIRST_PAUSE
from server.post.incoming.answering import JOINING
from server.store import desk
from server.store.tables import Delivery, LetterRow, db
from tests.post.desk.test_moves_at_desk import HIMMEL, ann_id, ann_plays
from tests.post.desk.test_proof import ann_joins
from tests.post.desk.writing import Correspondent, settle
from tests.post.incoming.replying import DOMAIN, a_move
from tests.post.office import Mail, Office, a_mail, arrives
from tests.support.games import everything_due_happens, game_of, later, person, turn_of

SECOND = timedelta(seconds=1)


def said(mail: Mail) -> str:
    return " ".join(mail.text.split())


def part(mail: Mail, number: int) -> str:
    """Return what a letter says about the game with this number."""
    return " ".join(mail.text.partition(f"\n== {number} ")[2].partition("\n== ")[0].split())


def results(kind: str) -> list[str]:
    db.session.rollback()
    return list(db.session.scalars(db.select(Delivery.result).where(Delivery.kind == kind)))


class Bundle:
    """Ada's games with these players, and the letter about all turns."""

    def __init__(self, app: Flask, ada: UUID, *others: UUID) -> None:
        self.ada, self.office = ada, Office(app, DOMAIN)
        titles = ("Autumn", "Spring", "Winter")
        self.games = [game_of(ada, it, bots=1, title=title) for it, title in zip(others, titles, strict=False)]
        (self.mail,) = self.office.mails("ada")
        numbers = desk.numbers(ada)
        self.first, self.second, *self.more = (numbers[it] for it in self.games)

    def sends(self, *lines: str) -> None:
        later(SECOND)
        arrives(self.mail.reply_to, a_mail("\n".join(lines), **{"In-Reply-To": str(self.mail.message["Message-ID"])}))
        settle()
        settle()  # a reply to a letter about one game goes to the desk and on to another

    def replies(self, *lines: str) -> list[Mail]:
        """Reply to the newest letter, and return the letters that come back."""
        before = self.office.mails("ada")
        self.mail = before[-1]
        self.sends(*lines)
        return self.office.mails("ada")[len(before) :]

    def played(self) -> list[bool]:
        return [turn_of(it, self.ada) is None for it in self.games]

    def told(self, *lines: str) -> str:
        """Reply to the first letter, and return what comes back."""
        before = len(self.office.mails("ada"))
        self.sends(*lines)
        later(2 * JOINING)
        return "\n".join(it.text for it in self.office.mails("ada")[before:])

    def move(self, nr: int) -> str:
        return a_move(self.games[nr], self.ada)


@pytest.fixture
def bundle(app: Flask, ada: UUID, bea: UUID, within: None) -> Bundle:
    return Bundle(app, ada, bea, bea)


def test_moves_in_two_games_are_confirmed_in_one_letter(bundle: Bundle) -> None:
    moves = [bundle.move(0), bundle.move(1)]
    (answer,) = bundle.replies(*(f"{nr}: {it}" for nr, it in zip((bundle.first, bundle.second), moves, strict=True)))
    assert answer.subject == "Move played: Autumn, Spring"
    for number, move in zip((bundle.first, bundle.second), moves, strict=True):
        assert f"You played: {move} Your turn is over. We're waiting for bea." in part(answer, number)
        assert f"You played: {move}" in answer.page
    assert results("answer") == ["sent", "sent"]


def test_a_line_that_cannot_be_read_gets_the_nearest_moves_beside_a_move_that_was_played(bundle: Bundle) -> None:
    star, board, space = bundle.move(1).split()
    (answer,) = bundle.replies(f"{bundle.first}: {bundle.move(0)}", f"{bundle.second}: {star} {board} {space}z")
    assert answer.subject == "Reply: Autumn, Spring"
    told = part(answer, bundle.second)
    assert f"You wrote: {star} {board} {space}z" in told
    assert f"The nearest possible moves: game {bundle.second}: {star} {board} " in told
    assert told.count(f"game {bundle.second}: ") == 5
    assert "You played: " in part(answer, bundle.first)


def test_a_question_beside_a_move_in_another_game_is_answered_in_the_same_letter(bundle: Bundle) -> None:
    (answer,) = bundle.replies(f"{bundle.first}: {bundle.move(0)}", f"game {bundle.second}: what is a black hole?")
    assert "You played: " in part(answer, bundle.first)
    assert "black hole" in part(answer, bundle.second)


def test_what_the_desk_says_to_a_line_is_in_the_same_letter(bundle: Bundle) -> None:
    bundle.replies(f"{bundle.first}: {bundle.move(0)}")
    (answer,) = bundle.replies(f"game {bundle.first}: pass", "game 9: pass", f"game {bundle.second}: foo bar")
    assert "It isn't your turn" in part(answer, bundle.first)
    assert "You wrote: game 9: pass" in said(answer)
    assert "You wrote: foo bar" in part(answer, bundle.second)


@pytest.mark.parametrize("form", ["yes", "{}: yes", "game {}: yes"])
def test_a_yes_to_the_letter_plays_the_move_that_it_offers(bundle: Bundle, form: str) -> None:
    star, board, space = bundle.move(1).split()
    (answer,) = bundle.replies(f"{bundle.first}: foo bar", f"{bundle.second}: {star} {board}x {space}")
    assert 'Then just reply "yes".' in part(answer, bundle.second)
    (played,) = bundle.replies(form.format(bundle.second))
    assert said(played).count(f"{star} {board} {space}") > 0 and played.subject.startswith("Move played: Spring")


def test_our_replies_are_sent_as_one_letter_after_a_failure(bundle: Bundle) -> None:
    before = len(bundle.office.mails("ada"))
    bundle.office.is_closed = True
    bundle.sends(f"{bundle.first}: {bundle.move(0)}", f"{bundle.second}: foo bar")
    bundle.office.delivers()
    bundle.office.is_closed = False
    later(FIRST_PAUSE)
    (answer,) = bundle.office.mails("ada")[before:]
    assert answer.subject == "Reply: Autumn, Spring"
    later(JOINING)
    assert len(bundle.office.mails("ada")) == before + 1
    assert db.session.scalar(db.select(db.func.count()).where(LetterRow.kind == "answer")) == 0


def test_a_reply_about_one_game_is_answered_as_before(bundle: Bundle) -> None:
    (answer,) = bundle.replies(f"{bundle.first}: {bundle.move(0)}")
    assert answer.subject.startswith("Move played: Autumn")
    assert "your move was played" in answer.text


def test_one_letter_begins_the_next_turns_with_the_moves_that_it_confirms(ann: Correspondent) -> None:
    ann_joins(ann)
    games = ann_plays(ann, HIMMEL, HIMMEL)
    before, moves = len(ann.mails()), [a_move(it, ann_id(ann)) for it in games]
    ann.sends(ann.newest_answer.reply_to, f"1: {moves[0]}\n2: {moves[1]}")
    everything_due_happens()
    later(2 * JOINING)
    (turns,) = ann.mails()[before:]
    assert turns.subject == "Your turn in 2 games"
    assert [f"You played: {move} Please move by" in part(turns, nr) for nr, move in enumerate(moves, 1)] == [True, True]


def test_a_line_that_cannot_be_read_waits_for_the_turn_that_begins_in_another_game(ann: Correspondent) -> None:
    ann_joins(ann)
    games = ann_plays(ann, HIMMEL, HIMMEL)
    before, move = len(ann.mails()), a_move(games[0], ann_id(ann))
    ann.sends(ann.newest_answer.reply_to, f"1: {move}\n2: foo bar")
    everything_due_happens()
    later(2 * SECOND)
    (turns,) = ann.mails()[before:]
    assert turns.subject == "Your turn in 2 games"
    assert f"You played: {move}" in part(turns, 1)
    assert "You wrote: foo bar" in part(turns, 2)


@pytest.mark.parametrize("is_due", [True, False])
def test_a_question_beside_a_move_of_an_old_turn_is_answered(ann: Correspondent, is_due: bool) -> None:
    ann_joins(ann)
    first, second = ann_plays(ann, HIMMEL, HIMMEL)
    to, old = ann.newest_answer.reply_to, next(it for it in ann.mails()[::-1] if it.subject.startswith("Your turn"))
    moves = [a_move(it, ann_id(ann)) for it in (first, second)]
    ann.sends(to, f"1: {moves[0]}\n2: {moves[1]}")
    if is_due:
        everything_due_happens()
    before = len(ann.mails())
    again = f"game 1: {moves[0]}\nWho is winning?\ngame 2: {moves[1]}"
    ann.sends(to, again, In_Reply_To=str(old.message["Message-ID"]))
    later(2 * JOINING)
    (answer,) = (it for it in ann.mails()[before:] if "The scores so far" in it.text)
    told = "Your turn in game 1 Sternenhimmel began after the email" if is_due else "It isn't your turn in game 1"
    assert told in said(answer)
    assert "You wrote: Who is winning?" in part(answer, 1)
    assert "Who is winning?" not in part(answer, 2)


@pytest.mark.parametrize(
    "line", ["the second one", "The second one, please", "das zweite", "le deuxième", "la seconda mossa"]
)
def test_a_line_of_a_letter_about_several_games_is_named_by_its_game(bundle: Bundle, line: str) -> None:
    (asked,) = bundle.replies(line)
    assert "2 games are waiting for your move. Nothing was played yet. Begin the line with the number" in said(asked)
    bundle.mail = bundle.office.mails("ada")[0]
    before = len(bundle.office.mails("ada"))
    bundle.sends(f"{bundle.second}: {line}")
    (answer,) = bundle.office.mails("ada")[before:]
    assert "Spring" in answer.subject and f"\n  {line}\n" in answer.text


def test_a_line_with_the_number_of_no_game_is_answered_and_stops_no_other(bundle: Bundle) -> None:
    (answer,) = bundle.replies(f"{bundle.first}: {bundle.move(0)}", f"{bundle.second}: {bundle.move(1)}", "7: 3 leo c")
    assert answer.subject == "Reply: Autumn, Spring"
    assert "You wrote: 7: 3 leo c == You have no game 7." in said(answer)
    assert all("You played: " in part(answer, nr) for nr in (bundle.first, bundle.second))


def test_a_line_with_the_number_of_a_slot_is_the_rest_of_the_turn(ann: Correspondent) -> None:
    ann_joins(ann)
    (game_id,) = ann_plays(ann, "sternenglanz")
    ann.sends(ann.newest_answer.reply_to, f"game 1: {a_move(game_id, ann_id(ann))}")
    everything_due_happens()
    before = len(ann.mails())
    ann.sends(ann.newest_answer.reply_to, "game 1: 1 lay dot star b1\n3: lay dot star b2")
    assert not any("You have no game 3" in said(it) for it in ann.mails()[before:])


@pytest.fixture
def three(app: Flask, ada: UUID, bea: UUID, within: None) -> Bundle:
    return Bundle(app, ada, bea, bea, person("Cara"))


@pytest.mark.parametrize(
    "form",
    [
        "In the game with Cara: {}",
        "against cara: {}",
        "I play {} in my game against Cara.",
        "In der Partie mit Cara: {}",
        "Im Spiel gegen Cara {}",
        "dans la partie contre Cara : {}",
        "Nella partita con Cara, {}",
    ],
)
@pytest.mark.parametrize("above", ["game {}: say hi\n\n", ""])
def test_a_line_that_names_a_player_is_for_the_game_with_them(three: Bundle, form: str, above: str) -> None:
    move = three.move(2)
    told = three.told(above.format(three.first) + form.format(move))
    assert f"{move}\n" in told and "Winter" in told and "We don't know which game" not in told
    assert three.played() == [False, False, True]


@pytest.mark.parametrize("form", ["In the game with Bea: {}", "In der Partie mit Zed: {}", "gegen Bea: {}"])
def test_a_line_that_names_a_player_of_no_game_or_of_several_is_asked_about(three: Bundle, form: str) -> None:
    line = form.format(three.move(0))
    told = three.told(f"{three.more[0]}: say hi", "", line, "Put it on a then")
    assert f"== You wrote: {line} ==\n\nWe don't know which game this line is for." in told
    assert "== You wrote: Put it on a then ==" in told
    assert [told.count(f"“{title}”") for title in ("Autumn", "Spring", "Winter")] == [1, 1, 1], told
    assert three.played() == [False, False, False]


def test_a_reply_to_a_letter_about_one_game_may_name_the_player_of_another(three: Bundle) -> None:
    move = three.move(2)
    before = len(three.office.mails("ada"))
    three.told(f"{three.first}: say hi")
    three.mail = three.office.mails("ada")[before]
    three.told(f"In the game with Cara: {move}")
    assert three.played() == [False, False, True]


def test_a_sentence_about_two_games_goes_to_both(three: Bundle) -> None:
    moves = [three.move(0), three.move(2)]
    three.told(f"For game {three.first} I take {moves[0]}, and for game {three.more[0]} please play {moves[1]}.")
    assert three.played() == [True, False, True]


def test_a_sentence_about_two_games_that_cannot_be_split_is_asked_about(three: Bundle) -> None:
    line = f"I would play {three.move(0)} in game {three.first} if I may in game {three.second}."
    told = " ".join(three.told(line).split())
    assert f"You wrote: {line} We don't know which game this line is for." in told


@pytest.mark.parametrize("line", ["How long does game {} take?", "Wie lange dauert Partie {}?"])
def test_a_question_about_another_game_is_answered_for_that_game(three: Bundle, line: str) -> None:
    told = three.told(f"game {three.more[0]}: say hi", "", line.format(three.first))
    assert "about 30 turns" in told.partition(f"\n== {three.first} ")[2].partition("\n== ")[0]


@pytest.mark.parametrize("line", ["?", " ? "])
def test_a_question_mark_explains_how_to_write_to_several_games(three: Bundle, line: str) -> None:
    told = " ".join(three.told(line).split())
    assert "Begin each line with the number of its game, for example:" in told
    assert all(f"- game {nr}: " in told for nr in (three.first, three.second, *three.more))
    assert f'"game {three.first}: ?" sends you your possible moves in that game.' in told


def test_a_question_mark_with_a_number_helps_in_that_game(three: Bundle) -> None:
    assert "Your possible moves" in (told := three.told(f"? {three.second}")) and "Reply: Spring" not in told


def test_a_reply_about_one_game_counts_all_games_that_wait(three: Bundle) -> None:
    told = " ".join(three.told(f"{three.first}: {three.move(0)}", f"{three.second}: foo bar").split())
    assert "ada, 2 games are waiting for your move." in told


def test_each_line_that_cannot_be_read_is_quoted(three: Bundle) -> None:
    star, board, space = three.move(0).split()
    lines = [f"{star} {board} {space}{it}" for it in "yz"]
    told = " ".join(three.told(f"{three.first}: {lines[0]}", lines[1]).split())
    assert all(it in told for it in lines)


def in_order(of: Bundle) -> list[int]:
    """Return the positions of the games in the order of the letter."""
    numbers = [of.first, of.second, *of.more]
    return sorted(range(len(numbers)), key=lambda nr: of.mail.text.index(f"\n== {numbers[nr]} "))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("In the first game {} please.", "for the second game: {}"),
        ("Im ersten Spiel {} bitte.", "{} in der zweiten Partie"),
        ("Dans la première partie {}", "deuxième partie : {}"),
        ("Nella prima partita {}", "2nd game: {}"),
    ],
)
def test_the_first_game_is_the_first_of_the_letter(three: Bundle, first: str, second: str) -> None:
    one, two, last = in_order(three)
    told = three.told(first.format(three.move(one)), second.format(three.move(two)))
    assert [three.played()[nr] for nr in (one, two, last)] == [True, True, False], told


@pytest.mark.parametrize("line", ["In the fourth game {}", "Im vierten Spiel: {}"])
def test_a_game_that_the_letter_does_not_have_is_asked_about(three: Bundle, line: str) -> None:
    written = line.format(three.move(1))
    told = " ".join(three.told(written, f"{three.first}: {three.move(0)}").split())
    assert f"You wrote: {written} == We don't know which game this line is for." in told
    assert three.played() == [True, False, False]


def test_the_first_game_is_asked_about_once_the_letter_is_outdated(three: Bundle) -> None:
    three.told(f"{three.first}: {three.move(0)}")
    told = " ".join(three.told(f"In the first game {three.move(1)}").split())
    assert "We don't know which game this line is for." in told
    assert three.played() == [True, False, False]


@pytest.mark.parametrize(
    "form", ["In game {}: {}. How strong are the bots?", "{}. {}", "{}) {}", "I play {1} in game {0}."]
)
def test_a_line_that_names_its_game_is_for_that_game(three: Bundle, form: str) -> None:
    told = three.told("In the fourth game 7 leo c", form.format(three.more[0], three.move(2)))
    assert three.played() == [False, False, True], told
    assert "You wrote: In the fourth game 7 leo c" in told


@pytest.mark.parametrize("line", ["This is my first game.", "Das ist mein erstes Spiel", "C'est ma première partie"])
def test_a_remark_about_a_first_game_is_for_no_other_game(three: Bundle, line: str) -> None:
    told = three.told(f"{three.second}: {three.move(1)}", "", line)
    assert "We don't know which game" not in told
    assert not three.played()[0] and not three.played()[2]


def test_a_line_with_a_number_that_no_table_understands_gets_an_answer(three: Bundle) -> None:
    told = three.told(f"{three.first}: {three.move(0)}", f"{three.second}. choose star birth and black hole B")
    assert "choose star birth and black hole B" in told
    assert "3. choose" not in told.replace("You wrote: 3. choose", "")
    assert three.played() == [True, False, False]
