"""Bounced letters: what the report means, and addresses that stop receiving mail."""

import re
import smtplib
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st

from server.accounts.deliveries import deliveries
from server.accounts.players import change_profile, profile
from server.accounts.sign_in import begin_sign_in, redeem
from server.config import Bound
from server.errors import NotFound, TooMany
from server.play.mail.mail_in import reply_word
from server.play.mail.postmaster import kept_mails
from server.play.seating.games import open_game
from server.play.seating.lobby import list_games
from server.play.seating.seats import invite, take_seat
from server.play.turns.turn_links import turn_word
from server.play.views import describe, load_visible
from server.post.incoming import bounces
from server.post.incoming.automatic_mail import is_automatic
from server.post.incoming.bounces import Bounce, read, read_returned_mails
from server.post.incoming.intake import take_in, take_unaddressed
from server.post.incoming.mime import head_and_body
from server.post.incoming.smtp_server import SmtpServer
from server.post.smtp import Refused
from server.store.tables import Delivery, PlayerLetterRow, db
from tests.post.office import Mail, Office, a_mail
from tests.support.child_work import burn
from tests.support.games import DAY, HOUR, ME, OPEN, everything_due_happens, game_of, later, moves_on, person, wanted
from tests.support.live_server import AT_ONCE, free_port

DOMAIN = "reply.stars.example"


def report(fields: str, kind: str = "message/delivery-status") -> bytes:
    """A delivery report with these fields for its recipient."""
    return (
        "Return-Path: <>\r\nFrom: MAILER-DAEMON@mx.example.org\r\nAuto-Submitted: auto-replied\r\n"
        'MIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=delivery-status; boundary="b/1"\r\n\r\n'
        "--b/1\r\nContent-Type: text/plain\r\n\r\nI am sorry to inform you. 550 5.1.1 in words\r\n\r\n"
        f"--b/1\r\nContent-Type: {kind}\r\n\r\n"
        f"Reporting-MTA: dns; mx.example.org\r\nArrival-Date: Sat, 21 Nov 2026 08:30:00 +0000\r\n\r\n{fields}\r\n"
        "--b/1\r\nContent-Type: text/rfc822-headers\r\n\r\nSubject: A clear night\r\n\r\n--b/1--\r\n"
    ).encode()


def failed(status: str, diagnostic: str = "") -> bytes:
    words = f"Diagnostic-Code: smtp; {diagnostic}\r\n" if diagnostic else ""
    return report(f"Final-Recipient: rfc822; ada@example.org\r\nAction: failed\r\nStatus: {status}\r\n{words}")


def in_words(program: str, subject: str, words: str) -> bytes:
    """A report without a part for programs, above the letter that came back."""
    letter = "Return-Path: <b@stars.example>\r\nSubject: Tuesday stars\r\n\r\nsay no such user\r\n"
    head = f"Return-Path: <>\r\nFrom: {program} <MAILER-DAEMON@mx.example.org>\r\nSubject: {subject}\r\n\r\n"
    return f"{head}{words}\r\n\r\n--- Below this line is a copy of the message.\r\n\r\n{letter}".encode()


def complaint(kind: str = "abuse", about: str = "") -> bytes:
    """What a mail provider tells of a letter with this return path."""
    return (
        "Return-Path: <>\r\nFrom: staff@mail.example.net\r\nSubject: Abuse report\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/report; report-type=feedback-report; boundary="b/1"\r\n\r\n'
        "--b/1\r\nContent-Type: text/plain\r\n\r\nThis is an abuse report for a mail from 192.0.2.1.\r\n\r\n"
        "--b/1\r\nContent-Type: message/feedback-report\r\n\r\n"
        f"Feedback-Type: {kind}\r\nUser-Agent: Feedback/1.0\r\nVersion: 1\r\nOriginal-Mail-From: <{about}>\r\n\r\n"
        "--b/1\r\nContent-Type: text/rfc822-headers\r\n\r\nSubject: A clear night\r\n\r\n--b/1--\r\n"
    ).encode()


HARD, SOFT = failed("5.1.1", "550 5.1.1 No such user"), failed("4.4.1", "Connection timed out")


# What a report says (RFC 3464, and the codes of RFC 3463)


