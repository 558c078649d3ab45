"""`sternenpost bot-games` writes games between bots that anyone can replay, and `verify` checks each of them."""

import gzip
import json
import os
import signal
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from server.cli import main
from server.games import GAMES
from server.operations import bot_games
from server.operations.bot_games import Series

SHORT = {"sternenhimmel": "{}", "sternenglanz": '{"max_rounds": 4}'}


def run(*words: object) -> Result:
    """Run a command without a database or valid settings."""
    return CliRunner().invoke(main, list(map(str, words)), env={"DATABASE_URL": "nonsense"})


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
    assert len(list((tmp_path / "two").glob("*.jsonl.gz"))) == 2
    games = lines(tmp_path / "one")
    assert games == lines(tmp_path / "two")
    assert len({json.loads(game)["game"] for game in games}) == len({json.loads(game)["seed"] for game in games}) == 3
    assert [[seat["bot"] for seat in json.loads(game)["seats"]] for game in games] == [bots[1::2]] * 3
    for directory in (tmp_path / "one", tmp_path / "two"):
        assert run("verify", directory).stdout == "Correct games: 3\n"


def test_games_of_other_seeds_are_others_and_need_a_directory_of_their_own(tmp_path: Path) -> None:
    assert play(tmp_path / "one", 1).exit_code == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()}
    answer = play(tmp_path / "one", 2, "--seed", "other")
    assert (answer.exit_code, "describes other games" in answer.stderr) == (2, True)
    assert {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()} == before
    assert play(tmp_path / "two", 1, "--seed", "other").exit_code == 0
    one, other = (json.loads(lines(tmp_path / name)[0])["events"] for name in ("one", "two"))
    assert [it["body"] for it in one[1:]] != [it["body"] for it in other[1:]]


FAULTS = {
    "another move": (lambda games: [games[0].replace(b'"star":"7"', b'"star":"8"'), *games[1:]], "line 1: Event"),
    "a game twice": (lambda games: [games[0], games[0]], "line 2: This game is in the file twice."),
    "a game too few": (lambda games: games[:1], "has 1 games"),
    "no JSON": (lambda games: [games[0], b"\n"], "line 2: The JSON is invalid"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_verify_finds_a_fault_in_a_file_of_games(fault: str, tmp_path: Path) -> None:
    play(tmp_path, 2)
    (path,) = tmp_path.glob("*.jsonl.gz")
    change, told = FAULTS[fault]
    path.write_bytes(gzip.compress(b"".join(change(lines(tmp_path)))))
    answer = run("verify", tmp_path)
    assert (answer.exit_code, answer.stdout) == (1, "")
    assert told in answer.stderr


def test_verify_finds_a_file_that_was_cut_off(tmp_path: Path) -> None:
    play(tmp_path, 1)
    (path,) = tmp_path.glob("*.jsonl.gz")
    path.write_bytes(path.read_bytes()[:-100])
    assert run("verify", path).exit_code == 1
    path.write_bytes(b"")
    assert "has 0 games" in run("verify", path).stderr


def test_invalid_arguments_for_bot_games_write_nothing(tmp_path: Path) -> None:
    for words in (("--bot", "greedy"), ("--options", "[1]"), ("--options", '{"unknown": 1}')):
        answer = run("bot-games", "sternenhimmel", tmp_path / "new", *words)
        assert answer.exit_code == 2, answer.output
    assert not (tmp_path / "new").exists()


def _die_late(series: Series, directory: Path, numbers: range) -> Path:
    """Write the first file, and end this process before the second one."""
    if numbers[0] > 1:
        os.kill(os.getpid(), signal.SIGKILL)
    assert os.nice(0) == 19
    return written(series, directory, numbers)


written = bot_games.write


def test_bot_games_continue_after_a_process_was_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_games, "_PER_FILE", 2)
    monkeypatch.setattr(bot_games, "write", _die_late)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    answer = play(tmp_path, 4)
    assert (answer.exit_code, "Run the command again" in answer.stderr) == (1, True)
    monkeypatch.setattr(bot_games, "write", written)
    assert play(tmp_path, 4).exit_code == 0
    assert run("verify", tmp_path).stdout == "Correct games: 4\n"
