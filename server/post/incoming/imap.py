"""The inbound route over IMAP (RFC 9051), for servers whose replies arrive in a mailbox.

Once an email has been read, it is moved to another folder and never deleted. After a crash, emails may be read again,
and are recognized as copies.
"""

import logging
import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from threading import Event
from typing import Any
from urllib.parse import unquote, urlsplit

from flask import Flask
from imapclient import IMAPClient, SocketTimeout
from imapclient.exceptions import IMAPClientAbortError, IMAPClientError

from server.accounts.closing import MAIL_IN, is_open
from server.clock import clock
from server.errors import Closed, NotFound, TooMany
from server.play.mail.postmaster import POSTMASTERS
from server.post.desk.addresses import is_open_word
from server.post.incoming.intake import LARGEST, expect_known, take_in_for_all, take_unaddressed
from server.post.incoming.mime import head_and_body
from server.post.smtp import Unreachable
from server.store import mailboxes
from server.store.connections import let_go
from server.store.database_retry import is_passing

READ, OTHERS = "Sternenpost", "Sternenpost-other"  # folders for stored emails, and for emails to other addresses
LEASE = timedelta(seconds=60)
LOOK_AGAIN = 20.0  # maximum seconds between polls; with IDLE, the server announces new mail immediately
_SOON = 1.0  # seconds until the poll after new mail, since IDLE may miss an email that arrives just before
_PAUSE = 5.0  # seconds until the next attempt
_LONGEST_PAUSE = 300.0  # longest pause after failures; some providers block frequent attempts
_TRY_AGAIN = 300.0  # seconds until an email that stayed in the folder is read again
_BATCH = 200  # emails per command
_TIMEOUT = SocketTimeout(connect=15, read=60)
_ENVELOPE = ("delivered-to", "x-original-to", "x-envelope-to", "envelope-to", "x-delivered-to", "to", "cc")
_ADDRESS = re.compile(r"(?<![\w.+=-])([\w.=-]{1,100})(?:\+[\w.+=-]{0,200})?@([A-Za-z0-9.-]{1,255})")

log = logging.getLogger(__name__)


def check(url: str) -> None:
    """Raise Unreachable unless this mailbox can be read."""
    try:
        with opened(url):
            pass
    except (IMAPClientError, OSError) as error:
        raise Unreachable(f"{name_of(url)}: {error}") from error


def name_of(url: str) -> str:
    """Return the name of a mailbox, in the form `user@host/folder`."""
    parts = urlsplit(url)
    return f"{unquote(parts.username or '')}@{parts.hostname}/{_folder(url)}"


