"""kill -9 at the worst moments: nothing is lost or done twice."""

import os
import signal
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from subprocess import Popen
from uuid import UUID

import httpx
import psycopg
import pytest
from flask import Flask

from server import leases
from server.leases import LENGTH
from server.store.tables import db
from tests.support.chaos import chaos
from tests.support.live_server import PATIENCE, TAKEN_UP, Client, House, Mail, Turn, new_house, sign_in, until

ADA, BEN, CLEO = (f"{name}@example.org" for name in ("ada", "ben", "cleo"))
RACERS, CHOICES = 100, 4


class Table:
    """A game of three in which Ada is on turn, and after her Ben."""

    def __init__(self, house: House, people: list[Client]) -> None:
        self.house, (self.ada, *others) = house, people
        wanted = {"rules": "sternenhimmel", "options": {"start_seat": 0}}
        seats = [{"player": "me"}, {"open": True}, {"open": True}]
        self.game_id = UUID(self.ada.post("/v1/games", {**wanted, "seats": seats})["id"])
        self.path = f"/v1/games/{self.game_id}"
        for client in others:
            client.post(f"{self.path}/seats", {})
        self.asked = self.ada.get(f"{self.path}/legal-moves")

    def ada_moves(self, client: Client | None = None, choice: int = 0) -> httpx.Response:
        move = {"turn": self.asked["turn"], "move": self.asked["moves"][choice]}
        return (client or self.ada).ask("POST", f"{self.path}/moves", json=move)

    def mails_of_ben(self) -> list[Mail]:
        """Those for the turn that follows Ada's."""
        turn = Turn(self.game_id, 1, self.asked["turn"] + 1)
        return [mail for mail in self.house.post.of(BEN) if (word := mail.word("t")) and Turn.of(word) == turn]

    def has_counted_once(self) -> None:
        """One commit in the log, one letter, and one seat that is asked."""
        version = self.asked["turn"] + 1
        mine = "game_id = %s"
        assert self.house.count(f"events WHERE {mine} AND type = 'star-placed'", self.game_id) == 1
        assert self.house.rows(f"SELECT version FROM games WHERE {mine}", self.game_id) == [{"version": version}]
        seats = self.house.rows(f"SELECT seat, turn FROM seats WHERE {mine} AND to_act", self.game_id)
        assert seats == [{"seat": 1, "turn": version}]
        letters = self.house.rows(f"SELECT kind, seat FROM outbox WHERE {mine} AND version = %s", self.game_id, version)
        assert letters == [{"kind": "your-turn", "seat": 1}]


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with new_house() as house:
        house.start_web()
        yield house


@pytest.fixture(scope="module")
def people(house: House) -> list[Client]:
    worker = house.start_worker()
    clients = [sign_in(house, email) for email in (ADA, BEN, CLEO)]
    house.await_letters()
    house.kill(worker)
    return clients


@pytest.fixture
def table(house: House, people: list[Client]) -> Iterator[Table]:
    yield Table(house, people)
    house.kill_workers()


# Letters


def carrier_at_bens_door(table: Table) -> Popen[bytes]:
    """A worker that has the letter of Ada's move in its hands, and waits for Ben's mailbox to take it."""
    worker = table.house.start_worker()
    table.house.await_letters()
    door = table.house.post.hold(BEN)
    assert table.ada_moves().status_code == 201
    assert door.knocked.wait(PATIENCE)
    return worker


def another_carries_on(house: House) -> None:
    worker = house.start_worker()
    house.await_letters()
    house.kill(worker)


def test_kill_9_between_the_commit_of_a_move_and_smtp_does_not_lose_the_email(table: Table) -> None:
    assert table.ada_moves().status_code == 201
    with table.house.locked("SELECT * FROM outbox WHERE game_id = %s", table.game_id):
        worker = table.house.start_worker()
        table.house.await_waiters()  # it wants to claim the letter
        table.house.kill(worker)
    assert table.mails_of_ben() == []
    another_carries_on(table.house)
    assert len(table.mails_of_ben()) == 1


