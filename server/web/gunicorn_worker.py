"""A gunicorn worker whose threads only produce responses. An event loop receives requests and sends responses.

A request gets a thread only once it is complete. Before that, it may be rejected. Threads don't read from sockets, so
slow clients don't occupy threads, even with TLS. Clients that are too slow are disconnected. Event streams don't occupy
threads either. The response to a malformed request is a problem (RFC 9457).
"""

import errno
import io
import json
import re
import selectors
import socket
import ssl
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Any

from gunicorn import http
from gunicorn import sock as tls
from gunicorn.glogging import Logger
from gunicorn.http import wsgi
from gunicorn.http.errors import LimitRequestHeaders, LimitRequestLine, NoMoreData, ParseException
from gunicorn.workers.gthread import TConn, ThreadWorker

from server.api.event_streams import STREAMS, EventStream
from server.api.request_log import REQUEST_ID, log, new_request_id
from server.web.event_streams import Streams

PATIENCE = 20.0  # seconds until a request must be complete, and until a client must have read part of the response
LARGEST = 160 * 1024  # bytes of an encoded body; the app's own limits are smaller
LARGEST_MAIL = 3 * 1024 * 1024 + 64 * 1024  # the same, for inbound mail from mail providers
MAIL_IN = "/mail-in/"
MOST_MAILS = 20  # emails that may arrive simultaneously
LONGEST_HEAD = 32 * 1024  # bytes
MOST_KEPT = 64 * 1024 * 1024  # unsent bytes of responses in one process
_PIECE = 64 * 1024  # larger than a TLS record, so that no decrypted bytes remain where poll can't see them
_PARTING = 2.0  # seconds
_NO_FILES = 0.02  # seconds until a retry after the limit of open files was reached
_LONGEST_SIZE = 1000
_LENGTH = re.compile("[0-9]{1,18}")
_BARE_LF = re.compile(rb"(?<!\r)\n")
_SIZE = re.compile(rb"([0-9a-fA-F]{1,8})([ \t]*;[^\x00-\x08\x0a-\x1f\x7f]*)?\r\n")
_TRAILERS = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\x00-\x08\x0a-\x1f\x7f]*\r\n)*\r\n")
_TOO_LARGE = "The body is larger than 64 KiB"
_NOT_YET = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)
_OVER: Future[bool] = Future()
_OVER.set_result(False)

PROBLEMS = {  # the same as in `server.api.problems`
    400: ("malformed-request", "The request is malformed"),
    413: ("body-too-large", "The request body is too large"),
    500: ("internal-error", "Internal server error"),
    503: ("unavailable", "The service is temporarily unavailable"),
}


class Refused(Exception):
    """The error for a request that is rejected before it gets a thread. `status` is one of PROBLEMS."""

    def __init__(self, why: str, status: int = 400) -> None:
        super().__init__(why)
        self.status = status


class Log(Logger):
    """gunicorn's logger, without its access log. The app writes a better one."""

    def access(self, *_: Any) -> None:
        """Do nothing. gunicorn would collect values for an access log that isn't read."""


class _Arriving:
    """A request that isn't complete yet. `deadline` is a time on the monotonic clock."""

    def __init__(self, conn: TConn) -> None:
        self.conn = conn
        self.received = bytearray(conn.parser.unreader.take_buffered())
        self.extent = Extent(conn.parser)
        self.deadline = time.monotonic() + PATIENCE
        self.has_been_told_to_go_on = False


class _Leaving:
    """A response that hasn't been sent completely. gunicorn uses this object as a socket."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self.kept = bytearray()
        self.deadline = 0.0
        self.heard = 0  # number of bytes that the client has sent after the response
        self.has_become_a_stream = False

    def sendall(self, piece: bytes) -> None:
        self.kept += piece

    def send(self, _: bytes) -> None:
        """Ignore gunicorn's `100 Continue`, since it was sent earlier."""

    def send_some(self) -> None:
        """Send as much as the client accepts. Raise OSError if the client has disconnected."""
        self.deadline = time.monotonic() + PATIENCE
        with suppress(*_NOT_YET):
            while self.kept:
                del self.kept[: self._sock.send(self.kept)]


