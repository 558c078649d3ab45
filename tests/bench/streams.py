"""Event streams: `python -m tests.bench.streams cuts|idle`.

cuts: many streams break off at random while games go on. Each must receive all events once and in order.
idle: the cost of moves beside many open streams without events.
"""

import argparse
import asyncio
import random
import resource
import time
from collections.abc import Sequence
from threading import Event, Thread
from typing import Self

import httpx

from server.games import Json
from tests.bench.http import CLIENTS, drive, report, run, spread
from tests.support import stage
from tests.support.stream_listeners import Listener

REHEARSED = 12
_OWN = 10  # every tenth listens to all games of a player


def cuts(streams: int, seconds: float) -> None:
    """Cut streams at random, and compare what each received with the story in the API."""
    with stage.postgres() as postgres:
        with stage.in_process(postgres.url):
            games = stage.rehearse("sternenhimmel", REHEARSED)
        with stage.serving(stage.OURS, postgres.url) as served:
            listeners = [_listener(served.port, games[n % REHEARSED], n) for n in range(streams)]
            began = time.monotonic()
            asyncio.run(_cut_and_play(served.port, games, listeners, seconds))
            took = time.monotonic() - began
            wrong = _compare(served.port, listeners)
    told = sum(len(listener.told) for listener in listeners)
    connections = sum(listener.connections for listener in listeners)
    print(f"{streams} streams, {took:.0f} s, {connections} connections, {told} events told, {wrong} streams wrong")
    if wrong:
        raise SystemExit(1)


def _listener(port: int, game: stage.Rehearsed, number: int) -> Listener:
    token = game.lines[number % len(game.lines)].token
    if number % _OWN == 0:
        return Listener(port, "/v1/stream", token)
    return Listener(port, f"/v1/games/{game.game_id}/stream", token if number % 3 else None)


async def _cut_and_play(
    port: int, games: Sequence[stage.Rehearsed], listeners: Sequence[Listener], seconds: float
) -> None:
    rng = random.Random(1)
    listening = [asyncio.create_task(listener.listen(random.Random(n))) for n, listener in enumerate(listeners)]
    while not all(listener.connections for listener in listeners):
        await asyncio.sleep(0.1)
    lines = [iter(game.lines) for game in games]
    moves = sum(len(game.lines) for game in games)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", verify=False) as client:
        while lines:
            game = rng.randrange(len(lines))
            line = next(lines[game], None)
            if line is None:
                del lines[game]
                games = [*games[:game], *games[game + 1 :]]
                continue
            body = {"turn": line.turn, "move": line.move}
            headers = {"Authorization": f"Bearer {line.token}"}
            answer = await client.post(f"/v1/games/{games[game].game_id}/moves", json=body, headers=headers)
            assert answer.status_code == 201, answer.text
            await asyncio.sleep(rng.uniform(0, 2 * seconds / moves))
    await asyncio.sleep(15)
    for task in listening:
        task.cancel()


def _compare(port: int, listeners: Sequence[Listener]) -> int:
    """Count the streams that differ from the story."""
    wrong, stories = 0, dict[tuple[str, str | None], list[Json]]()
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", verify=False) as client:
        for listener in listeners:
            own = listener.path == "/v1/stream"
            games = {item.pop("game") for item in listener.told} if own else {listener.path.split("/")[3]}
            whole: list[Json] = []
            for game in games:
                if (game, listener.token) not in stories:
                    headers = {"Authorization": f"Bearer {listener.token}"} if listener.token else {}
                    answer = client.get(f"/v1/games/{game}/events", headers=headers)
                    stories[game, listener.token] = answer.raise_for_status().json()["items"]
                whole += stories[game, listener.token]
            if own:  # it opened after the games had begun
                whole = [item for item in whole if item["version"] > 1]
            wrong += listener.told != whole
    return wrong


def idle(streams: int, pairs: int) -> None:
    with stage.postgres() as postgres:
        with stage.in_process(postgres.url):
            rehearsed = stage.rehearse("sternenhimmel", 30)
        copies = stage.copies(postgres.url, rehearsed, 10 + 4 * (pairs + 1))
        ours = [stage.requests(game) for game in copies]
        idle_games = copies[-300:]
        with stage.serving(stage.OURS, postgres.url) as served:
            alone, beside = [], []
            drive(served.port, ours[:30], CLIENTS)
            for pair in range(pairs):
                games = ours[30 + pair * 60 : 90 + pair * 60]
                alone.append(run(served, postgres, games[:30]))
                with _Crowd(served.port, idle_games, streams) as crowd:
                    beside.append(run(served, postgres, games[30:]))
                    assert crowd.open == streams, f"{crowd.open} streams are open"
            with _Crowd(served.port, idle_games, streams):
                cost = stage.cpu_seconds(served.pid)
                time.sleep(20)
                cost = (stage.cpu_seconds(served.pid) - cost) / 20
    report("no streams", alone)
    report(f"{streams} streams", beside)
    ratios = [b.driven.per_second / a.driven.per_second for a, b in zip(alone, beside, strict=True)]
    print(f"ratio of moves/s: {spread(ratios)}; target: at least 0.8")
    print(f"{streams} idle streams use {100 * cost:.1f} % of a core")


class _Crowd:
    def __init__(self, port: int, games: Sequence[stage.Rehearsed], streams: int) -> None:
        paths = [f"/v1/games/{games[n % len(games)].game_id}/stream?presence=true" for n in range(streams)]
        self._listeners = [Listener(port, path, games[n % len(games)].lines[0].token) for n, path in enumerate(paths)]
        self._stop, self._thread = Event(), Thread(target=self._listen)

    @property
    def open(self) -> int:
        return sum(listener.connections for listener in self._listeners)

    def __enter__(self) -> Self:
        self._thread.start()
        while not all(listener.told for listener in self._listeners):
            time.sleep(0.1)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _listen(self) -> None:
        asyncio.run(self._all())

    async def _all(self) -> None:
        tasks = [asyncio.create_task(listener.listen()) for listener in self._listeners]
        while not self._stop.is_set():
            await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("cuts", "idle"))
    parser.add_argument("--streams", type=int)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--pairs", type=int, default=3)
    wanted = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    if wanted.what == "cuts":
        cuts(wanted.streams or 500, wanted.seconds)
    else:
        idle(wanted.streams or 1000, wanted.pairs)


if __name__ == "__main__":
    main()
