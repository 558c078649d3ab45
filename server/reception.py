"""Where requests arrive: gunicorn's worker of threads, in which a request has a thread while it is answered.

However slowly clients send or take in, they hold no thread while they do, so that they keep nobody waiting; after a while
they are sent away. Event streams hold none, either. What gunicorn refuses by itself is told as a problem, as everywhere
else.
"""

import errno
import json
import re
import selectors
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Any

from gunicorn import util
from gunicorn.glogging import Logger
from gunicorn.http import wsgi
from gunicorn.workers.gthread import TConn, ThreadWorker

from server.api.streams import STREAMS, EventStream
from server.streams import Streams

PATIENCE = 20.0  # seconds for all of a request to come, and for a client to take in some of its answer
LARGEST = 160 * 1024  # bytes; more than any request that we take
MOST_KEPT = 64 * 1024 * 1024  # bytes of answers that nobody has taken in yet, in one process
_PIECE = 64 * 1024
_PARTING = 2.0  # seconds
_NO_FILES = 0.02  # seconds until the next try, when no more files may be opened
_LONGEST_SIZE = 1000
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*([0-9]{1,18})[ \t]*\r\n", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding:", re.IGNORECASE)
_SIZE = re.compile(rb"([0-9a-fA-F]{1,8})[ \t;\r]")
_EXPECTS = re.compile(rb"\r\nexpect:[ \t]*100-continue[ \t]*\r\n", re.IGNORECASE)

PROBLEMS = {  # as in the table of the API
    400: ("malformed-request", "The request cannot be read"),
    500: ("internal-error", "Something went wrong on our side"),
}


class Log(Logger):
    """gunicorn's, without its line for each request: the app writes a better one."""

    def access(self, *_: Any) -> None:
        """gunicorn would gather what such a line may hold, though nobody reads it."""


class _Arriving:
    """A request of which some may have come; `deadline` by the monotonic clock."""

    def __init__(self, conn: TConn, received: bytes) -> None:
        self.conn = conn
        self.received = bytearray(received)
        self.extent = Extent()
        self.deadline = time.monotonic() + PATIENCE
        self.has_been_told_to_go_on = False


class _Leaving:
    """An answer, until the client has taken it in. gunicorn writes to it as to a socket."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self.kept = bytearray()
        self.deadline = 0.0
        self.heard = 0  # bytes that the client has gone on to say
        self.has_become_a_stream = False

    def sendall(self, piece: bytes) -> None:
        self.kept += piece

    def send(self, _: bytes) -> None:
        """gunicorn's `100 Continue`: whoever waited for it has been told before."""

    def send_some(self) -> None:
        """As much as the client has room for. Raises OSError if it has gone."""
        self.deadline = time.monotonic() + PATIENCE
        with suppress(BlockingIOError):
            del self.kept[: self._sock.send(self.kept, socket.MSG_DONTWAIT)]


