"""Letters are signed by DKIM (RFC 6376), and changing one breaks the signature."""

import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import dkim
import pytest
from click.testing import CliRunner

from server import cli
from server.post.dkim_signing import Signing, public_key, read_key
from server.post.mime import Message, encode
from server.post.smtp import Unreachable

LETTER = encode(
    Message(
        sender="sternenpost@stars.example",
        to="anna@example.org",
        subject="Sterne für Anna: " + "sehr lang " * 12,
        text="It is your turn.  \n\n.\nFrom here on\n\n",
        html="<p>It is your turn.</p>",
        message_id="letter-2@stars.example",
        date=datetime(2026, 11, 21, 8, 30, tzinfo=UTC),
        headers={"List-Unsubscribe": f"<https://stars.example/stop/{'x' * 150}>", "Reply-To": "a@reply.stars.example"},
    )
)


class Kept:
    """A carrier that keeps what it was given."""

    def __init__(self) -> None:
        self.messages: list[bytes] = []

    def check(self) -> None:
        raise Unreachable("not now")

    def send(self, message: bytes, sender: str, recipient: str, confirm: Callable[[], None]) -> None:
        self.messages.append(message)


@pytest.fixture(scope="module", params=[["-traditional"], []], ids=["PKCS 1", "PKCS 8"])
def key(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    path = tmp_path_factory.mktemp("key") / "dkim.pem"
    subprocess.run(["openssl", "genrsa", *request.param, "-out", path, "2048"], check=True, capture_output=True)
    return path


@pytest.fixture(scope="module")
def record(key: Path) -> bytes:
    """The public half as it stands in the DNS."""
    command = ["openssl", "rsa", "-in", key, "-pubout", "-outform", "PEM"]
    pem = subprocess.run(command, check=True, capture_output=True).stdout
    return b"v=DKIM1; k=rsa; p=" + b"".join(pem.splitlines()[1:-1])


@pytest.fixture
def signed(key: Path) -> bytes:
    kept = Kept()
    Signing(kept, "stars.example", "s1", read_key(key)).send(LETTER, "x@stars.example", "anna@example.org")
    return kept.messages[0]


def holds(message: bytes, record: bytes) -> bool:
    def dns(name: bytes, timeout: int = 5) -> bytes | None:
        return record if name == b"s1._domainkey.stars.example." else None

    answer: bool = dkim.verify(message, dnsfunc=dns)
    return answer


def test_an_emails_signature_is_valid_under_the_public_key(signed: bytes, record: bytes) -> None:
    assert signed.endswith(LETTER)
    assert signed.startswith(b"DKIM-Signature: v=1; a=rsa-sha256;")
    assert holds(signed, record)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"It is your turn.", b"It was your turn."),
        (b"To: anna@", b"To: anni@"),
        (b"stars.example/stop/", b"evil.example/stop/"),
        (b"Reply-To: a@", b"Reply-To: b@"),
        (b"\r\nFrom: ", b"\r\nFrom: eve@example.org\r\nFrom: "),
        (b"\r\nMessage-ID: ", b"\r\nFrom: eve@example.org\r\nMessage-ID: "),
    ],
)
def test_changing_an_email_makes_its_signature_invalid(
    signed: bytes, record: bytes, before: bytes, after: bytes
) -> None:
    assert before in signed
    assert not holds(signed.replace(before, after), record)


def test_checking_a_mail_transport_that_signs_also_checks_the_transport_that_sends(key: Path) -> None:
    with pytest.raises(Unreachable):
        Signing(Kept(), "stars.example", "s1", read_key(key)).check()


@pytest.mark.parametrize(
    "words", [b"", b"canary", b"-----BEGIN RSA PRIVATE KEY-----\nY2FuYXJ5\n-----END RSA PRIVATE KEY-----"]
)
def test_an_invalid_key_is_rejected_without_showing_it(words: bytes, tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_bytes(words)
    with pytest.raises(ValueError, match="not an RSA key") as refusal:
        public_key(words)
    assert "canary" not in str(refusal.value)
    told = CliRunner().invoke(cli.main, ["config"], env={"STERNENPOST_DKIM_KEY": str(tmp_path / "key.pem")})
    assert told.exit_code == 1
    assert "The DKIM key is not an RSA key in PEM." in told.output


def test_a_missing_key_is_reported_when_the_settings_are_read(tmp_path: Path) -> None:
    told = CliRunner().invoke(cli.main, ["config"], env={"STERNENPOST_DKIM_KEY": str(tmp_path / "none.pem")})
    assert "The DKIM key cannot be read: No such file or directory." in told.output
