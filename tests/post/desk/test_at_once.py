"""Emails of one player that arrive at the same time: their order, and changes that meet."""

from collections.abc import Callable
from threading import Thread
from typing import Any
from uuid import UUID

import psycopg
import pytest
from flask import Flask

from server.accounts.players import player_at, profile
from server.post.desk import counter
from server.post.desk.addresses import player_word
from server.post.desk.counter import deal_with_desk
from server.post.incoming.answering import deal_with_mails
from server.store.tables import Player, db
from server.worker import RECORDS
from tests.post.desk.writing import DESK, DOMAIN, Correspondent, settle
from tests.post.incoming.replying import ada_writes, confirmation_in
from tests.post.office import Office, a_mail, arrives
from tests.support.games import MINUTE, game_of, later
from tests.support.live_server import until

WAITING = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"


def waiting(database_url: str) -> int:
    with psycopg.connect(database_url) as connection:
        return len(connection.execute(WAITING).fetchall())


@pytest.mark.usefixtures("within")
def test_two_vacations_by_email_at_the_same_time_both_count(
    app: Flask, shared_url: str, office: Office, ada: UUID, bea: UUID
) -> None:
    game_of(ada, bea, bots=1)
    asked = ada_writes(office, "vacation 2027-07-01..2027-07-02")
    arrives(asked.reply_to, a_mail(confirmation_in(asked)))
    arrives(
        f"{player_word(ada, 'ada@example.org')}@{DOMAIN}", a_mail("vacation 2027-08-01..2027-08-02\nset nights 22-8")
    )

    def in_worker(job: Callable[[], None]) -> Thread:
        def work() -> None:
            with app.app_context():
                job()

        thread = Thread(target=work)
        thread.start()
        return thread

    with db.engine.begin() as other:  # both emails wait for this change
        other.execute(db.select(Player.player_id).where(Player.player_id == ada).with_for_update(key_share=True))
        threads = [in_worker(deal_with_mails), in_worker(lambda: deal_with_desk(RECORDS))]
        until(lambda: waiting(shared_url) == 2, patience=9)
    for thread in threads:
        thread.join(60)
    calendar = profile(ada)["calendar"]
    assert sorted(it["from"] for it in calendar["vacations"]) == ["2027-07-01", "2027-08-01"]
    assert calendar["night"] == "22:00-08:00"


def test_emails_of_one_player_are_processed_in_order(
    ann: Correspondent, mailbox: Callable[[str], Correspondent], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A `yes` and an email that waits for a retry hold back later ones of the same player, but of no other."""
    ben = mailbox("ben@example.org")
    for who in (ann, ben):
        (hello,) = who.sends(DESK, "Hello")
        who.answers(hello.reply_to, "Hello")
    to = ann.newest.reply_to
    (asked,) = ann.answers(to, "set zone Europe/Rome?")
    run, faults = counter.child.run, [RuntimeError("It broke.")]

    def fail_once(*given: Any) -> Any:
        if faults:
            raise faults.pop()
        return run(*given)

    monkeypatch.setattr(counter.child, "run", fail_once)
    ann.hands_over(asked.reply_to, ann.written(asked.reply_to, "yes"))
    deal_with_desk(RECORDS)
    ann.hands_over(to, ann.written(to, "set zone Europe/Paris"))
    assert len(ben.answers(ben.newest.reply_to, "games")) == 1
    ann_id = player_at(ann.email)
    assert ann_id is not None
    assert profile(ann_id)["zone"] == "UTC"
    later(MINUTE)
    settle()
    assert profile(ann_id)["zone"] == "Europe/Paris"
