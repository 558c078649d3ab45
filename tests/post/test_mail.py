"""Letters as bytes, sent to a real SMTP server, a broken one, or a Maildir."""

import asyncio
import base64
import email
import email.policy
import mailbox
import quopri
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from threading import Thread
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult
from hypothesis import given
from hypothesis import strategies as st

from server.post.mime import Message, encode
from server.post.smtp import Carrier, Fallback, MaildirCarrier, Refused, SmtpCarrier, TooBig, Unreachable, carrier
from tests.support.live_server import free_port

BOMB = "=?utf-8?q?x=0D=0ABcc=3A_v=40z=2Eorg?="
ROUTINE = {
    "sender": "post@sternenpost.example",
    "to": "anna@example.org",
    "subject": "Your turn: Tuesday game",
    "text": "It is your turn.",
    "message_id": "letter-2@sternenpost.example",
    "date": datetime(2026, 11, 21, 8, 30, tzinfo=UTC),
}
ANY_TEXT = st.text(st.characters(exclude_categories=()))
NASTY_TEXT = st.text(st.sampled_from("a \r\n\0\x0b\x0c\x1e\x85\u2028\u2029\u202e\ud800"))
NASTY_WORDS = st.lists(st.sampled_from(["=?", "utf-8", "?q?", "?b?", "?=", "=0D=0A", "Bcc:", "ü", " ", '"', "<"])).map(
    "".join
)


def letter(**changed: Any) -> bytes:
    return encode(Message(**{**ROUTINE, **changed}))


def opened(message: bytes) -> tuple[dict[str, str], bytes]:
    """Head and body of a letter, read as strictly as RFC 5322 and RFC 2047 are written; nothing of `email` is used."""
    message.decode("ascii")
    assert b"\0" not in message
    assert not re.search(rb"\r(?!\n)|(?<!\r)\n", message), "a line break that is not CRLF"
    assert max(map(len, message.split(b"\r\n"))) <= 998
    head, body = message.split(b"\r\n\r\n", 1)
    fields: dict[str, str] = {}
    for line in re.split(r"\r\n(?! )", head.decode()):
        name, value = re.fullmatch(r"([A-Za-z-]+): (.*)", line, re.DOTALL).groups()
        assert name.lower() not in map(str.lower, fields), f"{name} comes twice"
        fields[name] = unencoded(value.replace("\r\n", ""))
    return fields, body


def unencoded(value: str) -> str:
    def word(match: re.Match[str]) -> str:
        assert len(match[0]) <= 75
        return (base64.b64decode(match[2]) if match[1] in "bB" else quopri.decodestring(match[2], True)).decode()

    value = re.sub(r"(\?=) +(?==\?)", r"\1", value)
    return re.sub(r"=\?utf-8\?([bBqQ])\?([^? ]*)\?=", word, value)


# Building


def test_an_email_has_the_headers_that_mail_servers_expect():
    head, body = opened(letter())
    assert head == {
        "From": '"Sternenpost" <post@sternenpost.example>',
        "To": "anna@example.org",
        "Subject": "Your turn: Tuesday game",
        "Date": "Sat, 21 Nov 2026 08:30:00 +0000",
        "Message-ID": "<letter-2@sternenpost.example>",
        "Auto-Submitted": "auto-generated",
        "Content-Type": 'text/plain; charset="utf-8"',
        "Content-Transfer-Encoding": "quoted-printable",
        "MIME-Version": "1.0",
    }
    assert body == b"It is your turn.\r\n"


def test_a_games_emails_form_a_thread_that_begins_with_the_first():
    head, _ = opened(letter(thread="letter-1@sternenpost.example"))
    assert head["In-Reply-To"] == head["References"] == "<letter-1@sternenpost.example>"
    first, _ = opened(letter(thread=ROUTINE["message_id"]))
    assert "References" not in first


def test_long_links_and_ids_are_not_broken():
    link = "<https://sternenpost.example/unsubscribe/" + 120 * "x" + ">"
    host = 150 * "h" + ".example"
    message = letter(headers={"List-Unsubscribe": link}, message_id=f"2@{host}", thread=f"1@{host}")
    assert f"\r\nList-Unsubscribe: {link}\r\n".encode() in message
    assert f"\r\nReferences: <1@{host}>\r\n".encode() in message


def test_a_title_that_looks_like_an_encoded_word_arrives_as_typed():
    head, _ = opened(letter(subject=BOMB, sender_name=BOMB, headers={"List-Id": BOMB}))
    assert head["Subject"] == head["List-Id"] == BOMB
    assert head["From"] == f"{BOMB} <post@sternenpost.example>"


