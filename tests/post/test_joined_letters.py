"""One email per move against bots: the email about the next turn, or about the end, confirms the move.

Emails come and go by SMTP.
"""

import re
import smtplib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from email import message_from_bytes, policy
from html import unescape
from typing import Any
from uuid import UUID

import psycopg
import pytest
from flask import Flask
from flask_babel import force_locale

from server import leases
from server.accounts.players import change_profile
from server.accounts.rate_limits import most_of
from server.clock import clock
from server.games.presentation import write_move
from server.games.sternenglanz.material import KIND_OF
from server.play.commits import load
from server.play.mail.mail_in import reply_word
from server.play.views import view_of
from server.play.votes import vote
from server.post.coalescing import LONGEST
from server.post.delivery import PostOffice
from server.post.incoming import answering
from server.post.incoming.answering import JOINING, LEASE, deal_with_mails
from server.post.incoming.smtp_server import SmtpServer
from server.post.letters.answers import lines_for
from server.post.smtp import SmtpCarrier
from server.store import inbox, outbox
from server.store.database_retry import Unavailable
from server.store.tables import Delivery, LetterRow, db
from tests.post.incoming.replying import DOMAIN, a_move, turn_of_ada
from tests.post.office import Mail, a_mail, arrives
from tests.post.test_mail import Server, listening
from tests.support.games import (
    HOUR,
    everything_due_happens,
    game_of,
    happened,
    head_of,
    later,
    moves_on,
    stop_the_clock,
)
from tests.support.live_server import free_port

pytestmark = pytest.mark.usefixtures("within")


class Line:
    """Ada's mail account: what she receives, and how she replies."""

    def __init__(self, app: Flask, outgoing: Server, port: int, incoming: SmtpServer) -> None:
        self._office = PostOffice(app, SmtpCarrier(f"smtp://127.0.0.1:{port}", timeout=60), DOMAIN)
        self.outgoing, self._incoming = outgoing, incoming

    def mails(self) -> list[Mail]:
        while self._office.deliver_due():
            self._office.wait()
        found = []
        for sender, (to,), raw in self.outgoing.received:
            opened = message_from_bytes(raw, policy=policy.default)
            found.append(Mail(to, opened, raw, sender))
        return found

    def subjects(self) -> list[str]:
        return [mail.subject for mail in self.mails()]

    def replies(self, words: str, **headers: str) -> None:
        """Hand over a reply to the newest email a second later, so that no two of our letters have the same time."""
        later(timedelta(seconds=1))
        with smtplib.SMTP("127.0.0.1", self._incoming.port, timeout=60) as smtp:
            smtp.sendmail("ada@example.org", [self.mails()[-1].reply_to], a_mail(words, **headers))

    def plays(self, game_id: UUID, ada: UUID, **headers: str) -> str:
        move = a_move(game_id, ada)
        self.replies(move, **headers)
        deal_with_mails()
        return move


