"""Page modules that need no browser, tested by Node.js. The tests are in tests/page/modules/."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from server.games import GAMES
from tests.page.sources import copy_page
from tests.support.live_server import PLAYED

HERE = Path(__file__).parent
CHECKOUT = HERE.parents[1]
GAMES_OF = {name: sorted((CHECKOUT / "tests" / "data" / "games").glob(f"{name}-*.json")) for name in GAMES}
FILES = sorted(path.name for path in (HERE / "modules").glob("*.test.js"))


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the page, its tests, and what they are tested with."""
    if shutil.which("node") is None:
        pytest.skip("There is no Node.js (apt-get install nodejs), so nobody tests the modules of the page")
    path = tmp_path_factory.mktemp("modules")
    copy_page(path / "page")
    shutil.copytree(HERE / "modules", path, dirs_exist_ok=True)
    (path / "package.json").write_text('{"type": "module"}', "utf-8")
    games = {name: {file.stem: json.loads(file.read_text("utf-8")) for file in GAMES_OF[name]} for name in GAMES_OF}
    events = [event for game in games["sternenhimmel"].values() for event in game["events"]]
    scorings = [event for event in events if event["type"] == "board-scored"]
    about = GAMES["sternenglanz"].describe()
    tales = {"cards": about["cards"], "firmament": about["firmament"], "stories": games["sternenglanz"]}
    recorded = {"rules": GAMES["sternenhimmel"].describe(), "scorings": scorings, "sternenglanz": tales}
    (path / "recorded.json").write_text(json.dumps(recorded), "utf-8")
    return path


@pytest.mark.parametrize("file", FILES)
def test_page_modules_pass_their_own_tests(file: str, workshop: Path) -> None:
    command = ("node", "--import", "./setup.js", "--test", file)
    done = subprocess.run(
        command,
        cwd=workshop,
        env={**os.environ, "TZ": "UTC"},
        capture_output=True,
        text=True,
        timeout=PLAYED,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
