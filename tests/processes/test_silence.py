"""Postgres says nothing for a while, as where its machine is stopped: who needs it is refused soon, everybody else is answered."""

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import httpx
import psutil
import pytest

from tests.support.live_server import PATIENCE, Client, House, new_house, until

MANY = 100  # requests at once, more than the 2 x 32 threads of a web
SOON = 3.0  # seconds
PROBES = 2 * 6  # requests that may wait meanwhile: one a second of each process, for five seconds

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with new_house(STERNENPOST_LIMITS="off") as house:
        house.start_web()
        yield house


@contextmanager
def silence(house: House) -> Iterator[None]:
    """Within, connections to Postgres stay open and nothing comes over them; a new one is never answered."""
    postmaster = psutil.Process(house.postgres_pid)
    processes = [postmaster, *postmaster.children(recursive=True)]
    for process in processes:
        os.kill(process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            with suppress(ProcessLookupError):  # it was none that lasts
                os.kill(process.pid, signal.SIGCONT)


def guest(house: House) -> Client:
    return Client(house, Client(house).post("/v1/guests", {})["token"])


def asked(client: Client, path: str) -> tuple[int, str | None, float]:
    """Status, `Retry-After`, and how many seconds it took."""
    began = time.monotonic()
    answer = httpx.get(
        f"{client.url}{path}", headers={"Authorization": f"Bearer {client.token}"}, timeout=PATIENCE, verify=False
    )
    return answer.status_code, answer.headers.get("Retry-After"), time.monotonic() - began


def test_while_postgres_says_nothing_threads_are_left_and_once_it_speaks_all_goes_on(house: House) -> None:
    ada = guest(house)
    with ThreadPoolExecutor(MANY) as people:

        def all_ask(path: str) -> list[tuple[int, str | None, float]]:
            return list(people.map(lambda _: asked(ada, path), range(MANY)))

        assert {status for status, *_ in all_ask("/v1/me")} == {200}
        with silence(house):
            assert {(status, bool(later)) for status, later, _ in all_ask("/v1/me")} == {(503, True)}
            answers = all_ask("/v1/me")
            assert {(status, bool(later)) for status, later, _ in answers} == {(503, True)}
            assert sum(seconds > SOON for *_, seconds in answers) <= PROBES
            assert all(status == 200 and seconds < SOON for status, _, seconds in all_ask("/healthz"))
        until(lambda: asked(ada, "/v1/me")[0] == 200, SOON)
        assert {status for status, *_ in all_ask("/v1/me")} == {200}


def test_a_statement_that_waits_long_keeps_nobody_from_the_others(house: House) -> None:
    ada = guest(house)
    with house.locked("SELECT 1 FROM players"), ThreadPoolExecutor(4) as people:
        slow = [people.submit(ada._http.patch, "/v1/me", json={"name": f"Ada {number}"}) for number in range(4)]
        house.await_waiters()
        while not all(it.done() for it in slow):
            assert asked(ada, "/v1/me")[0] == 200
    assert {it.result().status_code for it in slow} == {503}
