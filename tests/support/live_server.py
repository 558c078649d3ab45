"""A live server for tests: Postgres, web and workers as real processes, and an SMTP listener."""

import asyncio
import atexit
import base64
import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

import httpx
import psycopg
from aiosmtpd.controller import Controller
from psycopg.rows import dict_row

from server.store import embedded_postgres, migrate

Json = dict[str, Any]
T = TypeVar("T")

CHECKOUT = Path(__file__).parents[2]
PATIENCE = 120.0  # seconds to wait for a state
PLAYED = 600.0  # seconds for a program that plays whole games or generates a client
TAKEN_UP = 30.0  # seconds until another worker sends a letter that a killed one had leased
PAUSE = 0.05  # seconds between two checks
METRICS_TOKEN = "a-token-for-prometheus"
MAIL_IN_SECRET = "a-secret-of-mail-providers"
FOR_METRICS = {"Authorization": f"Bearer {METRICS_TOKEN}"}
RETRY_AFTER = 0.25  # seconds until a program retries


def until(holds: Callable[[], T], patience: float = PATIENCE) -> T:
    """Return the first true answer. Fail if none comes in time."""
    deadline = time.monotonic() + patience
    while not (answer := holds()):
        assert time.monotonic() < deadline, f"Not true within {patience:.0f} seconds."
        time.sleep(PAUSE)
    return answer


def free_port(port: int = 0) -> int:
    """Return a free port of 127.0.0.1, or this one.

    TIME_WAIT on the closing side keeps the port from other processes for half a minute. Only our servers, which
    name the port, may listen there.
    """
    with socket.create_server(("127.0.0.1", port)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as guest:
            server.accept()[0].close()
            assert guest.recv(1) == b""
        return port


# Mail


class Text(str):
    """The text of a letter, in which a sentence is found even if it is wrapped."""

    __slots__ = ()

    def __contains__(self, words: object) -> bool:
        assert isinstance(words, str)
        return super().__contains__(words) or ("\n" not in words and words in re.sub("\n *", " ", self))


class Mail(NamedTuple):
    """A letter as it arrived; `to` is the envelope address."""

    to: str
    message: EmailMessage

    @property
    def message_id(self) -> str:
        return str(self.message["Message-ID"])

    @property
    def letter_id(self) -> UUID:
        """Return the id of the outbox row."""
        return UUID(self.message_id.strip("<>").partition("@")[0])

    @property
    def text(self) -> Text:
        body = self.message.get_body(("plain",))
        assert body is not None
        return Text(body.get_content().replace("\r\n", "\n"))

    def word(self, page: str) -> str | None:
        link = re.search(rf"https?://\S+/{page}/([a-z0-9]+)", self.text)
        return link and link[1]


class Turn(NamedTuple):
    game_id: UUID
    seat: int
    number: int

    @classmethod
    def of(cls, word: str) -> "Turn":
        raw = base64.b32decode(word.upper() + "=" * (-len(word) % 8))
        return cls(UUID(bytes=raw[:16]), raw[16], int.from_bytes(raw[17:21], "big"))


class Held:
    def __init__(self, loop: asyncio.AbstractEventLoop, at: str) -> None:
        self.at = at
        self.knocked = threading.Event()  # a sender waits
        self._loop = loop
        self._open = asyncio.Event()

    async def wait(self) -> None:
        self.knocked.set()
        await self._open.wait()

    def open(self) -> None:
        self._loop.call_soon_threadsafe(self._open.set)


class MailServer:
    """An SMTP listener with a mailbox for every address, by default on the loopback."""

    def __init__(self, host: str) -> None:
        self.letters: list[Mail] = []
        self._held: dict[str, Held] = {}
        self._controller = Controller(self, hostname=host, port=free_port())
        self._controller.start()
        self.url = f"smtp://{host}:{self._controller.port}"

    def stop(self) -> None:
        self._controller.stop()

    def hold(self, address: str, at: str = "RCPT") -> Held:
        """Block answers about this mailbox: at RCPT whether it exists, at DATA whether it accepts a letter."""
        held = self._held[address] = Held(self._controller.loop, at)
        return held

    def release(self, address: str) -> None:
        """Accept letters again, also from waiting senders."""
        self._held.pop(address).open()

    def of(self, address: str) -> list[Mail]:
        return [mail for mail in self.letters if mail.to == address]

    # Callbacks of aiosmtpd, in a thread of their own

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: list[str]) -> str:
        await self._wait("RCPT", address)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def _wait(self, at: str, address: str) -> None:
        held = self._held.get(address)
        if held is not None and held.at == at:
            await held.wait()

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        for address in envelope.rcpt_tos:
            await self._wait("DATA", address)
        message = BytesParser(policy=policy.default).parsebytes(envelope.content)
        assert isinstance(message, EmailMessage)
        self.letters += [Mail(address, message) for address in envelope.rcpt_tos]
        return "250 OK"


