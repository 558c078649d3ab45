"""`sternenpost doctor --mail` sends a letter and its reply through a real chain and names the broken link."""

import smtplib
from collections.abc import Callable, Iterator
from email import message_from_bytes
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from click.testing import CliRunner, Result
from flask import Flask

from server import cli
from server.post import mail_check
from server.post.incoming.smtp_server import SmtpServer
from server.store import postmaster
from tests.post.incoming.test_bounces import failed
from tests.post.office import a_mail
from tests.support.dovecot import PROGRAM, running_dovecot
from tests.support.live_server import free_port
from tests.support.name_server import DOMAIN, REPLIES, Zone

ADA = "ada@example.org"


class Relay:
    """Takes our letters: hands on what is for the reply domain, as its MX would, and brings the others to their readers."""

    def __init__(self, entrance: int) -> None:
        self.entrance = entrance
        self.refuses: dict[str, str] = {}
        self.return_path: str | None = None  # in place of ours
        self.reader: Callable[[bytes], tuple[str, bytes] | None] = lambda letter: (ADA, reply_to(letter))

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        if refusal := self.refuses.get(address.partition("@")[2]):
            return refusal
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        (to,), letter = envelope.rcpt_tos, envelope.original_content
        if to.endswith(f"@{REPLIES}"):
            self._hand_on(self.return_path or envelope.mail_from, letter, to)
        elif answer := self.reader(letter):
            self._hand_on(*answer)
        return "250 OK"

    def _hand_on(self, sender: str, mail: bytes, to: str = f"postmaster@{REPLIES}") -> None:
        def hand_on() -> None:
            if self.entrance:
                with smtplib.SMTP("127.0.0.1", self.entrance, timeout=60) as smtp:
                    smtp.sendmail(sender, [to], mail)

        Thread(target=hand_on).start()


def reply_to(letter: bytes) -> bytes:
    head = message_from_bytes(letter)
    assert head["Reply-To"] == f"postmaster@{REPLIES}"
    return a_mail("Here it is.", ADA, Subject=f"Re: {head['Subject']}", To=head["Reply-To"])


@pytest.fixture
def entrance(app: Flask) -> Iterator[int]:
    server = SmtpServer(app, f"127.0.0.1:{free_port()}")
    server.keep_open()
    yield server.port
    server.close()


@pytest.fixture
def relay(entrance: int) -> Relay:
    return Relay(entrance)


@pytest.fixture
def settings(
    relay: Relay, entrance: int, shared_url: str, key: Path, good: Zone, tmp_path: Path
) -> Iterator[dict[str, str]]:
    controller = Controller(relay, hostname="127.0.0.1", port=free_port())
    controller.start()
    yield {
        "DATABASE_URL": shared_url,
        "STERNENPOST_DATA": str(tmp_path),
        "SMTP_URL": f"smtp://127.0.0.1:{controller.port}",
        "STERNENPOST_MAIL_IN": f"127.0.0.1:{entrance}",
        "STERNENPOST_REPLY_DOMAIN": REPLIES,
        "STERNENPOST_BASE_URL": f"https://{DOMAIN}",
        "STERNENPOST_DKIM_KEY": str(key),
        "STERNENPOST_DKIM_SELECTOR": "s1",
    }
    controller.stop()


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail_check, "PAUSE", 0.05)


def doctor(settings: dict[str, str], *more: str, wait: int = 20) -> Result:
    return CliRunner().invoke(cli.main, ["doctor", "--mail", ADA, "--wait", str(wait), *more], env=settings)


def links(result: Result) -> dict[str, str]:
    lines = [line.split(": ", 1) for line in result.stdout.splitlines() if ": " in line]
    ours = ("MX", "SPF", "DKIM", "DMARC", "mail in", "relay", "entrance", "return path", "letter", "post desk")
    ours += ("arrival", "answer")
    return {name: state for name, state in lines if name in ours or name.endswith(" there")}


WELL = dict.fromkeys(
    ("MX", "SPF", "DKIM", "DMARC", "mail in", "relay", "entrance", "return path", "letter", "post desk"), "ok"
)


def test_a_working_mail_route_is_reported_as_ok_and_test_emails_are_deleted(
    settings: dict[str, str], app: Flask
) -> None:
    result = doctor(settings)
    assert links(result) == WELL
    assert f"Sent a test email to {ADA}" in result.stdout
    with app.app_context():
        assert postmaster.number() == 0


def refusing(where: str, answer: str) -> Callable[..., None]:
    def illness(settings: dict[str, str], relay: Relay, zone: Zone) -> None:
        relay.refuses[where] = answer

    return illness


