"""Connections to Postgres: one statement at a time for the hot paths, with another try when the database goes away.

A pooler may stand before it (PgBouncer in transaction mode): each transaction is then another session of Postgres, so
that nothing is prepared, set or listened to beyond one. Role and limits come from `ALTER ROLE` there.
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

# A line may go dead without a word, as when a machine loses its power or its network: either end asks after some seconds
# whether the other is still there, and gives up after some more. By themselves, Linux and Postgres do so after two hours.
PATIENT: dict[str, Any] = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,  # milliseconds
}
# libpq sends these from the environment, over whatever a connection asks for.
for _name in ("PGCLIENTENCODING", "PGDATESTYLE", "PGTZ", "PGGEQO", "PGOPTIONS"):
    os.environ.pop(_name, None)

_SETTINGS = {  # of each session in Postgres, which else keeps the locks of a client that is cut off, too
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
}
# What each of them must come to in a session, whoever set it: a condition on the value, and what is right.
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
    """A setting of our sessions in Postgres that is not as the code needs it."""

    name: str
    value: str
    right: str


def wrong_settings() -> list[WrongSetting]:
    """Return the settings that are wrong in a session through DATABASE_URL, as behind a pooler that drops our own."""
    found = db.session.execute(text(_WRONG), {"app_role": APP_ROLE})
    return [WrongSetting(*row) for row in found]


_NO_ANSWER = 15.0  # seconds; Postgres ends a statement before, unless it is stopped, or a commit waits for a replica
_breaker = CircuitBreaker()


class _Connection(psycopg.Connection[Any]):
    """Waits for no answer longer than Postgres may take for one. Of a commit nobody knows then whether it has arrived."""

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        try:
            return super().wait(gen, interval, _NO_ANSWER if timeout is None else timeout)
        except psycopg.errors._WaitTimeout:
            if timeout is None:
                self.pgconn.finish()
                raise psycopg.OperationalError(NOBODY_ANSWERED) from None
            raise


def engine_options(statement_timeout_ms: int = 10_000) -> dict[str, Any]:
    """How web and worker connect: as the role that cannot change the log, and with nothing waiting for ever."""
    settings = {**_SETTINGS, "statement_timeout": statement_timeout_ms}
    options = " ".join(f"-c {name}={value}" for name, value in settings.items())
    return {
        "hide_parameters": True,
        "json_deserializer": orjson.loads,
        "connect_args": {"options": options, **PATIENT},
        "pool_size": 8,  # kept open; what is above it is opened and closed each time
        "max_overflow": 56,
        "pool_use_lifo": True,
        "pool_events": [
            (_expect_open, "checkout"),
            (_plan, "connect"),
            (_note_who_answered, "connect"),
        ],
    }


@event.listens_for(Engine, "do_connect")
def _connect(_: Any, __: Any, ___: Any, how: dict[str, Any]) -> _Connection | None:
    """Of several hosts first to that which answered last: else each new connection would wait for the one that is away.

    None: as psycopg does, for whoever has no limits, such as a migration.
    """
    hosts, ports = (str(how.get(name, "")).split(",") for name in ("host", "port"))
    if len(hosts) > 1:
        both = zip(hosts, ports if len(ports) == len(hosts) else ports * len(hosts), strict=True)
        ordered = sorted(both, key=lambda it: (it[0], int(it[1] or 5432)) != _answered)
        how["host"], how["port"] = map(",".join, zip(*ordered, strict=True))
    if "statement_timeout" not in how.get("options", ""):
        return None
    with _breaker.asking():
        return _Connection.connect(**how)


def _note_who_answered(connection: psycopg.Connection[Any], *_: Any) -> None:
    global _answered
    _answered = connection.info.host, connection.info.port


_answered: tuple[str, int] | None = None


def is_pooled(connection: psycopg.Connection[Any]) -> bool:
    """Whether a pooler stands before Postgres: the number that it gave this connection is none of a process there."""
    found = connection.pgconn.exec_(b"SELECT pg_backend_pid()").get_value(0, 0)
    return found is not None and int(found) != connection.info.backend_pid


def is_coordinated(connection: psycopg.Connection[Any]) -> bool:
    """Whether this is a node of Citus, but not the coordinator, which alone changes tables."""
    here = "SELECT FROM pg_extension WHERE extname = 'citus'"
    if connection.execute(here).fetchone() is None:
        return False
    return connection.execute("SELECT FROM pg_dist_local_group WHERE groupid <> 0").fetchone() is not None


_AUTO = "SELECT set_config('plan_cache_mode', 'auto', false) WHERE current_setting('plan_cache_mode') = 'force_generic_plan'"


def _plan(connection: psycopg.Connection[Any], *_: Any) -> None:
    """Nothing is prepared for a pooler. Lists are planned for what is asked, such as a status of which few games are."""
    if is_pooled(connection):
        connection.prepare_threshold = None
    else:
        connection.execute(_AUTO)
        connection.commit()


def _expect_open(connection: psycopg.Connection[Any], *_: Any) -> None:
    if not is_open(connection):
        raise sqlalchemy.exc.InvalidatePoolError  # the pool begins anew


def is_open(connection: psycopg.Connection[Any]) -> bool:
    """If Postgres has said anything since nobody asks, that was its farewell."""
    ear = select.poll()
    ear.register(connection.fileno(), select.POLLIN)
    return not ear.poll(0)


class autocommit:
    """A psycopg connection on which each statement is a transaction of its own.

    These are kept beside SQLAlchemy's, whose book-keeping for each loan would cost a move more than all its rules.
    """

    def __enter__(self) -> psycopg.Connection[Any]:
        self._idle = _idle.setdefault(db.engine, [])
        try:
            while not is_open(connection := self._idle.pop()):  # the one used last: its plans are at hand
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
    """A new connection to keep, on which each statement is a transaction of its own."""
    pooled = db.engine.raw_connection()
    connection: psycopg.Connection[Any] = pooled.driver_connection  # type: ignore[assignment]  # SQLAlchemy knows less
    pooled.detach()
    connection.autocommit = True
    set_json_loads(orjson.loads, connection)
    if connection.prepare_threshold is not None:
        connection.execute("RESET plan_cache_mode")  # whoever runs Postgres says whether plans are made once
    return connection


_FEW = 5


def rows_of(
    connection: psycopg.Connection[Any], query: str, games: Collection[UUID], **asked: Any
) -> list[tuple[Any, ...]]:
    """What a query finds that says `= ANY(%(games)s)`, and `= g.game_id` below that, with what else it is `asked`.

    Each of a few games is asked for by itself: where tables are spread over machines, that asks the one which has it, and
    a list asks all of them.
    """
    if len(games) > _FEW:
        return connection.execute(query, {"games": list(games), **asked}).fetchall()
    of_one = query.replace("= ANY(%(games)s)", "= %(game)s").replace("= g.game_id", "= %(game)s")
    return [row for game in games for row in connection.execute(of_one, {"game": game, **asked})]


def drop_idle() -> None:
    """Forget the idle connections, which broke off at the same moment as the one that told of it."""
    db.engine.dispose(close=False)
    _idle.pop(db.engine, None)


def let_go(_: BaseException | None = None) -> None:
    """Give the session's connection back, also when it has broken off meanwhile."""
    if db.session.registry.has():
        try:
            db.session.close()
        except sqlalchemy.exc.DBAPIError:  # there is nobody left to be told of the rollback
            db.session().invalidate()


def refusal_of(error: BaseException) -> str:
    """What Postgres said, in its own words, but for where it was looked for."""
    said = (str(getattr(error, "orig", error)).splitlines() or ["no reason given"])[0]
    return said.rpartition(" failed: ")[2]


def in_transaction(connection: Any) -> psycopg.Connection[Any]:
    """The psycopg connection below one of SQLAlchemy's, within its transaction."""
    below: psycopg.Connection[Any] = connection.connection.driver_connection
    return below
