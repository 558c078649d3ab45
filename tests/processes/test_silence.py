"""A silent Postgres: requests that need it get 503, and all others get a response.

tests/store/test_circuit_breaker.py checks that rejected requests do not wait.
"""

import asyncio
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import httpx
import psutil
import pytest

from tests.support.live_server import PATIENCE, Client, House, new_house, until

MANY = 100  # requests at once, more than the 2 x 32 threads of a web


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


def asked(client: Client, path: str, times: int = MANY) -> set[tuple[int, bool]]:
    """Send so many requests at once. Return their statuses, and whether a `Retry-After` came with them."""

    async def ask(http: httpx.AsyncClient) -> tuple[int, bool]:
        answer = await http.get(path)
        return answer.status_code, "Retry-After" in answer.headers

    async def ask_all() -> set[tuple[int, bool]]:
        limits, headers = httpx.Limits(max_connections=None), {"Authorization": f"Bearer {client.token}"}
        how: Any = {"limits": limits, "headers": headers, "timeout": PATIENCE, "verify": False}
        async with httpx.AsyncClient(base_url=client.url, **how) as http:
            return set(await asyncio.gather(*(ask(http) for _ in range(times))))

    return asyncio.run(ask_all())


def is_well(client: Client) -> bool:
    return asked(client, "/v1/me") == {(200, False)}


def test_a_postgres_that_does_not_respond_leaves_threads_free_and_everything_recovers(house: House) -> None:
    ada = guest(house)
    until(lambda: is_well(ada))
    with silence(house):
        for _ in range(2):
            assert asked(ada, "/v1/me") == {(503, True)}
        assert asked(ada, "/healthz") == {(200, False)}
    until(lambda: is_well(ada))


def test_a_slow_statement_does_not_block_others(house: House) -> None:
    ada = guest(house)
    with house.locked("SELECT 1 FROM players"), ThreadPoolExecutor(4) as people:
        slow = [people.submit(ada._http.patch, "/v1/me", json={"name": f"Ada {number}"}) for number in range(4)]
        house.await_waiters()
        while not all(it.done() for it in slow):
            assert asked(ada, "/v1/me", 1) == {(200, False)}
    assert {it.result().status_code for it in slow} == {503}
