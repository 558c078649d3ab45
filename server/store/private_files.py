"""Creates files that only their owner may read, since archives, exports and dumps contain personal or secret data."""

import os
from pathlib import Path
from typing import BinaryIO


def create(path: Path) -> BinaryIO:
    """Open a file for writing, and set its mode to 0600 even if the file exists."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.fchmod(file, 0o600)
    return os.fdopen(file, "wb")


def make_directory(path: Path) -> None:
    """Create a directory with mode 0700, unless it exists."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
