"""Commands that need no database neither wait for it nor import its modules."""

import subprocess
import sys
from importlib.metadata import version

import pytest

from server.cli import main
from tests.support.commands import ask

LOADED = """
import sys
from server.cli import main
try:
    main(sys.argv[1:])
except SystemExit as end:
    print(end.code, sorted({"sqlalchemy", "flask", "psycopg", "babel", "server.play"} & set(sys.modules)))
"""


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["config"]])
def test_commands_without_a_database_import_no_database_code(words: list[str]) -> None:
    command = [sys.executable, "-c", LOADED, *words]
    told = subprocess.run(command, check=True, capture_output=True, text=True, env={"STERNENPOST_PORT": "8001"})
    assert told.stdout.splitlines()[-1] == "0 []"


def test_the_version_is_printed() -> None:
    command = [sys.executable, "-m", "server.cli", "--version"]
    told = subprocess.run(command, check=True, capture_output=True, text=True)
    assert told.stdout == f"sternenpost {version('sternenpost')}\n"


def test_the_command_list_shows_each_commands_own_summary() -> None:
    listed = ask("--help").output
    for name, command in main.commands.items():
        assert f"  {name.ljust(13)}  {command.get_short_help_str(limit=100)}\n" in listed
