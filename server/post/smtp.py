"""Mail transports: SMTP servers and Maildirs."""

import mailbox
import re
import smtplib
import socket
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote

from server.sanitize import clean, email_address

TIMEOUT = 30.0  # seconds for the connection, and for responses that aren't about an email
COMMAND_TIMEOUT = 300.0  # seconds for the responses to MAIL and RCPT
DATA_TIMEOUT = 600.0  # seconds for the responses to DATA and the email
ASKED_LAST = 60.0  # seconds for which an unreachable server is tried last
_ENHANCED = re.compile(r"#?(?P<status>[245]\.\d{1,3}\.\d{1,3})(?![.\d])")  # at the start of a response (RFC 2034)
_NOBODY = re.compile(
    r"\b(unknown|no such|invalid|non-?existent) ((local|virtual) )?(user|mailbox|recipient|address|account)\b"
    r"|\b(user|mailbox|recipient|address|account)( is)? (unknown|not found|invalid|does( not|n't) exist)\b"
)


class Refused(Exception):
    """The address accepts no emails, so a retry would be useless."""


class Unreachable(Exception):
    """A failure that a retry may fix."""


class Away(Unreachable):
    """The server doesn't respond, or rejects our connection for now."""


class Unanswered(Unreachable):
    """The connection broke while the email was being sent, so the server may have accepted the email."""


class TooBig(Unreachable):
    """The email exceeds the server's size limit."""


class Carrier(Protocol):
    """A transport for outgoing emails."""

    def check(self) -> None:
        """Raise Unreachable unless emails can be sent now."""
        ...

    def send(self, message: bytes, sender: str, recipient: str, confirm: Callable[[], None] = lambda: None) -> None:
        """Send an email. On return, the next server is responsible for the email. Raise Refused, Unreachable.

        `confirm` is called as late as possible. If it raises an error, nothing is sent.
        """
        ...


def carrier(*where: str) -> Carrier:
    """Return the mail transport for one or more of `smtp://[user:password@]host[:port][?starttls=1]`, `smtps://...` and
    paths of Maildirs. Raise ValueError if the text has another form."""
    carriers = [SmtpCarrier(it) if "://" in it else MaildirCarrier(it) for it in where]
    return carriers[0] if len(carriers) == 1 else Fallback(carriers)


class Fallback:
    """Several mail transports, tried in order. A transport that is unreachable is tried last for a while.

    Refused is final if any transport raises it.
    """

    def __init__(self, carriers: Sequence[Carrier]) -> None:
        self._carriers = carriers
        self._away_until: dict[Carrier, float] = {}

    def check(self) -> None:
        failures = []
        for each in self._carriers:
            try:
                each.check()
            except Unreachable as error:
                failures.append(str(error))
        if failures:
            raise Unreachable("; ".join(failures))

    def send(self, message: bytes, sender: str, recipient: str, confirm: Callable[[], None] = lambda: None) -> None:
        failures: list[Unreachable] = []
        for each in sorted(self._carriers, key=self._is_away):
            try:
                return each.send(message, sender, recipient, confirm)
            except Unreachable as error:
                if isinstance(error, Away | Unanswered):
                    self._away_until[each] = time.monotonic() + ASKED_LAST
                if isinstance(error, Unanswered):  # otherwise another server might deliver the email again
                    raise
                failures.append(error)
        too_big = next((error for error in failures if isinstance(error, TooBig)), None)
        raise too_big or Unreachable("; ".join(map(str, failures))) from failures[-1]

    def _is_away(self, carrier: Carrier) -> bool:
        return time.monotonic() < self._away_until.get(carrier, 0.0)


_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_SMTP_URL = re.compile(
    r"(?P<scheme>smtps?)://(?:(?P<user>[^:@/]+):(?P<password>[^@/]+)@)?"
    r"(?P<host>[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?/?(?P<starttls>\?starttls=1)?"
)


