"""The tools of npm that tests use, in the versions of tests/contract/clients/package-lock.json."""

import shutil
import subprocess
from pathlib import Path

PACKAGES = Path(__file__).parents[1] / "contract" / "clients"


def install(path: Path) -> Path:
    """Puts the tools below `path`; where their commands are. RuntimeError says what npm said against it."""
    for name in ("package.json", "package-lock.json"):
        shutil.copy(PACKAGES / name, path)
    command = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    done = subprocess.run(command, cwd=path, capture_output=True, text=True, timeout=100, check=False)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return path / "node_modules" / ".bin"
