"""Real processes stop in time and recover when one of them, or Postgres, goes away."""

import signal
import socket
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import psutil
import pytest

from tests.support.games import ME, wanted
from tests.support.live_server import PATIENCE, Client, House, Json, sign_in, until
from tests.support.running_house import lines_since, metrics, starts_to_work, stops, working

# Otherwise a statement times out, and the worker could have waited for it.
WITHOUT_TIMEOUTS = """
from server.store import connections
connections.engine_options.__defaults__ = (0,)  # statement_timeout_ms
connections._NO_ANSWER = 3600.0
"""
HTML, PROBLEM = "text/html; charset=utf-8", "application/problem+json"

# Start and stop


def carrier_of(worker: subprocess.Popen[bytes]) -> psutil.Process:
    """Return the process that sends the worker's letters."""
    until(lambda: psutil.Process(worker.pid).children())
    return psutil.Process(worker.pid).children()[0]


def carries(worker: subprocess.Popen[bytes]) -> bool:
    """Return whether the post has started, which takes long on a busy machine."""
    return carrier_of(worker).nice() > psutil.Process(worker.pid).nice()


def test_emails_are_composed_and_sent_by_a_low_priority_process(house: House) -> None:
    with working(house) as worker:
        until(lambda: carries(worker))


def test_a_worker_whose_emails_are_stuck_exits_so_that_it_is_restarted(house: House) -> None:
    worker = starts_to_work(house)
    carrier_of(worker).kill()
    assert worker.wait(PATIENCE) == 1


def test_the_sender_process_of_a_killed_worker_also_stops(house: House) -> None:
    worker = starts_to_work(house)
    carrier = carrier_of(worker)
    until(lambda: carries(worker))
    worker.kill()
    assert carrier.wait(PATIENCE) in (0, None)


def failures_since(house: House, said: int) -> list[Json]:
    return [line for line in lines_since(house, said) if line["level"] not in ("info", "warning")]


# Without its database


NEED_IT = ["/v1/me", "/v1/games", "/v1/games?mine=true", "{game}", "{game}/events", "{game}/legal-moves", "/t/{word}"]
NEED_IT_NOT = [
    "/healthz",
    "/docs",
    "/static/plain.css",
    "/openapi.json",
    "/v1/rules/sternenhimmel",
    "/problems/not-found",
]


