"""Stores emails from every inbound route. An email is stored before its sender gets a response, and is stored only
once."""

import hashlib
import re
from collections.abc import Sequence

from server.accounts.closing import MAIL_IN, expect_open
from server.errors import Closed, NotFound, TooMany
from server.play.mail.mail_in import expect_addressee, take_mail
from server.play.mail.postmaster import POSTMASTERS, take_postmaster_mail
from server.post.desk.addresses import CHECK, is_desk, is_open_word, take_desk_mail
from server.post.incoming import bounces

LARGEST = 1024 * 1024  # bytes per email; replies are far smaller, but some programs include our picture
MOST_READERS = 10  # recipients per email


def local_part(address: str) -> str:
    """Return the local part of an address in lower case and without a `+` suffix. Case doesn't matter in our tokens."""
    before = address.rpartition("@")[0] or address
    return before.strip('"').partition("+")[0].lower()


def expect_known(word: str) -> None:
    """Raise NotFound unless this local part is one of ours."""
    if word not in POSTMASTERS and not is_desk(word) and not bounces.is_return(word):
        expect_addressee(word)


def take_in(word: str, sender: str | None, content: bytes, limited: bool) -> None:
    """Store an email to this local part. Raise NotFound or, for temporary failures, Closed, TooMany or Unavailable.
    `sender` is the envelope sender, "" for the null sender. It is None if the sender is unknown, or given only in the
    email's headers."""
    expect_open(MAIL_IN)
    same, raw = identity(content), content
    if sender is not None:  # the final server must add the return path (RFC 5321, 4.4)
        raw = b"Return-Path: <%s>\r\n%s" % (sender.encode("utf-8", "surrogateescape"), content)
    if bounces.is_return(word):
        bounces.keep(word, same, raw, limited)
    elif word in POSTMASTERS:
        bounces.keep_complaint(
            word, same, raw, limited
        )  # this comes first, since a complaint counts even if the postmaster's mailbox is full
        take_postmaster_mail(word, same, raw, limited)
    elif is_open_word(word) and b"Subject: %s" % CHECK.encode() in _head(content):
        take_postmaster_mail(word, same, raw, limited)  # `doctor --mail` reads this mailbox
    elif is_desk(word):
        take_desk_mail(word, same, raw, limited)
    else:
        take_mail(word, same, raw, limited)


def take_in_for_all(words: Sequence[str], sender: str | None, content: bytes, limited: bool) -> bool:
    """Store an email for each of its recipients, and return whether any of them exists. After the last one, raise the
    temporary failures of `take_in`, so that the email is delivered again. Then copies that were stored are recognized.
    """
    is_known, failure = False, None
    for word in words[:MOST_READERS]:
        try:
            take_in(word, sender, content, limited)
            is_known = True
        except NotFound:
            pass
        except (Closed, TooMany) as error:
            failure = error
    if failure:
        raise failure
    return is_known


def take_unaddressed(content: bytes, limited: bool) -> None:
    """Store an email that was sent to none of our addresses, if it may be a complaint. Raise Closed, TooMany,
    Unavailable."""
    expect_open(MAIL_IN)
    bounces.keep_complaint("", identity(content), content, limited)


# These headers and the body identify an email. Others are added in transit, and some programs reuse a Message-ID.
_ITS_OWN = re.compile(rb"^(?:message-id|date|from)[ \t]*:.*(?:\r?\n[ \t].*)*", re.IGNORECASE | re.MULTILINE)
_BARE_LF = re.compile(rb"(?<!\r)\n")  # from programs that forward emails as text


def _head(raw: bytes) -> bytes:
    return _BARE_LF.sub(b"\r\n", raw).partition(b"\r\n\r\n")[0]


def identity(raw: bytes) -> str:
    """Return a hash that is the same for all copies of an email, regardless of their routes and recipients."""
    head, _, body = _BARE_LF.sub(b"\r\n", raw).partition(b"\r\n\r\n")
    return hashlib.sha256(b"\0".join([*_ITS_OWN.findall(head), body])).hexdigest()
