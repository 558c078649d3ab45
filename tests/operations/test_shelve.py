"""Archived games: their events are in files instead of tables, and every response stays the same."""

import errno
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from click.testing import Result
from flask import Flask
from sqlalchemy import func, select

from server.accounts.players import player_token
from server.operations import shelve
from server.operations.delete_player import delete_player
from server.operations.exports import copy_of_player
from server.operations.rebuild import check_game, rebuild_game
from server.play.archive import check
from server.play.commits import whole_log
from server.play.story import table_cache
from server.play.story.event_feed import OwnFollower, follow_own
from server.play.turns.turn_links import caller
from server.store import shelf
from server.store.tables import EventRow, db
from tests.support.commands import ask
from tests.support.games import DAY, MINUTE, game_of, later, person, service_is_up
from tests.support.live_server import CHECKOUT, until
from tests.support.random_games import Table, short_night

YEAR = timedelta(days=365)
WAITS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


@pytest.fixture
def here(app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    monkeypatch.setitem(app.config, "SHELF", tmp_path / "shelf")
    with app.app_context():
        service_is_up()
        yield app


@pytest.fixture
def table(here: Flask) -> Table:
    """Return a table of Ada, Bea and a bot that ended more than a year ago."""
    table = short_night()
    later(YEAR + 2 * DAY)
    return table


@pytest.fixture
def environment(shared_url: str, tmp_path: Path) -> dict[str, str]:
    return {"DATABASE_URL": shared_url, "STERNENPOST_SHELF": str(tmp_path / "shelf"), "STERNENPOST_SANDBOX": "on"}


def run(environment: dict[str, str], *words: str) -> Result:
    return ask(*words, **{"SMTP_URL": "", **environment})


def shelves(environment: dict[str, str]) -> None:
    result = run(environment, "shelve", "--older-than", "P365D")
    assert result.exit_code == 0, result.output
    table_cache.tables._tables.clear()  # as in a new process


def rows_of(game_id: UUID) -> int:
    return db.session.scalar(select(func.count()).where(EventRow.game_id == game_id)) or 0


def answers(app: Flask, game_id: UUID) -> dict[str, Any]:
    """Return what Ada, who sat there, and a stranger see of the game."""
    path = f"/v1/games/{game_id}"
    asked = (
        path,
        f"{path}?at=1",
        f"{path}/events",
        f"{path}/events?after=3&limit=9",
        f"{path}/events?since_version=1",
        f"{path}/archive",
        f"{path}/messages",
    )
    pictures = f"{path}/picture.svg", f"{path}/picture.svg?at=1"
    lists = "/v1/games?mine=true", "/v1/games?status=abandoned"
    found = {}
    for token in (player_token("ada@example.org"), None):
        client = app.test_client()
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        for each in (*asked, *pictures, *(lists if token else lists[1:])):
            answer = client.get(each, headers=headers)
            assert answer.status_code == 200, (each, answer.text)
            found[f"{each} {bool(token)}"] = answer.data
    return found


def test_requests_for_an_archived_game_get_the_same_responses_as_before(
    here: Flask, table: Table, environment: dict[str, str]
) -> None:
    before, rows = answers(here, table.game_id), rows_of(table.game_id)
    assert rows
    shelves(environment)
    assert rows_of(table.game_id) == 0
    assert answers(here, table.game_id) == before
    assert len(whole_log(table.game_id)) == rows
    assert (check_game(table.game_id), rebuild_game(table.game_id)) == ([], [])


def test_the_file_of_an_archived_game_is_its_archive_and_verifies(table: Table, environment: dict[str, str]) -> None:
    shelves(environment)
    path = shelf.path_of(table.game_id)
    assert "events are correct" in run(environment, "verify", str(path)).output
    assert {it.name for it in path.parent.iterdir()} == {path.name}


def test_recently_finished_games_are_not_archived(here: Flask, environment: dict[str, str]) -> None:
    running, over = game_of(person("ada"), person("ben"), person("cleo")), short_night().game_id
    later(YEAR - DAY)
    assert run(environment, "shelve").output == "Done:\n  nothing\n"
    assert rows_of(running) and rows_of(over)


def test_a_dry_run_archives_nothing(table: Table, environment: dict[str, str]) -> None:
    assert "the events of 1 games move to" in run(environment, "shelve", "--dry-run").output
    assert rows_of(table.game_id) and not shelf.path_of(table.game_id).exists()


def test_an_archived_game_is_not_archived_again(table: Table, environment: dict[str, str]) -> None:
    shelves(environment)
    assert run(environment, "shelve").output == "Done:\n  nothing\n"


def test_a_stream_from_an_old_position_skips_archived_games(
    here: Flask, table: Table, environment: dict[str, str]
) -> None:
    ada = caller(player_token("ada@example.org"))
    last = OwnFollower(ada, table.game.head.made_at + MINUTE).place()
    shelves(environment)
    follower = follow_own(ada, last)
    assert table.game_id in follower.ended and not follower.told


# Files name no person


def test_an_archive_file_names_no_person_and_is_kept_after_account_deletions(
    table: Table, environment: dict[str, str]
) -> None:
    ada = table.people[0]
    shelves(environment)
    raw = shelf.path_of(table.game_id).read_text()
    assert not re.search(r"(?i)\b(ada|bea)\b|example", raw)
    assert [game["game"] for game in copy_of_player(ada)["games"]] == [table.game_id]
    delete_player(ada)
    assert shelf.path_of(table.game_id).read_text() == raw
    assert check_game(table.game_id) == []


# The log is as safe as before


def test_rows_of_a_game_that_is_not_archived_cannot_be_deleted(table: Table, shared_url: str) -> None:
    with psycopg.connect(shared_url) as owner, pytest.raises(psycopg.errors.InsufficientPrivilege, match="append-only"):
        owner.execute("DELETE FROM events WHERE game_id = %s", (table.game_id,))


def test_the_database_role_of_the_app_cannot_archive_games(
    table: Table, environment: dict[str, str], shared_url: str
) -> None:
    with psycopg.connect(shared_url, autocommit=True) as owner:
        owner.execute("CREATE ROLE stars LOGIN; GRANT sternenpost_app TO stars")
        try:
            url = shared_url.replace("//sternenpost@", "//stars@")
            result = run(environment | {"DATABASE_URL": url}, "shelve")
        finally:
            owner.execute("DROP ROLE stars")
    assert "does not own the tables" in result.output
    assert result.exit_code == 1 and rows_of(table.game_id)


KILLED = """
import os, pathlib, signal
from datetime import timedelta
from unittest.mock import patch

import psycopg

import server.cli.archives
from server import cli
from server.clock import clock
from server.operations.shelve import shelve_game
from server.play import archive


def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def after_deleting(connection, query, *more, execute=psycopg.Connection.execute):
    done = execute(connection, query, *more)
    if str(query).startswith("DELETE FROM events"):
        die()
    return done


def shelve_and_die(game_id, owner):
    with patch.object({place}):
        return shelve_game(game_id, owner)


clock.offset = timedelta(days=400)
server.cli.archives.shelve_game = shelve_and_die
cli.main(["shelve"])
"""
PLACES = (
    'os, "fsync", die',
    'pathlib.Path, "replace", die',
    'archive, "check", die',
    'psycopg.Connection, "execute", after_deleting',
)


@pytest.mark.parametrize("place", PLACES)
def test_killing_the_process_that_archives_games_loses_nothing(
    table: Table, environment: dict[str, str], place: str
) -> None:
    """And the next run does the rest."""
    rows = whole_log(table.game_id)
    killed = KILLED.replace("{place}", place)
    done = subprocess.run(
        [sys.executable, "-c", killed],
        cwd=CHECKOUT,
        env={"PATH": "/bin", **environment},
        check=False,
        capture_output=True,
    )
    assert done.returncode == -9, done.stderr
    table_cache.tables._tables.clear()
    assert whole_log(table.game_id) == rows
    assert rows_of(table.game_id) == len(rows)
    shelves(environment)
    assert whole_log(table.game_id) == rows and not rows_of(table.game_id)


ALSO_SHELVED = """
from datetime import timedelta

from server import cli
from server.clock import clock

clock.offset = timedelta(days=400)
cli.main(["shelve"])
"""


def test_two_simultaneous_runs_archive_a_game_once(
    table: Table, environment: dict[str, str], shared_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another one begins, and does what it can, when the first has written half of the file."""
    fsync, others = os.fsync, list[subprocess.Popen[str]]()

    def meanwhile(number: int) -> None:
        if not others:
            command = [sys.executable, "-c", ALSO_SHELVED]
            found = {"PATH": "/bin", **environment}
            others.append(subprocess.Popen(command, cwd=CHECKOUT, env=found, stdout=subprocess.PIPE, text=True))
            with psycopg.connect(shared_url, autocommit=True) as owner:
                until(lambda: others[0].poll() is not None or owner.execute(WAITS).fetchone() != (0,))
        fsync(number)

    monkeypatch.setattr(os, "fsync", meanwhile)
    moved = run(environment, "shelve")
    said = others[0].communicate()[0]
    assert (moved.exit_code, others[0].returncode) == (0, 0), moved.output
    assert sorted((moved.output.count("moved to"), said.count("moved to"))) == [0, 1]
    table_cache.tables._tables.clear()
    assert check_game(table.game_id) == [] and not rows_of(table.game_id)


def test_a_full_disk_is_reported_and_loses_nothing(
    table: Table, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(errno.ENOSPC, "No space left on device")))
        result = run(environment, "shelve")
    assert f"Game {table.game_id} and later ones are not moved: [Errno 28] No space left" in result.output
    assert result.exit_code == 1 and rows_of(table.game_id)
    shelves(environment)
    assert not rows_of(table.game_id)


def test_rows_stay_if_the_file_differs_from_what_was_written(
    table: Table, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the other games move."""
    other, put = short_night(), shelf.put
    later(YEAR + 2 * DAY)

    def spoilt(game_id: UUID, archive: bytes) -> Path:
        path = put(game_id, archive)
        if game_id == table.game_id:
            path.write_bytes(archive.replace(b'"version":2', b'"version":3', 1))
        return path

    monkeypatch.setattr(shelve.shelf, "put", spoilt)
    result = run(environment, "shelve")
    assert f"Game {table.game_id} is not moved" in result.output and result.exit_code == 1
    assert rows_of(table.game_id) and not rows_of(other.game_id)


# A file must hold exactly what the table held


def of_another_game(raw: bytes) -> bytes:
    (other,) = (path for path in shelf.path_of(UUID(int=0)).parents[1].rglob("*.json") if path.read_bytes() != raw)
    return other.read_bytes()


def cut_off(raw: bytes) -> bytes:
    return raw[: len(raw) // 2]


def without_its_end(raw: bytes) -> bytes:
    found = json.loads(raw)
    del found["events"][-1]
    return json.dumps(found).encode()


def with_another_story(raw: bytes) -> bytes:
    found = json.loads(raw)
    found["events"][-1]["body"] = {"by": "nobody"}
    return json.dumps(found).encode()


def with_words_that_we_do_not_know(raw: bytes) -> bytes:
    return b'{"events": [{"seq": 1}]}'


@pytest.mark.parametrize(
    "spoilt", [of_another_game, cut_off, without_its_end, with_another_story, with_words_that_we_do_not_know]
)
def test_an_archive_file_that_was_changed_is_not_served(
    here: Flask, table: Table, environment: dict[str, str], spoilt: Callable[[bytes], bytes]
) -> None:
    other = short_night()
    later(YEAR + 2 * DAY)
    shelves(environment)
    path = shelf.path_of(table.game_id)
    raw = path.read_bytes()
    path.write_bytes(spoilt(raw))
    for what in ("", "/events", "/archive", "/picture.svg", "?at=1"):
        answer = here.test_client().get(f"/v1/games/{table.game_id}{what}")
        assert (answer.status_code, answer.json["code"]) == (503, "unavailable"), (what, answer.text)
    assert f"The file of game {table.game_id} cannot be read" in run(environment, "check").output
    assert here.test_client().get(f"/v1/games/{other.game_id}").status_code == 200
    path.write_bytes(raw)
    assert here.test_client().get(f"/v1/games/{table.game_id}").status_code == 200


# Reports to the operator


def test_missing_archive_storage_is_reported(here: Flask, table: Table, environment: dict[str, str]) -> None:
    assert "shelf: ok" in run(environment, "doctor").output
    shelves(environment)
    assert "shelf: ok" in run(environment, "doctor").output
    path = shelf.path_of(table.game_id)
    raw = path.read_bytes()
    path.unlink()
    answer = here.test_client().get(f"/v1/games/{table.game_id}")
    assert (answer.status_code, answer.json["code"]) == (503, "unavailable") and answer.headers["Retry-After"]
    told = f"The file of game {table.game_id} cannot be read"
    assert f"shelf: {told}" in run(environment, "doctor").output
    for words in (["check"], ["replay"], ["games", "show"]):
        assert told in run(environment, *words, str(table.game_id)).output
    unset = run(environment | {"STERNENPOST_SHELF": ""}, "doctor").output
    assert f"shelf: Game {table.game_id} is in a file, and STERNENPOST_SHELF is not set." in unset
    event = json.loads(raw)["events"][1]
    path.write_bytes(raw.replace(event["hash"].encode(), b"0" * 64))
    assert "its hash does not match" in run(environment, "check", str(table.game_id)).output
    assert check(raw)


def test_a_web_process_logs_which_file_it_cannot_read(
    here: Flask, table: Table, shared_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    with psycopg.connect(shared_url, autocommit=True) as owner:
        assert shelve.shelve_game(table.game_id, owner)
    shelf.path_of(table.game_id).unlink()
    table_cache.tables._tables.clear()
    assert here.test_client().get(f"/v1/games/{table.game_id}").status_code == 503
    assert caplog.messages[0].startswith(f"The file of game {table.game_id} cannot be read")


@pytest.mark.parametrize("named", ["shelf", "~/shelf"])
def test_a_relative_archive_path_is_rejected(table: Table, environment: dict[str, str], named: str) -> None:
    result = run(environment | {"STERNENPOST_SHELF": named}, "shelve")
    assert "STERNENPOST_SHELF must be the absolute path of a directory" in result.output and result.exit_code == 1
    assert rows_of(table.game_id)


def test_without_archive_storage_no_game_is_archived(environment: dict[str, str]) -> None:
    result = run(environment | {"STERNENPOST_SHELF": ""}, "shelve")
    assert "STERNENPOST_SHELF is not set" in result.output and result.exit_code == 1
