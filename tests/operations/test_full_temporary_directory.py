"""A web process with a full temporary directory works and loses only some metrics."""

import errno
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import httpx
import psutil
import pytest

from server import metric_files
from tests.support.games import wanted
from tests.support.live_server import FOR_METRICS, House, new_house, sign_in

SMALL = ("unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=1m tmpfs "$TMPDIR" && exec "$@"', "sh")
BOTS = [{"player": "me"}, {"bot": "greedy"}, {"bot": "greedy"}]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    if subprocess.run([*SMALL, "true"], env={"TMPDIR": str(tmp_path), "PATH": "/usr/bin:/bin"}, check=False).returncode:
        pytest.skip("may not mount a file system here, not even in a namespace of its own")
    with new_house(STERNENPOST_LIMITS="off", TMPDIR=str(tmp_path)) as house:
        house.start_web(within=SMALL)
        house.start_worker()
        yield house


def fill(house: House, tmp_path: Path) -> Path:
    """Fill the web's temporary directory and return the file that takes all the room."""
    filler = Path(f"/proc/{house.web.pid}/root{tmp_path}/filler")
    with filler.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
        while True:
            file.write(bytes(4096))
    return filler


def workers(house: House) -> set[int]:
    return {it.pid for it in psutil.Process(house.web.pid).children()}


def ready(house: House) -> str:
    found: str = httpx.get(f"{house.url}/readyz").json()["parts"]["temporary directory"]
    return found


def test_a_web_process_works_while_its_temporary_directory_is_full(house: House, tmp_path: Path) -> None:
    ada = sign_in(house, "ada@example.org")
    before = workers(house)
    filler = fill(house, tmp_path)
    assert ready(house) == "is not writable: No space left on device"
    routes = list(httpx.get(f"{house.url}/openapi.json").json()["paths"])
    for route in routes * 2:
        assert httpx.get(house.url + route.replace("{", "").replace("}", "")).status_code < 500
    game = ada.post("/v1/games", wanted(*BOTS))
    path = f"/v1/games/{game['id']}"
    open_ = ada.get(f"{path}/legal-moves")
    ada.post(f"{path}/moves", {"turn": open_["turn"], "move": open_["moves"][0]})
    assert httpx.get(f"{house.url}/healthz").status_code == 200
    assert httpx.get(f"{house.url}/metrics", headers=FOR_METRICS).status_code == 200
    assert workers(house) == before
    filler.unlink()
    assert ready(house) in ("ok", "no room for the numbers of /metrics (No space left on device)")


def test_metrics_stay_in_memory_if_their_file_cannot_grow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metric_files, "_troubles", [])
    numbers = metric_files._ReservedDict(str(tmp_path / "counter_1.db"))
    numbers.write_value("first", 1.0, 0.0)

    def refuse(file: BinaryIO, size: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(metric_files, "_reserve", refuse)
    for nr in range(40_000):
        numbers.write_value(f"{nr} {'x' * 40}", float(nr), 0.0)
    assert numbers.read_value("first")[0] == 1.0
    assert numbers.read_value(f"39999 {'x' * 40}")[0] == 39999.0
    assert metric_files.trouble() == "no room for the numbers of /metrics (No space left on device)"


def test_a_web_process_starts_with_a_full_temporary_directory(house: House, tmp_path: Path) -> None:
    fill(house, tmp_path)
    before = workers(house)
    for pid in before:
        psutil.Process(pid).kill()
    ada = sign_in(house, "ada@example.org")
    assert httpx.get(f"{house.url}/metrics", headers=FOR_METRICS).status_code == 200
    assert ada.get("/v1/me")
    assert not workers(house) & before
