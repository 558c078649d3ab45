"""The README keeps its word: everything that it names is there. Its tour: `tests/processes/test_readme_tour.py`."""

import re
from pathlib import Path

from flask import Flask

from server import cli
from server.__main__ import USAGE
from server.config import VARIABLES
from server.play.sweep import wake_due
from tests.support.contract import Someone, opened
from tests.support.games import BOT, DAY, ME, OPEN, game_of, happened, later, person, service_is_up
from tests.support.walk import Step, stays, walk
from tests.test_imports import MAY_IMPORT

CHECKOUT = Path(__file__).parents[1]
README = (CHECKOUT / "README.md").read_text("utf-8")
ROOMS = {path.parent.name for path in CHECKOUT.glob("server/*/*.py")}
ANY_ID = "01234567-89ab-cdef-0123-456789abcdef"


NAMED = re.findall(r"`([^`\n]+)`", re.sub(r"(?s)```.*?```", "", README))


def test_every_file_it_names_exists() -> None:
    linked = re.findall(r"\]\(([^)]+)\)", README)
    files = [name for name in NAMED if re.match(r"[a-z_]+/", name)] + re.findall(r"pytest .*?(tests/\S+)", README)
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


# The ways


def told(beginning: str) -> str:
    """The numbered list after the line that begins like this."""
    return re.search(rf"(?ms)^{beginning}[^\n]*:\n\n(.*?)\n\n", README)[1]


def expect_told(way: str, steps: list[Step]) -> None:
    """Every station that is told is entered, and every file that is entered is told."""
    entered = {(step.file, step.function.rpartition(".")[2]) for step in steps}
    stations = re.findall(r"`([\w.]+)`\s+in\s+`(server/[\w/]+\.\w+)`", way)
    assert len(stations) >= 10
    for function, file in stations:
        if file.endswith(".sql"):
            assert f"FUNCTION {function}(" in (CHECKOUT / file).read_text("utf-8")
        else:
            assert (file, function.rpartition(".")[2]) in entered, f"{function} in {file}"
    files = re.findall(r"`([\w/]+\.py)`", way)
    for step in steps:
        assert any(step.file == file or step.file.endswith(f"/{file}") for file in files), step


def test_the_way_of_a_move_is_as_it_is_told(app: Flask) -> None:
    ada, ben = Someone(app, "ada"), Someone(app, "ben")
    path = opened(ada, ME, OPEN, BOT)
    ben.post(f"{path}/seats")
    asked = ada.get(f"{path}/legal-moves").json
    wanted = {"turn": asked["turn"], "move": asked["moves"][0]}
    answers = []
    steps = walk(lambda: answers.append(ada.post(f"{path}/moves", wanted)))
    assert [answer.status_code for answer in answers] == [201]
    expect_told(told("A move over HTTP"), steps)


def test_the_way_of_a_due_seat_is_as_it_is_told_and_not_long(app: Flask) -> None:
    with app.app_context():
        game_id = game_of(person("ada"), person("ben"), bots=1)
        service_is_up()
        later(3 * DAY)
        steps = walk(wake_due)
        assert happened(game_id)[-1] == "time-extended"
    expect_told(told("A due seat"), steps)
    assert len(stays(steps)) <= 20


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