class Worker(ThreadWorker):
    """All but `handle` and `handle_request` runs in the one thread that watches the sockets."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._arriving: dict[TConn, _Arriving] = {}  # in the order of their deadlines
        self._leaving: dict[TConn, _Leaving] = {}
        self._streams: Streams | None = None

    def load_wsgi(self) -> None:
        super().load_wsgi()
        self._streams = Streams(self.wsgi)

    def handle_exit(self, sig: Any, frame: Any) -> None:
        super().handle_exit(sig, frame)
        if self._streams is not None:
            self._streams.stop()

    def accept(self, listener: socket.socket) -> None:
        """Where no more files may be opened, whoever comes waits; gunicorn's process would end, with all connections."""
        try:
            super().accept(listener)
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE):
                raise
            time.sleep(_NO_FILES)

    def enqueue_req(self, conn: TConn) -> None:
        """gunicorn has a new connection here, or one on which the next request begins."""
        if self.cfg.is_ssl:  # only a thread can read what is encrypted
            super().enqueue_req(conn)
            return
        conn.sock.setblocking(False)
        arriving = _Arriving(conn, conn.parser.unreader.take_buffered() if conn.parser else b"")
        if not self._hand_over_if_whole(arriving) and not self._read(arriving):
            self._arriving[conn] = arriving
            self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._on_more, arriving))

    def _on_more(self, arriving: _Arriving, _: Any) -> None:
        if self._read(arriving):
            self.poller.unregister(arriving.conn.sock)
            del self._arriving[arriving.conn]

    def _read(self, arriving: _Arriving) -> bool:
        """Take in what has come; whether there is nothing left to wait for."""
        try:
            piece = arriving.conn.sock.recv(_PIECE)
        except BlockingIOError:
            return False
        except OSError:
            piece = b""
        arriving.received += piece
        if piece:
            return self._hand_over_if_whole(arriving)
        if arriving.received:
            self._refuse(arriving.conn, "It breaks off before its end")
        else:
            self._drop(arriving.conn)
        return True

    def _hand_over_if_whole(self, arriving: _Arriving) -> bool:
        try:
            whole = arriving.extent.is_whole(arriving.received)
        except ValueError as error:
            self._refuse(arriving.conn, str(error))
            return True
        if whole:
            self._hand_over(arriving)
        elif not arriving.has_been_told_to_go_on and _EXPECTS.search(arriving.extent.head):
            arriving.has_been_told_to_go_on = True
            with suppress(OSError):
                arriving.conn.sock.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        return whole

    def _hand_over(self, arriving: _Arriving) -> None:
        conn = arriving.conn
        conn.init()
        conn.parser.unreader.unread(bytes(arriving.received))
        conn.data_ready = True
        super().enqueue_req(conn)

    def handle_request(self, req: Any, conn: TConn) -> bool:
        """Answer in a thread; whether another request may follow on this connection.

        In place of gunicorn's, which waits until the client has taken everything in; so we do where all is encrypted.
        """
        if self.cfg.is_ssl:
            return bool(super().handle_request(req, conn))
        conn.leaving = leaving = _Leaving(conn.sock)
        response, environ = wsgi.create(req, leaving, conn.client, conn.server, self.cfg)
        environ |= {"wsgi.multithread": True, STREAMS: self._streams}
        if not self.alive or len(self.keepalived_conns) >= self.max_keepalived:
            response.force_close()
        body = self.wsgi(environ, response.start_response)
        if isinstance(body, EventStream) and self._streams is not None:
            response.force_close()
            response.chunked = False  # it ends with the connection
            response.send_headers()
            leaving.has_become_a_stream = True
            self._streams.take(socket.socket(fileno=conn.sock.detach()), body, bytes(leaving.kept))
            return False
        try:
            for piece in body:
                response.write(piece)
            response.close()
        finally:
            if hasattr(body, "close"):
                body.close()
        leaving.send_some()
        return not response.should_close()

    def finish_request(self, conn: TConn, done: Any) -> None:
        """gunicorn comes here after a request; it goes on when the client has taken in the answer."""
        if self.cfg.is_ssl:
            super().finish_request(conn, done)
            return
        leaving = getattr(conn, "leaving", None) or _Leaving(conn.sock)
        if leaving.has_become_a_stream:
            self.nr_conns -= 1
        elif leaving.kept:
            self._let_leave(conn, leaving, selectors.EVENT_WRITE, partial(self._on_room, conn, done))
            while sum(len(other.kept) for other in self._leaving.values()) > MOST_KEPT:
                self._send_away(next(iter(self._leaving)))
        elif done.result():
            super().finish_request(conn, done)
        else:
            self._part(conn, leaving)

    def _let_leave(self, conn: TConn, leaving: _Leaving, event: int, then: Callable[[Any], None]) -> None:
        self._leaving[conn] = leaving
        self.poller.register(conn.sock, event, then)

    def _on_room(self, conn: TConn, done: Any, _: Any) -> None:
        leaving = self._leaving.get(conn)
        if leaving is None:  # it was sent away after this look at the sockets, to make room for other answers
            return
        try:
            leaving.send_some()
        except OSError:
            self._send_away(conn)
        else:
            if not leaving.kept:
                del self._leaving[conn]
                self.poller.unregister(conn.sock)
                self.finish_request(conn, done)

    def _part(self, conn: TConn, leaving: _Leaving) -> None:
        """Close when the client has, or soon: at once, the end of the answer might be lost (RFC 9112, 9.6)."""
        try:
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._drop(conn)
        else:
            leaving.deadline = time.monotonic() + _PARTING
            self._let_leave(conn, leaving, selectors.EVENT_READ, partial(self._on_parting, conn))

    def _on_parting(self, conn: TConn, _: Any) -> None:
        leaving = self._leaving.get(conn)
        if leaving is None:  # as above
            return
        with suppress(OSError):
            heard = len(conn.sock.recv(_PIECE, socket.MSG_DONTWAIT))
            leaving.heard += heard
            if heard and leaving.heard <= LARGEST:
                return
        self._send_away(conn)

    def _send_away(self, conn: TConn) -> None:
        self._arriving.pop(conn, None)
        self._leaving.pop(conn, None)
        self.poller.unregister(conn.sock)
        self._drop(conn)

    def _refuse(self, conn: TConn, why: str) -> None:
        with suppress(OSError):
            _write_problem(conn.sock, 400, why, "")
        self._drop(conn)

    def _drop(self, conn: TConn) -> None:
        self.nr_conns -= 1
        conn.close()

    def murder_pending(self) -> None:
        """Send those away who have taken too long; gunicorn asks for it every second."""
        super().murder_pending()
        now = time.monotonic()
        for conn, arriving in list(self._arriving.items()):
            if arriving.deadline <= now or not (self.alive or arriving.received):
                self._send_away(conn)
        for conn, leaving in list(self._leaving.items()):
            if leaving.deadline <= now:
                self._send_away(conn)