@given(ANY_TEXT | NASTY_TEXT | NASTY_WORDS)
def test_text_from_players_never_becomes_a_header_or_prevents_an_email(words):
    message = letter(subject=words, text=words, sender_name=words, headers={"List-Id": words}, html=words)
    expected = [*opened(letter(html=""))[0], "List-Id"]
    assert sorted(opened(message)[0]) == sorted(expected)
    for policy in (email.policy.compat32, email.policy.default):
        assert sorted(email.message_from_bytes(message, policy=policy).keys()) == sorted(expected)


def test_long_titles_are_truncated_between_characters():
    head, _ = opened(letter(subject=300 * "星"))
    assert head["Subject"] == 200 * "星"


def test_a_display_name_with_quotes_cannot_change_the_sender_address():
    head, _ = opened(letter(sender_name='Otto "the \\ Star", <x@y.org>'))
    assert head["From"] == '"Otto \\"the \\\\ Star\\", <x@y.org>" <post@sternenpost.example>'


def test_the_text_of_an_email_arrives_word_for_word():
    text = "Grüße, Anna! =?utf-8?q?x?=\n\n  7 leo c\n.\nFrom here on\n-- \n" + 1200 * "x"
    message = email.message_from_bytes(letter(text=text), policy=email.policy.default)
    assert message.get_content().replace("\r\n", "\n") == text + "\n"


def test_plain_text_comes_first_then_html_with_its_picture():
    message = letter(html='<img src="cid:sky">', inline_images=[("sky", b"\x89PNG")])
    opened(message)
    text, page = email.message_from_bytes(message, policy=email.policy.default).iter_parts()
    assert (text.get_content_type(), page.get_content_type()) == ("text/plain", "multipart/related")
    html, picture = page.iter_parts()
    assert html.get_content() == '<img src="cid:sky">\r\n'
    assert (picture["Content-ID"], picture.get_content()) == ("<sky>", b"\x89PNG")


@pytest.mark.parametrize(
    "wrong",
    [
        {"to": "anna@example.org\r\nBcc: v@z.org"},
        {"to": "jürgen@example.org"},
        {"sender": "post"},
        {"message_id": "a b@host"},
        {"message_id": "<a@host>"},
        {"thread": "x@y\r\nBcc: v@z.org"},
        {"headers": {"X\r\nBcc": "v@z.org"}},
        {"headers": {"Subject": "another"}},
    ],
)
def test_an_invalid_address_id_or_header_is_rejected(wrong):
    with pytest.raises(ValueError, match=r"\.$"):
        letter(**wrong)


# Carrying


class Server:
    """An SMTP server that keeps what it gets and answers as it is told."""

    def __init__(self) -> None:
        self.answers: dict[str, str] = {}
        self.received: list[tuple[str, list[str], bytes]] = []
        self.lines: list[Any] = []  # the connections on which letters came

    async def handle_MAIL(self, server, session, envelope, address, options):
        self.lines.append(server.transport)
        envelope.mail_from = address
        return self.answers.get("MAIL", "250 OK")

    async def handle_RCPT(self, server, session, envelope, address, options):
        envelope.rcpt_tos.append(address)
        return self.answers.get("RCPT", "250 OK")

    async def handle_DATA(self, server, session, envelope):
        if self.answers.get("DATA") == "drop":
            server.transport.abort()
            return "250 never heard"
        if "DATA" not in self.answers:
            self.received.append((envelope.mail_from, envelope.rcpt_tos, envelope.content))
        return self.answers.get("DATA", "250 OK")


@contextmanager
def listening(handler: Server, **options: Any) -> Iterator[Controller]:
    controller = Controller(handler, hostname="127.0.0.1", port=free_port(), **options)
    controller.start()
    try:
        yield controller
    finally:
        controller.stop()


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def controller(server: Server) -> Iterator[Controller]:
    with listening(server) as controller:
        yield controller


@pytest.fixture
def smtp(controller: Controller) -> SmtpCarrier:
    return SmtpCarrier(f"smtp://127.0.0.1:{controller.port}", timeout=60)


def send(smtp: SmtpCarrier, recipient: str = "anna@example.org") -> None:
    smtp.send(letter(), "post@sternenpost.example", recipient)


def test_an_email_arrives_byte_for_byte(server, smtp):
    message = letter(text="line\n.\n..\n")
    smtp.send(message, "post@sternenpost.example", "anna@example.org")
    assert server.received == [("post@sternenpost.example", ["anna@example.org"], message)]