@pytest.mark.parametrize(
    ("raw", "bounce"),
    [
        (HARD, Bounce(True, "550 5.1.1 No such user")),
        (SOFT, Bounce(False, "Connection timed out")),
        (failed("5.1.1"), Bounce(True, "5.1.1")),
        (failed("5.1.10", "550 5.1.10 RESOLVER.ADR.RecipientNotFound"), Bounce(True, "550 5.1.10 RESOLVER.ADR.RecipientNotFound")),
        (failed("5.2.1", "550 disabled"), Bounce(False, "550 disabled")),
        (failed("5.4.4", "host not found"), Bounce(True, "host not found")),
        (failed("5.0.0", "550 no such user"), Bounce(True, "550 no such user")),
        (failed("5.0.0", "550 5.7.1 spam"), Bounce(False, "550 5.7.1 spam")),
        (failed("5.2.2", "552 5.2.2 mailbox full"), Bounce(False, "552 5.2.2 mailbox full")),
        (failed("5.7.1", "550 5.7.1 not today"), Bounce(False, "550 5.7.1 not today")),
        (failed("5.3.4", "552 too big"), Bounce(False, "552 too big")),
        (failed("", "550 unknown user"), Bounce(True, "550 unknown user")),
        (failed("", "451 try again"), Bounce(False, "451 try again")),
        (failed(""), Bounce(True, "The letter came back.")),
        (HARD.replace(b"Action: failed", b"ACTION:  Failed"), Bounce(True, "550 5.1.1 No such user")),
        (HARD.replace(b"\r\n", b"\n"), Bounce(True, "550 5.1.1 No such user")),
        (failed("5.1.1", "550 5.1.1\r\n No such\r\n\tuser"), Bounce(True, "550 5.1.1 No such user")),
        (report("Action: delivered\r\nStatus: 2.1.5\r\n\r\nAction: failed\r\nStatus: 5.1.1\r\n"), Bounce(True, "5.1.1")),
    ],
)  # fmt: skip
def test_a_bounce_report_is_read_as_a_hard_or_soft_bounce_with_its_reason(raw: bytes, bounce: Bounce) -> None:
    assert read(raw) == bounce


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("5.1.1", "550 5.1.1 <a@example.org>: Recipient address rejected: User unknown in local recipient table"),
        ("5.0.0", "550 <a@example.org>... No such user here"),
        ("5.0.0", "550 a@example.org is not a valid mailbox"),
        ("5.0.0", "554 This user doesn't have a example.org account (a@example.org)"),
        ("5.1.1", "550-5.1.1 The email account that you tried to reach does not exist. Please try"),
        ("5.1.10", "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup"),
        ("5.4.4", "Host or domain name not found. Name service error for name=example.org type=A: Host not found"),
        ("5.1.2", "550 Unknown host"),
        ("5.1.10", "Domain example.org does not accept mail (nullMX)"),
        ("5.1.6", "550 5.1.6 recipient no longer on server: a@example.org"),
        ("4.1.1", "450 4.1.1 <a@example.org>: Recipient address rejected: User unknown in virtual alias table"),
    ],
)
def test_only_an_unknown_mailbox_or_domain_is_a_hard_bounce(status: str, words: str) -> None:
    assert read(failed(status, words)) == Bounce(True, words)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("5.0.0", "550 Connection frequency limited"),
        ("5.0.0", "550 Bad SPF records for [example.org:192.0.2.2]"),
        ("5.0.0", "550 Virus Detected; Content Rejected"),
        ("5.0.0", "550 Rejected"),
        ("5.0.0", "553 listed, see http://dnsbl.example/query?ip=192.0.2.222"),
        ("5.0.0", "550 DMARC check failed"),
        ("5.0.0", "procmail: Couldn't create /var/spool/mail/a: No such user"),
        ("5.0.0", "550 This account has been disabled or discontinued"),
        ("5.1.0", "550 5.1.0 <b@stars.example> sender rejected"),
        ("5.1.0", "5.1.0 - Unknown address error 550-'5.2.2 <a@example.org>... Mailbox Full'"),
        ("5.1.1", "550 5.1.1 <a@example.org> 192.0.2.1 has sent to too many recipients this hour"),
        ("5.1.1", "550 5.1.1 <a@example.org> mailbox over quota"),
        ("5.1.7", "550 5.1.7 No such domain stars.example"),
        ("5.1.8", "553 5.1.8 <b@stars.example>... Domain of sender address does not exist"),
        ("5.2.0", "522 5.2.0 Delivery failed: Over quota"),
        ("5.2.1", "550 5.2.1 The user you are trying to contact is receiving mail at a rate that"),
        ("5.3.0", "550 5.3.0 Unknown user"),
        ("5.4.6", "554 5.4.6 Too many hops"),
        ("5.4.4", "Name service error for name=example.org type=MX: Malformed or unexpected name server reply"),
        ("5.7.1", "550 5.7.1 <a@example.org>: Recipient address rejected: User unknown"),
        ("4.4.7", "421 4.4.2 Connection timed out"),
    ],
)
def test_an_ambiguous_or_temporary_failure_is_a_soft_bounce(status: str, words: str) -> None:
    assert read(failed(status, words)) == Bounce(False, words)


