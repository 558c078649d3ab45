"""What becomes of the mails that came in: what each of them does, and its one answer."""

import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from random import Random
from types import FrameType, FunctionType
from uuid import UUID

import pytest
from flask import Flask

from server import errors
from server.accounts.players import profile
from server.accounts.rate_limits import most_of
from server.clock import clock
from server.config import Bound
from server.play.commits import load_within
from server.play.mail_in import KEPT, addressee, forget_old_mails, reply_word, take_mail
from server.play.moves import legal_moves, turn_word
from server.play.outages import follow_outages
from server.play.postmaster import deal_again, kept_mails
from server.play.seats import return_word
from server.play.views import view_of
from server.play.votes import vote
from server.post import wording
from server.post.incoming import answering, replies
from server.post.incoming.answering import LEASE, deal_with_mails
from server.rules import GAMES
from server.store.retry import Unavailable
from server.store.tables import Incoming, LetterRow, Message, RateLimit, db
from tests.post.office import Mail, Office, a_mail, arrives
from tests.support.games import (
    DAY,
    HOUR,
    MINUTE,
    everything_due_happens,
    game_of,
    happened,
    head_of,
    later,
    moves_on,
    person,
    seats_of,
    service_is_up,
    until,
)

DOMAIN = "stars.example"
BY_THE_HUNDRED = int(os.environ.get("STERNENPOST_HOSTILE_MAILS", "100"))  # mails made up; more of them find more


pytestmark = pytest.mark.usefixtures("within")


@pytest.fixture
def office(app: Flask) -> Office:
    return Office(app, DOMAIN)


@pytest.fixture
def game_id(ada: UUID, bea: UUID) -> UUID:
    """A game of Ada, Bea and a bot, in which Ada begins."""
    return game_of(ada, bea, bots=1)


def ada_writes(office: Office, text: str, **more: str) -> Mail:
    """She answers her newest letter, and gets an answer."""
    before = office.mails("ada")
    arrives(before[-1].reply_to, a_mail(text, **more))
    deal_with_mails()
    (answer,) = (
        mail for mail in office.mails("ada")[len(before) :] if mail.message["Auto-Submitted"] == "auto-replied"
    )
    return answer


def no_answer(office: Office, text: str, **more: str) -> bool:
    before = office.mails("ada")
    arrives(before[-1].reply_to, a_mail(text, **more))
    deal_with_mails()
    return office.mails("ada") == before


def a_move(game_id: UUID, who: UUID, number: int = 0) -> str:
    rules = head_of(game_id).table.rules
    move = legal_moves(game_id, who, [])["moves"][number]
    return rules.write_move(rules.move_from_json(move))


def an_illegal_move(game_id: UUID, who: UUID) -> str:
    """With a star that she has and a board that is not in play."""
    star, _, space = a_move(game_id, who).split(" ")
    in_play = {board["board"] for board in view_of(head_of(game_id), 0)["boards"]}
    away = next(board["id"] for board in GAMES["sternenhimmel"].describe()["boards"] if board["id"] not in in_play)
    return f"{star} {away} {space}"


def messages(game_id: UUID) -> list[str]:
    db.session.rollback()
    said = db.select(Message.text).where(Message.game_id == game_id).order_by(Message.nr)
    return list(db.session.scalars(said))


def confirmation_in(mail: Mail) -> str:
    found = re.search(r"^  (confirm \w+)$", mail.text, re.MULTILINE)
    assert found
    return found[1]


def is_resigned(game_id: UUID) -> bool:
    return "seat-handed-over" in happened(game_id)


# Addresses


def test_every_letter_of_a_game_can_be_answered(office: Office, game_id: UUID) -> None:
    (turn,) = office.mails("ada")
    word, _, domain = turn.reply_to.partition("@")
    assert domain == DOMAIN
    assert len(word) <= 64
    assert addressee(word) == addressee(word.upper()) == (game_id, 0, turn_of_ada(game_id))
    assert turn.text.startswith("##- Answer above this line")
    assert "##- Answer above this line" in turn.page