class SmtpCarrier:
    """A mail transport for an SMTP server, with one connection per thread."""

    def __init__(self, url: str, timeout: float = TIMEOUT) -> None:
        parts = _SMTP_URL.fullmatch(url)
        if parts is None or (parts["scheme"] == "smtps" and parts["starttls"]):
            # the message has no URL, because a URL may contain a password
            raise ValueError("A mail server is smtp://[user:password@]host[:port][?starttls=1] or smtps://...")
        self._tls, self._starttls = parts["scheme"] == "smtps", parts["starttls"] is not None
        self._host = parts["host"].strip("[]")
        if parts["user"] and not self._tls and self._host not in _LOOPBACK:
            self._starttls = True  # passwords are sent only over TLS
        self._port = int(parts["port"] or (465 if self._tls else 587 if self._starttls else 25))
        self._login = (unquote(parts["user"]), unquote(parts["password"])) if parts["user"] else None
        if self._login and not "".join(self._login).isascii():  # smtplib can send only ASCII
            raise ValueError(f"User and password of the mail server {self._host} must be ASCII.")
        self._timeout = timeout
        self._own_name = socket.getfqdn()  # cached, because the lookup may use the network
        self._mine = threading.local()

    def send(self, message: bytes, sender: str, recipient: str, confirm: Callable[[], None] = lambda: None) -> None:
        try:
            sender, recipient = email_address(sender), email_address(recipient)
        except ValueError as error:
            raise Refused(str(error)) from error
        try:
            self._connection().hand_over(sender, recipient, message, confirm)
        except smtplib.SMTPRecipientsRefused as refusal:
            code, answer = refusal.recipients[recipient]
            raise failure(code, answer, "RCPT") from refusal
        except smtplib.SMTPDataError as refusal:
            raise failure(refusal.smtp_code, refusal.smtp_error, "DATA") from refusal
        except (smtplib.SMTPConnectError, smtplib.SMTPHeloError, smtplib.SMTPAuthenticationError) as refusal:
            self._hang_up()
            raise Away(str(failure(refusal.smtp_code, refusal.smtp_error, "MAIL"))) from refusal
        except smtplib.SMTPResponseException as refusal:
            raise failure(refusal.smtp_code, refusal.smtp_error, "MAIL") from refusal
        except (smtplib.SMTPException, OSError) as error:
            may_have_it = self._mine.smtp.has_begun if hasattr(self._mine, "smtp") else False
            self._hang_up()
            raise (Unanswered if may_have_it else Away)(f"{self._host}: {error}") from error
        except Exception:  # raised by `confirm`, within a transaction
            self._hang_up()
            raise

    def check(self) -> None:
        try:
            self._connection()
        except (smtplib.SMTPException, OSError) as error:
            raise Unreachable(f"{self._host}: {error}") from error

    def _connection(self) -> "_Smtp":
        """Return this thread's connection. If the last one was closed, open a new one."""
        smtp: _Smtp | None = getattr(self._mine, "smtp", None)
        try:
            if smtp is not None and smtp.noop()[0] == 250:
                return smtp
        except (smtplib.SMTPException, OSError):
            pass
        self._hang_up()
        smtp = self._mine.smtp = self._connect()
        return smtp

    def _connect(self) -> "_Smtp":
        smtp: _Smtp
        if self._tls:
            trusted = ssl.create_default_context()
            smtp = _Smtps(self._host, self._port, self._own_name, timeout=self._timeout, context=trusted)
        else:
            smtp = _Smtp(self._host, self._port, self._own_name, timeout=self._timeout)
        try:
            if self._starttls:
                smtp.starttls(context=ssl.create_default_context())
            if self._login:
                smtp.login(*self._login)
        except (smtplib.SMTPException, OSError):
            smtp.close()
            raise
        return smtp

    def _hang_up(self) -> None:
        smtp: _Smtp | None = self._mine.__dict__.pop("smtp", None)
        if smtp is not None:
            smtp.close()


class _Smtp(smtplib.SMTP):
    """A connection with the time-outs of RFC 5321, 4.5.3.2. With shorter time-outs, an email might be sent twice to a
    slow server."""

    has_begun = False  # whether part of the email has been sent

    def hand_over(self, sender: str, recipient: str, message: bytes, confirm: Callable[[], None]) -> None:
        """Send an email, and call `confirm` before DATA. Raise the errors of `confirm` and `sendmail`."""
        assert self.sock
        patience, self._confirm, self.has_begun = self.sock.gettimeout(), confirm, False
        self.sock.settimeout(COMMAND_TIMEOUT)
        try:
            self.sendmail(sender, [recipient], message)
        finally:
            if self.sock:  # a 421 response closes the connection
                self.sock.settimeout(patience)

    def data(self, msg: Any) -> tuple[int, bytes]:
        self._confirm()
        if self.sock:
            self.sock.settimeout(DATA_TIMEOUT)
        return super().data(msg)

    def getreply(self) -> tuple[int, bytes]:
        code, answer = super().getreply()
        self.has_begun |= code == 354  # the server now expects the email
        return code, answer


class _Smtps(_Smtp, smtplib.SMTP_SSL):
    """A connection with implicit TLS."""


def failure(code: int, answer: bytes | str, stage: str) -> Refused | Unreachable:
    """Return the error for a server's response. `stage` is MAIL, RCPT or DATA.

    A response is final only if it is clearly about the address. A relay that blocks us may accept the email later.
    """
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    sentence = f"{code} {clean(text, 300)}"
    found = _ENHANCED.match(text)
    status = found["status"] if found else ""
    if status in ("5.2.3", "5.3.4") or (code == 552 and not status):
        return TooBig(sentence)
    if stage == "MAIL" or not 500 <= code <= 599:  # the server didn't know the address yet, or the error is temporary
        return Unreachable(sentence)
    if status.startswith(("5.1.", "5.2.")) and status not in ("5.1.7", "5.1.8"):  # these two codes are about the sender
        return Refused(sentence)
    is_unknown = stage == "RCPT" and not status and "sender" not in text.lower() and _NOBODY.search(text.lower())
    return Refused(sentence) if is_unknown else Unreachable(sentence)


class MaildirCarrier:
    """A mail transport that stores emails in a Maildir. The sandbox shows the emails from there."""

    def __init__(self, path: str) -> None:
        for folder in ("tmp", "new", "cur"):
            (Path(path) / folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        self._maildir = mailbox.Maildir(path, create=False)

    def check(self) -> None:
        try:
            len(self._maildir)
        except OSError as error:
            raise Unreachable(str(error)) from error

    def send(self, message: bytes, sender: str, recipient: str, confirm: Callable[[], None] = lambda: None) -> None:
        confirm()
        try:
            self._maildir.add(message)
        except (mailbox.Error, OSError) as error:
            raise Unreachable(str(error)) from error