def test_an_unknown_user_reported_only_after_the_message_data_is_a_soft_bounce() -> None:
    raw = failed("5.0.0", "550 Unknown user").replace(b"I am sorry", b"(in reply to end of DATA command) I am sorry")
    assert read(raw) == Bounce(False, "550 Unknown user")


@pytest.mark.parametrize(
    ("program", "subject", "words", "is_hard"),
    [
        ("qmail", "failure notice", "Hi. This is the qmail-send program.\r\n\r\n<a@example.org>:\r\nSorry, no mailbox here by that name. (#5.1.1)", True),
        ("qmail", "failure notice", "<a@example.org>:\r\n192.0.2.1 does not like recipient.\r\nRemote host said: 550 User unknown", True),
        ("qmail", "failure notice", "<a@example.org>:\r\nSorry, I couldn't find any host named example.org. (#5.1.2)", True),
        ("qmail", "failure notice", "<a@example.org>:\r\n552 Quota exceeded (#5.1.1)", False),
        ("Exim", "Mail delivery failed: returning message to sender", "  a@example.org\r\n    host mx.example.org: 550 No such user", True),
        ("Exim", "Mail delivery failed: returning message to sender", "  a@example.org\r\n    Unrouteable address: 550 host is blocklisted", False),
        ("Exchange", "Undeliverable: Tuesday stars", "did not reach the following recipient(s):\r\nThe recipient name is not recognized", True),
        ("Gmail", "Delivery Status Notification (Failure)", "Delivery failed permanently:\r\n550 5.1.1 The email account that you tried to reach does not exist", True),
        ("Yahoo", "Failure Notice", "<a@example.org>:\r\n554: delivery error: dd This user doesn't have a example.org account", True),
        ("Domino", "DELIVERY FAILURE: User a (a@example.org) not listed in Domino Directory", "because: see above", True),
        ("Postfix", "Undelivered Mail Returned to Sender", "<a@example.org>: host mx said: 550 5.7.1 Rejected by policy", False),
        ("Postfix", "=?utf-8?Q?Undelivered_Mail?=", "<a@example.org>: host mx said: 550 <a@example.org>: unknown user", True),
    ],
)  # fmt: skip
def test_a_bounce_report_in_plain_text_is_also_understood(
    program: str, subject: str, words: str, is_hard: bool
) -> None:
    bounce = read(in_words(program, subject, words))
    assert bounce is not None
    assert bounce.is_hard is is_hard


@pytest.mark.parametrize(
    "raw",
    [
        report("Action: delayed\r\nStatus: 4.4.1\r\n"),
        report("Action: delivered\r\nStatus: 2.0.0\r\n"),
        report(""),
        b"",
        b"Subject: Out of office\r\nAuto-Submitted: auto-replied\r\n\r\n550 5.1.1 I am away.\r\n",
        b"Content-Type: multipart/report\r\n\r\n",
        b"Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\n" * 50,
        in_words("Postfix", "Delayed Mail", "Your message could not be delivered yet: 450 4.1.1 User unknown"),
        in_words("Exim", "Warning: message delayed", "This is a warning message: 451 no such user. Still trying."),
        a_mail("550 5.1.1 No such user", Subject="Look what your mail server says"),
        a_mail("I am away. No such user is read here.", **{"Auto-Submitted": "auto-replied"}),
    ],
)
def test_emails_that_report_no_failure_are_not_mistaken_for_bounce_reports(raw: bytes) -> None:
    assert read(raw) is None


@given(st.binary(max_size=400), st.integers(0, 900))
def test_any_input_can_be_parsed_without_an_error(noise: bytes, at: int) -> None:
    bounce = read(HARD[:at] + noise + HARD[at:])
    assert bounce is None or (len(bounce.why) <= 300 and "\n" not in bounce.why)


# Reports of many mail servers, in their structure and our own words. `None`: no report of a failure.

