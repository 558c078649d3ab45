"""The append-only record of operators' changes."""

from typing import Any
from uuid import uuid4

from sqlalchemy import select

from server.clock import clock
from server.errors import NotFound
from server.games import Json
from server.operations.queries import find_player
from server.store.database_retry import with_retries
from server.store.tables import Audit, db


@with_retries
def note(who: str, command: str, arguments: Json) -> None:
    """Record a command before it runs. Addresses are stored as players' ids, which remain after a deletion."""
    named = {name: _named(value) for name, value in arguments.items()}
    db.session.add(Audit(audit_id=uuid4(), at=clock.now(), who=who, command=command, arguments=named))
    db.session.commit()


def entries(limit: int) -> list[Json]:
    rows = db.session.scalars(select(Audit).order_by(Audit.at.desc()).limit(limit))
    return [{"at": it.at, "who": it.who, "command": it.command, "arguments": it.arguments} for it in rows]


def _named(value: Any) -> Any:
    if not isinstance(value, str) or "@" not in value:
        return value
    try:
        return str(find_player(value))
    except NotFound:
        return "***"  # a personal domain identifies a person, and rows can never be removed from this table
