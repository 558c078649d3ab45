"""The inbound route over SMTP (RFC 5321) and LMTP (RFC 2033). Both use the same port."""

import asyncio
import logging
import smtplib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from typing import Any

from aiosmtpd.smtp import SMTP, Envelope, Session
from flask import Flask

from server.accounts.closing import MAIL_IN, expect_open
from server.errors import Closed, NotFound, TooMany
from server.post.incoming.intake import LARGEST, MOST_READERS, expect_known, local_part, take_in
from server.post.smtp import Unreachable
from server.store.connections import let_go
from server.store.database_retry import is_passing

MOST_CONNECTIONS = 50
PATIENCE = 60.0  # seconds to wait for the next command, and for a whole email
LONGEST_STAY = 600.0  # seconds that a connection may last
_MOST_OCTETS = 2 * LARGEST  # bytes received between two emails
_STORERS = 4

OPEN_AGAIN = 5.0  # seconds until the next attempt to open a port
_WELCOME = "250 2.1.5 Go on"
_UNKNOWN = "550 5.1.1 Nobody has this address"
_CLOSED = "451 4.3.2 Closed for now; please try again later"
_LATER = "451 4.3.0 Not now; please try again later"

log = logging.getLogger(__name__)


def check(where: str) -> None:
    """Raise Unreachable unless an SMTP server listens at this `host:port`."""
    host, _, port = where.rpartition(":")
    try:
        smtplib.SMTP(host.strip("[]"), int(port), "localhost", timeout=PATIENCE).close()
    except (smtplib.SMTPException, OSError) as error:
        raise Unreachable(f"{where}: {error}") from error


class SmtpServer:
    """An SMTP server at `where`, a `host:port`. Several workers on one machine may listen on the same port."""

    def __init__(self, app: Flask, where: str) -> None:
        self._app = app
        self._host, _, port = where.rpartition(":")
        self.port = int(port)
        self._limited = bool(app.config["LIMITS"])
        self._threads = ThreadPoolExecutor(_STORERS, thread_name_prefix="smtp-server")
        self._server: asyncio.Server | None = None
        self._waits = False
        self.connections: set[SMTP] = set()
        self.loop = asyncio.new_event_loop()
        Thread(target=self.loop.run_forever, name="smtp-server", daemon=True).start()

    def keep_open(self) -> None:
        """Listen, unless the server is already listening. If the port is unavailable, this is logged once, and the next
        call tries again."""
        if self.is_open:
            return
        host = self._host.strip("[]")
        opening = self.loop.create_server(self._connect, host, self.port, reuse_port=True)
        try:
            self._server = asyncio.run_coroutine_threadsafe(opening, self.loop).result(OPEN_AGAIN)
        except OSError as error:
            if not self._waits:
                log.warning("Mail cannot come in at %s:%s: %s", self._host, self.port, error.strerror or error)
            self._waits = True
        else:
            log.info("Mail can come in at %s:%s", self._host, self.port)

    @property
    def is_open(self) -> bool:
        return self._server is not None and self._server.is_serving()

    def close(self) -> None:
        """Stop accepting connections and storing emails. Clients that got no 250 response will retry later."""
        if self._server is not None:
            self.loop.call_soon_threadsafe(self._server.close)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _connect(self) -> asyncio.Protocol:
        return _Connection(self) if len(self.connections) < MOST_CONNECTIONS else _TurnedAway()

    # Methods that aiosmtpd calls

    async def handle_RCPT(
        self, guest: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if len(envelope.rcpt_tos) >= MOST_READERS:
            return "452 4.5.3 Too many recipients"
        word = local_part(address)
        said = await self._in_thread(_greet, word)
        if said == _WELCOME:
            envelope.rcpt_tos.append(word)
        return said

    async def handle_DATA(self, guest: "_Connection", session: Session, envelope: Envelope) -> str:
        content, sender = envelope.original_content or b"", (envelope.mail_from or "").strip("<>")
        said = [await self._in_thread(self._take, word, sender, content) for word in envelope.rcpt_tos]
        if guest.speaks_lmtp:
            return "\r\n".join(said)  # one response per recipient
        later = [it for it in said if it.startswith("4")]  # a retry recognizes the copies that were stored
        return later[0] if later else max(said)

    async def handle_exception(self, error: Exception) -> str:
        log.error("A mail could not be taken in", exc_info=error)
        return _LATER

    def _take(self, word: str, sender: str, content: bytes) -> str:
        try:
            take_in(word, sender, content, self._limited)
        except NotFound:
            return _UNKNOWN
        except Closed:
            return _CLOSED
        except TooMany:
            return "451 4.7.1 Too many mails; please try again later"
        return "250 2.0.0 Kept"

    async def _in_thread(self, work: Callable[..., str], *args: Any) -> str:
        """Run blocking work, such as database access, outside of the event loop."""
        return await self.loop.run_in_executor(self._threads, self._within_app, work, *args)

    def _within_app(self, work: Callable[..., str], *args: Any) -> str:
        with self._app.app_context():
            try:
                return work(*args)
            except Exception as error:
                let_go()
                if not is_passing(error):
                    log.exception("A mail could not be taken in")
                return _LATER


class _Connection(SMTP):
    def __init__(self, server: SmtpServer) -> None:
        super().__init__(
            server,
            data_size_limit=LARGEST,
            enable_SMTPUTF8=True,
            hostname="sternenpost",
            ident="Sternenpost",
            timeout=PATIENCE,
            loop=server.loop,
        )
        self._smtp_server = server
        self.speaks_lmtp = False

    async def smtp_LHLO(self, hostname: str) -> None:
        self.speaks_lmtp = True
        await self.smtp_EHLO(hostname)

    async def smtp_VRFY(self, arg: str) -> None:
        """Answer without revealing which addresses exist. aiosmtpd would also fail to echo some addresses."""
        await self.push("252 2.5.2 Bring a mail and see")

    def _getaddr(self, arg: str) -> tuple[str | None, str | None]:
        try:
            return super()._getaddr(arg)
        except (AttributeError, IndexError, ValueError):  # the standard library fails on some invalid addresses
            return None, None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._smtp_server.connections.add(self)
        self._leaving = self.loop.call_later(LONGEST_STAY, transport.close)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        self._smtp_server.connections.discard(self)
        self._leaving.cancel()
        super().connection_lost(error)

    def data_received(self, data: bytes) -> None:
        """Limit the number of bytes received. Otherwise, aiosmtpd would buffer an endless line until memory is full."""
        self._octets += len(data)
        if self._octets > _MOST_OCTETS and isinstance(self.transport, asyncio.Transport):
            self.transport.abort()
        else:
            super().data_received(data)

    def _set_post_data_state(self) -> None:  # called between two emails
        super()._set_post_data_state()  # type: ignore[no-untyped-call]  # aiosmtpd has no type annotations
        self._octets = 0


class _TurnedAway(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        transport.write(b"421 4.3.2 Too many connections; please try again later\r\n")
        transport.close()


def _greet(word: str) -> str:
    try:
        expect_known(word)
        expect_open(MAIL_IN)
    except NotFound:
        return _UNKNOWN
    except Closed:
        return _CLOSED
    return _WELCOME
