"""`python3 -m server up` and `python3 -m server test`: install the project into `.venv`, then run the command there.

This module uses only the standard library, since nothing is installed yet. Its syntax also works in old versions of
Python, so that they can print the required version.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

USAGE = """\
python3 -m server up                  start everything: Postgres, web, worker and a sandbox game; Ctrl-C stops it
python3 -m server test [pytest args]  run the tests in about four minutes; --all runs everything"""

CHECKOUT = Path(__file__).resolve().parent.parent
VENV = CHECKOUT / ".venv"
DISCARDED = CHECKOUT / ".venv.discarded"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "installed-by-server"  # the fingerprint of what is installed, or UNFINISHED
LOCK = CHECKOUT / "requirements.lock"
SERVING, TESTING = ".", ".[dev]"  # what pip installs: the server, or the server with the tests' requirements
UNFINISHED = "unfinished"


def main(arguments: list[str]) -> None:
    if sys.version_info < (3, 11):  # noqa: UP036  an older version may run this file
        sys.exit("Sternenpost needs Python 3.11 or newer; this is " + sys.version.split()[0] + ".")
    if arguments[:1] == ["test"]:
        needed, command = TESTING, ["-m", "pytest", *arguments[1:]]
    elif arguments == ["up"]:
        needed, command = SERVING, ["-m", "server.up"]
    else:
        sys.exit(USAGE)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        install(needed)
    except OSError as error:
        sys.exit(f"Cannot install into {VENV}: {error}")
    except KeyboardInterrupt:
        sys.exit("Installation interrupted. The next run starts it again.")
    os.chdir(CHECKOUT)
    os.execv(PYTHON, [str(PYTHON), *command])


def install(needed: str) -> None:
    """Update the virtual environment. A lock makes concurrent runs wait."""
    lock = os.open(CHECKOUT, os.O_RDONLY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another command is installing here. Waiting for it.")
            fcntl.flock(lock, fcntl.LOCK_EX)
        installed = STAMP.read_text() if STAMP.exists() else None
        if installed in fulfilments(needed) and PYTHON.exists():
            return
        if installed is not None and installed.split("\n")[0] != this_python(VENV) or not works():
            make_venv()
        STAMP.write_text(UNFINISHED)
        install_packages(needed, lock)
        STAMP.write_text(wish(needed))
    finally:
        os.close(lock)


def wish(needed: str) -> str:
    return f"{this_python(VENV)}\n{fingerprint()}\n{needed}"


def fulfilments(needed: str) -> set[str]:
    """Return the fingerprints of environments that have everything this command needs, so that `up` after `test`
    installs nothing."""
    return {wish(needed), wish(TESTING)}


def this_python(venv: Path) -> str:
    return f"{sys.version.split()[0]} {sys.base_prefix} {venv}"


def fingerprint() -> str:
    files = (CHECKOUT / "pyproject.toml", LOCK)
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def works() -> bool:
    """Return whether the virtual environment belongs to this Python and this folder, and has pip."""
    question = "import pip, sys; print(sys.version.split()[0], sys.base_prefix, sys.prefix)"
    try:
        answer = subprocess.run([PYTHON, "-c", question], check=False, capture_output=True, text=True)
    except OSError:
        return False
    return answer.stdout.strip() == this_python(VENV)


def make_venv() -> None:
    if not all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")):
        sys.exit("This Python cannot create virtual environments. On Debian or Ubuntu, run `apt install python3-venv`.")
    say(f"Creating {VENV}")
    delete(DISCARDED)
    if os.path.lexists(VENV):
        VENV.rename(DISCARDED)  # atomically, so that no process sees half of it
        delete(DISCARDED)
    VENV.mkdir()
    STAMP.write_text(UNFINISHED)
    outer_python = getattr(sys, "_base_executable", sys.executable)  # the running Python may be in the discarded folder
    made = subprocess.run([outer_python, "-m", "venv", VENV], check=False, capture_output=True, text=True)
    if made.returncode != 0:
        sys.exit(f"{made.stdout}{made.stderr}\nThe virtual environment could not be created. See the error above.")


def delete(folder: Path) -> None:
    """Delete a folder, or a link to one."""
    if folder.is_symlink():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)


def install_packages(needed: str, lock: int) -> None:
    say("Installing packages. The first time this takes a minute.")
    pinned = VENV / "requirements.txt"
    pinned.write_text(requirements(needed))
    pip_install(lock, "--require-hashes", "-r", str(pinned))
    # Fails if the lock file lacks what pyproject.toml asks for.
    pip_install(lock, "--no-index", "--no-build-isolation", "-e", needed)


def requirements(needed: str) -> str:
    """Return the lock file with the extra's lines made unconditional, since requirements files don't support extras."""
    extra = needed.removeprefix(".").strip("[]")
    return LOCK.read_text("utf-8").replace(f"extra == '{extra}'", "python_version > '3'")


def pip_install(lock: int, *arguments: str) -> None:
    pip = subprocess.Popen(
        [
            *(PYTHON, "-m", "pip", "install", "--progress-bar", "off", "--no-input", "--disable-pip-version-check"),
            *arguments,
        ],
        cwd=CHECKOUT,
        env={**os.environ, "PIP_USER": "0", "PIP_QUIET": "0"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        pass_fds=[lock],  # if we are killed, the lock holds until pip has ended
    )
    assert pip.stdout is not None
    said, found = [], 0
    try:
        for line in pip.stdout:
            if not line.startswith(("Requirement already satisfied", "Ignoring ")):
                said.append(line)
            if line.startswith("Collecting "):
                found += 1
                if found % 10 == 0:
                    say(f"  {found} packages downloaded")
            elif found and line.startswith("Installing collected packages"):
                say("  installing them")
    except BaseException:
        pip.terminate()
        raise
    finally:
        status = pip.wait()
    if status != 0:
        STAMP.unlink()  # pip rolls back a failed installation
        sys.exit("".join(said[-15:]) + f"\npip failed with exit status {status}. See its last output above.")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
