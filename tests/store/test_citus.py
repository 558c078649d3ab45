"""On a real Citus: `sternenpost spread`, and how many shards each statement touches. See tests/support/citus.py."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import psycopg
import pytest
from flask import Flask
from sqlalchemy import create_engine, text

from server.app import create_app
from server.config import Settings
from server.play.timing import sweep
from server.play.timing.heartbeats import beat
from server.play.timing.outages import follow_outages
from server.post.incoming.answering import deal_with_mails
from server.store import migrate, outbox, spreading
from server.store.connections import autocommit
from server.store.lookout import Lookout
from server.store.tables import db
from tests.post.office import Office, a_mail, arrives
from tests.processes.test_play_by_mail import hands_over, moves_in, reply_to
from tests.support import citus
from tests.support.commands import ask
from tests.support.contract import Contract, ContractClient, Someone, opened
from tests.support.games import BOT, DAY, ME, MINUTE, OPEN, game_of, later, person, service_is_up, wanted
from tests.support.live_server import Client, House, Turn, new_house, sign_in, until
from tests.support.plans import statements_of
from tests.support.webhook_receiver import Receiver

pytestmark = pytest.mark.skipif(citus.URL is None, reason="STERNENPOST_TEST_CITUS names no Citus")

LOOKS = (  # by the leader, for due work
    *(sweep._DUE, outbox._DUE_OF_GAMES, outbox._DUE_OF_PLAYERS),
    "SELECT game_id, mail_id, due_at FROM inbox WHERE due_at <=",
)
FILLED = ("settings", "games", "events")  # by a game
KINDS = ("SELECT", "UPDATE", "DELETE", "INSERT", "WITH")


def house_at(url: str) -> Flask:
    app = create_app(Settings.from_environment({"DATABASE_URL": url}))
    app.test_client_class = type("Client", (ContractClient,), {"contract": Contract(app)})
    return app


@pytest.fixture(scope="module")
def spread_url() -> Iterator[str]:
    name = "spread_for_tests"
    yield citus.spread_database(name)
    citus.drop_database(name)


@pytest.fixture
def house(spread_url: str) -> Iterator[Flask]:
    app = house_at(spread_url)
    with app.app_context():
        service_is_up()
        for left_over in ("UPDATE seats SET wake_at = NULL", "DELETE FROM outbox"):
            db.session.execute(text(left_over))
            db.session.commit()
        yield app
        db.session.close()
        db.engine.dispose()


# The command


def run(url: str, *words: str) -> str:
    done = ask(*words, DATABASE_URL=url, SMTP_URL=None)
    assert isinstance(done.exception, SystemExit | None), done.exception
    return done.output


def told_of_spreading(url: str) -> str | None:
    found = re.search(r"^spread: (.*)$", run(url, "doctor"), re.MULTILINE)
    return found and found[1]


@pytest.fixture
def unspread_url() -> Iterator[str]:
    name = "unspread_for_tests"
    yield citus.empty_database(name)
    citus.drop_database(name)


def test_tables_are_distributed_once_with_their_rows_and_new_tables_after_later_migrations(unspread_url: str) -> None:
    migrate.upgrade(unspread_url)
    with house_at(unspread_url).app_context():
        game_of(person("ada"), person("ben"), bots=1)
        before = {table: db.session.scalar(text(f"SELECT count(*) FROM {table}")) for table in FILLED}
        db.session.close()
        db.engine.dispose()
    assert "the table games is distributed by game_id" in run(unspread_url, "spread", "--dry-run")
    assert (told_of_spreading(unspread_url) or "").endswith("run `sternenpost spread`")
    assert "record_commit runs on the node that has the game" in run(unspread_url, "spread")
    assert run(unspread_url, "spread") == "Done:\n  nothing\n"
    assert told_of_spreading(unspread_url) == "ok"
    with psycopg.connect(unspread_url) as connection:
        for table in FILLED:
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (before[table],)
            assert connection.execute("SELECT pg_relation_size(%s)", (table,)).fetchone() == (0,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
            connection.execute("TRUNCATE events")
        connection.execute("DROP TABLE stand_ins")
        connection.execute("DROP TABLE mailboxes")
    engine = create_engine(migrate.psycopg_url(unspread_url))
    db.metadata.create_all(engine)
    engine.dispose()
    left = run(unspread_url, "spread", "--dry-run").splitlines()[1:]
    added = (
        "the table stand_ins is distributed by game_id",
        "the table mailboxes stays on the coordinator, and every node can reach it",
    )
    assert [line.strip() for line in left] == list(added)
    run(unspread_url, "spread")
    assert told_of_spreading(unspread_url) == "ok"


def test_tables_distributed_by_an_earlier_release_can_be_migrated(
    unspread_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate.upgrade(unspread_url, "0024")
    with psycopg.connect(unspread_url) as connection:
        there = {name for (name,) in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")}
    known = {key: [it for it in tables if it in there] for key, tables in spreading.tables_by_spread().items()}
    with monkeypatch.context() as earlier:
        earlier.setattr(spreading, "tables_by_spread", lambda: known)
        spreading.spread(unspread_url, lambda steps: True, lambda step: None)
    migrate.upgrade(unspread_url)
    assert "the table plans is distributed by game_id" in run(unspread_url, "spread")
    assert told_of_spreading(unspread_url) == "ok"
    with psycopg.connect(unspread_url) as connection:
        together = "SELECT count(DISTINCT colocationid) FROM pg_dist_partition WHERE partmethod = 'h'"
        assert connection.execute(together).fetchone() == (2,)  # games, and players


def test_tables_are_migrated_on_the_coordinator_and_distributed_over_existing_nodes(unspread_url: str) -> None:
    migrate.upgrade(unspread_url)
    assert "not the coordinator" in run(citus.named(citus.nodes()[1], "unspread_for_tests"), "migrate")
    with psycopg.connect(unspread_url, autocommit=True) as connection:
        connection.execute("SELECT citus_remove_node(nodename, nodeport) FROM pg_dist_node WHERE groupid <> 0")
    assert "has no nodes yet" in run(unspread_url, "spread")


def test_no_table_is_distributed_while_a_web_process_or_worker_is_running(unspread_url: str) -> None:
    migrate.upgrade(unspread_url)
    with house_at(unspread_url).app_context():
        beat("worker")
        db.session.close()
        db.engine.dispose()
    assert "Still running: worker" in run(unspread_url, "spread")
    assert "the table games is distributed by game_id" in run(unspread_url, "spread", "--dry-run")


def test_one_of_two_workers_is_the_leader_until_it_is_gone(house: Flask) -> None:
    first, second = Lookout(1), Lookout(1)
    assert first.is_time("sweep", 0, 60)
    assert not second.is_time("sweep", 0, 60)
    assert first._connection
    first._connection.close()
    assert until(lambda: second.is_time("sweep", 0, 60))


def test_nodes_do_not_cache_query_plans_because_citus_would_add_one_per_use(house: Flask) -> None:
    with autocommit() as connection:
        assert connection.execute("SHOW plan_cache_mode").fetchone() == ("force_custom_plan",)
        of_nodes = connection.execute("SELECT result FROM run_command_on_workers('SHOW plan_cache_mode')").fetchall()
        assert set(of_nodes) == {("force_custom_plan",)}
    assert db.session.scalar(text("SHOW plan_cache_mode")) == "force_custom_plan"


# How many shards a statement touches


def fan_outs(work: Callable[[], object]) -> dict[str, int]:
    """Return the statements of this work that touch several shards, and how many."""
    asked = [it for it in statements_of(work, KINDS) if not it[0].lstrip().startswith(tuple(map(str.lstrip, LOOKS)))]
    with autocommit() as connection, psycopg.ClientCursor(connection) as cursor:
        cursor.execute("SET citus.explain_all_tasks = on")
        found = {query: len(shards_of(cursor, query, parameters)) for query, parameters in asked}
    return {query: shards for query, shards in found.items() if shards > 1}


def shards_of(cursor: psycopg.Cursor[Any], query: str, parameters: Any) -> set[Any]:
    """Return the target shards of a statement, as Citus plans it. Tables distributed by the same column share
    theirs."""
    ((explained,),) = cursor.execute(f"EXPLAIN (FORMAT JSON) {query}", parameters).fetchall()
    if query.startswith(("SELECT record_commit", "SELECT read_game")):
        assert values(explained, "Task Count") == [1], "It does not run where the game is."
    tables = [re.search(r"_(\d{6,})$", name) for name in values(explained, "Relation Name")]
    where = "SELECT DISTINCT shardminvalue, colocationid FROM pg_dist_shard JOIN pg_dist_partition USING (logicalrelid)"
    of_tables = f"{where} WHERE shardminvalue IS NOT NULL AND shardid = ANY(%s)"
    return set(cursor.execute(of_tables, ([int(it[1]) for it in tables if it],)).fetchall())


def values(plan: Any, name: str) -> list[Any]:
    if isinstance(plan, list):
        return [value for it in plan for value in values(it, name)]
    if isinstance(plan, dict):
        own = [plan[name]] if name in plan else []
        return own + [value for it in plan.values() for value in values(it, name)]
    return []


def people(house: Flask) -> list[Someone]:
    return [Someone(house, name) for name in ("ada", "ben")]


def table_of(ada: Someone, ben: Someone) -> str:
    path = opened(ada, ME, OPEN, BOT)
    assert ben.post(f"{path}/seats").status_code == 201
    return path


def move(who: Someone, path: str, **how: Any) -> None:
    asked = who.get(f"{path}/legal-moves").json
    answer = who.post(f"{path}/moves", {"turn": asked["turn"], "move": asked["moves"][0]}, **how)
    assert answer.status_code == 201, answer.text


def test_each_statement_for_a_move_touches_one_shard(house: Flask) -> None:
    ada, ben = people(house)
    path = table_of(ada, ben)
    assert fan_outs(lambda: move(ada, path)) == {}
    assert fan_outs(lambda: move(ben, path, headers={"Idempotency-Key": "one"})) == {}
    assert fan_outs(lambda: [sweep.wake_due(), follow_outages()]) == {}
    assert ada.get(f"{path}/legal-moves").json["turn"] is not None


def test_each_statement_for_the_last_move_touches_one_shard(house: Flask) -> None:
    ada, ben = people(house)
    path = table_of(ada, ben)
    while (game := ada.get(path).json)["status"] == "running":
        asked = [who for who in (ada, ben) if who.get(f"{path}/legal-moves").json["moves"]]
        assert fan_outs(lambda asked=asked: move(asked[0], path) if asked else sweep.wake_due()) == {}
    assert game["status"] == "finished"


def test_each_statement_for_a_view_touches_one_shard(house: Flask) -> None:
    ada, ben = people(house)
    path = table_of(ada, ben)
    move(ada, path)
    for place in ("", "?at=1", "/legal-moves", "/events", "/picture.svg", "/messages", "/plan", "/votes"):
        for who in (ada, Someone(house)):
            assert fan_outs(lambda who=who, place=place: who.get(path + place)) == {}, place


def test_each_statement_for_an_email_touches_one_shard(house: Flask) -> None:
    ada, ben = people(house)
    path = table_of(ada, ben)
    office = Office(house, "stars.example")
    assert fan_outs(lambda: office.mails("ada")) == {}
    later(10 * MINUTE)
    assert fan_outs(lambda: office.mails("ada")) == {}
    mail = office.mails("ada")[-1]
    first = ada.get(f"{path}/legal-moves").json["moves"][0]
    line = f"{first['star']} {first['board']} {first['space']}"
    assert fan_outs(lambda: [arrives(mail.reply_to, a_mail(line)), deal_with_mails()]) == {}
    later(10 * MINUTE)
    assert fan_outs(lambda: office.mails("ben")) == {}
    assert office.mails("ben")


def test_each_statement_for_a_due_seat_touches_one_shard(house: Flask) -> None:
    ada, ben = people(house)
    path = table_of(ada, ben)
    for _ in range(3):  # an extension, and moves of a bot
        later(3 * DAY)
        assert fan_outs(sweep.wake_due) == {}
    assert ada.get(path).json["version"] > 1


# Webs and workers at several nodes

OPTIONS: dict[str, Any] = {"sternenhimmel": {}, "sternenglanz": {"max_rounds": 3}}


@pytest.fixture
def entrances() -> Iterator[list[str]]:
    """Yield URLs of a database at the coordinator and at the other nodes."""
    name = "entered_for_tests"
    citus.spread_database(name)
    yield [citus.named(node, name) for node in citus.nodes()]
    citus.drop_database(name)


@pytest.mark.parametrize("rules", OPTIONS)
def test_a_whole_game_is_played_by_web_processes_and_a_worker_on_several_nodes(
    entrances: list[str], rules: str
) -> None:
    coordinator, one, two = entrances
    with new_house(DATABASE_URL=one, DATABASE_URL_DIRECT=coordinator) as house:
        house.start_web()
        other = house.start_another_web(DATABASE_URL=two)
        house.start_worker(DATABASE_URL=two)
        ada, ben = (sign_in(house, f"{name}.{rules}@example.org") for name in ("ada", "ben"))
        ben._http.base_url = httpx.URL(other)
        receiver = Receiver()
        ben.post("/v1/webhooks", {"url": receiver.url, "kinds": ["your-turn", "game-ended"]})
        path = "/v1/games/" + ada.post("/v1/games", wanted(ME, OPEN, BOT, rules=rules, options=OPTIONS[rules]))["id"]
        with ben._http.stream("GET", f"{path}/stream") as stream:
            ben.post(f"{path}/seats", {})
            for move_of in (ada, ben):
                plays(move_of, path)
            assert any(line.startswith("data:") for line in stream.iter_lines())
        while not ada.get(path)["you"]["turn"]:
            plays(ben, path)  # who may be in the middle of the turn
        plays_by_mail(ada, house, path)
        for _ in range(3):  # an extension, and moves of a bot
            before = ada.get(path)["version"]
            house.forward(3 * DAY)
            until(lambda before=before: ada.get(path)["version"] > before)
        while ada.get(path)["status"] == "running":
            for it in (ada, ben):
                plays(it, path)
        for name in ("ada", "ben"):
            house.await_mail(f"{name}.{rules}@example.org", lambda mail: "Replay the game" in mail.text)
        until(lambda: {"your-turn", "game-ended"} <= set(receiver.kinds))
        receiver.stop()
        assert house.run("check") == 0
        assert told_of_spreading(one) == "ok"


def plays_by_mail(who: Client, house: House, path: str) -> None:
    asked = who.get(f"{path}/legal-moves")
    email, is_of_turn = (
        who.get("/v1/me")["email"],
        lambda mail: (it := mail.word("t")) and Turn.of(it).number == asked["turn"],
    )
    letter = house.await_mail(email, is_of_turn)
    hands_over(house, reply_to(letter, moves_in(letter)[0]))
    until(lambda: who.get(f"{path}/legal-moves")["turn"] != asked["turn"])


def plays(who: Client, path: str) -> None:
    asked = who.get(f"{path}/legal-moves")
    if asked["turn"] is not None:
        answer = who.ask("POST", f"{path}/moves", json={"turn": asked["turn"], "move": asked["moves"][0]})
        assert answer.status_code in (200, 201, 409), answer.text  # where a bot was faster
