"""Bearer tokens, each for a player or for one of their seats.

Tokens are never cached, so a revocation takes effect in every process immediately.
"""

import hashlib
import re
import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, delete, func, select, tuple_, update

from server.accounts.bans import is_in_force
from server.accounts.grants import end_apps
from server.accounts.rate_limits import expect_room
from server.accounts.signed_links import Capability
from server.clock import clock
from server.errors import BadField, BadToken, Banned, MissingScope, NotFound, OneSeatOnly
from server.sanitize import clean
from server.store.connections import autocommit
from server.store.database_retry import committing, in_doubt, with_retries
from server.store.locks import hold
from server.store.paging import Cursor, Page
from server.store.rows import Json
from server.store.tables import App, Player, PushSubscription, Token, db

SCOPES: Mapping[str, str] = {
    "games:read": "view games, including your private ones, and your legal moves",
    "games:write": "create games, take and leave seats, invite, vote",
    "moves:write": "play moves",
    "chat:write": "write messages at your tables",
    "profile:read": "view your profile, your email deliveries and your calendar feed",
    "profile:write": "change your profile, push subscriptions and calendar feed, block and report players, delete your "
    "account",
    "export:read": "download a copy of all data stored about you",
    "tokens:write": "create, list and revoke tokens",
    "webhooks:manage": "create, change, test and delete webhooks",
}
OF_A_SEAT = ("games:read", "moves:write", "chat:write")  # scopes that a seat's token may have
OF_A_TURN = ("games:read", "moves:write")  # scopes of the link token of a turn
ONLY_IF_ASKED_FOR = frozenset({"export:read"})  # never granted to an additional token by default
_OF_THE_ACCOUNT = ("profile:write", "export:read", "tokens:write", "webhooks:manage")
_VISIT = timedelta(days=30)  # lifetime of a token that a new player gets by a mailed link
_LONGEST_NAME = 80
_NOTED_EVERY = timedelta(hours=1)


class Caller(NamedTuple):
    """The player behind a request, with the rights of the token."""

    player_id: UUID
    scopes: frozenset[str]
    until: datetime | None  # expiry of the token
    token_hash: bytes
    locale: str
    game_id: UUID | None = None  # the only game for which a seat's token is valid
    turn: Capability | None = None  # the only turn for which a mailed link is valid
    closed: str | None = None  # why this turn can't be played now
    app_id: UUID | None = None  # the app to which this token was issued

    def need(self, scope: str, game_id: UUID | None = None, may_be_closed: bool = False) -> None:
        """Raise BadToken, OneSeatOnly or MissingScope unless the token allows `scope`. With `game_id`, that game's seat
        tokens are accepted."""
        if self.closed is not None and not may_be_closed:
            raise BadToken(self.closed)
        if self.game_id not in (None, game_id):
            raise OneSeatOnly
        if scope not in self.scopes:
            raise MissingScope(scope)


class NewToken(NamedTuple):
    """A new token: its secret text, which is not stored, and its public details."""

    text: str
    facts: Json
    player_id: UUID


# Creating


def further_token(caller: Caller, name: str, scopes: list[str] | None, expires_at: datetime | None) -> NewToken:
    """Create another token with at most the scopes and lifetime of the caller's token. Raise BadToken, MissingScope,
    BadField, TooMany."""
    hold(caller.player_id)
    return made_by(caller, name, caller.scopes - ONLY_IF_ASKED_FOR if scopes is None else scopes, expires_at)


def made_by(
    caller: Caller, name: str, scopes: Iterable[str], expires_at: datetime | None, game_id: UUID | None = None
) -> NewToken:
    caller.need("tokens:write")
    for scope in scopes:
        caller.need(scope)
    if not (name := clean(name, _LONGEST_NAME)):
        raise BadField("name", "A name needs at least one visible character.")
    now = clock.now()
    if expires_at is not None and expires_at <= now:
        raise BadField("expires_at", "This time is in the past. Choose a later one.")
    if expires_at is not None and caller.until is not None and expires_at > caller.until:
        raise BadField("expires_at", "A new token can't expire later than the current one.")
    expect_still_there(caller)
    own = (Token.player_id == caller.player_id) & (Token.expires_at.is_(None) | (Token.expires_at > now))
    expect_room("tokens", db.session.scalar(select(func.count()).where(own)) or 0)
    made = new_token(caller.player_id, name, scopes, Bounds(expires_at or caller.until, game_id))
    db.session.commit()
    return made


