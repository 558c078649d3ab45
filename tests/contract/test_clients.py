"""Generated clients and the handbook's bot play whole games.

The programs that use the clients are in tests/contract/clients/, with the versions of the tools.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from server.games import GAMES
from tests.support import npm
from tests.support.handbook import block
from tests.support.live_server import PLAYED, Client, House, sign_in, until

HERE = Path(__file__).parent / "clients"
PUBLISHED = HERE.parents[2] / "api_spec" / "openapi.yaml"
BESIDE_PYTHON = {
    **os.environ,
    "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
}  # for the generator's ruff


def runs(*command: str | Path, where: Path) -> str:
    """Return a command's output. Fail if the command does."""
    done = subprocess.run(
        command, cwd=where, env=BESIDE_PYTHON, capture_output=True, text=True, timeout=PLAYED, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the tools of npm."""
    if shutil.which("npm") is None:
        pytest.skip("There is no npm (apt-get install npm), so nobody looks whether others can use the document")
    path = tmp_path_factory.mktemp("clients")
    for name in ("tsconfig.json", "player.ts"):
        shutil.copy(HERE / name, path)
    npm.install(path)
    return path


@pytest.fixture(scope="module")
def in_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with a Python package generated from the document without a warning."""
    path = tmp_path_factory.mktemp("in_python")
    made = ("--output-path", path / "sternenpost_client", "--meta", "none")
    how = ("--config", HERE / "generator.yaml", "--fail-on-warning")
    runs(sys.executable, "-m", "openapi_python_client", "generate", "--path", PUBLISHED, *made, *how, where=path)
    shutil.copy(HERE / "player.py", path)
    return path


@pytest.fixture(scope="module")
def in_typescript(workshop: Path) -> Path:
    """Return a directory with types generated from the document without a warning, and a compiled program that uses
    them."""
    bin_ = workshop / "node_modules" / ".bin"
    made = runs(
        bin_ / "openapi-typescript", PUBLISHED, "-o", "schema.ts", "--default-non-nullable=false", where=workshop
    )
    assert "⚠" not in made
    runs(bin_ / "tsc", where=workshop)
    return workshop


def test_no_class_of_the_python_client_is_named_with_a_number(in_python: Path) -> None:
    names = [path.stem for path in (in_python / "sternenpost_client" / "models").glob("*.py")]
    assert "sternenhimmel_view" in names
    assert not [name for name in names if re.search(r"type_\d|_item$|_additional_property$", name)]


def test_the_python_client_and_a_program_using_it_pass_mypy(in_python: Path) -> None:
    strictly = ("--strict", "--follow-imports=silent", "--config-file=")
    runs(sys.executable, "-m", "mypy", *strictly, "player.py", where=in_python)


@pytest.fixture
def programs() -> Iterator[list[subprocess.Popen[str]]]:
    """Yield a list of running programs, and kill them after the test."""
    started: list[subprocess.Popen[str]] = []
    yield started
    for program in started:
        program.kill()


def start(*command: str | Path, where: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(command, cwd=where, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def output_of(program: subprocess.Popen[str]) -> str:
    told, wrong = program.communicate(timeout=PLAYED)
    assert program.returncode == 0, wrong
    return told


def tokens(house: House, *names: str) -> list[str]:
    return [str(sign_in(house, f"{name}@example.org").token) for name in names]


def test_clients_in_two_languages_play_each_game_to_its_end(
    house: House, in_python: Path, in_typescript: Path, programs: list[subprocess.Popen[str]]
) -> None:
    ada, bea, cyd = tokens(house, "ada", "bea", "cyd")
    programs.append(start(sys.executable, "player.py", house.url, ada, cyd, where=in_python))
    programs.append(start("node", "player.js", house.url, bea, where=in_typescript))
    reports = [json.loads(output_of(program)) for program in programs]
    assert reports[0] == reports[1]
    for of_game in reports[0].values():
        assert of_game["outcome"] == of_game["story"] == of_game["view"]
    assert reports[0].keys() == {"sternenhimmel", "sternenglanz"}


def test_the_bot_in_the_handbook_has_30_lines_and_plays_both_games_as_printed(
    house: House, tmp_path: Path, programs: list[subprocess.Popen[str]]
) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(block(httpx.get(f"{house.url}/docs/bot").text, "bot"), "utf-8")
    assert len(bot.read_text("utf-8").splitlines()) <= 30
    for rules, options, names in (
        ("sternenhimmel", {}, ("dan", "eve", "fay")),
        ("sternenglanz", {"max_rounds": 5}, ("dan", "eve")),
    ):
        own, *others = tokens(house, *names)
        seats = [{"player": "me"}, *[{"open": True}] * len(others)]
        wanted = {"rules": rules, "options": options, "seats": seats}
        game = Client(house, own).post("/v1/games", wanted)["id"]
        for token in others:
            Client(house, token).post(f"/v1/games/{game}/seats", {})
        programs += [start(sys.executable, bot, house.url, it, game, "0.1", where=tmp_path) for it in (own, *others)]
    for program in programs:
        assert {"scores", "places"} == ast.literal_eval(output_of(program)).keys()


def player_for(house: House, where: Path, token: str, *game: str) -> subprocess.Popen[str]:
    """Start the handbook's line program for this server."""
    (where / "lines.py").write_text(block(httpx.get(f"{house.url}/docs/bot").text, "bot-lines"), "utf-8")
    joined = ("-m", "server.cli", "bot", "--url", house.url, "--token", token, *game, "--")
    return start(sys.executable, *joined, sys.executable, where / "lines.py", where=HERE.parents[2])


def game_against_a_bot(client: Client, rules: str, **options: int) -> str:
    bots = [{"bot": "greedy"}] * (GAMES[rules].SEATS.start - 1)
    wanted = {"rules": rules, "options": options, "seats": [{"player": "me"}, *bots]}
    return str(client.post("/v1/games", wanted)["id"])


def is_over(client: Client, game_id: str) -> bool:
    return bool(client.get(f"/v1/games/{game_id}")["status"] == "finished")


def test_a_program_without_http_plays_the_game_of_its_seat_token_and_exits_when_the_game_ends(
    house: House, tmp_path: Path, programs: list[subprocess.Popen[str]]
) -> None:
    ada = sign_in(house, "ada@example.org")
    game = game_against_a_bot(ada, "sternenhimmel")
    token = ada.post(f"/v1/games/{game}/seats/me/tokens", {})["token"]
    programs.append(player_for(house, tmp_path, token, "--game", game))
    output_of(programs[-1])
    assert is_over(ada, game)


def test_a_program_without_http_plays_all_games_of_an_account(
    house: House, tmp_path: Path, programs: list[subprocess.Popen[str]]
) -> None:
    bea = sign_in(house, "bea@example.org")
    bea.ask("PATCH", "/v1/me", json={"program": True})
    first = game_against_a_bot(bea, "sternenglanz", max_rounds=5)
    programs.append(player_for(house, tmp_path, str(bea.token)))
    until(lambda: bea.get(f"/v1/games/{first}")["version"] > 10, PLAYED)
    second = game_against_a_bot(bea, "sternenhimmel")
    until(lambda: is_over(bea, first) and is_over(bea, second), PLAYED)
    assert programs[-1].poll() is None
    bea.ask("DELETE", "/v1/tokens")
    third = sign_in(house, "bea@example.org")
    house.restart_web()  # its stream breaks off, and its token is no longer valid
    game_against_a_bot(third, "sternenhimmel")
    assert programs[-1].wait(PLAYED) == 1
