"""Brings a database to a revision of `migrations/`, as the owner of the tables."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, text

_SCRIPTS = Path(__file__).parents[2] / "migrations"
_LOCK = 0x57E2  # any number of processes may start at once; one migrates, the others find it done


def psycopg_url(url: str) -> str:
    """The same address for SQLAlchemy with psycopg 3, whichever way it was written."""
    scheme, _, rest = url.partition("://")
    return f"postgresql+psycopg://{rest}" if scheme in ("postgres", "postgresql") else url


def upgrade(url: str, revision: str = "head") -> None:
    _run(url, lambda config: command.upgrade(config, revision))


def downgrade(url: str, revision: str) -> None:
    _run(url, lambda config: command.downgrade(config, revision))


def is_behind(connection: Connection) -> bool:
    """Whether the tables lack a step that we know; those of a later release may have steps that we do not."""
    if connection.scalar(text("SELECT to_regclass('alembic_version') IS NULL")):
        return True
    return connection.scalar(text("SELECT version_num FROM alembic_version")) in _earlier_revisions()


def steps_ahead(url: str) -> list[str]:
    """What `upgrade` would do, in order: each step's number and title."""
    engine = create_engine(psycopg_url(url))
    try:
        with engine.connect() as connection:
            known = MigrationContext.configure(connection).get_current_revision()
    finally:
        engine.dispose()
    scripts = ScriptDirectory(str(_SCRIPTS))
    if known is not None and known not in {step.revision for step in scripts.walk_revisions()}:
        return []  # a later release has been here
    steps = reversed(list(scripts.iterate_revisions("head", known or "base")))
    return [f"{step.revision}: {step.doc}" for step in steps]


@cache
def _earlier_revisions() -> frozenset[str | None]:
    scripts = ScriptDirectory(str(_SCRIPTS))
    return frozenset(step.revision for step in scripts.walk_revisions()) - {scripts.get_current_head()} | {None}


def _run(url: str, step: Callable[[Config], None]) -> None:
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
