"""Migrates a database to a revision in `migrations/`, as the owner of the tables.

Alembic is imported only when it is needed, since importing it takes a seventh of the time in which a process starts.
"""

import logging
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import URL, Connection, create_engine, text
from sqlalchemy.exc import OperationalError

from server.store.connections import in_transaction, is_coordinated, is_pooled
from server.store.tables import APP_ROLE

if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

_logger = logging.getLogger(__name__)
_SCRIPTS = Path(__file__).parents[2] / "migrations"
FUNCTIONS = Path(__file__).with_name("functions.sql")
APPEND_ONLY = ("events", "audit")
_LOCK = 0x57E2  # processes that start at the same time migrate one after the other
_LONGEST_WAIT = 0.5  # seconds for a lock on a table
_HELD = ("55P03", "40P01")
_PAUSE = 0.5  # seconds between attempts
_TRIES = 900


def psycopg_url(url: str) -> str:
    """Return a database URL for SQLAlchemy with psycopg 3. The URL may contain several hosts."""
    scheme, _, rest = url.partition("://")
    if scheme not in ("postgres", "postgresql"):
        return url
    if "," in urlsplit(url).netloc.rpartition("@")[2]:  # only libpq parses several hosts
        return _of_several_hosts(url)
    return f"postgresql+psycopg://{rest}"


def _of_several_hosts(url: str) -> str:
    said = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    return URL.create("postgresql+psycopg", query=said).render_as_string(hide_password=False)


NOT_COORDINATOR = "DATABASE_URL leads to a Citus node that is not the coordinator. Use the coordinator."


class CannotMigrate(Exception):
    """A reason why the database can't be migrated. The text is one sentence for the operator."""


NOT_UTF8 = "its encoding is {encoding} instead of UTF8: create it with `createdb --encoding=UTF8 --template=template0`"


def _expect_utf8(connection: Connection) -> None:
    encoding = connection.scalar(text("SHOW server_encoding"))
    if encoding != "UTF8":
        raise CannotMigrate(f"The database can't be used: {NOT_UTF8.format(encoding=encoding)}.")


class TooOld(CannotMigrate):
    """The error for a database whose tables are older than the first migration."""


def upgrade(url: str, revision: str = "head") -> None:
    """Run the missing migrations. A database of a later release stays unchanged. Raise CannotMigrate if it is
    impossible to migrate."""
    from alembic import command

    def step(config: "Config", connection: Connection) -> None:
        steps = _steps_after(_revision(connection))
        if steps and is_coordinated(in_transaction(connection)):
            raise CannotMigrate(NOT_COORDINATOR)
        connection.commit()  # otherwise all migrations would be one transaction, which holds every lock until its end
        if steps:
            command.upgrade(config, revision)

    _run(url, step)


def downgrade(url: str, revision: str) -> None:
    from alembic import command

    _run(url, lambda config, _: command.downgrade(config, revision))


def is_behind(connection: Connection) -> bool:
    """Return whether the database lacks a migration that this release knows. A later release may have more
    migrations."""
    found = _revision(connection)
    return found is None or found < _first_and_last()[1]


def steps_ahead(url: str) -> list[str]:
    """Return the number and title of each missing migration, in order. Raise TooOld if the tables are older than the
    first migration."""
    engine = create_engine(psycopg_url(url), connect_args={"client_encoding": "UTF8"})
    try:
        with engine.connect() as connection:
            _expect_utf8(connection)
            return _steps_after(_revision(connection)) or []
    finally:
        engine.dispose()


def _steps_after(known: str | None) -> list[str] | None:
    """Return the migrations after `known`, or None if `known` belongs to a later release. Raise TooOld if `known` is
    older than the first migration."""
    first, last = _first_and_last()
    if known is not None and known > last:
        return None
    if known is not None and known < first:
        raise TooOld(
            f"These tables are at step {known}, but the oldest supported step is {first}. Start with an empty "
            "database or another STERNENPOST_DATA."
        )
    steps = reversed(list(_scripts().iterate_revisions("head", known or "base")))
    return [f"{step.revision}: {step.doc}" for step in steps]


def _revision(connection: Connection) -> str | None:
    if connection.scalar(text("SELECT to_regclass('alembic_version') IS NULL")):
        return None
    found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return found


def _scripts() -> "ScriptDirectory":
    from alembic.script import ScriptDirectory

    return ScriptDirectory(str(_SCRIPTS))


@cache
def _first_and_last() -> tuple[str, str]:
    scripts = _scripts()
    first, last = scripts.get_base(), scripts.get_current_head()
    assert first and last
    return first, last


