"""The deletion of players. Their seats remain with a neutral name, so that every log stays complete."""

import json
import logging
import re
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, cast
from uuid import UUID

from sqlalchemy import ColumnElement, Text, delete, func, select, update

from server.accounts import rate_limits
from server.accounts.account_codes import DELETION, PURPOSES, expect_account_code, id_of
from server.accounts.guests import begin_forgetting, guests_to_forget, is_guest
from server.accounts.notice_kinds import BUNDLE
from server.accounts.signed_links import mark_of
from server.accounts.tokens import revoke_all
from server.clock import clock
from server.games import Json
from server.operations.change_address import end_change, stored_address
from server.operations.forget_address import forget_address, forget_domain, postmaster_mails_with
from server.play.game import name_of_former
from server.play.seating.hosting import NO_INVITATION
from server.play.seating.seats import give_up_seats
from server.play.seating.stand_ins import is_about
from server.play.talk.chat import NO_TEXT
from server.sanitize import mailbox_of
from server.store.connections import let_go
from server.store.database_retry import is_passing, with_retries
from server.store.inbox import mentions
from server.store.tables import (
    App,
    Block,
    Bounce,
    Delivery,
    DeskGame,
    DeskMail,
    GameRow,
    IdempotencyKey,
    Incoming,
    LetterRow,
    Message,
    Note,
    Plan,
    Player,
    PlayerDelivery,
    PlayerGame,
    PlayerLetterRow,
    PostmasterMail,
    PushSubscription,
    RateLimit,
    Report,
    Review,
    SeatRow,
    SignIn,
    StandIn,
    StreamTicket,
    Token,
    Vote,
    Watching,
    Webhook,
    WebhookDelivery,
    db,
)

_NEUTRAL_HOURS = {"zone": "UTC", "calendar": {}}
_LONGEST = 60.0  # seconds for guests; the next run is at most an hour later
_Rows = tuple[Any, ColumnElement[bool]]  # a table and a condition

log = logging.getLogger(__name__)


def count_rows(player_id: UUID) -> dict[str, int]:
    """Return how many rows of each table `delete_player` would delete. Messages stay, but would lose their text."""
    email = stored_address(player_id)
    ids = _games(player_id, email)
    rows = [*_own(player_id, email), *(it for each in ids for it in _of_game(each, player_id, email))]
    rows += [(Message, condition) for condition in _said(ids, player_id)]
    counted: Counter[str] = Counter()
    for table, condition in rows:
        query = select(func.count()).select_from(table).where(condition)
        counted[table.__tablename__] += db.session.scalars(query).one()
    return dict(+counted)


def delete_own_account(player_id: UUID, code: str) -> None:
    """Delete a player's own account, confirmed by a mailed code. A guest has no address and needs no code.

    An interrupted deletion is completed later: see `forget_guests`. Raise WrongCode, TooMany.
    """
    _begin_deletion(player_id, code)
    delete_player(player_id)


def delete_confirmed_account(player_id: UUID) -> None:
    """Delete a player's own account, confirmed by a reply to our email. An interrupted deletion is completed later."""
    _begin_deletion(player_id, None)
    delete_player(player_id)


@with_retries
def _begin_deletion(player_id: UUID, code: str | None) -> None:
    if code is not None and not is_guest(player_id):  # a retry after a commit finds a guest
        db.session.delete(expect_account_code(player_id, DELETION, code))
    ending = update(Player).where(Player.player_id == player_id)
    db.session.execute(ending.values(guest_until=clock.now(), deleted_at=clock.now()))
    db.session.commit()


