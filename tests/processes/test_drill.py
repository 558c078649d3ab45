"""The drill for the loss of a disk, as an operator runs it."""

import re
import subprocess
import sys

from tests.support.live_server import CHECKOUT


def test_the_recovery_drill_restores_data_and_reports_how_much_was_lost_and_how_long_it_took() -> None:
    command = [sys.executable, "-m", "server.cli", "drill", "--seconds", "6"]
    done = subprocess.run(command, cwd=CHECKOUT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    moves, played = map(int, re.findall(r"^After (\d+) moves", done.stdout, re.MULTILINE))
    by_wal, by_dump = [
        (float(rpo), int(lost))
        for rpo, lost in re.findall(rf"RPO ([0-9.]+) s: (\d+) of {played} moves lost", done.stdout)
    ]
    assert by_dump[1] == played - moves > 0 and by_dump[0] > 0
    assert by_wal <= by_dump
    assert len(re.findall(r"RTO [0-9.]+ s until it answers, [0-9.]+ s until everything is checked", done.stdout)) == 2
    assert done.stdout.count("all logs are correct") == 2
