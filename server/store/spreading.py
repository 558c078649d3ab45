"""Tables that Citus distributes over machines. `tables.py` says how each table is distributed. Most of the other code
doesn't depend on Citus."""

from collections.abc import Callable
from typing import Any, NamedTuple

import psycopg
from psycopg import sql

from server.store.connections import is_coordinated, is_pooled, refusal_of
from server.store.migrate import APPEND_ONLY, NOT_COORDINATOR
from server.store.tables import APP_ROLE, GameRow, db

_TRIGGERS = "citus.enable_unsafe_triggers"  # Citus considers all triggers unsafe; ours only reject changes to the log


class CannotSpread(Exception):
    """A reason why tables can't be distributed. The text is one sentence for the operator."""


class Step(NamedTuple):
    """A step that remains to be done: its description, and the statements of one transaction."""

    says: str
    statements: tuple[str, ...]


def tables_by_spread() -> dict[str, list[str]]:
    """Return the tables, grouped by distribution key. Tables that others refer to come first."""
    found: dict[str, list[str]] = {}
    for table in sorted(db.metadata.sorted_tables, key=lambda it: it.name != GameRow.__tablename__):
        found.setdefault(table.info["spread"], []).append(table.name)
    found["local"].append("alembic_version")
    return found


def is_citus(connection: psycopg.Connection[Any]) -> bool:
    return connection.execute("SELECT FROM pg_extension WHERE extname = 'citus'").fetchone() is not None


def spread(url: str, go_on: Callable[[list[Step]], bool], begun: Callable[[Step], None]) -> None:
    """Run the remaining steps as the owner of the tables, if `go_on` accepts them. Call `begun` before each step. Each
    step is a transaction of its own, and can be repeated. Raise CannotSpread if the database isn't prepared or rejects
    a step."""
    with psycopg.connect(url, autocommit=True) as connection:
        _expect_coordinator(connection)
        steps = steps_left(connection)
        if not go_on(steps):
            return
        connection.execute(f"SET {_TRIGGERS} = on")
        for step in steps:
            begun(step)
            try:
                with connection.transaction():
                    for statement in step.statements:
                        connection.execute(statement)
            except psycopg.Error as error:
                raise CannotSpread(f"This step failed: {refusal_of(error)}. Earlier steps are done.") from error


def _expect_coordinator(connection: psycopg.Connection[Any]) -> None:
    if is_pooled(connection):
        raise CannotSpread("DATABASE_URL leads to a pooler. For this command, use Postgres directly.")
    if not is_citus(connection):
        raise CannotSpread("This Postgres has no Citus. /docs/scaling#citus explains how to install it.")
    if is_coordinated(connection):
        raise CannotSpread(NOT_COORDINATOR)
    if connection.execute("SELECT FROM pg_dist_node WHERE isactive AND shouldhaveshards").fetchone() is None:
        raise CannotSpread("Citus has no nodes yet. /docs/scaling#citus explains how to add them.")


def steps_left(connection: psycopg.Connection[Any]) -> list[Step]:
    """Return the steps that remain until the tables of a Citus database are distributed."""
    return [*_settings(connection), *_tables(connection), *_functions(connection), *_old_copies(connection)]


_OF_DATABASE = {
    "plan_cache_mode": (
        "force_custom_plan",
        "queries are planned for their actual parameters, since Citus can't route generic plans",
    ),
    _TRIGGERS: ("on", "the triggers that protect the log are distributed, too"),
}
_SET_FOR_DATABASE = """
SELECT FROM pg_db_role_setting
 WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database()) AND setrole = 0
   AND %s = ANY(setconfig)"""
# A role's settings override those of the database.
_PLANS_OF_ROLES = """
SELECT CASE WHEN s.setdatabase = 0 THEN format('ROLE %I', r.rolname)
            ELSE format('ROLE %I IN DATABASE %I', r.rolname, current_database()) END
  FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole
 WHERE s.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
   AND 'plan_cache_mode=force_generic_plan' = ANY(s.setconfig)"""


