"""Clients that others generate from the published document: they compile, and play whole games with one another.

Nothing generated is kept. The programs that use the clients are in tests/clients/, with the versions of the tools.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house import House, new_house, sign_in

HERE = Path(__file__).parent / "clients"
PUBLISHED = HERE.parents[1] / "api_spec" / "openapi.yaml"
BESIDE_PYTHON = {
    **os.environ,
    "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
}  # for the generator's ruff
BOUND = 100  # seconds
PLAYED = 60  # seconds
pytestmark = pytest.mark.timeout(300)  # tools are fetched, and two clients made


def runs(*command: str | Path, where: Path) -> str:
    """What a command prints. Fails if the command does."""
    done = subprocess.run(
        command, cwd=where, env=BESIDE_PYTHON, capture_output=True, text=True, timeout=BOUND, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the tools of npm."""
    if shutil.which("npm") is None:
        pytest.skip("There is no npm (apt-get install npm), so nobody looks whether others can use the document")
    path = tmp_path_factory.mktemp("clients")
    for name in ("package.json", "package-lock.json", "tsconfig.json", "player.ts", "redocly.yaml"):
        shutil.copy(HERE / name, path)
    runs("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", where=path)
    return path


@pytest.fixture(scope="module")
def in_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a Python package made from the document, without a warning."""
    path = tmp_path_factory.mktemp("in_python")
    made = ("--output-path", path / "sternenpost_client", "--meta", "none")
    how = ("--config", HERE / "generator.yaml", "--fail-on-warning")
    runs(sys.executable, "-m", "openapi_python_client", "generate", "--path", PUBLISHED, *made, *how, where=path)
    shutil.copy(HERE / "player.py", path)
    return path


@pytest.fixture(scope="module")
def in_typescript(workshop: Path) -> Path:
    """A directory with the types made from the document, without a warning, and a compiled program that uses them."""
    bin_ = workshop / "node_modules" / ".bin"
    made = runs(
        bin_ / "openapi-typescript", PUBLISHED, "-o", "schema.ts", "--default-non-nullable=false", where=workshop
    )
    assert "⚠" not in made
    runs(bin_ / "tsc", where=workshop)
    return workshop


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with new_house() as house:
        house.start_web()
        house.start_worker()
        yield house


def test_a_second_linter_finds_nothing_to_object_to(workshop: Path) -> None:
    runs(workshop / "node_modules" / ".bin" / "redocly", "lint", PUBLISHED, "--max-problems=1000", where=workshop)


def test_no_class_of_the_python_client_is_named_by_a_number(in_python: Path) -> None:
    names = [path.stem for path in (in_python / "sternenpost_client" / "models").glob("*.py")]
    assert "sternenhimmel_view" in names
    assert not [name for name in names if re.search(r"type_\d|_item$|_additional_property$", name)]


def test_the_python_client_and_a_program_with_it_pass_mypy(in_python: Path) -> None:
    strictly = ("--strict", "--follow-imports=silent", "--config-file=")
    runs(sys.executable, "-m", "mypy", *strictly, "player.py", where=in_python)


def test_clients_in_two_languages_play_a_game_of_each_kind_to_its_end(
    house: House, in_python: Path, in_typescript: Path
) -> None:
    ada, bea, cyd = (sign_in(house, f"{name}@example.org").token for name in ("ada", "bea", "cyd"))
    players = [
        subprocess.Popen([*command, house.url, *tokens], cwd=where, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for command, tokens, where in (
            ([sys.executable, "player.py"], [ada, cyd], in_python),
            (["node", "player.js"], [bea], in_typescript),
        )
    ]
    reports = []
    try:
        for player in players:
            said, wrong = player.communicate(timeout=PLAYED)
            assert player.returncode == 0, wrong.decode()
            reports.append(json.loads(said))
    finally:
        for player in players:
            player.kill()
    assert reports[0] == reports[1]
    for of_game in reports[0].values():
        assert of_game["outcome"] == of_game["story"] == of_game["view"]
    assert reports[0].keys() == {"sternenhimmel", "sternenglanz"}
