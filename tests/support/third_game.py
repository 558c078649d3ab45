"""A pytest plugin that installs a third game: the package in `tests/data/third_game/`."""

import os
import sys
from pathlib import Path

NAME = "herbsthimmel"
FOLDER = str(Path(__file__).parents[1] / "data" / "third_game")


def pytest_load_initial_conftests() -> None:
    """Install it in this process and those that it starts, before any of them asks for the installed games. Modules that
    only import this one don't install it."""
    sys.path.insert(0, FOLDER)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [FOLDER, os.environ.get("PYTHONPATH")]))
