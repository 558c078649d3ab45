"""`sternenpost bot-games` writes games between bots that anyone can replay, and `verify` checks each of them."""

import errno
import gzip
import json
import os
import shutil
import signal
from pathlib import Path

import pytest
from click.testing import Result

from server.games import GAMES
from server.operations import bot_games
from server.operations.bot_games import Series
from tests.support.commands import ask

SHORT = {"sternenhimmel": "{}", "sternenglanz": '{"max_rounds": 4}'}


def run(*words: object) -> Result:
    """Run a command without a database or valid settings."""
    return ask(*words, DATABASE_URL="nonsense")


def play(directory: Path, games: int, *more: str, rules: str = "sternenhimmel") -> Result:
    return run("bot-games", rules, directory, "--games", games, "--options", SHORT[rules], *more)


def lines(directory: Path) -> list[bytes]:
    files = sorted(directory.glob("*.jsonl.gz"))
    return [line for path in files for line in gzip.decompress(path.read_bytes()).splitlines(keepends=True)]


@pytest.mark.parametrize("rules", GAMES)
def test_bot_games_are_the_same_every_time_and_all_correct(rules: str, tmp_path: Path) -> None:
    bots = [word for bot in ("level-4", "greedy", "random") for word in ("--bot", bot)]
    assert play(tmp_path / "one", 3, *bots, rules=rules).exit_code == 0
    assert play(tmp_path / "two", 1, *bots, rules=rules).exit_code == 0
    assert play(tmp_path / "two", 3, *bots, rules=rules).exit_code == 0
    assert "already" in play(tmp_path / "two", 3, *bots, rules=rules).output
    assert len(list((tmp_path / "two").glob("*.jsonl.gz"))) >= 2
    games = lines(tmp_path / "one")
    assert games == lines(tmp_path / "two")
    assert len({json.loads(game)["game"] for game in games}) == len({json.loads(game)["seed"] for game in games}) == 3
    assert [[seat["bot"] for seat in json.loads(game)["seats"]] for game in games] == [bots[1::2]] * 3
    for directory in (tmp_path / "one", tmp_path / "two"):
        assert run("verify", directory).stdout == "Correct games: 3\n"


def test_games_of_another_seed_differ_and_need_their_own_directory(tmp_path: Path) -> None:
    assert play(tmp_path / "one", 1).exit_code == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()}
    answer = play(tmp_path / "one", 2, "--seed", "other")
    assert (answer.exit_code, "describes other games" in answer.stderr) == (2, True)
    assert {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()} == before
    assert play(tmp_path / "two", 1, "--seed", "other").exit_code == 0
    one, other = (json.loads(lines(tmp_path / name)[0])["events"] for name in ("one", "two"))
    assert [it["body"] for it in one[1:]] != [it["body"] for it in other[1:]]


def test_two_runs_cannot_write_to_the_same_directory(tmp_path: Path) -> None:
    with bot_games.locked(tmp_path):
        answer = play(tmp_path, 1)
    assert (answer.exit_code, "Another run is writing" in answer.stderr) == (1, True)
    assert list(tmp_path.iterdir()) == []
    assert play(tmp_path, 1).exit_code == 0


def test_processes_share_few_games(tmp_path: Path) -> None:
    assert [len(it) for it in bot_games.missing(tmp_path, 400, 8)] == [12] * 33 + [4]
    (tmp_path / "games-0000002-0000399.jsonl.gz").touch()
    assert bot_games.missing(tmp_path, 400, 8) == [range(1, 2), range(400, 401)]


FAULTS = {
    "another move": (lambda games: [games[0].replace(b'"star":"7"', b'"star":"8"'), *games[1:]], "line 1: Event"),
    "a game twice": (lambda games: [games[0], games[0]], "line 2: This is not game 2 of those"),
    "a game too few": (lambda games: games[:1], "line 2: Game 2 is missing."),
    "a game too many": (lambda games: [*games, games[0]], "line 3: The file has more games"),
    "no JSON": (lambda games: [games[0], b"\n"], "line 2: The JSON is invalid"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_verify_finds_a_fault_in_a_file_of_games(fault: str, tmp_path: Path) -> None:
    directory = tmp_path / ("long" * 50) / ("path" * 50)  # and the message names the fault
    play(directory, 2)
    games = lines(directory)
    for path in directory.glob("*.jsonl.gz"):
        path.unlink()
    change, told = FAULTS[fault]
    (directory / "games-0000001-0000002.jsonl.gz").write_bytes(gzip.compress(b"".join(change(games))))
    answer = run("verify", directory)
    assert (answer.exit_code, answer.stdout) == (1, "")
    assert told in answer.stderr


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("games-0000002-0000002.jsonl.gz", "line 1: This is not game 2 of those that README.md describes."),
        ("games-1-1.jsonl.gz", "Game 1 is in games-0000001-0000001.jsonl.gz and in games-1-1.jsonl.gz."),
        ("renamed.jsonl.gz", "The name must be games-FIRST-LAST.jsonl.gz"),
    ],
)
def test_verify_finds_a_copy_of_a_file(tmp_path: Path, name: str, told: str) -> None:
    play(tmp_path, 1)
    (path,) = tmp_path.glob("*.jsonl.gz")
    shutil.copy(path, tmp_path / name)
    answer = run("verify", tmp_path)
    assert (answer.exit_code, answer.stdout) == (1, "")
    assert told in answer.stderr


