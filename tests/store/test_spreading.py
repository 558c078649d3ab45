"""`sternenpost spread` without Citus, and the plans of plain Postgres. With Citus: test_citus.py."""

import pytest
from flask import Flask
from sqlalchemy import text

from server.clock import clock
from server.operations.health import STOPPED, running_parts, spreading_trouble
from server.store import migrate
from server.store.connections import autocommit
from server.store.spreading import tables_by_spread
from server.store.tables import db
from tests.support import citus
from tests.support.commands import ask
from tests.support.games import service_is_up


def spread(**environment: str | None) -> str:
    done = ask("spread", **{"DATABASE_URL": None, **environment})
    assert done.exit_code == 1
    return done.output


def test_every_table_is_distributed_by_its_own_column_and_after_the_tables_to_which_it_refers() -> None:
    found = tables_by_spread()
    order = [(key, table) for key in ("everywhere", "game_id", "player_id", "local") for table in found[key]]
    told = {(it.info["spread"], it.name) for it in db.metadata.sorted_tables}
    assert set(order) == told | {("local", "alembic_version")}
    places = {table: place for place, (_, table) in enumerate(order)}
    for table in db.metadata.sorted_tables:
        for key in table.foreign_key_constraints:
            assert places[key.referred_table.name] < places[table.name]


@citus.leave_out("this is not so")
def test_the_tables_of_a_plain_postgres_are_not_distributed(shared_url: str, app: Flask) -> None:
    assert "has no Citus" in spread(DATABASE_URL=shared_url)
    assert "has only one machine" in spread()
    with app.app_context():
        assert spreading_trouble() is None


def test_outdated_tables_are_not_distributed(database_url: str) -> None:
    migrate.downgrade(database_url, "0045")
    assert "Run `sternenpost migrate` first" in spread(DATABASE_URL=database_url)


def test_a_process_counts_as_running_until_a_few_seconds_after_its_last_heartbeat(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    with app.app_context():
        assert running_parts() == []
        service_is_up()
        assert running_parts() == ["web", "worker"]
        seen = clock.now()
        monkeypatch.setattr(clock, "now", lambda: seen + 2 * STOPPED)
        assert running_parts() == []


@citus.leave_out("all queries are planned for their actual parameters")
def test_statements_for_moves_use_generic_query_plans_and_those_for_lists_use_custom_ones(app: Flask) -> None:
    with app.app_context():
        with autocommit() as connection:
            assert connection.execute("SHOW plan_cache_mode").fetchone() == ("force_generic_plan",)
        assert db.session.scalar(text("SHOW plan_cache_mode")) == "auto"