class ImapReader:
    """Reads a mailbox. Several workers may share a mailbox. The worker that holds the lease reads it."""

    def __init__(self, app: Flask, url: str, reply_domain: str) -> None:
        self._url, self._domain = url, reply_domain
        self._limited = bool(app.config["LIMITS"])
        self._name = name_of(url)
        self._lease_ends: datetime | None = None
        self._failures = 0
        self._rests_until = 0.0
        self._stay_until: dict[int, float] = {}  # by the UID of the email
        self._looks_after = _SOON  # doubled after each poll until new mail arrives
        self._has_told_of_one = False
        self._is_closed = Event()
        self._box: Any = None

    def read_on(self) -> None:
        """Read existing and new emails until `close` is called or IMAP fails. If another worker holds the lease, read
        nothing.

        A failure is logged once. Raise temporary database errors.
        """
        if time.monotonic() < self._rests_until or not self._has_lease():
            return
        try:
            with opened(self._url) as self._box:
                self._tell_of(None)
                while not self._is_closed.is_set() and self._has_lease():
                    if is_open(MAIL_IN):
                        self._read_all(self._box)
                    let_go()  # waiting for mail must not occupy a connection
                    self._wait(self._box)
        except (IMAPClientError, OSError) as error:
            if not self._is_closed.is_set():
                self._tell_of(error)
        finally:
            self._box = None
            if self._lease_ends:
                mailboxes.give_up(self._name, clock.real(), self._lease_ends)
                self._lease_ends = None

    def close(self) -> None:
        """Stop reading. Emails that haven't been moved yet will be read again."""
        self._is_closed.set()
        if (box := self._box) is not None:
            with suppress(OSError):
                socket.socket.shutdown(
                    box.socket(), socket.SHUT_RDWR
                )  # SSLSocket.shutdown would reset the reading thread's TLS state

    def _has_lease(self) -> bool:
        now = clock.real()
        if not mailboxes.lease(self._name, now, now + LEASE, self._lease_ends):
            self._lease_ends = None
            return False
        self._lease_ends = now + LEASE
        return True

    def _tell_of(self, error: Exception | None) -> None:
        if error is None:
            log.info("Mail is read from %s", self._name)
            self._failures, self._has_told_of_one = 0, False
            return
        if self._failures == 0:
            log.warning("Mail cannot be read from %s: %s", self._name, error)
        self._failures += 1
        self._rests_until = time.monotonic() + min(_PAUSE * 2**self._failures, _LONGEST_PAUSE)

    def _wait(self, box: Any) -> None:
        seconds, self._looks_after = self._looks_after, min(2 * self._looks_after, LOOK_AGAIN)
        if not box.has_capability("IDLE"):
            self._is_closed.wait(seconds)
            box.noop()
            return
        box.idle()
        box.idle_check(seconds)
        box.idle_done()

    def _read_all(self, box: Any) -> None:
        now = time.monotonic()
        self._stay_until = {uid: until for uid, until in self._stay_until.items() if until > now}
        uids = [uid for uid in box.search(["UNDELETED"]) if uid not in self._stay_until]
        if uids:
            self._looks_after = _SOON
        for start in range(0, len(uids), _BATCH):
            if start and not self._has_lease():
                return
            batch = uids[start : start + _BATCH]
            sizes = box.fetch(batch, ["RFC822.SIZE"])
            for uid in batch:
                if self._is_closed.is_set():
                    return
                self._read(box, uid, sizes.get(uid, {}).get(b"RFC822.SIZE"))

    def _read(self, box: Any, uid: int, size: int | None) -> None:
        """Read an email. If it is faulty, it stays in the folder, and others aren't delayed. An email without a size
        has just been deleted."""
        if size is None:
            return
        try:
            folder: str | None = OTHERS
            if size <= LARGEST:
                content = box.fetch([uid], ["BODY.PEEK[]"]).get(uid, {}).get(b"BODY[]")
                if content is None:
                    return
                folder = self._store(content)
            if folder:
                _move(box, uid, folder)
                return
        except IMAPClientAbortError:  # the connection has been lost
            raise
        except IMAPClientError as error:
            if not self._has_told_of_one:
                log.warning("A mail stays in %s: %s", self._name, error)
            self._has_told_of_one = True
        self._stay_until[uid] = time.monotonic() + _TRY_AGAIN

    def _store(self, content: bytes) -> str | None:
        """Store an email for each of its recipients. Return the folder to which the email must be moved, or None if it
        must be read again later."""
        words = recipients(content, self._domain)
        try:
            if words:
                return READ if take_in_for_all(words, None, content, self._limited) else OTHERS
            take_unaddressed(content, self._limited)
        except (Closed, TooMany):
            return None
        except Exception as error:
            let_go()
            if is_passing(error):
                raise
            log.exception("A mail could not be taken in")
        return OTHERS


def recipients(content: bytes, domain: str) -> list[str]:
    """Return the local parts of our addresses in an email's headers, since IMAP doesn't give us the envelope."""
    fields = head_and_body(content)[0].fields
    found = [pair for name, value in fields if name in _ENVELOPE for pair in _ADDRESS.findall(value)]
    words = dict.fromkeys((local.lower(), where.lower()) for local, where in found)
    return list(dict.fromkeys(word for word, where in words if _is_ours(word, where == domain)))


def _is_ours(word: str, is_here: bool) -> bool:
    """Return whether a local part is ours. `postmaster` and the post desk may exist in other domains, too. All other
    local parts are signed."""
    if word in POSTMASTERS or is_open_word(word):
        return is_here
    try:
        expect_known(word)
    except NotFound:
        return False
    return True


@contextmanager
def opened(url: str) -> Iterator[Any]:
    """Open the folder for reading and moving emails. Raise IMAPClientError, OSError."""
    parts = urlsplit(url)
    box = IMAPClient(parts.hostname, parts.port or 993, timeout=_TIMEOUT)
    try:
        box.login(unquote(parts.username or ""), unquote(parts.password or ""))
        box.select_folder(_folder(url))
        yield box
    finally:
        with suppress(IMAPClientError, OSError):
            box.logout()
        with suppress(IMAPClientError, OSError):
            box.shutdown()


def _folder(url: str) -> str:
    return unquote(urlsplit(url).path).strip("/") or "INBOX"


def _move(box: Any, uid: int, folder: str) -> None:
    """Move an email with MOVE (RFC 6851), or by copying and deleting it. A crash in between leaves a harmless copy."""
    folder = _prefix(box) + folder
    if not box.folder_exists(folder):
        box.create_folder(folder)
    if box.has_capability("MOVE"):
        box.move([uid], folder)
        return
    box.copy([uid], folder)
    box.add_flags([uid], [b"\\Deleted"])
    if box.has_capability("UIDPLUS"):
        box.uid_expunge([uid])  # only this email, which has been copied


def _prefix(box: Any) -> str:
    """Return the prefix of the folders in the personal namespace, such as `INBOX.` (RFC 2342)."""
    own = box.namespace().personal if box.has_capability("NAMESPACE") else None
    return str(own[0][0] or "") if own else ""
