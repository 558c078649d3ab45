"""The life of an account by email with real programs: Postfix as in the handbook, and a mailbox in Dovecot."""

import smtplib
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from typing import Any, cast

import pytest

from tests.post.desk.crowd import DOMAIN, Crowd, Person, answers
from tests.support import dovecot, postfix
from tests.support.live_server import House, Mail, free_port, new_house, until

pytestmark = [
    pytest.mark.skipif(dovecot.PROGRAM is None, reason="Dovecot is not installed: apt-get install dovecot-imapd"),
    pytest.mark.skipif(not postfix.IS_THERE, reason=postfix.MISSING),
]
ANN = "ann@example.net"


class ThroughPostfix:
    """A server behind Postfix, as a person with a mailbox sees it. It has what a crowd uses of `House`."""

    def __init__(self, house: House, port: int, box: Any) -> None:
        self.mail_in, self.rows, self.post = port, house.rows, self
        self._box, self._letters = box, list[Mail]()
        box.select_folder("INBOX", readonly=True)

    @property
    def letters(self) -> list[Mail]:
        self._box.noop()
        uids = sorted(self._box.search())[len(self._letters) :]
        found = self._box.fetch(uids, ["BODY.PEEK[]"]) if uids else {}
        for uid in uids:
            message = BytesParser(policy=policy.default).parsebytes(found[uid][b"BODY[]"])
            assert isinstance(message, EmailMessage)
            self._letters.append(Mail(str(message["X-Original-To"] or message["Delivered-To"]), message))
        return self._letters


@pytest.fixture
def served() -> Iterator[tuple[House, ThroughPostfix]]:
    lmtp = free_port()
    with (
        dovecot.running_dovecot() as mailboxes,
        postfix.running_postfix(DOMAIN, lmtp, ANN, mailboxes.mailboxes) as (port, relay),
        new_house(
            STERNENPOST_REPLY_DOMAIN=DOMAIN,
            STERNENPOST_MAIL_IN=f"lmtp://127.0.0.1:{lmtp}",
            SMTP_URL=f"smtp://127.0.0.1:{relay}",
        ) as house,
        mailboxes.box("ann") as box,
    ):
        house.start_worker()
        until(lambda: house.count("heartbeats"))
        yield house, ThroughPostfix(house, port, box)


def test_an_account_can_be_used_from_first_email_to_deletion_through_postfix(
    served: tuple[House, ThroughPostfix],
) -> None:
    house, service = served
    as_seen = cast(House, service)  # it has what a crowd uses
    ann = Person(as_seen, 1, "en", "thunderbird", "several commands", "1")
    ann.email = ANN
    crowd = Crowd(as_seen, [ann])
    crowd.lives()
    assert not crowd.failed
    found = answers(as_seen)
    assert [it.words for it in ann.sent if len(found[it.message_id]) != 1 and it is not ann.sent[0]] == []
    assert house.count("players WHERE deleted_at IS NOT NULL") == 1
    with smtplib.SMTP("127.0.0.1", service.mail_in, timeout=60) as smtp:
        smtp.ehlo()
        smtp.mail(ANN)
        assert smtp.rcpt(f"nobody@{DOMAIN}")[0] == 550
