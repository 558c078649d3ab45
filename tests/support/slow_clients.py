"""Clients that send something odd and then stay silent, and clients that do not read."""

import select
import socket
import ssl
from contextlib import suppress
from itertools import chain, cycle, islice
from threading import Event, Thread
from typing import Self

_TICK = 0.1  # seconds
_TALKATIVE = 10
_GET = b"GET /v1/rules HTTP/1.1\r\nHost: x\r\n"
_POST = b"POST /v1/sign-ins HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
_CHUNKED = _POST + b"Transfer-Encoding: chunked\r\n\r\n"


def _length(text: str) -> bytes:
    return _POST + b"Content-Length: %s\r\n\r\n" % text.encode("latin-1")


# Rejected immediately
REFUSED = {
    "a length with many digits": _length("0" * 22 + "100"),
    "a length with thousands of digits": _length("1" * 5000),
    "a huge length": _length("9" * 18),
    "a signed length": _length("+100"),
    "a negative length": _length("-1"),
    "a length with a decimal point": _length("1e2"),
    "a length in hexadecimal": _length("0x64"),
    "a length with an underscore": _length("1_0"),
    "a length in non-ASCII digits": _length("\xb2"),
    "no length": _length(""),
    "several lengths in one header": _length("100, 100"),
    "two lengths": _POST + b"Content-Length: 100\r\nContent-Length: 200\r\n\r\n",
    "the same length twice": _POST + b"Content-Length: 100\r\ncontent-length: 100\r\n\r\n",
    "a length and chunks": _POST + b"Content-Length: 100\r\nTransfer-Encoding: chunked\r\n\r\n",
    "chunks and a length": _POST + b"Transfer-Encoding: chunked\r\nContent-Length: 100\r\n\r\n",
    "another transfer coding": _POST + b"Transfer-Encoding: gzip\r\n\r\n",
    "another transfer coding in chunks": _POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n",
    "chunks in another coding": _POST + b"Transfer-Encoding: chunked, gzip\r\n\r\n",
    "two codings": _POST + b"Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n",
    "chunked twice": _POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
    "an unknown transfer coding": _POST + b"Transfer-Encoding: xchunked\r\n\r\n",
    "a space before the colon": _POST + b"Content-Length : 100\r\n\r\n",
    "a folded length": _POST + b"Content-Length:\r\n 100\r\n\r\n",
    "a folded header": _GET + b"X: 1\r\n\t2\r\n\r\n",
    "a line that is not a header": _GET + b"nonsense\r\n\r\n",
    "a header without a name": _GET + b": 1\r\n\r\n",
    "two hosts": _GET + b"Host: y\r\n\r\n",
    "LF alone": b"POST /v1/sign-ins HTTP/1.1\nHost: x\nContent-Length: 100\n\n",
    "LF in the headers": _POST + b"X: 1\nContent-Length: 100\r\n\r\n",
    "CR in the headers": _POST + b"X: 1\rContent-Length: 100\r\n\r\n",
    "CR alone": b"GET /v1/rules HTTP/1.1\rHost: x\r\r\n\r\n",
    "a leading LF": b"\n" + _GET + b"\r\n",
    "two leading empty lines": b"\r\n\r\n" + _GET + b"\r\n",
    "NUL": _GET + b"X: a\x00b\r\n\r\n",
    "a chunk with a sign": _CHUNKED + b"+5\r\n",
    "a chunk without a size": _CHUNKED + b"\r\n",
    "a huge chunk": _CHUNKED + b"ffffffff\r\n",
    "a chunk size with many digits": _CHUNKED + b"00000000000000005\r\n",
    "a chunk size with a 0x prefix": _CHUNKED + b"0x5\r\n",
    "a chunk that ends with LF": _CHUNKED + b"5\nabcde\r\n",
    "a chunk longer than its size": _CHUNKED + b"2\r\nabcdef",
    "a chunk with CR in its extension": _CHUNKED + b"5;a\rb\r\n",
    "an endless chunk size": _CHUNKED + b"5;" + b"x" * 2000,
    "malformed trailers": _CHUNKED + b"0\r\nnonsense\r\n\r\n",
    "trailers that end with LF": _CHUNKED + b"0\r\nX: 1\nY: 2\r\n\r\n",
    "an unknown expectation": _POST + b"Content-Length: 100\r\nExpect: the-best\r\n\r\n",
    "an HTTP/1.0 request": b"GET /v1/rules\r\n\r\n",
    "a future HTTP version": b"GET /v1/rules HTTP/9.9\r\nHost: x\r\n\r\n",
    "the beginning of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "an asterisk": b"GET * HTTP/1.1\r\nHost: x\r\n\r\n",
    "endless headers": _GET + b"X: " + b"x" * 40_000,
    "many headers": _GET + b"X: 1\r\n" * 200 + b"\r\n",
}

