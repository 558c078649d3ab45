"""The tour of `/docs/curl`, run word for word."""

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.processes.test_up import House, free_ports
from tests.support.handbook import block
from tests.support.live_server import PLAYED, Json


@pytest.fixture
def up(open_directory: Path) -> Iterator[House]:
    house = House(open_directory / "data", free_ports()).start()
    house.comes_up()
    yield house
    house.process.terminate()
    house.process.communicate()


def test_the_tour_works_word_for_word_on_another_port(up: House) -> None:
    tour = block(httpx.get(f"http://127.0.0.1:{up.port}/docs/curl").text, "tour")
    tour = tour.replace(":8025\n", f":{up.port + 25}\n")
    assert (tour.count(f":{up.port}\n"), tour.count(f":{up.port + 25}\n")) == (1, 1)
    taken = subprocess.run(["bash", "-eu"], input=tour, capture_output=True, text=True, timeout=PLAYED, check=False)
    assert (taken.returncode, taken.stderr) == (0, "")
    boards, played, version, story, clock, *letter = taken.stdout.splitlines()
    assert {"board", "slot", "spaces"} <= set(read(boards)[0])
    assert [(event["type"], event["seat"]) for event in read(played)] == [("star-placed", 0)]
    assert read(version) == read(played)[0]["version"]
    assert [event["seat"] for event in read(story) if event["type"] == "star-placed"] == [0, 1, 2]
    assert '"now"' in clock
    assert "Your time was extended by 1 day" in "\n".join(letter)
    assert "Your possible moves." in "\n".join(letter)


def read(line: str) -> list[Json]:
    """What Python printed."""
    return ast.literal_eval(line)
