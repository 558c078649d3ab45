"""Web and worker behind PgBouncer in transaction mode."""

import asyncio
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from typing import Any, NamedTuple

import psycopg
import pytest

from server.store import connections
from server.store.connections import NEEDED_TO_READ
from server.store.tables import APP_ROLE
from tests.support.games import ME, OPEN, wanted
from tests.support.live_server import CHECKOUT, Client, House, new_house, sign_in, until
from tests.support.pooler import CONNECTIONS, PROGRAM, pgbouncer
from tests.support.stream_listeners import Listener

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="PgBouncer is not installed: apt-get install pgbouncer")

GAMES, MOVES = 4, 6
ADA, BEN = "ada@example.org", "ben@example.org"
DOCUMENTED = (CHECKOUT / "server/docs/scaling.md").read_text("utf-8")
LIMITS = "".join(re.findall("ALTER ROLE stars SET .*?;", DOCUMENTED))
WRONG = {
    "role": "none",
    "statement_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "timezone": "Europe/Berlin",
    "client_encoding": "LATIN1",
    "datestyle": "German, DMY",
    "intervalstyle": "sql_standard",
    "standard_conforming_strings": "off",
    "bytea_output": "escape",
    "extra_float_digits": "0",
    "search_path": "pg_catalog",
    "default_transaction_isolation": "serializable",
}
_numbers = count(1)


class Pooled(NamedTuple):
    """A server whose connections all lead through a pooler, except one to listen on."""

    house: House
    url: str
    direct: str
    other: str  # the address of its second web


@pytest.fixture(scope="module")
def pooled() -> Iterator[Pooled]:
    with new_house() as house:
        with psycopg.connect(house.database_url, autocommit=True) as owner:
            owner.execute(f"CREATE ROLE stars LOGIN; GRANT {APP_ROLE} TO stars; {LIMITS}")
        direct = house.database_url.replace("//sternenpost@", "//stars@")
        with pgbouncer(house.database_url) as url:
            only = {"DATABASE_URL": url, "DATABASE_URL_DIRECT": direct}
            house.start_web(**only)
            other = house.start_another_web(**only)
            house.start_worker(**only)
            yield Pooled(house, url, direct, other)


@pytest.fixture
def people(pooled: Pooled) -> list[Client]:
    """Two who play by one web, and by the other."""
    number = next(_numbers)
    return [sign_in(pooled.house, f"{name}{number}@example.org") for name in ("ada", "ben")]


def new_game(people: list[Client]) -> str:
    ada, ben = people
    game: str = ada.post("/v1/games", wanted(ME, OPEN, {"bot": "random"}))["id"]
    ben.post(f"/v1/games/{game}/seats", {})
    return game


def moves_once(client: Client, game: str) -> dict[str, Any] | None:
    """The first of the open moves; None if it is not this player's turn."""
    asked = client.get(f"/v1/games/{game}/legal-moves")
    if asked["turn"] is None:
        return None
    path, move = f"/v1/games/{game}/moves", {"turn": asked["turn"], "move": asked["moves"][0]}
    answer = client.ask("POST", path, json=move)
    assert answer.status_code in (200, 201), answer.text
    again = client.ask("POST", path, json=move)
    assert again.status_code == 200 and again.json()["version"] == answer.json()["version"]
    told: dict[str, Any] = answer.json()
    return told


def moves_on(people: list[Client], game: str) -> int:
    """Let the player to move play, and return the version after it."""
    told = until(lambda: next(filter(None, (moves_once(client, game) for client in people)), None))
    version: int = told["version"]
    return version


def test_games_can_be_played_behind_a_pooler_with_two_web_processes_and_a_worker(
    pooled: Pooled, people: list[Client]
) -> None:
    """With more threads than the pooler has connections."""
    ada, ben = people
    elsewhere = Client(pooled.house, ben.token)
    elsewhere._http.base_url = pooled.other
    games = [new_game(people) for _ in range(GAMES)]

    def plays(game: str) -> None:
        for _ in range(MOVES):
            moves_on([ada, elsewhere], game)

    with ThreadPoolExecutor(GAMES) as threads:
        list(threads.map(plays, games))
    pooled.house.await_letters()
    for game in games:
        rows = pooled.house.rows("SELECT seq, version FROM events WHERE game_id = %s ORDER BY seq", game)
        assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
        assert rows[-1]["version"] > MOVES  # theirs, and those of the bot
    with psycopg.connect(pooled.house.database_url) as owner:
        found = owner.execute("SELECT count(*) FROM pg_stat_activity WHERE usename = 'stars'").fetchone()
    assert found and found[0] <= CONNECTIONS + 6  # each of six processes keeps one, to tell hints or to hear them


