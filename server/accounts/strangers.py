"""Addresses without an account. As promised in the invitation, each address gets only that one email, no matter how
many players invite it, until it has an account."""

from hashlib import sha256
from uuid import UUID

from sqlalchemy import exists, select, update
from sqlalchemy.dialects.postgresql import insert

from server.sanitize import mailbox_of
from server.store.database_retry import with_retries
from server.store.tables import Delivery, LetterRow, Stranger, db

_NO_LETTER = UUID(int=0)
_NOT_CARRIED = ("dropped", "refused", "given-up")


@with_retries
def may_be_written_to(email: str, letter: LetterRow) -> bool:
    """Return whether this email may be sent to this address: it is the first one, a retry of the first one, or a
    replacement for one that never left the server."""
    address, this = (
        sha256(mailbox_of(email).encode()).digest(),
        {"game_id": letter.game_id, "letter_id": letter.letter_id},
    )
    first = insert(Stranger).values(address_hash=address, **this).on_conflict_do_nothing()
    db.session.execute(first)
    found = db.session.execute(
        select(Stranger.game_id, Stranger.letter_id).where(Stranger.address_hash == address).with_for_update()
    ).one()
    is_the_one = bool(found.letter_id == letter.letter_id)
    if not is_the_one:
        key = (Delivery.game_id == found.game_id) & (Delivery.letter_id == found.letter_id)
        is_the_one = bool(db.session.scalar(select(exists().where(key, Delivery.result.in_(_NOT_CARRIED)))))
        if is_the_one:
            db.session.execute(update(Stranger).where(Stranger.address_hash == address).values(**this))
    db.session.commit()
    return is_the_one


@with_retries
def stop_letters_to(address_hash: bytes) -> None:
    """Stop replying to emails from the address with this keyed hash."""
    row = insert(Stranger).values(address_hash=address_hash, game_id=_NO_LETTER, letter_id=_NO_LETTER)
    db.session.execute(row.on_conflict_do_nothing())
    db.session.commit()


def is_stopped(address_hash: bytes) -> bool:
    return db.session.get(Stranger, address_hash) is not None
