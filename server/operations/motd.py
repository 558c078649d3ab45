"""The message of the day: what operators have to tell everybody."""

import json
from datetime import datetime
from typing import Final

import psycopg
import sqlalchemy.exc
from sqlalchemy import delete
from sqlalchemy.dialects.postgresql import insert

from server.clock import clock
from server.rules import Json
from server.sanitize import clean
from server.store.connections import autocommit
from server.store.database_retry import tried_again
from server.store.tables import Setting, db

LONGEST: Final = 500
_NAME = "message-of-the-day"


@tried_again
def put_up_notice(text: str, until: datetime | None = None) -> Json:
    """Show this to everybody, instead of what was shown before, until this moment or until it is taken down."""
    notice = {"text": clean(text, LONGEST), "until": until and until.isoformat()}
    row = insert(Setting).values(name=_NAME, value=json.dumps(notice))
    db.session.execute(row.on_conflict_do_update(index_elements=["name"], set_={"value": row.excluded.value}))
    db.session.commit()
    return notice


@tried_again
def take_down_notice() -> None:
    db.session.execute(delete(Setting).where(Setting.name == _NAME))
    db.session.commit()


def notice() -> Json | None:
    """What everybody is told at present, `text` and `until`; nothing while the database does not answer."""
    try:
        with autocommit() as connection:
            row = connection.execute("SELECT value FROM settings WHERE name = %s", (_NAME,)).fetchone()
    except (psycopg.Error, sqlalchemy.exc.SQLAlchemyError):
        return None
    if row is None:
        return None
    found: Json = json.loads(row[0])
    until = found["until"] and datetime.fromisoformat(found["until"])
    return None if until and until <= clock.now() else {"text": found["text"], "until": until}