def lacks_rights(url: str) -> bool:
    """Return whether the web server and the worker lack rights on existing tables. This happens when a backup is
    restored without roles."""
    engine = create_engine(psycopg_url(url), connect_args={"client_encoding": "UTF8"})
    try:
        with engine.connect() as connection:
            return _lacks_rights(connection)
    finally:
        engine.dispose()


def _lacks_rights(connection: Connection) -> bool:
    tables = "pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')"
    if not connection.scalar(text(f"SELECT EXISTS (SELECT FROM {tables})")):
        return False  # the tables and the role don't exist yet
    if not connection.scalar(text("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = :role)"), {"role": APP_ROLE}):
        return True
    closed = text(f"SELECT EXISTS (SELECT FROM {tables} AND NOT has_table_privilege(:role, oid, 'SELECT'))")
    return bool(connection.scalar(closed, {"role": APP_ROLE}))


def _give_rights(connection: Connection) -> None:
    """Grant the role the same rights as the migrations that have created the tables."""
    if not connection.scalar(text("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = :role)"), {"role": APP_ROLE}):
        connection.execute(text(f"CREATE ROLE {APP_ROLE} NOLOGIN"))
    if not connection.scalar(text("SELECT pg_has_role(current_user, :role, 'MEMBER')"), {"role": APP_ROLE}):
        connection.execute(text(f"GRANT {APP_ROLE} TO CURRENT_USER"))
    every = "SELECT, INSERT, UPDATE, DELETE"
    connection.execute(text(f"GRANT USAGE ON SCHEMA public TO {APP_ROLE}"))
    connection.execute(text(f"GRANT {every} ON ALL TABLES IN SCHEMA public TO {APP_ROLE}"))
    connection.execute(text(f"REVOKE UPDATE, DELETE, TRUNCATE ON {', '.join(APPEND_ONLY)} FROM {APP_ROLE}"))
    connection.execute(text(f"REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON alembic_version FROM {APP_ROLE}"))
    connection.execute(text(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT {every} ON TABLES TO {APP_ROLE}"))


def _run(url: str, step: Callable[["Config", Connection], None]) -> None:
    from alembic.config import Config

    engine = create_engine(psycopg_url(url), connect_args={"client_encoding": "UTF8"})
    try:
        with engine.connect() as connection:
            if is_pooled(in_transaction(connection)):  # the lock would belong to another session
                raise CannotMigrate("DATABASE_URL leads to a pooler. For this command, use Postgres directly.")
            _expect_utf8(connection)
            _take_turn(connection)
            config = Config()
            config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
            config.attributes["connection"] = connection
            lacked_rights = _lacks_rights(connection)
            # So a migration can change a function after it has changed a table, even with spread tables.
            connection.execute(text("SET citus.multi_shard_modify_mode = 'sequential'"))
            connection.commit()
            _patiently(connection, lambda: step(config, connection))
            if lacked_rights:
                _give_rights(connection)
            connection.commit()
    finally:
        engine.dispose()


def _take_turn(connection: Connection) -> None:
    """Wait for other migrations by polling. A statement that waits for a lock would delay a concurrent index build."""
    while not connection.scalar(text("SELECT pg_try_advisory_lock(:lock)"), {"lock": _LOCK}):
        connection.commit()
        sleep(_PAUSE)
    connection.commit()


def _patiently(connection: Connection, step: Callable[[], None]) -> None:
    """Run a step, and retry it while a dump or a long query uses the table. A statement that waits for a table lock
    makes all others queue behind it, so each attempt is short. Raise CannotMigrate if no attempt succeeds."""
    for number in range(_TRIES):
        connection.execute(text(f"SET lock_timeout = '{_LONGEST_WAIT}s'"))
        connection.commit()
        try:
            return step()
        except OperationalError as error:
            if getattr(error.orig, "sqlstate", None) not in _HELD:
                raise
            connection.rollback()
        if number == 0:
            _logger.warning(
                "A table that must change is locked, for example by a dump or a long query. Waiting for it."
            )
        sleep(_PAUSE)
    raise CannotMigrate(
        "A table that must change stays locked, for example by a dump or a long query. Run the command again later. "
        "It skips the completed steps."
    )


def make_index(name: str, table: str, columns: Sequence[str], where: str | None = None) -> None:
    """Create an index concurrently, as part of a migration, so that writers don't wait.

    This ends the migration's transaction. So it must be possible to repeat the earlier statements of the migration.
    """
    from alembic import op

    with op.get_context().autocommit_block():
        op.execute("SET lock_timeout = 0")  # this waits only for transactions, and blocks no others
        op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")  # an invalid index left by an earlier attempt
        condition = None if where is None else text(where)
        op.create_index(name, table, list(columns), postgresql_concurrently=True, postgresql_where=condition)
        op.execute(f"SET lock_timeout = '{_LONGEST_WAIT}s'")
