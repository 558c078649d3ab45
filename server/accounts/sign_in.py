"""Sign-in with an emailed code."""

from uuid import UUID, uuid4

from sqlalchemy import delete

from server.accounts.bans import expect_welcome
from server.accounts.bounces import mark_reachable
from server.accounts.closing import SIGN_UPS, expect_known_or_open, is_open
from server.accounts.guests import give_address
from server.accounts.mailed_codes import codes_to, expect_code, new_code
from server.accounts.notice_kinds import SIGN_IN_CODE
from server.accounts.players import player_at, player_of
from server.accounts.rate_limits import Use, count, expect_not_above, network_of, network_shares
from server.accounts.tokens import SCOPES, NewToken, new_token
from server.clock import clock
from server.store.database_retry import with_retries
from server.store.notify import notifier
from server.store.outbox import put_into_bundle
from server.store.tables import PlayerLetterRow, SignIn, Token, db

_CODE = "sign-in code"


def begin_sign_in(email: str, locale: str, sender: str | None, zone: str = "UTC") -> UUID:
    """Mail a code and a link to this address. The result is the same for unknown addresses.

    `sender` is the network address, or None for an operator, to whom no limits apply. `locale` and `zone` apply to a
    new player, `zone` also to one who has chosen none. Raise TooMany.
    """
    sign_in = uuid4()
    _begin_sign_in(sign_in, email, locale, sender, zone)
    return sign_in


@with_retries
def _begin_sign_in(sign_in: UUID, email: str, locale: str, sender: str | None, zone: str) -> None:
    if db.session.get(SignIn, sign_in) is not None:  # a retry after the commit's response was lost
        return
    now = clock.now()
    if sender is None or _may_be_mailed(email, sender):
        code = new_code(_CODE, sign_in, email, locale, zone)
        db.session.add(
            PlayerLetterRow(
                player_id=sign_in,
                letter_id=uuid4(),
                dedupe="sign-in-code/mail",
                kind=SIGN_IN_CODE.name,
                data={"to": email, "code": code, "sign_in": str(sign_in)},
                made_at=now,
                due_at=now,
                tries=0,
            )
        )
    db.session.commit()
    notifier.note_letter()  # a player is waiting for the code


def _may_be_mailed(email: str, sender: str) -> bool:
    """Return whether another code may go to this address. The response to the request is the same either way.

    At the installation's limit, or with sign-ups closed, only existing players get codes. Raise TooMany above a limit
    of the sender's network.
    """
    in_all, *shares = network_shares("codes-in-all", sender)
    left = dict(count(Use("sign-ins", network_of(sender)), in_all, *shares))
    is_room = left.pop(in_all, 0) >= 0
    expect_not_above(left)
    if any(it < 0 for it in count(*codes_to(email)).values()):
        return False
    return (is_room and is_open(SIGN_UPS)) or player_at(email) is not None


def redeem(sign_in: UUID, code: str, guest: UUID | None = None) -> NewToken:
    """Exchange a mailed code for a token with all scopes. If the address has no account, turn `guest` into its player,
    or create a player. Raise WrongCode, Closed, TooMany, Banned."""
    now = clock.now()
    row = expect_code(_CODE, sign_in, code)
    expect_known_or_open(row.email)
    db.session.delete(row)
    if guest is not None and give_address(guest, row.email, row.locale):
        db.session.execute(delete(Token).where(Token.player_id == guest))
    player_id = player_of(row.email, row.locale, zone=row.zone)
    expect_welcome(player_id)
    if mark_reachable(player_id):
        put_into_bundle(player_id, now, now)  # emails held so far have not reached the player
    token = new_token(player_id, "sign-in", SCOPES)
    db.session.commit()
    return token
