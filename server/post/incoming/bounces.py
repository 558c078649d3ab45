"""Bounces, which contain a machine-readable report (RFC 3464) or prose, and complaints about spam (RFC 5965)."""

import logging
import re
from contextlib import suppress
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID, uuid5

from server.accounts.bounces import bounce_token, note_bounce, note_return, verify_bounce_token
from server.accounts.complaints import end_mails, note_complaint
from server.accounts.players import player_at
from server.accounts.rate_limits import Use, expect_within
from server.clock import clock
from server.errors import NotFound, TooMany
from server.play.mail.postmaster import take_postmaster_mail
from server.post.incoming.child import ChildDied, child
from server.post.incoming.diagnoses import is_unknown, status_in
from server.post.incoming.mime import Doubt, Head, head_and_body, parts_of, readings_of
from server.sanitize import clean
from server.store import returned_mails
from server.store.connections import let_go
from server.store.database_retry import is_passing
from server.store.tables import ReturnedMail

_DEPTH = 3
_LEASE = timedelta(seconds=20)
_MOST_TRIES = 5  # attempts that ended in a crash
_MOST_WORDS = 20
_NAMESPACE = UUID("0c0f7a5e-2f0e-4b8e-9a53-7d1f7a1f6a11")
_FAILED = ("failed", "failure", "error")  # the last two are not standard
_LONGEST_REASON = 300
_LONGEST_NOTICE = 8_000
_CODE = re.compile(r"(?<![\d.])[45]\d\d(?![\d.])")

log = logging.getLogger(__name__)


class Bounce(NamedTuple):
    """The report that an email could not be delivered."""

    is_hard: bool  # whether the address doesn't exist
    why: str  # a single line, often the response of a mail server


def is_return(word: str) -> bool:
    """Return whether this is the token in a return path."""
    try:
        verify_bounce_token(word)
    except NotFound:
        return False
    return True


def keep(word: str, same: str, raw: bytes, limited: bool) -> None:
    """Store an email to a return path until `read_returned_mails` processes it. The call is idempotent.

    Raise NotFound if the token is invalid, TooMany, Unavailable.
    """
    owner = verify_bounce_token(word).game_id
    if limited:
        expect_within(Use("returned-mails", owner), Use("returned-mails-in-all", "all"))
    returned_mails.keep(uuid5(_NAMESPACE, f"{word}/{same}"), word, raw, clock.now())


def keep_complaint(recipient: str, same: str, raw: bytes, limited: bool) -> None:
    """Store an email that was not sent to a return path, if it may be a complaint. Raise TooMany, Unavailable.

    Providers send complaints to the postmaster, together with a copy of our email.
    """
    if b"feedback-report" in raw.lower():
        if limited:
            expect_within(Use("returned-mails-in-all", "all"))
        returned_mails.keep(uuid5(_NAMESPACE, f"{recipient}/{same}"), recipient, raw, clock.now())


def read_returned_mails() -> None:
    """Read and record all stored bounces and complaints.

    An unreadable email is stored for the operators, since a retry would also fail.
    """
    while mail := returned_mails.claim(clock.now(), clock.now() + _LEASE):
        try:
            if mail.tries <= _MOST_TRIES:
                _note(mail.recipient, child.run(read_report, mail.raw))
            else:
                _keep_for_operators(mail)
        except ChildDied:
            raise
        except Exception as error:
            let_go()
            if is_passing(error):
                raise
            log.exception("A mail that came back could not be read")
            _keep_for_operators(mail)
        returned_mails.drop(mail.mail_id)


def _keep_for_operators(mail: ReturnedMail) -> None:
    if is_return(mail.recipient):
        with suppress(TooMany):
            take_postmaster_mail(mail.recipient, str(mail.mail_id), mail.raw, limited=False)


class Report(NamedTuple):
    """The content of a bounce or complaint."""

    is_complaint: bool
    bounce: Bounce | None
    words: tuple[str, ...]  # tokens of the return paths that it contains


def read_report(raw: bytes) -> Report:
    """Parse an email to a return path or to the postmaster."""
    if is_complaint(raw):
        return Report(True, None, tuple(sorted({found.decode() for found in _RETURN_PATH.findall(raw)})[:_MOST_WORDS]))
    return Report(False, read(raw), ())


def _note(word: str, report: Report) -> None:
    """Record a report. A complaint to the postmaster counts if it contains a return path that we have signed.

    Other emails, such as automatic replies, are ignored.
    """
    if is_return(word):
        if report.is_complaint:
            note_complaint(word)
        elif report.bounce:
            note_return(word, report.bounce.is_hard, report.bounce.why)
    else:
        for each in filter(is_return, report.words):
            note_complaint(each)


def note_event(address: str, bounce: Bounce | None, said: str) -> None:
    """Record an event, reported by a mail provider, about an email to this address: a bounce, or a complaint if
    `bounce` is None.

    `said` is the text of the event. If it contains neither the email's return path nor its Message-ID, the event counts
    only for the address. The call is idempotent. Raise Unavailable if the database doesn't respond.
    """
    words = {found for found in map(bytes.decode, _RETURN_PATH.findall(said.encode())) if is_return(found)}
    player_id = player_at(address)
    if player_id and not words:
        words = {bounce_token(player_id, UUID(letter)) for letter in _LETTER.findall(said)}
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
    """Parse a bounce. Return None for any other email, including notices of a delay."""
    head, body = head_and_body(raw)
    try:
        status = _part(head, body, _STATUS_PARTS, _DEPTH)
    except Doubt:
        status = None
    notice = _notice(head, body)
    groups = [] if status is None else re.split(rb"(?:\r?\n){2,}", status.strip())
    recipients = [head_and_body(group + b"\r\n\r\n")[0] for group in groups]
    for fields in recipients:
        if fields.first("action").lower().startswith(_FAILED):
            return _failure(fields, notice)
    if any(fields.first("action") for fields in recipients):
        return None
    if recipients and not _TELLS_A_FAILURE.search(head.subject):  # without an action, the subject must be clear
        return None
    return _read_words(head, notice)


