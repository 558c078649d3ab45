"""Whole games by email alone over SMTP, with kill -9 of the receiving worker."""

import re
import smtplib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date, timedelta
from itertools import count, cycle
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
import pytest

from server.games import GAMES
from server.post.incoming.answering import LEASE
from tests.post.incoming.replies.programs import PROGRAMS, Typed, answering
from tests.support.live_server import Client, House, Json, Mail, new_house, sign_in, until

ADA, BEN = "ada@example.org", "ben@example.org"
OPTIONS: Json = {"sternenhimmel": {"start_seat": 0}, "sternenglanz": {"max_rounds": 5}}
A_LEASE = LEASE + timedelta(seconds=5)
_numbers = count(1)


# People


class Sent(NamedTuple):
    """A mail of a player, as the mail program sends it."""

    raw: bytes
    sender: str
    to: str
    message_id: str
    words: str


def reply_to(mail: Mail, words: str, program: str = "gmail", locale: str = "en", place: str = "top") -> Sent:
    """The reader of this letter answers it with this mail program, which quotes both parts of it as they are."""
    answered = answering(mail.message)
    message_id = f"<{next(_numbers)}.reply@example.org>"
    typed = Typed(words, locale, place, mail.text, answered=answered, message_id=message_id)
    return Sent(PROGRAMS[program].write(typed), mail.to, answered.reply_to, message_id, words)


def hands_over(house: House, mail: Sent, *more: str) -> None:
    """As a mail server does: until it hears 250; `more` are further recipients."""

    def is_taken() -> bool:
        try:
            with smtplib.SMTP("127.0.0.1", house.mail_in, timeout=60) as smtp:
                smtp.sendmail(mail.sender, [mail.to, *more], mail.raw)
        except (smtplib.SMTPDataError, smtplib.SMTPSenderRefused) as error:
            assert error.smtp_code < 500, error
            return False
        except (smtplib.SMTPServerDisconnected, smtplib.SMTPConnectError, OSError):
            return False
        return True

    until(is_taken)


USES = {  # one after the other: at the desk, on a phone, at a friend's
    ADA: [("gmail", "en", "top"), ("apple-mail", "fr", "top"), ("thunderbird", "it", "inline"), ("outlook", "en", "top")],
    BEN: [("outlook", "de", "top"), ("thunderbird", "de", "bottom"), ("outlook-2003", "fr", "top"), ("outlook", "it", "top")],
}  # fmt: skip


class Player:
    """A player who has only mail programs and now and then asks or errs before a move."""

    def __init__(self, house: House, email: str, game_id: UUID, talks: list[str]) -> None:
        self.house, self.email, self.game_id = house, email, game_id
        self.moved: list[Sent] = []
        self.talked: list[Sent] = []
        self._talks, self._asked = talks, ""
        self._rng, self._looked_at = Random(email), 0
        self._read: set[str] = set()
        self._uses = cycle(USES[email])

    def plays(self) -> None:
        while True:
            mails = until(lambda: self.house.post.of(self.email)[self._looked_at :], 120)
            self._looked_at += len(mails)
            for mail in mails:
                if f"games/{self.game_id}" not in mail.text or mail.message_id in self._read:
                    continue
                self._read.add(mail.message_id)  # whose carrier was killed may come again
                if "Replay the game" in mail.text:
                    return
                self._answers(mail)

    def _answers(self, mail: Mail) -> None:
        """Return a letter that wants an answer. It may be one of our answers, which the player then quotes."""
        if asked := re.search(r"^  (confirm \w+)$", mail.text, re.MULTILINE):
            self.talked.append(self._sends(mail, asked[1]))
        elif "Your clock stops from" in mail.text:
            self.talked.append(self._sends(mail, "?"))
        elif moves := moves_in(mail):
            is_asked = mail.message["Auto-Submitted"] == "auto-generated"
            if is_asked and self.moved and self._talks:
                self.talked.append(self._sends(mail, self._talks.pop(0)))
                return
            text = self._rng.choice(["{}", "Hello!\n\n{}\n\nGood luck to you all.", f"{{}}\nsay Sky {next(_numbers)}!"])
            self.moved.append(self._sends(mail, text.format(self._rng.choice(moves))))

    def _sends(self, mail: Mail, words: str) -> Sent:
        sent = reply_to(mail, words, *next(self._uses))
        hands_over(self.house, sent)
        return sent


def moves_in(mail: Mail) -> list[str]:
    """What the letter says may be played: examples, or moves put together by their beginnings."""
    asked = re.search(r"(?:possible (?:moves?|first steps?)|their endings).*?:\n((?:  .+\n)+)", mail.text)
    if asked is None:
        return []
    moves = []
    for line in asked[1].splitlines():
        beginning, _, endings = line.strip().rpartition(": ")
        moves += [f"{beginning} {ending}".strip() for ending in endings.split(" | ")]
    return moves