# Waited for without holding a thread
WAITED_FOR = {
    "nothing": b"",
    "one letter": b"P",
    "an empty line": b"\r\n",
    "half the first line": b"POST /v1/si",
    "half the headers": _POST,
    "everything but the last LF": _GET + b"\r",
    "half a body": _length("100") + b"x",
    "a length with leading zeros": _length("0" * 10 + "100"),
    "a body with an expectation": _POST + b"Content-Length: 100\r\nExpect: 100-continue\r\n\r\n",
    "a body with an expectation in capitals": _POST + b"Content-Length: 100\r\nEXPECT: 100-Continue\r\n\r\n",
    "chunks without a chunk": _CHUNKED,
    "chunks in capitals": _POST + b"TRANSFER-ENCODING: Chunked\r\n\r\n",
    "half a chunk size": _CHUNKED + b"5",
    "half a chunk": _CHUNKED + b"5\r\nab",
    "a chunk with an extension": _CHUNKED + b'5;a="b"\r\nab',
    "a chunk without its end": _CHUNKED + b"5\r\nabcde",
    "a missing last chunk": _CHUNKED + b"5\r\nabcde\r\n",
    "half the trailers": _CHUNKED + b"0\r\nX: 1\r\n",
    "small chunks": _CHUNKED + b"1\r\na\r\n" * 5000,
    "the beginning of TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x01" * 100,
    "an upgrade with half a body": _length("100").replace(
        b"\r\n\r\n", b"\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n"
    ),
    "one and a half requests": _GET + b"\r\n" + _POST,
    "a closing request and half of another": _GET + b"Connection: close\r\n\r\n" + _POST,
}

# Answered, even if unread
ANSWERED = {
    "many requests at once": (_GET + b"\r\n") * 20,
    "large responses": b"GET /page/main.js HTTP/1.1\r\nHost: x\r\n\r\n" * 35,
    "an absolute URL": b"GET http://x/v1/rules HTTP/1.1\r\nHost: x\r\n\r\n",
    "OPTIONS with an asterisk": b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
    "a tunnel": b"CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n",
    "an upgrade": _GET + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n",
    "a web socket": _GET + b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n",
    "an expectation from HTTP/1.0": b"GET /v1/rules HTTP/1.0\r\nExpect: 100-continue\r\n\r\n",
    "a leading empty line": b"\r\n" + _GET + b"\r\n",
    "a body that the call does not read": _GET + b"Content-Length: 5\r\n\r\nabcde",
    "chunks that the call does not read": _GET + b"Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\nX: 1\r\n\r\n",
}

ODD = {**REFUSED, **WAITED_FOR, **ANSWERED}


class Zoo:
    """A crowd of connections that each send something odd and never read.

    A closed one is replaced by one that the server does not reject. A few send another byte from time to time.
    """

    def __init__(self, port: int, animals: int, context: ssl.SSLContext | None = None) -> None:
        """Connect to this port. With `context`, every other client speaks TLS and the rest skips the handshake."""
        self._port, self._context = port, context
        self._words = chain(islice(cycle(ODD.values()), animals), cycle((WAITED_FOR | ANSWERED).values()))
        self._held: dict[int, socket.socket] = {}
        self._poll = select.epoll()
        self._stop, self._thread = Event(), Thread(target=self._keep, daemon=True)
        self.came = 0
        for _ in range(animals):
            self._come()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        for animal in self._held.values():
            animal.close()
        self._poll.close()

    def _come(self) -> None:
        animal, self.came = socket.create_connection(("127.0.0.1", self._port), timeout=60), self.came + 1
        with suppress(OSError):  # the server refuses some before they have sent all
            if self._context and self.came % 2:
                animal = self._context.wrap_socket(animal)
            animal.sendall(next(self._words))
        animal.setblocking(False)
        self._held[animal.fileno()] = animal
        self._poll.register(animal, select.EPOLLRDHUP)

    def _keep(self) -> None:
        while not self._stop.wait(_TICK):
            for number, _ in self._poll.poll(0):
                self._poll.unregister(number)
                self._held.pop(number).close()
                self._come()
            for animal in islice(self._held.values(), _TALKATIVE):
                with suppress(OSError):
                    animal.send(b"x")
