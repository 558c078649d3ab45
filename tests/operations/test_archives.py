"""Archives: exported when a game is over and imported by another installation."""

from pathlib import Path
from uuid import uuid4

import pytest
from click.testing import Result
from flask import Flask

from server.app import create_app
from server.config import Settings
from server.games import GAMES, Json
from server.play.archive import check
from server.play.commits import whole_log
from server.play.seating.games import open_game
from server.play.votes import vote
from tests.support.archives import as_file, get, here, long, rehash, say_more
from tests.support.commands import ask
from tests.support.games import BOT, ME, OPEN, person, wanted
from tests.support.random_games import archives, short_night

assert here and long  # fixtures


# Handing archives out


def test_an_archive_exists_only_after_the_end_of_the_game(here: Flask) -> None:
    nowhere = get(here, f"/v1/games/{uuid4()}/archive")
    assert nowhere.json["code"] == "not-found"
    open_ = open_game(person("ada"), wanted(ME, OPEN, OPEN)).game_id
    running = open_game(person("ada"), wanted(ME, BOT, BOT)).game_id
    for game_id in (open_, running):
        for name in ("", "ada", "bea"):
            answer = get(here, f"/v1/games/{game_id}/archive", name=name)
            assert (answer.status_code, answer.json["code"]) == (404, nowhere.json["code"])
            assert (
                answer.json["detail"] == "This game isn't over yet. Its archive will be available when the game ends."
            )
    vote(running, person("ada"), "abandon", True)
    answer = get(here, f"/v1/games/{running}/archive")
    assert answer.status_code == 200
    assert check(answer.data).table.status == "abandoned"
    assert [event["hash"] for event in answer.json["events"]] == [row.hash.hex() for row in whole_log(running)]
    assert answer.json["commitment"] == get(here, f"/v1/games/{running}").json["commitment"]


# Importing archives


@pytest.fixture
def elsewhere(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Flask:
    monkeypatch.setenv("DATABASE_URL", database_url)
    return create_app(Settings.from_environment())


def take_in(tmp_path: Path, raw: bytes) -> Result:
    path = tmp_path / "archive.json"
    path.write_bytes(raw)
    return ask("import", path)


@pytest.mark.parametrize("rules", GAMES)
def test_an_imported_archive_exports_to_the_same_archive(
    here: Flask, elsewhere: Flask, tmp_path: Path, rules: str
) -> None:
    table = short_night(rules)
    path = f"/v1/games/{table.game_id}"
    raw = get(here, f"{path}/archive").data
    before = {"story": get(here, f"{path}/events").data} | {
        at: get(here, f"{path}?at={at}").json for at in range(1, table.game.table.version + 1)
    }
    answer = take_in(tmp_path, raw)
    assert (answer.exit_code, answer.stdout) == (0, f"http://127.0.0.1:8000{path}\n")
    assert get(elsewhere, f"{path}/archive").data == raw
    assert get(elsewhere, f"{path}/events").data == before.pop("story")
    for at, seen in before.items():
        again = get(elsewhere, f"{path}?at={at}").json
        assert {name for name in seen if seen[name] != again[name]} <= {"seats", "made_at", "title"}
        assert [seat["turn"] for seat in again["seats"]] == [seat["turn"] for seat in seen["seats"]]
    shown = get(elsewhere, "/v1/games?status=abandoned").json["items"]
    assert [game["id"] for game in shown] == [str(table.game_id)]
    assert [(seat["kind"], seat["name"]) for seat in shown[0]["seats"]] == [
        ("human", None),
        ("human", None),
        ("bot", "greedy"),
    ]
    assert ask("check").exit_code == 0


def test_whole_games_are_imported_with_their_outcome(session_app: Flask, elsewhere: Flask, tmp_path: Path) -> None:
    for archive in (archives(session_app)[f"{game} {night}"] for game in GAMES for night in ("long", "of bots")):
        assert take_in(tmp_path, as_file(archive)).exit_code == 0
        shown = get(elsewhere, f"/v1/games/{archive['game']}").json
        assert (shown["status"], shown["outcome"]) == ("finished", archive["events"][-1]["body"])
        assert get(elsewhere, f"/v1/games/{archive['game']}/archive").json == archive
    assert ask("check").exit_code == 0


def test_an_existing_game_is_not_imported_again(elsewhere: Flask, long: Json, tmp_path: Path) -> None:
    assert take_in(tmp_path, as_file(long)).exit_code == 0
    answer = take_in(tmp_path, as_file(long))
    assert (answer.exit_code, answer.stderr) == (1, f"Error: The game {long['game']} already exists here.\n")


def test_a_flawed_archive_is_not_imported(elsewhere: Flask, long: Json, tmp_path: Path) -> None:
    seq = say_more(long)
    answer = take_in(tmp_path, as_file(rehash(long)))
    assert answer.exit_code == 1
    assert f"Event {seq}" in answer.stderr
    assert get(elsewhere, f"/v1/games/{long['game']}").status_code == 404
