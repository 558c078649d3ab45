"""Proofs of mail providers that have been used. All web processes share them."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from server.store import retention
from server.store.database_retry import with_retries
from server.store.tables import MailProof, db


@with_retries
def claim_proof(token_hash: bytes, content_hash: bytes, expires_at: datetime) -> bool:
    """Store a proof and the content for which it is used. Return False if it was used before with other content."""
    proof = insert(MailProof).values(token_hash=token_hash, content_hash=content_hash, expires_at=expires_at)
    db.session.execute(proof.on_conflict_do_nothing(index_elements=["token_hash"]))
    first = db.session.scalar(select(MailProof.content_hash).where(MailProof.token_hash == token_hash))
    db.session.commit()
    return first == content_hash


def forget_expired_proofs(now: datetime) -> None:
    retention.forget(MailProof, MailProof.expires_at, now)
