"""The message of the day from the operators."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Final

import psycopg
import sqlalchemy.exc
from sqlalchemy import delete
from sqlalchemy.dialects.postgresql import insert

from server.clock import clock
from server.games import Json
from server.sanitize import clean
from server.store import announcements
from server.store.database_retry import with_retries
from server.store.tables import Setting, db

LONGEST: Final = 500


@with_retries
def put_up_notice(text: str, until: datetime | None = None) -> Json:
    """Show this message to all users until this time or until it is removed. It replaces the previous message."""
    notice = {"text": clean(text, LONGEST), "until": until and until.isoformat()}
    row = insert(Setting).values(name=announcements.NOTICE, value=json.dumps(notice))
    db.session.execute(row.on_conflict_do_update(index_elements=["name"], set_={"value": row.excluded.value}))
    db.session.commit()
    announcements.forget()
    return notice


@with_retries
def take_down_notice() -> None:
    db.session.execute(delete(Setting).where(Setting.name == announcements.NOTICE))
    db.session.commit()
    announcements.forget()


def notice() -> Json | None:
    """Return the current message (`text` and `until`), or None if there is no message or the database doesn't
    respond."""
    try:
        return notice_in(announcements.announced())
    except (psycopg.Error, sqlalchemy.exc.SQLAlchemyError):
        return None


def notice_in(rows: Mapping[str, str]) -> Json | None:
    """Return the message in these rows of `announcements`, or None if it has expired."""
    if announcements.NOTICE not in rows:
        return None
    found: Json = json.loads(rows[announcements.NOTICE])
    until = found["until"] and datetime.fromisoformat(found["until"])
    return None if until and until <= clock.now() else {"text": found["text"], "until": until}
