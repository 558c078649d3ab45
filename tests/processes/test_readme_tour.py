"""The README's five minutes with curl, as they stand there."""

import ast
import re
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.processes.test_up import House
from tests.support.live_server import Json, free_port

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
TOUR = re.search(r"(?s)```sh\n(.*?)```", README)[1]
BOUND = 100  # seconds for the tour, which takes ten of them on a machine that has nothing else to do


@pytest.fixture
def up(open_directory: Path) -> Iterator[House]:
    house = House(open_directory / "data", port_with_that_for_mails()).start()
    house.comes_up()
    yield house
    house.process.terminate()
    house.process.communicate()


def port_with_that_for_mails() -> int:
    """One above which the port for replies is free, too."""
    while True:
        with suppress(OSError):
            return free_port(free_port() + 25) - 25


def test_the_tour_works_word_for_word_on_another_port(up: House) -> None:
    tour = TOUR.replace("127.0.0.1:8000\n", f"127.0.0.1:{up.port}\n").replace(":8025\n", f":{up.port + 25}\n")
    assert (tour.count(f":{up.port}\n"), tour.count(f":{up.port + 25}\n")) == (1, 1)
    taken = subprocess.run(["bash", "-eu"], input=tour, capture_output=True, text=True, timeout=BOUND, check=False)
    assert (taken.returncode, taken.stderr) == (0, "")
    boards, played, version, story, clock, *letter = taken.stdout.splitlines()
    assert {"board", "slot", "spaces"} <= set(read(boards)[0])
    assert [(event["type"], event["seat"]) for event in read(played)] == [("star-placed", 0)]
    assert read(version) == read(played)[0]["version"]
    assert [event["seat"] for event in read(story) if event["type"] == "star-placed"] == [0, 1, 2]
    assert '"now"' in clock
    assert "your time was extended by 1 day" in "\n".join(letter)
    assert "The moves open to you;" in "\n".join(letter)


def read(line: str) -> list[Json]:
    """What Python printed."""
    return ast.literal_eval(line)