def is_complaint(raw: bytes) -> bool:
    """Return whether an email is a complaint. Other feedback reports are about signatures, or are positive."""
    try:
        feedback = _part(*head_and_body(raw), ("message/feedback-report",), _DEPTH)
    except Doubt:
        return False
    fields = head_and_body((feedback or b"").strip() + b"\r\n\r\n")[0]
    return fields.first("feedback-type").lower() in ("abuse", "fraud", "opt-out", "opt-out-list")


_RETURN_PATH = re.compile(rb"\b[A-Za-z2-7]{60}(?=@)")
_LETTER = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=@)")  # of a Message-ID
_STATUS_PARTS = ("message/delivery-status", "message/global-delivery-status")


def _part(head: Head, body: bytes, kinds: tuple[str, ...], depth: int) -> bytes | None:
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
    """Return whether the response means that the address doesn't exist. Some content filters claim this as well, but
    only after DATA."""
    is_filtered = _AFTER_DATA.search(notice) is not None and "5.1.1" not in f"{said} {status}"
    return is_unknown(said, status) and not is_filtered


def _diagnosis(fields: Head) -> str:
    """Return the remote server's response without the type that precedes it, as in `smtp; 550 ...`."""
    kind, semicolon, words = fields.first("diagnostic-code").partition(";")
    return re.sub(r"\s+", " ", words if semicolon else kind)


# Reports in prose

_AFTER_DATA = re.compile(r"(?:end of|command|reply to|response to) data\b", re.IGNORECASE)
_SENT_BY_A_SERVER = re.compile(
    r"mailer-?daemon|post_?master@|mail delivery|mail administrator|delivery (?:sub)?system|system administrator|mail ?system",
    re.IGNORECASE,
)
_TELLS_AN_ABSENCE = re.compile(
    r"auto(?:matic)?[ -]?(?:reply|response)|out of (?:the )?office|abwesen|automatische antwort", re.IGNORECASE
)
_NO_REPLY = re.compile(r"\bno-?reply@", re.IGNORECASE)
_TELLS_A_FAILURE = re.compile(
    r"undeliver|returned (?:(?:e-?)?mail|to sender)|failure notice|non-?delivery|could ?n.t be delivered|not delivered|bounced?\b"
    r"|(?:delivery|mail|message).{0,40}(?:fail|error|problem|status|notification|automatically rejected)"
    r"|(?:automatically rejected|fail(?:ed|ure)|error).{0,40}(?:delivery|mail|message)"
    r"|unzustellbar|non remis|mancato recapito|no entregado|devuelto|не доставлено|エラー",
    re.IGNORECASE,
)
_TELLS_IT_IN_WORDS = re.compile(
    r"(?:could|can|did|was|were|has|have)(?: ?n.t| ?not)(?: be| been)? (?:deliver|reach|sent)|(?:un|not )able to deliver|undeliverable"
    r"|not delivered|(?:delivery|delivering) .{0,80}fail|(?:following|these) .{0,80}fail|delivery (?:problem|error)"
    r"|(?:mail|message) has been returned|rejected by|(?:mail|message) .{0,40}(?:was|been) rejected|permanent (?:fatal )?error"
    r"|(?:deliver|wasn.t|couldn.t) .{0,40}(?:be found|delivered)|is (?:full|over quota)|unrouteable|non distribu|n'a pas pu",
    re.IGNORECASE,
)
_TELLS_A_DELAY = re.compile(
    r"\bdelayed\b|not (?:yet )?be(?:en)? delivered (?:yet|after)|will (?:be retried|(?:keep|continue) trying|continue to)"
    r"|do(?:es)? not need to resend|this is a warning message|still trying",
    re.IGNORECASE,
)
# the start of the returned email
_COPY = re.compile(
    r"^[ \t>|]{0,9}(?:[-=_*]{2,80}.{0,80}?(?:copy|original|returned|unsent|unmodified|message (?:header|text|body|follows))"
    r"|(?:received|return-path|message-id|dkim-signature):)",
    re.IGNORECASE | re.MULTILINE,
)


def _notice(head: Head, body: bytes) -> str:
    """Return the text of a report, without the email that is being returned."""
    try:
        text = "\n".join(line.text for line in readings_of(head, body)[0])
    except Doubt:
        text = body[:_LONGEST_NOTICE].decode("utf-8", "replace")
    text = text[:_LONGEST_NOTICE]
    copy = _COPY.search(text)
    return re.sub(r"\s+", " ", text[: copy.start() if copy else None])


def _read_words(head: Head, notice: str) -> Bounce | None:
    subject, sender, code = head.subject, head.first("from"), _CODE.search(notice)
    if _TELLS_A_DELAY.search(notice) or _TELLS_AN_ABSENCE.match(subject):
        return None
    is_report = head.all("x-failed-recipients") or _TELLS_A_FAILURE.search(subject)
    if _SENT_BY_A_SERVER.search(sender):
        is_report = is_report or code or _TELLS_IT_IN_WORDS.search(notice)
    elif not sender or _NO_REPLY.search(sender):
        is_report = is_report or _TELLS_IT_IN_WORDS.search(notice)
    if not is_report:
        return None
    is_hard = _is_hard(f"{subject} {notice}", notice)
    why = clean(notice[code.start() if code else 0 :], _LONGEST_REASON)
    return Bounce(is_hard, why or clean(subject, _LONGEST_REASON))