def turn_of_ada(game_id: UUID) -> int | None:
    return seats_of(game_id)[0].turn


def test_letters_name_no_address_where_nobody_takes_answers(app: Flask, game_id: UUID) -> None:
    (turn,) = Office(app).mails("ada")
    assert turn.message["Reply-To"] is None
    assert "##-" not in turn.text


def test_a_player_may_be_the_postmaster_of_a_domain_of_his_own(office: Office, bea: UUID) -> None:
    who = person("postmaster")
    game_id = game_of(who, bea, bots=1)
    (turn,) = office.mails("postmaster")
    arrives(turn.reply_to, a_mail(a_move(game_id, who), sender="Postmaster <postmaster@example.org>"))
    arrives(turn.reply_to, a_mail("resign", sender="postmaster@example.org"))
    deal_with_mails()
    assert "star-placed" in happened(game_id)
    asked = office.mails("postmaster")[-1]
    arrives(asked.reply_to, a_mail(confirmation_in(asked), sender="postmaster@example.org"))
    deal_with_mails()
    assert is_resigned(game_id)


@pytest.mark.parametrize("headers", [{"From": "postmaster@mx.example.org"}, {"Auto-Submitted": "auto-replied"}])
def test_any_other_postmaster_is_a_machine_and_so_is_he_where_he_says_so(
    office: Office, bea: UUID, headers: dict[str, str]
) -> None:
    game_of(person("postmaster"), bea, bots=1)
    before = office.mails("postmaster")
    arrives(before[-1].reply_to, a_mail("?", sender="postmaster@example.org", **headers))
    deal_with_mails()
    assert office.mails("postmaster") == before


def test_the_word_of_a_link_is_no_address(game_id: UUID) -> None:
    with pytest.raises(errors.NotFound):
        addressee(turn_word(game_id, 0, 1))


# Moves


def test_a_move_is_played_and_its_answer_tells_what_came_of_it(office: Office, game_id: UUID, ada: UUID) -> None:
    line = a_move(game_id, ada)
    answer = ada_writes(office, f"Good evening!\n{line}\n", **{"Message-ID": "<7@ada.example.org>"})
    assert "star-placed" in happened(game_id)
    assert answer.text.splitlines()[2] == f"ada, your move was played: {line}"
    assert "What happened:\n- ada put" in answer.text
    assert answer.message["In-Reply-To"] == "<7@ada.example.org>"
    assert str(answer.message["References"]).split() == [f"<{game_id}@localhost>", "<7@ada.example.org>"]
    assert answer.message["Auto-Submitted"] == "auto-replied"
    assert answer.message["X-Loop"] == "sternenpost"


def test_an_illegal_move_is_answered_with_the_reason_and_what_would_be_legal(
    office: Office, game_id: UUID, ada: UUID
) -> None:
    line = an_illegal_move(game_id, ada)
    answer = ada_writes(office, line)
    assert f"this could not be done.\n\n  {line}\n" in answer.text
    star, board, space = a_move(game_id, ada).split(" ")
    assert re.search(rf"^  {star} {board}: {space} \|", answer.text, re.MULTILINE)
    assert "star-placed" not in happened(game_id)
    ada_writes(office, a_move(game_id, ada))  # the answer can be answered, too
    assert "star-placed" in happened(game_id)


def test_a_move_for_a_turn_that_is_over_is_answered_with_how_things_are(
    office: Office, game_id: UUID, ada: UUID
) -> None:
    (turn,) = office.mails("ada")
    line, other = a_move(game_id, ada), a_move(game_id, ada, 1)
    moves_on(game_id, ada)
    arrives(turn.reply_to, a_mail(other))
    deal_with_mails()
    answer = office.mails("ada")[-1]
    assert "That turn is over" in answer.text
    assert f"  {other}\n" in answer.text
    assert "The table now:" in answer.text
    assert happened(game_id).count("star-placed") == 1
    arrives(turn.reply_to, a_mail(line))  # the very same move again
    deal_with_mails()
    assert f"your move was played: {line}" in office.mails("ada")[-1].text
    assert happened(game_id).count("star-placed") == 1


