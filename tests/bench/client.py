"""A client that costs little, since it shares the machine with what it measures: requests made beforehand, raw sockets."""

import selectors
import socket
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter, sleep
from typing import NamedTuple

PATIENCE = 20.0  # seconds without any answer


class Driven(NamedTuple):
    """How a load went: answers, seconds in all, the milliseconds each answer took, in order of length, and the bytes of all."""

    answers: int
    seconds: float
    took: Sequence[float]
    size: int

    @property
    def per_second(self) -> float:
        return self.answers / self.seconds

    def percentile(self, percent: int) -> float:
        return self.took[min(len(self.took) * percent // 100, len(self.took) - 1)]


class _Client:
    """A keep-alive connection with one request under way at a time."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.game: Iterator[bytes] = iter(())
        self.sent_at = 0.0
        self.received = b""

    def send(self, request: bytes) -> None:
        self.received = b""
        self.sent_at = perf_counter()
        self.socket.sendall(request)

    def answer(self) -> bytes | None:
        """What has come in, once it is whole."""
        chunk = self.socket.recv(65536)
        if not chunk:
            raise ConnectionError("The server closed the connection.")
        self.received += chunk
        head, found, body = self.received.partition(b"\r\n\r\n")
        if not found:
            return None
        _, _, length = head.lower().partition(b"content-length:")
        return self.received if len(body) == int(length.split(b"\r\n", 1)[0]) else None


def drive(
    port: int,
    games: Sequence[Iterable[bytes]],
    clients: int,
    expected: bytes = b"HTTP/1.1 201",
    pause: float = 0,
) -> Driven:
    """Play these games until a client finds none that waits for a move. Raises ValueError for another answer, TimeoutError
    for none.

    The next move of a game is sent by whichever client is free, as the moves of real players come over many connections;
    a single client can pause before each for so many seconds.
    """
    waiting = deque(iter(game) for game in games)
    selector = selectors.DefaultSelector()
    took: list[float] = []
    connections = [_Client(port) for _ in range(clients)]
    busy = size = 0
    began = perf_counter()
    for client in connections:
        selector.register(client.socket, selectors.EVENT_READ, client)
        busy += _send_next(client, waiting)
    while busy:
        ready = selector.select(PATIENCE)
        if not ready:
            raise TimeoutError(f"No answer has come for {PATIENCE} s.")
        for key, _ in ready:
            client = key.data
            answer = client.answer()
            if answer is None:
                continue
            took.append((perf_counter() - client.sent_at) * 1000)
            size += len(answer)
            if not answer.startswith(expected):
                raise ValueError(answer.decode())
            waiting.append(client.game)
            sleep(pause)
            busy += _send_next(client, waiting) - 1
    seconds = perf_counter() - began
    for client in connections:
        client.socket.close()
    selector.close()
    return Driven(len(took), seconds, sorted(took), size)


def _send_next(client: _Client, waiting: deque[Iterator[bytes]]) -> bool:
    while waiting:
        client.game = waiting.popleft()
        if (request := next(client.game, None)) is not None:
            client.send(request)
            return True
    return False
