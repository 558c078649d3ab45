"""A test run that lacks a required program lists its skips."""

import os
import subprocess
import sys

from server.config import CHECKOUT

SKIPPED = "tests/cli/test_units.py::test_systemd_detects_errors_in_the_units"


def test_a_parallel_test_run_lists_the_tests_that_it_skipped() -> None:
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
