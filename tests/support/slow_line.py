"""A line with a delay, between a browser and a server on the loopback: what goes over it comes later by half a round trip
each way, and a new connection takes a whole one first, as by TCP. It counts round trips that wait for one another."""

import asyncio
import threading
import time
from contextlib import suppress
from typing import NamedTuple, Self


class Round(NamedTuple):
    """From the first byte of a request, or the beginning of a connection, to the first byte that answers it."""

    began: float
    ended: float
    connects: bool = False


class SlowLine:
    """Listens on a port of its own while it is open, and forwards to `port`. `delay` in seconds, of a round trip."""

    def __init__(self, port: int, delay: float) -> None:
        self._target, self._delay = port, delay
        self.rounds: list[Round] = []
        self.received = 0  # bytes that went to the browser
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._connected, "127.0.0.1", 0), self._loop
        ).result()
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._server.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def forget(self) -> None:
        self.rounds.clear()
        self.received = 0

    def in_a_row(self, connections: bool = True) -> int:
        """The longest chain of rounds of which each began when the one before it had ended; without `connections` of
        requests only."""
        depths: list[tuple[float, int]] = []
        for it in sorted(it for it in self.rounds if connections or not it.connects):
            depths.append((it.ended, 1 + max((depth for ended, depth in depths if ended <= it.began), default=0)))
        return max((depth for _, depth in depths), default=0)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        began = time.monotonic()
        await asyncio.sleep(self._delay)
        self.rounds.append(Round(began, time.monotonic(), connects=True))
        there, back = await asyncio.open_connection("127.0.0.1", self._target)
        waits: list[float] = []
        with suppress(OSError):
            await asyncio.gather(self._carry(reader, back, waits, True), self._carry(there, writer, waits, False))
        for end in (writer, back):
            end.close()

    async def _carry(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, waits: list[float], asks: bool
    ) -> None:
        while data := await source.read(65536):
            now = time.monotonic()
            if asks and not waits:
                waits.append(now)
            await asyncio.sleep(self._delay / 2)
            if not asks:
                self.received += len(data)
                if waits:
                    self.rounds.append(Round(waits.pop(), time.monotonic()))
            target.write(data)
            await target.drain()
        target.close()