_FROM_SERVER = "Mail Delivery System <MAILER-DAEMON@mx.example.org>"
SHAPES = {
    "exim full": (_FROM_SERVER, "Mail delivery failed: returning message to sender", "This is a permanent error. The following address failed:\n\n  a@example.org\n    mailbox is full: retry timeout exceeded", False),
    "exim route": (_FROM_SERVER, "Mail delivery failed: returning message to sender", "The following address failed:\n\n  a@example.org\n    Unrouteable address", True),
    "exim size": (_FROM_SERVER, "Mail delivery failed: returning message to sender", "For the following reason:\n\nMail size limit exceeded.", False),
    "exim malformed": (_FROM_SERVER, "Mail failure - malformed recipient address", "<a@@example.org>: malformed address: may not follow", False),
    "exim waits": (_FROM_SERVER, "Warning: message 1a-22 delayed 24 hours", "A message that you sent has not yet been delivered after more than 24 hours. 421 later", None),
    "gmail quota": ("Mail Delivery Subsystem <mailer-daemon@example.com>", "Delivery Status Notification (Failure)", "Delivery to the following recipient failed permanently:\n\n  a@example.org\n\nStorage quota exceeded", False),
    "gmail unknown": ("Mail Delivery Subsystem <mailer-daemon@example.com>", "Delivery Status Notification (Failure)", "** Address not found **\n\nYour message wasn't delivered because the address couldn't be found. Check for typos or unnecessary spaces and try again.", True),
    "gmail waits": ("Mail Delivery Subsystem <mailer-daemon@example.com>", "Delivery Status Notification (Delay)", "THIS IS A WARNING MESSAGE ONLY. Message will be retried for 2 more days", None),
    "group": ("Mail Delivery Subsystem <mailer-daemon@example.com>", "Delivery Status Notification (Failure)", "Der Gruppe, die Sie erreichen wollten, dürfen Sie nicht schreiben.", False),
    "qmail gave up": ("MAILER-DAEMON@mx.example.org", "failure notice", "<a@example.org>:\nSorry, I wasn't able to establish an SMTP connection. (#4.4.1)\nI'm not going to try again; this message has been in the queue too long.", False),
    "yahoo disabled": ("MAILER-DAEMON@mx.example.org", "Delivery failure", "Unable to deliver message to <a@example.org>: This account has been disabled or discontinued.", False),
    "yahoo quota": ("MAILER-DAEMON@mx.example.org", "Delivery failure", "Sorry, your message to a@example.org cannot be delivered. This account is over quota.", False),
    "postfix busy": (_FROM_SERVER, "Undelivered Mail Returned to Sender", "<a@example.org>: delivery temporarily suspended: 421 Service not available", False),
    "postfix silent": (_FROM_SERVER, "Undelivered Mail Returned to Sender", "<a@example.org>: Name service error for domain example.org: Host not found, try again", False),
    "notes": ("postmaster@mx.example.org", "Undeliverable message", "------- Failure Reasons --------\n\nディレクトリのリストにありません\na@example.org", True),
    "kddi": ("no-reply@mx.example.org", "Mail", "Your mail could not be delivered to: <a@example.org>\nAs their mailbox is full.", False),
    "kddi in Japanese": ("no-reply@mx.example.org", "メールエラー通知", "送信先のメールボックスが一杯のため、送信できませんでした。", False),
    "mail.ru": ("mailer-daemon@mx.example.org", "Ваше сообщение не доставлено. Mail failure.", "a@example.org\nan MX or SRV record indicated no SMTP service", True),
    "imail": ("Postmaster <postmaster@mx.example.org>", "Undeliverable Mail", "undeliverable to a@example.org", False),
    "aol": ("Postmaster <postmaster@mx.example.org>", "Your letter", "It could not be delivered to a@example.org.", False),
    "no sender": ("", "Tuesday stars", "Your message could not be delivered to a@example.org", False),
    "gateway": ("post_master@mx.example.org", "Re:Tuesday stars", "Error message below:\n550 - no such user here", True),
    "no mailbox, or no access": (_FROM_SERVER, "Undeliverable: Tuesday stars", "550 Requested action not taken: mailbox unavailable", False),
    "refused by its reader": (_FROM_SERVER, "Undeliverable: Tuesday stars", "550 5.1.1 Refused due to recipient preferences", False),
    "absent": ("Ada <ada@example.org>", "Automatic reply: mail delivery problem", "I am away until 550.", None),
    "a person": ("Ada <ada@example.org>", "Tuesday stars", "The parcel could not be delivered to me.", None),
    "a newsletter": ("no-reply@mx.example.org", "News of this week", "Room 450 is open again.", None),
}  # fmt: skip


@pytest.mark.parametrize(("sender", "subject", "words", "is_hard"), SHAPES.values(), ids=SHAPES.keys())
def test_bounce_reports_in_the_wording_of_many_servers_are_understood(
    sender: str, subject: str, words: str, is_hard: bool | None
) -> None:
    head = f"From: {sender}\r\n" if sender else ""
    raw = f"{head}Subject: {subject}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{words}\r\n".encode()
    bounce = read(raw)
    assert (None if bounce is None else bounce.is_hard) is is_hard
    assert bounce is None or bounce.why