def expect_still_there(caller: Caller) -> None:
    """Lock the caller's token until the transaction ends. A concurrent `revoke_all` then waits, and also revokes what
    was created meanwhile. Raise BadToken if the token was revoked."""
    still_there = select(Token.token_hash).where(_is(caller)).with_for_update(read=True)
    if db.session.execute(still_there).first() is None:
        raise BadToken("This token is invalid.")


class Bounds(NamedTuple):
    """What limits a token, apart from its scopes."""

    expires_at: datetime | None = None
    game_id: UUID | None = None
    app_id: UUID | None = None


_NO_BOUNDS = Bounds()


def new_token(player_id: UUID, name: str, scopes: Iterable[str], bounds: Bounds = _NO_BOUNDS) -> NewToken:
    """Create a token in the current transaction."""
    secret, allowed = secrets.token_urlsafe(32), set(scopes)
    row = Token(
        player_id=player_id,
        token_hash=hash_of(secret),
        name=name,
        scopes=[scope for scope in SCOPES if scope in allowed],
        made_at=clock.now(),
        **bounds._asdict(),
        last_used_at=None,
    )
    db.session.add(row)
    return NewToken(f"sp_{player_id.hex}_{secret}", _facts(row), player_id)


def token_of_visitor(player_id: UUID, is_new: bool) -> NewToken | None:
    """Create a token for a player who followed a mailed link, in the current transaction.

    Return None for an existing account: an email may have been forwarded, so the link doesn't prove a right to the
    account.
    """
    if not is_new:
        return None
    scopes = [it for it in SCOPES if it not in _OF_THE_ACCOUNT or it == "profile:write"]
    return new_token(player_id, "invitation", scopes, Bounds(clock.now() + _VISIT))