def _settings(connection: psycopg.Connection[Any]) -> list[Step]:
    steps = []
    may_log_in = "SELECT FROM pg_roles WHERE rolname = %s AND rolcanlogin"
    if connection.execute(may_log_in, (APP_ROLE,)).fetchone() is None:
        steps.append(Step(f"{APP_ROLE} may log in, for connections between nodes", (f"ALTER ROLE {APP_ROLE} LOGIN",)))
    for (role,) in connection.execute(_PLANS_OF_ROLES):
        reset = f"ALTER {role} RESET plan_cache_mode"
        steps.append(Step(f"plan_cache_mode of {role} is reset", (reset,)))
    database = sql.Identifier(connection.info.dbname).as_string(connection)
    for name, (value, becomes) in _OF_DATABASE.items():
        if connection.execute(_SET_FOR_DATABASE, (f"{name}={value}",)).fetchone() is None:
            steps.append(Step(becomes, (f"ALTER DATABASE {database} SET {name} = {value}",)))
    return steps


_SPREAD = """
SELECT c.relname, CASE WHEN p.partmethod = 'h' THEN column_to_column_name(p.logicalrelid, p.partkey)
                       WHEN p.repmodel = 't' THEN 'everywhere' ELSE 'local' END
  FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
 WHERE c.relnamespace = 'public'::regnamespace"""


def _tables(connection: psycopg.Connection[Any]) -> list[Step]:
    """Return steps for the tables that aren't distributed yet: either all tables, or those that later migrations have
    created."""
    found = dict(connection.execute(_SPREAD).fetchall())
    wanted = tables_by_spread()
    steps = []
    for table in wanted["everywhere"]:
        steps.append((table, "everywhere", "has a copy on every node", f"create_reference_table('{table}')"))
    for key in ("game_id", "player_id"):
        first = next((table for table in wanted[key] if found.get(table) == key), wanted[key][0])
        for table in wanted[key]:
            beside = "none" if table == first else first
            spread_by = f"create_distributed_table('{table}', '{key}', colocate_with => '{beside}')"
            steps.append((table, key, f"is distributed by {key}", spread_by))
    for table in wanted["local"]:
        add = f"citus_add_local_table_to_metadata('{table}')"
        steps.append((table, "local", "stays on the coordinator, and every node can reach it", add))
    return [
        Step(f"the table {table} {becomes}", (f"SELECT {call}",))
        for table, spread_by, becomes, call in steps
        if found.get(table) != spread_by
    ]


# Functions whose first argument is the game (see `functions.sql`).
_FUNCTIONS = """
SELECT p.oid::regprocedure::text FROM pg_proc p
 WHERE p.pronamespace = 'public'::regnamespace AND p.proargnames[1] = 'game' AND NOT EXISTS (
   SELECT FROM pg_catalog.pg_dist_object o
    WHERE o.classid = 'pg_proc'::regclass AND o.objid = p.oid AND o.distribution_argument_index = 0)
 ORDER BY p.oid"""


def _functions(connection: psycopg.Connection[Any]) -> list[Step]:
    """Return steps that move functions to the game's node, so that a commit is one statement on one node."""
    return [
        Step(
            f"{function.partition('(')[0]} runs on the node that has the game",
            (f"SELECT create_distributed_function('{function}', 'game', colocate_with => '{GameRow.__tablename__}')",),
        )
        for (function,) in connection.execute(_FUNCTIONS)
    ]


# The coordinator's disk still has the rows that Citus has copied to the nodes. Statements don't see them.
_FILLED = """
SELECT relname FROM pg_class
 WHERE relnamespace = 'public'::regnamespace AND relname = ANY(%s) AND pg_relation_size(oid) > 0 ORDER BY oid"""


def _old_copies(connection: psycopg.Connection[Any]) -> list[Step]:
    elsewhere = [table for key, tables in tables_by_spread().items() if key != "local" for table in tables]
    return [
        Step(f"the old copy of {table} is removed from the coordinator", tuple(_dropping(table)))
        for (table,) in connection.execute(_FILLED, (elsewhere,))
    ]


def _dropping(table: str) -> list[str]:
    """Return statements that delete the coordinator's own rows of a table. For append-only tables, these statements
    disable the guard there, and enable it again."""
    drop = f"SELECT truncate_local_data_after_distributing_table('{table}')"
    if table not in APPEND_ONLY:
        return [drop]
    guard = f"TRIGGER {table}_no_truncate"
    here = "SET LOCAL citus.enable_ddl_propagation = off"
    return [here, f"ALTER TABLE {table} DISABLE {guard}", drop, f"ALTER TABLE {table} ENABLE {guard}"]
