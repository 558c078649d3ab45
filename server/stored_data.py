"""Stored data that this release or machine refuses: a default takes their place, and the log says so once."""

import logging
from collections.abc import Callable
from functools import cache
from typing import Any, Final, TypeVar

import orjson

T = TypeVar("T")

REFUSED: Final = (ValueError, TypeError, LookupError, AttributeError, OverflowError, OSError)

log = logging.getLogger(__name__)


def read_or(default: T, field: str, read: Callable[[], T]) -> T:
    """Return what `read` makes of a stored field, or `default` if it refuses the value."""
    try:
        return read()
    except REFUSED:
        warn_of(field)
        return default


def as_json(value: Any) -> bytes:
    """Return stored JSON as text, or null, which every reader refuses, for what orjson can't write."""
    try:
        return orjson.dumps(value)
    except TypeError:  # such as a number of more than 64 bits
        return b"null"


@cache
def warn_of(field: str) -> None:
    """Log once in the life of this process that a stored field is replaced by its default."""
    log.warning(
        "A stored value of `%s` is refused here and its default is used: `sternenpost doctor` names the row", field
    )