@pytest.fixture
def line(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[Line]:
    stop_the_clock(monkeypatch, clock.real())
    incoming, outgoing = SmtpServer(app, f"127.0.0.1:{free_port()}"), Server()
    incoming.keep_open()
    with listening(outgoing) as controller:
        yield Line(app, outgoing, controller.port, incoming)
    incoming.close()


@pytest.fixture
def game_id(ada: UUID) -> UUID:
    return game_of(ada, bots=2)


def results(game_id: UUID, kind: str) -> list[str]:
    db.session.rollback()
    ended = db.select(Delivery.result).where(Delivery.game_id == game_id, Delivery.kind == kind)
    return list(db.session.scalars(ended.order_by(Delivery.at)))


def test_the_email_about_the_first_turn_of_sternenglanz_confirms_the_choice_of_cards(line: Line, ada: UUID) -> None:
    glanz = game_of(ada, rules="sternenglanz", bots=1, options={"start_seat": 0})
    everything_due_happens()  # the bot chooses, so that the choice begins the turn
    [letter] = line.mails()
    assert letter.subject == "Your turn: Sternenglanz"
    kinds = {KIND_OF[it].id for it in view_of(head_of(glanz), 0)["hand"]}
    for part in (re.sub(r"\n  (?=\w)", " ", letter.text), letter.page):
        lines = re.findall(r"(?:- |<li>)(.*(?: places a star | moves a dot star | removes a dot star ).*)", part)
        assert len(lines) == len(kinds), lines
    line.plays(glanz, ada)
    everything_due_happens()
    _, turn = line.mails()
    assert turn.subject == "Your turn: Sternenglanz"
    assert "You played: choose" in turn.text


def test_the_email_about_the_next_turn_confirms_the_move(line: Line, game_id: UUID, ada: UUID) -> None:
    assert line.subjects() == ["Your turn: Sternenhimmel"]
    move = line.plays(game_id, ada, **{"Message-ID": "<7@ada.example.org>"})
    assert len(line.mails()) == 1
    everything_due_happens()
    _, turn = line.mails()
    assert turn.subject == "Your turn: Sternenhimmel"
    assert f"\nYou played: {move}\n" in turn.text
    assert f"You played: {move}" in turn.page
    assert "Since your last turn:\n- " in turn.text and "- You put" not in turn.text  # that would say it twice
    assert turn.message["In-Reply-To"] == "<7@ada.example.org>"
    later(2 * JOINING)
    assert len(line.mails()) == 2
    assert results(game_id, "answer") == results(game_id, "your-turn")[1:] == ["sent"]


def test_our_reply_to_a_part_of_a_turn_says_what_comes_next(line: Line, ada: UUID) -> None:
    glanz = game_of(ada, rules="sternenglanz", bots=1, options={"start_seat": 0})
    moves_on(glanz, ada)
    everything_due_happens()
    for slot, told in (
        ("1", "Now use slot 2 or 3."),
        ("2", 'Use slot 3 as well, or write "finish".'),
        ("finish", "Your cards have moved along by one slot. Slot 2 is empty: name a card from your hand for it. Then"),
    ):
        table = load(glanz).table
        steps = [write_move(table.rules, it, "en") for it in table.rules.legal_moves(table.state, 0)]
        line.replies(next(it for it in steps if it.startswith(slot)))
        deal_with_mails()
        answer = line.mails()[-1]
        assert told in " ".join(answer.text.split()) and unescape(told) in unescape(answer.page)


FIRST = {
    "sternenhimmel": "The player with the most coins wins: in each full constellation, the highest total earns the most. "
    "Now put one of your stars on an empty space: face up on a small one, face down on a large one.",
    "sternenglanz": "You win if you're the first to have 30 points. Now choose two of your cards: one for slot 2, one for slot 3.",
}


@pytest.mark.parametrize("rules", FIRST)
def test_the_first_email_of_a_game_says_what_to_do_and_gives_a_whole_reply(line: Line, ada: UUID, rules: str) -> None:
    game_id = game_of(ada, rules=rules, bots=2)
    (turn,) = line.mails()
    head, _, rest = turn.text.partition("Please move by")
    head = " ".join(head.split())  # long cards wrap the example
    assert FIRST[rules] in head
    assert FIRST[rules] in unescape(turn.page).partition("Please move by")[0]
    (move,) = re.findall(r"Reply with a line such as \"(.+?)\"\.", head)
    assert f'Reply with a line such as "<code>{move}</code>".' in " ".join(unescape(turn.page).split())
    for left_out in ("The game started", "Since your last turn", "Rings mark", "How to write a move"):
        assert left_out not in turn.text + turn.page
    assert 'Reply "rules" to read how to write a move.' in rest
    line.replies(move)
    deal_with_mails()
    everything_due_happens()
    assert f"You played: {move}" in " ".join(line.mails()[-1].text.split())
    assert len(happened(game_id)) > 2


def test_the_first_email_of_a_second_game_explains_the_rules_only_if_they_are_new(line: Line, ada: UUID) -> None:
    for rules in ("sternenhimmel", "sternenhimmel", "sternenglanz"):
        game_of(ada, rules=rules, bots=2)
        line.mails()
        later(LONGEST)
    told = [any(first in " ".join(mail.text.split()) for first in FIRST.values()) for mail in line.mails()]
    assert told == [True, False, True]
    assert "The game started" not in line.mails()[1].text


def test_a_quoted_first_email_is_no_move(line: Line, game_id: UUID, ada: UUID) -> None:
    (turn,) = line.mails()
    before = happened(game_id)
    line.replies(f"Thanks!\n\n{turn.text.partition(chr(10) * 2)[2]}")
    deal_with_mails()
    assert happened(game_id) == before
    line.plays(game_id, ada)
    everything_due_happens()
    assert "a line such as" not in line.mails()[-1].text


def test_a_quoted_confirmation_is_no_move(line: Line, game_id: UUID, ada: UUID) -> None:
    line.mails()
    line.plays(game_id, ada)
    everything_due_happens()
    copied = line.mails()[-1].text.partition("\n\n")[2]
    before = happened(game_id)
    line.replies(f"Well played!\n\n{copied}")
    deal_with_mails()
    assert happened(game_id) == before
    move = a_move(game_id, ada, -1)
    line.replies(f"{move}\n\n{copied}")
    deal_with_mails()
    everything_due_happens()
    assert f"\nYou played: {move}\n" in line.mails()[-1].text


def test_the_email_about_the_turn_confirms_a_take_back(line: Line, game_id: UUID, ada: UUID) -> None:
    line.mails()
    move = line.plays(game_id, ada)
    line.replies("undo", **{"Message-ID": "<8@ada.example.org>"})
    deal_with_mails()
    _, turn = line.mails()
    assert turn.subject == "Your turn: Sternenhimmel"
    assert f"\nYour move has been taken back: {move}\nPlease move by" in turn.text
    assert turn.message["In-Reply-To"] == "<8@ada.example.org>"
    before = happened(game_id)
    line.replies(f"Well!\n\n{turn.text.partition(chr(10) * 2)[2]}")
    deal_with_mails()
    assert happened(game_id) == before
    later(2 * JOINING)
    assert results(game_id, "your-turn") == ["sent", "sent"]


def test_a_take_back_and_the_next_move_are_confirmed_in_their_order(line: Line, game_id: UUID, ada: UUID) -> None:
    line.mails()
    turn, first = turn_of_ada(game_id), a_move(game_id, ada)
    for words in (first, "undo"):
        writes(game_id, turn, words)
    second = a_move(game_id, ada, -1)
    writes(game_id, turn_of_ada(game_id), second)
    everything_due_happens()
    _, mail = line.mails()
    told = f"Your move has been taken back: {first}\nYou played: {second}\n"
    assert f"\n{told}Please move by" in mail.text
    turn = turn_of_ada(game_id)
    assert turn is not None
    answers = inbox.answers(game_id, 0, turn, most_of("answers").most)
    with force_locale("en"):
        ours = lines_for(head_of(game_id), 0, turn, answers, "http://127.0.0.1:8000")
    assert told in "".join(f"{line}\n" for line in ours)


def writes(game_id: UUID, turn: int | None, words: str) -> None:
    """Let Ada reply to the email about this turn before our letters are sent."""
    assert turn is not None
    arrives(f"{reply_word(game_id, 0, turn)}@{DOMAIN}", a_mail(words))
    deal_with_mails()


@pytest.mark.parametrize("answers_first", [False, True])
def test_a_take_back_is_confirmed_even_if_no_email_about_a_turn_follows(
    line: Line, game_id: UUID, ada: UUID, monkeypatch: pytest.MonkeyPatch, answers_first: bool
) -> None:
    def due(*args: Any) -> list[outbox.Waiting]:  # emails of the same time have no order in Postgres
        return sorted(found(*args), key=lambda it: (it.due_at, (it.kind == "answer") != answers_first))

    found = outbox.due
    monkeypatch.setattr(outbox, "due", due)
    line.mails()
    change_profile(ada, {"notifications": {"mails": {"your-turn": "off"}}})
    move = line.plays(game_id, ada)
    line.replies("undo")
    deal_with_mails()
    assert f"\nYour move has been taken back: {move}\n" in line.mails()[-1].text
    assert line.subjects()[1:] == ["Move played: Sternenhimmel", "Reply: Sternenhimmel"]


def nears_its_end(game_id: UUID, ada: UUID) -> None:
    while len(view_of(head_of(game_id), 0)["boards"]) == 3:
        moves_on(game_id, ada)
        everything_due_happens()


def test_the_email_about_the_end_is_the_last_one(line: Line, game_id: UUID, ada: UUID) -> None:
    nears_its_end(game_id, ada)
    line.mails()
    while head_of(game_id).table.status == "running":
        moved, before = a_move(game_id, ada), len(line.mails())
        line.replies(f"{moved}\nsay Good game!")
        deal_with_mails()
        everything_due_happens()
        assert len(line.mails()) == before + 1 or head_of(game_id).table.status == "finished"
    later(2 * JOINING)
    end = line.mails()[-1]
    assert "Replay the game" in end.text
    assert "- The game is over" not in end.text  # the first line and the standings say it
    assert f"\nYou played: {moved}\nYour message is in the chat" in end.text
    assert "Your message is in the chat" in end.page
    assert not [mail for mail in line.subjects() if mail.startswith("Move played")]


@pytest.mark.parametrize("mails", [{"your-turn": "off"}, {"your-turn": "bundled"}])
def test_a_move_is_confirmed_even_if_no_email_about_a_turn_follows(
    line: Line, game_id: UUID, ada: UUID, mails: dict[str, str]
) -> None:
    line.mails()
    change_profile(ada, {"notifications": {"mails": mails}})
    line.plays(game_id, ada)
    everything_due_happens()
    line.mails()
    later(JOINING)
    assert line.subjects()[1:] == ["Move played: Sternenhimmel"]


@pytest.mark.parametrize("mails", [{"your-turn": "off"}, {"your-turn": "bundled"}])
def test_a_confirmation_that_tells_of_the_next_turn_takes_the_move(
    line: Line, game_id: UUID, ada: UUID, mails: dict[str, str]
) -> None:
    line.mails()
    change_profile(ada, {"notifications": {"mails": mails}})
    line.plays(game_id, ada)
    everything_due_happens()
    later(JOINING)
    told = line.mails()[-1]
    assert "It's your turn." in told.text
    assert all(f"- {bot} put a" in told.text for bot in head_of(game_id).names[1:])
    line.replies(a_move(game_id, ada) + "\n\n" + told.text)  # quoted without marks
    deal_with_mails()
    everything_due_happens()
    later(JOINING)
    assert line.subjects()[1:] == ["Move played: Sternenhimmel"] * 2


def test_a_move_is_confirmed_if_the_bots_take_long(line: Line, game_id: UUID, ada: UUID) -> None:
    line.mails()
    line.plays(game_id, ada)
    later(JOINING)
    assert line.subjects()[1:] == ["Move played: Sternenhimmel"]
    everything_due_happens()
    turn = line.mails()[-1]
    assert turn.subject == "Your turn: Sternenhimmel"
    assert "You played" not in turn.text


def test_both_are_sent_together_once_the_mail_server_accepts_emails_again(line: Line, game_id: UUID, ada: UUID) -> None:
    line.mails()
    move = line.plays(game_id, ada)
    everything_due_happens()
    line.outgoing.answers["DATA"] = "451 Not now"
    for _ in range(4):
        assert len(line.mails()) == 1
        later(JOINING)
    del line.outgoing.answers["DATA"]
    later(HOUR)
    _, turn = line.mails()
    assert f"\nYou played: {move}\n" in turn.text


def test_a_later_reply_does_not_overtake_the_confirmation(line: Line, game_id: UUID, ada: UUID) -> None:
    line.mails()
    line.plays(game_id, ada)
    line.replies("say Hello!")
    deal_with_mails()
    assert line.subjects()[1:] == ["Move played: Sternenhimmel", "Reply: Sternenhimmel"]


def test_the_email_about_a_turn_waits_while_the_reply_is_being_processed(
    line: Line, game_id: UUID, ada: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    line.mails()
    during: list[int] = []
    finish = answering._finish

    def bots_are_faster(*args: object) -> None:
        everything_due_happens()
        during.append(len(line.mails()))
        finish(*args)

    monkeypatch.setattr(answering, "_finish", bots_are_faster)
    move = line.plays(game_id, ada)
    assert during == [1]
    later(timedelta(seconds=1))
    (_, turn) = line.mails()
    assert f"\nYou played: {move}\n" in turn.text


@pytest.mark.parametrize("is_fast", [False, True])
def test_a_reply_that_pauses_or_resumes_the_game_gets_one_email(
    line: Line, ada: UUID, bea: UUID, monkeypatch: pytest.MonkeyPatch, is_fast: bool
) -> None:
    finish = answering._finish

    def emails_are_faster(*args: object) -> None:
        line.mails()
        finish(*args)

    game_id = game_of(ada, bea, bots=1)
    if is_fast:
        monkeypatch.setattr(answering, "_finish", emails_are_faster)
    for wish, subject, told in (
        ("pause", "Reply: Sternenhimmel", "The game is paused. Everyone agreed."),
        ("resume", "Your turn: Sternenhimmel", "- The game was resumed."),
    ):
        vote(game_id, bea, wish, True)
        before = len(line.mails())
        line.replies(wish, **{"Message-ID": f"<{wish}@ada.example.org>"})
        deal_with_mails()
        line.mails()
        later(2 * JOINING)
        (mail,) = [it for it in line.mails()[before:] if it.to == "ada@example.org"]
        assert mail.subject == subject
        assert told in mail.text
        assert mail.message["In-Reply-To"] == f"<{wish}@ada.example.org>"
    (paused,) = [it for it in line.mails() if it.to == "bea@example.org"]
    assert paused.subject == "Game paused: Sternenhimmel"
    assert paused.text.startswith("##- Reply above this line: say and your message\n")
    for part in paused.text, unescape(paused.page):
        assert 'To continue, reply "resume".' in part


def test_a_reply_that_also_pauses_the_game_gets_one_email(line: Line, game_id: UUID) -> None:
    before = len(line.mails())
    line.replies("say Good night!\npause")
    deal_with_mails()
    (mail,) = line.mails()[before:]
    assert "The game is paused." in mail.text
    assert "Your message is in the chat" in mail.text


@pytest.mark.parametrize("deaths", [1, 2])
def test_a_last_move_is_confirmed_even_if_workers_die_before_they_reply(
    line: Line, game_id: UUID, ada: UUID, deaths: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_: object) -> None:
        raise Unavailable

    nears_its_end(game_id, ada)
    line.mails()
    while head_of(game_id).table.status == "running":
        move, before = a_move(game_id, ada), len(line.mails())
        line.replies(move)
        for _ in range(deaths):
            with monkeypatch.context() as patch, pytest.raises(Unavailable):
                patch.setattr(answering, "_finish", dies)
                deal_with_mails()
            everything_due_happens()
            later(LEASE)
            line.mails()
        deal_with_mails()
        line.mails()
        later(JOINING)
        end, *more = line.mails()[before:]
    assert "Replay the game" in end.text
    if deaths == 1:
        assert f"\nYou played: {move}\n" in end.text
        assert more == []
    else:  # the email about the end did not wait so long
        assert "You played" not in end.text
        assert [mail.subject for mail in more] == ["Move played: Sternenhimmel"]


def test_a_confirmed_move_is_not_confirmed_again_after_a_crash(
    line: Line, game_id: UUID, ada: UUID, shared_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "_AFTER_AN_OUTAGE", 0)
    line.mails()
    move = line.plays(game_id, ada)
    everything_due_happens()
    with results_of_replies_get_lost(shared_url):
        assert line.subjects()[1:] == ["Your turn: Sternenhimmel"]
    db.session.execute(db.update(LetterRow).values(leased_until=clock.now() - HOUR))
    db.session.commit()
    line.mails()
    later(2 * JOINING)
    _, turn, again = line.mails()
    assert f"\nYou played: {move}\n" in turn.text
    assert again.message.as_bytes() == turn.message.as_bytes()
    assert results(game_id, "answer") == results(game_id, "your-turn")[1:] == ["sent"]


@contextmanager
def results_of_replies_get_lost(url: str) -> Iterator[None]:
    """Let Postgres reject the results of replies, as if the worker had died before it could store them."""
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute(
            "CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'The worker died.'; END $$"
        )
        owner.execute(
            "CREATE TRIGGER reject BEFORE INSERT ON deliveries FOR EACH ROW "
            "WHEN (NEW.kind = 'answer') EXECUTE FUNCTION reject()"
        )
        try:
            yield
        finally:
            db.session.rollback()
            owner.execute("DROP FUNCTION reject CASCADE")


def test_a_move_against_people_is_confirmed_immediately(line: Line, ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    line.mails()
    line.plays(game_id, ada)
    assert "Move played: Sternenhimmel" in line.subjects()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("say Hello!", "Your message is in the chat, where everyone can read it."),
        ("\nWho is winning?", "The scores so far: you (0)"),
    ],
)
def test_the_email_about_the_next_turn_contains_what_our_reply_says_beside_the_move(
    line: Line, game_id: UUID, ada: UUID, words: str, told: str
) -> None:
    line.mails()
    move = a_move(game_id, ada)
    line.replies(f"{move}\n{words}")
    deal_with_mails()
    assert len(line.mails()) == 1
    everything_due_happens()
    later(2 * JOINING)
    _, turn = line.mails()
    assert f"You played: {move} {told}" in " ".join(turn.text.split())
    assert told in turn.page
    own = f"{a_move(game_id, ada)}\n\n"
    line.replies(own + "\n".join(turn.text.splitlines()[2:]))  # a quote without marks
    deal_with_mails()
    everything_due_happens()
    later(2 * JOINING)
    assert f"You played: {own.strip()}\n" in line.mails()[-1].text
