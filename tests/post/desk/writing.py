"""A person with nothing but a mailbox: what they send over real SMTP, and what comes back."""

import smtplib
from email.message import EmailMessage
from itertools import count

from server.post.desk.counter import deal_with_desk
from server.post.incoming.answering import deal_with_mails
from server.post.incoming.smtp_server import SmtpServer
from server.worker import RECORDS
from tests.post.office import Mail, Office

DOMAIN = "stars.example"
DESK = f"post@{DOMAIN}"
_numbers = count(1)


class Correspondent:
    """A mailbox at `email`, with a way to our SMTP server."""

    def __init__(self, email: str, office: Office, server: SmtpServer) -> None:
        self.email, self._office, self._server = email, office, server

    def mails(self) -> list[Mail]:
        return self._office.mails_to(self.email)

    @property
    def newest(self) -> Mail:
        return self.mails()[-1]

    @property
    def newest_answer(self) -> Mail:
        """Return the newest letter of the desk."""
        return [it for it in self.mails() if it.message["Auto-Submitted"] == "auto-replied"][-1]

    def sends(self, to: str, text: str, subject: str = "", **headers: str) -> list[Mail]:
        """Send an email, and return the letters that it causes to this mailbox."""
        before = len(self.mails())
        self.hands_over(to, self.written(to, text, subject, **headers))
        settle()
        return self.mails()[before:]

    def answers(self, to: str, text: str, subject: str = "", **headers: str) -> list[Mail]:
        """Send an email, and return the answers, without letters about games."""
        return [it for it in self.sends(to, text, subject, **headers) if it.message["Auto-Submitted"] == "auto-replied"]

    def written(self, to: str, text: str, subject: str = "", **headers: str) -> bytes:
        mail = EmailMessage()
        given = {
            "From": self.email,
            "To": to,
            "Subject": subject,
            "Message-ID": f"<{next(_numbers)}@{self.email.partition('@')[2]}>",
        }
        for name, value in (given | {key.replace("_", "-"): it for key, it in headers.items()}).items():
            if value:
                mail[name] = value
        mail.set_content(text)
        return mail.as_bytes().replace(b"\n", b"\r\n")

    def hands_over(self, to: str, raw: bytes, envelope: str | None = None) -> None:
        with smtplib.SMTP("127.0.0.1", self._server.port, timeout=60) as smtp:
            smtp.sendmail(self.email if envelope is None else envelope, [to], raw)

    def asks(self, text: str, subject: str = "", **headers: str) -> Mail:
        """Reply to the newest letter of the desk, quoting it, and return the one answer."""
        newest = self.newest_answer
        quoted = "\n".join(f"> {line}" for line in newest.text.splitlines())
        (answer,) = self.answers(
            newest.reply_to, f"{text}\n\nOn 27 Nov 2026 Sternenpost <x@y.org> wrote:\n{quoted}", subject, **headers
        )
        return answer


def settle() -> None:
    """Let the worker deal with every email."""
    deal_with_desk(RECORDS)
    deal_with_mails()
    deal_with_desk(RECORDS)
