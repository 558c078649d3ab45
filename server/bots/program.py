"""Programs as bots, in any language. Server and program exchange messages as JSON Lines on stdin and stdout (version 1,
`/docs/bot`)."""

import json
import shlex
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Any, Self

from server.games import Json

VERSION = 1
LONGEST = 1_000_000  # characters per line
TRIES = 3  # attempts per turn; after that, the program has failed
FAREWELL = 5  # seconds for the program to exit on its own


class ProgramError(Exception):
    """A fault in the program that plays. The text describes the fault in one sentence."""


class Refused(Exception):
    """A move that can't be played. The program may choose another."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code, self.detail = code, detail


class Program:
    """A running program. `patience` is the time limit per answer in seconds. The program writes to our stderr."""

    def __init__(self, command: Sequence[str], patience: float) -> None:
        self._name, self._patience = shlex.join(command), patience
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", errors="replace"
            )
        except OSError as error:
            raise ProgramError(f"{self._name} cannot be started: {error.strerror}.") from None
        self._lines = SimpleQueue[str]()
        Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def greet(self) -> None:
        with suppress(ProgramError):  # a program may answer and exit before it reads this
            self.tell({"type": "hello", "version": VERSION})
        version = self._hear("hello").get("version")
        if version != VERSION:
            raise ProgramError(f"{self._name} speaks version {json.dumps(version)} of the protocol, not {VERSION}.")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def tell(self, message: Json) -> None:
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(message, ensure_ascii=False, separators=(",", ":")) + "\n")
            self._process.stdin.flush()
        except OSError:
            raise ProgramError(self._ended()) from None

    def play(self, table: Json, moves: Sequence[Json], played: Callable[[Any], None]) -> None:
        """Let the program choose a move, and pass the move to `played`. If the move is refused, let the program choose
        again. `table` has `game`, `rules`, `seat`, `turn` and `view`."""
        about = {"game": table["game"], "turn": table["turn"]}
        self.tell({"type": "view", **table})
        self.tell({"type": "legal", **about, "moves": moves})
        for _ in range(TRIES):
            answer = self._hear("move")
            try:
                if {name: answer.get(name) for name in about} != about:
                    raise Refused("not-asked", f"The requested move is for {json.dumps(about)}.")
                return played(answer.get("move"))
            except Refused as refused:
                self.tell({"type": "refused", **about, "code": refused.code, "detail": refused.detail})
                detail = refused.detail
        raise ProgramError(f"{self._name} sent {TRIES} moves that can't be played: {detail}")

    def _hear(self, kind: str) -> Json:
        """Return the program's next line, which must be of this type."""
        try:
            line = self._lines.get(timeout=self._patience)
        except Empty:
            raise ProgramError(f"{self._name} did not answer in {self._patience:g} seconds.") from None
        if not line:
            raise ProgramError(self._ended())
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict) or message.get("type") != kind:
            raise ProgramError(f'{self._name} wrote {line[:200].strip()!r} instead of a line of the type "{kind}".')
        return message

    def _read(self) -> None:
        assert self._process.stdout
        while line := self._process.stdout.readline(LONGEST):
            self._lines.put(line)
        self._lines.put("")

    def _ended(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        return f"{self._name} exited unexpectedly with status {self._process.poll()}."