def test_emails_sent_by_one_thread_share_a_connection_and_each_thread_has_its_own(server, smtp):
    for _ in range(3):
        send(smtp)
    assert len(set(server.lines)) == 1
    other = Thread(target=send, args=[smtp])
    other.start()
    other.join()
    assert len(server.received) == 4
    assert len(set(server.lines)) == 2


def test_a_connection_closed_by_the_server_is_reopened(server, controller, smtp):
    send(smtp)

    async def close() -> None:
        server.lines[0].abort()

    asyncio.run_coroutine_threadsafe(close(), controller.loop).result()
    send(smtp)
    assert len(server.received) == 2


@pytest.mark.parametrize(
    "answer",
    ["550 5.1.1 No such\x1b[31m user", "550 #5.1.0 Address rejected", "556 5.1.10 Null MX", "552 5.2.2 Mailbox full"],
)
@pytest.mark.parametrize("stage", ["RCPT", "DATA"])
def test_a_5xx_response_about_the_address_is_final_and_the_connection_is_reused(server, smtp, stage, answer):
    server.answers[stage] = answer
    with pytest.raises(Refused, match=f"{answer[:3]} .*{answer[-4:]}"):
        send(smtp)
    server.answers.clear()
    send(smtp)
    assert len(server.received) == len(set(server.lines)) == 1


@pytest.mark.parametrize(
    "answer",
    [
        "550 5.7.1 Blocked by policy",
        "554 5.7.1 Relay access denied: user unknown",
        "550 5.0.0 Something",
        "550 We do not like you",
        "554 10.5.1.1 is on a block list",
        "550 5.1.1.9 is on a block list",
        "550 5.1.7 Bad sender's mailbox",
        "550 5.1.8 Sender's domain does not exist",
        "535 5.7.8 Authentication failed",
        "500 Syntax error",
        "571 Delivery not authorized",
        "450 4.2.0 Greylisted",
        "451 4.3.0 Later",
        "421 4.3.2 Closing",
    ],
)
@pytest.mark.parametrize("stage", ["MAIL", "RCPT", "DATA"])
def test_a_response_that_is_not_about_the_address_counts_as_temporary(server, smtp, stage, answer):
    server.answers[stage] = answer
    with pytest.raises(Unreachable):
        send(smtp)
    server.answers.clear()
    send(smtp)
    assert len(server.received) == 1


@pytest.mark.parametrize(
    ("answer", "is_final"),
    [
        ("550 <anna@example.org>: Recipient address rejected: User unknown in virtual mailbox table", True),
        ("550 No such user here", True),
        ("550 Mailbox does not exist", True),
        ("550 unknown local mailbox", True),
        ("550 Mailbox unavailable", False),  # or our relay's policy, says RFC 5321
        ("550 Sender verify failed: unknown user", False),
        ("450 User unknown for now", False),
    ],
)
def test_without_an_enhanced_code_a_rejection_is_final_only_if_it_clearly_names_the_recipient(
    server, smtp, answer, is_final
):
    server.answers["RCPT"] = answer
    with pytest.raises(Refused if is_final else Unreachable):
        send(smtp)
    server.answers["DATA"] = server.answers.pop("RCPT")
    with pytest.raises(Unreachable):
        send(smtp)


@pytest.mark.parametrize("stage", ["MAIL", "RCPT", "DATA"])
@pytest.mark.parametrize(
    "answer", ["552 5.3.4 Message too big", "552 Too much mail data", "550 5.2.3 Message too long"]
)
def test_the_rejection_of_an_oversized_email_is_distinguished_from_other_rejections(server, smtp, stage, answer):
    server.answers[stage] = answer
    with pytest.raises(TooBig):
        send(smtp)


def test_a_dropped_connection_is_retried_later(server, smtp):
    server.answers["DATA"] = "drop"
    with pytest.raises(Unreachable):
        send(smtp)
    server.answers.clear()
    send(smtp)
    assert len(server.received) == 1


def test_a_silent_server_times_out():
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(Unreachable):
        send(SmtpCarrier(f"smtp://127.0.0.1:{silent.getsockname()[1]}", timeout=0.2))


def test_an_unreachable_server_is_retried_later():
    with pytest.raises(Unreachable):
        send(SmtpCarrier(f"smtp://127.0.0.1:{free_port()}"))
    with pytest.raises(Unreachable):
        send(SmtpCarrier("smtp://nowhere.invalid"))


@pytest.mark.parametrize(
    "recipient", ["jürgen@example.org", "otto@bücher.example", "otto", "", "a@b.c\r\nDATA", "\ud800@x.org"]
)
def test_an_unreachable_address_is_rejected_without_a_connection(recipient):
    with pytest.raises(Refused, match=r"\.$"):
        send(SmtpCarrier("smtp://nowhere.invalid"), recipient)


