"""The handbook's bots play both games with clients generated from the published document.

Each test needs a compiler. Where it is missing, the test is skipped with a message. See `python -m tests.clients.table`.
"""

from pathlib import Path

import pytest

from tests.clients.bots import played
from tests.clients.generators import GENERATORS, OURS, Generator, install, missing, runs, workshop
from tests.support.live_server import House

pytestmark = pytest.mark.timeout(1800)  # tools are fetched, and a client of some 300 types compiled


@pytest.mark.parametrize("generator", [it for it in GENERATORS if it.bot], ids=lambda it: it.language)
def test_a_bot_plays_each_game_with_a_generated_client(generator: Generator, house: House, tmp_path: Path) -> None:
    if command := missing("java", "npm", *generator.needs):
        pytest.skip(f"There is no {command}, so nobody looks whether a client in {generator.language} plays")
    install()
    workshop(tmp_path, OURS)
    is_well, said = runs(generator.make, tmp_path)
    assert is_well, said
    if generator.fetch and not runs(generator.fetch, tmp_path)[0]:
        pytest.skip(
            f"{generator.libraries} is out of reach, so nobody looks whether a client in {generator.language} plays"
        )
    is_well, said = runs(generator.compile, tmp_path)
    assert is_well, said
    assert played(generator, tmp_path, house) == ""
