"""Mails that came back, and what the report in them says: with a part for programs (RFC 3464), or in words only.

Complaints, too: what a mail provider tells us of a letter that its reader marked as spam (RFC 5965).
"""

import re
from typing import NamedTuple
from uuid import UUID, uuid5

from server.accounts.bounces import bounce_word, bounced_from, note_bounce, note_return
from server.accounts.complaints import end_mails, note_complaint
from server.accounts.players import player_at
from server.errors import NotFound
from server.post.incoming.diagnoses import is_unknown, status_in
from server.post.incoming.mime import Doubt, Head, parts_of, readings_of, split
from server.sanitize import clean

_DEPTH = 3
_FAILED = ("failed", "failure", "error")  # the last two are some programs' way
_LONGEST_REASON = 300
_LONGEST_NOTICE = 8_000
_CODE = re.compile(r"(?<![\d.])[45]\d\d(?![\d.])")


class Bounce(NamedTuple):
    """A letter did not arrive; `is_hard` if there is no such address. `why` is a line, often in a mail server's words."""

    is_hard: bool
    why: str


def is_return(word: str) -> bool:
    """Whether this is the word of a return path of ours."""
    try:
        bounced_from(word)
    except NotFound:
        return False
    return True


def note(raw: bytes, word: str) -> None:
    """Take in a mail to a return path; what is no report of a failure, such as an automatic answer, is passed over.

    Raises NotFound for a word that is not ours, Unavailable.
    """
    bounced_from(word)
    if is_complaint(raw):
        note_complaint(word)
    elif bounce := read(raw):
        note_return(word, bounce.is_hard, bounce.why)


def note_complaints(raw: bytes) -> None:
    """Take in a mail to whoever runs this: complaints are sent there, with the letters that they are about. They are
    believed if such a letter has a return path that we signed. Raises Unavailable."""
    if is_complaint(raw):
        for word in {found.decode() for found in _RETURN_PATH.findall(raw)}:
            if is_return(word):
                note_complaint(word)


def note_event(address: str, bounce: Bounce | None, said: str) -> None:
    """Take in what a mail provider tells of a letter to this address, once: that it came back, or with `bounce` None that its
    reader complained. In what is `said` stands the letter's return path, or its Message-ID; else it is only counted.
    Raises Unavailable."""
    words = {found for found in map(bytes.decode, _RETURN_PATH.findall(said.encode())) if is_return(found)}
    player_id = player_at(address)
    if player_id and not words:
        words = {bounce_word(player_id, UUID(letter)) for letter in _LETTER.findall(said)}
    for word in words:
        if bounce:
            note_return(word, *bounce)
        else:
            note_complaint(word)
    if player_id and not words:
        event = uuid5(player_id, said)
        if bounce:
            note_bounce(player_id, event, *bounce)
        else:
            end_mails(player_id, event)


def read(raw: bytes) -> Bounce | None:
    """What a report says of the letter; None for any other mail, and for one that it was only late."""
    head, body = split(raw)
    try:
        status = _part(head, body, _STATUS_PARTS, _DEPTH)
    except Doubt:
        status = None
    notice = _notice(head, body)
    if status is None:
        return _read_words(head, notice)
    for recipient in re.split(rb"(?:\r?\n){2,}", status.strip()):
        fields = split(recipient + b"\r\n\r\n")[0]
        if fields.first("action").lower().startswith(_FAILED):
            return _failure(fields, notice)
    return None


def is_complaint(raw: bytes) -> bool:
    """Whether somebody does not want such letters; other feedback is about the letter's signature, or praises it."""
    try:
        feedback = _part(*split(raw), ("message/feedback-report",), _DEPTH)
    except Doubt:
        return False
    fields = split((feedback or b"").strip() + b"\r\n\r\n")[0]
    return fields.first("feedback-type").lower() in ("abuse", "fraud", "opt-out", "opt-out-list")


