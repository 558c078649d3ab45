"""Everything that the READMEs name exists: files, commands, settings, addresses, packages and paths."""

import re

import pytest
from flask import Flask

from server import cli
from server.__main__ import USAGE
from server.config import VARIABLES
from server.play.timing.sweep import wake_due
from tests.support.contract import Someone, opened
from tests.support.games import BOT, DAY, ME, OPEN, game_of, happened, later, person, service_is_up
from tests.support.walk import CHECKOUT, Step, stays, walk
from tests.test_imports import MAY_IMPORT

READMES = (
    *("README.md", "server/README.md", "server/games/README.md", "server/page/README.md", "tests/README.md"),
    *(".github/CONTRIBUTING.md", ".github/SECURITY.md"),
)
ROOMS = {path.parent.name for path in CHECKOUT.glob("server/*/*.py")}
ANY_ID = "01234567-89ab-cdef-0123-456789abcdef"
PLACES = (
    "",
    "server",
    "server/page",
    "tests",
    "server/post",
    "server/games/sternenhimmel",
)  # that names are relative to


def text_of(name: str) -> str:
    return (CHECKOUT / name).read_text("utf-8")


def prose_of(name: str) -> str:
    return re.sub(r"(?s)```.*?```", "", text_of(name))


def test_the_readme_is_short() -> None:
    lines = text_of("README.md").splitlines()
    assert len(lines) <= 140
    assert len(re.findall(r"!\[", text_of("README.md"))) == 4


@pytest.mark.parametrize("name", READMES)
def test_every_link_leads_to_an_existing_file_and_heading(name: str) -> None:
    for path, place in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", text_of(name)):
        target = (CHECKOUT / name).parent / path if path else CHECKOUT / name
        assert target.exists(), path
        if place:
            headings = re.findall(r"(?m)^#+ (.*)$", target.read_text("utf-8"))
            named = {it for heading in headings for it in re.findall(r"\{#([\w-]+)\}", heading)}
            assert place in named | {re.sub(r"\W+", "-", it.lower()).strip("-") for it in headings}, place


@pytest.mark.parametrize("name", READMES)
def test_every_file_named_in_a_readme_exists(name: str) -> None:
    files = [it for it in re.findall(r"`([^`\n]+)`", prose_of(name)) if re.fullmatch(r"[\w.-]+/[\w./-]*", it)]
    files += re.findall(r"(?:server test|pytest) (tests/\S+)", text_of(name))
    for file in set(files) - {".data/"}:  # which `up` makes
        assert any((CHECKOUT / place / file).exists() for place in PLACES), file


@pytest.mark.parametrize("name", READMES)
def test_every_command_and_setting_named_in_a_readme_exists(name: str) -> None:
    text = text_of(name)
    for command in re.findall(r"python3 -m server (\w+)", text):
        assert f"python3 -m server {command} " in USAGE
    for command in re.findall(r"`sternenpost (\w[\w-]*)|(?m:^sternenpost (\w[\w-]*))", text):
        assert "".join(command) in cli.main.commands
    for module in re.findall(r"python -m ((?:tests|server)[\w.]+\w)", text):
        assert (
            module.endswith(".NAME")
            or (CHECKOUT / f"{module.replace('.', '/')}.py").exists()
            or (CHECKOUT / module.replace(".", "/") / "__main__.py").exists()
        ), module
    settings = set(re.findall(r"\b(?:STERNENPOST_)?[A-Z]+_URL\b|STERNENPOST_[A-Z_]+", text))
    assert settings <= {variable.name for variable in VARIABLES.values()}


@pytest.mark.parametrize("name", READMES)
def test_every_url_named_in_a_readme_gets_a_response(session_app: Flask, name: str) -> None:
    named = {
        re.sub(r"\$\w+|\{\w+\}", ANY_ID, path)
        for path in re.findall(r"(?<![\w.])/(?:v1|sandbox|docs|healthz|readyz|metrics)[\w/${}-]*", text_of(name))
    }
    addresses = session_app.url_map.bind("")
    for path in named:
        assert path.startswith("/sandbox/") or addresses.allowed_methods(path), path


# The paths


def stations(heading: str) -> list[tuple[str, str]]:
    """Return file and function of each line of the diagram below this heading."""
    section = text_of("server/README.md").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return [(f"server/{file}", function) for file, function in re.findall(r"(?m)^ ?\d+ +(\S+) +(\S+) ", section)]


def expect_path(heading: str, steps: list[Step]) -> None:
    """Every station is entered, and every file that is entered stands in the section."""
    entered = {(step.file, step.function.rpartition(".")[2]) for step in steps}
    section = text_of("server/README.md").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    diagram = stations(heading)
    assert len(diagram) == 10
    for file, function in diagram:
        if file.endswith(".sql"):
            assert f"FUNCTION {function}(" in text_of(file)
        else:
            assert (file, function.rpartition(".")[2]) in entered, f"{function} in {file}"
    files = {file for file, _ in diagram} | set(re.findall(r"`([\w/]+\.py)`", section))
    missing = {step.file for step in steps if not any(f"/{step.file}".endswith(f"/{file}") for file in files)}
    assert not missing


def test_the_code_path_of_a_move_matches_the_diagram(app: Flask) -> None:
    ada, ben = Someone(app, "ada"), Someone(app, "ben")
    path = opened(ada, ME, OPEN, BOT)
    ben.post(f"{path}/seats")
    asked = ada.get(f"{path}/legal-moves").json
    wanted = {"turn": asked["turn"], "move": asked["moves"][0]}
    answers = []
    steps = walk(lambda: answers.append(ada.post(f"{path}/moves", wanted)))
    assert [answer.status_code for answer in answers] == [201]
    expect_path("The path of a move", steps)


def test_the_path_of_a_time_out_matches_the_diagram_and_is_short(app: Flask) -> None:
    with app.app_context():
        game_id = game_of(person("ada"), person("ben"), bots=1)
        service_is_up()
        later(3 * DAY)
        steps = walk(wake_due)
        assert happened(game_id)[-1] == "time-extended"
    expect_path("The path of a time-out", steps)
    assert len(stays(steps)) <= 26


# The rooms


ROWS = re.findall(r"^\| (`(?:server/\w+|migrations|tests)/`) \| .+ \|$", text_of("server/README.md"), re.MULTILINE)


def test_the_readmes_table_of_packages_is_complete() -> None:
    shown = {name for line in ROWS for name in re.findall(r"`([a-z/]+)/`", line)}
    assert shown == {f"server/{room}" for room in ROOMS} | {"migrations", "tests"}
    assert all((CHECKOUT / name).is_dir() for name in shown)


def test_each_package_imports_only_packages_listed_below_it() -> None:
    height = {room: place for place, line in enumerate(ROWS) for room in re.findall(r"server/(\w+)/", line)}
    for room in ROOMS:
        assert all(height[other] < height[room] for other in MAY_IMPORT[room] & ROOMS)
