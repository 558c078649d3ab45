"""Operators' queries about stored players and games, without secrets."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import func, or_, select

from server.accounts.bans import is_in_force
from server.clock import clock
from server.errors import NotFound
from server.games import Json
from server.play.commits import load
from server.play.seating.seats import seats_under_way
from server.play.views import summary
from server.play.votes import votes_of
from server.store.tables import (
    Delivery,
    GameRow,
    Incoming,
    LetterRow,
    Player,
    PlayerGame,
    PlayerLetterRow,
    SeatRow,
    Token,
    db,
)
from server.webhooks.subscriptions import webhooks_of


def find_player(address_or_id: str) -> UUID:
    """Return the player with this address or id. Raise NotFound if there is none."""
    known = Player.email == address_or_id.lower()
    try:
        known = or_(known, Player.player_id == UUID(address_or_id))
    except ValueError:
        pass
    found = db.session.scalars(select(Player.player_id).where(known)).one_or_none()
    if found is None:
        raise NotFound("There is no player called %(name)s.", name=address_or_id)
    return found


def players(words: str = "", banned: bool = False, limit: int = 50) -> list[Json]:
    """Return players, newest first. Filters are words in the name or address, and a ban that is in force."""
    query = select(Player).order_by(Player.made_at.desc(), Player.player_id).limit(limit)
    if words:
        query = query.where(
            or_(Player.email.icontains(words, autoescape=True), Player.name.icontains(words, autoescape=True))
        )
    if banned:
        ends_later = or_(Player.banned_until.is_(None), Player.banned_until > clock.now())
        query = query.where(Player.banned_at.is_not(None), ends_later)
    return [_player(row) for row in db.session.scalars(query)]


def _player(row: Player) -> Json:
    state = "unreachable" if row.unreachable_since else ""
    if row.deleted_at or is_in_force(row.banned_at, row.banned_until):
        state = "deleted" if row.deleted_at else "banned"
    return {"id": row.player_id, **_fields(row, "email name made_at"), "state": state}


def _fields(row: Any, names: str) -> Json:
    return {name: getattr(row, name) for name in names.split()}


def player(player_id: UUID) -> Json:
    """Return what operators need in order to help a player: settings, seats, and waiting emails."""
    row = db.session.get_one(Player, player_id, populate_existing=True)
    tokens = db.session.execute(
        select(Token.name, Token.scopes, Token.game_id, Token.made_at, Token.expires_at, Token.last_used_at)
        .where(Token.player_id == player_id)
        .order_by(Token.made_at)
    )
    games = db.session.scalar(select(func.count()).where(PlayerGame.player_id == player_id))
    letters = db.session.scalar(select(func.count()).where(PlayerLetterRow.player_id == player_id))
    return {
        **_player(row),
        **_fields(row, "locale zone calendar notifications unreachable_since unreachable_why"),
        **_fields(row, "banned_at banned_until ban_reason deleted_at"),
        "has_feed": row.feed is not None,
        "tokens": [token._asdict() for token in tokens],
        "webhooks": webhooks_of(player_id),
        "games_in_all": games,
        "games_under_way": seats_under_way(player_id),
        "own_letters_waiting": letters,
    }


def games(
    status: str | None = None, older_than: timedelta | None = None, overdue: bool = False, limit: int = 50
) -> list[Json]:
    """Return games, oldest first. Filters are the status, a minimum age, and an overdue seat."""
    now = clock.now()
    query = select(GameRow).order_by(GameRow.made_at, GameRow.game_id).limit(limit)
    if status:
        query = query.where(GameRow.status == status)
    if older_than:
        query = query.where(GameRow.made_at <= now - older_than)
    if overdue:
        late = db.session.scalars(select(SeatRow.game_id).where(SeatRow.wake_at <= now).distinct()).all()
        query = query.where(GameRow.game_id.in_(late))
    found = db.session.scalars(query).all()
    return [
        {"id": row.game_id, **_fields(row, "rules status version made_at"), "due_at": due_at, "title": row.title}
        for row, due_at in zip(found, _next_due([row.game_id for row in found]), strict=True)
    ]


def _next_due(ids: list[UUID]) -> list[datetime | None]:
    asked = select(SeatRow.game_id, SeatRow.due_at).where(SeatRow.game_id.in_(ids), SeatRow.due_at.is_not(None))
    first: dict[UUID, datetime] = {}
    for game_id, due_at in db.session.execute(asked):
        if due_at is not None:
            first[game_id] = min(due_at, first.get(game_id, due_at))
    return [first.get(game_id) for game_id in ids]


def game(game_id: UUID) -> Json:
    """Return a game's row, its seats with their times, its votes, and its waiting emails. Raise NotFound if there is
    no such game."""
    found = load(game_id)
    return {
        **summary(found.head, found.seats, nameless=False),
        "made_by": found.head.made_by,
        "outcome": found.head.outcome,
        "seats": [
            _fields(row, "seat kind bot stand_in player_id")
            | {"name": row.person.name}
            | _fields(row, "email turn asked_at due_at remind_at wake_at mails")
            for row in found.seats
        ],
        "votes": votes_of(game_id),
        "letters_waiting": _letters(game_id),
        "mails_waiting": db.session.scalar(
            select(func.count()).where(Incoming.game_id == game_id, Incoming.due_at.is_not(None))
        ),
        "last_failures": _failures(game_id),
    }


def _letters(game_id: UUID) -> list[Json]:
    query = select(
        LetterRow.kind, LetterRow.seat, LetterRow.version, LetterRow.made_at, LetterRow.due_at, LetterRow.tries
    )
    return [
        row._asdict()
        for row in db.session.execute(query.where(LetterRow.game_id == game_id).order_by(LetterRow.made_at))
    ]


def _failures(game_id: UUID) -> list[Json]:
    columns: Any = (Delivery.kind, Delivery.seat, Delivery.result, Delivery.detail, Delivery.at)
    query = select(*columns).where(Delivery.game_id == game_id, Delivery.result.not_in(("sent", "bundled", "dropped")))
    return [row._asdict() for row in db.session.execute(query.order_by(Delivery.at.desc()).limit(10))]
