"""The two commands with real processes: start, stop and restart."""

import contextlib
import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from http.client import HTTPConnection
from http.server import HTTPServer
from pathlib import Path

import psutil
import psycopg
import pytest

from server import up
from server.store import embedded_postgres
from server.store.tables import APP_ROLE
from tests.support.live_server import PATIENCE, free_port, until
from tests.support.web_servers import Quiet

CHECKOUT = Path(__file__).parents[2]
READY = "Press Ctrl-C to stop."


class House:
    """A running `up` over one data directory and port, which can be started more than once."""

    def __init__(self, data, port):
        self.data, self.port = data, port
        self.environment = {
            **{name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "SMTP_URL")},
            "STERNENPOST_DATA": str(data),
            "STERNENPOST_PORT": str(port),
        }

    def start(self, **more):
        command = [sys.executable, "-m", "server.up"]
        environment = {**self.environment, **more}
        pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        self.process = psutil.Popen(command, cwd=CHECKOUT, env=environment, **pipe)
        return self

    def comes_up(self):
        """Reads what it says until it is ready or gives up."""
        said = []
        for line in self.process.stdout:
            said.append(line)
            if READY in line:
                return "".join(said)
        raise AssertionError("".join(said))

    def is_healthy(self):
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.closing(connection), contextlib.suppress(OSError):
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200
        return False

    @contextlib.contextmanager
    def asked(self, method, path, body=None):
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
            yield connection.getresponse()

    def page(self, path):
        with self.asked("GET", path) as answer:
            return answer.read().decode()

    def parts(self):
        """Its processes by what they are: Postgres, web (gunicorn's master) and worker."""
        found = {}
        for child in alive(self.process.children()):
            words = " ".join(child.cmdline())
            found["Postgres" if "bin/postgres" in words else "web" if "gunicorn" in words else "worker"] = child
        return found

    def refusal(self, **more):
        """What it says when it cannot start; one sentence on a line of its own."""
        said, _ = self.start(**more).process.communicate()
        assert self.process.returncode == 1
        return said.splitlines()[-1]


def free_ports():
    """A free port for the web. That for replies, 25 above it, is free, too."""
    while True:
        with contextlib.suppress(OSError, OverflowError):
            return free_port(free_port() + 25) - 25


@pytest.fixture
def new_house(open_directory):
    with stopped_at_last(House(open_directory / "data", free_ports())) as house:
        yield house


@pytest.fixture(scope="module")
def furnished():
    """The data of a house that came up before: to make its sandbox takes longer than what most tests are about."""
    directory = Path(tempfile.mkdtemp(prefix="sternenpost-"))
    directory.chmod(0o755)
    with stopped_at_last(House(directory / "data", free_ports())) as house:
        house.start().comes_up()
    yield house.data
    shutil.rmtree(directory)


@pytest.fixture
def house(furnished):
    with stopped_at_last(House(furnished, free_ports())) as house:
        yield house


@contextlib.contextmanager
def stopped_at_last(house):
    yield house
    if house.process.poll() is None:
        house.process.terminate()
        house.process.communicate()
    house.process.stdout.close()


def alive(processes):
    """Those that run; who is dead but not yet buried does not."""
    found = []
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            if process.status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD):
                found.append(process)
    return found


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_up_starts_everything_and_a_signal_stops_it(house, how):
    house.start().comes_up()
    assert house.is_healthy()
    everybody = house.process.children(recursive=True)
    house.process.send_signal(how)
    said, _ = house.process.communicate()
    assert house.process.returncode == 0, said
    assert not alive(everybody)
    assert said == "Stopping.\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root could serve as root")
def test_root_can_start_everything_and_requests_are_served_by_an_ordinary_user(new_house):
    (new_house.data / "mail" / "new").mkdir(parents=True)  # as root left it after serving directly
    (new_house.data / "mail" / "cur").mkdir()
    old = "From: a@example.org\nTo: b@example.org\nDate: Mon, 23 Nov 2026 10:00:00 +0000\nSubject: of old\n\n."
    (new_house.data / "mail" / "new" / "1.old").write_text(old)
    new_house.start(STERNENPOST_DKIM_KEY="").comes_up()
    served = [process for process in alive(new_house.process.children(recursive=True)) if process != new_house.process]
    assert {process.username() for process in served} == {"nobody"}
    assert len(served) > 5  # Postgres, web and worker have several each
    body = json.dumps({"email": "ada@example.org"}).encode()
    with new_house.asked("POST", "/v1/sign-ins", body) as answer:
        assert answer.status == 202
    until(lambda: "ada@example.org" in new_house.page("/sandbox/mail"))
    assert "of old" in new_house.page("/sandbox/mail")
    with psycopg.connect(embedded_postgres.address(new_house.data)) as connection:
        others = "SELECT DISTINCT usename FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"
        assert connection.execute(others, [embedded_postgres.DATABASE]).fetchall() == [(APP_ROLE,)]


def test_ctrl_c_during_the_start_also_stops_everything(new_house):
    new_house.start()
    until(lambda: new_house.process.children())
    everybody = new_house.process.children(recursive=True)
    new_house.process.send_signal(signal.SIGINT)
    new_house.process.communicate()
    assert new_house.process.returncode == 0
    assert not alive(everybody)


