"""Signing in by a mailed code."""

import secrets
from datetime import timedelta
from uuid import UUID, uuid4

from sqlalchemy import delete, select

from server.accounts.bans import expect_welcome
from server.accounts.bounces import reached_again
from server.accounts.players import player_of
from server.accounts.rate_limits import Use, count, expect_left, expect_within, forget_old_counts, network_of
from server.accounts.signed_links import keyed_hash, keyed_hashes
from server.accounts.tokens import SCOPES, NewToken, new_token
from server.clock import clock
from server.errors import WrongCode
from server.store.database_retry import tried_again
from server.store.outbox import put_into_bundle
from server.store.tables import PlayerLetterRow, SignIn, db

CODE_LIFE = timedelta(minutes=10)
CODE_TRIES = 5
_CODE = "sign-in code"


def begin_sign_in(email: str, locale: str, sender: str | None) -> UUID:
    """Mail a code and a link to this address; the same answer whether or not anybody is known there.

    `sender` is the network address that asks; None if an operator does, whom nothing limits. Raises TooMany.
    """
    sign_in = uuid4()
    _begin_sign_in(sign_in, email, locale, sender)
    return sign_in


@tried_again
def _begin_sign_in(sign_in: UUID, email: str, locale: str, sender: str | None) -> None:
    if db.session.get(SignIn, sign_in) is not None:  # a commit whose answer was lost
        return
    now, code = clock.now(), f"{secrets.randbelow(10**6):06}"
    if sender is None or _may_be_mailed(email, network_of(sender)):
        db.session.add(
            SignIn(
                sign_in=sign_in,
                email=email,
                locale=locale,
                code_hash=keyed_hash(_CODE, f"{sign_in}/{code}"),
                tries=0,
                expires_at=now + CODE_LIFE,
            )
        )
        db.session.add(
            PlayerLetterRow(
                player_id=sign_in,
                letter_id=uuid4(),
                dedupe="sign-in-code/mail",
                kind="sign-in-code",
                data={"to": email, "code": code, "sign_in": str(sign_in)},
                made_at=now,
                due_at=now,
                tries=0,
            )
        )
    db.session.commit()


def _may_be_mailed(email: str, network: str) -> bool:
    """Whether one more code may go to this address; nobody is told which addresses get no more. Raises TooMany."""
    expect_within(Use("sign-ins", network))
    return all(left >= 0 for left in count(Use("codes", email), Use("codes-daily", email)).values())


def forget_old_codes() -> None:
    """Drop codes and counts that matter no more."""
    db.session.execute(delete(SignIn).where(SignIn.expires_at < clock.now()))
    forget_old_counts()
    db.session.commit()


def redeem(sign_in: UUID, code: str) -> NewToken:
    """A token with all scopes for a mailed code, and an account if there was none. Raises WrongCode, TooMany, Banned."""
    now = clock.now()
    row = db.session.execute(select(SignIn).where(SignIn.sign_in == sign_in).with_for_update()).scalar_one_or_none()
    if row is None or row.expires_at <= now or row.tries >= CODE_TRIES:
        raise WrongCode("This code is wrong, used up or too old. Ask for a new one.")
    wrong = Use("wrong-codes", row.email)
    expect_left(wrong)
    known = keyed_hashes(_CODE, f"{sign_in}/{code}")
    if not any(secrets.compare_digest(row.code_hash, it) for it in known):
        row.tries += 1
        count(wrong)
        db.session.commit()
        raise WrongCode("This code is wrong, used up or too old. Ask for a new one.")
    db.session.delete(row)
    player_id = player_of(row.email, row.locale)
    expect_welcome(player_id)
    if reached_again(player_id):
        put_into_bundle(player_id, now, now)  # what waits by now has not reached him
    token = new_token(player_id, "sign-in", SCOPES, None, now)
    db.session.commit()
    return token
