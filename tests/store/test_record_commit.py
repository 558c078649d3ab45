"""A commit is recorded whole or not at all."""

import re
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from flask import Flask
from sqlalchemy import text

from server.store import log, migrate
from server.store.connections import autocommit
from server.store.tables import EventRow, db
from tests.support import citus
from tests.support.commits import NOW, a_game, a_letter, an_event, record

# The functions in the database

OURS = {"record_commit", "record_commit_unless_held", "read_game"}
FUNCTION = re.compile(r"(?s)CREATE OR REPLACE FUNCTION (\w+)\((.*?)\) RETURNS (\w+) .*? AS \$\$(.*?)\$\$;")


def functions(connection: psycopg.Connection[Any]) -> set[tuple[str, ...]]:
    """Return each function with its arguments, result and body, as stored."""
    found = connection.execute(
        "SELECT proname, pg_get_function_identity_arguments(oid), pg_get_function_result(oid), prosrc FROM pg_proc "
        "WHERE pronamespace = 'public'::regnamespace AND proname <> 'refuse_change'"
    )
    return set(found.fetchall())


def test_the_database_functions_equal_their_source_file(database_url: str) -> None:
    written = {
        (name, " ".join(arguments.split()).replace("timestamptz", "timestamp with time zone"), result, body)
        for name, arguments, result, body in FUNCTION.findall(migrate.FUNCTIONS.read_text("utf-8"))
    }
    assert {name for name, *_ in written} == OURS
    with psycopg.connect(database_url) as connection:
        assert functions(connection) == written


def test_the_newest_migration_installs_the_current_functions() -> None:
    steps = sorted(Path(migrate.__file__).parents[2].glob("migrations/versions/*.py"))
    texts = [
        found[1] for path in steps if (found := re.search(r'^TEXT = "(\w+)"', path.read_text("utf-8"), re.MULTILINE))
    ]
    assert texts[-1] == sha256(migrate.FUNCTIONS.read_bytes()).hexdigest()


@citus.leave_out("no step is taken back")
def test_web_processes_and_workers_of_the_previous_release_run_during_a_migration(database_url: str) -> None:
    migrate.downgrade(database_url, "0023")
    with psycopg.connect(database_url) as connection:
        assert functions(connection) == set()
        old = migrate.FUNCTIONS.read_text("utf-8").replace("record_commit_unless_held", "record_deed_if_free")
        connection.execute(old.replace("record_commit", "record_deed"))
        connection.commit()
        migrate.upgrade(database_url)
        assert {name for name, *_ in functions(connection)} == {"record_deed", "record_deed_if_free", *OURS}


# Commits


def contents(game_id: UUID) -> tuple[int, list[int], list[bool], int]:
    """Return version, events, who is to act, and letters."""
    db.session.rollback()
    of_game = {"game": game_id}
    return (
        db.session.execute(text("SELECT version FROM games WHERE game_id = :game"), of_game).scalar_one(),
        list(db.session.scalars(text("SELECT seq FROM events WHERE game_id = :game ORDER BY seq"), of_game)),
        list(db.session.scalars(text("SELECT to_act FROM seats WHERE game_id = :game ORDER BY seat"), of_game)),
        db.session.execute(text("SELECT count(*) FROM outbox WHERE game_id = :game"), of_game).scalar_one(),
    )


def test_a_commit_consists_of_events_the_game_row_seats_and_emails(app: Flask) -> None:
    with app.app_context():
        game_id = a_game()
        assert record(game_id, 0, [an_event(1), an_event(2)], [a_letter()])
        assert contents(game_id) == (1, [1, 2], [False, True], 1)
        with autocommit() as connection:
            records = log.read(connection, game_id)
        assert records is not None
        assert records.events == [an_event(1), an_event(2)]
        assert (records.head.status, records.head.drawn, records.seats[1].due_at) == ("running", 3, NOW)


def test_a_commit_for_an_outdated_version_writes_nothing(app: Flask) -> None:
    with app.app_context():
        game_id = a_game()
        assert not record(game_id, 1)
        assert contents(game_id) == (0, [], [False, False], 0)
        assert record(game_id, 0)
        assert not record(game_id, 0, [an_event(7, 7)], [a_letter()])
        assert contents(game_id) == (1, [1], [False, True], 0)


def test_a_commit_for_an_unknown_game_writes_nothing(app: Flask) -> None:
    with app.app_context():
        game_id = uuid4()
        assert not record(game_id, 0)
        assert db.session.get(EventRow, (game_id, 1)) is None


def test_a_partly_failing_commit_writes_nothing(app: Flask) -> None:
    with app.app_context():
        game_id = a_game()
        with pytest.raises(psycopg.errors.NotNullViolation):
            record(game_id, 0, letters=[a_letter(), a_letter("another", kind=None)])
        with pytest.raises(psycopg.errors.UniqueViolation):
            record(game_id, 0, [an_event(1), an_event(1)])
        assert contents(game_id) == (0, [], [False, False], 0)


def test_an_email_with_an_existing_key_is_not_stored_twice(app: Flask) -> None:
    with app.app_context():
        game_id = a_game()
        assert record(game_id, 0, letters=[a_letter(), a_letter()])
        assert record(game_id, 1, letters=[a_letter()])
        assert contents(game_id)[3] == 1


def test_only_one_of_two_simultaneous_commits_for_the_same_version_succeeds(app: Flask) -> None:
    with app.app_context():
        game_id = a_game()

    def try_it(n: int) -> bool:
        with app.app_context():
            return record(game_id, 0, [an_event(who=n)])

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(try_it, range(8))) == 1
