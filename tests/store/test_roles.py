"""Database roles: the serving role owns nothing, and a restore without roles is detected."""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from runpy import run_path

import psycopg
import pytest
from flask import Flask
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from server import worker
from server.app import create_app
from server.config import Settings
from server.store import embedded_postgres, migrate
from server.store.connections import autocommit
from server.store.tables import APP_ROLE, db
from tests.support import citus
from tests.support.commands import ask
from tests.support.games import game_of, person

CHECKOUT = Path(__file__).parents[2]
CHANGES = (
    *("DELETE FROM events", "TRUNCATE events", "ALTER TABLE events DISABLE TRIGGER ALL", "DROP TABLE events"),
    *("UPDATE alembic_version SET version_num = ''", "CREATE TABLE mine AS SELECT 1", "SET ROLE sternenpost"),
)


@pytest.fixture
def own_house(open_directory: Path) -> Iterator[embedded_postgres.Server]:
    """Yield a Postgres of this test's own with tables, as `up` starts it."""
    with embedded_postgres.start(open_directory) as server:
        migrate.upgrade(server.url)
        yield server


@contextlib.contextmanager
def serving(**environment: str) -> Iterator[Flask]:
    app = create_app(Settings.from_environment(environment))
    with app.app_context():
        yield app
        db.session.close()
        db.engine.dispose()


def run(*words: str, **environment: str) -> list[str]:
    return ask(*words, **{"DATABASE_URL": None, "SMTP_URL": None, **environment}).output.splitlines()


def told_of(part: str, **environment: str) -> str:
    return next(line.partition(": ")[2] for line in run("doctor", **environment) if line.startswith(f"{part}: "))


@citus.leave_out("none is embedded")
def test_with_the_embedded_postgres_the_apps_role_owns_nothing_even_if_its_rights_were_changed(
    own_house: embedded_postgres.Server, open_directory: Path
) -> None:
    with serving(STERNENPOST_DATA=str(open_directory)):
        game_of(person("ada"), person("ben"), person("cleo"))
        for taken_off in ("RESET ROLE", "SET ROLE NONE", "RESET SESSION AUTHORIZATION", "DISCARD ALL"):
            for change in CHANGES:
                with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                    connection.execute(text(taken_off))
                    with pytest.raises(ProgrammingError, match="permission denied|must be owner|append-only"):
                        connection.execute(text(change))
                    assert connection.scalar(text("SELECT session_user")) == APP_ROLE
                    connection.invalidate()
    assert told_of("role", STERNENPOST_DATA=str(open_directory)) == "ok"


def test_the_doctor_reports_a_server_that_runs_as_owner_of_the_tables(database_url: str) -> None:
    told = told_of("role", DATABASE_URL=database_url)
    assert told.startswith("works, but DATABASE_URL names the owner of the tables")


def test_a_database_role_set_up_as_in_the_handbook_can_serve_requests_and_owns_nothing(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute(f"CREATE ROLE stars LOGIN; GRANT {APP_ROLE} TO stars")
        try:
            url = re.sub("//[^@]*@", "//stars@", database_url)
            assert told_of("role", DATABASE_URL=url) == "ok"
            with serving(DATABASE_URL=url):
                game_of(person("ada"), person("ben"), person("cleo"))
            owner.execute(f"REVOKE {APP_ROLE} FROM stars")
            assert told_of("database", DATABASE_URL=url).startswith("the login in DATABASE_URL may not act as")
        finally:
            owner.execute("DROP ROLE stars")


RESTORED = "the role sternenpost_app is missing or may not read the tables"


def test_missing_rights_after_a_restore_are_found_and_migrate_grants_them(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute(f"DROP OWNED BY {APP_ROLE}")
        expect_healing(owner, DATABASE_URL=database_url)


@citus.leave_out("other databases have the role, too")
def test_a_missing_role_after_a_restore_is_found_and_migrate_creates_it(own_house: embedded_postgres.Server) -> None:
    with psycopg.connect(own_house.url, autocommit=True) as owner:
        owner.execute(f"DROP OWNED BY {APP_ROLE}; DROP ROLE {APP_ROLE}")
        expect_healing(owner, DATABASE_URL=own_house.url)


def expect_healing(owner: psycopg.Connection, **environment: str) -> None:
    rights = "SELECT relname, relacl::text FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1"
    assert told_of("database", **environment).startswith(RESTORED)
    says = f"  role {APP_ROLE} gets its missing rights: this copy was restored without roles"
    for words in (["migrate", "--dry-run"], ["migrate"]):
        assert says in run(*words, **environment)
    assert told_of("database", **environment) == "ok"
    assert run("migrate", **environment) == ["Done:", "  nothing"]
    with serving(**environment):
        game_of(person("ada"), person("ben"), person("cleo"))
        with pytest.raises(ProgrammingError, match="permission denied for table events"):
            db.session.execute(text("DELETE FROM events"))
        db.session.rollback()
    given = dict(owner.execute(rights).fetchall())
    assert f"{APP_ROLE}=ar/" in given["events"] and f"{APP_ROLE}=r/" in given["alembic_version"]
    assert f"{APP_ROLE}=arwd/" in given["games"]


def test_the_database_role_of_the_app_cannot_create_tables_or_change_the_revision(app: Flask) -> None:
    for change in ("CREATE TABLE t ()", "DELETE FROM alembic_version", "ALTER TABLE events DISABLE TRIGGER ALL"):
        with app.app_context(), pytest.raises(psycopg.errors.InsufficientPrivilege), autocommit() as connection:
            connection.execute(change)


def roles(app: Flask) -> set[str]:
    """Return the roles under which this app connects, for either kind of connection."""
    with app.app_context(), autocommit() as connection:
        (plain,) = connection.execute("SELECT current_user").fetchone()
        return {plain, db.session.execute(text("SELECT current_user")).scalar_one()}


def test_the_web_server_and_the_worker_connect_with_the_role_of_the_app(
    shared_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", shared_url)
    monkeypatch.setattr(worker, "work", lambda app, settings: print(*roles(app)))
    assert roles(run_path(str(CHECKOUT / "wsgi.py"))["app"]) == {APP_ROLE}
    assert ask("worker").stdout.split() == [APP_ROLE]
