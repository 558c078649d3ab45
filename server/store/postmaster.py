"""Emails to the operators (RFC 5321, 4.5.1). They are stored until they are deleted or have become old."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert

from server.store.database_retry import with_retries
from server.store.tables import PostmasterMail, db


@with_retries
def keep(mail_id: UUID, recipient: str, raw: bytes, now: datetime) -> None:
    """Store an email once."""
    row = insert(PostmasterMail).values(mail_id=mail_id, recipient=recipient, raw=raw, arrived_at=now)
    db.session.execute(row.on_conflict_do_nothing())
    db.session.commit()


def number() -> int:
    return db.session.scalar(select(func.count()).select_from(PostmasterMail)) or 0


def newest(most: int) -> list[PostmasterMail]:
    return list(db.session.scalars(select(PostmasterMail).order_by(PostmasterMail.arrived_at.desc()).limit(most)))


def one(mail_id: UUID) -> PostmasterMail | None:
    return db.session.get(PostmasterMail, mail_id)


def drop(mail_id: UUID) -> bool:
    """Delete an email. Return whether it existed."""
    gone = delete(PostmasterMail).where(PostmasterMail.mail_id == mail_id).returning(PostmasterMail.mail_id)
    found = db.session.scalar(gone) is not None
    db.session.commit()
    return found


def forget(before: datetime) -> None:
    db.session.execute(delete(PostmasterMail).where(PostmasterMail.arrived_at < before))
    db.session.commit()