class Extent:
    """How far a request reaches that comes bit by bit. What has been looked at is not looked at again: many small
    pieces must not take longer than a few large ones."""

    def __init__(self) -> None:
        self.head = b""  # the request line and headers with the empty line after them, once they have come
        self._at = 0  # in a body in chunks: where the next one begins

    def is_whole(self, received: bytes | bytearray) -> bool:
        """Whether the request has come to its end, or so much of it that it will be refused; `received`: all of it so
        far.

        Raises ValueError for a body in chunks that are none (RFC 9112, 7.1).
        """
        if not self.head and not self._has_head(received):
            return len(received) > LARGEST
        if len(received) - len(self.head) > LARGEST:
            return True
        if self._is_chunked:
            return self._ends_chunked(received)
        return len(received) - len(self.head) >= self._length

    def _has_head(self, received: bytes | bytearray) -> bool:
        end = received.find(b"\r\n\r\n")
        if end < 0:
            return False
        self.head = bytes(received[: end + 4])
        self._at = len(self.head)
        self._is_chunked = _CHUNKED.search(self.head) is not None
        length = _LENGTH.search(self.head)
        self._length = int(length[1]) if length else 0
        return True

    def _ends_chunked(self, received: bytes | bytearray) -> bool:
        while (end := received.find(b"\r\n", self._at)) >= 0:
            size = _SIZE.match(received, self._at, end + 1)
            if size is None:
                raise ValueError("A chunk begins without its size")
            if not (number := int(size[1], 16)):
                return received.startswith(b"\r\n", end + 2) or received.find(b"\r\n\r\n", end + 2) >= 0
            after = end + 2 + number + 2
            if not b"\r\n".startswith(received[after - 2 : after]):
                raise ValueError("A chunk is longer than its size")
            if after > len(received):
                return False
            self._at = after
        if len(received) - self._at > _LONGEST_SIZE:
            raise ValueError("A chunk begins without its size")
        return False


def _write_problem(sock: socket.socket, status: int, reason: str, _: str) -> None:
    """In place of gunicorn's pages, which are HTML and quote what was sent."""
    status = 500 if status == 500 else 400  # URLs and headers that are too long cannot be read, either
    code, title = PROBLEMS[status]
    facts = {"type": f"/problems/{code}", "title": title, "status": status, "code": code, "detail": f"{reason}."}
    body = json.dumps(facts).encode()
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        "Connection: close",
        "Content-Type: application/problem+json",
        f"Content-Length: {len(body)}",
        "Access-Control-Allow-Origin: *",  # it may have been for the API, whose answers all pages may read
    ]
    util.write_nonblock(sock, "\r\n".join([*lines, "", ""]).encode() + body)


util.write_error = _write_problem