def test_what_is_not_in_notation_does_nothing_and_the_answer_says_how_to_write(
    office: Office, game_id: UUID, ada: UUID
) -> None:
    answer = ada_writes(office, f"I play {a_move(game_id, ada)}, I think.")
    assert "not quite in the notation" in answer.text
    assert "What you can write" in answer.text
    assert "star-placed" not in happened(game_id)


def test_a_mail_without_a_word_of_her_own_is_answered(office: Office, game_id: UUID) -> None:
    quoted = "\n".join(f"> {line}" for line in office.mails("ada")[-1].text.splitlines())
    assert "We found nothing that you wrote" in ada_writes(office, quoted).text


def test_lines_of_our_letter_are_no_moves_even_in_a_copy_that_is_not_marked(
    office: Office, game_id: UUID, ada: UUID
) -> None:
    copy = office.mails("ada")[-1].text.partition("\n\n")[2]  # without the line above which one answers
    assert re.search(rf"^  {a_move(game_id, ada)}$", copy, re.MULTILINE)
    ada_writes(office, f"What a night.\n\n{copy}")
    assert "star-placed" not in happened(game_id)


def test_a_question_mark_asks_for_the_moves_open(office: Office, game_id: UUID, ada: UUID, bea: UUID) -> None:
    answer = ada_writes(office, "?")
    star, board, _ = a_move(game_id, ada).split(" ")
    assert f"\n  {star} {board}: " in answer.text
    moves_on(game_id, ada)
    assert "It is not your turn" in ada_writes(office, "?").text


def calls(functions: Sequence[FunctionType], action: Callable[[], object]) -> list[tuple[str, object]]:
    """Which of these the action has called, by whatever name they were imported, each with its first argument."""
    met: list[tuple[str, object]] = []
    codes = {function.__code__: function.__name__ for function in functions}

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code in codes:
            met.append((codes[frame.f_code], frame.f_locals[frame.f_code.co_varnames[0]]))

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return met


@pytest.mark.parametrize("rules", ["sternenhimmel", "sternenglanz"])
def test_a_reply_with_a_move_loads_its_game_once_and_reads_its_text_once(
    office: Office, ada: UUID, bea: UUID, rules: str
) -> None:
    game_id = game_of(ada, bea, bots=rules == "sternenhimmel", rules=rules)
    module, line = GAMES[rules], a_move(game_id, ada)
    arrives(office.mails("ada")[-1].reply_to, a_mail(f"Good evening!\n\n{line}\n\nAda"))
    met = calls([load_within, replies.read, module.read_move, module.move_from_json], deal_with_mails)
    assert [name for name, given in met if given == line or name != "read_move"] == ["load_within", "read", "read_move"]
    assert f"your move was played: {line}" in office.mails("ada")[-1].text


# Time


def test_what_arrived_before_the_due_time_is_in_time(office: Office, game_id: UUID, ada: UUID) -> None:
    line, due_at = a_move(game_id, ada), seats_of(game_id)[0].due_at
    office.mails("ada")
    until(due_at - MINUTE)
    arrives(office.mails("ada")[-1].reply_to, a_mail(line))
    until(due_at + HOUR)
    everything_due_happens()
    assert "time-extended" not in happened(game_id)
    deal_with_mails()
    everything_due_happens()
    assert "time-extended" not in happened(game_id)
    assert f"your move was played: {line}" in office.mails("ada")[-1].text


def test_what_arrived_later_holds_up_nothing(office: Office, game_id: UUID, ada: UUID) -> None:
    line, due_at = a_move(game_id, ada), seats_of(game_id)[0].due_at
    office.mails("ada")
    until(due_at + MINUTE)
    arrives(office.mails("ada")[-1].reply_to, a_mail(line))
    everything_due_happens()
    assert "time-extended" in happened(game_id)


