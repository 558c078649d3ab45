"""Processes that think for bots: a kill loses nothing, and they end with their worker."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.live_server import Client, House, new_house, sign_in, until

LEVEL = {"bot": "level-4"}


@pytest.fixture
def house() -> Iterator[House]:
    with new_house(STERNENPOST_THINKERS="1") as house:
        house.start_web()
        yield house


def thinkers(worker: int) -> list[int]:
    """The processes of this worker that think."""
    children = Path(f"/proc/{worker}/task/{worker}/children").read_text().split()
    return [int(pid) for pid in children if Path(f"/proc/{pid}/cmdline").read_bytes().endswith(b"\0think\0")]


def the_thinker(worker: int, besides: int = 0) -> int:
    """The thinker once it has the lowest priority."""
    found = [pid for pid in thinkers(worker) if pid != besides]
    return found[0] if found and os.getpriority(os.PRIO_PROCESS, found[0]) == 19 else 0


def ada_is_asked(ada: Client, path: str) -> bool:
    return ada.get(path)["you"]["turn"] is not None


def test_killing_a_process_that_computes_moves_loses_nothing(house: House) -> None:
    worker = house.start_worker()
    ada = sign_in(house, "ada@example.org")
    first = until(lambda: the_thinker(worker.pid))
    os.kill(first, signal.SIGSTOP)
    wanted = {"rules": "sternenhimmel", "options": {"start_seat": 1}, "seats": [{"player": "me"}, LEVEL, LEVEL]}
    path = f"/v1/games/{ada.post('/v1/games', wanted)['id']}"
    os.kill(first, signal.SIGKILL)
    second = until(lambda: the_thinker(worker.pid, besides=first))
    until(lambda: ada_is_asked(ada, path))
    legal = ada.get(f"{path}/legal-moves")
    ada.post(f"{path}/moves", {"turn": legal["turn"], "move": legal["moves"][0]})
    until(lambda: ada_is_asked(ada, path))
    placed = [it["seat"] for it in ada.get(f"{path}/events")["items"] if it["type"] == "star-placed"]
    assert placed == [1, 2, 0, 1, 2]
    house.kill(worker)
    until(lambda: not Path(f"/proc/{second}").exists())
