"""Takes a mail in, whichever way it came: it is kept before whoever brings it hears so, and a copy of it counts once."""

import hashlib
import logging
import re

from server.play.mail_in import expect_addressee, take_mail
from server.play.postmaster import POSTMASTERS, take_postmaster_mail
from server.post.incoming import bounces
from server.store.connections import let_go
from server.store.database_retry import is_passing

LARGEST = 1024 * 1024  # octets of a mail; what people write is far smaller, but programs send our picture back with it
MOST_READERS = 10  # recipients of one mail

log = logging.getLogger(__name__)


def local_part(address: str) -> str:
    """Without what some senders add to it after a plus, in lower case: our words read the same in either."""
    before = address.rpartition("@")[0] or address
    return before.strip('"').partition("+")[0].lower()


def expect_known(word: str) -> None:
    """Raises NotFound for a local part that is nobody's."""
    if word not in POSTMASTERS and not bounces.is_return(word):
        expect_addressee(word)


def take_in(word: str, sender: str | None, content: bytes, limited: bool) -> None:
    """Keep a mail to this local part. `sender` is that of the envelope, "" for none; None if it is not known, or the mail
    names it.

    Raises NotFound, TooMany, Unavailable; all but the first may pass.
    """
    same, raw = _same(content), content
    if sender is not None:  # as the last server on the way is to add (RFC 5321, 4.4)
        raw = b"Return-Path: <%s>\r\n%s" % (sender.encode("utf-8", "surrogateescape"), content)
    if bounces.is_return(word):
        _take_report(word, same, raw, limited)
    elif word in POSTMASTERS:
        bounces.note_complaints(raw)  # first, since they count however many other mails are kept
        take_postmaster_mail(word, same, raw, limited)
    else:
        take_mail(word, same, raw, limited)


def _take_report(word: str, same: str, raw: bytes, limited: bool) -> None:
    """One with which something goes wrong here is kept for whoever runs this: brought again, it would go wrong again."""
    try:
        bounces.note(raw, word)
    except Exception as error:
        let_go()
        if is_passing(error):
            raise
        log.exception("A report could not be read")
        take_postmaster_mail(word, same, raw, limited)


# What a mail has in common with its copies, and with no other. Headers are added on the way, and some programs use one
# Message-ID again and again.
_ITS_OWN = re.compile(rb"^(?:message-id|date|from)[ \t]*:.*(?:\r?\n[ \t].*)*", re.IGNORECASE | re.MULTILINE)
_BARE_LF = re.compile(rb"(?<!\r)\n")  # as programs write it that hand a mail on as a text


def _same(raw: bytes) -> str:
    head, _, body = _BARE_LF.sub(b"\r\n", raw).partition(b"\r\n\r\n")
    return hashlib.sha256(b"\0".join([*_ITS_OWN.findall(head), body])).hexdigest()