def test_verify_finds_games_of_other_bots(tmp_path: Path) -> None:
    bots = ["--bot", "greedy"] * 2
    play(tmp_path / "one", 1, *bots, "--bot", "greedy")
    play(tmp_path / "two", 1, *bots, "--bot", "random")
    (path,) = (tmp_path / "two").glob("*.jsonl.gz")
    shutil.copy(path, tmp_path / "one")
    assert "line 1: This is not game 1 of those" in run("verify", tmp_path / "one").stderr
    (tmp_path / "one" / "README.md").unlink()
    assert "README.md must be next to the games" in run("verify", tmp_path / "one").stderr


def test_verify_finds_a_file_that_was_cut_off(tmp_path: Path) -> None:
    play(tmp_path, 1)
    (path,) = tmp_path.glob("*.jsonl.gz")
    path.write_bytes(path.read_bytes()[:-100])
    assert run("verify", path).exit_code == 1
    path.write_bytes(b"")
    assert "Game 1 is missing" in run("verify", path).stderr


def test_invalid_arguments_for_bot_games_write_nothing(tmp_path: Path) -> None:
    for words in (
        ("--bot", "greedy"),
        ("--options", "[1]"),
        ("--options", "[" * 100_000),
        ("--options", '{"unknown": 1}'),
        ("--seed", "two\rlines"),
        ("--seed", os.fsdecode(b"\xff")),
    ):
        answer = run("bot-games", "sternenhimmel", tmp_path / "new", *words)
        assert answer.exit_code == 2, answer.output
    assert not (tmp_path / "new").exists()
    (tmp_path / "file").touch()
    answer = play(tmp_path / "file" / "new", 1)
    assert (answer.exit_code, "Error: [Errno 20] Not a directory" in answer.stderr) == (1, True)


@pytest.mark.parametrize("full_at", ["README.md.new", ".jsonl.gz.new"])
def test_a_full_disk_is_reported_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full_at: str
) -> None:
    def fail(file: int) -> None:
        if os.readlink(f"/proc/self/fd/{file}").endswith(full_at):
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "fsync", fail)
        answer = play(tmp_path, 1)
    assert (answer.exit_code, "Error: [Errno 28] No space left" in answer.stderr) == (1, True)
    assert [path for path in tmp_path.iterdir() if path.name.endswith(full_at.removesuffix(".new"))] == []
    assert play(tmp_path, 2).exit_code == 0
    assert run("verify", tmp_path).stdout == "Correct games: 2\n"
    assert list(tmp_path.glob("*.new")) == []


def _find_the_disk_full(series: Series, directory: Path, numbers: range) -> Path:
    """Fail while the other process is busy with the first file."""
    if numbers[0] > 1:
        raise OSError(errno.ENOSPC, "No space left on device")
    signal.sigtimedwait([signal.SIGUSR1], 20)
    (directory / "late").touch()
    return directory


def test_a_full_disk_ends_the_other_processes_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_games, "write", _find_the_disk_full)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    answer = play(tmp_path, 2)
    assert (answer.exit_code, "Error: [Errno 28] No space left" in answer.stderr) == (1, True)
    assert not (tmp_path / "late").exists()


def _die_late(series: Series, directory: Path, numbers: range) -> Path:
    """Write the first file, and end this process before the second one."""
    if numbers[0] > 1:
        os.kill(os.getpid(), signal.SIGKILL)
    assert os.nice(0) == 19
    return written(series, directory, numbers)


written = bot_games.write


def test_bot_games_continue_after_a_process_was_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_games, "write", _die_late)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    answer = play(tmp_path, 4)
    assert (answer.exit_code, "Run the command again" in answer.stderr) == (1, True)
    monkeypatch.setattr(bot_games, "write", written)
    assert play(tmp_path, 4).exit_code == 0
    assert run("verify", tmp_path).stdout == "Correct games: 4\n"
