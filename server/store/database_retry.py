"""Retry: what is tried again when the database goes away, and what is in doubt then."""

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
_READ_ONLY = "25006"  # a copy of another one, or what was the first one until another took its place
_IDLE_FOR_LONG = "25P03"  # amid a transaction: the line was dead, or this process was stopped
_OF_ONE_STATEMENT = {"40P01", "40001", "57014", "55P03"}  # a deadlock, a conflict, a time limit
_TRY_AGAIN = {
    *_OF_ONE_STATEMENT,
    *("08006", "08003", "08001", "57P01", "57P02", "57P03"),
    *(_READ_ONLY, _IDLE_FOR_LONG),
    *("53000", "53100", "53200", "53300", "53400"),  # no disk, memory or connection is left
    "08P01",  # a pooler has lost its Postgres, or has none to give
}
_BROKEN_OFF = (
    *(psycopg.OperationalError, sqlalchemy.exc.OperationalError, sqlalchemy.exc.InterfaceError),
    *(psycopg.errors.ReadOnlySqlTransaction, psycopg.errors.IdleInTransactionSessionTimeout),
    sqlalchemy.exc.InternalError,
)
_in_doubt: ContextVar[Any] = ContextVar("in_doubt", default=None)


class Unavailable(Exception):
    """The request cannot be served at present, and nothing has changed as far as we know.

    Without a text, the database does not answer. A text tells operators what is missing for one game: a file or a release.
    """


def tried_again(action: Callable[P, T]) -> Callable[P, T]:
    """Call again when the database broke off; `commit` must look first whether its commit has arrived.

    It finds that in the log, or asks `in_doubt`. Raises Unavailable after three tries, or once a host does not answer: to wait
    for that again would only hold a thread.
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
    """Around a commit: if its answer is lost, the next try of the commit finds `what` in doubt."""
    _in_doubt.set(what)
    yield
    _in_doubt.set(None)


def in_doubt() -> Any:
    """What an earlier try of this commit was committing when the database broke off; None if nothing."""
    return _in_doubt.get()


def one_by_one(items: Iterable[T], act: Callable[[T], object], put_off: Callable[[T], object]) -> int:
    """Act on every item and return for how many `act` returned a true value.

    `put_off` is called, with the exception at hand, for an item that fails for a reason of its own. A passing error of the
    database puts off nothing. It is raised after the last item, since other items may be on another machine.
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
    """Whether an error means "later" (no connection to be had, or a class of SQLSTATE), not "never"."""
    if isinstance(error, Unavailable):
        return not str(error)  # else one game is concerned, and the others go on
    if isinstance(error, sqlalchemy.exc.TimeoutError):
        return True
    cause = getattr(error, "orig", error)
    state = getattr(cause, "sqlstate", None)
    return state in _TRY_AGAIN or (state is None and isinstance(cause, psycopg.OperationalError))


def is_outage(error: BaseException) -> bool:
    """Whether a passing error comes from the whole database, like a full disk, rather than from a single statement."""
    cause = error.__cause__ or error
    state = getattr(getattr(cause, "orig", cause), "sqlstate", None)
    return is_passing(cause) and not isinstance(cause, Unavailable) and state not in _OF_ONE_STATEMENT
