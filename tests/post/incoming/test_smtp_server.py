"""The SMTP server for replies, by SMTP and LMTP."""

import smtplib
import socket
from collections.abc import Iterator
from uuid import UUID

import psycopg
import pytest
from flask import Flask

from server.accounts.closing import MAIL_IN, close, open_again
from server.accounts.players import profile
from server.config import Bound
from server.play.mail import mail_in, postmaster
from server.play.mail.mail_in import reply_word
from server.play.mail.postmaster import forget_kept_mails, kept_mails
from server.play.turns.turn_links import turn_word
from server.post.incoming import bounces
from server.post.incoming import smtp_server as module
from server.post.incoming.smtp_server import LARGEST, MOST_READERS, SmtpServer
from server.store.tables import Incoming, db
from tests.post.incoming.test_bounces import HARD, complaint
from tests.post.office import Office
from tests.support.child_work import burn
from tests.support.games import HOUR, later, person
from tests.support.live_server import free_port, until

SENDER = "ada@example.org"
MAIL = "From: ada@example.org\r\nMessage-ID: <1@example.org>\r\n\r\n?\r\n"


pytestmark = pytest.mark.usefixtures("within")


@pytest.fixture
def smtp_server(app: Flask) -> Iterator[SmtpServer]:
    smtp_server = SmtpServer(app, f"127.0.0.1:{free_port()}")
    smtp_server.keep_open()
    yield smtp_server
    smtp_server.close()


@pytest.fixture
def word(game_id: UUID) -> str:
    """Ada's address for her first turn, as far as it is looked at."""
    return reply_word(game_id, 0, 1)


@pytest.fixture
def smtp(smtp_server: SmtpServer) -> Iterator[smtplib.SMTP]:
    with smtplib.SMTP("127.0.0.1", smtp_server.port, timeout=60) as smtp:
        yield smtp


@pytest.fixture
def lmtp(smtp_server: SmtpServer) -> Iterator[smtplib.LMTP]:
    with smtplib.LMTP("127.0.0.1", smtp_server.port, timeout=60) as lmtp:
        yield lmtp


def kept() -> list[bytes]:
    """The mails in the inbox, without the line that we add."""
    db.session.rollback()
    query = db.select(Incoming.raw).order_by(Incoming.arrived_at, Incoming.seat)
    return [raw.partition(b"\r\n")[2] for raw in db.session.scalars(query)]


def hands_over(smtp: smtplib.SMTP, word: str, mail: bytes | str = MAIL, sender: str = SENDER) -> tuple[int, bytes]:
    """Return the answer to the mail, or to its recipient if rejected."""
    smtp.ehlo_or_helo_if_needed()
    assert smtp.mail(sender)[0] == 250
    said = smtp.rcpt(f"{word}@stars.example")
    return said if said[0] != 250 else smtp.data(mail)


# Addresses


def test_an_email_for_a_seat_is_stored_before_it_is_acknowledged(smtp: smtplib.SMTP, game_id: UUID, word: str) -> None:
    assert hands_over(smtp, word)[0] == 250
    assert kept() == [MAIL.encode()]
    (mail,) = db.session.scalars(db.select(Incoming))
    assert (mail.game_id, mail.seat, mail.turn) == (game_id, 0, 1)
    assert mail.raw.startswith(b"Return-Path: <ada@example.org>\r\n")


def test_addresses_are_case_insensitive(smtp: smtplib.SMTP, word: str) -> None:
    assert hands_over(smtp, word.upper())[0] == 250
    assert kept()


def test_unknown_recipients_are_rejected(smtp: smtplib.SMTP, game_id: UUID, word: str) -> None:
    forged = word[:-4] + ("aaaa" if not word.endswith("aaaa") else "bbbb")
    of_a_link = turn_word(game_id, 0, 1)
    for address in (forged, of_a_link, word[:-1], "postmaster2", "sternenpost", '"a b"', "grüße"):
        smtp.ehlo()
        assert smtp.mail(SENDER, ["SMTPUTF8"])[0] == 250
        command = f"RCPT TO:<{address}@stars.example>\r\n".encode()
        smtp.sock.sendall(command)
        assert smtp.getreply()[0] == 550
    assert not kept()


@pytest.mark.parametrize("written", ["{word}+stars", "{word}+", '"{word}"', "{word}+7+leo"])
def test_a_plus_suffix_is_ignored(smtp: smtplib.SMTP, word: str, written: str) -> None:
    assert hands_over(smtp, written.format(word=word))[0] == 250
    assert kept() == [MAIL.encode()]


