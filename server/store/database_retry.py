"""Retries after a lost connection to the database, including commits whose result is then uncertain."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import psycopg
import sqlalchemy.exc

from server.store.circuit_breaker import NOBODY_ANSWERED
from server.store.connections import drop_idle, let_go

P = ParamSpec("P")
T = TypeVar("T")
_TRIES = 3
_READ_ONLY = "25006"  # a replica, or a primary that has been replaced by another
_IDLE_FOR_LONG = "25P03"  # idle within a transaction: the connection was dead, or this process was suspended
_OF_ONE_STATEMENT = {"40P01", "40001", "57014", "55P03"}  # a deadlock, a conflict, a time limit
_TRY_AGAIN = {
    *_OF_ONE_STATEMENT,
    *("08006", "08003", "08001", "57P01", "57P02", "57P03"),
    *(_READ_ONLY, _IDLE_FOR_LONG),
    *("53000", "53100", "53200", "53300", "53400"),  # no disk, memory or connections left
    "08P01",  # a pooler has lost its Postgres connection, or has none free
}
_BROKEN_OFF = (
    *(psycopg.OperationalError, sqlalchemy.exc.OperationalError, sqlalchemy.exc.InterfaceError),
    *(psycopg.errors.ReadOnlySqlTransaction, psycopg.errors.IdleInTransactionSessionTimeout),
    sqlalchemy.exc.InternalError,
)
_in_doubt: ContextVar[Any] = ContextVar("in_doubt", default=None)


class Unavailable(Exception):
    """A request that can't be processed at present. As far as we know, it has changed nothing.

    If the error has no text, the database doesn't respond. Otherwise the text tells operators what a single game lacks:
    a file or a release.
    """


def with_retries(action: Callable[P, T]) -> Callable[P, T]:
    """Wrap a function so that it is called again after a lost connection. A commit that is retried first checks whether
    it has already succeeded, in the log or with `in_doubt`.

    Raise Unavailable after three attempts. If a host doesn't respond, raise it immediately, since another wait would
    occupy the thread.
    """

    @wraps(action)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        outer = _in_doubt.set(None)
        try:
            for attempt in range(_TRIES):
                try:
                    return action(*args, **kwargs)
                except _BROKEN_OFF as error:
                    let_go()
                    if not is_passing(error):
                        raise
                    if _has_lost_its_connection(error):
                        drop_idle()
                    if attempt == _TRIES - 1 or NOBODY_ANSWERED in str(getattr(error, "orig", error)):
                        raise Unavailable from error
            raise AssertionError("unreachable")
        finally:
            _in_doubt.reset(outer)

    return call


@contextmanager
def committing(what: Any) -> Iterator[None]:
    """Mark `what` as uncertain for the next attempt if the commit in this block gets no response."""
    _in_doubt.set(what)
    yield
    _in_doubt.set(None)


def in_doubt() -> Any:
    """Return what an earlier attempt was committing when it lost the connection, or None."""
    return _in_doubt.get()


def one_by_one(items: Iterable[T], act: Callable[[T], object], put_off: Callable[[T], object]) -> int:
    """Call `act` for every item. Return for how many items `act` returned a true value.

    If an item fails because of the item itself, it is passed to `put_off`, within the exception handler. If the
    database has a temporary error, it is raised after the last item, since other items may be on another machine.
    """
    acted, passing = 0, None
    for item in items:
        try:
            acted += bool(act(item))
        except Exception as error:  # noqa: BLE001  `put_off` logs it
            let_go()
            if is_passing(error):
                passing = error
            else:
                put_off(item)
    if passing is not None:
        raise passing
    return acted


def _has_lost_its_connection(error: BaseException) -> bool:
    state = getattr(getattr(error, "orig", error), "sqlstate", None)
    return state is None or state.startswith(("08", "57P0", _READ_ONLY, _IDLE_FOR_LONG))


def is_passing(error: BaseException) -> bool:
    """Return whether an error is temporary: there is no connection, or the class of SQLSTATE means "later" rather than
    "never"."""
    if isinstance(error, Unavailable):
        return not str(error)  # if the error has a text, only a single game is affected
    if isinstance(error, sqlalchemy.exc.TimeoutError):
        return True
    cause = getattr(error, "orig", error)
    state = getattr(cause, "sqlstate", None)
    return state in _TRY_AGAIN or (state is None and isinstance(cause, psycopg.OperationalError))


def is_outage(error: BaseException) -> bool:
    """Return whether a temporary error, such as a full disk, affects the whole database rather than a single
    statement."""
    cause = error.__cause__ or error
    state = getattr(getattr(cause, "orig", cause), "sqlstate", None)
    return is_passing(cause) and not isinstance(cause, Unavailable) and state not in _OF_ONE_STATEMENT
