"""Replies read by IMAP from a real Dovecot."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from imapclient import IMAPClient

from server.accounts.closing import MAIL_IN, close, open_again
from server.accounts.deliveries import deliveries
from server.accounts.players import player_at, profile
from server.clock import clock
from server.config import Bound
from server.play.mail.mail_in import reply_word
from server.post.desk.counter import deal_with_desk
from server.post.incoming import imap, intake
from server.post.incoming.bounces import read_returned_mails
from server.post.incoming.imap import LEASE, OTHERS, READ, ImapReader, check, recipients
from server.post.incoming.intake import LARGEST
from server.post.smtp import Unreachable
from server.store import mailboxes
from server.store.database_retry import Unavailable
from server.store.tables import Incoming, db
from server.worker import RECORDS
from tests.post.incoming.test_bounces import HARD, complaint
from tests.post.office import Mail, Office, a_mail
from tests.support.dovecot import PROGRAM, Dovecot, running_dovecot
from tests.support.games import later, person
from tests.support.live_server import until

pytestmark = [
    pytest.mark.usefixtures("within"),
    pytest.mark.skipif(PROGRAM is None, reason="Dovecot is not installed: apt-get install dovecot-imapd"),
]
DOMAIN = "stars.example"
WITHOUT_IDLE = "imap_capability = IMAP4rev1 LITERAL+ UIDPLUS NAMESPACE"
WITHOUT_UIDPLUS = "imap_capability = IMAP4rev1 IDLE"
IN_A_NAMESPACE = "namespace inbox {\n  inbox = yes\n  separator = .\n  prefix = INBOX.\n}"


@pytest.fixture(scope="module")
def started() -> Iterator[Dovecot]:
    with running_dovecot() as server:
        yield server


@pytest.fixture
def dovecot(started: Dovecot, monkeypatch: pytest.MonkeyPatch) -> Dovecot:
    """With an empty mailbox."""
    return emptied(started, monkeypatch)


def emptied(server: Dovecot, monkeypatch: pytest.MonkeyPatch) -> Dovecot:
    monkeypatch.setenv("SSL_CERT_FILE", str(server.certificate))
    with server.box() as box:
        for _, _, name in box.list_folders():
            box.select_folder(name)
            box.delete_messages(box.search())
            box.expunge()
    return server


@pytest.fixture
def address(game_id: UUID) -> str:
    return f"{reply_word(game_id, 0, 1)}@{DOMAIN}"


def a_reply(address: str, text: str = "7 leo c", **headers: str) -> bytes:
    return a_mail(text, To=f"Sternenpost <{address}>", **headers)


def inbox() -> list[bytes]:
    db.session.rollback()
    return list(db.session.scalars(db.select(Incoming.raw).order_by(Incoming.arrived_at)))


@contextmanager
def reading(app: Flask, url: str) -> Iterator[ImapReader]:
    """As in a worker, in a thread of its own."""
    reader = ImapReader(app, url, DOMAIN)

    def read_on() -> None:
        with app.app_context():
            reader.read_on()

    thread = Thread(target=read_on)
    thread.start()
    try:
        yield reader
    finally:
        reader.close()
        thread.join(60)
        assert not thread.is_alive()


class OneLook(ImapReader):
    """Reads until it would wait."""

    def _wait(self, box: Any) -> None:
        self._is_closed.set()


def read_once(app: Flask, url: str) -> None:
    OneLook(app, url, DOMAIN).read_on()


# Reading


@pytest.mark.parametrize("more", ["", WITHOUT_IDLE, WITHOUT_UIDPLUS, IN_A_NAMESPACE])
def test_a_reply_is_stored_and_moved_but_never_deleted(
    more: str, app: Flask, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_dovecot(more) as server:
        emptied(server, monkeypatch)
        raw, spam = a_reply(address), a_mail("Buy!", To="sales@stars.example")
        server.delivers(raw)
        server.delivers(spam)
        read_once(app, server.url())
        assert inbox() == [raw]
        prefix = "INBOX." if more == IN_A_NAMESPACE else ""
        assert (server.mails(prefix + READ), server.mails(prefix + OTHERS)) == ([raw], [spam])
        assert server.mails() == ([] if more != WITHOUT_UIDPLUS else [raw, spam])  # marked as deleted, and left there
        read_once(app, server.url())
        assert server.mails(prefix + READ) == [raw]


@pytest.mark.parametrize("more", ["", WITHOUT_IDLE])
def test_a_reply_that_arrives_during_idle_is_read_soon(
    more: str, app: Flask, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if more:
        monkeypatch.setattr(imap, "LOOK_AGAIN", 0.2)
    with running_dovecot(more) as server:
        emptied(server, monkeypatch)
        with reading(app, server.url()):
            until(lambda: "Login" in server.log())
            server.delivers(a_reply(address))
            until(inbox)
            until(lambda: server.mails(READ))


def test_a_reply_that_arrives_between_search_and_idle_is_read_soon(
    dovecot: Dovecot, app: Flask, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = [a_reply(address, f"say {nr}") for nr in range(2)]
    left = iter(sent)
    search = IMAPClient.search

    def a_moment_too_late(box: IMAPClient, *args: Any) -> Any:
        found = search(box, *args)
        if not found and (raw := next(left, None)):
            dovecot.delivers(raw)
        return found

    monkeypatch.setattr(IMAPClient, "search", a_moment_too_late)
    with reading(app, dovecot.url()):
        until(lambda: inbox() == sent)


def test_emails_stay_in_the_mailbox_while_inbound_mail_is_closed(dovecot: Dovecot, app: Flask, address: str) -> None:
    mails = [a_reply(address), a_mail("Buy!", To="sales@stars.example")]
    for raw in mails:
        dovecot.delivers(raw)
    close(MAIL_IN)
    read_once(app, dovecot.url())
    assert (inbox(), dovecot.mails()) == ([], mails)
    open_again(MAIL_IN)
    read_once(app, dovecot.url())
    assert (inbox(), dovecot.mails(READ), dovecot.mails()) == (mails[:1], mails[:1], [])


def test_a_waiting_worker_reads_emails_once_inbound_mail_is_open_again(
    dovecot: Dovecot, app: Flask, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap, "LOOK_AGAIN", 0.1)
    raw = a_reply(address)
    dovecot.delivers(raw)
    close(MAIL_IN)
    with reading(app, dovecot.url()) as reader:
        until(lambda: reader._looks_after == 0.1)
        assert inbox() == []
        open_again(MAIL_IN)
        until(lambda: inbox() == [raw])


def test_many_waiting_emails_are_read_in_order(dovecot: Dovecot, app: Flask, address: str) -> None:
    sent = [a_reply(address, f"say {nr}") for nr in range(12)]
    for raw in sent:
        dovecot.delivers(raw)
    read_once(app, dovecot.url())
    assert inbox() == sent
    assert dovecot.mails() == []


def test_emails_are_read_from_the_folder_named_in_the_settings(dovecot: Dovecot, app: Flask, address: str) -> None:
    with dovecot.box() as box:
        if not box.folder_exists("Stars and sky"):
            box.create_folder("Stars and sky")
    dovecot.delivers(a_reply(address), folder="Stars and sky")
    read_once(app, dovecot.url(folder="Stars%20and%20sky"))
    assert len(inbox()) == 1


# Once


def test_an_email_counts_once_if_the_worker_crashes_between_storing_and_moving_it(
    dovecot: Dovecot, app: Flask, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = a_reply(address)
    dovecot.delivers(raw)

    def dies(*_: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr(imap, "_move", dies)
        read_once(app, dovecot.url())
    assert dovecot.mails() == [raw]
    read_once(app, dovecot.url())
    assert (inbox(), dovecot.mails(), dovecot.mails(READ)) == ([raw], [], [raw])


def test_an_email_stays_in_the_mailbox_while_the_database_is_down(
    dovecot: Dovecot, app: Flask, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = a_reply(address)
    dovecot.delivers(raw)

    def is_away(*_: object) -> None:
        raise Unavailable

    with monkeypatch.context() as patch, pytest.raises(Unavailable):
        patch.setattr(intake, "take_in", is_away)
        read_once(app, dovecot.url())
    assert dovecot.mails() == [raw]
    read_once(app, dovecot.url())
    assert inbox() == [raw]


def test_only_one_worker_reads_and_another_takes_over_if_it_dies(dovecot: Dovecot, app: Flask, address: str) -> None:
    name, now = imap.name_of(dovecot.url()), clock.real()
    assert mailboxes.lease(name, now, now + LEASE, None)
    dovecot.delivers(a_reply(address))
    read_once(app, dovecot.url())
    assert inbox() == []
    assert mailboxes.lease(name, now, now + 2 * LEASE, now + LEASE)  # its holder renews it
    assert not mailboxes.lease(name, now, now + LEASE, None)
    mailboxes.lease(name, now, now, now + 2 * LEASE)  # and is not seen again
    read_once(app, dovecot.url())
    assert len(inbox()) == 1
    assert mailboxes.lease(name, clock.real(), now + LEASE, None)  # who stops gives it up at once


def test_excess_emails_for_a_seat_stay_in_the_mailbox_and_do_not_delay_others(
    dovecot: Dovecot, app: Flask, address: str, game_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.config["BOUNDS"], "mails", Bound(1, 3600))
    beas = f"{reply_word(game_id, 1, 1)}@{DOMAIN}"
    for to in (address, address, beas):
        dovecot.delivers(a_reply(to))
    read_once(app, dovecot.url())
    assert (len(inbox()), len(dovecot.mails())) == (2, 1)


def test_an_email_is_stored_for_all_its_recipients(
    dovecot: Dovecot, app: Flask, address: str, game_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first recipient's game doesn't exist, and the second gets too many emails."""
    limit = app.config["BOUNDS"]["mails"]
    gone, beas = (f"{reply_word(*seat, 1)}@{DOMAIN}" for seat in ((UUID(int=7), 0), (game_id, 1)))
    dovecot.delivers(a_reply(address))
    monkeypatch.setitem(app.config["BOUNDS"], "mails", Bound(1, 3600))
    read_once(app, dovecot.url())
    raw = a_reply(gone, Cc=f"{address}, {beas}")
    dovecot.delivers(raw)
    read_once(app, dovecot.url())
    assert (inbox()[1:], dovecot.mails()) == ([raw], [raw])
    monkeypatch.setitem(app.config["BOUNDS"], "mails", limit)
    read_once(app, dovecot.url())
    assert (inbox()[1:], dovecot.mails()) == ([raw, raw], [])
    dovecot.delivers(a_reply(gone))
    read_once(app, dovecot.url())
    assert (len(dovecot.mails(READ)), len(dovecot.mails(OTHERS))) == (2, 1)


