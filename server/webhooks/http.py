"""A single HTTP request to an address that has been checked, with a deadline and without redirects."""

import contextlib
import http.client
import socket
import ssl
import time
from collections.abc import Mapping, Sequence
from threading import Timer
from typing import NamedTuple

from server.webhooks import failures
from server.webhooks.targets import Target

_MOST_READ = 16 * 1024  # bytes of the response body that are read, so that its sender sees that it was received


class Unanswered(Exception):
    """The error for a request that got no response. Its text is the reason."""


class Answer(NamedTuple):
    status: int
    retry_after: int  # seconds; 0: no such header
    body: bytes = b""


class Request(NamedTuple):
    headers: Mapping[str, str]
    body: bytes
    method: str = "POST"


def fetch(target: Target, addresses: Sequence[str], request: Request, tls: ssl.SSLContext, seconds: float) -> Answer:
    """Send a request to the first address that accepts the connection, within `seconds` in total.

    The Host header and the certificate check use the target's name. Raise Unanswered if there is no response.
    """
    connection = _Connection(target, addresses, tls, time.monotonic() + seconds)
    watch = Timer(seconds, connection.hang_up)  # a socket's timeout would restart with each byte
    watch.daemon = True
    watch.start()
    try:
        connection.request(request.method, target.path, request.body, dict(request.headers))
        answer = connection.getresponse()
        if connection.hung_up:  # http.client mistakes this for the end of the headers
            raise TimeoutError
        said = b""
        with contextlib.suppress(OSError, http.client.HTTPException):
            said = answer.read(_MOST_READ)
        return Answer(answer.status, _seconds(answer.headers.get("Retry-After", "")), said)
    except (OSError, http.client.HTTPException, ValueError) as error:
        if connection.hung_up or isinstance(error, TimeoutError):
            raise Unanswered(failures.NO_ANSWER % {"seconds": f"{seconds:g}"}) from None
        raise Unanswered(_reason(error)) from None
    finally:
        watch.cancel()
        connection.close()


class _Connection(http.client.HTTPConnection):
    """A connection to one of the addresses that were checked. The host name isn't looked up again."""

    def __init__(self, target: Target, addresses: Sequence[str], tls: ssl.SSLContext, deadline: float) -> None:
        super().__init__(target.host, target.port)
        self.default_port = http.client.HTTPS_PORT if target.scheme == "https" else http.client.HTTP_PORT
        self._target, self._addresses, self._tls, self._deadline = target, addresses, tls, deadline
        self.hung_up = False

    def connect(self) -> None:
        self.sock = self._open_socket()
        if self._target.scheme == "https":
            self.sock = self._tls.wrap_socket(
                self.sock, server_hostname=self._target.host, do_handshake_on_connect=False
            )
            self.sock.do_handshake()

    def _open_socket(self) -> socket.socket:
        for number, address in enumerate(self._addresses, 1):
            try:
                left = max(self._deadline - time.monotonic(), 0.1)
                return socket.create_connection((address, self._target.port), left)
            except OSError:
                if number == len(self._addresses):
                    raise
        raise OSError(failures.NO_ADDRESS)

    def hang_up(self) -> None:
        """Abort the request. This is called from another thread."""
        self.hung_up = True
        if self.sock is not None:
            with contextlib.suppress(OSError):
                socket.socket.shutdown(
                    self.sock, socket.SHUT_RDWR
                )  # SSLSocket.shutdown would wait until the current read ends


def _reason(error: Exception) -> str:
    match error:
        case ssl.SSLCertVerificationError():
            return failures.BAD_CERTIFICATE % {"why": error.verify_message}
        case ssl.SSLError():
            return failures.NO_TLS
        case ConnectionRefusedError():
            return failures.REFUSED
        case http.client.HTTPException() if not isinstance(error, OSError):  # RemoteDisconnected is both kinds
            return failures.NO_HTTP
    return failures.BROKE_OFF


def _seconds(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 0