def test_a_mail_that_does_not_move_holds_up_the_others_until_it_is_answered_only(office: Office, game_id: UUID) -> None:
    due_at = seats_of(game_id)[0].due_at
    office.mails("ada")
    until(due_at - MINUTE)
    arrives(office.mails("ada")[-1].reply_to, a_mail("?"))
    until(due_at + HOUR)
    everything_due_happens()
    assert "time-extended" not in happened(game_id)
    deal_with_mails()
    later(MINUTE)
    everything_due_happens()
    assert "time-extended" in happened(game_id)


def test_a_mail_from_hours_that_a_clock_set_right_has_yet_to_reach_arrived_now(office: Office, game_id: UUID) -> None:
    office.mails("ada")
    clock.forward(2 * DAY)
    service_is_up()
    arrives(office.mails("ada")[-1].reply_to, a_mail("say Good evening!"))
    clock.forward(-2 * DAY)
    service_is_up()
    follow_outages()
    deal_with_mails()
    assert messages(game_id) == ["Good evening!"]


def test_a_turn_takes_no_longer_than_until_its_mail_arrived(office: Office, ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, clock={"bank": "P3D", "increment": "PT1H", "cap": "P5D"})
    line = a_move(game_id, ada)
    office.mails("ada")
    later(DAY)
    arrives(office.mails("ada")[-1].reply_to, a_mail(line))
    later(DAY)
    deal_with_mails()
    assert timedelta(seconds=seats_of(game_id)[0].allowed) == pytest.approx(2 * DAY + HOUR, abs=timedelta(minutes=1))


# Words, pauses, leaving


def test_words_for_the_table_stand_there(office: Office, game_id: UUID) -> None:
    assert "Your words stand at the table" in ada_writes(office, "say Good evening, all!\nsay And good luck.").text
    assert messages(game_id) == ["Good evening, all!", "And good luck."]


def test_a_game_rests_and_goes_on_when_all_wish_it(office: Office, game_id: UUID, ada: UUID, bea: UUID) -> None:
    assert "as soon as all who play wish it" in ada_writes(office, "pause").text
    vote(game_id, bea, "pause", True)
    assert head_of(game_id).table.status == "paused"
    vote(game_id, bea, "resume", True)
    assert "The game goes on." in ada_writes(office, "resume").text
    assert head_of(game_id).table.status == "running"


def test_resigning_is_done_when_it_is_confirmed(office: Office, game_id: UUID) -> None:
    asked = ada_writes(office, "resign")
    assert "You wrote:\n  resign\n" in asked.text
    assert not is_resigned(game_id)
    answer = ada_writes(office, confirmation_in(asked))
    assert "You have resigned" in answer.text
    assert f"To take it back: http://127.0.0.1:8000/back/{return_word(game_id, 0)}\n" in answer.text
    assert is_resigned(game_id)
    assert "Nothing waits for this confirmation" in ada_writes(office, confirmation_in(asked)).text


def test_so_is_a_vacation(office: Office, game_id: UUID, ada: UUID) -> None:
    first, last = (clock.now() + 10 * DAY).date(), (clock.now() + 15 * DAY).date()
    asked = ada_writes(office, f"vacation {first}..{last}")
    assert profile(ada)["calendar"] == {}
    said = f"from {first:%-d %B %Y} to {last:%-d %B %Y}"
    assert said in ada_writes(office, confirmation_in(asked)).text
    assert profile(ada)["calendar"] == {"vacations": [{"from": str(first), "to": str(last)}]}


def test_a_vacation_that_cannot_be_had_is_answered_with_the_reason(office: Office, game_id: UUID, ada: UUID) -> None:
    first, last = (clock.now() + 10 * DAY).date(), (clock.now() + 100 * DAY).date()
    answer = ada_writes(office, confirmation_in(ada_writes(office, f"vacation {first}..{last}")))
    assert "42" in answer.text
    assert profile(ada)["calendar"] == {}