@pytest.mark.parametrize(
    ("status", "words", "is_hard"),
    [
        ("5.4.1", "550 5.4.1 a@example.org: Recipient address rejected:\r\n    Access denied [AS1]", True),
        ("5.7.1", "554 5.7.1 <a@example.org>: Recipient address rejected: Access denied", True),
        ("5.2.1", "550 5.2.1 <a@example.org>... User Unknown", True),
        ("5.3.0", "553 5.3.0 <a@example.org>... No such user here", True),
        ("5.7.1", "553 Invalid recipient a@example.org (Mode: normal)", True),
        ("5.1.1", "550 5.1.1 <a@example.org>: inactive email address", True),
        ("5.4.4", "", True),
        ("5.0.0", "554 The domain is not reachable. Please check the domain and try again", True),
        ("4.0.0", "DNS lookup of example.org responded with NXDOMAIN. Domain name not found", False),
        ("5.0.0", "550 : User unknown", False),
    ],
)
def test_the_words_of_a_bounce_report_outweigh_its_status_code(status: str, words: str, is_hard: bool) -> None:
    bounce = read(failed(status, words))
    assert bounce is not None
    assert bounce.is_hard is is_hard


def test_a_bounce_report_with_broken_fields_is_understood_from_its_words() -> None:
    raw = failed("5.3.0", "x-unix; 77").replace(b"Action", b"ction")
    assert read(raw) is None
    bounce = read(raw.replace(b"Return-Path", b"Subject: Returned mail: see transcript\r\nReturn-Path", 1))
    assert bounce == Bounce(True, "550 5.1.1 in words")


# Reports that reach a player's reply address


@pytest.mark.parametrize(
    ("sender", "subject"),
    [
        ("<>", "Delivery Status"),
        ("gateway@example.net", "Delivery Failure"),
        ("gateway@example.net", "=?utf-8?B?RGVsaXZlcnkgZmFpbHVyZSBub3RpZmljYXRpb24=?="),
        ("gateway@example.net", "Mail could not be delivered"),
        ("gateway@example.net", "Returned Mail - Error During Delivery"),
        ("gateway@example.net", "RE: Tuesday stars : non remis (delivery failed)"),
        ('"System Administrator"@example.net', "Tuesday stars"),
        ("Postmaster\\@example.org@example.net", "Tuesday stars"),
        ("post_master@example.net", "Re:Tuesday stars"),
    ],
)
def test_a_bounce_report_with_a_personal_envelope_sender_still_counts_as_automatic(sender: str, subject: str) -> None:
    head = head_and_body(f"From: {sender}\r\nSubject: {subject}\r\n\r\n".encode())[0]
    assert is_automatic(head)


@pytest.mark.parametrize(
    "subject",
    [
        *("Fwd: Returned mail: see transcript for details", "Re: Delivery Failure", "Delivery failure of my parcel"),
        *("Mail error?", "Delivery problem", "Message not delivered, what now?"),
    ],
)
def test_an_email_about_a_bounce_report_counts_as_written_by_a_person(subject: str) -> None:
    head = head_and_body(f"From: Bea <bea@example.org>\r\nSubject: {subject}\r\n\r\n".encode())[0]
    assert not is_automatic(head)


def test_a_players_email_with_the_subject_of_a_bounce_report_counts_as_written_by_a_person() -> None:
    head = head_and_body(b"From: Ada <ada@example.org>\r\nSubject: Delivery Failure\r\n\r\n")[0]
    assert not is_automatic(head, "ada@example.org")


# What follows


@pytest.fixture
def office(app: Flask, within: None) -> Office:
    return Office(app, reply_domain=DOMAIN)


def comes_back(mail: Mail, raw: bytes) -> None:
    word, _, domain = mail.sender.partition("@")
    assert domain == DOMAIN
    take_in(word, "", raw, limited=False)
    read_returned_mails()


def games_come_back(who: UUID, other: UUID, office: Office, number: int, raw: bytes = SOFT) -> None:
    """So many letters to Ada, each of which comes back."""
    for _ in range(number):
        game_of(who, other, bots=1)
        comes_back(office.mails("ada")[-1], raw)


def is_lost_for_good(who: UUID, other: UUID, office: Office) -> None:
    """On two days it was said that there is no such address as Ada's."""
    for _ in range(2):
        later(DAY)
        games_come_back(who, other, office, 1, HARD)


def why(who: UUID) -> Any:
    found = profile(who)["unreachable"]
    return found and found["why"]


def results(who: UUID) -> list[str]:
    return [it["result"] for it in deliveries(who, None, 100).items]


