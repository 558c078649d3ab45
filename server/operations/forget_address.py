"""Removes an address from texts that are stored for other reasons: mail servers' error messages, emails, titles, chat.

A personal domain identifies its owner as a name does, but we can't tell whether a domain belongs to one person or to a
mail provider. The domain is therefore removed from texts that programs wrote, and from titles by the address's owner.
From other players' texts, only the whole address is removed.
"""

import json
import re
from collections.abc import Iterator, Sequence
from email import message_from_bytes, policy
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Text, delete, exists, func, or_, select, update

from server.store.tables import (
    App,
    Delivery,
    GameRow,
    IdempotencyKey,
    Incoming,
    LetterRow,
    Message,
    Note,
    OAuthClient,
    Player,
    PlayerDelivery,
    PlayerLetterRow,
    PostmasterMail,
    RateLimit,
    Report,
    SeatRow,
    StandIn,
    WebhookDelivery,
    db,
)

_BY_PROGRAMS = Delivery.detail, PlayerDelivery.detail
_BY_OTHERS = GameRow.title, Message.text, Note.text, Report.text, LetterRow.data, PlayerLetterRow.data, Incoming.answer


def own_domain(player_id: UUID, email: str) -> str | None:
    """Return the address's domain if no other address at that domain is stored."""
    domain = email.rpartition("@")[2]
    of_others = (
        (Player.email, Player.player_id != player_id),
        (SeatRow.email, SeatRow.email != email),
        (StandIn.email, StandIn.email != email),
    )
    for column, is_other in of_others:
        if db.session.scalar(select(exists().where(column.endswith(f"@{domain}", autoescape=True), is_other))):
            return None
    return domain


def forget_address(player_id: UUID, email: str, instead: str) -> None:
    """Replace the address in texts, and delete its rate-limit counts. This commits several times and is idempotent."""
    domain = own_domain(player_id, email)
    for column in _BY_OTHERS:
        _replace(column, email, instead)
    for column in _BY_PROGRAMS:
        _replace(column, email, instead)
        if domain:
            _replace(column, domain, instead)
    if domain:
        _replace(GameRow.title, domain, instead, GameRow.made_by == player_id)
        for data in (Incoming.answer, LetterRow.data):
            _forget_answered(data, domain)
        is_done = Incoming.due_at.is_(None) & Incoming.fault.is_(None) & (Incoming.asks == "")
        _replace(Incoming.answer, domain, instead, is_done)
    told = _holds(IdempotencyKey.answer, email)
    for game_id in _games_with(IdempotencyKey, told):
        this = update(IdempotencyKey).where(IdempotencyKey.game_id == game_id, told)
        db.session.execute(this.values(status=None, answer=None))
    db.session.execute(delete(WebhookDelivery).where(_holds(WebhookDelivery.payload, email)))
    ends = [f" {email}", *([f"@{domain}", f".{domain}"] if domain else [])]
    counted = or_(*(func.lower(RateLimit.key).endswith(end, autoescape=True) for end in ends))
    db.session.execute(delete(RateLimit).where(counted))
    db.session.commit()


def forget_mails_with(player_id: UUID, email: str, game_ids: Sequence[UUID]) -> None:
    """Delete the content of processed emails to these games that contain the address or its domain."""
    traces = [email, own_domain(player_id, email) or email]
    for game_id in game_ids:
        read = (
            (Incoming.game_id == game_id) & Incoming.due_at.is_(None) & Incoming.fault.is_(None) & (Incoming.asks == "")
        )
        for mail_id, raw in db.session.execute(select(Incoming.mail_id, Incoming.raw).where(read)).all():
            if any(mail_holds(raw, trace) for trace in traces):
                this = (Incoming.game_id == game_id) & (Incoming.mail_id == mail_id)
                db.session.execute(update(Incoming).where(this).values(raw=b""))
        db.session.commit()


