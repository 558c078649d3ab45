"""The bot of the README plays a game to its end."""

import ast
import re
import subprocess
import sys
from pathlib import Path

from tests.support.live_server import CHECKOUT, new_house, sign_in

[PRINTED] = re.findall(r"(?s)```python\n(.*?)```", (CHECKOUT / "README.md").read_text("utf-8"))
BOUND = 220  # seconds for the game


def test_the_bot_in_the_readme_has_12_lines_and_plays_to_the_end(tmp_path: Path) -> None:
    assert len([line for line in PRINTED.splitlines() if line]) == 12
    with new_house() as house:
        house.start_web()
        for _ in range(2):  # bots of two workers take turns faster
            house.start_worker()
        ada = sign_in(house, "ada@example.org")
        program = PRINTED.replace("http://127.0.0.1:8000", house.url)
        assert program.count(house.url) == 1
        run = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env={"TOKEN": str(ada.token)},
            capture_output=True,
            text=True,
            timeout=BOUND,
            check=False,
        )
        assert (run.returncode, run.stderr) == (0, "")
        assert ast.literal_eval(run.stdout).keys() == {"scores", "places"}
        assert [game["status"] for game in ada.get("/v1/games?mine=true")["items"]] == ["finished"]