def test_what_needs_no_second_thought_is_done_at_once(office: Office, game_id: UUID, ada: UUID) -> None:
    first = (clock.now() + 10 * DAY).date()
    answer = ada_writes(office, f"{a_move(game_id, ada)}\nvacation {first}..{first}")
    assert "star-placed" in happened(game_id)
    assert confirmation_in(answer)


# Senders


def test_the_players_address_is_known_whatever_its_capitals(office: Office, game_id: UUID, ada: UUID) -> None:
    ada_writes(office, a_move(game_id, ada), From="Ada L. <ADA@Example.org>")
    assert "star-placed" in happened(game_id)


def test_a_mail_from_elsewhere_counts_when_the_player_confirms_it(office: Office, game_id: UUID, ada: UUID) -> None:
    line = a_move(game_id, ada)
    asked = ada_writes(office, f"{line}\nsay From my other desk.", sender="ada@work.example")
    assert "We got a mail for your seat from ada@work.example" in asked.text
    assert f"\n  {line}\n  say From my other desk.\n" in asked.text
    assert "star-placed" not in happened(game_id)
    assert asked.to == "ada@example.org"
    answer = ada_writes(office, confirmation_in(asked), sender="ada@work.example")  # whoever knows it reads her mail
    assert f"your move was played: {line}" in answer.text
    assert messages(game_id) == ["From my other desk."]


def test_nobody_elses_confirmation_counts(office: Office, game_id: UUID, ada: UUID, bea: UUID) -> None:
    asked = ada_writes(office, a_move(game_id, ada), sender="eve@example.net")
    beas = reply_word(game_id, 1, 1)
    arrives(f"{beas}@{DOMAIN}", a_mail(confirmation_in(asked), sender="bea@example.org"))
    ada_writes(office, "confirm 0123456789", sender="eve@example.net")
    assert "star-placed" not in happened(game_id)


@pytest.mark.parametrize(
    "doubtful", ["ada@example.org, eve@example.net", "ada@example.org <eve@example.net>", "undisclosed-recipients:;"]
)
def test_a_sender_in_doubt_is_a_stranger(office: Office, game_id: UUID, ada: UUID, doubtful: str) -> None:
    raw = a_mail(a_move(game_id, ada)).replace(b"From: ada@example.org", b"From: " + doubtful.encode())
    office.mails("ada")
    arrives(office.mails("ada")[-1].reply_to, raw)
    deal_with_mails()
    assert "star-placed" not in happened(game_id)
    assert "please confirm" in office.mails("ada")[-1].text


# Machines


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto-Submitted": "auto-replied"},
        {"Precedence": "bulk"},
        {"Return-Path": "<>"},
        {"X-Loop": "sternenpost"},
        {"Subject": "Out of office: away"},
    ],
    ids=str,
)
def test_what_no_person_wrote_does_nothing_and_gets_no_answer(
    office: Office, game_id: UUID, ada: UUID, headers: dict[str, str]
) -> None:
    assert no_answer(office, a_move(game_id, ada), **headers)
    assert "star-placed" not in happened(game_id)


def test_our_own_answer_that_comes_back_gets_none(office: Office, game_id: UUID) -> None:
    answer = ada_writes(office, "?")
    arrives(answer.reply_to, answer.raw)
    deal_with_mails()
    assert office.mails("ada")[-1] == answer