# The web alone


@contextlib.contextmanager
def gunicorn(config: str, database_url: str, scheme: str = "http") -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """Run a web server with our settings plus `config`, yield its port and process, and expect a clean exit."""
    path = Path(tempfile.mkdtemp(prefix="sternenpost-"))
    (path / "settings.py").write_text(f"from server.web.server import *\n{config}")
    (path / "metrics").mkdir()
    port = free_port()
    environment = {
        **os.environ,
        "DATABASE_URL": database_url,
        "STERNENPOST_PORT": str(port),
        "PROMETHEUS_MULTIPROC_DIR": str(path / "metrics"),
    }
    with open(path / "said.log", "wb") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "gunicorn", "--config", str(path / "settings.py"), "wsgi:app"],
            cwd=CHECKOUT,
            env=environment,
            stderr=said,
            preexec_fn=embedded_postgres.ends_with_parent(signal.SIGKILL),  # noqa: PLW1509  it takes no lock
        )
    try:
        until(lambda: is_up(port, scheme))
        yield port, process
        process.terminate()
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.wait()
        print((path / "said.log").read_text())
        shutil.rmtree(path)


def is_up(port: int, scheme: str = "http", host: str = "127.0.0.1") -> bool:
    with contextlib.suppress(httpx.TransportError):
        return httpx.get(f"{scheme}://{host}:{port}/healthz", timeout=PATIENCE, verify=False).is_success
    return False


# The server


@cache
def cluster_with_tables() -> Path:
    """Return a Postgres data directory with migrated tables. Copying it takes a tenth of the time of creating one."""
    path = Path(tempfile.mkdtemp(prefix="sternenpost-"))
    atexit.register(shutil.rmtree, path)
    path.chmod(0o755)
    with embedded_postgres.start(path) as server:
        migrate.upgrade(server.url)
    return path / "postgres"


@contextlib.contextmanager
def new_house(**settings: str) -> Iterator["House"]:
    """Yield a server with Postgres and mail, without web and workers. Under root, Postgres runs as `nobody`, so
    tmp_path will not do."""
    path = Path(tempfile.mkdtemp(prefix="sternenpost-"))
    path.chmod(0o755)
    house = House(path, settings)
    try:
        yield house
    finally:
        house.close()
        print(house.output())
        shutil.rmtree(path)