def test_each_email_to_a_player_has_its_own_return_path(ada: UUID, bea: UUID, office: Office) -> None:
    for _ in range(2):
        game_of(ada, bea, bots=1)
        office.delivers()
    paths = {mail.sender for mail in office.mails("ada")}
    assert len(paths) == 2
    for path in paths:
        assert re.fullmatch(r"[a-z2-7]{1,64}@reply\.stars\.example", path)
    assert all("sternenpost@127" not in mail.message["From"] for mail in office.mails("ada"))


def test_without_inbound_mail_bounces_go_to_the_operators(ada: UUID, bea: UUID, app: Flask) -> None:
    game_of(ada, bea, bots=1)
    assert Office(app).mails("ada")[0].sender == "sternenpost@localhost"


def test_two_hard_bounces_on_different_days_stop_further_emails(ada: UUID, bea: UUID, office: Office) -> None:
    games_come_back(ada, bea, office, 3, HARD)
    assert why(ada) is None
    later(DAY)
    games_come_back(ada, bea, office, 1, HARD)
    assert why(ada) == "550 5.1.1 No such user"
    assert results(ada) == ["bounced"] * 4
    game_of(ada, bea, bots=1)
    assert len(office.mails("ada")) == 4
    assert results(ada)[0] == "dropped"


def test_soft_bounces_on_four_days_in_two_weeks_are_tolerated(ada: UUID, bea: UUID, office: Office) -> None:
    for _ in range(4):
        games_come_back(ada, bea, office, 2)
        assert why(ada) is None
        later(DAY)
    games_come_back(ada, bea, office, 1)
    assert why(ada) == "Connection timed out"


@pytest.mark.parametrize("raw", [HARD, SOFT])
def test_older_bounces_are_forgotten(ada: UUID, bea: UUID, office: Office, raw: bytes) -> None:
    games_come_back(ada, bea, office, 1, raw)
    later(14 * DAY + HOUR)
    games_come_back(ada, bea, office, 1, raw)
    assert why(ada) is None


def test_bounces_of_the_same_email_count_once(ada: UUID, bea: UUID, office: Office) -> None:
    game_of(ada, bea, bots=1)
    (mail,) = office.mails("ada")
    for _ in range(6):
        comes_back(mail, HARD)
        later(DAY)
    assert why(ada) is None


def test_other_players_at_the_table_see_that_an_address_bounces(ada: UUID, bea: UUID, office: Office) -> None:
    change_profile(bea, {"notifications": AT_ONCE})
    game_id = game_of(ada, bea, bots=1)
    is_lost_for_good(ada, bea, office)
    game = load_visible(game_id, bea)
    assert [seat["unreachable"] for seat in describe(game, 1)["seats"]] == [True, False, False]
    *_, listed = list_games(bea, mine=True).items
    assert [seat["unreachable"] for seat in listed["seats"]] == [True, False, False]
    moves_on(game_id, ada)
    (mail,) = office.mails("bea")
    for words in (mail.text, mail.page):
        assert "Emails to ada are bouncing." in words
    moves_on(game_id, bea)
    everything_due_happens()
    assert "come back" not in "".join(it.text for it in office.mails("ada"))


def test_a_sign_in_code_is_still_sent_and_emails_resume_once_it_is_used(ada: UUID, bea: UUID, office: Office) -> None:
    is_lost_for_good(ada, bea, office)
    game_of(ada, bea, bots=1, title="Began meanwhile")
    sign_in = begin_sign_in("ada@example.org", "en", None)
    code = re.search(r"[0-9]{6}", office.subjects("ada")[-1])
    assert code
    assert why(ada)
    redeem(sign_in, code[0])
    assert why(ada) is None
    bundle = office.mails("ada")[-1]
    assert bundle.subject == "Your turn in 3 games"
    for old in office.mails("ada")[:2]:  # a second report of the letters from before
        comes_back(old, HARD)
        later(DAY)
    assert why(ada) is None
    comes_back(bundle, HARD)
    later(DAY)
    games_come_back(ada, bea, office, 1, HARD)
    assert why(ada)


def test_signing_in_resends_nothing_if_emails_were_not_stopped(ada: UUID, bea: UUID, office: Office) -> None:
    game_of(ada, bea, bots=1)
    sign_in = begin_sign_in("ada@example.org", "en", None)
    (letter,) = db.session.scalars(db.select(PlayerLetterRow))
    redeem(sign_in, letter.data["code"])
    assert len(office.mails("ada")) == 2


# Complaints (RFC 5965)