def test_emails_do_not_wait_for_the_next_poll(pooled: Pooled, people: list[Client]) -> None:
    """The worker hears of them, and carries each once."""
    game = new_game(people)
    version = moves_on(people, game)
    pooled.house.await_letters()
    sent = Counter(mail.message_id for mail in pooled.house.post.letters)
    assert version and set(sent.values()) == {1}


@pytest.mark.parametrize("listens", [True, False])
def test_a_stream_reports_everything_with_or_without_notifications(
    pooled: Pooled, people: list[Client], listens: bool
) -> None:
    direct = {"DATABASE_URL_DIRECT": pooled.direct} if listens else {}
    port = int(pooled.house.start_another_web(DATABASE_URL=pooled.url, **direct).rpartition(":")[2])
    game = new_game(people)

    async def follow() -> Listener:
        listener = Listener(port, f"/v1/games/{game}/stream", people[0].token)
        listening = asyncio.create_task(listener.listen())
        try:
            version = 0
            for _ in range(3):
                version = await asyncio.to_thread(moves_on, people, game)
                await asyncio.to_thread(until, lambda v=version: any(it["version"] >= v for it in listener.told))
            return listener
        finally:
            listening.cancel()

    listener = asyncio.run(follow())
    seqs = [it["seq"] for it in listener.told]
    assert seqs == sorted(set(seqs)) and listener.connections == 1


def test_moves_continue_after_postgres_was_killed_behind_the_pooler(pooled: Pooled, people: list[Client]) -> None:
    game = new_game(people)
    before = moves_on(people, game)
    pooled.house.crash_postgres()
    assert moves_on(people, game) > before


# What the doctor says


@contextmanager
def with_wrong(pooled: Pooled, name: str) -> Iterator[None]:
    """A setting of the login `stars` is wrong, in new sessions."""
    with psycopg.connect(pooled.house.database_url, autocommit=True) as owner:
        owner.execute(f"ALTER ROLE stars SET {name} = '{WRONG[name]}'")
        owner.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'stars'")
        yield
        owner.execute(LIMITS)
        owner.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'stars'")


def told(pooled: Pooled, *words: str, **settings: str) -> dict[str, str]:
    """What a command of operators says, by the beginnings of its lines."""
    environment = {"PATH": "/usr/bin:/bin", "DATABASE_URL": pooled.url, "STERNENPOST_SANDBOX": "on", **settings}
    command = [sys.executable, "-m", "server.cli", *words]
    said = subprocess.run(command, cwd=CHECKOUT, env=environment, check=False, capture_output=True, text=True)
    lines = (said.stdout + said.stderr).splitlines()
    return {name: state for name, _, state in (line.partition(": ") for line in lines)}


def test_the_doctor_reports_whether_notifications_are_received(pooled: Pooled) -> None:
    until(lambda: told(pooled, "doctor").get("worker") == "ok")
    assert told(pooled, "doctor", DATABASE_URL_DIRECT=pooled.direct)["pooler"] == "ok"
    assert told(pooled, "doctor")["pooler"].startswith(
        "DATABASE_URL_DIRECT is not set, so there are no Postgres notifications"
    )
    assert (
        told(pooled, "doctor", DATABASE_URL_DIRECT=pooled.url)["pooler"] == "DATABASE_URL_DIRECT leads to a pooler, too"
    )
    assert "pooler" not in told(pooled, "doctor", DATABASE_URL=pooled.direct)


@pytest.mark.parametrize("name", WRONG)
def test_the_doctor_names_the_wrong_setting(pooled: Pooled, name: str) -> None:
    with with_wrong(pooled, name), pgbouncer(pooled.house.database_url) as url:  # the other one knows the former values
        found = told(pooled, "doctor", DATABASE_URL=url)
    part = found["database"] if name in NEEDED_TO_READ else found["pooler"]
    assert part.startswith(f"{name} is {WRONG[name]} in its sessions and must be ")
    assert part.count(" is ") == 1


def test_the_database_role_has_every_setting_that_a_session_needs() -> None:
    asked = {name for name in connections._SETTINGS if not name.startswith("tcp_")} | {"statement_timeout"}
    assert asked == connections._RIGHT.keys() == WRONG.keys()
    assert asked <= set(re.findall(r"ALTER ROLE stars SET (\w+)", LIMITS))


def test_the_doctor_names_the_line_missing_in_the_poolers_configuration(pooled: Pooled) -> None:
    with pgbouncer(pooled.house.database_url, more="") as url:
        assert "`ignore_startup_parameters = options`" in told(pooled, "doctor", DATABASE_URL=url)["database"]


def test_tables_are_not_migrated_through_a_pooler(pooled: Pooled) -> None:
    said = told(pooled, "migrate")
    assert said["Error"] == "DATABASE_URL leads to a pooler. For this command, use Postgres directly."