def without(*record: str) -> Callable[..., None]:
    return lambda settings, relay, zone: zone.pop(record)


def has(name: str, value: object) -> Callable[..., None]:
    return lambda settings, relay, zone: setattr(relay, name, value)


def sets(name: str, value: str) -> Callable[..., None]:
    return lambda settings, relay, zone: settings.update({name: value})


@pytest.mark.parametrize(
    ("illness", "link", "words"),
    [
        (without(REPLIES, "MX"), "MX", "has no MX record"),
        (without(REPLIES, "TXT"), "SPF", "needs exactly one TXT record v=spf1, and has none"),
        (without(f"_dmarc.{DOMAIN}", "TXT"), "DMARC", "has no TXT record v=DMARC1"),
        (without(f"s1._domainkey.{DOMAIN}", "TXT"), "DKIM", "has no TXT record with the public key"),
        (sets("SMTP_URL", f"smtp://127.0.0.1:{1}"), "relay", "rejected an email"),
        (
            refusing("example.org", "550 5.7.1 Relaying denied"),
            "relay",
            "rejected an email to ada@example.org: 550 5.7.1",
        ),
        (refusing(REPLIES, "451 4.7.1 Later"), "relay", f"rejected an email to postmaster@{REPLIES}"),
        (has("entrance", 0), "entrance", "did not arrive within 2 s: does its MX lead to your inbound route"),
        (
            has("return_path", "b7@bounces.example.net"),
            "return path",
            "the relay changes it to <b7@bounces.example.net>",
        ),
        (has("reader", lambda letter: None), "letter", "no reply from ada@example.org within 2 s"),
    ],
)
def test_the_broken_part_of_the_mail_route_is_named(
    illness: Callable[..., None],
    link: str,
    words: str,
    settings: dict[str, str],
    relay: Relay,
    good: Zone,
) -> None:
    illness(settings, relay, good)
    result = doctor(settings, wait=2)
    assert result.exit_code == 1
    found = links(result)
    assert words in found[link]
    assert {name for name, state in found.items() if state != "ok"} == {link}


def test_the_check_reports_why_an_email_bounced(settings: dict[str, str], relay: Relay) -> None:
    def comes_back(letter: bytes) -> tuple[str, bytes]:
        report = failed("5.1.1", "550 5.1.1 No such user")
        return "", report.replace(b"Subject: ", b"Subject: " + message_from_bytes(letter)["Subject"].encode() + b" ", 1)

    relay.reader = comes_back
    assert links(doctor(settings))["letter"] == f"bounced from {ADA}: 550 5.1.1 No such user"


def test_without_an_inbound_route_only_the_relay_is_checked(settings: dict[str, str], relay: Relay) -> None:
    del settings["STERNENPOST_MAIL_IN"], settings["STERNENPOST_REPLY_DOMAIN"]
    relay.reader = lambda letter: None
    found = links(doctor(settings))
    assert (found["relay"], found["entrance"].startswith("no inbound route is set")) == ("ok", True)


def test_an_invalid_address_is_rejected(settings: dict[str, str]) -> None:
    result = CliRunner().invoke(cli.main, ["doctor", "--mail", "ada"], env=settings)
    assert result.exit_code == 2


@pytest.mark.skipif(PROGRAM is None, reason="Dovecot is not installed: apt-get install dovecot-imapd")
def test_the_check_replies_from_the_readers_mailbox_and_reports_what_it_saw(
    settings: dict[str, str], relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_dovecot() as server:
        monkeypatch.setenv("SSL_CERT_FILE", str(server.certificate))

        def delivered(letter: bytes) -> None:
            seen = b"Authentication-Results: mx.example.org; spf=pass smtp.mailfrom=x;\r\n dkim=pass; dmarc=fail\r\n"
            server.delivers(seen + letter)

        relay.reader = delivered
        found = links(doctor(settings, "--imap", server.url()))
    assert found == WELL | {"arrival": "ok", "SPF there": "ok", "DKIM there": "ok", "DMARC there": "fail"}


@pytest.mark.skipif(PROGRAM is None, reason="Dovecot is not installed: apt-get install dovecot-imapd")
def test_an_email_moved_between_search_and_fetch_does_not_fail_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    with running_dovecot() as server, server.box() as box:
        box.append("INBOX", a_mail("?", ADA, Subject=mail_check.subject_of("abc")))
        box.select_folder("INBOX")
        assert b"abc" in (mail_check._find_letter(box, "abc") or b"")
        monkeypatch.setattr(box, "search", lambda *_: [4711])
        assert mail_check._find_letter(box, "abc") is None
