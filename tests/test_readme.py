"""The README keeps its word: everything that it names is there. Its tour: `tests/processes/test_readme_tour.py`."""

import re
from pathlib import Path

from flask import Flask

from server import cli
from server.__main__ import USAGE
from server.config import VARIABLES
from tests.test_imports import MAY_IMPORT

CHECKOUT = Path(__file__).parents[1]
README = (CHECKOUT / "README.md").read_text("utf-8")
ROOMS = {path.parent.name for path in CHECKOUT.glob("server/*/*.py")}
ANY_ID = "01234567-89ab-cdef-0123-456789abcdef"


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
