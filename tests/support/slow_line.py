"""A proxy that delays traffic between a browser and a local server by half a round trip each way.

A new connection takes one more round trip, as in TCP. The proxy counts round trips that wait for one another.
"""

import asyncio
import threading
import time
from contextlib import suppress
from typing import NamedTuple, Self


class Round(NamedTuple):
    """A span from the first byte of a request, or the start of a connection, to the first byte of the answer."""

    began: float
    ended: float
    connects: bool = False


class SlowLine:
    """A proxy to `port` on a port of its own. `delay` is a round trip in seconds."""

    def __init__(self, port: int, delay: float) -> None:
        self._target, self._delay = port, delay
        self.rounds: list[Round] = []
        self.received = 0  # bytes sent to the browser
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
        """Return the longest chain of rounds that each began after the previous one ended. `connections`
        includes those that connect."""
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
