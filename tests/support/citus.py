"""A real Citus for tests. STERNENPOST_TEST_CITUS is the URL of a superuser at its coordinator, in a database that knows
the nodes.

`python -m pytest -p tests.support.citus tests/store` creates every test database there and distributes its tables.
`leave_out` skips tests of a single Postgres and gives the reason.
"""

import os
from collections.abc import Callable
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import psycopg
import pytest

from server.store import embedded_postgres, migrate, spreading
from tests.support import databases

URL = os.environ.get("STERNENPOST_TEST_CITUS")
ENTRANCE = int(os.environ.get("STERNENPOST_TEST_CITUS_ENTRANCE", "0"))  # index of the node that tests connect to
SHARDS = 4  # instead of 32, because a test waits for each table of each
_numbers = count(1)


@cache
def nodes() -> list[str]:
    assert URL, "STERNENPOST_TEST_CITUS is not set"
    with psycopg.connect(URL) as connection:
        known = connection.execute("SELECT nodename, nodeport FROM pg_dist_node WHERE groupid <> 0 ORDER BY nodeid")
        user = urlsplit(URL).netloc.rpartition("@")[0]
        return [URL, *(urlsplit(URL)._replace(netloc=f"{user}@{host}:{port}").geturl() for host, port in known)]


def named(url: str, database: str) -> str:
    return urlsplit(url)._replace(path=f"/{database}").geturl()


def empty_database(name: str) -> str:
    drop_database(name)
    for node in nodes():
        with psycopg.connect(node, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        with psycopg.connect(named(node, name), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION citus")
    coordinator, *others = map(urlsplit, nodes())
    url = named(nodes()[0], name)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT citus_set_coordinator_host(%s, %s)", (coordinator.hostname, coordinator.port))
        for node in others:
            connection.execute("SELECT citus_add_node(%s, %s)", (node.hostname, node.port))
        connection.execute(f'ALTER DATABASE "{name}" SET citus.shard_count = {SHARDS}')
    return url


def spread_database(name: str) -> str:
    url = empty_database(name)
    migrate.upgrade(url)
    spreading.spread(url, lambda steps: True, lambda step: None)
    return url


def drop_database(name: str) -> None:
    for node in nodes():
        with psycopg.connect(node, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


_made: set[str] = set()  # by the plugin


def _make(name: str, make: Callable[[str], str]) -> str:
    """Create a database whose name no other process uses."""
    name = f"{name}_{os.getpid()}"
    _made.add(name)
    make(name)
    return named(nodes()[ENTRANCE if make is spread_database else 0], name)


class _Server:
    """A stand-in for the embedded Postgres: a database with the tables."""

    def __init__(self, data: Path) -> None:
        (data / "postgres").mkdir(parents=True, exist_ok=True)
        self.url = _make(f"house_{next(_numbers)}", spread_database)
        self.pid = os.getpid()

    def is_running(self) -> bool:
        return True

    def stop(self) -> None:
        drop_database(urlsplit(self.url).path[1:])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def leave_out(reason: str) -> pytest.MarkDecorator:
    """Skip this test while this module is a plugin."""
    return pytest.mark.skipif("config.pluginmanager.hasplugin('tests.support.citus')", reason=f"on Citus {reason}")


def pytest_configure() -> None:
    """Create each database from scratch, since Citus cannot copy one."""

    def create_database(url: str, name: str, template: str | None = None) -> str:
        return _make(name, spread_database if template else empty_database)

    replaced: Any = embedded_postgres
    copied: Any = databases
    replaced.start, copied.create_database = _Server, create_database


def pytest_unconfigure() -> None:
    for name in _made:
        drop_database(name)
