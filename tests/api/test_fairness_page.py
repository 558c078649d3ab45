"""The fairness page: it contains all that an independent archive checker needs."""

import re
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path
from uuid import UUID

import pytest
from flask import Flask

from server.games import GAMES, Json, SeededDice
from server.operations.archives import archive_of
from server.play.archive import Flaw, check
from server.play.seating.games import open_game
from server.play.seating.hosting import begin
from server.play.seating.seats import SeatClaim, ready, take_seat
from tests.support.archives import archive, as_file, change_order, get, new_seed, rehash, say_more
from tests.support.games import BOT, ME, OPEN, all_agree, wanted
from tests.support.handbook import block
from tests.support.live_server import PATIENCE
from tests.support.players import ada, bea, within

assert archive and ada and bea and within  # fixtures
CHECKER = Path(__file__).parent / "fairness.mjs"


def test_the_page_explains_everything_an_independent_checker_needs(app: Flask, archive: Json, tmp_path: Path) -> None:
    """The checker in JavaScript was written from the page alone."""
    path = tmp_path / "archive.json"
    path.write_bytes(as_file(archive))
    assert node(str(path)) == (0, "")
    seed = archive["seed"]
    for change in (new_seed, change_order, lambda it: it["salts"].append("more"), say_more):
        archive["seed"] = seed
        change(archive)
        path.write_bytes(as_file(rehash(archive) if change is not say_more else archive))
        assert node(str(path))[0] == 1


def test_committed_salts_verify_as_the_page_explains(within: None, ada: UUID, bea: UUID, tmp_path: Path) -> None:
    seats = [ME | {"salt_hash": sha256(b"a").hexdigest()}, OPEN, BOT]
    game_id = open_game(ada, wanted(*seats, options={"ready_check": {"within": "P2D"}})).game_id
    take_seat(game_id, bea, SeatClaim(salt_hash=sha256(b"b").hexdigest()))
    ready(game_id, ada, "a")
    begin(game_id, ada)  # bea withholds hers
    all_agree(game_id, "abandon", ada, bea)
    archive = archive_of(game_id, ada)
    assert archive["salts"] == ["a", "", ""]
    path = tmp_path / "archive.json"
    path.write_bytes(as_file(archive))
    assert node(str(path)) == (0, "")
    assert check(as_file(archive)).start.salts == archive["salts"]
    archive["salts"][1] = "x"
    path.write_bytes(as_file(archive))
    assert node(str(path))[0] == 1
    with pytest.raises(Flaw, match=r"Seat 1: its salt is not the one that was committed\."):
        check(as_file(archive))
    del archive["salt_hashes"]
    with pytest.raises(Flaw, match=r"Event 1 \(game-started\)"):
        check(as_file(archive | {"salts": ["a", "", ""]}))


def test_the_example_on_the_fairness_page_is_correct(app: Flask) -> None:
    example = block(get(app, "/docs/fairness").text, "example")
    status, said = node("--example")
    assert status == 0
    assert all(line in example for line in said.splitlines())


def test_the_page_explains_what_each_game_draws_at_random(app: Flask) -> None:
    page = get(app, "/docs/fairness").text
    for name in GAMES:
        assert re.search(f"<h2[^>]*>What {name.capitalize()} draws</h2>", page)


@pytest.mark.parametrize(
    "what", ["last salt", "no player submits a salt", "hidden star", "Times", "Who moved", "a bot chose"]
)
def test_the_page_states_what_an_archive_cannot_prove(app: Flask, what: str) -> None:
    page = get(app, "/docs/fairness").text
    _, heading, rest = page.partition('<h2 id="not-proved">What a check does not prove</h2>')
    assert heading
    assert what in rest.partition("<h2>")[0]


def test_a_player_who_knows_the_seed_can_decide_who_begins_by_choosing_the_last_salt() -> None:
    """As the page says: so it must be said."""
    seed, taken = bytes(32), ["Ada's", "Ben's"]
    begins = [SeededDice(seed, [*taken, f"{n}"]).below(3) for n in range(20)]
    assert {0, 1, 2} <= set(begins)


def test_the_fairness_page_is_linked_from_other_pages(app: Flask) -> None:
    for path in ("/docs", "/openapi.json"):
        assert "/docs/fairness" in get(app, path).text


def node(*arguments: str) -> tuple[int, str]:
    if shutil.which("node") is None:
        pytest.skip("node is not installed, so nobody checks archives in another language")
    done = subprocess.run(["node", CHECKER, *arguments], check=False, capture_output=True, text=True, timeout=PATIENCE)
    return done.returncode, done.stdout + done.stderr
