"""What a house costs in which nothing happens, and how soon after a move its letter leaves: `python -m tests.bench.idle`.

Everything runs as `python3 -m server up` runs it, but for a mail server that only listens.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from server.config import CHECKOUT
from server.store import embedded_postgres
from tests.bench import stage
from tests.bench.client import drive
from tests.bench.turn import Listener
from tests.support.live_server import free_port, is_up, until

SETTLING = 60.0  # seconds until what was begun at the start has ended
LATEST = 5.0  # seconds for a letter


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--moves", type=int, default=30)
    wanted = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that a stop from outside cleans up, too
    data, listener, port = Path(tempfile.mkdtemp(prefix="sternenpost-bench-")), Listener(), free_port()
    data.chmod(0o755)
    settings = {
        "STERNENPOST_DATA": str(data),
        "STERNENPOST_PORT": str(port),
        "SMTP_URL": f"smtp://127.0.0.1:{listener.port}",
    }
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"} | settings
    house = subprocess.Popen(
        [sys.executable, "-m", "server.up"], cwd=CHECKOUT, env=environment, stdout=subprocess.DEVNULL
    )
    try:
        until(lambda: is_up(port))
        time.sleep(SETTLING)
        before = stage.cpu_seconds(house.pid)
        time.sleep(wanted.seconds)
        used = stage.cpu_seconds(house.pid) - before
        print(f"idle: {used / wanted.seconds:.2%} of a core, over {wanted.seconds:.0f} s; target: at most 0.50%")
        took = sorted(latencies(data, port, listener, wanted.moves))
        print(
            f"a letter after its move: {median(took):.2f} s ({took[0]:.2f} to {took[-1]:.2f}); target: at most 0.30 s"
        )
    finally:
        house.terminate()
        house.wait(60)
        shutil.rmtree(data)


def latencies(data: Path, port: int, listener: Listener, moves: int) -> list[float]:
    """From the answer to a move until the letter to whoever is next has been taken."""
    took: list[float] = []
    with stage.in_process(embedded_postgres.address(data)):
        game = stage.rehearse("sternenhimmel", 1)[0]
    for request in stage.requests(game)[:moves]:
        before = len(listener.letters)
        drive(port, [[request]], 1)
        answered = time.perf_counter()
        while len(listener.letters) == before and time.perf_counter() < answered + LATEST:
            time.sleep(0.002)
        took.append(time.perf_counter() - answered)
        time.sleep(0.1)  # for a letter that nobody is asked by
    return took


if __name__ == "__main__":
    main()
