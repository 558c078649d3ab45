"""Retries after a lost connection to the database, and the commits whose result is then uncertain."""

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
_READ_ONLY = "25006"  # a replica, or a primary that another has replaced
_IDLE_FOR_LONG = "25P03"  # within a transaction: the connection was dead, or this process was suspended
_OF_ONE_STATEMENT = {"40P01", "40001", "57014", "55P03"}  # a deadlock, a conflict, a time limit
_TRY_AGAIN = {
    *_OF_ONE_STATEMENT,
    *("08006", "08003", "08001", "57P01", "57P02", "57P03"),
    *(_READ_ONLY, _IDLE_FOR_LONG),
    *("53000", "53100", "53200", "53300", "53400"),  # no disk, memory or connections left
    "08P01",  # a pooler has lost its Postgres, or has none free
}
_BROKEN_OFF = (
    *(psycopg.OperationalError, sqlalchemy.exc.OperationalError, sqlalchemy.exc.InterfaceError),
    *(psycopg.errors.ReadOnlySqlTransaction, psycopg.errors.IdleInTransactionSessionTimeout),
    sqlalchemy.exc.InternalError,
)
_in_doubt: ContextVar[Any] = ContextVar("in_doubt", default=None)


class Unavailable(Exception):
    """A request that can't be served at present. As far as we know, nothing has changed.

    Without a text, the database doesn't answer. The text tells operators what one game lacks: a file or a release.
    """


def with_retries(action: Callable[P, T]) -> Callable[P, T]:
    """Wrap a function so that it is called again after a lost connection. A retried commit first checks whether it has
    arrived, in the log or with `in_doubt`.

    Raise Unavailable after three attempts, or once a host doesn't answer, since another wait would hold the thread.
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
    """Mark `what` as uncertain for the next attempt if the commit inside this block gets no response."""
    _in_doubt.set(what)
    yield
    _in_doubt.set(None)


def in_doubt() -> Any:
    """Return what an earlier attempt was committing when the connection broke, or None."""
    return _in_doubt.get()


def one_by_one(items: Iterable[T], act: Callable[[T], object], put_off: Callable[[T], object]) -> int:
    """Call `act` for every item. Return the number of items for which `act` returned a true value.

    An item that fails for its own reason is passed to `put_off`, within the exception handler. A passing error of the
    database is raised after the last item, since other items may be on another machine.
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
    """Return whether an error (no connection, or a class of SQLSTATE) means "later" rather than "never"."""
    if isinstance(error, Unavailable):
        return not str(error)  # with a text, a single game is affected
    if isinstance(error, sqlalchemy.exc.TimeoutError):
        return True
    cause = getattr(error, "orig", error)
    state = getattr(cause, "sqlstate", None)
    return state in _TRY_AGAIN or (state is None and isinstance(cause, psycopg.OperationalError))


def is_outage(error: BaseException) -> bool:
    """Return whether a passing error, such as a full disk, concerns the whole database rather than one statement."""
    cause = error.__cause__ or error
    state = getattr(getattr(cause, "orig", cause), "sqlstate", None)
    return is_passing(cause) and not isinstance(cause, Unavailable) and state not in _OF_ONE_STATEMENT
