"""Archives of whole games for tests that read and change them."""

import copy
import hashlib
import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from server.accounts.players import player_token
from server.games import GAMES, Json
from tests.support.games import service_is_up
from tests.support.random_games import archives


@pytest.fixture
def here(app: Flask) -> Iterator[Flask]:
    with app.app_context():
        service_is_up()
        yield app


@pytest.fixture(params=GAMES)
def long(request: pytest.FixtureRequest, session_app: Flask) -> Json:
    """Return a copy, which the test may change, of a game with every kind of event."""
    return copy.deepcopy(archives(session_app)[f"{request.param} long"])


@pytest.fixture(params=[f"{game} {night}" for game in GAMES for night in ("long", "short", "of bots")])
def archive(request: pytest.FixtureRequest, session_app: Flask) -> Json:
    return copy.deepcopy(archives(session_app)[request.param])


def as_file(archive: Any) -> bytes:
    return json.dumps(archive).encode()


def rehash(archive: Json) -> Json:
    before = bytes.fromhex(archive["commitment"])
    for event in archive["events"]:
        fact = {name: value for name, value in event.items() if name != "hash"}
        text = json.dumps(fact, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        before = hashlib.sha256(before + text.encode()).digest()
        event["hash"] = before.hex()
    return archive


def first(archive: Json, type_: str, nth: int = 0) -> int:
    """Return the index of the nth event of this type. For "move", count only events that begin a commit."""
    events, rules = archive["events"], GAMES[archive["rules"]]
    if type_ == "move":
        starts = [place for place in range(1, len(events)) if events[place - 1]["version"] < events[place]["version"]]
        return [place for place in starts if events[place]["type"] in rules.EVENTS][nth]
    return [place for place, event in enumerate(events) if event["type"] == type_][nth]


def new_seed(archive: Json) -> None:
    archive |= {"seed": bytes(32).hex(), "commitment": hashlib.sha256(bytes(32)).hexdigest()}


def change_order(archive: Json) -> None:
    shuffled = archive["events"][1]["body"]
    order = shuffled["order" if "order" in shuffled else "deck"]
    order[-1], order[-2] = order[-2], order[-1]


def say_more(archive: Json, nth: int = 0) -> int:
    event = archive["events"][first(archive, "move", nth)]
    event["body"]["more"] = 1
    seq: int = event["seq"]
    return seq


def get(app: Flask, path: str, player_id: UUID | None = None, name: str = "") -> Any:
    headers = {"Authorization": f"Bearer {player_token(f'{name}@example.org', name)}"} if name else {}
    return app.test_client().get(path, headers=headers)