class Worker(ThreadWorker):
    """A worker with one event loop. All methods except `handle` and `handle_request` run in the thread of the event
    loop, and never block."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._arriving: dict[TConn, _Arriving] = {}  # ordered by deadline
        self._leaving: dict[TConn, _Leaving] = {}
        self._streams: Streams | None = None
        self._tls = tls.ssl_context(self.cfg) if self.cfg.is_ssl else None

    def load_wsgi(self) -> None:
        super().load_wsgi()
        self._streams = Streams(self.wsgi)

    def handle_exit(self, sig: Any, frame: Any) -> None:
        super().handle_exit(sig, frame)
        if self._streams is not None:
            self._streams.stop()

    def accept(self, listener: socket.socket) -> None:
        """Accept a connection. At the limit of open files, pause, where gunicorn's process would end. At the limit of
        connections, drop the slowest connection, where gunicorn would stop accepting."""
        try:
            super().accept(listener)
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE):
                raise
            time.sleep(_NO_FILES)
        if self.nr_conns >= self.worker_connections and (slow := self._arriving or self._leaving):
            self._send_away(next(iter(slow)))

    def enqueue_req(self, conn: TConn) -> None:
        """Receive a request. gunicorn calls this for a new connection, and for each further request on an open
        connection."""
        try:
            self._prepare(conn)
        except OSError:
            self._drop(conn)
            return
        arriving = _Arriving(conn)
        then = self._look(arriving) or self._read(arriving)
        if then:
            then()
        else:
            self._arriving[conn] = arriving
            self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._on_more, arriving))

    def _prepare(self, conn: TConn) -> None:
        """Do what gunicorn's `init` does, except that the parser gets the bytes received so far, and no socket on which
        it could wait for more."""
        if conn.parser is None:
            conn.initialized, conn.parser = True, http.get_parser(self.cfg, [], conn.client)
            conn.sock.setblocking(False)
            if self._tls is not None:
                conn.sock = self._tls.wrap_socket(conn.sock, server_side=True, do_handshake_on_connect=False)

    def _on_more(self, arriving: _Arriving, _: Any) -> None:
        if arriving.conn not in self._arriving:  # dropped after this poll, to make room
            return
        if then := self._read(arriving):
            self.poller.unregister(arriving.conn.sock)
            del self._arriving[arriving.conn]
            then()

    def _read(self, arriving: _Arriving) -> Callable[[], None] | None:
        """Read the bytes that have arrived. Return the next step, or None to wait for more bytes. With TLS, the first
        read does the handshake."""
        try:
            piece = arriving.conn.sock.recv(_PIECE)
        except _NOT_YET:
            return None
        except OSError:
            piece = b""
        arriving.received += piece
        if piece:
            return self._look(arriving)
        if arriving.received:
            return partial(self._refuse, arriving.conn, Refused("The request ends too early"))
        return partial(self._drop, arriving.conn)

    def _look(self, arriving: _Arriving) -> Callable[[], None] | None:
        conn, extent = arriving.conn, arriving.extent
        try:
            if extent.is_whole(arriving.received):
                return partial(self._hand_over, arriving)
            if (
                extent.largest > LARGEST
                and sum(it.extent.largest > LARGEST for it in self._arriving.values()) > MOST_MAILS
            ):
                raise Refused("Too many mails arrive at the same time", 503)
        except Refused as refused:
            return partial(self._refuse, conn, refused)
        if extent.expects_continue and not arriving.has_been_told_to_go_on:
            arriving.has_been_told_to_go_on = True
            with suppress(OSError):
                conn.sock.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        return None

    def _hand_over(self, arriving: _Arriving) -> None:
        conn, extent = arriving.conn, arriving.extent
        conn.parser.unreader.unread(bytes(arriving.received[extent.end :]))
        conn.request = extent.request
        conn.request.body = io.BytesIO(extent.body)
        super().enqueue_req(conn)

    def handle(self, conn: TConn) -> bool:
        """Produce the response, in a thread. Return whether the connection stays open. gunicorn's own method would read
        the request here."""
        conn.leaving = leaving = _Leaving(conn.sock)
        try:
            return self.handle_request(conn.request, conn)
        except OSError:  # the client has disconnected
            return False
        except Exception:
            request_id = new_request_id()
            self.log.exception("Error handling request", extra={"facts": {"id": request_id}})
            if not leaving.kept:
                leaving.sendall(_problem(500, "The fault is noted", request_id))
            return False

    def handle_request(self, req: Any, conn: TConn) -> bool:
        """Produce the response. gunicorn's own method would wait until the client has read all of it."""
        leaving = conn.leaving
        response, environ = wsgi.create(req, leaving, conn.client, conn.server, self.cfg)
        environ["wsgi.multithread"] = True
        if self._tls is None:  # with TLS, the stream ends after the pending events, and the client reconnects
            environ[STREAMS] = self._streams
        if not self.alive or len(self.keepalived_conns) >= self.max_keepalived:
            response.force_close()
        body = self.wsgi(environ, response.start_response)
        if isinstance(body, EventStream) and self._streams is not None:
            response.force_close()
            response.chunked = False  # the end of the connection marks the end of the body
            response.send_headers()
            leaving.has_become_a_stream = True
            self._streams.take(socket.socket(fileno=conn.sock.detach()), body, bytes(leaving.kept))
            return False
        if response.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            response.force_close()
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
        """Continue when the client has read the response. gunicorn calls this after each request."""
        leaving = conn.leaving
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
        if leaving is None:  # the response was dropped after this poll, to make room for others
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
        """Close the connection once the client has closed it, or after a short time. If it were closed immediately, the
        end of the response might be lost (RFC 9112, 9.6)."""
        if self._tls is not None:
            with suppress(OSError, ValueError):
                conn.sock.unwrap()
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
            heard = len(conn.sock.recv(_PIECE))
            leaving.heard += heard
            if heard and leaving.heard <= LARGEST:
                return
        self._send_away(conn)

    def _send_away(self, conn: TConn) -> None:
        self._arriving.pop(conn, None)
        self._leaving.pop(conn, None)
        self.poller.unregister(conn.sock)
        self._drop(conn)

    def _refuse(self, conn: TConn, refused: Refused) -> None:
        conn.leaving = leaving = _Leaving(conn.sock)
        request_id = new_request_id()
        log.info("request refused", extra={"facts": {"id": request_id, "status": refused.status, "why": str(refused)}})
        leaving.sendall(_problem(refused.status, str(refused), request_id))
        with suppress(OSError):
            leaving.send_some()
        self.finish_request(conn, _OVER)

    def _drop(self, conn: TConn) -> None:
        self.nr_conns -= 1
        conn.close()

    def murder_pending(self) -> None:
        """Disconnect clients whose deadline has passed. gunicorn calls this every second."""
        super().murder_pending()
        now = time.monotonic()
        for conn, arriving in list(self._arriving.items()):
            if arriving.deadline <= now or not (self.alive or arriving.received):
                self._send_away(conn)
        for conn, leaving in list(self._leaving.items()):
            if leaving.deadline <= now:
                self._send_away(conn)