def postmaster_mails_with(email: str) -> list[UUID]:
    """Return the ids of emails to the postmaster that contain this address, in any encoding."""
    rows = db.session.execute(select(PostmasterMail.mail_id, PostmasterMail.raw)).all()
    return [mail_id for mail_id, raw in rows if mail_holds(raw, email)]


def forget_domain(player_id: UUID, email: str, instead: str) -> None:
    """Replace the domain in other senders' emails to the postmaster. Delete OAuth clients at this domain that no player
    uses, then commit."""
    domain = own_domain(player_id, email)
    if domain is None:
        return
    pattern = _pattern(domain)
    for mail in db.session.scalars(select(PostmasterMail)).all():
        sender = str(message_from_bytes(mail.raw).get("From", ""))
        if not pattern.search(sender):  # the sender's own domain stays, so that operators can reply
            mail.raw = pattern.sub(lambda _: instead, mail.raw.decode("utf-8", "surrogateescape")).encode(
                "utf-8", "surrogateescape"
            )
    for client in db.session.scalars(select(OAuthClient)).all():
        is_used = select(exists().where(App.client_id == client.client_id))
        if pattern.search(json.dumps([client.uri, client.redirect_uris])) and not db.session.scalar(is_used):
            db.session.delete(client)
    db.session.commit()


def mail_holds(raw: bytes, trace: str) -> bool:
    """Return whether an email or one of its parts contains an address or a domain."""
    pattern = _pattern(trace)
    return any(pattern.search(text) for text in _readings(raw))


def _readings(raw: bytes) -> Iterator[str]:
    yield raw.decode("utf-8", "replace")
    for part in message_from_bytes(raw, policy=policy.compat32).walk():
        payload = part.get_payload(decode=True)
        if isinstance(payload, bytes):
            yield payload.decode("utf-8", "replace")


def _replace(column: Any, trace: str, instead: str, which: ColumnElement[bool] | None = None) -> None:
    """Replace an address or a domain (`trace`) in a column, and commit. Texts that change meanwhile are left to the
    next call."""
    table, pattern = column.class_, _pattern(trace)
    key = table.__table__.primary_key.columns
    rows = select(*key, column).where(_holds(column.cast(Text), trace), *([] if which is None else [which]))
    for *id_, text in db.session.execute(rows).all():
        this = [part == value for part, value in zip(key, id_, strict=True)]
        after = _without(text, pattern, instead)
        db.session.execute(update(table).where(*this, column == text).values({column: after}))
    db.session.commit()


def _forget_answered(data: Any, domain: str) -> None:
    """Remove the Message-IDs at this domain to which our emails reply, and commit. The next email then begins a new
    thread."""
    answered = _holds(data["answers"].astext, f"@{domain}") | _holds(data["answers"].astext, f".{domain}")
    table = data.class_
    for game_id in _games_with(table, answered):
        this = update(table).where(table.game_id == game_id, answered)
        db.session.execute(this.values({data: data.concat({"answers": None})}))
    db.session.commit()


def _games_with(table: Any, which: ColumnElement[bool]) -> Sequence[UUID]:
    """Return the games with rows that match the condition `which`, so that the caller can change them one at a time.
    With distributed tables (Citus), a statement can change only one game."""
    return db.session.scalars(select(table.game_id).where(which).distinct()).all()


def _holds(text: Any, trace: str) -> ColumnElement[bool]:
    found: ColumnElement[bool] = text.icontains(trace, autoescape=True)
    return found


def _pattern(trace: str) -> re.Pattern[str]:
    """Return a pattern for a whole address or domain, including subdomains."""
    before = r"(?<![\w.+-])" if "@" in trace else r"(?<![\w-])(?:[\w-]{1,63}\.){0,5}"
    return re.compile(before + re.escape(trace) + r"(?![\w-])", re.IGNORECASE)


def _without(value: Any, pattern: re.Pattern[str], instead: str) -> Any:
    match value:
        case str():
            return pattern.sub(lambda _: instead, value)
        case dict():
            return {key: _without(it, pattern, instead) for key, it in value.items()}
        case list():
            return [_without(it, pattern, instead) for it in value]
    return value