@with_retries
def delete_player(player_id: UUID) -> None:
    """Leave all seats and delete all personal data: address, name, tokens, webhooks, feed, emails and messages. After
    an interruption, call this again. The deletion proceeds game by game. The player's row comes last, since the address
    is needed until then."""
    revoke_all(player_id)  # so that no program interferes
    end_change(player_id)  # otherwise data of a former address would remain
    give_up_seats(player_id)
    email, name = db.session.execute(select(Player.email, Player.name).where(Player.player_id == player_id)).one()
    for game_id in sorted({*_games(player_id, email), *_titled(player_id, name)}):
        db.session.execute(select(GameRow.game_id).where(GameRow.game_id == game_id).with_for_update())
        for table, condition in _of_game(game_id, player_id, email):
            db.session.execute(delete(table).where(condition))
        for condition in _said([game_id], player_id):
            db.session.execute(update(Message).where(condition).values(text=NO_TEXT))
        own = (SeatRow.game_id == game_id) & (SeatRow.player_id == player_id)
        db.session.execute(update(SeatRow).where(own).values(mails=None, planned=False, plan_turn=None, plan_at=None))
        db.session.execute(update(SeatRow).where(own, SeatRow.hours.is_not(None)).values(hours=_NEUTRAL_HOURS))
        invited = (SeatRow.game_id == game_id) & (SeatRow.email == email) & (SeatRow.kind == "invited")
        db.session.execute(update(SeatRow).where(invited).values(**NO_INVITATION))
        written = (SeatRow.game_id == game_id) & _invites(player_id)
        db.session.execute(update(SeatRow).where(written).values(greeting=None))
        declined = (SeatRow.game_id == game_id) & (SeatRow.declined_mark == mark_of(email))
        db.session.execute(update(SeatRow).where(declined).values(declined_name=None, declined_mark=None))
        _forget_name(game_id, player_id, name, name_of_former(player_id))
        _forget_address_in_letters(game_id, email, name_of_former(player_id))
        _forget_name_in_bundles(game_id, name, name_of_former(player_id))
        db.session.commit()
    for table, condition in _own(player_id, email):
        db.session.execute(delete(table).where(condition))
    processed = update(DeskMail).where(DeskMail.player_id == player_id)  # kept so that the server recognizes copies
    db.session.execute(processed.values(player_id=None, lines=None, recipient=""))
    db.session.commit()
    for game_id in db.session.scalars(select(Review.game_id).where(Review.asked_by == player_id)).all():
        asked = (Review.game_id == game_id) & (Review.asked_by == player_id)
        db.session.execute(update(Review).where(asked).values(asked_by=None))
        db.session.commit()
    if not email.endswith(".invalid"):  # a guest's address appears in no text, and there are many guests
        forget_address(player_id, email, name_of_former(player_id))
        forget_domain(player_id, email, name_of_former(player_id))
    db.session.execute(update(Player).where(Player.player_id == player_id).values(**_nobody(player_id)))
    db.session.commit()


def forget_guests() -> None:
    """Delete expired guests and complete interrupted deletions, for at most a minute. The next call retries failures."""
    failed: set[UUID] = set()
    until = time.monotonic() + _LONGEST
    while guests := guests_to_forget(failed):
        for guest in guests:
            if time.monotonic() > until:
                return
            try:
                if begin_forgetting(guest):
                    delete_player(guest)
            except Exception as error:
                let_go()
                if is_passing(error):
                    raise
                log.exception("Guest %s could not be forgotten", guest)
                failed.add(guest)


def _nobody(player_id: UUID) -> Json:
    return {
        "email": f"{player_id.hex}@deleted.invalid",  # RFC 2606: undeliverable
        "name": name_of_former(player_id),
        "locale": "en",
        "zone": "UTC",
        "calendar": {},
        "notifications": {},
        "has_webhooks": False,
        "has_push": False,
        "unreachable_since": None,
        "unreachable_why": None,
        "feed": None,
        "feed_app_id": None,
        "banned_at": None,
        "banned_until": None,
        "ban_reason": None,
        "shares_games": False,
        "program_since": None,
        "guest_until": None,
        "deleted_at": clock.now(),
    }