def test_kill_9_during_smtp_before_the_250_response_still_delivers_the_email_once(table: Table) -> None:
    worker = carrier_at_bens_door(table)
    table.house.kill(worker)
    table.house.post.release(BEN)
    assert table.mails_of_ben() == []
    another_carries_on(table.house)
    assert len(table.mails_of_ben()) == 1


def test_kill_9_after_an_unrecorded_250_response_delivers_the_email_twice_with_one_message_id(table: Table) -> None:
    worker = carrier_at_bens_door(table)
    with table.house.locked("SELECT * FROM outbox WHERE game_id = %s", table.game_id):
        table.house.post.release(BEN)
        until(table.mails_of_ben)
        table.house.await_waiters()  # the carrier has heard 250 and wants to note it
        table.house.kill(worker)
        table.house.end_waiters()  # else Postgres would do what the dead one had asked for
    another_carries_on(table.house)
    first, second = table.mails_of_ben()
    assert first.message_id == second.message_id
    assert first.message.as_bytes() == second.message.as_bytes()
    tries = table.house.rows("SELECT result FROM deliveries WHERE letter_id = %s", first.letter_id)
    assert tries == [{"result": "sent"}]


def test_another_worker_sends_a_killed_workers_email_within_half_a_minute(table: Table) -> None:
    worker, other = carrier_at_bens_door(table), table.house.start_worker()
    table.house.kill(worker)
    [lease] = table.house.rows('SELECT max(leased_until) - now() AS "left" FROM outbox')
    assert lease["left"].total_seconds() < TAKEN_UP
    table.house.post.release(BEN)
    until(table.mails_of_ben)
    table.house.kill(other)


def test_a_slow_mailbox_gets_an_email_once_despite_other_workers_and_clock_jumps(table: Table) -> None:
    workers = [table.house.start_worker() for _ in range(2)]
    table.house.await_letters()
    door = table.house.post.hold(BEN, "DATA")
    assert table.ada_moves().status_code == 201
    assert door.knocked.wait(PATIENCE)
    tries = table.house.rows("SELECT tries FROM outbox WHERE game_id = %s", table.game_id)
    table.house.forward(timedelta(hours=1))
    leased = leased_until(table)
    until(lambda: leased_until(table) > leased + LENGTH)  # renewed at least once, or leased again by the other
    assert table.house.rows("SELECT tries FROM outbox WHERE game_id = %s", table.game_id) == tries
    table.house.post.release(BEN)
    table.house.await_letters()
    assert len(table.mails_of_ben()) == 1
    for worker in workers:
        table.house.kill(worker)


def test_a_worker_stopped_longer_than_its_lease_delivers_nothing(table: Table) -> None:
    stopped, other = carrier_at_bens_door(table), table.house.start_worker()
    with leased_anew(table):
        os.killpg(stopped.pid, signal.SIGSTOP)
    table.house.post.release(BEN)
    until(table.mails_of_ben)
    os.killpg(stopped.pid, signal.SIGCONT)
    until(lambda: "our lease on it ran out" in table.house.output())
    table.house.await_letters()
    assert len(table.mails_of_ben()) == 1
    for worker in (stopped, other):
        table.house.kill(worker)


def leased_until(table: Table) -> datetime:
    """The end of the lease on Ben's letter, by the clock of Postgres."""
    [found] = table.house.rows("SELECT max(leased_until) AS at FROM outbox WHERE game_id = %s", table.game_id)
    return found["at"]


@contextmanager
def leased_anew(table: Table) -> Iterator[None]:
    """Wait, after the block, until another worker has leased Ben's letter."""
    tries = f"SELECT tries FROM outbox WHERE game_id = '{table.game_id}'"
    before = table.house.rows(tries)
    yield
    until(lambda: table.house.rows(tries) != before)


def test_an_email_delivered_during_a_long_postgres_outage_is_recorded_afterwards(table: Table) -> None:
    carrier_at_bens_door(table)
    table.house.start_worker()
    leased = leased_until(table) + timedelta(seconds=leases._PAUSE)  # it may be renewed once more before
    with table.house.without_postgres(signal.SIGKILL):
        table.house.post.release(BEN)
        until(table.mails_of_ben)
        until(lambda: datetime.now(UTC) > leased)
    table.house.await_letters()
    assert len(table.mails_of_ben()) == 1


