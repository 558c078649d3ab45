"""A crowd uses only email, over real SMTP in both directions, without a web process: 20 people, or 200 with --all."""

from collections.abc import Iterator
from datetime import datetime
from email.message import EmailMessage
from itertools import islice
from random import Random
from threading import Thread
from uuid import UUID

import pytest

from tests.post.desk.crowd import DESK, DOMAIN, Crowd, Person, answers, everyone, letters_for
from tests.post.incoming.replies.programs import DATE
from tests.support.live_server import House, Mail, new_house, until

pytestmark = pytest.mark.timeout(3600)


@pytest.fixture
def house() -> Iterator[House]:
    with new_house(STERNENPOST_REPLY_DOMAIN=DOMAIN) as house:
        yield house


def expect_all_well(house: House, people: list[Person], crowd: Crowd) -> None:
    """Expect that each life came to its end, and that each email got its answer."""
    faults = [line for line in house.output().splitlines() if "could not be dealt with" in line or "Error" in line]
    assert not crowd.failed, "\n".join([*(f"{name}: {why}" for name, why in crowd.failed.items()), *faults[-20:]])
    until(lambda: not house.count("desk_mails WHERE due_at IS NOT NULL"))
    house.await_letters()
    found = answers(house)
    unlike = {
        (it.name, sent.words): number
        for it in people
        for sent in it.sent
        if (number := len(found[sent.sender if sent.to == DESK else sent.message_id])) not in letters_for(it, sent)
    }
    assert unlike == {}
    assert house.count("players WHERE deleted_at IS NOT NULL") == len(people)
    assert house.count("players WHERE email LIKE 'person-%%'") == 0
    assert house.count("postmaster_mails") == 0
    assert house.count("games") == 3 * len(people)
    leavers = sum(it.leaves for it in people)
    assert house.count("events WHERE type = 'seat-handed-over'") == leavers


@pytest.mark.parametrize("copy_first", [False, True])
def test_a_person_who_sends_a_yes_twice_accepts_the_replies_in_either_order(copy_first: bool) -> None:
    person = Person(None, 1, "en", "mutt", "sends twice", "1")  # type: ignore[arg-type]  # needs no house

    def letter(subject: str, answered: str = "<asked@example.org>") -> Mail:
        message = EmailMessage()
        message["Subject"], message["In-Reply-To"] = subject, answered
        message["From"], message["Reply-To"] = f"Sternenpost <sternenpost@{DOMAIN}>", f"signed@{DOMAIN}"
        message["Message-ID"], message["Date"] = f"<{subject.replace(' ', '-')}@{DOMAIN}>", DATE
        message.set_content("Hello")
        return Mail(person.email, message)

    step = person._writes(letter("Re: goodbye"), "Yes")
    sent = next(step)
    copy, last = (letter(it, sent.message_id) for it in ("Your email to the post desk", "Re: Yes"))
    with pytest.raises(StopIteration) as ended:
        if copy_first:
            waits = step.send(copy)
            assert callable(waits)
            assert [waits(it) for it in (copy, last)] == [False, True]
        step.send(last)
    assert ended.value.value is last


def test_a_crowd_of_people_signs_up_plays_and_leaves_by_email_alone(
    house: House, request: pytest.FixtureRequest
) -> None:
    seed = request.config.getoption("--seed")
    people = list(everyone(house, seed))[: None if request.config.getoption("--all") else 20]
    house.start_worker()
    until(lambda: not house.is_mail_refused())
    crowd = Crowd(house, people)
    crowd.lives()
    expect_all_well(house, people, crowd)


class Killer:
    """Kills one of two workers with SIGKILL, again and again, while mails are on their way, and starts another.

    It waits until the other has taken up what the last victim had in hand: a new process trusts leases for ten seconds.
    """

    def __init__(self, house: House, kills: int, seed: str) -> None:
        self.left, self._house, self._rng = kills, house, Random(seed)
        self._workers = [house.start_worker() for _ in range(2)]
        self._killing: Thread | None = None
        self._hanging = set[tuple[UUID, datetime]]()
        self._wait = self._pause()

    def _pause(self) -> int:
        return self._rng.randint(1, 15)

    def _in_hand(self) -> set[tuple[UUID, datetime]]:
        """Return what is leased, with the end of its lease."""
        rows = self._house.rows(
            "SELECT letter_id AS id, leased_until AS until FROM outbox WHERE leased_until IS NOT NULL "
            "UNION ALL SELECT letter_id, leased_until FROM player_outbox WHERE leased_until IS NOT NULL "
            "UNION ALL SELECT mail_id, due_at FROM inbox WHERE due_at IS NOT NULL AND tries > 0 "
            "UNION ALL SELECT mail_id, due_at FROM desk_mails WHERE due_at IS NOT NULL AND tries > 0"
        )
        return {(row["id"], row["until"]) for row in rows}

    def happens(self) -> None:
        if self._killing:
            self._killing.join()
            self._killing = None
            self._hanging = self._in_hand()
            self._workers.append(self._house.start_worker())
        self._wait -= 1
        if self._wait > 0 or self.left == 0 or self._house.is_mail_refused() or self._hanging & self._in_hand():
            return
        self._wait, self.left = self._pause(), self.left - 1
        victim = self._workers.pop(0)  # the other has had time to start
        self._killing = Thread(target=self._house.kill, args=[victim])  # while the mail is handed over
        self._killing.start()


def test_killing_processes_thirty_times_neither_loses_nor_duplicates_anything(
    house: House, request: pytest.FixtureRequest
) -> None:
    seed = request.config.getoption("--seed")
    coming, people = everyone(house, seed), list[Person]()
    killer = Killer(house, 30, seed)
    until(lambda: not house.is_mail_refused())
    while killer.left:
        group = list(islice(coming, 20))
        crowd = Crowd(house, group, killer.happens)
        crowd.lives()
        people += group
        expect_all_well(house, people, crowd)
    print(f"{len(people)} people lived through 30 kills.")
