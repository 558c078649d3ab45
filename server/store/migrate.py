"""Brings a database to a revision of `migrations/`, as the owner of the tables.

Alembic comes when it is needed: otherwise it would take a seventh of the time in which each process starts.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, create_engine, text

if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

_SCRIPTS = Path(__file__).parents[2] / "migrations"
_LOCK = 0x57E2  # any number of processes may start at once; one migrates, the others find it done


def psycopg_url(url: str) -> str:
    """The same address for SQLAlchemy with psycopg 3, whichever way it was written."""
    scheme, _, rest = url.partition("://")
    return f"postgresql+psycopg://{rest}" if scheme in ("postgres", "postgresql") else url


def upgrade(url: str, revision: str = "head") -> None:
    from alembic import command

    _run(url, lambda config: command.upgrade(config, revision))


def downgrade(url: str, revision: str) -> None:
    from alembic import command

    _run(url, lambda config: command.downgrade(config, revision))


def is_behind(connection: Connection) -> bool:
    """Whether the tables lack a step that we know; those of a later release may have steps that we do not."""
    if connection.scalar(text("SELECT to_regclass('alembic_version') IS NULL")):
        return True
    return connection.scalar(text("SELECT version_num FROM alembic_version")) in _earlier_revisions()


def steps_ahead(url: str) -> list[str]:
    """What `upgrade` would do, in order: each step's number and title."""
    from alembic.migration import MigrationContext

    engine = create_engine(psycopg_url(url))
    try:
        with engine.connect() as connection:
            known = MigrationContext.configure(connection).get_current_revision()
    finally:
        engine.dispose()
    scripts = _scripts()
    if known is not None and known not in {step.revision for step in scripts.walk_revisions()}:
        return []  # a later release has been here
    steps = reversed(list(scripts.iterate_revisions("head", known or "base")))
    return [f"{step.revision}: {step.doc}" for step in steps]


def _scripts() -> "ScriptDirectory":
    from alembic.script import ScriptDirectory

    return ScriptDirectory(str(_SCRIPTS))


@cache
def _earlier_revisions() -> frozenset[str | None]:
    scripts = _scripts()
    return frozenset(step.revision for step in scripts.walk_revisions()) - {scripts.get_current_head()} | {None}


def _run(url: str, step: Callable[["Config"], None]) -> None:
    from alembic.config import Config

    engine = create_engine(psycopg_url(url))
    try:
        with engine.connect() as connection:
            connection.execute(text("SELECT pg_advisory_lock(:lock)"), {"lock": _LOCK})
            connection.commit()
            config = Config()
            config.set_main_option("script_location", str(_SCRIPTS))
            config.attributes["connection"] = connection
            step(config)
            connection.commit()
    finally:
        engine.dispose()