def test_answers_to_mails_that_play_nothing_have_an_end(office: Office, game_id: UUID, ada: UUID) -> None:
    answers = [ada_writes(office, "Thank you for your mail.") for _ in range(most_of("answers").most)]
    ends = [("this is the last one for now" in it.text, "this is the last one for now" in it.page) for it in answers]
    assert ends == [*[(False, False)] * (most_of("answers").most - 1), (True, True)]
    link = f"http://127.0.0.1:8000/t/{turn_word(game_id, 0, turn_of_ada(game_id) or 0)}"
    assert f"You can also play here: {link}\n" in answers[-1].text
    assert no_answer(office, "Thank you for your mail.")
    assert "your move was played" in ada_writes(office, a_move(game_id, ada)).text
    later(HOUR)
    assert "It is not your turn" in ada_writes(office, "?").text


def test_so_have_those_to_one_sender_whatever_the_game(
    app: Flask, office: Office, ada: UUID, bea: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.config["BOUNDS"], "answers-to-sender", Bound(3, 3600))
    ends = []
    for _ in range(3):
        game_of(ada, bea, bots=1)
        ends.append("this is the last one for now" in ada_writes(office, "Thank you for your mail.").text)
    assert ends == [False, False, True]
    assert no_answer(office, "Thank you for your mail.")


