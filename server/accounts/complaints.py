"""Spam complaints that mail providers forward (RFC 5965). A complaint stops all mail to the player."""

from typing import Final
from uuid import UUID

from server.accounts.bounces import count, letter_to, lose_invitation, mark_unreachable, verify_bounce_token
from server.accounts.notice_kinds import INVITATION
from server.accounts.signed_links import ANY_SEAT
from server.accounts.strangers import stop_letters_to
from server.accounts.unsubscribe import stop_mails, stop_token
from server.clock import clock
from server.store.database_retry import with_retries
from server.store.tables import Player, db

WHY: Final = "A letter of ours was reported as spam."


@with_retries
def note_complaint(word: str) -> None:
    """Record a complaint about the email with this return path, once for each email. Mail to the player stops until
    they sign in with a mailed code. An address without an account gets no further invitations. Raise NotFound for an
    invalid token."""
    owner_id, seat, mark = verify_bounce_token(word)
    if seat != ANY_SEAT:
        if email := lose_invitation(owner_id, seat, mark, WHY):
            stop_mails(stop_token(INVITATION.name, email))
        return
    letter = letter_to(owner_id, mark)
    if letter is None:
        if db.session.get(Player, owner_id) is None:  # a reply to an address without an account
            stop_letters_to(owner_id.bytes)
        return
    end_mails(owner_id, letter.letter_id)


@with_retries
def end_mails(player_id: UUID, letter_id: UUID) -> None:
    """Stop all mail to a player who complained about this email, until they sign in with a mailed code."""
    now = clock.now()
    if count(player_id, letter_id, True, WHY, now):
        mark_unreachable(player_id, WHY, now)
    db.session.commit()
