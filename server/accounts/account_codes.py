"""Mailed codes that confirm a change of address or the deletion of an account. A stolen token alone is not enough for
either."""

from typing import Final
from uuid import UUID, uuid4, uuid5

from server.accounts.guests import expect_no_guest
from server.accounts.mailed_codes import codes_to, expect_code, new_code
from server.accounts.notice_kinds import DELETION_CODE, NEW_ADDRESS_CODE, OLD_ADDRESS_CODE
from server.accounts.players import change_profile_within, stored_locale
from server.accounts.rate_limits import ALL, OF_ONE, Use, count, expect_within
from server.clock import clock
from server.errors import BadField
from server.store.connections import autocommit
from server.store.database_retry import with_retries
from server.store.notify import notifier
from server.store.rows import Json
from server.store.tables import Player, PlayerLetterRow, SignIn, db

DELETION: Final = DELETION_CODE.name
OLD_ADDRESS: Final = OLD_ADDRESS_CODE.name
NEW_ADDRESS: Final = NEW_ADDRESS_CODE.name
PURPOSES: Final = (DELETION, OLD_ADDRESS, NEW_ADDRESS)


@with_retries
def ask_for_deletion(player_id: UUID) -> None:
    """Mail a code with which this player can delete their account. Raise SignInFirst, TooMany."""
    expect_no_guest(player_id)
    expect_within(*_asked_by(player_id))
    player = db.session.get_one(Player, player_id, populate_existing=True)
    _mail(player, DELETION, player.email)
    db.session.commit()
    notifier.note_letter()


@with_retries
def ask_for_address(player_id: UUID, email: str, changes: Json | None = None) -> None:
    """Mail one code to the old address and one to the new address, and apply `changes` to the profile. An address that
    already has an account gets its code as well, so the caller can't probe for accounts. Raise BadField, SignInFirst,
    TooMany."""
    expect_no_guest(player_id)
    player = db.session.get_one(Player, player_id, populate_existing=True)
    if player.email == email:
        raise BadField("email", "This is already your email address.")
    expect_within(*_asked_by(player_id), Use("codes-in-all", ALL), Use("codes-in-all", player_id, OF_ONE))
    _mail(player, OLD_ADDRESS, player.email, email)
    if all(left >= 0 for left in count(*codes_to(email)).values()):
        _mail(player, NEW_ADDRESS, email, email)
    change_profile_within(player_id, changes or {})
    db.session.commit()
    notifier.note_letter()


def _asked_by(player_id: UUID) -> list[Use]:
    return [Use(name, player_id) for name in ("codes", "codes-daily")]


def _mail(player: Player, purpose: str, to: str, new_address: str = "") -> None:
    """Queue the email under the code's id, not the player's. Otherwise the player would see the delivery result, which
    could reveal whose address it is."""
    now, code_id = clock.now(), id_of(player.player_id, purpose)
    code = new_code(purpose, code_id, to, stored_locale(player.locale))
    data = {"to": to, "by": str(player.player_id), "code": code, "address": new_address}
    letter_id = uuid4()
    row = {"player_id": code_id, "letter_id": letter_id, "dedupe": f"{purpose}/{letter_id}/mail", "kind": purpose}
    db.session.add(PlayerLetterRow(**row, data=data, made_at=now, due_at=now, tries=0))


def expect_account_code(player_id: UUID, purpose: str, code: str) -> SignIn:
    """Return the row of a valid code (see `expect_code`). Raise WrongCode for an invalid code, or TooMany after too
    many wrong codes."""
    return expect_code(purpose, id_of(player_id, purpose), code, player_id)


def id_of(player_id: UUID, purpose: str) -> UUID:
    """Return the id of a player's code. There is one code at a time for each purpose."""
    return uuid5(player_id, purpose)


def new_address_of(player_id: UUID) -> str | None:
    """Return the player's new address that still awaits its code, or None."""
    asked = "SELECT email FROM sign_in_codes WHERE sign_in = %s AND expires_at > %s"
    with autocommit() as connection:
        row = connection.execute(asked, (id_of(player_id, NEW_ADDRESS), clock.now())).fetchone()
    return row and str(row[0])