def test_a_rate_limited_email_is_not_fetched_again_immediately(
    dovecot: Dovecot, app: Flask, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.config["BOUNDS"], "mails", Bound(1, 3600))
    for _ in range(2):
        dovecot.delivers(a_reply(address))
    taken: list[bytes] = []
    reader = ImapReader(app, dovecot.url(), DOMAIN)
    take = reader._store
    monkeypatch.setattr(reader, "_store", lambda content: taken.append(content) or take(content))
    with imap.opened(dovecot.url()) as box:
        for _ in range(3):
            reader._read_all(box)
        assert (len(taken), len(dovecot.mails())) == (2, 1)
        monkeypatch.setitem(app.config["BOUNDS"], "mails", Bound(9, 3600))
        monkeypatch.setattr(time, "monotonic", lambda now=time.monotonic: now() + imap._TRY_AGAIN)
        reader._read_all(box)
    assert (len(taken), len(inbox()), dovecot.mails()) == (3, 2, [])


def test_an_email_that_cannot_be_moved_does_not_delay_others_and_is_logged_once(
    dovecot: Dovecot, app: Flask, address: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(imap, "OTHERS", "no..name")
    spam, raw = a_mail("Buy!", To="sales@stars.example"), a_reply(address)
    for mail in (spam, spam, raw):
        dovecot.delivers(mail)
    read_once(app, dovecot.url())
    assert (inbox(), dovecot.mails(), dovecot.mails(READ)) == ([raw], [spam, spam], [raw])
    assert [it.getMessage().partition(":")[0] for it in caplog.records if it.levelno >= logging.WARNING] == [
        "A mail stays in stars@localhost/INBOX"
    ]


def test_an_email_that_disappears_does_not_delay_others(
    dovecot: Dovecot, app: Flask, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = [a_reply(address, f"say {nr}") for nr in range(3)]
    for raw in sent:
        dovecot.delivers(raw)
    take_in = intake.take_in

    def removes_the_next(*args: Any) -> None:
        take_in(*args)
        with dovecot.box() as box:
            box.select_folder("INBOX")
            if len(uids := box.search()) == 3:
                box.delete_messages(uids[1:2])
                box.expunge()

    monkeypatch.setattr(intake, "take_in", removes_the_next)
    read_once(app, dovecot.url())
    assert inbox() == [sent[0], sent[2]]


def test_many_emails_are_fetched_in_batches_within_one_lease(
    dovecot: Dovecot, app: Flask, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap, "_BATCH", 2)
    sent = [a_reply(address, f"say {nr}") for nr in range(5)]
    for raw in sent:
        dovecot.delivers(raw)
    reader = ImapReader(app, dovecot.url(), DOMAIN)
    assert reader._has_lease()
    with imap.opened(dovecot.url()) as box:
        monkeypatch.setattr(intake, "take_in", loses_its_lease(reader, at=4))
        reader._read_all(box)
        assert inbox() == sent[:4]
        reader._read_all(box)
    assert inbox() == sent


def loses_its_lease(reader: ImapReader, at: int) -> Callable[..., None]:
    """With this mail: another worker has it from then on."""
    take_in, left = intake.take_in, [at]

    def take(*args: Any) -> None:
        take_in(*args)
        left[0] -= 1
        if left[0] == 0 and reader._lease_ends:
            assert mailboxes.lease(reader._name, clock.real(), reader._lease_ends + LEASE, reader._lease_ends)

    return take


# Other mails


def test_an_oversized_email_is_moved_unread(dovecot: Dovecot, app: Flask, address: str) -> None:
    dovecot.delivers(a_reply(address, "x\n" * LARGEST))
    read_once(app, dovecot.url())
    assert (inbox(), dovecot.mails(), len(dovecot.mails(OTHERS))) == ([], [], 1)


def test_a_bounce_counts_as_if_it_came_by_smtp(dovecot: Dovecot, app: Flask, game_id: UUID) -> None:
    (letter,) = Office(app, DOMAIN).mails("ada")
    dovecot.delivers(f"To: <{letter.sender}>\r\n".encode() + HARD)
    read_once(app, dovecot.url())
    read_returned_mails()
    assert deliveries(person("ada"), None, 10)[0][0]["result"] == "bounced"
    assert len(dovecot.mails(READ)) == 1


def test_a_complaint_to_the_postmaster_counts_as_if_it_came_by_smtp(
    dovecot: Dovecot, app: Flask, game_id: UUID
) -> None:
    (letter,) = Office(app, DOMAIN).mails("ada")
    dovecot.delivers(b"To: abuse@stars.example\r\n" + complaint(about=letter.sender))
    read_once(app, dovecot.url())
    read_returned_mails()
    assert profile(person("ada"))["unreachable"] is not None


def test_emails_to_the_post_desk_can_be_read_by_imap(
    dovecot: Dovecot, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the first email to a command, and other people's desks are left alone."""
    monkeypatch.setitem(app.config, "DESK_ADDRESS", f"post@{DOMAIN}")
    office, ann = Office(app, DOMAIN), "ann@example.net"

    def sends(to: str, text: str) -> list[Mail]:
        before = len(office.mails_to(ann))
        dovecot.delivers(a_mail(text, sender=ann, To=f"Sternenpost <{to}>"))
        read_once(app, dovecot.url())
        deal_with_desk(RECORDS)
        return office.mails_to(ann)[before:]

    assert sends("post@example.org", "Hello") == []
    (hello,) = sends(f"Post@{DOMAIN.upper()}", "Hello")
    (welcome,) = sends(hello.reply_to, "name Ann")
    assert player_at(ann)
    (answer,) = sends(welcome.reply_to, "games")
    assert "You have no games yet." in answer.text
    assert (len(dovecot.mails(READ)), len(dovecot.mails(OTHERS))) == (3, 1)


@pytest.mark.parametrize(
    "head",
    [
        *("To: {}", "To: nobody@example.org, {}", "To: Sternenpost <{}>", 'To: "a@b" <{}>', "Cc: {}"),
        *("Delivered-To: {}", "X-Original-To: <{}>", "To: other@example.org\r\nEnvelope-To: {}"),
        "To: Sternenpost\r\n <{}>",
    ],
)
def test_an_emails_recipient_is_found_in_its_header(head: str, address: str) -> None:
    word = address.partition("@")[0]
    local = address.replace("@", "+7@")
    for written in (address, address.upper(), local):
        assert recipients(f"{head.format(written)}\r\n\r\n?\r\n".encode(), DOMAIN) == [word]
    assert recipients(f"From: x@y\r\n\r\nTo: {address}\r\n".encode(), DOMAIN) == []
    assert recipients(f"Subject: {address}\r\n\r\n?\r\n".encode(), DOMAIN) == []


# Failures


def test_an_unreachable_server_is_logged_once_and_retried(
    app: Flask, address: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with running_dovecot() as server, caplog.at_level(logging.INFO):
        emptied(server, monkeypatch)
        server.delivers(a_reply(address))
        server.stop()
        reader = OneLook(app, server.url(), DOMAIN)
        for _ in range(3):
            reader._rests_until = 0.0
            reader.read_on()
        assert [it.getMessage().partition(":")[0] for it in caplog.records if it.name == imap.__name__] == [
            "Mail cannot be read from stars@localhost/INBOX"
        ]
        reader.read_on()  # it rests
        server.start()
        reader._rests_until = 0.0
        reader.read_on()
    assert len(inbox()) == 1


def test_the_check_explains_why_a_mailbox_cannot_be_read(dovecot: Dovecot, monkeypatch: pytest.MonkeyPatch) -> None:
    check(dovecot.url())
    wrong: list[Callable[[str], str]] = [
        lambda url: url.replace("stars@localhost", "wrong@localhost"),
        lambda url: url.replace("/INBOX", "/Nowhere"),
        lambda url: url.replace("localhost", "127.0.0.1"),  # for which the certificate is not
        lambda url: url.replace(str(dovecot.port), "1"),
    ]
    for change in wrong:
        with pytest.raises(Unreachable) as told:
            check(change(dovecot.url()))
        assert "of%3Astars" not in str(told.value) and "of:stars" not in str(told.value)
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(Unreachable, match="certificate"):
        check(dovecot.url())


def test_the_sandbox_clock_does_not_affect_leases(dovecot: Dovecot, app: Flask, address: str) -> None:
    later(LEASE)
    dovecot.delivers(a_reply(address))
    read_once(app, dovecot.url())
    assert len(inbox()) == 1