@pytest.mark.parametrize(
    "address", ["postmaster", "Postmaster@stars.example", "abuse@stars.example", "postmaster+x@stars.example"]
)
def test_emails_to_the_postmaster_are_stored_for_the_operators(smtp: smtplib.SMTP, address: str) -> None:
    for _ in range(2):
        smtp.ehlo()
        assert smtp.mail("")[0] == 250
        assert smtp.rcpt(address)[0] == 250
        assert smtp.data("Subject: Your mails\r\n\r\nDo you know?\r\n")[0] == 250
    db.session.rollback()
    (mail,) = kept_mails(10)
    assert mail["to"] == address.lower().partition("@")[0].partition("+")[0]
    assert b"Do you know?" in mail["raw"]
    assert not kept()


def test_emails_to_the_postmaster_are_limited(smtp: smtplib.SMTP, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postmaster, "_MOST", 2)
    said = [hands_over(smtp, "postmaster", f"Subject: x\r\n\r\n{nr}\r\n")[0] for nr in range(3)]
    assert said == [250, 250, 451]
    later(postmaster.KEPT + HOUR)
    forget_kept_mails()
    assert not kept_mails(10)


def test_a_complaint_to_the_postmaster_is_processed(smtp: smtplib.SMTP, game_id: UUID, app: Flask) -> None:
    (letter,) = Office(app, "stars.example").mails("ada")
    assert hands_over(smtp, "abuse", complaint(about=letter.sender))[0] == 250
    db.session.rollback()
    bounces.read_returned_mails()
    assert profile(person("ada"))["unreachable"]
    assert kept_mails(10)


