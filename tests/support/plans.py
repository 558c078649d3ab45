"""How Postgres executes statements, and how many rows it reads."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import psycopg
import pytest

from server.store.tables import db


class Scan(NamedTuple):
    """A scan of a table: node type, index, conditions, and the number of rows read."""

    table: str
    kind: str
    index: str | None
    condition: str | None
    rows: int


def statements_of(
    work: Callable[[], object], kinds: tuple[str, ...] = ("SELECT", "UPDATE", "DELETE")
) -> list[tuple[str, Any]]:
    asked: list[tuple[str, Any]] = []
    execute, executemany = psycopg.Cursor.execute, psycopg.Cursor.executemany

    def noted(cursor: Any, query: Any, parameters: Any = None, **how: Any) -> Any:
        if isinstance(query, str) and query.lstrip().startswith(kinds):
            asked.append((query, parameters))
        return execute(cursor, query, parameters, **how)

    def each_noted(cursor: Any, query: Any, each: Any, **how: Any) -> None:
        asked.extend((query, parameters) for parameters in each)
        executemany(cursor, query, each, **how)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.Cursor, "execute", noted)
        patch.setattr(psycopg.Cursor, "executemany", each_noted)
        work()
    return asked


def scans_of(work: Callable[[], object], never_in_sequence: bool = False) -> list[Scan]:
    """Return the scans of the work's statements, run again on its results and rolled back.

    `never_in_sequence` plans as if all tables were large. Postgres reads small ones completely, even if they have
    indexes.
    """
    asked = statements_of(work)
    pooled = db.engine.raw_connection()
    try:
        connection: psycopg.Connection[Any] = pooled.driver_connection  # type: ignore[assignment]  # SQLAlchemy knows less
        with connection.transaction(force_rollback=True), psycopg.ClientCursor(connection) as cursor:
            if never_in_sequence:
                cursor.execute("SET LOCAL enable_seqscan = off")
            return [scan for statement in asked for scan in _scans_of(cursor, *statement)]
    finally:
        pooled.close()


def _scans_of(cursor: psycopg.Cursor[Any], query: str, parameters: Any) -> Iterator[Scan]:
    cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {query}", parameters)
    ((explained,),) = cursor.fetchall()
    todo = [explained[0]["Plan"]]
    while todo:
        node = todo.pop()
        below = node.get("Plans", [])
        todo += below
        if "Scan" in node["Node Type"] and "Relation Name" in node:
            index = next((it for it in [node, *_all_below(node)] if "Index Name" in it), {})
            read = (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
            yield Scan(
                node["Relation Name"], node["Node Type"], index.get("Index Name"), index.get("Index Cond"), round(read)
            )


def _all_below(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for it in node.get("Plans", []):
        yield it
        yield from _all_below(it)
