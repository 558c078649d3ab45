"""The store: tables that can be spread over machines, a log that nobody can change, letters that one carrier takes."""

import hashlib
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from runpy import run_path
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from click.testing import CliRunner
from flask import Flask
from sqlalchemy import (
    DateTime,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    create_engine,
    inspect,
    text,
)
from sqlalchemy.exc import StatementError

from server import cli, worker
from server.store import log, migrate, outbox
from server.store.connections import autocommit
from server.store.log import Recorded
from server.store.tables import (
    APP_ROLE,
    Base,
    Delivery,
    EventRow,
    GameRow,
    LetterRow,
    Moment,
    Outage,
    PlayerLetterRow,
    SeatRow,
    db,
)

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
TABLES = list(Base.metadata.sorted_tables)
CHECKOUT = Path(__file__).parents[2]


# Tables that can be spread over machines


def names(tables: list[Table]) -> list[str]:
    return [table.name for table in tables]


def spread_of(table: Table) -> str:
    return table.info["spread"]


SPREAD = [table for table in TABLES if spread_of(table) not in ("everywhere", "local")]


@pytest.mark.parametrize("table", TABLES, ids=names(TABLES))
def test_every_table_says_how_it_is_spread(table: Table) -> None:
    assert spread_of(table) in ("game_id", "player_id", "everywhere", "local")


@pytest.mark.parametrize("table", SPREAD, ids=names(SPREAD))
def test_the_spread_column_leads_the_primary_key_and_is_in_every_unique(table: Table) -> None:
    column = table.c[spread_of(table)]
    assert table.primary_key.columns[0] is column
    uniques = [each.columns for each in table.constraints if isinstance(each, UniqueConstraint)]
    uniques += [index.columns for index in table.indexes if index.unique]
    assert all(column in unique.values() for unique in uniques)


@pytest.mark.parametrize("table", TABLES, ids=names(TABLES))
def test_foreign_keys_stay_inside_one_spread_with_its_column_and_never_set_null(table: Table) -> None:
    for key in (each for each in table.constraints if isinstance(each, ForeignKeyConstraint)):
        assert spread_of(key.referred_table) == spread_of(table)
        assert (key.ondelete or "").upper() != "SET NULL"
        if table in SPREAD:
            assert (spread_of(table), spread_of(table)) in {(e.parent.name, e.column.name) for e in key.elements}


@pytest.mark.parametrize("table", TABLES, ids=names(TABLES))
def test_keys_are_uuids_numbers_counted_per_game_or_plain_words_and_the_database_counts_none(table: Table) -> None:
    for column in table.primary_key.columns:
        assert isinstance(column.type, Uuid | Integer | Text | LargeBinary | Moment)
        if isinstance(column.type, Integer):
            assert column.name in ("seat", "seq", "nr")
    assert all(column.identity is None and column.server_default is None for column in table.columns)
    assert table.autoincrement_column is None


@pytest.mark.parametrize("table", TABLES, ids=names(TABLES))
def test_moments_have_a_zone(table: Table) -> None:
    assert not any(isinstance(column.type, DateTime) for column in table.columns)
    assert all(column.type.impl.timezone for column in table.columns if isinstance(column.type, Moment))