class Player:
    """A player on turn who sends each request once and checks the answer."""

    def __init__(self, house: House, name: str) -> None:
        self._house = house
        self._email = f"{name}@example.org"
        self._client = sign_in(house, self._email)
        bots = [{"bot": "greedy"}, {"bot": "greedy"}]
        self._game = f"/v1/games/{self._client.post('/v1/games', wanted(ME, *bots))['id']}"
        self._word = house.await_mail(self._email, lambda mail: mail.word("t")).word("t")
        self._move = {"turn": 1, "move": self._client.get(f"{self._game}/legal-moves")["moves"][0]}

    def looks(self) -> list[httpx.Response]:
        return [self.asks("GET", path.format(game=self._game, word=self._word)) for path in NEED_IT]

    def moves(self) -> httpx.Response:
        return self.asks("POST", f"{self._game}/moves", json=self._move)

    def asks(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Send a request over a new connection, which any web process may accept."""
        headers = {"Authorization": f"Bearer {self._client.token}"}
        return httpx.request(method, self._house.url + path, headers=headers, timeout=PATIENCE, **more)

    def gets_mail(self) -> None:
        assert sign_in(self._house, self._email)


@pytest.fixture(scope="module")
def worker(house: House) -> subprocess.Popen[bytes]:
    return starts_to_work(house)


@pytest.mark.usefixtures("worker")
def test_every_call_reports_a_postgres_outage_and_works_again_immediately_afterwards(house: House) -> None:
    ada, said = Player(house, "ada"), len(house.output())
    with house.without_postgres(signal.SIGINT):
        for answer in [*ada.looks(), ada.moves()]:
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5"), answer.url
            is_page = answer.url.path.startswith("/t/")
            assert answer.headers["Content-Type"] == (HTML if is_page else PROBLEM)
            assert "The database is not responding." in answer.text
        assert all(ada.asks("GET", path).is_success for path in NEED_IT_NOT)
        ready = ada.asks("GET", "/readyz")
        assert ready.status_code == 503
        assert ready.json()["parts"]["database"].startswith("not running: ")
        assert metrics(house)["sternenpost_database_up"].samples[0].value == 0
        until(lambda: {"sweep", "deliver"} <= set(beats_that("waits for the database", house, said)))
    assert [answer.status_code for answer in ada.looks() * 2] == [200] * 2 * len(NEED_IT)
    assert ada.moves().status_code == 201
    assert ada.moves().status_code == 200
    ada.gets_mail()
    assert_quiet(house, said)


@pytest.mark.usefixtures("worker")
def test_an_unnoticed_postgres_crash_does_not_fail_the_next_request(house: House) -> None:
    ben = Player(house, "ben")
    assert [answer.status_code for answer in ben.looks() * 2] == [200] * 2 * len(NEED_IT)  # connections are pooled
    said = len(house.output())
    house.crash_postgres()
    assert [answer.status_code for answer in ben.looks() * 2] == [200] * 2 * len(NEED_IT)
    assert ben.moves().status_code == 201
    ben.gets_mail()
    assert_quiet(house, said)


def beats_that(did: str, house: House, said: int) -> list[str]:
    told = [line["message"] for line in lines_since(house, said) if line["logger"] == "server.jobs"]
    return [message.split()[2] for message in told if message.endswith(did)]


def assert_quiet(house: House, said: int) -> None:
    """Check that an outage is logged once per heartbeat, without a traceback."""
    once = (
        *("outages", "deliver", "replies", "webhooks", "open", "held", "uses"),
        *("stand-ins", "track", "changes", "returned", "post", "expired"),
    )
    beats = Counter([*once, *("sweep", "heartbeat", "look") * 2])
    for did in ("waits for the database", "has its database again"):
        assert not Counter(beats_that(did, house, said)) - beats
    assert not failures_since(house, said)


# Stopping


@pytest.mark.usefixtures("worker")
def test_a_web_process_responds_to_requests_in_progress_before_it_stops(house: House) -> None:
    stops(house.web)
    house.start_web(GUNICORN_CMD_ARGS="--graceful-timeout 3600")  # longer than this test waits
    cleo, said = Player(house, "cleo"), len(house.output())
    with ThreadPoolExecutor() as threads:
        with house.locked("SELECT 1 FROM games"):
            moving = threads.submit(cleo.moves)
            house.await_waiters()
            house.web.terminate()
        assert moving.result().status_code == 201
        assert house.web.wait(PATIENCE) == 0
    assert not failures_since(house, said)
    house.start_web()
    assert cleo.moves().status_code == 200


def test_a_web_process_stops_while_a_request_is_still_incomplete(house: House) -> None:
    said = len(house.output())
    with socket.create_connection(("127.0.0.1", house.port)) as dawdler:
        dawdler.sendall(b"POST /v1/sign-ins HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
        stops(house.web)
    assert not failures_since(house, said)
    house.start_web()


def test_a_worker_stops_in_time_despite_a_hanging_mail_server_and_the_email_is_sent_later(
    house: House, worker: subprocess.Popen[bytes]
) -> None:
    """The SMTP client would wait five minutes for the answer to RCPT, longer than this test."""
    said, slow = len(house.output()), "slow@example.org"
    held = house.post.hold(slow)
    Client(house).post("/v1/sign-ins", {"email": slow}, status=202)
    assert held.knocked.wait(PATIENCE)
    stops(worker)
    assert not failures_since(house, said)
    house.post.release(slow)
    assert house.count("player_outbox WHERE leased_until IS NOT NULL") == 1
    with working(house):
        house.await_mail(slow)


def test_a_worker_stops_in_time_while_a_job_waits_for_a_lock(house: House) -> None:
    worker = starts_to_work(house, before=WITHOUT_TIMEOUTS)
    with house.locked("SELECT 1 FROM heartbeats WHERE part = 'worker'"):
        house.await_waiters()
        stops(worker)