def _forget_name(game_id: UUID, player_id: UUID, name: str, instead: str) -> None:
    """Remove a player's name from the titles of their games and from other players' data: stored responses, emails to
    other players, and emails from them that quote ours. Inbound emails that await confirmation must still be read, so
    only our replies to them change."""
    quoted, answer = json.dumps(name, ensure_ascii=False)[1:-1], IdempotencyKey.answer
    told = answer.contains(quoted, autoescape=True) | answer.contains(str(player_id))
    kept = update(IdempotencyKey).where(IdempotencyKey.game_id == game_id, told)
    db.session.execute(kept.values(status=None, answer=None))
    mails = (Incoming.game_id == game_id) & Incoming.due_at.is_(None)
    read = mails & Incoming.fault.is_(None) & (Incoming.asks == "")
    db.session.execute(update(Incoming).where(read).values(raw=b""))
    written: list[Any] = [
        (Incoming, Incoming.mail_id, Incoming.answer, mails & Incoming.answer.is_not(None)),
        (LetterRow, LetterRow.letter_id, LetterRow.data, LetterRow.game_id == game_id),
        (GameRow, GameRow.game_id, GameRow.title, (GameRow.game_id == game_id) & (GameRow.made_by == player_id)),
    ]
    for table, key, words, which in written:
        for id_, before in db.session.execute(select(key, words).where(which)).all():
            if (after := _replace_name(before, name, instead)) != before:
                this = (table.game_id == game_id) & (key == id_)
                db.session.execute(update(table).where(this).values({words: after}))


def _forget_address_in_letters(game_id: UUID, email: str, instead: str) -> None:
    """Remove the address from emails to other players, such as a request to stand in."""
    told = (LetterRow.game_id == game_id) & _names(LetterRow.data.cast(Text), email)
    for row in db.session.scalars(select(LetterRow).where(told).with_for_update()).all():
        row.data = _replace_name(row.data, email, instead)


def _forget_name_in_bundles(game_id: UUID, name: str, instead: str) -> None:
    """Remove the player's name from this game's emails that wait in other players' bundles."""
    bundle, text = PlayerLetterRow, PlayerLetterRow.data.cast(Text)
    told = text.contains(str(game_id)) & text.contains(json.dumps(name, ensure_ascii=False)[1:-1], autoescape=True)
    for key in db.session.execute(
        select(bundle.player_id, bundle.letter_id).where(bundle.kind == BUNDLE.name, told)
    ).all():
        if row := db.session.get(bundle, tuple(key), with_for_update=True, populate_existing=True):
            of_game = {id_: it for id_, it in row.data.items() if id_ != "at" and it["game_id"] == str(game_id)}
            row.data = row.data | _replace_name(of_game, name, instead)


def _replace_name(value: Any, name: str, instead: str) -> Any:
    """Return the value with whole-word matches of the name replaced."""
    match value:
        case str():
            flags = re.IGNORECASE if "@" in name else 0  # addresses may be typed in any case
            return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _: instead, value, flags=flags)
        case dict():
            return {key: _replace_name(it, name, instead) for key, it in value.items()}
        case list():
            return [_replace_name(it, name, instead) for it in value]
    return value


def _games(player_id: UUID, email: str) -> Sequence[UUID]:
    """Return all games that may contain the player's data: seats, invitations, stand-ins, emails, messages, stored
    responses, and inbound emails that await confirmation."""
    tables: Any = (PlayerGame, Message, LetterRow)
    rows: list[_Rows] = [(table, table.player_id == player_id) for table in tables]
    rows += [
        (SeatRow, SeatRow.email == email),
        (SeatRow, _invites(player_id) | (SeatRow.declined_mark == mark_of(email))),
        (StandIn, is_about(player_id, email)),
        (LetterRow, _names(LetterRow.data.cast(Text), email)),
        (Delivery, _was_to(player_id, email)),
        (Incoming, (Incoming.asks != "") & mentions(email)),  # a search in all mails would take too long
        (IdempotencyKey, IdempotencyKey.player_id == player_id),
    ]
    found = (db.session.scalars(select(table.game_id).where(condition)) for table, condition in rows)
    return sorted({game_id for ids in found for game_id in ids})


