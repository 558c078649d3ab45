"""Letters that somebody reported as spam, of which his mail provider tells us (RFC 5965): no more are sent to him."""

from typing import Final
from uuid import UUID

from server.accounts.bounces import bounced_from, count, letter_to, lose_invitation, stop_writing_to
from server.accounts.notice_kinds import INVITATION
from server.accounts.signed_links import ANY_SEAT
from server.accounts.unsubscribe import stop_mails, stop_word
from server.clock import clock
from server.store.database_retry import with_retries
from server.store.tables import db

WHY: Final = "A letter of ours was reported as spam."


@with_retries
def note_complaint(word: str) -> None:
    """Stop all mail to the player whose letter went out with this return path, until he signs in by a mailed code, or all
    invitations to a stranger. Once for each letter. Raises NotFound."""
    owner_id, seat, mark = bounced_from(word)
    if seat != ANY_SEAT:
        if email := lose_invitation(owner_id, seat, mark, WHY):
            stop_mails(stop_word(INVITATION.name, email))
        return
    letter = letter_to(owner_id, mark)
    if letter is None:
        return
    end_mails(owner_id, letter.letter_id)


@with_retries
def end_mails(player_id: UUID, letter_id: UUID) -> None:
    """Stop all mail to a player who complained of this letter, until he signs in by a mailed code. Once for each letter."""
    now = clock.now()
    if count(player_id, letter_id, True, WHY, now):
        stop_writing_to(player_id, WHY, now)
    db.session.commit()
