"""Stored data that this release or this machine rejects. A default replaces it, and a message is logged once."""

import logging
from collections.abc import Callable
from functools import cache
from typing import Any, Final, TypeVar

import orjson

T = TypeVar("T")

REFUSED: Final = (ValueError, TypeError, LookupError, AttributeError, OverflowError, OSError)

log = logging.getLogger(__name__)


def read_or(default: T, field: str, read: Callable[[], T]) -> T:
    """Return the result of `read` for a stored field, or `default` if `read` rejects the value."""
    try:
        return read()
    except REFUSED:
        warn_of(field)
        return default


def as_json(value: Any) -> bytes:
    """Return stored JSON as text. If orjson can't write it, return null, which every parser rejects."""
    try:
        return orjson.dumps(value)
    except TypeError:  # for example, because of a number of more than 64 bits
        return b"null"


@cache
def warn_of(field: str) -> None:
    """Log that a default replaces a stored field, once per process."""
    log.warning(
        "A stored value of `%s` is invalid here, so its default is used: `sternenpost doctor` names the row", field
    )
