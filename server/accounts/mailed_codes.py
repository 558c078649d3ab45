"""Mailed six-digit codes, which prove access to a mailbox. Each code has one purpose, expires after ten minutes or five
wrong attempts, and works once."""

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
_WRONG = noted("This code is wrong, already used or expired. Check the digits, or request a new code.")


def codes_to(email: str) -> list[Use]:
    """Return the uses that a code mailed to this address counts against rate limits."""
    return [Use(name, mailbox_of(email)) for name in ("codes", "codes-daily")]


def new_code(purpose: str, code_id: UUID, email: str, locale: str, zone: str = "UTC") -> str:
    """Return a new code for this address, and store it in the current transaction. The new code replaces an earlier
    code with this id."""
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
    """Return the locked row of a valid code. The caller must delete the row when the code is used. A wrong code counts
    against the player `by`, or against the address if `by` is None. Raise WrongCode, TooMany."""
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
    """Delete expired codes, and the rate-limit counts of past windows."""
    db.session.execute(delete(SignIn).where(SignIn.expires_at < clock.now()))
    forget_old_counts()
    db.session.commit()
