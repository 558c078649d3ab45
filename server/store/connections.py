"""Connections to Postgres: one statement at a time for the hot paths, with another try when the database goes away."""

import select
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

import orjson
import psycopg
import sqlalchemy.exc
from psycopg.pq import TransactionStatus
from psycopg.types.json import set_json_loads
from sqlalchemy import Engine

from server.store.tables import APP_ROLE, db

P = ParamSpec("P")
T = TypeVar("T")
_TRIES = 3
_READ_ONLY = "25006"  # a copy of another one, or what was the first one until another took its place
_TRY_AGAIN = {
    *("08006", "08003", "08001", "40P01", "40001", "57P01", "57P02", "57P03", "57014", "55P03", _READ_ONLY),
    *("53000", "53100", "53200", "53300", "53400"),  # no disk, memory or connection is left
}
_BROKEN_OFF = (
    *(psycopg.OperationalError, sqlalchemy.exc.OperationalError, sqlalchemy.exc.InterfaceError),
    *(psycopg.errors.ReadOnlySqlTransaction, sqlalchemy.exc.InternalError),
)
_in_doubt: ContextVar[Any] = ContextVar("in_doubt", default=None)


class Unavailable(Exception):
    """The database does not answer at present; nothing is known to have changed."""


def engine_options(statement_timeout_ms: int = 10_000) -> dict[str, Any]:
    """How web and worker connect: as the role that cannot change the log, and with no statement waiting for ever."""
    settings = f"-c role={APP_ROLE} -c timezone=UTC -c statement_timeout={statement_timeout_ms}"
    return {
        "hide_parameters": True,
        "connect_args": {"options": settings, "connect_timeout": 5},
        "pool_size": 8,  # kept open; what is above it is opened and closed each time
        "max_overflow": 56,
        "pool_use_lifo": True,
        "pool_events": [(_expect_open, "checkout")],
    }


def _expect_open(connection: psycopg.Connection[Any], *_: Any) -> None:
    if not _is_open(connection):
        raise sqlalchemy.exc.InvalidatePoolError  # the pool begins anew


def _is_open(connection: psycopg.Connection[Any]) -> bool:
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
            while not _is_open(connection := self._idle.pop()):  # the one used last: its plans are at hand
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
    connection.execute("SET plan_cache_mode = force_generic_plan")  # planning takes longer than what is planned
    return connection


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


def tried_again(deed: Callable[P, T]) -> Callable[P, T]:
    """Call again when the database broke off; `deed` must look first whether its commit has arrived.

    It finds that in the log, or asks `in_doubt`. Raises Unavailable after three tries.
    """

    @wraps(deed)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        outer = _in_doubt.set(None)
        try:
            for attempt in range(_TRIES):
                try:
                    return deed(*args, **kwargs)
                except _BROKEN_OFF as error:
                    let_go()
                    if not is_passing(error):
                        raise
                    if _has_lost_its_connection(error):
                        db.engine.dispose(close=False)  # the other idle connections broke off at the same moment
                        _idle.pop(db.engine, None)
                    if attempt == _TRIES - 1:
                        raise Unavailable from error
            raise AssertionError("unreachable")
        finally:
            _in_doubt.reset(outer)

    return call


@contextmanager
def committing(what: Any) -> Iterator[None]:
    """Around a commit: if its answer is lost, the next try of the deed finds `what` in doubt."""
    _in_doubt.set(what)
    yield
    _in_doubt.set(None)


def in_doubt() -> Any:
    """What an earlier try of this deed was committing when the database broke off; None if nothing."""
    return _in_doubt.get()


def _has_lost_its_connection(error: BaseException) -> bool:
    state = getattr(getattr(error, "orig", error), "sqlstate", None)
    return state is None or state.startswith(("08", "57P0", _READ_ONLY))


def is_passing(error: BaseException) -> bool:
    """Whether an error means "later" (no connection to be had, or a class of SQLSTATE), not "never"."""
    if isinstance(error, Unavailable | sqlalchemy.exc.TimeoutError):
        return True
    cause = getattr(error, "orig", error)
    state = getattr(cause, "sqlstate", None)
    return state in _TRY_AGAIN or (state is None and isinstance(cause, psycopg.OperationalError))