def test_a_sender_waiting_for_a_mail_server_has_no_open_transaction(table: Table) -> None:
    worker = carrier_at_bens_door(table)
    until(lambda: not table.house.count("pg_stat_activity WHERE state = 'idle in transaction'"))
    table.house.post.release(BEN)
    table.house.await_letters()
    table.house.kill(worker)


def test_killing_the_web_server_the_worker_and_postgres_does_not_lose_emails() -> None:
    outcome = chaos(kills=3, people=2, seed=1)
    assert outcome.moves
    assert not outcome.lost, outcome


# A hundred racers, every fourth with the same move, all for one turn


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(RACERS) as threads:
        yield threads


def start_race(table: Table, threads: ThreadPoolExecutor) -> list[Future[httpx.Response]]:
    clients = [Client(table.house, table.ada.token) for _ in range(RACERS)]
    return [threads.submit(table.ada_moves, client, number % CHOICES) for number, client in enumerate(clients)]


def assert_one_was_answered_alike(race: list[Future[httpx.Response]]) -> Counter[int]:
    """Of the four moves one counts: who made it has the first answer, and the others come too late."""
    answers = [racer.result() for racer in race]
    played = {number % CHOICES for number, answer in enumerate(answers) if answer.status_code in (200, 201)}
    assert len(played) == 1
    assert len({answer.text for answer in answers[played.pop() :: CHOICES]}) == 1
    late = {answer.json()["code"] for answer in answers if answer.status_code not in (200, 201)}
    assert late == {"stale-turn"}
    return Counter(answer.status_code for answer in answers)


def test_a_move_gets_its_response_on_retry_after_a_web_process_was_killed(
    table: Table, threads: ThreadPoolExecutor
) -> None:
    house = table.house
    with house.locked("SELECT * FROM games WHERE game_id = %s", table.game_id):
        race = start_race(table, threads)
        house.await_waiters(10)
        house.kill(house.web)
    until(lambda: house.count("events WHERE game_id = %s AND type = 'star-placed'", table.game_id))
    house.start_web()
    answered = assert_one_was_answered_alike(race)
    assert answered == {200: RACERS // CHOICES, 409: RACERS - RACERS // CHOICES}
    table.has_counted_once()


def test_an_acknowledged_move_survives_the_end_of_the_web_process(table: Table, threads: ThreadPoolExecutor) -> None:
    race = start_race(table, threads)
    wait(race, return_when=FIRST_COMPLETED)
    table.house.kill(table.house.web)
    table.house.start_web()
    answered = assert_one_was_answered_alike(race)
    assert answered[201] <= 1  # none if a copy of the move was answered first, and the web killed then
    assert answered[200] + answered[201] == RACERS // CHOICES
    assert answered[409] == RACERS - RACERS // CHOICES
    table.has_counted_once()


def test_a_move_interrupted_by_a_killed_postgres_counts_on_retry(table: Table, threads: ThreadPoolExecutor) -> None:
    house = table.house
    with house.locked("SELECT * FROM games WHERE game_id = %s", table.game_id):
        race = start_race(table, threads)
        house.await_waiters(10)
        house.crash_postgres()
    answered = assert_one_was_answered_alike(race)
    assert answered == {201: 1, 200: RACERS // CHOICES - 1, 409: RACERS - RACERS // CHOICES}
    table.has_counted_once()


# The database


def test_a_request_succeeds_despite_a_broken_connection(app: Flask, shared_url: str) -> None:
    with app.app_context():
        pid = db.session.execute(db.text("SELECT pg_backend_pid()")).scalar_one()
        with psycopg.connect(shared_url) as other:
            other.execute("SELECT pg_terminate_backend(%s, 1000)", [pid])
    with app.app_context():
        assert db.session.execute(db.text("SELECT 1")).scalar_one() == 1
