"""A post office with an SMTP server that stores letters and can be closed."""

from collections.abc import Callable
from email import message_from_bytes, policy
from email.message import EmailMessage
from itertools import count
from typing import NamedTuple

from flask import Flask

from server.post.delivery import PostOffice
from server.post.incoming.intake import take_in
from server.post.smtp import Unreachable
from tests.support.live_server import Text

_numbers = count(1)


class Mail(NamedTuple):
    to: str
    message: EmailMessage
    raw: bytes
    sender: str

    @property
    def reply_to(self) -> str:
        return str(self.message["Reply-To"])

    @property
    def subject(self) -> str:
        return str(self.message["Subject"])

    @property
    def text(self) -> Text:
        return Text(self._body("plain"))

    @property
    def page(self) -> str:
        return self._body("html")

    def _body(self, kind: str) -> str:
        body = self.message.get_body((kind,))
        assert body is not None
        text: str = body.get_content()
        return text.replace("\r\n", "\n")


class Office:
    """An office that sends what is due and stores it."""

    def __init__(self, app: Flask, reply_domain: str | None = None) -> None:
        self.is_closed = False
        self.refusal: Exception | None = None
        self._kept: list[Mail] = []
        self._post = PostOffice(app, self, reply_domain)

    def check(self) -> None:
        pass

    def send(self, message: bytes, sender: str, recipient: str, confirm: Callable[[], None]) -> None:
        confirm()
        if self.is_closed:
            raise Unreachable("The mail server is closed.")
        if self.refusal:
            raise self.refusal
        opened = message_from_bytes(message, policy=policy.default)
        assert isinstance(opened, EmailMessage)
        self._kept.append(Mail(recipient, opened, message, sender))

    def delivers(self) -> None:
        while self._post.deliver_due():
            self._post.wait()

    def mails(self, name: str) -> list[Mail]:
        """Return all mails to name@example.org after delivering what is due."""
        return self.mails_to(f"{name}@example.org")

    def mails_to(self, address: str) -> list[Mail]:
        self.delivers()
        return [mail for mail in self._kept if mail.to == address]

    def subjects(self, name: str) -> list[str]:
        return [mail.subject for mail in self.mails(name)]


# Inbound mail


def a_mail(text: str, sender: str = "ada@example.org", **headers: str) -> bytes:
    mail = EmailMessage()
    mail["From"] = sender
    mail["Message-ID"] = f"<{next(_numbers)}@ada.example.org>"
    for name, value in headers.items():
        del mail[name]
        mail[name] = value
    mail.set_content(text)
    return mail.as_bytes().replace(b"\n", b"\r\n")


def arrives(to: str, raw: bytes) -> None:
    """Accept a mail as by SMTP, for the owner of this address."""
    take_in(to.partition("@")[0], None, raw, limited=True)