def hash_of(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


# Using

TOKEN = re.compile(r"sp_([0-9a-f]{32})_([A-Za-z0-9_-]{43})", re.ASCII)
_CALLER = """\
SELECT t.scopes, t.expires_at, t.game_id, t.app_id, t.last_used_at, p.locale, p.banned_at, p.banned_until, p.ban_reason
  FROM tokens t JOIN players p ON p.player_id = t.player_id
 WHERE t.player_id = %s AND t.token_hash = %s"""
_STILL_THERE = """\
SELECT t.player_id, t.token_hash, t.expires_at, p.banned_at, p.banned_until
  FROM tokens t JOIN players p ON p.player_id = t.player_id
 WHERE t.player_id = ANY(%s)"""
_NOTE_USE = "UPDATE tokens SET last_used_at = %s WHERE player_id = %s AND token_hash = %s"
_used: dict[tuple[UUID, bytes], datetime] = {}  # last uses that this process has yet to store


@with_retries
def caller(token: str) -> Caller:
    """Return the caller with this token. Raise BadToken, Banned."""
    if parts := TOKEN.fullmatch(token):
        return caller_by(UUID(parts[1]), hash_of(parts[2]))
    raise BadToken("This token is invalid.")


def caller_by(player_id: UUID, token_hash: bytes) -> Caller:
    """Return the caller whose token has this hash. Raise BadToken, Banned."""
    with autocommit() as connection:
        row = connection.execute(_CALLER, (player_id, token_hash)).fetchone()
    now = clock.now()
    if row is None or _is_over(row[1], now):
        raise BadToken("This token is invalid.")
    scopes, until, game_id, app_id, last_used_at, locale, *ban, why = row
    if is_in_force(*ban):
        raise Banned(ban[1], why)
    if last_used_at is None or now - last_used_at > _NOTED_EVERY:
        _used[player_id, token_hash] = now
    return Caller(player_id, frozenset(scopes), until, token_hash, locale, game_id, app_id=app_id)


def still_valid(callers: Iterable[Caller]) -> set[bytes]:
    """Return the token hashes of the callers whose tokens are still valid."""
    keys = {(it.player_id, it.token_hash) for it in callers}
    with autocommit() as connection:
        found = connection.execute(_STILL_THERE, (list({player_id for player_id, _ in keys}),)).fetchall()
    now = clock.now()
    return {
        hash_
        for player_id, hash_, until, *ban in found
        if (player_id, hash_) in keys and not _is_over(until, now) and not is_in_force(*ban)
    }


def _is_over(until: datetime | None, now: datetime) -> bool:
    return until is not None and until <= now


@with_retries
def note_uses() -> None:
    """Store when tokens were last used, at most once an hour for each token. This runs outside of requests."""
    while _used:
        key, at = _used.popitem()
        with autocommit() as connection:
            connection.execute(_NOTE_USE, (at, *key))


# Listing, and revoking


def tokens_of(caller: Caller, cursor: Cursor | None, limit: int) -> Page:
    """Return a player's active tokens, newest first, without their secrets."""
    query = select(Token).where(Token.player_id == caller.player_id)
    query = query.where(Token.expires_at.is_(None) | (Token.expires_at > clock.now()))
    if cursor is not None:
        at, token_id = cursor
        query = query.where(tuple_(Token.made_at, Token.token_hash) < tuple_(at, token_id.bytes))
    rows = db.session.scalars(query.order_by(Token.made_at.desc(), Token.token_hash.desc()).limit(limit + 1)).all()
    items = [_facts(row, row.token_hash == caller.token_hash) for row in rows[:limit]]
    return Page(items, (items[-1]["made_at"], items[-1]["id"]) if len(rows) > limit else None)


def _facts(row: Token, is_current: bool = False) -> Json:
    return {
        "id": UUID(bytes=row.token_hash[:16]),
        "name": row.name,
        "scopes": row.scopes,
        "game": row.game_id,
        "made_at": row.made_at,
        "expires_at": row.expires_at,
        "last_used_at": row.last_used_at,
        "current": is_current,
    }


@with_retries
def revoke(caller: Caller) -> None:
    """Revoke the caller's token. Raise OneSeatOnly for a turn's link token, which expires with its turn."""
    if caller.turn is not None:
        raise OneSeatOnly
    _delete(caller.player_id, Token.token_hash == caller.token_hash)
    db.session.commit()


@with_retries
def revoke_token(player_id: UUID, token_id: UUID) -> None:
    """Revoke one of a player's tokens. Raise NotFound if there is no such token."""
    is_there = _delete(player_id, func.substring(Token.token_hash, 1, 16) == token_id.bytes)
    if not is_there and in_doubt() != token_id:
        raise NotFound("Token not found.")
    with committing(token_id):
        db.session.commit()


def _delete(player_id: UUID, which: ColumnElement[bool]) -> bool:
    """Delete matching tokens, and return whether there were any. Deleting an app's token also revokes the app's access,
    since the app could otherwise get a new token."""
    hold(player_id)
    gone = delete(Token).where(Token.player_id == player_id, which).returning(Token.app_id)
    found = db.session.execute(gone).first()
    if found is not None and found.app_id is not None:
        end_apps(player_id, App.app_id == found.app_id)
    return found is not None


@with_retries
def revoke_all(player_id: UUID) -> None:
    """Revoke all tokens of a player, even those that are being created. Revoke the access of the player's apps, and
    unsubscribe the player's browsers from push."""
    hold(player_id)
    own = Token.player_id == player_id
    db.session.execute(select(Token.token_hash).where(own).order_by(Token.token_hash).with_for_update())
    end_apps(player_id)
    db.session.execute(delete(Token).where(own))  # sees tokens created while waiting for the locks
    db.session.execute(delete(PushSubscription).where(PushSubscription.player_id == player_id))
    db.session.execute(update(Player).where(Player.player_id == player_id).values(has_push=False))
    db.session.commit()


def revoke_of_seat(player_id: UUID, game_id: UUID) -> None:
    """Revoke the tokens of a player's seat, including those of apps, in the current transaction."""
    end_apps(player_id, App.game_id == game_id)
    db.session.execute(delete(Token).where(Token.player_id == player_id, Token.game_id == game_id))


def forget_ended_tokens() -> None:
    """Delete expired tokens."""
    db.session.execute(delete(Token).where(Token.expires_at <= clock.now()))
    db.session.commit()


def _is(caller: Caller) -> ColumnElement[bool]:
    return (Token.player_id == caller.player_id) & (Token.token_hash == caller.token_hash)
