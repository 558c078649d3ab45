"""Emails to our return paths. They are stored first, and then processed under a lease."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import delete
from sqlalchemy.dialects.postgresql import insert

from server.store.database_retry import with_retries
from server.store.leases import claim_oldest
from server.store.tables import ReturnedMail, db


@with_retries
def keep(mail_id: UUID, recipient: str, raw: bytes, now: datetime) -> None:
    """Store an email once."""
    row = insert(ReturnedMail).values(
        mail_id=mail_id, recipient=recipient, raw=raw, arrived_at=now, due_at=now, tries=0
    )
    db.session.execute(row.on_conflict_do_nothing())
    db.session.commit()


def claim(now: datetime, until: datetime) -> ReturnedMail | None:
    """Lease the oldest email that is due, and return its row. Return None if no email is due."""
    return claim_oldest(ReturnedMail, now, until)


def drop(mail_id: UUID) -> None:
    db.session.execute(delete(ReturnedMail).where(ReturnedMail.mail_id == mail_id))
    db.session.commit()
