"""Any version of a game stays visible as it was then, and events continue from any version."""

from collections.abc import Iterator

import pytest
from flask import Flask

from server.accounts.players import player_token
from server.app import create_app
from server.config import Settings
from server.games import GAMES, Json
from server.games.presentation import sentence
from server.play.commits import whole_log
from server.play.table import fold, new_table
from server.play.views import describe
from server.store import embedded_postgres
from server.translations import LOCALES
from tests.support import databases
from tests.support.games import service_is_up
from tests.support.random_games import LONG, Table

NAMES = ("ada", "bea", "cyd")


@pytest.fixture(scope="module")
def app(postgres: embedded_postgres.Server, template_url: str) -> Flask:
    """Return an app over an own database, since these tests only read and a game takes a while."""
    url = databases.create_database(postgres.url, "earlier_versions", template="template_of_tests")
    return create_app(Settings.from_environment({"DATABASE_URL": url}))


@pytest.fixture(scope="module", params=[(game, how) for game in GAMES for how in ("finished", "running")], ids=" ".join)
def table(request: pytest.FixtureRequest, app: Flask) -> Iterator[Table]:
    with app.app_context():
        service_is_up()
        game, how = request.param
        table = Table(dict.fromkeys(NAMES, ""), bots=1, rules=game, options=LONG[game])
        if how == "finished":
            table.play_on()
        else:
            for _ in range(40):
                table.move()
        yield table


def test_an_earlier_version_shows_what_was_visible_then(table: Table) -> None:
    assert len(table.seen) > 100
    for (version, viewer), seen in [*table.seen.items()][::3]:
        again = describe(table.game, viewer, version)
        for seat in [*seen["seats"], *again["seats"]]:
            del seat["due_at"]  # past ones are not stored
        assert again == seen


def test_an_earlier_version_is_a_replay_of_part_of_the_log(app: Flask, table: Table) -> None:
    log, clients = whole_log(table.game_id), {None: {}}
    for seat, name in enumerate(NAMES):
        clients[seat] = {"Authorization": f"Bearer {player_token(f'{name}@example.org', name)}"}
    for version in range(1, table.game.table.version + 1, 17):
        then = fold(new_table(table.game.head.rules), [row for row in log if row.version <= version])
        for seat, headers in clients.items():
            answer = app.test_client().get(f"/v1/games/{table.game_id}?at={version}", headers=headers)
            assert (answer.json["version"], answer.json["status"]) == (version, then.status)
            assert answer.json["view"] == then.rules.view(then.state, seat)
            assert answer.json["outcome"] == then.outcome
            assert [it["turn"] for it in answer.json["seats"]] == list(then.turns)


def test_a_future_version_is_not_found(app: Flask, table: Table) -> None:
    answer = app.test_client().get(f"/v1/games/{table.game_id}?at={table.game.table.version + 1}")
    assert answer.status_code == 404


def test_events_continue_from_any_event_or_version(app: Flask, table: Table) -> None:
    def story(query: str = "") -> list[Json]:
        items: list[Json] = app.test_client().get(f"/v1/games/{table.game_id}/events{query}").json["items"]
        return items

    whole = story()
    for item in whole[::30]:
        assert story(f"?after={item['seq']}") == [it for it in whole if it["seq"] > item["seq"]]
        assert story(f"?since_version={item['version']}") == [it for it in whole if it["version"] > item["version"]]
    assert story(f"?since_version={whole[-1]['version']}") == []


@pytest.mark.parametrize("limit", [7, 20, 500])
def test_all_pages_together_contain_every_event(app: Flask, table: Table, limit: int) -> None:
    client, path = app.test_client(), f"/v1/games/{table.game_id}/events"
    pages, following = [], f"{path}?limit={limit}"
    while following:
        answer = client.get(following)
        assert answer.headers.get("Link") == (f'<{answer.json["next"]}>; rel="next"' if answer.json["next"] else None)
        assert len(answer.json["items"]) <= limit
        following = answer.json["next"]
        pages += answer.json["items"]
    assert pages == client.get(path).json["items"]
    assert client.get(path).json["next"] is None


@pytest.mark.parametrize("locale", LOCALES)
def test_events_include_sentences_on_request(app: Flask, table: Table, locale: str) -> None:
    client, path = app.test_client(), f"/v1/games/{table.game_id}/events"
    items = client.get(f"{path}?words={locale}").json["items"]
    assert [{key: it[key] for key in it if key != "words"} for it in items] == client.get(path).json["items"]
    told = [sentence(it, table.game.names, locale, rules_name=table.game.head.rules) for it in items]
    assert [it["words"] for it in items] == told
    assert sum(it["words"] is not None for it in items) > len(items) / 2
    assert client.get(f"{path}?words=xx").status_code == 422