def test_a_complaint_is_processed_even_if_the_postmasters_mailbox_is_full(
    smtp: smtplib.SMTP, game_id: UUID, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    (letter,) = Office(app, "stars.example").mails("ada")
    monkeypatch.setattr(postmaster, "_MOST", 0)
    assert hands_over(smtp, "abuse", complaint(about=letter.sender))[0] == 451
    db.session.rollback()
    bounces.read_returned_mails()
    assert profile(person("ada"))["unreachable"]


def test_a_bounce_report_that_raises_an_error_is_stored_for_the_operators(
    smtp: smtplib.SMTP, game_id: UUID, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    (letter,) = Office(app, "stars.example").mails("ada")

    word = letter.sender.partition("@")[0]
    assert [hands_over(smtp, word, HARD.decode(), sender="")[0] for _ in range(2)] == [250, 250]
    db.session.rollback()
    monkeypatch.setattr(bounces, "read_report", burn)
    bounces.read_returned_mails()
    (mail,) = kept_mails(10)
    assert mail["to"] == word
    assert b"No such user" in mail["raw"]


@pytest.mark.parametrize("argument", ["<", "<>>", "<@", '<"', "<a@[", "<(", "<\ud800@x>", "\0", "<a@b", "a b c"])
def test_an_invalid_address_is_rejected(
    smtp: smtplib.SMTP, word: str, argument: str, caplog: pytest.LogCaptureFixture
) -> None:
    smtp.ehlo()
    said = []
    for command in ("VRFY ", "MAIL FROM:", "RSET", f"MAIL FROM:<{SENDER}>", "RCPT TO:"):
        smtp.sock.sendall(f"{command}{argument * command.endswith((' ', ':'))}\r\n".encode("utf-8", "surrogatepass"))
        said.append(smtp.getreply()[0])
    assert said[1] in (250, 501, 553, 555)  # from any sender
    assert said[-1] in (501, 550, 553, 555)
    assert not [record for record in caplog.records if record.exc_info]


def test_an_address_of_a_deleted_game_is_rejected(smtp: smtplib.SMTP) -> None:
    assert hands_over(smtp, reply_word(UUID(int=7), 0, 1))[0] == 550


def test_an_email_can_be_sent_to_only_a_limited_number_of_seats(smtp: smtplib.SMTP, game_id: UUID) -> None:
    smtp.ehlo()
    smtp.mail(SENDER)
    words = [reply_word(game_id, 0, turn) for turn in range(MOST_READERS + 1)]
    said = [smtp.rcpt(f"{word}@stars.example")[0] for word in words]
    assert said == [250] * MOST_READERS + [452]
    assert smtp.data(MAIL)[0] == 250
    assert kept() == [MAIL.encode()] * MOST_READERS


def test_an_lmtp_client_gets_a_response_for_each_recipient(lmtp: smtplib.LMTP, game_id: UUID, word: str) -> None:
    lmtp.ehlo()
    lmtp.mail(SENDER)
    for known in (word, reply_word(UUID(int=7), 0, 1)):
        assert lmtp.rcpt(f"{known}@stars.example")[0] == 250
    assert lmtp.data(MAIL)[0] == 250
    assert lmtp.getreply()[0] == 550
    assert kept() == [MAIL.encode()]


def test_an_email_is_sent_again_if_only_one_of_its_recipients_is_deferred(
    app: Flask, smtp: smtplib.SMTP, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.config["BOUNDS"], "mails", Bound(1, 3600))
    assert hands_over(smtp, word, MAIL + "another\r\n")[0] == 250
    smtp.mail(SENDER)
    for known in (word, reply_word(UUID(int=7), 0, 1)):
        assert smtp.rcpt(f"{known}@stars.example")[0] == 250
    assert smtp.data(MAIL)[0] == 451


# Mails


@pytest.mark.parametrize(
    "body",
    [b"NUL \0 and \xff\xfe, 8bit Gr\xc3\xbc\xc3\x9fe\r\n", b"..a dot\r\n.\n a bare LF and a bare \r CR\r\n", b""],
)
def test_the_bytes_of_an_email_are_stored_unchanged(smtp: smtplib.SMTP, word: str, body: bytes) -> None:
    mail = b"Subject: Gr\xc3\xbc\xc3\x9fe\r\n\r\n" + body
    smtp.ehlo()
    smtp.docmd("MAIL", f"FROM:<{SENDER}> BODY=8BITMIME SMTPUTF8")
    smtp.rcpt(f"{word}@stars.example")
    smtp.docmd("DATA")
    smtp.sock.sendall(b"".join(b"." * line.startswith(b".") + line for line in mail.splitlines(True)) + b".\r\n")
    assert smtp.getreply()[0] == 250
    assert kept() == [mail]


def test_an_email_with_an_empty_sender_gets_an_empty_return_path(smtp: smtplib.SMTP, word: str) -> None:
    assert hands_over(smtp, word, sender="")[0] == 250
    assert db.session.scalars(db.select(Incoming.raw)).one().startswith(b"Return-Path: <>\r\n")


def test_an_email_delivered_repeatedly_is_stored_once(smtp: smtplib.SMTP, word: str) -> None:
    for copy in (MAIL, "Received: from elsewhere\r\n" + MAIL, MAIL):
        assert hands_over(smtp, word, copy)[0] == 250
    assert kept() == [MAIL.encode()]


def test_an_oversized_email_is_rejected_by_declared_and_actual_size(smtp: smtplib.SMTP, word: str) -> None:
    smtp.ehlo()
    assert smtp.esmtp_features["size"] == str(LARGEST)
    assert smtp.mail(SENDER, [f"size={LARGEST + 1}"])[0] == 552
    smtp.rset()
    assert hands_over(smtp, word, MAIL + "a line\r\n" * (LARGEST // 8))[0] == 552
    assert hands_over(smtp, word)[0] == 250
    assert kept() == [MAIL.encode()]


def test_an_overlong_line_is_rejected(smtp: smtplib.SMTP, word: str) -> None:
    assert hands_over(smtp, word, MAIL + "x" * 1001 + "\r\n")[0] == 500
    assert not kept()


def test_an_endless_line_is_cut_off(smtp: smtplib.SMTP, word: str) -> None:
    smtp.ehlo()
    smtp.mail(SENDER)
    smtp.rcpt(f"{word}@stars.example")
    smtp.docmd("DATA")
    with pytest.raises(OSError):
        for _ in range(1000):
            smtp.sock.sendall(b"x" * 2**20)
    assert not kept()


def test_emails_per_seat_and_hour_are_limited(
    app: Flask, smtp: smtplib.SMTP, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.config["BOUNDS"], "mails", Bound(2, 3600))
    said = [hands_over(smtp, word, f"{MAIL}{number}\r\n")[0] for number in range(3)]
    assert said == [250, 250, 451]


def test_an_email_rejected_while_inbound_mail_was_closed_is_sent_again(smtp: smtplib.SMTP, word: str) -> None:
    close(MAIL_IN)
    for reader in (word, "postmaster"):
        smtp.ehlo()
        smtp.mail(SENDER)
        code, said = smtp.rcpt(f"{reader}@stars.example")
        assert (code, said[:6]) == (451, b"4.3.2 ")
        smtp.rset()
    smtp.mail(SENDER)
    assert smtp.rcpt("nobody@stars.example")[0] == 550
    smtp.rset()
    open_again(MAIL_IN)
    assert hands_over(smtp, word)[0] == 250
    assert kept() == [MAIL.encode()]


def test_an_email_in_transfer_is_sent_again_if_inbound_mail_is_closed(smtp: smtplib.SMTP, word: str) -> None:
    smtp.ehlo()
    smtp.mail(SENDER)
    assert smtp.rcpt(f"{word}@stars.example")[0] == 250
    close(MAIL_IN)
    assert smtp.data(MAIL)[0] == 451
    assert not kept()


def test_an_interrupted_transfer_stores_nothing(smtp_server: SmtpServer, word: str) -> None:
    smtp = smtplib.SMTP("127.0.0.1", smtp_server.port, timeout=60)
    smtp.ehlo()
    smtp.mail(SENDER)
    smtp.rcpt(f"{word}@stars.example")
    smtp.docmd("DATA")
    smtp.send(MAIL)
    smtp.close()
    until(lambda: not smtp_server.connections)
    assert not kept()


def test_emails_are_deferred_while_the_database_is_down(
    smtp: smtplib.SMTP, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_away(*_: object) -> None:
        raise psycopg.OperationalError("connection refused")

    with monkeypatch.context() as patch:
        patch.setattr(mail_in.inbox, "keep", is_away)
        assert hands_over(smtp, word)[0] == 451
    assert hands_over(smtp, word)[0] == 250
    assert kept() == [MAIL.encode()]


# Guests


def test_a_silent_client_is_disconnected(smtp_server: SmtpServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.2)
    with socket.create_connection(("127.0.0.1", smtp_server.port), timeout=60) as guest:
        said = b"".join(iter(lambda: guest.recv(100), b""))  # until it hangs up, on a busy machine at once
    assert not said or said.startswith(b"220 ")


def test_a_client_that_stays_connected_too_long_is_disconnected(
    smtp_server: SmtpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST_STAY", 0.2)
    with socket.create_connection(("127.0.0.1", smtp_server.port), timeout=60) as guest:
        said = b"".join(iter(lambda: guest.recv(100), b""))  # until it hangs up, on a busy machine at once
    assert not said or said.startswith(b"220 ")


def test_excess_connections_are_deferred(smtp_server: SmtpServer, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CONNECTIONS", 2)
    first, second = (smtplib.SMTP("127.0.0.1", smtp_server.port, timeout=60) for _ in range(2))
    with pytest.raises(smtplib.SMTPConnectError, match="421"):
        smtplib.SMTP("127.0.0.1", smtp_server.port, timeout=60)
    first.quit()
    until(lambda: len(smtp_server.connections) == 1)
    with smtplib.SMTP("127.0.0.1", smtp_server.port, timeout=60) as third:
        assert hands_over(third, word)[0] == 250
    second.quit()


def test_two_workers_listen_on_the_same_port(app: Flask, smtp_server: SmtpServer, word: str) -> None:
    other = SmtpServer(app, f"127.0.0.1:{smtp_server.port}")
    other.keep_open()
    smtp_server.close()
    until(lambda: not smtp_server.is_open)
    with smtplib.SMTP("127.0.0.1", smtp_server.port, timeout=60) as smtp:
        assert hands_over(smtp, word)[0] == 250
    other.close()


def test_a_port_in_use_is_logged_once_and_retried(app: Flask, word: str, caplog: pytest.LogCaptureFixture) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        smtp_server = SmtpServer(app, f"127.0.0.1:{taken.getsockname()[1]}")
        smtp_server.keep_open()
        smtp_server.keep_open()
    told = [record.message for record in caplog.records if record.name == "server.post.incoming.smtp_server"]
    assert len(told) == 1
    assert "Mail cannot come in" in told[0]
    smtp_server.keep_open()
    with smtplib.SMTP("127.0.0.1", smtp_server.port, timeout=60) as smtp:
        assert hands_over(smtp, word)[0] == 250
    smtp_server.close()


def test_emails_never_appear_in_logs(
    smtp: smtplib.SMTP, word: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: object) -> None:
        raise RuntimeError(word)

    monkeypatch.setattr(mail_in.inbox, "keep", breaks)
    assert hands_over(smtp, word, MAIL + "canary\r\n")[0] == 451
    said = "".join(record.getMessage() for record in caplog.records if record.levelname != "INFO")
    assert "could not be taken in" in said
    assert word not in said
    assert "canary" not in said
