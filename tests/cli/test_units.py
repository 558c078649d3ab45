"""The systemd units: they load, start existing commands and drop needless privileges."""

import shutil
import subprocess
from pathlib import Path

import pytest

from server import cli
from tests.support.commands import ask

ANALYZE = shutil.which("systemd-analyze")
MOST_EXPOSED = 20  # tenths of 10 points, which systemd gives to a service without sandboxing
NAMES = {f"sternenpost-{part}.service" for part in ("web", "worker", "doctor", "check")} | {
    f"sternenpost-{part}.timer" for part in ("doctor", "check")
}
with_systemd = pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not installed: apt-get install systemd")


@pytest.fixture
def written(tmp_path: Path) -> list[Path]:
    said = ask("units", tmp_path)
    assert said.output.split() == [str(path) for path in map(Path, said.output.split()) if path.parent == tmp_path]
    return sorted(tmp_path.iterdir())


def analyze(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(ANALYZE), *map(str, words)], check=False, capture_output=True, text=True)


def test_systemd_units_are_printed_or_written_to_files(written: list[Path]) -> None:
    assert {path.name for path in written} == NAMES
    printed = ask("units").output
    for path in written:
        assert f"# {path.name}\n{path.read_text()}" in printed


def test_the_units_allow_writing_to_the_archive_storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "ReadWritePaths" not in ask("units").output
    monkeypatch.setenv("STERNENPOST_SHELF", "/srv/old games")
    said = ask("units", tmp_path)
    assert said.exit_code == 0, said.output
    services = [path for path in tmp_path.iterdir() if path.suffix == ".service"]
    assert all('\nReadWritePaths="-/srv/old games"\n' in path.read_text() for path in services)


def test_every_unit_starts_an_existing_command(written: list[Path]) -> None:
    for path in written:
        if path.suffix == ".service":
            (start,) = [line for line in path.read_text().splitlines() if line.startswith("ExecStart=")]
            program, command = start.removeprefix("ExecStart=").split()
            assert Path(program.strip('"')).is_file() and command in cli.main.commands


@with_systemd
def test_systemd_accepts_the_units(written: list[Path]) -> None:
    found = analyze("verify", *written)
    assert (found.returncode, found.stderr) == (0, "")


@with_systemd
def test_systemd_detects_errors_in_the_units(written: list[Path]) -> None:
    unit = written[0]
    unit.write_text(unit.read_text().replace("ProtectSystem=strict", "ProtectSystem=very"))
    assert "Failed to parse protect system value" in analyze("verify", unit).stderr


@with_systemd
def test_the_web_server_and_the_worker_have_only_the_access_that_they_need(written: list[Path]) -> None:
    for path in written:
        if path.suffix == ".service":
            found = analyze("security", "--offline=yes", f"--threshold={MOST_EXPOSED}", "--no-pager", path)
            assert found.returncode == 0, found.stdout + found.stderr