def answers_to(house: House, sent: Sent) -> list[Mail]:
    return [mail for mail in house.post.letters if mail.message["In-Reply-To"] == sent.message_id]


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with new_house() as house:
        house.start_web()
        yield house


@pytest.fixture(scope="module")
def people(house: House) -> list[Client]:
    worker = house.start_worker()
    clients = [sign_in(house, email) for email in (ADA, BEN)]
    house.await_letters()
    house.kill(worker)
    return clients


def new_game(people: list[Client], rules: str = "sternenhimmel") -> UUID:
    """Of Ada, Ben and a bot; Ada begins."""
    ada, ben = people
    wanted = {"rules": rules, "options": OPTIONS[rules]}
    seats = [{"player": "me"}, {"open": True}, {"bot": "greedy"}]
    game_id = UUID(ada.post("/v1/games", {**wanted, "seats": seats})["id"])
    ben.post(f"/v1/games/{game_id}/seats", {})
    return game_id


@contextmanager
def working(house: House, workers: int = 1) -> Iterator[Any]:
    """So many workers, of which any may be killed by then."""
    at_work = [house.start_worker() for _ in range(workers)]
    try:
        until(lambda: not house.is_mail_refused())
        yield at_work[0]
    finally:
        for worker in at_work:
            if worker.poll() is None:
                house.kill(worker)


# Whole games


ILLEGAL = {"sternenhimmel": "1 leo z", "sternenglanz": "2 nova c3"}


def talks(rules: str) -> list[str]:
    """What else one may write than a move."""
    first = date.today() + timedelta(days=20 + list(GAMES).index(rules))
    return ["?", ILLEGAL[rules], f"say Hello!\n{ILLEGAL[rules]}", f"vacation {first}..{first}"]


@pytest.fixture(scope="module")
def evening(house: House, people: list[Client]) -> dict[str, list[Player]]:
    """The players of each game when it is over. All games go on at once, and a worker is killed in the middle."""
    with working(house, 3) as worker, ThreadPoolExecutor() as threads:
        games = {rules: new_game(people, rules) for rules in GAMES}
        players = {
            rules: [Player(house, ADA, game_id, talks(rules)), Player(house, BEN, game_id, talks(rules)[::-1])]
            for rules, game_id in games.items()
        }
        playing = [threads.submit(player.plays) for each in players.values() for player in each]
        until(lambda: all(house.count("events WHERE game_id = %s", it) > 30 for it in games.values()), 120)
        house.kill(worker)
        for each in playing:
            each.result()
        until(lambda: not house.count("inbox WHERE due_at IS NOT NULL"))
        house.await_letters()
    return players


@pytest.mark.parametrize("rules", GAMES)
def test_a_whole_game_can_be_played_by_email_alone(house: House, evening: dict[str, list[Player]], rules: str) -> None:
    players = evening[rules]
    game_id = players[0].game_id
    (head,) = house.rows("SELECT status FROM games WHERE game_id = %s", game_id)
    assert head["status"] == "finished"
    moved = [mail for player in players for mail in player.moved]
    talked = [mail for player in players for mail in player.talked]
    assert len(moved) >= 20
    answered = Counter(len({mail.message_id for mail in answers_to(house, reply)}) for reply in moved + talked)
    assert answered == {1: len(moved + talked)}
    told = re.compile("your move was played|your turn goes on")
    assert all(told.search(answers_to(house, reply)[0].text) for reply in moved)
    chat = Counter(line[4:] for mail in moved + talked for line in mail.words.splitlines() if line.startswith("say "))
    said = Counter(row["text"] for row in house.rows("SELECT text FROM messages WHERE game_id = %s", game_id))
    assert said == chat
    assert len(chat) > 2


@pytest.mark.parametrize("rules", GAMES)
def test_a_player_who_asks_or_makes_a_mistake_gets_a_reply_and_continues_by_replying(
    house: House, evening: dict[str, list[Player]], rules: str
) -> None:
    for player in evening[rules]:
        told = {mail.words: answers_to(house, mail)[0].text for mail in player.talked}
        asked, wrong, said, vacation = (told[words] for words in talks(rules))
        assert "thanks for your email" in asked
        for answer in (wrong, said):
            assert f"that didn't work.\n\n  {ILLEGAL[rules]}\n" in answer
        assert "Your message is in the chat" in said
        assert all("Your possible moves" in answer for answer in (asked, wrong, said))
        confirmed = re.search(r"^  (confirm \w+)$", vacation, re.MULTILINE)
        assert confirmed
        assert "Your clock stops from" in told[confirmed[1]]


