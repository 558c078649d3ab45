"""Tables that can be spread over nodes, and the migrations that create them."""

from datetime import datetime

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
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

from server.store import migrate
from server.store.tables import Base, Moment, Outage, db
from tests.support import citus

TABLES = list(Base.metadata.sorted_tables)


# Distributed tables


def names(tables: list[Table]) -> list[str]:
    return [table.name for table in tables]


def spread_of(table: Table) -> str:
    return table.info["spread"]


SPREAD = [table for table in TABLES if spread_of(table) not in ("everywhere", "local")]


@pytest.mark.parametrize("table", TABLES, ids=names(TABLES))
def test_every_table_declares_how_it_is_distributed(table: Table) -> None:
    assert spread_of(table) in ("game_id", "player_id", "everywhere", "local")


@pytest.mark.parametrize("table", SPREAD, ids=names(SPREAD))
def test_every_primary_key_begins_with_the_distribution_column_and_unique_keys_contain_it(table: Table) -> None:
    column = table.c[spread_of(table)]
    assert table.primary_key.columns[0] is column
    uniques = [each.columns for each in table.constraints if isinstance(each, UniqueConstraint)]
    uniques += [index.columns for index in table.indexes if index.unique]
    assert all(column in unique.values() for unique in uniques)


@pytest.mark.parametrize("table", TABLES, ids=names(TABLES))
def test_foreign_keys_include_the_distribution_column_and_never_set_null(table: Table) -> None:
    for key in (each for each in table.constraints if isinstance(each, ForeignKeyConstraint)):
        assert spread_of(key.referred_table) == spread_of(table)
        assert (key.ondelete or "").upper() != "SET NULL"
        if table in SPREAD:
            assert (spread_of(table), spread_of(table)) in {(e.parent.name, e.column.name) for e in key.elements}


@pytest.mark.parametrize("table", TABLES, ids=names(TABLES))
def test_primary_keys_are_uuids_numbers_per_game_or_words_but_never_sequences(table: Table) -> None:
    for column in table.primary_key.columns:
        assert isinstance(column.type, Uuid | Integer | Text | LargeBinary | Moment)
        if isinstance(column.type, Integer):
            assert column.name in ("seat", "seq", "nr")
    assert all(column.identity is None and column.server_default is None for column in table.columns)
    assert table.autoincrement_column is None


@pytest.mark.parametrize("table", TABLES, ids=names(TABLES))
def test_columns_for_times_have_a_time_zone(table: Table) -> None:
    assert not any(isinstance(column.type, DateTime) for column in table.columns)
    assert all(column.type.impl.timezone for column in table.columns if isinstance(column.type, Moment))


@citus.leave_out("has some for itself")
def test_the_database_has_no_sequences(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        assert connection.execute("SELECT * FROM pg_sequences").fetchall() == []


def test_a_time_without_a_time_zone_is_rejected(app: Flask) -> None:
    with app.app_context(), pytest.raises(StatementError, match="The time has no zone"):
        db.session.execute(db.select(Outage).where(Outage.ended_at > datetime(2026, 11, 21)))


# Migrations


@citus.leave_out("no step is taken back")
def test_migrations_go_down_and_up_again_and_match_the_models(database_url: str) -> None:
    engine = create_engine(migrate.psycopg_url(database_url))
    migrate.downgrade(database_url, "base")
    assert inspect(engine).get_table_names() == ["alembic_version"]
    with engine.connect() as connection:
        assert (
            connection.execute(text("SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace")).all()
            == []
        )
    migrate.upgrade(database_url)
    migrate.upgrade(database_url)  # nothing to do
    with engine.connect() as connection:
        differences = compare_metadata(
            MigrationContext.configure(connection, opts={"compare_type": True}), Base.metadata
        )
    engine.dispose()
    assert differences == []


def test_an_index_has_the_same_condition_in_the_database_and_in_the_model(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        found = dict(connection.execute("SELECT indexname, indexdef FROM pg_indexes WHERE indexdef LIKE '% WHERE %'"))
    models = {
        index for table in TABLES for index in table.indexes if index.dialect_options["postgresql"]["where"] is not None
    }
    assert set(found) == {index.name for index in models}


def test_the_storage_parameters_of_a_table_match_its_model(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        found = dict(
            connection.execute(
                "SELECT relname, reloptions FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
            )
        )
    for table in TABLES:
        wanted = table.dialect_options["postgresql"]["with"] or {}
        assert (found[table.name] or []) == [f"{name}={value}" for name, value in wanted.items()]


@citus.leave_out("each shard has a plan of its own")
@pytest.mark.parametrize("status", ["", "AND status = 'open'"])
def test_a_lobby_page_is_read_using_an_index(database_url: str, status: str) -> None:
    page = f"SELECT * FROM games WHERE NOT private {status} ORDER BY made_at DESC, game_id DESC LIMIT 21"
    with psycopg.connect(database_url) as connection:
        connection.execute("SET enable_seqscan = off")  # Postgres scans an empty table either way
        plan = str(connection.execute(f"EXPLAIN {page}").fetchall())
    assert "Index Scan" in plan
    assert "Sort" not in plan