def _invites(player_id: UUID) -> ColumnElement[bool]:
    """Return the condition that the player has reserved a seat for an address, which may have declined it."""
    return (SeatRow.email.is_not(None) | SeatRow.greeting.is_not(None)) & (SeatRow.invited_by == player_id)


def _titled(player_id: UUID, name: str) -> Sequence[UUID]:
    """Return the games opened by this player whose title contains the player's name."""
    his = (GameRow.made_by == player_id) & GameRow.title.contains(name, autoescape=True)
    return db.session.scalars(select(GameRow.game_id).where(his)).all()


def _own(player_id: UUID, email: str) -> list[_Rows]:
    """Return the tables that contain a player's own data, each with a condition for the rows. This includes data about
    an unconfirmed address."""
    tables: Any = (Token, App, StreamTicket, PushSubscription, WebhookDelivery, Webhook, Bounce, Note, DeskGame)
    ids = [player_id, *(id_of(player_id, purpose) for purpose in PURPOSES)]
    codes = (SignIn.email == email) | SignIn.sign_in.in_(ids)
    addresses = {email, *db.session.scalars(select(SignIn.email).where(codes))}
    bounded = [player_id, *addresses, *map(mailbox_of, addresses)]
    return [
        *((table, table.player_id == player_id) for table in tables),
        (PlayerDelivery, PlayerDelivery.player_id.in_(ids) | _names(PlayerDelivery.detail, email)),
        (PlayerLetterRow, PlayerLetterRow.player_id.in_(ids) | _is_to(PlayerLetterRow, email)),
        (DeskMail, (DeskMail.player_id == player_id) & DeskMail.due_at.is_not(None)),
        (SignIn, codes),
        (Block, (Block.player_id == player_id) | (Block.blocked_id == player_id)),
        (Report, (Report.player_id == player_id) | (Report.by_player == player_id)),
        (RateLimit, RateLimit.key.in_(rate_limits.keys_of(*bounded))),
        (
            PostmasterMail,
            PostmasterMail.mail_id.in_(postmaster_mails_with(email)) | (PostmasterMail.player_id == player_id),
        ),
    ]


def _names(text: Any, email: str) -> ColumnElement[bool]:
    return cast(ColumnElement[bool], text.icontains(email, autoescape=True))


def _is_to(table: Any, email: str) -> ColumnElement[bool]:
    """Return the condition that an email is to this address, whether or not the address has an account."""
    return cast(ColumnElement[bool], table.data["to"].astext == email)


def _was_to(player_id: UUID, email: str) -> ColumnElement[bool]:
    """Return the condition that a delivery result belongs to an email to this address. Such a result may quote a mail
    server's text about the address."""
    names_it = Delivery.player_id.is_(None) & _names(Delivery.detail, email)
    return (Delivery.player_id == player_id) | names_it


def _of_game(game_id: UUID, player_id: UUID, email: str) -> list[_Rows]:
    seats = select(SeatRow.seat).where(SeatRow.game_id == game_id, SeatRow.player_id == player_id)
    of_seat: Any = (Incoming, Plan, Vote)
    of_player: Any = (IdempotencyKey, Watching)
    return [
        (LetterRow, (LetterRow.game_id == game_id) & ((LetterRow.player_id == player_id) | _is_to(LetterRow, email))),
        (Delivery, (Delivery.game_id == game_id) & _was_to(player_id, email)),
        *((table, (table.game_id == game_id) & (table.player_id == player_id)) for table in of_player),
        *((table, (table.game_id == game_id) & table.seat.in_(seats)) for table in of_seat),
        (Incoming, (Incoming.game_id == game_id) & (Incoming.mark == mark_of(email))),
        (Incoming, (Incoming.game_id == game_id) & mentions(email)),
        (StandIn, (StandIn.game_id == game_id) & is_about(player_id, email)),
    ]


def _said(ids: Sequence[UUID], player_id: UUID) -> list[ColumnElement[bool]]:
    return [(Message.game_id == it) & (Message.player_id == player_id) & (Message.text != NO_TEXT) for it in ids]
