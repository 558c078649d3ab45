"""Mails that came back, and what the report in them says (RFC 3464)."""

import re
from typing import NamedTuple

from server import play
from server.play.errors import NotFound
from server.play.words import clean
from server.post.incoming.parts import Doubt, Head, parts_of, split

_DEPTH = 3
_STATUS = re.compile(r"\b([245])\.(\d{1,3})\.(\d{1,3})\b")
_CODE = re.compile(r"\b([45])\d\d\b")
_LONGEST_REASON = 300
# RFC 3463: what is about the letter, the mail server or somebody's policy, and not about the address
_NOT_THE_ADDRESS = ("2.2", "2.3", "3.", "4.5", "5.", "6.", "7.")


class Bounce(NamedTuple):
    """A letter did not arrive; `is_hard` if no other will. `why` is a line, often in a mail server's words."""

    is_hard: bool
    why: str


def is_return(word: str) -> bool:
    """Whether this is the word of a return path of ours."""
    try:
        play.bounced_from(word)
    except NotFound:
        return False
    return True


def note(raw: bytes, word: str) -> None:
    """Take in a mail to a return path; what is no report of a failure, such as an automatic answer, is passed over.

    Raises NotFound for a word that is not ours, Unavailable.
    """
    play.bounced_from(word)
    if bounce := read(raw):
        play.note_return(word, bounce.is_hard, bounce.why)


def read(raw: bytes) -> Bounce | None:
    """What a delivery report says of the letter; None for any other mail, and for one that it was only late."""
    try:
        status = _status_part(*split(raw), _DEPTH)
    except Doubt:
        return None
    if status is None:
        return None
    for recipient in re.split(rb"(?:\r?\n){2,}", status.strip()):
        fields = split(recipient + b"\r\n\r\n")[0]
        if fields.first("action").lower() == "failed":
            return _failure(fields.first("status"), _reason(fields))
    return None


def is_hard(status: str) -> bool:
    """Whether an address is worth no other letter after an enhanced status such as `5.1.1` (RFC 3463)."""
    return status.startswith("5.") and not status[2:].startswith(_NOT_THE_ADDRESS)


def status_in(words: str) -> str | None:
    """The first enhanced status in what a mail server said."""
    found = _STATUS.search(words)
    return found and found[0]


def _status_part(head: Head, body: bytes, depth: int) -> bytes | None:
    if head.content_type in ("message/delivery-status", "message/global-delivery-status"):
        return body
    if not head.content_type.startswith("multipart/") or depth == 0:
        return None
    for part in parts_of(head, body):
        if (found := _status_part(*part, depth - 1)) is not None:
            return found
    return None


def _reason(fields: Head) -> str:
    """What the other server said, without the kind of words that it is in: `smtp; 550 ...`."""
    diagnostic = fields.first("diagnostic-code").partition(";")
    return clean(diagnostic[2] or diagnostic[0] or fields.first("status"), _LONGEST_REASON)


def _failure(status: str, why: str) -> Bounce:
    found = status_in(status) or status_in(why)
    if found is None:
        code = _CODE.search(why)
        return Bounce(code is not None and code[1] == "5", why or "The letter came back.")
    if found.endswith(".0.0") and (closer := status_in(why)):
        found = closer  # the server that gave up says less than the one that refused
    return Bounce(is_hard(found), why)
