"""`up`: the whole house on one machine. Starts its parts in order, starts again what dies, stops all in order."""

import compileall
import errno
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, NoReturn

import psycopg

from server.config import CHECKOUT, BadSetting, Settings, masked
from server.store import embedded_postgres
from server.store.tables import APP_ROLE

_SOON = 10.0  # seconds for a predecessor to leave its port, and for a database to answer
_STARTING = 60.0  # seconds for the web to answer
_STOPPING = 15.0  # seconds for a program to finish what it is doing
_PAUSES = (1.0, 2.0, 5.0, 10.0, 30.0)  # seconds before what died once, twice, ... is started again
_MAIL_IN = 25  # so far above the web's port replies are taken
_SETTLED = 60.0  # seconds after which earlier deaths are forgotten


class CannotStart(Exception):
    """The text is one sentence for the operator."""


class Stopped(BaseException):
    """Ctrl-C or a signal, wherever we are. Not an Exception, so that nobody catches it by accident."""


class Part:
    """Something that runs until it is stopped, and is started again if it dies."""

    name: str

    def __init__(self) -> None:
        self._deaths = 0
        self._again_at: float | None = None
        self._started_at = time.monotonic()
        self.start()

    def start(self) -> None:
        raise NotImplementedError

    def is_running(self) -> bool:
        raise NotImplementedError

    def stop(self) -> None:
        raise NotImplementedError

    def look_after(self) -> None:
        """Notices a death, and starts the part again after a pause that grows with each one."""
        now = time.monotonic()
        if self.is_running():
            if now - self._started_at > _SETTLED:
                self._deaths = 0
        elif self._again_at is None:
            pause = _PAUSES[min(self._deaths, len(_PAUSES) - 1)]
            say(f"{self.name} ended by itself; it is started again in {pause:.0f} s.")
            self._deaths += 1
            self._again_at = now + pause
        elif now >= self._again_at:
            self._again_at, self._started_at = None, now
            self.stop()
            try:
                self.start()
            except embedded_postgres.PostgresError as error:
                say(str(error))


class Postgres(Part):
    name = "Postgres"

    def __init__(self, data: Path) -> None:
        self._data = data
        super().__init__()

    def start(self) -> None:
        self._server = embedded_postgres.start(self._data)

    def is_running(self) -> bool:
        return self._server.is_running()

    def stop(self) -> None:
        self._server.stop()