@pytest.mark.filterwarnings("ignore:Requiring AUTH")
def test_user_and_password_come_from_the_url(server):
    def known(_server, _session, _envelope, _mechanism, login):
        right = (login.login, login.password) == (b"post", b"p@ss/word")
        return AuthResult(success=right, handled=False)

    with listening(server, authenticator=known, auth_required=True, auth_require_tls=False) as controller:
        send(SmtpCarrier(f"smtp://post:p%40ss%2Fword@127.0.0.1:{controller.port}"))
        assert len(server.received) == 1
        for login in ("post:wrong@", ""):
            with pytest.raises(Unreachable):  # the letter is not to blame
                send(SmtpCarrier(f"smtp://{login}127.0.0.1:{controller.port}"))


def test_nothing_is_sent_to_a_server_without_starttls(server, controller):
    with pytest.raises(Unreachable, match="STARTTLS"):
        send(SmtpCarrier(f"smtp://127.0.0.1:{controller.port}?starttls=1"))
    assert not server.received


# Several servers


@pytest.fixture
def second() -> Server:
    return Server()


@pytest.fixture
def both(controller: Controller, second: Server) -> Iterator[Carrier]:
    with listening(second) as other:
        yield carrier(*(f"smtp://127.0.0.1:{it.port}" for it in (controller, other)))


def test_the_first_of_several_servers_is_used_while_it_works(server, second, both):
    for _ in range(3):
        send(both)
    assert (len(server.received), len(second.received)) == (3, 0)
    both.check()


@pytest.mark.parametrize("stage", ["MAIL", "RCPT", "DATA"])
@pytest.mark.parametrize(
    "answer", ["550 5.7.1 Relaying denied", "451 4.7.1 Too much today", "421 4.3.2 Closing", "552 5.3.4 Too big"]
)
def test_a_recipient_rejected_by_one_server_is_tried_at_the_next(server, second, both, stage, answer):
    server.answers[stage] = answer
    send(both)
    server.answers.clear()
    send(both)
    assert (len(server.received), len(second.received)) == (1, 1)


@pytest.mark.parametrize("stage", ["RCPT", "DATA"])
def test_any_server_can_report_that_a_mailbox_is_unknown(server, second, both, stage):
    server.answers[stage] = "550 5.1.1 No such user"
    with pytest.raises(Refused):
        send(both)
    assert not second.received
    server.answers[stage], second.answers[stage] = "450 4.2.0 Later", "550 5.1.1 No such user"
    with pytest.raises(Refused):
        send(both)