@pytest.mark.parametrize("kind", ["abuse", "fraud", "opt-out"])
def test_a_spam_complaint_stops_emails_until_the_reader_signs_in(
    ada: UUID, bea: UUID, office: Office, kind: str
) -> None:
    game_of(ada, bea, bots=1)
    (mail,) = office.mails("ada")
    comes_back(mail, complaint(kind))
    assert why(ada) == "A letter of ours was reported as spam."
    game_of(ada, bea, bots=1)
    assert len(office.mails("ada")) == 1
    sign_in = begin_sign_in("ada@example.org", "en", None)
    code = re.search(r"[0-9]{6}", office.subjects("ada")[-1])
    assert code
    redeem(sign_in, code[0])
    comes_back(mail, complaint(kind))  # once more
    assert why(ada) is None


@pytest.mark.parametrize("kind", ["not-spam", "auth-failure", "virus", ""])
def test_feedback_reports_that_are_not_complaints_do_not_stop_emails(
    ada: UUID, bea: UUID, office: Office, kind: str
) -> None:
    game_of(ada, bea, bots=1)
    comes_back(office.mails("ada")[0], complaint(kind))
    assert why(ada) is None
    assert results(ada) == ["sent"]


def test_a_complaint_to_the_operators_counts_if_it_names_an_email_that_we_sent(
    ada: UUID, bea: UUID, office: Office
) -> None:
    game_of(ada, bea, bots=1)
    path = office.mails("ada")[0].sender
    take_unaddressed(complaint(about=f"{'a' * 60}@{DOMAIN}"), limited=False)
    read_returned_mails()
    take_unaddressed(complaint("not-spam", path), limited=False)
    read_returned_mails()
    take_unaddressed(HARD.replace(b"ada@example.org", path.encode()), limited=False)
    read_returned_mails()
    assert why(ada) is None
    take_unaddressed(complaint(about=path), limited=False)
    read_returned_mails()
    assert why(ada)


def test_an_invited_address_that_complained_gets_no_further_invitations(bea: UUID, office: Office) -> None:
    game_id = invitation_to("stranger@example.org", bea)
    (invitation,) = office.mails("stranger")
    comes_back(invitation, complaint())
    assert is_lost(game_id, bea)
    invite(game_id, bea, "stranger@example.org", 1)
    office.delivers()
    assert is_lost(game_id, bea)
    invitation_to("stranger@example.org", bea)
    assert len(office.mails("stranger")) == 1


def is_lost(game_id: UUID, viewer: UUID, seat: int = 1) -> bool:
    """Whether those at the table see that the invitation to this seat did not arrive; in lists as well."""
    shown: bool = describe(load_visible(game_id, viewer), 0)["seats"][seat]["unreachable"]
    (listed,) = list_games(viewer, mine=True).items
    assert listed["seats"][seat]["unreachable"] is shown
    return shown


def invitation_to(email: str, by: UUID) -> UUID:
    return open_game(by, wanted(ME, {"email": email}, OPEN)).game_id


def test_a_bounced_invitation_counts_against_the_address_of_an_existing_player(
    ada: UUID, bea: UUID, office: Office
) -> None:
    game_id = invitation_to("ada@example.org", bea)
    (invitation,) = office.mails("ada")
    comes_back(invitation, HARD)
    assert is_lost(game_id, bea)
    later(DAY)
    games_come_back(ada, bea, office, 1, HARD)
    assert why(ada)


@pytest.mark.parametrize("raw", [HARD, SOFT])
def test_a_host_sees_that_an_invitation_to_a_person_without_an_account_bounced(
    bea: UUID, office: Office, raw: bytes
) -> None:
    game_id = invitation_to("stranger@example.org", bea)
    (invitation,) = office.mails("stranger")
    assert re.fullmatch(r"[a-z2-7]{1,64}@reply\.stars\.example", invitation.sender)
    assert not is_lost(game_id, bea)
    comes_back(invitation, raw)
    comes_back(invitation, raw)
    assert is_lost(game_id, bea)
    assert db.session.scalars(db.select(Delivery.result)).all() == ["bounced"]


def test_the_next_invited_player_is_unaffected_by_an_earlier_bounce(bea: UUID, office: Office) -> None:
    game_id = invitation_to("stranger@example.org", bea)
    (first,) = office.mails("stranger")
    comes_back(first, HARD)
    invite(game_id, bea, "friend@example.org", 1)
    assert not is_lost(game_id, bea)
    (second,) = office.mails("friend")
    comes_back(first, HARD)
    assert not is_lost(game_id, bea)
    comes_back(second, HARD)
    assert is_lost(game_id, bea)
    take_seat(game_id, person("friend"))  # who heard of it otherwise
    assert not is_lost(game_id, bea)
    comes_back(second, HARD)
    assert not is_lost(game_id, bea)


