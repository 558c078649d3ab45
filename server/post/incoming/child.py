"""Reads mails from outside in a child process, with limits on CPU time and memory.

Whatever a mail contains, it costs its reader at most SECONDS of CPU; the process that asked goes on.
"""

import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from math import ceil
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any, TypeVar

from server.games import GAMES

T = TypeVar("T")

SECONDS = 2  # of CPU for a mail; one of 400 KB takes a tenth
MEMORY = 512 * 1024 * 1024  # bytes beyond what the modules take
PATIENCE = 120  # seconds until a child that gives no sign, such as a stopped one, is replaced
_TRIES = 3  # children for a mail, if they die of something else


class TooMuch(Exception):
    """A mail that takes too much time or memory to read."""


class ChildDied(Exception):
    """The child died for a reason of its own, several times. Passes."""


class Child:
    """A child process that runs one function at a time. It is started at the first call, and again after a death."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._line: Connection | None = None

    def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Return what a function of a module returns. Raises what it raises, TooMuch and ChildDied."""
        request = pickle.dumps((function, arguments))
        with self._lock:
            for _ in range(_TRIES):
                try:
                    line = self._opened()
                    line.send_bytes(request)
                    if not line.poll(PATIENCE):
                        raise EOFError
                    done, result = pickle.loads(line.recv_bytes())  # from our own child
                except (EOFError, OSError):
                    if self._end() == -signal.SIGXCPU:
                        raise TooMuch(f"It takes more than {SECONDS} seconds of CPU to read this mail.") from None
                    continue
                if done:
                    return result  # type: ignore[no-any-return]
                if isinstance(result, MemoryError | RecursionError):
                    self._end()
                    raise TooMuch("It takes too much memory to read this mail.")
                raise result
        raise ChildDied("The process that reads mails died.")

    def _opened(self) -> Connection:
        if self._line is None or self._process is None or self._process.poll() is not None:
            self._end()
            self._line, others = Pipe()
            command = (sys.executable, "-m", "server.post.incoming.child", str(others.fileno()))
            self._process = subprocess.Popen(command, pass_fds=[others.fileno()], stdin=subprocess.DEVNULL)
            others.close()
        return self._line

    def _end(self) -> int | None:
        """End the child, and return its exit status, negative for a signal."""
        line, process = self._line, self._process
        self._line = self._process = None
        if line is None or process is None:
            return None
        line.close()
        try:
            return process.wait(1)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return None


def serve(line: Connection) -> None:
    """Run what is asked for until the other end is closed."""
    list(GAMES)  # imports what no mail shall pay for
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    is_limited = False
    while True:
        try:
            request = line.recv_bytes()
        except (EOFError, OSError):
            return
        function, arguments = pickle.loads(request)  # imports the modules, which is no work of the mail's
        if not is_limited:
            _limit_memory()
            is_limited = True
        used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        resource.setrlimit(resource.RLIMIT_CPU, (ceil(used) + SECONDS, resource.RLIM_INFINITY))
        try:
            answer = pickle.dumps((True, function(*arguments)))
        except Exception as error:  # noqa: BLE001  the parent raises it
            answer = pickle.dumps((False, error))
        line.send_bytes(answer)


def _limit_memory() -> None:
    if sys.platform == "linux":  # macOS does not heed this limit
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * os.sysconf("SC_PAGE_SIZE") + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


child = Child()


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