# kill -9


@pytest.fixture
def game_id(house: House, people: list[Client]) -> UUID:
    return new_game(people)


def turn_mail(house: House, game_id: UUID) -> Mail:
    """Ada's, which is written once there is a worker."""
    return house.await_mail(ADA, lambda mail: f"games/{game_id}" in mail.text and moves_in(mail))


def is_dealt_with_once(house: House, game_id: UUID, sent: Sent) -> None:
    """Expect one commit in the log, one mail in the inbox, and one answer to the sender."""
    house.forward(A_LEASE)
    with working(house):
        until(lambda: not house.count("inbox WHERE due_at IS NOT NULL"))
        house.await_letters()
    answers = [mail for mail in answers_to(house, sent) if f"games/{game_id}" in mail.text]
    assert len({mail.message_id for mail in answers}) == 1
    assert house.count("events WHERE game_id = %s AND type = 'star-placed' AND seat = 0", game_id) == 1
    assert house.count("messages WHERE game_id = %s", game_id) == 1
    assert house.count("inbox WHERE game_id = %s", game_id) == 1


def a_reply(mail: Mail) -> Sent:
    return reply_to(mail, f"{moves_in(mail)[0]}\nsay Good evening!")


def test_kill_9_during_an_incoming_email_leads_to_its_redelivery(house: House, game_id: UUID) -> None:
    with working(house) as worker:
        sent = a_reply(turn_mail(house, game_id))
        house.await_letters()
        smtp = smtplib.SMTP("127.0.0.1", house.mail_in, timeout=60)
        smtp.ehlo()
        smtp.mail(ADA)
        smtp.rcpt(sent.to)
        smtp.docmd("DATA")
        smtp.send(sent.raw[:200])
        house.kill(worker)
    smtp.close()
    assert house.count("inbox WHERE game_id = %s", game_id) == 0
    with working(house):
        hands_over(house, sent)
    is_dealt_with_once(house, game_id, sent)


def test_kill_9_between_storing_an_email_and_the_250_response_lets_it_take_effect_once(
    house: House, game_id: UUID, people: list[Client]
) -> None:
    other = new_game(people)
    with working(house) as worker, ThreadPoolExecutor() as threads:
        mail, another = turn_mail(house, game_id), turn_mail(house, other)
        sent = a_reply(mail)
        house.await_letters()
        with house.locked("SELECT * FROM games WHERE game_id = %s", other):
            handing = threads.submit(hands_over, house, sent, str(another.message["Reply-To"]))
            until(lambda: house.count("inbox WHERE game_id = %s", game_id))
            house.await_waiters()  # one recipient has the mail, the other not, and the sender waits for the 250
            house.kill(worker)
        with working(house):
            handing.result()
    is_dealt_with_once(house, game_id, sent)


def test_kill_9_before_committing_an_emails_effects_leaves_the_email_to_another_worker(
    house: House, game_id: UUID
) -> None:
    with working(house) as worker:
        sent = a_reply(turn_mail(house, game_id))
        house.await_letters()
        with answers_wait(house, "events"):
            hands_over(house, sent)
            house.await_waiters()
            house.kill(worker)
    is_dealt_with_once(house, game_id, sent)


def test_kill_9_after_committing_an_emails_effects_does_not_repeat_them(house: House, game_id: UUID) -> None:
    with working(house) as worker:
        sent = a_reply(turn_mail(house, game_id))
        house.await_letters()
        with answers_wait(house, "outbox", "NEW.kind = 'answer'"):
            hands_over(house, sent)
            house.await_waiters()
            house.kill(worker)
        assert house.count("events WHERE game_id = %s AND type = 'star-placed'", game_id) == 1
        assert house.count("messages WHERE game_id = %s", game_id) == 1
    is_dealt_with_once(house, game_id, sent)


@contextmanager
def answers_wait(house: House, table: str, which: str = "true") -> Iterator[None]:
    """Block inserts of such rows into this table."""
    with psycopg.connect(house.database_url, autocommit=True) as owner:
        owner.execute(
            "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END $$"
        )
        owner.execute(
            f"CREATE TRIGGER wait BEFORE INSERT ON {table} FOR EACH ROW WHEN ({which}) EXECUTE FUNCTION wait()"
        )
        owner.execute("SELECT pg_advisory_lock(1)")
        try:
            yield
        finally:
            owner.execute("SELECT pg_advisory_unlock(1)")
            owner.execute("DROP FUNCTION wait CASCADE")
