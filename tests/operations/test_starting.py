"""Invalid settings, processes that start without their database, and the environment of the two commands."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from server import __main__ as commands
from tests.support.live_server import PATIENCE, free_port, is_up, until


def started(command: str, **environment: str) -> subprocess.Popen[str]:
    settings = {**os.environ, "STERNENPOST_PORT": str(free_port()), "SMTP_URL": "", **environment}
    program = [sys.executable, "-m", "server.cli", command]
    return subprocess.Popen(program, env=settings, stderr=subprocess.PIPE, text=True, start_new_session=True)


@pytest.mark.parametrize("command", ["web", "worker"])
@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("nonsense", "Error: DATABASE_URL must be like postgresql://user:password@host/name, not nonsense."),
        ("postgresql://stars:canary@127.0.0.1:99999/stars", "Error: DATABASE_URL must be like postgresql://"),
        ("postgresql://stars:canary@127.0.0.1/stars?hots=x", "Error: DATABASE_URL must be like postgresql://"),
        ("", "Error: The database: not running: start one with `python3 -m server up`, or set DATABASE_URL"),
    ],
)
def test_a_process_without_a_usable_database_exits_with_a_one_sentence_error(
    command: str, url: str, sentence: str, tmp_path: Path
) -> None:
    with started(command, DATABASE_URL=url, STERNENPOST_DATA=str(tmp_path)) as refused:
        [said] = refused.communicate(timeout=PATIENCE)[1].splitlines()
    assert refused.returncode == 1
    assert said.startswith(sentence)
    assert "canary" not in said


def test_a_web_process_reports_a_database_that_does_not_respond_and_waits_for_it() -> None:
    with socket.socket() as nobody:  # bound, but not listening
        nobody.bind(("127.0.0.1", 0))
        url = f"postgresql://stars:canary@127.0.0.1:{nobody.getsockname()[1]}/stars"
        port = free_port()
        with started("web", DATABASE_URL=url, STERNENPOST_PORT=str(port)) as web:
            said = json.loads(web.stderr.readline())["message"]
            until(lambda: is_up(port))
            web.terminate()
            web.communicate(timeout=PATIENCE)
    assert web.returncode == 0
    assert said == f"The database {url.replace('canary', '***')} does not respond: Connection refused"


def test_a_link_in_place_of_the_environment_is_replaced_and_its_folder_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shared := tmp_path / "shared").mkdir()
    (shared / "file").touch()
    (venv := tmp_path / "venv").symlink_to(shared)
    for name, path in {"VENV": venv, "DISCARDED": tmp_path / "discarded", "STAMP": venv / "stamp"}.items():
        monkeypatch.setattr(commands, name, path)
    commands.make_venv()
    assert not venv.is_symlink()
    assert (venv / "bin" / "python").exists()
    assert sorted(it.name for it in tmp_path.iterdir()) == ["shared", "venv"]
    assert (shared / "file").exists()