def test_the_database_itself_has_no_sequences(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        assert connection.execute("SELECT * FROM pg_sequences").fetchall() == []


def test_a_naive_moment_is_refused(app: Flask) -> None:
    with app.app_context(), pytest.raises(StatementError, match="A naive time"):
        db.session.execute(db.select(Outage).where(Outage.ended_at > datetime(2026, 11, 21)))


# Migrations


def test_migrations_go_down_and_up_again_and_make_the_tables_of_the_models(database_url: str) -> None:
    engine = create_engine(migrate.psycopg_url(database_url))
    migrate.downgrade(database_url, "base")
    assert inspect(engine).get_table_names() == ["alembic_version"]
    with engine.connect() as connection:
        assert (
            connection.execute(text("SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace")).all()
            == []
        )
    migrate.upgrade(database_url)
    migrate.upgrade(database_url)  # nothing is left to do
    with engine.connect() as connection:
        differences = compare_metadata(
            MigrationContext.configure(connection, opts={"compare_type": True}), Base.metadata
        )
    engine.dispose()
    assert differences == []


FUNCTION = re.compile(r"(?s)CREATE OR REPLACE FUNCTION (\w+)\((.*?)\) RETURNS (\w+) .*? AS \$\$(.*?)\$\$;")


def functions(connection: psycopg.Connection[Any]) -> set[tuple[str, ...]]:
    """Each with its arguments, what it returns and what it does, as the database has them."""
    found = connection.execute(
        "SELECT proname, pg_get_function_identity_arguments(oid), pg_get_function_result(oid), prosrc FROM pg_proc "
        "WHERE pronamespace = 'public'::regnamespace AND proname <> 'refuse_change'"
    )
    return set(found.fetchall())


def test_what_records_a_commit_is_the_text_beside_the_log(database_url: str) -> None:
    written = {
        (name, " ".join(arguments.split()).replace("timestamptz", "timestamp with time zone"), result, body)
        for name, arguments, result, body in FUNCTION.findall(migrate.RECORD_COMMIT.read_text("utf-8"))
    }
    assert {name for name, *_ in written} == {"record_commit", "record_commit_unless_held"}
    with psycopg.connect(database_url) as connection:
        assert functions(connection) == written


def test_each_migration_puts_the_text_of_its_release_in_place(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        as_written = functions(connection)
        text_of_old = migrate.RECORD_COMMIT.read_text("utf-8").replace("RETURN seen;", "RETURN seen + 0;")
        connection.execute(text_of_old)
        connection.commit()
        assert functions(connection) != as_written
        connection.commit()
        migrate.upgrade(database_url)
        assert functions(connection) == as_written


def test_a_database_at_the_step_that_makes_all_tables_keeps_no_function_by_an_older_name(database_url: str) -> None:
    migrate.downgrade(database_url, "0023")
    with psycopg.connect(database_url) as connection:
        assert functions(connection) == set()
        old = migrate.RECORD_COMMIT.read_text("utf-8").replace("record_commit_unless_held", "record_deed_if_free")
        connection.execute(old.replace("record_commit", "record_deed"))
        connection.commit()
        migrate.upgrade(database_url)
        assert {name for name, *_ in functions(connection)} == {"record_commit", "record_commit_unless_held"}


def test_an_index_is_as_partial_in_the_database_as_in_the_model(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        found = dict(connection.execute("SELECT indexname, indexdef FROM pg_indexes WHERE indexdef LIKE '% WHERE %'"))
    models = {
        index for table in TABLES for index in table.indexes if index.dialect_options["postgresql"]["where"] is not None
    }
    assert set(found) == {index.name for index in models}


@pytest.mark.parametrize("status", ["", "AND status = 'open'"])
def test_a_page_of_the_lobby_is_read_from_an_index(database_url: str, status: str) -> None:
    page = f"SELECT * FROM games WHERE NOT private {status} ORDER BY made_at DESC, game_id DESC LIMIT 21"
    with psycopg.connect(database_url) as connection:
        connection.execute("SET enable_seqscan = off")  # of an empty table it would read all the same
        plan = str(connection.execute(f"EXPLAIN {page}").fetchall())
    assert "Index Scan" in plan
    assert "Sort" not in plan


# Nobody changes the log


@pytest.fixture
def logged(app: Flask) -> Iterator[UUID]:
    """A game with one event, in the app's context."""
    with app.app_context():
        game_id = a_game()
        assert recorded(game_id, 0)
        yield game_id


def a_game(seats: int = 2) -> UUID:
    game_id = uuid4()
    db.session.add(
        GameRow(
            game_id=game_id,
            rules="sternenhimmel",
            options={},
            title="",
            private=False,
            clock={},
            on_timeout=[],
            made_by=uuid4(),
            made_at=NOW,
            seed=b"seed",
            drawn=0,
            status="open",
            version=0,
            outcome=None,
            host=uuid4(),
        )
    )
    db.session.flush()
    db.session.add_all(
        SeatRow(game_id=game_id, seat=n, kind="open", salt="", to_act=False, lent=0) for n in range(seats)
    )
    db.session.commit()
    return game_id


def an_event(seq: int = 1, version: int = 1, **body: Any) -> Recorded:
    return Recorded(seq, version, "star-placed", 0, body, NOW, bytes(32))


def recorded(game_id: UUID, seen: int, events: Any = (), letters: Any = ()) -> bool:
    head = {"version": seen + 1, "status": "running", "outcome": None, "drawn": 3}
    seat = {"seat": 1, "to_act": True, "turn": seen + 1, "lent": 0, "due_at": NOW}
    with autocommit() as connection:
        return log.record(connection, game_id, seen, head, events or [an_event(seen + 1, seen + 1)], [seat], letters)


CHANGES = ["UPDATE events SET body = '{}'", "DELETE FROM events", "TRUNCATE events"]


@pytest.mark.parametrize("change", CHANGES)
def test_the_role_of_web_and_worker_may_not_change_the_log(logged: UUID, change: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied"), autocommit() as connection:
        connection.execute(change)


@pytest.mark.parametrize("change", CHANGES)
def test_a_trigger_refuses_the_owner_of_the_tables_too(logged: UUID, shared_url: str, change: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="append-only"), psycopg.connect(shared_url) as owner:
        owner.execute(change)


def test_the_role_of_web_and_worker_makes_no_tables_and_leaves_the_revision_alone(app: Flask) -> None:
    for change in ("CREATE TABLE t ()", "DELETE FROM alembic_version", "ALTER TABLE events DISABLE TRIGGER ALL"):
        with app.app_context(), pytest.raises(psycopg.errors.InsufficientPrivilege), autocommit() as connection:
            connection.execute(change)


def roles(app: Flask) -> set[str]:
    """As whom this app speaks to Postgres, on either kind of connection."""
    with app.app_context(), autocommit() as connection:
        (plain,) = connection.execute("SELECT current_user").fetchone()
        return {plain, db.session.execute(text("SELECT current_user")).scalar_one()}


def test_web_and_worker_connect_as_that_role(shared_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", shared_url)
    monkeypatch.setattr(worker, "work", lambda app, settings: print(*roles(app)))
    assert roles(run_path(str(CHECKOUT / "wsgi.py"))["app"]) == {APP_ROLE}
    assert CliRunner().invoke(cli.main, ["worker"]).stdout.split() == [APP_ROLE]


# A commit is recorded whole or not at all


def contents(game_id: UUID) -> tuple[int, list[int], list[bool], int]:
    """Version, events, who is to act, letters."""
    db.session.rollback()
    of_game = {"game": game_id}
    return (
        db.session.execute(text("SELECT version FROM games WHERE game_id = :game"), of_game).scalar_one(),
        list(db.session.scalars(text("SELECT seq FROM events WHERE game_id = :game ORDER BY seq"), of_game)),
        list(db.session.scalars(text("SELECT to_act FROM seats WHERE game_id = :game ORDER BY seat"), of_game)),
        db.session.execute(text("SELECT count(*) FROM outbox WHERE game_id = :game"), of_game).scalar_one(),
    )


def a_letter(dedupe: str = "your-turn/1/0/mail/", **more: Any) -> dict[str, Any]:
    letter = {"letter_id": uuid4(), "dedupe": dedupe, "kind": "your-turn", "version": 1, "seat": 0, "player_id": None}
    return letter | {"data": {}, "made_at": NOW} | more


def test_a_commit_is_events_head_seats_and_letters(app: Flask) -> None:
    with app.app_context():
        game_id = a_game()
        assert recorded(game_id, 0, [an_event(1), an_event(2)], [a_letter()])
        assert contents(game_id) == (1, [1, 2], [False, True], 1)
        with autocommit() as connection:
            records = log.read(connection, game_id)
        assert records is not None
        assert records.events == [an_event(1), an_event(2)]
        assert (records.head["status"], records.head["drawn"], records.seats[1]["due_at"]) == ("running", 3, NOW)


def test_a_commit_for_another_version_than_the_present_one_writes_nothing(app: Flask) -> None:
    with app.app_context():
        game_id = a_game()
        assert not recorded(game_id, 1)
        assert contents(game_id) == (0, [], [False, False], 0)
        assert recorded(game_id, 0)
        assert not recorded(game_id, 0, [an_event(7, 7)], [a_letter()])
        assert contents(game_id) == (1, [1], [False, True], 0)


def test_a_commit_for_an_unknown_game_writes_nothing(app: Flask) -> None:
    with app.app_context():
        game_id = uuid4()
        assert not recorded(game_id, 0)
        assert db.session.get(EventRow, (game_id, 1)) is None


def test_a_commit_of_which_a_part_fails_writes_nothing(app: Flask) -> None:
    with app.app_context():
        game_id = a_game()
        with pytest.raises(psycopg.errors.NotNullViolation):
            recorded(game_id, 0, letters=[a_letter(), a_letter("another", kind=None)])
        with pytest.raises(psycopg.errors.UniqueViolation):
            recorded(game_id, 0, [an_event(1), an_event(1)])
        assert contents(game_id) == (0, [], [False, False], 0)


def test_a_letter_whose_key_is_there_already_is_not_written_twice(app: Flask) -> None:
    with app.app_context():
        game_id = a_game()
        assert recorded(game_id, 0, letters=[a_letter(), a_letter()])
        assert recorded(game_id, 1, letters=[a_letter()])
        assert contents(game_id)[3] == 1


def test_of_two_deeds_for_one_version_at_the_same_time_one_counts(app: Flask) -> None:
    with app.app_context():
        game_id = a_game()

    def try_it(n: int) -> bool:
        with app.app_context():
            return recorded(game_id, 0, [an_event(who=n)])

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(try_it, range(8))) == 1


def test_whatever_an_event_holds_comes_back_the_same(app: Flask) -> None:
    body = {
        "text": 'Grüße, «ciel» \u2028 \U0001f30c "\\',
        "number": 2**53 - 1,
        "nothing": None,
        "list": [[], {}, [True]],
    }
    with app.app_context():
        game_id = a_game()
        assert recorded(game_id, 0, [an_event(**body)])
        with autocommit() as connection:
            records = log.read(connection, game_id)
            assert records is not None
            assert records.events[0].body == body
            later = log.read(connection, game_id, after=1)
        assert later is not None
        assert later.events == []


# The hash chain, worked out a second time


def test_a_hash_covers_the_one_before_and_the_event_in_canonical_json() -> None:
    event = Recorded(3, 2, "star-placed", 0, {"star": "7", "board": "löwe"}, NOW + timedelta(microseconds=5), b"")
    written = (
        '{"at":"2026-11-21T12:00:00.000005Z","body":{"board":"löwe","star":"7"},'
        '"seat":0,"seq":3,"type":"star-placed","version":2}'
    )
    assert log.chained(b"\1" * 32, event) == hashlib.sha256(b"\1" * 32 + written.encode()).digest()


@pytest.mark.parametrize(
    "change", [{"seq": 4}, {"version": 3}, {"type": "x"}, {"seat": None}, {"body": {}}, {"recorded_at": NOW}]
)
def test_no_part_of_an_event_can_be_changed_without_another_hash(change: dict[str, Any]) -> None:
    event = Recorded(3, 2, "star-placed", 0, {"star": "7"}, NOW + MINUTE, b"")
    assert log.chained(b"", event._replace(**change)) != log.chained(b"", event) != log.chained(b"\0", event)


# The outbox


@pytest.fixture
def waiting(app: Flask) -> Iterator[outbox.Waiting]:
    """A letter of a game that is due at NOW."""
    with app.app_context():
        game_id = a_game()
        recorded(game_id, 0, letters=[a_letter(data={"to": "ada@example.org"})])
        (letter,) = outbox.due(NOW, 10)
        yield letter


def test_letters_of_both_outboxes_are_due_oldest_first(waiting: outbox.Waiting) -> None:
    for number, at in enumerate([NOW - MINUTE, NOW + MINUTE]):
        row = {"letter_id": uuid4(), "kind": "sign-in-code", "data": {}, "made_at": NOW, "tries": 0}
        db.session.add(PlayerLetterRow(player_id=uuid4(), dedupe=str(number), due_at=at, **row))
    db.session.commit()
    assert [letter.table for letter in outbox.due(NOW, 10)] == [PlayerLetterRow, LetterRow]
    assert [letter.table for letter in outbox.due(NOW + MINUTE, 10)] == [PlayerLetterRow, LetterRow, PlayerLetterRow]
    assert len(outbox.due(NOW, 1)) == 2  # so many of each outbox at most
    assert outbox.due(NOW - 2 * MINUTE, 10) == []


def test_of_two_who_claim_a_letter_one_gets_it(app: Flask, waiting: outbox.Waiting) -> None:
    def claim(_: int) -> bool:
        with app.app_context():
            return outbox.claim(waiting, NOW + MINUTE) is not None

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(claim, range(8))) == 1
    assert outbox.due(NOW, 10) == []


def test_a_lease_that_runs_out_leaves_the_letter_to_another(waiting: outbox.Waiting) -> None:
    first = outbox.claim(waiting, NOW + MINUTE)
    assert (
        outbox.due(NOW + timedelta(days=1), 10) == outbox.due(NOW + timedelta(days=1), 10, (), NOW) == []
    )  # a leap of the clock ends no lease
    assert outbox.renew(waiting, first, NOW + 2 * MINUTE)
    assert outbox.due(NOW, 10, (), NOW + MINUTE) == []
    (again,) = outbox.due(NOW, 10, (), NOW + 2 * MINUTE)
    second = outbox.claim(again, NOW + 3 * MINUTE)
    assert not outbox.renew(waiting, first, NOW + 4 * MINUTE)
    assert (first.tries, second.tries) == (1, 2)
    outbox.done(waiting, first, NOW, "sent", "")  # the first comes late: the letter is no longer his
    assert db.session.scalar(db.select(db.func.count()).select_from(LetterRow)) == 1
    outbox.done(again, second, NOW, "sent", "")
    assert db.session.scalar(db.select(db.func.count()).select_from(LetterRow)) == 0
    assert [(row.nr, row.result) for row in db.session.scalars(db.select(Delivery).order_by(Delivery.nr))] == [
        (1, "sent"),
        (2, "sent"),
    ]


def test_a_letter_that_arrived_is_forgotten_and_noted(waiting: outbox.Waiting) -> None:
    row = outbox.claim(waiting, NOW + MINUTE)
    outbox.done(waiting, row, NOW, "sent", "250 OK")
    assert outbox.due(NOW + timedelta(days=9), 10) == []
    noted = db.session.scalars(db.select(Delivery)).one()
    assert (noted.letter_id, noted.nr, noted.kind, noted.seat, noted.version) == (
        waiting.letter_id,
        1,
        "your-turn",
        0,
        1,
    )
    assert (noted.result, noted.detail, noted.at) == ("sent", "250 OK", NOW)


def test_a_letter_that_failed_is_due_again_later(waiting: outbox.Waiting) -> None:
    row = outbox.claim(waiting, NOW + MINUTE)
    outbox.again(waiting, row, NOW, NOW + 5 * MINUTE, "451")
    assert not outbox.renew(waiting, row, NOW + timedelta(days=1))  # it is in nobody's hands
    assert outbox.due(NOW + 4 * MINUTE, 10) == []
    (again,) = outbox.due(NOW + 5 * MINUTE, 10)
    second = outbox.claim(again, NOW + 6 * MINUTE)
    outbox.done(again, second, NOW + 5 * MINUTE, "sent", "")
    results = [(row.nr, row.result) for row in db.session.scalars(db.select(Delivery).order_by(Delivery.nr))]
    assert results == [(1, "failed"), (2, "sent")]
