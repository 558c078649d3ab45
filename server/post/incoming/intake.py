"""Takes a mail in, whichever way it came: it is kept before whoever brings it hears so, and a copy of it counts once."""

import hashlib
import re

from server.accounts.closing import MAIL_IN, expect_open
from server.play.mail.mail_in import expect_addressee, take_mail
from server.play.mail.postmaster import POSTMASTERS, take_postmaster_mail
from server.post.incoming import bounces

LARGEST = 1024 * 1024  # octets of a mail; what people write is far smaller, but programs send our picture back with it
MOST_READERS = 10  # recipients of one mail


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

    Raises NotFound, Closed, TooMany, Unavailable; all but the first may pass.
    """
    expect_open(MAIL_IN)
    same, raw = _same(content), content
    if sender is not None:  # as the last server on the way is to add (RFC 5321, 4.4)
        raw = b"Return-Path: <%s>\r\n%s" % (sender.encode("utf-8", "surrogateescape"), content)
    if bounces.is_return(word):
        bounces.keep(word, same, raw, limited)
    elif word in POSTMASTERS:
        bounces.keep_complaint(word, same, raw, limited)  # first, since it counts even if the postmaster has no room
        take_postmaster_mail(word, same, raw, limited)
    else:
        take_mail(word, same, raw, limited)


def take_unaddressed(content: bytes, limited: bool) -> None:
    """Store a mail that names no address of ours, if it may be a complaint. Raises Closed, TooMany, Unavailable."""
    expect_open(MAIL_IN)
    bounces.keep_complaint("", _same(content), content, limited)


# What a mail has in common with its copies, and with no other. Headers are added on the way, and some programs use one
# Message-ID again and again.
_ITS_OWN = re.compile(rb"^(?:message-id|date|from)[ \t]*:.*(?:\r?\n[ \t].*)*", re.IGNORECASE | re.MULTILINE)
_BARE_LF = re.compile(rb"(?<!\r)\n")  # as programs write it that hand a mail on as a text


def _same(raw: bytes) -> str:
    head, _, body = _BARE_LF.sub(b"\r\n", raw).partition(b"\r\n\r\n")
    return hashlib.sha256(b"\0".join([*_ITS_OWN.findall(head), body])).hexdigest()