def test_everything_restarts_immediately_after_a_kill_with_its_data(house):
    house.start().comes_up()
    with psycopg.connect(embedded_postgres.address(house.data)) as connection:
        connection.execute("CREATE TABLE stars AS SELECT 'leo' AS name")
    everybody = house.process.children(recursive=True)
    house.process.kill()
    house.process.communicate()
    house.start().comes_up()
    with psycopg.connect(embedded_postgres.address(house.data)) as connection:
        assert connection.execute("SELECT name FROM stars").fetchall() == [("leo",)]
    until(lambda: not alive(everybody))


def test_a_process_that_dies_is_restarted(house):
    house.start().comes_up()
    former = house.parts()
    assert set(former) == {"Postgres", "web", "worker"}
    for process in former.values():
        process.kill()
    until(lambda: set(house.parts()) == set(former) and not set(house.parts().values()) & set(former.values()))
    until(house.is_healthy)
    house.process.terminate()
    said, _ = house.process.communicate()
    assert house.process.returncode == 0
    for name in ("Postgres", "The web", "The worker"):
        assert f"{name} exited unexpectedly. It restarts" in said


def test_a_port_in_use_is_reported_in_one_sentence(house):
    with socket.create_server(("127.0.0.1", house.port)):
        assert house.refusal() == (
            f"Port {house.port} is in use. Stop the program that uses it, or set STERNENPOST_PORT to another port."
        )


def test_a_database_that_does_not_respond_is_reported_without_its_password(house):
    sentence = house.refusal(DATABASE_URL=f"postgresql://stars:secret@127.0.0.1:{house.port}/stars")
    assert f"The database postgresql://stars:***@127.0.0.1:{house.port}/stars does not answer" in sentence


def test_a_reply_port_in_use_is_reported_and_replies_are_off(house):
    with socket.create_server(("127.0.0.1", house.port + 25)):
        said = house.start().comes_up()
    assert f"Replies by email are off, since port {house.port + 25} is in use" in said
    assert "Accepting replies" not in said
    assert "by email alone" not in said


def test_each_inbound_route_is_reported_with_its_state_and_without_its_password(house):
    taken, free = free_port(), free_port()
    with socket.create_server(("127.0.0.1", taken)):
        mailbox = "imaps://ada@example.org:se,s@me@127.0.0.1:1/INBOX"
        said = house.start(STERNENPOST_MAIL_IN=f"127.0.0.1:{taken},lmtp://127.0.0.1:{free},{mailbox}").comes_up()
    assert f"Can't accept replies by email at 127.0.0.1:{taken} (Address already in use)" in said
    assert f"Accepting replies by email at lmtp://127.0.0.1:{free}\n" in said
    assert "Accepting replies by email at imaps://ada@example.org:***@127.0.0.1:1/INBOX\n" in said
    assert "s@me" not in said and "se,s" not in said
    assert "Anyone can play by email alone: write to post@localhost\n" in said


def test_up_reports_the_post_desks_address_according_to_the_settings(house):
    said = house.start(STERNENPOST_REPLY_DOMAIN="reply.stars.example", STERNENPOST_DESK="desk").comes_up()
    assert "Anyone can play by email alone: write to desk@reply.stars.example\n" in said


class Starting(up.Part):
    """A web process that takes its time."""

    name = "The web"
    running = True

    def start(self):
        pass

    def is_running(self):
        return self.running


def test_up_waits_for_a_web_process_that_starts_slowly(monkeypatch):
    """Each look at the clock finds ten minutes gone."""
    minutes, said, port = itertools.count(0, 600), [], free_port()
    monkeypatch.setattr(up.time, "monotonic", lambda: next(minutes))
    with contextlib.ExitStack() as servers:

        def hears(text):
            said.append(text)
            if len(said) == 3:
                server = servers.enter_context(HTTPServer(("127.0.0.1", port), Healthy))
                threading.Thread(target=server.handle_request, daemon=True).start()

        monkeypatch.setattr(up, "say", hears)
        up._await_web(port, Starting(), [])
    assert said[0].startswith(f"Waiting for the web process to answer on port {port}")


def test_up_does_not_wait_for_a_web_process_that_exits_while_starting():
    web = Starting()
    web.running = False
    with pytest.raises(up.CannotStart, match="exited while starting"):
        up._await_web(free_port(), web, [])


class Healthy(Quiet):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()


def test_an_impossible_directory_is_reported_in_one_sentence(house, open_directory):
    (open_directory / "file").touch()
    data = open_directory / "file" / "data"
    assert house.refusal(STERNENPOST_DATA=str(data)).startswith(f"Postgres cannot store its data in {data} (")


def test_an_invalid_setting_is_reported_in_one_sentence(house):
    assert house.refusal(STERNENPOST_PORT="star") == "STERNENPOST_PORT must be a port between 1 and 65535, not star."


@pytest.mark.parametrize("words", [[], ["down"], ["up", "now"]])
def test_an_unknown_command_lists_the_two_that_exist(words):
    command = [sys.executable, "-m", "server", *words]
    told = subprocess.run(command, cwd=CHECKOUT, check=False, capture_output=True, text=True)
    assert told.returncode == 1
    assert "python3 -m server up" in told.stderr
    assert "python3 -m server test" in told.stderr
