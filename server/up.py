"""`up` runs the whole server on one machine. It starts all parts in order, restarts parts that die, and stops all parts
in order."""

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
from urllib.parse import urlsplit

import psycopg

from server.config import CHECKOUT, BadSetting, Settings, mask_passwords
from server.store import embedded_postgres
from server.store.tables import APP_ROLE

_SOON = 10.0  # seconds for an earlier process to free its port, and for a database to respond
_WAITING = 10.0  # seconds between two messages while waiting
_STOPPING = 15.0  # seconds for a program to finish its work
_PAUSES = (1.0, 2.0, 5.0, 10.0, 30.0)  # seconds before the first, second, ... restart
_MAIL_IN = 25  # offset of the mail port from the web port
_SETTLED = 60.0  # seconds of running after which earlier failures no longer count


class CannotStart(Exception):
    """A reason why the server can't start. The text is one sentence for the operator."""


class Stopped(BaseException):
    """A stop requested by Ctrl-C or a signal. It isn't an Exception, so that no handler catches it by accident."""


class Part:
    """A part of the server. It runs until it is stopped, and is restarted if it dies."""

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

    def restart_if_dead(self) -> None:
        """Restart the part after a pause if it has died. The pause grows with each failure."""
        now = time.monotonic()
        if self.is_running():
            if now - self._started_at > _SETTLED:
                self._deaths = 0
        elif self._again_at is None:
            pause = _PAUSES[min(self._deaths, len(_PAUSES) - 1)]
            say(f"{self.name} exited unexpectedly. It restarts in {pause:.0f} s.")
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
    """The web server or the worker. It has its own session, so that Ctrl-C in the terminal reaches only `up`."""

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
            preexec_fn=embedded_postgres.ends_with_parent(signal.SIGTERM),  # noqa: PLW1509  this process has no threads
            **self._starter.common,
        )

    def is_running(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(_STOPPING)
        except subprocess.TimeoutExpired:
            say(f"{self.name} does not stop, so it is killed.")
        try:  # gunicorn's workers briefly outlive a master that was killed, and occupy its port
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()


def main() -> int:
    """Run until a signal arrives. Return the exit status."""
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
        say(f"Starting Postgres with its data in {settings.data}")
        add(Postgres(settings.data))
    else:
        say(f"Using the database {mask_passwords(settings.database_url)}")
        _await_database(settings.database_url)
    url = settings.database_url or embedded_postgres.address(settings.data, APP_ROLE)
    is_real = settings.database_url is not None and settings.smtp_url is not None
    defaults = {"STERNENPOST_SANDBOX": "off" if is_real else "on"}
    if "STERNENPOST_MAIL_IN" not in os.environ:
        defaults["STERNENPOST_MAIL_IN"] = _own_way_in(settings.port)
    environment = {**defaults, **os.environ, "DATABASE_URL": url, "STERNENPOST_DATA": str(settings.data)}
    starter = _starter(environment, settings.data)
    say("Updating the tables")
    owner = {"DATABASE_URL": settings.database_url or embedded_postgres.address(settings.data)}
    _migrate(starter._replace(common={**starter.common, "env": starter.common["env"] | owner}))
    say("Starting web and worker")
    ways_in = [(way, _trouble_with(way)) for way in Settings.from_environment(environment).mail_in or ()]
    add(Program("worker", starter))
    web = add(Program("web", starter))
    _await_web(settings.port, web, [part for part in parts if part is not web])
    say(f"Sternenpost answers at {settings.base_url}")
    for way, trouble in ways_in:
        say(_about_way_in(way, trouble))
    if desk := Settings.from_environment(environment).desk_address:
        say(f"Anyone can play by email alone: write to {desk}")
    sandbox = environment["STERNENPOST_SANDBOX"] in ("on", "1")
    if sandbox and subprocess.run(starter.command("sandbox"), check=False, **starter.common).returncode != 0:
        say("The sandbox games could not be created. See the error above.")
    say("Press Ctrl-C to stop.")
    while True:
        time.sleep(0.5)
        for part in parts:
            part.restart_if_dead()


def _await_free_port(port: int) -> None:
    trouble = _await_port(port)
    if trouble == errno.EADDRINUSE:
        raise CannotStart(
            f"Port {port} is in use. Stop the program that uses it, or set STERNENPOST_PORT to another port."
        )
    if trouble:
        raise CannotStart(f"Port {port} cannot be used: {os.strerror(trouble)}.")


def _await_port(port: int) -> int:
    """Wait briefly for a loopback port that an earlier process may still occupy. Return 0, or the number of the error
    if the port isn't free in time."""
    deadline = time.monotonic() + _SOON
    told = False
    while True:
        trouble = _trouble_with_port("127.0.0.1", port)
        if trouble != errno.EADDRINUSE or time.monotonic() > deadline:
            return trouble
        if not told:
            say(f"Port {port} is in use. Waiting a moment.")
            told = True
        time.sleep(0.1)


def _trouble_with_port(host: str, port: int, is_shared: bool = False) -> int:
    """Return 0 if it is possible to listen on the port, otherwise the number of the error. Workers can share a port
    with other workers."""
    try:
        family, kind, number, _, where = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, number) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, is_shared)
            probe.bind(where)
    except socket.gaierror:
        return errno.EADDRNOTAVAIL
    except OSError as error:
        return error.errno or errno.EINVAL
    return 0


