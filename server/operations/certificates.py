"""The expiry of TLS certificates: of the base URL, and of SMTP listeners that offer STARTTLS."""

import smtplib
import socket
import ssl
from collections.abc import Callable
from datetime import datetime, timedelta
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Final
from urllib.parse import urlsplit

from cryptography import x509

from server.clock import clock

SOON: Final = timedelta(days=14)
_PATIENCE: Final = 5.0  # seconds; the system's resolver may take longer


class NotShown(Exception):
    """A certificate that could not be fetched. The text says why."""


def web_certificate(base_url: str) -> str | None:
    """Return what is wrong with the certificate of the base URL, or "" if the certificate is fine. Without TLS, return
    None. Raise NotShown if the certificate can't be fetched."""
    url = urlsplit(base_url)
    host, port = url.hostname or "", url.port or 443
    if url.scheme != "https":
        return None

    def read() -> bytes | None:
        with (
            socket.create_connection((host, port), _PATIENCE) as line,
            _any_certificate().wrap_socket(line, server_hostname=host) as tls,
        ):
            return tls.getpeercert(binary_form=True)

    return _trouble(base_url, _in_time(read))


def smtp_certificate(where: str) -> str | None:
    """Return what is wrong with the certificate of a listener at `host:port`, or "" if the certificate is fine. Without
    STARTTLS, return None. Raise NotShown if the certificate can't be fetched."""
    host, _, port = where.rpartition(":")

    def read() -> bytes | None:
        with smtplib.SMTP(host.strip("[]"), int(port), "localhost", timeout=_PATIENCE) as listener:
            listener.ehlo()
            if not listener.has_extn("starttls"):
                return None
            listener.starttls(context=_any_certificate())
            tls = listener.sock
            return tls.getpeercert(binary_form=True) if isinstance(tls, ssl.SSLSocket) else None

    return _trouble(where, _in_time(read))


def _any_certificate() -> ssl.SSLContext:
    """Return a TLS context that also accepts expired certificates, since we want to read when they expired."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def _in_time(read: Callable[[], bytes | None]) -> bytes | None:
    """Return the result of `read`. Raise NotShown if `read` fails or exceeds the time limit."""
    found: SimpleQueue[bytes | None | Exception] = SimpleQueue()

    def run() -> None:
        try:
            found.put(read())
        except (OSError, ValueError, smtplib.SMTPException) as error:
            found.put(error)

    Thread(target=run, daemon=True).start()
    try:
        answer = found.get(timeout=2 * _PATIENCE)
    except Empty:
        raise NotShown("no answer in time") from None
    if isinstance(answer, Exception):
        raise NotShown(str(answer)) from answer
    return answer


def _trouble(where: str, shown: bytes | None) -> str | None:
    if shown is None:
        return None
    ends_at: datetime = x509.load_der_x509_certificate(shown).not_valid_after_utc
    left = ends_at - clock.real()
    if left > SOON:
        return ""
    if left <= timedelta(0):
        return f"the certificate of {where} expired on {ends_at:%Y-%m-%d}: renew it"
    return f"the certificate of {where} expires in {left.days} days, on {ends_at:%Y-%m-%d}: renew it"
