"""A test run that lacks a required program lists its skips."""

import os
import subprocess
import sys

from server.config import CHECKOUT

SKIPPED = "tests/cli/test_units.py::test_systemd_finds_errors"


def test_a_parallel_run_lists_its_skips() -> None:
    environment = os.environ | {"PATH": ""}
    environment.pop("STERNENPOST_NO_SKIPS", None)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "1", "-p", "no:cacheprovider", SKIPPED],
        cwd=CHECKOUT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout
    assert "systemd-analyze is not installed: apt-get install systemd" in run.stdout
