"""A third game that has only rules is played, drawn and described by shared code."""

import subprocess
import sys

from server.config import CHECKOUT


def test_calls_emails_and_jobs_work_for_a_game_that_has_only_rules() -> None:
    command = "-m pytest -q -n 0 -p no:cacheprovider -p tests.support.third_game tests/every_game/rules_alone.py"
    done = subprocess.run([sys.executable, *command.split()], cwd=CHECKOUT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