def _own_way_in(web_port: int) -> str:
    """Return the default address for inbound mail, or "" if another program occupies its port.

    Two servers that shared a port would get each other's emails, so the port must be free.
    """
    port = web_port + _MAIL_IN if web_port + _MAIL_IN <= 65535 else web_port - _MAIL_IN
    if trouble := _await_port(port):
        reason = "is in use" if trouble == errno.EADDRINUSE else f"cannot be used ({os.strerror(trouble)})"
        say(f"Replies by email are off, since port {port} {reason}. Set STERNENPOST_MAIL_IN to another one.")
        return ""
    return f"127.0.0.1:{port}"


def _trouble_with(way_in: str) -> int:
    url = urlsplit(way_in)
    if url.scheme == "imaps":
        return 0
    return _trouble_with_port(url.hostname or "", url.port or 0, is_shared=True)


def _about_way_in(way_in: str, trouble: int) -> str:
    where = mask_passwords(way_in).removeprefix("smtp://")
    if not trouble:
        return f"Accepting replies by email at {where}"
    return f"Can't accept replies by email at {where} ({os.strerror(trouble)}). The worker retries every few seconds."


def _await_database(url: str) -> None:
    deadline = time.monotonic() + _SOON
    while True:
        try:
            psycopg.connect(url, connect_timeout=5).close()
            return
        except psycopg.Error as error:
            if time.monotonic() > deadline:
                reason = (str(error).splitlines() or ["no reason given"])[0]
                raise CannotStart(f"The database {mask_passwords(url)} does not answer: {reason}") from None
        time.sleep(0.3)


class _Starter(NamedTuple):
    """How the web server and the worker are started: a prefix for each command, and arguments for subprocess."""

    words: tuple[str, ...]
    common: dict[str, Any]

    def command(self, name: str) -> list[str]:
        return [*self.words, sys.executable, "-m", "server.cli", name]


def _starter(environment: dict[str, str], data: Path) -> _Starter:
    """Return how to start the web server and the worker. If `up` runs as root, they run as the user of Postgres, who
    has fewer rights."""
    user = embedded_postgres.ordinary_user()
    if not user:
        return _Starter((), {"env": environment})
    compileall.compile_dir(CHECKOUT / "server", quiet=2)  # that user can't write compiled files
    environment = {**environment, "HOME": "/", "TMPDIR": "/tmp"}  # that user may be unable to read root's directories
    for starter in (_Starter((), {"env": environment, **user}), _Starter(_reading(user), {"env": environment})):
        if _works(starter):
            _hand_over(data / "mail", user)
            return starter
    say(f"Running as root, since `nobody` can't read {CHECKOUT} or its Python. Move them, for example to /opt.")
    return _Starter((), {"env": environment})


def _reading(user: dict[str, Any]) -> tuple[str, ...]:
    """Return a prefix that switches to this user, but with the right to read all files, since the code may be in root's
    home."""
    right = "-all,+dac_read_search"
    return (
        *("setpriv", f"--reuid={user['user']}", f"--regid={user['group']}", "--clear-groups", "--no-new-privs"),
        *(f"--inh-caps={right}", f"--ambient-caps={right}", f"--bounding-set={right}"),
        *("--pdeathsig=TERM", "--"),  # changing the user resets the parent-death signal
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
    """Give the sandbox's mailbox to the user who runs the web server and the worker. Root may have created it
    earlier."""
    mailbox.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in (mailbox, *mailbox.rglob("*")):
        os.chown(path, user["user"], user["group"], follow_symlinks=False)


def _migrate(starter: _Starter) -> None:
    done = subprocess.run(starter.command("migrate"), check=False, capture_output=True, text=True, **starter.common)
    if done.returncode != 0:
        reason = ((done.stderr + done.stdout).strip().splitlines() or ["no reason given"])[-1]
        raise CannotStart(f"The tables could not be updated: {reason}")


def _await_web(port: int, web: Part, others: list[Part]) -> None:
    """Wait until the web server's port responds, for as long as the process is alive. On a busy machine, the start may
    take minutes."""
    begin = told = time.monotonic()
    while not _is_healthy(port):
        if not web.is_running():
            raise CannotStart("The web process exited while starting. See the error above.")
        for part in others:
            part.restart_if_dead()
        if (now := time.monotonic()) - told >= _WAITING:
            told = now
            say(f"Waiting for the web process to answer on port {port}, for {now - begin:.0f} s so far")
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
    _ignore_signals()  # a second Ctrl-C must not interrupt the shutdown
    raise Stopped


def _ignore_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