class House:
    """Postgres, web and workers over one data directory. Call it from the main thread."""

    _postgres: embedded_postgres.Server

    def __init__(self, data: Path, settings: dict[str, str], host: str = "127.0.0.1") -> None:
        self._data = data
        self._start_postgres()
        (data / "said.log").touch()
        self.post = MailServer(host)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.mail_in = free_port()
        unset = {"DATABASE_URL", "SMTP_URL", "GUNICORN_CMD_ARGS"}
        self._environment = {
            **{name: value for name, value in os.environ.items() if name not in unset},
            "DATABASE_URL": self._postgres.url,
            "SMTP_URL": self.post.url,
            "STERNENPOST_PORT": str(self.port),
            "STERNENPOST_BASE_URL": self.url,
            "STERNENPOST_MAIL_IN": f"127.0.0.1:{self.mail_in}",
            "STERNENPOST_SANDBOX": "1",
            "STERNENPOST_METRICS_TOKEN": METRICS_TOKEN,
            "STERNENPOST_THINKERS": "0",  # few tests need them, and each takes memory
            **settings,
        }
        self._processes: list[subprocess.Popen[bytes]] = []

    def _start_postgres(self) -> None:
        subprocess.run(["cp", "-a", cluster_with_tables(), self._data], check=True)
        self._postgres = embedded_postgres.start(self._data)

    def close(self) -> None:
        for process in self._processes:
            if process.poll() is None:
                self.kill(process)
        self.post.stop()
        self._postgres.stop()

    def _start(
        self, command: str, before: str = "", checkout: Path = CHECKOUT, within: Sequence[str] = (), **settings: str
    ) -> subprocess.Popen[bytes]:
        """Start a process. `before` is code that it runs first; `within` is a command that wraps it."""
        with open(self._data / "said.log", "ab") as output:
            process = subprocess.Popen(
                [*within, sys.executable, "-c", f"{before}\nfrom server.cli import main\nmain()", command],
                cwd=checkout,
                env=self._environment | settings,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                preexec_fn=embedded_postgres.ends_with_parent(signal.SIGKILL),  # noqa: PLW1509  it takes no lock
            )
        self._processes.append(process)
        return process

    @property
    def postgres_pid(self) -> int:
        return self._postgres.pid

    def output(self) -> str:
        return (self._data / "said.log").read_text()

    def start_web(
        self, host: str = "127.0.0.1", checkout: Path = CHECKOUT, within: Sequence[str] = (), **settings: str
    ) -> None:
        """Start gunicorn and wait until it answers."""
        self.url = f"http://{host}:{self.port}"
        self.web = self._start("web", checkout=checkout, within=within, **settings)
        until(lambda: is_up(self.port, host=host))

    def restart_web(self, checkout: Path = CHECKOUT) -> None:
        """Replace the web with that of this checkout."""
        self.web.terminate()
        self.web.wait(PATIENCE)
        self.web = self._start("web", checkout=checkout)
        until(lambda: is_up(self.port))

    def start_another_web(self, checkout: Path = CHECKOUT, **settings: str) -> str:
        port = free_port()
        self._start("web", checkout=checkout, STERNENPOST_PORT=str(port), **settings)
        until(lambda: is_up(port))
        return f"http://127.0.0.1:{port}"

    def start_worker(self, checkout: Path = CHECKOUT, before: str = "", **settings: str) -> subprocess.Popen[bytes]:
        return self._start("worker", before, checkout, **settings)

    def run(self, command: str, checkout: Path = CHECKOUT) -> int:
        return self._start(command, checkout=checkout).wait(PATIENCE)

    def start_post(self, beat: int) -> subprocess.Popen[bytes]:
        """Start a post process that polls at this interval and on notifications."""
        return self._start("post", f"from server import worker\nworker._HINTED_BEAT = {beat}")

    def kill_workers(self) -> None:
        for process in self._processes:
            if "worker" in process.args and process.poll() is None:
                self.kill(process)

    def is_mail_refused(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.mail_in)) != 0

    @staticmethod
    def kill(process: subprocess.Popen[bytes]) -> None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def crash_postgres(self) -> None:
        """Kill the postmaster with SIGKILL and start a new one over the same data."""
        with self.without_postgres(signal.SIGKILL):
            pass

    @contextlib.contextmanager
    def without_postgres(self, how: signal.Signals) -> Iterator[None]:
        """Stop Postgres with this signal (SIGINT is its fast shutdown) and start a new one at the end."""
        os.kill(self._postgres.pid, how)
        self._postgres.stop()
        try:
            yield
        finally:
            self._postgres = embedded_postgres.start(self._data)

    def empty(self) -> None:
        """Delete all players, games and letters. The clock stays as it is."""
        with psycopg.connect(self._postgres.url, autocommit=True) as connection:
            connection.execute("SET session_replication_role = replica")  # else the log refuses
            found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
            names = {name for [name] in found} - {"alembic_version", "settings", "heartbeats"}
            until(lambda: _is_done(connection, f"TRUNCATE {', '.join(sorted(names))}"))
        self.post.letters.clear()

    # Looking

    @property
    def database_url(self) -> str:
        return self._postgres.url

    def rows(self, query: str, *values: Any) -> list[Json]:
        with psycopg.connect(self._postgres.url, row_factory=dict_row) as connection:
            return connection.execute(query, values).fetchall()

    def count(self, what: str, *values: Any) -> int:
        return int(self.rows(f"SELECT count(*) FROM {what}", *values)[0]["count"])

    @contextlib.contextmanager
    def locked(self, query: str, *values: Any) -> Iterator[None]:
        connection = psycopg.connect(self._postgres.url)
        try:
            assert connection.execute(f"{query} FOR UPDATE", values).fetchall()
            yield
        finally:
            connection.close()

    def await_waiters(self, number: int = 1) -> None:
        """Wait until this many connections wait for a lock."""
        until(lambda: self.count("pg_stat_activity WHERE wait_event_type = 'Lock'") >= number)

    def end_waiters(self) -> None:
        assert self.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")

    def await_letters(self, besides: str = "") -> None:
        """Wait until every letter has been sent, except those to the address `besides`, and except chat, which waits for
        the next letter."""
        waiting = "outbox LEFT JOIN players USING (player_id) WHERE email IS DISTINCT FROM %s AND kind <> 'message'"
        until(lambda: not self.count(waiting, besides) and not self.count("player_outbox"))

    def await_mail(self, address: str, holds: Callable[[Mail], Any] = lambda mail: True) -> Mail:
        return until(lambda: next(filter(holds, self.post.of(address)), None))

    # The clock

    def forward(self, by: timedelta) -> datetime:
        seconds = max(1, round(by.total_seconds()))
        answer = Client(self).post("/sandbox/clock", {"forward": f"PT{seconds}S"}, status=200)
        return datetime.fromisoformat(answer["now"])

    def forward_to(self, moment: datetime) -> datetime:
        now = self.forward(timedelta(seconds=1))
        return now if now > moment else self.forward(moment - now + timedelta(seconds=1))


