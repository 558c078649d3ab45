"""How web and worker connect to Postgres."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest
import sqlalchemy.exc
from psycopg import sql
from sqlalchemy import Engine, create_engine, make_url, text

from server.app import create_app
from server.config import Settings
from server.store import connections
from server.store.circuit_breaker import NOBODY_ANSWERED
from server.store.connections import engine_options
from server.store.database_retry import Unavailable, is_passing, with_retries
from server.store.migrate import CannotMigrate, psycopg_url, upgrade
from server.store.notify import _Notifier, listen, received_games
from server.store.tables import db
from tests.support import citus
from tests.support.live_server import free_port, until


@pytest.fixture
def engine(shared_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """Yield an engine with two hosts, the first of them down."""
    monkeypatch.setattr(connections, "_answered", None)
    engine = create_engine(psycopg_url(shared_url.replace("?host=", "?host=/nowhere,")), **engine_options())
    yield engine
    engine.dispose()


@pytest.mark.parametrize(
    ("hosts", "host", "port"),
    [
        ("db1,db2", "db1,db2", ","),
        ("db1:5432,db2:5433", "db1,db2", "5432,5433"),
        ("[2001:db8::1]:5433,db2", "2001:db8::1,db2", "5433,"),
    ],
)
def test_several_hosts_are_passed_on_as_libpq_writes_them(hosts: str, host: str, port: str) -> None:
    url = psycopg_url(f"postgresql://stars:se%40cret@{hosts}/stars?target_session_attrs=read-write")
    [_, how] = create_engine(url).dialect.create_connect_args(make_url(url))
    assert (how["host"], how["port"]) == (host, port)
    assert (how["user"], how["password"], how["dbname"]) == ("stars", "se@cret", "stars")
    assert how["target_session_attrs"] == "read-write"


@citus.leave_out("there is one host")
def test_the_host_that_responded_is_tried_first_from_then_on(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, connect = list[str](), connections._Connection.connect
    monkeypatch.setattr(connections._Connection, "connect", lambda **how: asked.append(how["host"]) or connect(**how))
    for _ in range(2):
        engine.connect().close()
        engine.dispose()
    first, second = (hosts.split(",") for hosts in asked)
    assert first[0] == "/nowhere"
    assert second == first[::-1]


def test_work_in_a_session_that_ended_because_of_an_idle_transaction_is_retried(engine: Engine) -> None:
    with engine.connect() as connection:
        pid = connection.scalar(text("SELECT pg_backend_pid()"))
        connection.execute(text("SET idle_in_transaction_session_timeout = 1"))
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as other:
            until(
                lambda: not other.scalar(text("SELECT count(*) FROM pg_stat_activity WHERE pid = :pid"), {"pid": pid})
            )
        with pytest.raises(Exception) as ended:
            connection.execute(text("SELECT 1"))
    assert is_passing(ended.value)


def test_notifications_are_sent_to_the_node_that_listens_for_them(shared_url: str, database_url: str) -> None:
    """Other listeners may enter by another pooler or another node."""
    app = create_app(Settings.from_environment({"DATABASE_URL": shared_url, "DATABASE_URL_DIRECT": database_url}))
    with app.app_context(), listen() as ear:
        notifier, game_id = _Notifier(), uuid4()
        notifier.tell_from(app)
        notifier.note_change(game_id)
        assert until(lambda: received_games(ear)) == {game_id}


def test_neither_client_nor_server_waits_forever(engine: Engine) -> None:
    with engine.connect() as connection:
        for name in ("statement_timeout", "idle_in_transaction_session_timeout"):
            assert connection.scalar(text(f"SHOW {name}")) not in ("0", None)


def test_a_statement_without_a_response_does_not_block_other_callers(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a commit that waits for a replica."""
    with monkeypatch.context() as soon, engine.connect() as connection:
        soon.setattr(connections, "_NO_ANSWER", 0.1)
        with pytest.raises(sqlalchemy.exc.OperationalError, match=NOBODY_ANSWERED):
            connection.execute(text("SELECT pg_sleep(60)"))
    with connections._breaker.guard(), engine.connect() as connection:  # two at the same time
        assert connection.scalar(text("SELECT 1")) == 1


