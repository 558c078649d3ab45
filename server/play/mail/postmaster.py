"""Emails for the operators: those sent to the postmaster, and those sent to a seat that could not be processed."""

from datetime import timedelta
from typing import Any, Final
from uuid import UUID, uuid5

from server.accounts.rate_limits import Use, expect_within, reached
from server.clock import clock
from server.errors import NotFound
from server.store import inbox
from server.store import postmaster as letterbox
from server.store.tables import Incoming

POSTMASTERS: Final = ("postmaster", "abuse")  # RFC 5321, 4.5.1, and RFC 2142
KEPT: Final = timedelta(days=30)
_LARGEST: Final = 64 * 1024  # bytes; the rest is cut off
_MOST: Final = 500  # emails stored for the postmaster
_NAMESPACE: Final = UUID("5e1f0c5c-6a0e-4b3f-9c39-2f6f7f3d9d55")


def take_postmaster_mail(recipient: str, same: str, raw: bytes, limited: bool) -> None:
    """Store an email to the postmaster once. Raise TooMany, Unavailable."""
    if limited:
        expect_within(Use("postmaster-mails", "all"))
    if letterbox.number() >= _MOST:
        raise reached("postmaster-mails")
    letterbox.keep(uuid5(_NAMESPACE, f"{recipient}/{same}"), recipient, raw[:_LARGEST], clock.now())


def kept_mails(most: int) -> list[dict[str, Any]]:
    """Return the newest emails of both kinds."""
    found = [_described(mail) for mail in (*inbox.list_aside(most), *letterbox.newest(most))]
    return sorted(found, key=lambda it: it["arrived_at"], reverse=True)[:most]


def kept_mail(mail_id: UUID) -> dict[str, Any]:
    """Return the email with this id. Raise NotFound if there is no such email."""
    mail = inbox.one_aside(mail_id) or letterbox.one(mail_id)
    if mail is None:
        raise NotFound("Email not found.")
    return _described(mail)


def deal_again(mail_id: UUID) -> None:
    """Process an email to a seat again, with its original time of arrival. Raise NotFound if there is no such email."""
    game_id = kept_mail(mail_id)["game"]
    if game_id is None or not inbox.retry_aside(game_id, mail_id, clock.now()):
        raise NotFound("Email not found.")


def drop_kept_mail(mail_id: UUID) -> None:
    """Delete the email with this id. Raise NotFound if there is no such email."""
    game_id = kept_mail(mail_id)["game"]
    if game_id is None:
        letterbox.drop(mail_id)
    else:
        inbox.drop(game_id, mail_id)


def mails_aside() -> int:
    """Return the number of emails to seats that could not be processed."""
    return inbox.number_aside()


def forget_kept_mails() -> None:
    before = clock.now() - KEPT
    inbox.forget_aside(before)
    letterbox.forget(before)


def _described(mail: Any) -> dict[str, Any]:
    is_for_seat = isinstance(mail, Incoming)
    return {
        "id": mail.mail_id,
        "arrived_at": mail.arrived_at,
        "to": f"seat {mail.seat}" if is_for_seat else mail.recipient,
        "game": mail.game_id if is_for_seat else None,
        "fault": mail.fault if is_for_seat else None,
        "raw": mail.raw,
    }
