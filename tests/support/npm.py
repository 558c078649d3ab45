"""npm tools for tests, in the versions of a package-lock.json in tests/contract/."""

import shutil
import subprocess
from pathlib import Path

from tests.support.live_server import PLAYED

CONTRACT = Path(__file__).parents[1] / "contract"


def install(path: Path, whose: str = "clients") -> Path:
    """Install the tools of `clients` or `linters` below `path` and return the directory of their commands.

    Raise RuntimeError with npm's message on failure.
    """
    for name in ("package.json", "package-lock.json"):
        shutil.copy(CONTRACT / whose / name, path)
    command = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    done = subprocess.run(command, cwd=path, capture_output=True, text=True, timeout=PLAYED, check=False)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return path / "node_modules" / ".bin"