@pytest.mark.parametrize("others", ["", ",127.0.0.1:{closed}"])
def test_a_process_waits_only_once_for_a_host_that_does_not_respond(
    others: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(connections.PATIENT, "connect_timeout", 2)  # psycopg has no shorter one
    tries = []

    @with_retries
    def asks() -> None:
        tries.append(1)
        db.engine.connect()

    with socket.create_server(("127.0.0.1", 0)) as silent:
        hosts = f"127.0.0.1:{silent.getsockname()[1]}{others.format(closed=free_port())}"
        app = create_app(Settings.from_environment({"DATABASE_URL": f"postgresql://stars@{hosts}/stars"}))
        with app.app_context(), pytest.raises(Unavailable):
            asks()
    assert tries == [1]


def test_sessions_do_not_depend_on_settings_of_the_database_or_the_environment(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = {
        "datestyle": "German",
        "intervalstyle": "sql_standard",
        "bytea_output": "escape",
        "standard_conforming_strings": "off",
        "extra_float_digits": "-5",
        "search_path": "pg_catalog",
        "timezone": "Asia/Tokyo",
        "default_transaction_isolation": "serializable",
        "client_encoding": "LATIN1",
    }
    with psycopg.connect(database_url, autocommit=True) as owner:
        for name, value in wrong.items():
            database = sql.Identifier(owner.info.dbname)
            owner.execute(sql.SQL("ALTER DATABASE {} SET {} = {}").format(database, sql.Identifier(name), value))
    engine = create_engine(psycopg_url(database_url), **engine_options())
    with engine.connect() as connection:
        found = {name: connection.scalar(text(f"SHOW {name}")) for name in wrong}
    engine.dispose()
    assert found == {
        "datestyle": "ISO, MDY",
        "intervalstyle": "postgres",
        "bytea_output": "hex",
        "standard_conforming_strings": "on",
        "extra_float_digits": "1",
        "search_path": "public",
        "timezone": "UTC",
        "default_transaction_isolation": "read committed",
        "client_encoding": "UTF8",
    }


def test_libpq_settings_in_the_environment_do_not_reach_a_session(shared_url: str) -> None:
    wrong = {
        "PGCLIENTENCODING": "LATIN1",
        "PGDATESTYLE": "German",
        "PGTZ": "Asia/Tokyo",
        "PGOPTIONS": "-c search_path=x",
    }
    program = """
import sys
from sqlalchemy import create_engine, text
from server.store.connections import engine_options
from server.store.migrate import CannotMigrate, psycopg_url, upgrade
with create_engine(psycopg_url(sys.argv[1]), **engine_options()).connect() as connection:
    print(*(connection.scalar(text(f"SHOW {name}")) for name in ("client_encoding", "datestyle", "timezone", "search_path")))
"""
    command = [sys.executable, "-c", program, shared_url]
    said = subprocess.run(command, env=os.environ | wrong, check=True, capture_output=True, text=True).stdout
    assert said == "UTF8 ISO, MDY UTC public\n"


@citus.leave_out("a database is made beside")
def test_a_database_without_utf8_is_rejected_with_an_explanation(shared_url: str) -> None:
    with psycopg.connect(shared_url, autocommit=True) as owner:
        owner.execute("DROP DATABASE IF EXISTS of_ascii")
        owner.execute("CREATE DATABASE of_ascii ENCODING SQL_ASCII LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0")
    with pytest.raises(CannotMigrate, match="its encoding is SQL_ASCII instead of UTF8"):
        upgrade(shared_url.replace("/shared_by_tests?", "/of_ascii?"))