def test_a_mail_of_nobody_that_can_be_read_counts_for_no_sender(office: Office, ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    ada_writes(office, "Thank you for your mail.", sender="")
    counted = set(db.session.scalars(db.select(RateLimit.key).where(RateLimit.key.startswith("answers"))))
    assert counted == {f"answers {game_id}/0"}


# Twice, and in pieces


def test_a_copy_of_a_mail_acts_once_and_is_answered_once(office: Office, game_id: UUID) -> None:
    raw = a_mail("say Good evening!")
    (turn,) = office.mails("ada")
    for copy in (raw, b"Received: from elsewhere\r\n" + raw, raw):
        arrives(turn.reply_to, copy)
        deal_with_mails()
    assert messages(game_id) == ["Good evening!"]
    assert len(office.mails("ada")) == 2


def test_another_mail_with_the_same_message_id_is_another_mail(office: Office, game_id: UUID) -> None:
    for words in ("One.", "Two."):
        ada_writes(office, f"say {words}", **{"Message-ID": "<always-the-same@ada.example.org>"})
    assert messages(game_id) == ["One.", "Two."]


@pytest.mark.parametrize("text", ["{move}", "say Good evening!", "pause", "resume"])
def test_who_dies_between_a_deed_and_its_mark_leaves_it_done_once(
    office: Office, game_id: UUID, ada: UUID, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = text.format(move=a_move(game_id, ada))
    if text == "resume":
        for wish, who in (("pause", "ada"), ("pause", "bea"), ("resume", "bea")):
            vote(game_id, person(who), wish, True)
    office.mails("ada")
    arrives(office.mails("ada")[-1].reply_to, a_mail(line))

    def dies(*_: object) -> None:
        raise Unavailable

    with monkeypatch.context() as patch, pytest.raises(Unavailable):
        patch.setattr(answering, "_finish", dies)
        deal_with_mails()
    before, said = happened(game_id), len(office.mails("ada"))
    deal_with_mails()
    assert len(office.mails("ada")) == said  # somebody may be at it still
    later(LEASE)
    deal_with_mails()
    assert happened(game_id) == before
    assert messages(game_id) == (["Good evening!"] if text.startswith("say") else [])
    answer = office.mails("ada")[-1]
    assert len(office.mails("ada")) == said + 1
    told = {"{move}": "your move was played", "pause": "as soon as all", "resume": "The game goes on."}
    assert told.get(text, "Your words stand") in answer.text


def breaks(*_: object, **__: object) -> None:
    raise RuntimeError("It broke: \0\ud800")


def test_mails_of_one_seat_are_dealt_with_in_order(
    office: Office, game_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    (turn,) = office.mails("ada")
    arrives(turn.reply_to, a_mail("say One."))
    arrives(turn.reply_to, a_mail("say Two."))

    def is_away(*_: object, **__: object) -> None:
        raise Unavailable

    with monkeypatch.context() as patch, pytest.raises(Unavailable):
        patch.setattr(replies, "read", is_away)
        deal_with_mails()
    deal_with_mails()
    assert messages(game_id) == []
    later(LEASE)
    deal_with_mails()
    assert messages(game_id) == ["One.", "Two."]


# What cannot be dealt with


def aside() -> list[str]:
    db.session.rollback()
    return [it["fault"] for it in kept_mails(10)]


def test_what_fails_by_chance_is_tried_once_more(
    office: Office, game_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = [breaks, replies.read]
    monkeypatch.setattr(replies, "read", lambda *given, **more: reads.pop(0)(*given, **more))
    assert "Something went wrong" not in ada_writes(office, "say One.").text
    assert messages(game_id) == ["One."]
    assert not aside()


def test_a_mail_that_cannot_be_dealt_with_is_kept_aside_at_once_and_answered(
    office: Office, game_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(replies, "read", breaks)
        answer = ada_writes(office, "say One.", **{"Message-ID": "<7@ada.example.org>"})
    assert "Something went wrong here" in answer.text
    assert answer.message["In-Reply-To"] == "<7@ada.example.org>"
    assert aside() == ["RuntimeError: It broke:"]
    ada_writes(office, "say Two.")
    assert messages(game_id) == ["Two."]


def test_it_holds_up_no_time_out(office: Office, game_id: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    due_at = seats_of(game_id)[0].due_at
    office.mails("ada")
    until(due_at - MINUTE)
    arrives(office.mails("ada")[-1].reply_to, a_mail("?"))
    until(due_at + HOUR)
    monkeypatch.setattr(replies, "read", breaks)
    deal_with_mails()
    later(MINUTE)  # as after any mail
    everything_due_happens()
    assert "time-extended" in happened(game_id)


def test_so_it_is_where_nobody_comes_to_an_end_with_it(
    office: Office, game_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    def takes_too_long(*_: object, **__: object) -> None:
        raise Unavailable  # as where a statement is given up again and again, or the worker dies of it

    before = office.mails("ada")
    arrives(before[0].reply_to, a_mail("say One."))
    with monkeypatch.context() as patch:
        patch.setattr(replies, "read", takes_too_long)
        for _ in range(5):
            with pytest.raises(Unavailable):
                deal_with_mails()
            later(LEASE)
        deal_with_mails()
    assert aside() == ["Nobody came to an end with it."]
    assert len(office.mails("ada")) == len(before) + 1
    (it,) = kept_mails(10)
    deal_again(it["id"])
    deal_with_mails()
    assert messages(game_id) == ["One."]


def test_so_it_is_where_not_even_an_answer_can_be_written(
    office: Office, game_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = office.mails("ada")
    arrives(before[0].reply_to, a_mail("say One."))
    with monkeypatch.context() as patch:
        patch.setattr(answering, "load", breaks)
        deal_with_mails()
    assert aside() == ["RuntimeError: It broke:"]
    assert office.mails("ada") == before
    (it,) = kept_mails(10)
    deal_again(it["id"])
    deal_with_mails()
    assert messages(game_id) == ["One."]
    assert not aside()


HOSTILE = [
    *(b"\0", b"\xed\xa0\x80", b"\xff\xfe", b"\x1b]0;x\x07", b"\x85\x0c\x0b", "\u2028\u202e\ufeff".encode(), b"\r", b"\n\n"),
    *(b"7 leo c", b"say \0", b"vacation 9999-12-31..9999-12-31", b"confirm \0", b"=?utf-7?B?2AA=?=", b"&#0;&#xd800;", b"=00=ED"),
    *(b"Date: Mon, 99 Foo -1 25:61:61 +9999\r\n", b"From: \0@\xff\r\n", b"Subject: =?x?y?z?=\r\n", b"Message-ID: <\0>\r\n"),
    *(b"Content-Type: text/html\r\n", b"Content-Type: text/plain; charset=\0\r\n", b"Content-Transfer-Encoding: base64\r\n"),
    *(b"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n", b"\r\n\r\n", b"-" * 9_000),
    *(b"x" * 300_000, b"<a>" * 3_000, b"> " * 5_000, b"a@" * 9_000, "\u0301".encode() * 9_000, b";" * 5_000, b'"' * 5_000),
]  # fmt: skip


def hostile(random: Random) -> bytes:
    """Somebody's mail with things in its head and body that no program would write."""
    head = [
        b"From: ada@example.org\r\n",
        b"Subject: Re\r\n",
        b"Message-ID: <%d@x.example>\r\n" % random.getrandbits(64),
    ]
    body = [random.choice((b"7 leo c", b"say Hello", b"?", b"pause", b"resign", b"")) for _ in range(3)]
    for _ in range(random.randint(1, 5)):
        where = random.choice((head, body, body))
        where.insert(random.randint(0, len(where)), random.choice(HOSTILE))
    raw = b"".join(head) + b"\r\n" + random.choice((b"", b" ", b"\r\n")).join(body)
    at = random.randint(0, len(raw))
    return raw[:at] + random.choice((b"", b"", b"\0", random.randbytes(20))) + raw[at:]


def test_whatever_a_mail_holds_is_answered_in_seconds(office: Office, game_id: UUID) -> None:
    for seed in range(BY_THE_HUNDRED):
        later(HOUR)  # else there are too many
        raw = hostile(Random(seed))
        take_mail(reply_word(game_id, 0, seed), str(seed), raw, limited=False)
        began = time.process_time()
        deal_with_mails()
        assert time.process_time() - began < 5, seed
        db.session.rollback()
        (mail,) = db.session.scalars(db.select(Incoming).where(Incoming.raw == raw))
        assert (mail.due_at, mail.fault) == (None, None), seed
        assert mail.answer or replies.read(raw, known="ada@example.org").automatic, seed
    assert office.mails("ada")
    assert not db.session.scalars(db.select(LetterRow)).all()


# Afterwards


def test_mails_are_forgotten_some_days_after_they_were_dealt_with(office: Office, game_id: UUID, ada: UUID) -> None:
    ada_writes(office, "?")
    forget_old_mails()
    assert db.session.scalars(db.select(Incoming.mail_id)).all()
    later(KEPT + HOUR)
    arrives(office.mails("ada")[-1].reply_to, a_mail("?"))
    forget_old_mails()
    (waiting,) = db.session.scalars(db.select(Incoming))
    assert waiting.due_at is not None


# Lines that come back


def test_what_she_wrote_once_does_not_act_again_below_an_intro_that_nobody_knows(office: Office, game_id: UUID) -> None:
    ada_writes(office, "say Good evening!")
    again = "Kiitos.\n\nAda kirjoitti\n\nsay Good evening!\n"
    assert "could not be sure that you wrote it now" in ada_writes(office, again).text
    assert messages(game_id) == ["Good evening!"]
    ada_writes(office, f"say And good luck.\n\n{again}")
    assert messages(game_id) == ["Good evening!", "And good luck."]
    later(KEPT + DAY)
    forget_old_mails()
    assert [bytes(raw) for raw in db.session.scalars(db.select(Incoming.raw))] == [b"", b"", b""]
    assert "could not be sure that you wrote it now" in ada_writes(office, again).text
    ada_writes(office, "Hello all,\n\nsay Good evening!")
    assert messages(game_id) == ["Good evening!", "And good luck.", "Good evening!"]


def test_of_many_answers_none_is_written_again_for_the_next_mail(
    office: Office, game_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(5):
        ada_writes(office, "?")
    written: list[str] = []
    write_page = wording.write_page

    def counted(letter: wording.Letter, *args: str, **more: str) -> str:
        written.append(letter.KIND)
        return write_page(letter, *args, **more)

    monkeypatch.setattr(wording, "write_page", counted)
    arrives(office.mails("ada")[-1].reply_to, a_mail("?"))
    deal_with_mails()
    assert not written
