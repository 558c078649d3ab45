"""A pytest plugin that installs a third game: the package in `tests/data/third_game/`."""

import os
import sys
from pathlib import Path

NAME = "herbsthimmel"
FOLDER = str(Path(__file__).parents[1] / "data" / "third_game")

sys.path.insert(0, FOLDER)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [FOLDER, os.environ.get("PYTHONPATH")]))