def test_a_host_sees_that_our_own_mail_server_rejected_an_invitation(bea: UUID, office: Office) -> None:
    office.refusal = Refused("550 5.1.1 No such user")
    game_id = invitation_to("stranger@example.org", bea)
    office.delivers()
    assert is_lost(game_id, bea)


def test_a_host_sees_an_invitation_that_was_undeliverable_for_days(bea: UUID, office: Office) -> None:
    office.is_closed = True
    game_id = invitation_to("stranger@example.org", bea)
    office.delivers()
    assert not is_lost(game_id, bea)
    later(5 * DAY)
    office.delivers()
    assert is_lost(game_id, bea)


def test_a_host_sees_an_invitation_to_an_address_that_gets_no_mail(ada: UUID, bea: UUID, office: Office) -> None:
    is_lost_for_good(ada, bea, office)
    game_id = open_game(person("cyd"), wanted(ME, {"email": "ada@example.org"}, OPEN)).game_id
    office.delivers()
    assert is_lost(game_id, person("cyd"))


@pytest.mark.parametrize(
    ("words", "counts"),
    [("550 5.1.1 No such user", True), ("552 5.2.2 Mailbox full", False), ("550 No such user here", False)],
)
def test_an_address_that_our_own_mail_server_rejects_also_counts_as_bounced(
    ada: UUID, bea: UUID, office: Office, words: str, counts: bool
) -> None:
    office.refusal = Refused(words)
    for _ in range(2):
        game_of(ada, bea, bots=1)
        office.delivers()
        later(DAY)
    assert results(ada) == ["refused"] * 2
    assert (why(ada) == words) is counts


def test_return_paths_cannot_be_forged(ada: UUID, bea: UUID, office: Office) -> None:
    game_id = game_of(ada, bea, bots=1)
    word = office.mails("ada")[0].sender.partition("@")[0]
    for forged in (
        ("b" if word[0] == "a" else "a") + word[1:],
        word[:-1],
        turn_word(game_id, 0, 1),
        reply_word(game_id, 0, 1),
    ):
        assert not bounces.is_return(forged)
        with pytest.raises(NotFound):
            bounces.keep(forged, "same", HARD, limited=False)
    assert bounces.is_return(word.upper())
    assert why(ada) is None


def test_an_automatic_reply_to_a_return_path_changes_nothing(ada: UUID, bea: UUID, office: Office) -> None:
    game_of(ada, bea, bots=1)
    comes_back(office.mails("ada")[0], b"Subject: Out of office\r\n\r\nI am away.\r\n")
    assert results(ada) == ["sent"]


def test_bounce_reports_arrive_by_smtp(app: Flask, ada: UUID, bea: UUID, office: Office) -> None:
    game_of(ada, bea, bots=1)
    (mail,) = office.mails("ada")
    door = SmtpServer(app, f"127.0.0.1:{free_port()}")
    door.keep_open()
    try:
        with smtplib.SMTP("127.0.0.1", door.port, timeout=60) as mta:
            assert mta.sendmail("", mail.sender, HARD) == {}
            with pytest.raises(smtplib.SMTPRecipientsRefused):
                mta.sendmail("", f"x{mail.sender}", HARD)
            read_returned_mails()
            later(DAY)
            game_of(ada, bea, bots=1)
            assert mta.sendmail("", office.mails("ada")[-1].sender, HARD) == {}
    finally:
        door.close()
    read_returned_mails()
    assert why(ada) == "550 5.1.1 No such user"


def test_bounces_are_limited_per_recipient_of_our_emails(
    ada: UUID, bea: UUID, office: Office, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.config, "LIMITS", True)
    monkeypatch.setitem(app.config["BOUNDS"], "returned-mails", Bound(2, 3600))
    game_of(ada, bea, bots=1)
    word = office.mails("ada")[0].sender.partition("@")[0]
    for nr in range(2):
        bounces.keep(word, f"copy {nr}", HARD, limited=True)
    with pytest.raises(TooMany):
        bounces.keep(word, "copy 3", HARD, limited=True)


def test_a_bounce_report_that_takes_too_long_is_stored_for_operators_and_does_not_delay_others(
    ada: UUID, bea: UUID, office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    game_of(ada, bea, bots=1)
    word = office.mails("ada")[0].sender.partition("@")[0]
    bounces.keep(word, "burning", SOFT, limited=False)
    with monkeypatch.context() as patch:
        patch.setattr(bounces, "read_report", burn)
        read_returned_mails()
    bounces.keep(word, "harmless", HARD, limited=False)
    read_returned_mails()
    assert results(ada) == ["bounced"]
    assert [mail["to"] for mail in kept_mails(10)] == [word]
