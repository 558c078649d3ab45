"""A child process that parses emails and compares moves for hints, with limited CPU time and memory.

An email can use at most SECONDS of CPU time, and can't crash the parent process.
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
from typing import TypeVar, TypeVarTuple

from server.games import GAMES

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

SECONDS = 2  # of CPU time per email; an email of 400 KB takes a tenth of this
MEMORY = 512 * 1024 * 1024  # bytes, in addition to the loaded modules
PATIENCE = 120  # seconds until a child process that doesn't respond is replaced
_TRIES = 3  # child processes per email, if they die for other reasons


class TooMuch(Exception):
    """The error for an email that takes too much time or memory to parse."""


class ChildDied(Exception):
    """The child process has died several times, for reasons other than the email. A retry may succeed."""


class Child:
    """A child process that runs one function at a time. It is started at the first call, and again after it has
    died."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._line: Connection | None = None

    def run(self, function: Callable[[*Ts], T], *arguments: *Ts) -> T:
        """Call a function of a module in the child process, and return its result. Raise the errors of the function,
        TooMuch or ChildDied."""
        request = pickle.dumps((function, arguments))
        with self._lock:
            for _ in range(_TRIES):
                try:
                    line = self._opened()
                    line.send_bytes(request)
                    if not line.poll(PATIENCE):
                        raise EOFError
                    done, result = pickle.loads(line.recv_bytes())  # sent by our own child process
                except (EOFError, OSError):
                    if self._end() == -signal.SIGXCPU:
                        raise TooMuch(f"It takes more than {SECONDS} seconds of CPU to read this mail.") from None
                    continue
                if done:
                    return result  # type: ignore[no-any-return]  # what the called function returned
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
        """End the child process. Return its exit status, which is negative for a signal."""
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
    """Run the functions that are requested, until the other end closes the connection."""
    list(GAMES)  # imports the games before the time for the first email is measured
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    is_limited = False
    while True:
        try:
            request = line.recv_bytes()
        except (EOFError, OSError):
            return
        function, arguments = pickle.loads(request)  # imports modules, whose time must not count for the email
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
    if sys.platform == "linux":  # macOS ignores this limit
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * os.sysconf("SC_PAGE_SIZE") + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


child = Child()


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
