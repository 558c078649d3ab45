"""Clients with a position beyond the end of a log get a reset, as after a backup is restored."""

import json
from base64 import urlsafe_b64encode
from struct import pack
from uuid import UUID

import pytest

from server.clock import clock
from tests.support.api_calls import first_move
from tests.support.contract import Someone, is_problem, opened
from tests.support.games import BOT, DAY, ME


@pytest.fixture
def game(ada: Someone) -> str:
    path = opened(ada, ME, BOT, BOT)
    assert ada.post(f"{path}/messages", {"text": "Good evening!"}).status_code == 201
    return path


def newest(ada: Someone, game: str) -> int:
    seq: int = ada.get(f"{game}/events").json["items"][-1]["seq"]
    return seq


def streamed(ada: Someone, path: str, last: str) -> list[tuple[str, object]]:
    """The names and data of what a stream tells after this id."""
    said = ada.get(path, headers={"Last-Event-ID": last}).text.split("\n\n")
    rows = [dict(line.split(": ", 1) for line in each.split("\n") if ": " in line) for each in said]
    return [(row.get("event", ""), json.loads(row["data"])) for row in rows if "data" in row]


def test_a_stream_from_a_future_position_begins_with_a_reset_and_all_events(ada: Someone, game: str) -> None:
    end = newest(ada, game)
    assert streamed(ada, f"{game}/stream", f"{end}-1") == []
    for last in (f"{end + 1}-1", f"{end + 2}", f"{end}-2"):
        (name, data), *told = streamed(ada, f"{game}/stream", last)
        assert (name, data) == ("reset", {"game": game[-36:], "newest": end}), last
        assert [it["seq"] for event, it in told if not event][-1] == end  # type: ignore[index]
        assert [event for event, _ in told if event] == ["said"]
    query = ada.get(f"{game}/stream?after={end + 5}").text
    assert "event: reset\n" in query


def test_a_stream_continues_after_a_reset_without_a_second_reset(ada: Someone, game: str) -> None:
    end = newest(ada, game)
    told = ada.get(f"{game}/stream", headers={"Last-Event-ID": f"{end + 2}-0"}).text
    last = [line[4:] for line in told.splitlines() if line.startswith("id: ")][-1]
    assert streamed(ada, f"{game}/stream", last) == []
    assert ada.post(f"{game}/moves", first_move(ada, game)).status_code == 201
    assert [name for name, _ in streamed(ada, f"{game}/stream", last)] == [""] * (newest(ada, game) - end)


def test_a_finished_game_is_replayed_from_a_future_position(ada: Someone, game: str) -> None:
    assert ada.post(f"{game}/votes", {"on": "abandon"}).status_code == 200
    end = newest(ada, game)
    assert ada.get(f"{game}/stream", headers={"Last-Event-ID": f"{end}-1"}).status_code == 204
    names = [name for name, _ in streamed(ada, f"{game}/stream", f"{end + 1}-1")]
    assert names[0] == "reset" and len(names) > 2


def test_the_stream_of_all_games_resets_a_game_whose_log_has_become_shorter(ada: Someone, game: str) -> None:
    other, end = opened(ada, ME, BOT, BOT), newest(ada, game)
    since = int((clock.now() - DAY).timestamp() * 1_000_000)
    told = {game: end + 2, other: newest(ada, other)}
    place = pack(">Q", since) + b"".join(UUID(path[-36:]).bytes[:8] + pack(">I", seq) for path, seq in told.items())
    (name, data), *rest = streamed(ada, "/v1/stream", urlsafe_b64encode(place).decode().rstrip("="))
    assert (name, data) == ("reset", {"game": game[-36:], "newest": end})
    assert {it["game"] for _, it in rest} == {game[-36:]}  # type: ignore[index]
    assert rest[-1][1]["seq"] == end  # type: ignore[index]


def test_list_calls_reject_a_future_position(ada: Someone, game: str) -> None:
    version, end = ada.get(game).json["version"], newest(ada, game)
    for path, last in (("events?after=", end), ("events?since_version=", version), ("messages?after=", 1)):
        assert ada.get(f"{game}/{path}{last}").json["items"] == []
        for further in (1, 999):
            answer = ada.get(f"{game}/{path}{last + further}")
            assert is_problem(answer, 409, "place-ahead") and answer.json["newest"] == last
