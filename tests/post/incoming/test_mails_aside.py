"""Emails that cannot be processed are set aside, and every email gets a reply."""

import os
from random import Random
from uuid import UUID

import psycopg
import pytest

from server.play.mail.mail_in import reply_word, take_mail
from server.play.mail.postmaster import deal_again, kept_mails
from server.post.incoming import answering, replies
from server.post.incoming.answering import LEASE, deal_with_mails
from server.store.database_retry import Unavailable
from server.store.tables import Incoming, LetterRow, db
from tests.post.incoming.replying import ada_writes, messages
from tests.post.office import Office, a_mail, arrives
from tests.support.games import HOUR, MINUTE, everything_due_happens, happened, later, seats_of, until

pytestmark = pytest.mark.usefixtures("within")

# Twice, and in pieces


def breaks(*_: object, **__: object) -> None:
    raise RuntimeError("It broke: \0\ud800")


# What cannot be dealt with


def aside() -> list[str]:
    db.session.rollback()
    return [it["fault"] for it in kept_mails(10)]


def test_a_random_failure_is_retried_once(office: Office, game_id: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    reads = [breaks, answering._read]
    monkeypatch.setattr(answering, "_read", lambda *given: reads.pop(0)(*given))
    assert "Something went wrong" not in ada_writes(office, "say One.").text
    assert messages(game_id) == ["One."]
    assert not aside()


def test_an_email_that_cannot_be_processed_is_set_aside_immediately_and_its_sender_is_notified(
    office: Office, game_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(answering, "_read", breaks)
        answer = ada_writes(office, "say One.", **{"Message-ID": "<7@ada.example.org>"})
    assert "Something went wrong on our side" in answer.text
    assert answer.message["In-Reply-To"] == "<7@ada.example.org>"
    assert aside() == ["RuntimeError: It broke:"]
    ada_writes(office, "say Two.")
    assert messages(game_id) == ["Two."]


def test_an_email_that_was_set_aside_does_not_delay_time_outs(
    office: Office, game_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    due_at = seats_of(game_id)[0].due_at
    office.mails("ada")
    until(due_at - MINUTE)
    arrives(office.mails("ada")[-1].reply_to, a_mail("?"))
    until(due_at + HOUR)
    monkeypatch.setattr(answering, "_read", breaks)
    deal_with_mails()
    later(MINUTE)  # as after any mail
    everything_due_happens()
    assert "time-extended" in happened(game_id)


def test_an_email_whose_processing_never_ends_is_set_aside_and_its_sender_is_notified(
    office: Office, game_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    def takes_too_long(*_: object, **__: object) -> None:
        raise Unavailable  # as where a statement is given up again and again, or the worker dies of it

    before = office.mails("ada")
    arrives(before[0].reply_to, a_mail("say One."))
    with monkeypatch.context() as patch:
        patch.setattr(answering, "_read", takes_too_long)
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


def test_a_full_disk_does_not_cause_an_email_to_be_set_aside(
    office: Office, game_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    def finds_a_full_disk(*_: object, **__: object) -> None:
        raise Unavailable from psycopg.errors.DiskFull()

    arrives(office.mails("ada")[-1].reply_to, a_mail("say One."))
    with monkeypatch.context() as patch:
        patch.setattr(answering, "_read", finds_a_full_disk)
        for _ in range(10):
            with pytest.raises(Unavailable):
                deal_with_mails()
            later(LEASE)
    deal_with_mails()
    assert aside() == []
    assert messages(game_id) == ["One."]


def test_an_email_is_set_aside_even_if_composing_a_reply_fails(
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
    """A mail with header and body that no program would write."""
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


def test_hostile_emails_are_processed_within_the_limits_of_the_child_process(
    office: Office, game_id: UUID, pytestconfig: pytest.Config
) -> None:
    most = int(os.environ.get("STERNENPOST_HOSTILE_MAILS", "100" if pytestconfig.getoption("--all") else "20"))
    for seed in range(most):
        later(HOUR)  # else there are too many
        raw = hostile(Random(seed))
        take_mail(reply_word(game_id, 0, seed), str(seed), raw, limited=False)
        deal_with_mails()
        db.session.rollback()
        (mail,) = db.session.scalars(db.select(Incoming).where(Incoming.raw == raw))
        assert (mail.due_at, mail.fault) == (None, None), seed
        assert mail.answer or replies.read(raw, known="ada@example.org").automatic, seed
    assert office.mails("ada")
    assert not db.session.scalars(db.select(LetterRow)).all()
