"""Work for the child process that reads emails: harmless, greedy and deadly."""

import os
import signal
from pathlib import Path

from server.post.incoming.mime import Doubt


def double(text: str) -> str:
    return 2 * text


def doubt() -> None:
    raise Doubt("broken")


def burn(*_: object) -> None:
    while True:
        pass


def hoard() -> list[bytes]:
    return [bytes(64 * 1024 * 1024) for _ in range(100)]


def die(unless: str) -> str:
    if not Path(unless).exists():
        Path(unless).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "alive"


def die_always() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
