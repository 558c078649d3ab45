"""Metrics that the processes of a web server share through files, for `/metrics`. Import Counter, Gauge and Histogram
from here.

The files are mapped into memory. Writing to a full disk kills the process (SIGBUS), so disk space is reserved first. If
the disk is full, a process keeps its numbers in memory, and `/metrics` lacks these numbers until the process restarts.
"""

import logging
import os
from contextlib import suppress
from typing import Any, BinaryIO

from prometheus_client import Counter, Gauge, Histogram, mmap_dict, values

__all__ = ["Counter", "Gauge", "Histogram", "trouble"]

_FIRST_SIZE: int = mmap_dict._INITIAL_MMAP_SIZE
_LONGEST_ENTRY = 4 + 8 + 16  # bytes in addition to the key: the key's length and padding, and two doubles
_troubles: list[str] = []  # at most one

log = logging.getLogger(__name__)


def trouble() -> str:
    """Return what keeps this process from sharing its metrics, or ""."""
    return "".join(_troubles)


class _ReservedDict(mmap_dict.MmapedDict):
    """A prometheus_client file whose disk space is reserved, or this process's memory if the disk is full."""

    def __init__(self, filename: str) -> None:
        try:
            with open(filename, "ab") as file:
                _reserve(file, _FIRST_SIZE)
            super().__init__(filename)  # type: ignore[no-untyped-call]  # has no types
        except OSError as error:
            with suppress(OSError):
                os.unlink(filename)  # an empty file could not be read
            self._positions: dict[str, int] = {}
            self._used = 8
            self._keep_in_memory(bytearray(_FIRST_SIZE), error)
            self._m[:4] = self._used.to_bytes(4, "little")

    def _init_value(self, key: str) -> None:
        while self._used + len(key.encode()) + _LONGEST_ENTRY > self._capacity:
            if self._f is not None:
                try:
                    _reserve(self._f, 2 * self._capacity)
                    break  # the base class maps it
                except OSError as error:
                    self._keep_in_memory(bytearray(self._m), error)
            self._m += bytes(self._capacity)
            self._capacity *= 2
        super()._init_value(key)  # type: ignore[no-untyped-call]  # has no types

    def _keep_in_memory(self, content: bytearray, error: OSError) -> None:
        self._f: BinaryIO | None = None  # type: ignore[assignment]  # as after `close`
        self._m: Any = content
        self._capacity = len(content)
        if not _troubles:
            _troubles.append(f"no room for the numbers of /metrics ({error.strerror})")
            log.warning("This process keeps its numbers from /metrics until it restarts: %s", error)


def _reserve(file: BinaryIO, size: int) -> None:
    """Reserve `size` bytes. Raise OSError if the disk is full."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)


setattr(values, "MmapedDict", _ReservedDict)  # noqa: B010  # the module doesn't export it in its types