def _is_done(connection: psycopg.Connection[Any], statement: str) -> bool:
    """Return False if the statement gave way to a running commit."""
    with contextlib.suppress(psycopg.errors.DeadlockDetected):
        connection.execute(statement)
        return True
    return False


# Players


class Client:
    """A player's program. It retries until it gets an answer, since the server may be down for a moment."""

    def __init__(self, house: House, token: str | None = None) -> None:
        self.token = token
        # Loading certificates, which loopback connections do not need, takes longer than most requests.
        self.url = house.url
        self._http = httpx.Client(base_url=self.url, timeout=PATIENCE, verify=False)
        self.retries = 0
        if token:
            self._http.headers["Authorization"] = f"Bearer {token}"

    def ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Return the first answer other than 503."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                answer = self._http.request(method, path, **more)
                if answer.status_code != 503:
                    return answer
            except httpx.TransportError:
                pass
            assert time.monotonic() < deadline, f"{method} {path} gets no answer."
            self.retries += 1
            time.sleep(RETRY_AFTER)

    def get(self, path: str) -> Any:
        answer = self.ask("GET", path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Json, status: int = 201) -> Any:
        answer = self.ask("POST", path, json=body)
        assert answer.status_code == status, answer.text
        return answer.json()


AT_ONCE: Json = {"mails": {"your-turn": "at-once"}}


def sign_in(house: House, email: str) -> Client:
    """Sign in by the mailed code, and choose immediate turn notices."""
    client = Client(house)
    known = len(codes(house, email))
    asked = client.post("/v1/sign-ins", {"email": email}, status=202)
    until(lambda: len(codes(house, email)) > known)
    token = client.post("/v1/tokens", {"sign_in": asked["sign_in"], "code": codes(house, email)[-1]})["token"]
    client = Client(house, token)
    client.ask("PATCH", "/v1/me", json={"name": email.partition("@")[0], "notifications": AT_ONCE})
    return client


def codes(house: House, email: str) -> list[str]:
    """Return the codes to sign in that were emailed to this address, oldest first."""
    return [code[0] for mail in house.post.of(email) if (code := re.search(r"^[0-9]{6}\b", mail.message["Subject"]))]
