"""The README keeps its word: its tour works as it stands there, and everything that it names is there."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from server import cli
from server.__main__ import USAGE
from server.config import VARIABLES
from tests.processes.test_up import House
from tests.support.live_server import Json, free_port
from tests.test_imports import MAY_IMPORT

CHECKOUT = Path(__file__).parents[1]
README = (CHECKOUT / "README.md").read_text("utf-8")
TOUR = re.search(r"(?s)```sh\n(.*?)```", README)[1]
ROOMS = {path.parent.name for path in CHECKOUT.glob("server/*/*.py")}
ANY_ID = "01234567-89ab-cdef-0123-456789abcdef"
BOUND = 100  # seconds for the tour, which takes ten of them on a machine that has nothing else to do


# Five minutes with curl


@pytest.fixture
def up(open_directory: Path) -> Iterator[House]:
    house = House(open_directory / "data", free_port()).start()
    house.comes_up()
    yield house
    house.process.terminate()
    house.process.communicate()


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


# What it names


NAMED = re.findall(r"`([^`\n]+)`", re.sub(r"(?s)```.*?```", "", README))


def test_every_file_it_names_exists() -> None:
    linked = re.findall(r"\]\(([^)]+)\)", README)
    files = [name for name in NAMED if re.match(r"[a-z_]+/", name)]
    assert {"api_spec/openapi.yaml", "server/play/moves.py"} <= {*linked, *files}
    for name in [*linked, *files]:
        assert any((folder / name).exists() for folder in (CHECKOUT, CHECKOUT / "server" / "page")), name


def test_every_command_it_names_exists() -> None:
    for command in re.findall(r"python3 -m server (\w+)", README):
        assert f"python3 -m server {command} " in USAGE
    for command in re.findall(r"sternenpost (\w[\w-]*)", README):
        assert command in cli.main.commands
    for setting in re.findall(r"\b(?:STERNENPOST_)?[A-Z]+_URL\b|STERNENPOST_[A-Z_]+", README):
        assert setting in {variable.name for variable in VARIABLES.values()}


def test_every_address_it_names_answers(wired: Flask) -> None:
    named = {
        re.sub(r"\$\w+|\{\w+\}", ANY_ID, path)
        for path in re.findall(r"/(?:v1|sandbox|docs|healthz|readyz|metrics)[\w/${}-]*", README)
    }
    assert {"/docs", "/v1/sign-ins", f"/v1/games/{ANY_ID}/moves", "/sandbox/mail"} <= named
    addresses = wired.url_map.bind("")
    for path in named:
        assert path.startswith("/sandbox/") or addresses.allowed_methods(path), path


# The map


MAP = re.findall(r"^\| (`.*`) \| .+ \|$", README, re.MULTILINE)


def test_the_map_shows_every_room_and_nothing_else() -> None:
    shown = {name for line in MAP for name in re.findall(r"`([a-z/]+)/`", line)}
    assert shown == {f"server/{room}" for room in ROOMS} | {"migrations", "tests"}
    assert all((CHECKOUT / name).is_dir() for name in shown)


def test_imports_run_from_the_bottom_of_the_map_to_its_top() -> None:
    height = {room: place for place, line in enumerate(MAP) for room in re.findall(r"server/(\w+)/", line)}
    for room in ROOMS:
        assert all(height[other] < height[room] for other in MAY_IMPORT[room] & ROOMS)
