"""Minimal clients of Server-Sent Events, many in one process."""

import asyncio
import json
import random
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass
class Listener:
    """A client that follows a path and reconnects where it left off."""

    port: int
    path: str
    token: str | None = None
    last: str = ""  # the id of the last event
    told: list[Json] = field(default_factory=list)
    heard: list[Json] = field(default_factory=list)
    connections: int = 0
    comments: int = 0
    statuses: list[int] = field(default_factory=list)
    is_dismissed: bool = False  # the server ended the stream for good

    async def listen(self, cuts: random.Random | None = None, patience: float = 2.0, retry: float = 0.1) -> None:
        while not self.is_dismissed:
            before = self.connections
            with suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
                async with asyncio.timeout(cuts.uniform(0, patience) if cuts else None):
                    await self._once()
            if self.connections == before:
                patience *= 1.5  # a busy machine answers later
            await asyncio.sleep(retry)

    async def _once(self) -> None:
        self._id = self._name = self._data = ""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            head = [f"GET {self.path} HTTP/1.1", "Host: localhost", "Accept: text/event-stream"]
            head += [f"Authorization: Bearer {self.token}"] * bool(self.token)
            head += [f"Last-Event-ID: {self.last}"] * bool(self.last)
            writer.write("\r\n".join([*head, "", ""]).encode())
            status = int((await reader.readuntil(b"\r\n\r\n")).split()[1])
            self.statuses.append(status)
            self.is_dismissed = status == 204
            if status == 200:
                self.connections += 1
                while (line := await reader.readline()).endswith(b"\n"):  # the last may be cut off
                    self._hear(line.decode().rstrip("\n"))
        finally:
            writer.close()

    _id = _name = _data = ""

    def _hear(self, line: str) -> None:
        """Handle a line. An event counts at the empty line after it (WHATWG HTML, 9.2.6)."""
        name, _, value = line.partition(": ")
        if name == "id":
            self._id = value
        elif name == "event":
            self._name = value
        elif name == "data":
            self._data = value
        elif line == ":":
            self.comments += 1
        elif not line:
            if self._data:
                (self.heard if self._name == "said" else self.told).append(json.loads(self._data))
            self.last, self._name, self._data = self._id or self.last, "", ""
