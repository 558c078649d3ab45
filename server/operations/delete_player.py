"""Deleting a player: what is left are seats with a name that says nothing, so that every log stays whole."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, cast
from uuid import UUID

from sqlalchemy import ColumnElement, delete, func, select, update

from server.accounts import rate_limits
from server.accounts.tokens import revoke_all
from server.clock import clock
from server.play.seats import give_up_seats
from server.rules import Json
from server.sanitize import mailbox_of
from server.store.database_retry import tried_again
from server.store.tables import (
    Bounce,
    Delivery,
    GameRow,
    IdempotencyKey,
    Incoming,
    LetterRow,
    Message,
    Player,
    PlayerDelivery,
    PlayerGame,
    PlayerLetterRow,
    RateLimit,
    SeatRow,
    SignIn,
    Token,
    Vote,
    Webhook,
    WebhookDelivery,
    db,
)

NO_TEXT = "(deleted)"  # stands for a message, whose number others count on
_NEUTRAL_HOURS = {"zone": "UTC", "calendar": {}}
_Rows = tuple[Any, ColumnElement[bool]]  # a table, and which of its rows


def what_goes(player_id: UUID) -> dict[str, int]:
    """How many rows of each table `delete_player` would delete or, of messages, empty."""
    email = _email(player_id)
    ids = _games(player_id, email)
    rows = [*_own(player_id, email), *(it for each in ids for it in _of_game(each, player_id, email))]
    rows += [(Message, condition) for condition in _said(ids, player_id)]
    counted: Counter[str] = Counter()
    for table, condition in rows:
        query = select(func.count()).select_from(table).where(condition)
        counted[table.__tablename__] += db.session.scalars(query).one()
    return dict(+counted)


@tried_again
def delete_player(player_id: UUID) -> None:
    """Hand over all seats as by resigning, and forget whatever tells who this was: address, name, tokens, webhooks, feed,
    letters, mails, and what was said at tables. If it breaks off, call it again.

    One game at a time, and the player last, so that somebody who is not yet gone can be named by his address.
    """
    revoke_all(player_id)  # so that no program begins anything meanwhile
    give_up_seats(player_id)
    email = _email(player_id)
    for game_id in _games(player_id, email):
        db.session.execute(select(GameRow.game_id).where(GameRow.game_id == game_id).with_for_update())
        for table, condition in _of_game(game_id, player_id, email):
            db.session.execute(delete(table).where(condition))
        for condition in _said([game_id], player_id):
            db.session.execute(update(Message).where(condition).values(text=NO_TEXT))
        own = (SeatRow.game_id == game_id) & (SeatRow.player_id == player_id)
        db.session.execute(update(SeatRow).where(own).values(mails=None))
        db.session.execute(update(SeatRow).where(own, SeatRow.hours.is_not(None)).values(hours=_NEUTRAL_HOURS))
        invited = (SeatRow.game_id == game_id) & (SeatRow.email == email) & (SeatRow.kind == "invited")
        db.session.execute(update(SeatRow).where(invited).values(kind="open", email=None, lost_at=None))
        db.session.commit()
    for table, condition in _own(player_id, email):
        db.session.execute(delete(table).where(condition))
    db.session.commit()
    db.session.execute(update(Player).where(Player.player_id == player_id).values(**_nobody(player_id)))
    db.session.commit()


def _nobody(player_id: UUID) -> Json:
    return {
        "email": f"{player_id.hex}@deleted.invalid",  # RFC 2606: nothing is ever sent there
        "name": f"Former player {player_id.hex[:4]}",
        "locale": "en",
        "zone": "UTC",
        "calendar": {},
        "notifications": {},
        "has_webhooks": False,
        "unreachable_since": None,
        "unreachable_why": None,
        "feed": None,
        "banned_at": None,
        "banned_until": None,
        "ban_reason": None,
        "deleted_at": clock.now(),
    }


def _email(player_id: UUID) -> str:
    return db.session.scalars(select(Player.email).where(Player.player_id == player_id)).one()


def _games(player_id: UUID, email: str) -> Sequence[UUID]:
    """Where this player sits, is invited, was written to, or said something before he got up again."""
    tables: Any = (PlayerGame, Message)
    rows: list[_Rows] = [(table, table.player_id == player_id) for table in tables]
    rows += [
        (SeatRow, SeatRow.email == email),
        (LetterRow, _is_to(LetterRow, email)),
        (Delivery, _was_to(player_id, email)),
    ]
    found = (db.session.scalars(select(table.game_id).where(condition)) for table, condition in rows)
    return sorted({game_id for ids in found for game_id in ids})


def _own(player_id: UUID, email: str) -> list[_Rows]:
    """What is stored by player, and letters, codes and counts of his address."""
    tables: Any = (Token, WebhookDelivery, Webhook, PlayerDelivery, Bounce)
    return [
        *((table, table.player_id == player_id) for table in tables),
        (PlayerLetterRow, (PlayerLetterRow.player_id == player_id) | _is_to(PlayerLetterRow, email)),
        (SignIn, SignIn.email == email),
        (RateLimit, RateLimit.key.in_(rate_limits.keys_of(player_id, email, mailbox_of(email)))),
    ]


def _is_to(table: Any, email: str) -> ColumnElement[bool]:
    """Whether a letter is to this address; it may name no player."""
    return cast(ColumnElement[bool], table.data["to"].astext == email)


def _was_to(player_id: UUID, email: str) -> ColumnElement[bool]:
    """Whether a note is of a letter to this address: it may quote what a mail server said of it while we knew no player there."""
    names_it = Delivery.player_id.is_(None) & Delivery.detail.icontains(email, autoescape=True)
    return (Delivery.player_id == player_id) | names_it


def _of_game(game_id: UUID, player_id: UUID, email: str) -> list[_Rows]:
    seats = select(SeatRow.seat).where(SeatRow.game_id == game_id, SeatRow.player_id == player_id)
    of_seat: Any = (Incoming, Vote)
    return [
        (LetterRow, (LetterRow.game_id == game_id) & ((LetterRow.player_id == player_id) | _is_to(LetterRow, email))),
        (Delivery, (Delivery.game_id == game_id) & _was_to(player_id, email)),
        (IdempotencyKey, (IdempotencyKey.game_id == game_id) & (IdempotencyKey.player_id == player_id)),
        *((table, (table.game_id == game_id) & table.seat.in_(seats)) for table in of_seat),
    ]


def _said(ids: Sequence[UUID], player_id: UUID) -> list[ColumnElement[bool]]:
    return [(Message.game_id == it) & (Message.player_id == player_id) & (Message.text != NO_TEXT) for it in ids]
