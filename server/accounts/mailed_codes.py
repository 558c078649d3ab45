"""Mailed codes of six digits: who types one reads the mails of its address. Each is for one purpose, ten minutes, five tries,
and once."""

import secrets
from datetime import timedelta
from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert

from server.accounts.rate_limits import Use, count, expect_left, forget_old_counts
from server.accounts.signed_links import keyed_hash, keyed_hashes
from server.clock import clock
from server.errors import WrongCode
from server.sanitize import mailbox_of
from server.store.tables import SignIn, db
from server.translations import noted

CODE_LIFE = timedelta(minutes=10)
CODE_TRIES = 5
_WRONG = noted("This code is wrong, already used or expired. Request a new one.")


def codes_to(email: str) -> list[Use]:
    """Return what a code mailed to this address counts for."""
    return [Use(name, mailbox_of(email)) for name in ("codes", "codes-daily")]


def new_code(purpose: str, code_id: UUID, email: str, locale: str, zone: str = "UTC") -> str:
    """Note a code for this address, in place of an earlier one with this id, as part of the transaction under way."""
    code = f"{secrets.randbelow(10**6):06}"
    row = insert(SignIn).values(
        sign_in=code_id,
        email=email,
        locale=locale,
        zone=zone,
        code_hash=keyed_hash(purpose, f"{code_id}/{code}"),
        tries=0,
        expires_at=clock.now() + CODE_LIFE,
    )
    names = ("email", "locale", "zone", "code_hash", "tries", "expires_at")
    anew = {name: row.excluded[name] for name in names}
    db.session.execute(row.on_conflict_do_update(index_elements=["sign_in"], set_=anew))
    return code


def expect_code(purpose: str, code_id: UUID, code: str, by: UUID | None = None) -> SignIn:
    """What was noted with this code, locked, for whoever uses it up to delete; a wrong one is counted.

    `by`: the player whose wrong codes are counted; without him, those for the address are. Raises WrongCode, TooMany.
    """
    query = select(SignIn).where(SignIn.sign_in == code_id).with_for_update().execution_options(populate_existing=True)
    row = db.session.execute(query).scalar_one_or_none()
    if row is None or row.expires_at <= clock.now() or row.tries >= CODE_TRIES:
        raise WrongCode(_WRONG)
    wrong = Use("wrong-codes", by or row.email)
    expect_left(wrong)
    known = keyed_hashes(purpose, f"{code_id}/{code}")
    if not any(secrets.compare_digest(row.code_hash, it) for it in known):
        row.tries += 1
        count(wrong)
        db.session.commit()
        raise WrongCode(_WRONG)
    return row


def forget_old_codes() -> None:
    """Drop codes and counts that matter no more."""
    db.session.execute(delete(SignIn).where(SignIn.expires_at < clock.now()))
    forget_old_counts()
    db.session.commit()
