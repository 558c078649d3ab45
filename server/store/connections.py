"""Connections to Postgres. Code that runs often sends one statement at a time, and retries after a lost connection.

Behind a pooler (PgBouncer in transaction mode), each transaction may run in another session of Postgres. So nothing
that outlives a transaction is used: prepared statements, settings, LISTEN. There, the role and the limits come from
`ALTER ROLE`.
"""

import os
import select
from collections.abc import Collection
from typing import Any, NamedTuple
from uuid import UUID
from weakref import WeakKeyDictionary

import orjson
import psycopg
import sqlalchemy.exc
from psycopg.pq import TransactionStatus
from psycopg.types.json import set_json_loads
from sqlalchemy import Engine, event, text

from server.store.circuit_breaker import NOBODY_ANSWERED, CircuitBreaker
from server.store.tables import APP_ROLE, db

# A machine that loses its power or network leaves a dead connection. Both ends probe after some seconds, and give up
# after some more. The defaults of Linux and Postgres are two hours.
PATIENT: dict[str, Any] = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,  # milliseconds
}
# libpq would send these environment variables even though the connection has its own settings.
for _name in ("PGCLIENTENCODING", "PGDATESTYLE", "PGTZ", "PGGEQO", "PGOPTIONS"):
    os.environ.pop(_name, None)

_SETTINGS = {  # without these, Postgres keeps the locks of a client that has lost its connection
    "role": APP_ROLE,
    "timezone": "UTC",
    "client_encoding": "UTF8",
    "datestyle": "ISO,MDY",
    "intervalstyle": "postgres",
    "standard_conforming_strings": "on",
    "bytea_output": "hex",
    "extra_float_digits": 1,
    "search_path": "public",
    "default_transaction_isolation": r"read\ committed",
    "idle_in_transaction_session_timeout": "30s",
    "tcp_keepalives_idle": "10s",
    "tcp_keepalives_interval": "5s",
    "tcp_keepalives_count": 3,
    "tcp_user_timeout": "25s",
    "statement_timeout": "10s",
}
# What a session requires: a condition that each setting must meet, and the right value.
_RIGHT = {
    "role": ("current_user = :app_role", APP_ROLE),
    "timezone": ("value IN ('UTC', 'Etc/UTC')", "UTC"),
    "client_encoding": ("value = 'UTF8'", "UTF8"),
    "datestyle": ("value LIKE 'ISO,%'", "ISO"),
    "intervalstyle": ("value = 'postgres'", "postgres"),
    "standard_conforming_strings": ("value = 'on'", "on"),
    "bytea_output": ("value = 'hex'", "hex"),
    "extra_float_digits": ("value::int >= 1", "1"),
    "search_path": ("'public' = ANY (current_schemas(false))", "public"),
    "default_transaction_isolation": ("value = 'read committed'", "read committed"),
    "idle_in_transaction_session_timeout": ("value <> '0'", "30s"),
    "statement_timeout": ("value <> '0'", "10s"),
}
_WRONG = " UNION ALL ".join(
    f"SELECT '{name}', value, '{right}' FROM current_setting('{name}') AS value WHERE NOT ({condition})"
    for name, (condition, right) in _RIGHT.items()
)
NEEDED_TO_READ = frozenset(("search_path", "datestyle", "intervalstyle", "bytea_output"))


class WrongSetting(NamedTuple):
    """A setting that is wrong in our sessions in Postgres."""

    name: str
    value: str
    right: str


def wrong_settings() -> list[WrongSetting]:
    """Return the settings that are wrong in a session through DATABASE_URL. A pooler, for example, drops our
    settings."""
    found = db.session.execute(text(_WRONG), {"app_role": APP_ROLE})
    return [WrongSetting(*row) for row in found]


_NO_ANSWER = 15.0  # seconds; Postgres ends statements earlier, unless it hangs or a commit waits for a replica
_breaker = CircuitBreaker()


class _Connection(psycopg.Connection[Any]):
    """A connection that waits for a response as long as Postgres may take. If a commit gets no response, its result is
    uncertain."""

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        try:
            return super().wait(gen, interval, _NO_ANSWER if timeout is None else timeout)
        except psycopg.errors._WaitTimeout:
            if timeout is None:
                self.pgconn.finish()
                raise psycopg.OperationalError(NOBODY_ANSWERED) from None
            raise


def engine_options() -> dict[str, Any]:
    """Return the engine options for the web server and the worker: the role that can't change the log, and time limits
    for all waits."""
    options = " ".join(f"-c {name}={value}" for name, value in _SETTINGS.items())
    return {
        "hide_parameters": True,
        "json_deserializer": orjson.loads,
        "connect_args": {"options": options, **PATIENT},
        "pool_size": 8,  # further connections are opened and closed each time
        "max_overflow": 56,
        "pool_use_lifo": True,
        "pool_events": [(_expect_open, "checkout"), (_plan, "connect"), (_note_who_answered, "connect")],
    }


@event.listens_for(Engine, "do_connect")
def _connect(_: Any, __: Any, ___: Any, how: dict[str, Any]) -> _Connection | None:
    """Connect, and try the host that responded last first. Otherwise an unreachable host would delay each new
    connection.

    Return None for connections without time limits, such as that of a migration. They connect in the usual way.
    """
    hosts, ports = (str(how.get(name, "")).split(",") for name in ("host", "port"))
    if len(hosts) > 1:
        both = zip(hosts, ports if len(ports) == len(hosts) else ports * len(hosts), strict=True)
        ordered = sorted(both, key=lambda it: (it[0], int(it[1] or 5432)) != _answered)
        how["host"], how["port"] = map(",".join, zip(*ordered, strict=True))
    if "statement_timeout" not in how.get("options", ""):
        return None
    with _breaker.guard():
        return _Connection.connect(**how)