_RETURN_PATH = re.compile(rb"\b[A-Za-z2-7]{60}(?=@)")
_LETTER = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=@)")  # of a Message-ID
_STATUS_PARTS = ("message/delivery-status", "message/global-delivery-status")


def _part(head: Head, body: bytes, kinds: tuple[str, ...], depth: int) -> bytes | None:
    """The first part of one of these types."""
    if head.content_type in kinds:
        return body
    if not head.content_type.startswith("multipart/") or depth == 0:
        return None
    for part in parts_of(head, body):
        if (found := _part(*part, kinds, depth - 1)) is not None:
            return found
    return None


def _failure(fields: Head, notice: str) -> Bounce:
    status = status_in(fields.first("status")) or ""
    diagnosis = _diagnosis(fields)
    said = diagnosis if re.search("[A-Za-z]{3}", diagnosis) else notice
    why = clean(diagnosis or status, _LONGEST_REASON) or "The letter came back."
    return Bounce(_is_hard(said, notice, status), why)


def _is_hard(said: str, notice: str, status: str = "") -> bool:
    """Some servers call a user unknown who does not want this letter, but only after having read it."""
    is_filtered = _AFTER_DATA.search(notice) is not None and "5.1.1" not in f"{said} {status}"
    return is_unknown(said, status) and not is_filtered


def _diagnosis(fields: Head) -> str:
    """What the other server said, without the kind of words that it is in: `smtp; 550 ...`."""
    kind, semicolon, words = fields.first("diagnostic-code").partition(";")
    return words if semicolon else kind


# Reports in words only

_AFTER_DATA = re.compile(r"(?:end of|command|reply to|response to) data\b", re.IGNORECASE)
_SENT_BY_A_SERVER = re.compile(
    r"mailer-?daemon|postmaster@|mail delivery|mail administrator|delivery (?:sub)?system|system administrator|mail ?system",
    re.IGNORECASE,
)
_TELLS_A_FAILURE = re.compile(
    r"undeliver|returned (?:mail|to sender)|failure notice|(?:delivery|mail|message).{0,40}(?:fail|error|problem|status"
    r"|notification)|could ?n.t be delivered|not delivered|unzustellbar|non remis|mancato recapito|bounced?\b",
    re.IGNORECASE,
)
_TELLS_A_DELAY = re.compile(
    r"\bdelayed\b|not (?:yet )?be(?:en)? delivered (?:yet|after)|will (?:be retried|(?:keep|continue) trying|continue to)"
    r"|do(?:es)? not need to resend|this is a warning message|still trying",
    re.IGNORECASE,
)
# where the letter begins that came back, whose words are others'
_COPY = re.compile(
    r"^[ \t>|]{0,9}(?:[-=_*]{2,80}.{0,80}?(?:copy|original|returned|unsent|unmodified|message (?:header|text|body|follows))"
    r"|(?:received|return-path|message-id|dkim-signature):)",
    re.IGNORECASE | re.MULTILINE,
)


def _notice(head: Head, body: bytes) -> str:
    """The words of whoever reports, without the letter below them."""
    try:
        text = "\n".join(line.text for line in readings_of(head, body)[0])
    except Doubt:
        text = body[:_LONGEST_NOTICE].decode("utf-8", "replace")
    text = text[:_LONGEST_NOTICE]
    copy = _COPY.search(text)
    return re.sub(r"\s+", " ", text[: copy.start() if copy else None])


def _read_words(head: Head, notice: str) -> Bounce | None:
    subject = head.subject
    is_report = head.all("x-failed-recipients") or _TELLS_A_FAILURE.search(subject)
    if not (is_report or _SENT_BY_A_SERVER.search(head.first("from"))) or _TELLS_A_DELAY.search(notice):
        return None
    code = _CODE.search(notice)
    is_hard = _is_hard(f"{subject} {notice}", notice)
    if not is_hard and not (is_report and code):
        return None
    return Bounce(is_hard, clean(notice[code.start() if code else 0 :], _LONGEST_REASON))
