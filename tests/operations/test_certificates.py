"""The doctor reports TLS certificates that are about to expire."""

import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from socketserver import BaseRequestHandler, StreamRequestHandler, ThreadingTCPServer
from threading import Thread

import pytest
from click.testing import Result
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from flask import Flask

from server.operations import certificates
from server.operations.certificates import NotShown, smtp_certificate, web_certificate
from tests.support.commands import ask, found_by
from tests.support.live_server import free_port

LIFE = timedelta(days=90)


def shown(tmp_path: Path, left: timedelta) -> ssl.SSLContext:
    """Create a self-signed certificate that expires after this time."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    ends_at = datetime.now(UTC) + left
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(ends_at - LIFE)
        .not_valid_after(ends_at)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=True)
        .sign(key, SHA256())
    )
    pem = tmp_path / "shown.pem"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    pem.write_bytes(private + made.public_bytes(Encoding.PEM))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(pem)
    return context


@contextmanager
def served(handler: type[BaseRequestHandler]) -> Iterator[int]:
    server = ThreadingTCPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def website(context: ssl.SSLContext) -> Iterator[str]:
    class Website(BaseRequestHandler):
        def handle(self) -> None:
            with context.wrap_socket(self.request, server_side=True) as tls:
                tls.recv(1)

    with served(Website) as port:
        yield f"https://127.0.0.1:{port}"


@contextmanager
def listener(context: ssl.SSLContext | None) -> Iterator[str]:
    """Serve SMTP with STARTTLS, unless there is no certificate."""

    class Listener(StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"220 here\r\n")
            while line := self.rfile.readline().upper():
                if line.startswith(b"EHLO"):
                    self.wfile.write(b"250-here\r\n250 STARTTLS\r\n" if context else b"250 here\r\n")
                elif line.startswith(b"STARTTLS") and context:
                    self.wfile.write(b"220 go on\r\n")
                    with context.wrap_socket(self.request, server_side=True) as tls:
                        tls.recv(1)
                    return
                else:
                    self.wfile.write(b"221 bye\r\n")

    with served(Listener) as port:
        yield f"127.0.0.1:{port}"


DAY = timedelta(days=1)
LEFT = [
    (15 * DAY, ""),
    (13.5 * DAY, "expires in 13 days, on "),
    (0.5 * DAY, "expires in 0 days, on "),
    (-2 * DAY, "expired on "),
]


@pytest.mark.parametrize(("left", "words"), LEFT)
@pytest.mark.parametrize("kind", [website, listener])
def test_a_certificate_is_reported_two_weeks_before_it_expires(
    tmp_path: Path, kind: Callable[[ssl.SSLContext], Iterator[str]], left: timedelta, words: str
) -> None:
    with kind(shown(tmp_path, left)) as where:
        found = web_certificate(where) if kind is website else smtp_certificate(where)
    assert found == "" if words == "" else str(found).startswith(f"the certificate of {where} {words}")


def test_a_server_without_tls_has_no_certificate_to_check() -> None:
    assert web_certificate("http://127.0.0.1:1") is None
    with listener(None) as where:
        assert smtp_certificate(where) is None


def test_a_silent_server_has_no_certificate_to_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificates, "_PATIENCE", 0.2)
    with pytest.raises(NotShown, match="refused"):
        web_certificate(f"https://127.0.0.1:{free_port()}")

    class Silent(BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(4096)
            self.request.recv(4096)

    with served(Silent) as port, pytest.raises(NotShown, match="timed out|in time"):
        web_certificate(f"https://127.0.0.1:{port}")


def doctor(database_url: str, data: Path, base_url: str) -> Result:
    settings = {"DATABASE_URL": database_url, "STERNENPOST_DATA": str(data), "STERNENPOST_SANDBOX": "on"}
    return ask("doctor", **settings, SMTP_URL="", STERNENPOST_BASE_URL=base_url)


@pytest.mark.parametrize(("left", "status"), [(13.5 * DAY, 1), (30 * DAY, 0)])
def test_the_doctor_reports_an_expiring_certificate(
    healthy_app: Flask, shared_url: str, tmp_path: Path, left: timedelta, status: int
) -> None:
    with website(shown(tmp_path, left)) as base_url:
        result = doctor(shared_url, tmp_path, base_url)
    assert found_by(result)["certificate"].startswith("the certificate of" if status else "ok")
    assert result.exit_code == status


def test_an_unreachable_base_url_is_not_reported_as_a_failure(
    healthy_app: Flask, shared_url: str, tmp_path: Path
) -> None:
    result = doctor(shared_url, tmp_path, f"https://127.0.0.1:{free_port()}")
    assert "certificate: not looked up: " in result.stdout
    assert result.exit_code == 0