class Program(Part):
    """The web or the worker. Its session is its own, so that Ctrl-C in the terminal reaches only us."""

    def __init__(self, command: str, starter: "_Starter") -> None:
        self.name = f"The {command}"
        self._command = command
        self._starter = starter
        super().__init__()

    def start(self) -> None:
        self._process = subprocess.Popen(
            self._starter.command(self._command),
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=embedded_postgres.ends_with_parent(signal.SIGTERM),  # noqa: PLW1509  there are no threads here
            **self._starter.common,
        )

    def is_running(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(_STOPPING)
        except subprocess.TimeoutExpired:
            say(f"{self.name} does not stop and is killed.")
        try:  # gunicorn's workers outlive a killed master for a moment, and hold its port
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()


def main() -> int:
    """Runs until it is told to stop; returns the exit status."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    house = ExitStack()
    try:
        _run(Settings.from_environment(), house)
    except Stopped:
        say("Stopping.")
        return 0
    except (BadSetting, CannotStart, embedded_postgres.PostgresError) as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        _ignore_signals()
        house.close()


def _run(settings: Settings, house: ExitStack) -> NoReturn:
    parts: list[Part] = []

    def add(part: Part) -> Part:
        house.callback(part.stop)
        parts.append(part)
        return part

    _await_free_port(settings.port)
    if settings.database_url is None:
        say(f"Starting Postgres, with its data in {settings.data}")
        add(Postgres(settings.data))
    else:
        say(f"Using the database {masked(settings.database_url)}")
        _await_database(settings.database_url)
    url = settings.database_url or embedded_postgres.address(settings.data, APP_ROLE)
    is_real = settings.database_url is not None and settings.smtp_url is not None
    defaults = {
        "STERNENPOST_SANDBOX": "off" if is_real else "on",
        "STERNENPOST_MAIL_IN": f"127.0.0.1:{min(settings.port + _MAIL_IN, 65535)}",
    }
    environment = {**defaults, **os.environ, "DATABASE_URL": url, "STERNENPOST_DATA": str(settings.data)}
    starter = _starter(environment, settings.data)
    say("Bringing the tables up to date")
    owner = {"DATABASE_URL": settings.database_url or embedded_postgres.address(settings.data)}
    _migrate(starter._replace(common={**starter.common, "env": starter.common["env"] | owner}))
    say("Starting web and worker")
    add(Program("worker", starter))
    _await_web(settings.port, add(Program("web", starter)))
    say(f"Sternenpost answers at {settings.base_url}")
    if mail_in := environment["STERNENPOST_MAIL_IN"]:
        say(f"Replies by mail come in at {', '.join(map(masked, mail_in.split(',')))}")
    sandbox = environment["STERNENPOST_SANDBOX"] in ("on", "1")
    if sandbox and subprocess.run(starter.command("sandbox"), check=False, **starter.common).returncode != 0:
        say("There is no sandbox game; the reason stands above.")
    say("Ctrl-C stops it.")
    while True:
        time.sleep(0.5)
        for part in parts:
            part.look_after()


def _await_free_port(port: int) -> None:
    deadline = time.monotonic() + _SOON
    told = False
    while True:
        try:
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(("127.0.0.1", port))
            return
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise CannotStart(f"Port {port} cannot be used: {error.strerror}.") from None
        if not told:
            say(f"Port {port} is taken; waiting a moment")
            told = True
        if time.monotonic() > deadline:
            raise CannotStart(f"Port {port} is taken: stop what uses it, or set STERNENPOST_PORT to another one.")
        time.sleep(0.1)


def _await_database(url: str) -> None:
    deadline = time.monotonic() + _SOON
    while True:
        try:
            psycopg.connect(url, connect_timeout=5).close()
            return
        except psycopg.Error as error:
            if time.monotonic() > deadline:
                reason = (str(error).splitlines() or ["no reason given"])[0]
                raise CannotStart(f"The database {masked(url)} does not answer: {reason}") from None
        time.sleep(0.3)


class _Starter(NamedTuple):
    """How our programs are started: the words before each command, and what subprocess needs."""

    words: tuple[str, ...]
    common: dict[str, Any]

    def command(self, name: str) -> list[str]:
        return [*self.words, sys.executable, "-m", "server.cli", name]


def _starter(environment: dict[str, str], data: Path) -> _Starter:
    """Web and worker are no root, who may do more than serve, but who runs Postgres."""
    user = embedded_postgres.ordinary_user()
    if not user:
        return _Starter((), {"env": environment})
    compileall.compile_dir(CHECKOUT / "server", quiet=2)  # they may not keep what they compile
    environment = {**environment, "HOME": "/", "TMPDIR": "/tmp"}  # root's may be closed
    for starter in (_Starter((), {"env": environment, **user}), _Starter(_reading(user), {"env": environment})):
        if _works(starter):
            _hand_over(data / "mail", user)
            return starter
    say(f"Root serves, since `nobody` may not read {CHECKOUT} or its Python: put them elsewhere, such as /opt.")
    return _Starter((), {"env": environment})


def _reading(user: dict[str, Any]) -> tuple[str, ...]:
    """How to become this user, who may also read, and no more than read, what is closed: root's home may have checkout or Python."""
    right = "-all,+dac_read_search"
    return (
        *("setpriv", f"--reuid={user['user']}", f"--regid={user['group']}", "--clear-groups", "--no-new-privs"),
        *(f"--inh-caps={right}", f"--ambient-caps={right}", f"--bounding-set={right}"),
        *("--pdeathsig=TERM", "--"),  # a change of user has made the kernel forget what we asked it for
    )


def _works(starter: _Starter) -> bool:
    question = [*starter.words, sys.executable, "-c", "import click, server.config"]
    try:
        return (
            subprocess.run(question, cwd=CHECKOUT, check=False, capture_output=True, **starter.common).returncode == 0
        )
    except OSError:
        return False


def _hand_over(mailbox: Path, user: dict[str, Any]) -> None:
    """The letters that a sandbox keeps, be it from when root served, belong to those who serve."""
    mailbox.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in (mailbox, *mailbox.rglob("*")):
        os.chown(path, user["user"], user["group"], follow_symlinks=False)


def _migrate(starter: _Starter) -> None:
    done = subprocess.run(starter.command("migrate"), check=False, capture_output=True, text=True, **starter.common)
    if done.returncode != 0:
        reason = ((done.stderr + done.stdout).strip().splitlines() or ["no reason given"])[-1]
        raise CannotStart(f"The tables cannot be brought up to date: {reason}")


def _await_web(port: int, web: Part) -> None:
    deadline = time.monotonic() + _STARTING
    while not _is_healthy(port):
        if not web.is_running():
            raise CannotStart("The web ended while starting; the reason stands above.")
        if time.monotonic() > deadline:
            raise CannotStart(f"The web does not answer on port {port}.")
        time.sleep(0.05)


def _is_healthy(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    _ignore_signals()  # once is enough: a second Ctrl-C shall not disturb the stopping
    raise Stopped


def _ignore_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