def _note_who_answered(connection: psycopg.Connection[Any], *_: Any) -> None:
    global _answered
    _answered = connection.info.host, connection.info.port


_answered: tuple[str, int] | None = None


def is_pooled(connection: psycopg.Connection[Any]) -> bool:
    """Return whether the connection goes through a pooler. In that case, no process of Postgres has the connection's
    number."""
    found = connection.pgconn.exec_(b"SELECT pg_backend_pid()").get_value(0, 0)
    return found is not None and int(found) != connection.info.backend_pid


def is_coordinated(connection: psycopg.Connection[Any]) -> bool:
    """Return whether this is a Citus node other than the coordinator. Only the coordinator can change tables."""
    here = "SELECT FROM pg_extension WHERE extname = 'citus'"
    if connection.execute(here).fetchone() is None:
        return False
    return connection.execute("SELECT FROM pg_dist_local_group WHERE groupid <> 0").fetchone() is not None


_AUTO = "SELECT set_config('plan_cache_mode', 'auto', false) WHERE current_setting('plan_cache_mode') = 'force_generic_plan'"


def _plan(connection: psycopg.Connection[Any], *_: Any) -> None:
    """Don't prepare statements if there is a pooler. Otherwise, let Postgres plan statements with lists for the actual
    values, such as a rare status."""
    if is_pooled(connection):
        connection.prepare_threshold = None
    else:
        connection.execute(_AUTO)
        connection.commit()


def _expect_open(connection: psycopg.Connection[Any], *_: Any) -> None:
    if not is_open(connection):
        raise sqlalchemy.exc.InvalidatePoolError  # the pool reconnects


def is_open(connection: psycopg.Connection[Any]) -> bool:
    """Return whether the connection is open. If there is data on an idle connection, Postgres has closed it."""
    ear = select.poll()
    ear.register(connection.fileno(), select.POLLIN)
    return not ear.poll(0)


class autocommit:
    """A psycopg connection on which each statement is its own transaction.

    These connections bypass SQLAlchemy, whose bookkeeping takes more time per move than the game's rules.
    """

    def __enter__(self) -> psycopg.Connection[Any]:
        self._idle = _idle.setdefault(db.engine, [])
        try:
            while not is_open(connection := self._idle.pop()):  # the connection used last, which has cached plans
                connection.close()
        except IndexError:
            connection = connect()
        self._connection = connection
        return connection

    def __exit__(self, *_: object) -> None:
        if self._connection.info.transaction_status != TransactionStatus.IDLE or len(self._idle) >= _MOST_IDLE:
            self._connection.close()
        else:
            self._idle.append(self._connection)


_MOST_IDLE = 16
_idle: WeakKeyDictionary[Engine, list[psycopg.Connection[Any]]] = WeakKeyDictionary()


def connect() -> psycopg.Connection[Any]:
    """Return a new long-lived connection in autocommit mode: each statement is its own transaction."""
    pooled = db.engine.raw_connection()
    connection: psycopg.Connection[Any] = pooled.driver_connection  # type: ignore[assignment]  # too wide
    pooled.detach()
    connection.autocommit = True
    set_json_loads(orjson.loads, connection)
    if connection.prepare_threshold is not None:
        connection.execute("RESET plan_cache_mode")  # the operator's setting decides how plans are cached
    return connection


_FEW = 5


def rows_of(
    connection: psycopg.Connection[Any], query: str, games: Collection[UUID], **asked: Any
) -> list[tuple[Any, ...]]:
    """Return the rows of a query that contains `= ANY(%(games)s)`. `asked` contains its other parameters.

    If there are only a few games, they are queried one by one, as `= g.game_id`. With distributed tables, such a query
    goes to a single machine, while a list goes to all of them.
    """
    if len(games) > _FEW:
        return connection.execute(query, {"games": list(games), **asked}).fetchall()
    of_one = query.replace("= ANY(%(games)s)", "= %(game)s").replace("= g.game_id", "= %(game)s")
    return [row for game in games for row in connection.execute(of_one, {"game": game, **asked})]


def drop_idle() -> None:
    """Discard the idle connections, since they were lost together with the connection that failed."""
    db.engine.dispose(close=False)
    _idle.pop(db.engine, None)


def let_go(_: BaseException | None = None) -> None:
    """Return the session's connection to the pool, even if it is broken."""
    if db.session.registry.has():
        try:
            db.session.close()
        except sqlalchemy.exc.DBAPIError:  # the rollback needs no response
            db.session().invalidate()


def refusal_of(error: BaseException) -> str:
    """Return Postgres's error message, without the position in the statement."""
    said = (str(getattr(error, "orig", error)).splitlines() or ["no reason given"])[0]
    return said.rpartition(" failed: ")[2]


def in_transaction(connection: Any) -> psycopg.Connection[Any]:
    """Return the psycopg connection within a connection of SQLAlchemy, in its current transaction."""
    below: psycopg.Connection[Any] = connection.connection.driver_connection
    return below
