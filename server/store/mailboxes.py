"""Leases on mailboxes, so that only one worker at a time reads a mailbox."""

from datetime import datetime

from sqlalchemy import update
from sqlalchemy.dialects.postgresql import insert

from server.store.database_retry import with_retries
from server.store.tables import Mailbox, db


@with_retries
def lease(mailbox: str, now: datetime, until: datetime, held: datetime | None) -> bool:
    """Acquire the lease on a mailbox, or renew our lease, which ends at `held`. Return False if another worker has the
    lease."""
    row = insert(Mailbox).values(mailbox=mailbox, leased_until=until)
    is_ours = (Mailbox.leased_until <= now) | (Mailbox.leased_until == held)
    taken = row.on_conflict_do_update(index_elements=["mailbox"], set_={"leased_until": until}, where=is_ours)
    found = db.session.execute(taken.returning(Mailbox.mailbox)).first() is not None
    db.session.commit()
    return found


def give_up(mailbox: str, now: datetime, held: datetime) -> None:
    """Release the lease that ends at `held`."""
    own = (Mailbox.mailbox == mailbox) & (Mailbox.leased_until == held)
    db.session.execute(update(Mailbox).where(own).values(leased_until=now))
    db.session.commit()