class Extent:
    """The part of an incomplete request that has been parsed. Each byte is parsed only once, so many small pieces take
    as little time as a few large ones."""

    def __init__(self, parser: Any) -> None:
        """Use gunicorn's parser, without a socket. Only this parser reads the headers, so a request can't be
        interpreted in two ways."""
        self._parser = parser
        self.request: Any = None  # gunicorn's request, once the headers are complete
        self.body = bytearray()
        self.end = 0  # where the next request starts
        self._at = 0  # number of bytes parsed so far
        self._length: int | None = 0  # length of the body in bytes; None if the body is chunked
        self.largest = LARGEST

    @property
    def expects_continue(self) -> bool:
        """Return whether the client is waiting for `100 Continue` before it sends the body (RFC 9110, 10.1.1)."""
        return self.request is not None and self.request._expected_100_continue

    def is_whole(self, received: bytes | bytearray) -> bool:
        """Return whether the request is complete. `received` contains all its bytes received so far. Raise Refused if
        the request is malformed or too large."""
        if self.request is None and not self._has_head(received):
            return False
        if self._length is None:
            return self._ends_chunked(received)
        self.end = self._at + self._length
        if len(received) < self.end:
            return False
        self.body += received[self._at : self.end]
        return True

    def _has_head(self, received: bytes | bytearray) -> bool:
        end = received.find(b"\r\n\r\n", max(0, self._at - 3)) + 4
        if (end if end > 3 else len(received)) > LONGEST_HEAD:
            raise Refused(f"The headers are longer than {LONGEST_HEAD // 1024} KiB")
        if end > 3:
            self.request = self._parsed(bytes(received[:end]))
            if self.request.path.startswith(MAIL_IN):
                self.largest = LARGEST_MAIL
            self._length = self._length_of_body()
        elif _BARE_LF.search(received, self._at):
            raise Refused("A line ends without CR")
        self._at = end if end > 3 else len(received)
        return end > 3

    def _parsed(self, head: bytes) -> Any:
        self._parser.unreader.unread(head)
        try:
            return next(self._parser)
        except LimitRequestLine:
            raise Refused(f"The path and query are longer than {self._parser.cfg.limit_request_line} bytes") from None
        except LimitRequestHeaders:
            size, most = self._parser.cfg.limit_request_field_size, self._parser.cfg.limit_request_fields
            raise Refused(f"A header is longer than {size} bytes, or there are more than {most}") from None
        except (ParseException, NoMoreData, StopIteration):
            raise Refused("The first line or a header is malformed") from None

    def _length_of_body(self) -> int | None:
        """Return the length of the body, or None if the body is chunked. gunicorn has already rejected requests with
        both, and requests with two lengths."""
        codings = [value.lower() for name, value in self.request.headers if name == "TRANSFER-ENCODING"]
        lengths = [value for name, value in self.request.headers if name == "CONTENT-LENGTH"]
        if codings not in ([], ["chunked"]):
            raise Refused("The Transfer-Encoding is not chunked")
        if not all(map(_LENGTH.fullmatch, lengths)):
            raise Refused("The Content-Length is not a number")
        length = int(lengths[0]) if lengths else 0
        if length > self.largest:
            raise Refused(_TOO_LARGE, 413)
        return None if codings else length

    def _ends_chunked(self, received: bytes | bytearray) -> bool:
        """Return whether a chunked body is complete (RFC 9112, 7.1). Trailers are ignored."""
        while (end := received.find(b"\r\n", self._at) + 2) > 1:
            size = _SIZE.fullmatch(received, self._at, end)
            if size is None:
                raise Refused("A chunk begins without its size")
            if not (number := int(size[1], 16)):
                return self._ends_with_trailers(received, end)
            if number > self.largest:
                raise Refused(_TOO_LARGE, 413)
            after = end + number + 2
            if not b"\r\n".startswith(received[after - 2 : after]):
                raise Refused("A chunk is longer than its size")
            if after > len(received):
                return self._goes_on(received)
            self.body += received[end : after - 2]
            self._at = after
        if len(received) - self._at > _LONGEST_SIZE:
            raise Refused("A chunk begins without its size")
        return self._goes_on(received)

    def _ends_with_trailers(self, received: bytes | bytearray, start: int) -> bool:
        self.end = received.find(b"\r\n\r\n", start - 2) + 4
        if self.end < 4:
            return self._goes_on(received)
        if not _TRAILERS.fullmatch(received, start, self.end):
            raise Refused("The trailers are malformed")
        return True

    def _goes_on(self, received: bytes | bytearray) -> bool:
        if len(received) > LONGEST_HEAD + self.largest:
            raise Refused(_TOO_LARGE, 413)
        return False


def _problem(status: int, why: str, request_id: str) -> bytes:
    """Return an error response. It replaces gunicorn's error pages, which are HTML and quote the request."""
    code, title = PROBLEMS[status]
    facts = {"type": f"/problems/{code}", "title": title, "status": status, "code": code, "detail": f"{why}."}
    body = json.dumps({**facts, "request_id": request_id}).encode()
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        "Connection: close",
        "Content-Type: application/problem+json",
        f"Content-Length: {len(body)}",
        f"{REQUEST_ID}: {request_id}",
        "Access-Control-Allow-Origin: *",  # the request may be for the API, whose responses every web page may read
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body
