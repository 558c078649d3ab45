"""Lists over the API: pages, cursors and filters."""

import json
from base64 import urlsafe_b64encode
from typing import Any

import pytest
from flask import Flask

from server.games import Json
from tests.support.api_calls import walk
from tests.support.contract import Someone, is_problem, opened
from tests.support.games import BOT, ME, OPEN


@pytest.mark.usefixtures("no_limits")
@pytest.mark.parametrize("query", ["", "mine=true&", "status=open&", "rules=sternenhimmel&mine=true&"])
def test_pages_have_no_gaps_or_duplicates_while_games_are_opened(ada: Someone, query: str) -> None:
    ids = [opened(ada, ME, OPEN, OPEN).rpartition("/")[2] for _ in range(7)]
    found = walk(ada, f"/v1/games?{query}limit=2", between=lambda: opened(ada, ME, OPEN, OPEN))
    assert found == ids[::-1]


def test_a_list_contains_public_games_the_callers_own_games_or_games_that_wait_for_the_caller(
    app: Flask, ada: Someone, bea: Someone, game: str
) -> None:
    private = opened(bea, ME, OPEN, OPEN, private=True).rpartition("/")[2]
    public = opened(bea, ME, OPEN, OPEN).rpartition("/")[2]
    running = game.rpartition("/")[2]
    everybody = Someone(app)
    assert walk(everybody, "/v1/games") == walk(ada, "/v1/games") == [public, running]
    assert walk(everybody, "/v1/games?status=running") == [running]
    assert walk(everybody, "/v1/games?status=finished") == []
    assert walk(bea, "/v1/games?mine=true") == [public, private, running]
    assert walk(bea, "/v1/games?mine=true&status=open") == [public, private]
    assert (walk(ada, "/v1/games?my_turn=true"), walk(bea, "/v1/games?my_turn=true")) == ([running], [])
    ada.delete(f"{game}/seats/me")
    assert walk(ada, "/v1/games?my_turn=true") == []


def test_the_lobby_filters_open_games_by_free_seats_and_number_of_players(
    ada: Someone, bea: Someone, game: str, stranger: Someone
) -> None:
    invited = {"email": "cleo@example.org"}
    kept, of_three, of_four, private = (
        opened(ada, ME, *seats, private=private).rpartition("/")[2]
        for *seats, private in (
            [invited, BOT, False],
            [OPEN, invited, False],
            [OPEN, BOT, OPEN, False],
            [OPEN, OPEN, OPEN, True],
        )
    )
    assert walk(stranger, "/v1/games?free=true") == [of_four, of_three]
    assert walk(stranger, "/v1/games?players=3") == [of_three, kept]
    assert walk(stranger, "/v1/games?players=3&free=true&rules=sternenhimmel") == [of_three]
    assert walk(stranger, "/v1/games?players=4&rules=sternenglanz") == []
    assert walk(ada, "/v1/games?players=4&mine=true") == [private, of_four]
    for query in ("players=2", "players=3&status=running", "free=true&my_turn=true", "free=true&mine=true"):
        assert walk(bea, f"/v1/games?{query}") == []


@pytest.mark.usefixtures("no_limits")
def test_a_lobby_page_is_full_even_if_many_games_do_not_match_the_filter(ada: Someone, stranger: Someone) -> None:
    ids = []
    for _ in range(4):
        ids.append(opened(ada, ME, OPEN, BOT, OPEN).rpartition("/")[2])
        for others in ([OPEN, BOT], [{"email": "cleo@example.org"}, BOT, BOT], [BOT, BOT, BOT]):
            opened(ada, ME, *others)
    sizes: list[int] = []
    url = "/v1/games?free=true&players=4&limit=2"
    assert walk(stranger, url) == walk(ada, f"{url}&mine=true") == ids[::-1]
    while url:
        page = stranger.get(url).json
        sizes, url = [*sizes, len(page["items"])], page["next"]
    assert sizes == [2, 2]


def test_a_game_in_a_list_looks_the_same_as_on_its_own_page_for_each_viewer(
    app: Flask, ada: Someone, bea: Someone, stranger: Someone, game: str
) -> None:
    def told() -> list[Json | None]:
        for who in (ada, bea, stranger):
            (item,) = who.get("/v1/games").json["items"]
            assert item.items() <= who.get(game).json.items()
        return [who.get("/v1/games").json["items"][0]["you"] for who in (ada, bea, stranger)]

    assert told() == [{"seat": 0, "turn": 1}, {"seat": 1, "turn": None}, None]
    for who in (ada, bea):
        who.post(f"{game}/votes", {"on": "pause"})
    assert told() == [{"seat": 0, "turn": None}, {"seat": 1, "turn": None}, None]
    for who in (ada, bea):
        who.post(f"{game}/votes", {"on": "resume"})
    ada.delete(f"{game}/seats/me")
    assert told()[0] == {"seat": 0, "turn": None}
    (mine,) = bea.get("/v1/games?mine=true").json["items"]
    assert mine["you"] == bea.get(game).json["you"]


SOME_ID = "0123456789abcdef0123456789abcdef"  # a test that is named by chance cannot be found again


def cursor_of(*parts: Any) -> str:
    return urlsafe_b64encode(json.dumps(parts).encode()).decode()


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "nonsense",
        "\u00e4",
        "AAAA",
        cursor_of(),
        cursor_of("2026-11-21T00:00:00+00:00"),
        cursor_of("2026-11-21T00:00:00", SOME_ID),
        cursor_of("2026-11-21T00:00:00+00:00", "x"),
        cursor_of("2026-11-21T00:00:00+00:00", 7),
        cursor_of(7, SOME_ID),
        cursor_of("0001-01-01T00:00:00+23:59", SOME_ID),
        cursor_of("9999-12-31T23:59:59-23:59", SOME_ID),
        cursor_of("2026-11-21T00:00:00+00:00:00.000001", SOME_ID),
        cursor_of("2026-11-21T00:00:00+00:00", SOME_ID, 1),
        urlsafe_b64encode(b"[" * 20_000).decode(),
        urlsafe_b64encode(b'{"a": 1, "b": 2}').decode(),
    ],
)
def test_a_forged_cursor_is_rejected_or_harmless(ada: Someone, cursor: str) -> None:
    for query in ("", "mine=true&"):
        response = ada.get(f"/v1/games?{query}cursor={cursor}")
        assert response.status_code in (200, 400, 422)


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=101", "limit=x", "limit=1.5", "status=old", "mine=yes", "mine=1", "mine=True", "color=red"]
    + ["free=1", "players=1", "players=6", "players=three"],
)
def test_an_invalid_query_is_rejected(ada: Someone, query: str) -> None:
    is_problem(ada.get(f"/v1/games?{query}"), 422, "invalid-fields")
