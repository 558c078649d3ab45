"""Postgres says nothing for a while, as where its machine is stopped: who needs it is refused soon, everybody else is answered."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import httpx
import psutil
import pytest

from tests.support.live_server import PATIENCE, Client, House, new_house, until

MANY = 100  # requests at once, more than the 2 x 32 threads of a web
SOON = 4.5  # seconds, also on a busy machine; whoever asks a Postgres that says nothing waits for five
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


def asked(client: Client, path: str, times: int = MANY) -> list[tuple[int, bool, float]]:
    """Of so many requests at once the status, whether they may be repeated (`Retry-After`), and how many seconds each took."""

    async def ask(http: httpx.AsyncClient) -> tuple[int, bool, float]:
        began = time.monotonic()
        answer = await http.get(path)
        return answer.status_code, "Retry-After" in answer.headers, time.monotonic() - began

    async def ask_all() -> list[tuple[int, bool, float]]:
        limits, headers = httpx.Limits(max_connections=None), {"Authorization": f"Bearer {client.token}"}
        how: Any = {"limits": limits, "headers": headers, "timeout": PATIENCE, "verify": False}
        async with httpx.AsyncClient(base_url=client.url, **how) as http:
            return await asyncio.gather(*(ask(http) for _ in range(times)))

    return asyncio.run(ask_all())


def is_well(client: Client) -> bool:
    return {status for status, *_ in asked(client, "/v1/me")} == {200}


def test_while_postgres_says_nothing_threads_are_left_and_once_it_speaks_all_goes_on(house: House) -> None:
    ada = guest(house)
    until(lambda: is_well(ada))
    with silence(house):
        assert {answer[:2] for answer in asked(ada, "/v1/me")} == {(503, True)}
        answers = asked(ada, "/v1/me")
        assert {answer[:2] for answer in answers} == {(503, True)}
        assert sum(seconds > SOON for *_, seconds in answers) <= PROBES
        assert all(status == 200 and seconds < SOON for status, _, seconds in asked(ada, "/healthz"))
    until(lambda: asked(ada, "/v1/me", 1)[0][0] == 200, SOON)
    until(lambda: is_well(ada), SOON)


def test_a_statement_that_waits_long_keeps_nobody_from_the_others(house: House) -> None:
    ada = guest(house)
    with house.locked("SELECT 1 FROM players"), ThreadPoolExecutor(4) as people:
        slow = [people.submit(ada._http.patch, "/v1/me", json={"name": f"Ada {number}"}) for number in range(4)]
        house.await_waiters()
        while not all(it.done() for it in slow):
            assert asked(ada, "/v1/me", 1)[0][0] == 200
    assert {it.result().status_code for it in slow} == {503}