def test_a_server_that_does_not_respond_is_tried_last_for_a_while(second, server, controller, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        urls = [f"smtp://127.0.0.1:{silent.getsockname()[1]}", f"smtp://127.0.0.1:{controller.port}"]
        carriers = [SmtpCarrier(url, timeout=patience) for url, patience in zip(urls, (0.2, 60), strict=True)]
        several = Fallback(carriers)
        asked = []
        monkeypatch.setattr(carriers[0], "_connection", lambda: asked.append(1) or SmtpCarrier._connection(carriers[0]))
        send(several)
        send(several)
        assert (len(asked), len(server.received)) == (1, 2)
        monkeypatch.setattr("server.post.smtp.ASKED_LAST", 0.0)
        several._away_until.clear()
        send(several)
        send(several)
        assert len(asked) == 3


def test_an_email_that_a_server_may_have_accepted_is_not_immediately_sent_to_another_server(server, second, both):
    server.answers["DATA"] = "drop"
    with pytest.raises(Unreachable):
        send(both)
    assert not second.received
    server.answers.clear()
    send(both)
    assert (len(server.received), len(second.received)) == (0, 1)  # who broke off is asked last for a while


class Hasty(SMTP):
    """Breaks off before it has asked for the letter."""

    async def smtp_DATA(self, arg):
        self.transport.abort()


def test_a_server_that_disconnects_before_the_email_was_sent_has_not_accepted_it(
    server, second, both, controller, monkeypatch
):
    monkeypatch.setattr(controller, "factory", lambda: Hasty(server, loop=controller.loop))
    send(both)
    send(both)
    assert (len(server.lines), len(second.received)) == (1, 2)


@pytest.mark.parametrize("words", ["554 5.7.1 Not you", "220 post\r\n554 5.7.1 Not you\r\n554 5.7.1 Nor so"])
def test_a_server_that_rejects_connections_is_tried_last_for_a_while(words, server, controller):
    asked = []

    def answers() -> None:
        with suppress(OSError):
            while True:
                line, _ = closed.accept()
                asked.append(line)
                line.sendall(f"{words}\r\n".encode())

    with socket.create_server(("127.0.0.1", 0)) as closed:
        Thread(target=answers, daemon=True).start()
        several = carrier(f"smtp://127.0.0.1:{closed.getsockname()[1]}", f"smtp://127.0.0.1:{controller.port}")
        send(several)
        send(several)
        closed.shutdown(socket.SHUT_RDWR)
    assert (len(asked), len(server.received)) == (1, 2)


def test_a_server_that_rejects_our_password_is_tried_last_for_a_while(server, second):
    def knows(*_: Any) -> AuthResult:
        tries.append(1)
        return AuthResult(success=False, handled=False)

    tries: list[int] = []
    strict = {"authenticator": knows, "auth_required": True, "auth_require_tls": False}
    with listening(server, **strict) as first, listening(second) as other:
        several = carrier(f"smtp://post:old@127.0.0.1:{first.port}", f"smtp://127.0.0.1:{other.port}")
        send(several)
        before = len(tries)
        send(several)
    assert (before > 0, len(tries) - before, len(second.received)) == (True, 0, 2)


def test_if_all_servers_reject_an_email_all_are_named_and_a_size_limit_takes_precedence(server, second, both):
    server.answers["RCPT"], second.answers["RCPT"] = "450 4.2.0 Greylisted", "550 5.7.1 Relaying denied"
    with pytest.raises(Unreachable, match="Greylisted; .*Relaying denied"):
        send(both)
    server.answers["RCPT"] = "552 5.3.4 Too big"
    with pytest.raises(TooBig):
        send(both)


def test_a_check_of_several_servers_names_those_that_are_down(server, controller):
    several = carrier(f"smtp://127.0.0.1:{controller.port}", f"smtp://127.0.0.1:{free_port()}")
    with pytest.raises(Unreachable, match="refused"):
        several.check()


def test_an_email_is_not_sent_once_its_lease_is_lost(server, second, both):
    def is_lost() -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        both.send(letter(), "post@sternenpost.example", "anna@example.org", is_lost)
    assert not server.received + second.received


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> str:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is needed to make a certificate")
    pem = str(tmp_path_factory.mktemp("tls") / "own.pem")
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", pem]
    subprocess.run([openssl, "req", "-x509", *key, "-out", pem + ".cert", *subject], check=True, capture_output=True)
    with open(pem, "a") as both, open(pem + ".cert") as cert:
        both.write(cert.read())
    return pem


@pytest.mark.parametrize("scheme", ["smtps", "starttls"])
def test_the_tls_certificate_must_be_trusted(server, certificate, scheme, monkeypatch):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    tls = {"ssl_context": context} if scheme == "smtps" else {"tls_context": context}
    with listening(server, **tls) as controller:
        host = f"localhost:{controller.port}"
        url = f"smtps://{host}" if scheme == "smtps" else f"smtp://{host}?starttls=1"
        with pytest.raises(Unreachable, match="certificate"):
            send(SmtpCarrier(url))
        assert not server.received
        monkeypatch.setenv("SSL_CERT_FILE", certificate)
        send(SmtpCarrier(url))
        assert len(server.received) == 1


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost",
        "smtp://",
        "smtp://host:port",
        "smtp://u:pa/ss@host",
        "smtp://u:p@",
        "smtp://host?starttls=yes",
    ]
    + ["smtps://host?starttls=1", "smtp://host/path", "smtp://host\n"],
)
def test_a_url_without_a_mail_server_is_rejected_without_showing_its_password(url):
    with pytest.raises(ValueError, match="A mail server is") as refusal:
        carrier(url)
    assert "pa" not in str(refusal.value).replace("password", "")


def test_without_a_mail_server_emails_are_stored_in_a_maildir(tmp_path):
    path = str(tmp_path / "data" / "mail")
    carrier(path).send(letter(), "post@sternenpost.example", "anna@example.org")
    MaildirCarrier(path).send(letter(subject="Another"), "post@sternenpost.example", "anna@example.org")
    found = mailbox.Maildir(path, create=False)
    assert sorted(message["Subject"] for message in found) == ["Another", "Your turn: Tuesday game"]


def test_an_unwritable_maildir_is_retried_later(tmp_path):
    box = MaildirCarrier(str(tmp_path / "mail"))
    shutil.rmtree(tmp_path / "mail")
    with pytest.raises(Unreachable):
        box.send(letter(), "post@sternenpost.example", "anna@example.org")
